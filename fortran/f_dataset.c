/* Datasets of one process: their calls, and those of any dataset. */
#include "drxf_calls.h"

/* ---- the kind ------------------------------------------------------------------- */

static const drx_dataset *dataset(void *it)
{
    return it;
}

static drx_status close_dataset(void *it)
{
    return drx_dataset_close(it);
}

static drx_status refresh(void *it)
{
    return drx_dataset_refresh(it);
}

static drx_status attr_set(void *it, const struct drxf_part *of, const char *name, drx_type type, int64_t n,
                           const void *values)
{
    return drx_dataset_attr_set(it, of->part, of->path, name, type, n, values);
}

static drx_status attr_set_text(void *it, const struct drxf_part *of, const char *name, const char *text)
{
    return drx_dataset_attr_set_text(it, of->part, of->path, name, text);
}

static drx_status attr_delete(void *it, const struct drxf_part *of, const char *name)
{
    return drx_dataset_attr_delete(it, of->part, of->path, name);
}

static drx_status lend(void *it, const char *name, void **out)
{
    drx_array *a = NULL;
    const drx_status st = drx_dataset_array(it, name, &a);

    *out = a;
    return st;
}

static drx_status add(void *it, const char *name, const drx_spec *spec, void **out)
{
    drx_array *a = NULL;
    const drx_status st = drx_dataset_add(it, name, spec, &a);

    *out = a;
    return st;
}

static drx_status remove_variable(void *it, const char *name)
{
    return drx_dataset_remove(it, name);
}

static drx_status add_group(void *it, const char *path)
{
    return drx_dataset_add_group(it, path);
}

static drx_status remove_group(void *it, const char *path)
{
    return drx_dataset_remove_group(it, path);
}

static drx_status set_name(void *it, int part, const char *old_path, const char *new_path)
{
    return drx_dataset_set_name(it, part, old_path, new_path);
}

static drx_status grow(void *it, const char *dim, int64_t by)
{
    return drx_dataset_extend(it, dim, by);
}

static drx_status grow_before(void *it, const char *dim, int64_t by)
{
    return drx_dataset_extend_before(it, dim, by);
}

static drx_status reserve(void *it, const char *dim, int64_t by, int64_t *first)
{
    return drx_dataset_reserve(it, dim, by, first);
}

static drx_status reserve_before(void *it, const char *dim, int64_t by, int64_t *first)
{
    return drx_dataset_reserve_before(it, dim, by, first);
}

static drx_status shrink(void *it, const char *dim, int64_t before, int64_t after)
{
    return drx_dataset_trim(it, dim, before, after);
}

static drx_status widen(void *it, const char *name, int at, const char *dim)
{
    return drx_dataset_add_axis(it, name, at, dim);
}

static drx_status commit(void *it, const char *message)
{
    return drx_dataset_commit(it, message);
}

static drx_status forget(void *it, int64_t n)
{
    return drx_dataset_forget(it, n);
}

static drx_status begin(void *it)
{
    return drx_dataset_begin(it);
}

static drx_status compact(void *it)
{
    return drx_dataset_compact(it);
}

static drx_status abort_transaction(void *it)
{
    return drx_dataset_abort(it);
}

const struct drxf_kind drxf_dataset_kind = {
    .name = "dataset",
    .dataset = dataset,
    .close = close_dataset,
    .refresh = refresh,
    .attr_set = attr_set,
    .attr_set_text = attr_set_text,
    .attr_delete = attr_delete,
    .lent = &drxf_array_kind,
    .lend = lend,
    .add = add,
    .remove = remove_variable,
    .add_group = add_group,
    .remove_group = remove_group,
    .set_name = set_name,
    .grow = grow,
    .grow_before = grow_before,
    .reserve = reserve,
    .reserve_before = reserve_before,
    .shrink = shrink,
    .widen = widen,
    .commit = commit,
    .forget = forget,
    .begin = begin,
    .compact = compact,
    .abort = abort_transaction,
};

/* ---- create and open -------------------------------------------------------------- */

DRX_API drx_status drxf_dataset_create(const char *path, int64_t *id)
{
    drx_dataset *ds = NULL;
    const drx_status st = drx_dataset_create(path, &ds);

    return drxf_give(st, &drxf_dataset_kind, ds, 0, id);
}

DRX_API drx_status drxf_dataset_open(const char *path, int mode, const CFI_cdesc_t *at, int64_t *id)
{
    drx_dataset *ds = NULL;
    int64_t commit_number = DRX_LAST;
    drx_status st = at ? drxf_integer(at, "at", &commit_number) : DRX_OK;

    if (!st)
        st = drx_dataset_open(path, mode, commit_number, &ds);
    return drxf_give(st, &drxf_dataset_kind, ds, 0, id);
}

