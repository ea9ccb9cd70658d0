/* Reads. Small ones bring whole blocks, which are kept. Large ones are cut into requests that are under way together,
 * and go straight to their place. */
#include "remote/web.h"

enum {
    SMALL_BYTES = DRXI_BLOCK_BYTES,
    RUN_BLOCKS = 4,        /* the most in one request */
    PIECE_BYTES = 1 << 20, /* of a large read */
    PIECES = 32,           /* under way */
    MOST_CHANGES = 8,      /* of the file during one read */
};

/* ---- small reads ---- */

static void keep_answer(const struct drxi_web *f, const struct drxi_pin *pin, const struct drxi_ask *ask)
{
    if (f->judge && ask->seen.fresh) /* it may change without a sign */
        return;
    for (size_t at = 0; at < ask->got; at += DRXI_BLOCK_BYTES) {
        const size_t left = ask->got - at;

        if (left >= DRXI_BLOCK_BYTES || ask->got < ask->bytes ||
            ask->offset + (int64_t)ask->got == ask->seen.bytes) /* it is whole */
            drxi_blocks_put(pin->state, (ask->offset + (int64_t)at) / DRXI_BLOCK_BYTES, ask->buf + at,
                            left < DRXI_BLOCK_BYTES ? left : DRXI_BLOCK_BYTES);
    }
}

/* How many blocks from this one on, up to `last`, are missing. */
static int64_t count_missing(const struct drxi_pin *pin, int64_t block, int64_t last)
{
    int64_t n = 1;

    while (block + n <= last && n < RUN_BLOCKS && !drxi_blocks_has(pin->state, block + n))
        n++;
    return n;
}

/* Get blocks from `block` on, and of them the bytes from `from` on. */
static drx_status fetch_blocks(struct drxi_web *f, const struct drxi_pin *pin, int64_t block, int64_t blocks,
                               size_t from, size_t n, uint8_t *buf, size_t *got, bool *changed)
{
    int64_t bytes = blocks * DRXI_BLOCK_BYTES;
    uint8_t *memory = drxi_malloc((size_t)bytes);
    struct drxi_ask ask;
    drx_status st;

    *got = 0;
    if (!memory)
        return DRX_ENOMEM;
    if (pin->pinned)
        bytes = drxi_min(bytes, pin->version.bytes - block * DRXI_BLOCK_BYTES);
    drxi_web_prepare(f, pin, memory, (size_t)bytes, block * DRXI_BLOCK_BYTES, &ask);
    st = drxi_engine_ask(&ask, 1);
    if (!st)
        st = drxi_web_settle(f, pin, &ask, changed);
    if (!st && !*changed) {
        keep_answer(f, pin, &ask);
        if (ask.got > from) {
            *got = n < ask.got - from ? n : ask.got - from;
            memcpy(buf, memory + from, *got);
        }
    }
    drxi_free(memory);
    return st;
}

static drx_status read_blocks(struct drxi_web *f, const struct drxi_pin *pin, uint8_t *buf, size_t n, int64_t offset,
                              size_t *got, bool *changed)
{
    const int64_t last = (offset + (int64_t)n - 1) / DRXI_BLOCK_BYTES;
    size_t part = 1;
    drx_status st = DRX_OK;

    while (!st && !*changed && *got < n && part > 0) {
        const int64_t at = offset + (int64_t)*got, block = at / DRXI_BLOCK_BYTES;
        const size_t from = (size_t)(at % DRXI_BLOCK_BYTES);

        if (!drxi_blocks_get(pin->state, block, from, n - *got, buf + *got, &part))
            st = fetch_blocks(f, pin, block, count_missing(pin, block, last), from, n - *got, buf + *got, &part,
                              changed);
        *got += !st && !*changed ? part : 0;
    }
    return st;
}

/* ---- large reads ---- */

/* Read up to PIECES pieces. */
static drx_status read_pieces(struct drxi_web *f, const struct drxi_pin *pin, uint8_t *buf, size_t n, int64_t offset,
                              size_t *got, bool *changed)
{
    struct drxi_ask *ask = drxi_calloc(PIECES, sizeof *ask);
    int pieces = 0;
    drx_status st = ask ? DRX_OK : DRX_ENOMEM;

    for (size_t at = 0; !st && at < n && pieces < PIECES; at += PIECE_BYTES, pieces++)
        drxi_web_prepare(f, pin, buf + at, n - at < PIECE_BYTES ? n - at : PIECE_BYTES, offset + (int64_t)at,
                         &ask[pieces]);
    if (!st)
        st = drxi_engine_ask(ask, pieces);
    for (int i = 0; !st && !*changed && i < pieces; i++) {
        st = drxi_web_settle(f, pin, &ask[i], changed);
        *got += !st && !*changed ? ask[i].got : 0;
    }
    drxi_free(ask);
    return st;
}

