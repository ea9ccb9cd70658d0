/* A thread inside the gate never sees an unfinished change, and no thread waits forever. */
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/gate.h"
#include "testing.h"

enum {
    THREADS = 4,
    SHUTS = 20000,
    VISITS_A_THREAD = 50,
    WAITING_STORES = 16,
    FAR_BYTES = 4096 + 64,
    SPINS = 5000,
    TRIES = 10
};

static struct drxi_gate gate, other;
static int64_t left, right; /* equal, but for who is alone inside */
static atomic_long visits;
static atomic_bool stop, wrong;
static atomic_char far[64 << 20];

/* Stores that wait for memory, so that the thread's announcement waits behind them. */
static void delay_stores(void)
{
    static _Thread_local size_t at;

    for (int i = 0; i < WAITING_STORES; i++) {
        at = (at + FAR_BYTES) % sizeof far;
        atomic_store_explicit(&far[at], 1, memory_order_relaxed);
    }
}

static void visit(void)
{
    int64_t seen;

    delay_stores();
    drxi_gate_enter(&gate);
    seen = *(volatile int64_t *)&left;
    if (seen != *(volatile int64_t *)&right)
        atomic_store(&wrong, true);
    drxi_gate_leave(&gate);
    atomic_fetch_add(&visits, 1);
}

static void change(void)
{
    drxi_gate_shut(&gate);
    left++;
    right++;
    drxi_gate_open(&gate);
}

/* Several visitors let the others run after each visit, or each would sit inside until its time slice comes again. */
static void *keep_visiting(void *others)
{
    while (!atomic_load(&stop)) {
        visit();
        if (others)
            (void)sched_yield();
    }
    return NULL;
}

static void *visit_a_while(void *unused)
{
    for (int i = 0; i < VISITS_A_THREAD; i++)
        visit();
    return unused;
}

static void set_up(void)
{
    drxi_gate_init(&gate);
    drxi_gate_init(&other);
    left = right = 0;
    atomic_store(&stop, false);
    atomic_store(&wrong, false);
    atomic_store(&visits, 0);
}

static void tear_down(void)
{
    drxi_gate_destroy(&gate);
    drxi_gate_destroy(&other);
}

static void shut_often(int visitors, int shuts)
{
    pthread_t thread[THREADS];
    int met = 0;

    set_up();
    for (int i = 0; i < visitors; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, keep_visiting, visitors > 1 ? thread : NULL), 0);
    /* Let them enter as they do when nobody waits. On a busy machine some may not run now. */
    for (int i = 0; met < shuts && i < TRIES * shuts; i++) {
        const long before = atomic_load(&visits);

        for (int spins = 0; spins < SPINS && atomic_load(&visits) < before + i % 8; spins++)
            ;
        met += atomic_load(&visits) >= before + i % 8;
        change();
    }
    atomic_store(&stop, true);
    for (int i = 0; i < visitors; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_false(atomic_load(&wrong));
    assert_int_equal(left, right);
    tear_down();
}

/* A missing fence shows here, on two processors. */
TEST(one_inside_or_the_other)
{
    shut_often(1, SHUTS);
}

TEST(many_inside_or_one)
{
    shut_often(THREADS, SHUTS / 20);
}

/* Threads come and end meanwhile. */
TEST(threads_come_and_go)
{
    set_up();
    for (int i = 0; i < SHUTS / 100; i++) {
        pthread_t thread;

        assert_int_equal(pthread_create(&thread, NULL, visit_a_while, NULL), 0);
        change();
        visit();
        assert_int_equal(pthread_join(thread, NULL), 0);
    }
    assert_false(atomic_load(&wrong));
    assert_int_equal(atomic_load(&visits), SHUTS / 100 * (VISITS_A_THREAD + 1));
    tear_down();
}

struct shutter {
    struct drxi_gate *gate;
    atomic_bool done;
};

static void *shut_and_open(void *arg)
{
    struct shutter *s = arg;

    drxi_gate_shut(s->gate);
    atomic_store(&s->done, true);
    drxi_gate_open(s->gate);
    return NULL;
}

/* A thread inside keeps the gate from being shut, in whatever order it entered and however often. */
static void assert_waits(struct drxi_gate *shut, int leaves, struct drxi_gate *const leave[])
{
    struct shutter s = { .gate = shut };
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, shut_and_open, &s), 0);
    for (int i = 0; i < leaves; i++) {
        usleep(20000);
        assert_false(atomic_load(&s.done));
        drxi_gate_leave(leave[i]);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(atomic_load(&s.done));
}

TEST(two_gates_at_once)
{
    set_up();
    drxi_gate_enter(&gate);
    drxi_gate_enter(&other);
    assert_waits(&other, 1, (struct drxi_gate *[]){ &other });
    assert_waits(&gate, 1, (struct drxi_gate *[]){ &gate });
    drxi_gate_enter(&gate);
    drxi_gate_enter(&other);
    assert_waits(&gate, 1, (struct drxi_gate *[]){ &gate });
    assert_waits(&other, 1, (struct drxi_gate *[]){ &other });
    tear_down();
}

/* Who waits for a gate to be left keeps nobody from another. */
TEST(another_gate_meanwhile)
{
    struct shutter s = { .gate = &gate }, beside = { .gate = &other };
    pthread_t thread, second;

    set_up();
    drxi_gate_enter(&gate);
    assert_int_equal(pthread_create(&thread, NULL, shut_and_open, &s), 0);
    usleep(20000);
    assert_int_equal(pthread_create(&second, NULL, shut_and_open, &beside), 0);
    assert_int_equal(pthread_join(second, NULL), 0);
    assert_false(atomic_load(&s.done));
    drxi_gate_leave(&gate);
    assert_int_equal(pthread_join(thread, NULL), 0);
    tear_down();
}

/* While one claims the gate, others enter it, and nobody else shuts it. A pinned visit keeps it from being shut, and
 * from nothing less. */
TEST(claims_and_pins)
{
    struct shutter s = { .gate = &gate };
    pthread_t thread;

    set_up();
    drxi_gate_claim(&gate);
    drxi_gate_enter(&gate);
    drxi_gate_pin(&gate);
    drxi_gate_leave(&gate);
    assert_int_equal(pthread_create(&thread, NULL, shut_and_open, &s), 0);
    assert_true(drxi_gate_close(&gate));
    assert_false(drxi_gate_close(&gate));
    drxi_gate_reopen(&gate);
    drxi_gate_enter(&gate);
    usleep(20000);
    assert_false(atomic_load(&s.done));
    drxi_gate_leave(&gate);
    assert_true(drxi_gate_close(&gate));
    drxi_gate_open(&gate);
    usleep(20000);
    assert_false(atomic_load(&s.done));
    drxi_gate_unpin(&gate);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(atomic_load(&s.done));
    tear_down();
}

TEST(one_gate_twice)
{
    set_up();
    drxi_gate_enter(&gate);
    drxi_gate_enter(&gate);
    assert_waits(&gate, 2, (struct drxi_gate *[]){ &gate, &gate });
    tear_down();
}

/* The child of a fork has only its own thread, wherever the others were. */
TEST(a_fork)
{
    pthread_t thread[THREADS];
    int status;
    pid_t child;

    set_up();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, keep_visiting, thread), 0);
    while (atomic_load(&visits) < VISITS_A_THREAD)
        visit();
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(30);
        drxi_gate_init(&gate); /* a lock of pthread's may be held by a thread that is not there */
        change();
        visit();
        _exit(left != right);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    tear_down();
}
