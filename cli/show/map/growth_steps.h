/* The history of an array in steps: each that adds chunks adds one segment of them. */
#ifndef GROWTH_STEPS_H
#define GROWTH_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "drx_tools.h"

/* A growth, with those right after it that stay on its axis and within its last
 * chunks; or the making of the array, shell by shell when it was made so. */
struct step {
    int axis;                /* that grew; -1: the array was made */
    bool shell;              /* a part of the initial array */
    int64_t by;              /* elements; of a shell, chunks */
    int64_t growths;         /* how many growths; 0 when it belongs to the making */
    int64_t lo;              /* the bound of `axis` before, in chunks */
    const int64_t *bounds;   /* of all axes after it, in chunks; valid until the next step */
    int64_t address, chunks; /* of its segment: the first address and the number; 0 chunks: none */
};

struct growth_steps { /* as begin_steps leaves it */
    const drx_array *a;
    struct step step; /* the present one, once next_step gave true */
    int64_t shape[DRX_MAX_NDIM], bounds[DRX_MAX_NDIM], made[DRX_MAX_NDIM];
    int64_t growth; /* the next one */
    int64_t total;  /* chunks so far */
    int turn;       /* the axis of the next shell */
    bool begun;
};

void begin_steps(struct growth_steps *steps, const drx_array *a);
bool next_step(struct growth_steps *steps);

#endif
