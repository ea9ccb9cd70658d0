/* What commits have changed. */
#include "store/store.h"
#include "wind_dataset.h"

static const char *const words[] = { "added", "removed", "replaced", "renamed", "bounds",
                                     "axis",  "set",     "changed",  "deleted" };

static void expect(const drx_dataset *ds, int64_t number, const char *expected)
{
    const drx_change *c;
    int64_t n;
    char text[1024] = "";

    assert_ok(drx_dataset_commit_changes(ds, number, &c, &n));
    for (int64_t i = 0; i < n; i++) {
        const size_t at = strlen(text);

        (void)snprintf(text + at, sizeof text - at, "%s%d %s %s%s%s", i ? "; " : "", c[i].of, c[i].name,
                       words[c[i].kind], c[i].other[0] ? " " : "", c[i].other);
        if (c[i].of == DRX_DIMENSION && c[i].kind != DRX_RENAMED)
            (void)snprintf(text + strlen(text), 64, " %d:%d to %d:%d", (int)c[i].lower_before, (int)c[i].upper_before,
                           (int)c[i].lower, (int)c[i].upper);
        if (c[i].kind == DRX_GOT_AXIS)
            (void)snprintf(text + strlen(text), 8, " %d", c[i].axis);
    }
    assert_string_equal(text, expected);
}

static void commit(drx_dataset *ds, const char *expected)
{
    assert_ok(drx_dataset_commit(ds, NULL));
    expect(ds, drx_dataset_last(ds), expected);
}

static void change_all(drx_dataset *ds)
{
    const char *const axes[] = { "lat" }, *const member_axis[] = { "member", "lat" };

    append_step(ds, 1);
    append_step(ds, 2);
    assert_ok(drx_dataset_extend_before(ds, "lat", 2));
    assert_ok(drx_dataset_extend(ds, "lat", 1));
    commit(ds, "2 time bounds 0:0 to 0:2; 2 lat bounds 0:4 to -2:5");

    assert_ok(drx_dataset_attr_set_text(ds, DRX_DATASET, NULL, "title", "one"));
    assert_ok(drx_attr_set_text(member(ds, "u"), "units", "m/s"));
    assert_ok(drx_attr_set_text(member(ds, "u"), "gone", "x"));
    assert_ok(drx_attr_delete(member(ds, "u"), "gone"));
    assert_ok(drx_dataset_trim(ds, "lat", 2, 1));
    commit(ds, "0  set title; 3 u set units; 2 lat bounds -2:5 to 0:4");

    assert_ok(drx_dataset_attr_delete(ds, DRX_DATASET, NULL, "title"));
    assert_ok(drx_attr_set_text(member(ds, "u"), "units", "knots"));
    assert_ok(drx_attr_delete(member(ds, "u"), "units"));
    assert_ok(drx_attr_set_text(member(ds, "u"), "units", "km/h"));
    assert_ok(drx_dataset_remove(ds, "v"));
    add_variable(ds, "v", 1, axes, &(int64_t){ LATS });
    assert_ok(drx_attr_set_text(member(ds, "v"), "units", "K"));
    add_variable(ds, "m", 2, member_axis, (int64_t[]){ 1, LATS });
    commit(ds, "0  deleted title; 3 u changed units; 3 v replaced; 2 member added 0:0 to 0:1; 3 m added");

    assert_ok(drx_dataset_attr_set_text(ds, DRX_DATASET, NULL, "title", "one"));
    assert_ok(drx_dataset_attr_delete(ds, DRX_DATASET, NULL, "title"));
    assert_ok(drx_attr_set_text(member(ds, "v"), "units", "m"));
    assert_ok(drx_dataset_remove(ds, "v"));
    commit(ds, "3 v removed");

    assert_ok(drx_dataset_add_axis(ds, "u", 1, "member"));
    assert_ok(drx_dataset_add_axis(ds, "m", 0, "level"));
    commit(ds, "2 level added 0:0 to 0:1; 3 u axis member 1; 3 m axis level 0");
}

