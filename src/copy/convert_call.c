/* drx_convert. */
#include "copy/copy.h"

#include <inttypes.h>
#include <stdio.h>

drx_status drx_convert(drx_type from, const void *in, drx_type to, void *out, int64_t n, drx_conversion how)
{
    drx_status st = drxi_check_conversion("drx_convert", from, to, how);
    char where[40];
    int64_t done;

    if (!st && (n < 0 || (n > 0 && (!in || !out))))
        st = drxi_fail(DRX_EINVAL, "drx_convert: n is %" PRId64 ", or the elements are a null pointer", n);
    if (st || n == 0)
        return st;
    done = drxi_convert(from, in, to, out, n, how);
    if (done == n)
        return DRX_OK;
    (void)snprintf(where, sizeof where, "element %" PRId64, done);
    return drxi_fail_conversion("drx_convert", where, from, (const char *)in + (size_t)done * drx_type_size(from), to,
                                how);
}
