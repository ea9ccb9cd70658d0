/* What the log of a dataset says: how it ends, what of it is damage, and what is left of it then. */
#include "bytes.h"
#include "store/records.h"
#include "wind_dataset.h"

/* Commit k > 1 shows k - 1 steps, and attributes of the value k - 1. */
static void make(const char *path, int commits)
{
    drx_dataset *ds = make_winds(path);

    for (int32_t i = 1; i < commits; i++) {
        append_step(ds, i);
        assert_ok(drx_attr_set(member(ds, "u"), "step", DRX_INT32, 1, &i));
        assert_ok(drx_dataset_attr_set(ds, DRX_DATASET, NULL, "step", DRX_INT32, 1, &i));
        assert_ok(drx_dataset_commit(ds, "a step"));
    }
    assert_ok(drx_dataset_close(ds));
}

static int32_t attr_of(drx_dataset *ds, drx_array *a)
{
    const void *values = NULL;
    const drx_status st = a ? drx_attr_get(a, "step", NULL, NULL, &values)
                            : drx_dataset_attr_get(ds, DRX_DATASET, NULL, "step", NULL, NULL, &values);

    return st ? 0 : *(const int32_t *)values;
}

static void expect(drx_dataset *ds, int64_t commit)
{
    assert_int_equal(drx_dataset_shown(ds), commit);
    assert_int_equal(attr_of(ds, NULL), commit - 1);
    assert_int_equal(attr_of(ds, member(ds, "u")), commit - 1);
    assert_int_equal(attr_of(ds, member(ds, "v")), 0);
    expect_bound(ds, "time", commit - 1);
    for (int64_t t = 0; t < commit - 1; t++)
        assert_int_equal(first_at(member(ds, "v"), t), t + 1);
}

static int last_kind(const struct bytes *log)
{
    struct drxi_log_record record = { .kind = 0 };

    for (size_t at = DRXI_LOG_AT; at < log->n; at += record.bytes)
        assert_true(drxi_log_record_decode(log->p + at, log->n - at, (int64_t)at, &record));
    return record.kind;
}

TEST(the_log_of_a_closed_dataset_ends_with_a_sync)
{
    static struct bytes log, later;
    drx_dataset *ds;
    drx_array *a;

    assert_ok(drx_dataset_create("b", &ds));
    assert_ok(drx_dataset_close(ds));
    log = load("b/dataset.xds");
    assert_int_equal(last_kind(&log), DRXI_LOG_SYNC);
    make("c", 3);
    log = load("c/dataset.xds");
    assert_int_equal(last_kind(&log), DRXI_LOG_SYNC);
    ds = open_at("c", DRX_RDWR, DRX_LAST); /* nothing is written when nothing changes */
    write_step(member(ds, "u"), 0, 1);
    assert_ok(drx_dataset_commit(ds, "of nothing"));
    append_step(ds, 9);
    assert_ok(drx_dataset_abort(ds));
    append_step(ds, 9);
    assert_ok(drx_dataset_close(ds));
    later = load("c/dataset.xds");
    assert_true(same_bytes(&log, &later));
    ds = open_at("c", DRX_RDONLY, DRX_LAST);
    assert_string_equal(drx_last_error(), "");
    expect(ds, 3);
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_open("c/u", DRX_RDWR, &a));
    assert_ok(drx_attr_set_text(a, "units", "m"));
    assert_ok(drx_close(a));
    log = load("c/dataset.xds");
    assert_int_equal(last_kind(&log), DRXI_LOG_SYNC);
}

/* A reader sees an earlier commit, and is told; nobody writes. Of a log without a commit nothing is read. */
static void expect_damage(const char *path, int64_t oldest, int64_t commits)
{
    drx_dataset *ds;
    drx_array *a;
    drx_status st;

    st = drx_dataset_open(path, DRX_RDWR, DRX_LAST, &ds);
    assert_true(st == DRX_EDAMAGED || st == DRX_EFORMAT || st == DRX_EUNSUPPORTED);
    assert_true(drx_open("d/u", DRX_RDWR, &a) == st);
    st = drx_dataset_open(path, DRX_RDONLY, DRX_LAST, &ds);
    assert_true(drx_last_error()[0]);
    if (st) {
        assert_true(st == DRX_EDAMAGED || st == DRX_EFORMAT || st == DRX_EUNSUPPORTED);
    } else {
        const int64_t shown = drx_dataset_shown(ds);

        assert_true(shown < commits && shown >= oldest);
        if (shown > 0)
            expect(ds, shown);
        assert_ok(drx_dataset_close(ds));
    }
    assert_status(drx_dataset_check(path, NULL, NULL, NULL, NULL), DRX_EDAMAGED);
    assert_status(drx_dataset_repair(path, NULL, NULL, NULL, NULL), DRX_EDAMAGED);
}

TEST(each_flipped_byte_of_the_log_is_found)
{
    enum { COMMITS = 4 };
    static struct bytes log, after;

    make("d", COMMITS);
    for (int64_t oldest = 0; oldest <= COMMITS; oldest += 2) {
        drx_dataset *ds = open_at("d", DRX_RDWR, DRX_LAST);

        assert_ok(oldest ? drx_dataset_forget(ds, oldest) : DRX_OK);
        assert_ok(drx_dataset_close(ds));
        log = load("d/dataset.xds");
        for (size_t at = DRXI_LOG_AT; at + DRXI_LOG_SYNC_BYTES < log.n; at += 3) { /* but for the last SYNC */
            flip("d/dataset.xds", (int64_t)at, 0x10);
            expect_damage("d", oldest, COMMITS);
            flip("d/dataset.xds", (int64_t)at, 0x10);
            after = load("d/dataset.xds");
            assert_true(same_bytes(&log, &after));
        }
        assert_ok(drx_dataset_check("d", NULL, NULL, NULL, NULL));
    }
}

