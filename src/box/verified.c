/* Reading boxes from a view of data with checksums. The code compares whole chunks with their checksums while it copies
 * them, when they are in the caches, and in the order of memory, which fast copying needs. It reads what does not match
 * again through a stage.
 *
 * It reads the box in blocks of chunks, and looks up the checksums of a block at once. It reads a block in bands of
 * chunks that are neighbours in memory, and folds a band while it copies it (copy/fold.h). Where that does not pay, or
 * strands are not whole lines, it copies a band in parts, each with rows of all its chunks, and reads each part again
 * for the checksums. */
#include "box/box.h"
#include "copy/copy.h"
#include "copy/fold.h"
#include "data/sums.h"
#include "format/crc.h"

enum {
    PART_BYTES = 1 << 18,  /* of a band, in rows */
    WHOLE_BYTES = 1 << 20, /* of a band of whole chunks */
    STRANDS = 512,         /* of a band */
    RUN = 16               /* the least chunks of a block that are adjacent in the file, if there are this many */
};

struct reading {
    struct drxi_data *data;
    const struct drxi_box *box;
    uint8_t *buf;
    int fast;                                  /* the axis along which memory is contiguous */
    int rows;                                  /* the slowest axis of a chunk in the file */
    int64_t end[DRX_MAX_NDIM];                 /* the end of the chunks of the box */
    int64_t at[DRX_MAX_NDIM], n[DRX_MAX_NDIM]; /* the block: its first chunk, and how many */
    int64_t chunk[DRX_MAX_NDIM], chunks;       /* the band: its first chunk, and how many along `fast` */
    int64_t address[DRXI_SUMS_MOST];           /* of each chunk of the block, in row-major order */
    bool counts[DRXI_SUMS_MOST];               /* the chunk must match its checksum */
    uint32_t crc[DRXI_SUMS_MOST];
    bool folds;
    struct drxi_fold fold; /* of a chunk: strands, strand_bytes, and the factors */
    uint32_t zeros;        /* XOR of the checksum of a chunk's whole lines with that of the line into which they fold */
    bool good;             /* the copied chunks match */
};

/* Whether it leaves out elements between those that it takes. Of a chunk at a bound it may take all even so. */
static bool skips(const struct drxi_data *data, const struct drxi_box *box)
{
    for (int j = 0; j < data->ndim; j++)
        if (box->step && box->step[j] > 1 && box->count[j] > 1 && data->chunk[j] > 1)
            return true;
    return false;
}

bool drxi_verified_some(const struct drxi_data *data, const struct drxi_box *box)
{
    if (!data->file->sums || skips(data, box))
        return false;
    for (int j = 0; j < data->ndim; j++) {
        const int64_t extent = data->chunk[j], lo = box->lo[j];
        const int64_t begin = (lo == data->lower[j] ? drxi_floor_div(lo, extent) : drxi_ceil_div(lo, extent)) * extent;

        if (extent > 1 && drxi_min(begin + extent, data->upper[j]) > lo + box->count[j])
            return false;
    }
    return true;
}

drx_status drxi_verified_parts(struct drxi_data *data, const struct drxi_box *box)
{
    struct drxi_cursor c;
    drx_status st = DRX_OK;
    bool all;

    if (!data->file->sums || !drxi_verifies())
        return DRX_OK;
    all = skips(data, box);
    drxi_cursor_start(&c, data, box->lo, box->count, box->step);
    while (!st && drxi_cursor_next(&c))
        if (all || !drxi_piece_is_all(data, c.index, &c.piece))
            st = drxi_sums_verify_chunk(data, c.piece.address);
    return st;
}

static int64_t chunk_step(const struct reading *r, int j)
{
    return r->box->step && r->box->count[j] > 1 ? r->box->step[j] : 1;
}

/* The part of the box in some chunks. */
struct piece {
    struct drxi_box box;
    uint8_t *buf;
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
};

/* Cut the box to the indices first <= i < end on axis j; false when nothing is left. */
static bool cut_verified(const struct reading *r, struct piece *p, int j, int64_t first, int64_t end)
{
    const int64_t step = chunk_step(r, j), lo = r->box->lo[j];
    const int64_t from = first <= lo ? 0 : drxi_ceil_div(first - lo, step);

    p->count[j] = drxi_min(r->box->count[j], drxi_ceil_div(end - lo, step)) - from;
    p->lo[j] = lo + from * step;
    p->buf += from * r->box->stride_bytes[j];
    return p->count[j] > 0;
}

