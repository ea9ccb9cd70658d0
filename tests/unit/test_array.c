/* What the model test does not reach: sizes, creation ids, and what persisting and pieces of an append refuse. */
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bytes.h"
#include "drx_tools.h"

static double seconds(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* 20 GB of bounds, nearly all holes: opens, grows and reads a corner at once. */
TEST(large_bounds)
{
    const int64_t shape[2] = { 50000, 50000 }, corner[2] = { 49990, 49990 }, ten[2] = { 10, 10 };
    const drx_spec spec = { .ndim = 2, .type = DRX_FLOAT64, .shape = shape };
    double buf[100];
    drx_array *a;
    double start;
    double opened;
    double grown;
    struct stat s;

    for (int i = 0; i < 100; i++)
        buf[i] = i;
    assert_ok(drx_create("large", &spec, &a));
    assert_ok(drx_write(a, corner, ten, DRX_ROW_MAJOR, buf));
    assert_ok(drx_close(a));
    start = seconds();
    assert_ok(drx_open("large", DRX_RDWR, &a));
    opened = seconds();
    for (int axis = 0; axis < 2; axis++)
        assert_ok(drx_extend(a, axis, 7));
    grown = seconds();
    assert_ok(drx_read(a, corner, ten, DRX_COL_MAJOR, buf));
    print_message("opened in %.3f ms, grown twice in %.3f ms, corner read in %.3f ms\n", 1e3 * (opened - start),
                  1e3 * (grown - opened), 1e3 * (seconds() - grown));
    assert_true(buf[10] == 1);
    assert_ok(drx_close(a));
    assert_true(length_of("large.xta") > (int64_t)20000000000);
    assert_int_equal(stat("large.xta", &s), 0);
    assert_true(s.st_blocks * 512 < 64 << 20);
}

/* A million growths, each at most 64 bytes of metadata; offsets past 2^40. */
TEST(many_growths)
{
    const int64_t one[2] = { 1, 1 }, chunk[2] = { 1, 1 };
    const drx_spec spec = { .ndim = 2, .type = DRX_INT16, .shape = one, .chunk = chunk };
    const int64_t last[2] = { 500000, 500000 };
    int16_t value = -5;
    drx_array *a;
    int64_t before;
    double start;
    double grown;

    assert_ok(drx_create("many", &spec, &a));
    before = length_of("many.xmd");
    start = seconds();
    for (int i = 0; i < 1000000; i++)
        assert_ok(drx_extend(a, i % 2 == 0, 1));
    grown = seconds() - start;
    assert_true(length_of("many.xmd") - before <= (int64_t)64 * 1000000);
    assert_ok(drx_put(a, last, &value));
    assert_ok(drx_close(a));
    start = seconds();
    assert_ok(drx_open("many", DRX_RDONLY, &a));
    print_message("a growth took %.2f us, opening with 10^6 records %.0f ms, %d bytes a record\n", grown,
                  1e3 * (seconds() - start), (int)((length_of("many.xmd") - before) / 1000000));
    assert_int_equal(drx_growth_count(a), 1000000);
    value = 0;
    assert_ok(drx_get(a, last, &value));
    assert_int_equal(value, -5);
    assert_ok(drx_close(a));

    { /* the same shape at once, in chunks of 8 KiB: offsets past 2^40 */
        const int64_t shape[2] = { 500000, 500000 }, wide[2] = { 64, 64 };
        const drx_spec large = { .ndim = 2, .type = DRX_INT64, .shape = shape, .chunk = wide };
        const int64_t end[2] = { 499999, 499999 };
        int64_t word = 77;

        assert_ok(drx_create("huge", &large, &a));
        assert_ok(drx_put(a, end, &word));
        assert_ok(drx_sync(a));
        word = 0;
        assert_ok(drx_get(a, end, &word));
        assert_int_equal(word, 77);
        assert_ok(drx_close(a));
        assert_true(length_of("huge.xta") > (int64_t)1 << 40);
        assert_ok(drx_remove("huge"));
    }
}

TEST(persistent_after_all)
{
    const int64_t shape[1] = { 10 };
    const drx_spec spec = { .ndim = 1, .type = DRX_INT32, .shape = shape, .flags = DRX_TEMPORARY };
    int32_t value = 3;
    drx_array *a;
    drx_array *b;

    for (int round = 0; round < 2; round++) { /* the second replaces the first */
        assert_ok(drx_create("persistent", &spec, &a));
        value = round;
        assert_ok(drx_put(a, (int64_t[]){ 4 }, &value));
        assert_ok(drx_extend(a, 0, round));
        if (round == 1)
            assert_status(drx_persist(a, 0), DRX_EEXIST);
        assert_status(drx_persist(a, 64), DRX_EINVAL);
        assert_ok(drx_persist(a, DRX_REPLACE));
        assert_status(drx_persist(a, DRX_REPLACE), DRX_EINVAL); /* it is */
        assert_status(drx_open("persistent", DRX_RDWR, &b), DRX_EBUSY);
        assert_ok(drx_sync(a));
        assert_ok(drx_close(a));
    }
    assert_ok(drx_open("persistent", DRX_RDONLY, &a));
    assert_ok(drx_get(a, (int64_t[]){ 4 }, &value));
    assert_int_equal(value, 1);
    assert_int_equal(drx_shape(a)[0], 11);
    assert_ok(drx_close(a));
}

/* Another array under the same creation id is another array. */
TEST(same_id_other_shape)
{
    const int64_t small[1] = { 4 }, large[1] = { 1 << 20 };
    drx_spec spec = { .ndim = 1, .type = DRX_INT8, .shape = small, .chunk = small, .flags = DRX_REPLACE };
    int8_t buf[4];
    drx_array *a;
    drx_array *reader;

    assert_int_equal(setenv("DRX_CREATION_ID", "00112233445566778899aabbccddeeff", 1), 0);
    assert_ok(drx_create("same", &spec, &a));
    assert_ok(drx_close(a));
    assert_ok(drx_open("same", DRX_RDONLY, &reader));
    spec.shape = spec.chunk = large;
    spec.type = DRX_COMPLEX128;
    assert_ok(drx_create("same", &spec, &a));
    assert_ok(drx_close(a));
    assert_int_equal(unsetenv("DRX_CREATION_ID"), 0);
    assert_status(drx_refresh(reader), DRX_EMISMATCH);
    assert_ok(drx_read(reader, (int64_t[]){ 0 }, small, DRX_ROW_MAJOR, buf));
    assert_ok(drx_close(reader));
}

/* Products of numbers that may be as large as they like, since others are 0 or 1. */
TEST(large_and_nothing)
{
    const int64_t shape[2] = { 0, (int64_t)1 << 61 }, chunk[2] = { 1, (int64_t)1 << 40 };
    const int64_t one[2] = { 1, 1 }, at[2] = { 1, 1 }, step[2] = { INT64_MAX, INT64_MAX }, stride[2] = { 3, 7 };
    drx_spec spec = { .ndim = 2, .type = DRX_INT8, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE };
    int8_t value = 5;
    drx_array *a;

    assert_ok(drx_create("large", &spec, &a));
    assert_ok(drx_close(a));
    assert_ok(drx_open("large", DRX_RDWR, &a));
    assert_status(drx_extend(a, 0, 16), DRX_EOVERFLOW);
    assert_ok(drx_extend(a, 1, 1));
    assert_ok(drx_append(a, 1, 2, DRX_ROW_MAJOR, &value)); /* of nothing */
    assert_ok(drx_close(a));

    spec.shape = (int64_t[]){ 4, 4 };
    spec.chunk = NULL;
    assert_ok(drx_create("large", &spec, &a));
    assert_ok(drx_write_box(a, &(drx_box){ .lo = at, .count = one, .step = step, .stride = stride }, &value));
    value = 0;
    assert_ok(drx_read_box(a, &(drx_box){ .lo = at, .count = one, .step = step }, &value));
    assert_int_equal(value, 5);
    assert_ok(drx_close(a));
    spec.shape = (int64_t[]){ 0, (int64_t)1 << 50 };
    assert_ok(drx_create("large", &spec, &a));
    assert_int_equal(drx_chunk(a)[0], 1);
    assert_ok(drx_close(a));
    spec.lower = (int64_t[]){ (int64_t)1 << 61, 0 };
    spec.chunk = (int64_t[]){ 1, 1 };
    assert_status(drx_create("large", &spec, &a), DRX_EOVERFLOW);
    assert_detail("axis 0: even without elements these indices are too far from 0");
}

enum { PIECES_ROWS = 7, PIECES_COLUMNS = 5 };

struct pieces {
    int64_t each, by; /* indices of a piece, and of the slab */
    int axis;
    int64_t fails_at; /* the piece from there on is refused; -1: none is */
    int32_t buf[PIECES_ROWS * PIECES_COLUMNS];
    int64_t calls, ends;
};

static drx_status next_piece(void *with, int64_t done, int64_t *n, const void **buf)
{
    struct pieces *p = with;
    const int64_t left = p->by - done, rows = p->axis == 0 ? p->each : 4, columns = p->axis == 0 ? 3 : p->each;

    p->calls++;
    if (p->fails_at >= 0 && done >= p->fails_at)
        return DRX_EINTERRUPTED;
    if (left == 0) {
        p->ends++;
        return DRX_OK;
    }
    *n = p->each < left || p->each > p->by ? p->each : left;
    for (int64_t i = 0; i < rows * columns; i++) /* numbered by where they go in the slab, row-major */
        p->buf[i] = (int32_t)(p->axis == 0 ? done * 3 + i : i / *n * p->by + done + i % *n);
    *buf = p->buf;
    return DRX_OK;
}

/* Far from 0 a sum for an address may overflow once another axis grows. What adds nothing is no growth. */
TEST(growth_by_nothing_far_from_0)
{
    const drx_spec spec = { .ndim = 2,
                            .type = DRX_UINT8,
                            .shape = (int64_t[]){ 1 << 16, 1 },
                            .chunk = (int64_t[]){ 1, 1 },
                            .lower = (int64_t[]){ 0, INT64_C(1) << 45 } };
    drx_array *a;

    assert_ok(drx_create(NULL, &spec, &a));
    assert_ok(drx_extend(a, 1, 0));
    assert_ok(drx_append(a, 1, 0, DRX_ROW_MAJOR, ""));
    assert_status(drx_extend(a, 1, 1), DRX_EOVERFLOW);
    assert_detail("axis 1: even without elements these indices are too far from 0");
    assert_ok(drx_extend(a, 0, 1));
    assert_ok(drx_close(a));
}

/* A piece that fails, the word at the end included, takes all of them back; so does one of a wrong extent. */
TEST(append_in_pieces_taken_back)
{
    const int64_t shape[2] = { 4, 3 }, chunk[2] = { 3, 2 }, lo[2] = { 0, 0 }, count[2] = { 6, 3 };
    const int32_t fill = -1;
    const drx_spec spec = { .ndim = 2, .type = DRX_INT32, .shape = shape, .chunk = chunk, .fill = &fill };
    drx_array *a, *reader;
    int32_t got[18];

    assert_ok(drx_create("back", &spec, &a));
    assert_ok(drx_open("back", DRX_RDONLY, &reader));
    for (int64_t fails_at = 0; fails_at <= 5; fails_at++) {
        struct pieces p = { .each = 1, .by = 5, .fails_at = fails_at };

        assert_status(drx_append_pieces(a, 0, 5, DRX_ROW_MAJOR, next_piece, &p), DRX_EINTERRUPTED);
        assert_non_null(strstr(drx_last_error(), "back: "));
        assert_int_equal(p.calls, fails_at + 1);
        assert_int_equal(drx_shape(a)[0], 4);
        assert_ok(drx_refresh(reader));
        assert_int_equal(drx_shape(reader)[0], 4);
    }
    for (int64_t each = -1; each <= 6; each++) {
        struct pieces p = { .each = each, .by = 5, .fails_at = -1 };

        if (each > 0 && each < 6)
            continue;
        assert_status(drx_append_pieces(a, 0, 5, DRX_ROW_MAJOR, next_piece, &p), DRX_EINVAL);
        assert_int_equal(p.calls, 1);
    }
    assert_status(drx_append_pieces(a, 0, 5, DRX_ROW_MAJOR, NULL, NULL), DRX_EINVAL);
    assert_ok(drx_append_pieces(a, 0, 0, DRX_ROW_MAJOR, next_piece, NULL));
    assert_ok(drx_extend(a, 0, 2));
    assert_ok(drx_read(a, lo, count, DRX_ROW_MAJOR, got));
    for (int i = 0; i < 18; i++)
        assert_int_equal(got[i], fill);
    assert_ok(drx_close(reader));
    assert_ok(drx_close(a));
}

/* A hole inside one huge chunk is passed over, not read. */
TEST(huge_hole)
{
    const int64_t shape[1] = { (int64_t)1 << 33 }, chunk[1] = { (int64_t)1 << 34 };
    const drx_spec spec = { .ndim = 1, .type = DRX_INT8, .shape = shape, .chunk = chunk };
    const int64_t last[1] = { ((int64_t)1 << 34) - 1 };
    int8_t value = 9;
    drx_array *a;
    double begun;

    assert_ok(drx_create("hole", &spec, &a));
    assert_ok(drx_put(a, (int64_t[]){ 77 }, &value));
    assert_ok(drx_close(a));
    begun = seconds();
    assert_ok(drx_open("hole", DRX_RDWR, &a));
    assert_ok(drx_extend(a, 0, (int64_t)1 << 33));
    assert_true(seconds() - begun < 2);
    assert_ok(drx_get(a, last, &value));
    assert_int_equal(value, 0);
    assert_ok(drx_close(a));
}

/* Shells that would take for ever are refused at once. */
TEST(endless_shells)
{
    const int64_t shape[2] = { (int64_t)1 << 30, (int64_t)1 << 30 }, chunk[2] = { 1, 1 };
    drx_spec spec = { .ndim = 2, .type = DRX_INT8, .shape = shape, .chunk = chunk, .flags = DRX_SHELL };
    drx_array *a;
    const double begun = seconds();

    assert_status(drx_create("endless", &spec, &a), DRX_EOVERFLOW);
    assert_detail("shell");
    assert_true(seconds() - begun < 1);
    spec.shape = (int64_t[]){ 1 << 30, 3 }; /* the longest alone is one growth */
    assert_ok(drx_create("endless", &spec, &a));
    assert_ok(drx_close(a));
}

/* Many short axes are not cut in parts that leave most of each chunk empty. */
TEST(default_chunks_of_short_axes)
{
    static const int64_t extents[] = { 5, 7, 3, 2 };
    static const int ndims[] = { 10, 7, 14, 20 };

    for (int i = 0; i < 4; i++) {
        int64_t shape[DRX_MAX_NDIM];
        double bytes = 4;
        double chunk_bytes = 4;
        drx_array *a;
        const drx_spec spec = { .ndim = ndims[i], .type = DRX_FLOAT32, .shape = shape };

        for (int j = 0; j < ndims[i]; j++) {
            shape[j] = extents[i];
            bytes *= (double)extents[i];
        }
        assert_ok(drx_create("short", &spec, &a));
        for (int j = 0; j < ndims[i]; j++)
            chunk_bytes *= (double)drx_chunk(a)[j];
        assert_true(chunk_bytes <= 1 << 20 && chunk_bytes >= 1 << 16);
        assert_true((double)drx_chunk_count(a) * chunk_bytes <= 1.3 * bytes);
        assert_ok(drx_close(a));
        assert_ok(drx_remove("short"));
    }
}
