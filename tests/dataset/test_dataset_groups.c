/* Groups: names are paths, a dimension is seen in its group and below, and a rename moves no file. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wind_dataset.h"

enum { DEPTHS = 3 };

static drx_status add(drx_dataset *ds, const char *name, int ndim, const char *const dims[], const int64_t shape[])
{
    const int64_t chunk[] = { 2, 2, 2 };

    return drx_dataset_add(
        ds, name, &(drx_spec){ .ndim = ndim, .type = DRX_INT32, .shape = shape, .chunk = chunk, .dims = dims }, NULL);
}

static const char *const time_depth[] = { "time", "depth" };

/* time; ocean/temp(time, ocean/depth); ocean/deep/salt(ocean/depth, time); ice/temp(time, ice/depth). Commit 1 shows
 * it. */
static drx_dataset *make_seas(const char *path)
{
    const char *const depth_time[] = { "depth", "/time" };
    drx_dataset *ds;

    assert_ok(drx_dataset_create(path, &ds));
    assert_ok(drx_dataset_add_group(ds, "ocean"));
    assert_ok(drx_dataset_add_group(ds, "ocean/deep"));
    assert_ok(drx_dataset_add_group(ds, "ice"));
    assert_ok(add(ds, "time", 1, time_depth, (int64_t[]){ 0 }));
    assert_ok(add(ds, "ocean/temp", 2, time_depth, (int64_t[]){ 0, DEPTHS }));
    assert_ok(add(ds, "ocean/deep/salt", 2, depth_time, (int64_t[]){ DEPTHS, 0 }));
    assert_ok(add(ds, "ice/temp", 2, time_depth, (int64_t[]){ 0, 1 }));
    assert_ok(drx_dataset_commit(ds, "seas"));
    return ds;
}

static void put(drx_dataset *ds, const char *name, int64_t i, int64_t j, int32_t value)
{
    assert_ok(drx_put(member(ds, name), (int64_t[]){ i, j }, &value));
}

static int32_t get(drx_dataset *ds, const char *name, int64_t i, int64_t j)
{
    int32_t value = -1;

    assert_ok(drx_get(member(ds, name), (int64_t[]){ i, j }, &value));
    return value;
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

static void touch(const char *path)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fclose(f);
}

static void expect_seas(drx_dataset *ds)
{
    static const char *const groups[] = { "ocean", "ocean/deep", "ice" };
    static const char *const names[] = { "time", "ocean/temp", "ocean/deep/salt", "ice/temp" };
    static const char *const dims[] = { "time", "ocean/depth", "ice/depth" };

    assert_int_equal(drx_dataset_group_count(ds), 3);
    assert_int_equal(drx_dataset_count(ds), 4);
    assert_int_equal(drx_dataset_dim_count(ds), 3);
    for (int i = 0; i < 4; i++) {
        assert_string_equal(drx_dataset_name(ds, i), names[i]);
        assert_int_equal(drx_dataset_find(ds, names[i]), i);
    }
    for (int i = 0; i < 3; i++) {
        assert_string_equal(drx_dataset_group(ds, i), groups[i]);
        assert_int_equal(drx_dataset_group_find(ds, groups[i]), i);
        assert_string_equal(drx_dataset_dim(ds, i, NULL), dims[i]);
        assert_int_equal(drx_dataset_dim_find(ds, dims[i]), i);
    }
    assert_int_equal(drx_dataset_axis(ds, 1, 0), 0);
    assert_int_equal(drx_dataset_axis(ds, 1, 1), 1);
    assert_int_equal(drx_dataset_axis(ds, 2, 0), 1);
    assert_int_equal(drx_dataset_axis(ds, 2, 1), 0);
    assert_int_equal(drx_dataset_axis(ds, 3, 1), 2);
    assert_string_equal(drx_dim_name(member(ds, "ocean/deep/salt"), 1), "time");
}

