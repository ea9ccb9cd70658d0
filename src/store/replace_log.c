/* Another log takes the place of one (spec/drx-format.md, 5.6). */
#include "store/store.h"

/* Write the whole log, durably, then its SYNC, and read it. */
static drx_status write_all(const struct drxi_store *s, const struct drxi_run *records, drxi_io *io,
                            struct drxi_store *out)
{
    enum drxi_log_tail tail;
    struct drxi_run run;
    bool lost;
    drx_status st = drxi_store_write_head(s, io, s->last_trim);

    if (!st)
        st = io->ops->write(io, records->bytes, (size_t)records->n, records->at);
    if (!st)
        st = io->ops->sync(io);
    if (!st)
        st = drxi_store_begin(out, io, s->kind);
    if (!st)
        st = drxi_store_read(out, io, DRXI_ANY_COMMIT, false, &tail);
    if (!st && tail != DRXI_LOG_CLEAN) /* it does not take the place of the other */
        st = drxi_fail(DRX_EDAMAGED, "%s: its shorter log cannot be read", io->path);
    run = drxi_run_at(&out->end);
    if (!st) {
        drxi_put_sync(&run);
        drxi_run_count(&run);
        st = drxi_store_append(out, io, &run, 0, 0, &lost);
    }
    drxi_run_free(&run);
    return st ? st : io->ops->sync(io);
}

/* Tell those who have the old log open, before and after the name is another's; readers that are not told go on looking
 * at it. Names change under the folder's lock, so nobody who removes or replaces the store looks at the old log
 * meanwhile. */
static drx_status take_name(drxi_io *old, drxi_io *io, drx_status *broken)
{
    char detail[DRXI_DETAIL_BYTES];
    drxi_io *folder = NULL;
    bool named = true;
    drx_status st = drxi_live_set_replaced(old, 1);

    if (!st)
        st = drxi_files->lock_folder(old->path, &folder);
    if (!st && (st = io->ops->replace(io, old))) { /* the old log may still have its name */
        drxi_report_keep(detail);
        if (old->ops->named(old, &named) || !named)
            *broken = st;
        drxi_report_set(detail);
    }
    drxi_close(folder);
    if (!st)
        *broken = drxi_files->sync_folder(io->path);
    drxi_report_keep(detail);
    if (!*broken)
        (void)drxi_live_set_replaced(old, st ? 0 : 2);
    drxi_report_set(detail);
    return st;
}

drx_status drxi_store_replace_log(const struct drxi_store *s, drxi_io *old, const struct drxi_run *run, drxi_io **log,
                                  struct drxi_store *out, drx_status *broken)
{
    drxi_io *io = NULL;
    drx_status st = old->ops->sole(old);

    *log = NULL;
    *out = (struct drxi_store){ .kind = s->kind };
    *broken = DRX_OK;
    if (!st && s->optional)
        st = drxi_fail(DRX_EUNSUPPORTED, "%s: has records that this version does not know", old->path);
    if (!st)
        st = drxi_files->open(old->path, DRXI_NEW, &io);
    if (!st)
        st = io->ops->lock(io, DRXI_LOCK_ALONE);
    if (!st)
        st = write_all(s, run, io, out);
    if (!st)
        st = take_name(old, io, broken);
    if (st) {
        drxi_store_free(out);
        drxi_close(io); /* which removes the file */
        return st;
    }
    *log = io;
    return DRX_OK;
}
