/* Datasets: what a commit shows, what an abort undoes, and what is refused. */
#include <sys/stat.h>
#include <unistd.h>

#include "drx_dataset.h"
#include "testing.h"

enum { LATS = 4, LONS = 6 };

static drx_array *member(drx_dataset *ds, const char *name)
{
    drx_array *a;

    assert_ok(drx_dataset_array(ds, name, &a));
    return a;
}

static void add(drx_dataset *ds, const char *name, int ndim, const char *const dims[], const int64_t shape[])
{
    const int64_t chunk[] = { 2, 3, 4 };

    assert_ok(drx_dataset_add(
        ds, name, &(drx_spec){ .ndim = ndim, .type = DRX_INT32, .shape = shape, .chunk = chunk, .dims = dims }, NULL));
}

static const char *const time_lat_lon[] = { "time", "lat", "lon" };

/* A dataset of two variables over time, lat, lon, and time itself; commit 1 shows it. */
static drx_dataset *make(const char *path)
{
    const int64_t shape[] = { 0, LATS, LONS };
    drx_dataset *ds;

    assert_ok(drx_dataset_create(path, &ds));
    add(ds, "u", 3, time_lat_lon, shape);
    add(ds, "v", 3, time_lat_lon, shape);
    add(ds, "time", 1, time_lat_lon, shape);
    assert_ok(drx_dataset_commit(ds, "variables"));
    return ds;
}

/* Elements of a step of time, all of one value. */
static void write_step(drx_array *a, int64_t t, int32_t value)
{
    const int64_t lo[] = { t, 0, 0 };
    const int64_t count[] = { 1, drx_ndim(a) > 1 ? drx_shape(a)[1] : 1, drx_ndim(a) > 2 ? drx_shape(a)[2] : 1 };
    int32_t *buf = calloc((size_t)(count[1] * count[2]), sizeof *buf);

    for (int64_t i = 0; i < count[1] * count[2]; i++)
        buf[i] = value;
    assert_ok(drx_write(a, lo, count, DRX_ROW_MAJOR, buf));
    free(buf);
}

static void append_step(drx_dataset *ds, int32_t value)
{
    int64_t t;

    (void)drx_dataset_dim(ds, drx_dataset_dim_find(ds, "time"), &t);
    assert_ok(drx_dataset_extend(ds, "time", 1));
    for (int i = 0; i < drx_dataset_count(ds); i++)
        if (drx_dataset_ndim(ds, i) > 0)
            write_step(member(ds, drx_dataset_name(ds, i)), t, value);
}

static int32_t first(drx_array *a, int64_t t)
{
    const int64_t index[] = { t, 0, 0 };
    int32_t value = -1;

    assert_ok(drx_get(a, index, &value));
    return value;
}

static void expect_bound(drx_dataset *ds, const char *dim, int64_t bound)
{
    int64_t have = -1;

    assert_non_null(drx_dataset_dim(ds, drx_dataset_dim_find(ds, dim), &have));
    assert_int_equal(have, bound);
}

static drx_dataset *open_at(const char *path, int mode, int64_t at)
{
    drx_dataset *ds;

    assert_ok(drx_dataset_open(path, mode, at, &ds));
    return ds;
}

TEST(a_reader_sees_the_last_commit)
{
    drx_dataset *w = make("a"), *r = open_at("a", DRX_RDONLY, DRX_LAST);

    assert_int_equal(drx_dataset_count(r), 3);
    assert_int_equal(drx_shape(member(r, "u"))[0], 0);
    append_step(w, 7);
    assert_ok(drx_dataset_refresh(r));
    expect_bound(r, "time", 0);
    expect_bound(w, "time", 1);
    assert_int_equal(drx_shape(member(r, "u"))[0], 0);
    assert_ok(drx_dataset_commit(w, "one step"));
    assert_int_equal(drx_shape(member(r, "u"))[0], 0);
    assert_ok(drx_dataset_refresh(r));
    expect_bound(r, "time", 1);
    assert_int_equal(drx_shape(member(r, "u"))[0], 1);
    assert_int_equal(first(member(r, "v"), 0), 7);
    assert_ok(drx_dataset_close(r));
    assert_ok(drx_dataset_close(w));
    assert_ok(drx_dataset_close(open_at("a//", DRX_RDONLY, DRX_LAST)));
    assert_int_equal(chdir("a"), 0);
    r = open_at(".", DRX_RDONLY, DRX_LAST);
    assert_int_equal(first(member(r, "u"), 0), 7);
    assert_ok(drx_dataset_close(r));
    assert_int_equal(chdir(".."), 0);
    assert_status(drx_dataset_open("", DRX_RDONLY, DRX_LAST, &r), DRX_EINVAL);
    assert_status(drx_dataset_open(NULL, DRX_RDONLY, DRX_LAST, &r), DRX_EINVAL);
}

