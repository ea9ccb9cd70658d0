/* Requests on arrays in the memory of the job: which calls are busy, which wait, and in which order they take effect.
 * Each on one node, and as if nodes had 2 ranks or 1. */
#include "mp_plane.h"

/* A call of one rank waits for no other: elements that a pending request touches are busy. */
static void check_requests(void)
{
    const struct mp_box all = { { 0, 0 }, { ROWS, COLUMNS } }, mine = mp_part(0, all);
    const drx_box box = mp_drx_box(&mine);
    int32_t buf[ROWS * COLUMNS], more[ROWS * COLUMNS], value = 7;
    drxmp_array *m = plane_make(DRX_INT32);
    drx_request *request;

    plane_fill(m, 1);
    mp_number_box(2, &mine, buf);
    assert_ok(drxmp_iwrite_all(m, &box, buf, &request));
    if (mp_box_size(&mine) > 0) {
        assert_status(drxmp_get(m, mine.lo, mine.count, DRX_ROW_MAJOR, more), DRX_EBUSY);
        assert_status(drxmp_acc(m, mine.lo, mine.count, DRX_ROW_MAJOR, NULL, more), DRX_EBUSY);
        assert_status(drxmp_gather(m, 1, mine.lo, &value), DRX_EBUSY);
    }
    assert_status(drxmp_extend(m, 0, 1), DRX_EBUSY);
    assert_ok(drx_wait(request));
    plane_check(m, 2);
    assert_ok(drxmp_iread_all(m, &box, more, &request));
    assert_ok(drxmp_get(m, mine.lo, mine.count, DRX_ROW_MAJOR, buf)); /* both read */
    assert_ok(drx_wait(request));
    mp_assert_numbers(2, &mine, more);
    mp_assert_numbers(2, &mine, buf);
    assert_ok(drxmp_close(m));
}

TEST(requests)
{
    plane_in_each_way(check_requests);
}

/* Put the box of a rank, as a request. */
static drx_request *put_numbers(drxmp_array *m, int version, const struct mp_box *b, int32_t buf[])
{
    const drx_box box = mp_drx_box(b);
    drx_request *req;

    mp_number_box(version, b, buf);
    assert_ok(drxmp_put_box(m, &box, buf, &req));
    return req;
}

/* One rank after the other, while those before it wait: nobody else brings on what they have begun. */
static void check_by_turns(drxmp_array *m, int version)
{
    for (int rank = 0; rank < mp_ranks; rank++) {
        if (rank == mp_rank)
            plane_check(m, version);
        (void)MPI_Barrier(mp_comm);
    }
}

/* Calls that change the array come after one-sided requests, and all but the last take place while they are pending. */
static void check_changes(void)
{
    const struct mp_box all = { { 0, 0 }, { ROWS, COLUMNS } }, mine = mp_part(0, all);
    int32_t first[ROWS * COLUMNS], second[ROWS * COLUMNS], third[ROWS * COLUMNS], buf[ROWS * COLUMNS];
    const drx_box box = mp_drx_box(&all);
    drxmp_array *m = plane_make(DRX_INT32);
    drx_request *req[4];

    req[0] = put_numbers(m, 1, &mine, first);
    assert_ok(drxmp_extend(m, 0, 30));
    check_by_turns(m, 1);
    assert_ok(drxmp_get_box(m, &box, buf, &req[1]));
    assert_ok(drxmp_extend_before(m, 1, 9));
    req[2] = put_numbers(m, 2, &mine, second);
    assert_ok(drxmp_trim(m, 0, 0, 30));
    check_by_turns(m, 2);
    assert_fails(drxmp_close(m), DRX_EBUSY, "3 one-sided requests");
    assert_ok(drx_wait(req[1]));
    mp_assert_numbers(1, &all, buf);
    req[3] = put_numbers(m, 3, &mine, third);
    assert_ok(drxmp_add_axis(m, 2, "level"));
    assert_ok(drxmp_trim(m, 1, 9, 0));
    assert_ok(drxmp_get(m, (int64_t[]){ 0, 0, 0 }, (int64_t[]){ ROWS, COLUMNS, 1 }, DRX_ROW_MAJOR, buf));
    mp_assert_numbers(3, &all, buf);
    for (int i = 0; i < 4; i++)
        if (i != 1)
            assert_ok(drx_wait(req[i]));
    assert_ok(drxmp_close(m));
}

TEST(one_sided_requests_and_changes)
{
    plane_in_each_way(check_changes);
}