/* Before it is pinned, one piece tells the state that the others must have. */
static drx_status read_ranges(struct drxi_web *f, struct drxi_pin *pin, uint8_t *buf, size_t n, int64_t offset,
                              size_t *got, bool *changed)
{
    size_t before = 0;
    drx_status st = DRX_OK;

    do {
        const size_t left = n - *got, most = pin->pinned ? (size_t)PIECES * PIECE_BYTES : PIECE_BYTES;

        before = *got;
        st = read_pieces(f, pin, buf + *got, left < most ? left : most, offset + (int64_t)*got, got, changed);
        if (!pin->pinned)
            *pin = drxi_web_pin(f);
        if (pin->pinned)
            n = (size_t)drxi_min((int64_t)n, drxi_max(pin->version.bytes - offset, 0));
    } while (!st && !*changed && *got<n && * got> before);
    return st;
}

/* ---- prefetches ---- */

static bool is_kept(const struct drxi_pin *pin, uint8_t *buf, size_t n, int64_t offset)
{
    size_t done = 0, part = 1;

    while (done < n && part > 0) {
        const int64_t at = offset + (int64_t)done;

        if (!drxi_blocks_get(pin->state, at / DRXI_BLOCK_BYTES, (size_t)(at % DRXI_BLOCK_BYTES), n - done, buf + done,
                             &part))
            return false;
        done += part;
    }
    return done == n;
}

struct waiting {
    struct drxi_wish wish; /* first */
    pthread_mutex_t lock;
    pthread_cond_t news;
    bool over;
};

static void end_wait(struct drxi_wish *wish)
{
    struct waiting *w = (struct waiting *)(void *)wish;

    (void)pthread_mutex_lock(&w->lock);
    w->over = true;
    (void)pthread_cond_signal(&w->news);
    (void)pthread_mutex_unlock(&w->lock);
}

/* Whether a prefetch has brought the bytes. */
static bool read_prefetched(const struct drxi_web *f, const struct drxi_pin *pin, uint8_t *buf, size_t n,
                            int64_t offset)
{
    struct waiting w = { .wish = { .done = end_wait },
                         .lock = PTHREAD_MUTEX_INITIALIZER,
                         .news = PTHREAD_COND_INITIALIZER };
    const enum drxi_prefetched prefetched = drxi_prefetch_take(f, pin, buf, n, offset, &w.wish);

    if (prefetched != DRXI_GUESSED_UNDER_WAY)
        return prefetched == DRXI_GUESSED_ALL;
    (void)pthread_mutex_lock(&w.lock);
    while (!w.over)
        (void)pthread_cond_wait(&w.news, &w.lock);
    (void)pthread_mutex_unlock(&w.lock);
    return w.wish.good;
}

/* ---- reads ---- */

/* A read beyond the end: the file may be longer by now. */
static drx_status ask_again(struct drxi_web *f, const struct drxi_pin *pin, bool *changed)
{
    struct drxi_ask ask;
    uint8_t byte;
    drx_status st;

    drxi_web_prepare(f, pin, &byte, 1, 0, &ask);
    st = drxi_engine_ask(&ask, 1);
    return st ? st : drxi_web_settle(f, pin, &ask, changed);
}

static drx_status read_once(struct drxi_web *f, struct drxi_pin *pin, void *buf, size_t n, int64_t offset, size_t *got,
                            bool *changed)
{
    *got = 0;
    *changed = false;
    if (pin->pinned && !pin->current && offset + (int64_t)n > pin->version.bytes) {
        const drx_status st = ask_again(f, pin, changed);

        if (st || *changed)
            return st;
    }
    if (pin->pinned)
        n = (size_t)drxi_max(0, drxi_min((int64_t)n, pin->version.bytes - offset));
    if (n == 0)
        return DRX_OK;
    if ((n <= SMALL_BYTES && is_kept(pin, buf, n, offset)) || read_prefetched(f, pin, buf, n, offset)) {
        *got = n;
        return DRX_OK;
    }
    return n <= SMALL_BYTES ? read_blocks(f, pin, buf, n, offset, got, changed)
                            : read_ranges(f, pin, buf, n, offset, got, changed);
}

drx_status drxi_web_read(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got)
{
    struct drxi_web *f = drxi_web_of(io);
    drx_status st = DRX_OK;

    for (int i = 0; !st && i < MOST_CHANGES; i++) {
        struct drxi_pin pin = drxi_web_pin(f);
        bool changed;

        st = read_once(f, &pin, buf, n, offset, got, &changed);
        if (st || !changed)
            return st;
        st = drxi_web_judge(f, &pin);
    }
    *got = 0;
    return st ? st : drxi_fail(DRX_EBUSY, "%s: changes faster than it can be read", io->path);
}

/* Bytes that are in memory, for a sink. */
static void pour(struct drxi_sink *sink, const uint8_t *bytes, size_t n)
{
    if (sink)
        sink->take(sink, bytes, n, 0);
}

