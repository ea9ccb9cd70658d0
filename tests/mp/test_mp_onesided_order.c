/* One-sided requests take effect in the order in which they were begun. */
#include "late_rma.h"
#include "mp_spread.h"

enum { SOME = 6, CALLS = 40, ROOM = 30, ROUNDS = 8 };
enum access { GET, PUT, ACC };

/* Of one rank: requests and calls that wait, on a row whose elements other ranks own, against a plain array. They take
 * effect in the order in which they were begun. */
static void one_in_order(drxmp_darray *row, int64_t size)
{
    static int64_t plain[ROOM * MOST_RANKS], bufs[SOME][ROOM * MOST_RANKS], expected[SOME][ROOM * MOST_RANKS];
    uint64_t luck = mp_stream + (uint64_t)mp_rank;
    drx_request *req[SOME] = { NULL };
    int64_t count[SOME] = { 0 }, old;

    memset(plain, 0, sizeof plain);
    for (int n = 0; n < CALLS; n++) {
        const int k = (int)random_below(&luck, SOME), access = (int)random_below(&luck, 3);
        const int64_t lo = random_below(&luck, size), step = 1 + random_below(&luck, 3);
        const drx_box box = { .lo = &lo, .count = &count[k], .step = &step };

        if (req[k]) {
            assert_ok(drx_wait(req[k]));
            assert_memory_equal(bufs[k], expected[k], (size_t)count[k] * sizeof **bufs);
            req[k] = NULL;
        }
        count[k] = 1 + random_below(&luck, (size - lo - 1) / step + 1);
        for (int64_t i = 0; i < count[k]; i++) {
            int64_t *element = &plain[lo + i * step];

            bufs[k][i] = access == GET ? -1 : 1000 * n + i;
            *element = access == GET ? *element : access == PUT ? bufs[k][i] : *element + bufs[k][i];
            expected[k][i] = access == GET ? *element : bufs[k][i];
        }
        if (random_below(&luck, 8) == 0) { /* and a call of another kind */
            assert_ok(drxmp_darray_fetch_add(row, &lo, 0, &old));
            assert_ok(drxmp_darray_gather(row, 1, &lo, &old));
        }
        assert_ok(access == GET   ? drxmp_darray_get_box(row, &box, bufs[k], &req[k])
                  : access == PUT ? drxmp_darray_put_box(row, &box, bufs[k], &req[k])
                                  : drxmp_darray_acc_box(row, &box, NULL, bufs[k], &req[k]));
    }
    for (int k = 0; k < SOME; k++)
        if (req[k]) {
            assert_ok(drx_wait(req[k]));
            assert_memory_equal(bufs[k], expected[k], (size_t)count[k] * sizeof **bufs);
        }
    assert_ok(drxmp_darray_get(row, &(int64_t){ 0 }, &size, DRX_ROW_MAJOR, bufs[0]));
    assert_memory_equal(bufs[0], plain, (size_t)size * sizeof **bufs);
}

static void in_order(const char *way, const char *buffer)
{
    assert_int_equal(setenv("DRXMP_ONESIDED", way, 1), 0);
    assert_int_equal(setenv("DRXMP_BUFFER", buffer, 1), 0);
    for (int round = 0; round < mp_rounds(ROUNDS); round++) {
        drxmp_darray *row = mp_blocks(DRX_INT64, ROOM * mp_ranks);
        drx_request *req;
        int64_t value = 5;

        if (round % mp_ranks == mp_rank)
            one_in_order(row, ROOM * mp_ranks);
        assert_ok(drxmp_darray_sync(row));
        assert_ok(drxmp_darray_put_box(row, &(drx_box){ .lo = &(int64_t){ mp_rank }, .count = &(int64_t){ 1 } }, &value,
                                       &req));
        assert_ok(drxmp_darray_sync(row)); /* comes after it, too */
        value = 0;
        assert_ok(
            drxmp_darray_get(row, &(int64_t){ (mp_rank + 1) % mp_ranks }, &(int64_t){ 1 }, DRX_ROW_MAJOR, &value));
        assert_int_equal(value, 5);
        assert_status(drxmp_darray_free(row), DRX_EBUSY);
        assert_ok(drx_wait(req));
        assert_ok(drxmp_darray_free(row));
    }
}

