/* Many processes compute C = A B on disk together, as multiply.c does alone.
 *
 *     mpirun -n 4 multiply_together 16384 16384 16384 --memory 128M --verify
 *
 * Ranks form a grid. Their memory together holds a block of C, and panels of A and B stream past. SUMMA multiplies two
 * panels (van de Geijn and Watts 1997): the ranks of one column of the grid hold the panel of A, each its rows, and
 * broadcast them along the rows of the grid. The ranks of one row hold the panel of B and broadcast it along the
 * columns. Then all multiply. Column s mod columns and row s mod rows read panel s while all multiply the panels before
 * it. So every rank reads, each panel is read once for a block of all ranks, and no rank waits for another's disk.
 * Ranks read and write whole chunks independently. A rank that fails exits, and mpirun ends the job. */
#include "../outofcore/product.h"
#include "drx_tools.h"

#include <cblas.h>
#include <drxmp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* A or B, as one rank has it. */
struct operand {
    drxmp_array *array;
    MPI_Comm line;     /* the ranks that need the same panels: a row of the grid for A, a column for B */
    int readers, mine; /* ranks of the line, which read in turn; my rank in it */
    int64_t next;      /* the step whose panel I read next, or am reading */
    double *panel[2];
    drx_request *reading;
};

struct product {
    const struct product_job *job;
    struct product_blocks block;
    int rank, ranks, grid[2], place[2];
    int64_t steps;
    struct operand a, b;
    drxmp_array *c;
    double *memory;
    struct product_sum sum;
};

static void make_grid(struct product *p)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &p->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p->ranks);
    MPI_Dims_create(p->ranks, 2, p->grid);
    p->place[0] = p->rank / p->grid[1];
    p->place[1] = p->rank % p->grid[1];
    MPI_Comm_split(MPI_COMM_WORLD, p->place[0], p->place[1], &p->a.line);
    MPI_Comm_split(MPI_COMM_WORLD, p->place[1], p->place[0], &p->b.line);
    p->a.readers = p->grid[1];
    p->b.readers = p->grid[0];
    p->a.next = p->a.mine = p->place[1];
    p->b.next = p->b.mine = p->place[0];
}

static drxmp_array *create(const struct product_job *job, int matrix, const char *path)
{
    int64_t shape[2], chunk[2];
    const drx_spec spec = product_spec(job, matrix, shape, chunk);
    drxmp_array *a;

    ooc_check(drxmp_create(MPI_COMM_WORLD, path, &spec, &a));
    return a;
}

/* Under another name, until it is complete. */
static void make_operand(const struct product *p, int matrix)
{
    char path[sizeof p->job->path[matrix] + 4];
    drxmp_array *a;

    (void)snprintf(path, sizeof path, "%s.new", p->job->path[matrix]);
    a = create(p->job, matrix, path);
    product_fill(p->job, drxmp_serial(a), matrix, p->rank, p->ranks, p->memory);
    ooc_check(drxmp_close(a));
    if (p->rank == 0)
        ooc_check(drx_rename(path, p->job->path[matrix], 0));
    MPI_Barrier(MPI_COMM_WORLD);
}

static drxmp_array *open_operand(const struct product *p, int matrix)
{
    drxmp_array *a;
    drx_status st = drxmp_open(MPI_COMM_WORLD, p->job->path[matrix], DRX_RDONLY, &a);

    if (st == DRX_ENOENT) {
        make_operand(p, matrix);
        st = drxmp_open(MPI_COMM_WORLD, p->job->path[matrix], DRX_RDONLY, &a);
    }
    ooc_check(st);
    product_expect(p->job, matrix, drxmp_serial(a));
    return a;
}

static void divide_memory(struct product *p)
{
    const int64_t a_size = p->block.m * p->block.k, b_size = p->block.k * p->block.n;

    if (ooc_max(a_size, b_size) > INT_MAX)
        ooc_fail("a panel is too large for MPI_Bcast; use less memory");
    p->sum.block = p->memory;
    for (int i = 0; i < 2; i++) {
        p->a.panel[i] = p->sum.block + p->block.m * p->block.n + i * a_size;
        p->b.panel[i] = p->sum.block + p->block.m * p->block.n + 2 * a_size + i * b_size;
    }
}

/* Where a panel goes. What I read and what I receive have separate places, so that I can read while others send. A line
 * of one rank receives no panels, and alternates between the two places. */
static double *place_of(const struct operand *x, int64_t s)
{
    return x->panel[x->readers == 1 ? s % 2 : s % x->readers != x->mine];
}

static struct product_step step_at(const struct product *p, int64_t s)
{
    return product_step(p->job, &p->block, p->grid, p->place, s);
}

