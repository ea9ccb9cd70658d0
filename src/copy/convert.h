/* Elements of one type as elements of another. */
#ifndef DRXI_CONVERT_H
#define DRXI_CONVERT_H

#include "base/base.h"

/* Convert n elements, which lie contiguously. out NULL: only try. Returns the first one that does not fit, or n. The
 * types and `how` are valid; memory of unlike types does not overlap. */
int64_t drxi_convert(drx_type from, const void *in, drx_type to, void *out, int64_t n, drx_conversion how);

/* Whether these can be converted at all: DRX_EINVAL. */
drx_status drxi_check_conversion(const char *label, drx_type from, drx_type to, drx_conversion how);

/* DRX_EMISMATCH for an element that does not fit, which `where` names: "element (3, 4)". */
drx_status drxi_fail_conversion(const char *label, const char *where, drx_type from, const void *element, drx_type to,
                                drx_conversion how);

#endif
