/* A writer of a dataset is killed again and again while others read it. Each reader sees only whole commits.
 *
 * DRX_TORTURE=1   20 times as many kills */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "drx_dataset.h"
#include "processes.h"

enum { VARIABLES = 4, WIDTH = 5, READERS = 2, ABORTED = -1 };

static const char *const names[VARIABLES] = { "u", "v", "w", "time" };

/* What processes tell each other. */
static struct told {
    _Atomic int64_t bound;   /* of the last commit that returned */
    _Atomic int64_t seen;    /* by readers: looks at a dataset */
    _Atomic int64_t turns;   /* transactions that ended */
    _Atomic int64_t turn_ns; /* that the last one took: disks differ a hundredfold */
    _Atomic int stop, wrong;
} * told;

static void require(bool good, const char *what, int64_t a, int64_t b)
{
    if (good)
        return;
    print_error("%s: %lld, %lld; %s\n", what, (long long)a, (long long)b, drx_last_error());
    told->wrong = 1;
    _exit(1);
}

static void make(void)
{
    const char *const dims[] = { "time", "x" };
    const int64_t shape[] = { 0, WIDTH }, chunk[] = { 3, 4 };
    drx_dataset *ds;

    assert_ok(drx_dataset_create("d", &ds));
    for (int i = 0; i < VARIABLES; i++)
        assert_ok(drx_dataset_add(ds, names[i],
                                  &(drx_spec){ .ndim = i == VARIABLES - 1 ? 1 : 2,
                                               .type = DRX_INT64,
                                               .shape = shape,
                                               .chunk = chunk,
                                               .flags = i == 1 ? DRX_CHECKSUM : 0,
                                               .dims = dims },
                                  NULL));
    assert_ok(drx_dataset_commit(ds, "made"));
    assert_ok(drx_dataset_close(ds));
}

/* Steps of time from `t` on, each of its own number, or all of `all`. */
static void write_steps(drx_dataset *ds, int64_t t, int64_t n, int64_t all)
{
    for (int i = 0; i < VARIABLES; i++) {
        int64_t buf[8 * WIDTH];
        const int64_t width = i == VARIABLES - 1 ? 1 : WIDTH, lo[] = { t, 0 }, count[] = { n, width };
        drx_array *a;

        for (int64_t k = 0; k < n * width; k++)
            buf[k] = all ? all : t + k / width;
        require(!drx_dataset_array(ds, names[i], &a), "array", i, 0);
        require(!drx_write(a, lo, count, DRX_ROW_MAJOR, buf), "write", t, n);
    }
}

static void transact(drx_dataset *ds, int64_t bound, uint64_t *random)
{
    const int64_t n = 1 + random_below(random, 4);
    const bool abort = random_below(random, 4) == 0;

    require(!drx_dataset_extend(ds, "time", n), "extend", bound, n);
    write_steps(ds, bound, n, abort ? ABORTED : 0);
    if (abort) {
        require(!drx_dataset_abort(ds), "abort", bound, n);
        return;
    }
    require(!drx_dataset_attr_set(ds, DRX_DATASET, NULL, "steps", DRX_INT64, 1, &(int64_t){ bound + n }), "attribute",
            bound, n);
    require(!drx_dataset_commit(ds, "steps"), "commit", bound, n);
    told->bound = bound + n;
    if (random_below(random, 3) == 0)
        require(!drx_dataset_forget(ds, drx_dataset_last(ds) - random_below(random, 2)), "forgetting", bound, n);
}

static void be_writer(uint64_t random)
{
    drx_dataset *ds;
    int64_t bound;
    drx_status st;

    do
        st = drx_dataset_open("d", DRX_RDWR, DRX_LAST, &ds); /* the lock of a killed one may take a moment to go */
    while (st == DRX_EBUSY);
    require(!st, "opening for writing", 0, 0);
    (void)drx_dataset_dim(ds, 0, &bound);
    require(bound >= told->bound, "a commit is lost", bound, told->bound);
    for (;;) {
        const double begun_at = drxi_now();

        transact(ds, bound, &random);
        told->turn_ns = (int64_t)((drxi_now() - begun_at) * 1e9);
        told->turns++;
        (void)drx_dataset_dim(ds, 0, &bound);
    }
}

