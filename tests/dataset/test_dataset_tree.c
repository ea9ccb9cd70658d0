/* Groups as folders: found by their paths, copied, checked, removed, and mended after a writer died. */

#include "bytes.h"
#include "drx_tools.h"
#include "file_server.h"
#include "processes.h"
#include "wind_dataset.h"

static const char *const dim_x[] = { "x" };

static void add(drx_dataset *ds, const char *name)
{
    assert_ok(drx_dataset_add(
        ds, name, &(drx_spec){ .ndim = 1, .type = DRX_INT32, .shape = (int64_t[]){ 2 }, .dims = dim_x }, NULL));
}

static void put(drx_dataset *ds, const char *name, int32_t value)
{
    assert_ok(drx_put(member(ds, name), (int64_t[]){ 1 }, &value));
}

/* a/b/u, a/v, the empty group c, and w, of the values 1, 2, 3. What was old/gone is removed. Commit 2 shows it. */
static void make_tree(const char *path)
{
    drx_dataset *ds;

    assert_ok(drx_dataset_create(path, &ds));
    assert_ok(drx_dataset_add_group(ds, "old"));
    assert_ok(drx_dataset_add_group(ds, "a"));
    assert_ok(drx_dataset_add_group(ds, "a/b"));
    add(ds, "old/gone");
    add(ds, "a/v");
    add(ds, "a/b/u");
    add(ds, "w");
    put(ds, "a/b/u", 1);
    put(ds, "a/v", 2);
    put(ds, "w", 3);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_remove_group(ds, "old"));
    assert_ok(drx_dataset_add_group(ds, "c"));
    assert_ok(drx_dataset_set_name(ds, DRX_GROUP, "a", "top"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
}

static int32_t value_in(drx_array *a)
{
    int32_t value = -1;

    assert_ok(drx_get(a, (int64_t[]){ 1 }, &value));
    return value;
}

static int32_t value_at(const char *path)
{
    drx_array *a;
    int32_t value;

    assert_ok(drx_open(path, DRX_RDONLY, &a));
    value = value_in(a);
    assert_ok(drx_close(a));
    return value;
}

TEST(a_variable_is_opened_by_its_path)
{
    char here[1024], path[1100];
    drx_dataset *ds;
    drx_array *a;

    make_tree("a");
    assert_int_equal(value_at("a/top/b/u"), 1);
    assert_int_equal(value_at("a/top/v"), 2);
    assert_int_equal(value_at("./a/w"), 3);
    assert_non_null(getcwd(here, sizeof here));
    (void)snprintf(path, sizeof path, "%s/a/top/b/u", here);
    assert_int_equal(value_at(path), 1);
    assert_int_equal(chdir("a"), 0);
    assert_int_equal(value_at("top/b/u"), 1);
    assert_int_equal(value_at("w"), 3);
    assert_int_equal(chdir(".."), 0);
    assert_status(drx_open("a/a/b/u", DRX_RDONLY, &a), DRX_ENOENT); /* the name of then */
    assert_status(drx_open("a/top/b", DRX_RDONLY, &a), DRX_ENOENT);
    assert_status(drx_open("a/top/b/u/", DRX_RDONLY, &a), DRX_EINVAL);
    assert_status(drx_open("b/top/b/u", DRX_RDONLY, &a), DRX_ENOENT);
    assert_ok(drx_open_at("a/a/b/u", 1, &a));
    assert_int_equal(value_in(a), 1);
    assert_non_null(drx_dataset_of(a));
    assert_ok(drx_close(a));
    assert_status(drx_open_at("a/top/b/u", 1, &a), DRX_ENOENT);
    assert_ok(drx_open("a/top/b/u", DRX_RDWR, &a));
    assert_ok(drx_put(a, (int64_t[]){ 1 }, &(int32_t){ 11 }));
    assert_ok(drx_attr_set_text(a, "units", "m"));
    assert_ok(drx_close(a));
    assert_ok(drx_open("a/top/b/u", DRX_SHARED, &a));
    assert_int_equal(value_in(a), 11);
    assert_ok(drx_put(a, (int64_t[]){ 0 }, &(int32_t){ 12 }));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    assert_ok(drx_duplicate("a/top/b/u", "alone", 0, NULL, NULL));
    assert_int_equal(value_at("alone"), 11);
    assert_ok(drx_check("a/top/b/u", NULL, NULL, NULL, NULL));
    assert_ok(drx_repair("a/top/b/u", NULL, NULL, NULL, NULL));
    ds = open_at("a", DRX_RDONLY, DRX_LAST);
    assert_int_equal(drx_dataset_attr_count(ds, DRX_VARIABLE, "top/b/u"), 1);
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_remove("alone"));
}

