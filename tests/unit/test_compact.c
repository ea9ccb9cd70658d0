/* Compaction makes the same array with a log of as few growths as possible. Random histories are compared with a
 * model. */

#include "array/array.h"
#include "bytes.h"
#include "drx_tools.h"

enum { MOST_CHUNKS = 3000, MOST_GROWTHS = 40 };

struct grown {
    int ndim;
    int64_t initial[5], shape[5], chunk[5];
    int64_t growths; /* the least that lead to it: */
    int last;
};

static int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

static int64_t chunks_of(const struct grown *g)
{
    int64_t n = 1;

    for (int j = 0; j < g->ndim; j++)
        n *= ceil_div(g->shape[j], g->chunk[j]);
    return n;
}

/* A growth counts when it adds chunk indices, and those before it were added to another axis. */
static void grow_model(struct grown *g, int axis, int64_t by)
{
    const int64_t before = ceil_div(g->shape[axis], g->chunk[axis]);

    g->shape[axis] += by;
    if (ceil_div(g->shape[axis], g->chunk[axis]) == before)
        return;
    g->growths += g->last != axis;
    g->last = axis;
}

/* An axis that no counted growth has brought to its bound takes one more. */
static int64_t least_growths(const struct grown *g)
{
    int64_t n = g->growths;

    for (int j = 0; j < g->ndim; j++)
        n += g->shape[j] > g->initial[j] && ceil_div(g->shape[j], g->chunk[j]) == ceil_div(g->initial[j], g->chunk[j]);
    return n;
}

static drx_array *make_random(struct grown *g, uint64_t *rng)
{
    const unsigned shell = random_below(rng, 3) == 0 ? DRX_SHELL : 0;
    drx_spec spec = { .type = DRX_INT16, .flags = DRX_REPLACE | shell };
    drx_array *a;

    memset(g, 0, sizeof *g);
    g->ndim = 1 + (int)random_below(rng, 5);
    g->last = -1;
    for (int j = 0; j < g->ndim; j++) {
        g->chunk[j] = 1 + random_below(rng, 4);
        g->initial[j] = g->shape[j] = random_below(rng, g->ndim > 3 ? 4 : 7);
    }
    spec.ndim = g->ndim;
    spec.shape = g->initial;
    spec.chunk = g->chunk;
    assert_ok(drx_create("c", &spec, &a));
    return a;
}

static void change_attributes(drx_array *a, uint64_t *rng)
{
    char name[16];
    int64_t values[3] = { (int64_t)random_next(rng), 2, 3 };

    (void)snprintf(name, sizeof name, "attr%d", (int)random_below(rng, 4));
    switch (random_below(rng, 4)) {
    case 0:
        assert_ok(drx_attr_set(a, name, DRX_INT64, random_below(rng, 4), values));
        return;
    case 1:
        assert_ok(drx_attr_set_text(a, name, "some text"));
        return;
    case 2:
        (void)drx_attr_delete(a, name);
        return;
    default:
        assert_ok(drx_dim_rename(a, (int)random_below(rng, drx_ndim(a)), random_below(rng, 3) ? name : ""));
    }
}

static void grow_random(drx_array *a, struct grown *g, uint64_t *rng)
{
    const int steps = (int)random_below(rng, MOST_GROWTHS);

    for (int i = 0; i < steps; i++) {
        const int axis = (int)random_below(rng, g->ndim);
        const int64_t by = 1 + random_below(rng, 3);
        struct grown more = *g;

        if (random_below(rng, 3) == 0)
            change_attributes(a, rng);
        grow_model(&more, axis, by);
        if (chunks_of(&more) > MOST_CHUNKS)
            continue;
        assert_ok(drx_extend(a, axis, by));
        *g = more;
    }
}

/* All elements get values. */
static void write_all(drx_array *a, const struct grown *g, uint64_t *rng)
{
    static int16_t buf[MOST_CHUNKS * 1024];
    int64_t n = 1;

    for (int j = 0; j < g->ndim; j++)
        n *= g->shape[j];
    for (int64_t i = 0; i < n; i++)
        buf[i] = (int16_t)random_next(rng);
    assert_ok(drx_write(a, (int64_t[5]){ 0 }, g->shape, DRX_ROW_MAJOR, buf));
}

