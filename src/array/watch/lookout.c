#include "array/watch/lookout.h"

enum { GLANCES_BEFORE_VIEW = 8, PAGE_BYTES = 4096, WORDS_BYTES = 16 };

void drxi_lookout_slow(struct drxi_watch *w)
{
    atomic_store(&w->place, NULL);
    atomic_store(&w->slow, true);
}

void drxi_lookout_start(drx_array *a, int words)
{
    struct drxi_watch *w = &a->watch;

    drxi_lookout_slow(w); /* until a look has noted where it ended, no glance tells */
    atomic_store(&w->glances, 0);
    w->words = words;
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
    if (mapped && io->ops->view(io, &l->view))
        l->view.base = NULL;
    atomic_store(&w->now, l);
    return DRX_OK;
}

/* Whether the words are mapped. One that does not belong to the file may, at the begin of a page, lie behind its end; two
 * are loaded in any case. */
static bool is_mapped(const struct drxi_watch *w, const struct drxi_lookout *l, int64_t at)
{
    const int64_t in_page = at % PAGE_BYTES;

    return l->view.base && (w->words == 2 || (in_page != 0 && in_page <= PAGE_BYTES - WORDS_BYTES)) &&
           at + WORDS_BYTES <= l->view.room;
}

drx_status drxi_lookout_glance(struct drxi_watch *w, bool *quiet)
{
    const struct drxi_lookout *l = atomic_load_explicit(&w->now, memory_order_acquire);
    uint64_t word[2] = { 0, 0 };
    drx_status st = DRX_OK;
    size_t n, got;
    int64_t at;

    *quiet = false;
    atomic_thread_fence(memory_order_acquire); /* after the elements */
    if (!l || atomic_load_explicit(&w->slow, memory_order_acquire))
        return DRX_OK;
    *quiet = l->io->remote && w->words == 2; /* of a server's file they are not fetched: the log tells */
    if (*quiet)
        return DRX_OK;
    at = atomic_load_explicit(&w->at, memory_order_acquire);
    n = (size_t)w->words * sizeof *word;
    if (!is_mapped(w, l, at) || !drxi_view_get(&l->view, at, word, n))
        st = l->io->ops->read(l->io, word, n, at, &got);
    *quiet =
        !st && drxi_watch_same(w, word) && (l->view.base || atomic_fetch_add(&w->glances, 1) + 1 < GLANCES_BEFORE_VIEW);
    return st;
}

drx_status drxi_lookout_settle(drx_array *a, int64_t at, const uint64_t word[2], bool slow)
{
    struct drxi_watch *w = &a->watch;
    const struct drxi_lookout *l = atomic_load(&w->now);
    drx_status st;

    if (atomic_load(&w->glances) >= GLANCES_BEFORE_VIEW) {
        if ((st = drxi_lookout_post(w, l->io, false, true)))
            return st;
        atomic_store(&w->glances, INT32_MIN); /* once */
        l = atomic_load(&w->now);
    }
    atomic_store(&w->word[0], word[0]);
    atomic_store(&w->word[1], word[1]);
    atomic_store(&w->at, at);
    atomic_store(&w->slow, slow); /* last: a glance believes the others when it is false */
    if (!slow && !atomic_load(&w->cut) && !drxi_watched_log(a)->remote && is_mapped(w, l, at))
        atomic_store(&w->place, drxi_view_at(&l->view, at));
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
