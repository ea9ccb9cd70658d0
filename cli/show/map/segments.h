/* The segments of any array, from its axial vectors: also of one that grew at low ends, or was trimmed. */
#ifndef SEGMENTS_H
#define SEGMENTS_H

#include "chunk_slice.h"

struct segment {
    int axis;               /* that grew */
    bool low, made;         /* at the low end; or by the creation of the array */
    int64_t first, last;    /* addresses */
    bool drawn;             /* some of its chunks are in the slice: */
    struct slice_part part; /* these; rows and columns count from 0 */
};

struct segments {
    int64_t n, drawn;
    struct segment *of; /* by address; free it */
};

/* False: out of memory. */
bool find_segments(struct segments *s, const drx_array *a, const struct chunk_slice *slice);

#endif
