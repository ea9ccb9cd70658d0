/* Distributed arrays in memory. Sections have the order of Fortran, and indices count from 1. */
#include <stdlib.h>
#include <string.h>

#include "fmp.h"

struct drxfi_darray {
    drxmp_darray *d;
    struct drxf_frame frame; /* of all its elements */
};

static drx_status close_darray(void *it)
{
    struct drxfi_darray *mine = it;
    const drx_status st = drxmp_darray_free(mine->d);

    if (st != DRX_EBUSY) /* then it exists yet */
        free(mine);
    return st;
}

static const struct drxf_frame *frame(void *it)
{
    const struct drxfi_darray *mine = it;

    return &mine->frame;
}

static drx_status move(void *it, enum drxf_move how, const struct drxf_kept *wrong, const struct drxf_box *b)
{
    drxmp_darray *d = ((struct drxfi_darray *)it)->d;

    (void)wrong;
    if (how == DRXF_MOVE_DARRAY_GET)
        return drxmp_darray_get_box(d, &b->box, b->memory, NULL);
    if (how == DRXF_MOVE_DARRAY_PUT)
        return drxmp_darray_put_box(d, &b->box, b->memory, NULL);
    return drxmp_darray_acc_box(d, &b->box, NULL, b->memory, NULL);
}

static drx_status fetch_add(void *it, const int64_t at[], int64_t by, int64_t *old)
{
    return drxmp_darray_fetch_add(((struct drxfi_darray *)it)->d, at, by, old);
}

/* Of this process's section, ghosts included: its extents, or the first index. */
static void bounds(void *it, enum drxf_bounds which, int64_t out[])
{
    const struct drxfi_darray *mine = it;
    const struct dap_dim *dims = drxmp_darray_dims(mine->d);
    int64_t first;

    for (int j = 0; j < mine->frame.ndim; j++) {
        if (which == DRXF_BOUNDS_LOCAL_SHAPE)
            out[j] = dap_num_local(&dims[j]);
        else
            out[j] = dap_num_local(&dims[j]) && !dap_local_to_global(&dims[j], 0, &first) ? first + 1 : 1;
    }
}

static const struct drxf_kind darray_kind = {
    .name = "a distributed array",
    .together = true,
    .close = close_darray,
    .frame = frame,
    .move = move,
    .fetch_add = fetch_add,
    .bounds = bounds,
};

static drx_status find(int64_t id, struct drxfi_darray **out)
{
    struct drxf_target t;
    const drx_status st = drxf_any(id, &t);

    *out = t.it;
    return st || t.kind == &darray_kind ? st : drxf_other(t.kind, "a distributed array");
}

/* Memory for a handle, before the collective call; NULL: there is none. */
static struct drxfi_darray *new_darray(void)
{
    struct drxfi_darray *mine = drxf_room() ? NULL : calloc(1, sizeof *mine);

    if (!mine)
        (void)drxf_fail(DRX_ENOMEM, "no memory for a handle");
    return mine;
}

/* The handle of what a call has made, unless it failed. */
static drx_status give(drx_status st, struct drxfi_darray *mine, drxmp_darray *d, drx_type type, int ndim, int64_t *id)
{
    const struct dap_dim *dims = st ? NULL : drxmp_darray_dims(d);

    *id = 0;
    if (st) {
        free(mine);
        return st;
    }
    *mine = (struct drxfi_darray){ .d = d, .frame = { .ndim = ndim, .type = type } };
    for (int j = 0; j < ndim; j++)
        mine->frame.shape[j] = dims[j].size;
    return drxf_give(st, &darray_kind, mine, 0, id);
}

/* ---- makers ------------------------------------------------------------------------- */

/* What a program says of a distributed array. An absent argument is a null pointer. */
struct wish {
    const CFI_cdesc_t *shape, *grid, *halo;
};

