/* Writes and reads square sections of many sizes, as the synthetic benchmark of Nieplocha and Foster does (1996, section
 * 5.1). A global array that is as large as the section goes to places in a larger disk resident array, and comes back.
 * Linked with Global Arrays' own library and with the drop-in.
 *
 * dra_sweep SIZE HINT FOLDER
 *   SIZE    rows and columns of the disk resident array, a multiple of HINT
 *   HINT    rows and columns of a typical request; sections have HINT, 2 HINT, 4 HINT, ... rows and columns, at most
 *           half of SIZE
 *
 * Aligned sections begin at multiples of HINT; the others begin and end inside the blocks of that size. The program
 * answers with the mean seconds of a call: write-aligned-EDGE, write-shifted-EDGE, read-aligned-EDGE, read-shifted-EDGE.
 * Before the writes all elements are wrong. The reads are of the same places, and compare every element. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ga.h>
#include <macdecls.h>

#include <dra.h>

#include <drx.h>

#include "dra_job.h"

enum { MOST_CALLS = 32, LEAST_CALLS = 2, STRIDE = 37 };

static int size, hint;
static char folder[FOLDER_BYTES], path[PATH_BYTES];
static int g_a, d_a, edge; /* of the section */

/* Call `call` of a series: where its section begins. */
static void place(int call, bool shifted, int at[2])
{
    const int across = size / edge, number = (int)((int64_t)call * STRIDE % ((int64_t)across * across));
    const int shift[2] = { hint / 3 + 1, hint / 5 + 3 };

    at[0] = number / across * edge;
    at[1] = number % across * edge;
    for (int j = 0; shifted && j < 2; j++)
        at[j] += at[j] + edge + shift[j] <= size ? shift[j] : -shift[j];
}

/* A quarter of the array, in not too many calls. */
static int calls_of_series(void)
{
    const int64_t calls = (int64_t)size * size / 4 / ((int64_t)edge * edge);

    return calls > MOST_CALLS ? MOST_CALLS : calls < LEAST_CALLS ? LEAST_CALLS : (int)calls;
}

/* Sets the elements of this process to those of the section that begins there, or compares them. */
static enum outcome visit(const int at[2], bool filling)
{
    int lo[2], hi[2], ld;
    double *elements = NULL;
    enum outcome outcome = DONE;

    NGA_Distribution(g_a, bench_rank, lo, hi);
    if (hi[0] >= lo[0] && hi[1] >= lo[1])
        NGA_Access(g_a, lo, hi, &elements, &ld);
    for (int i = lo[0]; elements && i <= hi[0]; i++) {
        double *row = elements + (int64_t)(i - lo[0]) * ld;

        for (int j = lo[1]; j <= hi[1]; j++) {
            const double right = element_of(size, at[0] + i, at[1] + j);

            if (filling)
                row[j - lo[1]] = right;
            else if (row[j - lo[1]] != right)
                outcome = complain("element (%d, %d) is wrong", at[0] + i, at[1] + j);
        }
    }
    if (elements && filling)
        NGA_Release_update(g_a, lo, hi);
    else if (elements)
        NGA_Release(g_a, lo, hi);
    GA_Sync();
    return outcome;
}

static const char *direction(bool writing)
{
    return writing ? "write" : "read";
}

static int move(const int at[2], bool writing)
{
    int glo[2] = { 0, 0 }, ghi[2] = { edge - 1, edge - 1 }, request, code;
    dra_size_t dlo[2] = { at[0], at[1] }, dhi[2] = { at[0] + edge - 1, at[1] + edge - 1 };

    code = writing ? NDRA_Write_section(0, g_a, glo, ghi, d_a, dlo, dhi, &request)
                   : NDRA_Read_section(0, g_a, glo, ghi, d_a, dlo, dhi, &request);
    return code ? code : DRA_Wait(request);
}

/* One call. Adds to the seconds of its kind. */
static enum outcome measure(int call, bool writing, bool shifted, double seconds[2])
{
    int at[2], code;
    double start;

    place(call, shifted, at);
    if (writing)
        (void)visit(at, true);
    start = start_together();
    code = move(at, writing);
    seconds[shifted] += seconds_since(start);
    if (code)
        return complain("%s of %d x %d at (%d, %d): code %d", direction(writing), edge, edge, at[0], at[1], code);
    return writing ? DONE : agree(visit(at, false));
}

