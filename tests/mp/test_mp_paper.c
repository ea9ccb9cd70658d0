/* The paper's calls: what they do beyond its example, and what they refuse. */
#include "mp_testing.h"

#undef MPI_COMM_WORLD
#define MPI_COMM_WORLD mp_comm /* the ranks of DRXMP_Open */
#include "drxmp_paper.c"

/* As the paper prints them. */
static int (*const init)(DRXMDHdl *, int, size_t *, int *, DRXType, DRXComm) = DRXMP_Init;
static int (*const open_array)(DRXMDHdl *, char *, char *) = DRXMP_Open;
static int (*const close_array)(DRXMDHdl) = DRXMP_Close;
static int (*const terminate)(void) = DRXMP_Terminate;
static int (*const read_box)(DRXMDHdl, DRXMDMemHdl, DRXMPStatus *) = DRXMP_Read;
static int (*const read_boxes)(DRXMDHdl, DRXMDMemHdl, DRXMPStatus *) = DRXMP_Read_all;

static char path[] = "paper", beside[] = "beside", reading[] = "r", changing[] = "r+", also_changing[] = "rw";

/* Three axes, each type, both orders; the file of one rank is read by all and the other way round. */
TEST(arrays_and_boxes)
{
    static const DRXType types[] = { DRX_INTEGER, DRX_DOUBLE, DRX_COMPLEX };
    size_t size[3] = { 3, 0, 5 }, start[3] = { 0, 0, 0 }, count[3] = { 3, 4, 6 };
    int chunk[3] = { 2, 3, 2 };

    for (int t = 0; t < 3; t++) {
        const size_t bytes = drx_type_size(types[t]);
        unsigned char c_order[3 * 4 * 6 * 16], f_order[sizeof c_order];
        DRXMDHdl a, b;
        DRXMDMemHdl c, f, none;
        DRXMPStatus status;

        for (size_t i = 0; i < sizeof c_order; i++)
            c_order[i] = (unsigned char)(i * 7 + (size_t)t);
        assert_ok(init(&a, 3, size, chunk, types[t], mp_comm));
        mp_shell("rm -f paper.*");
        assert_ok(DRXMP_Create(a, path));
        assert_ok(DRXMP_Extend(a, 1, 4));
        assert_ok(DRXMP_Extend(a, 2, 1));
        assert_ok(DRXMP_Mem_init(&c, 3, start, count, DRX_ROW_MAJOR, c_order));
        assert_ok(DRXMP_Mem_init(&f, 3, start, count, DRX_COL_MAJOR, f_order));
        assert_ok(DRXMP_Mem_init(&none, 3, start, (size_t[]){ 3, 0, 6 }, DRX_ROW_MAJOR, NULL));
        assert_ok(DRXMP_Write_all(a, mp_rank == mp_ranks - 1 ? c : none, &status));
        assert_ok(status.error);
        assert_int_equal(status.count, mp_rank == mp_ranks - 1 ? 72 : 0);
        assert_ok(close_array(a));

        assert_ok(open_array(&b, path, reading));
        assert_int_equal(drx_shape(drxmp_serial(DRXMP_Array(b)))[2], 6);
        assert_ok(read_box(b, f, &status));
        assert_int_equal(status.count, 72);
        for (size_t i = 0; i < 72; i++) {
            const size_t k = i % 6 * 12 + i / 6 % 4 * 3 + i / 24;

            assert_memory_equal(f_order + k * bytes, c_order + i * bytes, bytes);
        }
        assert_status(DRXMP_Write_all(b, c, NULL), DRX_EACCES);
        assert_ok(terminate());
        assert_status(DRXMP_Mem_free(c), DRX_EINVAL);
    }
}

/* Terminate closes what is open, so that what a rank wrote alone is durable and the lock is gone. */
TEST(terminating)
{
    size_t size[1] = { 4 }, start[1] = { 2 }, count[1] = { 1 };
    int chunk[1] = { 4 };
    double value = 6;
    DRXMDHdl a, described, b;
    DRXMDMemHdl box;

    mp_shell("rm -f paper.*");
    assert_ok(init(&a, 1, size, chunk, DRX_DOUBLE, mp_comm));
    assert_ok(init(&described, 1, size, chunk, DRX_DOUBLE, mp_comm));
    assert_null(DRXMP_Array(described));
    assert_ok(DRXMP_Create(a, path));
    assert_ok(DRXMP_Mem_init(&box, 1, start, count, DRX_ROW_MAJOR, &value));
    if (mp_rank == 0)
        assert_ok(DRXMP_Write(a, box, NULL));
    assert_status(open_array(&b, path, changing), DRX_EBUSY);
    assert_null(b);
    assert_ok(terminate());
    assert_null(DRXMP_Array(a));
    assert_ok(terminate());
    assert_ok(open_array(&b, path, also_changing));
    value = 0;
    assert_ok(DRXMP_Mem_init(&box, 1, start, count, DRX_ROW_MAJOR, &value));
    assert_ok(read_boxes(b, box, NULL));
    assert_true(value == 6);
    assert_ok(DRXMP_Mem_free(box));
    assert_ok(close_array(b));
}

