/* Invariants
 *   1. A read completes once, after all of its pieces have. A piece lies in one file of the system.
 *   2. At most one thread waits at the ring, without the lock. What is sent meanwhile is submitted at once; otherwise
 *      by the next thread that waits.
 *   3. Reads in order are carried by threads: through the system's cache, io_uring would serve them one after the
 *      other, each in several steps that wait for the program's own threads.
 *   4. A flight that was given back keeps its ring for the next request, and its memory: with drx_set_memory, only the
 *      last one, and of the others only the addresses.
 *   5. Who holds the lock of a flight may take that of all, but not the other way round. */
#include "io/flight.h"

#include <errno.h>
#include <liburing.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hooks.h"
#include "base/work.h"

enum {
    READERS = 8,         /* threads, where there is no ring */
    IDLE = 4,            /* flights kept for later */
    HUGE_BYTES = 2 << 20 /* a disk fills large pages of memory faster */
};

struct drxi_flight {
    pthread_mutex_t lock;
    pthread_cond_t news;
    struct drxi_flying *completed, **last;
    int under_way; /* reads, completed ones included */
    bool ended, outlives;
    bool hurries; /* somebody waits for what outlives the call that sent it */
    enum { UNKNOWN, RING, THREADS } way;
    struct io_uring ring;
    int unsubmitted, in_ring;                     /* pieces */
    struct drxi_flying *unsent[DRXI_FLIGHT_MOST]; /* whose pieces are not submitted, in their order */
    bool waiting;                                 /* a thread, at the ring */
    void *block;                                  /* holds the memory */
    bool touched;                                 /* it may have pages */
    struct drxi_flight *next;                     /* idle */
};

/* A piece for a thread. */
struct errand {
    struct drxi_flight *flight;
    struct drxi_flying *read;
    struct drxi_spot spot;
    void *buf;
    size_t bytes;
    struct errand *next;
};

/* Errands that no thread has begun, the oldest first. */
struct queue {
    struct errand *first, **last;
};

/* Of the process. A forked child has none of the threads, and must not use the parent's rings. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t some;
    struct queue now, later; /* later: nobody waits for them yet */
    int readers, resting;
    struct drxi_flight *idle;
    int idle_flights;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER,
          .some = PTHREAD_COND_INITIALIZER,
          .now.last = &all.now.first,
          .later.last = &all.later.first };

static void renew_flights(void)
{
    (void)pthread_mutex_init(&all.lock, NULL);
    (void)pthread_cond_init(&all.some, NULL);
    all.now = (struct queue){ NULL, &all.now.first };
    all.later = (struct queue){ NULL, &all.later.first };
    all.readers = all.resting = all.idle_flights = 0;
    all.idle = NULL;
}

static struct drxi_forked forked = { .lock = &all.lock, .in_child = renew_flights };

/* A piece has ended. The caller holds the lock. */
static void settle_read(struct drxi_flight *f, struct drxi_flying *r, int64_t got)
{
    r->got += got > 0 ? (size_t)got : 0;
    if (--r->pieces > 0)
        return;
    r->next = NULL;
    *f->last = r;
    f->last = &r->next;
    (void)pthread_cond_signal(&f->news);
}

/* ---- by threads ---- */

static void put_errand(struct queue *q, struct errand *e)
{
    e->next = NULL;
    *q->last = e;
    q->last = &e->next;
}

static struct errand *take_errand(struct queue *q)
{
    struct errand *e = q->first;

    if (!e)
        return NULL;
    q->first = e->next;
    if (!q->first)
        q->last = &q->first;
    return e;
}

/* Move the errands of a flight to another queue. */
static void move_errands(struct queue *from, const struct drxi_flight *f, struct queue *to)
{
    struct errand **at = &from->first;

    while (*at) {
        struct errand *e = *at;

        if (e->flight != f) {
            at = &e->next;
            continue;
        }
        *at = e->next;
        put_errand(to, e);
    }
    from->last = at;
}

