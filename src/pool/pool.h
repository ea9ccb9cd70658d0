/* The buffer pool gathers single-element writes, so that neighbours are written together.
 *
 * Invariants
 *   1. A frame keeps the elements that were put, and a dirty bit for each. It never reads or writes the rest of its
 *      block.
 *   2. An element is dirty in at most one frame; the file has the current value of all others.
 *   3. Frames take no more memory than the bound.
 *
 * Every call locks the pool. */
#pragma once

#include "io/io.h"

typedef struct drxi_pool drxi_pool;

/* A pool in front of `io` (not owned) for elements of item_bytes that lie at multiples of item_bytes. With
 * bound_bytes 0, or elements whose size is not a power of two, it takes no puts. */
drx_status drxi_pool_new(drxi_io *io, size_t item_bytes, size_t bound_bytes, drxi_pool **out);
void drxi_pool_free(drxi_pool *pool); /* drops dirty elements; NULL is fine */

/* Write through `io` from now on. */
void drxi_pool_redirect(drxi_pool *pool, drxi_io *io);

/* Take the element at `offset`; *taken is false when it takes no puts. */
drx_status drxi_pool_put(drxi_pool *pool, int64_t offset, const void *element, bool *taken);
/* Copy the element at `offset` if it is dirty. */
bool drxi_pool_get(drxi_pool *pool, int64_t offset, void *element);
/* Write all dirty elements. After a failure, the rest stays dirty. */
DRXI_SHARED drx_status drxi_pool_flush(drxi_pool *pool);
/* Flush the pool, then change the bound. */
drx_status drxi_pool_bound(drxi_pool *pool, size_t bound_bytes);
