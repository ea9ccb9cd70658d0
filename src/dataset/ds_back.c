/* Giving back what a transaction has left that was cut short, and what removals have left (spec/drx-format.md, 5.4). */
#include "dataset/dataset.h"

/* Files that begin with a path, which is freed. */
static drx_status remove_stem(char *path)
{
    struct drxi_names n = { .meta = NULL };
    drx_status st = path ? drxi_names_make(path, &n) : DRX_ENOMEM;
    const char *const files[] = { n.checksums, n.data, n.table, n.payloads };

    for (size_t i = 0; !st && i < sizeof files / sizeof *files; i++) {
        st = drxi_files->remove(files[i]);
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

drx_status drxi_ds_remove_gone(drx_dataset *ds)
{
    drx_status st = DRX_OK;

    for (int i = 1; !st && i <= ds->store.variable.largest; i++) {
        const struct drxi_variable *v = drxi_store_variable(&ds->store, (uint16_t)i);

        if (v && v->thing.removed)
            st = drxi_ds_remove_files(ds, v);
    }
    return st;
}

/* ---- an open transaction ---- */

struct giving {
    drx_dataset *ds;
    drx_status st;
    bool unknown;
};

/* The stem that a VARIABLE names: its last text. */
static bool stem_of(const struct drxi_log_record *r, char stem[DRXI_STEM_BYTES + 1])
{
    struct drxi_fields f = drxi_fields_of(r);
    struct drxi_text text;
    int n;

    (void)drxi_field16(&f);
    n = drxi_field8(&f);
    (void)drxi_field_bytes(&f, 21);
    n = n == DRXI_NULL ? 0 : n;
    (void)drxi_field_bytes(&f, 2 * (uint64_t)n);
    drxi_field_pad(&f);
    (void)drxi_field_bytes(&f, 8 * (uint64_t)n);
    (void)drxi_field_bytes(&f, drxi_field32(&f));
    drxi_field_pad(&f);
    (void)drxi_field_text(&f);
    text = drxi_field_text(&f);
    if (f.too_short || !drxi_is_path_name(text, DRXI_STEM_BYTES))
        return false;
    memcpy(stem, text.p, text.n);
    stem[text.n] = '\0';
    return true;
}

/* Groups are of a later version of the library. */
static void judge(void *user, const struct drxi_log_record *r)
{
    struct giving *g = user;
    struct drxi_fields f = drxi_fields_of(r);

    g->unknown = g->unknown || r->flags & ~DRXI_C || (r->kind >= DRXI_LOG_KINDS && r->kind < DRXI_LOG_OPTIONAL) ||
                 r->kind == DRXI_LOG_GROUP || (r->kind == DRXI_LOG_VARIABLE && drxi_field16(&f) != 0);
}

/* The arrays that a growth was to grow. */
static void mend(struct giving *g, uint16_t dimension)
{
    for (int i = 1; !g->st && i <= g->ds->store.variable.largest; i++) {
        const struct drxi_variable *v = drxi_store_variable(&g->ds->store, (uint16_t)i);
        struct drxi_lent *lent;

        if (!v || v->thing.removed || !drxi_ds_has(v, dimension))
            continue;
        g->st = drxi_ds_lend(g->ds, v->thing.number, &lent);
        if (!g->st)
            g->st = drxi_lent_restore(lent->a);
    }
}

static void give(void *user, const struct drxi_log_record *r)
{
    struct giving *g = user;
    char stem[DRXI_STEM_BYTES + 1];

    if (!g->st && r->kind == DRXI_LOG_GROW && g->ds->shared)
        mend(g, r->number);
    if (g->st || r->kind != DRXI_LOG_VARIABLE || !stem_of(r, stem))
        return;
    if (!drxi_store_has_stem(&g->ds->store, 0, stem))
        g->st = remove_stem(drxi_format("%s/%s", g->ds->path, stem));
}

drx_status drxi_ds_give_back(drx_dataset *ds)
{
    struct giving g = { .ds = ds };
    int64_t size = 0;
    drx_status st = ds->io->ops->size(ds->io, &size);

    if (st || size <= ds->counts.end)
        return st;
    st = drxi_store_look_behind(&ds->store, ds->io, judge, &g);
    if (!st && g.unknown)
        return drxi_fail(DRX_EUNSUPPORTED,
                         "%s: a later version of the library left an unfinished transaction here: only that "
                         "version can take it back",
                         ds->io->path);
    if (!st)
        st = drxi_store_look_behind(&ds->store, ds->io, give, &g);
    st = st ? st : g.st;
    if (!st) /* before the log forgets which files they were */
        st = drxi_files->sync_folder(ds->io->path);
    return st ? st : drxi_ds_cut(ds);
}
