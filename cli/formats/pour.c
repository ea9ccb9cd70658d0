#include "pour.h"

#include <stdlib.h>

#include "arrays/slabs.h"

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
