/* What all cmocka programs include. */
#ifndef TESTING_H
#define TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "drx_tools.h"

/* TEST(name) { ... } defines a test. The main of testing.c runs all tests of the program's file, in their order. */
#define TEST(name) TEST_WITH(name, NULL, NULL)
#define TEST_WITH(name, setup, teardown)                                                            \
    static void name(void **state);                                                                 \
    __attribute__((constructor)) static void add_##name(void)                                       \
    {                                                                                               \
        testing_add(__FILE__, __LINE__, (struct CMUnitTest){ #name, name, setup, teardown, NULL }); \
    }                                                                                               \
    static void name(void **state)
void testing_add(const char *file, int line, struct CMUnitTest test);

#define assert_ok(call) assert_status(call, DRX_OK)
#define assert_status(call, expected) check_status(call, expected, #call, __FILE__, __LINE__)

static inline void check_status(drx_status st, drx_status expected, const char *call, const char *file, int line)
{
    if (st != expected) {
        print_error("%s\n  gave %d (%s), expected %d; detail: %s\n", call, (int)st, drx_strerror(st), (int)expected,
                    drx_last_error());
        _fail(file, line);
    }
}

/* The detail of the last failure says `what`. */
#define assert_detail(what)                                                     \
    do {                                                                        \
        if (!strstr(drx_last_error(), what))                                    \
            print_error("\"%s\" expected in \"%s\"\n", what, drx_last_error()); \
        assert_non_null(strstr(drx_last_error(), what));                        \
    } while (0)

/* What it has counted so far. */
static inline drx_counters counters_of(const drx_array *a)
{
    drx_counters counters;

    assert_ok(drx_count(a, &counters));
    return counters;
}

/* For an array of them: all codecs but DRX_RAW. */
#define ALL_CODECS DRX_CODEC_LIST(TESTING_CODEC)
#define TESTING_CODEC(name, ...) DRX_##name,

/* Whether elements in memory are the bytes of a file. Elsewhere no read copies from the mapped file, and every write
 * swaps them first. */
#define IN_ORDER_OF_FILES (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)

/* QEMU, in which programs for other machines run (DRX_EMULATED), fails in a child that makes threads after its
 * parent did, and keeps 8 MB of each view of a file that it has ever mapped, which is too much of thousands. */
static inline void skip_if_emulated(void)
{
    if (getenv("DRX_EMULATED"))
        skip();
}

/* A repeatable stream of random numbers (splitmix64). */
static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline int64_t random_below(uint64_t *state, int64_t n)
{
    return (int64_t)(random_next(state) % (uint64_t)n);
}

/* The seed of this run, printed: DRX_SEED of the environment, or `otherwise`; 0: another one each time. */
static inline uint64_t starting_seed(uint64_t otherwise)
{
    const char *given = getenv("DRX_SEED");
    const uint64_t seed = given ? strtoull(given, NULL, 0) : otherwise ? otherwise : (uint64_t)time(NULL);

    print_message("DRX_SEED=%llu\n", (unsigned long long)seed);
    return seed;
}

/* Step through the box [0, count), the last axis fastest; false at its end, where `index` is 0 again. */
static inline bool next_index(int ndim, const int64_t count[], int64_t index[])
{
    for (int j = ndim - 1; j >= 0; j--) {
        if (++index[j] < count[j])
            return true;
        index[j] = 0;
    }
    return false;
}

#endif
