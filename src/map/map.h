/* The map between chunk indices and linear chunk addresses: F* and its inverse (Otoo and Rotem 2009, section III),
 * extended to growth at both ends of an axis, to trims, and to new axes. Pure arithmetic, in units of chunks.
 *
 * Invariants
 *   1. The chunks are the box lower[j] <= i_j < upper[j]. The addresses given out are 0 to chunks - 1. Without a trim
 *      each belongs to one of the chunks; a trim abandons addresses for ever.
 *   2. A growth makes an expansion record when another axis, or the other end of the axis, grew last, or when a trim
 *      interrupted it. `serial` numbers the records in that order. Start addresses never decrease with it. When two
 *      records have the same start address, the earlier has no chunks, and the later wins.
 *   3. A segment, the chunks of one record, has the addresses base + sum_j i_j C_j. Of a segment of growth at the low
 *      end, C_l is negative: the distance from the old bound varies slowest. Without trims and low ends, and where
 *      all indices begin at 0, base is 0.
 *   4. Growth at the high end of axis l concerns all indices from N* on, growth at its low end all below N*. The chunk
 *      belongs to the latest record that concerns it. So the live part of a segment is always a box.
 *   5. A vector holds its records in the order of time, and N* does not decrease. (A record that starts after a new one
 *      does concerns only what the new one concerns, too. It leaves the vector.) */
#pragma once

#include "base/base.h"

/* The axial vector of one end of an axis: first indices N* and the serials of the records. Serial -1 stands for the
 * record (lower; -1; 0 ... 0) of an axis that took no part in the initial allocation. The vector of a low end holds
 * mirrored indices, -1 - i: there, growth goes upwards, too. */
struct drxi_axial {
    int64_t count;
    int64_t first_room, serial_room;
    int64_t *first;
    int64_t *serial;
};

/* The growth that the next one may continue. */
struct drxi_last {
    int axis; /* -1: none */
    enum drxi_end end;
};

typedef struct drxi_map {
    int ndim;
    bool two_ended; /* some axis has grown at its low end */
    bool mixed;     /* after trims, records of both ends of an axis concern the same index */
    bool wider;     /* an axis was added: some coefficients are 0 */
    bool shifted; /* some segment does not lie where its chunks would without low ends, trims, and lower bounds but 0 */
    struct drxi_last last;
    int64_t chunks; /* addresses given out */
    int64_t most;   /* of them; and no number on the way to an address exceeds it */
    int64_t count;  /* expansion records, ordered by serial: */
    int64_t start_room, base_room, axis_room, coef_room, corner_room;
    int64_t *start;  /* M* */
    int64_t *base;   /* of the sum */
    uint8_t *axis;   /* that grew */
    int64_t *coef;   /* C, ndim for each record */
    int64_t *corner; /* the index of the chunk at M*, ndim for each record */
    int64_t lower[DRX_MAX_NDIM], upper[DRX_MAX_NDIM];
    struct drxi_axial axial[2][DRX_MAX_NDIM];
    struct drxi_axial spare; /* for a new axis, or of a map that another one has grown into */
} drxi_map;

/* The order of the initial chunks: row-major, or symmetric linear shell order (paper, Fig. 2c). In shell order the
 * array grows from one chunk by one index at a time, cyclically over the axes from the first one on, and leaves out
 * axes that have reached their bound. With a bound of 0 both are the same. */
enum drxi_map_order { DRXI_MAP_ROWS, DRXI_MAP_SHELLS };

/* An array of the chunks lower <= i < upper, which may get up to `most` chunks. Free with drxi_map_free, also on
 * failure. Errors: DRX_EOVERFLOW, DRX_ENOMEM. */
drx_status drxi_map_init(drxi_map *map, int ndim, const int64_t lower[], const int64_t upper[],
                         enum drxi_map_order order, int64_t most);
void drxi_map_free(drxi_map *map);

static inline int64_t drxi_map_extent(const drxi_map *map, int axis)
{
    return map->upper[axis] - map->lower[axis];
}

/* A growth has two steps. Preparing may fail (DRX_EOVERFLOW, DRX_ENOMEM) and then changes nothing. A prepared growth
 * cannot fail. by_chunks >= 0. *chunks: the addresses given out after it. */
drx_status drxi_map_prepare(drxi_map *map, int axis, enum drxi_end end, int64_t by_chunks, int64_t *chunks);
void drxi_map_grow(drxi_map *map, int axis, enum drxi_end end, int64_t by_chunks);
/* Whether such a growth, of a chunk or more, would continue the last one. */
static inline bool drxi_map_continues(const drxi_map *map, int axis, enum drxi_end end)
{
    return map->last.axis == axis && map->last.end == end;
}