static drx_status choose_grid(MPI_Comm comm, const struct wish *wish, int ndim, int64_t grid[])
{
    int ranks, dims[DRX_MAX_NDIM] = { 0 };
    int64_t product = 1;
    drx_status st;

    if (MPI_Comm_size(comm, &ranks) != MPI_SUCCESS)
        return drxf_fail(DRX_EMPI, "the ranks of comm cannot be counted");
    if (!wish->grid) {
        if (MPI_Dims_create(ranks, ndim, dims) != MPI_SUCCESS)
            return drxf_fail(DRX_EMPI, "no grid for %d ranks", ranks);
        for (int j = 0; j < ndim; j++)
            grid[j] = dims[j];
        return DRX_OK;
    }
    st = drxf_integers(wish->grid, "grid", ndim, ", one for each axis", grid);
    for (int j = 0; !st && j < ndim; j++) {
        if (grid[j] < 1 || product > ranks / grid[j])
            st = drxf_fail(DRX_EINVAL, "grid(%d) is %lld; expected numbers of ranks whose product is %d", j + 1,
                           (long long)grid[j], ranks);
        product *= grid[j];
    }
    if (!st && product != ranks)
        st = drxf_fail(DRX_EINVAL, "the numbers of grid multiply to %lld, expected %d, the ranks", (long long)product,
                       ranks);
    return st;
}

/* Even blocks, each as wide as its neighbours want to see of it. */
static drx_status describe(MPI_Comm comm, const struct wish *wish, int ndim, struct dap_dim dims[])
{
    int64_t shape[DRX_MAX_NDIM], grid[DRX_MAX_NDIM], halo[DRX_MAX_NDIM] = { 0 }, at[DRX_MAX_NDIM];
    int rank, bad = 0;
    drx_status st = drxf_integers(wish->shape, "shape", ndim, "", shape);

    if (!st)
        st = choose_grid(comm, wish, ndim, grid);
    if (!st && wish->halo)
        st = drxf_integers(wish->halo, "halo", ndim, ", one for each axis", halo);
    if (!st && (MPI_Comm_rank(comm, &rank) != MPI_SUCCESS || dap_grid_coords(ndim, grid, rank, at)))
        st = drxf_fail(DRX_EMPI, "this rank has no place in the grid");
    for (int j = 0; !st && j < ndim; j++) {
        bad = dap_block(shape[j], 1, grid[j], at[j], &dims[j]);
        if (!bad)
            bad = dap_pad(&dims[j], at[j] > 0 ? halo[j] : 0, at[j] + 1 < grid[j] ? halo[j] : 0, 0);
        if (bad)
            st = drxf_fail(DRX_EINVAL, "axis %d: a shape of %lld over %lld ranks with a halo of %lld: %s", j + 1,
                           (long long)shape[j], (long long)grid[j], (long long)halo[j], dap_strerror(bad));
    }
    return st;
}

DRX_API drx_status drxmpf_darray_create(const CFI_cdesc_t *comm, const CFI_cdesc_t *shape, int type,
                                        const CFI_cdesc_t *grid, const CFI_cdesc_t *halo, int64_t *id)
{
    const struct wish wish = { .shape = shape, .grid = grid, .halo = halo };
    const int64_t axes = drxf_size(shape);
    struct drxfi_darray *mine;
    struct dap_dim dims[DRX_MAX_NDIM];
    struct drxf_kept wrong;
    drxmp_darray *d = NULL;
    MPI_Comm its_comm;
    drx_status st = drxfi_comm(comm, &its_comm);

    *id = 0;
    if (st)
        return st;
    mine = new_darray();
    st = mine ? DRX_OK : DRX_ENOMEM;
    if (!st && (axes < 1 || axes > DRX_MAX_NDIM))
        st = drxf_fail(DRX_EINVAL, "shape has %lld elements, expected 1 to %d", (long long)axes, DRX_MAX_NDIM);
    if (!st)
        st = describe(its_comm, &wish, (int)axes, dims);
    drxf_keep(&wrong, st);
    st = drxf_tell(&wrong, true,
                   drxmp_darray_create(its_comm, (drx_type)type, st ? -1 : (int)axes, dims, DRX_COL_MAJOR, &d));
    return give(st, mine, d, (drx_type)type, (int)axes, id);
}

