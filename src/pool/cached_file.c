#include <pthread.h>

#include "io/lacking.h"
#include "io/passing/passing.h"
#include "pool/cache_frames.h"

enum {
    BLOCK_SHIFT = 10,     /* small blocks, since single elements of a large array each need one */
    LINE_SHIFT = 6,       /* what the processor fetches for a byte, too */
    LINES_EIGHTHS = 1,    /* of the memory, for lines */
    SMALL_BLOCKS = 16,    /* reads of more than these go to the file: they cost little a byte */
    SHARE = 8,            /* a request brings in at most one in this many */
    KEPT_BYTES = 1 << 18, /* of memory for reads */
    READ_BYTES = 1 << 20  /* the most in one read */
};

struct drxi_cache {
    struct drxi_passing pass; /* first */
    const atomic_uint_fast64_t *moment;
    pthread_rwlock_t lock; /* of what follows */
    struct drxi_frames frames, lines;
    bool near;
    atomic_uint_fast64_t seen; /* the moment of the blocks; read without the lock, too */
    uint64_t changes;          /* by this handle: begun, and ended */
    int64_t changing;          /* that are under way */
    int64_t brought, dropped, refused;
    uint8_t *_Atomic spare; /* KEPT_BYTES, or NULL */
};

static struct drxi_cache *cache_of(drxi_io *io)
{
    return (struct drxi_cache *)io;
}

static int64_t block_bytes_of(const struct drxi_cache *c)
{
    return INT64_C(1) << c->frames.shift;
}

static uint64_t moment_of(const struct drxi_cache *c)
{
    return c->moment ? atomic_load_explicit(c->moment, memory_order_acquire) : 0;
}

/* ---- what is there ---- */

/* With the lock, for writing. */
static void drop_blocks(struct drxi_cache *c, int64_t first, int64_t end)
{
    if (c->frames.count > 0)
        c->dropped += drxi_frames_drop(&c->frames, first, end);
    if (c->lines.count > 0)
        c->dropped += drxi_frames_drop(&c->lines, first, end);
}

void drxi_cache_enter(struct drxi_cache *c)
{
    (void)pthread_rwlock_rdlock(&c->lock);
    while (atomic_load_explicit(&c->seen, memory_order_relaxed) != moment_of(c)) {
        (void)pthread_rwlock_unlock(&c->lock);
        (void)pthread_rwlock_wrlock(&c->lock);
        drop_blocks(c, 0, INT64_MAX);
        atomic_store_explicit(&c->seen, moment_of(c), memory_order_relaxed);
        (void)pthread_rwlock_unlock(&c->lock);
        (void)pthread_rwlock_rdlock(&c->lock);
    }
}

void drxi_cache_leave(struct drxi_cache *c)
{
    (void)pthread_rwlock_unlock(&c->lock);
}

/* The byte `within` the block, in a block or a line of it. */
static const uint8_t *look_up_block(struct drxi_frames *f, int64_t block, int64_t within, int64_t *n)
{
    const int32_t i = drxi_frames_find(f, block);
    struct drxi_frame *frame = i == DRXI_NO_FRAME ? NULL : &f->frame[i];

    if (!frame || within < frame->start || within >= frame->start + frame->bytes)
        return NULL;
    if (!atomic_load_explicit(&frame->used, memory_order_relaxed))
        atomic_store_explicit(&frame->used, true, memory_order_relaxed);
    *n = frame->start + frame->bytes - within;
    return drxi_frames_at(f, i) + (within - frame->start);
}

const uint8_t *drxi_cache_at(struct drxi_cache *c, int64_t offset, int64_t *n)
{
    return look_up_block(&c->frames, offset >> c->frames.shift, offset & (block_bytes_of(c) - 1), n);
}

const uint8_t *drxi_cache_element(struct drxi_cache *c, int64_t offset, int64_t n)
{
    int64_t there = 0;
    const uint8_t *at = drxi_cache_at(c, offset, &there);

    if (!at && c->lines.count > 0)
        at = look_up_block(&c->lines, offset >> c->frames.shift, offset & (block_bytes_of(c) - 1), &there);
    return there >= n ? at : NULL;
}

