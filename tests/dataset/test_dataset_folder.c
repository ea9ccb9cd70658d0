/* A dataset as a folder: renamed, copied, deleted, checked and mended. */
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"
#include "wind_dataset.h"

TEST(whole_datasets_are_renamed_copied_and_removed)
{
    drx_dataset *ds = make_winds("p");
    drx_array *a;

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
    assert_int_equal(first_at(member(ds, "u"), 0), 1);
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
    store("r/notes.txt", "", 0);
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

/* An array would hide a dataset of its name. */
TEST(an_array_and_a_dataset_have_different_names)
{
    const drx_spec spec = { .ndim = 1, .type = DRX_INT8, .shape = (int64_t[]){ 1 } };
    drx_spec other = spec;
    drx_dataset *ds;
    drx_array *a, *b;

    assert_ok(drx_create("one", &spec, &a));
    assert_ok(drx_close(a));
    assert_ok(drx_dataset_create("many", &ds));
    assert_ok(drx_dataset_close(ds));
    for (int replace = 0; replace < 2; replace++) {
        other.flags = replace ? DRX_REPLACE : 0;
        assert_status(drx_create("many", &other, &a), DRX_EEXIST);
        assert_detail("many/dataset.xds: a dataset has that name");
        assert_status(drx_rename("one", "many", other.flags), DRX_EEXIST);
        assert_detail("a dataset has that name");
        assert_status(drx_duplicate("one", "many", other.flags, NULL, NULL), DRX_EEXIST);
        other.flags |= DRX_TEMPORARY;
        assert_ok(drx_create("many", &other, &a));
        assert_status(drx_persist(a, other.flags & DRX_REPLACE), DRX_EEXIST);
        assert_ok(drx_close(a));
        assert_ok(drx_open("one", DRX_RDONLY, &a));
        assert_status(drx_copy(a, "many", &(drx_copy_spec){ .flags = replace ? DRX_REPLACE : 0 }, &b), DRX_EEXIST);
        assert_ok(drx_close(a));
    }
    for (int i = 0; i < 2; i++) { /* an array that has the name all the same is replaced */
        assert_ok(drx_create(i ? "three" : "two", &spec, &a));
        assert_ok(drx_close(a));
    }
    assert_int_equal(rename("two.xmd", "many.xmd") | rename("two.xta", "many.xta"), 0);
    assert_ok(drx_rename("three", "many", DRX_REPLACE));
    assert_ok(drx_remove("many"));
    assert_status(drx_dataset_create("one", &ds), DRX_EEXIST);
    assert_detail("one: an array has that name");
    assert_status(drx_dataset_rename("many", "one"), DRX_EEXIST);
    assert_status(drx_dataset_duplicate("many", "one"), DRX_EEXIST);
    assert_int_equal(mkdir("one", 0700), 0); /* a folder may have the name, until it is to be a dataset */
    assert_ok(drx_create("one/x", &spec, &a));
    assert_ok(drx_close(a));
    assert_status(drx_dataset_create("one", &ds), DRX_EEXIST);
}

TEST(datasets_are_checked_and_mended)
{
    drx_dataset *ds = make_winds("s");
    int n[3] = { 0 };

    append_step(ds, 1);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check("s", count, n, NULL, NULL));
    assert_int_equal(n[DRX_ERROR] + n[DRX_WARNING], 0);
    put_bytes("s/dataset.xds", length_of("s/dataset.xds"), "left by a crash", 15);
    assert_ok(drx_dataset_check("s", count, n, NULL, NULL));
    assert_int_equal(n[DRX_WARNING], 1);
    n[DRX_WARNING] = 0;
    assert_ok(drx_dataset_repair("s", count, n, NULL, NULL));
    assert_int_equal(n[DRX_WARNING], 0);
    flip("s/dataset.xds", 8192 + 100, 1); /* before the last commit */
    assert_status(drx_dataset_check("s", count, n, NULL, NULL), DRX_EDAMAGED);
    assert_true(n[DRX_ERROR] > 0);
    assert_status(drx_dataset_open("s", DRX_RDWR, DRX_LAST, &ds), DRX_EDAMAGED);
    assert_status(drx_dataset_check("none", count, n, NULL, NULL), DRX_ENOENT);
}

TEST(a_lost_sector_before_a_commit_is_damage)
{
    const uint8_t zeros[512] = { 0 };
    drx_dataset *ds = make_winds("t");

    for (int i = 0; i < 20; i++) {
        append_step(ds, i);
        assert_ok(drx_dataset_commit(ds, "a step"));
    }
    assert_ok(drx_dataset_close(ds));
    put_bytes("t/dataset.xds", 8192 + 1024, zeros, sizeof zeros);
    assert_status(drx_dataset_open("t", DRX_RDWR, DRX_LAST, &ds), DRX_EDAMAGED); /* later commits were promised */
    ds = open_at("t", DRX_RDONLY, DRX_LAST);
    assert_detail("damaged");
    assert_true(drx_dataset_shown(ds) > 1 && drx_dataset_shown(ds) < 20);
    assert_int_equal(first_at(member(ds, "u"), 1), 1);
    assert_ok(drx_dataset_close(ds));
}
