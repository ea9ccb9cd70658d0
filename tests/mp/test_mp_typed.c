/* Collective reads and writes with buffers of other types: random histories, compared with a model that converts one
 * element at a time, and with the files of one process. Every rank draws the same numbers, so each knows what all
 * do. */
#include "drx_tools.h"
#include "mp_testing.h"

enum { SPAN = 160, MIDDLE = 80, MOST_RANKS = 16, ELEMENT = 16, ROOM = SPAN * SPAN };

static drxmp_array *many;
static drx_array *one;    /* rank 0 */
static const char *label; /* of it in messages */
static drx_type type;
static int64_t lower[2], upper[2];
static uint8_t model[ROOM][ELEMENT], next[ROOM][ELEMENT]; /* from index -MIDDLE on */
static uint8_t buf[ROOM * ELEMENT], expected[ROOM * ELEMENT];

/* What a rank gives or gets. Values come from a seed. */
struct part {
    struct mp_box box;
    drx_order order;
    drx_type type;
    drx_conversion how;
    uint64_t seed;
    int64_t below;
};

static drx_type any_type(void)
{
    return (drx_type)(DRX_INT8 + mp_below(DRX_BOOL));
}

static uint8_t *in_model(uint8_t (*elements)[ELEMENT], int64_t i, int64_t j)
{
    return elements[(MIDDLE + i) * SPAN + MIDDLE + j];
}

/* The index of the k-th element of the part, in its order. */
static void index_of(const struct part *p, int64_t k, int64_t index[2])
{
    const int64_t *count = p->box.count;
    const bool rows = p->order == DRX_ROW_MAJOR;

    index[0] = p->box.lo[0] + (rows ? k / count[1] : k % count[0]) * p->box.step[0];
    index[1] = p->box.lo[1] + (rows ? k % count[1] : k / count[0]) * p->box.step[1];
}

/* The k-th value of the part: small numbers, and where `below` is large now and then one that few types hold. */
static void value_of(const struct part *p, int64_t k, uint8_t out[ELEMENT])
{
    uint64_t seed = p->seed + (uint64_t)k * 77;
    const bool odd = p->below > 100 && random_below(&seed, 500) == 0;
    const double v = (double)random_below(&seed, odd ? p->below : 2) + (odd ? 0.25 : 0);

    assert_ok(drx_convert(DRX_FLOAT64, &v, p->type, out, 1, DRX_NEAREST));
}

/* A box of which each rank gets a part: adjacent indices of an axis, or every this many; or any box. */
static void draw(struct part parts[], bool disjoint)
{
    struct mp_box all = { .step = { 1, 1 } };
    const int axis = (int)mp_below(2);
    const bool in_turn = mp_below(2);

    for (int j = 0; j < 2; j++) {
        all.count[j] = mp_below(3) ? upper[j] - lower[j] : mp_below(upper[j] - lower[j] + 1);
        all.lo[j] = lower[j] + mp_below(upper[j] - lower[j] - all.count[j] + 1);
    }
    for (int rank = 0; rank < mp_ranks; rank++) {
        struct part *p = &parts[rank];

        *p = (struct part){ mp_part_of(rank, axis, all),     mp_any_order(),
                            mp_below(3) ? any_type() : type, mp_below(2) ? DRX_EXACT : DRX_NEAREST,
                            (uint64_t)mp_below(1 << 20),     100 };
        p->box.step[0] = p->box.step[1] = 1;
        if (in_turn) {
            p->box.lo[axis] = all.lo[axis] + rank;
            p->box.step[axis] = mp_ranks;
            p->box.count[axis] = all.count[axis] > rank ? (all.count[axis] - rank - 1) / mp_ranks + 1 : 0;
        }
        if (!disjoint && mp_below(2))
            p->box.lo[1 - axis] = lower[1 - axis],
                          p->box.count[1 - axis] = mp_below(upper[1 - axis] - lower[1 - axis] + 1);
        if (mp_box_size(&p->box) == 0)
            p->box.lo[0] = lower[0], p->box.lo[1] = lower[1];
    }
}

static void say(char detail[], size_t room, int rank, const int64_t index[2])
{
    (void)snprintf(detail, room, "rank %d: %s: element (%lld, %lld) is ", rank, label, (long long)index[0],
                   (long long)index[1]);
}

/* Convert the part into `next`; false: an element is refused, and `detail` is what the rank says of it. */
static bool write_model(const struct part *p, int rank, char detail[], size_t room)
{
    for (int64_t k = 0; k < mp_box_size(&p->box); k++) {
        uint8_t value[ELEMENT];
        int64_t index[2];

        index_of(p, k, index);
        value_of(p, k, value);
        if (drx_convert(p->type, value, type, in_model(next, index[0], index[1]), 1, p->how)) {
            say(detail, room, rank, index);
            return false;
        }
    }
    return true;
}

/* What the part gets, in `expected`. */
static bool read_model(const struct part *p, int rank, char detail[], size_t room)
{
    const size_t bytes = drx_type_size(p->type);

    for (int64_t k = 0; k < mp_box_size(&p->box); k++) {
        int64_t index[2];

        index_of(p, k, index);
        if (drx_convert(type, in_model(model, index[0], index[1]), p->type, expected + (size_t)k * bytes, 1, p->how)) {
            say(detail, room, rank, index);
            return false;
        }
    }
    return true;
}

static drx_status move_box(bool writing, const struct part *p)
{
    const drx_box box = { .lo = p->box.lo, .count = p->box.count, .step = p->box.step, .order = p->order };

    return writing ? drxmp_write_box_all_as(many, &box, p->type, p->how, buf)
                   : drxmp_read_box_all_as(many, &box, p->type, p->how, buf);
}

