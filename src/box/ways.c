/* The ways of each kind of storage. */
#include "base/hooks.h"
#include "box/packed.h"

/* Read from the view what is in memory, or from the cache of the file, and the rest by calls. */
static drx_status read_plain(struct drxi_data *data, struct drxi_box *box, void *mem)
{
    bool done;
    drx_status st;

    if (!drxi_as_from_disk() && drxi_data_view(data)) {
        if (drxi_verified_some(data, box))
            return drxi_verified_read(data, box, mem);
        if (drxi_mapped_read(data, box, mem))
            return drxi_verified_parts(data, box);
    }
    st = drxi_cached_read(data, box, mem, &done);
    if (st || done)
        return st ? st : drxi_verified_parts(data, box);
    return drxi_concurrent_read(data, box, mem, 1);
}

const struct drxi_ways *drxi_ways_of(const struct drxi_data *data)
{
    static const struct drxi_ways plain = { .read = read_plain,
                                            .points = drxi_plain_points,
                                            .ranges = drxi_concurrent_ranges },
                                  packed = { .read = drxi_packed_read,
                                             .points = drxi_packed_points,
                                             .parts = drxi_packed_parts,
                                             .write = drxi_packed_write,
                                             .ranges = drxi_packed_ranges };
    static const struct drxi_ways *const ways[DRXI_STORED_KINDS] = { &plain, &plain, &packed };

    return ways[data->file->stored->kind];
}

drx_status drxi_points_read(struct drxi_data *data, int64_t n, const int64_t *indices, void *values)
{
    if (n == 0)
        return DRX_OK;
    drxi_count(&data->file->counts.wanted_bytes, n * (int64_t)data->item_bytes);
    return drxi_ways_of(data)->points(data, n, indices, values);
}
