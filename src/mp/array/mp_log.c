/* Keeping the logs of all ranks equal; sync, compaction and refresh. */
#include "mp/far/far_home.h"
#include "mp/move/move.h"

static const int64_t most_bytes = 1 << 30; /* of one message: counts are int */

drx_status drxi_check_idle(const drxmp_array *m)
{
    return m->pending ? drxi_fail(DRX_EBUSY, "%s: %d requests are pending; wait for them first",
                                  drxi_parts_of(m->a)->label, m->pending)
                      : DRX_OK;
}

drx_status drxi_share_bytes(MPI_Comm comm, uint8_t **bytes, int64_t n)
{
    drx_status st;

    if (!*bytes)
        *bytes = drxi_malloc((size_t)n);
    st = drxi_agree(comm, *bytes ? DRX_OK : DRX_ENOMEM, NULL);
    for (int64_t at = 0; !st && at < n; at += most_bytes)
        st = drxi_mpi(MPI_Bcast(*bytes + at, (int)drxi_min(n - at, most_bytes), MPI_BYTE, DRXI_ROOT, comm),
                      "sending the log");
    return st;
}

drx_status drxi_share_log_end(drxmp_array *m, drx_status roots)
{
    struct drxi_log_end end = drxi_get_log_end(m->a);
    drx_status st;

    st = drxi_from_root(m->comm, roots, &end, sizeof end);
    if (!st)
        drxi_set_log_end(m->a, end);
    return st;
}

/* Bytes of the log to send: n of them from `from` on. */
struct range {
    int64_t from, n;
};

static drx_status send_range(drxmp_array *m, struct range range, uint8_t **bytes)
{
    drx_status st = drxi_share_bytes(m->comm, bytes, range.n);

    if (!st && m->rank != DRXI_ROOT)
        st = drxi_follow_log(m->a, range.from, *bytes, range.n);
    return drxi_agree(m->comm, st, NULL);
}

/* After a change that only the root has made, send its new records to the replicas, which make the change, too. The
 * log ended at `before`; -1 when the root replaced the whole log. */
static drx_status share_log(drxmp_array *m, drx_status roots, int64_t before)
{
    struct range range = { drxi_max(before, 0), 0 };
    int behind = m->behind || drxi_parts_of(m->a)->log->stale;
    uint8_t *bytes = NULL;
    drx_status st =
        drxi_mpi(MPI_Allreduce(MPI_IN_PLACE, &behind, 1, MPI_INT, MPI_MAX, m->comm), "telling who is behind");

    if (st)
        return st;
    range.from = behind ? 0 : range.from;
    if (m->rank == DRXI_ROOT && !roots)
        roots = drxi_read_log(m->a, range.from, &bytes, &range.n);
    st = drxi_from_root(m->comm, roots, &range, sizeof range);
    if (!st && range.from == 0) /* only the root saw before that its log was replaced */
        drxi_finish_moves(m);   /* the map in which they find their chunks goes with the old log */
    if (!st && range.n > 0)
        st = send_range(m, range, &bytes);
    drxi_free(bytes);
    m->behind = st != DRX_OK;
    return st;
}

/* Every rank makes the call, while nobody is inside. */
static drx_status by_all(drxmp_array *m, drx_status (*call)(drx_array *a, void *none))
{
    return drxi_agree(m->comm, drxi_shut_out(m->a, call, NULL), NULL);
}

static drx_status sync_mine(drx_array *a, void *none)
{
    (void)none;
    return drxi_sync_data(a);
}

drx_status drxi_settle_sums(drx_array *a, void *none)
{
    (void)none;
    return drxi_data_of(a)->file->stored->settle(drxi_data_of(a));
}

drx_status drxi_by_root(drxmp_array *m, drx_status (*call)(drx_array *a, const void *arg), const void *arg)
{
    drx_status st;

    if (m->rank != DRXI_ROOT)
        return DRX_OK;
    drxi_set_parallel(m->a, 0);
    st = call(m->a, arg);
    drxi_set_parallel(m->a, m->ranks);
    return st;
}

drx_status drxi_sync_everywhere(drxmp_array *m)
{
    const int64_t epoch = drxi_parts_of(m->a)->log->epoch;
    const drx_status st = by_all(m, sync_mine);

    m->settled = false;
    if (st) /* what another rank has written is not durable */
        drxi_parts_of(m->a)->log->epoch = epoch;
    return st;
}

drx_status drxi_settle_payloads(drxmp_array *m)
{
    drxi_pool *pool = drxi_data_of(m->a)->file->pool;
    drx_status st;

    if (m->rank == DRXI_ROOT || !drxi_parts_of(m->a)->writable)
        return DRX_OK;
    st = pool ? drxi_pool_flush(pool) : DRX_OK;
    m->settled = m->settled || drxi_parts_of(m->a)->log->undurable;
    return st ? st : drxi_sync_data(m->a);
}

