/* Requests of arrays that are read from the disk. */
#include <stdlib.h>
#include <string.h>

#include "bench_disk.h"

enum { INDEX_SEED = 5 << 26, BOX_SEED = 6 << 26 };

static int64_t random_below(uint64_t seed, int64_t which, int axis, int64_t end)
{
    return (int64_t)(mix(seed + 3 * (uint64_t)which + (uint64_t)axis) % (uint64_t)end);
}

void request_box(const struct requests *r, const struct layout *layout, int64_t which, int64_t lo[], int64_t count[])
{
    for (int j = 0; j < layout->ndim; j++) {
        const int64_t extent = layout->extent[j];

        lo[j] = 0;
        count[j] = extent;
        switch (r->access) {
        case ELEMENTS:
            count[j] = 1;
            lo[j] = random_below(INDEX_SEED, which, j, extent);
            break;
        case BOXES:
        case LARGE_BOXES:
            count[j] = r->edge;
            lo[j] = random_below(BOX_SEED, which, j, extent - r->edge + 1);
            break;
        case PLANES:
        case LAST_PLANES:
            if (j == r->axis) {
                count[j] = 1;
                lo[j] = which * extent / r->count;
            }
            break;
        case SLABS:
            if (j == r->axis) {
                count[j] = r->edge;
                lo[j] = which * r->edge;
            }
            break;
        default:
            break;
        }
    }
}

int64_t request_count(const struct requests *r, const struct layout *layout)
{
    if (r->access == SLABS)
        return layout->extent[r->axis] / r->edge;
    return r->count ? r->count : 1;
}

int64_t requested_elements(const struct requests *r, const struct layout *layout)
{
    int64_t lo[MAX_NDIM], count[MAX_NDIM];

    request_box(r, layout, 0, lo, count);
    return request_count(r, layout) * box_elements(layout->ndim, count);
}

/* ---- elements --------------------------------------------------------------- */

struct place {
    const int64_t *index;
    int64_t which;
};

static int by_index(const void *a, const void *b)
{
    const int64_t *x = ((const struct place *)a)->index, *y = ((const struct place *)b)->index;

    for (int j = 0; j < MAX_NDIM; j++)
        if (x[j] != y[j])
            return x[j] < y[j] ? -1 : 1;
    return 0;
}

static enum outcome get_sorted(const struct peer *peer, void *array, int64_t n, const int64_t (*index)[MAX_NDIM],
                               double *out)
{
    struct place *places = malloc((size_t)n * sizeof *places);
    enum outcome outcome = DONE;

    if (!places)
        return complain("no memory");
    for (int64_t e = 0; e < n; e++)
        places[e] = (struct place){ index[e], e };
    qsort(places, (size_t)n, sizeof *places, by_index);
    for (int64_t e = 0; e < n && outcome == DONE; e++)
        outcome = peer->get(array, places[e].index, &out[places[e].which]);
    free(places);
    return outcome;
}

static enum outcome get_elements(const struct peer *peer, void *array, const struct requests *r,
                                 const int64_t (*index)[MAX_NDIM], double *out)
{
    enum outcome outcome = DONE;

    if (r->list)
        return peer->get_many ? peer->get_many(array, r->count, index, out)
                              : get_sorted(peer, array, r->count, index, out);
    for (int64_t e = 0; e < r->count && outcome == DONE; e++)
        outcome = peer->get(array, index[e], &out[e]);
    return outcome;
}

/* ---- all --------------------------------------------------------------------- */

enum outcome make_requests(const struct peer *peer, void *array, const struct requests *r, const struct layout *layout,
                           const int64_t (*index)[MAX_NDIM], double *out)
{
    const int64_t n = request_count(r, layout);
    enum outcome outcome = DONE;

    if (r->access == ELEMENTS)
        return get_elements(peer, array, r, index, out);
    if (r->access == FORTRAN)
        return peer->read_fortran ? peer->read_fortran(array, layout, out)
                                  : read_fortran_by_slabs(peer, array, layout, out);
    for (int64_t which = 0; which < n && outcome == DONE; which++) {
        int64_t lo[MAX_NDIM], count[MAX_NDIM];

        request_box(r, layout, which, lo, count);
        outcome = peer->read(array, lo, count, out);
        out += box_elements(layout->ndim, count);
    }
    return outcome;
}

enum outcome check_requests(const struct requests *r, const struct layout *layout, const double *out)
{
    const int64_t n = request_count(r, layout);
    enum outcome outcome = DONE;

    for (int64_t which = 0; which < n && outcome == DONE; which++) {
        int64_t lo[MAX_NDIM], count[MAX_NDIM];

        request_box(r, layout, which, lo, count);
        if (r->access == ELEMENTS && *out != value_at(layout->ndim, lo))
            return complain("one of the elements that were read is wrong");
        if (r->access != ELEMENTS)
            outcome = check_box(layout->ndim, lo, count, r->access == FORTRAN, out);
        out += box_elements(layout->ndim, count);
    }
    return outcome;
}

enum outcome answer_chunks(const struct requests *r, const struct layout *layout)
{
    int64_t grid[MAX_NDIM], all = 0, distinct = 0, n = request_count(r, layout);
    bool *met;

    for (int j = 0; j < 3; j++)
        grid[j] = layout->extent[j] / layout->chunk[j];
    met = calloc((size_t)box_elements(3, grid), sizeof *met);
    if (!met)
        return complain("no memory");
    for (int64_t which = 0; which < n; which++) {
        int64_t lo[MAX_NDIM], count[MAX_NDIM], first[MAX_NDIM], last[MAX_NDIM];

        request_box(r, layout, which, lo, count);
        for (int j = 0; j < 3; j++) {
            first[j] = lo[j] / layout->chunk[j];
            last[j] = (lo[j] + count[j] - 1) / layout->chunk[j];
        }
        for (int64_t i = first[0]; i <= last[0]; i++)
            for (int64_t j = first[1]; j <= last[1]; j++)
                for (int64_t k = first[2]; k <= last[2]; k++) {
                    bool *chunk = &met[(i * grid[1] + j) * grid[2] + k];

                    all++;
                    distinct += !*chunk;
                    *chunk = true;
                }
    }
    free(met);
    answer_integer("chunks", all);
    answer_integer("distinct_chunks", distinct);
    answer_integer("chunk_bytes", box_elements(3, layout->chunk) * (int64_t)sizeof(double));
    return DONE;
}
