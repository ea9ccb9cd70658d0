/* Random histories on all ranks together, against a plain array in memory; and at the end both files against those of
 * one process that did the same. Every rank draws the same numbers, so each knows what all of them do. */
#include "mp_testing.h"

enum { MAX_NDIM = 3, MAX_EXTENT = 60, ROOM = MAX_EXTENT * MAX_EXTENT * MAX_EXTENT };

static uint64_t seed;
static int ndim;
static int64_t shape[MAX_NDIM], chunk[MAX_NDIM];
static int32_t fill;
static int32_t model[ROOM], buf[ROOM], slab[ROOM]; /* model: of MAX_EXTENT indices an axis */
static drxmp_array *many;
static drx_array *one; /* rank 0 */

static int64_t below(int64_t n)
{
    return random_below(&seed, n);
}

static int64_t at(const int64_t index[])
{
    int64_t place = 0;

    for (int j = 0; j < ndim; j++)
        place = place * MAX_EXTENT + index[j];
    return place;
}

/* A box of a rank, in steps. */
struct box {
    int64_t lo[MAX_NDIM], count[MAX_NDIM], step[MAX_NDIM], stride[MAX_NDIM];
    int64_t n;
};

static void set_strides(struct box *b, drx_order order)
{
    int64_t stride = 1;

    b->n = 1;
    for (int i = 0; i < ndim; i++) {
        const int j = order == DRX_ROW_MAJOR ? ndim - 1 - i : i;

        b->stride[j] = stride;
        stride *= b->count[j];
        b->n *= b->count[j];
    }
}

/* Element `which` of the box: its index, and where it is in memory. */
static int64_t element(const struct box *b, int64_t which, int64_t index[])
{
    int64_t place = 0;

    for (int j = ndim - 1; j >= 0; j--) {
        const int64_t i = which % b->count[j];

        which /= b->count[j];
        index[j] = b->lo[j] + i * b->step[j];
        place += i * b->stride[j];
    }
    return place;
}

/* A random box, of which each rank gets a part: adjacent ones, or every so many indices, or all of it (`whole`). */
static void draw_boxes(struct box *mine, struct box boxes[], const int64_t low[], bool whole)
{
    struct box all = { .n = 0 };
    const int axis = (int)below(ndim), way = (int)below(3);
    const drx_order order = below(2) ? DRX_ROW_MAJOR : DRX_COL_MAJOR;

    for (int j = 0; j < ndim; j++) {
        const int64_t extent = shape[j] - low[j];

        all.step[j] = 1;
        all.count[j] = below(4) ? below(extent + 1) : extent;
        all.lo[j] = low[j] + below(extent - all.count[j] + 1);
    }
    for (int rank = 0; rank < mp_ranks; rank++) {
        struct box *b = &boxes[rank];
        const int64_t from = all.count[axis] * rank / mp_ranks, to = all.count[axis] * (rank + 1) / mp_ranks;

        *b = all;
        if (whole && below(2)) {
            for (int j = 0; j < ndim; j++) {
                b->count[j] = below(shape[j] - low[j] + 1);
                b->lo[j] = low[j] + below(shape[j] - low[j] - b->count[j] + 1);
            }
        } else if (way == 0) {
            b->lo[axis] += from;
            b->count[axis] = to - from;
        } else if (way == 1) { /* every so many indices */
            b->lo[axis] += rank;
            b->step[axis] = mp_ranks;
            b->count[axis] = (all.count[axis] - rank + mp_ranks - 1) / mp_ranks;
            if (b->count[axis] <= 0)
                b->lo[axis] = b->count[axis] = 0;
        } else if (rank != (int)(all.lo[axis] % mp_ranks)) { /* one has all */
            b->count[axis] = 0;
        }
        set_strides(b, order);
    }
    *mine = boxes[mp_rank];
}

static void write_model(const struct box *b, int32_t first)
{
    for (int64_t i = 0; i < b->n; i++) {
        int64_t index[MAX_NDIM];

        (void)element(b, i, index);
        model[at(index)] = first + (int32_t)i;
    }
}

static void fill_buffer(const struct box *b, int32_t first)
{
    for (int64_t i = 0; i < b->n; i++) {
        int64_t index[MAX_NDIM];
        const int64_t place = element(b, i, index);

        buf[place] = first + (int32_t)i;
    }
}

static bool steps(const struct box *b)
{
    for (int j = 0; j < ndim; j++)
        if (b->step[j] > 1)
            return true;
    return false;
}

