/* Verifying the data: read all stored bytes once, in the order of the file. The checksums of chunks are computed on the
 * way. */
#include "repair/check.h"

enum { MOST_FINDINGS = 20 };

struct reading {
    struct drxi_check *c;
    const uint8_t *fill;                  /* as on disk */
    int64_t unreadable, residue, padding; /* chunks or places found, reported or not */
    int64_t left, freed;                  /* chunks with what a trim left outside the bounds; chunks outside them */
    int64_t residue_chunk, left_chunk, freed_chunk, padding_chunk; /* the last one found */
};

/* The cells of a chunk that are inside the bounds: begin <= i < end in the chunk. Those that trims may have left:
 * left[LOW] <= i < left[HIGH]. */
struct cells {
    int64_t begin[DRX_MAX_NDIM], end[DRX_MAX_NDIM];
    int64_t left[2][DRX_MAX_NDIM];
    bool edge;  /* some are not */
    bool lives; /* false: the chunk was trimmed, and may hold anything */
};

static void look_up(const drx_array *a, int64_t address, struct cells *cells)
{
    const struct drxi_state *s = &a->log.state;
    int64_t index[DRX_MAX_NDIM];

    cells->edge = false;
    drxi_map_index(&s->map, address, index);
    cells->lives = drxi_map_lives(&s->map, address, index);
    for (int j = 0; cells->lives && j < s->desc.ndim; j++) {
        const int64_t extent = s->desc.chunk[j], first = index[j] * extent;

        cells->begin[j] = drxi_max(0, s->lower[j] - first);
        cells->end[j] = drxi_min(extent, s->upper[j] - first);
        for (int end = 0; end < 2; end++)
            cells->left[end][j] = drxi_state_reach(s, j, (enum drxi_end)end) - first;
        cells->edge = cells->edge || cells->begin[j] > 0 || cells->end[j] < extent;
    }
}

/* The k-th fastest axis of a chunk. */
static int axis_number(const drx_array *a, int k)
{
    return a->data.chunk_order == DRX_ROW_MAJOR ? a->data.ndim - 1 - k : k;
}

/* Beyond the bounds of which axis element `item` of the chunk lies, if possible one that never had its index, which
 * *never tells; -1: it is inside. All up to *end, with which another row may begin, are outside, or inside, as it
 * is. */
static int beyond(const drx_array *a, const struct cells *cells, int64_t item, bool *never, int64_t *end)
{
    int64_t stride = 1;
    int axis = -1;

    *never = false;
    for (int k = 0; k < a->data.ndim; k++) {
        const int j = axis_number(a, k);
        const int64_t extent = a->data.chunk[j], i = item / stride % extent;
        const int64_t first = item - item % (stride * extent); /* with the index 0 of axis j */
        const bool before = i < cells->begin[j];
        const bool new = i < cells->left[DRXI_LOW][j] || i >= cells->left[DRXI_HIGH][j];

        if (before || i >= cells->end[j]) {
            *end = first + stride * (before ? drxi_min(cells->begin[j], extent) : extent);
            axis = *never && !new ? axis : j;
            *never = *never || new;
        } else if (k == 0) {
            *end = first + cells->end[j];
        }
        stride *= extent;
    }
    return axis;
}

/* Count a chunk once; the pieces that are read come in its order. */
static bool is_new(int64_t *last, int64_t address, int64_t *count)
{
    if (*last == address)
        return false;
    *last = address;
    (*count)++;
    return true;
}

/* A trim leaves the cells of chunks that it cuts through as they are: one note counts these chunks. What nothing but a
 * crash can have left is told. */
static void tell_residue(struct reading *r, int64_t address, const struct cells *cells, int64_t item)
{
    const drx_array *a = r->c->a;
    int64_t end;
    bool never;
    const int axis = beyond(a, cells, item, &never, &end);

    if (!never) {
        (void)is_new(&r->left_chunk, address, &r->left);
        return;
    }
    if (is_new(&r->residue_chunk, address, &r->residue) && r->residue <= MOST_FINDINGS) {
        int64_t at;
        const drxi_io *file = drxi_stripes_find(
            a->data.file->io, address * a->data.chunk_pitch_bytes + item * (int64_t)a->data.item_bytes, &at);

        drxi_found(r->c, drxi_transient_severity(r->c),
                   "%s: chunk %lld: offset %lld: outside the bound of axis %d and not the fill: residue, which is put "
                   "back before the axis grows over it",
                   file->path, (long long)address, (long long)at, axis);
    }
}