bool drxi_cache_is_full(const struct drxi_cache *c)
{
    return drxi_frames_full(&c->frames);
}

/* Whether the bytes are in one line. */
static bool in_a_line(const struct drxi_cache *c, int64_t offset, size_t n)
{
    return c->lines.most_bytes > 0 && n > 0 && offset >> LINE_SHIFT == (offset + (int64_t)n - 1) >> LINE_SHIFT;
}

bool drxi_cache_get(struct drxi_cache *c, int64_t offset, void *buf, size_t n)
{
    const bool element = in_a_line(c, offset, n);
    uint8_t *p = buf;
    bool all = true;

    drxi_cache_enter(c);
    while (all && n > 0) {
        int64_t there = (int64_t)n;
        const uint8_t *from = element ? drxi_cache_element(c, offset, there) : drxi_cache_at(c, offset, &there);
        const size_t part = (size_t)drxi_min((int64_t)n, there);

        all = from != NULL;
        if (all)
            memcpy(p, from, part);
        p += part;
        n -= part;
        offset += (int64_t)part;
    }
    drxi_cache_leave(c);
    return all;
}

int drxi_cache_block_shift(const struct drxi_cache *c)
{
    return c->frames.shift;
}

int64_t drxi_cache_share(const struct drxi_cache *c)
{
    return c->frames.most_bytes / block_bytes_of(c) / SHARE;
}

/* ---- what comes in ---- */

/* Memory for a read: that of the last one, unless it is in use or too small. */
struct bounce {
    uint8_t *bytes;
    size_t room;
};

static struct bounce take_bounce(struct drxi_cache *c, size_t bytes)
{
    struct bounce b = { NULL, bytes };

    if (bytes <= KEPT_BYTES) {
        b.room = KEPT_BYTES;
        b.bytes = atomic_exchange(&c->spare, NULL);
    }
    if (!b.bytes)
        b.bytes = drxi_malloc(b.room);
    if (!b.bytes)
        drxi_report_clear();
    return b;
}

static void give_bounce(struct drxi_cache *c, struct bounce b)
{
    drxi_free(b.room == KEPT_BYTES ? atomic_exchange(&c->spare, b.bytes) : b.bytes);
}

/* When a read began whose blocks are to come in. */
struct start {
    uint64_t moment, changes;
};

/* Whether there is room for the blocks of these runs, which are missing. */
static bool admit(struct drxi_cache *c, const struct drxi_blocks runs[], int64_t n, bool known)
{
    struct drxi_frames *f = &c->frames;
    int64_t blocks = 0;
    bool may;

    for (int64_t i = 0; i < n; i++)
        blocks += runs[i].end - runs[i].first;
    may = blocks <= f->room - f->count ||
          ((known || drxi_frames_known(f, runs[0].first)) && drxi_frames_make_room(f, blocks));
    c->refused += !may;
    return may;
}

/* Whether what is read from now on is the present state. With the lock, for writing. */
static bool note_start(const struct drxi_cache *c, struct start *start)
{
    start->moment = moment_of(c);
    start->changes = c->changes;
    return c->changing == 0 && atomic_load_explicit(&c->seen, memory_order_relaxed) == start->moment;
}

/* Whether it still is. */
static bool holds(const struct drxi_cache *c, const struct start *start)
{
    return c->changes == start->changes && moment_of(c) == start->moment &&
           atomic_load_explicit(&c->seen, memory_order_relaxed) == start->moment;
}

/* Adapt to drx_set_memory; false when there is no room for blocks at all. */
static bool bound(struct drxi_cache *c)
{
    if (c->lines.most_bytes > 0)
        (void)drxi_frames_bound(&c->lines);
    return drxi_frames_bound(&c->frames);
}

/* Whether what is read from now on may come in. */
static bool may_bring(struct drxi_cache *c, const struct drxi_blocks runs[], int64_t n, bool known, struct start *start)
{
    bool may;

    (void)pthread_rwlock_wrlock(&c->lock);
    may = note_start(c, start) && bound(c) && admit(c, runs, n, known);
    (void)pthread_rwlock_unlock(&c->lock);
    return may;
}

