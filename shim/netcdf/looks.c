/* Some libraries look at a file before they ask netCDF-C for it. CDI, by which CDO reads, refuses a folder, and NCO
 * what the system has no file for, such as DATASET/VARIABLE or DATASET#commit=N. To them all that names a dataset or an
 * array looks like the beginning of a netCDF-4 file. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bridge.h"
#include "got.h"

static int begin_of_file(void)
{
    static const char magic[8] = "\211HDF\r\n\032\n";
    const int fd = memfd_create("drx-netcdf", MFD_CLOEXEC);

    if (fd >= 0 && (write(fd, magic, sizeof magic) != sizeof magic || lseek(fd, 0, SEEK_SET) != 0)) {
        (void)close(fd);
        return -1;
    }
    return fd;
}

static int look_inside(const char *path, int flags, ...)
{
    mode_t mode = 0;
    va_list more;

    if (path && (flags & O_ACCMODE) == O_RDONLY && bridge_names(path))
        return begin_of_file();
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_start(more, flags);
        mode = va_arg(more, mode_t);
        va_end(more);
    }
    return open(path, flags, mode);
}

static int look_at(const char *path, struct stat *st)
{
    const int found = stat(path, st), why = errno;
    int fd, seen;

    if (found == 0 || !path || !bridge_names(path) || (fd = begin_of_file()) < 0) {
        errno = why;
        return found;
    }
    seen = fstat(fd, st);
    (void)close(fd);
    return seen;
}

static FILE *look_through(const char *path, const char *mode)
{
    const int fd = path && *mode == 'r' && !strchr(mode, '+') && bridge_names(path) ? begin_of_file() : -1;

    return fd < 0 ? fopen(path, mode) : fdopen(fd, mode);
}

static void hook(const char *name, void *own)
{
    static const char *const libraries[] = { "/libcdi.so", "/libnco" };
    const void *old = dlsym(RTLD_DEFAULT, name);

    for (int i = 0; old && i < 2; i++)
        bridge_hook(libraries[i], name, old, own);
}

void bridge_hook_looks(void)
{
    static const union {
        int (*open)(const char *, int, ...);
        int (*stat)(const char *, struct stat *);
        FILE *(*fopen)(const char *, const char *);
        void *address;
    } inside = { .open = look_inside }, at = { .stat = look_at }, through = { .fopen = look_through };

    hook("open", inside.address);
    hook("stat", at.address);
    hook("fopen", through.address);
}
