/* A request for a box. A large one is cut into parts that threads share. Each part goes the way that suits it:
 * through a view of the data file (mapped.c), or through a stage with reads and writes of the file (transfer.c). */
#include "base/hooks.h"
#include "base/work.h"
#include "box/box.h"

enum {
    PARTS_A_THREAD = 4 /* so that all threads end at about the same time */
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

static drx_status move(struct drxi_data *data, bool writing, struct drxi_box *box, void *mem)
{
    if (!writing && drxi_hooks.way != DRXI_STAGED && drxi_data_view(data)) {
        if (drxi_verified_some(data, box))
            return drxi_verified_read(data, box, mem);
        if (drxi_mapped_read(data, box, mem))
            return DRX_OK;
    }
    if (!writing && drxi_stripes_are(data->io)) /* nobody can tell, and each disk should have work */
        box->cold = true;
    return drxi_staged_move(data, writing, box, mem);
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
    memcpy(lo, r->box->lo, sizeof *lo * (size_t)r->data->state->desc.ndim);
    memcpy(count, r->box->count, sizeof *count * (size_t)r->data->state->desc.ndim);
    lo[j] += from * (r->box->step ? r->box->step[j] : 1);
    count[j] = to - from;
    return move(r->data, r->writing, &part, r->mem + from * r->box->stride_bytes[j]);
}

/* Cut along the axis with the widest extent in memory, at borders of chunks where steps allow that; returns the
 * number of parts. */
static int64_t cut(struct request *r, int64_t parts)
{
    const struct drxi_desc *d = &r->data->state->desc;
    const struct drxi_box *box = r->box;
    int64_t widest = -1, chunks;

    for (int j = 0; j < d->ndim; j++) {
        const int64_t stride = box->stride_bytes[j] < 0 ? -box->stride_bytes[j] : box->stride_bytes[j];
        const int64_t wide = drxi_mul_saturated(stride, box->count[j] - 1);

        if (wide > widest && (box->count[j] > d->chunk[j] || widest < 0)) {
            widest = wide;
            r->axis = j;
        }
    }
    r->before = box->step && box->step[r->axis] > 1 ? 0 : box->lo[r->axis] % d->chunk[r->axis];
    chunks = drxi_ceil_div(r->before + box->count[r->axis], d->chunk[r->axis]);
    r->block = drxi_ceil_div(chunks, parts) * d->chunk[r->axis];
    return drxi_ceil_div(r->before + box->count[r->axis], r->block);
}

/* Move the parts one after the other, so that pages of a mapped file are released in between. */
static drx_status move_parts(struct request *r, int64_t parts)
{
    const int64_t n = cut(r, parts);
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < n; i++)
        st = move_part(r, i);
    return st;
}

drx_status drxi_transfer(struct drxi_data *data, bool writing, const struct drxi_box *box, void *mem)
{
    struct drxi_box whole = *box;
    struct request r = { .data = data, .writing = writing, .box = &whole, .mem = mem };
    int64_t bytes = (int64_t)data->item_bytes;
    const int threads = drxi_work_threads();
    const int64_t part_bytes = data->view_limit_bytes / 4;
    int64_t parts = threads > 1 ? (int64_t)threads * PARTS_A_THREAD : 1;

    for (int j = 0; j < data->state->desc.ndim; j++)
        bytes = drxi_mul_saturated(bytes, box->count[j]);
    if (!writing) {
        drxi_count(&data->counts.wanted_bytes, bytes);
        parts = drxi_max(parts, bytes / part_bytes);
    }
    whole.large = bytes >= drxi_hooks.large_bytes;
    if (parts == 1 || bytes < drxi_hooks.shared_bytes || data->io->callers_only)
        return move(data, writing, &whole, mem);
    return threads == 1 ? move_parts(&r, parts) : drxi_work_share(cut(&r, parts), move_part, &r);
}
