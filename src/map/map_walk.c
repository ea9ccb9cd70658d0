/* The segments that meet a box. The later of two records that concern an index has it. So what a record has of a box
 * ends where the next record of any vector begins to concern its indices. */
#include "map/map.h"

/* The position in a vector of the first record that begins behind the index, among the first n. */
static inline int64_t find_behind(const struct drxi_axial *v, int64_t n, int64_t index)
{
    int64_t low = 0;

    while (n > 0) {
        const int64_t half = n / 2;

        if (v->first[low + half] <= index) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}

/* The position in a vector of the first record that concerns something from index `from` on and is no older than
 * `corner`, and the position after those that begin up to index `to`. */
static void find_positions(const struct drxi_axial *v, int64_t from, int64_t to, int64_t *at, int64_t *end,
                           int64_t *corner)
{
    int64_t low;

    *end = find_behind(v, v->count, to);
    low = find_behind(v, *end, from);
    *at = drxi_max(low - 1, 0);
    if (low > 0) /* it concerns all of the box */
        *corner = drxi_max(*corner, v->serial[low - 1]);
}

/* The first position from `at` on whose record has that serial or a later one. */
static int64_t skip_older(const struct drxi_axial *v, int64_t at, int64_t end, int64_t serial)
{
    while (at < end) {
        const int64_t middle = at + (end - at) / 2;

        if (v->serial[middle] < serial)
            at = middle + 1;
        else
            end = middle;
    }
    return at;
}

void drxi_walk_start(struct drxi_walk *walk, const drxi_map *map, const int64_t lo[], const int64_t hi[])
{
    const int ends = map->two_ended ? 2 : 1;
    int64_t corner = 0; /* the latest record that concerns all of the box: it hides all older ones */

    walk->map = map;
    walk->slices = 0;
    for (int j = 0; j < map->ndim; j++) {
        walk->lo[j] = lo[j];
        walk->hi[j] = hi[j];
        find_positions(&map->axial[DRXI_HIGH][j], lo[j], hi[j] - 1, &walk->at[DRXI_HIGH][j], &walk->end[DRXI_HIGH][j],
                       &corner);
        if (ends == 2)
            find_positions(&map->axial[DRXI_LOW][j], -hi[j], -1 - lo[j], &walk->at[DRXI_LOW][j],
                           &walk->end[DRXI_LOW][j], &corner);
    }
    for (int end = 0; end < ends; end++)
        for (int j = 0; j < map->ndim; j++)
            walk->at[end][j] = skip_older(&map->axial[end][j], walk->at[end][j], walk->end[end][j], corner);
}

/* The oldest record that is left: its axis, -1 for none. */
static int next_record(const struct drxi_walk *walk, enum drxi_end *which)
{
    const int ends = walk->map->two_ended ? 2 : 1;
    int64_t least = INT64_MAX;
    int axis = -1;

    for (int end = 0; end < ends; end++)
        for (int j = 0; j < walk->map->ndim; j++) {
            const int64_t at = walk->at[end][j];

            if (at < walk->end[end][j] && walk->map->axial[end][j].serial[at] < least) {
                least = walk->map->axial[end][j].serial[at];
                axis = j;
                *which = (enum drxi_end)end;
            }
        }
    return axis;
}

/* The indices that no later record concerns, along one axis. */
static void leave_to_later(const struct drxi_walk *walk, int j, int64_t *lo, int64_t *hi)
{
    const struct drxi_axial *high = &walk->map->axial[DRXI_HIGH][j], *low = &walk->map->axial[DRXI_LOW][j];

    *lo = walk->lo[j];
    *hi = walk->hi[j];
    if (walk->at[DRXI_HIGH][j] < high->count)
        *hi = drxi_min(*hi, high->first[walk->at[DRXI_HIGH][j]]);
    if (low->count > 0 && walk->at[DRXI_LOW][j] < low->count)
        *lo = drxi_max(*lo, -low->first[walk->at[DRXI_LOW][j]]);
}

/* Take the oldest record that is left; false when there is none. *empty: it has nothing of the box. */
static bool take_record(struct drxi_walk *walk, struct drxi_part *part, enum drxi_end *end, bool *empty)
{
    const drxi_map *map = walk->map;
    const int axis = next_record(walk, end);
    const struct drxi_axial *v;
    int64_t at;

    if (axis < 0)
        return false;
    v = &map->axial[*end][axis];
    at = walk->at[*end][axis]++;
    part->axis = axis;
    part->base = map->base[v->serial[at]];
    part->coef = map->coef + v->serial[at] * map->ndim;
    *empty = false;
    for (int j = 0; j < map->ndim; j++) {
        leave_to_later(walk, j, &part->lo[j], &part->hi[j]);
        if (j == axis && *end == DRXI_HIGH)
            part->lo[j] = drxi_max(part->lo[j], v->first[at]);
        else if (j == axis)
            part->hi[j] = drxi_min(part->hi[j], -v->first[at]);
        *empty = *empty || part->lo[j] >= part->hi[j];
    }
    return true;
}

bool drxi_walk_segment(struct drxi_walk *walk, struct drxi_part *part, enum drxi_end *end)
{
    bool empty = true;

    while (empty)
        if (!take_record(walk, part, end, &empty))
            return false;
    return true;
}

bool drxi_walk_next(struct drxi_walk *walk, struct drxi_part *part)
{
    if (walk->slices == 0) {
        enum drxi_end end;

        if (!drxi_walk_segment(walk, part, &end))
            return false;
        if (end == DRXI_LOW) {
            walk->slices = part->hi[part->axis] - part->lo[part->axis];
            walk->slice = *part;
        }
    }
    if (walk->slices > 0) {
        const int axis = walk->slice.axis;

        *part = walk->slice;
        part->lo[axis] += --walk->slices;
        part->hi[axis] = part->lo[axis] + 1;
    }
    return true;
}