TEST(names_are_paths)
{
    drx_dataset *ds = make_seas("a"), *r = open_at("a", DRX_RDONLY, 1);

    expect_seas(ds);
    expect_seas(r);
    assert_null(drx_dataset_group(ds, 3));
    assert_null(drx_dataset_group(ds, -1));
    assert_int_equal(drx_dataset_group_find(ds, "deep"), -1);
    assert_int_equal(drx_dataset_group_find(ds, ""), -1);
    assert_int_equal(drx_dataset_group_find(ds, NULL), -1);
    assert_int_equal(drx_dataset_find(ds, "/time"), -1);
    assert_int_equal(drx_dataset_find(ds, "ocean"), -1);
    assert_int_equal(drx_dataset_find(ds, "ocean/"), -1);
    assert_int_equal(drx_dataset_find(ds, "ocean//temp"), -1);
    assert_int_equal(drx_dataset_find(ds, "temp"), -1);
    assert_int_equal(drx_dataset_dim_find(ds, "depth"), -1);
    assert_true(is_there("a/ocean/deep/salt.xta"));
    assert_true(is_there("a/ice/temp.xta"));
    assert_ok(drx_dataset_close(r));
    assert_ok(drx_dataset_close(ds));
}

TEST(a_dimension_grows_in_all_groups)
{
    drx_dataset *ds = make_seas("b"), *r = open_at("b", DRX_RDONLY, DRX_LAST);

    assert_ok(drx_dataset_extend(ds, "time", 2));
    put(ds, "ocean/temp", 1, 2, 5);
    put(ds, "ocean/deep/salt", 2, 1, 6);
    put(ds, "ice/temp", 1, 0, 7);
    assert_ok(drx_dataset_extend_before(ds, "ocean/depth", 1));
    assert_status(drx_dataset_extend(ds, "depth", 1), DRX_ENOENT);
    assert_detail("has no dimension 'depth'");
    put(ds, "ocean/temp", 0, -1, 8);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_refresh(r));
    expect_bound(r, "ice/depth", 1);
    assert_int_equal(get(r, "ocean/temp", 1, 2), 5);
    assert_int_equal(get(r, "ocean/deep/salt", 2, 1), 6);
    assert_int_equal(get(r, "ice/temp", 1, 0), 7);
    assert_int_equal(get(r, "ocean/temp", 0, -1), 8);
    assert_ok(drx_dataset_trim(ds, "ocean/depth", 1, 1));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_int_equal(drx_shape(member(ds, "ocean/deep/salt"))[0], DEPTHS - 1);
    assert_ok(drx_dataset_add_axis(ds, "ocean/temp", 0, "member"));
    assert_ok(drx_dataset_add_axis(ds, "ocean/deep/salt", 0, "/run"));
    assert_status(drx_dataset_add_axis(ds, "ice/temp", 0, "ocean/member"), DRX_EINVAL);
    assert_detail("neither in the group of the variable nor in one above");
    assert_status(drx_dataset_add_axis(ds, "ice/temp", 0, "snow/member"), DRX_ENOENT);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_true(drx_dataset_dim_find(ds, "ocean/member") >= 0 && drx_dataset_dim_find(ds, "run") >= 0);
    assert_string_equal(drx_dim_name(member(ds, "ocean/deep/salt"), 0), "run");
    assert_ok(drx_dataset_close(r));
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check("b", NULL, NULL, NULL, NULL));
}

