/* Arrays with stripes on disks that only one node sees, beside what they should be. Two ranks are a node here, and each
 * node has a folder of its own under the name `local`. With DRX_LOCAL in the environment, that folder is such a disk,
 * and the nodes are real (test_mp_hosts). */
#ifndef MP_FAR_H
#define MP_FAR_H

#include "mp_testing.h"

enum { FAR_NODE_RANKS = 2, FAR_STRIPES = 3, FAR_MOST = 40 };

extern const char *far_local; /* the folder of the stripes, as the array names it */

/* False: there is only one node. What earlier cases have left is removed. */
bool far_begin(void);
void far_end(void);
/* How many stripes lie in the folder of this rank's node. */
int far_stripes_here(void);

/* The array, and what it should be: an array in the memory of each rank. */
struct far_twins {
    drxmp_array *m;
    drx_array *truth;
    int32_t next; /* value */
};

drx_spec far_spec_of(const char *const folders[], unsigned flags, const int32_t *fill);
struct far_twins far_make(const char *path, unsigned flags, const int32_t *fill);
void far_bounds(const struct far_twins *t, int64_t lower[2], int64_t shape[2]);
void far_compare(const struct far_twins *t);
/* A box of each rank, side by side along axis 1, so that they share chunks; or of one rank alone. */
void far_write_some(struct far_twins *t, bool alone);
/* Some calls at random, after each of which both are the same. */
void far_play(const char *path, unsigned flags, const int32_t *fill);

#endif
