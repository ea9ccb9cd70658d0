/* Variables of a dataset as arrays: opened alone, bound to their dataset, mended by it, and removed. */
#include <unistd.h>

#include "wind_dataset.h"

TEST(members_can_be_read_alone)
{
    drx_dataset *ds = make_winds("e");
    drx_array *a;

    append_step(ds, 5);
    assert_ok(drx_open("e/u", DRX_RDONLY, &a));
    assert_int_equal(drx_shape(a)[0], 0);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_refresh(a));
    assert_int_equal(drx_shape(a)[0], 1);
    assert_int_equal(first_at(a, 0), 5);
    assert_ok(drx_close(a));
    assert_status(drx_open("e/u", DRX_RDWR, &a), DRX_EBUSY);
    assert_ok(drx_dataset_close(ds));
}

TEST(members_do_not_grow_alone)
{
    drx_dataset *ds = make_winds("f");
    drx_array *u = member(ds, "u"), *a;

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
    for (int mode = DRX_RDWR; mode <= DRX_SHARED; mode++) {
        assert_ok(drx_open("f/u", mode, &a));
        assert_status(drx_extend(a, 0, 1), DRX_EINVAL);
        assert_status(drx_extend_before(a, 0, 1), DRX_EINVAL);
        assert_status(drx_trim(a, 0, 1, 0), DRX_EINVAL);
        assert_status(drx_add_axis(a, 0, "run"), DRX_EINVAL);
        assert_status(drx_append(a, 0, 1, DRX_ROW_MAJOR, &(int32_t[LATS * LONS]){ 0 }), DRX_EINVAL);
        assert_status(drx_dim_rename(a, 0, "other"), DRX_EINVAL);
        write_step(a, 0, 9); /* elements are another thing */
        assert_ok(drx_close(a));
    }
    assert_status(drx_rename("f/u", "alone", 0), DRX_EINVAL);
    assert_detail("a variable of the dataset in its folder");
    assert_status(drx_remove("f/u"), DRX_EINVAL);
    assert_status(drx_duplicate("f/u", "alone", DRX_MOVE, NULL, NULL), DRX_EINVAL);
    assert_status(
        drx_create("f/u", &(drx_spec){ .ndim = 1, .type = DRX_INT8, .shape = (int64_t[]){ 1 }, .flags = DRX_REPLACE },
                   &a),
        DRX_EINVAL);
    assert_ok(drx_create(
        "f/u", &(drx_spec){ .ndim = 1, .type = DRX_INT8, .shape = (int64_t[]){ 1 }, .flags = DRX_TEMPORARY }, &a));
    assert_status(drx_persist(a, DRX_REPLACE), DRX_EINVAL);
    assert_ok(drx_close(a));
    assert_ok(drx_duplicate("f/u", "alone", 0, NULL, NULL)); /* away from its dataset, it is an array like any other */
    assert_ok(drx_open("alone", DRX_RDWR, &a));
    assert_ok(drx_extend(a, 0, 1));
    assert_ok(drx_close(a));
}

TEST(what_a_crash_took_from_a_member_comes_again)
{
    drx_dataset *ds = make_winds("g");
    drx_array *a;
    int64_t bytes;
    FILE *f;

    f = fopen("g/u.xmd", "rb");
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    bytes = ftell(f);
    fclose(f);
    for (int i = 0; i < 3; i++) {
        append_step(ds, i);
        assert_ok(drx_attr_set_text(member(ds, "u"), "history", i == 2 ? "two" : "one"));
        assert_ok(drx_dataset_commit(ds, NULL));
    }
    assert_ok(drx_attr_delete(member(ds, "u"), "history"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    for (int64_t keep = bytes; keep < bytes + 400; keep += 8) {
        assert_int_equal(truncate("g/u.xmd", keep), 0);
        if (keep % 24 == 0)
            assert_ok(drx_repair("g/u", NULL, NULL, NULL, NULL)); /* which cuts no elements off */
        ds = open_at("g", DRX_RDONLY, DRX_LAST);                  /* a reader takes it from the journal */
        assert_int_equal(drx_shape(member(ds, "u"))[0], 3);
        assert_int_equal(drx_attr_count(member(ds, "u")), 0);
        assert_int_equal(first_at(member(ds, "u"), 2), 2);
        assert_ok(drx_dataset_close(ds));
        assert_ok(drx_open("g/u", keep % 16 ? DRX_RDWR : DRX_SHARED, &a)); /* a writer, alone, too */
        assert_int_equal(drx_shape(a)[0], 3);
        assert_int_equal(drx_attr_count(a), 0);
        for (int64_t t = 0; t < 3; t++)
            assert_int_equal(first_at(a, t), t);
        assert_ok(drx_close(a));
    }
}

TEST(variables_are_removed_at_the_commit)
{
    drx_dataset *ds = make_winds("i"), *old;
    drx_array *a;

    assert_ok(drx_dataset_remove(ds, "v"));
    assert_int_equal(drx_dataset_find(ds, "v"), -1);
    assert_ok(drx_dataset_abort(ds));
    assert_int_equal(drx_dataset_find(ds, "v"), 1);
    assert_ok(drx_dataset_remove(ds, "v"));
    assert_int_equal(access("i/v.xmd", F_OK), 0);
    assert_ok(drx_dataset_commit(ds, "without v"));
    assert_int_equal(access("i/v.xmd", F_OK), -1);
    assert_status(drx_dataset_array(ds, "v", &a), DRX_ENOENT);
    old = open_at("i", DRX_RDONLY, 1);
    assert_status(drx_dataset_array(old, "v", &a), DRX_ENOENT);
    assert_detail("commit 2 removed v");
    assert_ok(drx_dataset_close(old));
    add_variable(ds, "v", 3, time_lat_lon, (int64_t[]){ 0, LATS, LONS }); /* the name is free again */
    append_step(ds, 4);
    assert_ok(drx_dataset_commit(ds, "another v"));
    assert_int_equal(first_at(member(ds, "v"), 0), 4);
    assert_ok(drx_dataset_close(ds));
}
