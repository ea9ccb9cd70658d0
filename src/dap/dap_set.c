/* The rules that all ranks keep together. Every step looks at each rank and axis once. Only unstructured indices that
 * must not repeat need memory. */
#include "dap/dap_internal.h"

/* Exports, or bare descriptions [nranks][ndim] with or without shapes. */
struct set {
    int64_t nranks;
    int ndim;
    const struct dap_array *const *arrays; /* or NULL: */
    const struct dap_dim *dims;
    const int64_t *shape;
};

static const struct dap_dim *dim_of(const struct set *s, int64_t rank, int axis)
{
    return s->arrays ? dap_dim_at(s->arrays[rank], axis) : &s->dims[rank * s->ndim + axis];
}

/* One axis of the set. Grid rank k is on rank k * stride, where the other coordinates are 0; the other ranks are
 * compared with it. */
struct line {
    const struct set *set;
    int axis;
    int64_t size, stride; /* proc_grid_size; product of those of later axes */
};

static const struct dap_dim *dim_on(const struct line *l, int64_t grid_rank)
{
    return dim_of(l->set, grid_rank * l->stride, l->axis);
}

static struct dapi_place place_on(const struct dapi_place *at, const struct line *l, int64_t grid_rank)
{
    struct dapi_place there = *at;

    there.rank = grid_rank * l->stride;
    there.axis = l->axis;
    return there;
}

static bool same_indices(const struct dap_dim *a, const struct dap_dim *b)
{
    if (a->n_indices != b->n_indices)
        return false;
    return a->indices == b->indices || a->n_indices == 0 ||
           memcmp(a->indices, b->indices, (size_t)a->n_indices * sizeof *a->indices) == 0;
}

static const char *different_key(const struct dap_dim *a, const struct dap_dim *b)
{
    if (a->start != b->start)
        return "start";
    if (a->stop != b->stop)
        return "stop";
    if (dapi_shared_before(a) != dapi_shared_before(b) || dapi_shared_after(a) != dapi_shared_after(b))
        return "padding";
    return same_indices(a, b) ? NULL : "indices";
}

static int check_each(const struct dapi_place *at, const struct set *s)
{
    struct dapi_place there = *at;
    int status = DAP_OK;

    for (there.rank = 0; !status && there.rank < s->nranks; there.rank++) {
        if (!s->arrays)
            status = dapi_check_dims(&there, s->ndim, s->ndim > 0 ? dim_of(s, there.rank, 0) : NULL,
                                     s->shape ? s->shape + there.rank * s->ndim : NULL);
        else if (s->arrays[there.rank])
            status = dapi_check_array(&there, s->arrays[there.rank]);
        else
            status = dapi_wrong(&there, DAP_EINVAL, NULL, "a null pointer, expected an exported array");
    }
    return status;
}

static int check_arrays_alike(const struct dapi_place *at, const struct set *s)
{
    const struct dap_array *first = s->arrays[0];
    struct dapi_place there = *at;

    for (there.rank = 1; there.rank < s->nranks; there.rank++) {
        const struct dap_array *a = s->arrays[there.rank];

        if (a->ndim != first->ndim)
            return dapi_wrong(&there, DAP_EINVAL, "dim_data", "%ld axes, expected %ld as on rank 0", (long)a->ndim,
                              (long)first->ndim);
        if (a->itemsize != first->itemsize)
            return dapi_wrong(&there, DAP_EINVAL, "itemsize", "%lld bytes, expected %lld as on rank 0",
                              (long long)a->itemsize, (long long)first->itemsize);
    }
    return DAP_OK;
}

static int check_axis_alike(const struct dapi_place *at, const struct dap_dim *d, const struct dap_dim *first)
{
    const uint32_t shared = DAP_DIM_PERIODIC | DAP_DIM_ONE_TO_ONE;
    const struct {
        const char *key;
        int64_t got, expected;
    } keys[] = { { "size", d->size, first->size },
                 { "proc_grid_size", d->proc_grid_size, first->proc_grid_size },
                 { "block_size", d->block_size, first->block_size } };

    if (d->dist_type != first->dist_type)
        return dapi_wrong(at, DAP_EINVAL, "dist_type", "'%c', expected '%c' as on rank 0", (char)d->dist_type,
                          (char)first->dist_type);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i].got != keys[i].expected)
            return dapi_wrong(at, DAP_EINVAL, keys[i].key, "%lld, expected %lld as on rank 0", (long long)keys[i].got,
                              (long long)keys[i].expected);
    if ((d->flags & shared) != (first->flags & shared))
        return dapi_wrong(at, DAP_EINVAL, dapi_is_block(d) ? "periodic" : "one_to_one", "%s, expected %s as on rank 0",
                          d->flags & shared ? "true" : "false", first->flags & shared ? "true" : "false");
    return DAP_OK;
}

