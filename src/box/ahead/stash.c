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
    SHARE_OF_MEMORY = 16,   /* or one part in so many of the room for files */
    LEAST_BYTES = 16 << 20, /* a flight fits into the other half of the limit, too */
    HUGE_BYTES = 2 << 20,   /* a disk fills large pages of memory faster */
    SETTLED_SECONDS = 3     /* more than the coarsest time stamps */
};

struct drxi_stash {
    struct drxi_flight *flight; /* of the process `owner`; NULL: empty */
    pid_t owner;
    struct drxi_flying *reads; /* n of them, in the order of their offsets */
    int64_t n, next;
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

static void free_reads(struct drxi_stash *s)
{
    drxi_free(s->reads);
    s->reads = NULL;
}

/* Take the reads of the box, and make memory for them. */
static drx_status prepare(struct drxi_stash *s, const struct drxi_box *box, int ndim)
{
    const size_t axes = (size_t)ndim * sizeof *box->lo;
    int64_t bytes = 0;

    for (int64_t i = 0; i < s->n; i++)
        bytes += (int64_t)s->reads[i].bytes;
    s->next = 0;
    s->ndim = ndim;
    memcpy(s->lo, box->lo, axes);
    memcpy(s->count, box->count, axes);
    return bytes > 0 && make_block(s, bytes) ? DRX_OK : DRX_ENOMEM;
}

static void send(struct drxi_stash *s, struct drxi_data *data)
{
    uint8_t *at = (uint8_t *)s->block + HUGE_BYTES - (uintptr_t)s->block % HUGE_BYTES;

    drxi_prefer_huge_pages(at, (size_t)s->block_bytes);
    s->owner = getpid();
    drxi_flight_outlives(s->flight);
    for (int64_t i = 0; i < s->n; i++) {
        struct drxi_flying *r = &s->reads[i];

        r->buf = at;
        at += r->bytes;
        drxi_count(&data->file->counts.flown, 1);
        drxi_count(&data->file->counts.ahead_bytes, (int64_t)r->bytes);
        drxi_count(&data->file->counts.direct_bytes, (int64_t)r->bytes);
        drxi_flight_send(s->flight, r);
    }
}

void drxi_stash_fetch(struct drxi_stash **stash, struct drxi_data *data, const struct drxi_box *box,
                      struct drxi_flying *reads, int64_t n)
{
    struct drxi_stash *s = *stash ? *stash : drxi_calloc(1, sizeof *s);
    uint8_t *memory;

    *stash = s;
    if (!s) {
        drxi_free(reads);
        return;
    }
    s->reads = reads;
    s->n = n;
    if (has_no_writer(data) && is_settled(data, &s->stamp) && prepare(s, box, data->ndim) == DRX_OK &&
        drxi_flight_open(&s->flight, &memory) == DRX_OK) {
        send(s, data);
        return;
    }
    s->flight = NULL;
    free_reads(s);
    drxi_report_clear();
}

bool drxi_stash_is_full(const struct drxi_stash *s)
{
    return s && s->flight;
}

bool drxi_stash_has(const struct drxi_stash *s, struct drxi_data *data, const struct drxi_box *box)
{
    uint64_t stamp;
    bool has;

    if (!drxi_stash_is_full(s) || s->owner != getpid() || s->ndim != data->ndim)
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

    while (s->next < s->n && s->reads[s->next].offset < read->offset)
        s->next++;
    r = &s->reads[s->next];
    if (s->next == s->n || r->offset != read->offset || r->bytes != read->bytes)
        return NULL;
    if (!drxi_flight_wait(s->flight, r))
        return NULL;
    s->next++;
    return r->got == r->bytes ? r->buf : NULL;
}

void drxi_stash_empty(struct drxi_stash *s)
{
    if (!drxi_stash_is_full(s))
        return;
    if (s->owner == getpid()) { /* a forked child leaves the flight to its parent */
        drxi_flight_cancel(s->flight);
        drxi_flight_close(s->flight);
    }
    s->flight = NULL;
    free_reads(s);
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
