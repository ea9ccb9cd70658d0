/* All peers in one job, which take turns. */
#include "bench_onesided.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELD = 128, MOST_PART = 5 }; /* buffers of boxes, together more than a processor's own caches */

int grid[2];
int64_t edge;
static double *buffers;

/* The number of a workload. COLD: another box and another buffer each time; SMALL: one element. */
enum { GROW = ACC + 1, APPEND, WHAT = 7, COLD = 8, SMALL = 16 };

static const struct peer *const table[] = { &mover_drx.peer,      &mover_drx_memory.peer,
                                            &mover_drx_file.peer, &mover_ga.peer,
                                            &mover_window.peer,   &mover_copy.peer,
                                            &mover_drx_rma.peer,  NULL };
enum { PEERS = sizeof table / sizeof *table - 1 };
static void *arrays[PEERS];

void check(int failed, const char *what)
{
    if (failed) {
        fprintf(stderr, "onesided: rank %d: %s\n", bench_rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* Box i of the neighbour's block, which is the own one of a rank alone: the boxes of a sequence lie far from each
 * other. */
static void choose(bool cold, int64_t i, int64_t lo[2], double **buf)
{
    const int target = (bench_rank + 1) % bench_ranks;
    const int64_t extent[2] = { block_extent(0), block_extent(1) };
    const int64_t step = cold ? i * 37 % ((extent[0] / BOX - 1) * (extent[1] / BOX - 1)) : 0;

    lo[0] = target / grid[1] * extent[0] + step / (extent[1] / BOX - 1) * BOX + 7;
    lo[1] = target % grid[1] * extent[1] + step % (extent[1] / BOX - 1) * BOX + 11;
    *buf = buffers + (cold ? i * 11 % HELD : 0) * BOX * BOX;
}

/* Each rank adds once to what another rank has put, and gets the sum. */
static void verify(const struct mover *m, void *array)
{
    const int64_t count[2] = { BOX, BOX };
    int64_t lo[2];
    double *buf;

    choose(true, 5, lo, &buf);
    for (int64_t i = 0; i < BOX * BOX; i++)
        buf[i] = (double)(bench_rank + i);
    m->move(array, PUT, lo, count, buf);
    wait_for_all();
    m->move(array, ACC, lo, count, buf);
    wait_for_all();
    memset(buf, 0, sizeof *buf * BOX * BOX);
    m->move(array, GET, lo, count, buf);
    for (int64_t i = 0; i < BOX * BOX; i++)
        check(buf[i] != (double)(2 * (bench_rank + i)), m->peer.name);
    wait_for_all();
    memset(buf, 0, sizeof *buf * BOX * BOX);
    m->move(array, PUT, lo, count, buf);
}

static enum outcome prepare(const struct job *job)
{
    if (check_size(job) != DONE)
        return FAILED;
    if (edge)
        return edge == 16 * job->size ? DONE : complain("the size cannot change");
    if (bench_ranks != 1 && bench_ranks != 2 && bench_ranks != 4)
        return complain("%d ranks, expected 1, 2 or 4", bench_ranks);
    grid[0] = bench_ranks > 3 ? 2 : 1;
    grid[1] = bench_ranks / grid[0];
    edge = 16 * job->size;
    buffers = malloc(sizeof *buffers * HELD * BOX * BOX);
    if (!buffers)
        return complain("out of memory");
    for (int64_t i = 0; i < (int64_t)HELD * BOX * BOX; i++)
        buffers[i] = 1;
    return DONE;
}

/* The place of a peer's array, which it makes first. */
static void **array_of(const struct mover *m)
{
    int p = 0;

    while (table[p] != &m->peer)
        p++;
    if (!arrays[p] && m->make) {
        arrays[p] = m->make(m);
        wait_for_all();
        verify(m, arrays[p]);
    }
    return &arrays[p];
}

/* Answers seconds a call. */
static enum outcome run_calls(const struct work *work, const struct job *job)
{
    const struct mover *m = (const struct mover *)job->peer;
    const int what = work->number & WHAT;
    const bool small = work->number & SMALL;
    const int64_t all = what == GROW ? 200 : what == APPEND ? 60 : small ? 20000 : 200, part = job->argument[0];
    const int64_t count[2] = { small ? 1 : BOX, small ? 1 : BOX };
    int64_t calls, from;
    double start;
    void *array;

    if (part < 1 || part > MOST_PART)
        return complain("expected a PART of 1 to %d", MOST_PART);
    if (what < GROW ? !m->make : !m->grow)
        return DECLINED;
    calls = (m->slow ? all / 10 : all) / part;
    from = job->argument[1] * all;
    array = *array_of(m);
    if (what >= GROW) {
        answer_number("seconds", m->grow(m, what == APPEND, calls) / (double)calls);
        return DONE;
    }
    start = start_together();
    if (bench_ranks > 2 || bench_rank == 0) /* of two, one has the node for itself */
        for (int64_t i = from; i < from + calls; i++) {
            int64_t lo[2];
            double *buf;

            choose(work->number & COLD, i, lo, &buf);
            m->move(array, (enum way)what, lo, count, buf);
        }
    start = now() - start;
    wait_for_all();
    MPI_Allreduce(MPI_IN_PLACE, &start, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    answer_number("seconds", start / (double)calls);
    return DONE;
}

static enum outcome run_drop(const struct work *work, const struct job *job)
{
    const struct mover *m = (const struct mover *)job->peer;
    void **array = array_of(m);

    (void)work;
    if (*array)
        m->drop(*array);
    *array = NULL;
    return DONE;
}

#define CASES(name, what)                                                                              \
    { name, run_calls, GROWTH, what, NULL }, { name "-cold", run_calls, GROWTH, (what) | COLD, NULL }, \
        { name "-8", run_calls, GROWTH, (what) | SMALL, NULL },                                        \
    {                                                                                                  \
        name "-8-cold", run_calls, GROWTH, (what) | SMALL | COLD, NULL                                 \
    }

static const struct work moving_works[] = {
    CASES("get", GET),
    CASES("put", PUT),
    CASES("acc", ACC),
    { "grow", run_calls, GROWTH, GROW, NULL },
    { "append", run_calls, GROWTH, APPEND, NULL },
    { "drop", run_drop, GROWTH, 0, NULL },
    { 0 },
};
const struct work *const works[] = { moving_works, NULL };
enum outcome (*const check_job)(const struct job *job) = prepare;

int main(int argc, char *argv[])
{
    return bench_main(argc, argv, table);
}
