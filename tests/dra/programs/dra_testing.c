#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dra_model.h"

int me, ranks;
static uint64_t stream;

static void vprint(FILE *file, const char *before, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));
static void vprint(FILE *file, const char *before, const char *format, va_list args)
{
    (void)fputs(before, file);
    (void)vfprintf(file, format, args);
    (void)fputc('\n', file);
    (void)fflush(file);
}

/* Results go to a file as well, if DRX_RESULTS names one: mpirun may mix the lines of several ranks. */
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
    FILE *file;
    va_list args;

    if (me != 0)
        return;
    va_start(args, format);
    vprint(stdout, "> ", format, args);
    va_end(args);
    if ((file = open_results())) {
        va_start(args, format);
        vprint(file, "> ", format, args);
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
    vprint(stderr, "wrong: ", format, args);
    va_end(args);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static bool is_wanted(const struct part *part, char *const *words)
{
    if (!*words)
        return ranks <= part->most_ranks;
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
    me = GA_Nodeid();
    ranks = GA_Nnodes();
    stream = seed ? strtoull(seed, NULL, 10) : 1;
    say("DRX_SEED=%" PRIu64, stream);
    for (int i = 0; i < n; i++)
        if (is_wanted(&parts[i], argv + 1)) {
            say("part %s", parts[i].name);
            parts[i].run();
            release_all();
        }
    GA_Terminate();
    MPI_Finalize();
    return 0;
}

int64_t below(int64_t n) /* splitmix64 */
{
    uint64_t z = stream += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (int64_t)((z ^ z >> 31) % (uint64_t)n);
}

void expect_code(int got, int expected, const char *what)
{
    if (got != expected)
        wrong("%s: rank %d: %d, expected %d", what, me, got, expected);
}

void expect_failure(int got, const char *what)
{
    int codes[2] = { got, -got };

    MPI_Allreduce(MPI_IN_PLACE, codes, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (codes[0] != -codes[1])
        wrong("%s: codes from %d to %d, expected the same on all ranks", what, codes[0], -codes[1]);
    if (got == 0)
        wrong("%s: succeeded, expected a failure", what);
}
