/* What the files of libdap share. The library stands alone: of src/base it takes only
 * what is inline, so that nobody who links libdap needs libdrx. */
#ifndef DAPI_DAP_INTERNAL_H
#define DAPI_DAP_INTERNAL_H

#include "base/base.h"
#include "dap.h"

/* ---- failing ------------------------------------------------------------- */

/* Where something is wrong, and the caller's buffer to say so. */
struct dapi_place {
    char *why; /* may be NULL */
    size_t why_bytes;
    int64_t rank; /* -1: of no one, or not known */
    int axis;     /* likewise */
};

struct dapi_place dapi_nowhere(char *why, size_t why_bytes); /* and empties the buffer */

/* Write "rank R, axis A, KEY: what" as far as it fits; return `status`. key may be NULL. */
int dapi_wrong(const struct dapi_place *at, int status, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- one description ------------------------------------------------------- */

/* Can the maps calculate with it? */
static inline bool dapi_is_block(const struct dap_dim *d)
{
    return d->dist_type == 'b';
}

static inline bool dapi_is_cyclic(const struct dap_dim *d)
{
    return d->dist_type == 'c' && d->proc_grid_size >= 1 && d->block_size >= 1;
}

static inline bool dapi_is_unstructured(const struct dap_dim *d)
{
    return d->dist_type == 'u';
}

static inline bool dapi_is_first(const struct dap_dim *d)
{
    return d->proc_grid_rank == 0;
}

static inline bool dapi_is_last(const struct dap_dim *d)
{
    return d->proc_grid_rank == d->proc_grid_size - 1;
}

/* b: the widths of communication padding; what is at the ends of the axis is none. */
static inline int64_t dapi_shared_before(const struct dap_dim *d)
{
    return dapi_is_first(d) ? 0 : d->padding[0];
}

static inline int64_t dapi_shared_after(const struct dap_dim *d)
{
    return dapi_is_last(d) ? 0 : d->padding[1];
}

/* ---- rules -------------------------------------------------------------------- */

/* Those of one rank, seen without the others; at->rank is set, at->axis not. */
int dapi_check_array(const struct dapi_place *at, const struct dap_array *a);
int dapi_check_dims(const struct dapi_place *at, int ndim, const struct dap_dim dims[], const int64_t shape[]);

/* ---- unstructured indices ---------------------------------------------------- */

/* A global index and where it is: a local index or a rank. */
struct dapi_pair {
    int64_t index, where;
};

void dapi_sort_pairs(struct dapi_pair pairs[], int64_t n); /* by index, then by where */

/* ---- memory: the only allocations of libdap -------------------------------------- */

void *dapi_alloc(int64_t n, size_t bytes); /* n elements, zeroed; NULL: too many */
void dapi_free(void *p);

/* Tests, which link the static library, set this to let the n-th allocation from now on fail; 0: none. */
extern _Thread_local long dapi_fail_allocation;

#endif
