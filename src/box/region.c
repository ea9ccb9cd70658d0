/* Where the elements of a box lie: in memory, and in the chunks of the file. */
#include "box/box.h"

void drxi_lay_out(struct drxi_layout *l, const struct drxi_data *data, const struct drxi_box *box)
{
    const struct drxi_desc *d = &data->state->desc;

    l->ndim = d->ndim;
    l->item_bytes = (int64_t)data->item_bytes;
    for (int j = 0; j < d->ndim; j++) {
        l->mem_stride[j] = box->stride_bytes[j];
        l->file_stride[j] =
            drxi_mul_saturated(data->item_pitch_bytes[j], box->step && box->count[j] > 1 ? box->step[j] : 1);
        l->axes[j] = d->chunk_order == DRX_ROW_MAJOR ? j : d->ndim - 1 - j;
    }
}

struct drxi_region drxi_region_of(const struct drxi_layout *l, const int64_t count[])
{
    struct drxi_region r = { l->item_bytes, l->item_bytes, 0, -1, true };

    for (int i = l->ndim - 1; i >= 0; i--) {
        const int j = l->axes[i];

        if (count[j] == 1)
            continue;
        r.widest_gap = drxi_max(r.widest_gap, l->file_stride[j] - r.span);
        r.span += (count[j] - 1) * l->file_stride[j];
        r.wanted *= count[j];
        r.slowest = j;
        r.alike = r.alike && l->mem_stride[j] == l->file_stride[j];
    }
    return r;
}
