#include "pool/cache_frames.h"

void drxi_frames_init(struct drxi_frames *f, int shift, int64_t cache_bytes, int eighths)
{
    memset(f, 0, sizeof *f);
    f->shift = shift;
    f->eighths = eighths;
    f->most_bytes = eighths == 8 ? cache_bytes : cache_bytes / 8 * eighths;
}

void drxi_frames_free(struct drxi_frames *f)
{
    drxi_free(f->frame);
    drxi_free(f->bucket);
    drxi_free(f->missed);
    drxi_free(f->memory);
    f->frame = NULL;
    f->bucket = NULL;
    f->missed = NULL;
    f->memory = NULL;
    f->room = f->made = f->count = f->hand = f->buckets = 0;
}

static int64_t bucket_of(const struct drxi_frames *f, int64_t block)
{
    return (int64_t)((uint64_t)block * 0x9e3779b97f4a7c15u >> 20) & (f->buckets - 1);
}

int32_t drxi_frames_find(const struct drxi_frames *f, int64_t block)
{
    int32_t i = f->count > 0 ? f->bucket[bucket_of(f, block)] : DRXI_NO_FRAME;

    while (i != DRXI_NO_FRAME && f->frame[i].block != block)
        i = f->frame[i].next;
    return i;
}

/* What a frame takes, and what is noted of it. There are less than twice as many buckets as frames. */
static int64_t bytes_each(const struct drxi_frames *f)
{
    return (INT64_C(1) << f->shift) + (int64_t)(sizeof *f->frame + 2 * (sizeof *f->bucket + sizeof *f->missed));
}

static bool make_tables(struct drxi_frames *f, int64_t room)
{
    const size_t bytes = (size_t)room << f->shift;

    f->buckets = 1;
    while (f->buckets < room)
        f->buckets *= 2;
    f->frame = drxi_calloc((size_t)room, sizeof *f->frame);
    f->bucket = drxi_malloc((size_t)f->buckets * sizeof *f->bucket);
    f->missed = drxi_malloc((size_t)f->buckets * sizeof *f->missed);
    f->memory = drxi_malloc(bytes);
    if (!f->frame || !f->bucket || !f->missed || !f->memory) {
        drxi_report_clear();
        drxi_frames_free(f);
        return false;
    }
    memset(f->bucket, DRXI_NO_FRAME, (size_t)f->buckets * sizeof *f->bucket);
    memset(f->missed, 0, (size_t)f->buckets * sizeof *f->missed);
    f->idle = DRXI_NO_FRAME;
    f->room = room;
    return true;
}

bool drxi_frames_bound(struct drxi_frames *f)
{
    const int64_t most = drxi_min(f->most_bytes, drxi_may_take(DRXI_FOR_CACHE) / 8 * f->eighths);
    const int64_t room = drxi_min(most / bytes_each(f), INT32_MAX);

    if (room == f->room)
        return room > 0;
    drxi_frames_free(f);
    return room > 0 && make_tables(f, room);
}

/* Take a frame out of its bucket. */
static void release_frame(struct drxi_frames *f, int32_t i)
{
    int32_t *link = &f->bucket[bucket_of(f, f->frame[i].block)];

    while (*link != i)
        link = &f->frame[*link].next;
    *link = f->frame[i].next;
    f->frame[i].block = -1;
    f->frame[i].next = f->idle;
    f->idle = i;
    f->count--;
}

int drxi_frames_known(struct drxi_frames *f, int64_t block)
{
    int64_t *missed = f->room > 0 ? &f->missed[bucket_of(f, block)] : NULL;
    const int64_t times = missed && *missed / (DRXI_MOST_MISSES + 1) == block ? *missed % (DRXI_MOST_MISSES + 1) : 0;

    if (missed)
        *missed = block * (DRXI_MOST_MISSES + 1) + drxi_min(times + 1, DRXI_MOST_MISSES);
    return (int)times;
}

bool drxi_frames_make_room(struct drxi_frames *f, int64_t blocks)
{
    const int64_t lacking = blocks - (f->room - f->count);

    for (int64_t k = 0; k < lacking && f->made > 0; k++) {
        const int32_t i = (int32_t)f->hand;

        f->hand = (f->hand + 1) % f->made;
        if (f->frame[i].block >= 0 && !atomic_exchange_explicit(&f->frame[i].used, false, memory_order_relaxed)) {
            release_frame(f, i);
            f->evicted++;
        }
    }
    return blocks <= f->room - f->count;
}

/* DRXI_NO_FRAME: none is free. */
static int32_t take_cache_frame(struct drxi_frames *f)
{
    const int32_t i = f->idle;

    if (i != DRXI_NO_FRAME)
        f->idle = f->frame[i].next;
    else if (f->made < f->room)
        return (int32_t)f->made++;
    return i;
}

bool drxi_frames_put(struct drxi_frames *f, int64_t block, int32_t start, const uint8_t *data, int64_t bytes)
{
    int32_t i, *bucket = &f->bucket[bucket_of(f, block)];

    if (drxi_frames_find(f, block) != DRXI_NO_FRAME) /* another thread was faster */
        return true;
    i = take_cache_frame(f);
    if (i == DRXI_NO_FRAME)
        return false;
    f->frame[i].block = block;
    f->frame[i].bytes = (int32_t)bytes;
    f->frame[i].start = start;
    atomic_store_explicit(&f->frame[i].used, false, memory_order_relaxed);
    f->frame[i].next = *bucket;
    *bucket = i;
    memcpy(drxi_frames_at(f, i), data, (size_t)bytes);
    f->count++;
    return true;
}

int64_t drxi_frames_drop(struct drxi_frames *f, int64_t first, int64_t end)
{
    const int64_t before = f->count;

    if (end - first > f->made) { /* more than there can be */
        for (int32_t i = 0; i < f->made; i++)
            if (f->frame[i].block >= first && f->frame[i].block < end)
                release_frame(f, i);
        return before - f->count;
    }
    for (int64_t block = first; block < end; block++) {
        const int32_t i = drxi_frames_find(f, block);

        if (i != DRXI_NO_FRAME)
            release_frame(f, i);
    }
    return before - f->count;
}
