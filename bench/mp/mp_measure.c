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
    MPI_Barrier(MPI_COMM_WORLD);
    m->start = now();
}

void stop_measure(const struct measure *m, double *seconds, int64_t *memory_bytes)
{
    *seconds = now() - m->start;
    *memory_bytes = status_bytes("VmHWM") - m->resident_bytes;
    MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, memory_bytes, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
}
