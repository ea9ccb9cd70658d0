/* One-sided access: sums and counters that all ranks change at once, calls that are refused, and too little shared
 * memory. */
#include <time.h>

#include "mp/darray/sections.h"
#include "mp_spread.h"

enum { NEAR_TIMES = 400, FAR_TIMES = 12 };

static const char *const ways[] = { "direct", "rma", "1", "2" };
enum { WAYS = sizeof ways / sizeof *ways };

static void set_way(const char *way)
{
    assert_int_equal(setenv("DRXMP_ONESIDED", way, 1), 0);
}

/* Whether all ranks share memory; otherwise direct access reaches only some of them. */
static bool on_one_node(void)
{
    MPI_Comm node;
    int n;

    (void)MPI_Comm_split_type(mp_comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    (void)MPI_Comm_size(node, &n);
    (void)MPI_Comm_free(&node);
    return n == mp_ranks;
}

static int64_t times(int way)
{
    return way == 0 && on_one_node() ? NEAR_TIMES : FAR_TIMES;
}

/* Blocks of `each` elements. */
static drxmp_darray *make(drx_type type, int64_t each)
{
    return mp_blocks(type, each * mp_ranks);
}

/* Element `n` of a type: real, or complex with 2 n beside it. */
static void set_number(drx_type type, double n, uint8_t *to)
{
    const int64_t integer = (int64_t)n;
    const float floats[2] = { (float)n, (float)(2 * n) };
    const double doubles[2] = { n, 2 * n };

    if (type <= DRX_UINT64)
        memcpy(to, &integer, drx_type_size(type));
    else
        memcpy(to, type == DRX_FLOAT32 || type == DRX_COMPLEX64 ? (const void *)floats : doubles, drx_type_size(type));
}

/* All ranks add to the same elements, of all ranks, and nothing is lost; small integers wrap. */
TEST(adding_together)
{
    for (int way = 0; way < WAYS; way++) {
        set_way(ways[way]);
        for (drx_type type = DRX_INT8; type <= DRX_COMPLEX128; type++) {
            const int64_t item = (int64_t)drx_type_size(type), lo = 0, count = 3 * mp_ranks, n = times(way);
            drxmp_darray *d = make(type, 3);
            uint8_t buf[16 * 3 * 8], expected[16], two[16] = { 0 };

            for (int64_t i = 0; i < count; i++)
                set_number(type, (double)(i + 1), buf + i * item);
            set_number(type, 1, two);
            if (type >= DRX_COMPLEX64) /* 1 + 0i */
                memset(two + item / 2, 0, (size_t)item / 2);
            for (int64_t k = 0; k < n; k++)
                assert_ok(drxmp_darray_acc(d, &lo, &count, DRX_ROW_MAJOR, k % 2 ? NULL : two, buf));
            assert_ok(drxmp_darray_sync(d));
            assert_ok(drxmp_darray_get(d, &lo, &count, DRX_ROW_MAJOR, buf));
            for (int64_t i = 0; i < count; i++) {
                set_number(type, (double)((i + 1) * n * mp_ranks), expected);
                assert_memory_equal(buf + i * item, expected, item);
            }
            assert_ok(drxmp_darray_free(d));
        }
    }
}

/* Of float16 the product and the sum are each rounded. Bools have no sums. */
TEST(halves_and_bools)
{
    const int64_t lo = 0, count = 3 * mp_ranks;

    for (int way = 0; way < WAYS; way++) {
        static const float start = 1000.25f, add = 0.7f, factor = 1.3f; /* not as halves */
        uint16_t buf[3 * 8], expected, alpha;
        drxmp_darray *d;

        set_way(ways[way]);
        d = make(DRX_FLOAT16, 3);
        assert_ok(drx_convert(DRX_FLOAT32, &factor, DRX_FLOAT16, &alpha, 1, DRX_NEAREST));
        for (int64_t i = 0; i < count; i++)
            assert_ok(drx_convert(DRX_FLOAT32, &start, DRX_FLOAT16, &buf[i], 1, DRX_NEAREST));
        if (mp_rank == 0)
            assert_ok(drxmp_darray_put(d, &lo, &count, DRX_ROW_MAJOR, buf));
        for (int64_t i = 0; i < count; i++)
            assert_ok(drx_convert(DRX_FLOAT32, &add, DRX_FLOAT16, &buf[i], 1, DRX_NEAREST));
        assert_ok(drxmp_darray_sync(d));
        if (mp_rank == mp_ranks - 1) { /* 1000 + 0.91, then 1001 + 0.7: halves are 0.5 apart there */
            assert_ok(drxmp_darray_acc(d, &lo, &count, DRX_ROW_MAJOR, &alpha, buf));
            assert_ok(drxmp_darray_acc(d, &lo, &count, DRX_ROW_MAJOR, NULL, buf));
        }
        assert_ok(drxmp_darray_sync(d));
        assert_ok(drxmp_darray_get(d, &lo, &count, DRX_ROW_MAJOR, buf));
        assert_ok(drx_convert(DRX_FLOAT32, &(float){ 1001.5f }, DRX_FLOAT16, &expected, 1, DRX_EXACT));
        for (int64_t i = 0; i < count; i++)
            assert_int_equal(buf[i], expected);
        assert_status(drxmp_darray_fetch_add(d, &lo, 1, NULL), DRX_EINVAL);
        assert_ok(drxmp_darray_sync(d));
        assert_ok(drxmp_darray_free(d));

        d = make(DRX_BOOL, 3);
        memset(buf, 1, sizeof buf);
        assert_status(drxmp_darray_acc(d, &lo, &count, DRX_ROW_MAJOR, NULL, buf), DRX_EINVAL);
        assert_detail("elements of bool have no sums");
        assert_status(drxmp_darray_sync_add(d), DRX_EINVAL);
        if (mp_rank == 0)
            assert_ok(drxmp_darray_put(d, &lo, &count, DRX_ROW_MAJOR, buf));
        assert_ok(drxmp_darray_sync(d));
        memset(buf, 0, sizeof buf);
        assert_ok(drxmp_darray_get(d, &lo, &count, DRX_ROW_MAJOR, buf));
        assert_int_equal(((uint8_t *)buf)[count - 1], 1);
        assert_ok(drxmp_darray_free(d));
    }
}

/* Each number is told once; others add to the neighbour of the counter meanwhile, and to the counter itself. */
TEST(counting_together)
{
    for (int way = 0; way < WAYS; way++) {
        const int64_t n = times(way), all = n * mp_ranks, last = 2 * mp_ranks - 1, pair = last - 1, two = 2;
        int *told = calloc((size_t)all, sizeof *told);
        drxmp_darray *d;
        int64_t end[2], add[2] = { 5, 0 };

        set_way(ways[way]);
        d = make(DRX_INT64, 2);
        assert_non_null(told);
        for (int64_t k = 0; k < n; k++) {
            int64_t old = -1;

            assert_ok(drxmp_darray_fetch_add(d, &last, 1, &old));
            assert_true(old >= 0 && old < all);
            told[old]++;
            assert_ok(drxmp_darray_acc(d, &pair, &two, DRX_ROW_MAJOR, NULL, add));
        }
        assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, told, (int)all, MPI_INT, MPI_SUM, mp_comm), MPI_SUCCESS);
        for (int64_t i = 0; i < all; i++)
            assert_int_equal(told[i], 1);
        assert_ok(drxmp_darray_get(d, &pair, &two, DRX_COL_MAJOR, end));
        assert_int_equal(end[0], 5 * all);
        assert_int_equal(end[1], all);
        free(told);
        assert_ok(drxmp_darray_free(d));
    }
}

