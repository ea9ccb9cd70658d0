/* An exact copy of the files of an array.
 *
 * The log is read first, and fixes what is copied: its longest valid prefix, and the
 * chunks that this tells of. The data is read after it, so that whatever the prefix
 * promises is there. What a writer does meanwhile is like the residue of a crash,
 * which the next one who opens the copy for writing mends. Both files are made without
 * a name, and put in place at the end. */
#include "array/array.h"

/* Syncing now and then lets progress be that of the disk, and an interrupt not wait for
 * all of it. */
enum { PIECE_BYTES = 4 << 20, SYNC_BYTES = 256 << 20 };

struct duplicating {
    drx_array *from, *to; /* `to` is a handle for its files alone */
    struct drxi_names from_names, to_names;
    unsigned flags;
    int64_t meta_bytes, data_bytes; /* to copy, with holes */
    char *report;                   /* of damage, or NULL */
    drx_progress progress;
    void *user;
    int64_t done, total;
    uint8_t *buf;
};

static drx_status tell(const struct duplicating *d)
{
    if (!d->progress || d->progress(d->user, d->done, d->total) == 0)
        return DRX_OK;
    return drxi_fail(DRX_EINTERRUPTED, "%s: copying it was interrupted", d->from->path);
}

/* ---- the source ---------------------------------------------------------------------- */

/* Who moves an array keeps others from writing to it, even if he may not himself. */
static drx_status open_source(struct duplicating *d, enum drxi_tail *tail)
{
    drx_status st;

    d->from->writable = (d->flags & DRX_MOVE) != 0;
    st = drxi_open_pair(d->from, tail);
    if (st != DRX_EACCES || !d->from->writable)
        return st;
    drxi_close_files(d->from);
    d->from->writable = false;
    st = drxi_open_pair(d->from, tail);
    return st ? st : d->from->meta->ops->lock(d->from->meta);
}

/* What is to be copied: all that is whole, or, of a damaged array, all that is there. */
static drx_status survey(struct duplicating *d, enum drxi_tail tail)
{
    drx_array *a = d->from;
    bool damaged = tail == DRXI_DAMAGED;
    int64_t size;
    int64_t stored;
    drx_status st;

    if (damaged)
        d->report = drxi_strdup(drx_last_error());
    d->meta_bytes = a->state.log_end;
    st = drxi_check_length(a, &size, &damaged);
    if (!st && damaged && !d->report)
        d->report = drxi_strdup(drx_last_error());
    if (!st && damaged)
        st = a->meta->ops->size(a->meta, &d->meta_bytes);
    if (st)
        return st;
    if (damaged && !d->report)
        return DRX_ENOMEM;
    d->data_bytes = damaged ? size : drxi_min(size, a->state.map.chunks * a->chunk_pitch_bytes);
    st = drxi_stored_bytes(a->data, d->data_bytes, false, &stored);
    d->total = d->meta_bytes + stored;
    return st;
}

static drx_status look(struct duplicating *d)
{
    enum drxi_tail tail = DRXI_WHOLE;
    bool same = false;
    drx_status st = open_source(d, &tail);

    if (!st)
        st = survey(d, tail);
    if (!st)
        st = drxi_files->same(d->from_names.meta, d->to_names.meta, &same);
    if (!st && same)
        st = drxi_fail(DRX_EINVAL, "%s: is the same array as %s", d->from_names.meta, d->to_names.meta);
    return st ? st : drxi_look_first(&d->to_names, (d->flags & DRX_REPLACE) != 0);
}

/* ---- the copy -------------------------------------------------------------------------- */

/* The bytes that a file stores among its first `length` ones; the source may have
 * become shorter than it was: then holes stand there. */
static drx_status copy_file(struct duplicating *d, drxi_io *from, drxi_io *to, int64_t length, bool holes)
{
    struct drxi_stored s;
    int64_t unsynced = 0;
    drx_status st = to->ops->resize(to, length);

    drxi_stored_start(&s, from, length, holes);
    while (!st) {
        int64_t at;
        int64_t n;
        size_t got;

        st = drxi_stored_next(&s, PIECE_BYTES, &at, &n);
        if (st || n == 0)
            return st;
        st = from->ops->read(from, d->buf, (size_t)n, at, &got);
        if (!st && got > 0)
            st = to->ops->write(to, d->buf, got, at);
        unsynced += n;
        if (!st && unsynced >= SYNC_BYTES) {
            st = to->ops->sync(to);
            unsynced = 0;
        }
        d->done = drxi_min(d->done + n, d->total);
        if (!st)
            st = tell(d);
    }
    return st;
}

static drx_status make_files(struct duplicating *d)
{
    drx_array *to = d->to;
    drx_status st = drxi_files->open(d->to_names.data, DRXI_NEW, &to->data);

    if (!st)
        st = drxi_files->open(d->to_names.meta, DRXI_NEW, &to->meta);
    if (!st)
        st = tell(d);
    if (!st)
        st = copy_file(d, d->from->meta, to->meta, d->meta_bytes, true);
    if (!st)
        st = copy_file(d, d->from->data, to->data, d->data_bytes, false);
    if (!st)
        st = to->data->ops->sync(to->data);
    if (!st)
        st = to->meta->ops->sync(to->meta);
    return st ? st : tell(d); /* syncing may have taken long */
}

/* The copy is in its place: the source goes. */
static drx_status remove_source(struct duplicating *d)
{
    drxi_io *folder = NULL;
    bool named = false;
    drx_status st = drxi_files->lock_folder(d->from_names.meta, &folder);

    if (!st)
        st = d->from->meta->ops->named(d->from->meta, &named);
    if (!st && !named)
        st = drxi_fail(DRX_EBUSY, "%s: replaced while it was copied, and not removed", d->from_names.meta);
    if (!st)
        st = drxi_remove_files(&d->from_names);
    if (folder)
        (void)folder->ops->close(folder);
    return st;
}

static drx_status duplicate(struct duplicating *d)
{
    drx_status st = look(d);

    if (!st && !(d->buf = drxi_malloc(PIECE_BYTES)))
        st = DRX_ENOMEM;
    if (!st)
        st = make_files(d);
    if (!st)
        st = drxi_put_in_place(d->to, &d->to_names, (d->flags & DRX_REPLACE) != 0);
    if (!st)
        st = drxi_files->sync_folder(d->to_names.meta);
    if (!st && (d->flags & DRX_MOVE))
        st = remove_source(d);
    if (!st)
        drxi_report_set(d->report ? d->report : "");
    return st;
}

drx_status drx_duplicate(const char *from, const char *to, unsigned flags, drx_progress progress, void *user)
{
    const unsigned known = DRX_REPLACE | DRX_MOVE;
    struct duplicating d = {.flags = flags, .progress = progress, .user = user};
    drx_status st = drxi_check_path(from);

    if (!st)
        st = drxi_check_path(to);
    if (st)
        return st;
    if ((flags & ~known) != 0)
        return drxi_fail(DRX_EINVAL, "%s: flags are %#x, expected 0, DRX_REPLACE, DRX_MOVE", from, flags);
    drxi_report_clear();
    st = drxi_names_make(from, &d.from_names);
    if (!st)
        st = drxi_names_make(to, &d.to_names);
    if (!st)
        st = drxi_array_new(from, &d.from);
    if (!st)
        st = drxi_array_new(to, &d.to);
    if (!st)
        st = duplicate(&d);
    if (d.to)
        (void)drxi_array_free(d.to);
    if (d.from)
        (void)drxi_array_free(d.from);
    drxi_names_free(&d.from_names);
    drxi_names_free(&d.to_names);
    drxi_free(d.report);
    drxi_free(d.buf);
    return st;
}
