/* For n = 1, 2, ... one process's n-th allocation, or file call, fails. All processes get the same status from each
 * collective call, none hangs, and the array opens afterwards. The buffers of libdrxga fail, too. */
#include <errno.h>
#include <stdlib.h>

#include "base/base.h"
#include "file_faults.h"
#include "ga_driver.h"
#include "io/io.h"

enum fault { ALLOCATION, FILE_CALL, ALL_FILE_CALLS, BUFFER, FAULTS };

extern int64_t drxgai_piece_bytes;

/* The next allocation of just this many bytes fails; 0: none does. */
static _Thread_local size_t failing_bytes;

void *__real_malloc(size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_malloc(size_t n)
{
    if (n != failing_bytes || n == 0)
        return __real_malloc(n);
    failing_bytes = 0;
    return NULL;
}

static void arm(enum fault fault, int culprit, long n)
{
    if (team.rank != culprit)
        return;
    if (fault == ALLOCATION)
        drxi_fail_allocation = n;
    else if (fault != BUFFER)
        drxi_fault_arm(n, fault == ALL_FILE_CALLS ? ENOSPC : EIO, fault == ALL_FILE_CALLS);
}

/* Whether it came, on all processes. */
static bool disarm(enum fault fault, int culprit)
{
    int fired = fault == ALLOCATION ? drxi_fail_allocation == 0 : drxi_fault_fired();

    drxi_fail_allocation = 0;
    drxi_fault_arm(0, 0, false);
    MPI_Bcast(&fired, 1, MPI_INT, culprit, team.comm);
    return fired;
}

static struct {
    struct model p, empty;
    int g_a, g_b;
    drx_codec codec;
} it;

/* Write and read back; the status of the first call that fails. */
static drx_status play(void)
{
    static const int turned[] = { 1, 0 };
    const drx_spec spec = { .flags = DRX_REPLACE, .codec = it.codec, .chunk = (int64_t[]){ 5, 4 } };
    drxmp_array *a = NULL;
    drx_status st, closed;

    st = alike(drxga_create(team.comm, "broken", it.g_a, &spec, &a));
    if (!st)
        st = alike(drxga_write_all(it.g_a, NULL, NULL, a, NULL, NULL));
    if (!st)
        st = alike(drxmp_sync(a));
    if (!st)
        st = alike(drxga_read_all(it.g_b, NULL, NULL, a, NULL, NULL));
    if (!st)
        check_global(it.g_b, &it.p, "read back");
    if (!st)
        st = alike(drxga_write_all(it.g_a, NULL, NULL, a, NULL, turned));
    closed = alike(drxmp_close(a));
    return st ? st : closed;
}

/* The same by one process alone. */
static drx_status play_alone(int culprit)
{
    drx_status st = DRX_OK;
    drx_array *a = NULL;

    if (team.rank != culprit)
        return DRX_OK;
    st = drx_open("broken", DRX_RDWR, &a);
    if (!st)
        st = drxga_write(it.g_a, NULL, NULL, a, NULL, NULL);
    if (!st)
        st = drxga_read(it.g_b, NULL, NULL, a, NULL, NULL);
    return drx_close(a) && !st ? DRX_EIO : st;
}

static void fail_in_turn(enum fault fault, int culprit, bool alone)
{
    bool fired = true;
    long n = 0;

    while (fired) {
        drx_status st;

        n += 1 + below(2 * sample() - 1);
        put_global(it.g_b, &it.empty);
        arm(fault, culprit, n);
        st = alone ? play_alone(culprit) : play();
        fired = disarm(fault, culprit);
        MPI_Bcast(&st, 1, MPI_INT, culprit, team.comm);
        if (!fired && st)
            wrong("fault %d, n = %ld: %s though nothing failed", (int)fault, n, drx_last_error());
    }
    say("  fault %d of rank %d%s: to the %ld-th", (int)fault, culprit, alone ? " alone" : "", n);
    if (n < 8)
        wrong("so few calls");
    succeed(play()); /* all is well again */
}

/* The buffer of a process. */
static void fail_buffers(int culprit)
{
    const int64_t kept = drxgai_piece_bytes, shape[] = { 5 * 8, 4 * 8 };
    const struct model p = make_model(C_DBL, 2, shape);
    const drx_spec spec = { .flags = DRX_REPLACE, .chunk = (int64_t[]){ 5, 4 } };
    const int g_a = make_global(&p, CYCLIC);
    drxmp_array *a;

    drxgai_piece_bytes = 5 * 4 * 8; /* a chunk */
    succeed(alike(drxga_create(team.comm, "buffers", g_a, &spec, &a)));
    for (int i = 0; i < 4; i++) {
        failing_bytes = team.rank == culprit ? 5 * 4 * 8 : 0;
        if (i < 2)
            refuse(alike(i ? drxga_write_all(g_a, NULL, NULL, a, NULL, NULL)
                           : drxga_read_all(g_a, NULL, NULL, a, NULL, NULL)),
                   DRX_ENOMEM, "no memory for a buffer of 160 bytes");
        else if (team.rank == culprit)
            refuse(i == 2 ? drxga_write(g_a, NULL, NULL, drxmp_serial(a), NULL, NULL)
                          : drxga_read(g_a, NULL, NULL, drxmp_serial(a), NULL, NULL),
                   DRX_ENOMEM, "no memory for a buffer of 160 bytes");
        if (failing_bytes)
            wrong("nothing failed");
    }
    succeed(alike(drxga_write_all(g_a, NULL, NULL, a, NULL, NULL)));
    succeed(alike(drxmp_close(a)));
    release_all();
    drxgai_piece_bytes = kept;
}

static void play_with(enum way way, drx_codec codec)
{
    const int64_t shape[] = { 24, 24 };

    it.p = make_model(C_INT, 2, shape);
    it.empty = make_model(C_INT, 2, shape);
    it.codec = codec;
    fill_model(&it.p, 1);
    it.g_a = make_global(&it.p, way);
    it.g_b = make_global(&it.p, way);
    put_global(it.g_a, &it.p);
    say("  %s, codec %d", way_names[way], (int)codec);
    for (int c = 0; c < (team.ranks > 1 ? 2 : 1); c++)
        for (enum fault fault = ALLOCATION; fault < BUFFER; fault++) {
            fail_in_turn(fault, c ? team.ranks - 1 : 0, false);
            fail_in_turn(fault, c ? team.ranks - 1 : 0, true);
        }
    release_all();
}

void broken(void)
{
    play_with(REGULAR, DRX_RAW);
    play_with(CYCLIC, DRX_LZ4);
    for (int c = 0; c < (team.ranks > 1 ? 2 : 1); c++)
        fail_buffers(c ? team.ranks - 1 : 0);
}
