/* Arrays that Global Arrays' own library has stored, read only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disk.h"
#include "old_file.h"

drx_status disk_old_open(struct disk_array *a, const char *path)
{
    struct old_file *f = calloc(1, sizeof *f);
    drx_status st;

    if (!f)
        return shim_fail(DRX_ENOMEM, "%s: no memory for opening it", path);
    st = old_file_open(f, path);
    if (st) {
        old_file_close(f);
        free(f);
        return st;
    }
    a->old = f;
    a->ndim = f->ndim;
    a->type = f->type;
    if (f->ndim <= DISK_MAX_NDIM) {
        memcpy(a->dims, f->shape, (size_t)f->ndim * sizeof *a->dims);
        memcpy(a->chunk, f->block, (size_t)f->ndim * sizeof *a->chunk);
    }
    (void)snprintf(a->name, sizeof a->name, "%s", f->name);
    return DRX_OK;
}

void disk_old_close(struct disk_array *a)
{
    if (a->old)
        old_file_close(a->old);
    free(a->old);
    a->old = NULL;
}
