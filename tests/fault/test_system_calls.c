/* Each scenario, with the n-th call of the system failing, for n = 1, 2, ..., in each of many ways: the error is told,
 * or it does not matter; nothing is lost, and nothing is left open, mapped or lying about.
 *
 * Of some ways only every seventh call is tried, with others in each; all with DRX_TORTURE=1. */
#include "calls/scenarios.h"

enum { EVERY = 7, TRIED_ALL = 7 /* families */ };

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
                                                    &checking_stripes };

enum { SCENARIOS = sizeof scenarios / sizeof scenarios[0] };

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
        const long by = i < TRIED_ALL || is_torture() ? 1 : EVERY;

        if (!only || strcmp(only, families[i].name) == 0)
            fired += trials(s, &families[i], 1 + i % by, by);
    }
    print_message("%s: %ld faults\n", s->name, fired);
    total += fired;
}

static int tell_total(void **state)
{
    (void)state;
    print_message("%ld faults in %d scenarios\n", total, (int)SCENARIOS);
    for (int kind = 0; kind < CALL_KINDS; kind++)
        if (calls_made(1u << kind) == 0)
            print_error("no call of kind %d was seen\n", kind);
    return 0;
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[SCENARIOS];
    int n = 0;

    for (int i = 0; i < SCENARIOS; i++)
        if (argc < 2 || strstr(scenarios[i]->name, argv[1]))
            tests[n++] = (struct CMUnitTest){ scenarios[i]->name, fail_in_every_way, NULL, trial_report,
                                              (void *)(uintptr_t)scenarios[i] };
    return _cmocka_run_group_tests("system calls", tests, (size_t)n, NULL, tell_total);
}
