/* What several writers do that one alone does not: see invariants 4 to 6 of pack.h. Locks of the table's bytes are gone
 * with the process that held them. */
#include "pack/pack.h"

void drxi_pack_share(struct drxi_pack *p, bool shared)
{
    p->others = true;
    p->shared = p->shared || shared;
    p->sure = p->sure && !p->shared;
}

drx_status drxi_pack_guard(struct drxi_pack *p, int64_t first, int64_t end, bool on)
{
    return p->others ? p->table->ops->guard(p->table, first * DRXI_ENTRY_BYTES, end * DRXI_ENTRY_BYTES, on) : DRX_OK;
}

drx_status drxi_pack_guard_end(struct drxi_pack *p, bool on)
{
    const int64_t byte = DRXI_PACK_MOST_CHUNKS * DRXI_ENTRY_BYTES;
    int64_t size = 0;
    drx_status st;

    if (!p->others)
        return DRX_OK;
    st = p->table->ops->guard(p->table, byte, byte + 1, on);
    if (st || !on)
        return st;
    st = p->payloads->ops->size(p->payloads, &size);
    if (st)
        (void)p->table->ops->guard(p->table, byte, byte + 1, false);
    p->end = drxi_max(p->end, size);
    return st;
}

/* ---- what the log promises ---- */

static drx_status note(void *pack, const struct drxi_record *record)
{
    struct drxi_pack *p = pack;
    int64_t chunks, epoch;

    if (record->kind == DRXI_SYNC && drxi_sync_decode(record, &chunks, &epoch))
        p->promised = drxi_max(p->promised, epoch);
    drxi_chain_advance(&p->seen, record);
    return DRX_OK;
}

drx_status drxi_pack_look(struct drxi_pack *p)
{
    static const struct drxi_chain_kind promises = { DRXI_SYNC, "array", note, NULL };
    drxi_io *const file = p->log->io;
    enum drxi_tail tail; /* another writer may be appending a record */
    int64_t bytes = 0;
    drx_status st = DRX_OK;

    if (!p->shared)
        return DRX_OK;
    if (p->seen.end < p->log->state.chain.end) {
        p->seen = p->log->state.chain;
        p->promised = drxi_max(p->promised, p->log->state.epoch);
    }
    st = file->ops->size(file, &bytes);
    if (!st && bytes != p->seen.end)
        st = drxi_chain_read(file, &p->seen, &promises, p, &tail);
    if (!st)
        p->log->epoch = drxi_max(p->log->epoch, p->promised + 1);
    return st;
}
