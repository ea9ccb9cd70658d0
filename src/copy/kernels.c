/* Portable kernels, and the choice among all kernels. */
#include "copy/kernels.h"

#include <pthread.h>

/* Copy rows in parts of this many bytes, a constant. The last one may overlap with that before it. */
static inline __attribute__((always_inline)) void rows_of(size_t part, int64_t n, size_t bytes, uint8_t *dst,
                                                          int64_t dst_step, const uint8_t *src, int64_t src_step)
{
    for (; n > 0; n--, dst += dst_step, src += src_step) {
        for (size_t i = 0; i + part < bytes; i += part)
            memcpy(dst + i, src + i, part);
        memcpy(dst + bytes - part, src + bytes - part, part);
    }
}

void drxi_copy_short(int64_t n, size_t bytes, uint8_t *dst, int64_t dst_step, const uint8_t *src, int64_t src_step)
{
    if (bytes >= 16)
        rows_of(16, n, bytes, dst, dst_step, src, src_step);
    else if (bytes >= 8)
        rows_of(8, n, bytes, dst, dst_step, src, src_step);
    else if (bytes >= 4)
        rows_of(4, n, bytes, dst, dst_step, src, src_step);
    else
        rows_of(1, n, bytes, dst, dst_step, src, src_step);
}

static inline __attribute__((always_inline)) void tile_of(size_t item, uint8_t *dst, int64_t pitch,
                                                          const uint8_t *const rows[])
{
    const size_t n = DRXI_LINE_BYTES / item;

    for (size_t x = 0; x < n; x++)
        for (size_t r = 0; r < n; r++)
            memcpy(dst + (int64_t)x * pitch + r * item, rows[r] + x * item, item);
}

static void tile_1(uint8_t *dst, int64_t pitch, const uint8_t *const rows[])
{
    tile_of(1, dst, pitch, rows);
}

static void tile_2(uint8_t *dst, int64_t pitch, const uint8_t *const rows[])
{
    tile_of(2, dst, pitch, rows);
}

static void tile_4(uint8_t *dst, int64_t pitch, const uint8_t *const rows[])
{
    tile_of(4, dst, pitch, rows);
}

static void tile_8(uint8_t *dst, int64_t pitch, const uint8_t *const rows[])
{
    tile_of(8, dst, pitch, rows);
}

static void tile_16(uint8_t *dst, int64_t pitch, const uint8_t *const rows[])
{
    tile_of(16, dst, pitch, rows);
}

static const struct drxi_kernels portable = {
    .name = "portable",
    .rows = drxi_copy_short,
    .tile = { tile_1, tile_2, tile_4, tile_8, tile_16 },
};

static const struct drxi_kernels *all[6];
static const struct drxi_kernels *best;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_kernels(void)
{
    static const enum drxi_x86 levels[] = { DRXI_SSE2, DRXI_AVX2, DRXI_AVX512, DRXI_AVX512_FOLD };
    size_t n = 0;

    all[n++] = &portable;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        all[n] = drxi_kernels_x86(levels[i]);
        n += all[n] != NULL;
    }
    best = all[n - 1];
}

const struct drxi_kernels *drxi_kernels(void)
{
    (void)pthread_once(&once, find_kernels);
    return best;
}

const struct drxi_kernels *const *drxi_kernels_all(void)
{
    (void)pthread_once(&once, find_kernels);
    return all;
}

void drxi_kernels_use(const struct drxi_kernels *kernels)
{
    (void)pthread_once(&once, find_kernels);
    for (size_t i = 0; !kernels && all[i]; i++)
        best = all[i];
    if (kernels)
        best = kernels;
}
