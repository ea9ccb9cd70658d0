/* Frames of Blosc that zlib has compressed, inflated by ISA-L, which takes about half of the time that Blosc takes.
 *
 * The streams of the frame are put, inflated, into one of the same shape that stores them as they are. Blosc decodes
 * that one: it knows the shuffles, and parts of blocks. Whatever is odd about a frame is left to Blosc to find. */
#include <isa-l/igzip_lib.h>

#include "pack/pack.h"

enum { SHUFFLED = 1, BITS_SHUFFLED = 4, ONE_STREAM = 16, CODEC_BIT = 5, ZLIB = 3 }; /* of the flags */
enum { MOST_STREAMS = 16, LEAST_STREAM_BYTES = 128 };

struct frame {
    const uint8_t *bytes;
    uint32_t length, decoded, block, item, blocks;
    bool one_stream;
};

/* The head of a frame that zlib has compressed (README_HEADER.rst of c-blosc). */
static bool read_head(const uint8_t *bytes, size_t length, struct frame *f)
{
    const int flags = bytes[2];

    *f = (struct frame){ bytes, drxi_get32(bytes + 12),   drxi_get32(bytes + 4), drxi_get32(bytes + 8), bytes[3],
                         0,     (flags & ONE_STREAM) != 0 };
    if (bytes[0] != 2 || bytes[1] != 1 || (flags & ~(SHUFFLED | BITS_SHUFFLED | ONE_STREAM)) != ZLIB << CODEC_BIT)
        return false;
    if (f->length != length || f->length > INT32_MAX || f->decoded > INT32_MAX || f->block == 0 ||
        f->block > f->decoded || f->item == 0)
        return false;
    f->blocks = f->decoded / f->block + (f->decoded % f->block > 0);
    return f->blocks <= (f->length - DRXI_FRAME_HEAD_BYTES) / 4;
}

static bool inflate(struct inflate_state *state, const uint8_t *in, uint32_t length, uint8_t *out, uint32_t bytes)
{
    isal_inflate_reset(state);
    state->next_in = (uint8_t *)(uintptr_t)in; /* it only reads */
    state->avail_in = length;
    state->next_out = out;
    state->avail_out = bytes;
    state->crc_flag = ISAL_ZLIB;
    return isal_inflate_stateless(state) == ISAL_DECOMP_OK && state->avail_out == 0;
}

/* Inflate a block to `out`; returns what it takes there, 0 on failure. */
static uint32_t inflate_block(struct inflate_state *state, const struct frame *f, uint32_t b, uint8_t *out)
{
    const uint32_t rest = f->decoded % f->block;
    const bool last = rest > 0 && b == f->blocks - 1;
    const bool many = !f->one_stream && !last && f->item <= MOST_STREAMS && f->block / f->item >= LEAST_STREAM_BYTES;
    const uint32_t streams = many ? f->item : 1, bytes = (last ? rest : f->block) / streams;
    uint32_t at = drxi_get32(f->bytes + DRXI_FRAME_HEAD_BYTES + 4 * b);
    uint8_t *to = out;

    for (uint32_t s = 0; s < streams; s++) {
        uint32_t length;

        if (at > f->length - 4)
            return 0;
        length = drxi_get32(f->bytes + at);
        at += 4;
        if (length > f->length - at)
            return 0;
        drxi_put32(to, bytes);
        if (length == bytes) /* it did not get smaller */
            memcpy(to + 4, f->bytes + at, bytes);
        else if (!inflate(state, f->bytes + at, length, to + 4, bytes))
            return 0;
        at += length;
        to += 4 + bytes;
    }
    return (uint32_t)(to - out);
}

size_t drxi_frame_inflate(const uint8_t *frame, size_t length, size_t start, size_t end, void **memory, uint8_t **out)
{
    struct inflate_state *state;
    struct frame f;
    uint32_t first, stop;
    size_t at;

    *memory = NULL;
    if (length < DRXI_FRAME_HEAD_BYTES || !read_head(frame, length, &f) || start >= end || end > f.decoded)
        return 0;
    first = (uint32_t)(start / f.block);
    stop = (uint32_t)((end - 1) / f.block) + 1;
    at = DRXI_FRAME_HEAD_BYTES + 4 * (size_t)f.blocks;
    *memory = drxi_malloc(sizeof *state + at + (stop - first) * ((size_t)f.block + 4 * MOST_STREAMS));
    if (!*memory)
        return 0;
    state = *memory;
    isal_inflate_init(state);
    *out = (uint8_t *)(state + 1);
    memcpy(*out, frame, at);
    for (uint32_t b = first; b < stop; b++) {
        const uint32_t n = inflate_block(state, &f, b, *out + at);

        if (n == 0)
            return 0;
        drxi_put32(*out + DRXI_FRAME_HEAD_BYTES + 4 * b, (uint32_t)at);
        at += n;
    }
    if (at > INT32_MAX)
        return 0;
    drxi_put32(*out + 12, (uint32_t)at);
    return at;
}
