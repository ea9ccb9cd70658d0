/* Axial vectors: growth, F* and F*-1 (Otoo and Rotem 2009, section III).
 *
 * An array of chunks that grows must give each chunk an address once and for ever. A growth of one axis adds a slab of
 * chunks, a segment, at the end of the file. Inside a segment the addresses are row-major, but the axis that grew
 * varies slowest: so the next growth of the same axis continues the segment, and any number of them in a row are one
 * segment. The start counts as a growth of axis 0. Start with 2x2 chunks, grow axis 1 by 1, axis 0 by 1, then axis 1
 * twice by 1:
 *
 *               j = 0   1   2   3   4       record  axis  N*  M*  C        it made
 *       i = 0       0   1   4   9  12          0      0    0   0  (2, 1)   2x2 chunks, row-major
 *       i = 1       2   3   5  10  13          1      1    2   4  (1, 2)   column 2
 *       i = 2       6   7   8  11  14          2      0    2   6  (3, 1)   row 2
 *                                              3      1    3   9  (1, 3)   columns 3 and 4
 *
 * For each segment we keep one expansion record: the axis that grew, the first index N* of the slab, its first address
 * M*, and the coefficients C. C of the axis that grew is the number of chunks of one slice, the product of all other
 * extents at that time; the others have those of row-major order without it. A chunk of the segment has the address
 *
 *       M* + (i_axis - N*) C_axis + sum of i_j C_j over the other axes,
 *
 * which is a sum over all axes plus a constant, `base`. (When all indices begin at 0 and nothing was trimmed, the
 * constant is 0: N* C_axis is the number of chunks before the growth, M*.) The records of axis j, in the order of time,
 * are its axial vector. An array with E records takes memory for E (2 ndim + 4) numbers, however many chunks it has.
 *
 * F*, from an index to an address. A chunk came to be when the last of its indices did. Among the records of axis j the
 * last with N* <= i_j tells when index i_j came, and the latest of these records over all axes made the
 * chunk. The chunk (2, 1): axis 0 says record 2, axis 1 nothing later than the start; record 2 gives 3*2 + 1*1 = 7. The
 * chunk (1, 4): axis 0 says record 0, axis 1 record 3, which gives 1*1 + 3*4 = 13. That is ndim binary searches
 * (last_up_to, without branches) and ndim multiplications.
 *
 * F*-1, from an address to an index. Addresses are given out in the order of the records, so the record is the last
 * with M* <= q: one binary search. Inside the segment the coefficients are those of mixed-radix digits. Divide q - M*
 * by C_axis first, then by the others in their order, and add the corner of the segment: N* on its axis, the lower
 * bounds of then on the others. Address 11: record 3, 11 - 9 = 2; 2 / 3 is 0, so j = 3 + 0; 2 / 1 is 2, so i = 2.
 *
 * Three things were added to the paper. Growth at the low end mirrors an axis: its records have vectors of their own,
 * of indices -1 - i, C_axis is negative, and `corner` is the chunk at M*. A trim moves a bound inwards and gives up
 * addresses for ever; when the axis grows again, records that began beyond the bound leave the vector (add_record), and
 * drxi_map_lives tells a chunk that was trimmed from one that is there. A new axis counts as one that always had extent
 * 1, so all older records get the coefficient 0 for it. */
#include "map/map.h"

enum { MAX_SHELL_COEFFICIENTS = 1 << 24 };

/* The coefficients of a segment of `axis` for the present bounds, and the addresses given out once it has grown by
 * `by`. */
static bool coefficients(const drxi_map *map, int axis, int64_t by, int64_t coef[], int64_t *chunks)
{
    int64_t product = 1;

    for (int j = map->ndim - 1; j >= 0; j--) {
        if (j == axis)
            continue;
        coef[j] = product;
        if (!drxi_mul(product, drxi_map_extent(map, j), &product))
            return false;
    }
    coef[axis] = product;
    return drxi_mul(product, by, &product) && drxi_add(map->chunks, product, chunks);
}

static int64_t distance(int64_t index)
{
    return index < 0 ? -index : index;
}