TEST(a_server_has_groups)
{
    char url[200];
    const char *server;
    drx_dataset *ds;
    drx_array *a;

    make_tree("far");
    server = file_server_start(".", true);
    (void)snprintf(url, sizeof url, "%s/far/top/b/u", server);
    assert_int_equal(value_at(url), 1);
    (void)snprintf(url, sizeof url, "%s/far/a/b/u", server);
    assert_ok(drx_open_at(url, 1, &a));
    assert_int_equal(value_in(a), 1);
    assert_ok(drx_close(a));
    assert_status(drx_open(url, DRX_RDONLY, &a), DRX_ENOENT);
    (void)snprintf(url, sizeof url, "%s/none/a/b/u", server);
    assert_status(drx_open(url, DRX_RDONLY, &a), DRX_ENOENT);
    assert_status(drx_open_at(url, 1, &a), DRX_ENOENT);
    (void)snprintf(url, sizeof url, "%s/u", server);
    assert_status(drx_open(url, DRX_RDONLY, &a), DRX_ENOENT);
    (void)snprintf(url, sizeof url, "%s/far", server);
    ds = open_at(url, DRX_RDONLY, DRX_LAST);
    assert_int_equal(drx_dataset_group_count(ds), 3);
    assert_int_equal(value_in(member(ds, "top/v")), 2);
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_duplicate(url, "near"));
    (void)snprintf(url, sizeof url, "%s/far/top/v", server);
    assert_ok(drx_duplicate(url, "alone", 0, NULL, NULL));
    assert_int_equal(value_at("alone"), 2);
    assert_int_equal(value_at("near/top/b/u"), 1);
    assert_ok(drx_remove("alone"));
    file_server_end();
}

/* The nearest dataset above counts, also if it has no such variable. */
TEST(a_dataset_inside_another_one)
{
    drx_dataset *ds;
    drx_array *a;

    make_tree("b");
    assert_ok(drx_dataset_create("b/a/own", &ds));
    add(ds, "u");
    put(ds, "u", 7);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    assert_int_equal(value_at("b/a/own/u"), 7);
    assert_status(drx_open("b/a/own/w", DRX_RDONLY, &a), DRX_ENOENT);
    assert_status(drx_dataset_delete("b"), DRX_EINVAL);
    assert_detail("holds a/own, which is no file of the dataset");
    ds = open_at("b", DRX_RDWR, DRX_LAST);
    assert_ok(drx_dataset_add_group(ds, "top/own")); /* that name of a folder is taken */
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_true(is_there("b/a/own~5"));
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_delete("b/a/own"));
    assert_ok(drx_dataset_delete("b"));
}

TEST(no_array_is_made_in_a_group)
{
    const drx_spec spec = { .ndim = 1, .type = DRX_INT32, .shape = (int64_t[]){ 1 } };
    drx_array *a;

    make_tree("c");
    assert_status(drx_create("c/x", &spec, &a), DRX_EINVAL);
    assert_status(drx_create("c/a/x", &spec, &a), DRX_EINVAL);
    assert_status(drx_create("c/a/b/x", &spec, &a), DRX_EINVAL);
    assert_detail("in the folder of a dataset");
    assert_int_equal(chdir("c/a/b"), 0);
    assert_status(drx_create("x", &spec, &a), DRX_EINVAL);
    assert_status(drx_remove("u"), DRX_EINVAL);
    assert_int_equal(chdir("../../.."), 0);
    assert_int_equal(symlink("c/a", "link"), 0);
    assert_status(drx_create("link/x", &spec, &a), DRX_EINVAL);
    assert_ok(drx_create("x", &spec, &a));
    assert_ok(drx_close(a));
    assert_status(drx_rename("x", "c/a/b/x", 0), DRX_EINVAL);
    assert_status(drx_duplicate("x", "c/a/x", 0, NULL, NULL), DRX_EINVAL);
    assert_ok(drx_remove("x"));
    assert_int_equal(unlink("link"), 0);
}

static void expect_tree(const char *path)
{
    drx_dataset *ds = open_at(path, DRX_RDONLY, DRX_LAST);

    assert_int_equal(drx_dataset_group_count(ds), 3);
    assert_int_equal(value_in(member(ds, "top/b/u")), 1);
    assert_int_equal(value_in(member(ds, "top/v")), 2);
    assert_int_equal(value_in(member(ds, "w")), 3);
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check(path, NULL, NULL, NULL, NULL));
}