TEST(earlier_commits_can_be_opened)
{
    drx_dataset *ds = make("b");

    for (int i = 0; i < 5; i++) {
        append_step(ds, i);
        if (i == 2)
            assert_ok(drx_dataset_extend(ds, "lon", 5));
        assert_ok(drx_dataset_commit(ds, NULL));
    }
    assert_ok(drx_dataset_close(ds));
    for (int64_t at = 1; at <= 6; at++) {
        ds = open_at("b", DRX_RDONLY, at);
        expect_bound(ds, "time", at - 1);
        expect_bound(ds, "lon", at < 4 ? LONS : LONS + 5);
        assert_int_equal(drx_shape(member(ds, "u"))[0], at - 1);
        assert_int_equal(drx_shape(member(ds, "u"))[2], at < 4 ? LONS : LONS + 5);
        for (int64_t t = 0; t < at - 1; t++)
            assert_int_equal(first(member(ds, "u"), t), t);
        assert_status(drx_get(member(ds, "u"), (int64_t[]){ at - 1, 0, 0 }, &(int32_t){ 0 }), DRX_ERANGE);
        assert_int_equal(drx_dataset_shown(ds), at);
        assert_int_equal(drx_dataset_last(ds), 6);
        assert_ok(drx_dataset_close(ds));
    }
    assert_status(drx_dataset_open("b", DRX_RDONLY, 7, &ds), DRX_ERANGE);
    assert_detail("commit 7, expected 0 to 6");
}

TEST(an_abort_takes_all_back)
{
    drx_dataset *ds = make("c");
    drx_array *u = member(ds, "u"), *extra;
    const int64_t shape[] = { 1 };

    append_step(ds, 1);
    assert_ok(drx_dataset_commit(ds, NULL));
    append_step(ds, 2);
    assert_ok(drx_dataset_extend(ds, "lat", 3));
    assert_ok(drx_attr_set_text(u, "units", "m"));
    assert_ok(drx_dataset_attr_set_text(ds, "title", "winds"));
    assert_ok(drx_dataset_add(ds, "extra", &(drx_spec){ .ndim = 1, .type = DRX_INT8, .shape = shape }, &extra));
    assert_int_equal(drx_attr_count(u), 1);
    assert_int_equal(drx_dataset_attr_count(ds), 1);
    assert_int_equal(access("c/extra.xmd", F_OK), 0);
    assert_ok(drx_dataset_abort(ds));
    assert_int_equal(drx_attr_count(u), 0);
    assert_int_equal(drx_dataset_attr_count(ds), 0);
    assert_int_equal(drx_shape(u)[0], 1);
    assert_int_equal(drx_shape(u)[1], LATS);
    assert_int_equal(access("c/extra.xmd", F_OK), -1);
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

TEST(a_close_aborts)
{
    drx_dataset *ds = make("d");

    append_step(ds, 1);
    assert_ok(drx_dataset_close(ds));
    ds = open_at("d", DRX_RDWR, DRX_LAST);
    expect_bound(ds, "time", 0);
    assert_int_equal(drx_shape(member(ds, "u"))[0], 0);
    assert_ok(drx_dataset_close(ds));
}

TEST(members_can_be_read_alone)
{
    drx_dataset *ds = make("e");
    drx_array *a;

    append_step(ds, 5);
    assert_ok(drx_open("e/u", DRX_RDONLY, &a));
    assert_int_equal(drx_shape(a)[0], 0);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_refresh(a));
    assert_int_equal(drx_shape(a)[0], 1);
    assert_int_equal(first(a, 0), 5);
    assert_ok(drx_close(a));
    assert_status(drx_open("e/u", DRX_RDWR, &a), DRX_EBUSY);
    assert_ok(drx_dataset_close(ds));
}

