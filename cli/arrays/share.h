/* Slabs gone through by this process, or shared by the team: rank r does those with number r, r + size, ... */
#ifndef SHARE_H
#define SHARE_H

#include "frame/progress.h"
#include "slabs.h"

/* Let the team share them, cut further where that gives each rank some. To be called once they are cut. */
void share_slabs(struct slabs *s);

/* What is done with a slab; gives the exit code. */
typedef int slab_work(void *with, const struct slabs *slabs);

/* Do it with each slab; when it fails, or an interrupt came, no more. Gives the exit code. Collective when they are
 * shared: what fails on one rank ends it on all, with the same exit code. */
int do_slabs(struct slabs *s, slab_work *work, void *with, struct progress *progress);

/* The memory for a slab, for each rank its own; NULL after printing why, when shared on all or none. */
void *allocate_slab(const struct slabs *s);

#endif
