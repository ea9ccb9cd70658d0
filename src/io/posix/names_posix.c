/* Names of files of the operating system. */
#include "base/hooks.h"
#include "io/posix/posix.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

char *drxi_posix_folder(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? drxi_format("%.*s", (int)(slash - path + 1), path) : drxi_strdup(".");
}

drx_status drxi_posix_fail(int error, const char *path, const char *what)
{
    const char *slash = *path && (error == ENOENT || error == ENOTDIR) ? strchr(path + 1, '/') : NULL;

    for (; slash; slash = strchr(slash + 1, '/')) {
        char *folder = drxi_format("%.*s", (int)(slash - path), path);
        struct stat status;
        drx_status st = DRX_OK;

        if (!folder)
            return DRX_ENOMEM;
        if (stat(folder, &status) == 0)
            st = S_ISDIR(status.st_mode) ? DRX_OK : drxi_fail(DRX_ENOENT, "%s: %s is not a folder", path, folder);
        else if (errno == ENOENT)
            st = drxi_fail(DRX_ENOENT, "%s: the folder %s does not exist", path, folder);
        drxi_free(folder);
        if (st)
            return st;
    }
    return error == ENOENT ? drxi_fail(DRX_ENOENT, "%s: no such %s", path, what) : drxi_fail_errno(error, "%s", path);
}

/* Where the system has no such call, a check comes first. The caller holds lock_folder, so names do not change
 * meanwhile. */
int drxi_posix_rename(const char *from, const char *to)
{
    struct stat there;

    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    if (lstat(to, &there) != 0)
        return rename(from, to);
    errno = EEXIST;
    return -1;
}

drx_status drxi_posix_remove(const char *path)
{
    return unlink(path) == 0 ? DRX_OK : drxi_fail_errno(errno, "%s: removing it", path);
}

drx_status drxi_posix_link(const char *from, const char *to, bool *can)
{
    *can = !drxi_hooks.no_links;
    if (!*can || link(from, to) == 0)
        return DRX_OK;
    *can = errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS && errno != EMLINK;
    return *can ? drxi_fail_errno(errno, "%s: linking it to %s", from, to) : DRX_OK;
}

drx_status drxi_posix_move(const char *from, const char *to)
{
    return drxi_posix_rename(from, to) == 0 ? DRX_OK : drxi_fail_errno(errno, "%s: renaming it to %s", from, to);
}

drx_status drxi_posix_exchange(const char *a, const char *b, bool *can)
{
    *can = renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE) == 0;
    return *can || errno == EINVAL || errno == ENOSYS ? DRX_OK
                                                      : drxi_fail_errno(errno, "%s: exchanging it with %s", a, b);
}

static drx_status stat_name(const char *path, struct stat *status, bool *there)
{
    *there = stat(path, status) == 0;
    return *there || errno == ENOENT || errno == ENOTDIR ? DRX_OK : drxi_fail_errno(errno, "%s: looking it up", path);
}

drx_status drxi_posix_same(const char *a, const char *b, bool *same)
{
    struct stat x, y;
    bool there = false;
    drx_status st = stat_name(a, &x, &there);

    *same = false;
    if (!st && there)
        st = stat_name(b, &y, &there);
    if (!st)
        *same = there && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    return st;
}

static drx_status look_at_folder(const char *path, struct stat *status)
{
    char *folder = drxi_posix_folder(path);
    drx_status st = DRX_OK;

    if (!folder)
        return DRX_ENOMEM;
    if (stat(folder, status) != 0)
        st = drxi_posix_fail(errno, path, "file");
    drxi_free(folder);
    return st;
}

drx_status drxi_posix_order(const char *a, const char *b, int *order, bool *apart)
{
    struct stat x, y;
    drx_status st = look_at_folder(a, &x);

    if (!st)
        st = look_at_folder(b, &y);
    if (st)
        return st;
    *apart = x.st_dev != y.st_dev;
    *order = *apart ? (x.st_dev < y.st_dev ? -1 : 1) : (x.st_ino > y.st_ino) - (x.st_ino < y.st_ino);
    return DRX_OK;
}

drx_status drxi_posix_absolute(const char *folder, char **out)
{
    char *path = realpath(folder, NULL);
    const int error = errno;

    *out = path ? drxi_strdup(path) : NULL;
    free(path);
    return path ? (*out ? DRX_OK : DRX_ENOMEM) : drxi_fail_errno(error, "%s", folder);
}

/* The system grants a write lease only when nobody else has the file open. */
drx_status drxi_posix_idle(const char *path, bool *idle)
{
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    *idle = false;
    if (fd < 0)
        return drxi_fail_errno(errno, "%s", path);
    *idle = fcntl(fd, F_SETLEASE, F_WRLCK) == 0;
    if (*idle)
        (void)fcntl(fd, F_SETLEASE, F_UNLCK);
    (void)close(fd);
    return DRX_OK;
}

void drxi_posix_look(const char *path, bool follow, struct drxi_looked *out)
{
    struct stat file;

    memset(out, 0, sizeof *out);
    out->there = (follow ? stat(path, &file) : lstat(path, &file)) == 0;
    if (out->there) {
        out->regular = S_ISREG(file.st_mode);
        out->owner = file.st_uid;
        out->mode = file.st_mode & 07777;
        out->bytes = file.st_size;
        out->stored_bytes = (int64_t)file.st_blocks * 512;
        out->changed = file.st_mtime;
    }
}

/* Whether DRXI_OTHER_FORMAT makes `name` from `own`. */
static bool is_other(const char *name, const char *own)
{
    const size_t n = strlen(own);
    long process;
    unsigned number;
    int end = 0;

    return strncmp(name, own, n) == 0 && sscanf(name + n, ".new-%ld-%u%n", &process, &number, &end) == 2 &&
           name[n + (size_t)end] == '\0';
}

drx_status drxi_posix_list(const char *folder, void (*seen)(void *user, const char *name), void *user)
{
    DIR *names = opendir(folder);
    const struct dirent *entry;
    drx_status st = DRX_OK;

    if (!names && errno == ENOENT)
        return drxi_posix_fail(errno, folder, "folder");
    if (!names)
        return drxi_fail_errno(errno, "%s: listing it", folder);
    for (errno = 0; (entry = readdir(names)) != NULL; errno = 0)
        seen(user, entry->d_name);
    if (errno)
        st = drxi_fail_errno(errno, "%s: listing it", folder);
    (void)closedir(names);
    return st;
}

/* Of names, those that is_other. */
struct others {
    const char *own;
    void (*seen)(void *user, const char *name);
    void *user;
};

static void see_other(void *user, const char *name)
{
    const struct others *o = user;

    if (is_other(name, o->own))
        o->seen(o->user, name);
}

drx_status drxi_posix_others(const char *path, void (*seen)(void *user, const char *name), void *user)
{
    const char *slash = strrchr(path, '/');
    char *folder = drxi_posix_folder(path);
    struct others o = { slash ? slash + 1 : path, seen, user };
    drx_status st = folder ? drxi_posix_list(folder, see_other, &o) : DRX_ENOMEM;

    drxi_free(folder);
    return st;
}

drx_status drxi_posix_make_folder(const char *path)
{
    if (mkdir(path, 0777) == 0)
        return DRX_OK;
    return errno == ENOENT ? drxi_posix_fail(errno, path, "folder")
                           : drxi_fail_errno(errno, "%s: making the folder", path);
}

drx_status drxi_posix_remove_folder(const char *path)
{
    return rmdir(path) == 0 ? DRX_OK : drxi_fail_errno(errno, "%s: removing the folder", path);
}