TEST(what_no_group_can_have_is_refused)
{
    drx_dataset *ds = make_seas("c");
    char name[202 + 6] = "ocean/";
    const int64_t one[] = { 1 };

    memset(name + 6, 'x', 201);
    assert_status(drx_dataset_add_group(ds, "ocean"), DRX_EEXIST);
    assert_status(drx_dataset_add_group(ds, "ocean/temp"), DRX_EEXIST);
    assert_detail("has a variable 'ocean/temp' already");
    assert_status(add(ds, "ocean/deep", 1, (const char *[]){ "x" }, one), DRX_EEXIST);
    assert_detail("has a group 'ocean/deep' already");
    assert_status(drx_dataset_add_group(ds, "snow/deep"), DRX_ENOENT);
    assert_detail("has no group 'snow'");
    assert_status(drx_dataset_add_group(ds, "ocean/temp/deep"), DRX_ENOENT);
    assert_status(drx_dataset_add_group(ds, "ocean/deep/x/y"), DRX_ENOENT);
    assert_detail("has no group 'ocean/deep/x'");
    assert_status(add(ds, "snow/temp", 1, (const char *[]){ "x" }, one), DRX_ENOENT);
    for (int i = 0; i < 7; i++)
        assert_status(drx_dataset_add_group(
                          ds, (const char *[]){ "", "ocean/", ".x", "ocean/.", "ocean/..", name, "ocean/\xff" }[i]),
                      DRX_EINVAL);
    assert_status(drx_dataset_add_group(ds, "/ice"), DRX_ENOENT);
    assert_status(drx_dataset_add_group(ds, NULL), DRX_EINVAL);
    assert_status(drx_dataset_add_group(NULL, "x"), DRX_EINVAL);
    assert_status(add(ds, "ice/x", 1, (const char *[]){ "ocean/depth" }, (int64_t[]){ DEPTHS }), DRX_EINVAL);
    assert_detail("axis 0: dimension 'ocean/depth' is neither in the group of the variable nor in one above");
    assert_status(add(ds, "ice/x", 1, (const char *[]){ "snow/depth" }, one), DRX_ENOENT);
    assert_detail("there is no group 'snow'");
    assert_status(add(ds, "ice/x", 1, (const char *[]){ "ice/" }, one), DRX_EINVAL);
    assert_status(add(ds, "ocean/deep/x", 1, time_depth + 1, one), DRX_EMISMATCH); /* that of the group above */
    assert_detail("axis 0 has bound 1, but dimension 'depth' has 3");
    assert_status(add(ds, "ice/x", 2, (const char *[]){ "/far", "/far" }, (int64_t[]){ 1, 2 }), DRX_EMISMATCH);
    assert_status(drx_dataset_remove_group(ds, "snow"), DRX_ENOENT);
    assert_status(drx_dataset_remove_group(ds, ""), DRX_ENOENT);
    assert_status(drx_dataset_remove_group(ds, "ocean/temp"), DRX_ENOENT);
    assert_ok(drx_dataset_commit(ds, NULL)); /* of nothing */
    assert_int_equal(drx_dataset_last(ds), 1);
    assert_false(is_there("c/snow") || is_there("c/ocean/x.xta"));
    assert_ok(drx_dataset_close(ds));
    ds = open_at("c", DRX_RDONLY, DRX_LAST);
    assert_status(drx_dataset_add_group(ds, "snow"), DRX_EACCES);
    assert_status(drx_dataset_remove_group(ds, "ice"), DRX_EACCES);
    assert_status(drx_dataset_set_name(ds, DRX_GROUP, "ice", "snow"), DRX_EACCES);
    assert_ok(drx_dataset_close(ds));
}

