/* Giving back what a transaction has left that was cut short, and what removals have left (spec/drx-format.md, 5.4). */
#include "dataset/dataset.h"

/* Files that begin with a path, which is freed. */
static drx_status remove_stem(char *path)
{
    struct drxi_names n = { .meta = NULL };
    drx_status st = path ? drxi_names_make(path, &n) : DRX_ENOMEM;

    for (int i = DRXI_BODIES - 1; !st && i >= 0; i--) {
        st = drxi_files->remove(n.body[i]);
        if (st == DRX_ENOENT)
            st = DRX_OK;
    }
    drxi_names_free(&n);
    drxi_free(path);
    return st;
}

drx_status drxi_ds_remove_files(const drx_dataset *ds, const struct drxi_variable *v)
{
    return ds->replica ? DRX_OK : remove_stem(drxi_ds_stem_path(ds, v));
}

drx_status drxi_ds_remove_gone(const drx_dataset *ds, uint64_t since)
{
    drx_status st = DRX_OK;

    for (int i = 1; !st && i <= ds->store.variable.largest; i++) {
        const struct drxi_variable *v = drxi_store_variable(&ds->store, (uint16_t)i);

        if (v && v->thing.removed && v->thing.gone > since)
            st = drxi_ds_remove_files(ds, v);
    }
    if (!st)
        drxi_ds_remove_folders(ds, since);
    return st;
}

drx_status drxi_ds_finish_removals(drx_dataset *ds)
{
    const drx_status st = ds->store.ends_with_sync ? DRX_OK : ds->io->ops->sync(ds->io);

    return st ? drxi_ds_break(ds, st) : drxi_ds_remove_gone(ds, 0);
}

/* ---- an open transaction ---- */

/* A group that it has made. */
struct made {
    uint16_t number;
    char *folder;
};

struct giving {
    drx_dataset *ds;
    drx_status st;
    bool unknown;
    int64_t n, room;
    struct made *made;
};

/* The path of that stem in a group; NULL: nothing tells of the group. */
static drx_status in_group(const struct giving *g, uint16_t group, const char *stem, char **out)
{
    char *own = drxi_store_group(&g->ds->store, group) ? drxi_ds_folder(g->ds, group) : NULL;
    const char *folder = own;

    for (int64_t i = g->n - 1; !folder && i >= 0; i--)
        folder = g->made[i].number == group ? g->made[i].folder : NULL;
    *out = folder ? drxi_format("%s/%s", folder, stem) : NULL;
    drxi_free(own);
    return *out || (!folder && !drxi_store_group(&g->ds->store, group)) ? DRX_OK : DRX_ENOMEM;
}

/* Where a VARIABLE or GROUP says that its files are, by its last text. NULL: nowhere, or where what counts has its
 * own. */
static drx_status record_path(const struct giving *g, const struct drxi_log_record *r, char **out)
{
    struct drxi_fields f = drxi_fields_of(r);
    const uint16_t group = drxi_field16(&f);
    char stem[DRXI_STEM_BYTES + 1];
    struct drxi_text text;
    int n;

    *out = NULL;
    if (r->kind == DRXI_LOG_VARIABLE) {
        n = drxi_field8(&f);
        (void)drxi_field_bytes(&f, 21);
        n = n == DRXI_NULL ? 0 : n;
        (void)drxi_field_bytes(&f, 2 * (uint64_t)n);
        drxi_field_pad(&f);
        (void)drxi_field_bytes(&f, 8 * (uint64_t)n);
        (void)drxi_field_bytes(&f, drxi_field32(&f));
        drxi_field_pad(&f);
    }
    (void)drxi_field_text(&f);
    text = drxi_field_text(&f);
    if (f.too_short || !drxi_is_path_name(text, DRXI_STEM_BYTES))
        return DRX_OK;
    memcpy(stem, text.p, text.n);
    stem[text.n] = '\0';
    return drxi_store_of_stem(&g->ds->store, group, stem) ? DRX_OK : in_group(g, group, stem, out);
}

static void judge_record(void *user, const struct drxi_log_record *r)
{
    struct giving *g = user;

    g->unknown = g->unknown || r->flags & ~DRXI_C || (r->kind >= DRXI_LOG_KINDS && r->kind < DRXI_LOG_OPTIONAL);
}

static void give_chunks(void *user, const struct drxi_log_record *r)
{
    struct giving *g = user;
    char *path = NULL;

    if (!g->st && r->kind == DRXI_LOG_GROW && g->ds->shared) /* it was to grow these */
        g->st = drxi_ds_lend_with(g->ds, r->number, drxi_lent_restore);
    if (!g->st && (r->kind == DRXI_LOG_VARIABLE || r->kind == DRXI_LOG_GROUP))
        g->st = record_path(g, r, &path);
    if (path && r->kind == DRXI_LOG_VARIABLE) {
        g->st = remove_stem(path);
    } else if (path) {
        g->st = drxi_reserve(&g->made, &g->room, g->n + 1, sizeof *g->made);
        if (g->st)
            drxi_free(path);
        else
            g->made[g->n++] = (struct made){ r->number, path };
    }
}

/* The folders that it has made, unless they hold anything else; those in others were made later. */
static void give_folders(struct giving *g)
{
    for (int64_t i = g->n - 1; i >= 0; i--) {
        if (!g->st)
            drxi_ds_remove_folder(g->made[i].folder);
        drxi_free(g->made[i].folder);
    }
    drxi_free(g->made);
}

drx_status drxi_ds_give_back(drx_dataset *ds)
{
    struct giving g = { .ds = ds };
    int64_t size = 0;
    drx_status st = ds->io->ops->size(ds->io, &size);

    if (st || size <= ds->store.counts.end)
        return st;
    st = drxi_store_look_behind(&ds->store, ds->io, judge_record, &g);
    if (!st && g.unknown)
        return drxi_fail(DRX_EUNSUPPORTED,
                         "%s: a later version of the library left an unfinished transaction here: only that "
                         "version can take it back",
                         ds->io->path);
    if (!st)
        st = drxi_store_look_behind(&ds->store, ds->io, give_chunks, &g);
    st = st ? st : g.st;
    give_folders(&g);
    if (!st) /* before the log forgets which files they were */
        st = drxi_ds_sync_folders(ds);
    return st ? st : drxi_ds_cut(ds);
}
