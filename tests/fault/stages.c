#include "stages.h"

#include <unistd.h>

#include "drx_tools.h"

struct stage after[SCENE_STEPS];
int32_t stages_fill;

void lay(int i, size_t n, int j)
{
    store("cut.xmd", after[i].log.p, n);
    store("cut.xta", after[j].data.p, after[j].data.n);
}

struct drxi_log_record record_at(const struct bytes *log, size_t at)
{
    struct drxi_log_record record;

    assert_true(drxi_log_record_decode(log->p + at, log->n - at, (int64_t)at, &record));
    return record;
}

struct drxi_log_record last_record(const struct bytes *log)
{
    struct drxi_log_record record = { .kind = 0 };

    for (size_t at = DRXI_LOG_AT; at < log->n; at += record.bytes)
        record = record_at(log, at);
    return record;
}

struct drxi_run run_behind(const struct bytes *log)
{
    const struct drxi_log_record last = last_record(log);

    return drxi_run_at(&(struct drxi_log_place){ (int64_t)log->n, last.at, last.sequence, last.crc });
}

void append_run(struct drxi_run *run)
{
    assert_int_equal(run->failed, DRX_OK);
    put_bytes("cut.xmd", run->at, run->bytes, (size_t)run->n);
    drxi_run_free(run);
}

/* Play the scene on `fill` and keep the files of each step. */
static int record_scene(int32_t fill)
{
    struct scene s;
    const int ignored[] = { unlink("scene.xmd"), unlink("scene.xta") };

    (void)ignored;
    stages_fill = fill;
    scene_start(&s, "scene", fill);
    for (int i = 0; i <= LAST_STEP; i++) {
        assert_ok(scene_play(&s, i));
        assert_ok(drx_set_pool(s.a, 0)); /* puts go to the file */
        after[i].log = load("scene.xmd");
        after[i].data = load("scene.xta");
        after[i].model = s.after;
        after[i].sync =
            i > 0 && after[i].log.n > after[i - 1].log.n && last_record(&after[i].log).kind == DRXI_LOG_SYNC;
    }
    assert_false(after[BEFORE_SYNCS].sync || after[ONE_SYNC].sync);
    assert_true(after[BEFORE_SYNCS + 1].sync && after[ONE_SYNC + 1].sync && after[ALL_SYNCED].sync);
    return drx_close(s.a);
}

/* What a test that failed has left is not the next one's. */
static int clear(void **state)
{
    const int ignored[] = { unlink("cut.xmd"), unlink("cut.xta") };

    (void)ignored;
    return 0;
}

static int setup_zero(void **state)
{
    return record_scene(0);
}

static int setup_fill(void **state)
{
    return record_scene(-7);
}

int stages_run(const struct CMUnitTest tests[], size_t n)
{
    struct CMUnitTest cleared[32];
    int failed;

    assert_true(n <= sizeof cleared / sizeof *cleared);
    for (size_t i = 0; i < n; i++) {
        cleared[i] = tests[i];
        cleared[i].setup_func = clear;
    }
    failed = _cmocka_run_group_tests("fill 0", cleared, n, setup_zero, NULL);
    return failed + _cmocka_run_group_tests("fill -7", cleared, n, setup_fill, NULL);
}

void check_cells(drx_array *a, int from, int to)
{
    static int32_t buf[SCENE_EXTENT * SCENE_EXTENT];
    const int64_t *shape = drx_shape(a);
    const int64_t lo[2] = { 0, 0 };

    assert_ok(drx_read(a, lo, shape, DRX_ROW_MAJOR, buf));
    for (int64_t i = 0; i < shape[0]; i++)
        for (int64_t j = 0; j < shape[1]; j++) {
            const int32_t v = buf[i * shape[1] + j];
            bool allowed = false;

            for (int k = from; k <= to; k++)
                allowed = allowed || (i < after[k].model.shape[0] && j < after[k].model.shape[1] &&
                                      v == after[k].model.value[i][j]);
            if (!allowed)
                print_error("element (%d, %d) is %d after steps %d to %d\n", (int)i, (int)j, (int)v, from, to);
            assert_true(allowed);
        }
}

void check_growth(drx_array *a)
{
    static int32_t buf[SCENE_EXTENT * SCENE_EXTENT * 4];
    const int64_t lo[2] = { 0, 0 };
    const int64_t old[2] = { drx_shape(a)[0], drx_shape(a)[1] };

    for (int axis = 0; axis < 2; axis++)
        for (int64_t by = 1; by < 8; by += 3)
            assert_ok(drx_extend(a, axis, by));
    assert_ok(drx_read(a, lo, drx_shape(a), DRX_ROW_MAJOR, buf));
    for (int64_t r = 0; r < drx_shape(a)[0]; r++)
        for (int64_t c = 0; c < drx_shape(a)[1]; c++)
            if (r >= old[0] || c >= old[1])
                assert_int_equal(buf[r * drx_shape(a)[1] + c], stages_fill);
}

void check_damaged(int i, int to)
{
    const struct bytes log = load("cut.xmd"), data = load("cut.xta");
    drx_array *a;

    assert_status(drx_open("cut", DRX_RDWR, &a), DRX_EDAMAGED);
    assert_null(a);
    assert_detail("cut.xmd");
    assert_status(drx_open("cut", DRX_SHARED, &a), DRX_EDAMAGED);
    assert_ok(drx_open("cut", DRX_RDONLY, &a));
    assert_true(strstr(drx_last_error(), "is damaged") || strstr(drx_last_error(), "cannot be"));
    assert_true(scene_same_shape(a, &after[i].model));
    check_cells(a, i, to);
    assert_status(drx_extend(a, 0, 1), DRX_EACCES);
    assert_ok(drx_close(a));
    assert_bytes("cut.xmd", log);
    assert_bytes("cut.xta", data);
}
