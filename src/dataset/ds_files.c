/* The files of a whole dataset: renamed, copied, replaced, removed.
 *
 * Invariants
 *   1. Under each name a whole dataset is found, or none, at every instant: a folder gets its name by one rename when
 *      it is complete, and loses it by one rename before anything in it is removed. To be replaced it exchanges its
 *      name with another one, where the system can do that.
 *   2. Nothing but files of the dataset is removed. A folder that holds anything else is refused before. */
#include <stdlib.h>

#include "dataset/dataset.h"

enum { PIECE_BYTES = 1 << 20 };

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

drx_status drx_dataset_rename(const char *from, const char *to)
{
    drxi_io *held = NULL;
    drx_status st = check_paths(from, to);

    if (!st)
        st = drxi_ds_refuse_array(to);
    if (!st)
        st = hold(from, &held);
    if (!st)
        st = drxi_files->rename(from, to);
    if (!st)
        st = drxi_files->sync_folder(from);
    if (!st)
        st = drxi_files->sync_folder(to);
    drxi_close(held);
    return st;
}

/* Whether it is a file of a group. A crash may have left files of removed variables, and such as had no name yet. */
static bool is_own(const drx_dataset *ds, uint16_t group, const char *name)
{
    char stem[DRXI_STEM_BYTES + 1];
    const size_t n = drxi_ds_stem_of(name, stem);

    return (group == 0 && strcmp(name, "dataset.xds") == 0) ||
           (n > 0 && (name[n + 4] != '\0' || drxi_store_of_stem(&ds->store, group, stem)));
}

/* What a group of the dataset at `path` holds, in its folder (with a slash; empty for the root): files, and, after
 * what they hold, the folders of groups. */
static drx_status list_group(const drx_dataset *ds, const char *path, uint16_t group, const char *folder,
                             struct drxi_ds_names *out)
{
    struct drxi_ds_names found = { .n = 0 };
    char *all = drxi_format("%s/%s", path, folder);
    drx_status st = all ? drxi_ds_list_folder(all, &found) : DRX_ENOMEM;

    for (int64_t i = 0; !st && i < found.n; i++) {
        const char *const name = found.name[i];
        const struct drxi_thing *in = drxi_store_of_stem(&ds->store, group, name);
        const bool is_group = in && in->what == DRXI_A_GROUP;
        char *one = drxi_format("%s%s%s", folder, name, is_group ? "/" : "");

        if (!one)
            st = DRX_ENOMEM;
        else if (is_group)
            st = list_group(ds, path, in->number, one, out);
        else if (!is_own(ds, group, name))
            st = drxi_fail(DRX_EINVAL, "%s: holds %s%s, which is no file of the dataset: move it away first", path,
                           folder, name);
        if (st)
            drxi_free(one);
        else
            st = drxi_ds_keep_name(out, one);
    }
    drxi_ds_free_names(&found);
    drxi_free(all);
    return st;
}

/* Remove the files of a dataset, and its folders. */
static drx_status remove_all(const char *path, const struct drxi_ds_names *found)
{
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < found->n; i++) {
        const char *const name = found->name[i];
        const bool folder = name[strlen(name) - 1] == '/';

        st = drxi_ds_at(folder ? drxi_files->remove_folder : drxi_files->remove, drxi_format("%s/%s", path, name));
    }
    return st ? st : drxi_files->remove_folder(path);
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
        st = list_group(old->ds, path, 0, "", &old->files);
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
        st = hold_doomed(to, &old);
    if (!st)
        st = take_place(from, to, old.aside);
    if (!st)
        st = remove_aside(&old);
    release_doomed(&old);
    drxi_close(held);
    return st;
}

/* Copy the bytes that a file stores, up to an offset, and make them durable under the new name. Holes stay. */
static drx_status copy_bytes(drxi_io *from, drxi_io *to, int64_t length)
{
    uint8_t *piece = drxi_malloc(PIECE_BYTES);
    struct drxi_stored stored;
    int64_t at, n;
    drx_status st = piece ? to->ops->resize(to, length) : DRX_ENOMEM;

    drxi_stored_start(&stored, from, length, false);
    while (!st && !(st = drxi_stored_next(&stored, PIECE_BYTES, &at, &n)) && n > 0) {
        size_t got = 0;

        st = from->ops->read(from, piece, (size_t)n, at, &got);
        if (!st && (int64_t)got < n)
            st = drxi_fail(DRX_EIO, "%s: is shorter than it was", from->path);
        if (!st)
            st = to->ops->write(to, piece, got, at);
    }
    drxi_free(piece);
    return st ? st : to->ops->sync(to);
}

