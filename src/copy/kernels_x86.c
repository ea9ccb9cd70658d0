/* Kernels for x86-64: SSE2, which every such processor has, AVX2 and AVX-512. Each kernel builds a tile in registers
 * from rows of items and writes whole lines. */
#include "copy/kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))
#define AVX2 __attribute__((target("avx2")))
#define AVX512 __attribute__((target("avx512f")))
#define FOLD __attribute__((target("avx512f,vpclmulqdq")))

INLINE __m128i load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

INLINE void store(uint8_t *p, __m128i value, bool stream)
{
    if (stream)
        _mm_stream_si128((__m128i *)(void *)p, value);
    else
        _mm_storeu_si128((__m128i *)(void *)p, value);
}

INLINE void lines_sse2(uint8_t *dst, const uint8_t *src, int64_t lines, bool stream)
{
    for (int64_t i = 0; i < lines * DRXI_LINE_BYTES; i += 16)
        store(dst + i, load(src + i), stream);
}

/* Four items of 16 bytes; there is nothing to turn within registers. */
INLINE void tile_16(uint8_t *dst, int64_t pitch, const uint8_t *const rows[], bool stream)
{
    for (int x = 0; x < 4; x++)
        for (int r = 0; r < 4; r++)
            store(dst + x * pitch + 16 * r, load(rows[r] + 16 * x), stream);
}

INLINE void tile_8(uint8_t *dst, int64_t pitch, const uint8_t *const rows[], bool stream)
{
    for (int x = 0; x < 8; x += 2) {
        __m128i odd[4];

        for (int r = 0; r < 8; r += 2) {
            const __m128i a = load(rows[r] + 8 * x), b = load(rows[r + 1] + 8 * x);

            store(dst + x * pitch + 8 * r, _mm_unpacklo_epi64(a, b), stream);
            odd[r / 2] = _mm_unpackhi_epi64(a, b);
        }
        for (int r = 0; r < 8; r += 2)
            store(dst + (x + 1) * pitch + 8 * r, odd[r / 2], stream);
    }
}

/* Turn four rows of four items of 4 bytes. */
INLINE void turn_4(__m128i v[4])
{
    const __m128i a = _mm_unpacklo_epi32(v[0], v[1]), b = _mm_unpackhi_epi32(v[0], v[1]);
    const __m128i c = _mm_unpacklo_epi32(v[2], v[3]), d = _mm_unpackhi_epi32(v[2], v[3]);

    v[0] = _mm_unpacklo_epi64(a, c);
    v[1] = _mm_unpackhi_epi64(a, c);
    v[2] = _mm_unpacklo_epi64(b, d);
    v[3] = _mm_unpackhi_epi64(b, d);
}

INLINE void tile_4(uint8_t *dst, int64_t pitch, const uint8_t *const rows[], bool stream)
{
    for (int x = 0; x < 16; x += 4) {
        __m128i v[4][4]; /* by block of rows */

        for (int block = 0; block < 4; block++) {
            for (int r = 0; r < 4; r++)
                v[block][r] = load(rows[4 * block + r] + 4 * x);
            turn_4(v[block]);
        }
        for (int line = 0; line < 4; line++)
            for (int block = 0; block < 4; block++)
                store(dst + (x + line) * pitch + 16 * block, v[block][line], stream);
    }
}

/* Turn eight rows of eight items of 2 bytes. */
INLINE void turn_2(__m128i v[8])
{
    __m128i w[8];

    for (int r = 0; r < 8; r += 2) {
        w[r] = _mm_unpacklo_epi16(v[r], v[r + 1]);
        w[r + 1] = _mm_unpackhi_epi16(v[r], v[r + 1]);
    }
    for (int r = 0; r < 8; r += 4)
        for (int half = 0; half < 2; half++) {
            v[r + 2 * half] = _mm_unpacklo_epi32(w[r + half], w[r + 2 + half]);
            v[r + 2 * half + 1] = _mm_unpackhi_epi32(w[r + half], w[r + 2 + half]);
        }
    for (int r = 0; r < 4; r++) {
        w[2 * r] = _mm_unpacklo_epi64(v[r], v[r + 4]);
        w[2 * r + 1] = _mm_unpackhi_epi64(v[r], v[r + 4]);
    }
    for (int r = 0; r < 8; r++)
        v[r] = w[r];
}

/* Turn sixteen rows of sixteen bytes. Each pass doubles the bytes that belong together. */
INLINE void turn_1(__m128i v[16])
{
    __m128i w[16];

    for (int pass = 0; pass < 4; pass++) {
        for (int r = 0; r < 8; r++) {
            w[2 * r] = _mm_unpacklo_epi8(v[r], v[r + 8]);
            w[2 * r + 1] = _mm_unpackhi_epi8(v[r], v[r + 8]);
        }
        for (int r = 0; r < 16; r++)
            v[r] = w[r];
    }
}

