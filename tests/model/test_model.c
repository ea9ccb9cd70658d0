/* The model test: random histories of an array against a plain one.
 *
 *   DRX_MODEL_SEED     the seed; default: another one each time, printed
 *   DRX_MODEL_OPS      how many operations at least, default 80000
 *   DRX_MODEL_HISTORY  only that history of the seed
 *   DRX_MODEL_TRACE    1: print each operation before it is done
 *   DRX_MODEL_COMPARE  1: compare everything after each operation
 */
#include <sched.h>
#include <signal.h>

#include "array/array.h"
#include "base/hooks.h"
#include "base/work.h"
#include "copy/kernels.h"
#include "file_server.h"
#include "model.h"

enum {
    KNOWN_SEED = 20090707,
    KNOWN_OPS = 20000,
    DEFAULT_OPS = 80000,
    LARGE_HISTORY = 40,
    SHORT_HISTORY = 160,
    LONG_HISTORY = 1200
};

enum { WRITES = 1, FILES = 2, DISTURBS = 4 };

struct op {
    operation *run;
    int weight;
    int needs; /* WRITES: a handle for writing; FILES: an array on disk; DISTURBS: readers through a server */
};

static const struct op ops[] = {
    { op_extend, 14, WRITES },
    { op_append, 10, WRITES },
    { op_trim, 6, WRITES },
    { op_add_axis, 1, WRITES },
    { op_compact, 1, FILES | WRITES | DISTURBS },
    { op_write, 14, WRITES | DISTURBS },
    { op_read, 14, 0 },
    { op_write_strided, 9, WRITES | DISTURBS },
    { op_read_strided, 9, 0 },
    { op_get_put, 12, DISTURBS },
    { op_points, 8, DISTURBS },
    { op_async, 6, DISTURBS },
    { op_sync, 1, WRITES | DISTURBS },
    { op_set_pool, 2, WRITES | DISTURBS },
    { op_attr_set, 4, WRITES },
    { op_attr_get, 2, 0 },
    { op_attr_delete, 2, WRITES },
    { op_dim_rename, 2, WRITES },
    { op_check, 1, 0 },
    { op_check_file, 1, FILES | WRITES },
    { op_reopen, 3, FILES | DISTURBS },
    { op_power_cut, 1, FILES | WRITES | DISTURBS },
    { op_reader_open, 3, FILES },
    { op_reader_read, 8, FILES },
    { op_reader_refresh, 4, FILES },
    { op_reader_close, 1, FILES },
    { op_take_turns, 4, FILES },
    { op_duplicate, 1, FILES },
    { op_error, 5, 0 },
};

enum { N_OPS = sizeof ops / sizeof *ops };

static bool possible(const struct model *m, const struct op *op)
{
    return !(op->needs & WRITES && !m->writable) && !(op->needs & FILES && m->storage != ON_DISK);
}

static void one_op(struct model *m)
{
    int64_t total = 0, dice;

    for (int i = 0; i < N_OPS; i++)
        total += possible(m, &ops[i]) ? ops[i].weight : 0;
    dice = rng_between(&m->rng, 0, total - 1);
    for (int i = 0; i < N_OPS; i++) {
        dice -= possible(m, &ops[i]) ? ops[i].weight : 0;
        if (dice < 0) {
            cache_next_moment();
            ops[i].run(m);
            if (ops[i].needs & DISTURBS)
                disturb_readers(m);
            return;
        }
    }
}

/* Any way in which the library may do it gives the same. */
static void choose_ways(struct rng *rng)
{
    const struct drxi_kernels *const *kernels = drxi_kernels_all();
    int64_t n = 0;

    while (kernels[n])
        n++;
    drxi_kernels_use(kernels[rng_between(rng, 0, n - 1)]);
    drxi_hooks.way = (int)rng_between(rng, DRXI_ANY_WAY, DRXI_MAPPED);
    drxi_hooks.large_bytes = rng_chance(rng, 50) ? 0 : 8 << 20;
    drxi_hooks.shared_bytes = rng_chance(rng, 25) ? 0 : 1 << 20;
    drx_set_memory(rng_chance(rng, 25) ? (size_t)rng_between(rng, 1, 1 << 20) : 0);
    drxi_work_limit((int)rng_between(rng, 1, 3));
}

static struct run run;
static struct model m; /* large, and to be seen in a debugger */

/* Without another random number, so that the history goes on as it does otherwise. */
static void compare(struct model *model)
{
    const struct rng before = model->rng;

    check_all(model);
    model->rng = before;
}

static void one_history(int64_t number)
{
    int64_t n;

    history_begin(&m, &run, number);
    n = rng_between(&m.rng, 0, m.large ? LARGE_HISTORY : rng_chance(&m.rng, 3) ? LONG_HISTORY : SHORT_HISTORY);
    for (int64_t i = 0; i < n; i++) {
        m.op++;
        if (rng_chance(&m.rng, 20))
            choose_ways(&m.rng);
        one_op(&m);
        if (getenv("DRX_MODEL_COMPARE"))
            compare(&m);
    }
    m.op++;
    history_end(&m);
    m.ended = true;
}

