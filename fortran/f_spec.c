/* What an array is made from, from the type drx_spec of the module. */
#include <string.h>

#include "drxf_calls.h"

/* n texts, one after another. */
static void texts(const char *from, int n, const char *out[])
{
    for (int i = 0; i < n; i++) {
        out[i] = *from ? from : NULL;
        from += strlen(from) + 1;
    }
}

drx_status drxf_make_spec(const struct drxf_spec *from, struct drxf_made *out)
{
    if (from->wrong)
        return drxf_fail(DRX_EINVAL, "%s", from->wrong);
    out->spec = (drx_spec){
        .ndim = from->ndim,
        .type = (drx_type)from->type,
        .shape = from->shape,
        .chunk = from->chunk,
        .fill = from->fill,
        .chunk_order = from->row_major ? DRX_ROW_MAJOR : DRX_COL_MAJOR,
        .flags = (unsigned)from->flags,
        .align = from->align,
        .lower = from->lower,
        .codec = (drx_codec)from->codec,
        .level = from->level,
        .shuffle = (drx_shuffle)from->shuffle,
    };
    if (from->dims) {
        texts(from->dims, from->ndim, out->dims);
        out->spec.dims = out->dims;
    }
    if (from->nstripes > DRX_MAX_STRIPES)
        return drxf_fail(DRX_EINVAL, "%d stripes, expected at most %d", (int)from->nstripes, DRX_MAX_STRIPES);
    if (from->nstripes) {
        texts(from->stripes, from->nstripes, out->stripes);
        out->spec.nstripes = from->nstripes;
        out->spec.stripes = out->stripes;
    }
    return DRX_OK;
}

/* The shape of `mold` when the program gives none. */
DRX_API void drxf_mold(const CFI_cdesc_t *mold, int *type, int *ndim, int64_t shape[CFI_MAX_RANK])
{
    *type = (int)drxf_type_of(mold);
    *ndim = mold->rank;
    for (int j = 0; j < mold->rank; j++)
        shape[j] = mold->dim[j].extent;
}

/* How many integers there are, and then these; for extents, whose number says how many axes an array has. */
DRX_API drx_status drxf_extents(const CFI_cdesc_t *d, const char *name, int expected, int *n, int64_t out[DRX_MAX_NDIM])
{
    const int64_t size = drxf_size(d);

    if (expected < 0 && (size < 1 || size > DRX_MAX_NDIM))
        return drxf_fail(DRX_EINVAL, "%s has %lld elements, expected 1 to %d, one for each axis", name, (long long)size,
                         DRX_MAX_NDIM);
    *n = expected < 0 ? (int)size : expected;
    return drxf_integers(d, name, *n, ", one for each axis", out);
}

/* The bytes of a fill. Of an unsigned type it is given as the bits of a signed one. */
DRX_API drx_status drxf_fill(const CFI_cdesc_t *fill, int type, void *out)
{
    char room[DRXF_MOST_NAME];

    if (drxf_size(fill) != 1)
        return drxf_fail(DRX_EINVAL, "fill has %lld elements, expected one", (long long)drxf_size(fill));
    if (!drxf_takes((drx_type)type, fill, true))
        return drxf_fail(DRX_EMISMATCH, "fill is %s, and the elements are to be %s; expected %s",
                         drxf_declared_as(fill, room),
                         drx_type_name((drx_type)type) ? drx_type_name((drx_type)type) : "of an unknown type",
                         drxf_declared((drx_type)type));
    memcpy(out, fill->base_addr, fill->elem_len);
    return DRX_OK;
}
