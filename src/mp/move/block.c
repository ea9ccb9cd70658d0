#include "mp/move/move.h"

#include "copy/copy.h"

enum { BLOCK_BYTES = 4 << 20 };

/* The axis at `place` in the order inside a chunk; 0 is the fastest. */
static int axis_at(const drx_array *a, int place)
{
    return drxi_data_of(a)->chunk_order == DRX_ROW_MAJOR ? drx_ndim(a) - 1 - place : place;
}

/* A block has the fastest axes whole, a part of the next one, and one index of each slower one. */
void drxi_cut_chunks(struct drxi_cut *cut, const drx_array *a)
{
    bool full = false;

    cut->a = a;
    cut->bytes = (int64_t)drxi_data_of(a)->item_bytes;
    for (int place = 0; place < drx_ndim(a); place++) {
        const int j = axis_at(a, place);
        const int64_t chunk = drx_chunk(a)[j];

        cut->extent[j] = full ? 1 : drxi_min(chunk, drxi_max(BLOCK_BYTES / cut->bytes, 1));
        cut->count[j] = drxi_ceil_div(chunk, cut->extent[j]);
        cut->bytes *= cut->extent[j];
        full = full || cut->extent[j] < chunk;
    }
}

int64_t drxi_cut_blocks(const struct drxi_cut *cut)
{
    int64_t n = 1;

    for (int j = 0; j < drx_ndim(cut->a); j++)
        n *= cut->count[j];
    return n;
}

void drxi_cut_block(const struct drxi_cut *cut, int64_t address, const int64_t chunk_index[], int64_t which,
                    struct drxi_block *block)
{
    const drx_array *a = cut->a;

    block->offset = address * drxi_data_of(a)->chunk_pitch_bytes;
    for (int place = 0; place < drx_ndim(a); place++) {
        const int j = axis_at(a, place);
        const int64_t chunk = drx_chunk(a)[j], before = which % cut->count[j] * cut->extent[j];

        which /= cut->count[j];
        block->offset += before * drxi_data_of(a)->item_pitch_bytes[j];
        block->lo[j] = chunk_index[j] * chunk + before;
        block->hi[j] = chunk_index[j] * chunk + drxi_min(before + cut->extent[j], chunk);
    }
}

int64_t drxi_block_count(const struct drxi_block *block, int ndim, const struct drxi_axis_set sets[])
{
    int64_t n = 1;

    for (int j = 0; j < ndim && n > 0; j++)
        n *= drxi_axis_count(&sets[j], block->lo[j], block->hi[j]);
    return n;
}

/* A copy of the product of the runs of all axes. */
struct product {
    const struct drxi_block *block;
    const struct drxi_axis_set *sets;
    int ndim;
    size_t item_bytes;
    struct side {
        int kind;
        int64_t stride[DRX_MAX_NDIM]; /* PACKED: of a position; MEMORY: of a local index; IMAGE: of an index */
    } to, from;
    struct drxi_copy_axis *axes; /* one run of each axis */
};

static int64_t run_place(const struct side *side, int j, const struct drxi_run *run, int64_t position, int64_t lo)
{
    const int64_t at = side->kind == DRXI_PACKED ? position : side->kind == DRXI_MEMORY ? run->local : run->index - lo;

    return at * side->stride[j];
}

static int64_t side_step(const struct side *side, int j, const struct drxi_run *run)
{
    return side->stride[j] * (side->kind == DRXI_PACKED ? 1 : side->kind == DRXI_MEMORY ? run->local_step : run->step);
}

/* Copy the products of each run of axis j with those of the axes after it. */
static void copy_runs(struct product *p, int j, uint8_t *to, const uint8_t *from)
{
    const int64_t hi = p->block->hi[j];
    int64_t at = p->block->lo[j], position = 0;
    struct drxi_run run;

    while (at < hi && drxi_axis_next(&p->sets[j], at, hi, &run)) {
        uint8_t *const run_to = to + run_place(&p->to, j, &run, position, p->block->lo[j]);
        const uint8_t *const run_from = from + run_place(&p->from, j, &run, position, p->block->lo[j]);

        p->axes[j] = (struct drxi_copy_axis){ run.count, side_step(&p->to, j, &run), side_step(&p->from, j, &run) };
        if (j + 1 < p->ndim)
            copy_runs(p, j + 1, run_to, run_from);
        else
            drxi_copy_axes(j + 1, p->axes, p->item_bytes, run_to, run_from, false);
        position += run.count;
        at = run.index + (run.count - 1) * run.step + 1;
    }
}

static void set_side(struct side *side, const struct drxi_cut *cut, const struct drxi_block *block,
                     const struct drxi_axis_set sets[], const struct drxi_place *place)
{
    const drx_array *a = cut->a;
    int64_t bytes = (int64_t)drxi_data_of(a)->item_bytes;

    side->kind = place->kind;
    for (int j = drx_ndim(a) - 1; j >= 0; j--) {
        side->stride[j] = place->kind == DRXI_PACKED   ? bytes
                          : place->kind == DRXI_MEMORY ? place->stride_bytes[j]
                                                       : drxi_data_of(a)->item_pitch_bytes[j];
        if (place->kind == DRXI_PACKED)
            bytes *= drxi_axis_count(&sets[j], block->lo[j], block->hi[j]);
    }
}

void drxi_block_copy(const struct drxi_cut *cut, const struct drxi_block *block, const struct drxi_axis_set sets[],
                     struct drxi_place to, struct drxi_place from)
{
    struct drxi_copy_axis axes[DRX_MAX_NDIM];
    struct product p = { .axes = axes,
                         .block = block,
                         .sets = sets,
                         .ndim = drx_ndim(cut->a),
                         .item_bytes = drxi_data_of(cut->a)->item_bytes };

    set_side(&p.to, cut, block, sets, &to);
    set_side(&p.from, cut, block, sets, &from);
    copy_runs(&p, 0, to.base, from.base);
}

void drxi_block_mark(const struct drxi_cut *cut, const struct drxi_block *block, const struct drxi_axis_set sets[],
                     uint8_t marks[])
{
    const int ndim = drx_ndim(cut->a);
    struct drxi_copy_axis axes[DRX_MAX_NDIM];
    struct product p = { .block = block, .axes = axes, .sets = sets, .ndim = ndim, .item_bytes = 1 };

    p.to.kind = p.from.kind = DRXI_IMAGE;
    for (int j = 0; j < ndim; j++)
        p.to.stride[j] = drxi_data_of(cut->a)->item_pitch_bytes[j] /
                         (int64_t)drxi_data_of(cut->a)->item_bytes; /* the strides of `from` are 0 */
    copy_runs(&p, 0, marks, (const uint8_t[]){ 1 });
}
