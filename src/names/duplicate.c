/* An exact copy of the files of an array.
 *
 * The log is read first, and decides what is copied: its longest valid prefix, and the chunks that this describes.
 * The data are read after it, so whatever the prefix promises is there. What a writer does meanwhile looks like the
 * residue of a crash, which the first open of the copy for writing mends. The files are made without names, and put
 * in place at the end.
 *
 * The copy of a striped array has new stripes in the same folders, so its log begins with another record. An array
 * that moves keeps its stripes, and its log. */
#include "array/place.h"

#include "data/sums.h"
#include "drx_tools.h"

/* Regular syncs make progress real, and let an interrupt take effect soon. */
enum { PIECE_BYTES = 4 << 20, SYNC_BYTES = 256 << 20 };

struct duplicating {
    drx_array *from, *to; /* `to` is a handle for the new files alone */
    struct drxi_names from_names, to_names;
    unsigned flags;
    bool elsewhere; /* the two are in different folders */
    bool damaged;
    int64_t meta_bytes; /* bytes of the log to copy */
    char *report;       /* the report of damage, or NULL */
    drx_progress progress;
    void *user;
    int64_t done, total;
    bool changed; /* an entry of the table, since it was copied */
    uint8_t *buf;
};

static drx_status tell(const struct duplicating *d)
{
    if (!d->progress || d->progress(d->user, d->done, d->total) == 0)
        return DRX_OK;
    return drxi_fail(DRX_EINTERRUPTED, "%s: copying it was interrupted", d->from->path);
}