static int check_axes_alike(const struct dapi_place *at, const struct set *s)
{
    struct dapi_place there = *at;
    int status = DAP_OK;

    for (there.rank = 1; !status && there.rank < s->nranks; there.rank++)
        for (there.axis = 0; !status && there.axis < s->ndim; there.axis++)
            status = check_axis_alike(&there, dim_of(s, there.rank, there.axis), dim_of(s, 0, there.axis));
    return status;
}

static int check_grid(const struct dapi_place *at, const struct set *s)
{
    int64_t product = 1;
    bool fits = true;

    for (int axis = 0; axis < s->ndim; axis++)
        fits = fits && drxi_mul(product, dim_of(s, 0, axis)->proc_grid_size, &product);
    if (fits && product == s->nranks)
        return DAP_OK;
    if (!fits)
        return dapi_wrong(at, DAP_EINVAL, "proc_grid_size", "their product does not fit 64 bits, expected %lld ranks",
                          (long long)s->nranks);
    if (product == 1)
        return dapi_wrong(at, DAP_EINVAL, "proc_grid_size", "%s array on %lld ranks, expected 1: nothing is replicated",
                          s->ndim ? "an undistributed" : "a zero-dimensional", (long long)s->nranks);
    return dapi_wrong(at, DAP_EINVAL, "proc_grid_size", "their product is %lld, expected %lld, the number of ranks",
                      (long long)product, (long long)s->nranks);
}

/* Each rank has the place of row-major order, and sees the axis as the other ranks of that grid rank do. */
static int check_line(const struct dapi_place *at, const struct line *l)
{
    struct dapi_place there = *at;

    there.axis = l->axis;
    for (there.rank = 0; there.rank < l->set->nranks; there.rank++) {
        const int64_t grid_rank = there.rank / l->stride % l->size;
        const struct dap_dim *d = dim_of(l->set, there.rank, l->axis);
        const struct dap_dim *like = dim_on(l, grid_rank);
        const char *key;

        if (d->proc_grid_rank != grid_rank)
            return dapi_wrong(&there, DAP_EINVAL, "proc_grid_rank", "%lld, expected %lld, since ranks are row-major",
                              (long long)d->proc_grid_rank, (long long)grid_rank);
        key = d == like ? NULL : different_key(d, like);
        if (key)
            return dapi_wrong(&there, DAP_EINVAL, key, "not as on rank %lld, which has the same proc_grid_rank %lld",
                              (long long)(grid_rank * l->stride), (long long)grid_rank);
    }
    return DAP_OK;
}

/* The owned indices of the two meet, and the padding of each lies in what the other owns. */
static int check_neighbours(const struct dapi_place *at, const struct dap_dim *before, const struct dap_dim *d)
{
    const int64_t width = dapi_shared_before(d);
    const int64_t least = drxi_min(dap_num_owned(before), dap_num_owned(d));
    const int64_t ends = before->stop - dapi_shared_after(before);

    if (width != dapi_shared_after(before))
        return dapi_wrong(at, DAP_EINVAL, "padding", "%lld, expected %lld as on grid rank %lld, its neighbour",
                          (long long)width, (long long)dapi_shared_after(before), (long long)before->proc_grid_rank);
    if (d->start + width != ends)
        return dapi_wrong(at, DAP_EINVAL, "start", "%lld, expected %lld, since grid rank %lld stops at %lld%s",
                          (long long)d->start, (long long)(ends - width), (long long)before->proc_grid_rank,
                          (long long)before->stop, width ? " and both have padding there" : "");
    if (width > least)
        return dapi_wrong(at, DAP_EINVAL, "padding", "%lld, expected at most %lld, what grid rank %lld owns",
                          (long long)width, (long long)least,
                          (long long)(least < dap_num_owned(d) ? before : d)->proc_grid_rank);
    return DAP_OK;
}

static int check_blocks(const struct dapi_place *at, const struct line *l)
{
    int status = DAP_OK;

    for (int64_t k = 1; !status && k < l->size; k++) {
        const struct dapi_place there = place_on(at, l, k);

        status = check_neighbours(&there, dim_on(l, k - 1), dim_on(l, k));
    }
    return status;
}

/* Which grid rank holds which index; n in all. NULL: out of memory. */
static struct drxi_keyed *gather_keys(const struct line *l, int64_t n)
{
    struct drxi_keyed *pairs = dapi_new_pairs(n);
    struct drxi_keyed *next = pairs;

