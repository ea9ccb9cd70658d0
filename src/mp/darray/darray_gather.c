/* Gathering and checking the descriptions of all ranks. Ranks that must have equal indices share one copy. */
#include "mp/darray/darray.h"

enum { WORDS = 11 }; /* of a packed description */

static const int64_t most_at_once = 1 << 27; /* indices in a message: counts are int */

static void pack(const struct dap_dim *d, int64_t words[WORDS])
{
    const int64_t all[WORDS] = { d->dist_type,      d->flags,      d->size,     d->proc_grid_size,
                                 d->proc_grid_rank, d->start,      d->stop,     d->padding[0],
                                 d->padding[1],     d->block_size, d->n_indices };

    memcpy(words, all, sizeof all);
}

static void unpack(const int64_t w[WORDS], struct dap_dim *d)
{
    *d = (struct dap_dim){ .dist_type = (int32_t)w[0],
                           .flags = (uint32_t)w[1],
                           .size = w[2],
                           .proc_grid_size = w[3],
                           .proc_grid_rank = w[4],
                           .start = w[5],
                           .stop = w[6],
                           .padding = { w[7], w[8] },
                           .block_size = w[9],
                           .n_indices = w[10] };
}

static drx_status gather_dims(drxmp_darray *d, const struct dap_dim mine[], int64_t *wire)
{
    const int width = WORDS * d->ndim;
    drx_status st;

    for (int j = 0; j < d->ndim; j++)
        pack(&mine[j], wire + (int64_t)d->rank * width + (int64_t)j * WORDS);
    st = drxi_mpi(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, wire, width, MPI_INT64_T, d->comm),
                  "gathering descriptions");
    for (int64_t i = 0; !st && i < (int64_t)d->ranks * d->ndim; i++)
        unpack(wire + i * WORDS, &d->dims[i]);
    return st;
}

/* The rank with which `rank` shares its indices of an axis: the one with the same grid coordinate on this axis and 0 on
 * the others, if the descriptions determine it and it is lower; otherwise `rank` itself. */
static int like(const drxmp_darray *d, int rank, int axis)
{
    const struct dap_dim *dim = drxi_darray_dim(d, rank, axis);
    int64_t behind = 1, all = 1, first;

    for (int j = 0; j < d->ndim; j++) {
        behind = j > axis ? drxi_mul_saturated(behind, d->dims[j].proc_grid_size) : behind;
        all = drxi_mul_saturated(all, d->dims[j].proc_grid_size);
    }
    first = drxi_mul_saturated(dim->proc_grid_rank, behind);
    if (all != d->ranks || first >= rank || drxi_darray_dim(d, (int)first, axis)->n_indices != dim->n_indices)
        return rank;
    return (int)first;
}

/* Count the indices that ranks must send. */
static drx_status count_indices(const drxmp_darray *d, int64_t *n)
{
    bool fits = true;

    *n = 0;
    for (int rank = 0; rank < d->ranks; rank++)
        for (int j = 0; j < d->ndim; j++)
            if (like(d, rank, j) == rank)
                fits = fits && drxi_add(*n, drxi_darray_dim(d, rank, j)->n_indices, n);
    return fits && *n <= INT64_MAX / 64 ? DRX_OK
                                        : drxi_fail(DRX_EOVERFLOW, "the indices of all ranks overflow 64 bits");
}

static drx_status send_indices(const drxmp_darray *d, int64_t *indices, int64_t n, int from)
{
    drx_status st = DRX_OK;

    for (int64_t at = 0; !st && at < n; at += most_at_once)
        st = drxi_mpi(MPI_Bcast(indices + at, (int)drxi_min(n - at, most_at_once), MPI_INT64_T, from, d->comm),
                      "sending indices");
    return st;
}

/* Check that this rank's indices of an axis equal those of the rank that sent them. */
static drx_status compare_axes(const struct dap_dim *mine, const struct dap_dim *others, int other, int axis)
{
    if (memcmp(mine->indices, others->indices, (size_t)mine->n_indices * sizeof *mine->indices) == 0)
        return DRX_OK;
    return drxi_fail(DRX_EINVAL, "axis %d, indices: not as on rank %d, which has the same proc_grid_rank", axis, other);
}

/* Send the indices of all ranks to all, into d->indices, which has room. */
static drx_status share_indices(drxmp_darray *d, const struct dap_dim mine[])
{
    int64_t *to = d->indices;
    drx_status st = DRX_OK, one = DRX_OK;

    for (int rank = 0; rank < d->ranks; rank++)
        for (int j = 0; j < d->ndim; j++) {
            struct dap_dim *dim = &d->dims[(int64_t)rank * d->ndim + j];
            const int from = like(d, rank, j);

            if (dim->n_indices == 0)
                continue;
            dim->indices = from < rank ? drxi_darray_dim(d, from, j)->indices : to;
            if (from == rank) {
                if (rank == d->rank)
                    memcpy(to, mine[j].indices, (size_t)dim->n_indices * sizeof *to);
                one = send_indices(d, to, dim->n_indices, rank);
                to += dim->n_indices;
            } else if (rank == d->rank) {
                one = compare_axes(&mine[j], dim, from, j);
            }
            st = st ? st : one;
        }
    return st;
}

drx_status drxi_dap_fail(int status, const char *why)
{
    static const drx_status of[] = { DRX_OK, DRX_EINVAL, DRX_ENOMEM, DRX_EOVERFLOW, DRX_ERANGE, DRX_EUNSUPPORTED };
    const size_t i = (size_t)-status;

    return status ? drxi_fail(i < sizeof of / sizeof of[0] ? of[i] : DRX_EINVAL, "%s", why) : DRX_OK;
}

drx_status drxi_gather_dims(drxmp_darray *d, const struct dap_dim mine[])
{
    int64_t *wire = drxi_malloc((size_t)d->ranks * (size_t)d->ndim * WORDS * sizeof *wire);
    int64_t n = 0;
    char why[512];
    drx_status st = drxi_agree(d->comm, wire ? DRX_OK : DRX_ENOMEM, NULL);

    if (!st)
        st = gather_dims(d, mine, wire);
    drxi_free(wire);
    if (!st)
        st = count_indices(d, &n);
    if (!st && !(d->indices = drxi_malloc((size_t)n * sizeof *d->indices)))
        st = drxi_fail(DRX_ENOMEM, "out of memory for %lld indices of all ranks", (long long)n);
    st = drxi_agree(d->comm, st, NULL);
    if (!st)
        st = share_indices(d, mine);
    if (!st)
        st = drxi_dap_fail(dap_validate_dims_set(d->ranks, d->ndim, d->dims, NULL, why, sizeof why), why);
    return st;
}
