/* New variables. */
#include "dataset/dataset.h"
#include "lone/lone.h"

static int64_t lower_of(const drx_spec *spec, int axis)
{
    return spec->lower ? spec->lower[axis] : 0;
}

static drx_status check_name(const drx_dataset *ds, const char *name)
{
    if (!name || !drxi_is_path_name((struct drxi_text){ name, strlen(name) }, DRXI_PATH_NAME_BYTES))
        return drxi_fail(
            DRX_EINVAL, "%s: \"%s\" cannot name a variable: expected 1 to %d bytes of UTF-8, no slash, no dot in front",
            ds->path, name ? name : "", DRXI_PATH_NAME_BYTES);
    if (drxi_ds_find_variable(ds, name))
        return drxi_fail(DRX_EEXIST, "%s: has a variable '%s' already", ds->path, name);
    return DRX_OK;
}

/* Does axis j have the bounds of its dimension? */
static drx_status check_bounds(const drx_dataset *ds, const char *name, const drx_spec *spec, int j,
                               const struct drxi_dimension *d)
{
    const int64_t lower = lower_of(spec, j);
    const char *const dim = drxi_thing_name(&d->thing);

    if (lower != d->lower)
        return drxi_fail(DRX_EMISMATCH, "%s: %s: axis %d begins at index %lld, but dimension '%s' begins at %lld",
                         ds->path, name, j, (long long)lower, dim, (long long)d->lower);
    if (spec->shape[j] != d->upper - d->lower)
        return drxi_fail(DRX_EMISMATCH, "%s: %s: axis %d has bound %lld, but dimension '%s' has %lld", ds->path, name,
                         j, (long long)(lower + spec->shape[j]), dim, (long long)d->upper);
    return DRX_OK;
}

