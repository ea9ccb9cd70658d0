/* All ranks access random distributed arrays at once, in every one-sided way, compared with a plain array of the
 * expected elements. */
#include "late_rma.h"
#include "mp_spread.h"

enum { ROUNDS = 24, FAR_ROUNDS = 8, BOXES = 3, LISTED = 20 };

static struct spread s;
static drx_type type;
static int64_t item;
static drxmp_darray *d, *lender;
static uint8_t *mem; /* of this rank's section, and how far apart elements are: */
static int64_t apart;
static uint8_t borrowed[2 * 16 * MOST_CELLS];
struct number {
    int64_t re, im;
};
static struct number model[MOST_CELLS];
static bool owned[MOST_CELLS];
static uint8_t buf[16 * MOST_CELLS];

static bool is_integer(void)
{
    return type <= DRX_UINT64;
}

/* Of integers all bits; of others so few that sums and products are exact. */
static int64_t draw_value(void)
{
    return is_integer() ? (int64_t)random_next(&mp_stream) : mp_below(41) - 20;
}

static void put_value(uint8_t *to, struct number n)
{
    const float floats[2] = { (float)n.re, (float)n.im };
    const double doubles[2] = { (double)n.re, (double)n.im };

    if (is_integer()) /* little-endian: the low bytes */
        memcpy(to, &n.re, (size_t)item);
    else
        memcpy(to, type == DRX_FLOAT32 || type == DRX_COMPLEX64 ? (const void *)floats : doubles, (size_t)item);
}

static void check_value(const char *where, const uint8_t *found, int64_t at)
{
    uint8_t expected[16];

    put_value(expected, model[at]);
    if (memcmp(found, expected, (size_t)item) != 0)
        print_error("rank %d, %s%s: %s, element %d of the model is wrong\n", mp_rank, where, lender ? ", imported" : "",
                    drx_type_name(type), (int)at);
    assert_memory_equal(found, expected, item);
}

/* a x + b y, of integers modulo 2^64 */
static int64_t combine(int64_t a, int64_t x, int64_t b, int64_t y)
{
    return (int64_t)((uint64_t)a * (uint64_t)x + (uint64_t)b * (uint64_t)y);
}

struct box {
    int64_t lo[MOST_AXES], count[MOST_AXES], step[MOST_AXES], n;
    drx_order order;
    enum { PLAIN, BOX, REQUEST } call; /* which of the calls moves it; only the first has no steps */
    bool turned;                       /* backwards in the buffer */
    struct number first, alpha;        /* first: of the values, see value() */
    bool owned;
    char gap[64]; /* the index that nobody owns */
};

static int64_t place(const int64_t global[])
{
    int64_t at = 0;

    for (int j = 0; j < s.ndim; j++)
        at = at * s.size[j] + global[j];
    return at;
}

/* Element i of the box, in the order of the buffer. */
static int64_t place_in(const struct box *b, int64_t i)
{
    int64_t global[MOST_AXES];

    for (int k = 0; k < s.ndim; k++) {
        const int j = b->order == DRX_ROW_MAJOR ? s.ndim - 1 - k : k;

        global[j] = b->lo[j] + i % b->count[j] * b->step[j];
        i /= b->count[j];
    }
    return place(global);
}

/* An index of an axis has no owner when no element there has one. */
static bool is_gap(int axis, int64_t index)
{
    for (int64_t r = 0; r < s.grid[axis]; r++)
        for (int64_t i = 0; i < s.axis[axis].extent[r]; i++)
            if (s.axis[axis].cells[r][i].global == index && s.axis[axis].cells[r][i].owned)
                return false;
    return true;
}

static void find_gap(struct box *b)
{
    b->owned = true;
    for (int j = 0; j < s.ndim && b->owned && b->n > 0; j++)
        for (int64_t i = b->lo[j]; i <= b->lo[j] + (b->count[j] - 1) * b->step[j] && b->owned; i += b->step[j])
            if (is_gap(j, i)) {
                b->owned = false;
                (void)snprintf(b->gap, sizeof b->gap, "axis %d: no rank owns index %d", j, (int)i);
            }
}

