/* Frames of Blosc 1. Its functions with contexts keep no state and read no environment variables. */
#include <blosc.h>

#include "drx_tools.h"
#include "pack/pack.h"

#define BIT(name, number, text, compressor, frame) | 1 << (frame)

enum { ITEM_AT = 3 /* the byte of the head with the size of an item */, KNOWN_FRAMES = 0 DRX_CODEC_LIST(BIT) };

/* What decompresses frames faster than Blosc, by the codec in their heads. */
static drxi_frame_inflater *const faster[1 << 3] = { [BLOSC_ZLIB_FORMAT] = drxi_frame_inflate };

drx_status drxi_codec_of(drx_codec codec, int level, drx_shuffle shuffle, size_t item_bytes, struct drxi_codec *out)
{
    if (!drx_codec_name(codec))
        return drxi_fail(DRX_EINVAL, "codec is %d, expected one of drx_codec", (int)codec);
    if (!drx_shuffle_name(shuffle))
        return drxi_fail(DRX_EINVAL, "shuffle is %d, expected one of drx_shuffle", (int)shuffle);
    if (level < 0 || level > 9)
        return drxi_fail(DRX_EINVAL, "level is %d, expected 1 to 9, or 0", level);
    *out = (struct drxi_codec){ codec, level, shuffle };
    if (codec == DRX_RAW && (level != 0 || shuffle != DRX_SHUFFLE_AUTO))
        return drxi_fail(DRX_EINVAL, "level is %d and shuffle %d without a codec, expected 0", level, (int)shuffle);
    if (codec != DRX_RAW && level == 0)
        out->level = 5;
    if (codec != DRX_RAW && shuffle == DRX_SHUFFLE_AUTO)
        out->shuffle = item_bytes > 1 ? DRX_SHUFFLE_BYTE : DRX_SHUFFLE_NONE;
    return DRX_OK;
}

size_t drxi_frame_item(size_t item_bytes)
{
    return item_bytes <= BLOSC_MAX_TYPESIZE ? item_bytes : 1;
}

drx_status drxi_codec_check(const struct drxi_codec *codec, int64_t chunk_bytes)
{
    const char *name = drx_codec_name(codec->codec), *known;

    if (chunk_bytes > BLOSC_MAX_BUFFERSIZE)
        return drxi_fail(DRX_EINVAL, "a chunk has %lld bytes, one that is compressed may have up to %d",
                         (long long)chunk_bytes, BLOSC_MAX_BUFFERSIZE);
    if (blosc_compcode_to_compname(blosc_compname_to_compcode(name), &known) < 0)
        return drxi_fail(DRX_EUNSUPPORTED, "the Blosc library of this system lacks %s", name);
    return DRX_OK;
}

size_t drxi_frame_pack(const struct drxi_codec *codec, size_t item_bytes, const void *bytes, size_t n, void *out)
{
    const int length =
        blosc_compress_ctx(codec->level, (int)codec->shuffle - (int)DRX_SHUFFLE_NONE, drxi_frame_item(item_bytes), n,
                           bytes, out, n + DRXI_FRAME_HEAD_BYTES, drx_codec_name(codec->codec), 0, 1);

    return length > 0 ? (size_t)length : 0;
}

/* ---- decoding ---- */

/* A copy has no codec. */
bool drxi_frame_is_known(const uint8_t *frame)
{
    return frame[0] != BLOSC_VERSION_FORMAT || frame[2] & BLOSC_MEMCPYED || KNOWN_FRAMES >> (frame[2] >> 5) & 1;
}

struct items {
    size_t first, n;
    void *out;
};

typedef bool decoder(const uint8_t *frame, const struct items *what);

static bool unpack(const uint8_t *frame, const struct items *what)
{
    return blosc_decompress_ctx(frame, what->out, what->n, 1) == (int)what->n;
}

static bool get_items(const uint8_t *frame, const struct items *what)
{
    return blosc_getitem(frame, (int)what->first, (int)what->n, what->out) == (int)(what->n * frame[ITEM_AT]);
}

/* Decode, of what the frame holds, the bytes from `start` up to `end`. */
static bool decode(const uint8_t *frame, size_t length, size_t start, size_t end, decoder *with,
                   const struct items *what)
{
    drxi_frame_inflater *inflate = faster[frame[2] >> 5];
    void *memory = NULL;
    uint8_t *inflated;
    const bool done = inflate && inflate(frame, length, start, end, &memory, &inflated) > 0 && with(inflated, what);

    drxi_free(memory);
    return done || with(frame, what);
}

bool drxi_frame_unpack(const void *frame, size_t length, void *out, size_t n)
{
    size_t bytes = 0;

    if (length < DRXI_FRAME_HEAD_BYTES || blosc_cbuffer_validate(frame, length, &bytes) < 0 || bytes != n)
        return false;
    return decode(frame, length, 0, n, unpack, &(struct items){ 0, n, out });
}

bool drxi_frame_items(const void *frame, size_t length, size_t first, size_t n, void *out)
{
    const size_t item = ((const uint8_t *)frame)[ITEM_AT];

    return decode(frame, length, first * item, (first + n) * item, get_items, &(struct items){ first, n, out });
}

/* Version 2 of the format, version 1 of the (unused) codec, the flag of a copy, the size of an item; then the
 * lengths. */
void drxi_frame_open(size_t item_bytes, size_t n, uint8_t head[DRXI_FRAME_HEAD_BYTES])
{
    head[0] = BLOSC_VERSION_FORMAT;
    head[1] = 1;
    head[2] = BLOSC_MEMCPYED;
    head[3] = (uint8_t)drxi_frame_item(item_bytes);
    drxi_put32(head + 4, (uint32_t)n);
    drxi_put32(head + 8, (uint32_t)n);
    drxi_put32(head + 12, (uint32_t)(n + DRXI_FRAME_HEAD_BYTES));
}
