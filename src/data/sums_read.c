/* Verifying chunks. Readers take no lock. They read a chunk that does not match again, and its entry before and after
 * it, until it is certain that nobody was writing to it. */
#include <stdio.h>

#include "data/sums.h"
#include "format/crc.h"
#include "pool/cached_file.h"

enum {
    PIECE_BYTES = DRXI_ITEM_MAX_BYTES,
    CERTAIN = 2, /* a chunk is damaged when it differs this many times from an entry that stays the same */
    TRIES = 1000 /* after this many, writers keep changing the chunk and it cannot be verified */
};

/* Bytes of one chunk as they are on disk; missing ones are fill. */
static drx_status read_chunk_bytes(struct drxi_data *data, void *buf, size_t n, int64_t offset)
{
    size_t got = 0;
    drx_status st = data->file->io->ops->read(data->file->io, buf, n, offset, &got);

    if (st || got == n)
        return st;
    got -= got % data->item_bytes;
    drxi_fill((uint8_t *)buf + got, (int64_t)((n - got) / data->item_bytes), data->fill, data->item_bytes);
    drxi_swap((uint8_t *)buf + got, n - got, data->type);
    return DRX_OK;
}

/* Missing bytes count as fill. */
drx_status drxi_sums_crc(struct drxi_data *data, int64_t offset, int64_t n, uint32_t *crc)
{
    const int64_t most = PIECE_BYTES - PIECE_BYTES % (int64_t)data->item_bytes; /* whole elements */
    uint8_t piece[PIECE_BYTES];
    size_t part = 0, got = 0;
    drx_status st = DRX_OK;

    *crc = 0;
    for (int64_t at = 0; !st && at < n && got == part; at += most) {
        part = (size_t)drxi_min(n - at, most);
        st = data->file->io->ops->read(data->file->io, piece, part, offset + at, &got);
        got -= got % data->item_bytes;
        *crc = st ? 0 : drxi_crc32c(*crc, piece, got);
        if (!st && got < part) {
            memcpy(piece, data->fill, data->item_bytes);
            drxi_swap(piece, data->item_bytes, data->type);
            *crc = drxi_crc32c_repeated(*crc, piece, data->item_bytes,
                                        (n - at - (int64_t)got) / (int64_t)data->item_bytes);
        }
    }
    return st;
}

drx_status drxi_sums_is_stored(struct drxi_data *data, int64_t address, struct drxi_extent *known, bool *stored)
{
    const int64_t offset = address * data->chunk_pitch_bytes;
    drx_status st = DRX_OK;

    if (offset >= known->end)
        st = data->file->io->ops->extent(data->file->io, offset, &known->begin, &known->end);
    *stored = !st && known->begin < offset + data->chunk_bytes;
    return st;
}

/* Print the indices of the chunk inside the bounds, axis by axis. */
static void print_box(const struct drxi_data *data, int64_t address, char *text, size_t room)
{
    int64_t index[DRX_MAX_NDIM];
    size_t used = 0;

    drxi_map_index(&data->map, address, index);
    text[0] = '\0';
    for (int j = 0; j < data->ndim && used < room; j++) {
        const int64_t first = index[j] * data->chunk[j], lo = drxi_max(first, data->lower[j]);
        const int n = snprintf(text + used, room - used, "%s%lld..%lld", j ? ", " : "", (long long)lo,
                               (long long)drxi_min(first + data->chunk[j], data->upper[j]) - 1);

        used += n > 0 ? (size_t)n : 0;
    }
}

static drx_status mismatch(struct drxi_data *data, int64_t address, uint32_t crc, const struct drxi_sum *sum)
{
    char box[512];
    int64_t at;
    const drxi_io *file = drxi_stripes_find(data->file->io, address * data->chunk_pitch_bytes, &at);

    print_box(data, address, box, sizeof box);
    return drxi_fail(DRX_ECHECKSUM,
                     "%s: chunk %lld, elements %s: offset %lld: its %lld bytes have the checksum %08x, expected %08x",
                     file->path, (long long)address, box, (long long)at, (long long)data->chunk_bytes, crc, sum->crc);
}

drx_status drxi_sums_judge(const struct drxi_data *data, int64_t address, const struct drxi_sum *sum, bool there)
{
    const char *name = data->file->sums->io->path;

    if (!there && address < data->state->synced_chunks)
        return drxi_fail(DRX_EDAMAGED, "%s: damaged: ends before offset %lld, the checksum of chunk %lld", name,
                         (long long)address * DRXI_SUM_BYTES, (long long)address);
    if (drxi_sum_kind(sum) == DRXI_SUM_BAD)
        return drxi_fail(DRX_EDAMAGED, "%s: damaged: offset %lld: the entry of chunk %lld has the state %#x and %08x",
                         name, (long long)address * DRXI_SUM_BYTES, (long long)address, sum->state, sum->crc);
    return DRX_OK;
}

