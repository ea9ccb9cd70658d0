/* dap.h - the Distributed Array Protocol in C.
 *
 * The protocol lets each process describe its part of a distributed array to a consumer, which uses the part without
 * copying it. The document "Distributed Array Protocol", version 0.10.0, defines it for Python (`__distarray__`).
 * struct dap_array carries the same in C, in the manner of the Arrow C data interface and of DLPack. Nothing here needs
 * MPI or libdrx.
 *
 * Terms
 *   rank      number of a process among all that hold a part, from 0
 *   axis      an axis of the array; `dims[axis]` describes how it is distributed, as one rank sees it
 *   grid      the grid of processes, with one extent (proc_grid_size) for each axis. Ranks number it in row-major
 *             order: the last coordinate (proc_grid_rank) varies fastest. The product of the extents is the rank count
 *   section   what a rank holds of an axis: its local indices, 0 <= local < dap_num_local
 *   padding   b: indices at the two ends of a section. Padding towards a neighbour is communication padding: the
 *             neighbour owns these indices, and this rank has copies. Padding at the two ends of the axis is boundary
 *             padding: it is owned, and `size` counts it, also when the axis is periodic
 *   axis set  the proc_grid_size descriptions along one axis, in the order of proc_grid_rank:
 *             `const struct dap_dim set[]`
 *
 * Distributions (P, r, B: proc_grid_size, proc_grid_rank, block_size)
 *   b  block         global = start + local. A rank owns [start, stop) without communication padding. Sections may
 *                    differ in length and may be empty
 *   c  cyclic        blocks of B indices are dealt out in turn: g / B mod P owns the global index g, whose local index
 *                    is g / (B P) B + g mod B
 *   u  unstructured  global = indices[local], any integers
 *
 * Conventions
 *   - Indices and extents are int64_t and count elements.
 *   - Calls that can fail return DAP_OK (0) or a negative status. `why`, which may be NULL, receives up to why_bytes of
 *     text, ended by a NUL. The text names the rank, axis and key that is wrong, and what was expected, such as
 *         rank 2, axis 0, start: 7, expected 6, since grid rank 1 stops at 6
 *     It is empty after a success. Other outputs are set only on success.
 *   - A `dim` or `set` must be valid (dap_validate_dims, dap_validate_dims_set) except where a call validates it. Calls
 *     refuse what they can see at little cost.
 *   - Everything is a pure function of its arguments. Any number of threads may call it.
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

/* clang-format off */
/* X(name, value, text): the one list of statuses. */
#define DAP_STATUS_LIST(X)                                               \
    X(OK, 0, "success")                                                  \
    X(EINVAL, -1, "breaks a rule of the protocol, or of the call")       \
    X(ENOMEM, -2, "out of memory")                                       \
    X(EOVERFLOW, -3, "a product or sum does not fit 64 bits")            \
    X(ERANGE, -4, "an index or a rank that is not there")                \
    X(EVERSION, -5, "another version of the protocol or of the structs") \
    X(ESYNTAX, -6, "not the printed form of an axis")
/* clang-format on */

enum {
#define DAP_STATUS_ENUM(name, value, text) DAP_##name = value,
    DAP_STATUS_LIST(DAP_STATUS_ENUM)
#undef DAP_STATUS_ENUM
};

/* struct dap_dim.flags
 *   DAP_DIM_PERIODIC    b: the axis is periodic
 *   DAP_DIM_ONE_TO_ONE  u: no two ranks hold the same global index
 *   DAP_DIM_ALIAS       b: the description was {}, an undistributed axis; the fields say the same */
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
    int64_t stop;           /* b: one after its last */
    int64_t padding[2];     /* b */
    int64_t block_size;     /* c: >= 1 */
    int64_t n_indices;      /* u */
    const int64_t *indices; /* u: the global index of each local one */
};

/* What one rank exports. The consumer allocates the struct. The producer fills it and owns all that it points to until
 * the consumer calls `release`, which sets `release` to NULL. A producer that fails leaves it NULL. The struct may be
 * moved (dap_move). While an export is live, its producer does not move, free, extend or redistribute the section;
 * values may change. `release` is local: it never communicates.
 *
 * A consumer that sees an abi_major other than its own may only release. A later abi_minor adds members at the end of
 * struct dap_dim, and nowhere else; dim_stride shows it. */
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
    const struct dap_dim *dims;     /* dim_stride bytes apart: dap_dim_at */
    uint32_t dim_stride, reserved;
};

