#include "datasets.h"

#include <stdlib.h>
#include <string.h>

#include "files/paths.h"

int rename_part(drx_dataset *ds, const char *path, const char *old, const char *new, unsigned parts)
{
    static find_part *const find[] = {
        [DRX_GROUP] = drx_dataset_group_find, [DRX_DIMENSION] = drx_dataset_dim_find, [DRX_VARIABLE] = drx_dataset_find
    };
    const unsigned both = 1U << DRX_GROUP | 1U << DRX_DIMENSION;
    unsigned found = 0;
    drx_status st = DRX_OK;

    for (int part = DRX_GROUP; part <= DRX_VARIABLE; part++)
        found |= (unsigned)(find[part](ds, old) >= 0) << part;
    if (!parts && (found & both) == both)
        return misused("%s: '%s' is a group and a dimension; give --group or --dimension", path, old);
    found &= parts ? parts : ~0U;
    if (!found)
        return failed("%s: has no %s '%s'; 'drx info %s' lists what it has", path,
                      !parts                       ? "variable, dimension or group"
                      : parts >> DRX_VARIABLE & 1  ? "variable"
                      : parts >> DRX_DIMENSION & 1 ? "dimension"
                                                   : "group",
                      old, path);
    for (int part = DRX_GROUP; !st && part <= DRX_VARIABLE; part++)
        if (found >> part & 1)
            st = drx_dataset_set_name(ds, part, old, new);
    if (!st && found & both)
        st = rename_unlimited(ds, old, new);
    return exit_code(path, st);
}

int remove_part(const char *folder, const char *path, const char *inside)
{
    drx_dataset *ds = open_dataset(folder, DRX_RDWR, DRX_LAST);
    drx_status st = DRX_OK;

    if (ds)
        st = drx_dataset_find(ds, inside) >= 0 ? drx_dataset_remove(ds, inside) : drx_dataset_remove_group(ds, inside);
    return ds ? commit_and_close(ds, folder, exit_code(path, st)) : FAILED;
}

int move_part(const char *folder, const char *path, const char *inside, const char *to)
{
    const size_t group = (size_t)(base_name(inside) - inside);
    const char *name;
    char *there = dataset_above(to, &name);
    const bool stays = there && is_same_file(there, folder) && !is_dataset(to) &&
                       (size_t)(base_name(name) - name) == group && strncmp(name, inside, group) == 0;
    drx_dataset *ds = stays ? open_dataset(folder, DRX_RDWR, DRX_LAST) : NULL;
    int status = FAILED;

    if (!stays)
        (void)failed("%s: is part of the dataset %s, and drx mv gives it another name in its group alone: drx mv %s "
                     "%.*sNEW; drx add puts a variable elsewhere in a dataset, drx cp makes an array of it, and drx rm "
                     "removes it here",
                     path, folder, path, (int)(base_name(path) - path), path);
    else if (ds)
        status = commit_and_close(ds, folder, rename_part(ds, folder, inside, name, 0));
    free(there);
    return status;
}
