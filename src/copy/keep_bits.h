/* Rounding to fewer bits of the mantissa. */
#ifndef DRXI_KEEP_BITS_H
#define DRXI_KEEP_BITS_H

#include "base/base.h"
#include "drx_tools.h"

struct drxi_keep {
    drx_type type;
    int bits;           /* as in drx_keep_bits */
    const void *skip;   /* an element that stays as it is; NULL: none */
    drx_rounding *told; /* grows */
};

/* The bits that an element has: 0 for a type that is not rounded. */
int drxi_keep_bits_most(drx_type type);
drx_status drxi_check_keep_bits(const char *label, drx_type type, int bits);
/* The arguments have been checked. */
void drxi_keep_bits(const struct drxi_keep *k, int64_t n, void *elements);

#endif
