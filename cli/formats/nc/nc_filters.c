/* How a netCDF file compresses a variable. */
#include <netcdf.h>
#include <netcdf_filter.h>
#include <stdlib.h>

#include "nc.h"

enum { DEFLATE = 1, SHUFFLE = 2 }; /* numbers of HDF5's filters */

static void take_filter(struct source *s, unsigned id)
{
    const struct nc *nc = s->state;
    unsigned *params;
    size_t n = 0;

    if (nc_inq_var_filter_info(nc->group, nc->id, id, &n, NULL) != NC_NOERR)
        return;
    params = calloc(n + 1, sizeof *params);
    if (params && nc_inq_var_filter_info(nc->group, nc->id, id, &n, params) == NC_NOERR)
        source_take_filter(s, id, n, params);
    free(params);
}

void nc_read_filters(struct source *s)
{
    const struct nc *nc = s->state;
    int shuffle = 0, deflate = 0, level = 0;
    unsigned *ids = NULL, parameter;
    size_t n = 0;

    if (nc_inq_var_deflate(nc->group, nc->id, &shuffle, &deflate, &level) != NC_NOERR)
        return;
    parameter = (unsigned)level;
    if (shuffle)
        source_take_filter(s, SHUFFLE, 0, NULL);
    if (deflate)
        source_take_filter(s, DEFLATE, 1, &parameter);
    if (nc_inq_var_filter_ids(nc->group, nc->id, &n, NULL) == NC_NOERR && n > 0)
        ids = calloc(n, sizeof *ids);
    if (ids && nc_inq_var_filter_ids(nc->group, nc->id, &n, ids) == NC_NOERR)
        for (size_t i = 0; i < n; i++)
            if (ids[i] != DEFLATE && ids[i] != SHUFFLE)
                take_filter(s, ids[i]);
    free(ids);
}
