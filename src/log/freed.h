/* Addresses that trims have abandoned and whose bytes are still to be given back to the file system. */
#ifndef DRXI_FREED_H
#define DRXI_FREED_H

#include "map/map.h"

struct drxi_span {
    int64_t first, n; /* addresses */
};

/* Many spans of n addresses at regular distances: along level k, count[k] of them, pitch[k] apart. Level 0 is the
 * slowest, and the addresses increase. */
struct drxi_lattice {
    struct drxi_span span; /* the first one */
    int levels;
    int64_t count[DRX_MAX_NDIM], pitch[DRX_MAX_NDIM];
};

struct drxi_freed {
    int64_t spans, lattices;
    int64_t pending_spans, pending_lattices; /* what a trim has prepared, behind those */
    int64_t span_room, lattice_room;
    struct drxi_span *span;
    struct drxi_lattice *lattice;
};

/* Prepare what the chunks lo <= i < hi free; nothing happens when there are none. Memory: at most some hundred bytes
 * for each segment that has some. DRX_ENOMEM. Then take or drop it. */
drx_status drxi_freed_prepare(struct drxi_freed *f, const drxi_map *map, const int64_t lo[], const int64_t hi[]);
void drxi_freed_take(struct drxi_freed *f);
void drxi_freed_drop(struct drxi_freed *f);

void drxi_freed_clear(struct drxi_freed *f);
void drxi_freed_free(struct drxi_freed *f);

static inline bool drxi_freed_any(const struct drxi_freed *f)
{
    return f->spans + f->lattices > 0;
}

/* The spans of a lattice in order, at[] beginning with zeros; false after the last one. */
int64_t drxi_lattice_first(const struct drxi_lattice *g, const int64_t at[]);
bool drxi_lattice_step(const struct drxi_lattice *g, int64_t at[]);

#endif
