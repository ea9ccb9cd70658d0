/* Fortran order for libraries that have only C order. */
#include "../common/bench.h"

enum { BLOCK = 16 };

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void transpose_slab(const struct layout *layout, const int64_t lo[], const int64_t count[], const double *slab,
                    double *out)
{
    const int64_t row = count[2], plane = count[1] * row;
    const int64_t next_j = layout->extent[0], next_k = next_j * layout->extent[1];

    for (int64_t j = 0; j < count[1]; j++)
        for (int64_t i0 = 0; i0 < count[0]; i0 += BLOCK)
            for (int64_t k0 = 0; k0 < count[2]; k0 += BLOCK) {
                const int64_t i1 = smaller(i0 + BLOCK, count[0]), k1 = smaller(k0 + BLOCK, count[2]);
                const double *from = slab + j * row;
                double *to = out + lo[0] + (lo[1] + j) * next_j + lo[2] * next_k;

                for (int64_t k = k0; k < k1; k++)
                    for (int64_t i = i0; i < i1; i++)
                        to[i + k * next_k] = from[i * plane + k];
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
            transpose_slab(layout, lo, count, stage, out);
        }
    return DONE;
}
