/* Checking an array: what the files of this part share. */
#ifndef DRXI_CHECK_H
#define DRXI_CHECK_H

#include "array/array.h"
#include "drx_tools.h"

struct drxi_check {
    drx_array *a;
    drx_report report;
    void *user;
    drx_progress progress;
    void *progress_user;
    int64_t done, total; /* bytes */
    int64_t errors;
    bool busy;    /* a writer is at work */
    bool damaged; /* the log: only a part of it is known */
};

/* Tell a finding. */
void drxi_found(struct drxi_check *c, drx_severity severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What mends itself, or, while a writer is at work, may be its doing. */
drx_severity drxi_passing(const struct drxi_check *c);

/* F* and its inverse agree, for all chunks or a part of them that is told; the
 * segments follow each other without gap. */
drx_status drxi_check_map(struct drxi_check *c);

/* File k of the data has `size` bytes, fewer than the last SYNC promised: which chunks are missing. */
void drxi_tell_missing(struct drxi_check *c, int k, int64_t size);

/* All that the first `size` bytes of the data store can be read; cells outside the
 * bounds hold the fill, padding is zero. */
drx_status drxi_check_data(struct drxi_check *c, int64_t size);

/* Chunks match their checksums, if there are any. */
drx_status drxi_check_sums(struct drxi_check *c);

#endif
