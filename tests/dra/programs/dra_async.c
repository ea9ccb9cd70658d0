/* Calls return while their requests are still under way, but not before each rank has got and put what it moves between
 * memories: the others may have to be inside a call of Global Arrays to serve it. */
#include <stdio.h>
#include <unistd.h>

#include "dra_testing.h"

enum { ROWS = 4096, COLUMNS = 4096, REQUESTS = 2 }; /* 128 MiB */
enum { SOME_ROWS = 8, EACH = 100, MOST_RANKS = 64, PATIENCE_MS = 200 };

static int g_a, d_a;

/* The requests that are under way on some rank when the calls have returned. */
static int move(bool writing)
{
    int requests[REQUESTS], state, pending = 0;

    GA_Sync();
    for (int i = 0; i < REQUESTS; i++) {
        const struct section columns = { 2,
                                         { 0, COLUMNS / REQUESTS * i },
                                         { ROWS - 1, COLUMNS / REQUESTS * (i + 1) - 1 } };

        requests[i] = begin_move(writing, false, g_a, &columns, d_a, &columns);
    }
    for (int i = REQUESTS - 1; i >= 0; i--) {
        succeed(DRA_Probe(requests[i], &state));
        pending += state != ELIO_DONE;
    }
    for (int i = 0; i < REQUESTS; i++)
        succeed(DRA_Wait(requests[i]));
    MPI_Allreduce(MPI_IN_PLACE, &pending, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return pending;
}

/* On a busy machine the helper threads may finish before the calls return, but not each time. */
static void expect_pending(const char *what, bool writing)
{
    for (int i = 0; i < 100; i++)
        if (move(writing) > 0) {
            say("%s: under way after the calls", what);
            return;
        }
    wrong("%s: over when the calls return", what);
}

void async(void)
{
    dra_size_t size[] = { ROWS, COLUMNS }, hint[] = { -1, -1 };
    int dims[] = { ROWS, COLUMNS };
    char name[] = "async";
    double one = 1;

    succeed(DRA_Init(-1, -1, -1, -1));
    g_a = NGA_Create(C_DBL, 2, dims, name, NULL);
    GA_Fill(g_a, &one);
    succeed(NDRA_Create(C_DBL, 2, size, name, name, DRA_RW, hint, &d_a));
    expect_pending("write", true);
    GA_Zero(g_a);
    expect_pending("read", false);
    if (GA_Ddot(g_a, g_a) != (double)ROWS * COLUMNS)
        wrong("what was read is wrong");
    GA_Destroy(g_a);
    succeed(DRA_Delete(d_a));
    succeed(DRA_Terminate());
}

/* ---- not before ---- */

/* Ranks that have returned say so to rank 0, whose next get or put waits for such a sign, in vain. */
static MPI_Comm signs;
static bool waits, waited, seen;

static void wait_in_vain(void)
{
    int there = 0;

    if (!waits)
        return;
    waits = false;
    waited = true;
    for (int i = 0; i < PATIENCE_MS && !there; i++) {
        (void)usleep(1000);
        MPI_Iprobe(MPI_ANY_SOURCE, 0, signs, &there, MPI_STATUS_IGNORE);
    }
    seen = there;
}

/* What the drop-in calls: the linker gives these names to calls of NGA_Get64 and NGA_Put64. */
void __real_NGA_Get64(int array, int64_t lo[], int64_t hi[], void *buf, int64_t ld[]);
void __real_NGA_Put64(int array, int64_t lo[], int64_t hi[], void *buf, int64_t ld[]);
void __wrap_NGA_Get64(int array, int64_t lo[], int64_t hi[], void *buf, int64_t ld[]);
void __wrap_NGA_Put64(int array, int64_t lo[], int64_t hi[], void *buf, int64_t ld[]);

void __wrap_NGA_Get64(int array, int64_t lo[], int64_t hi[], void *buf, int64_t ld[])
{
    wait_in_vain();
    __real_NGA_Get64(array, lo, hi, buf, ld);
}

void __wrap_NGA_Put64(int array, int64_t lo[], int64_t hi[], void *buf, int64_t ld[])
{
    wait_in_vain();
    __real_NGA_Put64(array, lo, hi, buf, ld);
}

static void return_together(const char *what, bool writing, const struct section *disk)
{
    const struct section whole = { 2, { 0, 0 }, { SOME_ROWS - 1, EACH * team.ranks - 1 } };
    int request;

    waits = team.rank == 0;
    waited = seen = false;
    request = begin_move(writing, false, g_a, &whole, d_a, disk);
    if (team.rank > 0)
        MPI_Send(NULL, 0, MPI_INT, 0, 0, signs);
    for (int i = 1; team.rank == 0 && i < team.ranks; i++)
        MPI_Recv(NULL, 0, MPI_INT, MPI_ANY_SOURCE, 0, signs, MPI_STATUS_IGNORE);
    if (team.rank == 0 && !waited)
        wrong("%s: rank 0 moves nothing between memories", what);
    if (seen)
        wrong("%s: a rank has returned before rank 0 had moved its share", what);
    succeed(DRA_Wait(request));
}

/* Each rank has a block of columns. That of rank 0 ends in a chunk which rank 0 writes, with columns of rank 1. */
void meeting(void)
{
    const int columns = EACH * team.ranks;
    const struct section same = { 2, { 0, 0 }, { SOME_ROWS - 1, columns - 1 } };
    const struct section turned = { 2, { 0, 0 }, { columns - 1, SOME_ROWS - 1 } }; /* another shape */
    dra_size_t size[] = { columns, columns }, hint[] = { SOME_ROWS, 64 };
    int dims[] = { SOME_ROWS, columns }, blocks[] = { 1, team.ranks }, map[1 + MOST_RANKS] = { 0 };
    char name[] = "meeting";

    if (team.ranks < 2)
        return;
    if (team.ranks > MOST_RANKS)
        wrong("%d ranks, expected at most %d", team.ranks, MOST_RANKS);
    for (int r = 0; r < team.ranks; r++)
        map[1 + r] = EACH * r;
    MPI_Comm_dup(MPI_COMM_WORLD, &signs);
    succeed(DRA_Init(-1, -1, -1, -1));
    g_a = NGA_Create_irreg(C_DBL, 2, dims, name, blocks, map);
    GA_Zero(g_a);
    succeed(NDRA_Create(C_DBL, 2, size, name, name, DRA_RW, hint, &d_a));
    return_together("write", true, &same);
    return_together("write in the order of elements", true, &turned);
    return_together("read in the order of elements", false, &turned);
    GA_Destroy(g_a);
    succeed(DRA_Delete(d_a));
    succeed(DRA_Terminate());
    MPI_Comm_free(&signs);
}
