#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench_mp.h"

/* A number of /proc/self/status, kB there; 0 when it is not known. */
static int64_t status_bytes(const char *key)
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

/* VmHWM begins anew at VmRSS. */
static void forget_peak(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "we");

    if (file) {
        (void)fputs("5", file);
        fclose(file);
    }
}

void start_measure(struct measure *m)
{
    forget_peak();
    m->resident_bytes = status_bytes("VmRSS");
    m->mapped_bytes = status_bytes("RssFile");
    MPI_Barrier(MPI_COMM_WORLD);
    m->start = now();
}

double stop_measure(const struct measure *m)
{
    double seconds = now() - m->start;

    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return seconds;
}

void answer_memory(const struct measure *m)
{
    int64_t bytes[2] = { status_bytes("VmHWM") - m->resident_bytes, status_bytes("RssFile") - m->mapped_bytes };

    MPI_Allreduce(MPI_IN_PLACE, bytes, 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    answer_integer("memory_bytes", bytes[0]);
    answer_integer("mapped_bytes", bytes[1]);
}
