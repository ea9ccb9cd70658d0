/* What the elements are: a hash of their index, so that none can be mistaken for another. */
#include <inttypes.h>
#include <string.h>

#include "bench.h"

enum { SAMPLES = 4096 };

uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* 53 bits, which a double holds. */
static double value(int64_t i, int64_t j, int64_t k)
{
    return (double)(mix((uint64_t)i << 42 ^ (uint64_t)j << 21 ^ (uint64_t)k) >> 11);
}

double value_at(int ndim, const int64_t index[])
{
    return value(index[0], index[1], ndim == 3 ? index[2] : 0);
}

void fill_box(int ndim, const int64_t lo[], const int64_t count[], double *out)
{
    if (ndim == 2) {
        for (int64_t i = lo[0]; i < lo[0] + count[0]; i++)
            for (int64_t j = lo[1]; j < lo[1] + count[1]; j++)
                *out++ = value(i, j, 0);
        return;
    }
    for (int64_t i = lo[0]; i < lo[0] + count[0]; i++)
        for (int64_t j = lo[1]; j < lo[1] + count[1]; j++)
            for (int64_t k = lo[2]; k < lo[2] + count[2]; k++)
                *out++ = value(i, j, k);
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

enum outcome check_box(int ndim, const int64_t lo[], const int64_t count[], bool fortran, const double *out)
{
    const int64_t n = box_elements(ndim, count);

    for (uint64_t s = 0; s < SAMPLES && n > 0; s++) {
        const int64_t p = s == 0 ? n - 1 : (int64_t)(mix(s) % (uint64_t)n);
        int64_t index[MAX_NDIM], rest = p;

        for (int step = 0; step < ndim; step++) {
            const int j = fortran ? step : ndim - 1 - step;

            index[j] = lo[j] + rest % count[j];
            rest /= count[j];
        }
        if (out[p] != value_at(ndim, index))
            return complain("element %" PRId64 " of what was read is wrong", p);
    }
    return DONE;
}

/* Rows of memory: which axis they lie along. */
struct rows {
    int64_t rows, n; /* n elements each */
    int64_t next_row[2], next[2];
};

static struct rows rows_of(const int64_t count[2], bool fortran)
{
    return fortran ? (struct rows){ count[1], count[0], { 0, 1 }, { 1, 0 } }
                   : (struct rows){ count[0], count[1], { 1, 0 }, { 0, 1 } };
}

void fill_plane(const int64_t lo[2], const int64_t count[2], bool fortran, double *out)
{
    const struct rows r = rows_of(count, fortran);

    for (int64_t row = 0; row < r.rows; row++, out += r.n) {
        const int64_t i = lo[0] + row * r.next_row[0], j = lo[1] + row * r.next_row[1];

        for (int64_t at = 0; at < r.n; at++)
            out[at] = value(i + at * r.next[0], j + at * r.next[1], 0);
    }
}

enum outcome check_plane(const int64_t lo[2], const int64_t count[2], bool fortran, const double *out)
{
    const struct rows r = rows_of(count, fortran);

    for (int64_t row = 0; row < r.rows; row++, out += r.n) {
        const int64_t i = lo[0] + row * r.next_row[0], j = lo[1] + row * r.next_row[1];

        for (int64_t at = 0; at < r.n; at++)
            if (out[at] != value(i + at * r.next[0], j + at * r.next[1], 0))
                return complain("element (%" PRId64 ", %" PRId64 ") is wrong", i + at * r.next[0], j + at * r.next[1]);
    }
    return DONE;
}
