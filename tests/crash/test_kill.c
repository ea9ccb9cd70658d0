/* Processes that work on arrays are killed at random moments: what they were told is done is there, what was not done
 * is not there by halves.
 *
 * DRX_TORTURE=1: 200 of them. DRX_SEED=N: of the random choices. */
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "real.h"
#include "scenes.h"

enum { KILLS = 15, TORTURE_KILLS = 200, MOST_STEPS = 1000000, LONGEST_NS = 60000000 };

static const char *const places[] = { "a", "b", "d/a" };

static void start(struct history *h, uint64_t seed)
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
                             .flags = seed % 4 < 2 ? DRX_CHECKSUM : 0 };
    history_start(h, "killed", seed, places, 3);
}

static void work(int acks, uint64_t seed)
{
    struct history h = { .mode = LIVE, .acks = acks };

    start(&h, seed);
    history_play(&h, scene_at_random);
    _exit(0);
}

/* Start it, kill it, and count the steps that it has told of. */
static int kill_one(uint64_t seed, uint64_t *random)
{
    const struct timespec pause = { 0, (long)random_below(random, random_below(random, LONGEST_NS) + 1) };
    char bytes[4096];
    int tube[2], status, acks = 0;
    ssize_t got;
    pid_t pid;

    assert_int_equal(pipe(tube), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        work(tube[1], seed);
    assert_int_equal(close(tube[1]), 0);
    (void)nanosleep(&pause, NULL);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    while ((got = read(tube[0], bytes, sizeof bytes)) > 0)
        acks += (int)got;
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

    start(&h, seed);
    history_play(&h, scene_at_random);
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
    const char *seed = getenv("DRX_SEED");
    const int kills = getenv("DRX_TORTURE") ? TORTURE_KILLS : KILLS;
    const uint64_t first = seed ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
    struct tally tally = { 0 };
    uint64_t random = first;
    long steps = 0;

    print_message("DRX_SEED=%llu\n", (unsigned long long)first);
    for (int i = 0; i < kills; i++) {
        int acks;

        real_clear();
        acks = kill_one(first + (uint64_t)i, &random);
        check(acks, first + (uint64_t)i, &tally);
        steps += acks;
    }
    print_message("%d processes killed after %ld steps in all: %ld whole arrays, %ld left broken, %ld none\n", kills,
                  steps, tally.whole, tally.broken, tally.none);
    assert_true(steps > kills);
}