/* Existing dimensions have the bounds of the array; the same name twice is one dimension. */
static drx_status check_dims(const drx_dataset *ds, const char *name, const drx_spec *spec)
{
    drx_status st = DRX_OK;

    for (int j = 0; !st && j < spec->ndim; j++) {
        const char *dim = spec->dims[j];
        const struct drxi_dimension *d = dim && *dim ? drxi_ds_find_dimension(ds, dim) : NULL;

        if (!dim || !*dim)
            return drxi_fail(DRX_EINVAL, "%s: %s: axis %d has no name, expected that of a dimension", ds->path, name,
                             j);
        if (d)
            st = check_bounds(ds, name, spec, j, d);
        else if (!drxi_is_path_name((struct drxi_text){ dim, strlen(dim) }, DRXI_PATH_NAME_BYTES))
            st = drxi_fail(DRX_EINVAL,
                           "%s: %s: axis %d: \"%s\" cannot name a dimension: expected up to %d bytes of UTF-8, no "
                           "slash, no dot in front",
                           ds->path, name, j, dim, DRXI_PATH_NAME_BYTES);
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

/* ---- the stem ---- */

static bool is_taken(const drx_dataset *ds, const char *stem)
{
    static const char *const endings[] = { "", ".xmd", ".xta", ".xcs", ".xtz", ".xct" };
    bool taken = drxi_store_has_stem(&ds->store, 0, stem) || strlen(stem) > DRXI_STEM_BYTES;

    for (size_t i = 0; !taken && i < sizeof endings / sizeof *endings; i++) {
        char *path = drxi_format("%s/%s%s", ds->path, stem, endings[i]);
        struct drxi_looked looked = { .there = true };

        if (path)
            drxi_files->look(path, false, &looked);
        taken = looked.there;
        drxi_free(path);
    }
    return taken;
}

/* A name for the files that nothing has had; to be freed. A replica is told. */
static char *new_stem(const drx_dataset *ds, const char *name, uint16_t number)
{
    char *stem = drxi_strdup(name);

    while (stem && is_taken(ds, stem)) {
        char *next = strlen(stem) + 6 <= DRXI_STEM_BYTES ? drxi_format("%s~%d", stem, number) : NULL;

        drxi_free(stem);
        stem = next;
    }
    return stem;
}

/* ---- its records ---- */

struct addition {
    const drx_dataset *ds;
    const drx_spec *spec;
    const struct drxi_state *state;
    struct drxi_variable v;
    uint8_t fill[DRXI_ITEM_MAX_BYTES];
};

/* The dimension of axis j: one that is there, that of an earlier axis, or a new one. */
static void put_dimension(struct drxi_run *run, struct addition *add, int j, uint16_t *next)
{
    const char *name = add->spec->dims[j];
    const struct drxi_dimension *d = drxi_ds_find_dimension(add->ds, name);
    const int64_t lower = lower_of(add->spec, j), bounds[2] = { lower, lower + add->spec->shape[j] };

    if (d) {
        add->v.dim[j] = d->thing.number;
        return;
    }
    for (int k = 0; k < j; k++)
        if (strcmp(add->spec->dims[k], name) == 0) {
            add->v.dim[j] = add->v.dim[k];
            return;
        }
    add->v.dim[j] = *next;
    drxi_put_dimension(run, (*next)++, 0, bounds, name);
}

/* A type of strings that is there, or a new one. */
static uint32_t put_type(struct drxi_run *run, const drx_dataset *ds, drx_type type)
{
    const int class = DRX_IS_BYTES(type) ? 1 : 2;

    for (int i = 1; DRX_IS_STRING(type) && i <= ds->store.type.largest; i++) {
        const struct drxi_type *t = drxi_store_type(&ds->store, (uint16_t)i);

        if (t && !t->thing.removed && t->class == class && t->bytes == drx_type_size(type))
            return UINT32_C(256) + (uint32_t)i;
    }
    return drxi_lone_put_type(run, type, drxi_store_next(&ds->store, DRXI_A_TYPE));
}

static void put(struct drxi_run *run, const void *with)
{
    struct addition *add = (struct addition *)(uintptr_t)with;
    uint16_t next = drxi_store_next(&add->ds->store, DRXI_A_DIMENSION);

    if (!add->spec->dims) /* its one chunk has no order */
        add->v.ndim = add->v.initial = 0;
    for (int j = 0; j < add->v.ndim; j++)
        put_dimension(run, add, j, &next);
    add->v.type = put_type(run, add->ds, add->state->desc.type);
    drxi_put_variable(run, &add->v);
}

/* The name and the stem with what stands before them in a thing. */
static drx_status set_names(struct drxi_thing *t, const char *name, const char *stem)
{
    t->key = drxi_format("   %s", name);
    t->stem_key = drxi_format("  %s", stem);
    return t->key && t->stem_key ? DRX_OK : DRX_ENOMEM;
}

static drx_status check_room(const drx_dataset *ds)
{
    return ds->store.variable.largest < DRXI_MOST_THINGS &&
                   ds->store.dimension.largest + DRX_MAX_NDIM < DRXI_MOST_THINGS
               ? DRX_OK
               : drxi_fail(DRX_EOVERFLOW, "%s: has had %d variables or dimensions, which is the most: copy it",
                           ds->path, DRXI_MOST_THINGS);
}

/* The log has it, durably, before its files have names. */
static drx_status record(drx_dataset *ds, const char *name, const char *stem, const drx_spec *spec,
                         const struct drxi_state *state, uint16_t number)
{
    struct addition add = { .ds = ds, .spec = spec, .state = state };
    drx_status st;

    drxi_lone_describe_variable(state, add.fill, &add.v);
    add.v.thing.number = number;
    st = set_names(&add.v.thing, name, stem);
    if (!st)
        st = drxi_ds_append(ds, put, &add);
    drxi_free(add.v.thing.key);
    drxi_free(add.v.thing.stem_key);
    if (!st && (st = ds->io->ops->sync(ds->io)))
        (void)drxi_ds_break(ds, st);
    return st;
}

/* The files of a variable that was not made go, durably; then its records. Until then the transaction can only be aborted. */
static void take_back(drx_dataset *ds, uint16_t number, const struct drxi_run *mark)
{
    const struct drxi_variable *v = drxi_store_variable(&ds->store, number);
    char detail[DRXI_DETAIL_BYTES];

    drxi_report_keep(detail);
    ds->only_abort = v && (drxi_ds_remove_files(ds, v) || drxi_files->sync_folder(ds->io->path));
    drxi_report_set(detail);
    if (!ds->only_abort) {
        drxi_ds_rewind(ds, mark);
        (void)drxi_ds_list_things(ds);
    }
}

static drx_status make(drx_dataset *ds, const char *name, const drx_spec *spec, uint16_t number,
                       struct drxi_lent **lent)
{
    const struct drxi_lending l = drxi_ds_lending(ds, number);
    char *stem = new_stem(ds, name, number), *path = stem ? drxi_format("%s/%s", ds->path, stem) : NULL;
    struct drxi_run mark;
    drx_array *a = NULL;
    drx_status st = drxi_ds_start(ds);

    mark = drxi_ds_mark(ds);
    if (!st)
        st = path ? drxi_lent_create(path, spec, &l, &a) : DRX_ENOMEM;
    if (!st)
        st = record(ds, name, stem, spec, &a->log.state, number);
    if (!st)
        st = drxi_lent_made(a, &l);
    if (!st)
        st = drxi_ds_list_things(ds);
    if (st && a)
        (void)drxi_array_free(a);
    else if (!st)
        st = drxi_ds_take(ds, number, a, lent);
    if (!st)
        (*lent)->changed = true;
    if (st && a)
        take_back(ds, number, &mark);
    drxi_free(path);
    drxi_free(stem);
    return st;
}

/* A scalar is one chunk of one element, in no order. */
static drx_spec as_stored(const drx_spec *spec)
{
    static const int64_t one[] = { 1 };
    drx_spec made = *spec;

    if (!spec->dims) {
        made.chunk = one;
        made.flags &= ~(unsigned)DRX_SHELL;
    }
    return made;
}

drx_status drx_dataset_add(drx_dataset *ds, const char *name, const drx_spec *spec, drx_array **out)
{
    struct drxi_lent *lent;
    drx_spec made;
    uint16_t number;
    drx_status st = drxi_ds_check_changeable(ds);

    if (out)
        *out = NULL;
    if (!st)
        st = check_spec(ds, name, spec);
    if (!st)
        st = check_room(ds);
    if (st)
        return st;
    number = drxi_store_next(&ds->store, DRXI_A_VARIABLE);
    made = as_stored(spec);
    st = make(ds, name, &made, number, &lent);
    if (!st && out)
        *out = lent->a;
    return st;
}
