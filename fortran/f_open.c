/* Arrays and datasets that are made, opened, lent and closed. */
#include "drxf.h"

drx_status drxf_make_with(const struct drxf_kind *datasets, const void *comm, enum drxf_make what, const char *path,
                          int64_t *id, const struct drxf_spec *from, const int *mode, const CFI_cdesc_t *at)
{
    const bool array = what == DRXF_MAKE_ARRAY || what == DRXF_MAKE_OPEN_ARRAY;
    const struct drxf_kind *kind = array ? datasets->lent : datasets;
    struct drxf_wish wish = { .comm = comm, .mode = mode ? *mode : DRX_RDONLY, .at = DRX_LAST };
    struct drxf_made made;
    struct drxf_kept wrong;
    void *it = NULL;
    drx_status st = drxf_room();

    *id = 0;
    if (!st && from)
        st = drxf_make_spec(from, &made);
    if (!st && at)
        st = drxf_integer(at, "at", &wish.at);
    if (st && !kind->together)
        return st;
    drxf_keep(&wrong, st);
    wish.create = what == DRXF_MAKE_ARRAY || what == DRXF_MAKE_DATASET;
    wish.spec = st ? NULL : &made.spec;
    if (what == DRXF_MAKE_ARRAY)
        wish.path = *path ? path : NULL;
    else
        wish.path = st ? NULL : path;
    st = drxf_tell(&wrong, kind->together, kind->make(&wish, &it));
    return drxf_give(st, kind, it, 0, id);
}

/* Without a spec, the array of a variable; with one, of a new variable. */
DRX_API drx_status drxf_lend(int64_t id, const char *name, const struct drxf_spec *from, int64_t *array)
{
    struct drxf_target t;
    struct drxf_made made;
    struct drxf_kept wrong;
    void *it = NULL;
    drx_status st = drxf_a_dataset(id, &t);

    *array = 0;
    if (st)
        return st;
    st = from ? drxf_make_spec(from, &made) : DRX_OK;
    drxf_keep(&wrong, st);
    st = drxf_tell(&wrong, t.kind->together, t.kind->lend(t.it, name, from, st ? NULL : &made.spec, &it));
    return drxf_give(st, t.kind->lent, it, id, array);
}

/* A handle that is not open any more, or never was, is fine. */
DRX_API drx_status drxf_close(int64_t id)
{
    struct drxf_target t;
    const bool is_open = drxf_find(id, &t);
    const drx_status st = is_open && !t.lender ? t.kind->close(t.it) : DRX_OK;

    if (!(is_open && t.kind->together && st == DRX_EBUSY)) /* then it is open yet */
        drxf_forget(id);
    return st;
}

/* For a variable that goes out of scope. A collective call is not made for that. */
DRX_API void drxf_drop(int64_t id)
{
    struct drxf_target t;

    if (drxf_find(id, &t) && !t.kind->together)
        (void)drxf_close(id);
}

DRX_API int drxf_is_open(int64_t id)
{
    struct drxf_target t;

    return drxf_find(id, &t);
}
