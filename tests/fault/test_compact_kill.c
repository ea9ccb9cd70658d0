/* A writer compacts its log again and again, beside a reader that refreshes, and is killed at any moment. All synced
 * elements are stored, and no temporary files are left. */
#include "array/array.h"
#include "base/hooks.h"
#include "drx_tools.h"
#include "marked.h"
#include "processes.h"

enum { MOST_LOOKS = 600 };

/* What the writer has promised: the last number for which drx_sync or drx_compact returned. */
static volatile int64_t *promised;

/* Number i is an attribute, and a row whose elements are i; what was the bound is that of row i. */
static bool add(drx_array *a, int64_t i)
{
    const int32_t row[3] = { (int32_t)i, (int32_t)i, (int32_t)i };

    return drx_append(a, 0, 1, DRX_ROW_MAJOR, row) == DRX_OK && drx_attr_set(a, "number", DRX_INT64, 1, &i) == DRX_OK;
}

static bool write_on(int ignored)
{
    drx_array *a;
    int64_t i;

    drxi_hooks.compaction.from_bytes = drxi_hooks.compaction.times = 1;
    if (drx_open("killed", DRX_RDWR, &a))
        return false;
    for (i = drx_shape(a)[0];; i++) {
        if (!add(a, i) || (i % 3 ? drx_sync(a) : drx_compact(a)))
            return false;
        *promised = i;
    }
}

/* Rows are whole, and there are those up to `least`; so is the attribute, which follows its row. */
static int64_t look(drx_array *a, int64_t least)
{
    const int64_t n = drx_shape(a)[0];
    int32_t row[3] = { 0 };
    const void *number;

    assert_ok(drx_read(a, (int64_t[]){ n - 1, 0 }, (int64_t[]){ 1, 3 }, DRX_ROW_MAJOR, row));
    assert_true(row[0] == n - 1 && row[1] == n - 1 && row[2] == n - 1);
    assert_ok(drx_attr_get(a, "number", NULL, NULL, &number));
    assert_true(n > least && *(const int64_t *)number >= least && *(const int64_t *)number < n);
    return n;
}

static int64_t look_again(drx_array *reader, int64_t seen)
{
    const int64_t least = *promised;

    assert_ok(drx_refresh(reader));
    assert_true(look(reader, least) >= seen);
    return drx_shape(reader)[0];
}

/* Every other writer is killed after a promise of its own: on a slow disk the others may not come to one. */
static void kill_once(int i, uint64_t *rng)
{
    const int64_t before = *promised;
    int64_t seen = 0;
    drx_array *a, *reader;
    int status;
    pid_t writer;

    assert_ok(drx_open("killed", DRX_RDONLY, &reader));
    writer = start(write_on, 0);
    for (int64_t more = random_below(rng, MOST_LOOKS); more > 0 || (i % 2 && *promised <= before); more--) {
        seen = look_again(reader, seen);
        assert_true(is_running(writer, &status));
    }
    end(writer);
    assert_ok(drx_open("killed", DRX_RDONLY, &a));
    (void)look(a, *promised);
    assert_ok(drx_close(a));
    assert_ok(drx_open("killed", DRX_RDWR, &a));
    (void)look(a, *promised);
    assert_ok(drx_sync(a));
    assert_ok(drx_refresh(reader));
    assert_int_equal(look(reader, *promised), look(a, *promised));
    assert_ok(drx_close(a));
    assert_ok(drx_close(reader));
}

TEST(killed_at_any_moment)
{
    const int64_t shape[2] = { 0, 3 }, chunk[2] = { 4, 2 };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk };
    const int kills = sample_or_all(60, 2000);
    uint64_t rng = starting_seed(0);
    drx_array *a;
    int left;

    promised = common(sizeof *promised);
    assert_ok(drx_create("killed", &spec, &a));
    assert_true(add(a, 0));
    assert_ok(drx_close(a));
    for (int i = 0; i < kills; i++)
        kill_once(i, &rng);
    left = marked_count("killed.*.new-*");
    assert_ok(drx_repair("killed", NULL, NULL, NULL, NULL)); /* a name between two may be left */
    assert_int_equal(system("test \"$(ls)\" = \"$(printf 'killed.xmd\\nkilled.xta')\""), 0);
    print_message("%d kills, %lld rows, %d times a second name was left\n", kills, (long long)*promised, left);
    assert_true(*promised > 0);
}