/* Put in the blocks of the runs, of which `got` bytes from the offset on were read; false when they have changed since
 * the read began. */
static bool put_blocks(struct drxi_cache *c, const struct start *start, const struct drxi_blocks runs[], int64_t n,
                       const uint8_t *bytes, int64_t offset, int64_t got)
{
    const int64_t block_bytes = block_bytes_of(c);
    bool good;

    (void)pthread_rwlock_wrlock(&c->lock);
    good = holds(c, start) && c->frames.room > 0;
    for (int64_t i = 0; good && i < n; i++) {
        if (c->lines.count > 0)
            (void)drxi_frames_drop(&c->lines, runs[i].first, runs[i].end);
        for (int64_t block = runs[i].first; good && block < runs[i].end; block++) {
            const int64_t at = block * block_bytes - offset, there = drxi_min(got - at, block_bytes);

            if (there <= 0)
                break;
            good = drxi_frames_put(&c->frames, block, 0, bytes + at, there);
            c->brought += good;
        }
    }
    (void)pthread_rwlock_unlock(&c->lock);
    return good;
}

/* How many of the runs one read brings. */
static int64_t blocks_together(const struct drxi_cache *c, const struct drxi_blocks runs[], int64_t n,
                               int64_t gap_bytes)
{
    const int64_t block_bytes = block_bytes_of(c);
    int64_t i = 1;

    while (i < n && (runs[i].first - runs[i - 1].end) * block_bytes < gap_bytes &&
           (runs[i].end - runs[0].first) * block_bytes <= READ_BYTES)
        i++;
    return i;
}

static drx_status bring_together(struct drxi_cache *c, const struct start *start, const struct drxi_blocks runs[],
                                 int64_t n, struct drxi_brought *out)
{
    const int64_t offset = runs[0].first << c->frames.shift;
    const int64_t bytes = (runs[n - 1].end << c->frames.shift) - offset;
    const struct bounce b = take_bounce(c, (size_t)bytes);
    size_t got = 0;
    drx_status st = b.bytes ? c->pass.inner->ops->read(c->pass.inner, b.bytes, (size_t)bytes, offset, &got) : DRX_OK;

    out->reads += b.bytes && !st;
    out->bytes += (int64_t)got;
    out->all = b.bytes && !st && put_blocks(c, start, runs, n, b.bytes, offset, (int64_t)got);
    give_bounce(c, b);
    return st;
}

int drxi_cache_knows(struct drxi_cache *c, int64_t offset)
{
    int times;

    (void)pthread_rwlock_wrlock(&c->lock);
    times = drxi_frames_bound(&c->frames) ? drxi_frames_known(&c->frames, offset >> c->frames.shift) : 0;
    c->refused += times == 0;
    (void)pthread_rwlock_unlock(&c->lock);
    return times;
}

bool drxi_cache_is_near(const struct drxi_cache *c)
{
    return c->near;
}

drx_status drxi_cache_bring(struct drxi_cache *c, const struct drxi_blocks runs[], int64_t n, bool known,
                            int64_t gap_bytes, struct drxi_brought *out)
{
    struct start start;
    drx_status st = DRX_OK;

    *out = (struct drxi_brought){ .all = n > 0 && may_bring(c, runs, n, known, &start) };
    for (int64_t i = 0, some; !st && out->all && i < n; i += some) {
        some = blocks_together(c, runs + i, n - i, gap_bytes);
        st = bring_together(c, &start, runs + i, some, out);
    }
    return st;
}

