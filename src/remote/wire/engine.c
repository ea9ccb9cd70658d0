/* One system call waits for all connections, and each that has something is served alone: libcurl's own loop would ask
 * the system about each connection in turn, whenever one has something.
 *
 * Invariants
 *   1. Only the thread of the engine calls libcurl's transfers. Others put asks into the queue, under the lock, and
 *      wake it.
 *   2. An ask is in the queue, under way, or waiting for its next try, until `done` was called without the lock.
 *   3. A forked child has none of this, and starts again. It leaves what its parent has under way. */
#include "remote/wire/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/work.h"

enum {
    MOST_CONNECTIONS = 32, /* to one server, without HTTP/2 */
    IDLE_HANDLES = 32,
    IDLE_MS = 60000,
    EVENTS = 64 /* at once */
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t news; /* an ask of drxi_engine_ask has ended */
    bool runs, ends, watched;
    pthread_t thread;
    CURLM *multi;
    int epoll, wake;                /* of the system: what happens at connections; and that there is an ask */
    struct drxi_ask *first, **last; /* the queue */
} engine = {
    .lock = PTHREAD_MUTEX_INITIALIZER, .news = PTHREAD_COND_INITIALIZER, .epoll = -1, .wake = -1, .last = &engine.first
};

/* Of the thread. */
struct work {
    CURLM *multi;
    struct drxi_ask *flying;  /* a try is under way */
    struct drxi_ask *waiting; /* for their next try */
    double timer_at;          /* when libcurl wants to be called, at the latest; 0: never */
    CURL *idle[IDLE_HANDLES];
    int n_idle;
};

static CURL *take_handle(struct work *w)
{
    return w->n_idle > 0 ? w->idle[--w->n_idle] : drxi_curl.easy_init();
}

static void give_handle(struct work *w, CURL *easy)
{
    if (!easy)
        return;
    if (w->n_idle == IDLE_HANDLES) {
        drxi_curl.easy_cleanup(easy);
        return;
    }
    drxi_curl.easy_reset(easy);
    w->idle[w->n_idle++] = easy;
}

static void end_ask(struct work *w, struct drxi_ask *ask)
{
    give_handle(w, ask->easy);
    drxi_curl.slist_free_all(ask->headers);
    ask->easy = NULL;
    ask->headers = NULL;
    ask->done(ask);
}

static void link_flying(struct work *w, struct drxi_ask *ask)
{
    ask->before = NULL;
    ask->next = w->flying;
    if (w->flying)
        w->flying->before = ask;
    w->flying = ask;
}

static void unlink_flying(struct work *w, struct drxi_ask *ask)
{
    *(ask->before ? &ask->before->next : &w->flying) = ask->next;
    if (ask->next)
        ask->next->before = ask->before;
}

static void begin_try(struct work *w, struct drxi_ask *ask)
{
    if (!ask->easy)
        ask->easy = take_handle(w);
    if (ask->easy && drxi_ask_prepare(ask) == DRX_OK && drxi_curl.multi_add_handle(w->multi, ask->easy) == CURLM_OK) {
        link_flying(w, ask);
        return;
    }
    ask->outcome = DRXI_FAILED;
    ask->st = DRX_ENOMEM;
    ask->detail[0] = '\0';
    end_ask(w, ask);
}

static struct drxi_ask *take_queue(void)
{
    struct drxi_ask *first;

    (void)pthread_mutex_lock(&engine.lock);
    first = engine.first;
    engine.first = NULL;
    engine.last = &engine.first;
    (void)pthread_mutex_unlock(&engine.lock);
    return first;
}

static void begin_new(struct work *w)
{
    struct drxi_ask *ask = take_queue();

    while (ask) {
        struct drxi_ask *const next = ask->next;

        begin_try(w, ask);
        ask = next;
    }
}

/* Begin the tries that are due; returns the milliseconds up to the next one. */
static int begin_due(struct work *w)
{
    const double now = drxi_now();
    double next = IDLE_MS;

    for (struct drxi_ask **at = &w->waiting; *at;) {
        struct drxi_ask *const ask = *at;
        const double ms = (ask->again_at - now) * 1000;

        if (ms > 0) {
            next = ms < next ? ms : next;
            at = &ask->next;
            continue;
        }
        *at = ask->next;
        begin_try(w, ask);
    }
    return (int)next + 1;
}

static void settle_transfer(struct work *w, CURL *easy, CURLcode code)
{
    struct drxi_ask *ask = NULL;

    (void)drxi_curl.easy_getinfo(easy, CURLINFO_PRIVATE, &ask);
    unlink_flying(w, ask);
    if (drxi_ask_settle(ask, code)) {
        (void)drxi_curl.multi_remove_handle(w->multi, easy);
        end_ask(w, ask);
        return;
    }
    (void)drxi_curl.multi_remove_handle(w->multi, easy);
    drxi_curl.easy_reset(easy);
    ask->next = w->waiting;
    w->waiting = ask;
}

