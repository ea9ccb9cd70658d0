/* One array, many orders. The program writes in C order, and reads in Fortran order, upside down and thinned out.
 *
 * Each call chooses its order in memory. The file need not be in that order, and no extra copy turns it. */
#include <drx.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 60, COLUMNS = 40 };

static void check(drx_status st)
{
    if (st) {
        fprintf(stderr, "fortran_order: %s\n", drx_last_error());
        exit(1);
    }
}

int main(void)
{
    static float c_order[ROWS][COLUMNS], fortran_order[COLUMNS][ROWS], upside_down[ROWS][COLUMNS];
    static float thin[ROWS / 5][COLUMNS / 4];
    const int64_t origin[2] = { 0, 0 }, whole[2] = { ROWS, COLUMNS };
    const drx_spec spec = { .ndim = 2, .type = DRX_FLOAT32, .shape = whole, .flags = DRX_REPLACE };
    drx_array *a;

    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            c_order[r][c] = (float)(100 * r + c);
    check(drx_create("matrix", &spec, &a));
    check(drx_write(a, origin, whole, DRX_ROW_MAJOR, c_order));

    /* As in a Fortran program: the first index varies fastest. */
    check(drx_read(a, origin, whole, DRX_COL_MAJOR, fortran_order));

    /* The last row first: each row is COLUMNS elements before the last. The pointer says where the
     * element at `origin` goes. */
    check(drx_read_box(a, &(drx_box){ .lo = origin, .count = whole, .stride = (int64_t[]){ -COLUMNS, 1 } },
                       upside_down[ROWS - 1]));

    /* Every fifth row and fourth column. */
    check(drx_read_box(a,
                       &(drx_box){ .lo = origin,
                                   .count = (int64_t[]){ ROWS / 5, COLUMNS / 4 },
                                   .step = (int64_t[]){ 5, 4 },
                                   .stride = (int64_t[]){ COLUMNS / 4, 1 } },
                       thin));
    check(drx_close(a));

    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            if (fortran_order[c][r] != c_order[r][c] || upside_down[ROWS - 1 - r][c] != c_order[r][c])
                return 1;
    for (int r = 0; r < ROWS / 5; r++)
        for (int c = 0; c < COLUMNS / 4; c++)
            if (thin[r][c] != c_order[5 * r][4 * c])
                return 1;
    printf("in C order        %g %g %g ...\n", c_order[0][0], c_order[0][1], c_order[0][2]);
    printf("in Fortran order  %g %g %g ...\n", fortran_order[0][0], fortran_order[0][1], fortran_order[0][2]);
    printf("upside down       %g %g %g ...\n", upside_down[0][0], upside_down[0][1], upside_down[0][2]);
    printf("thinned out       %g %g %g ...\n", thin[0][0], thin[0][1], thin[0][2]);
    return 0;
}
