/* Putting chunks together that several ranks take part of; and reading and writing for ranks that do not. */
#ifndef DRXI_EXCHANGE_H
#define DRXI_EXCHANGE_H

#include "mp/move/selection.h"
#include "mp/mp.h"

struct drxi_exchange;

/* What each rank moves: sets[rank * ndim + axis]; an empty set: nothing. */
struct drxi_part_of_all {
    MPI_Comm comm; /* for the pieces */
    bool writing;
    bool plain; /* what this rank takes is a box that it moves itself, but for the chunks below */
    const struct drxi_axis_set *sets;
    uint8_t *mem;                /* local index 0 on all axes */
    const int64_t *stride_bytes; /* of a local index */
};

/* Plan it; all memory is taken here. Local. */
drx_status drxi_exchange_new(drxmp_array *m, const struct drxi_part_of_all *part, struct drxi_exchange **out);

/* Go on, until it is done or, unless `wait`, something is waited for. true: done. What fails is noted, and the exchange
 * goes on: others wait for this rank. */
bool drxi_exchange_step(struct drxi_exchange *ex, bool wait);

/* How it went, once it is done; and, of a plain part, the addresses of the chunks that were moved here. */
drx_status drxi_exchange_status(const struct drxi_exchange *ex);
const int64_t *drxi_exchange_chunks(const struct drxi_exchange *ex, int64_t *n);
void drxi_exchange_free(struct drxi_exchange *ex); /* NULL is fine */

#endif
