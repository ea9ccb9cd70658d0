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
bool has_twin(void);  /* on any rank */
void drop_twin(void); /* from now on the files need not be the same */

/* All ranks have come as far before, and after. */
drx_status together(drx_status st);

/* ---- mp_elements.c ---- */

drx_status append_share(struct model *m, struct growth g, const struct box *slab, drx_order order, const void *buf);
drx_status write_share(struct model *m, const struct box *b, const int64_t *step, const int64_t *stride,
                       const void *buf);
drx_status read_alike(struct model *m, const struct box *b, drx_order order, void *buf);

drx_status move_share_as(struct model *m, bool writing, const struct selection *whole, const drx_box *mine,
                         drx_type type, drx_conversion how, void *buf);

/* ---- mp_apart.c: what the ranks do one by one ---- */

operation apart;

#endif
