/* Stripes on disks that only one node sees, while calls fail: on files, of sockets, and allocations (mp_far.h). */
#include "drx_tools.h"
#include "mp_far.h"
#include "socket_faults.h"

/* Each call on files, and each allocation, fails once on one rank: all ranks fail alike, or none does. */
static void fail_each(enum mp_fault fault, int culprit)
{
    const int32_t fill = -7;
    bool struck = true;

    for (long n = mp_next(0); struck; n = mp_next(n)) {
        const int64_t lo[2] = { 0, 0 }, count[2] = { 7, 5 };
        struct far_twins t = far_make("f", 0, &fill);
        int32_t buf[FAR_MOST * FAR_MOST] = { 0 };
        drx_status st;

        mp_arm(fault, culprit, n);
        st = drxmp_extend(t.m, 1, 4);
        st = st ? st : drxmp_write_all(t.m, lo, count, DRX_ROW_MAJOR, buf);
        st = st ? st : drxmp_read_all(t.m, lo, count, DRX_ROW_MAJOR, buf);
        st = st ? st : drxmp_sync(t.m);
        struck = mp_disarm(fault, culprit);
        mp_assert_alike(st, n);
        (void)drxmp_close(t.m);
        assert_ok(drx_close(t.truth));
    }
}

TEST(faults)
{
    if (!far_begin())
        return;
    fail_each(MP_ALLOCATION, 0);
    fail_each(MP_ALLOCATION, mp_ranks - 1);
    fail_each(MP_CALL, 0);
    fail_each(MP_CALL, FAR_NODE_RANKS);
    far_end();
}

/* ---- connections that fail ---- */

enum { PATIENCE_SECONDS = 30 };

/* Open the array, grow it, write and read it together and alone, close it: the status of the first call that fails. */
static drx_status work_on(const char *path)
{
    const int64_t lo[2] = { 0, 0 }, count[2] = { 7, 5 };
    int32_t buf[FAR_MOST * FAR_MOST] = { 0 };
    drxmp_array *m;
    drx_status st = drxmp_open(mp_comm, path, DRX_RDWR, &m), closed;

    if (st)
        return st;
    st = drxmp_extend(m, 1, 4);
    st = st ? st : drxmp_write_all(m, lo, count, DRX_ROW_MAJOR, buf);
    st = st ? st : drxmp_read_all(m, lo, count, DRX_ROW_MAJOR, buf);
    for (int rank = 0; !st && rank < mp_ranks; rank++) { /* as others wait */
        st = rank == mp_rank ? drxmp_read(m, lo, count, DRX_ROW_MAJOR, buf) : DRX_OK;
        (void)MPI_Bcast(&st, 1, MPI_INT, rank, mp_comm);
    }
    st = st ? st : drxmp_sync(m);
    closed = drxmp_close(m);
    return st ? st : closed;
}

/* Some calls of sockets of a rank fail in turn, others in each run: all ranks get one status, soon, and the array is
 * whole. */
static void fail_sockets(enum mp_fault fault, int culprit)
{
    bool struck = true;

    for (long n = 1; struck; n += mp_next(mp_below(8))) {
        struct far_twins t = far_make("f", 0, NULL);
        const int64_t lo[2] = { 0, 0 }, count[2] = { 7, 5 };
        const double start = MPI_Wtime();
        int32_t buf[7 * 5];
        drx_status st;

        assert_ok(drxmp_close(t.m));
        assert_ok(drx_close(t.truth));
        mp_arm(fault, culprit, n);
        st = work_on("f");
        struck = mp_disarm(fault, culprit);
        mp_assert_alike(st, n);
        assert_true(struck || st == DRX_OK);
        assert_true(MPI_Wtime() - start < PATIENCE_SECONDS);
        t.m = mp_open("f", DRX_RDWR);
        assert_ok(drxmp_read_all(t.m, lo, count, DRX_ROW_MAJOR, buf));
        assert_ok(drxmp_close(t.m));
    }
}

TEST(sockets_fail)
{
    if (!far_begin())
        return;
    fail_sockets(MP_SOCKET, 0);
    fail_sockets(MP_SOCKET, FAR_NODE_RANKS);
    fail_sockets(MP_SOCKET, mp_ranks - 1);
    far_end();
}

TEST(connections_end)
{
    if (!far_begin())
        return;
    fail_sockets(MP_SOCKET_ENDS, 0);
    fail_sockets(MP_SOCKET_ENDS, FAR_NODE_RANKS);
    fail_sockets(MP_SOCKET_ENDS, mp_ranks - 1);
    far_end();
}

TEST(short_and_interrupted)
{
    if (!far_begin())
        return;
    socket_disturb(true);
    far_play("a", DRX_CHECKSUM, NULL);
    socket_disturb(false);
    far_end();
}
