/* The files of a whole dataset: renamed, copied, replaced, removed.
 *
 * Invariants
 *   1. Under each name a whole dataset is found, or none, at every instant: a folder gets its name by one rename when it is
 *      complete, and loses it by one rename before anything in it is removed. To be replaced it exchanges its name with
 *      another one, where the system can do that.
 *   2. Nothing but files of the dataset is removed. A folder that holds anything else is refused before. */
#include <stdlib.h>

#include "dataset/dataset.h"
#include "drx_tools.h"

/* The file dataset.xds, locked against writers. */
static drx_status hold(const char *path, drxi_io **out)
{
    char *name = drxi_format("%s/dataset.xds", path);
    drx_status st = name ? drxi_hold_meta(name, out) : DRX_ENOMEM;

    drxi_free(name);
    return st;
}

static drx_status check_paths(const char *from, const char *to)
{
    drx_status st = drxi_check_path(from);

    drxi_report_clear();
    return st ? st : drxi_check_path(to);
}

static void release(drxi_io *io)
{
    if (io)
        (void)io->ops->close(io);
}

/* A name beside `path` that nobody has: ".NAME.WORD-ID". */
static char *name_beside(const char *path, const char *word)
{
    const char *slash = strrchr(path, '/');
    const int folder = slash ? (int)(slash + 1 - path) : 0;
    uint8_t id[DRXI_ID_BYTES];
    uint64_t number;

    if (drxi_new_id(id))
        return NULL;
    number = drxi_get64(id) ^ drxi_get64(id + 8);
    return drxi_format("%.*s.%s.%s-%016llx", folder, path, path + folder, word, (unsigned long long)number);
}

/* No file of metadata in the folder is locked by a writer, also of a dataset that cannot be read. */
static drx_status check_unlocked(const char *path)
{
    struct drxi_ds_names found = { .n = 0 };
    drx_status st = drxi_ds_list(path, &found);

    for (int64_t i = 0; !st && i < found.n; i++) {
        const size_t n = strlen(found.name[i]);
        drxi_io *io = NULL;
        char *name;

        if (n < 4 || strcmp(found.name[i] + n - 4, ".xmd") != 0)
            continue;
        name = drxi_format("%s/%s", path, found.name[i]);
        st = name ? drxi_hold_meta(name, &io) : DRX_ENOMEM;
        drxi_free(name);
        release(io);
        if (st != DRX_EBUSY && st != DRX_ENOMEM)
            st = DRX_OK;
    }
    drxi_ds_free_names(&found);
    if (!st)
        drxi_report_clear();
    return st;
}

drx_status drx_dataset_rename(const char *from, const char *to)
{
    drxi_io *held = NULL;
    drx_status st = check_paths(from, to);

    if (!st)
        st = drxi_ds_refuse_array(to);
    if (!st)
        st = hold(from, &held);
    if (!st)
        st = check_unlocked(from);
    if (!st)
        st = drxi_files->rename(from, to);
    if (!st)
        st = drxi_files->sync_folder(from);
    if (!st)
        st = drxi_files->sync_folder(to);
    release(held);
    return st;
}

/* Is it a file of an array that any commit has, or dataset.xds? A crash may have left files of removed members. */
static bool is_own(const drx_dataset *ds, const char *name)
{
    static const char *const suffixes[] = { ".xmd", ".xta", ".xcs", ".xtz", ".xct" };

    if (strcmp(name, "dataset.xds") == 0)
        return true;
    for (int64_t i = 0; i < ds->j.members; i++) {
        const size_t n = strlen(ds->j.member[i].name);

        for (int k = 0; k < (int)(sizeof suffixes / sizeof *suffixes); k++)
            if (strncmp(name, ds->j.member[i].name, n) == 0 && strcmp(name + n, suffixes[k]) == 0)
                return true;
    }
    return false;
}

