/* Elements read and written in boxes, one by one, and asynchronously; from a map, through a stage, and by threads. */
#include "base/hooks.h"
#include "drx_tools.h"
#include "numbers.h"
#include "scenarios.h"

static const int64_t origin[2] = { 0, 0 }, shape[2] = { NUMBERS_ROWS, NUMBERS_COLUMNS };

enum { BOX_ROWS = 5, BOX_COLUMNS = 3 };

/* Every second row and third column, turned. */
static const drx_box box = { .lo = (const int64_t[]){ 1, 2 },
                             .count = (const int64_t[]){ BOX_ROWS, BOX_COLUMNS },
                             .step = (const int64_t[]){ 2, 3 },
                             .stride = (const int64_t[]){ -1, BOX_ROWS } };

struct got {
    int32_t all[NUMBERS], box[BOX_ROWS * BOX_COLUMNS], one;
};

static void prepare(struct trial *t)
{
    numbers_make("left/a", t->of->stripes);
    assert_ok(drx_open("left/a", t->of->flags, &t->a[0]));
    t->own = calloc(1, sizeof(struct got));
    assert_non_null(t->own);
}

static drx_status read_all(struct trial *t)
{
    struct got *got = t->own;
    drx_status st = drx_read(t->a[0], origin, shape, DRX_COL_MAJOR, got->all);

    if (!st)
        st = drx_read_box(t->a[0], &box, got->box + BOX_ROWS - 1);
    return st ? st : drx_get(t->a[0], (int64_t[]){ 7, 8 }, &got->one);
}

static void check_got(struct trial *t, drx_status st)
{
    const struct got *got = t->own;
    int32_t wanted[NUMBERS];

    if (!st) {
        numbers_compose(DRX_COL_MAJOR, wanted);
        assert_memory_equal(got->all, wanted, sizeof wanted);
        for (int64_t i = 0; i < BOX_ROWS; i++)
            for (int64_t j = 0; j < BOX_COLUMNS; j++)
                assert_int_equal(got->box[BOX_ROWS - 1 - i + j * BOX_ROWS], number(1 + 2 * i, 2 + 3 * j));
        assert_int_equal(got->one, number(7, 8));
    }
    numbers_require(t->a[0]); /* it goes on reading */
}

static int32_t changed(int64_t i, int64_t j)
{
    return -number(i, j);
}

enum { FIRST_ROW = 3, LAST_ROW = 9, ROWS = (LAST_ROW - FIRST_ROW + 1) * NUMBERS_COLUMNS };

static const drx_box rows_box = { .lo = (const int64_t[]){ FIRST_ROW, 0 },
                                  .count = (const int64_t[]){ ROWS / NUMBERS_COLUMNS, NUMBERS_COLUMNS } };

static void compose_rows(int32_t rows[ROWS])
{
    for (int64_t k = 0; k < ROWS; k++)
        rows[k] = changed(FIRST_ROW + k / NUMBERS_COLUMNS, k % NUMBERS_COLUMNS);
}

/* These rows, and the box of steps. */
static bool is_written(int64_t i, int64_t j)
{
    return (i >= FIRST_ROW && i <= LAST_ROW) || (i % 2 == 1 && j % 3 == 2 && j >= 2);
}

static drx_status write_some(struct trial *t)
{
    int32_t rows[ROWS], some[BOX_ROWS * BOX_COLUMNS];
    drx_status st;

    compose_rows(rows);
    for (int64_t i = 0; i < BOX_ROWS; i++)
        for (int64_t j = 0; j < BOX_COLUMNS; j++)
            some[BOX_ROWS - 1 - i + j * BOX_ROWS] = changed(1 + 2 * i, 2 + 3 * j);
    st = drx_write(t->a[0], rows_box.lo, rows_box.count, DRX_ROW_MAJOR, rows);
    return st ? st : drx_write_box(t->a[0], &box, some + BOX_ROWS - 1);
}

static void require_written(drx_array *a, drx_status st)
{
    int32_t buf[NUMBERS];

    assert_ok(drx_read(a, origin, shape, DRX_ROW_MAJOR, buf));
    for (int64_t i = 0; i < NUMBERS_ROWS; i++)
        for (int64_t j = 0; j < NUMBERS_COLUMNS; j++) {
            const int32_t v = buf[i * NUMBERS_COLUMNS + j];

            if (v != number(i, j) || !st)
                assert_int_equal(v, is_written(i, j) ? changed(i, j) : number(i, j));
        }
}

