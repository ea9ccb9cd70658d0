/* Arrays that grow: in the memory of the job, where one that has grown to its size along both axes is a peer of the
 * fixed ones, and in files. */
#include <drxmp.h>
#include <stdlib.h>

#include "bench_onesided.h"

enum { GROWN_CHUNK = 64, LARGE_CHUNK = 1024 };

static drxmp_array *create(const char *name, int64_t extent, const int64_t chunk[2])
{
    const int64_t shape[2] = { extent, extent };
    const drx_spec spec = { .ndim = 2, .type = DRX_FLOAT64, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE };
    drxmp_array *a;

    check(drxmp_create(MPI_COMM_WORLD, name, &spec, &a), drx_last_error());
    return a;
}

/* In eight steps, the axes in turn. */
static void *make(const struct mover *mover)
{
    static const int64_t chunk[2] = { LARGE_CHUNK, LARGE_CHUNK };
    const int64_t step = edge / 8;
    drxmp_array *a;

    (void)mover;
    (void)setenv("DRXMP_ONESIDED", "direct", 1);
    a = create(NULL, step, chunk);
    for (int i = 0; i < 14; i++)
        check(drxmp_extend(a, i % 2, step), drx_last_error());
    return a;
}

static void drop(void *array)
{
    check(drxmp_close(array), drx_last_error());
}

static void move(void *array, enum way way, const int64_t lo[2], const int64_t count[2], double *buf)
{
    const drx_order order = DRX_ROW_MAJOR;

    check(way == GET   ? drxmp_get(array, lo, count, order, buf)
          : way == PUT ? drxmp_put(array, lo, count, order, buf)
                       : drxmp_acc(array, lo, count, order, NULL, buf),
          drx_last_error());
}

/* Each bench_rank's part of the slab, which has the indices from `extent` on along the axis. */
static void append(drxmp_array *a, int axis, const int64_t *shape, const double *values)
{
    const int other = 1 - axis;
    const int64_t from = shape[other] * bench_rank / bench_ranks, to = shape[other] * (bench_rank + 1) / bench_ranks;
    int64_t lo[2], count[2];

    lo[axis] = shape[axis];
    count[axis] = GROWN_CHUNK;
    lo[other] = from;
    count[other] = to - from;
    check(drxmp_append_all(a, axis, GROWN_CHUNK, lo, count, DRX_ROW_MAJOR, values), drx_last_error());
}

static double grow(const struct mover *mover, bool filled, int64_t calls)
{
    static const int64_t chunk[2] = { GROWN_CHUNK, GROWN_CHUNK };
    const char *const path = mover == &mover_drx_file ? "grown" : NULL;
    double *values = calloc((size_t)(GROWN_CHUNK * GROWN_CHUNK * (calls + 2)), sizeof *values), start;
    drxmp_array *a;

    check(!values, "out of memory");
    a = create(path, GROWN_CHUNK, chunk);
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    for (int64_t i = 0; i < calls; i++)
        if (filled)
            append(a, (int)(i % 2), drx_shape(drxmp_serial(a)), values);
        else
            check(drxmp_extend(a, (int)(i % 2), GROWN_CHUNK), drx_last_error());
    start = MPI_Wtime() - start;
    check(drxmp_close(a), drx_last_error());
    if (path && bench_rank == 0)
        check(drx_remove(path), drx_last_error());
    MPI_Barrier(MPI_COMM_WORLD);
    free(values);
    return start;
}

const struct mover mover_drx_memory = { { .name = "drx-memory" }, false, make, drop, move, grow };
const struct mover mover_drx_file = { .peer = { .name = "drx-file" }, .grow = grow };