/* ---- variables ---------------------------------------------------------------------- */

DRX_API drx_status drxf_dataset_array(int64_t id, const char *name, int64_t *array)
{
    const struct drxf_kind *kind;
    const drx_dataset *ds;
    void *it, *a = NULL;
    drx_status st = drxf_a_dataset(id, &it, &kind, &ds);

    *array = 0;
    if (st)
        return st;
    st = kind->lend(it, name, &a);
    return drxf_give(st, kind->lent, a, id, array);
}

DRX_API drx_status drxf_dataset_add(int64_t id, const char *name, const struct drxf_spec *from, int64_t *array)
{
    const struct drxf_kind *kind;
    const drx_dataset *ds;
    struct drxf_made made;
    struct drxf_kept wrong;
    void *it, *a = NULL;
    drx_status st = drxf_a_dataset(id, &it, &kind, &ds);

    *array = 0;
    if (st)
        return st;
    st = drxf_make_spec(from, &made);
    drxf_keep(&wrong, st);
    st = drxf_tell(&wrong, kind->together, kind->add(it, name, st ? NULL : &made.spec, &a));
    return drxf_give(st, kind->lent, a, id, array);
}

DRX_API drx_status drxf_dataset_remove(int64_t id, const char *name)
{
    const struct drxf_kind *kind;
    const drx_dataset *ds;
    void *it;
    const drx_status st = drxf_a_dataset(id, &it, &kind, &ds);

    return st ? st : kind->remove(it, name);
}

DRX_API drx_status drxf_dataset_add_group(int64_t id, const char *path)
{
    const struct drxf_kind *kind;
    const drx_dataset *ds;
    void *it;
    const drx_status st = drxf_a_dataset(id, &it, &kind, &ds);

    return st ? st : kind->add_group(it, path);
}

DRX_API drx_status drxf_dataset_remove_group(int64_t id, const char *path)
{
    const struct drxf_kind *kind;
    const drx_dataset *ds;
    void *it;
    const drx_status st = drxf_a_dataset(id, &it, &kind, &ds);

    return st ? st : kind->remove_group(it, path);
}

DRX_API drx_status drxf_dataset_set_name(int64_t id, int part, const char *old_path, const char *new_path)
{
    const struct drxf_kind *kind;
    const drx_dataset *ds;
    void *it;
    const drx_status st = drxf_a_dataset(id, &it, &kind, &ds);

    return st ? st : kind->set_name(it, part, old_path, new_path);
}

/* at counts from 1, up to one past the last axis. */
DRX_API drx_status drxf_dataset_add_axis(int64_t id, const char *name, const CFI_cdesc_t *at, const char *dim)
{
    const struct drxf_kind *kind;
    const drx_dataset *ds;
    struct drxf_kept wrong;
    int64_t number = 0;
    void *it;
    drx_status st = drxf_a_dataset(id, &it, &kind, &ds);

    if (st)
        return st;
    st = drxf_integer(at, "at", &number);
    if (!st && (number < 1 || number > DRX_MAX_NDIM))
        st = drxf_fail(DRX_EINVAL, "at is %lld, expected 1 to one more than the axes of \"%.200s\"", (long long)number,
                       name);
    drxf_keep(&wrong, st);
    return drxf_tell(&wrong, kind->together, kind->widen(it, name, st ? -1 : (int)number - 1, dim));
}

/* ---- dimensions and transactions ------------------------------------------------------ */

/* how: 1 at the low end; 2 in a transaction of its own, which gives *first. */
DRX_API drx_status drxf_dataset_extend(int64_t id, int how, const char *dim, const CFI_cdesc_t *by, int64_t *first)
{
    const struct drxf_kind *kind;
    const drx_dataset *ds;
    struct drxf_kept wrong;
    int64_t n = -1; /* is refused */
    void *it;
    drx_status st = drxf_a_dataset(id, &it, &kind, &ds);

    if (st)
        return st;
    drxf_keep(&wrong, drxf_integer(by, "by", &n));
    if (how & 2)
        st = how & 1 ? kind->reserve_before(it, dim, n, first) : kind->reserve(it, dim, n, first);
    else
        st = how & 1 ? kind->grow_before(it, dim, n) : kind->grow(it, dim, n);
    return drxf_tell(&wrong, kind->together, st);
}

