#include "io/file_view.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    LEAST_ROOM_BYTES = 1 << 30, /* of address space, which costs nothing */
    GETS_A_LOOK = 64            /* checking the handler takes as long as a get */
};

struct guard {
    const uint8_t *begin, *end;
    sigjmp_buf back;
};

static DRXI_NEAR_THREAD struct guard *volatile guard; /* of this thread while it reads a view */
static _Thread_local volatile bool passing;
static pthread_mutex_t setting = PTHREAD_MUTEX_INITIALIZER;
static struct sigaction before; /* the previous handler */

/* Call the previous handler, which may pass the signal back to this one. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    const bool back = passing;

    passing = true;
    if (!back && before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, context);
    else if (!back && before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
        before.sa_handler(number);
    else
        (void)signal(SIGBUS, SIG_DFL); /* the access is repeated, and ends the process */
    passing = back;
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    const uint8_t *at = info->si_addr;

    if (guard && at >= guard->begin && at < guard->end)
        siglongjmp(guard->back, 1);
    pass_on(number, info, context);
}

/* The program may have set another handler meanwhile. */
static void set_handler(void)
{
    struct sigaction action, now;

    if (sigaction(SIGBUS, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_bus_error)
        return;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK; /* a jump leaves it */
    (void)sigemptyset(&action.sa_mask);
    (void)pthread_mutex_lock(&setting);
    (void)sigaction(SIGBUS, NULL, &now);
    if (!(now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_bus_error)) {
        before = now;
        (void)sigaction(SIGBUS, &action, NULL);
    }
    (void)pthread_mutex_unlock(&setting);
}

static bool use_guarded(const struct drxi_view *view, void (*work)(void *arg), void *arg)
{
    struct guard here;
    bool whole = false;

    here.begin = view->base;
    here.end = view->base + view->room;
    if (sigsetjmp(here.back, 0) == 0) {
        guard = &here;
        work(arg);
        whole = true;
    }
    guard = NULL;
    return whole;
}

bool drxi_view_use(const struct drxi_view *view, void (*work)(void *arg), void *arg)
{
    set_handler();
    return use_guarded(view, work, arg);
}

struct piece {
    void *buf;
    const uint8_t *from;
    size_t n;
};

static void copy_piece(void *arg)
{
    const struct piece *p = arg;

    switch (p->n) { /* single elements, mostly */
    case 4:
        memcpy(p->buf, p->from, 4);
        break;
    case 8:
        memcpy(p->buf, p->from, 8);
        break;
    default:
        memcpy(p->buf, p->from, p->n);
        break;
    }
}

bool drxi_view_get(const struct drxi_view *view, int64_t offset, void *buf, size_t n)
{
    static DRXI_NEAR_THREAD unsigned gets;
    struct piece p = { buf, view->base + offset, n };

    if (gets++ % GETS_A_LOOK == 0)
        set_handler();
    return use_guarded(view, copy_piece, &p);
}

bool drxi_view_open(int fd, int64_t bytes, struct drxi_view *view)
{
    const int64_t rooms[] = { drxi_max(LEAST_ROOM_BYTES, drxi_mul_saturated(bytes, 2)), bytes };
    void *base = MAP_FAILED;

    memset(view, 0, sizeof *view);
    for (int i = 0; i < 2 && base == MAP_FAILED && bytes > 0; i++) {
        base = mmap(NULL, (size_t)rooms[i], PROT_READ, MAP_SHARED, fd, 0);
        view->room = rooms[i];
    }
    if (base == MAP_FAILED)
        return false;
    view->base = base;
    view->bytes = bytes;
    return true;
}

void drxi_view_close(struct drxi_view *view)
{
    if (view->base)
        (void)munmap((void *)(uintptr_t)view->base, (size_t)view->room);
    memset(view, 0, sizeof *view);
}

bool drxi_view_resident(const struct drxi_view *view, int64_t offset)
{
    const int64_t page = sysconf(_SC_PAGESIZE);
    unsigned char there = 0;

    return mincore((void *)(uintptr_t)(view->base + offset / page * page), (size_t)page, &there) == 0 && (there & 1);
}

void drxi_view_let_go(const struct drxi_view *view)
{
    (void)madvise((void *)(uintptr_t)view->base, (size_t)view->room, MADV_DONTNEED);
}
