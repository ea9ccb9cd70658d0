/* Ticks of an axis, and texts of its cells. */
#include <math.h>
#include <string.h>

#include "view.h"

static void degree_text(enum quantity quantity, double value, double step, char out[TICK_TEXT_BYTES])
{
    const char *const letters = quantity == LATITUDE ? "NS" : "EW";
    char number[TICK_TEXT_BYTES];
    bool plain;

    if (quantity == LONGITUDE && value > 180)
        value -= 360 * ceil((value - 180) / 360);
    if (quantity == LONGITUDE && value < -180)
        value += 360 * ceil((-180 - value) / 360);
    number_text(fabs(value), step, number);
    plain = strcmp(number, "0") == 0 || (quantity == LONGITUDE && strcmp(number, "180") == 0);
    (void)snprintf(out, TICK_TEXT_BYTES, "%.30s\u00b0%.*s", number, !plain, value > 0 ? letters : letters + 1);
}

/* Ends that differ from a round value by rounding alone have a tick: those of cells around 89.875 end at 90. */
static void degree_ticks(enum quantity quantity, double low, double high, int most, struct ticks *out)
{
    static const double steps[] = { 5, 10, 15, 30, 45, 60, 90 };
    const double slack = 1e-4 * (high - low);
    double step = 0;

    if (most > MOST_TICKS)
        most = MOST_TICKS;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && step == 0; i++)
        if (floor((high + slack) / steps[i]) - ceil((low - slack) / steps[i]) < most)
            step = steps[i];
    if (step <= 5) {
        round_ticks(low, high, most, false, out);
        step = out->n > 1 ? out->tick[1].value - out->tick[0].value : 0;
    } else {
        out->n = 0;
        for (double value = ceil((low - slack) / step) * step; value <= high + slack && out->n < most; value += step)
            out->tick[out->n++].value = value;
    }
    for (int i = 0; i < out->n; i++)
        degree_text(quantity, out->tick[i].value, step, out->tick[i].text);
}

static void value_text_of(const struct axis *x, double value, double step, char out[TICK_TEXT_BYTES])
{
    if (x->quantity == TIME)
        date_text(&x->time, value, out);
    else if (x->quantity != PLAIN)
        degree_text(x->quantity, value, step, out);
    else
        number_text(value, step, out);
}

static void index_ticks(const struct axis *x, int most, struct ticks *out)
{
    const double first = (double)x->first, last = (double)(x->first + (x->count - 1) * x->step);

    round_ticks(fmin(first, last), fmax(first, last), most, true, out);
    for (int i = 0; i < out->n; i++)
        out->tick[i].value = cell_place(x, (out->tick[i].value - first) / (double)x->step);
}

/* At round values between the ends. */
static void value_ticks(const struct axis *x, int most, struct ticks *out)
{
    double low, high;

    axis_bounds(x, &low, &high);
    if (x->quantity == TIME)
        date_ticks(&x->time, low, high, most, out);
    else if (x->quantity != PLAIN)
        degree_ticks(x->quantity, low, high, most, out);
    else
        round_ticks(low, high, most, x->whole, out);
    for (int i = 0; i < out->n; i++)
        out->tick[i].value = fmin(1, fmax(0, cell_place(x, cell_of(x, out->tick[i].value))));
}

/* At cells, with their texts. */
static void cell_ticks(const struct axis *x, int most, struct ticks *out)
{
    const int64_t shown = most > MOST_TICKS ? MOST_TICKS : most < 1 ? 1 : most;
    const int64_t every = x->n > shown ? (int64_t)round_step((double)(x->n - 1), (int)shown) : 1;

    out->n = 0;
    for (int64_t i = 0; i < x->n && out->n < shown; i += every < 1 ? 1 : every) {
        struct tick *tick = &out->tick[out->n++];

        tick->value = cell_place(x, (double)(i * x->stride));
        cell_text(x, i * x->stride, false, tick->text);
    }
}

/* At the ends, if there is no round value between them. */
static void end_ticks(const struct axis *x, int most, struct ticks *out)
{
    const int64_t last = x->spacing == BY_INDEX ? x->count - 1 : (x->n - 1) * x->stride;

    for (out->n = 0; out->n < most && out->n < (last > 0 ? 2 : 1); out->n++) {
        out->tick[out->n].value = cell_place(x, (double)(out->n * last));
        cell_text(x, out->n * last, false, out->tick[out->n].text);
    }
}

void axis_ticks(const struct axis *x, int most, struct ticks *out)
{
    if (x->spacing == BY_INDEX)
        index_ticks(x, most, out);
    else if (x->spacing == EVEN || x->spacing == ORDERED)
        value_ticks(x, most, out);
    else
        cell_ticks(x, most, out);
    if (out->n == 0)
        end_ticks(x, most, out);
}

void cell_text(const struct axis *x, int64_t cell, bool with_unit, char out[TICK_TEXT_BYTES])
{
    double step = 0;
    int64_t i;
    size_t n;

    if (x->spacing == BY_INDEX) {
        (void)snprintf(out, TICK_TEXT_BYTES, "%lld", (long long)(x->first + cell * x->step));
        return;
    }
    i = cell / x->stride;
    if (x->n > 1)
        step = fabs(x->coordinate[i] - x->coordinate[i + (i + 1 < x->n ? 1 : -1)]) / 10;
    value_text_of(x, x->coordinate[i], x->spacing == UNORDERED ? 0 : step, out);
    n = strlen(out);
    if (with_unit && x->unit && x->quantity == PLAIN)
        (void)snprintf(out + n, TICK_TEXT_BYTES - n, " %s", x->unit);
}

void end_texts(const struct axis *x, char out[2][TICK_TEXT_BYTES])
{
    cell_text(x, x->backwards ? x->count - 1 : 0, false, out[0]);
    cell_text(x, x->backwards ? 0 : x->count - 1, false, out[1]);
    if (x->count == 1)
        out[1][0] = '\0';
}
