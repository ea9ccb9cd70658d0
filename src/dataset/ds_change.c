/* What a transaction changes. */
#include "dataset/dataset.h"

static drx_status check_no_failure(const drx_dataset *ds)
{
    drx_status st = drxi_ds_check_writable(ds);

    if (!st && ds->only_abort)
        st = drxi_fail(DRX_EBUSY, "%s: an extension failed half-way: abort the transaction", ds->path);
    return st;
}

static drx_status check_changeable(const drx_dataset *ds)
{
    const drx_status st = check_no_failure(ds);

    return st || !drxi_journal_new_axes(&ds->j) ? st : drxi_ds_fail_axes(ds);
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

static int64_t lower_of(const drx_spec *spec, int axis)
{
    return spec->lower ? spec->lower[axis] : 0;
}

/* Does axis j have the bounds of its dimension? */
static drx_status check_bounds(const drx_dataset *ds, const char *name, const drx_spec *spec, int j,
                               const struct drxi_journal_dim *dim)
{
    const int64_t lower = lower_of(spec, j), *bound = dim->bound;

    if (lower != bound[DRXI_LOW])
        return drxi_fail(DRX_EMISMATCH, "%s: %s: axis %d begins at index %lld, but dimension '%s' begins at %lld",
                         ds->path, name, j, (long long)lower, dim->name, (long long)bound[DRXI_LOW]);
    if (spec->shape[j] != bound[DRXI_HIGH] - bound[DRXI_LOW])
        return drxi_fail(DRX_EMISMATCH, "%s: %s: axis %d has bound %lld, but dimension '%s' has %lld", ds->path, name,
                         j, (long long)(lower + spec->shape[j]), dim->name, (long long)bound[DRXI_HIGH]);
    return DRX_OK;
}

/* Existing dimensions have the bounds of the array; the same name twice is one dimension. */
static drx_status check_dims(const drx_dataset *ds, const char *name, const drx_spec *spec)
{
    drx_status st = DRX_OK;

    for (int j = 0; !st && j < spec->ndim; j++) {
        const char *dim = spec->dims[j];
        const int64_t d = dim && *dim ? drxi_journal_find_dim(&ds->j, dim, strlen(dim)) : -1;

        if (!dim || !*dim)
            return drxi_fail(DRX_EINVAL, "%s: %s: axis %d has no name, expected that of a dimension", ds->path, name,
                             j);
        if (d >= 0)
            st = check_bounds(ds, name, spec, j, &ds->j.dim[d]);
        for (int k = 0; !st && k < j; k++)
            if (strcmp(spec->dims[k], dim) == 0 &&
                (spec->shape[k] != spec->shape[j] || lower_of(spec, k) != lower_of(spec, j)))
                return drxi_fail(DRX_EMISMATCH, "%s: %s: axes %d and %d are both '%s', but have bounds %lld and %lld",
                                 ds->path, name, k, j, dim, (long long)(lower_of(spec, k) + spec->shape[k]),
                                 (long long)(lower_of(spec, j) + spec->shape[j]));
    }
    return st;
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
        return spec->ndim == 1 && spec->shape[0] == 1 && lower_of(spec, 0) == 0
                   ? DRX_OK
                   : drxi_fail(DRX_EINVAL, "%s: %s: no names of dimensions: a scalar has the shape {1}", ds->path,
                               name);
    return check_dims(ds, name, spec);
}

drx_status drxi_ds_record_addition(drx_dataset *ds, const char *name, const drx_spec *spec, const uint8_t id[])
{
    struct drxi_addition add = { .ndim = spec->dims ? spec->ndim : 0, .name = name, .name_bytes = strlen(name) };
    int64_t upper;
    drx_status st = drxi_journal_find_id(&ds->j, id) < 0
                        ? DRX_OK
                        : drxi_fail(DRX_EINVAL, "%s: %s: its creation id is that of another variable", ds->path, name);

    memcpy(add.id, id, sizeof add.id);
    for (int j = 0; !st && j < add.ndim; j++) {
        add.dim[j] = (int)drxi_journal_find_dim(&ds->j, spec->dims[j], strlen(spec->dims[j]));
        if (add.dim[j] >= 0)
            continue;
        if (!drxi_add(lower_of(spec, j), spec->shape[j], &upper))
            return drxi_fail(DRX_EOVERFLOW, "%s: %s: the bound of axis %d overflows 64 bits", ds->path, name, j);
        st = drxi_journal_add_dim(&ds->j, spec->dims[j], lower_of(spec, j), upper, &add.dim[j]);
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
    st = path ? drxi_create(path, &nameless, DRXI_FILLED | DRXI_FOR_DATASET, &a) : DRX_ENOMEM;
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
    if (st == DRX_ENOENT) {               /* nobody has open what is missing */
        drxi_report_clear();
        st = DRX_OK;
    }
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

static drx_status grow_lent(drx_dataset *ds, struct drxi_lent *lent, int dim, enum drxi_end end, int64_t by)
{
    const struct drxi_journal_member *m = &ds->j.member[lent->member];
    drx_status st = DRX_OK;

    if (lent->gone || !drxi_journal_has(&ds->j, lent->member, ds->j.commits))
        return DRX_OK;
    for (int axis = 0; !st && axis < m->ndim; axis++)
        if (m->dim[axis] == dim) {
            st = drxi_member_grow(lent->a, axis, end, by);
            lent->grown = lent->grown || !st;
            ds->only_abort = ds->only_abort || !st; /* until all have grown */
        }
    return st;
}

/* The dimension of that name; *d is its number. */
static drx_status find_dim(const drx_dataset *ds, const char *dim, int *d)
{
    *d = dim ? (int)drxi_journal_find_dim(&ds->j, dim, strlen(dim)) : -1;
    return *d >= 0 ? DRX_OK : drxi_fail(DRX_ENOENT, "%s: has no dimension '%s'", ds->path, dim ? dim : "");
}

static drx_status fail_dim(const drx_dataset *ds, drx_status st)
{
    return st ? drxi_fail(st, "%s: %s", ds->path, drx_last_error()) : DRX_OK;
}

drx_status drxi_ds_check_extend(const drx_dataset *ds, const char *dim, enum drxi_end end, int64_t by, int *d)
{
    drx_status st = check_changeable(ds);

    if (!st)
        st = find_dim(ds, dim, d);
    return st ? st : fail_dim(ds, drxi_journal_check_growth(&ds->j, *d, end, by));
}

drx_status drxi_ds_check_trim(const drx_dataset *ds, const char *dim, int64_t before, int64_t after, int *d)
{
    drx_status st = check_changeable(ds);

    if (!st)
        st = find_dim(ds, dim, d);
    return st ? st : fail_dim(ds, drxi_journal_check_trim(&ds->j, *d, before, after));
}

static drx_status extend(drx_dataset *ds, const char *dim, enum drxi_end end, int64_t by)
{
    int d;
    drx_status st = drxi_ds_check_extend(ds, dim, end, by, &d);

    if (st || by == 0)
        return st;
    st = lend_all(ds, d);
    for (int64_t i = 0; !st && i < ds->lents; i++)
        st = grow_lent(ds, ds->lent[i], d, end, by);
    if (!st)
        st = drxi_journal_grow(&ds->j, d, end, by);
    if (!st)
        ds->only_abort = false;
    return st;
}

drx_status drx_dataset_extend(drx_dataset *ds, const char *dim, int64_t by)
{
    return extend(ds, dim, DRXI_HIGH, by);
}

drx_status drx_dataset_extend_before(drx_dataset *ds, const char *dim, int64_t by)
{
    return extend(ds, dim, DRXI_LOW, by);
}

drx_status drx_dataset_trim(drx_dataset *ds, const char *dim, int64_t before, int64_t after)
{
    int d;
    drx_status st = drxi_ds_check_trim(ds, dim, before, after, &d);

    if (st || (before == 0 && after == 0))
        return st;
    st = lend_all(ds, d); /* so that the commit can tell them */
    if (!st)
        drxi_journal_trim(&ds->j, d, before, after);
    return st;
}

/* The member, which is lent, gets the axis; *d: its dimension, which may be new. */
static drx_status check_new_axis(const drx_dataset *ds, const char *name, int at, const char *dim, int64_t *member,
                                 int64_t *d)
{
    const struct drxi_journal_member *m;

    *member = name ? drxi_journal_find(&ds->j, name, ds->j.commits) : -1;
    if (*member < 0)
        return drxi_fail(DRX_ENOENT, "%s: has no variable '%s'", ds->path, name ? name : "");
    m = &ds->j.member[*member];
    if (drxi_journal_pending(&ds->j) && !drxi_journal_new_axes(&ds->j))
        return drxi_fail(DRX_EINVAL, "%s: a transaction that adds axes does nothing else: commit this one first",
                         ds->path);
    if (m->ndim == DRX_MAX_NDIM)
        return drxi_fail(DRX_EINVAL, "%s: %s: it has as many axes as it can", ds->path, name);
    if (at < 0 || at > m->ndim)
        return drxi_fail(DRX_EINVAL, "%s: %s: a new axis %d, expected 0 to %d", ds->path, name, at, m->ndim);
    if (drxi_journal_first_axis(&ds->j, *member, ds->j.commits) >= 0)
        return drxi_fail(DRX_EINVAL, "%s: %s: this transaction gives it an axis already: commit it first", ds->path,
                         name);
    if (!dim || !*dim)
        return drxi_fail(DRX_EINVAL, "%s: %s: the new axis has no name, expected that of a dimension", ds->path, name);
    *d = drxi_journal_find_dim(&ds->j, dim, strlen(dim));
    for (int k = 0; k < m->ndim; k++)
        if (m->dim[k] == *d)
            return drxi_fail(DRX_EINVAL, "%s: %s: has the dimension '%s' already", ds->path, name, dim);
    if (*d >= 0 && (ds->j.dim[*d].bound[DRXI_LOW] != 0 || ds->j.dim[*d].bound[DRXI_HIGH] != 1))
        return drxi_fail(
            DRX_EMISMATCH, "%s: %s: a new axis has the index 0 alone, but dimension '%s' has the bounds %lld and %lld",
            ds->path, name, dim, (long long)ds->j.dim[*d].bound[DRXI_LOW], (long long)ds->j.dim[*d].bound[DRXI_HIGH]);
    return DRX_OK;
}

drx_status drx_dataset_add_axis(drx_dataset *ds, const char *name, int at, const char *dim)
{
    const struct drxi_journal_mark mark = ds ? drxi_journal_mark(&ds->j) : (struct drxi_journal_mark){ .dims = 0 };
    struct drxi_new_axis what = { .at = at };
    struct drxi_lent *lent;
    int64_t d = -1;
    drx_status st = check_no_failure(ds);

    if (!st)
        st = check_new_axis(ds, name, at, dim, &what.member, &d);
    if (!st)
        st = drxi_ds_lend(ds, what.member, &lent); /* so that the commit can tell it */
    what.dim = (int)d;
    if (!st && d < 0)
        st = drxi_journal_add_dim(&ds->j, dim, 0, 1, &what.dim);
    if (st)
        return st;
    st = drxi_journal_add_axis(&ds->j, &what);
    if (st && d < 0)
        drxi_journal_rewind(&ds->j, mark);
    return st;
}

static drx_status set_attr(drx_dataset *ds, const struct drxi_attr_payload *attr)
{
    const size_t bytes = drxi_attr_encode(attr, NULL);
    uint8_t *payload = drxi_malloc(bytes);
    drx_status st = DRX_ENOMEM;

    if (payload) {
        (void)drxi_attr_encode(attr, payload);
        st = drxi_journal_attr(&ds->j, -1, drxi_attr_kind(attr->type), payload, bytes);
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
