#include "datasets.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/paths.h"

static bool is_empty(const char *path)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    int others = 0;

    while (folder && (entry = readdir(folder)) != NULL)
        others += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    return folder && closedir(folder) == 0 && others == 0;
}

bool is_free_folder(const char *path, const char *otherwise)
{
    struct stat file;

    if (!is_outside_datasets(path))
        return false;
    if (has_array(path))
        return !failed("%s: an array has that name; give a new path for the folder of the dataset", path);
    if (lstat(path, &file) != 0)
        return true;
    if (is_dataset(path))
        return !failed("%s: is a dataset already; give a new path%s", path, otherwise);
    if (!S_ISDIR(file.st_mode))
        return !failed("%s: is a file; give a new path for the folder of the dataset", path);
    if (is_empty(path))
        return true; /* the new folder replaces it */
    return !failed("%s: is a folder that is not empty; give a new path for the folder of the dataset", path);
}

static int make_under(const char *temporary, const char *path, fill_work *fill, void *with)
{
    drx_dataset *ds;
    const drx_status st = drx_dataset_create(temporary, &ds);
    int status = st ? failed_drx(path, st) : close_dataset(ds, path, fill(ds, path, with));

    if (status == DONE && interrupted())
        status = FAILED;
    if (status != DONE)
        return status;
    (void)rmdir(path); /* it is empty */
    return exit_code(path, drx_dataset_rename(temporary, path));
}

int make_dataset(const char *path, fill_work *fill, void *with)
{
    const mode_t mask = umask(0);
    char *temporary = NULL;
    int status = FAILED;

    (void)umask(mask);
    watch_interrupts();
    if (asprintf(&temporary, "%s.XXXXXX", path) < 0) {
        temporary = NULL;
        (void)out_of_memory((int64_t)strlen(path));
    } else if (!mkdtemp(temporary) || chmod(temporary, 0777 & ~mask) != 0) {
        (void)failed_errno(path, "make the folder");
    } else {
        (void)snprintf(remains->temporary, PATH_MAX, "%s", temporary);
        status = make_under(temporary, path, fill, with);
        remains->complete = status == DONE;
        if (status != DONE)
            remove_folder(temporary);
    }
    free(temporary);
    return status;
}

int commit_typed(drx_dataset *ds, const char *path)
{
    const char *typed = typed_command();
    const size_t n = typed ? strlen(typed) : 0;
    char *text = typed ? utf8_of(typed, n > 4096 ? whole_characters(typed, 4096) : n) : NULL;
    const drx_status st = text ? drx_dataset_commit(ds, text) : DRX_ENOMEM;

    free(text);
    return exit_code(path, st);
}

int commit_and_close(drx_dataset *ds, const char *path, int status)
{
    if (status == DONE)
        status = commit_typed(ds, path);
    return close_dataset(ds, path, status);
}
