/* Usage: ga_driver [PART ...]. The parts are described in their files; without words all are played that DRX plays on
 * this many processes. Prints the seed of its random numbers, DRX_SEED. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ga_testing.h"

struct team team;
static uint64_t stream;

void random_sections(void), groups(void), refused(void), broken(void), described(void), made(void), fortran(void);

static const struct part {
    const char *name;
    void (*play)(void);
    bool once; /* on at most 4 processes */
} parts[] = {
    { "random", random_sections, false }, { "groups", groups, false },       { "refused", refused, false },
    { "broken", broken, true },           { "described", described, false }, { "made", made, false },

#ifdef HAS_FORTRAN
    { "fortran", fortran, true },
#endif
};

void wrong(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)fputs("wrong: ", stderr);
    (void)vfprintf(stderr, format, args);
    (void)fputc('\n', stderr);
    va_end(args);
    MPI_Abort(MPI_COMM_WORLD, 3);
    abort();
}

void say(const char *format, ...)
{
    va_list args;

    if (team.rank != 0)
        return;
    va_start(args, format);
    (void)vprintf(format, args);
    (void)putchar('\n');
    (void)fflush(stdout);
    va_end(args);
}

int64_t below(int64_t n) /* splitmix64 */
{
    uint64_t z = stream += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (int64_t)((z ^ z >> 31) % (uint64_t)n);
}

int sample(void)
{
    const char *text = getenv("DRX_SAMPLE");
    const int n = text ? (int)strtol(text, NULL, 10) : 1;

    return n < 1 ? 1 : n;
}

int rounds(int full)
{
    return full / sample() < WAYS ? WAYS : full / sample();
}

void expect_status(drx_status got, drx_status expected, const char *what)
{
    if (got != expected)
        wrong("%s: rank %d: %s (%s), expected %s", what, team.rank, drx_strerror(got), drx_last_error(),
              drx_strerror(expected));
}

void expect_refusal(drx_status got, drx_status expected, const char *detail, const char *what)
{
    expect_status(got, expected, what);
    if (!strstr(drx_last_error(), detail))
        wrong("%s: rank %d: \"%s\", expected \"%s\"", what, team.rank, drx_last_error(), detail);
}

drx_status expect_alike(drx_status st, const char *what)
{
    int ends[2] = { st, -st };

    MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_INT, MPI_MIN, team.comm);
    if (ends[0] != -ends[1])
        wrong("%s: rank %d: %s, but others have another status", what, team.rank, drx_strerror(st));
    return st;
}

static bool is_wanted(const struct part *part, char *const *words)
{
    if (!*words)
        return !part->once || team.ranks <= 4;
    while (*words && strcmp(*words, part->name) != 0)
        words++;
    return *words != NULL;
}

int main(int argc, char **argv)
{
    const char *seed = getenv("DRX_SEED");

    MPI_Init(&argc, &argv);
    GA_Initialize();
    if (!MA_init(C_DBL, 1 << 20, 1 << 20))
        wrong("MA_init");
    team =
        (struct team){ .comm = GA_MPI_Comm(), .group = -1, .rank = GA_Nodeid(), .ranks = GA_Nnodes(), .name = "all" };
    stream = seed ? strtoull(seed, NULL, 10) : 1;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!is_wanted(&parts[i], argv + 1))
            continue;
        MPI_Bcast(&stream, 1, MPI_UINT64_T, 0, team.comm); /* groups have drawn different numbers */
        say("part %s, DRX_SEED=%" PRIu64, parts[i].name, stream);
        parts[i].play();
    }
    GA_Terminate();
    MPI_Finalize();
    return 0;
}
