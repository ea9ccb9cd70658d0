/* A chunk read from its payload. */
#include <blosc.h>

#include "format/crc.h"
#include "pack/pack.h"

enum { MOST_BLOCKS = 1024, SMALL_FRACTION = 4, BLOSC_MEMORY_BYTES = 1 << 16 };

void drxi_pack_room_free(struct drxi_pack_room *room)
{
    drxi_free(room->frame);
}

static drx_status make_frame_room(struct drxi_pack_room *room, size_t bytes)
{
    if (bytes <= room->frame_bytes)
        return DRX_OK;
    drxi_free(room->frame);
    room->frame = drxi_malloc(bytes);
    room->frame_bytes = room->frame ? bytes : 0;
    return room->frame ? DRX_OK : DRX_ENOMEM;
}

/* Whether the length is one that a payload of this array can have. */
static bool is_length(const struct drxi_pack *p, const struct drxi_half *half)
{
    const int64_t whole = p->chunk_bytes + DRXI_FRAME_HEAD_BYTES;

    return half->open ? half->length == whole : half->length >= DRXI_FRAME_HEAD_BYTES && half->length <= whole;
}

/* Read bytes of the payloads: those that were fetched, or from the file. */
static drx_status get(struct drxi_pack *p, const struct drxi_pack_room *room, void *buf, size_t n, int64_t offset,
                      size_t *got)
{
    const int64_t at = offset - room->fetched_at;

    if (at < 0 || at + (int64_t)n > room->fetched_bytes)
        return p->payloads->ops->read(p->payloads, buf, n, offset, got);
    memcpy(buf, room->fetched + at, n);
    *got = n;
    return DRX_OK;
}

drx_status drxi_pack_load(struct drxi_pack *p, const struct drxi_half *half, struct drxi_pack_room *room, bool *good)
{
    const int64_t at = half->offset - room->fetched_at;
    const bool fetched = at >= 0 && at + half->length <= room->fetched_bytes;
    size_t got = half->length;
    drx_status st = DRX_OK;

    *good = false;
    if (!is_length(p, half))
        return DRX_OK;
    if (!fetched && !(st = make_frame_room(room, half->length)))
        st = p->payloads->ops->read(p->payloads, room->frame, half->length, half->offset, &got);
    if (st)
        return st;
    room->payload = fetched ? room->fetched + at : room->frame;
    *good = got == half->length && drxi_crc32c(0, room->payload, got) == half->crc;
    return DRX_OK;
}

/* Elements of an open payload. What is missing at its end was never written. */
static drx_status read_open(struct drxi_pack *p, const struct drxi_half *half, const struct drxi_pack_room *room,
                            int64_t start, size_t n, uint8_t *out, bool *good)
{
    size_t got = 0;
    drx_status st = DRX_OK;

    *good = is_length(p, half);
    if (*good)
        st = get(p, room, out, n, half->offset + DRXI_FRAME_HEAD_BYTES + start, &got);
    if (st || got == n || !*good)
        return st;
    got -= got % p->item_bytes;
    drxi_pack_fill(p, out + got, n - got);
    return DRX_OK;
}

/* Blosc does not say why it failed. DRX_ENOMEM: it cannot have had the memory that it needs. */
static drx_status check_memory(const struct drxi_pack *p)
{
    void *memory = drxi_malloc(2 * (size_t)p->chunk_bytes + BLOSC_MEMORY_BYTES);

    drxi_free(memory);
    return memory ? DRX_OK : DRX_ENOMEM;
}

drx_status drxi_pack_unpack(const struct drxi_pack *p, const struct drxi_half *half, const struct drxi_pack_room *room,
                            uint8_t *out, bool *good)
{
    *good = false;
    if (!drxi_frame_is_known(room->payload))
        return drxi_fail(DRX_EUNSUPPORTED, "%s: the payload at offset %lld has a codec that this version does not know",
                         p->payloads->path, (long long)half->offset);
    *good = drxi_frame_unpack(room->payload, half->length, out, (size_t)p->chunk_bytes);
    return *good ? DRX_OK : check_memory(p);
}

static drx_status read_whole(struct drxi_pack *p, const struct drxi_half *half, struct drxi_pack_room *room,
                             uint8_t *out, bool *good)
{
    drx_status st;

    if (half->open)
        return read_open(p, half, room, 0, (size_t)p->chunk_bytes, out, good);
    st = drxi_pack_load(p, half, room, good);
    return st || !*good ? st : drxi_pack_unpack(p, half, room, out, good);
}

/* Read some bytes of a payload to their place in a frame; *good: they are there. */
static drx_status load_frame(struct drxi_pack *p, const struct drxi_half *half, const struct drxi_pack_room *room,
                             size_t from, size_t n, uint8_t *frame, bool *good)
{
    size_t got = 0;
    drx_status st = get(p, room, frame + from, n, half->offset + (int64_t)from, &got);

    *good = !st && got == n;
    return st;
}