static int64_t carry(const struct errand *e)
{
    if (e->read->at)
        return drxi_view_touch(e->read->at, e->bytes) ? (int64_t)e->bytes : 0;
    return pread(e->spot.fd, e->buf, e->bytes, e->spot.offset);
}

/* An errand has ended. */
static void arrive(void *arg, int64_t got)
{
    struct errand *e = arg;

    (void)pthread_mutex_lock(&e->flight->lock);
    settle_read(e->flight, e->read, got);
    (void)pthread_mutex_unlock(&e->flight->lock);
    drxi_free(e);
}

static void *serve_queue(void *unused)
{
    (void)pthread_mutex_lock(&all.lock);
    for (;;) {
        struct errand *e = take_errand(&all.now);

        if (!e && !(e = take_errand(&all.later))) {
            all.resting++;
            (void)pthread_cond_wait(&all.some, &all.lock);
            all.resting--;
            continue;
        }
        (void)pthread_mutex_unlock(&all.lock);
        arrive(e, carry(e));
        (void)pthread_mutex_lock(&all.lock);
    }
    return unused;
}

/* The caller holds all.lock. */
static void start_reader(void)
{
    pthread_t thread;

    if (!drxi_start_thread(&thread, serve_queue, NULL))
        return;
    (void)pthread_detach(thread);
    all.readers++;
}

static bool carry_by_thread(struct drxi_flight *f, struct drxi_flying *r, const struct drxi_spot *spot, void *buf,
                            size_t bytes)
{
    struct errand *e = drxi_malloc(sizeof *e);
    bool taken = false;

    if (!e)
        return false;
    *e = (struct errand){ f, r, *spot, buf, bytes, NULL };
    (void)pthread_mutex_lock(&all.lock);
    if (all.resting == 0 && all.readers < READERS)
        start_reader();
    taken = all.readers > 0;
    if (taken) {
        put_errand(f->outlives && !f->hurries ? &all.later : &all.now, e);
        (void)pthread_cond_signal(&all.some);
    }
    (void)pthread_mutex_unlock(&all.lock);
    if (!taken)
        drxi_free(e);
    return taken;
}

/* ---- by the file itself ---- */

static bool carry_by_request(struct drxi_flight *f, struct drxi_flying *r, const struct drxi_spot *spot, void *buf,
                             size_t bytes)
{
    struct errand *e = drxi_malloc(sizeof *e);
    int64_t got;

    if (!e)
        return false;
    *e = (struct errand){ f, r, *spot, buf, bytes, NULL };
    got = spot->starts->ops->start(spot->starts, buf, bytes, spot->offset, r->sink, arrive, e);
    if (got >= 0) {
        drxi_free(e);
        settle_read(f, r, got);
    }
    return true;
}

/* ---- by the ring ---- */

static int enter_ring(struct io_uring *ring)
{
    return drxi_hooks.no_enter ? -EPERM : io_uring_submit(ring);
}

/* Whether the ring carries what is submitted, by a try: a filter of system calls may allow the one that makes rings and
 * refuse the one that uses them. */
static bool works(struct io_uring *ring)
{
    struct io_uring_sqe *s = io_uring_get_sqe(ring);
    struct io_uring_cqe *c;

    if (!s)
        return false;
    io_uring_prep_nop(s);
    if (enter_ring(ring) != 1 || io_uring_wait_cqe(ring, &c) != 0)
        return false;
    io_uring_cqe_seen(ring, c);
    return true;
}

static bool make_ring(struct drxi_flight *f)
{
    struct io_uring_probe *probe;
    bool reads;

    if (io_uring_queue_init(DRXI_FLIGHT_MOST, &f->ring, 0) != 0)
        return false;
    probe = io_uring_get_probe_ring(&f->ring);
    reads = probe && io_uring_opcode_supported(probe, IORING_OP_READ);
    if (probe)
        io_uring_free_probe(probe);
    reads = reads && works(&f->ring);
    if (!reads)
        io_uring_queue_exit(&f->ring);
    return reads;
}

