/* Planning a layout transformation: how to copy an array into another chunk shape, axis permutation and order inside
 * chunks within a limit of memory (Krishnamoorthy et al. 2006). Pure arithmetic: no array, no I/O. docs/layout.md has
 * the model and says where it differs from the paper.
 *
 * All extents count elements. All axes are the target's; the source's are permuted.
 *
 * A pass reads source units and writes target units. A unit is a chunk, or a part of one that is contiguous in the file
 * and divides it. A pass walks
 *   groups   boxes of `group`; each goes through all passes before the next one begins;
 *   regions  boxes of a group, up to multiples of `region` or all of an axis; no element is kept from one to the next;
 *   steps    of a region, in the order of `traverse`: a step reads the source units that are new, writes all target
 *            units of the region that are then complete, and keeps what else the region needs.
 * On each axis these are intervals that do not depend on the other axes (drxi_axis_walk); groups, regions and steps are
 * their products. Units move whole, with the fill that they hold outside the array. Units that lie wholly outside it do
 * not move.
 *
 * Contiguity: the model assumes that chunks lie in row-major order of their indices, of the whole array or, for a
 * temporary array, of one group. Units that are adjacent in the file and belong to one step are one call. `scattered`
 * chunks (padded by an alignment, or appended in another order) are at least one call each. More fragments cost more
 * calls; bytes and memory do not depend on them. */
#pragma once

#include "base/base.h"

enum { DRXI_RELAYOUT_PASSES = 9 };

/* seconds = bytes / bandwidth + calls * latency, for reading and for writing. Two buffers hide the share `overlap` of
 * the shorter one, except for one step. */
struct drxi_relayout_cost {
    double read_bandwidth, write_bandwidth; /* bytes a second of one process */
    double read_latency, write_latency;     /* seconds for a call */
    double overlap;                         /* 0 to 1 */
    int64_t part_bytes;                     /* the least part of a chunk that moves alone */
};
extern const struct drxi_relayout_cost drxi_relayout_cost;

/* How chunks are stored; extents in the array's own axes. */
struct drxi_chunking {
    const int64_t *chunk;
    drx_order order; /* inside a chunk */
    bool scattered;
};

struct drxi_relayout_request {
    int ndim;
    const int64_t *shape; /* of the source */
    struct drxi_chunking source, target;
    const int *permute;     /* axis j of the target is axis permute[j] of the source; NULL: j */
    const int64_t *lo, *hi; /* the box lo <= i < hi of the target, of whole chunks or up to the end; NULL: all */
    int64_t item_bytes;
    int64_t memory_bytes;                  /* the plan uses at most this */
    const struct drxi_relayout_cost *cost; /* NULL: drxi_relayout_cost */
};

struct drxi_relayout_side {
    int64_t chunk[DRX_MAX_NDIM], unit[DRX_MAX_NDIM];
    int within[DRX_MAX_NDIM], across[DRX_MAX_NDIM]; /* the axes inside a chunk, and among chunks; slowest first */
    bool scattered;
    bool temporary; /* an array that holds one group */
};

/* One pass. Its memory: `buffers` blocks of whole source units, as stored and in the order of the file; a buffer of
 * leftovers for each axis; `buffers` stages of target units, also as stored. The leftovers of axis traverse[i] fit in
 * the product of `leftover` of that axis, the region (clipped to the group) on axes before it, and the block (clipped
 * to the region) on axes after it. */
struct drxi_relayout_pass {
    enum drxi_relayout_kind { DRXI_KEPT, DRXI_TEMPLATE } kind; /* TEMPLATE: units at the borders are read again */
    struct drxi_relayout_side source, target;
    int64_t start[DRX_MAX_NDIM]; /* the group's first index; if not all 0, there is one group */
    int64_t group[DRX_MAX_NDIM], region[DRX_MAX_NDIM];
    int64_t lcm[DRX_MAX_NDIM];      /* of the units */
    int64_t stride[DRX_MAX_NDIM];   /* by which a step advances: see drxi_axis_step */
    int64_t block[DRX_MAX_NDIM];    /* the most that a step reads */
    int64_t leftover[DRX_MAX_NDIM]; /* the most that it leaves */
    int64_t stage[DRX_MAX_NDIM]; /* the most that a step completes, in whole units; staged together if `staged_whole` */
    int traverse[DRX_MAX_NDIM];  /* the axes, fastest first */
    int buffers;                 /* 2: reading ahead and writing behind */
    bool staged_whole;
    int64_t block_bytes;              /* of one */
    int64_t stage_bytes;              /* of one: all of a step, or some units */
    int64_t kept_bytes[DRX_MAX_NDIM]; /* by axis */
    int64_t memory_bytes;
    int64_t steps, read_bytes, read_calls, write_bytes, write_calls; /* of all groups */
    double seconds;
};

