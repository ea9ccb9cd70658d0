/* The arrays that a dataset lends. */
#include "dataset/dataset.h"

/* What a lent array would append to its log. The dataset itself appends growths. */
static drx_status take_record(void *user, const struct drxi_record *record)
{
    struct drxi_lent *lent = user;
    drx_status st = drxi_ds_check_writable(lent->ds);

    if (st || record->kind == DRXI_GROW)
        return st;
    if ((st = drxi_ds_check_changeable(lent->ds)))
        return st;
    if (record->kind != DRXI_ATTR && record->kind != DRXI_ATTR_DELETE)
        return drxi_fail(DRX_EINVAL, "%s: a variable of a dataset: this cannot change", lent->a->parts.label);
    st = drxi_ds_append_attribute(lent->ds, DRXI_A_VARIABLE, lent->variable, record);
    lent->changed = lent->changed || !st;
    return st;
}

struct drxi_lending drxi_ds_lending(drx_dataset *ds, uint16_t variable)
{
    return (struct drxi_lending){ .io = ds->io,
                                  .name = ds->log_path,
                                  .store = &ds->store,
                                  .variable = variable,
                                  .writable = ds->writable,
                                  .shared = ds->shared,
                                  .replica = ds->replica,
                                  .words = ds->live ? &ds->words : NULL,
                                  .most = ds->damaged ? ds->whole->end.end : INT64_MAX };
}

static drx_status make_lent_room(drx_dataset *ds, uint16_t variable)
{
    const int64_t of = ds->lent_of_room;
    drx_status st = drxi_reserve(&ds->lent, &ds->lent_room, ds->lents + 1, sizeof(struct drxi_lent *));

    if (!st)
        st = drxi_reserve(&ds->busy, &ds->busy_room, ds->lents + 1, sizeof(struct drxi_lent *));
    if (!st)
        st = drxi_reserve(&ds->lent_of, &ds->lent_of_room, variable + 1, sizeof(struct drxi_lent *));
    if (!st && ds->lent_of_room > of)
        memset(ds->lent_of + of, 0, (size_t)(ds->lent_of_room - of) * sizeof(struct drxi_lent *));
    return st;
}

drx_status drxi_ds_take(drx_dataset *ds, uint16_t variable, drx_array *a, struct drxi_lent **out)
{
    struct drxi_lent *lent = drxi_calloc(1, sizeof *lent);
    drx_status st = lent ? make_lent_room(ds, variable) : DRX_ENOMEM;

    if (st) {
        drxi_free(lent);
        (void)drxi_array_free(a);
        return st;
    }
    *lent = (struct drxi_lent){ .ds = ds, .a = a, .variable = variable, .defer = { take_record, lent } };
    lent->changed = ds->writable && ds->open.n > 0; /* it has names and attributes that an abort takes back */
    a->dataset = ds;
    if (ds->writable)
        a->log.defer = &lent->defer;
    ds->lent[ds->lents++] = ds->lent_of[variable] = lent;
    if (out)
        *out = lent;
    return DRX_OK;
}

struct drxi_lent *drxi_ds_lent_of(const drx_dataset *ds, uint16_t variable)
{
    struct drxi_lent *lent = variable < ds->lent_of_room ? ds->lent_of[variable] : NULL;

    return lent && !lent->gone ? lent : NULL;
}

static drx_status fail_removed(const drx_dataset *ds, const char *path)
{
    return drxi_fail(DRX_ENOENT, "%s: a later commit than %lld has removed it", path, (long long)drx_dataset_shown(ds));
}

/* Whether the variable was removed, as the store knows. A compacted log does not tell of it any more. */
static bool is_removed(const struct drxi_store *s, uint16_t variable)
{
    const struct drxi_variable *v = drxi_store_variable(s, variable);

    return v ? v->thing.removed : s->base.is;
}

/* A reader has opened files late, with that status. They are those of its dataset, if that has its name still,
 * perhaps with another log; where one is not there, a later commit may have removed the variable. */
static drx_status check_late(const drx_dataset *ds, uint16_t variable, const char *path, drx_status st)
{
    bool named = !st, removed = false;
    char detail[DRXI_DETAIL_BYTES];
    struct drxi_ds_log now;
    drx_status look = DRX_OK;

    drxi_report_keep(detail);
    if (!st && !ds->writable && !ds->replica)
        look = ds->io->ops->named(ds->io, &named);
    if (look || named)
        return look;
    if (!(look = drxi_ds_log_now(ds, &now))) {
        removed = is_removed(&now.store, variable);
        drxi_ds_free_log(&now);
    }
    if (removed)
        return fail_removed(ds, path);
    if (st)
        drxi_report_set(detail);
    else if (look == DRX_ENOENT)
        look = drxi_fail(DRX_EMISMATCH, "%s: renamed or removed since it was opened: open it again", ds->io->path);
    return st ? st : look;
}

drx_status drxi_ds_lend(drx_dataset *ds, uint16_t variable, struct drxi_lent **out)
{
    const struct drxi_lending l = drxi_ds_lending(ds, variable);
    drx_array *a = NULL;
    char *path;
    drx_status st;

    if ((*out = drxi_ds_lent_of(ds, variable)))
        return DRX_OK;
    path = drxi_ds_stem_path(ds, drxi_store_variable(&ds->store, variable));
    if (path && is_removed(ds->whole, variable)) { /* its files may still be there */
        st = fail_removed(ds, path);
    } else {
        st = path ? drxi_lent_open(path, &l, &a) : DRX_ENOMEM;
        if (!st || st == DRX_ENOENT)
            st = check_late(ds, variable, path, st);
    }
    drxi_free(path);
    if (st && a)
        (void)drxi_array_free(a);
    return st ? st : drxi_ds_take(ds, variable, a, out);
}

drx_status drxi_ds_lend_with(drx_dataset *ds, uint16_t dimension, drx_status (*call)(drx_array *a))
{
    drx_status st = DRX_OK;

    for (int i = 1; !st && i <= ds->store.variable.largest; i++) {
        const struct drxi_variable *v = drxi_store_variable(&ds->store, (uint16_t)i);
        struct drxi_lent *lent;

        if (!v || v->thing.removed || !drxi_ds_has(v, dimension))
            continue;
        st = drxi_ds_lend(ds, v->thing.number, &lent);
        if (!st && call)
            st = call(lent->a);
    }
    return st;
}

void drxi_ds_lose(struct drxi_lent *lent)
{
    drxi_finish_requests(lent->a);
    lent->gone = lent->a->parts.gone = true;
    lent->a->log.broken = DRX_ENOENT;
}

bool drxi_ds_has(const struct drxi_variable *v, uint16_t dimension)
{
    for (int axis = 0; axis < v->ndim; axis++)
        if (v->dim[axis] == dimension)
            return true;
    return false;
}
