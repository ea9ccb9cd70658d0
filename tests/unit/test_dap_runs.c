/* Compares runs of owned indices with a step through every index. */
#include "dap_axes.h"

/* Is `global` owned? Then *local is where. */
static bool owned_at(const struct axis *a, int64_t rank, int64_t global, int64_t *local)
{
    for (*local = 0; *local < a->extent[rank]; ++*local)
        if (a->section[rank][*local].owned && a->section[rank][*local].global == global)
            return true;
    return false;
}

/* Every owned index in the range is in a run, in its place; no run could be longer. */
static void check_runs(const struct axis *a, int64_t rank, const int64_t order[], int64_t lo, int64_t hi)
{
    struct dap_run run = { 0 }, last = { 0 };
    struct dap_runs runs;
    int64_t local, left = 0;
    bool any = false;

    assert_int_equal(dap_runs_begin(&runs, &a->set[rank], order, lo, hi), DAP_OK);
    for (int64_t g = lo; g < hi; g++) {
        if (!owned_at(a, rank, g, &local)) {
            assert_int_equal(left, 0);
            continue;
        }
        if (left == 0) {
            last = run;
            assert_int_equal(dap_runs_next(&runs, &run), 1);
            assert_int_equal(run.global, g);
            assert_true(run.count > 0);
            assert_false(any && last.global + last.count == run.global && last.local + last.count == run.local);
            left = run.count;
            any = true;
        }
        assert_int_equal(local, run.local + (g - run.global));
        left--;
    }
    assert_int_equal(left, 0);
    assert_int_equal(dap_runs_next(&runs, &run), 0);
    assert_int_equal(dap_runs_next(&runs, &run), 0);
}

TEST(random_ranges)
{
    uint64_t seed = starting_seed(0);
    int64_t order[MOST_HELD];
    struct axis a;

    for (int i = 0; i < 1500; i++) {
        const bool unstructured = i % 3 == 2;

        random_axis(&seed, "bcu"[i % 3], 1 + random_below(&seed, MOST_RANKS), &a);
        for (int64_t r = 0; r < a.nranks; r++) {
            if (unstructured)
                assert_int_equal(dap_sort_indices(&a.set[r], order), DAP_OK);
            for (int k = 0; k < 6; k++) {
                const int64_t lo = a.low - 3 + random_below(&seed, a.high - a.low + 6);

                check_runs(&a, r, unstructured ? order : NULL, lo, lo + random_below(&seed, a.high - lo + 6));
            }
            check_runs(&a, r, unstructured ? order : NULL, a.low - 2, a.high + 2);
        }
    }
}

static int64_t count_runs(const struct dap_dim *d, const int64_t order[], int64_t *indices)
{
    struct dap_runs runs;
    struct dap_run run;
    int64_t n = 0;

    *indices = 0;
    assert_int_equal(dap_runs_begin(&runs, d, order, INT64_MIN, INT64_MAX), DAP_OK);
    while (dap_runs_next(&runs, &run)) {
        *indices += run.count;
        n++;
    }
    return n;
}

/* No overflow at the ends of what 64 bits hold; few runs where they can be long. */
TEST(ends_of_the_range)
{
    const int64_t extremes[] = { INT64_MAX - 1, INT64_MIN, INT64_MIN + 1, 0, INT64_MAX - 2 };
    const int64_t unequal = INT64_MAX / 3;
    int64_t order[5], indices;
    struct dap_dim d;

    assert_int_equal(dap_unstructured(5, 5, extremes, 0, 1, 0, &d), DAP_OK);
    assert_int_equal(dap_sort_indices(&d, order), DAP_OK);
    assert_int_equal(count_runs(&d, order, &indices), 4); /* what decreases locally joins nothing */
    assert_int_equal(indices, 5);
    for (int64_t r = 0; r < 5; r++) {
        assert_int_equal(dap_cyclic(INT64_MAX, 1, unequal, 5, r, &d), DAP_OK);
        assert_int_equal(count_runs(&d, NULL, &indices), dap_num_owned(&d) ? 1 : 0);
        assert_int_equal(indices, dap_num_owned(&d));
    }
    assert_int_equal(dap_cyclic(INT64_MAX, 1, 1, 1, 0, &d), DAP_OK);
    assert_int_equal(count_runs(&d, NULL, &indices), 1); /* over one process nothing is dealt out */
    assert_int_equal(indices, INT64_MAX);
}

TEST(sorted_indices)
{
    uint64_t seed = starting_seed(0);
    int64_t indices[200], order[200];
    struct dap_dim d;

    for (int i = 0; i < 300; i++) {
        const int64_t n = random_below(&seed, 200);

        for (int64_t k = 0; k < n; k++)
            indices[k] = i % 2 ? k * 3 - 100 : random_below(&seed, 100) - 50; /* repeated ones, too */
        d = (struct dap_dim){ .dist_type = 'u', .n_indices = n, .indices = indices };
        assert_int_equal(dap_sort_indices(&d, order), DAP_OK);
        for (int64_t k = 1; k < n; k++) {
            const int64_t before = indices[order[k - 1]], here = indices[order[k]];

            assert_true(before < here || (before == here && order[k - 1] < order[k]));
        }
    }
    d.dist_type = 'b';
    assert_int_equal(dap_sort_indices(&d, order), DAP_EINVAL);
}

TEST(without_order)
{
    const int64_t indices[] = { 3, 1 };
    struct dap_runs runs;
    struct dap_run run;
    struct dap_dim d;

    assert_int_equal(dap_unstructured(2, 2, indices, 0, 1, 0, &d), DAP_OK);
    assert_int_equal(dap_runs_begin(&runs, &d, NULL, 0, 10), DAP_EINVAL);
    assert_int_equal(dap_runs_next(&runs, &run), 0);
    assert_int_equal(dap_unstructured(2, 0, NULL, 0, 1, 0, &d), DAP_OK);
    assert_int_equal(dap_runs_begin(&runs, &d, NULL, 0, 10), DAP_OK);
    assert_int_equal(dap_runs_next(&runs, &run), 0);
    d.dist_type = 'x';
    assert_int_equal(dap_runs_begin(&runs, &d, NULL, 0, 10), DAP_EINVAL);
    assert_int_equal(dap_runs_next(&runs, &run), 0);
}
