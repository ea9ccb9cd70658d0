/* An exact copy of the files of an array.
 *
 * The log is read first, and decides what is copied: its longest valid prefix, and the chunks that this describes.
 * The data are read after it, so whatever the prefix promises is there. What a writer does meanwhile looks like the
 * residue of a crash, which the first open of the copy for writing repairs. The files are made without names, and put
 * in place at the end.
 *
 * The copy of a striped array has new stripes in the same folders, so its log begins with another record. An array
 * that moves keeps its stripes, and its log. */
#include "array/place.h"

/* Regular syncs make progress real, and let an interrupt take effect soon. */
enum { PIECE_BYTES = 4 << 20, SYNC_BYTES = 256 << 20 };

struct duplicating {
    struct drxi_twin twin; /* first */
    drx_array *from, *to;  /* `to` is a handle for the new files alone */
    struct drxi_names from_names, to_names;
    unsigned flags;
    bool elsewhere;     /* the two are in different folders */
    bool unique;        /* the log has the names of the data, which are not those of another array */
    int64_t meta_bytes; /* bytes of the log to copy */
    char *report;       /* the report of damage, or NULL */
    drx_progress progress;
    void *user;
    int64_t done, total;
};

static drx_status share_twin(struct drxi_twin *t)
{
    const struct duplicating *d = (const struct duplicating *)(const void *)t;

    if (!d->progress || d->progress(d->user, d->done, d->total) == 0)
        return DRX_OK;
    return drxi_fail(DRX_EINTERRUPTED, "%s: copying it was interrupted", d->from->path);
}

/* Whether data are copied: not stripes that move with their array, which stay where they are. */
static bool has_data(const struct duplicating *d)
{
    return !d->unique || !(d->flags & DRX_MOVE);
}

/* A move excludes writers even when we lack write permission. */
static drx_status open_source(struct duplicating *d, enum drxi_tail *tail)
{
    drx_status st;

    d->from->parts.writable = (d->flags & DRX_MOVE) != 0;
    st = drxi_open_pair(d->from, tail);
    if (st != DRX_EACCES || !d->from->parts.writable)
        return st;
    drxi_close_files(d->from);
    d->from->parts.writable = false;
    st = drxi_open_pair(d->from, tail);
    return st ? st : d->from->log.io->ops->lock(d->from->log.io, DRXI_LOCK_ALONE);
}

static drx_status count_data(struct duplicating *d)
{
    struct drxi_stored_file f;
    drx_status st = DRX_OK;

    for (int k = 0; !st && drxi_data_file(&d->from->data, k, &f); k++) {
        int64_t length = 0, stored = 0;

        d->unique = d->unique || f.unique;
        if (f.unique && !has_data(d))
            continue;
        st = drxi_twin_length(&d->twin, k, &length);
        if (!st)
            st = drxi_stored_bytes(f.io, length, false, &stored);
        d->total += stored;
    }
    return st;
}

/* Find out what to copy: all that is whole, or everything that is there of a damaged array. */
static drx_status survey(struct duplicating *d, enum drxi_tail tail)
{
    drx_array *a = d->from;
    drx_status st;

    d->twin.damaged = tail == DRXI_DAMAGED;
    if (d->twin.damaged)
        d->report = drxi_strdup(drx_last_error());
    d->meta_bytes = a->log.state.chain.end;
    st = drxi_data_check_lengths(&a->data, a->path, DRXI_ALL_FILES, &d->twin.damaged);
    if (st == DRX_ENOENT) { /* the copy lacks what the source lacks */
        d->twin.damaged = true;
        st = DRX_OK;
    }
    if (!st && d->twin.damaged && !d->report)
        d->report = drxi_strdup(drx_last_error());
    if (!st && d->twin.damaged)
        st = a->log.io->ops->size(a->log.io, &d->meta_bytes);
    if (st)
        return st;
    if (d->twin.damaged && !d->report)
        return DRX_ENOMEM;
    d->total = d->meta_bytes;
    return count_data(d);
}

static drx_status look_at_source(struct duplicating *d)
{
    enum drxi_tail tail = DRXI_WHOLE;
    drx_status st = open_source(d, &tail);

    drxi_free(d->report);
    d->report = NULL;
    d->total = 0;
    return st ? st : survey(d, tail);
}

/* Metadata that move to another folder have to find the stripes from there. */
static drx_status fix_folders(struct duplicating *d)
{
    drx_status st;

    if (has_data(d) || !d->elsewhere || !drxi_stripes_relative(&d->from->log.state.stripes))
        return DRX_OK;
    drxi_close_files(d->from);
    st = drxi_fix_stripe_folders(d->from->path);
    return st ? st : look_at_source(d);
}

static drx_status look_at_target(struct duplicating *d)
{
    bool same = false, apart;
    int order = 0;
    drx_status st = drxi_files->order(d->from_names.meta, d->to_names.meta, &order, &apart);

    d->elsewhere = order != 0;
    if (!st)
        st = look_at_source(d);
    if (!st)
        st = drxi_files->same(d->from_names.meta, d->to_names.meta, &same);
    if (!st && same)
        st = drxi_fail(DRX_EINVAL, "%s: is the same array as %s", d->from_names.meta, d->to_names.meta);
    if (!st)
        st = drxi_look_first(&d->to_names, (d->flags & DRX_REPLACE) != 0);
    return st ? st : fix_folders(d);
}

/* The bytes that a file stores among its first `length` ones; the source may have
 * become shorter than it was: then holes stand there. */
