/* Random histories on all ranks together, compared with a plain array in memory. At the end, both files are compared
 * with those of one process that did the same; of an array in the memory of the job, its elements with those of one in
 * the memory of one process. Every rank draws the same numbers, so each knows what all of them do. */
#include "base/hooks.h"
#include "drx_tools.h"
#include "mp/mp.h"
#include "mp_testing.h"

enum { MAX_NDIM = 3, MAX_EXTENT = 60, MIDDLE = 50, SPAN = 2 * MIDDLE, ROOM = SPAN * SPAN * SPAN };

static int ndim;
static int64_t lower[MAX_NDIM], upper[MAX_NDIM], chunk[MAX_NDIM];
static int32_t fill;
static int32_t model[ROOM], buf[ROOM], slab[ROOM]; /* model: of SPAN indices an axis, from -MIDDLE on */
static drxmp_array *many;
static drx_array *one; /* rank 0 */
static bool in_memory; /* both are */
static bool packed;    /* they are compressed: the same files need the same calls, of all ranks together */
static bool apart;     /* ranks write alone, too; then the files need not be the same */

static int64_t at(const int64_t index[])
{
    int64_t place = 0;

    for (int j = 0; j < ndim; j++)
        place = place * SPAN + MIDDLE + index[j];
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

/* How boxes are drawn: of a random one each rank gets a part; or it may get any box; or the parts are those of all. */
enum draw { PARTS, ANY, ALL };

/* A random box, of which each rank gets a part: adjacent ones, or every so many indices, or all of it. It goes to
 * boxes[mp_ranks]. Returns whether a box has steps: all ranks use the same call, whatever the box of one is. */
static bool draw_boxes(struct box boxes[], const int64_t low[], const int64_t high[], enum draw draw)
{
    struct box all = { .n = 0 };
    const int axis = (int)mp_below(ndim), way = (int)mp_below(3);
    const drx_order order = mp_any_order();
    bool steps = false;

    for (int j = 0; j < ndim; j++) {
        const int64_t extent = high[j] - low[j];

        all.step[j] = 1;
        all.count[j] = mp_below(4) && draw != ALL ? mp_below(extent + 1) : extent;
        all.lo[j] = low[j] + mp_below(extent - all.count[j] + 1);
    }
    for (int rank = 0; rank < mp_ranks; rank++) {
        struct box *b = &boxes[rank];
        const int64_t from = all.count[axis] * rank / mp_ranks, to = all.count[axis] * (rank + 1) / mp_ranks;

        *b = all;
        if (draw == ANY && mp_below(2)) {
            for (int j = 0; j < ndim; j++) {
                b->count[j] = mp_below(high[j] - low[j] + 1);
                b->lo[j] = low[j] + mp_below(high[j] - low[j] - b->count[j] + 1);
            }
        } else if (way == 0) {
            b->lo[axis] += from;
            b->count[axis] = to - from;
        } else if (way == 1) { /* every so many indices */
            b->lo[axis] += rank;
            b->step[axis] = mp_ranks;
            b->count[axis] = (all.count[axis] - rank + mp_ranks - 1) / mp_ranks;
            if (b->count[axis] <= 0) {
                b->lo[axis] = low[axis];
                b->count[axis] = 0;
            }
            steps = steps || mp_ranks > 1;
        } else if (rank != (int)((all.lo[axis] + MIDDLE) % mp_ranks)) { /* one has all */
            b->count[axis] = 0;
        }
        set_order(b, order);
    }
    set_order(&all, order);
    boxes[mp_ranks] = all;
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

/* What the model has. */
static void write_one(const struct box *b)
{
    const drx_box box = box_of(b, true);

    for (int64_t i = 0; i < b->n; i++) {
        int64_t index[MAX_NDIM];
        const int64_t place = element(b, i, index);

        buf[place] = model[at(index)];
    }
    assert_ok(drx_write_box(one, &box, buf));
}

/* Put this rank's part of the buffer alone, as a box or element by element. */
static void put_alone(const struct box *b, bool steps)
{
    static int64_t indices[ROOM][MAX_NDIM];
    static int32_t values[ROOM];

    if (!steps && mp_below(2)) {
        assert_ok(drxmp_put(many, b->lo, b->count, b->order, buf));
    } else {
        for (int64_t i = 0; i < b->n; i++) {
            int64_t *index = &indices[0][0] + i * ndim, place = element(b, i, index);

            values[i] = buf[place];
        }
        assert_ok(drxmp_scatter(many, b->n, &indices[0][0], values));
    }
    assert_ok(drxmp_sync(many));
}

/* All ranks add to the same box at the same time, which counts for every one of them. */
static void do_add(void)
{
    struct box boxes[17];
    const int32_t alpha = 1 + (int32_t)mp_below(9);
    struct box *b = &boxes[mp_ranks];

    (void)draw_boxes(boxes, lower, upper, PARTS);
    for (int64_t i = 0; i < b->n; i++) {
        int64_t index[MAX_NDIM];
        const int64_t place = element(b, i, index);

        buf[place] = (int32_t)i;
        model[at(index)] += (int32_t)(i * alpha * mp_ranks);
    }
    assert_ok(drxmp_acc(many, b->lo, b->count, b->order, &alpha, buf));
    if (b->n > 0 && mp_below(2)) {
        assert_ok(drxmp_fetch_add(many, b->lo, 5, NULL));
        model[at(b->lo)] += 5 * mp_ranks;
    }
    if (mp_rank == 0)
        write_one(b);
    assert_ok(drxmp_sync(many));
}

static void do_write(void)
{
    struct box boxes[17];
    const struct box *mine = &boxes[mp_rank];
    const int32_t first = (int32_t)mp_below(1 << 28);
    const int way = (int)mp_below(packed ? 2 : 3) * (packed ? 2 : 1);
    const bool steps = draw_boxes(boxes, lower, upper, PARTS);
    const drx_box box = box_of(mine, steps || way == 0);

    for (int rank = 0; rank < mp_ranks; rank++) {
        number(&boxes[rank], first + rank * 1000000, true);
        if (mp_rank == 0 && !packed) {
            const drx_box theirs = box_of(&boxes[rank], true);

            number(&boxes[rank], first + rank * 1000000, false);
            assert_ok(drx_write_box(one, &theirs, buf));
        }
    }
    if (mp_rank == 0 && packed)
        write_one(&boxes[mp_ranks]);
    number(mine, first + mp_rank * 1000000, false);
    if (in_memory && mp_below(2)) {
        put_alone(mine, steps);
    } else if (steps || way == 0) {
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

/* Each rank by itself: a box, or its elements. */
static void do_write_alone(void)
{
    struct box boxes[17];
    const struct box *mine = &boxes[mp_rank];
    const int32_t first = (int32_t)mp_below(1 << 28);
    const bool singly = mp_below(2) + !draw_boxes(boxes, lower, upper, PARTS) == 2;
    const drx_box box = box_of(mine, true);

    for (int rank = 0; rank < mp_ranks; rank++)
        number(&boxes[rank], first + rank * 1000000, true);
    number(mine, first + mp_rank * 1000000, false);
    if (!singly)
        assert_ok(drx_write_box(drxmp_serial(many), &box, buf));
    for (int64_t i = 0; singly && i < mine->n; i++) {
        int64_t index[MAX_NDIM];
        const int64_t place = element(mine, i, index);

        assert_ok(drx_put(drxmp_serial(many), index, &buf[place]));
    }
    if (mine->n > 0) /* what was put reaches the file */
        assert_ok(drxmp_read(many, mine->lo, (int64_t[MAX_NDIM]){ 1, 1, 1 }, DRX_ROW_MAJOR, buf));
    (void)MPI_Barrier(mp_comm);
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
    struct box boxes[17];
    const struct box *mine = &boxes[mp_rank];
    const int way = (int)mp_below(4);
    const bool steps = draw_boxes(boxes, lower, upper, ANY);
    const drx_box box = box_of(mine, steps || way == 0);

    memset(buf, -1, sizeof buf);
    if (in_memory && !steps && mp_below(2)) {
        assert_ok(drxmp_get(many, mine->lo, mine->count, mine->order, buf));
    } else if (steps || way == 0) {
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

/* As many indices as fit, at either end. */
static int64_t draw_growth(int axis, bool before)
{
    const int64_t extent = MAX_EXTENT - (upper[axis] - lower[axis]),
                  room = MIDDLE + (before ? lower[axis] : -upper[axis]);
    const int64_t most = extent < room ? extent : room;

    return mp_below(1 + (most < 9 ? most : 9));
}

static void follow(int axis, bool before, int64_t by)
{
    *(before ? &lower[axis] : &upper[axis]) += before ? -by : by;
}

static void do_grow(void)
{
    const int axis = (int)mp_below(ndim);
    const bool before = mp_below(2);
    const int64_t by = draw_growth(axis, before);

    if (mp_rank == 0)
        assert_ok(before ? drx_extend_before(one, axis, by) : drx_extend(one, axis, by));
    assert_ok(before ? drxmp_extend_before(many, axis, by) : drxmp_extend(many, axis, by));
    follow(axis, before, by);
}

/* The elements of the box low <= i < high, in row-major order. */
static const int32_t *gather(const int64_t low[], const int64_t high[])
{
    struct box whole = { .n = 1 };

    for (int j = 0; j < ndim; j++) {
        whole.lo[j] = low[j];
        whole.count[j] = high[j] - low[j];
        whole.step[j] = 1;
    }
    set_order(&whole, DRX_ROW_MAJOR);
    for (int64_t i = 0; i < whole.n; i++) {
        int64_t index[MAX_NDIM];
        const int64_t place = element(&whole, i, index);

        slab[place] = model[at(index)];
    }
    return slab;
}

/* The part of this rank, in one piece or in pieces of an index. */
struct part {
    int axis;
    const struct box *box;
    int64_t first, by;
    bool pieces;
};

static drx_status next_piece(void *with, int64_t done, int64_t *n, int64_t lo[], int64_t count[], const void **out)
{
    const struct part *p = with;
    const struct box *b = p->box;
    const int64_t i = p->first + done - b->lo[p->axis];

    if (done == p->by)
        return DRX_OK;
    *n = 1;
    memcpy(lo, b->lo, sizeof b->lo);
    memcpy(count, b->count, sizeof b->count);
    lo[p->axis] = p->first + done;
    count[p->axis] = b->n > 0 && i >= 0 && i < b->count[p->axis];
    *out = buf + (count[p->axis] ? i * b->stride[p->axis] : 0);
    return DRX_OK;
}

static drx_status append_part(const struct part *p, bool before)
{
    const struct box *b = p->box;

    if (p->pieces)
        return before ? drxmp_prepend_pieces(many, p->axis, p->by, b->order, next_piece, (void *)(uintptr_t)p)
                      : drxmp_append_pieces(many, p->axis, p->by, b->order, next_piece, (void *)(uintptr_t)p);
    return before ? drxmp_prepend_all(many, p->axis, p->by, b->lo, b->count, b->order, buf)
                  : drxmp_append_all(many, p->axis, p->by, b->lo, b->count, b->order, buf);
}

/* Pieces are contiguous where the axis is the slowest. */
static bool is_slowest(int axis, drx_order order)
{
    return axis == (order == DRX_ROW_MAJOR ? 0 : ndim - 1);
}

/* The slab low <= i < high of the model, in pieces of an index. */
struct serial_slab {
    int axis;
    int64_t low[MAX_NDIM], high[MAX_NDIM];
};

static drx_status next_of_model(void *with, int64_t done, int64_t *n, const void **out)
{
    const struct serial_slab *s = with;
    int64_t low[MAX_NDIM], high[MAX_NDIM];

    if (done == s->high[s->axis] - s->low[s->axis])
        return DRX_OK;
    *n = 1;
    memcpy(low, s->low, sizeof low);
    memcpy(high, s->high, sizeof high);
    low[s->axis] += done;
    high[s->axis] = low[s->axis] + 1;
    *out = gather(low, high);
    return DRX_OK;
}

static drx_status append_one(int axis, bool before, const int64_t low[], const int64_t high[], bool pieces)
{
    struct serial_slab s = { .axis = axis };
    const int64_t by = high[axis] - low[axis];

    memcpy(s.low, low, sizeof s.low);
    memcpy(s.high, high, sizeof s.high);
    if (pieces)
        return (before ? drx_prepend_pieces : drx_append_pieces)(one, axis, by, DRX_ROW_MAJOR, next_of_model, &s);
    return (before ? drx_prepend : drx_append)(one, axis, by, DRX_ROW_MAJOR, gather(low, high));
}

static void do_append(void)
{
    const int axis = (int)mp_below(ndim);
    const bool before = mp_below(2);
    const int64_t by = draw_growth(axis, before);
    const int32_t first = (int32_t)mp_below(1 << 28);
    struct box boxes[17];
    struct part part = { axis, &boxes[mp_rank], 0, by, mp_below(2) };
    int64_t low[MAX_NDIM], high[MAX_NDIM];

    memcpy(low, lower, sizeof low);
    memcpy(high, upper, sizeof high);
    low[axis] = before ? lower[axis] - by : upper[axis];
    high[axis] = low[axis] + by;
    part.first = low[axis];
    if (draw_boxes(boxes, low, high, packed ? ALL : PARTS)) /* there is no such call */
        return;
    part.pieces = part.pieces && is_slowest(axis, part.box->order);
    number(part.box, first + mp_rank * 1000000, false);
    assert_ok(append_part(&part, before));
    follow(axis, before, by);
    for (int rank = 0; rank < mp_ranks; rank++)
        number(&boxes[rank], first + rank * 1000000, true);
    if (mp_rank == 0)
        assert_ok(append_one(axis, before, low, high, packed && part.pieces));
}

static void forget(const int64_t low[], const int64_t high[])
{
    int64_t index[MAX_NDIM] = { 0 }, count[MAX_NDIM], here[MAX_NDIM];

    for (int j = 0; j < ndim; j++) {
        count[j] = high[j] - low[j];
        if (count[j] <= 0)
            return;
    }
    do {
        for (int j = 0; j < ndim; j++)
            here[j] = low[j] + index[j];
        model[at(here)] = fill;
    } while (next_index(ndim, count, index));
}

static void do_trim(void)
{
    const int axis = (int)mp_below(ndim);
    const int64_t extent = upper[axis] - lower[axis], most = extent < 5 ? extent : 5;
    const int64_t before = mp_below(most + 1), after = mp_below(most - before + 1);
    int64_t low[MAX_NDIM], high[MAX_NDIM];

    if (mp_rank == 0)
        assert_ok(drx_trim(one, axis, before, after));
    assert_ok(drxmp_trim(many, axis, before, after));
    memcpy(low, lower, sizeof low);
    memcpy(high, upper, sizeof high);
    high[axis] = lower[axis] += before;
    forget(low, high);
    low[axis] = upper[axis] -= after;
    high[axis] = low[axis] + after;
    forget(low, high);
}

static void do_add_axis(void)
{
    const int place = (int)mp_below(ndim + 1);
    int64_t inner = 1, n = 1;

    if (ndim == MAX_NDIM || mp_below(4))
        return;
    if (mp_rank == 0)
        assert_ok(drx_add_axis(one, place, "new"));
    assert_ok(drxmp_add_axis(many, place, "new"));
    for (int j = 0; j < ndim; j++) {
        inner *= j < place ? 1 : SPAN;
        n *= SPAN;
    }
    memcpy(slab, model, (size_t)n * sizeof *model);
    for (int64_t i = 0; i < n * SPAN; i++)
        model[i] = fill;
    for (int64_t i = 0; i < n; i++)
        model[(i / inner * SPAN + MIDDLE) * inner + i % inner] = slab[i];
    for (int j = ndim++; j > place; j--) {
        lower[j] = lower[j - 1];
        upper[j] = upper[j - 1];
        chunk[j] = chunk[j - 1];
    }
    lower[place] = 0;
    upper[place] = chunk[place] = 1;
}

static void do_sync(void)
{
    if (mp_rank == 0)
        assert_ok(drx_sync(one));
    assert_ok(drxmp_sync(many));
}

static void do_settings(void)
{
    assert_ok(mp_set_any(many));
}

static void do_reopen(void)
{
    if (in_memory)
        return;
    assert_ok(drxmp_close(many));
    many = mp_open("many", DRX_RDWR);
    if (mp_rank == 0 && packed) { /* which makes durable what was not */
        assert_ok(drx_close(one));
        assert_ok(drx_open("one", DRX_RDWR, &one));
    }
}

static void do_compact(void)
{
    if (mp_rank == 0)
        assert_ok(drx_compact(one));
    assert_ok(drxmp_compact(many));
}

/* Which ranks share memory. */
static void draw_nodes(void)
{
    static const char *const ways[] = { "direct", "direct", "2", "3", "rma" };

    assert_int_equal(setenv("DRXMP_ONESIDED", ways[mp_below(5)], 1), 0);
    drxi_hooks.no_aliases = mp_below(5) == 0;
    drxi_job_least_bytes = mp_below(3) ? 1 + mp_below(5000) : 1 << 20;
}

static void begin_history(void)
{
    const int32_t fills[] = { 0, -7 };
    int64_t shape[MAX_NDIM];
    drx_spec spec = { .type = DRX_INT32, .flags = DRX_REPLACE };

    ndim = 1 + (int)mp_below(MAX_NDIM);
    fill = fills[mp_below(2)];
    for (int j = 0; j < ndim; j++) {
        shape[j] = mp_below(20);
        lower[j] = mp_below(3) ? 0 : mp_below(21) - 10;
        upper[j] = lower[j] + shape[j];
        chunk[j] = 1 + mp_below(9);
    }
    for (int i = 0; i < ROOM; i++)
        model[i] = fill;
    spec.ndim = ndim;
    spec.shape = shape;
    spec.lower = lower;
    spec.chunk = chunk;
    spec.fill = &fill;
    spec.chunk_order = mp_any_order();
    spec.align = mp_below(2) ? 64 : 1;
    spec.codec = packed ? (drx_codec)(1 + mp_below(3)) : DRX_RAW;
    if (in_memory)
        draw_nodes();
    many = mp_create(in_memory ? NULL : "many", &spec);
    if (mp_rank == 0)
        assert_ok(drx_create(in_memory ? NULL : "one", &spec, &one));
}

/* One process reads what it has. */
static void compare_elements(void)
{
    int64_t n = 1;

    for (int j = 0; j < ndim; j++) {
        n *= upper[j] - lower[j];
        assert_int_equal(drx_shape(one)[j], upper[j] - lower[j]);
        assert_int_equal(drx_shape(drxmp_serial(many))[j], upper[j] - lower[j]);
        assert_int_equal(drx_lower(drxmp_serial(many))[j], lower[j]);
    }
    assert_ok(drx_read(one, lower, drx_shape(one), DRX_ROW_MAJOR, buf));
    assert_ok(drx_read(drxmp_serial(many), lower, drx_shape(one), DRX_ROW_MAJOR, slab));
    assert_memory_equal(buf, slab, (size_t)n * sizeof *buf);
    (void)gather(lower, upper);
    assert_memory_equal(buf, slab, (size_t)n * sizeof *buf);
}

static void end_history(void)
{
    if (in_memory && mp_rank == 0)
        compare_elements();
    assert_ok(drxmp_close(many));
    if (mp_rank == 0)
        assert_ok(drx_close(one));
    if (apart && mp_rank == 0)
        assert_ok(drx_check("many", NULL, NULL, NULL, NULL));
    if (!apart && !in_memory)
        mp_assert_same_files("many", "one");
}

static void play(void (*const what[])(void), size_t n)
{
    const char *text = getenv("DRX_MODEL_OPS");
    const int histories = text ? 1 + (int)strtol(text, NULL, 10) / 10000 : mp_rounds(10);

    for (int h = 0; h < histories; h++) {
        begin_history();
        for (int i = 0; i < 60; i++)
            what[mp_below((int64_t)n)]();
        end_history();
    }
}

TEST(histories)
{
    static void (*const what[])(void) = { do_write, do_write,  do_write,    do_read,   do_read, do_grow,     do_append,
                                          do_grow,  do_append, do_settings, do_reopen, do_trim, do_add_axis, do_sync };

    play(what, sizeof what / sizeof what[0]);
}

TEST(histories_of_compressed_arrays)
{
    static void (*const what[])(void) = { do_write,  do_write,  do_write,    do_read,   do_read,    do_grow,
                                          do_append, do_append, do_settings, do_reopen, do_trim,    do_add_axis,
                                          do_sync,   do_append, do_grow,     do_append, do_compact, do_sync };

    packed = true;
    play(what, sizeof what / sizeof what[0]);
    packed = false;
}

TEST(histories_of_compressed_arrays_that_ranks_write_alone)
{
    static void (*const what[])(void) = { do_write_alone, do_write_alone, do_write_alone, do_write,  do_read,
                                          do_read,        do_grow,        do_append,      do_append, do_settings,
                                          do_reopen,      do_trim,        do_add_axis,    do_sync,   do_compact };

    packed = apart = true;
    play(what, sizeof what / sizeof what[0]);
    packed = apart = false;
}

TEST(histories_in_memory)
{
    static void (*const what[])(void) = { do_write, do_write,  do_write,    do_read, do_read,     do_grow, do_append,
                                          do_grow,  do_append, do_settings, do_trim, do_add_axis, do_sync, do_add };

    in_memory = true;
    play(what, sizeof what / sizeof what[0]);
    in_memory = false;
}
