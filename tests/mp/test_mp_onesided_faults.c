/* Memory runs out in a call that one rank makes alone, on an array in memory or on a darray: it succeeds, or gives
 * DRX_ENOMEM, and each element has its old or its new value. And in changes of the bounds of an array in memory, which
 * all ranks make. On one node, and as if every rank had a node to itself. */
#include "mp/mp.h"
#include "mp_spread.h"

enum { ROWS = 11, COLUMNS = 9, CELLS = ROWS * COLUMNS, MOST_ALLOCATIONS = 200 };

static drxmp_array *m;
static drxmp_darray *d;
static const int64_t origin[2] = { 0, 0 }, whole[2] = { ROWS, COLUMNS };
static int64_t points[CELLS][2];
static int32_t old[CELLS], given[CELLS], got[CELLS];

static drxmp_array *make(void)
{
    static const int64_t chunk[2] = { 4, 5 };

    return mp_create(NULL, &(drx_spec){ .ndim = 2, .type = DRX_INT32, .shape = whole, .chunk = chunk });
}

/* ---- calls of one rank ---- */

static drx_status get(void)
{
    return drxmp_get(m, origin, whole, DRX_COL_MAJOR, got);
}

static drx_status put(void)
{
    return drxmp_put(m, origin, whole, DRX_ROW_MAJOR, given);
}

static drx_status acc(void)
{
    return drxmp_acc(m, origin, whole, DRX_ROW_MAJOR, NULL, given);
}

static drx_status fetch_add(void)
{
    return drxmp_fetch_add(m, points[CELLS - 1], given[CELLS - 1], NULL);
}

static drx_status gather(void)
{
    return drxmp_gather(m, CELLS, &points[0][0], got);
}

static drx_status scatter(void)
{
    return drxmp_scatter(m, CELLS, &points[0][0], given);
}

static drx_status darray_get(void)
{
    return drxmp_darray_get(d, origin, whole, DRX_COL_MAJOR, got);
}

static drx_status darray_put(void)
{
    return drxmp_darray_put(d, origin, whole, DRX_ROW_MAJOR, given);
}

static drx_status darray_acc(void)
{
    return drxmp_darray_acc(d, origin, whole, DRX_ROW_MAJOR, NULL, given);
}

static drx_status darray_fetch_add(void)
{
    return drxmp_darray_fetch_add(d, points[CELLS - 1], given[CELLS - 1], NULL);
}

static drx_status darray_gather(void)
{
    return drxmp_darray_gather(d, CELLS, &points[0][0], got);
}

static drx_status darray_scatter(void)
{
    return drxmp_darray_scatter(d, CELLS, &points[0][0], given);
}

static const drx_box all = { .lo = origin, .count = whole };

static drx_status wait_for(drx_status st, drx_request *req)
{
    assert_true(st ? !req : req != NULL);
    return st ? st : drx_wait(req);
}

static drx_status begin_get(void)
{
    drx_request *req;
    const drx_status st = drxmp_darray_get_box(d, &all, got, &req);

    return wait_for(st, req);
}

static drx_status begin_put(void)
{
    drx_request *req;
    const drx_status st = drxmp_darray_put_box(d, &all, given, &req);

    return wait_for(st, req);
}

static drx_status begin_acc(void)
{
    drx_request *req;
    const drx_status st = drxmp_darray_acc_box(d, &all, NULL, given, &req);

    return wait_for(st, req);
}

static drx_status begin_memory_get(void)
{
    drx_request *req;
    const drx_status st = drxmp_get_box(m, &all, got, &req);

    return wait_for(st, req);
}

static drx_status begin_memory_put(void)
{
    drx_request *req;
    const drx_status st = drxmp_put_box(m, &all, given, &req);

    return wait_for(st, req);
}

static drx_status begin_memory_acc(void)
{
    drx_request *req;
    const drx_status st = drxmp_acc_box(m, &all, NULL, given, &req);

    return wait_for(st, req);
}

enum effect { NONE, STORED, ADDED, COUNTED };

static const struct alone {
    drx_status (*call)(void);
    enum effect effect;
    bool of_darray;
} calls[] = {
    { get, NONE, false },
    { put, STORED, false },
    { acc, ADDED, false },
    { fetch_add, COUNTED, false },
    { gather, NONE, false },
    { scatter, STORED, false },
    { darray_get, NONE, true },
    { darray_put, STORED, true },
    { darray_acc, ADDED, true },
    { begin_get, NONE, true },
    { begin_put, STORED, true },
    { begin_acc, ADDED, true },
    { begin_memory_get, NONE, false },
    { begin_memory_put, STORED, false },
    { begin_memory_acc, ADDED, false },
    { darray_gather, NONE, true },
    { darray_scatter, STORED, true },
    { darray_fetch_add, COUNTED, true },
};

static int32_t changed(enum effect effect, int64_t i)
{
    if (effect == STORED)
        return given[i];
    return effect == ADDED || (effect == COUNTED && i == CELLS - 1) ? old[i] + given[i] : old[i];
}

static void look(const struct alone *c, drx_status st)
{
    int32_t now[CELLS];

    assert_ok(c->of_darray ? drxmp_darray_get(d, origin, whole, DRX_ROW_MAJOR, now)
                           : drxmp_get(m, origin, whole, DRX_ROW_MAJOR, now));
    for (int64_t i = 0; i < CELLS; i++) {
        if (now[i] != changed(c->effect, i))
            assert_true(st && now[i] == old[i]);
        assert_true(st || c->effect != NONE || got[i] != -1);
    }
}

/* The n-th allocation fails, for n = 1, 2, ..., on a rank whose elements, and others', the call moves. There are
 * few. */
