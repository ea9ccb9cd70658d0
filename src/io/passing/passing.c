#include "io/passing/passing.h"

static drx_status pass_read(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got)
{
    return drxi_passed_to(io)->ops->read(drxi_passed_to(io), buf, n, offset, got);
}

static drx_status pass_write(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    return drxi_passed_to(io)->ops->write(drxi_passed_to(io), buf, n, offset);
}

static drx_status pass_resize(drxi_io *io, int64_t bytes)
{
    return drxi_passed_to(io)->ops->resize(drxi_passed_to(io), bytes);
}

static drx_status pass_size(drxi_io *io, int64_t *bytes)
{
    return drxi_passed_to(io)->ops->size(drxi_passed_to(io), bytes);
}

static drx_status pass_reserve(drxi_io *io, int64_t begin, int64_t end)
{
    return drxi_passed_to(io)->ops->reserve(drxi_passed_to(io), begin, end);
}

static drx_status pass_punch(drxi_io *io, int64_t begin, int64_t end)
{
    return drxi_passed_to(io)->ops->punch(drxi_passed_to(io), begin, end);
}

static drx_status pass_sync(drxi_io *io)
{
    return drxi_passed_to(io)->ops->sync(drxi_passed_to(io));
}

static drx_status pass_extent(drxi_io *io, int64_t offset, int64_t *begin, int64_t *end)
{
    return drxi_passed_to(io)->ops->extent(drxi_passed_to(io), offset, begin, end);
}

static drx_status pass_lock(drxi_io *io, enum drxi_lock kind)
{
    return drxi_passed_to(io)->ops->lock(drxi_passed_to(io), kind);
}

static void pass_unlock(drxi_io *io)
{
    drxi_passed_to(io)->ops->unlock(drxi_passed_to(io));
}

static drx_status pass_locked(drxi_io *io, bool *locked)
{
    return drxi_passed_to(io)->ops->locked(drxi_passed_to(io), locked);
}

static drx_status pass_stamp(drxi_io *io, uint64_t *stamp)
{
    return drxi_passed_to(io)->ops->stamp(drxi_passed_to(io), stamp);
}

static drx_status pass_named(drxi_io *io, bool *named)
{
    return drxi_passed_to(io)->ops->named(drxi_passed_to(io), named);
}

static drx_status pass_park(drxi_io *io)
{
    return drxi_passed_to(io)->ops->park(drxi_passed_to(io));
}

static drx_status pass_name(drxi_io *io)
{
    return drxi_passed_to(io)->ops->name(drxi_passed_to(io));
}

static void pass_keep(drxi_io *io)
{
    drxi_passed_to(io)->ops->keep(drxi_passed_to(io));
}

static drx_status pass_sole(drxi_io *io)
{
    return drxi_passed_to(io)->ops->sole(drxi_passed_to(io));
}

static drx_status pass_alias(drxi_io *io, struct drxi_alias *out)
{
    return drxi_passed_to(io)->ops->alias(drxi_passed_to(io), out);
}

static drx_status pass_guard(drxi_io *io, int64_t begin, int64_t end, bool on)
{
    return drxi_passed_to(io)->ops->guard(drxi_passed_to(io), begin, end, on);
}

static drx_status pass_writes(drxi_io *io, enum drxi_writes what)
{
    return drxi_passed_to(io)->ops->writes(drxi_passed_to(io), what);
}

static void pass_push(drxi_io *io, int64_t begin, int64_t end)
{
    drxi_passed_to(io)->ops->push(drxi_passed_to(io), begin, end);
}

static drx_status pass_map(drxi_io *io, int64_t offset, int64_t bytes, struct drxi_mapping *out)
{
    return drxi_passed_to(io)->ops->map(drxi_passed_to(io), offset, bytes, out);
}

/* Files that stand before one table stand before each other's files. */
static drx_status pass_replace(drxi_io *io, drxi_io *old)
{
    return drxi_passed_to(io)->ops->replace(drxi_passed_to(io), drxi_passed_to(old));
}

drxi_io *drxi_pass_leave(drxi_io *io)
{
    drxi_io *inner = drxi_passed_to(io);

    drxi_free(io->path);
    drxi_free(io);
    return inner;
}

static drx_status pass_close(drxi_io *io)
{
    drxi_io *inner = drxi_pass_leave(io);

    return inner->ops->close(inner);
}

drx_status drxi_pass_on(struct drxi_passing *p, drxi_io *inner, const struct drxi_io_ops *own)
{
    char *path;

    if (inner->ops->state && !own->state)
        return drxi_fail(DRX_EUNSUPPORTED,
                         "%s: others may change this file unseen: a device in front of it "
                         "needs its own `state` calls",
                         inner->path);
    path = drxi_strdup(inner->path); /* of its own: the file of an alias gets another one (data/striped.c) */
    if (!path)
        return DRX_ENOMEM;
    p->io = *inner;
    p->io.path = path;
    p->inner = inner;
    p->ops = *own;
    p->io.ops = &p->ops;
    if (!own->where) {
        p->io.cost.depth = 0;
        p->io.cost.direct = p->io.cost.pours = false;
    }
    p->io.cost.mapped = p->io.cost.mapped && own->view;
    p->io.cost.trips = p->io.cost.trips && own->prefetch;
#define PASS(call) p->ops.call = own->call ? own->call : pass_##call
    PASS(read);
    PASS(write);
    PASS(size);
    PASS(resize);
    PASS(reserve);
    PASS(punch);
    PASS(sync);
    PASS(extent);
    PASS(lock);
    PASS(unlock);
    PASS(locked);
    PASS(stamp);
    PASS(named);
    PASS(park);
    PASS(name);
    PASS(keep);
    PASS(sole);
    PASS(replace);
    PASS(alias);
    PASS(close);
    PASS(guard);
#undef PASS
#define PASS_IF(call) p->ops.call = own->call ? own->call : inner->ops->call ? pass_##call : NULL
    PASS_IF(writes);
    PASS_IF(push);
    PASS_IF(map);
#undef PASS_IF
    return DRX_OK;
}
