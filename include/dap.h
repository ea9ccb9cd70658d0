/* dap.h - the Distributed Array Protocol in C.
 *
 * How an array is spread over processes, told by each of them to whoever wants to use
 * its part without copying it. The protocol is that of the document "Distributed Array
 * Protocol", version 0.10.0, which defines it for Python (`__distarray__`); struct
 * dap_array carries the same in C, in the manner of the Arrow C data interface and of
 * DLPack. Nothing here needs MPI or libdrx.
 *
 * Terms
 *   rank       of a process among all that hold a part, from 0
 *   axis       of the array; `dims[axis]` says how it is distributed, seen by one rank
 *   grid       of processes, one extent (proc_grid_size) an axis. Ranks are its row-major
 *              numbers, the last coordinate (proc_grid_rank) varying fastest; the product
 *              of its extents is the number of ranks
 *   section    what a rank holds of an axis: its local indices, 0 <= local < dap_num_local
 *   padding    b: indices at the two ends of a section. Towards a neighbour it is
 *              communication padding, indices that the neighbour owns and that are here as
 *              well. At the two ends of the axis it is boundary padding: owned, and counted
 *              in `size`, also when the axis is periodic
 *   axis set   the proc_grid_size descriptions along one axis, in the order of
 *              proc_grid_rank: `const struct dap_dim set[]`
 *
 * Distributions (P, r, B: proc_grid_size, proc_grid_rank, block_size)
 *   b  block         global = start + local; owned is [start, stop) without communication
 *                    padding. Sections may differ in length and be empty
 *   c  cyclic        blocks of B indices dealt out in turn: the owner of a global index g is
 *                    g / B mod P, its local index g / (B P) B + g mod B
 *   u  unstructured  global = indices[local], any integers
 *
 * Conventions
 *   - Indices and extents are int64_t and count elements.
 *   - Calls that can fail return DAP_OK (0) or a negative status. `why`, which may be
 *     NULL, takes up to why_bytes of text, ended by a NUL: which rank, axis and key is
 *     wrong, and what was expected, such as
 *         rank 2, axis 0, start: 7, expected 6, since grid rank 1 stops at 6
 *     It is empty after a success. Other outputs are set only on success.
 *   - A `dim` or `set` is valid (dap_validate_dims, dap_validate_dims_set) except where
 *     it is validated. What is cheap to see is refused nevertheless.
 *   - Everything is a pure function of its arguments: any number of threads.
 */
#ifndef DAP_H
#define DAP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DAP_API __attribute__((visibility("default")))
#else
#define DAP_API
#endif

#define DAP_VERSION "0.10.0" /* of the protocol */
enum { DAP_VERSION_MAJOR = 0, DAP_VERSION_MINOR = 10, DAP_VERSION_PATCH = 0 };
enum { DAP_ABI_MAJOR = 1, DAP_ABI_MINOR = 0 }; /* of the structs below */

/* X(name, value, text): the one list of statuses. */
#define DAP_STATUS_LIST(X)                                               \
    X(OK, 0, "success")                                                  \
    X(EINVAL, -1, "breaks a rule of the protocol, or of the call")       \
    X(ENOMEM, -2, "out of memory")                                       \
    X(EOVERFLOW, -3, "a product or sum does not fit 64 bits")            \
    X(ERANGE, -4, "an index or a rank that is not there")                \
    X(EVERSION, -5, "another version of the protocol or of the structs") \
    X(ESYNTAX, -6, "not the printed form of an axis")

enum {
#define DAP_STATUS_ENUM(name, value, text) DAP_##name = value,
    DAP_STATUS_LIST(DAP_STATUS_ENUM)
#undef DAP_STATUS_ENUM
};

/* struct dap_dim.flags
 *   DAP_DIM_PERIODIC    b: the axis is periodic
 *   DAP_DIM_ONE_TO_ONE  u: no global index is held by two ranks
 *   DAP_DIM_ALIAS       b: was {}, the undistributed axis; the fields say the same */
enum { DAP_DIM_PERIODIC = 1, DAP_DIM_ONE_TO_ONE = 2, DAP_DIM_ALIAS = 4 };

/* struct dap_array.flags */
enum { DAP_READ_ONLY = 1, DAP_IS_COPY = 2 };

