/* This library, by the calls of drxmp.h. DRX_THREADS says how many threads a rank may use. */
#include <drxmp.h>

#include "../common/bench_drx.h"
#include "bench_mp.h"

static enum outcome create(const struct peer *peer, const char *path, const struct layout *layout, enum access access,
                           void **out)
{
    const drx_spec spec = {
        .ndim = layout->ndim, .type = DRX_FLOAT64, .shape = layout->extent, .chunk = layout->chunk
    };
    drxmp_array *a;
    const enum outcome outcome = of_drx(drxmp_create(MPI_COMM_WORLD, path, &spec, &a));

    (void)peer, (void)access;
    *out = a;
    return outcome;
}

static enum outcome open_array(const struct peer *peer, const char *path, const struct layout *layout,
                               enum access access, void **out)
{
    drxmp_array *a;
    const enum outcome outcome = of_drx(drxmp_open(MPI_COMM_WORLD, path, DRX_RDONLY, &a));

    (void)peer, (void)layout, (void)access;
    *out = a;
    return outcome;
}

static enum outcome grow(void *array, int axis, int64_t by, const double *slab)
{
    (void)slab;
    return of_drx(drxmp_extend(array, axis, by));
}

static enum outcome move(void *array, bool writing, const struct part *part, double *elements)
{
    const drx_order order = part->fortran ? DRX_COL_MAJOR : DRX_ROW_MAJOR;

    return of_drx(writing ? drxmp_write_all(array, part->lo, part->count, order, elements)
                          : drxmp_read_all(array, part->lo, part->count, order, elements));
}

static enum outcome read_box(void *array, const int64_t lo[], const int64_t count[], double *out)
{
    return of_drx(drxmp_read(array, lo, count, DRX_ROW_MAJOR, out));
}

static enum outcome close_array(void *array)
{
    return of_drx(drxmp_close(array));
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
    .read = read_box,
    .close = close_array,
    .version = version,
};
