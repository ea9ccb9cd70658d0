/* Boxes of a darray, from and to any rank. The targets are the products of the grid ranks that own some of the box
 * along each axis. On a target, the box is a product of spans, one for each axis, and a span is one or two axes of a
 * strided copy. The code stores no list of these, so a box with one owner costs little more than its copy. */
#include "mp/onesided/onesided.h"

/* From boxes of these sizes on, copies bypass the caches. A large get does not fit in them. A put writes what this
 * processor will not read. Past the caches, long rows take as long to cold memory as through them, and twice as long to
 * memory that they hold; short and turned rows take a quarter less to cold memory. */
enum { LARGE_GET_BYTES = 8 << 20, LARGE_PUT_BYTES = 1 << 20, LARGE_SHORT_PUT_BYTES = 128 << 10, LONG_ROW_BYTES = 1024 };

struct walk {
    const drxmp_darray *d;
    const int64_t *lo, *count;
    const int64_t *step;                           /* of indices; NULL: 1 */
    int64_t stride[DRX_MAX_NDIM];                  /* of the buffer */
    const struct drxi_axis_set *set[DRX_MAX_NDIM]; /* what the target owns */
    const int64_t *there;                          /* strides of the target's section */
    int64_t offset;                                /* of the part, in that */
    struct drxi_whole whole;
    struct drxi_portion part;
};

/* Indices of an axis that are evenly spaced in the section and in the buffer. Of the box, number at + i * step +
 * k * block_step has the local index local + i * local_step + k * count, for 0 <= i < count, 0 <= k < blocks. */
struct span {
    int64_t at, step, count, local, local_step;
    int64_t blocks, block_step;
};

/* Get the first span with *from <= index < to, and set *from after it; false when there is none. */
static bool next_span(const struct drxi_axis_set *s, int64_t lo, int64_t *from, int64_t to, struct span *span,
                      int64_t *place)
{
    struct drxi_run run;

    if (*from >= to || !drxi_axis_next_after(s, *from, to, &run, place))
        return false;
    *span = (struct span){ run.index - lo, run.step, run.count, run.local, run.local_step, 1, 0 };
    *from = run.index + (run.count - 1) * run.step + 1;
    if (s->kind == DRXI_BLOCKS && run.count == s->block) { /* add all whole blocks that follow */
        const int64_t end = drxi_min(to, s->end);

        span->block_step = s->step;
        span->blocks = 1 + (end - *from) / s->step; /* the last may not be whole */
        if (run.index + (span->blocks - 1) * s->step + s->block > end)
            span->blocks--;
        *from += (span->blocks - 1) * s->step;
    }
    return true;
}

/* The same of a box with steps. */
static bool next_stepped(const struct drxi_axis_set *s, const struct drxi_axis_set *box, int64_t *from, int64_t to,
                         struct span *span, struct drxi_common *common)
{
    if (*from >= to || !drxi_common_next(s, box, *from, to, common))
        return false;
    *span = (struct span){ common->b, common->b_step, common->count, common->a, common->a_step, 1, 0 };
    *from = common->index + (common->count - 1) * common->step + 1;
    return true;
}

static int64_t walk_step(const struct walk *w, int j)
{
    return w->step ? w->step[j] : 1;
}

static int64_t walk_end(const struct walk *w, int j)
{
    return w->lo[j] + (w->count[j] - 1) * walk_step(w, j) + 1;
}

/* Whether its rows are contiguous on both sides, and not short. */
static bool has_long_rows(const struct drxi_portion *p, int64_t item_bytes)
{
    for (int j = 0; j < p->n; j++)
        if (p->axes[j].dst == item_bytes)
            return p->axes[j].src == item_bytes && p->axes[j].count * item_bytes >= LONG_ROW_BYTES;
    return false;
}

