/* A table around another one that lets the n-th call fail, for tests. */
#include "io/io.h"

#include <pthread.h>
#include <signal.h>

struct fault_io {
    drxi_io io;
    drxi_io *inner;
};

static struct {
    const struct drxi_files *inner;
    long calls_left; /* 0: not armed */
    int error;
    bool persistent, fired;
    pthread_mutex_t lock; /* helper threads make calls, too */
} fault = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool is_struck(void)
{
    bool struck;

    (void)pthread_mutex_lock(&fault.lock);
    struck = fault.fired ? fault.persistent : fault.calls_left > 0 && --fault.calls_left == 0;
    fault.fired = fault.fired || struck;
    (void)pthread_mutex_unlock(&fault.lock);
    return struck;
}

static drx_status strike(const char *call, const char *path)
{
    if (!is_struck())
        return DRX_OK;
    if (fault.error == 0)
        (void)raise(SIGKILL);
    return drxi_fail_errno(fault.error, "%s: injected fault in %s", path, call);
}

static drxi_io *inner_of(drxi_io *io)
{
    return ((struct fault_io *)io)->inner;
}

static drx_status fault_read(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got)
{
    drx_status st = strike("read", io->path);

    return st ? st : inner_of(io)->ops->read(inner_of(io), buf, n, offset, got);
}

/* A failed write has stored half of its bytes, in whole words of four. */
static drx_status fault_write(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    drx_status st = strike("write", io->path);
    drx_status half;

    if (!st)
        return inner_of(io)->ops->write(inner_of(io), buf, n, offset);
    half = inner_of(io)->ops->write(inner_of(io), buf, n / 8 * 4, offset);
    return half ? half : st;
}

static drx_status fault_size(drxi_io *io, int64_t *bytes)
{
    drx_status st = strike("size", io->path);

    return st ? st : inner_of(io)->ops->size(inner_of(io), bytes);
}

static drx_status fault_resize(drxi_io *io, int64_t bytes)
{
    drx_status st = strike("resize", io->path);

    return st ? st : inner_of(io)->ops->resize(inner_of(io), bytes);
}

static drx_status fault_reserve(drxi_io *io, int64_t begin, int64_t end)
{
    drx_status st = strike("reserve", io->path);

    return st ? st : inner_of(io)->ops->reserve(inner_of(io), begin, end);
}

static drx_status fault_sync(drxi_io *io)
{
    drx_status st = strike("sync", io->path);

    return st ? st : inner_of(io)->ops->sync(inner_of(io));
}

static drx_status fault_extent(drxi_io *io, int64_t offset, int64_t *begin, int64_t *end)
{
    drx_status st = strike("extent", io->path);

    return st ? st : inner_of(io)->ops->extent(inner_of(io), offset, begin, end);
}

static void fault_ahead(drxi_io *io, int64_t offset, int64_t n)
{
    inner_of(io)->ops->ahead(inner_of(io), offset, n);
}

/* Offer no view, so that reads can fail. */
static drx_status fault_view(drxi_io *io, struct drxi_view *view)
{
    (void)io;
    view->base = NULL;
    return DRX_OK;
}

static drx_status fault_lock(drxi_io *io, enum drxi_lock kind)
{
    drx_status st = strike("lock", io->path);

    return st ? st : inner_of(io)->ops->lock(inner_of(io), kind);
}

static void fault_unlock(drxi_io *io)
{
    inner_of(io)->ops->unlock(inner_of(io));
}

static drx_status fault_locked(drxi_io *io, bool *locked)
{
    drx_status st = strike("locked", io->path);

    return st ? st : inner_of(io)->ops->locked(inner_of(io), locked);
}

static drx_status fault_stamp(drxi_io *io, uint64_t *stamp)
{
    drx_status st = strike("stamp", io->path);

    return st ? st : inner_of(io)->ops->stamp(inner_of(io), stamp);
}

static drx_status fault_named(drxi_io *io, bool *named)
{
    drx_status st = strike("named", io->path);

    return st ? st : inner_of(io)->ops->named(inner_of(io), named);
}

static drx_status fault_park(drxi_io *io)
{
    drx_status st = strike("park", io->path);

    return st ? st : inner_of(io)->ops->park(inner_of(io));
}

static drx_status fault_name(drxi_io *io)
{
    drx_status st = strike("name", io->path);

    return st ? st : inner_of(io)->ops->name(inner_of(io));
}

static void fault_keep(drxi_io *io)
{
    inner_of(io)->ops->keep(inner_of(io));
}

static drx_status fault_sole(drxi_io *io)
{
    drx_status st = strike("sole", io->path);

    return st ? st : inner_of(io)->ops->sole(inner_of(io));
}

