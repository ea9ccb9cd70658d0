/* CDI, by which CDO reads, and NCO look at a file before they ask netCDF-C for it. What names a dataset or an array looks
 * to them like a file, and to CDI like the beginning of one of netCDF-4. */
#include <dlfcn.h>
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

static int look(const char *path, int flags, ...)
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

static FILE *look_at_stream(const char *restrict path, const char *restrict mode)
{
    const bool ours = path && mode && mode[0] == 'r' && !strchr(mode, '+') && bridge_names(path);
    const int fd = ours ? begin_of_file() : -1;

    return fd >= 0 ? fdopen(fd, mode) : fopen(path, mode);
}

static int look_at_state(const char *restrict path, struct stat *restrict st)
{
    const int found = stat(path, st);

    if ((found == 0 && !S_ISDIR(st->st_mode)) || !path || !bridge_names(path))
        return found;
    if (found != 0)
        *st = (struct stat){ .st_nlink = 1 };
    st->st_mode = S_IFREG | S_IRUSR | S_IRGRP | S_IROTH;
    return 0;
}

void bridge_hook_looks(void)
{
    static const union {
        int (*open)(const char *, int, ...);
        FILE *(*stream)(const char *restrict, const char *restrict);
        int (*state)(const char *restrict, struct stat *restrict);
        void *address;
    } own_open = { look }, own_stream = { .stream = look_at_stream }, own_state = { .state = look_at_state };
    static const struct {
        const char *library, *name;
        void *const *own;
    } looks[] = {
        { "/libcdi.so", "open", &own_open.address },
        { "/libcdi.so", "stat", &own_state.address },
        { "/libnco", "fopen", &own_stream.address },
        { "/libnco", "stat", &own_state.address },
    };

    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++) {
        const void *theirs = dlsym(RTLD_DEFAULT, looks[i].name);

        if (theirs)
            bridge_hook(looks[i].library, looks[i].name, theirs, *looks[i].own);
    }
}
