/* What the files of libdap share. The library stands alone: it uses only inline functions of src/base, so a program
 * that links libdap does not need libdrx. */
#pragma once

#include "base/sort.h"
#include "dap.h"

/* ---- failing ------------------------------------------------------------- */

/* The place of a fault, and the caller's buffer for the message. */
struct dapi_place {
    char *why; /* may be NULL */
    size_t why_bytes;
    int64_t rank; /* -1: none, or unknown */
    int axis;     /* likewise */
};

struct dapi_place dapi_nowhere(char *why, size_t why_bytes); /* and empty the buffer */

/* Write "rank R, axis A, KEY: what" as far as it fits; return `status`. key may be NULL. */
int dapi_wrong(const struct dapi_place *at, int status, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* ---- one description ------------------------------------------------------- */

/* Whether the maps can compute with it. */
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

/* b: the widths of communication padding; 0 at the ends of the axis. */
static inline int64_t dapi_shared_before(const struct dap_dim *d)
{
    return dapi_is_first(d) ? 0 : d->padding[0];
}

static inline int64_t dapi_shared_after(const struct dap_dim *d)
{
    return dapi_is_last(d) ? 0 : d->padding[1];
}

/* ---- rules -------------------------------------------------------------------- */

/* The rules that one rank can check alone. at->rank is set, at->axis is not. */
int dapi_check_array(const struct dapi_place *at, const struct dap_array *a);
int dapi_check_dims(const struct dapi_place *at, int ndim, const struct dap_dim dims[], const int64_t shape[]);

/* ---- unstructured indices ---------------------------------------------------- */

/* The place of a global index is a local index or a rank. */
/* Room for n pairs of an index and its place, and as many to sort them; NULL: out of memory. */
struct drxi_keyed *dapi_new_pairs(int64_t n);
void dapi_sort_pairs(struct drxi_keyed pairs[], int64_t n); /* by index, then by the order in which they are there */

/* Whether no index repeats in the arrays of these `count` descriptions; *differ is false, too, where only sorting can
 * tell. DAP_ENOMEM. */
int dapi_all_differ(const struct dap_dim *(*dim)(const void *of, int64_t i), const void *of, int64_t count,
                    bool *differ);

/* ---- memory: the only allocations of libdap -------------------------------------- */

void *dapi_alloc(int64_t n, size_t bytes); /* n zeroed elements; NULL: too many */
void dapi_free(void *p);

/* Tests link the static library and set this to make the n-th allocation from now on fail; 0: none. */
extern _Thread_local long dapi_fail_allocation;
