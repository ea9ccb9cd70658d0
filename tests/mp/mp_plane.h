/* A plane of numbers in the memory of the job, for each way in which ranks reach each other. */
#ifndef MP_PLANE_H
#define MP_PLANE_H

#include "mp_testing.h"

enum { ROWS = 23, COLUMNS = 17 };

extern const int64_t plane_shape[2], plane_chunk[2];

/* The case on one node, and as if nodes had 2 ranks or 1. */
void plane_in_each_way(void (*check)(void));

drxmp_array *plane_make(drx_type type);
/* All elements get the numbers of a version, each rank's part along axis 0. Or they have them. */
void plane_fill(drxmp_array *m, int version);
void plane_check(drxmp_array *m, int version);

#endif
