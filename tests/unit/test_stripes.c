/* Arrays whose data are in several folders: where the bytes are, and how the array is renamed, copied, replaced,
 * removed, or misses a stripe. */
#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "array/array.h"
#include "base/hooks.h"
#include "drx_tools.h"
#include "processes.h"

enum { ROWS = 37, COLUMNS = 29, STRIPES = 3 };

static const char *const folders[STRIPES] = { "d0", "d1", "sub/d2" };

static drx_spec striped(const int64_t shape[], int64_t align)
{
    static const int64_t chunk[2] = { 4, 5 };
    static const int32_t fill = -3;

    return (drx_spec){ .ndim = 2,
                       .type = DRX_INT32,
                       .shape = shape,
                       .chunk = chunk,
                       .align = align,
                       .fill = &fill,
                       .nstripes = STRIPES,
                       .stripes = folders };
}

static int32_t value_at(int64_t i, int64_t j)
{
    return (int32_t)(1000 * i + j);
}

static int make_folders(void **state)
{
    return system("mkdir -p d0 d1 sub/d2 other/d0 other/d1 other/sub/d2");
}

static int remove_all(void **state)
{
    return system("rm -rf d0 d1 d2 other sub moved t t.* memory.* a a.* b b.* c c.* kept*");
}

static int files_in(const char *folder)
{
    DIR *names = opendir(folder);
    const struct dirent *entry;
    int n = 0;

    assert_non_null(names);
    while ((entry = readdir(names)) != NULL)
        n += strstr(entry->d_name, ".x") != NULL;
    assert_int_equal(closedir(names), 0);
    return n;
}

static int files_in_stripes(void)
{
    int n = 0;

    for (int k = 0; k < STRIPES; k++)
        n += files_in(folders[k]);
    return n;
}

/* Grown to ROWS x COLUMNS in several steps, all elements written. */
static void make_grown(const char *path, int64_t align)
{
    static int32_t all[ROWS][COLUMNS];
    const drx_spec spec = striped((const int64_t[]){ 5, 3 }, align);
    const int64_t lo[2] = { 0, 0 }, count[2] = { ROWS, COLUMNS };
    drx_array *a;

    assert_ok(drx_create(path, &spec, &a));
    for (int step = 0; drx_shape(a)[0] < ROWS || drx_shape(a)[1] < COLUMNS; step++) {
        const int axis = step % 2;
        const int64_t left = (axis ? COLUMNS : ROWS) - drx_shape(a)[axis];

        assert_ok(drx_extend(a, axis, left < 7 ? left : 7));
    }
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < COLUMNS; j++)
            all[i][j] = value_at(i, j);
    assert_ok(drx_write(a, lo, count, DRX_ROW_MAJOR, all));
    assert_ok(drx_sync(a));
    assert_ok(drx_close(a));
}

static void check_elements(drx_array *a)
{
    static int32_t all[COLUMNS][ROWS];
    const int64_t lo[2] = { 0, 0 }, count[2] = { ROWS, COLUMNS };

    memset(all, 0x55, sizeof all);
    assert_ok(drx_read(a, lo, count, DRX_COL_MAJOR, all));
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < COLUMNS; j++)
            assert_int_equal(all[j][i], value_at(i, j));
}

static void check_array(const char *path)
{
    drx_array *a;

    assert_ok(drx_open(path, DRX_RDONLY, &a));
    assert_string_equal(drx_last_error(), "");
    check_elements(a);
    assert_ok(drx_close(a));
    assert_ok(drx_check(path, NULL, NULL, NULL, NULL));
}