static void same_attributes(drx_array *a, drx_array *b)
{
    assert_int_equal(drx_attr_count(a), drx_attr_count(b));
    for (int i = 0; i < drx_attr_count(a); i++) {
        const char *name[2];
        const void *values[2];
        drx_type type[2];
        int64_t n[2];
        int text[2];

        assert_ok(drx_attr_info(a, i, &name[0], &type[0], &n[0], &text[0]));
        assert_ok(drx_attr_info(b, i, &name[1], &type[1], &n[1], &text[1]));
        assert_string_equal(name[0], name[1]);
        assert_true(type[0] == type[1] && n[0] == n[1] && text[0] == text[1]);
        assert_ok(drx_attr_get(a, name[0], NULL, NULL, &values[0]));
        assert_ok(drx_attr_get(b, name[0], NULL, NULL, &values[1]));
        assert_memory_equal(values[0], values[1], (size_t)n[0] * drx_type_size(type[0]));
    }
    for (int j = 0; j < drx_ndim(a); j++) {
        const char *const x = drx_dim_name(a, j), *const y = drx_dim_name(b, j);

        assert_string_equal(x ? x : "(none)", y ? y : "(none)");
    }
}

/* The expansion records and all addresses. */
static void same_map(drx_array *a, drx_array *b)
{
    assert_int_equal(drx_chunk_count(a), drx_chunk_count(b));
    for (int64_t q = 0; q < drx_chunk_count(a); q++) {
        int64_t x[5], y[5], address;

        assert_ok(drx_chunk_index(a, q, x));
        assert_ok(drx_chunk_index(b, q, y));
        assert_memory_equal(x, y, (size_t)drx_ndim(a) * sizeof *x);
        assert_ok(drx_chunk_address(b, x, &address));
        assert_int_equal(address, q);
    }
    for (int j = 0; j < drx_ndim(a); j++) {
        assert_int_equal(drx_axial_count(a, j), drx_axial_count(b, j));
        for (int64_t i = 0; i < drx_axial_count(a, j); i++) {
            int64_t n[2], m[2], c[2][5];

            assert_ok(drx_axial_record(a, j, i, &n[0], &m[0], c[0]));
            assert_ok(drx_axial_record(b, j, i, &n[1], &m[1], c[1]));
            assert_true(n[0] == n[1] && m[0] == m[1]);
            assert_memory_equal(c[0], c[1], (size_t)drx_ndim(a) * sizeof c[0][0]);
        }
    }
}

static void same_elements(drx_array *a, drx_array *b, const struct grown *g)
{
    static int16_t x[MOST_CHUNKS * 1024], y[MOST_CHUNKS * 1024];
    int64_t n = 1;

    for (int j = 0; j < g->ndim; j++)
        n *= g->shape[j];
    assert_ok(drx_read(a, (int64_t[5]){ 0 }, g->shape, DRX_ROW_MAJOR, x));
    assert_ok(drx_read(b, (int64_t[5]){ 0 }, g->shape, DRX_ROW_MAJOR, y));
    assert_memory_equal(x, y, (size_t)n * sizeof *x);
}

static void same(drx_array *a, drx_array *b, const struct grown *g)
{
    assert_memory_equal(drx_shape(a), g->shape, (size_t)g->ndim * sizeof g->shape[0]);
    assert_memory_equal(drx_shape(b), g->shape, (size_t)g->ndim * sizeof g->shape[0]);
    same_attributes(a, b);
    same_map(a, b);
    same_elements(a, b, g);
}

/* The growths that the handle tells are those of the log, each by something, and lead to the bounds. */
static void check_growths(drx_array *a, const struct grown *g, int64_t expected)
{
    int64_t bound[5];

    memcpy(bound, g->initial, sizeof bound);
    assert_int_equal(drx_growth_count(a), expected);
    for (int64_t i = 0; i < expected; i++) {
        int64_t by;
        int axis;

        assert_ok(drx_growth(a, i, &axis, &by));
        assert_true(by > 0);
        bound[axis] += by;
    }
    assert_memory_equal(bound, g->shape, (size_t)g->ndim * sizeof bound[0]);
}

static drx_array *opened(int mode)
{
    drx_array *a;

    assert_ok(drx_open("c", mode, &a));
    assert_string_equal(drx_last_error(), "");
    return a;
}

