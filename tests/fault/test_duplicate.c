/* drx_duplicate makes an exact copy, which appears only when it is complete, and keeps the source. test_system_calls
 * fails each of its calls, and test_killed kills it before each. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/hooks.h"
#include "bytes.h"
#include "drx_tools.h"
#include "marked.h"
#include "processes.h"
#include "stages.h"

enum { N = 9, MARK = 7, OTHER_N = 5, OTHER_MARK = 3 };

static bool same_files(const char *a, const char *b)
{
    char command[300];

    (void)snprintf(command, sizeof command, "cmp '%s.xmd' '%s.xmd' && cmp '%s.xta' '%s.xta'", a, b, a, b);
    return system(command) == 0;
}

static int64_t on_disk(const char *name)
{
    struct stat status;

    assert_int_equal(stat(name, &status), 0);
    return (int64_t)status.st_blocks * 512;
}

TEST(copies_are_exact)
{
    marked_clean();
    marked_make("a", N, MARK);
    assert_ok(drx_duplicate("a", "left/b b é", 0, NULL, NULL));
    assert_string_equal(drx_last_error(), "");
    assert_true(same_files("a", "left/b b é"));
    assert_status(drx_duplicate("a", "left/b b é", 0, NULL, NULL), DRX_EEXIST);
    marked_make("c", OTHER_N, OTHER_MARK);
    assert_ok(drx_duplicate("c", "left/b b é", DRX_REPLACE, NULL, NULL));
    assert_true(same_files("c", "left/b b é"));
    assert_ok(drx_duplicate("a", "right/moved", DRX_MOVE, NULL, NULL));
    assert_true(marked_none("a") && marked_is("right/moved", N, MARK));
    assert_int_equal(marked_count("*/*"), 4);
}

TEST(refusals)
{
    drx_array *a;

    marked_clean();
    assert_status(drx_duplicate("a", "b", 0, NULL, NULL), DRX_ENOENT);
    marked_make("a", N, MARK);
    marked_make("b", OTHER_N, OTHER_MARK);
    assert_status(drx_duplicate("a", "./a", DRX_REPLACE, NULL, NULL), DRX_EINVAL);
    assert_status(drx_duplicate("a", "left/../a", DRX_REPLACE | DRX_MOVE, NULL, NULL), DRX_EINVAL);
    assert_detail("same array");
    assert_status(drx_duplicate("a", "c", DRX_SHELL, NULL, NULL), DRX_EINVAL);
    assert_status(drx_duplicate("a", "nowhere/c", 0, NULL, NULL), DRX_ENOENT);
    assert_ok(drx_open("b", DRX_RDWR, &a));
    assert_status(drx_duplicate("a", "b", DRX_REPLACE, NULL, NULL), DRX_EBUSY);
    assert_status(drx_duplicate("b", "c", DRX_MOVE, NULL, NULL), DRX_EBUSY);
    assert_ok(drx_duplicate("b", "c", 0, NULL, NULL));
    assert_ok(drx_close(a));
    assert_true(marked_is("a", N, MARK) && marked_is("b", OTHER_N, OTHER_MARK) && marked_is("c", OTHER_N, OTHER_MARK));
}

/* 2 GiB of array, 3 MiB of it stored. */
TEST(holes_stay)
{
    const int64_t shape[1] = { INT64_C(1) << 31 }, chunk[1] = { 1 << 20 }, count[1] = { 1 << 20 };
    const drx_spec spec = { .ndim = 1, .type = DRX_UINT8, .shape = shape, .chunk = chunk };
    uint8_t *buf = malloc((size_t)count[0]);
    drx_array *a;

    marked_clean();
    memset(buf, 5, (size_t)count[0]);
    if (drx_create("a", &spec, &a) != DRX_OK)
        skip(); /* files cannot be that long here */
    for (int64_t i = 0; i < 3; i++)
        assert_ok(drx_write(a, (int64_t[]){ i * (INT64_C(1) << 29) + 4096 }, count, DRX_ROW_MAJOR, buf));
    assert_ok(drx_close(a));
    assert_ok(drx_duplicate("a", "b", 0, NULL, NULL));
    assert_in_range(on_disk("b.xta"), 3 << 20, on_disk("a.xta"));
    assert_ok(drx_open("b", DRX_RDONLY, &a));
    for (int64_t i = 0; i < 3; i++) {
        memset(buf, 0, (size_t)count[0]);
        assert_ok(drx_read(a, (int64_t[]){ i * (INT64_C(1) << 29) + 4096 }, count, DRX_ROW_MAJOR, buf));
        assert_int_equal(buf[0] + buf[count[0] - 1], 10);
        assert_true(memchr(buf, 0, (size_t)count[0]) == NULL);
    }
    assert_ok(drx_close(a));
    free(buf);
}

