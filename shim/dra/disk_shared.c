/* Writes of sections, of which each process has a part in memory.
 *
 * Where such parts meet inside chunks, each process would write short runs, and wait for the others in the system. So
 * the borders between processes move to the nearest borders of chunks: one process writes all that the section has of
 * a chunk, and gets from the others what they have of it. Each process finds out alone what is its own to write.
 *
 * Borders stay where they leave long runs. In a narrow write all move, because it may read, change and write chunks. In
 * a small one they move to the end, so that the process that has the first element writes all. */
#include <string.h>

#include "disk.h"

enum { LONG_BYTES = 1 << 16, PIECE_BYTES = 1 << 20, BUFFER_BYTES = 4 << 20 };

/* A box on disk. */
struct region {
    int64_t lo[DISK_MAX_NDIM], end[DISK_MAX_NDIM];
};

static int64_t elements(int ndim, const struct region *g)
{
    int64_t n = 1;

    for (int j = 0; j < ndim; j++)
        n *= g->end[j] - g->lo[j];
    return n;
}

/* Where a border at index x moves to. An index of the axis has row_bytes of a chunk in one run. */
static int64_t border(const struct disk_request *r, int axis, int64_t row_bytes, int64_t x)
{
    const int64_t lo = r->disk.lo[axis], end = r->disk.hi[axis] + 1, chunk = r->array->chunk[axis];
    const int64_t before = x % chunk, after = chunk - before;
    const int64_t to = before < after ? x - before : x + after;

    if (r->alone && x > lo)
        return end;
    if (x == lo || x == end || (!r->narrow && (axis == 0 || shim_smaller(before, after) * row_bytes >= LONG_BYTES)))
        return x;
    return shim_smaller(shim_larger(to, lo), end);
}

/* Find what this process writes; false: nothing. */
static bool find_own(const struct disk_request *r, const struct disk_place *p, struct region *own)
{
    int64_t row_bytes = (int64_t)drx_type_size(r->array->type);
    bool any = true;

    for (int j = r->array->ndim - 1; j >= 0; j--) {
        own->lo[j] = border(r, j, row_bytes, p->lo[j]);
        own->end[j] = border(r, j, row_bytes, p->lo[j] + p->count[j]);
        any = any && own->lo[j] < own->end[j];
        row_bytes *= r->array->chunk[j];
    }
    return any;
}

/* Find those chunks of it that are in the memory of this process as far as they are in the section; false: none. */
static bool find_at_hand(const struct disk_request *r, const struct disk_place *p, const struct region *own,
                         struct region *at_hand)
{
    bool any = true;

    for (int j = 0; j < r->array->ndim; j++) {
        const int64_t chunk = r->array->chunk[j], lo = p->lo[j], end = lo + p->count[j];

        at_hand->lo[j] = own->lo[j] < lo ? (lo + chunk - 1) / chunk * chunk : own->lo[j];
        at_hand->end[j] = own->end[j] > end ? end / chunk * chunk : own->end[j];
        any = any && at_hand->lo[j] < at_hand->end[j];
    }
    return any;
}

static drx_status start_write(const struct disk_request *r, const struct disk_place *p, drx_request **io)
{
    const drx_box box = { .lo = p->lo, .count = p->count, .stride = p->stride, .flags = r->narrow ? DRX_ALONE : 0 };

    *io = NULL;
    return r->soon ? drx_write_box(r->array->here, &box, p->memory)
                   : drx_write_async(r->array->here, &box, p->memory, io);
}

static drx_status write_at_hand(struct disk_request *r, const struct disk_place *p, const struct region *at_hand)
{
    struct disk_place part = *p;

    for (int j = 0; j < r->array->ndim; j++) {
        part.lo[j] = at_hand->lo[j];
        part.count[j] = at_hand->end[j] - at_hand->lo[j];
        part.memory += (part.lo[j] - p->lo[j]) * p->stride[j] * (int64_t)drx_type_size(r->array->type);
    }
    return start_write(r, &part, &r->io[0]);
}

