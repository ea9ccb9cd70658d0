/* A box whose buffer has another type than the array. Cells of a grid cut it into pieces of whole chunks, where these
 * fit. A piece is converted between a stage of the array's type and one of the buffer's. Whoever calls these functions
 * moves the first stage to or from the array.
 *
 * After an element that does not fit, only pieces are looked at that may have one before it. */
#include <inttypes.h>
#include <stdio.h>

#include "array/array.h"
#include "copy/copy.h"

enum { WHERE_BYTES = 24 * DRX_MAX_NDIM + 16 };

static int64_t cell_step(const struct drxi_typed_box *t, int j)
{
    return t->box->step ? t->box->step[j] : 1;
}

/* ---- cutting ------------------------------------------------------------------------- */

/* The most elements of the box that this many indices of an axis hold. */
static int64_t held(const struct drxi_typed_box *t, int j, int64_t span)
{
    return drxi_min(drxi_ceil_div(span, cell_step(t, j)), t->box->count[j]);
}

static int64_t elements_of(const struct drxi_typed_box *t)
{
    int64_t n = 1;

    for (int j = 0; j < t->ndim; j++)
        n = drxi_mul_saturated(n, held(t, j, t->span[j]));
    return n;
}

/* Begin with a chunk, and cut it along the slowest axes, or take more of them along the fastest. */
void drxi_typed_cut(struct drxi_typed_box *t, int64_t bytes)
{
    const int64_t most = drxi_max(1, bytes / (int64_t)(t->item_bytes[0] + t->item_bytes[1]));
    const int64_t *chunk = t->a->data.chunk;
    const bool rows = t->a->data.chunk_order == DRX_ROW_MAJOR;
    int64_t n;

    memcpy(t->span, chunk, (size_t)t->ndim * sizeof *chunk);
    n = elements_of(t);
    for (int k = 0; k < t->ndim && n > most; k++) {
        const int j = rows ? k : t->ndim - 1 - k;
        const int64_t own = held(t, j, t->span[j]);
        const int64_t others = n == INT64_MAX ? INT64_MAX : n / own;

        t->span[j] = drxi_mul_saturated(drxi_max(1, most / others), cell_step(t, j));
        n = elements_of(t);
    }
    for (int k = t->ndim - 1; k >= 0 && n > 0; k--) {
        const int j = rows ? k : t->ndim - 1 - k;

        if (t->span[j] % chunk[j] == 0 && most / n > 1)
            t->span[j] = drxi_mul_saturated(chunk[j], most / n * (t->span[j] / chunk[j]));
        n = elements_of(t);
    }
}

void drxi_typed_cells(const struct drxi_typed_box *t, int64_t first[], int64_t last[])
{
    for (int j = 0; j < t->ndim; j++) {
        const int64_t lo = t->box->lo[j] - t->origin[j];

        first[j] = lo / t->span[j];
        last[j] = (lo + (t->box->count[j] - 1) * cell_step(t, j)) / t->span[j];
    }
}

/* The elements of the box in the cell along one axis; false when there are none. */
static bool cut_axis(struct drxi_typed_box *t, int j, int64_t cell)
{
    const int64_t step = cell_step(t, j), start = t->origin[j] + cell * t->span[j], lo = t->box->lo[j];
    int64_t within;

    t->at[j] = start > lo ? drxi_ceil_div(start - lo, step) : 0;
    t->lo[j] = lo + t->at[j] * step;
    within = t->lo[j] - start;
    if (within >= t->span[j])
        return false;
    t->count[j] = drxi_min(t->box->count[j] - t->at[j], drxi_ceil_div(t->span[j] - within, step));
    return true;
}

/* ---- one piece ----------------------------------------------------------------------- */

/* The place in memory of the piece. */
static uint8_t *memory_of(const struct drxi_typed_box *t)
{
    int64_t offset = 0;

    for (int j = 0; j < t->ndim; j++)
        offset += t->at[j] * t->mem_stride[j];
    return (uint8_t *)t->buf + offset;
}

/* The number in the box, in the order of the stages, of element i of the piece, and its index in the array. */
static int64_t locate(const struct drxi_typed_box *t, int64_t i, int64_t index[])
{
    int64_t number = 0, elements = 1;

    for (int k = 0; k < t->ndim; k++) {
        const int j = t->order == DRX_ROW_MAJOR ? t->ndim - 1 - k : k;
        const int64_t in_piece = i % t->count[j];

        index[j] = t->lo[j] + in_piece * cell_step(t, j);
        number += (t->at[j] + in_piece) * elements;
        elements *= t->box->count[j];
        i /= t->count[j];
    }
    return number;
}

bool drxi_typed_piece(struct drxi_typed_box *t, const int64_t cell[])
{
    int64_t lo[DRX_MAX_NDIM];

    for (int j = 0; j < t->ndim; j++)
        if (!cut_axis(t, j, cell[j]))
            return false;
    drxi_strides(t->ndim, t->count, t->item_bytes[0], t->order, t->own_stride);
    drxi_strides(t->ndim, t->count, t->item_bytes[1], t->order, t->other_stride);
    return locate(t, 0, lo) <= t->refused;
}

