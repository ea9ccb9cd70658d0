/* A request for a box. Threads share a large one. What is in memory is read from a view of the data file (mapped.c) in
 * parts, the rest by calls (concurrent.c). Writes go through a stage (transfer.c). */
#include "base/hooks.h"
#include "base/work.h"
#include "box/box.h"

enum {
    PARTS_A_THREAD = 4 /* so that all threads finish at about the same time */
};

struct request {
    struct drxi_data *data;
    bool writing;
    const struct drxi_box *box;
    uint8_t *mem;
    int axis;      /* the axis along which the box is cut */
    int64_t block; /* indices of a part, from `before` the box on */
    int64_t before;
};

static drx_status move_by_parts(struct drxi_data *data, bool writing, struct drxi_box *box, void *mem)
{
    return writing ? drxi_staged_write(data, box, mem) : drxi_ways_of(data)->read(data, box, mem);
}

static drx_status move_part(void *arg, int64_t i)
{
    const struct request *r = arg;
    const int j = r->axis;
    const int64_t from = drxi_max(i * r->block - r->before, 0);
    const int64_t to = drxi_min((i + 1) * r->block - r->before, r->box->count[j]);
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
    struct drxi_box part = *r->box;

    part.lo = lo;
    part.count = count;
    memcpy(lo, r->box->lo, sizeof *lo * (size_t)r->data->ndim);
    memcpy(count, r->box->count, sizeof *count * (size_t)r->data->ndim);
    lo[j] += from * (r->box->step ? r->box->step[j] : 1);
    count[j] = to - from;
    return move_by_parts(r->data, r->writing, &part, r->mem + from * r->box->stride_bytes[j]);
}

/* Cut the request along the axis with the widest extent in memory, at borders of chunks where the steps allow it.
 * Returns the number of parts. */
static int64_t cut_request(struct request *r, int64_t parts)
{
    const struct drxi_box *box = r->box;
    int64_t widest = -1, chunks;

    for (int j = 0; j < r->data->ndim; j++) {
        const int64_t stride = box->stride_bytes[j] < 0 ? -box->stride_bytes[j] : box->stride_bytes[j];
        const int64_t wide = drxi_mul_saturated(stride, box->count[j] - 1);

        if (wide > widest && (box->count[j] > r->data->chunk[j] || widest < 0)) {
            widest = wide;
            r->axis = j;
        }
    }
    r->before = box->step && box->step[r->axis] > 1 ? 0 : drxi_floor_mod(box->lo[r->axis], r->data->chunk[r->axis]);
    chunks = drxi_ceil_div(r->before + box->count[r->axis], r->data->chunk[r->axis]);
    r->block = drxi_ceil_div(chunks, parts) * r->data->chunk[r->axis];
    return drxi_ceil_div(r->before + box->count[r->axis], r->block);
}

/* Move the parts one after the other, so that pages of a mapped file are released in between. */
static drx_status move_parts(struct request *r, int64_t parts)
{
    const int64_t n = cut_request(r, parts);
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < n; i++)
        st = move_part(r, i);
    return st;
}

/* Whether a large read should go to the disk as a whole, rather than part by part to what is in memory. */
static bool is_for_the_disk(struct drxi_data *data, struct drxi_box *box)
{
    if (data->file->io->cost.depth == 0 || data->file->io->callers_only)
        return false;
    return drxi_as_from_disk() || !drxi_data_view(data) || !drxi_mapped_look(data, box);
}

static drx_status read_box(struct request *r, struct drxi_box *box, int64_t bytes)
{
    const int threads = drxi_work_threads();
    int64_t parts = drxi_max(threads > 1 ? (int64_t)threads * PARTS_A_THREAD : 1, bytes / drxi_mapped_part(r->data));

    if (threads > 1 && drxi_ways_of(r->data)->parts)
        parts = drxi_ways_of(r->data)->parts(r->data, parts);
    if (box->stash || (bytes >= drxi_hooks.shared_bytes && is_for_the_disk(r->data, box)))
        return drxi_concurrent_read(r->data, box, r->mem, threads);
    if (parts == 1 || bytes < drxi_hooks.shared_bytes || r->data->file->io->callers_only)
        return move_by_parts(r->data, false, box, r->mem);
    return threads == 1 ? move_parts(r, parts) : drxi_work_share(cut_request(r, parts), move_part, r);
}

static drx_status write_box(struct request *r, struct drxi_box *box, int64_t bytes)
{
    const int threads = drxi_work_threads();

    if (drxi_ways_of(r->data)->write)
        return drxi_ways_of(r->data)->write(r->data, box, r->mem);
    if (threads == 1 || bytes < drxi_hooks.shared_bytes || r->data->file->io->callers_only)
        return move_by_parts(r->data, true, box, r->mem);
    return drxi_work_share(cut_request(r, (int64_t)threads * PARTS_A_THREAD), move_part, r);
}

drx_status drxi_transfer(struct drxi_data *data, bool writing, const struct drxi_box *box, void *mem)
{
    struct drxi_box whole = *box;
    struct request r = { .data = data, .writing = writing, .box = &whole, .mem = mem };
    const int64_t bytes = drxi_times((int64_t)data->item_bytes, data->ndim, box->count);
    struct drxi_walker *walker;
    drx_status st;

    whole.large = bytes >= drxi_hooks.large_bytes;
    if (writing)
        return write_box(&r, &whole, bytes);
    drxi_count(&data->file->counts.wanted_bytes, bytes);
    whole.direct = drxi_data_goes_direct(data);
    walker = drxi_walk_begin(data, &whole, bytes);
    st = read_box(&r, &whole, bytes);
    drxi_walk_end(walker, data, st == DRX_OK);
    return st;
}
