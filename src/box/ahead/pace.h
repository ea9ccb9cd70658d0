/* The pace of a program that reads boxes: each as far from the one before as that from the one before it. After as many
 * steps as before, such a row turns: the next one begins where another step leads. */
#pragma once

#include "base/base.h"

struct drxi_pace {
    bool begun;
    int ndim;
    int64_t lo[DRX_MAX_NDIM];    /* of the last box */
    int64_t count[DRX_MAX_NDIM]; /* of boxes that the bounds do not cut */
    int64_t by[DRX_MAX_NDIM];
    int64_t alike, steps;                   /* steps `by`: in a row, and since the last turn */
    bool turns;                             /* known: */
    int64_t turn[DRX_MAX_NDIM], turn_after; /* this many steps */
};

/* Note a box, for an array with these upper bounds. Returns whether it was expected. */
bool drxi_pace_note(struct drxi_pace *p, int ndim, const int64_t upper[], const int64_t lo[], const int64_t count[]);
/* Go on to the box that is expected next, inside these bounds; false: none is. */
bool drxi_pace_go_on(struct drxi_pace *p, const int64_t lower[], const int64_t upper[]);
/* The indices of the last box. */
void drxi_pace_count(const struct drxi_pace *p, const int64_t upper[], int64_t count[]);
