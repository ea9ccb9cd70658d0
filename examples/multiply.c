/* C = A B with all three matrices on disk, in limited memory, nearly as fast as in memory.
 *
 *     multiply 16384 16384 16384 --memory 512M --verify
 *
 * A block of C stays in memory while panels of A and B stream past (outofcore/product_blocks.c says how large). The
 * next two panels are read while BLAS multiplies the present ones. Helper threads write finished stripes of the block
 * meanwhile (outofcore/product_sum.c). */
#include "drx_tools.h"
#include "outofcore/product.h"

#include <stdio.h>
#include <stdlib.h>

static const int alone[2] = { 1, 1 }, place[2] = { 0, 0 }; /* a grid of one process */

struct product {
    const struct product_job *job;
    struct product_blocks block;
    drx_array *a, *b;
    double *memory, *a_panel[2], *b_panel[2];
    drx_request *reading[2]; /* of A and B */
    struct product_sum sum;
};

static drx_array *open_operand(const struct product_job *job, int matrix, double *memory)
{
    int64_t shape[2], chunk[2];
    drx_spec spec = product_spec(job, matrix, shape, chunk);
    drx_array *a;
    const drx_status st = drx_open(job->path[matrix], DRX_RDONLY, &a);

    if (st == DRX_ENOENT) {
        spec.flags = DRX_TEMPORARY; /* it gets its name when it is complete */
        ooc_check(drx_create(job->path[matrix], &spec, &a));
        product_fill(job, a, matrix, 0, 1, memory);
        ooc_check(drx_persist(a, 0));
    } else {
        ooc_check(st);
        product_expect(job, matrix, a);
    }
    return a;
}

static void open_arrays(struct product *p)
{
    int64_t shape[2], chunk[2];
    const drx_spec spec = product_spec(p->job, 2, shape, chunk);

    p->a = open_operand(p->job, 0, p->memory);
    p->b = open_operand(p->job, 1, p->memory);
    ooc_check(drx_create(p->job->path[2], &spec, &p->sum.c));
}

static void divide_memory(struct product *p)
{
    const int64_t a_size = p->block.m * p->block.k, b_size = p->block.k * p->block.n;

    p->sum.block = p->memory;
    for (int i = 0; i < 2; i++) {
        p->a_panel[i] = p->sum.block + p->block.m * p->block.n + i * a_size;
        p->b_panel[i] = p->sum.block + p->block.m * p->block.n + 2 * a_size + i * b_size;
    }
}

/* Begin to read the panels of step s, which go where those of step s - 2 have been. */
static void read_panels(struct product *p, int64_t s)
{
    const struct product_step at = product_step(p->job, &p->block, alone, place, s);

    ooc_check(drx_read_async(
        p->a, &(drx_box){ .lo = (int64_t[]){ at.row, at.depth }, .count = (int64_t[]){ at.rows, at.terms } },
        p->a_panel[s % 2], &p->reading[0]));
    ooc_check(drx_read_async(
        p->b, &(drx_box){ .lo = (int64_t[]){ at.depth, at.column }, .count = (int64_t[]){ at.terms, at.columns } },
        p->b_panel[s % 2], &p->reading[1]));
}

static void multiply(struct product *p)
{
    const int64_t steps = product_steps(p->job, &p->block, alone);
    struct product_step at;

    read_panels(p, 0);
    for (int64_t s = 0; s < steps; s++) {
        ooc_finish(&p->reading[0]);
        ooc_finish(&p->reading[1]);
        if (s + 1 < steps)
            read_panels(p, s + 1);
        at = product_step(p->job, &p->block, alone, place, s);
        product_add(p->job, &p->block, &at, p->a_panel[s % 2], p->b_panel[s % 2], &p->sum);
    }
    product_finish(&p->sum);
}

static void count_bytes(const struct product *p, struct product_result *r)
{
    drx_counters a, b, c;

    ooc_check(drx_count(p->a, &a));
    ooc_check(drx_count(p->b, &b));
    ooc_check(drx_count(p->sum.c, &c));
    r->read_bytes = a.wanted_bytes + b.wanted_bytes;
    r->written_bytes = c.written_bytes;
}

/* The product, and before and after it the speed in core, since that of a machine varies. */
static struct product_result measure(struct product *p)
{
    struct product_result r = { .processes = 1 };
    double operations[2], seconds = product_in_core(p->job, p->memory, &operations[0]), start;

    start = ooc_seconds();
    multiply(p);
    r.seconds = ooc_seconds() - start;
    ooc_check(drx_sync(p->sum.c));
    r.sync_seconds = ooc_seconds() - start - r.seconds;
    seconds += product_in_core(p->job, p->memory, &operations[1]);
    r.in_core_flops = (operations[0] + operations[1]) / seconds;
    count_bytes(p, &r);
    r.memory_bytes = ooc_memory_bytes();
    return r;
}

int main(int argc, char **argv)
{
    struct product_job job;
    struct product p = { .job = &job };
    struct product_result result;
    int wrong = 0;

    product_arguments(argc, argv, &job);
    p.block = product_choose(&job, alone);
    p.memory = ooc_allocate(job.memory_bytes);
    open_arrays(&p);
    divide_memory(&p);
    result = measure(&p);
    free(p.memory);
    product_report(&job, &p.block, &result);
    if (job.verify)
        wrong = !product_is_right(&job, p.a, p.b, p.sum.c);
    ooc_check(drx_close(p.a));
    ooc_check(drx_close(p.b));
    ooc_check(drx_close(p.sum.c));
    return wrong;
}
