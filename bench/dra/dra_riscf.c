/* riscf:HINT:STRIP:PASSES:WORK does what RI-SCF does with its integrals (Nieplocha and Foster 1996, section
 * 5.3). It writes a disk resident array once, some full rows at a time. In every iteration it reads the whole array,
 * some full columns at a time, and contracts one strip of columns while it reads the next.
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

#include <ga.h>
#include <macdecls.h>

#include <dra.h>

#include "dra_job.h"

enum { HINT, STRIP, PASSES, WORK };

static const char name[] = "integrals";
static int strip, passes, work;
static int d_a, g_strip[2];   /* rows whole on one process each */
static int first_row, rows;   /* of this process in a strip of columns */
static double *weight, *sums; /* of each column, of each row, `work` of them */

static double integral(int64_t i, int64_t j)
{
    return (double)((7 * i + 13 * j + i * j % 11) % 17 - 8);
}

/* Of a strip that begins there. */
static int columns_from(int j)
{
    return j + strip <= size ? strip : size - j;
}

static enum outcome write_rows(void)
{
    const int g = new_array(strip, size);
    double seconds = 0, start;
    int code = 0;

    if (!g)
        return FAILED;
    for (int i = 0; i < size && !code; i += strip) {
        const int at[2] = { i, 0 }, n[2] = { columns_from(i), size };

        (void)visit(g, (int64_t[2]){ i, 0 }, integral, true);
        start = start_together();
        code = move_section(true, g, (int[2]){ 0, 0 }, d_a, at, n);
        seconds += seconds_since(start);
    }
    GA_Destroy(g);
    answer_number("write-rows", seconds);
    return code ? complain("rows cannot be written: code %d", code) : DONE;
}

static int begin_strip(int g, int j, int *request)
{
    return begin_section(false, g, (int[2]){ 0, 0 }, d_a, (int[2]){ 0, j }, (int[2]){ size, columns_from(j) }, request);
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

static enum outcome all(int hint)
{
    if (prepare() != DONE || create_square(name, hint, hint, &d_a) != DONE || write_rows() != DONE || DRA_Close(d_a))
        return FAILED;
    settle_files(name, SYNCED);
    if (open_square(name, false, &d_a) != DONE || measure("read-columns", read_pass, passes) != DONE ||
        measure("work", work_pass, passes) != DONE || measure("iterate", iterate_pass, passes) != DONE ||
        check_sums() != DONE || DRA_Close(d_a))
        return FAILED;
    settle_files(name, DROPPED);
    if (open_square(name, false, &d_a) != DONE || measure("read-columns-cold", read_pass, 1) != DONE || DRA_Delete(d_a))
        return FAILED;
    return DONE;
}

enum outcome riscf(const int64_t number[])
{
    strip = (int)number[STRIP];
    passes = (int)number[PASSES];
    work = (int)number[WORK];
    if (strip < 1 || strip > size || passes < 1 || work < 1)
        return complain("expected 1 or more of STRIP, PASSES and WORK, and STRIP at most SIZE");
    return all((int)number[HINT]);
}
