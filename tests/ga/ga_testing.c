#include "ga_testing.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct team team;
const char *(*explanation)(void);
static uint64_t stream, other_stream;

void sync_team(void)
{
    GA_Pgroup_sync(team.group);
}

/* Results go to a file as well, if DRX_RESULTS names one: mpirun may mix the lines of several processes. */
static FILE *open_results(void)
{
    static FILE *file;
    const char *path = getenv("DRX_RESULTS");

    if (!file && path && !(file = fopen(path, "w")))
        wrong("%s cannot be written", path);
    return file;
}

void say(const char *format, ...)
{
    FILE *files[] = { stdout, team.rank ? NULL : open_results() };
    va_list args;

    for (int i = 0; i < 2 && team.rank == 0; i++) {
        if (!files[i])
            continue;
        va_start(args, format);
        (void)fputs("> ", files[i]);
        (void)vfprintf(files[i], format, args);
        (void)fputc('\n', files[i]);
        (void)fflush(files[i]);
        va_end(args);
    }
}

void say_line(const char *text)
{
    say("%s", text);
}

void wrong(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)fprintf(stderr, "wrong: process %d: ", team.rank);
    (void)vfprintf(stderr, format, args);
    (void)fprintf(stderr, " (%s)\n", explanation ? explanation() : "");
    va_end(args);
    MPI_Abort(MPI_COMM_WORLD, 3);
    abort();
}

static bool is_wanted(const struct part *part, char *const *words)
{
    if (!*words)
        return team.ranks <= part->most_ranks;
    while (*words && strcmp(*words, part->name) != 0)
        words++;
    return *words != NULL;
}

int run_parts(int argc, char **argv, const struct part parts[], int n)
{
    const char *seed = getenv("DRX_SEED");

    MPI_Init(&argc, &argv);
    GA_Initialize();
    if (!MA_init(C_DBL, 1 << 20, 1 << 20))
        wrong("MA_init");
    team = (struct team){ GA_MPI_Comm(), -1, GA_Nodeid(), GA_Nnodes(), "all" };
    stream = seed ? strtoull(seed, NULL, 10) : 1;
    say("DRX_SEED=%" PRIu64, stream);
    for (int i = 0; i < n; i++) {
        if (!is_wanted(&parts[i], argv + 1))
            continue;
        MPI_Bcast(&stream, 1, MPI_UINT64_T, 0, team.comm); /* groups have drawn different numbers */
        other_stream = stream;
        say("part %s", parts[i].name);
        parts[i].run();
        release_all();
    }
    GA_Terminate();
    MPI_Finalize();
    return 0;
}

static int64_t draw(uint64_t *state, int64_t n) /* splitmix64 */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (int64_t)((z ^ z >> 31) % (uint64_t)n);
}

int64_t below(int64_t n)
{
    return draw(&stream, n);
}

int64_t other_below(int64_t n)
{
    return draw(&other_stream, n);
}

int sample(void)
{
    const char *text = getenv("DRX_SAMPLE"), *torture = getenv("DRX_TORTURE");
    const int n = text ? (int)strtol(text, NULL, 10) : torture && strcmp(torture, "1") == 0 ? 1 : 3;

    return n < 1 ? 1 : n;
}

int rounds(int full)
{
    return full / sample() < WAYS ? WAYS : full / sample();
}

void expect_code(int got, int expected, const char *what)
{
    if (got != expected)
        wrong("%s: %d, expected %d", what, got, expected);
}

int expect_alike(int got, bool failed, const char *what)
{
    int ends[2] = { got, -got };

    MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_INT, MPI_MIN, team.comm);
    if (ends[0] != -ends[1])
        wrong("%s: codes from %d to %d, expected the same on all processes", what, ends[0], -ends[1]);
    if (failed && got == 0)
        wrong("%s: succeeded, expected a failure", what);
    return got;
}
