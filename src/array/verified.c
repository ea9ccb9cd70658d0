/* Reading boxes from a view of the data: chunks that are taken whole are compared with their checksums as they are
 * copied, so few bytes at a time that the processor has them at hand, and in the order of memory, which is what copying
 * fast depends on. What does not match is read anew through a stage.
 *
 * The box is gone through in blocks of chunks, whose checksums are looked up at once; a block in bands, of chunks that
 * are neighbours in memory; a band in parts, rows of all its chunks together. */
#include "array/sums.h"
#include "copy/copy.h"
#include "format/crc.h"

enum {
    PART_BYTES = 1 << 18,  /* of a band, in rows */
    WHOLE_BYTES = 1 << 21, /* of a band of whole chunks */
    RUN = 16               /* chunks of a block that follow each other in the file, at least if there are so many */
};

struct reading {
    drx_array *a;
    const struct drxi_box *box;
    uint8_t *buf;
    int fast; /* the axis along which neighbours are in memory */
    int rows; /* the axis along which rows of a chunk follow each other in the file; -1: parts would not be in order */
    int64_t end[DRX_MAX_NDIM];                 /* of the chunks of the box */
    int64_t at[DRX_MAX_NDIM], n[DRX_MAX_NDIM]; /* the block: its first chunk, and how many */
    int64_t chunk[DRX_MAX_NDIM], chunks;       /* the band: its first chunk, and how many along `fast` */
    int64_t address[DRXI_SUMS_MOST];           /* of each chunk of the block, in row-major order: */
    bool counts[DRXI_SUMS_MOST];               /* has to match */
    uint32_t crc[DRXI_SUMS_MOST];
    bool good; /* what is copied matches */
};

bool drxi_piece_is_all(const drx_array *a, const int64_t index[], const struct drxi_piece *piece)
{
    const struct drxi_state *s = &a->state;

    for (int j = 0; j < s->desc.ndim; j++)
        if (piece->start[j] != 0 ||
            piece->count[j] < drxi_min(s->desc.chunk[j], s->shape[j] - index[j] * s->desc.chunk[j]))
            return false;
    return true;
}

bool drxi_verified_some(const drx_array *a, const struct drxi_box *box)
{
    const struct drxi_state *s = &a->state;

    if (!a->sums)
        return false;
    for (int j = 0; j < s->desc.ndim; j++) {
        const int64_t extent = s->desc.chunk[j], begin = drxi_ceil_div(box->lo[j], extent) * extent;

        if (box->step && box->step[j] > 1 && box->count[j] > 1 && extent > 1)
            return false;
        if (extent > 1 && drxi_min(begin + extent, s->shape[j]) > box->lo[j] + box->count[j])
            return false;
    }
    return true;
}

/* ---- parts of the box ------------------------------------------------------------------------ */

static int64_t step_of(const struct reading *r, int j)
{
    return r->box->step && r->box->count[j] > 1 ? r->box->step[j] : 1;
}

/* What the box takes of some chunks, as a box of its own. */
struct piece {
    struct drxi_box box;
    uint8_t *buf;
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
};

/* Of the indices first <= i < end on axis j; false: nothing. */
static bool cut(const struct reading *r, struct piece *p, int j, int64_t first, int64_t end)
{
    const int64_t step = step_of(r, j), lo = r->box->lo[j];
    const int64_t from = first <= lo ? 0 : drxi_ceil_div(first - lo, step);

    p->count[j] = drxi_min(r->box->count[j], drxi_ceil_div(end - lo, step)) - from;
    p->lo[j] = lo + from * step;
    p->buf += from * r->box->stride_bytes[j];
    return p->count[j] > 0;
}

/* Of the chunks from first[] on, n[] of them. */
static bool piece_of(const struct reading *r, const int64_t first[], const int64_t n[], struct piece *p)
{
    bool some = true;

    p->box = *r->box;
    p->box.lo = p->lo;
    p->box.count = p->count;
    p->buf = r->buf;
    for (int j = 0; j < r->a->state.desc.ndim; j++) {
        const int64_t extent = r->a->state.desc.chunk[j];

        some = cut(r, p, j, first[j] * extent, drxi_min(first[j] + n[j], r->end[j]) * extent) && some;
    }
    return some;
}

/* ---- the checksums of a block ---------------------------------------------------------------- */

/* Places in the block of chunks that follow each other in the file. */
struct run {
    int64_t address, n;
    int place[DRXI_SUMS_MOST];
};

