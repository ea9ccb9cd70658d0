/* What the files of a repair share.
 *
 *   repair.c      from the lock to the last report
 *   repair_lone.c the log: its head, and what does not count */
#ifndef DRXI_REPAIR_H
#define DRXI_REPAIR_H

#include "array/array.h"

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

/* Make entries of checksums that are missing or damaged; check_sums.c. */
drx_status drxi_repair_sums(struct drxi_repair *r);

/* ---- repair_lone.c ----------------------------------------------------------------------- */

/* Put back the head, if the records prove it. *done: open the array again. Keeps the detail otherwise. */
drx_status drxi_repair_head(struct drxi_repair *r, bool *done);
/* A log that is damaged: tell what it loses, and keep a copy of it. *cut is false when it may not be cut; then the
 * reason was reported. */
drx_status drxi_prepare_cut(struct drxi_repair *r, bool data_damaged, bool *cut);
/* Cut it behind what counts, durably, when the data are as they were then. */
drx_status drxi_cut_log(struct drxi_repair *r);
/* Report what the next writer drops behind what counts. */
drx_status drxi_tell_dropped(struct drxi_repair *r);

#endif
