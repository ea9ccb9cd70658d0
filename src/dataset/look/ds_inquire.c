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
static int place_in_list(const struct drxi_ds_list *list, int number)
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

/* The path of thing i of a list. */
static const char *list_path(const drx_dataset *ds, const struct drxi_ds_list *list, enum drxi_what what, int i)
{
    const struct drxi_thing *t = i >= 0 && i < list->n ? drxi_store_thing(&ds->store, what, list->number[i]) : NULL;

    if (!t || t->group == 0)
        return t ? drxi_thing_name(t) : NULL;
    if (!list->path[i])
        list->path[i] = drxi_ds_path_of(&ds->store, t, drxi_thing_name);
    return list->path[i];
}

int drx_dataset_group_count(const drx_dataset *ds)
{
    return (int)ds->groups.n;
}

const char *drx_dataset_group(const drx_dataset *ds, int i)
{
    return list_path(ds, &ds->groups, DRXI_A_GROUP, i);
}

int drx_dataset_group_find(const drx_dataset *ds, const char *path)
{
    return place_in_list(&ds->groups, drxi_ds_find(ds, DRXI_A_GROUP, path));
}

int drx_dataset_count(const drx_dataset *ds)
{
    return (int)ds->variables.n;
}

const char *drx_dataset_name(const drx_dataset *ds, int i)
{
    return list_path(ds, &ds->variables, DRXI_A_VARIABLE, i);
}

int drx_dataset_find(const drx_dataset *ds, const char *name)
{
    return place_in_list(&ds->variables, drxi_ds_find(ds, DRXI_A_VARIABLE, name));
}

int drx_dataset_ndim(const drx_dataset *ds, int i)
{
    const struct drxi_variable *v = variable(ds, i);

    return v && !v->null ? v->ndim : -1;
}

int drx_dataset_dim_count(const drx_dataset *ds)
{
    return (int)ds->dimensions.n;
}

int drx_dataset_axis(const drx_dataset *ds, int i, int axis)
{
    const struct drxi_variable *v = variable(ds, i);

    return v && axis >= 0 && axis < v->ndim ? place_in_list(&ds->dimensions, v->dim[axis]) : -1;
}

int drx_dataset_dim_find(const drx_dataset *ds, const char *name)
{
    return place_in_list(&ds->dimensions, drxi_ds_find(ds, DRXI_A_DIMENSION, name));
}

const char *drx_dataset_dim(const drx_dataset *ds, int d, int64_t *bound)
{
    if (bound && dimension(ds, d))
        *bound = dimension(ds, d)->upper;
    return list_path(ds, &ds->dimensions, DRXI_A_DIMENSION, d);
}

int64_t drx_dataset_dim_lower(const drx_dataset *ds, int d)
{
    return dimension(ds, d) ? dimension(ds, d)->lower : 0;
}

int drx_dataset_dim_grew(const drx_dataset *ds, int d)
{
    return dimension(ds, d) && dimension(ds, d)->growths > 0;
}

int drx_dataset_type_count(const drx_dataset *ds)
{
    return (int)ds->types.n;
}

const char *drx_dataset_type(const drx_dataset *ds, int i, drx_type *type)
{
    const struct drxi_type *t = i >= 0 && i < ds->types.n ? drxi_store_type(&ds->store, ds->types.number[i]) : NULL;

    if (type)
        *type = t ? t->type : (drx_type)0;
    return t && !t->thing.key ? "" : list_path(ds, &ds->types, DRXI_A_TYPE, i);
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

drx_status drx_dataset_attr_get(const drx_dataset *ds, int part, const char *of, const char *name, drx_type *type,
                                int64_t *n, const void **values)
{
    struct drxi_ds_part p;
    const drx_status st = drxi_ds_find_part(ds, part, of, &p);

    return st ? st : drxi_attrs_get(&p.thing->attrs, p.label, name, type, n, values);
}

int drx_dataset_attr_count(const drx_dataset *ds, int part, const char *of)
{
    struct drxi_ds_part p;

    return drxi_ds_find_part(ds, part, of, &p) ? -1 : (int)p.thing->attrs.n;
}

drx_status drx_dataset_attr_info(const drx_dataset *ds, int part, const char *of, int i, const char **name,
                                 drx_type *type, int64_t *n, int *is_text)
{
    struct drxi_ds_part p;
    const drx_status st = drxi_ds_find_part(ds, part, of, &p);

    return st ? st : drxi_attrs_info(&p.thing->attrs, p.label, i, name, type, n, is_text);
}