static void refuse_ask(struct work *w, struct drxi_ask *ask)
{
    ask->outcome = DRXI_FAILED;
    ask->st = DRX_EIO;
    (void)snprintf(ask->detail, sizeof ask->detail, "%s: the process is ending", ask->address->shown);
    end_ask(w, ask);
}

/* Somebody may be waiting for them, such as a handle that the program closes at exit. */
static void refuse_all(struct work *w)
{
    struct drxi_ask *ask, *next;

    while ((ask = w->flying)) {
        unlink_flying(w, ask);
        (void)drxi_curl.multi_remove_handle(w->multi, ask->easy);
        refuse_ask(w, ask);
    }
    while ((ask = w->waiting)) {
        w->waiting = ask->next;
        refuse_ask(w, ask);
    }
    for (ask = take_queue(); ask; ask = next) {
        next = ask->next;
        refuse_ask(w, ask);
    }
}

static void close_engine(struct work *w)
{
    while (w->n_idle > 0)
        drxi_curl.easy_cleanup(w->idle[--w->n_idle]);
    (void)drxi_curl.multi_cleanup(w->multi);
}

/* ---- what happens ---- */

/* Callbacks of libcurl: what it waits for at a connection, and how long at most. */
static int watch_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *unused)
{
    struct epoll_event event = { .events = 0, .data = { .fd = fd } };

    (void)easy;
    (void)arg;
    (void)unused;
    event.events |= what & CURL_POLL_IN ? EPOLLIN : 0;
    event.events |= what & CURL_POLL_OUT ? EPOLLOUT : 0;
    if (event.events == 0)
        (void)epoll_ctl(engine.epoll, EPOLL_CTL_DEL, fd, &event);
    else if (epoll_ctl(engine.epoll, EPOLL_CTL_MOD, fd, &event) != 0)
        (void)epoll_ctl(engine.epoll, EPOLL_CTL_ADD, fd, &event);
    return 0;
}

static int set_timer(CURLM *multi, long ms, void *arg)
{
    struct work *w = arg;

    (void)multi;
    w->timer_at = ms < 0 ? 0 : drxi_now() + (double)ms / 1000;
    return 0;
}

static int under_way;

/* Wait for something to happen, this many milliseconds at most, and let libcurl act on it. */
static void serve_events(struct work *w, int most_ms)
{
    struct epoll_event event[EVENTS];
    const double left = w->timer_at > 0 ? (w->timer_at - drxi_now()) * 1000 : most_ms;
    const int n = epoll_wait(engine.epoll, event, EVENTS, left <= 0 ? 0 : left < most_ms ? (int)left + 1 : most_ms);
    uint64_t asks;

    for (int i = 0; i < n; i++) {
        const uint32_t e = event[i].events;
        const bool failed = e & (EPOLLERR | EPOLLHUP); /* the next call tells how */
        const int what =
            (failed || e & EPOLLIN ? CURL_CSELECT_IN : 0) | (failed || e & EPOLLOUT ? CURL_CSELECT_OUT : 0);

        if (event[i].data.fd == engine.wake)
            (void)!read(engine.wake, &asks, sizeof asks);
        else
            (void)drxi_curl.multi_socket_action(w->multi, event[i].data.fd, what, &under_way);
    }
    if (w->timer_at > 0 && w->timer_at <= drxi_now()) {
        w->timer_at = 0;
        (void)drxi_curl.multi_socket_action(w->multi, CURL_SOCKET_TIMEOUT, 0, &under_way);
    }
}

static void settle_all(struct work *w)
{
    CURLMsg *message;
    int n;

    while ((message = drxi_curl.multi_info_read(w->multi, &n))) {
        const CURLcode code = message->data.result; /* the message lasts until the handle is removed */

        if (message->msg == CURLMSG_DONE)
            settle_transfer(w, message->easy_handle, code);
    }
}

