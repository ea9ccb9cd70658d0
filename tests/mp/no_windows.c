/* An MPI that makes windows only in shared memory (Open MPI with osc/sm alone). Darrays still work: sections in
 * shared memory can be reached, and access to others is refused. */
#include "mp_spread.h"

static drxmp_darray *make(const char *way)
{
    assert_int_equal(setenv("DRXMP_ONESIDED", way, 1), 0);
    return mp_blocks(DRX_INT32, mp_ranks);
}

TEST(all_near)
{
    const int64_t all[2] = { 0, mp_ranks }, mine = mp_rank;
    drxmp_darray *d = make("direct");
    int32_t seen[8];

    assert_ok(drxmp_darray_fetch_add(d, &mine, 5, NULL));
    assert_ok(drxmp_darray_sync(d));
    assert_ok(drxmp_darray_get(d, &all[0], &all[1], DRX_ROW_MAJOR, seen));
    assert_int_equal(seen[mp_ranks - 1], 5);
    assert_ok(drxmp_darray_free(d));
}

/* Without sharing, only what is this rank's own. */
TEST(turned_off)
{
    const int64_t one = 1, mine = mp_rank, next = (mp_rank + 1) % mp_ranks;
    drxmp_darray *d = make("off");
    int32_t value = 3, seen = 0;

    assert_ok(drxmp_darray_put(d, &mine, &one, DRX_ROW_MAJOR, &value));
    assert_ok(drxmp_darray_get(d, &mine, &one, DRX_ROW_MAJOR, &seen));
    assert_int_equal(seen, 3);
    assert_int_equal(*(int32_t *)drxmp_darray_local(d), 3);
    assert_fails(drxmp_darray_get(d, &next, &one, DRX_ROW_MAJOR, &seen), DRX_EUNSUPPORTED, "off");
    assert_ok(drxmp_darray_progress(d, 1));
    assert_ok(drxmp_darray_sync(d));
    assert_ok(drxmp_darray_free(d));
}

TEST(some_far)
{
    const int64_t one = 1, all[2] = { 0, mp_ranks }, mine = mp_rank, near = mp_rank ^ 1, far = (mp_rank + 2) % 4;
    drxmp_darray *d = make("2"), *other = make("direct");
    int32_t value = 7, seen[8];
    int64_t old;

    assert_int_equal(mp_ranks, 4);
    *(int32_t *)drxmp_darray_local(d) = 7 + mp_rank;
    assert_ok(drxmp_darray_sync(d));
    assert_ok(drxmp_darray_get(d, &near, &one, DRX_ROW_MAJOR, seen));
    assert_int_equal(seen[0], 7 + near);
    assert_ok(drxmp_darray_sync(d));
    assert_ok(drxmp_darray_put(d, &mine, &one, DRX_ROW_MAJOR, &value));
    assert_fails(drxmp_darray_get(d, &far, &one, DRX_ROW_MAJOR, seen), DRX_EUNSUPPORTED, "window");
    assert_status(drxmp_darray_get(d, &all[0], &all[1], DRX_ROW_MAJOR, seen), DRX_EUNSUPPORTED);
    assert_status(drxmp_darray_put(d, &far, &one, DRX_ROW_MAJOR, &value), DRX_EUNSUPPORTED);
    assert_status(drxmp_darray_scatter(d, 1, &far, &value), DRX_EUNSUPPORTED);
    assert_status(drxmp_darray_gather(d, 1, &far, seen), DRX_EUNSUPPORTED);
    assert_ok(drxmp_darray_gather(d, 1, &mine, seen));
    assert_status(drxmp_darray_acc(d, &near, &one, DRX_ROW_MAJOR, NULL, &value),
                  DRX_EUNSUPPORTED); /* as it must lock */
    assert_status(drxmp_darray_fetch_add(d, &mine, 1, &old), DRX_EUNSUPPORTED);
    assert_ok(drxmp_darray_sync(d));
    assert_ok(drxmp_darray_redistribute(d, other)); /* what needs no windows */
    assert_int_equal(*(int32_t *)drxmp_darray_local(other), 7);
    assert_ok(drxmp_darray_free(d));
    assert_ok(drxmp_darray_free(other));
}