/* The largest number on the way to any address, once `axis` has grown, or INT64_MAX. It exceeds the addresses where the
 * indices begin elsewhere than at 0, since the sum for an address has a term for each index. */
static int64_t reach(const drxi_map *map, int axis, enum drxi_end end, int64_t by, const int64_t coef[], int64_t chunks)
{
    int64_t sum = chunks;
    bool from_zero = end == DRXI_HIGH;

    for (int j = 0; j < map->ndim; j++) {
        int64_t low = distance(map->lower[j]), high = distance(map->upper[j]), term;

        from_zero = from_zero && low == 0;
        if (j == axis && !drxi_add(drxi_max(low, high), by, &high))
            high = INT64_MAX;
        if (!drxi_mul(drxi_max(low, high), coef[j], &term) || !drxi_add(sum, term, &sum))
            sum = INT64_MAX;
    }
    return from_zero ? chunks : drxi_mul_saturated(sum, 2);
}

/* Get the addresses given out once `axis` has grown by `by`. */
static drx_status count_chunks(const drxi_map *map, int axis, enum drxi_end end, int64_t by, int64_t *chunks)
{
    int64_t coef[DRX_MAX_NDIM];

    if (!coefficients(map, axis, by, coef, chunks))
        return drxi_fail(DRX_EOVERFLOW, "axis %d: the number of chunks would overflow 64 bits", axis);
    if (*chunks > map->most)
        return drxi_fail(DRX_EOVERFLOW, "axis %d: the bytes of %lld chunks overflow 64 bits", axis, (long long)*chunks);
    if (reach(map, axis, end, by, coef, *chunks) > map->most)
        return drxi_fail(DRX_EOVERFLOW,
                         "axis %d: even without elements these indices are too far from 0; begin nearer to it", axis);
    return DRX_OK;
}

/* Make room for one more record of a vector. */
static drx_status reserve_record(drxi_map *map, struct drxi_axial *v)
{
    drx_status st = drxi_reserve(&map->start, &map->start_room, map->count + 1, sizeof *map->start);

    if (!st)
        st = drxi_reserve(&map->base, &map->base_room, map->count + 1, sizeof *map->base);
    if (!st)
        st = drxi_reserve(&map->axis, &map->axis_room, map->count + 1, sizeof *map->axis);
    if (!st)
        st = drxi_reserve(&map->coef, &map->coef_room, (map->count + 1) * map->ndim, sizeof *map->coef);
    if (!st)
        st = drxi_reserve(&map->corner, &map->corner_room, (map->count + 1) * map->ndim, sizeof *map->corner);
    if (!st)
        st = drxi_reserve(&v->first, &v->first_room, v->count + 1, sizeof *v->first);
    return st ? st : drxi_reserve(&v->serial, &v->serial_room, v->count + 1, sizeof *v->serial);
}

/* Whether some index of the axis is concerned by records of both ends. */
static bool ends_meet(const drxi_map *map, int axis)
{
    const struct drxi_axial *high = &map->axial[DRXI_HIGH][axis], *low = &map->axial[DRXI_LOW][axis];

    return high->count > 0 && low->count > 0 && -1 - low->first[0] >= high->first[0];
}

static void add_record(drxi_map *map, int axis, enum drxi_end end)
{
    struct drxi_axial *v = &map->axial[end][axis];
    int64_t *coef = map->coef + map->count * map->ndim, *corner = map->corner + map->count * map->ndim;
    const int64_t first = end == DRXI_LOW ? -map->lower[axis] : map->upper[axis];
    int64_t chunks, base = map->chunks;

    (void)coefficients(map, axis, 0, coef, &chunks);
    memcpy(corner, map->lower, (size_t)map->ndim * sizeof *corner);
    corner[axis] = end == DRXI_LOW ? map->lower[axis] - 1 : map->upper[axis];
    coef[axis] *= end == DRXI_LOW ? -1 : 1;
    for (int j = 0; j < map->ndim; j++) {
        base -= corner[j] * coef[j];
        map->shifted = map->shifted || (j != axis && corner[j] != 0);
    }
    map->shifted = map->shifted || base != 0;
    while (v->count > 0 && v->first[v->count - 1] > first) /* trimmed since */
        v->count--;
    v->first[v->count] = first;
    v->serial[v->count++] = map->count;
    map->start[map->count] = map->chunks;
    map->base[map->count] = base;
    map->axis[map->count++] = (uint8_t)axis;
    map->last = (struct drxi_last){ axis, end };
    map->two_ended = map->two_ended || end == DRXI_LOW;
    map->mixed = map->mixed || ends_meet(map, axis);
}

