/* Moving the units of a box between a file and memory. In memory they form a grid, whose fastest axes are those along
 * which parts of a chunk follow each other. The code goes through the file in the order of addresses, however growth
 * has laid it out. Units that are contiguous on both sides move in one call. */
#include "layout/run/run.h"

int64_t drxi_unit_bytes(const struct drxi_pass_side *end)
{
    int64_t bytes = (int64_t)end->a->data.item_bytes;

    for (int j = 0; j < end->ndim; j++)
        bytes *= end->side->unit[j];
    return bytes;
}

void drxi_pass_side_begin(const struct drxi_pass_side *end, struct drxi_later *later, drx_status (*call)(void *arg),
                          void *arg)
{
    if (end->a->data.file->io->callers_only)
        drxi_later_now(later, call, arg);
    else
        drxi_later_begin(later, call, arg);
}

static bool is_cut(const struct drxi_pass_side *end, int j)
{
    return end->side->unit[j] < end->chunk[j];
}

/* The axes of the grid, slowest first: those among chunks, then those along which chunks are cut. */
static void grid_axes(const struct drxi_pass_side *end, int axes[])
{
    const struct drxi_relayout_side *side = end->side;
    int n = 0;

    for (int i = 0; i < end->ndim; i++)
        if (!is_cut(end, side->across[i]))
            axes[n++] = side->across[i];
    for (int i = 0; i < end->ndim; i++)
        if (is_cut(end, side->within[i]))
            axes[n++] = side->within[i];
}

void drxi_units_lay_out(const struct drxi_pass_side *end, const int64_t lo[], const int64_t hi[], uint8_t *base,
                        struct drxi_grid *grid)
{
    int axes[DRX_MAX_NDIM];
    int64_t bytes = drxi_unit_bytes(end);

    grid_axes(end, axes);
    grid->base = base;
    for (int i = end->ndim - 1; i >= 0; i--) {
        const int j = axes[i];

        grid->lo[j] = lo[j];
        grid->unit[j] = end->side->unit[j];
        grid->item_bytes[j] = end->a->data.item_pitch_bytes[end->own[j]];
        grid->unit_bytes[j] = bytes;
        bytes *= (hi[j] - lo[j]) / grid->unit[j];
    }
}

void drxi_units_cut(const struct drxi_pass_side *end, const int64_t lo[], const int64_t hi[], int64_t most,
                    int64_t extent[])
{
    int axes[DRX_MAX_NDIM];

    grid_axes(end, axes);
    for (int i = end->ndim - 1; i >= 0; i--) {
        const int j = axes[i];
        const int64_t units = (hi[j] - lo[j]) / end->side->unit[j], taken = drxi_min(units, most);

        extent[j] = taken * end->side->unit[j];
        most = taken < units ? 1 : most / taken;
    }
}

/* The next run to move: units that are contiguous in the file and in memory. */
struct mover {
    const struct drxi_pass_side *end;
    bool writing;
    struct drxi_run_reads *reads; /* NULL: one run after the other */
    const struct drxi_grid *grid;
    int64_t unit_bytes;
    int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM]; /* of the units in a chunk */
    int64_t offset, place, bytes;
};

static drx_status move_run(struct mover *m)
{
    drx_array *a = m->end->a;
    uint8_t *at = m->grid->base + m->place;
    const int64_t bytes = m->bytes;

    m->bytes = 0;
    if (bytes == 0 || (m->writing && m->end->skip_zeros && drxi_is_zero(at, (size_t)bytes)))
        return DRX_OK;
    if (m->reads)
        return drxi_run_reads_add(m->reads, at, bytes, m->offset);
    return m->writing ? drxi_data_write(&a->data, at, (size_t)bytes, m->offset)
                      : drxi_data_read(&a->data, at, (size_t)bytes, m->offset);
}

/* Whether it need not be written. Where there are checksums, this does not depend on what else its run has: a chunk
 * that nobody writes has no checksum. */
