/* Prefetches, in a list: there are few, and each stands for a request.
 *
 * Invariants
 *   1. Only a file is prefetched that is pinned to a state that no later one is mistaken for, and a prefetch is of that
 *      state. So it gives what a read would have given when it completed: DRX_EMISMATCH comes with the next request.
 *   2. A prefetch stays until all of it was taken, or its place is needed and it was taken in part or is old, or nobody
 *      wants it any more. Blocks go to blocks.c as they complete.
 *   3. While a prefetch is under way, its file is open.
 *   4. After a failure prefetching of its file backs off for a while. */
#include "remote/web.h"

#include "base/work.h"

enum { MOST_UNDER_WAY = 32, PIECE_BYTES = 1 << 20, OLD_SECONDS = 10, PEACE_SECONDS = 10 };

struct prefetch {
    struct drxi_ask ask; /* first */
    struct drxi_web *web;
    uint64_t state;
    int64_t offset;
    size_t bytes;
    bool completed, good, unwanted;
    bool blocks; /* it consists of blocks */
    size_t taken;
    double completed_at;
    struct drxi_wished *parts;
    struct prefetch *next;
    uint8_t memory[];
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t news;
    struct prefetch *first, **last;
    int64_t bytes;
    int under_way;
    atomic_int some;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER, .news = PTHREAD_COND_INITIALIZER, .last = &all.first };

/* What is there is the parent's. */
static void renew_prefetches(void)
{
    (void)pthread_mutex_init(&all.lock, NULL);
    (void)pthread_cond_init(&all.news, NULL);
    all.first = NULL;
    all.last = &all.first;
    all.bytes = all.under_way = 0;
    atomic_store(&all.some, 0);
}

static struct drxi_forked forked = { .lock = &all.lock, .in_child = renew_prefetches };

void drxi_prefetch_watch(void)
{
    drxi_watch_forks(&forked);
}

/* ---- the list; its lock is held ---- */

static void remove_at(struct prefetch **at)
{
    struct prefetch *const g = *at;

    *at = g->next;
    if (!g->next)
        all.last = at;
    all.bytes -= (int64_t)g->bytes;
    (void)atomic_fetch_sub(&all.some, 1);
    drxi_free(g);
}

static void remove_prefetch(const struct prefetch *g)
{
    struct prefetch **at = &all.first;

    while (*at != g)
        at = &(*at)->next;
    remove_at(at);
}

static bool is_used_up(const struct prefetch *g)
{
    return g->completed && (!g->good || g->unwanted || g->blocks || g->taken >= g->bytes);
}

static void make_prefetch_room(int64_t bytes, int64_t most)
{
    const double now = drxi_now();

    for (struct prefetch **at = &all.first; *at && all.bytes + bytes > most;) {
        if ((*at)->completed && ((*at)->taken > 0 || now - (*at)->completed_at > OLD_SECONDS))
            remove_at(at);
        else
            at = &(*at)->next;
    }
}

/* The prefetch that has, or will have, the byte at the offset. */
static struct prefetch *find_prefetch(const struct drxi_web *f, uint64_t state, int64_t offset)
{
    struct prefetch *g = all.first;

    while (g && (g->web != f || g->state != state || g->unwanted || offset < g->offset ||
                 offset >= g->offset + (int64_t)g->bytes))
        g = g->next;
    return g;
}

/* In how many prefetches the bytes lie; 0: not all of them do. */
static int count_parts(const struct drxi_web *f, uint64_t state, int64_t offset, int64_t end)
{
    const struct prefetch *g;
    int n = 0;

    for (; offset < end; offset = g->offset + (int64_t)g->bytes, n++)
        if (!(g = find_prefetch(f, state, offset)))
            return 0;
    return n;
}

/* ---- asking ---- */

/* Give the parts that are waited for; returns the wishes that are fulfilled, or will not be. */
static struct drxi_wish *hand_out(struct prefetch *g)
{
    struct drxi_wish *over = NULL;

