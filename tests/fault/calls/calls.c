/* See calls.h. */
#include "calls.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct {
    struct calls_plan plan;
    long seen, left; /* calls of those kinds; strikes to come once the first has come */
    unsigned struck;
    const char *name;
    pthread_mutex_t lock;
} state = { .lock = PTHREAD_MUTEX_INITIALIZER };

static atomic_long made[CALL_KINDS];

void calls_arm(const struct calls_plan *plan)
{
    (void)pthread_mutex_lock(&state.lock);
    state.plan = *plan;
    state.seen = 0;
    state.left = plan->times;
    state.struck = 0;
    state.name = NULL;
    (void)pthread_mutex_unlock(&state.lock);
}

void calls_disarm(void)
{
    (void)pthread_mutex_lock(&state.lock);
    state.plan.kinds = 0;
    (void)pthread_mutex_unlock(&state.lock);
}

unsigned calls_struck(void)
{
    return state.struck;
}

const char *calls_struck_name(void)
{
    return state.name ? state.name : "";
}

long calls_made(unsigned kind)
{
    return atomic_load(&made[__builtin_ctz(kind)]);
}

static enum calls_how strike_locked(unsigned kind, const char *name)
{
    const bool moves = kind == CALL_READ || kind == CALL_WRITE;
    enum calls_how how = state.plan.how;

    state.left--;
    state.struck |= kind;
    state.name = state.name ? state.name : name;
    if (how == CALLS_MOVE_AND_FAIL)
        how = state.plan.times > 1 && state.left < state.plan.times - 1 ? CALLS_FAIL : how;
    return moves || how == CALLS_MAP_NOTHING ? how : CALLS_FAIL;
}

/* Whether this call is one of those; then errno is set, and *how. */
static bool is_struck(unsigned kind, const char *name, enum calls_how *how)
{
    long past = -1;
    bool struck;

    (void)atomic_fetch_add(&made[__builtin_ctz(kind)], 1);
    (void)pthread_mutex_lock(&state.lock);
    if ((state.plan.kinds & kind) != 0)
        past = ++state.seen - state.plan.nth;
    struck = past >= 0 && past % (state.plan.gap + 1) == 0 && state.left > 0;
    if (struck)
        *how = strike_locked(kind, name);
    if (struck)
        errno = state.plan.error;
    (void)pthread_mutex_unlock(&state.lock);
    return struck;
}

static bool fails(unsigned kind, const char *name)
{
    enum calls_how how;

    return is_struck(kind, name, &how);
}

/* Bytes that a call moves which is to move n; false: it fails. */
static bool moves(unsigned kind, const char *name, size_t *n)
{
    enum calls_how how;

    if (!is_struck(kind, name, &how))
        return true;
    if (how == CALLS_MOVE_ONE)
        *n = *n > 0;
    else if (how == CALLS_MOVE_HALF)
        *n = *n > 1 ? (*n / 2) | 1 : *n;
    else if (how == CALLS_MOVE_AND_FAIL)
        *n = *n / 16 * 8;
    return how != CALLS_FAIL;
}

/* Define __wrap_NAME, which the linker puts in the place of NAME; that is __real_NAME here. */
#define WRAP(type, name, ...)        \
    type __real_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__)

WRAP(ssize_t, pread, int fd, void *buf, size_t n, off_t at)
{
    return moves(CALL_READ, "pread", &n) ? __real_pread(fd, buf, n, at) : -1;
}

/* Of another file, these would be elements that are 2: none of the tests has them there. */
static bool is_farewell(const void *buf, size_t n, off_t at)
{
    static const char replaced[8] = { 2 };

    return at == 4104 && n == sizeof replaced && memcmp(buf, replaced, sizeof replaced) == 0;
}

WRAP(ssize_t, pwrite, int fd, const void *buf, size_t n, off_t at)
{
    return moves(is_farewell(buf, n, at) ? CALL_FAREWELL : CALL_WRITE, "pwrite", &n) ? __real_pwrite(fd, buf, n, at)
                                                                                     : -1;
}

WRAP(int, fdatasync, int fd)
{
    return fails(CALL_SYNC, "fdatasync") || fcntl(fd, F_GETFD) < 0 ? -1 : 0;
}

WRAP(int, fsync, int fd)
{
    return fails(CALL_SYNC, "fsync") || fcntl(fd, F_GETFD) < 0 ? -1 : 0;
}

WRAP(int, ftruncate, int fd, off_t length)
{
    return fails(CALL_RESIZE, "ftruncate") ? -1 : __real_ftruncate(fd, length);
}

WRAP(int, fallocate, int fd, int mode, off_t at, off_t n)
{
    return fails(CALL_RESERVE, "fallocate") ? -1 : __real_fallocate(fd, mode, at, n);
}

WRAP(off_t, lseek, int fd, off_t at, int whence)
{
    return fails(CALL_EXTENT, "lseek") ? -1 : __real_lseek(fd, at, whence);
}

WRAP(int, posix_fadvise, int fd, off_t at, off_t n, int advice)
{
    return fails(CALL_HINT, "posix_fadvise") ? errno : __real_posix_fadvise(fd, at, n, advice);
}