static drx_status get_run(struct reading *r, struct run *run)
{
    struct drxi_sum sum[DRXI_SUMS_MOST];
    int64_t there;
    drx_status st = run->n > 0 ? drxi_sums_get(r->a->sums, run->address, run->n, sum, &there) : DRX_OK;

    for (int64_t i = 0; !st && i < run->n; i++) {
        st = drxi_sums_judge(r->a, run->address + i, &sum[i], i < there);
        r->counts[run->place[i]] = drxi_sum_counts(r->a->sums, &sum[i]);
        r->crc[run->place[i]] = sum[i].crc;
    }
    run->n = 0;
    return st;
}

static int place_of(const struct reading *r, const int64_t chunk[])
{
    int64_t place = 0;

    for (int j = 0; j < r->a->state.desc.ndim; j++)
        place = place * r->n[j] + chunk[j] - r->at[j];
    return (int)place;
}

static drx_status get_sums(struct reading *r)
{
    struct drxi_cursor c;
    struct piece block;
    struct run run = { .n = 0 };
    drx_status st = DRX_OK;

    memset(r->counts, 0, sizeof r->counts); /* steps may pass over chunks */
    if (!piece_of(r, r->at, r->n, &block))
        return DRX_OK;
    drxi_cursor_start(&c, r->a, block.lo, block.count, r->box->step);
    while (!st && drxi_cursor_next(&c)) {
        const int place = place_of(r, c.index);

        r->address[place] = c.piece.address;
        if (!drxi_piece_is_all(r->a, c.index, &c.piece))
            continue;
        if (c.piece.address != run.address + run.n) {
            st = get_run(r, &run);
            run.address = c.piece.address;
        }
        run.place[run.n++] = place;
    }
    return st ? st : get_run(r, &run);
}

/* ---- bands ------------------------------------------------------------------------------------- */

/* From a chunk of the block to the next one along `fast`. */
static int stride_of_band(const struct reading *r)
{
    int64_t stride = 1;

    for (int j = r->a->state.desc.ndim - 1; j > r->fast; j--)
        stride *= r->n[j];
    return (int)stride;
}

/* The checksums, so far, of the band's chunks with n bytes more of each. */
static void follow(const struct reading *r, uint32_t crc[], int64_t within, int64_t n)
{
    const int stride = stride_of_band(r);
    int place = place_of(r, r->chunk);

    for (int64_t i = 0; i < r->chunks; i++, place += stride)
        if (r->counts[place])
            crc[i] =
                drxi_crc32c(crc[i], r->a->view.base + r->address[place] * r->a->chunk_pitch_bytes + within, (size_t)n);
}

static void copy_band(void *arg)
{
    struct reading *r = arg;
    const drx_array *a = r->a;
    const int64_t extent = r->rows < 0 ? 1 : a->state.desc.chunk[r->rows];
    const int64_t row_bytes = r->rows < 0 ? a->chunk_bytes : a->item_pitch_bytes[r->rows];
    const int64_t most = drxi_max(1, PART_BYTES / r->chunks / row_bytes);
    const int stride = stride_of_band(r);
    int64_t n[DRX_MAX_NDIM];
    uint32_t crc[DRXI_SUMS_MOST] = { 0 };
    struct piece band, part;
    int place = place_of(r, r->chunk);

    for (int j = 0; j < a->state.desc.ndim; j++)
        n[j] = j == r->fast ? r->chunks : 1;
    r->good = true;
    if (!piece_of(r, r->chunk, n, &band))
        return;
    for (int64_t row = 0; row < extent; row += most) {
        const int64_t rows = drxi_min(most, extent - row);
        bool some = true;

        part = band;
        part.box.lo = part.lo;
        part.box.count = part.count;
        if (r->rows >= 0) {
            const int64_t first = r->chunk[r->rows] * extent + row;

            part.buf = band.buf -
                       (band.lo[r->rows] - r->box->lo[r->rows]) / step_of(r, r->rows) * r->box->stride_bytes[r->rows];
            some = cut(r, &part, r->rows, first, first + rows);
        }
        if (r->rows < 0) /* it is read best from end to end before it is copied to and fro; rows are copied so */
            follow(r, crc, 0, a->chunk_bytes);
        if (some)
            drxi_mapped_copy(r->a, &part.box, part.buf);
        if (r->rows >= 0)
            follow(r, crc, row * row_bytes, rows * row_bytes);
    }
    for (int64_t i = 0; i < r->chunks; i++, place += stride)
        r->good = r->good && (!r->counts[place] || crc[i] == r->crc[place]);
}

