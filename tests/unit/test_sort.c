/* Sorting by digits gives what a plain stable sort gives, and marks find what repeats. */
#include "base/sort.h"
#include "testing.h"

enum { MOST = 5000 };

static struct drxi_keyed keys[MOST], spare[MOST], expected[MOST];
static uint64_t seed;

static void begin(void)
{
    const char *text = getenv("DRX_SEED");

    seed = text ? strtoull(text, NULL, 10) : (uint64_t)time(NULL);
    print_message("DRX_SEED=%llu\n", (unsigned long long)seed);
}

/* Values number the keys, so that this order is the stable one. */
static int compare(const void *a, const void *b)
{
    const struct drxi_keyed *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

static void check(int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        keys[i].value = i;
    memcpy(expected, keys, (size_t)n * sizeof *keys);
    qsort(expected, (size_t)n, sizeof *expected, compare);
    drxi_sort_keyed(keys, spare, n);
    assert_memory_equal(keys, expected, (size_t)n * sizeof *keys);
}

TEST(spans_of_any_width)
{
    begin();
    for (int round = 0; round < 300; round++) {
        const int64_t n = random_below(&seed, round % 2 ? MOST : 100);
        const int bits = (int)random_below(&seed, 64);
        const int64_t least = (int64_t)random_next(&seed) >> random_below(&seed, 64);

        for (int64_t i = 0; i < n; i++)
            keys[i].key = (int64_t)((uint64_t)least + (random_next(&seed) >> (63 - bits)));
        check(n);
    }
}

TEST(extremes)
{
    const int64_t some[] = { INT64_MAX, INT64_MIN, 0, -1, 1, INT64_MAX - 1, INT64_MIN + 1 };

    begin();
    for (int64_t n = 0; n < MOST; n += 1 + n / 2) {
        for (int64_t i = 0; i < n; i++)
            keys[i].key = some[random_below(&seed, 7)];
        check(n);
    }
}

TEST(in_order_and_in_reverse)
{
    for (int64_t i = 0; i < MOST; i++)
        keys[i].key = i / 3;
    check(MOST);
    for (int64_t i = 0; i < MOST; i++)
        keys[i].key = -i / 3;
    check(MOST);
}

/* Each key once, and one of them twice. */
TEST(marks_find_what_repeats)
{
    static int64_t all[MOST];
    static uint64_t bits[MOST];

    begin();
    for (int round = 0; round < 200; round++) {
        const int64_t n = 2 + random_below(&seed, MOST - 2), least = random_below(&seed, 1000) - 500;
        struct drxi_marks m = { bits, least, least + n - 1 };
        int64_t other;

        for (int64_t i = 0; i < n; i++)
            all[i] = least + i;
        for (int64_t i = n - 1; i > 0; i--) {
            const int64_t j = random_below(&seed, i + 1), one = all[i];

            all[i] = all[j];
            all[j] = one;
        }
        assert_true(drxi_marks_words(m.least, m.most, n) == (n - 1) / 64 + 1);
        memset(bits, 0, sizeof bits);
        assert_true(drxi_mark_all(&m, all, n));
        other = random_below(&seed, n);
        all[other] = all[(other + 1) % n];
        memset(bits, 0, sizeof bits);
        assert_false(drxi_mark_all(&m, all, n));
    }
    assert_int_equal(drxi_marks_words(0, INT64_MAX, 1000), -1);
    assert_int_equal(drxi_marks_words(INT64_MIN, INT64_MAX, 1000), -1);
}
