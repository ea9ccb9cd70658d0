#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench_mp.h"

enum { NAME_BYTES = 64, LINE_BYTES = FOLDER_BYTES + 256, TEXT_BYTES = 1024 };

int mp_rank, mp_ranks;

enum outcome agree(enum outcome mine)
{
    int first = mine == FAILED ? mp_rank : mp_ranks;
    char text[TEXT_BYTES];

    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == mp_ranks)
        return mine;
    snprintf(text, sizeof text, "%s", complaint_text());
    MPI_Bcast(text, sizeof text, MPI_CHAR, first, MPI_COMM_WORLD);
    return strncmp(text, "rank ", 5) == 0 ? complain("%s", text) : complain("rank %d: %s", first, text);
}

static const struct mp_work *find_work(const char *name)
{
    const struct mp_work *const tables[] = { mp_array_works, mp_growth_works, mp_machine_works };

    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const struct mp_work *work = tables[t]; work->name; work++)
            if (strcmp(work->name, name) == 0)
                return work;
    return NULL;
}

static const struct mp_peer *find_peer(const char *name)
{
    for (const struct mp_peer *const *p = mp_peers; *p; p++)
        if (strcmp((*p)->name, name) == 0)
            return *p;
    return NULL;
}

/* WORKLOAD PEER SIZE CHUNK FOLDER; the folder may hold spaces. */
static enum outcome run(char *line, const struct mp_work **work)
{
    char name[NAME_BYTES], peer[NAME_BYTES];
    struct mp_job job = { 0 };
    int folder = 0;

    *work = NULL;
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%63s %63s %" SCNd64 " %" SCNd64 " %n", name, peer, &job.size, &job.chunk, &folder) != 4 ||
        !folder || !line[folder])
        return complain("'%s' is no command, expected WORKLOAD PEER SIZE CHUNK FOLDER", line);
    if (strlen(line + folder) >= sizeof job.folder)
        return complain("the name of the folder is too long");
    memcpy(job.folder, line + folder, strlen(line + folder) + 1);
    *work = find_work(name);
    job.peer = find_peer(peer);
    if (!*work)
        return complain("no workload '%s'", name);
    if (!job.peer)
        return complain("no peer '%s'", peer);
    if (job.size < 64 || job.size % 64 || job.size > 2048)
        return complain("size %" PRId64 ", expected a multiple of 64, at most 2048", job.size);
    if (job.chunk < 16 || job.size % job.chunk)
        return complain("chunk %" PRId64 ", expected a divisor of the size %" PRId64 ", at least 16", job.chunk,
                        job.size);
    return (*work)->run(*work, &job);
}

/* The next command, the same on all ranks; false at the end. */
static bool next_line(char line[LINE_BYTES])
{
    int there = 1;

    if (mp_rank == 0)
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
    MPI_Comm_rank(MPI_COMM_WORLD, &mp_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mp_ranks);
    if (mp_ranks & (mp_ranks - 1)) {
        if (mp_rank == 0)
            fprintf(stderr, "%d processes, expected a power of two\n", mp_ranks);
        failed = 1;
    }
    while (!failed && next_line(line)) {
        const struct mp_work *work;
        enum outcome outcome;

        begin_answer();
        outcome = agree(run(line, &work));
        if (mp_rank == 0)
            failed = !end_answer(work ? work->name : "", outcome);
        MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return failed;
}