/* A dimension with a path may begin in a group above; its name may be that of one further up. */
TEST(dimensions_begin_where_their_paths_say)
{
    drx_dataset *ds = make_seas("d");

    assert_ok(add(ds, "ocean/deep/x", 2, (const char *[]){ "/level", "ocean/layer" }, (int64_t[]){ 4, 5 }));
    assert_ok(add(ds, "ocean/deep/y", 2, (const char *[]){ "ocean/deep/depth", "layer" }, (int64_t[]){ 7, 5 }));
    expect_bound(ds, "level", 4);
    expect_bound(ds, "ocean/layer", 5);
    expect_bound(ds, "ocean/deep/depth", 7);
    expect_bound(ds, "ocean/depth", DEPTHS);
    assert_ok(add(ds, "ocean/deep/z", 1, time_depth + 1, (int64_t[]){ 7 }));
    assert_int_equal(drx_dataset_axis(ds, drx_dataset_find(ds, "ocean/deep/z"), 0),
                     drx_dataset_dim_find(ds, "ocean/deep/depth"));
    assert_ok(add(ds, "ocean/deep/two", 2, (const char *[]){ "/pair", "/pair" }, (int64_t[]){ 2, 2 }));
    assert_int_equal(drx_dataset_axis(ds, drx_dataset_find(ds, "ocean/deep/two"), 1), drx_dataset_dim_find(ds, "pair"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
}

/* ---- other names ---- */

TEST(another_name_moves_no_file)
{
    drx_dataset *ds = make_seas("e"), *r;
    drx_array *salt = member(ds, "ocean/deep/salt");

    assert_ok(drx_dataset_extend(ds, "time", 1));
    put(ds, "ocean/deep/salt", 1, 0, 9);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_set_name(ds, DRX_GROUP, "ocean", "sea"));
    assert_ok(drx_dataset_set_name(ds, DRX_VARIABLE, "sea/deep/salt", "sea/deep/salinity"));
    assert_ok(drx_dataset_set_name(ds, DRX_DIMENSION, "sea/depth", "sea/level"));
    assert_ok(drx_dataset_set_name(ds, DRX_DIMENSION, "time", "t"));
    assert_string_equal(drx_dataset_name(ds, 2), "sea/deep/salinity");
    assert_string_equal(drx_dataset_dim(ds, 1, NULL), "sea/level");
    assert_string_equal(drx_dataset_group(ds, 1), "sea/deep");
    assert_string_equal(drx_dim_name(salt, 0), "level");
    assert_string_equal(drx_dim_name(salt, 1), "t");
    assert_ptr_equal(member(ds, "sea/deep/salinity"), salt);
    assert_ok(drx_dataset_commit(ds, "names"));
    assert_true(is_there("e/ocean/deep/salt.xta"));
    r = open_at("e", DRX_RDONLY, 2);
    expect_seas(r);
    assert_int_equal(get(r, "ocean/deep/salt", 1, 0), 9);
    assert_ok(drx_dataset_close(r));
    r = open_at("e", DRX_RDONLY, DRX_LAST);
    assert_int_equal(get(r, "sea/deep/salinity", 1, 0), 9);
    assert_string_equal(drx_dim_name(member(r, "sea/deep/salinity"), 1), "t");
    assert_ok(drx_dataset_set_name(ds, DRX_DIMENSION, "t", "time"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_refresh(r));
    assert_string_equal(drx_dim_name(member(r, "sea/deep/salinity"), 1), "time");
    assert_ok(drx_dataset_close(r));
    /* what gets a name that files have already gets other files */
    assert_ok(drx_dataset_add_group(ds, "ocean"));
    assert_ok(add(ds, "sea/deep/salt", 1, (const char *[]){ "x" }, (int64_t[]){ 1 }));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_true(is_there("e/ocean~4") && is_there("e/ocean/deep/salt~5.xta"));
    assert_int_equal(get(ds, "sea/deep/salinity", 1, 0), 9);
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check("e", NULL, NULL, NULL, NULL));
    assert_ok(drx_dataset_delete("e"));
    assert_false(is_there("e"));
}

TEST(an_abort_puts_names_and_groups_back)
{
    drx_dataset *ds = make_seas("f");
    drx_array *temp = member(ds, "ocean/temp");

    assert_ok(drx_dataset_set_name(ds, DRX_GROUP, "ocean", "sea"));
    assert_ok(drx_dataset_set_name(ds, DRX_DIMENSION, "time", "t"));
    assert_ok(drx_dataset_add_group(ds, "ocean"));
    assert_ok(drx_dataset_add_group(ds, "ocean/low"));
    assert_ok(add(ds, "ocean/low/x", 1, (const char *[]){ "x" }, (int64_t[]){ 1 }));
    assert_true(is_there("f/ocean~4/low/x.xta"));
    assert_ok(drx_dataset_remove_group(ds, "ice"));
    assert_ok(drx_dataset_attr_set_text(ds, DRX_DIMENSION, "sea/depth", "units", "m"));
    assert_ok(drx_dataset_attr_set_text(ds, DRX_VARIABLE, "sea/temp", "units", "K"));
    assert_string_equal(drx_dim_name(temp, 0), "t");
    assert_ok(drx_dataset_abort(ds));
    expect_seas(ds);
    assert_string_equal(drx_dim_name(temp, 0), "time");
    assert_int_equal(drx_attr_count(temp), 0);
    assert_int_equal(drx_dataset_attr_count(ds, DRX_DIMENSION, "ocean/depth"), 0);
    assert_false(is_there("f/ocean~4"));
    assert_ok(drx_dataset_set_name(ds, DRX_DIMENSION, "time", "t"));
    assert_ok(drx_dataset_attr_set_text(ds, DRX_VARIABLE, "ice/temp", "units", "K"));
    assert_string_equal(drx_dim_name(member(ds, "ice/temp"), 0), "t"); /* first asked for now */
    assert_ok(drx_dataset_abort(ds));
    assert_string_equal(drx_dim_name(member(ds, "ice/temp"), 0), "time");
    assert_int_equal(drx_attr_count(member(ds, "ice/temp")), 0);
    assert_ok(drx_dataset_add_group(ds, "sea"));
    touch("f/sea/notes.txt");
    assert_ok(drx_dataset_close(ds)); /* which leaves what is nobody's */
    assert_true(is_there("f/sea/notes.txt"));
    assert_ok(drx_dataset_close(open_at("f", DRX_RDWR, DRX_LAST)));
}

TEST(names_that_nothing_can_get)
{
    drx_dataset *ds = make_seas("g");

    assert_status(drx_dataset_set_name(ds, DRX_VARIABLE, "ocean/temp", "ice/heat"), DRX_EINVAL);
    assert_detail("variable 'ocean/temp' cannot become 'ice/heat': it stays in its group");
    assert_status(drx_dataset_set_name(ds, DRX_VARIABLE, "ocean/temp", "temp"), DRX_EINVAL);
    assert_status(drx_dataset_set_name(ds, DRX_VARIABLE, "time", "ocean/t"), DRX_EINVAL);
    assert_status(drx_dataset_set_name(ds, DRX_VARIABLE, "ocean/temp", "ocean/deep"), DRX_EEXIST);
    assert_status(drx_dataset_set_name(ds, DRX_GROUP, "ice", "ocean"), DRX_EEXIST);
    assert_status(drx_dataset_set_name(ds, DRX_GROUP, "ice", "time"), DRX_EEXIST);
    assert_status(drx_dataset_set_name(ds, DRX_GROUP, "ice", ".ice"), DRX_EINVAL);
    assert_status(drx_dataset_set_name(ds, DRX_GROUP, "ice", NULL), DRX_EINVAL);
    assert_status(drx_dataset_set_name(ds, DRX_GROUP, NULL, "ice"), DRX_ENOENT);
    assert_status(drx_dataset_set_name(ds, DRX_GROUP, "", "ice"), DRX_ENOENT);
    assert_status(drx_dataset_set_name(ds, DRX_DIMENSION, "depth", "x"), DRX_ENOENT);
    assert_status(drx_dataset_set_name(ds, DRX_DATASET, "", "x"), DRX_EINVAL);
    assert_status(drx_dataset_set_name(ds, DRX_TYPE, "x", "y"), DRX_EINVAL);
    assert_status(drx_dataset_set_name(ds, 77, "x", "y"), DRX_EINVAL);
    assert_ok(drx_dataset_set_name(ds, DRX_GROUP, "ice", "ice"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_int_equal(drx_dataset_last(ds), 1);
    /* a dimension may have the name of a variable; two things may exchange theirs */
    assert_ok(drx_dataset_set_name(ds, DRX_GROUP, "ice", "x"));
    assert_ok(drx_dataset_set_name(ds, DRX_GROUP, "ocean", "ice"));
    assert_ok(drx_dataset_set_name(ds, DRX_GROUP, "x", "ocean"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_true(drx_dataset_find(ds, "ice/deep/salt") >= 0 && drx_dataset_find(ds, "ocean/temp") >= 0);
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check("g", NULL, NULL, NULL, NULL));
}

/* ---- removal ---- */

TEST(a_group_goes_with_all_in_it)
{
    drx_dataset *ds = make_seas("h"), *r;
    drx_array *salt = member(ds, "ocean/deep/salt"), *ice = member(ds, "ice/temp");

    assert_ok(drx_dataset_extend(ds, "time", 1));
    assert_ok(drx_dataset_commit(ds, NULL));
    r = open_at("h", DRX_RDONLY, DRX_LAST);
    assert_ok(drx_dataset_trim(ds, "ocean/depth", 1, 0)); /* of which nothing is left to trim */
    assert_ok(drx_dataset_extend(ds, "ocean/depth", 2));
    assert_ok(drx_dataset_remove_group(ds, "ocean"));
    assert_int_equal(drx_dataset_count(ds), 2);
    assert_int_equal(drx_dataset_group_count(ds), 1);
    assert_int_equal(drx_dataset_dim_count(ds), 2);
    assert_true(is_there("h/ocean/temp.xta"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_false(is_there("h/ocean"));
    assert_status(drx_put(salt, (int64_t[]){ 0, 0 }, &(int32_t){ 1 }), DRX_ENOENT);
    assert_ok(drx_put(ice, (int64_t[]){ 0, 0 }, &(int32_t){ 1 }));
    assert_status(drx_dataset_array(r, "ocean/temp", &salt), DRX_ENOENT);
    assert_detail("has removed it");
    assert_ok(drx_dataset_refresh(r));
    assert_int_equal(drx_dataset_group_find(r, "ocean"), -1);
    assert_ok(drx_dataset_add_group(ds, "ocean"));
    assert_ok(add(ds, "ocean/temp", 2, time_depth, (int64_t[]){ 1, 5 }));
    put(ds, "ocean/temp", 0, 4, 3);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_true(is_there("h/ocean~4/temp.xta"));
    assert_ok(drx_dataset_refresh(r));
    assert_int_equal(get(r, "ocean/temp", 0, 4), 3);
    assert_ok(drx_dataset_close(r));
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check("h", NULL, NULL, NULL, NULL));
    r = open_at("h", DRX_RDONLY, 2); /* of then */
    assert_int_equal(drx_dataset_group_count(r), 3);
    assert_status(drx_dataset_array(r, "ocean/temp", &salt), DRX_ENOENT);
    assert_ok(drx_dataset_close(r));
}

TEST(what_a_transaction_adds_it_does_not_remove)
{
    drx_dataset *ds = make_seas("i");

    assert_ok(drx_dataset_add_group(ds, "snow"));
    assert_status(drx_dataset_remove_group(ds, "snow"), DRX_EINVAL);
    assert_ok(drx_dataset_add_group(ds, "ocean/low"));
    assert_status(drx_dataset_remove_group(ds, "ocean"), DRX_EINVAL);
    assert_detail("this transaction adds 'ocean', or something in it");
    assert_ok(drx_dataset_remove_group(ds, "ocean/deep"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(add(ds, "ocean/low/x", 1, (const char *[]){ "x" }, (int64_t[]){ 1 }));
    assert_status(drx_dataset_remove_group(ds, "ocean"), DRX_EINVAL);
    assert_status(drx_dataset_remove_group(ds, "ocean/low"), DRX_EINVAL);
    assert_status(drx_dataset_remove(ds, "ocean/low/x"), DRX_EINVAL);
    assert_ok(drx_dataset_remove_group(ds, "ice"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_false(is_there("i/ice"));
    assert_ok(drx_dataset_remove_group(ds, "ocean"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_int_equal(drx_dataset_group_count(ds), 1);
    assert_ok(drx_dataset_close(ds));
}

/* ---- attributes ---- */

static void expect_text(const drx_dataset *ds, int part, const char *of, const char *name, const char *text)
{
    const void *values;
    drx_type type;
    int64_t n;

    assert_ok(drx_dataset_attr_get(ds, part, of, name, &type, &n, &values));
    assert_int_equal(type, DRX_UINT8);
    assert_string_equal(values, text);
}

TEST(attributes_of_all_parts)
{
    static const struct {
        int part;
        const char *of;
    } parts[] = { { DRX_DATASET, NULL },
                  { DRX_GROUP, "ocean/deep" },
                  { DRX_DIMENSION, "ocean/depth" },
                  { DRX_VARIABLE, "ocean/temp" },
                  { DRX_VARIABLE, "ice/temp" } };
    drx_dataset *ds = make_seas("j"), *r;
    drx_array *temp = member(ds, "ocean/temp"); /* ice/temp is not lent */
    const char *name;
    int is_text;

    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 5; i++) {
            assert_ok(drx_dataset_attr_set_text(ds, parts[i].part, parts[i].of, "note", k ? "again" : "text"));
            assert_ok(drx_dataset_attr_set(ds, parts[i].part, parts[i].of, "n", DRX_INT32, 1, &(int32_t){ i }));
        }
        assert_ok(drx_dataset_extend(ds, "time", 1)); /* once alone */
        assert_ok(drx_attr_set_text(temp, "units", "K"));
        assert_ok(drx_dataset_attr_set_text(ds, DRX_VARIABLE, "ocean/temp", "late", "yes"));
        assert_int_equal(drx_shape(temp)[0], k + 1);
        assert_ok(drx_dataset_commit(ds, NULL));
    }
    for (int i = 0; i < 5; i++) {
        expect_text(ds, parts[i].part, parts[i].of, "note", "again");
        assert_int_equal(drx_dataset_attr_count(ds, parts[i].part, parts[i].of), i == 3 ? 4 : 2);
        assert_ok(drx_dataset_attr_info(ds, parts[i].part, parts[i].of, 1, &name, NULL, NULL, &is_text));
        assert_string_equal(name, "n");
        assert_false(is_text);
    }
    assert_int_equal(drx_attr_count(temp), 4);
    assert_int_equal(drx_attr_count(member(ds, "ice/temp")), 2);
    expect_text(ds, DRX_GROUP, "", "note", "again"); /* the root */
    assert_ok(drx_dataset_attr_delete(ds, DRX_GROUP, NULL, "note"));
    assert_ok(drx_dataset_attr_delete(ds, DRX_DIMENSION, "ocean/depth", "n"));
    assert_ok(drx_dataset_attr_delete(ds, DRX_VARIABLE, "ocean/temp", "note"));
    assert_status(drx_attr_delete(temp, "note"), DRX_ENOENT);
    assert_status(drx_dataset_attr_delete(ds, DRX_GROUP, "ice", "note"), DRX_ENOENT);
    assert_detail("j: ice: ");
    assert_status(drx_dataset_attr_set_text(ds, DRX_GROUP, "snow", "note", "x"), DRX_ENOENT);
    assert_detail("has no group 'snow'");
    assert_status(drx_dataset_attr_set_text(ds, DRX_DIMENSION, "depth", "note", "x"), DRX_ENOENT);
    assert_status(drx_dataset_attr_set_text(ds, DRX_DIMENSION, NULL, "note", "x"), DRX_ENOENT);
    assert_status(drx_dataset_attr_set_text(ds, DRX_DATASET, "ice", "note", "x"), DRX_EINVAL);
    assert_status(drx_dataset_attr_set_text(ds, DRX_TYPE, "x", "note", "x"), DRX_EINVAL);
    assert_status(drx_dataset_attr_set_text(ds, -1, "x", "note", "x"), DRX_EINVAL);
    assert_int_equal(drx_dataset_attr_count(ds, DRX_GROUP, "snow"), -1);
    assert_ok(drx_dataset_commit(ds, NULL));
    r = open_at("j", DRX_RDONLY, 2);
    expect_text(r, DRX_DATASET, "", "note", "text");
    expect_text(r, DRX_DIMENSION, "ocean/depth", "note", "text");
    assert_int_equal(drx_attr_count(member(r, "ocean/temp")), 4);
    assert_status(drx_dataset_attr_set_text(r, DRX_GROUP, "ice", "note", "x"), DRX_EACCES);
    assert_ok(drx_dataset_close(r));
    r = open_at("j", DRX_RDONLY, DRX_LAST);
    assert_int_equal(drx_attr_count(member(r, "ocean/temp")), 3);
    assert_int_equal(drx_dataset_attr_count(r, DRX_DATASET, NULL), 1);
    assert_ok(drx_dataset_close(r));
    assert_ok(drx_dataset_close(ds));
}
