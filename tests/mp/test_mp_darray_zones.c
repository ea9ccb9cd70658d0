/* Zones of whole chunks, and the grid that the library chooses for them. */
#include "mp/darray/darray.h"
#include "mp_spread.h"

/* The choice of a grid, against all there are. */
enum { MOST = 5 };

struct score {
    int64_t share, sum, grid[MOST];
};

/* The most chunks of an axis that one rank has, counted. */
static int64_t count_share(int64_t chunks, int64_t block, int64_t ranks)
{
    int64_t counts[64] = { 0 }, most = 0;

    for (int64_t i = 0; i < chunks; i++) {
        const int64_t even = (chunks + ranks - 1) / ranks;

        counts[block > 0 ? i / block % ranks : i / even]++;
    }
    for (int64_t r = 0; r < ranks; r++)
        most = counts[r] > most ? counts[r] : most;
    return most;
}

/* Is a better than b: less to do for the one with most, then a smaller sum, then fewer along the last axes. */
static bool is_better(int ndim, const struct score *a, const struct score *b)
{
    if (a->share != b->share)
        return a->share < b->share;
    if (a->sum != b->sum)
        return a->sum < b->sum;
    for (int j = ndim - 1; j >= 0; j--)
        if (a->grid[j] != b->grid[j])
            return a->grid[j] < b->grid[j];
    return false;
}

static void try_all(int ndim, int axis, int64_t left, const int64_t chunks[], const int64_t blocks[], struct score *now,
                    struct score *best)
{
    if (axis == ndim) {
        now->share = 1;
        now->sum = 0;
        for (int j = 0; j < ndim; j++) {
            now->share *= count_share(chunks[j], blocks ? blocks[j] : 0, now->grid[j]);
            now->sum += now->grid[j];
        }
        if (left == 1 && (best->share < 0 || is_better(ndim, now, best)))
            *best = *now;
        return;
    }
    for (now->grid[axis] = 1; now->grid[axis] <= left; now->grid[axis]++)
        if (left % now->grid[axis] == 0)
            try_all(ndim, axis + 1, left / now->grid[axis], chunks, blocks, now, best);
}

TEST(choosing_a_grid)
{
    for (int round = 0; round < 2000; round++) {
        const int ndim = 1 + (int)mp_below(MOST);
        const int64_t ranks = 1 + mp_below(60);
        const bool cyclic = mp_below(2);
        int64_t chunks[MOST], blocks[MOST], grid[MOST];
        struct score now, best = { .share = -1 };

        for (int j = 0; j < ndim; j++) {
            chunks[j] = 1 + mp_below(mp_below(2) ? 40 : 6);
            blocks[j] = 1 + mp_below(4);
        }
        try_all(ndim, 0, ranks, chunks, cyclic ? blocks : NULL, &now, &best);
        assert_ok(drxi_choose_grid(ndim, chunks, cyclic ? blocks : NULL, ranks, grid));
        assert_memory_equal(grid, best.grid, (size_t)ndim * sizeof *grid);
    }
}

/* What no brute force can look at; and an axis without chunks. */
TEST(choosing_a_grid_for_many)
{
    int64_t chunks[DRX_MAX_NDIM], grid[DRX_MAX_NDIM], all = 1;

    for (int j = 0; j < DRX_MAX_NDIM; j++)
        chunks[j] = 2;
    assert_ok(drxi_choose_grid(DRX_MAX_NDIM, chunks, NULL, 1 << 20, grid));
    for (int j = 0; j < DRX_MAX_NDIM; j++) {
        assert_int_equal(grid[j], j < 20 ? 2 : 1);
        all *= grid[j];
    }
    assert_int_equal(all, 1 << 20);
    chunks[0] = 0;
    chunks[1] = INT64_MAX;
    chunks[2] = INT64_MAX;
    assert_ok(drxi_choose_grid(3, chunks, NULL, 6, grid));
    assert_int_equal(grid[0] * grid[1] * grid[2], 6);
}

static int64_t chunks_of(const struct dap_dim *d, int64_t chunk)
{
    return (dap_num_local(d) + chunk - 1) / chunk;
}

/* Whole chunks, each of one rank, spread so that nobody has more than the grid promises; and they hold what is there.
 */
