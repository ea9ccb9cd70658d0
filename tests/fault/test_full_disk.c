/* Real file systems of 64 MiB fill up: one in memory and, where the system allows a mount, ext4 on a disk. An error
 * names the file that does not fit, existing elements stay, and work continues when there is room again.
 *
 * Exit code 77: nothing may be mounted here. */
#include <sys/wait.h>
#include <unistd.h>

#include "disks.h"
#include "drx_tools.h"
#include "marked.h"
#include "processes.h"

enum { COLUMNS = 4096, ROWS_A_TIME = 64, SLAB = ROWS_A_TIME * COLUMNS, FILL = -7 };

static const char *disk; /* the folder where it is mounted */

static const char *on_disk(const char *name)
{
    static char paths[4][256];
    static int last;

    last = (last + 1) % 4;
    (void)snprintf(paths[last], sizeof paths[last], "%s/%s", disk, name);
    return paths[last];
}

static void clean(void)
{
    char command[64];

    (void)snprintf(command, sizeof command, "rm -rf %s/*", disk);
    assert_int_equal(system(command), 0);
}

static int other_names(void)
{
    return marked_count(on_disk("*.new-*"));
}

static int32_t number(int64_t row, int64_t column)
{
    return (int32_t)(row * COLUMNS + column + 1);
}

static int32_t slab[SLAB];

static void compose(int64_t first_row)
{
    for (int64_t i = 0; i < SLAB; i++)
        slab[i] = number(first_row + i / COLUMNS, i % COLUMNS);
}

static drx_array *make(const char *path, int64_t rows, int32_t fill)
{
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_INT32,
                            .shape = (int64_t[]){ rows, COLUMNS },
                            .chunk = (int64_t[]){ 48, 512 },
                            .fill = &fill };
    drx_array *a;

    assert_ok(drx_create(path, &spec, &a));
    return a;
}

static drx_status append(drx_array *a)
{
    compose(drx_shape(a)[0]);
    return drx_append(a, 0, ROWS_A_TIME, DRX_ROW_MAJOR, slab);
}

static void require_rows(drx_array *a, int64_t rows)
{
    static int32_t got[SLAB];

    assert_int_equal(drx_shape(a)[0], rows);
    for (int64_t row = 0; row < rows; row += ROWS_A_TIME) {
        assert_ok(drx_read(a, (int64_t[]){ row, 0 }, (int64_t[]){ ROWS_A_TIME, COLUMNS }, DRX_ROW_MAJOR, got));
        compose(row);
        assert_memory_equal(got, slab, sizeof got);
    }
}

static void require_fill(drx_array *a, int64_t from, int64_t to, int32_t fill)
{
    static int32_t got[COLUMNS];

    for (int64_t row = from; row < to; row++) {
        assert_ok(drx_read(a, (int64_t[]){ row, 0 }, (int64_t[]){ 1, COLUMNS }, DRX_ROW_MAJOR, got));
        for (int j = 0; j < COLUMNS; j++)
            assert_int_equal(got[j], fill);
    }
}

static void require_no_room(drx_status st, const char *file)
{
    assert_status(st, DRX_ENOSPC);
    assert_detail(on_disk(file));
    assert_detail("No space left on device");
}

static void close_and_check(drx_array *a, const char *path)
{
    assert_ok(drx_close(a));
    assert_ok(drx_check(path, NULL, NULL, NULL, NULL));
    assert_int_equal(other_names(), 0);
}

