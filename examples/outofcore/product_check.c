/* Checks a product made out of core: its speed and its values against a product in core. */
#include "product.h"

#include <cblas.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const int64_t in_core_most = 64 << 20; /* bytes of matrices that are multiplied in core to check */
static const int64_t stripe_bytes = 16 << 20; /* read at a time by the other check */

static void fill(double *x, int64_t n, int64_t seed)
{
    for (int64_t i = 0; i < n; i++)
        x[i] = ooc_value(seed, 0, i);
}

double product_in_core(const struct product_job *job, double *memory, double *operations)
{
    const int64_t fits = (int64_t)sqrt((double)job->memory_bytes / sizeof *memory / 3), n = ooc_min(fits, 4096);
    double *a = memory, *b = a + n * n, *c = b + n * n;
    double start;

    fill(memory, 3 * n * n, 3);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)ooc_min(n, 512), (int)n, (int)n, 1, a, (int)n, b,
                (int)n, 0, c, (int)n); /* the first call starts threads */
    start = ooc_seconds();
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)n, (int)n, 1, a, (int)n, b, (int)n, 0, c,
                (int)n);
    *operations = 2.0 * (double)n * (double)n * (double)n;
    return ooc_seconds() - start;
}

/* Whether x and y, sums of `terms` terms, differ only by rounding. Errors of terms add up like a random walk whose
 * steps are in proportion to the sum, whose size is the root of the mean square. */
static int agree(const char *how, const double *x, const double *y, int64_t n, int64_t terms)
{
    double worst = 0, squares = 0, allowed;

    for (int64_t i = 0; i < n; i++) {
        const double difference = fabs(x[i] - y[i]);

        worst = difference > worst || isnan(difference) ? difference : worst;
        squares += y[i] * y[i];
        if (isnan(worst))
            break;
    }
    allowed = 64 * DBL_EPSILON * sqrt((double)terms) * sqrt(squares / (double)n);
    printf("check           %s: differs by %.3g at most, rounding may by %.3g\n", how, worst, allowed);
    return worst <= allowed && squares > 0;
}

static double *read_whole(drx_array *a)
{
    double *values = ooc_allocate(drx_shape(a)[0] * drx_shape(a)[1] * (int64_t)sizeof *values);

    ooc_check(drx_read(a, (int64_t[]){ 0, 0 }, drx_shape(a), DRX_ROW_MAJOR, values));
    return values;
}

static int check_in_core(const struct product_job *job, drx_array *a, drx_array *b, drx_array *c)
{
    double *x = read_whole(a), *y = read_whole(b), *z = read_whole(c);
    double *expected = ooc_allocate(job->m * job->n * (int64_t)sizeof *expected);
    int right;

    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)job->m, (int)job->n, (int)job->k, 1, x, (int)job->k, y,
                (int)job->n, 0, expected, (int)job->n);
    right = agree("in core", z, expected, job->m * job->n, job->k);
    free(x);
    free(y);
    free(z);
    free(expected);
    return right;
}

/* The matrix times x, stripe by stripe; the caller frees it. */
static double *times_vector(drx_array *a, const double *x)
{
    const int64_t rows = drx_shape(a)[0], columns = drx_shape(a)[1];
    const int64_t most = ooc_max(stripe_bytes / (int64_t)sizeof *x / columns, 1);
    double *stripe = ooc_allocate(ooc_min(most, rows) * columns * (int64_t)sizeof *stripe);
    double *result = ooc_allocate(rows * (int64_t)sizeof *result);

    for (int64_t row = 0; row < rows; row += most) {
        const int64_t n = ooc_min(most, rows - row);

        ooc_check(drx_read(a, (int64_t[]){ row, 0 }, (int64_t[]){ n, columns }, DRX_ROW_MAJOR, stripe));
        cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)n, (int)columns, 1, stripe, (int)columns, x, 1, 0, result + row,
                    1);
    }
    free(stripe);
    return result;
}

/* Freivalds 1979: C x = A (B x) for a random x of 1 and -1. If one element of a row of C is wrong, every x shows it; if
 * several are, at least half of all x do. */
static int check_random(const struct product_job *job, drx_array *a, drx_array *b, drx_array *c)
{
    double *x = ooc_allocate(job->n * (int64_t)sizeof *x), *bx, *abx, *cx;
    int right;

    for (int64_t j = 0; j < job->n; j++)
        x[j] = ooc_value(4, 0, j) < 0 ? -1 : 1;
    bx = times_vector(b, x);
    abx = times_vector(a, bx);
    cx = times_vector(c, x);
    right = agree("Freivalds", cx, abx, job->m, ooc_max(job->n, job->k));
    free(x);
    free(bx);
    free(abx);
    free(cx);
    return right;
}

int product_is_right(const struct product_job *job, drx_array *a, drx_array *b, drx_array *c)
{
    const double elements =
        (double)job->m * (double)job->k + (double)job->k * (double)job->n + 2 * (double)job->m * (double)job->n;

    return check_random(job, a, b, c) &&
           (elements * sizeof(double) > (double)in_core_most || check_in_core(job, a, b, c));
}
