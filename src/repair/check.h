/* What the files of a check share. */
#pragma once

#include "array/array.h"
#include "io/schedule.h"
#include "lone/lone.h"

struct drxi_fold_marks;

struct drxi_check {
    drx_array *a;
    drx_report report;
    void *user;
    drx_progress progress;
    void *progress_user;
    int64_t done, total; /* bytes */
    int64_t errors;
    bool busy;                     /* a writer has the array open */
    bool damaged;                  /* the log is damaged, and only a part of it known */
    struct drxi_fold_marks *marks; /* chunks that matched their checksums as the data were read; NULL: none are kept */
};

/* Report a finding. */
void drxi_found(struct drxi_check *c, drx_severity severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The severity of a finding that the next writer repairs: a note while a writer is at work, which may be making it,
 * else a warning. */
drx_severity drxi_transient_severity(const struct drxi_check *c);

/* Check that F* and its inverse agree, for all chunks or for a part that is reported, and that the segments follow
 * each other without gaps. */
drx_status drxi_check_map(struct drxi_check *c);

/* Report which chunks are missing from file k of the data, whose `size` is less than the last SYNC promised. */
void drxi_tell_missing(struct drxi_check *c, int k, int64_t size);

/* Check that all that the first `size` bytes of the data store can be read, that cells outside the bounds hold the
 * fill, and that padding is zero. */
drx_status drxi_check_data(struct drxi_check *c, int64_t size);

/* Of a compressed array: the table, and payloads. */
drx_status drxi_check_packed(struct drxi_check *c);

/* Check that chunks match their checksums, if there are any. */
drx_status drxi_check_sums(struct drxi_check *c);

/* Report what follows the records that count. The detail is that of DRXI_DAMAGED. */
drx_status drxi_check_rest(struct drxi_check *c, enum drxi_tail tail);

/* All that is stored of the elements, and the map. */
drx_status drxi_check_elements(struct drxi_check *c);
/* drx_check of a lone array. */
drx_status drxi_check_lone(const char *path, drx_report report, void *user, drx_progress progress, void *progress_user);

/* ---- check_ahead.c ---- */

struct drxi_ahead {
    struct drxi_data *data;
    int64_t size;
    struct drxi_stored stored;
    struct drxi_schedule reads;
    bool over; /* all reads were sent */
    int64_t skipped;
};

/* Read what the first `size` bytes of the data store, in order; holes: treat holes as stored. To be closed, also after
 * a failure. */
drx_status drxi_ahead_open(struct drxi_ahead *r, struct drxi_data *data, int64_t size, bool holes);
/* Get the next piece, of whole elements, until the next call; *out is NULL after the last one. */
drx_status drxi_ahead_next(struct drxi_ahead *r, struct drxi_fetch **out);
/* Leave out what lies before `to`. */
void drxi_ahead_skip(struct drxi_ahead *r, int64_t to);

/* ---- check_fold.c ---- */

/* Make marks of chunks, none of which is set; *out is NULL for data without checksums. */
drx_status drxi_marks_new(struct drxi_data *data, struct drxi_fold_marks **out);
/* Note bytes that were read, in the order of the file. Those between two calls are in holes. */
void drxi_marks_fold(struct drxi_fold_marks *m, int64_t offset, const uint8_t *bytes, int64_t n);
/* What follows up to `end` could not be read. */
void drxi_marks_lack(struct drxi_fold_marks *m, int64_t end);
/* Nothing follows. */
void drxi_marks_end(struct drxi_fold_marks *m);
bool drxi_marks_has(const struct drxi_fold_marks *m, int64_t address);
void drxi_marks_free(struct drxi_fold_marks *m);

/* ---- repair.c: What the files of a repair share.
 *
 *   repair.c      from the lock to the last report
 *   repair_lone.c the log: its head, and what does not count */

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

/* ---- log_rest.c: What follows the records that count in the log of a lone array (spec/drx-format.md, 5.1 and 5.2):
 * for a check, and for a repair. */

/* The last bound of an axis that a record there tells. */
struct drxi_said {
    int64_t bound;
    uint64_t by; /* the number of the record; 0: none */
};

struct drxi_log_rest {
    const struct drxi_log *log;
    struct drxi_log_place end;  /* of what counts */
    struct drxi_log_place open; /* of the records behind it that are next in the chain; `end`: there are none */
    int64_t size;               /* of the file */
    int64_t whole;              /* records behind `end` that are whole, in the chain or not */
    uint64_t last;              /* the number of the last one; 0: none */
    uint64_t later;             /* of one that a later version wrote; 0: none */
    int64_t n[DRXI_LOG_KINDS];  /* by kind */
    struct drxi_said said[2][DRX_MAX_NDIM]; /* by end */
    bool trimmed;                           /* a TRIM is among them, or was: a live word has its number */
};

drx_status drxi_log_rest_look(const struct drxi_log *log, struct drxi_log_rest *out);
/* The records of the open transaction, without the growth that the state knows as an append. */
uint64_t drxi_log_rest_open(const struct drxi_log_rest *rest);
/* Tell, line by line, what cutting a damaged log behind what counts loses; or why it is not cut: rest->later. */
void drxi_log_rest_tell(const struct drxi_log_rest *rest, void (*tell)(void *user, const char *text), void *user);
