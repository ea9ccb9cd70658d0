/* Arrays that Global Arrays' own library has stored, read only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disk.h"
#include "drx_tools.h"
#include "old_file.h"

drx_status disk_old_open(struct disk_array *a, const char *path)
{
    char why[OLD_FILE_WHY] = "";
    struct old_file *f = calloc(1, sizeof *f);
    drx_status st;

    if (!f)
        return drxgai_fail(DRX_ENOMEM, "%s: no memory for opening it", path);
    st = old_file_open(f, path, why);
    if (st) {
        old_file_close(f);
        free(f);
        return drx_fail(st, why);
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

static drx_status remove_one(const char *path, const char *suffix)
{
    char name[DISK_PATH_BYTES + 16];

    (void)snprintf(name, sizeof name, "%s%s", path, suffix);
    return unlink(name) == 0 ? DRX_OK : drxgai_fail(DRX_EIO, "%s could not be removed", name);
}

/* F.info first: without it there is no array. */
drx_status disk_old_remove(const char *path)
{
    struct disk_array a = { .old = NULL };
    drx_status st = disk_old_open(&a, path);
    int files;

    if (st)
        return st;
    files = a.old->files;
    disk_old_close(&a);
    st = remove_one(path, ".info");
    if (!st && files == 1)
        st = remove_one(path, "");
    for (int k = 0; !st && files > 1 && k < files; k++) {
        char suffix[16];

        (void)snprintf(suffix, sizeof suffix, ".%d", k);
        st = remove_one(path, suffix);
    }
    return st;
}

drx_status disk_old_read(const struct disk_array *a, const int64_t lo[], const int64_t count[], const int64_t stride[],
                         void *buf)
{
    char why[OLD_FILE_WHY] = "";
    const drx_status st = old_file_read(a->old, lo, count, stride, buf, why);

    return st ? drx_fail(st, why) : DRX_OK;
}
