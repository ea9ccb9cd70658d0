/* A process uses no more memory for buffers than DRA_Init allows. A thread measures the memory of this process alone
 * (RssAnon) all the time. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "dra_testing.h"

enum { EDGE = 2048, REQUESTS = 8 };

/* A bound that has room for the stacks of threads and what malloc keeps for them, but for the heap of MPI, and one that
 * has not. */
static const struct limit {
    int bound_kb, slack_kb;
} limits[] = { { 4096, 256 }, { 1024, 3072 } };
static const struct limit *limit;

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
        const struct section rows = { 2, { first, 0 }, { last, EDGE - 1 } };
        const struct section columns = { 2, { 0, first }, { EDGE - 1, last } };

        requests[i] = begin_move(writing, turned, global, &rows, d_a, turned ? &columns : &rows);
    }
    for (int i = 0; i < REQUESTS; i++)
        succeed(DRA_Wait(requests[i]));
}

/* The right half becomes the lower one. */
static void reshaped(void)
{
    const struct section right = { 2, { 0, EDGE / 2 }, { EDGE - 1, EDGE - 1 } };
    const struct section lower = { 2, { EDGE / 2, 0 }, { EDGE - 1, EDGE - 1 } };

    succeed(DRA_Wait(begin_move(true, false, g_a, &right, d_a, &lower)));
    succeed(DRA_Wait(begin_move(false, true, g_a, &right, d_a, &lower)));
}

/* What everything takes once: maps of the memory of other processes, and connections to them. */
static void connect_all(void)
{
    double *row = malloc(sizeof *row * EDGE);

    for (int i = 0; row && i < EDGE; i++) {
        int lo[] = { i, 0 }, hi[] = { i, EDGE - 1 }, ld = EDGE;

        NGA_Get(g_a, lo, hi, row, &ld);
        NGA_Get(g_cyclic, lo, hi, row, &ld);
    }
    free(row);
    GA_Sync();
}

/* So that it is read from the disk next. */
static void forget_file(void)
{
    const int fd = team.rank == 0 ? open("memory.xta", O_RDONLY) : -1;

    GA_Sync();
    if (fd >= 0) {
        (void)fsync(fd);
        (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        (void)close(fd);
    }
    GA_Sync();
}

/* g_a: 0, into another shape */
static void watched(const char *what, bool turned, bool writing, int global)
{
    long more;

    peak_kb = 0;
    if (strstr(what, "disk"))
        forget_file();
    if (global)
        all_rows(turned, writing, global);
    else
        reshaped();
    more = peak_kb - first_kb;
    MPI_Allreduce(MPI_IN_PLACE, &more, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
    say("%s: %ld KiB of %d", what, more, limit->bound_kb);
    if (more > limit->bound_kb + limit->slack_kb)
        wrong("%s: %ld KiB more, expected at most %d", what, more, limit->bound_kb);
}

static void within(void)
{
    dra_size_t size[] = { EDGE, EDGE }, hint[] = { -1, -1 };
    int dims[] = { EDGE, EDGE }, block[] = { 100, 100 };
    char name[] = "memory";
    double one = 1;
    pthread_t thread;

    over = false;
    succeed(DRA_Init(-1, -1, -1, (double)limit->bound_kb * 1024));
    g_a = NGA_Create(C_DBL, 2, dims, name, NULL);
    g_cyclic = GA_Create_handle();
    GA_Set_data(g_cyclic, 2, dims, C_DBL);
    GA_Set_block_cyclic(g_cyclic, block);
    if (!GA_Allocate(g_cyclic))
        wrong("a global array cannot be made");
    GA_Fill(g_a, &one);
    GA_Fill(g_cyclic, &one);
    succeed(NDRA_Create(C_DBL, 2, size, name, path, DRA_RW, hint, &d_a));
    connect_all();
    first_kb = own_kb();
    if (pthread_create(&thread, NULL, watch, NULL))
        wrong("a thread cannot be made");
    watched("write", false, true, g_a);
    watched("read", false, false, g_a);
    watched("read from the disk", false, false, g_a);
    watched("read turned from the disk", true, false, g_a);
    watched("write turned", true, true, g_a);
    watched("read turned", true, false, g_a);
    watched("write, block-cyclic", false, true, g_cyclic);
    watched("read, block-cyclic", true, false, g_cyclic);
    watched("another shape", false, false, 0);
    over = true;
    (void)pthread_join(thread, NULL);
    succeed(DRA_Delete(d_a));
    GA_Destroy(g_cyclic);
    GA_Destroy(g_a);
    succeed(DRA_Terminate());
}

void memory(void)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        limit = &limits[i];
        within();
    }
}
