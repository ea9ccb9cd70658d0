/* One-sided requests take effect in the order in which they were begun. */
#include "late_rma.h"
#include "mp/mp.h"
#include "mp_spread.h"

enum { SOME = 6, CALLS = 40, ROOM = 30, ROUNDS = 8 };
enum access { GET, PUT, ACC };

/* Elements of which other ranks have most: a darray, or, NULL, an array in the memory of the job. */
struct row {
    drxmp_darray *d;
    drxmp_array *m;
};

static drx_status begin(const struct row *row, int access, const drx_box *box, int64_t buf[], drx_request **req)
{
    if (row->d)
        return access == GET   ? drxmp_darray_get_box(row->d, box, buf, req)
               : access == PUT ? drxmp_darray_put_box(row->d, box, buf, req)
                               : drxmp_darray_acc_box(row->d, box, NULL, buf, req);
    return access == GET   ? drxmp_get_box(row->m, box, buf, req)
           : access == PUT ? drxmp_put_box(row->m, box, buf, req)
                           : drxmp_acc_box(row->m, box, NULL, buf, req);
}

static drx_status get(const struct row *row, int64_t lo, int64_t count, int64_t buf[])
{
    return row->d ? drxmp_darray_get(row->d, &lo, &count, DRX_ROW_MAJOR, buf)
                  : drxmp_get(row->m, &lo, &count, DRX_ROW_MAJOR, buf);
}

static drx_status sync_row(const struct row *row)
{
    return row->d ? drxmp_darray_sync(row->d) : drxmp_sync(row->m);
}

static drx_status free_row(const struct row *row)
{
    return row->d ? drxmp_darray_free(row->d) : drxmp_close(row->m);
}

/* Calls of another kind, which change nothing: `value` is what the plain array has there. */
static void call_otherwise(const struct row *row, int64_t index, int64_t value)
{
    int64_t old = -1, one = -1;

    if (row->d) {
        assert_ok(drxmp_darray_fetch_add(row->d, &index, 0, &old));
        assert_ok(drxmp_darray_gather(row->d, 1, &index, &one));
    } else {
        assert_ok(drxmp_gather(row->m, 1, &index, &one));
        assert_ok(drxmp_fetch_add(row->m, &index, 0, &old));
        assert_int_equal(one, value);
        assert_ok(drx_get(drxmp_serial(row->m), &index, &one));
        assert_ok(drx_put(drxmp_serial(row->m), &index, &one));
        assert_ok(drxmp_scatter(row->m, 1, &index, &one));
    }
    assert_int_equal(one, value);
    assert_int_equal(old, value);
}

/* Of one rank: requests and calls that wait, against a plain array. They take effect in the order in which they were
 * begun. */
static void one_in_order(const struct row *row, int64_t size)
{
    static int64_t plain[ROOM * MOST_RANKS], bufs[SOME][ROOM * MOST_RANKS], expected[SOME][ROOM * MOST_RANKS];
    uint64_t luck = mp_stream + (uint64_t)mp_rank;
    drx_request *req[SOME] = { NULL };
    int64_t count[SOME] = { 0 };

    memset(plain, 0, sizeof plain);
    for (int n = 0; n < CALLS; n++) {
        const int k = (int)random_below(&luck, SOME), access = (int)random_below(&luck, 3);
        const int64_t lo = random_below(&luck, size), step = 1 + random_below(&luck, 3);
        const drx_box box = { .lo = &lo, .count = &count[k], .step = &step };
        const bool otherwise = random_below(&luck, 8) == 0;

        if (req[k]) {
            assert_ok(drx_wait(req[k]));
            assert_memory_equal(bufs[k], expected[k], (size_t)count[k] * sizeof **bufs);
            req[k] = NULL;
        }
        count[k] = 1 + random_below(&luck, (size - lo - 1) / step + 1);
        if (otherwise)
            call_otherwise(row, lo, plain[lo]);
        for (int64_t i = 0; i < count[k]; i++) {
            int64_t *element = &plain[lo + i * step];

            bufs[k][i] = access == GET ? -1 : 1000 * n + i;
            *element = access == GET ? *element : access == PUT ? bufs[k][i] : *element + bufs[k][i];
            expected[k][i] = access == GET ? *element : bufs[k][i];
        }
        assert_ok(begin(row, access, &box, bufs[k], random_below(&luck, 6) ? &req[k] : NULL));
        if (!req[k])
            assert_memory_equal(bufs[k], expected[k], (size_t)count[k] * sizeof **bufs);
    }
    for (int k = 0; k < SOME; k++)
        if (req[k]) {
            assert_ok(drx_wait(req[k]));
            assert_memory_equal(bufs[k], expected[k], (size_t)count[k] * sizeof **bufs);
        }
    assert_ok(get(row, 0, size, bufs[0]));
    assert_memory_equal(bufs[0], plain, (size_t)size * sizeof **bufs);
}

