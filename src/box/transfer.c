/* Writing strided boxes to chunks.
 *
 * Adjacent whole chunks go to the file through the stage, in blocks that begin and end at multiples of BLOCK_BYTES: the
 * system keeps such a block in one page of its cache, if it can, and whoever maps the file later finds it by one entry
 * of a page table. A whole chunk without a neighbour goes straight to the file, if it lies in memory as in the file.
 * Into other chunks go runs without gaps, so a write changes only the bytes of its own box. Where nothing else writes
 * to the chunk meanwhile, it reads the span from the first to the last byte, unless a gap in it costs more than another
 * call, and writes it whole. That holds for chunks with checksums, whose entries it takes. */
#include "box/box.h"
#include "copy/copy.h"
#include "data/sums.h"

enum {
    BLOCK_BYTES = 1 << 21,
    STAGE_BYTES = BLOCK_BYTES,
    READ_THROUGH_BYTES = 1 << 11 /* reading this many bytes, and writing them again, costs about as much as a call */
};

struct transfer {
    struct drxi_data *data;
    bool alone; /* nothing else writes to these chunks */
    const uint8_t *mem;
    struct drxi_layout layout;
    uint8_t *stage;
    int64_t stage_bytes;
    int64_t begin, end;    /* the offsets of adjacent whole chunks on the stage; equal: there are none */
    bool alike;            /* whole chunks lie in memory as in the file */
    const uint8_t *lone;   /* the one chunk from `begin` to `end`, in memory, not on the stage; NULL: all are there */
    struct drxi_hold hold; /* with checksums, the chunk that is written in parts */
};

static int64_t stage_bytes(void)
{
    return drxi_min(STAGE_BYTES, drxi_may_take(DRXI_FOR_STAGE) / 16 * 16);
}

/* The bytes of all chunks that the box meets. */
static int64_t chunk_bytes_of(const struct drxi_data *data, const struct drxi_box *box)
{
    int64_t bytes = data->chunk_pitch_bytes;

    for (int j = 0; j < data->ndim; j++) {
        const int64_t last = box->lo[j] + (box->count[j] - 1) * (box->step ? box->step[j] : 1);

        bytes = drxi_mul_saturated(bytes, drxi_floor_div(last, data->chunk[j]) -
                                              drxi_floor_div(box->lo[j], data->chunk[j]) + 1);
    }
    return bytes;
}