static void *run_engine(void *arg)
{
    struct work w = { .multi = arg };
    bool ends = false;

    under_way = 0;
    (void)drxi_curl.multi_setopt(w.multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
    (void)drxi_curl.multi_setopt(w.multi, CURLMOPT_TIMERFUNCTION, set_timer);
    (void)drxi_curl.multi_setopt(w.multi, CURLMOPT_TIMERDATA, &w);
    while (!ends) {
        begin_new(&w);
        serve_events(&w, drxi_spares_sweep(drxi_now(), begin_due(&w)));
        settle_all(&w);
        (void)pthread_mutex_lock(&engine.lock);
        ends = engine.ends;
        (void)pthread_mutex_unlock(&engine.lock);
    }
    drxi_spares_end();
    refuse_all(&w);
    close_engine(&w);
    return NULL;
}

/* ---- starting and ending ---- */

static void wake(void)
{
    const uint64_t one = 1;

    (void)!write(engine.wake, &one, sizeof one);
}

/* Before the libraries below are taken down at the end of the process. What is under way fails. */
static void stop(void)
{
    bool runs;

    (void)pthread_mutex_lock(&engine.lock);
    runs = engine.runs;
    engine.runs = false;
    engine.ends = true;
    if (runs)
        wake();
    (void)pthread_mutex_unlock(&engine.lock);
    if (runs)
        (void)pthread_join(engine.thread, NULL);
}

static void close_events(void)
{
    if (engine.epoll >= 0)
        (void)close(engine.epoll);
    if (engine.wake >= 0)
        (void)close(engine.wake);
    engine.epoll = engine.wake = -1;
}

static bool open_events(void)
{
    struct epoll_event event = { .events = EPOLLIN };

    close_events();
    engine.epoll = epoll_create1(EPOLL_CLOEXEC);
    engine.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    event.data.fd = engine.wake;
    return engine.epoll >= 0 && engine.wake >= 0 && epoll_ctl(engine.epoll, EPOLL_CTL_ADD, engine.wake, &event) == 0;
}

static void renew_engine(void)
{
    (void)pthread_mutex_init(&engine.lock, NULL);
    (void)pthread_cond_init(&engine.news, NULL);
    engine.runs = false;
    engine.first = NULL;
    engine.last = &engine.first;
    close_events();
    drxi_spares_end();
}

static struct drxi_forked forked = { .lock = &engine.lock, .in_child = renew_engine };

/* The caller holds the lock. */
static drx_status start_engine(void)
{
    if (engine.runs)
        return DRX_OK;
    if (engine.ends)
        return drxi_fail(DRX_EIO, "the process is ending");
    if (!engine.watched && atexit(stop) != 0)
        return DRX_ENOMEM;
    engine.watched = true;
    drxi_watch_forks(&forked);
    if (!open_events())
        return drxi_fail(DRX_EIO, "URLs need two more file descriptors than the process may open");
    engine.multi = drxi_curl.multi_init();
    if (!engine.multi)
        return DRX_ENOMEM;
    (void)drxi_curl.multi_setopt(engine.multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)MOST_CONNECTIONS);
    (void)drxi_curl.multi_setopt(engine.multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    engine.runs = drxi_start_thread(&engine.thread, run_engine, engine.multi);
    return engine.runs ? DRX_OK : drxi_fail(DRX_EIO, "the thread for URLs cannot be started");
}

drx_status drxi_engine_send(struct drxi_ask *ask)
{
    drx_status st;

    ask->next = NULL;
    ask->got = 0;
    (void)pthread_mutex_lock(&engine.lock);
    st = start_engine();
    if (!st) {
        *engine.last = ask;
        engine.last = &ask->next;
        wake();
    }
    (void)pthread_mutex_unlock(&engine.lock);
    return st;
}

/* ---- waiting ---- */

static void note_end(struct drxi_ask *ask)
{
    (void)pthread_mutex_lock(&engine.lock);
    ask->done = NULL;
    (void)pthread_cond_broadcast(&engine.news);
    (void)pthread_mutex_unlock(&engine.lock);
}

drx_status drxi_engine_begin(struct drxi_ask *ask)
{
    drx_status st;

    ask->done = note_end;
    st = drxi_engine_send(ask);
    if (st)
        ask->done = NULL;
    return st;
}

void drxi_engine_wait(struct drxi_ask *ask)
{
    (void)pthread_mutex_lock(&engine.lock);
    while (ask->done)
        (void)pthread_cond_wait(&engine.news, &engine.lock);
    (void)pthread_mutex_unlock(&engine.lock);
}

bool drxi_engine_has_ended(const struct drxi_ask *ask)
{
    bool ended;

    (void)pthread_mutex_lock(&engine.lock);
    ended = !ask->done;
    (void)pthread_mutex_unlock(&engine.lock);
    return ended;
}

drx_status drxi_engine_ask(struct drxi_ask ask[], int n)
{
    drx_status st = DRX_OK;
    int begun = 0;

    for (; !st && begun < n; begun += !st)
        st = drxi_engine_begin(&ask[begun]);
    for (int i = 0; i < begun; i++)
        drxi_engine_wait(&ask[i]);
    return st;
}
