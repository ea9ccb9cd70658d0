/* Calls of struct drxi_io_ops for kinds of files that lack a feature. */
#pragma once

#include "io/io.h"

static inline void drxi_no_unlock(drxi_io *io)
{
    (void)io;
}

/* Nobody else can reach the file. */
static inline drx_status drxi_no_lock(drxi_io *io, enum drxi_lock kind)
{
    (void)io, (void)kind;
    return DRX_OK;
}

/* Writers lock the metadata instead. */
static inline drx_status drxi_refuse_lock(drxi_io *io, enum drxi_lock kind)
{
    (void)kind;
    return drxi_fail(DRX_EUNSUPPORTED, "%s: has no lock", io->path);
}

static inline drx_status drxi_refuse_guard(drxi_io *io, int64_t begin, int64_t end, bool on)
{
    (void)begin, (void)end, (void)on;
    return drxi_refuse_lock(io, DRXI_LOCK_ALONE);
}

static inline drx_status drxi_no_reserve(drxi_io *io, int64_t begin, int64_t end)
{
    (void)io, (void)begin, (void)end;
    return DRX_OK;
}

static inline drx_status drxi_no_sync(drxi_io *io)
{
    (void)io;
    return DRX_OK;
}

static inline void drxi_no_keep(drxi_io *io)
{
    (void)io;
}

static inline drx_status drxi_no_stamp(drxi_io *io, uint64_t *stamp)
{
    (void)io;
    *stamp = 0;
    return DRX_OK;
}

static inline drx_status drxi_always_named(drxi_io *io, bool *named)
{
    (void)io;
    *named = true;
    return DRX_OK;
}

static inline drx_status drxi_never_locked(drxi_io *io, bool *locked)
{
    (void)io;
    *locked = false;
    return DRX_OK;
}

static inline drx_status drxi_no_sole(drxi_io *io)
{
    return drxi_fail(DRX_EUNSUPPORTED, "%s: has no name of its own", io->path);
}

static inline drx_status drxi_no_replace(drxi_io *io, drxi_io *old)
{
    (void)old;
    return drxi_no_sole(io);
}

static inline drx_status drxi_no_alias(drxi_io *io, struct drxi_alias *out)
{
    (void)out;
    return drxi_fail(DRX_EUNSUPPORTED, "%s: other processes cannot open it", io->path);
}
