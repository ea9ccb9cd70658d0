/* CRCs of what is copied, followed while it is copied: what has just been read is at hand, and a processor that waits
 * for memory has time for it.
 *
 * Bytes are folded into a line, of 64 bytes: modulo the polynomial of the CRC it is what all of them are, so it has
 * their CRC from a register of 0 (Gopal et al. 2009, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ").
 */
#ifndef DRXI_FOLD_H
#define DRXI_FOLD_H

#include "copy/kernels.h"

/* Bytes of src that follow each other, and are copied in that order, whatever is copied in between. Nothing is folded
 * before it was copied: a writer who comes between would not be noticed. */
struct drxi_strand {
    _Alignas(DRXI_LINE_BYTES) uint8_t folded[DRXI_LINE_BYTES];
    const uint8_t *next, *seen, *end; /* folded, and copied, is what is before it; all of it */
    int64_t together, step;           /* with so many, itself the first, it was in all calls since it was folded */
};

/* Strands of so many bytes, `strands` in each of the chunks, which lie `pitch` bytes apart. */
struct drxi_fold {
    const uint8_t *src;
    int64_t chunks, pitch, strands, strand_bytes;
    struct drxi_strand *strand;            /* [chunks * strands] */
    uint64_t past_line[2], past_strand[2]; /* of the CRC: drxi_crc32c_factors of 64 bytes and of a strand's */
    const struct drxi_kernels *kernels;
    int64_t last, step; /* the strand that was found last, and from the one before to it */
};

/* Whether this processor folds fast enough, and strands are not too short. */
bool drxi_fold_pays(int64_t strand_bytes);

/* Begin; src to past_strand are set. */
void drxi_fold_start(struct drxi_fold *f);

/* Lines at src, all of the strand at which it is and no more than it has, are copied past the cache and folded; false:
 * they are not what follows in it, and nothing was done. */
bool drxi_fold_stream(struct drxi_fold *f, uint8_t *dst, const uint8_t *src, int64_t lines);

/* n bytes at src have been copied, of one strand or of several one behind the other. */
void drxi_fold_run(struct drxi_fold *f, const uint8_t *src, int64_t n);

/* n bytes at each of `count` places, `step` bytes apart, have been copied, each of one strand: they are folded when
 * there are enough of them. Strands of the same calls go on together, as many as were in all of them. */
void drxi_fold_rows(struct drxi_fold *f, const uint8_t *src, int64_t step, int64_t count, int64_t n);

/* All bytes of a chunk in one line, but for the last ones of a chunk in one strand, less than a line. */
void drxi_fold_end(struct drxi_fold *f, int64_t chunk, uint8_t folded[DRXI_LINE_BYTES]);

#endif