drx_status drxi_share_written(drxmp_array *m)
{
    struct drxi_log *log = drxi_parts_of(m->a)->log;
    struct drxi_pack *p = drxi_data_of(m->a)->file->pack;
    int64_t written[3]; /* ranks that have written; those that made it durable; chunks opened since the last time */
    drx_status st;

    if (!p)
        return DRX_OK;
    written[0] = log->unpromised;
    written[1] = m->settled;
    written[2] = atomic_load(&p->open) - p->agreed;
    m->settled = false;
    st = drxi_mpi(MPI_Allreduce(MPI_IN_PLACE, written, 3, MPI_INT64_T, MPI_SUM, m->comm), "telling what was written");
    if (st)
        return st;
    log->unpromised = written[0] != 0;
    if (m->rank == DRXI_ROOT && written[1] != 0) /* it has, too, and counts it in its epoch */
        log->undurable = true;
    p->agreed += written[2];
    atomic_store(&p->open, p->agreed);
    return DRX_OK;
}

struct drxi_epochs drxi_epochs_of(const drxmp_array *m)
{
    const struct drxi_log *log = drxi_parts_of(m->a)->log;

    return (struct drxi_epochs){ log->epoch, log->state.epoch };
}

drx_status drxi_take_epochs(drx_array *a, void *roots)
{
    const struct drxi_epochs *epochs = roots;
    struct drxi_log *log = drxi_parts_of(a)->log;

    log->epoch = epochs->now;
    log->state.epoch = epochs->synced;
    log->state.ever_synced = log->state.ever_synced || epochs->synced > 0;
    return DRX_OK;
}

drx_status drxi_share_epochs(drxmp_array *m, bool shut)
{
    struct drxi_epochs epochs = drxi_epochs_of(m);
    drx_status st;

    if (!drxi_data_of(m->a)->file->stored->epochs)
        return DRX_OK;
    st = drxi_from_root(m->comm, DRX_OK, &epochs, sizeof epochs);
    if (st)
        return st;
    return shut ? drxi_take_epochs(m->a, &epochs) : drxi_shut_out(m->a, drxi_take_epochs, &epochs);
}

struct plain {
    drx_status (*call)(drx_array *a);
};

static drx_status make_call(drx_array *a, const void *plain)
{
    return ((const struct plain *)plain)->call(a);
}

/* Let the root make the call, which may replace the log, and send the change to all. */
static drx_status change_by_root(drxmp_array *m, drx_status (*call)(drx_array *a))
{
    const drxi_io *const meta = drxi_parts_of(m->a)->log->io;
    const int64_t before = drxi_state_of(m->a)->chain.end;
    drx_status st, shared;

    if (!meta) /* an array in memory has no log */
        return DRX_OK;
    drxi_home_enter(m->home);
    st = drxi_by_root(m, make_call, &(struct plain){ call });
    st = share_log(m, st, meta == drxi_parts_of(m->a)->log->io ? before : -1);
    shared = drxi_share_epochs(m, false); /* also of a SYNC after which something failed */
    drxi_home_enter(NULL);
    return st ? st : shared;
}

/* Make the data of all ranks durable before the root makes a call that promises it. */
static drx_status promise_together(drxmp_array *m, drx_status (*call)(drx_array *a))
{
    drx_status st = drxi_parts_of(m->a)->log->io ? drxi_sync_everywhere(m) : DRX_OK;

    if (!st)
        st = drxi_share_written(m);
    if (!st && drxi_data_of(m->a)->file->stored->verified)
        st = by_all(m, drxi_settle_sums); /* once the data of all ranks are durable */
    if (st)
        (void)drxi_share_epochs(m, false); /* the root's may have risen */
    return st ? st : change_by_root(m, call);
}

static drx_status agree_on(drxmp_array *m, const char *name, bool idle)
{
    struct drxi_call call;

    drxi_call_start(&call, name);
    return drxi_begin(m, m && idle ? drxi_check_idle(m) : DRX_OK, &call);
}

drx_status drxmp_sync(drxmp_array *m)
{
    drx_status st;

    if (m && m->owner)
        return m->owner->sync(m->owner);
    drxi_job_settle(m);
    st = agree_on(m, "drxmp_sync", false); /* also a barrier */
    drxi_job_settle(m);
    return st || !drxi_parts_of(m->a)->writable ? st : promise_together(m, drx_sync);
}

static drx_status close_arrays(drx_array *a, const struct drxi_closer *closer, const void *arg)
{
    (void)arg;
    return drxi_packed_close_all(drxi_data_of(a), closer);
}

/* Compress what is open before all data are made durable, as drx_compact does. */
static drx_status close_chunks(drx_array *a, void *of)
{
    drxmp_array *m = of;

    return drxi_parts_of(a)->writable && !drxi_parts_of(a)->temporary && !m->lent
               ? drxi_packed_close(m, close_arrays, NULL)
               : DRX_OK;
}

drx_status drxmp_compact(drxmp_array *m)
{
    drx_status st = agree_on(m, "drxmp_compact", false);

    if (!st)
        st = drxi_shut_out(m->a, close_chunks, m);
    return st ? st : promise_together(m, drx_compact);
}

drx_status drxmp_refresh(drxmp_array *m)
{
    drx_status st;

    if (m && m->owner)
        return m->owner->refresh(m->owner);
    st = agree_on(m, "drxmp_refresh", true);
    return st ? st : change_by_root(m, drx_refresh);
}