/* Of rank `part` of `parts`, which have nothing in common; 0 of 1: of anyone. */
static struct box draw_box(int part, int parts)
{
    struct box b = { .n = 1, .order = mp_any_order(), .call = mp_below(3) };

    b.turned = b.call != PLAIN && mp_below(2);
    for (int j = 0; j < s.ndim; j++) {
        const int64_t from = j == 0 ? s.size[0] * part / parts : 0;
        const int64_t to = j == 0 ? s.size[0] * (part + 1) / parts : s.size[j];

        b.lo[j] = from + (to > from ? mp_below(to - from) : 0);
        b.count[j] = mp_below(10) == 0 ? to - (b.lo[j] = from) : mp_below(to - b.lo[j] + 1);
        b.step[j] = b.call == PLAIN || mp_below(2) ? 1 : 1 + mp_below(4);
        b.count[j] = (b.count[j] + b.step[j] - 1) / b.step[j];
        b.n *= b.count[j];
    }
    b.first.re = draw_value();
    b.first.im = draw_value();
    b.alpha.re = is_integer() ? draw_value() : mp_below(5) - 2;
    b.alpha.im = mp_below(5) - 2;
    find_gap(&b);
    return b;
}

/* Of element i of the buffer. */
static struct number value(const struct box *b, int64_t i)
{
    return (struct number){ combine(b->first.re, 1, i % 50, 3), combine(b->first.im, 1, i % 50, 7) };
}

/* Where element i of the box is in the buffer. */
static uint8_t *in_buffer(const struct box *b, int64_t i)
{
    return buf + (b->turned ? b->n - 1 - i : i) * item;
}

static void fill_buffer(const struct box *b)
{
    for (int64_t i = 0; i < b->n; i++)
        put_value(in_buffer(b, i), value(b, i));
}

enum access { GET, PUT, ACC };

/* The call that the box names; a request that has begun is in *req. */
static drx_status begin_move(enum access access, const struct box *b, const void *alpha, drx_request **req)
{
    int64_t stride[MOST_AXES], step = b->turned ? -1 : 1;
    const drx_box box = { .lo = b->lo, .count = b->count, .step = b->step, .stride = stride };
    uint8_t *first = in_buffer(b, 0);
    drx_request **wanted = b->call == REQUEST ? req : NULL;

    for (int k = 0; k < s.ndim; k++) {
        const int j = b->order == DRX_ROW_MAJOR ? s.ndim - 1 - k : k;

        stride[j] = step;
        step *= b->count[j];
    }
    *req = NULL;
    if (b->call != PLAIN)
        return access == GET   ? drxmp_darray_get_box(d, &box, first, wanted)
               : access == PUT ? drxmp_darray_put_box(d, &box, first, wanted)
                               : drxmp_darray_acc_box(d, &box, alpha, first, wanted);
    return access == GET   ? drxmp_darray_get(d, b->lo, b->count, b->order, buf)
           : access == PUT ? drxmp_darray_put(d, b->lo, b->count, b->order, buf)
                           : drxmp_darray_acc(d, b->lo, b->count, b->order, alpha, buf);
}

static drx_status move(enum access access, const struct box *b, const void *alpha)
{
    drx_request *req;
    drx_status st = begin_move(access, b, alpha, &req);
    int done = 0;

    if (!req)
        return st;
    assert_ok(st);
    if (b->turned) {
        assert_ok(drx_test(req, &done));
        assert_true(done);
    }
    return drx_wait(req);
}

/* The sections in memory of the test, which runs backwards and has gaps. */
static void lend(void)
{
    struct dap_array in;
    int64_t strides[MOST_AXES];

    lender = d;
    assert_ok(drxmp_darray_dap(lender, &in));
    for (int j = 0; j < s.ndim; j++)
        strides[j] = -2 * in.strides[j];
    memset(borrowed, 0, sizeof borrowed);
    mem = borrowed + sizeof borrowed - item;
    apart = -2 * item;
    in.data = mem;
    in.strides = strides;
    assert_ok(drxmp_darray_from_dap(mp_comm, &in, &d));
}

