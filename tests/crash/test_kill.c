/* Processes that work on arrays are killed at random moments. Every call that returned is stored, and no call is stored
 * by half.
 *
 * DRX_TORTURE=1: 200 of them. DRX_SEED=N: of the random choices. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "processes.h"
#include "real.h"
#include "scenes.h"

enum { KILLS = 15, TORTURE_KILLS = 200, MOST_STEPS = 1000000, MOST_WANTED = 500, MOST_US = 1000 };

static const struct scene at_random = { .play = scene_at_random };
static const char *const places[] = { "a", "b", "d/a" };

static void start_history(struct history *h, uint64_t seed)
{
    h->random_steps = MOST_STEPS;
    h->make = (struct make){ .ndim = 2,
                             .type = DRX_INT32,
                             .shape = { 3, 4 },
                             .chunk = { 2, 3 },
                             .limit = { 24, 24 },
                             .fill = seed % 2 ? -7 : 0,
                             .align = 32,
                             .dims = { "y" },
                             .stripes = seed % 3 == 0 ? 3 : 0,
                             .flags = seed % 4 < 2 ? DRX_CHECKSUM : 0,
                             .codec = seed % 3 != 0 && seed % 4 >= 2 ? DRX_ZSTD : DRX_RAW };
    history_start(h, "killed", seed, places, 3);
}

static void work(int acks, uint64_t seed)
{
    struct history h = { .mode = LIVE, .acks = acks };

    start_history(&h, seed);
    scene_play(&at_random, &h);
    _exit(0);
}

static int read_acks(int tube)
{
    char bytes[4096];
    const ssize_t got = read(tube, bytes, sizeof bytes);

    assert_true(got >= 0);
    return (int)got;
}

/* Start it, kill it when it has told of this many steps and a moment more, and count those that it has told of. */
static int kill_one(uint64_t seed, int steps, int64_t moment_us)
{
    int tube[2], status, acks = 0, more = 1;
    pid_t pid;

    assert_int_equal(pipe(tube), 0);
    pid = fork_idle();
    assert_true(pid >= 0);
    if (pid == 0)
        work(tube[1], seed);
    assert_int_equal(close(tube[1]), 0);
    while (acks < steps && more > 0)
        acks += more = read_acks(tube[0]);
    (void)usleep((useconds_t)moment_us);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    while ((more = read_acks(tube[0])) > 0)
        acks += more;
    assert_int_equal(close(tube[0]), 0);
    return acks;
}

/* What the process was told is the truth, but for the step that it was at. */
static void check(int acks, uint64_t seed, struct tally *tally)
{
    struct history h = { .mode = TOLD, .acks = acks };
    struct image im;
    char why[1000];
    drx_array *a;

    start_history(&h, seed);
    scene_play(&at_random, &h);
    real_load(&im);
    if (!world_check(&h.world, &im, (struct crash){ .demand = DIED, .ordered = true, .boot = h.boot }, tally, why,
                     sizeof why)) {
        print_error("killed at step %d (%s), seed %llu: %s\n", h.step, h.what, (unsigned long long)seed, why);
        fail();
    }
    image_free(&im);
    for (int p = 0; p < 3; p++) /* and the real one can be written to */
        if (!drx_open(places[p], DRX_RDWR, &a)) {
            assert_ok(drx_extend(a, 0, 1));
            assert_ok(drx_close(a));
        }
    history_end(&h);
}

TEST(killed_at_random)
{
    const int kills = getenv("DRX_TORTURE") ? TORTURE_KILLS : KILLS;
    const uint64_t first = starting_seed(0);
    struct tally tally = { 0 };
    uint64_t random = first;
    long steps = 0;

    (void)setenv("DRX_THREADS", "1", 1); /* the disk in memory takes one call at a time */
    for (int i = 0; i < kills; i++) {
        int acks, wanted;

        real_clear();
        wanted = (int)random_below(&random, 1 + random_below(&random, MOST_WANTED));
        acks = kill_one(first + (uint64_t)i, wanted, random_below(&random, MOST_US));
        check(acks, first + (uint64_t)i, &tally);
        steps += acks;
    }
    print_message("%d processes killed after %ld steps in all: %ld whole arrays, %ld left broken, %ld none\n", kills,
                  steps, tally.whole, tally.broken, tally.none);
    assert_true(steps > kills); /* as was waited for */
}