static bool is_left(const struct mover *m, int64_t place)
{
    return m->writing && m->end->skip_zeros && m->end->a->data.file->stored->verified &&
           drxi_is_zero(m->grid->base + place, (size_t)m->unit_bytes);
}

static drx_status add_unit(struct mover *m, int64_t offset, int64_t place)
{
    drx_status st = DRX_OK;

    if (is_left(m, place))
        return DRX_OK;
    if (m->bytes > 0 && (offset != m->offset + m->bytes || place != m->place + m->bytes))
        st = move_run(m);
    if (m->bytes == 0) {
        m->offset = offset;
        m->place = place;
    }
    m->bytes += m->unit_bytes;
    return st;
}

/* Add the units from lo to hi of a chunk, in the order of the file, from axis within[i] on, the slowest first. */
static drx_status add_units(struct mover *m, int i, int64_t offset, int64_t place)
{
    const struct drxi_pass_side *end = m->end;
    drx_status st = DRX_OK;

    if (i == end->ndim)
        return add_unit(m, offset, place);
    const int j = end->side->within[i];
    const int64_t unit = end->side->unit[j], chunk = end->chunk[j];

    for (int64_t at = m->lo[j]; !st && at < m->hi[j]; at += unit)
        st = add_units(m, i + 1, offset + (end->origin[j] + at) % chunk * end->a->data.item_pitch_bytes[end->own[j]],
                       place + (at - m->grid->lo[j]) / unit * m->grid->unit_bytes[j]);
    return st;
}

/* Convert a box of elements to the array's own axes. */
static void own_box(const struct drxi_pass_side *end, const int64_t lo[], const int64_t hi[], int64_t own_lo[],
                    int64_t own_count[])
{
    for (int j = 0; j < end->ndim; j++) {
        own_lo[end->own[j]] = end->origin[j] + lo[j];
        own_count[end->own[j]] = drxi_min(hi[j], end->end[j]) - lo[j];
    }
}

static void chunk_box(const struct drxi_pass_side *end, const int64_t lo[], const int64_t hi[], int64_t first[],
                      int64_t last[])
{
    int64_t own_lo[DRX_MAX_NDIM], own_count[DRX_MAX_NDIM];

    own_box(end, lo, hi, own_lo, own_count);
    for (int k = 0; k < end->ndim; k++) {
        const int64_t chunk = end->a->data.chunk[k];

        first[k] = own_lo[k] / chunk;
        last[k] = (own_lo[k] + own_count[k] - 1) / chunk + 1;
    }
}

bool drxi_units_mapped(const struct drxi_pass_side *end, const int64_t lo[], const int64_t hi[])
{
    int64_t first[DRX_MAX_NDIM], last[DRX_MAX_NDIM];

    for (int j = 0; j < end->ndim; j++)
        if (lo[j] >= hi[j])
            return false;
    chunk_box(end, lo, hi, first, last);
    return drxi_mapped_has(&end->a->data, first, last);
}

struct view_copy {
    const struct drxi_pass_side *end;
    const struct drxi_grid *to;
    const int64_t *lo, *hi;
    bool large;
};

/* Copy from chunks of the mapped file that form a grid. */
static void copy_segment(const struct view_copy *v, const struct drxi_part *part)
{
    const struct drxi_pass_side *end = v->end;
    const drx_array *a = end->a;
    const int64_t offset = drxi_part_address(part, end->ndim, part->lo) * a->data.chunk_pitch_bytes;
    struct drxi_grid from = { .base = (uint8_t *)(uintptr_t)drxi_view_at(&a->data.view, offset) }; /* only read */
    int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM];

    for (int j = 0; j < end->ndim; j++) {
        const int k = end->own[j];

        from.lo[j] = part->lo[k] * a->data.chunk[k] - end->origin[j];
        from.unit[j] = a->data.chunk[k];
        from.unit_bytes[j] = part->coef[k] * a->data.chunk_pitch_bytes;
        from.item_bytes[j] = a->data.item_pitch_bytes[k];
        lo[j] = drxi_max(v->lo[j], from.lo[j]);
        hi[j] = drxi_min(v->hi[j], part->hi[k] * a->data.chunk[k] - end->origin[j]);
    }
    drxi_grid_copy(end->ndim, v->to, &from, lo, hi, a->data.item_bytes, v->large);
}

