/* The handles of an array that several processes have open together (libdrxmp). One of them, the root's, reads and
 * writes the log; the others are replicas, which know the log from the root and share only the data file.
 *
 * Invariants
 *   1. All have the same state, but for what only the log's writer needs: after each change the root tells how far its
 *      log goes now, and a replica that made the same change is there, too.
 *   2. The program changes none of them by the calls of drx.h: `parallel` is set. */
#ifndef DRXI_REPLICA_H
#define DRXI_REPLICA_H

#include "array/array.h"

DRXI_SHARED void drxi_set_parallel(drx_array *a, bool parallel);
/* So many processes may have it open on one machine. */
DRXI_SHARED void drxi_share_machine(drx_array *a, int processes);

/* How far the log goes. */
struct drxi_log_end {
    int64_t bytes;
    uint64_t sequence;
    uint32_t crc;
    bool at_sync;
};
DRXI_SHARED struct drxi_log_end drxi_get_log_end(const drx_array *a);
DRXI_SHARED void drxi_set_log_end(drx_array *a, struct drxi_log_end end);

/* The valid bytes of the log from `from` on; 0: all, with the description. Free with drxi_free. */
DRXI_SHARED drx_status drxi_read_log(const drx_array *a, int64_t from, uint8_t **bytes, int64_t *n);
/* Open the data of `path`, whose log that is: by their names, or, of a temporary array, by the root's aliases. */
DRXI_SHARED drx_status drxi_open_replica(const char *path, bool writable, const struct drxi_alias aliases[],
                                         const uint8_t *bytes, int64_t n, drx_array **out);
/* Apply bytes of the log: those that follow on, or all, when it is another now. */
DRXI_SHARED drx_status drxi_follow_log(drx_array *a, int64_t from, const uint8_t *bytes, int64_t n);
/* Let the data go through `io`, which is another way to the same file and belongs to the array now. Returns the one
 * that it had, the caller's. The gate is shut. */
DRXI_SHARED drxi_io *drxi_redirect_data(drx_array *a, drxi_io *io);

#endif
