/* Making a dataset. */
#include "dataset/dataset.h"

static void put_first(struct drxi_run *run, void *with)
{
    drxi_put_commit(run, 0, *(const int64_t *)with, "created");
}

/* The log, without a name. */
static drx_status make_log(drx_dataset *ds)
{
    int64_t time = drxi_time();
    drx_status st = drxi_files->open(ds->log_path, DRXI_NEW, &ds->io);

    ds->store.kind = DRXI_DATASET;
    if (!st)
        st = ds->io->ops->lock(ds->io, DRXI_LOCK_ALONE);
    if (!st)
        st = drxi_new_id(ds->store.id);
    if (!st)
        st = drxi_store_create(&ds->store, ds->io, put_first, &time);
    if (!st)
        st = ds->io->ops->sync(ds->io);
    if (!st)
        st = drxi_ds_append_sync(ds, false);
    return st ? st : ds->io->ops->sync(ds->io);
}

/* Name the file, complete and durable, and keep others away from the folder meanwhile. */
static drx_status put_in_place(drx_dataset *ds)
{
    drxi_io *folder = NULL;
    drx_status st = drxi_files->lock_folder(ds->io->path, &folder);

    if (!st)
        st = ds->io->ops->name(ds->io);
    if (!st)
        st = drxi_files->sync_folder(ds->io->path);
    drxi_close(folder);
    return st;
}

/* A folder that is there holds neither a dataset nor arrays. */
static drx_status check_folder(const char *path)
{
    struct drxi_ds_names found = { .n = 0 };
    drx_status st = drxi_ds_list_folder(path, &found);

    for (int64_t i = 0; !st && i < found.n; i++) {
        const char *const name = found.name[i];
        const size_t n = strlen(name);

        if (strcmp(name, "dataset.xds") == 0)
            st = drxi_fail(DRX_EEXIST, "%s: a dataset already", path);
        else if (n > 4 && *name != '.' && strcmp(name + n - 4, ".xmd") == 0)
            st = drxi_fail(DRX_EEXIST, "%s: holds the array %.*s: a dataset takes a folder without arrays", path,
                           (int)n - 4, name);
    }
    drxi_ds_free_names(&found);
    return st;
}

static drx_status make_folder(const char *path, bool *made)
{
    drx_status st = drxi_files->make_folder(path);

    *made = !st;
    return st == DRX_EEXIST ? check_folder(path) : st;
}

/* Without the log, the folder is empty again. */
static void drop_folder(drx_dataset *ds, const char *path, bool made)
{
    char detail[DRXI_DETAIL_BYTES];

    drxi_report_keep(detail);
    drxi_ds_free(ds);
    if (made)
        (void)drxi_files->remove_folder(path);
    drxi_report_set(detail);
}

drx_status drx_dataset_create(const char *path, drx_dataset **out)
{
    bool made = false;
    drx_dataset *ds;
    drx_status st = drxi_ds_new(path, out ? &ds : NULL);

    if (st)
        return st;
    *out = NULL;
    ds->writable = true;
    st = drxi_ds_refuse_array(path);
    if (!st)
        st = make_folder(path, &made);
    if (!st)
        st = make_log(ds);
    if (!st)
        st = put_in_place(ds);
    if (!st && made)
        st = drxi_files->sync_folder(path);
    if (!st)
        st = drxi_ds_list_things(ds);
    if (st) {
        drop_folder(ds, path, made);
        return st;
    }
    ds->started = true;
    drxi_report_clear();
    *out = ds;
    return DRX_OK;
}
