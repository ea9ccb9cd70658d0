#include "io/file_view.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/hooks.h"
#include "base/work.h"

/* The compiler's own jump back saves less than the C library's, which ThreadSanitizer needs to see. Some clangs have
 * it for x86 alone. */
#if defined __SANITIZE_THREAD__ || (defined __clang__ && !defined __x86_64__)
#define SET_JUMP(to) sigsetjmp((to).back, 0)
#define JUMP(to) siglongjmp((to).back, 1)
#else
#define SET_JUMP(to) __builtin_setjmp((to).words)
#define JUMP(to) __builtin_longjmp((to).words, 1)
#endif

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14; older kernels refuse it */
#endif

enum {
    LEAST_ROOM_BYTES = 1 << 30, /* of address space, which costs nothing */
    LARGE_PAGE_BYTES = 1 << 21
};

struct guard {
    const uint8_t *begin[2]; /* of what is read */
    size_t bytes[2];
    bool quick;
    union {
        sigjmp_buf back;
        void *words[5]; /* of the compiler's own */
    } to;
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
        (void)signal(SIGBUS, SIG_DFL); /* the repeated access ends the process */
    passing = back;
}

static _Noreturn void jump_back(struct guard *g)
{
    if (g->quick)
        JUMP(g->to);
    siglongjmp(g->to.back, 1);
}

static void on_bus_error(int number, siginfo_t *info, void *context)
{
    const uint8_t *at = info->si_addr;

    for (int i = 0; guard && i < 2; i++)
        if (at >= guard->begin[i] && (size_t)(at - guard->begin[i]) < guard->bytes[i])
            jump_back(guard);
    pass_on(number, info, context);
}

