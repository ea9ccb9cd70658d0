/* Reads and writes with a buffer of another type. A box is cut into pieces of whole chunks where they fit. Each piece is
 * moved between the array and a stage of its own type, and converted between that and a stage of the buffer's type.
 *
 * A write goes over all pieces twice: it converts them without storing anything, and then once more to store them.
 * After an element that does not fit, only pieces are looked at that may have one before it. */
#include <inttypes.h>
#include <stdio.h>

#include "array/array.h"
#include "copy/convert.h"
#include "copy/copy.h"

enum { STAGE_BYTES = 2 << 20, LEAST_STAGE_BYTES = 64 << 10, WHERE_BYTES = 24 * DRX_MAX_NDIM + 16 };

struct moving {
    drx_array *a;
    const drx_box *box;
    drx_type type; /* of the buffer */
    drx_conversion how;
    bool writing, storing; /* a write that only tries does not store */
    uint8_t *buf;
    int ndim;
    size_t item_bytes[2];             /* of the array, of the buffer */
    int64_t mem_stride[DRX_MAX_NDIM]; /* of the buffer, bytes */
    int64_t span[DRX_MAX_NDIM];       /* the most indices of the array that a piece covers along each axis */
    int64_t at[DRX_MAX_NDIM];         /* the piece, counted in the box */
    int64_t count[DRX_MAX_NDIM];
    uint8_t *own, *other;        /* the stages */
    int64_t refused;             /* the number in the box of the first element that does not fit */
    char why[DRXI_DETAIL_BYTES]; /* about it */
    int64_t own_stride[DRX_MAX_NDIM], other_stride[DRX_MAX_NDIM]; /* of a piece, bytes */
};

static int64_t step_of(const struct moving *m, int j)
{
    return m->box->step ? m->box->step[j] : 1;
}

/* ---- cutting ------------------------------------------------------------------------- */

/* The most elements of the box that so many indices of an axis hold. */
static int64_t held(const struct moving *m, int j, int64_t span)
{
    return drxi_min(drxi_ceil_div(span, step_of(m, j)), m->box->count[j]);
}

static int64_t elements_of(const struct moving *m)
{
    int64_t n = 1;

    for (int j = 0; j < m->ndim; j++)
        n = drxi_mul_saturated(n, held(m, j, m->span[j]));
    return n;
}

/* Bytes of both stages. A compressed chunk is decoded as a whole anyway. */
static int64_t stage_bytes(const struct moving *m)
{
    const int64_t limit = (int64_t)drxi_memory_limit();
    const int64_t most = m->a->data.pack ? drxi_max(STAGE_BYTES, 2 * m->a->data.chunk_pitch_bytes) : STAGE_BYTES;

    return limit > 0 ? drxi_min(most, drxi_max(limit / 8, LEAST_STAGE_BYTES)) : most;
}

/* Begin with a chunk, and cut it along the slowest axes, or take more of them along the fastest. */
static void choose_spans(struct moving *m)
{
    const int64_t most = drxi_max(1, stage_bytes(m) / (int64_t)(m->item_bytes[0] + m->item_bytes[1]));
    const int64_t *chunk = m->a->log.state.desc.chunk;
    const bool rows = m->a->log.state.desc.chunk_order == DRX_ROW_MAJOR;
    int64_t n;

    memcpy(m->span, chunk, (size_t)m->ndim * sizeof *chunk);
    n = elements_of(m);
    for (int k = 0; k < m->ndim && n > most; k++) {
        const int j = rows ? k : m->ndim - 1 - k;
        const int64_t own = held(m, j, m->span[j]);
        const int64_t others = n == INT64_MAX ? INT64_MAX : n / own;

        m->span[j] = drxi_mul_saturated(drxi_max(1, most / others), step_of(m, j));
        n = elements_of(m);
    }
    for (int k = m->ndim - 1; k >= 0 && n > 0; k--) {
        const int j = rows ? k : m->ndim - 1 - k;

        if (m->span[j] % chunk[j] == 0 && most / n > 1)
            m->span[j] = drxi_mul_saturated(chunk[j], most / n * (m->span[j] / chunk[j]));
        n = elements_of(m);
    }
}

/* How many elements the piece has that begins at element `at` of an axis. It ends where a chunk does, if it has whole
 * ones. */
static int64_t take(const struct moving *m, int j, int64_t at)
{
    const int64_t chunk = m->a->log.state.desc.chunk[j], step = step_of(m, j), left = m->box->count[j] - at;
    const int64_t first = m->box->lo[j] + at * step;
    const int64_t before = m->span[j] % chunk == 0 ? drxi_floor_mod(first, chunk) : 0;

    return drxi_min(left, drxi_ceil_div(m->span[j] - before, step));
}

