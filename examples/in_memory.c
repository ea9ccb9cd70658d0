/* A growing array in memory. The calls are the same as for files, and growth copies no elements.
 *
 * It collects the distances between points that come one by one. With each point the matrix grows by a
 * row and a column. */
#include <drx.h>
#include <drx_tools.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 100 };

static void check(drx_status st)
{
    if (st) {
        fprintf(stderr, "in_memory: %s\n", drx_last_error());
        exit(1);
    }
}

static double distance(int i, int j)
{
    return hypot(cos(i) - cos(j), sin(i) - sin(j));
}

int main(void)
{
    const drx_spec spec = {
        .ndim = 2,
        .type = DRX_FLOAT64,
        .shape = (int64_t[]){ 0, 0 },
        .chunk = (int64_t[]){ 16, 16 },
    };
    double line[POINTS], value;
    drx_array *a;

    check(drx_create(NULL, &spec, &a));
    for (int n = 0; n < POINTS; n++) { /* the matrix is n x n */
        for (int i = 0; i <= n; i++)
            line[i] = distance(n, i);
        check(drx_append(a, 0, 1, DRX_ROW_MAJOR, line)); /* a row of n */
        check(drx_append(a, 1, 1, DRX_ROW_MAJOR, line)); /* a column of n + 1 */
    }

    if (drx_shape(a)[0] != POINTS || drx_shape(a)[1] != POINTS)
        return 1;
    for (int64_t i = 0; i < POINTS; i++)
        for (int64_t j = 0; j < POINTS; j++) {
            check(drx_get(a, (int64_t[]){ i, j }, &value));
            if (value != distance((int)(i > j ? i : j), (int)(i > j ? j : i)))
                return 1;
        }
    printf("%d x %d distances in %d chunks\n", POINTS, POINTS, (int)drx_chunk_count(a));
    check(drx_close(a)); /* and the array is gone */
    return 0;
}
