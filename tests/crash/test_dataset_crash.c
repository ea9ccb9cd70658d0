/* The power is cut after every change that transactions of a dataset make to the disk, and every state that may be left
 * is opened. Every reader and the next writer find one whole commit. cut.h says what a power cut may leave.
 *
 * DRX_TORTURE=1   many more cuts, and more random transactions
 * DRX_SEED=N      of the random choices */
#include <errno.h>

#include "base/hooks.h"
#include "dataset/dataset_play.h"
#include "file_faults.h"
#include "seen.h"

#ifdef __SANITIZE_ADDRESS__
enum { SLOW = 1 }; /* a smaller sample will do */
#else
enum { SLOW = 0 };
#endif

struct play p;

static bool check(const struct image *im, bool nested);

/* Crash while the next writer mends. */
static bool crash_again(const struct image *im, const struct disk *d, int changes)
{
    uint64_t random = p.seed ^ image_hash(im);
    bool good = true;
    struct cut c;

    cut_start(&c, im);
    for (int k = 0; good && k < changes; k++) {
        cut_add(&c, disk_change(d, k));
        for (int i = 0; good && i < 3; i++) {
            struct choice choice;
            struct image again;

            cut_choose(&c, 0, random_next(&random), i < 2 ? i : cut_listed(&c, 0), &choice);
            cut_build(&c, &choice, &again);
            good = check(&again, false);
            p.again++;
            image_free(&again);
        }
    }
    cut_free(&c);
    return good;
}

static bool check(const struct image *im, bool nested)
{
    struct disk *d, *before;
    struct image own;
    int changes = 0;
    bool good;

    image_copy(im, &own);
    d = disk_new(&own);
    before = disk_use(d);
    drxi_hooks.other_boot++;
    good = play_look(d, &changes);
    drxi_hooks.other_boot--;
    if (good && nested)
        good = crash_again(im, d, changes);
    disk_use(before);
    disk_free(d);
    return good;
}

void play_cut(void)
{
    const bool skipped = SLOW && p.samples == 0 && p.seen % 5 != 0;
    const int listed = p.failing || skipped ? 0 : cut_listed(&p.cut, p.few),
              n = listed > 1 ? listed + p.samples : listed;
    uint64_t seed = p.seed + (uint64_t)p.seen;

    (void)random_next(&seed);
    for (int i = 0; i < n; i++) {
        struct choice choice;
        struct image im;
        uint64_t hash;

        cut_choose(&p.cut, p.few, seed, i, &choice);
        cut_build(&p.cut, &choice, &im);
        hash = image_hash(&im) * 2 + p.committing;
        p.states++;
        if (seen_add(&p.known, hash)) {
            p.different++;
            if (!check(&im, p.nested > 0 && (hash >> 20) % (uint64_t)p.nested == 0))
                fail_msg("DRX_SEED=%llu: step %d, after change %d, choice %d: %s", (unsigned long long)p.seed, p.step,
                         p.seen, i, p.why);
        }
        image_free(&im);
    }
}

void play_called(drx_status st)
{
    if (st && p.failing)
        longjmp(p.stop, 1);
    if (st)
        print_error("step %d: %s\n", p.step, drx_last_error());
    assert_int_equal(st, DRX_OK);
    while (!p.failing && p.seen < disk_changes(p.disk)) {
        cut_add(&p.cut, disk_change(p.disk, p.seen++));
        play_cut();
    }
}

void play_begin(void)
{
    p.step++;
    seen_forget(&p.known);
}

static void start(uint64_t seed)
{
    const bool torture = getenv("DRX_TORTURE") != NULL;

    memset(&p, 0, sizeof p);
    p.seed = p.random = seed;
    p.samples = torture ? 40 : SLOW ? 0 : 1;
    p.few = torture ? 7 : SLOW ? 0 : 2;
    p.nested = torture ? 20 : SLOW ? 500 : 60;
    p.disk = disk_new(NULL);
    (void)disk_use(p.disk);
    cut_start(&p.cut, disk_image(p.disk));
}

static void end(const char *name)
{
    assert_ok(drx_dataset_close(p.ds));
    seen_forget(&p.known);
    cut_free(&p.cut);
    (void)disk_use(NULL);
    disk_free(p.disk);
    print_message("%s: %ld states, %ld different, %ld while another crash was mended; %d commits\n", name, p.states,
                  p.different, p.again, p.commits);
}

TEST(each_change_of_transactions_is_cut)
{
    (void)setenv("DRX_THREADS", "1", 1); /* changes have one order */
    (void)setenv("SOURCE_DATE_EPOCH", "0", 1);
    start(starting_seed(1));
    play_script();
    end("scripted");
}

/* Play the script while the n-th call of a file fails, then look at what is left. False: there are fewer calls. */
static bool play_failing(long n, int error, bool persistent)
{
    int changes;
    bool fired;

    start(1);
    p.failing = true;
    drxi_fault_arm(n, error, persistent);
    if (setjmp(p.stop) == 0)
        play_script();
    fired = drxi_fault_fired();
    drxi_fault_arm(0, 0, false);
    (void)drx_dataset_close(p.ds);
    if (!play_look(p.disk, &changes))
        fail_msg("call %ld fails%s: step %d: %s", n, persistent ? ", and all after it" : "", p.step, p.why);
    cut_free(&p.cut);
    (void)disk_use(NULL);
    disk_free(p.disk);
    return fired;
}

TEST(each_call_fails)
{
    const int step = getenv("DRX_TORTURE") ? 1 : SLOW ? 15 : 2;
    long n = 1 + (long)(starting_seed(0) % (uint64_t)step);

    for (; play_failing(n, ENOSPC, false); n += step)
        (void)play_failing(n, EIO, true);
    print_message("of %ld calls one in %d failed, once and for ever\n", n - 1, step);
    assert_true(n > 300);
}

TEST(random_transactions_are_cut)
{
    const bool torture = getenv("DRX_TORTURE") != NULL;
    const uint64_t seed = starting_seed(torture ? 0 : 2);

    for (int round = 0; round < (torture ? 20 : 2); round++) {
        start(seed + (uint64_t)round);
        play_create();
        for (int i = 0; i < (torture ? 60 : 25) && p.commits < COMMITS - 1; i++)
            play_random_step();
        end("random");
    }
}
