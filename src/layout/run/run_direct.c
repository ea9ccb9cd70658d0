/* A source in memory allows random access. So this assembles the target's chunks one after the other, in the order of
 * their addresses. Sequential writes cost the system less than scattered ones. */
#include "base/hooks.h"
#include "layout/run/run.h"

enum {
    STAGE_BYTES = 1 << 20, /* the least, for fewer and larger calls */
    PIECE_BYTES = 1 << 9 /* contiguous bytes of the source, so that the processor prefetches, in a stage of a few MiB */
};

static struct drxi_relayout_side in_whole_chunks(const struct drxi_relayout_side *side)
{
    struct drxi_relayout_side whole = *side;

    memcpy(whole.unit, whole.chunk, sizeof whole.unit);
    return whole;
}

/* How many target chunks to assemble at a time: enough for long pieces of the source's fastest axis, and then as many
 * more as continue them. Stages for two of them must fit. */
static int64_t choose_units(const struct drxi_pass_side *source, const struct drxi_pass_side *target,
                            const int64_t lo[], int64_t memory_bytes)
{
    const int fastest = source->side->within[source->ndim - 1];
    const int64_t bytes = drxi_unit_bytes(target), chunk = target->side->chunk[fastest];
    const int64_t extent = drxi_min(drxi_ceil_div(PIECE_BYTES, (int64_t)source->a->data.item_bytes),
                                    drxi_min(source->side->chunk[fastest], target->end[fastest] - lo[fastest]));
    int64_t units = drxi_max(drxi_ceil_div(extent, chunk), STAGE_BYTES / bytes);

    for (int j = fastest + 1; j < target->ndim; j++) /* the chunks between them in the file */
        units = drxi_mul_saturated(units, drxi_ceil_div(target->end[j] - lo[j], target->side->chunk[j]));
    return drxi_min(units, memory_bytes / 2 / bytes);
}

/* Whether the mapped file may hold all of the source, which is read in an order of its own. */
static bool has_room(const struct drxi_pass_side *source, const int64_t first[])
{
    int64_t bytes = (int64_t)source->a->data.item_bytes;

    for (int j = 0; j < source->ndim; j++)
        bytes = drxi_mul_saturated(bytes, source->end[j] - first[j]);
    return bytes <= drxi_view_most();
}

drx_status drxi_run_direct(const struct drxi_pass_side *source, const struct drxi_pass_side *target,
                           const int64_t first[], uint8_t *memory, int64_t memory_bytes, const struct drxi_told *told,
                           bool *done)
{
    const struct drxi_relayout_side side = in_whole_chunks(target->side);
    struct drxi_pass_side whole = *target;
    struct drxi_stages stages;
    struct drxi_stage *stage;
    int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM], by[DRX_MAX_NDIM];
    drx_status st = DRX_OK;
    int64_t units;

    *done = false;
    whole.side = &side;
    units = choose_units(source, &whole, first, memory_bytes);
    if (units == 0 || drxi_hooks.never_direct || !has_room(source, first) ||
        !drxi_units_mapped(source, first, source->end))
        return DRX_OK;
    drxi_stages_init(&stages, &whole, told, memory, memory_bytes, units);
    for (int j = 0; j < whole.ndim; j++)
        hi[j] = drxi_ceil_div(whole.end[j], side.chunk[j]) * side.chunk[j];
    memcpy(lo, first, sizeof lo);
    drxi_units_cut(&whole, lo, hi, units, by);
    do {
        int64_t end[DRX_MAX_NDIM];

        for (int j = 0; j < whole.ndim; j++) {
            hi[j] = drxi_min(lo[j] + by[j], drxi_ceil_div(whole.end[j], side.chunk[j]) * side.chunk[j]);
            end[j] = drxi_min(hi[j], whole.end[j]);
        }
        st = drxi_stages_take(&stages, lo, hi, whole.end, &stage);
        if (!st && !drxi_units_view_copy(source, &stage->grid, lo, end, false))
            return drxi_stages_finish(&stages, DRX_OK); /* no longer in memory; the passes do all of it again */
        if (!st)
            st = drxi_stages_put(&stages, stage);
    } while (!st && drxi_next_box(whole.ndim, first, whole.end, by, lo));
    *done = true;
    return drxi_stages_finish(&stages, st);
}
