/* The chunks that a rank takes part in, in the order of their addresses. */
#include "data/sums.h"
#include "mp/move/move.h"

bool drxi_chunks_hull(const drx_array *a, const struct drxi_axis_set sets[], int64_t first[], int64_t end[])
{
    const struct drxi_data *d = drxi_data_of(a);

    for (int j = 0; j < d->ndim; j++) {
        int64_t last;

        if (!drxi_axis_bounds(&sets[j], &first[j], &last))
            return false;
        first[j] = drxi_floor_div(first[j], d->chunk[j]);
        end[j] = drxi_floor_div(last, d->chunk[j]) + 1;
    }
    return true;
}

static bool find_chunk(struct drxi_cursor *c, int j, int64_t index, int64_t end)
{
    const struct drxi_axis_set *sets = c->sets;
    const int64_t extent = c->data->chunk[j];
    struct drxi_run run;

    if (index >= end || !drxi_axis_next(&sets[j], index * extent, drxi_mul_saturated(end, extent), &run))
        return false;
    c->index[j] = drxi_floor_div(run.index, extent);
    return true;
}

void drxi_chunks_start(struct drxi_cursor *c, const drx_array *a, const struct drxi_axis_set sets[],
                       const int64_t first[], const int64_t end[])
{
    drxi_cursor_start_in(c, drxi_data_of(a), first, end, find_chunk, sets);
}

/* Count the elements inside the bounds of the chunks first <= i < end, and those of them that the rank has read. */
static int64_t count_rank_chunks(const struct drxi_move *mv, int rank, const int64_t first[], const int64_t end[],
                                 int64_t *read)
{
    const struct drxi_data *s = drxi_data_of(mv->m->a);
    struct drxi_block inside;
    int64_t all = 1;

    for (int j = 0; j < s->ndim; j++) {
        inside.lo[j] = drxi_max(first[j] * s->chunk[j], s->lower[j]);
        inside.hi[j] = drxi_min(end[j] * s->chunk[j], s->upper[j]);
        all *= inside.hi[j] - inside.lo[j];
    }
    *read = drxi_block_count(&inside, s->ndim, mv->sets + (int64_t)rank * s->ndim);
    return all;
}

/* Whether what the rank reads of whole chunks is compared: the code verifies no box with steps (box/verified.c). */
static bool compares(const struct drxi_move *mv, int rank)
{
    const int ndim = drx_ndim(mv->m->a);
    const struct drxi_axis_set *sets = mv->sets + (int64_t)rank * ndim;

    for (int j = 0; j < ndim; j++)
        if (sets[j].step > 1 && sets[j].n > 1 && drx_chunk(mv->m->a)[j] > 1)
            return false;
    return !mv->shared;
}

/* Whether ranks have read all of the chunk, nobody has verified it, and its turn is this rank's. The exchange verifies
 * chunks of `whole` elements. What several have read counts more than once, so that a chunk may be verified that has
 * not been read as a whole. */
static bool is_to_verify(const struct drxi_move *mv, int64_t whole, const int64_t index[], int64_t address)
{
    const uint64_t mixed = (uint64_t)address * 0x9e3779b97f4a7c15u >> 32; /* a column of chunks goes to all, too */
    int64_t end[DRX_MAX_NDIM], all = 0, n, read = 0, readers = 0, place = 0;

    for (int j = 0; j < drx_ndim(mv->m->a); j++)
        end[j] = index[j] + 1;
    for (int i = 0; i < mv->m->ranks; i++) { /* from this one on: mostly it has read it alone */
        const int rank = (mv->m->rank + i) % mv->m->ranks;

        all = count_rank_chunks(mv, rank, index, end, &n);
        if (all == whole || (n == all && compares(mv, rank)))
            return false;
        place += n > 0 && rank < mv->m->rank;
        readers += n > 0;
        read += n;
    }
    return read >= all && (int64_t)mixed % readers == place;
}

drx_status drxi_chunks_verify(const struct drxi_move *mv)
{
    const drx_array *a = mv->m->a;
    const struct drxi_axis_set *mine = mv->sets + (int64_t)mv->m->rank * drx_ndim(a);
    int64_t first[DRX_MAX_NDIM], end[DRX_MAX_NDIM], read;
    struct drxi_cursor at;
    struct drxi_cut cut;
    int64_t whole;
    drx_status st = DRX_OK;

    if (!drxi_chunks_hull(a, mine, first, end) ||
        (count_rank_chunks(mv, mv->m->rank, first, end, &read) == read && compares(mv, mv->m->rank))) /* whole chunks */
        return DRX_OK;
    drxi_cut_chunks(&cut, a);
    whole = mv->shared && drxi_cut_blocks(&cut) == 1 ? cut.bytes / (int64_t)drxi_data_of(a)->item_bytes : 0;
    drxi_chunks_start(&at, a, mine, first, end);
    while (!st && drxi_cursor_next(&at))
        if (is_to_verify(mv, whole, at.index, at.piece.address))
            st = drxi_data_of(a)->file->stored->verify(drxi_data_of(a), at.piece.address);
    return st;
}