/* A read that ends in the engine's thread. A small one brings the blocks that it lies in. */
struct flying {
    struct drxi_ask ask; /* first */
    struct drxi_wish wish;
    struct drxi_web *web;
    struct drxi_pin pin;
    int64_t offset;
    uint8_t *memory; /* of the blocks; NULL: it is a large one */
    size_t from, n;
    uint8_t *buf;
    struct drxi_sink *sink;
    void (*done)(void *arg, int64_t got);
    void *arg;
};

static void complete_request(struct drxi_ask *ask)
{
    struct flying *fly = (struct flying *)(void *)ask;
    bool changed;
    const drx_status st = drxi_web_settle(fly->web, &fly->pin, ask, &changed);
    int64_t got = st || changed ? 0 : (int64_t)ask->got;

    if (fly->memory && got > 0) {
        keep_answer(fly->web, &fly->pin, ask);
        got = drxi_max(0, drxi_min((int64_t)fly->n, got - (int64_t)fly->from));
        memcpy(fly->buf, fly->memory + fly->from, (size_t)got);
        pour(fly->sink, fly->buf, (size_t)got);
    }
    fly->done(fly->arg, got);
    drxi_free(fly->memory);
    drxi_free(fly);
}

/* Widen the ask to whole blocks. */
static drx_status widen(struct flying *fly, int64_t offset)
{
    const int64_t block = offset / DRXI_BLOCK_BYTES, begin = block * DRXI_BLOCK_BYTES;
    int64_t end = drxi_ceil_div(offset + (int64_t)fly->n, DRXI_BLOCK_BYTES) * DRXI_BLOCK_BYTES;

    if (fly->pin.pinned)
        end = drxi_min(end, fly->pin.version.bytes);
    fly->memory = drxi_malloc((size_t)(end - begin));
    fly->from = (size_t)(offset - begin);
    drxi_web_prepare(fly->web, &fly->pin, fly->memory, (size_t)(end - begin), begin, &fly->ask);
    return fly->memory ? DRX_OK : DRX_ENOMEM;
}

static drx_status send_ask(struct flying *fly)
{
    drx_status st = DRX_OK;

    if (fly->n <= SMALL_BYTES)
        st = widen(fly, fly->offset);
    else
        drxi_web_prepare(fly->web, &fly->pin, fly->buf, fly->n, fly->offset, &fly->ask);
    fly->ask.sink = fly->n <= SMALL_BYTES ? NULL : fly->sink;
    fly->ask.done = complete_request;
    return st ? st : drxi_engine_send(&fly->ask);
}

/* What was waited for has come, or it is asked for after all. */
static void take_prefetched(struct drxi_wish *wish)
{
    struct flying *fly = (struct flying *)(void *)((char *)wish - offsetof(struct flying, wish));

    if (!wish->good && !send_ask(fly))
        return;
    if (wish->good)
        pour(fly->sink, fly->buf, fly->n);
    fly->done(fly->arg, wish->good ? (int64_t)fly->n : 0);
    drxi_free(fly->memory);
    drxi_free(fly);
}

/* Let it come from a prefetch, or ask for it. Returns as drxi_web_start. */
static int64_t begin_flying(struct flying *fly)
{
    enum drxi_prefetched prefetched;

    fly->wish.done = take_prefetched;
    prefetched = drxi_prefetch_take(fly->web, &fly->pin, fly->buf, fly->n, fly->offset, &fly->wish);
    if (prefetched == DRXI_GUESSED_ALL) {
        pour(fly->sink, fly->buf, fly->n);
        return (int64_t)fly->n;
    }
    return prefetched == DRXI_GUESSED_UNDER_WAY || !send_ask(fly) ? -1 : 0;
}

int64_t drxi_web_start(drxi_io *io, void *buf, size_t n, int64_t offset, struct drxi_sink *sink,
                       void (*done)(void *arg, int64_t got), void *arg)
{
    struct drxi_web *f = drxi_web_of(io);
    const struct drxi_pin pin = drxi_web_pin(f);
    struct flying *fly;
    int64_t got;

    if (pin.pinned)
        n = (size_t)drxi_max(0, drxi_min((int64_t)n, pin.version.bytes - offset));
    if (n == 0)
        return 0;
    if (n <= SMALL_BYTES && is_kept(&pin, buf, n, offset)) {
        pour(sink, buf, n);
        return (int64_t)n;
    }
    fly = drxi_calloc(1, sizeof *fly);
    if (!fly)
        return 0;
    fly->web = f;
    fly->pin = pin;
    fly->n = n;
    fly->offset = offset;
    fly->buf = buf;
    fly->sink = sink;
    fly->done = done;
    fly->arg = arg;
    got = begin_flying(fly);
    if (got < 0)
        return got;
    drxi_free(fly->memory);
    drxi_free(fly);
    return got;
}
