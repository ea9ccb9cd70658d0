/* Runs each scenario with the n-th system call failing, for n = 1, 2, ..., in each of many ways. The library reports
 * the error unless it does no harm, loses no element, and leaves nothing open, mapped or in the folder.
 *
 * Of some ways, and where a scenario is like another, only some calls are tried; all with DRX_TORTURE=1. */
#include <unistd.h>

#include "calls/scenarios.h"
#include "calls/single_cases.h"
#include "disks.h"
#include "processes.h"

enum { EVERY = 7, TRIED_ALL = 7, TRIED_ALL_LIKE = 3 /* families */ };

/* Where all takes ten times as long, of those, too, only some. */
#if defined __SANITIZE_ADDRESS__
enum { SLOWER = 8 };
#else
enum { SLOWER = 1 };
#endif

static const struct scenario *const groups[] = { scenarios_life, scenarios_make, scenarios_elements, scenarios_names,
                                                 scenarios_copy, scenarios_open, scenarios_shared };

enum { GROUPS = sizeof groups / sizeof groups[0], MOST = 60 };

/* The same with checksums. */
static const struct scenario *with_sums_of(const struct scenario *s)
{
    static struct scenario with_sums[MOST];
    static char names[MOST][80];
    static int n;

    assert_true(n < MOST);
    (void)snprintf(names[n], sizeof names[n], "%s, with checksums", s->name);
    with_sums[n] = *s;
    with_sums[n].name = names[n];
    with_sums[n].sums = true;
    return &with_sums[n++];
}

static long total;
static int scenarios_tried;

static void fail_in_every_way(void **state)
{
    const struct scenario *s = *state;
    const char *only = getenv("DRX_FAMILY");
    const int all = s->how & LIKE ? TRIED_ALL_LIKE : TRIED_ALL, rarely = EVERY * (s->how & LIKE ? 3 : 1);
    long fired = 0;

    for (int i = 0; i < n_families; i++) {
        const int by = sample_or_all((i < all ? 1 : rarely) * SLOWER * (s->sums ? 4 : 1), 1);

        if (!only || strcmp(only, families[i].name) == 0)
            fired += trials(s, &families[i], 1 + i % by, by);
    }
    print_message("%s: %ld faults\n", s->name, fired);
    total += fired;
}

static int tell_total(void **state)
{
    (void)state;
    print_message("%ld faults in %d scenarios\n", total, scenarios_tried);
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

static struct CMUnitTest test_of(const struct scenario *s)
{
    return (struct CMUnitTest){ s->name, fail_in_every_way, NULL, trial_report, (void *)(uintptr_t)s };
}

int main(int argc, char **argv)
{
    const char *only = argc < 2 ? "" : argv[1];
    struct CMUnitTest tests[2 * MOST + SINGLE_CASES + 1];
    int n = 0;

    if (disks_enter() && disks_mount_memory("memory") && chdir("memory") != 0) /* fast, when it may be had */
        return 1;
    for (int i = 0; argc < 2 && i < SINGLE_CASES; i++) /* first: there are no helper threads yet */
        tests[n++] = single_cases[i];
    for (int g = 0; g < GROUPS; g++)
        for (const struct scenario *s = groups[g]; s->name; s++) {
            const struct scenario *summed = s->how & LIKE ? NULL : with_sums_of(s);

            if (strstr(s->name, only))
                tests[n++] = test_of(s);
            if (summed && strstr(summed->name, only))
                tests[n++] = test_of(summed);
        }
    scenarios_tried = n;
    if (argc < 2)
        tests[n++] = (struct CMUnitTest)cmocka_unit_test(every_kind_was_seen);
    return _cmocka_run_group_tests("system calls", tests, (size_t)n, NULL, tell_total);
}
