/* Ghosts of a darray: elements that copy another one, their source. These are the elements that a rank holds and
 * another rank owns, and on a periodic axis those in boundary padding, which repeat what lies at the other end. When a
 * darray is redistributed, all elements of the other one are ghosts, whose sources it owns.
 *
 *   ghost_pairs.c   the ghosts and sources that two ranks have along an axis
 *   ghost_plan.c    the ranks that have ghosts and sources in common; of one darray kept for all later calls
 *   ghost_copy.c    copies or adds elements that lie at listed indices
 *   darray_halo.c   refreshes ghosts, and adds them to their sources
 *   darray_redistribute.c   the ghosts of another darray
 *
 * Invariants
 *   1. An element has one source, which is not a ghost. The source follows from each axis alone: index g of an axis has
 *      a source index there and a grid rank that owns it. So what two ranks have in common is a product of pairs along
 *      the axes.
 *   2. Both ranks put these products in the same order, without asking each other: by turns of a periodic axis, then by
 *      source indices.
 *   3. While ghosts are refreshed, no rank changes a source. While they are added, no rank changes a ghost. So ranks
 *      that share memory read each other's sections between two agreements. */
#pragma once

#include "mp/darray/sections.h"

/* ---- ghost_pairs.c ------------------------------------------------------------------------- */

enum { DRXI_HERE, DRXI_THERE, DRXI_IN_SLOT }; /* whose local indices: this rank's, the other's, or 0, 1, ... */

/* `count` pairs from position `at` on: the local indices local[] + i * step[]. */
struct drxi_pair_run {
    int64_t at, count, local[2], step[2];
};

/* Pairs along an axis: local indices [DRXI_HERE] and [DRXI_THERE]. */
struct drxi_pairs {
    int64_t n;
    int64_t runs, room;
    struct drxi_pair_run *run;
    int64_t *list[2]; /* [n] each, in one piece, instead of runs when these would be short */
};

/* Which turns of a periodic axis: the inner indices, the others, or all. */
enum drxi_turns { DRXI_INNER, DRXI_TURNED, DRXI_ALL_TURNS };

/* Find the pairs of ghosts on grid rank `holder` and sources on grid rank `owner`, both of this axis. Here: the holder,
 * or else the owner. Elements that are their own source count, too. */
struct drxi_ghosts;
drx_status drxi_pairs_find(const struct drxi_ghosts *g, int axis, int64_t holder, int64_t owner, enum drxi_turns turns,
                           bool holder_here, struct drxi_pairs *pairs);
void drxi_pairs_free(struct drxi_pairs *pairs);

/* ---- ghost_copy.c ---------------------------------------------------------------------------- */

/* A product of pairs, with the outermost axis in memory first. */
struct drxi_term {
    const struct drxi_pairs *pairs[DRX_MAX_NDIM];
};

enum { DRXI_PIECE_BYTES = 1 << 20 }; /* larger ones do not stay in the caches */

/* A part of a term: positions lo <= i < lo + count along each axis. Parts follow each other in the term's order. */
struct drxi_term_part {
    const struct drxi_term *term;
    int ndim;
    int64_t width[DRX_MAX_NDIM], lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
    bool begun;
};
void drxi_term_start(struct drxi_term_part *p, const struct drxi_term *term, int ndim, int64_t most);
bool drxi_term_next(struct drxi_term_part *p);
int64_t drxi_term_elements(const struct drxi_term_part *p);

/* One end of a copy. */
struct drxi_ghost_end {
    int whose; /* DRXI_IN_SLOT: packed */
    uint8_t *base;
    int64_t stride_bytes[DRX_MAX_NDIM]; /* in the order of the term; not of a packed end */
};
/* Copy a part, or add it: then to the sums of `type`. */
void drxi_term_copy(const struct drxi_term_part *p, drx_type type, bool add, const struct drxi_ghost_end *to,
                    const struct drxi_ghost_end *from);

/* ---- ghost_plan.c ------------------------------------------------------------------------------- */

/* A rank that has something in common with this one; that may be this one, too. */
struct drxi_peer {
    int rank;
    int terms;
    struct drxi_term *term;
    int64_t elements;
    uint8_t *slot;              /* a piece; NULL: loads reach its section */
    struct drxi_term_part part; /* the piece in the slot */
    bool arrived, over;         /* the piece; all of them */
};

/* Sides of a rank: its ghosts, with the ranks that have their sources; and its sources. */
enum { DRXI_GHOSTS, DRXI_SOURCES, DRXI_GHOST_SIDES };

struct drxi_ghost_side {
    int64_t n;
    struct drxi_peer *peer; /* by rank */
    struct drxi_term *terms;
    uint8_t *slots;
};

struct drxi_ghost_axis {
    struct drxi_pairs *pairs[DRXI_GHOST_SIDES];       /* [grid]: with each grid rank */
    struct drxi_pairs same, turned[DRXI_GHOST_SIDES]; /* what this rank has of its own: without turns, with turns */
};

struct drxi_ghosts {
    const drxmp_darray *to, *from; /* with the ghosts, and with their sources */
    const int64_t *by, *lo, *hi;   /* of another darray: i copies i - by, where lo <= i < hi */
    struct drxi_ghost_axis axis[DRX_MAX_NDIM];
    struct drxi_ghost_side side[DRXI_GHOST_SIDES];
    MPI_Request *requests; /* of all peers on both sides */
    int64_t piece;         /* elements; the least of all ranks, once they agreed */
    bool agreed, any;      /* on `piece`, and whether some rank has ghosts */
};

/* Make d->ghosts, unless it is there. Local. */
drx_status drxi_ghosts_plan(drxmp_darray *d);
/* Make those of `to` whose sources are in `from`. The arrays are the caller's. Local. */
drx_status drxi_ghosts_between(const drxmp_darray *to, const drxmp_darray *from, const int64_t by[], const int64_t lo[],
                               const int64_t hi[], struct drxi_ghosts **out);
void drxi_ghosts_free(struct drxi_ghosts *g); /* NULL is fine */

/* The axis that comes at place `i` of a term. */
static inline int drxi_term_axis(const struct drxi_ghosts *g, int i)
{
    return g->to->order == DRX_ROW_MAJOR ? i : g->to->ndim - 1 - i;
}

/* ---- darray_halo.c ------------------------------------------------------------------------------ */

/* What lies at the peers of the other side of each rank comes to side `to`: is copied, or added. Collective; the ranks
 * have not agreed on the result yet. */
drx_status drxi_ghosts_exchange(struct drxi_ghosts *g, int to, bool add);
