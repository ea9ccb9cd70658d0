/* Boxes of elements, moved between memory and the chunks.
 *
 *   cursor.c      visits the chunks that a strided box meets, in the order of their addresses; where its elements lie
 *                 in memory and in a chunk
 *   mapped.c      reads boxes from a view of the data file
 *   verified.c    the same, and compares checksums
 *   cached.c      reads from the cache of a file that has no view (pool/cached_file.h)
 *   concurrent.c  reads boxes by calls, many under way at once
 *   regions.c     puts the elements of what was read into place
 *   ahead/        boxes fetched for a program that walks
 *     walk.c      the next one
 *     stash.h     keeps such a box in memory of its own
 *     paced.h     several, from a server, while the program keeps its pace (pace.h)
 *   transfer.c    writes boxes through a stage
 *   packed_*.c    the same of compressed chunks
 *   packed.h      what several processes write to compressed chunks together: packed_parts.c
 *   points.h      lists of single elements: points*.c
 *   ways.c        which of them a kind of storage has
 *   request.c     chooses one, and the number of threads */
#pragma once

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
    const struct drxi_data *data;
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
void drxi_cursor_start(struct drxi_cursor *c, const struct drxi_data *data, const int64_t lo[], const int64_t count[],
                       const int64_t step[]);
/* Advance to the next chunk and set c->index and c->piece; after drxi_cursor_start_in, only the piece's address. */
bool drxi_cursor_next(struct drxi_cursor *c);
/* Visit those of the chunks first <= i < end that `find` finds, for any set of elements. */
void drxi_cursor_start_in(struct drxi_cursor *c, const struct drxi_data *data, const int64_t first[],
                          const int64_t end[], drxi_cursor_find *find, const void *sets);

/* Advance lo[] to the next box of by[] indices between first[] and end[], the last axis fastest. After the last box,
 * return false with lo[] at first[] again. */
bool drxi_next_box(int ndim, const int64_t first[], const int64_t end[], const int64_t by[], int64_t lo[]);

int64_t drxi_piece_bytes(const struct drxi_piece *piece, const struct drxi_data *data);
/* Whether a piece is all of its chunk inside the bounds. */
bool drxi_piece_is_all(const struct drxi_data *data, const int64_t index[], const struct drxi_piece *piece);

/* The chunk of an index of axis j; adds to *within how many bytes into the chunk it lies. */
static inline int64_t drxi_chunk_of(const struct drxi_data *data, int j, int64_t index, int64_t *within)
{
    const int64_t extent = data->chunk[j];
    const int shift = data->chunk_shift[j]; /* rounds down, and takes less time than a division */
    const int64_t chunk = shift >= 0 ? index >> shift : drxi_floor_div(index, extent);

    *within += (index - chunk * extent) * data->item_pitch_bytes[j];
    return chunk;
}

/* The offset in the file of an element inside the bounds. */
static inline int64_t drxi_offset_of(const struct drxi_data *data, const int64_t index[])
{
    int64_t chunk[DRX_MAX_NDIM];
    int64_t within = 0;

    for (int j = 0; j < data->ndim; j++)
        chunk[j] = drxi_chunk_of(data, j, index[j], &within);
    return drxi_map_address(&data->map, chunk) * data->chunk_pitch_bytes + within;
}

/* ---- request.c ---- */

struct drxi_stash;

/* A strided box of elements, already checked. Callers leave large, direct, stash and alone zero; the library sets
 * them. */
struct drxi_box {
    const int64_t *lo, *count;
    const int64_t *step;         /* NULL: 1 */
    const int64_t *stride_bytes; /* in memory */
    bool large;                  /* it is part of a request larger than the caches */
    bool direct;                 /* a read does not pass through the system's cache */
    bool past;                   /* nor through that of the file (pool/cached_file.h) */
    struct drxi_stash *stash;    /* has the box, or its first part; or NULL */
    bool alone;                  /* a write, while nothing else writes to its chunks */
    const int64_t *without;      /* addresses of chunks that a write leaves out, ascending */
    int64_t n_without;
};

