/* Reading ahead for a program that walks: boxes of one shape, each as far from the one before as that from the one
 * before it, in rows that may turn (pace.h). While the program works on a box, the system brings the next one into its
 * cache. Of a file on a server, paced.c asks for several. It stands beside the schedule because it begins before anyone
 * asks. A program that works for 50 ms on each slab of 128 MiB takes 0.82 of the time that it takes without, or 0.89
 * where a stash holds the next slab.
 *
 * The reads of a box have no place for what they bring. They all fill the same memory, which nobody looks at. An array
 * that is too large for the cache is read directly: the next box goes into a stash, as much of it as fits there. That
 * is done only for a program that spends some time on each, while the disk would have nothing to do.
 *
 * Invariants
 *   1. At most one box is fetched ahead. Its reads are over before the next one is fetched, and before the file is
 *      closed. Those of a box that the program does not read next are cancelled.
 *   2. Threads that read at the same time do not wait for each other: one of them walks. */
#include "base/hooks.h"
#include "box/ahead/paced.h"
#include "box/ahead/stash.h"

enum {
    LEAST_BYTES = 1 << 16,  /* a smaller box is not worth it */
    MOST_BYTES = 256 << 20, /* nor is a larger one: the program may not go on as it did */
    MOST_READS = 1 << 12,   /* the first ones of a box */
    SHARE_OF_MEMORY = 8,    /* a box may take one part in this many of what the system has for its cache */
    SHARE_OF_TIME = 16      /* fetch if the program works for more than one part in this many of a read's time */
};

struct drxi_walker {
    pthread_mutex_t lock;
    struct drxi_paced paced; /* of files on a server; the others have what follows */
    atomic_bool crowded;     /* several threads read at once: their requests overlap anyhow */
    struct drxi_pace pace;
    bool fetched;              /* the last box */
    double begun_at, ended_at; /* of the last box, in seconds */
    double worked, read;       /* what the program took between the last two boxes, and the last one from the disk */
    struct drxi_batch batch;   /* what is fetched into the system's cache */
    struct drxi_stash *stash;
};

static atomic_bool off;

void drx_set_read_ahead(int on)
{
    atomic_store_explicit(&off, !on, memory_order_relaxed);
}

static void end_walk(struct drxi_data *data)
{
    struct drxi_walker *w = data->file->walker;

    data->file->walker = NULL;
    if (!w)
        return;
    drxi_batch_end(&w->batch, false);
    drxi_stash_end(&w->stash);
    (void)pthread_mutex_destroy(&w->lock);
    drxi_free(w);
}

/* The walker of the array, made when it is first needed; NULL: out of memory. */
static struct drxi_walker *walker_of(struct drxi_data *data)
{
    struct drxi_walker *w;

    (void)pthread_mutex_lock(&data->file->view_lock);
    w = data->file->walker;
    if (!w && (w = drxi_calloc(1, sizeof *w))) {
        (void)pthread_mutex_init(&w->lock, NULL);
        data->file->walker = w;
        data->file->end_walk = end_walk;
    }
    (void)pthread_mutex_unlock(&data->file->view_lock);
    return w;
}

/* Find the next box, as much of it as lies inside the bounds; false when none is expected. */
static bool find_next(const struct drxi_walker *w, const struct drxi_data *data, struct drxi_pace *next,
                      int64_t count[], int64_t *bytes)
{
    *next = w->pace;
    if (!drxi_pace_go_on(next, data->lower, data->upper))
        return false;
    drxi_pace_count(next, data->upper, count);
    *bytes = (int64_t)data->item_bytes;
    for (int j = 0; j < next->ndim; j++)
        *bytes = drxi_mul_saturated(*bytes, count[j]);
    return true;
}

/* Whether a box is expected at all. */
static bool is_walk(const struct drxi_walker *w, const struct drxi_data *data)
{
    struct drxi_pace next = w->pace;

    return drxi_pace_go_on(&next, data->lower, data->upper);
}

static bool is_worth_it(const struct drxi_walker *w, bool direct, int64_t bytes)
{
    if (direct)
        return bytes >= LEAST_BYTES && w->worked > w->read / SHARE_OF_TIME;
    return bytes >= LEAST_BYTES && bytes <= drxi_min(MOST_BYTES, drxi_room_for_files() / SHARE_OF_MEMORY);
}

static bool is_in_memory(struct drxi_data *data, const struct drxi_box *box)
{
    return !drxi_as_from_disk() && drxi_data_view(data) && drxi_mapped_look(data, box);
}

/* The first reads of a box that are not in memory. */
struct first {
    struct drxi_flying *reads;
    int64_t n, room, bytes;
    int64_t most_bytes, most_read; /* in all, and in one */
    drx_status st;
};

