/* Single elements: lists of them, and counters. */
#include "mp/onesided/onesided.h"

drx_status drxi_check_list(const char *call, int64_t n, const int64_t indices[], const void *values)
{
    const char *after = *call ? ": " : "";

    if (n < 0)
        return drxi_fail(DRX_EINVAL, "%s%sn is %lld, expected 0 or more", call, after, (long long)n);
    if (n > 0 && (!indices || !values))
        return drxi_fail(DRX_EINVAL, "%s%sindices or values is a null pointer", call, after);
    return DRX_OK;
}

/* The bytes of an integer in a word that has its bits. */
static uint8_t *word_bytes(uint64_t *word, size_t bytes)
{
    return (uint8_t *)word + (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : sizeof *word - bytes);
}

static int64_t value_of(uint64_t word, drx_type type, size_t bytes)
{
    const int above = 64 - 8 * (int)bytes;

    return type < DRX_UINT8 ? (int64_t)(word << above) >> above : (int64_t)word;
}

drx_status drxi_add_at(const struct drxi_target *at, drx_type type, size_t item, int64_t add, int64_t *old)
{
    uint64_t word = 0;
    uint8_t *bytes = word_bytes(&word, item);
    struct drxi_rma rma;
    drx_status st = DRX_OK;

    rma.begun = rma.targets = 0;
    if (at->near)
        memcpy(bytes, at->near, item);
    else if (!(st = drxi_rma_begin(&rma, true, at, bytes, (int64_t)item)))
        st = drxi_rma_finish(&rma);
    if (st)
        return st;
    *old = value_of(word, type, item);
    word += (uint64_t)add;
    if (at->near)
        memcpy(at->near, bytes, item);
    else if (!(st = drxi_rma_begin(&rma, false, at, bytes, (int64_t)item)))
        st = drxi_rma_finish(&rma);
    return st;
}

drx_status drxi_check_integers(const char *call, drx_type type)
{
    return type < DRX_INT8 || type > DRX_UINT64
               ? drxi_fail(DRX_EINVAL, "%s: elements of %s, expected integers", call, drx_type_name(type))
               : DRX_OK;
}

/* ---- of a darray ---- */

static drx_status find_target(const void *of, const int64_t index[], struct drxi_target *at)
{
    const drxmp_darray *d = of;
    int64_t offset;
    int rank;
    const drx_status st = drxi_locate(d, index, &rank, &offset);

    if (!st)
        drxi_in_section(d, rank, offset, at);
    return st;
}

/* The same of an element that this rank is going to access in this way. */
static drx_status check_element(const drxmp_darray *d, enum drxi_access access, const int64_t index[],
                                struct drxi_target *at)
{
    const drx_status st = find_target(d, index, at);

    return st ? st : drxi_check_target(d, at->rank, access);
}

static drx_status move_list(drxmp_darray *d, bool writing, int64_t n, const int64_t indices[], void *values)
{
    struct drxi_target at;
    drx_status st;

    if (!d)
        return drxi_fail(DRX_EINVAL, "the darray is a null pointer");
    drxi_begun_before(&d->outstanding, writing, NULL);
    st = drxi_check_list("", n, indices, values);
    for (int64_t i = 0; !st && i < n; i++)
        st = check_element(d, writing ? DRXI_PUT : DRXI_GET, indices + i * d->ndim, &at);
    if (st)
        return st;
    atomic_thread_fence(memory_order_acquire);
    st = drxi_move_list(&(struct drxi_elements){ find_target, d, d->item_bytes, d->ndim }, writing, n, indices, values);
    atomic_thread_fence(memory_order_release);
    return st;
}

drx_status drxmp_darray_gather(drxmp_darray *d, int64_t n, const int64_t indices[], void *values)
{
    return move_list(d, false, n, indices, values);
}

drx_status drxmp_darray_scatter(drxmp_darray *d, int64_t n, const int64_t indices[], const void *values)
{
    return move_list(d, true, n, indices, (void *)(uintptr_t)values); /* only read */
}

drx_status drxmp_darray_fetch_add(drxmp_darray *d, const int64_t index[], int64_t add, int64_t *old)
{
    struct drxi_target at;
    int64_t before = 0;
    drx_status st, one;

    if (!d || !index)
        return drxi_fail(DRX_EINVAL, "the darray or index is a null pointer");
    if ((st = drxi_check_integers("drxmp_darray_fetch_add", d->type)))
        return st;
    drxi_begun_before(&d->outstanding, true, NULL);
    if ((st = check_element(d, DRXI_ADD, index, &at)) || (st = drxi_lock(d, at.rank)))
        return st;
    st = drxi_add_at(&at, d->type, d->item_bytes, add, &before);
    one = drxi_unlock(d, at.rank);
    if (!st && old)
        *old = before;
    return st ? st : one;
}
