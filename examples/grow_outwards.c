/* An array grows from the middle outwards, at both ends of both axes, and no chunk ever moves.
 *
 * A chunk is one element here, so the address of a chunk is that of an element. An element keeps its index, too: the
 * first one stays 0,0 while the array grows around it. */
#include <drx.h>
#include <drx_tools.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { TURNS = 3, MOST = 2 * TURNS + 1 };

static void check(drx_status st)
{
    if (st) {
        fprintf(stderr, "grow_outwards: %s\n", drx_last_error());
        exit(1);
    }
}

static int64_t address_of(const drx_array *a, int64_t row, int64_t column)
{
    int64_t address;

    check(drx_chunk_address(a, (int64_t[]){ row, column }, &address));
    return address;
}

/* Does each element have the address that it had? Notes those of new ones. */
static int same_addresses(const drx_array *a, int64_t known[MOST][MOST])
{
    const int64_t *lower = drx_lower(a), *shape = drx_shape(a);

    for (int64_t r = lower[0]; r < lower[0] + shape[0]; r++)
        for (int64_t c = lower[1]; c < lower[1] + shape[1]; c++) {
            int64_t *address = &known[r + TURNS][c + TURNS];

            if (*address >= 0 && *address != address_of(a, r, c))
                return 0;
            *address = address_of(a, r, c);
        }
    return 1;
}

int main(void)
{
    const drx_spec spec = {
        .ndim = 2,
        .type = DRX_INT32,
        .shape = (int64_t[]){ 1, 1 },
        .chunk = (int64_t[]){ 1, 1 },
        .flags = DRX_REPLACE,
    };
    int64_t known[MOST][MOST];
    drx_array *a;

    for (int r = 0; r < MOST; r++)
        for (int c = 0; c < MOST; c++)
            known[r][c] = -1;
    check(drx_create("outwards", &spec, &a));
    for (int turn = 0; turn < TURNS; turn++)
        for (int side = 0; side < 4; side++) {
            check(side < 2 ? drx_extend_before(a, side % 2, 1) : drx_extend(a, side % 2, 1));
            if (!same_addresses(a, known))
                return 1;
        }

    printf("rows %" PRId64 " to %" PRId64 ", columns %" PRId64 " to %" PRId64 "\n", drx_lower(a)[0],
           drx_lower(a)[0] + drx_shape(a)[0] - 1, drx_lower(a)[1], drx_lower(a)[1] + drx_shape(a)[1] - 1);
    for (int64_t r = -TURNS; r <= TURNS; r++) {
        for (int64_t c = -TURNS; c <= TURNS; c++)
            printf("%4" PRId64, address_of(a, r, c));
        printf("\n");
    }
    if (drx_chunk_count(a) != MOST * MOST || address_of(a, 0, 0) != 0)
        return 1;
    check(drx_close(a));
    return 0;
}