    for (int64_t k = 0; pairs && k < l->size; k++) {
        const struct dap_dim *d = dim_on(l, k);

        for (int64_t i = 0; i < d->n_indices; i++)
            *next++ = (struct drxi_keyed){ d->indices[i], k };
    }
    return pairs;
}

static int no_memory(const struct dapi_place *at, int64_t n)
{
    return dapi_wrong(at, DAP_ENOMEM, "indices", "out of memory comparing %lld of them", (long long)n);
}

/* Name the least index that is there twice, if one is. */
static int find_twice(const struct dapi_place *at, const struct line *l, int64_t n)
{
    struct drxi_keyed *pairs = gather_keys(l, n), first, second;
    int64_t i = 1;
    bool twice;

    if (!pairs)
        return no_memory(at, n);
    dapi_sort_pairs(pairs, n);
    while (i < n && pairs[i].key != pairs[i - 1].key)
        i++;
    twice = i < n;
    if (twice) {
        first = pairs[i - 1];
        second = pairs[i];
    }
    dapi_free(pairs);
    if (!twice)
        return DAP_OK;
    const struct dapi_place there = place_on(at, l, second.value);

    return dapi_wrong(&there, DAP_EINVAL, "indices", "%lld is on grid rank %lld, too, expected one_to_one",
                      (long long)first.key, (long long)first.value);
}

static const struct dap_dim *dim_of_line(const void *line, int64_t grid_rank)
{
    return dim_on(line, grid_rank);
}

static int check_one_to_one(const struct dapi_place *at, const struct line *l)
{
    const int64_t size = dim_on(l, 0)->size;
    const struct dapi_place there = place_on(at, l, 0);
    int64_t n = 0;
    bool fits = true, differ;
    int status;

    for (int64_t k = 0; k < l->size; k++)
        fits = fits && drxi_add(n, dim_on(l, k)->n_indices, &n);
    if (!fits || dapi_all_differ(dim_of_line, l, l->size, &differ))
        return no_memory(&there, n);
    status = differ ? DAP_OK : find_twice(&there, l, n);
    if (!status && n != size)
        return dapi_wrong(&there, DAP_EINVAL, "size", "%lld, expected %lld, the number of indices on all ranks",
                          (long long)size, (long long)n);
    return status;
}

static int check_axis(const struct dapi_place *at, const struct line *l)
{
    const struct dap_dim *first = dim_on(l, 0);
    const int status = check_line(at, l);

    if (status)
        return status;
    if (dapi_is_block(first))
        return check_blocks(at, l);
    return dapi_is_unstructured(first) && (first->flags & DAP_DIM_ONE_TO_ONE) ? check_one_to_one(at, l) : DAP_OK;
}

static int check_set(const struct dapi_place *at, const struct set *s)
{
    int64_t stride = s->nranks;
    int status = check_axes_alike(at, s);

    if (!status)
        status = check_grid(at, s);
    for (int axis = 0; !status && axis < s->ndim; axis++) {
        const int64_t size = dim_of(s, 0, axis)->proc_grid_size;
        const struct line line = { s, axis, size, stride / size };

        stride /= size;
        status = check_axis(at, &line);
    }
    return status;
}

int dap_validate_set(const struct dap_array *const arrays[], int64_t nranks, char *why, size_t why_bytes)
{
    const struct dapi_place nowhere = dapi_nowhere(why, why_bytes);
    struct set s = { .nranks = nranks, .arrays = arrays };
    int status;

    if (nranks < 1 || !arrays)
        return dapi_wrong(&nowhere, DAP_EINVAL, NULL, "the exports of no rank, expected at least one");
    status = check_each(&nowhere, &s);
    if (!status)
        status = check_arrays_alike(&nowhere, &s);
    if (status)
        return status;
    s.ndim = arrays[0]->ndim;
    return check_set(&nowhere, &s);
}

int dap_validate_dims_set(int64_t nranks, int ndim, const struct dap_dim dims[], const int64_t shape[], char *why,
                          size_t why_bytes)
{
    const struct dapi_place nowhere = dapi_nowhere(why, why_bytes);
    const struct set s = { .nranks = nranks, .ndim = ndim, .dims = dims, .shape = shape };
    int64_t all;
    int status;

    if (nranks < 1 || ndim < 0 || (ndim > 0 && !dims) || !drxi_mul(nranks, ndim, &all))
        return dapi_wrong(&nowhere, DAP_EINVAL, NULL, "the descriptions of no rank, expected at least one");
    status = check_each(&nowhere, &s);
    return status ? status : check_set(&nowhere, &s);
}