static drx_status check_own(const drx_dataset *ds, const struct drxi_ds_names *found)
{
    for (int64_t i = 0; i < found->n; i++)
        if (!is_own(ds, found->name[i]))
            return drxi_fail(DRX_EINVAL, "%s: holds %s, which is no file of the dataset: move it away first", ds->path,
                             found->name[i]);
    return DRX_OK;
}

/* Remove the files of a folder, and the folder. */
static drx_status remove_all(const char *path, const struct drxi_ds_names *found)
{
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < found->n; i++) {
        char *name = drxi_format("%s/%s", path, found->name[i]);

        st = name ? drxi_files->remove(name) : DRX_ENOMEM;
        drxi_free(name);
    }
    return st ? st : drxi_files->remove_folder(path);
}

/* Nobody has a member open for writing. */
static drx_status check_idle(drx_dataset *ds)
{
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < ds->visible; i++) {
        struct drxi_lent *lent;

        st = drxi_ds_lend(ds, ds->member[i], &lent);
        if (st == DRX_ENOENT) /* what is missing cannot be open */
            st = DRX_OK;
    }
    return st;
}

/* A dataset that is going to be removed: nobody else writes to it, and its folder holds nothing else. */
struct doomed {
    drx_dataset *ds;
    struct drxi_ds_names files;
    char *aside; /* the name under which it is removed */
};

static void release_doomed(struct doomed *old)
{
    if (old->ds)
        drxi_ds_free(old->ds);
    drxi_ds_free_names(&old->files);
    drxi_free(old->aside);
}

static drx_status hold_doomed(const char *path, struct doomed *old)
{
    drx_status st = drx_dataset_open(path, DRX_RDWR, DRX_LAST, &old->ds);

    if (!st)
        st = check_idle(old->ds);
    if (!st)
        st = drxi_ds_list(path, &old->files);
    if (!st)
        st = check_own(old->ds, &old->files);
    if (!st && !(old->aside = name_beside(old->ds->path, "removed")))
        st = DRX_ENOMEM;
    return st;
}

static drx_status remove_aside(const struct doomed *old)
{
    drx_status st = drxi_files->sync_folder(old->aside);

    if (!st)
        st = remove_all(old->aside, &old->files);
    return st ? st : drxi_files->sync_folder(old->aside);
}

drx_status drx_dataset_delete(const char *path)
{
    struct doomed old = { .ds = NULL };
    drx_status st = hold_doomed(path, &old);

    if (!st)
        st = drxi_files->rename(path, old.aside);
    if (!st)
        st = remove_aside(&old);
    release_doomed(&old);
    return st;
}

/* Give `from` the name `to`, and what had that name the name `aside`. */
static drx_status take_place(const char *from, const char *to, const char *aside)
{
    bool can = false;
    drx_status st = drxi_files->exchange(from, to, &can);

    if (!st)
        st = drxi_files->rename(can ? from : to, aside);
    if (!st && !can && (st = drxi_files->rename(from, to)))
        (void)drxi_files->rename(aside, to);
    if (!st)
        st = drxi_files->sync_folder(from);
    return st;
}

drx_status drx_dataset_replace(const char *from, const char *to)
{
    struct doomed old = { .ds = NULL };
    drxi_io *held = NULL;
    drx_status st = check_paths(from, to);

    if (!st)
        st = hold(from, &held);
    if (!st)
        st = check_unlocked(from);
    if (!st)
        st = hold_doomed(to, &old);
    if (!st)
        st = take_place(from, to, old.aside);
    if (!st)
        st = remove_aside(&old);
    release_doomed(&old);
    release(held);
    return st;
}

