/* The chunk that DRX chooses keeps the rules of src/map/default_chunk.c, whatever the bounds. */
#include <math.h>

#include "drx_tools.h"
#include "map/map.h"
#include "testing.h"

enum { SHAPES = 20000, MOST = 1 << 20, SMALL = 1 << 16, BLOCK = 1 << 12 };

/* ---- a plain model: count chunks by dividing ---- */

static double chunks_along(int64_t n, int64_t lower, int64_t chunk)
{
    const int64_t first = drxi_floor_div(lower, chunk), last = drxi_floor_div(lower + n - 1, chunk);

    return n ? (double)(last - first + 1) : 0;
}

static double product(int ndim, const int64_t of[])
{
    double n = 1;

    for (int j = 0; j < ndim; j++)
        n *= (double)of[j];
    return n;
}

static double stored_items(const struct drxi_bounds *b, const int64_t chunk[])
{
    double n = product(b->ndim, chunk);

    for (int j = 0; j < b->ndim; j++)
        n *= chunks_along(b->shape[j], b->lower ? b->lower[j] : 0, chunk[j]);
    return n;
}

/* ---- random bounds ---- */

static uint64_t draw(uint64_t *random)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return *random >> 33;
}

static int64_t draw_extent(uint64_t *random, int ndim)
{
    static const double largest[] = { 2, 6, 12, 100, 1e4, 1e6 };
    const double most = log(largest[draw(random) % (ndim > 8 ? 3 : 6)]);

    return (int64_t)exp(most * (double)draw(random) / 2147483648.0);
}

struct drawn {
    struct drxi_bounds bounds;
    int64_t shape[DRX_MAX_NDIM], lower[DRX_MAX_NDIM], chunk[DRX_MAX_NDIM];
    double bytes, chunk_bytes, stored_bytes;
};

static void choose(struct drawn *d)
{
    const struct drxi_bounds *b = &d->bounds;
    const double item = (double)b->item_bytes;

    drxi_choose_chunk(b, d->chunk);
    d->bytes = product(b->ndim, d->shape) * item;
    d->chunk_bytes = product(b->ndim, d->chunk) * item;
    d->stored_bytes = stored_items(b, d->chunk) * item;
}

static void draw_bounds(uint64_t *random, struct drawn *d)
{
    memset(d, 0, sizeof *d);
    d->bounds.ndim = 1 + (int)(draw(random) % 6 ? draw(random) % 5 : draw(random) % DRX_MAX_NDIM);
    d->bounds.item_bytes = (size_t)1 << draw(random) % 5;
    d->bounds.shape = d->shape;
    do
        for (int j = 0; j < d->bounds.ndim; j++)
            d->shape[j] = draw_extent(random, d->bounds.ndim);
    while (product(d->bounds.ndim, d->shape) > 1e17);
}

static void show(const struct drawn *d, const char *what)
{
    print_error("%s; %d axes, %d bytes, grows %#x:", what, d->bounds.ndim, (int)d->bounds.item_bytes, d->bounds.grows);
    for (int j = 0; j < d->bounds.ndim; j++)
        print_error(" %lld from %lld by %lld", (long long)d->shape[j], (long long)d->lower[j], (long long)d->chunk[j]);
    print_error("\n");
}

static void require(bool good, const struct drawn *d, const char *what)
{
    if (good)
        return;
    show(d, what);
    fail();
}

static uint64_t seed(void)
{
    const char *text = getenv("DRX_SEED");
    const uint64_t value = text ? strtoull(text, NULL, 10) : 20240611;

    print_message("seed %llu\n", (unsigned long long)value);
    return value;
}

/* ---- rules ---- */

/* The shortest extent of the chunk, over axes that it cuts, and the longest. */
static double skew_of(const struct drawn *d)
{
    double least = HUGE_VAL, most = 0;

    for (int j = 0; j < d->bounds.ndim; j++)
        if (d->chunk[j] < d->shape[j]) {
            least = fmin(least, (double)d->chunk[j]);
            most = fmax(most, (double)d->chunk[j]);
        }
    return most > 0 ? most / least : 1;
}

