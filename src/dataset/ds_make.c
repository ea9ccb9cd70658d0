/* Making a dataset, and making the arrays of a folder one. */
#include <stdlib.h>

#include "dataset/dataset.h"

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of the arrays in a folder, and whether it has a dataset. */
static drx_status find_names(const char *folder, struct drxi_ds_names *found, bool *dataset)
{
    const drx_status st = drxi_ds_list(folder, found);
    const int64_t all = found->n;

    found->n = 0;
    for (int64_t i = 0; i < all; i++) {
        char *name = found->name[i];
        const size_t n = strlen(name);

        *dataset = *dataset || strcmp(name, "dataset.xds") == 0;
        if (n <= 4 || strcmp(name + n - 4, ".xmd") != 0 || name[0] == '.') {
            drxi_free(name);
            continue;
        }
        name[n - 4] = '\0';
        found->name[found->n++] = name;
    }
    if (!st && found->n > 0)
        qsort(found->name, (size_t)found->n, sizeof(char *), by_name);
    return st;
}

/* One axis of one element, without a name. */
static bool is_scalar(const struct drxi_state *s)
{
    return s->desc.ndim == 1 && !s->dim[0] && s->shape[0] == 1 && s->lower[0] == 0;
}

/* Does axis j of the array have the bounds that others gave its dimension? */
static drx_status check_axis(const drx_dataset *ds, const char *name, const struct drxi_state *s, int j,
                             const struct drxi_journal_dim *dim)
{
    if (s->lower[j] != dim->bound[DRXI_LOW])
        return drxi_fail(DRX_EMISMATCH,
                         "%s: dimension '%s' begins at index %lld in %s, but at %lld in others before it", ds->path,
                         dim->name, (long long)s->lower[j], name, (long long)dim->bound[DRXI_LOW]);
    if (s->upper[j] != dim->bound[DRXI_HIGH])
        return drxi_fail(DRX_EMISMATCH, "%s: dimension '%s' has bound %lld in %s, but %lld in others before it",
                         ds->path, dim->name, (long long)s->upper[j], name, (long long)dim->bound[DRXI_HIGH]);
    return DRX_OK;
}

/* Add the array to the journal, as a member. */
static drx_status add_array(drx_dataset *ds, const char *name, const drx_array *a)
{
    const struct drxi_state *s = &a->log.state;
    struct drxi_addition add = { .ndim = is_scalar(s) ? 0 : s->desc.ndim, .name = name, .name_bytes = strlen(name) };
    drx_status st = DRX_OK;

    memcpy(add.id, s->desc.id, sizeof add.id);
    if (!drxi_is_member_name(name, strlen(name)))
        return drxi_fail(DRX_EMISMATCH, "%s: \"%s\" cannot name a variable: it is too long, or not UTF-8", ds->path,
                         name);
    if (s->stripes.n > 0)
        return drxi_fail(DRX_EUNSUPPORTED, "%s: %s has stripes: a variable has one data file", ds->path, name);
    if (drxi_journal_find_id(&ds->j, add.id) >= 0)
        return drxi_fail(DRX_EMISMATCH, "%s: %s is a copy of another array there: its creation id is the same",
                         ds->path, name);
    for (int j = 0; !st && j < add.ndim; j++) {
        const char *dim = s->dim[j];
        const int64_t d = dim ? drxi_journal_find_dim(&ds->j, dim, strlen(dim)) : -1;

        if (!dim)
            return drxi_fail(DRX_EMISMATCH, "%s: %s: axis %d has no name; drx_dim_rename gives it that of a dimension",
                             ds->path, name, j);
        add.dim[j] = (int)d;
        if (d < 0)
            st = drxi_journal_add_dim(&ds->j, dim, s->lower[j], s->upper[j], &add.dim[j]);
        else
            st = check_axis(ds, name, s, j, &ds->j.dim[d]);
    }
    return st ? st : drxi_journal_add(&ds->j, &add);
}

/* Open the arrays, add them to the journal, and lend them. */
static drx_status add_arrays(drx_dataset *ds, const struct drxi_ds_names *found, int mode)
{
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < found->n; i++) {
        char *path = drxi_ds_member_path(ds, found->name[i]);
        drx_array *a = NULL;

        st = path ? drx_open(path, mode, &a) : DRX_ENOMEM;
        drxi_free(path);
        if (!st && (st = add_array(ds, found->name[i], a)))
            (void)drxi_array_free(a);
        else if (!st)
            st = drxi_ds_take(ds, ds->j.members - 1, a, NULL);
    }
    return st;
}

