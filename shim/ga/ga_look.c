/* What a handle of a GA means. */
#include <stdarg.h>
#include <stdio.h>

#include "ga_inside.h"

drx_status drxgai_fail_of(const struct drxgai_global *g, drx_status st, const char *format, ...)
{
    char detail[512];
    const char *name = GA_Inquire_name(g->handle);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    return shim_fail(st, "global array %d, \"%s\": %s", g->handle, name ? name : "", detail);
}

drx_status drxgai_look(int g_a, struct drxgai_global *g)
{
    int type;

    *g = (struct drxgai_global){ .handle = g_a };
    if (!GA_Initialized())
        return shim_fail(DRX_EINVAL, "Global Arrays is not initialised");
    if (!GA_Valid_handle(g_a))
        return shim_fail(DRX_EINVAL, "%d is not the handle of a global array on this process", g_a);
    NGA_Inquire64(g_a, &type, &g->ndim, g->dims);
    g->group = GA_Get_pgroup(g_a);
    if (GA_Is_mirrored(g_a))
        return drxgai_fail_of(g, DRX_EUNSUPPORTED,
                              "it is mirrored: each node has a copy; copy it into one that is not (GA_Copy)");
    g->type = drxgai_type(type);
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
