/* Reading ahead for a program that walks: boxes of one shape, each as far from the one before as that from the one
 * before it. While the program works on a box, the system brings the next one into its cache. Of a file on a server,
 * paced.c asks for several.
 *
 * The reads of a box have no place for what they bring. They all fill the same memory, which nobody looks at. An array
 * that is too large for the cache is read directly: the next box goes into a stash, as much of it as fits there. That
 * is done only for a program that spends some time on each, while the disk would have nothing to do.
 *
 * Invariants
 *   1. At most one box is fetched ahead. Its reads are over before the next one is fetched, and before the file is
 *      closed. Those of a box that the program does not read next are cancelled.
 *   2. Threads that read at the same time do not wait for each other: one of them walks. */
#include <unistd.h>

#include "base/hooks.h"
#include "box/ahead/paced.h"
#include "box/ahead/stash.h"
#include "drx_tools.h"

enum {
    ALIKE = 2,              /* so many steps that are alike make a walk */
    LEAST_BYTES = 1 << 16,  /* a smaller box is not worth it */
    MOST_BYTES = 256 << 20, /* nor is a larger one, or one that takes more reads: the program may not go on as it did */
    MOST_READS = 1 << 12,
    SHARE_OF_MEMORY = 8, /* a box may take one part in so many of what the system has for its cache */
    SHARE_OF_TIME = 16   /* fetch if the program works for more than one part in so many of a read's time */
};

struct drxi_walker {
    pthread_mutex_t lock;
    struct drxi_paced paced; /* of files on a server; the others have what follows */
    atomic_bool crowded;     /* several threads read at once: their requests overlap anyhow */
    bool begun, fetched;     /* fetched: the last box */
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM], by[DRX_MAX_NDIM];
    int alike;
    double begun_at, ended_at;  /* of the last box, in seconds */
    double worked, read;        /* what the program took between the last two boxes, and the last one from the disk */
    struct drxi_flight *flight; /* with reads under way, of the process `owner`; NULL: nothing is fetched */
    struct drxi_flying *reads;
    pid_t owner;
    struct drxi_stash *stash;
};

static atomic_bool off;

void drx_set_read_ahead(int on)
{
    atomic_store_explicit(&off, !on, memory_order_relaxed);
}

/* Wait for what is being fetched, unless nobody wants it. */
static void finish(struct drxi_walker *w, bool wanted)
{
    if (w->flight && w->owner == getpid()) { /* a forked child leaves them to its parent */
        if (!wanted)
            drxi_flight_cancel(w->flight);
        while (drxi_flight_land(w->flight))
            continue;
        drxi_flight_close(w->flight);
        drxi_free(w->reads);
    }
    w->flight = NULL;
    w->reads = NULL;
}

static void end(struct drxi_data *data)
{
    struct drxi_walker *w = data->walker;

    data->walker = NULL;
    if (!w)
        return;
    finish(w, false);
    drxi_stash_end(&w->stash);
    (void)pthread_mutex_destroy(&w->lock);
    drxi_free(w);
}

/* The walker of the array, made when it is first needed; NULL: out of memory. */
static struct drxi_walker *walker_of(struct drxi_data *data)
{
    struct drxi_walker *w;

    (void)pthread_mutex_lock(&data->view_lock);
    w = data->walker;
    if (!w && (w = drxi_calloc(1, sizeof *w))) {
        (void)pthread_mutex_init(&w->lock, NULL);
        data->walker = w;
        data->end_walk = end;
    }
    (void)pthread_mutex_unlock(&data->view_lock);
    return w;
}

/* Note a step of the walk. */
static void step_to(struct drxi_walker *w, int ndim, const struct drxi_box *box)
{
    const size_t bytes = (size_t)ndim * sizeof *box->lo;
    const bool same_shape = w->begun && memcmp(w->count, box->count, bytes) == 0;
    bool moves = false, alike = same_shape;

    for (int j = 0; j < ndim; j++) {
        const int64_t by = box->lo[j] - w->lo[j];

        moves = moves || by != 0;
        alike = alike && by == w->by[j];
        w->by[j] = by;
    }
    w->alike = alike && moves ? w->alike + 1 : same_shape && moves ? 1 : 0;
    memcpy(w->lo, box->lo, bytes);
    memcpy(w->count, box->count, bytes);
    w->begun = true;
}

/* Find the next box, as much of it as lies inside the bounds; false when nothing does. */
static bool find_next(const struct drxi_walker *w, const struct drxi_data *data, int64_t lo[], int64_t count[],
                      int64_t *bytes)
{
    *bytes = (int64_t)data->item_bytes;
    for (int j = 0; j < data->state->desc.ndim; j++) {
        if (!drxi_add(w->lo[j], w->by[j], &lo[j]) || lo[j] < data->state->lower[j] || lo[j] >= data->state->upper[j])
            return false;
        count[j] = drxi_min(w->count[j], data->state->upper[j] - lo[j]);
        *bytes = drxi_mul_saturated(*bytes, count[j]);
    }
    return true;
}

