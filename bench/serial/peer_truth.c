/* No library: what the right answer is. scripts/bench asks it first, untimed, for the checksum of each workload. */
#include <stdlib.h>

#include "../common/bench.h"

static enum outcome truth_open(const struct peer *peer, const char *path, const struct layout *layout,
                               enum access access, void **out)
{
    struct layout *copy = malloc(sizeof *copy);

    (void)peer, (void)path, (void)access;
    *out = copy;
    if (!copy)
        return complain("no memory");
    *copy = *layout;
    return DONE;
}

static enum outcome truth_create(const struct peer *peer, const char *path, const struct layout *layout,
                                 enum access access, void **out)
{
    return truth_open(peer, path, layout, access, out);
}

static enum outcome truth_grow(void *array, int axis, int64_t by, const double *slab)
{
    (void)array, (void)axis, (void)by, (void)slab;
    return DONE;
}

static enum outcome truth_read(void *array, const int64_t lo[], const int64_t count[], double *out)
{
    fill_box(((const struct layout *)array)->ndim, lo, count, out);
    return DONE;
}

static enum outcome truth_read_fortran(void *array, const struct layout *layout, double *out)
{
    int64_t at[3];

    (void)array;
    for (at[2] = 0; at[2] < layout->extent[2]; at[2]++)
        for (at[1] = 0; at[1] < layout->extent[1]; at[1]++)
            for (at[0] = 0; at[0] < layout->extent[0]; at[0]++)
                *out++ = value_at(3, at);
    return DONE;
}

static enum outcome truth_get(void *array, const int64_t index[], double *out)
{
    *out = value_at(((const struct layout *)array)->ndim, index);
    return DONE;
}

static enum outcome truth_close(void *array)
{
    free(array);
    return DONE;
}

static const char *const suffixes[] = { NULL };

const struct peer peer_truth = {
    .name = "truth",
    .shares = true,
    .files = "truth",
    .suffixes = suffixes,
    .create = truth_create,
    .open = truth_open,
    .grow = truth_grow,
    .read = truth_read,
    .read_fortran = truth_read_fortran,
    .get = truth_get,
    .close = truth_close,
};
