/* Reading small boxes and lists of elements from the cache of a file that cannot be mapped (pool/cached_file.h). A box
 * is copied row by row. When blocks are missing, they are brought in, and the box is copied again; when they do not
 * come in, the box is read by calls, past the cache.
 *
 * Bringing in a box takes about as long as reading it by calls. A small one comes in at once. Of another one the cache
 * counts the misses of its first block, and it comes in when what its reads by calls have cost more than reads from the
 * cache would have exceeds what bringing it in costs; at its third read at the earliest, unless bringing it in costs
 * next to nothing beside reading it. What lies together in the file is read about as fast by calls, and never comes
 * in. */
#include <stdlib.h>

#include "base/hooks.h"
#include "box/points.h"
#include "pool/cached_file.h"

enum {
    MOST_RUNS = 256,
    SMALL_BYTES = 1 << 14, /* of a small box */
    PARTS = 64,            /* that the processor fetches from memory at once */
    LINE_BYTES = 64,
    FETCHED_BYTES = 256, /* of each; it goes on by itself */
    CALL_BLOCKS = 8,     /* a call costs as much as copying this many blocks, */
    BRING_BLOCKS = 3,    /* and so does bringing in one, most of it for new memory */
    CHEAP = 8            /* bringing in is cheap when it costs one part in this many */
};

/* A part of a row, in one block. */
struct part {
    const uint8_t *from;
    uint8_t *to;
    int64_t n;
};

struct reader {
    const struct drxi_data *data;
    const struct drxi_box *box;
    struct drxi_cache *cache;
    struct drxi_layout layout;
    int fast; /* the fastest axis of a chunk */
    uint8_t *buf;
    int shift;
    int64_t missing, most;
    struct drxi_blocks run[MOST_RUNS]; /* of missing blocks, in no order */
    int64_t runs;
    bool too_many;
    int64_t first;        /* of them */
    bool selective;       /* only blocks that were missed before come in, as always when the cache is full */
    bool known, unknown;  /* the first one was; nobody has asked yet whether it was */
    int64_t block, there; /* the block found last, from its byte `at` on; NULL: it is missing */
    const uint8_t *at;
    struct part part[PARTS]; /* on their way from memory */
    int parts;
};

/* NULL: reads go by calls. So do those of strings that cross the borders of blocks. */
static struct drxi_cache *cache_for(const struct drxi_data *data)
{
    return drxi_as_from_disk() || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || !drxi_fits_blocks(data->item_bytes)
               ? NULL
               : drxi_cache_of(data->file->io);
}

static void note_missing(struct reader *r, int64_t block)
{
    struct drxi_blocks *last = r->runs > 0 ? &r->run[r->runs - 1] : NULL;

    if (last && block >= last->first && block < last->end)
        return;
    if (r->missing++ == 0)
        r->unknown = !r->known && (r->selective || drxi_cache_is_full(r->cache));
    r->first = r->missing == 1 ? block : r->first;
    if (last && block == last->end)
        last->end++;
    else if (r->runs < MOST_RUNS)
        r->run[r->runs++] = (struct drxi_blocks){ block, block + 1 };
    else
        r->too_many = true;
    r->too_many = r->too_many || r->unknown || r->missing > r->most;
}

