/* Whether a description can be used, and what messages call it. */
#include "cf/cf.h"

#include <math.h>

const char *drxi_cf_label(const drx_cf *cf)
{
    return cf->name ? cf->name : cf->standard_name ? cf->standard_name : "the coordinate";
}

static bool is_real(drx_type type)
{
    return DRX_IS_NUMBER(type) && type != DRX_COMPLEX64 && type != DRX_COMPLEX128;
}

drx_status drxi_cf_check(const drx_cf *cf)
{
    static const uint64_t zero[sizeof cf->reserved / sizeof cf->reserved[0]];

    if (!cf)
        return drxi_fail(DRX_EINVAL, "the description is a null pointer");
    if (memcmp(cf->reserved, zero, sizeof zero) != 0)
        return drxi_fail(DRX_EINVAL, "%s: reserved words of the description are not zero", drxi_cf_label(cf));
    if (!is_real(cf->type))
        return drxi_fail(DRX_EINVAL, "%s: the type is %s, expected one of real numbers", drxi_cf_label(cf),
                         drx_type_name(cf->type) ? drx_type_name(cf->type) : "unknown");
    if ((cf->fill && cf->fill_type && !is_real(cf->fill_type)) || cf->nmissing < 0 ||
        (cf->nmissing > 0 && (!cf->missing || !is_real(cf->missing_type))))
        return drxi_fail(DRX_EINVAL, "%s: what stands for missing values are not real numbers", drxi_cf_label(cf));
    if (!isfinite(cf->scale_factor) || !isfinite(cf->add_offset))
        return drxi_fail(DRX_EINVAL, "%s: scale_factor and add_offset must be finite numbers", drxi_cf_label(cf));
    return DRX_OK;
}
