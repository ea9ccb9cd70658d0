/* Single elements: lists of them, and counters. */
#include "mp/onesided/onesided.h"

static drx_status check_list(const drxmp_darray *d, bool writing, int64_t n, const int64_t indices[],
                             const void *values)
{
    drx_status st = DRX_OK;

    if (!d)
        return drxi_fail(DRX_EINVAL, "the darray is a null pointer");
    if (n < 0)
        return drxi_fail(DRX_EINVAL, "n is %lld, expected 0 or more", (long long)n);
    if (n > 0 && (!indices || !values))
        return drxi_fail(DRX_EINVAL, "indices or values is a null pointer");
    for (int64_t i = 0; !st && i < n; i++) {
        int64_t offset;
        int rank;

        st = drxi_locate(d, indices + i * d->ndim, &rank, &offset);
        if (!st)
            st = drxi_check_target(d, rank, writing ? DRXI_PUT : DRXI_GET);
    }
    return st;
}

static drx_status get_element(const drxmp_darray *d, int rank, int64_t offset, uint8_t *value)
{
    if (!d->reach[rank].mem)
        return drxi_far_get(d, rank, offset, value);
    memcpy(value, d->reach[rank].mem + offset, d->item_bytes);
    return DRX_OK;
}

static drx_status put_element(const drxmp_darray *d, int rank, int64_t offset, const uint8_t *value)
{
    if (!d->reach[rank].mem)
        return drxi_far_put(d, rank, offset, value);
    memcpy(d->reach[rank].mem + offset, value, d->item_bytes);
    return DRX_OK;
}

/* Finishes every operation that it began, also after a failure. */
static drx_status move_list(const drxmp_darray *d, bool writing, int64_t n, const int64_t indices[], uint8_t *values)
{
    drx_status st = check_list(d, writing, n, indices, values), one;
    int64_t i = 0;

    if (st)
        return st;
    while (!st && i < n) {
        uint8_t *value = values + i * (int64_t)d->item_bytes;
        int64_t offset;
        int rank;

        st = drxi_locate(d, indices + i * d->ndim, &rank, &offset);
        if (!st)
            st = writing ? put_element(d, rank, offset, value) : get_element(d, rank, offset, value);
        if (++i % DRXI_MOST_BEGUN == 0 && !st && d->sections != MPI_WIN_NULL)
            st = drxi_memory_flush(d);
    }
    one = n > 0 && d->sections != MPI_WIN_NULL ? drxi_memory_flush(d) : DRX_OK;
    return st ? st : one;
}

drx_status drxmp_darray_gather(drxmp_darray *d, int64_t n, const int64_t indices[], void *values)
{
    if (d)
        drxi_begun_before(&d->outstanding, false, NULL);
    atomic_thread_fence(memory_order_acquire);
    return move_list(d, false, n, indices, values);
}

drx_status drxmp_darray_scatter(drxmp_darray *d, int64_t n, const int64_t indices[], const void *values)
{
    drx_status st;

    if (d)
        drxi_begun_before(&d->outstanding, true, NULL);
    st = move_list(d, true, n, indices, (uint8_t *)(uintptr_t)values);

    atomic_thread_fence(memory_order_release);
    return st;
}

int64_t drxi_add_to(drx_type type, union drxi_integer *v, int64_t add)
{
    const union drxi_integer old = *v;
    const uint64_t by = (uint64_t)add;

    switch (type) {
    case DRX_INT8:
        v->u8 = (uint8_t)(old.u8 + by);
        return old.i8;
    case DRX_INT16:
        v->u16 = (uint16_t)(old.u16 + by);
        return old.i16;
    case DRX_INT32:
        v->u32 = (uint32_t)(old.u32 + by);
        return old.i32;
    case DRX_UINT8:
        v->u8 = (uint8_t)(old.u8 + by);
        return old.u8;
    case DRX_UINT16:
        v->u16 = (uint16_t)(old.u16 + by);
        return old.u16;
    case DRX_UINT32:
        v->u32 = (uint32_t)(old.u32 + by);
        return old.u32;
    default:
        v->u64 = old.u64 + by;
        return old.i64;
    }
}

static drx_status add_near(const drxmp_darray *d, uint8_t *element, int64_t add, int64_t *old)
{
    union drxi_integer v;

    memcpy(&v, element, d->item_bytes);
    *old = drxi_add_to(d->type, &v, add);
    memcpy(element, &v, d->item_bytes);
    return DRX_OK;
}

static drx_status add_far(const drxmp_darray *d, int rank, int64_t offset, int64_t add, int64_t *old)
{
    union drxi_integer v = { .u64 = 0 };
    drx_status st = drxi_far_get(d, rank, offset, &v);

    if (!st)
        st = drxi_far_finish(d, rank);
    if (st)
        return st;
    *old = drxi_add_to(d->type, &v, add);
    st = drxi_far_put(d, rank, offset, &v);
    return st ? st : drxi_far_finish(d, rank);
}

drx_status drxmp_darray_fetch_add(drxmp_darray *d, const int64_t index[], int64_t add, int64_t *old)
{
    int64_t offset, before = 0;
    int rank;
    drx_status st, one;

    if (!d || !index)
        return drxi_fail(DRX_EINVAL, "the darray or index is a null pointer");
    if (d->type < DRX_INT8 || d->type > DRX_UINT64)
        return drxi_fail(DRX_EINVAL, "drxmp_darray_fetch_add: elements of %s, expected integers",
                         drx_type_name(d->type));
    st = drxi_locate(d, index, &rank, &offset);
    drxi_begun_before(&d->outstanding, true, NULL);
    if (!st)
        st = drxi_check_target(d, rank, DRXI_ADD);
    if (!st)
        st = drxi_lock(d, rank);
    if (st)
        return st;
    st = d->reach[rank].mem ? add_near(d, d->reach[rank].mem + offset, add, &before)
                            : add_far(d, rank, offset, add, &before);
    one = drxi_unlock(d, rank);
    if (!st && old)
        *old = before;
    return st ? st : one;
}