static bool has_ring(struct drxi_flight *f)
{
    if (f->way == UNKNOWN)
        f->way = make_ring(f) ? RING : THREADS;
    return f->way == RING;
}

/* The ring no longer works, as after a filter of system calls or close_range(): what it has not taken ends unread, and
 * threads carry what follows. */
static void leave_ring(struct drxi_flight *f)
{
    for (int i = 0; i < f->unsubmitted; i++)
        settle_read(f, f->unsent[i], 0);
    f->unsubmitted = f->in_ring = 0;
    io_uring_queue_exit(&f->ring);
    f->way = THREADS;
}

static bool is_passing(int error)
{
    return error == -EAGAIN || error == -EBUSY || error == -EINTR;
}

static void submit(struct drxi_flight *f)
{
    while (f->unsubmitted > 0) {
        const int n = enter_ring(&f->ring), taken = n > 0 ? n : 0;

        f->unsubmitted -= taken;
        memmove(f->unsent, f->unsent + taken, (size_t)f->unsubmitted * sizeof *f->unsent);
        if (n < 0 && f->in_ring > f->unsubmitted) /* some end first */
            return;
        if (n < 0 && !is_passing(n))
            leave_ring(f);
        else if (n < 0)
            (void)sched_yield();
    }
}

static bool carry_by_ring(struct drxi_flight *f, struct drxi_flying *r, const struct drxi_spot *spot, void *buf,
                          size_t bytes)
{
    struct io_uring_sqe *s;

    if (f->unsubmitted == DRXI_FLIGHT_MOST)
        submit(f);
    s = f->way == RING && f->unsubmitted < DRXI_FLIGHT_MOST ? io_uring_get_sqe(&f->ring) : NULL;
    if (!s)
        return false;
    io_uring_prep_read(s, spot->fd, buf, (unsigned)bytes, (uint64_t)spot->offset);
    io_uring_sqe_set_data(s, r);
    f->unsent[f->unsubmitted++] = r;
    f->in_ring++;
    return true;
}

/* Wait at the ring, without the lock that the caller holds. */
static void fetch_events(struct drxi_flight *f)
{
    struct io_uring_cqe *c;

    submit(f);
    if (f->in_ring == 0)
        return;
    f->waiting = true;
    (void)pthread_mutex_unlock(&f->lock);
    while (io_uring_wait_cqe(&f->ring, &c) != 0)
        (void)sched_yield();
    (void)pthread_mutex_lock(&f->lock);
    f->waiting = false;
    while (io_uring_peek_cqe(&f->ring, &c) == 0) {
        settle_read(f, io_uring_cqe_get_data(c), c->res);
        io_uring_cqe_seen(&f->ring, c);
        f->in_ring--;
    }
    (void)pthread_cond_broadcast(&f->news);
}

/* ---- a flight ---- */

static struct drxi_flight *take_idle(void)
{
    struct drxi_flight *f;

    drxi_watch_forks(&forked);
    (void)pthread_mutex_lock(&all.lock);
    f = all.idle;
    if (f) {
        all.idle = f->next;
        all.idle_flights--;
    }
    (void)pthread_mutex_unlock(&all.lock);
    return f;
}

static void destroy(struct drxi_flight *f)
{
    if (f->way == RING)
        io_uring_queue_exit(&f->ring);
    (void)pthread_cond_destroy(&f->news);
    (void)pthread_mutex_destroy(&f->lock);
    drxi_free(f->block);
    drxi_free(f);
}

static uint8_t *memory_of(const struct drxi_flight *f)
{
    return (uint8_t *)f->block + HUGE_BYTES - (uintptr_t)f->block % HUGE_BYTES;
}

/* Give the pages of a flight's memory back to the system. */
static void let_go(struct drxi_flight *f)
{
    if (f->touched)
        (void)madvise(memory_of(f), DRXI_FLIGHT_BYTES + DRXI_FLIGHT_TABLE_BYTES, MADV_DONTNEED);
    f->touched = false;
}