/* Of each type of integers: signs, and sums that wrap. */
TEST(counters_of_each_type)
{
    for (int way = 0; way < WAYS; way++)
        for (drx_type type = DRX_INT8; type <= DRX_UINT64; type++) {
            const int bits = 8 * (int)drx_type_size(type), by = mp_rank == 0;
            const bool sign = type <= DRX_INT64;
            const int64_t at = mp_ranks - 1;
            drxmp_darray *d;
            int64_t old;

            set_way(ways[way]);
            d = make(type, 1);
            if (by) { /* the type's largest value, one more, and back */
                const int64_t most = (int64_t)(UINT64_MAX >> (64 - bits + sign));

                assert_ok(drxmp_darray_fetch_add(d, &at, most, &old));
                assert_int_equal(old, 0);
                assert_ok(drxmp_darray_fetch_add(d, &at, 1, &old));
                assert_int_equal(old, most);
                assert_ok(drxmp_darray_fetch_add(d, &at, -1, &old));
                assert_int_equal(old, sign ? (int64_t)(UINT64_MAX << (bits - 1)) : 0);
                assert_ok(drxmp_darray_fetch_add(d, &at, 2, NULL));
                assert_ok(drxmp_darray_fetch_add(d, &at, 0, &old));
                assert_int_equal(old, sign ? (int64_t)((UINT64_MAX << (bits - 1)) + 1) : 1);
            }
            assert_ok(drxmp_darray_sync(d));
            assert_ok(drxmp_darray_free(d));
        }
}

