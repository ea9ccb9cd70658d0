/* Arrays and datasets of many processes. */
#include <stdio.h>
#include <string.h>

#include "fmp.h"

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

static drx_status move(void *it, enum drxf_move how, const struct drxf_kept *wrong, const struct drxf_box *b)
{
    switch (how) {
    case DRXF_MOVE_READ_ALL:
        return tell(it, wrong, drxmp_read_box_all(it, wrong->st ? NULL : &b->box, b->memory));
    case DRXF_MOVE_WRITE_ALL:
        return tell(it, wrong, drxmp_write_box_all(it, wrong->st ? NULL : &b->box, b->memory));
    case DRXF_MOVE_GET:
        return drxmp_get_box(it, &b->box, b->memory, NULL);
    case DRXF_MOVE_PUT:
        return drxmp_put_box(it, &b->box, b->memory, NULL);
    default:
        return drxmp_acc_box(it, &b->box, NULL, b->memory, NULL);
    }
}

static drx_status append(void *it, bool before, int axis, int64_t by, const struct drxf_kept *wrong,
                         const struct drxf_box *b, const void *slab)
{
    const int64_t *lo = wrong->st ? NULL : b->lo;

    return tell(it, wrong,
                (before ? drxmp_prepend_all : drxmp_append_all)(it, axis, by, lo, b->count, DRX_COL_MAJOR, slab));
}

static drx_status fetch_add(void *it, const int64_t at[], int64_t by, int64_t *old)
{
    return drxmp_fetch_add(it, at, by, old);
}

/* ---- the kinds ----------------------------------------------------------------------------- */

#define CALL(name) drxmp_##name
#define MAKE(name, ...) drxmp_##name(*(const MPI_Comm *)w->comm, __VA_ARGS__)
#define VIEW(name, it) drxmp_##name(it)
#define TOGETHER true
#define ELEMENTS .move = move, .append = append, .fetch_add = fetch_add
#include "../f_kinds.h"

/* An error ends all processes. */
static void stop_all(void)
{
    int begun = 0, ended = 1;

    if (MPI_Initialized(&begun) == MPI_SUCCESS && begun && MPI_Finalized(&ended) == MPI_SUCCESS && !ended)
        (void)MPI_Abort(MPI_COMM_WORLD, 1);
}

drx_status drxfi_comm(const CFI_cdesc_t *given, MPI_Comm *out)
{
    const bool integer = DRXF_KIND(given->type) == DRXF_KIND(CFI_type_int64_t);
    char room[DRXF_MOST_NAME];
    MPI_Fint number;

    drxf_stop_others = stop_all;
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
    struct drxf_target t;
    const drx_status st = drxf_any(id, &t);

    *out = t.it;
    return st || t.kind == &array_kind ? st : drxf_other(t.kind, "an array of drxmp_open or drxmp_create");
}

DRX_API drx_status drxmpf_make(const CFI_cdesc_t *comm, int what, const char *path, int64_t *id,
                               const struct drxf_spec *from, const int *mode, const CFI_cdesc_t *at)
{
    MPI_Comm its_comm;
    const drx_status st = drxfi_comm(comm, &its_comm);

    *id = 0;
    return st ? st : drxf_make_with(&dataset_kind, &its_comm, what, path, id, from, mode, at);
}
