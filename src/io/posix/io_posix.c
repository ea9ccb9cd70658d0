/* Files of the operating system. */
#include "base/hooks.h"
#include "io/flight.h"
#include "io/posix/posix.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_CALL_BYTES = 1 << 30, /* Linux moves at most 2 GiB a call */
    LOCK_WAITS = 10000        /* nanoseconds in a millisecond */
};

enum { UNTRIED = -2 };

/* A signal may interrupt open while it waits, as on network file systems. */
static int open_descriptor(const char *path, int flags)
{
    int fd;

    do
        fd = open(path, flags | O_CLOEXEC, 0666);
    while (fd < 0 && errno == EINTR);
    return fd;
}

static drx_status posix_read(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got)
{
    uint8_t *p = buf;

    *got = 0;
    while (*got < n) {
        const size_t left = n - *got;
        const int64_t at = offset + (int64_t)*got;
        const ssize_t moved = pread(drxi_posix_fd(io), p + *got, left < MAX_CALL_BYTES ? left : MAX_CALL_BYTES, at);

        if (moved == 0)
            break;
        if (moved > 0)
            *got += (size_t)moved;
        else if (errno != EINTR)
            return drxi_fail_errno(errno, "%s: reading %zu bytes at offset %lld", io->path, left, (long long)at);
    }
    return DRX_OK;
}

static drx_status posix_write(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    const uint8_t *p = buf;

    while (n > 0) {
        const ssize_t moved = pwrite(drxi_posix_fd(io), p, n < MAX_CALL_BYTES ? n : MAX_CALL_BYTES, offset);

        if (moved < 0 && errno == EINTR)
            continue;
        if (moved <= 0)
            return drxi_fail_errno(moved ? errno : ENOSPC, "%s: writing %zu bytes at offset %lld", io->path, n,
                                   (long long)offset);
        p += moved;
        n -= (size_t)moved;
        offset += moved;
    }
    return DRX_OK;
}

static drx_status posix_size(drxi_io *io, int64_t *bytes)
{
    struct stat file;

    if (fstat(drxi_posix_fd(io), &file) != 0)
        return drxi_fail_errno(errno, "%s: asking for its length", io->path);
    *bytes = file.st_size;
    return DRX_OK;
}

static drx_status posix_resize(drxi_io *io, int64_t bytes)
{
    while (ftruncate(drxi_posix_fd(io), bytes) != 0)
        if (errno != EINTR)
            return drxi_fail_errno(errno, "%s: setting its length to %lld bytes", io->path, (long long)bytes);
    return DRX_OK;
}

/* Whether this is more than the free space. Some file systems would allocate all of that before they fail. */
static bool is_too_much(const drxi_io *io, int64_t bytes)
{
    struct statvfs system;

    return fstatvfs(drxi_posix_fd(io), &system) == 0 && system.f_blocks > 0 &&
           (uint64_t)bytes / (system.f_frsize ? system.f_frsize : 1) > system.f_bfree;
}

/* The error code when there is no room for these bytes; otherwise they have it. */
static int reserve_blocks(const drxi_io *io, int64_t begin, int64_t end)
{
    struct rlimit limit; /* fallocate does not look at it while the length stays */

    if (is_too_much(io, end - begin))
        return ENOSPC;
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < (rlim_t)end)
        return EFBIG;
    while (fallocate(drxi_posix_fd(io), FALLOC_FL_KEEP_SIZE, begin, end - begin) != 0)
        if (errno != EINTR)
            return errno == ENOSPC || errno == EFBIG || errno == EDQUOT ? errno : 0;
    return 0;
}

static drx_status posix_reserve(drxi_io *io, int64_t begin, int64_t end)
{
    const int error = reserve_blocks(io, begin, end);

    return error ? drxi_fail_errno(error, "%s: room for %lld bytes from offset %lld on", io->path,
                                   (long long)(end - begin), (long long)begin)
                 : DRX_OK;
}

static drx_status posix_punch(drxi_io *io, int64_t begin, int64_t end)
{
    while (fallocate(drxi_posix_fd(io), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, begin, end - begin) != 0) {
        if (errno == EOPNOTSUPP || errno == ENOSYS)
            return DRX_OK;
        if (errno != EINTR)
            return drxi_fail_errno(errno, "%s: giving back %lld bytes from offset %lld on", io->path,
                                   (long long)(end - begin), (long long)begin);
    }
    return DRX_OK;
}

static drx_status posix_sync(drxi_io *io)
{
    while (fdatasync(drxi_posix_fd(io)) != 0)
        if (errno != EINTR)
            return drxi_fail_errno(errno, "%s: making it durable", io->path);
    return DRX_OK;
}