/* Begin to read my next panel, unless I have, or the panel of step `busy` (-1: none) is in its place. */
static void read_ahead(struct product *p, struct operand *x, int64_t busy)
{
    struct product_step at;

    if (x->reading || x->next >= p->steps || (busy >= 0 && place_of(x, x->next) == place_of(x, busy)))
        return;
    at = step_at(p, x->next);
    const int64_t lo[2][2] = { { at.row, at.depth }, { at.depth, at.column } };
    const int64_t count[2][2] = { { at.rows, at.terms }, { at.terms, at.columns } };
    const int matrix = x == &p->b;

    ooc_check(drx_read_async(drxmp_serial(x->array), &(drx_box){ .lo = lo[matrix], .count = count[matrix] },
                             place_of(x, x->next), &x->reading));
}

/* The panel of step s. The rank that read it broadcasts it to the others of the line. */
static const double *receive(struct operand *x, int64_t s, int64_t count)
{
    if (x->next == s) {
        ooc_finish(&x->reading);
        x->next += x->readers;
    }
    MPI_Bcast(place_of(x, s), (int)count, MPI_DOUBLE, (int)(s % x->readers), x->line);
    return place_of(x, s);
}

static void multiply(struct product *p)
{
    read_ahead(p, &p->a, -1);
    read_ahead(p, &p->b, -1);
    for (int64_t s = 0; s < p->steps; s++) {
        const struct product_step at = step_at(p, s);
        const double *a = receive(&p->a, s, at.rows * at.terms), *b = receive(&p->b, s, at.terms * at.columns);

        read_ahead(p, &p->a, s);
        read_ahead(p, &p->b, s);
        product_add(p->job, &p->block, &at, a, b, &p->sum);
    }
    product_finish(&p->sum);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void count_bytes(const struct product *p, struct product_result *r)
{
    drx_counters a, b, c;
    int64_t bytes[3];

    ooc_check(drx_count(drxmp_serial(p->a.array), &a));
    ooc_check(drx_count(drxmp_serial(p->b.array), &b));
    ooc_check(drx_count(p->sum.c, &c));
    bytes[0] = a.wanted_bytes + b.wanted_bytes;
    bytes[1] = c.written_bytes;
    bytes[2] = ooc_memory_bytes();
    MPI_Allreduce(MPI_IN_PLACE, bytes, 3, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    r->read_bytes = bytes[0];
    r->written_bytes = bytes[1];
    r->memory_bytes = bytes[2];
}

/* All ranks at the same time: seconds of the slowest, operations of all. */
static double in_core(const struct product *p, double *operations)
{
    double seconds;

    MPI_Barrier(MPI_COMM_WORLD);
    seconds = product_in_core(p->job, p->memory, operations);
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    *operations *= p->ranks;
    return seconds;
}

static struct product_result measure(struct product *p)
{
    struct product_result r = { .processes = p->ranks };
    double operations[2], seconds = in_core(p, &operations[0]), start;

    MPI_Barrier(MPI_COMM_WORLD);
    start = ooc_seconds();
    multiply(p);
    r.seconds = ooc_seconds() - start;
    ooc_check(drxmp_sync(p->c));
    r.sync_seconds = ooc_seconds() - start - r.seconds;
    seconds += in_core(p, &operations[1]);
    r.in_core_flops = (operations[0] + operations[1]) / seconds;
    count_bytes(p, &r);
    return r;
}

/* Rank 0 does it alone, with its threads; the others wait. */
static int is_right(const struct product *p)
{
    int right = 1;

    if (p->rank == 0)
        right = product_is_right(p->job, drxmp_serial(p->a.array), drxmp_serial(p->b.array), p->sum.c);
    MPI_Bcast(&right, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return right;
}

static void close_all(struct product *p)
{
    ooc_check(drxmp_close(p->a.array));
    ooc_check(drxmp_close(p->b.array));
    ooc_check(drxmp_close(p->c));
    MPI_Comm_free(&p->a.line);
    MPI_Comm_free(&p->b.line);
}

int main(int argc, char **argv)
{
    struct product_job job;
    struct product p = { .job = &job };
    struct product_result result;
    int provided, wrong;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided); /* DRX's threads read and write, and call no MPI */
    openblas_set_num_threads(1);                                   /* there is a rank for each processor */
    product_arguments(argc, argv, &job);
    make_grid(&p);
    p.block = product_choose(&job, p.grid);
    p.steps = product_steps(&job, &p.block, p.grid);
    p.memory = ooc_allocate(job.memory_bytes);
    p.a.array = open_operand(&p, 0);
    p.b.array = open_operand(&p, 1);
    p.c = create(&job, 2, job.path[2]);
    p.sum.c = drxmp_serial(p.c);
    divide_memory(&p);
    result = measure(&p);
    free(p.memory);
    if (p.rank == 0)
        product_report(&job, &p.block, &result);
    wrong = job.verify && !is_right(&p);
    close_all(&p);
    MPI_Finalize();
    return wrong;
}
