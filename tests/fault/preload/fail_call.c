/* A shared object for LD_PRELOAD that makes the n-th of some calls on a certain file fail.
 *
 *   FAIL_CALL   names of calls, in commas
 *   FAIL_NTH    which of them, from 1 on
 *   FAIL_TIMES  how many in a row; 1 without it
 *   FAIL_ERRNO  with this; 0: the process is killed instead
 *   FAIL_FILE   only of files whose path has this in it
 *   FAIL_MARK   a file that is made then, with the name of the call */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long seen;

/* Count again, for programs that set these variables themselves. */
void fail_call_reset(void);

void fail_call_reset(void)
{
    atomic_store(&seen, 0);
}

static long number(const char *name, long otherwise)
{
    const char *text = getenv(name);

    return text ? strtol(text, NULL, 10) : otherwise;
}

/* Whether `call` is one of those in commas. */
static bool is_listed(const char *call)
{
    const char *list = getenv("FAIL_CALL"), *at = list ? strstr(list, call) : NULL;
    const size_t n = strlen(call);

    for (; at; at = strstr(at + 1, call))
        if ((at == list || at[-1] == ',') && (at[n] == '\0' || at[n] == ','))
            return true;
    return false;
}

static bool fails(const char *call, const char *path)
{
    const char *file = getenv("FAIL_FILE"), *mark = getenv("FAIL_MARK");
    const long first = number("FAIL_NTH", 1);
    long n;

    if (!is_listed(call) || (file && !strstr(path, file)))
        return false;
    n = atomic_fetch_add(&seen, 1) + 1;
    if (n < first || n >= first + number("FAIL_TIMES", 1))
        return false;
    if (mark) {
        const long fd = syscall(SYS_open, mark, O_CREAT | O_WRONLY | O_TRUNC, 0666);

        (void)syscall(SYS_write, fd, call, strlen(call));
        (void)syscall(SYS_close, fd);
    }
    errno = (int)number("FAIL_ERRNO", EIO);
    if (errno == 0)
        (void)kill(getpid(), SIGKILL);
    return true;
}

/* A file without a name has that of its folder. */
static bool fails_at(const char *call, int fd)
{
    char link[64], path[4096];
    ssize_t n;

    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    return fails(call, path);
}

/* The call of that name which comes next. */
static void *next(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

#define NEXT(name) (*(__typeof__(&(name)) *)(void *)&(void *){ next(#name) })

int open(const char *path, int flags, ...)
{
    va_list args;
    mode_t mode;

    va_start(args, flags);
    mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
    va_end(args);
    return fails("open", path) ? -1 : NEXT(open)(path, flags, mode);
}

int close(int fd)
{
    const bool failed = fails_at("close", fd);
    const int error = errno, st = NEXT(close)(fd);

    if (failed)
        errno = error;
    return failed ? -1 : st;
}

ssize_t pread(int fd, void *buf, size_t n, off_t at)
{
    return fails_at("pread", fd) ? -1 : NEXT(pread)(fd, buf, n, at);
}

ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
    return fails_at("pwrite", fd) ? -1 : NEXT(pwrite)(fd, buf, n, at);
}

ssize_t read(int fd, void *buf, size_t n)
{
    return fails_at("read", fd) ? -1 : NEXT(read)(fd, buf, n);
}

ssize_t write(int fd, const void *buf, size_t n)
{
    return fails_at("write", fd) ? -1 : NEXT(write)(fd, buf, n);
}

int fdatasync(int fd)
{
    return fails_at("fdatasync", fd) ? -1 : NEXT(fdatasync)(fd);
}

int fsync(int fd)
{
    return fails_at("fsync", fd) ? -1 : NEXT(fsync)(fd);
}

int ftruncate(int fd, off_t length)
{
    return fails_at("ftruncate", fd) ? -1 : NEXT(ftruncate)(fd, length);
}

int linkat(int from_fd, const char *from, int to_fd, const char *to, int flags)
{
    return fails("linkat", to) ? -1 : NEXT(linkat)(from_fd, from, to_fd, to, flags);
}

int link(const char *from, const char *to)
{
    return fails("link", to) ? -1 : NEXT(link)(from, to);
}

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
    return fails("renameat2", to) ? -1 : NEXT(renameat2)(from_fd, from, to_fd, to, flags);
}

int rename(const char *from, const char *to)
{
    return fails("rename", to) ? -1 : NEXT(rename)(from, to);
}

int unlink(const char *path)
{
    return fails("unlink", path) ? -1 : NEXT(unlink)(path);
}