/* A rank that stores a value and then counts: who sees the count sees the value. */
TEST(counters_order)
{
    for (int way = 0; way < WAYS; way++) {
        const int64_t flag = 0, value = 1, one = 1;
        const int writer = mp_ranks - 1;
        drxmp_darray *d;
        int64_t seen = 0;

        if (way > 0 && mp_ranks > 4)
            continue;
        set_way(ways[way]);
        d = make(DRX_INT64, 2);
        for (int64_t k = 1; k <= (way == 0 ? 50 : 5); k++) {
            if (mp_rank == writer) {
                assert_ok(drxmp_darray_put(d, &value, &one, DRX_ROW_MAJOR, &k));
                assert_ok(drxmp_darray_fetch_add(d, &flag, 1, NULL));
            } else {
                do
                    assert_ok(drxmp_darray_fetch_add(d, &flag, 0, &seen));
                while (seen < k);
                assert_ok(drxmp_darray_get(d, &value, &one, DRX_ROW_MAJOR, &seen));
                assert_int_equal(seen, k);
            }
            assert_int_equal(MPI_Barrier(mp_comm), MPI_SUCCESS);
        }
        assert_ok(drxmp_darray_free(d));
    }
}

TEST(wrong_calls)
{
    const int64_t lo = 0, one = 1, none = 0, less = -1, end = 2 * mp_ranks, many = INT64_MAX;
    const int64_t all = 2 * mp_ranks, outside[2] = { 0, end };
    int32_t buf[16] = { 7, 7 }, seen[16];
    const bool far = !on_one_node() && mp_thread_level < MPI_THREAD_MULTIPLE;
    int64_t old = -5;
    drxmp_darray *d, *reals;

    set_way("direct");
    d = make(DRX_INT32, 2);
    reals = make(DRX_FLOAT32, 2);
    assert_status(drxmp_darray_get(NULL, &lo, &one, DRX_ROW_MAJOR, buf), DRX_EINVAL);
    assert_status(drxmp_darray_get(d, NULL, &one, DRX_ROW_MAJOR, buf), DRX_EINVAL);
    assert_status(drxmp_darray_put(d, &lo, NULL, DRX_ROW_MAJOR, buf), DRX_EINVAL);
    assert_status(drxmp_darray_acc(NULL, &lo, &one, DRX_ROW_MAJOR, NULL, buf), DRX_EINVAL);
    assert_status(drxmp_darray_acc(d, &lo, &one, DRX_ROW_MAJOR, NULL, NULL), DRX_EINVAL);
    assert_status(drxmp_darray_get(d, &lo, &one, DRX_ROW_MAJOR, NULL), DRX_EINVAL);
    assert_status(drxmp_darray_get(d, &lo, &one, (drx_order)5, buf), DRX_EINVAL);
    assert_fails(drxmp_darray_put(d, &lo, &less, DRX_ROW_MAJOR, buf), DRX_EINVAL, "axis 0: count -1");
    assert_ok(drxmp_darray_get(d, &lo, &none, DRX_ROW_MAJOR, NULL));
    assert_ok(drxmp_darray_put(d, &many, &none, DRX_ROW_MAJOR, NULL));
    assert_fails(drxmp_darray_get(d, &less, &one, DRX_ROW_MAJOR, buf), DRX_ERANGE, "axis 0: no rank owns index -1");
    assert_status(drxmp_darray_put(d, &lo, &(int64_t){ end + 1 }, DRX_ROW_MAJOR, buf), DRX_ERANGE);
    assert_status(drxmp_darray_acc(d, &one, &many, DRX_ROW_MAJOR, NULL, buf), DRX_EOVERFLOW);
    assert_status(drxmp_darray_acc(d, &one, &(int64_t){ INT64_MAX / 16 }, DRX_ROW_MAJOR, NULL, buf), DRX_ERANGE);
    assert_status(drxmp_darray_fetch_add(NULL, &lo, 1, &old), DRX_EINVAL);
    assert_status(drxmp_darray_fetch_add(d, NULL, 1, &old), DRX_EINVAL);
    assert_status(drxmp_darray_fetch_add(d, &end, 1, &old), DRX_ERANGE);
    assert_fails(drxmp_darray_fetch_add(reals, &lo, 1, &old), DRX_EINVAL, "float32");
    assert_int_equal(old, -5);
    assert_status(drxmp_darray_gather(NULL, 1, &lo, buf), DRX_EINVAL);
    assert_status(drxmp_darray_gather(d, -1, &lo, buf), DRX_EINVAL);
    assert_status(drxmp_darray_gather(d, 1, NULL, buf), DRX_EINVAL);
    assert_status(drxmp_darray_scatter(d, 1, &lo, NULL), DRX_EINVAL);
    assert_ok(drxmp_darray_scatter(d, 0, NULL, NULL));
    assert_status(drxmp_darray_scatter(d, 2, outside, buf), DRX_ERANGE);
    assert_status(drxmp_darray_gather(d, 2, outside, seen), DRX_ERANGE);
    assert_status(drxmp_darray_progress(NULL, 1), DRX_EINVAL);
    if (far)
        assert_fails(drxmp_darray_progress(d, 1), DRX_EUNSUPPORTED, "MPI_THREAD_MULTIPLE");
    else
        assert_ok(drxmp_darray_progress(d, 1)); /* nothing to do */
    assert_ok(drxmp_darray_get(d, &lo, &all, DRX_ROW_MAJOR, seen));
    for (int64_t i = 0; i < all; i++)
        assert_int_equal(seen[i], 0);
    assert_ok(drxmp_darray_free(d));
    assert_ok(drxmp_darray_free(reals));
}