TEST(requests_in_order)
{
    in_order("direct", "1048576");
}

TEST(requests_in_order_by_rma)
{
    in_order("rma", "1048576");
    in_order("rma", "65536");
    late_rma = true;
    in_order("rma", "1048576");
    late_rma = false;
}

/* Element i of the array is i more than that. */
static void assert_elements(drxmp_array *a, int64_t added)
{
    int64_t all[MOST_RANKS];

    assert_ok(drxmp_read_all(a, &(int64_t){ 0 }, &(int64_t){ mp_ranks }, DRX_ROW_MAJOR, all));
    for (int i = 0; i < mp_ranks; i++)
        assert_int_equal(all[i], added + i);
}

/* Collective calls that move the section come after them, too. */
static void before_others(void)
{
    const int64_t next = (mp_rank + 1) % mp_ranks, one = 1, many = mp_ranks;
    const drx_box box = { .lo = &next, .count = &one };
    drxmp_array *a = mp_create("order", &(drx_spec){ .ndim = 1, .type = DRX_INT64, .shape = &many, .chunk = &one });
    drxmp_darray *d = mp_blocks(DRX_INT64, many),
                 *to = mp_darray(DRX_INT64, 1, (struct dap_dim[]){ mp_cyclic(many, 1) }, DRX_ROW_MAJOR);
    int64_t value = 100 + next, *mine = drxmp_darray_local(d), *there = drxmp_darray_local(to);
    drx_request *req, *writing;

    assert_ok(drxmp_darray_put_box(d, &box, &value, &req));
    assert_ok(drxmp_darray_write(d, a, NULL));
    assert_elements(a, 100);
    assert_ok(drx_wait(req));

    value = 200 + next;
    assert_ok(drxmp_darray_put_box(d, &box, &value, &req));
    assert_ok(drxmp_darray_iwrite(d, a, NULL, &writing));
    assert_ok(drx_wait(writing));
    assert_elements(a, 200);
    assert_ok(drx_wait(req));

    value = 0;
    *mine = 300 + mp_rank;
    assert_ok(drxmp_darray_sync(d));
    assert_ok(drxmp_darray_get_box(d, &box, &value, &req));
    assert_ok(drxmp_darray_read(d, a, NULL));
    assert_int_equal(*mine, 200 + mp_rank);
    assert_ok(drx_wait(req));
    assert_int_equal(value, 300 + next);
    assert_ok(drxmp_darray_sync(d)); /* all have looked */

    value = 400 + next;
    assert_ok(drxmp_darray_put_box(d, &box, &value, &req));
    assert_ok(drxmp_darray_redistribute(d, to));
    assert_int_equal(*there, 400 + mp_rank);
    assert_ok(drx_wait(req));
    assert_ok(drxmp_darray_sync(to));

    value = 500 + next;
    assert_ok(drxmp_darray_put_box(to, &box, &value, &req));
    assert_ok(drxmp_darray_redistribute(d, to));
    assert_ok(drx_wait(req));
    assert_ok(drxmp_darray_sync(to));
    assert_int_equal(*there, 400 + mp_rank);

    assert_ok(drxmp_darray_free(d));
    assert_ok(drxmp_darray_free(to));
    assert_ok(drxmp_close(a));
    mp_remove("order");
}

TEST(before_collective_calls)
{
    static const char *const ways[] = { "direct", "rma", "rma" };

    for (int i = 0; i < 3; i++) {
        assert_int_equal(setenv("DRXMP_ONESIDED", ways[i], 1), 0);
        late_rma = i == 2;
        before_others();
    }
    late_rma = false;
}
