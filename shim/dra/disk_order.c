/* Sections of any two shapes, and global arrays that are not one box on each process. The elements move in order, one
 * range at a time, through a buffer. A range is a sequence of few boxes in either array. */
#include <stdlib.h>
#include <string.h>

#include "disk.h"

struct mover {
    const struct disk_request *r;
    bool turned; /* the axes on disk */
    int ndim;
    int64_t memory[DISK_MAX_NDIM], disk[DISK_MAX_NDIM]; /* extents, the slowest axis of the order first */
    size_t item_bytes;
    char *buffer;
    char *turning; /* as large; NULL: the axes in memory are not reversed */
};

/* The largest box of `extent` that begins with element `at` and has consecutive elements, up to element
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

/* Copy a box that is dense in memory, the last axis fastest, to strides (elements). */
static void scatter(int ndim, const int64_t count[], const int64_t stride[], size_t item_bytes, const char **from,
                    char *to)
{
    for (int64_t i = 0; i < count[0]; i++) {
        char *element = to + i * stride[0] * (int64_t)item_bytes;

        if (ndim > 1) {
            scatter(ndim - 1, count + 1, stride + 1, item_bytes, from, element);
            continue;
        }
        memcpy(element, *from, item_bytes);
        *from += item_bytes;
    }
}

/* A box of the global array whose elements are consecutive in C order. */
static void move_box(const struct mover *m, const int64_t from[], int64_t count[], char *buffer)
{
    int64_t lo[DISK_MAX_NDIM], hi[DISK_MAX_NDIM];

    for (int j = 0; j < m->ndim; j++) {
        lo[j] = m->r->memory.lo[j] + from[j];
        hi[j] = lo[j] + count[j] - 1;
    }
    if (m->r->writing)
        NGA_Get64(m->r->g_a, lo, hi, buffer, count + 1);
    else
        NGA_Put64(m->r->g_a, lo, hi, buffer, count + 1);
}

/* A box whose elements are consecutive when the axes are reversed. */
static void get_turned(const struct mover *m, const int64_t from[], const int64_t extent[], char *buffer)
{
    int64_t lo[DISK_MAX_NDIM], count[DISK_MAX_NDIM], stride[DISK_MAX_NDIM], along = 1;
    const char *element = m->turning;

    for (int j = m->ndim - 1; j >= 0; j--) {
        const int i = m->ndim - 1 - j;

        lo[i] = from[j];
        count[i] = extent[j];
        stride[i] = along;
        along *= extent[j];
    }
    move_box(m, lo, count, m->turning);
    scatter(m->ndim, count, stride, m->item_bytes, &element, buffer);
}

static void move_memory(const struct mover *m, int64_t at, int64_t end)
{
    char *buffer = m->buffer;

    while (at < end) {
        int64_t from[DISK_MAX_NDIM], count[DISK_MAX_NDIM];
        const int64_t n = next_box(m->ndim, m->memory, at, end, from, count);

        if (m->turning)
            get_turned(m, from, count, buffer);
        else
            move_box(m, from, count, buffer);
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
            const int i = m->turned ? m->ndim - 1 - j : j;

            lo[i] = m->r->disk.lo[i] + from[j];
            count[i] = extent[j];
            stride[i] = along;
            along *= extent[j];
        }
        st = m->r->writing ? drx_write_box(a->here, &(drx_box){ .lo = lo, .count = count, .stride = stride }, buffer)
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

static int64_t extent_of(const struct disk_box *box, int axis)
{
    return box->hi[axis] - box->lo[axis] + 1;
}

/* How many elements to move at a time: they fit in the buffers, and are few boxes. */
static int64_t choose_step(const struct mover *m, bool turning, int64_t all)
{
    const int64_t row = all / m->disk[0];
    int64_t step = disk_settings.buffer_bytes / (turning ? 2 : 1) / (int64_t)m->item_bytes;

    if (step > row)
        step -= step % row;
    return step < all ? step : all;
}

static drx_status move_share(const struct mover *m, int64_t all, int64_t step)
{
    int rank, ranks;
    int64_t end;
    drx_status st = DRX_OK;

    (void)MPI_Comm_rank(m->r->array->comm, &rank);
    (void)MPI_Comm_size(m->r->array->comm, &ranks);
    end = rank + 1 == ranks ? all : all / ranks * (rank + 1);
    for (int64_t at = all / ranks * rank; !st && at < end; at += step)
        st = move_range(m, at, at + step < end ? at + step : end);
    return st;
}

drx_status disk_move_in_order(const struct disk_request *r, bool transposed)
{
    const int ndim = r->array->ndim;
    const bool turning = transposed && r->writing;
    struct mover m = { .r = r, .turned = transposed && !r->writing, .ndim = ndim };
    int64_t all = 1, step;
    drx_status st;

    for (int j = 0; j < ndim; j++) {
        m.memory[j] = extent_of(&r->memory, turning ? ndim - 1 - j : j);
        m.disk[j] = extent_of(&r->disk, m.turned ? ndim - 1 - j : j);
        all *= m.memory[j];
    }
    m.item_bytes = drx_type_size(r->array->type);
    step = choose_step(&m, turning, all);
    disk_request_buffers_give(disk_settings.buffer_bytes);
    m.buffer = malloc((size_t)step * m.item_bytes);
    m.turning = turning ? malloc((size_t)step * m.item_bytes) : NULL;
    if (m.buffer && (m.turning || !turning))
        st = move_share(&m, all, step);
    else
        st = shim_fail(DRX_ENOMEM, "no memory for buffers of %lld elements", (long long)step);
    free(m.buffer);
    free(m.turning);
    return st;
}
