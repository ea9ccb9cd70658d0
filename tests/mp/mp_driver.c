/* Runs the cases of all test_mp_*.c in one launch of MPI: mp_driver [-r SIZES] [SUITE[:SIZES] ...]
 *
 * The ranks are divided into groups of the wanted sizes (commas between them; by default 1,2,3,4,5,8), and each group
 * runs all the cases, or those of the suites that are named. Groups that fit into the launch side by side run at the
 * same time, each in a folder of its own: with 8 ranks first 8, then 5 and 3, then 4, 2 and 1. Ranks that have nothing
 * to do sleep.
 *
 * To add a case: write `TEST(what_holds) { ... }` in tests/mp/test_mp_*.c; for a new file, run cmake again. A case
 *   - works on mp_comm, of mp_ranks ranks, of which this one is mp_rank, and never on MPI_COMM_WORLD;
 *   - finds an empty working folder at the beginning of its suite;
 *   - may change the environment and drxi_hooks, which the driver restores after it;
 *   - may take DRX_TEST_TIMEOUT seconds (600): only a hang does. The driver then names it, and ends the launch.
 * What a case prints is shown when it fails. To run one suite: scripts/in-mpi 3 600 build/release/tests/mp_driver
 * -r 3 test_mp_array, in an empty folder. */
#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "base/hooks.h"
#include "base/work.h"
#include "mp/mp.h"
#include "mp_testing.h"

/* Of the leak sanitizer, where it is linked. */
void __lsan_do_leak_check(void) __attribute__((weak));
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

enum { MOST_RANKS_HERE = 64, PATIENCE_AFTER_FAILURE = 60, MOST_VARIABLES = 1000 };
enum { PASSED, FAILED, SKIPPED, OUTCOMES };

MPI_Comm mp_comm = MPI_COMM_NULL;
int mp_rank, mp_ranks, mp_thread_level = MPI_THREAD_SINGLE;

/* All cases, those of a suite in the order of its file. */
enum { MOST_CASES = 400 };
static struct {
    char suite[40]; /* the name of the file */
    int line;
    struct CMUnitTest test;
} cases[MOST_CASES];
static size_t ncases;

static int captured; /* what a case prints */
static int world_rank, world_ranks;
static unsigned timeout_seconds = 600;
static long counts[OUTCOMES]; /* of the groups that this rank is the first of */
static char current[200];     /* the case that runs, for the watchdog */

/* Constructors run in any order. */
void testing_add(const char *file, int line, struct CMUnitTest test)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    char suite[sizeof cases[0].suite];
    size_t at = ncases++;

    assert_true(ncases <= MOST_CASES);
    (void)snprintf(suite, sizeof suite, "%.*s", (int)strcspn(name, "."), name);
    for (int order; at > 0; at--) {
        order = strcmp(cases[at - 1].suite, suite);
        if (order < 0 || (order == 0 && cases[at - 1].line < line))
            break;
        cases[at] = cases[at - 1];
    }
    (void)snprintf(cases[at].suite, sizeof suite, "%s", suite);
    cases[at].line = line;
    cases[at].test = test;
}

/* The first case of the next suite. */
static size_t after_suite(size_t first)
{
    size_t i = first;

    while (i < ncases && strcmp(cases[i].suite, cases[first].suite) == 0)
        i++;
    return i;
}

/* All ranks of `comm` come here, and sleep until the last one does. Returns the greatest value. */
static int wait_for_all(MPI_Comm comm, int value)
{
    MPI_Request request;
    int greatest, done = 0;

    (void)MPI_Iallreduce(&value, &greatest, 1, MPI_INT, MPI_MAX, comm, &request);
    for (long us = 100; MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done; us += us < 10000 ? us : 0)
        (void)nanosleep(&(struct timespec){ 0, us * 1000 }, NULL);
    return greatest;
}

static void show_captured(void)
{
    char buf[4096];
    ssize_t n;

    for (off_t at = 0; (n = pread(captured, buf, sizeof buf, at)) > 0; at += n)
        if (write(STDOUT_FILENO, buf, (size_t)n) != n)
            return;
}

/* The watchdog: names the case, and gives the other ranks the time to do so, too. */
static void bark(int signal_number)
{
    (void)signal_number;
    (void)!write(STDERR_FILENO, current, strlen(current));
    show_captured();
    (void)nanosleep(&(struct timespec){ 3, 0 }, NULL);
    _exit(1);
}

