/* A new array from a source. */
#include <stdlib.h>

#include "arrays.h"
#include "import.h"
#include "interrupt.h"
#include "progress.h"
#include "slabs.h"

int copy_elements(struct source *s, drx_array *a, const char *path)
{
    struct slabs slabs;
    struct progress progress;
    int64_t unit[DRX_MAX_NDIM];
    int64_t total;
    void *buf;
    drx_status st;
    int status = DONE;

    for (int j = 0; j < s->ndim; j++) /* whole chunks of both, lest those of the source be unpacked again and again */
        unit[j] = drx_chunk(a)[j] > s->chunk[j] ? drx_chunk(a)[j] : s->chunk[j];
    total = cut_box(&slabs, s->ndim, s->shape, s->pipe ? NULL : unit, drx_type_size(s->type), s->order);
    if (total <= 0)
        return DONE; /* an array of that shape was made, so 64 bits hold it */
    buf = calloc((size_t)largest_slab_bytes(&slabs, a), 1);
    if (!buf)
        return out_of_memory(largest_slab_bytes(&slabs, a));
    begin_progress(&progress, total);
    while (status == DONE && next_slab(&slabs)) {
        if (interrupted() || !source_read(s, slabs.at, slabs.extent, buf)) {
            status = FAILED;
            break;
        }
        st = drx_write(a, slabs.at, slabs.extent, s->order, buf);
        if (st)
            status = failed_drx(path, st);
        add_progress(&progress, slab_bytes(&slabs, a));
    }
    hide_progress();
    free(buf);
    return status;
}

static int make_array(struct source *s, struct import *wish, struct coords *coords, const char *path)
{
    drx_array *a;
    int status;

    watch_interrupts();
    a = create_unnamed_array(path, &wish->spec);
    if (!a)
        return FAILED;
    status = s->kind->copy_attributes(s, a, path);
    if (status == DONE)
        status = copy_elements(s, a, path);
    if (status == DONE)
        status = make_coords(coords);
    if (status == DONE && interrupted())
        status = FAILED;
    status = name_coords(coords, status);
    return name_array(a, path, wish->spec.flags, status);
}

int import_new(struct source *s, struct import *wish, const char *path)
{
    drx_spec *spec = &wish->spec;
    struct coords coords = { 0 };
    int status = DONE;

    if (wish->nchunk && wish->nchunk != s->ndim)
        return failed("%s: --chunk has %d numbers, expected %d, one for each dimension", s->label, wish->nchunk,
                      s->ndim);
    spec->ndim = s->ndim;
    spec->type = s->type;
    spec->shape = s->shape;
    spec->dims = wish->dims;
    spec->fill = s->fill_name ? s->fill : NULL;
    spec->flags |= wish->force ? DRX_REPLACE : 0;
    if (wish->coords)
        status = find_coords(&coords, s, wish->dims, path, -1, 0);
    if (status == DONE)
        status = make_array(s, wish, &coords, path);
    release_coords(&coords);
    return status;
}
