#include "pour.h"

#include <stdlib.h>

#include "arrays/slabs.h"
#include "files/target.h"
#include "frame/team.h"
#include "npy.h"

struct pouring {
    drx_array *a;
    const struct selection *s;
    take_slab *take;
    void *to;
    void *buf;
};

static int pour_slab(void *with, const struct slabs *slabs)
{
    const struct pouring *p = with;
    int64_t at[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
    const int status = read_slab(p->a, p->s, slabs, p->buf);

    keep_axes(p->s, slabs->at, at);
    keep_axes(p->s, slabs->extent, count);
    return status == DONE && !p->take(p->to, at, count, p->buf) ? FAILED : status;
}

int pour(drx_array *a, const struct selection *s, struct slabs *slabs, take_slab *take, void *to,
         struct progress *progress)
{
    struct pouring p = { a, s, take, to, allocate_slab(slabs) };
    const int status = p.buf ? do_slabs(slabs, pour_slab, &p, progress) : FAILED;

    free(p.buf);
    return status;
}

static bool take_npy(void *to, const int64_t at[], const int64_t count[], const void *buf)
{
    return npy_write(to, at, count, buf);
}

/* Rank 0 writes the header. Collective. */
static int begin_file(struct npy *npy)
{
    const int status = team_rank() > 0 || npy_write_header(npy) ? DONE : FAILED;

    share_bytes(&npy->start, sizeof npy->start);
    return agree(status);
}

int save_npy(drx_array *a, const struct selection *s, drx_order order, const char *name)
{
    int axes[DRX_MAX_NDIM];
    struct npy npy = { .type = drx_dtype(a), .order = order, .ndim = kept_axes(s, axes) };
    struct target target;
    struct slabs slabs;
    struct progress progress;
    int64_t total;
    int status;

    if (!open_shared_target(&target, name))
        return FAILED;
    npy.name = target.name;
    npy.fd = target.fd;
    npy.pipe = target.pipe;
    keep_axes(s, s->count, npy.shape);
    total = cut_selection(&slabs, a, s, order, npy.pipe);
    if (!npy.pipe)
        share_slabs(&slabs);
    begin_progress(&progress, total);
    status = begin_file(&npy);
    if (status == DONE && total > 0 && (team_rank() == 0 || !npy.pipe))
        status = pour(a, s, &slabs, take_npy, &npy, &progress);
    hide_progress();
    return close_shared_target(&target, status);
}
