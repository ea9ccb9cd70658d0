/* Making, opening, growing and closing on several ranks; and failing alike. */
#include "array/array.h"
#include "base/hooks.h"
#include "drx_tools.h"
#include "mp_testing.h"

static drx_spec small_spec(void)
{
    static const int64_t shape[2] = { 4, 6 }, chunk[2] = { 2, 3 };
    static const double fill = -1;

    return (drx_spec){
        .ndim = 2, .type = DRX_FLOAT64, .shape = shape, .chunk = chunk, .fill = &fill, .flags = DRX_REPLACE
    };
}

/* Ghost cells, attributes, names: the files are those of one process. */
static void files_are_those_of_one(void **state)
{
    const drx_spec spec = small_spec();
    const int64_t values[3] = { 1, 2, 3 };
    drxmp_array *m;
    drx_array *a;

    assert_ok(drxmp_create(mp_comm, "many", &spec, &m));
    assert_ok(drxmp_extend(m, 0, 1));
    assert_ok(drxmp_extend(m, 1, 4));
    assert_ok(drxmp_attr_set_text(m, "units", "K"));
    assert_ok(drxmp_attr_set(m, "levels", DRX_INT64, 3, values));
    assert_ok(drxmp_extend(m, 0, 9));
    assert_ok(drxmp_dim_rename(m, 1, "x"));
    assert_ok(drxmp_sync(m));
    assert_ok(drxmp_attr_delete(m, "levels"));
    assert_ok(drxmp_extend(m, 1, 0));
    assert_int_equal(drx_shape(drxmp_serial(m))[0], 14);
    assert_int_equal(drx_shape(drxmp_serial(m))[1], 10);
    assert_int_equal(drx_attr_count(drxmp_serial(m)), 1);
    assert_string_equal(drx_dim_name(drxmp_serial(m), 1), "x");
    assert_int_equal(drx_growth_count(drxmp_serial(m)), 3);
    assert_ok(drxmp_close(m));
    if (mp_rank == 0) {
        assert_ok(drx_create("one", &spec, &a));
        assert_ok(drx_extend(a, 0, 1));
        assert_ok(drx_extend(a, 1, 4));
        assert_ok(drx_attr_set_text(a, "units", "K"));
        assert_ok(drx_attr_set(a, "levels", DRX_INT64, 3, values));
        assert_ok(drx_extend(a, 0, 9));
        assert_ok(drx_dim_rename(a, 1, "x"));
        assert_ok(drx_sync(a));
        assert_ok(drx_attr_delete(a, "levels"));
        assert_ok(drx_close(a));
    }
    mp_assert_same_files("many", "one");
}

/* A history, by one process (m NULL) or by all. */
static drx_status grow_long(drxmp_array *m, drx_array *a)
{
    drx_status st = DRX_OK;

    for (int i = 0; !st && i < 30; i++) {
        const int64_t value = i;

        if (i == 10)
            st = m ? drxmp_sync(m) : drx_sync(a); /* which compacts */
        if (!st)
            st = m ? drxmp_extend(m, i / 5 % 2, 1) : drx_extend(a, i / 5 % 2, 1);
        if (!st)
            st = m ? drxmp_attr_set(m, "step", DRX_INT64, 1, &value) : drx_attr_set(a, "step", DRX_INT64, 1, &value);
    }
    if (!st)
        st = m ? drxmp_compact(m) : drx_compact(a);
    if (!st)
        st = m ? drxmp_extend(m, 1, 1) : drx_extend(a, 1, 1);
    return st;
}