WRAP(int, open, const char *path, int flags, ...)
{
    va_list args;
    mode_t mode;

    va_start(args, flags);
    mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
    va_end(args);
    if (fails((flags & O_TMPFILE) == O_TMPFILE ? CALL_NAMELESS : CALL_OPEN, "open"))
        return -1;
    return __real_open(path, flags, mode);
}

/* The descriptor is gone also when an error is told. */
WRAP(int, close, int fd)
{
    const bool failed = fails(CALL_CLOSE, "close");
    const int error = errno, st = __real_close(fd);

    if (failed)
        errno = error;
    return failed ? -1 : st;
}

WRAP(int, fstat, int fd, struct stat *status)
{
    return fails(CALL_STAT, "fstat") ? -1 : __real_fstat(fd, status);
}

/* Locks are all that the library has of this. To let go of one is not refused. */
WRAP(int, fcntl, int fd, int command, ...)
{
    va_list args;
    struct flock *lock;

    if (command == F_GETFD)
        return __real_fcntl(fd, command);
    va_start(args, command);
    lock = va_arg(args, struct flock *);
    va_end(args);
    return lock->l_type != F_UNLCK && fails(CALL_LOCK, "fcntl") ? -1 : __real_fcntl(fd, command, lock);
}

WRAP(int, flock, int fd, int operation)
{
    return !(operation & LOCK_UN) && fails(CALL_FOLDER_LOCK, "flock") ? -1 : __real_flock(fd, operation);
}

WRAP(int, stat, const char *path, struct stat *status)
{
    return fails(CALL_STAT, "stat") ? -1 : __real_stat(path, status);
}

WRAP(int, lstat, const char *path, struct stat *status)
{
    return fails(CALL_STAT, "lstat") ? -1 : __real_lstat(path, status);
}

WRAP(int, access, const char *path, int mode)
{
    return fails(CALL_HINT, "access") ? -1 : __real_access(path, mode);
}

WRAP(char *, realpath, const char *path, char *resolved)
{
    return fails(CALL_STAT, "realpath") ? NULL : __real_realpath(path, resolved);
}

WRAP(int, linkat, int from_fd, const char *from, int to_fd, const char *to, int flags)
{
    return fails(CALL_NAME, "linkat") ? -1 : __real_linkat(from_fd, from, to_fd, to, flags);
}

WRAP(int, link, const char *from, const char *to)
{
    return fails(CALL_NAME, "link") ? -1 : __real_link(from, to);
}

WRAP(int, renameat2, int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
    return fails(CALL_NEW_RENAME, "renameat2") ? -1 : __real_renameat2(from_fd, from, to_fd, to, flags);
}

WRAP(int, fchmod, int fd, mode_t mode)
{
    return fails(CALL_NAME, "fchmod") ? -1 : __real_fchmod(fd, mode);
}

WRAP(int, rename, const char *from, const char *to)
{
    return fails(CALL_NAME, "rename") ? -1 : __real_rename(from, to);
}

WRAP(int, unlink, const char *path)
{
    return fails(CALL_REMOVE, "unlink") ? -1 : __real_unlink(path);
}

WRAP(DIR *, opendir, const char *path)
{
    return fails(CALL_LIST, "opendir") ? NULL : __real_opendir(path);
}

WRAP(struct dirent *, readdir, DIR *folder)
{
    return fails(CALL_LIST, "readdir") ? NULL : __real_readdir(folder);
}

/* An empty file is mapped, so that every access raises SIGBUS; or nothing. */
WRAP(void *, mmap, void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    enum calls_how how;
    void *base;

    if (!is_struck(CALL_MAP, "mmap", &how))
        return __real_mmap(at, n, protection, flags, fd, offset);
    if (how != CALLS_MAP_NOTHING)
        return MAP_FAILED;
    fd = memfd_create("nothing", MFD_CLOEXEC);
    base = __real_mmap(at, n, protection, flags, fd, 0);
    (void)__real_close(fd);
    return base;
}

WRAP(int, mincore, void *at, size_t n, unsigned char *there)
{
    return fails(CALL_HINT, "mincore") ? -1 : __real_mincore(at, n, there);
}

WRAP(int, madvise, void *at, size_t n, int advice)
{
    return fails(CALL_HINT, "madvise") ? -1 : __real_madvise(at, n, advice);
}

WRAP(void *, malloc, size_t n)
{
    return fails(CALL_MEMORY, "malloc") ? NULL : __real_malloc(n);
}

WRAP(void *, calloc, size_t n, size_t bytes)
{
    return fails(CALL_MEMORY, "calloc") ? NULL : __real_calloc(n, bytes);
}

WRAP(void *, realloc, void *old, size_t n)
{
    return fails(CALL_MEMORY, "realloc") ? NULL : __real_realloc(old, n);
}

WRAP(int, pthread_create, pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
    return fails(CALL_THREAD, "pthread_create") ? errno : __real_pthread_create(thread, attr, run, arg);
}

/* Waiting is left out, too. */
WRAP(int, nanosleep, const struct timespec *wanted, struct timespec *left)
{
    (void)wanted;
    (void)left;
    return fails(CALL_SLEEP, "nanosleep") ? -1 : 0;
}
