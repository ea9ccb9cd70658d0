/* Every allocation of the drop-in fails in turn, on one rank, while a section is written whose chunks lie in the memory
 * of several ranks. All ranks get the error, and the next write succeeds. The drop-in that this program is linked with
 * calls the allocators of this file. */
#include <stdlib.h>

#include "dra_testing.h"

static int left; /* the allocation that fails; 0: none */

static bool refuse(void)
{
    return left > 0 && --left == 0;
}

void *failing_malloc(size_t bytes);
void *failing_calloc(size_t n, size_t bytes);
void *failing_realloc(void *old, size_t bytes);

void *failing_malloc(size_t bytes)
{
    return refuse() ? NULL : malloc(bytes);
}

void *failing_calloc(size_t n, size_t bytes)
{
    return refuse() ? NULL : calloc(n, bytes);
}

void *failing_realloc(void *old, size_t bytes)
{
    return refuse() ? NULL : realloc(old, bytes);
}

static const int64_t dims[] = { 90, 80 }, hint[] = { 40, 40 };
static const struct section place = { 2, { 7, 5 }, { 86, 74 } };
static int g_a, d_a;

static int write_section(void)
{
    int request, code = call_move(true, false, g_a, &place, d_a, &place, &request);

    return code ? code : DRA_Wait(request);
}

/* Allocation n fails on that rank. False: it makes fewer. */
static bool try_one(int rank, int n)
{
    int code, fired;

    left = team.rank == rank ? n : 0;
    code = write_section();
    fired = left == 0;
    left = 0;
    MPI_Bcast(&fired, 1, MPI_INT, rank, MPI_COMM_WORLD);
    if (fired)
        fail(code);
    else
        succeed(code);
    return fired;
}

static void faults(void)
{
    struct model disk = make_model(C_DBL, 2, dims), global = make_model(C_DBL, 2, dims);
    int most = 0;

    succeed(DRA_Init(-1, -1, -1, -1));
    succeed(create_disk(&disk, "faults", DRA_RW, hint, &d_a));
    g_a = make_global(&global, 0);
    for (int rank = 0; rank < team.ranks; rank++) {
        int n = 1;

        while (try_one(rank, n)) {
            fill_model(&global, (uint64_t)(100 * rank + n));
            put_global(g_a, &global);
            succeed(write_section());
            copy_section(&disk, &place, &global, &place, false);
            check_disk(d_a, &disk, 0, "after a failure");
            n++;
        }
        most = n > most ? n : most;
    }
    if (most - 1 < (team.ranks > 1 ? 2 : 1)) /* the request, and the buffer */
        wrong("%d allocations at most, expected 2 or more", most - 1);
    succeed(DRA_Delete(d_a));
    succeed(DRA_Terminate());
}

int main(int argc, char **argv)
{
    static const struct part parts[] = { { "faults", faults, ANY_RANKS } };

    return run_parts(argc, argv, parts, 1);
}
