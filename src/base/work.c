#include "base/work.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>

enum { MAX_THREADS = 64, WAITING_THREADS = 32 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct drxi_work *first, **last; /* waiting */
    int helpers, idle, queued;       /* works that no helper has taken yet; idle ones may not have woken */
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER, .last = &pool.first };

static atomic_int limit;

/* ---- forks and threads ---- */

static _Atomic(struct drxi_forked *) newest;
static _Thread_local struct drxi_forked *held; /* what was the newest when this thread began to fork */

static void before_fork(void)
{
    held = atomic_load(&newest);
    for (const struct drxi_forked *f = held; f; f = f->older)
        (void)pthread_mutex_lock(f->lock);
}

static void in_parent(void)
{
    for (const struct drxi_forked *f = held; f; f = f->older)
        (void)pthread_mutex_unlock(f->lock);
}

static void in_any_child(void)
{
    for (const struct drxi_forked *f = held; f; f = f->older)
        if (f->in_child)
            f->in_child();
        else
            (void)pthread_mutex_unlock(f->lock);
}

static void prepare_child(void)
{
    (void)pthread_atfork(before_fork, in_parent, in_any_child);
}

void drxi_watch_forks(struct drxi_forked *f)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (atomic_load(&f->watched) || atomic_exchange(&f->watched, true))
        return;
    (void)pthread_once(&once, prepare_child);
    f->older = atomic_load(&newest);
    while (!atomic_compare_exchange_weak(&newest, &f->older, f))
        continue;
}

bool drxi_start_thread(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
    sigset_t all, old;
    bool started;

    (void)sigfillset(&all);
    (void)sigdelset(&all, SIGBUS); /* file_view.c needs this signal */
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    started = pthread_create(thread, NULL, run, arg) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    return started;
}

/* ---- helpers ---- */

/* A forked child has no helpers; the queue was the parent's. */
static void renew_work(void)
{
    (void)pthread_mutex_init(&pool.lock, NULL);
    (void)pthread_cond_init(&pool.more, NULL);
    pool.first = NULL;
    pool.last = &pool.first;
    pool.helpers = pool.idle = pool.queued = 0;
}

static struct drxi_forked forked = { .lock = &pool.lock, .in_child = renew_work };

static void *help(void *unused)
{
    (void)pthread_mutex_lock(&pool.lock);
    for (;;) {
        struct drxi_work *work = pool.first;

        if (!work) {
            pool.idle++;
            (void)pthread_cond_wait(&pool.more, &pool.lock);
            pool.idle--;
            continue;
        }
        pool.first = work->next;
        pool.queued--;
        if (!pool.first)
            pool.last = &pool.first;
        (void)pthread_mutex_unlock(&pool.lock);
        work->run(work);
        (void)pthread_mutex_lock(&pool.lock);
    }
    return unused;
}

/* The processors that this process may use. */
static int processors(void)
{
    cpu_set_t set;
    const int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;

    return n < MAX_THREADS ? n : MAX_THREADS;
}

int drxi_work_most_threads(void)
{
    static atomic_int most;
    int n = atomic_load_explicit(&most, memory_order_relaxed);

    if (n == 0) {
        n = processors() + 1;
        atomic_store_explicit(&most, n, memory_order_relaxed);
    }
    return n;
}

static bool add_helper(void)
{
    pthread_t thread;

    if (!drxi_start_thread(&thread, help, NULL))
        return false;
    (void)pthread_detach(thread);
    pool.helpers++;
    return true;
}

static bool start_helpers(struct drxi_work *work, int most_helpers)
{
    bool good;

    drxi_watch_forks(&forked);
    (void)pthread_mutex_lock(&pool.lock);
    good = pool.idle > pool.queued || (pool.helpers < most_helpers && add_helper()) || pool.helpers > 0;
    if (good) {
        work->next = NULL;
        *pool.last = work;
        pool.last = &work->next;
        pool.queued++;
        (void)pthread_cond_signal(&pool.more);
    }
    (void)pthread_mutex_unlock(&pool.lock);
    return good;
}

bool drxi_work_start(struct drxi_work *work)
{
    return start_helpers(work, processors());
}

bool drxi_work_start_waiting(struct drxi_work *work)
{
    return start_helpers(work, WAITING_THREADS);
}

