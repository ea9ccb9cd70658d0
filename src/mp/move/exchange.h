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
