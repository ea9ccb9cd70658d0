/* New groups, dimensions and variables. */
#include "dataset/dataset.h"
#include "lone/lone.h"

static drx_status append_durably(drx_dataset *ds)
{
    drx_status st = drxi_ds_append(ds);

    if (!st && (st = ds->io->ops->sync(ds->io)))
        (void)drxi_ds_break(ds, st);
    return st;
}

/* ---- groups ---- */

/* The folder comes last, and nothing fails after it. */
static drx_status make_group(drx_dataset *ds, const struct drxi_ds_place *place, uint16_t number, const char *stem)
{
    const struct drxi_run mark = drxi_ds_mark(ds);
    char *folder = NULL;
    drx_status st;

    drxi_put_group(drxi_ds_run(ds), number, place->group, place->name, stem);
    st = append_durably(ds);
    if (!st)
        st = drxi_ds_list_things(ds);
    if (!st && !(folder = drxi_ds_folder(ds, number)))
        st = DRX_ENOMEM;
    if (!st)
        st = drxi_files->make_folder(folder);
    drxi_free(folder);
    if (st)
        drxi_ds_rewind(ds, &mark);
    return st;
}

drx_status drx_dataset_add_group(drx_dataset *ds, const char *path)
{
    struct drxi_ds_place place;
    uint16_t number;
    char *stem;
    drx_status st = drxi_ds_check_changeable(ds);

    if (!st)
        st = drxi_ds_place(ds, DRXI_A_GROUP, path, &place);
    if (!st)
        st = drxi_ds_check_room(ds, DRXI_A_GROUP, 1);
    if (!st)
        st = drxi_ds_start(ds);
    if (st)
        return st;
    number = drxi_store_next(&ds->store, DRXI_A_GROUP);
    stem = drxi_ds_new_stem(ds, DRXI_A_GROUP, &place, number);
    st = stem ? make_group(ds, &place, number, stem) : DRX_ENOMEM;
    drxi_free(stem);
    return st;
}

/* ---- dimensions and types ---- */

drx_status drx_dataset_add_dim(drx_dataset *ds, const char *path, int64_t lower, int64_t upper)
{
    const int64_t bounds[2] = { lower, upper };
    struct drxi_ds_place place;
    drx_status st = drxi_ds_check_changeable(ds);

    if (!st)
        st = drxi_ds_place(ds, DRXI_A_DIMENSION, path, &place);
    if (!st && !drxi_is_span(lower, upper))
        return drxi_fail(lower > upper ? DRX_EINVAL : DRX_EOVERFLOW,
                         "%s: dimension '%s': the bounds %lld and %lld, expected -2^62 or more, the second one not "
                         "less, and less than 2^63 between them",
                         ds->path, path, (long long)lower, (long long)upper);
    if (!st)
        st = drxi_ds_check_room(ds, DRXI_A_DIMENSION, 1);
    if (st)
        return st;
    drxi_put_dimension(drxi_ds_run(ds), drxi_store_next(&ds->store, DRXI_A_DIMENSION), place.group, bounds, place.name);
    return drxi_ds_append_listed(ds);
}

static drx_status check_type(const drx_dataset *ds, const char *path, drx_type type, struct drxi_ds_place *place)
{
    const drx_type_info *info = drx_type_describe(type);
    drx_status st;

    if (!info)
        return drxi_fail(DRX_EINVAL, "%s: type '%s': %d is not one of drx_type_define", ds->path, path ? path : "",
                         (int)type);
    st = drxi_ds_place(ds, DRXI_A_TYPE, path, place);
    if (!st && strcmp(place->name, info->name) != 0)
        st = drxi_fail(DRX_EINVAL, "%s: type '%s': its name is \"%s\": define it with the name that it is to have",
                       ds->path, path, info->name);
    return st;
}

