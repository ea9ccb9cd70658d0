/* Chunks of a compressed array whose elements several processes give, written by one of them; and those that several
 * close. What becomes of a chunk is what becomes of it in packed_write.c, when one process writes all of these
 * elements. */
#include "base/work.h"
#include "box/packed.h"

struct looking {
    int ndim, axes[DRX_MAX_NDIM]; /* the slowest first */
    int64_t stride[DRX_MAX_NDIM], from[DRX_MAX_NDIM], to[DRX_MAX_NDIM];
};

/* Whether all cells of the box have a mark. */
static bool is_marked(const struct looking *l, int place, const uint8_t *marks)
{
    const int j = l->axes[place];

    if (place == l->ndim - 1)
        return !memchr(marks + l->from[j], 0, (size_t)(l->to[j] - l->from[j]));
    for (int64_t i = l->from[j]; i < l->to[j]; i++)
        if (!is_marked(l, place + 1, marks + i * l->stride[j]))
            return false;
    return true;
}

static bool covers(const struct drxi_data *data, const struct drxi_packed_bounds *b, const struct drxi_packed_chunk *c)
{
    struct looking l = { .ndim = data->ndim };

    for (int j = 0; j < data->ndim; j++) {
        l.axes[j] = data->chunk_order == DRX_ROW_MAJOR ? j : data->ndim - 1 - j;
        l.stride[j] = data->item_pitch_bytes[j] / (int64_t)data->item_bytes;
        drxi_packed_counting(b, j, c->index[j] * data->chunk[j], data->chunk[j], &l.from[j], &l.to[j]);
    }
    return is_marked(&l, 0, c->marks);
}

static int64_t items(const struct drxi_data *data)
{
    return data->chunk_bytes / (int64_t)data->item_bytes;
}

static drx_status take_chunk(struct drxi_data *data, const struct drxi_packed_bounds *b, struct drxi_packed_chunk *c)
{
    struct drxi_pack *p = data->file->pack;
    bool cover;
    drx_status st;

    if (!c->image)
        return drxi_hold_take_open(p, c->address, &c->hold);
    cover = covers(data, b, c);
    st = drxi_hold_take(p, c->address, cover, drxi_packed_at_edge(b, data, c->index), &c->hold);

    if (!st && cover && memchr(c->marks, 0, (size_t)items(data)))
        c->hold.cover = false; /* as in packed_write.c */
    return st;
}

/* The next run of marked elements from `at` on, in bytes; false when there is none. */
static bool next_run(const struct drxi_data *data, const struct drxi_packed_chunk *c, int64_t at, int64_t *begin,
                     int64_t *end)
{
    const int64_t item = (int64_t)data->item_bytes, n = items(data);
    const uint8_t *const stop = c->marks + n;
    const uint8_t *from = c->marks + at / item;
    const uint8_t *to;

    if (from == stop || !(from = memchr(from, 1, (size_t)(stop - from))))
        return false;
    to = memchr(from, 0, (size_t)(stop - from));
    *begin = (from - c->marks) * item;
    *end = ((to ? to : stop) - c->marks) * item;
    return true;
}

/* Put the elements that are written, from `begin` to `stop` in the chunk, into its bytes, which begin at `begin`. */
static void merge(const struct drxi_data *data, const struct drxi_packed_chunk *c, int64_t begin, int64_t stop,
                  uint8_t *bytes)
{
    int64_t from, to;

    for (int64_t at = begin; at < stop && next_run(data, c, at, &from, &to) && from < stop; at = to)
        memcpy(bytes + (from - begin), c->image + from, (size_t)(drxi_min(to, stop) - from));
}

struct making {
    struct drxi_data *data;
    struct drxi_packed_chunk *chunk;
};