static void fail_each(const struct alone *c, int culprit, long *struck)
{
    bool fired = true;

    for (long n = 1; fired; n++) {
        drx_status st = DRX_OK;

        if (mp_rank == culprit) {
            assert_ok(drxmp_put(m, origin, whole, DRX_ROW_MAJOR, old));
            assert_ok(drxmp_darray_put(d, origin, whole, DRX_ROW_MAJOR, old));
            memset(got, -1, sizeof got);
        }
        mp_arm(MP_ALLOCATION, culprit, n);
        if (mp_rank == culprit)
            st = c->call();
        fired = mp_disarm(MP_ALLOCATION, culprit);
        *struck += fired;
        if (mp_rank == culprit) {
            assert_true(st == DRX_OK || (fired && st == DRX_ENOMEM));
            look(c, st);
        }
        assert_true(n < MOST_ALLOCATIONS);
    }
    (void)MPI_Barrier(mp_comm);
}

static void alone(const char *way)
{
    long struck = 0;

    assert_int_equal(setenv("DRXMP_ONESIDED", way, 1), 0);
    for (int64_t i = 0; i < CELLS; i++) {
        points[i][0] = i / COLUMNS;
        points[i][1] = i % COLUMNS;
        old[i] = mp_number(1, i / COLUMNS, i % COLUMNS);
        given[i] = mp_number(2, i / COLUMNS, i % COLUMNS);
    }
    m = make();
    d = mp_darray(DRX_INT32, 2, (struct dap_dim[]){ mp_cyclic(ROWS, 2), mp_undistributed(COLUMNS) }, DRX_ROW_MAJOR);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        fail_each(&calls[i], (int)i % mp_ranks, &struck);
    print_message("%s: %ld allocations failed\n", way, struck);
    assert_true(struck > 0);
    assert_ok(drxmp_close(m));
    assert_ok(drxmp_darray_free(d));
}

TEST(calls_of_one_rank)
{
    alone("direct");
    alone("1");
}

/* ---- changes that all ranks make ---- */

static drx_status low_growth(void)
{
    return drxmp_extend_before(m, 0, 5);
}

static drx_status trim(void)
{
    return drxmp_trim(m, 1, 2, 3);
}

static const struct mp_box slab = { { -5, 0 }, { 5, COLUMNS } };

static drx_status prepend(void)
{
    const struct mp_box mine = mp_part(1, slab);

    mp_number_box(1, &mine, given);
    return drxmp_prepend_all(m, 0, 5, mine.lo, mine.count, DRX_ROW_MAJOR, given);
}

static drx_status next_piece(void *with, int64_t done, int64_t *n, int64_t lo[], int64_t count[], const void **buf)
{
    const struct mp_box mine = mp_part(1, (struct mp_box){ { done - 5, 0 }, { done < 4 ? 2 : 1, COLUMNS } });

    (void)with;
    mp_number_box(1, &mine, given);
    memcpy(lo, mine.lo, sizeof mine.lo);
    memcpy(count, mine.count, sizeof mine.count);
    *n = count[0];
    *buf = given;
    return DRX_OK;
}

static drx_status prepend_pieces(void)
{
    return drxmp_prepend_pieces(m, 0, 5, DRX_ROW_MAJOR, next_piece, NULL);
}

static const struct change {
    drx_status (*call)(void);
    struct mp_box after;
    bool zeros; /* below index 0 */
} changes[] = { { low_growth, { { -5, 0 }, { ROWS + 5, COLUMNS } }, true },
                { trim, { { 0, 2 }, { ROWS, COLUMNS - 5 } }, false },
                { prepend, { { -5, 0 }, { ROWS + 5, COLUMNS } }, false },
                { prepend_pieces, { { -5, 0 }, { ROWS + 5, COLUMNS } }, false } };

static void check_bounds(const struct change *c, drx_status st)
{
    const struct mp_box box = st ? (struct mp_box){ { 0, 0 }, { ROWS, COLUMNS } } : c->after;
    int32_t now[(ROWS + 5) * COLUMNS];

    assert_memory_equal(drx_lower(drxmp_serial(m)), box.lo, sizeof box.lo);
    assert_memory_equal(drx_shape(drxmp_serial(m)), box.count, sizeof box.count);
    assert_ok(drxmp_get(m, box.lo, box.count, DRX_ROW_MAJOR, now));
    for (int64_t k = 0; k < mp_box_size(&box); k++) {
        const int64_t i = mp_row(&box, k), j = mp_column(&box, k);

        assert_int_equal(now[k], c->zeros && i < 0 ? 0 : mp_number(1, i, j));
    }
}

static void change_each(const struct change *c)
{
    const struct mp_box mine = mp_part(0, (struct mp_box){ { 0, 0 }, { ROWS, COLUMNS } });
    const int culprit = mp_ranks - 1;
    bool fired = true;

    for (long n = mp_next(0); fired; n = mp_next(n)) {
        drx_status st;

        m = make();
        mp_number_box(1, &mine, old);
        assert_ok(mp_write_all(m, &mine, old));
        mp_arm(MP_ALLOCATION, culprit, n);
        st = c->call();
        fired = mp_disarm(MP_ALLOCATION, culprit);
        mp_assert_alike(st, n);
        assert_true(st == DRX_OK || (fired && st == DRX_ENOMEM));
        check_bounds(c, st);
        assert_ok(drxmp_close(m));
        assert_true(n < MOST_ALLOCATIONS);
    }
}

TEST(changes_of_bounds)
{
    drxi_job_least_bytes = 1;
    for (int far = 0; far < 2; far++) {
        assert_int_equal(setenv("DRXMP_ONESIDED", far ? "1" : "direct", 1), 0);
        for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
            change_each(&changes[i]);
    }
    drxi_job_least_bytes = 1 << 20;
}
