/* Writes a square of doubles to a disk resident array and reads it back: whole, in strips, transposed. Linked with
 * Global Arrays' own library and with the drop-in.
 *
 * dra_transfer SIZE HINT STRIP MEMORY FOLDER
 *   SIZE    rows and columns
 *   HINT    ROWSxCOLUMNS of a typical request; -1: unspecified
 *   STRIP   columns that are moved at a time
 *   MEMORY  bytes for buffers, as passed to DRA_Init; -1: any, and the program does not measure memory
 *
 * The process that has an element compares it with its expected value. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ga.h>
#include <macdecls.h>

#include <dra.h>

#include <drx.h>

#include "dra_job.h"

static int size, strip, hint[2];
static char folder[FOLDER_BYTES], path[PATH_BYTES];
static int g_a, d_a;

/* The block of this process. */
struct block {
    int lo[2], hi[2], ld;
    double *elements;
};

static struct block own_block(void)
{
    struct block b = { .elements = NULL };

    NGA_Distribution(g_a, bench_rank, b.lo, b.hi);
    if (b.hi[0] >= b.lo[0] && b.hi[1] >= b.lo[1])
        NGA_Access(g_a, b.lo, b.hi, &b.elements, &b.ld);
    return b;
}

static void fill(void)
{
    const struct block b = own_block();

    for (int i = b.lo[0]; b.elements && i <= b.hi[0]; i++)
        for (int j = b.lo[1]; j <= b.hi[1]; j++)
            b.elements[(int64_t)(i - b.lo[0]) * b.ld + j - b.lo[1]] = element_of(size, i, j);
    GA_Sync();
}

static enum outcome check(bool turned)
{
    const struct block b = own_block();

    for (int i = b.lo[0]; b.elements && i <= b.hi[0]; i++)
        for (int j = b.lo[1]; j <= b.hi[1]; j++)
            if (b.elements[(int64_t)(i - b.lo[0]) * b.ld + j - b.lo[1]] !=
                (turned ? element_of(size, j, i) : element_of(size, i, j)))
                return complain("element (%d, %d) is wrong", i, j);
    return DONE;
}

static int move_whole(bool writing, bool turned)
{
    int glo[2] = { 0, 0 }, ghi[2] = { size - 1, size - 1 }, request, code;
    dra_size_t dlo[2] = { 0, 0 }, dhi[2] = { size - 1, size - 1 };

    if (turned)
        code = NDRA_Read_section(1, g_a, glo, ghi, d_a, dlo, dhi, &request);
    else
        code = writing ? NDRA_Write(g_a, d_a, &request) : NDRA_Read(g_a, d_a, &request);
    return code ? code : DRA_Wait(request);
}

static int move_strips(bool writing)
{
    int code = 0;

    for (int j = 0; j < size && code == 0; j += strip) {
        const int last = j + strip <= size ? j + strip - 1 : size - 1;
        int glo[2] = { 0, j }, ghi[2] = { size - 1, last }, request;
        dra_size_t dlo[2] = { 0, j }, dhi[2] = { size - 1, last };

        code = writing ? NDRA_Write_section(0, g_a, glo, ghi, d_a, dlo, dhi, &request)
                       : NDRA_Read_section(0, g_a, glo, ghi, d_a, dlo, dhi, &request);
        if (code == 0)
            code = DRA_Wait(request);
    }
    return code;
}

/* One of the ways, timed and checked. */
static enum outcome measure(const char *what, bool writing, bool strips, bool turned)
{
    double start;
    int code;

    if (!writing)
        GA_Zero(g_a);
    start = start_together();
    code = strips ? move_strips(writing) : move_whole(writing, turned);
    if (code)
        return complain("%s: code %d", what, code);
    answer_number(what, seconds_since(start));
    return writing ? DONE : check(turned);
}

static enum outcome create(void)
{
    dra_size_t dims[2] = { size, size }, reqdims[2] = { hint[0], hint[1] };
    char name[] = "square";
    const int code = NDRA_Create(C_DBL, 2, dims, name, path, DRA_RW, reqdims, &d_a);

    return code ? complain("%s: cannot be created: code %d", path, code) : DONE;
}

static enum outcome write_both(void)
{
    fill();
    if (create() != DONE || measure("write-strips", true, true, false) != DONE || DRA_Delete(d_a))
        return FAILED;
    remove_all(folder, "square");
    sync();
    if (create() != DONE || measure("write", true, false, false) != DONE || DRA_Close(d_a))
        return FAILED;
    settle_files(folder, "square", SYNCED);
    return DONE;
}

static enum outcome read_all(void)
{
    if (DRA_Open(path, DRA_R, &d_a))
        return complain("%s: cannot be opened", path);
    if (measure("read", false, false, false) != DONE || measure("read-strips", false, true, false) != DONE ||
        measure("read-turned", false, false, true) != DONE || DRA_Close(d_a))
        return FAILED;
    settle_files(folder, "square", DROPPED);
    if (DRA_Open(path, DRA_R, &d_a) || measure("read-cold", false, false, false) != DONE || DRA_Delete(d_a))
        return FAILED;
    return DONE;
}

/* Of Global Arrays' memory that this process can see, each page is there. */
static void touch_all(void)
{
    double *row = malloc(sizeof *row * (size_t)size);

    for (int i = 0; row && i < size; i++) {
        int lo[2] = { i, 0 }, hi[2] = { i, size - 1 };

        NGA_Get(g_a, lo, hi, row, &size);
    }
    free(row);
    GA_Sync();
}

static enum outcome all(double memory)
{
    enum outcome outcome;

    if (!MA_init(C_DBL, 4 << 20, 4 << 20) || DRA_Init(4, -1, -1, memory))
        return complain("DRA_Init fails");
    fill();
    touch_all();
    if (memory > 0)
        start_watching();
    answer_text("drx", "%d.%d.%d", DRX_VERSION_MAJOR, DRX_VERSION_MINOR, DRX_VERSION_PATCH);
    answer_text("Global Arrays", "%d.%d", GA_VERSION_MAJOR, GA_VERSION_MINOR);
    answer_text("compiler", "%s", __VERSION__);
    outcome = write_both();
    if (outcome == DONE)
        outcome = read_all();
    if (outcome == DONE)
        stop_watching();
    (void)DRA_Terminate();
    return outcome;
}

int main(int argc, char **argv)
{
    enum outcome outcome = FAILED;
    int dims[2], code;

    begin_job(&argc, &argv);
    GA_Initialize();
    if (argc != 6 || strlen(argv[5]) >= sizeof folder || sscanf(argv[2], "%dx%d", &hint[0], &hint[1]) != 2)
        outcome = complain("usage: dra_transfer SIZE HINT STRIP MEMORY FOLDER");
    else {
        size = dims[0] = dims[1] = (int)strtol(argv[1], NULL, 10);
        strip = (int)strtol(argv[3], NULL, 10);
        memcpy(folder, argv[5], strlen(argv[5]) + 1);
        (void)snprintf(path, sizeof path, "%s/square", folder);
        g_a = NGA_Create(C_DBL, 2, dims, "square", NULL);
        outcome = g_a ? all(strtod(argv[4], NULL)) : complain("no global array of %d x %d", size, size);
    }
    code = end_job("dra_transfer", outcome);
    GA_Terminate();
    MPI_Finalize();
    return code;
}
