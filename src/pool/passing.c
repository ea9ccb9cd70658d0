#include "pool/passing.h"

static drxi_io *inner_of(drxi_io *io)
{
    return ((struct drxi_passing *)io)->inner;
}

drx_status drxi_pass_size(drxi_io *io, int64_t *bytes)
{
    return inner_of(io)->ops->size(inner_of(io), bytes);
}

drx_status drxi_pass_reserve(drxi_io *io, int64_t begin, int64_t end)
{
    return inner_of(io)->ops->reserve(inner_of(io), begin, end);
}

drx_status drxi_pass_punch(drxi_io *io, int64_t begin, int64_t end)
{
    return inner_of(io)->ops->punch(inner_of(io), begin, end);
}

drx_status drxi_pass_sync(drxi_io *io)
{
    return inner_of(io)->ops->sync(inner_of(io));
}

drx_status drxi_pass_extent(drxi_io *io, int64_t offset, int64_t *begin, int64_t *end)
{
    return inner_of(io)->ops->extent(inner_of(io), offset, begin, end);
}

drx_status drxi_pass_lock(drxi_io *io, enum drxi_lock kind)
{
    return inner_of(io)->ops->lock(inner_of(io), kind);
}

void drxi_pass_unlock(drxi_io *io)
{
    inner_of(io)->ops->unlock(inner_of(io));
}

drx_status drxi_pass_locked(drxi_io *io, bool *locked)
{
    return inner_of(io)->ops->locked(inner_of(io), locked);
}

drx_status drxi_pass_stamp(drxi_io *io, uint64_t *stamp)
{
    return inner_of(io)->ops->stamp(inner_of(io), stamp);
}

drx_status drxi_pass_named(drxi_io *io, bool *named)
{
    return inner_of(io)->ops->named(inner_of(io), named);
}

drx_status drxi_pass_park(drxi_io *io)
{
    return inner_of(io)->ops->park(inner_of(io));
}

drx_status drxi_pass_name(drxi_io *io)
{
    return inner_of(io)->ops->name(inner_of(io));
}

void drxi_pass_keep(drxi_io *io)
{
    inner_of(io)->ops->keep(inner_of(io));
}

drx_status drxi_pass_sole(drxi_io *io)
{
    return inner_of(io)->ops->sole(inner_of(io));
}

drx_status drxi_pass_alias(drxi_io *io, struct drxi_alias *out)
{
    return inner_of(io)->ops->alias(inner_of(io), out);
}

drx_status drxi_pass_guard(drxi_io *io, int64_t begin, int64_t end, bool on)
{
    return inner_of(io)->ops->guard(inner_of(io), begin, end, on);
}
