/* What a transaction changes, but for new variables. */
#include "dataset/dataset.h"
#include "lone/lone.h"

/* ---- removal ---- */

/* Arrays that are lent follow at the commit; trims of dimensions that are there no longer are none. */
static drx_status remove_thing(drx_dataset *ds, enum drxi_what what, uint16_t number)
{
    const int64_t trims = ds->trims;
    drx_status st;

    drxi_put_remove(drxi_ds_run(ds), what, number);
    if ((st = drxi_ds_append(ds)))
        return st;
    ds->removes = true;
    for (int64_t i = 0; i < ds->lents; i++)
        ds->lent[i]->changed = ds->lent[i]->changed || drxi_ds_is_gone(ds, ds->lent[i]);
    ds->trims = 0;
    for (int64_t i = 0; i < trims; i++)
        if (!drxi_store_dimension(&ds->store, ds->trim[i].dimension)->thing.removed)
            ds->trim[ds->trims++] = ds->trim[i];
    return drxi_ds_list_things(ds);
}

/* Whether this transaction has added the thing, or one of that list in the group that it is. Those are its last. */
static bool is_added(const drx_dataset *ds, const struct drxi_ds_list *list, enum drxi_what of_list,
                     enum drxi_what what, uint16_t number)
{
    for (int64_t i = list->n - 1; i >= 0; i--) {
        const struct drxi_thing *t = drxi_store_thing(&ds->store, of_list, list->number[i]);

        if (!drxi_ds_is_added(ds, t))
            return false;
        if ((of_list == what && t->number == number) ||
            (what == DRXI_A_GROUP && drxi_store_is_above(&ds->store, number, t->group)))
            return true;
    }
    return false;
}

static drx_status find_and_remove(drx_dataset *ds, enum drxi_what what, const char *path)
{
    uint16_t number;
    drx_status st = drxi_ds_check_changeable(ds);

    if (!st)
        st = drxi_ds_need(ds, what, path, &number);
    if (st)
        return st;
    if (is_added(ds, &ds->groups, DRXI_A_GROUP, what, number) ||
        is_added(ds, &ds->variables, DRXI_A_VARIABLE, what, number))
        return drxi_fail(DRX_EINVAL, "%s: this transaction adds '%s'%s: abort it, or commit it first", ds->path, path,
                         what == DRXI_A_GROUP ? ", or something in it" : "");
    return remove_thing(ds, what, number);
}

drx_status drx_dataset_remove(drx_dataset *ds, const char *name)
{
    return find_and_remove(ds, DRXI_A_VARIABLE, name);
}

drx_status drx_dataset_remove_group(drx_dataset *ds, const char *path)
{
    return find_and_remove(ds, DRXI_A_GROUP, path);
}

/* ---- other names ---- */

/* The names in an array that is lent are those that the store has. */
static drx_status follow_names(drx_dataset *ds, struct drxi_lent *lent)
{
    drx_status st;

    lent->changed = true;
    drxi_gate_shut(&lent->a->gate);
    st = drxi_lone_take_names(&lent->a->log);
    drxi_gate_open(&lent->a->gate);
    ds->only_abort = ds->only_abort || st;
    return st;
}

static drx_status rename_thing(drx_dataset *ds, enum drxi_what what, uint16_t number, const char *name)
{
    drx_status st;

    drxi_put_rename(drxi_ds_run(ds), what, number, name);
    st = drxi_ds_append(ds);
    for (int64_t i = 0; !st && what == DRXI_A_DIMENSION && i < ds->variables.n; i++) {
        struct drxi_lent *lent = drxi_ds_lent_of(ds, ds->variables.number[i]);

        if (lent && drxi_ds_has(drxi_store_variable(&ds->store, lent->variable), number))
            st = follow_names(ds, lent);
    }
    return st ? st : drxi_ds_list_things(ds);
}

/* The bytes of a path before its last part. */
static size_t above(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash ? (size_t)(slash - path) : 0;
}

drx_status drx_dataset_set_name(drx_dataset *ds, int part, const char *old_path, const char *new_path)
{
    const enum drxi_what what = (enum drxi_what)part;
    struct drxi_ds_place to;
    uint16_t number;
    drx_status st = drxi_ds_check_changeable(ds);

    if (st)
        return st;
    if (part < DRX_GROUP || part > DRX_VARIABLE || !new_path)
        return drxi_fail(DRX_EINVAL, "%s: no new path, or part %d, expected DRX_GROUP, DRX_DIMENSION or DRX_VARIABLE",
                         ds->path, part);
    if ((st = drxi_ds_need(ds, what, old_path, &number)))
        return st;
    if (above(old_path) != above(new_path) || strncmp(old_path, new_path, above(old_path)) != 0)
        return drxi_fail(DRX_EINVAL, "%s: %s '%s' cannot become '%s': it stays in its group", ds->path,
                         drxi_ds_word(part), old_path, new_path);
    if (strcmp(old_path, new_path) == 0)
        return DRX_OK;
    st = drxi_ds_place(ds, what, new_path, &to);
    return st ? st : rename_thing(ds, what, number, to.name);
}

/* ---- axes ---- */

static bool is_axis_pending(const drx_dataset *ds, const struct drxi_variable *v)
{
    for (int64_t i = 0; i < ds->axes; i++)
        if (ds->axis[i].variable == v->thing.number)
            return true;
    return false;
}

static drx_status check_new_axis(const drx_dataset *ds, const char *name, int at, const char *dim,
                                 struct drxi_variable **out, struct drxi_ds_place *place)
{
    const struct drxi_variable *v;
    const struct drxi_dimension *d;
    uint16_t number;
    drx_status st = drxi_ds_need(ds, DRXI_A_VARIABLE, name, &number);