static void begin(void)
{
    int64_t size[MOST_AXES];
    const int ndim = 1 + (int)mp_below(MOST_AXES);

    type = (drx_type)(DRX_INT8 + mp_below(DRX_COMPLEX128));
    item = (int64_t)drx_type_size(type);
    for (int j = 0; j < ndim; j++)
        size[j] = 1 + mp_below(ndim == 1 ? MOST_INDICES : ndim == 2 ? 30 : 12);
    spread_draw(&s, ndim, size, "bcup");
    d = spread_darray(&s, type);
    lender = NULL;
    mem = drxmp_darray_local(d);
    apart = item;
    if (mp_below(4) == 0)
        lend();
}

/* What is owned begins as 0; copies of it, which nothing may touch, as 99. */
static const struct number nobodys = { 99, 99 };

static void fill(void)
{
    int64_t global[MOST_AXES], at;

    memset(model, 0, sizeof model);
    memset(owned, 0, sizeof owned);
    for (int rank = 0; rank < mp_ranks; rank++)
        for (int64_t i = 0; i < spread_cells(&s, rank); i++) {
            const struct cell c = spread_cell(&s, rank, i, global, &at);

            if (c.owned)
                owned[place(global)] = true;
            if (rank == mp_rank)
                put_value(mem + at * apart, c.owned ? (struct number){ 0 } : nobodys);
        }
    (void)MPI_Barrier(mp_comm); /* drxmp_darray_sync would refresh the copies */
}

/* Whether some rank has elements that drxmp_darray_sync changes. */
static bool has_ghosts(void)
{
    for (int j = 0; j < s.ndim; j++)
        for (int64_t r = 0; r < s.grid[j]; r++) {
            if (s.axis[j].set[r].padding[0] || s.axis[j].set[r].padding[1])
                return true;
            for (int64_t i = 0; i < s.axis[j].extent[r]; i++)
                if (!s.axis[j].cells[r][i].owned)
                    return true;
        }
    return false;
}

/* All ranks see what all did. */
static void wait_for_all(void)
{
    if (lender || mp_below(2) || has_ghosts())
        (void)MPI_Barrier(mp_comm);
    else
        assert_ok(drxmp_darray_sync(d));
}

/* The section as its owner sees it. */
static void check_section(void)
{
    int64_t global[MOST_AXES], at;
    uint8_t other[16];

    put_value(other, nobodys);
    for (int64_t i = 0; i < spread_cells(&s, mp_rank); i++) {
        const struct cell c = spread_cell(&s, mp_rank, i, global, &at);

        if (c.owned)
            check_value("section", mem + at * apart, place(global));
        else
            assert_memory_equal(mem + at * apart, other, item);
    }
    if (lender) /* gaps */
        for (const uint8_t *p = borrowed; p < borrowed + sizeof borrowed; p += 2 * item)
            for (int64_t k = 0; k < item; k++)
                assert_int_equal(p[k], 0);
}

static void end(void)
{
    wait_for_all();
    check_section();
    assert_ok(drxmp_darray_free(d));
    assert_ok(drxmp_darray_free(lender));
}

static void get_boxes(void)
{
    for (int i = 0; i < BOXES; i++) {
        struct box b = draw_box(0, 1);

        for (int rank = 0; rank < mp_rank; rank++) /* another on each */
            b = draw_box(0, 1);
        memset(buf, 0x5a, sizeof buf);
        if (!b.owned) {
            assert_fails(move(GET, &b, NULL), DRX_ERANGE, b.gap);
        } else {
            assert_ok(move(GET, &b, NULL));
            for (int64_t k = 0; k < b.n; k++)
                check_value("get", in_buffer(&b, k), place_in(&b, k));
        }
        assert_int_equal(buf[(b.owned ? b.n : 0) * item], 0x5a);
        for (int rank = mp_rank; rank < mp_ranks - 1; rank++)
            (void)draw_box(0, 1);
    }
}