/* All ranks have the log that took the place of the old one, and it is that of one process. */
static void compacting(void **state)
{
    const struct drxi_compaction usual = drxi_hooks.compaction;
    const drx_spec spec = small_spec();
    const void *step;
    int64_t address;
    drxmp_array *m;
    drx_array *a;

    drxi_hooks.compaction.from_bytes = 512;
    drxi_hooks.compaction.times = 1;
    assert_ok(drxmp_create(mp_comm, "short", &spec, &m));
    assert_ok(grow_long(m, NULL));
    a = drxmp_serial(m);
    assert_int_equal(drx_shape(a)[0], 19);
    assert_int_equal(drx_shape(a)[1], 22);
    assert_int_equal(drx_growth_count(a), 7); /* six runs, and one more */
    assert_ok(drx_attr_get(a, "step", NULL, NULL, &step));
    assert_int_equal(*(const int64_t *)step, 29);
    assert_ok(drx_chunk_address(a, (int64_t[]){ 9, 7 }, &address));
    assert_ok(drxmp_sync(m));
    assert_ok(drxmp_close(m));
    if (mp_rank == 0) {
        assert_ok(drx_create("long", &spec, &a));
        assert_ok(grow_long(NULL, a));
        assert_ok(drx_sync(a));
        assert_ok(drx_close(a));
    }
    mp_assert_same_files("short", "long");
    assert_ok(drxmp_open(mp_comm, "short", DRX_RDONLY, &m));
    assert_status(drxmp_compact(m), DRX_EACCES);
    assert_ok(drxmp_close(m));
    assert_status(drxmp_compact(NULL), DRX_EINVAL);
    drxi_hooks.compaction = usual;
}

/* What the one rank's program asks for differs, or fails: all hear of it, and who it was. */
static void failing_alike(void **state)
{
    const drx_spec spec = small_spec();
    drx_spec other = spec;
    const int last = mp_ranks - 1;
    drxmp_array *m, *second;
    double value;
    char who[32];

    (void)snprintf(who, sizeof who, "rank %d", last);
    assert_ok(drxmp_create(mp_comm, "alike", &spec, &m));
    assert_status(drxmp_extend(m, 2, 1), DRX_EINVAL);
    assert_detail("axis 2");
    assert_status(drxmp_open(mp_comm, "alike", DRX_RDWR, &second), DRX_EBUSY);
    assert_detail("rank 0: alike.xmd");
    assert_null(second);
    assert_status(drxmp_open(mp_comm, "nowhere", DRX_RDONLY, &second), DRX_ENOENT);
    assert_status(drxmp_create(mp_comm, NULL, &spec, &second), DRX_EUNSUPPORTED);
    assert_status(drxmp_attr_delete(m, "none"), DRX_ENOENT);
    if (mp_ranks > 1) {
        assert_status(drxmp_extend(m, 0, mp_rank == last ? 5 : 1), DRX_EMISMATCH);
        assert_detail("drxmp_extend: by is 5 on rank");
        assert_detail(who);
        assert_status(mp_rank == last ? drxmp_sync(m) : drxmp_extend(m, 0, 1), DRX_EMISMATCH);
        assert_detail("calls drxmp_sync, and rank 0 drxmp_extend");
        assert_status(drxmp_attr_set_text(m, "units", mp_rank == last ? "m" : "K"), DRX_EMISMATCH);
        assert_detail("the text of rank");
        assert_status(drxmp_open(mp_comm, "alike", mp_rank == last ? DRX_RDWR : DRX_RDONLY, &second), DRX_EMISMATCH);
        other.type = mp_rank == last ? DRX_INT32 : DRX_FLOAT64;
        assert_status(drxmp_create(mp_comm, "alike", &other, &second), DRX_EMISMATCH);
        assert_status(
            drxmp_read_all(m, (int64_t[]){ mp_rank == last ? 4 : 0, 0 }, (int64_t[]){ 1, 1 }, DRX_ROW_MAJOR, &value),
            DRX_ERANGE);
        assert_detail(who);
    }
    assert_int_equal(drx_shape(drxmp_serial(m))[0], 4);
    assert_ok(drxmp_close(m));
    assert_ok(drxmp_open(mp_comm, "alike", DRX_RDONLY, &m));
    assert_status(drxmp_extend(m, 0, 1), DRX_EACCES);
    assert_ok(drxmp_close(m));
    assert_ok(drxmp_close(NULL));
    assert_status(drxmp_sync(NULL), DRX_EINVAL);
    assert_status(drxmp_open(MPI_COMM_NULL, "alike", DRX_RDONLY, &m), DRX_EINVAL);
}

