/* The model test: random histories of an array against a plain one.
 *
 *   DRX_MODEL_SEED     the seed, also as DRX_SEED; default: another one each time, printed
 *   DRX_MODEL_OPS      how many operations at least, default 80000
 *   DRX_MODEL_HISTORY  only that history of the seed
 *   DRX_MODEL_TRACE    1: print each operation before it is done
 *   DRX_MODEL_COMPARE  1: compare everything after each operation
 */
#include <sched.h>
#include <signal.h>

#include "file_server.h"
#include "model.h"

enum { KNOWN_SEED = 20090707, KNOWN_OPS = 20000, DEFAULT_OPS = 80000 };

static struct run run;
static struct model m; /* large, and to be seen in a debugger */

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
    run = (struct run){ seed, &alone, folder, serve_files(), 0, number_from_env("DRX_MODEL_TRACE", 0) != 0, 0, 1 };
    fprintf(stderr, "model: seed %" PRIu64 ", to repeat: DRX_MODEL_SEED=%" PRIu64 " DRX_MODEL_OPS=%" PRId64 "\n", seed,
            seed, wanted);
    if (getenv("DRX_MODEL_HISTORY")) {
        one_history(&m, &run, (int64_t)number_from_env("DRX_MODEL_HISTORY", 0));
        wanted = 0;
        n = 1;
    }
    while (run.calls < wanted)
        one_history(&m, &run, n++);
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
    run_histories(KNOWN_SEED, (int64_t)number_from_env("DRX_MODEL_OPS", KNOWN_OPS));
}

TEST_WITH(test_random_seed, NULL, report_crash)
{
    run_histories(number_from_env("DRX_MODEL_SEED", number_from_env("DRX_SEED", (uint64_t)time(NULL))),
                  (int64_t)number_from_env("DRX_MODEL_OPS", DEFAULT_OPS));
}
