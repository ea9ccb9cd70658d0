/* Some libraries look at a file before they ask netCDF-C for it. CDI, by which CDO reads, and GDAL refuse a folder, and
 * NCO what the system has no file for, such as DATASET/VARIABLE or DATASET#commit=N. Where a path names a
 * dataset or an array, they see the first bytes of a netCDF file. NCO's command that renames what it has written is
 * carried out here. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bridge.h"
#include "got.h"
#include "write/write.h"

static const char netcdf_4[8] = "\211HDF\r\n\032\n", classic[8] = "CDF\001";

static int begin_of_file(const char magic[8])
{
    const int fd = memfd_create("drx-netcdf", MFD_CLOEXEC);

    if (fd >= 0 && (write(fd, magic, 8) != 8 || lseek(fd, 0, SEEK_SET) != 0)) {
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
        return begin_of_file(netcdf_4);
    if (flags & (O_CREAT | O_TMPFILE)) {
        va_start(more, flags);
        mode = va_arg(more, mode_t);
        va_end(more);
    }
    return open(path, flags, mode);
}

static int look_at(const char *path, struct stat *st)
{
    const int fd = path && bridge_names(path) ? begin_of_file(netcdf_4) : -1;
    int seen;

    if (fd < 0)
        return stat(path, st);
    seen = fstat(fd, st);
    (void)close(fd);
    return seen;
}

/* GDAL leaves netCDF-4 files without `.nc` at their names to its driver of HDF5. */
static FILE *look_through(const char *path, const char *mode)
{
    const int fd = path && *mode == 'r' && !strchr(mode, '+') && bridge_names(path) ? begin_of_file(classic) : -1;

    return fd < 0 ? fopen(path, mode) : fdopen(fd, mode);
}

/* A word of a command of the shell, which has backslashes before its special characters; to be freed. */
static char *next_word(const char **command)
{
    char *word = strdup(*command), *to = word;
    const char *at = *command;

    for (; word && *at && *at != ' '; at++) {
        at += *at == '\\' && at[1];
        *to++ = *at;
    }
    if (word)
        *to = '\0';
    *command = at + (*at == ' ');
    return word;
}

/* NCO writes NAME.pid123.ncks.tmp, perhaps a copy of NAME, and lets the shell rename it to NAME: "/bin/mv -f FROM TO".
 * A folder would not be copied, and come into the one that has the name. */
static int run_command(const char *command)
{
    const char *rest = command ? command : "";
    char *program = next_word(&rest), *from = next_word(&rest), *to = NULL;
    const bool copies = program && strcmp(bridge_last(program), "cp") == 0;
    int st;

    while (from && *from == '-') {
        free(from);
        from = next_word(&rest);
    }
    to = from ? next_word(&rest) : NULL;
    if (to && !*rest && (copies || strcmp(bridge_last(program), "mv") == 0) && *to && bridge_names(from) &&
        bridge_names_new(to))
        st = bridge_move_place(from, to, copies) ? 1 << 8 : 0;
    else
        st = system(command);
    free(program);
    free(from);
    free(to);
    return st;
}

static void hook(const char *name, void *own)
{
    static const char *const libraries[] = { "/libcdi.so", "/libnco", "/libgdal.so" };
    const void *old = dlsym(RTLD_DEFAULT, name);

    for (int i = 0; old && i < 3; i++)
        bridge_hook(libraries[i], name, old, own);
}

void bridge_hook_looks(void)
{
    static const union {
        int (*open)(const char *, int, ...);
        int (*stat)(const char *, struct stat *);
        FILE *(*fopen)(const char *, const char *);
        int (*system)(const char *);
        void *address;
    } inside = { .open = look_inside }, at = { .stat = look_at }, through = { .fopen = look_through },
      run = { .system = run_command };

    hook("open", inside.address);
    hook("stat", at.address);
    hook("stat64", at.address); /* the same, where got.c knows the system */
    hook("fopen", through.address);
    hook("fopen64", through.address);
    hook("system", run.address);
}