/* Of the last SYNC itself nothing depends: the next writer makes another one. */
TEST(a_damaged_sync_at_the_end_is_a_torn_tail)
{
    drx_dataset *ds;

    make("e", 3);
    flip("e/dataset.xds", length_of("e/dataset.xds") - 3, 1);
    ds = open_at("e", DRX_RDONLY, DRX_LAST);
    expect(ds, 3);
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check("e", NULL, NULL, NULL, NULL));
    ds = open_at("e", DRX_RDWR, DRX_LAST);
    append_step(ds, 3);
    assert_ok(drx_dataset_commit(ds, NULL));
    assert_ok(drx_dataset_close(ds));
    ds = open_at("e", DRX_RDONLY, DRX_LAST);
    assert_int_equal(first_at(member(ds, "u"), 2), 3);
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_check("e", NULL, NULL, NULL, NULL));
}

/* A reader that follows a log which is damaged behind what it knows keeps what it has. */
TEST(a_refresh_meets_damage)
{
    drx_dataset *ds, *r;

    make("f", 2);
    r = open_at("f", DRX_RDONLY, DRX_LAST);
    ds = open_at("f", DRX_RDWR, DRX_LAST);
    for (int i = 0; i < 2; i++) {
        assert_ok(drx_dataset_extend(ds, "time", 1));
        assert_ok(drx_dataset_commit(ds, "longer"));
    }
    assert_ok(drx_dataset_close(ds));
    flip("f/dataset.xds", length_of("f/dataset.xds") - 40, 1);
    assert_status(drx_dataset_refresh(r), DRX_EDAMAGED);
    expect(r, 2);
    assert_ok(drx_dataset_close(r));
}

/* ---- forgotten commits ---- */

/* A dataset whose variable "gone" commit 4 removes, and commits 5 to 7 grow and set attributes; with readers of it. */
static drx_dataset *make_and_forget(const char *path, int64_t n, drx_dataset *reader[3])
{
    const int64_t shape[] = { 1 };
    drx_dataset *ds;

    make(path, 2); /* commit 2 shows a step */
    ds = open_at(path, DRX_RDWR, DRX_LAST);
    add_variable(ds, "gone", 1, (const char *const[]){ "x" }, shape);
    assert_ok(drx_dataset_commit(ds, "gone is there"));
    for (int i = 0; reader && i < 3; i++)
        reader[i] = open_at(path, DRX_RDONLY, i ? DRX_LAST : 2);
    if (reader)
        (void)first_at(member(reader[1], "gone"), 0);
    assert_ok(drx_dataset_remove(ds, "gone"));
    assert_ok(drx_dataset_commit(ds, "gone is gone"));
    for (int32_t i = 2; i < 5; i++) {
        append_step(ds, i);
        assert_ok(drx_attr_set(member(ds, "u"), "step", DRX_INT32, 1, &i));
        assert_ok(drx_dataset_attr_set(ds, DRX_DATASET, NULL, "step", DRX_INT32, 1, &i));
        assert_ok(drx_dataset_commit(ds, "a step"));
    }
    assert_ok(drx_dataset_forget(ds, n));
    return ds;
}

/* One at an earlier commit, one that refreshes, and one that opens its variables late; then again. */
TEST(readers_of_a_log_that_forgets)
{
    drx_dataset *reader[3], *ds;
    drx_array *a;

    for (int late = 0; late < 2; late++) {
        ds = make_and_forget("r", 6, reader);
        a = member(reader[1], "gone");
        assert_int_equal(first_at(member(reader[0], "u"), 0), 1);
        assert_status(drx_dataset_array(reader[2], "gone", &a), DRX_ENOENT);
        assert_detail("removed");
        assert_ok(drx_dataset_refresh(reader[0]));
        assert_int_equal(drx_dataset_shown(reader[0]), 2);
        if (late) {
            append_step(ds, 5);
            assert_ok(drx_dataset_commit(ds, "a step"));
            assert_ok(drx_dataset_forget(ds, 8));
        }
        for (int i = 1; i < 3; i++) {
            assert_int_equal(first_at(member(reader[i], "v"), 0), 1);
            assert_ok(drx_dataset_refresh(reader[i]));
            assert_int_equal(drx_dataset_shown(reader[i]), 7 + late);
            assert_int_equal(drx_dataset_oldest(reader[i]), 6 + 2 * late);
            expect_bound(reader[i], "time", 4 + late);
            assert_int_equal(first_at(member(reader[i], "u"), 3), 4);
            assert_int_equal(attr_of(reader[i], member(reader[i], "u")), 4);
        }
        assert_int_equal(first_at(member(reader[1], "time"), 0), 1);
        a = NULL;
        assert_status(drx_dataset_array(reader[1], "gone", &a), DRX_ENOENT);
        append_step(ds, 6);
        assert_ok(drx_dataset_trim(ds, "time", 2, 0));
        assert_ok(drx_dataset_commit(ds, "trimmed"));
        assert_status(drx_get(member(reader[1], "u"), (const int64_t[]){ 0, 0, 0 }, &(int32_t){ 0 }), DRX_ERANGE);
        assert_ok(drx_dataset_refresh(reader[1]));
        assert_int_equal(first_at(member(reader[1], "u"), 3), 4);
        for (int i = 0; i < 3; i++)
            assert_ok(drx_dataset_close(reader[i]));
        assert_ok(drx_dataset_close(ds));
        assert_ok(drx_dataset_delete("r"));
    }
}
