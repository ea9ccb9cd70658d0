/* Copies all elements of a source into an array. */
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
