#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "value.h"

enum { NONE = -1, TOO_LARGE = -2 };

static int read_number(const char *text, const char **end, int64_t *out)
{
    char *stop;

    if (!isdigit((unsigned char)text[text[0] == '-']))
        return NONE;
    errno = 0;
    *out = strtoll(text, &stop, 10);
    *end = stop;
    return errno ? TOO_LARGE : 0;
}

bool parse_number(const char *what, const char *text, int64_t least, int64_t *out)
{
    const char *end = text;
    const int st = read_number(text, &end, out);

    if (st == 0 && !*end && *out >= least)
        return true;
    (void)misused("%s '%s' %s, expected a whole number from %lld up", what, text,
                  st == TOO_LARGE ? "does not fit 64 bits" : "is not valid", (long long)least);
    return false;
}

bool parse_numbers(const char *what, const char *text, int64_t least, int64_t out[], int *n)
{
    const char *at = text;
    int64_t number;
    int st;

    for (*n = 0;; at++) {
        st = read_number(at, &at, &number);
        if (st < 0 || number < least || (*at && *at != ','))
            break;
        if (*n == DRX_MAX_NDIM) {
            (void)misused("%s has too many numbers, expected at most %d", what, DRX_MAX_NDIM);
            return false;
        }
        out[(*n)++] = number;
        if (!*at)
            return true;
    }
    (void)misused("%s '%s' %s, expected whole numbers from %lld up, separated by commas", what, text,
                  st == TOO_LARGE ? "does not fit 64 bits" : "is not valid", (long long)least);
    return false;
}

bool parse_bytes(const char *what, const char *text, int64_t *out)
{
    static const char units[] = "KMGT";
    const char *end = text;
    const char *unit;

    if (read_number(text, &end, out) == 0 && *out >= 0) {
        unit = *end ? strchr(units, *end) : NULL;
        if (unit)
            end++;
        if (!*end && (!unit || !__builtin_mul_overflow(*out, INT64_C(1024) << 10 * (unit - units), out)))
            return true;
    }
    (void)misused("%s '%s' is not valid, expected a number of bytes such as 4096 or 4K", what, text);
    return false;
}

bool parse_order(const char *what, const char *text, drx_order *out)
{
    if (strcmp(text, "C") != 0 && strcmp(text, "F") != 0) {
        (void)misused("%s '%s' is not valid, expected C (last axis fastest) or F (first axis fastest)", what, text);
        return false;
    }
    *out = text[0] == 'F' ? DRX_COL_MAJOR : DRX_ROW_MAJOR;
    return true;
}

bool parse_type(const char *what, const char *text, drx_type *out)
{
    *out = type_named(text);
    if (*out)
        return true;
    (void)misused("%s '%s' is unknown, expected int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, "
                  "float64, complex64 or complex128",
                  what, text);
    return false;
}

bool parse_names(const char *what, char *text, const char *out[], int *n)
{
    char *name;

    for (*n = 0; text; (*n)++) {
        if (*n == DRX_MAX_NDIM) {
            (void)misused("%s has too many names, expected at most %d", what, DRX_MAX_NDIM);
            return false;
        }
        name = strsep(&text, ",");
        out[*n] = *name ? name : NULL;
    }
    return true;
}

bool parse_folders(const char *what, char *text, const char *out[], int *n)
{
    for (*n = 0; text; (*n)++) {
        char *folder = strsep(&text, ",");

        if (*n == DRX_MAX_STRIPES || !*folder) {
            (void)misused("%s: folder %d is %s, expected 1 to %d paths with commas between", what, *n + 1,
                          *folder ? "one too many" : "empty", DRX_MAX_STRIPES);
            return false;
        }
        out[*n] = folder;
    }
    return true;
}
