/* Act 3: the grown array against the original as `drx import` brings it in at once, in both orders. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo.h"

/* Read the grown array with its latitudes turned: the stride in memory is negative there. */
static void read_turned(drx_array *a, drx_order order, float *buf)
{
    static const int64_t lo[3], count[3] = { MONTHS, LATS, LONS };
    const int64_t c_stride[3] = { LATS * LONS, -LONS, 1 }, f_stride[3] = { 1, -MONTHS, MONTHS * LATS };
    const int64_t *stride = order == DRX_ROW_MAJOR ? c_stride : f_stride;

    check(drx_read_box(a, &(drx_box){ .lo = lo, .count = count, .stride = stride }, buf - (LATS - 1) * stride[1]),
          "read the grown array");
}

void compare(const char *grown, const char *imported)
{
    static const int64_t origin[3], whole[3] = { MONTHS, LATS, LONS };
    const int64_t n = whole[0] * whole[1] * whole[2];
    float *mine = allocate(n, sizeof *mine), *other = allocate(n, sizeof *other);
    drx_array *a, *b;

    check(drx_open(grown, DRX_RDONLY, &a), "open the grown array");
    check(drx_open(imported, DRX_RDONLY, &b), "open the imported array");
    if (memcmp(drx_shape(a), whole, sizeof whole) != 0 || memcmp(drx_shape(b), whole, sizeof whole) != 0)
        fail("%s and %s do not have the shape of the original", grown, imported);
    for (drx_order order = DRX_ROW_MAJOR; order <= DRX_COL_MAJOR; order++) {
        read_turned(a, order, mine);
        check(drx_read(b, origin, whole, order, other), "read the imported array");
        if (memcmp(mine, other, (size_t)n * sizeof *mine) != 0)
            fail("%s and %s differ in %s order", grown, imported, order == DRX_ROW_MAJOR ? "C" : "Fortran");
    }
    printf("%s and %s hold the same %s values, in C order and in Fortran order.\n"
           "(In the original the south comes first; the grown array was read with its latitudes turned.)\n",
           grown, imported, grouped(n).s);
    check(drx_close(a), "close");
    check(drx_close(b), "close");
    free(mine);
    free(other);
}
