/* Regions of chunks that a read brings, and their elements, put into place. */
#pragma once

#include "box/box.h"
#include "io/flight.h"

/* A region of a chunk: the offset of its first wanted byte in the file, and where its first element belongs. */
struct drxi_placed {
    int64_t offset;
    uint8_t *mem;
};

/* A queue of regions, in rings of `room`. */
struct drxi_regions {
    const struct drxi_layout *layout;
    struct drxi_placed *placed;
    int64_t *count; /* of each, along each axis */
    int64_t room;
    bool large; /* they are part of more than the caches hold */
};

/* Put the elements of n regions into place, of bytes that were read from the offset on. */
void drxi_regions_place(const struct drxi_regions *all, int64_t first, int64_t n, int64_t offset, const uint8_t *bytes);

/* The same while the bytes come, in order. What does not hold whole parts of a region waits in the memory of the
 * read. */
struct drxi_pour {
    struct drxi_sink sink; /* first */
    const struct drxi_regions *all;
    int64_t first, n;
    const struct drxi_flying *read;
    int64_t region, index; /* of the part that comes next: an index of the region's slowest axis */
};
void drxi_pour_begin(struct drxi_pour *p, const struct drxi_regions *all, int64_t first, int64_t n,
                     const struct drxi_flying *read);
