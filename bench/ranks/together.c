/* Several processes, by MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/bench.h"

enum { TEXT_BYTES = 1024 };

int bench_rank, bench_ranks;

void begin_group(int *argc, char ***argv)
{
    int provided;

    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &bench_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &bench_ranks);
}

void end_group(void)
{
    MPI_Finalize();
}

bool next_line(char line[LINE_BYTES])
{
    int there = bench_rank != 0 || fgets(line, LINE_BYTES, stdin) != NULL;

    MPI_Bcast(&there, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (there)
        MPI_Bcast(line, LINE_BYTES, MPI_CHAR, 0, MPI_COMM_WORLD);
    return there;
}

enum outcome agree(enum outcome mine)
{
    int first = mine == FAILED ? bench_rank : bench_ranks;
    char text[TEXT_BYTES];

    MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first == bench_ranks)
        return mine;
    snprintf(text, sizeof text, "%s", complaint_text());
    MPI_Bcast(text, sizeof text, MPI_CHAR, first, MPI_COMM_WORLD);
    return strncmp(text, "rank ", 5) == 0 ? complain("%s", text) : complain("rank %d: %s", first, text);
}

void wait_for_all(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

double start_together(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return now();
}

double seconds_since(double start)
{
    double seconds = now() - start;

    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

void answer_group(void)
{
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
    const char *component = getenv("OMPI_MCA_io");
    int n;

    MPI_Get_library_version(mpi, &n);
    answer_text("MPI:", "%.*s", (int)strcspn(mpi, ","), mpi);
    answer_text("MPI-IO:", "%s", component ? component : "as it comes");
}
