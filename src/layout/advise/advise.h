/* Choosing a chunk shape for typical requests: the cost of reading a box of a given shape, averaged exactly over all
 * its positions in the array, and the shape of least cost. Pure arithmetic except for drx_advise itself. docs/layout.md
 * has the model. */
#pragma once

#include "base/base.h"
#include "drx_tools.h"

/* ---- advise_axis.c: along one axis ------------------------------------------------------- */

/* The pieces into which chunk borders cut a request, when all its positions are equally likely: `each` is the expected
 * number of pieces of k elements, for every lo <= k <= hi. */
struct drxi_pieces_run {
    int64_t lo, hi;
    double each;
};

enum { DRXI_PIECES_RUNS = 6 };

struct drxi_pieces {
    int64_t extent, chunk, request;
    int runs;
    struct drxi_pieces_run run[DRXI_PIECES_RUNS];
    double all, whole; /* expected pieces, and those of a whole chunk */
};

/* 1 <= request <= extent. */
void drxi_pieces(int64_t extent, int64_t chunk, int64_t request, struct drxi_pieces *out);

/* ---- advise_read.c: a request -------------------------------------------------------------- */

/* How box/concurrent.c reads: the most in one read, and the widest gap that it reads instead of making another; whole
 * chunks in one read. */
enum { DRXI_READ_STAGE_BYTES = 1 << 20, DRXI_READ_THROUGH_BYTES = 1 << 14, DRXI_READ_BATCH = 1 << 9 };

struct drxi_stored_layout {
    int ndim;
    int64_t shape[DRX_MAX_NDIM], chunk[DRX_MAX_NDIM];
    int64_t item_bytes, pitch_bytes; /* pitch: from one chunk to the next */
    drx_order order;                 /* inside a chunk */
    bool scattered;                  /* chunks are not in row-major order of their indices */
    int64_t stage_bytes, through_bytes;
};

struct drxi_read {
    double calls, bytes;
};

/* The expected calls and bytes to read a box of `count` elements, 1 <= count <= shape. Exact for pitches up to the
 * stage. For larger chunks, spans of more than the stage are exact to within a call. */
struct drxi_read drxi_expect_read(const struct drxi_stored_layout *layout, const int64_t count[]);

/* ---- advise_search.c: the best chunk --------------------------------------------------------- */

struct drxi_wishes {
    int n;
    const drx_access *access;
    int64_t chunk_bytes; /* at most, and more than half of it if the array has that many */
    int64_t align;       /* 0: chosen from `unit` and the chunk */
    int64_t unit;
};

/* The modelled seconds of a round of all requests. */
double drxi_round_seconds(const struct drxi_stored_layout *layout, const struct drxi_wishes *wishes);
double drxi_read_seconds(struct drxi_read read);

/* The alignment of chunks of this many bytes: wishes->align, or the largest power of two up to the unit that pads at
 * most a sixteenth. */
int64_t drxi_choose_align(int64_t chunk_bytes, const struct drxi_wishes *wishes);

/* Set the chunk, pitch and order of chunks to the best that the search finds. DRX_ENOMEM. */
drx_status drxi_best_chunk(struct drxi_stored_layout *layout, const struct drxi_wishes *wishes);