static void appends(int32_t fill)
{
    drx_array *a;
    drx_status st = DRX_OK;
    int64_t rows;

    clean();
    a = make(on_disk("a"), 0, fill);
    disks_fill_up(disk, 9 << 20);
    while (!st && drx_shape(a)[0] < 2000)
        st = append(a);
    require_no_room(st, "a.x");
    rows = drx_shape(a)[0];
    assert_in_range(rows, ROWS_A_TIME, 1000);
    require_rows(a, rows);
    for (int i = 0; i < 3; i++)
        require_no_room(append(a), "a.x");
    require_rows(a, rows);
    st = drx_sync(a); /* which adds to the log */
    assert_true(st == DRX_OK || st == DRX_ENOSPC);
    disks_make_room(disk);
    assert_ok(append(a));
    assert_ok(drx_sync(a));
    require_rows(a, rows + ROWS_A_TIME);
    close_and_check(a, on_disk("a"));
    assert_ok(drx_open(on_disk("a"), DRX_RDWR, &a));
    require_rows(a, rows + ROWS_A_TIME);
    assert_ok(drx_extend(a, 0, ROWS_A_TIME));
    require_fill(a, rows + ROWS_A_TIME, rows + 2 * ROWS_A_TIME, fill);
    close_and_check(a, on_disk("a"));
}

static void append_until_full(void **state)
{
    appends(0);
    appends(FILL);
}