/* The next piece, the last axis of the order first; false: there is none. */
static bool next_piece(struct moving *m)
{
    const bool rows = m->box->stride || m->box->order == DRX_ROW_MAJOR;

    for (int k = m->ndim - 1; k >= 0; k--) {
        const int j = rows ? k : m->ndim - 1 - k;

        m->at[j] += m->count[j];
        if (m->at[j] < m->box->count[j]) {
            m->count[j] = take(m, j, m->at[j]);
            return true;
        }
        m->at[j] = 0;
        m->count[j] = take(m, j, 0);
    }
    return false;
}

/* ---- one piece ----------------------------------------------------------------------- */

static int64_t piece_elements(const struct moving *m)
{
    int64_t n = 1;

    for (int j = 0; j < m->ndim; j++)
        n *= m->count[j];
    return n;
}

/* The place in memory of the piece. */
static uint8_t *memory_of(const struct moving *m)
{
    int64_t offset = 0;

    for (int j = 0; j < m->ndim; j++)
        offset += m->at[j] * m->mem_stride[j];
    return m->buf + offset;
}

static drx_order stage_order(const struct moving *m)
{
    return m->box->stride ? DRX_ROW_MAJOR : m->box->order;
}

/* The number in the box, in the order of the stages, of element i of the piece, and its index in the array. */
static int64_t locate(const struct moving *m, int64_t i, int64_t index[])
{
    int64_t number = 0, elements = 1;

    for (int k = 0; k < m->ndim; k++) {
        const int j = stage_order(m) == DRX_ROW_MAJOR ? m->ndim - 1 - k : k;
        const int64_t in_box = m->at[j] + i % m->count[j];

        index[j] = m->box->lo[j] + in_box * step_of(m, j);
        number += in_box * elements;
        elements *= m->box->count[j];
        i /= m->count[j];
    }
    return number;
}

/* Element i of the stages does not fit. Keep the first one's detail. */
static void refuse(struct moving *m, int64_t i)
{
    const uint8_t *element = (m->writing ? m->other : m->own) + (size_t)i * m->item_bytes[m->writing];
    const drx_type own = m->a->log.state.desc.type;
    int64_t index[DRX_MAX_NDIM];
    const int64_t number = locate(m, i, index);
    char where[WHERE_BYTES];
    int used = 0;

    if (number >= m->refused)
        return;
    m->refused = number;
    for (int j = 0; j < m->ndim; j++)
        used += snprintf(where + used, sizeof where - (size_t)used, "%s%" PRId64, j ? ", " : "element (", index[j]);
    (void)snprintf(where + used, sizeof where - (size_t)used, ")");
    (void)drxi_fail_conversion(m->a->parts.label, where, m->writing ? m->type : own, element,
                               m->writing ? own : m->type, m->how);
    drxi_report_keep(m->why);
}

static drx_status read_piece(struct moving *m, const drx_box *piece)
{
    const int64_t n = piece_elements(m);
    drx_status st = drxi_read_now(m->a, piece, m->own);
    int64_t done;

    if (st)
        return st;
    done = drxi_convert(m->a->log.state.desc.type, m->own, m->type, m->other, n, m->how);
    if (done < n)
        refuse(m, done);
    else
        drxi_copy(m->ndim, m->count, m->item_bytes[1], memory_of(m), m->mem_stride, m->other, m->other_stride);
    return DRX_OK;
}

static drx_status write_piece(struct moving *m, const drx_box *piece)
{
    const int64_t n = piece_elements(m);
    int64_t done;

    drxi_copy(m->ndim, m->count, m->item_bytes[1], m->other, m->other_stride, memory_of(m), m->mem_stride);
    done = drxi_convert(m->type, m->other, m->a->log.state.desc.type, m->storing ? m->own : NULL, n, m->how);
    if (done < n)
        refuse(m, done);
    return m->storing && done == n ? drxi_write_now(m->a, piece, m->own) : DRX_OK;
}

static drx_status move_piece(struct moving *m)
{
    int64_t lo[DRX_MAX_NDIM];
    const drx_box piece = {
        .lo = lo, .count = m->count, .step = m->box->step, .order = stage_order(m), .flags = m->box->flags
    };

    if (locate(m, 0, lo) > m->refused)
        return DRX_OK;
    drxi_strides(m->ndim, m->count, m->item_bytes[0], stage_order(m), m->own_stride);
    drxi_strides(m->ndim, m->count, m->item_bytes[1], stage_order(m), m->other_stride);
    return m->writing ? write_piece(m, &piece) : read_piece(m, &piece);
}

