/* What fails on one rank in a transaction fails on all, with one whole commit left. */
#include "drx_tools.h"
#include "mp_twins.h"

TEST(failing_alike)
{
    const bool last = mp_rank == mp_ranks - 1;
    drxmp_dataset *d;
    drx_request *req;
    drxmp_array *u;
    int32_t value = 3;

    make_twins();
    assert_status(drxmp_dataset_open(mp_comm, "nowhere", DRX_RDONLY, DRX_LAST, &d), DRX_ENOENT);
    assert_null(d);
    assert_status(drxmp_dataset_open(mp_comm, NULL, DRX_RDONLY, DRX_LAST, &d), DRX_EINVAL);
    assert_status(drxmp_dataset_commit(NULL, NULL), DRX_EINVAL);
    assert_ok(drxmp_dataset_close(NULL));
    d = open_many(DRX_RDWR);
    if (mp_ranks > 1) {
        assert_fails(drxmp_dataset_extend(d, "time", last ? 2 : 1), DRX_EMISMATCH, "by is");
        assert_fails(drxmp_dataset_commit(d, last ? "x" : "y"), DRX_EMISMATCH, "the text");
        assert_fails(last ? drxmp_dataset_abort(d) : drxmp_dataset_commit(d, NULL), DRX_EMISMATCH, "drxmp_dataset_");
    }
    assert_fails(drxmp_dataset_extend(d, "depth", 1), DRX_ENOENT, "no dimension 'depth'");
    assert_status(drxmp_dataset_extend(d, "time", -1), DRX_EINVAL);
    assert_status(drxmp_dataset_array(d, "t", &u), DRX_ENOENT);
    assert_status(drxmp_dataset_attr_delete(d, DRX_DATASET, NULL, "t"), DRX_ENOENT);
    assert_ok(drxmp_dataset_array(d, "u", &u));
    assert_fails(drxmp_dim_rename(u, 0, "t"), DRX_EINVAL, "drx_dataset_set_name renames");
    assert_ok(drxmp_iwrite_all(u, &(drx_box){ .lo = (int64_t[]){ 0, 0 }, .count = (int64_t[]){ mp_rank == 0, 1 } },
                               &value, &req));
    assert_fails(drxmp_dataset_commit(d, NULL), DRX_EBUSY, "pending");
    assert_fails(drxmp_dataset_close(d), DRX_EBUSY, "pending");
    assert_ok(drx_wait(req));
    assert_ok(drxmp_dataset_extend(d, "time", 1));
    assert_ok(drxmp_dataset_close(d)); /* which takes it back */
    d = open_many(DRX_RDONLY);
    assert_bound(drxmp_dataset_serial(d), "time", 3);
    assert_int_equal(drx_dataset_last(drxmp_dataset_serial(d)), 1);
    assert_ok(drxmp_dataset_close(d));
}

/* One transaction, until something fails. */
static drx_status transact(void)
{
    const drx_spec w = v_spec((int64_t[]){ 4 });
    struct twin many = { NULL, NULL };
    drxmp_array *m;
    drx_status st = drxmp_dataset_open(mp_comm, "many", DRX_RDWR, DRX_LAST, &many.d), closed;
    int32_t buf[MOST];

    if (st)
        return st;
    st = twin_grow(&many, "time", 1);
    if (!st)
        st = drxmp_dataset_array(many.d, "u", &m);
    if (!st)
        st = drxmp_attr_set_text(m, "units", "K");
    if (!st) {
        const struct mp_box row = mp_part(1, (struct mp_box){ { 3, 0 }, { 1, 4 } });

        mp_number_box(1, &row, buf);
        st = mp_write_all(m, &row, buf);
    }
    if (!st)
        st = drxmp_dataset_add(many.d, "w", &w, NULL);
    if (!st)
        st = drxmp_dataset_attr_set_text(many.d, DRX_DATASET, NULL, "title", "w");
    if (!st)
        st = twin_commit(&many, "all of it");
    if (!st)
        st = drxmp_dataset_forget(many.d, 2);
    mp_assert_alike(st, -1);
    closed = drxmp_dataset_close(many.d);
    mp_assert_alike(closed, -2);
    return st ? st : closed;
}

/* The dataset is that of the beginning, or that of the end; and can be written. */
static void assert_one_commit(bool done)
{
    drxmp_dataset *d = open_many(DRX_RDWR);
    const drx_dataset *ds = drxmp_dataset_serial(d);
    const bool there = drx_dataset_last(ds) == 2;
    drxmp_array *u;

    assert_true(there || !done);
    assert_bound(ds, "time", there ? 4 : 3);
    assert_int_equal(drx_dataset_count(ds), there ? 3 : 2);
    assert_int_equal(drx_dataset_attr_count(ds, DRX_DATASET, NULL), there);
    assert_ok(drxmp_dataset_array(d, "u", &u));
    assert_int_equal(drx_shape(drxmp_serial(u))[0], there ? 4 : 3);
    assert_int_equal(drx_attr_count(drxmp_serial(u)), there);
    assert_ok(drxmp_dataset_extend(d, "time", 1));
    assert_ok(drxmp_dataset_commit(d, "again"));
    assert_ok(drxmp_dataset_close(d));
    if (mp_rank == 0)
        assert_int_equal(drx_dataset_check("many", NULL, NULL, NULL, NULL), DRX_OK);
    (void)MPI_Barrier(mp_comm);
}

static void fail_each(enum mp_fault fault, int culprit, long every)
{
    bool came = true;

    for (long n = 1; came; n = every * mp_next(n / every) + 1) {
        drx_status st;

        make_twins();
        mp_arm(fault, culprit, n);
        st = transact();
        came = mp_disarm(fault, culprit);
        mp_assert_alike(st, n);
        assert_one_commit(!st);
    }
}

TEST(each_fault)
{
    const long every = 5 + mp_below(8); /* each run others */

    fail_each(MP_CALL, 0, every);
    fail_each(MP_CALLS, 0, every);
    fail_each(MP_ALLOCATION, 0, every);
    if (mp_ranks > 1) {
        fail_each(MP_CALL, mp_ranks - 1, 1 + every / 4);
        fail_each(MP_ALLOCATION, mp_ranks - 1, every);
    }
}
