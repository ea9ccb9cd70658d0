/* Distributed arrays in memory, and what their files offer each other. */
#ifndef DRXI_DARRAY_H
#define DRXI_DARRAY_H

#include <stdatomic.h>

#include "mp/move/selection.h"
#include "mp/mp.h"

/* One axis: which indices each grid rank has, and where. */
struct drxi_spread_axis {
    int64_t grid;                       /* ranks along it */
    int64_t behind;                     /* product of the grids of the axes behind it */
    struct drxi_axis_set *held, *owned; /* [grid]; held: the sections; owned: each index once among all */
    struct drxi_run *runs;              /* of unstructured ones */
    int64_t first, end;                 /* all indices are in first <= i < end */
    bool whole;                         /* each of these is owned */
};

/* A rank's section, as this rank reaches it. */
struct drxi_reach {
    uint8_t *mem;          /* of its first element, by loads and stores; NULL: by RMA only, */
    MPI_Aint at;           /* where it has this displacement */
    atomic_uint *lock;     /* NULL: in the window of locks */
    int64_t *stride_bytes; /* [ndim] */
    bool read_only;
};

struct drxmp_darray {
    MPI_Comm comm; /* our own */
    int rank, ranks, ndim;
    int64_t id; /* the same on all ranks, and of no other darray of rank 0 */
    drx_type type;
    size_t item_bytes;
    int64_t buffer_bytes;
    struct dap_dim *dims; /* of all ranks: [ranks][ndim] */
    int64_t *indices;     /* of all unstructured axes */
    struct drxi_spread_axis axis[DRX_MAX_NDIM];

    uint8_t *mem; /* of this rank's section, which is one of: */
    uint8_t *own; /* private */
    MPI_Win shared;
    int64_t bytes;                 /* of these two */
    atomic_uint lock;              /* when it is not shared */
    _Alignas(16) int64_t far_lock; /* in the window of locks */
    struct dap_array imported;
    int64_t extent[DRX_MAX_NDIM], stride_bytes[DRX_MAX_NDIM];
    bool read_only;
    struct drxi_reach *reach; /* [ranks]: sections.h */
    int64_t *strides;         /* of all */
    MPI_Win sections, locks;  /* MPI_WIN_NULL: each rank reaches all by loads and stores */
    struct drxi_remote remote;
    bool cut_off;        /* there should be windows, and are none */
    bool some_read_only; /* of all sections */
    bool progressing;
    atomic_int exports; /* that live */
};

/* ---- darray.c ------------------------------------------------------------------------- */

/* Where a darray keeps its section: in `imported`, if that is given, else in memory of its own. */
struct drxi_darray_plan {
    drx_type type;
    drx_order order;
    int ndim;
    const struct dap_dim *dims; /* of this rank; indices are copied */
    int64_t buffer_bytes;       /* 0: as rank 0's environment says */
    const struct dap_array *imported;
    MPI_Comm comm; /* the caller's, of the same ranks */
};

/* Make one over a communicator that becomes its own, whether it succeeds or not. `st`: why this rank cannot. `call`
 * has room for three arguments. Collective. */
drx_status drxi_darray_make(MPI_Comm own, drx_status st, const struct drxi_darray_plan *plan, struct drxi_call *call,
                            drxmp_darray **out);
/* The next collective call of a darray. */
drx_status drxi_darray_begin(drxmp_darray *d, drx_status mine, const struct drxi_call *call);
/* Whether a communicator has the ranks of the darray, in their order; whether its section may be written. */
drx_status drxi_darray_check_comm(const drxmp_darray *d, MPI_Comm comm);
drx_status drxi_darray_check_writable(const drxmp_darray *d);

static inline const struct dap_dim *drxi_darray_dim(const drxmp_darray *d, int rank, int axis)
{
    return &d->dims[(int64_t)rank * d->ndim + axis];
}

static inline int64_t drxi_grid_rank(const drxmp_darray *d, int rank, int axis)
{
    return rank / d->axis[axis].behind % d->axis[axis].grid;
}