static drx_status posix_extent(drxi_io *io, int64_t offset, int64_t *begin, int64_t *end)
{
    const off_t data = lseek(drxi_posix_fd(io), offset, SEEK_DATA);
    off_t hole;

    *begin = *end = INT64_MAX;
    if (data < 0 && errno == ENXIO)
        return DRX_OK;
    hole = data < 0 ? -1 : lseek(drxi_posix_fd(io), data, SEEK_HOLE);
    if (hole < 0) { /* the file system does not tell, so all bytes may be stored */
        *begin = offset;
        return DRX_OK;
    }
    *begin = data;
    *end = hole;
    return DRX_OK;
}

/* The write keeps its error for the next fdatasync. */
static void posix_push(drxi_io *io, int64_t begin, int64_t end)
{
    (void)sync_file_range(drxi_posix_fd(io), begin, end - begin, SYNC_FILE_RANGE_WRITE);
}

/* Open the file again: what the system notes of the reads of a descriptor is its own. */
static int open_again(struct posix_io *file, enum drxi_manner manner)
{
    int untried = UNTRIED, fd;
    char proc[32];

    (void)snprintf(proc, sizeof proc, "/proc/self/fd/%d", file->fd);
    fd = open_descriptor(proc, manner == DRXI_DIRECTLY ? O_RDONLY | O_DIRECT : O_RDONLY);
    if (fd >= 0 && manner == DRXI_SCATTERED)
        (void)posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
    if (!atomic_compare_exchange_strong(&file->other[manner], &untried, fd)) { /* another thread was faster */
        if (fd >= 0)
            (void)close(fd);
        fd = untried;
    }
    return fd;
}

static void posix_where(drxi_io *io, int64_t offset, enum drxi_manner manner, struct drxi_spot *out)
{
    struct posix_io *file = (struct posix_io *)io;
    int fd = manner == DRXI_IN_ORDER ? file->fd : atomic_load(&file->other[manner]);

    if (fd == UNTRIED)
        fd = open_again(file, manner);
    *out = (struct drxi_spot){ .fd = fd >= 0 ? fd : file->fd, .offset = offset, .bytes = INT64_MAX - offset };
}

static drx_status posix_view(drxi_io *io, struct drxi_view *view)
{
    int64_t bytes = 0;
    drx_status st = posix_size(io, &bytes);

    if (view->base)
        drxi_view_renew(view, bytes);
    else if (!st && !drxi_view_open(drxi_posix_fd(io), bytes, view))
        view->base = NULL;
    return st;
}

static drx_status posix_map(drxi_io *io, int64_t offset, int64_t bytes, struct drxi_mapping *out)
{
    return drxi_posix_map(drxi_posix_fd(io), offset, bytes, out);
}

static drx_status posix_locked(drxi_io *io, bool *locked)
{
    return drxi_posix_is_locked(drxi_posix_fd(io), locked) == 0
               ? DRX_OK
               : drxi_fail_errno(errno, "%s: asking for its lock", io->path);
}

static drx_status posix_lock(drxi_io *io, enum drxi_lock kind)
{
    if (drxi_posix_lock(drxi_posix_fd(io), kind) == 0) {
        ((struct posix_io *)io)->locked = true;
        return DRX_OK;
    }
    if (errno == EAGAIN || errno == EACCES)
        return drxi_fail(DRX_EBUSY, "%s: open for writing elsewhere", io->path);
    return drxi_fail_errno(errno, "%s: locking it", io->path);
}

static void posix_unlock(drxi_io *io)
{
    drxi_posix_unlock(drxi_posix_fd(io), DRXI_LOCK_CHANGE);
}

static drx_status posix_guard(drxi_io *io, int64_t begin, int64_t end, bool on)
{
    if (drxi_posix_guard(drxi_posix_fd(io), begin, end, on) == 0)
        return DRX_OK;
    return drxi_fail_errno(errno, "%s: locking %lld bytes from offset %lld on", io->path, (long long)(end - begin),
                           (long long)begin);
}

static drx_status posix_writes(drxi_io *io, enum drxi_writes what)
{
    return drxi_posix_writes((struct posix_io *)io, what) == 0
               ? DRX_OK
               : drxi_fail_errno(errno, "%s: locking it to write elements", io->path);
}

static drx_status posix_stamp(drxi_io *io, uint64_t *stamp)
{
    struct stat file;

    if (fstat(drxi_posix_fd(io), &file) != 0)
        return drxi_fail_errno(errno, "%s: asking when it was changed", io->path);
    *stamp = (uint64_t)file.st_mtim.tv_sec * 1000000000 + (uint64_t)file.st_mtim.tv_nsec;
    return DRX_OK;
}

