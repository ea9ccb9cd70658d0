#include <stdio.h>

#include "bench_mp.h"

/* VmHWM begins again at VmRSS. */
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
    m->resident_bytes = proc_bytes("/proc/self/status", "VmRSS");
    m->mapped_bytes = proc_bytes("/proc/self/status", "RssFile");
    m->start = start_together();
}

double stop_measure(const struct measure *m)
{
    return seconds_since(m->start);
}

void answer_memory(const struct measure *m)
{
    int64_t bytes[2] = { proc_bytes("/proc/self/status", "VmHWM") - m->resident_bytes,
                         proc_bytes("/proc/self/status", "RssFile") - m->mapped_bytes };

    MPI_Allreduce(MPI_IN_PLACE, bytes, 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    answer_integer("memory_bytes", bytes[0]);
    answer_integer("mapped_bytes", bytes[1]);
}