/* An array that requests still use is not lost. */
TEST(closing_a_busy_array)
{
    size_t size[1] = { 4 };
    int chunk[1] = { 4 };
    const int64_t lo = 0, bound = 4;
    double values[4] = { 1, 2, 3, 4 };
    drx_request *req;
    DRXMDHdl a, b;

    mp_shell("rm -f paper.* beside.*");
    assert_ok(init(&a, 1, size, chunk, DRX_DOUBLE, mp_comm));
    assert_ok(DRXMP_Create(a, path));
    assert_ok(init(&b, 1, size, chunk, DRX_DOUBLE, mp_comm));
    assert_ok(DRXMP_Create(b, beside));
    assert_ok(drxmp_iwrite_all(DRXMP_Array(a), &(drx_box){ .lo = &lo, .count = &bound }, values, &req));
    assert_status(close_array(a), DRX_EBUSY);
    assert_non_null(DRXMP_Array(a));
    assert_status(terminate(), DRX_EBUSY); /* closes the others */
    assert_null(DRXMP_Array(b));
    assert_ok(drx_wait(req));
    assert_ok(close_array(a));
    assert_null(DRXMP_Array(a));
    assert_ok(open_array(&a, path, reading));
    memset(values, 0, sizeof values);
    assert_ok(drxmp_read(DRXMP_Array(a), &lo, &bound, DRX_ROW_MAJOR, values));
    assert_true(values[3] == 4);
    assert_ok(terminate());
    mp_shell("rm -f paper.* beside.*");
}

TEST(refusing)
{
    static char nowhere[] = "nowhere", odd[] = "w";
    size_t size[2] = { 4, SIZE_MAX }, start[2] = { 0, 0 }, count[2] = { 1, 1 };
    int chunk[2] = { 2, 2 };
    double value = 0;
    DRXMDHdl a, b;
    DRXMDMemHdl box, other;
    DRXMPStatus status;

    mp_shell("rm -f paper.*");
    assert_status(init(&a, 0, size, chunk, DRX_DOUBLE, mp_comm), DRX_EINVAL);
    assert_null(a);
    assert_status(init(&a, DRX_MAX_NDIM + 1, size, chunk, DRX_DOUBLE, mp_comm), DRX_EINVAL);
    assert_ok(init(&a, 2, size, chunk, DRX_DOUBLE, mp_comm));
    assert_status(DRXMP_Create(a, path), DRX_EINVAL); /* no such bound */
    assert_ok(close_array(a));
    size[1] = 4;
    assert_ok(init(&a, 2, size, chunk, DRX_DOUBLE, mp_comm));
    assert_fails(DRXMP_Extend(a, 0, 1), DRX_EINVAL, "DRXMP_Extend: the handle has no files yet");
    assert_ok(DRXMP_Create(a, path));
    assert_status(DRXMP_Create(a, path), DRX_EINVAL);
    assert_ok(init(&b, 2, size, chunk, DRX_DOUBLE, mp_comm));
    assert_status(DRXMP_Create(b, path), DRX_EEXIST);
    assert_ok(close_array(b));
    assert_fails(close_array(b), DRX_EINVAL, "DRXMP_Close: the handle is not one of an array");
    assert_status(open_array(&b, nowhere, reading), DRX_ENOENT);
    assert_fails(open_array(&b, path, odd), DRX_EINVAL, "\"r\", \"r+\" or \"rw\"");
    assert_null(b);
    assert_status(DRXMP_Extend(a, 2, 1), DRX_EINVAL);
    assert_status(DRXMP_Extend(a, 0, SIZE_MAX), DRX_EINVAL);

    assert_ok(DRXMP_Mem_init(&box, 2, start, count, DRX_ROW_MAJOR, &value));
    assert_ok(DRXMP_Mem_init(&other, 1, start, count, DRX_ROW_MAJOR, &value));
    assert_fails(read_boxes(a, other, &status), DRX_EINVAL, "DRXMP_Read_all: the box has not as many dimensions");
    assert_status(status.error, DRX_EINVAL);
    assert_int_equal(status.count, 0);
    assert_status(read_boxes(a, mp_rank == 0 ? NULL : box, &status), DRX_EINVAL); /* on all, and no rank waits */
    assert_fails(read_box(a, NULL, NULL), DRX_EINVAL, "DRXMP_Read: the handle is not one of a box");
    assert_fails(read_box((DRXMDHdrPtr)NULL, box, NULL), DRX_EINVAL, "DRXMP_Read: the handle is not one of an array");
    assert_ok(DRXMP_Mem_free(other));
    assert_fails(DRXMP_Mem_free(other), DRX_EINVAL, "DRXMP_Mem_free: the handle is not one of a box");
    assert_ok(read_boxes(a, box, NULL));
    assert_ok(terminate());
}