bool drxi_map_has_room(const drxi_map *map, int axis, enum drxi_end end)
{
    const struct drxi_axial *v = &map->axial[end][axis];
    const int64_t n = map->count + 1;

    return n <= drxi_min(map->start_room, drxi_min(map->base_room, map->axis_room)) &&
           n * map->ndim <= drxi_min(map->coef_room, map->corner_room) && v->count < v->first_room &&
           v->count < v->serial_room;
}

drx_status drxi_map_prepare(drxi_map *map, int axis, enum drxi_end end, int64_t by_chunks, int64_t *chunks)
{
    int64_t bound;
    drx_status st = DRX_OK;

    if (!drxi_add(end == DRXI_LOW ? -map->lower[axis] : map->upper[axis], by_chunks, &bound))
        st = drxi_fail(DRX_EOVERFLOW, "axis %d: the number of chunks would overflow 64 bits", axis);
    if (!st)
        st = count_chunks(map, axis, end, by_chunks, chunks);
    return st ? st : reserve_record(map, &map->axial[end][axis]);
}

void drxi_map_grow(drxi_map *map, int axis, enum drxi_end end, int64_t by_chunks)
{
    int64_t c;

    if (by_chunks == 0)
        return;
    if (!drxi_map_continues(map, axis, end))
        add_record(map, axis, end);
    c = map->coef[(map->count - 1) * map->ndim + axis];
    map->chunks += by_chunks * (end == DRXI_LOW ? -c : c);
    map->upper[axis] += end == DRXI_LOW ? 0 : by_chunks;
    map->lower[axis] -= end == DRXI_LOW ? by_chunks : 0;
}

void drxi_map_place(drxi_map *map, int axis, int64_t at)
{
    if (map->lower[axis] == at)
        return;
    map->lower[axis] = map->upper[axis] = at;
    map->last.axis = -1;
}

void drxi_map_share(const drxi_map *map, drxi_map *to)
{
    const size_t n = (size_t)map->ndim;

    memcpy(to, map, offsetof(drxi_map, lower));
    memcpy(to->lower, map->lower, n * sizeof *map->lower);
    memcpy(to->upper, map->upper, n * sizeof *map->upper);
    for (int end = 0; end < 2; end++)
        memcpy(to->axial[end], map->axial[end], n * sizeof **map->axial);
    memset(&to->spare, 0, sizeof to->spare);
}

static void *take_array(uint8_t **at, const void *from, int64_t n, size_t bytes)
{
    uint8_t *const to = *at;

    if (n > 0)
        memcpy(to, from, (size_t)n * bytes);
    *at += (size_t)n * bytes;
    return to;
}

/* The longer items come first, so that all are aligned. */
drx_status drxi_map_copy(const drxi_map *map, drxi_map *to, void **memory)
{
    const int64_t n = map->count, wide = n * map->ndim;
    int64_t numbers = 2 * n + 2 * wide;
    uint8_t *at;

    for (int k = 0; k < 2 * map->ndim; k++)
        numbers += 2 * map->axial[k % 2][k / 2].count;
    at = *memory = drxi_malloc((size_t)numbers * sizeof *map->start + (size_t)n);
    if (!at)
        return DRX_ENOMEM;
    drxi_map_share(map, to);
    to->start = take_array(&at, map->start, n, sizeof *map->start);
    to->base = take_array(&at, map->base, n, sizeof *map->base);
    to->coef = take_array(&at, map->coef, wide, sizeof *map->coef);
    to->corner = take_array(&at, map->corner, wide, sizeof *map->corner);
    for (int k = 0; k < 2 * map->ndim; k++) {
        struct drxi_axial *v = &to->axial[k % 2][k / 2];

        v->first = take_array(&at, v->first, v->count, sizeof *v->first);
        v->serial = take_array(&at, v->serial, v->count, sizeof *v->serial);
    }
    to->axis = take_array(&at, map->axis, n, sizeof *map->axis);
    return DRX_OK;
}