/* Whether a flight may use less memory than it has room for. Then an idle one would take most of what is allowed. */
static bool is_tight(void)
{
    return drxi_may_take(DRXI_FOR_READS) < DRXI_FLIGHT_BYTES;
}

static drx_status make_flight(struct drxi_flight **out)
{
    struct drxi_flight *f = drxi_calloc(1, sizeof *f);

    if (!f)
        return DRX_ENOMEM;
    (void)pthread_mutex_init(&f->lock, NULL);
    (void)pthread_cond_init(&f->news, NULL);
    f->last = &f->completed;
    f->block = drxi_malloc(DRXI_FLIGHT_BYTES + DRXI_FLIGHT_TABLE_BYTES + HUGE_BYTES);
    if (!f->block) {
        destroy(f);
        return DRX_ENOMEM;
    }
    if (!is_tight()) /* else a large page may be more than is used */
        drxi_prefer_huge_pages(memory_of(f), DRXI_FLIGHT_BYTES);
    *out = f;
    return DRX_OK;
}

drx_status drxi_flight_open(struct drxi_flight **out, uint8_t **memory)
{
    struct drxi_flight *f = take_idle();
    drx_status st = f ? DRX_OK : make_flight(&f);

    *out = f;
    if (st)
        return st;
    f->ended = f->outlives = f->hurries = false;
    f->touched = true;
    *memory = memory_of(f);
    return DRX_OK;
}

static bool is_aligned(const struct drxi_spot *spot, const void *buf, size_t bytes)
{
    return ((uint64_t)spot->offset | (uintptr_t)buf | bytes) % DRXI_FLIGHT_ALIGNMENT == 0;
}

/* Find the next piece; false when no call of the system can read it. */
static bool find_piece(const struct drxi_flying *r, size_t done, struct drxi_spot *spot, size_t *bytes)
{
    const int64_t left = (int64_t)(r->bytes - done);

    *spot = (struct drxi_spot){ .fd = -1 };
    if (r->io->cost.depth == 0)
        return false;
    r->io->ops->where(r->io, r->offset + (int64_t)done, r->manner, spot);
    *bytes = (size_t)drxi_min(left, spot->bytes);
    if (!spot->starts && r->manner == DRXI_DIRECTLY && !is_aligned(spot, (uint8_t *)r->buf + done, *bytes))
        r->io->ops->where(r->io, r->offset + (int64_t)done, DRXI_SCATTERED, spot);
    return spot->fd >= 0 || spot->starts;
}

/* Send what one file has of it at a time. */
static void send_pieces(struct drxi_flight *f, struct drxi_flying *r)
{
    struct drxi_spot spot;
    size_t bytes;
    const bool by_ring = !f->outlives && r->manner != DRXI_IN_ORDER && !drxi_hooks.no_ring;

    for (size_t done = 0; done < r->bytes && find_piece(r, done, &spot, &bytes); done += bytes) {
        void *buf = (uint8_t *)r->buf + done;

        r->apart = bytes < r->bytes;
        r->pieces++;
        if (spot.starts              ? carry_by_request(f, r, &spot, buf, bytes)
            : by_ring && has_ring(f) ? carry_by_ring(f, r, &spot, buf, bytes)
                                     : carry_by_thread(f, r, &spot, buf, bytes))
            continue;
        r->pieces--;
        break;
    }
}

static void begin_read(struct drxi_flight *f, struct drxi_flying *r)
{
    f->under_way++;
    r->got = 0;
    r->completed = r->apart = false;
    r->pieces = 1;
}

void drxi_flight_send(struct drxi_flight *f, struct drxi_flying *r)
{
    static const struct drxi_spot nowhere = { .fd = -1 };

    (void)pthread_mutex_lock(&f->lock);
    begin_read(f, r);
    if (!r->at)
        send_pieces(f, r);
    else if (carry_by_thread(f, r, &nowhere, NULL, r->bytes))
        r->pieces++;
    settle_read(f, r, 0);
    if (f->waiting)
        submit(f);
    (void)pthread_cond_signal(&f->news);
    (void)pthread_mutex_unlock(&f->lock);
}