static void put_boxes(void)
{
    for (int rank = 0; rank < mp_ranks; rank++) {
        const struct box b = draw_box(rank, mp_ranks);

        if (rank == mp_rank) {
            fill_buffer(&b);
            assert_status(move(PUT, &b, NULL), b.owned ? DRX_OK : DRX_ERANGE);
            if (!b.owned)
                assert_detail(b.gap);
        }
        for (int64_t i = 0; i < b.n && b.owned; i++)
            model[place_in(&b, i)] = value(&b, i);
    }
}

static void add_to_model(const struct box *b, bool plain)
{
    const int64_t re = plain ? 1 : b->alpha.re, im = plain || type < DRX_COMPLEX64 ? 0 : b->alpha.im;

    for (int64_t i = 0; i < b->n && b->owned; i++) {
        struct number *sum = &model[place_in(b, i)];
        const struct number n = value(b, i);

        sum->re = combine(sum->re, 1, combine(re, n.re, -im, n.im), 1);
        sum->im = combine(sum->im, 1, combine(re, n.im, im, n.re), 1);
    }
}

/* Boxes of all ranks have elements in common. */
static void acc_boxes(void)
{
    for (int i = 0; i < BOXES * mp_ranks; i++) {
        const struct box b = draw_box(0, 1);
        const bool plain = mp_below(3) == 0;
        uint8_t alpha[16];

        if (i % mp_ranks == mp_rank) {
            fill_buffer(&b);
            put_value(alpha, b.alpha);
            assert_status(move(ACC, &b, plain ? NULL : alpha), b.owned ? DRX_OK : DRX_ERANGE);
        }
        add_to_model(&b, plain);
    }
}

/* Single elements: each rank scatters to some of a stripe of its own, and gathers any. */
static void lists(void)
{
    int64_t flat[LISTED * MOST_AXES];

    for (int way = 0; way < 2; way++) {
        const bool scatter = way == 0;

        for (int rank = 0; rank < mp_ranks; rank++) {
            int64_t n = 0;

            for (int i = 0; i < LISTED; i++) {
                const struct box b = scatter ? draw_box(rank, mp_ranks) : draw_box(0, 1);
                const int64_t at = b.n > 0 ? place(b.lo) : 0;

                if (b.n == 0 || !owned[at])
                    continue;
                memcpy(flat + n++ * s.ndim, b.lo, sizeof *flat * (size_t)s.ndim);
                if (scatter)
                    model[at] = b.first;
            }
            if (rank != mp_rank)
                continue;
            for (int64_t i = 0; i < n && scatter; i++) /* what is listed twice has one value */
                put_value(buf + i * item, model[place(flat + i * s.ndim)]);
            assert_ok(scatter ? drxmp_darray_scatter(d, n, flat, buf) : drxmp_darray_gather(d, n, flat, buf));
            for (int64_t i = 0; i < n && !scatter; i++)
                check_value("gather", buf + i * item, place(flat + i * s.ndim));
        }
        if (scatter)
            wait_for_all();
    }
}

static void run(const char *way)
{
    if (way)
        assert_int_equal(setenv("DRXMP_ONESIDED", way, 1), 0);
    for (int round = 0; round < mp_rounds(way ? FAR_ROUNDS : ROUNDS); round++) {
        begin();
        fill();
        put_boxes();
        wait_for_all();
        get_boxes();
        wait_for_all();
        acc_boxes();
        wait_for_all();
        get_boxes();
        wait_for_all();
        lists();
        end();
    }
}

TEST(directly)
{
    run(NULL);
}

TEST(by_rma)
{
    run("rma");
}

TEST(by_rma_that_is_late)
{
    late_rma = true;
    run("rma");
    late_rma = false;
}

TEST(alone_on_a_node)
{
    run("1");
}

TEST(two_on_a_node)
{
    run("2");
}

TEST(three_on_a_node)
{
    run("3");
}

