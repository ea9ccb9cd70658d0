/* What a transaction changes. */
#include "dataset/dataset.h"

static drx_status check_changeable(const drx_dataset *ds)
{
    drx_status st = drxi_ds_check_writable(ds);

    if (!st && ds->only_abort)
        st = drxi_fail(DRX_EBUSY, "%s: an extension failed half-way: abort the transaction", ds->path);
    return st;
}

static drx_status check_name(const drx_dataset *ds, const char *name)
{
    if (!name || !drxi_is_member_name(name, strlen(name)))
        return drxi_fail(
            DRX_EINVAL, "%s: \"%s\" cannot name a variable: expected 1 to %d bytes of UTF-8, no slash, no dot in front",
            ds->path, name ? name : "", DRXI_MEMBER_NAME_MAX_BYTES);
    if (drxi_journal_find(&ds->j, name, ds->j.commits) >= 0)
        return drxi_fail(DRX_EEXIST, "%s: has a variable '%s' already", ds->path, name);
    if (drxi_journal_find(&ds->j, name, ds->j.commits - 1) >= 0)
        return drxi_fail(DRX_EEXIST, "%s: this transaction removes '%s': commit it before another takes the name",
                         ds->path, name);
    return DRX_OK;
}

/* Existing dimensions have the bounds of the array; the same name twice is one dimension. */
static drx_status check_dims(const drx_dataset *ds, const char *name, const drx_spec *spec)
{
    for (int j = 0; j < spec->ndim; j++) {
        const char *dim = spec->dims[j];
        const int64_t d = dim && *dim ? drxi_journal_find_dim(&ds->j, dim, strlen(dim)) : -1;

        if (!dim || !*dim)
            return drxi_fail(DRX_EINVAL, "%s: %s: axis %d has no name, expected that of a dimension", ds->path, name,
                             j);
        if (d >= 0 && ds->j.dim[d].bound != spec->shape[j])
            return drxi_fail(DRX_EMISMATCH, "%s: %s: axis %d has bound %lld, but dimension '%s' has %lld", ds->path,
                             name, j, (long long)spec->shape[j], dim, (long long)ds->j.dim[d].bound);
        for (int k = 0; k < j; k++)
            if (strcmp(spec->dims[k], dim) == 0 && spec->shape[k] != spec->shape[j])
                return drxi_fail(DRX_EMISMATCH, "%s: %s: axes %d and %d are both '%s', but have bounds %lld and %lld",
                                 ds->path, name, k, j, dim, (long long)spec->shape[k], (long long)spec->shape[j]);
    }
    return DRX_OK;
}

static drx_status check_spec(const drx_dataset *ds, const char *name, const drx_spec *spec)
{
    drx_status st = check_name(ds, name);

    if (st)
        return st;
    if (!spec || spec->ndim < 1 || spec->ndim > DRX_MAX_NDIM || !spec->shape)
        return drxi_fail(DRX_EINVAL, "%s: %s: spec is a null pointer, or without shape or dimensions", ds->path, name);
    if ((spec->flags & ~(unsigned)(DRX_CHECKSUM | DRX_SHELL)) != 0 || spec->nstripes != 0)
        return drxi_fail(DRX_EUNSUPPORTED, "%s: %s: a variable takes DRX_CHECKSUM and DRX_SHELL alone, and no stripes",
                         ds->path, name);
    if (!spec->dims)
        return spec->ndim == 1 && spec->shape[0] == 1
                   ? DRX_OK
                   : drxi_fail(DRX_EINVAL, "%s: %s: no names of dimensions: a scalar has the shape {1}", ds->path,
                               name);
    return check_dims(ds, name, spec);
}

drx_status drxi_ds_record_addition(drx_dataset *ds, const char *name, const drx_spec *spec, const uint8_t id[])
{
    struct drxi_addition add = { .ndim = spec->dims ? spec->ndim : 0, .name = name, .name_bytes = strlen(name) };
    drx_status st = drxi_journal_find_id(&ds->j, id) < 0
                        ? DRX_OK
                        : drxi_fail(DRX_EINVAL, "%s: %s: its creation id is that of another variable", ds->path, name);

    memcpy(add.id, id, sizeof add.id);
    for (int j = 0; !st && j < add.ndim; j++) {
        add.dim[j] = (int)drxi_journal_find_dim(&ds->j, spec->dims[j], strlen(spec->dims[j]));
        if (add.dim[j] < 0)
            st = drxi_journal_add_dim(&ds->j, spec->dims[j], spec->shape[j], &add.dim[j]);
    }
    if (!st)
        st = drxi_journal_add(&ds->j, &add);
    return st ? st : drxi_journal_sync(&ds->j);
}

/* Make the array without a name, record it, then name it. */
static drx_status make_member(drx_dataset *ds, const char *name, const drx_spec *spec, drx_array **out)
{
    const struct drxi_journal_mark mark = drxi_journal_mark(&ds->j);
    char *path = drxi_ds_member_path(ds, name);
    drx_spec nameless = *spec;
    drx_array *a = NULL;
    drx_status st;

    *out = NULL;
    nameless.flags |= DRX_TEMPORARY;
    st = path ? drx_create(path, &nameless, &a) : DRX_ENOMEM;
    drxi_free(path);
    if (st)
        return st;
    st = drxi_member_mark(a, ds->j.id, ds->j.commits - 1);
    if (!st)
        st = drxi_ds_record_addition(ds, name, spec, a->log.state.desc.id);
    if (!st)
        st = drx_persist(a, 0);
    if (st) {
        drxi_journal_rewind(&ds->j, mark);
        (void)drxi_array_free(a);
        return st;
    }
    *out = a;
    return DRX_OK;
}

