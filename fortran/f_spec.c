/* What an array is made from, from the type drx_spec of the module. */
#include <string.h>

#include "drxf.h"

static const char each_axis[] = ", one for each axis";

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
        .chunk = from->has_chunk ? from->chunk : NULL,
        .fill = from->has_fill ? from->fill : NULL,
        .chunk_order = from->row_major ? DRX_ROW_MAJOR : DRX_COL_MAJOR,
        .flags = (unsigned)from->flags,
        .align = from->align,
        .lower = from->has_lower ? from->lower : NULL,
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

/* The bytes of a fill. Of an unsigned type it is given as the bits of a signed one. */
static drx_status take_fill(const CFI_cdesc_t *fill, drx_type type, void *out)
{
    char room[DRXF_MOST_NAME];

    if (drxf_size(fill) != 1)
        return drxf_fail(DRX_EINVAL, "fill has %lld elements, expected one", (long long)drxf_size(fill));
    if (!drxf_takes(type, fill, true))
        return drxf_fail(DRX_EMISMATCH, "fill is %s, and the elements are to be %s; expected %s",
                         drxf_declared_as(fill, room), drx_type_name(type) ? drx_type_name(type) : "of an unknown type",
                         drxf_declared(type));
    memcpy(out, fill->base_addr, fill->elem_len);
    return DRX_OK;
}

/* The extents of an array tell how many axes it has. */
static drx_status take_shape(const CFI_cdesc_t *shape, struct drxf_spec *s)
{
    const int64_t n = drxf_size(shape);

    if (n < 1 || n > DRX_MAX_NDIM)
        return drxf_fail(DRX_EINVAL, "shape has %lld elements, expected 1 to %d, one for each axis", (long long)n,
                         DRX_MAX_NDIM);
    s->ndim = (int)n;
    return drxf_integers(shape, "shape", s->ndim, each_axis, s->shape);
}

DRX_API drx_status drxf_describe(struct drxf_spec *s, const CFI_cdesc_t *shape, const CFI_cdesc_t *mold,
                                 const CFI_cdesc_t *chunk, const CFI_cdesc_t *fill, const CFI_cdesc_t *lower)
{
    drx_status st = DRX_OK;

    if (mold && !s->type)
        s->type = (int)drxf_type_of(mold);
    for (s->ndim = 0; mold && s->ndim < mold->rank; s->ndim++)
        s->shape[s->ndim] = mold->dim[s->ndim].extent;
    if (shape)
        st = take_shape(shape, s);
    if (!st && !s->ndim)
        st = drxf_fail(DRX_EINVAL, "expected shape, or an array as mold");
    if (!st && !s->type)
        st = drxf_fail(DRX_EINVAL, "expected type, or a mold of integers, real or complex numbers");
    if (!st && chunk)
        st = drxf_integers(chunk, "chunk", s->ndim, each_axis, s->chunk);
    if (!st && lower)
        st = drxf_integers(lower, "lower", s->ndim, each_axis, s->lower);
    if (!st && fill)
        st = take_fill(fill, (drx_type)s->type, s->fill);
    s->has_chunk = chunk != NULL;
    s->has_lower = lower != NULL;
    s->has_fill = fill != NULL;
    return st;
}
