/* Invariants
 *   1. What the stash holds is used only as long as the files have not changed since before it was read. No other
 *      handle was writing then, and the last change was so long ago that the next one gives the files another time
 *      stamp. A handle that can write has no stash.
 *   2. All stashes of the process together take half of what drx_set_memory allows, or a part of the memory. */
#include "box/ahead/stash.h"

#include <time.h>
#include <unistd.h>

#include "base/hooks.h"

enum {
    MOST_BYTES = 256 << 20, /* without drx_set_memory, */
    SHARE_OF_MEMORY = 16,   /* or one part in this many of the room for files */
    LEAST_BYTES = 16 << 20, /* a flight fits into the other half of the limit, too */
    HUGE_BYTES = 2 << 20,   /* a disk fills large pages of memory faster */
    SETTLED_SECONDS = 3     /* more than the coarsest time stamps */
};

struct drxi_stash {
    struct drxi_batch batch; /* in the order of the offsets */
    int64_t next;
    int ndim;
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
    uint64_t stamp;
    void *block;
    int64_t block_bytes;
};

static atomic_int_fast64_t stashed_bytes; /* of all */

/* Get the time of the last change of each file, as one number; false when a writer may be at work. */
static bool is_settled(const struct drxi_data *data, uint64_t *stamp)
{
    const time_t latest = time(NULL) - SETTLED_SECONDS;

    *stamp = 0;
    for (int k = drxi_stripes_count(data->file->io) - 1; k >= 0; k--) {
        drxi_io *file = drxi_stripes_file(data->file->io, k);
        uint64_t of_file;

        if (file->ops->stamp(file, &of_file) || of_file / 1000000000 >= (uint64_t)latest)
            return false;
        *stamp = *stamp * 31 + of_file;
    }
    return true;
}

/* Whether no handle, this one included, can write. The log has the writers' locks, unless another one has its name. */
static bool has_no_writer(const struct drxi_data *data)
{
    const drxi_io *log = data->file->log->io;
    bool locked = true, named = false;

    return log && !data->file->pool && log->ops->locked(data->file->log->io, &locked) == DRX_OK && !locked &&
           log->ops->named(data->file->log->io, &named) == DRX_OK && named;
}

int64_t drxi_stash_bytes(void)
{
    return atomic_load(&stashed_bytes);
}

int64_t drxi_stash_room(const struct drxi_stash *s)
{
    int64_t all = drxi_may_take(DRXI_FOR_STASH);

    if (drxi_hooks.stash_bytes > 0)
        return drxi_hooks.stash_bytes;
    if (!drxi_memory_is_limited())
        all = drxi_min(MOST_BYTES, drxi_room_for_files() / SHARE_OF_MEMORY);
    else if (all < LEAST_BYTES)
        all = 0;
    return all - drxi_stash_bytes() + (s ? s->block_bytes : 0);
}

static void free_block(struct drxi_stash *s)
{
    (void)atomic_fetch_sub(&stashed_bytes, s->block_bytes);
    drxi_free(s->block);
    s->block = NULL;
    s->block_bytes = 0;
}

/* Make the memory large enough. Two threads may pass the bound together, each by its own stash. */
static bool make_block(struct drxi_stash *s, int64_t bytes)
{
    if (bytes <= s->block_bytes && s->block_bytes <= drxi_stash_room(s))
        return true;
    free_block(s);
    s->block = drxi_malloc((size_t)(bytes + HUGE_BYTES));
    if (!s->block)
        return false;
    s->block_bytes = bytes;
    (void)atomic_fetch_add(&stashed_bytes, bytes);
    return true;
}

void drxi_batch_send(struct drxi_batch *b, struct drxi_data *data, struct drxi_flying *reads, int64_t n)
{
    static uint8_t unseen[DRXI_FLIGHT_BYTES]; /* of all arrays */
    uint8_t *memory;

    *b = (struct drxi_batch){ .reads = reads, .n = n, .owner = getpid() };
    if (drxi_flight_open(&b->flight, &memory)) {
        drxi_free(reads);
        *b = (struct drxi_batch){ .flight = NULL };
        drxi_report_clear();
        return;
    }
    drxi_flight_outlives(b->flight);
    for (struct drxi_flying *r = reads; r < reads + n; r++) {
        r->buf = r->buf ? r->buf : unseen;
        drxi_count(&data->file->counts.ahead_bytes, (int64_t)r->bytes);
        drxi_flight_send(b->flight, r);
    }
}

