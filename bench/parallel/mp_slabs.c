/* Fortran order for libraries that have only C order. */
#include "bench_mp.h"

enum { SLAB_ROWS = 512, BLOCK = 16 };

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Copy between a slab in C order and its place in a part in Fortran order, which has `rows` rows. */
static void transpose(bool to_slab, const int64_t count[2], double *slab, double *place, int64_t rows)
{
    for (int64_t i0 = 0; i0 < count[0]; i0 += BLOCK)
        for (int64_t j0 = 0; j0 < count[1]; j0 += BLOCK) {
            const int64_t i1 = smaller(i0 + BLOCK, count[0]), j1 = smaller(j0 + BLOCK, count[1]);

            if (to_slab)
                for (int64_t i = i0; i < i1; i++)
                    for (int64_t j = j0; j < j1; j++)
                        slab[i * count[1] + j] = place[i + j * rows];
            else
                for (int64_t j = j0; j < j1; j++)
                    for (int64_t i = i0; i < i1; i++)
                        place[i + j * rows] = slab[i * count[1] + j];
        }
}

/* The parts of all ranks have the same number of slabs. */
enum outcome move_by_slabs(move_rows *move, void *array, bool writing, const struct part *part, double *elements)
{
    const int64_t rows = part->count[0], columns = part->count[1];
    double *slab;

    if (!part->fortran)
        return move(array, writing, part->lo, part->count, elements);
    slab = buffer(STAGE, (size_t)(smaller(SLAB_ROWS, rows) * columns) * sizeof *slab);
    if (!slab)
        return FAILED;
    for (int64_t i = 0; i < rows; i += SLAB_ROWS) {
        const int64_t lo[2] = { part->lo[0] + i, part->lo[1] }, count[2] = { smaller(SLAB_ROWS, rows - i), columns };

        if (writing)
            transpose(true, count, slab, elements + i, rows);
        if (move(array, writing, lo, count, slab) != DONE)
            return FAILED;
        if (!writing)
            transpose(false, count, slab, elements + i, rows);
    }
    return DONE;
}