TEST(wrong_boxes)
{
    drxmp_darray *row = mp_blocks(DRX_INT64, 9);
    const int64_t lo = 1, count = 3, none = 0, far = 4;
    int64_t values[3];
    drx_request *req;

    assert_status(drxmp_darray_get_box(row, NULL, values, &req), DRX_EINVAL);
    assert_null(req);
    assert_status(drxmp_darray_get_box(NULL, &(drx_box){ .lo = &lo, .count = &count }, values, NULL), DRX_EINVAL);
    assert_fails(drxmp_darray_get_box(row, &(drx_box){ .lo = &lo, .count = &count, .step = &none }, values, &req),
                 DRX_EINVAL, "step 0");
    assert_fails(drxmp_darray_get_box(row, &(drx_box){ .lo = &lo, .count = &count, .step = &far }, values, &req),
                 DRX_ERANGE, "no rank owns index 9");
    assert_status(drxmp_darray_put_box(row, &(drx_box){ .lo = &lo, .count = &count, .flags = DRX_ALONE }, values, NULL),
                  DRX_EINVAL);
    assert_status(drxmp_darray_put_box(row, &(drx_box){ .lo = &lo, .count = &count, .order = 7 }, values, NULL),
                  DRX_EINVAL);
    assert_status(drxmp_darray_put_box(row, &(drx_box){ .lo = &lo, .count = &count }, NULL, NULL), DRX_EINVAL);
    assert_ok(drxmp_darray_free(row));
}

/* In pieces of 64 KiB, the least that a buffer has. */
TEST(in_pieces)
{
    const int64_t lo[2] = { 1, 3 }, count[2] = { 38, 690 };
    const struct dap_dim dims[2] = { mp_undistributed(40), mp_cyclic(700, 9) };
    static double many[38 * 690], back[38 * 690];

    assert_int_equal(setenv("DRXMP_ONESIDED", "rma", 1), 0);
    assert_int_equal(setenv("DRXMP_BUFFER", "65536", 1), 0);
    d = mp_darray(DRX_FLOAT64, 2, dims, DRX_COL_MAJOR);
    for (int i = 0; i < 38 * 690; i++)
        many[i] = i;
    if (mp_rank == 0)
        assert_ok(drxmp_darray_put(d, lo, count, DRX_ROW_MAJOR, many));
    assert_ok(drxmp_darray_sync(d));
    assert_ok(drxmp_darray_acc(d, lo, count, DRX_ROW_MAJOR, &(double){ 2 }, many));
    assert_ok(drxmp_darray_sync(d));
    assert_ok(drxmp_darray_get(d, lo, count, DRX_ROW_MAJOR, back));
    for (int i = 0; i < 38 * 690; i++)
        assert_true(back[i] == (2 * mp_ranks + 1) * many[i]);
    assert_ok(drxmp_darray_free(d));
}

enum { WIDE = 700 };

/* Of the own block, the box has what the rank before put there, and the rest is as it was. */
static void check_block(const int64_t block[], const int64_t lo[2], const int64_t count[2], drx_order order)
{
    const int64_t from = (mp_rank + mp_ranks - 1) % mp_ranks;

    for (int64_t i = 0; i < WIDE; i++)
        for (int64_t j = 0; j < WIDE; j++) {
            const int64_t y = i - lo[0], x = j - lo[1];
            const bool inside = y >= 0 && y < count[0] && x >= 0 && x < count[1];
            const int64_t at = order == DRX_ROW_MAJOR ? y * count[1] + x : x * count[0] + y;

            assert_true(block[i * WIDE + j] == (inside ? from << 32 | (at + 1) : 0));
        }
}

/* Boxes of many sizes, with long and with short rows, in the next rank's block: of a darray, and of an array in
 * memory. */
static void put_large(drxmp_array *m, const int64_t count[2], drx_order order)
{
    static int64_t sent[WIDE * WIDE], got[WIDE * WIDE];
    const struct dap_dim dims[2] = { mp_block(WIDE * mp_ranks), mp_undistributed(WIDE) };
    const int64_t lo[2] = { 3, 5 }, whole[2] = { WIDE, WIDE }, own[2] = { (int64_t)WIDE * mp_rank, 0 };
    const int64_t there[2] = { (mp_rank + 1) % mp_ranks * (int64_t)WIDE + lo[0], lo[1] };

    d = mp_darray(DRX_INT64, 2, dims, DRX_ROW_MAJOR);
    for (int64_t i = 0; i < count[0] * count[1]; i++)
        sent[i] = (int64_t)mp_rank << 32 | (i + 1);
    memset(got, 0, sizeof got);
    assert_ok(drxmp_put(m, own, whole, DRX_ROW_MAJOR, got));
    assert_ok(drxmp_sync(m));
    assert_ok(drxmp_darray_put(d, there, count, order, sent));
    assert_ok(drxmp_put(m, there, count, order, sent));
    assert_ok(drxmp_darray_sync(d));
    check_block(drxmp_darray_local(d), lo, count, order);
    assert_ok(drxmp_sync(m));
    assert_ok(drxmp_get(m, own, whole, DRX_ROW_MAJOR, got));
    check_block(got, lo, count, order);
    assert_ok(drxmp_darray_free(d));
}

