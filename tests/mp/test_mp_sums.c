/* Checksums of arrays when several ranks write to parts of the same chunks, independently and collectively. */
#include "base/hooks.h"
#include "data/sums.h"
#include "drx_tools.h"
#include "mp_spread.h"

enum { ROWS = 48, COLUMNS = 40, ROUNDS = 12 };

static const struct mp_box all = { { 0, 0 }, { ROWS, COLUMNS } };
static int64_t values[ROWS * COLUMNS], got[4 * ROWS * COLUMNS];

static drxmp_array *create(const char *path, unsigned flags)
{
    static const int64_t chunk[2] = { 10, 9 };
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_INT64,
                            .shape = all.count,
                            .chunk = chunk,
                            .align = 1024,
                            .flags = DRX_REPLACE | DRX_CHECKSUM | flags };

    return mp_create(path, &spec);
}

static void found(void *user, drx_severity severity, const char *text)
{
    if (severity != DRX_NOTE)
        print_message("%s\n", text);
}

/* On rank 0: all is right; and this many entries are valid, -1: any. */
static void check(const char *path, int valid)
{
    MPI_Barrier(mp_comm);
    if (mp_rank == 0) {
        char name[64];
        uint8_t entry[8];
        int n = 0;
        FILE *f;

        assert_ok(drx_check(path, found, NULL, NULL, NULL));
        snprintf(name, sizeof name, "%s.xcs", path);
        f = fopen(name, "rb");
        assert_non_null(f);
        while (fread(entry, 1, 8, f) == 8)
            n += entry[0] == 1;
        fclose(f);
        assert_int_equal(n, valid < 0 ? n : valid);
    }
    MPI_Barrier(mp_comm);
}

/* Column j is written by rank j mod ranks, row by row, so that ranks meet in every chunk. */
TEST(columns_in_turn)
{
    drxmp_array *m = create("a", 0);
    const int rounds = mp_rounds(ROUNDS);

    for (int round = 0; round < rounds; round++) {
        for (int64_t j = mp_rank; j < COLUMNS; j += mp_ranks) {
            const int64_t lo[2] = { 0, j }, count[2] = { ROWS, 1 };

            for (int64_t i = 0; i < ROWS; i++)
                values[i] = round * 1000000 + i * COLUMNS + j;
            assert_ok(drxmp_write(m, lo, count, DRX_ROW_MAJOR, values));
        }
        if (round % 3 == 2 || round == rounds - 1) /* which makes the checksums */
            assert_ok(drxmp_sync(m));
        MPI_Barrier(mp_comm);
        assert_ok(drxmp_read(m, all.lo, all.count, DRX_ROW_MAJOR, got)); /* verified */
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
            assert_ok(drxmp_read(m, all.lo, all.count, round % 2 ? DRX_COL_MAJOR : DRX_ROW_MAJOR, got));
    }
    assert_ok(drxmp_close(m));
    check("b", -1);
}

TEST(one_file_for_io)
{
    drxmp_array *m = create("d", 0);

    assert_ok(mp_set(m, "drx_io_ranks=1,drx_backend=mpiio")); /* not for these */
    assert_ok(mp_write_all(m, &all, values));                 /* all the same */
    assert_ok(mp_read_all(m, &all, got));
    assert_ok(drxmp_sync(m));
    check("d", 5 * 5);
    mp_shell("printf x | dd of=d.xta bs=1 seek=3077 conv=notrunc status=none"); /* in chunk 3 */
    assert_fails(mp_read_all(m, &all, got), DRX_ECHECKSUM, "chunk 3,");
    assert_ok(drxmp_close(m));
}

/* Rank r reads the rows, or columns, r, r + ranks, ... */
static drx_status read_in_turn(drxmp_array *m, int axis)
{
    const struct dap_dim dims[2] = { axis ? mp_undistributed(ROWS) : mp_cyclic(ROWS, 1),
                                     axis ? mp_cyclic(COLUMNS, 1) : mp_undistributed(COLUMNS) };
    drxmp_darray *d = mp_darray(DRX_INT64, 2, dims, DRX_ROW_MAJOR);
    const drx_status st = drxmp_darray_read(d, m, NULL);

    if (st)
        assert_detail("chunk 3,");
    assert_ok(drxmp_darray_free(d));
    return st;
}

/* A chunk is damaged of which each rank reads a part: all are told, however they read it. */
TEST(chunks_that_ranks_share)
{
    const struct mp_box most = mp_part(1, (struct mp_box){ { 0, 0 }, { ROWS, COLUMNS - 5 } }); /* not all of it */
    drxmp_array *m = create("s", 0);

    assert_ok(mp_write_all(m, &all, values));
    assert_ok(drxmp_sync(m));
    mp_shell("printf x | dd of=s.xta bs=1 seek=3077 conv=notrunc status=none"); /* in chunk 3 */
    for (int io_ranks = mp_ranks; io_ranks > 0; io_ranks = io_ranks > 1 ? 1 : 0) {
        assert_ok(mp_set(m, "drx_io_ranks=%d", io_ranks));
        for (int axis = 0; axis < 2; axis++) {
            struct mp_box mine = { .lo = { 0, 0 }, .count = { ROWS, COLUMNS }, .step = { 1, 1 } };
            drx_request *request;
            drx_box box;

            mine.lo[axis] = mp_rank;
            mine.step[axis] = mp_ranks;
            mine.count[axis] = (all.count[axis] - mp_rank + mp_ranks - 1) / mp_ranks;
            box = mp_drx_box(&mine);

            assert_fails(drxmp_read_box_all(m, &box, got), DRX_ECHECKSUM, "chunk 3,");
            assert_ok(drxmp_iread_all(m, &box, got, &request));
            assert_fails(drx_wait(request), DRX_ECHECKSUM, "checksum");
            assert_fails(drxmp_read_box_all_as(m, &box, DRX_FLOAT64, DRX_EXACT, got), DRX_ECHECKSUM, "chunk 3,");
            assert_status(read_in_turn(m, axis), DRX_ECHECKSUM);
        }
        assert_ok(mp_read_all(m, &most, got));
    }
    assert_ok(drxmp_close(m));
}

TEST(temporary)
{
    for (int i = 0; i < 2; i++) {
        drxmp_array *m;

        drxi_hooks.no_aliases = i == 1;
        m = create("t", DRX_TEMPORARY);
        assert_ok(mp_write_all(m, &all, values));
        assert_ok(drxmp_persist(m, DRX_REPLACE));
        assert_ok(drxmp_sync(m));
        assert_ok(drxmp_close(m));
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
    assert_ok(mp_write_all(m, &all, values));
    assert_ok(drxmp_copy(m, "f", &spec, &copy));
    assert_ok(drxmp_sync(copy));
    assert_ok(drxmp_close(copy));
    assert_ok(drxmp_close(m));
    check("f", 7 * 6);
}
