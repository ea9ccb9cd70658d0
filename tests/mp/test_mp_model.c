/* Random histories on all ranks together, compared with a plain array in memory. At the end, both files are compared
 * with those of one process that did the same. Every rank draws the same numbers, so each knows what all of them do. */
#include "mp_testing.h"

enum { MAX_NDIM = 3, MAX_EXTENT = 60, ROOM = MAX_EXTENT * MAX_EXTENT * MAX_EXTENT };

static int ndim;
static int64_t shape[MAX_NDIM], chunk[MAX_NDIM];
static int32_t fill;
static int32_t model[ROOM], buf[ROOM], slab[ROOM]; /* model: of MAX_EXTENT indices an axis */
static drxmp_array *many;
static drx_array *one; /* rank 0 */

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
    drx_order order;
};

static void set_order(struct box *b, drx_order order)
{
    b->order = order;
    b->n = 1;
    for (int i = 0; i < ndim; i++) {
        const int j = order == DRX_ROW_MAJOR ? ndim - 1 - i : i;

        b->stride[j] = b->n;
        b->n *= b->count[j];
    }
}

/* With strides when there may be steps, otherwise in its order. */
static drx_box box_of(const struct box *b, bool steps)
{
    return (drx_box){ .lo = b->lo,
                      .count = b->count,
                      .step = steps ? b->step : NULL,
                      .stride = steps ? b->stride : NULL,
                      .order = b->order };
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

/* A random box, of which each rank gets a part: adjacent ones, or every so many indices, or all of it (`whole`).
 * Returns whether a box has steps: all ranks use the same call, whatever the box of one is. */
static bool draw_boxes(struct box boxes[], const int64_t low[], bool whole)
{
    struct box all = { .n = 0 };
    const int axis = (int)mp_below(ndim), way = (int)mp_below(3);
    const drx_order order = mp_any_order();
    bool steps = false;

    for (int j = 0; j < ndim; j++) {
        const int64_t extent = shape[j] - low[j];

        all.step[j] = 1;
        all.count[j] = mp_below(4) ? mp_below(extent + 1) : extent;
        all.lo[j] = low[j] + mp_below(extent - all.count[j] + 1);
    }
    for (int rank = 0; rank < mp_ranks; rank++) {
        struct box *b = &boxes[rank];
        const int64_t from = all.count[axis] * rank / mp_ranks, to = all.count[axis] * (rank + 1) / mp_ranks;

        *b = all;
        if (whole && mp_below(2)) {
            for (int j = 0; j < ndim; j++) {
                b->count[j] = mp_below(shape[j] - low[j] + 1);
                b->lo[j] = low[j] + mp_below(shape[j] - low[j] - b->count[j] + 1);
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
            steps = steps || mp_ranks > 1;
        } else if (rank != (int)(all.lo[axis] % mp_ranks)) { /* one has all */
            b->count[axis] = 0;
        }
        set_order(b, order);
    }
    return steps;
}

/* New values for the elements of the box, in the model or in the buffer. */
static void number(const struct box *b, int32_t first, bool in_model)
{
    for (int64_t i = 0; i < b->n; i++) {
        int64_t index[MAX_NDIM];
        const int64_t place = element(b, i, index);

        *(in_model ? &model[at(index)] : &buf[place]) = first + (int32_t)i;
    }
}

static void do_write(void)
{
    struct box boxes[16];
    const struct box *mine = &boxes[mp_rank];
    const int64_t zero[MAX_NDIM] = { 0 };
    const int32_t first = (int32_t)mp_below(1 << 28);
    const int way = (int)mp_below(3);
    const bool steps = draw_boxes(boxes, zero, false);
    const drx_box box = box_of(mine, steps || way == 0);

    for (int rank = 0; rank < mp_ranks; rank++) {
        number(&boxes[rank], first + rank * 1000000, true);
        if (mp_rank == 0) {
            const drx_box theirs = box_of(&boxes[rank], true);

            number(&boxes[rank], first + rank * 1000000, false);
            assert_ok(drx_write_box(one, &theirs, buf));
        }
    }
    number(mine, first + mp_rank * 1000000, false);
    if (steps || way == 0) {
        assert_ok(drxmp_write_box_all(many, &box, buf));
    } else if (way == 1) {
        drx_request *request;
        int done = 0;

        assert_ok(drxmp_iwrite_all(many, &box, buf, &request));
        for (int i = 0; i < 1000 && !done; i++)
            assert_ok(drx_test(request, &done));
        assert_ok(drx_wait(request));
    } else {
        assert_ok(drxmp_write_all(many, mine->lo, mine->count, mine->order, buf));
    }
}

static void check_buffer(const struct box *b)
{
    for (int64_t i = 0; i < b->n; i++) {
        int64_t index[MAX_NDIM] = { 0 };
        const int64_t place = element(b, i, index);

        if (buf[place] != model[at(index)])
            print_error("[%d %d %d] is %d, expected %d\n", (int)index[0], (int)index[1], (int)index[2], (int)buf[place],
                        (int)model[at(index)]);
        assert_int_equal(buf[place], model[at(index)]);
    }
}

static void do_read(void)
{
    struct box boxes[16];
    const struct box *mine = &boxes[mp_rank];
    const int64_t zero[MAX_NDIM] = { 0 };
    const int way = (int)mp_below(4);
    const bool steps = draw_boxes(boxes, zero, true);
    const drx_box box = box_of(mine, steps || way == 0);

    memset(buf, -1, sizeof buf);
    if (steps || way == 0) {
        assert_ok(drxmp_read_box_all(many, &box, buf));
    } else if (way == 1) {
        drx_request *request, *second;

        assert_ok(drxmp_iread_all(many, &box, slab, &second));
        assert_ok(drxmp_iread_all(many, &box, buf, &request));
        assert_status(drxmp_extend(many, 0, 1), DRX_EBUSY);
        assert_ok(drx_wait(second));
        assert_ok(drx_wait(request));
    } else if (way == 2) {
        assert_ok(drxmp_read(many, mine->lo, mine->count, mine->order, buf));
    } else {
        assert_ok(drxmp_read_all(many, mine->lo, mine->count, mine->order, buf));
    }
    check_buffer(mine);
    (void)MPI_Barrier(mp_comm);
}

static int64_t draw_growth(int axis)
{
    return mp_below(1 + (MAX_EXTENT - shape[axis] < 9 ? MAX_EXTENT - shape[axis] : 9));
}

static void do_grow(void)
{
    const int axis = (int)mp_below(ndim);
    const int64_t by = draw_growth(axis);

    if (mp_rank == 0)
        assert_ok(drx_extend(one, axis, by));
    assert_ok(drxmp_extend(many, axis, by));
    shape[axis] += by;
}

static void do_append(void)
{
    const int axis = (int)mp_below(ndim);
    const int64_t by = draw_growth(axis);
    const int32_t first = (int32_t)mp_below(1 << 28);
    struct box boxes[16];
    const struct box *mine = &boxes[mp_rank];
    int64_t low[MAX_NDIM] = { 0 };

    low[axis] = shape[axis];
    shape[axis] += by;
    if (draw_boxes(boxes, low, false)) { /* there is no such call */
        shape[axis] -= by;
        return;
    }
    number(mine, first + mp_rank * 1000000, false);
    assert_ok(drxmp_append_all(many, axis, by, mine->lo, mine->count, mine->order, buf));
    for (int rank = 0; rank < mp_ranks; rank++)
        number(&boxes[rank], first + rank * 1000000, true);
    if (mp_rank == 0) {
        struct box whole = { .n = 1 };

        for (int j = 0; j < ndim; j++) {
            whole.lo[j] = low[j];
            whole.count[j] = shape[j] - low[j];
            whole.step[j] = 1;
        }
        set_order(&whole, DRX_ROW_MAJOR);
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
    assert_ok(mp_set_any(many));
}

static void do_reopen(void)
{
    assert_ok(drxmp_close(many));
    many = mp_open("many", DRX_RDWR);
}

static void begin_history(void)
{
    const int32_t fills[] = { 0, -7 };
    drx_spec spec = { .type = DRX_INT32, .flags = DRX_REPLACE };

    ndim = 1 + (int)mp_below(MAX_NDIM);
    fill = fills[mp_below(2)];
    for (int j = 0; j < ndim; j++) {
        shape[j] = mp_below(20);
        chunk[j] = 1 + mp_below(9);
    }
    for (int i = 0; i < ROOM; i++)
        model[i] = fill;
    spec.ndim = ndim;
    spec.shape = shape;
    spec.chunk = chunk;
    spec.fill = &fill;
    spec.chunk_order = mp_any_order();
    spec.align = mp_below(2) ? 64 : 1;
    many = mp_create("many", &spec);
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

TEST(histories)
{
    static void (*const what[])(void) = { do_write,  do_write, do_write,  do_read,     do_read,  do_grow,
                                          do_append, do_grow,  do_append, do_settings, do_reopen };
    const char *text = getenv("DRX_MODEL_OPS");
    const int histories = text ? 1 + (int)strtol(text, NULL, 10) / 10000 : 10;

    for (int h = 0; h < histories; h++) {
        begin_history();
        for (int i = 0; i < 60; i++)
            what[mp_below((int64_t)(sizeof what / sizeof what[0]))]();
        end_history();
    }
}
