/* What the files of a check share. */
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
    bool busy;    /* a writer has the array open */
    bool damaged; /* the log is damaged, and only a part of it known */
};

/* Report a finding. */
void drxi_found(struct drxi_check *c, drx_severity severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The severity of a finding that the next writer mends: a note while a writer is at work, which may be making it, else
 * a warning. */
drx_severity drxi_transient_severity(const struct drxi_check *c);

/* Check that F* and its inverse agree, for all chunks or for a part that is reported, and that the segments follow
 * each other without gaps. */
drx_status drxi_check_map(struct drxi_check *c);

/* Report which chunks are missing from file k of the data, whose `size` is less than the last SYNC promised. */
void drxi_tell_missing(struct drxi_check *c, int k, int64_t size);

/* Check that all that the first `size` bytes of the data store can be read, that cells outside the bounds hold the
 * fill, and that padding is zero. */
drx_status drxi_check_data(struct drxi_check *c, int64_t size);

/* Check that chunks match their checksums, if there are any. */
/* Of a compressed array: the table, and payloads. */
drx_status drxi_check_packed(struct drxi_check *c);
drx_status drxi_check_sums(struct drxi_check *c);

#endif