/* A tile of items of 1 or 2 bytes, in squares of n that fill registers. A band of lines is gathered before it is
 * written. */
INLINE void tile_narrow(int n, void (*turn)(__m128i v[]), uint8_t *dst, int64_t pitch, const uint8_t *const rows[],
                        bool stream)
{
    _Alignas(DRXI_LINE_BYTES) uint8_t band[16 * DRXI_LINE_BYTES];

    for (int x = 0; x < 4 * n; x += n) {
        for (int block = 0; block < 4; block++) {
            __m128i v[16];

            for (int r = 0; r < n; r++)
                v[r] = load(rows[n * block + r] + 16 / n * x);
            turn(v);
            for (int line = 0; line < n; line++)
                store(band + line * DRXI_LINE_BYTES + 16 * block, v[line], false);
        }
        for (int line = 0; line < n; line++)
            lines_sse2(dst + (x + line) * pitch, band + line * DRXI_LINE_BYTES, 1, stream);
    }
}

INLINE void tile_2(uint8_t *dst, int64_t pitch, const uint8_t *const rows[], bool stream)
{
    tile_narrow(8, turn_2, dst, pitch, rows, stream);
}

INLINE void tile_1(uint8_t *dst, int64_t pitch, const uint8_t *const rows[], bool stream)
{
    tile_narrow(16, turn_1, dst, pitch, rows, stream);
}

