#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_mp.h"

static enum outcome run(char *line, const struct mp_work **work)
{
    static const void *const tables[] = { mp_array_works, mp_piece_works, mp_growth_works, mp_machine_works, NULL };
    const struct known known = { tables, sizeof **work, (const void *const *)mp_peers };
    const void *found = NULL, *peer = NULL;
    struct mp_job job;
    struct command c;
    char *end = NULL;
    enum outcome outcome = parse_command(line, "WORKLOAD PEER SIZE CHUNK FOLDER", &c);

    if (outcome == DONE)
        outcome = look_up(&c, &known, &found, &peer);
    *work = found;
    if (outcome != DONE)
        return outcome;
    job = (struct mp_job){ peer, c.folder, c.size, strtoll(c.word, &end, 10) };
    if (*end || job.chunk < 16 || job.size % job.chunk)
        return complain("chunk %s, expected a divisor of the size %" PRId64 ", at least 16", c.word, job.size);
    return (*work)->run(*work, &job);
}

/* The next command, the same on all ranks; false at the end. */
static bool next_line(char line[LINE_BYTES])
{
    int there = 1;

    if (bench_rank == 0)
        there = fgets(line, LINE_BYTES, stdin) != NULL;
    MPI_Bcast(&there, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (there)
        MPI_Bcast(line, LINE_BYTES, MPI_CHAR, 0, MPI_COMM_WORLD);
    return there;
}

int main(int argc, char *argv[])
{
    static char line[LINE_BYTES];
    int provided, failed = 0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    find_ranks();
    if (bench_ranks & (bench_ranks - 1)) {
        if (bench_rank == 0)
            fprintf(stderr, "%d processes, expected a power of two\n", bench_ranks);
        failed = 1;
    }
    while (!failed && next_line(line)) {
        const struct mp_work *work;
        enum outcome outcome;

        begin_answer();
        outcome = agree(run(line, &work));
        if (bench_rank == 0)
            failed = !end_answer(work ? work->name : "", outcome);
        MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return failed;
}