/* A set of files in memory against one, by random calls. */
static void set_is_one_file(void **state)
{
    uint64_t random = 20260007;
    static uint8_t buf[2][4000];

    print_message("seed %llu\n", (unsigned long long)random);
    for (int round = 0; round < 40; round++) {
        const int n = 2 + (int)random_below(&random, 4);
        const int64_t unit = 1 + random_below(&random, 300);
        drxi_io *file[DRX_MAX_STRIPES], *set, *one;

        for (int k = 0; k < n; k++)
            assert_ok(drxi_memory_open(&file[k]));
        assert_ok(drxi_memory_open(&one));
        assert_ok(drxi_stripes_join(file, n, unit, "set", &set));
        for (int call = 0; call < 60; call++) {
            const int64_t offset = random_below(&random, 4000), bytes = random_below(&random, 3000);
            int64_t size[2], begin[2], end[2], at;
            size_t got[2];

            if (random_below(&random, 4) == 0) {
                assert_ok(set->ops->resize(set, offset));
                assert_ok(one->ops->resize(one, offset));
            } else {
                int64_t whole;

                assert_ok(one->ops->size(one, &whole)); /* no gaps: that is what the ends of files are for */
                for (int64_t i = 0; i < bytes; i++)
                    buf[0][i] = (uint8_t)random_next(&random);
                assert_ok(set->ops->resize(set, whole > offset + bytes ? whole : offset + bytes));
                assert_ok(set->ops->write(set, buf[0], (size_t)bytes, offset));
                assert_ok(one->ops->resize(one, whole > offset + bytes ? whole : offset + bytes));
                assert_ok(one->ops->write(one, buf[0], (size_t)bytes, offset));
            }
            assert_ok(set->ops->size(set, &size[0]));
            assert_ok(one->ops->size(one, &size[1]));
            assert_int_equal(size[0], size[1]);
            assert_ok(set->ops->read(set, buf[0], (size_t)bytes, offset, &got[0]));
            assert_ok(one->ops->read(one, buf[1], (size_t)bytes, offset, &got[1]));
            assert_int_equal(got[0], got[1]);
            assert_memory_equal(buf[0], buf[1], got[0]);
            assert_ok(set->ops->extent(set, offset, &begin[0], &end[0]));
            assert_ok(one->ops->extent(one, offset, &begin[1], &end[1]));
            assert_int_equal(begin[0], begin[1]);
            assert_true(begin[0] == INT64_MAX || end[0] == end[1]);
            for (int k = 0; k < n; k++)
                assert_int_equal(drxi_stripes_whole(set, k, drxi_stripes_share(set, k, offset)) >= offset, 1);
            assert_ptr_equal(drxi_stripes_find(set, offset, &at), file[offset / unit % n]);
            assert_int_equal(drxi_stripes_whole(set, (int)(offset / unit % n), at), offset);
        }
        assert_ok(set->ops->close(set));
        assert_ok(one->ops->close(one));
    }
}

/* Two arrays of one name in different folders, with the same folders for their stripes. */
static void same_name_twice(void **state)
{
    const char *const up[] = { "../d0", "../d1", "../sub/d2" };
    drx_spec spec = striped((const int64_t[]){ 5, 3 }, 1);
    drx_array *a;

    make_grown("a", 1);
    spec.stripes = up;
    assert_ok(drx_create("other/a", &spec, &a));
    assert_ok(drx_close(a));
    assert_int_equal(files_in_stripes(), 2 * STRIPES);
    assert_ok(drx_remove("other/a"));
    assert_int_equal(files_in_stripes(), STRIPES);
    check_array("a");
}

static void renaming(void **state)
{
    drx_array *a;

    make_grown("a", 1);
    assert_ok(drx_rename("a", "b", 0));
    assert_status(drx_open("a", DRX_RDONLY, &a), DRX_ENOENT);
    check_array("b");
    assert_ok(drx_rename("b", "other/b", 0)); /* the folders were relative */
    check_array("other/b");
    assert_int_equal(files_in("other/d0"), 0);
    make_grown("a", 1);
    assert_status(drx_rename("a", "other/b", 0), DRX_EEXIST);
    assert_ok(drx_rename("a", "other/b", DRX_REPLACE));
    check_array("other/b");
    assert_int_equal(files_in_stripes(), STRIPES); /* those that were replaced are gone */
    assert_ok(drx_open("other/b", DRX_RDWR, &a));
    assert_status(drx_rename("other/b", "c", 0), DRX_EBUSY);
    assert_ok(drx_close(a));
}