/* Whether the bytes go to the file as they are in memory. */
static bool is_straight(const struct drxi_region *s)
{
    return s->span == s->wanted && s->alike && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

static bool goes_straight(const struct transfer *t, const int64_t count[])
{
    const struct drxi_region s = drxi_region_of(&t->layout, count);

    return is_straight(&s);
}

static drx_status prepare_transfer(struct transfer *t, struct drxi_data *data, const struct drxi_box *box,
                                   const void *mem)
{
    const int64_t all = chunk_bytes_of(data, box);

    memset(t, 0, sizeof *t);
    t->data = data;
    t->alone = box->alone;
    t->mem = mem;
    drxi_lay_out(&t->layout, data, box);
    t->alike = goes_straight(t, data->chunk);
    t->stage_bytes = stage_bytes();
    if (all == data->chunk_pitch_bytes && goes_straight(t, box->count))
        return DRX_OK; /* it needs no stage */
    /* room for a block, and the rest of the chunk that completes it */
    t->stage = drxi_malloc((size_t)drxi_min(t->stage_bytes * 2, all));
    return t->stage ? DRX_OK : DRX_ENOMEM;
}

static void release_transfer(struct transfer *t)
{
    drxi_free(t->stage);
}

/* Copy a region from memory to `file`, an image of its bytes with the strides file_stride[]. */
static void copy_region(const struct transfer *t, const int64_t count[], const uint8_t *mem, uint8_t *file,
                        const int64_t file_stride[])
{
    drxi_copy(t->data->ndim, count, t->data->item_bytes, file, file_stride, mem, t->layout.mem_stride);
}

/* Write what is on the stage up to the offset; the rest stays. */
static drx_status write_until(struct transfer *t, int64_t offset)
{
    const int64_t bytes = offset - t->begin;
    drx_status st;

    if (bytes <= 0)
        return DRX_OK;
    st = drxi_data_write(t->data, t->stage, (size_t)bytes, t->begin);
    t->begin = offset;
    if (t->end > offset)
        memmove(t->stage, t->stage + bytes, (size_t)(t->end - offset));
    return st;
}

/* The last chunk goes without the padding behind it. */
static drx_status empty_stage(struct transfer *t)
{
    const int64_t padding = t->data->chunk_pitch_bytes - t->data->chunk_bytes;
    const drx_status st =
        t->lone ? drxi_data_write(t->data, (void *)(uintptr_t)t->lone, (size_t)t->data->chunk_bytes, t->begin)
                : write_until(t, t->end - padding);

    t->lone = NULL;
    t->begin = t->end = 0;
    return st;
}

/* Copy a chunk to the stage. */
static void stage_chunk(const struct transfer *t, const uint8_t *mem, uint8_t *to)
{
    const struct drxi_data *data = t->data;

    copy_region(t, data->chunk, mem, to, data->item_pitch_bytes);
    memset(to + data->chunk_bytes, 0, (size_t)(data->chunk_pitch_bytes - data->chunk_bytes));
}

/* Write the blocks that are complete. */
static drx_status write_blocks(struct transfer *t)
{
    if (t->end - t->begin < t->stage_bytes - t->begin % t->stage_bytes)
        return DRX_OK;
    return t->data->file->stored->held ? empty_stage(t) : write_until(t, t->end / t->stage_bytes * t->stage_bytes);
}

static drx_status stage_lone(struct transfer *t)
{
    stage_chunk(t, t->lone, t->stage);
    t->lone = NULL;
    return write_blocks(t);
}

static drx_status add_chunk(struct transfer *t, int64_t address, const uint8_t *mem)
{
    const int64_t pitch = t->data->chunk_pitch_bytes, offset = address * pitch;
    drx_status st = t->end != offset ? empty_stage(t) : t->lone ? stage_lone(t) : DRX_OK;

    if (t->begin == t->end) {
        t->begin = offset;
        t->end = offset + pitch;
        t->lone = t->alike ? mem : NULL;
        if (t->lone)
            return st;
        stage_chunk(t, mem, t->stage);
    } else {
        stage_chunk(t, mem, t->stage + (t->end - t->begin));
        t->end += pitch;
    }
    return st ? st : write_blocks(t);
}

static bool is_whole_piece(const struct transfer *t, const struct drxi_piece *piece)
{
    const struct drxi_data *data = t->data;

    if (data->chunk_pitch_bytes > t->stage_bytes)
        return false;
    for (int j = 0; j < data->ndim; j++)
        if (piece->count[j] != data->chunk[j])
            return false;
    return true;
}

drx_status drxi_write_held(struct drxi_data *data, struct drxi_hold *hold, void *buf, size_t n, int64_t offset)
{
    if (!hold->held)
        return drxi_data_write(data, buf, n, offset);
    drxi_count(&data->file->counts.writes, 1);
    drxi_count(&data->file->counts.written_bytes, (int64_t)n);
    drxi_swap(buf, n, data->type);
    return drxi_hold_write(hold, buf, n, offset);
}

static drx_status write_transfer_span(struct transfer *t, int64_t offset, const int64_t count[], const uint8_t *mem,
                                      const struct drxi_region *s)
{
    drx_status st = s->span > s->wanted ? drxi_data_read(t->data, t->stage, (size_t)s->span, offset) : DRX_OK;

    if (st)
        return st;
    copy_region(t, count, mem, t->stage, t->layout.file_stride);
    return drxi_write_held(t->data, &t->hold, t->stage, (size_t)s->span, offset);
}

/* Write a region of a chunk from memory to its first element's offset in the file. */
static drx_status write_region(struct transfer *t, int64_t offset, const int64_t count[], const uint8_t *mem)
{
    const struct drxi_region s = drxi_region_of(&t->layout, count);
    const int j = s.slowest;
    const bool close_enough = s.widest_gap <= (t->alone || t->hold.held ? READ_THROUGH_BYTES : 0);
    int64_t part[DRX_MAX_NDIM];
    int64_t at_once;
    drx_status st = DRX_OK;

    if (is_straight(&s))
        return drxi_write_held(t->data, &t->hold, (void *)(uintptr_t)mem, (size_t)s.span, offset);
    if (close_enough && s.span <= t->stage_bytes)
        return write_transfer_span(t, offset, count, mem, &s);

    /* Split the slowest axis into parts that fit in the stage. */
    memcpy(part, count, sizeof part);
    at_once = close_enough ? drxi_max(1, t->stage_bytes / t->layout.file_stride[j]) : 1;
    for (int64_t i = 0; !st && i < count[j]; i += at_once) {
        part[j] = drxi_min(at_once, count[j] - i);
        st = write_region(t, offset + i * t->layout.file_stride[j], part, mem + i * t->layout.mem_stride[j]);
    }
    return st;
}

static bool is_every_cell(const struct drxi_data *data, const struct drxi_piece *piece)
{
    return memcmp(piece->count, data->chunk, (size_t)data->ndim * sizeof *piece->count) == 0;
}

static drx_status write_held(struct transfer *t, const struct drxi_piece *piece, int64_t offset, const uint8_t *mem)
{
    drx_status st = drxi_hold_start(t->data, piece->address, is_every_cell(t->data, piece), &t->hold);

    if (!st)
        st = write_region(t, offset, piece->count, mem);
    return drxi_hold_end(&t->hold, st);
}

static drx_status write_piece(struct transfer *t, const struct drxi_piece *piece)
{
    const struct drxi_data *data = t->data;
    int64_t offset = piece->address * data->chunk_pitch_bytes;
    const uint8_t *mem = t->mem;
    drx_status st;

    for (int j = 0; j < data->ndim; j++) {
        offset += piece->start[j] * data->item_pitch_bytes[j];
        mem += piece->from[j] * t->layout.mem_stride[j];
    }
    if (is_whole_piece(t, piece))
        return add_chunk(t, piece->address, mem);
    st = empty_stage(t);
    if (st)
        return st;
    return data->file->stored->held ? write_held(t, piece, offset, mem) : write_region(t, offset, piece->count, mem);
}

drx_status drxi_staged_write(struct drxi_data *data, const struct drxi_box *box, const void *mem)
{
    struct drxi_cursor cursor;
    struct transfer t;
    drx_status st = prepare_transfer(&t, data, box, mem);

    drxi_cursor_start(&cursor, data, box->lo, box->count, box->step);
    while (!st && drxi_cursor_next(&cursor))
        if (!drxi_leaves_out(box, cursor.piece.address))
            st = write_piece(&t, &cursor.piece);
    if (!st)
        st = empty_stage(&t);
    release_transfer(&t);
    return st;
}