/* All steps of an array hold their numbers. */
static void look_at(drx_array *a, int64_t bound)
{
    const int64_t lo[] = { bound > 40 ? bound - 40 : 0, 0 };
    const int64_t width = drx_ndim(a) > 1 ? WIDTH : 1, count[] = { bound - lo[0], width };
    int64_t buf[40 * WIDTH];

    require(!drx_read(a, lo, count, DRX_ROW_MAJOR, buf), "read", bound, 0);
    for (int64_t k = 0; k < count[0] * width; k++)
        require(buf[k] == lo[0] + k / width, "value", lo[0] + k / width, buf[k]);
}

static void look_together(drx_dataset *ds)
{
    const void *steps = NULL;
    int64_t bound;

    (void)drx_dataset_dim(ds, 0, &bound);
    for (int i = 0; i < VARIABLES; i++) {
        drx_array *a;

        require(!drx_dataset_array(ds, names[i], &a), "array", i, bound);
        require(drx_shape(a)[0] == bound, "bounds differ", drx_shape(a)[0], bound);
        look_at(a, bound);
    }
    if (bound > 0) {
        require(!drx_dataset_attr_get(ds, DRX_DATASET, NULL, "steps", NULL, NULL, &steps), "attribute", bound, 0);
        require(*(const int64_t *)steps == bound, "attribute of another commit", *(const int64_t *)steps, bound);
    }
    told->seen++;
}

static void be_reader(int which)
{
    while (!told->stop) {
        drx_dataset *ds;
        drx_array *a;

        require(!drx_dataset_open("d", DRX_RDONLY, DRX_LAST, &ds), "opening", which, 0);
        for (int i = 0; i < 20; i++) {
            look_together(ds);
            require(!drx_dataset_refresh(ds), "refresh", i, 0);
        }
        require(!drx_dataset_close(ds), "closing", which, 0);
        require(!drx_open(which ? "d/u" : "d/time", DRX_RDONLY, &a), "opening alone", which, 0);
        look_at(a, drx_shape(a)[0]);
        require(!drx_close(a), "closing alone", which, 0);
    }
    _exit(0);
}

/* Kills the writer in its first, second or third transaction, or while it opens the dataset. */
static void kill_somewhere(pid_t writer, uint64_t *random)
{
    const int64_t last = told->turns + random_below(random, 3);
    const double begun_at = drxi_now();
    int status;

    while (told->turns < last && !told->wrong && drxi_now() - begun_at < 60)
        (void)usleep(50);
    (void)usleep((useconds_t)random_below(random, 100 + told->turn_ns / 1000));
    assert_int_equal(kill(writer, SIGKILL), 0);
    assert_int_equal(waitpid(writer, &status, 0), writer);
    assert_true(WIFSIGNALED(status));
}

TEST(readers_see_whole_commits_while_writers_are_killed)
{
    const int kills = getenv("DRX_TORTURE") ? 4000 : 200;
    uint64_t random = starting_seed(0);
    pid_t readers[READERS];
    drx_dataset *ds;

    told = mmap(NULL, sizeof *told, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(told != MAP_FAILED);
    make();
    for (int i = 0; i < READERS; i++)
        if ((readers[i] = fork_idle()) == 0)
            be_reader(i);
    for (int i = 0; i < kills && !told->wrong; i++) {
        const uint64_t seed = random_next(&random);
        const pid_t writer = fork_idle();

        if (writer == 0)
            be_writer(seed);
        kill_somewhere(writer, &random);
    }
    told->stop = 1;
    for (int i = 0; i < READERS; i++) {
        int status;

        assert_int_equal(waitpid(readers[i], &status, 0), readers[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_false(told->wrong);
    assert_ok(drx_dataset_open("d", DRX_RDWR, DRX_LAST, &ds));
    look_together(ds);
    print_message("%d kills, %lld commits, %lld looks\n", kills, (long long)drx_dataset_last(ds),
                  (long long)told->seen);
    assert_true(drx_dataset_last(ds) > 1);
    assert_ok(drx_dataset_close(ds));
}
