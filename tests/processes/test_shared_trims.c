/* Processes that share a dataset grow and trim it, while a thread of each writes elements, and others write to steps
 * that may be trimmed at any time. What a growth uncovers holds the fill. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drx_dataset.h"
#include "processes.h"
#include "testing.h"

enum { PROCESSES = 4, VARIABLES = 4, KEPT = 6, MOST = 14 };

static const struct kind {
    const char *name;
    int32_t fill;
    unsigned flags;
    int codec;
} kinds[VARIABLES] = {
    { "raw", 0, 0, 0 }, { "filled", -5, 0, 0 }, { "summed", 0, DRX_CHECKSUM, 0 }, { "packed", -7, 0, DRX_LZ4 }
};

static struct worker {
    drx_dataset *ds;
    drx_array *a[VARIABLES];
    int number;
    uint64_t random;
    volatile bool stop;
    volatile long writes;
} me;

#define MUST(call) must((call), #call, __LINE__)
static void must(drx_status st, const char *call, int line)
{
    if (st) {
        print_error("process %d: line %d: %s: %d, %s\n", me.number, line, call, (int)st, drx_last_error());
        _exit(1);
    }
}

static void make(void)
{
    const char *const dims[] = { "time", "x" };
    const int64_t shape[] = { KEPT, PROCESSES }, chunk[] = { 4, 3 };
    drx_dataset *ds;

    assert_ok(drx_dataset_create("d", &ds));
    for (int i = 0; i < VARIABLES; i++)
        assert_ok(drx_dataset_add(ds, kinds[i].name,
                                  &(drx_spec){ .ndim = 2,
                                               .type = DRX_INT32,
                                               .shape = shape,
                                               .chunk = chunk,
                                               .dims = dims,
                                               .flags = kinds[i].flags,
                                               .codec = kinds[i].codec,
                                               .fill = &kinds[i].fill },
                                  NULL));
    assert_ok(drx_dataset_commit(ds, "made"));
    assert_ok(drx_dataset_close(ds));
}

/* Elements of its own column, in steps that nobody trims. */
static void *write_own(void *arg)
{
    uint64_t random = me.random + 1;

    while (!me.stop) {
        const int i = (int)random_below(&random, VARIABLES);
        const int64_t index[] = { random_below(&random, KEPT), me.number };
        const int32_t value = (int32_t)random_below(&random, 1000000);
        int32_t got = -1;

        MUST(drx_put(me.a[i], index, &value));
        MUST(drx_get(me.a[i], index, &got));
        if (got != value) {
            print_error("process %d: %s has %d, expected %d\n", me.number, kinds[i].name, got, value);
            _exit(1);
        }
        me.writes++;
    }
    return arg;
}

static void bounds(int64_t *upper)
{
    (void)drx_dataset_dim(me.ds, drx_dataset_dim_find(me.ds, "time"), upper);
}

static void write_step(int64_t t, int32_t value, bool may_be_gone)
{
    const int32_t row[PROCESSES] = { value, value, value, value };

    for (int i = 0; i < VARIABLES; i++) {
        const drx_status st = drx_write(me.a[i], (int64_t[]){ t, 0 }, (int64_t[]){ 1, PROCESSES }, DRX_ROW_MAJOR, row);

        if (!may_be_gone || st != DRX_ERANGE)
            MUST(st);
    }
}

static void expect_step(int64_t t, bool fill, int32_t value)
{
    for (int i = 0; i < VARIABLES; i++) {
        int32_t row[PROCESSES];

        MUST(drx_read(me.a[i], (int64_t[]){ t, 0 }, (int64_t[]){ 1, PROCESSES }, DRX_ROW_MAJOR, row));
        for (int k = 0; k < PROCESSES; k++)
            if (row[k] != (fill ? kinds[i].fill : value)) {
                print_error("process %d: %s, step %d, column %d: %d, expected %d\n", me.number, kinds[i].name, (int)t,
                            k, row[k], fill ? kinds[i].fill : value);
                _exit(1);
            }
    }
}