/* The rest is copied to a buffer, in pieces that follow each other there and begin again at its start. `flying` has
 * their places while they are written, by r->io[1 + slot], and the oldest one is number `first`. */
struct fetch {
    struct disk_request *r;
    bool transposed;
    int64_t item_bytes, most_bytes; /* of a piece */
    int64_t at;
    struct {
        int64_t begin, end;
    } flying[DISK_SLOTS];
    int64_t first, next;
};

static drx_status land(struct fetch *f)
{
    drx_request **io = &f->r->io[1 + f->first++ % DISK_SLOTS], *request = *io;

    *io = NULL;
    return request ? drx_wait(request) : DRX_OK;
}

static bool is_taken(const struct fetch *f, int64_t begin, int64_t end)
{
    for (int64_t i = f->first; i < f->next; i++)
        if (f->flying[i % DISK_SLOTS].begin < end && begin < f->flying[i % DISK_SLOTS].end)
            return true;
    return false;
}

/* Make room for a piece at f->at. */
static drx_status find_room(struct fetch *f, int64_t bytes, char **memory)
{
    drx_status st = DRX_OK;

    if (f->at + bytes > f->r->buffer_bytes)
        f->at = 0;
    while (!st && (f->next - f->first == DISK_SLOTS || is_taken(f, f->at, f->at + bytes)))
        st = land(f);
    *memory = f->r->buffer + f->at;
    return st;
}

/* Get a piece from the global array, and find its place. */
static void get_piece(const struct fetch *f, const struct region *piece, struct disk_place *p)
{
    const struct disk_request *r = f->r;
    const int ndim = r->array->ndim;
    int64_t lo[DISK_MAX_NDIM], hi[DISK_MAX_NDIM], count[DISK_MAX_NDIM + 1] = { 0 }, along = 1;

    for (int j = ndim - 1; j >= 0; j--) {
        const int i = f->transposed ? ndim - 1 - j : j;

        p->lo[i] = piece->lo[i];
        p->count[i] = count[j] = piece->end[i] - piece->lo[i];
        p->stride[i] = along;
        along *= count[j];
        lo[j] = r->memory.lo[j] + piece->lo[i] - r->disk.lo[i];
        hi[j] = lo[j] + count[j] - 1;
    }
    NGA_Get64(r->g_a, lo, hi, p->memory, count + 1);
}

static drx_status write_piece(struct fetch *f, const struct region *piece)
{
    const int64_t bytes = elements(f->r->array->ndim, piece) * f->item_bytes;
    const int slot = (int)(f->next % DISK_SLOTS);
    struct disk_place p;
    drx_status st = find_room(f, bytes, &p.memory);

    if (st)
        return st;
    get_piece(f, piece, &p);
    st = start_write(f->r, &p, &f->r->io[1 + slot]);
    if (st)
        return st;
    f->flying[slot].begin = f->at;
    f->flying[slot].end = f->at += bytes;
    f->next++;
    return DRX_OK;
}

/* The extents of pieces: whole chunks, or parts of one where that is too large. False: such parts. */
static bool choose_extents(const struct fetch *f, const struct region *g, int64_t extent[])
{
    const int64_t *chunk = f->r->array->chunk;
    const int ndim = f->r->array->ndim;
    int64_t chunks[DISK_MAX_NDIM], bytes;
    bool whole = true;

    for (int j = 0; j < ndim; j++) {
        chunks[j] = (g->end[j] - 1) / chunk[j] - g->lo[j] / chunk[j] + 1;
        extent[j] = shim_smaller(chunks[j] * chunk[j], g->end[j] - g->lo[j]);
    }
    for (;;) {
        int most = 0;

        bytes = f->item_bytes;
        for (int j = 0; j < ndim; j++) {
            bytes *= extent[j];
            if (chunks[j] > chunks[most] || (chunks[most] == 1 && extent[most] == 1))
                most = j;
        }
        if (bytes <= f->most_bytes || extent[most] == 1)
            break;
        whole = whole && chunks[most] > 1;
        if (chunks[most] > 1) {
            chunks[most] = (chunks[most] + 1) / 2;
            extent[most] = shim_smaller(chunks[most] * chunk[most], extent[most]);
        } else
            extent[most] = (extent[most] + 1) / 2;
    }
    for (int j = 0; j < ndim; j++)
        extent[j] = chunks[j] > 1 ? chunks[j] * chunk[j] : extent[j];
    return whole;
}

