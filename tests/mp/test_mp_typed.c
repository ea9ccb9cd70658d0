/* Collective reads and writes with buffers of other types: many pieces, refusals, requests and faults. That they
 * convert as they should, tests/model tells. */
#include "drx_tools.h"
#include "mp_testing.h"

static drxmp_array *many;

static void number_rows(float *rows, const int64_t lo[2], const int64_t count[2])
{
    for (int64_t k = 0; k < count[0] * count[1]; k++)
        rows[k] = (float)((lo[0] + k / count[1]) * 1000 + k % count[1]);
}

/* Many pieces. Ranks meet inside chunks, which are compressed once, so none stays open. */
TEST(shared_chunks_are_written_once)
{
    const int64_t shape[2] = { 510, 600 }, lo[2] = { 510 * mp_rank / mp_ranks, 0 };
    const int64_t count[2] = { 510 * (mp_rank + 1) / mp_ranks - lo[0], 600 }, zero[2] = { 0, 0 };
    const drx_spec spec = {
        .ndim = 2, .type = DRX_FLOAT64, .shape = shape, .chunk = (const int64_t[]){ 30, 50 }, .codec = DRX_LZ4
    };
    static float rows[510 * 600];
    drx_packing packing;

    many = mp_create("many", &spec);
    assert_ok(mp_set(many, "drx_buffer=65536"));
    number_rows(rows, lo, count);
    assert_ok(drxmp_write_all_as(many, lo, count, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, rows));
    assert_ok(drxmp_sync(many));
    assert_ok(drx_packing_of(drxmp_serial(many), &packing));
    assert_int_equal(packing.open_chunks, 0);
    memset(rows, 0, sizeof rows);
    assert_ok(drxmp_read_all_as(many, zero, shape, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, rows));
    for (int64_t k = 0; k < 510 * 600; k++)
        assert_true(rows[k] == (float)(k / 600 * 1000 + k % 600));
    assert_ok(drxmp_close(many));
    mp_remove("many");
}

/* Each rank has a slab of another form, so that they have nothing but small cells in common, at other places. */
TEST(unlike_boxes)
{
    const int64_t shape[2] = { 700, 700 };
    const bool rows = mp_rank % 2 == 0;
    const int64_t lo[2] = { rows ? 10 * mp_rank : 0, rows ? 0 : 10 * mp_rank },
                  count[2] = { rows ? 3 : 700, rows ? 700 : 3 };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = (const int64_t[]){ 8, 8 } };
    static float given[2100];
    static int64_t got[2100];

    many = mp_create("many", &spec);
    assert_ok(mp_set(many, "drx_buffer=65536"));
    number_rows(given, lo, count);
    assert_ok(drxmp_write_all_as(many, lo, count, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, given));
    assert_ok(drxmp_read_all_as(many, lo, count, DRX_ROW_MAJOR, DRX_INT64, DRX_EXACT, got));
    for (int64_t k = 0; k < 2100; k++) {
        const int64_t i = lo[0] + k / count[1], j = lo[1] + k % count[1];
        const bool mine_alone = rows ? j % 20 < 10 || j % 20 > 12 : i % 20 > 2; /* others may have written there, too */

        assert_true(got[k] == (int64_t)given[k] || !mine_alone);
    }
    assert_ok(drxmp_close(many));
    mp_remove("many");
}

/* Steps that leave whole pieces without elements, other ones on each rank. */
TEST(steps_over_pieces)
{
    const int64_t rows = 2100, shape[2] = { rows * mp_ranks, 60 }, lo[2] = { mp_rank, 3 * mp_rank };
    const int64_t step[2] = { mp_ranks, 11 + mp_rank }, count[2] = { rows, (60 - lo[1] - 1) / step[1] + 1 };
    const int64_t chunk[2] = { shape[0], 8 };
    const drx_box box = { .lo = lo, .count = count, .step = step };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk };
    static float given[2100 * 6];
    static int64_t got[2100 * 6];

    many = mp_create("many", &spec);
    assert_ok(mp_set(many, "drx_buffer=65536"));
    number_rows(given, lo, count);
    assert_ok(drxmp_write_box_all_as(many, &box, DRX_FLOAT32, DRX_EXACT, given));
    assert_ok(drxmp_read_box_all_as(many, &box, DRX_INT64, DRX_EXACT, got));
    for (int64_t k = 0; k < count[0] * count[1]; k++)
        assert_true(got[k] == (int64_t)given[k]);
    assert_ok(drxmp_close(many));
    mp_remove("many");
}

