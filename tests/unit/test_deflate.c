/* Frames of Blosc that zlib has compressed decode as Blosc decodes them, whole and in part, intact and damaged. */
#include <blosc.h>

#include "pack/pack.h"
#include "testing.h"

enum { MOST_BYTES = 300000 };

static const size_t items[] = { 1, 2, 3, 4, 8, 16, 17, 255 };

/* Bytes that compress well, badly, and not at all, in turns. */
static void fill_in(uint8_t *bytes, size_t n, uint64_t *seed)
{
    for (size_t i = 0; i < n;) {
        const size_t run = (size_t)random_below(seed, 20000) + 1;
        const int64_t kind = random_below(seed, 3);

        for (size_t end = i + run < n ? i + run : n; i < end; i++)
            bytes[i] = (uint8_t)(kind == 0 ? i / 64 : kind == 1 ? i * i / 7 % 31 : random_next(seed));
    }
}

struct sample {
    uint8_t *bytes, *frame, *out;
    size_t n, item;
    int length;
};

static struct sample make(const char *codec, int shuffle, size_t item, uint64_t *seed)
{
    struct sample s = { .item = item };
    const size_t most = random_below(seed, 3) ? 6000 : MOST_BYTES;

    s.n = item * ((size_t)random_below(seed, (int64_t)(most / item)) + 1);
    s.bytes = malloc(s.n);
    s.out = malloc(s.n);
    s.frame = malloc(s.n + DRXI_FRAME_HEAD_BYTES);
    assert_true(s.bytes && s.out && s.frame);
    fill_in(s.bytes, s.n, seed);
    s.length = blosc_compress_ctx(1 + (int)random_below(seed, 9), shuffle, item, s.n, s.bytes, s.frame,
                                  s.n + DRXI_FRAME_HEAD_BYTES, codec, 0, 1);
    assert_true(s.length > 0);
    return s;
}

static void drop(struct sample *s)
{
    free(s->bytes);
    free(s->frame);
    free(s->out);
}

static bool is_inflated(const struct sample *s)
{
    void *memory;
    uint8_t *out;
    const size_t length = drxi_frame_inflate(s->frame, (size_t)s->length, 0, s->n, &memory, &out);

    drxi_free(memory);
    return length > 0;
}

static void check_parts(const struct sample *s, uint64_t *seed)
{
    for (int k = 0; k < 8; k++) {
        const int64_t count = (int64_t)(s->n / s->item);
        const size_t first = (size_t)random_below(seed, count);
        const size_t n = (size_t)random_below(seed, count - (int64_t)first) + 1;

        memset(s->out, 0xee, s->n);
        assert_true(drxi_frame_items(s->frame, (size_t)s->length, first, n, s->out));
        assert_memory_equal(s->out, s->bytes + first * s->item, n * s->item);
    }
}

TEST(what_zlib_has_compressed_is_inflated)
{
    uint64_t seed = starting_seed(0);
    int inflated = 0;

    for (int round = 0; round < 12; round++)
        for (size_t i = 0; i < sizeof items / sizeof *items; i++)
            for (int shuffle = BLOSC_NOSHUFFLE; shuffle <= BLOSC_BITSHUFFLE; shuffle++) {
                struct sample s = make("zlib", shuffle, items[i], &seed);

                if (!(s.frame[2] & BLOSC_MEMCPYED)) {
                    assert_true(is_inflated(&s));
                    check_parts(&s, &seed);
                    inflated++;
                }
                memset(s.out, 0xee, s.n);
                assert_true(drxi_frame_unpack(s.frame, (size_t)s.length, s.out, s.n));
                assert_memory_equal(s.out, s.bytes, s.n);
                drop(&s);
            }
    assert_true(inflated > 100);
}

TEST(what_others_have_compressed_is_left_to_blosc)
{
    static const char *const codecs[] = { "zstd", "lz4", "blosclz" };
    uint64_t seed = starting_seed(0);

    for (int i = 0; i < 3; i++) {
        struct sample s = make(codecs[i], BLOSC_SHUFFLE, 4, &seed);

        assert_false(is_inflated(&s));
        assert_true(drxi_frame_unpack(s.frame, (size_t)s.length, s.out, s.n));
        assert_memory_equal(s.out, s.bytes, s.n);
        drop(&s);
    }
}

/* A stream ends with a checksum, so whoever takes a damaged one takes it for the same. ISA-L takes some that zlib
 * refuses, whose table of codes has a flaw that no code meets. */
TEST(damaged_frames_decode_as_blosc_decodes_them)
{
    uint64_t seed = starting_seed(0);
    int refused = 0;

    for (int round = 0; round < 800; round++) {
        struct sample s = make("zlib", (int)random_below(&seed, 3), items[random_below(&seed, 8)], &seed);
        const int64_t within = random_below(&seed, 2) ? s.length : s.length < 64 ? s.length : 64;
        uint8_t *other = malloc(s.n);
        size_t n = 0;
        bool sound, taken;

        assert_non_null(other);
        for (int64_t k = random_below(&seed, 3); k >= 0; k--)
            s.frame[random_below(&seed, within)] ^= (uint8_t)(1 << random_below(&seed, 8));
        sound = blosc_cbuffer_validate(s.frame, (size_t)s.length, &n) == 0 && n == s.n &&
                blosc_decompress_ctx(s.frame, other, n, 1) == (int)n;
        taken = drxi_frame_unpack(s.frame, (size_t)s.length, s.out, s.n);
        if (sound)
            assert_true(taken);
        if (taken)
            assert_memory_equal(s.out, sound ? other : s.bytes, s.n);
        refused += sound ? 0 : 1;
        free(other);
        drop(&s);
    }
    assert_true(refused > 200);
}