TEST(chunks_fit_bounds)
{
    uint64_t random = seed();
    double skewed = 0, large = 0;
    struct drawn d;

    for (int i = 0; i < SHAPES; i++) {
        draw_bounds(&random, &d);
        d.bounds.grows = draw(&random) % 3 == 0 ? (uint32_t)draw(&random) & ((1u << (d.bounds.ndim - 1)) - 1) : 0;
        choose(&d);
        for (int j = 0; j < d.bounds.ndim; j++)
            require(d.chunk[j] >= 1, &d, "an extent below 1");
        require(d.chunk_bytes <= MOST, &d, "more than 1 MiB");
        if (d.bytes > SMALL) {
            require(d.stored_bytes <= 1.1 * d.bytes, &d, "more than a tenth of padding");
            require(d.chunk_bytes >= SMALL, &d, "less than 64 KiB");
            large++;
            skewed += skew_of(&d) > 4;
        } else {
            const double room = d.bounds.grows ? SMALL : BLOCK;

            require(d.chunk_bytes <= fmax(room, d.bytes), &d, "more than its own shape, and than its room");
            for (int j = 0; j < d.bounds.ndim; j++)
                require(d.chunk[j] >= d.shape[j], &d, "a small array of several chunks");
        }
    }
    if (skewed > 0.03 * large)
        print_error("%.0f of %.0f chunks have extents of which one is 4 times another\n", skewed, large);
    assert_true(large > SHAPES / 4.0 && skewed <= 0.03 * large);
}

/* Room lies along the axes that grow, and along no others. */
TEST(chunks_have_room)
{
    uint64_t random = seed();
    struct drawn d;

    for (int i = 0; i < SHAPES; i++) {
        int single = 0;

        draw_bounds(&random, &d);
        d.bounds.ndim = d.bounds.ndim > 6 ? 6 : d.bounds.ndim;
        d.bounds.grows = 1u << draw(&random) % (unsigned)d.bounds.ndim;
        choose(&d);
        if (d.bytes > SMALL)
            continue;
        for (int j = 0; j < d.bounds.ndim; j++) {
            if (!(d.bounds.grows >> j & 1))
                require(d.chunk[j] == d.shape[j], &d, "room along an axis that does not grow");
            single += d.shape[j] == 1;
        }
        require(d.chunk_bytes > SMALL / 2.0, &d, "too little room where it grows");
        d.bounds.grows = 0;
        choose(&d);
        for (int j = 0; j < d.bounds.ndim && single; j++)
            require(d.shape[j] == 1 || d.chunk[j] == d.shape[j], &d, "room along an axis of many indices");
        if (d.bounds.ndim == 1)
            require(d.chunk_bytes >= BLOCK - d.bounds.item_bytes, &d, "less than a block");
    }
}

/* Chunks begin at multiples of their extents; elsewhere it takes smaller ones to keep the padding low. */
TEST(chunks_of_other_origins)
{
    uint64_t random = seed();
    struct drawn d;

    for (int i = 0; i < SHAPES / 10; i++) {
        draw_bounds(&random, &d);
        d.bounds.lower = d.lower;
        for (int j = 0; j < d.bounds.ndim; j++)
            d.lower[j] = (int64_t)(draw(&random) % 1000) - 500;
        choose(&d);
        require(d.chunk_bytes <= MOST, &d, "more than 1 MiB");
        if (d.bytes > SMALL)
            require(d.stored_bytes <= 1.1 * d.bytes, &d, "more than a tenth of padding");
    }
}

struct example {
    int ndim;
    drx_type type;
    uint32_t grows;
    int64_t shape[3], chunk[3];
};

