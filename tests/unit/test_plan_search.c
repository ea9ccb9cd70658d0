/* The planner's choices against looking at everything: single passes of two axes, and boxes of
 * chunks that are balanced over ranks. */
#include "layout/relayout.h"
#include "testing.h"

#include <math.h>

enum { AXES = 2, MAX_RANKS = 64 };

/* A byte costs a second, a call nothing. */
static const struct drxi_relayout_cost bytes_only = { .read_bandwidth = 1,
                                                      .write_bandwidth = 1,
                                                      .part_bytes = INT64_MAX };

/* What a way along an axis comes to, by walking all of it. */
struct way {
    int64_t block, leftover, region, read, written;
};

static struct way walk_axis(int64_t n, int64_t s, int64_t t, int64_t stride, int64_t region)
{
    struct drxi_axis_walk walk = { .source_unit = s, .target_unit = t, .stride = stride, .region = region, .end = n };
    struct drxi_axis_step step;
    struct way way = { .region = region < n ? region : n };

    while (drxi_axis_region(&walk))
        while (drxi_axis_step(&walk, &step)) {
            const int64_t end = step.read_hi < walk.hi ? step.read_hi : walk.hi;

            way.block = step.read_hi - step.read_lo > way.block ? step.read_hi - step.read_lo : way.block;
            way.leftover = end - step.write_hi > way.leftover ? end - step.write_hi : way.leftover;
            way.read += step.read_hi - step.read_lo;
            way.written += (step.write_hi - step.write_lo + t - 1) / t * t;
        }
    return way;
}