/* Set the handler, also when the program has replaced it. */
static void set_handler(void)
{
    struct sigaction action, now;

    if (sigaction(SIGBUS, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_bus_error)
        return;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK; /* NODEFER, because a jump leaves the handler */
    (void)sigemptyset(&action.sa_mask);
    (void)pthread_mutex_lock(&setting);
    (void)sigaction(SIGBUS, NULL, &now);
    if (!(now.sa_flags & SA_SIGINFO && now.sa_sigaction == on_bus_error)) {
        before = now;
        (void)sigaction(SIGBUS, &action, NULL);
    }
    (void)pthread_mutex_unlock(&setting);
}

bool drxi_view_use(const struct drxi_view *view, void (*work)(void *arg), void *arg)
{
    struct guard here;
    bool whole = false;

    set_handler();
    here.begin[0] = here.begin[1] = view->base;
    here.bytes[0] = here.bytes[1] = (size_t)view->span;
    here.quick = false;
    if (sigsetjmp(here.to.back, 0) == 0) {
        guard = &here;
        work(arg);
        whole = true;
    }
    guard = NULL;
    return whole;
}

bool drxi_view_get_then(const uint8_t *at, void *buf, size_t n, const uint8_t *place, uint64_t word[2])
{
    struct guard here;

    here.begin[0] = at;
    here.bytes[0] = n;
    here.begin[1] = place; /* of NULL nothing is read */
    here.bytes[1] = 2 * sizeof *word;
    here.quick = true;
    if (SET_JUMP(here.to) != 0) {
        guard = NULL;
        return false;
    }
    guard = &here;
    atomic_signal_fence(memory_order_seq_cst); /* what is guarded stays between these */
    drxi_copy_item(buf, at, n);
    if (place) {
        atomic_thread_fence(memory_order_acquire);
        memcpy(&word[0], place, sizeof *word);
        memcpy(&word[1], place + sizeof *word, sizeof *word);
    }
    atomic_signal_fence(memory_order_seq_cst);
    guard = NULL;
    return true;
}

bool drxi_view_get(const struct drxi_view *view, int64_t offset, void *buf, size_t n)
{
    set_handler();
    return drxi_view_get_then(drxi_view_at(view, offset), buf, n, NULL, NULL);
}

/* ---- the open ones ---- */

static struct {
    pthread_mutex_t lock;
    struct drxi_view *newest;
} open_views = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct drxi_forked forked = { .lock = &open_views.lock };

static void enlist(struct drxi_view *view)
{
    drxi_watch_forks(&forked);
    (void)pthread_mutex_lock(&open_views.lock);
    view->older = open_views.newest;
    if (view->older)
        view->older->newer = view;
    open_views.newest = view;
    (void)pthread_mutex_unlock(&open_views.lock);
}

static void delist(struct drxi_view *view)
{
    (void)pthread_mutex_lock(&open_views.lock);
    if (view->newer)
        view->newer->older = view->older;
    else if (open_views.newest == view)
        open_views.newest = view->older;
    if (view->older)
        view->older->newer = view->newer;
    (void)pthread_mutex_unlock(&open_views.lock);
}

static void let_all_go(void)
{
    (void)pthread_mutex_lock(&open_views.lock);
    for (const struct drxi_view *view = open_views.newest; view; view = view->older)
        drxi_view_let_go(view);
    (void)pthread_mutex_unlock(&open_views.lock);
}

/* mincore answers only a file's owner and users who may write to it. To others it says that everything is in memory. */
static bool tells(int fd)
{
    char path[40];
    struct stat s;

    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return (fstat(fd, &s) == 0 && s.st_uid == geteuid()) || faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
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
    view->span = view->room;
    view->tells = tells(fd);
    drxi_prefer_huge_pages(base, (size_t)view->room);
    view->bytes = bytes;
    enlist(view);
    return true;
}

/* Take addresses as a whole first, to map files over them. They begin where a large page may. */
static uint8_t *take_addresses(int64_t bytes)
{
    const size_t all = (size_t)bytes + LARGE_PAGE_BYTES, page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t end = ((size_t)bytes + page - 1) / page * page;
    uint8_t *base = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    size_t skip;

    if (base == MAP_FAILED)
        return NULL;
    skip = (LARGE_PAGE_BYTES - (uintptr_t)base % LARGE_PAGE_BYTES) % LARGE_PAGE_BYTES;
    if (skip > 0)
        (void)munmap(base, skip);
    if (all > skip + end)
        (void)munmap(base + skip + end, all - skip - end);
    return base + skip;
}

static bool map_over(uint8_t *at, int64_t bytes, int fd, int64_t offset)
{
    return mmap(at, (size_t)bytes, PROT_READ, MAP_SHARED | MAP_FIXED, fd, offset) != MAP_FAILED;
}

/* Map each file as a whole, with room to become this many times as long. */
static bool map_files(struct drxi_view *view, int n, const int fd[], int64_t unit, int64_t times)
{
    const int64_t huge = LARGE_PAGE_BYTES, each = drxi_ceil_div(drxi_ceil_div(view->bytes, unit), n);
    int64_t bytes;
    uint8_t *base;

    if (!drxi_mul(each, unit, &bytes) || bytes > INT64_MAX / 4 / n)
        return false;
    bytes = times > 1 ? drxi_max(LEAST_ROOM_BYTES / n, times * bytes) : bytes;
    view->files = n;
    view->unit = unit;
    view->file_span = drxi_ceil_div(bytes, huge) * huge;
    view->span = n * view->file_span;
    view->room = drxi_mul_saturated(view->file_span / unit * n, unit);
    if (!(base = take_addresses(view->span)))
        return false;
    view->base = base;
    for (int k = 0; k < n; k++)
        if (!map_over(base + k * view->file_span, view->file_span, fd[k], 0))
            return false;
    return true;
}

bool drxi_view_open_units(int n, const int fd[], int64_t unit, int64_t bytes, struct drxi_view *view)
{
    bool all_tell = true;

    memset(view, 0, sizeof *view);
    for (int k = 0; k < n; k++)
        all_tell = all_tell && tells(fd[k]);
    for (int64_t times = 2; times >= 1 && bytes > 0; times--) { /* with room, and without */
        memset(view, 0, sizeof *view);
        view->bytes = bytes;
        view->tells = all_tell;
        if (map_files(view, n, fd, unit, times)) {
            drxi_prefer_huge_pages((void *)(uintptr_t)view->base, (size_t)view->span);
            enlist(view);
            return true;
        }
        drxi_view_close(view);
    }
    return false;
}

/* How many of the bytes lie in files that follow each other, in either direction, until the files begin again. */
static int64_t in_turn(int64_t file, int64_t step, int64_t files)
{
    return step == 1 ? files - file : step == files - 1 ? file + 1 : 1;
}

struct drxi_view_row drxi_view_row(const struct drxi_view *view, int64_t offset, int64_t apart, int64_t count,
                                   bool *all)
{
    const int64_t files = drxi_max(view->files, 1), units = view->files ? apart / view->unit : 0;
    const int64_t step = drxi_floor_mod(units, files);
    struct drxi_view_row row = { .n = count, .groups = 1 };

    *all = step == 0 && (!view->files || apart % view->unit == 0);
    if (*all) {
        row.step = apart / files;
    } else if (apart % view->unit != 0) {
        row.n = 1;
    } else {
        row.n = drxi_min(in_turn(offset / view->unit % files, step, files), count);
        row.step = row.n > 1 ? drxi_view_at(view, offset + apart) - drxi_view_at(view, offset) : 0;
        row.groups = row.n == files ? count / files : 1;
        row.turn = apart;
    }
    return row;
}

void drxi_view_close(struct drxi_view *view)
{
    if (view->base) {
        delist(view);
        (void)munmap((void *)(uintptr_t)view->base, (size_t)view->span);
    }
    memset(view, 0, sizeof *view);
}

bool drxi_view_resident(const struct drxi_view *view, int64_t offset)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)drxi_view_at(view, offset);
    unsigned char there = 0;

    return mincore((void *)(at / page * page), (size_t)page, &there) == 0 && (there & 1);
}