static drx_status read_band(struct reading *r)
{
    int64_t n[DRX_MAX_NDIM];
    struct piece band;

    r->good = false;
    if (drxi_view_use(&r->a->view, copy_band, r) && r->good)
        return DRX_OK;
    for (int j = 0; j < r->a->state.desc.ndim; j++)
        n[j] = j == r->fast ? r->chunks : 1;
    return piece_of(r, r->chunk, n, &band) ? drxi_staged_move(r->a, false, &band.box, band.buf) : DRX_OK;
}

/* ---- all of it ----------------------------------------------------------------------------------- */

/* The next of the boxes of by[] chunks among those first <= i < end. */
static bool next(int ndim, const int64_t first[], const int64_t end[], const int64_t by[], int64_t at[])
{
    for (int j = ndim - 1; j >= 0; j--) {
        at[j] += by[j];
        if (at[j] < end[j])
            return true;
        at[j] = first[j];
    }
    return false;
}

static drx_status read_block(struct reading *r)
{
    const int ndim = r->a->state.desc.ndim;
    const int64_t most = r->rows < 0 ? drxi_max(1, WHOLE_BYTES / r->a->chunk_pitch_bytes) : DRXI_SUMS_MOST;
    int64_t end[DRX_MAX_NDIM], by[DRX_MAX_NDIM];
    drx_status st = get_sums(r);

    for (int j = 0; j < ndim; j++) {
        end[j] = r->at[j] + r->n[j];
        by[j] = j == r->fast ? drxi_min(most, r->n[j]) : 1;
        r->chunk[j] = r->at[j];
    }
    if (st)
        return st;
    do {
        r->chunks = drxi_min(by[r->fast], end[r->fast] - r->chunk[r->fast]);
        st = read_band(r);
    } while (!st && next(ndim, r->at, end, by, r->chunk));
    return st;
}

/* A band's rows are in order in memory unless neighbours there are in different rows. */
static void choose_axes(struct reading *r)
{
    const struct drxi_desc *d = &r->a->state.desc;
    int64_t least = INT64_MAX;

    r->fast = d->ndim - 1;
    r->rows = -1;
    for (int j = 0; j < d->ndim; j++) {
        const int64_t stride = r->box->stride_bytes[j] < 0 ? -r->box->stride_bytes[j] : r->box->stride_bytes[j];

        if (r->box->count[j] > 1 && stride < least) {
            least = stride;
            r->fast = j;
        }
    }
    for (int k = 0; r->rows < 0 && k < d->ndim; k++) {
        const int j = d->chunk_order == DRX_ROW_MAJOR ? k : d->ndim - 1 - k;

        r->rows = d->chunk[j] > 1 ? j : -1;
    }
    if (r->rows == r->fast || (r->rows >= 0 && step_of(r, r->rows) > 1))
        r->rows = -1;
}

/* Blocks are long where neighbours are in memory, and not short where they are in the file. */
static void choose_block(struct reading *r, const int64_t first[], int64_t by[])
{
    const int last = r->a->state.desc.ndim - 1;

    for (int j = 0; j <= last; j++)
        by[j] = 1;
    by[last] = drxi_min(r->end[last] - first[last], RUN);
    by[r->fast] = drxi_min(r->end[r->fast] - first[r->fast], DRXI_SUMS_MOST / (r->fast == last ? 1 : by[last]));
    if (r->fast != last)
        by[last] = drxi_min(r->end[last] - first[last], DRXI_SUMS_MOST / by[r->fast]);
}

drx_status drxi_verified_read(drx_array *a, struct drxi_box *box, void *buf)
{
    const int ndim = a->state.desc.ndim;
    struct reading r;
    int64_t first[DRX_MAX_NDIM], by[DRX_MAX_NDIM];
    int64_t bytes = (int64_t)a->item_bytes;
    drx_status st;

    if (!drxi_mapped_look(a, box))
        return drxi_staged_move(a, false, box, buf);
    r.a = a;
    r.box = box;
    r.buf = buf;
    choose_axes(&r);
    for (int j = 0; j < ndim; j++) {
        const int64_t extent = a->state.desc.chunk[j];

        r.at[j] = first[j] = box->lo[j] / extent;
        r.end[j] = (box->lo[j] + (box->count[j] - 1) * step_of(&r, j)) / extent + 1;
        bytes = drxi_mul_saturated(bytes, box->count[j]);
    }
    choose_block(&r, first, by);
    do {
        for (int j = 0; j < ndim; j++)
            r.n[j] = drxi_min(by[j], r.end[j] - r.at[j]);
        st = read_block(&r);
    } while (!st && next(ndim, first, r.end, by, r.at));
    drxi_mapped_used(a, bytes);
    return st;
}
