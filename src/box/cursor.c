/* Visits the chunks that a strided box meets, in increasing order of address. It goes segment by segment, counts
 * through the chunks of each like an odometer, and skips chunks between the steps. */
#include "box/box.h"

/* Find, along axis `j`, the first chunk of [index, end) that holds an element of the box. */
static bool find_in_box(struct drxi_cursor *c, int j, int64_t index, int64_t end)
{
    const int64_t extent = c->data->chunk[j];
    const int64_t step = c->step[j];
    const int64_t before = index * extent - c->lo[j]; /* from the start of the box to the chunk */
    const int64_t from = before <= 0 ? 0 : drxi_ceil_div(before, step);
    int64_t place;

    if (from >= c->count[j])
        return false;
    place = c->lo[j] + from * step;
    if (place >= (index + 1) * extent)
        index = drxi_floor_div(place, extent);
    if (index >= end)
        return false;
    c->index[j] = index;
    c->piece.from[j] = from;
    c->piece.start[j] = place - index * extent;
    c->piece.count[j] = drxi_min(c->count[j] - from, (extent - c->piece.start[j] - 1) / step + 1);
    return true;
}

/* The axis at `place` in the order of addresses; 0 is the slowest. */
static int axis_at(const struct drxi_cursor *c, int place)
{
    if (place == 0)
        return c->part.axis;
    return place <= c->part.axis ? place - 1 : place;
}

static bool start_part(struct drxi_cursor *c)
{
    for (int j = 0; j < c->data->ndim; j++)
        if (!c->find(c, j, c->part.lo[j], c->part.hi[j]))
            return false;
    return true;
}

/* Step to the next chunk of the part, the fastest axis first. */
static bool step_in_part(struct drxi_cursor *c)
{
    for (int place = c->data->ndim - 1; place >= 0; place--) {
        const int j = axis_at(c, place);

        if (c->find(c, j, c->index[j] + 1, c->part.hi[j]))
            return true;
        (void)c->find(c, j, c->part.lo[j], c->part.hi[j]); /* as it was at the start */
    }
    return false;
}

void drxi_cursor_start_in(struct drxi_cursor *c, const struct drxi_data *data, const int64_t first[],
                          const int64_t end[], drxi_cursor_find *find, const void *sets)
{
    c->data = data;
    c->in_part = false;
    c->find = find;
    c->sets = sets;
    drxi_walk_start(&c->walk, &data->map, first, end);
}

void drxi_cursor_start(struct drxi_cursor *c, const struct drxi_data *data, const int64_t lo[], const int64_t count[],
                       const int64_t step[])
{
    const int ndim = data->ndim;
    int64_t first[DRX_MAX_NDIM];
    int64_t end[DRX_MAX_NDIM];

    for (int j = 0; j < ndim; j++) {
        const int64_t extent = data->chunk[j];

        c->lo[j] = lo[j];
        c->count[j] = count[j];
        c->step[j] = step ? step[j] : 1;
        first[j] = drxi_floor_div(lo[j], extent);
        end[j] = drxi_floor_div(lo[j] + (count[j] - 1) * c->step[j], extent) + 1;
    }
    drxi_cursor_start_in(c, data, first, end, find_in_box, NULL);
}

bool drxi_cursor_next(struct drxi_cursor *c)
{
    c->in_part = c->in_part && step_in_part(c);
    while (!c->in_part) {
        if (!drxi_walk_next(&c->walk, &c->part))
            return false;
        c->in_part = start_part(c);
    }
    c->piece.address = drxi_part_address(&c->part, c->data->ndim, c->index);
    return true;
}

int64_t drxi_piece_bytes(const struct drxi_piece *piece, const struct drxi_data *data)
{
    int64_t bytes = (int64_t)data->item_bytes;

    for (int j = 0; j < data->ndim; j++)
        bytes *= piece->count[j];
    return bytes;
}

bool drxi_piece_is_all(const struct drxi_data *data, const int64_t index[], const struct drxi_piece *piece)
{
    for (int j = 0; j < data->ndim; j++) {
        const int64_t first = index[j] * data->chunk[j];

        if (piece->start[j] > drxi_max(data->lower[j] - first, 0) ||
            piece->start[j] + piece->count[j] < drxi_min(data->chunk[j], data->upper[j] - first))
            return false;
    }
    return true;
}

/* ---- where the elements lie ---- */

void drxi_lay_out(struct drxi_layout *l, const struct drxi_data *data, const struct drxi_box *box)
{
    l->ndim = data->ndim;
    l->item_bytes = (int64_t)data->item_bytes;
    for (int j = 0; j < data->ndim; j++) {
        l->mem_stride[j] = box->stride_bytes[j];
        l->file_stride[j] =
            drxi_mul_saturated(data->item_pitch_bytes[j], box->step && box->count[j] > 1 ? box->step[j] : 1);
        l->axes[j] = data->chunk_order == DRX_ROW_MAJOR ? j : data->ndim - 1 - j;
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

bool drxi_leaves_out(const struct drxi_box *box, int64_t address)
{
    int64_t low = 0, high = box->n_without;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (box->without[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < box->n_without && box->without[low] == address;
}

bool drxi_next_box(int ndim, const int64_t first[], const int64_t end[], const int64_t by[], int64_t lo[])
{
    for (int j = ndim - 1; j >= 0; j--) {
        lo[j] += by[j];
        if (lo[j] < end[j])
            return true;
        lo[j] = first[j];
    }
    return false;
}
