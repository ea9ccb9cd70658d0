/* Reading and writing distributed arrays. Sections that are boxes move as other boxes do, the others through the
 * exchange. */
#include "mp/darray/sections.h"

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
    const int64_t lower = drx_lower(r->m->a)[j], bound = lower + drx_shape(r->m->a)[j];
    int64_t first, end;

    if (x->first == x->end)
        return DRX_OK;
    if (!drxi_add(r->lo[j], x->end, &end) || !drxi_add(r->lo[j], x->first, &first) || first < lower || end > bound)
        return drxi_fail(DRX_ERANGE,
                         "%s: axis %d: indices %lld to %lld of the darray at lo %lld are not inside the bound %lld%s",
                         drxi_parts_of(r->m->a)->label, j, (long long)x->first, (long long)x->end - 1,
                         (long long)r->lo[j], (long long)bound, lower == 0 ? "" : ", or below the lower one");
    return DRX_OK;
}

static drx_status check_request(const struct drxi_request_of *r)
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
    if (!st)
        st = drxi_darray_check_idle(d, !r->writing);
    for (int j = 0; !st && j < d->ndim; j++)
        st = check_axis(r, j);
    return st;
}

/* Make the sets of all ranks, in indices of the array. */
static drx_status make_sets(struct drxi_request_of *r)
{
    const drxmp_darray *d = r->d;
    drx_status st;

    r->sets = drxi_malloc((size_t)d->ranks * (size_t)d->ndim * sizeof *r->sets);
    if (!r->sets)
        return drxi_fail(DRX_ENOMEM, "out of memory for the index sets of all ranks");
    st = drxi_darray_sets_at(d, r->writing, r->lo, r->sets, &r->runs);
    r->boxes = true;
    for (int64_t i = 0; !st && i < (int64_t)d->ranks * d->ndim; i++)
        r->boxes = r->boxes && r->sets[i].kind == DRXI_RANGE;
    return st;
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

/* Move the sections, as the ranks have agreed; with `out`, begin a request, which takes over the sets. */
static drx_status move_sections(struct drxi_request_of *r, const struct drxi_call *call, drx_request **out)
{
    const drxmp_darray *d = r->d;
    struct drxi_axis_set *mine = r->sets + (int64_t)d->rank * d->ndim;
    struct corner c = { .mem = d->mem };
    const struct drxi_box box = { .lo = c.lo, .count = c.count, .step = c.step, .stride_bytes = d->stride_bytes };
    struct drxi_moved moved = {
        .sets = r->sets,
        .runs = r->runs,
        .boxes = r->boxes,
        .stride_bytes = d->stride_bytes,
        .uses = r->writing ? &r->d->writes : &r->d->reads,
    };

    if (as_box(d->ndim, mine, d->stride_bytes, &c))
        moved.box = &box;
    moved.mem = c.mem;
    return out ? drxi_move_sets_start(r->m, r->writing, call, &moved, out)
               : drxi_move_sets(r->m, r->writing, call, &moved);
}

/* Plan the move of this rank. */
static drx_status prepare_request(struct drxi_request_of *r)
{
    const drx_status st = check_request(r);

    return st ? st : make_sets(r);
}

static drx_status move_now(struct drxi_request_of *r, const struct drxi_call *call)
{
    drx_status st = drxi_begin(r->m, prepare_request(r), call);

    if (!st) {
        drxi_memory_fence(r->d);
        st = move_sections(r, call, NULL);
    }
    drxi_free(r->sets);
    drxi_free(r->runs);
    return st;
}

static drx_status move_later(struct drxi_request_of *r, const struct drxi_call *call, drx_request **out)
{
    const drx_status st = prepare_request(r);

    if (!st)
        return move_sections(r, call, out);
    drxi_free(r->sets);
    drxi_free(r->runs);
    return drxi_move_boxes_start(r->m, r->writing, call, st, NULL, NULL, out); /* the other ranks hear of it */
}

/* With `out`, only begin. One-sided requests of this rank, which began before, come first. */
static drx_status move_section(drxmp_darray *d, drxmp_array *m, const char *name, const int64_t lo[], bool writing,
                               drx_request **out)
{
    struct drxi_request_of r = { .m = m, .d = d, .writing = writing };
    struct drxi_pending p = { .writing = writing, .collective = true };
    struct drxi_turn turn;
    struct drxi_call call;
    drx_status st;

    if (out)
        *out = NULL;
    if (!m)
        return drxi_no_array();
    for (int j = 0; j < drx_ndim(m->a); j++)
        r.lo[j] = lo ? lo[j] : drx_lower(m->a)[j];
    drxi_call_start(&call, name);
    drxi_call_int(&call, "the darray", d ? d->id : 0);
    drxi_call_bytes(&call, "lo", r.lo, sizeof r.lo);
    if (d)
        drxi_memory_fence(d);
    drxi_turn_of_all(&p, &turn);
    (void)drxi_enter(m->a, &p);
    st = out ? move_later(&r, &call, out) : move_now(&r, &call);
    drxi_leave(m->a);
    return st;
}

drx_status drxmp_darray_read(drxmp_darray *d, drxmp_array *a, const int64_t lo[])
{
    return move_section(d, a, "drxmp_darray_read", lo, false, NULL);
}

drx_status drxmp_darray_write(drxmp_darray *d, drxmp_array *a, const int64_t lo[])
{
    return move_section(d, a, "drxmp_darray_write", lo, true, NULL);
}

static drx_status begin_move(drxmp_darray *d, drxmp_array *a, const char *name, const int64_t lo[], bool writing,
                             drx_request **req)
{
    drx_request *none = NULL;

    if (req)
        return move_section(d, a, name, lo, writing, req);
    if (!move_section(NULL, a, name, lo, writing, &none) && none) /* the other ranks hear of it */
        (void)drx_wait(none);
    return drxi_fail(DRX_EINVAL, "%s: req is a null pointer", name);
}

drx_status drxmp_darray_iread(drxmp_darray *d, drxmp_array *a, const int64_t lo[], drx_request **req)
{
    return begin_move(d, a, "drxmp_darray_iread", lo, false, req);
}

drx_status drxmp_darray_iwrite(drxmp_darray *d, drxmp_array *a, const int64_t lo[], drx_request **req)
{
    return begin_move(d, a, "drxmp_darray_iwrite", lo, true, req);
}
