#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "old_file.h"
#include "old_parts.h"

enum {
    STAGE_BYTES = 256 << 10, /* most that is read at once to be copied on */
    STAGE_ROWS = 512,
    LONG_ROW_BYTES = 16 << 10, /* rows from here on are read to where they belong */
    GAP_BYTES = 4 << 10        /* reading through it costs less than another call */
};

struct row {
    int64_t begin; /* byte of the file */
    char *to;
};

/* Rows of one length in one file, in increasing order, that are to be read by one call. */
struct batch {
    const struct old_file *f;
    int file;
    int64_t row_bytes;
    int n;
    struct row rows[STAGE_ROWS];
    char *stage; /* NULL: not needed so far */
    char *why;
};

static drx_status read_bytes(const struct batch *b, char *to, int64_t n, int64_t begin)
{
    char *name = NULL;
    drx_status st = DRX_OK;

    while (n > 0 && !st) {
        const ssize_t got = pread(b->f->fds[b->file], to, (size_t)old_min(n, 1 << 30), begin);

        if (got < 0 && errno == EINTR)
            continue;
        if (got > 0) {
            to += got, begin += got, n -= got;
            continue;
        }
        name = old_file_name(b->f, b->file);
        if (got < 0)
            st = old_fail_errno(b->why, name ? name : b->f->path, "read");
        else
            st = old_fail(b->why, DRX_EDAMAGED, "%s: ends at byte %lld, expected %lld more", name ? name : b->f->path,
                          (long long)begin, (long long)n);
    }
    free(name);
    return st;
}

static drx_status read_batch(struct batch *b)
{
    const int64_t begin = b->rows[0].begin;
    const int n = b->n;
    drx_status st;

    b->n = 0;
    if (n == 0)
        return DRX_OK;
    if (n == 1)
        return read_bytes(b, b->rows[0].to, b->row_bytes, begin);
    if (!b->stage)
        b->stage = malloc(STAGE_BYTES);
    if (!b->stage)
        return old_out_of_memory(b->why, b->f->path);
    st = read_bytes(b, b->stage, b->rows[n - 1].begin + b->row_bytes - begin, begin);
    for (int i = 0; i < n && !st; i++)
        memcpy(b->rows[i].to, b->stage + (b->rows[i].begin - begin), (size_t)b->row_bytes);
    return st;
}

static drx_status add_row(struct batch *b, int64_t begin, char *to)
{
    const struct row *last = b->rows + b->n - 1;
    drx_status st = DRX_OK;

    if (b->n > 0 &&
        (b->n == STAGE_ROWS || b->row_bytes >= LONG_ROW_BYTES || begin - last->begin - b->row_bytes > GAP_BYTES ||
         begin + b->row_bytes - b->rows[0].begin > STAGE_BYTES))
        st = read_batch(b);
    b->rows[b->n++] = (struct row){ begin, to };
    return st;
}

/* Part of a box: what lies in one block. */
struct part {
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM]; /* in the block */
    int64_t extent[DRX_MAX_NDIM];                  /* of the block */
    int64_t at[DRX_MAX_NDIM];                      /* where it begins in the box */
};

static void find_part(const struct old_file *f, const int64_t b[], const int64_t lo[], const int64_t count[],
                      struct part *p)
{
    old_block_extents(f, b, p->extent);
    for (int j = 0; j < f->ndim; j++) {
        const int64_t first = b[j] * f->block[j];
        const int64_t begin = old_max(lo[j], first), end = old_min(lo[j] + count[j], first + p->extent[j]);

        p->lo[j] = begin - first;
        p->count[j] = end - begin;
        p->at[j] = begin - lo[j];
    }
}

/* The next index in a box of the first n axes, the last one fastest. */
static bool next_index(int64_t index[], const int64_t lo[], const int64_t end[], int n)
{
    for (int j = n - 1; j >= 0; j--) {
        if (++index[j] < end[j])
            return true;
        index[j] = lo[j];
    }
    return false;
}

/* Element number of `index` + `from` in a box of these extents. */
static int64_t element(int ndim, const int64_t extent[], const int64_t from[], const int64_t index[])
{
    int64_t e = 0;

    for (int j = 0; j < ndim; j++)
        e = e * extent[j] + from[j] + index[j];
    return e;
}

/* Row by row; a row goes over as many axes as are whole in the block and in memory. */
static drx_status read_part(struct batch *batch, const struct part *p, const int64_t count[], int64_t begin, char *buf)
{
    static const int64_t zero[DRX_MAX_NDIM];
    const int64_t bytes = old_type_bytes(batch->f->type);
    const int ndim = batch->f->ndim;
    int64_t index[DRX_MAX_NDIM] = { 0 };
    int outer = ndim - 1;
    drx_status st = DRX_OK;

    batch->row_bytes = p->count[outer] * bytes;
    for (; outer > 0 && p->count[outer] == p->extent[outer] && p->count[outer] == count[outer]; outer--)
        batch->row_bytes *= p->count[outer - 1];
    do
        st = add_row(batch, begin + element(ndim, p->extent, p->lo, index) * bytes,
                     buf + element(ndim, count, p->at, index) * bytes);
    while (!st && next_index(index, zero, p->count, outer));
    return st ? st : read_batch(batch);
}

static drx_status check_box(const struct old_file *f, const int64_t lo[], const int64_t count[], char why[OLD_FILE_WHY])
{
    for (int j = 0; j < f->ndim; j++)
        if (lo[j] < 0 || count[j] < 0 || lo[j] > f->shape[j] || count[j] > f->shape[j] - lo[j])
            return old_fail(why, DRX_ERANGE, "%s: %lld elements from %lld on of axis %d, expected them within %lld",
                            f->path, (long long)count[j], (long long)lo[j], j, (long long)f->shape[j]);
    return DRX_OK;
}

drx_status old_file_read(const struct old_file *f, const int64_t lo[], const int64_t count[], void *buf,
                         char why[OLD_FILE_WHY])
{
    struct batch batch = { .f = f, .why = why };
    int64_t first[DRX_MAX_NDIM], end[DRX_MAX_NDIM], b[DRX_MAX_NDIM];
    struct part part;
    int64_t begin;
    drx_status st = check_box(f, lo, count, why);

    for (int j = 0; j < f->ndim && !st; j++) {
        if (count[j] == 0)
            return DRX_OK;
        b[j] = first[j] = lo[j] / f->block[j];
        end[j] = (lo[j] + count[j] - 1) / f->block[j] + 1;
    }
    while (!st) {
        find_part(f, b, lo, count, &part);
        batch.file = old_block_place(f, b, part.extent, &begin);
        st = read_part(&batch, &part, count, begin, buf);
        if (!next_index(b, first, end, f->ndim))
            break;
    }
    free(batch.stage);
    return st;
}
