/* The map between chunk indices and linear chunk addresses: F* and its inverse
 * (Otoo and Rotem 2009, section III). Pure arithmetic, in units of chunks.
 *
 * Invariants
 *   1. The chunks are the box `bound`; their addresses are 0 to chunks - 1.
 *   2. An expansion record is made when an axis grows that was not the last to
 *      grow. `serial` numbers the records in that order; start addresses never
 *      decrease with it. Of two records with one start address (the earlier
 *      has no chunks) the later wins.
 *   3. A segment starts where all chunks before it end, so that M* is the
 *      product of the bounds at its expansion, which is N* C_l. The paper's
 *      M* + (I_l - N*) C_l + sum_{j != l} I_j C_j is therefore sum_j I_j C_j.
 */
#ifndef DRXI_MAP_H
#define DRXI_MAP_H

#include "base/base.h"

/* The axial vector of one axis: first indices N* (not decreasing) and the
 * serials of the records; serial -1: the record (0; -1; 0 ... 0) of an axis that
 * took no part in the initial allocation. */
struct drxi_axial {
    int64_t count;
    int64_t first_room, serial_room;
    int64_t *first;
    int64_t *serial;
};

typedef struct drxi_map {
    int ndim;
    int last_axis; /* the last to grow by a chunk */
    int64_t bound[DRX_MAX_NDIM];
    int64_t chunks;
    int64_t count; /* expansion records, by serial: */
    int64_t start_room, axis_room, coef_room;
    int64_t *start; /* M* */
    uint8_t *axis;  /* the one that grew */
    int64_t *coef;  /* C, ndim a record */
    struct drxi_axial axial[DRX_MAX_NDIM];
} drxi_map;

/* An array of `bound` chunks, in row-major order or, when `shell`, in symmetric
 * linear shell order: grown from one chunk by one index at a time, cyclically
 * with the last axis first, leaving out axes that have reached their bound.
 * A bound of 0 makes both the same. Free with drxi_map_free, also on failure.
 * Errors: DRX_EOVERFLOW, DRX_ENOMEM. */
drx_status drxi_map_init(drxi_map *map, int ndim, const int64_t bound[], bool shell);
void drxi_map_free(drxi_map *map);

/* Growth in two steps: preparing may fail (DRX_EOVERFLOW, DRX_ENOMEM) and
 * changes nothing; a growth as prepared does not fail. by_chunks >= 0. */
drx_status drxi_map_prepare(drxi_map *map, int axis, int64_t by_chunks, int64_t *chunks);
void drxi_map_grow(drxi_map *map, int axis, int64_t by_chunks);

/* Take the last growth back; `mark` was made before it. */
struct drxi_map_mark {
    int64_t count, chunks;
    int last_axis;
};
struct drxi_map_mark drxi_map_mark(const drxi_map *map);
void drxi_map_ungrow(drxi_map *map, int axis, int64_t by_chunks, struct drxi_map_mark mark);

/* F*: 0 <= index[j] < bound[j]. F*-1: 0 <= address < chunks. */
int64_t drxi_map_address(const drxi_map *map, const int64_t index[]);
void drxi_map_index(const drxi_map *map, int64_t address, int64_t index[]);

/* The position in its axial vector of the record that index `i` of `axis` falls
 * under: the last with N* <= i. */
int64_t drxi_map_position(const drxi_map *map, int axis, int64_t i);

/* ---- boxes ------------------------------------------------------------------ */

/* The part of a segment that lies in a box: indices lo[j] <= i_j < hi[j], whose
 * addresses are sum_j i_j coef[j]. Increasing addresses: `axis` varies slowest,
 * then the others in their order. */
struct drxi_part {
    int axis;
    int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM];
    const int64_t *coef;
};

struct drxi_walk {
    const drxi_map *map;
    int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM];
    int64_t at[DRX_MAX_NDIM], end[DRX_MAX_NDIM]; /* positions in the axial vectors */
};

/* Walk the segments that meet the box lo <= i < hi, not empty and inside the
 * bounds, in increasing order of address: in time proportional to the segments
 * met plus the logarithm of the records. */
void drxi_walk_start(struct drxi_walk *walk, const drxi_map *map, const int64_t lo[], const int64_t hi[]);
bool drxi_walk_next(struct drxi_walk *walk, struct drxi_part *part);

#endif
