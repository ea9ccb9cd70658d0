/* Making, checking and freeing the handle of a dataset. */
#include "dataset/dataset.h"
#include "drx_tools.h"

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
    ds->path = without_slashes(path);
    if (!ds->path) {
        drxi_free(ds);
        return DRX_ENOMEM;
    }
    *out = ds;
    return DRX_OK;
}

static void free_lent(drx_dataset *ds)
{
    for (int64_t i = 0; i < ds->lents; i++) {
        (void)drxi_array_free(ds->lent[i]->a);
        drxi_free(ds->lent[i]);
    }
    drxi_free(ds->lent);
    ds->lent = NULL;
    ds->lents = 0;
}

void drxi_ds_free(drx_dataset *ds)
{
    free_lent(ds);
    drxi_journal_free(&ds->j);
    drxi_free(ds->member);
    drxi_free(ds->path);
    drxi_free(ds);
}

char *drxi_ds_member_path(const drx_dataset *ds, const char *name)
{
    return drxi_format("%s/%s", ds->path, name);
}

drx_status drxi_ds_find_visible(drx_dataset *ds)
{
    drx_status st = drxi_reserve(&ds->member, &ds->visible_room, ds->j.members + 1, sizeof *ds->member);

    if (st)
        return st;
    ds->visible = 0;
    for (int64_t i = 0; i < ds->j.members; i++)
        if (drxi_journal_has(&ds->j, i, drxi_ds_now(ds)))
            ds->member[ds->visible++] = i;
    return DRX_OK;
}

drx_status drxi_ds_fail_axes(const drx_dataset *ds)
{
    return drxi_fail(DRX_EINVAL, "%s: this transaction adds axes: commit it before anything else changes", ds->path);
}

drx_status drxi_ds_check_writable(const drx_dataset *ds)
{
    if (!ds)
        return drxi_no_dataset();
    if (!ds->writable)
        return drxi_fail(DRX_EACCES, "%s: opened read-only", ds->path);
    if (ds->j.broken)
        return drxi_fail(ds->j.broken, "%s: an earlier failure (%s) could not be undone: close it and open it again",
                         ds->path, drx_strerror(ds->j.broken));
    return DRX_OK;
}

/* Does the array at `path` have that creation id? *there is false when there is none. A crash may leave a new array
 * without a description. */
static drx_status has_id(const char *path, const uint8_t id[], bool new, bool *there, bool *same)
{
    char *name = drxi_format("%s.xmd", path);
    struct drxi_log log = { .io = NULL };
    drx_status st = name ? drxi_files->open(name, DRXI_READ, &log.io) : DRX_ENOMEM;

    *there = st != DRX_ENOENT;
    *same = false;
    if (st == DRX_ENOENT)
        st = DRX_OK;
    else if (!st && !(st = drxi_log_describe(&log)))
        *same = memcmp(log.state.desc.id, id, DRXI_ID_BYTES) == 0;
    else if (new && (st == DRX_EFORMAT || st == DRX_EDAMAGED || st == DRX_EUNSUPPORTED)) {
        *same = true;
        st = DRX_OK;
    }
    drxi_state_free(&log.state);
    if (log.io)
        (void)log.io->ops->close(log.io);
    drxi_free(name);
    return st;
}

static drx_status remove_files(const drx_dataset *ds, int64_t member)
{
    char *path = drxi_ds_member_path(ds, ds->j.member[member].name);
    struct drxi_names n = { .meta = NULL };
    bool there, same;
    const bool new = ds->j.member[member].added == ds->j.commits;
    drx_status st = path ? has_id(path, ds->j.member[member].id, new, &there, &same) : DRX_ENOMEM;

    if (!st && (same || !there)) { /* a removal that was cut short leaves the elements */
        st = drxi_names_make(path, &n);
        if (!st)
            st = drxi_remove_files(&n);
        if (st == DRX_ENOENT)
            st = DRX_OK;
        drxi_names_free(&n);
    }
    drxi_free(path);
    return st;
}

drx_status drxi_ds_remove_files(const drx_dataset *ds, int64_t member)
{
    return ds->replica ? DRX_OK : remove_files(ds, member);
}

drx_status drxi_ds_refuse_array(const char *path)
{
    int array, dataset;
    const drx_status st = drx_look(path, &array, &dataset);

    return st || !array ? st
                        : drxi_fail(DRX_EEXIST, "%s: an array has that name: give another, or rename the array", path);
}

static void see(void *user, const char *name)
{
    struct drxi_ds_names *found = user;

    if (found->st || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return;
    found->st = drxi_reserve(&found->name, &found->room, found->n + 1, sizeof(char *));
    if (found->st)
        return;
    found->name[found->n] = drxi_strdup(name);
    found->st = found->name[found->n] ? DRX_OK : DRX_ENOMEM;
    found->n += !found->st;
}

drx_status drxi_ds_list(const char *folder, struct drxi_ds_names *found)
{
    const drx_status st = drxi_files->list(folder, see, found);

    return st ? st : found->st;
}

void drxi_ds_free_names(struct drxi_ds_names *found)
{
    for (int64_t i = 0; i < found->n; i++)
        drxi_free(found->name[i]);
    drxi_free(found->name);
}
