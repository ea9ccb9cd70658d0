#include "copying.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "progress.h"
#include "sources.h"

static const char *const suffixes[] = { ".xmd", ".xta" };

enum { FILES = sizeof suffixes / sizeof suffixes[0] };

static bool look_at_files(const char *path, struct stat files[FILES])
{
    for (int i = 0; i < FILES; i++) {
        char *name;
        bool good;

        if (asprintf(&name, "%s%s", path, suffixes[i]) < 0)
            return false;
        good = stat(name, &files[i]) == 0;
        free(name);
        if (!good)
            return false;
    }
    return true;
}

/* Give the files what those that were moved had; the permissions last, since a change
 * of the owner takes some. */
static void restore(const char *path, const struct stat files[FILES])
{
    for (int i = 0; i < FILES; i++) {
        const struct timespec times[2] = { files[i].st_atim, files[i].st_mtim };
        char *name;
        bool owned;

        if (asprintf(&name, "%s%s", path, suffixes[i]) < 0)
            return;
        owned = chown(name, files[i].st_uid, files[i].st_gid) == 0;
        if (chmod(name, files[i].st_mode & (owned ? 07777 : 0777)) != 0 ||
            utimensat(AT_FDCWD, name, times, 0) != 0)
            warn("%s: its permissions and times could not be kept", name);
        free(name);
    }
}

int copy_array(const char *from, const char *to, unsigned flags)
{
    struct progress progress = { 0 };
    struct stat files[FILES];
    const bool known = look_at_files(from, files);
    const mode_t wanted = known ? files[0].st_mode & files[1].st_mode & 0777 : 0600;
    const mode_t mask = umask(077);
    drx_status st;

    /* nobody may read more of a copy than of the source, not even while it is made */
    (void)umask((flags & DRX_MOVE ? 0 : mask) | (0777 & ~wanted));
    st = drx_duplicate(from, to, flags, follow_progress, &progress);
    (void)umask(mask);
    hide_progress();
    if (st)
        return failed_to_put(from, st);
    if (drx_last_error()[0])
        warn("copied as it is: %s", drx_last_error());
    if (known && (flags & DRX_MOVE))
        restore(to, files);
    return DONE;
}
