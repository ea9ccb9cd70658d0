/* Compares the strided copy with a copy of one element at a time. */
#include "copy/copy.h"
#include "copy/kernels.h"
#include "testing.h"

enum { MAX_BYTES = 1 << 18, MAX_TEST_NDIM = 5 };

struct side {
    uint8_t bytes[MAX_BYTES];
    int64_t stride[MAX_TEST_NDIM];
    int64_t start; /* of the element of index 0 */
};

static _Alignas(64) struct side from, to, expected;

static void copy_plainly(int axis, int ndim, const int64_t count[], size_t item, int64_t d, int64_t s)
{
    if (axis == ndim || axis == MAX_TEST_NDIM) {
        memcpy(expected.bytes + d, from.bytes + s, item);
        return;
    }
    for (int64_t i = 0; i < count[axis]; i++)
        copy_plainly(axis + 1, ndim, count, item, d + i * to.stride[axis], s + i * from.stride[axis]);
}

/* Random strides that do not overlap: a permutation of the axes, with gaps and
 * signs; false when they take too much room. */
static bool choose_strides(struct side *side, int ndim, const int64_t count[], size_t item, uint64_t *seed)
{
    int64_t bytes = (int64_t)item;
    bool taken[MAX_TEST_NDIM] = { false };

    side->start = 0;
    for (int k = 0; k < ndim; k++) {
        int j = (int)random_below(seed, ndim);

        while (taken[j])
            j = (j + 1) % ndim;
        taken[j] = true;
        bytes += (int64_t)item * (random_below(seed, 3) == 0 ? random_below(seed, 3) : 0);
        side->stride[j] = bytes;
        if (random_below(seed, 4) == 0) {
            side->stride[j] = -bytes;
            side->start += bytes * (count[j] - 1);
        }
        bytes *= count[j];
    }
    for (int j = 0; j < ndim; j++)
        side->start *= count[j] > 0; /* nothing to copy: no place outside */
    return bytes <= MAX_BYTES;
}

static void copy_large(int ndim, const int64_t count[], size_t item)
{
    struct drxi_copy_axis axes[MAX_TEST_NDIM];

    for (int j = 0; j < ndim; j++)
        axes[j] = (struct drxi_copy_axis){ count[j], to.stride[j], from.stride[j] };
    drxi_copy_axes(ndim, axes, item, to.bytes + to.start, from.bytes + from.start, true);
}

static void random_bytes(uint64_t *seed)
{
    for (size_t i = 0; i < MAX_BYTES; i += 8) {
        const uint64_t word = random_next(seed);

        memcpy(from.bytes + i, &word, 8);
    }
}

/* The last ones are those of strings. */
static const size_t items[] = { 1, 2, 4, 8, 16, 3, 12, 24, 32, 77 };

static void random_boxes(uint64_t seed)
{
    int done = 0;

    while (done < 1500) {
        const int ndim = 1 + (int)random_below(&seed, MAX_TEST_NDIM);
        const size_t item = items[random_below(&seed, 10)];
        int64_t count[MAX_TEST_NDIM];

        for (int j = 0; j < ndim; j++)
            count[j] = random_below(&seed, random_below(&seed, 3) ? 6 : 70) + (random_below(&seed, 20) ? 1 : 0);
        if (!choose_strides(&from, ndim, count, item, &seed) || !choose_strides(&to, ndim, count, item, &seed))
            continue;
        if (random_below(&seed, 10) == 0) {
            memset(from.stride, 0, sizeof from.stride); /* one element for all */
            from.start = 0;
        }
        random_bytes(&seed);
        memset(to.bytes, 0xee, sizeof to.bytes);
        memset(expected.bytes, 0xee, sizeof expected.bytes);
        copy_plainly(0, ndim, count, item, to.start, from.start);
        if (done % 2)
            drxi_copy(ndim, count, item, to.bytes + to.start, to.stride, from.bytes + from.start, from.stride);
        else
            copy_large(ndim, count, item);
        assert_memory_equal(to.bytes, expected.bytes, MAX_BYTES);
        done++;
    }
}

/* Chunks in address order to a matrix, either way, of random extents: axes are rows
 * and columns of chunks, and in a chunk. */