    for (struct drxi_wished *p = g->parts; p; p = p->next) {
        struct drxi_wish *wish = p->wish;

        if (g->good)
            memcpy(p->to, g->memory + p->from, p->n);
        wish->good = wish->good && g->good;
        if (--wish->parts > 0)
            continue;
        wish->next = over;
        over = wish;
    }
    g->parts = NULL;
    return over;
}

static void keep_blocks(const struct prefetch *g)
{
    for (size_t at = 0; at < g->bytes; at += DRXI_BLOCK_BYTES) {
        const size_t left = g->bytes - at;

        drxi_blocks_put(g->state, (g->offset + (int64_t)at) / DRXI_BLOCK_BYTES, g->memory + at,
                        left < DRXI_BLOCK_BYTES ? left : DRXI_BLOCK_BYTES);
    }
}

static void complete_prefetch(struct drxi_ask *ask)
{
    struct prefetch *g = (struct prefetch *)(void *)ask;
    struct drxi_wish *over;

    (void)pthread_mutex_lock(&all.lock);
    g->completed = true;
    g->good = ask->outcome == DRXI_GOT && ask->got == g->bytes;
    g->completed_at = drxi_now();
    if (!g->good && !g->unwanted)
        g->web->unlucky_at = g->completed_at;
    else if (g->good && g->blocks)
        keep_blocks(g);
    over = hand_out(g);
    all.under_way--;
    if (is_used_up(g))
        remove_prefetch(g);
    (void)pthread_cond_broadcast(&all.news);
    (void)pthread_mutex_unlock(&all.lock);
    while (over) {
        struct drxi_wish *const next = over->next;

        over->done(over);
        over = next;
    }
}

/* Whether the bytes are on their way, or there. */
static bool is_there(const struct drxi_web *f, uint64_t state, int64_t offset, int64_t end, bool blocks)
{
    int64_t block = offset / DRXI_BLOCK_BYTES;

    while (blocks && block * DRXI_BLOCK_BYTES < end && drxi_blocks_has(state, block))
        block++;
    return (blocks && block * DRXI_BLOCK_BYTES >= end) || count_parts(f, state, offset, end) > 0;
}

/* Put a prefetch into the list, if there is room for it. */
static struct prefetch *add_prefetch(struct drxi_web *f, const struct drxi_pin *pin, int64_t offset, size_t n,
                                     int64_t most)
{
    struct prefetch *g;

    make_prefetch_room((int64_t)n, most);
    if (all.bytes + (int64_t)n > most || all.under_way >= MOST_UNDER_WAY)
        return NULL;
    g = drxi_calloc(1, sizeof *g + n);
    if (!g)
        return NULL;
    g->web = f;
    g->state = pin->state;
    g->offset = offset;
    g->bytes = n;
    *all.last = g;
    all.last = &g->next;
    all.bytes += (int64_t)n;
    all.under_way++;
    (void)atomic_fetch_add(&all.some, 1);
    return g;
}

/* Returns the bytes that are asked for; -1: there is no room. */
static int64_t prefetch(struct drxi_web *f, const struct drxi_pin *pin, int64_t offset, int64_t end, bool blocks,
                        int64_t most)
{
    struct prefetch *g = NULL;
    bool there;

    (void)pthread_mutex_lock(&all.lock);
    there = is_there(f, pin->state, offset, end, blocks);
    if (!there && (f->unlucky_at == 0 || drxi_now() - f->unlucky_at > PEACE_SECONDS))
        g = add_prefetch(f, pin, offset, (size_t)(end - offset), most);
    if (g)
        g->blocks = blocks;
    (void)pthread_mutex_unlock(&all.lock);
    if (!g)
        return there ? 0 : -1;
    drxi_web_prepare(f, pin, g->memory, (size_t)(end - offset), offset, &g->ask);
    g->ask.most_tries = 1;
    g->ask.done = complete_prefetch;
    if (drxi_engine_send(&g->ask)) {
        drxi_report_clear();
        g->ask.outcome = DRXI_FAILED;
        complete_prefetch(&g->ask);
        return -1;
    }
    return end - offset;
}

