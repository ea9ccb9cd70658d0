/* Arrays that Global Arrays' own library has stored, read only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disk.h"
#include "old_file.h"

enum { PIECE_BYTES = 1 << 18 };

bool disk_old_is_there(const char *path)
{
    return old_file_is_there(path);
}

drx_status disk_old_open(struct disk_array *a, const char *path)
{
    char why[OLD_FILE_WHY] = "";
    struct old_file *f = calloc(1, sizeof *f);
    drx_status st;

    if (!f)
        return disk_fail(DRX_ENOMEM, "%s: no memory for opening it", path);
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
    return unlink(name) == 0 ? DRX_OK : disk_fail(DRX_EIO, "%s could not be removed", name);
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

/* ---- reading ---------------------------------------------------------------------------- */

static drx_status read_piece(const struct disk_array *a, const int64_t lo[], const int64_t count[],
                             const int64_t stride[], char *buf, size_t bytes)
{
    char why[OLD_FILE_WHY] = "";
    char *dense = malloc(bytes);
    drx_status st;

    if (!dense)
        return disk_fail(DRX_ENOMEM, "%s: no memory for %zu bytes", a->path, bytes);
    st = old_file_read(a->old, lo, count, dense, why);
    if (st)
        (void)drx_fail(st, why);
    else
        disk_scatter(a->ndim, count, stride, drx_type_size(a->type), dense, buf);
    free(dense);
    return st;
}

/* A box that is large in halves. */
drx_status disk_old_read(const struct disk_array *a, const int64_t lo[], const int64_t count[], const int64_t stride[],
                         void *buf)
{
    const size_t item_bytes = drx_type_size(a->type);
    int64_t part_lo[DISK_MAX_NDIM], part[DISK_MAX_NDIM], half;
    size_t bytes = item_bytes;
    drx_status st;
    int cut = 0;

    for (int j = 0; j < a->ndim; j++) {
        bytes *= (size_t)count[j];
        cut = count[cut] > 1 ? cut : j; /* the slowest that can be cut */
    }
    if (bytes <= PIECE_BYTES || count[cut] == 1)
        return read_piece(a, lo, count, stride, buf, bytes);
    memcpy(part_lo, lo, (size_t)a->ndim * sizeof *lo);
    memcpy(part, count, (size_t)a->ndim * sizeof *count);
    half = part[cut] = count[cut] / 2;
    st = disk_old_read(a, part_lo, part, stride, buf);
    if (st)
        return st;
    part_lo[cut] += half;
    part[cut] = count[cut] - half;
    return disk_old_read(a, part_lo, part, stride, (char *)buf + half * stride[cut] * (int64_t)item_bytes);
}