/* All strides and regions there are; only regions that end with target units make sense. */
static int list_ways(int64_t n, int64_t s, int64_t t, struct way ways[], int room)
{
    const int64_t unit = s > t ? s : t;
    int count = 0;

    for (int64_t stride = unit; stride < n + unit; stride += unit)
        for (int64_t region = t; region < n + t; region += t) {
            assert_true(count < room);
            ways[count++] = walk_axis(n, s, t, stride, region);
        }
    return count;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Memory in elements, with axis `first` the fastest. */
static int64_t memory_of(const struct way *way[AXES], int first, int64_t target_elements)
{
    const struct way *a = way[first], *b = way[1 - first];

    return a->block * b->block + a->leftover * least(b->block, b->region) + a->region * b->leftover + target_elements;
}

static double exhaustive(const int64_t n[], const int64_t s[], const int64_t t[], int64_t limit)
{
    static struct way ways[AXES][4096];
    int count[AXES];
    double best = INFINITY;

    for (int j = 0; j < AXES; j++)
        count[j] = list_ways(n[j], s[j], t[j], ways[j], 4096);
    for (int i = 0; i < count[0]; i++)
        for (int k = 0; k < count[1]; k++) {
            const struct way *way[AXES] = { &ways[0][i], &ways[1][k] };
            const int64_t memory = least(memory_of(way, 0, t[0] * t[1]), memory_of(way, 1, t[0] * t[1]));
            const double seconds = (double)(way[0]->read * way[1]->read + way[0]->written * way[1]->written);

            if (memory <= limit && seconds < best)
                best = seconds;
        }
    return best;
}

static void searches(void **state)
{
    static struct drxi_relayout plan;
    uint64_t seed = 428;
    int single = 0, templates = 0;

    for (int i = 0; i < 1000; i++) {
        int64_t n[AXES], s[AXES], t[AXES], needed;
        struct drxi_relayout_request r = {
            .ndim = AXES,
            .shape = n,
            .source = { .chunk = s },
            .target = { .chunk = t },
            .item_bytes = 1,
            .ranks = 1,
            .cost = &bytes_only,
        };
        double best;

        for (int j = 0; j < AXES; j++) {
            n[j] = 1 + random_below(&seed, 40);
            s[j] = 1 + random_below(&seed, 9);
            t[j] = 1 + random_below(&seed, 9);
        }
        assert_status(drxi_relayout_plan(&r, &plan, &needed), DRX_ERANGE);
        r.memory_bytes = needed + random_below(&seed, 2 * needed);
        assert_ok(drxi_relayout_plan(&r, &plan, NULL));
        best = exhaustive(n, s, t, r.memory_bytes);
        if (plan.seconds > best)
            print_error("case %d: %lldx%lld in %lldx%lld to %lldx%lld, %lld bytes: %.0f, but there is %.0f\n", i,
                        (long long)n[0], (long long)n[1], (long long)s[0], (long long)s[1], (long long)t[0],
                        (long long)t[1], (long long)r.memory_bytes, plan.seconds, best);
        assert_true(plan.seconds <= best);
        if (plan.passes == 1) {
            assert_true(plan.seconds == best);
            single++;
            templates += plan.pass[0].kind == DRXI_TEMPLATE;
        }
    }
    print_message("%d single passes, %d of them with templates\n", single, templates);
    assert_true(single > 300 && templates > 10);
}

/* ---- balanced boxes ---------------------------------------------------------------------- */

/* Whether the box at the origin has one chunk of each rank. */
static bool is_balanced(int ranks, int ndim, const int64_t grid[], const int64_t box[])
{
    bool has[MAX_RANKS] = { false };
    int64_t index[3] = { 0 };

    for (int found = 0;; found++) {
        int64_t address = 0;
        int j;

        for (j = 0; j < ndim; j++)
            address = address * grid[j] + index[j];
        if (has[address % ranks])
            return false;
        has[address % ranks] = true;
        for (j = ndim - 1; j >= 0 && ++index[j] == box[j]; j--)
            index[j] = 0;
        if (j < 0)
            return found + 1 == ranks;
    }
}

/* All boxes of so many chunks, that fit into the grid or not: addresses go on by the same rule. */
static int count_balanced(int ranks, int ndim, const int64_t grid[], const struct drxi_factors *f)
{
    int count = 0;

    for (int64_t a = 1; a <= ranks; a++)
        for (int64_t b = 1; b <= (ndim > 1 ? ranks : 1); b++)
            for (int64_t c = 1; c <= (ndim > 2 ? ranks : 1); c++) {
                const int64_t box[3] = { a, b, c };
                int64_t listed = 0;

                if (a * b * c != ranks || !is_balanced(ranks, ndim, grid, box))
                    continue;
                for (int64_t i = 0; i < f->count; i++)
                    listed += memcmp(f->factor + i * ndim, box, (size_t)ndim * sizeof box[0]) == 0;
                assert_int_equal(listed, 1);
                count++;
            }
    return count;
}

static void factors(void **state)
{
    uint64_t seed = 6;
    int64_t total = 0;

    for (int ranks = 1; ranks <= 36; ranks++)
        for (int ndim = 1; ndim <= 3; ndim++)
            for (int i = 0; i < 12; i++) {
                int64_t grid[3];
                struct drxi_factors f;

                for (int j = 0; j < ndim; j++)
                    grid[j] = 1 + random_below(&seed, 40);
                assert_ok(drxi_factors(ranks, ndim, grid, &f));
                assert_int_equal(count_balanced(ranks, ndim, grid, &f), f.count);
                total += f.count;
                drxi_free(f.factor);
            }
    assert_true(total > 36 * 3 * 12);
}

/* The paper's grid of 10 x 10 in tiles of 3 x 3 has offsets (4, 1). */
static void paper_grid(void **state)
{
    const int64_t grid[2] = { 4, 4 };
    struct drxi_factors f;

    assert_ok(drxi_factors(2, 2, grid, &f)); /* offsets (0, 1) modulo 2: along the last axis only */
    assert_int_equal(f.count, 1);
    assert_int_equal(f.factor[0], 1);
    assert_int_equal(f.factor[1], 2);
    drxi_free(f.factor);
    assert_ok(drxi_factors(8, 2, grid, &f)); /* 4 reaches 2 of 8 ranks: 2 x 4, or 1 x 8 */
    assert_int_equal(f.count, 2);
    drxi_free(f.factor);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches),
        cmocka_unit_test(factors),
        cmocka_unit_test(paper_grid),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
