#include "pour.h"

#include <stdlib.h>

#include "interrupt.h"
#include "npy.h"
#include "target.h"

int pour(drx_array *a, const struct selection *s, struct slabs *slabs, take_slab *take, void *to,
         struct progress *progress)
{
    int64_t at[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
    void *buf = calloc((size_t)largest_slab_bytes(slabs, a), 1);
    int status = DONE;

    if (!buf)
        return out_of_memory(largest_slab_bytes(slabs, a));
    while (status == DONE && next_slab(slabs)) {
        keep_axes(s, slabs->at, at);
        keep_axes(s, slabs->extent, count);
        status = read_slab(a, s, slabs, buf);
        if (status == DONE && (!take(to, at, count, buf) || interrupted()))
            status = FAILED;
        add_progress(progress, slab_bytes(slabs, a));
    }
    free(buf);
    return status;
}

static bool take_npy(void *to, const int64_t at[], const int64_t count[], const void *buf)
{
    return npy_write(to, at, count, buf);
}

int save_npy(drx_array *a, const struct selection *s, drx_order order, const char *name)
{
    int axes[DRX_MAX_NDIM];
    struct npy npy = { .type = drx_dtype(a), .order = order, .ndim = kept_axes(s, axes) };
    struct target target;
    struct slabs slabs;
    struct progress progress;
    int64_t total;
    int status = DONE;

    if (!open_target(&target, name))
        return FAILED;
    npy.name = target.name;
    npy.fd = target.fd;
    npy.pipe = target.pipe;
    keep_axes(s, s->count, npy.shape);
    total = cut_selection(&slabs, a, s, order, npy.pipe);
    begin_progress(&progress, total);
    if (!npy_write_header(&npy))
        status = FAILED;
    else if (total > 0)
        status = pour(a, s, &slabs, take_npy, &npy, &progress);
    hide_progress();
    return close_target(&target, status);
}
