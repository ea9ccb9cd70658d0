/* convert:HINT copies a disk resident array to another one with other chunks: by NDRA_Copy, and by
 * drxmp_copy beside it. Of the drop-in; Global Arrays' own library has no such call.
 *   HINT  rows and columns of a typical request, for the copy; the source has none
 *
 * Both ways create the copy, and may use as much memory. They take turns; the job answers with the mean seconds of
 * each: ndra-copy, drxmp-copy. A first round does not count. The copies are compared in the end. */
#include <string.h>

#include <ga.h>

#include <dra.h>

#include <drx_tools.h>
#include <drxmp.h>

#include "../common/bench_drx.h"
#include "dra_job.h"

extern int NDRA_Copy(int src, int dst, int perm[], int *req); /* of the drop-in's drx_dra.h */

enum { ROUNDS = 3 };

static const char from[] = "convert-from", to[] = "convert-to", twin[] = "convert-twin";
static const int64_t origin[2];
static int hint, source, g_a;

static enum outcome copy_by_dra(double *seconds)
{
    int target = 0, request, code = 1;
    const double start = start_together();

    if (create_square(to, hint, hint, &target) == DONE)
        code = NDRA_Copy(source, target, NULL, &request);
    if (!code)
        code = DRA_Wait(request);
    *seconds += seconds_since(start);
    if (code || (code = DRA_Close(target)))
        return complain("NDRA_Copy: code %d", code);
    return DONE;
}

/* The chunk of the copy, that of the other one. */
static drx_status copy_to_twin(drxmp_array *a, const int64_t chunk[2], double *seconds)
{
    const drx_copy_spec spec = { .chunk = chunk, .memory_bytes = (int64_t)CONVERT_BYTES / 2 * bench_ranks };
    drxmp_array *copy = NULL;
    const double start = start_together();
    const drx_status st = drxmp_copy(a, path_in(folder, twin), &spec, &copy);

    *seconds += seconds_since(start);
    return st ? st : drxmp_close(copy);
}

static drx_status copy_by_drxmp(double *seconds)
{
    int64_t chunk[2] = { 0 };
    drxmp_array *a;
    drx_array *other;
    drx_status st = drx_open(path_in(folder, to), DRX_RDONLY, &other), closed;

    if (st)
        return st;
    memcpy(chunk, drx_chunk(other), sizeof chunk);
    st = drx_close(other);
    st = st ? st : drxmp_open(MPI_COMM_WORLD, path_in(folder, from), DRX_RDONLY, &a);
    if (st)
        return st;
    st = copy_to_twin(a, chunk, seconds);
    closed = drxmp_close(a);
    return st ? st : closed;
}

static void remove_copies(void)
{
    remove_all(to);
    remove_all(twin);
}

static enum outcome one_round(double seconds[2])
{
    enum outcome outcome;

    remove_copies();
    outcome = copy_by_dra(&seconds[0]);
    if (outcome == DONE)
        outcome = agree(of_drx(copy_by_drxmp(&seconds[1])));
    return outcome;
}

static enum outcome check(const char *name)
{
    int d_a, request;

    GA_Zero(g_a);
    if (open_square(name, false, &d_a) != DONE || NDRA_Read(g_a, d_a, &request) || DRA_Wait(request) || DRA_Close(d_a))
        return complain("%s cannot be read", name);
    return agree(visit(g_a, origin, element_of, false));
}

static enum outcome make_source(void)
{
    int request;

    (void)visit(g_a, origin, element_of, true);
    if (create_square(from, -1, -1, &source) != DONE || NDRA_Write(g_a, source, &request) || DRA_Wait(request) ||
        DRA_Close(source))
        return complain("%s cannot be written", from);
    settle_files(from, SYNCED);
    return open_square(from, false, &source);
}

enum outcome convert(const int64_t number[])
{
    double seconds[2] = { 0 };
    enum outcome outcome;

    hint = (int)number[0];
    if (hint < 1 || !(g_a = new_array(size, size)))
        return hint < 1 ? complain("expected a HINT of 1 or more") : FAILED;
    outcome = make_source();
    for (int round = -1; round < ROUNDS && outcome == DONE; round++) {
        if (round <= 0)
            memset(seconds, 0, sizeof seconds);
        outcome = one_round(seconds);
    }
    if (outcome == DONE)
        outcome = check(to);
    if (outcome == DONE)
        outcome = check(twin);
    answer_number("ndra-copy", seconds[0] / ROUNDS);
    answer_number("drxmp-copy", seconds[1] / ROUNDS);
    if (outcome == DONE && DRA_Delete(source))
        outcome = complain("%s cannot be deleted", from);
    remove_copies();
    GA_Destroy(g_a);
    return outcome;
}
