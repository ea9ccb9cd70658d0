/* Coordinates that are fixed strings, such as the names of stations. They have no order: new ones go after the stored
 * ones. NULs at the end do not count, so strings of types of other lengths may be equal. */
#include "cf/cf.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CODE_POINT_BYTES = 4, SHOWN_BYTES = 64 };

/* A string without its NULs, and its index. */
struct name {
    const uint8_t *at;
    size_t bytes;
    int64_t index;
};

bool drxi_cf_has_names(const drx_cf *stored, const drx_cf *given)
{
    return stored && given && (DRX_IS_STRING(stored->type) || DRX_IS_STRING(given->type));
}

drx_status drxi_names_match(const drx_cf *stored, const drx_cf *given)
{
    const drx_type types[] = { stored->type, given->type };

    for (int k = 0; k < 2; k++)
        if (drx_type_size(types[k]) == 0)
            return drxi_fail(DRX_EINVAL, "%s: the type is unknown", drxi_cf_label(stored));
    if (DRX_IS_BYTES(types[0]) != DRX_IS_BYTES(types[1]) || DRX_IS_UNICODE(types[0]) != DRX_IS_UNICODE(types[1]))
        return drxi_fail(DRX_EMISMATCH, "%s: the type is %s, but %s is stored; neither is converted to the other",
                         drxi_cf_label(stored), drx_type_name(types[1]), drx_type_name(types[0]));
    return DRX_OK;
}

static struct name name_at(const drx_cf *cf, const void *elements, int64_t i)
{
    const size_t item = drx_type_size(cf->type);
    struct name name = { (const uint8_t *)elements + (size_t)i * item, item, i };

    while (name.bytes > 0 && name.at[name.bytes - 1] == 0)
        name.bytes--;
    return name;
}

