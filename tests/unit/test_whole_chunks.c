/* Writes of whole chunks that lie in memory as in the file, which need no stage where they have no neighbour in the
 * file: random boxes, against a model, and against the files that the same writes from ordinary memory make. */
#include "base/base.h"
#include "drx_tools.h"
#include "testing.h"

enum { ROUNDS = 40, WRITES = 12, MOST = 1 << 16 };

static int64_t chunk[2], shape[2];
static int32_t model[MOST], straight[MOST], padded[MOST];

static drx_array *create(const char *path, uint64_t align, unsigned flags)
{
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_INT32,
                            .shape = shape,
                            .chunk = chunk,
                            .align = (int64_t)align,
                            .flags = flags | DRX_REPLACE };
    drx_array *a;

    assert_ok(drx_create(path, &spec, &a));
    return a;
}

/* A box in one column of chunks, which tends to begin and end at their borders. */
static void choose_box(uint64_t *seed, int64_t lo[2], int64_t count[2])
{
    const int64_t rows = shape[0] / chunk[0], first = random_below(seed, rows);
    const int64_t n = 1 + random_below(seed, rows - first);

    lo[0] = first * chunk[0];
    count[0] = n * chunk[0];
    lo[1] = random_below(seed, shape[1] / chunk[1]) * chunk[1];
    count[1] = chunk[1];
    if (random_below(seed, 4) == 0) {
        lo[0] += count[0] / 3;
        count[0] -= count[0] / 3;
    }
    if (random_below(seed, 6) == 0)
        count[1] -= chunk[1] / 2;
}

static void fill(uint64_t *seed, const int64_t lo[2], const int64_t count[2], int64_t far)
{
    for (int64_t y = 0; y < count[0]; y++)
        for (int64_t x = 0; x < count[1]; x++) {
            const int32_t value = (int32_t)random_next(seed);

            model[(lo[0] + y) * shape[1] + lo[1] + x] = value;
            straight[y * chunk[1] + x] = padded[y * far + x] = value;
        }
}

static void read_back(drx_array *a)
{
    static int32_t whole[MOST];

    assert_ok(drx_read(a, (int64_t[]){ 0, 0 }, shape, DRX_ROW_MAJOR, whole));
    assert_memory_equal(whole, model, (size_t)(shape[0] * shape[1]) * sizeof *whole);
}

static size_t read_file(const char *path, uint8_t *bytes, size_t most)
{
    FILE *file = fopen(path, "rb");
    size_t n;

    assert_non_null(file);
    n = fread(bytes, 1, most, file);
    assert_int_equal(fclose(file), 0);
    return n;
}

static void compare_files(void)
{
    static uint8_t one[MOST * 64], other[sizeof one];
    const size_t n = read_file("straight.xta", one, sizeof one);

    assert_in_range(n, 1, sizeof one - 1);
    assert_int_equal(read_file("padded.xta", other, sizeof other), n);
    assert_memory_equal(one, other, n);
}

static void one_round(uint64_t *seed, unsigned flags)
{
    const uint64_t align = (uint64_t[]){ 1, 64, 4096 }[random_below(seed, 3)];
    drx_array *a, *b;

    for (int j = 0; j < 2; j++) {
        chunk[j] = 1 + random_below(seed, 40);
        shape[j] = chunk[j] * (1 + random_below(seed, j ? 2 : 6));
    }
    memset(model, 0, sizeof model);
    a = create("straight", align, flags);
    b = create("padded", align, flags);
    for (int i = 0; i < WRITES; i++) {
        int64_t lo[2], count[2];
        const int64_t far = chunk[1] + 3;

        choose_box(seed, lo, count);
        fill(seed, lo, count, far);
        assert_ok(
            drx_write_box(a, &(drx_box){ .lo = lo, .count = count, .stride = (int64_t[]){ chunk[1], 1 } }, straight));
        assert_ok(drx_write_box(b, &(drx_box){ .lo = lo, .count = count, .stride = (int64_t[]){ far, 1 } }, padded));
        read_back(a);
    }
    read_back(b);
    assert_ok(drx_close(a));
    assert_ok(drx_close(b));
    compare_files();
}

TEST(files_are_the_same_from_any_memory)
{
    uint64_t seed = starting_seed(0);

    for (int i = 0; i < ROUNDS; i++) {
        drx_set_memory(i % 4 == 3 ? 1 << 15 : 0);
        one_round(&seed, i % 2 ? DRX_CHECKSUM : 0);
    }
    drx_set_memory(0);
}

/* Neither does it need memory. */
TEST(a_chunk_goes_straight_to_the_file)
{
    const int64_t lo[] = { 5, 7 }, count[] = { 5, 7 }, stride[] = { 7, 1 };
    drx_array *a;

    if (!IN_ORDER_OF_FILES)
        skip();
    chunk[0] = lo[0];
    chunk[1] = lo[1];
    shape[0] = shape[1] = 3 * 35;
    a = create("straight", 1, 0);
    for (int i = 0; i < 35; i++)
        straight[i] = i + 1;
    drxi_fail_allocation = 1;
    assert_ok(drx_write_box(a, &(drx_box){ .lo = lo, .count = count, .stride = stride }, straight));
    assert_int_equal(drxi_fail_allocation, 1);
    drxi_fail_allocation = 0;
    memset(padded, 0, sizeof padded);
    assert_ok(drx_read(a, lo, count, DRX_ROW_MAJOR, padded));
    assert_memory_equal(padded, straight, 35 * sizeof *straight);
    assert_ok(drx_close(a));
}
