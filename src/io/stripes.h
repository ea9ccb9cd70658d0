/* A set of files that acts as one file. Any other file counts as a set of one. */
#pragma once

#include "io/io.h"

/* Join n files. Units of unit_bytes go to the files in turn. The set owns them; on failure the caller does. `path` is
 * for messages. A set has no lock. Its size reaches to the last byte that any file has. A read stops at the
 * first missing byte, although others may follow (drxi_stripes_gap_end). */
drx_status drxi_stripes_join(drxi_io *const files[], int n, int64_t unit_bytes, const char *path, drxi_io **out);

int drxi_stripes_count(const drxi_io *io);
drxi_io *drxi_stripes_file(drxi_io *io, int k);

/* The file that has the byte, and the offset there. */
drxi_io *drxi_stripes_find(drxi_io *io, int64_t offset, int64_t *at);

/* How many of the first `bytes` bytes of the set file k holds; the offset in the set of byte `at` of file k. */
int64_t drxi_stripes_share(const drxi_io *io, int k, int64_t bytes);
int64_t drxi_stripes_whole(const drxi_io *io, int k, int64_t at);

/* For a byte beyond the end of its file: the offset of the next byte that may exist. */
int64_t drxi_stripes_gap_end(const drxi_io *io, int64_t offset);