/* Entries behind the count are nobody's; those that a growth after a trim writes over, `map` has. */
static drx_status part_vector(struct drxi_axial *v, int64_t first, struct drxi_axial *own)
{
    const size_t n = (size_t)v->count;
    drx_status st;

    if (v->count == 0 || v->first[v->count - 1] <= first)
        return DRX_OK;
    if ((st = drxi_reserve(&own->first, &own->first_room, v->count, sizeof *own->first)) ||
        (st = drxi_reserve(&own->serial, &own->serial_room, v->count, sizeof *own->serial)))
        return st;
    memcpy(own->first, v->first, n * sizeof *own->first);
    memcpy(own->serial, v->serial, n * sizeof *own->serial);
    own->count = v->count;
    *v = *own;
    return DRX_OK;
}

drx_status drxi_map_grown(const drxi_map *map, int axis, enum drxi_end end, int64_t by_chunks, drxi_map *to)
{
    drx_status st;

    drxi_map_share(map, to);
    st = part_vector(&to->axial[end][axis], end == DRXI_LOW ? -map->lower[axis] : map->upper[axis], &to->spare);
    if (!st)
        drxi_map_grow(to, axis, end, by_chunks);
    return st;
}

void drxi_map_end_grown(drxi_map *to)
{
    drxi_free(to->spare.first);
    drxi_free(to->spare.serial);
}

void drxi_map_trim(drxi_map *map, int axis, enum drxi_end end, int64_t by_chunks)
{
    if (by_chunks == 0)
        return;
    map->upper[axis] -= end == DRXI_LOW ? 0 : by_chunks;
    map->lower[axis] += end == DRXI_LOW ? by_chunks : 0;
    if (map->last.axis != axis || map->last.end == end)
        map->last.axis = -1;
}

/* Insert a column of zeros before column `at` into rows of n values. There is room. */
static void insert_column(int64_t *values, int64_t rows, int n, int at)
{
    for (int64_t r = rows - 1; r >= 0; r--)
        for (int j = n; j >= 0; j--)
            values[r * (n + 1) + j] = j == at ? 0 : values[r * n + (j > at ? j - 1 : j)];
}

/* The places of the axes from `at` on become those from at + 1 on. */
#define MOVE_UP(values, at, ndim) \
    (void)memmove((values) + (at) + 1, (values) + (at), sizeof *(values) * (size_t)((ndim) - (at)))

drx_status drxi_map_prepare_axis(drxi_map *map)
{
    struct drxi_axial *v = &map->spare;
    drx_status st = drxi_reserve(&v->first, &v->first_room, 1, sizeof *v->first);

    if (!st)
        st = drxi_reserve(&v->serial, &v->serial_room, 1, sizeof *v->serial);
    if (!st)
        st = drxi_reserve(&map->coef, &map->coef_room, map->count * (map->ndim + 1), sizeof *map->coef);
    return st ? st : drxi_reserve(&map->corner, &map->corner_room, map->count * (map->ndim + 1), sizeof *map->corner);
}

void drxi_map_add_axis(drxi_map *map, int at)
{
    struct drxi_axial made = map->spare;

    map->spare = (struct drxi_axial){ 0 };
    insert_column(map->coef, map->count, map->ndim, at);
    insert_column(map->corner, map->count, map->ndim, at);
    for (int64_t r = 0; r < map->count; r++)
        map->axis[r] = (uint8_t)(map->axis[r] + (map->axis[r] >= at));
    for (int end = 0; end < 2; end++)
        MOVE_UP(map->axial[end], at, map->ndim);
    MOVE_UP(map->lower, at, map->ndim);
    MOVE_UP(map->upper, at, map->ndim);
    made.first[0] = 0;
    made.serial[0] = -1;
    made.count = 1;
    map->axial[DRXI_HIGH][at] = made;
    memset(&map->axial[DRXI_LOW][at], 0, sizeof made);
    map->lower[at] = 0;
    map->upper[at] = 1;
    map->last.axis += map->last.axis >= at;
    map->ndim++;
    map->wider = true;
}

