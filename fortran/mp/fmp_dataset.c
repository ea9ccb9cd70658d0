/* Datasets of many processes. */
#include "fmp_calls.h"

static const drx_dataset *dataset(void *it)
{
    return drxmp_dataset_serial(it);
}

static drx_status close_dataset(void *it)
{
    return drxmp_dataset_close(it);
}

static drx_status refresh(void *it)
{
    return drxmp_dataset_refresh(it);
}

static drx_status attr_set(void *it, const struct drxf_part *of, const char *name, drx_type type, int64_t n,
                           const void *values)
{
    return drxmp_dataset_attr_set(it, of->part, of->path, name, type, n, values);
}

static drx_status attr_set_text(void *it, const struct drxf_part *of, const char *name, const char *text)
{
    return drxmp_dataset_attr_set_text(it, of->part, of->path, name, text);
}

static drx_status attr_delete(void *it, const struct drxf_part *of, const char *name)
{
    return drxmp_dataset_attr_delete(it, of->part, of->path, name);
}

static drx_status lend(void *it, const char *name, void **out)
{
    drxmp_array *a = NULL;
    const drx_status st = drxmp_dataset_array(it, name, &a);

    *out = a;
    return st;
}

static drx_status add(void *it, const char *name, const drx_spec *spec, void **out)
{
    drxmp_array *a = NULL;
    const drx_status st = drxmp_dataset_add(it, name, spec, &a);

    *out = a;
    return st;
}

static drx_status remove_variable(void *it, const char *name)
{
    return drxmp_dataset_remove(it, name);
}

static drx_status add_group(void *it, const char *path)
{
    return drxmp_dataset_add_group(it, path);
}

static drx_status remove_group(void *it, const char *path)
{
    return drxmp_dataset_remove_group(it, path);
}

static drx_status set_name(void *it, int part, const char *old_path, const char *new_path)
{
    return drxmp_dataset_set_name(it, part, old_path, new_path);
}

static drx_status grow(void *it, const char *dim, int64_t by)
{
    return drxmp_dataset_extend(it, dim, by);
}

static drx_status grow_before(void *it, const char *dim, int64_t by)
{
    return drxmp_dataset_extend_before(it, dim, by);
}

static drx_status reserve(void *it, const char *dim, int64_t by, int64_t *first)
{
    return drxmp_dataset_reserve(it, dim, by, first);
}

static drx_status reserve_before(void *it, const char *dim, int64_t by, int64_t *first)
{
    return drxmp_dataset_reserve_before(it, dim, by, first);
}

static drx_status shrink(void *it, const char *dim, int64_t before, int64_t after)
{
    return drxmp_dataset_trim(it, dim, before, after);
}

static drx_status widen(void *it, const char *name, int at, const char *dim)
{
    return drxmp_dataset_add_axis(it, name, at, dim);
}

static drx_status commit(void *it, const char *message)
{
    return drxmp_dataset_commit(it, message);
}

static drx_status forget(void *it, int64_t n)
{
    return drxmp_dataset_forget(it, n);
}

static drx_status begin(void *it)
{
    return drxmp_dataset_begin(it);
}

static drx_status compact(void *it)
{
    return drxmp_dataset_compact(it);
}

static drx_status abort_transaction(void *it)
{
    return drxmp_dataset_abort(it);
}

const struct drxf_kind drxfi_mp_dataset_kind = {
    .name = "dataset",
    .together = true,
    .dataset = dataset,
    .close = close_dataset,
    .refresh = refresh,
    .attr_set = attr_set,
    .attr_set_text = attr_set_text,
    .attr_delete = attr_delete,
    .lent = &drxfi_mp_array_kind,
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

DRX_API drx_status drxmpf_dataset_create(const CFI_cdesc_t *comm, const char *path, int64_t *id)
{
    struct drxf_kept wrong;
    drxmp_dataset *ds = NULL;
    MPI_Comm its_comm;
    drx_status st = drxfi_comm(comm, &its_comm);

    *id = 0;
    if (st)
        return st;
    st = drxf_room();
    drxf_keep(&wrong, st);
    if (st)
        path = NULL; /* is refused */
    st = drxmp_dataset_create(its_comm, path, &ds);
    return drxf_give(drxf_tell(&wrong, true, st), &drxfi_mp_dataset_kind, ds, 0, id);
}

DRX_API drx_status drxmpf_dataset_open(const CFI_cdesc_t *comm, const char *path, int mode, const CFI_cdesc_t *at,
                                       int64_t *id)
{
    int64_t commit_number = DRX_LAST;
    struct drxf_kept wrong;
    drxmp_dataset *ds = NULL;
    MPI_Comm its_comm;
    drx_status st = drxfi_comm(comm, &its_comm);

    *id = 0;
    if (st)
        return st;
    st = drxf_room();
    if (!st && at)
        st = drxf_integer(at, "at", &commit_number);
    drxf_keep(&wrong, st);
    st = drxf_tell(&wrong, true, drxmp_dataset_open(its_comm, st ? NULL : path, mode, commit_number, &ds));
    return drxf_give(st, &drxfi_mp_dataset_kind, ds, 0, id);
}
