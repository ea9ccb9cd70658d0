#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
    return !misused("%s '%s' %s; give a whole number from %lld up", what, text,
                    st == TOO_LARGE ? "does not fit in 64 bits" : "is not valid", (long long)least);
}

bool take_count(const char *what, char *text, void *out)
{
    return parse_number(what, text, 0, out);
}

static bool parse_numbers(const char *what, const char *text, int64_t least, struct numbers *out)
{
    const char *at = text;
    int64_t number;
    int st;

    for (out->n = 0;; at++) {
        st = read_number(at, &at, &number);
        if (st < 0 || number < least || (*at && *at != ','))
            break;
        if (out->n == DRX_MAX_NDIM)
            return !misused("%s has too many numbers; give at most %d", what, DRX_MAX_NDIM);
        out->of[out->n++] = number;
        if (!*at)
            return true;
    }
    if (least == INT64_MIN)
        return !misused("%s '%s' %s; give whole numbers, separated by commas", what, text,
                        st == TOO_LARGE ? "does not fit in 64 bits" : "is not valid");
    return !misused("%s '%s' %s; give whole numbers from %lld up, separated by commas", what, text,
                    st == TOO_LARGE ? "does not fit in 64 bits" : "is not valid", (long long)least);
}

bool take_indices(const char *what, char *text, void *out)
{
    return parse_numbers(what, text, 0, out);
}

bool take_signed(const char *what, char *text, void *out)
{
    return parse_numbers(what, text, INT64_MIN, out);
}

bool take_extents(const char *what, char *text, void *out)
{
    return parse_numbers(what, text, 1, out);
}

bool take_chunks(const char *what, char *text, void *out)
{
    struct chunks *c = out;

    if (!strchr(text, '='))
        return take_extents(what, text, &c->each);
    for (c->n = 0; text; c->n++) {
        char *item = strsep(&text, ","), *extent = strrchr(item, '=');

        if (c->n == DRX_MAX_NDIM || !extent || extent == item)
            return !misused("%s: '%s' is not valid; give NAME=N for up to %d dimensions, separated by commas", what,
                            item, DRX_MAX_NDIM);
        *extent++ = '\0';
        if (!parse_number(what, extent, 1, &c->of[c->n]))
            return false;
        for (int i = 0; i < c->n; i++)
            if (strcmp(c->dim[i], item) == 0)
                return !misused("%s has '%s' twice; give each dimension once", what, item);
        c->dim[c->n] = item;
    }
    return true;
}

int check_chunks(const struct chunks *c, const char *path, bool dataset)
{
    if (dataset && c->each.n)
        return misused("%s is a dataset, whose chunks go by names of dimensions; give --chunk NAME=N,...", path);
    return dataset || !c->n
               ? DONE
               : failed("%s: is not a dataset, whose dimensions --chunk can name; give N,N,..., one for each axis",
                        path);
}

void name_chunks(const struct chunks *c, int ndim, const char *const dims[], int64_t chunk[])
{
    for (int j = 0; j < ndim; j++)
        for (int k = 0; k < c->n; k++)
            if (strcmp(dims[j], c->dim[k]) == 0)
                chunk[j] = c->of[k];
}

bool take_bytes(const char *what, char *text, void *to)
{
    static const char units[] = "KMGT";
    const char *end = text;
    const char *unit;
    int64_t *out = to;

    if (read_number(text, &end, out) == 0 && *out >= 0) {
        unit = *end ? strchr(units, *end) : NULL;
        if (unit)
            end++;
        if (!*end && (!unit || !__builtin_mul_overflow(*out, INT64_C(1024) << 10 * (unit - units), out)))
            return true;
    }
    return !misused("%s '%s' is not valid; give a number of bytes such as 4096 or 4K", what, text);
}

bool take_some_bytes(const char *what, char *text, void *out)
{
    return take_bytes(what, text, out) && (*(int64_t *)out > 0 || !misused("%s 0 is too small; give at least 1", what));
}

bool take_alignment(const char *what, char *text, void *to)
{
    int64_t *out = to;

    if (strcmp(text, "auto") == 0) {
        *out = DRX_ALIGN_AUTO;
        return true;
    }
    return take_bytes(what, text, out) &&
           ((*out & (*out - 1)) == 0 || !misused("%s %s is not valid; give a power of two, or auto", what, text));
}

