/* Parsers of text: distributions of axes (dap.h), values of all types, units of time.
 *
 * Input: a byte that chooses, then the text. */
#include <stdlib.h>
#include <string.h>

#include "dap.h"
#include "frame/cli.h"
#include "fuzz.h"
#include "show/draw/draw.h"

/* What is printed of an axis set is read as the same set: it is printed alike. */
static void parse_axis(const char *text)
{
    struct dap_dim *set, *again;
    char why[256], *printed, *twice;
    int64_t n;

    if (dap_parse(text, &set, why, sizeof why)) {
        fuzz_require(why[0]);
        return;
    }
    n = dap_print(set, NULL, 0);
    fuzz_require(n > 0);
    printed = malloc((size_t)n + 1);
    twice = malloc((size_t)n + 1);
    fuzz_require(printed && twice && dap_print(set, printed, (size_t)n + 1) == n);
    fuzz_require(dap_parse(printed, &again, why, sizeof why) == DAP_OK);
    fuzz_require(dap_print(again, twice, (size_t)n + 1) == n && strcmp(printed, twice) == 0);
    free(printed);
    free(twice);
    dap_free(set);
    dap_free(again);
}

/* The text of a value gives the same value. */
static void parse_value(const char *text, drx_type type)
{
    _Alignas(VALUE_ALIGN_BYTES) uint8_t value[VALUE_MAX_BYTES] = { 0 }, again[VALUE_MAX_BYTES] = { 0 };
    char printed[VALUE_TEXT_BYTES];

    if (value_of_text(type, text, value))
        return;
    value_text(type, value, printed);
    if (strstr(printed, "nan"))
        return;
    fuzz_require(!value_of_text(type, printed, again));
    fuzz_require(memcmp(value, again, drx_type_size(type)) == 0);
    for (drx_type to = DRX_INT8; to <= DRX_BOOL; to++)
        (void)convert_value(type, value, to, again);
}

static void parse_time(const char *text, double number)
{
    const char *calendar = strchr(text, '|');
    char *units = strndup(text, calendar ? (size_t)(calendar - text) : strlen(text));
    char shown[TICK_TEXT_BYTES];
    struct time_unit unit;
    struct ticks ticks;

    fuzz_require(units);
    if (find_time_unit(&unit,
                       &(drx_cf){ .type = DRX_FLOAT64, .units = units, .calendar = calendar ? calendar + 1 : NULL })) {
        date_text(&unit, number, shown);
        date_text(&unit, -number * 1e12, shown);
        date_ticks(&unit, -number, number * 1e6, MOST_TICKS, &ticks);
        fuzz_require(ticks.n >= 0 && ticks.n <= MOST_TICKS);
    }
    free(units);
}

static void show(const char *text, size_t n)
{
    char *shown = visible_text(text, n), *clean = utf8_of(text, n);

    fuzz_require(shown && clean && !strchr(shown, '\n') && !strchr(shown, 27));
    for (size_t i = 0, bytes; clean[i]; i += bytes)
        fuzz_require((bytes = utf8_bytes(clean + i, strlen(clean + i))) > 0);
    free(shown);
    free(clean);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct fuzz_input in = { data, n };
    const uint64_t choice = fuzz_number(&in, 1);
    char *text = malloc(n + 1);

    fuzz_require(text);
    n = in.left;
    memcpy(text, in.at, n);
    text[n] = '\0';
    (void)type_named(text);
    switch (choice % 16) {
    case 0:
        parse_axis(text);
        break;
    case 13:
        parse_time(text, (double)choice);
        break;
    case 14:
        show(text, n);
        break;
    case 15:
        break;
    default:
        parse_value(text, (drx_type)(choice % 16));
        break;
    }
    free(text);
    return 0;
}
