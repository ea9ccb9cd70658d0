/* What each rank keeps of the data that it reads through MPI-IO: the second read makes no call, and a rank sees its own
 * writes at once and those of others after a collective call. */
#include "drx_tools.h"
#include "mp_testing.h"

enum { SIDE = 48, OPS = 40 };

static const char *const settings[] = { "drx_backend=mpiio,drx_cache=0", "drx_backend=mpiio,drx_cache=1500",
                                        "drx_backend=mpiio,drx_cache=6000", "drx_backend=mpiio", "drx_backend=posix" };
enum { SETTINGS = sizeof settings / sizeof *settings };

static drxmp_array *create(const int64_t chunk[2])
{
    const drx_spec spec = {
        .ndim = 2, .type = DRX_INT64, .shape = (int64_t[]){ SIDE, 20 }, .chunk = chunk, .flags = DRX_REPLACE
    };

    return mp_create("cache", &spec);
}

/* ---- calls ---- */

static void read_some(drx_array *a)
{
    int64_t buf[SIDE * SIDE], points[10][2];

    for (int i = 0; i < 10; i++) {
        points[i][0] = 3 * i;
        points[i][1] = i;
        assert_ok(drx_get(a, points[i], &buf[i]));
    }
    assert_ok(drx_read_points(a, 10, points[0], buf));
    assert_ok(drx_read(a, (int64_t[]){ 5, 3 }, (int64_t[]){ 16, 16 }, DRX_COL_MAJOR, buf));
    assert_ok(drx_read_box(a,
                           &(drx_box){ .lo = (int64_t[]){ 1, 1 },
                                       .count = (int64_t[]){ 10, 5 },
                                       .step = (int64_t[]){ 2, 3 },
                                       .order = DRX_ROW_MAJOR },
                           buf));
}

TEST(second_read_makes_no_call)
{
    drxmp_array *m = create((int64_t[]){ 7, 9 });
    drx_array *a = drxmp_serial(m);
    int64_t before;

    assert_ok(mp_set(m, "drx_backend=mpiio"));
    read_some(a);
    before = counters_of(a).reads;
    assert_true(before > 0);
    for (int i = 0; i < 10; i++)
        read_some(a);
    assert_int_equal(counters_of(a).reads, before);
    assert_ok(drxmp_sync(m));
    read_some(a); /* others may have written */
    assert_true(counters_of(a).reads > before);
    assert_ok(mp_set(m, "drx_cache=0"));
    read_some(a);
    before = counters_of(a).reads;
    read_some(a);
    assert_true(counters_of(a).reads > before);
    assert_ok(drxmp_close(m));
}

/* Read the box five times; calls[i] is how many calls the i-th read made. */
static void read_five_times(drx_array *a, const int64_t lo[], const int64_t count[], int64_t calls[5])
{
    static int64_t buf[1 << 15];

    for (int i = 0; i < 5; i++) {
        const int64_t before = counters_of(a).reads;

        memset(buf, 0x5a, sizeof buf);
        assert_ok(drx_read(a, lo, count, DRX_ROW_MAJOR, buf));
        for (int64_t k = 0; k < count[0] * count[1]; k++)
            assert_int_equal(buf[k], 0);
        calls[i] = counters_of(a).reads - before;
    }
}

/* A box of more than 16 KiB comes in at its third read, where the file has much between its elements. What lies
 * together is read as fast by calls, and goes past the cache. */
