#include "dataset_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drx_dataset.h"
#include "folder.h"
#include "frame/cli.h"

char *path_beside_dataset(const char *path)
{
    char *folder = drx_is_url(path) ? NULL : folder_of(path), *beside = NULL;
    const char *name = base_name(path);

    if (folder && is_dataset(folder)) {
        const char *own = base_name(folder);

        if (strcmp(own, ".") == 0 || strcmp(own, "..") == 0)
            beside = asprintf(&beside, "%s/../%s", folder, name) < 0 ? NULL : beside;
        else
            beside = asprintf(&beside, "%.*s%s", (int)(own - folder), folder, name) < 0 ? NULL : beside;
    }
    free(folder);
    return beside;
}

/* Is it a variable of the dataset in that folder? `otherwise`: nobody can tell. */
static bool is_variable(const char *folder, const char *name, bool otherwise)
{
    drx_dataset *ds;
    bool is = otherwise;

    if (drx_dataset_open(folder, DRX_RDONLY, DRX_LAST, &ds) == DRX_OK) {
        is = drx_dataset_find(ds, name) >= 0;
        (void)drx_dataset_close(ds);
    }
    return is;
}

char *dataset_of(const char *path)
{
    char *folder = drx_is_url(path) ? NULL : folder_of(path);

    if (folder && is_dataset(folder) && is_variable(folder, base_name(path), false))
        return folder;
    free(folder);
    return NULL;
}

bool has_array(const char *path)
{
    char *folder = NULL;
    const bool has = has_array_file(path) || (folder = dataset_of(path)) != NULL;

    free(folder);
    return has;
}

bool is_outside_datasets(const char *path)
{
    char *beside = path_beside_dataset(path), *folder = folder_of(path);
    const bool outside = !beside || !folder || is_variable(folder, base_name(path), true);

    if (!outside)
        (void)failed(
            "%s: the folder %s is a dataset, which holds its variables alone; give a path outside of it, such as %s",
            path, folder, beside);
    free(beside);
    free(folder);
    return outside;
}
