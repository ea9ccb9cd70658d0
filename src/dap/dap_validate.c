/* The rules that one rank can check alone. */
#include "dap/dap_internal.h"

/* What does not apply is 0. */

static const char *alien_flag(const struct dap_dim *d)
{
    if (!dapi_is_block(d) && (d->flags & DAP_DIM_PERIODIC))
        return "periodic";
    if (!dapi_is_block(d) && (d->flags & DAP_DIM_ALIAS))
        return "{}";
    if (!dapi_is_unstructured(d) && (d->flags & DAP_DIM_ONE_TO_ONE))
        return "one_to_one";
    return NULL;
}

static const char *alien_key(const struct dap_dim *d)
{
    if (!dapi_is_block(d) && d->stop)
        return "stop";
    if (!dapi_is_block(d) && (d->padding[0] || d->padding[1]))
        return "padding";
    if (dapi_is_unstructured(d) && d->start)
        return "start";
    if (d->dist_type != 'c' && d->block_size)
        return "block_size";
    if (!dapi_is_unstructured(d) && (d->n_indices || d->indices))
        return "indices";
    return alien_flag(d);
}

static int wrong_number(const struct dapi_place *at, const char *key, int64_t got, const char *expected, int64_t number,
                        const char *since)
{
    return dapi_wrong(at, DAP_EINVAL, key, "%lld, expected %s%lld%s", (long long)got, expected, (long long)number,
                      since);
}

static int check_common(const struct dapi_place *at, const struct dap_dim *d)
{
    if (!dapi_is_block(d) && !dapi_is_unstructured(d) && d->dist_type != 'c')
        return dapi_wrong(at, DAP_EINVAL, "dist_type", "character %d, expected 'b', 'c' or 'u'", (int)d->dist_type);
    if (d->size < 0)
        return wrong_number(at, "size", d->size, "at least ", 0, "");
    if (d->proc_grid_size < 1)
        return wrong_number(at, "proc_grid_size", d->proc_grid_size, "at least ", 1, "");
    if (d->proc_grid_rank < 0)
        return wrong_number(at, "proc_grid_rank", d->proc_grid_rank, "at least ", 0, "");
    if (d->proc_grid_rank >= d->proc_grid_size)
        return wrong_number(at, "proc_grid_rank", d->proc_grid_rank, "less than ", d->proc_grid_size,
                            ", the proc_grid_size");
    if (alien_key(d))
        return dapi_wrong(at, DAP_EINVAL, alien_key(d), "set, expected 0: dist_type '%c' has no such key",
                          (char)d->dist_type);
    return DAP_OK;
}

static int check_alias(const struct dapi_place *at, const struct dap_dim *d)
{
    if (d->proc_grid_size == 1 && d->start == 0 && d->stop == d->size && d->padding[0] == 0 && d->padding[1] == 0 &&
        !(d->flags & DAP_DIM_PERIODIC))
        return DAP_OK;
    return dapi_wrong(at, DAP_EINVAL, "{}", "not what {} stands for, expected one process that has the whole axis");
}

/* Communication padding lies in the section and leaves what is owned; boundary padding is owned. Each width is compared
 * alone first, since their sum may overflow. */
static int check_padding(const struct dapi_place *at, const struct dap_dim *d)
{
    const int64_t extent = d->stop - d->start;
    const int64_t before = dapi_shared_before(d), after = dapi_shared_after(d);
    int64_t owned;

    for (int end = 0; end < 2; end++) {
        if (d->padding[end] < 0)
            return wrong_number(at, "padding", d->padding[end], "at least ", 0, "");
        if (d->padding[end] > extent)
            return wrong_number(at, "padding", d->padding[end], "at most ", extent, ", the extent of the section");
    }
    if (before > extent - after)
        return dapi_wrong(at, DAP_EINVAL, "padding", "%lld and %lld, expected no more than the section of %lld",
                          (long long)before, (long long)after, (long long)extent);
    owned = extent - before - after;
    for (int end = 0; end < 2; end++)
        if ((end == 0 ? dapi_is_first(d) : dapi_is_last(d)) && d->padding[end] > owned)
            return wrong_number(at, "padding", d->padding[end], "at most ", owned,
                                ", since padding at the end of the axis is owned");
    return DAP_OK;
}

