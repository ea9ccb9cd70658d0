/* Cells outside the bounds, in chunks. They hold the fill, unless a crash left something else. */
#include "array/array.h"
#include "base/hooks.h"
#include "copy/copy.h"

enum { INSPECT_BYTES = 1 << 20 };

bool drxi_slab_of(const drx_array *a, const struct drxi_growth *growth, int64_t lo[], int64_t count[])
{
    const struct drxi_data *s = &a->data;
    bool some = true;

    for (int j = 0; j < s->ndim; j++) {
        lo[j] = s->lower[j];
        count[j] = s->shape[j];
        if (j == growth->axis) {
            lo[j] = growth->end == DRXI_LOW ? growth->bound : s->upper[j];
            count[j] = growth->end == DRXI_LOW ? s->lower[j] - lo[j] : growth->bound - lo[j];
        }
        some = some && count[j] > 0;
    }
    return some;
}

static drx_status write_fill_box(drx_array *a, const int64_t lo[], const int64_t count[])
{
    const int64_t stride[DRX_MAX_NDIM] = { 0 }; /* one element for all */

    return drxi_transfer_write(&a->data, &(struct drxi_box){ .lo = lo, .count = count, .stride_bytes = stride },
                               a->log.state.desc.fill);
}

struct restoring {
    drx_array *a;
    uint8_t *buf;
    int64_t hole_begin, hole_end; /* the part of the file that is known to be a hole */
    bool changed;
};

/* Whether a hole covers the bytes of a box that lies in one chunk. */
static drx_status in_hole(struct restoring *r, int64_t chunk_offset, const int64_t start[], const int64_t count[],
                          bool *covered)
{
    const drx_array *a = r->a;
    int64_t begin = chunk_offset;
    int64_t end = chunk_offset + (int64_t)a->data.item_bytes;
    int64_t stop;
    drx_status st = DRX_OK;

    for (int j = 0; j < a->log.state.desc.ndim; j++) {
        begin += start[j] * a->data.item_pitch_bytes[j];
        end += (start[j] + count[j] - 1) * a->data.item_pitch_bytes[j];
    }
    if (begin < r->hole_begin || begin >= r->hole_end) {
        st = a->data.file->io->ops->extent(a->data.file->io, begin, &r->hole_end, &stop);
        r->hole_begin = begin;
    }
    *covered = a->data.zero_fill && end <= r->hole_end;
    return st;
}

/* Restore a box that lies in the chunk of that index and offset, in parts that fit the buffer: write the fill over
 * cells that hold anything else, where the file stores bytes. */
static drx_status restore_box(struct restoring *r, const int64_t index[], int64_t chunk_offset, int64_t start[],
                              int64_t count[])
{
    drx_array *a = r->a;
    const int ndim = a->log.state.desc.ndim;
    int64_t lo[DRX_MAX_NDIM];
    int64_t stride[DRX_MAX_NDIM];
    int64_t items = 1;
    int longest = 0;
    bool covered;
    drx_status st = in_hole(r, chunk_offset, start, count, &covered);

    if (st || covered)
        return st;
    for (int j = 0; j < ndim; j++) {
        lo[j] = index[j] * a->log.state.desc.chunk[j] + start[j];
        items *= count[j];
        longest = count[j] > count[longest] ? j : longest;
    }
    if (items * (int64_t)a->data.item_bytes > INSPECT_BYTES) {
        const int64_t all = count[longest];

        count[longest] = all / 2;
        st = restore_box(r, index, chunk_offset, start, count);
        start[longest] += all / 2;
        count[longest] = all - all / 2;
        if (!st)
            st = restore_box(r, index, chunk_offset, start, count);
        start[longest] -= all / 2;
        count[longest] = all;
        return st;
    }
    drxi_strides(ndim, count, a->data.item_bytes, DRX_ROW_MAJOR, stride);
    st = drxi_transfer_read(&a->data, &(struct drxi_box){ .lo = lo, .count = count, .stride_bytes = stride }, r->buf);
    if (st || drxi_is_filled(r->buf, items, a->log.state.desc.fill, a->data.item_bytes))
        return st;
    r->changed = true;
    return write_fill_box(a, lo, count);
}

/* Restore what a box of cells has of the chunk at an address. */
static drx_status restore_chunk(struct restoring *r, int64_t address, const int64_t lo[], const int64_t count[])
{
    const struct drxi_data *s = &r->a->data;
    int64_t index[DRX_MAX_NDIM], start[DRX_MAX_NDIM], part[DRX_MAX_NDIM];

    drxi_map_index(&s->map, address, index);
    if (!drxi_map_lives(&s->map, address, index))
        return DRX_OK;
    for (int j = 0; j < s->ndim; j++) {
        const int64_t extent = s->chunk[j], begin = index[j] * extent, first = drxi_max(lo[j], begin);

        start[j] = first - begin;
        part[j] = drxi_min(lo[j] + (count[j] - 1), begin + (extent - 1)) - first + 1;
        if (part[j] <= 0)
            return DRX_OK;
    }
    return restore_box(r, index, address * r->a->data.chunk_pitch_bytes, start, part);
}

/* Go through the chunks that the file stores. The others are holes, which hold a fill of zeros. */
static drx_status restore_stored(struct restoring *r, const int64_t lo[], const int64_t count[])
{
    const int64_t pitch = r->a->data.chunk_pitch_bytes;
    int64_t offset, n, next = 0;
    struct drxi_stored stored;
    drx_status st;

    drxi_stored_start(&stored, r->a->data.file->io, r->a->log.state.map.chunks * pitch, false);
    while (!(st = drxi_stored_next(&stored, INT64_MAX, &offset, &n)) && n > 0)
        for (next = drxi_max(next, offset / pitch); !st && next <= (offset + (n - 1)) / pitch; next++)
            st = restore_chunk(r, next, lo, count);
    return st;
}

