/* Random histories of lone arrays: a shortened log says the same, and leads to the same addresses. */
#include "lone/lone.h"
#include "testing.h"

enum { AXES = 2, MOST_AXES = 4, STEPS = 24 };

struct history {
    uint64_t rng;
    int64_t lower[AXES], upper[AXES], chunk[AXES];
};

static void put_first(struct drxi_run *run, void *with)
{
    const struct history *h = with;
    struct drxi_variable v = { .thing = { .number = 1 }, .ndim = AXES, .align = 1, .type = DRX_INT8, .item_bytes = 1 };

    for (int j = 0; j < AXES; j++) {
        const int64_t bounds[2] = { h->lower[j], h->upper[j] };

        v.dim[j] = (uint16_t)(j + 1);
        v.chunk[j] = h->chunk[j];
        drxi_put_dimension(run, v.dim[j], 0, bounds, "");
    }
    drxi_put_variable(run, &v);
}

static void append(struct drxi_store *s, struct drxi_run *run)
{
    bool lost;

    drxi_run_count(run);
    assert_ok(drxi_store_append(s, NULL, run, 0, 0, &lost));
    drxi_run_free(run);
}

static void begin(struct drxi_store *s, struct history *h)
{
    *s = (struct drxi_store){ .kind = DRXI_LONE_ARRAY };
    for (int j = 0; j < AXES; j++) {
        h->chunk[j] = 1 + random_below(&h->rng, 4);
        h->lower[j] = random_below(&h->rng, 5) - 2;
        h->upper[j] = h->lower[j] + random_below(&h->rng, 5);
    }
    assert_ok(drxi_store_create(s, NULL, put_first, h));
}

/* Any change of bounds, or a new axis, or nothing. */
static void step(struct drxi_store *s, struct history *h)
{
    static const int64_t one[2] = { 0, 1 };
    const struct drxi_variable *v = drxi_store_variable(s, 1);
    const uint16_t k = (uint16_t)(1 + random_below(&h->rng, s->dimension.largest));
    const struct drxi_dimension *d = drxi_store_dimension(s, k);
    const int64_t by = 1 + random_below(&h->rng, 4);
    struct drxi_run run = drxi_run_at(&s->end);

    switch (random_below(&h->rng, 8)) {
    case 0:
        if (v->ndim == MOST_AXES)
            return;
        drxi_put_dimension(&run, (uint16_t)(s->dimension.largest + 1), 0, one, "new");
        drxi_put_axis(&run, 1, (int)random_below(&h->rng, v->ndim + 1), (uint16_t)(s->dimension.largest + 1));
        break;
    case 1:
    case 2:
        if (random_below(&h->rng, 2))
            drxi_put_trim(&run, k, drxi_min(d->lower + random_below(&h->rng, 4), d->upper), d->upper);
        else
            drxi_put_trim(&run, k, d->lower, drxi_max(d->upper - random_below(&h->rng, 4), d->lower));
        break;
    case 3:
    case 4:
        drxi_put_grow(&run, k, -by, d->lower - by);
        break;
    default:
        drxi_put_grow(&run, k, by, d->upper + by);
    }
    append(s, &run);
}

static void same_map(const struct drxi_store *s, const struct drxi_store *t)
{
    struct drxi_state a, b;
    int64_t at;

    assert_ok(drxi_store_map(s, drxi_store_variable(s, 1), &a, &at));
    assert_ok(drxi_store_map(t, drxi_store_variable(t, 1), &b, &at));
    assert_int_equal(a.desc.ndim, b.desc.ndim);
    assert_memory_equal(a.lower, b.lower, (size_t)a.desc.ndim * sizeof *a.lower);
    assert_memory_equal(a.upper, b.upper, (size_t)a.desc.ndim * sizeof *a.upper);
    assert_int_equal(a.map.chunks, b.map.chunks);
    for (int64_t q = 0; q < a.map.chunks; q++) {
        int64_t x[DRX_MAX_NDIM], y[DRX_MAX_NDIM];

        drxi_map_index(&a.map, q, x);
        drxi_map_index(&b.map, q, y);
        assert_int_equal(drxi_map_lives(&a.map, q, x), drxi_map_lives(&b.map, q, y));
        if (drxi_map_lives(&a.map, q, x))
            assert_memory_equal(x, y, (size_t)a.desc.ndim * sizeof *x);
    }
    drxi_state_free(&a);
    drxi_state_free(&b);
}

/* The shorter log, applied. */
static void shortened(const struct drxi_store *s, struct drxi_store *t)
{
    struct drxi_run run = drxi_run_at(&s->head);
    bool lost;

    *t = (struct drxi_store){ .kind = DRXI_LONE_ARRAY };
    drxi_store_start(t, s->head.crc);
    assert_ok(drxi_store_shorten(s, &run));
    assert_ok(drxi_store_append(t, NULL, &run, 0, 0, &lost));
    drxi_run_free(&run);
}

TEST(random_histories)
{
    struct history h = { .rng = starting_seed(0) };

    for (int round = 0; round < 3000; round++) {
        struct drxi_store s, t;

        begin(&s, &h);
        for (int64_t i = random_below(&h.rng, STEPS); i > 0; i--)
            step(&s, &h);
        shortened(&s, &t);
        assert_in_range(t.steps, 0, s.steps);
        same_map(&s, &t);
        for (int i = 0; i < 4; i++) { /* both go on alike */
            struct history again = h;

            step(&s, &h);
            step(&t, &again);
        }
        same_map(&s, &t);
        drxi_store_free(&s);
        drxi_store_free(&t);
    }
}

/* An array that is appended to at one end and trimmed at the other has a short log. */
TEST(a_window_that_moves)
{
    struct history h = { .lower = { 0, 0 }, .upper = { 10, 10 }, .chunk = { 3, 4 } };
    struct drxi_store s = { .kind = DRXI_LONE_ARRAY }, t;

    assert_ok(drxi_store_create(&s, NULL, put_first, &h));
    for (int i = 0; i < 1000; i++) {
        struct drxi_run run = drxi_run_at(&s.end);

        drxi_put_grow(&run, 1, 1, 11 + i);
        append(&s, &run);
        run = drxi_run_at(&s.end);
        drxi_put_trim(&run, 1, i, 11 + i);
        append(&s, &run);
    }
    shortened(&s, &t);
    assert_int_equal(s.steps, 2000);
    assert_in_range(t.steps, 2, 3);
    same_map(&s, &t);
    drxi_store_free(&s);
    drxi_store_free(&t);
}
