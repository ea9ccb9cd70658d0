#include "pool/pool.h"

#include <pthread.h>

enum { BLOCK_BYTES = 1 << 13, WORD_BITS = 64, MAX_WORDS = BLOCK_BYTES / WORD_BITS };

struct frame {
    int64_t block;      /* the block of BLOCK_BYTES of the file; -1: free */
    struct frame *next; /* in its bucket */
    bool used;          /* since the hand passed */
    uint64_t dirty[MAX_WORDS];
    uint8_t bytes[BLOCK_BYTES];
};

struct drxi_pool {
    pthread_mutex_t lock;
    drxi_io *io;
    size_t item_bytes;
    int64_t nframes, hand;
    atomic_int_fast64_t filled; /* frames in use; also read without the lock */
    struct frame **frame, **bucket;
};

drx_status drxi_pool_new(drxi_io *io, size_t item_bytes, size_t bound_bytes, drxi_pool **out)
{
    drxi_pool *pool = drxi_calloc(1, sizeof *pool);
    drx_status st;

    *out = NULL;
    if (!pool)
        return DRX_ENOMEM;
    (void)pthread_mutex_init(&pool->lock, NULL);
    pool->io = io;
    pool->item_bytes = item_bytes;
    st = drxi_pool_bound(pool, bound_bytes);
    if (st)
        drxi_pool_free(pool);
    else
        *out = pool;
    return st;
}

void drxi_pool_redirect(drxi_pool *pool, drxi_io *io)
{
    (void)pthread_mutex_lock(&pool->lock);
    pool->io = io;
    (void)pthread_mutex_unlock(&pool->lock);
}

static void free_frames(drxi_pool *pool)
{
    for (int64_t i = 0; i < pool->nframes; i++)
        drxi_free(pool->frame[i]);
    drxi_free(pool->frame);
    drxi_free(pool->bucket);
    pool->frame = pool->bucket = NULL;
    pool->nframes = pool->hand = 0;
    pool->filled = 0;
}

void drxi_pool_free(drxi_pool *pool)
{
    if (!pool)
        return;
    free_frames(pool);
    (void)pthread_mutex_destroy(&pool->lock);
    drxi_free(pool);
}

static struct frame **bucket_of(drxi_pool *pool, int64_t block)
{
    return &pool->bucket[((uint64_t)block * 0x9e3779b97f4a7c15u >> 20) % (uint64_t)pool->nframes];
}

static struct frame *find_frame(drxi_pool *pool, int64_t block)
{
    struct frame *f = *bucket_of(pool, block);

    while (f && f->block != block)
        f = f->next;
    return f;
}

static bool is_dirty(const struct frame *f, size_t i)
{
    return f->dirty[i / WORD_BITS] >> i % WORD_BITS & 1;
}

/* Write the dirty elements of a frame, run by run. */
static drx_status clean(drxi_pool *pool, struct frame *f)
{
    const size_t items = BLOCK_BYTES / pool->item_bytes;
    size_t i = 0;

    while (i < items) {
        size_t end = i;
        drx_status st;

        while (end < items && is_dirty(f, end))
            end++;
        if (end > i) {
            st = pool->io->ops->write(pool->io, f->bytes + i * pool->item_bytes, (end - i) * pool->item_bytes,
                                      f->block * BLOCK_BYTES + (int64_t)(i * pool->item_bytes));
            if (st)
                return st;
        }
        i = end + 1;
    }
    memset(f->dirty, 0, sizeof f->dirty);
    return DRX_OK;
}

/* Clean a frame and take it out of its bucket. */
static drx_status release_pool_frame(drxi_pool *pool, struct frame *f)
{
    struct frame **link;
    drx_status st;

    if (f->block < 0)
        return DRX_OK;
    st = clean(pool, f);
    if (st)
        return st;
    link = bucket_of(pool, f->block);
    while (*link != f)
        link = &(*link)->next;
    *link = f->next;
    f->block = -1;
    pool->filled--;
    return DRX_OK;
}

