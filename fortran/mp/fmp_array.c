/* Arrays of many processes. A rank with wrong arguments makes its collective call with some that the call refuses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmp_calls.h"

/* ---- the kind ------------------------------------------------------------------------- */

static drx_array *array(void *it)
{
    return drxmp_serial(it);
}

static drx_status close_array(void *it)
{
    return drxmp_close(it);
}

static drx_status refresh(void *it)
{
    return drxmp_refresh(it);
}

static drx_status attr_set(void *it, const struct drxf_part *of, const char *name, drx_type type, int64_t n,
                           const void *values)
{
    (void)of;
    return drxmp_attr_set(it, name, type, n, values);
}

static drx_status attr_set_text(void *it, const struct drxf_part *of, const char *name, const char *text)
{
    (void)of;
    return drxmp_attr_set_text(it, name, text);
}

static drx_status attr_delete(void *it, const struct drxf_part *of, const char *name)
{
    (void)of;
    return drxmp_attr_delete(it, name);
}

static drx_status sync_array(void *it)
{
    return drxmp_sync(it);
}

static drx_status persist(void *it, unsigned flags)
{
    return drxmp_persist(it, flags);
}

static drx_status extend(void *it, int axis, int64_t by)
{
    return drxmp_extend(it, axis, by);
}

static drx_status extend_before(void *it, int axis, int64_t by)
{
    return drxmp_extend_before(it, axis, by);
}

static drx_status trim(void *it, int axis, int64_t before, int64_t after)
{
    return drxmp_trim(it, axis, before, after);
}

static drx_status add_axis(void *it, int at, const char *name)
{
    return drxmp_add_axis(it, at, name);
}

static drx_status dim_rename(void *it, int axis, const char *name)
{
    return drxmp_dim_rename(it, axis, name);
}

