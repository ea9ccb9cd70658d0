/* The public reads and writes of points: lists of elements, moved by box/points*.c. */
#include "array/access/access.h"

enum {
    MANY_POINTS = 64,
    POINT_BYTES = 64,     /* a point takes as long as this many bytes of a box */
    DENSE_BYTES = 1 << 12 /* of the chunks around points, for each of them: a page */
};

static drx_status check_points(const drx_array *a, int64_t n, const int64_t indices[], const void *values)
{
    const int ndim = a->data.ndim;
    int64_t bytes;

    if (n < 0)
        return drxi_fail(DRX_EINVAL, "%s: %lld points, expected 0 or more", a->parts.label, (long long)n);
    if (n > 0 && (!indices || !values))
        return drxi_fail(DRX_EINVAL, "%s: the indices or the values are a null pointer", a->parts.label);
    if (!drxi_mul(n, (int64_t)sizeof *indices * ndim, &bytes) || !drxi_mul(n, (int64_t)a->data.item_bytes, &bytes))
        return drxi_fail(DRX_EOVERFLOW, "%s: the bytes of %lld points overflow 64 bits", a->parts.label, (long long)n);
    return DRX_OK;
}

static drx_status check_point_indices(const drx_array *a, int64_t n, const int64_t indices[])
{
    const int64_t *lower = a->data.lower, *upper = a->data.upper;
    const int ndim = a->data.ndim;

    for (int64_t i = 0; i < n; i++)
        for (int j = 0; j < ndim; j++)
            if (indices[i * ndim + j] < lower[j] || indices[i * ndim + j] >= upper[j])
                return drxi_outside(a, j, lower[j], upper[j], "point %lld: index %lld", (long long)i,
                                    (long long)indices[i * ndim + j]);
    return DRX_OK;
}

/* Many points that lie close together are written faster with what lies between them. Nobody else may write there
 * meanwhile: neither another handle, nor, while the gate is shut, another thread. */
static bool write_alone(const drx_array *a, int64_t n, const int64_t indices[])
{
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM], bytes = a->data.chunk_pitch_bytes;

    if (n < MANY_POINTS || a->data.file->log->others || a->data.file->stored->held || a->data.file->io->cost.at_once)
        return false;
    drxi_box_around(a, n, indices, lo, count);
    for (int j = 0; j < a->data.ndim; j++) {
        const int64_t chunk = a->data.chunk[j];

        if (count[j] < 1)
            return false;
        bytes =
            drxi_mul_saturated(bytes, drxi_floor_div(lo[j] + count[j] - 1, chunk) - drxi_floor_div(lo[j], chunk) + 1);
    }
    return bytes / n <= DENSE_BYTES;
}

static void enter_array(drx_array *a, bool alone)
{
    if (alone)
        drxi_gate_shut(&a->gate);
    else
        drxi_gate_enter(&a->gate);
}

static void leave_array(drx_array *a, bool alone, struct drxi_data *data)
{
    if (alone)
        drxi_gate_open(&a->gate);
    else
        drxi_end_visit(a, data);
}

static drx_status read_points(drx_array *a, struct drxi_data *data, int64_t n, const int64_t indices[], void *values)
{
    const drx_status st = drxi_points_read(data, n, indices, values);

    return st && !drxi_is_lost(a, st) ? st : drxi_watched(drxi_watch_points(a, n, indices), st);
}

static drx_status write_points(drx_array *a, struct drxi_data *data, int64_t n, const int64_t indices[], void *values,
                               bool alone)
{
    drx_status st = drxi_begin_write(a);

    if (st)
        return st;
    st = drxi_watch_points(a, n, indices);
    if (!st)
        st = drxi_points_write(data, n, indices, values, alone);
    drxi_end_write(a);
    return st;
}

static drx_status move_points(drx_array *a, bool writing, int64_t n, const int64_t indices[], void *values)
{
    struct drxi_data *data;
    bool alone;
    drx_status st = a ? check_points(a, n, indices, values) : drxi_no_array();

    if (!st)
        st = drxi_wait_turn_of_points(a, writing, n, indices);
    if (st)
        return st;
    data = &a->data;
    alone = writing && write_alone(a, n, indices);
    enter_array(a, alone);
    if (writing)
        st = drxi_check_writable(a);
    if (!st)
        st = check_point_indices(a, n, indices);
    if (!st && n > 0 && a->data.file->pool)
        st = drxi_pool_flush(a->data.file->pool);
    if (!st && !writing)
        drxi_watch_ahead(a);
    if (!st && !alone)
        data = drxi_begin_visit(a, drxi_mul_saturated(n, POINT_BYTES));
    if (!st)
        st = writing ? write_points(a, data, n, indices, values, alone) : read_points(a, data, n, indices, values);
    leave_array(a, alone, data);
    return st;
}

drx_status drx_read_points(drx_array *a, int64_t n, const int64_t indices[], void *values)
{
    return move_points(a, false, n, indices, values);
}

drx_status drx_write_points(drx_array *a, int64_t n, const int64_t indices[], const void *values)
{
    return move_points(a, true, n, indices, (void *)(uintptr_t)values); /* only read */
}