static bool was_skipped(void)
{
    char buf[4096];
    const ssize_t n = pread(captured, buf, sizeof buf - 1, 0);

    buf[n > 0 ? n : 0] = 0;
    return strstr(buf, "[  SKIPPED ]") != NULL;
}

/* What a case may change, and no other case sees. */
static struct drxi_hooks first_hooks;
static char *first_environment[MOST_VARIABLES];

static void keep_surroundings(void)
{
    first_hooks = drxi_hooks;
    for (size_t i = 0; environ[i]; i++) {
        assert_true(i < MOST_VARIABLES - 1);
        first_environment[i] = environ[i];
    }
}

static void restore_surroundings(void)
{
    static char *environment[MOST_VARIABLES];

    memcpy(environment, first_environment, sizeof environment);
    environ = environment;
    drxi_hooks = first_hooks;
    drxi_work_limit(0);
}

/* The ranks of `comm` run it; `agreement` is another communicator of theirs, on which no case can leave anything. */
static void run_case(MPI_Comm comm, MPI_Comm agreement, const char *suite, const struct CMUnitTest *test)
{
    static const char *const words[OUTCOMES] = { "ok", "FAILED", "skipped" };
    const double start = MPI_Wtime();
    uint64_t seed = (uint64_t)time(NULL);
    int failed, outcome;

    (void)MPI_Comm_dup(comm, &mp_comm);
    (void)snprintf(current, sizeof current, "%s/%s HANGS on rank %d of %d\n", suite, test->name, mp_rank, mp_ranks);
    (void)fflush(stdout);
    if (ftruncate(captured, 0) != 0 || lseek(captured, 0, SEEK_SET) != 0)
        exit(1);
    (void)alarm(timeout_seconds);
    (void)MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, mp_comm);
    mp_stream = starting_seed(seed);
    failed = _cmocka_run_group_tests(test->name, test, 1, NULL, NULL) != 0;
    (void)fflush(stdout);
    if (failed) {
        (void)dprintf(STDOUT_FILENO, "%s/%s fails on rank %d of %d:\n", suite, test->name, mp_rank, mp_ranks);
        show_captured();
        (void)snprintf(current, sizeof current, "rank %d waits for the others in vain\n", mp_rank);
        (void)alarm(PATIENCE_AFTER_FAILURE); /* they may wait for this one */
    }
    failed = wait_for_all(agreement, failed);
    (void)alarm(0);
    restore_surroundings();
    outcome = failed ? FAILED : was_skipped() ? SKIPPED : PASSED;
    if (mp_rank == 0) {
        counts[outcome]++;
        (void)dprintf(STDOUT_FILENO, "%7.2f s  %d rank%s  %s/%s  %s\n", MPI_Wtime() - start, mp_ranks,
                      mp_ranks == 1 ? " " : "s", suite, test->name, words[outcome]);
    }
    if (!failed)
        (void)MPI_Comm_free(&mp_comm);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

