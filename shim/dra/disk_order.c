/* Sections of any two shapes, and global arrays that are not one box on each process: the elements are taken in order,
 * a range of them at a time through a buffer. A range is few boxes, one after the other, of either array. */
#include <stdlib.h>

#include "disk.h"

struct mover {
    const struct disk_request *r;
    bool transposed;
    int ndim;
    int64_t memory[DISK_MAX_NDIM], disk[DISK_MAX_NDIM]; /* extents; those on disk in the order of elements */
    size_t item_bytes;
    char *buffer;
};

/* The largest box of `extent` that begins with element `at` and whose elements follow on each other, up to element
 * `end`; returns their number. */
static int64_t next_box(int ndim, const int64_t extent[], int64_t at, int64_t end, int64_t lo[], int64_t count[])
{
    int64_t row = 1, index;
    int j = ndim - 1;

    for (int k = 0; k < ndim; k++)
        count[k] = 1;
    while (j > 0 && at % (row * extent[j]) == 0 && end - at >= row * extent[j]) {
        count[j] = extent[j];
        row *= extent[j--];
    }
    index = at / row;
    count[j] = (end - at) / row;
    if (count[j] > extent[j] - index % extent[j])
        count[j] = extent[j] - index % extent[j];
    for (int k = ndim - 1; k > j; k--)
        lo[k] = 0;
    for (int k = j; k >= 0; k--) {
        lo[k] = index % extent[k];
        index /= extent[k];
    }
    return count[j] * row;
}

static void move_memory(const struct mover *m, int64_t at, int64_t end)
{
    char *buffer = m->buffer;

    while (at < end) {
        int64_t lo[DISK_MAX_NDIM], hi[DISK_MAX_NDIM], count[DISK_MAX_NDIM];
        const int64_t n = next_box(m->ndim, m->memory, at, end, lo, count);

        for (int j = 0; j < m->ndim; j++) {
            lo[j] += m->r->memory.lo[j];
            hi[j] = lo[j] + count[j] - 1;
        }
        if (m->r->writing)
            NGA_Get64(m->r->g_a, lo, hi, buffer, count + 1);
        else
            NGA_Put64(m->r->g_a, lo, hi, buffer, count + 1);
        buffer += (size_t)n * m->item_bytes;
        at += n;
    }
}

static drx_status move_disk(const struct mover *m, int64_t at, int64_t end)
{
    const struct disk_array *a = m->r->array;
    char *buffer = m->buffer;
    drx_status st = DRX_OK;

    while (!st && at < end) {
        int64_t from[DISK_MAX_NDIM], extent[DISK_MAX_NDIM];
        int64_t lo[DISK_MAX_NDIM], count[DISK_MAX_NDIM], stride[DISK_MAX_NDIM], along = 1;
        const int64_t n = next_box(m->ndim, m->disk, at, end, from, extent);

        for (int j = m->ndim - 1; j >= 0; j--) {
            const int i = m->transposed ? m->ndim - 1 - j : j;

            lo[i] = m->r->disk.lo[i] + from[j];
            count[i] = extent[j];
            stride[i] = along;
            along *= extent[j];
        }
        st = m->r->writing ? drx_write_strided(a->here, lo, count, NULL, stride, buffer)
                           : disk_read(a, lo, count, stride, buffer);
        buffer += (size_t)n * m->item_bytes;
        at += n;
    }
    return st;
}

static drx_status move_range(const struct mover *m, int64_t at, int64_t end)
{
    drx_status st;

    if (m->r->writing) {
        move_memory(m, at, end);
        return move_disk(m, at, end);
    }
    st = move_disk(m, at, end);
    if (!st)
        move_memory(m, at, end);
    return st;
}

drx_status disk_move_in_order(const struct disk_request *r, bool transposed)
{
    struct mover m = { .r = r, .transposed = transposed, .ndim = r->array->ndim };
    int64_t all = 1, row, step, end;
    drx_status st = DRX_OK;
    int rank, ranks;

    (void)MPI_Comm_rank(r->array->comm, &rank);
    (void)MPI_Comm_size(r->array->comm, &ranks);
    for (int j = 0; j < m.ndim; j++) {
        const int i = transposed ? m.ndim - 1 - j : j;

        m.memory[j] = r->memory.hi[j] - r->memory.lo[j] + 1;
        m.disk[j] = r->disk.hi[i] - r->disk.lo[i] + 1;
        all *= m.memory[j];
    }
    m.item_bytes = drx_type_size(r->array->type);
    step = disk_buffer_bytes() / (int64_t)m.item_bytes;
    row = all / m.disk[0];
    if (step > row)
        step -= step % row; /* few boxes */
    end = all / ranks * (rank + 1) + (rank + 1 == ranks ? all % ranks : 0);
    m.buffer = malloc((size_t)(step < all ? step : all) * m.item_bytes);
    if (!m.buffer)
        return disk_fail(DRX_ENOMEM, "no memory for a buffer of %lld elements", (long long)step);
    for (int64_t at = all / ranks * rank; !st && at < end; at += step)
        st = move_range(&m, at, at + step < end ? at + step : end);
    free(m.buffer);
    return st;
}
