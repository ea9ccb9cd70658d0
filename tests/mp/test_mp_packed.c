/* Compressed arrays that many ranks have open. */
#include "drx_tools.h"
#include "mp_testing.h"

enum { ROWS = 60, COLUMNS = 70, ROOM = ROWS * COLUMNS };

static int32_t buf[ROOM], other[ROOM];

static drx_array *open_one(const char *path, int mode)
{
    drx_array *a;

    assert_ok(drx_open(path, mode, &a));
    return a;
}

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

/* The box of this rank, one of several ways, from the compressed array; and from the raw one by the simplest. */
static void read_box(drxmp_array *m, drx_array *raw, struct mp_box box, int way)
{
    const drx_box b = { .lo = box.lo, .count = box.count, .step = box.step };
    const size_t bytes = (size_t)mp_box_size(&box) * sizeof *buf;
    drx_request *request;

    memset(buf, 1, sizeof buf);
    if (way == 0) {
        assert_ok(drxmp_read_box_all(m, &b, buf));
    } else if (way == 1) {
        assert_ok(drxmp_iread_all(m, &b, buf, &request));
        assert_ok(drx_wait(request));
    } else {
        assert_ok(drx_read_box(drxmp_serial(m), &b, buf));
    }
    assert_ok(drx_read_box(raw, &b, other));
    assert_memory_equal(buf, other, bytes);
}

/* Others' boxes are drawn, too, so that all ranks draw the same numbers. */
static struct mp_box draw_mine(const int64_t shape[])
{
    struct mp_box mine = { .step = { 1, 1 } };

    for (int rank = 0; rank < mp_ranks; rank++)
        for (int j = 0; j < 2; j++) {
            const int64_t lo = mp_below(shape[j]), step = 1 + mp_below(3);
            const int64_t count = 1 + mp_below((shape[j] - 1 - lo) / step + 1);

            if (rank != mp_rank)
                continue;
            mine.lo[j] = lo;
            mine.step[j] = step;
            mine.count[j] = count;
        }
    return mine;
}

TEST(many_ranks_read)
{
    for (int round = 0; round < 8; round++) {
        drxmp_array *m;
        drx_array *raw, *writer;

        make_both("raw", "packed");
        m = mp_open("packed", DRX_RDONLY);
        raw = open_one("raw", DRX_RDONLY);
        for (int i = 0; i < 12; i++) {
            assert_ok(mp_set_any(m));
            read_box(m, raw, draw_mine(drx_shape(raw)), (int)mp_below(3));
        }
        (void)MPI_Barrier(mp_comm);
        for (int i = 0; mp_rank == mp_ranks - 1 && i < 2; i++) { /* what another program appends */
            writer = open_one(i ? "packed" : "raw", DRX_RDWR);
            assert_ok(drx_append(writer, 0, 11, DRX_ROW_MAJOR, buf));
            assert_ok(drx_close(writer));
        }
        (void)MPI_Barrier(mp_comm);
        assert_ok(drxmp_refresh(m));
        assert_ok(drx_refresh(raw));
        assert_int_equal(drx_shape(drxmp_serial(m))[0], 51);
        for (int i = 0; i < 6; i++)
            read_box(m, raw, draw_mine(drx_shape(raw)), (int)mp_below(3));
        assert_ok(drxmp_close(m));
        assert_ok(drx_close(raw));
        (void)MPI_Barrier(mp_comm);
        mp_remove("raw");
        mp_remove("packed");
    }
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

static int64_t bytes_of(const char *name)
{
    struct stat s;

    assert_int_equal(stat(name, &s), 0);
    return (int64_t)s.st_size;
}

/* Thin slabs at either end, with syncs and other handles between them: a chunk that is opened lies where one was
 * closed, and the files are those of one process, which also opens the array again. */
TEST(places_that_were_left)
{
    enum { SLABS = 60, WIDE = 64, CHUNK = 4, CHUNK_BYTES = CHUNK * 16 * (int)sizeof(int32_t) };
    const int32_t fill = mp_below(2) ? -7 : 0;
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_INT32,
                            .shape = (int64_t[]){ 0, WIDE },
                            .chunk = (int64_t[]){ CHUNK, 16 },
                            .codec = DRX_LZ4,
                            .fill = &fill,
                            .flags = DRX_REPLACE };
    drxmp_array *m = mp_create("left", &spec);
    int64_t lower = 0, upper = 0;
    drx_array *a = NULL;

    if (mp_rank == 0)
        assert_ok(drx_create("by_one", &spec, &a));
    for (int i = 0; i < SLABS; i++) {
        const bool low = mp_below(4) == 0, syncs = mp_below(3) > 0, opens = mp_below(5) == 0;
        struct mp_box whole = { { low ? lower - 1 : upper, 0 }, { 1, WIDE } }, mine = mp_part(1, whole);

        lower -= low;
        upper += !low;
        mp_number_box(0, &mine, buf);
        assert_ok((low ? drxmp_prepend_all : drxmp_append_all)(m, 0, 1, mine.lo, mine.count, DRX_ROW_MAJOR, buf));
        assert_ok(syncs ? drxmp_sync(m) : DRX_OK);
        if (opens) {
            assert_ok(drxmp_close(m));
            assert_ok(drxmp_open(mp_comm, "left", DRX_RDWR, &m));
        }
        if (mp_rank > 0)
            continue;
        mp_number_box(0, &whole, buf);
        assert_ok((low ? drx_prepend : drx_append)(a, 0, 1, DRX_ROW_MAJOR, buf));
        assert_ok(syncs ? drx_sync(a) : DRX_OK);
        if (opens) {
            assert_ok(drx_close(a));
            a = open_one("by_one", DRX_RDWR);
        }
    }
    for (int64_t row = lower; row < upper; row++) {
        const struct mp_box whole = { { row, 0 }, { 1, WIDE } };

        mp_number_box(0, &whole, buf);
        assert_ok(drx_read(drxmp_serial(m), whole.lo, whole.count, DRX_ROW_MAJOR, other));
        assert_memory_equal(other, buf, WIDE * sizeof *buf);
    }
    assert_ok(drxmp_close(m));
    assert_ok(drx_close(a));
    mp_assert_same_files("left", "by_one");
    assert_true(bytes_of("left.xtz") < SLABS * WIDE * (int64_t)sizeof(int32_t) + 4 * 6 * CHUNK_BYTES);
}
