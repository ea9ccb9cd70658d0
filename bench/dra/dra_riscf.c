/* What RI-SCF does with its integrals (Nieplocha and Foster 1996, section 5.3). It writes a disk resident array once,
 * some full rows at a time. In every iteration it reads the whole array, some full columns at a time, and contracts one
 * strip of columns while it reads the next. Linked with Global Arrays' own library and with the drop-in.
 *
 * dra_riscf SIZE HINT STRIP PASSES WORK FOLDER
 *   SIZE    rows and columns
 *   HINT    rows and columns of a typical request; -1: unspecified
 *   STRIP   rows that are written at a time, columns that are read at a time
 *   PASSES  iterations
 *   WORK    multiplications and additions for each element
 *
 * It answers with the seconds of one pass: write-rows, read-columns (one strip after the other, without work), work
 * (without reading), iterate (both at once, the next strip begun before the work on one), read-columns-cold. The
 * program contracts small whole numbers, so the result is exact, and compares it with the expected one. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ga.h>
#include <macdecls.h>

#include <dra.h>

#include "dra_job.h"

static int size, strip, passes, work;
static char folder[FOLDER_BYTES], path[PATH_BYTES];
static int d_a, g_strip[2];   /* rows whole on one process each */
static int first_row, rows;   /* of this process in a strip of columns */
static double *weight, *sums; /* of each column, of each row, `work` of them */

static double integral(int64_t i, int64_t j)
{
    return (double)((7 * i + 13 * j + i * j % 11) % 17 - 8);
}

static int columns_from(int j)
{
    return j + strip <= size ? strip : size - j;
}

static void fill(int g, int first)
{
    int lo[2], hi[2], ld;
    double *p = NULL;

    NGA_Distribution(g, bench_rank, lo, hi);
    if (lo[0] >= 0 && hi[0] >= lo[0] && hi[1] >= lo[1])
        NGA_Access(g, lo, hi, &p, &ld);
    for (int i = lo[0]; p && i <= hi[0]; i++)
        for (int j = lo[1]; j <= hi[1]; j++)
            p[(int64_t)(i - lo[0]) * ld + j - lo[1]] = integral(first + i, j);
    if (p)
        NGA_Release_update(g, lo, hi);
    GA_Sync();
}

static enum outcome write_rows(void)
{
    int dims[2] = { strip, size }, request, code = 0;
    const int g = NGA_Create(C_DBL, 2, dims, "rows", NULL);
    double seconds = 0;
    double start;

    if (!g)
        return complain("no memory for %d rows", strip);
    for (int i = 0; i < size && !code; i += strip) {
        int glo[2] = { 0, 0 }, ghi[2] = { columns_from(i) - 1, size - 1 };
        dra_size_t dlo[2] = { i, 0 }, dhi[2] = { i + ghi[0], size - 1 };

        fill(g, i);
        start = start_together();
        code = NDRA_Write_section(0, g, glo, ghi, d_a, dlo, dhi, &request);
        if (!code)
            code = DRA_Wait(request);
        seconds += seconds_since(start);
    }
    GA_Destroy(g);
    answer_number("write-rows", seconds);
    return code ? complain("rows cannot be written: code %d", code) : DONE;
}

static int begin_strip(int g, int j, int *request)
{
    int glo[2] = { 0, 0 }, ghi[2] = { size - 1, columns_from(j) - 1 };
    dra_size_t dlo[2] = { 0, j }, dhi[2] = { size - 1, j + ghi[1] };

    return NDRA_Read_section(0, g, glo, ghi, d_a, dlo, dhi, request);
}

static int read_pass(void)
{
    int request, code = 0;

    for (int j = 0; j < size && !code; j += strip) {
        code = begin_strip(g_strip[0], j, &request);
        if (!code)
            code = DRA_Wait(request);
    }
    return code;
}

/* sums[i][w] += Σ_j strip[i][j] weight[j][w] over this process's rows. */
static void contract(int g, int j)
{
    int lo[2] = { first_row, 0 }, hi[2] = { first_row + rows - 1, strip - 1 }, ld;
    double *p;

    if (!rows)
        return;
    NGA_Access(g, lo, hi, &p, &ld);
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns_from(j); k++) {
            const double element = p[(int64_t)i * ld + k], *x = weight + (int64_t)(j + k) * work;
            double *sum = sums + (int64_t)i * work;

            for (int w = 0; w < work; w++)
                sum[w] += element * x[w];
        }
    NGA_Release(g, lo, hi);
}

static int work_pass(void)
{
    for (int j = 0; j < size; j += strip)
        contract(g_strip[0], j);
    return 0;
}

