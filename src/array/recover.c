/* Recovery: a handle that opens for writing, and holds the lock of a change, repairs what a crash has left.
 *
 * Giving back. Records behind the last C do not count: a transaction in progress, or that of a process that died. What
 * such a transaction did to the files must go before anything else is appended. The order is always the same, for a
 * failed append (grow.c), an abort, a dead writer (change.c, dataset/ds_back.c) and an open:
 *
 *     1. checksums, data and table get the lengths that the last C says, and cells of older chunks that the growth
 *        uncovered become fill again;
 *     2. files that the transaction has made are removed;
 *     3. that is made durable;
 *     4. the log is cut behind the last C, and the cut is made durable.
 *
 * The records are the only ones that know what was touched, so they go last: a crash after any step leaves them, and
 * the next writer does all steps again, which changes nothing where they were done. Were the log cut before 3, a power
 * cut could bring back elements that no record explains, and a later growth would show them as data. Were something
 * appended before the cut is durable, it might be the same record as the one that was there (the same growth, made
 * again), with the same sequence number, place and CRC; a power cut could then restore what followed it, and the
 * reader would take that for what came next.
 *
 * Nothing is given back of a damaged log, since what lies behind the damage was promised, and nobody knows it.
 *
 * Invariants
 *   1. Recovery never writes to a damaged array.
 *   2. It cuts off a torn tail, durably, before anything is appended; drx_open reports that.
 *   3. A GROW at the end of the log that does not count is an append that was not committed: its slab becomes fill
 *      again, and then the GROW is cut off.
 *   4. Then the data file, the checksums and the table have the lengths of their chunks, durably where they were
 *      longer, and the checksums are those of the data.
 *   5. Payloads of a compressed array that were not synced are synced now: what was good at the open stays so, whatever
 *      overwrites it later (open.c).
 *   6. Other cells outside the bounds are checked when growth uncovers them. */
#include "array/array.h"

drx_status drxi_recover(drx_array *a)
{
    drx_status st = drxi_log_check_open(&a->log);

    if (!st)
        st = a->data.file->stored->recover(&a->data);
    if (!st && a->log.state.intent_open)
        st = drxi_undo_append(a, &a->log.state.intent);
    if (!st)
        st = drxi_log_cut_rest(&a->log);
    for (int j = 0; j < a->log.state.desc.ndim; j++) {
        drxi_doubt_outside(a, j, DRXI_HIGH);
        drxi_doubt_outside(a, j, DRXI_LOW);
    }
    a->data.file->unsynced = true; /* whoever wrote or named the files last may not have synced them */
    a->new_names = true;
    return st;
}