static void copying(void **state)
{
    drx_array *a;

    make_grown("a", 1);
    assert_ok(drx_open("a", DRX_RDWR, &a));
    assert_ok(drx_attr_set_text(a, "title", "stripes"));
    assert_ok(drx_close(a));
    assert_ok(drx_duplicate("a", "b", 0, NULL, NULL));
    assert_ok(drx_duplicate("a", "other/a", 0, NULL, NULL));
    assert_int_equal(files_in_stripes(), 3 * STRIPES);
    assert_ok(drx_remove("a"));
    check_array("b");
    check_array("other/a");
    assert_ok(drx_open("other/a", DRX_RDWR, &a));
    assert_int_equal(drx_attr_count(a), 1);
    assert_ok(drx_extend(a, 0, 20));
    assert_ok(drx_close(a));
    assert_ok(drx_duplicate("b", "other/a", DRX_REPLACE | DRX_MOVE, NULL, NULL));
    check_array("other/a");
    assert_status(drx_open("b", DRX_RDONLY, &a), DRX_ENOENT);
    assert_int_equal(files_in_stripes(), STRIPES);
    make_grown("a", 1);
    assert_ok(drx_open("a", DRX_RDWR, &a));
    assert_ok(drx_add_axis(a, 0, "run")); /* the description has the axes that it was made with */
    assert_ok(drx_close(a));
    assert_ok(drx_duplicate("a", "other/a", DRX_REPLACE, NULL, NULL));
    assert_ok(drx_remove("a"));
    assert_ok(drx_open("other/a", DRX_RDONLY, &a));
    assert_int_equal(drx_ndim(a), 3);
    assert_ok(drx_close(a));
    assert_ok(drx_check("other/a", NULL, NULL, NULL, NULL));
    assert_ok(drx_remove("other/a"));
    assert_int_equal(files_in_stripes() + files_in("other"), 0);
}

/* One with stripes and one without, in either's place. */
static void replacing(void **state)
{
    drx_spec spec = striped((const int64_t[]){ 5, 3 }, 1);
    drx_array *a;

    for (int round = 0; round < 4; round++) {
        const bool stripes = round % 2 == 0;

        spec.flags = DRX_REPLACE;
        spec.nstripes = stripes ? STRIPES : 0;
        spec.stripes = stripes ? folders : NULL;
        assert_ok(drx_create("a", &spec, &a));
        assert_ok(drx_put(a, (const int64_t[]){ 1, 2 }, &(int32_t){ round }));
        assert_ok(drx_close(a));
        assert_int_equal(files_in_stripes(), stripes ? STRIPES : 0);
        assert_int_equal(access("a.xta", F_OK), stripes ? -1 : 0);
        assert_ok(drx_check("a", NULL, NULL, NULL, NULL));
    }
    spec.flags = 0;
    assert_status(drx_create("a", &spec, &a), DRX_EEXIST);
}

