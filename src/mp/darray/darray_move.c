/* Reading and writing distributed arrays. Sections that are boxes move as other boxes do, the others through the
 * exchange. */
#include "mp/darray/darray.h"

/* A collective read or write, as one rank sees it. */
struct drxi_request_of {
    drxmp_array *m;
    drxmp_darray *d;
    bool writing;
    int64_t lo[DRX_MAX_NDIM];
    struct drxi_axis_set *sets; /* of all ranks, in indices of the array */
    struct drxi_run *runs;      /* of these sets */
    bool boxes;                 /* all sections are boxes */
};

static drx_status check_axis(const struct drxi_request_of *r, int j)
{
    const struct drxi_spread_axis *x = &r->d->axis[j];
    const int64_t bound = drx_shape(r->m->a)[j];
    int64_t end;

    if (x->first == x->end)
        return DRX_OK;
    if (!drxi_add(r->lo[j], x->end, &end) || r->lo[j] < -x->first || end > bound)
        return drxi_fail(DRX_ERANGE,
                         "%s: axis %d: indices %lld to %lld of the darray at lo %lld are not inside the bound %lld",
                         drxi_parts_of(r->m->a)->label, j, (long long)x->first, (long long)x->end - 1,
                         (long long)r->lo[j], (long long)bound);
    return DRX_OK;
}

static drx_status check(const struct drxi_request_of *r)
{
    const drxmp_darray *d = r->d;
    const drx_array *a = r->m->a;
    drx_status st;

    if (!d)
        return drxi_fail(DRX_EINVAL, "the darray is a null pointer");
    if ((st = drxi_darray_check_comm(d, r->m->comm)))
        return st;
    if (d->ndim != drx_ndim(a))
        return drxi_fail(DRX_EINVAL, "%s: a darray of %d axes, expected %d", drxi_parts_of(a)->label, d->ndim,
                         drx_ndim(a));
    if (d->type != drx_dtype(a))
        return drxi_fail(DRX_EINVAL, "%s: a darray of %s, expected %s", drxi_parts_of(a)->label, drx_type_name(d->type),
                         drx_type_name(drx_dtype(a)));
    st = r->writing ? drxi_check_writable(a) : drxi_darray_check_writable(d);
    for (int j = 0; !st && j < d->ndim; j++)
        st = check_axis(r, j);
    return st;
}

/* Add `by` to the indices of a set; copy runs that change to *room. */
static void shift(struct drxi_axis_set *set, int64_t by, struct drxi_run **room)
{
    if (set->kind == DRXI_RUNS && by != 0) {
        memcpy(*room, set->runs, (size_t)set->n * sizeof **room);
        set->runs = *room;
        for (int64_t i = 0; i < set->n; i++)
            (*room)[i].index += by;
        *room += set->n;
    } else {
        set->start += by;
        set->end += by;
    }
}

/* Make the sets of all ranks. The sets of an axis are shifted once for each grid rank, then copied to the others. */
static drx_status make_sets(struct drxi_request_of *r)
{
    const drxmp_darray *d = r->d;
    const size_t n = (size_t)d->ranks * (size_t)d->ndim;
    struct drxi_run *room;
    int64_t runs = 0;

    r->sets = drxi_malloc(n * sizeof *r->sets);
    if (!r->sets)
        return drxi_fail(DRX_ENOMEM, "out of memory for the index sets of all ranks");
    drxi_darray_sets(d, r->writing, r->sets);
    r->boxes = true;
    for (int j = 0; j < d->ndim; j++)
        for (int64_t k = 0; k < d->axis[j].grid; k++) {
            const struct drxi_axis_set *set = &r->sets[k * d->axis[j].behind * d->ndim + j];

            runs += set->kind == DRXI_RUNS && r->lo[j] != 0 ? set->n : 0;
            r->boxes = r->boxes && set->kind == DRXI_RANGE;
        }
    r->runs = room = drxi_malloc((size_t)runs * sizeof *room);
    if (!room)
        return drxi_fail(DRX_ENOMEM, "out of memory for the indices that all ranks take");
    for (int j = 0; j < d->ndim; j++)
        for (int rank = 0; rank < d->ranks; rank++) {
            const int64_t first = drxi_grid_rank(d, rank, j) * d->axis[j].behind;
            struct drxi_axis_set *set = &r->sets[(int64_t)rank * d->ndim + j];

            if (rank == first)
                shift(set, r->lo[j], &room);
            else
                *set = r->sets[first * d->ndim + j];
        }
    return DRX_OK;
}

struct corner {
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM], step[DRX_MAX_NDIM];
    uint8_t *mem;
};

/* Convert this rank's sets to a box that begins at c->mem in memory; false when they are not a box, or are empty. */
static bool as_box(int ndim, struct drxi_axis_set sets[], const int64_t stride_bytes[], struct corner *c)
{
    for (int j = 0; j < ndim; j++)
        if (sets[j].kind != DRXI_RANGE || sets[j].n == 0)
            return false;
    for (int j = 0; j < ndim; j++) {
        c->mem += sets[j].local * stride_bytes[j];
        sets[j].local = 0;
        c->lo[j] = sets[j].start;
        c->count[j] = sets[j].n;
        c->step[j] = sets[j].step;
    }
    return true;
}

static drx_status move_sections(struct drxi_request_of *r, const struct drxi_call *call)
{
    const drxmp_darray *d = r->d;
    struct drxi_axis_set *mine = r->sets + (int64_t)d->rank * d->ndim;
    struct corner c = { .mem = d->mem };
    const struct drxi_box box = { .lo = c.lo, .count = c.count, .step = c.step, .stride_bytes = d->stride_bytes };
    struct drxi_moved moved = { .sets = r->sets, .boxes = r->boxes, .stride_bytes = d->stride_bytes };
    drx_status st = DRX_OK;

    if (as_box(d->ndim, mine, d->stride_bytes, &c))
        moved.box = &box;
    moved.mem = c.mem;
    if (drxi_data_of(r->m->a)->pool)
        st = drxi_pool_flush(drxi_data_of(r->m->a)->pool);
    return drxi_move_sets(r->m, r->writing, call, st, &moved);
}

static drx_status move(drxmp_darray *d, drxmp_array *m, const int64_t lo[], bool writing)
{
    struct drxi_request_of r = { .m = m, .d = d, .writing = writing };
    struct drxi_call call;
    drx_status st;

    if (!m)
        return drxi_no_array();
    for (int j = 0; lo && j < drx_ndim(m->a); j++)
        r.lo[j] = lo[j];
    drxi_call_start(&call, writing ? "drxmp_darray_write" : "drxmp_darray_read");
    drxi_call_int(&call, "the darray", d ? d->id : 0);
    drxi_call_bytes(&call, "lo", r.lo, sizeof r.lo);
    (void)drxi_wait_for_all(m->a, writing, true);
    drxi_gate_enter(drxi_parts_of(m->a)->gate);
    st = check(&r);
    if (!st)
        st = make_sets(&r);
    st = drxi_begin(m, st, &call);
    if (!st)
        st = move_sections(&r, &call);
    drxi_gate_leave(drxi_parts_of(m->a)->gate);
    drxi_free(r.sets);
    drxi_free(r.runs);
    return st;
}

drx_status drxmp_darray_read(drxmp_darray *d, drxmp_array *a, const int64_t lo[])
{
    return move(d, a, lo, false);
}

drx_status drxmp_darray_write(drxmp_darray *d, drxmp_array *a, const int64_t lo[])
{
    return move(d, a, lo, true);
}