void drxi_flight_alone(struct drxi_flying *r)
{
    struct drxi_spot spot;
    size_t bytes;

    r->got = 0;
    while (r->got < r->bytes && find_piece(r, r->got, &spot, &bytes) && !spot.starts) {
        const ssize_t n = pread(spot.fd, (uint8_t *)r->buf + r->got, bytes, spot.offset);

        r->got += n > 0 ? (size_t)n : 0;
        if (n < (ssize_t)bytes)
            break;
    }
}

void drxi_flight_outlives(struct drxi_flight *f)
{
    f->outlives = true;
    if (drxi_memory_is_limited())
        let_go(f);
}

void drxi_flight_cancel(struct drxi_flight *f)
{
    struct queue left = { NULL, &left.first };
    struct errand *e;

    (void)pthread_mutex_lock(&f->lock);
    (void)pthread_mutex_lock(&all.lock);
    move_errands(&all.now, f, &left);
    move_errands(&all.later, f, &left);
    (void)pthread_mutex_unlock(&all.lock);
    while ((e = take_errand(&left))) {
        settle_read(f, e->read, 0);
        drxi_free(e);
    }
    (void)pthread_mutex_unlock(&f->lock);
}

/* Somebody waits. The caller holds the lock. */
static void hurry(struct drxi_flight *f)
{
    if (!f->outlives || f->hurries)
        return;
    f->hurries = true;
    (void)pthread_mutex_lock(&all.lock);
    move_errands(&all.later, f, &all.now);
    (void)pthread_mutex_unlock(&all.lock);
}

void drxi_flight_hand_over(struct drxi_flight *f, struct drxi_flying *r)
{
    (void)pthread_mutex_lock(&f->lock);
    begin_read(f, r);
    settle_read(f, r, (int64_t)r->bytes);
    (void)pthread_mutex_unlock(&f->lock);
}

void drxi_flight_end(struct drxi_flight *f)
{
    (void)pthread_mutex_lock(&f->lock);
    f->ended = true;
    (void)pthread_cond_broadcast(&f->news);
    (void)pthread_mutex_unlock(&f->lock);
}

static struct drxi_flying *next_completed(struct drxi_flight *f, bool more)
{
    struct drxi_flying *r;

    (void)pthread_mutex_lock(&f->lock);
    while (!(r = f->completed) && (f->under_way > 0 || (more && !f->ended))) {
        if (f->in_ring > 0 && !f->waiting)
            fetch_events(f);
        else {
            hurry(f);
            (void)pthread_cond_wait(&f->news, &f->lock);
        }
    }
    if (r) {
        r->completed = true;
        f->completed = r->next;
        if (!f->completed)
            f->last = &f->completed;
        f->under_way--;
        if (f->under_way == 0)
            (void)pthread_cond_broadcast(&f->news);
    }
    (void)pthread_mutex_unlock(&f->lock);
    return r;
}

struct drxi_flying *drxi_flight_reap(struct drxi_flight *f)
{
    return next_completed(f, false);
}

bool drxi_flight_wait(struct drxi_flight *f, const struct drxi_flying *read)
{
    while (!read->completed && next_completed(f, false))
        continue;
    return read->completed;
}

struct drxi_flying *drxi_flight_await(struct drxi_flight *f)
{
    return next_completed(f, true);
}

void drxi_flight_close(struct drxi_flight *f)
{
    bool kept;

    if (!f)
        return;
    while (next_completed(f, false))
        continue;
    (void)pthread_mutex_lock(&all.lock);
    kept = all.idle_flights < IDLE;
    if (kept) {
        f->next = all.idle;
        all.idle = f;
        all.idle_flights++;
    }
    if (kept && is_tight())
        let_go(f);
    for (struct drxi_flight *g = kept && drxi_memory_is_limited() ? f->next : NULL; g; g = g->next)
        let_go(g);
    (void)pthread_mutex_unlock(&all.lock);
    if (!kept)
        destroy(f);
}
