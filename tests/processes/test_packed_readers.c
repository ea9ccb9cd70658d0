/* Readers beside a writer of a compressed array: chunks are opened, closed, written again, and their old payloads given
 * back, and every row that a reader sees is what was written. */
#include "base/hooks.h"
#include "drx_tools.h"
#include "processes.h"

enum { ROWS = 160, COLUMNS = 700, CHUNK_ROWS = 8, READERS = 2 };

static const char path[] = "read";

static bool append_row(drx_array *a, int32_t row)
{
    int32_t slab[COLUMNS];

    for (int j = 0; j < COLUMNS; j++)
        slab[j] = row;
    return did(drx_append(a, 0, 1, DRX_ROW_MAJOR, slab));
}

/* `often`: the payloads are given back whenever most are dead, otherwise when the writer asks. */
static bool write_all(int often)
{
    drx_array *a;
    bool good = did(drx_open(path, DRX_RDWR, &a));

    if (often)
        drxi_hooks.reclaiming = (struct drxi_reclaiming){ 1, 1 };
    for (int32_t row = 0; good && row < ROWS; row++) {
        const int64_t again[] = { row / 2, row % COLUMNS };
        const int32_t other = -1 - row / 2;

        good = append_row(a, row) && did(drx_write(a, again, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR, &other));
        if (good && row % 5 == 4)
            good = did(drx_sync(a));
        if (good && row % 20 == 19 && !often)
            good = did(drx_compact(a));
    }
    return did(drx_close(a)) && good;
}

/* Each element is the number of its row, or what was written over it. */
static bool is_right(const int32_t *values, int64_t first, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            const int32_t value = values[i * columns + j];

            if (value == first + i || value == -1 - (first + i))
                continue;
            print_error("row %d, column %d: %d\n", (int)(first + i), (int)j, (int)value);
            return false;
        }
    return true;
}

static bool read_all(int number)
{
    static int32_t values[ROWS * COLUMNS];
    uint64_t random = (uint64_t)number;
    int64_t rows = 0;
    drx_array *a;
    bool good = did(drx_open(path, DRX_RDONLY, &a));

    for (int turn = 0; good && (rows < ROWS || turn < 20); turn++) {
        int64_t lo[2], count[2];

        if (turn % 3 == 0) /* in between, it looks at what it knew */
            good = did(drx_refresh(a));
        rows = drx_shape(a)[0];
        if (!good || rows == 0)
            continue;
        lo[0] = random_below(&random, rows);
        lo[1] = 0;
        count[0] = 1 + random_below(&random, rows - lo[0]);
        count[1] = turn % 2 ? COLUMNS : 1 + random_below(&random, 20);
        good = did(drx_read(a, lo, count, DRX_ROW_MAJOR, values)) && is_right(values, lo[0], count[0], count[1]);
        if (good && turn % 4 == 0)
            good = did(drx_get(a, lo, values)) && is_right(values, lo[0], 1, 1);
    }
    return did(drx_close(a)) && good;
}

static bool copy_often(int ignored)
{
    int64_t rows = 0;
    bool good = true;

    (void)ignored;
    while (good && rows < ROWS) {
        static int32_t values[ROWS * COLUMNS];
        drx_array *a;

        good = did(drx_duplicate(path, "copy", DRX_REPLACE, NULL, NULL)) && did(drx_open("copy", DRX_RDWR, &a));
        if (!good)
            return false;
        rows = drx_shape(a)[0];
        good = did(drx_read(a, (int64_t[]){ 0, 0 }, drx_shape(a), DRX_ROW_MAJOR, values)) &&
               is_right(values, 0, rows, COLUMNS);
        good = did(drx_close(a)) && good;
    }
    return good;
}

static void read_beside_writer(int often)
{
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_INT32,
                            .shape = (int64_t[]){ 0, COLUMNS },
                            .chunk = (int64_t[]){ CHUNK_ROWS, 256 },
                            .codec = DRX_LZ4,
                            .flags = DRX_REPLACE };
    pid_t pid[READERS + 2];
    drx_array *a;

    assert_ok(drx_create(path, &spec, &a));
    assert_ok(drx_close(a));
    for (int i = 0; i < READERS; i++)
        pid[i] = start(read_all, i);
    pid[READERS] = start(copy_often, 0);
    pid[READERS + 1] = start(write_all, often);
    for (int i = 0; i < READERS + 2; i++)
        finish(pid[i]);
    assert_ok(drx_check(path, NULL, NULL, NULL, NULL));
}

TEST(readers_see_what_was_written)
{
    read_beside_writer(0);
}

TEST(readers_see_what_was_written_when_a_sync_gives_back)
{
    read_beside_writer(1);
}