/* ---- darray_gather.c --------------------------------------------------------------------- */

/* Have d->dims, with their indices, of all ranks, valid together. Each of `mine` is valid. Collective; the ranks have
 * still to agree on how it went. */
drx_status drxi_gather_dims(drxmp_darray *d, const struct dap_dim mine[]);
/* A status of libdap, and its text. */
drx_status drxi_dap_fail(int status, const char *why);

/* ---- darray_sets.c ---------------------------------------------------------------------- */

/* Make d->axis of the dims, which are valid. Local. */
drx_status drxi_spread_axes(drxmp_darray *d);
void drxi_spread_free(drxmp_darray *d);
/* What each rank has: sets[ranks][ndim]. */
void drxi_darray_sets(const drxmp_darray *d, bool owned, struct drxi_axis_set sets[]);

/* ---- darray_zones.c ---------------------------------------------------------------------- */

/* How many ranks to put along each axis, that is cut into so many chunks; blocks: of so many, dealt out in turn, NULL:
 * one for each. Of all ways, one where the rank with most chunks has the least; of these the most even grid, whose
 * extents have the least sum; of these the one with fewest ranks along the last axis, and so on to the first. */
drx_status drxi_choose_grid(int ndim, const int64_t chunks[], const int64_t blocks[], int64_t ranks, int64_t grid[]);

/* ---- darray_pieces.c ----------------------------------------------------------------------- */

/* Indices that two sets have in common: index + i * step, 0 <= i < count, and where the two have them. */
struct drxi_common {
    int64_t index, step, count, a, a_step, b, b_step;
    int64_t a_place, b_place; /* 0 at first: where the search goes on */
};
/* The first of those with from <= index < to; false: there is none. */
bool drxi_common_next(const struct drxi_axis_set *a, const struct drxi_axis_set *b, int64_t from, int64_t to,
                      struct drxi_common *common);

/* What two ranks have in common, cut into pieces of at most so many elements; both cut alike. */
struct drxi_pieces {
    int ndim;
    const struct drxi_axis_set *a, *b;             /* an axis each */
    int64_t all[DRX_MAX_NDIM], most[DRX_MAX_NDIM]; /* common indices along an axis; in a piece */
    int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM];    /* of the piece */
    int64_t count[DRX_MAX_NDIM];                   /* common indices in it */
    bool begun;
};
void drxi_pieces_start(struct drxi_pieces *p, int ndim, const struct drxi_axis_set a[], const struct drxi_axis_set b[],
                       int64_t most);
bool drxi_pieces_next(struct drxi_pieces *p);
int64_t drxi_pieces_count(const struct drxi_pieces *p); /* elements of the piece */

/* Copy the piece between a's memory, b's, and a packed form; of `to` and `from`, each is one of these. */
struct drxi_side {
    enum { DRXI_SIDE_A, DRXI_SIDE_B, DRXI_SIDE_PACKED } kind;
    uint8_t *base;
    const int64_t *stride_bytes; /* of local indices; PACKED: none */
};
void drxi_pieces_copy(const struct drxi_pieces *p, size_t item_bytes, struct drxi_side to, struct drxi_side from);

/* ---- darray_redistribute.c ------------------------------------------------------------------- */

/* Elements on their way from sections to sections: each goes from the rank of whose set of `from` it is to all those
 * of whose set of `to` it is. */
struct drxi_flow {
    MPI_Comm comm;
    int rank, ranks, ndim;
    size_t item_bytes;
    int64_t most;                      /* elements of a piece */
    struct drxi_axis_set *from, *to;   /* [ranks][ndim] */
    struct drxi_side mem_from, mem_to; /* this rank's */
    uint8_t *out, *in;                 /* a piece each */
};
drx_status drxi_flow_memory(struct drxi_flow *flow, const drxmp_darray *d);
drx_status drxi_flow_run(struct drxi_flow *flow); /* collective; goes on to the end in any case */
void drxi_flow_free(struct drxi_flow *flow);

#endif
