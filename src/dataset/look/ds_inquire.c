/* What a dataset can be asked. */
#include "dataset/dataset.h"

static const struct drxi_variable *variable(const drx_dataset *ds, int i)
{
    return i >= 0 && i < ds->variables.n ? drxi_store_variable(&ds->store, ds->variables.number[i]) : NULL;
}

static const struct drxi_dimension *dimension(const drx_dataset *ds, int d)
{
    return d >= 0 && d < ds->dimensions.n ? drxi_store_dimension(&ds->store, ds->dimensions.number[d]) : NULL;
}

/* Where a number stands in a list; -1: not there. */
static int place_of(const struct drxi_ds_list *list, int number)
{
    int64_t lo = 0, hi = list->n;

    while (lo < hi) {
        const int64_t middle = (lo + hi) / 2;

        if (list->number[middle] < number)
            lo = middle + 1;
        else
            hi = middle;
    }
    return number > 0 && lo < list->n && list->number[lo] == number ? (int)lo : -1;
}

int drx_dataset_count(const drx_dataset *ds)
{
    return (int)ds->variables.n;
}

const char *drx_dataset_name(const drx_dataset *ds, int i)
{
    const struct drxi_variable *v = variable(ds, i);

    return v ? drxi_thing_name(&v->thing) : NULL;
}

int drx_dataset_find(const drx_dataset *ds, const char *name)
{
    const struct drxi_variable *v = drxi_ds_find_variable(ds, name);

    return v ? place_of(&ds->variables, v->thing.number) : -1;
}

int drx_dataset_ndim(const drx_dataset *ds, int i)
{
    const struct drxi_variable *v = variable(ds, i);

    return v ? v->ndim : -1;
}

int drx_dataset_dim_count(const drx_dataset *ds)
{
    return (int)ds->dimensions.n;
}

int drx_dataset_axis(const drx_dataset *ds, int i, int axis)
{
    const struct drxi_variable *v = variable(ds, i);

    return v && axis >= 0 && axis < v->ndim ? place_of(&ds->dimensions, v->dim[axis]) : -1;
}

int drx_dataset_dim_find(const drx_dataset *ds, const char *name)
{
    const struct drxi_dimension *d = drxi_ds_find_dimension(ds, name);

    return d ? place_of(&ds->dimensions, d->thing.number) : -1;
}

const char *drx_dataset_dim(const drx_dataset *ds, int d, int64_t *bound)
{
    const struct drxi_dimension *dim = dimension(ds, d);

    if (!dim)
        return NULL;
    if (bound)
        *bound = dim->upper;
    return drxi_thing_name(&dim->thing);
}

int64_t drx_dataset_dim_lower(const drx_dataset *ds, int d)
{
    return dimension(ds, d) ? dimension(ds, d)->lower : 0;
}

int drx_dataset_dim_grew(const drx_dataset *ds, int d)
{
    return dimension(ds, d) && dimension(ds, d)->growths > 0;
}

int64_t drx_dataset_shown(const drx_dataset *ds)
{
    return ds->store.commits > 0 ? ds->store.commit[ds->store.commits - 1].number : -1;
}

int64_t drx_dataset_last(const drx_dataset *ds)
{
    return drxi_ds_last(ds);
}

drx_status drx_dataset_commit_info(const drx_dataset *ds, int64_t number, drx_commit *out)
{
    drx_status st = ds ? drxi_ds_check_commit(ds, number) : drxi_no_dataset();
    const struct drxi_commit *c;

    if (!st && !out)
        st = drxi_fail(DRX_EINVAL, "%s: out is a null pointer", ds->path);
    if (st)
        return st;
    c = &ds->whole->commit[number - drx_dataset_oldest(ds)];
    *out = (drx_commit){ .number = number, .time = c->time, .message = c->message ? c->message : "" };
    return DRX_OK;
}

drx_status drx_dataset_commit_changes(const drx_dataset *ds, int64_t number, const drx_change **changes, int64_t *n)
{
    drx_commit commit;
    const drx_status st = drx_dataset_commit_info(ds, number, &commit);

    if (st)
        return st;
    if (!changes || !n)
        return drxi_fail(DRX_EINVAL, "%s: changes or n is a null pointer", ds->path);
    return drxi_ds_changes_of((drx_dataset *)ds, number - ds->whole->commit[0].number, changes, n);
}

/* ---- attributes ---- */

drx_status drx_dataset_attr_get(const drx_dataset *ds, const char *name, drx_type *type, int64_t *n,
                                const void **values)
{
    return ds ? drxi_attrs_get(&ds->store.root.thing.attrs, ds->path, name, type, n, values) : drxi_no_dataset();
}

int drx_dataset_attr_count(const drx_dataset *ds)
{
    return (int)ds->store.root.thing.attrs.n;
}

drx_status drx_dataset_attr_info(const drx_dataset *ds, int i, const char **name, drx_type *type, int64_t *n,
                                 int *is_text)
{
    return ds ? drxi_attrs_info(&ds->store.root.thing.attrs, ds->path, i, name, type, n, is_text) : drxi_no_dataset();
}
