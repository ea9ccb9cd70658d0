/* Closing compressed chunks that a growth has passed. */
#include "box/box.h"

enum { AT_ONCE = 1024 };

bool drxi_may_be_open(const struct drxi_data *data)
{
    return data->file->stored->closes && drxi_pack_may_be_open(data->file->pack);
}

static bool find_chunks(struct drxi_cursor *c, int j, int64_t index, int64_t end)
{
    c->index[j] = index;
    return index < end;
}

/* Chunks first <= i < end along the axis. It fails only when the closer does. */
static drx_status close_range(struct drxi_data *data, const struct drxi_closer *closer, int axis, int64_t first,
                              int64_t end)
{
    const drxi_map *map = &data->map;
    int64_t begin[DRX_MAX_NDIM], stop[DRX_MAX_NDIM];
    struct drxi_cursor cursor;
    int64_t n = 0;
    drx_status st = DRX_OK;

    for (int j = 0; j < data->ndim; j++) {
        begin[j] = j == axis ? drxi_max(first, map->lower[j]) : map->lower[j];
        stop[j] = j == axis ? drxi_min(end, map->upper[j]) : map->upper[j];
        if (begin[j] >= stop[j])
            return DRX_OK;
    }
    drxi_cursor_start_in(&cursor, data, begin, stop, find_chunks, NULL);
    while (!st && drxi_cursor_next(&cursor)) {
        closer->q[n++] = cursor.piece.address;
        if (n == closer->room) {
            st = closer->close(closer->with, n, closer->q);
            n = 0;
        }
    }
    return st || n == 0 ? st : closer->close(closer->with, n, closer->q);
}

static drx_status close_alone(struct drxi_data *data, int axis, int64_t first, int64_t end)
{
    struct drxi_closer closer = { drxi_pack_close, data->file->pack, drxi_malloc(AT_ONCE * sizeof(int64_t)), AT_ONCE };
    const drx_status st = closer.q ? close_range(data, &closer, axis, first, end) : DRX_ENOMEM;

    drxi_free(closer.q);
    return st;
}

static drx_status close_them(struct drxi_data *data, const struct drxi_closer *closer, int axis, int64_t first,
                             int64_t end)
{
    return closer ? close_range(data, closer, axis, first, end) : close_alone(data, axis, first, end);
}

drx_status drxi_packed_passed(struct drxi_data *data, const struct drxi_closer *closer, int axis, enum drxi_end end,
                              int64_t from, int64_t to)
{
    const int64_t extent = data->chunk[axis];

    if (!drxi_may_be_open(data))
        return DRX_OK;
    if (end == DRXI_LOW)
        return close_them(data, closer, axis, drxi_ceil_div(to, extent), drxi_ceil_div(from, extent));
    return close_them(data, closer, axis, drxi_floor_div(from, extent), drxi_floor_div(to, extent));
}

drx_status drxi_packed_close_all(struct drxi_data *data, const struct drxi_closer *closer)
{
    const drxi_map *map = &data->map;

    if (!drxi_may_be_open(data))
        return DRX_OK;
    return close_them(data, closer, 0, map->lower[0], map->upper[0]);
}