TEST(examples_of_chunks)
{
    static const struct example examples[] = {
        { 1, DRX_INT32, 0, { 5 }, { 1024 } },
        { 1, DRX_INT32, 1, { 5 }, { 16384 } },
        { 1, DRX_FLOAT64, 0, { 0 }, { 131072 } },
        { 1, DRX_FLOAT64, 0, { 1000000000 }, { 131062 } },
        { 2, DRX_FLOAT64, 0, { 365, 2 }, { 365, 2 } },
        { 2, DRX_FLOAT64, 1, { 365, 2 }, { 4096, 2 } },
        { 2, DRX_FLOAT64, 0, { 3, 5 }, { 15, 25 } },
        { 3, DRX_FLOAT32, 0, { 12, 46, 72 }, { 12, 46, 72 } },
        { 3, DRX_FLOAT32, 1, { 12, 46, 72 }, { 12, 46, 72 } },
        { 3, DRX_FLOAT32, 0, { 1, 73, 144 }, { 1, 73, 144 } },
        { 3, DRX_FLOAT32, 0, { 0, 73, 144 }, { 24, 73, 144 } },
        { 3, DRX_FLOAT32, 0, { 132, 73, 144 }, { 66, 73, 48 } },
        { 3, DRX_FLOAT32, 0, { 0, 721, 1440 }, { 1, 361, 720 } },
        { 3, DRX_FLOAT64, 0, { 0, 0, 0 }, { 50, 50, 50 } },
    };

    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct example *e = &examples[i];
        const drx_spec spec = { .ndim = e->ndim, .type = e->type, .shape = e->shape, .grows = e->grows };
        int64_t chunk[3] = { 0 };
        drx_array *a;

        assert_ok(drx_choose_chunk(&spec, chunk));
        if (memcmp(chunk, e->chunk, (size_t)e->ndim * sizeof *chunk) != 0)
            print_error("example %d: %lld %lld %lld\n", (int)i, (long long)chunk[0], (long long)chunk[1],
                        (long long)chunk[2]);
        assert_memory_equal(chunk, e->chunk, (size_t)e->ndim * sizeof *chunk);
        assert_ok(drx_create(NULL, &spec, &a));
        assert_memory_equal(drx_chunk(a), chunk, (size_t)e->ndim * sizeof *chunk);
        assert_ok(drx_close(a));
    }
}

/* The chunk of a source is kept when it is neither tiny nor huge, nor mostly empty. */
TEST(chunks_of_sources)
{
    static const struct {
        int64_t shape[3], of[3];
        bool kept;
    } cases[] = {
        { { 132, 73, 144 }, { 1, 73, 144 }, true },
        { { 132, 73, 144 }, { 33, 73, 72 }, true },
        { { 132, 73, 144 }, { 1, 1, 144 }, false },
        { { 132, 73, 144 }, { 132, 40, 144 }, true },
        { { 132, 73, 144 }, { 132, 50, 144 }, false },
        { { 132, 73, 144 }, { 24, 128, 144 }, false },
        { { 12, 46, 72 }, { 1, 46, 72 }, false },
        { { 0, 73, 144 }, { 365, 10, 10 }, true },
        { { 4000, 400, 400 }, { 14, 400, 400 }, false },
        { { 4000, 400, 400 }, { 13, 400, 400 }, true },
        { { 3, 4, 5 }, { 64, 8, 8 }, true },
        { { 3, 4, 5 }, { 512, 8, 8 }, false },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        drx_spec spec = { .ndim = 3, .type = DRX_FLOAT32, .shape = cases[i].shape };
        int64_t chosen[3], chunk[3];

        assert_ok(drx_choose_chunk(&spec, chosen));
        spec.chunk = cases[i].of;
        assert_ok(drx_choose_chunk(&spec, chunk));
        if (memcmp(chunk, cases[i].kept ? cases[i].of : chosen, sizeof chunk) != 0)
            print_error("case %d\n", (int)i);
        assert_memory_equal(chunk, cases[i].kept ? cases[i].of : chosen, sizeof chunk);
    }
}

TEST(wrong_choices)
{
    const int64_t shape[2] = { 3, 4 };
    drx_spec spec = { .ndim = 2, .type = DRX_INT8, .shape = shape, .grows = 4 };
    int64_t chunk[2];
    drx_array *a;

    assert_status(drx_choose_chunk(&spec, chunk), DRX_EINVAL);
    assert_detail("grows is 0x4");
    assert_status(drx_create(NULL, &spec, &a), DRX_EINVAL);
    assert_detail("expected bits of the axes 0 to 1");
    assert_status(drx_choose_chunk(NULL, chunk), DRX_EINVAL);
    assert_status(drx_choose_chunk(&spec, NULL), DRX_EINVAL);
    spec.grows = 3;
    assert_ok(drx_choose_chunk(&spec, chunk));
}
