/* Mending the log of a lone array.
 *
 * Invariants
 *   1. No record is put back, and no byte of one. The head is, where the records prove it: it has a CRC, with which
 *      their chain begins, and but for the creation id it is the same in all arrays.
 *   2. A damaged log is cut behind what counts. Before that, what this loses was told, a copy of the log is durable,
 *      and so are the data that a writer leaves that has given back what came later (spec/drx-format.md, 5.4.6).
 *   3. What a later version wrote stays. */
#include "format/crc.h"
#include "repair/check.h"

enum { COPIES = 10000, PIECE_BYTES = 1 << 20, ID_AT = 32, CRC_AT = 8 };

/* ---- the head ---- */

/* Whether the records of the log go on from a head of that CRC, and are those of an array. */
static drx_status prove(drxi_io *io, uint32_t crc, bool *proved)
{
    struct drxi_store s = { .kind = DRXI_LONE_ARRAY };
    enum drxi_log_tail tail;
    drx_status st;

    drxi_store_start(&s, crc);
    st = drxi_store_read(&s, io, DRXI_ANY_COMMIT, false, &tail);
    drxi_store_free(&s);
    *proved = !st;
    return st == DRX_EDAMAGED || st == DRX_EUNSUPPORTED ? DRX_OK : st;
}

static drx_status put_head(struct drxi_repair *r, const uint8_t head[], bool *done)
{
    drxi_io *log = r->a->log.io;
    drx_status st = prove(log, drxi_get32(head + CRC_AT), done);

    if (st || !*done)
        return st;
    st = log->ops->write(log, head, DRXI_STORE_HEAD_BYTES, 0);
    if (!st)
        st = log->ops->sync(log);
    if (!st)
        drxi_repaired(r, "%s: the head (bytes 0 to %d) was damaged; the records prove what it was: put back", log->path,
                      DRXI_STORE_HEAD_BYTES);
    return st;
}

drx_status drxi_repair_head(struct drxi_repair *r, bool *done)
{
    drxi_io *log = r->a->log.io;
    uint8_t there[DRXI_STORE_HEAD_BYTES], head[DRXI_STORE_HEAD_BYTES];
    char detail[DRXI_DETAIL_BYTES];
    uint32_t crc;
    size_t got;
    bool damaged;
    drx_status st;

    drxi_report_keep(detail);
    st = log->ops->read(log, there, sizeof there, 0, &got);
    *done = false;
    if (st || got < sizeof there)
        return st;
    (void)drxi_store_head_encode(DRXI_LONE_ARRAY, there + ID_AT, head);
    crc = drxi_crc32c(0, there + CRC_AT + 4, sizeof there - CRC_AT - 4);
    damaged = crc != drxi_get32(there + CRC_AT) || memcmp(there, head, CRC_AT) != 0;
    if (damaged)
        st = put_head(r, head, done);
    if (!st && damaged && !*done && r->a->log.lone)
        drxi_repaired(r, "%s: nothing proves what the head was: it cannot be repaired", log->path);
    if (!st && !*done)
        drxi_report_set(detail);
    return st;
}

/* ---- a copy of the log ---- */

static drx_status copy_to(drxi_io *from, drxi_io *to)
{
    uint8_t *buf = drxi_malloc(PIECE_BYTES);
    size_t got = 1;
    drx_status st = buf ? DRX_OK : DRX_ENOMEM;

    for (int64_t at = 0; !st && got > 0; at += (int64_t)got) {
        st = from->ops->read(from, buf, PIECE_BYTES, at, &got);
        if (!st && got > 0)
            st = to->ops->write(to, buf, got, at);
    }
    drxi_free(buf);
    return st ? st : to->ops->sync(to);
}

static drx_status look_whether_free(const char *name)
{
    drxi_io *io = NULL;
    drx_status st = drxi_files->open(name, DRXI_READ, &io);

    drxi_close(io);
    return st == DRX_ENOENT ? DRX_OK : st == DRX_OK ? DRX_EEXIST : st;
}

static drx_status keep_log(struct drxi_repair *r, char **kept)
{
    drxi_io *meta = r->a->log.io;
    drx_status st = DRX_EEXIST;

    for (int i = 1; st == DRX_EEXIST && i < COPIES; i++) {
        drxi_io *io = NULL;

        drxi_free(*kept);
        *kept = drxi_format("%s.damaged-%d", meta->path, i);
        st = *kept ? look_whether_free(*kept) : DRX_ENOMEM;
        if (!st)
            st = drxi_files->open(*kept, DRXI_NEW, &io);
        if (!st)
            st = copy_to(meta, io);
        if (!st)
            st = io->ops->name(io);
        drxi_close(io);
    }
    if (!st && (st = drxi_files->sync_folder(meta->path)))
        (void)drxi_files->remove(*kept);
    return st;
}

/* ---- what does not count ---- */

static void tell_loss(void *user, const char *text)
{
    drxi_repaired(user, "%s", text);
}

drx_status drxi_prepare_cut(struct drxi_repair *r, bool data_damaged, bool *cut)
{
    const char *const name = r->a->log.io->path;
    struct drxi_log_rest rest;
    drx_status st = drxi_log_rest_look(&r->a->log, &rest);

    *cut = !st && !data_damaged && rest.later == 0;
    if (!st && data_damaged)
        drxi_repaired(r, "%s: damaged, and so are the data: nothing was changed", name);
    else if (!st)
        drxi_log_rest_tell(&rest, tell_loss, r);
    if (!*cut)
        return st;
    st = keep_log(r, &r->kept);
    if (!st) {
        drxi_repaired(r, "%s: the damaged log is kept as %s", name, r->kept);
        return DRX_OK;
    }
    drxi_free(r->kept);
    r->kept = NULL;
    return st;
}

drx_status drxi_cut_log(struct drxi_repair *r)
{
    drx_array *a = r->a;
    const struct drxi_store *s = drxi_lone_store(&a->log);
    struct drxi_stored_file f;
    drx_status st = drxi_make_durable(&a->log, a->data.file->io);

    for (int k = 0; !st && drxi_data_file(&a->data, k, &f); k++)
        st = f.compares ? drxi_make_durable(&a->log, f.io) : DRX_OK;
    if (!st)
        st = drxi_live_set_trims(a->log.io, s->last_trim); /* a later TRIM may have the number of one that is lost */
    if (!st)
        st = a->log.io->ops->resize(a->log.io, s->end.end);
    r->cut = !st;
    if (!st)
        st = a->log.io->ops->sync(a->log.io);
    if (!st)
        drxi_repaired(r, "%s: cut at offset %lld, after record %llu", a->log.io->path, (long long)s->end.end,
                      (unsigned long long)s->end.sequence);
    return st;
}

drx_status drxi_tell_dropped(struct drxi_repair *r)
{
    const char *const name = r->a->log.io->path;
    struct drxi_log_rest rest;
    drx_status st = drxi_log_rest_look(&r->a->log, &rest);

    if (!st && drxi_log_rest_open(&rest) > 0)
        drxi_repaired(r,
                      "%s: records %llu to %llu, from offset %lld on, belonged to a change that was not completed: "
                      "dropped",
                      name, (unsigned long long)rest.end.sequence + 1, (unsigned long long)rest.open.sequence,
                      (long long)rest.end.end);
    if (!st && rest.size > rest.open.end)
        drxi_repaired(r, "%s: the last %lld bytes, from offset %lld on, were not whole records (a torn tail): dropped",
                      name, (long long)(rest.size - rest.open.end), (long long)rest.open.end);
    return st;
}