/* Find a frame for `block`: a free one, or the first that was not used since the hand last passed it (CLOCK). */
static drx_status take_frame(drxi_pool *pool, int64_t block, struct frame **out)
{
    struct frame **slot;
    drx_status st;

    for (;;) {
        slot = &pool->frame[pool->hand];
        pool->hand = (pool->hand + 1) % pool->nframes;
        if (!*slot || (*slot)->block < 0 || !(*slot)->used)
            break;
        (*slot)->used = false;
    }
    if (!*slot) {
        *slot = drxi_calloc(1, sizeof **slot);
        if (!*slot)
            return DRX_ENOMEM;
        (*slot)->block = -1;
    }
    st = release_pool_frame(pool, *slot);
    if (st)
        return st;
    *out = *slot;
    (*out)->block = block;
    (*out)->next = *bucket_of(pool, block);
    *bucket_of(pool, block) = *out;
    pool->filled++;
    return DRX_OK;
}

drx_status drxi_pool_put(drxi_pool *pool, int64_t offset, const void *element, bool *taken)
{
    const size_t within = (size_t)(offset % BLOCK_BYTES);
    struct frame *f;
    drx_status st = DRX_OK;

    (void)pthread_mutex_lock(&pool->lock);
    *taken = pool->nframes > 0 && pool->item_bytes <= BLOCK_BYTES && drxi_fits_blocks(pool->item_bytes);
    if (*taken) {
        f = find_frame(pool, offset / BLOCK_BYTES);
        if (!f)
            st = take_frame(pool, offset / BLOCK_BYTES, &f);
        if (!st) {
            const size_t i = within / pool->item_bytes;

            memcpy(f->bytes + within, element, pool->item_bytes);
            f->dirty[i / WORD_BITS] |= (uint64_t)1 << i % WORD_BITS;
            f->used = true;
        }
    }
    (void)pthread_mutex_unlock(&pool->lock);
    return st;
}

bool drxi_pool_get(drxi_pool *pool, int64_t offset, void *element)
{
    const size_t within = (size_t)(offset % BLOCK_BYTES);
    struct frame *f;
    bool found;

    if (pool->filled == 0)
        return false;
    (void)pthread_mutex_lock(&pool->lock);
    f = pool->nframes > 0 ? find_frame(pool, offset / BLOCK_BYTES) : NULL;
    found = f && is_dirty(f, within / pool->item_bytes);
    if (found)
        memcpy(element, f->bytes + within, pool->item_bytes);
    (void)pthread_mutex_unlock(&pool->lock);
    return found;
}

static drx_status flush_locked(drxi_pool *pool)
{
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && pool->filled > 0 && i < pool->nframes; i++)
        if (pool->frame[i])
            st = release_pool_frame(pool, pool->frame[i]);
    pool->hand = 0; /* so that the few frames in use are found soon */
    return st;
}

static bool is_empty(const drxi_pool *pool)
{
    return pool->filled == 0;
}

drx_status drxi_pool_flush(drxi_pool *pool)
{
    drx_status st;

    if (is_empty(pool))
        return DRX_OK;
    (void)pthread_mutex_lock(&pool->lock);
    st = flush_locked(pool);
    (void)pthread_mutex_unlock(&pool->lock);
    return st;
}

drx_status drxi_pool_bound(drxi_pool *pool, size_t bound_bytes)
{
    const size_t each = sizeof(struct frame) + 2 * sizeof(void *);
    const int64_t n = (int64_t)(bound_bytes / each);
    struct frame **frame = drxi_calloc((size_t)n, sizeof *frame);
    struct frame **bucket = drxi_calloc((size_t)n, sizeof *bucket);
    drx_status st = frame && bucket ? DRX_OK : DRX_ENOMEM;

    (void)pthread_mutex_lock(&pool->lock);
    if (!st)
        st = flush_locked(pool);
    if (st) {
        drxi_free(frame);
        drxi_free(bucket);
    } else {
        free_frames(pool);
        pool->frame = frame;
        pool->bucket = bucket;
        pool->nframes = n;
    }
    (void)pthread_mutex_unlock(&pool->lock);
    return st;
}
