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

int drx_dataset_ndim(const drx_dataset *ds, int i)
{
    const struct drxi_journal_member *m = member_of(ds, i);

    return m ? m->ndim : -1;
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
    const struct drxi_journal_member *m = member_of(ds, i);

    return m && axis >= 0 && axis < m->ndim ? m->dim[axis] : -1;
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
    if (bound)
        *bound = drxi_journal_bound(&ds->j, d, drxi_ds_now(ds));
    return ds->j.dim[d].name;
}

int drx_dataset_dim_grew(const drx_dataset *ds, int d)
{
    for (int64_t i = 0; i < ds->j.growths && ds->j.growth[i].commit <= drxi_ds_now(ds); i++)
        if (ds->j.growth[i].what.dim == d)
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

static drx_status check_commit(const drx_dataset *ds, int64_t number)
{
    if (!ds)
        return drxi_no_dataset();
    return number >= 0 && number < ds->j.commits ? DRX_OK
                                                 : drxi_fail(DRX_ERANGE, "%s: commit %lld, expected 0 to %lld",
                                                             ds->path, (long long)number, (long long)ds->j.commits - 1);
}

drx_status drx_dataset_commit_info(const drx_dataset *ds, int64_t number, drx_commit *out)
{
    drx_status st = check_commit(ds, number);

    if (st)
        return st;
    if (!out)
        return drxi_fail(DRX_EINVAL, "%s: out is a null pointer", ds->path);
    memset(out, 0, sizeof *out);
    out->number = number;
    out->time = ds->j.commit[number].time;
    out->message = ds->j.commit[number].message;
    out->growths = (int)(drxi_journal_first_growth(&ds->j, number + 1) - drxi_journal_first_growth(&ds->j, number));
    for (int64_t i = 0; i < ds->j.members; i++) {
        out->added += ds->j.member[i].added == number;
        out->removed += ds->j.member[i].removed == number;
    }
    return DRX_OK;
}

drx_status drx_dataset_commit_growth(const drx_dataset *ds, int64_t number, int i, const char **dim, int64_t *before,
                                     int64_t *after)
{
    const struct drxi_dim_growth *g;
    int64_t first;
    drx_status st = check_commit(ds, number);

    if (st)
        return st;
    first = drxi_journal_first_growth(&ds->j, number);
    if (i < 0 || i >= drxi_journal_first_growth(&ds->j, number + 1) - first)
        return drxi_fail(DRX_ERANGE, "%s: commit %lld has no growth %d", ds->path, (long long)number, i);
    g = &ds->j.growth[first + i].what;
    if (dim)
        *dim = ds->j.dim[g->dim].name;
    if (before)
        *before = g->bound - g->by;
    if (after)
        *after = g->bound;
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