static int check_block(const struct dapi_place *at, const struct dap_dim *d)
{
    if (d->start < 0)
        return wrong_number(at, "start", d->start, "at least ", 0, "");
    if (d->stop < d->start)
        return wrong_number(at, "stop", d->stop, "at least ", d->start, ", the start");
    if (d->stop > d->size)
        return wrong_number(at, "stop", d->stop, "at most ", d->size, ", the size");
    if (dapi_is_first(d) && d->start != 0)
        return wrong_number(at, "start", d->start, "", 0, ", since this is the first grid rank");
    if (dapi_is_last(d) && d->stop != d->size)
        return wrong_number(at, "stop", d->stop, "", d->size, ", the size, since this is the last grid rank");
    if (d->flags & DAP_DIM_ALIAS)
        return check_alias(at, d);
    return check_padding(at, d);
}

static int check_cyclic(const struct dapi_place *at, const struct dap_dim *d)
{
    int64_t start;

    if (d->block_size < 1)
        return wrong_number(at, "block_size", d->block_size, "at least ", 1, "");
    start = drxi_mul_saturated(d->proc_grid_rank, d->block_size);
    if (d->start != start && d->start != drxi_min(start, d->size))
        return wrong_number(at, "start", d->start, "", start, ", the proc_grid_rank times the block_size");
    return DAP_OK;
}

static const struct dap_dim *only(const void *of, int64_t i)
{
    (void)i;
    return of;
}

/* Set *repeated, and *index to the least index that occurs twice. */
static int find_repeated(const struct dap_dim *d, bool *repeated, int64_t *index)
{
    int64_t *order;
    bool differ;
    int status = dapi_all_differ(only, d, 1, &differ);

    *repeated = false;
    if (status || differ)
        return status;
    order = dapi_alloc(d->n_indices, sizeof *order);
    status = order ? dap_sort_indices(d, order) : DAP_ENOMEM;
    for (int64_t i = 1; !status && !*repeated && i < d->n_indices; i++) {
        *index = d->indices[order[i]];
        *repeated = *index == d->indices[order[i - 1]];
    }
    dapi_free(order);
    return status;
}

static int check_unstructured(const struct dapi_place *at, const struct dap_dim *d)
{
    bool repeated;
    int64_t index = 0;

    if (d->n_indices < 0)
        return wrong_number(at, "indices", d->n_indices, "a number of at least ", 0, "");
    if (d->n_indices > d->size)
        return dapi_wrong(at, DAP_EINVAL, "indices", "%lld of them, expected at most %lld, the size",
                          (long long)d->n_indices, (long long)d->size);
    if (d->n_indices > 0 && !d->indices)
        return dapi_wrong(at, DAP_EINVAL, "indices", "a null pointer, expected %lld of them", (long long)d->n_indices);
    if (find_repeated(d, &repeated, &index))
        return dapi_wrong(at, DAP_ENOMEM, "indices", "out of memory sorting %lld of them", (long long)d->n_indices);
    if (repeated)
        return dapi_wrong(at, DAP_EINVAL, "indices", "%lld is there twice, expected each index once", (long long)index);
    return DAP_OK;
}

static int check_dim(const struct dapi_place *at, const struct dap_dim *d)
{
    const int status = check_common(at, d);

    if (status)
        return status;
    return (dapi_is_block(d) ? check_block : dapi_is_unstructured(d) ? check_unstructured : check_cyclic)(at, d);
}

static int check_extent(const struct dapi_place *at, const struct dap_dim *d, int64_t extent)
{
    const int64_t expected = dap_num_local(d);

    if (extent == expected)
        return DAP_OK;
    return wrong_number(at, "shape", extent, "", expected,
                        dapi_is_block(d)          ? ", which is stop - start"
                        : dapi_is_unstructured(d) ? ", the number of indices"
                                                  : ", what this grid rank owns");
}

int dapi_check_dims(const struct dapi_place *at, int ndim, const struct dap_dim dims[], const int64_t shape[])
{
    struct dapi_place there = *at;
    int status = DAP_OK;

    if (ndim < 0 || (ndim > 0 && !dims))
        return dapi_wrong(at, DAP_EINVAL, "dim_data", "%s, expected one description for each axis",
                          ndim < 0 ? "a negative number of axes" : "a null pointer");
    for (there.axis = 0; !status && there.axis < ndim; there.axis++) {
        const struct dap_dim *d = &dims[there.axis];

        status = check_dim(&there, d);
        if (!status && shape)
            status = check_extent(&there, d, shape[there.axis]);
    }
    return status;
}

