/* The halves of an entry.
 *
 * The newer half has the larger epoch (drx-format.md, 10.2).
 *
 * A power cut may leave the first words, of 8 bytes, of a half that was being written. So the first word has a sum of
 * the epoch: with that of an epoch past the last SYNC, the half was never promised, and one whose CRC is wrong was
 * cut so. Sums of epochs differ in several bits, so damage does not look like that. */
#include "format/crc.h"
#include "pack/pack.h"

/* The CRC of a half, which holds for one chunk only. */
static uint32_t crc_of(const uint8_t *p, int64_t q)
{
    uint8_t address[8];

    drxi_put64(address, (uint64_t)q);
    return drxi_crc32c(drxi_crc32c(0, address, sizeof address), p + 4, DRXI_HALF_BYTES - 4);
}

static uint32_t sum_of_epoch(uint32_t epoch)
{
    uint8_t bytes[4];

    drxi_put32(bytes, epoch);
    return drxi_crc32c(0, bytes, sizeof bytes);
}

/* The epoch whose sum this is: the register of the CRC, shifted back by 32 bits. */
static uint32_t epoch_of_sum(uint32_t sum)
{
    const uint32_t polynomial = 0x82f63b78; /* of CRC32C, the least significant bit first */
    uint32_t c = ~sum;

    for (int i = 0; i < 32; i++)
        c = c >> 31 ? (c ^ polynomial) << 1 | 1 : c << 1;
    return ~c;
}

/* Whether a half with that sum of its epoch was never promised, or, where `other` is newer, was to replace an older
 * one. */
static bool is_torn(const struct drxi_pack *p, uint32_t sum, const struct drxi_half *other)
{
    const int64_t epoch = epoch_of_sum(sum), promised = drxi_pack_promised(p);

    return (epoch > promised && epoch <= promised + DRXI_PACK_LATER_EPOCHS) || (other->there && other->epoch > epoch);
}

/* Whether a payload can be so. */
static bool is_possible(const struct drxi_pack *p, const struct drxi_half *h, const uint8_t *bytes)
{
    const int64_t align = h->open ? drxi_max(p->align, 16) : p->align, most = p->chunk_bytes + DRXI_FRAME_HEAD_BYTES;

    if (h->epoch == 0 || drxi_get32(bytes + 4) != sum_of_epoch(h->epoch) || drxi_get32(bytes + 12) != 0 ||
        h->offset < 0 || h->offset >= INT64_MAX / 2 || h->offset % align != 0)
        return false;
    return h->open ? h->length == most && h->crc == 0 : h->length >= DRXI_FRAME_HEAD_BYTES && h->length <= most;
}

static void decode(const uint8_t *bytes, int64_t q, struct drxi_half *out)
{
    const uint32_t length = drxi_get32(bytes + 24);

    *out = (struct drxi_half){ .there = !drxi_is_zero(bytes, 8) && drxi_get32(bytes) == crc_of(bytes, q),
                               .epoch = drxi_get32(bytes + 8),
                               .offset = (int64_t)drxi_get64(bytes + 16),
                               .length = length & INT32_MAX,
                               .open = length >> 31 != 0,
                               .crc = drxi_get32(bytes + 28) };
}

void drxi_entry_decode(const struct drxi_pack *p, int64_t q, struct drxi_entry *e)
{
    struct drxi_half *const h = e->half;

    for (int k = 0; k < 2; k++)
        decode(e->bytes + k * DRXI_HALF_BYTES, q, &h[k]);
    for (int k = 0; k < 2; k++) {
        const uint8_t *bytes = e->bytes + k * DRXI_HALF_BYTES;

        h[k].torn = !h[k].there && !drxi_is_zero(bytes, 8) && is_torn(p, drxi_get32(bytes + 4), &h[1 - k]);
        h[k].bad = h[k].there ? !is_possible(p, &h[k], bytes) : !h[k].torn && !drxi_is_zero(bytes, 8);
    }
    if (h[0].there && h[1].there && h[0].epoch == h[1].epoch)
        h[0].bad = h[1].bad = true;
    for (int k = 0; k < 2; k++)
        h[k].there = h[k].there && !h[k].bad;
}

void drxi_half_encode(const struct drxi_half *half, int64_t q, uint8_t *bytes)
{
    drxi_put32(bytes + 4, sum_of_epoch(half->epoch));
    drxi_put32(bytes + 8, half->epoch);
    drxi_put32(bytes + 12, 0);
    drxi_put64(bytes + 16, (uint64_t)half->offset);
    drxi_put32(bytes + 24, half->length | (half->open ? UINT32_C(1) << 31 : 0));
    drxi_put32(bytes + 28, half->crc);
    drxi_put32(bytes, crc_of(bytes, q));
}

int drxi_entry_newer(const struct drxi_entry *e)
{
    if (e->half[0].there && e->half[1].there)
        return e->half[1].epoch > e->half[0].epoch;
    return e->half[0].there ? 0 : e->half[1].there ? 1 : -1;
}

static bool is_loose(const struct drxi_pack *p, const struct drxi_half *half)
{
    return half->bad || half->torn || (half->there && !drxi_half_durable(p, half));
}

/* Where two are unsynced, as in a copy of an array that others wrote to, the older one. */
int drxi_entry_to_write(const struct drxi_pack *p, const struct drxi_entry *e)
{
    const bool first = is_loose(p, &e->half[0]), second = is_loose(p, &e->half[1]);

    return first != second ? second : drxi_entry_newer(e) == 0;
}