/* A killed process leaves no stripes. */
static void temporary_of_the_killed(void **state)
{
    skip_if_emulated();
    for (int nstripes = 0; nstripes <= STRIPES; nstripes += STRIPES) {
        drx_spec spec = striped((const int64_t[]){ 5, 3 }, 1);
        int status;
        const pid_t pid = fork_idle();

        assert_true(pid >= 0);
        if (pid == 0) {
            drx_array *a;

            spec.flags = DRX_TEMPORARY;
            spec.nstripes = nstripes;
            spec.stripes = nstripes ? folders : NULL;
            if (drx_create("t", &spec, &a) || drx_extend(a, 0, 30) ||
                drx_put(a, (const int64_t[]){ 30, 2 }, &(int32_t){ 8 }) || drx_sync(a))
                _exit(1);
            (void)kill(getpid(), SIGKILL);
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(files_in_stripes() + files_in("."), 0);
    }
}

static void missing(void **state)
{
    char name[256], detail[64];
    drx_array *a;

    make_grown("a", 1);
    for (int k = 0; k < STRIPES; k++) {
        assert_ok(drx_open("a", DRX_RDONLY, &a));
        (void)snprintf(name, sizeof name, "%s", drx_file(a, 1 + k));
        assert_ok(drx_close(a));
        assert_int_equal(rename(name, "kept"), 0);
        assert_status(drx_open("a", DRX_RDONLY, &a), DRX_ENOENT);
        (void)snprintf(detail, sizeof detail, "missing: it is stripe %d of the %d of a", k, STRIPES);
        assert_detail(detail);
        assert_detail(name);
        assert_status(drx_open("a", DRX_RDWR, &a), DRX_ENOENT);
        assert_status(drx_check("a", NULL, NULL, NULL, NULL), DRX_ENOENT);
        assert_int_equal(rename("kept", name), 0);
    }
    check_array("a");
}

/* A file that is shorter than was promised: what the others hold can be read. */
static void shorter(void **state)
{
    char name[256];
    int32_t value;
    drx_array *a;

    make_grown("a", 1);
    assert_ok(drx_open("a", DRX_RDONLY, &a));
    (void)snprintf(name, sizeof name, "%s", drx_file(a, 2));
    assert_ok(drx_close(a));
    assert_int_equal(truncate(name, 85), 0);
    assert_status(drx_open("a", DRX_RDWR, &a), DRX_EDAMAGED);
    assert_detail(name);
    assert_ok(drx_open("a", DRX_RDONLY, &a));
    assert_detail("85 bytes long");
    for (int64_t i = 0; i < ROWS; i++)
        for (int64_t j = 0; j < COLUMNS; j++) {
            int64_t q;

            assert_ok(drx_chunk_address(a, (const int64_t[]){ i / 4, j / 5 }, &q));
            if (q % STRIPES == 1 && q / STRIPES * 80 + (i % 4 * 5 + j % 5) * 4 + 4 > 85) {
                assert_status(drx_get(a, (const int64_t[]){ i, j }, &value), DRX_EDAMAGED);
                assert_detail(name);
            } else {
                assert_ok(drx_get(a, (const int64_t[]){ i, j }, &value));
                assert_int_equal(value, value_at(i, j));
            }
        }
    assert_ok(drx_close(a));
    assert_status(drx_check("a", NULL, NULL, NULL, NULL), DRX_EDAMAGED);
    assert_ok(drx_duplicate("a", "b", 0, NULL, NULL)); /* with its damage */
    assert_status(drx_open("b", DRX_RDWR, &a), DRX_EDAMAGED);
    assert_ok(drx_remove("b"));
    assert_ok(drx_remove("a"));
    assert_int_equal(files_in_stripes(), 0);
}

/* A power cut may take the ends of some files, of what was not synced: that reads as fill, the rest as it is. */
static void torn_ends(void **state)
{
    uint64_t random = 7;
    static int32_t before[30 * COLUMNS], after[30 * COLUMNS];
    const int64_t lo[2] = { 5, 0 }, count[2] = { 30, COLUMNS };

    for (int round = 0; round < 30; round++) {
        drx_spec spec = striped((const int64_t[]){ 5, COLUMNS }, 1);
        const int32_t zero = 0;
        drx_array *a;
        int32_t fill = round % 2 ? -3 : 0;

        if (!fill)
            spec.fill = &zero;
        assert_ok(drx_create("a", &spec, &a));
        assert_ok(drx_sync(a));
        assert_ok(drx_extend(a, 0, 30));
        for (int64_t i = 0; i < 30 * COLUMNS; i++)
            before[i] = (int32_t)i + 1;
        assert_ok(drx_write(a, lo, count, DRX_ROW_MAJOR, before));
        assert_ok(drx_close(a));
        assert_ok(drx_open("a", DRX_RDONLY, &a));
        for (int k = 0; k < STRIPES; k++)
            assert_int_equal(truncate(drx_file(a, 1 + k), 320 + random_below(&random, 900)), 0);
        assert_ok(drx_close(a));
        assert_ok(drx_open("a", DRX_RDONLY, &a));
        if (fill) { /* which is durable before the record of a growth */
            assert_status(drx_read(a, lo, count, DRX_ROW_MAJOR, before), DRX_EDAMAGED);
            assert_ok(drx_close(a));
            assert_ok(drx_remove("a"));
            continue;
        }
        assert_ok(drx_read(a, lo, count, DRX_ROW_MAJOR, before));
        assert_ok(drx_close(a));
        for (int64_t i = 0; i < 30 * COLUMNS; i++)
            assert_true(before[i] == (int32_t)i + 1 || before[i] == fill);
        assert_ok(drx_open("a", DRX_RDWR, &a));
        assert_ok(drx_read(a, lo, count, DRX_ROW_MAJOR, after));
        assert_memory_equal(before, after, sizeof before);
        assert_ok(drx_extend(a, 0, 20));
        assert_ok(drx_extend(a, 1, 20));
        assert_ok(drx_close(a));
        assert_ok(drx_check("a", NULL, NULL, NULL, NULL));
        assert_ok(drx_remove("a"));
    }
}

static void bad_specs(void **state)
{
    const char *const absent[] = { "d0", "absent", "d1" }, *const empty[] = { "d0", "", "d1" };
    drx_spec spec = striped((const int64_t[]){ 5, 3 }, 1);
    drx_array *a;

    spec.stripes = absent;
    assert_status(drx_create("a", &spec, &a), DRX_ENOENT);
    assert_detail("absent");
    assert_int_equal(files_in_stripes() + files_in("."), 0);
    spec.stripes = empty;
    assert_status(drx_create("a", &spec, &a), DRX_EINVAL);
    spec.stripes = NULL;
    assert_status(drx_create("a", &spec, &a), DRX_EINVAL);
    spec = striped((const int64_t[]){ 5, 3 }, 1);
    spec.nstripes = 0;
    assert_status(drx_create("a", &spec, &a), DRX_EINVAL);
    spec.nstripes = DRX_MAX_STRIPES + 1;
    assert_status(drx_create("a", &spec, &a), DRX_EINVAL);
    spec.nstripes = STRIPES;
    assert_status(drx_create(NULL, &spec, &a), DRX_EINVAL);
    spec.nstripes = 1;
    assert_ok(drx_create("a", &spec, &a));
    assert_ok(drx_extend(a, 1, 9));
    assert_ok(drx_close(a));
    assert_ok(drx_check("a", NULL, NULL, NULL, NULL));
    assert_int_equal(files_in("d0"), 1);
}

/* To a copy in one file, and from there to other folders. */
static void layout_copies(void **state)
{
    const drx_copy_spec turned = { .permute = (const int[]){ 1, 0 }, .chunk = (const int64_t[]){ 7, 3 } };
    drx_copy_spec back = { .permute = (const int[]){ 1, 0 }, .nstripes = 2, .stripes = folders };
    drx_array *a, *b;

    make_grown("a", 1);
    assert_ok(drx_open("a", DRX_RDONLY, &a));
    assert_ok(drx_copy(a, "b", &turned, &b));
    assert_ok(drx_close(a));
    assert_ok(drx_remove("a"));
    assert_int_equal(files_in_stripes(), 0);
    assert_ok(drx_copy(b, "c", &back, NULL));
    assert_int_equal(files_in_stripes(), 2);
    assert_ok(drx_close(b));
    check_array("c");
    assert_ok(drx_open("c", DRX_RDONLY, &a));
    assert_ok(drx_copy(a, NULL, NULL, &b));
    check_elements(b);
    assert_ok(drx_close(b));
    assert_ok(drx_close(a));
}

#define IN_FOLDERS(test) cmocka_unit_test_setup_teardown(test, make_folders, remove_all)

enum { SIDE = 32, CHUNKS = 7 }; /* a chunk is a page */

static void assert_numbered(drx_array *a, int64_t rows)
{
    int32_t *all = malloc(sizeof *all * (size_t)rows * SIDE);

    assert_non_null(all);
    assert_ok(drx_read(a, (int64_t[]){ 0, 0 }, (int64_t[]){ rows, SIDE }, DRX_ROW_MAJOR, all));
    for (int64_t i = 0; i < rows * SIDE; i++)
        assert_int_equal(all[i], i);
    free(all);
}

static void number_rows(drx_array *a, int64_t from, int64_t rows)
{
    int32_t row[SIDE];

    for (int64_t i = from; i < from + rows; i++) {
        for (int j = 0; j < SIDE; j++)
            row[j] = (int32_t)(i * SIDE + j);
        assert_ok(drx_write(a, (int64_t[]){ i, 0 }, (int64_t[]){ 1, SIDE }, DRX_ROW_MAJOR, row));
    }
}

/* Stripes whose units are pages are read as memory, also after growth. What one of them lacks, in the middle of a page,
 * is not taken for zeros. */
static void as_memory(void **state)
{
    const int32_t fill = -3;
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_INT32,
                            .shape = (int64_t[]){ SIDE * CHUNKS, SIDE },
                            .chunk = (int64_t[]){ SIDE, SIDE },
                            .fill = &fill,
                            .nstripes = STRIPES,
                            .stripes = folders };
    drx_array *a;
    int64_t before;
    int32_t value = 0;

    drxi_hooks.way = DRXI_MAPPED;
    assert_ok(drx_create("memory", &spec, &a));
    number_rows(a, 0, SIDE * CHUNKS);
    assert_numbered(a, SIDE * CHUNKS);
    assert_int_equal(counters_of(a).mapped_bytes, IN_ORDER_OF_FILES ? 4 * SIDE * SIDE * CHUNKS : 0);
    for (int i = 0; i < 5; i++) {
        assert_ok(drx_extend(a, 0, SIDE * CHUNKS));
        number_rows(a, SIDE * CHUNKS * (i + 1), SIDE * CHUNKS);
        before = counters_of(a).mapped_bytes;
        assert_numbered(a, SIDE * CHUNKS * (i + 2));
        assert_int_equal(counters_of(a).mapped_bytes - before,
                         IN_ORDER_OF_FILES ? 4 * SIDE * SIDE * CHUNKS * (i + 2) : 0);
    }
    assert_ok(drx_close(a));
    assert_int_equal(system("truncate -s -4 d1/*.x*"), 0); /* the last element of chunk 40 */
    assert_ok(drx_open("memory", DRX_RDONLY, &a));
    assert_ok(drx_get(a, (int64_t[]){ 41 * SIDE - 1, SIDE - 1 }, &value));
    assert_int_equal(value, fill);
    assert_ok(drx_read(a, (int64_t[]){ 41 * SIDE - 1, SIDE - 1 }, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR, &value));
    assert_int_equal(value, fill);
    assert_ok(drx_close(a));
    drxi_hooks.way = DRXI_ANY_WAY;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_is_one_file),
        IN_FOLDERS(same_name_twice),
        IN_FOLDERS(renaming),
        IN_FOLDERS(copying),
        IN_FOLDERS(replacing),
        IN_FOLDERS(temporary_of_the_killed),
        IN_FOLDERS(missing),
        IN_FOLDERS(shorter),
        IN_FOLDERS(torn_ends),
        IN_FOLDERS(bad_specs),
        IN_FOLDERS(layout_copies),
        IN_FOLDERS(as_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
