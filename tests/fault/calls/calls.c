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
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- which call is struck ------------------------------------------------------------ */

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
    if (how == CALLS_MOVE_HALF_AND_FAIL)
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
    else if (how == CALLS_MOVE_HALF_AND_FAIL)
        *n = *n / 16 * 8;
    return how != CALLS_FAIL;
}

/* ---- bytes ------------------------------------------------------------------------------ */

ssize_t __real_pread(int fd, void *buf, size_t n, off_t at);
ssize_t __wrap_pread(int fd, void *buf, size_t n, off_t at);
ssize_t __real_pwrite(int fd, const void *buf, size_t n, off_t at);
ssize_t __wrap_pwrite(int fd, const void *buf, size_t n, off_t at);
int __wrap_fdatasync(int fd);
int __wrap_fsync(int fd);
int __real_ftruncate(int fd, off_t length);
int __wrap_ftruncate(int fd, off_t length);
int __real_fallocate(int fd, int mode, off_t at, off_t n);
int __wrap_fallocate(int fd, int mode, off_t at, off_t n);
off_t __real_lseek(int fd, off_t at, int whence);
off_t __wrap_lseek(int fd, off_t at, int whence);
int __real_posix_fadvise(int fd, off_t at, off_t n, int advice);
int __wrap_posix_fadvise(int fd, off_t at, off_t n, int advice);

ssize_t __wrap_pread(int fd, void *buf, size_t n, off_t at)
{
    return moves(CALL_READ, "pread", &n) ? __real_pread(fd, buf, n, at) : -1;
}

ssize_t __wrap_pwrite(int fd, const void *buf, size_t n, off_t at)
{
    return moves(CALL_WRITE, "pwrite", &n) ? __real_pwrite(fd, buf, n, at) : -1;
}

int __wrap_fdatasync(int fd)
{
    return fails(CALL_SYNC, "fdatasync") || fcntl(fd, F_GETFD) < 0 ? -1 : 0;
}

int __wrap_fsync(int fd)
{
    return fails(CALL_SYNC, "fsync") || fcntl(fd, F_GETFD) < 0 ? -1 : 0;
}

int __wrap_ftruncate(int fd, off_t length)
{
    return fails(CALL_RESIZE, "ftruncate") ? -1 : __real_ftruncate(fd, length);
}

int __wrap_fallocate(int fd, int mode, off_t at, off_t n)
{
    return fails(CALL_RESERVE, "fallocate") ? -1 : __real_fallocate(fd, mode, at, n);
}

off_t __wrap_lseek(int fd, off_t at, int whence)
{
    return fails(CALL_EXTENT, "lseek") ? -1 : __real_lseek(fd, at, whence);
}

int __wrap_posix_fadvise(int fd, off_t at, off_t n, int advice)
{
    return fails(CALL_HINT, "posix_fadvise") ? errno : __real_posix_fadvise(fd, at, n, advice);
}

/* ---- descriptors --------------------------------------------------------------------------- */

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __real_close(int fd);
int __wrap_close(int fd);
int __real_fstat(int fd, struct stat *status);
int __wrap_fstat(int fd, struct stat *status);
int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);
int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);

int __wrap_open(const char *path, int flags, ...)
{
    va_list args;
    mode_t mode;

    va_start(args, flags);
    mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
    va_end(args);
    return fails((flags & O_TMPFILE) == O_TMPFILE ? CALL_NAMELESS : CALL_OPEN, "open") ? -1
                                                                                       : __real_open(path, flags, mode);
}

/* The descriptor is gone also when an error is told. */
int __wrap_close(int fd)
{
    const bool failed = fails(CALL_CLOSE, "close");
    const int error = errno, st = __real_close(fd);

    if (failed)
        errno = error;
    return failed ? -1 : st;
}

int __wrap_fstat(int fd, struct stat *status)
{
    return fails(CALL_STAT, "fstat") ? -1 : __real_fstat(fd, status);
}

/* Locks are all that the library has of this. To let go of one is not refused. */
int __wrap_fcntl(int fd, int command, ...)
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

int __wrap_flock(int fd, int operation)
{
    return !(operation & LOCK_UN) && fails(CALL_FOLDER_LOCK, "flock") ? -1 : __real_flock(fd, operation);
}

/* ---- names ---------------------------------------------------------------------------------- */

