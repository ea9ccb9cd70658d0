#include "copying.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrays/arrays.h"
#include "frame/progress.h"
#include "sources.h"

struct looks {
    struct array_files files;
    struct stat of[1 + DRX_MAX_STRIPES];
};

static bool look_at_files(const char *path, struct looks *looks)
{
    bool good = list_array_files(path, &looks->files) == DRX_OK;

    for (int i = 0; i < looks->files.n; i++)
        good = stat(looks->files.name[i], &looks->of[i]) == 0 && good;
    return good;
}

/* What all of them allow. */
static mode_t common_mode(const struct looks *looks)
{
    mode_t mode = 0777;

    for (int i = 0; i < looks->files.n; i++)
        mode &= looks->of[i].st_mode;
    return mode;
}

/* Give a file what the one that was moved had; the permissions last, since a change of the owner takes some. */
static void restore(const char *name, const struct stat *file)
{
    const struct timespec times[2] = { file->st_atim, file->st_mtim };
    const bool owned = chown(name, file->st_uid, file->st_gid) == 0;

    if (chmod(name, file->st_mode & (owned ? 07777 : 0777)) != 0 || utimensat(AT_FDCWD, name, times, 0) != 0)
        warn("%s: its permissions and times could not be kept", name);
}

static void restore_all(const char *path, const struct looks *looks)
{
    struct array_files files;

    if (list_array_files(path, &files) == DRX_OK)
        for (int i = 0; i < files.n && i < looks->files.n; i++)
            restore(files.name[i], &looks->of[i]);
    free_array_files(&files);
}

int copy_array(const char *from, const char *to, unsigned flags)
{
    struct progress progress = { 0 };
    struct looks looks;
    const bool known = look_at_files(from, &looks);
    const mode_t wanted = known ? common_mode(&looks) : 0600;
    const mode_t mask = umask(077);
    drx_status st;
    int status;

    /* nobody may read more of a copy than of the source, not even while it is made */
    (void)umask((flags & DRX_MOVE ? 0 : mask) | (0777 & ~wanted));
    st = drx_duplicate(from, to, flags, follow_progress, &progress);
    (void)umask(mask);
    hide_progress();
    if (!st && drx_last_error()[0])
        warn("copied with its damage: %s", drx_last_error());
    status = st ? failed_to_put(from, st) : DONE;
    if (!st && known && (flags & DRX_MOVE))
        restore_all(to, &looks);
    free_array_files(&looks.files);
    return status;
}