/* What is wrong on the last rank alone ends the call on all. */
TEST(refusals)
{
    const int64_t shape[1] = { 4 * mp_ranks }, lo[1] = { 4 * mp_rank }, count[1] = { 4 }, beyond[1] = { 4 * mp_ranks };
    const bool last = mp_rank == mp_ranks - 1;
    const drx_spec spec = { .ndim = 1, .type = DRX_INT16, .shape = shape, .chunk = (const int64_t[]){ 3 } };
    const drx_box box = { .lo = lo, .count = count };
    float given[4] = { 1, 2, last ? 40000 : 3, 4 };
    int16_t got[4];
    char detail[100];

    many = mp_create("many", &spec);
    (void)snprintf(detail, sizeof detail, "rank %d: many: element (%d) is 40000, which int16 does not hold",
                   mp_ranks - 1, 4 * mp_ranks - 2);
    assert_fails(drxmp_write_all_as(many, lo, count, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, given), DRX_EMISMATCH,
                 detail);
    assert_ok(drxmp_read_all(many, lo, count, DRX_ROW_MAJOR, got));
    for (int i = 0; i < 4; i++)
        assert_int_equal(got[i], 0);
    assert_ok(drxmp_write_all_as(many, lo, count, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_NEAREST, given));
    assert_ok(drxmp_read_all(many, lo, count, DRX_ROW_MAJOR, got));
    assert_int_equal(got[2], last ? INT16_MAX : 3);
    (void)snprintf(detail, sizeof detail, "rank %d: many: element (%d) is 32767, which int8 does not hold",
                   mp_ranks - 1, 4 * mp_ranks - 2);
    assert_fails(drxmp_read_all_as(many, lo, count, DRX_ROW_MAJOR, DRX_INT8, DRX_EXACT, got), DRX_EMISMATCH, detail);
    assert_status(drxmp_read_all_as(many, last ? beyond : lo, count, DRX_ROW_MAJOR, DRX_INT8, DRX_EXACT, got),
                  DRX_ERANGE);
    assert_status(drxmp_read_all_as(many, lo, count, DRX_ROW_MAJOR, last ? (drx_type)0 : DRX_INT8, DRX_EXACT, got),
                  DRX_EINVAL);
    assert_status(
        drxmp_read_all_as(many, lo, count, DRX_ROW_MAJOR, DRX_INT16, last ? (drx_conversion)7 : DRX_EXACT, got),
        DRX_EINVAL);
    assert_status(drxmp_write_all_as(many, lo, count, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, last ? NULL : given),
                  DRX_EINVAL);
    assert_status(drxmp_read_box_all_as(many, last ? NULL : &box, DRX_INT8, DRX_EXACT, got), DRX_EINVAL);
    assert_status(drxmp_read_box_all_as(NULL, &box, DRX_INT8, DRX_EXACT, got), DRX_EINVAL);
    if (mp_ranks > 1)
        assert_status(last ? drxmp_sync(many)
                           : drxmp_write_all_as(many, lo, count, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, given),
                      DRX_EMISMATCH);
    assert_ok(drxmp_close(many));
    many = mp_open("many", DRX_RDONLY);
    assert_status(drxmp_write_all_as(many, lo, count, DRX_ROW_MAJOR, DRX_FLOAT32, DRX_EXACT, given), DRX_EACCES);
    assert_ok(drxmp_close(many));
    mp_remove("many");
}

/* Requests that began before, of elements that this call moves, take effect before it. */
TEST(after_requests)
{
    const int64_t shape[2] = { 40, 30 * mp_ranks }, lo[2] = { 0, 30 * mp_rank }, count[2] = { 40, 30 };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = (const int64_t[]){ 16, 7 } };
    static int32_t first[1200], then[1200];
    static double second[1200];
    const drx_box box = { .lo = lo, .count = count };
    drx_request *writing, *reading;

    many = mp_create("many", &spec);
    for (int i = 0; i < 1200; i++) {
        first[i] = i;
        second[i] = 7000 + i;
    }
    assert_ok(drxmp_iwrite_all(many, &box, first, &writing));
    assert_ok(drxmp_iread_all(many, &box, then, &reading));
    assert_ok(drxmp_write_box_all_as(many, &box, DRX_FLOAT64, DRX_EXACT, second));
    assert_ok(drx_wait(writing));
    assert_ok(drx_wait(reading));
    assert_memory_equal(then, first, sizeof first);
    assert_ok(drxmp_iread_all(many, &box, then, &reading));
    memset(second, 0, sizeof second);
    assert_ok(drxmp_read_box_all_as(many, &box, DRX_FLOAT64, DRX_EXACT, second));
    assert_ok(drx_wait(reading));
    for (int i = 0; i < 1200; i++)
        assert_true(second[i] == 7000 + i && then[i] == 7000 + i);
    assert_ok(drxmp_close(many));
    mp_remove("many");
}

/* Rank `culprit`'s n-th call of files or allocation fails: all get the same status, and the array can be used on. */
TEST(faults)
{
    const int64_t shape[2] = { 60, 60 };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = (const int64_t[]){ 20, 7 } };
    const struct mp_box mine = mp_part(1, (struct mp_box){ { 0, 0 }, { 60, 60 } });
    static double given[3600], got[3600];

    for (int way = 0; way < 4; way++) {
        const enum mp_fault fault = way % 2 ? MP_ALLOCATION : MP_CALL;
        const bool writing = way < 2;
        bool came = true;

        many = mp_create("many", &spec);
        assert_ok(mp_set(many, "drx_buffer=65536"));
        for (int64_t k = 0; k < mp_box_size(&mine); k++)
            given[k] = (double)k;
        for (long n = mp_next(0); came; n = mp_next(n)) {
            const int culprit = (int)(n % mp_ranks);
            drx_status st;

            mp_arm(fault, culprit, n);
            st = writing ? drxmp_write_all_as(many, mine.lo, mine.count, DRX_ROW_MAJOR, DRX_FLOAT64, DRX_EXACT, given)
                         : drxmp_read_all_as(many, mine.lo, mine.count, DRX_ROW_MAJOR, DRX_FLOAT64, DRX_EXACT, got);
            came = mp_disarm(fault, culprit);
            mp_assert_alike(st, n);
            if (!came)
                assert_ok(st);
            assert_ok(drxmp_write_all_as(many, mine.lo, mine.count, DRX_ROW_MAJOR, DRX_FLOAT64, DRX_EXACT, given));
            assert_ok(drxmp_read_all_as(many, mine.lo, mine.count, DRX_ROW_MAJOR, DRX_FLOAT64, DRX_EXACT, got));
            assert_memory_equal(got, given, (size_t)mp_box_size(&mine) * sizeof *got);
        }
        assert_ok(drxmp_close(many));
        mp_remove("many");
    }
}
