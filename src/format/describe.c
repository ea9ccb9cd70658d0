/* A description from what a program asks for, and back; what follows from it. */
#include "format/format.h"

enum { SUM_BYTES = 8, ENTRY_BYTES = 64 }; /* of the file of checksums; of the table of a compressed array */

drx_status drxi_desc_of_spec(const drx_spec *spec, struct drxi_desc *d)
{
    *d = (struct drxi_desc){ .ndim = spec->ndim,
                             .type = spec->type,
                             .chunk_order = spec->chunk_order,
                             .flags = (spec->flags & DRX_CHECKSUM ? DRXI_DESC_CHECKSUM : 0) |
                                      (spec->nstripes > 0 ? DRXI_DESC_STRIPED : 0),
                             .shells = (spec->flags & DRX_SHELL) != 0,
                             .align = spec->align > 0 ? spec->align : 1,
                             .fill = drxi_keep_element(spec->fill, drx_type_size(spec->type)) };
    memcpy(d->shape, spec->shape, (size_t)spec->ndim * sizeof *d->shape);
    if (spec->chunk)
        memcpy(d->chunk, spec->chunk, (size_t)spec->ndim * sizeof *d->chunk);
    return d->fill ? DRX_OK : DRX_ENOMEM;
}

void drxi_spec_of_desc(const struct drxi_desc *d, const struct drxi_stripes *stripes, drx_spec *spec)
{
    *spec = (drx_spec){ .ndim = d->ndim,
                        .type = d->type,
                        .chunk = d->chunk,
                        .fill = d->fill,
                        .chunk_order = d->chunk_order,
                        .flags = (d->flags & DRXI_DESC_CHECKSUM ? DRX_CHECKSUM : 0) | (d->shells ? DRX_SHELL : 0),
                        .align = d->align,
                        .nstripes = stripes->n,
                        .stripes = (const char *const *)stripes->folder,
                        .codec = d->codec.codec,
                        .level = d->codec.level,
                        .shuffle = d->codec.shuffle };
}

bool drxi_lay_chunk(int64_t item_bytes, int ndim, const int64_t chunk[], int64_t align, bool packed,
                    struct drxi_laid *out)
{
    bool fits = true;

    *out = (struct drxi_laid){ .bytes = item_bytes };
    for (int j = 0; fits && j < ndim; j++)
        fits = drxi_mul(out->bytes, chunk[j], &out->bytes);
    if (!fits)
        out->bytes = INT64_MAX;
    if (!fits || !drxi_add(out->bytes, align - 1, &out->pitch))
        return false;
    out->pitch = out->pitch / align * align;
    out->most = INT64_MAX / drxi_max(out->pitch, packed ? ENTRY_BYTES : SUM_BYTES);
    return true;
}

bool drxi_desc_lay(const struct drxi_desc *d, struct drxi_laid *out)
{
    return drxi_lay_chunk((int64_t)drx_type_size(d->type), d->ndim, d->chunk, d->align, d->codec.codec != DRX_RAW, out);
}
