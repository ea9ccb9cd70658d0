/* Numbers found by their keys. */
#include "log/state.h"
#include "testing.h"

enum { NUMBERS = 400, STEPS = 20000 };

static char names[NUMBERS][8];

static struct drxi_key key_of(const void *owner, int64_t number)
{
    return (struct drxi_key){ owner ? names[number] : "", strlen(names[number]) };
}

/* Against a list, with names that several numbers share. */
TEST(an_index_knows_what_a_list_knows)
{
    const struct drxi_keys keys = { key_of, names };
    struct drxi_index x = { .n = 0 };
    int64_t has[NUMBERS / 2];
    uint64_t seed = starting_seed(0);

    for (int i = 0; i < NUMBERS; i++)
        (void)snprintf(names[i], sizeof names[i], "%d", i % (NUMBERS / 2));
    for (int k = 0; k < NUMBERS / 2; k++)
        has[k] = -1;
    for (int step = 0; step < STEPS; step++) {
        const int64_t i = random_below(&seed, NUMBERS);
        const int k = (int)(i % (NUMBERS / 2));

        if (random_below(&seed, STEPS) < STEPS - step) {
            assert_ok(drxi_index_reserve(&x, keys));
            drxi_index_set(&x, keys, i);
            has[k] = i;
        } else if (x.places > 0) {
            drxi_index_remove(&x, keys, i);
            has[k] = -1;
        }
        for (int other = k % 7; other < NUMBERS / 2; other += 7)
            assert_int_equal(drxi_index_find(&x, keys, names[other], strlen(names[other])), has[other]);
    }
    assert_int_equal(drxi_index_find(&x, keys, "none", 4), -1);
    drxi_index_free(&x);
    assert_int_equal(drxi_index_find(&x, keys, "1", 1), -1);
}
