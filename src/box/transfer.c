/* Moving strided boxes between memory and chunks.
 *
 * Adjacent whole chunks move in one call through a stage of memory. Of other chunks, a read takes the span from the
 * first to the last byte wanted, unless a gap in it costs more than another call. A write takes runs without a gap,
 * and so stores only the bytes of its own box; where nothing else writes to the chunks meanwhile, as in chunks with
 * checksums, which are held, it reads such a span first and writes it whole. */
#include "base/work.h"
#include "box/box.h"
#include "copy/copy.h"
#include "data/sums.h"
#include "drx_tools.h"

enum {
    STAGE_BYTES = 1 << 20,
    LEAST_STAGE_BYTES = 1 << 14,
    MAX_BATCH = 1 << 12,
    READ_THROUGH_BYTES = 1 << 12 /* about what a call costs */
};

struct transfer {
    struct drxi_data *data;
    bool writing;
    bool alone; /* a write: nothing else writes to these chunks meanwhile */
    uint8_t *mem;
    int64_t mem_stride[DRX_MAX_NDIM];  /* bytes */
    int64_t file_stride[DRX_MAX_NDIM]; /* bytes, of one step inside a chunk */
    int axes[DRX_MAX_NDIM];            /* the axes of a chunk, the slowest first */
    uint8_t *stage;
    size_t stage_bytes;
    int64_t batch_first, batch_count, most_batch; /* adjacent whole chunks */
    uint8_t **batch;                              /* the place of each in memory */
    struct drxi_hold hold;                        /* the chunk that is written in parts, if there are checksums */
};

/* For all threads together; 0: unlimited. */
static atomic_size_t memory_bytes;

void drx_set_memory(size_t bytes)
{
    atomic_store_explicit(&memory_bytes, bytes, memory_order_relaxed);
}

/* The limit for one thread. */
static size_t stage_bytes(void)
{
    const size_t all = atomic_load_explicit(&memory_bytes, memory_order_relaxed);
    const size_t own = all / (size_t)drxi_work_most_threads();

    if (all == 0 || own >= STAGE_BYTES)
        return STAGE_BYTES;
    return own < LEAST_STAGE_BYTES ? LEAST_STAGE_BYTES : own / 16 * 16;
}

static drx_status prepare(struct transfer *t, struct drxi_data *data, bool writing, const struct drxi_box *box,
                          void *mem)
{
    const struct drxi_desc *d = &data->state->desc;
    const int64_t *step = box->step;

    memset(t, 0, sizeof *t);
    t->data = data;
    t->writing = writing;
    t->alone = box->alone;
    t->mem = mem;
    for (int j = 0; j < d->ndim; j++) {
        t->mem_stride[j] = box->stride_bytes[j];
        t->file_stride[j] = drxi_mul_saturated(data->item_pitch_bytes[j], step && box->count[j] > 1 ? step[j] : 1);
        t->axes[j] = d->chunk_order == DRX_ROW_MAJOR ? j : d->ndim - 1 - j;
    }
    t->stage_bytes = stage_bytes();
    t->stage = drxi_malloc(t->stage_bytes);
    t->most_batch = drxi_min(MAX_BATCH, (int64_t)t->stage_bytes / data->chunk_pitch_bytes + 1);
    t->batch = drxi_malloc((size_t)t->most_batch * sizeof *t->batch);
    return t->stage && t->batch ? DRX_OK : DRX_ENOMEM;
}

static void release(struct transfer *t)
{
    drxi_free(t->stage);
    drxi_free(t->batch);
}

/* Copy a region between memory and `file`, an image of its bytes in the file with these strides. */
static void copy_region(const struct transfer *t, const int64_t count[], uint8_t *mem, uint8_t *file,
                        const int64_t file_stride[])
{
    const struct drxi_data *data = t->data;
    const int ndim = data->state->desc.ndim;

    if (t->writing)
        drxi_copy(ndim, count, data->item_bytes, file, file_stride, mem, t->mem_stride);
    else
        drxi_copy(ndim, count, data->item_bytes, mem, t->mem_stride, file, file_stride);
}