/* Element i of the stages does not fit. Keep the first one's detail. */
static void refuse_value(struct drxi_typed_box *t, int64_t i)
{
    const uint8_t *element = (t->writing ? t->other : t->own) + (size_t)i * t->item_bytes[t->writing];
    const drx_type own = t->a->data.type;
    int64_t index[DRX_MAX_NDIM];
    const int64_t number = locate(t, i, index);
    char where[WHERE_BYTES];
    int used = 0;

    if (number >= t->refused)
        return;
    t->refused = number;
    for (int j = 0; j < t->ndim; j++)
        used += snprintf(where + used, sizeof where - (size_t)used, "%s%" PRId64, j ? ", " : "element (", index[j]);
    (void)snprintf(where + used, sizeof where - (size_t)used, ")");
    (void)drxi_fail_conversion(t->a->parts.label, where, t->writing ? t->type : own, element,
                               t->writing ? own : t->type, t->how);
    drxi_report_keep(t->why);
}

/* Convert the piece from the buffer; own NULL: only try. */
static void give_memory(struct drxi_typed_box *t, uint8_t *own)
{
    const int64_t n = drxi_times(1, t->ndim, t->count);
    int64_t done;

    drxi_copy(t->ndim, t->count, t->item_bytes[1], t->other, t->other_stride, memory_of(t), t->mem_stride);
    done = drxi_convert(t->type, t->other, t->a->data.type, own, n, t->how);
    if (done < n)
        refuse_value(t, done);
}

drx_status drxi_typed_give(struct drxi_typed_box *t)
{
    give_memory(t, t->own);
    return drxi_typed_status(t);
}

void drxi_typed_take(struct drxi_typed_box *t)
{
    const int64_t n = drxi_times(1, t->ndim, t->count),
                  done = drxi_convert(t->a->data.type, t->own, t->type, t->other, n, t->how);

    if (done < n)
        refuse_value(t, done);
    else
        drxi_copy(t->ndim, t->count, t->item_bytes[1], memory_of(t), t->mem_stride, t->other, t->other_stride);
}

/* ---- the whole ------------------------------------------------------------------------ */

bool drxi_typed_next(const struct drxi_typed_box *t, const int64_t first[], const int64_t last[], int64_t cell[])
{
    for (int k = t->ndim - 1; k >= 0; k--) {
        const int j = t->order == DRX_ROW_MAJOR ? k : t->ndim - 1 - k;

        if (cell[j]++ < last[j])
            return true;
        cell[j] = first[j];
    }
    return false;
}

drx_status drxi_typed_try(struct drxi_typed_box *t)
{
    int64_t first[DRX_MAX_NDIM], last[DRX_MAX_NDIM], cell[DRX_MAX_NDIM];

    drxi_typed_cells(t, first, last);
    memcpy(cell, first, sizeof cell);
    do
        if (drxi_typed_piece(t, cell))
            give_memory(t, NULL);
    while (drxi_typed_next(t, first, last, cell));
    return drxi_typed_status(t);
}

drx_status drxi_typed_status(const struct drxi_typed_box *t)
{
    if (t->refused == INT64_MAX)
        return DRX_OK;
    drxi_report_set(t->why);
    return DRX_EMISMATCH;
}

/* Strides come from the items of the array; make them those of the buffer's. */
static drx_status memory_strides(struct drxi_typed_box *t)
{
    const drx_box *box = t->box;

    if (!box->stride)
        drxi_strides(t->ndim, box->count, t->item_bytes[1], box->order, t->mem_stride);
    for (int j = 0; box->stride && j < t->ndim; j++)
        if (!drxi_mul(box->stride[j], (int64_t)t->item_bytes[1], &t->mem_stride[j]))
            return drxi_fail(DRX_EOVERFLOW, "%s: axis %d: stride %lld overflows 64 bits", t->a->parts.label, j,
                             (long long)box->stride[j]);
    return DRX_OK;
}

static drx_status check_box(struct drxi_typed_box *t)
{
    const struct drxi_data *s = &t->a->data;
    int64_t unused[DRX_MAX_NDIM];
    drx_status st = t->writing ? drxi_check_writable(t->a) : DRX_OK;

    if (!st)
        st = drxi_check_box(t->a, s->lower, s->upper, t->box, t->buf, &t->empty, unused);
    return st || t->empty ? st : memory_strides(t);
}

drx_status drxi_typed_check(struct drxi_typed_box *t)
{
    const struct drxi_data *desc = &t->a->data;
    drx_status st;

    t->ndim = desc->ndim;
    t->item_bytes[0] = t->a->data.item_bytes;
    t->item_bytes[1] = drx_type_size(t->type);
    t->refused = INT64_MAX;
    t->empty = true;
    st = drxi_check_conversion(t->a->parts.label, t->writing ? t->type : desc->type, t->writing ? desc->type : t->type,
                               t->how);
    if (!st && !t->box)
        st = drxi_fail(DRX_EINVAL, "%s: the box is a null pointer", t->a->parts.label);
    if (!st)
        st = check_box(t);
    t->empty = t->empty || st;
    if (t->empty)
        return st;
    t->order = t->box->stride ? DRX_ROW_MAJOR : t->box->order;
    for (int j = 0; j < t->ndim; j++)
        t->origin[j] = drxi_floor_div(t->box->lo[j], desc->chunk[j]) * desc->chunk[j];
    return DRX_OK;
}

drx_status drxi_typed_stages(struct drxi_typed_box *t)
{
    const int64_t n = elements_of(t);

    t->own = drxi_malloc((size_t)n * t->item_bytes[0]);
    t->other = drxi_malloc((size_t)n * t->item_bytes[1]);
    return t->own && t->other ? DRX_OK : DRX_ENOMEM;
}

void drxi_typed_free(struct drxi_typed_box *t)
{
    drxi_free(t->own);
    drxi_free(t->other);
}