/* The cases of a suite, from the first to before the end. */
static void run_suite(MPI_Comm comm, MPI_Comm agreement, size_t first, size_t end)
{
    char folder[200];

    (void)snprintf(folder, sizeof folder, "%s_%d", cases[first].suite, mp_ranks);
    if (mp_rank == 0 && mkdir(folder, 0777) != 0 && errno != EEXIST)
        exit(1);
    (void)wait_for_all(agreement, 0);
    if (chdir(folder) != 0)
        exit(1);
    for (size_t i = first; i < end; i++)
        run_case(comm, agreement, cases[i].suite, &cases[i].test);
    if (chdir("..") != 0)
        exit(1);
    (void)wait_for_all(agreement, 0);
    if (mp_rank == 0)
        (void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static bool holds(const char *sizes, int size)
{
    for (char *end; *sizes; sizes = *end ? end + 1 : end)
        if (strtol(sizes, &end, 10) == size)
            return true;
        else if (end == sizes)
            break;
    return false;
}

/* Whether the arguments ask for the suite on this many ranks. Suites that do not begin with test_ must be named. */
static bool is_wanted(const char *suite, int size, const char *sizes, char *const *names)
{
    const size_t n = strlen(suite);

    if (!*names)
        return strncmp(suite, "test_", 5) == 0 && holds(sizes, size);
    for (; *names; names++)
        if (strncmp(*names, suite, n) == 0 && (!(*names)[n] || (*names)[n] == ':'))
            return holds((*names)[n] ? *names + n + 1 : sizes, size);
    return false;
}

/* One round: groups of the given sizes side by side. */
static void run_round(const int size[], int groups, const char *sizes, char *const *names)
{
    int mine = MPI_UNDEFINED, first = 0;
    MPI_Comm comm, agreement;

    for (int i = 0; i < groups; first += size[i++])
        if (world_rank >= first && world_rank < first + size[i])
            mine = i;
    (void)MPI_Comm_split(MPI_COMM_WORLD, mine, world_rank, &comm);
    if (comm != MPI_COMM_NULL) {
        (void)MPI_Comm_rank(comm, &mp_rank);
        (void)MPI_Comm_size(comm, &mp_ranks);
        (void)MPI_Comm_dup(comm, &agreement);
        for (size_t i = 0; i < ncases; i = after_suite(i))
            if (is_wanted(cases[i].suite, mp_ranks, sizes, names))
                run_suite(comm, agreement, i, after_suite(i));
        (void)MPI_Comm_free(&agreement);
        (void)MPI_Comm_free(&comm);
    }
    (void)wait_for_all(MPI_COMM_WORLD, 0);
}

/* All sizes that something is wanted on, the greatest first, each in the first round that has room for it. */
static void run_rounds(const char *sizes, char *const *names)
{
    bool wanted[MOST_RANKS_HERE + 1] = { false };
    int left = 0;

    for (int size = 1; size <= world_ranks; size++)
        for (size_t i = 0; i < ncases && !wanted[size]; i = after_suite(i))
            if ((wanted[size] = is_wanted(cases[i].suite, size, sizes, names)))
                left++;
    while (left > 0) {
        int round[MOST_RANKS_HERE], groups = 0, room = world_ranks;

        for (int size = world_ranks; size > 0; size--)
            if (wanted[size] && size <= room) {
                wanted[size] = false;
                room -= round[groups++] = size;
            }
        run_round(round, groups, sizes, names);
        left -= groups;
    }
}

static void begin_mpi(int *argc, char ***argv)
{
    const char *io = getenv("OMPI_MCA_io"); /* the program cannot ask for it, but here it is known */

    if (io && strncmp(io, "romio", 5) == 0)
        drxi_runs_together = true;
    if (__lsan_disable)
        __lsan_disable(); /* MPI loads libraries, and unloads some of them */
    if (getenv("DRX_TEST_THREADS"))
        (void)MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &mp_thread_level);
    else
        (void)MPI_Init(argc, argv);
    if (__lsan_enable)
        __lsan_enable();
    (void)MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    (void)MPI_Comm_size(MPI_COMM_WORLD, &world_ranks);
}

int main(int argc, char **argv)
{
    const char *sizes = "1,2,3,4,5,8", *seconds = getenv("DRX_TEST_TIMEOUT");
    char *const *names = argv + 1;
    long all[OUTCOMES];

    begin_mpi(&argc, &argv);
    if (argc > 2 && strcmp(argv[1], "-r") == 0) {
        sizes = argv[2];
        names = argv + 3;
    }
    if (seconds)
        timeout_seconds = (unsigned)strtoul(seconds, NULL, 10);
    (void)setenv("DRX_CREATION_ID", "00112233445566778899aabbccddeeff", 1);
    (void)setenv("SOURCE_DATE_EPOCH", "0", 1); /* of commits */
    keep_surroundings();
    (void)signal(SIGALRM, bark);
    captured = memfd_create("output", MFD_CLOEXEC);
    if (captured < 0 || !(stdout = stderr = fdopen(captured, "w")) || world_ranks > MOST_RANKS_HERE)
        return 1; /* sanitizers write to the file descriptor 2, which stays */
    run_rounds(sizes, names);
    (void)MPI_Allreduce(counts, all, OUTCOMES, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (world_rank == 0)
        (void)dprintf(STDOUT_FILENO,
                      "[  PASSED  ] %ld test(s).\n[  SKIPPED ] %ld test(s).\n[  FAILED  ] %ld test(s).\n", all[PASSED],
                      all[SKIPPED], all[FAILED]);
    if (__lsan_do_leak_check)
        __lsan_do_leak_check(); /* while what MPI keeps is still known as its own */
    (void)MPI_Finalize();
    return all[FAILED] > 0 || all[PASSED] == 0;
}
