#include "map_picture.h"

#include <string.h>

#include "arrays/arrays.h"

static int64_t chunks_of(const drx_array *a, int axis, int64_t elements)
{
    const int64_t chunk = drx_chunk(a)[axis];

    return elements / chunk + (elements % chunk != 0);
}

static int64_t floor_div(int64_t n, int64_t by)
{
    return n / by - (n % by < 0);
}

void first_chunk(const drx_array *a, int64_t first[])
{
    for (int j = 0; j < drx_ndim(a); j++)
        first[j] = floor_div(drx_lower(a)[j], drx_chunk(a)[j]);
}

void chunk_bounds(const drx_array *a, int64_t bounds[])
{
    int64_t first[DRX_MAX_NDIM];

    first_chunk(a, first);
    for (int j = 0; j < drx_ndim(a); j++)
        bounds[j] =
            drx_shape(a)[j] == 0 ? 0 : floor_div(drx_lower(a)[j] + drx_shape(a)[j] - 1, drx_chunk(a)[j]) - first[j] + 1;
}

int64_t chunks_inside(const drx_array *a)
{
    int64_t bounds[DRX_MAX_NDIM];
    int64_t n = 1;

    chunk_bounds(a, bounds);
    for (int j = 0; j < drx_ndim(a); j++)
        if (bounds[j] == 0)
            return 0; /* the product of the others may overflow */
    for (int j = 0; j < drx_ndim(a); j++)
        n *= bounds[j];
    return n;
}

int64_t records_inside(const drx_array *a, int axis)
{
    const int64_t chunks = chunks_inside(a), all = drx_axial_count(a, axis);
    int64_t first_index, first_address, n = 0;
    int64_t coefficients[DRX_MAX_NDIM];

    if (chunks == drx_chunk_count(a) || !is_simple(a))
        return all;
    while (n < all && !drx_axial_record(a, axis, n, &first_index, &first_address, coefficients) &&
           (n == 0 || first_address < chunks))
        n++;
    return n;
}

/* The next growth, if the bounds hold it; an array as of an earlier commit knows of later ones. */
static bool next_growth(const struct growth_steps *s, int *axis, int64_t *by)
{
    return s->growth < drx_growth_count(s->a) && !drx_growth(s->a, s->growth, axis, by) &&
           s->shape[*axis] + *by <= drx_shape(s->a)[*axis];
}

/* The number of chunks from index `lo` of `axis` on; axis -1: of all. */
static int64_t count_chunks(const struct growth_steps *s, int axis, int64_t lo)
{
    const int ndim = drx_ndim(s->a);
    int64_t n = 1;

    for (int j = 0; j < ndim; j++)
        if (s->bounds[j] == 0)
            return 0; /* the product of the others may overflow */
    for (int j = 0; j < ndim; j++)
        n *= j == axis ? s->bounds[j] - lo : s->bounds[j];
    return n;
}

static void finish_step(struct growth_steps *s)
{
    struct step *step = &s->step;

    step->bounds = s->bounds;
    step->address = s->total;
    step->chunks = step->axis >= 0 && s->bounds[step->axis] == step->lo ? 0 : count_chunks(s, step->axis, step->lo);
    s->total += step->chunks;
}

/* Does the first axis with shells get the first one? Old arrays began with the last axis. */
static bool goes_forward(const struct growth_steps *s)
{
    int64_t index[DRX_MAX_NDIM] = { 0 }, address = 1;

    for (int j = 0; j < drx_ndim(s->a); j++)
        if (s->made[j] > 1) {
            index[j] = 1;
            return drx_chunk_address(s->a, index, &address) == DRX_OK && address == 1;
        }
    return true;
}

static int next_axis(const struct growth_steps *s)
{
    const int ndim = drx_ndim(s->a);

    return s->forward ? (s->turn + 1) % ndim : (s->turn + ndim - 1) % ndim;
}

void begin_steps(struct growth_steps *s, const drx_array *a)
{
    const int ndim = drx_ndim(a);
    drx_spec spec;
    bool shell;

    memset(s, 0, sizeof *s);
    s->a = a;
    memcpy(s->shape, drx_initial_shape(a), (size_t)ndim * sizeof *s->shape);
    drx_describe(a, &spec);
    shell = (spec.flags & DRX_SHELL) != 0;
    for (int j = 0; j < ndim; j++) {
        s->made[j] = chunks_of(a, j, s->shape[j]);
        shell = shell && s->made[j] > 0;
    }
    for (int j = 0; j < ndim; j++)
        s->bounds[j] = shell ? 1 : s->made[j];
    s->forward = shell && goes_forward(s);
    s->turn = s->forward ? 0 : ndim - 1;
}

/* Add a chunk index on the axis whose turn it is, or all that remain if the other axes are complete. */
static bool next_shell(struct growth_steps *s)
{
    const int ndim = drx_ndim(s->a);
    int open = 0;

    for (int j = 0; j < ndim; j++)
        open += s->bounds[j] < s->made[j];
    if (open == 0)
        return false;
    while (s->bounds[s->turn] == s->made[s->turn])
        s->turn = next_axis(s);
    s->step = (struct step){ .axis = s->turn, .shell = true, .lo = s->bounds[s->turn] };
    s->step.by = open == 1 ? s->made[s->turn] - s->bounds[s->turn] : 1;
    s->bounds[s->turn] += s->step.by;
    s->turn = next_axis(s);
    finish_step(s);
    return true;
}

bool next_step(struct growth_steps *s)
{
    struct step *step = &s->step;
    int64_t by;
    int axis;

    if (!s->begun) {
        s->begun = true;
        *step = (struct step){ .axis = -1 };
        finish_step(s);
        return true;
    }
    if (s->growth == 0 && next_shell(s))
        return true;
    if (!next_growth(s, &axis, &by))
        return false;
    *step = (struct step){ .axis = axis, .lo = s->bounds[axis] };
    do { /* this growth, and those that only fill its last chunks */
        step->by += by;
        step->growths++;
        s->shape[axis] += by;
        s->bounds[axis] = chunks_of(s->a, axis, s->shape[axis]);
        s->growth++;
    } while (next_growth(s, &axis, &by) && axis == step->axis &&
             chunks_of(s->a, axis, s->shape[axis] + by) == s->bounds[axis]);
    finish_step(s);
    return true;
}
