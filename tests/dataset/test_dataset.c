/* Datasets: what an abort undoes, and what is refused. */
#include <unistd.h>

#include "wind_dataset.h"

/* What each commit shows, and readers that follow: tests/model. */
TEST(paths_and_numbers_of_commits)
{
    drx_dataset *w = make_winds("a"), *r;

    append_step(w, 7);
    assert_ok(drx_dataset_commit(w, "one step"));
    assert_ok(drx_dataset_close(w));
    assert_ok(drx_dataset_close(open_at("a//", DRX_RDONLY, DRX_LAST)));
    assert_int_equal(chdir("a"), 0);
    r = open_at(".", DRX_RDONLY, DRX_LAST);
    assert_int_equal(first_at(member(r, "u"), 0), 7);
    assert_ok(drx_dataset_close(r));
    assert_int_equal(chdir(".."), 0);
    assert_status(drx_dataset_open("", DRX_RDONLY, DRX_LAST, &r), DRX_EINVAL);
    assert_status(drx_dataset_open(NULL, DRX_RDONLY, DRX_LAST, &r), DRX_EINVAL);
    assert_status(drx_dataset_open("a", DRX_RDONLY, 3, &r), DRX_ERANGE);
    assert_detail("commit 3, expected 0 to 2");
}

TEST(an_abort_takes_all_back)
{
    drx_dataset *ds = make_winds("c");
    drx_array *u = member(ds, "u"), *extra;
    const int64_t shape[] = { 1 };

    append_step(ds, 1);
    assert_ok(drx_dataset_commit(ds, NULL));
    append_step(ds, 2);
    assert_ok(drx_dataset_extend(ds, "lat", 3));
    assert_ok(drx_attr_set_text(u, "units", "m"));
    assert_ok(drx_dataset_attr_set_text(ds, DRX_DATASET, NULL, "title", "winds"));
    assert_ok(drx_dataset_add(ds, "extra", &(drx_spec){ .ndim = 1, .type = DRX_INT8, .shape = shape }, &extra));
    assert_int_equal(drx_attr_count(u), 1);
    assert_int_equal(drx_dataset_attr_count(ds, DRX_DATASET, NULL), 1);
    assert_int_equal(access("c/extra.xta", F_OK), 0);
    assert_ok(drx_dataset_abort(ds));
    assert_int_equal(drx_attr_count(u), 0);
    assert_int_equal(drx_dataset_attr_count(ds, DRX_DATASET, NULL), 0);
    assert_int_equal(drx_shape(u)[0], 1);
    assert_int_equal(drx_shape(u)[1], LATS);
    assert_int_equal(access("c/extra.xta", F_OK), -1);
    assert_status(drx_put(extra, (int64_t[]){ 0 }, &(int8_t){ 1 }), DRX_ENOENT);
    assert_int_equal(drx_dataset_find(ds, "extra"), -1);
    append_step(ds, 3); /* what was taken back reads as fill where nobody writes */
    assert_ok(drx_dataset_extend(ds, "lat", 3));
    assert_ok(drx_dataset_commit(ds, NULL));
    for (int64_t i = 0; i < LATS + 3; i++) {
        int32_t value;

        assert_ok(drx_get(u, (int64_t[]){ 1, i, 0 }, &value));
        assert_int_equal(value, i < LATS ? 3 : 0);
    }
    assert_ok(drx_dataset_close(ds));
}

TEST(dimensions_are_shared)
{
    drx_dataset *ds = make_winds("h");
    const int64_t wrong[] = { 0, LATS + 1 };
    const char *const nameless[] = { "time", NULL };

    assert_status(drx_dataset_add(
                      ds, "w", &(drx_spec){ .ndim = 2, .type = DRX_INT8, .shape = wrong, .dims = time_lat_lon }, NULL),
                  DRX_EMISMATCH);
    assert_detail("axis 1 has bound 5, but dimension 'lat' has 4");
    assert_status(
        drx_dataset_add(ds, "w", &(drx_spec){ .ndim = 2, .type = DRX_INT8, .shape = wrong, .dims = nameless }, NULL),
        DRX_EINVAL);
    assert_status(drx_dataset_add(
                      ds, "u", &(drx_spec){ .ndim = 2, .type = DRX_INT8, .shape = wrong, .dims = time_lat_lon }, NULL),
                  DRX_EEXIST);
    assert_status(drx_dataset_add(ds, "../u", &(drx_spec){ .ndim = 1, .type = DRX_INT8, .shape = wrong }, NULL),
                  DRX_ENOENT);
    assert_status(drx_dataset_add(ds, "..", &(drx_spec){ .ndim = 1, .type = DRX_INT8, .shape = wrong }, NULL),
                  DRX_EINVAL);
    assert_status(drx_dataset_extend(ds, "level", 1), DRX_ENOENT);
    assert_status(drx_dataset_extend(ds, "time", -1), DRX_EINVAL);
    assert_status(drx_dataset_extend(ds, "time", INT64_MAX), DRX_EOVERFLOW);
    assert_ok(drx_dataset_commit(ds, NULL)); /* of nothing */
    assert_int_equal(drx_dataset_last(ds), 1);
    assert_ok(drx_dataset_close(ds));
}