static int iterate_pass(void)
{
    int request, code = begin_strip(g_strip[0], 0, &request), present = 0;

    for (int j = 0; j < size && !code; j += strip, present = !present) {
        code = DRA_Wait(request);
        if (!code && j + strip < size)
            code = begin_strip(g_strip[!present], j + strip, &request);
        if (!code)
            contract(g_strip[present], j);
    }
    return code;
}

static enum outcome measure(const char *what, int pass(void), int times)
{
    double start;
    int code = 0;

    memset(sums, 0, (size_t)rows * (size_t)work * sizeof *sums);
    start = start_together();
    for (int i = 0; i < times && !code; i++)
        code = pass();
    answer_number(what, seconds_since(start) / times);
    return code ? complain("%s: code %d", what, code) : DONE;
}

static enum outcome check_sums(void)
{
    for (int i = 0; i < rows; i++)
        for (int w = 0; w<work; w += work> 1 ? work - 1 : 1) { /* the first and the last one */
            double sum = 0;

            for (int j = 0; j < size; j++)
                sum += integral(first_row + i, j) * weight[(int64_t)j * work + w];
            if (sums[(int64_t)i * work + w] != passes * sum)
                return complain("sum %d of row %d is wrong", w, first_row + i);
        }
    return DONE;
}

static enum outcome prepare(void)
{
    int dims[2] = { size, strip }, chunk[2] = { -1, strip }, lo[2], hi[2];

    for (int i = 0; i < 2; i++)
        g_strip[i] = NGA_Create(C_DBL, 2, dims, "columns", chunk);
    if (!g_strip[0] || !g_strip[1])
        return complain("no memory for two strips of %d columns", strip);
    GA_Zero(g_strip[0]);
    GA_Zero(g_strip[1]);
    NGA_Distribution(g_strip[0], bench_rank, lo, hi);
    first_row = lo[0];
    rows = lo[0] >= 0 && hi[0] >= lo[0] ? hi[0] - lo[0] + 1 : 0;
    if (rows && (lo[1] != 0 || hi[1] != strip - 1))
        return complain("Global Arrays distributes columns");
    weight = malloc((size_t)size * (size_t)work * sizeof *weight);
    sums = malloc(((size_t)rows * (size_t)work + 1) * sizeof *sums);
    if (!weight || !sums)
        return complain("no memory");
    for (int64_t i = 0; i < (int64_t)size * work; i++)
        weight[i] = (double)(i * i % 19 - 9);
    return DONE;
}

static enum outcome create(int hint)
{
    dra_size_t dims[2] = { size, size }, reqdims[2] = { hint, hint };
    const int code = NDRA_Create(C_DBL, 2, dims, "integrals", path, DRA_RW, reqdims, &d_a);

    return code ? complain("%s: cannot be created: code %d", path, code) : DONE;
}

static enum outcome all(int hint)
{
    enum outcome outcome = prepare();

    if (outcome != DONE || create(hint) != DONE || write_rows() != DONE || DRA_Close(d_a))
        return FAILED;
    settle_files(folder, "integrals", SYNCED);
    if (DRA_Open(path, DRA_R, &d_a))
        return complain("%s: cannot be opened", path);
    if (measure("read-columns", read_pass, passes) != DONE || measure("work", work_pass, passes) != DONE ||
        measure("iterate", iterate_pass, passes) != DONE || check_sums() != DONE || DRA_Close(d_a))
        return FAILED;
    settle_files(folder, "integrals", DROPPED);
    if (DRA_Open(path, DRA_R, &d_a) || measure("read-columns-cold", read_pass, 1) != DONE || DRA_Delete(d_a))
        return FAILED;
    return DONE;
}

int main(int argc, char **argv)
{
    enum outcome outcome;
    int code;

    begin_job(&argc, &argv);
    GA_Initialize();
    if (argc != 7 || strlen(argv[6]) >= sizeof folder)
        outcome = complain("usage: dra_riscf SIZE HINT STRIP PASSES WORK FOLDER");
    else if (!MA_init(C_DBL, 4 << 20, 4 << 20) || DRA_Init(4, -1, -1, -1))
        outcome = complain("DRA_Init fails");
    else {
        size = (int)strtol(argv[1], NULL, 10);
        strip = (int)strtol(argv[3], NULL, 10);
        passes = (int)strtol(argv[4], NULL, 10);
        work = (int)strtol(argv[5], NULL, 10);
        memcpy(folder, argv[6], strlen(argv[6]) + 1);
        (void)snprintf(path, sizeof path, "%s/integrals", folder);
        outcome = size > 0 && strip > 0 && strip <= size && passes > 0 && work > 0
                      ? all((int)strtol(argv[2], NULL, 10))
                      : complain("expected 1 or more of SIZE, STRIP, PASSES and WORK, and STRIP at most SIZE");
        (void)DRA_Terminate();
    }
    code = end_job("dra_riscf", outcome);
    GA_Terminate();
    MPI_Finalize();
    return code;
}
