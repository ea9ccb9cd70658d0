/* The blocks of a cache, or one line of each: frames of memory, where they are found, and which of them goes. Callers
 * hold a lock: for reading in drxi_frames_find, and for writing in all others. */
#pragma once

#include "pool/cached_file.h"

enum { DRXI_NO_FRAME = -1 };

/* What is noted of a frame, apart from its memory, so that a search stays in the caches of the processor. */
struct drxi_frame {
    int64_t block;    /* -1: free */
    int32_t next;     /* in its bucket, or of the free ones; DRXI_NO_FRAME: the last */
    int32_t bytes;    /* fewer than those of a block at the end of the file */
    int32_t start;    /* of a line: its place in the block */
    atomic_bool used; /* since the hand passed */
};

struct drxi_frames {
    int shift; /* of the memory of a frame: 1 << shift bytes; this and the next two never change */
    int64_t most_bytes;
    int eighths;     /* of the memory of the cache */
    int64_t room;    /* how many frames there may be; 0: nothing came in yet */
    int64_t made;    /* that were in use at some time */
    int64_t count;   /* that hold a block */
    int64_t buckets; /* a power of two */
    int64_t hand;
    struct drxi_frame *frame;
    int32_t *bucket, idle;
    uint8_t *memory; /* of all frames; the system gives it page by page */
    int64_t *missed; /* blocks that were missed and did not come in, in each bucket the last of them, and how often */
    int64_t evicted;
};

/* For this many eighths of the bytes that a cache may have. */
void drxi_frames_init(struct drxi_frames *f, int shift, int64_t cache_bytes, int eighths);
void drxi_frames_free(struct drxi_frames *f);

/* The frame that holds the block, or DRXI_NO_FRAME. */
int32_t drxi_frames_find(const struct drxi_frames *f, int64_t block);
static inline uint8_t *drxi_frames_at(const struct drxi_frames *f, int32_t i)
{
    return f->memory + ((int64_t)i << f->shift);
}

/* Adapt to drx_set_memory; blocks may go. False when there is no room at all. */
bool drxi_frames_bound(struct drxi_frames *f);
static inline bool drxi_frames_full(const struct drxi_frames *f)
{
    return f->room > 0 && f->count == f->room;
}
/* How often the block was missed before, as far as that is remembered, at most DRXI_MOST_MISSES. It is from now on. */
enum { DRXI_MOST_MISSES = 15 };
int drxi_frames_known(struct drxi_frames *f, int64_t block);
/* Make room for this many blocks. CLOCK, but the hand passes only as many frames as are lacking: what is in use stays
 * until as much as all of it has been missed. False when that did not suffice. */
bool drxi_frames_make_room(struct drxi_frames *f, int64_t blocks);
/* Put a block in, or the line of it that begins at its byte `start`; false when no frame is free. */
bool drxi_frames_put(struct drxi_frames *f, int64_t block, int32_t start, const uint8_t *data, int64_t bytes);
/* Drop the blocks first <= i < end; returns how many there were. */
int64_t drxi_frames_drop(struct drxi_frames *f, int64_t first, int64_t end);