/* Of one rank: its other calls on the same elements, of all kinds, come after its requests. */
static void one_in_turn(drxmp_array *m)
{
    const struct mp_box all = { { 0, 0 }, { ROWS, COLUMNS } };
    int32_t first[ROWS * COLUMNS], second[ROWS * COLUMNS], buf[ROWS * COLUMNS];
    const int64_t last[2] = { ROWS - 1, COLUMNS - 1 };
    const drx_box box = mp_drx_box(&all);
    drx_array *a = drxmp_serial(m);
    drx_request *put, *get;
    int64_t old;
    int32_t value;
    int done = 0;

    put = put_numbers(m, 2, &all, first);
    assert_ok(drx_read(a, all.lo, all.count, DRX_ROW_MAJOR, buf));
    mp_assert_numbers(2, &all, buf);
    assert_ok(drx_test(put, &done));
    assert_int_equal(done, 1);
    assert_ok(drx_wait(put));

    assert_ok(drxmp_get_box(m, &box, buf, &get));
    mp_number_box(3, &all, second);
    assert_ok(drx_write(a, all.lo, all.count, DRX_ROW_MAJOR, second));
    assert_ok(drx_wait(get));
    mp_assert_numbers(2, &all, buf);
    plane_check(m, 3);

    put = put_numbers(m, 4, &all, first);
    assert_ok(drx_get(a, last, &value));
    assert_int_equal(value, mp_number(4, last[0], last[1]));
    assert_ok(drx_wait(put));
    put = put_numbers(m, 5, &all, first);
    assert_ok(drx_read_async(a, &box, buf, &get));
    assert_ok(drx_wait(get));
    mp_assert_numbers(5, &all, buf);
    assert_ok(drx_wait(put));
    assert_ok(drxmp_get_box(m, &box, buf, &get));
    value = -1;
    assert_ok(drxmp_scatter(m, 1, last, &value));
    assert_ok(drx_wait(get));
    mp_assert_numbers(5, &all, buf);
    put = put_numbers(m, 6, &all, first);
    assert_ok(drxmp_read(m, last, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR, &value));
    assert_int_equal(value, mp_number(6, last[0], last[1]));
    assert_ok(drx_wait(put));
    put = put_numbers(m, 7, &all, first);
    assert_ok(drxmp_fetch_add(m, last, 1, &old));
    assert_int_equal(old, mp_number(7, last[0], last[1]));
    assert_ok(drxmp_fetch_add(m, last, -1, NULL));
    assert_ok(drx_wait(put));
}

static void check_turns(void)
{
    drxmp_array *m = plane_make(DRX_INT32);

    plane_fill(m, 1);
    for (int rank = 0; rank < mp_ranks; rank++) {
        if (rank == mp_rank)
            one_in_turn(m);
        assert_ok(drxmp_sync(m));
    }
    plane_check(m, 7);
    assert_ok(drxmp_close(m));
}

TEST(one_sided_requests_in_turn)
{
    plane_in_each_way(check_turns);
}

/* A rank's part in collective requests, too, comes after its one-sided ones. */
static void check_collective_requests(void)
{
    const struct mp_box all = { { 0, 0 }, { ROWS, COLUMNS } }, mine = mp_part(0, all);
    const bool puts = mp_rank == mp_ranks - 1;
    int32_t first[ROWS * COLUMNS], buf[ROWS * COLUMNS];
    const drx_box box = mp_drx_box(&mine);
    drxmp_array *m = plane_make(DRX_INT32);
    drx_request *put, *reading;
    drxmp_darray *zones;
    struct mp_box zone = { .lo = { 0, 0 } };

    assert_ok(drxmp_darray_zones(m, NULL, NULL, DRX_ROW_MAJOR, &zones));
    assert_ok(drxmp_darray_zone(zones, mp_rank, NULL, zone.lo, zone.count));
    put = put_numbers(m, 1, &mine, first);
    assert_ok(drxmp_iread_all(m, &box, buf, &reading));
    assert_ok(drx_wait(reading));
    mp_assert_numbers(1, &mine, buf);
    assert_ok(drx_wait(put));
    (void)MPI_Barrier(mp_comm);
    if (puts)
        put = put_numbers(m, 2, &all, first);
    assert_ok(drxmp_darray_iread(zones, m, NULL, &reading));
    assert_ok(drx_wait(reading));
    if (puts) {
        mp_assert_numbers(2, &zone, drxmp_darray_local(zones));
        assert_ok(drx_wait(put));
    }
    assert_ok(drxmp_darray_free(zones));
    assert_ok(drxmp_close(m));
}

TEST(one_sided_and_collective_requests)
{
    plane_in_each_way(check_collective_requests);
}

/* Elements that a pending collective request touches are busy, and those between them are not. */
static void check_steps(void)
{
    const struct mp_box even = { { 0, 0 }, { (ROWS + 1) / 2, COLUMNS }, { 2, 1 } },
                        odd = { { 1, 0 }, { ROWS / 2, COLUMNS }, { 2, 1 } };
    const struct mp_box mine = mp_part(1, even), others = mp_part(1, odd);
    const drx_box box = mp_drx_box(&mine), between = mp_drx_box(&others);
    int32_t buf[ROWS * COLUMNS], other[ROWS * COLUMNS], more[ROWS * COLUMNS];
    drxmp_array *m = plane_make(DRX_INT32);
    drx_request *writing, *req, *none = NULL;

    plane_fill(m, 1);
    mp_number_box(2, &mine, buf);
    mp_number_box(2, &others, other);
    assert_ok(drxmp_iwrite_all(m, &box, buf, &writing));
    if (mp_box_size(&mine) > 0) {
        assert_fails(drxmp_get_box(m, &box, more, &none), DRX_EBUSY, "collective request");
        assert_null(none);
        assert_status(drxmp_acc_box(m, &box, NULL, more, NULL), DRX_EBUSY);
    }
    assert_ok(drxmp_put_box(m, &between, other, &req));
    assert_ok(drx_wait(writing));
    assert_ok(drxmp_sync(m));
    plane_check(m, 2);
    assert_ok(drx_wait(req));
    assert_ok(drxmp_close(m));
}

TEST(one_sided_requests_in_steps)
{
    plane_in_each_way(check_steps);
}
