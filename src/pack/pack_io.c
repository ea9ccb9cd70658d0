/* Payloads and table as one file: the chunk with address q lies from q times the pitch on, as in the file of a raw
 * array. So whatever handles that file handles these, too. Boxes are moved faster by those who know what it is. */
#include "io/lacking.h"
#include "pack/pack.h"

static struct drxi_pack *pack_of(drxi_io *io)
{
    return (struct drxi_pack *)(void *)io; /* io is its first member */
}

_Static_assert(offsetof(struct drxi_pack, io) == 0, "of");

/* The part of n bytes from the offset on that lies in one chunk; *elements of them are not padding. */
static int64_t part_at(const struct drxi_pack *p, int64_t offset, size_t n, int64_t *q, int64_t *start,
                       int64_t *elements)
{
    int64_t part;

    *q = offset / p->pitch;
    *start = offset % p->pitch;
    part = drxi_min((int64_t)n, p->pitch - *start);
    *elements = drxi_max(drxi_min(part, p->chunk_bytes - *start), 0);
    return part;
}

/* Bytes of a chunk that do not begin or end at items. */
static drx_status read_odd(struct drxi_pack *p, int64_t q, int64_t start, int64_t n, struct drxi_pack_room *room,
                           uint8_t *out, bool *stored)
{
    uint8_t *chunk = drxi_malloc((size_t)p->chunk_bytes);
    drx_status st = chunk ? drxi_pack_read_chunk(p, q, room, chunk, stored) : DRX_ENOMEM;

    if (!st && *stored)
        memcpy(out, chunk + start, (size_t)n);
    drxi_free(chunk);
    return st;
}

static drx_status read_payload_part(struct drxi_pack *p, int64_t q, int64_t start, int64_t n,
                                    struct drxi_pack_room *room, uint8_t *out)
{
    const int64_t item = (int64_t)p->item_bytes;
    const bool odd = start % item != 0 || n % item != 0;
    const uint8_t *fill;
    bool stored = false;
    drx_status st = odd ? read_odd(p, q, start, n, room, out, &stored)
                        : drxi_pack_read_part(p, q, start, (size_t)n, room, out, &stored);

    if (st || stored)
        return st;
    if (!(fill = drxi_keep_swapped(p->log->state.desc.fill, p->item_bytes, p->log->state.desc.type)))
        return DRX_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        out[i] = fill[(start + i) % item];
    return DRX_OK;
}

/* Of chunks whose entries are whole. */
static drx_status pack_size(drxi_io *io, int64_t *bytes)
{
    struct drxi_pack *p = pack_of(io);
    const drx_status st = p->table->ops->size(p->table, bytes);

    *bytes = *bytes / DRXI_ENTRY_BYTES * p->pitch;
    return st;
}

static drx_status pack_read(drxi_io *io, void *buf, size_t n, int64_t offset, size_t *got)
{
    struct drxi_pack *p = pack_of(io);
    struct drxi_pack_room room = { .frame = NULL };
    uint8_t *out = buf;
    drx_status st = DRX_OK;
    const int64_t size = drxi_pack_chunks(p, &st) * p->pitch;

    *got = 0;
    n = (size_t)drxi_max(drxi_min((int64_t)n, size - offset), 0);
    while (!st && *got < n) {
        int64_t q, start, elements;
        const int64_t part = part_at(p, offset + (int64_t)*got, n - *got, &q, &start, &elements);

        if (elements > 0)
            st = read_payload_part(p, q, start, elements, &room, out + *got);
        memset(out + *got + elements, 0, (size_t)(part - elements));
        *got += st ? 0 : (size_t)part;
    }
    drxi_pack_room_free(&room);
    return st;
}

static drx_status pack_write(drxi_io *io, const void *buf, size_t n, int64_t offset)
{
    struct drxi_pack *p = pack_of(io);
    const uint8_t *in = buf;
    drx_status st = DRX_OK;

    while (!st && n > 0) {
        struct drxi_pack_hold h;
        int64_t q, start, elements;
        const int64_t part = part_at(p, offset, n, &q, &start, &elements);

        if (elements > 0) {
            st = drxi_pack_begin(p, q, elements == p->chunk_bytes, &h);
            if (!st)
                st = drxi_pack_write(&h, in, (size_t)elements, start);
            st = drxi_pack_end(&h, st);
        }
        in += part;
        n -= (size_t)part;
        offset += part;
    }
    return st;
}

static drx_status pack_resize(drxi_io *io, int64_t bytes)
{
    struct drxi_pack *p = pack_of(io);
    const drx_status st = p->table->ops->resize(p->table, drxi_ceil_div(bytes, p->pitch) * DRXI_ENTRY_BYTES);

    drxi_pack_forget_row(p);
    return st;
}

static drx_status pack_punch(drxi_io *io, int64_t begin, int64_t end)
{
    struct drxi_pack *p = pack_of(io);

    return drxi_pack_drop(p, drxi_ceil_div(begin, p->pitch), end / p->pitch);
}