/* Where the first record of that kind begins. */
static size_t find_record(const struct bytes *log, enum drxi_log_kind kind)
{
    size_t at = DRXI_LOG_AT;

    for (struct drxi_log_record r; (r = record_at(log, at)).kind != (int)kind; at += r.bytes)
        assert_true(at < log->n);
    return at;
}

/* Damage is copied, and told; a torn tail is not. */
TEST(damaged_sources)
{
    struct bytes log;

    marked_clean();
    marked_make("a", N, MARK);
    log = load("a.xmd");
    put_bytes("a.xmd", (int64_t)log.n, "torn", 4);
    assert_ok(drx_duplicate("a", "b", 0, NULL, NULL));
    assert_string_equal(drx_last_error(), "");
    assert_bytes("b.xmd", log);
    flip("a.xmd", (int64_t)find_record(&log, DRXI_LOG_ATTRIBUTE) + 30, 1); /* a SYNC follows */
    assert_ok(drx_duplicate("a", "c", 0, NULL, NULL));
    assert_detail("is damaged");
    assert_true(same_files("a", "c"));
    assert_int_equal(truncate("b.xta", 3), 0);
    assert_ok(drx_duplicate("b", "d", 0, NULL, NULL));
    assert_detail("damaged: 3 bytes long");
    assert_true(same_files("b", "d"));
    assert_int_equal(truncate("b.xmd", 50), 0);
    assert_status(drx_duplicate("b", "e", 0, NULL, NULL), DRX_EDAMAGED);
    assert_true(marked_none("e"));
}

static int change_once(void *user, int64_t done, int64_t total)
{
    bool *changed = user;
    drx_array *a;

    if (*changed)
        return 0;
    *changed = true;
    assert_ok(drx_open("a", DRX_RDWR, &a));
    assert_ok(drx_extend(a, 0, 10));
    assert_ok(drx_close(a));
    return 0;
}

/* After the log was read, another growth takes the place of an append that was not committed. */
TEST(records_that_do_not_count)
{
    struct bytes log;
    struct drxi_run run;
    bool changed = false;

    marked_clean();
    marked_make("a", N, MARK);
    log = load("a.xmd");
    run = run_behind(&log);
    drxi_put_grow(&run, 1, 10, N + 10);
    put_bytes("a.xmd", run.at, run.bytes, (size_t)run.n);
    drxi_run_free(&run);
    assert_ok(drx_duplicate("a", "b", 0, change_once, &changed));
    assert_true(changed);
    assert_true(marked_is("b", N, MARK));
    assert_bytes("b.xmd", log);
}

static struct drxi_live live_words_of(const char *name)
{
    const struct bytes log = load(name);

    return (struct drxi_live){ .trims = drxi_get64(log.p + DRXI_LIVE_AT),
                               .replaced = drxi_get64(log.p + DRXI_LIVE_AT + 8) };
}

/* What readers of the source are told is nothing to those of the copy. Stripes that were named again are named once. */
TEST(live_words)
{
    const struct bytes one = { 8, { 1 } };
    drx_array *a;

    for (marked_stripes = 0; marked_stripes <= 2; marked_stripes += 2) {
        marked_clean();
        marked_make("left/a", N + 1, MARK);
        assert_ok(drx_duplicate("left/a", "b", DRX_MOVE, NULL, NULL));
        assert_ok(drx_open("b", DRX_RDWR, &a));
        assert_ok(drx_trim(a, 0, 1, 0));
        assert_ok(drx_sync(a));
        assert_ok(drx_close(a));
        put_bytes("b.xmd", DRXI_LIVE_AT + 8, one.p, one.n);
        assert_ok(drx_duplicate("b", "c", 0, NULL, NULL));
        assert_int_equal(live_words_of("c.xmd").replaced, 0);
        assert_true(marked_stripes == 0 || live_words_of("c.xmd").trims == 0);
        assert_ok(drx_open("c", DRX_RDWR, &a));
        assert_int_equal(drx_lower(a)[0], 1);
        assert_ok(drx_extend_before(a, 0, 1));
        assert_ok(drx_close(a));
        assert_ok(drx_check("c", NULL, NULL, NULL, NULL));
    }
    marked_stripes = 0;
}