/* The text of a status. */
DAP_API const char *dap_strerror(int status);

/* ---- an exported array --------------------------------------------------- */

/* The description of an axis, 0 <= axis < a->ndim. */
DAP_API const struct dap_dim *dap_dim_at(const struct dap_array *a, int axis);

/* Release an export. Does nothing when it was released already. */
DAP_API void dap_release(struct dap_array *a);

/* Move an export, bit by bit. `from` then counts as released, without a call of its `release`. */
DAP_API void dap_move(struct dap_array *from, struct dap_array *to);

/* ---- rules ---------------------------------------------------------------- */

/* Check the export of one rank against the rules that one rank can see.
 *
 * Of the array: not released; version 0 (its minor versions are compatible); shape, itemsize and format; data, unless
 * the section is empty. Of each axis:
 *   - dist_type, 0 <= size, 1 <= proc_grid_size, 0 <= proc_grid_rank < proc_grid_size;
 *   - b: 0 <= start <= stop <= size; paddings >= 0; communication padding no wider than the section, boundary padding
 *     no wider than what is owned; the first grid rank starts at 0, the last stops at size;
 *   - c: block_size >= 1; start is proc_grid_rank * block_size, or size if that is less;
 *   - u: n_indices <= size, and no index twice;
 *   - the extent of the section is that of the buffer; an alias is undistributed; fields and flags of other
 *     distributions are 0.
 * Time: linear, but n log n for indices that do not increase.
 * Errors: DAP_EINVAL, DAP_EVERSION, DAP_ENOMEM, DAP_EOVERFLOW (the bytes of the section). */
DAP_API int dap_validate(const struct dap_array *a, char *why, size_t why_bytes);

/* Check that the exports of all ranks, arrays[rank], fit together. Each is validated, and:
 *   - all ranks have equal ndim and itemsize, and along an axis equal dist_type, size, proc_grid_size, block_size,
 *     periodic and one_to_one;
 *   - the proc_grid_sizes multiply to nranks, and each rank has the coordinates that belong to it in row-major order.
 *     (So nothing is replicated: without axes, or with undistributed ones only, nranks is 1.)
 *   - ranks with equal proc_grid_rank on an axis have equal descriptions of it, except for boundary padding;
 *   - b: neighbours have equal paddings towards each other, no wider than what either owns (so 0 towards an empty one),
 *     and overlap by just these two: each global index is owned once;
 *   - u, one_to_one: no index is on two ranks, and there are `size` of them.
 * Time: linear in nranks * ndim, and in all indices as above.
 * Errors: as dap_validate, and DAP_EINVAL for nranks < 1. */
DAP_API int dap_validate_set(const struct dap_array *const arrays[], int64_t nranks, char *why, size_t why_bytes);

/* The same checks for descriptions alone.
 *
 *   dims   [ndim]; of a set [nranks][ndim]. An axis set of P descriptions is the set of P ranks with one axis
 *   shape  [ndim], extents of the buffer; of a set [nranks][ndim]; NULL: there is none */
DAP_API int dap_validate_dims(int ndim, const struct dap_dim dims[], const int64_t shape[], char *why,
                              size_t why_bytes);
DAP_API int dap_validate_dims_set(int64_t nranks, int ndim, const struct dap_dim dims[], const int64_t shape[],
                                  char *why, size_t why_bytes);

/* ---- index maps -------------------------------------------------------------- */

/* The extent of the section with communication padding, which is that of the buffer; and how many of its indices the
 * rank owns. -1 when the distribution is not b, c or u. */
DAP_API int64_t dap_num_local(const struct dap_dim *dim);
DAP_API int64_t dap_num_owned(const struct dap_dim *dim);

/* b: the indices that the rank owns, lo <= global < hi. (With communication padding they are start <= global < stop.)
 * Errors: DAP_EINVAL (not b). */
DAP_API int dap_owned_range(const struct dap_dim *dim, int64_t *lo, int64_t *hi);

/* Convert indices of the section, communication padding included. Errors: DAP_ERANGE (not in it), DAP_EINVAL. Time:
 * constant; u, to local: linear. */
DAP_API int dap_global_to_local(const struct dap_dim *dim, int64_t global, int64_t *local);
DAP_API int dap_local_to_global(const struct dap_dim *dim, int64_t local, int64_t *global);

/* The proc_grid_rank that owns a global index, the lowest one where several do (u). For a cyclic axis, any one
 * description serves as `set`. Errors: DAP_ERANGE (no rank owns it), DAP_EINVAL. Time: b log P, c constant, u linear in
 * all indices. */
