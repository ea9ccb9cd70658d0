/* Chunks that were decoded for small reads. All arrays of the process together keep as many bytes as drx_set_memory
 * allows. When it allows fewer, each array frees its own at its next small read. */
#include "pack/pack.h"

static atomic_int_fast64_t kept_bytes; /* of all arrays */

/* How many chunks may be kept. */
static int slots(const struct drxi_pack *p)
{
    return (int)drxi_min(drxi_may_take(DRXI_FOR_KEPT_CHUNKS) / drxi_max(p->chunk_bytes, 1), DRXI_PACK_CACHE_CHUNKS);
}

static int find_payload(const struct drxi_pack_cache *c, int64_t offset)
{
    for (int i = 0; i < c->n; i++)
        if (c->offset[i] == offset)
            return i;
    return -1;
}

/* The one that was not used for the longest time. */
static int oldest(const struct drxi_pack_cache *c)
{
    int found = 0;

    for (int i = 1; i < c->n; i++)
        found = c->used[i] < c->used[found] ? i : found;
    return found;
}

static void drop_frame(struct drxi_pack *p, int i)
{
    struct drxi_pack_cache *c = &p->cache;

    drxi_free(c->bytes[i]);
    c->n--;
    c->bytes[i] = c->bytes[c->n];
    c->offset[i] = c->offset[c->n];
    c->used[i] = c->used[c->n];
    (void)atomic_fetch_sub(&kept_bytes, p->chunk_bytes);
}

/* Free chunks while all arrays together keep too much. */
static void shrink(struct drxi_pack *p)
{
    while (p->cache.n > 0 &&
           atomic_load_explicit(&kept_bytes, memory_order_relaxed) > drxi_may_take(DRXI_FOR_KEPT_CHUNKS))
        drop_frame(p, oldest(&p->cache));
}

bool drxi_pack_cached(struct drxi_pack *p, int64_t offset, int64_t start, size_t n, uint8_t *out)
{
    struct drxi_pack_cache *c = &p->cache;
    int i;

    (void)pthread_mutex_lock(&c->lock);
    i = find_payload(c, offset);
    if (i >= 0) {
        memcpy(out, c->bytes[i] + start, n);
        c->used[i] = ++c->clock;
    }
    shrink(p);
    (void)pthread_mutex_unlock(&c->lock);
    return i >= 0;
}

/* Memory for one more chunk, unless all arrays together would keep too much. */
static uint8_t *take_frame_memory(const struct drxi_pack *p)
{
    const int64_t most = drxi_may_take(DRXI_FOR_KEPT_CHUNKS);
    int64_t now = atomic_load(&kept_bytes);
    uint8_t *bytes;

    do
        if (now + p->chunk_bytes > most)
            return NULL;
    while (!atomic_compare_exchange_weak(&kept_bytes, &now, now + p->chunk_bytes));
    bytes = drxi_malloc((size_t)p->chunk_bytes);
    if (!bytes)
        (void)atomic_fetch_sub(&kept_bytes, p->chunk_bytes);
    return bytes;
}

/* A slot for another chunk: a new one, or the oldest; -1: none. */
static int choose_victim(struct drxi_pack *p)
{
    struct drxi_pack_cache *c = &p->cache;

    shrink(p);
    if (c->n < DRXI_PACK_CACHE_CHUNKS && (c->bytes[c->n] = take_frame_memory(p)))
        return c->n++;
    return c->n > 0 ? oldest(c) : -1;
}

void drxi_pack_keep(struct drxi_pack *p, int64_t offset, const uint8_t *bytes)
{
    struct drxi_pack_cache *c = &p->cache;
    int i;

    (void)pthread_mutex_lock(&c->lock);
    i = find_payload(c, offset) < 0 ? choose_victim(p) : -1;
    if (i >= 0) {
        memcpy(c->bytes[i], bytes, (size_t)p->chunk_bytes);
        c->offset[i] = offset;
        c->used[i] = ++c->clock;
    }
    (void)pthread_mutex_unlock(&c->lock);
}

/* What could not be kept is not worth decoding whole. */
static bool can_keep(const struct drxi_pack *p)
{
    return p->cache.n > 0 || atomic_load_explicit(&kept_bytes, memory_order_relaxed) + p->chunk_bytes <=
                                 drxi_may_take(DRXI_FOR_KEPT_CHUNKS);
}

bool drxi_pack_touch(struct drxi_pack *p, int64_t offset)
{
    struct drxi_pack_cache *c = &p->cache;
    bool again = false;
    uint64_t most;

    (void)pthread_mutex_lock(&c->lock);
    most = can_keep(p) ? (uint64_t)slots(p) : 0;
    for (uint64_t i = 0; i < most && i < c->touches; i++)
        again = again || c->touched[(c->touches - 1 - i) % DRXI_PACK_TOUCHED] == offset;
    c->touched[c->touches++ % DRXI_PACK_TOUCHED] = offset;
    (void)pthread_mutex_unlock(&c->lock);
    return again;
}

void drxi_pack_cache_free(struct drxi_pack *p)
{
    while (p->cache.n > 0)
        drop_frame(p, p->cache.n - 1);
    (void)pthread_mutex_destroy(&p->cache.lock);
}
