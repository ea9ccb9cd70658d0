/* Plans of known cases: the paper's worked example, large arrays, the edges; and what is refused. */
#include "layout/plan/relayout.h"
#include "testing.h"

#define MIB ((int64_t)1 << 20)

/* A byte costs a second, a call nothing: only bytes count. */
static const struct drxi_relayout_cost bytes_only = { .read_bandwidth = 1,
                                                      .write_bandwidth = 1,
                                                      .part_bytes = INT64_MAX };

static struct drxi_relayout plan;

#define assert_extents(got, first, second) \
    assert_memory_equal(got, ((const int64_t[]){ first, second }), 2 * sizeof(int64_t))

#define assert_passes(expected, request)                 \
    assert_ok(drxi_relayout_plan(request, &plan, NULL)); \
    assert_int_equal(plan.passes, expected)

static struct drxi_relayout_request request(int ndim, const int64_t shape[], const int64_t source[],
                                            const int64_t target[], int64_t item_bytes, int64_t memory_bytes)
{
    return (struct drxi_relayout_request){ .ndim = ndim,
                                           .shape = shape,
                                           .source = { .chunk = source },
                                           .target = { .chunk = target },
                                           .item_bytes = item_bytes,
                                           .memory_bytes = memory_bytes };
}

/* 32 x 9 to 5 x 16: M = 32 x 18, U = 4 x 8, L = 160 x 144; 576 + 8 * 32 + 144 * 4 = 1408 elements, and a
 * target chunk to write from. */
TEST(worked_example)
{
    const int64_t n[2] = { 1600, 1440 }, s[2] = { 32, 9 }, t[2] = { 5, 16 };
    struct drxi_relayout_request r = request(2, n, s, t, 1, 1408 + 80);
    const struct drxi_relayout_pass *pass = &plan.pass[0];

    r.cost = &bytes_only;
    assert_passes(1, &r);
    assert_int_equal(pass->kind, DRXI_KEPT);
    assert_extents(pass->block, 32, 18);
    assert_extents(pass->leftover, 4, 8);
    assert_extents(pass->lcm, 160, 144);
    assert_int_equal(pass->traverse[0], 1);
    assert_extents(pass->kept_bytes, 576, 256);
    assert_int_equal(pass->block_bytes, 576);
    assert_int_equal(plan.memory_bytes, 1488);
    assert_int_equal(plan.read_bytes, 1600 * 1440);
    assert_int_equal(plan.write_bytes, 1600 * 1440);

    r.memory_bytes--; /* templates instead, of whole target chunks */
    assert_passes(1, &r);
    assert_int_equal(pass->kind, DRXI_TEMPLATE);
    assert_int_equal(pass->region[0] % 5, 0);
    assert_int_equal(pass->region[1] % 16, 0);
    assert_true(plan.read_bytes > 1600 * 1440);
    assert_true(plan.memory_bytes < 1488);
}

static void check_text(const char *expected)
{
    char text[16384];

    assert_true(drxi_relayout_print(&plan, text, sizeof text) < sizeof text);
    if (!strstr(text, expected))
        print_error("\"%s\" expected in\n%s\n", expected, text);
    assert_non_null(strstr(text, expected));
}

/* With 816 elements the best way is through 12 x 12, in groups of the LCM block: the temporary
 * array is padded to 168 x 144. The paper has the same first template. */
TEST(geometric_mean)
{
    const int64_t n[2] = { 1600, 1440 }, s[2] = { 32, 9 }, t[2] = { 5, 16 };
    struct drxi_relayout_request r = request(2, n, s, t, 1, 816);

    r.cost = &bytes_only;
    assert_passes(2, &r);
    assert_extents(plan.pass[0].target.chunk, 12, 12);
    assert_extents(plan.pass[1].source.chunk, 12, 12);
    assert_extents(plan.pass[0].region, 96, 12);
    assert_extents(plan.pass[0].group, 160, 144);
    assert_int_equal(plan.temporary_bytes, 168 * 144);
    assert_int_equal(plan.pass[0].write_bytes, 168 * 1440 * 10);
    check_text("pass 1 of 2: chunks 32x9 to temporary chunks 12x12, by templates, borders read again\n");
    check_text("pass 2 of 2: temporary chunks 12x12 to chunks 5x16, ");
}

