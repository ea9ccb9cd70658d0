/* The array of a variable: drx_dataset_array and drx_open. */
#include "dataset/dataset.h"
#include "remote/remote.h"

/* For the first time a handle that shares the dataset takes the lock of a change. */
static drx_status lend(drx_dataset *ds, uint16_t variable, struct drxi_lent **out)
{
    const bool held = ds->held || drxi_ds_lent_of(ds, variable);
    drx_status st = held ? DRX_OK : drxi_ds_hold(ds);

    if (!st)
        st = drxi_ds_lend(ds, variable, out);
    if (!held)
        drxi_ds_release(ds);
    return st;
}

drx_status drx_dataset_array(drx_dataset *ds, const char *name, drx_array **out)
{
    const struct drxi_variable *v;
    struct drxi_lent *lent;
    drx_status st;

    if (out)
        *out = NULL;
    if (!ds)
        return drxi_no_dataset();
    if (!out || !name)
        return drxi_fail(DRX_EINVAL, "%s: name or out is a null pointer", ds->path);
    drxi_report_clear();
    v = drxi_ds_find_variable(ds, name);
    if (!v)
        return drxi_fail(DRX_ENOENT, "%s: has no variable '%s' at commit %lld", ds->path, name,
                         (long long)drx_dataset_shown(ds));
    st = lend(ds, v->thing.number, &lent);
    if (!st)
        *out = lent->a;
    return st;
}

/* ---- an array with a dataset that nobody else sees ---- */

static drx_status sync_variable(drx_array *a)
{
    return a->parts.writable ? drx_dataset_commit(a->dataset, NULL) : DRX_OK;
}

static drx_status compact(drx_array *a)
{
    const drx_status st = drxi_ds_check_alone(a->dataset);

    return st ? st : drxi_compact_elements(a);
}

static drx_status refresh_variable(drx_array *a)
{
    return drx_dataset_refresh(a->dataset);
}

/* Attributes that were set stay, as those of any array do when it is closed. */
static drx_status close_both(drx_array *a)
{
    drx_dataset *const ds = a->dataset;
    const drx_status st = drxi_ds_pending(ds) && !ds->broken ? drx_dataset_commit(ds, NULL) : DRX_OK,
                     closed = drx_dataset_close(ds);

    return st ? st : closed;
}

static const struct drxi_owner opener = { .refused = drxi_lent_refused,
                                          .sync = sync_variable,
                                          .compact = compact,
                                          .refresh = refresh_variable,
                                          .close = close_both };

/* The array owns the dataset, if it has one. */
static drx_status open_in(drx_dataset *ds, const char *name, drx_array **out)
{
    char detail[DRXI_DETAIL_BYTES];
    const drx_status st = drx_dataset_array(ds, name, out);

    if (!st) {
        (*out)->owner = &opener;
        return DRX_OK;
    }
    drxi_report_keep(detail);
    (void)drx_dataset_close(ds);
    drxi_report_set(detail);
    return st;
}

drx_status drxi_ds_open_above(const char *path, int mode, int64_t at, drx_dataset **ds, const char **name)
{
    int64_t begin;
    char *folder;
    drx_status st = drxi_look_above(path, &begin);

    *ds = NULL;
    *name = path;
    if (st || begin < 0)
        return st ? st : drxi_fail(DRX_ENOENT, "%s: no folder above has a dataset", path);
    *name = path + begin;
    folder = drxi_folder_above(path, begin);
    st = folder ? drx_dataset_open(folder, mode, at, ds) : DRX_ENOMEM;
    drxi_free(folder);
    return st;
}

/* The variable `path` of a dataset, as of a commit. DRX_ENOENT: there is none. */
static drx_status open_variable(const char *path, int mode, int64_t at, drx_array **out)
{
    const char *name;
    drx_dataset *ds;
    const drx_status st = drxi_ds_open_above(path, mode, at, &ds, &name);

    return st ? st : open_in(ds, name, out);
}

/* The same, of a path without an array, of which `detail` tells: where there is no variable either, nothing else is
 * said. */
static drx_status open_or_none(const char *path, int mode, const char *detail, drx_array **out)
{
    const drx_status st = open_variable(path, mode, DRX_LAST, out);

    if (st != DRX_ENOENT && st != DRX_EINVAL)
        return st;
    drxi_report_set(detail);
    return DRX_ENOENT;
}

drx_status drx_open(const char *path, int mode, drx_array **out)
{
    char detail[DRXI_DETAIL_BYTES];
    const drx_status st = drxi_open(path, mode, out);

    if (st != DRX_ENOENT)
        return st;
    drxi_report_keep(detail);
    return open_or_none(path, mode, detail, out);
}

drx_status drx_open_at(const char *path, int64_t at, drx_array **out)
{
    int array, dataset;
    drx_status st;

    if (at == DRX_LAST || !path || !out)
        return drx_open(path, DRX_RDONLY, out);
    *out = NULL;
    st = drx_look(path, &array, &dataset);
    if (!st && array)
        st = drxi_fail(DRX_EINVAL, "%s: a lone array, which has no commits", path);
    return st ? st : open_variable(path, DRX_RDONLY, at, out);
}

const drx_dataset *drx_dataset_of(const drx_array *a)
{
    return a ? a->dataset : NULL;
}