/* Checksums that could not be brought up to date are not trusted any more: by this handle nothing is written. */
static bool opened_again(struct trial *t)
{
    const bool failed = numbers_sums && t->struck != 0;

    if (failed) {
        (void)drx_close(t->a[0]);
        assert_ok(drx_open("left/a", DRX_RDWR, &t->a[0]));
    }
    return failed;
}

/* After a failure the box is partly written, and nothing else; writing it again does it. */
static void check_written(struct trial *t, drx_status st)
{
    (void)opened_again(t);
    require_written(t->a[0], st);
    assert_ok(write_some(t));
    require_written(t->a[0], DRX_OK);
    trial_close(t, 0);
    assert_ok(drx_check("left/a", NULL, NULL, NULL, NULL));
}

/* The elements that write_some writes, the last first, each twice. */
enum { POINTS = 2 * (ROWS + BOX_ROWS * BOX_COLUMNS) };

static int64_t list_points(int64_t indices[POINTS][2], int32_t values[POINTS])
{
    int64_t n = 0;

    for (int64_t k = NUMBERS - 1; k >= 0; k--)
        if (is_written(k / NUMBERS_COLUMNS, k % NUMBERS_COLUMNS))
            for (int time = 0; time < 2; time++, n++) {
                indices[n][0] = k / NUMBERS_COLUMNS;
                indices[n][1] = k % NUMBERS_COLUMNS;
                values[n] = time ? changed(indices[n][0], indices[n][1]) : 0;
            }
    return n;
}

static drx_status write_points(struct trial *t)
{
    int64_t indices[POINTS][2];
    int32_t values[POINTS];
    const int64_t n = list_points(indices, values);

    return drx_write_points(t->a[0], n, indices[0], values);
}

static drx_status read_points(struct trial *t)
{
    struct got *got = t->own;
    int64_t indices[NUMBERS][2];

    for (int64_t k = 0; k < NUMBERS; k++) { /* got->all is in the order of columns */
        indices[k][0] = k % NUMBERS_ROWS;
        indices[k][1] = k / NUMBERS_ROWS;
    }
    return drx_read_points(t->a[0], NUMBERS, indices[0], got->all);
}

static void check_read_points(struct trial *t, drx_status st)
{
    const struct got *got = t->own;
    int32_t wanted[NUMBERS];

    numbers_compose(DRX_COL_MAJOR, wanted);
    if (!st)
        assert_memory_equal(got->all, wanted, sizeof wanted);
    numbers_require(t->a[0]);
}

static void check_written_points(struct trial *t, drx_status st)
{
    (void)opened_again(t);
    require_written(t->a[0], st);
    assert_ok(write_points(t));
    require_written(t->a[0], DRX_OK);
    trial_close(t, 0);
    assert_ok(drx_check("left/a", NULL, NULL, NULL, NULL));
}

static drx_status put_all(drx_array *a, int64_t *failed)
{
    drx_status st = DRX_OK;

    for (*failed = 0; !st && *failed < NUMBERS; (*failed)++) {
        const int64_t i = *failed / NUMBERS_COLUMNS, j = *failed % NUMBERS_COLUMNS;
        const int32_t v = changed(i, j);

        st = drx_put(a, (int64_t[]){ i, j }, &v);
    }
    return st;
}

/* With a pool, with a small one, and without. */
static drx_status put_and_get(struct trial *t)
{
    static const size_t pools[] = { 4 << 20, 1 << 15, 0 };
    struct got *got = t->own;
    int64_t failed;
    drx_status st = DRX_OK;

    for (size_t k = 0; !st && k < sizeof pools / sizeof pools[0]; k++) {
        st = drx_set_pool(t->a[0], pools[k]);
        if (!st)
            st = put_all(t->a[0], &failed);
        for (int64_t i = 0; !st && i < NUMBERS_ROWS; i++) {
            st = drx_get(t->a[0], (int64_t[]){ i, 3 }, &got->one);
            assert_true(st || got->one == changed(i, 3));
        }
    }
    return st ? st : drx_sync(t->a[0]);
}

/* Elements are old or new, and no others; nothing that is in the pool is forgotten after a failure. */
static void check_put(struct trial *t, drx_status st)
{
    int32_t buf[NUMBERS];
    int64_t failed;

    if (!opened_again(t) && t->persistent) {
        (void)drx_close(t->a[0]);
        assert_ok(drx_open("left/a", DRX_RDWR, &t->a[0]));
    }
    assert_ok(drx_read(t->a[0], origin, shape, DRX_ROW_MAJOR, buf));
    for (int64_t k = 0; k < NUMBERS; k++) {
        const int64_t i = k / NUMBERS_COLUMNS, j = k % NUMBERS_COLUMNS;

        assert_true(buf[k] == changed(i, j) || (st && buf[k] == number(i, j)));
    }
    if (drx_put(t->a[0], origin, &(int32_t){ 1 }) == DRX_OK) /* it is not broken */
        assert_ok(put_all(t->a[0], &failed));
    trial_close(t, 0);
    assert_ok(drx_check("left/a", NULL, NULL, NULL, NULL));
}

