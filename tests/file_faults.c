/* A table for tests that wraps another one and makes the n-th call fail. */
#include "file_faults.h"

#include "io/passing/passing.h"

#include <pthread.h>
#include <signal.h>

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
    if (fault.error == 0)
        (void)raise(SIGKILL);
    return drxi_fail_errno(fault.error, "%s: injected fault in %s", path, call);
}

/* The status of the call `inner`, or of the fault in its place. */
#define UNLESS_STRUCK(call, path, inner) (is_struck() ? strike(call, path) : (inner))

static drx_status fault_read(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got)
{
    return UNLESS_STRUCK("read", io->path, drxi_passed_to(io)->ops->read(drxi_passed_to(io), buf, n, offset, got));
}

/* A failing write stores half of its bytes, in whole words of 4 bytes. */
static drx_status fault_write(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    drx_status st = UNLESS_STRUCK("write", io->path, DRX_OK);
    drx_status half;

    if (!st)
        return drxi_passed_to(io)->ops->write(drxi_passed_to(io), buf, n, offset);
    half = drxi_passed_to(io)->ops->write(drxi_passed_to(io), buf, n / 8 * 4, offset);
    return half ? half : st;
}

static drx_status fault_size(drxi_io *io, int64_t *bytes)
{
    return UNLESS_STRUCK("size", io->path, drxi_passed_to(io)->ops->size(drxi_passed_to(io), bytes));
}

static drx_status fault_resize(drxi_io *io, int64_t bytes)
{
    return UNLESS_STRUCK("resize", io->path, drxi_passed_to(io)->ops->resize(drxi_passed_to(io), bytes));
}

static drx_status fault_reserve(drxi_io *io, int64_t begin, int64_t end)
{
    return UNLESS_STRUCK("reserve", io->path, drxi_passed_to(io)->ops->reserve(drxi_passed_to(io), begin, end));
}

static drx_status fault_punch(drxi_io *io, int64_t begin, int64_t end)
{
    return UNLESS_STRUCK("punch", io->path, drxi_passed_to(io)->ops->punch(drxi_passed_to(io), begin, end));
}

static drx_status fault_sync(drxi_io *io)
{
    return UNLESS_STRUCK("sync", io->path, drxi_passed_to(io)->ops->sync(drxi_passed_to(io)));
}

static drx_status fault_extent(drxi_io *io, int64_t offset, int64_t *begin, int64_t *end)
{
    return UNLESS_STRUCK("extent", io->path, drxi_passed_to(io)->ops->extent(drxi_passed_to(io), offset, begin, end));
}

static void fault_push(drxi_io *io, int64_t begin, int64_t end)
{
    if (drxi_passed_to(io)->ops->push)
        drxi_passed_to(io)->ops->push(drxi_passed_to(io), begin, end);
}

static drx_status fault_map(drxi_io *io, int64_t offset, int64_t bytes, struct drxi_mapping *out)
{
    return UNLESS_STRUCK("map", io->path, drxi_passed_to(io)->ops->map(drxi_passed_to(io), offset, bytes, out));
}

static drx_status fault_lock(drxi_io *io, enum drxi_lock kind)
{
    return UNLESS_STRUCK("lock", io->path, drxi_passed_to(io)->ops->lock(drxi_passed_to(io), kind));
}

static drx_status fault_locked(drxi_io *io, bool *locked)
{
    return UNLESS_STRUCK("locked", io->path, drxi_passed_to(io)->ops->locked(drxi_passed_to(io), locked));
}

static drx_status fault_stamp(drxi_io *io, uint64_t *stamp)
{
    return UNLESS_STRUCK("stamp", io->path, drxi_passed_to(io)->ops->stamp(drxi_passed_to(io), stamp));
}

static drx_status fault_named(drxi_io *io, bool *named)
{
    return UNLESS_STRUCK("named", io->path, drxi_passed_to(io)->ops->named(drxi_passed_to(io), named));
}

static drx_status fault_park(drxi_io *io)
{
    return UNLESS_STRUCK("park", io->path, drxi_passed_to(io)->ops->park(drxi_passed_to(io)));
}

static drx_status fault_name(drxi_io *io)
{
    return UNLESS_STRUCK("name", io->path, drxi_passed_to(io)->ops->name(drxi_passed_to(io)));
}

static drx_status fault_sole(drxi_io *io)
{
    return UNLESS_STRUCK("sole", io->path, drxi_passed_to(io)->ops->sole(drxi_passed_to(io)));
}

static drx_status fault_replace(drxi_io *io, drxi_io *old)
{
    return UNLESS_STRUCK("replace", io->path,
                         drxi_passed_to(io)->ops->replace(drxi_passed_to(io), drxi_passed_to(old)));
}

static drx_status fault_alias(drxi_io *io, struct drxi_alias *out)
{
    return UNLESS_STRUCK("alias", io->path, drxi_passed_to(io)->ops->alias(drxi_passed_to(io), out));
}

/* Releasing does not fail. */
static drx_status fault_guard(drxi_io *io, int64_t begin, int64_t end, bool on)
{
    drx_status st = on ? UNLESS_STRUCK("guard", io->path, DRX_OK) : DRX_OK;

    return st ? st : drxi_passed_to(io)->ops->guard(drxi_passed_to(io), begin, end, on);
}

