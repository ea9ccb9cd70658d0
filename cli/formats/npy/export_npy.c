/* A selection of an array as a .npy file. */
#include "files/paths.h"
#include "formats/export.h"
#include "frame/team.h"
#include "npy.h"

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
    status = begin_file(&npy);
    if (status == DONE && total > 0 && (team_rank() == 0 || !npy.pipe))
        status = pour(a, s, &slabs, take_npy, &npy, NULL);
    return close_shared_target(&target, status);
}
