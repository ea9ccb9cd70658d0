/* Axial vectors: growth, F* and F*-1. */
#include "map/map.h"

enum { MAX_SHELL_COEFFICIENTS = 1 << 24 };

/* The coefficients of a segment of `axis` for the present bounds, and the number of all chunks once that axis has
 * `extent`. */
static bool coefficients(const drxi_map *map, int axis, int64_t extent, int64_t coef[], int64_t *chunks)
{
    int64_t product = 1;

    for (int j = map->ndim - 1; j >= 0; j--) {
        if (j == axis)
            continue;
        coef[j] = product;
        if (!drxi_mul(product, map->bound[j], &product))
            return false;
    }
    coef[axis] = product;
    return drxi_mul(product, extent, chunks);
}

/* Make room for one more record of `axis`. */
static drx_status reserve_record(drxi_map *map, int axis)
{
    struct drxi_axial *v = &map->axial[axis];
    drx_status st;

    if ((st = drxi_reserve(&map->start, &map->start_room, map->count + 1, sizeof *map->start)))
        return st;
    if ((st = drxi_reserve(&map->axis, &map->axis_room, map->count + 1, sizeof *map->axis)))
        return st;
    if ((st = drxi_reserve(&map->coef, &map->coef_room, (map->count + 1) * map->ndim, sizeof *map->coef)))
        return st;
    if ((st = drxi_reserve(&v->first, &v->first_room, v->count + 1, sizeof *v->first)))
        return st;
    return drxi_reserve(&v->serial, &v->serial_room, v->count + 1, sizeof *v->serial);
}

static void add_record(drxi_map *map, int axis)
{
    struct drxi_axial *v = &map->axial[axis];
    int64_t chunks;

    (void)coefficients(map, axis, map->bound[axis], map->coef + map->count * map->ndim, &chunks);
    map->start[map->count] = map->chunks;
    map->axis[map->count] = (uint8_t)axis;
    v->first[v->count] = map->bound[axis];
    v->serial[v->count++] = map->count++;
    map->last_axis = axis;
}

drx_status drxi_map_prepare(drxi_map *map, int axis, int64_t by_chunks, int64_t *chunks)
{
    int64_t coef[DRX_MAX_NDIM];
    int64_t extent;

    if (!drxi_add(map->bound[axis], by_chunks, &extent) || !coefficients(map, axis, extent, coef, chunks))
        return drxi_fail(DRX_EOVERFLOW, "axis %d: the number of chunks would overflow 64 bits", axis);
    return reserve_record(map, axis);
}

void drxi_map_grow(drxi_map *map, int axis, int64_t by_chunks)
{
    int64_t coef[DRX_MAX_NDIM];

    if (by_chunks == 0)
        return;
    if (axis != map->last_axis)
        add_record(map, axis);
    map->bound[axis] += by_chunks;
    (void)coefficients(map, axis, map->bound[axis], coef, &map->chunks);
}

struct drxi_map_mark drxi_map_mark(const drxi_map *map)
{
    const struct drxi_map_mark mark = { map->count, map->chunks, map->last_axis };

    return mark;
}

void drxi_map_ungrow(drxi_map *map, int axis, int64_t by_chunks, struct drxi_map_mark mark)
{
    map->bound[axis] -= by_chunks;
    map->axial[axis].count -= map->count - mark.count;
    map->count = mark.count;
    map->chunks = mark.chunks;
    map->last_axis = mark.last_axis;
}

static drx_status grow(drxi_map *map, int axis, int64_t by_chunks)
{
    int64_t chunks;
    drx_status st = drxi_map_prepare(map, axis, by_chunks, &chunks);

    if (!st)
        drxi_map_grow(map, axis, by_chunks);
    return st;
}

/* An upper bound for the expansion records of `bound` in shell order: one for each index of each axis, except that the
 * longest axis grows alone after the second longest has reached its bound. */
static int64_t shell_records(int ndim, const int64_t bound[])
{
    int64_t longest = 1;
    int64_t second = 1;
    int64_t records = 2;

    for (int j = 0; j < ndim; j++) {
        const int64_t shorter = drxi_min(bound[j], longest);

        longest = drxi_max(bound[j], longest);
        second = drxi_max(second, shorter);
        if (!drxi_add(records, shorter, &records))
            return INT64_MAX;
    }
    return drxi_add(records, second, &records) ? records : INT64_MAX;
}

/* Grow from one chunk to `bound` in shell order. */
static drx_status grow_shells(drxi_map *map, const int64_t bound[], bool last_first)
{
    int open = 0; /* axes that have not reached their bound */
    drx_status st;

    if (shell_records(map->ndim, bound) > MAX_SHELL_COEFFICIENTS / map->ndim)
        return drxi_fail(DRX_EOVERFLOW, "shell order takes more than %d expansion records",
                         MAX_SHELL_COEFFICIENTS / map->ndim);

    for (int j = 0; j < map->ndim; j++)
        open += bound[j] > 1;
    for (int turn = 0; open > 0; turn = (turn + 1) % map->ndim) {
        const int j = last_first ? map->ndim - 1 - turn : turn;

        if (map->bound[j] == bound[j])
            continue;
        if ((st = grow(map, j, open == 1 ? bound[j] - map->bound[j] : 1)))
            return st;
        open -= map->bound[j] == bound[j];
    }
    return DRX_OK;
}