static drx_status get_one(const struct drxi_data *data, int64_t address, struct drxi_sum *sum)
{
    int64_t there;
    drx_status st = drxi_sums_get(data->file->sums, address, 1, sum, &there);

    return st ? st : drxi_sums_judge(data, address, sum, there == 1);
}

/* Read the chunk into `bytes`, or only its CRC when that is NULL. */
static drx_status read_chunk(struct drxi_data *data, int64_t address, uint8_t *bytes, uint32_t *crc)
{
    const int64_t offset = address * data->chunk_pitch_bytes;
    int64_t at;
    struct drxi_cache *cache = drxi_cache_of(drxi_stripes_find(data->file->io, offset, &at));
    drx_status st;

    if (cache)
        drxi_cache_forget(cache, at, data->chunk_bytes);
    if (!bytes)
        return drxi_sums_crc(data, offset, data->chunk_bytes, crc);
    st = read_chunk_bytes(data, bytes, (size_t)data->chunk_bytes, offset);
    *crc = st ? 0 : drxi_crc32c(0, bytes, (size_t)data->chunk_bytes);
    return st;
}

static drx_status look_again(struct drxi_data *data, int64_t address, uint8_t *bytes)
{
    int wrong = 0;

    for (int i = 0; i < TRIES; i++) {
        struct drxi_sum before, after;
        uint32_t crc = 0;
        drx_status st;

        drxi_data_drop_read(data);
        st = get_one(data, address, &before);
        if (!st)
            st = read_chunk(data, address, bytes, &crc);
        if (!st)
            st = get_one(data, address, &after);
        if (st || !drxi_sum_counts(data->file->sums, &before))
            return st;
        if (memcmp(&before, &after, sizeof before) != 0)
            continue;
        if (crc == before.crc)
            return DRX_OK;
        if (++wrong == CERTAIN)
            return mismatch(data, address, crc, &before);
    }
    return DRX_OK;
}

drx_status drxi_sums_verify_chunk(struct drxi_data *data, int64_t address)
{
    return look_again(data, address, NULL);
}

/* The bytes between chunks of a box may be of chunks that were trimmed. They, and their entries, may hold anything. */
bool drxi_data_lives(const struct drxi_data *data, int64_t address)
{
    const drxi_map *map = &data->map;
    int64_t index[DRX_MAX_NDIM];

    if (!data->trimmed)
        return true;
    drxi_map_index(map, address, index);
    return drxi_map_lives(map, address, index);
}

static drx_status verify_some(struct drxi_data *data, uint8_t *bytes, int64_t first, int64_t n)
{
    struct drxi_sum sum[DRXI_SUMS_MOST];
    int64_t there;
    drx_status st = drxi_sums_get(data->file->sums, first, n, sum, &there);

    for (int64_t i = 0; !st && i < n; i++) {
        uint8_t *chunk = bytes + i * data->chunk_pitch_bytes;

        st = drxi_sums_judge(data, first + i, &sum[i], i < there);
        if (!st && drxi_sum_counts(data->file->sums, &sum[i]) &&
            drxi_crc32c(0, chunk, (size_t)data->chunk_bytes) != sum[i].crc && drxi_data_lives(data, first + i))
            st = look_again(data, first + i, chunk);
    }
    return st;
}

drx_status drxi_sums_verify_lacking(struct drxi_data *data, size_t n, size_t got, int64_t offset)
{
    const int64_t pitch = data->chunk_pitch_bytes, end = offset + (int64_t)n;
    const int64_t first = drxi_max(drxi_ceil_div(offset, pitch), (offset + (int64_t)got) / pitch);
    drx_status st = DRX_OK;

    for (int64_t at = first; !st && at * pitch + data->chunk_bytes <= end; at++)
        if (drxi_data_lives(data, at))
            st = drxi_sums_verify_chunk(data, at);
    return st;
}

drx_status drxi_sums_verify(struct drxi_data *data, void *bytes, size_t n, int64_t offset)
{
    const int64_t pitch = data->chunk_pitch_bytes, end = offset + (int64_t)n;
    const int64_t last = end / pitch + (end % pitch >= data->chunk_bytes);
    drx_status st = DRX_OK;

    for (int64_t at = drxi_ceil_div(offset, pitch); !st && at < last; at += DRXI_SUMS_MOST)
        st = verify_some(data, (uint8_t *)bytes + (at * pitch - offset), at, drxi_min(last - at, DRXI_SUMS_MOST));
    return st;
}
