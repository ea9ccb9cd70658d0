/* --keep-bits of import and copy: floating-point elements are rounded before they are stored. */
#ifndef ROUNDING_H
#define ROUNDING_H

#include "drx_tools.h"

struct rounding {
    int bits; /* of the mantissa; 0: nothing is rounded */
    drx_rounding told;
};

/* The option: struct rounding. */
bool take_keep_bits(const char *what, char *text, void *out);

/* Round n elements of an array with that fill (NULL: none). Gives the exit code. */
int round_elements(struct rounding *r, const char *label, drx_type type, const void *fill, int64_t n, void *elements);

/* Can elements of that type be rounded? Prints why not. Gives the exit code. */
int check_rounding(const struct rounding *r, const char *label, drx_type type);

/* Say how far elements were moved, on all ranks together. Collective. */
void tell_rounding(struct rounding *r, const char *label);

#endif
