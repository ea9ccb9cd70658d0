#include "paths.h"

#include <stdlib.h>
#include <string.h>

#include "frame/cli.h"

char *dataset_above(const char *path, const char **inside)
{
    char *folder = folder_of(path), *next;

    while (folder && !is_dataset(folder)) {
        const char *own = base_name(folder);

        next = strcmp(own, ".") != 0 && strcmp(own, "..") != 0 ? folder_of(folder) : NULL;
        if (next && strcmp(next, folder) == 0) {
            free(next);
            next = NULL;
        }
        free(folder);
        folder = next;
    }
    if (folder) {
        *inside = strncmp(path, folder, strlen(folder)) == 0 ? path + strlen(folder) : path;
        *inside += strspn(*inside, "/");
    }
    return folder;
}

char *path_beside_dataset(const char *path)
{
    const char *name = base_name(path), *inside;
    char *folder = drx_is_url(path) ? NULL : dataset_above(path, &inside), *beside = NULL;

    if (folder) {
        const char *own = base_name(folder);

        if (strcmp(own, ".") == 0 || strcmp(own, "..") == 0)
            beside = asprintf(&beside, "%s/../%s", folder, name) < 0 ? NULL : beside;
        else
            beside = asprintf(&beside, "%.*s%s", (int)(own - folder), folder, name) < 0 ? NULL : beside;
    }
    free(folder);
    return beside;
}

/* Has the dataset such a part? `otherwise`: nobody can tell. */
static bool has_part(const char *folder, find_part *find, const char *name, bool otherwise)
{
    drx_dataset *ds;
    bool has = otherwise;

    if (drx_dataset_open(folder, DRX_RDONLY, DRX_LAST, &ds) == DRX_OK) {
        has = find(ds, name) >= 0;
        (void)drx_dataset_close(ds);
    }
    return has;
}

char *dataset_with(const char *path, find_part *has, const char **inside)
{
    char *folder = drx_is_url(path) ? NULL : dataset_above(path, inside);

    if (folder && has_part(folder, has, *inside, false))
        return folder;
    free(folder);
    return NULL;
}

int find_variable_or_group(const drx_dataset *ds, const char *name)
{
    const int i = drx_dataset_find(ds, name);

    return i < 0 ? drx_dataset_group_find(ds, name) : i;
}

int find_in_scope(const drx_dataset *ds, find_part *find, const char *of, const char *name)
{
    char *path = NULL;
    int found = name[0] == '/' ? find(ds, name + 1) : -1;

    for (size_t n = strlen(of); found < 0 && n > 0 && name[0] != '/';) {
        while (n > 0 && of[n - 1] != '/')
            n--;
        if (asprintf(&path, "%.*s%s", (int)n, of, name) < 0)
            return -1;
        found = find(ds, path);
        free(path);
        n -= n > 0;
    }
    return found;
}

bool names_group(const char *path)
{
    const char *inside;
    char *folder = dataset_with(path, drx_dataset_group_find, &inside);

    free(folder);
    return folder != NULL;
}

void drop_slash_of_group(char *word)
{
    const size_t n = strlen(word);

    drop_slashes(word);
    if (strlen(word) < n && !names_group(word))
        word[strlen(word)] = '/';
}

char *dataset_of(const char *path)
{
    const char *inside;

    return dataset_with(path, drx_dataset_find, &inside);
}

bool has_array(const char *path)
{
    const char *inside;
    char *folder = drx_is_url(path) ? NULL : dataset_above(path, &inside);
    bool has = has_array_file(path);

    if (folder) /* whose files may have names that variables had before */
        has = has_part(folder, drx_dataset_find, inside, has);
    free(folder);
    return has;
}

bool is_outside_datasets(const char *path)
{
    const char *inside;
    char *beside = path_beside_dataset(path), *folder = beside ? dataset_above(path, &inside) : NULL;
    const bool outside = !folder || has_part(folder, drx_dataset_find, inside, true);

    if (!outside)
        (void)failed("%s: the folder %s is a dataset, which holds its variables alone; give a path outside of it, such "
                     "as %s, or "
                     "add a variable: 'drx add %s %s SOURCE'",
                     path, folder, beside, folder, inside);
    free(beside);
    free(folder);
    return outside;
}