static bool is_large(const struct drxi_portion *p, int64_t item_bytes, int64_t box_bytes)
{
    if (p->access == DRXI_GET)
        return box_bytes >= LARGE_GET_BYTES;
    return box_bytes >= LARGE_SHORT_PUT_BYTES && (box_bytes >= LARGE_PUT_BYTES || !has_long_rows(p, item_bytes));
}

static void move_near(const struct drxi_whole *w, const struct drxi_portion *p)
{
    const bool large = is_large(p, (int64_t)w->item_bytes, w->bytes);
    struct drxi_copy_axis turned[DRXI_COPY_AXES];

    if (p->access == DRXI_ADD) {
        drxi_accumulate(p->n, p->axes, w->type, p->alpha, p->at.near, p->buf);
        return;
    }
    if (p->access == DRXI_PUT) {
        drxi_copy_axes(p->n, p->axes, w->item_bytes, p->at.near, p->buf, large);
        return;
    }
    for (int j = 0; j < p->n; j++)
        turned[j] = (struct drxi_copy_axis){ p->axes[j].count, p->axes[j].src, p->axes[j].dst };
    drxi_copy_axes(p->n, turned, w->item_bytes, p->buf, p->at.near, large);
}

drx_status drxi_move_part(const struct drxi_whole *whole, const struct drxi_portion *part)
{
    if (!part->at.near)
        return drxi_far_move(whole, part);
    move_near(whole, part);
    return DRX_OK;
}

static drx_status move_part(struct walk *w)
{
    drxi_in_section(w->d, w->part.at.rank, w->offset, &w->part.at);
    return drxi_move_part(&w->whole, &w->part);
}

/* Move the products of each span of axis j with those of the axes after it. w->part has the spans of earlier axes. */
static drx_status move_spans(struct walk *w, int j)
{
    const int n = w->part.n;
    const int64_t offset = w->offset;
    uint8_t *const buf = w->part.buf;
    const int64_t to = walk_end(w, j);
    int64_t from = w->lo[j], place = 0;
    struct drxi_common common = { .a_place = 0 };
    struct drxi_axis_set stepped;
    struct span s;
    drx_status st = DRX_OK;

    drxi_axis_range(&stepped, w->lo[j], walk_step(w, j), w->count[j], 0);
    while (!st && (walk_step(w, j) > 1 ? next_stepped(w->set[j], &stepped, &from, to, &s, &common)
                                       : next_span(w->set[j], w->lo[j], &from, to, &s, &place))) {
        struct drxi_portion *p = &w->part;

        if (s.blocks > 1)
            p->axes[p->n++] = (struct drxi_copy_axis){ s.blocks, s.count * w->there[j], s.block_step * w->stride[j] };
        p->axes[p->n++] = (struct drxi_copy_axis){ s.count, s.local_step * w->there[j], s.step * w->stride[j] };
        p->buf += s.at * w->stride[j];
        w->offset += s.local * w->there[j];
        st = j + 1 < w->d->ndim ? move_spans(w, j + 1) : move_part(w);
        p->n = n;
        w->offset = offset;
        p->buf = buf;
    }
    return st;
}

static drx_status move_at(struct walk *w, int rank)
{
    const bool adds = w->part.access == DRXI_ADD;
    drx_status st = adds ? drxi_lock(w->d, rank) : DRX_OK, one;

    if (st)
        return st;
    w->part.at.rank = rank;
    w->there = w->d->reach[rank].stride_bytes;
    st = w->d->ndim > 0 ? move_spans(w, 0) : move_part(w);
    one = adds ? drxi_unlock(w->d, rank) : DRX_OK;
    return st ? st : one;
}

drx_status drxi_check_target(const drxmp_darray *d, int rank, enum drxi_access access)
{
    if (access != DRXI_GET && d->reach[rank].read_only)
        return drxi_fail(DRX_EACCES, "the section of rank %d was imported for reading only", rank);
    if (d->cut_off && (!d->reach[rank].mem || access == DRXI_ADD))
        return drxi_fail(DRX_EUNSUPPORTED,
                         "rank %d: its section has no window: DRXMP_ONESIDED was off, or MPI could make none", rank);
    return DRX_OK;
}

