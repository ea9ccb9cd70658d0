/* Changes of the log, by a writer that has the array alone and by writers that share it (DRX_SHARED).
 *
 * Invariants
 *   1. While a writer that shares the array has it open, no writer has it alone: DRXI_LOCK_TOGETHER.
 *   2. Only the holder of DRXI_LOCK_CHANGE changes the log, the length of the data and cells outside the bounds,
 *      between drxi_begin_log_change and drxi_end_log_change, after it has read what others appended. Elements inside
 *      the bounds are written without that lock, between drxi_begin_write and drxi_end_write.
 *   3. When a process is killed during a change, the next one that begins a change undoes what is left at the end of
 *      the log, as an open does. So cells outside the bounds, in chunks, hold the fill, or what was there at the open
 *      (`found`).
 *   4. When the path of a handle names another file, or its log is not a continuation of the one it knows, the
 *      handle is broken and changes nothing from then on.
 *
 * Readers take no lock: they see a record only after the data that it describes was written (invariant 2 of
 * array.h), and POSIX promises of write() that all later reads on this machine see what it wrote. */
#include "array/array.h"
#include "lone/lone.h"

static drx_status stamp(void *of, uint64_t *out)
{
    const drx_array *a = of;
    uint64_t meta = 0, data = 0;
    drx_status st = a->log.io->ops->stamp(a->log.io, &meta);

    if (!st && a->data.file->io)
        st = a->data.file->io->ops->stamp(a->data.file->io, &data);
    *out = meta + data;
    return st;
}

/* Take the lock of a change; wait while another process that has it makes progress. */
static drx_status lock_log(drx_array *a)
{
    return drxi_lock_change(a->log.io, stamp, a);
}

drx_status drxi_lock_to_write(void *array)
{
    drx_array *a = array;
    const drx_status st = a->log.io->ops->lock(a->log.io, a->log.shared ? DRXI_LOCK_TOGETHER : DRXI_LOCK_ALONE);

    return st || !a->log.shared ? st : lock_log(a);
}

drx_status drxi_lost_name(drx_array *a)
{
    drxi_io *there = NULL;
    const drx_status st = drxi_files->open(a->log.io->path, DRXI_READ, &there);

    drxi_close(there);
    a->log.broken = DRX_EMISMATCH;
    return drxi_fail(DRX_EMISMATCH, "%s: %s since it was opened: this handle only reads from now on", a->log.io->path,
                     st == DRX_ENOENT ? "removed" : "replaced by another file");
}

void drxi_doubt_trims(drx_array *a)
{
    for (int j = 0; a->log.state.trimmed && j < a->log.state.desc.ndim; j++) {
        drxi_doubt_outside(a, j, DRXI_LOW);
        drxi_doubt_outside(a, j, DRXI_HIGH);
    }
}

drx_status drxi_begin_beside(drx_array *a)
{
    enum drxi_tail tail = DRXI_WHOLE;
    bool named = false, more = false;
    drx_status st = lock_log(a);

    if (st)
        return st;
    st = a->log.io->ops->named(a->log.io, &named);
    if (!st && !named)
        return drxi_lost_name(a);
    if (!st)
        st = drxi_log_continues(&a->log, &more);
    if (!st && more) {
        drxi_data_resized(&a->data);
        st = drxi_log_read_on(&a->log, &tail);
        drxi_data_follow(&a->data);
        drxi_doubt_trims(a);
    }
    if (st == DRX_EDAMAGED)
        a->log.broken = st;
    /* a SYNC has to say that halves are durable; nobody knows whether others have written some since the last one */
    if (a->data.file->stored->epochs)
        a->log.unpromised = true;
    return st || !a->log.lone->tail ? st : drxi_recover(a);
}

void drxi_end_beside(drx_array *a)
{
    if (!a->log.broken)
        drxi_watch_forget(a);
    a->log.io->ops->unlock(a->log.io);
}

drx_status drxi_begin_alone(drx_array *a)
{
    drx_status st;

    if (!a->log.io)
        return DRX_OK;
    st = drxi_check_length(a->log.io, a->log.state.chain.end);
    if (st == DRX_EBUSY)
        a->log.broken = st;
    return st;
}

drx_status drxi_begin_log_change(drx_array *a)
{
    const drx_status st = drxi_check_changeable(a);

    return st || !a->owner->begin ? st : a->owner->begin(a);
}

void drxi_end_log_change(drx_array *a)
{
    if (a->owner->end)
        a->owner->end(a);
}

void drxi_claim_change(drx_array *a)
{
    drxi_gate_claim(&a->gate);
    if (a->log.shared) /* what is caught up with may change anything */
        drxi_gate_clear(&a->gate);
}
