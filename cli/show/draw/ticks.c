#include "draw.h"

#include <math.h>
#include <string.h>

double round_step(double span, int most)
{
    static const double factors[] = { 1, 2, 5, 10 };
    const double least = span / (most > 1 ? most - 1 : 1);
    const double power = pow(10, floor(log10(least)));

    for (int i = 0; i < 4; i++)
        if (factors[i] * power >= least * (1 - 1e-9))
            return factors[i] * power;
    return 10 * power;
}

/* Without zeros at the end: "1.50" becomes "1.5", "2.0e+06" "2e6". */
static void trim(char *text)
{
    char *e = strchr(text, 'e'), *end = e ? e : text + strlen(text);
    char power[16] = "";

    if (e) {
        const char *digits = e + 1 + (e[1] == '+' || e[1] == '-');

        digits += strspn(digits, "0");
        (void)snprintf(power, sizeof power, "e%s%s", e[1] == '-' ? "-" : "", digits);
    }
    if (memchr(text, '.', (size_t)(end - text))) {
        while (end[-1] == '0')
            end--;
        if (end[-1] == '.')
            end--;
    }
    memcpy(end, power, strlen(power) + 1);
    if (strcmp(text, "-0") == 0)
        memcpy(text, "0", 2);
}

void number_text(double value, double step, char out[TICK_TEXT_BYTES])
{
    const double size = fabs(value);
    int digits = 6;

    if (!isfinite(value)) {
        (void)snprintf(out, TICK_TEXT_BYTES, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    if (step > 0 && size < step * 1e-6)
        value = 0;
    if (step > 0 && value != 0)
        digits = (int)floor(log10(size) + 1e-9) - (int)floor(log10(step) + 1e-9) + 2;
    digits = digits < 1 ? 1 : digits > 17 ? 17 : digits;
    if (value == 0)
        memcpy(out, "0", 2);
    else if (size >= 1e6 || size < 1e-4)
        (void)snprintf(out, TICK_TEXT_BYTES, "%.*e", digits - 1, value);
    else
        (void)snprintf(out, TICK_TEXT_BYTES, "%.*f", digits > log10(size) ? digits - 1 - (int)floor(log10(size)) : 0,
                       value);
    trim(out);
}

void round_ticks(double low, double high, int most, bool whole, struct ticks *out)
{
    const double span = high - low;
    double step, first, slack;

    out->n = 0;
    if (most > MOST_TICKS)
        most = MOST_TICKS;
    if (!(span > 0) || !isfinite(span) || span < fabs(high) * 1e-14) {
        out->tick[0].value = low;
        number_text(low, 0, out->tick[0].text);
        out->n = 1;
        return;
    }
    step = round_step(span, most);
    if (whole && step < 1)
        step = 1;
    first = ceil(low / step - 1e-6);
    slack = 1e-6 * step;
    for (int i = 0; i < most && (first + i) * step <= high + slack; i++) {
        struct tick *tick = &out->tick[out->n++];

        tick->value = (first + i) * step;
        number_text(tick->value, step, tick->text);
    }
}
