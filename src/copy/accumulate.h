/* Adding boxes of elements to other boxes. */
#ifndef DRXI_ACCUMULATE_H
#define DRXI_ACCUMULATE_H

#include "copy/copy.h"

/* As drxi_copy_axes, but add `alpha`, an element of `type`, times each element of src to that of dst. Integers wrap
 * around. No axis may have a stride of 0 in dst. The sums are not atomic. */
void drxi_accumulate(int n, const struct drxi_copy_axis axes[], drx_type type, const void *alpha, void *dst,
                     const void *src);

/* DRX_EINVAL for a type whose elements cannot be added. */
drx_status drxi_check_addable(drx_type type);

#endif