/* Copy dataset.xds up to its last commit. */
static drx_status copy_journal(const struct drxi_journal *j, const char *folder)
{
    char *name = drxi_format("%s/dataset.xds", folder);
    uint8_t *bytes = drxi_malloc((size_t)j->committed.end);
    drxi_io *to = NULL;
    size_t got = 0;
    drx_status st = name && bytes ? j->io->ops->read(j->io, bytes, (size_t)j->committed.end, 0, &got) : DRX_ENOMEM;

    if (!st && (int64_t)got < j->committed.end)
        st = drxi_fail(DRX_EIO, "%s: is shorter than it was", j->io->path);
    if (!st)
        st = drxi_files->open(name, DRXI_NEW, &to);
    if (!st)
        st = to->ops->write(to, bytes, got, 0);
    if (!st)
        st = to->ops->sync(to);
    if (!st)
        st = to->ops->name(to);
    if (!st)
        st = drxi_files->sync_folder(name);
    release(to);
    drxi_free(name);
    drxi_free(bytes);
    return st;
}

/* The member's own log must have what the dataset says: a copy of an array copies its log. */
static drx_status copy_member(drx_dataset *ds, int64_t member, const char *folder)
{
    const struct drxi_journal_member *m = &ds->j.member[member];
    char *from = drxi_ds_member_path(ds, m->name), *to = drxi_format("%s/%s", folder, m->name);
    drx_array *a = NULL;
    drx_status st = from && to ? drx_open(from, DRX_RDONLY, &a) : DRX_ENOMEM;

    for (int axis = 0; !st && axis < m->ndim; axis++)
        if (drx_lower(a)[axis] != ds->j.dim[m->dim[axis]].bound[DRXI_LOW] ||
            drx_lower(a)[axis] + drx_shape(a)[axis] != ds->j.dim[m->dim[axis]].bound[DRXI_HIGH])
            st =
                drxi_fail(DRX_EBUSY,
                          "%s: its log lags behind the dataset: open the dataset for writing once, and close it", from);
    (void)drx_close(a);
    if (!st)
        st = drx_duplicate(from, to, 0, NULL, NULL);
    drxi_free(from);
    drxi_free(to);
    return st;
}

/* Let the members' own logs catch up, where that is permitted. */
static drx_status settle_all(const char *path)
{
    drx_dataset *ds;
    drx_status st = drx_dataset_open(path, DRX_RDWR, DRX_LAST, &ds);

    if (st)
        return st == DRX_EACCES ? DRX_OK : st;
    st = check_idle(ds);
    drxi_ds_free(ds);
    return st;
}

static drx_status copy_all(drx_dataset *ds, const char *folder)
{
    drx_status st = drxi_files->make_folder(folder);

    for (int64_t i = 0; !st && i < ds->visible; i++)
        st = copy_member(ds, ds->member[i], folder);
    return st ? st : copy_journal(&ds->j, folder);
}

/* Remove what was copied; keep the detail. */
static void drop_copy(const char *folder)
{
    struct drxi_ds_names found = { .n = 0 };
    char detail[DRXI_DETAIL_BYTES];

    drxi_report_keep(detail);
    if (drxi_ds_list(folder, &found) == DRX_OK)
        (void)remove_all(folder, &found);
    drxi_ds_free_names(&found);
    drxi_report_set(detail);
}

drx_status drx_dataset_duplicate(const char *from, const char *to)
{
    char *folder = NULL;
    drx_dataset *ds = NULL;
    drxi_io *held = NULL;
    drx_status st = check_paths(from, to);

    if (!st)
        st = drxi_ds_refuse_array(to);
    if (!st && !drx_is_url(from)) /* a server is not asked to keep writers away: copy_member compares */
        st = settle_all(from);
    if (!st && !drx_is_url(from))
        st = hold(from, &held);
    if (!st)
        st = drx_dataset_open(from, DRX_RDONLY, DRX_LAST, &ds);
    if (!st && !(folder = name_beside(to, "copy")))
        st = DRX_ENOMEM;
    if (!st)
        st = copy_all(ds, folder);
    if (!st)
        st = drxi_files->rename(folder, to);
    if (!st)
        st = drxi_files->sync_folder(to);
    else if (folder)
        drop_copy(folder);
    if (ds)
        drxi_ds_free(ds);
    release(held);
    drxi_free(folder);
    return st;
}