void drxi_batch_end(struct drxi_batch *b, bool wanted)
{
    if (b->flight && b->owner == getpid()) { /* a forked child leaves them to its parent */
        if (!wanted)
            drxi_flight_cancel(b->flight);
        drxi_flight_close(b->flight);
    }
    drxi_free(b->reads);
    *b = (struct drxi_batch){ .flight = NULL };
}

/* Make memory for the reads of the box. */
static bool prepare_stash(struct drxi_stash *s, struct drxi_data *data, const struct drxi_box *box,
                          struct drxi_flying *reads, int64_t n)
{
    const size_t axes = (size_t)data->ndim * sizeof *box->lo;
    int64_t bytes = 0;
    uint8_t *at;

    for (int64_t i = 0; i < n; i++)
        bytes += (int64_t)reads[i].bytes;
    if (bytes == 0 || !make_block(s, bytes))
        return false;
    at = (uint8_t *)s->block + HUGE_BYTES - (uintptr_t)s->block % HUGE_BYTES;
    drxi_prefer_huge_pages(at, (size_t)s->block_bytes);
    for (int64_t i = 0; i < n; i++) {
        reads[i].buf = at;
        at += reads[i].bytes;
    }
    s->next = 0;
    s->ndim = data->ndim;
    memcpy(s->lo, box->lo, axes);
    memcpy(s->count, box->count, axes);
    drxi_count(&data->file->counts.concurrent, n);
    drxi_count(&data->file->counts.direct_bytes, bytes);
    return true;
}

void drxi_stash_fetch(struct drxi_stash **stash, struct drxi_data *data, const struct drxi_box *box,
                      struct drxi_flying *reads, int64_t n)
{
    struct drxi_stash *s = *stash ? *stash : drxi_calloc(1, sizeof *s);

    *stash = s;
    if (s && has_no_writer(data) && is_settled(data, &s->stamp) && prepare_stash(s, data, box, reads, n)) {
        drxi_batch_send(&s->batch, data, reads, n);
        return;
    }
    drxi_free(reads);
    drxi_report_clear();
}

bool drxi_stash_is_full(const struct drxi_stash *s)
{
    return s && s->batch.flight;
}

bool drxi_stash_has(const struct drxi_stash *s, struct drxi_data *data, const struct drxi_box *box)
{
    uint64_t stamp;
    bool has;

    if (!drxi_stash_is_full(s) || s->batch.owner != getpid() || s->ndim != data->ndim)
        return false;
    has = memcmp(s->lo, box->lo, (size_t)s->ndim * sizeof *s->lo) == 0 &&
          memcmp(s->count, box->count, (size_t)s->ndim * sizeof *s->count) == 0 && is_settled(data, &stamp) &&
          stamp == s->stamp;
    drxi_report_clear();
    return has;
}

uint8_t *drxi_stash_take(struct drxi_stash *s, const struct drxi_flying *read)
{
    const struct drxi_flying *r;

    while (s->next < s->batch.n && s->batch.reads[s->next].offset < read->offset)
        s->next++;
    r = &s->batch.reads[s->next];
    if (s->next == s->batch.n || r->offset != read->offset || r->bytes != read->bytes)
        return NULL;
    if (!drxi_flight_wait(s->batch.flight, r))
        return NULL;
    s->next++;
    return r->got == r->bytes ? r->buf : NULL;
}

void drxi_stash_empty(struct drxi_stash *s)
{
    if (drxi_stash_is_full(s))
        drxi_batch_end(&s->batch, false);
}

void drxi_stash_end(struct drxi_stash **stash)
{
    struct drxi_stash *s = *stash;

    *stash = NULL;
    if (!s)
        return;
    drxi_stash_empty(s);
    free_block(s);
    drxi_free(s);
}