static drx_status posix_close(drxi_io *io)
{
    struct posix_io *file = (struct posix_io *)io;
    drx_status st = DRX_OK;

    if (file->name == PARKED && unlink(file->other_name) != 0)
        st = drxi_fail_errno(errno, "%s: removing it", file->other_name);
    drxi_free(file->other_name);
    if (file->locked) { /* a forked process may keep the descriptor */
        drxi_posix_unlock(file->fd, DRXI_LOCK_ALONE);
        (void)flock(file->fd, LOCK_UN);
    }
    for (int i = 0; i < DRXI_MANNERS; i++)
        if (atomic_load(&file->other[i]) >= 0)
            (void)close(atomic_load(&file->other[i]));
    if (close(drxi_posix_fd(io)) != 0 && errno != EINTR && !st)
        st = drxi_fail_errno(errno, "%s: closing it", io->path);
    (void)pthread_mutex_destroy(&file->writes_lock);
    drxi_free(io->path);
    drxi_free(io);
    return st;
}

static const struct drxi_io_ops posix_ops = {
    .read = posix_read,
    .write = posix_write,
    .size = posix_size,
    .resize = posix_resize,
    .reserve = posix_reserve,
    .punch = posix_punch,
    .sync = posix_sync,
    .extent = posix_extent,
    .push = posix_push,
    .where = posix_where,
    .view = posix_view,
    .map = posix_map,
    .lock = posix_lock,
    .unlock = posix_unlock,
    .locked = posix_locked,
    .stamp = posix_stamp,
    .named = drxi_posix_file_named,
    .park = drxi_posix_file_park,
    .name = drxi_posix_file_name,
    .keep = drxi_posix_file_keep,
    .sole = drxi_posix_file_sole,
    .replace = drxi_posix_file_replace,
    .alias = drxi_posix_file_alias,
    .close = posix_close,
    .guard = posix_guard,
    .writes = posix_writes,
};

/* A disk reads 16 KiB in the time of another request, and 8 MiB under way keep it busy. */
static const struct drxi_cost disk = {
    .gap_bytes = 1 << 14, .most_bytes = DRXI_FLIGHT_BYTES, .depth = DRXI_FLIGHT_MOST, .direct = true, .mapped = true
};

/* Take over an open descriptor, or close it. */
static drx_status wrap(int fd, const char *path, drxi_io **out)
{
    struct posix_io *file = drxi_calloc(1, sizeof *file);
    char *copy = drxi_strdup(path);

    *out = NULL;
    if (!file || !copy) {
        (void)close(fd);
        drxi_free(file);
        drxi_free(copy);
        return DRX_ENOMEM;
    }
    file->io = (drxi_io){ .ops = &posix_ops, .path = copy, .cost = disk };
    file->fd = fd;
    (void)pthread_mutex_init(&file->writes_lock, NULL);
    for (int i = 0; i < DRXI_MANNERS; i++)
        atomic_init(&file->other[i], UNTRIED);
    *out = &file->io;
    return DRX_OK;
}

/* Open the folder of a path; *fd is -1, with errno set, when that fails. */
static drx_status open_folder(const char *path, int flags, char **folder, int *fd)
{
    *folder = drxi_posix_folder(path);
    *fd = -1;
    if (!*folder)
        return DRX_ENOMEM;
    *fd = open_descriptor(*folder, flags);
    return DRX_OK;
}

/* Make a new file under another name, on file systems without nameless files. */
static drx_status open_other_name(const char *path, drxi_io **out)
{
    for (unsigned i = 0; i < DRXI_OTHER_NAMES; i++) {
        char *other = drxi_format(DRXI_OTHER_FORMAT, path, (long)getpid(), i);
        const int fd = other ? open_descriptor(other, O_RDWR | O_CREAT | O_EXCL) : -1;
        const int error = errno;
        drx_status st;

        if (!other)
            return DRX_ENOMEM;
        if (fd < 0) {
            drxi_free(other);
            if (error == EEXIST)
                continue;
            return drxi_posix_fail(error, path, "file");
        }
        st = wrap(fd, path, out);
        if (st) {
            (void)unlink(other);
            drxi_free(other);
            return st;
        }
        ((struct posix_io *)*out)->name = PARKED;
        ((struct posix_io *)*out)->other_name = other;
        return DRX_OK;
    }
    return drxi_fail(DRX_EEXIST, "%s.new-...: too many of these exist", path);
}

