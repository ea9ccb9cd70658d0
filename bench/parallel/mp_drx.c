/* This library, by the calls of drxmp.h. DRX_THREADS says how many threads a rank may use. */
#include <drxmp.h>

#include "bench_mp.h"

static enum outcome told(drx_status st)
{
    return st ? complain("%s", drx_last_error()) : DONE;
}

static enum outcome create(const struct mp_peer *peer, const char *path, const struct layout *layout,
                           enum access access, void **out)
{
    const drx_spec spec = {
        .ndim = layout->ndim, .type = DRX_FLOAT64, .shape = layout->extent, .chunk = layout->chunk
    };
    drxmp_array *a;
    const enum outcome outcome = told(drxmp_create(MPI_COMM_WORLD, path, &spec, &a));

    (void)peer, (void)access;
    *out = a;
    return outcome;
}

static enum outcome open_array(const struct mp_peer *peer, const char *path, const struct layout *layout,
                               enum access access, void **out)
{
    drxmp_array *a;
    const enum outcome outcome = told(drxmp_open(MPI_COMM_WORLD, path, DRX_RDONLY, &a));

    (void)peer, (void)layout, (void)access;
    *out = a;
    return outcome;
}

static enum outcome grow(void *array, int axis, int64_t by)
{
    return told(drxmp_extend(array, axis, by));
}

static enum outcome move(void *array, bool writing, const struct part *part, double *elements)
{
    const drx_order order = part->fortran ? DRX_COL_MAJOR : DRX_ROW_MAJOR;

    return told(writing ? drxmp_write_all(array, part->lo, part->count, order, elements)
                        : drxmp_read_all(array, part->lo, part->count, order, elements));
}

static enum outcome read_box(void *array, const int64_t lo[2], const int64_t count[2], double *out)
{
    return told(drxmp_read(array, lo, count, DRX_ROW_MAJOR, out));
}

static enum outcome close_array(void *array)
{
    return told(drxmp_close(array));
}

static const char *const suffixes[] = { ".xmd", ".xta", NULL };

const struct mp_peer mp_drx = {
    .name = "drx",
    .files = "drx",
    .suffixes = suffixes,
    .both_axes = true,
    .create = create,
    .open = open_array,
    .grow = grow,
    .move = move,
    .read_box = read_box,
    .close = close_array,
};