struct drxi_relayout {
    int ndim, passes; /* no passes: there are no elements */
    int64_t shape[DRX_MAX_NDIM], item_bytes;
    int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM]; /* the box */
    struct drxi_relayout_pass pass[DRXI_RELAYOUT_PASSES];
    int64_t memory_bytes;    /* the most of any pass */
    int64_t temporary_bytes; /* on disk: the most that two neighbouring temporary arrays use */
    int64_t read_bytes, read_calls, write_bytes, write_calls;
    double seconds;
};

/* Make a plan. The same request always gives the same plan, and more memory never gives one that takes longer. Errors:
 * DRX_EINVAL (a wrong request), DRX_EOVERFLOW, DRX_ENOMEM (for planning), DRX_ERANGE (too little memory: the detail and
 * *least_bytes say how much would do; after other results *least_bytes is 0; it may be NULL). */
drx_status drxi_relayout_plan(const struct drxi_relayout_request *request, struct drxi_relayout *plan,
                              int64_t *least_bytes);

/* Whether the request for a box has the plan that it would have for the box lo <= i < hi, at another place. Both boxes
 * are right. */
bool drxi_relayout_alike(const struct drxi_relayout_request *request, const int64_t lo[], const int64_t hi[]);

/* Print the plan into buf[n], cut to fit; returns the length as snprintf does. */
size_t drxi_relayout_print(const struct drxi_relayout *plan, char *buf, size_t n);

/* ---- what a pass does along one axis ------------------------------------------- */

struct drxi_axis_walk {
    int64_t source_unit, target_unit, region, stride;
    int64_t begin, end;    /* the group */
    int64_t lo, hi;        /* the region */
    int64_t read, written; /* its progress */
};

/* Units that a step reads and elements that it completes, as indices in the group. read_hi can lie outside the group,
 * read_lo before the region and the group. Either range can be empty, but not both. */
struct drxi_axis_step {
    int64_t read_lo, read_hi, write_lo, write_hi;
};

/* Walk a group from pass->start to `end`. The last group can be shorter than pass->group. */
void drxi_axis_start(struct drxi_axis_walk *walk, const struct drxi_relayout_pass *pass, int axis, int64_t end);
bool drxi_axis_region(struct drxi_axis_walk *walk);
bool drxi_axis_step(struct drxi_axis_walk *walk, struct drxi_axis_step *step);

/* ---- many ranks -------------------------------------------------------------------
 * Each rank makes a box of the target by a plan of its own, and meets no other one. */

enum { DRXI_SHARES = 8 };

/* A grid of boxes, one for each rank. */
struct drxi_share {
    int ranks;                   /* the product of: */
    int64_t boxes[DRX_MAX_NDIM]; /* along each axis */
    int64_t grain[DRX_MAX_NDIM]; /* where they end: at multiples of it */
    int64_t chunk[DRX_MAX_NDIM]; /* of the target, or a part that is contiguous in the file; boxes consist of these */
    double bytes;                /* the most that one box reads, in least units, and the most that one writes */
};

/* The ways for this number of ranks to share the request (for the whole target), those with the fewest bytes first.
 * *count is 0 when some rank would have nothing. All ranks get the same. Errors: as drxi_relayout_plan for a wrong
 * request. */
drx_status drxi_shares(const struct drxi_relayout_request *all, int ranks, struct drxi_share shares[DRXI_SHARES],
                       int *count);

/* The request for the box of `rank`, with its share of the memory. A rank without a share gets an empty box. The new
 * request points to lo[], hi[] and the share. */
void drxi_share_request(const struct drxi_relayout_request *all, const struct drxi_share *share, int rank, int64_t lo[],
                        int64_t hi[], struct drxi_relayout_request *one);
