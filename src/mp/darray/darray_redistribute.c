/* Copying elements from sections to sections. Both darrays may be distributed in any way; the elements of one are
 * ghosts of those of the other (ghosts.h). */
#include "mp/darray/ghosts.h"

static const int64_t most_moved = INT64_C(1) << 61;

/* A redistribution: of all, or of the box lo <= i < hi of `to`, whose element i is element i - by of `from`. */
struct request {
    drxmp_darray *from, *to;
    bool all;
    int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM], by[DRX_MAX_NDIM];
};

static drx_status check_sizes(const struct request *r)
{
    for (int j = 0; r->all && j < r->from->ndim; j++)
        if (r->to->dims[j].size != r->from->dims[j].size)
            return drxi_fail(DRX_EINVAL,
                             "axis %d: the target has size %lld, expected %lld; drxmp_darray_redistribute_box copies "
                             "between unlike sizes",
                             j, (long long)r->to->dims[j].size, (long long)r->from->dims[j].size);
    return DRX_OK;
}

static drx_status check_darrays(const struct request *r)
{
    const drxmp_darray *from = r->from, *to = r->to;
    drx_status st;
    int exports;

    if (!to)
        return drxi_fail(DRX_EINVAL, "the darray to redistribute to is a null pointer");
    if (from == to)
        return drxi_fail(DRX_EINVAL, "cannot redistribute a darray to itself");
    if ((st = drxi_darray_check_comm(to, from->comm)))
        return st;
    if (to->ndim != from->ndim || to->type != from->type)
        return drxi_fail(DRX_EINVAL, "the target has %d axes of %s, expected %d of %s", to->ndim,
                         drx_type_name(to->type), from->ndim, drx_type_name(from->type));
    if ((st = check_sizes(r)))
        return st;
    exports = atomic_load(&to->exports);
    if (exports > 0)
        return drxi_fail(DRX_EBUSY, "%d exports of the section to redistribute to were not released", exports);
    st = drxi_darray_check_writable(to);
    if (!st)
        st = drxi_darray_check_idle(from, false);
    return st ? st : drxi_darray_check_idle(to, true);
}

/* The indices first <= i < end that an axis can have. Those of lists may lie outside its size. */
static void find_bounds(const drxmp_darray *d, int j, int64_t *first, int64_t *end)
{
    *first = drxi_min(d->axis[j].first, 0);
    *end = drxi_max(d->axis[j].end, d->dims[j].size);
}

/* The part of an axis of the box; count NULL: as many as both have. Sums stay below 2^63. */
static drx_status set_axis(struct request *r, int j, int64_t lo, int64_t there, const int64_t *count)
{
    int64_t first, end, to_first, to_end, n;

    find_bounds(r->from, j, &first, &end);
    find_bounds(r->to, j, &to_first, &to_end);
    if (count && *count < 0)
        return drxi_fail(DRX_EINVAL, "axis %d: count %lld, expected 0 or more", j, (long long)*count);
    if (lo < first || lo > end || there < to_first || there > to_end)
        return drxi_fail(DRX_ERANGE, "axis %d: the box begins at %lld and %lld, outside %lld to %lld or %lld to %lld",
                         j, (long long)lo, (long long)there, (long long)first, (long long)end, (long long)to_first,
                         (long long)to_end);
    n = drxi_min(end - lo, to_end - there);
    if (count && *count > n)
        return drxi_fail(DRX_ERANGE, "axis %d: the box has %lld indices, and both have %lld there", j,
                         (long long)*count, (long long)n);
    r->by[j] = there - lo;
    if (r->by[j] < -most_moved || r->by[j] > most_moved)
        return drxi_fail(DRX_EOVERFLOW, "axis %d: indices move by %lld, expected at most 2^61", j, (long long)r->by[j]);
    r->lo[j] = there;
    r->hi[j] = there + (count ? *count : n);
    return DRX_OK;
}

static drx_status set_box(struct request *r, const int64_t from_lo[], const int64_t to_lo[], const int64_t count[])
{
    drx_status st = DRX_OK;

    for (int j = 0; !st && j < r->from->ndim; j++)
        st = set_axis(r, j, from_lo ? from_lo[j] : 0, to_lo ? to_lo[j] : 0, count ? &count[j] : NULL);
    return st;
}

static void fence_window(const struct request *r)
{
    drxi_memory_fence(r->from);
    if (r->to)
        drxi_memory_fence(r->to);
}

/* `st` is this rank's so far. One-sided requests, which began before, come first. */
static drx_status redistribute(struct request *r, drx_status st, struct drxi_call *call)
{
    struct drxi_ghosts *ghosts = NULL;

    drxi_call_int(call, "the darray", r->from->id);
    drxi_call_int(call, "the darray to fill", r->to ? r->to->id : 0);
    if (!st)
        st = r->all ? drxi_ghosts_between(r->to, r->from, NULL, NULL, NULL, &ghosts)
                    : drxi_ghosts_between(r->to, r->from, r->by, r->lo, r->hi, &ghosts);
    fence_window(r);
    st = drxi_darray_begin(r->from, st, call);
    if (!st) {
        fence_window(r);
        st = drxi_agree(r->from->comm, drxi_ghosts_exchange(ghosts, DRXI_GHOSTS, false), NULL);
    }
    drxi_ghosts_free(ghosts);
    return st;
}

static drx_status no_source(void)
{
    return drxi_fail(DRX_EINVAL, "the darray to redistribute is a null pointer");
}

drx_status drxmp_darray_redistribute(drxmp_darray *from, drxmp_darray *to)
{
    struct request r = { .from = from, .to = to, .all = true };
    struct drxi_call call;

    if (!from)
        return no_source();
    drxi_call_start(&call, "drxmp_darray_redistribute");
    return redistribute(&r, check_darrays(&r), &call);
}

drx_status drxmp_darray_redistribute_box(drxmp_darray *from, const int64_t from_lo[], drxmp_darray *to,
                                         const int64_t to_lo[], const int64_t count[])
{
    struct request r = { .from = from, .to = to };
    struct drxi_call call;
    drx_status st;

    if (!from)
        return no_source();
    drxi_call_start(&call, "drxmp_darray_redistribute_box");
    st = check_darrays(&r);
    if (!st)
        st = set_box(&r, from_lo, to_lo, count);
    drxi_call_bytes(&call, "the box of the source", r.by, sizeof r.by);
    drxi_call_bytes(&call, "the box of the target", r.lo, sizeof r.lo);
    drxi_call_bytes(&call, "the end of the box", r.hi, sizeof r.hi);
    return redistribute(&r, st, &call);
}