TEST(large_boxes_come_in_when_it_pays)
{
    drxmp_array *m = mp_create("large", &(drx_spec){ .ndim = 2,
                                                     .type = DRX_INT64,
                                                     .shape = (int64_t[]){ 512, 512 },
                                                     .chunk = (int64_t[]){ 512, 512 },
                                                     .flags = DRX_REPLACE });
    drx_array *a = drxmp_serial(m);
    int64_t calls[5];

    assert_ok(mp_set(m, "drx_backend=mpiio"));
    read_five_times(a, (int64_t[]){ 3, 2 }, (int64_t[]){ 256, 9 }, calls);
    assert_true(calls[0] > 0 && calls[1] == calls[0] && calls[2] > 0);
    assert_int_equal(calls[3], 0);
    assert_int_equal(calls[4], 0);
    read_five_times(a, (int64_t[]){ 300, 0 }, (int64_t[]){ 60, 512 }, calls);
    for (int i = 0; i < 5; i++)
        assert_int_equal(calls[i], calls[0]);
    assert_true(calls[0] > 0);
    assert_ok(drxmp_sync(m));
    read_five_times(a, (int64_t[]){ 3, 2 }, (int64_t[]){ 256, 9 }, calls);
    assert_true(calls[0] > 0); /* others may have written */
    assert_int_equal(calls[4], 0);
    assert_ok(drxmp_close(m));
}

/* ---- who sees what ---- */

/* Each value is written once, in increasing order, so one that is too old shows. */
static struct {
    int64_t shape[2];
    int64_t settled[SIDE][SIDE]; /* by the last collective call */
    int64_t latest[SIDE][SIDE];  /* by the end of this epoch */
    int64_t mine[SIDE][SIDE];    /* the last that this rank wrote */
    int64_t value;
} now;

/* What one rank does in an epoch, alone. All ranks draw all of it. */
struct op {
    int rank, kind;
    struct mp_box box;
    int64_t value; /* of a write: the first; then they count */
};
enum { GET, READ, POINTS, STRIDED, PUT, WRITE, KINDS };

static struct mp_box any_box(int rank, bool own)
{
    struct mp_box b;

    for (int j = 0; j < 2; j++) {
        b.step[j] = 1;
        b.lo[j] = mp_below(now.shape[j]);
        b.count[j] = 1 + mp_below(now.shape[j] - b.lo[j] < 9 ? now.shape[j] - b.lo[j] : 9);
    }
    if (own) { /* a rank writes to rows of its own */
        b.lo[0] = b.lo[0] / mp_ranks * mp_ranks + rank;
        b.lo[0] -= b.lo[0] >= now.shape[0] ? mp_ranks : 0;
        b.count[0] = 1;
    }
    return b;
}

static void draw(struct op ops[OPS], bool writes)
{
    for (int i = 0; i < OPS; i++) {
        struct op *op = &ops[i];

        op->rank = (int)mp_below(mp_ranks);
        op->kind = (int)mp_below(writes ? KINDS : PUT);
        op->box = any_box(op->rank, op->kind >= PUT);
        op->value = now.value;
        if (op->kind == PUT)
            op->box.count[1] = 1;
        if (op->kind < PUT)
            continue;
        for (int64_t k = 0; k < op->box.count[1]; k++)
            now.latest[op->box.lo[0]][op->box.lo[1] + k] = now.value++;
    }
}

static void check_value(int64_t i, int64_t j, int64_t value)
{
    if (value < now.settled[i][j] || value < now.mine[i][j] || value > now.latest[i][j])
        fail_msg("rank %d: [%lld, %lld] is %lld, expected %lld (its own: %lld) to %lld", mp_rank, (long long)i,
                 (long long)j, (long long)value, (long long)now.settled[i][j], (long long)now.mine[i][j],
                 (long long)now.latest[i][j]);
}

static void read_elements(drx_array *a, const struct op *op)
{
    const struct mp_box *b = &op->box;
    const int64_t n = b->count[0] * b->count[1];
    int64_t buf[SIDE * SIDE], points[SIDE * SIDE][2] = { { 0 } };

    for (int64_t k = 0; k < n; k++) {
        points[k][0] = b->lo[0] + k / b->count[1];
        points[k][1] = b->lo[1] + k % b->count[1];
    }
    if (op->kind == POINTS)
        assert_ok(drx_read_points(a, n, points[0], buf));
    for (int64_t k = 0; k < n; k++) {
        if (op->kind == GET)
            assert_ok(drx_get(a, points[k], &buf[k]));
        check_value(points[k][0], points[k][1], buf[k]);
    }
}

