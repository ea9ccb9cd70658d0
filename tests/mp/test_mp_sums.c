/* Checksums of arrays that several ranks write to: parts of the same chunks, each alone and all together. */
#include "base/hooks.h"
#include "data/sums.h"
#include "drx_tools.h"
#include "mp_testing.h"

enum { ROWS = 48, COLUMNS = 40, ROUNDS = 12 };

static const int64_t whole[2] = { ROWS, COLUMNS }, zero[2] = { 0, 0 };
static int64_t values[ROWS * COLUMNS], got[4 * ROWS * COLUMNS];

static drxmp_array *create(const char *path, unsigned flags)
{
    static const int64_t chunk[2] = { 10, 9 };
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_INT64,
                            .shape = whole,
                            .chunk = chunk,
                            .align = 1024,
                            .flags = DRX_REPLACE | DRX_CHECKSUM | flags };
    drxmp_array *m;

    assert_ok(drxmp_create(mp_comm, path, &spec, &m));
    return m;
}

static void found(void *user, drx_severity severity, const char *text)
{
    if (severity != DRX_NOTE)
        print_message("%s\n", text);
}

static int count_valid(const char *path)
{
    uint8_t entry[8];
    char name[64];
    int n = 0;
    FILE *f;

    snprintf(name, sizeof name, "%s.xcs", path);
    f = fopen(name, "rb");
    assert_non_null(f);
    while (fread(entry, 1, 8, f) == 8)
        n += entry[0] == 1;
    fclose(f);
    return n;
}

/* On rank 0: all is right; and so many entries are valid, -1: any. */
static void check(const char *path, int valid)
{
    MPI_Barrier(mp_comm);
    if (mp_rank == 0) {
        assert_ok(drx_check(path, found, NULL, NULL, NULL));
        if (valid >= 0)
            assert_int_equal(count_valid(path), valid);
    }
    MPI_Barrier(mp_comm);
}

/* Column j is written by rank j mod ranks, row by row, so that ranks meet in every chunk. */
TEST(columns_in_turn)
{
    drxmp_array *m = create("a", 0);

    for (int round = 0; round < ROUNDS; round++) {
        for (int64_t j = mp_rank; j < COLUMNS; j += mp_ranks) {
            const int64_t lo[2] = { 0, j }, count[2] = { ROWS, 1 };

            for (int64_t i = 0; i < ROWS; i++)
                values[i] = round * 1000000 + i * COLUMNS + j;
            assert_ok(drxmp_write(m, lo, count, DRX_ROW_MAJOR, values));
        }
        if (round % 3 == 2)
            assert_ok(drxmp_sync(m));
        MPI_Barrier(mp_comm);
        assert_ok(drxmp_read(m, zero, whole, DRX_ROW_MAJOR, got)); /* verified */
        for (int64_t i = 0; i < ROWS * COLUMNS; i++)
            assert_int_equal(got[i], round * 1000000 + i);
        MPI_Barrier(mp_comm);
    }
    assert_ok(drxmp_close(m));
    check("a", 5 * 5);
}

/* While others write, whole reads give no false alarm. */
TEST(read_and_write)
{
    drxmp_array *m = create("b", 0);
    const int64_t row[2] = { 1, COLUMNS };

    for (int round = 0; round < 60; round++) {
        const int64_t lo[2] = { (round * 7 + mp_rank * 3) % ROWS, 0 };

        if (mp_rank % 2 == 0)
            assert_ok(drxmp_write(m, lo, row, DRX_ROW_MAJOR, values + round));
        else
            assert_ok(drxmp_read(m, zero, whole, round % 2 ? DRX_COL_MAJOR : DRX_ROW_MAJOR, got));
    }
    assert_ok(drxmp_close(m));
    check("b", -1);
}

TEST(together)
{
    drxmp_array *m = create("c", 0);
    const int64_t lo[2] = { ROWS * mp_rank / mp_ranks, 0 };
    const int64_t count[2] = { ROWS * (mp_rank + 1) / mp_ranks - lo[0], COLUMNS };

    for (int64_t i = 0; i < count[0] * COLUMNS; i++)
        values[i] = lo[0] * COLUMNS + i;
    assert_ok(drxmp_write_all(m, lo, count, DRX_ROW_MAJOR, values));
    assert_ok(drxmp_read_all(m, lo, count, DRX_ROW_MAJOR, got));
    assert_memory_equal(got, values, (size_t)(count[0] * COLUMNS) * 8);
    for (int i = 0; i < 3; i++) {
        const int64_t at[2] = { ROWS + 7 * i, COLUMNS * mp_rank / mp_ranks };
        const int64_t slab[2] = { 7, COLUMNS * (mp_rank + 1) / mp_ranks - at[1] };

        assert_ok(drxmp_append_all(m, 0, 7, at, slab, DRX_ROW_MAJOR, values));
    }
    assert_ok(drxmp_extend(m, 1, 3));
    assert_ok(drxmp_sync(m));
    assert_ok(drxmp_close(m));
    check("c", 7 * 5);
}

TEST(one_file_for_io)
{
    drxmp_array *m = create("d", 0);
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "drx_io_ranks", "1");
    MPI_Info_set(info, "drx_backend", "mpiio"); /* not for these */
    assert_ok(drxmp_set_info(m, info));
    MPI_Info_free(&info);
    assert_ok(drxmp_write_all(m, zero, whole, DRX_ROW_MAJOR, values)); /* all the same */
    assert_ok(drxmp_read_all(m, zero, whole, DRX_ROW_MAJOR, got));
    assert_ok(drxmp_sync(m));
    check("d", 5 * 5);
    if (mp_rank == 0) {
        const int fd = open("d.xta", O_WRONLY);

        assert_int_equal(pwrite(fd, "x", 1, 3 * 1024 + 5), 1);
        close(fd);
    }
    MPI_Barrier(mp_comm);
    assert_status(drxmp_read_all(m, zero, whole, DRX_ROW_MAJOR, got), DRX_ECHECKSUM);
    assert_detail("chunk 3,");
    assert_ok(drxmp_close(m));
}

TEST(temporary)
{
    for (int i = 0; i < 2; i++) {
        drxmp_array *m;

        drxi_hooks.no_aliases = i == 1;
        m = create("t", DRX_TEMPORARY);
        assert_ok(drxmp_write_all(m, zero, whole, DRX_ROW_MAJOR, values));
        assert_ok(drxmp_persist(m, DRX_REPLACE));
        assert_ok(drxmp_sync(m));
        assert_ok(drxmp_close(m));
        drxi_hooks.no_aliases = false;
        check("t", 5 * 5);
    }
}

TEST(copied)
{
    static const int64_t chunk[2] = { 7, 7 };
    drxmp_array *m = create("e", 0), *copy;
    const drx_copy_spec spec = { .chunk = chunk, .flags = DRX_REPLACE | DRX_CHECKSUM };

    for (int64_t i = 0; i < ROWS * COLUMNS; i++) /* chunks of zeros would be left out */
        values[i] = 1 + i;
    assert_ok(drxmp_write_all(m, zero, whole, DRX_ROW_MAJOR, values));
    assert_ok(drxmp_copy(m, "f", &spec, &copy));
    assert_ok(drxmp_sync(copy));
    assert_ok(drxmp_close(copy));
    assert_ok(drxmp_close(m));
    check("f", 7 * 6);
}