/* Where a block of a frame ends: where the next one in the file begins. */
static uint32_t end_of_block(const uint8_t *frame, int64_t blocks, uint32_t begin, uint32_t length)
{
    uint32_t end = length;

    for (int64_t i = 0; i < blocks; i++) {
        const uint32_t at = drxi_get32(frame + DRXI_FRAME_HEAD_BYTES + 4 * i);

        end = at > begin && at < end ? at : end;
    }
    return end;
}

/* Get the blocks of a payload that hold some items to their places in `frame`. Not *good: it has to be read whole. */
static drx_status load_blocks(struct drxi_pack *p, const struct drxi_half *half, const struct drxi_pack_room *room,
                              int64_t start, size_t n, uint8_t *frame, bool *good)
{
    size_t nbytes, cbytes, blocksize, head_bytes;
    int64_t blocks;
    drx_status st = load_frame(p, half, room, 0, DRXI_FRAME_HEAD_BYTES, frame, good);

    if (st || !*good)
        return st;
    blosc_cbuffer_sizes(frame, &nbytes, &cbytes, &blocksize);
    *good = !(frame[2] & BLOSC_MEMCPYED) && nbytes == (size_t)p->chunk_bytes && cbytes == half->length &&
            frame[3] == drxi_frame_item(p->item_bytes) && /* getitem trusts the size of an item there */
            blocksize > 0 && blocksize <= nbytes &&       /* also of blocks, which may have been negative */
            drxi_frame_is_known(frame);
    if (!*good)
        return DRX_OK;
    blocks = drxi_ceil_div((int64_t)nbytes, (int64_t)blocksize);
    head_bytes = DRXI_FRAME_HEAD_BYTES + 4 * (size_t)blocks;
    *good = blocks <= MOST_BLOCKS && head_bytes <= half->length;
    if (*good)
        st = load_frame(p, half, room, DRXI_FRAME_HEAD_BYTES, head_bytes - DRXI_FRAME_HEAD_BYTES, frame, good);
    for (int64_t b = start / (int64_t)blocksize; !st && *good && b * (int64_t)blocksize < start + (int64_t)n; b++) {
        const uint32_t begin = drxi_get32(frame + DRXI_FRAME_HEAD_BYTES + 4 * b);
        const uint32_t end = end_of_block(frame, blocks, begin, half->length);

        *good = begin >= head_bytes && begin < end;
        if (*good)
            st = load_frame(p, half, room, begin, end - begin, frame, good);
    }
    return st;
}

/* Decode only what is wanted. Not *good: read all of it. */
static drx_status read_items(struct drxi_pack *p, const struct drxi_half *half, int64_t start, size_t n,
                             struct drxi_pack_room *room, uint8_t *out, bool *good)
{
    const size_t item = drxi_frame_item(p->item_bytes);
    drx_status st;

    *good = is_length(p, half);
    if (!*good)
        return DRX_OK;
    st = make_frame_room(room, half->length);
    if (!st)
        st = load_blocks(p, half, room, start, n, room->frame, good);
    *good = !st && *good && drxi_frame_items(room->frame, half->length, (size_t)start / item, n / item, out);
    return st;
}

static drx_status read_frame_part(struct drxi_pack *p, const struct drxi_half *half, int64_t start, size_t n,
                                  struct drxi_pack_room *room, uint8_t *out, bool *good)
{
    const bool settled = drxi_pack_sure(p) || drxi_half_synced(p, half);
    uint8_t *chunk;
    drx_status st;

    *good = true;
    if (half->open)
        return read_open(p, half, room, start, n, out, good);
    if (drxi_pack_cached(p, half->offset, start, n, out))
        return DRX_OK;
    if (!drxi_pack_touch(p, half->offset) && settled && !drxi_verifies() &&
        n <= (size_t)p->chunk_bytes / SMALL_FRACTION) {
        st = read_items(p, half, start, n, room, out, good);
        if (st || *good)
            return st;
    }
    chunk = drxi_malloc((size_t)p->chunk_bytes);
    if (!chunk)
        return DRX_ENOMEM;
    st = read_whole(p, half, room, chunk, good);
    if (!st && *good) {
        memcpy(out, chunk + start, n);
        drxi_pack_keep(p, half->offset, chunk);
    }
    drxi_free(chunk);
    return st;
}

static drx_status read_half(struct drxi_pack *p, const struct drxi_half *half, int64_t start, size_t n,
                            struct drxi_pack_room *room, uint8_t *out, bool *good)
{
    if (start == 0 && n == (size_t)p->chunk_bytes)
        return read_whole(p, half, room, out, good);
    return read_frame_part(p, half, start, n, room, out, good);
}

/* Whether its checksum says that these bytes are right, or nobody else writes. Otherwise a writer may have given them
 * back meanwhile, or opened another chunk there, when it had closed the chunk or written it elsewhere: the entry says
 * so then. */
