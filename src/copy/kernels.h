/* The innermost loops of copying, in variants for different processors. */
#pragma once

#include "base/base.h"

enum {
    DRXI_LINE_BYTES = 64, /* of a cache line */
    DRXI_FOLDED = 4       /* strands that one call folds */
};

/* "Past the cache" (non-temporal stores): what is written is not read into the
 * cache first, which halves the traffic of a large copy. Other threads see it after
 * the fence.
 *
 * A tile is of L = 64 / item rows with L items: item x of rows[r] becomes item r of
 * the line at dst + x * pitch. Sizes of items are 1 << i bytes, i the index below.
 *   rows    n rows of few bytes
 *   tile    lines anywhere
 *   stream_tile, stream_lines  past the cache: lines at multiples of 64 bytes
 *   fold             lines of n <= DRXI_FOLDED strands into the one that each has at folded[] (fold.h)
 *   stream_folding   lines of one strand past the cache, which are folded, too */
struct drxi_kernels {
    const char *name;
    void (*rows)(int64_t n, size_t bytes, uint8_t *dst, int64_t dst_step, const uint8_t *src, int64_t src_step);
    void (*tile[5])(uint8_t *dst, int64_t pitch, const uint8_t *const rows[]);
    void (*stream_tile[5])(uint8_t *dst, int64_t pitch, const uint8_t *const rows[]); /* NULL: none */
    void (*stream_lines)(uint8_t *dst, const uint8_t *src, int64_t lines);            /* NULL: none */
    void (*fence)(void);
    void (*fold)(int n, uint8_t *const folded[], const uint8_t *const src[], int64_t lines,
                 const uint64_t past[2]); /* NULL: none, and then the next, too */
    void (*stream_folding)(uint8_t *dst, const uint8_t *src, int64_t lines, uint8_t *folded, const uint64_t past[2]);
};

/* The kernels for this processor. The first table runs everywhere. */
const struct drxi_kernels *drxi_kernels(void);

/* All kernels that this processor can run, the best last, then NULL. Tests let drxi_kernels choose one of them (NULL:
 * the best). */
const struct drxi_kernels *const *drxi_kernels_all(void);
void drxi_kernels_use(const struct drxi_kernels *kernels);

/* kernels.c: rows, on any processor. */
void drxi_copy_short(int64_t n, size_t bytes, uint8_t *dst, int64_t dst_step, const uint8_t *src, int64_t src_step);

/* kernels_x86.c: the kernels of `level`, NULL when the processor lacks it. */
enum drxi_x86 { DRXI_SSE2, DRXI_AVX2, DRXI_AVX512, DRXI_AVX512_FOLD };
const struct drxi_kernels *drxi_kernels_x86(enum drxi_x86 level);
