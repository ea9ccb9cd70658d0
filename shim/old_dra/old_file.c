#include "old_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "old_parts.h"

void old_block_extents(const struct old_file *f, const int64_t b[], int64_t extent[])
{
    for (int j = 0; j < f->ndim; j++)
        extent[j] = shim_smaller(f->block[j], f->shape[j] - b[j] * f->block[j]);
}

/* Elements before a block of a single file. The array is cut into panels along its last axis, each panel along the axis
 * before that, and so on down to the second axis. So what lies before a block along axis j is whole along the axes
 * before j, and as wide as the block along the axes after j. */
static int64_t before_in_one(const struct old_file *f, const int64_t b[], const int64_t extent[])
{
    int64_t sum = 0, whole = f->shape[0];

    for (int j = 1; j < f->ndim; j++) {
        sum = sum * extent[j] + b[j] * f->block[j] * whole;
        whole *= f->shape[j];
    }
    return sum;
}

/* The sum, over the first n indices i of blocks along axis j, of the elements that file k has of one layer of the axes
 * after j: blocks whose number is k, less what i adds to it. */
static int64_t sum_along(const struct old_file *f, int j, int64_t n, int64_t k)
{
    const int64_t *inner = f->sums + (int64_t)(j + 1) * f->files;
    const int64_t turn = f->turn[j]; /* indices after which the files come again */
    int64_t sum = 0;

    for (int64_t i = 0; i < n && i < turn; i++) {
        sum += ((n - 1 - i) / turn + 1) * inner[k];
        k -= f->advance[j];
        k += k < 0 ? f->files : 0;
    }
    return sum;
}

/* The file, modulo their number, that lies i indices along axis j before file k. */
static int64_t file_before(const struct old_file *f, int j, int64_t i, int64_t k)
{
    const int64_t back = i % f->turn[j] * f->advance[j] % f->files;

    return k >= back ? k - back : k - back + f->files;
}

/* Elements before a block of file k: number n, the last axis fastest, is in file n mod files, and each file holds its
 * blocks by number, one after the other at their true sizes. The sum goes axis by axis over the layers of whole blocks
 * before the block. */
static int64_t before_in_several(const struct old_file *f, const int64_t b[], const int64_t extent[], int64_t k)
{
    int64_t sum = 0, outer = 1;

    for (int j = 0; j < f->ndim; j++) {
        sum += outer * f->block[j] * sum_along(f, j, b[j], k);
        k = file_before(f, j, b[j], k);
        outer *= extent[j];
    }
    return sum;
}

int old_block_place(const struct old_file *f, const int64_t b[], const int64_t extent[], int64_t *begin)
{
    int64_t k = 0;

    for (int j = 0; j < f->ndim; j++)
        k = (k + b[j] % f->turn[j] * f->advance[j]) % f->files;
    *begin = f->files == 1 ? before_in_one(f, b, extent) : before_in_several(f, b, extent, k);
    *begin *= (int64_t)drx_type_size(f->type);
    return (int)k;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

/* sums[j][k]: elements that file k has of the array without its first j axes; so sums[0][k] is all of file k. */
static void sum_blocks(struct old_file *f)
{
    int64_t advance = 1 % f->files;

    f->sums[(int64_t)f->ndim * f->files] = 1; /* no axis left: one element, of file 0 */
    for (int j = f->ndim - 1; j >= 0; j--) {
        const int64_t last = (f->shape[j] - 1) / f->block[j];
        int64_t *sums = f->sums + (int64_t)j * f->files;

        f->advance[j] = advance;
        f->turn[j] = f->files / common_divisor(f->files, advance);
        for (int k = 0; k < f->files; k++)
            sums[k] = f->block[j] * sum_along(f, j, last, k) +
                      (f->shape[j] - last * f->block[j]) * sums[f->files + file_before(f, j, last, k)];
        advance = (last + 1) % f->files * advance % f->files;
    }
}

char *old_file_name(const struct old_file *f, int k)
{
    char *name;

    if (k >= 0 && f->files == 1)
        return strdup(f->path);
    return (k < 0 ? asprintf(&name, "%s.info", f->path) : asprintf(&name, "%s.%d", f->path, k)) < 0 ? NULL : name;
}

bool old_file_is_there(const char *path)
{
    char *name;
    bool is_there;

    if (asprintf(&name, "%s.info", path) < 0)
        return false;
    is_there = access(name, F_OK) == 0;
    free(name);
    return is_there;
}

static drx_status open_one(struct old_file *f, int k, const char *name)
{
    f->fds[k] = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO is not waited for */
    if (f->fds[k] >= 0)
        return DRX_OK;
    if (errno != ENOENT)
        return old_fail_errno(name, "open");
    if (f->files == 1)
        return shim_fail(DRX_EDAMAGED, "%s: no such file, expected it beside %s.info", name, f->path);
    return shim_fail(DRX_EDAMAGED, "%s: no such file, expected %s.0 to %s.%d by %s.info", name, f->path, f->path,
                     f->files - 1, f->path);
}

static drx_status check_length(const struct old_file *f, int k, const char *name)
{
    const int64_t bytes = f->sums[k] * (int64_t)drx_type_size(f->type);
    struct stat file;

    if (fstat(f->fds[k], &file) != 0)
        return old_fail_errno(name, "open");
    if (!S_ISREG(file.st_mode))
        return shim_fail(DRX_EDAMAGED, "%s: is no regular file, expected one beside %s.info", name, f->path);
    if (file.st_size < bytes)
        return shim_fail(DRX_EDAMAGED, "%s: has %lld bytes, expected %lld by %s.info", name, (long long)file.st_size,
                         (long long)bytes, f->path);
    return DRX_OK;
}

static drx_status open_all(struct old_file *f)
{
    drx_status st = DRX_OK;

    for (int k = 0; k < f->files; k++)
        f->fds[k] = -1;
    for (int k = 0; k < f->files && !st; k++) {
        char *name = old_file_name(f, k);

        st = name ? open_one(f, k, name) : old_out_of_memory(f->path);
        if (!st)
            st = check_length(f, k, name);
        free(name);
    }
    return st;
}

drx_status old_file_open(struct old_file *f, const char *path)
{
    drx_status st;

    memset(f, 0, sizeof *f);
    f->path = strdup(path);
    if (!f->path)
        return old_out_of_memory(path);
    st = old_info_read(f);
    if (st)
        return st;
    if (f->files == 1)
        f->block[0] = f->shape[0];
    f->sums = calloc((size_t)(f->ndim + 1) * (size_t)f->files, sizeof *f->sums);
    f->fds = f->sums ? malloc((size_t)f->files * sizeof *f->fds) : NULL;
    if (!f->fds)
        return old_out_of_memory(path);
    sum_blocks(f);
    return open_all(f);
}

void old_file_close(struct old_file *f)
{
    for (int k = 0; k < f->files && f->fds; k++)
        if (f->fds[k] >= 0)
            (void)close(f->fds[k]);
    free(f->fds);
    free(f->sums);
    free(f->path);
    memset(f, 0, sizeof *f);
}

/* F.info first: without it there is no array. */
drx_status old_file_remove(const char *path)
{
    struct old_file f;
    drx_status st = old_file_open(&f, path);

    for (int k = -1; k < f.files && !st; k++) {
        char *name = old_file_name(&f, k);

        if (!name || unlink(name) != 0)
            st = shim_fail(DRX_EIO, "%s could not be removed", name ? name : path);
        free(name);
    }
    old_file_close(&f);
    return st;
}