static void check_zones(drxmp_array *a, const int64_t chunk[], drxmp_darray *d, drx_order order)
{
    const int64_t *shape = drx_shape(drxmp_serial(a));
    const struct dap_dim *dims = drxmp_darray_dims(d);
    const int64_t extent[2] = { dap_num_local(&dims[0]), dap_num_local(&dims[1]) };
    const int32_t *mem = drxmp_darray_local(d);
    int64_t mine = chunks_of(&dims[0], chunk[0]) * chunks_of(&dims[1], chunk[1]), all, most, allowed = 1;

    for (int64_t i = 0; i < extent[0]; i++)
        for (int64_t j = 0; j < extent[1]; j++) {
            int64_t global[2], before[2];
            int owner;

            assert_int_equal(dap_local_to_global(&dims[0], i, &global[0]), DAP_OK);
            assert_int_equal(dap_local_to_global(&dims[1], j, &global[1]), DAP_OK);
            assert_int_equal(mem[order == DRX_ROW_MAJOR ? i * extent[1] + j : j * extent[0] + i],
                             global[0] * 1000 + global[1]);
            for (int k = 0; k < 2; k++)
                before[k] = global[k] / chunk[k] * chunk[k];
            assert_ok(drxmp_darray_owner(d, before, &owner)); /* of the whole chunk */
            assert_int_equal(owner, mp_rank);
        }
    (void)MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, mp_comm);
    (void)MPI_Allreduce(&mine, &most, 1, MPI_INT64_T, MPI_MAX, mp_comm);
    for (int k = 0; k < 2; k++) {
        const int64_t chunks = (shape[k] + chunk[k] - 1) / chunk[k];

        all -= k == 0 ? chunks * ((shape[1] + chunk[1] - 1) / chunk[1]) : 0;
        allowed *=
            count_share(chunks, dims[k].dist_type == 'c' ? dims[k].block_size / chunk[k] : 0, dims[k].proc_grid_size);
    }
    assert_int_equal(all, 0);
    assert_int_equal(most, allowed);
}

static drxmp_array *create(const int64_t shape[2], const int64_t chunk[2])
{
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE };

    return mp_create("zoned", &spec);
}

static drxmp_darray *zones(drxmp_array *a, const int grid[], const int64_t blocks[], drx_order order)
{
    drxmp_darray *d;

    assert_ok(drxmp_darray_zones(a, grid, blocks, order, &d));
    return d;
}

TEST(zones_of_an_array)
{
    for (int round = 0; round < 20; round++) {
        const int64_t shape[2] = { mp_below(60), mp_below(60) };
        const int64_t chunk[2] = { 1 + mp_below(8), 1 + mp_below(8) };
        const int64_t blocks[2] = { 1 + mp_below(3), 1 + mp_below(3) };
        const drx_order order = mp_any_order();
        const int across[2] = { 1, mp_ranks };
        drxmp_array *a = create(shape, chunk);
        drxmp_darray *d = zones(a, across, NULL, DRX_ROW_MAJOR);
        int32_t *mem = drxmp_darray_local(d);

        for (int64_t i = 0; i < shape[0]; i++)
            for (int64_t j = drxmp_darray_dims(d)[1].start; j < drxmp_darray_dims(d)[1].stop; j++)
                *mem++ = (int32_t)(i * 1000 + j);
        assert_ok(drxmp_darray_write(d, a, NULL));
        assert_ok(drxmp_darray_free(d));
        for (int way = 0; way < 4; way++) {
            d = zones(a, way / 2 ? across : NULL, way % 2 ? blocks : NULL, order);
            assert_ok(drxmp_darray_read(d, a, NULL));
            check_zones(a, chunk, d, order);
            assert_ok(drxmp_darray_free(d));
        }
        assert_ok(drxmp_close(a));
    }
}

