/* Calls of struct drxi_io_ops for kinds of files that lack a feature. */
#ifndef DRXI_LACKING_H
#define DRXI_LACKING_H

#include "io/io.h"

static inline drx_status drxi_no_view(drxi_io *io, struct drxi_view *view)
{
    (void)io;
    view->base = NULL;
    return DRX_OK;
}

static inline void drxi_no_unlock(drxi_io *io)
{
    (void)io;
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

#endif