static void report(void)
{
    if (m.run && !m.ended && !m.reported)
        model_report(&m);
    m.run = NULL;
}

/* A crash gets here without a report. */
static int report_crash(void **state)
{
    report();
    return 0;
}

/* The library of C has found its memory overwritten. */
static void report_abort(int number)
{
    report();
    (void)signal(number, SIG_DFL);
}

static uint64_t number_from_env(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    char *end = NULL;
    const uint64_t value = text && *text ? strtoull(text, &end, 0) : otherwise;

    if (end && *end)
        fail_msg("%s=%s is not a number", name, text);
    return value;
}

/* The pauses in which it waits for other programs, which do nothing here. */
int __wrap_nanosleep(const struct timespec *pause, struct timespec *left);
int __wrap_nanosleep(const struct timespec *pause, struct timespec *left)
{
    return sched_yield();
}

/* Where a server has all files; NULL: there is no libcurl to ask it. */
static const char *serve_files(void)
{
    const char *url = file_server_start("", true);
    char path[100];
    drx_array *a;

    snprintf(path, sizeof path, "%s/none", url);
    return drx_open(path, DRX_RDONLY, &a) == DRX_ENOENT ? url : NULL;
}

static void run_histories(uint64_t seed, int64_t wanted)
{
    const char *tmp = getenv("TMPDIR");
    char folder[256];
    int64_t n = 0;

    snprintf(folder, sizeof folder, "%s/drx-model-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    assert_non_null(mkdtemp(folder));
    (void)signal(SIGABRT, report_abort);
    run = (struct run){ seed, folder, serve_files(), 0, number_from_env("DRX_MODEL_TRACE", 0) != 0 };
    fprintf(stderr, "model: seed %" PRIu64 ", to repeat: DRX_MODEL_SEED=%" PRIu64 " DRX_MODEL_OPS=%" PRId64 "\n", seed,
            seed, wanted);
    if (getenv("DRX_MODEL_HISTORY")) {
        one_history((int64_t)number_from_env("DRX_MODEL_HISTORY", 0));
        wanted = 0;
        n = 1;
    }
    while (run.calls < wanted)
        one_history(n++);
    fprintf(stderr, "model: seed %" PRIu64 ": %" PRId64 " operations in %" PRId64 " histories\n", seed, run.calls, n);
    assert_true(run.calls >= wanted);
    assert_int_equal(rmdir(folder), 0); /* nothing is left behind */
}

static const int64_t zero[3];

static void grow_book(struct book *b, int axis, int64_t by)
{
    book_move(b, axis, b->lower[axis], b->upper[axis] + by);
}

TEST(test_book_2d)
{
    static const int64_t want[5][4] = {
        { 0, 1, 6, 12 }, { 2, 3, 7, 13 }, { 4, 5, 8, 14 }, { 9, 10, 11, 15 }, { 16, 17, 18, 19 }
    };
    static const int axes[] = { 1, 0, 0, 1, 0, 1, 0 };
    struct book b;

    book_init(&b, 2, zero, (int64_t[]){ 1, 1 }, false);
    for (int i = 0; i < 7; i++)
        grow_book(&b, axes[i], 1);
    assert_int_equal(b.count, 20);
    for (int64_t i = 0; i < 5; i++)
        for (int64_t j = 0; j < 4; j++)
            assert_int_equal(book_address(&b, (int64_t[]){ i, j }), want[i][j]);
    book_free(&b);
}

TEST(test_book_3d)
{
    struct book b;

    book_init(&b, 3, zero, (int64_t[]){ 4, 3, 1 }, false);
    grow_book(&b, 2, 1);
    grow_book(&b, 2, 1);
    grow_book(&b, 1, 1);
    grow_book(&b, 0, 2);
    grow_book(&b, 2, 1);
    assert_int_equal(b.count, 96);
    assert_int_equal(book_address(&b, (int64_t[]){ 2, 1, 0 }), 7);
    assert_int_equal(book_address(&b, (int64_t[]){ 3, 1, 2 }), 34);
    assert_int_equal(book_address(&b, (int64_t[]){ 4, 2, 2 }), 56);
    book_free(&b);
}

TEST_WITH(test_known_seed, NULL, report_crash)
{
    if (getenv("DRX_MODEL_HISTORY"))
        skip();
    run_histories(KNOWN_SEED, KNOWN_OPS);
}

TEST_WITH(test_random_seed, NULL, report_crash)
{
    run_histories(number_from_env("DRX_MODEL_SEED", (uint64_t)time(NULL)),
                  (int64_t)number_from_env("DRX_MODEL_OPS", DEFAULT_OPS));
}