static void fill_buffer(const struct part *p)
{
    for (int64_t k = 0; k < mp_box_size(&p->box); k++) {
        uint8_t value[ELEMENT];

        value_of(p, k, value);
        memcpy(buf + (size_t)k * drx_type_size(p->type), value, drx_type_size(p->type));
    }
}

/* The same by one process, rank after rank. */
static void write_one(const struct part parts[])
{
    for (int rank = 0; mp_rank == 0 && rank < mp_ranks; rank++) {
        const struct part *p = &parts[rank];
        const drx_box box = { .lo = p->box.lo, .count = p->box.count, .step = p->box.step, .order = p->order };

        fill_buffer(p);
        assert_ok(drx_write_box_as(one, &box, p->type, p->how, buf));
    }
}

static void do_write(void)
{
    struct part parts[MOST_RANKS];
    const int culprit = (int)mp_below(2 * mp_ranks); /* of half the writes none */
    char detail[120] = "";
    bool fits = true;

    draw(parts, true);
    if (culprit < mp_ranks)
        parts[culprit].below = 100000;
    memcpy(next, model, sizeof model);
    for (int rank = 0; fits && rank < mp_ranks; rank++)
        fits = write_model(&parts[rank], rank, detail, sizeof detail);
    if (fits) {
        memcpy(model, next, sizeof model);
        write_one(parts);
    }
    fill_buffer(&parts[mp_rank]);
    assert_status(move_box(true, &parts[mp_rank]), fits ? DRX_OK : DRX_EMISMATCH);
    if (!fits)
        assert_detail(detail);
}

static void do_read(void)
{
    struct part parts[MOST_RANKS];
    char detail[120] = "";
    bool fits = true;

    draw(parts, false);
    for (int rank = 0; fits && rank < mp_ranks; rank++)
        fits = read_model(&parts[rank], rank, detail, sizeof detail);
    memset(buf, 1, sizeof buf);
    assert_status(move_box(false, &parts[mp_rank]), fits ? DRX_OK : DRX_EMISMATCH);
    if (!fits)
        assert_detail(detail);
    if (fits) {
        assert_true(read_model(&parts[mp_rank], mp_rank, detail, sizeof detail));
        assert_memory_equal(buf, expected,
                            (size_t)mp_box_size(&parts[mp_rank].box) * drx_type_size(parts[mp_rank].type));
    }
}

/* All elements, without conversion. */
static void check_all(void)
{
    const int64_t count[2] = { upper[0] - lower[0], upper[1] - lower[1] };
    const size_t bytes = drx_type_size(type);

    assert_ok(drxmp_read_all(many, lower, count, DRX_ROW_MAJOR, buf));
    for (int64_t k = 0; k < count[0] * count[1]; k++)
        assert_memory_equal(buf + (size_t)k * bytes, in_model(model, lower[0] + k / count[1], lower[1] + k % count[1]),
                            bytes);
}

static void do_grow(void)
{
    const int axis = (int)mp_below(2);
    const bool before = mp_below(2);
    const int64_t by = mp_below(6);

    if ((before ? lower[axis] - by < -MIDDLE : upper[axis] + by > MIDDLE))
        return;
    assert_ok(before ? drxmp_extend_before(many, axis, by) : drxmp_extend(many, axis, by));
    if (mp_rank == 0)
        assert_ok(before ? drx_extend_before(one, axis, by) : drx_extend(one, axis, by));
    *(before ? &lower[axis] : &upper[axis]) += before ? -by : by;
}

static void make(drx_codec codec, bool sums, bool in_memory)
{
    const int64_t shape[2] = { 1 + mp_below(74), 1 + mp_below(74) };
    const int64_t chunk[2] = { 1 + mp_below(30), 1 + mp_below(30) };
    drx_spec spec = { .ndim = 2,
                      .type = type,
                      .shape = shape,
                      .chunk = chunk,
                      .chunk_order = mp_any_order(),
                      .codec = codec,
                      .flags = sums ? DRX_CHECKSUM : 0 };

    lower[0] = lower[1] = 0;
    memcpy(upper, shape, sizeof shape);
    memset(model, 0, sizeof model);
    label = in_memory ? "array in memory" : "many";
    many = mp_create(in_memory ? NULL : "many", &spec);
    if (mp_rank == 0)
        assert_ok(drx_create("one", &spec, &one));
}

static void close_all(bool same_files, bool in_memory)
{
    assert_ok(drxmp_close(many));
    if (mp_rank == 0)
        assert_ok(drx_close(one));
    (void)MPI_Barrier(mp_comm);
    if (same_files)
        mp_assert_same_files("many", "one");
    if (!in_memory)
        mp_remove("many");
    mp_remove("one");
}

TEST(histories)
{
    const int rounds = mp_rounds(24);

    for (int round = 0; round < rounds; round++) {
        const drx_codec codec = mp_below(4) ? DRX_RAW : DRX_LZ4;
        const bool sums = !codec && mp_below(4) == 0, in_memory = !codec && !sums && mp_below(4) == 0;

        type = any_type();
        make(codec, sums, in_memory);
        for (int i = 0; i < 12; i++) {
            const int what = (int)mp_below(8);

            if (mp_below(3) == 0 && !in_memory)
                assert_ok(mp_set_any(many));
            if (what < 4)
                do_write();
            else if (what < 7)
                do_read();
            else
                do_grow();
        }
        check_all();
        close_all(!codec && !in_memory, in_memory);
    }
}

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