/* Takes a read that would be sent, without its memory; false: no more. */
struct drxi_flying;
typedef bool drxi_range(void *arg, const struct drxi_flying *read);

/* How boxes and lists of elements are moved, by the kind of storage. NULL: as those of any file. */
struct drxi_ways {
    drx_status (*read)(struct drxi_data *data, struct drxi_box *box, void *mem); /* in one thread */
    drx_status (*points)(struct drxi_data *data, int64_t n, const int64_t *indices, void *values);
    int64_t (*parts)(const struct drxi_data *data, int64_t most); /* into which a read is cut for threads */
    drx_status (*write)(struct drxi_data *data, const struct drxi_box *box, const void *mem); /* in all threads */
    /* Call `range` with the reads of a read of the box from the disk or a server; its strides do not matter */
    drx_status (*ranges)(struct drxi_data *data, const struct drxi_box *box, drxi_range *range, void *arg);
};
const struct drxi_ways *drxi_ways_of(const struct drxi_data *data);

/* Does a write of the box leave out the chunk of that address? In cursor.c. */
bool drxi_leaves_out(const struct drxi_box *box, int64_t address);

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

/* The strides of a box's elements in memory and inside a chunk, in bytes, and the axes of a chunk, the slowest
 * first. */
struct drxi_layout {
    int ndim;
    int64_t item_bytes, mem_stride[DRX_MAX_NDIM], file_stride[DRX_MAX_NDIM];
    int axes[DRX_MAX_NDIM];
};
void drxi_lay_out(struct drxi_layout *l, const struct drxi_data *data, const struct drxi_box *box);

/* What a box takes of a chunk: bytes in the file from its first to its last, bytes wanted, the widest gap, the slowest
 * axis with more than one index (-1: none), and whether it is laid out in memory as in the file. */
struct drxi_region {
    int64_t span, wanted, widest_gap;
    int slowest;
    bool alike;
};
struct drxi_region drxi_region_of(const struct drxi_layout *l, const int64_t count[]);

/* ---- mapped.c ---- */

/* Read a box from the view. False when the view does not have all of the box, or when not all of its pages are in
 * memory, by samples. `buf` may hold parts of the box then. */
bool drxi_mapped_read(struct drxi_data *data, const struct drxi_box *box, void *buf);
/* The same in two steps: look first, then copy the box or parts of it inside drxi_view_use. */
bool drxi_mapped_look(struct drxi_data *data, const struct drxi_box *box);
struct drxi_fold;
void drxi_mapped_copy(struct drxi_data *data, const struct drxi_box *box, void *buf, struct drxi_fold *fold);

/* Whether the view has all of the chunks first <= i < end, in the order of their addresses, and, by samples, their
 * pages are in memory. Then the caller may read their bytes inside drxi_view_use, and reports how many with
 * drxi_mapped_used. */
bool drxi_mapped_has(struct drxi_data *data, const int64_t first[], const int64_t end[]);
void drxi_mapped_used(struct drxi_data *data, int64_t bytes);
/* The same for bytes that are not read again: little of them stays mapped when drx_set_memory has set a limit. */
void drxi_mapped_used_once(struct drxi_data *data, int64_t bytes);
/* The same for bytes that were just read from the disk, in the view's memory. */
void drxi_mapped_touched(struct drxi_data *data, int64_t bytes);
/* The most that should be read through the view at once. */
static inline int64_t drxi_mapped_part(const struct drxi_data *data)
{
    return drxi_max(drxi_min(data->file->view_limit_bytes / 4, drxi_view_most() / 32), 1 << 20);
}
/* The same for n single elements, out of a list of `of`. */
void drxi_mapped_used_points(struct drxi_data *data, int64_t n, int64_t of);

/* ---- cached.c ---- */

/* Read a box from the cache of the file, if it has one, which brings in what is missing. *done is false when it may
 * not; `buf` may hold parts of the box then, which is to be read past the cache. */
