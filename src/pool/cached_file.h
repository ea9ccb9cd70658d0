/* A bounded cache of blocks of a file, for files that cannot be mapped: those of MPI-IO, or of another machine. It is a
 * file itself, in front of the other one, so nothing that this handle writes passes it by.
 *
 * Invariants
 *   1. The cache never holds what the file lacks: a write goes to the file before it returns.
 *   2. A block in the cache is what the file gave in the present moment, and no write, punch or change of length by
 *      this handle has touched it since. What touches a block drops it before it begins. While one is under way, and
 *      for reads that began before its end, nothing comes in.
 *   3. The owner tells when others may have written, by the moment: a number that it changes. When it has changed, all
 *      blocks go before the next one is given out. Without a moment nobody else writes.
 *   4. Blocks and what is noted of them take no more memory than the bound, nor than an eighth of drx_set_memory.
 *   5. A failure to read a block is reported to who wanted some of it. Without memory for it, the read goes to the
 *      file.
 *
 * Single elements: the first read of one brings in the line of 64 bytes around it alone. Bringing in all of its block
 * would take as long again as the read. A block has at most one line: when another one is missed, the whole block comes
 * in.
 *
 * Replacement: CLOCK. When the cache is full, a block comes in only when it is missed a second time while the cache
 * still remembers the first, and the hand moves only as far as blocks are lacking. So a scan neither drives out what is
 * in use nor reads more than it asked for, and of a loop through more than the cache holds a part stays. What a box
 * takes that is not small comes in when bringing it in has become cheaper than what its reads by calls have cost
 * (box/cached.c).
 *
 * Any number of threads. */
#pragma once

#include "io/io.h"

struct drxi_cache;

struct drxi_cache_spec {
    int block_shift; /* a block has 1 << block_shift bytes, at least 16, so that no element lies in two; 0: 1 KiB */
    int64_t most_bytes;
    const atomic_uint_fast64_t *moment; /* outlives the cache; NULL: nobody else writes */
    bool near; /* a read of few bytes costs little: single elements come in as lines, and large boxes when that pays */
};

/* Make a file that reads `inner` through a cache, and owns it from then on. Its path is that of `inner`. Memory is
 * taken when the first block comes in. */
DRXI_SHARED drx_status drxi_cached_open(drxi_io *inner, const struct drxi_cache_spec *spec, drxi_io **out);
/* The file behind the cache; of any other file, that file. */
drxi_io *drxi_cached_inner(drxi_io *io);
/* NULL: any other file. */
struct drxi_cache *drxi_cache_of(const drxi_io *io);

/* Copy n bytes from the offset; false when the cache does not have them all. */
bool drxi_cache_get(struct drxi_cache *c, int64_t offset, void *buf, size_t n);
/* Where the element of n bytes at the offset is, in a block or a line; NULL: not in the cache. */
const uint8_t *drxi_cache_element(struct drxi_cache *c, int64_t offset, int64_t n);

/* Between these two calls blocks stay where they are. Other threads that enter do not wait; those that bring blocks in,
 * or write, do. */
void drxi_cache_enter(struct drxi_cache *c);
void drxi_cache_leave(struct drxi_cache *c);
bool drxi_cache_is_full(const struct drxi_cache *c);
/* Where the byte at the offset is in a block, and how many follow it there; NULL: no block has it. */
const uint8_t *drxi_cache_at(struct drxi_cache *c, int64_t offset, int64_t *n);

/* Blocks first <= i < end. */
struct drxi_blocks {
    int64_t first, end;
};
int drxi_cache_block_shift(const struct drxi_cache *c);
/* The most blocks that one request should bring in. */
int64_t drxi_cache_share(const struct drxi_cache *c);
/* How often the block of the offset, which is missing, was missed before. It is remembered. */
int drxi_cache_knows(struct drxi_cache *c, int64_t offset);
bool drxi_cache_is_near(const struct drxi_cache *c); /* as the spec says */
/* Bring in the blocks of n ascending runs, which are missing; blocks less than `gap_bytes` apart are read together.
 * `known`: one of them was missed before. The error of a read; when there is none, out->all tells whether they all came
 * in. */
struct drxi_brought {
    int64_t reads, bytes;
    bool all;
};
drx_status drxi_cache_bring(struct drxi_cache *c, const struct drxi_blocks runs[], int64_t n, bool known,
                            int64_t gap_bytes, struct drxi_brought *out);

/* Drop what the cache has of n bytes from the offset on: somebody doubts them. */
void drxi_cache_forget(struct drxi_cache *c, int64_t offset, int64_t n);

/* What the cache has done, for tests and measurements. */
struct drxi_cache_counts {
    int64_t blocks, most_blocks, brought, evicted, refused, dropped;
};
void drxi_cache_count(struct drxi_cache *c, struct drxi_cache_counts *out);