static bool add_read(void *arg, const struct drxi_flying *read)
{
    struct first *f = arg;
    int64_t part;

    if (read->manner != DRXI_DIRECTLY && drxi_pack_here(read->io, read->offset, (int64_t)read->bytes))
        return true;
    for (int64_t at = 0; !f->st && at < (int64_t)read->bytes; at += part) {
        part = drxi_min((int64_t)read->bytes - at, f->most_read);
        if (f->n == MOST_READS || part > f->most_bytes - f->bytes)
            return false;
        f->st = drxi_reserve(&f->reads, &f->room, f->n + 1, sizeof *f->reads);
        if (f->st)
            return false;
        f->reads[f->n] = *read;
        f->reads[f->n].offset += at;
        f->reads[f->n++].bytes = (size_t)part;
        f->bytes += part;
    }
    return true;
}

/* Fetch the box: into the system's cache, or as much of it as fits into the stash. */
static void fetch_box(struct drxi_walker *w, struct drxi_data *data, const struct drxi_box *box)
{
    struct first f = { .most_bytes = INT64_MAX, .most_read = drxi_may_take(DRXI_FOR_PAYLOAD_AHEAD) };
    drx_status st;

    if (box->direct) {
        f.most_bytes = drxi_stash_room(w->stash);
        f.most_read = INT64_MAX; /* the box will be read by the same reads */
    }
    st = drxi_ways_of(data)->ranges(data, box, add_read, &f);
    if (st || f.st) {
        drxi_report_clear();
        drxi_free(f.reads);
    } else if (box->direct)
        drxi_stash_fetch(&w->stash, data, box, f.reads, f.n);
    else
        drxi_batch_send(&w->batch, data, f.reads, f.n);
}

static void fetch_ahead(struct drxi_walker *w, struct drxi_data *data)
{
    static const int64_t nowhere[DRX_MAX_NDIM];
    const bool direct = drxi_data_goes_direct(data);
    int64_t count[DRX_MAX_NDIM], bytes;
    struct drxi_pace next;
    const struct drxi_box box = { .lo = next.lo, .count = count, .stride_bytes = nowhere, .direct = direct };

    if (!find_next(w, data, &next, count, &bytes) || !is_worth_it(w, direct, bytes) || is_in_memory(data, &box))
        return;
    fetch_box(w, data, &box);
}

/* Whether reads of the array can be ahead at all, and should. */
static bool is_on(const struct drxi_data *data, const struct drxi_box *box, int64_t bytes)
{
    if (data->file->io->callers_only || box->step || atomic_load_explicit(&off, memory_order_relaxed))
        return false;
    return drxi_paced_serves(data) || (bytes >= LEAST_BYTES && drxi_data_elements(data)->cost.depth > 0);
}

struct drxi_walker *drxi_walk_begin(struct drxi_data *data, struct drxi_box *box, int64_t bytes)
{
    struct drxi_walker *w = is_on(data, box, bytes) ? walker_of(data) : NULL;
    bool cached, expected;

    if (!w)
        return NULL;
    if (pthread_mutex_trylock(&w->lock) != 0) {
        atomic_store_explicit(&w->crowded, true, memory_order_relaxed);
        return NULL;
    }
    if (drxi_paced_serves(data)) {
        drxi_paced_begin(&w->paced, data, box);
        return w;
    }
    w->begun_at = drxi_now();
    w->worked = w->begun_at - w->ended_at;
    cached = w->batch.flight != NULL;
    expected = drxi_pace_note(&w->pace, data->ndim, data->upper, box->lo, box->count);
    drxi_batch_end(&w->batch, expected);
    if (box->direct && drxi_stash_has(w->stash, data, box))
        box->stash = w->stash;
    else
        drxi_stash_empty(w->stash);
    w->fetched = (cached && expected) || box->stash;
    if (cached) /* the disk has nothing else to do */
        fetch_ahead(w, data);
    return w;
}

void drxi_walk_end(struct drxi_walker *w, struct drxi_data *data, bool success)
{
    if (!w)
        return;
    if (drxi_paced_serves(data)) {
        drxi_paced_end(&w->paced, data, success && !atomic_exchange(&w->crowded, false));
        (void)pthread_mutex_unlock(&w->lock);
        return;
    }
    if (!w->fetched)
        w->read = drxi_now() - w->begun_at;
    drxi_stash_empty(w->stash);
    if (!is_walk(w, data))
        drxi_stash_end(&w->stash);
    if (!w->batch.flight && success)
        fetch_ahead(w, data);
    w->ended_at = drxi_now();
    (void)pthread_mutex_unlock(&w->lock);
}