static drx_status move_batch(struct transfer *t)
{
    struct drxi_data *data = t->data;
    const int64_t pitch = data->chunk_pitch_bytes;
    const size_t bytes = (size_t)((t->batch_count - 1) * pitch + data->chunk_bytes);
    drx_status st = DRX_OK;

    if (t->batch_count == 0)
        return DRX_OK;
    if (!t->writing)
        st = drxi_data_read(data, t->stage, bytes, t->batch_first * pitch);
    else if (pitch != data->chunk_bytes)
        memset(t->stage, 0, bytes); /* padding */
    for (int64_t i = 0; !st && i < t->batch_count; i++)
        copy_region(t, data->state->desc.chunk, t->batch[i], t->stage + i * pitch, data->item_pitch_bytes);
    if (!st && t->writing)
        st = drxi_data_write(data, t->stage, bytes, t->batch_first * pitch);
    t->batch_count = 0;
    return st;
}

static drx_status add_to_batch(struct transfer *t, int64_t address, uint8_t *mem)
{
    const int64_t next = t->batch_first + t->batch_count;
    const bool fits = (t->batch_count + 1) * t->data->chunk_pitch_bytes <= (int64_t)t->stage_bytes;
    drx_status st = DRX_OK;

    if (t->batch_count > 0 && (address != next || !fits || t->batch_count == t->most_batch))
        st = move_batch(t);
    if (t->batch_count == 0)
        t->batch_first = address;
    t->batch[t->batch_count++] = mem;
    return st;
}

static bool is_whole(const struct transfer *t, const struct drxi_piece *piece)
{
    const struct drxi_data *data = t->data;

    if (data->chunk_pitch_bytes > (int64_t)t->stage_bytes)
        return false;
    for (int j = 0; j < data->state->desc.ndim; j++)
        if (piece->count[j] != data->state->desc.chunk[j])
            return false;
    return true;
}

/* The layout of a region in the file: bytes from its first to its last, its widest gap, and its slowest axis of more
 * than one index (-1: none). */
struct shape {
    int64_t span, wanted, widest_gap;
    int slowest;
};

static struct shape shape_of(const struct transfer *t, const int64_t count[])
{
    struct shape s = { (int64_t)t->data->item_bytes, (int64_t)t->data->item_bytes, 0, -1 };

    for (int i = t->data->state->desc.ndim - 1; i >= 0; i--) {
        const int j = t->axes[i];

        if (count[j] == 1)
            continue;
        s.widest_gap = drxi_max(s.widest_gap, t->file_stride[j] - s.span);
        s.span += (count[j] - 1) * t->file_stride[j];
        s.wanted *= count[j];
        s.slowest = j;
    }
    return s;
}

static drx_status write_bytes(struct transfer *t, void *bytes, size_t n, int64_t offset)
{
    if (!t->hold.held)
        return drxi_data_write(t->data, bytes, n, offset);
    drxi_count(&t->data->counts.writes, 1);
    drxi_count(&t->data->counts.written_bytes, (int64_t)n);
    drxi_swap(bytes, n, t->data->state->desc.type);
    return drxi_hold_write(&t->hold, bytes, n, offset);
}

/* Whether the region has the same layout in memory as in the file, without gaps. */
static bool lies_alike(const struct transfer *t, const int64_t count[])
{
    for (int j = 0; j < t->data->state->desc.ndim; j++)
        if (count[j] > 1 && t->mem_stride[j] != t->file_stride[j])
            return false;
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ || !t->writing;
}

static drx_status move_span(struct transfer *t, int64_t offset, const int64_t count[], uint8_t *mem,
                            const struct shape *s)
{
    drx_status st = DRX_OK;

    if (!t->writing || s->span > s->wanted)
        st = drxi_data_read(t->data, t->stage, (size_t)s->span, offset);
    if (!st)
        copy_region(t, count, mem, t->stage, t->file_stride);
    return st || !t->writing ? st : write_bytes(t, t->stage, (size_t)s->span, offset);
}

/* The widest gap that costs less than another call. */
static int64_t least_gap(const struct transfer *t)
{
    if (!t->writing)
        return READ_THROUGH_BYTES;
    return t->alone || t->hold.held ? READ_THROUGH_BYTES / 2 : 0;
}