static int64_t prefetch_file(struct drxi_web *f, int64_t offset, int64_t n, int64_t most)
{
    const struct drxi_pin pin = drxi_web_pin(f);
    const bool blocks = n <= DRXI_BLOCK_BYTES;
    int64_t end = offset + n, asked = 0;

    if (!drxi_state_is(&f->io, DRXI_FIRM))
        return -1;
    if (blocks) {
        offset = offset / DRXI_BLOCK_BYTES * DRXI_BLOCK_BYTES;
        end = drxi_ceil_div(end, DRXI_BLOCK_BYTES) * DRXI_BLOCK_BYTES;
    }
    end = drxi_min(end, pin.version.bytes);
    while (offset < end) {
        const int64_t to = drxi_min(offset + PIECE_BYTES, end), got = prefetch(f, &pin, offset, to, blocks, most);

        if (got < 0)
            return -1;
        asked += got;
        offset = to;
    }
    return asked;
}

/* ---- dropping ---- */

/* The lock is held. Returns how many are under way. */
static int drop_prefetches(const struct drxi_web *f)
{
    int left = 0;

    for (struct prefetch **at = &all.first; *at;) {
        struct prefetch *const g = *at;

        if (g->web == f && !g->parts) {
            g->unwanted = true;
            atomic_store(&g->ask.given_up, true);
        }
        left += g->web == f && !g->completed;
        if (g->web == f && is_used_up(g))
            remove_at(at);
        else
            at = &g->next;
    }
    return left;
}

int64_t drxi_web_prefetch(drxi_io *io, int64_t offset, int64_t n, bool sparing)
{
    if (n > 0)
        return prefetch_file(drxi_web_of(io), offset, n, drxi_may_take(DRXI_FOR_GUESSES) / (sparing ? 2 : 1));
    (void)pthread_mutex_lock(&all.lock);
    (void)drop_prefetches(drxi_web_of(io));
    (void)pthread_mutex_unlock(&all.lock);
    return 0;
}

void drxi_prefetch_end(struct drxi_web *f)
{
    if (atomic_load(&all.some) == 0)
        return;
    (void)pthread_mutex_lock(&all.lock);
    while (drop_prefetches(f) > 0)
        (void)pthread_cond_wait(&all.news, &all.lock);
    (void)pthread_mutex_unlock(&all.lock);
}

/* ---- taking ---- */

/* Take a part of the bytes from one prefetch, the lock held; returns how many. */
static size_t take_prefetched_part(struct prefetch *g, uint8_t *buf, size_t n, int64_t offset, struct drxi_wish *wish,
                                   int part)
{
    const size_t from = (size_t)(offset - g->offset), most = g->bytes - from;
    struct drxi_wished *p = &wish->part[part];

    n = n < most ? n : most;
    g->taken += n;
    if (g->completed) {
        memcpy(buf, g->memory + from, n);
        if (is_used_up(g))
            remove_prefetch(g);
        return n;
    }
    *p = (struct drxi_wished){ .wish = wish, .to = buf, .from = from, .n = n, .next = g->parts };
    g->parts = p;
    wish->parts++;
    return n;
}

enum drxi_prefetched drxi_prefetch_take(const struct drxi_web *f, const struct drxi_pin *pin, uint8_t *buf, size_t n,
                                        int64_t offset, struct drxi_wish *wish)
{
    enum drxi_prefetched prefetched = DRXI_GUESSED_NONE;
    int parts;

    if (atomic_load_explicit(&all.some, memory_order_relaxed) == 0 || !pin->pinned)
        return DRXI_GUESSED_NONE;
    (void)pthread_mutex_lock(&all.lock);
    parts = count_parts(f, pin->state, offset, offset + (int64_t)n);
    if (parts > 0 && parts <= DRXI_WISH_PARTS) {
        size_t done = 0;

        wish->good = true;
        wish->parts = 0;
        for (int i = 0; i < parts; i++)
            done += take_prefetched_part(find_prefetch(f, pin->state, offset + (int64_t)done), buf + done, n - done,
                                         offset + (int64_t)done, wish, i);
        prefetched = wish->parts > 0 ? DRXI_GUESSED_UNDER_WAY : DRXI_GUESSED_ALL;
    }
    (void)pthread_mutex_unlock(&all.lock);
    return prefetched;
}
