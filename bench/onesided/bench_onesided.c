/* Runs all peers in one job: onesided EDGE REPEAT PART PEER,... CASE,..., where "all" means all, and a repetition is a
 * PARTth of its calls. The peers take turns in each repetition of a case. The program prints a line of JSON for each
 * case and peer, with seconds a call. */
#include "bench_onesided.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS = 128, MOST_REPEAT = 1000 }; /* buffers of boxes, together more than a processor's own caches */

int rank, ranks, grid[2];
int64_t edge;
static double *buffers;

static const struct peer *const all[] = { &peer_drx,    &peer_drx_memory, &peer_drx_file, &peer_ga,
                                          &peer_window, &peer_copy,       &peer_drx_rma };
enum { PEERS = sizeof all / sizeof *all };
static const struct peer *peers[PEERS]; /* those that are asked */
static void *arrays[PEERS];
static int n_peers, part;

void check(int failed, const char *what)
{
    if (failed) {
        fprintf(stderr, "onesided: rank %d: %s\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

enum { GET, PUT, ACC, GROW, APPEND };
static const struct bench_case {
    const char *name;
    int what, edge, calls; /* of a repetition */
    bool cold;             /* another box and another buffer each time */
} cases[] = {
    { "get", GET, BOX, 200, false },       { "get-cold", GET, BOX, 200, true },   { "get-8", GET, 1, 20000, false },
    { "put", PUT, BOX, 200, false },       { "put-cold", PUT, BOX, 200, true },   { "put-8", PUT, 1, 20000, false },
    { "acc", ACC, BOX, 200, false },       { "acc-cold", ACC, BOX, 200, true },   { "acc-8", ACC, 1, 20000, false },
    { "get-8-cold", GET, 1, 20000, true }, { "put-8-cold", PUT, 1, 20000, true }, { "grow", GROW, 0, 200, false },
    { "append", APPEND, 0, 60, false },
};

/* Box i of the neighbour's block, which is the own one of a rank alone: the boxes of a sequence lie far from each
 * other. */
static void choose(const struct bench_case *c, int64_t i, int64_t lo[2], double **buf)
{
    const int target = (rank + 1) % ranks;
    const int64_t extent[2] = { block_extent(0), block_extent(1) };
    const int64_t step = c->cold ? i * 37 % ((extent[0] / BOX - 1) * (extent[1] / BOX - 1)) : 0;

    lo[0] = target / grid[1] * extent[0] + step / (extent[1] / BOX - 1) * BOX + 7;
    lo[1] = target % grid[1] * extent[1] + step % (extent[1] / BOX - 1) * BOX + 11;
    *buf = buffers + (c->cold ? i * 11 % BUFFERS : 0) * BOX * BOX;
}

static double run(const struct bench_case *c, const struct peer *p, void *array, int64_t from)
{
    const int64_t calls = (p->slow ? c->calls / 10 : c->calls) / part;
    const int64_t count[2] = { c->edge, c->edge };
    double start;

    if (c->what >= GROW)
        return p->grow(p, c->what == APPEND, calls) / (double)calls;
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    if (ranks > 2 || rank == 0) /* of two, one has the node for itself */
        for (int64_t i = from; i < from + calls; i++) {
            int64_t lo[2];
            double *buf;

            choose(c, i, lo, &buf);
            if (c->what == GET)
                p->get(array, lo, count, buf);
            else if (c->what == PUT)
                p->put(array, lo, count, buf);
            else
                p->acc(array, lo, count, buf);
        }
    start = MPI_Wtime() - start;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &start, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return start / (double)calls;
}

/* Each rank adds once to what another rank has put, and gets the sum. */
static void verify(const struct peer *p, void *array)
{
    const int64_t count[2] = { BOX, BOX };
    int64_t lo[2];
    double *buf;

    choose(&cases[1], 5, lo, &buf);
    for (int64_t i = 0; i < BOX * BOX; i++)
        buf[i] = (double)(rank + i);
    p->put(array, lo, count, buf);
    MPI_Barrier(MPI_COMM_WORLD);
    p->acc(array, lo, count, buf);
    MPI_Barrier(MPI_COMM_WORLD);
    memset(buf, 0, sizeof *buf * BOX * BOX);
    p->get(array, lo, count, buf);
    for (int64_t i = 0; i < BOX * BOX; i++)
        check(buf[i] != (double)(2 * (rank + i)), p->name);
    MPI_Barrier(MPI_COMM_WORLD);
    memset(buf, 0, sizeof *buf * BOX * BOX);
    p->put(array, lo, count, buf);
}

static bool can(const struct peer *p, const struct bench_case *c)
{
    return c->what < GROW ? p->make != NULL : p->grow != NULL;
}

static void measure(const struct bench_case *c, int repeat)
{
    static double seconds[PEERS][MOST_REPEAT];

    for (int i = -1; i < repeat; i++)
        for (int k = 0; k < n_peers; k++) {
            const int p = (k + i + n_peers) % n_peers;
            const double s = can(peers[p], c) ? run(c, peers[p], arrays[p], (int64_t)(i + 1) * c->calls) : 0;

            if (i >= 0)
                seconds[p][i] = s;
        }
    for (int p = 0; rank == 0 && p < n_peers; p++) {
        if (!can(peers[p], c))
            continue;
        printf("{\"ranks\": %d, \"case\": \"%s\", \"peer\": \"%s\", \"seconds\": [", ranks, c->name, peers[p]->name);
        for (int i = 0; i < repeat; i++)
            printf("%s%.3e", i ? ", " : "", seconds[p][i]);
        printf("]}\n");
        fflush(stdout);
    }
}

/* "all", or one of the words, which commas divide. */
static bool is_among(const char *name, const char *words)
{
    const size_t n = strlen(name);

    if (strcmp(words, "all") == 0)
        return true;
    for (const char *w = words; w; w = strchr(w, ',') ? strchr(w, ',') + 1 : NULL)
        if (strncmp(w, name, n) == 0 && (w[n] == ',' || w[n] == '\0'))
            return true;
    return false;
}

static void begin(const char *names)
{
    grid[0] = ranks > 3 ? 2 : 1;
    grid[1] = ranks / grid[0];
    check(edge % (2 * BOX) || edge < 4 * BOX, "EDGE: expected a multiple of 512, at least 1024");
    buffers = malloc(sizeof *buffers * BUFFERS * BOX * BOX);
    check(!buffers, "out of memory");
    for (int64_t i = 0; i < (int64_t)BUFFERS * BOX * BOX; i++)
        buffers[i] = 1;
    for (int p = 0; p < PEERS; p++)
        if (is_among(all[p]->name, names))
            peers[n_peers++] = all[p];
    for (int p = 0; p < n_peers; p++)
        arrays[p] = peers[p]->make ? peers[p]->make(peers[p]) : NULL;
    for (int p = 0; p < n_peers; p++)
        if (arrays[p])
            verify(peers[p], arrays[p]);
}

int main(int argc, char **argv)
{
    int repeat, provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    check(argc != 6 || (ranks != 1 && ranks != 2 && ranks != 4),
          "usage: onesided EDGE REPEAT PART PEER,... CASE,..., on 1, 2 or 4 ranks");
    edge = strtol(argv[1], NULL, 10);
    repeat = (int)strtol(argv[2], NULL, 10);
    check(repeat < 1 || repeat > MOST_REPEAT, "REPEAT: expected 1 to 1000");
    part = (int)strtol(argv[3], NULL, 10);
    check(part < 1 || part > 5, "PART: expected 1 to 5");
    begin(argv[4]);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (is_among(cases[i].name, argv[5]))
            measure(&cases[i], repeat);
    for (int p = 0; p < n_peers; p++)
        if (arrays[p])
            peers[p]->drop(arrays[p]);
    free(buffers);
    MPI_Finalize();
    return 0;
}
