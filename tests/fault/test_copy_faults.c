/* drx_copy when things go wrong: the source stays, and nothing is left under the copy's name. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "drx_tools.h"
#include "io/io.h"
#include "marked.h"

enum { ROWS = 24, COLUMNS = 20 };

static const int64_t from_chunk[2] = { 16, 3 }, to_chunk[2] = { 13, 2 };

static void make(const char *path, int64_t rows, int64_t columns)
{
    const int64_t shape[2] = { rows, columns - 1 };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT16, .shape = shape, .chunk = from_chunk };
    int16_t *buf = malloc((size_t)(rows * columns) * sizeof *buf);
    drx_array *a;

    assert_ok(drx_create(path, &spec, &a));
    assert_ok(drx_extend(a, 1, 1));
    for (int64_t i = 0; i < rows * columns; i++)
        buf[i] = (int16_t)(i * 31 + 1);
    assert_ok(drx_write(a, (int64_t[]){ 0, 0 }, (int64_t[]){ rows, columns }, DRX_ROW_MAJOR, buf));
    assert_ok(drx_attr_set_text(a, "title", "numbers"));
    assert_ok(drx_close(a));
    free(buf);
}

/* Is the array there, whole, with the elements of `make`, transposed or not? */
static bool is_whole(const char *path, bool transposed)
{
    int16_t buf[ROWS * COLUMNS];
    drx_array *a;
    bool good;

    if (drx_open(path, DRX_RDONLY, &a) != DRX_OK)
        return false;
    good = drx_shape(a)[transposed] == ROWS && drx_shape(a)[!transposed] == COLUMNS && drx_attr_count(a) == 1;
    good = good && drx_read(a, (int64_t[]){ 0, 0 }, drx_shape(a), transposed ? DRX_COL_MAJOR : DRX_ROW_MAJOR, buf) == 0;
    for (int i = 0; good && i < ROWS * COLUMNS; i++)
        good = buf[i] == (int16_t)(i * 31 + 1);
    assert_ok(drx_close(a));
    return good;
}

static drx_status copy(const char *from, const char *to, drx_copy_spec spec)
{
    drx_array *a;
    drx_status st = drx_open(from, DRX_RDONLY, &a);

    spec.permute = (const int[]){ 1, 0 };
    spec.chunk = to_chunk;
    if (!st) {
        st = drx_copy(a, to, &spec, NULL);
        (void)drx_close(a);
    }
    return st;
}

/* The least memory: several passes. */
static int64_t least_memory(const char *from, int *passes)
{
    const int permute[2] = { 1, 0 };
    drx_copy_spec spec = { .permute = permute, .chunk = to_chunk, .memory_bytes = 1 };
    drx_copy_plan plan;
    drx_array *a;

    assert_ok(drx_open(from, DRX_RDONLY, &a));
    assert_status(drx_plan_copy(a, &spec, &plan, NULL, 0, NULL), DRX_ERANGE);
    spec.memory_bytes = plan.memory_bytes;
    assert_ok(drx_plan_copy(a, &spec, &plan, NULL, 0, NULL));
    *passes = plan.passes;
    assert_ok(drx_close(a));
    return spec.memory_bytes;
}

TEST(refusals)
{
    const int none[2] = { 1, 1 }, outside[2] = { 0, 2 };
    const int64_t zero[2] = { 0, 4 };
    drx_array *a;

    marked_clean();
    make("left/a", ROWS, COLUMNS);
    make("left/b", ROWS, COLUMNS);
    assert_ok(drx_open("left/a", DRX_RDONLY, &a));
    assert_status(drx_copy(a, "right/c", &(drx_copy_spec){ .permute = none }, NULL), DRX_EINVAL);
    assert_detail("axis 1 twice");
    assert_status(drx_copy(a, "right/c", &(drx_copy_spec){ .permute = outside }, NULL), DRX_EINVAL);
    assert_detail("has 2; axes are 0 to 1");
    assert_status(drx_copy(a, "right/c", &(drx_copy_spec){ .chunk = zero }, NULL), DRX_EINVAL);
    assert_detail("axis 0 of the target has a chunk extent of 0");
    assert_status(drx_copy(a, "right/c", &(drx_copy_spec){ .memory_bytes = 8 }, NULL), DRX_ERANGE);
    assert_detail("8 bytes of memory are too little");
    assert_status(drx_copy(a, "right/c", &(drx_copy_spec){ .memory_bytes = -1 }, NULL), DRX_EINVAL);
    assert_status(drx_copy(a, "right/c", &(drx_copy_spec){ .align = 3 }, NULL), DRX_EINVAL);
    assert_status(drx_copy(a, "right/c", &(drx_copy_spec){ .flags = DRX_MOVE }, NULL), DRX_EINVAL);
    assert_status(drx_copy(a, "left/../left/a", &(drx_copy_spec){ .flags = DRX_REPLACE }, NULL), DRX_EINVAL);
    assert_detail("same array");
    assert_status(drx_copy(a, "left/b", NULL, NULL), DRX_EEXIST);
    assert_status(drx_copy(a, "nowhere/c", NULL, NULL), DRX_ENOENT);
    assert_status(drx_copy(a, NULL, NULL, NULL), DRX_EINVAL);
    assert_status(drx_copy(NULL, "right/c", NULL, NULL), DRX_EINVAL);
    assert_ok(drx_close(a));
    assert_true(is_whole("left/a", false) && is_whole("left/b", false));
    assert_int_equal(marked_count("right/*"), 0);
}