/* Copy from a segment in stripes, chunk by chunk. */
static void copy_chunks(const struct view_copy *v, const struct drxi_part *segment)
{
    const int ndim = v->end->ndim;
    struct drxi_part chunk = *segment;
    int j;

    for (int k = 0; k < ndim; k++)
        chunk.hi[k] = chunk.lo[k] + 1;
    do {
        copy_segment(v, &chunk);
        for (j = ndim - 1; j >= 0 && chunk.hi[j]++ == segment->hi[j]; j--) /* the next chunk */
            chunk.hi[j] = segment->lo[j] + 1;
        for (int k = 0; k < ndim; k++)
            chunk.lo[k] = chunk.hi[k] - 1;
    } while (j >= 0);
}

static void copy_view(void *arg)
{
    const struct view_copy *v = arg;
    int64_t first[DRX_MAX_NDIM], last[DRX_MAX_NDIM];
    struct drxi_walk segments;
    struct drxi_part part;

    chunk_box(v->end, v->lo, v->hi, first, last);
    drxi_walk_start(&segments, &v->end->a->data.map, first, last);
    while (drxi_walk_next(&segments, &part))
        (v->end->a->data.view.files > 0 ? copy_chunks : copy_segment)(v, &part);
}

bool drxi_units_view_copy(const struct drxi_pass_side *end, const struct drxi_grid *to, const int64_t lo[],
                          const int64_t hi[], bool large)
{
    struct view_copy v = { end, to, lo, hi, large };
    int64_t bytes = (int64_t)end->a->data.item_bytes;

    for (int j = 0; j < end->ndim; j++) {
        if (lo[j] >= hi[j])
            return true;
        bytes *= hi[j] - lo[j];
    }
    if (!drxi_view_use(&end->a->data.view, copy_view, &v))
        return false;
    drxi_mapped_used_once(&end->a->data, bytes);
    return true;
}

drx_status drxi_units_move(const struct drxi_pass_side *end, bool writing, const struct drxi_grid *grid,
                           const int64_t lo[], const int64_t hi[])
{
    struct mover m = { .end = end, .writing = writing, .grid = grid, .unit_bytes = drxi_unit_bytes(end) };
    int64_t own_lo[DRX_MAX_NDIM], own_count[DRX_MAX_NDIM];
    int64_t bytes = m.unit_bytes;
    struct drxi_cursor c;
    drx_status st = DRX_OK;

    for (int j = 0; j < end->ndim; j++) {
        if (lo[j] >= hi[j])
            return DRX_OK;
        bytes *= drxi_ceil_div(hi[j] - lo[j], end->side->unit[j]);
    }
    own_box(end, lo, hi, own_lo, own_count);
    if (!writing && (st = drxi_run_reads_begin(&end->a->data, bytes, &m.reads)))
        return st;
    drxi_cursor_start(&c, &end->a->data, own_lo, own_count, NULL);
    while (!st && drxi_cursor_next(&c)) {
        for (int j = 0; j < end->ndim; j++) {
            const int64_t chunk_lo = c.index[end->own[j]] * end->chunk[j] - end->origin[j];

            m.lo[j] = drxi_max(lo[j], chunk_lo);
            m.hi[j] = drxi_min(drxi_min(hi[j], end->end[j]), chunk_lo + end->chunk[j]);
        }
        st = add_units(&m, 0, c.piece.address * end->a->data.chunk_pitch_bytes, 0);
    }
    if (!st)
        st = move_run(&m);
    return drxi_run_reads_end(m.reads, st);
}