TEST(members_do_not_grow_alone)
{
    drx_dataset *ds = make("f");
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
    assert_detail("a variable of the dataset beside it");
    assert_status(drx_remove("f/u"), DRX_EINVAL);
    assert_status(drx_duplicate("f/u", "alone", DRX_MOVE, NULL, NULL), DRX_EINVAL);
    assert_status(
        drx_create("f/u", &(drx_spec){ .ndim = 1, .type = DRX_INT8, .shape = (int64_t[]){ 1 }, .flags = DRX_REPLACE },
                   &a),
        DRX_EINVAL);
    assert_ok(drx_duplicate("f/u", "alone", 0, NULL, NULL)); /* away from its dataset, it is an array like any other */
    assert_ok(drx_open("alone", DRX_RDWR, &a));
    assert_ok(drx_extend(a, 0, 1));
    assert_ok(drx_close(a));
}

TEST(what_a_crash_took_from_a_member_comes_again)
{
    drx_dataset *ds = make("g");
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
        assert_int_equal(first(member(ds, "u"), 2), 2);
        assert_ok(drx_dataset_close(ds));
        assert_ok(drx_open("g/u", keep % 16 ? DRX_RDWR : DRX_SHARED, &a)); /* a writer, alone, too */
        assert_int_equal(drx_shape(a)[0], 3);
        assert_int_equal(drx_attr_count(a), 0);
        for (int64_t t = 0; t < 3; t++)
            assert_int_equal(first(a, t), t);
        assert_ok(drx_close(a));
    }
}

TEST(dimensions_are_shared)
{
    drx_dataset *ds = make("h");
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
                  DRX_EINVAL);
    assert_status(drx_dataset_extend(ds, "level", 1), DRX_ENOENT);
    assert_status(drx_dataset_extend(ds, "time", -1), DRX_EINVAL);
    assert_status(drx_dataset_extend(ds, "time", INT64_MAX), DRX_EOVERFLOW);
    assert_ok(drx_dataset_commit(ds, NULL)); /* of nothing */
    assert_int_equal(drx_dataset_last(ds), 1);
    assert_ok(drx_dataset_close(ds));
}

TEST(variables_are_removed_at_the_commit)
{
    drx_dataset *ds = make("i"), *old;
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
    add(ds, "v", 3, time_lat_lon, (int64_t[]){ 0, LATS, LONS }); /* the name is free again */
    append_step(ds, 4);
    assert_ok(drx_dataset_commit(ds, "another v"));
    assert_int_equal(first(member(ds, "v"), 0), 4);
    assert_ok(drx_dataset_close(ds));
}

