/* Looks for trims: where they look, and what they have seen. live.c */
#pragma once

#include "array/array.h"

/* A file to look at. */
struct drxi_lookout {
    struct drxi_lookout *older;
    drxi_io *io;
    bool owned; /* a log that has replaced the one of the handle */
    struct drxi_view view;
};

/* The log, as a file; NULL: nothing to look at. */
static inline drxi_io *drxi_watched_log(const drx_array *a)
{
    return a->replica ? a->watch.log : a->log.io;
}
static inline drxi_io *drxi_watched_now(const drx_array *a)
{
    return atomic_load(&a->watch.now)->io;
}

/* ---- lookout.c ---- */

/* Nothing of the handle was trimmed yet, as far as it knows. */
void drxi_lookout_start(drx_array *a);
/* The next look reads the log, not the words alone. */
void drxi_lookout_slow(struct drxi_watch *w);
/* Look at another file, or at the same one in another way, from now on. */
drx_status drxi_lookout_post(struct drxi_watch *w, drxi_io *io, bool owned, bool mapped);
/* A look has ended. While the file has these words, nothing has come; `slow`: they do not tell. */
drx_status drxi_lookout_settle(drx_array *a, const uint64_t word[2], bool slow);
/* After elements were read. *quiet: nothing has come since the last look. */
drx_status drxi_lookout_check(struct drxi_watch *w, bool *quiet);
void drxi_lookout_free(struct drxi_watch *w);

/* ---- live.c ---- */

/* Begin where the state of the handle ends. After a failure the next look begins again. */
drx_status drxi_live_begin(drx_array *a);
/* See what has come until nothing comes any more; the caller holds watch.lock. */
drx_status drxi_live_look(drx_array *a);