bool take_order(const char *what, char *text, void *out)
{
    if (strcmp(text, "C") != 0 && strcmp(text, "F") != 0)
        return !misused("%s '%s' is not valid; give C (last axis fastest) or F (first axis fastest)", what, text);
    *(drx_order *)out = text[0] == 'F' ? DRX_COL_MAJOR : DRX_ROW_MAJOR;
    return true;
}

bool take_type(const char *what, char *text, void *out)
{
    const drx_type type = type_named(text);

    if (!type)
        return !misused("%s '%s' is unknown; give int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, "
                        "float32, float64, complex64, complex128, bool, or S1 to S4096 or U1 to U1024 for strings",
                        what, text);
    *(drx_type *)out = type;
    return true;
}

bool take_text(const char *what, char *text, void *out)
{
    (void)what;
    *(char **)out = text;
    return true;
}

bool take_names(const char *what, char *text, void *to)
{
    struct name_list *out = to;

    for (out->n = 0; text; out->n++) {
        const char *name = strsep(&text, ",");

        if (out->n == DRX_MAX_NDIM)
            return !misused("%s has too many names; give at most %d", what, DRX_MAX_NDIM);
        out->of[out->n] = *name ? name : NULL;
    }
    return true;
}

bool take_verify(const char *what, char *text, void *out)
{
    (void)what;
    (void)text;
    (void)out;
    drx_set_verify(1);
    return true;
}

static int64_t patience; /* seconds */

bool take_wait(const char *what, char *text, void *out)
{
    (void)out;
    patience = 60;
    return !text || parse_number(what, text, 0, &patience);
}

bool wait_for_writer(drx_status st)
{
    static double waited, pause = 0.01;
    struct timespec time;

    if (st != DRX_EBUSY || waited >= (double)patience || interrupted())
        return false;
    if (pause > (double)patience - waited)
        pause = (double)patience - waited;
    time.tv_sec = (time_t)pause;
    time.tv_nsec = (long)((pause - (double)time.tv_sec) * 1e9);
    (void)nanosleep(&time, NULL);
    waited += pause;
    pause = pause < 0.5 ? 2 * pause : 1;
    return true;
}

bool parse_axes(const char *what, const struct name_list *words, int ndim, const char *const dims[], uint32_t *axes)
{
    for (int i = 0; i < words->n; i++) {
        const char *word = words->of[i] ? words->of[i] : "";
        char *end = NULL;
        long found = -1;

        for (int j = 0; dims && j < ndim && found < 0; j++)
            if (dims[j] && strcmp(dims[j], word) == 0)
                found = j;
        if (found < 0 && word[0] >= '0' && word[0] <= '9')
            found = strtol(word, &end, 10);
        if (found < 0 || found >= ndim || (end && *end))
            return !misused("%s: there is no axis '%s'; give names of dimensions, or numbers from 0 to %d", what, word,
                            ndim - 1);
        *axes |= 1u << found;
    }
    return true;
}

bool take_folders(const char *what, char *text, void *to)
{
    struct folders *out = to;

    for (out->n = 0; text; out->n++) {
        const char *folder = strsep(&text, ",");

        if (out->n == DRX_MAX_STRIPES || !*folder)
            return !misused("%s: folder %d is %s; give 1 to %d paths, separated by commas", what, out->n + 1,
                            *folder ? "one too many" : "empty", DRX_MAX_STRIPES);
        out->of[out->n] = folder;
    }
    return true;
}

bool parse_fill(const char *label, drx_type type, const char *text, void *out)
{
    const char *wrong = value_of_text(type, text, out);

    return !wrong || !misused("%s%s--fill '%s' %s; give a value of type %s", label ? label : "", label ? ": " : "",
                              text, wrong, drx_type_name(type));
}

bool has_one_each(const char *path, const char *what, const struct numbers *numbers, int ndim)
{
    return numbers->n == ndim ||
           !failed("%s: %s has %d numbers; give %d, one for each axis", path, what, numbers->n, ndim);
}