/* Whether data are copied: not stripes that move with their array, which stay where they are. */
static bool has_data(const struct duplicating *d)
{
    return d->from->log.state.stripes.n == 0 || !(d->flags & DRX_MOVE);
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

/* The bytes of a file to copy, holes included; those after the `whole` ones are of a damaged array alone. */
static drx_status length_of(const struct duplicating *d, drxi_io *file, int64_t whole, int64_t *length)
{
    const drx_status st = file->ops->size(file, length);

    if (!d->damaged)
        *length = drxi_min(*length, whole);
    return st;
}

/* Of file k of the data. */
static drx_status file_length(const struct duplicating *d, int k, int64_t *length)
{
    return length_of(d, drxi_stripes_file(d->from->data.file->io, k), drxi_data_length(&d->from->data, k), length);
}

static drx_status sums_length(const struct duplicating *d, int64_t *length)
{
    return length_of(d, d->from->data.file->sums->io, d->from->log.state.map.chunks * DRXI_SUM_BYTES, length);
}

static drx_status table_length(const struct duplicating *d, int64_t *length)
{
    return length_of(d, d->from->data.file->pack->table, d->from->log.state.map.chunks * DRXI_ENTRY_BYTES, length);
}

static drx_status count(struct duplicating *d, drxi_io *file, int64_t length)
{
    int64_t stored = 0;
    const drx_status st = drxi_stored_bytes(file, length, false, &stored);

    d->total += stored;
    return st;
}

static drx_status count_packed(struct duplicating *d)
{
    drxi_io *payloads = d->from->data.file->pack->payloads;
    int64_t length = 0;
    drx_status st = table_length(d, &length);

    if (!st)
        st = count(d, d->from->data.file->pack->table, length);
    if (!st)
        st = payloads->ops->size(payloads, &length);
    return st ? st : count(d, payloads, length);
}

static drx_status count_data(struct duplicating *d)
{
    const struct drxi_data *data = &d->from->data;
    int64_t length = 0;
    drx_status st = data->file->sums ? sums_length(d, &length) : DRX_OK;

    if (!st && data->file->sums)
        st = count(d, data->file->sums->io, length);
    if (data->file->pack)
        return st ? st : count_packed(d);
    for (int k = 0; !st && has_data(d) && k < drxi_stripes_count(data->file->io); k++) {
        st = file_length(d, k, &length);
        if (!st)
            st = count(d, drxi_stripes_file(data->file->io, k), length);
    }
    return st;
}

/* Find out what to copy: all that is whole, or everything that is there of a damaged array. */
static drx_status survey(struct duplicating *d, enum drxi_tail tail)
{
    drx_array *a = d->from;
    int64_t size;
    drx_status st;

    d->damaged = tail == DRXI_DAMAGED;
    if (d->damaged)
        d->report = drxi_strdup(drx_last_error());
    d->meta_bytes = a->log.state.chain.end;
    st = drxi_data_check_length(&a->data, &size, &d->damaged);
    if (!st)
        st = drxi_sums_check_length(&a->data, &d->damaged);
    if (!st && a->log.state.desc.flags & DRXI_DESC_CHECKSUM && !a->data.file->sums) {
        (void)drxi_sums_missing(a->path);
        d->damaged = true;
    }
    if (!st && d->damaged && !d->report)
        d->report = drxi_strdup(drx_last_error());
    if (!st && d->damaged)
        st = a->log.io->ops->size(a->log.io, &d->meta_bytes);
    if (st)
        return st;
    if (d->damaged && !d->report)
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

static drx_status look(struct duplicating *d)
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

/* Stripes of its own for the copy. */
static drx_status name_stripes(struct duplicating *d)
{
    const struct drxi_stripes *from = &d->from->log.state.stripes;
    struct drxi_stripes *to = &d->to->log.state.stripes;
    uint8_t id[DRXI_ID_BYTES];
    drx_status st;

    if (from->n == 0)
        return DRX_OK;
    st = drxi_new_id(id);
    if (!st)
        st = drxi_stripes_new(d->to->path, id, from->n, (const char *const *)from->folder, to);
    return st || !d->elsewhere ? st : drxi_stripes_absolute(d->from->path, to);
}

static drx_status open_data(struct duplicating *d)
{
    drx_status st = name_stripes(d);

    if (!st && d->from->data.file->pack) {
        st = drxi_pack_open(d->to->path, DRXI_NEW, &d->from->log, &d->to->data.file->unsynced, &d->to->data.file->io);
        d->to->data.file->pack = drxi_pack_of(d->to->data.file->io);
        return st;
    }
    return st ? st
              : drxi_data_open(d->to->path, &d->to->log.state.stripes, d->from->data.chunk_pitch_bytes, DRXI_NEW,
                               &d->to->data.file->io);
}

static drx_status copy_meta(struct duplicating *d)
{
    drx_status st;

    if (d->to->log.state.stripes.n == 0) {
        st = copy_file(d, d->from->log.io, d->to->log.io, d->meta_bytes, true);
        return st ? st : d->from->log.calls->has_path(&d->to->log);
    }
    st = d->from->log.calls->restripe(&d->from->log, &d->to->log.state.stripes, d->to->log.io);
    d->done = drxi_min(d->done + d->meta_bytes, d->total);
    return st ? st : tell(d);
}

/* Before the data: what is written later is told from it. */
static drx_status copy_sums(struct duplicating *d)
{
    int64_t length = 0;
    drx_status st;

    if (!d->from->data.file->sums)
        return DRX_OK;
    st = sums_length(d, &length);
    if (!st)
        st = drxi_sums_open(&d->to->data, d->to->path, DRXI_NEW);
    return st ? st : copy_file(d, d->from->data.file->sums->io, d->to->data.file->sums->io, length, false);
}

/* An entry that was copied while a writer changed it is copied again. */
static drx_status copy_entry(struct drxi_pack *from, int64_t q, struct drxi_entry *e, void *arg)
{
    struct duplicating *d = arg;
    drx_status st = DRX_OK;

    if (e->half[0].bad || e->half[1].bad || e->half[0].torn || e->half[1].torn) {
        st = drxi_pack_entry(from, q, e);
        if (st == DRX_EDAMAGED) { /* it goes along as it is */
            drxi_report_clear();
            st = DRX_OK;
        }
    }
    if (!st)
        st = d->to->data.file->pack->table->ops->write(d->to->data.file->pack->table, e->bytes, DRXI_ENTRY_BYTES,
                                                       q * DRXI_ENTRY_BYTES);
    return st;
}

static drx_status copy_payload(struct duplicating *d, const struct drxi_half *half)
{
    drxi_io *from = d->from->data.file->pack->payloads, *to = d->to->data.file->pack->payloads;
    drx_status st = DRX_OK;

    for (int64_t at = 0; !st && half->there && at < half->length; at += PIECE_BYTES) {
        const size_t n = (size_t)drxi_min(PIECE_BYTES, half->length - at);
        size_t got;

        st = from->ops->read(from, d->buf, n, half->offset + at, &got);
        if (!st && got > 0)
            st = to->ops->write(to, d->buf, got, half->offset + at);
    }
    return st;
}

/* A writer may have replaced a payload since its entry was copied, and given its space back, or used it again: copy what it
 * has now. */
static drx_status follow_entry(struct drxi_pack *from, int64_t q, struct drxi_entry *e, void *arg)
{
    struct duplicating *d = arg;
    drxi_io *to = d->to->data.file->pack->table;
    uint8_t had[DRXI_ENTRY_BYTES] = { 0 };
    size_t got = 0;
    drx_status st = to->ops->read(to, had, sizeof had, q * DRXI_ENTRY_BYTES, &got);

    d->changed = d->changed || memcmp(had, e->bytes, sizeof had) != 0;
    while (!st && memcmp(had, e->bytes, sizeof had) != 0) {
        memcpy(had, e->bytes, sizeof had);
        for (int k = 0; !st && k < 2; k++)
            st = copy_payload(d, &e->half[k]);
        if (!st)
            st = to->ops->write(to, had, sizeof had, q * DRXI_ENTRY_BYTES);
        if (!st)
            st = drxi_pack_entry(from, q, e);
        if (st == DRX_EDAMAGED)
            return DRX_OK; /* it goes along as it is */
    }
    return st;
}

/* First the table: the payloads that it names are there, and stay. */
static drx_status copy_packed(struct duplicating *d)
{
    struct drxi_pack *from = d->from->data.file->pack, *to = d->to->data.file->pack;
    int64_t length = 0, size = 0;
    drx_status st = table_length(d, &length);

    if (!st)
        st = to->table->ops->resize(to->table, length);
    if (!st)
        st = drxi_pack_walk(from, 0, length / DRXI_ENTRY_BYTES, copy_entry, d);
    if (!st)
        st = from->payloads->ops->size(from->payloads, &size);
    if (!st)
        st = copy_file(d, from->payloads, to->payloads, size, false);
    for (d->changed = true; !st && d->changed;) { /* until nothing was copied anew while the others stayed */
        d->changed = false;
        st = drxi_pack_walk(from, 0, length / DRXI_ENTRY_BYTES, follow_entry, d);
        if (!st)
            st = tell(d);
    }
    return st ? st : to->io.ops->sync(&to->io);
}

static drx_status copy_data(struct duplicating *d)
{
    drx_status st = DRX_OK;

    if (d->from->data.file->pack)
        return copy_packed(d);
    for (int k = 0; !st && k < drxi_stripes_count(d->from->data.file->io); k++) {
        int64_t length = 0;

        st = file_length(d, k, &length);
        if (!st)
            st = copy_file(d, drxi_stripes_file(d->from->data.file->io, k), drxi_stripes_file(d->to->data.file->io, k),
                           length, false);
    }
    return st ? st : d->to->data.file->io->ops->sync(d->to->data.file->io);
}

static drx_status make_files(struct duplicating *d)
{
    drx_array *to = d->to;
    drx_status st = has_data(d) ? open_data(d) : DRX_OK;

    if (!st)
        st = drxi_files->open(d->to_names.meta, DRXI_NEW, &to->log.io);
    if (!st)
        st = tell(d);
    if (!st)
        st = copy_meta(d);
    if (!st)
        st = copy_sums(d);
    if (!st && has_data(d))
        st = copy_data(d);
    if (!st)
        st = drxi_watch_all(d->from);
    if (!st && to->data.file->sums)
        st = drxi_sums_settle_copy(&d->from->data, &to->data);
    if (!st)
        st = to->log.io->ops->sync(to->log.io);
    return st ? st : tell(d); /* syncing may have taken long */
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
    if (!st && d->to->data.file->io)
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
