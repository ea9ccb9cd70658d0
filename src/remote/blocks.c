/* The blocks, found by comparing: there are few, and each stands for a request. */
#include "remote/web.h"

#include "base/work.h"

enum { MOST_BLOCKS = 256 };

struct slot {
    uint64_t state, used; /* state 0: empty */
    int64_t block;
    size_t bytes;
    uint8_t *memory;
};

static struct {
    pthread_mutex_t lock;
    struct slot slot[MOST_BLOCKS];
    uint64_t clock;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct drxi_forked forked = { .lock = &all.lock };

uint64_t drxi_blocks_new(void)
{
    static atomic_uint_fast64_t last;

    drxi_watch_forks(&forked);
    return atomic_fetch_add(&last, 1) + 1;
}

static int bound(void)
{
    return (int)drxi_min(MOST_BLOCKS, drxi_may_take(DRXI_FOR_BLOCKS) / DRXI_BLOCK_BYTES);
}

/* The caller holds the lock. */
static struct slot *find_slot(uint64_t state, int64_t block)
{
    for (int i = 0; i < MOST_BLOCKS; i++)
        if (all.slot[i].state == state && all.slot[i].block == block)
            return &all.slot[i];
    return NULL;
}

static void empty(struct slot *s)
{
    drxi_free(s->memory);
    memset(s, 0, sizeof *s);
}

/* The slot to fill: an empty one, or the one that was used longest ago. Slots beyond the bound are emptied. */
static struct slot *choose_slot(void)
{
    const int n = bound();
    struct slot *best = &all.slot[0];

    for (int i = n; i < MOST_BLOCKS; i++)
        empty(&all.slot[i]);
    for (int i = 0; i < n; i++)
        if (all.slot[i].used < best->used)
            best = &all.slot[i];
    return best;
}

bool drxi_blocks_get(uint64_t state, int64_t block, size_t from, size_t n, void *buf, size_t *got)
{
    struct slot *s;

    (void)pthread_mutex_lock(&all.lock);
    s = find_slot(state, block);
    if (s) {
        *got = s->bytes <= from ? 0 : n < s->bytes - from ? n : s->bytes - from;
        memcpy(buf, s->memory + from, *got);
        s->used = ++all.clock;
    }
    (void)pthread_mutex_unlock(&all.lock);
    return s != NULL;
}

bool drxi_blocks_has(uint64_t state, int64_t block)
{
    bool has;

    (void)pthread_mutex_lock(&all.lock);
    has = find_slot(state, block) != NULL;
    (void)pthread_mutex_unlock(&all.lock);
    return has;
}

void drxi_blocks_put(uint64_t state, int64_t block, const uint8_t *bytes, size_t n)
{
    struct slot *s;

    (void)pthread_mutex_lock(&all.lock);
    s = find_slot(state, block);
    s = s ? s : choose_slot();
    if (!s->memory)
        s->memory = drxi_malloc(DRXI_BLOCK_BYTES);
    if (s->memory) {
        memcpy(s->memory, bytes, n);
        s->state = state;
        s->block = block;
        s->bytes = n;
        s->used = ++all.clock;
    } else {
        empty(s);
    }
    (void)pthread_mutex_unlock(&all.lock);
}

void drxi_blocks_drop(uint64_t state)
{
    (void)pthread_mutex_lock(&all.lock);
    for (int i = 0; i < MOST_BLOCKS; i++)
        if (all.slot[i].state == state)
            empty(&all.slot[i]);
    (void)pthread_mutex_unlock(&all.lock);
}
