/* Reads elements as numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "view.h"

/* Of a complex number, that of its parts. */
static drx_type part_type(drx_type type)
{
    return type == DRX_COMPLEX64 ? DRX_FLOAT32 : type == DRX_COMPLEX128 ? DRX_FLOAT64 : type;
}

int describe_elements(struct elements *e, const drx_array *a, const char *path, enum part part)
{
    const drx_status st = drx_cf_describe(a, &e->cf);

    if (st)
        return failed("%s: %s; 'drx read --raw' prints what is stored", path, drx_last_error());
    e->type = drx_dtype(a);
    e->part = part;
    e->fill = fill_of(a);
    e->cf.type = part_type(e->cf.type);
    e->cf.fill_type = part_type(e->cf.fill_type);
    e->cf.missing_type = part_type(e->cf.missing_type);
    return DONE;
}

static double part_number(const struct elements *e, const char *at)
{
    const double im = real_part(e->type, at, 1) * (e->cf.scale_factor != 0 ? e->cf.scale_factor : 1);
    double re = NAN;

    (void)drx_cf_unpack(&e->cf, 1, at, &re);
    if (isnan(re) && !isnan(real_part(e->type, at, 0)))
        return NAN;
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
static int numbers_of(const struct elements *e, const char *path, const void *elements, int64_t n, double out[])
{
    const size_t bytes = drx_type_size(e->type);
    const char *at = elements;
    const drx_status st = type_is_complex(e->type) ? DRX_OK : drx_cf_unpack(&e->cf, n, elements, out);

    for (int64_t i = 0; i < n; i++, at += bytes) {
        if (e->fill && memcmp(at, e->fill, bytes) == 0)
            out[i] = NAN;
        else if (type_is_complex(e->type))
            out[i] = part_number(e, at);
    }
    return exit_code(path, st);
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
            status = numbers_of(e, s->path, elements, n, buf);
        buf += n;
    }
    free(elements);
    return status;
}
