/* With F = W x W', where W and W' are the matrices of the transforms of columns and rows, s' F r = (W s)' x (W' r) for
 * all vectors s and r. As in Freivalds' check of a product, a random s and r show a wrong element anywhere in F, with
 * one read of both arrays and two short transforms. */
#include "spectrum.h"

#include <complex.h>
#include <fftw3.h>
#include <float.h>
#include <math.h>
#include <stdio.h>

static const int64_t in_core_most = 64 << 20; /* bytes of a transform that is done again in core */
static const int64_t stripe_bytes = 16 << 20; /* read at a time by the other check */

struct sums {
    double complex weighted; /* of left[i] * a[i][j] * right[j] */
    double energy;           /* of |a[i][j]|^2 */
};

static double complex *allocate(int64_t n)
{
    double complex *memory = fftw_malloc((size_t)n * sizeof *memory);

    if (!memory)
        ooc_fail("no memory for %lld complex numbers", (long long)n);
    return memory;
}

static void add_row(struct sums *sums, double complex left, const double complex *row, const double complex *right,
                    int64_t n)
{
    double complex weighted = 0;
    double energy = 0;

    for (int64_t j = 0; j < n; j++) {
        weighted += row[j] * right[j];
        energy += creal(row[j]) * creal(row[j]) + cimag(row[j]) * cimag(row[j]);
    }
    sums->weighted += left * weighted;
    sums->energy += energy;
}

static struct sums sum(drx_array *a, const double complex *left, const double complex *right)
{
    const int64_t rows = drx_shape(a)[0], columns = drx_shape(a)[1];
    const int64_t most = ooc_max(stripe_bytes / (int64_t)sizeof *left / columns, 1);
    double complex *stripe = allocate(ooc_min(most, rows) * columns);
    struct sums sums = { 0, 0 };

    for (int64_t row = 0; row < rows; row += most) {
        const int64_t n = ooc_min(most, rows - row);

        ooc_check(drx_read(a, (int64_t[]){ row, 0 }, (int64_t[]){ n, columns }, DRX_ROW_MAJOR, stripe));
        for (int64_t i = 0; i < n; i++)
            add_row(&sums, left[row + i], stripe + i * columns, right, columns);
    }
    fftw_free(stripe);
    return sums;
}

static double complex *random_signs(int64_t n, int64_t seed)
{
    double complex *signs = allocate(n);

    for (int64_t i = 0; i < n; i++)
        signs[i] = ooc_value(seed, 0, i) < 0 ? -1 : 1;
    return signs;
}

static double complex *transform(double complex *x, int64_t n)
{
    double complex *result = allocate(n);
    fftw_plan plan = fftw_plan_dft_1d((int)n, x, result, FFTW_FORWARD, FFTW_ESTIMATE);

    fftw_execute(plan);
    fftw_destroy_plan(plan);
    return result;
}

static int check_random(drx_array *x, drx_array *f, int transposed)
{
    const int64_t rows = drx_shape(x)[0], columns = drx_shape(x)[1];
    double complex *s = random_signs(rows, 7), *r = random_signs(columns, 8);
    double complex *ws = transform(s, rows), *wr = transform(r, columns);
    const struct sums of_x = sum(x, ws, wr), of_f = transposed ? sum(f, r, s) : sum(f, s, r);
    const double energy = of_x.energy * (double)rows * (double)columns;       /* of F, by Parseval's theorem */
    const double allowed = 64 * DBL_EPSILON * sqrt((double)(rows + columns)); /* rounding, as a random walk */
    const double difference = cabs(of_x.weighted - of_f.weighted) / sqrt(energy);

    fftw_free(s);
    fftw_free(r);
    fftw_free(ws);
    fftw_free(wr);
    printf("check           random sums differ by %.3g, energy by %.3g, rounding may by %.3g\n", difference,
           fabs(of_f.energy / energy - 1), allowed);
    return energy > 0 && difference <= allowed && fabs(of_f.energy / energy - 1) <= allowed;
}

static double complex *read_whole(drx_array *a)
{
    double complex *values = allocate(drx_shape(a)[0] * drx_shape(a)[1]);

    ooc_check(drx_read(a, (int64_t[]){ 0, 0 }, drx_shape(a), DRX_ROW_MAJOR, values));
    return values;
}

static int check_in_core(drx_array *x, drx_array *f, int transposed)
{
    const int64_t rows = drx_shape(x)[0], columns = drx_shape(x)[1];
    double complex *expected = read_whole(x), *values = read_whole(f);
    fftw_plan plan =
        fftw_plan_dft_2d((int)rows, (int)columns, expected, expected, FFTW_FORWARD, FFTW_ESTIMATE); /* keeps values */
    double worst = 0, energy = 0, allowed;

    fftw_execute(plan);
    for (int64_t u = 0; u < rows; u++)
        for (int64_t v = 0; v < columns; v++) {
            const double complex e = expected[u * columns + v],
                                 is = values[transposed ? v * rows + u : u * columns + v];

            worst = cabs(e - is) <= worst ? worst : cabs(e - is); /* NaN is kept, once it is there */
            energy += creal(e) * creal(e) + cimag(e) * cimag(e);
            if (isnan(worst))
                u = rows - 1, v = columns - 1;
        }
    allowed = 64 * DBL_EPSILON * sqrt(energy / (double)rows / (double)columns);
    fftw_destroy_plan(plan);
    fftw_free(expected);
    fftw_free(values);
    printf("check           in core: differs by %.3g at most, rounding may by %.3g\n", worst, allowed);
    return energy > 0 && worst <= allowed;
}

int spectrum_is_right(drx_array *x, drx_array *f, int transposed)
{
    const double bytes = (double)drx_shape(x)[0] * (double)drx_shape(x)[1] * 16;

    return check_random(x, f, transposed) && (bytes > (double)in_core_most || check_in_core(x, f, transposed));
}
