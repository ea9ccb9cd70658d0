/* No library: chunks in the file of a drx array, which computes their addresses, and nothing else.
 *
 * Written, a loop of one pwrite for each chunk; the addresses and the elements of each chunk are gathered beforehand,
 * untimed. The file is the `.xta` of an array that drx extends but does not write, so drx can read it back. Read, one
 * pread of each chunk, of the span that is wanted, in the order of addresses. */
#include <drx_tools.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "peer_drx.h"

struct chunks {
    void *array;
    int fd;
    int64_t chunk_bytes;
    int64_t n, capacity; /* of the slab at hand */
    int64_t *offset;
    double *elements; /* chunk after chunk, in STAGE */
};

/* A chunk, or an element of it. */
struct piece {
    int64_t offset;          /* in the file */
    int64_t index[MAX_NDIM]; /* of the chunk */
    int64_t which;           /* of the elements */
};

static enum outcome close_chunks(void *handle)
{
    struct chunks *c = handle;
    enum outcome outcome = DONE;

    if (c->fd >= 0 && close(c->fd) != 0)
        outcome = complain("close: %s", strerror(errno));
    if (c->array && close_drx(c->array) != DONE)
        outcome = FAILED;
    free(c->offset);
    free(c);
    return outcome;
}

/* `made`: what came of the array; the file of its chunks beside it. */
static enum outcome open_file(struct chunks *c, enum outcome made, const char *path, const struct layout *layout,
                              int flags, void **out)
{
    char file[PATH_BYTES + 8];

    c->chunk_bytes = box_elements(layout->ndim, layout->chunk) * (int64_t)sizeof(double);
    snprintf(file, sizeof file, "%s%s", path, drx_suffixes[1]);
    c->fd = made == DONE ? open(file, flags | O_CLOEXEC) : -1;
    if (made == DONE && c->fd < 0)
        made = complain("%s: %s", file, strerror(errno));
    *out = c;
    if (made != DONE)
        (void)close_chunks(c);
    return made;
}

static enum outcome create_chunks(const struct peer *peer, const char *path, const struct layout *layout,
                                  enum access access, void **out)
{
    struct chunks *c = calloc(1, sizeof *c);

    if (!c)
        return complain("no memory");
    return open_file(c, create_drx(peer, path, layout, access, &c->array), path, layout, O_WRONLY, out);
}

static enum outcome open_chunks(const struct peer *peer, const char *path, const struct layout *layout,
                                enum access access, void **out)
{
    struct chunks *c = calloc(1, sizeof *c);

    if (!c)
        return complain("no memory");
    return open_file(c, open_drx(peer, path, layout, access, &c->array), path, layout, O_RDONLY, out);
}

static int by_offset(const void *a, const void *b)
{
    const int64_t x = ((const struct piece *)a)->offset, y = ((const struct piece *)b)->offset;

    return x < y ? -1 : x > y;
}

static enum outcome find_chunk(const struct chunks *c, struct piece *piece)
{
    int64_t address;

    if (drx_chunk_address(c->array, piece->index, &address))
        return complain("%s", drx_last_error());
    piece->offset = address * c->chunk_bytes;
    return DONE;
}

/* ---- written ------------------------------------------------------------------ */

/* The elements of the chunk whose first element is `at` in the slab of extents n. */
static void gather(int ndim, const int64_t chunk[], const int64_t n[], const int64_t at[], const double *slab,
                   double *to)
{
    const int64_t planes = ndim == 3 ? chunk[0] : 1, rows = chunk[ndim - 2], row = chunk[ndim - 1];
    const int64_t next_row = n[ndim - 1], next_plane = n[ndim - 2] * next_row;
    const double *from = slab + (ndim == 3 ? at[0] * next_plane : 0) + at[ndim - 2] * next_row + at[ndim - 1];

    for (int64_t i = 0; i < planes; i++)
        for (int64_t j = 0; j < rows; j++, to += row)
            memcpy(to, from + i * next_plane + j * next_row, (size_t)row * sizeof *to);
}

static enum outcome prepare(void *handle, int axis, int64_t by, const double *slab)
{
    struct chunks *c = handle;
    const int ndim = drx_ndim(c->array);
    const int64_t *chunk = drx_chunk(c->array), before = drx_shape(c->array)[axis];
    int64_t n[MAX_NDIM], at[MAX_NDIM] = { 0 };

