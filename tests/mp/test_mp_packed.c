/* Compressed arrays that many ranks have open. */
#include "drx_tools.h"
#include "mp_testing.h"

enum { ROWS = 60, COLUMNS = 70, ROOM = ROWS * COLUMNS };

static int32_t buf[ROOM];

/* A raw array of the path, and a compressed one, with the same elements, some of them never written. */
static void make_both(const char *raw, const char *packed)
{
    const drx_codec codecs[] = { ALL_CODECS };
    const int32_t fill = mp_below(2) ? -7 : 0;
    drx_spec spec = { .ndim = 2,
                      .type = DRX_INT32,
                      .shape = (const int64_t[]){ 40, COLUMNS },
                      .chunk = (const int64_t[]){ 1 + mp_below(9), 1 + mp_below(9) },
                      .chunk_order = mp_any_order(),
                      .fill = &fill };
    const drx_codec codec = codecs[mp_below(sizeof codecs / sizeof *codecs)];

    for (int i = 0; mp_rank == 0 && i < 2; i++) {
        drx_array *a;

        spec.codec = i ? codec : DRX_RAW;
        assert_ok(drx_create(i ? packed : raw, &spec, &a));
        for (int32_t k = 0; k < 30 * COLUMNS; k++)
            buf[k] = k / 3;
        assert_ok(drx_write(a, (int64_t[]){ 3, 0 }, (int64_t[]){ 30, COLUMNS }, DRX_ROW_MAJOR, buf));
        assert_ok(drx_sync(a));
        assert_ok(drx_write(a, (int64_t[]){ 7, 5 }, (int64_t[]){ 9, 11 }, DRX_COL_MAJOR, buf + 100));
        assert_ok(drx_close(a));
    }
    (void)MPI_Barrier(mp_comm);
}

TEST(requests_write_at_once)
{
    const drx_spec spec = { .ndim = 1,
                            .type = DRX_INT32,
                            .shape = (const int64_t[]){ 100 },
                            .chunk = (const int64_t[]){ 10 },
                            .codec = DRX_LZ4 };
    const int64_t lo[] = { 5 * mp_rank }, count[] = { 5 };
    const drx_box box = { .lo = lo, .count = count };
    const int32_t values[5] = { 1, 2, 3, 4, 5 };
    drxmp_array *m = mp_create("packed", &spec);
    drx_request *request;
    int done = 0;

    assert_ok(drxmp_iwrite_all(m, &box, values, &request));
    assert_ok(drx_test(request, &done));
    assert_true(done);
    assert_status(drxmp_extend(m, 0, 1), DRX_EBUSY);
    assert_ok(drx_wait(request));
    assert_status(drxmp_iwrite_all(m, mp_rank ? &box : NULL, values, &request), DRX_EINVAL);
    assert_null(request);
    assert_ok(drxmp_read(m, lo, count, DRX_ROW_MAJOR, buf));
    assert_memory_equal(buf, values, sizeof values);
    assert_ok(drxmp_close(m));
    mp_remove("packed");
    assert_int_equal(mp_count_files("packed*"), 0);
}

/* Where ranks give the same element, that of the highest rank stays. */
TEST(ranks_that_give_the_same_elements)
{
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_INT32,
                            .shape = (const int64_t[]){ ROWS, COLUMNS },
                            .chunk = (const int64_t[]){ 7, 9 },
                            .codec = DRX_ZSTD };
    const int64_t lo[] = { 3, mp_rank }, count[] = { 20, COLUMNS - mp_rank };
    drxmp_array *m = mp_create("packed", &spec);

    for (int i = 0; i < ROOM; i++)
        buf[i] = mp_rank;
    assert_ok(drxmp_write_all(m, lo, count, DRX_COL_MAJOR, buf));
    assert_ok(drxmp_read_all(m, (int64_t[]){ 0, 0 }, (int64_t[]){ ROWS, COLUMNS }, DRX_ROW_MAJOR, buf));
    for (int i = 0; i < ROOM; i++) {
        const int row = i / COLUMNS, column = i % COLUMNS, highest = column < mp_ranks ? column : mp_ranks - 1;

        assert_int_equal(buf[i], row >= 3 && row < 23 ? highest : 0);
    }
    assert_ok(drxmp_close(m));
    mp_remove("packed");
}

/* A copy by all ranks has the files of one by drx_copy. */
static void copy_both_ways(drxmp_array *m, drx_copy_spec *spec)
{
    drxmp_array *copy;
    drx_array *a;

    assert_ok(drxmp_copy(m, "all", spec, &copy));
    assert_ok(drxmp_close(copy));
    if (mp_rank == 0) {
        assert_ok(drx_open("packed", DRX_RDONLY, &a));
        assert_ok(drx_copy(a, "one", spec, NULL));
        assert_ok(drx_close(a));
        assert_ok(drx_open("one", DRX_RDWR, &a)); /* as drxmp_copy has opened its copy */
        assert_ok(drx_close(a));
    }
    (void)MPI_Barrier(mp_comm);
    mp_assert_same_files("all", "one");
    mp_remove("all");
    mp_remove("one");
}

TEST(copies)
{
    static const drx_codec codecs[] = { DRX_RAW, DRX_LZ4, DRX_ZSTD };

    for (int k = 0; k < 3; k++) {
        drxmp_array *m;
        const int permute[] = { 1, 0 };

        make_both("raw", "packed");
        m = mp_open("packed", DRX_RDONLY);
        copy_both_ways(m, &(drx_copy_spec){ .codec = codecs[k], .permute = permute });
        copy_both_ways(m, &(drx_copy_spec){ .codec = codecs[k], .chunk = (const int64_t[]){ 5, 6 } });
        assert_ok(drxmp_close(m));
        mp_remove("raw");
        mp_remove("packed");
    }
}
