/* Distributed arrays in memory: internal interface. */
#pragma once

#include "mp/move/move.h"

/* The indices that each grid rank has along one axis, and their places in its section. */
struct drxi_spread_axis {
    int64_t grid;                       /* ranks along the axis */
    int64_t behind;                     /* product of the grids of the axes after it */
    struct drxi_axis_set *held, *owned; /* [grid]; several grid ranks may hold an index, one owns it */
    struct drxi_run *runs;              /* of an unstructured axis */
    int64_t first, end;                 /* all indices are in first <= i < end */
    bool whole;                         /* each of these has an owner */
};

/* A rank's section, as this rank reaches it. */
struct drxi_reach {
    uint8_t *mem;          /* its first element; NULL: only RMA reaches it */
    MPI_Aint at;           /* displacement of its first element in the window */
    atomic_uint *lock;     /* NULL: the lock is in the window of locks */
    int64_t *stride_bytes; /* [ndim] */
    bool read_only;
};

/* One-sided requests of this rank: onesided_begun.c. */
struct drxi_one_sided;
struct drxi_outstanding {
    atomic_int given;                       /* not waited for */
    _Atomic(struct drxi_one_sided *) first; /* those that are not complete, oldest first */
};

enum { DRXI_FORMAT_BYTES = 8 };

struct drxmp_darray {
    MPI_Comm comm; /* a duplicate */
    int rank, ranks, ndim;
    int64_t id; /* equal on all ranks; unique among the darrays of rank 0 */
    drx_type type;
    drx_order order; /* of the sections that it made */
    size_t item_bytes;
    int64_t buffer_bytes;
    struct dap_dim *dims; /* of all ranks: [ranks][ndim] */
    int64_t *indices;     /* of all unstructured axes */
    struct drxi_spread_axis axis[DRX_MAX_NDIM];
    struct drxi_ghosts *ghosts; /* ghosts.h; NULL: not needed yet */

    uint8_t *mem; /* the first element of this rank's section, which is in `own`, `shared` or `imported` */
    uint8_t *own; /* private memory */
    MPI_Win shared;
    int64_t bytes;                 /* of own or shared memory */
    int64_t counted;               /* of drxi_node_bytes, for this darray */
    atomic_uint lock;              /* of a section that is not shared */
    _Alignas(16) int64_t far_lock; /* in the window of locks */
    struct dap_array imported;
    int64_t extent[DRX_MAX_NDIM], stride_bytes[DRX_MAX_NDIM];
    bool read_only;
    struct drxi_reach *reach; /* [ranks]: sections.h */
    int64_t *strides;         /* what reach[].stride_bytes point into */
    MPI_Win sections, locks;  /* MPI_WIN_NULL when every rank reaches all sections by loads and stores */
    struct drxi_remote remote;
    bool cut_off;        /* it needs windows and has none */
    bool some_read_only; /* some rank's section is read-only */
    bool progressing;
    char format[DRXI_FORMAT_BYTES]; /* of exports, if elements are strings */
    atomic_int exports;             /* not released */
    atomic_int reads, writes;       /* drxmp_darray_iread and drxmp_darray_iwrite, not waited for */
    struct drxi_outstanding outstanding;
};

/* ---- darray.c ------------------------------------------------------------------------- */

/* What drxi_darray_make makes. */
struct drxi_darray_plan {
    drx_type type;
    drx_order order;
    int ndim;
    const struct dap_dim *dims;       /* of this rank; indices are copied */
    int64_t buffer_bytes;             /* 0: take it from rank 0's environment */
    const struct dap_array *imported; /* the section; NULL: the darray allocates it */
    MPI_Comm comm;                    /* the caller's, of the same ranks */
    bool apart;                       /* as if no ranks shared memory */
};

/* Make a darray. `st` is why this rank cannot take part, or DRX_OK. `call` has room for three more arguments, and none
 * that depend on `st`. Collective. */
