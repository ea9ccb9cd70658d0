/* A dataset that many ranks read: later and earlier commits, logs that lag, and folders without a journal. */
#include "mp_twins.h"

/* The commit changed the bounds of a dimension. */
static void expect_changes(const drxmp_dataset *d, int64_t number, const char *dim)
{
    const drx_change *c;
    int64_t n;

    assert_ok(drx_dataset_commit_changes(drxmp_dataset_serial(d), number, &c, &n));
    assert_int_equal(n, 1);
    assert_int_equal(c->kind, DRX_CHANGED_BOUNDS);
    assert_string_equal(c->name, dim);
}

/* Readers see a later commit whole, and an earlier one. */
TEST(readers)
{
    drxmp_dataset *reader, *old;
    struct twin many;
    drxmp_array *u;

    make_twins();
    many = (struct twin){ open_many(DRX_RDWR), NULL };
    reader = open_many(DRX_RDONLY);
    assert_ok(drxmp_dataset_array(reader, "u", &u));
    assert_ok(twin_grow(&many, "time", 4));
    twin_number(&many, 1);
    assert_ok(drxmp_dataset_refresh(reader));
    assert_int_equal(drx_shape(drxmp_serial(u))[0], 3);
    assert_ok(twin_commit(&many, "four"));
    assert_int_equal(drx_shape(drxmp_serial(u))[0], 3);
    assert_ok(drxmp_dataset_refresh(reader));
    assert_int_equal(drx_shape(drxmp_serial(u))[0], 7);
    assert_numbered(reader, 1);
    assert_ok(twin_grow(&many, "lon", 4));
    twin_number(&many, 2);
    assert_ok(twin_commit(&many, "four more"));
    assert_ok(drxmp_dataset_open(mp_comm, "many", DRX_RDONLY, 2, &old));
    assert_bound(drxmp_dataset_serial(old), "lon", 4);
    assert_numbered(old, 2);
    assert_status(drxmp_dataset_open(mp_comm, "many", DRX_RDONLY, 9, &(drxmp_dataset *){ NULL }), DRX_ERANGE);
    assert_fails(drxmp_dataset_open(mp_comm, "many", DRX_RDWR, DRX_LAST, &(drxmp_dataset *){ NULL }), DRX_EBUSY,
                 "rank 0");
    expect_changes(reader, 2, "time");
    expect_changes(old, 3, "lon"); /* it knows of later ones */
    assert_ok(drxmp_open_at(mp_comm, "many/u", 1, &u));
    assert_int_equal(drx_shape(drxmp_serial(u))[0], 3);
    assert_int_equal(drx_dataset_shown(drx_dataset_of(drxmp_serial(u))), 1);
    assert_ok(drxmp_close(u));
    assert_status(drxmp_open_at(mp_comm, "many/u", 9, &u), DRX_ERANGE);
    assert_ok(drxmp_dataset_forget(many.d, 3));
    assert_numbered(old, 2); /* they go on */
    assert_numbered(reader, 2);
    assert_ok(drxmp_dataset_refresh(reader));
    assert_int_equal(drxmp_dataset_oldest(reader), 3);
    assert_numbered(reader, 2);
    assert_numbered(many.d, 2);
    assert_fails(drxmp_dataset_forget(many.d, 2), DRX_ERANGE, "the oldest one is 3");
    assert_status(drxmp_dataset_open(mp_comm, "many", DRX_RDONLY, 2, &(drxmp_dataset *){ NULL }), DRX_ERANGE);
    assert_ok(twin_grow(&many, "time", 2));
    twin_number(&many, 3);
    assert_ok(twin_commit(&many, "two more"));
    assert_ok(drxmp_dataset_compact(many.d));
    assert_ok(drxmp_dataset_refresh(reader));
    assert_numbered(reader, 3);
    assert_ok(drxmp_dataset_close(old));
    assert_ok(drxmp_dataset_remove(many.d, "u"));
    assert_ok(twin_commit(&many, "without u"));
    assert_ok(drxmp_dataset_refresh(reader));
    assert_status(drxmp_dataset_array(reader, "u", &u), DRX_ENOENT);
    assert_ok(drxmp_dataset_refresh(reader));
    assert_ok(drxmp_dataset_close(reader));
    assert_ok(drxmp_dataset_close(many.d));
}
