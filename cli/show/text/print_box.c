#include "print_box.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/text_attribute.h"
#include "frame/text.h"
#include "shown.h"

struct printer {
    const struct selection *selection;
    struct shown how;
    int kept, axes[DRX_MAX_NDIM]; /* of the result */
    int64_t index[DRX_MAX_NDIM];  /* of the next element in the selection */
};

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

/* Strings whose bytes lie along the last axis, all of which is selected, are elements without that axis. */
static void join_bytes(struct printer *p, const drx_array *a, struct selection *s)
{
    const int last = s->ndim - 1;
    const int64_t bytes = s->count[last];

    if (!holds_strings(a) || bytes != drx_shape(a)[last] || s->step[last] != 1 || bytes > DRX_MAX_STRING_BYTES)
        return;
    p->how = (struct shown){ .cf.type = DRX_BYTES((int)bytes) };
    s->dropped[last] = true;
    s->count[last] = 1;
}

int print_box(drx_array *a, const struct selection *s, bool raw)
{
    struct selection shown = *s;
    struct printer p = { .selection = &shown };
    struct slabs slabs;
    const int64_t total = cut_selection(&slabs, a, s, DRX_ROW_MAJOR, true);
    char *buf;
    int status = show_as(&p.how, a, s->path, raw);

    if (status != DONE || total <= 0)
        return status;
    buf = calloc((size_t)largest_slab_bytes(&slabs), 1);
    if (!buf)
        return out_of_memory(largest_slab_bytes(&slabs));
    if (!raw)
        join_bytes(&p, a, &shown);
    p.kept = kept_axes(&shown, p.axes);
    while (status == DONE && !put_failed() && next_slab(&slabs)) {
        status = read_slab(a, s, &slabs, buf);
        if (status == DONE)
            put_elements(&p, buf, slab_bytes(&slabs) / (int64_t)drx_type_size(p.how.cf.type));
    }
    free(buf);
    return status;
}
