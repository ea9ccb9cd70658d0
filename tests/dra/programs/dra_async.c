/* Calls return while their requests are still under way. */
#include <stdio.h>

#include "dra_model.h"

enum { ROWS = 4096, COLUMNS = 4096, REQUESTS = 2 }; /* 128 MiB */

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