DRX_API drx_status drxf_dataset_trim(int64_t id, const char *dim, const CFI_cdesc_t *before, const CFI_cdesc_t *after)
{
    const struct drxf_kind *kind;
    const drx_dataset *ds;
    struct drxf_kept wrong;
    int64_t low = 0, high = 0;
    void *it;
    drx_status st = drxf_a_dataset(id, &it, &kind, &ds);

    if (st)
        return st;
    st = before ? drxf_integer(before, "before", &low) : DRX_OK;
    if (!st && after)
        st = drxf_integer(after, "after", &high);
    drxf_keep(&wrong, st);
    return drxf_tell(&wrong, kind->together, kind->shrink(it, dim, st ? -1 : low, high));
}

DRX_API drx_status drxf_dataset_commit(int64_t id, const char *message)
{
    const struct drxf_kind *kind;
    const drx_dataset *ds;
    void *it;
    const drx_status st = drxf_a_dataset(id, &it, &kind, &ds);

    return st ? st : kind->commit(it, *message ? message : NULL);
}

DRX_API drx_status drxf_dataset_forget(int64_t id, const CFI_cdesc_t *n)
{
    const struct drxf_kind *kind;
    const drx_dataset *ds;
    struct drxf_kept wrong;
    int64_t number = -1;
    void *it;
    drx_status st = drxf_a_dataset(id, &it, &kind, &ds);

    if (st)
        return st;
    st = drxf_integer(n, "n", &number);
    drxf_keep(&wrong, st);
    return drxf_tell(&wrong, kind->together, kind->forget(it, st ? -1 : number));
}

/* What takes no arguments. */
DRX_API drx_status drxf_dataset_do(int64_t id, int what)
{
    const struct drxf_kind *kind;
    const drx_dataset *ds;
    void *it;
    const drx_status st = drxf_a_dataset(id, &it, &kind, &ds);

    return st ? st : what == 0 ? kind->begin(it) : what == 1 ? kind->compact(it) : kind->abort(it);
}

/* ---- inquiries: of a handle that is no open dataset, 0 or none; numbers count from 1 ------------------ */

static const drx_dataset *quietly(int64_t id)
{
    const struct drxf_kind *kind;
    void *it = drxf_find(id, &kind, NULL);

    return it && kind->dataset ? kind->dataset(it) : NULL;
}

DRX_API int drxf_dataset_count(int64_t id, int part)
{
    const drx_dataset *ds = quietly(id);

    if (!ds)
        return 0;
    return part == DRX_GROUP       ? drx_dataset_group_count(ds)
           : part == DRX_DIMENSION ? drx_dataset_dim_count(ds)
                                   : drx_dataset_count(ds);
}

DRX_API const char *drxf_dataset_name(int64_t id, int part, int i)
{
    const drx_dataset *ds = quietly(id);

    if (!ds)
        return NULL;
    return part == DRX_GROUP       ? drx_dataset_group(ds, i - 1)
           : part == DRX_DIMENSION ? drx_dataset_dim(ds, i - 1, NULL)
                                   : drx_dataset_name(ds, i - 1);
}

DRX_API int drxf_dataset_has(int64_t id, const char *name)
{
    const drx_dataset *ds = quietly(id);

    return ds && drx_dataset_find(ds, name) >= 0;
}

/* The extent of a dimension and where it begins; an extent of -1: there is none. */
DRX_API void drxf_dataset_dim(int64_t id, const char *name, int64_t *extent, int64_t *lower)
{
    const drx_dataset *ds = quietly(id);
    const int d = ds ? drx_dataset_dim_find(ds, name) : -1;

    *extent = -1;
    *lower = 0;
    if (d < 0)
        return;
    *lower = drx_dataset_dim_lower(ds, d);
    (void)drx_dataset_dim(ds, d, extent);
    *extent -= *lower;
}

/* The number of the commit shown, of the last one known (1), or of the oldest one (2); -1: it is not open. */
DRX_API int64_t drxf_dataset_number(int64_t id, int which)
{
    const drx_dataset *ds = quietly(id);

    if (!ds)
        return -1;
    return which == 2 ? drx_dataset_oldest(ds) : which == 1 ? drx_dataset_last(ds) : drx_dataset_shown(ds);
}

DRX_API drx_status drxf_dataset_commit_info(int64_t id, const CFI_cdesc_t *number, int64_t *time, const char **message)
{
    const struct drxf_kind *kind;
    const drx_dataset *ds;
    drx_commit commit_found;
    int64_t n;
    void *it;
    drx_status st = drxf_a_dataset(id, &it, &kind, &ds);

    if (!st)
        st = drxf_integer(number, "number", &n);
    if (!st)
        st = drx_dataset_commit_info(ds, n, &commit_found);
    if (!st) {
        *time = commit_found.time;
        *message = commit_found.message;
    }
    return st;
}
