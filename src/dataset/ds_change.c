/* What a transaction changes, but for new variables. */
#include "dataset/dataset.h"

static drx_status check_no_failure(const drx_dataset *ds)
{
    drx_status st = drxi_ds_check_writable(ds);

    if (!st && ds->only_abort)
        st = drxi_fail(DRX_EBUSY, "%s: a change failed half-way: abort the transaction", ds->path);
    return st;
}

drx_status drxi_ds_check_changeable(const drx_dataset *ds)
{
    const drx_status st = check_no_failure(ds);

    return st || ds->axes == 0 ? st : drxi_ds_fail_axes(ds);
}

/* ---- removal ---- */

static void put_removal(struct drxi_run *run, const void *variable)
{
    drxi_run_begin(run, DRXI_LOG_REMOVE, *(const uint16_t *)variable);
    drxi_run8(run, DRXI_A_VARIABLE);
    drxi_run_zeros(run, 7);
    drxi_run_end(run);
}

/* Whether this transaction has added it. */
static bool is_added(const drx_dataset *ds, const struct drxi_variable *v)
{
    return v->made_by == ds->store.run.number;
}

drx_status drx_dataset_remove(drx_dataset *ds, const char *name)
{
    const struct drxi_variable *v;
    drx_status st = drxi_ds_check_changeable(ds);

    if (st)
        return st;
    v = drxi_ds_find_variable(ds, name);
    if (!v)
        return drxi_fail(DRX_ENOENT, "%s: has no variable '%s'", ds->path, name ? name : "");
    if (is_added(ds, v))
        return drxi_fail(DRX_EINVAL, "%s: this transaction adds '%s': abort it, or commit it first", ds->path, name);
    st = drxi_ds_append(ds, put_removal, &v->thing.number);
    return st ? st : drxi_ds_list_things(ds);
}

/* ---- bounds ---- */

static drx_status find_dim(const drx_dataset *ds, const char *dim, struct drxi_dimension **d)
{
    *d = drxi_ds_find_dimension(ds, dim);
    return *d ? DRX_OK : drxi_fail(DRX_ENOENT, "%s: has no dimension '%s'", ds->path, dim ? dim : "");
}

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
    struct drxi_dimension *d;
    drx_status st = drxi_ds_check_changeable(ds);

    if (!st)
        st = find_dim(ds, dim, &d);
    if (st)
        return st;
    *dimension = d->thing.number;
    return check_growth(ds, d, end, by);
}

drx_status drxi_ds_check_trim(const drx_dataset *ds, const char *dim, int64_t before, int64_t after,
                              uint16_t *dimension)
{
    const struct drxi_ds_trim *t;
    struct drxi_dimension *d;
    int64_t n;
    drx_status st = drxi_ds_check_changeable(ds);

    if (!st)
        st = find_dim(ds, dim, &d);
    if (st)
        return st;
    *dimension = d->thing.number;
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

struct growth {
    uint16_t dimension;
    int64_t by, bound;
};

static void put_growth(struct drxi_run *run, const void *what)
{
    const struct growth *g = what;

    drxi_put_grow(run, g->dimension, g->by, g->bound);
}

/* Whether all of them can grow: errors but those of files are found before anything is appended. */
static drx_status check_lent(const drx_dataset *ds, uint16_t dimension, enum drxi_end end, int64_t by)
{
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < ds->lents; i++) {
        const struct drxi_lent *lent = ds->lent[i];
        const struct drxi_variable *v = drxi_store_variable(&ds->store, lent->variable);
        struct drxi_step step;

        for (int axis = 0; !st && !lent->gone && v && !v->thing.removed && axis < v->ndim; axis++)
            if (v->dim[axis] == dimension && (st = drxi_state_prepare(&lent->a->log.state, axis, end, by, &step)))
                st = drxi_fail(st, "%s: %s", lent->a->parts.label, drx_last_error());
        drxi_data_follow(&lent->a->data); /* vectors may lie elsewhere */
    }
    return st;
}

drx_status drxi_ds_grow_lent(drx_dataset *ds, uint16_t dimension, enum drxi_end end, int64_t by)
{
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < ds->lents; i++) {
        struct drxi_lent *lent = ds->lent[i];
        const struct drxi_variable *v = drxi_store_variable(&ds->store, lent->variable);

        for (int axis = 0; !st && !lent->gone && v && !v->thing.removed && axis < v->ndim; axis++)
            if (v->dim[axis] == dimension) {
                st = drxi_lent_grow(lent->a, axis, end, by);
                lent->changed = true;
            }
    }
    ds->only_abort = st != DRX_OK;
    return st;
}

