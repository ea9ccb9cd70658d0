/* What is to be multiplied: arguments, the operands, the report. */
#include "product.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char usage[] = "M N K [--memory BYTES] [--chunk N] [--folder PATH] [--verify]\n"
                            "  Computes C = A B on disk: PATH/A is M x K, PATH/B is K x N, PATH/C is M x N.\n"
                            "  Creates A and B if they do not exist.\n"
                            "  --memory  for blocks, of each process; 512M\n"
                            "  --chunk   new arrays have chunks of N x N; 256\n"
                            "  --verify  check the result";

enum { MOST_CHUNK = 1 << 16 }; /* no product of extents overflows */

void product_arguments(int argc, char **argv, struct product_job *job)
{
    int64_t chunk = 256;
    const struct ooc_arguments a = ooc_arguments(argc, argv, usage, 3, "chunk", &chunk);

    *job = (struct product_job){ .m = a.extent[0],
                                 .n = a.extent[1],
                                 .k = a.extent[2],
                                 .memory_bytes = a.memory_bytes,
                                 .chunk = chunk,
                                 .verify = a.verify };
    if (chunk > MOST_CHUNK)
        ooc_fail("--chunk %" PRId64 ": expected at most %d", chunk, MOST_CHUNK);
    for (int i = 0; i < 3; i++)
        ooc_path(job->path[i], a.folder, "ABC"[i]);
}

static void set_shape(const struct product_job *job, int matrix, int64_t shape[2])
{
    shape[0] = matrix == 1 ? job->k : job->m;
    shape[1] = matrix == 0 ? job->k : job->n;
}

drx_spec product_spec(const struct product_job *job, int matrix, int64_t shape[2], int64_t chunk[2])
{
    set_shape(job, matrix, shape);
    chunk[0] = chunk[1] = job->chunk;
    return (drx_spec){ .ndim = 2, .type = DRX_FLOAT64, .shape = shape, .chunk = chunk, .flags = DRX_REPLACE };
}

void product_expect(const struct product_job *job, int matrix, const drx_array *a)
{
    int64_t shape[2];

    set_shape(job, matrix, shape);
    ooc_expect(a, job->path[matrix], DRX_FLOAT64, shape[0], shape[1]);
}

void product_fill(const struct product_job *job, drx_array *a, int matrix, int part, int parts, double *memory)
{
    const int64_t doubles = job->memory_bytes / (int64_t)sizeof *memory;
    const int64_t width = ooc_max(doubles / job->chunk / job->chunk, 1) * job->chunk;
    int64_t shape[2];

    set_shape(job, matrix, shape);
    for (int64_t row = part * job->chunk; row < shape[0]; row += parts * job->chunk)
        for (int64_t column = 0; column < shape[1]; column += width) {
            const int64_t rows = ooc_min(job->chunk, shape[0] - row), columns = ooc_min(width, shape[1] - column);

            for (int64_t i = 0; i < rows; i++)
                for (int64_t j = 0; j < columns; j++)
                    memory[i * columns + j] = ooc_value(matrix, row + i, column + j);
            ooc_check(drx_write(a, (int64_t[]){ row, column }, (int64_t[]){ rows, columns }, DRX_ROW_MAJOR, memory));
        }
}

void product_report(const struct product_job *job, const struct product_blocks *block, const struct product_result *r)
{
    const double flops = 2.0 * (double)job->m * (double)job->n * (double)job->k / r->seconds;

    printf("product         %" PRId64 " x %" PRId64 ", sums of %" PRId64 ", %d process%s\n", job->m, job->n, job->k,
           r->processes, r->processes == 1 ? "" : "es");
    printf("blocks          %" PRId64 " x %" PRId64 ", panels of %" PRId64 "\n", block->m, block->n, block->k);
    printf("seconds         %.3f, and %.3f until durable\n", r->seconds, r->sync_seconds);
    printf("GFLOP/s         %.2f\n", 1e-9 * flops);
    printf("in core GFLOP/s %.2f\n", 1e-9 * r->in_core_flops);
    printf("ratio           %.3f\n", flops / r->in_core_flops);
    printf("read bytes      %" PRId64 "\n", r->read_bytes);
    printf("written bytes   %" PRId64 "\n", r->written_bytes);
    printf("memory bytes    %" PRId64 " for blocks, %" PRId64 " in all\n", job->memory_bytes * r->processes,
           r->memory_bytes);
}
