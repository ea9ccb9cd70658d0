/* Compares the planner's choices with an exhaustive search: single passes of two axes. */
#include "layout/plan/relayout.h"
#include "testing.h"

#include <math.h>

enum { AXES = 2 };

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
    struct way way = { .region = drxi_min(region, n) };

    while (drxi_axis_region(&walk))
        while (drxi_axis_step(&walk, &step)) {
            way.block = drxi_max(way.block, step.read_hi - step.read_lo);
            way.leftover = drxi_max(way.leftover, drxi_min(step.read_hi, walk.hi) - step.write_hi);
            way.read += step.read_hi - step.read_lo;
            way.written += drxi_ceil_div(step.write_hi - step.write_lo, t) * t;
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

/* Memory in elements, with axis `first` the fastest. */
static int64_t memory_of(const struct way *way[AXES], int first, int64_t target_elements)
{
    const struct way *a = way[first], *b = way[1 - first];

    return a->block * b->block + a->leftover * drxi_min(b->block, b->region) + a->region * b->leftover +
           target_elements;
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
            const int64_t memory = drxi_min(memory_of(way, 0, t[0] * t[1]), memory_of(way, 1, t[0] * t[1]));
            const double seconds = (double)(way[0]->read * way[1]->read + way[0]->written * way[1]->written);

            if (memory <= limit && seconds < best)
                best = seconds;
        }
    return best;
}

TEST(searches)
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
        if (!(plan.seconds <= best))
            fail_msg("case %d: %lldx%lld in %lldx%lld to %lldx%lld, %lld bytes: %.0f, but there is %.0f\n", i,
                     (long long)n[0], (long long)n[1], (long long)s[0], (long long)s[1], (long long)t[0],
                     (long long)t[1], (long long)r.memory_bytes, plan.seconds, best);
        if (plan.passes == 1) {
            assert_true(plan.seconds == best);
            single++;
            templates += plan.pass[0].kind == DRXI_TEMPLATE;
        }
    }
    print_message("%d single passes, %d of them with templates\n", single, templates);
    assert_true(single > 300 && templates > 10);
}
