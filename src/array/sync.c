/* drx_sync, and how what is promised of durability is kept: three sentences, which stand in section 6 of the format, in
 * drx.h at drx_sync and drx_close, and in drx(3).
 *
 * Invariants
 *   1. Data go to the file before the record that makes them visible (grow.c); and a fill that has to be written, once
 *      something was promised, is durable before it.
 *   2. A SYNC is appended when the data, their checksums and all records before it are durable, and is made durable then:
 *      what it promises is on disk before it is.
 *   3. The names of the files are durable before the first drx_sync returns.
 *   4. What could not be made durable may be lost even if a later attempt succeeds: the handle is broken, and promises
 *      nothing more.
 *   5. The log that has the name is whole at any time: another takes its place only when that is complete and durable, and
 *      is appended to when its name is durable, too (compact.c, repair_log.c).
 *   6. What a crash left beyond its last SYNC is dropped, undone or made durable before anything is appended (recover.c);
 *      what it may have left outside the bounds, before a growth uncovers it (grow.c). */
#include "data/sums.h"

drx_status drxi_make_durable(drx_array *a, drxi_io *io)
{
    drx_status st = io->ops->sync(io);

    if (st)
        a->broken = st;
    return st;
}

/* The records that tell of the data, which are durable, then the SYNC that promises both. What others who share the array
 * have added since record `sequence` is not durable yet, nor need a SYNC of theirs be. */
static drx_status sync_log(drx_array *a, uint64_t sequence)
{
    drx_status st = drxi_begin_change(a);

    if (!st && a->state.sequence != sequence)
        st = drxi_make_durable(a, a->data);
    if (!st)
        st = drxi_make_durable(a, a->meta);
    if (!st && !a->state.at_sync) {
        st = drxi_log_append_sync(a);
        if (!st)
            st = drxi_make_durable(a, a->meta);
    }
    drxi_end_change(a);
    return st;
}

/* The data first, without holding others up: what they have written goes along; their checksums; then the log. */
drx_status drxi_sync_files(drx_array *a)
{
    const uint64_t sequence = a->state.sequence;
    drx_status st;

    if (a->shared)
        a->data_unsynced = true;
    st = drxi_sync_data(a);
    if (!st)
        st = drxi_sums_settle(a);
    if (!st && (a->shared || !a->state.at_sync))
        st = sync_log(a, sequence);
    if (!st && a->new_names && !a->temporary) {
        st = drxi_sync_stripe_folders(a);
        if (!st)
            st = drxi_files->sync_folder(a->meta->path);
        a->new_names = st != DRX_OK;
    }
    return st;
}

drx_status drx_sync(drx_array *a)
{
    drx_status st;

    if (!a)
        return drxi_no_array();
    drxi_gate_shut(&a->gate);
    st = drxi_check_alone(a);
    if (!st && a->meta && a->writable)
        st = drxi_sync_files(a);
    if (!st)
        st = drxi_compact_after_sync(a);
    drxi_gate_open(&a->gate);
    return st;
}