static void read_box(drx_array *a, const struct op *op)
{
    const struct mp_box *b = &op->box;
    const int64_t step[2] = { op->kind == STRIDED ? 2 : 1, op->kind == STRIDED ? 3 : 1 };
    const int64_t count[2] = { (b->count[0] - 1) / step[0] + 1, (b->count[1] - 1) / step[1] + 1 };
    const bool by_column = b->lo[0] % 2;
    const int64_t stride[2] = { by_column ? 1 : SIDE, by_column ? SIDE : 1 };
    int64_t buf[SIDE * SIDE];

    assert_ok(drx_read_box(a, &(drx_box){ .lo = b->lo, .count = count, .step = step, .stride = stride }, buf));
    for (int64_t i = 0; i < count[0]; i++)
        for (int64_t j = 0; j < count[1]; j++)
            check_value(b->lo[0] + i * step[0], b->lo[1] + j * step[1], buf[i * stride[0] + j * stride[1]]);
}

static void carry_out(drx_array *a, const struct op *op)
{
    int64_t values[SIDE];

    if (op->rank != mp_rank)
        return;
    for (int64_t k = 0; op->kind >= PUT && k < op->box.count[1]; k++)
        now.mine[op->box.lo[0]][op->box.lo[1] + k] = values[k] = op->value + k;
    if (op->kind == PUT)
        assert_ok(drx_put(a, op->box.lo, values));
    else if (op->kind == WRITE)
        assert_ok(drx_write(a, op->box.lo, op->box.count, DRX_ROW_MAJOR, values));
    else if (op->kind == GET || op->kind == POINTS)
        read_elements(a, op);
    else
        read_box(a, op);
}

/* All write their part of a box, of which each knows all values. */
static void write_together(drxmp_array *m, bool request)
{
    const struct mp_box whole = any_box(0, false), part = mp_part(0, whole);
    const drx_box box = mp_drx_box(&part);
    int64_t buf[SIDE * SIDE];
    drx_request *req;

    for (int64_t i = 0; i < whole.count[0]; i++)
        for (int64_t j = 0; j < whole.count[1]; j++)
            now.latest[whole.lo[0] + i][whole.lo[1] + j] = now.value++;
    for (int64_t k = 0; k < mp_box_size(&part); k++)
        buf[k] = now.latest[mp_row(&part, k)][mp_column(&part, k)];
    if (!request) {
        assert_ok(drxmp_write_box_all(m, &box, buf));
        return;
    }
    assert_ok(drxmp_iwrite_all(m, &box, buf, &req));
    assert_ok(drx_wait(req));
}

static void together(drxmp_array *m)
{
    const int64_t by = 1 + mp_below(5);

    switch (mp_below(5)) {
    case 0:
        write_together(m, false);
        break;
    case 1:
        write_together(m, true);
        break;
    case 2:
        assert_ok(drxmp_sync(m));
        break;
    case 3:
        if (now.shape[1] + by <= SIDE) {
            assert_ok(drxmp_extend(m, 1, by));
            now.shape[1] += by;
        } else if (now.shape[1] > 12) {
            assert_ok(drxmp_trim(m, 1, 0, 5));
            now.shape[1] -= 5;
            for (int i = 0; i < SIDE; i++) /* they will be fill */
                for (int j = 0; j < 5; j++)
                    now.latest[i][now.shape[1] + j] = now.mine[i][now.shape[1] + j] = 0;
        }
        break;
    default:
        assert_ok(drxmp_attr_set_text(m, "title", "any"));
        break;
    }
    memcpy(now.settled, now.latest, sizeof now.settled);
}

