/* Whether data fit into memory depends on what lies inside the bounds, not on what was trimmed. That decides whether
 * reads pass through the system's cache, and whether single elements are mapped under a limit of memory. */
#include <unistd.h>

#include "array/array.h"
#include "base/hooks.h"
#include "drx_tools.h"
#include "testing.h"

enum { COLUMNS = 1024 };

static int use_defaults(void **state)
{
    drxi_hooks.way = DRXI_ANY_WAY;
    drxi_hooks.cache = DRXI_AS_FITS;
    drx_set_memory(0);
    return 0;
}

/* An archive of doubles with one chunk of this many rows. */
static drx_array *new_archive(int64_t rows)
{
    const int64_t chunk[2] = { rows, COLUMNS };
    const drx_spec spec = { .ndim = 2, .type = DRX_FLOAT64, .shape = chunk, .chunk = chunk, .flags = DRX_REPLACE };
    drx_array *a;

    assert_ok(drx_create("fits", &spec, &a));
    return a;
}

/* An archive that rolls on has given out more addresses than the cache has room for, but holds only the last ones. */
TEST_WITH(rolling, NULL, use_defaults)
{
    const int64_t rows = 1024, bytes = rows * COLUMNS * 8, chunks = drxi_room_for_files() / bytes + 2;
    drx_array *a = new_archive(rows);

    assert_false(drxi_data_goes_direct(&a->data));
    for (int round = 0; round < 3; round++) {
        assert_ok(drx_extend(a, 0, chunks * rows));
        assert_true(drxi_data_goes_direct(&a->data));
        assert_ok(drx_trim(a, 0, chunks * rows, 0));
        assert_false(drxi_data_goes_direct(&a->data));
    }
    assert_ok(drx_extend(a, 1, chunks * COLUMNS));
    assert_true(drxi_data_goes_direct(&a->data));
    assert_ok(drx_trim(a, 1, 0, chunks * COLUMNS));
    assert_false(drxi_data_goes_direct(&a->data));
    assert_ok(drx_close(a));
}

/* Returns how many calls read an element and a list of them, in the last row. */
static int64_t calls_for_elements(drx_array *a, double expected)
{
    const int64_t before = counters_of(a).reads, last = a->log.state.upper[0] - 1;
    const int64_t at[4] = { last, 3, last, COLUMNS - 1 };
    double value[2];

    assert_ok(drx_get(a, at, value));
    assert_true(value[0] == expected);
    assert_ok(drx_read_points(a, 2, at, value));
    assert_true(value[0] == expected && value[1] == 0);
    return counters_of(a).reads - before;
}

TEST_WITH(elements, NULL, use_defaults)
{
    enum { ROWS = 128, CHUNKS = 8 }; /* chunks of 1 MiB */
    const double value = 7;
    drx_array *a;

    if (!IN_ORDER_OF_FILES)
        skip();
    a = new_archive(ROWS);
    assert_ok(drx_close(a));
    assert_ok(drx_open("fits", DRX_RDWR, &a));
    drxi_hooks.way = DRXI_MAPPED;
    drx_set_memory(4 << 20);
    assert_int_equal(calls_for_elements(a, 0), 0);
    assert_ok(drx_extend(a, 0, CHUNKS * ROWS));
    assert_ok(drx_write(a, (int64_t[]){ (CHUNKS + 1) * ROWS - 1, 3 }, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR, &value));
    assert_true(calls_for_elements(a, value) > 0);
    assert_ok(drx_trim(a, 0, CHUNKS * ROWS, 0));
    assert_int_equal(calls_for_elements(a, value), 0);
    assert_ok(drx_close(a));
}

/* An array in memory has no system's cache to pass by, also when it is larger than a read at a time. */
TEST_WITH(in_memory, NULL, use_defaults)
{
    enum { ROWS = 2000, SIDE = 1000 };
    const int64_t shape[2] = { ROWS, SIDE }, chunk[2] = { SIDE, SIDE }, zero[2] = { 0, 0 };
    const drx_spec spec = { .ndim = 2, .type = DRX_FLOAT64, .shape = shape, .chunk = chunk };
    double *all = malloc(sizeof *all * ROWS * SIDE);
    drx_counters counters;
    drx_array *a;

    assert_non_null(all);
    for (int64_t i = 0; i < ROWS * SIDE; i++)
        all[i] = (double)i;
    assert_ok(drx_create(NULL, &spec, &a));
    assert_ok(drx_write(a, zero, shape, DRX_ROW_MAJOR, all));
    memset(all, 0xff, sizeof *all * ROWS * SIDE);
    drxi_hooks.cache = DRXI_DIRECT;
    (void)alarm(60);
    assert_ok(drx_read(a, zero, shape, DRX_ROW_MAJOR, all));
    (void)alarm(0);
    for (int64_t i = 0; i < ROWS * SIDE; i++)
        assert_true(all[i] == (double)i);
    assert_ok(drx_count(a, &counters));
    assert_int_equal(counters.direct_bytes, 0);
    assert_ok(drx_close(a));
    free(all);
}