int __real_stat(const char *path, struct stat *status);
int __wrap_stat(const char *path, struct stat *status);
int __real_lstat(const char *path, struct stat *status);
int __wrap_lstat(const char *path, struct stat *status);
int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
char *__real_realpath(const char *path, char *resolved);
char *__wrap_realpath(const char *path, char *resolved);
int __real_linkat(int from_fd, const char *from, int to_fd, const char *to, int flags);
int __wrap_linkat(int from_fd, const char *from, int to_fd, const char *to, int flags);
int __real_link(const char *from, const char *to);
int __wrap_link(const char *from, const char *to);
int __real_renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags);
int __wrap_renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __real_fchmod(int fd, mode_t mode);
int __wrap_fchmod(int fd, mode_t mode);
int __real_unlink(const char *path);
int __wrap_unlink(const char *path);
DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
struct dirent *__real_readdir(DIR *folder);
struct dirent *__wrap_readdir(DIR *folder);

int __wrap_stat(const char *path, struct stat *status)
{
    return fails(CALL_STAT, "stat") ? -1 : __real_stat(path, status);
}

int __wrap_lstat(const char *path, struct stat *status)
{
    return fails(CALL_STAT, "lstat") ? -1 : __real_lstat(path, status);
}

int __wrap_access(const char *path, int mode)
{
    return fails(CALL_HINT, "access") ? -1 : __real_access(path, mode);
}

char *__wrap_realpath(const char *path, char *resolved)
{
    return fails(CALL_STAT, "realpath") ? NULL : __real_realpath(path, resolved);
}

int __wrap_linkat(int from_fd, const char *from, int to_fd, const char *to, int flags)
{
    return fails(CALL_NAME, "linkat") ? -1 : __real_linkat(from_fd, from, to_fd, to, flags);
}

int __wrap_link(const char *from, const char *to)
{
    return fails(CALL_NAME, "link") ? -1 : __real_link(from, to);
}

int __wrap_renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
    return fails(CALL_NEW_RENAME, "renameat2") ? -1 : __real_renameat2(from_fd, from, to_fd, to, flags);
}

int __wrap_fchmod(int fd, mode_t mode)
{
    return fails(CALL_NAME, "fchmod") ? -1 : __real_fchmod(fd, mode);
}

int __wrap_rename(const char *from, const char *to)
{
    return fails(CALL_NAME, "rename") ? -1 : __real_rename(from, to);
}

int __wrap_unlink(const char *path)
{
    return fails(CALL_REMOVE, "unlink") ? -1 : __real_unlink(path);
}

DIR *__wrap_opendir(const char *path)
{
    return fails(CALL_LIST, "opendir") ? NULL : __real_opendir(path);
}

struct dirent *__wrap_readdir(DIR *folder)
{
    return fails(CALL_LIST, "readdir") ? NULL : __real_readdir(folder);
}

/* ---- memory, threads, time -------------------------------------------------------------------- */

void *__real_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset);
int __real_mincore(void *at, size_t n, unsigned char *there);
int __wrap_mincore(void *at, size_t n, unsigned char *there);
int __real_madvise(void *at, size_t n, int advice);
int __wrap_madvise(void *at, size_t n, int advice);
void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);
void *__real_calloc(size_t n, size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__real_realloc(void *old, size_t n);
void *__wrap_realloc(void *old, size_t n);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg);
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left);

/* Map an empty file, so that every access raises SIGBUS. */
static void *map_nothing(void *at, size_t n, int protection, int flags)
{
    const int empty = memfd_create("nothing", MFD_CLOEXEC);
    void *base = __real_mmap(at, n, protection, flags, empty, 0);

    (void)__real_close(empty);
    return base;
}

void *__wrap_mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    enum calls_how how;

    if (!is_struck(CALL_MAP, "mmap", &how))
        return __real_mmap(at, n, protection, flags, fd, offset);
    return how == CALLS_MAP_NOTHING ? map_nothing(at, n, protection, flags) : MAP_FAILED;
}

int __wrap_mincore(void *at, size_t n, unsigned char *there)
{
    return fails(CALL_HINT, "mincore") ? -1 : __real_mincore(at, n, there);
}

int __wrap_madvise(void *at, size_t n, int advice)
{
    return fails(CALL_HINT, "madvise") ? -1 : __real_madvise(at, n, advice);
}

void *__wrap_malloc(size_t n)
{
    return fails(CALL_MEMORY, "malloc") ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t bytes)
{
    return fails(CALL_MEMORY, "calloc") ? NULL : __real_calloc(n, bytes);
}

void *__wrap_realloc(void *old, size_t n)
{
    return fails(CALL_MEMORY, "realloc") ? NULL : __real_realloc(old, n);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg)
{
    return fails(CALL_THREAD, "pthread_create") ? errno : __real_pthread_create(thread, attr, run, arg);
}

/* Waiting is left out, too. */
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *left)
{
    (void)wanted;
    (void)left;
    return fails(CALL_SLEEP, "nanosleep") ? -1 : 0;
}
