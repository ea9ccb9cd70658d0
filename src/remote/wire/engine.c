/* Invariants
 *   1. Only the thread of the engine calls libcurl's transfers. Others put asks into the queue, under the lock, and wake
 *      it.
 *   2. An ask is in the queue, under way, or waiting for its next try, until `done` was called without the lock.
 *   3. A forked child has none of this, and starts anew. It leaves what its parent has under way. */
#include "remote/wire/engine.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "remote/wire/spares.h"

enum {
    MOST_CONNECTIONS = 32, /* to one server, without HTTP/2 */
    IDLE_HANDLES = 32,
    IDLE_MS = 60000
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t news; /* an ask of drxi_engine_ask has ended */
    bool runs, ends, watched;
    pthread_t thread;
    CURLM *multi;
    struct drxi_ask *first, **last; /* the queue */
} engine = { .lock = PTHREAD_MUTEX_INITIALIZER, .news = PTHREAD_COND_INITIALIZER, .last = &engine.first };

/* Of the thread. */
struct work {
    CURLM *multi;
    struct drxi_ask *waiting; /* for their next try */
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

static void end(struct work *w, struct drxi_ask *ask)
{
    give_handle(w, ask->easy);
    drxi_curl.slist_free_all(ask->headers);
    ask->easy = NULL;
    ask->headers = NULL;
    ask->done(ask);
}

static void begin_try(struct work *w, struct drxi_ask *ask)
{
    if (!ask->easy)
        ask->easy = take_handle(w);
    if (ask->easy && drxi_ask_prepare(ask) == DRX_OK && drxi_curl.multi_add_handle(w->multi, ask->easy) == CURLM_OK)
        return;
    ask->outcome = DRXI_FAILED;
    ask->st = DRX_ENOMEM;
    ask->detail[0] = '\0';
    end(w, ask);
}

static void begin_new(struct work *w)
{
    struct drxi_ask *ask;

    (void)pthread_mutex_lock(&engine.lock);
    ask = engine.first;
    engine.first = NULL;
    engine.last = &engine.first;
    (void)pthread_mutex_unlock(&engine.lock);
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

static void settle(struct work *w, CURL *easy, CURLcode code)
{
    struct drxi_ask *ask = NULL;

    (void)drxi_curl.easy_getinfo(easy, CURLINFO_PRIVATE, &ask);
    if (drxi_ask_settle(ask, code)) {
        (void)drxi_curl.multi_remove_handle(w->multi, easy);
        end(w, ask);
        return;
    }
    (void)drxi_curl.multi_remove_handle(w->multi, easy);
    drxi_curl.easy_reset(easy);
    ask->next = w->waiting;
    w->waiting = ask;
}

static void close_all(struct work *w)
{
    while (w->n_idle > 0)
        drxi_curl.easy_cleanup(w->idle[--w->n_idle]);
    (void)drxi_curl.multi_cleanup(w->multi);
}

static void *run(void *arg)
{
    static struct work w; /* what is under way at the end of the process stays in reach */
    CURLMsg *message;
    bool ends = false;
    int under_way = 0, n;

    memset(&w, 0, sizeof w);
    drxi_spares_end(); /* a parent's */
    w.multi = arg;
    while (!ends) {
        int wait;

        begin_new(&w);
        wait = drxi_spares_sweep(drxi_now(), begin_due(&w));
        (void)drxi_curl.multi_perform(w.multi, &under_way);
        while ((message = drxi_curl.multi_info_read(w.multi, &n))) {
            const CURLcode code = message->data.result; /* the message lasts until the handle is removed */

            if (message->msg == CURLMSG_DONE)
                settle(&w, message->easy_handle, code);
            wait = 0;
        }
        (void)drxi_curl.multi_poll(w.multi, NULL, 0, wait, NULL);
        (void)pthread_mutex_lock(&engine.lock);
        ends = engine.ends;
        (void)pthread_mutex_unlock(&engine.lock);
    }
    drxi_spares_end();
    if (under_way == 0 && !w.waiting)
        close_all(&w);
    return NULL;
}

/* ---- starting and ending ---- */

/* Before the libraries below are taken down at the end of the process. What is under way is left. */
static void stop(void)
{
    bool runs;

    (void)pthread_mutex_lock(&engine.lock);
    runs = engine.runs;
    engine.runs = false;
    engine.ends = true;
    if (runs)
        (void)drxi_curl.multi_wakeup(engine.multi);
    (void)pthread_mutex_unlock(&engine.lock);
    if (runs)
        (void)pthread_join(engine.thread, NULL);
}

static void before_fork(void)
{
    (void)pthread_mutex_lock(&engine.lock);
}

static void in_parent(void)
{
    (void)pthread_mutex_unlock(&engine.lock);
}

static void in_child(void)
{
    (void)pthread_mutex_init(&engine.lock, NULL);
    (void)pthread_cond_init(&engine.news, NULL);
    engine.runs = false;
    engine.first = NULL;
    engine.last = &engine.first;
}

/* The thread blocks signals, which are the program's. */
static bool start_thread(void)
{
    sigset_t every, before;
    bool started;

    (void)sigfillset(&every);
    (void)pthread_sigmask(SIG_SETMASK, &every, &before);
    started = pthread_create(&engine.thread, NULL, run, engine.multi) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

/* The caller holds the lock. */
static drx_status start(void)
{
    if (engine.runs)
        return DRX_OK;
    if (engine.ends)
        return drxi_fail(DRX_EIO, "the process is ending");
    if (!engine.watched && (pthread_atfork(before_fork, in_parent, in_child) != 0 || atexit(stop) != 0))
        return DRX_ENOMEM;
    engine.watched = true;
    engine.multi = drxi_curl.multi_init();
    if (!engine.multi)
        return DRX_ENOMEM;
    (void)drxi_curl.multi_setopt(engine.multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)MOST_CONNECTIONS);
    (void)drxi_curl.multi_setopt(engine.multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    engine.runs = start_thread();
    return engine.runs ? DRX_OK : drxi_fail(DRX_EIO, "the thread for URLs cannot be started");
}

drx_status drxi_engine_send(struct drxi_ask *ask)
{
    drx_status st;

    ask->next = NULL;
    ask->got = 0;
    (void)pthread_mutex_lock(&engine.lock);
    st = start();
    if (!st) {
        *engine.last = ask;
        engine.last = &ask->next;
        (void)drxi_curl.multi_wakeup(engine.multi);
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
