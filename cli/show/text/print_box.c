#include "info.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/paths.h"

/* How elements become texts. */
struct shown {
    const void *fill;     /* elements equal to it are missing; NULL: none */
    bool real;            /* `cf` says what they mean */
    bool decoded;         /* packed numbers or dates */
    drx_cf cf;            /* of an array that is open; else the type alone */
    drx_array *bounds_of; /* the coordinate that they are bounds of, open; NULL: none */
};

struct printer {
    const struct selection *selection;
    struct shown how;
    int kept, axes[DRX_MAX_NDIM]; /* of the result */
    int64_t index[DRX_MAX_NDIM];  /* of the next element in the selection */
};

/* Bounds have the units of their coordinate, which has the name of one of their axes. */
static void find_units(struct shown *how, const drx_array *a, const char *path)
{
    for (int j = 0; j < drx_ndim(a) && !how->cf.units; j++) {
        (void)drx_close(how->bounds_of);
        how->bounds_of = open_named_like(a, path, j);
        if (how->bounds_of)
            inherit_meaning(how->bounds_of, base_name(path), &how->cf);
    }
}

/* Characters along the last axis, all that are selected, are one text: an element without that axis. */
static void join_text(struct printer *p, struct selection *s)
{
    const int last = s->ndim - 1;
    const int64_t bytes = s->count[last] <= DRX_MAX_STRING_BYTES ? s->count[last] : 1;

    p->how = (struct shown){ .cf.type = DRX_BYTES((int)bytes) };
    s->dropped[last] = s->dropped[last] || bytes == s->count[last];
    s->count[last] /= bytes;
}

/* By the attributes units, calendar, scale_factor, add_offset, _Unsigned, _FillValue and missing_value; or, when `raw`,
 * as they are stored. */
static int show_as(struct printer *p, const drx_array *a, struct selection *s, bool raw)
{
    struct shown *how = &p->how;
    int is_date = 0;
    drx_status st;

    *how = (struct shown){ .real = !raw && type_is_real(drx_dtype(a)), .fill = fill_of(a), .cf.type = drx_dtype(a) };
    if (!raw && holds_text(a))
        join_text(p, s);
    if (!how->real)
        return DONE;
    st = drx_cf_describe(a, &how->cf);
    if (!st) {
        find_units(how, a, s->path);
        st = drx_cf_is_date(&how->cf, &is_date);
    }
    if (st)
        return failed("%s: %s; --raw prints what is stored", s->path, drx_last_error());
    how->decoded = is_date || how->cf.scale_factor != 0 || how->cf.add_offset != 0;
    return DONE;
}

/* A number that is not NaN, but means it. */
static bool is_missing(const struct shown *how, const char *element, double value)
{
    if (how->fill && memcmp(element, how->fill, drx_type_size(how->cf.type)) == 0)
        return true;
    return isnan(value) && (type_is_whole(how->cf.type) || !isnan(real_part(how->cf.type, element, 0)));
}

/* "_": a missing element. */
static void shown_text(const struct shown *how, const char *element, char out[VALUE_TEXT_BYTES])
{
    char text[DRX_CF_TEXT_BYTES];
    double value = 0;

    if (how->real)
        (void)drx_cf_unpack(&how->cf, 1, element, &value);
    if (is_missing(how, element, value))
        memcpy(out, "_", 2);
    else if (how->decoded && drx_cf_text(&how->cf, value, text) == DRX_OK)
        memcpy(out, text, strlen(text) + 1);
    else
        value_text(how->cf.type, element, out);
}

/* Axis number k of the result, from the last one; -1: it has fewer axes. */
static int axis_from_last(const struct printer *p, int k)
{
    return k < p->kept ? p->axes[p->kept - 1 - k] : -1;
}

/* "# [3, :, :]" before the first element of a plane. */
static void put_plane(const struct printer *p)
{
    const struct selection *s = p->selection;
    const int column = axis_from_last(p, 0), row = axis_from_last(p, 1);
    bool first = true;

    if (p->kept < 3 || p->index[column] != 0 || p->index[row] != 0)
        return;
    for (int j = 0; j < s->ndim; j++)
        first = first && p->index[j] == 0;
    put(first ? "# [" : "\n# [");
    for (int j = 0; j < s->ndim; j++) {
        put(j ? ", " : "");
        if (j == row || j == column)
            put(":");
        else
            put("%" PRId64, s->lo[j] + p->index[j] * s->step[j]);
    }
    put("]\n");
}

static void advance(struct printer *p)
{
    for (int j = p->selection->ndim - 1; j >= 0; j--) {
        if (++p->index[j] < p->selection->count[j])
            return;
        p->index[j] = 0;
    }
}

static void put_elements(struct printer *p, const char *buf, int64_t n)
{
    const size_t bytes = drx_type_size(p->how.cf.type);
    const int last = axis_from_last(p, 0);
    const int64_t columns = last < 0 ? 1 : p->selection->count[last];
    char text[VALUE_TEXT_BYTES];
    int width = 0;

    for (int64_t i = 0; i < n; i++) {
        shown_text(&p->how, buf + (size_t)i * bytes, text);
        width = character_count(text) > width ? character_count(text) : width;
    }
    for (int64_t i = 0; i < n && !put_failed(); i++) {
        const int64_t column = last < 0 ? 0 : p->index[last];

        put_plane(p);
        shown_text(&p->how, buf + (size_t)i * bytes, text);
        put("%s%*s%s", column ? "  " : "", width - character_count(text), "", text);
        if (column == columns - 1)
            put("\n");
        advance(p);
    }
}

int print_box(drx_array *a, const struct selection *s, bool raw)
{
    struct selection shown = *s;
    struct printer p = { .selection = &shown };
    struct slabs slabs;
    const int64_t total = cut_selection(&slabs, a, s, DRX_ROW_MAJOR, true);
    char *buf = NULL;
    int status = total > 0 ? show_as(&p, a, &shown, raw) : DONE;

    if (status == DONE && total > 0) {
        buf = calloc((size_t)largest_slab_bytes(&slabs), 1);
        status = buf ? DONE : out_of_memory(largest_slab_bytes(&slabs));
    }
    p.kept = kept_axes(&shown, p.axes);
    while (buf && status == DONE && !put_failed() && next_slab(&slabs)) {
        status = read_slab(a, s, &slabs, buf);
        if (status == DONE)
            put_elements(&p, buf, slab_bytes(&slabs) / (int64_t)drx_type_size(p.how.cf.type));
    }
    (void)drx_close(p.how.bounds_of);
    free(buf);
    return status;
}