static drx_status grow_map(drxi_map *map, int axis, int64_t by_chunks)
{
    int64_t chunks;
    drx_status st = drxi_map_prepare(map, axis, DRXI_HIGH, by_chunks, &chunks);

    if (!st)
        drxi_map_grow(map, axis, DRXI_HIGH, by_chunks);
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
static drx_status grow_shells(drxi_map *map, const int64_t bound[])
{
    int open = 0; /* axes that have not reached their bound */
    drx_status st;

    if (shell_records(map->ndim, bound) > MAX_SHELL_COEFFICIENTS / map->ndim)
        return drxi_fail(DRX_EOVERFLOW, "shell order takes more than %d expansion records",
                         MAX_SHELL_COEFFICIENTS / map->ndim);

    for (int j = 0; j < map->ndim; j++)
        open += bound[j] > 1;
    for (int j = 0; open > 0; j = (j + 1) % map->ndim) {
        const int64_t missing = bound[j] - drxi_map_extent(map, j);

        if (missing == 0)
            continue;
        if ((st = grow_map(map, j, open == 1 ? missing : 1)))
            return st;
        open -= drxi_map_extent(map, j) == bound[j];
    }
    return DRX_OK;
}

drx_status drxi_map_init(drxi_map *map, int ndim, const int64_t lower[], const int64_t upper[],
                         enum drxi_map_order order, int64_t most)
{
    bool shell = order != DRXI_MAP_ROWS;
    int64_t extent[DRX_MAX_NDIM];
    int64_t chunks;
    drx_status st;

    memset(map, 0, sizeof *map);
    map->ndim = ndim;
    map->most = drxi_min(most, INT64_MAX - 1); /* INT64_MAX stands for more */
    for (int j = 0; j < ndim; j++) {
        struct drxi_axial *v = &map->axial[DRXI_HIGH][j];

        extent[j] = upper[j] - lower[j];
        shell = shell && extent[j] > 0;
        if ((st = reserve_record(map, v)))
            return st;
        if (j > 0) { /* (lower; -1; 0 ... 0) */
            v->first[0] = lower[j];
            v->serial[0] = -1;
            v->count = 1;
        }
    }
    for (int j = 0; j < ndim; j++) {
        map->lower[j] = lower[j];
        map->upper[j] = shell ? lower[j] + 1 : upper[j];
    }
    map->upper[0] = lower[0]; /* the initial allocation is a growth of axis 0 */
    if ((st = count_chunks(map, 0, DRXI_HIGH, shell ? 1 : extent[0], &chunks)))
        return st;
    add_record(map, 0, DRXI_HIGH);
    drxi_map_grow(map, 0, DRXI_HIGH, shell ? 1 : extent[0]);
    return shell ? grow_shells(map, extent) : DRX_OK;
}

void drxi_map_free(drxi_map *map)
{
    for (int end = 0; end < 2; end++)
        for (int j = 0; j < map->ndim; j++) {
            drxi_free(map->axial[end][j].first);
            drxi_free(map->axial[end][j].serial);
        }
    drxi_free(map->spare.first);
    drxi_free(map->spare.serial);
    drxi_free(map->start);
    drxi_free(map->base);
    drxi_free(map->axis);
    drxi_free(map->coef);
    drxi_free(map->corner);
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

/* The serial of the last record of a vector that concerns index i; -1: none does. */
static int64_t last_serial(const struct drxi_axial *v, int64_t i)
{
    return v->count == 0 || v->first[0] > i ? -1 : v->serial[last_up_to(v->first, v->count, i)];
}

static int64_t latest(const drxi_map *map, const int64_t index[])
{
    int64_t serial = 0;

    for (int j = 0; j < map->ndim; j++) {
        serial = drxi_max(serial, last_serial(&map->axial[DRXI_HIGH][j], index[j]));
        serial = drxi_max(serial, last_serial(&map->axial[DRXI_LOW][j], -1 - index[j]));
    }
    return serial;
}

/* The same when each index belongs to one end of its axis. No branch: it could not be predicted. */
static int64_t latest_of_one(const drxi_map *map, const int64_t index[])
{
    int64_t serial = 0;

    for (int j = 0; j < map->ndim; j++) {
        const bool low = index[j] < map->axial[DRXI_HIGH][j].first[0];
        const struct drxi_axial *v = &map->axial[low][j];
        const int64_t i = index[j] ^ -(int64_t)low; /* -1 - index[j] at the low end */

        serial = drxi_max(serial, v->serial[last_up_to(v->first, v->count, i)]);
    }
    return serial;
}

/* The same when all vectors of low ends are empty: the first record of each other one concerns all indices. */
static int64_t latest_of_high(const drxi_map *map, const int64_t index[])
{
    int64_t serial = 0;

    for (int j = 0; j < map->ndim; j++) {
        const struct drxi_axial *v = &map->axial[DRXI_HIGH][j];

        serial = drxi_max(serial, v->serial[last_up_to(v->first, v->count, index[j])]);
    }
    return serial;
}

int64_t drxi_map_address(const drxi_map *map, const int64_t index[])
{
    const int64_t serial = !map->two_ended ? latest_of_high(map, index)
                           : map->mixed    ? latest(map, index)
                                           : latest_of_one(map, index);
    const int64_t *coef = map->coef + serial * map->ndim;
    int64_t address = map->base[serial];

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

/* Each way is a function of its own, so that the search before it has the registers. */
#define APART static __attribute__((noinline))

/* The same for a map that has got new axes: what was stored before has coefficient 0 there. */
APART void index_wider(const drxi_map *map, int64_t serial, int64_t left, int64_t index[])
{
    const int64_t *coef = map->coef + serial * map->ndim, *corner = map->corner + serial * map->ndim;
    const int axis = map->axis[serial];

    index[axis] = corner[axis] + (coef[axis] == 0 ? 0 : quotient(&left, coef[axis]));
    for (int j = 0; j < map->ndim; j++)
        if (j != axis)
            index[j] = corner[j] + (coef[j] == 0 ? 0 : quotient(&left, coef[j]));
}

/* The same where all bases, and the corners along all other axes, are 0: then M* is N* C of the axis, and need not be
 * subtracted. */
APART void index_unshifted(const drxi_map *map, int64_t serial, int64_t address, int64_t index[])
{
    const int64_t *coef = map->coef + serial * map->ndim;
    const int axis = map->axis[serial];

    index[axis] = quotient(&address, coef[axis]);
    for (int k = 0; k + 1 < map->ndim; k++) { /* the other axes; a branch for `axis` could not be predicted */
        const int j = k + (k >= axis);

        index[j] = k + 2 < map->ndim ? quotient(&address, coef[j]) : address; /* the last one's coefficient is 1 */
    }
}

/* The same otherwise, but for new axes. C division is right for a negative coefficient, too. */
APART void index_shifted(const drxi_map *map, int64_t serial, int64_t left, int64_t index[])
{
    const int64_t *coef = map->coef + serial * map->ndim, *corner = map->corner + serial * map->ndim;
    const int axis = map->axis[serial];

    index[axis] = corner[axis] + quotient(&left, coef[axis]);
    for (int k = 0; k + 1 < map->ndim; k++) {
        const int j = k + (k >= axis);

        index[j] = corner[j] + (k + 2 < map->ndim ? quotient(&left, coef[j]) : left);
    }
}

void drxi_map_index(const drxi_map *map, int64_t address, int64_t index[])
{
    const int64_t serial = last_up_to(map->start, map->count, address);

    if (!map->shifted && !map->wider)
        index_unshifted(map, serial, address, index);
    else if (!map->wider)
        index_shifted(map, serial, address - map->start[serial], index);
    else
        index_wider(map, serial, address - map->start[serial], index);
}

bool drxi_map_lives(const drxi_map *map, int64_t address, const int64_t index[])
{
    for (int j = 0; j < map->ndim; j++)
        if (index[j] < map->lower[j] || index[j] >= map->upper[j])
            return false;
    return drxi_map_address(map, index) == address;
}