/* Read whole blocks, so that they may come in, and give out the part that was asked for. */
static drx_status read_blocks(struct drxi_cache *c, const struct drxi_blocks *run, const struct start *start, void *buf,
                              size_t n, int64_t offset, size_t *got)
{
    const int64_t first = run->first * block_bytes_of(c);
    const int64_t before = offset - first;
    const size_t bytes = (size_t)((run->end - run->first) * block_bytes_of(c));
    const struct bounce b = take_bounce(c, bytes);
    size_t there = 0;
    drx_status st;

    if (!b.bytes)
        return c->pass.inner->ops->read(c->pass.inner, buf, n, offset, got);
    st = c->pass.inner->ops->read(c->pass.inner, b.bytes, bytes, first, &there);
    *got = (size_t)drxi_max(0, drxi_min((int64_t)there - before, (int64_t)n));
    memcpy(buf, b.bytes + before, *got);
    if (!st)
        (void)put_blocks(c, start, run, 1, b.bytes, first, (int64_t)there);
    give_bounce(c, b);
    return st;
}

/* ---- lines ---- */

enum way { BY_LINE, BY_BLOCK, PAST };

/* What a read of an element brings in: its line, its block when that has another line, or nothing when there is no
 * room. */
static enum way choose_way(struct drxi_cache *c, int64_t offset, struct start *start)
{
    struct drxi_frames *f = &c->lines;
    const int64_t block = offset >> c->frames.shift;
    enum way way = BY_LINE;

    (void)pthread_rwlock_wrlock(&c->lock);
    if (!note_start(c, start))
        way = PAST;
    else if (!bound(c) || f->room == 0 || drxi_frames_find(f, block) != DRXI_NO_FRAME)
        way = BY_BLOCK;
    else if (drxi_frames_full(f) && !(drxi_frames_known(f, block) && drxi_frames_make_room(f, 1)))
        way = PAST;
    c->refused += way == PAST;
    (void)pthread_rwlock_unlock(&c->lock);
    return way;
}

static void put_line(struct drxi_cache *c, const struct start *start, const uint8_t *bytes, int64_t offset, int64_t got)
{
    const int64_t block = offset >> c->frames.shift;

    (void)pthread_rwlock_wrlock(&c->lock);
    if (holds(c, start) && c->lines.room > 0 && drxi_frames_find(&c->frames, block) == DRXI_NO_FRAME)
        c->brought += drxi_frames_put(&c->lines, block, (int32_t)(offset & (block_bytes_of(c) - 1)), bytes, got);
    (void)pthread_rwlock_unlock(&c->lock);
}

static drx_status read_line(struct drxi_cache *c, const struct start *start, void *buf, size_t n, int64_t offset,
                            size_t *got)
{
    const int64_t first = offset >> LINE_SHIFT << LINE_SHIFT, before = offset - first;
    uint8_t line[1 << LINE_SHIFT];
    size_t there = 0;
    const drx_status st = c->pass.inner->ops->read(c->pass.inner, line, sizeof line, first, &there);

    *got = (size_t)drxi_max(0, drxi_min((int64_t)there - before, (int64_t)n));
    memcpy(buf, line + before, *got);
    if (!st && there > 0)
        put_line(c, start, line, first, (int64_t)there);
    return st;
}

/* ---- the calls of a file ---- */

static drx_status cached_read(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got)
{
    struct drxi_cache *c = cache_of(io);
    const int64_t block_bytes = block_bytes_of(c);
    const bool small = n > 0 && (int64_t)n <= SMALL_BLOCKS * block_bytes;
    const struct drxi_blocks run = { offset / block_bytes, drxi_ceil_div(offset + (int64_t)n, block_bytes) };
    struct start start;
    enum way way = BY_BLOCK;

    if (small && drxi_cache_get(c, offset, buf, n)) {
        *got = n;
        return DRX_OK;
    }
    if (in_a_line(c, offset, n))
        way = choose_way(c, offset, &start);
    if (way == BY_LINE)
        return read_line(c, &start, buf, n, offset, got);
    if (small && way == BY_BLOCK && may_bring(c, &run, 1, false, &start))
        return read_blocks(c, &run, &start, buf, n, offset, got);
    return c->pass.inner->ops->read(c->pass.inner, buf, n, offset, got);
}

/* Bytes from begin to end change. */
static void begin_change(struct drxi_cache *c, int64_t begin, int64_t end)
{
    const int64_t block_bytes = block_bytes_of(c);

    (void)pthread_rwlock_wrlock(&c->lock);
    c->changes++;
    c->changing++;
    drop_blocks(c, begin / block_bytes, drxi_ceil_div(end, block_bytes));
    (void)pthread_rwlock_unlock(&c->lock);
}