static drx_status check_at(struct walk *w, int rank)
{
    return drxi_check_target(w->d, rank, w->part.access);
}

/* Whether the grid rank whose indices w->set[j] are owns some of the box along axis j. */
static bool owns_some(const struct walk *w, int j)
{
    struct drxi_common common = { .a_place = 0 };
    struct drxi_axis_set stepped;
    struct drxi_run run;

    if (walk_step(w, j) == 1)
        return drxi_axis_next(w->set[j], w->lo[j], walk_end(w, j), &run);
    drxi_axis_range(&stepped, w->lo[j], walk_step(w, j), w->count[j], 0);
    return drxi_common_next(w->set[j], &stepped, w->lo[j], walk_end(w, j), &common);
}

/* Call `call` for each target. `rank` holds the coordinates chosen for the axes before j. */
static drx_status for_targets(struct walk *w, int j, int rank, drx_status (*call)(struct walk *, int))
{
    const struct drxi_spread_axis *x = &w->d->axis[j];
    int64_t k, n;
    drx_status st = DRX_OK;

    if (j == w->d->ndim)
        return call(w, rank);
    drxi_axis_owners(w->d, j, w->lo[j], walk_end(w, j), &k, &n);
    for (; !st && n > 0; n--, k = k + 1 == x->grid ? 0 : k + 1) {
        const int target = rank + (int)(k * x->behind);

        w->set[j] = &x->owned[k];
        if ((n > 1 || x->grid > 1) && !owns_some(w, j))
            continue;
        st = for_targets(w, j + 1, target, call);
    }
    return st;
}

static drx_status check_count(const drxmp_darray *d, const int64_t count[], int64_t *elements)
{
    *elements = 1;
    for (int j = 0; j < d->ndim; j++) {
        if (count[j] < 0)
            return drxi_fail(DRX_EINVAL, "axis %d: count %lld, expected 0 or more", j, (long long)count[j]);
        *elements = drxi_mul_saturated(*elements, count[j]);
    }
    return *elements <= INT64_MAX / 16 ? DRX_OK : drxi_fail(DRX_EOVERFLOW, "the bytes of the box overflow 64 bits");
}

static drx_status check_arrangement(const drxmp_darray *d, const drx_box *box, int64_t stride_bytes[])
{
    if (!box->stride && box->order != DRX_ROW_MAJOR && box->order != DRX_COL_MAJOR)
        return drxi_fail(DRX_EINVAL, "order %d, expected DRX_ROW_MAJOR or DRX_COL_MAJOR", (int)box->order);
    if (!box->stride)
        drxi_strides(d->ndim, box->count, d->item_bytes, box->order, stride_bytes);
    for (int j = 0; box->stride && j < d->ndim; j++)
        if (!drxi_mul(box->stride[j], (int64_t)d->item_bytes, &stride_bytes[j]))
            return drxi_fail(DRX_EOVERFLOW, "axis %d: stride %lld overflows 64 bits", j, (long long)box->stride[j]);
    return DRX_OK;
}

const void *drxi_one_of(drx_type type)
{
    static const union {
        uint8_t integer[8];
        uint64_t number;
    } one = { .number = 1 };
    static const uint16_t one_half = 0x3c00;
    static const float one_float[2] = { 1, 0 };
    static const double one_double[2] = { 1, 0 };

    if (type == DRX_FLOAT16)
        return &one_half;
    if (type == DRX_FLOAT32 || type == DRX_COMPLEX64)
        return one_float;
    if (type == DRX_FLOAT64 || type == DRX_COMPLEX128)
        return one_double;
    return one.integer + (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 8 - drx_type_size(type));
}

