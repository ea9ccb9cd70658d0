/* drx_duplicate makes an exact copy, which appears only when it is complete, and keeps the source. test_system_calls
 * fails each of its calls, and test_killed kills it before each. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/hooks.h"
#include "drx_tools.h"
#include "marked.h"
#include "processes.h"

enum { N = 9, MARK = 7, OTHER_N = 5, OTHER_MARK = 3 };

static bool same_bytes(const char *a, const char *b)
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
    assert_true(same_bytes("a", "left/b b é"));
    assert_status(drx_duplicate("a", "left/b b é", 0, NULL, NULL), DRX_EEXIST);
    marked_make("c", OTHER_N, OTHER_MARK);
    assert_ok(drx_duplicate("c", "left/b b é", DRX_REPLACE, NULL, NULL));
    assert_true(same_bytes("c", "left/b b é"));
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

/* Damage is copied, and told; a torn tail is not. */
TEST(damaged_sources)
{
    struct stat whole, copy;
    FILE *file;

    marked_clean();
    marked_make("a", N, MARK);
    assert_int_equal(stat("a.xmd", &whole), 0);
    file = fopen("a.xmd", "ab");
    assert_non_null(file);
    assert_int_equal(fwrite("torn", 1, 4, file), 4);
    assert_int_equal(fclose(file), 0);
    assert_ok(drx_duplicate("a", "b", 0, NULL, NULL));
    assert_int_equal(stat("b.xmd", &copy), 0);
    assert_int_equal(copy.st_size, whole.st_size);
    file = fopen("a.xmd", "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, 100, SEEK_SET), 0);
    assert_int_equal(fwrite("\377", 1, 1, file), 1);
    assert_int_equal(fclose(file), 0);
    assert_ok(drx_duplicate("a", "c", 0, NULL, NULL));
    assert_detail("is damaged");
    assert_true(same_bytes("a", "c"));
    assert_int_equal(truncate("b.xta", 3), 0);
    assert_ok(drx_duplicate("b", "d", 0, NULL, NULL));
    assert_detail("damaged: 3 bytes long");
    assert_true(same_bytes("b", "d"));
    assert_int_equal(truncate("b.xmd", 50), 0);
    assert_status(drx_duplicate("b", "e", 0, NULL, NULL), DRX_EDAMAGED);
    assert_true(marked_none("e"));
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