/* Somebody has written to the log, as a file system does not hinder that has no locks. */
static void log_of_others(void **state)
{
    static const char others[32];
    const drx_spec spec = small_spec();
    const double row[64] = { 0 };

    for (int change = 0; change < 3; change++) {
        const int64_t lo[] = { 4, 0 }, count[] = { mp_rank == 0 ? 1 : 0, 6 };
        struct stat before, after;
        drxmp_array *m;
        drx_status st;

        assert_ok(drxmp_create(mp_comm, "others", &spec, &m));
        assert_ok(drxmp_sync(m));
        if (mp_rank == 0) {
            const int fd = open("others.xmd", O_WRONLY | O_APPEND);

            assert_int_equal(write(fd, others, sizeof others), sizeof others);
            assert_int_equal(close(fd), 0);
            assert_int_equal(stat("others.xmd", &before), 0);
        }
        assert_int_equal(MPI_Barrier(mp_comm), MPI_SUCCESS);
        st = change == 0   ? drxmp_extend(m, 0, 1)
             : change == 1 ? drxmp_append_all(m, 0, 1, lo, count, DRX_ROW_MAJOR, row)
                           : drxmp_attr_set_text(m, "x", "y");
        assert_status(st, DRX_EBUSY);
        assert_detail("another process writes to it, in spite of the lock");
        assert_status(drxmp_extend(m, 0, 1), DRX_EBUSY);
        assert_int_equal(drx_shape(drxmp_serial(m))[0], 4);
        assert_ok(drxmp_close(m));
        if (mp_rank == 0) {
            assert_int_equal(stat("others.xmd", &after), 0);
            assert_int_equal(after.st_size, before.st_size);
        }
        assert_int_equal(MPI_Barrier(mp_comm), MPI_SUCCESS);
    }
}

/* The handle of a rank is for looking, reading and writing. */
static void the_view_of_a_rank(void **state)
{
    const drx_spec spec = small_spec();
    drxmp_array *m;
    drx_array *a;
    double value = 7;

    assert_ok(drxmp_create(mp_comm, "view", &spec, &m));
    a = drxmp_serial(m);
    assert_status(drx_extend(a, 0, 1), DRX_EACCES);
    assert_detail("drxmp_");
    assert_status(drx_append(a, 0, 1, DRX_ROW_MAJOR, &value), DRX_EACCES);
    assert_status(drx_sync(a), DRX_EACCES);
    assert_status(drx_refresh(a), DRX_EACCES);
    assert_status(drx_close(a), DRX_EACCES);
    assert_status(drx_attr_set_text(a, "units", "K"), DRX_EACCES);
    assert_status(drx_attr_delete(a, "units"), DRX_EACCES);
    assert_status(drx_dim_rename(a, 0, "y"), DRX_EACCES);
    assert_status(drx_persist(a, 0), DRX_EACCES);
    if (mp_rank == mp_ranks - 1)
        assert_ok(drx_put(a, (int64_t[]){ 3, 5 }, &value)); /* in the pool: what is synced is in the file */
    assert_ok(drxmp_sync(m));
    value = 0;
    assert_ok(drx_get(a, (int64_t[]){ 3, 5 }, &value));
    assert_true(value == 7);
    assert_ok(drxmp_close(m));
}