/* An axis without chunks may lie anywhere: move it. */
void drxi_map_place(drxi_map *map, int axis, int64_t at);

/* A second map that shares the vectors of the first, and lasts until that is prepared for a change, or changed. */
void drxi_map_share(const drxi_map *map, drxi_map *to);
/* What a copy of its records takes, about. */
static inline int64_t drxi_map_bytes(const drxi_map *map)
{
    return map->count * (2 * map->ndim + 4) * (int64_t)sizeof *map->start;
}
/* A map that no change of the first touches. It lasts until *memory is freed. DRX_ENOMEM. */
drx_status drxi_map_copy(const drxi_map *map, drxi_map *to, void **memory);
/* Whether a growth for which it is prepared moves no vector. */
bool drxi_map_has_room(const drxi_map *map, int axis, enum drxi_end end);
/* A map that shares, after a growth for which the first was prepared, and which it does not have. DRX_ENOMEM. End it
 * with drxi_map_end_grown, also on failure. */
drx_status drxi_map_grown(const drxi_map *map, int axis, enum drxi_end end, int64_t by_chunks, drxi_map *to);
void drxi_map_end_grown(drxi_map *to);

/* Move a bound inwards. It interrupts growth, but not that of the other end of the axis: a segment goes on where it
 * ended, so that an array which is appended to at one end and trimmed at the other keeps one record. */
void drxi_map_trim(drxi_map *map, int axis, enum drxi_end end, int64_t by_chunks);

/* Add an axis of extent 1, index 0, before axis `at`, in two steps, too. DRX_ENOMEM. */
drx_status drxi_map_prepare_axis(drxi_map *map);
void drxi_map_add_axis(drxi_map *map, int at);

/* F*, for a chunk inside the bounds. F*-1, 0 <= address < chunks: the chunk that the address was given to, even if it
 * was trimmed since; drxi_map_lives tells. */
int64_t drxi_map_address(const drxi_map *map, const int64_t index[]);
void drxi_map_index(const drxi_map *map, int64_t address, int64_t index[]);
bool drxi_map_lives(const drxi_map *map, int64_t address, const int64_t index[]);

/* ---- map_walk.c ------------------------------------------------------------- */

/* A part of a segment, in a box: indices lo[j] <= i_j < hi[j], with addresses base + sum_j i_j coef[j]. In increasing
 * order of addresses, `axis` varies slowest, then the other axes in their order. */
struct drxi_part {
    int axis;
    int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM];
    int64_t base;
    const int64_t *coef;
};

static inline int64_t drxi_part_address(const struct drxi_part *part, int ndim, const int64_t index[])
{
    int64_t address = part->base;

    for (int j = 0; j < ndim; j++)
        address += index[j] * part->coef[j];
    return address;
}

struct drxi_walk {
    const drxi_map *map;
    int64_t lo[DRX_MAX_NDIM], hi[DRX_MAX_NDIM];
    int64_t at[2][DRX_MAX_NDIM], end[2][DRX_MAX_NDIM]; /* positions in the axial vectors */
    int64_t slices;                                    /* of a segment at a low end that are left */
    struct drxi_part slice;
};

/* Walk the parts of the box lo <= i < hi, which is inside the bounds and not empty, in increasing order of address:
 * what it has of a segment is one part, but of a segment at a low end each index of that axis is one, from the highest
 * down. Time: proportional to the number of parts, plus the logarithm of the number of records. */
void drxi_walk_start(struct drxi_walk *walk, const drxi_map *map, const int64_t lo[], const int64_t hi[]);
bool drxi_walk_next(struct drxi_walk *walk, struct drxi_part *part);
/* The same, but all that the box has of a segment is one part. At a low end its addresses decrease along `axis`. */
bool drxi_walk_segment(struct drxi_walk *walk, struct drxi_part *part, enum drxi_end *end);

/* ---- default_chunk.c ---- */

/* What the choice of a chunk depends on. */
struct drxi_bounds {
    int ndim;
    const int64_t *shape, *lower; /* lower NULL: 0 */
    size_t item_bytes;
    uint32_t grows; /* bit j: axis j is going to grow */
};

/* The extents of a chunk of at most 1 MiB that suits the bounds, and how they grow. */
void drxi_choose_chunk(const struct drxi_bounds *bounds, int64_t chunk[]);
/* Has the chunk of a source 16 KiB to 8 MiB, and do the bounds fill its chunks? */
bool drxi_is_sensible_chunk(const struct drxi_bounds *bounds, const int64_t chunk[]);
