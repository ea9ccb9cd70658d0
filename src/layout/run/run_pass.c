/* A pass over a group. On axis p of the order of traversal a step reads r_lo to r_hi and completes w_lo to w_hi, both
 * cut to the region. The previous step left over w_lo to r_lo along p, and this one leaves w_hi to r_hi.
 *
 * An element that is read may be left over on several axes. It waits in the leftovers of the fastest of them. When the
 * sweep along that axis reaches it, it moves to those of the next, until it is complete. What a step reaches in the
 * leftovers of axis c, or, for c = -1, in the block just read, is a box. The part of it that moves to the leftovers of
 * axis d > c, or, for d = ndim, to the target, is a box, too (box_between). */
#include "layout/run/run.h"

enum { STAGE_BYTES = 1 << 20 }; /* small enough to be still in the cache when it is written */

struct window {
    int64_t read_lo[DRX_MAX_NDIM], read_hi[DRX_MAX_NDIM]; /* whole units */
    int64_t r_lo[DRX_MAX_NDIM], r_hi[DRX_MAX_NDIM], w_lo[DRX_MAX_NDIM], w_hi[DRX_MAX_NDIM];
};

struct block {
    const struct drxi_pass_side *source;
    struct window window;
    bool mapped; /* it stays in the mapped file */
    struct drxi_grid grid;
    uint8_t *memory;
    struct drxi_later reading;
};

struct run {
    const struct drxi_relayout_pass *pass;
    int ndim;
    size_t item_bytes;
    struct drxi_pass_side *target;
    struct drxi_steps steps; /* at the last block that was requested */
    struct block block[2];
    struct drxi_stages stages;
    uint8_t *kept[DRX_MAX_NDIM];
    int64_t region_lo[DRX_MAX_NDIM]; /* of the present step */
};

static void look_at_window(const struct drxi_steps *s, struct window *w)
{
    for (int j = 0; j < s->ndim; j++) {
        const struct drxi_axis_step *step = &s->step[j];

        w->read_lo[j] = step->read_lo;
        w->read_hi[j] = step->read_hi;
        w->r_lo[j] = drxi_max(step->read_lo, s->walk[j].lo);
        w->r_hi[j] = drxi_min(step->read_hi, s->walk[j].hi);
        w->w_lo[j] = step->write_lo;
        w->w_hi[j] = step->write_hi;
    }
}

/* What moves from the leftovers of axis traverse[c] (c = -1: the block) to those of traverse[d] (d = ndim: the target).
 */
static bool box_between(const struct run *r, const struct window *w, int c, int d, int64_t lo[], int64_t hi[])
{
    for (int p = 0; p < r->ndim; p++) {
        const int j = r->pass->traverse[p];

        lo[j] = p <= c ? w->w_lo[j] : p == d ? drxi_max(w->w_hi[j], w->r_lo[j]) : w->r_lo[j];
        hi[j] = p == c ? w->r_lo[j] : p < c || p < d ? w->w_hi[j] : w->r_hi[j];
        if (lo[j] >= hi[j])
            return false;
    }
    return true;
}

/* The grid of the leftovers of axis traverse[m]. A place in it is an index in the region on the axes before m, and an
 * index in the block on the axes after m. On axis m places count from the first leftover: of the previous step if
 * `taken`, otherwise of this one. */
static void lay_out_kept(const struct run *r, const struct window *w, int m, bool taken, struct drxi_grid *grid)
{
    const struct drxi_relayout_pass *pass = r->pass;
    int64_t bytes = (int64_t)r->item_bytes;
    int position[DRX_MAX_NDIM];

    for (int p = 0; p < r->ndim; p++)
        position[pass->traverse[p]] = p;
    grid->base = r->kept[pass->traverse[m]];
    for (int i = r->ndim - 1; i >= 0; i--) {
        const int j = pass->target.within[i], p = position[j];
        const int64_t region = drxi_min(pass->region[j], pass->group[j]);

        grid->lo[j] = p < m ? r->region_lo[j] : p > m ? w->r_lo[j] : taken ? w->w_lo[j] : w->w_hi[j];
        grid->unit[j] = INT64_MAX;
        grid->item_bytes[j] = bytes;
        grid->unit_bytes[j] = 0;
        bytes *= p < m ? region : p > m ? drxi_min(pass->block[j], region) : pass->leftover[j];
    }
}

