/* drx_copy when it fails: the source stays, and no file is left under the copy's name. test_system_calls fails each
 * of its calls. */
#include "base/hooks.h"
#include "deadly.h"
#include "drx_tools.h"
#include "marked.h"

enum { ROWS = 24, COLUMNS = 20 };

static const int64_t from_chunk[2] = { 16, 3 }, to_chunk[2] = { 13, 2 };

static void make(const char *path)
{
    const int64_t shape[2] = { ROWS, COLUMNS - 1 };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT16, .shape = shape, .chunk = from_chunk };
    int16_t buf[ROWS * COLUMNS];
    drx_array *a;

    assert_ok(drx_create(path, &spec, &a));
    assert_ok(drx_extend(a, 1, 1));
    for (int64_t i = 0; i < ROWS * COLUMNS; i++)
        buf[i] = (int16_t)(i * 31 + 1);
    assert_ok(drx_write(a, (int64_t[]){ 0, 0 }, (int64_t[]){ ROWS, COLUMNS }, DRX_ROW_MAJOR, buf));
    assert_ok(drx_attr_set_text(a, "title", "numbers"));
    assert_ok(drx_close(a));
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
static int64_t least_memory(const char *from)
{
    const int permute[2] = { 1, 0 };
    drx_copy_spec spec = { .permute = permute, .chunk = to_chunk, .memory_bytes = 1 };
    drx_copy_plan plan;
    drx_array *a;

    assert_ok(drx_open(from, DRX_RDONLY, &a));
    assert_status(drx_plan_copy(a, &spec, &plan, NULL, 0, NULL), DRX_ERANGE);
    spec.memory_bytes = plan.memory_bytes;
    assert_ok(drx_plan_copy(a, &spec, &plan, NULL, 0, NULL));
    assert_true(plan.passes > 1);
    assert_ok(drx_close(a));
    return spec.memory_bytes;
}

TEST(refusals)
{
    const int none[2] = { 1, 1 }, outside[2] = { 0, 2 };
    const int64_t zero[2] = { 0, 4 };
    drx_array *a;

    marked_clean();
    make("left/a");
    make("left/b");
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

TEST(interrupts_leave_nothing)
{
    struct marked_seen seen = { 0 };
    drx_copy_spec spec = { .progress = marked_progress, .user = &seen };

    marked_clean();
    make("left/a");
    drxi_hooks.never_direct = true; /* in all passes */
    spec.memory_bytes = least_memory("left/a");
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
    drxi_hooks.never_direct = false;
}

static int64_t memory_bytes;

static drx_status copy_in_passes(void)
{
    return copy("left/a", "right/b", (drx_copy_spec){ .memory_bytes = memory_bytes });
}

/* A copy killed at any moment is there whole or not at all. */
TEST(kills_leave_nothing)
{
    bool killed = true;
    long n = 0;
    int whole = 0;

    marked_clean();
    make("left/a");
    memory_bytes = least_memory("left/a");
    while (killed) {
        killed = deadly(copy_in_passes, ++n);
        assert_true(is_whole("left/a", false));
        if (marked_count("right/b.xmd") == 1) {
            assert_true(is_whole("right/b", true));
            whole++;
        }
        assert_true(killed || whole > 0);
        marked_clear("right/b.x*");
        assert_int_equal(marked_count("right/*"), 0);
    }
    print_message("killed before %ld calls; %d copies were complete\n", n - 1, whole);
    assert_true(n > 100);
}
