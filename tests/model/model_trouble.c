/* What may happen to any change: a call inside it fails, another process makes it, or that process is killed in it. The
 * history goes on as without that, with the same random numbers. */
#include <signal.h>
#include <sys/wait.h>

#include "file_faults.h"
#include "io/io.h"
#include "model.h"
#include "processes.h"

/* After a failure: all is as it was. Then the same again, for which a handle that the failure has broken opens
 * again. */
static drx_status try_again(struct model *m, drx_status failed, change *again, const void *with)
{
    drx_status st;

    CHECK(m, failed == DRX_EIO || failed == DRX_ENOSPC || failed == DRX_ENOMEM, "the fault gave %d (%s; %s)",
          (int)failed, drx_strerror(failed), drx_last_error());
    m->residue = m->cut_short = true; /* what it has written, of which nobody knows */
    check_inquiry(m);
    st = again(m, with);
    if (st == DRX_OK || m->storage != ON_DISK)
        return st;
    (void)m->hands->close(m);
    m->puts_pending = m->pool_off = false;
    open_array(m, m->shared ? DRX_SHARED : DRX_RDWR);
    check_inquiry(m);
    return again(m, with);
}

static drx_status with_fault(struct model *m, change *call, change *again, const void *with)
{
    const enum fault fault = !m->faulty || rng_chance(&m->rng, 30) ? OF_MEMORY
                             : rng_chance(&m->rng, 50)             ? OF_DISK
                                                                   : OF_ROOM;
    const int64_t nth = rng_between(&m->rng, 1, rng_chance(&m->rng, 50) ? 4 : 20);
    const struct rng before = m->rng;
    drx_status st;

    m->in_trouble = true;
    m->hands->arm(m, fault, nth);
    st = call(m, with);
    if (m->hands->disarm(m, fault) && st)
        st = try_again(m, st, again, with);
    m->in_trouble = false;
    m->rng = before;
    return st;
}

/* In the child: 0: done. */
static int child(struct model *m, int64_t nth, change *call, const void *with)
{
    drx_status st;

    m->elsewhere = true;
    drxi_fault_arm(0, 0, false); /* wraps what is opened from now on */
    st = drx_open(m->path, DRX_SHARED, &m->a);
    if (nth > 0)
        drxi_fault_arm(nth, 0, false);
    st = st ? st : call(m, with);
    drxi_fault_arm(0, 0, false);
    st = st ? st : drx_close(m->a);
    if (st)
        print_error("in another process: %d (%s; %s)\n", (int)st, drx_strerror(st), drx_last_error());
    return st ? 1 : 0;
}

/* Whether the files have another number of axes, or bounds, than the model. */
static bool was_done(struct model *m)
{
    const drx_status st = drx_refresh(m->a);

    if (st == DRX_EMISMATCH)
        return true;
    EXPECT_OK(m, st);
    return memcmp(drx_shape(m->a), m->now.shape, (size_t)m->ndim * sizeof *m->now.shape) != 0 ||
           memcmp(drx_lower(m->a), m->now.lower, (size_t)m->ndim * sizeof *m->now.lower) != 0;
}

/* The handle learns of the change when it looks again, or by its next change; of an axis it cannot. */
static void follow(struct model *m, bool looks)
{
    const drx_status st = looks ? drx_refresh(m->a) : drx_extend(m->a, 0, 0);

    EXPECT_EITHER(m, st, DRX_OK, DRX_EMISMATCH);
    if (st) {
        close_array(m);
        open_array(m, DRX_SHARED);
    }
}

static drx_status elsewhere(struct model *m, change *call, change *again, const void *with)
{
    const int64_t nth = rng_chance(&m->rng, 40) ? rng_between(&m->rng, 1, 12) : 0;
    const bool looks = rng_chance(&m->rng, 50);
    const struct rng before = m->rng;
    drx_status st;
    int status;
    pid_t pid;

    pid = fork_idle();
    CHECK(m, pid >= 0, "fork: %s", strerror(errno));
    if (pid == 0)
        _exit(child(m, nth, call, with));
    CHECK(m, waitpid(pid, &status, 0) == pid, "waitpid: %s", strerror(errno));
    CHECK(m, WIFSIGNALED(status) ? nth > 0 && WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0,
          "another process ended with status %x", (unsigned)status);
    if (WIFSIGNALED(status)) {
        m->residue = m->cut_short = true;
        disturb_readers(m);
    }
    st = WIFSIGNALED(status) && !was_done(m) ? again(m, with) : DRX_OK;
    if (!st)
        follow(m, looks);
    m->rng = before;
    return st;
}

drx_status attempt_or(struct model *m, change *call, change *again, const void *with)
{
    const int64_t dice = rng_between(&m->rng, 0, 99);

    if (m->in_motion || m->in_trouble)
        return call(m, with);
    if (dice < 15 && m->shared && m->hands == &alone && !m->puts_pending && m->others)
        return elsewhere(m, call, again, with);
    /* A failure on one rank may end the changes of an array in memory, and one in a transaction the transaction. */
    if ((m->hands != &alone && m->storage == IN_MEMORY) || m->hands == &lent)
        return call(m, with);
    if (dice >= (m->faulty ? 75 : 97))
        return with_fault(m, call, again, with);
    return call(m, with);
}

drx_status attempt(struct model *m, change *call, const void *with)
{
    return attempt_or(m, call, call, with);
}