TEST(whole_trees_are_copied_and_removed)
{
    drx_dataset *ds;
    drx_array *a;

    make_tree("d");
    assert_ok(drx_dataset_duplicate("d", "e"));
    expect_tree("e");
    assert_true(is_there("e/a/b") && is_there("e/c") && !is_there("e/old"));
    assert_ok(drx_open_at("e/a/b/u", 1, &a));
    assert_ok(drx_close(a));
    ds = open_at("e", DRX_RDWR, DRX_LAST);
    add(ds, "c/late");
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    store("e/a/b/notes.txt", "", 0);
    assert_status(drx_dataset_delete("e"), DRX_EINVAL);
    assert_detail("holds a/b/notes.txt");
    assert_status(drx_dataset_replace("d", "e"), DRX_EINVAL);
    assert_int_equal(unlink("e/a/b/notes.txt"), 0);
    store("e/a/b/u~1.xta", "", 0); /* the stem of nothing */
    assert_status(drx_dataset_delete("e"), DRX_EINVAL);
    assert_int_equal(unlink("e/a/b/u~1.xta"), 0);
    store("e/a/dataset.xds", "", 0);
    assert_status(drx_dataset_delete("e"), DRX_EINVAL);
    assert_int_equal(unlink("e/a/dataset.xds"), 0);
    assert_ok(drx_dataset_rename("e", "f"));
    assert_ok(drx_dataset_replace("d", "f"));
    assert_false(is_there("d"));
    expect_tree("f");
    assert_ok(drx_dataset_delete("f"));
    assert_false(is_there("f"));
}

/* What a group lacks is told of the variable alone. */
TEST(a_missing_file_in_a_group_is_damage)
{
    drx_dataset *ds;
    drx_array *a;

    make_tree("g");
    assert_int_equal(rename("g/a/b/u.xta", "u.xta"), 0);
    assert_status(drx_dataset_check("g", NULL, NULL, NULL, NULL), DRX_EDAMAGED);
    ds = open_at("g", DRX_RDONLY, DRX_LAST);
    assert_status(drx_dataset_array(ds, "top/b/u", &a), DRX_ENOENT);
    assert_int_equal(value_in(member(ds, "top/v")), 2);
    assert_ok(drx_dataset_close(ds));
    assert_status(drx_dataset_duplicate("g", "h"), DRX_ENOENT);
    assert_false(is_there("h"));
    assert_int_equal(rename("u.xta", "g/a/b/u.xta"), 0);
    assert_ok(drx_dataset_delete("g"));
}

/* Archives lose empty folders. */
TEST(a_lost_folder_is_made_again)
{
    drx_dataset *ds;

    make_tree("i");
    assert_int_equal(rmdir("i/c"), 0);
    assert_ok(drx_dataset_check("i", NULL, NULL, NULL, NULL));
    assert_ok(drx_dataset_duplicate("i", "j"));
    ds = open_at("i", DRX_RDWR, DRX_LAST);
    add(ds, "c/x");
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check("i", NULL, NULL, NULL, NULL));
}

/* A process begins a transaction, and dies. */
static void die_after(const char *path, void (*change)(drx_dataset *ds))
{
    const pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        change(open_at(path, DRX_RDWR, DRX_LAST));
        _exit(0);
    }
    finish(child);
}

static void add_groups(drx_dataset *ds)
{
    assert_ok(drx_dataset_add_group(ds, "new"));
    assert_ok(drx_dataset_add_group(ds, "new/newer"));
    assert_ok(drx_dataset_add_group(ds, "top/b/newest"));
    add(ds, "new/newer/x");
    add(ds, "top/b/y");
    add(ds, "top/b/newest/z");
    assert_ok(drx_dataset_remove_group(ds, "c"));
    assert_ok(drx_dataset_remove(ds, "top/v"));
    assert_ok(drx_dataset_set_name(ds, DRX_GROUP, "top", "bottom"));
}