static void change(int32_t value)
{
    int64_t upper, now, first;

    switch (random_below(&me.random, 6)) {
    case 0:
        MUST(drx_dataset_reserve(me.ds, "time", 1, &first));
        write_step(first, value, true);
        MUST(drx_dataset_commit(me.ds, NULL));
        break;
    case 1:
        MUST(drx_dataset_refresh(me.ds));
        bounds(&upper);
        if (upper > KEPT)
            write_step(KEPT + random_below(&me.random, upper - KEPT), value, true);
        break;
    case 2:
    case 3:
        MUST(drx_dataset_begin(me.ds));
        bounds(&upper);
        MUST(drx_dataset_extend(me.ds, "time", 2));
        expect_step(upper, true, 0);
        expect_step(upper + 1, true, 0);
        write_step(upper, value, false);
        expect_step(upper, false, value);
        expect_step(upper + 1, true, 0);
        if (random_below(&me.random, 3))
            MUST(drx_dataset_commit(me.ds, "grown"));
        else
            MUST(drx_dataset_abort(me.ds));
        break;
    case 4:
        bounds(&upper); /* of some time ago */
        if (upper > KEPT)
            write_step(upper - 1, value, true);
        MUST(drx_dataset_commit(me.ds, NULL));
        break;
    default:
        MUST(drx_dataset_begin(me.ds));
        bounds(&now);
        if (now > KEPT)
            MUST(drx_dataset_trim(me.ds, "time", 0, now > MOST ? now - KEPT : 1));
        MUST(drx_dataset_commit(me.ds, "trimmed"));
        break;
    }
}

static void work(int number)
{
    pthread_t thread;

    (void)alarm(100);
    me.number = number;
    me.random += (uint64_t)number * 1000;
    MUST(drx_dataset_open("d", DRX_SHARED, DRX_LAST, &me.ds));
    for (int i = 0; i < VARIABLES; i++)
        MUST(drx_dataset_array(me.ds, kinds[i].name, &me.a[i]));
    (void)pthread_create(&thread, NULL, write_own, NULL);
    for (int n = 0; n < sample_or_all(60, 250); n++)
        change(1 + n * PROCESSES + number);
    me.stop = true;
    (void)pthread_join(thread, NULL);
    MUST(drx_dataset_close(me.ds));
    _exit(0);
}

TEST(processes_grow_and_trim)
{
    me.random = starting_seed(0);
    make();
    for (int i = 0; i < PROCESSES; i++)
        if (fork_idle() == 0)
            work(i);
    for (int i = 0; i < PROCESSES; i++) {
        int status;

        (void)wait(&status);
        assert_int_equal(status, 0);
    }
    assert_ok(drx_dataset_check("d", NULL, NULL, NULL, NULL));
    assert_ok(drx_dataset_delete("d"));
}

enum { THREADS = 8 };
static volatile bool enough;

static void *write_on(void *arg)
{
    static int32_t row[KEPT * PROCESSES];

    while (!enough)
        MUST(drx_write(arg, (int64_t[]){ 0, 0 }, (int64_t[]){ KEPT, PROCESSES }, DRX_ROW_MAJOR, row));
    return NULL;
}

/* Threads of one process that write all the time do not keep another handle from growing what was trimmed. */
TEST(growth_beside_many_threads)
{
    pthread_t thread[THREADS];
    drx_dataset *ds;
    drx_array *a;

    (void)alarm(60);
    make();
    assert_ok(drx_dataset_open("d", DRX_SHARED, DRX_LAST, &ds));
    assert_ok(drx_dataset_open("d", DRX_SHARED, DRX_LAST, &me.ds));
    assert_ok(drx_dataset_array(ds, "raw", &a));
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, write_on, a), 0);
    for (int i = 0; i < 20; i++) {
        assert_ok(drx_dataset_begin(me.ds));
        assert_ok(drx_dataset_extend(me.ds, "time", 1));
        assert_ok(drx_dataset_commit(me.ds, "grown"));
        assert_ok(drx_dataset_begin(me.ds));
        assert_ok(drx_dataset_trim(me.ds, "time", 0, 1));
        assert_ok(drx_dataset_commit(me.ds, "trimmed"));
    }
    enough = true;
    for (int i = 0; i < THREADS; i++)
        (void)pthread_join(thread[i], NULL);
    (void)alarm(0);
    assert_ok(drx_dataset_close(ds));
    assert_ok(drx_dataset_close(me.ds));
    assert_ok(drx_dataset_delete("d"));
}