/* Rows to columns: every target chunk takes from every source chunk, so only parts can be moved. */
TEST(rows_to_columns)
{
    const int64_t n[2] = { 16384, 16384 }, s[2] = { 8, 16384 }, t[2] = { 16384, 8 };
    struct drxi_relayout_request r = request(2, n, s, t, 8, 512 * MIB);
    const struct drxi_relayout_pass *pass = &plan.pass[0];

    assert_passes(1, &r);
    assert_int_equal(pass->kind, DRXI_KEPT);
    assert_int_equal(plan.read_bytes, 2048 * MIB);
    assert_int_equal(plan.write_bytes, 2048 * MIB);
    assert_extents(pass->source.unit, 8, 16384);
    assert_extents(pass->target.unit, 1024, 8);
    assert_int_equal(pass->buffers, 2);
    assert_int_equal(plan.memory_bytes, 2 * (128 * MIB + MIB)); /* 1024 rows, and 16 parts */
    assert_int_equal(plan.read_calls, 16);
    assert_int_equal(plan.write_calls, 16 * 2048);

    r.permute = (const int[]){ 1, 0 }; /* the transpose needs no more than its chunks */
    assert_passes(1, &r);
    assert_int_equal(plan.read_bytes + plan.write_bytes, 4096 * MIB);
    assert_extents(pass->source.unit, 16384, 8);
}

/* More memory never costs more time, over all from the least to that of the whole array. */
TEST(more_memory)
{
    const int64_t n[2] = { 16384, 16384 }, s[2] = { 8, 16384 }, t[2] = { 16384, 8 };
    struct drxi_relayout_request r = request(2, n, s, t, 8, 0);
    double seconds;

    assert_status(drxi_relayout_plan(&r, &plan, &r.memory_bytes), DRX_ERANGE);
    assert_true(r.memory_bytes < 16 * MIB);
    assert_ok(drxi_relayout_plan(&r, &plan, NULL));
    assert_true(plan.passes > 2);
    for (seconds = plan.seconds; r.memory_bytes < 8192 * MIB; seconds = plan.seconds) {
        r.memory_bytes += r.memory_bytes / 7;
        assert_ok(drxi_relayout_plan(&r, &plan, NULL));
        assert_true(plan.seconds <= seconds);
        assert_true(plan.memory_bytes <= r.memory_bytes);
    }
    assert_int_equal(plan.passes, 1);
}

TEST(rows_to_tiles)
{
    const int64_t n[2] = { 16384, 16384 }, s[2] = { 8, 16384 }, t[2] = { 512, 256 };
    struct drxi_relayout_request r = request(2, n, s, t, 8, 512 * MIB);

    assert_passes(1, &r);
    assert_int_equal(plan.pass[0].kind, DRXI_KEPT);
    assert_extents(plan.pass[0].block, 512, 16384);
    assert_int_equal(plan.memory_bytes, 2 * (64 * MIB + 64 * MIB)); /* 64 chunks in, 64 out */
    assert_int_equal(plan.read_calls, 32);
    assert_int_equal(plan.write_calls, 32);
    assert_int_equal(plan.read_bytes + plan.write_bytes, 4096 * MIB);
}