/* Both kinds of sections, each first at every other place, since the first one finds pages that are not yet mapped. */
static enum outcome series(bool writing)
{
    const int calls = calls_of_series();
    double seconds[2] = { 0 };
    enum outcome outcome = measure(0, writing, false, seconds); /* does not count */

    memset(seconds, 0, sizeof seconds);
    for (int i = 0; i < 2 * calls && outcome == DONE; i++)
        outcome = measure(i / 2, writing, (i + i / 2) % 2 != 0, seconds);
    for (int shifted = 0; shifted < 2 && outcome == DONE; shifted++) {
        char what[64];

        (void)snprintf(what, sizeof what, "%s-%s-%d", direction(writing), shifted ? "shifted" : "aligned", edge);
        answer_number(what, seconds[shifted] / calls);
    }
    return outcome;
}

/* The array opened anew, so that all sizes begin alike. */
static enum outcome series_of_edge(bool writing)
{
    int dims[2] = { edge, edge };
    enum outcome outcome;

    if (DRA_Open(path, writing ? DRA_RW : DRA_R, &d_a))
        return complain("%s: cannot be opened", path);
    g_a = NGA_Create(C_DBL, 2, dims, "section", NULL);
    if (!g_a)
        return complain("no global array of %d x %d", edge, edge);
    GA_Zero(g_a);
    outcome = series(writing);
    GA_Destroy(g_a);
    if (DRA_Close(d_a) && outcome == DONE)
        outcome = complain("%s: cannot be closed", path);
    settle_files(folder, "sections", SYNCED);
    return outcome;
}

/* The file is there, as large as it becomes; no element is right. */
static enum outcome create(void)
{
    dra_size_t dims[2] = { size, size }, reqdims[2] = { hint, hint };
    int extents[2], code = NDRA_Create(C_DBL, 2, dims, "sections", path, DRA_RW, reqdims, &d_a);
    double wrong = -1;

    if (code)
        return complain("%s: cannot be created: code %d", path, code);
    edge = size / 2;
    extents[0] = extents[1] = edge;
    g_a = NGA_Create(C_DBL, 2, extents, "quarter", NULL);
    if (!g_a)
        return complain("no global array of %d x %d", edge, edge);
    GA_Fill(g_a, &wrong);
    for (int quarter = 0; quarter < 4 && !code; quarter++)
        code = move((int[2]){ quarter / 2 * edge, quarter % 2 * edge }, true);
    GA_Destroy(g_a);
    if (!code)
        code = DRA_Close(d_a);
    settle_files(folder, "sections", SYNCED);
    return code ? complain("%s: cannot be written: code %d", path, code) : DONE;
}

static enum outcome all(void)
{
    enum outcome outcome = create();

    answer_text("drx", "%d.%d.%d", DRX_VERSION_MAJOR, DRX_VERSION_MINOR, DRX_VERSION_PATCH);
    answer_text("Global Arrays", "%d.%d", GA_VERSION_MAJOR, GA_VERSION_MINOR);
    answer_text("compiler", "%s", __VERSION__);
    for (int writing = 1; writing >= 0; writing--)
        for (edge = hint; edge <= size / 2 && outcome == DONE; edge *= 2)
            outcome = series_of_edge(writing);
    if (outcome == DONE && (DRA_Open(path, DRA_RW, &d_a) || DRA_Delete(d_a)))
        outcome = complain("%s: cannot be deleted", path);
    return outcome;
}

int main(int argc, char **argv)
{
    enum outcome outcome;
    int code;

    begin_job(&argc, &argv);
    GA_Initialize();
    if (argc != 4 || strlen(argv[3]) >= sizeof folder)
        outcome = complain("usage: dra_sweep SIZE HINT FOLDER");
    else if (!MA_init(C_DBL, 4 << 20, 4 << 20) || DRA_Init(4, -1, -1, -1))
        outcome = complain("DRA_Init fails");
    else {
        size = (int)strtol(argv[1], NULL, 10);
        hint = (int)strtol(argv[2], NULL, 10);
        memcpy(folder, argv[3], strlen(argv[3]) + 1);
        (void)snprintf(path, sizeof path, "%s/sections", folder);
        outcome = hint >= 16 && size >= 4 * hint && size % hint == 0
                      ? all()
                      : complain("expected a HINT of 16 or more, and SIZE a multiple of it, at least 4 times as large");
        (void)DRA_Terminate();
    }
    code = end_job("dra_sweep", outcome);
    GA_Terminate();
    MPI_Finalize();
    return code;
}
