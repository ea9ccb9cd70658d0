/* Arrays and datasets of one process: their calls, and what opens, closes and grows any array. */
#include "drxf_calls.h"

/* ---- the kinds ---------------------------------------------------------------- */

static drx_array *array(void *it)
{
    return it;
}

static drx_status close_array(void *it)
{
    return drx_close(it);
}

static drx_status refresh(void *it)
{
    return drx_refresh(it);
}

static drx_status attr_set(void *it, const struct drxf_part *of, const char *name, drx_type type, int64_t n,
                           const void *values)
{
    (void)of;
    return drx_attr_set(it, name, type, n, values);
}

static drx_status attr_set_text(void *it, const struct drxf_part *of, const char *name, const char *text)
{
    (void)of;
    return drx_attr_set_text(it, name, text);
}

static drx_status attr_delete(void *it, const struct drxf_part *of, const char *name)
{
    (void)of;
    return drx_attr_delete(it, name);
}

static drx_status sync_array(void *it)
{
    return drx_sync(it);
}

static drx_status persist(void *it, unsigned flags)
{
    return drx_persist(it, flags);
}

static drx_status extend(void *it, int axis, int64_t by)
{
    return drx_extend(it, axis, by);
}

static drx_status extend_before(void *it, int axis, int64_t by)
{
    return drx_extend_before(it, axis, by);
}

static drx_status trim(void *it, int axis, int64_t before, int64_t after)
{
    return drx_trim(it, axis, before, after);
}

static drx_status add_axis(void *it, int at, const char *name)
{
    return drx_add_axis(it, at, name);
}

static drx_status dim_rename(void *it, int axis, const char *name)
{
    return drx_dim_rename(it, axis, name);
}

const struct drxf_kind drxf_array_kind = {
    .name = "array",
    .array = array,
    .close = close_array,
    .refresh = refresh,
    .attr_set = attr_set,
    .attr_set_text = attr_set_text,
    .attr_delete = attr_delete,
    .sync = sync_array,
    .persist = persist,
    .extend = extend,
    .extend_before = extend_before,
    .trim = trim,
    .add_axis = add_axis,
    .dim_rename = dim_rename,
};

/* ---- create, open, close -------------------------------------------------------- */

DRX_API drx_status drxf_create(const char *path, const struct drxf_spec *from, int64_t *id)
{
    struct drxf_made made;
    drx_array *a = NULL;
    drx_status st = drxf_make_spec(from, &made);

    if (!st)
        st = drx_create(*path ? path : NULL, &made.spec, &a);
    return drxf_give(st, &drxf_array_kind, a, 0, id);
}

DRX_API drx_status drxf_open(const char *path, int mode, int64_t *id)
{
    drx_array *a = NULL;
    const drx_status st = drx_open(path, mode, &a);

    return drxf_give(st, &drxf_array_kind, a, 0, id);
}

/* A handle that is not open any more, or never was, is fine. */
DRX_API drx_status drxf_close(int64_t id)
{
    const struct drxf_kind *kind;
    int64_t lender;
    void *it = drxf_find(id, &kind, &lender);
    drx_status st = DRX_OK;

    if (it && !lender)
        st = kind->close(it);
    if (!(it && kind->together && st == DRX_EBUSY)) /* then it is open yet */
        drxf_forget(id);
    return st;
}

/* For a variable that goes out of scope. A collective call is not made for that. */
DRX_API void drxf_drop(int64_t id)
{
    const struct drxf_kind *kind;

    if (drxf_find(id, &kind, NULL) && !kind->together)
        (void)drxf_close(id);
}

DRX_API int drxf_is_open(int64_t id)
{
    const struct drxf_kind *kind;

    return drxf_find(id, &kind, NULL) != NULL;
}

/* For programs that call C: the drx_array; NULL: it is none. */
DRX_API drx_array *drxf_c_array(int64_t id)
{
    const struct drxf_kind *kind;
    void *it = drxf_find(id, &kind, NULL);

    return it && kind->array ? kind->array(it) : NULL;
}

