/* The blocks of a cache: frames of memory, where they are found, and which of them goes. Callers hold a lock: for reading
 * in drxi_frames_find, and for writing in all others. */
#ifndef DRXI_CACHE_FRAMES_H
#define DRXI_CACHE_FRAMES_H

#include <stdatomic.h>

#include "pool/cached_file.h"

enum { DRXI_NO_FRAME = -1 };

/* What is noted of a frame, apart from its memory, so that a search stays in the caches of the processor. */
struct drxi_frame {
    int64_t block;    /* -1: free */
    int32_t next;     /* in its bucket, or of the free ones; DRXI_NO_FRAME: the last */
    int32_t bytes;    /* fewer than those of a block at the end of the file */
    atomic_bool used; /* since the hand passed */
};

struct drxi_frames {
    int shift; /* a block has 1 << shift bytes; this and most_bytes never change */
    int64_t most_bytes;
    int64_t room;    /* how many frames there may be; 0: nothing came in yet */
    int64_t made;    /* that were in use at some time */
    int64_t count;   /* that hold a block */
    int64_t buckets; /* a power of two */
    int64_t hand;
    struct drxi_frame *frame;
    int32_t *bucket, idle;
    uint8_t *memory; /* of all frames; the system gives it page by page */
    int64_t *missed; /* blocks that were missed while all frames held one; in each bucket the last of them */
    int64_t evicted;
};

void drxi_frames_init(struct drxi_frames *f, int shift, int64_t most_bytes);
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
/* Whether the block was missed before, as far as that is remembered. It is from now on. */
bool drxi_frames_known(struct drxi_frames *f, int64_t block);
/* Make room for so many blocks. CLOCK, but the hand passes only as many frames as are lacking: what is in use stays until
 * as much as all of it has been missed. False when that did not suffice. */
bool drxi_frames_make_room(struct drxi_frames *f, int64_t blocks);
/* Put a block in; false when no frame is free. */
bool drxi_frames_put(struct drxi_frames *f, int64_t block, const uint8_t *data, int64_t bytes);
/* Drop the blocks first <= i < end; returns how many there were. */
int64_t drxi_frames_drop(struct drxi_frames *f, int64_t first, int64_t end);

#endif
