/* Sizes and strides that follow from the description; the default chunk. */
#include "array/array.h"

#include "copy/copy.h"

enum { DEFAULT_CHUNK_BYTES = 1 << 20 };

drx_status drxi_layout(drx_array *a)
{
    const struct drxi_desc *d = &a->state.desc;
    int64_t padding;

    a->item_bytes = drx_type_size(d->type);
    a->zero_fill = drxi_is_zero(d->fill, a->item_bytes);
    a->chunk_items = 1;
    for (int j = 0; j < d->ndim; j++)
        if (!drxi_mul(a->chunk_items, d->chunk[j], &a->chunk_items))
            return drxi_fail(DRX_EOVERFLOW, "%s: the elements of a chunk overflow 64 bits", a->label);
    if (!drxi_mul(a->chunk_items, (int64_t)a->item_bytes, &a->chunk_bytes) ||
        !drxi_add(a->chunk_bytes, d->align - 1, &padding))
        return drxi_fail(DRX_EOVERFLOW, "%s: the bytes of a chunk overflow 64 bits", a->label);
    a->chunk_pitch_bytes = padding / d->align * d->align;
    drxi_strides(d->ndim, d->chunk, a->item_bytes, d->chunk_order, a->item_pitch_bytes);
    return DRX_OK;
}

drx_status drxi_data_bytes(const drx_array *a, int64_t chunks, int64_t *bytes)
{
    if (!drxi_mul(chunks, a->chunk_pitch_bytes, bytes))
        return drxi_fail(DRX_EOVERFLOW, "%s: %lld chunks of %lld bytes overflow 64 bits", a->label, (long long)chunks,
                         (long long)a->chunk_pitch_bytes);
    return DRX_OK;
}

static int64_t scaled(int64_t extent, double factor)
{
    return drxi_max(1, (int64_t)((double)extent * factor));
}

/* Scale the chosen extents by the largest factor that leaves at most `items`
 * elements; none falls below 1. */
static void scale(int ndim, const bool chosen[], double items, int64_t chunk[])
{
    double low = 0;
    double high = items;

    for (int i = 0; i < 64; i++) {
        const double factor = (low + high) / 2;
        double product = 1;

        for (int j = 0; j < ndim; j++)
            product *= (double)(chosen[j] ? scaled(chunk[j], factor) : chunk[j]);
        if (product <= items)
            low = factor;
        else
            high = factor;
    }
    for (int j = 0; j < ndim; j++)
        if (chosen[j])
            chunk[j] = scaled(chunk[j], low);
}

/* Bounds of more than a chunk shrink alike. Where they are less, the axes of
 * extent 0 or 1 are taken to be those that will grow, or else all of them. */
void drxi_choose_chunk(int ndim, const int64_t shape[], size_t item_bytes, int64_t chunk[])
{
    const double items = (double)DEFAULT_CHUNK_BYTES / (double)item_bytes;
    bool chosen[DRX_MAX_NDIM];
    bool thin = false;
    double all = 1;

    for (int j = 0; j < ndim; j++) {
        chunk[j] = drxi_max(1, shape[j]);
        all *= (double)chunk[j];
        thin = thin || shape[j] <= 1;
    }
    for (int j = 0; j < ndim; j++)
        chosen[j] = all >= items || !thin || shape[j] <= 1;
    scale(ndim, chosen, items, chunk);
    for (int j = 0; j < ndim; j++) /* as many chunks, but none nearly empty at the end */
        if (shape[j] > chunk[j])
            chunk[j] = drxi_ceil_div(shape[j], drxi_ceil_div(shape[j], chunk[j]));
}
