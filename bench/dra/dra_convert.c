/* Copies a disk resident array of doubles to another one with other chunks: by NDRA_Copy, and by drxmp_copy beside it.
 * Linked with the drop-in; Global Arrays' own library has no such call.
 *
 * dra_convert SIZE HINT FOLDER
 *   SIZE  rows and columns
 *   HINT  rows and columns of a typical request, for the copy; the source has none
 *
 * Both ways create the copy, and may use as much memory. They take turns; the job answers with the mean seconds of each:
 * ndra-copy, drxmp-copy. A first round does not count. The copies are compared in the end. */
#include <stdlib.h>
#include <string.h>

#include <ga.h>
#include <macdecls.h>

#include <dra.h>

#include <drx_tools.h>
#include <drxmp.h>

#include "dra_job.h"

extern int NDRA_Copy(int src, int dst, int perm[], int *req); /* of the drop-in's drx_dra.h */

enum { ROUNDS = 3, MEMORY_BYTES = 32 << 20 /* of DRA_Init, which takes half of it for copies */ };

static int size, hint, source, g_a;
static char folder[FOLDER_BYTES], from[PATH_BYTES], to[PATH_BYTES], twin[PATH_BYTES];

static enum outcome told(drx_status st)
{
    return st ? complain("%s", drx_last_error()) : DONE;
}

static int create(char *path, int extent, int *d_a)
{
    dra_size_t dims[2] = { size, size }, reqdims[2] = { extent, extent };
    char name[] = "convert";

    return NDRA_Create(C_DBL, 2, dims, name, path, DRA_RW, reqdims, d_a);
}

static enum outcome copy_by_dra(double *seconds)
{
    int target = 0, request, code;
    const double start = start_together();

    code = create(to, hint, &target);
    if (!code)
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
    const drx_copy_spec spec = { .chunk = chunk, .memory_bytes = (int64_t)MEMORY_BYTES / 2 * bench_ranks };
    drxmp_array *copy = NULL;
    const double start = start_together();
    const drx_status st = drxmp_copy(a, twin, &spec, &copy);

    *seconds += seconds_since(start);
    return st ? st : drxmp_close(copy);
}

static drx_status copy_by_drxmp(double *seconds)
{
    int64_t chunk[2] = { 0 };
    drxmp_array *a;
    drx_array *other;
    drx_status st = drx_open(to, DRX_RDONLY, &other), closed;

    if (st)
        return st;
    memcpy(chunk, drx_chunk(other), sizeof chunk);
    st = drx_close(other);
    st = st ? st : drxmp_open(MPI_COMM_WORLD, from, DRX_RDONLY, &a);
    if (st)
        return st;
    st = copy_to_twin(a, chunk, seconds);
    closed = drxmp_close(a);
    return st ? st : closed;
}

static void remove_copies(void)
{
    remove_all(folder, "convert-to");
    remove_all(folder, "convert-twin");
}

static enum outcome one_round(double seconds[2])
{
    enum outcome outcome;

    remove_copies();
    outcome = copy_by_dra(&seconds[0]);
    if (outcome == DONE)
        outcome = agree(told(copy_by_drxmp(&seconds[1])));
    return outcome;
}

/* The elements of this process, set or compared. */
static enum outcome visit(bool filling, const char *what)
{
    int lo[2], hi[2], ld;
    double *elements = NULL;

    NGA_Distribution(g_a, bench_rank, lo, hi);
    if (hi[0] >= lo[0] && hi[1] >= lo[1])
        NGA_Access(g_a, lo, hi, &elements, &ld);
    for (int i = lo[0]; elements && i <= hi[0]; i++)
        for (int j = lo[1]; j <= hi[1]; j++) {
            double *element = &elements[(int64_t)(i - lo[0]) * ld + j - lo[1]];

            if (filling)
                *element = element_of(size, i, j);
            else if (*element != element_of(size, i, j))
                return complain("%s: element (%d, %d) is wrong", what, i, j);
        }
    if (elements)
        NGA_Release_update(g_a, lo, hi);
    return DONE;
}

static enum outcome check(char *path)
{
    int d_a, request;

    GA_Zero(g_a);
    if (DRA_Open(path, DRA_R, &d_a) || NDRA_Read(g_a, d_a, &request) || DRA_Wait(request) || DRA_Close(d_a))
        return complain("%s cannot be read", path);
    return agree(visit(false, path));
}

static enum outcome make_source(void)
{
    int request;

    (void)visit(true, from);
    GA_Sync();
    if (create(from, -1, &source) || NDRA_Write(g_a, source, &request) || DRA_Wait(request) || DRA_Close(source))
        return complain("%s cannot be written", from);
    settle_files(folder, "convert-from", SYNCED);
    return DRA_Open(from, DRA_R, &source) ? complain("%s cannot be opened", from) : DONE;
}

static enum outcome all(void)
{
    int dims[2] = { size, size };
    double seconds[2];
    enum outcome outcome;

    g_a = NGA_Create(C_DBL, 2, dims, "convert", NULL);
    if (!g_a)
        return complain("no global array of %d x %d", size, size);
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

int main(int argc, char **argv)
{
    enum outcome outcome;
    int code;

    begin_job(&argc, &argv);
    GA_Initialize();
    if (argc != 4 || strlen(argv[3]) >= sizeof folder)
        outcome = complain("usage: dra_convert SIZE HINT FOLDER");
    else if (!MA_init(C_DBL, 4 << 20, 4 << 20) || DRA_Init(4, -1, -1, MEMORY_BYTES))
        outcome = complain("DRA_Init fails");
    else {
        size = (int)strtol(argv[1], NULL, 10);
        hint = (int)strtol(argv[2], NULL, 10);
        memcpy(folder, argv[3], strlen(argv[3]) + 1);
        (void)snprintf(from, sizeof from, "%s/convert-from", folder);
        (void)snprintf(to, sizeof to, "%s/convert-to", folder);
        (void)snprintf(twin, sizeof twin, "%s/convert-twin", folder);
        outcome = size > 0 && hint > 0 ? all() : complain("expected 1 or more of SIZE and HINT");
        (void)DRA_Terminate();
    }
    code = end_job("dra_convert", outcome);
    GA_Terminate();
    MPI_Finalize();
    return code;
}