const struct drxf_kind drxfi_mp_array_kind = {
    .name = "array",
    .together = true,
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

/* ---- create and open -------------------------------------------------------------------- */

drx_status drxfi_comm(const CFI_cdesc_t *given, MPI_Comm *out)
{
    const bool integer = DRXF_KIND(given->type) == DRXF_KIND(CFI_type_int64_t);
    char room[DRXF_MOST_NAME];
    MPI_Fint number;

    *out = MPI_COMM_NULL;
    if (given->rank || given->elem_len != sizeof number || (given->type != CFI_type_struct && !integer))
        return drxf_fail(DRX_EINVAL, "comm is %s, expected a type(MPI_Comm) or an integer",
                         drxf_declared_as(given, room));
    memcpy(&number, given->base_addr, sizeof number);
    *out = MPI_Comm_f2c(number);
    return DRX_OK;
}

drx_status drxfi_mp_array(int64_t id, drxmp_array **out)
{
    const struct drxf_kind *kind;
    void *it;
    drx_status st = drxf_any(id, &it, &kind);

    if (!st && kind != &drxfi_mp_array_kind)
        st = drxf_fail(DRX_EINVAL, "the handle is that of a %s, expected an array of drxmp_open or drxmp_create",
                       kind->name);
    if (!st)
        *out = it;
    return st;
}

DRX_API drx_status drxmpf_create(const CFI_cdesc_t *comm, const char *path, const struct drxf_spec *from, int64_t *id)
{
    struct drxf_made made;
    struct drxf_kept wrong;
    drxmp_array *a = NULL;
    MPI_Comm its_comm;
    drx_status st = drxfi_comm(comm, &its_comm);

    *id = 0;
    if (st)
        return st;
    st = drxf_room();
    if (!st)
        st = drxf_make_spec(from, &made);
    drxf_keep(&wrong, st);
    st = drxf_tell(&wrong, true, drxmp_create(its_comm, *path ? path : NULL, st ? NULL : &made.spec, &a));
    return drxf_give(st, &drxfi_mp_array_kind, a, 0, id);
}

DRX_API drx_status drxmpf_open(const CFI_cdesc_t *comm, const char *path, int mode, int64_t *id)
{
    struct drxf_kept wrong;
    drxmp_array *a = NULL;
    MPI_Comm its_comm;
    drx_status st = drxfi_comm(comm, &its_comm);

    *id = 0;
    if (st)
        return st;
    st = drxf_room();
    drxf_keep(&wrong, st);
    st = drxf_tell(&wrong, true, drxmp_open(its_comm, st ? NULL : path, mode, &a));
    return drxf_give(st, &drxfi_mp_array_kind, a, 0, id);
}

/* An error ends all processes. */
DRX_API void drxmpf_stop(void)
{
    int begun = 0, ended = 1;

    if (MPI_Initialized(&begun) == MPI_SUCCESS && begun && MPI_Finalized(&ended) == MPI_SUCCESS && !ended)
        (void)MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- elements ------------------------------------------------------------------------------ */

/* As drxf_tell, of a call that refuses what a wrong rank gives, but does not compare it: the others return the error
 * of the first such rank, too. Collective. */
static drx_status tell(drxmp_array *a, const struct drxf_kept *wrong, drx_status st)
{
    const MPI_Comm comm = drxmp_comm(a);
    struct drxf_kept first = *wrong;
    int rank = 0, ranks = 0, from;
    char detail[sizeof first.detail + 32];

    if (!st || st == DRX_EMPI || st == DRX_EMISMATCH) /* perhaps others have made another call */
        return drxf_tell(wrong, true, st);
    (void)MPI_Comm_rank(comm, &rank);
    (void)MPI_Comm_size(comm, &ranks);
    from = wrong->st ? rank : ranks;
    if (MPI_Allreduce(MPI_IN_PLACE, &from, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS || from == ranks ||
        MPI_Bcast(&first, sizeof first, MPI_BYTE, from, comm) != MPI_SUCCESS)
        return drxf_tell(wrong, true, st);
    (void)snprintf(detail, sizeof detail, "rank %d: %s", from, first.detail);
    return drx_fail(first.st, rank == from ? first.detail : detail);
}

DRX_API drx_status drxmpf_read_all(int64_t id, const CFI_cdesc_t *values, const CFI_cdesc_t *start,
                                   const CFI_cdesc_t *count, const CFI_cdesc_t *stride, int bits)
{
    const struct drxf_where where = { .start = start, .count = count, .stride = stride, .as_bits = bits };
    struct drxf_frame f;
    struct drxf_kept wrong;
    struct drxf_box b;
    drxmp_array *a;
    drx_status st = drxfi_mp_array(id, &a);

    if (st)
        return st;
    drxf_frame_of(drxmp_serial(a), &f);
    drxf_keep(&wrong, drxf_relate(&f, values, &where, &b));
    return tell(a, &wrong, drxmp_read_box_all(a, wrong.st ? NULL : &b.box, b.memory));
}

DRX_API drx_status drxmpf_write_all(int64_t id, const CFI_cdesc_t *values, const CFI_cdesc_t *start,
                                    const CFI_cdesc_t *count, const CFI_cdesc_t *stride, int bits)
{
    const struct drxf_where where = { .start = start, .count = count, .stride = stride, .as_bits = bits };
    struct drxf_frame f;
    struct drxf_kept wrong;
    struct drxf_box b;
    drxmp_array *a;
    drx_status st = drxfi_mp_array(id, &a);

    if (st)
        return st;
    drxf_frame_of(drxmp_serial(a), &f);
    drxf_keep(&wrong, drxf_relate(&f, values, &where, &b));
    return tell(a, &wrong, drxmp_write_box_all(a, wrong.st ? NULL : &b.box, b.memory));
}

/* The part of this rank, in the array as it will be. */
static drx_status part(drxmp_array *m, bool before, const CFI_cdesc_t *axis, const CFI_cdesc_t *by,
                       const CFI_cdesc_t *values, const struct drxf_where *where, int *at, int64_t *n,
                       struct drxf_box *b)
{
    struct drxf_frame f;
    drx_status st;

    drxf_frame_of(drxmp_serial(m), &f);
    *n = 0;
    st = drxf_axis(f.a, axis, at);
    if (!st)
        st = drxf_integer(by, "by", n);
    if (!st && (*n < 0 || *n > INT64_MAX / 4))
        st = drxf_fail_of(f.a, DRX_EINVAL, "by is %lld, expected the indices that are new, at least 0", (long long)*n);
    if (st)
        return st;
    f.shape[*at] += *n;
    if (before)
        f.lower[*at] -= *n;
    return drxf_relate(&f, values, where, b);
}

DRX_API drx_status drxmpf_append_all(int64_t id, int before, const CFI_cdesc_t *axis, const CFI_cdesc_t *by,
                                     const CFI_cdesc_t *values, const CFI_cdesc_t *start, const CFI_cdesc_t *count,
                                     int bits)
{
    const struct drxf_where where = { .start = start, .count = count, .as_bits = bits };
    const void *slab = NULL;
    void *made = NULL;
    struct drxf_kept wrong;
    struct drxf_box b;
    drxmp_array *a;
    int64_t n;
    int at = -1; /* is refused */
    drx_status st = drxfi_mp_array(id, &a);

    if (st)
        return st;
    st = part(a, before, axis, by, values, &where, &at, &n, &b);
    if (!st) {
        slab = drxf_in_one_piece(values, &made);
        st = slab ? DRX_OK : DRX_ENOMEM;
    }
    drxf_keep(&wrong, st);
    st = (before ? drxmp_prepend_all : drxmp_append_all)(a, at, n, st ? NULL : b.lo, b.count, DRX_COL_MAJOR, slab);
    free(made);
    return tell(a, &wrong, st);
}

/* ---- one-sided, to an array in the memory of the job ------------------------------------------- */

DRX_API drx_status drxmpf_access(int64_t id, int how, const CFI_cdesc_t *values, const CFI_cdesc_t *start,
                                 const CFI_cdesc_t *count, const CFI_cdesc_t *stride, int bits)
{
    const struct drxf_where where = { .start = start, .count = count, .stride = stride, .as_bits = bits };
    struct drxf_frame f;
    struct drxf_box b;
    drxmp_array *a;
    drx_status st = drxfi_mp_array(id, &a);

    if (st)
        return st;
    drxf_frame_of(drxmp_serial(a), &f);
    if ((st = drxf_relate(&f, values, &where, &b)))
        return st;
    if (how == DRXFI_GET)
        return drxmp_get_box(a, &b.box, b.memory, NULL);
    if (how == DRXFI_PUT)
        return drxmp_put_box(a, &b.box, b.memory, NULL);
    return drxmp_acc_box(a, &b.box, NULL, b.memory, NULL);
}

DRX_API drx_status drxmpf_fetch_add(int64_t id, const CFI_cdesc_t *index, const CFI_cdesc_t *add, int64_t *old)
{
    struct drxf_frame f;
    drxmp_array *a;
    int64_t at[DRX_MAX_NDIM], by = 0;
    drx_status st = drxfi_mp_array(id, &a);

    if (st)
        return st;
    drxf_frame_of(drxmp_serial(a), &f);
    st = drxf_index(&f, index, "index", at);
    if (!st)
        st = drxf_integer(add, "add", &by);
    return st ? st : drxmp_fetch_add(a, at, by, old);
}
