/* Descriptions made from sizes, and the grid of processes, against counting. */
#include "dap_axes.h"

/* Chunks, one by one, to ranks that take as many as are theirs. */
TEST(zones_of_chunks)
{
    uint64_t seed = starting_seed(0);

    for (int i = 0; i < 2000; i++) {
        const int64_t size = random_below(&seed, 100), chunk = 1 + random_below(&seed, 12);
        const int64_t nranks = 1 + random_below(&seed, 9);
        int64_t at = 0, nchunks = 0, most = 0, least = INT64_MAX;

        for (int64_t g = 0; g < size; g += chunk)
            nchunks++;
        for (int64_t r = 0; r < nranks; r++) {
            struct dap_dim d;
            int64_t mine = 0;

            assert_int_equal(dap_block(size, chunk, nranks, r, &d), DAP_OK);
            assert_int_equal(d.start, at);
            while (at < d.stop) { /* to the end of a chunk, or of the axis */
                at = at + chunk < size ? at + chunk : size;
                mine++;
            }
            assert_int_equal(d.stop, at);
            assert_true(mine <= least); /* those with one more come first */
            most = mine > most ? mine : most;
            least = mine < least ? mine : least;
            nchunks -= mine;
        }
        assert_int_equal(nchunks, 0);
        assert_int_equal(at, size);
        assert_true(most - least <= 1);
    }
}

/* Every chunk is whole on one rank; test_dap_map deals out the blocks. */
TEST(dealt_chunks)
{
    struct dap_dim d;

    for (int64_t rank = 0; rank < 3; rank++) {
        assert_int_equal(dap_cyclic(100, 7, 2, 3, rank, &d), DAP_OK);
        assert_int_equal(d.block_size, 14);
        assert_int_equal(d.start, 14 * rank);
    }
}

TEST(irregular)
{
    const int64_t bounds[] = { 0, 3, 3, 10 }, falling[] = { 0, 3, 2, 10 }, late[] = { 1, 3, 3, 10 };
    struct dap_dim set[3], untouched = { .size = 7 };

    for (int r = 0; r < 3; r++) {
        assert_int_equal(dap_irregular(bounds, 3, r, &set[r]), DAP_OK);
        assert_int_equal(set[r].start, bounds[r]);
        assert_int_equal(set[r].stop, bounds[r + 1]);
    }
    check_set(3, 1, set, NULL);
    assert_int_equal(dap_irregular(falling, 3, 0, &untouched), DAP_EINVAL);
    assert_int_equal(dap_irregular(late, 3, 0, &untouched), DAP_EINVAL);
    assert_int_equal(dap_irregular(bounds, 0, 0, &untouched), DAP_EINVAL);
    assert_int_equal(dap_irregular(bounds, 3, 3, &untouched), DAP_ERANGE);
    assert_int_equal(untouched.size, 7);
}

TEST(padded)
{
    struct dap_dim set[4], d;

    for (int flags = 0; flags <= DAP_DIM_PERIODIC; flags++)
        for (int r = 0; r < 4; r++) {
            assert_int_equal(dap_block(20, 1, 4, r, &set[r]), DAP_OK);
            assert_int_equal(dap_pad(&set[r], 2, 2, (uint32_t)flags), DAP_OK);
            assert_int_equal(dap_num_owned(&set[r]), 5); /* outer padding counts in size */
            assert_int_equal(set[r].start, r > 0 ? 5 * r - 2 : 0);
            assert_int_equal(set[r].stop, r < 3 ? 5 * r + 7 : 20);
            assert_int_equal(set[r].flags, flags);
        }
    check_set(4, 1, set, NULL);

    d = set[1];
    assert_int_equal(dap_pad(&d, 1, 1, 0), DAP_EINVAL); /* has some */
    assert_int_equal(dap_block(20, 1, 4, 1, &d), DAP_OK);
    assert_int_equal(dap_pad(&d, -1, 0, 0), DAP_EINVAL);
    assert_int_equal(dap_pad(&d, 0, -1, 0), DAP_EINVAL);
    assert_int_equal(dap_pad(&d, 1, 1, DAP_DIM_ALIAS), DAP_EINVAL);
    assert_int_equal(dap_pad(&d, 6, 0, 0), DAP_ERANGE);
    assert_int_equal(dap_pad(&d, 0, 11, 0), DAP_ERANGE);
    assert_int_equal(dap_pad(&d, INT64_MAX, INT64_MAX, 0), DAP_ERANGE);
    assert_int_equal(d.start, 5);
    assert_int_equal(dap_pad(&d, 5, 10, 0), DAP_OK);
    assert_int_equal(d.start, 0);
    assert_int_equal(d.stop, 20);
    assert_int_equal(dap_block(20, 1, 4, 0, &d), DAP_OK);
    assert_int_equal(dap_pad(&d, 6, 0, 0), DAP_ERANGE); /* more than is owned at the end of the axis */
    assert_int_equal(dap_pad(&d, 5, 0, 0), DAP_OK);
    assert_int_equal(dap_block(20, 1, 4, 3, &d), DAP_OK);
    assert_int_equal(dap_pad(&d, 0, 6, 0), DAP_ERANGE);
    assert_int_equal(dap_pad(&d, 0, 5, 0), DAP_OK);
    assert_int_equal(dap_cyclic(20, 1, 1, 4, 1, &d), DAP_OK);
    assert_int_equal(dap_pad(&d, 0, 0, 0), DAP_EINVAL);
    assert_int_equal(dap_undistributed(20, &d), DAP_OK);
    assert_int_equal(dap_pad(&d, 1, 1, DAP_DIM_PERIODIC), DAP_OK); /* periodic on one process */
    assert_int_equal(d.flags, DAP_DIM_PERIODIC);                   /* and no {} any more */
    check_set(1, 1, &d, NULL);
}