drx_status drxi_ds_view_folder(drx_dataset *ds)
{
    static const uint8_t nobodys[DRXI_ID_BYTES];
    struct drxi_ds_names found = { .n = 0 };
    bool dataset = false;
    drx_status st = find_names(ds->path, &found, &dataset);

    ds->folder = true;
    if (!st && found.n == 0)
        st = drxi_fail(DRX_ENOENT, "%s: holds neither dataset.xds nor arrays", ds->path);
    if (!st)
        st = drxi_journal_begin(NULL, nobodys, &ds->j);
    if (!st)
        st = add_arrays(ds, &found, DRX_RDONLY);
    if (!st)
        st = drxi_journal_commit(&ds->j, 0, "a folder of arrays");
    drxi_ds_free_names(&found);
    return st;
}

/* Write into the log of each array that it is a member; it binds when the dataset lists the array. */
static drx_status mark_members(drx_dataset *ds)
{
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < ds->lents; i++) {
        drx_array *a = ds->lent[i]->a;

        a->log.defer = NULL;
        st = drxi_sync_files(a);
        if (!st)
            st = drxi_member_mark(a, ds->j.id, 0);
        if (!st)
            st = drxi_make_durable(&a->log, a->log.io);
        a->log.defer = &ds->lent[i]->defer;
    }
    return st;
}

/* Name the file, complete and durable, and keep others away from the folder meanwhile. */
static drx_status put_in_place(drx_dataset *ds)
{
    drxi_io *folder = NULL;
    drx_status st = drxi_files->lock_folder(ds->j.io->path, &folder);

    if (!st)
        st = ds->j.io->ops->name(ds->j.io);
    if (!st)
        st = drxi_files->sync_folder(ds->j.io->path);
    if (folder)
        (void)folder->ops->close(folder);
    return st;
}

static drx_status make(drx_dataset *ds, const struct drxi_ds_names *found, const char *message)
{
    uint8_t id[DRXI_ID_BYTES];
    drx_status st = drxi_new_id(id);

    ds->writable = true;
    if (!st)
        st = drxi_journal_begin(ds->path, id, &ds->j);
    if (!st)
        st = add_arrays(ds, found, DRX_RDWR);
    if (!st)
        st = drxi_journal_commit(&ds->j, drxi_time(), message);
    if (!st)
        st = mark_members(ds);
    return st ? st : put_in_place(ds);
}

static drx_status finish(drx_dataset *ds, drx_status st, drx_dataset **out)
{
    if (!st)
        st = drxi_ds_find_visible(ds);
    if (st) {
        drxi_ds_free(ds);
        return st;
    }
    drxi_report_clear();
    *out = ds;
    return DRX_OK;
}

drx_status drx_dataset_create(const char *path, drx_dataset **out)
{
    struct drxi_ds_names found = { .n = 0 };
    bool made = false, dataset = false;
    drx_dataset *ds;
    drx_status st = drxi_ds_new(path, out ? &ds : NULL);

    if (st)
        return st;
    *out = NULL;
    st = drxi_ds_refuse_array(path);
    if (!st) {
        st = drxi_files->make_folder(path);
        made = !st;
        if (st == DRX_EEXIST)
            st = find_names(path, &found, &dataset);
    }
    if (!st && (dataset || found.n > 0))
        st = drxi_fail(DRX_EEXIST, "%s: %s", path,
                       dataset ? "a dataset already" : "holds arrays: drx_dataset_adopt makes them a dataset");
    if (!st)
        st = make(ds, &(struct drxi_ds_names){ .n = 0 }, "created");
    if (!st && made)
        st = drxi_files->sync_folder(path);
    drxi_ds_free_names(&found);
    if (st && made) {
        char detail[DRXI_DETAIL_BYTES];

        drxi_report_keep(detail);
        drxi_journal_free(&ds->j);
        (void)drxi_files->remove_folder(path);
        drxi_report_set(detail);
    }
    return finish(ds, st, out);
}

drx_status drx_dataset_adopt(const char *path, drx_dataset **out)
{
    struct drxi_ds_names found = { .n = 0 };
    bool dataset = false;
    drx_dataset *ds;
    drx_status st = drxi_ds_new(path, out ? &ds : NULL);

    if (st)
        return st;
    *out = NULL;
    st = drxi_ds_refuse_array(path);
    if (!st)
        st = find_names(path, &found, &dataset);
    if (!st && dataset)
        st = drxi_fail(DRX_EEXIST, "%s: a dataset already", path);
    if (!st && found.n == 0)
        st = drxi_fail(DRX_ENOENT, "%s: holds no arrays", path);
    if (!st)
        st = make(ds, &found, "adopted");
    drxi_ds_free_names(&found);
    return finish(ds, st, out);
}
