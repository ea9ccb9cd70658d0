/* Reads elements as numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"
#include "arrays/text_attribute.h"
#include "frame/text.h"
#include "frame/value.h"
#include "view.h"

/* A number, or the real part of one. */
static double number_of(drx_type type, const void *at)
{
    if (type == DRX_UINT64)
        return (double)(uint64_t)whole_value(type, at);
    return type_is_whole(type) ? (double)whole_value(type, at) : real_part(type, at, 0);
}

/* The numbers of an attribute, at most `most`; returns how many. */
static int number_attribute(const drx_array *a, const char *name, int most, double out[])
{
    drx_type type;
    const char *values;
    const void *found;
    int64_t n;
    int i;

    if (drx_attr_get(a, name, &type, &n, &found) != DRX_OK)
        return 0;
    values = found;
    for (i = 0; i < n && i < most; i++)
        out[i] = number_of(type, values + (size_t)i * drx_type_size(type));
    return i;
}

static bool is_text_attribute(const drx_array *a, const char *name)
{
    char *text = text_attribute(a, name);

    free(text);
    return text != NULL;
}

static void add_missing(struct elements *e, const drx_array *a, const char *name)
{
    const int from = e->nmissing;

    if (is_text_attribute(a, name))
        return;
    e->nmissing += number_attribute(a, name, MISSING_VALUES - from, e->missing + from);
    for (int i = from; i < e->nmissing && !type_is_complex(e->type);
         i++) /* it may have more digits than the elements */
        e->missing[i] = real_rounded(e->type, e->missing[i]);
}

static double factor_attribute(const drx_array *a, const char *name, double otherwise)
{
    double found;

    if (is_text_attribute(a, name) || number_attribute(a, name, 1, &found) == 0 || !isfinite(found))
        return otherwise;
    return found;
}

void describe_elements(struct elements *e, const drx_array *a, enum part part)
{
    memset(e, 0, sizeof *e);
    e->type = drx_dtype(a);
    e->part = part;
    e->fill = fill_of(a);
    add_missing(e, a, "missing_value");
    add_missing(e, a, "_FillValue");
    e->factor = factor_attribute(a, "scale_factor", 1);
    e->offset = factor_attribute(a, "add_offset", 0);
}

static bool is_missing(const struct elements *e, const char *at, double number)
{
    if (e->fill && memcmp(at, e->fill, drx_type_size(e->type)) == 0)
        return true;
    for (int i = 0; i < e->nmissing; i++)
        if (number == e->missing[i])
            return true;
    return false;
}

static double part_number(const struct elements *e, const char *at, double real)
{
    const double re = real * e->factor + e->offset;
    const double im = real_part(e->type, at, 1) * e->factor;

    switch (e->part) {
    case PART_RE:
        return re;
    case PART_IM:
        return im;
    case PART_ARG:
        return isnan(re) || isnan(im) ? NAN : atan2(im, re);
    default:
        return hypot(re, im);
    }
}

/* Convert n elements; missing ones become NaN. */
static void numbers_of(const struct elements *e, const void *elements, int64_t n, double out[])
{
    const size_t bytes = drx_type_size(e->type);
    const bool is_complex = type_is_complex(e->type);
    const char *at = elements;

    for (int64_t i = 0; i < n; i++, at += bytes) {
        const double number = number_of(e->type, at);

        if (is_missing(e, at, number))
            out[i] = NAN;
        else
            out[i] = is_complex ? part_number(e, at, number) : number * e->factor + e->offset;
    }
}

int read_numbers(drx_array *a, const struct elements *e, const struct selection *s, double buf[])
{
    struct slabs slabs;
    const int64_t bytes = cut_selection(&slabs, a, s, DRX_ROW_MAJOR, true);
    void *elements;
    int status = DONE;

    if (bytes <= 0)
        return DONE;
    elements = calloc((size_t)largest_slab_bytes(&slabs), 1);
    if (!elements)
        return out_of_memory(largest_slab_bytes(&slabs));
    while (status == DONE && next_slab(&slabs)) {
        const int64_t n = slab_bytes(&slabs) / (int64_t)drx_type_size(e->type);

        status = read_slab(a, s, &slabs, elements);
        if (status == DONE)
            numbers_of(e, elements, n, buf);
        buf += n;
    }
    free(elements);
    return status;
}