drx_status drx_dataset_add(drx_dataset *ds, const char *name, const drx_spec *spec, drx_array **out)
{
    struct drxi_lent *lent;
    drx_array *a;
    drx_status st = check_changeable(ds);

    if (out)
        *out = NULL;
    if (!st)
        st = check_spec(ds, name, spec);
    if (!st)
        st = make_member(ds, name, spec, &a);
    if (!st)
        st = drxi_ds_take(ds, ds->j.members - 1, a, &lent);
    if (!st)
        st = drxi_ds_find_visible(ds);
    if (!st && out)
        *out = lent->a;
    return st;
}

drx_status drx_dataset_remove(drx_dataset *ds, const char *name)
{
    struct drxi_lent *lent;
    int64_t member;
    drx_status st = check_changeable(ds);

    if (st)
        return st;
    member = name ? drxi_journal_find(&ds->j, name, ds->j.commits) : -1;
    if (member < 0)
        return drxi_fail(DRX_ENOENT, "%s: has no variable '%s'", ds->path, name ? name : "");
    if (ds->j.member[member].added == ds->j.commits)
        return drxi_fail(DRX_EINVAL, "%s: this transaction adds '%s': abort it, or commit it first", ds->path, name);
    st = drxi_ds_lend(ds, member, &lent); /* which keeps other writers away */
    if (!st)
        st = drxi_journal_remove(&ds->j, member);
    return st ? st : drxi_ds_find_visible(ds);
}

/* Lend all members with that dimension, so that nobody else changes them: *n of them. */
static drx_status lend_all(drx_dataset *ds, int dim)
{
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < ds->visible; i++) {
        const struct drxi_journal_member *m = &ds->j.member[ds->member[i]];
        struct drxi_lent *lent;
        bool has = false;

        for (int axis = 0; axis < m->ndim; axis++)
            has = has || m->dim[axis] == dim;
        if (has)
            st = drxi_ds_lend(ds, ds->member[i], &lent);
    }
    return st;
}

static drx_status grow_lent(drx_dataset *ds, struct drxi_lent *lent, int dim, int64_t by)
{
    const struct drxi_journal_member *m = &ds->j.member[lent->member];
    drx_status st = DRX_OK;

    if (lent->gone || !drxi_journal_has(&ds->j, lent->member, ds->j.commits))
        return DRX_OK;
    for (int axis = 0; !st && axis < m->ndim; axis++)
        if (m->dim[axis] == dim) {
            st = drxi_member_grow(lent->a, axis, by);
            lent->grown = lent->grown || !st;
            ds->only_abort = ds->only_abort || !st; /* until all have grown */
        }
    return st;
}

drx_status drx_dataset_extend(drx_dataset *ds, const char *dim, int64_t by)
{
    int64_t d, bound;
    drx_status st = check_changeable(ds);

    if (st)
        return st;
    d = dim ? drxi_journal_find_dim(&ds->j, dim, strlen(dim)) : -1;
    if (d < 0)
        return drxi_fail(DRX_ENOENT, "%s: has no dimension '%s'", ds->path, dim ? dim : "");
    if (by < 0 || !drxi_add(ds->j.dim[d].bound, by, &bound))
        return drxi_fail(by < 0 ? DRX_EINVAL : DRX_EOVERFLOW,
                         "%s: dimension '%s': growing by %lld, expected 0 or more, "
                         "and a bound that fits 64 bits",
                         ds->path, dim, (long long)by);
    if (by == 0)
        return DRX_OK;
    st = lend_all(ds, (int)d);
    for (int64_t i = 0; !st && i < ds->lents; i++)
        st = grow_lent(ds, ds->lent[i], (int)d, by);
    if (!st)
        st = drxi_journal_grow(&ds->j, (int)d, by);
    if (!st)
        ds->only_abort = false;
    return st;
}

static drx_status set_attr(drx_dataset *ds, const struct drxi_attr_payload *attr)
{
    const size_t bytes = drxi_attr_encode(attr, NULL);
    uint8_t *payload = drxi_malloc(bytes);
    drx_status st = DRX_ENOMEM;

    if (payload) {
        (void)drxi_attr_encode(attr, payload);
        st = drxi_journal_attr(&ds->j, -1, DRXI_ATTR, payload, bytes);
    }
    drxi_free(payload);
    return st;
}

drx_status drx_dataset_attr_set(drx_dataset *ds, const char *name, drx_type type, int64_t n, const void *values)
{
    struct drxi_attr_payload attr;
    drx_status st = check_changeable(ds);

    if (!st)
        st = drxi_attrs_check(ds->path, name, type, n, values, &attr);
    return st ? st : set_attr(ds, &attr);
}

drx_status drx_dataset_attr_set_text(drx_dataset *ds, const char *name, const char *utf8)
{
    struct drxi_attr_payload attr;
    drx_status st = check_changeable(ds);

    if (!st)
        st = drxi_attrs_check_text(ds->path, name, utf8, &attr);
    return st ? st : set_attr(ds, &attr);
}

drx_status drx_dataset_attr_delete(drx_dataset *ds, const char *name)
{
    uint8_t payload[16 + DRXI_NAME_MAX_BYTES];
    int64_t i;
    drx_status st = check_changeable(ds);

    if (!st)
        st = drxi_attrs_look_up(&ds->j.attrs, ds->path, name, &i);
    if (st)
        return st;
    return drxi_journal_attr(&ds->j, -1, DRXI_ATTR_DELETE, payload, drxi_name_encode(name, strlen(name), payload));
}
