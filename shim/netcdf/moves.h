/* What a read and a write of elements have in common: a box, and how it lies in memory. */
#ifndef BRIDGE_MOVES_H
#define BRIDGE_MOVES_H

#include "bridge.h"

/* The axes of netCDF are those of the array; but elements that have parts have one more, and strings one less. */
struct bridge_move {
    struct bridge_file *f;
    struct bridge_variable *v;
    nc_type type; /* of the elements in memory */
    int axes;     /* of the array and of netCDF alike */
    bool contiguous, out_of_range;
    bool puts, whole;                                     /* from memory into the array; as one piece */
    size_t longest;                                       /* string to be put */
    int64_t lo[DRX_MAX_NDIM + 1], step[DRX_MAX_NDIM + 1]; /* in the array, and among the parts of an element */
    int64_t count[DRX_MAX_NDIM + 1];
    int64_t first, end;               /* together: of the first axis, what any process writes; end 0: none writes */
    int64_t stride[DRX_MAX_NDIM + 1]; /* in memory, in elements */
};

/* Move a box of elements, which lie one after the other in memory; `stored` has room for them as the array has them. */
typedef int bridge_piece(struct bridge_move *m, const int64_t lo[], const int64_t count[], void *stored,
                         void *elements);

int64_t bridge_least(int64_t a, int64_t b);
size_t bridge_product(const int64_t count[], int from, int to);
/* The variable, which data follow now, and its type in memory. *types: an error of types, which comes after those of
 * the box. */
int bridge_begin_move(struct bridge_move *m, int ncid, int varid, nc_type type, int *types);
/* Check and fill the box and its strides. NULL: from 0 on, all that is left, with steps of 1, one element after the
 * other. length: what a put needs of its unlimited dimensions; 0: nothing. */
int bridge_prepare(struct bridge_move *m, const size_t *start, const size_t *count, const ptrdiff_t *step,
                   const ptrdiff_t *imap, size_t length[]);
/* The bytes of an element as it is stored: with all its parts, and of a string all of them. */
size_t bridge_stored_bytes(const struct bridge_file *f, const struct bridge_variable *v);
/* Move all, some MiB at a time. */
int bridge_by_pieces(struct bridge_move *m, bridge_piece *piece, void *memory);
/* The box of an array for one of netCDF: with the bytes of strings, or the axis of a scalar. */
struct bridge_box {
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM], step[DRX_MAX_NDIM];
    drx_box box;
};
void bridge_set_box(struct bridge_box *b, const struct bridge_move *m, const int64_t lo[], const int64_t count[]);
/* Is what is asked for one box of the library: with all parts of each element, one after the other? */
bool bridge_is_box(const struct bridge_move *m);

#endif
