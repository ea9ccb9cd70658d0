#include <stdlib.h>
#include <string.h>

#include "ga_testing.h"

struct plain make_plain(drx_type type, int ndim, const int64_t lower[], const int64_t shape[])
{
    struct plain p = { .type = type, .ndim = ndim, .count = 1, .item_bytes = drx_type_size(type) };

    for (int j = 0; j < ndim; j++) {
        p.lower[j] = lower ? lower[j] : 0;
        p.shape[j] = shape[j];
        p.count *= shape[j];
    }
    p.bytes = calloc((size_t)p.count + 1, p.item_bytes);
    if (!p.bytes)
        wrong("no memory");
    return p;
}

void free_plain(struct plain *p)
{
    free(p->bytes);
    p->bytes = NULL;
}

void fill_plain(struct plain *p)
{
    for (size_t i = 0; i < (size_t)p->count * p->item_bytes; i++)
        p->bytes[i] = (unsigned char)(i % 8 ? below(256) : below(120)); /* no NaN, which may lose bits */
}

unsigned char *element(const struct plain *p, const int64_t index[])
{
    int64_t at = 0;

    for (int j = 0; j < p->ndim; j++) {
        if (index[j] < p->lower[j] || index[j] >= p->lower[j] + p->shape[j])
            wrong("the test is wrong: index %lld of axis %d", (long long)index[j], j);
        at = at * p->shape[j] + index[j] - p->lower[j];
    }
    return p->bytes + (size_t)at * p->item_bytes;
}

/* The next index of a box, the last axis first; false after the last one. */
static bool step(int ndim, const int64_t lo[], const int64_t hi[], int64_t index[])
{
    for (int j = ndim - 1; j >= 0; j--) {
        if (index[j]++ < hi[j])
            return true;
        index[j] = lo[j];
    }
    return false;
}

void reshape_plain(struct plain *p, const int64_t lower[], const int64_t shape[])
{
    struct plain old = *p;
    int64_t index[MOST_DIMS], hi[MOST_DIMS];

    *p = make_plain(old.type, old.ndim, lower, shape);
    for (int j = 0; j < old.ndim; j++) {
        index[j] = old.lower[j];
        hi[j] = old.lower[j] + old.shape[j] - 1;
    }
    do
        memcpy(element(p, index), element(&old, index), p->item_bytes);
    while (step(old.ndim, old.lower, hi, index));
    free_plain(&old);
}

void copy_plain(struct plain *global, const int64_t glo[], const int64_t ghi[], struct plain *array, const int64_t lo[],
                const int axis[], bool to_array)
{
    int64_t from[MOST_DIMS], to[MOST_DIMS];

    memcpy(from, glo, (size_t)global->ndim * sizeof *from);
    do {
        unsigned char *in_global = element(global, from), *in_array;

        for (int j = 0; j < array->ndim; j++)
            to[j] = lo[j] + (axis[j] < 0 ? 0 : from[axis[j]] - glo[axis[j]]);
        in_array = element(array, to);
        memcpy(to_array ? in_array : in_global, to_array ? in_global : in_array, global->item_bytes);
    } while (step(global->ndim, glo, ghi, from));
}

static void compare(const struct plain *p, const unsigned char *found, const char *what)
{
    for (int64_t i = 0; i < p->count; i++)
        if (memcmp(found + (size_t)i * p->item_bytes, p->bytes + (size_t)i * p->item_bytes, p->item_bytes) != 0)
            wrong("%s: element %lld of %lld on rank %d", what, (long long)i, (long long)p->count, team.rank);
}

void check_array(drx_array *a, const struct plain *p, const char *what)
{
    unsigned char *found = malloc((size_t)p->count * p->item_bytes + 1);

    if (!found)
        wrong("no memory");
    succeed(drx_read(a, p->lower, p->shape, DRX_ROW_MAJOR, found));
    compare(p, found, what);
    free(found);
}

void check_global(int g_a, const struct plain *p, const char *what)
{
    unsigned char *found = malloc((size_t)p->count * p->item_bytes + 1);
    int64_t lo[MOST_DIMS] = { 0 }, hi[MOST_DIMS], ld[MOST_DIMS];

    if (!found)
        wrong("no memory");
    for (int j = 0; j < p->ndim; j++) {
        hi[j] = p->shape[j] - 1;
        if (j > 0)
            ld[j - 1] = p->shape[j];
    }
    NGA_Get64(g_a, lo, hi, found, ld);
    compare(p, found, what);
    free(found);
}
