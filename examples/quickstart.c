/* Make an array, append to it, and read it in the other order. */
#include <drx.h>
#include <stdio.h>
#include <stdlib.h>

static void check(drx_status st)
{
    if (st) {
        fprintf(stderr, "quickstart: %s\n", drx_last_error());
        exit(1);
    }
}

int main(void)
{
    /* No rows yet, 3 columns; the files are table.xmd and table.xta. */
    const drx_spec spec = { .ndim = 2, .type = DRX_FLOAT64, .shape = (int64_t[]){ 0, 3 }, .flags = DRX_REPLACE };
    const double rows[] = { 1, 2, 3, 4, 5, 6 }, column[] = { 10, 20 };
    double turned[8];
    drx_array *a;

    check(drx_create("table", &spec, &a));
    check(drx_append(a, 0, 2, DRX_ROW_MAJOR, rows));   /* two rows: now 2 x 3 */
    check(drx_append(a, 1, 1, DRX_ROW_MAJOR, column)); /* a column: now 2 x 4, and nothing moved */
    check(drx_close(a));

    check(drx_open("table", DRX_RDONLY, &a));
    check(drx_read(a, (int64_t[]){ 0, 0 }, drx_shape(a), DRX_COL_MAJOR, turned));
    check(drx_close(a));

    for (int i = 0; i < 8; i++)
        printf("%g ", turned[i]); /* 1 4 2 5 3 6 10 20 */
    printf("\n");
    return turned[0] == 1 && turned[1] == 4 && turned[6] == 10 && turned[7] == 20 ? 0 : 1;
}
