/* Bounds of dimensions: growth and trims. */
#include "dataset/dataset.h"

static struct drxi_ds_trim *trim_of(const drx_dataset *ds, const struct drxi_dimension *d)
{
    for (int64_t i = 0; i < ds->trims; i++)
        if (ds->trim[i].dimension == d->thing.number)
            return &ds->trim[i];
    return NULL;
}

static drx_status check_growth(const drx_dataset *ds, const struct drxi_dimension *d, enum drxi_end end, int64_t by)
{
    const struct drxi_ds_trim *t = trim_of(ds, d);
    const char *const name = drxi_thing_name(&d->thing);
    int64_t bound;

    if (by < 0)
        return drxi_fail(DRX_EINVAL, "%s: dimension '%s': growing by %lld, expected 0 or more", ds->path, name,
                         (long long)by);
    if (t && t->by[end] > 0)
        return drxi_fail(DRX_EINVAL, "%s: dimension '%s': this transaction trims it there: commit it before it grows",
                         ds->path, name);
    if (!drxi_add(end == DRXI_LOW ? d->lower : d->upper, end == DRXI_LOW ? -by : by, &bound) ||
        !drxi_is_span(end == DRXI_LOW ? bound : d->lower, end == DRXI_LOW ? d->upper : bound))
        return drxi_fail(DRX_EOVERFLOW, "%s: dimension '%s': growing by %lld: indices would exceed 64 bits", ds->path,
                         name, (long long)by);
    return DRX_OK;
}

drx_status drxi_ds_check_extend(const drx_dataset *ds, const char *dim, enum drxi_end end, int64_t by,
                                uint16_t *dimension)
{
    drx_status st = drxi_ds_check_changeable(ds);

    if (!st)
        st = drxi_ds_need(ds, DRXI_A_DIMENSION, dim, dimension);
    return st ? st : check_growth(ds, drxi_store_dimension(&ds->store, *dimension), end, by);
}

drx_status drxi_ds_check_trim(const drx_dataset *ds, const char *dim, int64_t before, int64_t after,
                              uint16_t *dimension)
{
    const struct drxi_ds_trim *t;
    const struct drxi_dimension *d;
    int64_t n;
    drx_status st = drxi_ds_check_changeable(ds);

    if (!st)
        st = drxi_ds_need(ds, DRXI_A_DIMENSION, dim, dimension);
    if (st)
        return st;
    d = drxi_store_dimension(&ds->store, *dimension);
    t = trim_of(ds, d);
    n = d->upper - d->lower - (t ? t->by[DRXI_LOW] + t->by[DRXI_HIGH] : 0);
    if (before < 0 || after < 0)
        return drxi_fail(DRX_EINVAL, "%s: dimension '%s': trimming %lld and %lld indices, expected 0 or more", ds->path,
                         dim, (long long)before, (long long)after);
    return before > n || after > n - before
               ? drxi_fail(DRX_ERANGE, "%s: dimension '%s': trimming %lld and %lld indices, it has %lld", ds->path, dim,
                           (long long)before, (long long)after, (long long)n)
               : DRX_OK;
}

/* ---- growth ---- */

/* The axes of all arrays that have the dimension. Errors but those of files are found before anything is appended. */
static drx_status prepare_bounds(drx_dataset *ds, uint16_t dimension, enum drxi_end end, int64_t by)
{
    drx_status st = DRX_OK;

    ds->growths = 0;
    for (int64_t i = 0; !st && i < ds->variables.n; i++) {
        const struct drxi_variable *v = drxi_store_variable(&ds->store, ds->variables.number[i]);

        for (int axis = 0; !st && axis < v->ndim; axis++) {
            struct drxi_ds_growth *g;
            struct drxi_lent *lent;

            if (v->dim[axis] != dimension)
                continue;
            st = drxi_ds_lend(ds, v->thing.number, &lent);
            if (!st)
                st = drxi_reserve(&ds->growth, &ds->growth_room, ds->growths + 1, sizeof *ds->growth);
            if (st)
                return st;
            g = &ds->growth[ds->growths++];
            g->lent = lent;
            st = drxi_lent_prepare(lent->a, axis, end, by, &g->step);
        }
    }
    return st;
}

