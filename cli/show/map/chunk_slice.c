#include "map_picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arrays/arrays.h"

/* Does axis j have more segments than axis k, or as many and more chunks? */
static bool shows_more(int j, int k, const int64_t segments[], const int64_t bounds[])
{
    return segments[j] > segments[k] || (segments[j] == segments[k] && bounds[j] > bounds[k]);
}

static void choose_axes(struct chunk_slice *slice, const drx_array *a, const int64_t bounds[])
{
    const bool simple = is_simple(a);
    const int ndim = drx_ndim(a);
    int64_t segments[DRX_MAX_NDIM] = { 0 };
    struct growth_steps steps;
    int first = ndim - 1, second = ndim - 2; /* of equals the last two */

    for (int j = 0; j < ndim && !simple; j++)
        segments[j] = drx_axial_count(a, j);
    begin_steps(&steps, a);
    while (simple && next_step(&steps))
        if (steps.step.axis >= 0 && steps.step.chunks > 0)
            segments[steps.step.axis]++;
    for (int j = ndim - 2; j >= 0; j--)
        if (shows_more(j, first, segments, bounds)) {
            second = first;
            first = j;
        } else if (j != second && shows_more(j, second, segments, bounds)) {
            second = j;
        }
    slice->down = first < second ? first : second;
    slice->across = first < second ? second : first;
}

static int find_axes(struct chunk_slice *slice, const drx_array *a, const char *path, const char *axes)
{
    const char *comma = strchr(axes, ',');
    char *down, *across;
    bool found;

    if (!comma || strchr(comma + 1, ','))
        return misused("--axes '%s' is not valid; give two axes, numbers or names, separated by a comma", axes);
    down = strndup(axes, (size_t)(comma - axes));
    across = strdup(comma + 1);
    if (!down || !across)
        (void)out_of_memory((int64_t)strlen(axes));
    found = down && across && find_axis(a, path, down, &slice->down) && find_axis(a, path, across, &slice->across);
    free(down);
    free(across);
    if (!found)
        return FAILED;
    if (slice->down == slice->across)
        return failed("%s: --axes '%s' names one axis twice; give two different ones", path, axes);
    return DONE;
}

int chunk_outside(const drx_array *a, const char *path, const char *what, int axis, int64_t index)
{
    int64_t bounds[DRX_MAX_NDIM], first[DRX_MAX_NDIM];
    char text[AXIS_TEXT_BYTES];

    chunk_bounds(a, bounds);
    first_chunk(a, first);
    if (first[axis] == 0 || bounds[axis] == 0)
        return failed("%s: %s %" PRId64 " is outside of %s, which has %" PRId64 " chunks", path, what, index,
                      axis_text(a, axis, text), bounds[axis]);
    return failed("%s: %s %" PRId64 " is outside of %s, which has the chunks %" PRId64 " to %" PRId64, path, what,
                  index, axis_text(a, axis, text), first[axis], first[axis] + bounds[axis] - 1);
}

int settle_slice(struct chunk_slice *slice, const drx_array *a, const char *path, const char *axes,
                 const struct numbers *at)
{
    const int ndim = drx_ndim(a);
    int64_t bounds[DRX_MAX_NDIM], first[DRX_MAX_NDIM];
    int status;

    memset(slice, 0, sizeof *slice);
    chunk_bounds(a, bounds);
    first_chunk(a, first);
    for (int j = 0; j < ndim; j++)
        slice->at[j] = first[j] > 0 ? first[j] : first[j] + bounds[j] <= 0 ? first[j] + bounds[j] - 1 : 0;
    slice->down = -1;
    if (at->n && !has_one_each(path, "--at", at, ndim))
        return FAILED;
    if (axes && ndim < 2)
        return failed("%s: --axes '%s' names two axes, but the array has one", path, axes);
    if (axes && (status = find_axes(slice, a, path, axes)) != DONE)
        return status;
    if (!axes && ndim > 1)
        choose_axes(slice, a, bounds);
    for (int j = 0; j < at->n; j++)
        if (j != slice->down && j != slice->across) {
            if (at->of[j] < first[j] || at->of[j] - first[j] >= bounds[j])
                return chunk_outside(a, path, "--at", j, at->of[j]);
            slice->at[j] = at->of[j];
        }
    slice->first[0] = ndim > 1 ? first[slice->down] : 0;
    slice->first[1] = first[slice->across];
    slice->rows = ndim > 1 ? bounds[slice->down] : 1;
    slice->columns = bounds[slice->across];
    for (int j = 0; j < ndim; j++)
        if (bounds[j] == 0)
            slice->rows = slice->columns = 0;
    return DONE;
}

bool part_of_slice(const struct step *step, const struct chunk_slice *slice, int ndim, struct slice_part *part)
{
    if (step->chunks == 0)
        return false;
    *part = (struct slice_part){ .hi = { 1, 0 } };
    for (int j = 0; j < ndim; j++) {
        const int64_t lo = j == step->axis ? step->lo : 0;

        if (j == slice->down || j == slice->across) {
            part->lo[j == slice->across] = lo;
            part->hi[j == slice->across] = step->bounds[j];
        } else if (slice->at[j] < lo || slice->at[j] >= step->bounds[j]) {
            return false;
        }
    }
    return true;
}

bool next_part(struct growth_steps *steps, const struct chunk_slice *slice, struct slice_part *part)
{
    while (next_step(steps))
        if (part_of_slice(&steps->step, slice, drx_ndim(steps->a), part))
            return true;
    return false;
}