static drx_status read_pass_block(void *arg);

/* Copy elements that the step reaches from the block (c = -1) or the leftovers of axis traverse[c]. */
static drx_status take_block(const struct run *r, struct block *b, int c, const struct drxi_grid *to,
                             const int64_t lo[], const int64_t hi[], bool large)
{
    struct drxi_grid kept;
    drx_status st;

    if (c < 0 && b->mapped && drxi_units_view_copy(b->source, to, lo, hi, large))
        return DRX_OK;
    if (c < 0 && b->mapped) { /* the file has become shorter, or is unreadable there */
        b->mapped = false;
        if ((st = read_pass_block(b)))
            return st;
    }
    if (c >= 0)
        lay_out_kept(r, &b->window, c, true, &kept);
    drxi_grid_copy(r->ndim, to, c < 0 ? &b->grid : &kept, lo, hi, r->item_bytes, large);
    return DRX_OK;
}

static bool keeps(const struct run *r, int p)
{
    return r->pass->kept_bytes[r->pass->traverse[p]] > 0;
}

/* Assemble the units lo <= i < hi. */
static drx_status do_stage(struct run *r, struct block *b, const int64_t lo[], const int64_t hi[])
{
    const bool large = r->stages.units == 1 && drxi_unit_bytes(r->target) > 4 * STAGE_BYTES;
    struct drxi_stage *stage;
    drx_status st = drxi_stages_take(&r->stages, lo, hi, b->window.w_hi, &stage);

    for (int c = -1; !st && c < r->ndim; c++) {
        int64_t from[DRX_MAX_NDIM], to[DRX_MAX_NDIM];

        if ((c >= 0 && !keeps(r, c)) || !box_between(r, &b->window, c, r->ndim, from, to))
            continue;
        for (int j = 0; j < r->ndim; j++) {
            from[j] = drxi_max(from[j], lo[j]);
            to[j] = drxi_min(to[j], hi[j]);
        }
        st = take_block(r, b, c, &stage->grid, from, to, large);
    }
    return st ? st : drxi_stages_put(&r->stages, stage);
}

/* Write all target units that are now complete, in boxes that fit in a stage. */
static drx_status do_stages(struct run *r, struct block *b)
{
    const int64_t *unit = r->pass->target.unit;
    int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM], end[DRX_MAX_NDIM], by[DRX_MAX_NDIM];
    drx_status st = DRX_OK;

    for (int j = 0; j < r->ndim; j++) {
        lo[j] = b->window.w_lo[j];
        end[j] = drxi_ceil_div(b->window.w_hi[j], unit[j]) * unit[j];
        if (lo[j] >= end[j])
            return DRX_OK;
    }
    drxi_units_cut(r->target, lo, end, r->stages.units, by);
    do {
        for (int j = 0; j < r->ndim; j++)
            hi[j] = drxi_min(lo[j] + by[j], end[j]);
        st = do_stage(r, b, lo, hi);
    } while (!st && drxi_next_box(r->ndim, b->window.w_lo, end, by, lo));
    return st;
}

/* Move incomplete elements to the leftovers where they wait. First take the leftovers of slower axes out of their
 * places. */
static drx_status keep_block(const struct run *r, struct block *b)
{
    int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM];
    struct drxi_grid to;
    drx_status st = DRX_OK;

    for (int c = r->ndim - 2; c >= -1; c--)
        for (int d = c + 1; !st && d < r->ndim; d++) {
            if ((c >= 0 && !keeps(r, c)) || !keeps(r, d) || !box_between(r, &b->window, c, d, lo, hi))
                continue;
            lay_out_kept(r, &b->window, d, false, &to);
            st = take_block(r, b, c, &to, lo, hi, false);
        }
    return st;
}