/* The section of the last rank may only be read. */
TEST(read_only)
{
    const int64_t lo = 0, count = 2 * mp_ranks, last = count - 1, one = 1;
    int32_t buf[16] = { 0 }, seen[16];
    int64_t old;
    struct dap_array in;
    drxmp_darray *lender, *d;

    set_way("direct");
    lender = make(DRX_INT32, 2);
    ((int32_t *)drxmp_darray_local(lender))[1] = 40 + mp_rank;
    assert_ok(drxmp_darray_dap(lender, &in));
    if (mp_rank == mp_ranks - 1)
        in.flags |= DAP_READ_ONLY;
    assert_ok(drxmp_darray_from_dap(mp_comm, &in, &d));
    assert_fails(drxmp_darray_put(d, &lo, &count, DRX_ROW_MAJOR, buf), DRX_EACCES, "read");
    assert_status(drxmp_darray_acc(d, &last, &one, DRX_ROW_MAJOR, NULL, buf), DRX_EACCES);
    assert_status(drxmp_darray_scatter(d, 2, (int64_t[]){ lo, last }, buf), DRX_EACCES);
    assert_status(drxmp_darray_fetch_add(d, &last, 1, &old), DRX_EACCES);
    assert_ok(drxmp_darray_get(d, &lo, &count, DRX_ROW_MAJOR, seen));
    for (int r = 0; r < mp_ranks; r++)
        assert_int_equal(seen[2 * r + 1], 40 + r);
    (void)MPI_Barrier(mp_comm); /* others get from what is freed now */
    assert_ok(drxmp_darray_free(d));
    assert_ok(drxmp_darray_free(lender));
}

/* No rank gets an array. */
static void cannot_make(drx_type type, int64_t size, drx_status expected, const char *why)
{
    const struct dap_dim dim = mp_block(size);
    drxmp_darray *d;

    assert_fails(drxmp_darray_create(mp_comm, type, 1, &dim, DRX_ROW_MAJOR, &d), expected, why);
    assert_null(d);
}

TEST(wrong_settings)
{
    static const char *const wrong[] = { "", "near", "0", "-1", "2x" };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        set_way(wrong[i]);
        cannot_make(DRX_INT32, 8, DRX_EINVAL, "DRXMP_ONESIDED");
    }
    set_way("direct");
    assert_int_equal(setenv("DRXMP_PROGRESS", "yes", 1), 0);
    cannot_make(DRX_INT32, 8, DRX_EINVAL, "DRXMP_PROGRESS");
}

static int64_t little(void)
{
    return 10000;
}

static int64_t not_known(void)
{
    return -1;
}

TEST(too_little_room)
{
    int64_t (*const room)(void) = drxi_shared_room;

    if (mp_ranks == 1) /* nobody to share with */
        skip();
    set_way("direct");
    if (mp_rank == mp_ranks - 1)
        drxi_shared_room = little;
    for (int i = 0; i < 2; i++)
        cannot_make(DRX_FLOAT64, 1000 * mp_ranks, DRX_ENOMEM, "room for 10000 bytes");
    drxi_shared_room = not_known;
    assert_ok(drxmp_darray_free(make(DRX_FLOAT64, 1000)));
    drxi_shared_room = room;
}

/* DRX_TEST_SHM says how much there really is, so that what follows is too much: looked for, and then not. */
TEST(too_little_memory)
{
    const char *said = getenv("DRX_TEST_SHM");
    const int64_t bytes = said ? strtoll(said, NULL, 10) : 0;
    drxmp_darray *d;

    if (!said || mp_ranks == 1)
        skip();
    set_way("direct");
    cannot_make(DRX_INT8, bytes * 11 / 10, DRX_ENOMEM, "has room for");
#ifndef OPEN_MPI /* which looks for itself, and then leaves all ranks but one waiting */
    int64_t (*const room)(void) = drxi_shared_room;

    drxi_shared_room = not_known;
    for (int i = 0; i < 3; i++)
        cannot_make(DRX_INT8, bytes * 11 / 10, DRX_ENOMEM, "has no room for");
    drxi_shared_room = room;
#endif
    d = mp_blocks(DRX_INT8, bytes / 4);
    memset(drxmp_darray_local(d), 1, (size_t)dap_num_local(drxmp_darray_dims(d)));
    assert_ok(drxmp_darray_free(d));
}
