/* How large blocks are, and in which order they are worked on.
 *
 * A block of C stays in memory until it is complete, while panels of A and B stream past. Each row of blocks of C
 * reads all of B, and each column of blocks all of A. So blocks are as large as memory allows, and nearly square.
 * Panels are thin, because thicker ones save no reading. */
#include "product.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

enum { DEPTH = 512 }; /* of a panel: enough for BLAS to be fast */

static int64_t round_up(int64_t n, int64_t chunk)
{
    return ooc_ceil(n, chunk) * chunk;
}

/* Thin, but no thinner than a chunk. */
static int64_t choose_depth(const struct product_job *job, int64_t doubles)
{
    const int64_t depth = ooc_min(ooc_min(DEPTH, (int64_t)sqrt((double)doubles) / 8), job->k);

    return ooc_max(depth / job->chunk, 1) * job->chunk;
}

/* The widest block of m rows that fits in memory; all blocks of a row get about the same width. 0: none fits. */
static int64_t choose_width(const struct product_job *job, int64_t doubles, int64_t m, int64_t k, int processes)
{
    const int64_t most = (doubles - 2 * m * k) / (m + 2 * k) / job->chunk * job->chunk;

    if (doubles < 2 * m * k || most == 0)
        return 0;
    return round_up(ooc_ceil(job->n, ooc_ceil(job->n, most * processes) * processes), job->chunk);
}

struct product_blocks product_choose(const struct product_job *job, const int grid[2])
{
    const int64_t doubles = job->memory_bytes / (int64_t)sizeof(double), k = choose_depth(job, doubles);
    struct product_blocks best = { 0, 0, k };
    double least = INFINITY;

    for (int64_t high = 1, m = INT64_MAX; m > job->chunk; high++) { /* this many rows of blocks */
        m = round_up(ooc_ceil(job->m, high * grid[0]), job->chunk);
        const int64_t n = choose_width(job, doubles, m, k, grid[1]);
        const double read = n == 0 ? INFINITY
                                   : (double)ooc_ceil(job->n, n * grid[1]) * (double)job->m +
                                         (double)ooc_ceil(job->m, m * grid[0]) * (double)job->n; /* times job->k */

        if (read < least) {
            least = read;
            best.m = m;
            best.n = n;
        }
    }
    if (least == INFINITY)
        ooc_fail("%" PRId64 " bytes of memory are too few: chunks of %" PRId64 " x %" PRId64 " need %" PRId64,
                 job->memory_bytes, job->chunk, job->chunk, 5 * job->chunk * job->chunk * (int64_t)sizeof(double));
    assert(best.m * best.n + 2 * k * (best.m + best.n) <= doubles);
    return best;
}

int64_t product_steps(const struct product_job *job, const struct product_blocks *block, const int grid[2])
{
    return ooc_ceil(job->m, block->m * grid[0]) * ooc_ceil(job->n, block->n * grid[1]) * ooc_ceil(job->k, block->k);
}

/* Panel after panel, then the next block to the right. */
struct product_step product_step(const struct product_job *job, const struct product_blocks *block, const int grid[2],
                                 const int place[2], int64_t s)
{
    const int64_t panels = ooc_ceil(job->k, block->k), wide = ooc_ceil(job->n, block->n * grid[1]);
    const int64_t down = s / panels / wide * grid[0] + place[0], right = s / panels % wide * grid[1] + place[1];
    struct product_step step;

    step.row = ooc_min(down * block->m, job->m);
    step.rows = ooc_min(block->m, job->m - step.row);
    step.column = ooc_min(right * block->n, job->n);
    step.columns = ooc_min(block->n, job->n - step.column);
    step.depth = s % panels * block->k;
    step.terms = ooc_min(block->k, job->k - step.depth);
    return step;
}
