/* Variables of a dataset as arrays: bound to their dataset, and changed alone. */
#include "wind_dataset.h"

TEST(members_do_not_grow_alone)
{
    drx_dataset *ds = make_winds("f");
    drx_array *u = member(ds, "u"), *a, *copy;

    append_step(ds, 5);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_status(drx_extend(u, 0, 1), DRX_EINVAL);
    assert_detail("a variable of a dataset");
    assert_status(drx_extend_before(u, 0, 1), DRX_EINVAL);
    assert_status(drx_trim(u, 0, 1, 0), DRX_EINVAL);
    assert_status(drx_add_axis(u, 0, "run"), DRX_EINVAL);
    assert_detail("a variable of a dataset");
    assert_status(drx_dim_rename(u, 0, "other"), DRX_EINVAL);
    assert_status(drx_close(u), DRX_EINVAL);
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_open("f/u", DRX_RDWR, &a));
    assert_status(drx_extend(a, 0, 1), DRX_EINVAL);
    assert_status(drx_extend_before(a, 0, 1), DRX_EINVAL);
    assert_status(drx_trim(a, 0, 1, 0), DRX_EINVAL);
    assert_status(drx_add_axis(a, 0, "run"), DRX_EINVAL);
    assert_status(drx_append(a, 0, 1, DRX_ROW_MAJOR, &(int32_t[LATS * LONS]){ 0 }), DRX_EINVAL);
    assert_status(drx_dim_rename(a, 0, "other"), DRX_EINVAL);
    write_step(a, 0, 9); /* elements are another thing */
    assert_ok(drx_close(a));
    assert_status(drx_rename("f/u", "alone", 0), DRX_EINVAL);
    assert_detail("variable of the dataset");
    assert_status(drx_remove("f/u"), DRX_EINVAL);
    assert_status(drx_duplicate("f/u", "alone", DRX_MOVE, NULL, NULL), DRX_EINVAL);
    assert_status(
        drx_create("f/u", &(drx_spec){ .ndim = 1, .type = DRX_INT8, .shape = (int64_t[]){ 1 }, .flags = DRX_REPLACE },
                   &a),
        DRX_EINVAL);
    for (unsigned flags = 0; flags <= DRX_TEMPORARY; flags += DRX_TEMPORARY) { /* nor are others made beside them */
        const drx_spec spec = { .ndim = 1, .type = DRX_INT8, .shape = (int64_t[]){ 1 }, .flags = flags };

        assert_status(drx_create("f/w", &spec, &a), DRX_EINVAL);
        assert_detail("in the folder of a dataset");
    }
    assert_ok(drx_duplicate("f/u", "alone", 0, NULL, NULL)); /* away from its dataset it is like any other */
    assert_ok(drx_open("alone", DRX_RDWR, &copy));
    assert_ok(drx_extend(copy, 0, 1));
    assert_int_equal(first_at(copy, 0), 9);
    assert_ok(drx_close(copy));
}

/* What a handle of a variable alone changes is there when it is closed, as with any array. */
TEST(a_member_is_changed_alone)
{
    drx_dataset *ds = make_winds("g");
    const void *values;
    drx_array *a;

    append_step(ds, 5);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_open("g/u", DRX_RDWR, &a));
    assert_ok(drx_attr_set_text(a, "units", "m"));
    write_step(a, 0, 6);
    assert_ok(drx_sync(a));
    assert_ok(drx_attr_set_text(a, "units", "km"));
    assert_ok(drx_attr_set_text(a, "history", "changed"));
    assert_ok(drx_close(a));
    assert_ok(drx_open("g/u", DRX_RDONLY, &a));
    assert_int_equal(first_at(a, 0), 6);
    assert_ok(drx_attr_get(a, "units", NULL, NULL, &values));
    assert_string_equal((const char *)values, "km");
    assert_int_equal(drx_attr_count(a), 2);
    assert_ok(drx_close(a));
    assert_ok(drx_open("g/u", DRX_RDWR, &a)); /* elements alone make no commit */
    write_step(a, 0, 7);
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    ds = open_at("g", DRX_RDONLY, DRX_LAST);
    assert_int_equal(drx_dataset_last(ds), 4);
    assert_int_equal(first_at(member(ds, "u"), 0), 7);
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_check("g/u", NULL, NULL, NULL, NULL));
    assert_ok(drx_repair("g/u", NULL, NULL, NULL, NULL));
    assert_status(drx_check("g/none", NULL, NULL, NULL, NULL), DRX_ENOENT);
}