/* It is full, and the process that appended is gone without closing. */
static void gone_when_full(void **state)
{
    drx_array *a;
    pid_t child;
    int status;

    clean();
    assert_ok(drx_close(make(on_disk("a"), 0, FILL)));
    disks_fill_up(disk, 5 << 20);
    child = fork_idle();
    if (child == 0) {
        if (drx_open(on_disk("a"), DRX_RDWR, &a))
            _exit(100);
        while (append(a) == DRX_OK)
            ;
        _exit((int)(drx_shape(a)[0] / ROWS_A_TIME));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_in_range(WEXITSTATUS(status), 1, 99);
    assert_ok(drx_open(on_disk("a"), DRX_RDWR, &a)); /* recovery needs no room */
    require_rows(a, ROWS_A_TIME * WEXITSTATUS(status));
    close_and_check(a, on_disk("a"));
}

static void extend_until_full(void **state)
{
    drx_array *a;
    drx_status st = DRX_OK;
    int64_t rows;

    clean();
    a = make(on_disk("a"), 0, FILL);
    assert_ok(append(a));
    disks_fill_up(disk, 9 << 20);
    while (!st && drx_shape(a)[0] < 2000)
        st = drx_extend(a, 0, ROWS_A_TIME);
    require_no_room(st, "a.x");
    rows = drx_shape(a)[0];
    require_fill(a, ROWS_A_TIME, rows, FILL);
    require_no_room(drx_extend(a, 1, COLUMNS), "a.x");
    disks_make_room(disk);
    assert_ok(drx_extend(a, 0, ROWS_A_TIME));
    require_fill(a, ROWS_A_TIME, rows + ROWS_A_TIME, FILL);
    close_and_check(a, on_disk("a"));
}

/* A sparse array that is larger than the disk: what cannot be stored is told by the write, and no page of a map that
 * cannot be had ends the process, neither in a write nor in a read of a hole. */
static void sparse_array(void **state)
{
    static int32_t got[SLAB];
    drx_array *a;
    drx_status st = DRX_OK;
    int64_t row = 0;

    clean();
    a = make(on_disk("a"), 1 << 14, 0); /* 256 MiB */
    disks_fill_up(disk, 9 << 20);
    for (; !st && row < 1 << 14; row += ROWS_A_TIME) {
        compose(row);
        st = drx_write(a, (int64_t[]){ row, 0 }, (int64_t[]){ ROWS_A_TIME, COLUMNS }, DRX_ROW_MAJOR, slab);
    }
    require_no_room(st, "a.xta");
    assert_in_range(row, 2 * ROWS_A_TIME, 1000);
    disks_fill_up(disk, 0);
    for (int64_t i = row; i < 1 << 14; i += ROWS_A_TIME) {
        memset(got, 1, sizeof got);
        assert_ok(drx_read(a, (int64_t[]){ i, 0 }, (int64_t[]){ ROWS_A_TIME, COLUMNS }, DRX_ROW_MAJOR, got));
        for (int k = 0; k < SLAB; k++)
            assert_int_equal(got[k], 0);
        assert_ok(drx_get(a, (int64_t[]){ i, 5 }, got));
        assert_int_equal(got[0], 0);
    }
    disks_make_room(disk);
    row -= ROWS_A_TIME;
    compose(row);
    assert_ok(drx_write(a, (int64_t[]){ row, 0 }, (int64_t[]){ ROWS_A_TIME, COLUMNS }, DRX_ROW_MAJOR, slab));
    for (int64_t i = 0; i <= row; i += ROWS_A_TIME) {
        assert_ok(drx_read(a, (int64_t[]){ i, 0 }, (int64_t[]){ ROWS_A_TIME, COLUMNS }, DRX_ROW_MAJOR, got));
        compose(i);
        assert_memory_equal(got, slab, sizeof got);
    }
    close_and_check(a, on_disk("a"));
}

/* What single puts left in the pool is kept until there is room; a close that cannot write it tells. */
static void single_puts(void **state)
{
    enum { PUTS = 300 }; /* each in a block of its own, which the pool has room for */
    int32_t value;
    drx_array *a;

    clean();
    a = make(on_disk("a"), 1 << 12, 0);
    disks_fill_up(disk, 0);
    for (int32_t i = 0; i < PUTS; i++)
        assert_ok(drx_put(a, (int64_t[]){ i * 8, 7 }, &(int32_t){ i + 1 }));
    require_no_room(drx_sync(a), "a.xta");
    require_no_room(drx_set_pool(a, 1 << 16), "a.xta");
    assert_ok(drx_get(a, (int64_t[]){ 8, 7 }, &value));
    assert_int_equal(value, 2);
    disks_make_room(disk);
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
    assert_ok(drx_open(on_disk("a"), DRX_RDWR, &a));
    for (int32_t i = 0; i < PUTS; i++) {
        assert_ok(drx_get(a, (int64_t[]){ i * 8, 7 }, &value));
        assert_int_equal(value, i + 1);
    }
    disks_fill_up(disk, 0);
    assert_ok(drx_put(a, (int64_t[]){ 4095, 4095 }, &value));
    require_no_room(drx_close(a), "a.xta");
    assert_ok(drx_check(on_disk("a"), NULL, NULL, NULL, NULL));
    disks_make_room(disk);
}

/* Calls that make files: nothing is left of them, and what is there stays. */
static void making(void **state)
{
    static const int turned[2] = { 1, 0 };
    const drx_copy_spec copy = { .permute = turned };
    const drx_spec spec = {
        .ndim = 2, .type = DRX_INT32, .shape = (int64_t[]){ ROWS_A_TIME, COLUMNS }, .fill = &(int32_t){ FILL }
    };
    drx_array *a, *b;

    clean();
    a = make(on_disk("a"), 0, FILL);
    for (int i = 0; i < 8; i++)
        assert_ok(append(a));
    assert_ok(drx_sync(a));
    disks_fill_up(disk, 1 << 19);
    require_no_room(drx_create(on_disk("b"), &spec, &b), "b.x");
    require_no_room(drx_copy(a, on_disk("b"), &copy, NULL), "b.x");
    require_no_room(drx_duplicate(on_disk("a"), on_disk("b"), 0, NULL, NULL), "b.x");
    assert_true(marked_none(on_disk("b")));
    marked_make(on_disk("b"), 5, 3);
    require_no_room(drx_copy(a, on_disk("b"), &(drx_copy_spec){ .permute = turned, .flags = DRX_REPLACE }, NULL),
                    "b.x");
    require_no_room(drx_duplicate(on_disk("a"), on_disk("b"), DRX_REPLACE, NULL, NULL), "b.x");
    assert_true(marked_is(on_disk("b"), 5, 3));
    assert_int_equal(other_names(), 0);
    require_rows(a, 8 * ROWS_A_TIME);
    disks_make_room(disk);
    assert_ok(drx_copy(a, on_disk("b"), &(drx_copy_spec){ .permute = turned, .flags = DRX_REPLACE }, NULL));
    assert_ok(drx_duplicate(on_disk("a"), on_disk("c"), 0, NULL, NULL));
    close_and_check(a, on_disk("a"));
}

/* Attributes, which only the log has: as many as fit, and no half of one. */
static void attributes(void **state)
{
    static char text[3000];
    const void *values;
    drx_status st = DRX_OK;
    drx_array *a;
    int n = 0;

    clean();
    memset(text, 'x', sizeof text - 1);
    a = make(on_disk("a"), ROWS_A_TIME, 0);
    disks_fill_up(disk, 1 << 16);
    while (!st && n < 1000) {
        char name[16];

        (void)snprintf(name, sizeof name, "n%d", n++);
        st = drx_attr_set_text(a, name, text);
    }
    require_no_room(st, "a.xmd");
    disks_fill_up(disk, 0);
    require_no_room(drx_attr_set(a, "large", DRX_UINT8, sizeof text, text), "a.xmd");
    assert_int_equal(drx_attr_count(a), n - 1);
    assert_ok(drx_close(a));
    assert_ok(drx_open(on_disk("a"), DRX_RDWR, &a));
    assert_string_equal(drx_last_error(), "");
    assert_int_equal(drx_attr_count(a), n - 1);
    assert_ok(drx_attr_get(a, "n0", NULL, NULL, &values));
    assert_string_equal(values, text);
    disks_make_room(disk);
    assert_ok(drx_attr_set_text(a, "more", text));
    assert_ok(drx_sync(a));
    close_and_check(a, on_disk("a"));
}

/* To get rid of something needs no room. */
static void removing(void **state)
{
    drx_array *a, *reader;

    clean();
    a = make(on_disk("a"), 0, FILL);
    assert_ok(append(a));
    assert_ok(drx_close(a));
    marked_make(on_disk("b"), 5, 3);
    disks_fill_up(disk, 0);
    assert_ok(drx_open(on_disk("a"), DRX_RDONLY, &reader));
    require_rows(reader, ROWS_A_TIME);
    assert_ok(drx_refresh(reader));
    assert_ok(drx_close(reader));
    assert_ok(drx_rename(on_disk("b"), on_disk("c"), 0));
    assert_ok(drx_remove(on_disk("c")));
    assert_ok(drx_check(on_disk("a"), NULL, NULL, NULL, NULL));
    assert_ok(drx_open(on_disk("a"), DRX_RDWR, &a)); /* and open for writing */
    assert_ok(drx_close(a));
    assert_ok(drx_remove(on_disk("a")));
    assert_true(marked_none(on_disk("a")));
    disks_make_room(disk);
}

static int use_memory(void **state)
{
    disk = "memory";
    return 0;
}

static bool has_ext4;

static int use_ext4(void **state)
{
    disk = "ext4";
    return 0;
}

static void ext4_is_mounted(void **state)
{
    has_ext4 = disks_mount_ext4("ext4");
    if (!has_ext4)
        skip(); /* no loop devices here, or no right to them */
}

#define ON(disk, test)                                   \
    {                                                    \
#test " on " #disk, test, use_##disk, NULL, NULL \
    }
#define ALL_ON(disk)                                                                                            \
    ON(disk, append_until_full), ON(disk, gone_when_full), ON(disk, extend_until_full), ON(disk, sparse_array), \
        ON(disk, single_puts), ON(disk, making), ON(disk, attributes), ON(disk, removing)

int main(void)
{
    const struct CMUnitTest in_memory[] = { ALL_ON(memory) }, mounting[] = { cmocka_unit_test(ext4_is_mounted) },
                            on_ext4[] = { ALL_ON(ext4) };
    int failed;

    if (!disks_enter() || !disks_mount_memory("memory"))
        return 77;
    failed = cmocka_run_group_tests(in_memory, NULL, NULL) + cmocka_run_group_tests(mounting, NULL, NULL);
    if (has_ext4)
        failed += cmocka_run_group_tests(on_ext4, NULL, NULL);
    return failed;
}