static bool is_proven(const struct drxi_pack *p, const struct drxi_half *half, size_t n)
{
    return !half->open && (drxi_pack_sure(p) || n == (size_t)p->chunk_bytes);
}

/* Ask a server again. */
static void drop_read(struct drxi_pack *p)
{
    drxi_state_drop(p->payloads);
    drxi_state_drop(p->table);
}

/* What came with the opening of a server's file, before the table did, may be of another open payload. */
static void ask_for_open(struct drxi_pack *p, struct drxi_pack_room *room)
{
    if (!atomic_load(&p->asked) && !atomic_exchange(&p->asked, true) && drxi_state_drop(p->payloads))
        room->fetched_bytes = 0;
}

/* An unsynced half whose payload is not there yields to the other; another SYNC may have come since the handle last
 * read the log. A synced one is damaged, unless a writer has changed the entry meanwhile: then it is looked at
 * again. */
drx_status drxi_pack_read_part(struct drxi_pack *p, int64_t q, int64_t start, size_t n, struct drxi_pack_room *room,
                               uint8_t *out, bool *stored)
{
    struct drxi_entry e, before;
    bool good = false, twice = false, later = false;
    drx_status st = drxi_pack_entry(p, q, &e);

    while (!st) {
        const int i = drxi_entry_newer(&e);

        *stored = i >= 0;
        if (i < 0)
            return DRX_OK;
        if (e.half[i].open)
            ask_for_open(p, room);
        st = read_half(p, &e.half[i], start, n, room, out, &good);
        if (!st && good && !is_proven(p, &e.half[i], n)) {
            before = e;
            st = drxi_pack_entry(p, q, &e);
            if (!st && memcmp(before.bytes, e.bytes, sizeof e.bytes) != 0) {
                twice = false;
                continue;
            }
        }
        if (st || good)
            return st;
        room->fetched_bytes = 0; /* read it from the file */
        drop_read(p);
        before = e;
        st = drxi_pack_entry(p, q, &e);
        if (!st && memcmp(before.bytes, e.bytes, sizeof e.bytes) != 0) {
            twice = false;
            continue;
        }
        for (int k = 0; k < 2; k++) /* what was dropped already */
            e.half[k].there = before.half[k].there;
        if (!twice || st) {
            twice = true;
        } else if (!drxi_half_synced(p, &e.half[i])) {
            st = drxi_pack_look_again(p, &later);
            e.half[i].there = twice = false;
            if (!st && later)
                st = drxi_pack_entry(p, q, &e);
        } else {
            return drxi_fail(DRX_ECHECKSUM,
                             "%s: the payload of chunk %lld, %u bytes from offset %lld on, does not match its checksum",
                             p->payloads->path, (long long)q, (unsigned)before.half[i].length,
                             (long long)before.half[i].offset);
        }
    }
    return st;
}

drx_status drxi_pack_read_chunk(struct drxi_pack *p, int64_t q, struct drxi_pack_room *room, uint8_t *out, bool *stored)
{
    return drxi_pack_read_part(p, q, 0, (size_t)p->chunk_bytes, room, out, stored);
}

/* An entry that a writer changes meanwhile is looked at again. */
static drx_status find_half(struct drxi_pack *p, int64_t q, struct drxi_pack_room *room, struct drxi_half *out,
                            bool *stored)
{
    struct drxi_entry e, before;
    bool good, later = false;
    drx_status st = drxi_pack_entry(p, q, &e);

    while (!st) {
        const int i = drxi_entry_newer(&e);

        *stored = i >= 0;
        if (i < 0)
            return DRX_OK;
        *out = e.half[i];
        good = is_length(p, out);
        if (good && !out->open && !drxi_pack_sure(p) && !drxi_half_synced(p, out))
            st = drxi_pack_load(p, out, room, &good);
        if (st || good)
            return st;
        drop_read(p);
        before = e;
        st = drxi_pack_entry(p, q, &e);
        if (!st && memcmp(before.bytes, e.bytes, sizeof e.bytes) != 0)
            continue;
        if (!st && !drxi_half_synced(p, out))
            st = drxi_pack_look_again(p, &later);
        if (!st && later) {
            later = false;
            st = drxi_pack_entry(p, q, &e);
            continue;
        }
        if (!st && drxi_half_synced(p, out))
            return drxi_fail(DRX_EDAMAGED, "%s: the payload of chunk %lld has an impossible length, %u",
                             p->payloads->path, (long long)q, (unsigned)out->length);
        for (int k = 0; k < 2; k++)
            e.half[k].there = before.half[k].there && k != i;
    }
    return st;
}

drx_status drxi_pack_find(struct drxi_pack *p, int64_t q, struct drxi_half *out, bool *stored)
{
    struct drxi_pack_room room = { .frame = NULL };
    const drx_status st = find_half(p, q, &room, out, stored);

    drxi_pack_room_free(&room);
    return st;
}