bool drxi_file_resident(int fd, int64_t offset)
{
    uint8_t byte;
    const struct iovec to = { &byte, 1 };

    return preadv2(fd, &to, 1, offset, RWF_NOWAIT) >= 0 || errno != EAGAIN;
}

static atomic_bool refuses_touch;

bool drxi_view_touches(void)
{
    return !atomic_load_explicit(&refuses_touch, memory_order_relaxed);
}

static int touch(void *first, size_t bytes)
{
    if (drxi_hooks.no_touch) {
        errno = EINVAL;
        return -1;
    }
    return madvise(first, bytes, MADV_POPULATE_READ);
}

bool drxi_view_touch(const uint8_t *at, size_t bytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)at / page * page;

    if (!drxi_view_touches())
        return false;
    if (touch((void *)first, (uintptr_t)at + bytes - first) == 0)
        return true;
    if (errno == EINVAL || errno == ENOSYS)
        atomic_store_explicit(&refuses_touch, true, memory_order_relaxed);
    return false;
}

void drxi_view_let_go(const struct drxi_view *view)
{
    (void)madvise((void *)(uintptr_t)view->base, (size_t)view->span, MADV_DONTNEED);
}

int64_t drxi_view_most(void)
{
    return drxi_may_take(DRXI_FOR_MAPPED);
}

/* Get how much of files the process has mapped and in memory; 0 where the system does not tell. */
static int64_t mapped_bytes(void)
{
    const int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const int64_t page = sysconf(_SC_PAGESIZE);
    char text[128] = "";
    long long pages = 0;

    if (fd < 0)
        return 0;
    if (read(fd, text, sizeof text - 1) > 0 && sscanf(text, "%*d %*d %lld", &pages) != 1)
        pages = 0;
    (void)close(fd);
    return pages * page;
}

void drxi_view_bound(int64_t most)
{
    static atomic_int_fast64_t others; /* what stayed after the last release, as libraries do */
    int64_t now, kept;

    if (most == INT64_MAX)
        return;
    now = mapped_bytes();
    kept = atomic_load_explicit(&others, memory_order_relaxed);
    if (now > 0 && now - drxi_min(kept, now) <= most)
        return;
    let_all_go();
    atomic_store_explicit(&others, mapped_bytes(), memory_order_relaxed);
}
