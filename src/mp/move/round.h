/* Chunks of a compressed array, some at a time, that many ranks compress. Each rank that does I/O owns as many of them
 * as the others. When they are compressed, all tell each other the lengths of the payloads, so every rank computes the
 * places of all of them, one behind another in the order of the chunks. Then the owners write theirs.
 *
 * Invariants
 *   1. At the start all agree on where the payloads end, where open ones have left their places, the epoch (rank 0
 *      knows it), and how many chunks are open, whatever ranks have written by themselves. From then on all count
 *      alike.
 *   2. A rank that has failed goes on up to where lengths are told. There all learn of it, and write no more. */
#ifndef DRXI_ROUND_H
#define DRXI_ROUND_H

#include "box/packed.h"
#include "mp/mp.h"

struct drxi_round {
    drxmp_array *m;
    MPI_Comm comm;
    drx_status st;       /* of this rank */
    int64_t slots;       /* chunks that a rank owns, at most */
    int64_t n, each;     /* the chunks; those of an owner, at most */
    int64_t first, mine; /* those that this rank owns */
    int64_t promised;    /* the epoch of the last SYNC */
    int64_t closed;      /* chunks that were open, and that other ranks have closed */
    int64_t *told;       /* slots + 1 numbers of each rank */
};

static inline void drxi_round_note(struct drxi_round *r, drx_status st)
{
    if (!r->st)
        r->st = st;
}

/* Choose the number of slots for chunks, of which an owner has `copies` in memory, and allocate; r->st says whether
 * that succeeded. Local. */
void drxi_round_new(struct drxi_round *r, drxmp_array *m, MPI_Comm comm, int copies);
/* After the ranks have agreed: rank 0's state for all. Collective. */
void drxi_round_start(struct drxi_round *r);
/* Deal n chunks out: at most drxi_round_most. */
int64_t drxi_round_most(const struct drxi_round *r);
void drxi_round_deal(struct drxi_round *r, int64_t n);
int drxi_round_owner(const struct drxi_round *r, int64_t i);

/* The chunks that this rank owns get the places of their payloads. False on all ranks when one has failed.
 * Collective. */
bool drxi_round_place(struct drxi_round *r, struct drxi_packed_chunk c[]);

/* The status of all ranks. Frees what the round holds. Collective. */
drx_status drxi_round_end(struct drxi_round *r);

#endif
