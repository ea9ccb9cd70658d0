/* Elements: read and written in boxes, one by one, beside the caller; from a map, through a stage, by threads. */
#include "array/array.h"
#include "base/hooks.h"
#include "base/work.h"
#include "drx_tools.h"
#include "numbers.h"
#include "scenarios.h"

static const int64_t origin[2] = { 0, 0 }, shape[2] = { NUMBERS_ROWS, NUMBERS_COLUMNS };

enum { BOX_ROWS = 5, BOX_COLUMNS = 3 };

/* Every second row and third column, turned. */
static const int64_t box_lo[2] = { 1, 2 }, box_count[2] = { BOX_ROWS, BOX_COLUMNS }, box_step[2] = { 2, 3 },
                     box_stride[2] = { -1, BOX_ROWS };

static void use(int way, int threads)
{
    drxi_hooks.way = way;
    drxi_hooks.shared_bytes = threads > 1 ? 0 : INT64_MAX;
    drxi_work_limit(threads);
}

static void use_defaults(void)
{
    use(DRXI_ANY_WAY, 0);
    drxi_hooks.shared_bytes = 1 << 20;
}

/* ---- reading -------------------------------------------------------------------------- */

struct got {
    int32_t all[NUMBERS], box[BOX_ROWS * BOX_COLUMNS], one;
};

static void start(struct trial *t, int mode, int stripes)
{
    numbers_make("left/a", stripes);
    assert_ok(drx_open("left/a", mode, &t->a[0]));
    t->own = calloc(1, sizeof(struct got));
    assert_non_null(t->own);
}

static void prepare_staged(struct trial *t)
{
    start(t, DRX_RDONLY, 0);
    use(DRXI_STAGED, 1);
}

static void prepare_mapped(struct trial *t)
{
    start(t, DRX_RDONLY, 0);
    use(DRXI_MAPPED, 1);
}

static void prepare_threads(struct trial *t)
{
    start(t, DRX_RDONLY, 0);
    use(DRXI_STAGED, 3);
}

static void prepare_stripes(struct trial *t)
{
    start(t, DRX_RDONLY, 3);
    use(DRXI_STAGED, 2);
}

static drx_status read_all(struct trial *t)
{
    struct got *got = t->own;
    drx_status st = drx_read(t->a[0], origin, shape, DRX_COL_MAJOR, got->all);

    if (!st)
        st = drx_read_box(t->a[0],
                          &(drx_box){ .lo = box_lo, .count = box_count, .step = box_step, .stride = box_stride },
                          got->box + BOX_ROWS - 1);
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
    use_defaults();
}

const struct scenario reading = { "read", "left/a", prepare_staged, read_all, check_got, 0, false };
const struct scenario reading_mapped = { "read from a map", "left/a", prepare_mapped, read_all, check_got, 0, false };
const struct scenario reading_by_threads = {
    "read by threads", "left/a", prepare_threads, read_all, check_got, 0, false
};
const struct scenario reading_stripes = { "read stripes", "s", prepare_stripes, read_all, check_got, 0, false };

/* ---- writing ---------------------------------------------------------------------------- */

static void prepare_writing(struct trial *t)
{
    start(t, DRX_RDWR, 0);
    use(DRXI_ANY_WAY, 1);
}

static void prepare_writing_by_threads(struct trial *t)
{
    start(t, DRX_RDWR, 0);
    use(DRXI_ANY_WAY, 3);
}

static int32_t changed(int64_t i, int64_t j)
{
    return -number(i, j);
}

/* Rows 3 to 9, and the box of steps. */
static bool is_written(int64_t i, int64_t j)
{
    return (i >= 3 && i <= 9) || (i % 2 == 1 && j % 3 == 2 && j >= 2);
}

static drx_status write_some(struct trial *t)
{
    int32_t rows[7 * NUMBERS_COLUMNS], box[BOX_ROWS * BOX_COLUMNS];
    drx_status st;

    for (int64_t i = 0; i < 7; i++)
        for (int64_t j = 0; j < NUMBERS_COLUMNS; j++)
            rows[i * NUMBERS_COLUMNS + j] = changed(3 + i, j);
    for (int64_t i = 0; i < BOX_ROWS; i++)
        for (int64_t j = 0; j < BOX_COLUMNS; j++)
            box[BOX_ROWS - 1 - i + j * BOX_ROWS] = changed(1 + 2 * i, 2 + 3 * j);
    st = drx_write(t->a[0], (int64_t[]){ 3, 0 }, (int64_t[]){ 7, NUMBERS_COLUMNS }, DRX_ROW_MAJOR, rows);
    return st ? st
              : drx_write_box(t->a[0],
                              &(drx_box){ .lo = box_lo, .count = box_count, .step = box_step, .stride = box_stride },
                              box + BOX_ROWS - 1);
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
    assert_ok(drx_close(t->a[0]));
    t->a[0] = NULL;
    assert_ok(drx_check("left/a", NULL, NULL, NULL, NULL));
    use_defaults();
}

const struct scenario writing = { "write", "left/a", prepare_writing, write_some, check_written, 0, false };
const struct scenario writing_by_threads = {
    "write by threads", "left/a", prepare_writing_by_threads, write_some, check_written, 0, false
};

/* ---- single elements ------------------------------------------------------------------------ */

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
    (void)drx_close(t->a[0]);
    t->a[0] = NULL;
    assert_ok(drx_check("left/a", NULL, NULL, NULL, NULL));
    use_defaults();
}

const struct scenario single_elements = { "put and get", "left/", prepare_writing, put_and_get, check_put, 0, false };

/* ---- beside the caller ------------------------------------------------------------------------ */

enum { REQUESTS = 3 };

static drx_status ask(struct trial *t, drx_request *request[REQUESTS], const int32_t *rows)
{
    struct got *got = t->own;
    drx_status st =
        drx_write_async(t->a[0], &(drx_box){ .lo = (int64_t[]){ 3, 0 }, .count = (int64_t[]){ 7, NUMBERS_COLUMNS } },
                        rows, &request[0]);

    if (!st)
        st = drx_read_async(t->a[0], &(drx_box){ .lo = origin, .count = shape }, got->all, &request[1]);
    return st ? st
              : drx_read_async(t->a[0],
                               &(drx_box){ .lo = box_lo, .count = box_count, .step = box_step, .stride = box_stride },
                               got->box + BOX_ROWS - 1, &request[2]);
}

static drx_status go_on_beside(struct trial *t)
{
    drx_request *request[REQUESTS] = { NULL };
    int32_t rows[7 * NUMBERS_COLUMNS];
    char detail[1024] = "";
    int done;
    drx_status st;

    for (int64_t i = 0; i < 7; i++)
        for (int64_t j = 0; j < NUMBERS_COLUMNS; j++)
            rows[i * NUMBERS_COLUMNS + j] = changed(3 + i, j);
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

        assert_int_equal(got->all[k], i >= 3 && i <= 9 ? changed(i, j) : number(i, j));
    }
    (void)opened_again(t);
    assert_ok(write_some(t));
    require_written(t->a[0], DRX_OK);
    use_defaults();
}

const struct scenario asynchronous = {
    "requests beside the caller", "left/a", prepare_writing, go_on_beside, check_beside, 0, false
};
