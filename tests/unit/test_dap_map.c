/* Index maps of the Distributed Array Protocol against lists of what each rank holds. */
#include "dap_axes.h"

static void check_rank(const struct axis *a, int64_t rank)
{
    const struct dap_dim *d = &a->set[rank];
    int64_t owned = 0, found, lo, hi;

    assert_int_equal(dap_owned_range(d, &lo, &hi), d->dist_type == 'b' ? DAP_OK : DAP_EINVAL);
    for (int64_t local = 0; local < a->extent[rank]; local++) {
        const struct held held = a->section[rank][local];

        owned += held.owned;
        if (d->dist_type == 'b') /* the section without what its neighbours own */
            assert_int_equal(lo <= held.global && held.global < hi, held.owned);
        assert_int_equal(dap_local_to_global(d, local, &found), DAP_OK);
        assert_int_equal(found, held.global);
        assert_int_equal(dap_global_to_local(d, found, &found), DAP_OK);
        assert_int_equal(found, local);
    }
    assert_int_equal(dap_num_local(d), a->extent[rank]);
    assert_int_equal(dap_num_owned(d), owned);
    assert_int_equal(dap_local_to_global(d, -1, &found), DAP_ERANGE);
    assert_int_equal(dap_local_to_global(d, a->extent[rank], &found), DAP_ERANGE);
}

static int64_t local_of(const struct axis *a, int64_t rank, int64_t global)
{
    for (int64_t local = 0; local < a->extent[rank]; local++)
        if (a->section[rank][local].global == global)
            return local;
    return -1;
}

static void check_index(const struct axis *a, int64_t global)
{
    int64_t owner = -1, found = -7;

    for (int64_t r = a->nranks - 1; r >= 0; r--) {
        const int64_t local = local_of(a, r, global);

        assert_int_equal(dap_global_to_local(&a->set[r], global, &found), local < 0 ? DAP_ERANGE : DAP_OK);
        if (local >= 0)
            assert_int_equal(found, local);
        if (local >= 0 && a->section[r][local].owned)
            owner = r;
    }
    found = -7;
    assert_int_equal(dap_owner(a->set, global, &found), owner < 0 ? DAP_ERANGE : DAP_OK);
    assert_int_equal(found, owner < 0 ? -7 : owner);
}

TEST(random_sets)
{
    uint64_t seed = starting_seed(0);
    struct axis a;

    for (int i = 0; i < 3000; i++) {
        random_axis(&seed, "bcu"[i % 3], 1 + random_below(&seed, MOST_RANKS), &a);
        for (int64_t r = 0; r < a.nranks; r++)
            check_rank(&a, r);
        for (int64_t g = a.low - 2; g < a.high + 2; g++)
            check_index(&a, g);
    }
}

TEST(large_numbers)
{
    const int64_t size = INT64_MAX - 1, block_size = INT64_C(1) << 40, nranks = 1000;
    int64_t rank, local, global, sum = 0;
    struct dap_dim d;

    assert_int_equal(dap_cyclic(size, 1, block_size, nranks, 0, &d), DAP_OK);
    assert_int_equal(dap_owner(&d, size - 1, &rank), DAP_OK);
    assert_int_equal(dap_cyclic(size, 1, block_size, nranks, rank, &d), DAP_OK);
    assert_int_equal(dap_global_to_local(&d, size - 1, &local), DAP_OK);
    assert_int_equal(local, dap_num_owned(&d) - 1);
    assert_int_equal(dap_local_to_global(&d, local, &global), DAP_OK);
    assert_int_equal(global, size - 1);
    for (int64_t r = 0; r < nranks; r++) {
        assert_int_equal(dap_cyclic(size, 1, block_size, nranks, r, &d), DAP_OK);
        sum += dap_num_owned(&d);
    }
    assert_int_equal(sum, size);
}

/* What is cheap to see is refused instead of calculated with. */
TEST(no_distribution)
{
    struct dap_dim d = { 0 };
    int64_t out = -7;

    for (int i = 0; i < 3; i++) {
        d.dist_type = i == 0 ? 0 : 'c'; /* no type; a block size of 0; a grid of 0 */
        d.block_size = i == 2;
        d.proc_grid_size = i != 2;
        assert_int_equal(dap_num_local(&d), -1);
        assert_int_equal(dap_num_owned(&d), -1);
        assert_int_equal(dap_global_to_local(&d, 0, &out), DAP_EINVAL);
        assert_int_equal(dap_local_to_global(&d, 0, &out), DAP_EINVAL);
        assert_int_equal(dap_owned_range(&d, &out, &out), DAP_EINVAL);
        assert_int_equal(dap_owner(&d, 0, &out), DAP_EINVAL);
        assert_int_equal(out, -7);
    }
}