    if (grow_drx(c->array, axis, by, NULL) != DONE)
        return FAILED;
    c->n = 1;
    for (int j = 0; j < ndim; j++) {
        n[j] = j == axis ? by : drx_shape(c->array)[j];
        c->n *= n[j] / chunk[j];
    }
    if (c->capacity < c->n) {
        free(c->offset);
        c->capacity = c->n;
        c->offset = malloc((size_t)c->n * sizeof *c->offset);
    }
    c->elements = buffer(STAGE, (size_t)(c->n * c->chunk_bytes));
    if (!c->offset || !c->elements)
        return complain("no memory");
    for (int64_t p = 0; p < c->n; p++) {
        struct piece piece;
        int j = ndim - 1;

        for (int d = 0; d < ndim; d++)
            piece.index[d] = (at[d] + (d == axis ? before : 0)) / chunk[d];
        if (find_chunk(c, &piece) != DONE)
            return FAILED;
        c->offset[p] = piece.offset;
        gather(ndim, chunk, n, at, slab, c->elements + p * c->chunk_bytes / (int64_t)sizeof(double));
        while (j >= 0 && (at[j] += chunk[j]) == n[j])
            at[j--] = 0;
    }
    return DONE;
}

static enum outcome grow(void *handle, int axis, int64_t by, const double *slab)
{
    const struct chunks *c = handle;
    enum outcome outcome = DONE;

    (void)axis, (void)by, (void)slab;
    for (int64_t p = 0; p < c->n && outcome == DONE; p++)
        outcome =
            move_bytes(c->fd, true, (char *)c->elements + p * c->chunk_bytes, (size_t)c->chunk_bytes, c->offset[p]);
    return outcome;
}

/* To look at what was written, an array like any other. */
static enum outcome read_back(void *handle, const int64_t lo[], const int64_t count[], double *out)
{
    return read_drx(((struct chunks *)handle)->array, lo, count, out);
}

/* ---- read --------------------------------------------------------------------- */

/* A box, and where its elements go. */
struct request {
    const int64_t *lo, *count;
    int64_t stride[MAX_NDIM];
    double *out;
};

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Read what the box takes of the chunk: in one piece, from the first element to the last. */
static enum outcome read_piece(const struct chunks *c, const struct request *r, const struct piece *piece,
                               double *stage)
{
    const int64_t *chunk = drx_chunk(c->array);
    int64_t from[3], to[3], first, last;
    double *out = r->out;

    for (int j = 0; j < 3; j++) {
        const int64_t begin = piece->index[j] * chunk[j];

        from[j] = larger(r->lo[j] - begin, 0);
        to[j] = smaller(r->lo[j] + r->count[j] - begin, chunk[j]);
        out += (begin + from[j] - r->lo[j]) * r->stride[j];
    }
    first = (from[0] * chunk[1] + from[1]) * chunk[2] + from[2];
    last = ((to[0] - 1) * chunk[1] + to[1] - 1) * chunk[2] + to[2];
    if (move_bytes(c->fd, false, stage, (size_t)(last - first) * sizeof *stage,
                   piece->offset + first * (int64_t)sizeof *stage) != DONE)
        return FAILED;
    if (r->stride[2] == 1) {
        for (int64_t i = from[0]; i < to[0]; i++)
            for (int64_t j = from[1]; j < to[1]; j++)
                memcpy(out + (i - from[0]) * r->stride[0] + (j - from[1]) * r->stride[1],
                       stage + (i * chunk[1] + j) * chunk[2] + from[2] - first,
                       (size_t)(to[2] - from[2]) * sizeof *out);
        return DONE;
    }
    for (int64_t k = from[2]; k < to[2]; k++)
        for (int64_t j = from[1]; j < to[1]; j++)
            for (int64_t i = from[0]; i < to[0]; i++)
                out[(i - from[0]) * r->stride[0] + (j - from[1]) * r->stride[1] + (k - from[2]) * r->stride[2]] =
                    stage[(i * chunk[1] + j) * chunk[2] + k - first];
    return DONE;
}