TEST(a_folder_of_arrays_is_adopted)
{
    const int64_t shape[] = { 3, LATS };
    drx_dataset *ds;
    drx_array *a;

    assert_ok(drx_dataset_create("j", &ds)); /* makes the folder */
    assert_ok(drx_dataset_close(ds));
    assert_int_equal(unlink("j/dataset.xds"), 0);
    assert_status(drx_dataset_open("j", DRX_RDONLY, DRX_LAST, &ds), DRX_ENOENT);
    for (int i = 0; i < 2; i++) {
        assert_ok(drx_create(i ? "j/y" : "j/x",
                             &(drx_spec){ .ndim = 2 - i, .type = DRX_INT32, .shape = shape, .dims = time_lat_lon },
                             &a));
        write_step(a, 2, 8 + i);
        assert_ok(drx_close(a));
    }
    assert_ok(drx_create("j/s", &(drx_spec){ .ndim = 1, .type = DRX_INT8, .shape = (int64_t[]){ 1 } }, &a));
    assert_ok(drx_close(a));
    ds = open_at("j", DRX_RDONLY, DRX_LAST);
    expect_bound(ds, "time", 3);
    assert_int_equal(drx_dataset_ndim(ds, drx_dataset_find(ds, "s")), 0);
    assert_int_equal(drx_dataset_dim_count(ds), 2);
    assert_int_equal(first(member(ds, "y"), 2), 9);
    assert_ok(drx_dataset_close(ds));
    assert_status(drx_dataset_open("j", DRX_RDWR, DRX_LAST, &ds), DRX_ENOENT);
    assert_status(drx_dataset_create("j", &ds), DRX_EEXIST);
    assert_ok(drx_dataset_adopt("j", &ds));
    append_step(ds, 11);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_open("j/x", DRX_RDWR, &a));
    assert_int_equal(first(a, 3), 11);
    assert_status(drx_extend(a, 0, 1), DRX_EINVAL);
    assert_ok(drx_close(a));
    assert_int_equal(unlink("j/dataset.xds"), 0); /* nothing binds them any more */
    assert_ok(drx_open("j/x", DRX_RDWR, &a));
    assert_ok(drx_extend(a, 0, 1));
    assert_ok(drx_close(a));
    assert_status(drx_dataset_adopt("j", &ds), DRX_EMISMATCH);
    assert_detail("dimension 'time'");
    assert_ok(drx_open("j/y", DRX_RDWR, &a));
    assert_ok(drx_extend(a, 0, 1));
    assert_ok(drx_close(a));
    assert_ok(drx_dataset_adopt("j", &ds)); /* though they were members of another one */
    append_step(ds, 12);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_open("j/y", DRX_RDONLY, &a));
    assert_int_equal(drx_shape(a)[0], 6);
    assert_ok(drx_close(a));
}

/* What was trimmed, and got another axis, before it became a variable. */
TEST(a_trimmed_array_is_adopted)
{
    const int64_t shape[] = { 10 }, chunk[] = { 4 };
    const drx_spec spec = {
        .ndim = 1, .type = DRX_INT32, .shape = shape, .chunk = chunk, .dims = (const char *const[]){ "time" }
    };
    drx_dataset *ds;
    drx_array *a;

    assert_int_equal(mkdir("trimmed", 0777), 0);
    assert_ok(drx_create("trimmed/a", &spec, &a));
    assert_ok(drx_trim(a, 0, 0, 5));
    assert_ok(drx_add_axis(a, 0, "run"));
    assert_ok(drx_close(a));
    assert_ok(drx_dataset_adopt("trimmed", &ds));
    expect_bound(ds, "time", 5);
    for (int i = 0; i < 2; i++) {
        assert_ok(drx_dataset_extend(ds, i ? "run" : "time", 3));
        assert_ok(drx_dataset_commit(ds, NULL));
        assert_ok(drx_dataset_check("trimmed", NULL, NULL, NULL, NULL));
    }
    assert_ok(drx_dataset_close(ds));
    for (int64_t at = 0; at < 3; at++) {
        ds = open_at("trimmed", DRX_RDONLY, at);
        assert_int_equal(drx_shape(member(ds, "a"))[0], at < 2 ? 1 : 4);
        assert_int_equal(drx_shape(member(ds, "a"))[1], at < 1 ? 5 : 8);
        assert_ok(drx_dataset_close(ds));
    }
}

TEST(a_variable_is_added_between_growths)
{
    drx_dataset *ds = make("o");
    drx_array *a;

    assert_ok(drx_dataset_extend(ds, "time", 2));
    add(ds, "w", 1, time_lat_lon, (int64_t[]){ 2 });
    append_step(ds, 6);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    for (int mode = DRX_RDONLY; mode <= DRX_SHARED; mode++) {
        assert_ok(drx_open("o/w", mode, &a));
        assert_int_equal(drx_shape(a)[0], 3);
        assert_int_equal(first(a, 2), 6);
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
    drx_dataset *ds = make("l"), *other;
    drx_array *a;

    assert_status(drx_dataset_open("l", DRX_RDWR, DRX_LAST, &other), DRX_EBUSY);
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_open("l/v", DRX_RDWR, &a));
    ds = open_at("l", DRX_RDWR, DRX_LAST);
    assert_status(drx_dataset_extend(ds, "time", 1), DRX_EBUSY); /* nothing has grown */
    assert_ok(drx_close(a));
    append_step(ds, 1);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
}

