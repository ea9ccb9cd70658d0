/* Repairing an array: what the files of this part share.
 *
 *   repair.c      from the lock to the last report
 *   repair_log.c  a log that is damaged: each gap in it, in place or by a new log
 *   repair_gap.c  one gap: what a record in it was, and proving it; what growth there can have been */
#ifndef DRXI_REPAIR_H
#define DRXI_REPAIR_H

#include "array/array.h"
#include "drx_tools.h"

struct drxi_repair {
    drx_array *a; /* its metadata are locked */
    drx_report report;
    void *user;
};

/* Tell what was done, or why something was not. */
void drxi_repaired(struct drxi_repair *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- repair_log.c ----------------------------------------------------------------------- */

/* Mend the description of a->meta; *done tells whether it could be. */
drx_status drxi_repair_description(struct drxi_repair *r, bool *done);
/* Mend the log, of which the state has the longest valid prefix, that damage follows: *done. The array is to be opened
 * again after it. When it cannot be done, nothing has changed, and it has been told why. */
drx_status drxi_repair_log(struct drxi_repair *r, bool *done);

/* ---- repair_gap.c ------------------------------------------------------------------------ */

/* Bytes of a log in memory, those of the gap in them: from the end of the records that were applied to `state` up to
 * the next valid one, which shows how many were lost, and the CRC of the last of them. */
struct drxi_gap {
    struct drxi_state *state;
    uint8_t *bytes;
    int64_t n;
    int64_t begin, end;
    uint64_t lost; /* records */
    uint32_t last_crc;
    bool ambiguous; /* more than one guess at a record has its CRC */
};

/* The next gap; false: no valid record follows, or none of this chain. */
bool drxi_gap_find(struct drxi_state *state, uint8_t *bytes, int64_t n, struct drxi_gap *gap);
/* Find what the first record in the gap was; when its CRC proves it, it stands in its place again. Returns its bytes,
 * or 0. */
size_t drxi_gap_prove(struct drxi_gap *gap);
/* Find what growth was lost: steps[], one for each axis that grew, *n of them. False: that is not certain from what
 * follows. */
bool drxi_gap_bridge(const struct drxi_gap *gap, struct drxi_growth steps[], int *n);

#endif