static int by_text(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    const size_t common = x->bytes < y->bytes ? x->bytes : y->bytes;
    const int order = common ? memcmp(x->at, y->at, common) : 0;

    return order ? order : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* The same text; of equal ones the first index comes first. */
static int by_text_and_index(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    const int order = by_text(a, b);

    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* The text for a message, cut after SHOWN_BYTES. */
static const char *say(const drx_cf *cf, const struct name *name, char text[SHOWN_BYTES + 4])
{
    size_t n = 0;

    if (DRX_IS_BYTES(cf->type)) {
        n = name->bytes < SHOWN_BYTES ? name->bytes : SHOWN_BYTES;
        memcpy(text, name->at, n);
    }
    for (size_t i = 0; DRX_IS_UNICODE(cf->type) && i < name->bytes && n < SHOWN_BYTES; i += CODE_POINT_BYTES) {
        uint32_t code;

        memcpy(&code, name->at + i, sizeof code);
        n += (size_t)drxi_put_utf8(code, (uint8_t *)text + n);
    }
    text[n] = '\0';
    return text;
}

/* Elements of to->type. A string that is longer than those is refused. */
drx_status drxi_names_encode(const drx_cf *from, const drx_cf *to, int64_t n, const void *stored, void *out)
{
    const size_t item = drx_type_size(to->type);
    char text[SHOWN_BYTES + 4];

    for (int64_t i = 0; i < n; i++) {
        const struct name name = name_at(from, stored, i);
        uint8_t *element = (uint8_t *)out + (size_t)i * item;

        if (name.bytes > item)
            return drxi_fail(DRX_EMISMATCH, "%s: index %" PRId64 " is '%s', which is longer than the stored type %s",
                             drxi_cf_label(to), i, say(from, &name, text), drx_type_name(to->type));
        memmove(element, name.at, name.bytes);
        memset(element + name.bytes, 0, item - name.bytes);
    }
    return DRX_OK;
}

drx_status drxi_names_compare(const drx_cf *stored, const void *have, const drx_cf *given, const void *more, int64_t n,
                              int64_t *first)
{
    char texts[2][SHOWN_BYTES + 4];

    for (int64_t i = 0; i < n; i++) {
        const struct name old = name_at(stored, have, i), new = name_at(given, more, i);

        if (by_text(&old, &new) == 0)
            continue;
        if (first)
            *first = i;
        return drxi_fail(DRX_EMISMATCH, "%s: index %" PRId64 " is '%s', but '%s' is stored", drxi_cf_label(stored), i,
                         say(given, &new, texts[0]), say(stored, &old, texts[1]));
    }
    return DRX_OK;
}

/* n names in the order of their texts; NULL: out of memory. */
static struct name *sorted(const drx_cf *cf, const void *elements, int64_t n)
{
    struct name *names = drxi_calloc((size_t)drxi_max(n, 1), sizeof *names);

    for (int64_t i = 0; names && i < n; i++)
        names[i] = name_at(cf, elements, i);
    if (names)
        qsort(names, (size_t)n, sizeof *names, by_text_and_index);
    return names;
}

/* New ones must differ from each other. */
static drx_status check_new(const drx_cf *given, const struct name names[], int64_t n)
{
    char text[SHOWN_BYTES + 4];

    for (int64_t i = 1; i < n; i++)
        if (by_text(&names[i - 1], &names[i]) == 0)
            return drxi_fail(DRX_EMISMATCH, "%s: new index %" PRId64 " is '%s', which repeats index %" PRId64,
                             drxi_cf_label(given), names[i].index, say(given, &names[i], text), names[i - 1].index);
    return DRX_OK;
}

/* Those that are stored come first; index[i] is -1 for the others. */
static drx_status place_names(const drx_cf *stored, int64_t m, const drx_cf *given, int64_t n, drx_cf_overlap overlap,
                              const int64_t index[], drx_cf_alignment *to, const void *more)
{
    char text[SHOWN_BYTES + 4];

    to->side = DRX_CF_AFTER;
    while (to->from < n && index[to->from] < m)
        to->from++;
    to->appended = n - to->from;
    for (int64_t i = 0; i < n; i++) {
        const struct name name = name_at(given, more, i);

        if (index[i] < m && overlap == DRX_CF_REFUSE)
            return drxi_fail(DRX_EMISMATCH,
                             "%s: new index %" PRId64 " is '%s', which is stored already at index %" PRId64,
                             drxi_cf_label(stored), i, say(given, &name, text), index[i]);
        if (index[i] < m && i > to->from)
            return drxi_fail(DRX_EMISMATCH,
                             "%s: new index %" PRId64 " is '%s', which is stored already at index %" PRId64
                             ", but comes after index %" PRId64 ", which is not; give those that are stored first",
                             drxi_cf_label(stored), i, say(given, &name, text), index[i], to->from);
    }
    return DRX_OK;
}

/* index[i]: where new name i is stored, or where it will be: m and on. */
static void find_stored(const struct name old[], int64_t m, const drx_cf *given, int64_t n, const void *more,
                        int64_t index[])
{
    int64_t next = m;

    for (int64_t i = 0; i < n; i++) {
        const struct name name = name_at(given, more, i);
        int64_t low = 0, high = m;

        while (low < high) {
            const int64_t middle = low + (high - low) / 2;

            if (by_text(&old[middle], &name) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        index[i] = low < m && by_text(&old[low], &name) == 0 ? old[low].index : next++;
    }
}

drx_status drxi_names_align(const drx_cf *stored, int64_t m, const void *have, const drx_cf *given, int64_t n,
                            const void *more, drx_cf_overlap overlap, int64_t index[], void *encoded,
                            drx_cf_alignment *out)
{
    struct name *old = sorted(stored, have, m), *new = sorted(given, more, n);
    int64_t *at = drxi_calloc((size_t)drxi_max(n, 1), sizeof *at);
    uint8_t *elements = drxi_calloc((size_t)drxi_max(n, 1), drx_type_size(stored->type));
    drx_cf_alignment found = { 0 };
    drx_status st =
        old && new &&at &&elements ? DRX_OK : drxi_fail(DRX_ENOMEM, "no memory for %" PRId64 " coordinates", n);

    if (!st)
        st = check_new(given, new, n);
    if (!st) {
        find_stored(old, m, given, n, more, at);
        st = place_names(stored, m, given, n, overlap, at, &found, more);
    }
    if (!st)
        st = drxi_names_encode(given, stored, n, more, elements);
    if (!st) {
        *out = found;
        if (index && n > 0)
            memcpy(index, at, (size_t)n * sizeof *at);
        if (encoded && n > 0)
            memcpy(encoded, elements, (size_t)n * drx_type_size(stored->type));
    }
    drxi_free(old);
    drxi_free(new);
    drxi_free(at);
    drxi_free(elements);
    return st;
}