TEST(commits_tell_what_they_did)
{
    drx_dataset *ds = make("m");
    drx_dim_change change;
    drx_commit c;

    append_step(ds, 1);
    assert_ok(drx_dataset_extend(ds, "time", 2));
    assert_ok(drx_dataset_extend(ds, "lat", 1));
    assert_ok(drx_dataset_commit(ds, "grün"));
    assert_ok(drx_dataset_commit_info(ds, 2, &c));
    assert_string_equal(c.message, "grün");
    assert_int_equal(c.changes, 2);
    assert_true(c.time > INT64_C(1600000000000000));
    assert_ok(drx_dataset_commit_change(ds, 2, 0, &change));
    assert_string_equal(change.dim, "time");
    assert_int_equal(change.upper_before, 0);
    assert_int_equal(change.upper, 3);
    assert_ok(drx_dataset_commit_info(ds, 1, &c));
    assert_int_equal(c.added, 3);
    assert_status(drx_dataset_commit_info(ds, 3, &c), DRX_ERANGE);
    assert_status(drx_dataset_commit_change(ds, 2, 2, &change), DRX_ERANGE);
    assert_status(drx_dataset_commit(ds, "\xff"), DRX_EINVAL);
    assert_true(drx_dataset_dim_grew(ds, 0));
    assert_false(drx_dataset_dim_grew(ds, 2));
    assert_ok(drx_dataset_close(ds));
}

TEST(attributes_belong_to_the_transaction)
{
    drx_dataset *ds = make("n"), *r;
    drx_type type;
    const void *values;
    int64_t n;

    assert_ok(drx_dataset_attr_set_text(ds, "title", "one"));
    assert_ok(drx_attr_set(member(ds, "u"), "scale", DRX_FLOAT64, 1, &(double){ 0.5 }));
    r = open_at("n", DRX_RDONLY, DRX_LAST);
    assert_int_equal(drx_dataset_attr_count(r), 0);
    assert_int_equal(drx_attr_count(member(r, "u")), 0);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_refresh(r));
    assert_ok(drx_dataset_attr_get(r, "title", &type, &n, &values));
    assert_string_equal((const char *)values, "one");
    assert_ok(drx_attr_get(member(r, "u"), "scale", &type, &n, &values));
    assert_true(*(const double *)values == 0.5);
    assert_ok(drx_dataset_attr_set_text(ds, "title", "two"));
    assert_ok(drx_dataset_attr_delete(ds, "title"));
    assert_status(drx_dataset_attr_delete(ds, "title"), DRX_ENOENT);
    assert_ok(drx_dataset_abort(ds));
    assert_ok(drx_dataset_attr_get(ds, "title", &type, &n, &values));
    assert_string_equal((const char *)values, "one");
    assert_ok(drx_dataset_close(r));
    assert_ok(drx_dataset_close(ds));
}

TEST(whole_datasets_are_renamed_copied_and_removed)
{
    drx_dataset *ds = make("p");
    drx_array *a;
    FILE *f;

    append_step(ds, 1);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_status(drx_dataset_rename("p", "q"), DRX_EBUSY);
    assert_status(drx_dataset_duplicate("p", "q"), DRX_EBUSY);
    assert_status(drx_dataset_delete("p"), DRX_EBUSY);
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_duplicate("p", "q"));
    assert_status(drx_dataset_duplicate("p", "q"), DRX_EEXIST);
    assert_status(drx_dataset_rename("p", "q"), DRX_EEXIST);
    ds = open_at("q", DRX_RDWR, DRX_LAST);
    append_step(ds, 2);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    ds = open_at("q", DRX_RDONLY, 2);
    assert_int_equal(first(member(ds, "u"), 0), 1);
    assert_ok(drx_dataset_close(ds));
    ds = open_at("p", DRX_RDONLY, DRX_LAST);
    expect_bound(ds, "time", 1);
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_open("q/u", DRX_RDWR, &a));
    assert_status(drx_dataset_rename("q", "r"), DRX_EBUSY);
    assert_status(drx_dataset_duplicate("q", "r"), DRX_EBUSY);
    assert_ok(drx_close(a));
    assert_ok(drx_dataset_rename("q", "r"));
    assert_status(drx_dataset_open("q", DRX_RDONLY, DRX_LAST, &ds), DRX_ENOENT);
    f = fopen("r/notes.txt", "w");
    fclose(f);
    assert_status(drx_dataset_delete("r"), DRX_EINVAL);
    assert_detail("notes.txt");
    assert_int_equal(unlink("r/notes.txt"), 0);
    assert_ok(drx_open("r/u", DRX_RDWR, &a));
    assert_status(drx_dataset_delete("r"), DRX_EBUSY);
    assert_ok(drx_close(a));
    assert_ok(drx_dataset_delete("r"));
    assert_int_equal(access("r", F_OK), -1);
    assert_status(drx_dataset_delete("r"), DRX_ENOENT);
}

