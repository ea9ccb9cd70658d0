/* What the public reads and writes share. */
#ifndef DRXI_ACCESS_H
#define DRXI_ACCESS_H

#include "array/array.h"

/* What was asked for lies outside the bounds of axis j. */
drx_status drxi_outside(const drx_array *a, int j, int64_t lower, int64_t upper, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* A payload that a trim has given back does not match: what counts is that it was trimmed. */
static inline bool drxi_is_lost(const drx_array *a, drx_status st)
{
    return a->data.pack && !a->parts.writable && (st == DRX_ECHECKSUM || st == DRX_EDAMAGED);
}

/* What the watch says, or else what came before it. */
static inline drx_status drxi_watched(drx_status watch, drx_status st)
{
    return watch ? watch : st;
}

#endif