DAP_API int dap_owner(const struct dap_dim set[], int64_t global, int64_t *grid_rank);

/* ---- owned runs ----------------------------------------------------------------- */

/* A run: `count` owned indices from `global` on, which are the local indices from `local` on. */
struct dap_run {
    int64_t global, local, count;
};

/* The state of an iteration; its members are private. Valid as long as `dim` and `order` are. */
struct dap_runs {
    const struct dap_dim *dim;
    const int64_t *order;
    int64_t next, end;
};

/* Iterate over the longest runs of owned indices with lo <= global < hi, in increasing global order:
 *
 *     dap_runs_begin(&runs, dim, order, lo, hi);
 *     while (dap_runs_next(&runs, &run))
 *         ...
 *
 *   order  u: made by dap_sort_indices; b and c: NULL
 *
 * dap_runs_next returns 1, or 0 when there are no more runs. Errors of dap_runs_begin: DAP_EINVAL; then there are no
 * runs. Time: begin log n for u, otherwise constant; next constant, or linear in the run for u. */
DAP_API int dap_runs_begin(struct dap_runs *runs, const struct dap_dim *dim, const int64_t order[], int64_t lo,
                           int64_t hi);
DAP_API int dap_runs_next(struct dap_runs *runs, struct dap_run *run);

/* u: sort the local indices by their global ones.
 *
 *   order  room for dim->n_indices; the caller's
 *
 * Time: n log n; linear when they increase already. Errors: DAP_EINVAL, DAP_ENOMEM. */
DAP_API int dap_sort_indices(const struct dap_dim *dim, int64_t order[]);

/* ---- the grid of processes --------------------------------------------------------- */

/* Ranks in row-major order: rank = (coords[0] * grid[1] + coords[1]) * grid[2] + ...; 0 without axes.
 * Errors: DAP_EINVAL (an extent < 1), DAP_ERANGE, DAP_EOVERFLOW (the number of ranks). */
DAP_API int dap_grid_ranks(int ndim, const int64_t grid[], int64_t *nranks);
DAP_API int dap_grid_rank(int ndim, const int64_t grid[], const int64_t coords[], int64_t *rank);
DAP_API int dap_grid_coords(int ndim, const int64_t grid[], int64_t rank, int64_t coords[]);

/* ---- makers -------------------------------------------------------------------------- */

/* Make the description of an axis for one rank. Errors: DAP_EINVAL (size < 0, chunk < 1, ...), DAP_ERANGE (grid_rank),
 * DAP_EOVERFLOW. */

/* b: whole chunks of `chunk` indices, the last one clipped at size, as evenly as possible: the first ranks have one
 * more. chunk 1 gives the even distribution. */
DAP_API int dap_block(int64_t size, int64_t chunk, int64_t grid_size, int64_t grid_rank, struct dap_dim *out);

/* b: from bounds[grid_rank] to bounds[grid_rank + 1]. bounds[0] is 0, bounds[grid_size] is the size, and bounds do not
 * decrease. */
DAP_API int dap_irregular(const int64_t bounds[], int64_t grid_size, int64_t grid_rank, struct dap_dim *out);

/* c: blocks of nchunks chunks of `chunk` indices; 1, 1: cyclic by elements. */
DAP_API int dap_cyclic(int64_t size, int64_t chunk, int64_t nchunks, int64_t grid_size, int64_t grid_rank,
                       struct dap_dim *out);

/* u: `indices` stay the caller's and must outlive *out. flags: 0 or DAP_DIM_ONE_TO_ONE. */
DAP_API int dap_unstructured(int64_t size, int64_t n_indices, const int64_t indices[], uint32_t flags,
                             int64_t grid_size, int64_t grid_rank, struct dap_dim *out);

/* b, on one process: the meaning of {}. */
DAP_API int dap_undistributed(int64_t size, struct dap_dim *out);

/* Add padding to a block description that has none. Communication padding widens the section. Boundary padding at the
 * ends of the axis does not, since `size` counts it. dap_validate_dims_set checks whether the neighbours own as much.
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
 * Numbers are decimal. The parser accepts any white space between words, needs none around brackets, and validates what
 * it reads as dap_validate_dims_set does.
 *
 * dap_print, like snprintf, returns the length of the whole text without its NUL and writes at most bytes - 1 of it, or
 * returns a negative status (DAP_EINVAL: not b, c or u). It does not keep a cyclic start that was clamped to size. */
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
