/* Copies all elements of a source into an array. */
#include <string.h>

#include <stdlib.h>

#include "frame/team.h"
#include "import.h"

struct copying {
    struct source *s;
    drx_array *a;
    const char *path;
    enum { UNKNOWN, SAME, OTHER } missing; /* what nobody wrote reads as the fill value of the array, or does not */
};

/* The array has its fill value already where the file stores nothing. */
static bool is_absent(void *with, const int64_t at[], const int64_t extent[])
{
    struct copying *c = with;
    int64_t one[DRX_MAX_NDIM];
    void *value;

    if (c->missing == OTHER || c->s->kind->holds(c->s, at, extent))
        return false;
    for (int j = 0; j < c->s->ndim; j++)
        one[j] = 1;
    if (c->missing == UNKNOWN) {
        value = calloc(1, drx_type_size(c->s->type));
        c->missing = value && source_read(c->s, at, one, value) && is_fill(c->a, value) ? SAME : OTHER;
        free(value);
    }
    return c->missing == SAME;
}

static int copy_slab(void *with, const struct slabs *slabs, void *buf)
{
    const struct copying *c = with;

    if (!source_read(c->s, slabs->at, slabs->extent, buf))
        return FAILED;
    return exit_code(c->path, write_at(c->a, slabs->at, slabs->extent, c->s->order, buf));
}

/* Of compressed arrays no rank writes alone. Payloads lie in the order of these writes: all slabs are those of one
 * process. */
static int copy_part(void *with, const struct slabs *slabs, void *buf)
{
    const struct copying *c = with;
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
    int status = DONE;

    memcpy(lo, slabs->at, sizeof lo);
    memcpy(count, slabs->extent, sizeof count);
    take_own_part(c->a, c->s->chunk, c->s->order, lo, count);
    if (box_bytes(slabs->ndim, count, 1) > 0 && !source_read(c->s, lo, count, buf))
        status = FAILED;
    status = agree(status);
    return status == DONE ? exit_code(c->path, write_together(c->a, lo, count, c->s->order, buf)) : status;
}

int copy_elements(struct source *s, drx_array *a, const char *path, bool shared)
{
    struct copying copying = { .s = s, .a = a, .path = path };
    struct slabs slabs;
    int64_t unit[DRX_MAX_NDIM];

    choose_unit(a, s->chunk, unit);
    if (cut_box(&slabs, s->ndim, s->shape, s->pipe ? NULL : unit, drx_type_size(s->type), s->order) <= 0)
        return DONE; /* an array of that shape was made, so 64 bits hold it */
    if (!s->pipe)
        set_phase(&slabs, drx_lower(a));
    slabs.absent = s->kind->holds ? is_absent : NULL;
    slabs.together = shared && codec_of(a).codec != DRX_RAW;
    if (shared && !slabs.together)
        share_slabs(&slabs);
    return do_slabs(&slabs, slabs.together ? copy_part : copy_slab, &copying, s->progress);
}