static drx_status fault_replace(drxi_io *io, drxi_io *old)
{
    drx_status st = strike("replace", io->path);

    return st ? st : inner_of(io)->ops->replace(inner_of(io), inner_of(old));
}

static drx_status fault_alias(drxi_io *io, struct drxi_alias *out)
{
    drx_status st = strike("alias", io->path);

    return st ? st : inner_of(io)->ops->alias(inner_of(io), out);
}

/* Releasing does not fail. */
static drx_status fault_guard(drxi_io *io, int64_t begin, int64_t end, bool on)
{
    drx_status st = on ? strike("guard", io->path) : DRX_OK;

    return st ? st : inner_of(io)->ops->guard(inner_of(io), begin, end, on);
}

static drx_status fault_close(drxi_io *io)
{
    drx_status st = strike("close", io->path);
    drx_status inner = inner_of(io)->ops->close(inner_of(io));

    drxi_free(io->path);
    drxi_free(io);
    return st ? st : inner;
}

static const struct drxi_io_ops fault_ops = {
    .read = fault_read,
    .write = fault_write,
    .size = fault_size,
    .resize = fault_resize,
    .reserve = fault_reserve,
    .sync = fault_sync,
    .extent = fault_extent,
    .ahead = fault_ahead,
    .view = fault_view,
    .lock = fault_lock,
    .unlock = fault_unlock,
    .locked = fault_locked,
    .stamp = fault_stamp,
    .named = fault_named,
    .park = fault_park,
    .name = fault_name,
    .keep = fault_keep,
    .sole = fault_sole,
    .replace = fault_replace,
    .alias = fault_alias,
    .close = fault_close,
    .guard = fault_guard,
};

static drx_status fault_open(const char *path, enum drxi_how how, drxi_io **out)
{
    struct fault_io *f;
    drx_status st = strike("open", path);

    *out = NULL;
    if (st)
        return st;
    f = drxi_calloc(1, sizeof *f);
    if (!f)
        return DRX_ENOMEM;
    f->io.ops = &fault_ops;
    f->io.path = drxi_strdup(path);
    st = f->io.path ? fault.inner->open(path, how, &f->inner) : DRX_ENOMEM;
    if (st) {
        drxi_free(f->io.path);
        drxi_free(f);
        return st;
    }
    *out = &f->io;
    return DRX_OK;
}

static drx_status fault_remove(const char *path)
{
    drx_status st = strike("remove", path);

    return st ? st : fault.inner->remove(path);
}

static drx_status fault_lock_folder(const char *path, drxi_io **out)
{
    drx_status st = strike("lock_folder", path);

    *out = NULL;
    return st ? st : fault.inner->lock_folder(path, out);
}

static drx_status fault_sync_folder(const char *path)
{
    drx_status st = strike("sync_folder", path);

    return st ? st : fault.inner->sync_folder(path);
}

static drx_status fault_link(const char *from, const char *to, bool *can)
{
    drx_status st = strike("link", to);

    *can = true;
    return st ? st : fault.inner->link(from, to, can);
}

static drx_status fault_rename(const char *from, const char *to)
{
    drx_status st = strike("rename", to);

    return st ? st : fault.inner->rename(from, to);
}

static drx_status fault_same(const char *a, const char *b, bool *same)
{
    drx_status st = strike("same", b);

    return st ? st : fault.inner->same(a, b, same);
}

static drx_status fault_order(const char *a, const char *b, int *order, bool *apart)
{
    drx_status st = strike("order", b);

    return st ? st : fault.inner->order(a, b, order, apart);
}

static drx_status fault_absolute(const char *folder, char **out)
{
    drx_status st = strike("absolute", folder);

    *out = NULL;
    return st ? st : fault.inner->absolute(folder, out);
}

static void fault_look(const char *path, bool follow, struct drxi_looked *out)
{
    fault.inner->look(path, follow, out);
}

static drx_status fault_idle(const char *path, bool *idle)
{
    drx_status st = strike("idle", path);

    return st ? st : fault.inner->idle(path, idle);
}

static drx_status fault_others(const char *path, void (*seen)(void *user, const char *name), void *user)
{
    drx_status st = strike("others", path);

    return st ? st : fault.inner->others(path, seen, user);
}

static const struct drxi_files fault_files = {
    fault_open, fault_remove, fault_lock_folder, fault_sync_folder, fault_link, fault_rename,
    fault_same, fault_order,  fault_absolute,    fault_look,        fault_idle, fault_others,
};

void drxi_fault_arm(long nth, int error, bool persistent)
{
    if (drxi_files != &fault_files)
        fault.inner = drxi_files;
    drxi_files = &fault_files;
    fault.calls_left = nth;
    fault.error = error;
    fault.persistent = persistent;
    fault.fired = false;
}

bool drxi_fault_fired(void)
{
    return fault.fired;
}
