/* Each scenario, with the n-th call of the system failing, for n = 1, 2, ..., in each of many ways: the error is told,
 * or it does not matter; nothing is lost, and nothing is left open, mapped or lying about.
 *
 * Of some ways only every seventh call is tried, with others in each; all with DRX_TORTURE=1. */
#include <unistd.h>

#include "calls/scenarios.h"
#include "calls/single_cases.h"
#include "disks.h"

enum { EVERY = 7, TRIED_ALL = 7 /* families */ };

/* Where all takes ten times as long, of those, too, only some. */
#if defined __SANITIZE_ADDRESS__
enum { SLOWER = 3 };
#else
enum { SLOWER = 1 };
#endif

static const struct scenario *const scenarios[] = { &life,
                                                    &life_with_fill,
                                                    &life_striped,
                                                    &replacing,
                                                    &replacing_striped,
                                                    &persisting,
                                                    &shell,
                                                    &in_memory,
                                                    &reading,
                                                    &reading_mapped,
                                                    &reading_by_threads,
                                                    &reading_stripes,
                                                    &writing,
                                                    &writing_by_threads,
                                                    &single_elements,
                                                    &asynchronous,
                                                    &renaming,
                                                    &renaming_to_folder,
                                                    &renaming_over,
                                                    &renaming_stripes,
                                                    &removing,
                                                    &removing_stripes,
                                                    &duplicating,
                                                    &duplicating_stripes,
                                                    &moving_over,
                                                    &copying,
                                                    &copying_over,
                                                    &copying_to_stripes,
                                                    &copying_to_memory,
                                                    &refreshing,
                                                    &refreshing_replaced,
                                                    &recovering,
                                                    &recovering_stripes,
                                                    &checking,
                                                    &checking_stripes,
                                                    &sharing,
                                                    &sharing_with_others,
                                                    &compacting,
                                                    &compacting_stripes };

enum { SCENARIOS = sizeof scenarios / sizeof scenarios[0], ALL = 2 * SCENARIOS };

static struct scenario with_sums[SCENARIOS]; /* the same with checksums */
static char names[SCENARIOS][80];

static long total;

static bool is_torture(void)
{
    const char *text = getenv("DRX_TORTURE");

    return text && strcmp(text, "1") == 0;
}

static void fail_in_every_way(void **state)
{
    const struct scenario *s = *state;
    const char *only = getenv("DRX_FAMILY");
    long fired = 0;

    for (int i = 0; i < n_families; i++) {
        const long by = is_torture() ? 1 : (i < TRIED_ALL ? 1 : EVERY) * SLOWER * (s->sums ? 4 : 1);

        if (!only || strcmp(only, families[i].name) == 0)
            fired += trials(s, &families[i], 1 + i % by, by);
    }
    print_message("%s: %ld faults\n", s->name, fired);
    total += fired;
}

static int tell_total(void **state)
{
    (void)state;
    print_message("%ld faults in %d scenarios\n", total, (int)ALL);
    return 0;
}

/* Else a call is not wrapped. */
static void every_kind_was_seen(void **state)
{
    (void)state;
    for (int kind = 0; kind < CALL_KINDS; kind++)
        if (calls_made(1u << kind) == 0)
            fail_msg("no call of kind %d was seen", kind);
}

static void make_those_with_sums(void)
{
    for (int i = 0; i < SCENARIOS; i++) {
        (void)snprintf(names[i], sizeof names[i], "%s, with checksums", scenarios[i]->name);
        with_sums[i] = *scenarios[i];
        with_sums[i].name = names[i];
        with_sums[i].sums = true;
    }
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[ALL + SINGLE_CASES + 1];
    int n = 0;

    make_those_with_sums();

    if (disks_enter() && disks_mount_memory("memory") && chdir("memory") != 0) /* fast, when it may be had */
        return 1;
    for (int i = 0; argc < 2 && i < SINGLE_CASES; i++) /* first: there are no helper threads yet */
        tests[n++] = single_cases[i];
    for (int i = 0; i < ALL; i++) {
        const struct scenario *s = i < SCENARIOS ? scenarios[i] : &with_sums[i - SCENARIOS];

        if (argc < 2 || strstr(s->name, argv[1]))
            tests[n++] = (struct CMUnitTest){ s->name, fail_in_every_way, NULL, trial_report, (void *)(uintptr_t)s };
    }
    if (argc < 2)
        tests[n++] = (struct CMUnitTest)cmocka_unit_test(every_kind_was_seen);
    return _cmocka_run_group_tests("system calls", tests, (size_t)n, NULL, tell_total);
}