/* left/a is there, and stays as it is. */
static void fail_calls(int error, drx_status expected, int64_t memory_bytes, bool there, bool persistent)
{
    bool fired = true;
    long n = 0;

    while (fired) {
        drx_status st;

        marked_clear("right/*");
        marked_clear("right/.[!.]*");
        if (there)
            marked_make("right/b", 5, 3);
        drxi_fault_arm(++n, error, persistent);
        st = copy("left/a", "right/b",
                  (drx_copy_spec){ .memory_bytes = memory_bytes, .flags = there ? DRX_REPLACE : 0 });
        fired = drxi_fault_fired();
        drxi_fault_arm(0, 0, false);
        if (st) {
            assert_true(fired);
            assert_int_equal(st, expected);
            assert_detail("injected fault");
        }
        assert_true(is_whole("left/a", false));
        if (!st)
            assert_true(is_whole("right/b", true));
        else if (there && !persistent)
            assert_true(marked_is("right/b", 5, 3) || is_whole("right/b", true));
        else if (!persistent)
            assert_true(marked_none("right/b") || is_whole("right/b", true));
    }
    print_message("%ld calls failed in turn\n", n - 1);
    assert_true(n > 25);
}

TEST(each_call)
{
    int64_t least;
    int passes;

    marked_clean();
    make("left/a", ROWS, COLUMNS);
    least = least_memory("left/a", &passes);
    assert_true(passes > 1);
    fail_calls(EIO, DRX_EIO, 0, false, false);
    fail_calls(ENOSPC, DRX_ENOSPC, least, false, false);
    fail_calls(ENOSPC, DRX_ENOSPC, 2000, true, false);
    fail_calls(EIO, DRX_EIO, least, false, true);
}

TEST(each_allocation)
{
    drx_status st = DRX_ENOMEM;
    drx_array *a;
    int passes;

    marked_clean();
    make("left/a", ROWS, COLUMNS);
    const int64_t least = least_memory("left/a", &passes);

    assert_ok(drx_open("left/a", DRX_RDONLY, &a));
    for (long n = 1; st; n++) {
        drxi_fail_allocation = n;
        st = drx_copy(a, "right/b", &(drx_copy_spec){ .chunk = to_chunk, .memory_bytes = least }, NULL);
        drxi_fail_allocation = 0;
        assert_true(st == DRX_OK || st == DRX_ENOMEM);
        assert_int_equal(marked_count("right/*"), st ? 0 : 2);
    }
    assert_ok(drx_close(a));
}

TEST(interrupts_leave_nothing)
{
    struct marked_seen seen = { 0 };
    drx_copy_spec spec = { .progress = marked_progress, .user = &seen };
    int passes;

    marked_clean();
    make("left/a", ROWS, COLUMNS);
    spec.memory_bytes = least_memory("left/a", &passes);
    assert_ok(copy("left/a", "right/b", spec));
    assert_int_equal(seen.last, seen.total);
    assert_ok(drx_remove("right/b"));
    for (int64_t i = 1, calls = seen.calls; i <= calls; i += 1 + calls / 50) {
        seen = (struct marked_seen){ .stop_at = i };
        assert_status(copy("left/a", "right/b", spec), DRX_EINTERRUPTED);
        assert_detail("left/a: copying it was interrupted");
        assert_int_equal(seen.calls, i);
        assert_int_equal(marked_count("right/*"), 0);
    }
}

/* A copy killed at any moment is there whole or not at all. */
TEST(kills_leave_nothing)
{
    uint64_t seed = 6;
    int whole = 0;

    marked_clean();
    make("left/a", 600, 350);
    for (int i = 0; i < 60; i++) {
        const struct timespec wait = { 0, random_below(&seed, 30000000) };
        const pid_t child = fork();
        int status;

        assert_true(child >= 0);
        if (child == 0)
            _exit(copy("left/a", "right/b", (drx_copy_spec){ .memory_bytes = 20000 }) != DRX_OK);
        (void)nanosleep(&wait, NULL);
        (void)kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        if (WIFEXITED(status))
            assert_int_equal(WEXITSTATUS(status), 0);
        if (marked_none("right/b"))
            continue;
        if (marked_count("right/b.xmd") == 1) {
            drx_array *a;

            assert_ok(drx_open("right/b", DRX_RDONLY, &a));
            assert_int_equal(drx_shape(a)[0], 350);
            assert_ok(drx_close(a));
            whole++;
        }
        marked_clear("right/b*");
        assert_int_equal(marked_count("right/*"), 0);
    }
    print_message("%d of 60 were complete\n", whole);
}
