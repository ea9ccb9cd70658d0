/* Every rule of the Distributed Array Protocol that concerns several ranks, with a case
 * that breaks only it, and what the rules must let pass. */
#include "dap/dap_internal.h"
#include "dap_axes.h"

struct section {
    int64_t start, stop, before, after;
};

static void check_blocks(const char *says, int64_t nranks, int64_t size, const struct section sections[])
{
    struct dap_dim set[4] = { 0 };

    for (int64_t r = 0; r < nranks; r++)
        set[r] = (struct dap_dim){ .dist_type = 'b',
                                   .size = size,
                                   .proc_grid_size = nranks,
                                   .proc_grid_rank = r,
                                   .start = sections[r].start,
                                   .stop = sections[r].stop,
                                   .padding = { sections[r].before, sections[r].after } };
    check_set(nranks, 1, set, says);
}

#define BLOCKS(says, nranks, size, ...) check_blocks(says, nranks, size, (const struct section[]){ __VA_ARGS__ })

TEST(blocks_that_fit)
{
    BLOCKS(NULL, 3, 10, { 0, 3, 0, 0 }, { 3, 7, 0, 0 }, { 7, 10, 0, 0 });
    BLOCKS(NULL, 3, 10, { 0, 0, 0, 0 }, { 0, 10, 0, 0 }, { 10, 10, 0, 0 }); /* empty at the ends */
    BLOCKS(NULL, 3, 10, { 0, 3, 0, 0 }, { 3, 3, 0, 0 }, { 3, 10, 0, 0 });   /* and inside */
    BLOCKS(NULL, 3, 0, { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, { 0, 0, 0, 0 });
    BLOCKS(NULL, 1, 10, { 0, 10, 3, 4 });
    BLOCKS(NULL, 3, 10, { 0, 5, 1, 2 }, { 1, 8, 2, 1 }, { 6, 10, 1, 2 });
    BLOCKS(NULL, 2, 2, { 0, 2, 0, 1 }, { 0, 2, 1, 0 }); /* each holds all */
}

TEST(blocks_that_do_not_meet)
{
    BLOCKS("rank 1, axis 0, start: 4, expected 3, since grid rank 0 stops at 3", 3, 10, { 0, 3, 0, 0 }, { 4, 7, 0, 0 },
           { 7, 10, 0, 0 });
    BLOCKS("rank 2, axis 0, start: 6, expected 7", 3, 10, { 0, 3, 0, 0 }, { 3, 7, 0, 0 }, { 6, 10, 0, 0 });
    BLOCKS("rank 1, axis 0, start: 5, expected 3", 3, 10, { 0, 3, 0, 0 }, { 5, 5, 0, 0 }, { 3, 10, 0, 0 });
    BLOCKS("rank 1, axis 0, start: 6, expected 3", 4, 12, { 0, 3, 0, 0 }, { 6, 9, 0, 0 }, { 3, 6, 0, 0 },
           { 9, 12, 0, 0 }); /* all owned once, but out of order */
    BLOCKS("rank 1, axis 0, start: 2, expected 1, since grid rank 0 stops at 5 and both have padding", 3, 10,
           { 0, 5, 0, 2 }, { 2, 7, 2, 0 }, { 7, 10, 0, 0 });
    BLOCKS("rank 1, axis 0, start: 3, expected 1", 2, 10, { 0, 3, 0, 1 }, { 3, 10, 1, 0 }); /* one of two */
}

TEST(paddings)
{
    BLOCKS("rank 1, axis 0, padding: 1, expected 2 as on grid rank 0", 3, 10, { 0, 5, 0, 2 }, { 2, 7, 1, 0 },
           { 7, 10, 0, 0 });
    BLOCKS("rank 1, axis 0, padding: 2, expected 0 as on grid rank 0", 2, 10, { 0, 5, 0, 0 }, { 3, 10, 2, 0 });
    BLOCKS("rank 2, axis 0, padding: 3, expected at most 2, what grid rank 2 owns", 4, 15, { 0, 3, 0, 0 },
           { 3, 10, 0, 3 }, { 4, 9, 3, 0 }, { 9, 15, 0, 0 });
    BLOCKS("rank 2, axis 0, padding: 3, expected at most 2, what grid rank 1 owns", 4, 15, { 0, 6, 0, 0 },
           { 6, 11, 0, 3 }, { 5, 12, 3, 0 }, { 12, 15, 0, 0 });
    BLOCKS("rank 1, axis 0, padding: 1, expected at most 0, what grid rank 1 owns", 3, 10, { 0, 4, 0, 1 },
           { 2, 3, 1, 0 }, { 3, 10, 0, 0 }); /* towards an empty one */
}

static const int64_t low[] = { 0, 1, 2 }, high[] = { 3, 4 }, mixed[] = { 2, 3 };

TEST(alike)
{
    struct dap_dim good[2], set[2];

#define WITH(says, change)         \
    memcpy(set, good, sizeof set); \
    change;                        \
    check_set(2, 1, set, says)
    for (int r = 0; r < 2; r++)
        assert_int_equal(dap_block(8, 1, 2, r, &good[r]), DAP_OK);
    WITH(NULL, (void)0);
    WITH("rank 1, axis 0, size: 9, expected 8 as on rank 0", set[1].size = set[1].stop = 9);
    WITH("rank 1, axis 0, proc_grid_size: 3, expected 2", set[1].proc_grid_size = 3);
    WITH("rank 1, axis 0, periodic: true, expected false", set[1].flags = DAP_DIM_PERIODIC);
    WITH("rank 1, axis 0, dist_type: 'c', expected 'b'", assert_int_equal(dap_cyclic(8, 1, 4, 2, 1, &set[1]), DAP_OK));
    for (int r = 0; r < 2; r++)
        assert_int_equal(dap_cyclic(8, 1, 3, 2, r, &good[r]), DAP_OK);
    WITH(NULL, (void)0);
    WITH("rank 1, axis 0, block_size: 4, expected 3", set[1].block_size = set[1].start = 4);
    for (int r = 0; r < 2; r++)
        assert_int_equal(dap_unstructured(5, r ? 2 : 3, r ? high : low, DAP_DIM_ONE_TO_ONE, 2, r, &good[r]), DAP_OK);
    WITH(NULL, (void)0);
    WITH("rank 1, axis 0, one_to_one: false, expected true", set[1].flags = 0);
#undef WITH
}

TEST(arrays_alike)
{
    const int64_t shape[2] = { 4, 4 };
    const struct dap_array *both[2];
    struct dap_array a[2], good;
    struct dap_dim dims[2][2];

    for (int r = 0; r < 2; r++) {
        assert_int_equal(dap_block(8, 1, 2, r, &dims[r][0]), DAP_OK);
        assert_int_equal(dap_undistributed(4, &dims[r][1]), DAP_OK);
        a[r] = array_of(2, dims[r], shape);
        both[r] = &a[r];
    }
    assert_valid(dap_validate_set(both, 2, WHY));
    good = a[1];
#define WITH(status, says, change) \
    a[1] = good;                   \
    change;                        \
    assert_wrong(dap_validate_set(both, 2, WHY), status, says)
    WITH(DAP_EINVAL, "rank 1, dim_data: 1 axes, expected 2", a[1].ndim = 1);
    WITH(DAP_EINVAL, "rank 1, itemsize: 4 bytes, expected 8", a[1].itemsize = 4);
    WITH(DAP_EVERSION, "rank 1, __version__: 1.10.0", a[1].version[0] = 1);
#undef WITH
    both[1] = NULL;
    assert_wrong(dap_validate_set(both, 2, WHY), DAP_EINVAL, "rank 1: a null pointer");
    assert_wrong(dap_validate_set(both, 0, WHY), DAP_EINVAL, "expected at least one");
    assert_wrong(dap_validate_set(NULL, 1, WHY), DAP_EINVAL, "expected at least one");
}

TEST(shapes)
{
    int64_t shape[3] = { 4, 3, 3 };
    struct dap_dim set[3];

    for (int r = 0; r < 3; r++)
        assert_int_equal(dap_block(10, 1, 3, r, &set[r]), DAP_OK);
    assert_valid(dap_validate_dims_set(3, 1, set, shape, WHY));
    shape[2] = 4;
    assert_wrong(dap_validate_dims_set(3, 1, set, shape, WHY), DAP_EINVAL,
                 "rank 2, axis 0, shape: 4, expected 3, which is stop - start");
}

/* 2 by 3 ranks: a block axis with padding, and a cyclic one. */
static void make_grid(struct dap_dim dims[6][2])
{
    for (int r = 0; r < 6; r++) {
        assert_int_equal(dap_block(8, 1, 2, r / 3, &dims[r][0]), DAP_OK);
        assert_int_equal(dap_pad(&dims[r][0], 1, 1, 0), DAP_OK);
        assert_int_equal(dap_cyclic(7, 1, 2, 3, r % 3, &dims[r][1]), DAP_OK);
    }
}

TEST(coordinates)
{
    struct dap_dim dims[6][2], swap;

    make_grid(dims);
    check_set(6, 2, dims[0], NULL);
    swap = dims[1][1]; /* ranks 1 and 2 have changed places */
    dims[1][1] = dims[2][1];
    dims[2][1] = swap;
    check_set(6, 2, dims[0], "rank 1, axis 1, proc_grid_rank: 2, expected 1, since ranks are row-major");
    make_grid(dims);
    dims[4][1] = dims[3][1]; /* twice the same coordinates */
    check_set(6, 2, dims[0], "rank 4, axis 1, proc_grid_rank: 0, expected 1");
    make_grid(dims);
    check_set(5, 2, dims[0], "proc_grid_size: their product is 6, expected 5, the number of ranks");
    for (int r = 0; r < 6; r++) { /* column-major ranks */
        assert_int_equal(dap_block(8, 1, 2, r % 2, &dims[r][0]), DAP_OK);
        assert_int_equal(dap_cyclic(7, 1, 2, 3, r / 2, &dims[r][1]), DAP_OK);
    }
    check_set(6, 2, dims[0], "rank 1, axis 0, proc_grid_rank: 1, expected 0");
}

TEST(equal_along_the_other_axes)
{
    struct dap_dim dims[6][2];

    make_grid(dims);
    dims[2][0].padding[0] = 3; /* boundary padding may differ */
    dims[5][0].padding[1] = 2;
    check_set(6, 2, dims[0], NULL);
    dims[2][0].padding[1] = 2;
    dims[2][0].stop++;
    check_set(6, 2, dims[0], "rank 2, axis 0, stop: not as on rank 0, which has the same proc_grid_rank 0");
    dims[2][0].stop--;
    check_set(6, 2, dims[0], "rank 2, axis 0, padding: not as on rank 0");
    make_grid(dims);
    dims[5][0].start--;
    check_set(6, 2, dims[0], "rank 5, axis 0, start: not as on rank 3, which has the same proc_grid_rank 1");
}

TEST(equal_indices)
{
    const int64_t low_again[] = { 0, 1, 2 };
    struct dap_dim dims[4][2];

    for (int r = 0; r < 4; r++) {
        assert_int_equal(dap_block(8, 1, 2, r / 2, &dims[r][0]), DAP_OK);
        assert_int_equal(dap_unstructured(5, r % 2 ? 2 : 3, r % 2 ? high : low, 0, 2, r % 2, &dims[r][1]), DAP_OK);
    }
    dims[2][1].indices = low_again;
    check_set(4, 2, dims[0], NULL);
    dims[3][1].indices = mixed;
    check_set(4, 2, dims[0], "rank 3, axis 1, indices: not as on rank 1");
    dims[3][1].indices = high;
    dims[3][1].n_indices = 1;
    check_set(4, 2, dims[0], "rank 3, axis 1, indices: not as on rank 1");
}

TEST(nothing_is_replicated)
{
    struct dap_dim dims[2][1];

    for (int r = 0; r < 2; r++)
        assert_int_equal(dap_undistributed(8, &dims[r][0]), DAP_OK);
    check_set(1, 1, dims[0], NULL);
    check_set(2, 1, dims[0], "proc_grid_size: an undistributed array on 2 ranks, expected 1");
    check_set(1, 0, NULL, NULL);
    check_set(2, 0, NULL, "proc_grid_size: a zero-dimensional array on 2 ranks, expected 1");
    check_set(0, 0, NULL, "expected at least one");
    check_set(2, -1, NULL, "expected at least one");
    check_set(2, 1, NULL, "expected at least one");
}

TEST(huge_grid)
{
    struct dap_dim dims[3];

    for (int axis = 0; axis < 3; axis++)
        assert_int_equal(dap_cyclic(8, 1, 1, INT64_C(1) << 31, 0, &dims[axis]), DAP_OK);
    check_set(1, 3, dims, "proc_grid_size: their product does not fit 64 bits");
    check_set(1, 2, dims, "proc_grid_size: their product is 4611686018427387904, expected 1");
}

/* {} on one rank and the same spelled out on another. */
TEST(alias_and_its_meaning)
{
    struct dap_dim dims[2][2];

    for (int r = 0; r < 2; r++) {
        assert_int_equal(dap_undistributed(8, &dims[r][0]), DAP_OK);
        assert_int_equal(dap_block(5, 1, 2, r, &dims[r][1]), DAP_OK);
    }
    dims[1][0].flags = 0;
    check_set(2, 2, dims[0], NULL);
}

TEST(one_to_one)
{
    struct dap_dim set[3];

    for (int flags = 0; flags <= DAP_DIM_ONE_TO_ONE; flags += DAP_DIM_ONE_TO_ONE) {
        assert_int_equal(dap_unstructured(5, 3, low, (uint32_t)flags, 3, 0, &set[0]), DAP_OK);
        assert_int_equal(dap_unstructured(5, 0, NULL, (uint32_t)flags, 3, 1, &set[1]), DAP_OK);
        assert_int_equal(dap_unstructured(5, 2, high, (uint32_t)flags, 3, 2, &set[2]), DAP_OK);
        check_set(3, 1, set, NULL);
        set[2].indices = mixed;
        check_set(3, 1, set, flags ? "rank 2, axis 0, indices: 2 is on grid rank 0, too, expected one_to_one" : NULL);
        set[2].indices = high;
        set[0].size = set[1].size = set[2].size = 6;
        check_set(3, 1, set, flags ? "axis 0, size: 6, expected 5, the number of indices on all ranks" : NULL);
    }
}

static void fail_allocations(const int64_t indices[3], long expected)
{
    struct dap_dim set[2];
    long n = 0;
    int status;

    assert_int_equal(dap_unstructured(5, 3, indices, DAP_DIM_ONE_TO_ONE, 2, 0, &set[0]), DAP_OK);
    assert_int_equal(dap_unstructured(5, 2, high, DAP_DIM_ONE_TO_ONE, 2, 1, &set[1]), DAP_OK);
    do {
        dapi_fail_allocation = ++n;
        status = dap_validate_dims_set(2, 1, set, NULL, WHY);
        if (dapi_fail_allocation == 0)
            assert_wrong(status, DAP_ENOMEM, "indices: out of memory");
    } while (dapi_fail_allocation == 0);
    dapi_fail_allocation = 0;
    assert_valid(status);
    assert_int_equal(n, expected + 1);
}

TEST(out_of_memory)
{
    const int64_t near[] = { 2, 1, 0 }, apart[] = { INT64_C(1) << 40, 1, 0 };

    fail_allocations(near, 3);  /* marks of each rank, and of all */
    fail_allocations(apart, 4); /* an order and pairs, marks, and all pairs */
}