TEST(random_histories)
{
    const int rounds = getenv("DRX_TORTURE") ? 20000 : 400;
    uint64_t rng = starting_seed(0);

    for (int round = 0; round < rounds; round++) {
        struct grown g;
        drx_array *a = make_random(&g, &rng), *before, *after;

        grow_random(a, &g, &rng);
        write_all(a, &g, &rng);
        assert_ok(drx_sync(a));
        before = opened(DRX_RDONLY);
        assert_ok(drx_compact(a));
        after = opened(DRX_RDONLY);
        check_growths(a, &g, least_growths(&g));
        check_growths(after, &g, least_growths(&g));
        same(before, a, &g);
        same(before, after, &g);
        assert_int_equal(length_of("c.xmd"), drxi_log_compacted_bytes(&a->log));
        assert_ok(drx_close(before));
        grow_random(a, &g, &rng); /* both handles go on */
        assert_ok(drx_refresh(after));
        same(a, after, &g);
        assert_ok(drx_close(after));
        assert_ok(drx_close(a));
        a = opened(DRX_RDWR);
        grow_random(a, &g, &rng);
        assert_ok(drx_compact(a));
        check_growths(a, &g, least_growths(&g));
        assert_ok(drx_close(a));
        assert_ok(drx_check("c", NULL, NULL, NULL, NULL));
    }
}

/* ---- trims, and growth at both ends ---- */

enum { AXES = 2, CHUNK = 3, MOST_EXTENT = 30, MOST_INDICES = 20, STEPS = 25 };

struct placed {
    int64_t lower[AXES], shape[AXES], chunks;
    int64_t address[MOST_INDICES][MOST_INDICES]; /* from the first chunk of each axis on */
};

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static void place(struct placed *p, drx_array *a)
{
    int64_t first[AXES], n[AXES];

    memset(p, 0, sizeof *p);
    p->chunks = drx_chunk_count(a);
    for (int j = 0; j < AXES; j++) {
        p->lower[j] = drx_lower(a)[j];
        p->shape[j] = drx_shape(a)[j];
        first[j] = floor_div(p->lower[j], CHUNK);
        n[j] = ceil_div(p->lower[j] + p->shape[j] - first[j] * CHUNK, CHUNK);
    }
    for (int64_t i = 0; i < n[0] && p->shape[1] > 0; i++)
        for (int64_t k = 0; k < n[1] && p->shape[0] > 0; k++)
            assert_ok(drx_chunk_address(a, (int64_t[]){ first[0] + i, first[1] + k }, &p->address[i][k]));
}

static void change_bounds(drx_array *a, uint64_t *rng)
{
    const int axis = (int)random_below(rng, AXES);
    const int64_t by = 1 + random_below(rng, 4), extent = drx_shape(a)[axis];

    switch (random_below(rng, 6)) {
    case 0:
    case 1:
    case 2:
        if (extent + by <= MOST_EXTENT)
            assert_ok(drx_extend(a, axis, by));
        break;
    case 3:
        if (extent + by <= MOST_EXTENT)
            assert_ok(drx_extend_before(a, axis, by));
        break;
    default:
        if (by <= extent)
            assert_ok(random_below(rng, 3) ? drx_trim(a, axis, by, 0) : drx_trim(a, axis, 0, by));
    }
}

static void keep_places(uint64_t *rng)
{
    static struct placed before, now;
    const int64_t shape[AXES] = { random_below(rng, 6), random_below(rng, 6) }, chunk[AXES] = { CHUNK, CHUNK };
    const drx_spec spec = { .ndim = AXES, .type = DRX_INT8, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE };
    drx_array *a;

    assert_ok(drx_create("c", &spec, &a));
    for (int i = 0; i < STEPS; i++) {
        change_bounds(a, rng);
        if (random_below(rng, 5))
            continue;
        place(&before, a);
        assert_ok(drx_compact(a));
        place(&now, a);
        assert_memory_equal(&before, &now, sizeof now);
        assert_ok(drx_close(a));
        assert_ok(drx_open("c", DRX_RDWR, &a));
        assert_string_equal(drx_last_error(), "");
        place(&now, a);
        assert_memory_equal(&before, &now, sizeof now);
    }
    assert_ok(drx_close(a));
}

TEST(addresses_beside_trims)
{
    uint64_t rng = starting_seed(0);

    for (int i = 0; i < 60; i++)
        keep_places(&rng);
}
