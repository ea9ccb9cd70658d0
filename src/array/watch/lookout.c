#include "array/watch/lookout.h"

enum { CHECKS_BEFORE_VIEW = 8 };

void drxi_lookout_slow(struct drxi_watch *w)
{
    atomic_store(&w->place, NULL);
    atomic_store(&w->slow, true);
}

void drxi_lookout_start(drx_array *a)
{
    struct drxi_watch *w = &a->watch;

    drxi_lookout_slow(w); /* until a look has noted where it ended, no quick check tells */
    atomic_store(&w->checks, 0);
    w->lost = false;
    w->ndim = a->log.state.desc.ndim;
    for (int j = 0; j < DRX_MAX_NDIM; j++) {
        w->kept[DRXI_LOW][j] = INT64_MIN;
        w->kept[DRXI_HIGH][j] = INT64_MAX;
    }
}

drx_status drxi_lookout_post(struct drxi_watch *w, drxi_io *io, bool owned, bool mapped)
{
    struct drxi_lookout *l = drxi_calloc(1, sizeof *l);

    if (!l)
        return DRX_ENOMEM;
    l->older = atomic_load(&w->now);
    l->io = io;
    l->owned = owned;
    if (mapped && io->cost.mapped && io->ops->view(io, &l->view))
        l->view.base = NULL;
    atomic_store(&w->now, l);
    return DRX_OK;
}

/* Whether the words are mapped. */
static bool is_mapped(const struct drxi_lookout *l)
{
    return l->view.base && DRXI_LIVE_AT + DRXI_LIVE_BYTES <= l->view.room;
}

drx_status drxi_lookout_check(struct drxi_watch *w, bool *quiet)
{
    const struct drxi_lookout *l = atomic_load_explicit(&w->now, memory_order_acquire);
    uint64_t word[2] = { 0, 0 };
    drx_status st = DRX_OK;
    size_t got;

    *quiet = false;
    atomic_thread_fence(memory_order_acquire); /* after the elements */
    if (!l || atomic_load_explicit(&w->slow, memory_order_acquire))
        return DRX_OK;
    *quiet = l->io->pinned; /* of a server's file they are not fetched: the log tells */
    if (*quiet)
        return DRX_OK;
    if (!is_mapped(l) || !drxi_view_get(&l->view, DRXI_LIVE_AT, word, sizeof word))
        st = l->io->ops->read(l->io, word, sizeof word, DRXI_LIVE_AT, &got);
    *quiet =
        !st && drxi_watch_same(w, word) && (l->view.base || atomic_fetch_add(&w->checks, 1) + 1 < CHECKS_BEFORE_VIEW);
    return st;
}

drx_status drxi_lookout_settle(drx_array *a, const uint64_t word[2], bool slow)
{
    struct drxi_watch *w = &a->watch;
    const struct drxi_lookout *l = atomic_load(&w->now);
    drx_status st;

    if (atomic_load(&w->checks) >= CHECKS_BEFORE_VIEW) {
        if ((st = drxi_lookout_post(w, l->io, false, true)))
            return st;
        atomic_store(&w->checks, INT32_MIN); /* once */
        l = atomic_load(&w->now);
    }
    atomic_store(&w->word[0], word[0]);
    atomic_store(&w->word[1], word[1]);
    atomic_store(&w->slow, slow); /* last: a quick check believes the others when it is false */
    if (!slow && !atomic_load(&w->cut) && is_mapped(l))
        atomic_store(&w->place, drxi_view_at(&l->view, DRXI_LIVE_AT));
    return DRX_OK;
}

void drxi_lookout_free(struct drxi_watch *w)
{
    struct drxi_lookout *l = atomic_load(&w->now);

    atomic_store(&w->now, NULL);
    while (l) {
        struct drxi_lookout *const older = l->older;

        if (l->view.base)
            drxi_view_close(&l->view);
        if (l->owned)
            (void)l->io->ops->close(l->io);
        drxi_free(l);
        l = older;
    }
}