/* The constants decide: where a call costs much, fewer are made. */
TEST(constants)
{
    const int64_t n[2] = { 16384, 16384 }, s[2] = { 8, 16384 }, t[2] = { 16384, 8 };
    struct drxi_relayout_request r = request(2, n, s, t, 8, 512 * MIB);
    struct drxi_relayout_cost cost = drxi_relayout_cost;
    int64_t calls;

    assert_ok(drxi_relayout_plan(&r, &plan, NULL));
    calls = plan.write_calls;
    cost.read_latency = cost.write_latency = 1e-2;
    r.cost = &cost;
    assert_ok(drxi_relayout_plan(&r, &plan, NULL));
    assert_true(plan.write_calls < calls);
    assert_true(plan.memory_bytes <= 512 * MIB);
    cost.read_latency = cost.write_latency = 0;
    cost.overlap = 0;
    assert_ok(drxi_relayout_plan(&r, &plan, NULL));
    assert_float_equal(plan.seconds, 2.0 * 2048 * (double)MIB / 1.2e9, 1e-9);
}

TEST(edges)
{
    const int64_t n[3] = { 1, 7, 1 }, s[3] = { 1, 3, 1 }, t[3] = { 1, 2, 1 }, large[3] = { 4, 100, 4 };
    const int64_t none[3] = { 4, 0, 4 }, tall[1] = { (int64_t)1 << 40 }, a[1] = { 100003 }, b[1] = { 100019 };
    const int64_t taller[1] = { (int64_t)1 << 60 }, seven[1] = { 7 }, three[1] = { 3 };
    int64_t ones[DRX_MAX_NDIM], twos[DRX_MAX_NDIM];
    struct drxi_relayout_request r = request(3, n, s, t, 4, 1000);

    assert_passes(1, &r);
    r = request(3, n, large, t, 4, 1 << 20); /* whole chunks, what the array does not reach included */
    assert_ok(drxi_relayout_plan(&r, &plan, NULL));
    assert_int_equal(plan.read_bytes, 6400);
    assert_int_equal(plan.write_bytes, 32);
    r = request(3, none, s, t, 4, 0);
    assert_passes(0, &r);
    assert_int_equal(plan.read_bytes + plan.write_bytes + plan.memory_bytes, 0);
    r = request(1, tall, a, b, 1, 64 * MIB);
    assert_passes(1, &r);
    assert_true(plan.pass[0].leftover[0] < 100003);
    r = request(1, taller, seven, three, 1, 64 * MIB);
    assert_ok(drxi_relayout_plan(&r, &plan, NULL));
    assert_true(plan.read_bytes >= taller[0]);
    for (int j = 0; j < DRX_MAX_NDIM; j++) {
        ones[j] = 1;
        twos[j] = j < 24 ? 2 : 1;
    }
    r = request(DRX_MAX_NDIM, twos, ones, twos, 8, 1 << 30);
    assert_passes(1, &r);
    assert_int_equal(plan.read_bytes, 8 << 24);
}

/* A grid of chunks whose neighbours are not neighbours in the file has more calls, and no more. */
TEST(scattered)
{
    const int64_t n[2] = { 1000, 1000 }, s[2] = { 10, 10 }, t[2] = { 20, 20 };
    struct drxi_relayout_request r = request(2, n, s, t, 8, 16 * MIB);
    int64_t calls;

    assert_ok(drxi_relayout_plan(&r, &plan, NULL));
    calls = plan.read_calls;
    r.source.scattered = true;
    assert_ok(drxi_relayout_plan(&r, &plan, NULL));
    assert_true(calls < plan.read_calls);
    assert_int_equal(plan.read_calls, 10000);
    assert_int_equal(plan.read_bytes, 8000000);
}