drx_status drx_dataset_add_type(drx_dataset *ds, const char *path, drx_type type)
{
    struct drxi_ds_place place;
    drx_status st = drxi_ds_check_changeable(ds);

    if (!st)
        st = check_type(ds, path, type, &place);
    if (st)
        return st;
    drxi_put_new_type(drxi_ds_run(ds), &ds->store, place.group, type);
    return drxi_ds_append_listed(ds);
}

/* ---- variables ---- */

static int64_t lower_of(const drx_spec *spec, int axis)
{
    return spec->lower ? spec->lower[axis] : 0;
}

/* A variable to be added. */
struct addition {
    drx_dataset *ds;
    const char *path;
    struct drxi_ds_place place, dim[DRX_MAX_NDIM];
    const char *dims[DRX_MAX_NDIM];
    drx_spec spec; /* with dims, which are plain names */
    struct drxi_variable v;
};

/* Does axis j have the bounds of its dimension? */
static drx_status check_bounds(const struct addition *add, int j)
{
    const struct drxi_dimension *d = drxi_store_dimension(&add->ds->store, add->dim[j].number);
    const int64_t lower = lower_of(&add->spec, j), n = add->spec.shape[j];
    const char *const dim = add->dims[j];

    if (!d || (lower == d->lower && n == d->upper - d->lower))
        return DRX_OK;
    if (lower != d->lower)
        return drxi_fail(DRX_EMISMATCH, "%s: %s: axis %d begins at index %lld, but dimension '%s' begins at %lld",
                         add->ds->path, add->path, j, (long long)lower, dim, (long long)d->lower);
    return drxi_fail(DRX_EMISMATCH, "%s: %s: axis %d has bound %lld, but dimension '%s' has %lld", add->ds->path,
                     add->path, j, (long long)(lower + n), dim, (long long)d->upper);
}

static bool is_same(const struct drxi_ds_place *a, const struct drxi_ds_place *b)
{
    return a->group == b->group && a->number == b->number && strcmp(a->name, b->name) == 0;
}

/* The same new dimension twice has the same bounds. */
static drx_status check_alike(const struct addition *add, int j)
{
    const drx_spec *spec = &add->spec;

    for (int k = 0; k < j; k++)
        if (is_same(&add->dim[k], &add->dim[j]) &&
            (spec->shape[k] != spec->shape[j] || lower_of(spec, k) != lower_of(spec, j)))
            return drxi_fail(DRX_EMISMATCH, "%s: %s: axes %d and %d are both '%s', but have bounds %lld and %lld",
                             add->ds->path, add->path, k, j, add->dims[j],
                             (long long)(lower_of(spec, k) + spec->shape[k]),
                             (long long)(lower_of(spec, j) + spec->shape[j]));
    return DRX_OK;
}

static drx_status find_dims(struct addition *add, const char *const dims[])
{
    drx_status st = DRX_OK;

    for (int j = 0; !st && j < add->spec.ndim; j++) {
        if (!dims[j] || !*dims[j])
            return drxi_fail(DRX_EINVAL, "%s: %s: axis %d has no name, expected that of a dimension", add->ds->path,
                             add->path, j);
        st = drxi_ds_see_dimension(add->ds, add->place.group, dims[j], &add->dim[j]);
        if (st)
            return drxi_fail(st, "%s: %s: axis %d: %s", add->ds->path, add->path, j, drx_last_error());
        add->dims[j] = add->dim[j].name;
        st = check_bounds(add, j);
        if (!st)
            st = check_alike(add, j);
    }
    add->spec.dims = add->dims;
    return st;
}

/* A scalar is one chunk of one element, in no order. */
static drx_status as_scalar(struct addition *add)
{
    static const int64_t one[] = { 1 };
    drx_spec *spec = &add->spec;

    if (spec->ndim != 1 || spec->shape[0] != 1 || lower_of(spec, 0) != 0)
        return drxi_fail(DRX_EINVAL, "%s: %s: no names of dimensions: a scalar has the shape {1}", add->ds->path,
                         add->path);
    spec->chunk = one;
    spec->flags &= ~(unsigned)DRX_SHELL;
    return DRX_OK;
}

