/* What the elements are: a hash of their index, so that none can be mistaken for another. */
#include <inttypes.h>
#include <string.h>

#include "bench.h"

uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static const int shift[MAX_NDIM] = { 42, 21, 0 };

static uint64_t key_of(int ndim, const int64_t index[])
{
    uint64_t key = 0;

    for (int j = 0; j < ndim; j++)
        key ^= (uint64_t)index[j] << shift[j];
    return key;
}

/* 53 bits, which a double holds. */
static double value(uint64_t key)
{
    return (double)(mix(key) >> 11);
}

double value_at(int ndim, const int64_t index[])
{
    return value(key_of(ndim, index));
}

int64_t box_elements(int ndim, const int64_t count[])
{
    int64_t n = 1;

    for (int j = 0; j < ndim; j++)
        n *= count[j];
    return n;
}

uint64_t checksum(int64_t n, const double *elements)
{
    uint64_t sum = 0, bits;

    for (int64_t p = 0; p < n; p++) {
        memcpy(&bits, &elements[p], sizeof bits);
        sum += bits * (2 * (uint64_t)p + 1);
    }
    return sum;
}

/* The axis along which neighbours in memory lie. */
static int fast_axis(int ndim, bool fortran)
{
    return fortran ? 0 : ndim - 1;
}

/* The index of element p of the box in memory. */
static void index_of(int ndim, const int64_t lo[], const int64_t count[], bool fortran, int64_t p, int64_t index[])
{
    for (int step = 0; step < ndim; step++) {
        const int j = fortran ? step : ndim - 1 - step;

        index[j] = lo[j] + p % count[j];
        p /= count[j];
    }
}

/* Of element p and its neighbours along the fast axis, whose own part of the key is left out. */
static uint64_t row_key(int ndim, const int64_t lo[], const int64_t count[], bool fortran, int64_t p)
{
    int64_t index[MAX_NDIM];

    index_of(ndim, lo, count, fortran, p, index);
    index[fast_axis(ndim, fortran)] = 0;
    return key_of(ndim, index);
}

void fill_box(int ndim, const int64_t lo[], const int64_t count[], bool fortran, double *out)
{
    const int fast = fast_axis(ndim, fortran);
    const int64_t n = box_elements(ndim, count);

    for (int64_t p = 0; p < n; p += count[fast]) {
        const uint64_t key = row_key(ndim, lo, count, fortran, p);

        for (int64_t at = lo[fast]; at < lo[fast] + count[fast]; at++)
            *out++ = value(key ^ (uint64_t)at << shift[fast]);
    }
}

static enum outcome check_element(int ndim, const int64_t lo[], const int64_t count[], bool fortran, int64_t p,
                                  double element)
{
    int64_t index[MAX_NDIM] = { 0 };

    index_of(ndim, lo, count, fortran, p, index);
    if (element == value_at(ndim, index))
        return DONE;
    if (ndim == 2)
        return complain("element (%" PRId64 ", %" PRId64 ") is wrong", index[0], index[1]);
    return complain("element (%" PRId64 ", %" PRId64 ", %" PRId64 ") is wrong", index[0], index[1], index[2]);
}

enum outcome check_box(int ndim, const int64_t lo[], const int64_t count[], bool fortran, const double *out)
{
    const int fast = fast_axis(ndim, fortran);
    const int64_t n = box_elements(ndim, count);

    for (int64_t p = 0; p < n; p += count[fast]) {
        const uint64_t key = row_key(ndim, lo, count, fortran, p);

        for (int64_t at = 0; at < count[fast]; at++)
            if (out[p + at] != value(key ^ (uint64_t)(lo[fast] + at) << shift[fast]))
                return check_element(ndim, lo, count, fortran, p + at, out[p + at]);
    }
    return DONE;
}

enum outcome check_some(int samples, int ndim, const int64_t lo[], const int64_t count[], bool fortran,
                        const double *out)
{
    const int64_t n = box_elements(ndim, count);
    enum outcome outcome = DONE;

    for (int s = 0; s < samples && n > 0 && outcome == DONE; s++) {
        const int64_t p = s == 0 ? n - 1 : (int64_t)(mix((uint64_t)s ^ (uint64_t)lo[0] << 20) % (uint64_t)n);

        outcome = check_element(ndim, lo, count, fortran, p, out[p]);
    }
    return outcome;
}
