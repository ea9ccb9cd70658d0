/* Runs, written to the file. */
#include "store/store.h"

struct drxi_run drxi_run_at(const struct drxi_log_place *end)
{
    return (struct drxi_run){ .at = end->end, .sequence = end->sequence, .crc = end->crc, .last = -1 };
}

/* Write the bytes of the run from `from` on; cut off what a failure leaves. */
static drx_status write_from(drxi_io *log, const struct drxi_run *run, int64_t from, int64_t end, bool *lost)
{
    char detail[DRXI_DETAIL_BYTES];
    drx_status st = log->ops->write(log, run->bytes + from, (size_t)(run->n - from), run->at + from);

    if (!st)
        return st;
    drxi_report_keep(detail);
    *lost = log->ops->resize(log, end) != DRX_OK;
    drxi_report_set(detail);
    return st;
}

drx_status drxi_store_append_open(const struct drxi_store *s, drxi_io *log, const struct drxi_run *run, bool *lost)
{
    *lost = false;
    if (run->failed)
        return run->failed;
    return write_from(log, run, 0, s->end.end, lost);
}

drx_status drxi_store_apply_run(struct drxi_store *s, const struct drxi_run *run, int64_t from, int64_t end)
{
    struct drxi_log_record record;
    drx_status st = DRX_OK;

    for (int64_t at = from; !st && at < end; at += (int64_t)record.bytes) {
        (void)drxi_log_record_decode(run->bytes + at, (size_t)(end - at), run->at + at, &record);
        st = drxi_store_apply(s, &record);
    }
    drxi_store_pack_attributes(s);
    return st == DRX_EDAMAGED ? drxi_fail(DRX_EINVAL, "%s", drx_last_error()) : st;
}

drx_status drxi_store_rewind(struct drxi_store *s, drxi_io *log, const struct drxi_run *run, int64_t from)
{
    const drx_status st = drxi_store_return(s, log, run->at);

    return st ? st : drxi_store_apply_run(s, run, 0, from);
}

drx_status drxi_store_append(struct drxi_store *s, drxi_io *log, const struct drxi_run *run, int64_t applied,
                             int64_t written, bool *lost)
{
    const int64_t before = s->end.end;
    char detail[DRXI_DETAIL_BYTES];
    drx_status st = run->failed ? run->failed : drxi_store_apply_run(s, run, applied, run->n);

    *lost = false;
    if (!st && log)
        st = write_from(log, run, written, before, lost);
    if (!st || run->failed)
        return st;
    drxi_report_keep(detail); /* a record that fails may leave a part; those that a store without a file gets do not */
    if (!log)
        *lost = s->end.end != before;
    else if (drxi_store_rewind(s, log, run, applied))
        *lost = true;
    drxi_report_set(detail);
    return st;
}

drx_status drxi_store_write_anew(const struct drxi_store *s, drxi_io *log)
{
    enum { PIECE_BYTES = 1 << 16 };
    uint8_t *piece = drxi_malloc(PIECE_BYTES);
    drx_status st = piece ? DRX_OK : DRX_ENOMEM;
    size_t got = 0;

    for (int64_t at = drxi_max(s->sync_at, s->head.end); !st && at < s->end.end; at += (int64_t)got) {
        const size_t n = (size_t)drxi_min(PIECE_BYTES, s->end.end - at);

        st = log->ops->read(log, piece, n, at, &got);
        if (!st && got < n)
            st = drxi_fail(DRX_EDAMAGED, "%s: became shorter while it was read", log->path);
        if (!st)
            st = log->ops->write(log, piece, n, at);
    }
    drxi_free(piece);
    return st;
}

drx_status drxi_store_write_head(const struct drxi_store *s, drxi_io *log, uint64_t trims)
{
    uint8_t head[DRXI_STORE_HEAD_BYTES], words[DRXI_LIVE_BYTES] = { 0 };
    drx_status st;

    (void)drxi_store_head_encode(s->kind, s->id, head);
    drxi_put64(words, trims);
    st = log->ops->write(log, head, sizeof head, 0);
    return st ? st : log->ops->write(log, words, sizeof words, DRXI_LIVE_AT);
}

drx_status drxi_store_create(struct drxi_store *s, drxi_io *log, void (*first)(struct drxi_run *run, void *with),
                             void *with)
{
    uint8_t head[DRXI_STORE_HEAD_BYTES];
    struct drxi_run run;
    bool lost;
    drx_status st = log ? drxi_store_write_head(s, log, 0) : DRX_OK;

    drxi_store_start(s, drxi_store_head_encode(s->kind, s->id, head));
    run = drxi_run_at(&s->end);
    first(&run, with);
    drxi_run_count(&run);
    if (!st)
        st = drxi_store_append(s, log, &run, 0, 0, &lost);
    drxi_run_free(&run);
    return st;
}
