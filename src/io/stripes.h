/* A set of files that is used as one: what its parts are. Any other file is a set of its
 * own, of one. */
#ifndef DRXI_STRIPES_H
#define DRXI_STRIPES_H

#include "io/io.h"

/* Files, in turn, of units of so many bytes. They belong to the set from then on; on
 * failure they are still the caller's. `path` is for messages. A set has no view and no
 * lock; its size is where the last byte of any file ends; a read stops at the first byte
 * that is missing, behind which others may be there: drxi_stripes_gap_end. */
drx_status drxi_stripes_join(drxi_io *const files[], int n, int64_t unit_bytes, const char *path, drxi_io **out);

DRXI_SHARED bool drxi_stripes_are(const drxi_io *io); /* made by drxi_stripes_join */
DRXI_SHARED int drxi_stripes_count(const drxi_io *io);
drxi_io *drxi_stripes_file(drxi_io *io, int k);

/* The file that has the byte, and where. */
drxi_io *drxi_stripes_find(drxi_io *io, int64_t offset, int64_t *at);

/* How many of the first `bytes` bytes file k has; and of which one the byte `at` of it is. */
int64_t drxi_stripes_share(const drxi_io *io, int k, int64_t bytes);
int64_t drxi_stripes_whole(const drxi_io *io, int k, int64_t at);

/* When that byte is behind the end of its file, the first one after it that may be there. */
int64_t drxi_stripes_gap_end(const drxi_io *io, int64_t offset);

#endif
