/* The memory that a process may use for buffers is what DRA_Init was told. Usage: dra_memory MIB
 * A thread looks at the memory that belongs to this process alone (RssAnon) all the time. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dra_model.h"

enum { EDGE = 2048, REQUESTS = 8, SLACK_KB = 3072 }; /* SLACK: stacks of threads, heap of MPI */

static char path[] = "memory";
static int g_a, g_cyclic, d_a;
static long first_kb;
static atomic_long peak_kb;
static atomic_bool over;

static long own_kb(void)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[128];
    long kb = -1;

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "RssAnon:", 8) == 0)
            kb = strtol(line + 8, NULL, 10);
    if (file)
        (void)fclose(file);
    return kb;
}

static void *watch(void *unused)
{
    const struct timespec a_while = { 0, 500000 };

    while (!over) {
        const long kb = own_kb();

        if (kb > peak_kb)
            peak_kb = kb;
        (void)nanosleep(&a_while, NULL);
    }
    return unused;
}

static void all_rows(bool turned, bool writing, int global)
{
    int requests[REQUESTS];

    for (int i = 0; i < REQUESTS; i++) {
        const int first = EDGE / REQUESTS * i, last = EDGE / REQUESTS * (i + 1) - 1;
        int glo[] = { first, 0 }, ghi[] = { last, EDGE - 1 };
        dra_size_t dlo[] = { turned ? 0 : first, turned ? first : 0 };
        dra_size_t dhi[] = { turned ? EDGE - 1 : last, turned ? last : EDGE - 1 };

        succeed(writing ? NDRA_Write_section(turned, global, glo, ghi, d_a, dlo, dhi, &requests[i])
                        : NDRA_Read_section(turned, global, glo, ghi, d_a, dlo, dhi, &requests[i]));
    }
    for (int i = 0; i < REQUESTS; i++)
        succeed(DRA_Wait(requests[i]));
}

/* The right half becomes the lower one. */
static void reshaped(void)
{
    int glo[] = { 0, EDGE / 2 }, ghi[] = { EDGE - 1, EDGE - 1 }, request;
    dra_size_t dlo[] = { EDGE / 2, 0 }, dhi[] = { EDGE - 1, EDGE - 1 };

    succeed(NDRA_Write_section(0, g_a, glo, ghi, d_a, dlo, dhi, &request));
    succeed(DRA_Wait(request));
    succeed(NDRA_Read_section(1, g_a, glo, ghi, d_a, dlo, dhi, &request));
    succeed(DRA_Wait(request));
}

/* What everything takes once: threads, connections between processes, maps. */
static void warm_up(void)
{
    int glo[] = { 0, 0 }, ghi[] = { 15, EDGE - 1 }, request;
    dra_size_t dlo[] = { 0, 0 }, dhi[] = { 15, EDGE - 1 };
    double *row = malloc(sizeof *row * EDGE);

    for (int i = 0; row && i < EDGE; i++) {
        int lo[] = { i, 0 }, hi[] = { i, EDGE - 1 }, ld = EDGE;

        NGA_Get(g_a, lo, hi, row, &ld);
        NGA_Get(g_cyclic, lo, hi, row, &ld);
    }
    free(row);
    for (int i = 0; i < 2; i++) {
        succeed(NDRA_Write_section(0, g_cyclic, glo, ghi, d_a, dlo, dhi, &request));
        succeed(DRA_Wait(request));
        succeed(NDRA_Read_section(0, g_a, glo, ghi, d_a, dlo, dhi, &request));
        succeed(DRA_Wait(request));
    }
}

/* So that it is read from the disk next. */
static void forget_file(void)
{
    const int fd = me == 0 ? open("memory.xta", O_RDONLY) : -1;

    GA_Sync();
    if (fd >= 0) {
        (void)fsync(fd);
        (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        (void)close(fd);
    }
    GA_Sync();
}

static void watched(const char *what, long bound_kb, bool turned, bool writing, int global)
{
    long more;

    peak_kb = 0;
    if (global)
        all_rows(turned, writing, global);
    else
        reshaped();
    more = peak_kb - first_kb;
    MPI_Allreduce(MPI_IN_PLACE, &more, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    if (me == 0)
        printf("%s: %ld KiB of %ld\n", what, more, bound_kb);
    if (more > bound_kb + SLACK_KB)
        wrong("%s: %ld KiB more, expected at most %ld", what, more, bound_kb);
    say("%s: the bound is kept", what);
}

int main(int argc, char **argv)
{
    const long bound_kb = argc > 1 ? 1024 * strtol(argv[1], NULL, 10) : 1024;
    dra_size_t size[] = { EDGE, EDGE }, hint[] = { -1, -1 };
    int dims[] = { EDGE, EDGE }, block[] = { 100, 100 };
    char name[] = "memory";
    double one = 1;
    pthread_t thread;

    begin(&argc, &argv);
    succeed(DRA_Init(-1, -1, -1, (double)bound_kb * 1024));
    g_a = NGA_Create(C_DBL, 2, dims, name, NULL);
    g_cyclic = GA_Create_handle();
    GA_Set_data(g_cyclic, 2, dims, C_DBL);
    GA_Set_block_cyclic(g_cyclic, block);
    if (!GA_Allocate(g_cyclic))
        wrong("a global array cannot be made");
    GA_Fill(g_a, &one);
    GA_Fill(g_cyclic, &one);
    succeed(NDRA_Create(C_DBL, 2, size, name, path, DRA_RW, hint, &d_a));
    warm_up();
    first_kb = own_kb();
    if (pthread_create(&thread, NULL, watch, NULL))
        wrong("a thread cannot be made");
    watched("write", bound_kb, false, true, g_a);
    watched("read", bound_kb, false, false, g_a);
    forget_file();
    watched("read from the disk", bound_kb, false, false, g_a);
    forget_file();
    watched("read turned from the disk", bound_kb, true, false, g_a);
    watched("write turned", bound_kb, true, true, g_a);
    watched("read turned", bound_kb, true, false, g_a);
    watched("write, block-cyclic", bound_kb, false, true, g_cyclic);
    watched("read, block-cyclic", bound_kb, true, false, g_cyclic);
    watched("another shape", bound_kb, false, false, 0);
    over = true;
    (void)pthread_join(thread, NULL);
    succeed(DRA_Delete(d_a));
    succeed(DRA_Terminate());
    return end();
}