drx_status drxi_cached_read(struct drxi_data *data, struct drxi_box *box, void *buf, bool *done);
/* Read a list of elements, or one, from there; false when it does not have all of them. */
bool drxi_cached_points(struct drxi_data *data, int64_t n, const int64_t *indices, void *values);
bool drxi_cached_get(struct drxi_data *data, int64_t offset, void *value);

/* ---- concurrent.c ---- */

/* Read a box by calls, shared by this many threads. Whole chunks are verified; with drx_set_verify, all of its
 * chunks. */
drx_status drxi_concurrent_read(struct drxi_data *data, const struct drxi_box *box, void *mem, int threads);
drx_status drxi_concurrent_ranges(struct drxi_data *data, const struct drxi_box *box, drxi_range *range, void *arg);

/* ---- walk.c ---- */

/* A read of this many bytes begins: what was fetched for it is in memory on return, or in box->stash. Then it is over,
 * and what comes next is fetched after a success, if that has not begun. NULL: nothing is to be done. */
struct drxi_walker *drxi_walk_begin(struct drxi_data *data, struct drxi_box *box, int64_t bytes);
void drxi_walk_end(struct drxi_walker *w, struct drxi_data *data, bool success);

/* ---- transfer.c ---- */

/* As drxi_data_write; while a chunk is held, to that chunk. */
struct drxi_hold;
drx_status drxi_write_held(struct drxi_data *data, struct drxi_hold *hold, void *buf, size_t n, int64_t offset);

/* Write a box through a stage. */
drx_status drxi_staged_write(struct drxi_data *data, const struct drxi_box *box, const void *mem);

/* ---- points_read.c, points_write.c ---- */

/* Read or write n elements; the indices, ndim for each, are inside the bounds, and `values` has the order of the list.
 * Of several values for one element, the last in the list stays. `alone`: nobody else writes to their chunks. */
drx_status drxi_points_read(struct drxi_data *data, int64_t n, const int64_t *indices, void *values);
drx_status drxi_plain_points(struct drxi_data *data, int64_t n, const int64_t *indices,
                             void *values); /* not compressed */
drx_status drxi_points_write(struct drxi_data *data, int64_t n, const int64_t *indices, const void *values, bool alone);

/* ---- packed_read.c, packed_write.c, packed_close.c: of compressed arrays ---- */

drx_status drxi_packed_read(struct drxi_data *data, struct drxi_box *box, void *mem);
drx_status drxi_packed_points(struct drxi_data *data, int64_t n, const int64_t *indices, void *values);
drx_status drxi_packed_ranges(struct drxi_data *data, const struct drxi_box *box, drxi_range *range, void *arg);
/* Threads share it. */
drx_status drxi_packed_write(struct drxi_data *data, const struct drxi_box *box, const void *mem);
/* What closes chunks of these addresses, where they are open, `room` at a time. NULL: drxi_pack_close. */
struct drxi_closer {
    drx_status (*close)(void *with, int64_t n, const int64_t q[]);
    void *with;
    int64_t *q, room;
};
/* Whether some may be, as far as this process knows. */
bool drxi_may_be_open(const struct drxi_data *data);
/* Close the chunks that a bound has passed on its way. Does nothing for arrays that are not compressed. */
drx_status drxi_packed_passed(struct drxi_data *data, const struct drxi_closer *closer, int axis, enum drxi_end end,
                              int64_t from, int64_t to);
DRXI_SHARED drx_status drxi_packed_close_all(struct drxi_data *data, const struct drxi_closer *closer);

/* ---- verified.c ---- */

/* Whether the box has all elements inside the bounds of at least one chunk, and the array has checksums. */
bool drxi_verified_some(const struct drxi_data *data, const struct drxi_box *box);
/* Read the box from the view, or by calls where that is impossible, and verify its whole chunks; with drx_set_verify,
 * all of its chunks. */
drx_status drxi_verified_read(struct drxi_data *data, struct drxi_box *box, void *buf);
/* With drx_set_verify, verify the chunks of which the box has a part. A read by calls verifies them itself, in the
 * whole chunks that it reads then; other reads leave them out. */
drx_status drxi_verified_parts(struct drxi_data *data, const struct drxi_box *box);
