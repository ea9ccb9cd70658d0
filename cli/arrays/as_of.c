#include "as_of.h"

#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "files/folder.h"

drx_array *open_as_of(const char *path, int64_t commit, drx_dataset **ds)
{
    char *folder;
    drx_array *a = NULL;
    drx_status st;

    *ds = NULL;
    if (commit == DRX_LAST)
        return open_array(path, DRX_RDONLY);
    folder = folder_of(path);
    if (!folder) {
        (void)out_of_memory((int64_t)strlen(path));
        return NULL;
    }
    st = drx_dataset_open(folder, DRX_RDONLY, commit, ds);
    if (!st)
        st = drx_dataset_array(*ds, base_name(path), &a);
    if (st) {
        (void)failed_drx(path, st);
        (void)drx_dataset_close(*ds);
        a = NULL;
    }
    free(folder);
    return a;
}

int close_as_of(drx_array *a, drx_dataset *ds, const char *path, int status)
{
    drx_status st;

    if (!ds)
        return close_array(a, path, status);
    st = drx_dataset_close(ds); /* and the array */
    return st && status == DONE ? failed_drx(path, st) : status;
}