/* Whether a box is the one that was fetched. */
static bool is_next(const struct drxi_walker *w, const struct drxi_data *data, const struct drxi_box *box)
{
    const size_t axes = (size_t)data->state->desc.ndim * sizeof *box->lo;
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM], bytes;

    return w->flight && find_next(w, data, lo, count, &bytes) && memcmp(lo, box->lo, axes) == 0 &&
           memcmp(count, box->count, axes) == 0;
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

/* Bring the box into the system's cache. */
static void fetch_into_cache(struct drxi_walker *w, struct drxi_data *data, const struct drxi_box *box)
{
    static uint8_t unseen[DRXI_FLIGHT_BYTES]; /* of all arrays */
    uint8_t *memory;
    int64_t n = 0;

    if (drxi_flown_reads(data, box, MOST_READS, INT64_MAX, &w->reads, &n) || drxi_flight_open(&w->flight, &memory)) {
        drxi_free(w->reads);
        w->reads = NULL;
        w->flight = NULL;
        drxi_report_clear();
        return;
    }
    w->owner = getpid();
    drxi_flight_outlives(w->flight);
    for (int64_t i = 0; i < n; i++) {
        w->reads[i].buf = unseen;
        w->reads[i].at = NULL; /* the view may end before the read */
        drxi_count(&data->counts.ahead_bytes, (int64_t)w->reads[i].bytes);
        drxi_flight_send(w->flight, &w->reads[i]);
    }
}

static void fetch_into_stash(struct drxi_walker *w, struct drxi_data *data, const struct drxi_box *box)
{
    struct drxi_flying *reads;
    int64_t n = 0;

    if (drxi_flown_reads(data, box, MOST_READS, drxi_stash_room(w->stash), &reads, &n) == DRX_OK) {
        drxi_stash_fetch(&w->stash, data, box, reads, n);
        return;
    }
    drxi_free(reads);
    drxi_report_clear();
}

static void fetch(struct drxi_walker *w, struct drxi_data *data)
{
    static const int64_t nowhere[DRX_MAX_NDIM];
    const bool direct = drxi_data_goes_direct(data);
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM], bytes;
    const struct drxi_box box = { .lo = lo, .count = count, .stride_bytes = nowhere, .direct = direct };

    if (w->alike < ALIKE || !find_next(w, data, lo, count, &bytes) || !is_worth_it(w, direct, bytes) ||
        is_in_memory(data, &box))
        return;
    if (direct)
        fetch_into_stash(w, data, &box);
    else
        fetch_into_cache(w, data, &box);
}

/* Whether reads of the array can be ahead at all, and should. */
static bool is_on(const struct drxi_data *data, const struct drxi_box *box, int64_t bytes)
{
    if (data->io->callers_only || box->step || atomic_load_explicit(&off, memory_order_relaxed))
        return false;
    return data->io->remote || (bytes >= LEAST_BYTES && data->io->ops->where);
}

struct drxi_walker *drxi_walk_begin(struct drxi_data *data, struct drxi_box *box, int64_t bytes)
{
    struct drxi_walker *w = is_on(data, box, bytes) ? walker_of(data) : NULL;
    bool cached, wanted;

    if (!w)
        return NULL;
    if (pthread_mutex_trylock(&w->lock) != 0) {
        atomic_store_explicit(&w->crowded, true, memory_order_relaxed);
        return NULL;
    }
    if (data->io->remote) {
        drxi_paced_begin(&w->paced, data, box);
        return w;
    }
    w->begun_at = drxi_now();
    w->worked = w->begun_at - w->ended_at;
    cached = w->flight != NULL;
    wanted = is_next(w, data, box);
    finish(w, wanted);
    if (box->direct && drxi_stash_has(w->stash, data, box))
        box->stash = w->stash;
    else
        drxi_stash_empty(w->stash);
    w->fetched = wanted || box->stash;
    step_to(w, data->state->desc.ndim, box);
    if (cached) /* the disk has nothing else to do */
        fetch(w, data);
    return w;
}

void drxi_walk_end(struct drxi_walker *w, struct drxi_data *data, bool success)
{
    if (!w)
        return;
    if (data->io->remote) {
        drxi_paced_end(&w->paced, data, success && !atomic_exchange(&w->crowded, false));
        (void)pthread_mutex_unlock(&w->lock);
        return;
    }
    if (!w->fetched)
        w->read = drxi_now() - w->begun_at;
    drxi_stash_empty(w->stash);
    if (w->alike < ALIKE)
        drxi_stash_end(&w->stash);
    if (!w->flight && success)
        fetch(w, data);
    w->ended_at = drxi_now();
    (void)pthread_mutex_unlock(&w->lock);
}