/* Readers follow a writer that is another process's job; here another handle. */
static void refreshing(void **state)
{
    const drx_spec spec = small_spec();
    drxmp_array *writer, *reader;

    assert_ok(drxmp_create(mp_comm, "grows", &spec, &writer));
    assert_ok(drxmp_open(mp_comm, "grows", DRX_RDONLY, &reader));
    for (int i = 0; i < 20; i++) {
        assert_ok(drxmp_extend(writer, i % 2, 1 + i % 3));
        if (i % 4 == 1)
            assert_ok(drxmp_attr_set_text(writer, "step", i % 8 ? "odd" : "even"));
        if (i % 3 == 0) {
            assert_ok(drxmp_refresh(reader));
            assert_memory_equal(drx_shape(drxmp_serial(reader)), drx_shape(drxmp_serial(writer)), 2 * sizeof(int64_t));
        }
    }
    assert_ok(drxmp_refresh(writer));
    assert_ok(drxmp_refresh(reader));
    assert_int_equal(drx_growth_count(drxmp_serial(reader)), 20);
    assert_ok(drxmp_close(reader));
    assert_ok(drxmp_close(writer));
}

/* Each rank its part of a slab, in the same step; some have none. */
static void appending_together(void **state)
{
    const drx_spec spec = small_spec();
    drxmp_array *m;
    drx_array *a = NULL;
    double slab[40], whole[40];

    assert_ok(drxmp_create(mp_comm, "slabs", &spec, &m));
    if (mp_rank == 0)
        assert_ok(drx_create("slab", &spec, &a));
    for (int g = 0; g < 7; g++) {
        const int axis = g % 2;
        const int64_t by = 1 + g % 3, bound = drx_shape(drxmp_serial(m))[axis];
        const int64_t across = drx_shape(drxmp_serial(m))[1 - axis];
        int64_t lo[2] = { 0, 0 }, count[2];

        lo[axis] = bound;
        count[axis] = by;
        lo[1 - axis] = across * mp_rank / mp_ranks; /* of the other axis, a part each */
        count[1 - axis] = across * (mp_rank + 1) / mp_ranks - lo[1 - axis];
        for (int64_t i = 0; i < count[0]; i++)
            for (int64_t j = 0; j < count[1]; j++)
                slab[i * count[1] + j] = (double)(1000 * (lo[0] + i) + lo[1] + j);
        if (mp_ranks > 1) {
            const int64_t before[2] = { 0, 0 };

            assert_status(drxmp_append_all(m, axis, by, before, count, DRX_ROW_MAJOR, slab), DRX_ERANGE);
        }
        assert_ok(drxmp_append_all(m, axis, by, lo, count, DRX_ROW_MAJOR, slab));
        if (mp_rank == 0) {
            lo[1 - axis] = 0;
            count[1 - axis] = across;
            for (int64_t i = 0; i < count[0]; i++)
                for (int64_t j = 0; j < count[1]; j++)
                    whole[i * count[1] + j] = (double)(1000 * (lo[0] + i) + lo[1] + j);
            assert_ok(drx_append(a, axis, by, DRX_ROW_MAJOR, whole));
        }
    }
    assert_ok(drxmp_close(m));
    if (mp_rank == 0)
        assert_ok(drx_close(a));
    mp_assert_same_files("slabs", "slab");
}

static int64_t all_writes(const drxmp_array *m, int64_t *mine)
{
    drx_counters counters;
    int64_t all;

    drx_count(drxmp_serial((drxmp_array *)(uintptr_t)m), &counters);
    *mine = counters.writes;
    (void)MPI_Allreduce(mine, &all, 1, MPI_INT64_T, MPI_SUM, mp_comm);
    return all;
}

/* Columns dealt out among the ranks: each chunk is one write of one rank; and with one rank for all I/O, of that one.
 */