drx_status drxi_map_init(drxi_map *map, int ndim, const int64_t bound[], enum drxi_map_order order)
{
    bool shell = order != DRXI_MAP_ROWS;
    int64_t coef[DRX_MAX_NDIM];
    int64_t chunks;
    drx_status st;

    memset(map, 0, sizeof *map);
    map->ndim = ndim;
    for (int j = 0; j < ndim; j++) {
        shell = shell && bound[j] > 0;
        if ((st = reserve_record(map, j)))
            return st;
        if (j > 0) { /* (0; -1; 0 ... 0) */
            map->axial[j].first[0] = 0;
            map->axial[j].serial[0] = -1;
            map->axial[j].count = 1;
        }
    }
    for (int j = 0; j < ndim; j++)
        map->bound[j] = shell ? 1 : bound[j];
    if (!coefficients(map, 0, map->bound[0], coef, &chunks))
        return drxi_fail(DRX_EOVERFLOW, "the number of chunks overflows 64 bits");
    map->bound[0] = 0; /* the initial allocation is a growth of axis 0 */
    add_record(map, 0);
    drxi_map_grow(map, 0, shell ? 1 : bound[0]);
    return shell ? grow_shells(map, bound, order == DRXI_MAP_SHELLS_LAST) : DRX_OK;
}

void drxi_map_free(drxi_map *map)
{
    for (int j = 0; j < map->ndim; j++) {
        drxi_free(map->axial[j].first);
        drxi_free(map->axial[j].serial);
    }
    drxi_free(map->start);
    drxi_free(map->axis);
    drxi_free(map->coef);
    memset(map, 0, sizeof *map);
}

/* The last of the n values that is at most `value`. The values do not decrease, and the first one is at most `value`.
 */
static int64_t last_up_to(const int64_t values[], int64_t n, int64_t value)
{
    const int64_t *base = values;

    while (n > 1) { /* no branch, which could be mispredicted */
        const int64_t half = n / 2;

        base = base[half] <= value ? base + half : base;
        n -= half;
    }
    return base - values;
}

/* The number of values that are at most `value`. */
static int64_t count_up_to(const int64_t values[], int64_t n, int64_t value)
{
    return n == 0 || values[0] > value ? 0 : last_up_to(values, n, value) + 1;
}

int64_t drxi_map_position(const drxi_map *map, int axis, int64_t i)
{
    return last_up_to(map->axial[axis].first, map->axial[axis].count, i);
}

int64_t drxi_map_address(const drxi_map *map, const int64_t index[])
{
    const int64_t *coef;
    int64_t serial = 0;
    int64_t address = 0;

    for (int j = 0; j < map->ndim; j++) {
        const int64_t s = map->axial[j].serial[drxi_map_position(map, j, index[j])];

        serial = drxi_max(serial, s);
    }
    coef = map->coef + serial * map->ndim;
    for (int j = 0; j < map->ndim; j++)
        address += index[j] * coef[j];
    return address;
}

/* Return *value / divisor, and leave the remainder in *value. Divisions take most of the time, so there is only one. */
static int64_t quotient(int64_t *value, int64_t divisor)
{
    const int64_t q = *value / divisor;

    *value -= q * divisor;
    return q;
}

void drxi_map_index(const drxi_map *map, int64_t address, int64_t index[])
{
    const int64_t serial = last_up_to(map->start, map->count, address);
    const int64_t *coef = map->coef + serial * map->ndim;
    const int axis = map->axis[serial];

    index[axis] = quotient(&address, coef[axis]);
    for (int k = 0; k + 1 < map->ndim; k++) { /* the other axes; a branch for `axis` could not be predicted */
        const int j = k + (k >= axis);

        index[j] = k + 2 < map->ndim ? quotient(&address, coef[j]) : address; /* the last one's coefficient is 1 */
    }
}

void drxi_walk_start(struct drxi_walk *walk, const drxi_map *map, const int64_t lo[], const int64_t hi[])
{
    int64_t corner = 0; /* serial of the segment of the lower corner */

    walk->map = map;
    for (int j = 0; j < map->ndim; j++) {
        walk->lo[j] = lo[j];
        walk->hi[j] = hi[j];
        walk->at[j] = drxi_map_position(map, j, lo[j]);
        walk->end[j] = drxi_map_position(map, j, hi[j] - 1) + 1;
        corner = drxi_max(corner, map->axial[j].serial[walk->at[j]]);
    }
    /* A record of axis l meets the box when its own indices do and when it is no older than the corner: by then all
     * other axes had grown past lo. */
    for (int j = 0; j < map->ndim; j++) {
        const struct drxi_axial *v = &map->axial[j];

        walk->at[j] += count_up_to(v->serial + walk->at[j], v->count - walk->at[j], corner - 1);
    }
}

/* The axis of the oldest record that is left, -1 for none. */
static int next_axis(const struct drxi_walk *walk)
{
    int64_t least = INT64_MAX;
    int axis = -1;

    for (int j = 0; j < walk->map->ndim; j++) {
        const int64_t at = walk->at[j];

        if (at < walk->end[j] && walk->map->axial[j].serial[at] < least) {
            least = walk->map->axial[j].serial[at];
            axis = j;
        }
    }
    return axis;
}

bool drxi_walk_next(struct drxi_walk *walk, struct drxi_part *part)
{
    const drxi_map *map = walk->map;
    bool empty = true;

    while (empty) {
        const int axis = next_axis(walk);
        int64_t at;

        if (axis < 0)
            return false;
        at = walk->at[axis]++;
        part->axis = axis;
        part->coef = map->coef + map->axial[axis].serial[at] * map->ndim;
        empty = false;
        for (int j = 0; j < map->ndim; j++) {
            /* the bound of axis j while this record was the last one */
            const struct drxi_axial *v = &map->axial[j];
            const int64_t bound = walk->at[j] < v->count ? v->first[walk->at[j]] : map->bound[j];

            part->lo[j] = j == axis ? drxi_max(walk->lo[j], v->first[at]) : walk->lo[j];
            part->hi[j] = drxi_min(walk->hi[j], bound);
            empty = empty || part->lo[j] >= part->hi[j];
        }
    }
    return true;
}