static void end_change(struct drxi_cache *c)
{
    (void)pthread_rwlock_wrlock(&c->lock);
    c->changes++;
    c->changing--;
    (void)pthread_rwlock_unlock(&c->lock);
}

void drxi_cache_forget(struct drxi_cache *c, int64_t offset, int64_t n)
{
    begin_change(c, offset, offset + n);
    end_change(c);
}

static drx_status cached_write(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    drx_status st;

    begin_change(cache_of(io), offset, offset + (int64_t)n);
    st = drxi_passed_to(io)->ops->write(drxi_passed_to(io), buf, n, offset);
    end_change(cache_of(io));
    return st;
}

static drx_status cached_resize(drxi_io *io, int64_t bytes)
{
    drx_status st;

    begin_change(cache_of(io), 0, INT64_MAX - block_bytes_of(cache_of(io)));
    st = drxi_passed_to(io)->ops->resize(drxi_passed_to(io), bytes);
    end_change(cache_of(io));
    return st;
}

static drx_status cached_punch(drxi_io *io, int64_t begin, int64_t end)
{
    drx_status st;

    begin_change(cache_of(io), begin, end);
    st = drxi_passed_to(io)->ops->punch(drxi_passed_to(io), begin, end);
    end_change(cache_of(io));
    return st;
}

static drx_status cached_close(drxi_io *io)
{
    struct drxi_cache *c = cache_of(io);
    drxi_io *inner;

    drxi_frames_free(&c->frames);
    drxi_frames_free(&c->lines);
    drxi_free(atomic_load(&c->spare));
    (void)pthread_rwlock_destroy(&c->lock);
    inner = drxi_pass_leave(io);
    return inner->ops->close(inner);
}

static const struct drxi_io_ops cached_ops = {
    .read = cached_read,
    .write = cached_write,
    .resize = cached_resize,
    .punch = cached_punch,
    .replace = drxi_no_replace,
    .close = cached_close,
};

drx_status drxi_cached_open(drxi_io *inner, const struct drxi_cache_spec *spec, drxi_io **out)
{
    struct drxi_cache *c = drxi_calloc(1, sizeof *c);
    const int shift = spec->block_shift > 0 ? spec->block_shift : BLOCK_SHIFT;
    int lines;

    *out = NULL;
    if (!c)
        return DRX_ENOMEM;
    if (drxi_pass_on(&c->pass, inner, &cached_ops)) {
        drxi_free(c);
        return DRX_ENOMEM;
    }
    c->moment = spec->moment;
    atomic_init(&c->seen, moment_of(c));
    atomic_init(&c->spare, NULL);
    (void)pthread_rwlock_init(&c->lock, NULL);
    lines = spec->near && shift > LINE_SHIFT ? LINES_EIGHTHS : 0;
    drxi_frames_init(&c->lines, LINE_SHIFT, spec->most_bytes, lines);
    drxi_frames_init(&c->frames, shift, spec->most_bytes, 8 - lines);
    c->near = spec->near;
    *out = &c->pass.io;
    return DRX_OK;
}

struct drxi_cache *drxi_cache_of(const drxi_io *io)
{
    return io && io->ops->close == cached_close ? cache_of((drxi_io *)(uintptr_t)io) : NULL;
}

drxi_io *drxi_cached_inner(drxi_io *io)
{
    return drxi_cache_of(io) ? drxi_passed_to(io) : io;
}

void drxi_cache_count(struct drxi_cache *c, struct drxi_cache_counts *out)
{
    (void)pthread_rwlock_rdlock(&c->lock);
    *out = (struct drxi_cache_counts){ .blocks = c->frames.count,
                                       .most_blocks = c->frames.room,
                                       .brought = c->brought,
                                       .evicted = c->frames.evicted,
                                       .refused = c->refused,
                                       .dropped = c->dropped };
    (void)pthread_rwlock_unlock(&c->lock);
}
