/* What the Fortran module drxga calls. Integers are those of Global Arrays; bounds are column-major and count from 1.
 * An absent argument is a null pointer, and its number of elements 0. */
#include <ga-mpi.h>

#include "drx_tools.h"
#include "ga_inside.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* drxga.f90.in declares them */

#define MOST_INDEX ((int64_t)1 << 61) /* of no array, and sums with it fit */

/* The number of its dimensions; 0: it is not a handle. */
static int dimensions(int g_a)
{
    return GA_Initialized() && GA_Valid_handle(g_a) ? GA_Ndim(g_a) : 0;
}

static MPI_Comm comm_of(int g_a)
{
    if (!GA_Initialized())
        return MPI_COMM_NULL;
    return dimensions(g_a) ? GA_MPI_Comm_pgroup(GA_Get_pgroup(g_a)) : GA_MPI_Comm_pgroup_default();
}

DRX_API drx_status drxgaf_open(const char *path, Integer g_a, Integer mode, drxmp_array **out)
{
    return drxmp_open(comm_of(drxgai_narrow(g_a)), path, drxgai_narrow(mode), out);
}

static drx_status find_codec(const char *name, drx_codec *codec)
{
    const int number = *name ? drx_codec_named(name) : DRX_RAW;

    *codec = (drx_codec)number;
    return number >= 0 ? DRX_OK : shim_fail(DRX_EINVAL, "codec \"%.80s\", expected one of %s", name, drx_codec_names());
}

/* An empty path: in the memory of the job. An empty codec: none. The communicator is that of the GA's group. */
DRX_API drx_status drxgaf_create(const char *path, Integer g_a, Integer flags, const char *codec, Integer level,
                                 const Integer chunk[], Integer nchunk, drxmp_array **out)
{
    const int handle = drxgai_narrow(g_a);
    const int ndim = dimensions(handle);
    int64_t extents[GA_MAX_DIM];
    drx_spec spec = { .flags = (unsigned)drxgai_narrow(flags), .level = drxgai_narrow(level) };
    drx_status st = find_codec(codec, &spec.codec);

    if (!st && chunk && ndim && nchunk != ndim)
        st = shim_fail(DRX_EINVAL, "chunk has %ld elements, the global array %d dimensions", (long)nchunk, ndim);
    if (!st && chunk && ndim) {
        for (int j = 0; j < ndim; j++)
            extents[j] = chunk[ndim - 1 - j];
        spec.chunk = extents;
    }
    return drxgai_create(comm_of(handle), path[0] ? path : NULL, handle, &spec, st, out);
}

DRX_API drx_status drxgaf_extend(drxmp_array *a, Integer dim, Integer by)
{
    const int ndim = a ? drx_ndim(drxmp_serial(a)) : 0;

    return drxmp_extend(a, dim < 1 || dim > ndim ? -1 : ndim - (int)dim, by);
}

/* -1: no such dimension. */
DRX_API Integer drxgaf_extent(drxmp_array *a, Integer dim)
{
    const int ndim = a ? drx_ndim(drxmp_serial(a)) : 0;

    return dim < 1 || dim > ndim ? -1 : (Integer)drx_shape(drxmp_serial(a))[ndim - dim];
}

/* The bounds of a section or a box, from the argument; NULL: it is absent. */
static const int64_t *bounds(const char *name, const Integer given[], Integer n, int ndim, int64_t out[],
                             drx_status *st)
{
    if (!given || *st)
        return NULL;
    if (n != ndim) {
        *st = shim_fail(DRX_EINVAL, "%s has %ld elements, expected %d", name, (long)n, ndim);
        return NULL;
    }
    for (int j = 0; j < ndim; j++) {
        const int64_t index = given[ndim - 1 - j];

        out[j] = index < -MOST_INDEX ? -MOST_INDEX : index > MOST_INDEX ? MOST_INDEX : index - 1;
    }
    return out;
}

/* 0, none, becomes the number of the GA's axes, and what is out of range stays so. */
static const int *axes(const Integer given[], Integer n, int ndim, int gdims, int out[], drx_status *st)
{
    if (!given || *st)
        return NULL;
    if (n != ndim) {
        *st = shim_fail(DRX_EINVAL, "perm has %ld elements, expected %d", (long)n, ndim);
        return NULL;
    }
    for (int j = 0; j < ndim; j++) {
        const Integer dim = given[ndim - 1 - j];

        out[j] = gdims - (dim < -INT16_MAX || dim > INT16_MAX ? INT16_MAX : (int)dim);
    }
    return out;
}

/* n: the numbers of elements of glo, ghi, lo and perm. */
DRX_API drx_status drxgaf_move(int writing, int together, Integer g_a, drxmp_array *a, const Integer glo[],
                               const Integer ghi[], const Integer lo[], const Integer perm[], const Integer n[])
{
    struct drxgai_call call = { .writing = writing, .g_a = drxgai_narrow(g_a), .fortran = true };
    const int gdims = dimensions(call.g_a);
    const int ndim = a ? drx_ndim(drxmp_serial(a)) : 0;
    int64_t first[GA_MAX_DIM], last[GA_MAX_DIM], box[DRX_MAX_NDIM];
    int axis[DRX_MAX_NDIM];

    if (gdims && ndim) { /* otherwise the move says what is wrong */
        call.glo = bounds("glo", glo, n[0], gdims, first, &call.wrong);
        call.ghi = bounds("ghi", ghi, n[1], gdims, last, &call.wrong);
        call.lo = bounds("lo", lo, n[2], ndim, box, &call.wrong);
        for (int j = 0; call.lo && j < ndim; j++)
            box[j] += drx_lower(drxmp_serial(a))[j];
        call.perm = axes(perm, n[3], ndim, gdims, axis, &call.wrong);
    }
    return together ? drxgai_move_together(&call, a) : drxgai_move_alone(&call, drxmp_serial(a));
}
