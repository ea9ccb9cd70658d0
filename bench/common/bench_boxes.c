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

enum outcome read_box(const struct peer *peer, void *array, const int64_t lo[], const int64_t count[], double *out)
{
    return peer->read ? peer->read(array, lo, count, out) : peer->move(array, false, lo, count, out);
}

/* A slab is as thick as a chunk along axis 0. */
static enum outcome read_fortran_by_slabs(const struct peer *peer, void *array, const struct layout *layout,
                                          double *out)
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

            outcome = read_box(peer, array, lo, count, stage);
            if (outcome != DONE)
                return outcome;
            transpose_slab(layout, lo, count, stage, out, false);
        }
    return DONE;
}

enum outcome read_for(const struct peer *peer, void *array, const struct layout *layout, enum access access,
                      const int64_t lo[], const int64_t count[], double *out)
{
    const int64_t slab = peer->by_slabs & ACCESS(access) ? layout->chunk[0] : count[0];
    int64_t at[MAX_NDIM], n[MAX_NDIM];
    enum outcome outcome = DONE;

    if (access == FORTRAN)
        return peer->read_fortran ? peer->read_fortran(array, layout, out)
                                  : read_fortran_by_slabs(peer, array, layout, out);
    for (int j = 0; j < layout->ndim; j++) {
        at[j] = lo[j];
        n[j] = count[j];
    }
    for (int64_t i = 0; i < count[0] && outcome == DONE; i += slab) {
        at[0] = lo[0] + i;
        n[0] = smaller(slab, count[0] - i);
        outcome = read_box(peer, array, at, n, out);
        out += box_elements(layout->ndim, n);
    }
    return outcome;
}

/* In memory a part in Fortran order is an array of three axes, whose second has one index. The parts of all ranks have
 * the same number of slabs. */
static enum outcome move_by_slabs(const struct peer *peer, void *array, bool writing, const struct part *part,
                                  double *elements)
{
    const int64_t rows = part->count[0], columns = part->count[1];
    const struct layout whole = { .ndim = 3, .extent = { rows, 1, columns } };
    double *slab = buffer(STAGE, (size_t)(smaller(SLAB_ROWS, rows) * columns) * sizeof *slab);
    enum outcome outcome = slab ? DONE : FAILED;

    for (int64_t i = 0; i < rows && outcome == DONE; i += SLAB_ROWS) {
        const int64_t n = smaller(SLAB_ROWS, rows - i), at[3] = { i, 0, 0 }, extents[3] = { n, 1, columns };
        const int64_t lo[2] = { part->lo[0] + i, part->lo[1] }, count[2] = { n, columns };

        if (writing)
            transpose_slab(&whole, at, extents, slab, elements, true);
        outcome = peer->move(array, writing, lo, count, slab);
        if (!writing)
            transpose_slab(&whole, at, extents, slab, elements, false);
    }
    return outcome;
}

enum outcome move_part(const struct peer *peer, void *array, bool writing, const struct part *part, double *elements)
{
    if (!part->fortran)
        return peer->move(array, writing, part->lo, part->count, elements);
    return peer->move_fortran ? peer->move_fortran(array, writing, part->lo, part->count, elements)
                              : move_by_slabs(peer, array, writing, part, elements);
}

static size_t cache_bytes(const struct layout *layout, enum access access)
{
    const size_t whole = (size_t)box_elements(layout->ndim, layout->extent) * sizeof(double);

    switch (access) {
    case PLANES:
    case ELEMENTS: /* no cache: straight from the file to the memory of the caller */
        return 1;
    case BOXES:
    case STRIPS: /* all chunks are needed again and again */
        return whole + (whole >> 4);
    case LARGE_BOXES: /* about half of the memory there is */
        return whole / 8;
    case GROWTH_ALL: /* chunks of 8 x 8 gather; large ones are quicker written at once */
        return layout->ndim == 2 ? (size_t)64 << 20 : 0;
    default:
        return 0;
    }
}

struct cache best_cache(const struct layout *layout, enum access access)
{
    const size_t bytes = cache_bytes(layout, access);
    const size_t fit = bytes / ((size_t)box_elements(layout->ndim, layout->chunk) * sizeof(double));

    return (struct cache){ bytes, fit < 10000 ? 100 * (fit + 1) + 1 : 1000003 };
}
