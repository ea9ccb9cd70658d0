/* All ranks as the hands of a history of tests/model. */
#ifndef MP_HANDS_H
#define MP_HANDS_H

#include "model/model.h"
#include "mp_testing.h"

extern const struct hands all_ranks;

/* ---- mp_hands.c ---- */

extern drxmp_array *team; /* m->a is this rank's view of it */

/* On rank 0: the array to which one process does what the ranks do together, or NULL. Both make the same files. */
struct model *twin_here(void);
bool has_twin(void); /* on any rank */

/* All ranks have come as far before, and after. */
drx_status together(drx_status st);

/* ---- mp_share.c: what of a box each rank gets ---- */

struct share {
    struct box box;
    bool steps; /* of any rank: all use the same call, whatever the box of one is */
    int64_t step[DRX_MAX_NDIM], stride[DRX_MAX_NDIM];
    int64_t first; /* the element of memory where it begins */
};

/* Numbers that all ranks draw alike, without those of the history: a call that is tried again is the same. */
uint64_t luck_of(const struct model *m);

/* Of a box in memory: adjacent parts, all for one rank, or, when they may be interleaved, every so many indices. */
struct share share_of(const struct model *m, int rank, const struct box *whole, const int64_t *step,
                      const int64_t *stride, bool interleaved, uint64_t luck);
drx_box box_of(const struct share *s);
/* A copy of its elements, contiguous in that order; the caller frees it. */
void *contiguous(const struct model *m, const struct share *s, drx_order order, const void *buf);

/* ---- mp_elements.c ---- */

drx_status append_share(struct model *m, struct growth g, const struct box *slab, drx_order order, const void *buf);
drx_status write_share(struct model *m, const struct box *b, const int64_t *step, const int64_t *stride,
                       const void *buf);
drx_status read_alike(struct model *m, const struct box *b, drx_order order, void *buf);

/* ---- mp_apart.c: what the ranks do one by one ---- */

operation apart;

#endif
