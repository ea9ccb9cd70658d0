/* The two-dimensional Fourier transform of a complex array on disk, in limited memory.
 *
 *     fft2d 16384 16384 --memory 512M --verify
 *
 * The program transforms rows slab by slab, transposes with drx_copy, and transforms what were columns in the same
 * way. All arrays have chunks of whole rows, so it reads and writes everything in the order on disk. The result stays
 * transposed, unless --back asks for another transposition.
 *
 * While FFTW works on one slab, helper threads read the next one and write the one before. */
#include "drx_tools.h"
#include "outofcore/spectrum.h"

#include <complex.h>
#include <fftw3.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] =
    "ROWS COLUMNS [--memory BYTES] [--folder PATH] [--back] [--verify]\n"
    "  Writes the transform of PATH/X to PATH/F, transposed. Creates PATH/X if it does not exist.\n"
    "  --memory  512M\n"
    "  --back    not transposed, at the cost of another copy\n"
    "  --verify  check the result";

enum { SLABS = 3, CHUNK_BYTES = 1 << 20 };

struct job {
    int64_t rows, columns, memory_bytes;
    char x[OOC_PATH_BYTES], f[OOC_PATH_BYTES];
    int back, verify;
    fftw_plan of_row, of_column;
    int64_t used_bytes; /* of memory, the most that was seen */
};

static void set_arguments(int argc, char **argv, struct job *job)
{
    int64_t back = 0;
    const struct ooc_arguments a = ooc_arguments(argc, argv, usage, 2, "back", &back);

    *job = (struct job){ .rows = a.extent[0],
                         .columns = a.extent[1],
                         .memory_bytes = a.memory_bytes,
                         .back = back != 0,
                         .verify = a.verify };
    ooc_path(job->x, a.folder, 'X');
    ooc_path(job->f, a.folder, 'F');
}

static void look_at_memory(struct job *job)
{
    job->used_bytes = ooc_max(job->used_bytes, ooc_memory_bytes());
}

/* ---- slabs of rows ---- */

struct slabs {
    drx_array *from, *to;
    int64_t columns, total, rows; /* of the array; of a slab */
    double complex *slab[SLABS];
    drx_request *reading, *writing[SLABS];
};

/* About 1 MiB, less in little memory: of a copy a chunk is put together there. */
static int64_t rows_in_chunk(const struct job *job, int64_t rows, int64_t columns)
{
    const int64_t bytes = ooc_min(CHUNK_BYTES, job->memory_bytes / 16);

    return ooc_max(ooc_min(bytes / (int64_t)sizeof(double complex) / columns, rows), 1);
}

/* As many rows as fit, in whole chunks if this many do. */
static void make_slabs(struct slabs *s, const struct job *job, drx_array *from, drx_array *to)
{
    const int64_t row_bytes = drx_shape(to)[1] * (int64_t)sizeof(double complex), chunk = drx_chunk(to)[0];
    const int64_t fit = job->memory_bytes / SLABS / row_bytes;

    if (fit == 0)
        ooc_fail("%" PRId64 " bytes of memory are too few: %d rows need %" PRId64, job->memory_bytes, SLABS,
                 SLABS * row_bytes);
    *s = (struct slabs){ .from = from, .to = to, .columns = drx_shape(to)[1], .total = drx_shape(to)[0] };
    s->rows = ooc_min(fit < chunk ? fit : fit / chunk * chunk, s->total);
    s->slab[0] = fftw_malloc((size_t)(SLABS * s->rows * row_bytes));
    if (!s->slab[0])
        ooc_fail("no memory for %d slabs of %" PRId64 " rows", SLABS, s->rows);
    for (int i = 1; i < SLABS; i++)
        s->slab[i] = s->slab[i - 1] + s->rows * s->columns;
}

static int64_t rows_of(const struct slabs *s, int64_t i)
{
    return ooc_min(s->rows, s->total - i * s->rows);
}

static void read_slab(struct slabs *s, int64_t i)
{
    if (i * s->rows >= s->total)
        return;
    ooc_finish(&s->writing[i % SLABS]); /* what was in its place */
    ooc_check(drx_read_async(
        s->from, &(drx_box){ .lo = (int64_t[]){ i * s->rows, 0 }, .count = (int64_t[]){ rows_of(s, i), s->columns } },
        s->slab[i % SLABS], &s->reading));
}

static void write_slab(struct slabs *s, int64_t i)
{
    ooc_check(drx_write_async(
        s->to, &(drx_box){ .lo = (int64_t[]){ i * s->rows, 0 }, .count = (int64_t[]){ rows_of(s, i), s->columns } },
        s->slab[i % SLABS], &s->writing[i % SLABS]));
}

static void free_slabs(struct slabs *s)
{
    for (int i = 0; i < SLABS; i++)
        ooc_finish(&s->writing[i]);
    fftw_free(s->slab[0]);
}

/* ---- the steps of the transform ---- */

/* How to transform n numbers in place; measured in memory of its own. */
static fftw_plan make_plan(int64_t n)
{
    double complex *memory = fftw_malloc((size_t)n * sizeof *memory);
    fftw_plan plan = memory ? fftw_plan_dft_1d((int)n, memory, memory, FFTW_FORWARD, FFTW_MEASURE) : NULL;

    if (!plan)
        ooc_fail("no plan for transforms of %" PRId64, n);
    fftw_free(memory);
    return plan;
}