DRX_API drx_status drxmpf_darray_zones(int64_t array, const CFI_cdesc_t *grid, int64_t *id)
{
    int64_t wanted[DRX_MAX_NDIM];
    int ranks[DRX_MAX_NDIM];
    struct drxfi_darray *mine;
    struct drxf_kept wrong;
    drxmp_darray *d = NULL;
    drx_array *serial;
    drxmp_array *a;
    drx_status st = drxfi_mp_array(array, &a);

    *id = 0;
    if (st)
        return st;
    serial = drxmp_serial(a);
    mine = new_darray();
    st = mine ? DRX_OK : DRX_ENOMEM;
    if (!st && grid)
        st = drxf_integers(grid, "grid", drx_ndim(serial), ", one for each axis", wanted);
    drxf_keep(&wrong, st);
    for (int j = 0; j < drx_ndim(serial); j++)
        ranks[j] = st || !grid || wanted[j] < 1 || wanted[j] > INT32_MAX ? 0 : (int)wanted[j]; /* 0 is refused */
    st = drxf_tell(&wrong, true, drxmp_darray_zones(a, st || grid ? ranks : NULL, NULL, DRX_COL_MAJOR, &d));
    return give(st, mine, d, drx_dtype(serial), drx_ndim(serial), id);
}

/* ---- inquiries -------------------------------------------------------------------------- */

DRX_API void *drxmpf_darray_local(int64_t id)
{
    struct drxfi_darray *mine;

    return find(id, &mine) ? NULL : drxmp_darray_local(mine->d);
}

/* Of this rank when `rank` is absent. */
DRX_API drx_status drxmpf_darray_zone(int64_t id, const CFI_cdesc_t *rank, int64_t start[], int64_t count[])
{
    struct drxfi_darray *mine;
    const struct dap_dim *dims;
    int64_t which = 0, grid[DRX_MAX_NDIM], at[DRX_MAX_NDIM];
    drx_status st = find(id, &mine);

    if (st)
        return st;
    dims = drxmp_darray_dims(mine->d);
    for (int j = 0; j < mine->frame.ndim; j++) {
        grid[j] = dims[j].proc_grid_size;
        at[j] = dims[j].proc_grid_rank;
    }
    if (rank)
        st = drxf_integer(rank, "rank", &which);
    else if (dap_grid_rank(mine->frame.ndim, grid, at, &which))
        st = drxf_fail(DRX_EINVAL, "this rank has no place in the grid");
    if (!st && (which < 0 || which > INT32_MAX))
        st = drxf_fail(DRX_EINVAL, "rank is %lld, expected that of a process", (long long)which);
    if (!st)
        st = drxmp_darray_zone(mine->d, (int)which, NULL, start, count);
    for (int j = 0; !st && j < mine->frame.ndim; j++)
        start[j]++;
    return st;
}

DRX_API drx_status drxmpf_darray_owner(int64_t id, const CFI_cdesc_t *index, int *rank)
{
    struct drxfi_darray *mine;
    int64_t at[DRX_MAX_NDIM];
    drx_status st = find(id, &mine);

    if (!st)
        st = drxf_index(&mine->frame, index, "index", at);
    return st ? st : drxmp_darray_owner(mine->d, at, rank);
}

/* ---- to and from arrays --------------------------------------------------------------------- */

DRX_API drx_status drxmpf_darray_transfer(int64_t id, int writing, int64_t array, const CFI_cdesc_t *start)
{
    struct drxfi_darray *mine;
    int64_t lo[DRX_MAX_NDIM];
    struct drxf_kept wrong;
    drxmp_array *a;
    drx_status st = find(id, &mine);

    if (!st)
        st = drxfi_mp_array(array, &a);
    if (st)
        return st;
    if (start)
        st = drxf_integers(start, "start", drx_ndim(drxmp_serial(a)), ", one for each axis", lo);
    drxf_keep(&wrong, st);
    for (int j = 0; start && j < drx_ndim(drxmp_serial(a)); j++)
        lo[j] = st || lo[j] < 1 || lo[j] > INT64_MAX / 4 ? INT64_MIN / 4 : drx_lower(drxmp_serial(a))[j] + lo[j] - 1;
    st = writing ? drxmp_darray_write(mine->d, a, start ? lo : NULL) : drxmp_darray_read(mine->d, a, start ? lo : NULL);
    return drxf_tell(&wrong, true, st);
}

/* to: another one, which it is redistributed to; absent: refresh the halos, or add them. */
DRX_API drx_status drxmpf_darray_sync(int64_t id, int adding, const int64_t *to)
{
    struct drxfi_darray *mine, *other = NULL;
    drx_status st = find(id, &mine);

    if (!st && to)
        st = find(*to, &other);
    if (st)
        return st;
    if (to)
        return drxmp_darray_redistribute(mine->d, other->d);
    return adding ? drxmp_darray_sync_add(mine->d) : drxmp_darray_sync(mine->d);
}