TEST(what_a_dead_writer_left_goes)
{
    make_tree("k");
    die_after("k", add_groups);
    assert_true(is_there("k/new/newer/x.xta") && is_there("k/a/b/newest/z.xta"));
    expect_tree("k"); /* readers see nothing of it */
    assert_ok(drx_dataset_close(open_at("k", DRX_RDWR, DRX_LAST)));
    assert_false(is_there("k/new") || is_there("k/a/b/newest") || is_there("k/a/b/y.xta"));
    assert_true(is_there("k/c"));
    expect_tree("k");
    die_after("k", add_groups);
    store("k/new/notes.txt", "", 0);
    assert_ok(drx_dataset_close(open_at("k", DRX_RDWR, DRX_LAST)));
    assert_false(is_there("k/new/newer"));
    assert_true(is_there("k/new/notes.txt")); /* nobody's file */
    expect_tree("k");
    assert_int_equal(unlink("k/new/notes.txt"), 0);
    assert_int_equal(rmdir("k/new"), 0);
    die_after("k", add_groups);
    assert_ok(drx_dataset_delete("k"));
    assert_false(is_there("k"));
}

/* A removed group whose folder could not go, since somebody kept something in it. */
TEST(what_is_left_of_a_removed_group_goes_later)
{
    drx_dataset *ds;

    make_tree("l");
    store("l/a/b/notes.txt", "", 0);
    ds = open_at("l", DRX_RDWR, DRX_LAST);
    assert_ok(drx_dataset_remove_group(ds, "top"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    assert_false(is_there("l/a/v.xta") || is_there("l/a/b/u.xta"));
    assert_true(is_there("l/a/b/notes.txt"));
    assert_status(drx_dataset_delete("l"), DRX_EINVAL);
    assert_int_equal(unlink("l/a/b/notes.txt"), 0);
    assert_ok(drx_dataset_close(open_at("l", DRX_RDWR, DRX_LAST)));
    assert_false(is_there("l/a"));
    assert_ok(drx_dataset_delete("l"));
}

static const drx_change *change_of(drx_dataset *ds, int64_t number, int i, int kind, int of, const char *name)
{
    const drx_change *c;
    int64_t n;

    assert_ok(drx_dataset_commit_changes(ds, number, &c, &n));
    assert_true(i < n);
    assert_int_equal(c[i].kind, kind);
    assert_int_equal(c[i].of, of);
    assert_string_equal(c[i].name, name);
    return &c[i];
}

TEST(changes_are_told_by_paths)
{
    drx_dataset *ds;
    const drx_change *c;
    int64_t n;

    make_tree("n");
    ds = open_at("n", DRX_RDWR, DRX_LAST);
    change_of(ds, 1, 0, DRX_ADDED, DRX_GROUP, "old");
    change_of(ds, 1, 2, DRX_ADDED, DRX_GROUP, "a/b"); /* as of the commit */
    change_of(ds, 2, 0, DRX_REMOVED, DRX_GROUP, "old");
    change_of(ds, 2, 1, DRX_ADDED, DRX_GROUP, "c");
    assert_string_equal(change_of(ds, 2, 2, DRX_RENAMED, DRX_GROUP, "top")->other, "a");
    assert_ok(drx_dataset_commit_changes(ds, 2, &c, &n));
    assert_int_equal(n, 3);
    assert_ok(drx_dataset_set_name(ds, DRX_DIMENSION, "top/x", "top/y"));
    assert_ok(drx_dataset_set_name(ds, DRX_DIMENSION, "top/y", "top/z"));
    assert_ok(drx_dataset_set_name(ds, DRX_VARIABLE, "top/b/u", "top/b/t"));
    assert_ok(drx_dataset_set_name(ds, DRX_VARIABLE, "top/b/t", "top/b/u")); /* nothing on the whole */
    assert_ok(drx_dataset_attr_set_text(ds, DRX_GROUP, "top/b", "note", "x"));
    assert_ok(drx_dataset_remove_group(ds, "c"));
    assert_ok(drx_dataset_add_group(ds, "c"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_string_equal(change_of(ds, 3, 0, DRX_RENAMED, DRX_DIMENSION, "top/z")->other, "top/x");
    assert_string_equal(change_of(ds, 3, 1, DRX_SET_ATTRIBUTE, DRX_GROUP, "top/b")->other, "note");
    change_of(ds, 3, 2, DRX_REPLACED, DRX_GROUP, "c");
    assert_ok(drx_dataset_commit_changes(ds, 3, &c, &n));
    assert_int_equal(n, 3);
    assert_ok(drx_dataset_add_axis(ds, "top/v", 0, "member"));
    assert_ok(drx_dataset_commit(ds, NULL));
    change_of(ds, 4, 0, DRX_ADDED, DRX_DIMENSION, "top/member");
    assert_string_equal(change_of(ds, 4, 1, DRX_GOT_AXIS, DRX_VARIABLE, "top/v")->other, "top/member");
    assert_ok(drx_dataset_close(ds));
}
