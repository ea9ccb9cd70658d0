/* The work on a block of C, stripe by stripe. */
#include "product.h"

#include <cblas.h>

void product_add(const struct product_job *job, const struct product_blocks *block, const struct product_step *at,
                 const double *a, const double *b, struct product_sum *sum)
{
    const int64_t height = ooc_ceil(ooc_ceil(block->m, job->chunk), PRODUCT_STRIPES) * job->chunk; /* whole chunks */

    for (int i = 0; i < PRODUCT_STRIPES && at->columns > 0; i++) {
        const int64_t top = i * height, rows = ooc_min(height, at->rows - top);
        double *c = sum->block + top * block->n; /* the place is the same for narrower blocks, too */

        if (rows <= 0)
            return;
        ooc_finish(&sum->writing[i]);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)at->columns, (int)at->terms, 1,
                    a + top * at->terms, (int)at->terms, b, (int)at->columns, at->depth ? 1 : 0, c, (int)at->columns);
        if (at->depth + at->terms == job->k) {
            const int64_t lo[2] = { at->row + top, at->column }, count[2] = { rows, at->columns };

            ooc_check(drx_write_async(sum->c, &(drx_box){ .lo = lo, .count = count }, c, &sum->writing[i]));
        }
    }
}

void product_finish(struct product_sum *sum)
{
    for (int i = 0; i < PRODUCT_STRIPES; i++)
        ooc_finish(&sum->writing[i]);
}