/* Nothing but a type and a source. */
static drx_status check_null(const struct addition *add, const drx_spec *spec)
{
    const struct {
        const char *name;
        bool is;
    } more[] = {
        { "shape", spec->shape }, { "dims", spec->dims },   { "lower", spec->lower },
        { "chunk", spec->chunk }, { "fill", spec->fill },   { "chunk_order", spec->chunk_order },
        { "flags", spec->flags }, { "align", spec->align }, { "codec", spec->codec || spec->level || spec->shuffle },
        { "grows", spec->grows }
    };

    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (more[i].is)
            return drxi_fail(DRX_EINVAL, "%s: %s: spec has %s, but ndim 0, a null variable, has none", add->ds->path,
                             add->path, more[i].name);
    return drx_type_size(spec->type) > 0 ? drxi_source_check(spec->source)
                                         : drxi_fail(DRX_EINVAL, "%s: %s: type is %d, expected one of elements",
                                                     add->ds->path, add->path, (int)spec->type);
}

static drx_status check_addition(struct addition *add, const drx_spec *spec)
{
    drx_dataset *ds = add->ds;
    drx_status st = drxi_ds_place(ds, DRXI_A_VARIABLE, add->path, &add->place);

    if (st)
        return st;
    if (!spec || spec->ndim < 0 || spec->ndim > DRX_MAX_NDIM || (spec->ndim > 0 && !spec->shape))
        return drxi_fail(DRX_EINVAL, "%s: %s: spec is a null pointer, or without shape or dimensions", ds->path,
                         add->path);
    if ((spec->flags & ~(unsigned)(DRX_CHECKSUM | DRX_SHELL)) != 0 || spec->nstripes != 0)
        return drxi_fail(DRX_EUNSUPPORTED, "%s: %s: a variable takes DRX_CHECKSUM and DRX_SHELL alone, and no stripes",
                         ds->path, add->path);
    add->spec = *spec;
    st = spec->ndim == 0 ? check_null(add, spec) : spec->dims ? find_dims(add, spec->dims) : as_scalar(add);
    if (!st)
        st = drxi_ds_check_room(ds, DRXI_A_VARIABLE, 1);
    return st ? st : drxi_ds_check_room(ds, DRXI_A_DIMENSION, DRX_MAX_NDIM);
}

/* ---- its records ---- */

/* The dimension of axis j: one that is there, that of an earlier axis, or a new one. */
static void put_dimension(struct drxi_run *run, struct addition *add, int j, uint16_t *next)
{
    const struct drxi_ds_place *d = &add->dim[j];
    const int64_t lower = lower_of(&add->spec, j), bounds[2] = { lower, lower + add->spec.shape[j] };

    add->v.dim[j] = d->number;
    for (int k = 0; add->v.dim[j] == 0 && k < j; k++)
        if (is_same(&add->dim[k], d))
            add->v.dim[j] = add->v.dim[k];
    if (add->v.dim[j] != 0)
        return;
    add->v.dim[j] = *next;
    drxi_put_dimension(run, (*next)++, d->group, bounds, d->name);
}

static void put_variable(struct drxi_run *run, struct addition *add)
{
    uint16_t next = drxi_store_next(&add->ds->store, DRXI_A_DIMENSION);

    if (!add->spec.dims) /* its one chunk has no order */
        add->v.ndim = add->v.initial = 0;
    for (int j = 0; j < add->v.ndim; j++)
        put_dimension(run, add, j, &next);
    add->v.type = drxi_put_type(run, &add->ds->store, add->place.group, add->place.name, add->spec.type);
    drxi_put_variable(run, &add->v);
    drxi_put_source(run, add->v.thing.number, add->spec.source);
}