/* A collective call comes after requests. */
static void close_in_order(const struct row *row)
{
    int64_t value = 5;
    drx_request *req;

    assert_ok(sync_row(row));
    assert_ok(begin(row, PUT, &(drx_box){ .lo = &(int64_t){ mp_rank }, .count = &(int64_t){ 1 } }, &value, &req));
    assert_ok(sync_row(row));
    value = 0;
    assert_ok(get(row, (mp_rank + 1) % mp_ranks, 1, &value));
    assert_int_equal(value, 5);
    assert_fails(free_row(row), DRX_EBUSY, "not waited for");
    assert_ok(drx_wait(req));
    assert_ok(free_row(row));
}

static drxmp_array *grown_row(int64_t size)
{
    const int64_t few = 3, chunk = 1 + mp_below(4);
    drxmp_array *m = mp_create(NULL, &(drx_spec){ .ndim = 1, .type = DRX_INT64, .shape = &few, .chunk = &chunk });

    assert_ok(drxmp_extend(m, 0, size / 2 - few));
    assert_ok(drxmp_extend(m, 0, size - size / 2));
    return m;
}

static void in_order(const char *way, const char *buffer)
{
    const int64_t size = ROOM * mp_ranks;

    assert_int_equal(setenv("DRXMP_ONESIDED", way, 1), 0);
    assert_int_equal(setenv("DRXMP_BUFFER", buffer, 1), 0);
    drxi_job_least_bytes = 1; /* several windows */
    for (int round = 0; round < mp_rounds(ROUNDS); round++) {
        const struct row rows[2] = { { .d = mp_blocks(DRX_INT64, size) }, { .m = grown_row(size) } };

        for (int i = 0; i < 2; i++) {
            if (round % mp_ranks == mp_rank)
                one_in_order(&rows[i], size);
            close_in_order(&rows[i]);
        }
    }
    drxi_job_least_bytes = 1 << 20;
}

TEST(requests_in_order)
{
    in_order("direct", "1048576");
}

TEST(requests_in_order_by_rma)
{
    in_order("2", "1048576");
    in_order("rma", "1048576");
    in_order("rma", "65536");
    late_rma = true;
    in_order("rma", "1048576");
    in_order("rma", "65536"); /* which some requests fill */
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

/* A collective read in which this rank waits for no other does not overtake its own put. */
static void before_own_reads(void)
{
    const int64_t next = (mp_rank + 1) % mp_ranks, one = 1, many = mp_ranks;
    const drx_box box = { .lo = &next, .count = &one };
    drxmp_array *m = mp_create(NULL, &(drx_spec){ .ndim = 1, .type = DRX_INT64, .shape = &many, .chunk = &one });
    int64_t value = 100 + next, read = -1;
    drx_request *req;

    assert_ok(drxmp_put_box(m, &box, &value, &req));
    assert_ok(drxmp_read_all(m, &next, &one, DRX_ROW_MAJOR, &read));
    assert_int_equal(read, value);
    assert_ok(drx_wait(req));
    assert_ok(drxmp_close(m));
}

TEST(before_collective_calls)
{
    static const char *const ways[] = { "direct", "rma", "rma" };

    for (int i = 0; i < 3; i++) {
        assert_int_equal(setenv("DRXMP_ONESIDED", ways[i], 1), 0);
        late_rma = i == 2;
        before_others();
        before_own_reads();
    }
    late_rma = false;
}