TEST(commits_tell_what_they_changed)
{
    static const char first[] = "2 time added 0:0 to 0:0; 2 lat added 0:0 to 0:4; 2 lon added 0:0 to 0:6; 3 u added; "
                                "3 v added; 3 time added";
    drx_dataset *ds = make_winds("a"), *r = open_at("a", DRX_RDONLY, DRX_LAST), *early;
    const drx_change *c;
    int64_t n;

    expect(r, 1, first);
    change_all(ds);
    assert_status(drx_dataset_commit_changes(r, 2, &c, &n), DRX_ERANGE);
    assert_ok(drx_dataset_refresh(r));
    expect(r, 0, "");
    expect(r, 5, "3 v removed");
    early = open_at("a", DRX_RDONLY, 2); /* the log tells of later ones, too */
    expect(early, 5, "3 v removed");
    expect(early, 1, first);
    assert_status(drx_dataset_commit_changes(r, 7, &c, &n), DRX_ERANGE);
    assert_status(drx_dataset_commit_changes(r, 1, &c, NULL), DRX_EINVAL);
    assert_ok(drx_dataset_close(early));
    assert_ok(drx_dataset_close(r));
    assert_ok(drx_dataset_extend(ds, "time", 1)); /* what is not committed is no change */
    expect(ds, 6, "2 level added 0:0 to 0:1; 3 u axis member 1; 3 m axis level 0");
    assert_ok(drx_dataset_close(ds));
}

TEST(a_variable_opens_alone_as_of_a_commit)
{
    drx_dataset *ds = make_winds("b");
    drx_array *a;

    assert_ptr_equal(drx_dataset_of(member(ds, "u")), ds);
    assert_ok(drx_dataset_close(ds));
    assert_status(drx_open_at("b/u", 9, &a), DRX_ERANGE);
    assert_null(a);
    assert_status(drx_open_at("b/w", 1, &a), DRX_ENOENT);
    assert_status(drx_open_at(NULL, 1, &a), DRX_EINVAL);
    assert_status(drx_open_at("b/u", 1, NULL), DRX_EINVAL);
    assert_ok(drx_create("lone", &(drx_spec){ .ndim = 1, .type = DRX_INT8, .shape = (int64_t[]){ 1 } }, &a));
    assert_null(drx_dataset_of(a));
    assert_null(drx_dataset_of(NULL));
    assert_ok(drx_close(a));
}

/* Append a commit that this library does not make yet. */
static void append_by_hand(const char *log, void (*put)(struct drxi_run *run), int64_t number)
{
    struct drxi_store s;
    enum drxi_log_tail tail;
    struct drxi_run run;
    drxi_io *io;
    bool lost = false;

    assert_ok(drxi_files->open(log, DRXI_WRITE, &io));
    assert_ok(drxi_store_begin(&s, io, DRXI_DATASET));
    assert_ok(drxi_store_read(&s, io, DRXI_ANY_COMMIT, false, &tail));
    run = drxi_run_at(&s.end);
    put(&run);
    drxi_put_commit(&run, number, 7, "by hand");
    drxi_run_count(&run);
    assert_ok(drxi_store_append(&s, io, &run, 0, 0, &lost));
    drxi_run_free(&run);
    drxi_store_free(&s);
    assert_ok(io->ops->close(io));
}

/* u and v exchange their names; lat gets another one, and its old one back; so does lon, but for that. */
static void rename_all(struct drxi_run *run)
{
    drxi_put_rename(run, DRXI_A_VARIABLE, 1, "v");
    drxi_put_rename(run, DRXI_A_VARIABLE, 2, "u");
    drxi_put_rename(run, DRXI_A_DIMENSION, 2, "y");
    drxi_put_rename(run, DRXI_A_DIMENSION, 3, "y~");
    drxi_put_rename(run, DRXI_A_DIMENSION, 2, "lat");
    drxi_put_rename(run, DRXI_A_DIMENSION, 3, "x");
}

TEST(names_are_those_of_the_commit)
{
    drx_dataset *ds = make_winds("c");

    assert_ok(drx_attr_set_text(member(ds, "u"), "units", "m/s"));
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    append_by_hand("c/dataset.xds", rename_all, 3);
    ds = open_at("c", DRX_RDWR, DRX_LAST);
    expect(ds, 3, "3 v renamed u; 3 u renamed v; 2 x renamed lon");
    assert_ok(drx_attr_set_text(member(ds, "v"), "units", "knots"));
    commit(ds, "3 v changed units");
    expect(ds, 2, "3 u set units");
    assert_ok(drx_dataset_close(ds));
}
