/* A copy box by box, into a compressed array, or of one whose indices do not begin at 0. The planner's boxes do, and
 * its chunks with them; here the chunks of both sides lie as they like. Each box is as many whole chunks of the copy as
 * memory holds, or a part of one. So each chunk of the copy is written once, but one of the source may be read for
 * several boxes.
 *
 * Of several ranks each makes the boxes of its share, and the cells outside the bounds in chunks of it. */
#include "layout/run/copy_request.h"

struct boxes {
    const struct drxi_copying *c;
    const struct drxi_keep *keep; /* NULL: nothing is rounded */
    drx_array *to;
    int ndim;
    int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM]; /* the elements to copy */
    int64_t by[DRX_MAX_NDIM];                   /* extents of a box: of whole chunks, but for those that are cut */
    uint8_t *memory;
};

static int own_axis(const struct drxi_copying *c, int j)
{
    return c->spec->permute ? c->spec->permute[j] : j;
}

/* The k-th fastest axis of a chunk of the copy. */
static int fastest(const struct boxes *b, int k)
{
    return b->to->data.chunk_order == DRX_ROW_MAJOR ? b->ndim - 1 - k : k;
}

static int64_t boxes_bytes(const struct boxes *b)
{
    int64_t bytes = (int64_t)b->to->data.item_bytes;

    for (int j = 0; j < b->ndim; j++)
        bytes = drxi_mul_saturated(bytes, drxi_min(b->by[j], b->hi[j] - b->lo[j]));
    return bytes;
}

/* Cut a chunk along its slowest axes until it fits; then take more chunks along the fastest ones. */
static void choose_extents(struct boxes *b, int64_t memory_bytes)
{
    const struct drxi_data *s = &b->to->data;
    int64_t more;

    memcpy(b->by, s->chunk, sizeof b->by);
    for (int k = b->ndim - 1; k >= 0; k--)
        while (boxes_bytes(b) > memory_bytes && b->by[fastest(b, k)] > 1)
            b->by[fastest(b, k)] = (b->by[fastest(b, k)] + 1) / 2;
    for (int k = 0; k < b->ndim && boxes_bytes(b) <= memory_bytes / 2; k++) {
        const int j = fastest(b, k);

        if (b->by[j] < s->chunk[j])
            return;
        more = drxi_min(memory_bytes / boxes_bytes(b), drxi_ceil_div(b->hi[j] - b->lo[j], b->by[j]) + 1);
        b->by[j] *= drxi_max(more, 1);
    }
}

/* The box from index at[] of the copy on, up to the bounds and to the next multiple of its extents. */
static drx_status copy_next_box(const struct boxes *b, const int64_t at[], const int64_t end[], int64_t *bytes)
{
    const drx_array *from = b->c->from;
    const struct drxi_data *s = &b->to->data;
    int64_t count[DRX_MAX_NDIM], stride[DRX_MAX_NDIM];
    int64_t own_lo[DRX_MAX_NDIM], own_count[DRX_MAX_NDIM], own_stride[DRX_MAX_NDIM];
    drx_status st;

    *bytes = (int64_t)b->to->data.item_bytes;
    for (int j = 0; j < b->ndim; j++) {
        count[j] = end[j] - at[j];
        *bytes *= count[j];
    }
    drxi_strides(b->ndim, count, b->to->data.item_bytes, s->chunk_order, stride);
    for (int j = 0; j < b->ndim; j++) {
        const int k = own_axis(b->c, j);

        own_lo[k] = at[j] - s->lower[j] + from->data.lower[k];
        own_count[k] = count[j];
        own_stride[k] = stride[j];
    }
    st = drxi_transfer_read(&b->c->from->data,
                            &(struct drxi_box){ .lo = own_lo, .count = own_count, .stride_bytes = own_stride },
                            b->memory);
    if (!st && b->keep)
        drxi_keep_bits(b->keep, *bytes / (int64_t)b->to->data.item_bytes, b->memory);
    return st ? st
              : drxi_write_box(b->to, &b->to->data,
                               &(struct drxi_box){ .lo = at, .count = count, .stride_bytes = stride }, b->memory);
}

/* Where the box that holds index `at` ends. */
static int64_t box_end(const struct boxes *b, int j, int64_t at)
{
    return drxi_min(b->hi[j], (drxi_floor_div(at, b->by[j]) + 1) * b->by[j]);
}

/* The next box; false after the last one. */
static bool step_box(const struct boxes *b, int64_t at[])
{
    for (int k = 0; k < b->ndim; k++) {
        const int j = fastest(b, k);

        at[j] = box_end(b, j, at[j]);
        if (at[j] < b->hi[j])
            return true;
        at[j] = b->lo[j];
    }
    return false;
}

