/* The name of an open file: none, another one while it is parked, or its own. */
#include "base/hooks.h"
#include "io/posix/posix.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

drx_status drxi_posix_file_named(drxi_io *io, bool *named)
{
    struct stat here;
    struct stat there;

    if (fstat(drxi_posix_fd(io), &here) != 0)
        return drxi_fail_errno(errno, "%s: asking for its inode", io->path);
    if (stat(io->path, &there) != 0) {
        *named = false;
        return errno == ENOENT || errno == ENOTDIR ? DRX_OK : drxi_fail_errno(errno, "%s: looking it up", io->path);
    }
    *named = here.st_ino == there.st_ino && here.st_dev == there.st_dev;
    return DRX_OK;
}

/* Give the file the first free name made with DRXI_OTHER_FORMAT. */
static drx_status take_other(struct posix_io *file)
{
    char proc[32];
    int error = EEXIST;

    (void)snprintf(proc, sizeof proc, "/proc/self/fd/%d", file->fd);
    for (unsigned i = 0; i < DRXI_OTHER_NAMES; i++) {
        char *other = drxi_format(DRXI_OTHER_FORMAT, file->io.path, (long)getpid(), i);
        int failed;

        if (!other)
            return DRX_ENOMEM;
        failed = file->name == NAMELESS ? linkat(AT_FDCWD, proc, AT_FDCWD, other, AT_SYMLINK_FOLLOW)
                                        : drxi_posix_rename(file->io.path, other);
        if (!failed) {
            file->other_name = other;
            file->name = PARKED;
            return DRX_OK;
        }
        error = errno;
        drxi_free(other);
        if (error != EEXIST)
            break;
    }
    return drxi_fail_errno(error, "%s: giving it another name", file->io.path);
}

drx_status drxi_posix_file_park(drxi_io *io)
{
    struct posix_io *file = (struct posix_io *)io;

    if (file->name == PARKED)
        return DRX_OK;
    drxi_free(file->other_name);
    file->other_name = NULL;
    return take_other(file);
}

drx_status drxi_posix_file_name(drxi_io *io)
{
    struct posix_io *file = (struct posix_io *)io;
    drx_status st = file->name == NAMELESS ? take_other(file) : DRX_OK;

    if (st)
        return st;
    if (file->name == PARKED && drxi_posix_rename(file->other_name, io->path) != 0)
        return drxi_fail_errno(errno, "%s: giving it this name", io->path);
    file->name = NAMED;
    return DRX_OK;
}

void drxi_posix_file_keep(drxi_io *io)
{
    struct posix_io *file = (struct posix_io *)io;

    if (file->name == PARKED)
        file->name = NAMED;
}

drx_status drxi_posix_file_sole(drxi_io *io)
{
    struct stat here, there;

    if (fstat(drxi_posix_fd(io), &here) != 0 || lstat(io->path, &there) != 0)
        return drxi_fail_errno(errno, "%s: looking it up", io->path);
    if (S_ISLNK(there.st_mode))
        return drxi_fail(DRX_EUNSUPPORTED, "%s: a symbolic link, which a new file would replace", io->path);
    if (here.st_ino != there.st_ino || here.st_dev != there.st_dev)
        return drxi_fail(DRX_EBUSY, "%s: names another file now", io->path);
    if (here.st_nlink != 1)
        return drxi_fail(DRX_EUNSUPPORTED, "%s: has %ld names, and the others would keep the old file", io->path,
                         (long)here.st_nlink);
    return DRX_OK;
}

/* Give the file the owner and the rights of `old`. The owner comes first, because changing it removes rights. */
static drx_status copy_rights(int fd, const drxi_io *old)
{
    struct stat status, own;

    if (fstat(drxi_posix_fd(old), &status) != 0 || fstat(fd, &own) != 0)
        return drxi_fail_errno(errno, "%s: asking for its rights", old->path);
    if (status.st_uid != own.st_uid && fchown(fd, status.st_uid, (gid_t)-1) != 0)
        errno = 0; /* not permitted */
    if (status.st_gid != own.st_gid && fchown(fd, (uid_t)-1, status.st_gid) != 0)
        errno = 0;
    if (fchmod(fd, status.st_mode & 0777) != 0)
        return drxi_fail_errno(errno, "%s: giving a new file its rights", old->path);
    return DRX_OK;
}

drx_status drxi_posix_file_replace(drxi_io *io, drxi_io *old)
{
    struct posix_io *file = (struct posix_io *)io;
    drx_status st = drxi_posix_file_sole(old);

    if (!st)
        st = copy_rights(file->fd, old);
    if (!st && file->name == NAMELESS)
        st = take_other(file);
    if (!st && rename(file->other_name, io->path) != 0)
        st = drxi_fail_errno(errno, "%s: putting a new file in its place", io->path);
    if (!st)
        file->name = NAMED;
    return st;
}

drx_status drxi_posix_file_alias(drxi_io *io, struct drxi_alias *out)
{
    const struct posix_io *file = (const struct posix_io *)io;
    struct stat status;
    int n;

    if (fstat(file->fd, &status) != 0)
        return drxi_fail_errno(errno, "%s: asking for its inode", io->path);
    out->id[0] = status.st_dev;
    out->id[1] = status.st_ino;
    if (file->name == NAMELESS)
        n = snprintf(out->path, sizeof out->path, "/proc/%ld/fd/%d", (long)getpid(), file->fd);
    else
        n = snprintf(out->path, sizeof out->path, "%s", file->name == PARKED ? file->other_name : io->path);
    if (n < (int)sizeof out->path && !(file->name == NAMELESS && drxi_hooks.no_aliases))
        return DRX_OK;
    return drxi_fail(DRX_EUNSUPPORTED, "%s: other processes cannot open it without its name", io->path);
}