TEST(large_boxes)
{
    static const int64_t counts[][2] = { { 128, 130 }, { 300, 64 }, { 64, 300 }, { 500, 100 }, { 690, 690 } };
    const int64_t shape[2] = { (int64_t)WIDE * mp_ranks, WIDE }, chunk[2] = { 200, 150 };
    drxmp_array *m;

    assert_int_equal(setenv("DRXMP_ONESIDED", "direct", 1), 0);
    m = mp_create(NULL, &(drx_spec){ .ndim = 2, .type = DRX_INT64, .shape = shape, .chunk = chunk });
    for (int i = 0; i < 5; i++) {
        put_large(m, counts[i], DRX_ROW_MAJOR);
        put_large(m, counts[i], DRX_COL_MAJOR);
    }
    assert_ok(drxmp_close(m));
}

/* More elements of another rank than can be under way at once. */
TEST(long_lists)
{
    enum { EACH = 3000 };
    const int64_t shape = (int64_t)EACH * mp_ranks, chunk = 10, first = (int64_t)EACH * ((mp_rank + 1) % mp_ranks);
    static int32_t values[EACH], got[EACH];
    static int64_t indices[EACH];
    drxmp_array *m;

    assert_int_equal(setenv("DRXMP_ONESIDED", "rma", 1), 0);
    m = mp_create(NULL, &(drx_spec){ .ndim = 1, .type = DRX_INT32, .shape = &shape, .chunk = &chunk });
    for (int i = 0; i < EACH; i++) {
        indices[i] = first + 7 * i % EACH;
        values[i] = 10000 * mp_rank + i;
    }
    assert_ok(drxmp_scatter(m, EACH, indices, values));
    assert_ok(drxmp_sync(m));
    assert_ok(drxmp_gather(m, EACH, indices, got));
    assert_memory_equal(got, values, sizeof got);
    assert_ok(drxmp_close(m));
}

/* Each pair of ranks makes darrays of its own, all pairs at the same time. Nobody reaches what another pair has. */
TEST(pairs_at_the_same_time)
{
    const MPI_Comm all = mp_comm;
    const int ranks = mp_ranks, rank = mp_rank;

    assert_int_equal(setenv("DRXMP_ONESIDED", "rma", 1), 0);
    assert_int_equal(MPI_Comm_split(all, rank / 2, rank, &mp_comm), MPI_SUCCESS);
    (void)MPI_Comm_rank(mp_comm, &mp_rank);
    (void)MPI_Comm_size(mp_comm, &mp_ranks);
    for (int round = 0; round < mp_rounds(ROUNDS); round++) {
        drxmp_darray *shared = mp_blocks(DRX_INT64, mp_ranks);
        const int64_t one = 1, there = (mp_rank + 1) % mp_ranks, sent = 1000 * round + rank;
        int64_t got = -1;

        assert_ok(drxmp_darray_put(shared, &there, &one, DRX_ROW_MAJOR, &sent));
        assert_ok(drxmp_darray_sync(shared));
        assert_ok(drxmp_darray_get(shared, &(int64_t){ mp_rank }, &one, DRX_ROW_MAJOR, &got));
        assert_int_equal(got, 1000 * round + rank - mp_rank + (mp_rank + mp_ranks - 1) % mp_ranks);
        assert_ok(drxmp_darray_free(shared));
    }
    (void)MPI_Comm_free(&mp_comm);
    mp_comm = all;
    mp_ranks = ranks;
    mp_rank = rank;
}