TEST(a_variable_is_added_between_growths)
{
    drx_dataset *ds = make_winds("o");
    drx_array *a;

    assert_ok(drx_dataset_extend(ds, "time", 2));
    add_variable(ds, "w", 1, time_lat_lon, (int64_t[]){ 2 });
    append_step(ds, 6);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    for (int mode = DRX_RDONLY; mode <= DRX_RDWR; mode++) {
        assert_ok(drx_open("o/w", mode, &a));
        assert_int_equal(drx_shape(a)[0], 3);
        assert_int_equal(first_at(a, 2), 6);
        assert_ok(drx_close(a));
    }
}

TEST(scalars_and_dimensions_twice)
{
    const char *const twice[] = { "x", "x" };
    drx_dataset *ds;
    drx_array *a;

    assert_ok(drx_dataset_create("k", &ds));
    assert_ok(drx_dataset_add(ds, "s", &(drx_spec){ .ndim = 1, .type = DRX_FLOAT64, .shape = (int64_t[]){ 1 } }, &a));
    assert_ok(drx_put(a, (int64_t[]){ 0 }, &(double){ 2.5 }));
    assert_status(
        drx_dataset_add(ds, "c",
                        &(drx_spec){ .ndim = 2, .type = DRX_INT8, .shape = (int64_t[]){ 2, 3 }, .dims = twice }, NULL),
        DRX_EMISMATCH);
    assert_ok(drx_dataset_add(
        ds, "c", &(drx_spec){ .ndim = 2, .type = DRX_INT8, .shape = (int64_t[]){ 2, 2 }, .dims = twice }, &a));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_extend(ds, "x", 3));
    assert_int_equal(drx_shape(a)[0], 5);
    assert_int_equal(drx_shape(a)[1], 5);
    assert_ok(drx_dataset_commit(ds, "square"));
    assert_ok(drx_dataset_close(ds));
    ds = open_at("k", DRX_RDONLY, DRX_LAST);
    assert_int_equal(drx_dataset_ndim(ds, 0), 0);
    assert_int_equal(drx_dataset_dim_count(ds), 1);
    assert_int_equal(drx_shape(member(ds, "c"))[1], 5);
    assert_ok(drx_dataset_close(ds));
}

TEST(one_writer)
{
    drx_dataset *ds = make_winds("l"), *other;
    drx_array *a, *b;

    assert_status(drx_dataset_open("l", DRX_RDWR, DRX_LAST, &other), DRX_EBUSY);
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_open("l/v", DRX_RDWR, &a)); /* a variable alone is the whole dataset */
    assert_status(drx_dataset_open("l", DRX_RDWR, DRX_LAST, &other), DRX_EBUSY);
    assert_status(drx_open("l/u", DRX_RDWR, &b), DRX_EBUSY);
    assert_status(drx_open("l/u", DRX_SHARED, &b), DRX_EBUSY);
    assert_status(drx_open("l/none", DRX_SHARED, &b), DRX_EBUSY);
    assert_ok(drx_open("l/u", DRX_RDONLY, &b));
    assert_ok(drx_close(b));
    assert_ok(drx_close(a));
    ds = open_at("l", DRX_RDWR, DRX_LAST);
    append_step(ds, 1);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
}

TEST(commits_tell_when_and_why)
{
    drx_dataset *ds = make_winds("m");
    drx_commit c;

    append_step(ds, 1);
    assert_ok(drx_dataset_commit(ds, "grün"));
    assert_ok(drx_dataset_commit_info(ds, 2, &c));
    assert_string_equal(c.message, "grün");
    assert_true(c.time > INT64_C(1600000000000000));
    assert_status(drx_dataset_commit_info(ds, 3, &c), DRX_ERANGE);
    assert_status(drx_dataset_commit(ds, "\xff"), DRX_EINVAL);
    assert_ok(drx_put(member(ds, "u"), (int64_t[]){ 0, 0, 0 }, &(float){ 7 })); /* no change */
    assert_ok(drx_dataset_commit(ds, "nothing"));
    assert_int_equal(drx_dataset_last(ds), 2);
    assert_true(drx_dataset_dim_grew(ds, 0));
    assert_false(drx_dataset_dim_grew(ds, 2));
    assert_ok(drx_dataset_close(ds));
}
