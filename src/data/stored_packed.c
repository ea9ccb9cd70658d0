/* Compressed chunks: payloads, and the table that says where they are. */
#include "data/sums.h"

static int packed_count(const struct drxi_state *s)
{
    (void)s;
    return 2;
}

static char *packed_name(const struct drxi_data *data, const char *path, int k)
{
    (void)data;
    return drxi_format("%s.%s", path, k == 0 ? "xtz" : "xct");
}

static bool packed_file(const struct drxi_data *data, int k, struct drxi_stored_file *out)
{
    const struct drxi_pack *p = data->file->pack;

    *out = (struct drxi_stored_file){ .io = k == 0 ? p->payloads : p->table };
    return k < 2;
}

static int64_t packed_length(const struct drxi_data *data, int k, int64_t chunks)
{
    (void)data;
    return k == 0 ? INT64_MAX : chunks * DRXI_ENTRY_BYTES;
}

static drxi_io *elements(const struct drxi_data *data)
{
    return data->file->pack->payloads;
}

/* They are open, or `st` tells why not. */
static drx_status use(struct drxi_data *data, drxi_io *const files[], bool new, drx_status st)
{
    struct drxi_data_file *f = data->file;

    if (!st)
        st = drxi_pack_open(files[0], files[1], new, f->log, &f->pack);
    for (int k = 0; st && k < 2; k++)
        if (files[k])
            (void)files[k]->ops->close(files[k]);
    if (st)
        return st;
    f->io = &f->pack->io;
    f->stored = &drxi_stored_packed;
    return DRX_OK;
}

static drx_status open_packed_file(struct drxi_data *data, const char *path, int k, enum drxi_how how, drxi_io **out)
{
    char *file_name = path ? packed_name(data, path, k) : NULL;
    drx_status st = file_name ? drxi_files->open(file_name, how, out) : path ? DRX_ENOMEM : drxi_memory_open(out);

    if (st == DRX_ENOENT && how != DRXI_NEW)
        st = drxi_fail(st, "%s: missing, %s.xmd is there", file_name, path);
    drxi_free(file_name);
    return st;
}

static drx_status packed_join(struct drxi_data *data, const char *path, drxi_io *const files[])
{
    (void)path;
    return use(data, files, false, DRX_OK);
}

static drx_status packed_open(struct drxi_data *data, const char *path, enum drxi_how how)
{
    drxi_io *files[2] = { NULL, NULL };
    drx_status st = open_packed_file(data, path, 0, how, &files[0]);

    if (!st)
        st = open_packed_file(data, path, 1, how, &files[1]);
    if (!st) /* an entry must not be older than the state to which the payloads are pinned */
        drxi_state_drop(files[1]);
    return use(data, files, how == DRXI_NEW, st);
}

static drx_status close_pack(struct drxi_data *data)
{
    data->file->pack = NULL; /* it is data->file->io */
    return DRX_OK;
}

/* ---- an exact copy ---- */

struct copying {
    struct drxi_twin *twin;
    bool changed; /* an entry of the table, since it was copied */
};

static drx_status copy_payload(const struct drxi_twin *t, const struct drxi_half *half)
{
    drxi_io *from = t->from->file->pack->payloads, *to = t->to->file->pack->payloads;
    drx_status st = DRX_OK;

    for (int64_t at = 0; !st && half->there && at < half->length; at += t->buf_bytes) {
        const size_t n = (size_t)drxi_min(t->buf_bytes, half->length - at);
        size_t got;

        st = from->ops->read(from, t->buf, n, half->offset + at, &got);
        if (!st && got > 0)
            st = to->ops->write(to, t->buf, got, half->offset + at);
    }
    return st;
}

/* A writer may have replaced a payload since its entry was copied, and given its space back, or used it again: copy
 * what it has now. */