static enum outcome read_request(const struct chunks *c, const struct request *r)
{
    const int64_t *chunk = drx_chunk(c->array);
    int64_t n = 0, first[3], end[3];
    double *stage = malloc((size_t)c->chunk_bytes);
    struct piece *pieces;
    enum outcome outcome = DONE;

    for (int j = 0; j < 3; j++) {
        first[j] = r->lo[j] / chunk[j];
        end[j] = (r->lo[j] + r->count[j] - 1) / chunk[j] + 1;
    }
    pieces = malloc((size_t)((end[0] - first[0]) * (end[1] - first[1]) * (end[2] - first[2])) * sizeof *pieces);
    if (!stage || !pieces)
        outcome = complain("no memory");
    for (int64_t i = first[0]; i < end[0] && outcome == DONE; i++)
        for (int64_t j = first[1]; j < end[1] && outcome == DONE; j++)
            for (int64_t k = first[2]; k < end[2] && outcome == DONE; k++, n++) {
                pieces[n] = (struct piece){ .index = { i, j, k } };
                outcome = find_chunk(c, &pieces[n]);
            }
    if (outcome == DONE)
        qsort(pieces, (size_t)n, sizeof *pieces, by_offset);
    for (int64_t p = 0; p < n && outcome == DONE; p++)
        outcome = read_piece(c, r, &pieces[p], stage);
    free(pieces);
    free(stage);
    return outcome;
}

static enum outcome read_chunks(void *handle, const int64_t lo[], const int64_t count[], double *out)
{
    const struct request r = { lo, count, { count[1] * count[2], count[2], 1 }, out };

    return read_request(handle, &r);
}

static enum outcome read_fortran(void *handle, const struct layout *layout, double *out)
{
    const int64_t lo[MAX_NDIM] = { 0 }, *n = layout->extent;
    const struct request r = { lo, n, { 1, n[0], n[0] * n[1] }, out };

    return read_request(handle, &r);
}

/* Where an element is. */
static enum outcome find_element(const struct chunks *c, const int64_t index[], struct piece *piece)
{
    const int64_t *chunk = drx_chunk(c->array);
    int64_t at = 0;

    for (int j = 0; j < 3; j++) {
        piece->index[j] = index[j] / chunk[j];
        at = at * chunk[j] + index[j] % chunk[j];
    }
    if (find_chunk(c, piece) != DONE)
        return FAILED;
    piece->offset += at * (int64_t)sizeof(double);
    return DONE;
}

static enum outcome get(void *handle, const int64_t index[], double *out)
{
    const struct chunks *c = handle;
    struct piece piece;

    if (find_element(c, index, &piece) != DONE)
        return FAILED;
    return move_bytes(c->fd, false, out, sizeof *out, piece.offset);
}

static enum outcome get_many(void *handle, int64_t n, const int64_t (*index)[MAX_NDIM], double *out)
{
    const struct chunks *c = handle;
    struct piece *pieces = malloc((size_t)n * sizeof *pieces);
    enum outcome outcome = pieces ? DONE : complain("no memory");

    for (int64_t e = 0; e < n && outcome == DONE; e++) {
        pieces[e].which = e;
        outcome = find_element(c, index[e], &pieces[e]);
    }
    if (outcome == DONE)
        qsort(pieces, (size_t)n, sizeof *pieces, by_offset);
    for (int64_t e = 0; e < n && outcome == DONE; e++)
        outcome = move_bytes(c->fd, false, &out[pieces[e].which], sizeof *out, pieces[e].offset);
    free(pieces);
    return outcome;
}

const struct peer peer_bare = {
    .name = "bare",
    .files = "bare",
    .suffixes = drx_suffixes,
    .declines = ~(UINT64_C(1) << GROWTH | UINT64_C(1) << GROWTH_ALL),
    .create = create_chunks,
    .open = open_chunks,
    .prepare = prepare,
    .grow = grow,
    .read = read_back,
    .close = close_chunks,
};

const struct peer peer_chunks = {
    .name = "chunks",
    .files = "drx",
    .suffixes = drx_suffixes,
    .declines = UINT64_C(1) << GROWTH | UINT64_C(1) << GROWTH_ALL,
    .open = open_chunks,
    .read = read_chunks,
    .read_fortran = read_fortran,
    .get = get,
    .get_many = get_many,
    .close = close_chunks,
};
