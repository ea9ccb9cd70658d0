/* A file in front of another one, and the calls that it passes on. */
#ifndef DRXI_PASSING_H
#define DRXI_PASSING_H

#include "io/io.h"

/* What such a file begins with. */
struct drxi_passing {
    drxi_io io;
    drxi_io *inner;
};

drx_status drxi_pass_size(drxi_io *io, int64_t *bytes);
drx_status drxi_pass_reserve(drxi_io *io, int64_t begin, int64_t end);
drx_status drxi_pass_punch(drxi_io *io, int64_t begin, int64_t end);
drx_status drxi_pass_sync(drxi_io *io);
drx_status drxi_pass_extent(drxi_io *io, int64_t offset, int64_t *begin, int64_t *end);
drx_status drxi_pass_lock(drxi_io *io, enum drxi_lock kind);
void drxi_pass_unlock(drxi_io *io);
drx_status drxi_pass_locked(drxi_io *io, bool *locked);
drx_status drxi_pass_stamp(drxi_io *io, uint64_t *stamp);
drx_status drxi_pass_named(drxi_io *io, bool *named);
drx_status drxi_pass_park(drxi_io *io);
drx_status drxi_pass_name(drxi_io *io);
void drxi_pass_keep(drxi_io *io);
drx_status drxi_pass_sole(drxi_io *io);
drx_status drxi_pass_alias(drxi_io *io, struct drxi_alias *out);
drx_status drxi_pass_guard(drxi_io *io, int64_t begin, int64_t end, bool on);

#endif
