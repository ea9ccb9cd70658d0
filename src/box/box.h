/* Boxes of elements, moved between memory and the chunks.
 *
 *   cursor.c    the chunks that a strided box meets, in the order of their addresses
 *   mapped.c    reading boxes from a view of the data file; verified.c: comparing checksums
 *   transfer.c  moving boxes through a stage of memory
 *   ahead.c     telling the system what such a read comes to next
 *   request.c   which of these ways, and how many threads */
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

/* Put axis `j` of the cursor on the first chunk from `index` on, and before `end`, that holds something wanted;
 * false: there is none. */
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
DRXI_SHARED bool drxi_cursor_next(struct drxi_cursor *c); /* then c->index, and c->piece or its address alone */
/* The same for any set of elements: among the chunks first <= i < end, those that `find` finds. */
DRXI_SHARED void drxi_cursor_start_in(struct drxi_cursor *c, const struct drxi_state *state, const int64_t first[],
                                      const int64_t end[], drxi_cursor_find *find, const void *sets);

int64_t drxi_piece_bytes(const struct drxi_piece *piece, const struct drxi_data *data);
/* Whether a piece is all of its chunk that is in the bounds. */
bool drxi_piece_is_all(const struct drxi_state *s, const int64_t index[], const struct drxi_piece *piece);

/* ---- request.c ---- */

/* A strided box of elements, already checked, and where its elements are in memory,
 * in bytes from the first one. */
struct drxi_box {
    const int64_t *lo, *count;
    const int64_t *step; /* NULL: 1 */
    const int64_t *stride_bytes;
    bool large;             /* it is part of more than caches hold; these are set on the way: */
    bool cold;              /* the file has to be read from the disk */
    bool alone;             /* a write: nothing else writes to its chunks meanwhile */
    const int64_t *without; /* addresses of chunks to leave out, ascending; a write knows them */
    int64_t n_without;
};

/* Move a box between the chunks and memory. It may hold cells outside the bounds if their chunks exist. */
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

/* Read a box from the view, which drxi_data_view gave. False when the view does not have all of the box, or memory does
 * not have all of a large one, which sets box->cold: then parts of `buf` may be written. */
bool drxi_mapped_read(struct drxi_data *data, struct drxi_box *box, void *buf);
/* The same in two steps: look, then copy the box or parts of it inside of drxi_view_use. */
bool drxi_mapped_look(struct drxi_data *data, struct drxi_box *box);
struct drxi_fold;
void drxi_mapped_copy(struct drxi_data *data, const struct drxi_box *box, void *buf, struct drxi_fold *fold);

/* Whether the view has all of the chunks first <= i < end, and memory has them, by samples. Then a caller may read
 * their bytes inside of drxi_view_use, and tells how many. */
bool drxi_mapped_has(struct drxi_data *data, const int64_t first[], const int64_t end[]);
void drxi_mapped_used(struct drxi_data *data, int64_t bytes);

/* ---- ahead.c ---- */

/* A second cursor, which goes ahead of the one that reads. */
struct drxi_ahead {
    struct drxi_cursor cursor;
    int64_t file_stride[DRX_MAX_NDIM]; /* bytes, of one step inside a chunk */
    int64_t begin, end;                /* bytes of the file that the system is not told of yet */
    int64_t leads;                     /* by so many bytes */
    bool more;
};
void drxi_ahead_start(struct drxi_ahead *ahead, struct drxi_data *data, const struct drxi_box *box);
/* A piece of so many bytes is read now. */
void drxi_ahead_follow(struct drxi_ahead *ahead, struct drxi_data *data, int64_t bytes);

/* ---- transfer.c ---- */

/* Move a box through a stage of memory. */
drx_status drxi_staged_move(struct drxi_data *data, bool writing, const struct drxi_box *box, void *mem);

/* ---- verified.c ---- */

/* Whether the box takes all that is in the bounds of some chunk with a checksum. */
bool drxi_verified_some(const struct drxi_data *data, const struct drxi_box *box);
/* Read it from the view, and through a stage where the view does not do. */
drx_status drxi_verified_read(struct drxi_data *data, struct drxi_box *box, void *buf);

#endif