static void make_large(const char *path)
{
    const int64_t shape[1] = { 20 << 20 };
    const drx_spec spec = { .ndim = 1, .type = DRX_INT8, .shape = shape, .fill = "x" };
    drx_array *a;

    assert_ok(drx_create(path, &spec, &a));
    assert_ok(drx_close(a));
}

TEST(interrupts_leave_nothing)
{
    struct marked_seen seen = { 0, 0, 0, 0 };
    int64_t calls;

    marked_clean();
    make_large("a");
    assert_ok(drx_duplicate("a", "left/b", 0, marked_progress, &seen));
    assert_int_equal(seen.last, seen.total);
    assert_true(seen.total > 20 << 20);
    calls = seen.calls;
    assert_true(calls > 5);
    assert_ok(drx_remove("left/b"));
    for (int64_t i = 1; i <= calls; i++) {
        seen = (struct marked_seen){ .stop_at = i };
        drxi_hooks.other_names = i % 2;
        assert_status(drx_duplicate("a", "left/b", DRX_MOVE, marked_progress, &seen), DRX_EINTERRUPTED);
        assert_int_equal(seen.calls, i);
        assert_int_equal(marked_count("left/*"), 0);
    }
    drxi_hooks.other_names = false;
    assert_int_equal(marked_count("*.x*"), 2);
}

/* Rows that are all their number; killed when enough is copied. */
static bool grow_on(int ignored)
{
    drx_array *a;

    if (!did(drx_open("grown", DRX_RDWR, &a)))
        return false;
    for (int32_t i = 1;; i++) {
        const int32_t row[3] = { i, i, i };

        if (!did(drx_append(a, 0, 1, DRX_ROW_MAJOR, row)) || (i % 64 == 0 && !did(drx_sync(a))))
            return false;
        if (i % 1000 == 0 && !did(drx_extend(a, 1, 0)))
            return false;
    }
}

static void count_errors(void *user, drx_severity severity, const char *text)
{
    if (severity != DRX_ERROR)
        return;
    print_error("%s\n", text);
    ++*(int *)user;
}

/* All rows are whole; a writer mends what was under way, and finds fill where it grows. */
static void check_copy(const char *path)
{
    int errors = 0;
    drx_array *a;
    int64_t n;
    int32_t *rows;

    assert_ok(drx_check(path, count_errors, &errors, NULL, NULL));
    assert_int_equal(errors, 0);
    assert_ok(drx_open(path, DRX_RDWR, &a));
    n = drx_shape(a)[0];
    assert_ok(drx_extend(a, 0, 10));
    rows = calloc((size_t)(n + 10), 3 * sizeof *rows);
    assert_non_null(rows);
    assert_ok(drx_read(a, (int64_t[]){ 0, 0 }, drx_shape(a), DRX_ROW_MAJOR, rows));
    for (int64_t i = 0; i < 3 * (n + 10); i++)
        assert_int_equal(rows[i], i / 3 < n ? i / 3 + 1 : -5);
    free(rows);
    assert_ok(drx_close(a));
}

TEST(beside_a_writer)
{
    int status;
    pid_t writer;

    marked_clean();
    make_int32("grown", (int64_t[]){ 0, 3 }, (int64_t[]){ 7, 2 }, -5, DRX_ROW_MAJOR, 0);
    writer = start(grow_on, 0);
    for (int i = 0; i < 60; i++) {
        int errors = 0;

        assert_ok(drx_duplicate("grown", "copy", DRX_REPLACE, NULL, NULL));
        check_copy("copy");
        assert_ok(drx_check("grown", count_errors, &errors, NULL, NULL)); /* itself, too */
        assert_int_equal(errors, 0);
    }
    assert_true(is_running(writer, &status));
    end(writer);
}