static drx_status pack_sync(drxi_io *io)
{
    struct drxi_pack *p = pack_of(io);
    drx_status st = p->payloads->ops->sync(p->payloads);

    if (!st)
        st = p->table->ops->sync(p->table);
    if (!st)
        drxi_pack_synced(p);
    return st;
}

enum { MOST_SEEKED = 1024 };

struct seeking {
    int64_t begin, end; /* chunks */
};

static const drx_status found = DRX_STATUS_MAX_;

static drx_status seek(struct drxi_pack *p, int64_t q, struct drxi_entry *e, void *arg)
{
    struct seeking *s = arg;

    (void)p;
    (void)e;
    if (s->begin < 0)
        s->begin = s->end = q;
    if (q > s->end || q - s->begin >= MOST_SEEKED)
        return found;
    s->end = q + 1;
    return DRX_OK;
}

static drx_status pack_extent(drxi_io *io, int64_t offset, int64_t *begin, int64_t *end)
{
    struct drxi_pack *p = pack_of(io);
    struct seeking s = { -1, -1 };
    const drx_status st = drxi_pack_walk(p, offset / p->pitch, INT64_MAX / DRXI_ENTRY_BYTES, seek, &s);

    *begin = *end = INT64_MAX;
    if (st && st != found)
        return st;
    if (s.begin >= 0) {
        *begin = drxi_max(offset, s.begin * p->pitch);
        *end = s.end * p->pitch;
    }
    return DRX_OK;
}

static drx_status pack_stamp(drxi_io *io, uint64_t *stamp)
{
    struct drxi_pack *p = pack_of(io);
    uint64_t other = 0;
    drx_status st = p->payloads->ops->stamp(p->payloads, stamp);

    if (!st)
        st = p->table->ops->stamp(p->table, &other);
    *stamp += other;
    return st;
}

static drx_status pack_named(drxi_io *io, bool *named)
{
    struct drxi_pack *p = pack_of(io);
    drx_status st = p->payloads->ops->named(p->payloads, named);

    return st || !*named ? st : p->table->ops->named(p->table, named);
}

static drx_status pack_close(drxi_io *io)
{
    struct drxi_pack *p = pack_of(io);
    drx_status st = p->payloads->ops->close(p->payloads);
    const drx_status other = p->table->ops->close(p->table);

    drxi_pack_cache_free(p);
    (void)pthread_mutex_destroy(&p->row.lock);
    (void)pthread_mutex_destroy(&p->lock);
    (void)pthread_cond_destroy(&p->given);
    drxi_free(p->taken);
    drxi_free(p->slots.of);
    drxi_free(p);
    return st ? st : other;
}

static const struct drxi_io_ops pack_ops = {
    .read = pack_read,
    .write = pack_write,
    .size = pack_size,
    .resize = pack_resize,
    .reserve = drxi_no_reserve, /* room is taken when payloads are written */
    .punch = pack_punch,
    .sync = pack_sync,
    .extent = pack_extent,
    .lock = drxi_refuse_lock,
    .unlock = drxi_no_unlock,
    .locked = drxi_never_locked,
    .stamp = pack_stamp,
    .named = pack_named,
    .sole = drxi_no_sole,
    .replace = drxi_no_replace,
    .alias = drxi_no_alias,
    .close = pack_close,
    .guard = drxi_refuse_guard,
};

static void lay_out_payloads(struct drxi_pack *p, const struct drxi_desc *d)
{
    struct drxi_laid laid;

    p->codec = d->codec;
    p->item_bytes = drx_type_size(d->type);
    p->zero_fill = drxi_is_zero(d->fill, p->item_bytes);
    p->align = d->align;
    (void)drxi_desc_lay(d, &laid);
    p->pitch = laid.pitch;
    p->chunk_bytes = laid.bytes;
}

drx_status drxi_pack_open(drxi_io *payloads, drxi_io *table, bool new, struct drxi_log *log, struct drxi_pack **out)
{
    struct drxi_pack *p = drxi_calloc(1, sizeof *p);
    drx_status st;

    *out = NULL;
    if (!p)
        return DRX_ENOMEM;
    lay_out_payloads(p, &log->state.desc);
    st = drxi_codec_check(&p->codec, p->chunk_bytes);
    if (!st)
        st = payloads->ops->size(payloads, &p->end);
    if (st) {
        drxi_free(p);
        return st;
    }
    (void)pthread_mutex_init(&p->lock, NULL);
    (void)pthread_cond_init(&p->given, NULL);
    (void)pthread_mutex_init(&p->cache.lock, NULL);
    (void)pthread_mutex_init(&p->row.lock, NULL);
    p->io.ops = &pack_ops;
    p->log = log;
    p->payloads = payloads;
    p->table = table;
    p->found = p->end;
    log->epoch = drxi_max(log->epoch, log->state.epoch + 1);
    p->checked = new;
    p->given_back = new ? 0 : -1;
    p->io.path = p->table->path;
    p->io.callers_only = p->payloads->callers_only;
    p->io.cost = p->payloads->cost;
    p->io.cost.depth = 0; /* whoever knows what it is reads the payloads */
    p->io.cost.direct = p->io.cost.mapped = false;
    *out = p;
    return DRX_OK;
}
