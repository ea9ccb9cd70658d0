/* What is computed before a call touches elements: whether it may, for which requests it has to wait, and the pieces of
 * an append. libdrxmp has this file, too. */
#include <stdarg.h>
#include <stdio.h>

#include "array/access/access.h"
#include "copy/copy.h"

drx_status drxi_check_writable(const drx_array *a)
{
    if (!a->parts.writable)
        return drxi_fail(DRX_EACCES, "%s: opened read-only", a->parts.label);
    if (a->log.broken == DRX_EMISMATCH || a->log.broken == DRX_EBUSY)
        return drxi_fail(a->log.broken, "%s: replaced, removed or changed by others: close it and open it again",
                         a->parts.label);
    if (a->log.broken)
        return drxi_fail(a->log.broken, "%s: an earlier failure (%s) could not be undone: close it and open it again",
                         a->parts.label, drx_strerror(a->log.broken));
    return DRX_OK;
}

/* Refuse flags and reserved words that this version does not know. */
static drx_status check_form(const drx_array *a, const drx_box *box)
{
    if (box->flags & ~(unsigned)DRX_ALONE)
        return drxi_fail(DRX_EINVAL, "%s: flags 0x%x of the box, expected 0 or DRX_ALONE", a->parts.label, box->flags);
    if (!drxi_is_zero(box->reserved, sizeof box->reserved))
        return drxi_fail(DRX_EINVAL, "%s: reserved words of the box are not 0", a->parts.label);
    return DRX_OK;
}

drx_status drxi_outside(const drx_array *a, int j, int64_t lower, int64_t upper, const char *format, ...)
{
    char what[200];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    if (lower == 0)
        return drxi_fail(DRX_ERANGE, "%s: axis %d: %s, the bound is %lld", a->parts.label, j, what, (long long)upper);
    return drxi_fail(DRX_ERANGE, "%s: axis %d: %s, the bounds are %lld and %lld", a->parts.label, j, what,
                     (long long)lower, (long long)upper);
}

/* The box lies in the bounds; *empty tells whether it has no element. */
static drx_status check_bounds(const drx_array *a, const int64_t lower[], const int64_t upper[], const int64_t lo[],
                               const int64_t count[], const int64_t step[], bool *empty)
{
    *empty = false;
    if (!lo || !count)
        return drxi_fail(DRX_EINVAL, "%s: lo or count is a null pointer", a->parts.label);
    for (int j = 0; j < a->data.ndim; j++) {
        const int64_t by = step ? step[j] : 1;
        const int64_t bound = upper[j];

        if (by < 1)
            return drxi_fail(DRX_EINVAL, "%s: axis %d: step %lld, expected 1 or more", a->parts.label, j,
                             (long long)by);
        if (count[j] < 0)
            return drxi_fail(DRX_EINVAL, "%s: axis %d: count %lld, expected 0 or more", a->parts.label, j,
                             (long long)count[j]);
        if (lo[j] < lower[j] || lo[j] > bound ||
            (count[j] > 0 && (lo[j] == bound || count[j] - 1 > (bound - 1 - lo[j]) / by)))
            return drxi_outside(a, j, lower[j], bound, "%lld from index %lld on in steps of %lld", (long long)count[j],
                                (long long)lo[j], (long long)by);
        *empty = *empty || count[j] == 0;
    }
    return DRX_OK;
}

static drx_status check_buffer(const drx_array *a, const void *buf)
{
    return buf ? DRX_OK : drxi_fail(DRX_EINVAL, "%s: the buffer is a null pointer", a->parts.label);
}

/* Strides in bytes of memory; contiguous in the given order when stride is NULL. */
static drx_status byte_strides(const drx_array *a, const int64_t count[], drx_order order, const int64_t stride[],
                               int64_t stride_bytes[])
{
    const int ndim = a->data.ndim;

    if (!stride && order != DRX_ROW_MAJOR && order != DRX_COL_MAJOR)
        return drxi_fail(DRX_EINVAL, "%s: order %d, expected DRX_ROW_MAJOR or DRX_COL_MAJOR", a->parts.label,
                         (int)order);
    if (!stride)
        drxi_strides(ndim, count, a->data.item_bytes, order, stride_bytes);
    for (int j = 0; stride && j < ndim; j++)
        if (!drxi_mul(stride[j], (int64_t)a->data.item_bytes, &stride_bytes[j]))
            return drxi_fail(DRX_EOVERFLOW, "%s: axis %d: stride %lld overflows 64 bits", a->parts.label, j,
                             (long long)stride[j]);
    return DRX_OK;
}

drx_status drxi_check_box(const drx_array *a, const int64_t lower[], const int64_t upper[], const drx_box *box,
                          const void *buf, bool *empty, int64_t stride_bytes[])
{
    drx_status st = check_form(a, box);

    if (!st)
        st = check_bounds(a, lower, upper, box->lo, box->count, box->step, empty);
    if (st || *empty)
        return st;
    st = check_buffer(a, buf);
    return st ? st : byte_strides(a, box->count, box->order, box->stride, stride_bytes);
}

void drxi_box_around(const drx_array *a, int64_t n, const int64_t indices[], int64_t lo[], int64_t count[])
{
    const int ndim = a->data.ndim;

    for (int j = 0; j < ndim; j++) {
        int64_t last = indices[j];

        lo[j] = indices[j];
        for (int64_t i = 1; i < n; i++) {
            lo[j] = drxi_min(lo[j], indices[i * ndim + j]);
            last = drxi_max(last, indices[i * ndim + j]);
        }
        count[j] = lo[j] >= DRXI_LEAST_INDEX && last < INT64_MAX + drxi_min(lo[j], 0) ? last - lo[j] + 1 : 0;
    }
}

void drxi_turn_of_all(struct drxi_pending *p, struct drxi_turn *t)
{
    for (int j = 0; j < DRX_MAX_NDIM; j++) {
        t->lo[j] = DRXI_LEAST_INDEX;
        t->count[j] = INT64_MAX;
    }
    p->lo = t->lo;
    p->count = t->count;
}

void drxi_turn_of_points(struct drxi_pending *p, struct drxi_turn *t, const drx_array *a, int64_t n,
                         const int64_t indices[])
{
    if (n == 0 || !drxi_has_pending(a))
        return;
    drxi_box_around(a, n, indices, t->lo, t->count);
    p->lo = t->lo;
    p->count = t->count;
}

drx_status drxi_check_piece(const drx_array *a, int64_t done, int64_t by, int64_t n)
{
    if (n >= 1 && n <= by - done)
        return DRX_OK;
    return drxi_fail(DRX_EINVAL, "%s: a piece of %lld indices from index %lld of the slab on, expected 1 to %lld",
                     drxi_parts_of(a)->label, (long long)n, (long long)done, (long long)(by - done));
}

drx_status drxi_refused_piece(const drx_array *a, int64_t done, int64_t by, drx_status st)
{
    if (st && !*drx_last_error())
        return drxi_fail(st, "%s: the append was given up by its caller, after %lld of %lld indices",
                         drxi_parts_of(a)->label, (long long)done, (long long)by);
    return st;
}
