/* Calls that write to files are slow here, or fail: what depends on luck shows. And requests that fail while elements
 * move. */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <unistd.h>

#include "dra_testing.h"

#include "drx_tools.h"

static atomic_bool writes_are_slow, writes_fail;
static atomic_int slow_us,
    fast_ones; /* each slow write takes so long, and there are this many others before the next */
static atomic_int writes;

/* What libdrx calls. */
ssize_t pwrite(int fd, const void *bytes, size_t n, off_t offset)
{
    static ssize_t (*real)(int fd, const void *bytes, size_t n, off_t offset);

    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "pwrite");
    if (writes_fail) {
        errno = ENOSPC;
        return -1;
    }
    if (writes_are_slow && atomic_fetch_add(&writes, 1) % (1 + fast_ones) == 0)
        (void)usleep((useconds_t)slow_us);
    return real(fd, bytes, n, offset);
}

/* What the drop-in calls. */
drx_status drx_copy_into(drx_array *src, drx_array *dst, const drx_copy_spec *spec)
{
    drx_status (*real)(drx_array *, drx_array *, const drx_copy_spec *);

    *(void **)&real = dlsym(RTLD_NEXT, "drx_copy_into");
    if (writes_are_slow)
        (void)usleep((useconds_t)(10 * slow_us));
    return real(src, dst, spec);
}

void be_slow(int us, int others)
{
    slow_us = us;
    fast_ones = others;
    writes_are_slow = us > 0;
}

/* The request is known to have failed, alike on all ranks, whenever somebody asks. */
static void ask_again(int request, int code)
{
    int state;

    for (int i = 0; i < 2; i++) {
        expect(DRA_Wait(request), code);
        expect(DRA_Probe(request, &state), code);
    }
}

/* Each rank has rows, which are chunks, and writes them. */
void failing(void)
{
    enum { ROWS = 60, COLUMNS = 70 };
    const int64_t dims[] = { ROWS, COLUMNS }, hint[] = { 1, COLUMNS };
    struct model before = make_model(C_DBL, 2, dims), after = make_model(C_DBL, 2, dims);
    const struct section whole = whole_section(&before);
    int size[] = { ROWS, COLUMNS }, least[] = { 1, COLUMNS };
    int d_a, g_a, request = DRA_REQ_INVALID, code = 0;

    succeed(DRA_Init(-1, -1, -1, -1));
    fill_model(&before, 1);
    fill_model(&after, 2);
    g_a = NGA_Create(C_DBL, 2, size, "rows", least);
    succeed(create_disk(&before, "failing", DRA_RW, hint, &d_a));
    for (int culprit = 0; culprit < team.ranks; culprit++) {
        put_global(g_a, &before);
        writes_fail = team.rank == culprit;
        request = begin_move(true, false, g_a, &whole, d_a, &whole);
        code = DRA_Wait(request);
        fail(code);
        writes_fail = false;
        ask_again(request, code);
        put_global(g_a, &after);
        succeed(DRA_Wait(begin_move(true, false, g_a, &whole, d_a, &whole)));
        check_disk(d_a, &after, 0, "written after a failure");
        ask_again(request, code);
    }
    succeed(DRA_Close(d_a));
    ask_again(request, code);
    GA_Destroy(g_a);
    succeed(DRA_Terminate());
}
