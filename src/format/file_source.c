/* What an array was in the file that it comes from. */
#include "format/format.h"

enum { MOST_BYTES = 64 << 20 };

drx_status drxi_source_check(const drx_source *s)
{
    int64_t bytes = 0;

    if (!s)
        return DRX_OK;
    if (s->byte_order < 0 || s->byte_order > DRX_BIG_ENDIAN || !drxi_is_zero(s->reserved, sizeof s->reserved))
        return drxi_fail(DRX_EINVAL, "spec.source: byte_order is %d or reserved is not zero, expected 0 to 2",
                         s->byte_order);
    if (s->nfilters < 0 || (s->nfilters > 0 && !s->filters))
        return drxi_fail(DRX_EINVAL, "spec.source: nfilters is %d or filters is a null pointer", s->nfilters);
    for (int i = 0; i < s->nfilters && bytes <= MOST_BYTES; i++) {
        bytes += 8 + INT64_C(4) * s->filters[i].nparams;
        if (s->filters[i].nparams > 0 && !s->filters[i].params)
            return drxi_fail(DRX_EINVAL, "spec.source: the parameters of filter %d are a null pointer", i);
    }
    return bytes <= MOST_BYTES ? DRX_OK
                               : drxi_fail(DRX_EINVAL, "spec.source: the filters have more than %d bytes", MOST_BYTES);
}

drx_source *drxi_source_new(size_t nfilters, size_t nparams, drx_filter **filter, uint32_t **params)
{
    drx_source *s = drxi_calloc(1, sizeof *s + nfilters * sizeof **filter + nparams * sizeof **params);

    if (!s)
        return NULL;
    s->filters = *filter = (drx_filter *)(s + 1);
    s->nfilters = (int)nfilters;
    *params = (uint32_t *)(*filter + nfilters);
    return s;
}

drx_status drxi_source_copy(const drx_source *from, drx_source **out)
{
    size_t n = 0;
    drx_filter *filter;
    uint32_t *params;
    drx_source *s;

    *out = NULL;
    if (!from)
        return DRX_OK;
    for (int i = 0; i < from->nfilters; i++)
        n += from->filters[i].nparams;
    if (!(s = drxi_source_new((size_t)from->nfilters, n, &filter, &params)))
        return DRX_ENOMEM;
    s->byte_order = from->byte_order;
    for (int i = 0; i < from->nfilters; params += filter[i++].nparams) {
        filter[i] = from->filters[i];
        if (filter[i].nparams > 0)
            memcpy(params, from->filters[i].params, filter[i].nparams * sizeof *params);
        filter[i].params = params;
    }
    *out = s;
    return DRX_OK;
}
