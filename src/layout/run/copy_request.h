/* A copy into another layout, in progress. */
#pragma once

#include "layout/run/run.h"

/* Do not move it: the target and the request point into it. It is valid as long as the source does not change. */
struct drxi_copying {
    drx_array *inside[2]; /* between begin and end; or NULL */
    drx_array *from;
    const drx_copy_spec *spec;
    int64_t lower[DRX_MAX_NDIM], shape[DRX_MAX_NDIM], chunk[DRX_MAX_NDIM]; /* of the copy */
    bool by_boxes; /* the plan is not followed (run_boxes.c): the indices do not begin at 0, among others */
    bool fresh;    /* the copy is a new array */
    int64_t begin[DRX_MAX_NDIM], end[DRX_MAX_NDIM]; /* what run_boxes.c makes of the copy, also outside its bounds */
    const char *dims[DRX_MAX_NDIM];
    drx_spec target;
    struct drxi_relayout_request request; /* for all of it */
};

/* Wait for the requests of both arrays, be inside both until drxi_copying_end, and prepare; `c` is zero, `to` NULL: the
 * copy is a new array. The second one comes in any case. */
DRXI_SHARED drx_status drxi_copying_begin(struct drxi_copying *c, drx_array *from, drx_array *to,
                                          const drx_copy_spec *spec, bool collective);
DRXI_SHARED void drxi_copying_end(struct drxi_copying *c);
/* Prepare a copy as `spec` says (NULL: keep the layout), without checking what the planner checks. */
drx_status drxi_copying_start(struct drxi_copying *c, const drx_array *from, const drx_copy_spec *spec);
/* Prepare a copy into `to`, which exists. */
drx_status drxi_copying_start_into(struct drxi_copying *c, const drx_array *from, const drx_array *to,
                                   const drx_copy_spec *spec);
/* The same, when the arrays are known to match. */
drx_status drxi_copying_describe(struct drxi_copying *c, const drx_array *from, const drx_array *to,
                                 const drx_copy_spec *spec);
int64_t drxi_copying_bytes(const struct drxi_copying *c); /* of all elements */
/* Plan part number `part` of a copy, or without a plan choose its boxes. Which parts there are follows from the request
 * alone. */
DRXI_SHARED drx_status drxi_copying_plan_part(struct drxi_copying *c, int part, int parts, struct drxi_relayout *plan);

/* Check the path of the copy, before reading anything. */
DRXI_SHARED drx_status drxi_copying_check_path(const struct drxi_copying *c, const char *path);

/* Carry out the plan. Temporary arrays go beside `path`, or where spec->tmp says; with a NULL path, into memory. */
DRXI_SHARED drx_status drxi_copying_run(const struct drxi_copying *c, const struct drxi_relayout *plan, drx_array *to,
                                        const char *path, const struct drxi_told *told);

/* The same without a plan, within this many bytes of memory. */
drx_status drxi_run_boxes(const struct drxi_copying *c, drx_array *to, int64_t memory_bytes,
                          const struct drxi_told *told);

/* Without a plan, leave this rank a box of the copy and its part of the memory. *bytes are those of its elements. Where
 * memory is too small for all ranks, some get nothing. Each rank computes all boxes, which the planner has checked. */
drx_status drxi_copying_share(struct drxi_copying *c, int rank, int ranks, int64_t *bytes);

DRXI_SHARED drx_status drxi_copying_attributes(const struct drxi_copying *c, drx_array *to);

/* A copy by one process alone; and what it tells, as a drxi_told.tell. */
struct drxi_copy_alone {
    struct drxi_copying layout;
    drx_array *to;
    struct drxi_relayout plan;
    int64_t done;
};
drx_status drxi_copy_alone_tell(void *copy, int64_t bytes);