static void random_chunks(uint64_t seed)
{
    for (int done = 0; done < 1500; done++) {
        const size_t item = items[random_below(&seed, 10)];
        const int64_t chunk[2] = { 1 + random_below(&seed, 70), 1 + random_below(&seed, 70) };
        const int64_t side = 1 + (int64_t)(MAX_BYTES / 2 / item) / (chunk[0] * chunk[1]);
        const int64_t grid[2] = { 1 + random_below(&seed, drxi_min(side, 9)), 1 };
        const int64_t count[4] = { grid[0], grid[1] * (1 + random_below(&seed, drxi_max(1, side / grid[0] / 2))),
                                   chunk[0], chunk[1] };
        const int64_t bytes = (int64_t)item, in_chunk = bytes * chunk[0] * chunk[1];
        const int64_t rows = count[0] * chunk[0], columns = count[1] * chunk[1];
        const bool turned = random_below(&seed, 2), padded = random_below(&seed, 2);
        const int64_t gap =
            padded ? drxi_ceil_div((turned ? rows : columns) * bytes, 64) * 64 : (turned ? rows : columns) * bytes;
        const int64_t by_row = turned ? bytes : gap, by_column = turned ? gap : bytes;

        if (count[0] * count[1] * in_chunk > MAX_BYTES || gap * (turned ? columns : rows) + 64 > MAX_BYTES)
            continue;
        memcpy(from.stride, ((int64_t[]){ in_chunk * count[1], in_chunk, bytes * chunk[1], bytes }), 32);
        memcpy(to.stride, ((int64_t[]){ by_row * chunk[0], by_column * chunk[1], by_row, by_column }), 32);
        from.start = 0;
        to.start = random_below(&seed, bytes < 64 ? 64 / bytes : 1) * bytes;
        random_bytes(&seed);
        memset(to.bytes, 0xee, sizeof to.bytes);
        memset(expected.bytes, 0xee, sizeof expected.bytes);
        copy_plainly(0, 4, count, item, to.start, from.start);
        copy_large(4, count, item);
        assert_memory_equal(to.bytes, expected.bytes, MAX_BYTES);
    }
}

/* Rows of 300 bytes to 70 KB, many of about a multiple of 2048 bytes, with gaps between them on either side. */
static void random_rows(uint64_t seed)
{
    for (int done = 0; done < 400; done++) {
        const int64_t item = INT64_C(1) << random_below(&seed, 5);
        const int64_t whole = 2048 * random_below(&seed, random_below(&seed, 5) ? 3 : 35);
        const int64_t bytes = drxi_max(300, whole + (random_below(&seed, 2) ? 0 : random_below(&seed, 2047) - 1023));
        const int64_t n = drxi_ceil_div(bytes, item), room = MAX_BYTES / (n * item + 512);
        const int64_t count[2] = { 1 + random_below(&seed, room), n };
        struct side *const sides[2] = { &from, &to };

        for (int i = 0; i < 2; i++) {
            const int64_t gap = random_below(&seed, 2) ? random_below(&seed, 512 / item) * item : 0;
            const int64_t pitch = n * item + gap;
            const bool backwards = random_below(&seed, 4) == 0;

            sides[i]->stride[0] = backwards ? -pitch : pitch;
            sides[i]->stride[1] = item;
            sides[i]->start = backwards ? pitch * (count[0] - 1) : 0;
        }
        random_bytes(&seed);
        memset(to.bytes, 0xee, sizeof to.bytes);
        memset(expected.bytes, 0xee, sizeof expected.bytes);
        copy_plainly(0, 2, count, (size_t)item, to.start, from.start);
        drxi_copy(2, count, (size_t)item, to.bytes + to.start, to.stride, from.bytes + from.start, from.stride);
        assert_memory_equal(to.bytes, expected.bytes, MAX_BYTES);
    }
}

/* Rows of each number of bytes up to those that take another way, in planes, at any address. */
static void short_rows(uint64_t seed)
{
    for (int64_t bytes = 1; bytes <= 520; bytes++) {
        const int64_t count[3] = { 1 + random_below(&seed, 4), 1 + random_below(&seed, 9), bytes };
        struct side *const sides[2] = { &from, &to };

        for (int i = 0; i < 2; i++) {
            const int64_t pitch = bytes + random_below(&seed, 3) * random_below(&seed, 70);
            const bool backwards = random_below(&seed, 4) == 0;

            sides[i]->stride[0] = pitch * count[1] + random_below(&seed, 70);
            sides[i]->stride[1] = backwards ? -pitch : pitch;
            sides[i]->stride[2] = 1;
            sides[i]->start = random_below(&seed, 64) + (backwards ? pitch * (count[1] - 1) : 0);
        }
        random_bytes(&seed);
        memset(to.bytes, 0xee, sizeof to.bytes);
        memset(expected.bytes, 0xee, sizeof expected.bytes);
        copy_plainly(0, 3, count, 1, to.start, from.start);
        drxi_copy(3, count, 1, to.bytes + to.start, to.stride, from.bytes + from.start, from.stride);
        assert_memory_equal(to.bytes, expected.bytes, MAX_BYTES);
    }
}

TEST(long_rows)
{
    random_rows(starting_seed(5));
}

/* Whatever the processor can. */
TEST(every_kernel)
{
    const struct drxi_kernels *const *all = drxi_kernels_all();

    for (uint64_t i = 0; all[i]; i++) {
        print_message("kernels: %s\n", all[i]->name);
        drxi_kernels_use(all[i]);
        random_boxes(7 + i);
        random_chunks(70 + i);
        short_rows(700 + i);
    }
    drxi_kernels_use(NULL);
}

TEST(contiguous_strides)
{
    const int64_t extent[3] = { 2, 3, 4 };
    int64_t stride[3];

    drxi_strides(3, extent, 8, DRX_ROW_MAJOR, stride);
    assert_memory_equal(stride, ((int64_t[]){ 96, 32, 8 }), sizeof stride);
    drxi_strides(3, extent, 8, DRX_COL_MAJOR, stride);
    assert_memory_equal(stride, ((int64_t[]){ 8, 16, 48 }), sizeof stride);
}
