/* Making, checking and freeing the handle of a dataset; what it shows. */
#include "dataset/dataset.h"

/* The path without slashes at its end. */
static char *without_slashes(const char *path)
{
    size_t n = strlen(path);

    while (n > 1 && path[n - 1] == '/')
        n--;
    return drxi_format("%.*s", (int)n, path);
}

drx_status drxi_ds_new(const char *path, drx_dataset **out)
{
    drx_dataset *ds;

    if (!out)
        return drxi_fail(DRX_EINVAL, "out is a null pointer");
    *out = NULL;
    drxi_report_clear();
    if (!path || !*path)
        return drxi_fail(DRX_EINVAL, "\"\": expected the path of a folder");
    ds = drxi_calloc(1, sizeof *ds);
    if (!ds)
        return DRX_ENOMEM;
    ds->whole = &ds->store;
    ds->open.last = -1;
    ds->path = without_slashes(path);
    ds->log_path = ds->path ? drxi_format("%s/dataset.xds", ds->path) : NULL;
    if (!ds->log_path) {
        drxi_ds_free(ds);
        return DRX_ENOMEM;
    }
    *out = ds;
    return DRX_OK;
}

static void free_lent(drx_dataset *ds)
{
    for (int64_t i = 0; i < ds->lents; i++)
        (void)drxi_array_free(ds->lent[i]->a);
    for (int64_t i = 0; i < ds->lents; i++) {
        drxi_close(ds->lent[i]->log);
        drxi_free(ds->lent[i]);
    }
    drxi_free(ds->lent);
    drxi_free(ds->lent_of);
    drxi_free(ds->busy);
}

/* The numbers stay. */
static void forget_paths(const struct drxi_ds_list *list)
{
    for (int64_t i = 0; i < list->n; i++) {
        drxi_free(list->path[i]);
        list->path[i] = NULL;
    }
}

static void free_list(const struct drxi_ds_list *list)
{
    forget_paths(list);
    drxi_free(list->number);
    drxi_free(list->path);
}

void drxi_ds_free(drx_dataset *ds)
{
    free_lent(ds);
    drxi_ds_free_history(ds);
    if (ds->whole != &ds->store) {
        drxi_store_free(ds->whole);
        drxi_free(ds->whole);
    }
    drxi_store_free(&ds->store);
    drxi_run_free(&ds->open);
    drxi_close(ds->io);
    drxi_free(ds->trim);
    drxi_free(ds->axis);
    drxi_free(ds->growth);
    free_list(&ds->groups);
    free_list(&ds->variables);
    free_list(&ds->dimensions);
    free_list(&ds->types);
    drxi_free(ds->log_path);
    drxi_free(ds->path);
    drxi_free(ds);
}

static drx_status list(const struct drxi_table *t, struct drxi_ds_list *out)
{
    drx_status st = drxi_reserve(&out->number, &out->room, t->largest + 1, sizeof *out->number);

    if (!st)
        st = drxi_reserve(&out->path, &out->path_room, t->largest + 1, sizeof(char *));
    forget_paths(out);
    out->n = 0;
    for (int i = 1; !st && i <= t->largest; i++) {
        const struct drxi_thing *thing = t->of[i];

        if (!thing || thing->removed)
            continue;
        out->path[out->n] = NULL;
        out->number[out->n++] = (uint16_t)i;
    }
    return st;
}

drx_status drxi_ds_list_things(drx_dataset *ds)
{
    drx_status st = list(&ds->store.group, &ds->groups);

    if (!st)
        st = list(&ds->store.variable, &ds->variables);
    if (!st)
        st = list(&ds->store.dimension, &ds->dimensions);
    return st ? st : list(&ds->store.type, &ds->types);
}

drx_status drxi_ds_check_writable(const drx_dataset *ds)
{
    if (!ds)
        return drxi_no_dataset();
    if (!ds->writable)
        return drxi_fail(DRX_EACCES, "%s: opened read-only", ds->path);
    if (ds->broken)
        return drxi_fail(ds->broken, "%s: an earlier failure (%s) could not be undone: close it and open it again",
                         ds->path, drx_strerror(ds->broken));
    return DRX_OK;
}

drx_status drxi_ds_check_alone(const drx_dataset *ds)
{
    return ds->shared
               ? drxi_fail(DRX_EBUSY, "%s: opened DRX_SHARED: only a handle opened DRX_RDWR can compact it", ds->path)
               : DRX_OK;
}

bool drxi_ds_pending(const drx_dataset *ds)
{
    return ds->open.n > 0 || ds->trims > 0 || ds->axes > 0;
}

drx_status drxi_ds_check_going_on(const drx_dataset *ds)
{
    drx_status st = drxi_ds_check_writable(ds);

    if (!st && ds->only_abort)
        st = drxi_fail(DRX_EBUSY, "%s: a change failed half-way: abort the transaction", ds->path);
    if (!st && ds->shared && !ds->begun)
        st = drxi_fail(DRX_EINVAL, "%s: opened DRX_SHARED: drx_dataset_begin comes before a change", ds->path);
    return st;
}

drx_status drxi_ds_check_changeable(const drx_dataset *ds)
{
    const drx_status st = drxi_ds_check_going_on(ds);

    return st || ds->axes == 0
               ? st
               : drxi_fail(DRX_EINVAL, "%s: this transaction adds axes: commit it before anything else changes",
                           ds->path);
}

drx_status drxi_ds_refuse_array(const char *path)
{
    int array, dataset;
    const drx_status st = drx_look(path, &array, &dataset);

    return st || !array ? st
                        : drxi_fail(DRX_EEXIST, "%s: an array has that name: give another, or rename the array", path);
}

struct drxi_variable *drxi_ds_find_variable(const drx_dataset *ds, const char *name)
{
    return drxi_store_variable(&ds->store, drxi_ds_find(ds, DRXI_A_VARIABLE, name));
}

int64_t drxi_ds_last(const drx_dataset *ds)
{
    return ds->whole->commits > 0 ? ds->whole->commit[ds->whole->commits - 1].number : -1;
}
