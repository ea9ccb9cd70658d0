/* Planning a layout transformation: how to copy an array into another chunk
 * shape, axis permutation and order inside chunks within so much memory
 * (Krishnamoorthy et al. 2006). Pure arithmetic: no array, no I/O.
 * docs/layout.md tells the model and where it differs from the paper.
 *
 * All extents are elements and all axes the target's, the source's permuted.
 *
 * A pass reads source units and writes target units; a unit is a chunk, or a part
 * of one that is contiguous in the file and divides it. It walks
 *   groups   boxes of `group`, each taken through all passes before the next;
 *   regions  boxes of a group, up to multiples of `region` or all of an axis: no element
 *            is kept from one to the next;
 *   steps    of a region, in the order of `traverse`: whatever source units are
 *            new are read, all of the region's target units that are then complete
 *            are written, the rest of what the region needs is kept.
 * On each axis these are intervals that do not depend on the other axes
 * (drxi_axis_walk); groups, regions and steps are their products. Units are moved
 * whole, with the fill that they hold outside the array; those that lie outside it
 * altogether are not moved.
 *
 * Contiguity: chunks are taken to lie in row-major order of their indices, of the
 * whole array or, for a temporary array, of one group. Units that are adjacent in
 * the file and belong to one step are one call; `scattered` chunks (padded by an
 * alignment, or appended in another order) are one call each at least. More
 * fragments than that cost calls; bytes and memory do not depend on it. */
#ifndef DRXI_RELAYOUT_H
#define DRXI_RELAYOUT_H

#include "base/base.h"

enum { DRXI_RELAYOUT_PASSES = 9 };

/* seconds = bytes / bandwidth + calls * latency, of reading and of writing; less, when there
 * are two buffers, the share `overlap` of the shorter one, but for one step. */
struct drxi_relayout_cost {
    double read_bandwidth, write_bandwidth; /* bytes a second, of one process */
    double read_latency, write_latency;     /* seconds a call */
    double overlap;                         /* 0 to 1 */
    int64_t part_bytes;                     /* the least part of a chunk that is moved alone */
};
extern const struct drxi_relayout_cost drxi_relayout_cost;

/* How chunks are stored; extents in the axes of their own array. */
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
    int64_t memory_bytes;                  /* the plan stays below or at it */
    const struct drxi_relayout_cost *cost; /* NULL: drxi_relayout_cost */
};

struct drxi_relayout_side {
    int64_t chunk[DRX_MAX_NDIM], unit[DRX_MAX_NDIM];
    int within[DRX_MAX_NDIM], across[DRX_MAX_NDIM]; /* the axes inside a chunk, and among chunks; slowest first */
    bool scattered;
    bool temporary; /* an array of the group alone */
};

/* One pass. Its memory: `buffers` blocks of whole source units, as stored and in the
 * order of the file; a buffer of leftovers for each axis; `buffers` stages of target
 * units, again as stored. The leftovers of axis traverse[i] fit in the product of
 * `leftover` of that axis, of the region (clipped to the group) on axes before it,
 * and of the block (clipped to the region) on axes behind it. */
struct drxi_relayout_pass {
    enum drxi_relayout_kind { DRXI_KEPT, DRXI_TEMPLATE } kind; /* TEMPLATE: units at the borders are read again */
    struct drxi_relayout_side source, target;
    int64_t start[DRX_MAX_NDIM]; /* the group's first index; if not all 0, there is one group */
    int64_t group[DRX_MAX_NDIM], region[DRX_MAX_NDIM];
    int64_t lcm[DRX_MAX_NDIM];      /* of the units */
    int64_t stride[DRX_MAX_NDIM];   /* what a step advances by: see drxi_axis_step */
    int64_t block[DRX_MAX_NDIM];    /* the most that a step reads */
    int64_t leftover[DRX_MAX_NDIM]; /* the most that it leaves */
    int64_t stage[DRX_MAX_NDIM]; /* the most that a step completes, in whole units; staged at once if `staged_whole` */
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
    int ndim, passes; /* no pass: there are no elements */
    int64_t shape[DRX_MAX_NDIM], item_bytes;
    int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM]; /* the box */
    struct drxi_relayout_pass pass[DRXI_RELAYOUT_PASSES];
    int64_t memory_bytes;    /* the most of any pass */
    int64_t temporary_bytes; /* on disk: the most that two neighbouring temporary arrays take */
    int64_t read_bytes, read_calls, write_bytes, write_calls;
    double seconds;
};

/* Plan; the same request always gives the same plan, and more memory never one of
 * more seconds. Errors: DRX_EINVAL (what is wrong with the request), DRX_EOVERFLOW,
 * DRX_ENOMEM (for planning), DRX_ERANGE (too little memory: the detail, and
 * *least_bytes unless NULL, say what would do; else that is 0). */
DRXI_SHARED drx_status drxi_relayout_plan(const struct drxi_relayout_request *request, struct drxi_relayout *plan,
                                          int64_t *least_bytes);

/* The plan as text into buf[n], cut to fit; returns its length as snprintf does. */
size_t drxi_relayout_print(const struct drxi_relayout *plan, char *buf, size_t n);

/* ---- what a pass does along one axis ------------------------------------------- */

struct drxi_axis_walk {
    int64_t source_unit, target_unit, region, stride;
    int64_t begin, end;    /* the group */
    int64_t lo, hi;        /* the region */
    int64_t read, written; /* how far it has come */
};

/* Units read and elements completed in a step, as indices in the group. read_hi can lie
 * outside the group, read_lo before the region and the group. Either can be empty, not both. */
struct drxi_axis_step {
    int64_t read_lo, read_hi, write_lo, write_hi;
};

/* Walk a group from pass->start to `end` (the last one can be shorter than pass->group). */
void drxi_axis_start(struct drxi_axis_walk *walk, const struct drxi_relayout_pass *pass, int axis, int64_t end);
bool drxi_axis_region(struct drxi_axis_walk *walk);
bool drxi_axis_step(struct drxi_axis_walk *walk, struct drxi_axis_step *step);

/* ---- many ranks -------------------------------------------------------------------
 * Each rank makes a box of the target by a plan of its own, and meets no other one. */

enum { DRXI_SHARES = 8 };

/* A grid of boxes, one for each of so many ranks. */
struct drxi_share {
    int ranks;                   /* the product of: */
    int64_t boxes[DRX_MAX_NDIM]; /* along each axis */
    int64_t grain[DRX_MAX_NDIM]; /* they end at multiples of it */
    int64_t chunk[DRX_MAX_NDIM]; /* of the target, or a part that is contiguous in the file: what boxes are made of */
    double bytes;                /* the most that one reads, in least units, and the most that one writes */
};

/* The ways to share what the request asks for (all of the target) among so many ranks, those
 * with the fewest bytes, fewest first; *count is 0 when there is not enough for each to have
 * some. The same on all ranks. Errors: as drxi_relayout_plan, for a request that is wrong. */
DRXI_SHARED drx_status drxi_shares(const struct drxi_relayout_request *all, int ranks,
                                   struct drxi_share shares[DRXI_SHARES], int *count);

/* The request for the box of `rank`, with its share of the memory; a rank that has none gets
 * an empty box. lo[], hi[] and the share are the new request's, too. */
DRXI_SHARED void drxi_share_request(const struct drxi_relayout_request *all, const struct drxi_share *share, int rank,
                                    int64_t lo[], int64_t hi[], struct drxi_relayout_request *one);

#endif
