/* Chunks that were decoded for small reads. What is kept follows drx_set_memory. */
#include "pack/pack.h"

static const int64_t most_bytes = INT64_C(64) << 20;

/* How many chunks may be kept. */
static int slots(const struct drxi_pack *p)
{
    const int64_t limit = (int64_t)drxi_memory_limit();
    const int64_t bytes = limit > 0 ? drxi_min(most_bytes, limit / 8) : most_bytes;

    return (int)drxi_min(bytes / drxi_max(p->chunk_bytes, 1), DRXI_PACK_CACHE_CHUNKS);
}

static int find(const struct drxi_pack_cache *c, int64_t offset)
{
    for (int i = 0; i < c->n; i++)
        if (c->offset[i] == offset)
            return i;
    return -1;
}

bool drxi_pack_cached(struct drxi_pack *p, int64_t offset, int64_t start, size_t n, uint8_t *out)
{
    struct drxi_pack_cache *c = &p->cache;
    int i;

    (void)pthread_mutex_lock(&c->lock);
    i = find(c, offset);
    if (i >= 0) {
        memcpy(out, c->bytes[i] + start, n);
        c->used[i] = ++c->clock;
    }
    (void)pthread_mutex_unlock(&c->lock);
    return i >= 0;
}

/* A slot for another chunk: a new one, or the one that was not used for the longest time. */
static int choose(struct drxi_pack_cache *c, int most)
{
    int oldest = 0;

    while (c->n > most)
        drxi_free(c->bytes[--c->n]);
    if (c->n < most)
        return c->n;
    for (int i = 1; i < c->n; i++)
        oldest = c->used[i] < c->used[oldest] ? i : oldest;
    return oldest;
}

void drxi_pack_keep(struct drxi_pack *p, int64_t offset, const uint8_t *bytes)
{
    struct drxi_pack_cache *c = &p->cache;
    const int most = slots(p);
    int i;

    (void)pthread_mutex_lock(&c->lock);
    if (find(c, offset) < 0 && (i = choose(c, most)) < most) {
        if (i == c->n)
            c->bytes[i] = drxi_malloc((size_t)p->chunk_bytes);
        if (c->bytes[i]) {
            c->n = i == c->n ? c->n + 1 : c->n;
            memcpy(c->bytes[i], bytes, (size_t)p->chunk_bytes);
            c->offset[i] = offset;
            c->used[i] = ++c->clock;
        }
    }
    (void)pthread_mutex_unlock(&c->lock);
}

bool drxi_pack_touch(struct drxi_pack *p, int64_t offset)
{
    struct drxi_pack_cache *c = &p->cache;
    const uint64_t most = (uint64_t)slots(p);
    bool again = false;

    (void)pthread_mutex_lock(&c->lock);
    for (uint64_t i = 0; i < most && i < c->touches; i++)
        again = again || c->touched[(c->touches - 1 - i) % DRXI_PACK_TOUCHED] == offset;
    c->touched[c->touches++ % DRXI_PACK_TOUCHED] = offset;
    (void)pthread_mutex_unlock(&c->lock);
    return again;
}

void drxi_pack_cache_free(struct drxi_pack_cache *cache)
{
    while (cache->n > 0)
        drxi_free(cache->bytes[--cache->n]);
    (void)pthread_mutex_destroy(&cache->lock);
}