static drx_status open_new(const char *path, drxi_io **out)
{
    char *folder;
    int fd;
    drx_status st;

    if (drxi_hooks.other_names)
        return open_other_name(path, out);
    st = open_folder(path, O_RDWR | O_TMPFILE, &folder, &fd);
    drxi_free(folder);
    if (!st && fd >= 0 && access("/proc/self/fd", X_OK) == 0) { /* linkat needs it to give the file a name */
        st = wrap(fd, path, out);
        if (!st)
            ((struct posix_io *)*out)->name = NAMELESS;
        return st;
    }
    if (!st && fd >= 0)
        (void)close(fd);
    return st ? st : open_other_name(path, out);
}

static drx_status posix_memory(drxi_io **out)
{
    const int fd = drxi_posix_memory();
    drx_status st;

    *out = NULL;
    if (fd < 0)
        return drxi_fail_errno(errno, "making a file in memory");
    st = wrap(fd, "(memory)", out);
    if (!st)
        ((struct posix_io *)*out)->name = NAMELESS;
    return st;
}

static drx_status posix_open(const char *path, enum drxi_how how, drxi_io **out)
{
    struct stat status;
    drx_status st = DRX_OK;
    int fd;

    *out = NULL;
    if (how == DRXI_NEW)
        return open_new(path, out);
    fd = open_descriptor(path, (how == DRXI_READ ? O_RDONLY : O_RDWR) | O_NONBLOCK); /* opening a FIFO must not wait */
    if (fd < 0)
        return drxi_posix_fail(errno, path, "file");
    if (fstat(fd, &status) != 0)
        st = drxi_fail_errno(errno, "%s: asking what it is", path);
    else if (!S_ISREG(status.st_mode))
        st = drxi_fail(DRX_EFORMAT, "%s: not a regular file", path);
    if (!st)
        return wrap(fd, path, out);
    (void)close(fd);
    return st;
}

/* Whether to report this error. Others only mean that the folder cannot be locked or read. */
static bool is_trouble(int error)
{
    return error == EIO || error == ESTALE || error == EMFILE || error == ENFILE || error == ENOMEM;
}

static drx_status posix_lock_folder(const char *path, drxi_io **out)
{
    const struct timespec pause = { 0, 1000000 };
    char *folder;
    int fd;
    drx_status st = open_folder(path, O_RDONLY | O_DIRECTORY, &folder, &fd);

    *out = NULL;
    if (!st && fd < 0 && is_trouble(errno))
        st = drxi_fail_errno(errno, "%s: opening the folder", folder);
    for (int waited = 0; !st && fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0; waited++) {
        if (is_trouble(errno))
            st = drxi_fail_errno(errno, "%s: locking the folder", folder);
        else if (errno != EWOULDBLOCK && errno != EINTR)
            break;
        else if (waited == LOCK_WAITS)
            st = drxi_fail(DRX_EBUSY, "%s: this folder is locked by another process", folder);
        else
            (void)nanosleep(&pause, NULL);
    }
    if (st && fd >= 0)
        (void)close(fd);
    else if (!st && fd >= 0)
        st = wrap(fd, folder, out);
    if (*out)
        ((struct posix_io *)*out)->locked = true;
    drxi_free(folder);
    return st;
}

static int sync_descriptor(int fd)
{
    int st;

    do
        st = fsync(fd);
    while (st != 0 && errno == EINTR);
    return st;
}

static drx_status posix_sync_folder(const char *path)
{
    char *folder;
    int fd;
    drx_status st = open_folder(path, O_RDONLY | O_DIRECTORY, &folder, &fd);

    if (st)
        return st;
    if (fd < 0 || (sync_descriptor(fd) != 0 && errno != EINVAL)) /* EINVAL: the file system cannot sync folders */
        st = drxi_fail_errno(errno, "%s: making the folder durable", folder);
    if (fd >= 0)
        (void)close(fd);
    drxi_free(folder);
    return st;
}

const struct drxi_files drxi_posix = { posix_open,
                                       drxi_posix_remove,
                                       posix_lock_folder,
                                       posix_sync_folder,
                                       drxi_posix_link,
                                       drxi_posix_move,
                                       drxi_posix_exchange,
                                       drxi_posix_same,
                                       drxi_posix_order,
                                       drxi_posix_absolute,
                                       drxi_posix_look,
                                       drxi_posix_idle,
                                       drxi_posix_others,
                                       drxi_posix_make_folder,
                                       drxi_posix_remove_folder,
                                       drxi_posix_list,
                                       posix_memory,
                                       NULL,
                                       NULL };