/* Cut the box to the chunks from first[] on, n[] of them. */
static bool verified_piece(const struct reading *r, const int64_t first[], const int64_t n[], struct piece *p)
{
    bool some = true;

    p->box = *r->box;
    p->box.lo = p->lo;
    p->box.count = p->count;
    p->buf = r->buf;
    for (int j = 0; j < r->data->ndim; j++) {
        const int64_t extent = r->data->chunk[j];

        some = cut_verified(r, p, j, first[j] * extent, drxi_min(first[j] + n[j], r->end[j]) * extent) && some;
    }
    return some;
}

/* Chunks of the block that are adjacent in the file. */
struct run {
    int64_t address, n;
    int place[DRXI_SUMS_MOST];
};

static drx_status get_run(struct reading *r, struct run *run)
{
    struct drxi_sum sum[DRXI_SUMS_MOST];
    int64_t there;
    drx_status st = run->n > 0 ? drxi_sums_get(r->data->file->sums, run->address, run->n, sum, &there) : DRX_OK;

    for (int64_t i = 0; !st && i < run->n; i++) {
        st = drxi_sums_judge(r->data, run->address + i, &sum[i], i < there);
        r->counts[run->place[i]] = drxi_sum_counts(r->data->file->sums, &sum[i]);
        r->crc[run->place[i]] = sum[i].crc;
    }
    run->n = 0;
    return st;
}

static int chunk_place(const struct reading *r, const int64_t chunk[])
{
    int64_t place = 0;

    for (int j = 0; j < r->data->ndim; j++)
        place = place * r->n[j] + chunk[j] - r->at[j];
    return (int)place;
}

static drx_status get_sums(struct reading *r)
{
    struct drxi_cursor c;
    struct piece block;
    struct run run = { .n = 0 };
    drx_status st = DRX_OK;

    memset(r->counts, 0, sizeof r->counts); /* steps may skip chunks */
    memset(r->address, 0, sizeof r->address);
    if (!verified_piece(r, r->at, r->n, &block))
        return DRX_OK;
    drxi_cursor_start(&c, r->data, block.lo, block.count, r->box->step);
    while (!st && drxi_cursor_next(&c)) {
        const int place = chunk_place(r, c.index);

        r->address[place] = c.piece.address;
        if (!drxi_piece_is_all(r->data, c.index, &c.piece))
            continue;
        if (c.piece.address != run.address + run.n) {
            st = get_run(r, &run);
            run.address = c.piece.address;
        }
        run.place[run.n++] = place;
    }
    return st ? st : get_run(r, &run);
}

/* The distance in the block between chunks along `fast`. */
static int stride_of_band(const struct reading *r)
{
    int64_t stride = 1;

    for (int j = r->data->ndim - 1; j > r->fast; j--)
        stride *= r->n[j];
    return (int)stride;
}

static bool piece_of_band(const struct reading *r, struct piece *band)
{
    int64_t n[DRX_MAX_NDIM];

    for (int j = 0; j < r->data->ndim; j++)
        n[j] = j == r->fast ? r->chunks : 1;
    return verified_piece(r, r->chunk, n, band);
}

static const uint8_t *chunk_bytes(const struct reading *r, int place)
{
    return drxi_view_at(&r->data->view, r->address[place] * r->data->chunk_pitch_bytes);
}

static void compare_sums(struct reading *r, const uint32_t crc[])
{
    const int stride = stride_of_band(r);
    int place = chunk_place(r, r->chunk);

    for (int64_t i = 0; i < r->chunks; i++, place += stride)
        r->good = r->good && (!r->counts[place] || crc[i] == r->crc[place]);
}

static uint32_t folded_crc(struct reading *r, int64_t i, int place)
{
    const int64_t rest = r->data->chunk_bytes % DRXI_LINE_BYTES;
    uint8_t folded[DRXI_LINE_BYTES];
    uint32_t crc;

    drxi_fold_end(&r->fold, i, folded);
    crc = r->zeros ^ drxi_crc32c(0, folded, sizeof folded);
    return drxi_crc32c(crc, chunk_bytes(r, place) + r->data->chunk_bytes - rest, (size_t)rest);
}