/* Nor does the end of a write. */
static drx_status fault_writes(drxi_io *io, enum drxi_writes what)
{
    drx_status st = what != DRXI_WRITE_ENDS ? UNLESS_STRUCK("writes", io->path, DRX_OK) : DRX_OK;

    return st ? st : drxi_passed_to(io)->ops->writes(drxi_passed_to(io), what);
}

static drx_status fault_close(drxi_io *io)
{
    drx_status st = UNLESS_STRUCK("close", io->path, DRX_OK);
    drxi_io *behind = drxi_pass_leave(io);
    drx_status inner = behind->ops->close(behind);

    return st ? st : inner;
}

/* No view, nor reads by the system, so that reads can fail. */
static const struct drxi_io_ops fault_ops = {
    .read = fault_read,
    .write = fault_write,
    .size = fault_size,
    .resize = fault_resize,
    .punch = fault_punch,
    .reserve = fault_reserve,
    .sync = fault_sync,
    .extent = fault_extent,
    .push = fault_push,
    .map = fault_map,
    .lock = fault_lock,
    .locked = fault_locked,
    .stamp = fault_stamp,
    .named = fault_named,
    .park = fault_park,
    .name = fault_name,
    .sole = fault_sole,
    .replace = fault_replace,
    .alias = fault_alias,
    .close = fault_close,
    .guard = fault_guard,
    .writes = fault_writes,
};

/* Open a file, or, without a path, make one in memory. */
static drx_status open_wrapped(const char *path, enum drxi_how how, drxi_io **out)
{
    struct drxi_passing *f = drxi_calloc(1, sizeof *f);
    drxi_io *inner;
    drx_status st;

    if (!f)
        return DRX_ENOMEM;
    st = path ? fault.inner->open(path, how, &inner) : fault.inner->memory(&inner);
    if (st) {
        drxi_free(f);
        return st;
    }
    if ((st = drxi_pass_on(f, inner, &fault_ops))) {
        (void)inner->ops->close(inner);
        drxi_free(f);
        return st;
    }
    *out = &f->io;
    return DRX_OK;
}

static drx_status fault_open(const char *path, enum drxi_how how, drxi_io **out)
{
    *out = NULL;
    return UNLESS_STRUCK("open", path, open_wrapped(path, how, out));
}

static drx_status fault_memory(drxi_io **out)
{
    *out = NULL;
    return UNLESS_STRUCK("memory", "(memory)", open_wrapped(NULL, DRXI_NEW, out));
}

static drx_status fault_remove(const char *path)
{
    return UNLESS_STRUCK("remove", path, fault.inner->remove(path));
}

static drx_status fault_lock_folder(const char *path, drxi_io **out)
{
    *out = NULL;
    return UNLESS_STRUCK("lock_folder", path, fault.inner->lock_folder(path, out));
}

static drx_status fault_sync_folder(const char *path)
{
    return UNLESS_STRUCK("sync_folder", path, fault.inner->sync_folder(path));
}

static drx_status fault_link(const char *from, const char *to, bool *can)
{
    *can = true;
    return UNLESS_STRUCK("link", to, fault.inner->link(from, to, can));
}

static drx_status fault_rename(const char *from, const char *to)
{
    return UNLESS_STRUCK("rename", to, fault.inner->rename(from, to));
}

static drx_status fault_exchange(const char *a, const char *b, bool *can)
{
    *can = false;
    return UNLESS_STRUCK("exchange", b, fault.inner->exchange(a, b, can));
}

static drx_status fault_same(const char *a, const char *b, bool *same)
{
    return UNLESS_STRUCK("same", b, fault.inner->same(a, b, same));
}

static drx_status fault_order(const char *a, const char *b, int *order, bool *apart)
{
    return UNLESS_STRUCK("order", b, fault.inner->order(a, b, order, apart));
}

static drx_status fault_absolute(const char *folder, char **out)
{
    *out = NULL;
    return UNLESS_STRUCK("absolute", folder, fault.inner->absolute(folder, out));
}

static void fault_look(const char *path, bool follow, struct drxi_looked *out)
{
    fault.inner->look(path, follow, out);
}

static drx_status fault_idle(const char *path, bool *idle)
{
    return UNLESS_STRUCK("idle", path, fault.inner->idle(path, idle));
}

static drx_status fault_others(const char *path, void (*seen)(void *user, const char *name), void *user)
{
    return UNLESS_STRUCK("others", path, fault.inner->others(path, seen, user));
}

static drx_status fault_make_folder(const char *path)
{
    return UNLESS_STRUCK("make_folder", path, fault.inner->make_folder(path));
}

static drx_status fault_remove_folder(const char *path)
{
    return UNLESS_STRUCK("remove_folder", path, fault.inner->remove_folder(path));
}

static drx_status fault_list(const char *folder, void (*seen)(void *user, const char *name), void *user)
{
    return UNLESS_STRUCK("list", folder, fault.inner->list(folder, seen, user));
}

static const struct drxi_files fault_files = { fault_open,
                                               fault_remove,
                                               fault_lock_folder,
                                               fault_sync_folder,
                                               fault_link,
                                               fault_rename,
                                               fault_exchange,
                                               fault_same,
                                               fault_order,
                                               fault_absolute,
                                               fault_look,
                                               fault_idle,
                                               fault_others,
                                               fault_make_folder,
                                               fault_remove_folder,
                                               fault_list,
                                               fault_memory,
                                               NULL,
                                               NULL };

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