/* Check elements `item` to `end` - 1 of the chunk, which stand at p, by runs. */
static void check_cells(struct reading *r, int64_t address, const struct cells *cells, const uint8_t *p, int64_t item,
                        int64_t end)
{
    const size_t item_bytes = r->c->a->data.item_bytes;

    while (item < end) {
        bool never;
        int64_t next;
        bool good = beyond(r->c->a, cells, item, &never, &next) < 0;

        next = drxi_min(next, end);
        good = good || drxi_is_filled(p, next - item, r->fill, item_bytes);
        for (int64_t i = item; !good && i < next; i++)
            if (memcmp(p + (size_t)(i - item) * item_bytes, r->fill, item_bytes) != 0)
                tell_residue(r, address, cells, i);
        p += (size_t)(next - item) * item_bytes;
        item = next;
    }
}

static void check_padding(struct reading *r, int64_t address, const uint8_t *p, int64_t begin, int64_t end)
{
    const drx_array *a = r->c->a;

    for (int64_t at = begin; at < end; at++) {
        if (p[at - begin] == 0 || !is_new(&r->padding_chunk, address, &r->padding))
            continue;
        if (r->padding <= MOST_FINDINGS) {
            int64_t in_file;
            const drxi_io *file =
                drxi_stripes_find(a->data.file->io, address * a->data.chunk_pitch_bytes + at, &in_file);

            drxi_found(r->c, DRX_ERROR, "%s: chunk %lld: offset %lld: the padding after its elements is not zero",
                       file->path, (long long)address, (long long)in_file);
        }
    }
}

/* A chunk that was trimmed is a hole when its bytes have been given back; or it is fill then, as if never written. */
static void check_freed(struct reading *r, int64_t address, const uint8_t *p, int64_t n)
{
    if (!r->c->a->data.file->stored->empty_is_fill && (p[0] != 0 || memcmp(p, p + 1, (size_t)n - 1) != 0))
        (void)is_new(&r->freed_chunk, address, &r->freed);
}

/* Check the bytes `begin` to `end` of the chunk, which stand at p. */
static void check_chunk(struct reading *r, int64_t address, const uint8_t *p, int64_t begin, int64_t end)
{
    const drx_array *a = r->c->a;
    const int64_t item_bytes = (int64_t)a->data.item_bytes;
    const int64_t cells_end = drxi_min(end, a->data.chunk_bytes);
    struct cells cells;

    look_up(a, address, &cells);
    if (!cells.lives) {
        check_freed(r, address, p, end - begin);
        return;
    }
    if (cells.edge && begin < cells_end)
        check_cells(r, address, &cells, p, begin / item_bytes, cells_end / item_bytes);
    if (end > a->data.chunk_bytes) {
        const int64_t from = drxi_max(begin, a->data.chunk_bytes);

        check_padding(r, address, p + (from - begin), from, end);
    }
}

static void check_piece(struct reading *r, int64_t offset, const uint8_t *bytes, int64_t n)
{
    const drx_array *a = r->c->a;
    const int64_t pitch = a->data.chunk_pitch_bytes;

    for (int64_t done = 0; done < n;) {
        const int64_t address = (offset + done) / pitch;
        const int64_t begin = (offset + done) % pitch;
        const int64_t end = drxi_min(pitch, begin + (n - done));

        if (address >= a->data.map.chunks)
            return;
        check_chunk(r, address, bytes + done, begin, end);
        done += end - begin;
    }
}

static void check_fill_bytes(struct reading *r, int64_t offset, const uint8_t *bytes, int64_t n)
{
    drxi_marks_fold(r->c->marks, offset, bytes, n);
    if (!r->c->damaged)
        check_piece(r, offset, bytes, n);
}

/* Read and check up to n bytes. *done skips what cannot be read or is missing, which may be far. */
static drx_status read_some(struct reading *r, uint8_t *buf, int64_t offset, int64_t n, int64_t *done)
{
    const drx_array *a = r->c->a;
    size_t got;
    drx_status st = a->data.file->io->ops->read(a->data.file->io, buf, (size_t)n, offset, &got);

    *done = n;
    if (st && st != DRX_ENOMEM) {
        const bool told = a->data.file->stored->empty_is_fill && (st == DRX_ECHECKSUM || st == DRX_EDAMAGED);

        if (!told && r->unreadable++ < MOST_FINDINGS)
            drxi_found(r->c, DRX_ERROR, "%s", drx_last_error());
        drxi_marks_lack(r->c->marks, offset + n);
        return DRX_OK;
    }
    if (!st && (int64_t)got < n)
        *done = drxi_stripes_gap_end(a->data.file->io, offset + (int64_t)got) - offset;
    if (!st)
        check_fill_bytes(r, offset, buf, (int64_t)got);
    return st;
}

