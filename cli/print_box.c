#include "print_box.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "slabs.h"
#include "value.h"

struct printer {
    int ndim;
    drx_type type;
    const void *fill; /* NULL: nothing is shown as missing */
    const int64_t *lo, *count;
    int64_t index[DRX_MAX_NDIM]; /* of the next element */
};

static void element_text(const struct printer *p, const char *value, char out[VALUE_TEXT_BYTES])
{
    if (p->fill && memcmp(value, p->fill, drx_type_size(p->type)) == 0)
        memcpy(out, "_", 2);
    else
        value_text(p->type, value, out);
}

/* "# [3, :, :]" before the first element of a plane. */
static void put_plane(const struct printer *p)
{
    const int last = p->ndim - 1;

    if (p->ndim < 3 || p->index[last] != p->lo[last] || p->index[last - 1] != p->lo[last - 1])
        return;
    for (int j = 0; j < p->ndim - 2; j++)
        if (p->index[j] != p->lo[j]) { /* not the first one */
            put("\n");
            break;
        }
    put("# [");
    for (int j = 0; j < p->ndim - 2; j++)
        put("%" PRId64 ", ", p->index[j]);
    put(":, :]\n");
}

static void advance(struct printer *p)
{
    for (int j = p->ndim - 1; j >= 0; j--) {
        if (++p->index[j] < p->lo[j] + p->count[j])
            return;
        p->index[j] = p->lo[j];
    }
}

static void put_elements(struct printer *p, const char *buf, int64_t n)
{
    const size_t bytes = drx_type_size(p->type);
    const int last = p->ndim - 1;
    char text[VALUE_TEXT_BYTES];
    size_t width = 0;

    for (int64_t i = 0; i < n; i++) {
        element_text(p, buf + (size_t)i * bytes, text);
        width = strlen(text) > width ? strlen(text) : width;
    }
    for (int64_t i = 0; i < n && !put_failed(); i++) {
        put_plane(p);
        element_text(p, buf + (size_t)i * bytes, text);
        put("%s%*s", p->index[last] == p->lo[last] ? "" : "  ", (int)width, text);
        if (p->index[last] == p->lo[last] + p->count[last] - 1)
            put("\n");
        advance(p);
    }
}

static const void *shown_fill(const drx_array *a)
{
    static const char zero[VALUE_MAX_BYTES];
    drx_spec spec;

    drx_describe(a, &spec);
    return spec.fill && memcmp(spec.fill, zero, drx_type_size(spec.type)) != 0 ? spec.fill : NULL;
}

int print_box(drx_array *a, const char *path, const int64_t lo[], const int64_t count[])
{
    struct printer p = { .ndim = drx_ndim(a), .type = drx_dtype(a), .fill = shown_fill(a), .lo = lo, .count = count };
    struct slabs slabs;
    const int64_t total = cut_slabs(&slabs, a, lo, count, DRX_ROW_MAJOR, true);
    char *buf;
    drx_status st = DRX_OK;

    if (total <= 0)
        return DONE;
    buf = calloc((size_t)largest_slab_bytes(&slabs, a), 1);
    if (!buf)
        return out_of_memory(largest_slab_bytes(&slabs, a));
    memcpy(p.index, lo, (size_t)p.ndim * sizeof *lo);
    while (!put_failed() && next_slab(&slabs)) {
        st = drx_read(a, slabs.at, slabs.extent, DRX_ROW_MAJOR, buf);
        if (st)
            break;
        put_elements(&p, buf, slab_bytes(&slabs, a) / (int64_t)drx_type_size(p.type));
    }
    free(buf);
    return st ? failed_drx(path, st) : DONE;
}