static drx_order order_of(const struct box *b)
{
    return b->stride[ndim - 1] == 1 && (ndim == 1 || b->stride[0] == b->n / (b->count[0] ? b->count[0] : 1))
               ? DRX_ROW_MAJOR
               : DRX_COL_MAJOR;
}

/* All ranks use the same call, whatever the box of one is. */
static bool any_steps(const struct box boxes[])
{
    for (int rank = 0; rank < mp_ranks; rank++)
        if (steps(&boxes[rank]))
            return true;
    return false;
}

static void do_write(void)
{
    struct box boxes[16], mine;
    const int64_t zero[MAX_NDIM] = { 0 };
    const int32_t first = (int32_t)below(1 << 28);
    const int way = (int)below(3);

    draw_boxes(&mine, boxes, zero, false);
    for (int rank = 0; rank < mp_ranks; rank++) {
        write_model(&boxes[rank], first + rank * 1000000);
        if (mp_rank == 0) {
            fill_buffer(&boxes[rank], first + rank * 1000000);
            assert_ok(drx_write_box(one,
                                    &(drx_box){ .lo = boxes[rank].lo,
                                                .count = boxes[rank].count,
                                                .step = boxes[rank].step,
                                                .stride = boxes[rank].stride },
                                    buf));
        }
    }
    fill_buffer(&mine, first + mp_rank * 1000000);
    if (any_steps(boxes) || way == 0) {
        assert_ok(drxmp_write_box_all(
            many, &(drx_box){ .lo = mine.lo, .count = mine.count, .step = mine.step, .stride = mine.stride }, buf));
    } else if (way == 1) {
        drx_request *request;
        int done = 0;

        assert_ok(drxmp_iwrite_all(many, &(drx_box){ .lo = mine.lo, .count = mine.count, .order = order_of(&mine) },
                                   buf, &request));
        for (int i = 0; i < 1000 && !done; i++)
            assert_ok(drx_test(request, &done));
        assert_ok(drx_wait(request));
    } else {
        assert_ok(drxmp_write_all(many, mine.lo, mine.count, order_of(&mine), buf));
    }
}

static void check_buffer(const struct box *b)
{
    for (int64_t i = 0; i < b->n; i++) {
        int64_t index[MAX_NDIM];
        const int64_t place = element(b, i, index);

        if (buf[place] != model[at(index)])
            print_error("[%d %d %d] is %d, expected %d\n", (int)index[0], ndim > 1 ? (int)index[1] : 0,
                        ndim > 2 ? (int)index[2] : 0, (int)buf[place], (int)model[at(index)]);
        assert_int_equal(buf[place], model[at(index)]);
    }
}

static void do_read(void)
{
    struct box boxes[16], mine;
    const int64_t zero[MAX_NDIM] = { 0 };
    const int way = (int)below(4);

    draw_boxes(&mine, boxes, zero, true);
    memset(buf, -1, sizeof buf);
    if (any_steps(boxes) || way == 0) {
        assert_ok(drxmp_read_box_all(
            many, &(drx_box){ .lo = mine.lo, .count = mine.count, .step = mine.step, .stride = mine.stride }, buf));
    } else if (way == 1) {
        drx_request *request, *second;

        assert_ok(drxmp_iread_all(many, &(drx_box){ .lo = mine.lo, .count = mine.count, .order = order_of(&mine) },
                                  slab, &second));
        assert_ok(drxmp_iread_all(many, &(drx_box){ .lo = mine.lo, .count = mine.count, .order = order_of(&mine) }, buf,
                                  &request));
        assert_status(drxmp_extend(many, 0, 1), DRX_EBUSY);
        assert_ok(drx_wait(second));
        assert_ok(drx_wait(request));
    } else if (way == 2) {
        assert_ok(drxmp_read(many, mine.lo, mine.count, order_of(&mine), buf));
    } else {
        assert_ok(drxmp_read_all(many, mine.lo, mine.count, order_of(&mine), buf));
    }
    check_buffer(&mine);
    (void)MPI_Barrier(mp_comm);
}

static void do_grow(void)
{
    const int axis = (int)below(ndim);
    const int64_t by = below(1 + (MAX_EXTENT - shape[axis] < 9 ? MAX_EXTENT - shape[axis] : 9));

    if (mp_rank == 0)
        assert_ok(drx_extend(one, axis, by));
    assert_ok(drxmp_extend(many, axis, by));
    shape[axis] += by;
}