/* struct dap_array.device_type */
enum { DAP_HOST = 1 };

/* One axis, as one rank sees it. Fields that do not apply are 0. */
struct dap_dim {
    int32_t dist_type;      /* 'b', 'c' or 'u' */
    uint32_t flags;         /* DAP_DIM_PERIODIC | ... */
    int64_t size;           /* global extent */
    int64_t proc_grid_size; /* >= 1 */
    int64_t proc_grid_rank; /* 0 <= proc_grid_rank < proc_grid_size */
    int64_t start;          /* b: first global index of the section; c: proc_grid_rank * block_size */
    int64_t stop;           /* b: one behind its last */
    int64_t padding[2];     /* b */
    int64_t block_size;     /* c: >= 1 */
    int64_t n_indices;      /* u */
    const int64_t *indices; /* u: the global index of each local one */
};

/* What one rank exports. The consumer allocates the struct; the producer fills it and
 * owns all that it points to until the consumer calls `release`, which sets `release`
 * to NULL; a producer that fails leaves it NULL. The struct may be moved (dap_move).
 * While an export is live, its producer does not move, free, extend or redistribute the
 * section; values may change. `release` is local: it never communicates.
 *
 * A consumer that sees another abi_major than its own may only release. A later
 * abi_minor adds to the end of struct dap_dim, seen in dim_stride, and nowhere else. */
struct dap_array {
    uint32_t abi_major, abi_minor; /* DAP_ABI_MAJOR, DAP_ABI_MINOR */
    void (*release)(struct dap_array *);
    void *private_data;
    uint64_t flags; /* DAP_READ_ONLY | ...; every abi_major has the fields up to here */

    uint32_t version[3]; /* of the protocol: 0, 10, 0 */
    int32_t ndim;
    int32_t device_type, device_id; /* DAP_HOST, 0 */
    void *data;                     /* of the local section's first element; may be NULL if it has none */
    int64_t itemsize;               /* bytes */
    const char *format;             /* of an element, as in Python's PEP 3118 */
    const int64_t *shape;           /* of the local section, with communication padding */
    const int64_t *strides;         /* bytes */
    const struct dap_dim *dims;     /* each at dim_stride bytes from the one before: dap_dim_at */
    uint32_t dim_stride, reserved;
};

/* The text of a status. */
DAP_API const char *dap_strerror(int status);

/* ---- an exported array --------------------------------------------------- */

/* 0 <= axis < a->ndim */
DAP_API const struct dap_dim *dap_dim_at(const struct dap_array *a, int axis);

/* Nothing for one that was released already. */
DAP_API void dap_release(struct dap_array *a);

/* Bit by bit; `from` counts as released then, without a call of its `release`. */
DAP_API void dap_move(struct dap_array *from, struct dap_array *to);

/* ---- rules ---------------------------------------------------------------- */

/* Does what one rank exports keep the rules that can be seen there?
 *
 * Of the array: not released, version 0 (its minor versions are compatible), shape, itemsize,
 * format, and data unless the section is empty. Of each axis:
 *   - dist_type, 0 <= size, 1 <= proc_grid_size, 0 <= proc_grid_rank < proc_grid_size;
 *   - b: 0 <= start <= stop <= size; paddings >= 0, communication padding at most as wide
 *     as the section, boundary padding at most as wide as what is owned; the first grid
 *     rank starts at 0, the last stops at size;
 *   - c: block_size >= 1; start is proc_grid_rank * block_size, or size if that is less;
 *   - u: n_indices <= size, and no index twice;
 *   - the extent of the section is that of the buffer; an alias is undistributed; fields
 *     and flags of other distributions are 0.
 * Time: linear, but n log n for indices that do not increase.
 * Errors: DAP_EINVAL, DAP_EVERSION, DAP_ENOMEM, DAP_EOVERFLOW (the bytes of the section). */
DAP_API int dap_validate(const struct dap_array *a, char *why, size_t why_bytes);

