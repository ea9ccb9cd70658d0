/* The map between chunk indices and linear chunk addresses: F* and its inverse (Otoo and Rotem 2009, section III). Pure
 * arithmetic, in units of chunks.
 *
 * Invariants
 *   1. The chunks are the box `bound`; their addresses are 0 to chunks - 1.
 *   2. A growth makes an expansion record when another axis grew last. `serial` numbers the records in that order;
 *      start addresses never decrease with it. When two records have the same start address, the earlier has no chunks,
 *      and the later wins.
 *   3. A segment starts where all chunks before it end, so M* is the product of the bounds at its expansion, which is
 *      N* C_l. The paper's M* + (I_l - N*) C_l + sum_{j != l} I_j C_j is therefore sum_j I_j C_j. */
#ifndef DRXI_MAP_H
#define DRXI_MAP_H

#include "base/base.h"

/* The axial vector of one axis: first indices N* (not decreasing) and the serials of the records. Serial -1 stands for
 * the record (0; -1; 0 ... 0) of an axis that took no part in the initial allocation. */
struct drxi_axial {
    int64_t count;
    int64_t first_room, serial_room;
    int64_t *first;
    int64_t *serial;
};

typedef struct drxi_map {
    int ndim;
    int last_axis; /* that grew last, by a chunk or more */
    int64_t bound[DRX_MAX_NDIM];
    int64_t chunks;
    int64_t count; /* expansion records, ordered by serial: */
    int64_t start_room, axis_room, coef_room;
    int64_t *start; /* M* */
    uint8_t *axis;  /* that grew */
    int64_t *coef;  /* C, ndim for each record */
    struct drxi_axial axial[DRX_MAX_NDIM];
} drxi_map;

/* The order of the initial chunks: row-major, or symmetric linear shell order (paper, Fig. 2c). In shell order the
 * array grows from one chunk by one index at a time, cyclically over the axes, and leaves out axes that have reached
 * their bound. The first axis grows first, but in SHELLS_LAST the last one does and the axes follow in descending
 * order: arrays were once made so. With a bound of 0 all are the same. */
enum drxi_map_order { DRXI_MAP_ROWS, DRXI_MAP_SHELLS, DRXI_MAP_SHELLS_LAST };

/* An array of `bound` chunks. Free with drxi_map_free, also on failure. Errors: DRX_EOVERFLOW, DRX_ENOMEM. */
drx_status drxi_map_init(drxi_map *map, int ndim, const int64_t bound[], enum drxi_map_order order);
void drxi_map_free(drxi_map *map);

/* A growth has two steps. Preparing may fail (DRX_EOVERFLOW, DRX_ENOMEM) and then changes nothing. A prepared growth
 * cannot fail. by_chunks >= 0. */
drx_status drxi_map_prepare(drxi_map *map, int axis, int64_t by_chunks, int64_t *chunks);
void drxi_map_grow(drxi_map *map, int axis, int64_t by_chunks);

/* Undo the last growth; `mark` was made before it. */
struct drxi_map_mark {
    int64_t count, chunks;
    int last_axis;
};
struct drxi_map_mark drxi_map_mark(const drxi_map *map);
void drxi_map_ungrow(drxi_map *map, int axis, int64_t by_chunks, struct drxi_map_mark mark);

/* F*: 0 <= index[j] < bound[j]. F*-1: 0 <= address < chunks. */
int64_t drxi_map_address(const drxi_map *map, const int64_t index[]);
void drxi_map_index(const drxi_map *map, int64_t address, int64_t index[]);

/* The position in its axial vector of the record that holds index `i` of `axis`: the last with N* <= i. */
int64_t drxi_map_position(const drxi_map *map, int axis, int64_t i);

/* ---- boxes ------------------------------------------------------------------ */

/* The part of a segment that lies in a box: indices lo[j] <= i_j < hi[j], with addresses sum_j i_j coef[j]. In
 * increasing order of addresses, `axis` varies slowest, then the other axes in their order. */
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

/* Walk the segments that meet the box lo <= i < hi, which is inside the bounds and not empty, in increasing order of
 * address. Time: proportional to the number of these segments, plus the logarithm of the number of records. */
void drxi_walk_start(struct drxi_walk *walk, const drxi_map *map, const int64_t lo[], const int64_t hi[]);
bool drxi_walk_next(struct drxi_walk *walk, struct drxi_part *part);

/* ---- default_chunk.c ---- */

/* The extents of a chunk of about 1 MiB, shaped to the bounds. */
void drxi_choose_chunk(int ndim, const int64_t shape[], size_t item_bytes, int64_t chunk[]);

#endif
