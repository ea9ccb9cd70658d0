/* What the files of a repair share.
 *
 *   repair.c      from the lock to the last report
 *   repair_lone.c a log of format version 2: its head, and what does not count
 *   repair_log.c  a damaged log: each gap in it, in place or by a new log
 *   repair_gap.c  one gap: proving what a record in it was, or which growth there was */
#ifndef DRXI_REPAIR_H
#define DRXI_REPAIR_H

#include "array/array.h"
#include "drx_tools.h"

struct drxi_repair {
    drx_array *a; /* with its metadata locked */
    drx_report report;
    void *user;
    char *kept; /* the name of a copy of the damaged log; NULL: none was made */
    bool cut;   /* the log may have been cut since, and the copy stays */
};

/* Report what was done, or why something was not. */
void drxi_repaired(struct drxi_repair *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* drx_repair of a lone array. */
drx_status drxi_repair_lone(const char *path, drx_report report, void *user, drx_progress progress,
                            void *progress_user);

/* ---- repair_log.c ----------------------------------------------------------------------- */

/* Mend the description; *done tells whether that was possible. */
drx_status drxi_repair_description(struct drxi_repair *r, bool *done);
/* Mend the log: the state has its longest valid prefix, which damage follows. When *done, open the array again.
 * Otherwise nothing has changed, and the reason was reported. */
drx_status drxi_repair_log(struct drxi_repair *r, bool *done);
/* The last record, when one bit of it is wrong. The same. */
drx_status drxi_repair_last(struct drxi_repair *r, bool *done);

/* ---- repair_lone.c ----------------------------------------------------------------------- */

/* Keep the damaged log under a free name, durably; *kept is to be freed. */
drx_status drxi_keep_log(struct drxi_repair *r, char **kept);
/* Put back the head, if the records prove it. *done: open the array again. Keeps the detail otherwise. */
drx_status drxi_repair_head(struct drxi_repair *r, bool *done);
/* A log that is damaged: tell what it loses, and keep a copy of it. *cut is false when it may not be cut; then the
 * reason was reported. */
drx_status drxi_prepare_cut(struct drxi_repair *r, bool data_damaged, bool *cut);
/* Cut it behind what counts, durably, when the data are as they were then. */
drx_status drxi_cut_log(struct drxi_repair *r);
/* Report what the next writer drops behind what counts. */
drx_status drxi_tell_dropped(struct drxi_repair *r);

/* ---- repair_gap.c ------------------------------------------------------------------------ */

/* A gap in the bytes of a log: from the end of the records that were applied to `state` to the next valid record,
 * which shows how many were lost, and the CRC of the last of them. */
struct drxi_gap {
    struct drxi_state *state;
    uint8_t *bytes;
    int64_t n;
    int64_t begin, end;
    uint64_t lost; /* how many records */
    uint32_t last_crc;
    bool ambiguous; /* more than one guess at a record fits the CRC */
};

/* Find the next gap; false: no valid record of this chain follows. */
bool drxi_gap_find(struct drxi_state *state, uint8_t *bytes, int64_t n, struct drxi_gap *gap);
/* Find what the first record in the gap was. When its CRC proves it, put it in its place and return its bytes;
 * otherwise 0. */
size_t drxi_gap_prove(struct drxi_gap *gap);
/* Find the lost growth: *n steps, one for each axis that grew. False: what follows leaves it uncertain. */
bool drxi_gap_bridge(const struct drxi_gap *gap, struct drxi_growth steps[], int *n);

#endif