/* `length` < 0: all of it. A file that is not there is none to copy. */
static drx_status copy_file(const drx_dataset *ds, const char *name, const char *folder, int64_t length)
{
    char *from = drxi_format("%s/%s", ds->path, name), *to = drxi_format("%s/%s", folder, name);
    drxi_io *in = NULL, *out = NULL;
    drx_status st = from && to ? drxi_files->open(from, DRXI_READ, &in) : DRX_ENOMEM;
    const bool none = st == DRX_ENOENT && length < 0;

    if (!st)
        st = drxi_files->open(to, DRXI_NEW, &out);
    if (!st && length < 0)
        st = in->ops->size(in, &length);
    if (!st)
        st = copy_bytes(in, out, length);
    if (!st)
        st = out->ops->name(out);
    drxi_close(out);
    drxi_close(in);
    drxi_free(from);
    drxi_free(to);
    return none ? DRX_OK : st;
}

/* The array opens, so all its files are there. */
static drx_status copy_variable(drx_dataset *ds, uint16_t number, const char *folder)
{
    static const char *const endings[] = { ".xcs", ".xct", ".xta", ".xtz" };
    struct drxi_lent *lent;
    drx_status st = drxi_ds_lend(ds, number, &lent);
    char *stem = drxi_ds_path_of(&ds->store, &drxi_store_variable(&ds->store, number)->thing, drxi_thing_stem);

    for (size_t k = 0; !st && k < sizeof endings / sizeof *endings; k++) {
        char *name = stem ? drxi_format("%s%s", stem, endings[k]) : NULL;

        st = name ? copy_file(ds, name, folder, -1) : DRX_ENOMEM;
        drxi_free(name);
    }
    drxi_free(stem);
    return st;
}

/* Make the folders of groups, or make them durable when they are full. */
static drx_status each_folder(const drx_dataset *ds, const char *folder, drx_status (*call)(const char *path),
                              const char *end)
{
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < ds->groups.n; i++) {
        const struct drxi_group *g = drxi_store_group(&ds->store, ds->groups.number[i]);

        st = drxi_ds_at(call, drxi_ds_path_below(ds, folder, &g->thing, end));
    }
    return st;
}

/* Nobody keeps writers away from a server. */
static drx_status check_unchanged(const drx_dataset *ds)
{
    bool more = false;
    drx_status st = drxi_state_renew(ds->io, NULL);

    if (!st && ds->io->pinned)
        st = drxi_chain_continues(ds->io, &ds->store.counts, &more);
    return st || !more ? st : drxi_fail(DRX_EBUSY, "%s: changed while it was copied: copy it again", ds->path);
}

static drx_status copy_all(drx_dataset *ds, const char *folder)
{
    drx_status st = drxi_files->make_folder(folder);

    if (!st)
        st = each_folder(ds, folder, drxi_files->make_folder, "");
    for (int64_t i = 0; !st && i < ds->variables.n; i++)
        st = copy_variable(ds, ds->variables.number[i], folder);
    if (!st)
        st = check_unchanged(ds);
    if (!st)
        st = copy_file(ds, "dataset.xds", folder, ds->store.counts.end);
    if (!st)
        st = each_folder(ds, folder, drxi_files->sync_folder, "/");
    return st ? st : drxi_ds_at(drxi_files->sync_folder, drxi_format("%s/dataset.xds", folder));
}

/* Remove what was copied; keep the detail. */
static void drop_copy(const drx_dataset *ds, const char *folder)
{
    struct drxi_ds_names found = { .n = 0 };
    char detail[DRXI_DETAIL_BYTES];

    drxi_report_keep(detail);
    if (list_group(ds, folder, 0, "", &found) == DRX_OK)
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
        drop_copy(ds, folder);
    if (ds)
        drxi_ds_free(ds);
    drxi_close(held);
    drxi_free(folder);
    return st;
}