bool drxi_work_cancel(struct drxi_work *work)
{
    struct drxi_work **link = &pool.first;
    bool waiting;

    (void)pthread_mutex_lock(&pool.lock);
    while (*link && *link != work)
        link = &(*link)->next;
    waiting = *link != NULL;
    if (waiting) {
        *link = work->next;
        pool.queued--;
        if (!work->next)
            pool.last = link;
    }
    (void)pthread_mutex_unlock(&pool.lock);
    return waiting;
}

static int chosen_threads(void)
{
    const char *text = getenv("DRX_THREADS");
    const long n = text ? strtol(text, NULL, 10) : 0;

    return n > 0 ? (n < MAX_THREADS ? (int)n : MAX_THREADS) : processors();
}

int drxi_work_threads(void)
{
    int n = atomic_load_explicit(&limit, memory_order_relaxed);

    if (n == 0) {
        n = chosen_threads();
        atomic_store_explicit(&limit, n, memory_order_relaxed);
    }
    return n;
}

void drxi_work_limit(int threads)
{
    atomic_store(&limit, threads);
}

struct shared {
    drx_status (*part)(void *arg, int64_t i);
    void *arg;
    int64_t n;
    atomic_int_fast64_t next;
    pthread_mutex_t lock;
    pthread_cond_t done;
    int helping;
    int64_t failed; /* the first part that failed; n: none */
    drx_status st;
    char *detail;
};

struct helper {
    struct drxi_work work;
    struct shared *shared;
};

static void note_failure(struct shared *s, int64_t i, drx_status st)
{
    (void)pthread_mutex_lock(&s->lock);
    if (i < s->failed) {
        s->failed = i;
        s->st = st;
        drxi_free(s->detail);
        s->detail = drxi_strdup(drx_last_error());
    }
    (void)pthread_mutex_unlock(&s->lock);
    atomic_store(&s->next, s->n); /* enough of them */
}

static void take_parts(struct shared *s)
{
    int64_t i;

    while ((i = atomic_fetch_add(&s->next, 1)) < s->n) {
        const drx_status st = s->part(s->arg, i);

        if (st)
            note_failure(s, i, st);
    }
}

static void run_helper(struct drxi_work *work)
{
    struct shared *s = ((struct helper *)work)->shared;

    take_parts(s);
    (void)pthread_mutex_lock(&s->lock);
    if (--s->helping == 0)
        (void)pthread_cond_signal(&s->done);
    (void)pthread_mutex_unlock(&s->lock);
}

static void add_helping(struct shared *s, int by)
{
    (void)pthread_mutex_lock(&s->lock);
    s->helping += by;
    (void)pthread_mutex_unlock(&s->lock);
}

/* Returns how many helpers were asked. */
static int ask_helpers(struct shared *s, struct helper helpers[], int64_t most)
{
    int n;

    for (n = 0; n < most; n++) {
        helpers[n] = (struct helper){ { run_helper, NULL }, s };
        add_helping(s, 1);
        if (!drxi_work_start(&helpers[n].work)) {
            add_helping(s, -1);
            break;
        }
    }
    return n;
}

/* Wait until the helpers that have begun have ended. */
static void wait_for_helpers(struct shared *s, struct helper helpers[], int asked)
{
    for (int i = 0; i < asked; i++)
        if (drxi_work_cancel(&helpers[i].work))
            add_helping(s, -1);
    (void)pthread_mutex_lock(&s->lock);
    while (s->helping > 0)
        (void)pthread_cond_wait(&s->done, &s->lock);
    (void)pthread_mutex_unlock(&s->lock);
}

drx_status drxi_work_share(int64_t n, drx_status (*part)(void *arg, int64_t i), void *arg)
{
    struct shared s = { .part = part, .arg = arg, .n = n, .failed = n };
    struct helper helpers[MAX_THREADS];
    int asked;

    atomic_init(&s.next, 0);
    (void)pthread_mutex_init(&s.lock, NULL);
    (void)pthread_cond_init(&s.done, NULL);
    asked = ask_helpers(&s, helpers, drxi_min(n, drxi_work_threads()) - 1);
    take_parts(&s);
    wait_for_helpers(&s, helpers, asked);
    if (s.st)
        drxi_report_set(s.detail ? s.detail : drx_strerror(s.st));
    drxi_free(s.detail);
    (void)pthread_cond_destroy(&s.done);
    (void)pthread_mutex_destroy(&s.lock);
    return s.st;
}