static void chunks_are_put_together(void **state)
{
    enum { ROWS = 32, COLUMNS = 64 };
    static const int64_t shape[2] = { ROWS, COLUMNS }, chunk[2] = { 8, 16 };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE };
    const int64_t n = (COLUMNS - mp_rank + mp_ranks - 1) / mp_ranks, lo[2] = { 0, mp_rank }, count[2] = { ROWS, n };
    const int64_t step[2] = { 1, mp_ranks }, stride[2] = { n, 1 };
    int32_t buf[ROWS * COLUMNS];
    int64_t before, before_mine, mine;
    drxmp_array *m;
    MPI_Info info;

    for (int64_t i = 0; i < ROWS * n; i++)
        buf[i] = (int32_t)(i / n * COLUMNS + mp_rank + i % n * mp_ranks);
    assert_ok(drxmp_create(mp_comm, "shared", &spec, &m));
    assert_ok(drxmp_write_box_all(m, &(drx_box){ .lo = lo, .count = count, .step = step, .stride = stride }, buf));
    before = all_writes(m, &before_mine);
    assert_int_equal(before, mp_ranks > 1 ? 16 : before); /* a rank alone puts adjacent chunks together */
    assert_int_equal(MPI_Info_create(&info), MPI_SUCCESS);
    assert_int_equal(MPI_Info_set(info, "drx_io_ranks", "1"), MPI_SUCCESS);
    assert_ok(drxmp_set_info(m, info));
    assert_ok(drxmp_write_box_all(m, &(drx_box){ .lo = lo, .count = count, .step = step, .stride = stride }, buf));
    if (mp_ranks > 1) {
        assert_int_equal(all_writes(m, &mine), before + 16);
        assert_int_equal(mine, mp_rank == 0 ? before_mine + 16 : before_mine);
    }
    memset(buf, -1, sizeof buf);
    assert_ok(drxmp_read_box_all(m, &(drx_box){ .lo = lo, .count = count, .step = step, .stride = stride }, buf));
    for (int64_t i = 0; i < ROWS * n; i++)
        assert_int_equal(buf[i], i / n * COLUMNS + mp_rank + i % n * mp_ranks);
    assert_int_equal(MPI_Info_free(&info), MPI_SUCCESS);
    assert_ok(drxmp_close(m));
}

static void settings(void **state)
{
    const drx_spec spec = small_spec();
    drxmp_array *m;
    MPI_Info info;

    assert_ok(drxmp_create(mp_comm, "settings", &spec, &m));
    assert_ok(drxmp_set_info(m, MPI_INFO_NULL));
    assert_int_equal(MPI_Info_create(&info), MPI_SUCCESS);
    assert_int_equal(MPI_Info_set(info, "drx_io_ranks", "1"), MPI_SUCCESS);
    assert_int_equal(MPI_Info_set(info, "striping_unit", "65536"), MPI_SUCCESS);
    assert_ok(drxmp_set_info(m, info));
    assert_int_equal(MPI_Info_set(info, "drx_io_ranks", "0"), MPI_SUCCESS);
    assert_status(drxmp_set_info(m, info), DRX_EINVAL);
    assert_detail("drx_io_ranks is \"0\", expected 1 to");
    assert_int_equal(MPI_Info_set(info, "drx_io_ranks", "1"), MPI_SUCCESS);
    assert_int_equal(MPI_Info_set(info, "drx_backend", "carrier pigeons"), MPI_SUCCESS);
    assert_status(drxmp_set_info(m, info), DRX_EINVAL);
    assert_detail("expected posix or mpiio");
    assert_int_equal(MPI_Info_free(&info), MPI_SUCCESS);
    assert_ok(drxmp_close(m));
}

MP_SUITE(test_mp_array, cmocka_unit_test(files_are_those_of_one), cmocka_unit_test(compacting),
         cmocka_unit_test(failing_alike), cmocka_unit_test(log_of_others), cmocka_unit_test(the_view_of_a_rank),
         cmocka_unit_test(refreshing), cmocka_unit_test(chunks_are_put_together), cmocka_unit_test(appending_together),
         cmocka_unit_test(settings))
