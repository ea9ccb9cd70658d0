/* Boxes of elements, moved between memory and the chunks.
 *
 *   cursor.c    visits the chunks that a strided box meets, in the order of their addresses
 *   mapped.c    reads boxes from a view of the data file
 *   verified.c  the same, and compares checksums
 *   transfer.c  moves boxes through a stage
 *   ahead.c     tells the system what such a read needs next
 *   request.c   chooses one of these ways, and the number of threads */
#ifndef DRXI_BOX_H
#define DRXI_BOX_H

#include "data/data.h"

/* ---- cursor.c ---- */

struct drxi_cursor;

/* The piece of a strided box that lies in one chunk. */
struct drxi_piece {
    int64_t address;
    int64_t from[DRX_MAX_NDIM];  /* its first element, counted in the box */
    int64_t start[DRX_MAX_NDIM]; /* the same, counted in the chunk */
    int64_t count[DRX_MAX_NDIM];
};

/* Set c->index[j] to the first chunk of axis `j` from `index` to `end` that holds something wanted; false when there is
 * none. */
typedef bool drxi_cursor_find(struct drxi_cursor *c, int j, int64_t index, int64_t end);

struct drxi_cursor {
    const struct drxi_state *state;
    drxi_cursor_find *find;
    const void *sets; /* for `find` */
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM], step[DRX_MAX_NDIM];
    struct drxi_walk walk;
    struct drxi_part part;
    bool in_part;
    int64_t index[DRX_MAX_NDIM]; /* of the chunk */
    struct drxi_piece piece;
};

/* The box has at least one element and lies inside the bounds of the map. */
DRXI_SHARED void drxi_cursor_start(struct drxi_cursor *c, const struct drxi_state *state, const int64_t lo[],
                                   const int64_t count[], const int64_t step[]);
/* Advance to the next chunk and set c->index and c->piece; after drxi_cursor_start_in, only the piece's address. */
DRXI_SHARED bool drxi_cursor_next(struct drxi_cursor *c);
/* Visit those of the chunks first <= i < end that `find` finds, for any set of elements. */
DRXI_SHARED void drxi_cursor_start_in(struct drxi_cursor *c, const struct drxi_state *state, const int64_t first[],
                                      const int64_t end[], drxi_cursor_find *find, const void *sets);

int64_t drxi_piece_bytes(const struct drxi_piece *piece, const struct drxi_data *data);
/* Whether a piece is all of its chunk inside the bounds. */
bool drxi_piece_is_all(const struct drxi_state *s, const int64_t index[], const struct drxi_piece *piece);

/* ---- request.c ---- */

/* A strided box of elements, already checked. Callers leave large, cold and alone zero; the library sets them. */
struct drxi_box {
    const int64_t *lo, *count;
    const int64_t *step;         /* NULL: 1 */
    const int64_t *stride_bytes; /* in memory */
    bool large;                  /* it is part of a request larger than the caches */
    bool cold;                   /* the system must read the file from the disk */
    bool alone;                  /* a write, while nothing else writes to its chunks */
    const int64_t *without;      /* addresses of chunks that a write leaves out, ascending */
    int64_t n_without;
};

/* Move a box between the chunks and memory. It may reach outside the bounds where chunks exist. */
DRXI_SHARED drx_status drxi_transfer(struct drxi_data *data, bool writing, const struct drxi_box *box, void *mem);
static inline drx_status drxi_transfer_read(struct drxi_data *data, const struct drxi_box *box, void *buf)
{
    return drxi_transfer(data, false, box, buf);
}
static inline drx_status drxi_transfer_write(struct drxi_data *data, const struct drxi_box *box, const void *buf)
{
    return drxi_transfer(data, true, box, (void *)(uintptr_t)buf); /* only read */
}

/* ---- mapped.c ---- */

/* Read a box from the view. False when the view does not have all of the box, or when not all pages of a large one are
 * in memory, which sets box->cold. `buf` may hold parts of the box then. */
bool drxi_mapped_read(struct drxi_data *data, struct drxi_box *box, void *buf);
/* The same in two steps: look first, then copy the box or parts of it inside drxi_view_use. */
bool drxi_mapped_look(struct drxi_data *data, struct drxi_box *box);
struct drxi_fold;
void drxi_mapped_copy(struct drxi_data *data, const struct drxi_box *box, void *buf, struct drxi_fold *fold);

/* Whether the view has all of the chunks first <= i < end, and, by samples, their pages are in memory. Then the caller
 * may read their bytes inside drxi_view_use, and reports how many with drxi_mapped_used. */
bool drxi_mapped_has(struct drxi_data *data, const int64_t first[], const int64_t end[]);
void drxi_mapped_used(struct drxi_data *data, int64_t bytes);

/* ---- ahead.c ---- */

/* A second cursor, which runs ahead of the one that reads. */
struct drxi_ahead {
    struct drxi_cursor cursor;
    int64_t file_stride[DRX_MAX_NDIM]; /* bytes, of one step inside a chunk */
    int64_t begin, end;                /* bytes of the file still to be announced to the system */
    int64_t leads;                     /* bytes by which it is ahead */
    bool more;
};
void drxi_ahead_start(struct drxi_ahead *ahead, struct drxi_data *data, const struct drxi_box *box);
/* Follow the reader, which now reads a piece of so many bytes. */
void drxi_ahead_follow(struct drxi_ahead *ahead, struct drxi_data *data, int64_t bytes);

/* ---- transfer.c ---- */

/* Move a box through a stage. */
drx_status drxi_staged_move(struct drxi_data *data, bool writing, const struct drxi_box *box, void *mem);

/* ---- verified.c ---- */

/* Whether the box has all elements inside the bounds of at least one chunk, and the array has checksums. */
bool drxi_verified_some(const struct drxi_data *data, const struct drxi_box *box);
/* Read the box from the view, or through a stage where that is impossible, and verify its whole chunks. */
drx_status drxi_verified_read(struct drxi_data *data, struct drxi_box *box, void *buf);

#endif