static void count(void *counts, drx_severity severity, const char *text)
{
    ((int *)counts)[severity]++;
}

/* Flip a byte of a file. */
static void damage(const char *path, long at)
{
    FILE *f = fopen(path, "r+b");
    int c;

    assert_non_null(f);
    assert_int_equal(fseek(f, at, at < 0 ? SEEK_END : SEEK_SET), 0);
    c = fgetc(f);
    assert_int_equal(fseek(f, -1, SEEK_CUR), 0);
    (void)fputc(c ^ 1, f);
    fclose(f);
}

TEST(datasets_are_checked_and_mended)
{
    drx_dataset *ds = make("s");
    int n[3] = { 0 };
    FILE *f;

    append_step(ds, 1);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check("s", count, n, NULL, NULL));
    assert_int_equal(n[DRX_ERROR] + n[DRX_WARNING], 0);
    f = fopen("s/dataset.xds", "ab");
    assert_int_equal(fwrite("left by a crash", 1, 15, f), 15);
    fclose(f);
    assert_ok(drx_dataset_check("s", count, n, NULL, NULL));
    assert_int_equal(n[DRX_WARNING], 1);
    n[DRX_WARNING] = 0;
    assert_ok(drx_dataset_repair("s", count, n, NULL, NULL));
    assert_int_equal(n[DRX_WARNING], 0);
    damage("s/u.xmd", 60);
    assert_status(drx_dataset_check("s", count, n, NULL, NULL), DRX_EDAMAGED);
    assert_true(n[DRX_ERROR] > 0);
    assert_ok(drx_dataset_repair("s", count, n, NULL, NULL));
    assert_ok(drx_dataset_check("s", count, n, NULL, NULL));
    n[DRX_ERROR] = 0;
    damage("s/dataset.xds", 100); /* before the last commit */
    assert_status(drx_dataset_check("s", count, n, NULL, NULL), DRX_EDAMAGED);
    assert_true(n[DRX_ERROR] > 0);
    assert_status(drx_dataset_open("s", DRX_RDWR, DRX_LAST, &ds), DRX_EDAMAGED);
    assert_status(drx_dataset_check("none", count, n, NULL, NULL), DRX_ENOENT);
}

TEST(a_lost_sector_before_a_commit_is_damage)
{
    const uint8_t zeros[512] = { 0 };
    drx_dataset *ds = make("t");
    FILE *f;

    for (int i = 0; i < 20; i++) {
        append_step(ds, i);
        assert_ok(drx_dataset_commit(ds, "a step"));
    }
    assert_ok(drx_dataset_close(ds));
    f = fopen("t/dataset.xds", "r+b");
    assert_int_equal(fseek(f, 1024, SEEK_SET), 0);
    assert_int_equal(fwrite(zeros, 1, 512, f), 512);
    fclose(f);
    assert_status(drx_dataset_open("t", DRX_RDWR, DRX_LAST, &ds), DRX_EDAMAGED); /* later commits were promised */
    ds = open_at("t", DRX_RDONLY, DRX_LAST);
    assert_detail("damaged");
    assert_true(drx_dataset_shown(ds) > 1 && drx_dataset_shown(ds) < 20);
    assert_int_equal(first(member(ds, "u"), 1), 1);
    assert_ok(drx_dataset_close(ds));
}
