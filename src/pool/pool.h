/* The buffer pool: gathers single-element writes, so that neighbours go to the
 * file together.
 *
 * Invariants
 *   1. A frame keeps the elements that were put, and a bit for each: dirty
 *      ranges, never a whole block. What was not put is not read, not known and
 *      not written.
 *   2. An element is dirty in at most one frame; what is not dirty is as the
 *      file has it.
 *   3. Frames take no more memory than the bound.
 *
 * Threads: every call locks the pool. */
#ifndef DRXI_POOL_H
#define DRXI_POOL_H

#include "io/io.h"

typedef struct drxi_pool drxi_pool;

/* A pool in front of `io` (not owned) for elements of item_bytes that lie at
 * multiples of item_bytes. bound_bytes 0: puts are not taken. */
drx_status drxi_pool_new(drxi_io *io, size_t item_bytes, size_t bound_bytes, drxi_pool **out);
void drxi_pool_free(drxi_pool *pool); /* forgets what is dirty; NULL is fine */

/* Write through `io` from now on. */
void drxi_pool_redirect(drxi_pool *pool, drxi_io *io);

/* Take the element for `offset`; *taken is false when the bound has no room. */
drx_status drxi_pool_put(drxi_pool *pool, int64_t offset, const void *element, bool *taken);
/* Copy the element of `offset` if it is dirty. */
bool drxi_pool_get(drxi_pool *pool, int64_t offset, void *element);
/* Write all that is dirty. On failure the rest stays dirty. */
DRXI_SHARED drx_status drxi_pool_flush(drxi_pool *pool);
/* Flush, then keep to another bound. */
drx_status drxi_pool_bound(drxi_pool *pool, size_t bound_bytes);

#endif