/* The figure of the paper: an array of 10 x 10 in chunks of 2 x 3, of which each of four processes has a zone. */
TEST(zones_of_the_paper)
{
    static const int64_t chunks[4] = { 6, 6, 4, 4 }, shape[2] = { 10, 10 }, chunk[2] = { 2, 3 };
    const int grid[2] = { 2, 2 };
    drxmp_array *a;

    if (mp_ranks != 4)
        return;
    a = create(shape, chunk);
    for (int way = 0; way < 2; way++) { /* without a grid, 5 rows of 4: a column each is even */
        drxmp_darray *d = zones(a, way ? grid : NULL, NULL, DRX_ROW_MAJOR);
        const struct dap_dim *dims = drxmp_darray_dims(d);

        assert_int_equal(chunks_of(&dims[0], 2) * chunks_of(&dims[1], 3), way ? chunks[mp_rank] : 5);
        assert_ok(drxmp_darray_free(d));
    }
    assert_ok(drxmp_close(a));
}

static const int64_t small[2] = { 6, 4 }, small_chunk[2] = { 2, 2 };

TEST(growing)
{
    const int64_t new_lo[2] = { 6, 0 };
    const struct dap_dim part[2] = { mp_block(5), mp_undistributed(4) };
    const int64_t n = 4 * dap_num_local(&part[0]);
    drxmp_array *a = create(small, small_chunk);
    drxmp_darray *before = zones(a, NULL, NULL, DRX_ROW_MAJOR), *after;
    int32_t *mem;

    assert_ok(drxmp_extend(a, 0, 5));
    assert_ok(drxmp_darray_read(before, a, NULL));
    assert_fails(drxmp_darray_read(before, a, new_lo), DRX_ERANGE, "axis 0");
    after = mp_darray(DRX_INT32, 2, part, DRX_ROW_MAJOR);
    mem = drxmp_darray_local(after);
    for (int64_t i = 0; i < n; i++)
        mem[i] = 1 + (int32_t)(part[0].start * 4 + i);
    assert_ok(drxmp_darray_write(after, a, new_lo));
    memset(mem, 0, (size_t)n * sizeof *mem);
    assert_ok(drxmp_darray_read(after, a, new_lo));
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(mem[i], 1 + part[0].start * 4 + i);
    assert_ok(drxmp_darray_free(after));
    after = zones(a, NULL, NULL, DRX_COL_MAJOR);
    assert_ok(drxmp_darray_read(after, a, NULL));
    mem = drxmp_darray_local(after);
    for (int64_t j = drxmp_darray_dims(after)[1].start; j < drxmp_darray_dims(after)[1].stop; j++)
        for (int64_t i = drxmp_darray_dims(after)[0].start; i < drxmp_darray_dims(after)[0].stop; i++)
            assert_int_equal(*mem++, i < 6 ? 0 : 1 + (i - 6) * 4 + j);
    assert_ok(drxmp_darray_free(before));
    assert_ok(drxmp_darray_free(after));
    assert_ok(drxmp_close(a));
}

TEST(wrong_zones)
{
    static const int64_t none[2] = { 1, 0 };
    const bool differs = mp_rank == mp_ranks - 1;
    const int much[2] = { mp_ranks, 2 }, negative[2] = { -1, -mp_ranks }, across[2] = { 1, mp_ranks };
    drxmp_array *a = create(small, small_chunk);
    drxmp_darray *d;

    assert_fails(drxmp_darray_zones(a, much, NULL, DRX_ROW_MAJOR, &d), DRX_EINVAL, "expected");
    assert_null(d);
    assert_fails(drxmp_darray_zones(a, negative, NULL, DRX_ROW_MAJOR, &d), DRX_EINVAL, "grid, axis 0: -1");
    assert_fails(drxmp_darray_zones(a, NULL, none, DRX_ROW_MAJOR, &d), DRX_EINVAL, "block_chunks, axis 1: 0");
    assert_status(drxmp_darray_zones(a, NULL, NULL, (drx_order)7, &d), DRX_EINVAL);
    assert_status(drxmp_darray_zones(NULL, NULL, NULL, DRX_ROW_MAJOR, &d), DRX_EINVAL);
    if (mp_ranks > 1) {
        assert_fails(drxmp_darray_zones(a, differs ? across : NULL, NULL, DRX_ROW_MAJOR, &d), DRX_EMISMATCH,
                     "grid of rank");
        assert_status(drxmp_darray_zones(a, NULL, NULL, differs ? DRX_ROW_MAJOR : DRX_COL_MAJOR, &d), DRX_EMISMATCH);
    }
    assert_ok(drxmp_close(a));
}