AVX2 INLINE __m256i load_avx2(const uint8_t *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

AVX2 INLINE void store_avx2(uint8_t *p, __m256i value, bool stream)
{
    if (stream)
        _mm256_stream_si256((__m256i *)(void *)p, value);
    else
        _mm256_storeu_si256((__m256i *)(void *)p, value);
}

AVX2 static void stream_avx2(uint8_t *dst, const uint8_t *src, int64_t lines)
{
    for (int64_t i = 0; i < lines * DRXI_LINE_BYTES; i += DRXI_LINE_BYTES) {
        const __m256i low = load_avx2(src + i), high = load_avx2(src + i + 32);

        store_avx2(dst + i, low, true);
        store_avx2(dst + i + 32, high, true);
    }
}

AVX2 static void rows_avx2(int64_t n, size_t bytes, uint8_t *dst, int64_t dst_step, const uint8_t *src,
                           int64_t src_step)
{
    if (bytes < 32) {
        drxi_copy_short(n, bytes, dst, dst_step, src, src_step);
        return;
    }
    for (; n > 0; n--, dst += dst_step, src += src_step) {
        for (size_t i = 0; i + 32 < bytes; i += 32)
            store_avx2(dst + i, load_avx2(src + i), false);
        store_avx2(dst + bytes - 32, load_avx2(src + bytes - 32), false);
    }
}

AVX2 INLINE void turn_8_avx2(__m256i v[4])
{
    const __m256i a = _mm256_unpacklo_epi64(v[0], v[1]), b = _mm256_unpackhi_epi64(v[0], v[1]);
    const __m256i c = _mm256_unpacklo_epi64(v[2], v[3]), d = _mm256_unpackhi_epi64(v[2], v[3]);

    v[0] = _mm256_permute2x128_si256(a, c, 0x20);
    v[1] = _mm256_permute2x128_si256(b, d, 0x20);
    v[2] = _mm256_permute2x128_si256(a, c, 0x31);
    v[3] = _mm256_permute2x128_si256(b, d, 0x31);
}

AVX2 INLINE void tile_8_avx2(uint8_t *dst, int64_t pitch, const uint8_t *const rows[], bool stream)
{
    for (int x = 0; x < 8; x += 4) {
        __m256i upper[4], lower[4];

        for (int r = 0; r < 4; r++) {
            upper[r] = load_avx2(rows[r] + 8 * x);
            lower[r] = load_avx2(rows[r + 4] + 8 * x);
        }
        turn_8_avx2(upper);
        turn_8_avx2(lower);
        for (int line = 0; line < 4; line++) {
            store_avx2(dst + (x + line) * pitch, upper[line], stream);
            store_avx2(dst + (x + line) * pitch + 32, lower[line], stream);
        }
    }
}

AVX2 INLINE void turn_4_avx2(__m256i v[8])
{
    __m256i w[8];

    for (int r = 0; r < 8; r += 2) {
        w[r] = _mm256_unpacklo_epi32(v[r], v[r + 1]);
        w[r + 1] = _mm256_unpackhi_epi32(v[r], v[r + 1]);
    }
    for (int r = 0; r < 8; r += 4)
        for (int half = 0; half < 2; half++) {
            v[r + 2 * half] = _mm256_unpacklo_epi64(w[r + half], w[r + 2 + half]);
            v[r + 2 * half + 1] = _mm256_unpackhi_epi64(w[r + half], w[r + 2 + half]);
        }
    for (int r = 0; r < 4; r++) {
        w[r] = _mm256_permute2x128_si256(v[r], v[r + 4], 0x20);
        w[r + 4] = _mm256_permute2x128_si256(v[r], v[r + 4], 0x31);
    }
    for (int r = 0; r < 8; r++)
        v[r] = w[r];
}

AVX2 INLINE void tile_4_avx2(uint8_t *dst, int64_t pitch, const uint8_t *const rows[], bool stream)
{
    for (int x = 0; x < 16; x += 8) {
        __m256i upper[8], lower[8];

        for (int r = 0; r < 8; r++)
            upper[r] = load_avx2(rows[r] + 4 * x);
        turn_4_avx2(upper);
        for (int r = 0; r < 8; r++)
            lower[r] = load_avx2(rows[r + 8] + 4 * x);
        turn_4_avx2(lower);
        for (int line = 0; line < 8; line++) {
            store_avx2(dst + (x + line) * pitch, upper[line], stream);
            store_avx2(dst + (x + line) * pitch + 32, lower[line], stream);
        }
    }
}

AVX512 INLINE void store_avx512(uint8_t *p, __m512i value, bool stream)
{
    if (stream)
        _mm512_stream_si512((__m512i *)(void *)p, value);
    else
        _mm512_storeu_si512(p, value);
}

AVX512 static void stream_avx512(uint8_t *dst, const uint8_t *src, int64_t lines)
{
    for (int64_t i = 0; i < lines * DRXI_LINE_BYTES; i += DRXI_LINE_BYTES)
        store_avx512(dst + i, _mm512_loadu_si512(src + i), true);
}

/* From eight rows of pairs of items, with each pair in its quarter, make lines x, x + 2, x + 4 and x + 6. */
AVX512 INLINE void four_lines(uint8_t *dst, int64_t pitch, const __m512i pairs[4], bool stream)
{
    const __m512i a = _mm512_shuffle_i64x2(pairs[0], pairs[1], 0x88);
    const __m512i b = _mm512_shuffle_i64x2(pairs[0], pairs[1], 0xdd);
    const __m512i c = _mm512_shuffle_i64x2(pairs[2], pairs[3], 0x88);
    const __m512i d = _mm512_shuffle_i64x2(pairs[2], pairs[3], 0xdd);

    store_avx512(dst, _mm512_shuffle_i64x2(a, c, 0x88), stream);
    store_avx512(dst + 2 * pitch, _mm512_shuffle_i64x2(b, d, 0x88), stream);
    store_avx512(dst + 4 * pitch, _mm512_shuffle_i64x2(a, c, 0xdd), stream);
    store_avx512(dst + 6 * pitch, _mm512_shuffle_i64x2(b, d, 0xdd), stream);
}

AVX512 INLINE void tile_8_avx512(uint8_t *dst, int64_t pitch, const uint8_t *const rows[], bool stream)
{
    __m512i even[4], odd[4];

    for (int r = 0; r < 8; r += 2) {
        const __m512i a = _mm512_loadu_si512(rows[r]), b = _mm512_loadu_si512(rows[r + 1]);

        even[r / 2] = _mm512_unpacklo_epi64(a, b);
        odd[r / 2] = _mm512_unpackhi_epi64(a, b);
    }
    four_lines(dst, pitch, even, stream);
    four_lines(dst + pitch, pitch, odd, stream);
}

/* Multiply each quarter of a line by its weight n bytes earlier: its halves by x^(8n + 32) and x^(8n - 32) modulo P,
 * since 32 bits of the CRC follow. */
FOLD INLINE __m512i fold_line(__m512i v, __m512i past, __m512i line)
{
    const __m512i low = _mm512_clmulepi64_epi128(v, past, 0x00), high = _mm512_clmulepi64_epi128(v, past, 0x11);

    return _mm512_ternarylogic_epi64(low, high, line, 0x96); /* the sum of all three */
}

FOLD INLINE __m512i factors(const uint64_t past[2])
{
    return _mm512_broadcast_i32x4(load((const uint8_t *)past));
}

/* A single chain would wait for each product; four chains do not. */
FOLD static void fold_strands(int n, uint8_t *const folded[], const uint8_t *const src[], int64_t lines,
                              const uint64_t past[2])
{
    const __m512i by = factors(past);
    __m512i v[DRXI_FOLDED];

    for (int k = 0; k < n; k++)
        v[k] = _mm512_loadu_si512(folded[k]);
    if (n == DRXI_FOLDED)
        for (int64_t i = 0; i < lines * DRXI_LINE_BYTES; i += DRXI_LINE_BYTES)
            for (int k = 0; k < DRXI_FOLDED; k++)
                v[k] = fold_line(v[k], by, _mm512_loadu_si512(src[k] + i));
    else
        for (int k = 0; k < n; k++)
            for (int64_t i = 0; i < lines * DRXI_LINE_BYTES; i += DRXI_LINE_BYTES)
                v[k] = fold_line(v[k], by, _mm512_loadu_si512(src[k] + i));
    for (int k = 0; k < n; k++)
        _mm512_storeu_si512(folded[k], v[k]);
}

FOLD static void stream_folding(uint8_t *dst, const uint8_t *src, int64_t lines, uint8_t *folded,
                                const uint64_t past[2])
{
    const __m512i by = factors(past);
    __m512i v = _mm512_loadu_si512(folded);

    for (int64_t i = 0; i < lines * DRXI_LINE_BYTES; i += DRXI_LINE_BYTES) {
        const __m512i line = _mm512_loadu_si512(src + i);

        store_avx512(dst + i, line, true);
        v = fold_line(v, by, line);
    }
    _mm512_storeu_si512(folded, v);
}

/* The two functions of an entry of the table. */
#define ENTRY(name, target)                                                                      \
    target static void name##_stored(uint8_t *dst, int64_t pitch, const uint8_t *const rows[])   \
    {                                                                                            \
        name(dst, pitch, rows, false);                                                           \
    }                                                                                            \
    target static void name##_streamed(uint8_t *dst, int64_t pitch, const uint8_t *const rows[]) \
    {                                                                                            \
        name(dst, pitch, rows, true);                                                            \
    }

ENTRY(tile_1, )
ENTRY(tile_2, )
ENTRY(tile_4, )
ENTRY(tile_8, )
ENTRY(tile_16, )
ENTRY(tile_4_avx2, AVX2)
ENTRY(tile_8_avx2, AVX2)
ENTRY(tile_8_avx512, AVX512)

static void stream_sse2(uint8_t *dst, const uint8_t *src, int64_t lines)
{
    lines_sse2(dst, src, lines, true);
}

static void fence_stores(void)
{
    _mm_sfence();
}

#define AVX512_TILES                                                                                     \
    { tile_1_stored, tile_2_stored, tile_4_avx2_stored, tile_8_avx512_stored, tile_16_stored },          \
    {                                                                                                    \
        tile_1_streamed, tile_2_streamed, tile_4_avx2_streamed, tile_8_avx512_streamed, tile_16_streamed \
    }

const struct drxi_kernels *drxi_kernels_x86(enum drxi_x86 level)
{
    static const struct drxi_kernels tables[] = {
        [DRXI_SSE2] = { "sse2",
                        drxi_copy_short,
                        { tile_1_stored, tile_2_stored, tile_4_stored, tile_8_stored, tile_16_stored },
                        { tile_1_streamed, tile_2_streamed, tile_4_streamed, tile_8_streamed, tile_16_streamed },
                        stream_sse2,
                        fence_stores,
                        NULL,
                        NULL },
        [DRXI_AVX2] = { "avx2",
                        rows_avx2,
                        { tile_1_stored, tile_2_stored, tile_4_avx2_stored, tile_8_avx2_stored, tile_16_stored },
                        { tile_1_streamed, tile_2_streamed, tile_4_avx2_streamed, tile_8_avx2_streamed,
                          tile_16_streamed },
                        stream_avx2,
                        fence_stores,
                        NULL,
                        NULL },
        [DRXI_AVX512] = { "avx512", rows_avx2, AVX512_TILES, stream_avx512, fence_stores, NULL, NULL },
        [DRXI_AVX512_FOLD] = { "avx512, folding", rows_avx2, AVX512_TILES, stream_avx512, fence_stores, fold_strands,
                               stream_folding },
    };

    if ((level >= DRXI_AVX2 && !__builtin_cpu_supports("avx2")) ||
        (level >= DRXI_AVX512 && !__builtin_cpu_supports("avx512f")) ||
        (level >= DRXI_AVX512_FOLD && !__builtin_cpu_supports("vpclmulqdq")))
        return NULL;
    return &tables[level];
}

#else

const struct drxi_kernels *drxi_kernels_x86(enum drxi_x86 level)
{
    (void)level;
    return NULL;
}

#endif
