/* How a file stored an array before. */
#include "format/format.h"

enum { MOST_WORDS = 1 << 24 };

drx_status drxi_source_check(const drx_source *s)
{
    size_t at = 0;

    if (!s)
        return DRX_OK;
    if (s->byte_order < 0 || s->byte_order > DRX_BIG_ENDIAN || !drxi_is_zero(s->reserved, sizeof s->reserved))
        return drxi_fail(DRX_EINVAL, "spec.source: byte_order is %d or reserved is not zero, expected 0 to 2",
                         s->byte_order);
    while (s->filters && s->nwords <= MOST_WORDS && s->nwords - at >= 2 && s->filters[at + 1] <= s->nwords - at - 2)
        at += 2 + s->filters[at + 1];
    return at == s->nwords
               ? DRX_OK
               : drxi_fail(DRX_EINVAL, "spec.source: nwords is %zu, which no whole filters have", s->nwords);
}

drx_source *drxi_source_new(size_t nwords)
{
    drx_source *s = drxi_calloc(1, sizeof *s + nwords * sizeof *s->filters);

    if (s)
        *s = (drx_source){ .nwords = nwords, .filters = (uint32_t *)(s + 1) };
    return s;
}

drx_status drxi_source_copy(const drx_source *from, drx_source **out)
{
    drx_source *s = from ? drxi_source_new(from->nwords) : NULL;

    *out = s;
    if (!s)
        return from ? DRX_ENOMEM : DRX_OK;
    s->byte_order = from->byte_order;
    if (from->nwords > 0)
        memcpy(s + 1, from->filters, from->nwords * sizeof *from->filters);
    return DRX_OK;
}