/* Check a piece; *next is where to continue. */
static drx_status read_piece(struct reading *r, const struct drxi_fetch *p, int64_t *next)
{
    uint8_t *const bytes = drxi_fetch_bytes(p);
    int64_t done = 0;
    drx_status st = DRX_OK;

    *next = p->begin;
    if (drxi_fetch_came(p)) {
        check_fill_bytes(r, p->begin, bytes, p->end - p->begin);
        *next = p->end;
    }
    for (; !st && *next < p->end; *next += done)
        st = read_some(r, bytes, *next, p->end - *next, &done);
    return st;
}

static drx_status report_progress(struct drxi_check *c, int64_t more)
{
    c->done = drxi_min(c->total, c->done + more);
    if (!c->progress || c->progress(c->progress_user, c->done, c->total) == 0)
        return DRX_OK;
    return drxi_fail(DRX_EINTERRUPTED, "%s: checking it was interrupted", c->a->path);
}

static drx_status read_all(struct reading *r, int64_t size, bool holes)
{
    struct drxi_ahead ahead;
    drx_status st = report_progress(r->c, 0);

    if (st)
        return st;
    st = drxi_ahead_open(&ahead, &r->c->a->data, size, holes);
    while (!st) {
        struct drxi_fetch *p;
        int64_t next;

        st = drxi_ahead_next(&ahead, &p);
        if (st || !p)
            break;
        st = read_piece(r, p, &next);
        drxi_ahead_skip(&ahead, next);
        if (!st)
            st = report_progress(r->c, drxi_min(next, size) - p->begin);
    }
    if (!st)
        drxi_marks_end(r->c->marks);
    drxi_schedule_close(&ahead.reads);
    return st;
}

static void tell_more(struct reading *r)
{
    const char *name = r->c->a->data.file->io->path;

    if (r->unreadable > MOST_FINDINGS)
        drxi_found(r->c, DRX_ERROR, "%s: %lld more place%s cannot be read", name,
                   (long long)(r->unreadable - MOST_FINDINGS), r->unreadable - MOST_FINDINGS == 1 ? "" : "s");
    if (r->left > 0)
        drxi_found(r->c, DRX_NOTE,
                   "%s: %lld chunk%s other than the fill outside the bounds, left by a trim, which growth clears", name,
                   (long long)r->left, r->left == 1 ? " holds" : "s hold");
    if (r->freed > 0)
        drxi_found(r->c, DRX_NOTE, "%s: %lld chunk%s %lld bytes: %s", name, (long long)r->freed,
                   r->freed == 1 ? " that was trimmed still takes" : "s that were trimmed still take",
                   (long long)drxi_mul_saturated(r->freed, r->c->a->data.chunk_pitch_bytes),
                   drxi_freed_any(&r->c->a->log.state.freed)
                       ? "the next sync gives them back"
                       : "left by a crash, or by a file system that has no holes; a copy leaves them out");
    if (r->residue > MOST_FINDINGS)
        drxi_found(r->c, drxi_transient_severity(r->c), "%s: %lld more chunk%s other than the fill outside the bounds",
                   name, (long long)(r->residue - MOST_FINDINGS),
                   r->residue - MOST_FINDINGS == 1 ? " holds" : "s hold");
    if (r->padding > MOST_FINDINGS)
        drxi_found(r->c, DRX_ERROR, "%s: %lld more chunk%s padding that is not zero", name,
                   (long long)(r->padding - MOST_FINDINGS), r->padding - MOST_FINDINGS == 1 ? " has" : "s have");
}

/* Holes read as zeros: skip them where the fill is zero. */
drx_status drxi_check_data(struct drxi_check *c, int64_t size)
{
    drx_array *a = c->a;
    const bool holes = !a->data.zero_fill && !c->damaged;
    struct reading r = { .c = c, .residue_chunk = -1, .left_chunk = -1, .freed_chunk = -1, .padding_chunk = -1 };
    drx_status st = drxi_stored_bytes(a->data.file->io, size, holes, &c->total);

    r.fill = drxi_keep_swapped(a->data.fill, a->data.item_bytes, a->data.type);
    if (st || !r.fill)
        return st ? st : DRX_ENOMEM;
    st = drxi_marks_new(&a->data, &c->marks);
    if (c->marks) /* checksums are checked after the data */
        c->total += drxi_mul_saturated(a->data.map.chunks, a->data.chunk_pitch_bytes);
    if (!st)
        st = read_all(&r, size, holes);
    if (!st)
        tell_more(&r);
    return st;
}