static int check_version(const struct dapi_place *at, const struct dap_array *a)
{
    if (a->abi_major != DAP_ABI_MAJOR)
        return dapi_wrong(at, DAP_EVERSION, "abi_major", "%lu, expected %d", (unsigned long)a->abi_major,
                          (int)DAP_ABI_MAJOR);
    if (!a->release)
        return dapi_wrong(at, DAP_EINVAL, "release", "a null pointer: the export was released, or has failed");
    if (a->version[0] != DAP_VERSION_MAJOR)
        return dapi_wrong(at, DAP_EVERSION, "__version__", "%lu.%lu.%lu, expected %d.x.x, as " DAP_VERSION,
                          (unsigned long)a->version[0], (unsigned long)a->version[1], (unsigned long)a->version[2],
                          (int)DAP_VERSION_MAJOR);
    return DAP_OK;
}

static int check_pointers(const struct dapi_place *at, const struct dap_array *a)
{
    const size_t alignment = sizeof a->dims->size;

    if (a->ndim < 0)
        return dapi_wrong(at, DAP_EINVAL, "ndim", "%ld, expected at least 0", (long)a->ndim);
    if (a->ndim > 0 && (!a->dims || !a->shape || !a->strides))
        return dapi_wrong(at, DAP_EINVAL,
                          !a->dims    ? "dims"
                          : !a->shape ? "shape"
                                      : "strides",
                          "a null pointer, expected one for each of %ld axes", (long)a->ndim);
    if (a->ndim > 0 && (a->dim_stride < sizeof *a->dims || a->dim_stride % alignment != 0))
        return dapi_wrong(at, DAP_EINVAL, "dim_stride", "%lu bytes, expected a multiple of %zu from %zu up",
                          (unsigned long)a->dim_stride, alignment, sizeof *a->dims);
    if (a->itemsize < 1)
        return dapi_wrong(at, DAP_EINVAL, "itemsize", "%lld bytes, expected at least 1", (long long)a->itemsize);
    if (!a->format || !a->format[0])
        return dapi_wrong(at, DAP_EINVAL, "format", "none, expected that of an element as in PEP 3118");
    return DAP_OK;
}

/* The bytes of the section fit in an int64_t, and have an address. */
static int check_bytes(const struct dapi_place *at, const struct dap_array *a)
{
    int64_t bytes = a->itemsize;
    bool fits = true;

    for (int axis = 0; axis < a->ndim; axis++) {
        if (a->shape[axis] == 0)
            return DAP_OK;
        fits = fits && drxi_mul(bytes, a->shape[axis], &bytes);
    }
    if (!fits)
        return dapi_wrong(at, DAP_EOVERFLOW, "shape", "the bytes of the section do not fit 64 bits");
    if (!a->data)
        return dapi_wrong(at, DAP_EINVAL, "data", "a null pointer, expected the %lld bytes of the section",
                          (long long)bytes);
    return DAP_OK;
}

int dapi_check_array(const struct dapi_place *at, const struct dap_array *a)
{
    struct dapi_place there = *at;
    int status = check_version(at, a);

    if (!status)
        status = check_pointers(at, a);
    for (there.axis = 0; !status && there.axis < a->ndim; there.axis++) {
        const struct dap_dim *d = dap_dim_at(a, there.axis);

        status = check_dim(&there, d);
        if (!status)
            status = check_extent(&there, d, a->shape[there.axis]);
    }
    return status ? status : check_bytes(at, a);
}

int dap_validate(const struct dap_array *a, char *why, size_t why_bytes)
{
    const struct dapi_place nowhere = dapi_nowhere(why, why_bytes);

    if (!a)
        return dapi_wrong(&nowhere, DAP_EINVAL, NULL, "a null pointer, expected an exported array");
    return dapi_check_array(&nowhere, a);
}

int dap_validate_dims(int ndim, const struct dap_dim dims[], const int64_t shape[], char *why, size_t why_bytes)
{
    const struct dapi_place nowhere = dapi_nowhere(why, why_bytes);

    return dapi_check_dims(&nowhere, ndim, dims, shape);
}
