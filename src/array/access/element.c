/* The public reads and writes of single elements.
 *
 * A read from memory takes as long as the processor waits for it. The wait overlaps with that of the next read when few
 * instructions lie between them, so what nearly all reads need comes first (get_quickly): the element lies in the
 * mapped file, and two words of the mapped log say that nothing was trimmed. */
#include "array/access/access.h"
#include "base/hooks.h"
#include "copy/copy.h"
#include "data/sums.h"

/* Find the offset of an element in the file, or return the first axis along which it lies outside the bounds; -1:
 * none. */
static inline int find_cell(const drx_array *a, const int64_t index[], int64_t *offset)
{
    const struct drxi_data *s = &a->data;
    int64_t chunk[DRX_MAX_NDIM], within = 0;

    for (int j = 0; j < s->ndim; j++) {
        if (index[j] < s->lower[j] || index[j] >= s->upper[j])
            return j;
        chunk[j] = drxi_chunk_of(&a->data, j, index[j], &within);
    }
    *offset = drxi_map_address(&s->map, chunk) * a->data.chunk_pitch_bytes + within;
    return -1;
}

static drx_status locate(const drx_array *a, const int64_t index[], const void *value, int64_t *offset)
{
    const struct drxi_data *s = &a->data;
    int j;

    if (!index || !value)
        return drxi_fail(DRX_EINVAL, "%s: the index or the value is a null pointer", a->parts.label);
    j = find_cell(a, index, offset);
    return j < 0 ? DRX_OK : drxi_outside(a, j, s->lower[j], s->upper[j], "index %lld", (long long)index[j]);
}

/* Wait until a call for this element may begin. */
static drx_status take_turn_at(drx_array *a, bool writing, const int64_t index[])
{
    int64_t one[DRX_MAX_NDIM];

    if (!a)
        return drxi_no_array();
    for (int j = 0; j < DRX_MAX_NDIM; j++)
        one[j] = 1;
    return drxi_wait_turn(a, &(struct drxi_pending){ .writing = writing, .lo = index, .count = one });
}

/* Whether an element may come straight from the view: the pool holds nothing newer, nobody asked for its chunk to be
 * verified, and its pages are not in doubt. */
static inline bool is_at_hand(const struct drxi_data *data)
{
    return atomic_load_explicit(&data->view_state, memory_order_acquire) == DRXI_VIEWED && !drxi_data_doubts(data) &&
           !data->file->pool && !(data->file->stored->verified && drxi_verifies()) && !drxi_memory_is_limited() &&
           drxi_hooks.way == DRXI_ANY_WAY;
}

/* Get an element that lies in the mapped file, when nothing else needs a look. */
static inline bool get_quickly(const drx_array *a, const int64_t index[], void *value)
{
    const uint8_t *const place = drxi_watch_place(a);
    const size_t n = a->data.item_bytes;
    int64_t offset;
    uint64_t word[2];

    if (!index || !value || (!place && drxi_watch_needed(a)) || !is_at_hand(&a->data) ||
        find_cell(a, index, &offset) >= 0 || offset + (int64_t)n > a->data.view.bytes)
        return false;
    return drxi_view_get_then(drxi_view_at(&a->data.view, offset), value, n, place, word) &&
           (!place || drxi_watch_quiet(a, word));
}

/* The view that has the element in memory; NULL: calls read it. `asks`: see drxi_data_asks. */
static const struct drxi_view *view_of_element(drx_array *a, int64_t offset, bool asks)
{
    const struct drxi_view *view = drxi_as_from_disk() ? NULL : drxi_data_view(&a->data);

    if (view && asks && drxi_hooks.way != DRXI_MAPPED) {
        const bool there = offset < view->bytes && drxi_data_resident(&a->data, offset);

        drxi_data_answer(&a->data, there);
        view = there ? view : NULL;
    }
    if (!view || offset + (int64_t)a->data.item_bytes > view->bytes)
        return NULL;
    /* Under a limit of memory a call costs less than mapping what is soon released again. */
    return view->bytes <= drxi_view_most() || drxi_data_fits(&a->data, drxi_view_most()) ? view : NULL;
}