/* Use a block in the mapped file while that is in memory; otherwise read it. */
static drx_status bring_block(void *arg)
{
    struct block *b = arg;

    b->mapped = drxi_units_mapped(b->source, b->window.read_lo, b->window.read_hi);
    return b->mapped ? DRX_OK : read_pass_block(b);
}

static drx_status read_pass_block(void *arg)
{
    struct block *b = arg;

    drxi_units_lay_out(b->source, b->window.read_lo, b->window.read_hi, b->memory, &b->grid);
    return drxi_units_move(b->source, false, &b->grid, b->window.read_lo, b->window.read_hi);
}

/* Request the block of the next step; false when there is none. */
static bool begin_block(struct run *r, struct block *b, int64_t region_lo[])
{
    if (!drxi_steps_next(&r->steps))
        return false;
    look_at_window(&r->steps, &b->window);
    for (int j = 0; j < r->ndim; j++)
        region_lo[j] = r->steps.walk[j].lo;
    drxi_pass_side_begin(b->source, &b->reading, bring_block, b);
    return true;
}

static drx_status do_steps(struct run *r)
{
    const int buffers = r->pass->buffers;
    int64_t next_lo[DRX_MAX_NDIM] = { 0 };
    bool more = begin_block(r, &r->block[0], r->region_lo);
    drx_status st = DRX_OK;

    for (int64_t k = 0; !st && more; k++) {
        struct block *b = &r->block[k % buffers];

        st = drxi_later_end(&b->reading);
        if (!st && buffers == 2)
            more = begin_block(r, &r->block[(k + 1) % 2], next_lo);
        if (!st)
            st = do_stages(r, b);
        if (!st)
            st = keep_block(r, b);
        if (!st && buffers == 1)
            more = begin_block(r, b, next_lo);
        memcpy(r->region_lo, next_lo, sizeof next_lo);
    }
    return st;
}

/* Blocks and stages come first, because the system reads and writes them whole. */
static void share_memory(struct run *r, uint8_t *memory, const struct drxi_told *told)
{
    const struct drxi_relayout_pass *pass = r->pass;
    const int64_t staged = pass->buffers * pass->stage_bytes;
    const int64_t units = drxi_max(1, drxi_min(pass->stage_bytes, STAGE_BYTES) / drxi_unit_bytes(r->target));

    for (int i = 0; i < pass->buffers; i++, memory += pass->block_bytes)
        r->block[i].memory = memory;
    drxi_stages_init(&r->stages, r->target, told, memory, staged, units);
    memory += staged;
    for (int j = 0; j < r->ndim; j++, memory += pass->kept_bytes[j - 1])
        r->kept[j] = memory;
}

drx_status drxi_run_pass(const struct drxi_relayout_pass *pass, struct drxi_pass_side *source,
                         struct drxi_pass_side *target, size_t item_bytes, uint8_t *memory,
                         const struct drxi_told *told)
{
    struct run *r = drxi_calloc(1, sizeof *r);
    drx_status st;

    if (!r)
        return DRX_ENOMEM;
    r->pass = pass;
    r->ndim = source->ndim;
    r->item_bytes = item_bytes;
    r->target = target;
    share_memory(r, memory, told);
    for (int i = 0; i < 2; i++) {
        r->block[i].source = source;
        drxi_later_init(&r->block[i].reading);
    }
    drxi_steps_start(&r->steps, pass, r->ndim, source->end);
    st = do_steps(r);
    for (int i = 0; i < 2; i++) {
        const drx_status reading = drxi_later_end(&r->block[i].reading);

        st = st ? st : reading;
        drxi_later_destroy(&r->block[i].reading);
    }
    st = drxi_stages_finish(&r->stages, st);
    drxi_free(r);
    return st;
}
