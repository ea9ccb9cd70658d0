/* What a handle of a GA means. */
#include <stdarg.h>
#include <stdio.h>

#include "drx_tools.h"
#include "ga_inside.h"

enum { DETAIL_BYTES = 1024 };

drx_status drxgai_fail(drx_status st, const char *format, ...)
{
    char detail[DETAIL_BYTES];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    return drx_fail(st, detail);
}

drx_status drxgai_fail_of(const struct drxgai_global *g, drx_status st, const char *format, ...)
{
    char detail[DETAIL_BYTES / 2];
    const char *name = GA_Inquire_name(g->handle);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    return drxgai_fail(st, "global array %d, \"%s\": %s", g->handle, name ? name : "", detail);
}

static drx_type integer_type(size_t bytes)
{
    return bytes == 4 ? DRX_INT32 : bytes == 8 ? DRX_INT64 : 0;
}

/* 0: none. Global Arrays turns the types of Fortran into those of C when an array is made. */
static drx_type type_of(int ga_type)
{
    switch (ga_type) {
    case C_INT:
        return integer_type(sizeof(int));
    case C_LONG:
        return integer_type(sizeof(long));
    case C_LONGLONG:
        return integer_type(sizeof(long long));
    case C_FLOAT:
        return DRX_FLOAT32;
    case C_DBL:
        return DRX_FLOAT64;
    case C_SCPL:
        return DRX_COMPLEX64;
    case C_DCPL:
        return DRX_COMPLEX128;
    default:
        return 0;
    }
}

drx_status drxgai_look(int g_a, struct drxgai_global *g)
{
    int type;

    *g = (struct drxgai_global){ .handle = g_a };
    if (!GA_Initialized())
        return drxgai_fail(DRX_EINVAL, "Global Arrays is not initialised");
    if (!GA_Valid_handle(g_a))
        return drxgai_fail(DRX_EINVAL, "%d is not the handle of a global array on this process", g_a);
    NGA_Inquire64(g_a, &type, &g->ndim, g->dims);
    g->group = GA_Get_pgroup(g_a);
    if (GA_Is_mirrored(g_a))
        return drxgai_fail_of(g, DRX_EUNSUPPORTED,
                              "it is mirrored: each node has a copy; copy it into one that is not (GA_Copy)");
    g->type = type_of(type);
    if (!g->type)
        return drxgai_fail_of(
            g, DRX_EUNSUPPORTED,
            "elements of type %d, expected C_INT, C_LONG, C_LONGLONG, C_FLOAT, C_DBL, C_SCPL or C_DCPL", type);
    g->item_bytes = drx_type_size(g->type);
    g->nodes = GA_Pgroup_nnodes(g->group);
    g->me = GA_Pgroup_nodeid(g->group);
    g->cyclic = GA_Total_blocks(g_a) >= 0;
    if (g->cyclic && g->nodes != GA_Pgroup_nnodes(GA_Pgroup_get_world())) /* NGA_Get finds other elements there */
        return drxgai_fail_of(
            g, DRX_EUNSUPPORTED,
            "it is block-cyclic and on a group of %d processes, which Global Arrays 5 mistakes for all", g->nodes);
    return DRX_OK;
}

bool drxgai_own_part(const struct drxgai_global *g, int64_t lo[], int64_t hi[])
{
    NGA_Distribution64(g->handle, g->me, lo, hi);
    for (int j = 0; j < g->ndim; j++)
        if (hi[j] < lo[j])
            return false;
    return true;
}

void *drxgai_access(const struct drxgai_global *g, int64_t lo[], int64_t hi[], int64_t stride[])
{
    int64_t ld[GA_MAX_DIM], along = 1;
    void *memory = NULL;

    NGA_Access64(g->handle, lo, hi, &memory, ld);
    for (int j = g->ndim - 1; j >= 0; j--) {
        stride[j] = along;
        along *= j > 0 ? ld[j - 1] : 1;
    }
    return memory;
}
