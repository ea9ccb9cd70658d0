/* Reading and writing chunks that several ranks take part in, and doing I/O for ranks that do none themselves. */
#ifndef DRXI_EXCHANGE_H
#define DRXI_EXCHANGE_H

#include "mp/move/selection.h"
#include "mp/mp.h"

struct drxi_exchange;

struct drxi_part_of_all {
    MPI_Comm comm; /* for the pieces */
    bool writing;
    bool plain; /* this rank takes a box, and moves it by itself except for drxi_exchange_chunks */
    const struct drxi_axis_set *sets; /* [ranks][ndim], what each rank takes; an empty set: nothing */
    uint8_t *mem;                     /* local index 0 on all axes */
    const int64_t *stride_bytes;      /* of a local index */
};

/* ---- chunks.c: the chunks that a rank takes part in ---- */

/* The smallest box of chunks first <= i < end with all that the sets, one for each axis, have; false when that is
 * nothing. */
bool drxi_chunks_hull(const drx_array *a, const struct drxi_axis_set sets[], int64_t first[], int64_t end[]);
/* Visit those of the chunks in first <= i < end that have something of the sets. */
void drxi_chunks_start(struct drxi_cursor *c, const drx_array *a, const struct drxi_axis_set sets[],
                       const int64_t first[], const int64_t end[]);
/* Whether each rank does its own I/O; otherwise some do it for all. */
static inline bool drxi_all_do_io(const drxmp_array *m)
{
    return !m->home && m->settings.io_ranks == m->ranks;
}

/* The rank that is number `which` of those that do I/O. */
static inline int drxi_io_rank(const drxmp_array *m, int64_t which)
{
    return (int)(which * m->ranks / m->settings.io_ranks);
}

/* ---- packed.c ---- */

/* Write to a compressed array; `st` is this rank's so far, and a failure of one ends it on all. Collective. */
drx_status drxi_packed_write_all(drxmp_array *m, const struct drxi_part_of_all *part, drx_status st);

/* ---- close_passed.c ---- */

/* Close the chunks of a compressed array that `what` gives the closer: the same on all ranks. Collective. */
drx_status drxi_packed_close(drxmp_array *m, drxi_close_what *what, const void *arg);

/* ---- exchange.c ---- */

/* Plan an exchange and allocate all of its memory. Local. */
drx_status drxi_exchange_new(drxmp_array *m, const struct drxi_part_of_all *part, struct drxi_exchange **out);

/* Continue until the exchange is done; without `wait`, stop where it would wait. Returns whether it is done. After a
 * failure the exchange continues, because other ranks wait for this one. */
bool drxi_exchange_step(struct drxi_exchange *ex, bool wait);

/* After the exchange: its status, and the addresses of the chunks of a plain part that it has moved. */
drx_status drxi_exchange_status(const struct drxi_exchange *ex);
const int64_t *drxi_exchange_chunks(const struct drxi_exchange *ex, int64_t *n);
void drxi_exchange_free(struct drxi_exchange *ex); /* NULL is fine */

#endif
