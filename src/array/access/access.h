/* What the public reads and writes share. */
#pragma once

#include "array/array.h"

/* What was asked for lies outside the bounds of axis j. In before.c. */
drx_status drxi_outside(const drx_array *a, int j, int64_t lower, int64_t upper, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* The elements for a call that moves this many bytes; the gate has been entered. A long call gets a snapshot, and lets
 * others grow the array meanwhile. drxi_end_visit gives it back, and leaves. */
struct drxi_data *drxi_begin_visit(drx_array *a, int64_t bytes);
void drxi_end_visit(drx_array *a, struct drxi_data *data);
/* The box around points; empty where one of them cannot be an element. There, too. */
void drxi_box_around(const drx_array *a, int64_t n, const int64_t indices[], int64_t lo[], int64_t count[]);

/* What the watch says, or else what came before it. */
static inline drx_status drxi_watched(drx_status watch, drx_status st)
{
    return watch ? watch : st;
}