/* Transform each row of `from` to one of `to`, which may be the same array. */
static void transform_rows(struct job *job, fftw_plan plan, drx_array *from, drx_array *to)
{
    struct slabs s;

    make_slabs(&s, job, from, to);
    read_slab(&s, 0);
    for (int64_t i = 0; i * s.rows < s.total; i++) {
        ooc_finish(&s.reading);
        read_slab(&s, i + 1);
        for (int64_t row = 0; row < rows_of(&s, i); row++) /* complex numbers are aligned alike, as the plan needs it */
            fftw_execute_dft(plan, s.slab[i % SLABS] + row * s.columns, s.slab[i % SLABS] + row * s.columns);
        write_slab(&s, i);
    }
    look_at_memory(job);
    free_slabs(&s);
}

static int look(void *job, int64_t done_bytes, int64_t total_bytes)
{
    (void)done_bytes;
    (void)total_bytes;
    look_at_memory(job);
    return 0;
}

/* A new array with chunks of whole rows. It gets its name when it is complete: see drx_persist. */
static drx_array *create(const struct job *job, const char *path)
{
    const drx_spec spec = {
        .ndim = 2,
        .type = DRX_COMPLEX128,
        .shape = (int64_t[]){ job->rows, job->columns },
        .chunk = (int64_t[]){ rows_in_chunk(job, job->rows, job->columns), job->columns },
        .flags = DRX_TEMPORARY,
    };
    drx_array *a;

    ooc_check(drx_create(path, &spec, &a));
    return a;
}

/* A temporary array of the transposed values, with chunks of its own whole rows; `a` is closed. */
static drx_array *transpose(struct job *job, drx_array *a)
{
    const int64_t rows = drx_shape(a)[1], columns = drx_shape(a)[0];
    const drx_copy_spec spec = {
        .permute = (int[]){ 1, 0 },
        .chunk = (int64_t[]){ rows_in_chunk(job, rows, columns), columns },
        .memory_bytes = job->memory_bytes,
        .flags = DRX_TEMPORARY,
        .progress = look,
        .user = job,
    };
    drx_array *turned;

    ooc_check(drx_copy(a, job->f, &spec, &turned));
    ooc_check(drx_close(a));
    return turned;
}

/* ---- the program ---- */

static drx_array *make_x(const struct job *job)
{
    drx_array *x = create(job, job->x);
    struct slabs s;

    make_slabs(&s, job, x, x);
    for (int64_t i = 0; i * s.rows < s.total; i++) {
        ooc_finish(&s.writing[i % SLABS]);
        for (int64_t row = 0; row < rows_of(&s, i); row++)
            for (int64_t j = 0; j < s.columns; j++)
                s.slab[i % SLABS][row * s.columns + j] =
                    ooc_value(5, i * s.rows + row, j) + I * ooc_value(6, i * s.rows + row, j);
        write_slab(&s, i);
    }
    free_slabs(&s);
    ooc_check(drx_persist(x, 0));
    return x;
}

static drx_array *open_x(const struct job *job)
{
    drx_array *x;
    const drx_status st = drx_open(job->x, DRX_RDONLY, &x);

    if (st == DRX_ENOENT)
        return make_x(job);
    ooc_check(st);
    ooc_expect(x, job->x, DRX_COMPLEX128, job->rows, job->columns);
    return x;
}

/* Say how long a step took; returns when the next one begins. */
static double report_step(const char *what, double start)
{
    printf("%-15s %.3f\n", what, ooc_seconds() - start);
    return ooc_seconds();
}

static drx_array *transform(struct job *job, drx_array *x)
{
    const double points = (double)job->rows * (double)job->columns, start = ooc_seconds();
    drx_array *f = create(job, job->f);
    double now;

    transform_rows(job, job->of_row, x, f);
    now = report_step("rows, s", start);
    f = transpose(job, f);
    now = report_step("transpose, s", now);
    transform_rows(job, job->of_column, f, f);
    now = report_step("columns, s", now);
    if (job->back) {
        f = transpose(job, f);
        now = report_step("transpose, s", now);
    }
    printf("all, s          %.3f\n", now - start);
    printf("GFLOP/s         %.2f\n", 5e-9 * points * log2(points) / (now - start)); /* as FFTW counts them */
    return f;
}

int main(int argc, char **argv)
{
    struct job job;
    drx_array *x, *f;
    double start;
    int wrong = 0;

    set_arguments(argc, argv, &job);
    x = open_x(&job);
    printf("transform       %" PRId64 " x %" PRId64 "\n", job.rows, job.columns);
    start = ooc_seconds();
    job.of_row = make_plan(job.columns);
    job.of_column = make_plan(job.rows);
    (void)report_step("plans, s", start);
    f = transform(&job, x);
    start = ooc_seconds();
    ooc_check(drx_persist(f, DRX_REPLACE));
    ooc_check(drx_sync(f));
    (void)report_step("until durable, s", start);
    printf("memory bytes    %" PRId64 " for data, %" PRId64 " in all\n", job.memory_bytes, job.used_bytes);
    if (job.verify)
        wrong = !spectrum_is_right(x, f, !job.back);
    ooc_check(drx_close(x));
    ooc_check(drx_close(f));
    fftw_destroy_plan(job.of_row);
    fftw_destroy_plan(job.of_column);
    return wrong;
}
