/* Datasets: paths, what is refused, and what commits tell. */
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