static drx_status move_pieces(struct moving *m)
{
    drx_status st;

    memset(m->at, 0, sizeof m->at);
    for (int j = 0; j < m->ndim; j++)
        m->count[j] = take(m, j, 0);
    do
        st = move_piece(m);
    while (!st && next_piece(m));
    if (st || m->refused == INT64_MAX)
        return st;
    drxi_report_set(m->why);
    return DRX_EMISMATCH;
}

/* ---- the whole ------------------------------------------------------------------------ */

/* Strides come from the items of the array; make them those of the buffer's. */
static drx_status memory_strides(struct moving *m)
{
    if (!m->box->stride)
        drxi_strides(m->ndim, m->box->count, m->item_bytes[1], m->box->order, m->mem_stride);
    for (int j = 0; m->box->stride && j < m->ndim; j++)
        if (!drxi_mul(m->box->stride[j], (int64_t)m->item_bytes[1], &m->mem_stride[j]))
            return drxi_fail(DRX_EOVERFLOW, "%s: axis %d: stride %lld overflows 64 bits", m->a->parts.label, j,
                             (long long)m->box->stride[j]);
    return DRX_OK;
}

static drx_status check(struct moving *m, bool *empty)
{
    int64_t unused[DRX_MAX_NDIM];
    drx_status st = DRX_OK;

    drxi_gate_enter(&m->a->gate);
    m->ndim = m->a->log.state.desc.ndim;
    m->item_bytes[0] = m->a->data.item_bytes;
    m->item_bytes[1] = drx_type_size(m->type);
    if (m->writing)
        st = drxi_check_writable(m->a);
    if (!st)
        st = drxi_check_box(m->a, m->a->log.state.lower, m->a->log.state.upper, m->box, m->buf, empty, unused);
    if (!st && !*empty)
        st = memory_strides(m);
    if (!st && !*empty)
        choose_spans(m);
    drxi_gate_leave(&m->a->gate);
    return st;
}

static drx_status move(struct moving *m)
{
    const int64_t n = elements_of(m);
    drx_status st = DRX_ENOMEM;

    m->own = drxi_malloc((size_t)n * m->item_bytes[0]);
    m->other = drxi_malloc((size_t)n * m->item_bytes[1]);
    if (m->own && m->other)
        st = move_pieces(m);
    if (!st && m->writing) {
        m->storing = true;
        st = move_pieces(m);
    }
    drxi_free(m->own);
    drxi_free(m->other);
    return st;
}

static drx_status access_as(drx_array *a, const drx_box *box, drx_type type, drx_conversion how, bool writing,
                            void *buf)
{
    struct moving m = {
        .a = a, .box = box, .type = type, .how = how, .writing = writing, .buf = buf, .refused = INT64_MAX
    };
    bool empty = false;
    drx_status st = a ? drxi_check_conversion(a->parts.label, type, a->log.state.desc.type, how) : drxi_no_array();

    if (!st && !box)
        st = drxi_fail(DRX_EINVAL, "%s: the box is a null pointer", a->parts.label);
    if (!st && type == a->log.state.desc.type)
        return writing ? drx_write_box(a, box, buf) : drx_read_box(a, box, buf);
    if (!st)
        st = drxi_wait_turn(
            a, &(struct drxi_pending){ .writing = writing, .lo = box->lo, .count = box->count, .step = box->step });
    if (!st)
        st = check(&m, &empty);
    return st || empty ? st : move(&m);
}

drx_status drx_read_box_as(drx_array *a, const drx_box *box, drx_type type, drx_conversion how, void *buf)
{
    return access_as(a, box, type, how, false, buf);
}

drx_status drx_write_box_as(drx_array *a, const drx_box *box, drx_type type, drx_conversion how, const void *buf)
{
    return access_as(a, box, type, how, true, (void *)(uintptr_t)buf); /* only read */
}

drx_status drx_read_as(drx_array *a, const int64_t lo[], const int64_t count[], drx_order order, drx_type type,
                       drx_conversion how, void *buf)
{
    return drx_read_box_as(a, &(drx_box){ .lo = lo, .count = count, .order = order }, type, how, buf);
}

drx_status drx_write_as(drx_array *a, const int64_t lo[], const int64_t count[], drx_order order, drx_type type,
                        drx_conversion how, const void *buf)
{
    return drx_write_box_as(a, &(drx_box){ .lo = lo, .count = count, .order = order }, type, how, buf);
}