TEST(wrong_arguments)
{
    const int64_t indices[] = { 1, 2 };
    struct dap_dim d = { .size = 7 };

    assert_int_equal(dap_block(-1, 1, 2, 0, &d), DAP_EINVAL);
    assert_int_equal(dap_block(9, 0, 2, 0, &d), DAP_EINVAL);
    assert_int_equal(dap_block(9, 1, 0, 0, &d), DAP_EINVAL);
    assert_int_equal(dap_block(9, 1, 2, 2, &d), DAP_ERANGE);
    assert_int_equal(dap_block(9, 1, 2, -1, &d), DAP_ERANGE);
    assert_int_equal(dap_cyclic(-1, 1, 1, 2, 0, &d), DAP_EINVAL);
    assert_int_equal(dap_cyclic(9, 0, 1, 2, 0, &d), DAP_EINVAL);
    assert_int_equal(dap_cyclic(9, 1, 0, 2, 0, &d), DAP_EINVAL);
    assert_int_equal(dap_cyclic(9, 1, 1, 2, 2, &d), DAP_ERANGE);
    assert_int_equal(dap_cyclic(9, INT64_MAX, 2, 2, 0, &d), DAP_EOVERFLOW);
    assert_int_equal(dap_unstructured(1, 2, indices, 0, 2, 0, &d), DAP_EINVAL);
    assert_int_equal(dap_unstructured(9, -1, indices, 0, 2, 0, &d), DAP_EINVAL);
    assert_int_equal(dap_unstructured(9, 2, NULL, 0, 2, 0, &d), DAP_EINVAL);
    assert_int_equal(dap_unstructured(9, 2, indices, DAP_DIM_PERIODIC, 2, 0, &d), DAP_EINVAL);
    assert_int_equal(dap_unstructured(9, 2, indices, 0, 2, 2, &d), DAP_ERANGE);
    assert_int_equal(dap_undistributed(-1, &d), DAP_EINVAL);
    assert_int_equal(d.size, 7); /* untouched by all of them */
}

TEST(large_sizes)
{
    struct dap_dim d;

    assert_int_equal(dap_block(INT64_MAX, INT64_MAX / 2 + 1, 2, 1, &d), DAP_OK);
    assert_int_equal(d.start, INT64_MAX / 2 + 1);
    assert_int_equal(d.stop, INT64_MAX);
    assert_int_equal(dap_block(INT64_MAX, 1, INT64_MAX, INT64_MAX - 1, &d), DAP_OK);
    assert_int_equal(d.stop - d.start, 1);
    assert_int_equal(dap_block(5, INT64_MAX, 3, 2, &d), DAP_OK);
    assert_int_equal(d.start, 5);
    assert_int_equal(dap_cyclic(5, 1, INT64_MAX, 3, 2, &d), DAP_OK);
    assert_int_equal(d.start, 5); /* clamped: rank * block_size does not fit */
    assert_int_equal(dap_validate_dims(1, &d, NULL, NULL, 0), DAP_OK);
}

TEST(grid)
{
    const int64_t extents[] = { 2, 1, 3, 4 }, none[] = { 2, 0 };
    const int64_t huge[] = { INT64_C(1) << 32, INT64_C(1) << 31 };
    int64_t coords[4] = { 0 }, found[4], rank, n = 0;

    do { /* the last axis fastest: of an N by M grid, (i, j) is rank i M + j */
        assert_int_equal(dap_grid_rank(4, extents, coords, &rank), DAP_OK);
        assert_int_equal(rank, n);
        assert_int_equal(dap_grid_coords(4, extents, n++, found), DAP_OK);
        assert_memory_equal(found, coords, sizeof coords);
    } while (next_index(4, extents, coords));
    assert_int_equal(dap_grid_ranks(4, extents, &rank), DAP_OK);
    assert_int_equal(rank, n);
    assert_int_equal(dap_grid_coords(4, extents, n, found), DAP_ERANGE);
    assert_int_equal(dap_grid_coords(4, extents, -1, found), DAP_ERANGE);
    coords[2] = 3;
    assert_int_equal(dap_grid_rank(4, extents, coords, &rank), DAP_ERANGE);
    assert_int_equal(dap_grid_ranks(2, none, &rank), DAP_EINVAL);
    assert_int_equal(dap_grid_rank(2, none, coords, &rank), DAP_EINVAL);
    assert_int_equal(dap_grid_coords(2, none, 0, found), DAP_EINVAL);
    assert_int_equal(dap_grid_ranks(2, huge, &rank), DAP_EOVERFLOW);
    assert_int_equal(dap_grid_ranks(0, NULL, &rank), DAP_OK);
    assert_int_equal(rank, 1);
}
