/* All peers in one job: onesided REPEAT. Each repetition of a case lets them take turns. A line of JSON for each case and
 * peer, of seconds a call. */
#include "bench_onesided.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS = 128, MOST_REPEAT = 1000 }; /* buffers of boxes, together more than a processor's own caches */

int rank, ranks, grid[2];
static double *buffers;

static const struct peer *const peers[] = { &peer_drx, &peer_ga, &peer_window, &peer_copy, &peer_drx_rma };
enum { PEERS = sizeof peers / sizeof *peers };

void check(int failed, const char *what)
{
    if (failed) {
        fprintf(stderr, "onesided: rank %d: %s\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* ---- cases ------------------------------------------------------------------------- */

enum { GET, PUT, ACC };
static const struct bench_case {
    const char *name;
    int what, edge, calls; /* of a repetition */
    bool cold;             /* another box and another buffer each time */
} cases[] = {
    { "get", GET, BOX, 200, false },      { "get-cold", GET, BOX, 200, true }, { "get-8", GET, 1, 20000, false },
    { "put", PUT, BOX, 200, false },      { "put-cold", PUT, BOX, 200, true }, { "put-8", PUT, 1, 20000, false },
    { "acc", ACC, BOX, 200, false },      { "acc-cold", ACC, BOX, 200, true }, { "acc-8", ACC, 1, 20000, false },
    { "get-8-cold", GET, 1, 20000, true }, { "put-8-cold", PUT, 1, 20000, true },
};

/* Box i of the neighbour's block: the boxes of a sequence lie far from each other. */
static void choose(const struct bench_case *c, int64_t i, int64_t lo[2], double **buf)
{
    const int target = (rank + 1) % ranks;
    const int64_t extent[2] = { block_extent(0), block_extent(1) };
    const int64_t step = c->cold ? i * 37 % ((extent[0] / BOX - 1) * (extent[1] / BOX - 1)) : 0;

    lo[0] = target / grid[1] * extent[0] + step / (extent[1] / BOX - 1) * BOX + 7;
    lo[1] = target % grid[1] * extent[1] + step % (extent[1] / BOX - 1) * BOX + 11;
    *buf = buffers + (c->cold ? i * 11 % BUFFERS : 0) * BOX * BOX;
}

static double run(const struct bench_case *c, const struct peer *p, int64_t from)
{
    const int64_t count[2] = { c->edge, c->edge };
    double start;

    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    if (ranks > 2 || rank == 0) /* of two, one has the node for itself */
        for (int64_t i = from; i < from + c->calls; i++) {
            int64_t lo[2];
            double *buf;

            choose(c, i, lo, &buf);
            if (c->what == GET)
                p->get(lo, count, buf);
            else if (c->what == PUT)
                p->put(lo, count, buf);
            else
                p->acc(lo, count, buf);
        }
    start = MPI_Wtime() - start;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &start, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return start / c->calls;
}

/* Each adds once to what another one has put, and gets it. */
static void verify(const struct peer *p)
{
    const int64_t count[2] = { BOX, BOX };
    int64_t lo[2];
    double *buf;

    choose(&cases[1], 5, lo, &buf);
    for (int64_t i = 0; i < BOX * BOX; i++)
        buf[i] = (double)(rank + i);
    p->put(lo, count, buf);
    MPI_Barrier(MPI_COMM_WORLD);
    p->acc(lo, count, buf);
    MPI_Barrier(MPI_COMM_WORLD);
    memset(buf, 0, sizeof *buf * BOX * BOX);
    p->get(lo, count, buf);
    for (int64_t i = 0; i < BOX * BOX; i++)
        check(buf[i] != (double)(2 * (rank + i)), p->name);
    MPI_Barrier(MPI_COMM_WORLD);
    memset(buf, 0, sizeof *buf * BOX * BOX);
    p->put(lo, count, buf);
}

static void measure(const struct bench_case *c, int repeat)
{
    static double seconds[PEERS][MOST_REPEAT];

    for (int i = -1; i < repeat; i++)
        for (int k = 0; k < PEERS; k++) {
            const int p = (k + i + PEERS) % PEERS;
            const double s = run(c, peers[p], (int64_t)(i + 1) * c->calls);

            if (i >= 0)
                seconds[p][i] = s;
        }
    for (int p = 0; rank == 0 && p < PEERS; p++) {
        printf("{\"ranks\": %d, \"case\": \"%s\", \"peer\": \"%s\", \"seconds\": [", ranks, c->name, peers[p]->name);
        for (int i = 0; i < repeat; i++)
            printf("%s%.3e", i ? ", " : "", seconds[p][i]);
        printf("]}\n");
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    const int repeat = argc == 2 ? (int)strtol(argv[1], NULL, 10) : 0;
    int provided;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    check(repeat < 1 || repeat > MOST_REPEAT || ranks < 2 || ranks > 4, "usage: onesided REPEAT, on 2 to 4 ranks");
    grid[0] = ranks > 3 ? 2 : 1;
    grid[1] = ranks / grid[0];
    check(EDGE % grid[1] != 0, "an even number of ranks, expected");
    buffers = malloc(sizeof *buffers * BUFFERS * BOX * BOX);
    check(!buffers, "out of memory");
    for (int64_t i = 0; i < (int64_t)BUFFERS * BOX * BOX; i++)
        buffers[i] = 1;
    for (int p = 0; p < PEERS; p++)
        peers[p]->make();
    for (int p = 0; p < PEERS; p++)
        verify(peers[p]);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        measure(&cases[i], repeat);
    for (int p = 0; p < PEERS; p++)
        peers[p]->drop();
    free(buffers);
    MPI_Finalize();
    return 0;
}