TEST(refusals)
{
    const int64_t n[2] = { 100, 100 }, s[2] = { 10, 10 }, t[2] = { 7, 13 }, zero[2] = { 0, 3 }, minus[2] = { 5, -1 };
    const int64_t huge[2] = { INT64_MAX / 2, INT64_MAX / 2 };
    const struct drxi_relayout_request good = request(2, n, s, t, 8, 1000);
    struct drxi_relayout_cost cost = drxi_relayout_cost;
    struct drxi_relayout_request r = good;
    char wanted[64];
    int64_t least;

    assert_status(drxi_relayout_plan(&r, &plan, &least), DRX_ERANGE);
    (void)snprintf(wanted, sizeof wanted, "1000 bytes of memory are too little; %lld would do", (long long)least);
    assert_detail(wanted);
    assert_int_equal(plan.passes, 0);
#define WITH(status, says, change)                                \
    r = good;                                                     \
    change;                                                       \
    assert_status(drxi_relayout_plan(&r, &plan, &least), status); \
    assert_detail(says)
    WITH(DRX_EINVAL, "", r.memory_bytes = -1);
    WITH(DRX_EINVAL, "", r.item_bytes = 0);
    WITH(DRX_EINVAL, "", r.ndim = 0);
    WITH(DRX_EINVAL, "axis 0 of the target has a chunk extent of 0", r.target.chunk = zero);
    WITH(DRX_EINVAL, "axis 1 of the source has an extent of -1", r.shape = minus);
    WITH(DRX_EINVAL, "axis 0 twice", r.permute = ((const int[]){ 0, 0 }));
    WITH(DRX_EINVAL, "has 2; axes are 0 to 1", r.permute = ((const int[]){ 0, 2 }));
    WITH(DRX_EOVERFLOW, "", r.shape = huge);
    WITH(DRX_EOVERFLOW, "", r.source.chunk = huge);
    WITH(DRX_EINVAL, "axis 1 of the target: a box from 12 to 100, expected multiples of 13 up to 100",
         r.lo = ((const int64_t[]){ 7, 12 });
         r.hi = n);
    WITH(DRX_EINVAL, "", r.lo = t; r.hi = ((const int64_t[]){ 99, 100 }));
    WITH(DRX_EINVAL, "", r.lo = t; r.hi = ((const int64_t[]){ 105, 100 }));
    WITH(DRX_EINVAL, "", cost.read_bandwidth = 0; r.cost = &cost);
    WITH(DRX_OK, "", r.lo = r.hi = t); /* nothing */
    assert_int_equal(plan.passes, 0);
#undef WITH
}

/* Every allocation fails in turn. */
TEST(no_memory)
{
    const int64_t n[2] = { 100, 100 }, s[2] = { 10, 10 }, t[2] = { 7, 13 };
    struct drxi_relayout_request r = request(2, n, s, t, 8, 4000);
    long i = 0;
    drx_status st;

    do {
        drxi_fail_allocation = ++i;
        st = drxi_relayout_plan(&r, &plan, NULL);
        if (drxi_fail_allocation == 0)
            assert_int_equal(st, DRX_ENOMEM);
    } while (drxi_fail_allocation == 0);
    drxi_fail_allocation = 0;
    assert_true(i > 3);
}

TEST(printed)
{
    const int64_t n[2] = { 1600, 1440 }, s[2] = { 32, 9 }, t[2] = { 5, 16 };
    struct drxi_relayout_request r = request(2, n, s, t, 1, 1488);
    static const char *const lines[] = {
        "array 1600x1440 of 1 bytes an element: 1 pass\n",
        "pass 1 of 1: chunks 32x9 to chunks 5x16, leftovers kept\n",
        "     1            9           16          144          144           18            8          256\n",
        "     0           32            5          160          160           32            4          576\n",
        "memory  1488 bytes: 1 of 576 for blocks, 832 for leftovers, 1 of 80 for target chunks\n",
        "read    2304000 bytes in 4500 calls\n",
        "write   2304000 bytes in 28800 calls\n",
        "memory 1488 bytes, temporary files 0 bytes\n",
    };
    char text[4096], cut[40];
    size_t length;

    r.cost = &bytes_only;
    assert_ok(drxi_relayout_plan(&r, &plan, NULL));
    length = drxi_relayout_print(&plan, text, sizeof text);
    assert_int_equal(length, strlen(text));
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        check_text(lines[i]);
    assert_int_equal(drxi_relayout_print(&plan, cut, sizeof cut), length);
    assert_memory_equal(cut, text, sizeof cut - 1);
    assert_int_equal(cut[sizeof cut - 1], '\0');
    assert_int_equal(drxi_relayout_print(&plan, NULL, 0), length);
}