static void one_history(const char *set)
{
    const int64_t chunk[2] = { 1 + mp_below(12), 1 + mp_below(12) };
    drxmp_array *m = create(chunk);

    memset(&now, 0, sizeof now);
    now.shape[0] = SIDE;
    now.shape[1] = 20;
    now.value = 1;
    assert_ok(mp_set(m, "%s", set));
    assert_ok(drx_set_pool(drxmp_serial(m), 0)); /* others see puts, too */
    for (int epoch = 0; epoch < 25; epoch++) {
        struct op ops[OPS];

        draw(ops, epoch % 3 > 0);
        for (int i = 0; i < OPS; i++)
            carry_out(drxmp_serial(m), &ops[i]);
        together(m);
    }
    assert_ok(drxmp_close(m));
}

TEST(who_sees_what)
{
    const int rounds = mp_rounds(3);

    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < SETTINGS; i++)
            one_history(settings[i]);
}

/* ---- readers beside a program outside the job, here a serial handle of rank 0 ---- */

static void write_outside(int64_t value)
{
    drx_array *writer;

    (void)MPI_Barrier(mp_comm);
    if (mp_rank == 0) {
        assert_ok(drx_open("cache", DRX_RDWR, &writer));
        assert_ok(drx_put(writer, (int64_t[]){ 5, 6 }, &value));
        assert_ok(drx_close(writer));
    }
    (void)MPI_Barrier(mp_comm);
}

static int64_t value_at_5_6(drxmp_array *m)
{
    int64_t value = -1, box[4];

    assert_ok(drx_get(drxmp_serial(m), (int64_t[]){ 5, 6 }, &value));
    assert_ok(drxmp_read(m, (int64_t[]){ 4, 5 }, (int64_t[]){ 2, 2 }, DRX_ROW_MAJOR, box));
    assert_int_equal(box[3], value);
    return value;
}

/* A job that only reads keeps nothing, unless it is told to. */
TEST(others_write)
{
    drxmp_array *m = create((int64_t[]){ 7, 9 });

    assert_ok(drxmp_close(m));
    m = mp_open("cache", DRX_RDONLY);
    assert_ok(mp_set(m, "drx_backend=mpiio"));
    for (int64_t value = 1; value < 5; value++) {
        write_outside(value);
        assert_int_equal(value_at_5_6(m), value);
    }
    assert_ok(mp_set(m, "drx_cache=100000"));
    for (int64_t value = 5; value < 9; value++) {
        int64_t seen = value_at_5_6(m);

        assert_int_equal(seen, value - 1);
        write_outside(value);
        seen = value_at_5_6(m);
        assert_in_range(seen, value - 1, value);
        assert_ok(drxmp_refresh(m));
        assert_int_equal(value_at_5_6(m), value);
    }
    assert_ok(drxmp_close(m));
}

static void expect_info(drxmp_array *m, const char *expected)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    MPI_Info info;
    int there;

    assert_ok(drxmp_get_info(m, &info));
    (void)MPI_Info_get(info, "drx_cache", MPI_MAX_INFO_VAL, value, &there);
    assert_int_equal(there, expected != NULL);
    if (expected)
        assert_string_equal(value, expected);
    (void)MPI_Info_free(&info);
}

TEST(its_setting)
{
    drxmp_array *m = create((int64_t[]){ 7, 9 });

    assert_ok(mp_set(m, "drx_backend=mpiio"));
    expect_info(m, NULL);
    assert_ok(mp_set(m, "drx_cache=12345"));
    expect_info(m, "12345");
    assert_fails(mp_set(m, "drx_cache=-1"), DRX_EINVAL, "drx_cache is \"-1\", expected 0 to");
    assert_fails(mp_set(m, "drx_cache=%s", mp_rank == mp_ranks - 1 ? "1" : "2"), mp_ranks > 1 ? DRX_EMISMATCH : DRX_OK,
                 mp_ranks > 1 ? "the cache's size" : "");
    assert_ok(mp_set(m, "drx_backend=posix"));
    read_some(drxmp_serial(m));
    assert_ok(drxmp_close(m));
}
