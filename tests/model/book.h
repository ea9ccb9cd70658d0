/* book.h - F* by brute force: chunks are numbered in the order in which they
 * are appended, and a book records the number of each chunk.
 *
 * No coefficients, no expansion records: only the sentence "a slab is laid out
 * in row-major order with the grown axis varying slowest". */
#ifndef DRX_MODEL_BOOK_H
#define DRX_MODEL_BOOK_H

#include <stdbool.h>
#include <stdint.h>

struct book {
    int ndim;
    int64_t bounds[32]; /* in chunks */
    int64_t count;      /* chunks so far */
    int64_t room;
    int64_t *index;   /* ndim values per address */
    int64_t *address; /* by index, dense and row-major over bounds */
};

/* The initial box of chunks, in row-major or in symmetric shell order. */
void book_init(struct book *b, int ndim, const int64_t *bounds, bool shell);
void book_free(struct book *b);
void book_grow(struct book *b, int axis, int64_t by); /* by in chunks */
int64_t book_address(const struct book *b, const int64_t *index);
const int64_t *book_index(const struct book *b, int64_t address);

#endif
