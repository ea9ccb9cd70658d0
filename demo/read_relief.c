/* Act 4: a larger array, read whole in both orders, against the original. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo.h"

static void read_in(drx_array *a, drx_order order, const float *original, float *buf)
{
    static const int64_t origin[2];
    const int64_t *shape = drx_shape(a);
    int64_t equal = 0;
    double us = now_us();

    check(drx_read(a, origin, shape, order, buf), "read the relief");
    us = now_us() - us;
    for (int64_t y = 0; y < shape[0]; y++)
        for (int64_t x = 0; x < shape[1]; x++) {
            const int64_t at = order == DRX_ROW_MAJOR ? y * shape[1] + x : x * shape[0] + y;

            equal += memcmp(&buf[at], &original[y * shape[1] + x], sizeof *buf) == 0;
        }
    show_reading(order == DRX_ROW_MAJOR ? "all, in C order: along the parallels"
                                        : "all, in Fortran order: along the meridians",
                 equal, shape[0] * shape[1], us);
}

void read_relief(const char *original, const char *path)
{
    float *expected, *buf;
    drx_array *a;

    check(drx_open(path, DRX_RDONLY, &a), "open the relief");
    if (drx_ndim(a) != 2 || drx_dtype(a) != DRX_FLOAT32)
        fail("%s is not the relief of the Earth; import it from ROSE of etopo5.cdf", path);
    expected = load_relief(original, drx_shape(a));
    buf = allocate(drx_shape(a)[0] * drx_shape(a)[1], sizeof *buf);
    show_reading_head();
    for (drx_order order = DRX_ROW_MAJOR; order <= DRX_COL_MAJOR; order++)
        read_in(a, order, expected, buf);
    check(drx_close(a), "close");
    free(expected);
    free(buf);
}
