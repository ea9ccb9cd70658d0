/* drx_sync, and how the library keeps what it promises: three sentences in drx.h at drx_sync and drx_close, and in
 * drx(3); section 5.4 of the format has the rules.
 *
 * Invariants
 *   1. Data go to the file before the record that makes them visible (grow.c). Once anything was promised, a fill
 *      that has to be written is durable before that record.
 *   2. A SYNC is appended when the data, their checksums and all records before it are durable, and is then made
 *      durable itself: what it promises is on disk before it is.
 *   3. The names of the files are durable before the first drx_sync returns.
 *   4. What a failed sync did not store may be lost even if a later sync succeeds: so the handle is broken, and
 *      promises nothing more.
 *   5. The log that has the name is whole at any time. A new log replaces it only when it is complete and durable,
 *      and grows only when its name is durable, too (lone_compact.c, repair_lone.c).
 *   6. What a crash left beyond its last SYNC is dropped, undone or made durable before anything is appended
 *      (recover.c); what it left outside the bounds, before a growth uncovers it (outside.c). */
#include "array/array.h"
#include "base/hooks.h"

/* Sync the records that describe the data, which are durable, and append the SYNC that promises both. Records that
 * others have added since `sequence` need not be durable yet, nor need a SYNC of theirs. */
static drx_status sync_log(drx_array *a, uint64_t sequence)
{
    drx_status st = drxi_begin_log_change(a);

    if (a->log.unpromised)
        a->log.state.at_sync = false;
    if (!st && a->log.state.chain.sequence != sequence)
        st = drxi_make_durable(&a->log, a->data.file->io);
    if (!st)
        st = drxi_promise(a);
    drxi_end_log_change(a);
    return st;
}

/* Sync the data first, without delaying other writers, whose writes go along; then the checksums; then the log. */
drx_status drxi_sync_files(drx_array *a)
{
    const uint64_t sequence = a->log.state.chain.sequence;
    const bool others = a->log.shared; /* whose elements go along, and who may have appended */
    drx_status st;

    if (others)
        a->data.file->unsynced = true;
    st = drxi_start_changes(a);
    if (!st)
        st = drxi_sync_data(a);
    if (!st)
        st = a->data.file->stored->settle(&a->data);
    if (a->log.unpromised)
        a->log.state.at_sync = false;
    if (a->log.defer) /* the dataset commits the rest */
        return st;
    if (!st && (others || !a->log.state.at_sync))
        st = sync_log(a, sequence);
    return st ? st : drxi_sync_names(a);
}

/* Whether nobody else writes to the files, and they have names. */
static bool syncs_alone(const drx_array *a)
{
    return a->log.io && a->parts.writable && a->owner->alone && !a->parts.temporary && !a->log.broken &&
           !a->log.state.unknown_records;
}

static bool is_long(const drx_array *a)
{
    const int64_t begin = DRXI_LOG_AT, bytes = a->log.state.chain.end - begin;
    int64_t least;

    return syncs_alone(a) && bytes >= drxi_max(drxi_hooks.compaction.from_bytes, a->compact_from_bytes) &&
           !drxi_log_compacted_bytes(&a->log, &least) && bytes / drxi_hooks.compaction.times >= least - begin;
}

static drx_status compact_log(drx_array *a)
{
    const drx_status st = drxi_log_compact(&a->log);

    drxi_data_follow(&a->data); /* growths of the same state are others then */
    return st;
}

static drx_status compact_after_sync(drx_array *a)
{
    drx_status st;

    if (!is_long(a))
        return DRX_OK;
    st = compact_log(a);
    if (!st || a->log.broken)
        return st;
    a->compact_from_bytes = drxi_mul_saturated(2, a->log.state.chain.end);
    drxi_report_clear();
    return DRX_OK;
}

drx_status drxi_compact_at_open(drx_array *a)
{
    drx_status st;

    if (!is_long(a))
        return DRX_OK;
    st = drxi_sync_files(a);
    if (!st)
        return compact_after_sync(a);
    if (a->log.broken)
        return st;
    drxi_report_clear(); /* the open succeeded all the same */
    return DRX_OK;
}

drx_status drxi_sync_array(drx_array *a)
{
    bool writes;
    drx_status st;

    drxi_gate_claim(&a->gate);
    st = drxi_check_alone(a);
    writes = !st && a->log.io && a->parts.writable;
    if (writes)
        st = drxi_sync_beside(a);
    drxi_gate_clear(&a->gate);
    if (!st && writes)
        st = drxi_sync_files(a);
    if (!st && !a->log.others && !a->log.unpromised && syncs_alone(a) && drxi_data_reclaim(&a->data, false))
        drxi_report_clear(); /* the sync has succeeded all the same */
    if (!st)
        st = compact_after_sync(a);
    drxi_gate_open(&a->gate);
    return st;
}

static drx_status close_chunks(drx_array *a)
{
    const drx_status st = a->data.file->pool ? drxi_pool_flush(a->data.file->pool) : DRX_OK;

    return st ? st : drxi_packed_close_all(&a->data, NULL);
}

drx_status drx_sync(drx_array *a)
{
    return a ? a->owner->sync(a) : drxi_no_array();
}

drx_status drxi_compact_elements(drx_array *a)
{
    drx_status st;

    drxi_gate_shut(&a->gate);
    st = drxi_check_changeable(a);
    if (!st)
        st = close_chunks(a);
    drxi_gate_open(&a->gate);
    if (!st)
        st = a->owner->sync(a);
    drxi_gate_shut(&a->gate);
    if (!st)
        st = drxi_data_reclaim(&a->data, true);
    drxi_gate_open(&a->gate);
    return st;
}

static drx_status compact(drx_array *a)
{
    drx_status st = drxi_check_changeable(a);
    int64_t least = 0;

    if (st || !a->log.io)
        return st;
    if (a->parts.temporary)
        return drxi_fail(DRX_EUNSUPPORTED, "%s: a temporary array, whose metadata have no name", a->parts.label);
    st = close_chunks(a);
    if (!st)
        st = drxi_sync_files(a);
    if (!st)
        st = drxi_data_reclaim(&a->data, true);
    if (!st)
        st = drxi_log_compacted_bytes(&a->log, &least);
    return st || a->log.state.chain.end <= least ? st : compact_log(a);
}

drx_status drxi_compact_lone(drx_array *a)
{
    drx_status st;

    drxi_gate_shut(&a->gate);
    st = compact(a);
    drxi_gate_open(&a->gate);
    return st;
}

drx_status drxi_compact_beside(drx_array *a)
{
    const drx_status st = drxi_check_changeable(a);

    return st ? st
              : drxi_fail(DRX_EBUSY, "%s: opened DRX_SHARED: only a handle opened DRX_RDWR can compact it",
                          a->parts.label);
}

drx_status drx_compact(drx_array *a)
{
    return a ? a->owner->compact(a) : drxi_no_array();
}
