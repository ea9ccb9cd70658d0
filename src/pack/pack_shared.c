/* What several writers do that one alone does not: see invariants 4 to 6 of pack.h. Locks of the table's bytes are gone
 * with the process that held them. */
#include "pack/pack.h"

drx_status drxi_pack_guard(struct drxi_pack *p, int64_t first, int64_t end, bool on)
{
    return p->log->others ? p->table->ops->guard(p->table, first * DRXI_ENTRY_BYTES, end * DRXI_ENTRY_BYTES, on)
                          : DRX_OK;
}

drx_status drxi_pack_guard_end(struct drxi_pack *p, bool on)
{
    const int64_t byte = DRXI_PACK_MOST_CHUNKS * DRXI_ENTRY_BYTES;
    int64_t size = 0;
    drx_status st;

    if (!p->log->others)
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

/* ---- what a writer alone knows ---- */

int64_t drxi_pack_promised(const struct drxi_pack *p)
{
    return drxi_max(p->promised, p->log->state.epoch);
}

bool drxi_half_synced(const struct drxi_pack *p, const struct drxi_half *half)
{
    return half->epoch <= drxi_pack_promised(p);
}

bool drxi_pack_sure(const struct drxi_pack *p)
{
    return p->checked && !p->log->shared;
}

bool drxi_half_durable(const struct drxi_pack *p, const struct drxi_half *half)
{
    return p->log->shared ? drxi_half_synced(p, half) : half->epoch < p->log->epoch;
}

bool drxi_pack_may_be_open(const struct drxi_pack *p)
{
    return p->log->shared || atomic_load(&p->open) != 0;
}

bool drxi_pack_reuses(const struct drxi_pack *p)
{
    return !p->log->shared;
}

void drxi_pack_left(struct drxi_pack *p, int64_t offset)
{
    if (!drxi_pack_reuses(p))
        return;
    (void)pthread_mutex_lock(&p->lock);
    if (drxi_slots_add(&p->slots, (struct drxi_slot){ .offset = offset, .epoch = p->log->epoch }))
        drxi_report_clear(); /* the space is lost until the array is opened again */
    (void)pthread_mutex_unlock(&p->lock);
}

void drxi_pack_synced(struct drxi_pack *p)
{
    if (!p->log->shared && !p->log->follows && p->log->epoch - p->log->state.epoch < DRXI_PACK_LATER_EPOCHS / 2)
        p->log->epoch++;
}

/* An epoch says that all halves of entries with it, or a lower one, are durable; so nobody writes one meanwhile. */
drx_status drxi_pack_promise(struct drxi_pack *p, drxi_io *io)
{
    drx_status st = drxi_pack_guard(p, 0, DRXI_PACK_MOST_CHUNKS, true);

    if (st)
        return st;
    if (p->log->shared) /* what others have written since the last time */
        st = drxi_make_durable(p->log, io);
    if (!st)
        st = drxi_log_append_epoch(p->log);
    (void)drxi_pack_guard(p, 0, DRXI_PACK_MOST_CHUNKS, false);
    return st;
}

/* ---- what the log promises ---- */

/* Behind a place in the log; in all of another one. */
static drx_status look_behind(struct drxi_pack *p, drxi_io *file, struct drxi_log_place *seen)
{
    int64_t epoch = p->promised;
    const drx_status st = drxi_log_look(p->log, file, seen, &epoch);

    p->promised = epoch;
    return st;
}

static drx_status look_at_log(struct drxi_pack *p, drxi_io *file)
{
    int64_t bytes = 0;
    drx_status st;

    if (p->log->seen.end < p->log->state.chain.end) {
        p->log->seen = p->log->state.chain;
        p->promised = drxi_max(p->promised, p->log->state.epoch);
    }
    st = file->ops->size(file, &bytes);
    return st || bytes == p->log->seen.end ? st : look_behind(p, file, &p->log->seen);
}

drx_status drxi_pack_look(struct drxi_pack *p)
{
    drx_status st = p->log->shared ? look_at_log(p, p->log->io) : DRX_OK;

    if (!st && p->log->shared)
        p->log->epoch = drxi_max(p->log->epoch, p->promised + 1);
    return st;
}

/* Look into a log that has the name now: a shorter one for the same array (store/replace_log.c), or another array's. */
static drx_status look_in_successor(struct drxi_pack *p, const char *path)
{
    drxi_io *file = NULL;
    drx_status st = drxi_files->open(path, DRXI_READ, &file);

    if (!st)
        st = look_behind(p, file, NULL);
    drxi_close(file);
    return st == DRX_ENOENT || st == DRX_EFORMAT || st == DRX_EACCES || st == DRX_EDAMAGED || st == DRX_EUNSUPPORTED
               ? DRX_OK /* perhaps another array's */
               : st;
}

/* A file on a server is pinned to the state that the handle knows. */
drx_status drxi_pack_look_again(struct drxi_pack *p, bool *later)
{
    const int64_t before = drxi_pack_promised(p);
    drxi_io *const file = p->log->tail ? p->log->tail : p->log->io;
    bool named = true;
    char detail[DRXI_DETAIL_BYTES];
    drx_status st;

    *later = false;
    if (drxi_pack_sure(p) || !file || file->pinned)
        return DRX_OK;
    drxi_report_keep(detail);
    (void)pthread_mutex_lock(&p->lock);
    st = look_at_log(p, file);
    if (!st)
        st = file->ops->named(file, &named);
    if (!st && !named)
        st = look_in_successor(p, file->path);
    (void)pthread_mutex_unlock(&p->lock);
    if (!st) /* what a damaged log has told */
        drxi_report_set(detail);
    *later = drxi_pack_promised(p) > before;
    return st;
}