/* Go through the chunks that the box meets. */
static drx_status restore_met(struct restoring *r, const int64_t lo[], const int64_t count[])
{
    struct drxi_cursor cursor;
    drx_status st = DRX_OK;

    drxi_cursor_start(&cursor, &r->a->data, lo, count, NULL);
    while (!st && drxi_cursor_next(&cursor))
        st = restore_box(r, cursor.index, cursor.piece.address * r->a->data.chunk_pitch_bytes, cursor.piece.start,
                         cursor.piece.count);
    return st;
}

/* About how many chunks a box meets. */
static int64_t count_met(const drx_array *a, const int64_t count[])
{
    int64_t n = 1;

    for (int j = 0; j < a->log.state.desc.ndim; j++)
        n = drxi_mul_saturated(n, count[j] / a->log.state.desc.chunk[j] + 1);
    return n;
}

/* Restore a box of cells in chunks that exist; *changed is set when some did not hold the fill. The box may
 * meet far too many chunks to visit each. Readers that know the cells from before a trim are told first, also if
 * nothing is restored: soon the cells are used again. */
static drx_status restore_cells(drx_array *a, const int64_t lo[], const int64_t count[], bool *changed)
{
    struct restoring r = { a, NULL, 0, 0, false };
    drx_status st = drxi_tell_trims(a, false);

    if (st)
        return st;
    r.buf = drxi_malloc(INSPECT_BYTES);
    if (!r.buf)
        return DRX_ENOMEM;
    a->log.restoring = true;
    st = a->data.zero_fill && count_met(a, count) > drxi_hooks.many_chunks ? restore_stored(&r, lo, count)
                                                                           : restore_met(&r, lo, count);
    a->log.restoring = false;
    *changed = *changed || r.changed;
    drxi_free(r.buf);
    return st;
}

/* The same for cells that a growth uncovers, up to `limit`. */
static drx_status restore_fill(drx_array *a, const struct drxi_growth *growth, int64_t limit, bool *changed)
{
    struct drxi_growth part = *growth;
    int64_t lo[DRX_MAX_NDIM];
    int64_t count[DRX_MAX_NDIM];

    part.bound = growth->end == DRXI_LOW ? drxi_max(growth->bound, limit) : drxi_min(growth->bound, limit);
    return drxi_slab_of(a, &part, lo, count) ? restore_cells(a, lo, count, changed) : DRX_OK;
}

/* Where the chunks end. An axis without indices has no chunks: those that a trim left there are no longer the
 * array's. */
static int64_t chunks_limit(const drx_array *a, int axis, enum drxi_end end)
{
    if (drxi_map_extent(&a->log.state.map, axis) == 0)
        return end == DRXI_LOW ? a->log.state.lower[axis] : a->log.state.upper[axis];
    return end == DRXI_LOW ? drxi_state_chunks_begin(&a->log.state, axis) : drxi_state_chunks_end(&a->log.state, axis);
}

/* Restore the cells outside the bounds of axis 0, then those outside that of axis 1 and not of axis 0, and so on. */
drx_status drxi_restore_outside(drx_array *a, bool *changed)
{
    const struct drxi_data *s = &a->data;
    int64_t lo[DRX_MAX_NDIM];
    int64_t count[DRX_MAX_NDIM];
    bool some = true;
    drx_status st = DRX_OK;

    *changed = false;
    for (int j = 0; j < s->ndim; j++) {
        lo[j] = chunks_limit(a, j, DRXI_LOW);
        count[j] = chunks_limit(a, j, DRXI_HIGH) - lo[j];
        some = some && count[j] > 0;
    }
    for (int j = 0; !st && some && j < s->ndim; j++) {
        const int64_t begin = lo[j], end = begin + count[j];

        count[j] = s->lower[j] - begin;
        if (count[j] > 0)
            st = restore_cells(a, lo, count, changed);
        lo[j] = s->upper[j];
        count[j] = end - lo[j];
        if (!st && count[j] > 0)
            st = restore_cells(a, lo, count, changed);
        lo[j] = s->lower[j];
        count[j] = s->shape[j];
        some = count[j] > 0;
    }
    return st || !*changed ? st : drxi_make_durable(&a->log, a->data.file->io);
}

void drxi_doubt_outside(drx_array *a, int axis, enum drxi_end end)
{
    a->found[end][axis] = chunks_limit(a, axis, end);
}

bool drxi_has_doubt(const drx_array *a, const struct drxi_growth *growth)
{
    const int64_t found = a->found[growth->end][growth->axis];

    return growth->end == DRXI_LOW ? found < a->log.state.lower[growth->axis]
                                   : found > a->log.state.upper[growth->axis];
}

/* A crash or a trim may have left something in these cells that the log does not know. Remove it for good before a GROW
 * can reveal it. */
drx_status drxi_clear_residue(drx_array *a, const struct drxi_growth *growth)
{
    const int64_t found = a->found[growth->end][growth->axis];
    bool changed = false;
    drx_status st;

    if (!drxi_has_doubt(a, growth))
        return DRX_OK;
    st = restore_fill(a, growth, found, &changed);
    if (!st && changed)
        st = drxi_make_durable(&a->log, a->data.file->io);
    return st;
}

drx_status drxi_undo_append(drx_array *a, const struct drxi_growth *growth)
{
    bool changed = false;
    drx_status st = drxi_data_resize(&a->data, a->log.state.map.chunks);

    if (!st)
        st = restore_fill(a, growth, chunks_limit(a, growth->axis, growth->end), &changed);
    if (!st)
        st = drxi_make_durable(&a->log, a->data.file->io);
    return st;
}