/* Move a region of a chunk between its first element's offset in the file and its place in memory. */
static drx_status move_region(struct transfer *t, int64_t offset, const int64_t count[], uint8_t *mem)
{
    const struct shape s = shape_of(t, count);
    const int j = s.slowest;
    const bool close_enough = s.widest_gap <= least_gap(t);
    int64_t part[DRX_MAX_NDIM];
    int64_t at_once;
    drx_status st = DRX_OK;

    if (s.span == s.wanted && lies_alike(t, count))
        return t->writing ? write_bytes(t, mem, (size_t)s.span, offset)
                          : drxi_data_read(t->data, mem, (size_t)s.span, offset);
    if (close_enough && s.span <= (int64_t)t->stage_bytes)
        return move_span(t, offset, count, mem, &s);

    /* split the slowest axis into parts that fit */
    memcpy(part, count, sizeof part);
    at_once = close_enough ? drxi_max(1, (int64_t)t->stage_bytes / t->file_stride[j]) : 1;
    for (int64_t i = 0; !st && i < count[j]; i += at_once) {
        part[j] = drxi_min(at_once, count[j] - i);
        st = move_region(t, offset + i * t->file_stride[j], part, mem + i * t->mem_stride[j]);
    }
    return st;
}

static bool is_every_cell(const struct drxi_data *data, const struct drxi_piece *piece)
{
    return memcmp(piece->count, data->state->desc.chunk, (size_t)data->state->desc.ndim * sizeof *piece->count) == 0;
}

static drx_status write_held(struct transfer *t, const struct drxi_piece *piece, int64_t offset, uint8_t *mem)
{
    drx_status st = drxi_hold_start(t->data, piece->address, is_every_cell(t->data, piece), &t->hold);

    if (!st)
        st = move_region(t, offset, piece->count, mem);
    return drxi_hold_end(&t->hold, st);
}

/* Read a piece that is all of its chunk inside the bounds, of an array with checksums. */
static drx_status read_verified(struct transfer *t, const struct drxi_piece *piece, uint8_t *mem)
{
    struct drxi_data *data = t->data;
    const int64_t offset = piece->address * data->chunk_pitch_bytes;
    drx_status st;

    if (data->chunk_bytes > (int64_t)t->stage_bytes) {
        st = drxi_sums_verify_chunk(data, piece->address);
        return st ? st : move_region(t, offset, piece->count, mem);
    }
    st = drxi_data_read(data, t->stage, (size_t)data->chunk_bytes, offset);
    if (!st)
        copy_region(t, piece->count, mem, t->stage, data->item_pitch_bytes);
    return st;
}

static drx_status move_piece(struct transfer *t, const int64_t index[], const struct drxi_piece *piece)
{
    const struct drxi_data *data = t->data;
    int64_t offset = piece->address * data->chunk_pitch_bytes;
    uint8_t *mem = t->mem;
    drx_status st;

    for (int j = 0; j < data->state->desc.ndim; j++) {
        offset += piece->start[j] * data->item_pitch_bytes[j];
        mem += piece->from[j] * t->mem_stride[j];
    }
    if (is_whole(t, piece))
        return add_to_batch(t, piece->address, mem);
    st = move_batch(t); /* which frees the stage */
    if (st || !data->sums)
        return st ? st : move_region(t, offset, piece->count, mem);
    if (t->writing)
        return write_held(t, piece, offset, mem);
    if (drxi_piece_is_all(data->state, index, piece))
        return read_verified(t, piece, mem);
    return move_region(t, offset, piece->count, mem);
}

static bool is_left_out(const struct drxi_box *box, int64_t address)
{
    int64_t low = 0, high = box->n_without;

    while (low < high) {
        const int64_t middle = low + (high - low) / 2;

        if (box->without[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < box->n_without && box->without[low] == address;
}

drx_status drxi_staged_move(struct drxi_data *data, bool writing, const struct drxi_box *box, void *mem)
{
    struct drxi_cursor cursor;
    struct drxi_ahead ahead;
    struct transfer t;
    drx_status st = prepare(&t, data, writing, box, mem);

    drxi_cursor_start(&cursor, data->state, box->lo, box->count, box->step);
    if (box->cold)
        drxi_ahead_start(&ahead, data, box);
    while (!st && drxi_cursor_next(&cursor)) {
        if (is_left_out(box, cursor.piece.address))
            continue;
        if (box->cold)
            drxi_ahead_follow(&ahead, data, drxi_piece_bytes(&cursor.piece, data));
        st = move_piece(&t, cursor.index, &cursor.piece);
    }
    if (!st)
        st = move_batch(&t);
    release(&t);
    return st;
}
