/* All elements of a source, copied into an array; a new array from a source. */
#include "arrays/arrays.h"
#include "arrays/slabs.h"
#include "frame/progress.h"
#include "frame/team.h"
#include "import.h"

struct copying {
    struct source *s;
    drx_array *a;
    const char *path;
};

static int copy_slab(void *with, const struct slabs *slabs, void *buf)
{
    const struct copying *c = with;

    if (!source_read(c->s, slabs->at, slabs->extent, buf))
        return FAILED;
    return exit_code(c->path, drx_write(c->a, slabs->at, slabs->extent, c->s->order, buf));
}

int copy_elements(struct source *s, drx_array *a, const char *path, bool shared)
{
    struct copying copying = { .s = s, .a = a, .path = path };
    struct slabs slabs;
    struct progress progress;
    int64_t unit[DRX_MAX_NDIM];
    int64_t total;
    int status;

    for (int j = 0; j < s->ndim; j++) /* whole chunks of both: each chunk of the source is unpacked once */
        unit[j] = drx_chunk(a)[j] > s->chunk[j] ? drx_chunk(a)[j] : s->chunk[j];
    total = cut_box(&slabs, s->ndim, s->shape, s->pipe ? NULL : unit, drx_type_size(s->type), s->order);
    if (total <= 0)
        return DONE; /* an array of that shape was made, so 64 bits hold it */
    if (shared)
        share_slabs(&slabs);
    begin_progress(&progress, total);
    status = do_slabs(&slabs, copy_slab, &copying, &progress);
    hide_progress();
    return status;
}

/* Rank 0 makes the array and its coordinates, all ranks copy its elements. */
static int make_array(struct source *s, struct import *wish, struct coords *coords, const char *path)
{
    drx_array *a = NULL;
    int status = DONE;

    watch_interrupts();
    if (team_rank() == 0) {
        a = start_array(path, &wish->spec);
        status = a ? s->kind->copy_attributes(s, a, path) : FAILED;
    }
    status = spread_array(&a, path, status);
    if (status == DONE)
        status = copy_elements(s, a, path, true);
    if (status == DONE)
        status = make_coords(coords);
    if (status == DONE && interrupted())
        status = FAILED;
    status = name_coords(coords, agree(status));
    return finish_array(a, path, wish->spec.flags, status);
}

int import_new(struct source *s, struct import *wish, const char *path)
{
    drx_spec *spec = &wish->spec;
    struct coords coords = { 0 };
    int status = DONE;

    if (wish->chunk.n && !has_one_each(s->label, "--chunk", &wish->chunk, s->ndim))
        return FAILED;
    spec->chunk = wish->chunk.n ? wish->chunk.of : NULL;
    spec->stripes = wish->stripes.n ? wish->stripes.of : NULL;
    spec->nstripes = wish->stripes.n;
    spec->ndim = s->ndim;
    spec->type = s->type;
    spec->shape = s->shape;
    spec->dims = wish->dims;
    spec->fill = s->fill_name ? s->fill : NULL;
    spec->flags |= wish->force ? DRX_REPLACE : 0;
    if (wish->coords && team_rank() == 0)
        status = find_coords(&coords, s, wish->dims, path, -1, 0);
    status = agree(status);
    if (status == DONE)
        status = make_array(s, wish, &coords, path);
    release_coords(&coords);
    return status;
}