DRX_API drx_status drxf_refresh(int64_t id)
{
    const struct drxf_kind *kind;
    void *it;
    const drx_status st = drxf_any(id, &it, &kind);

    if (!st && !kind->refresh)
        return drxf_fail(DRX_EINVAL, "the handle is that of a %s, expected an array or a dataset", kind->name);
    return st ? st : kind->refresh(it);
}

DRX_API drx_status drxf_sync(int64_t id)
{
    const struct drxf_kind *kind;
    drx_array *a;
    void *it;
    const drx_status st = drxf_an_array(id, &it, &kind, &a);

    return st ? st : kind->sync(it);
}

DRX_API drx_status drxf_persist(int64_t id, int replace)
{
    const struct drxf_kind *kind;
    drx_array *a;
    void *it;
    const drx_status st = drxf_an_array(id, &it, &kind, &a);

    return st ? st : kind->persist(it, replace ? DRX_REPLACE : 0);
}

/* ---- growth ---------------------------------------------------------------------- */

DRX_API drx_status drxf_extend(int64_t id, int before, const CFI_cdesc_t *axis, const CFI_cdesc_t *by)
{
    const struct drxf_kind *kind;
    struct drxf_kept wrong;
    drx_array *a;
    void *it;
    int at = -1;
    int64_t n = 0;
    drx_status st = drxf_an_array(id, &it, &kind, &a);

    if (st)
        return st;
    st = drxf_axis(a, axis, &at);
    if (!st)
        st = drxf_integer(by, "by", &n);
    drxf_keep(&wrong, st);
    return drxf_tell(&wrong, kind->together,
                     before ? kind->extend_before(it, st ? -1 : at, n) : kind->extend(it, st ? -1 : at, n));
}

DRX_API drx_status drxf_trim(int64_t id, const CFI_cdesc_t *axis, const CFI_cdesc_t *before, const CFI_cdesc_t *after)
{
    const struct drxf_kind *kind;
    struct drxf_kept wrong;
    drx_array *a;
    void *it;
    int at = -1;
    int64_t low = 0, high = 0;
    drx_status st = drxf_an_array(id, &it, &kind, &a);

    if (st)
        return st;
    st = drxf_axis(a, axis, &at);
    if (!st && before)
        st = drxf_integer(before, "before", &low);
    if (!st && after)
        st = drxf_integer(after, "after", &high);
    drxf_keep(&wrong, st);
    return drxf_tell(&wrong, kind->together, kind->trim(it, st ? -1 : at, low, high));
}

DRX_API drx_status drxf_add_axis(int64_t id, const CFI_cdesc_t *at, const char *name)
{
    const struct drxf_kind *kind;
    struct drxf_kept wrong;
    drx_array *a;
    void *it;
    int64_t number = 0;
    drx_status st = drxf_an_array(id, &it, &kind, &a);

    if (st)
        return st;
    st = drxf_integer(at, "at", &number);
    if (!st && (number < 1 || number > drx_ndim(a) + 1))
        st = drxf_fail_of(a, DRX_EINVAL, "at is %lld, expected 1 to %d", (long long)number, drx_ndim(a) + 1);
    drxf_keep(&wrong, st);
    return drxf_tell(&wrong, kind->together, kind->add_axis(it, st ? -1 : (int)number - 1, name));
}

DRX_API drx_status drxf_dim_rename(int64_t id, const CFI_cdesc_t *axis, const char *name)
{
    const struct drxf_kind *kind;
    struct drxf_kept wrong;
    drx_array *a;
    void *it;
    int at = -1;
    drx_status st = drxf_an_array(id, &it, &kind, &a);

    if (st)
        return st;
    st = drxf_axis(a, axis, &at);
    drxf_keep(&wrong, st);
    return drxf_tell(&wrong, kind->together, kind->dim_rename(it, at, *name ? name : NULL));
}
