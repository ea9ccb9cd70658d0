/* The strided copy against one element at a time. */
#include "copy/copy.h"
#include "testing.h"

enum { MAX_BYTES = 1 << 18, MAX_TEST_NDIM = 5 };

struct side {
    uint8_t bytes[MAX_BYTES];
    int64_t stride[MAX_TEST_NDIM];
    int64_t start; /* of the element of index 0 */
};

static struct side from, to, expected;

static void copy_plainly(int axis, int ndim, const int64_t count[], size_t item, int64_t d, int64_t s)
{
    if (axis == ndim) {
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
    bool taken[MAX_TEST_NDIM] = {false};

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
    return bytes <= MAX_BYTES;
}

static void random_boxes(void **state)
{
    static const size_t items[] = {1, 2, 4, 8, 16};
    uint64_t seed = 7;
    int done = 0;

    while (done < 4000) {
        const int ndim = 1 + (int)random_below(&seed, MAX_TEST_NDIM);
        const size_t item = items[random_below(&seed, 5)];
        int64_t count[MAX_TEST_NDIM];

        for (int j = 0; j < ndim; j++)
            count[j] = random_below(&seed, random_below(&seed, 3) ? 6 : 70) + (random_below(&seed, 20) ? 1 : 0);
        if (!choose_strides(&from, ndim, count, item, &seed) || !choose_strides(&to, ndim, count, item, &seed))
            continue;
        if (random_below(&seed, 10) == 0) {
            memset(from.stride, 0, sizeof from.stride); /* one element for all */
            from.start = 0;
        }
        for (size_t i = 0; i < MAX_BYTES; i += 8) {
            const uint64_t word = random_next(&seed);

            memcpy(from.bytes + i, &word, 8);
        }
        memset(to.bytes, 0xee, sizeof to.bytes);
        memset(expected.bytes, 0xee, sizeof expected.bytes);
        copy_plainly(0, ndim, count, item, to.start, from.start);
        drxi_copy(ndim, count, item, to.bytes + to.start, to.stride, from.bytes + from.start, from.stride);
        assert_memory_equal(to.bytes, expected.bytes, MAX_BYTES);
        done++;
    }
}

static void contiguous_strides(void **state)
{
    const int64_t extent[3] = {2, 3, 4};
    int64_t stride[3];

    drxi_strides(3, extent, 8, DRX_ROW_MAJOR, stride);
    assert_memory_equal(stride, ((int64_t[]){96, 32, 8}), sizeof stride);
    drxi_strides(3, extent, 8, DRX_COL_MAJOR, stride);
    assert_memory_equal(stride, ((int64_t[]){8, 16, 48}), sizeof stride);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_boxes),
        cmocka_unit_test(contiguous_strides),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
