#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench_ranks.h"

enum { TEXT_BYTES = 1024 };

int bench_rank, bench_ranks;

void find_ranks(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &bench_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &bench_ranks);
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

int64_t status_bytes(const char *key)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[128];
    int64_t kb = 0;

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0)
            (void)sscanf(line + strlen(key), ": %" SCNd64, &kb);
    if (file)
        fclose(file);
    return kb * 1024;
}