static drx_status copy_boxes(struct boxes *b, int64_t memory_bytes, const struct drxi_told *told)
{
    int64_t at[DRX_MAX_NDIM], end[DRX_MAX_NDIM], bytes;
    drx_status st = DRX_OK;

    for (int j = 0; j < b->ndim; j++)
        if (b->lo[j] == b->hi[j])
            return DRX_OK;
    choose_extents(b, memory_bytes);
    b->memory = drxi_malloc((size_t)boxes_bytes(b));
    if (!b->memory)
        return DRX_ENOMEM;
    memcpy(at, b->lo, sizeof at);
    do {
        for (int j = 0; j < b->ndim; j++)
            end[j] = box_end(b, j, at[j]);
        st = copy_next_box(b, at, end, &bytes);
        if (!st)
            st = told->tell(told->user, bytes);
    } while (!st && step_box(b, at));
    drxi_free(b->memory);
    return st;
}

static int64_t between(int64_t least, int64_t n, int64_t most)
{
    return drxi_min(drxi_max(n, least), most);
}

drx_status drxi_run_boxes(const struct drxi_copying *c, drx_array *to, int64_t memory_bytes,
                          const struct drxi_told *told)
{
    const struct drxi_state *s = &to->log.state;
    struct boxes b = { .c = c, .keep = told->keep, .to = to, .ndim = s->desc.ndim };
    int64_t begin[DRX_MAX_NDIM], end[DRX_MAX_NDIM]; /* of the cells to write */
    drx_status st;

    for (int j = 0; j < b.ndim; j++) {
        const int64_t first = drxi_state_chunks_begin(s, j), last = drxi_state_chunks_end(s, j);

        if (s->shape[j] == 0)
            return DRX_OK;
        begin[j] = between(first, c->begin[j], last);
        end[j] = between(begin[j], c->end[j], last);
        b.lo[j] = between(begin[j], s->lower[j], end[j]);
        b.hi[j] = between(b.lo[j], s->upper[j], end[j]);
    }
    st = copy_boxes(&b, memory_bytes, told);
    if (!st && c->fresh && drxi_data_writes_fill(&to->data))
        st = drxi_fill_around(to, begin, end, b.lo, b.hi);
    return st;
}

/* The cells of the copy from the first chunk on, as the target of a request whose indices begin at 0. */
static drx_status count_from_zero(const struct drxi_copying *c, struct drxi_relayout_request *request, int64_t origin[],
                                  int64_t shape[])
{
    *request = c->request;
    request->shape = shape;
    for (int j = 0; j < c->target.ndim; j++)
        if (!drxi_mul(drxi_floor_div(c->lower[j], c->chunk[j]), c->chunk[j], &origin[j]) ||
            !drxi_add(c->lower[j] - origin[j], c->shape[j], &shape[own_axis(c, j)]))
            return drxi_fail(DRX_EOVERFLOW, "axis %d of the target: chunks of %lld indices overflow 64 bits", j,
                             (long long)c->chunk[j]);
    return DRX_OK;
}

/* Whether a rank's part of the memory holds a chunk, or as much of one as the share cuts it into. */
static bool has_room(const struct drxi_copying *c, const struct drxi_share *share)
{
    int64_t bytes = c->request.item_bytes;

    for (int j = 0; j < c->target.ndim; j++)
        bytes = drxi_mul_saturated(bytes, drxi_min(share->chunk[j], c->shape[j]));
    return bytes <= c->request.memory_bytes / share->ranks;
}

/* Among fewer ranks while memory is too small; a single one always can. */
static drx_status choose_share(const struct drxi_copying *c, const struct drxi_relayout_request *request, int ranks,
                               struct drxi_share *out)
{
    struct drxi_share share[DRXI_SHARES];
    int count;
    drx_status st;

    for (; !(st = drxi_shares(request, ranks, share, &count)); ranks = count > 0 ? ranks / 2 : ranks - 1)
        for (int i = 0; i < count; i++)
            if (ranks == 1 || has_room(c, &share[i])) {
                *out = share[i];
                return DRX_OK;
            }
    return st;
}

static int64_t bytes_of_share(const struct drxi_copying *c)
{
    int64_t bytes = c->request.item_bytes;

    for (int j = 0; j < c->target.ndim; j++) {
        const int64_t lower = c->lower[j], upper = lower + c->shape[j];

        bytes *= between(lower, c->end[j], upper) - between(lower, c->begin[j], upper);
    }
    return bytes;
}

drx_status drxi_copying_share(struct drxi_copying *c, int rank, int ranks, int64_t *bytes)
{
    int64_t origin[DRX_MAX_NDIM], shape[DRX_MAX_NDIM], lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM];
    struct drxi_relayout_request all, mine;
    struct drxi_share share;
    drx_status st = count_from_zero(c, &all, origin, shape);

    if (!st)
        st = choose_share(c, &all, ranks, &share);
    if (st)
        return st;
    drxi_share_request(&all, &share, rank, lo, hi, &mine);
    for (int j = 0; j < c->target.ndim; j++) {
        const bool last = hi[j] == shape[own_axis(c, j)];

        c->begin[j] = origin[j] + lo[j];
        c->end[j] = last && rank < share.ranks ? INT64_MAX : origin[j] + hi[j];
    }
    c->request.memory_bytes = mine.memory_bytes;
    *bytes = bytes_of_share(c);
    return DRX_OK;
}