/* Where the piece ends that begins there. */
static int64_t end_of(int64_t at, int64_t extent, int64_t chunk, int64_t end)
{
    const int64_t first = at - at % chunk; /* of the chunk */

    if (extent > chunk)
        return shim_smaller(first + extent, end);
    return shim_smaller(shim_smaller(at + extent, first + chunk), end);
}

static drx_status write_pieces(struct fetch *f, const struct region *g)
{
    const int ndim = f->r->array->ndim;
    int64_t extent[DISK_MAX_NDIM];
    const bool whole = choose_extents(f, g, extent);
    struct region piece = *g;
    drx_status st = DRX_OK;
    int axis;

    do {
        for (int j = 0; j < ndim; j++)
            piece.end[j] = end_of(piece.lo[j], extent[j], f->r->array->chunk[j], g->end[j]);
        st = write_piece(f, &piece);
        while (!st && !whole && f->first < f->next) /* a chunk that is read, changed and written is so part by part */
            st = land(f);
        for (axis = ndim - 1; axis >= 0 && piece.end[axis] == g->end[axis]; axis--)
            piece.lo[axis] = g->lo[axis];
        if (axis >= 0)
            piece.lo[axis] = piece.end[axis];
    } while (!st && axis >= 0);
    return st;
}

/* Write `own` without at_hand, which is cut out of it axis by axis; at_hand NULL: all. */
static drx_status write_rest(struct fetch *f, const struct region *own, const struct region *at_hand)
{
    struct region left = *own;
    drx_status st = DRX_OK;

    if (!at_hand)
        return write_pieces(f, own);
    for (int j = 0; !st && j < f->r->array->ndim; j++) {
        struct region slab = left;

        slab.end[j] = at_hand->lo[j];
        if (slab.lo[j] < slab.end[j])
            st = write_pieces(f, &slab);
        slab = left;
        slab.lo[j] = at_hand->end[j];
        if (!st && slab.lo[j] < slab.end[j])
            st = write_pieces(f, &slab);
        left.lo[j] = at_hand->lo[j];
        left.end[j] = at_hand->end[j];
    }
    return st;
}

static drx_status fetch(struct disk_request *r, bool transposed, const struct region *own, const struct region *at_hand)
{
    struct fetch f = { .r = r, .transposed = transposed, .item_bytes = (int64_t)drx_type_size(r->array->type) };
    const int64_t n = elements(r->array->ndim, own) - (at_hand ? elements(r->array->ndim, at_hand) : 0);
    const int64_t most = shim_smaller(BUFFER_BYTES, disk_settings.buffer_bytes), all = n * f.item_bytes;
    const drx_status st = disk_request_buffer(r, shim_smaller(most, all));

    f.most_bytes = shim_smaller(PIECE_BYTES, all <= most ? all : most / 2);
    r->parts = DISK_PARTS;
    return st ? st : write_rest(&f, own, at_hand);
}

static drx_status write_own(struct disk_request *r, bool transposed, const struct disk_place *p)
{
    struct region own, at_hand;
    drx_status st = DRX_OK;
    bool any;

    if (!find_own(r, p, &own))
        return DRX_OK;
    any = find_at_hand(r, p, &own, &at_hand);
    if (any) {
        r->parts = 1;
        st = write_at_hand(r, p, &at_hand);
    }
    if (st || (any && elements(r->array->ndim, &own) == elements(r->array->ndim, &at_hand)))
        return st;
    return fetch(r, transposed, &own, any ? &at_hand : NULL);
}

drx_status disk_write_shared(struct disk_request *r, bool transposed, const struct disk_place *p)
{
    const drx_status st = write_own(r, transposed, p);

    if (r->soon)
        r->parts = 0;
    return st;
}