static void copy_items(uint8_t *to, int64_t to_stride, const uint8_t *from, int64_t from_stride, int64_t n, size_t item)
{
    if (to_stride == (int64_t)item && from_stride == (int64_t)item) {
        memcpy(to, from, (size_t)n * item);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        drxi_copy_item(to + i * to_stride, from + i * from_stride, item);
}

static void copy_parts(struct reader *r)
{
    const int64_t to = r->layout.mem_stride[r->fast], by = r->layout.file_stride[r->fast];

    for (int i = 0; i < r->parts; i++)
        copy_items(r->part[i].to, to, r->part[i].from, by, r->part[i].n, (size_t)r->layout.item_bytes);
    r->parts = 0;
}

static void add_part(struct reader *r, const uint8_t *from, uint8_t *to, int64_t n)
{
    const int64_t bytes = drxi_min((n - 1) * r->layout.file_stride[r->fast] + 1, FETCHED_BYTES);

    for (int64_t i = 0; i < bytes; i += LINE_BYTES)
        __builtin_prefetch(from + i);
    r->part[r->parts++] = (struct part){ from, to, n };
    if (r->parts == PARTS)
        copy_parts(r);
}

/* Find the bytes from the offset on, up to the end of their block; false when they are not there up to `end`. */
static bool find_cached(struct reader *r, int64_t offset, int64_t end, const uint8_t **from)
{
    const int64_t block = offset >> r->shift, start = block << r->shift;

    if (block != r->block) {
        r->block = block;
        r->there = 0;
        r->at = drxi_cache_at(r->cache, start, &r->there);
    }
    if (end - start > r->there)
        return false;
    *from = r->at + (offset - start);
    return true;
}

/* Copy a row of n elements, as far as its blocks are there; note the others. */
static void copy_row(struct reader *r, int64_t offset, int64_t n, uint8_t *mem)
{
    const int64_t item = r->layout.item_bytes, by = r->layout.file_stride[r->fast], to = r->layout.mem_stride[r->fast];

    for (;;) {
        const int64_t block = offset >> r->shift, left = ((block + 1) << r->shift) - item - offset;
        const int64_t part = (n - 1) * by <= left ? n : left / by + 1;
        const uint8_t *from;

        if (!find_cached(r, offset, offset + (part - 1) * by + item, &from))
            note_missing(r, block);
        else if (r->missing == 0) /* else the box is copied again */
            add_part(r, from, mem, part);
        n -= part;
        if (n == 0 || r->too_many)
            break;
        offset += part * by;
        mem += part * to;
    }
}

static void copy_piece(struct reader *r, const struct drxi_piece *piece)
{
    const int ndim = r->layout.ndim;
    int64_t at[DRX_MAX_NDIM] = { 0 };
    int64_t offset = piece->address * r->data->chunk_pitch_bytes;
    uint8_t *mem = r->buf;
    int i;

    for (int j = 0; j < ndim; j++) {
        offset += piece->start[j] * r->data->item_pitch_bytes[j];
        mem += piece->from[j] * r->layout.mem_stride[j];
    }
    do {
        copy_row(r, offset, piece->count[r->fast], mem);
        for (i = ndim - 1; i >= 0; i--) { /* to the next row, along the fastest other axis first */
            const int j = r->layout.axes[i];

            if (j != r->fast && at[j] + 1 < piece->count[j]) {
                at[j]++;
                offset += r->layout.file_stride[j];
                mem += r->layout.mem_stride[j];
                break;
            }
            offset -= at[j] * r->layout.file_stride[j];
            mem -= at[j] * r->layout.mem_stride[j];
            at[j] = 0;
        }
    } while (i >= 0 && !r->too_many);
}

/* Copy the box, or find what is missing. */
static void copy_cached_box(struct reader *r)
{
    struct drxi_cursor c;

    r->runs = r->missing = 0;
    r->too_many = r->unknown = false;
    r->parts = 0;
    r->block = -1;
    drxi_cursor_start(&c, r->data, r->box->lo, r->box->count, r->box->step);
    drxi_cache_enter(r->cache);
    while (!r->too_many && drxi_cursor_next(&c))
        copy_piece(r, &c.piece);
    if (r->missing == 0)
        copy_parts(r);
    drxi_cache_leave(r->cache);
}

static int by_first(const void *a, const void *b)
{
    const int64_t x = ((const struct drxi_blocks *)a)->first, y = ((const struct drxi_blocks *)b)->first;

    return x < y ? -1 : x > y;
}

/* Sort the runs, and join those that meet. */
static void sort_runs(struct reader *r)
{
    int64_t n = 0;

    qsort(r->run, (size_t)r->runs, sizeof *r->run, by_first);
    for (int64_t i = 1; i < r->runs; i++)
        if (r->run[i].first <= r->run[n].end)
            r->run[n].end = drxi_max(r->run[n].end, r->run[i].end);
        else
            r->run[++n] = r->run[i];
    r->runs = n + 1;
}

/* The axis along which elements are nearest in a chunk. */
static int fastest(const struct drxi_data *data, const struct drxi_layout *l)
{
    int i = l->ndim - 1;

    while (i > 0 && data->chunk[l->axes[i]] == 1)
        i--;
    return l->axes[i];
}

/* What the box costs: the blocks that calls read, and those that it needs, both about. */
struct costs {
    int64_t called, needed;
};

/* The blocks that elements of a piece lie in: those of its runs, which are where the gaps are smaller than a block. */
static int64_t blocks_of(const struct reader *r, const struct drxi_piece *piece, int64_t *span)
{
    int64_t run = r->layout.item_bytes, runs = 1;

    *span = run;
    for (int i = r->layout.ndim - 1; i >= 0; i--) {
        const int j = r->layout.axes[i];
        const int64_t more = (piece->count[j] - 1) * r->layout.file_stride[j];

        *span += more;
        if (r->layout.file_stride[j] - run < INT64_C(1) << r->shift)
            run += more;
        else
            runs *= piece->count[j];
    }
    return runs * ((run >> r->shift) + 1);
}

static struct costs costs_of(const struct reader *r)
{
    const int64_t gap = r->data->file->io->cost.gap_bytes;
    int64_t end = -gap - 1, bytes = 0, calls = 0, needed = 0;
    struct drxi_cursor c;

    drxi_cursor_start(&c, r->data, r->box->lo, r->box->count, r->box->step);
    while (drxi_cursor_next(&c)) {
        int64_t offset = c.piece.address * r->data->chunk_pitch_bytes, span;

        needed += blocks_of(r, &c.piece, &span);
        for (int j = 0; j < r->layout.ndim; j++)
            offset += c.piece.start[j] * r->data->item_pitch_bytes[j];
        if (offset - end > gap)
            calls++;
        else
            bytes += offset - end;
        bytes += span;
        end = offset + span;
    }
    return (struct costs){ (bytes >> r->shift) + calls * CALL_BLOCKS, drxi_min(needed, (bytes >> r->shift) + calls) };
}

/* Whether a box that was missed so often should come in now. */
static bool pays(const struct reader *r, int misses)
{
    struct costs costs;
    int64_t bringing;

    if (misses == 0 || !r->selective || !drxi_cache_is_near(r->cache))
        return misses > 0;
    costs = costs_of(r);
    bringing = BRING_BLOCKS * costs.needed;
    if (bringing * CHEAP <= costs.called)
        return true;
    return misses > 1 && misses * (costs.called - costs.needed) >= bringing;
}

static drx_status bring(struct reader *r, struct drxi_data *data)
{
    struct drxi_brought brought;
    drx_status st;

    sort_runs(r);
    st = drxi_cache_bring(r->cache, r->run, r->runs, r->known, data->file->io->cost.gap_bytes, &brought);
    drxi_count(&data->file->counts.reads, brought.reads);
    drxi_count(&data->file->counts.read_bytes, brought.bytes);
    if (!st && brought.all)
        copy_cached_box(r);
    return st;
}

drx_status drxi_cached_read(struct drxi_data *data, struct drxi_box *box, void *buf, bool *done)
{
    struct drxi_cache *cache = cache_for(data);
    struct reader r;
    int64_t bytes;
    drx_status st = DRX_OK;

    *done = false;
    if (!cache || drxi_verified_some(data, box))
        return DRX_OK;
    box->past = true;
    r.cache = cache;
    r.shift = drxi_cache_block_shift(cache);
    r.most = drxi_cache_share(cache);
    bytes = drxi_times((int64_t)data->item_bytes, data->ndim, box->count);
    if (bytes >> r.shift >= r.most)
        return DRX_OK;
    r.data = data;
    r.box = box;
    r.buf = buf;
    r.selective = bytes > SMALL_BYTES;
    r.known = false;
    drxi_lay_out(&r.layout, data, box);
    r.fast = fastest(data, &r.layout);
    copy_cached_box(&r);
    if (r.unknown && pays(&r, drxi_cache_knows(cache, r.first << r.shift))) {
        r.known = true;
        copy_cached_box(&r);
    }
    if (r.missing > 0 && !r.too_many)
        st = bring(&r, data);
    *done = !st && r.missing == 0;
    if (*done)
        drxi_count(&data->file->counts.mapped_bytes, bytes);
    return st;
}

bool drxi_cached_points(struct drxi_data *data, int64_t n, const int64_t *indices, void *values)
{
    struct drxi_cache *cache = cache_for(data);
    const int64_t item = (int64_t)data->item_bytes;
    const int ndim = data->ndim;
    uint8_t *to = values;
    bool all = true;

    if (!cache)
        return false;
    drxi_cache_enter(cache);
    for (int64_t i = 0; all && i < n; i++) {
        const uint8_t *from = drxi_cache_element(cache, drxi_offset_of(data, indices + i * ndim), item);

        all = from != NULL;
        if (all)
            drxi_copy_item(to + i * item, from, data->item_bytes);
    }
    drxi_cache_leave(cache);
    if (all)
        drxi_count(&data->file->counts.mapped_bytes, n * item);
    return all;
}

bool drxi_cached_get(struct drxi_data *data, int64_t offset, void *value)
{
    struct drxi_cache *cache =
        data->file->stored->verified ? NULL : cache_for(data); /* a chunk of one element is verified */

    return cache && drxi_cache_get(cache, offset, value, data->item_bytes);
}
