#include "bench.h"

enum { BLOCK = 16, SLAB_ROWS = 512 };

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void transpose_slab(const struct layout *layout, const int64_t lo[], const int64_t count[], double *slab, double *whole,
                    bool back)
{
    const int64_t row = count[2], plane = count[1] * row;
    const int64_t next_j = layout->extent[0], next_k = next_j * layout->extent[1];

    for (int64_t j = 0; j < count[1]; j++)
        for (int64_t i0 = 0; i0 < count[0]; i0 += BLOCK)
            for (int64_t k0 = 0; k0 < count[2]; k0 += BLOCK) {
                const int64_t i1 = smaller(i0 + BLOCK, count[0]), k1 = smaller(k0 + BLOCK, count[2]);
                double *rows = slab + j * row, *place = whole + lo[0] + (lo[1] + j) * next_j + lo[2] * next_k;

                if (back)
                    for (int64_t i = i0; i < i1; i++)
                        for (int64_t k = k0; k < k1; k++)
                            rows[i * plane + k] = place[i + k * next_k];
                else
                    for (int64_t k = k0; k < k1; k++)
                        for (int64_t i = i0; i < i1; i++)
                            place[i + k * next_k] = rows[i * plane + k];
            }
}

/* A slab is as thick as a chunk along axis 0. */
enum outcome read_fortran_by_slabs(const struct peer *peer, void *array, const struct layout *layout, double *out)
{
    const int64_t *n = layout->extent, thick = layout->chunk[0];
    const int64_t rows = peer->slab_rows ? peer->slab_rows : n[1];
    double *stage = buffer(STAGE, (size_t)(thick * rows * n[2]) * sizeof *stage);
    enum outcome outcome;

    if (!stage)
        return FAILED;
    for (int64_t i = 0; i < n[0]; i += thick)
        for (int64_t j = 0; j < n[1]; j += rows) {
            const int64_t lo[3] = { i, j, 0 }, count[3] = { smaller(thick, n[0] - i), smaller(rows, n[1] - j), n[2] };

            outcome = peer->read(array, lo, count, stage);
            if (outcome != DONE)
                return outcome;
            transpose_slab(layout, lo, count, stage, out, false);
        }
    return DONE;
}

/* The parts of all ranks have the same number of slabs. In memory a part is an array of three axes, whose second has
 * one index. */
enum outcome move_by_slabs(move_rows *move, void *array, bool writing, const struct part *part, double *elements)
{
    const int64_t rows = part->count[0], columns = part->count[1];
    const struct layout whole = { .ndim = 3, .extent = { rows, 1, columns } };
    double *slab;

    if (!part->fortran)
        return move(array, writing, part->lo, part->count, elements);
    slab = buffer(STAGE, (size_t)(smaller(SLAB_ROWS, rows) * columns) * sizeof *slab);
    if (!slab)
        return FAILED;
    for (int64_t i = 0; i < rows; i += SLAB_ROWS) {
        const int64_t n = smaller(SLAB_ROWS, rows - i), at[3] = { i, 0, 0 }, extents[3] = { n, 1, columns };

        if (writing)
            transpose_slab(&whole, at, extents, slab, elements, true);
        if (move(array, writing, (int64_t[2]){ part->lo[0] + i, part->lo[1] }, (int64_t[2]){ n, columns }, slab) !=
            DONE)
            return FAILED;
        if (!writing)
            transpose_slab(&whole, at, extents, slab, elements, false);
    }
    return DONE;
}