/* Whether another axis of the array grows with this one. */
static bool grows_alone(const drx_dataset *ds, int64_t i)
{
    const struct drxi_ds_growth *g = &ds->growth[i];

    return (i == 0 || g[-1].lent != g->lent) && (i == ds->growths - 1 || g[1].lent != g->lent);
}

/* Arrays whose growth needs no file follow together, with one fence, where nobody is in the way. */
static void grow_in_memory(drx_dataset *ds)
{
    enum { MOST = 256 };
    struct drxi_gate *gate[MOST];
    struct drxi_ds_growth *of[MOST];
    bool closed[MOST];
    int n = 0;

    for (int64_t i = 0; i < ds->growths; i++) {
        struct drxi_ds_growth *g = &ds->growth[i];

        g->lent->grew = true;
        g->done = false;
        if (grows_alone(ds, i) && drxi_lent_only_follows(g->lent->a, &g->step.growth)) {
            of[n] = g;
            gate[n++] = &g->lent->a->gate;
        }
        if (n < MOST && i < ds->growths - 1)
            continue;
        drxi_gate_try_close(gate, n, closed);
        for (int k = 0; k < n; k++)
            if (closed[k]) {
                drxi_lent_publish(of[k]->lent->a, &of[k]->step);
                of[k]->done = true;
                drxi_gate_open(gate[k]);
            }
        n = 0;
    }
}

static drx_status grow_members(drx_dataset *ds)
{
    drx_status st = DRX_OK;

    grow_in_memory(ds);
    for (int64_t i = 0; !st && i < ds->growths; i++) {
        const struct drxi_ds_growth *g = &ds->growth[i];

        if (g->done)
            continue;
        st = drxi_lent_grow(g->lent->a, g->step.growth.axis, g->step.growth.end, g->step.growth.by);
        g->lent->changed = true;
    }
    ds->only_abort = st != DRX_OK;
    return st;
}

static drx_status extend(drx_dataset *ds, const char *dim, enum drxi_end end, int64_t by)
{
    const struct drxi_dimension *d;
    uint16_t number;
    drx_status st = drxi_ds_check_extend(ds, dim, end, by, &number);

    if (st || by == 0)
        return st;
    if ((st = prepare_bounds(ds, number, end, by)))
        return st;
    d = drxi_store_dimension(&ds->store, number);
    if (end == DRXI_LOW)
        drxi_put_grow(drxi_ds_run(ds), number, -by, d->lower - by);
    else
        drxi_put_grow(drxi_ds_run(ds), number, by, d->upper + by);
    st = drxi_ds_append(ds);
    return st ? st : grow_members(ds);
}

drx_status drx_dataset_extend(drx_dataset *ds, const char *dim, int64_t by)
{
    return extend(ds, dim, DRXI_HIGH, by);
}

drx_status drx_dataset_extend_before(drx_dataset *ds, const char *dim, int64_t by)
{
    return extend(ds, dim, DRXI_LOW, by);
}

drx_status drx_dataset_trim(drx_dataset *ds, const char *dim, int64_t before, int64_t after)
{
    struct drxi_ds_trim *t;
    uint16_t number;
    drx_status st = drxi_ds_check_trim(ds, dim, before, after, &number);

    if (st || (before == 0 && after == 0))
        return st;
    st = drxi_ds_lend_with(ds, number, NULL); /* so that the commit can give their space back */
    if (!st)
        st = drxi_reserve(&ds->trim, &ds->trim_room, ds->trims + 1, sizeof *ds->trim);
    if (st)
        return st;
    t = trim_of(ds, drxi_store_dimension(&ds->store, number));
    if (!t) {
        t = &ds->trim[ds->trims++];
        *t = (struct drxi_ds_trim){ .dimension = number };
    }
    t->by[DRXI_LOW] += before;
    t->by[DRXI_HIGH] += after;
    return DRX_OK;
}
