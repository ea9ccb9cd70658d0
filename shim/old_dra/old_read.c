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

/* Elements that follow on each other in the file. */
struct row {
    int64_t begin, bytes; /* of the file */
    char *to;
};

/* Rows in one file, in increasing order, that are to be read by one call. */
struct batch {
    const struct old_file *f;
    int file;
    int64_t item_bytes, step_bytes; /* of an element; between elements of a row in memory */
    int n;
    struct row rows[STAGE_ROWS];
    char *stage; /* NULL: not needed so far */
};

static drx_status read_bytes(const struct batch *b, char *to, int64_t n, int64_t begin)
{
    char *name = NULL;
    drx_status st = DRX_OK;

    while (n > 0 && !st) {
        const ssize_t got = pread(b->f->fds[b->file], to, (size_t)shim_smaller(n, 1 << 30), begin);

        if (got < 0 && errno == EINTR)
            continue;
        if (got > 0) {
            to += got, begin += got, n -= got;
            continue;
        }
        name = old_file_name(b->f, b->file);
        if (got < 0)
            st = old_fail_errno(name ? name : b->f->path, "read");
        else
            st = shim_fail(DRX_EDAMAGED, "%s: ends at byte %lld, expected %lld more", name ? name : b->f->path,
                           (long long)begin, (long long)n);
    }
    free(name);
    return st;
}

static void spread(char *to, int64_t step_bytes, const char *from, int64_t n, size_t item_bytes)
{
    for (int64_t i = 0; i < n; i++, to += step_bytes, from += item_bytes)
        memcpy(to, from, item_bytes);
}

static void copy_row(const struct batch *b, const struct row *row, const char *from)
{
    const int64_t n = row->bytes / b->item_bytes;

    if (b->step_bytes == b->item_bytes)
        memcpy(row->to, from, (size_t)row->bytes);
    else if (b->item_bytes == 4) /* of sizes that the compiler knows */
        spread(row->to, b->step_bytes, from, n, 4);
    else if (b->item_bytes == 8)
        spread(row->to, b->step_bytes, from, n, 8);
    else
        spread(row->to, b->step_bytes, from, n, (size_t)b->item_bytes);
}

static drx_status read_batch(struct batch *b)
{
    const struct row *first = b->rows, *last = b->rows + b->n - 1;
    const int n = b->n;
    drx_status st;

    b->n = 0;
    if (n == 0)
        return DRX_OK;
    if (n == 1 && b->step_bytes == b->item_bytes)
        return read_bytes(b, first->to, first->bytes, first->begin);
    if (!b->stage)
        b->stage = malloc(STAGE_BYTES);
    if (!b->stage)
        return old_out_of_memory(b->f->path);
    st = read_bytes(b, b->stage, last->begin + last->bytes - first->begin, first->begin);
    for (int i = 0; i < n && !st; i++)
        copy_row(b, b->rows + i, b->stage + (b->rows[i].begin - first->begin));
    return st;
}

static drx_status add_row(struct batch *b, int64_t begin, int64_t bytes, char *to)
{
    const struct row *last = b->rows + b->n - 1;
    drx_status st = DRX_OK;

    if (b->n > 0 && (b->n == STAGE_ROWS || last->bytes >= LONG_ROW_BYTES ||
                     begin - last->begin - last->bytes > GAP_BYTES || begin + bytes - b->rows[0].begin > STAGE_BYTES))
        st = read_batch(b);
    b->rows[b->n++] = (struct row){ begin, bytes, to };
    return st;
}

/* A row that is spread in memory goes through the stage, as much at a time as that holds. */
static drx_status add_long_row(struct batch *b, int64_t begin, int64_t bytes, char *to)
{
    const int64_t most = b->step_bytes == b->item_bytes ? bytes : STAGE_BYTES / b->item_bytes * b->item_bytes;
    drx_status st = DRX_OK;

    for (int64_t n; bytes > 0 && !st; begin += n, bytes -= n, to += n / b->item_bytes * b->step_bytes) {
        n = shim_smaller(bytes, most);
        st = add_row(b, begin, n, to);
    }
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
        const int64_t begin = shim_larger(lo[j], first), end = shim_smaller(lo[j] + count[j], first + p->extent[j]);

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

/* The element `from` + `index` of a box with these strides. */
static int64_t place(int ndim, const int64_t stride[], const int64_t from[], const int64_t index[])
{
    int64_t e = 0;

    for (int j = 0; j < ndim; j++)
        e += (from[j] + index[j]) * stride[j];
    return e;
}

/* Row by row; a row goes over as many axes as follow on each other in the block and in memory. */
static drx_status read_part(struct batch *batch, const struct part *p, const int64_t stride[], int64_t begin, char *buf)
{
    static const int64_t zero[DRX_MAX_NDIM];
    const int64_t bytes = batch->item_bytes;
    const int ndim = batch->f->ndim;
    int64_t index[DRX_MAX_NDIM] = { 0 }, in_block[DRX_MAX_NDIM], row = p->count[ndim - 1];
    int outer = ndim - 1;
    drx_status st = DRX_OK;

    old_file_strides(batch->f, p->extent, DRX_ROW_MAJOR, in_block);
    for (; outer > 0 && p->count[outer] == p->extent[outer] && stride[outer - 1] == p->count[outer] * stride[outer];
         outer--)
        row *= p->count[outer - 1];
    do
        st = add_long_row(batch, begin + place(ndim, in_block, p->lo, index) * bytes, row * bytes,
                          buf + place(ndim, stride, p->at, index) * bytes);
    while (!st && next_index(index, zero, p->count, outer));
    return st ? st : read_batch(batch);
}

static drx_status check_box(const struct old_file *f, const int64_t lo[], const int64_t count[])
{
    for (int j = 0; j < f->ndim; j++)
        if (lo[j] < 0 || count[j] < 0 || lo[j] > f->shape[j] || count[j] > f->shape[j] - lo[j])
            return shim_fail(DRX_ERANGE, "%s: %lld elements from %lld on of axis %d, expected them within %lld",
                             f->path, (long long)count[j], (long long)lo[j], j, (long long)f->shape[j]);
    return DRX_OK;
}

drx_status old_file_read(const struct old_file *f, const int64_t lo[], const int64_t count[], const int64_t stride[],
                         void *buf)
{
    const int64_t bytes = (int64_t)drx_type_size(f->type);
    struct batch batch = { .f = f, .item_bytes = bytes, .step_bytes = stride[f->ndim - 1] * bytes };
    int64_t first[DRX_MAX_NDIM], end[DRX_MAX_NDIM], b[DRX_MAX_NDIM];
    struct part part;
    int64_t begin;
    drx_status st = check_box(f, lo, count);

    for (int j = 0; j < f->ndim && !st; j++) {
        if (count[j] == 0)
            return DRX_OK;
        b[j] = first[j] = lo[j] / f->block[j];
        end[j] = (lo[j] + count[j] - 1) / f->block[j] + 1;
    }
    while (!st) {
        find_part(f, b, lo, count, &part);
        batch.file = old_block_place(f, b, part.extent, &begin);
        st = read_part(&batch, &part, stride, begin, buf);
        if (!next_index(b, first, end, f->ndim))
            break;
    }
    free(batch.stage);
    return st;
}

void old_file_strides(const struct old_file *f, const int64_t count[], drx_order order, int64_t stride[])
{
    int64_t along = 1;

    for (int k = 0; k < f->ndim; k++) {
        const int j = order == DRX_ROW_MAJOR ? f->ndim - 1 - k : k;

        stride[j] = along;
        along *= count[j];
    }
}
