/* Groups: what is refused, and files of others in their folders. What they hold is tests/model's. */

#include "bytes.h"
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

TEST(names_that_find_nothing)
{
    static const char *const names[] = { "", "/time", "ocean/", "ocean//temp", "deep", "depth" };
    drx_dataset *ds = make_seas("a");

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(drx_dataset_group_find(ds, names[i]), -1);
        assert_int_equal(drx_dataset_find(ds, names[i]), -1);
        assert_int_equal(drx_dataset_dim_find(ds, names[i]), -1);
    }
    assert_int_equal(drx_dataset_find(ds, "ocean"), -1);
    assert_int_equal(drx_dataset_group_find(ds, NULL), -1);
    assert_null(drx_dataset_group(ds, 3));
    assert_null(drx_dataset_group(ds, -1));
    assert_ok(drx_dataset_close(ds));
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
    assert_status(drx_dataset_extend(ds, "depth", 1), DRX_ENOENT);
    assert_detail("has no dimension 'depth'");
    assert_status(drx_dataset_add_axis(ds, "ice/temp", 0, "ocean/member"), DRX_EINVAL);
    assert_detail("neither in the group of the variable nor in one above");
    assert_status(drx_dataset_add_axis(ds, "ice/temp", 0, "snow/member"), DRX_ENOENT);
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

/* ---- other names ---- */

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
    assert_ok(drx_dataset_close(ds));
}

TEST(attributes_of_nothing)
{
    static const struct {
        int part;
        const char *of;
        drx_status st;
    } none[] = { { DRX_GROUP, "snow", DRX_ENOENT },   { DRX_DIMENSION, "depth", DRX_ENOENT },
                 { DRX_DIMENSION, NULL, DRX_ENOENT }, { DRX_DATASET, "ice", DRX_EINVAL },
                 { DRX_TYPE, "x", DRX_EINVAL },       { -1, "x", DRX_EINVAL } };
    drx_dataset *ds = make_seas("j");

    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_status(drx_dataset_attr_set_text(ds, none[i].part, none[i].of, "note", "x"), none[i].st);
        if (i == 0)
            assert_detail("has no group 'snow'");
        assert_int_equal(drx_dataset_attr_count(ds, none[i].part, none[i].of), -1);
    }
    assert_status(drx_dataset_attr_delete(ds, DRX_GROUP, "ice", "note"), DRX_ENOENT);
    assert_detail("j: ice: ");
    assert_ok(drx_dataset_close(ds));
    ds = open_at("j", DRX_RDONLY, DRX_LAST);
    assert_status(drx_dataset_attr_set_text(ds, DRX_GROUP, "ice", "note", "x"), DRX_EACCES);
    assert_ok(drx_dataset_close(ds));
}

TEST(what_an_abort_leaves)
{
    drx_dataset *ds = make_seas("f");

    assert_ok(drx_dataset_add_group(ds, "ocean/low"));
    assert_status(drx_dataset_remove_group(ds, "ocean"), DRX_EINVAL);
    assert_detail("this transaction adds 'ocean', or something in it");
    store("f/ocean/low/notes.txt", "", 0);
    assert_ok(drx_dataset_close(ds));
    assert_true(is_there("f/ocean/low/notes.txt")); /* nobody's file */
    assert_ok(drx_dataset_close(open_at("f", DRX_RDWR, DRX_LAST)));
}