/* Do the exports of all ranks, arrays[rank], fit together? Each is validated, and
 *   - ndim and itemsize are equal on all ranks, and along an axis dist_type, size,
 *     proc_grid_size, block_size, periodic and one_to_one;
 *   - the proc_grid_sizes multiply to nranks, and each rank has the coordinates that
 *     belong to it in row-major order. (So nothing is replicated: without axes, or with
 *     undistributed ones only, nranks is 1.)
 *   - ranks with equal proc_grid_rank on an axis have equal descriptions of it, except
 *     for boundary padding;
 *   - b: neighbours have equal paddings towards each other, no wider than what either owns
 *     (so 0 towards an empty one), and overlap by just these two: every global index is
 *     owned once;
 *   - u, one_to_one: no index is on two ranks, and there are `size` of them.
 * Time: linear in nranks * ndim, and in all indices as above.
 * Errors: as dap_validate, and DAP_EINVAL for nranks < 1. */
DAP_API int dap_validate_set(const struct dap_array *const arrays[], int64_t nranks, char *why, size_t why_bytes);

/* The same for descriptions alone.
 *
 *   dims   [ndim]; of a set [nranks][ndim]. An axis set of P descriptions is the set of P
 *          ranks of one dimension
 *   shape  [ndim], extents of the buffer; of a set [nranks][ndim]; NULL: there is none */
DAP_API int dap_validate_dims(int ndim, const struct dap_dim dims[], const int64_t shape[], char *why,
                              size_t why_bytes);
DAP_API int dap_validate_dims_set(int64_t nranks, int ndim, const struct dap_dim dims[], const int64_t shape[],
                                  char *why, size_t why_bytes);

/* ---- index maps -------------------------------------------------------------- */

/* Extent of the section, with communication padding: that of the buffer. And how many
 * indices of it the rank owns. -1 when the distribution is none of b, c and u. */
DAP_API int64_t dap_num_local(const struct dap_dim *dim);
DAP_API int64_t dap_num_owned(const struct dap_dim *dim);

/* b: what the rank owns, lo <= global < hi; with communication padding that is
 * start <= global < stop. Errors: DAP_EINVAL (not b). */
DAP_API int dap_owned_range(const struct dap_dim *dim, int64_t *lo, int64_t *hi);

/* Of the section, its communication padding included. Errors: DAP_ERANGE (not in it),
 * DAP_EINVAL. Time: constant; u, to local: linear. */
DAP_API int dap_global_to_local(const struct dap_dim *dim, int64_t global, int64_t *local);
DAP_API int dap_local_to_global(const struct dap_dim *dim, int64_t local, int64_t *global);

/* The proc_grid_rank that owns a global index, the lowest one where several do (u). Of a
 * cyclic axis, any one description serves as `set`.
 * Errors: DAP_ERANGE (nobody does), DAP_EINVAL. Time: b log P, c constant, u linear in all
 * indices. */
DAP_API int dap_owner(const struct dap_dim set[], int64_t global, int64_t *grid_rank);

/* ---- owned runs ----------------------------------------------------------------- */

/* A run: `count` owned indices from `global` on, at `local` and the following. */
struct dap_run {
    int64_t global, local, count;
};

/* The place in an iteration: private. Valid as long as the `dim` and `order` are. */
struct dap_runs {
    const struct dap_dim *dim;
    const int64_t *order;
    int64_t next, end;
};

/* The longest runs of owned indices with lo <= global < hi, in increasing global order:
 *
 *     dap_runs_begin(&runs, dim, order, lo, hi);
 *     while (dap_runs_next(&runs, &run))
 *         ...
 *
 *   order  u: made by dap_sort_indices; b and c: NULL
 *
 * dap_runs_next gives 1, or 0 when there are no more. Errors of dap_runs_begin:
 * DAP_EINVAL; there are no runs then. Time: begin log n for u, otherwise constant; next
 * constant, or linear in the run for u. */
DAP_API int dap_runs_begin(struct dap_runs *runs, const struct dap_dim *dim, const int64_t order[], int64_t lo,
                           int64_t hi);
DAP_API int dap_runs_next(struct dap_runs *runs, struct dap_run *run);

/* u: the local indices in increasing order of their global ones.
 *
 *   order  room for dim->n_indices; the caller's
 *
 * Time: n log n, linear where they increase already. Errors: DAP_EINVAL, DAP_ENOMEM. */
DAP_API int dap_sort_indices(const struct dap_dim *dim, int64_t order[]);

/* ---- the grid of processes --------------------------------------------------------- */