static drx_status follow_entry(struct drxi_pack *from, int64_t q, struct drxi_entry *e, void *arg)
{
    struct copying *c = arg;
    drxi_io *to = c->twin->to->file->pack->table;
    uint8_t had[DRXI_ENTRY_BYTES] = { 0 };
    size_t got = 0;
    drx_status st = to->ops->read(to, had, sizeof had, q * DRXI_ENTRY_BYTES, &got);

    c->changed = c->changed || memcmp(had, e->bytes, sizeof had) != 0;
    while (!st && memcmp(had, e->bytes, sizeof had) != 0) {
        memcpy(had, e->bytes, sizeof had);
        for (int k = 0; !st && k < 2; k++)
            st = copy_payload(c->twin, &e->half[k]);
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
static drx_status packed_copy(struct drxi_twin *t)
{
    struct copying c = { .twin = t, .changed = true };
    struct drxi_pack *from = t->from->file->pack;
    int64_t length = 0, size = 0;
    drx_status st = packed_open(t->to, t->path, DRXI_NEW);

    if (!st)
        st = drxi_twin_length(t, 1, &length);
    if (!st)
        st = t->copy(t, from->table, t->to->file->pack->table, length, false);
    if (!st)
        st = drxi_twin_length(t, 0, &size);
    if (!st)
        st = t->copy(t, from->payloads, t->to->file->pack->payloads, size, false);
    while (!st && c.changed) { /* until nothing was copied again while the others stayed */
        c.changed = false;
        st = drxi_pack_walk(from, 0, length / DRXI_ENTRY_BYTES, follow_entry, &c);
        if (!st)
            st = t->tell(t);
    }
    return st ? st : t->to->file->io->ops->sync(t->to->file->io);
}

/* ---- elements ---- */

static drx_status hold_start(struct drxi_hold *h)
{
    return drxi_pack_begin(h->data->file->pack, h->range.first, h->whole, &h->pack);
}

static drx_status hold_write(struct drxi_hold *h, const void *buf, size_t n, int64_t within)
{
    return drxi_pack_write(&h->pack, buf, n, within);
}

static drx_status hold_end(struct drxi_hold *h, drx_status st)
{
    return drxi_pack_end(&h->pack, st);
}

/* The length of a compressed chunk, and where it is. */
static drx_status place_payload(struct drxi_data *data, int64_t q, drx_place *out)
{
    const struct drxi_pack *p = data->file->pack;
    struct drxi_half half;
    bool stored = false;
    int64_t size = 0;
    drx_status st = drxi_pack_find(data->file->pack, q, &half, &stored);

    if (st || !stored) {
        out->file = -1;
        return st;
    }
    st = p->payloads->ops->size(p->payloads, &size);
    *out = (drx_place){ .file = 1, .is_open = half.open, .offset = half.offset, .bytes = half.length };
    out->lacking_bytes = drxi_max(0, drxi_min(out->bytes, out->offset + out->bytes - size));
    return st;
}

/* ---- promises ---- */

static drx_status guard(struct drxi_data *data, bool on)
{
    return drxi_pack_guard(data->file->pack, 0, DRXI_PACK_MOST_CHUNKS, on);
}

static drx_status packed_promise(struct drxi_data *data)
{
    return drxi_pack_promise(data->file->pack, data->file->io);
}

/* When everything is synced, what a newer half does not name will never be needed: no power cut brings it back. Readers
 * look at the entry again. */
static drx_status reclaim(struct drxi_data *data, bool all)
{
    drx_status st = all ? DRX_OK : drxi_pack_is_mostly_dead(data->file->pack, &all);

    return st || !all ? st : drxi_pack_reclaim(data->file->pack);
}

/* Entries that are cut off do not come back with a later growth, if the power is cut. */
static drx_status packed_recover(struct drxi_data *data)
{
    drxi_io *table = data->file->pack->table;
    const int64_t chunks = data->state->map.chunks, length = chunks * DRXI_ENTRY_BYTES;
    int64_t size = 0;
    drx_status st = table->ops->size(table, &size);

    if (!st && size != length)
        st = drxi_data_resize(data, chunks);
    if (!st && size > length)
        st = table->ops->sync(table);
    return st ? st : drxi_pack_recover(data->file->pack);
}

const struct drxi_storage drxi_stored_packed = {
    .kind = DRXI_STORED_PACKED,
    .held = true,
    .empty_is_fill = true,
    .closes = true,
    .epochs = true,
    .least_chunks = 2,
    .count = packed_count,
    .name = packed_name,
    .file = packed_file,
    .length = packed_length,
    .elements = elements,
    .open = packed_open,
    .join = packed_join,
    .close = close_pack,
    .copy = packed_copy,
    .put = drxi_data_store,
    .complete = drxi_raw_complete,
    .hold_start = hold_start,
    .hold_write = hold_write,
    .hold_end = hold_end,
    .place = place_payload,
    .settle = drxi_nothing,
    .promise = packed_promise,
    .guard = guard,
    .reclaim = reclaim,
    .recover = packed_recover,
};
