/* An array grows along both axes in turn, and no chunk ever moves.
 *
 * A chunk is one element here, so the address of a chunk is that of an element. The growth is the second
 * example in section 6.5 of spec/drx-format.md. */
#include <drx.h>
#include <drx_tools.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX = 32 };

static void check(drx_status st)
{
    if (st) {
        fprintf(stderr, "grow_all_axes: %s\n", drx_last_error());
        exit(1);
    }
}

static int64_t address_of(const drx_array *a, int64_t row, int64_t column)
{
    int64_t address;

    check(drx_chunk_address(a, (int64_t[]){ row, column }, &address));
    return address;
}

int main(void)
{
    static const int axes[] = { 1, 0, 0, 1, 0, 1, 0 };
    const drx_spec spec = {
        .ndim = 2,
        .type = DRX_INT32,
        .shape = (int64_t[]){ 1, 1 },
        .chunk = (int64_t[]){ 1, 1 },
        .flags = DRX_REPLACE,
    };
    int64_t before[MAX][MAX];
    int64_t rows, columns;
    drx_array *a;

    check(drx_create("grid", &spec, &a));
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
        rows = drx_shape(a)[0];
        columns = drx_shape(a)[1];
        for (int64_t r = 0; r < rows; r++)
            for (int64_t c = 0; c < columns; c++)
                before[r][c] = address_of(a, r, c);
        check(drx_extend(a, axes[i], 1));
        for (int64_t r = 0; r < rows; r++)
            for (int64_t c = 0; c < columns; c++)
                if (address_of(a, r, c) != before[r][c])
                    return 1;
    }

    for (int64_t r = 0; r < drx_shape(a)[0]; r++) {
        for (int64_t c = 0; c < drx_shape(a)[1]; c++)
            printf("%4" PRId64, address_of(a, r, c));
        printf("\n");
    }
    if (drx_chunk_count(a) != 20 || address_of(a, 4, 2) != 18)
        return 1;
    check(drx_close(a));
    return 0;
}
