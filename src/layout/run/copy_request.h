/* A copy into another layout, in progress. */
#ifndef DRXI_COPY_REQUEST_H
#define DRXI_COPY_REQUEST_H

#include "drx_tools.h"
#include "layout/run/run.h"

/* Do not move it: the target and the request point into it. It is valid as long as the source does not change. */
struct drxi_copying {
    drx_array *from;
    const drx_copy_spec *spec;
    int64_t shape[DRX_MAX_NDIM], chunk[DRX_MAX_NDIM]; /* of the copy */
    const char *dims[DRX_MAX_NDIM];
    drx_spec target;
    struct drxi_relayout_request request; /* for all of it */
};

/* Prepare a copy as `spec` says (NULL: keep the layout), without checking what the planner checks. */
DRXI_SHARED drx_status drxi_copying_start(struct drxi_copying *c, const drx_array *from, const drx_copy_spec *spec);

/* Check the path of the copy, before reading anything. */
DRXI_SHARED drx_status drxi_copying_check_path(const struct drxi_copying *c, const char *path);

/* Carry out the plan. Temporary arrays go beside `path`, or where spec->tmp says; with a NULL path, into memory. */
DRXI_SHARED drx_status drxi_copying_run(const struct drxi_copying *c, const struct drxi_relayout *plan, drx_array *to,
                                        const char *path, const struct drxi_told *told);

DRXI_SHARED drx_status drxi_copying_attributes(const struct drxi_copying *c, drx_array *to);

#endif