/* Row-major: rank = (coords[0] * grid[1] + coords[1]) * grid[2] + ...; without axes 0.
 * Errors: DAP_EINVAL (an extent < 1), DAP_ERANGE, DAP_EOVERFLOW (the number of ranks). */
DAP_API int dap_grid_ranks(int ndim, const int64_t grid[], int64_t *nranks);
DAP_API int dap_grid_rank(int ndim, const int64_t grid[], const int64_t coords[], int64_t *rank);
DAP_API int dap_grid_coords(int ndim, const int64_t grid[], int64_t rank, int64_t coords[]);

/* ---- makers -------------------------------------------------------------------------- */

/* Descriptions for one rank of an axis. Errors: DAP_EINVAL (size < 0, chunk < 1, ...),
 * DAP_ERANGE (grid_rank), DAP_EOVERFLOW. */

/* b: whole chunks of `chunk` indices, the last one clipped at size, as evenly as they
 * go: the first ranks have one more. chunk 1: the even distribution. */
DAP_API int dap_block(int64_t size, int64_t chunk, int64_t grid_size, int64_t grid_rank, struct dap_dim *out);

/* b: from bounds[grid_rank] to bounds[grid_rank + 1]; bounds[0] is 0, bounds[grid_size]
 * the size, and they do not decrease. */
DAP_API int dap_irregular(const int64_t bounds[], int64_t grid_size, int64_t grid_rank, struct dap_dim *out);

/* c: blocks of nchunks chunks of `chunk` indices; 1, 1: cyclic by elements. */
DAP_API int dap_cyclic(int64_t size, int64_t chunk, int64_t nchunks, int64_t grid_size, int64_t grid_rank,
                       struct dap_dim *out);

/* u: `indices` stay the caller's and must outlive *out. flags: 0 or DAP_DIM_ONE_TO_ONE. */
DAP_API int dap_unstructured(int64_t size, int64_t n_indices, const int64_t indices[], uint32_t flags,
                             int64_t grid_size, int64_t grid_rank, struct dap_dim *out);

/* b, over one process: what {} stands for. */
DAP_API int dap_undistributed(int64_t size, struct dap_dim *out);

/* Add padding to a block description that has none: communication padding widens the
 * section, boundary padding at the ends of the axis does not, since `size` counts it.
 * Whether the neighbours own as much is for dap_validate_dims_set to see.
 *
 *   flags  0 or DAP_DIM_PERIODIC
 *
 * Errors: DAP_EINVAL (not b, or a width < 0), DAP_ERANGE (wider than the axis). */
DAP_API int dap_pad(struct dap_dim *dim, int64_t before, int64_t after, uint32_t flags);

/* ---- printed form ------------------------------------------------------------------------ */

/* An axis set as one line of text, words between single spaces:
 *
 *     b 0 25 50 75 100 padding 4 1 2 3 0 periodic
 *         what each grid rank owns begins where the one before ends; the paddings at
 *         these P + 1 borders, 0 by default
 *     c 100 over 4 block 8
 *         size, proc_grid_size; blocks of 1 by default
 *     u 5 [ 0 2 4 ] [ ] [ -5 9 ] one_to_one
 *         size; the indices of each grid rank
 *     {} 100
 *         an undistributed axis given as {}
 *
 * Numbers are decimal. The parser takes any white space between words, and none around
 * brackets, and checks what it has read as dap_validate_dims_set does.
 *
 * dap_print: like snprintf, gives the length of the whole text without its NUL, of which
 * at most bytes - 1 are written, or a negative status (DAP_EINVAL: not b, c or u). A
 * cyclic start that was clamped to size is not kept. */
DAP_API int64_t dap_print(const struct dap_dim set[], char *text, size_t bytes);

/*   set  made in one piece, indices included; release with dap_free. It has
 *        (*set)->proc_grid_size descriptions, at most DAP_MAX_PARSED; NULL on failure
 *
 * Errors: DAP_ESYNTAX (why: the column, from 1), DAP_EINVAL (a rule is broken),
 * DAP_ENOMEM. */
enum { DAP_MAX_PARSED = 1 << 24 };
DAP_API int dap_parse(const char *text, struct dap_dim **set, char *why, size_t why_bytes);
DAP_API void dap_free(struct dap_dim *set); /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif
