/* What a dataset can be asked. */
#include "dataset/dataset.h"

static const struct drxi_journal_member *member_of(const drx_dataset *ds, int i)
{
    return i >= 0 && i < ds->visible ? &ds->j.member[ds->member[i]] : NULL;
}

int drx_dataset_count(const drx_dataset *ds)
{
    return (int)ds->visible;
}

const char *drx_dataset_name(const drx_dataset *ds, int i)
{
    const struct drxi_journal_member *m = member_of(ds, i);

    return m ? m->name : NULL;
}

int drx_dataset_find(const drx_dataset *ds, const char *name)
{
    for (int i = 0; name && i < (int)ds->visible; i++)
        if (strcmp(member_of(ds, i)->name, name) == 0)
            return i;
    return -1;
}

/* The dimensions of member i, as of what is shown; -1: no such member. */
static int dims_of(const drx_dataset *ds, int i, int dim[DRX_MAX_NDIM])
{
    return member_of(ds, i) ? drxi_journal_dims(&ds->j, ds->member[i], drxi_ds_now(ds), dim) : -1;
}

int drx_dataset_ndim(const drx_dataset *ds, int i)
{
    int dim[DRX_MAX_NDIM];

    return dims_of(ds, i, dim);
}

/* Dimensions of earlier commits come first, so those that are shown are the first ones. */
int drx_dataset_dim_count(const drx_dataset *ds)
{
    int n = 0;

    while (n < ds->j.dims && ds->j.dim[n].added <= drxi_ds_now(ds))
        n++;
    return n;
}

int drx_dataset_axis(const drx_dataset *ds, int i, int axis)
{
    int dim[DRX_MAX_NDIM];

    return axis >= 0 && axis < dims_of(ds, i, dim) ? dim[axis] : -1;
}

int drx_dataset_dim_find(const drx_dataset *ds, const char *name)
{
    const int64_t d = name ? drxi_journal_find_dim(&ds->j, name, strlen(name)) : -1;

    return d < drx_dataset_dim_count(ds) ? (int)d : -1;
}

const char *drx_dataset_dim(const drx_dataset *ds, int d, int64_t *bound)
{
    if (d < 0 || d >= drx_dataset_dim_count(ds))
        return NULL;
    if (bound) {
        int64_t at[2];

        drxi_journal_bounds(&ds->j, d, drxi_ds_now(ds), at);
        *bound = at[DRXI_HIGH];
    }
    return ds->j.dim[d].name;
}

int64_t drx_dataset_dim_lower(const drx_dataset *ds, int d)
{
    int64_t at[2] = { 0, 0 };

    if (d >= 0 && d < drx_dataset_dim_count(ds))
        drxi_journal_bounds(&ds->j, d, drxi_ds_now(ds), at);
    return at[DRXI_LOW];
}

int drx_dataset_dim_grew(const drx_dataset *ds, int d)
{
    for (int64_t i = 0; i < ds->j.changes && ds->j.change[i].commit <= drxi_ds_now(ds); i++)
        if (ds->j.change[i].what.dim == d && ds->j.change[i].what.by > 0)
            return 1;
    return 0;
}

int64_t drx_dataset_shown(const drx_dataset *ds)
{
    return ds->shown;
}

int64_t drx_dataset_last(const drx_dataset *ds)
{
    return ds->j.commits - 1;
}

static drx_status check_commit(const drx_dataset *ds, int64_t number, const void *out)
{
    if (!ds)
        return drxi_no_dataset();
    if (number < 0 || number >= ds->j.commits)
        return drxi_fail(DRX_ERANGE, "%s: commit %lld, expected 0 to %lld", ds->path, (long long)number,
                         (long long)ds->j.commits - 1);
    return out ? DRX_OK : drxi_fail(DRX_EINVAL, "%s: out is a null pointer", ds->path);
}

drx_status drx_dataset_commit_info(const drx_dataset *ds, int64_t number, drx_commit *out)
{
    const drx_status st = check_commit(ds, number, out);

    if (st)
        return st;
    memset(out, 0, sizeof *out);
    out->number = number;
    out->time = ds->j.commit[number].time;
    out->message = ds->j.commit[number].message;
    out->changes = (int)(drxi_journal_first_change(&ds->j, number + 1) - drxi_journal_first_change(&ds->j, number));
    for (int64_t i = 0; i < ds->j.members; i++) {
        out->added += ds->j.member[i].added == number;
        out->removed += ds->j.member[i].removed == number;
    }
    return DRX_OK;
}

drx_status drx_dataset_commit_change(const drx_dataset *ds, int64_t number, int i, drx_dim_change *out)
{
    int64_t first, before[2], after[2];
    int dim;
    const drx_status st = check_commit(ds, number, out);

    if (st)
        return st;
    first = drxi_journal_first_change(&ds->j, number);
    if (i < 0 || i >= drxi_journal_first_change(&ds->j, number + 1) - first)
        return drxi_fail(DRX_ERANGE, "%s: commit %lld has no change %d of a dimension", ds->path, (long long)number, i);
    dim = ds->j.change[first + i].what.dim;
    drxi_journal_bounds_before(&ds->j, dim, first + i, before);
    drxi_journal_bounds_before(&ds->j, dim, first + i + 1, after);
    *out = (drx_dim_change){ .dim = ds->j.dim[dim].name,
                             .lower_before = before[DRXI_LOW],
                             .upper_before = before[DRXI_HIGH],
                             .lower = after[DRXI_LOW],
                             .upper = after[DRXI_HIGH] };
    return DRX_OK;
}

drx_status drx_dataset_attr_get(const drx_dataset *ds, const char *name, drx_type *type, int64_t *n,
                                const void **values)
{
    return ds ? drxi_attrs_get(&ds->j.attrs, ds->path, name, type, n, values) : drxi_no_dataset();
}

int drx_dataset_attr_count(const drx_dataset *ds)
{
    return (int)ds->j.attrs.n;
}

drx_status drx_dataset_attr_info(const drx_dataset *ds, int i, const char **name, drx_type *type, int64_t *n,
                                 int *is_text)
{
    return ds ? drxi_attrs_info(&ds->j.attrs, ds->path, i, name, type, n, is_text) : drxi_no_dataset();
}