static drx_status get_element(drx_array *a, int64_t offset, bool asks, void *value)
{
    const struct drxi_view *const view = view_of_element(a, offset, asks);

    if (view && drxi_view_get(view, offset, value, a->data.item_bytes))
        return DRX_OK;
    drxi_watch_ahead(a);
    if (drxi_cached_get(&a->data, offset, value))
        return DRX_OK;
    return drxi_data_read(&a->data, value, a->data.item_bytes, offset);
}

/* With what the pool holds of it. */
static drx_status get_watched(drx_array *a, const int64_t index[], bool asks, void *value)
{
    int64_t offset = 0;
    drx_status st = locate(a, index, value, &offset);

    if (st)
        return st;
    if (a->data.file->pool && drxi_pool_get(a->data.file->pool, offset, value))
        drxi_swap(value, a->data.item_bytes, a->data.type);
    else
        st = get_element(a, offset, asks, value);
    if (!st && a->data.file->stored->verified && drxi_verifies())
        st = a->data.file->stored->verify(&a->data, offset / a->data.chunk_pitch_bytes);
    return !st || drxi_is_lost(a, st) ? drxi_watched(drxi_watch_points(a, 1, index), st) : st;
}

drx_status drx_get(drx_array *a, const int64_t index[], void *value)
{
    const bool asks = drxi_data_asks();
    drx_status st = DRX_OK;

    if ((!a || drxi_has_pending(a)) && (st = take_turn_at(a, false, index)))
        return st;
    drxi_gate_step_in(&a->gate);
    if (asks || !get_quickly(a, index, value))
        st = get_watched(a, index, asks || drxi_data_doubts(&a->data), value);
    drxi_gate_step_out(&a->gate);
    return st;
}

static drx_status put_element(drx_array *a, int64_t offset, const void *value)
{
    const bool swaps = __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__;
    uint8_t swapped[__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ ? DRXI_ITEM_MAX_BYTES : 1];
    const void *const element = swaps ? swapped : value;
    bool taken = false;
    drx_status st = DRX_OK;

    if (swaps)
        drxi_swap_always(memcpy(swapped, value, a->data.item_bytes), a->data.item_bytes, a->data.type);
    if (a->data.file->pool)
        st = drxi_pool_put(a->data.file->pool, offset, element, &taken);
    atomic_store(&a->data.file->unsynced, true);
    return st || taken ? st : drxi_data_put(&a->data, element, a->data.item_bytes, offset);
}

static drx_status put_beside(drx_array *a, const int64_t index[], int64_t offset, const void *value)
{
    drx_status st = drxi_begin_write(a);

    if (st)
        return st;
    st = drxi_watch_points(a, 1, index);
    if (!st)
        st = put_element(a, offset, value);
    drxi_end_write(a);
    return st;
}

drx_status drx_put(drx_array *a, const int64_t index[], const void *value)
{
    int64_t offset;
    drx_status st = DRX_OK;

    if ((!a || drxi_has_pending(a)) && (st = take_turn_at(a, true, index)))
        return st;
    drxi_gate_enter(&a->gate);
    st = drxi_check_writable(a);
    if (!st)
        st = locate(a, index, value, &offset);
    if (!st)
        st = drxi_watch_needed(a) ? put_beside(a, index, offset, value) : put_element(a, offset, value);
    drxi_gate_leave(&a->gate);
    return st;
}

drx_status drx_set_pool(drx_array *a, size_t bytes)
{
    drx_status st;

    if (!a)
        return drxi_no_array();
    drxi_gate_shut(&a->gate);
    st = drxi_data_bound_pool(&a->data, bytes);
    drxi_gate_open(&a->gate);
    return st;
}
