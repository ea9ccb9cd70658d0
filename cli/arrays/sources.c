#include "arrays.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/paths.h"

bool expect_array(const char *path)
{
    return has_array(path) || !no_array(path, "array");
}

/* Two sources with one name cannot both go into the folder. */
static bool names_differ(char *const words[], int n)
{
    for (int i = 1; i < n; i++)
        for (int j = 0; j < i; j++)
            if (strcmp(base_name(words[i]), base_name(words[j])) == 0)
                return !failed("%s and %s have the same name; they cannot both go into one folder", words[j], words[i]);
    return true;
}

int for_each_source(struct args *args, int (*work)(const char *from, const char *to, unsigned flags), unsigned flags)
{
    int sources = args->nwords - 1;
    char *target = args->words[sources];
    const bool folder = is_folder(target);
    int status = DONE;

    sources = array_paths(args->words, sources);
    for (int i = 0; i < sources; i++)
        (void)means_dataset(args->words[i]); /* which drops a slash at its end */
    if (sources > 1 && !folder)
        return misused("%s: is not a folder; several SOURCEs need one as TARGET", target);
    if (!folder && *target && target[strlen(target) - 1] == '/')
        return failed("%s: no such folder", target);
    if (folder && !names_differ(args->words, sources))
        return FAILED;
    watch_interrupts();
    for (int i = 0; i < sources && !interrupted(); i++) {
        const char *from = args->words[i];
        char *to = folder ? in_folder(target, base_name(from)) : strdup(array_path(target));

        if (!to)
            return out_of_memory((int64_t)strlen(target));
        if ((!is_dataset(from) && !expect_array(from)) || !is_outside_datasets(to) || work(from, to, flags) != DONE)
            status = FAILED;
        free(to);
    }
    return status;
}

int for_each_array(struct args *args, int first, int (*work)(const char *path, const void *with), const void *with)
{
    const int end = first + array_paths(args->words + first, args->nwords - first);
    int status = DONE;

    for (int i = first; i < end && !interrupted(); i++)
        if (work(args->words[i], with) != DONE)
            status = FAILED;
    return status;
}

int failed_to_put(const char *from, drx_status st)
{
    if (st == DRX_EINTERRUPTED)
        return FAILED; /* the signal says it all */
    if (st == DRX_EEXIST)
        return failed("%s; give a new path, or --force to replace it", drx_last_error());
    return failed_drx(from, st);
}

struct looks {
    struct array_files files;
    struct stat of[2 + DRX_MAX_STRIPES];
    bool here[2 + DRX_MAX_STRIPES]; /* not a stripe on the disk of another node */
};

/* The permissions of the stripes on disks of other nodes. */
static bool look_far(const char *path, struct looks *looks)
{
    drx_array *a;
    drx_file_status file;
    bool good = drx_open(path, DRX_RDONLY, &a) == DRX_OK;

    for (int i = 0; good && i < looks->files.n; i++) {
        if (looks->here[i])
            continue;
        good = drx_file_look(a, i, &file) == DRX_OK;
        looks->of[i].st_mode = (mode_t)file.mode;
    }
    return drx_close(a) == DRX_OK && good;
}

static bool look_at_files(const char *path, struct looks *looks)
{
    bool good = list_array_files(path, &looks->files) == DRX_OK, all_here = true;

    for (int i = 0; good && i < looks->files.n; i++) {
        looks->here[i] = stat(looks->files.name[i], &looks->of[i]) == 0;
        all_here = looks->here[i] && all_here;
        good = looks->here[i] || errno == ENOENT;
    }
    return good && (all_here || look_far(path, looks));
}

/* The permissions that all files have. */
static mode_t common_mode(const struct looks *looks)
{
    mode_t mode = 0777;

    for (int i = 0; i < looks->files.n; i++)
        mode &= looks->of[i].st_mode;
    return mode;
}

/* Give a file the owner, permissions and times of the moved one. A change of the owner clears some permissions. */
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
            if (looks->here[i]) /* others have not moved */
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

    /* a copy never has more permissions than the source, not even while it is made */
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