    if (st)
        return st;
    v = *out = drxi_store_variable(&ds->store, number);
    if (drxi_ds_pending(ds) && ds->axes == 0)
        return drxi_fail(DRX_EINVAL, "%s: a transaction that adds axes does nothing else: commit this one first",
                         ds->path);
    if (v->null)
        return drxi_fail(DRX_EINVAL, "%s: %s: a null variable, without elements, gets no axis", ds->path, name);
    if (v->ndim == DRX_MAX_NDIM)
        return drxi_fail(DRX_EINVAL, "%s: %s: it has as many axes as it can", ds->path, name);
    if (at < 0 || at > v->ndim)
        return drxi_fail(DRX_EINVAL, "%s: %s: a new axis %d, expected 0 to %d", ds->path, name, at, v->ndim);
    if (is_axis_pending(ds, v))
        return drxi_fail(DRX_EINVAL, "%s: %s: this transaction gives it an axis already: commit it first", ds->path,
                         name);
    if ((st = drxi_ds_see_dimension(ds, v->thing.group, dim ? dim : "", place)))
        return drxi_fail(st, "%s: %s: the new axis: %s", ds->path, name, drx_last_error());
    d = drxi_store_dimension(&ds->store, place->number);
    if (d && drxi_ds_has(v, d->thing.number))
        return drxi_fail(DRX_EINVAL, "%s: %s: has the dimension '%s' already", ds->path, name, dim);
    if (d && (d->lower != 0 || d->upper != 1))
        return drxi_fail(DRX_EMISMATCH,
                         "%s: %s: a new axis has the index 0 alone, but dimension '%s' has the bounds %lld and %lld",
                         ds->path, name, dim, (long long)d->lower, (long long)d->upper);
    return DRX_OK;
}

static drx_status make_dimension(drx_dataset *ds, struct drxi_ds_place *place)
{
    static const int64_t one[2] = { 0, 1 };
    const drx_status st = drxi_ds_check_room(ds, DRXI_A_DIMENSION, 1);

    if (st)
        return st;
    place->number = drxi_store_next(&ds->store, DRXI_A_DIMENSION);
    drxi_put_dimension(drxi_ds_run(ds), place->number, place->group, one, place->name);
    return drxi_ds_append_listed(ds);
}

drx_status drx_dataset_add_axis(drx_dataset *ds, const char *name, int at, const char *dim)
{
    struct drxi_ds_axis axis = { .at = at };
    struct drxi_ds_place place;
    struct drxi_variable *v;
    struct drxi_lent *lent;
    drx_status st = drxi_ds_check_going_on(ds);

    if (!st)
        st = check_new_axis(ds, name, at, dim, &v, &place);
    if (!st)
        st = drxi_ds_lend(ds, v->thing.number, &lent);
    if (!st)
        st = drxi_reserve(&ds->axis, &ds->axis_room, ds->axes + 1, sizeof *ds->axis);
    if (!st && place.number == 0)
        st = make_dimension(ds, &place);
    if (st)
        return st;
    axis.variable = lent->variable;
    axis.dimension = place.number;
    ds->axis[ds->axes++] = axis;
    return DRX_OK;
}

/* ---- attributes ---- */

/* An array that is lent follows. */
static drx_status append_attribute(drx_dataset *ds, const struct drxi_ds_part *part, const struct drxi_record *record)
{
    const struct drxi_thing *t = part->thing;
    const bool root = t == &ds->store.root.thing;
    struct drxi_lent *lent = t->what == DRXI_A_VARIABLE ? drxi_ds_lent_of(ds, t->number) : NULL;
    const drx_status st =
        drxi_ds_append_attribute(ds, root ? DRXI_THE_STORE : (enum drxi_what)t->what, t->number, record);

    return st || !lent ? st : follow_names(ds, lent);
}

static drx_status find_to_change(const drx_dataset *ds, int part, const char *of, struct drxi_ds_part *out)
{
    const drx_status st = drxi_ds_check_changeable(ds);

    return st ? st : drxi_ds_find_part(ds, part, of, out);
}

drx_status drx_dataset_attr_set(drx_dataset *ds, int part, const char *of, const char *name, drx_type type, int64_t n,
                                const void *values)
{
    struct drxi_record record = { .kind = DRXI_ATTR };
    struct drxi_ds_part p;
    drx_status st = find_to_change(ds, part, of, &p);

    if (!st)
        st = drxi_attrs_check(p.label, name, type, n, values, &record.attr);
    return st ? st : append_attribute(ds, &p, &record);
}

drx_status drx_dataset_attr_set_text(drx_dataset *ds, int part, const char *of, const char *name, const char *utf8)
{
    struct drxi_record record = { .kind = DRXI_ATTR };
    struct drxi_ds_part p;
    drx_status st = find_to_change(ds, part, of, &p);

    if (!st)
        st = drxi_attrs_check_text(p.label, name, utf8, &record.attr);
    return st ? st : append_attribute(ds, &p, &record);
}

drx_status drx_dataset_attr_delete(drx_dataset *ds, int part, const char *of, const char *name)
{
    struct drxi_ds_part p;
    int64_t i;
    drx_status st = find_to_change(ds, part, of, &p);

    if (!st)
        st = drxi_attrs_look_up(&p.thing->attrs, p.label, name, &i);
    return st ? st : append_attribute(ds, &p, &(struct drxi_record){ .kind = DRXI_ATTR_DELETE, .name = name });
}
