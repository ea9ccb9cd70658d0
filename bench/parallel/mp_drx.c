/* This library, by the calls of drxmp.h. DRX_THREADS says how many threads a rank may use. */
#include <drx_tools.h>
#include <drxmp.h>

#include "../common/bench_drx.h"
#include "bench_mp.h"

static enum outcome create(const struct peer *peer, const char *path, const struct layout *layout, enum access access,
                           void **out)
{
    const drx_spec spec = {
        .ndim = layout->ndim, .type = DRX_FLOAT64, .shape = layout->extent, .chunk = layout->chunk
    };

    (void)peer, (void)access;
    return of_drx(drxmp_create(MPI_COMM_WORLD, path, &spec, (drxmp_array **)out));
}

static enum outcome open_array(const struct peer *peer, const char *path, const struct layout *layout,
                               enum access access, void **out)
{
    (void)peer, (void)layout, (void)access;
    return of_drx(drxmp_open(MPI_COMM_WORLD, path, DRX_RDONLY, (drxmp_array **)out));
}

static enum outcome grow(void *array, const struct growth *growth)
{
    return of_drx(drxmp_extend(array, growth->axis, growth->by));
}

static enum outcome move_ordered(void *array, bool writing, const int64_t lo[], const int64_t count[], drx_order order,
                                 double *elements)
{
    return of_drx(writing ? drxmp_write_all(array, lo, count, order, elements)
                          : drxmp_read_all(array, lo, count, order, elements));
}

static enum outcome move(void *array, bool writing, const int64_t lo[], const int64_t count[], double *elements)
{
    return move_ordered(array, writing, lo, count, DRX_ROW_MAJOR, elements);
}

static enum outcome move_fortran(void *array, bool writing, const int64_t lo[], const int64_t count[], double *elements)
{
    return move_ordered(array, writing, lo, count, DRX_COL_MAJOR, elements);
}

static enum outcome read_alone(void *array, const int64_t lo[], const int64_t count[], double *out)
{
    return of_drx(drxmp_read(array, lo, count, DRX_ROW_MAJOR, out));
}

static enum outcome close_array(void *array)
{
    return of_drx(drxmp_close(array));
}

/* Cold: the copy is durable in the end. */
static enum outcome copy(const char *from, const char *to, const struct job *job)
{
    const drx_copy_spec spec = { .chunk = job->argument, .memory_bytes = 2048 * job->size * job->size };
    drxmp_array *a, *b = NULL;
    drx_status st = drxmp_open(MPI_COMM_WORLD, from, DRX_RDONLY, &a), closed;

    if (st)
        return of_drx(st);
    st = drxmp_copy(a, to, &spec, &b);
    if (!st && job->cold)
        st = drxmp_sync(b);
    closed = b ? drxmp_close(b) : DRX_OK;
    st = st ? st : closed;
    closed = drxmp_close(a);
    return of_drx(st ? st : closed);
}

static enum outcome version(void)
{
    answer_text("drx", "%s", drx_version());
    return DONE;
}

static const char *const suffixes[] = { ".xmd", ".xta", NULL };

const struct peer mp_drx = {
    .name = "drx",
    .files = "drx",
    .suffixes = suffixes,
    .both_axes = true,
    .create = create,
    .open = open_array,
    .grow = grow,
    .move = move,
    .move_fortran = move_fortran,
    .read = read_alone,
    .close = close_array,
    .copy = copy,
    .version = version,
};