enum { REQUESTS = 3 };

static drx_status ask(struct trial *t, drx_request *request[REQUESTS], const int32_t *rows)
{
    struct got *got = t->own;
    drx_status st = drx_write_async(t->a[0], &rows_box, rows, &request[0]);

    if (!st)
        st = drx_read_async(t->a[0], &(drx_box){ .lo = origin, .count = shape }, got->all, &request[1]);
    return st ? st : drx_read_async(t->a[0], &box, got->box + BOX_ROWS - 1, &request[2]);
}

static drx_status go_on_beside(struct trial *t)
{
    drx_request *request[REQUESTS] = { NULL };
    int32_t rows[ROWS];
    char detail[1024] = "";
    int done;
    drx_status st;

    compose_rows(rows);
    st = ask(t, request, rows);
    if (st)
        (void)snprintf(detail, sizeof detail, "%s", drx_last_error());
    for (int k = 0; k < REQUESTS; k++) {
        drx_status waited = request[k] ? drx_test(request[k], &done) : DRX_OK;

        if (request[k])
            waited = drx_wait(request[k]);
        if (waited && !st)
            (void)snprintf(detail, sizeof detail, "%s", drx_last_error());
        st = st ? st : waited;
    }
    return st ? drx_fail(st, detail) : DRX_OK;
}

static void check_beside(struct trial *t, drx_status st)
{
    const struct got *got = t->own;

    for (int64_t k = 0; !st && k < NUMBERS; k++) {
        const int64_t i = k / NUMBERS_COLUMNS, j = k % NUMBERS_COLUMNS;

        assert_int_equal(got->all[k], i >= FIRST_ROW && i <= LAST_ROW ? changed(i, j) : number(i, j));
    }
    (void)opened_again(t);
    assert_ok(write_some(t));
    require_written(t->a[0], DRX_OK);
}

/* What the only read of a box, or of a list, does not get at its first call, the next one gets. */
#define READ prepare, read_all, check_got, .flags = DRX_RDONLY, .harmless = CALL_READ
#define WRITE prepare, write_some, check_written, .flags = DRX_RDWR
#define READ_POINTS prepare, read_points, check_read_points, .flags = DRX_RDONLY, .harmless = CALL_READ
/* Without a map, the bytes between the points are read ahead, and again by the write where that failed. */
#define WRITE_POINTS prepare, write_points, check_written_points, .flags = DRX_RDWR, .harmless = CALL_READ
#define PUT prepare, put_and_get, check_put, .flags = DRX_RDWR
/* A request that finds the file mapped by another one, or cannot look at it, reads it by calls, and what its first one
 * does not get, the next one gets: it depends on the threads. */
#define ASK prepare, go_on_beside, check_beside, .flags = DRX_RDWR, .harmless = CALL_STAT | CALL_READ

// clang-format off
const struct scenario scenarios_elements[] = {
    { "read",                       "left/a", READ,  .way = DRXI_STAGED, .threads = 1 },
    { "read from a map",            "left/a", READ,  .way = DRXI_MAPPED, .threads = 1 },
    { "read by touching a map",     "left/a", READ,  .way = DRXI_TOUCHED, .threads = 1 },
    { "read by threads",            "left/a", READ,  .way = DRXI_STAGED, .threads = 3 },
    { "read stripes",               "s",      READ,  .way = DRXI_STAGED, .threads = 2, .stripes = 3 },
    { "write",                      "left/a", WRITE, .threads = 1 },
    { "write by threads",           "left/a", WRITE, .threads = 3 },
    { "read points",                "left/a", READ_POINTS,  .way = DRXI_STAGED, .threads = 1 },
    { "read points from a map",     "left/a", READ_POINTS,  .way = DRXI_MAPPED, .threads = 1 },
    { "read points of stripes",     "s",      READ_POINTS,  .way = DRXI_STAGED, .threads = 1, .stripes = 3 },
    { "write points",               "left/a", WRITE_POINTS, .threads = 1 },
    { "put and get",                "left/",  PUT,   .threads = 1 },
    { "requests beside the caller", "left/a", ASK,   .threads = 1 },
    { 0 }
};
// clang-format on