drx_status drxi_darray_make(drx_status st, const struct drxi_darray_plan *plan, struct drxi_call *call,
                            drxmp_darray **out);
/* Make the first agreement of a collective call on a darray. */
drx_status drxi_darray_begin(drxmp_darray *d, drx_status mine, const struct drxi_call *call);
/* Check that a communicator has the ranks of the darray, in their order; that its section may be written. */
drx_status drxi_darray_check_comm(const drxmp_darray *d, MPI_Comm comm);
drx_status drxi_darray_check_writable(const drxmp_darray *d);
/* DRX_EBUSY: a request that reads or writes an array has the section, which this call changes, or only reads. */
drx_status drxi_darray_check_idle(const drxmp_darray *d, bool changing);

static inline const struct dap_dim *drxi_darray_dim(const drxmp_darray *d, int rank, int axis)
{
    return &d->dims[(int64_t)rank * d->ndim + axis];
}

static inline int64_t drxi_grid_rank(const drxmp_darray *d, int rank, int axis)
{
    return rank / d->axis[axis].behind % d->axis[axis].grid;
}

/* ---- darray_gather.c --------------------------------------------------------------------- */

/* Gather d->dims and their indices from all ranks, and check that they are valid together. Each of `mine` is valid.
 * Collective; the ranks have not agreed on the result yet. */
drx_status drxi_gather_dims(drxmp_darray *d, const struct dap_dim mine[]);
/* The status for a status of libdap, with `why` as its detail. */
drx_status drxi_dap_fail(int status, const char *why);

/* ---- darray_dap.c ------------------------------------------------------------------------ */

/* The format of a type in PEP 3118; that of a string is written to `text`. */
const char *drxi_dap_format(drx_type type, char text[DRXI_FORMAT_BYTES]);
drx_status drxi_check_dap_type(const char *call, drx_type type); /* DRX_EUNSUPPORTED: it has no format */

/* ---- darray_sets.c ---------------------------------------------------------------------- */

/* Derive d->axis from d->dims, which are valid. Local. */
drx_status drxi_spread_axes(drxmp_darray *d);
void drxi_spread_free(drxmp_darray *d);
/* Set sets[ranks][ndim] to what each rank owns, or else holds, with by[j] added to each index of axis j. What they need
 * beside, *runs, is to be freed, after a failure, too. */
drx_status drxi_darray_sets_at(const drxmp_darray *d, bool owned, const int64_t by[], struct drxi_axis_set sets[],
                               struct drxi_run **runs);
/* Add `by` to the indices of a set; copy runs that change to *room, and move that past them. */
void drxi_axis_shift(struct drxi_axis_set *set, int64_t by, struct drxi_run **room);

/* ---- darray_zones.c ---------------------------------------------------------------------- */

/* Choose how many ranks to put along each axis, which has chunks[j] chunks. Each rank gets blocks of blocks[j] chunks,
 * dealt out in turn; with NULL, one block. The chosen grid gives the rank with most chunks as few as possible. Among
 * those grids it is the most even one, whose extents have the least sum. Among these it has the fewest ranks along the
 * last axis, then along the one before it, and so on. */
drx_status drxi_choose_grid(int ndim, const int64_t chunks[], const int64_t blocks[], int64_t ranks, int64_t grid[]);

/* ---- axis_common.c ------------------------------------------------------------------------- */

/* Indices that two sets have in common: index + i * step, 0 <= i < count. They are the local indices a + i * a_step in
 * one and b + i * b_step in the other. */
struct drxi_common {
    int64_t index, step, count, a, a_step, b, b_step;
    int64_t a_place, b_place; /* where the search continues; 0 at first */
};
/* Find the first of those with from <= index < to; false when there is none. */
bool drxi_common_next(const struct drxi_axis_set *a, const struct drxi_axis_set *b, int64_t from, int64_t to,
                      struct drxi_common *common);