static void fold_band(struct reading *r, const struct piece *band, uint32_t crc[])
{
    const int stride = stride_of_band(r);
    const int first = chunk_place(r, r->chunk);
    struct drxi_strand strand[STRANDS];
    const uint8_t *src[STRANDS];

    for (int64_t i = 0; i < r->chunks; i++)
        src[i] = chunk_bytes(r, first + (int)i * stride);
    r->fold.src = src;
    r->fold.chunks = r->chunks;
    r->fold.strand = strand;
    drxi_fold_start(&r->fold);
    drxi_mapped_copy(r->data, &band->box, band->buf, &r->fold);
    for (int64_t i = 0; i < r->chunks; i++)
        if (r->counts[first + (int)i * stride])
            crc[i] = folded_crc(r, i, first + (int)i * stride);
}

/* Copy rows of the band's chunks from `row` on, then update the checksums. */
static void copy_band_part(struct reading *r, const struct piece *band, uint32_t crc[], int64_t row, int64_t rows)
{
    const int j = r->rows, stride = stride_of_band(r);
    const int64_t row_bytes = r->data->item_pitch_bytes[j], extent = r->data->chunk[j];
    const int64_t first = r->chunk[j] * extent + row;
    struct piece part = *band;
    int place = chunk_place(r, r->chunk);
    bool some = true;

    part.box.lo = part.lo;
    part.box.count = part.count;
    if (rows < extent) {
        part.buf -= (band->lo[j] - r->box->lo[j]) / chunk_step(r, j) * r->box->stride_bytes[j];
        some = cut_verified(r, &part, j, first, first + rows);
    }
    if (some)
        drxi_mapped_copy(r->data, &part.box, part.buf, NULL);
    for (int64_t i = 0; i < r->chunks; i++, place += stride)
        if (r->counts[place])
            crc[i] = drxi_crc32c(crc[i], chunk_bytes(r, place) + row * row_bytes, (size_t)(rows * row_bytes));
}

/* Copy in one part where rows of a chunk are neighbours in memory. */
static void copy_parts(struct reading *r, const struct piece *band, uint32_t crc[])
{
    const int64_t extent = r->data->chunk[r->rows];
    const int64_t most =
        r->rows == r->fast ? extent : drxi_max(1, PART_BYTES / r->chunks / r->data->item_pitch_bytes[r->rows]);

    for (int64_t row = 0; row < extent; row += most)
        copy_band_part(r, band, crc, row, drxi_min(most, extent - row));
}

static void copy_band(void *arg)
{
    struct reading *r = arg;
    struct piece band;
    uint32_t crc[DRXI_SUMS_MOST] = { 0 };

    r->good = true;
    if (!piece_of_band(r, &band))
        return;
    if (r->folds)
        fold_band(r, &band, crc);
    else
        copy_parts(r, &band, crc);
    compare_sums(r, crc);
}

static drx_status read_band(struct reading *r)
{
    struct piece band;

    r->good = false;
    if (drxi_view_use(&r->data->view, copy_band, r) && r->good)
        return DRX_OK;
    return piece_of_band(r, &band) ? drxi_concurrent_read(r->data, &band.box, band.buf, 1) : DRX_OK;
}

/* The most chunks of a band. */
static int64_t most_of_band(const struct reading *r)
{
    if (r->folds)
        return STRANDS / r->fold.strands;
    return r->rows == r->fast ? drxi_max(1, WHOLE_BYTES / r->data->chunk_pitch_bytes) : DRXI_SUMS_MOST;
}

static drx_status read_verified_block(struct reading *r)
{
    const int ndim = r->data->ndim;
    int64_t end[DRX_MAX_NDIM], by[DRX_MAX_NDIM];
    drx_status st = get_sums(r);

    for (int j = 0; j < ndim; j++) {
        end[j] = r->at[j] + r->n[j];
        by[j] = j == r->fast ? r->n[j] : 1;
        r->chunk[j] = r->at[j];
    }
    if (st)
        return st;
    do {
        const int64_t first = r->chunk[r->fast];

        for (; !st && r->chunk[r->fast] < end[r->fast]; r->chunk[r->fast] += r->chunks) {
            r->chunks = drxi_min(most_of_band(r), end[r->fast] - r->chunk[r->fast]);
            st = read_band(r);
        }
        r->chunk[r->fast] = first;
    } while (!st && drxi_next_box(ndim, r->at, end, by, r->chunk));
    return st;
}