static drx_status make_part(void *arg, int64_t i)
{
    const struct making *m = arg;
    struct drxi_packed_chunk *c = &m->chunk[i];
    drx_status st = c->hold.held ? drxi_hold_fetch(&c->hold) : DRX_OK;

    if (c->image)
        drxi_swap(c->image, (size_t)m->data->chunk_bytes, m->data->type);
    if (st || !c->hold.held || !c->hold.bytes)
        return st;
    if (c->image)
        merge(m->data, c, 0, m->data->chunk_bytes, c->hold.bytes);
    return drxi_hold_pack(&c->hold);
}

drx_status drxi_packed_begin(struct drxi_data *data, const struct drxi_packed_bounds *b, int64_t n,
                             struct drxi_packed_chunk c[])
{
    struct making m = { data, c };
    int64_t held = 0;
    drx_status st = DRX_OK;

    for (int64_t i = 0; !st && i < n; i++) {
        st = take_chunk(data, b, &c[i]);
        held += c[i].hold.held;
    }
    if (st || held == 0)
        return st;
    if (n > 1 && !data->file->io->callers_only && drxi_work_threads() > 1)
        return drxi_work_share(n, make_part, &m);
    for (int64_t i = 0; !st && i < n; i++)
        st = make_part(&m, i);
    return st;
}

/* Write the elements from `begin` to `end`, where the gaps between them are small, with the gaps. */
static drx_status write_chunk_span(struct drxi_data *data, struct drxi_packed_chunk *c, int64_t begin, int64_t end)
{
    struct drxi_pack_room room = { .frame = NULL };
    uint8_t *bytes = drxi_malloc((size_t)(end - begin));
    bool stored;
    drx_status st =
        bytes ? drxi_pack_read_part(data->file->pack, c->address, begin, (size_t)(end - begin), &room, bytes, &stored)
              : DRX_ENOMEM;

    if (!st) {
        merge(data, c, begin, end, bytes);
        st = drxi_pack_write(&c->hold, bytes, (size_t)(end - begin), begin);
    }
    drxi_pack_room_free(&room);
    drxi_free(bytes);
    return st;
}

/* Write an open chunk in place. Nobody else writes to it meanwhile. */
static drx_status write_open(struct drxi_data *data, struct drxi_packed_chunk *c)
{
    int64_t begin, end, from, to;
    bool more = next_run(data, c, 0, &from, &to);
    drx_status st = DRX_OK;

    while (!st && more) {
        int64_t runs = 0;

        begin = from;
        do {
            end = to;
            runs++;
            more = next_run(data, c, end, &from, &to);
        } while (more && from - end <= DRXI_PACKED_READ_THROUGH_BYTES);
        st = runs == 1 ? drxi_pack_write(&c->hold, c->image + begin, (size_t)(end - begin), begin)
                       : write_chunk_span(data, c, begin, end);
    }
    return st;
}

static drx_status put_payloads(struct drxi_data *data, int64_t n, struct drxi_packed_chunk c[])
{
    struct drxi_pack_hold **hold = drxi_malloc((size_t)n * sizeof(struct drxi_pack_hold *));
    int64_t count = 0;
    drx_status st = hold ? DRX_OK : DRX_ENOMEM;

    for (int64_t i = 0; !st && i < n; i++)
        if (c[i].hold.held && c[i].hold.kind != DRXI_HOLD_OPEN)
            hold[count++] = &c[i].hold;
    if (!st && count > 0)
        st = drxi_hold_commit_placed(data->file->pack, count, hold);
    for (int64_t i = 0; !st && i < n; i++) {
        if (!c[i].image)
            continue;
        if (c[i].hold.kind == DRXI_HOLD_OPEN && !c[i].hold.bytes)
            st = write_open(data, &c[i]);
        drxi_count(&data->file->counts.writes, 1);
        drxi_count(&data->file->counts.written_bytes, data->chunk_bytes);
    }
    drxi_free(hold);
    return st;
}

drx_status drxi_packed_end(struct drxi_data *data, int64_t n, struct drxi_packed_chunk c[], bool write)
{
    const drx_status st = write && n > 0 ? put_payloads(data, n, c) : DRX_OK;

    for (int64_t i = 0; i < n; i++)
        drxi_hold_give(&c[i].hold);
    return st;
}