static drx_status move_box(const drxmp_darray *d, enum drxi_access access, const void *alpha, const drx_box *box,
                           const void *buf, struct drxi_begun *begun)
{
    struct walk w;
    int64_t elements;
    drx_status st;

    if (!box->lo || !box->count)
        return drxi_fail(DRX_EINVAL, "the darray, lo or count is a null pointer");
    if ((st = check_count(d, box->count, &elements)) || elements == 0)
        return st;
    if (!buf)
        return drxi_fail(DRX_EINVAL, "the buffer is a null pointer");
    if (access == DRXI_ADD && (st = drxi_check_addable(d->type)))
        return st;
    if ((st = check_arrangement(d, box, w.stride)) || (st = drxi_check_owned(d, box->lo, box->count, box->step)))
        return st;
    w.d = d;
    w.lo = box->lo;
    w.count = box->count;
    w.step = box->step;
    w.offset = 0;
    w.whole = (struct drxi_whole){ d->type, d->item_bytes, elements * (int64_t)d->item_bytes, d->buffer_bytes, begun };
    w.part.access = access;
    w.part.alpha = alpha ? alpha : drxi_one_of(d->type);
    w.part.n = 0;
    w.part.buf = (uint8_t *)(uintptr_t)buf; /* only a get writes there */
    if (d->some_read_only || d->cut_off)
        st = for_targets(&w, 0, 0, check_at);
    return st ? st : for_targets(&w, 0, 0, move_at);
}

/* With `req`, begin it; without, do it. */
static drx_status move_target_box(drxmp_darray *d, enum drxi_access access, const void *alpha, const drx_box *box,
                                  const void *buf, drx_request **req)
{
    struct drxi_one_sided *r = NULL;
    drx_status st;

    if (req)
        *req = NULL;
    if (!d || !box)
        return drxi_fail(DRX_EINVAL, "the darray or the box is a null pointer");
    if (box->flags != 0 || !drxi_is_zero(box->reserved, sizeof box->reserved))
        return drxi_fail(DRX_EINVAL, "flags or reserved fields of drx_box are not zero");
    drxi_begun_before(&d->outstanding, access != DRXI_GET, box);
    if (req && (st = drxi_one_sided_new(&d->outstanding, d->item_bytes, &r)))
        return st;
    atomic_thread_fence(memory_order_acquire);
    st = move_box(d, access, alpha, box, buf, r ? &r->begun : NULL);
    atomic_thread_fence(memory_order_release);
    return r ? drxi_one_sided_give(r, st, access != DRXI_GET, d->ndim, box, req) : st;
}

drx_status drxmp_darray_get_box(drxmp_darray *d, const drx_box *box, void *buf, drx_request **req)
{
    return move_target_box(d, DRXI_GET, NULL, box, buf, req);
}

drx_status drxmp_darray_put_box(drxmp_darray *d, const drx_box *box, const void *buf, drx_request **req)
{
    return move_target_box(d, DRXI_PUT, NULL, box, buf, req);
}

drx_status drxmp_darray_acc_box(drxmp_darray *d, const drx_box *box, const void *alpha, const void *buf,
                                drx_request **req)
{
    return move_target_box(d, DRXI_ADD, alpha, box, buf, req);
}

drx_status drxmp_darray_get(drxmp_darray *d, const int64_t lo[], const int64_t count[], drx_order order, void *buf)
{
    return move_target_box(d, DRXI_GET, NULL, &(drx_box){ .lo = lo, .count = count, .order = order }, buf, NULL);
}

drx_status drxmp_darray_put(drxmp_darray *d, const int64_t lo[], const int64_t count[], drx_order order,
                            const void *buf)
{
    return move_target_box(d, DRXI_PUT, NULL, &(drx_box){ .lo = lo, .count = count, .order = order }, buf, NULL);
}

drx_status drxmp_darray_acc(drxmp_darray *d, const int64_t lo[], const int64_t count[], drx_order order,
                            const void *alpha, const void *buf)
{
    return move_target_box(d, DRXI_ADD, alpha, &(drx_box){ .lo = lo, .count = count, .order = order }, buf, NULL);
}
