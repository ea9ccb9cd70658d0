/* What a transaction changes, but for new variables. */
#include "dataset/dataset.h"

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
    struct drxi_lent *lent;
    drx_status st = drxi_ds_check_changeable(ds);

    if (st)
        return st;
    v = drxi_ds_find_variable(ds, name);
    if (!v)
        return drxi_fail(DRX_ENOENT, "%s: has no variable '%s'", ds->path, name ? name : "");
    if (is_added(ds, v))
        return drxi_fail(DRX_EINVAL, "%s: this transaction adds '%s': abort it, or commit it first", ds->path, name);
    lent = drxi_ds_lent_of(ds, v->thing.number);
    if ((st = drxi_ds_append(ds, put_removal, &v->thing.number)))
        return st;
    ds->removes = true;
    if (lent)
        lent->changed = true;
    return drxi_ds_list_things(ds);
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
    drx_status st = drxi_ds_check_going_on(ds);

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
