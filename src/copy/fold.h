/* CRCs of what is copied, computed during the copy: the bytes are in the cache then, and a processor that waits for
 * memory has time to spare.
 *
 * Folding turns bytes into one line of 64 bytes that equals all of them modulo the polynomial of the CRC. So the line
 * has their CRC, from a register of 0 (Gopal et al. 2009, "Fast CRC Computation for Generic Polynomials Using
 * PCLMULQDQ"). */
#pragma once

#include "copy/kernels.h"

/* A strand: contiguous bytes of src that are copied in order, whatever is copied in between. Nothing is folded before
 * it is copied; otherwise a writer in between would go unnoticed. */
struct drxi_strand {
    _Alignas(DRXI_LINE_BYTES) uint8_t folded[DRXI_LINE_BYTES];
    const uint8_t *next, *seen, *end; /* everything before it is copied and folded */
    int64_t together, step;           /* the number of strands, itself first, in every call since it was folded */
};

/* Strands of this many bytes, `strands` in each of the chunks, which are not empty. */
struct drxi_fold {
    const uint8_t *const *src; /* [chunks] */
    int64_t chunks, strands, strand_bytes;
    struct drxi_strand *strand;            /* [chunks * strands] */
    uint64_t past_line[2], past_strand[2]; /* of the CRC: drxi_crc32c_factors of 64 bytes and of the bytes of a
                                            * strand */
    const struct drxi_kernels *kernels;
    int64_t last, step; /* the strand found last, and the distance to it from the one before */
};

/* Whether this processor folds fast enough and the strands are long enough. */
bool drxi_fold_pays(int64_t strand_bytes);

/* Begin; the members src to past_strand are set. */
void drxi_fold_start(struct drxi_fold *f);

/* Copy lines at src past the cache and fold them. They are all lines of the strand from its present place on. False:
 * they do not continue the strand, and nothing was done. */
bool drxi_fold_stream(struct drxi_fold *f, uint8_t *dst, const uint8_t *src, int64_t lines);

/* n bytes at src have been copied; they belong to one strand or to several consecutive ones. */
void drxi_fold_run(struct drxi_fold *f, const uint8_t *src, int64_t n);

/* n bytes at each of `count` places, `step` bytes apart, have been copied, one strand at each place. They are folded
 * when there are enough of them. Strands that were in the same calls go on together. */
void drxi_fold_rows(struct drxi_fold *f, const uint8_t *src, int64_t step, int64_t count, int64_t n);

/* Fold all bytes of a chunk into one line, except the last bytes of a chunk of one strand that do not fill a line. */
void drxi_fold_end(struct drxi_fold *f, int64_t chunk, uint8_t folded[DRXI_LINE_BYTES]);