static void do_append(void)
{
    const int axis = (int)below(ndim);
    const int64_t by = below(1 + (MAX_EXTENT - shape[axis] < 9 ? MAX_EXTENT - shape[axis] : 9));
    const int32_t first = (int32_t)below(1 << 28);
    struct box boxes[16], mine;
    int64_t low[MAX_NDIM] = { 0 };

    low[axis] = shape[axis];
    shape[axis] += by;
    draw_boxes(&mine, boxes, low, false);
    if (any_steps(boxes)) { /* there is no such call */
        shape[axis] -= by;
        return;
    }
    fill_buffer(&mine, first + mp_rank * 1000000);
    assert_ok(drxmp_append_all(many, axis, by, mine.lo, mine.count, order_of(&mine), buf));
    for (int rank = 0; rank < mp_ranks; rank++)
        write_model(&boxes[rank], first + rank * 1000000);
    if (mp_rank == 0) {
        struct box whole = { .n = 1 };

        for (int j = 0; j < ndim; j++) {
            whole.lo[j] = low[j];
            whole.count[j] = shape[j] - low[j];
            whole.step[j] = 1;
        }
        set_strides(&whole, DRX_ROW_MAJOR);
        for (int64_t i = 0; i < whole.n; i++) {
            int64_t index[MAX_NDIM];
            const int64_t place = element(&whole, i, index);

            slab[place] = model[at(index)];
        }
        assert_ok(drx_append(one, axis, by, DRX_ROW_MAJOR, slab));
    }
}

static void do_settings(void)
{
    char ranks[16], bytes[16];
    MPI_Info info;

    (void)snprintf(ranks, sizeof ranks, "%d", below(2) ? mp_ranks : 1 + (int)below(mp_ranks));
    (void)snprintf(bytes, sizeof bytes, "%d", below(2) ? 1 << 16 : 1 << 25);
    assert_int_equal(MPI_Info_create(&info), MPI_SUCCESS);
    assert_int_equal(MPI_Info_set(info, "drx_io_ranks", ranks), MPI_SUCCESS);
    assert_int_equal(MPI_Info_set(info, "drx_buffer", bytes), MPI_SUCCESS);
    assert_int_equal(MPI_Info_set(info, "drx_backend", below(2) ? "posix" : "mpiio"), MPI_SUCCESS);
    assert_ok(drxmp_set_info(many, info));
    assert_int_equal(MPI_Info_free(&info), MPI_SUCCESS);
}

static void do_reopen(void)
{
    assert_ok(drxmp_close(many));
    assert_ok(drxmp_open(mp_comm, "many", DRX_RDWR, &many));
}

static void begin_history(void)
{
    const int32_t fills[] = { 0, -7 };
    drx_spec spec = { .type = DRX_INT32, .flags = DRX_REPLACE };

    ndim = 1 + (int)below(MAX_NDIM);
    fill = fills[below(2)];
    for (int j = 0; j < ndim; j++) {
        shape[j] = below(20);
        chunk[j] = 1 + below(9);
    }
    for (int i = 0; i < ROOM; i++)
        model[i] = fill;
    spec.ndim = ndim;
    spec.shape = shape;
    spec.chunk = chunk;
    spec.fill = &fill;
    spec.chunk_order = below(2) ? DRX_ROW_MAJOR : DRX_COL_MAJOR;
    spec.align = below(2) ? 64 : 1;
    assert_ok(drxmp_create(mp_comm, "many", &spec, &many));
    if (mp_rank == 0)
        assert_ok(drx_create("one", &spec, &one));
}

static void end_history(void)
{
    assert_ok(drxmp_close(many));
    if (mp_rank == 0)
        assert_ok(drx_close(one));
    mp_assert_same_files("many", "one");
}

static void histories(void **state)
{
    static void (*const what[])(void) = { do_write,  do_write, do_write,  do_read,     do_read,  do_grow,
                                          do_append, do_grow,  do_append, do_settings, do_reopen };
    const char *text = getenv("DRX_MODEL_OPS");
    const int histories = text ? 1 + (int)strtol(text, NULL, 10) / 10000 : 10;

    seed = mp_seed();
    for (int h = 0; h < histories; h++) {
        begin_history();
        for (int i = 0; i < 60; i++)
            what[below((int64_t)(sizeof what / sizeof what[0]))]();
        end_history();
    }
}

MP_SUITE(test_mp_model, cmocka_unit_test(histories))