/* The name and the stem with what stands before them in a thing. */
static drx_status set_names(struct drxi_thing *t, const char *name, const char *stem)
{
    t->key = drxi_format("   %s", name);
    t->stem_key = drxi_format("  %s", stem);
    return t->key && t->stem_key ? DRX_OK : DRX_ENOMEM;
}

/* The log has it, durably, before its files have names. A null variable has no state. */
static drx_status record(struct addition *add, const struct drxi_state *state, const char *stem, uint16_t number)
{
    drx_status st = DRX_OK;

    add->v = (struct drxi_variable){ .null = true, .align = 1 };
    if (state && (st = drxi_lone_describe_variable(state, &add->v)))
        return st;
    add->v.thing.number = number;
    add->v.thing.group = add->place.group;
    st = set_names(&add->v.thing, add->place.name, stem);
    if (!st) {
        put_variable(drxi_ds_run(add->ds), add);
        st = append_durably(add->ds);
    }
    drxi_free(add->v.thing.key);
    drxi_free(add->v.thing.stem_key);
    return st;
}

/* The files of a variable that was not made go, durably; then its records. Until then the transaction can only be
 * aborted. */
static void take_back(drx_dataset *ds, uint16_t number, const struct drxi_run *mark)
{
    const struct drxi_variable *v = drxi_store_variable(&ds->store, number);
    char detail[DRXI_DETAIL_BYTES];

    drxi_report_keep(detail);
    ds->only_abort = v && (drxi_ds_remove_files(ds, v) || drxi_ds_sync_folder(ds, v->thing.group));
    drxi_report_set(detail);
    if (!ds->only_abort)
        drxi_ds_rewind(ds, mark);
}

/* Where its files are to be, without endings, and the stem in that. */
static char *variable_path(const struct addition *add, uint16_t number, const char **stem)
{
    char *name = drxi_ds_new_stem(add->ds, DRXI_A_VARIABLE, &add->place, number);
    char *folder = name ? drxi_ds_folder(add->ds, add->place.group) : NULL;
    char *path = folder ? drxi_format("%s/%s", folder, name) : NULL;

    *stem = path ? strrchr(path, '/') + 1 : NULL;
    drxi_free(folder);
    drxi_free(name);
    return path;
}

static drx_status make_variable(struct addition *add, uint16_t number, struct drxi_lent **lent)
{
    drx_dataset *ds = add->ds;
    const struct drxi_lending l = drxi_ds_lending(ds, number);
    const bool null = add->spec.ndim == 0;
    const char *stem;
    char *path = variable_path(add, number, &stem);
    struct drxi_run mark;
    drx_array *a = NULL;
    drx_status st = drxi_ds_start(ds);

    mark = drxi_ds_mark(ds);
    if (!st)
        st = !path ? DRX_ENOMEM : null ? DRX_OK : drxi_lent_create(path, &add->spec, &l, &a);
    if (!st)
        st = record(add, a ? &a->log.state : NULL, stem, number);
    if (!st && a)
        st = drxi_lent_made(a, &l);
    if (!st)
        st = drxi_ds_list_things(ds);
    if (st && a)
        (void)drxi_array_free(a);
    else if (!st)
        st = null ? drxi_ds_lend(ds, number, lent) : drxi_ds_take(ds, number, a, lent);
    if (!st)
        (*lent)->changed = true;
    if (st && (a || null))
        take_back(ds, number, &mark);
    drxi_free(path);
    return st;
}

drx_status drx_dataset_add(drx_dataset *ds, const char *name, const drx_spec *spec, drx_array **out)
{
    struct addition add = { .ds = ds, .path = name };
    struct drxi_lent *lent;
    drx_status st = drxi_ds_check_changeable(ds);

    if (out)
        *out = NULL;
    if (!st)
        st = check_addition(&add, spec);
    if (!st)
        st = make_variable(&add, drxi_store_next(&ds->store, DRXI_A_VARIABLE), &lent);
    if (!st && out)
        *out = lent->a;
    return st;
}