static void choose_axes(struct reading *r)
{
    const int slowest = r->data->chunk_order == DRX_ROW_MAJOR ? 0 : r->data->ndim - 1, by = slowest == 0 ? 1 : -1;
    int64_t least = INT64_MAX;

    r->fast = r->data->ndim - 1;
    for (int j = 0; j < r->data->ndim; j++) {
        const int64_t stride = drxi_magnitude(r->box->stride_bytes[j]);

        if (r->box->count[j] > 1 && stride < least) {
            least = stride;
            r->fast = j;
        }
    }
    r->rows = slowest;
    for (int k = 1; k < r->data->ndim && r->data->chunk[r->rows] == 1; k++)
        r->rows += by;
}

/* Choose strands, which are copied in the order of the file whatever the outer loops. A strand runs along the two
 * fastest axes of a chunk, if memory is not contiguous along the second, and along further axes as long as these are
 * slower in memory, too. */
static void choose_strands(struct reading *r)
{
    const struct drxi_data *data = r->data;
    int64_t chunk_lines = data->chunk_bytes / DRXI_LINE_BYTES * DRXI_LINE_BYTES, before = 0;
    int n = 0;
    bool on = true;

    r->fold.strands = 1;
    r->fold.strand_bytes = (int64_t)data->item_bytes;
    for (int k = 0; k < data->ndim; k++) {
        const int j = data->chunk_order == DRX_ROW_MAJOR ? data->ndim - 1 - k : k;
        const int64_t stride = drxi_magnitude(r->box->stride_bytes[j]);

        if (data->chunk[j] == 1)
            continue;
        on = on && (n == 0 || (j != r->fast && (n == 1 || stride >= before)));
        if (on)
            r->fold.strand_bytes *= data->chunk[j];
        else
            r->fold.strands *= data->chunk[j];
        before = stride;
        n++;
    }
    r->folds = drxi_fold_pays(r->fold.strand_bytes) && r->box->stride_bytes[r->fast] == (int64_t)data->item_bytes &&
               r->fold.strands <= STRANDS && (r->fold.strands == 1 || r->fold.strand_bytes % DRXI_LINE_BYTES == 0);
    drxi_crc32c_factors(DRXI_LINE_BYTES, r->fold.past_line);
    if (r->folds)
        drxi_crc32c_factors(r->fold.strand_bytes, r->fold.past_strand);
    r->zeros = drxi_crc32c_zeros(chunk_lines) ^ drxi_crc32c_zeros(DRXI_LINE_BYTES);
}

/* Choose a block that is long along the axis where chunks are neighbours in memory, and not too short along the axis
 * where they are neighbours in the file. */
static void choose_block(struct reading *r, const int64_t first[], int64_t by[])
{
    const int last = r->data->ndim - 1;

    for (int j = 0; j <= last; j++)
        by[j] = 1;
    by[last] = drxi_min(r->end[last] - first[last], RUN);
    by[r->fast] = drxi_min(r->end[r->fast] - first[r->fast], DRXI_SUMS_MOST / (r->fast == last ? 1 : by[last]));
    if (r->fast != last)
        by[last] = drxi_min(r->end[last] - first[last], DRXI_SUMS_MOST / by[r->fast]);
}

drx_status drxi_verified_read(struct drxi_data *data, struct drxi_box *box, void *buf)
{
    const int ndim = data->ndim;
    struct reading r;
    int64_t first[DRX_MAX_NDIM], by[DRX_MAX_NDIM];
    int64_t bytes = (int64_t)data->item_bytes;
    drx_status st;

    if (!drxi_mapped_look(data, box))
        return drxi_concurrent_read(data, box, buf, 1);
    r.data = data;
    r.box = box;
    r.buf = buf;
    choose_axes(&r);
    choose_strands(&r);
    for (int j = 0; j < ndim; j++) {
        const int64_t extent = data->chunk[j];

        r.at[j] = first[j] = drxi_floor_div(box->lo[j], extent);
        r.end[j] = drxi_floor_div(box->lo[j] + (box->count[j] - 1) * chunk_step(&r, j), extent) + 1;
        bytes = drxi_mul_saturated(bytes, box->count[j]);
    }
    choose_block(&r, first, by);
    do {
        for (int j = 0; j < ndim; j++)
            r.n[j] = drxi_min(by[j], r.end[j] - r.at[j]);
        st = read_verified_block(&r);
    } while (!st && drxi_next_box(ndim, first, r.end, by, r.at));
    drxi_mapped_used(data, bytes);
    return st ? st : drxi_verified_parts(data, box);
}