static drx_status extend(drx_dataset *ds, const char *dim, enum drxi_end end, int64_t by)
{
    const struct drxi_dimension *d;
    struct growth g = { .by = end == DRXI_LOW ? -by : by };
    drx_status st = drxi_ds_check_extend(ds, dim, end, by, &g.dimension);

    if (st || by == 0)
        return st;
    st = drxi_ds_lend_with(ds, g.dimension);
    if (!st)
        st = check_lent(ds, g.dimension, end, by);
    d = drxi_store_dimension(&ds->store, g.dimension);
    g.bound = end == DRXI_LOW ? d->lower - by : d->upper + by;
    if (!st)
        st = drxi_ds_append(ds, put_growth, &g);
    return st ? st : drxi_ds_grow_lent(ds, g.dimension, end, by);
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
    st = drxi_ds_lend_with(ds, number); /* so that the commit can give their space back */
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

/* ---- axes ---- */

static bool is_axis_pending(const drx_dataset *ds, const struct drxi_variable *v)
{
    for (int64_t i = 0; i < ds->axes; i++)
        if (ds->axis[i].variable == v->thing.number)
            return true;
    return false;
}

static drx_status check_new_axis(const drx_dataset *ds, const char *name, int at, const char *dim,
                                 struct drxi_variable **out)
{
    const struct drxi_variable *v = *out = drxi_ds_find_variable(ds, name);
    const struct drxi_dimension *d = dim && *dim ? drxi_ds_find_dimension(ds, dim) : NULL;

    if (!v)
        return drxi_fail(DRX_ENOENT, "%s: has no variable '%s'", ds->path, name ? name : "");
    if (drxi_ds_pending(ds) && ds->axes == 0)
        return drxi_fail(DRX_EINVAL, "%s: a transaction that adds axes does nothing else: commit this one first",
                         ds->path);
    if (v->ndim == DRX_MAX_NDIM)
        return drxi_fail(DRX_EINVAL, "%s: %s: it has as many axes as it can", ds->path, name);
    if (at < 0 || at > v->ndim)
        return drxi_fail(DRX_EINVAL, "%s: %s: a new axis %d, expected 0 to %d", ds->path, name, at, v->ndim);
    if (is_axis_pending(ds, v))
        return drxi_fail(DRX_EINVAL, "%s: %s: this transaction gives it an axis already: commit it first", ds->path,
                         name);
    if (!dim || !drxi_is_path_name((struct drxi_text){ dim, strlen(dim) }, DRXI_PATH_NAME_BYTES))
        return drxi_fail(DRX_EINVAL, "%s: %s: the new axis has no name, expected that of a dimension", ds->path, name);
    if (d && drxi_ds_has(v, d->thing.number))
        return drxi_fail(DRX_EINVAL, "%s: %s: has the dimension '%s' already", ds->path, name, dim);
    if (d && (d->lower != 0 || d->upper != 1))
        return drxi_fail(DRX_EMISMATCH,
                         "%s: %s: a new axis has the index 0 alone, but dimension '%s' has the bounds %lld and %lld",
                         ds->path, name, dim, (long long)d->lower, (long long)d->upper);
    return DRX_OK;
}

struct new_dimension {
    uint16_t number;
    const char *name;
};

static void put_dimension(struct drxi_run *run, const void *what)
{
    static const int64_t one[2] = { 0, 1 };
    const struct new_dimension *d = what;

    drxi_put_dimension(run, d->number, 0, one, d->name);
}

static drx_status dimension_of(drx_dataset *ds, const char *dim, uint16_t *number)
{
    const struct drxi_dimension *d = drxi_ds_find_dimension(ds, dim);
    drx_status st;

    if (d) {
        *number = d->thing.number;
        return DRX_OK;
    }
    *number = drxi_store_next(&ds->store, DRXI_A_DIMENSION);
    st = drxi_ds_append(ds, put_dimension, &(struct new_dimension){ *number, dim });
    return st ? st : drxi_ds_list_things(ds);
}

drx_status drx_dataset_add_axis(drx_dataset *ds, const char *name, int at, const char *dim)
{
    struct drxi_ds_axis axis = { .at = at };
    struct drxi_variable *v;
    struct drxi_lent *lent;
    drx_status st = check_no_failure(ds);

    if (!st)
        st = check_new_axis(ds, name, at, dim, &v);
    if (!st)
        st = drxi_ds_lend(ds, v->thing.number, &lent);
    if (!st)
        st = drxi_reserve(&ds->axis, &ds->axis_room, ds->axes + 1, sizeof *ds->axis);
    if (!st)
        st = dimension_of(ds, dim, &axis.dimension);
    if (st)
        return st;
    axis.variable = lent->variable;
    ds->axis[ds->axes++] = axis;
    return DRX_OK;
}

/* ---- attributes of the dataset ---- */

static drx_status set_attr(drx_dataset *ds, const struct drxi_attr_payload *attr)
{
    const size_t bytes = drxi_attr_encode(attr, NULL);
    uint8_t *payload = drxi_malloc(bytes);
    struct drxi_record record = { .kind = DRXI_ATTR, .payload_bytes = bytes };
    drx_status st = DRX_ENOMEM;

    if (payload) {
        (void)drxi_attr_encode(attr, payload);
        record.payload = payload;
        st = drxi_ds_append_attribute(ds, DRXI_THE_STORE, 0, &record);
    }
    drxi_free(payload);
    return st;
}

drx_status drx_dataset_attr_set(drx_dataset *ds, const char *name, drx_type type, int64_t n, const void *values)
{
    struct drxi_attr_payload attr;
    drx_status st = drxi_ds_check_changeable(ds);

    if (!st)
        st = drxi_attrs_check(ds->path, name, type, n, values, &attr);
    return st ? st : set_attr(ds, &attr);
}

drx_status drx_dataset_attr_set_text(drx_dataset *ds, const char *name, const char *utf8)
{
    struct drxi_attr_payload attr;
    drx_status st = drxi_ds_check_changeable(ds);

    if (!st)
        st = drxi_attrs_check_text(ds->path, name, utf8, &attr);
    return st ? st : set_attr(ds, &attr);
}

drx_status drx_dataset_attr_delete(drx_dataset *ds, const char *name)
{
    uint8_t payload[16 + DRXI_NAME_MAX_BYTES];
    struct drxi_record record = { .kind = DRXI_ATTR_DELETE, .payload = payload };
    int64_t i;
    drx_status st = drxi_ds_check_changeable(ds);

    if (!st)
        st = drxi_attrs_look_up(&ds->store.root.thing.attrs, ds->path, name, &i);
    if (st)
        return st;
    record.payload_bytes = drxi_name_encode(name, strlen(name), payload);
    return drxi_ds_append_attribute(ds, DRXI_THE_STORE, 0, &record);
}