static drx_status copy_file(struct drxi_twin *t, drxi_io *from, drxi_io *to, int64_t length, bool holes)
{
    struct duplicating *d = (struct duplicating *)(void *)t;
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
        st = from->ops->read(from, t->buf, (size_t)n, at, &got);
        if (!st && got > 0)
            st = to->ops->write(to, t->buf, got, at);
        unsynced += n;
        if (!st && unsynced >= SYNC_BYTES) {
            st = to->ops->sync(to);
            unsynced = 0;
        }
        d->done = drxi_min(d->done + n, d->total);
        if (!st)
            st = share_twin(t);
    }
    return st;
}

/* Stripes of its own for the copy. */
static drx_status name_stripes(struct duplicating *d)
{
    drx_spec spec;
    struct drxi_stripes *to = &d->to->log.state.stripes;
    uint8_t id[DRXI_ID_BYTES];
    drx_status st = drxi_new_id(id);

    drx_describe(d->from, &spec);
    if (!st)
        st = drxi_stripes_new(d->to->path, id, &spec, to);
    return st || !d->elsewhere ? st : drxi_stripes_absolute(d->from->path, to);
}

static drx_status copy_meta(struct duplicating *d)
{
    drx_status st;

    if (!d->unique || !has_data(d)) {
        st = copy_file(&d->twin, d->from->log.io, d->to->log.io, d->meta_bytes, true);
        return st ? st : drxi_live_has_path(d->to->log.io);
    }
    st = drxi_log_restripe(&d->from->log, &d->to->log.state.stripes, d->to->log.io);
    d->done = drxi_min(d->done + d->meta_bytes, d->total);
    return st ? st : share_twin(&d->twin);
}

/* The copy is described as the source is. */
static drx_status copy_data(struct duplicating *d)
{
    d->to->log.state.desc = d->from->log.state.desc;
    drxi_data_follow(&d->to->data);
    d->twin.elements = has_data(d);
    return d->from->data.file->stored->copy(&d->twin);
}

static drx_status make_files(struct duplicating *d)
{
    drx_array *to = d->to;
    const struct drxi_storage *stored = d->from->data.file->stored;
    drx_status st = has_data(d) ? name_stripes(d) : DRX_OK;

    if (!st)
        st = drxi_files->open(d->to_names.meta, DRXI_NEW, &to->log.io);
    if (!st)
        st = share_twin(&d->twin);
    if (!st)
        st = copy_meta(d);
    if (!st)
        st = copy_data(d);
    if (!st)
        st = drxi_watch_all(d->from);
    if (!st && stored->copied)
        st = stored->copied(&d->twin);
    if (!st)
        st = to->log.io->ops->sync(to->log.io);
    return st ? st : share_twin(&d->twin); /* syncing may have taken long */
}

/* The copy is in its place: the source goes. */
static drx_status remove_source(const struct duplicating *d)
{
    drxi_io *folder = NULL;
    bool named = false;
    drx_status st = drxi_files->lock_folder(d->from_names.meta, &folder);

    if (!st)
        st = d->from->log.io->ops->named(d->from->log.io, &named);
    if (!st && !named)
        st = drxi_fail(DRX_EBUSY, "%s: replaced while it was copied, and not removed", d->from_names.meta);
    if (!st)
        st = drxi_remove_files(&d->from_names, false);
    drxi_close(folder);
    return st;
}

static drx_status duplicate(struct duplicating *d)
{
    drx_status st = look_at_target(d);

    if (!st && !(d->twin.buf = drxi_malloc(PIECE_BYTES)))
        st = DRX_ENOMEM;
    if (!st)
        st = make_files(d);
    if (!st)
        st = drxi_put_in_place(d->to, &d->to_names, (d->flags & DRX_REPLACE) != 0);
    if (!st)
        st = drxi_stripes_sync_folders(&d->to->data);
    if (!st)
        st = drxi_files->sync_folder(d->to_names.meta);
    if (!st && (d->flags & DRX_MOVE))
        st = remove_source(d);
    if (!st)
        drxi_report_set(d->report ? d->report : "");
    return st;
}

drx_status drxi_duplicate_lone(const char *from, const char *to, unsigned flags, drx_progress progress, void *user)
{
    const unsigned known = DRX_REPLACE | DRX_MOVE;
    struct duplicating d = { .flags = flags, .progress = progress, .user = user };
    drx_status st = drxi_check_path(from);

    if (!st)
        st = drxi_check_path(to);
    if (st)
        return st;
    if ((flags & ~known) != 0)
        return drxi_fail(DRX_EINVAL, "%s: flags are %#x, expected 0, DRX_REPLACE, DRX_MOVE", from, flags);
    drxi_report_clear();
    st = flags & DRX_MOVE ? drxi_refuse_dataset_folder(from) : DRX_OK;
    if (!st)
        st = drxi_refuse_dataset_folder(to);
    if (!st)
        st = drxi_names_make(from, &d.from_names);
    if (!st)
        st = drxi_names_make(to, &d.to_names);
    if (!st)
        st = drxi_array_new(from, &d.from);
    if (!st)
        st = drxi_array_new(to, &d.to);
    if (!st) {
        d.twin = (struct drxi_twin){ .from = &d.from->data,
                                     .to = &d.to->data,
                                     .path = to,
                                     .buf_bytes = PIECE_BYTES,
                                     .copy = copy_file,
                                     .tell = share_twin };
        st = duplicate(&d);
    }
    if (d.to)
        (void)drxi_array_free(d.to);
    if (d.from)
        (void)drxi_array_free(d.from);
    drxi_names_free(&d.from_names);
    drxi_names_free(&d.to_names);
    drxi_free(d.report);
    drxi_free(d.twin.buf);
    return st;
}
