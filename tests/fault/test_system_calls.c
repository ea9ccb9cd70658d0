/* Runs each scenario with the n-th system call failing, for many n, in each of many ways. The library reports
 * the error unless it does no harm, loses no element, and leaves nothing open, mapped or in the folder.
 *
 * About one call in this many is tried, other ones in each run (DRX_SEED repeats a run); all with DRX_TORTURE=1. */
#include <unistd.h>

#include "calls/scenarios.h"
#include "calls/single_cases.h"
#include "disks.h"
#include "processes.h"

/* One call in this many: of the first families, of the others; and this many times fewer where a scenario is like
 * another, is one of the variants with checksums or compressed, or all takes ten times as long. */
enum { OFTEN = 4, SELDOM = 35, FIRST = 7, FIRST_LIKE = 3, LIKE_FEWER = 3, VARIANT_FEWER = 4 };

#if defined __SANITIZE_ADDRESS__
enum { SLOWER = 4 };
#else
enum { SLOWER = 1 };
#endif

static const struct scenario *const groups[] = { scenarios_life, scenarios_make, scenarios_elements, scenarios_names,
                                                 scenarios_copy, scenarios_open, scenarios_shared,   scenarios_ends };

enum { GROUPS = sizeof groups / sizeof groups[0], MOST = 60 };

/* The same with checksums, or compressed. */
static const struct scenario *variant_of(const struct scenario *s, bool packed)
{
    static struct scenario variants[2 * MOST];
    static char names[2 * MOST][80];
    static int n;

    assert_true(n < 2 * MOST);
    (void)snprintf(names[n], sizeof names[n], "%s, %s", s->name, packed ? "compressed" : "with checksums");
    variants[n] = *s;
    variants[n].name = names[n];
    variants[n].sums = !packed;
    variants[n].packed = packed;
    return &variants[n++];
}

static long total;
static uint64_t stream;
static int scenarios_tried;

static void fail_in_every_way(void **state)
{
    const struct scenario *s = *state;
    const char *only = getenv("DRX_FAMILY");
    const int first = s->how & LIKE ? FIRST_LIKE : FIRST, fewer = SLOWER * (s->sums || s->packed ? VARIANT_FEWER : 1);
    long fired = 0;

    for (int i = 0; i < n_families; i++) {
        const int by = sample_or_all((i < first ? OFTEN : SELDOM * (s->how & LIKE ? LIKE_FEWER : 1)) * fewer, 1);

        if (!only || strcmp(only, families[i].name) == 0)
            fired += trials(s, &families[i], 1 + random_below(&stream, by), by);
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
    struct CMUnitTest tests[3 * MOST + SINGLE_CASES + 1];
    int n = 0;

    if (disks_enter() && disks_mount_memory("memory") && chdir("memory") != 0) /* fast, when it may be had */
        return 1;
    for (int i = 0; argc < 2 && i < SINGLE_CASES; i++) /* first: there are no helper threads yet */
        tests[n++] = single_cases[i];
    for (int g = 0; g < GROUPS; g++)
        for (const struct scenario *s = groups[g]; s->name; s++) {
            const struct scenario *summed = s->how & LIKE ? NULL : variant_of(s, false);
            const struct scenario *packed = s->how & LIKE ? NULL : variant_of(s, true);

            if (strstr(s->name, only))
                tests[n++] = test_of(s);
            if (summed && strstr(summed->name, only))
                tests[n++] = test_of(summed);
            if (packed && strstr(packed->name, only))
                tests[n++] = test_of(packed);
        }
    scenarios_tried = n;
    stream = starting_seed(0);
    if (argc < 2)
        tests[n++] = (struct CMUnitTest)cmocka_unit_test(every_kind_was_seen);
    return _cmocka_run_group_tests("system calls", tests, (size_t)n, NULL, tell_total);
}
