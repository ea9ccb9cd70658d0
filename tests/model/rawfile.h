/* rawfile.h - what the data file has to hold, byte for byte, worked out from
 * the plain array and the book of addresses alone. */
#ifndef DRX_MODEL_RAWFILE_H
#define DRX_MODEL_RAWFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "book.h"
#include "model_rng.h"
#include "plain.h"

struct raw_layout {
    const int64_t *chunk; /* extents of a chunk */
    bool col_major;       /* inside a chunk */
    int64_t align;
    size_t word_bytes; /* of the number in an element: half of a complex one */
    const unsigned char *fill;
    bool any_ghosts; /* cells outside the bounds may hold anything */
};

struct raw_bytes {
    unsigned char *data;
    int64_t n;
};

/* Bytes from one chunk to the next. */
int64_t raw_stride(const struct raw_layout *l, const struct plain *p);

/* Read the whole file; false, with errno set, when that fails. */
bool raw_read(const char *path, struct raw_bytes *r);

/* Compare; bytes missing at the end count as zero. On a difference, say in
 * `why` where it is and return false. */
bool raw_agrees(const struct raw_layout *l, const struct plain *p, const struct book *b, const struct raw_bytes *r,
                char *why, size_t room);

/* Put random bytes into cells outside the bounds, a third of them, as a power cut
 * leaves them that kept the data of an append and lost its record. */
void raw_scribble(const struct raw_layout *l, const struct plain *p, const struct book *b, struct raw_bytes *r,
                  struct rng *rng);

#endif
