/* Adding boxes of elements to others. */
#ifndef DRXI_ACCUMULATE_H
#define DRXI_ACCUMULATE_H

#include "copy/copy.h"

/* As drxi_copy_axes, but each element of dst becomes the sum of itself and `alpha`, an element of `type`, times that of
 * src. Integers wrap; no axis has a stride of 0 in dst. Not atomic. */
DRXI_SHARED void drxi_accumulate(int n, const struct drxi_copy_axis axes[], drx_type type, const void *alpha, void *dst,
                                 const void *src);

#endif
