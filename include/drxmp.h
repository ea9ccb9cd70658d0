/* drxmp.h - arrays of drx.h that many processes have open together (DRX-MP), on MPI.
 *
 * Each rank holds the metadata and computes every address itself; each reads and writes the data file. What is stored
 * is byte for byte what a serial program stores that makes the same calls, whatever the number of ranks (Otoo and Rotem
 * 2009, section IV).
 *
 * Conventions
 *   - As in drx.h, and: a call marked Collective is made by all ranks of the array's communicator, in the same order.
 *     It returns the same status on all of them: when it fails on one, or when arguments differ that have to be
 *     equal ("checked"), all get that error, and drx_last_error() names the rank. No rank is left waiting.
 *   - A collective call is also a synchronisation: what it changed all ranks see when it has returned.
 *   - Calls not marked so are made by any rank at any time between the collective ones.
 *   - The communicator is duplicated; its error handler is not touched. An MPI call that fails gives DRX_EMPI.
 *
 * Threads: MPI is called by the calling thread alone; MPI_THREAD_FUNNELED or more lets helper threads do file I/O (they
 * make no MPI call; MPI_THREAD_SINGLE works, too, with the common MPI libraries). One thread at a time makes collective
 * calls on one array. By MPI-IO, whatever reads or writes calls MPI, also by drx.h on drxmp_serial's handle: helper
 * threads have no part in it, and only threads that may call MPI use the array.
 *
 * Settings: keys of an MPI_Info, or environment variables, which come second; equal on all ranks (checked).
 *   drx_backend   DRXMP_BACKEND   "posix" (the default): pread and pwrite of each rank; "mpiio": MPI-IO, with indexed
 *                                 file views in collective calls; for file systems that MPI-IO knows better than the
 *                                 system does. The log goes by system calls. Some MPI-IO takes what stands before a
 *                                 colon in a path for a kind of file system. Arrays with checksums go by "posix".
 *   drx_io_ranks  DRXMP_IO_RANKS  so many ranks read and write the file in collective calls, for all; default: all
 *   drx_buffer    DRXMP_BUFFER    bytes that a rank may use for exchanging pieces; default 32 MiB
 *
 * Of one-sided access, from rank 0's environment when a darray is made:
 *   DRXMP_ONESIDED  "direct" (the default): by loads and stores where ranks share memory, else by MPI RMA; "rma": by MPI
 *                   RMA always; a number: as if so many ranks at most shared memory; "off": not at all, of other
 *                   ranks, for programs that have no use for it: sections are private memory, which is made faster
 *   DRXMP_PROGRESS  "1": as drxmp_darray_progress
 */
#ifndef DRXMP_H
#define DRXMP_H

#include <dap.h>
#include <drx.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct drxmp_array drxmp_array; /* opaque; made by drxmp_create, drxmp_open */
struct drx_copy_spec;                    /* drx_tools.h */

/* ---- create, open, close ------------------------------------------------ */

/* Make a new array and open it for writing, as drx_create does.
 *
 *   comm  an intracommunicator
 *   path  without suffix, the same file on all ranks; not NULL (DRX_EUNSUPPORTED: memory is spread by darrays)
 *   spec  as for drx_create; with DRX_TEMPORARY all ranks have to be able to open the file by way of the process of
 *         rank 0, as they are on one Linux machine, or else it has another name until it is closed, which a job that is
 *         killed leaves behind
 *
 * Collective: equal path and spec (checked).
 * Errors: those of drx_create, DRX_EMISMATCH, DRX_EMPI. Then there is no new array. */
DRX_API drx_status drxmp_create(MPI_Comm comm, const char *path, const drx_spec *spec, drxmp_array **out);

/* Give a temporary array its name, as drx_persist does. All that was written is durable, the name after drxmp_sync.
 *
 * Collective: equal flags (checked).
 * Errors: those of drx_persist, DRX_EBUSY: requests were not waited for. It stays temporary then. */
DRX_API drx_status drxmp_persist(drxmp_array *a, unsigned flags);

/* Open an array. One rank reads the metadata, recovers and locks as drx_open does, for all.
 *
 * Collective: equal path and mode (checked).
 * Errors: those of drx_open, DRX_EMISMATCH, DRX_EMPI. */
DRX_API drx_status drxmp_open(MPI_Comm comm, const char *path, int mode, drxmp_array **out);

/* Change settings (see above); keys that are not known are passed over. MPI_INFO_NULL changes nothing. No other thread
 * uses the array meanwhile.
 *
 * Collective: equal values (checked).
 * Errors: DRX_EINVAL for a value that cannot be; DRX_EBUSY: requests were not waited for; to MPI-IO: DRX_EMISMATCH when
 * the path leads to another array by now, DRX_EMPI and those of opening the file. Then nothing has changed. */
DRX_API drx_status drxmp_set_info(drxmp_array *a, MPI_Info info);

/* Write what was put, close, free. NULL on all ranks is fine. The handle is gone, also on error, but for DRX_EBUSY:
 * requests were not waited for.
 *
 * Collective. */
DRX_API drx_status drxmp_close(drxmp_array *a);

/* Everything so far, of all ranks, is durable, as by drx_sync.
 *
 * Collective. */
DRX_API drx_status drxmp_sync(drxmp_array *a);

/* Make the metadata as short as they can be, as drx_compact does; drxmp_sync and drxmp_open do so of themselves with long
 * ones.
 *
 * Collective. */
DRX_API drx_status drxmp_compact(drxmp_array *a);

/* See what a writer elsewhere has committed; of an array opened for writing there is nothing to see.
 *
 * Collective. */
DRX_API drx_status drxmp_refresh(drxmp_array *a);

/* This rank's view of the array: for inquiry, and to read attributes; drx_read and drx_write work on it, too. It belongs
 * to `a` and is valid until drxmp_close. What changes or closes an array is DRX_EACCES on it.
 *
 * Not collective. NULL gives NULL. */
DRX_API drx_array *drxmp_serial(drxmp_array *a);

/* ---- growth and attributes ------------------------------------------------- */

/* Grow `axis` by `by` indices, as drx_extend does; one rank writes the record.
 *
 * Collective: equal axis and by (checked).
 * Errors: those of drx_extend, DRX_EMISMATCH, DRX_EMPI. Then the array is unchanged. */
DRX_API drx_status drxmp_extend(drxmp_array *a, int axis, int64_t by);

/* As drx_attr_set, drx_attr_set_text, drx_attr_delete, drx_dim_rename.
 *
 * Collective: equal arguments and values (checked). */
DRX_API drx_status drxmp_attr_set(drxmp_array *a, const char *name, drx_type type, int64_t n, const void *values);
DRX_API drx_status drxmp_attr_set_text(drxmp_array *a, const char *name, const char *utf8);
DRX_API drx_status drxmp_attr_delete(drxmp_array *a, const char *name);
DRX_API drx_status drxmp_dim_rename(drxmp_array *a, int axis, const char *name);

/* ---- into another layout ------------------------------------------------------ */

/* Copy `src` to a new array of another layout, as drx_copy does; each rank makes a box of it. What is stored is what
 * drx_copy stores.
 *
 *   path  of the copy, the same file on all ranks; not NULL (DRX_EUNSUPPORTED)
 *   spec  as for drx_copy; DRX_TEMPORARY is DRX_EUNSUPPORTED. memory_bytes is that of all ranks together, in equal
 *         parts; where these are too small, fewer ranks have one. progress is called on rank 0, and told how far that is,
 *         as if the others were as far; other than 0, it ends the copying of all
 *   out   the copy, open for writing, with the settings of `src`; NULL on all ranks: it is closed
 *
 * While it is made, the copy has another name in the folder of `path`, which a job that is killed leaves behind. On
 * error nothing has the name `path` that had it not before; but when only opening the copy for `out` fails, it stays.
 *
 * Collective: equal path, spec but for progress, and whether there is an `out` (checked).
 * Errors: those of drx_copy, DRX_EMISMATCH, DRX_EMPI. */
DRX_API drx_status drxmp_copy(drxmp_array *src, const char *path, const struct drx_copy_spec *spec,
                              drxmp_array **out);

/* ---- elements ------------------------------------------------------------------ */

/* As drx_read, drx_write, and drx_read_box and drx_write_box: each rank for itself.
 *
 * Not collective. What another rank wrote is there after a collective call of both. */
DRX_API drx_status drxmp_read(drxmp_array *a, const int64_t lo[], const int64_t count[], drx_order order, void *buf);
DRX_API drx_status drxmp_write(drxmp_array *a, const int64_t lo[], const int64_t count[], drx_order order,
                               const void *buf);
DRX_API drx_status drxmp_read_strided(drxmp_array *a, const int64_t lo[], const int64_t count[], const int64_t step[],
                                      const int64_t stride[], void *buf);
DRX_API drx_status drxmp_write_strided(drxmp_array *a, const int64_t lo[], const int64_t count[], const int64_t step[],
                                       const int64_t stride[], const void *buf);

/* The same, together: each rank its own box, of any size, which may be empty. Boxes to read may overlap; where boxes to
 * write overlap, each element gets one of the values. Chunks that several ranks write are put together by one of
 * them, so that none is read, changed and written back. After an error of a write, the elements of the boxes
 * have old or new values.
 *
 * Collective. */
DRX_API drx_status drxmp_read_all(drxmp_array *a, const int64_t lo[], const int64_t count[], drx_order order, void *buf);
DRX_API drx_status drxmp_write_all(drxmp_array *a, const int64_t lo[], const int64_t count[], drx_order order,
                                   const void *buf);
DRX_API drx_status drxmp_read_strided_all(drxmp_array *a, const int64_t lo[], const int64_t count[],
                                          const int64_t step[], const int64_t stride[], void *buf);
DRX_API drx_status drxmp_write_strided_all(drxmp_array *a, const int64_t lo[], const int64_t count[],
                                           const int64_t step[], const int64_t stride[], const void *buf);

/* The same, begun: drx_wait waits, drx_test looks and makes progress; both are drx.h's, and the wait is the one that
 * counts as collective, in the order in which the requests began. `buf` belongs to the library until then. Bytes move
 * on helper threads meanwhile; by MPI-IO, within the calls, without views, which would have ranks wait. Until all
 * requests are waited for, the array cannot grow, be refreshed or be closed (DRX_EBUSY). A failure tells of other ranks
 * only which it was.
 *
 * Collective. */
DRX_API drx_status drxmp_iread_all(drxmp_array *a, const int64_t lo[], const int64_t count[], drx_order order, void *buf,
                                   drx_request **req);
DRX_API drx_status drxmp_iwrite_all(drxmp_array *a, const int64_t lo[], const int64_t count[], drx_order order,
                                    const void *buf, drx_request **req);

/* Grow and write what is new, as drx_append: each rank gives its part of the slab in indices of the grown array, that is
 * lo[axis] >= the old bound; a part may be empty, and what no rank gives keeps the fill.
 *
 * Collective: equal axis and by (checked).
 * Errors: those of drx_append, DRX_ERANGE for a part outside the slab. Then the array is unchanged. */
DRX_API drx_status drxmp_append_all(drxmp_array *a, int axis, int64_t by, const int64_t lo[], const int64_t count[],
                                    drx_order order, const void *buf);

/* ---- distributed arrays in memory ------------------------------------------------
 *
 * A darray is spread over the ranks of a communicator; each holds a section, dense in memory in local order. How it is
 * spread is described as dap.h has it, one struct dap_dim for each axis, as this rank sees it: blocks ('b'), even or
 * not, which may have padding; cyclic and block-cyclic ('c'); lists of indices ('u'). Grid ranks are row-major.
 *
 *   owned     of indices that several ranks hold ('u' without DAP_DIM_ONE_TO_ONE), the lowest grid rank owns
 *   padding   communication padding is a copy of what a neighbour owns, refreshed by drxmp_darray_read, by
 *             drxmp_darray_redistribute (into) and by drxmp_darray_sync, and by nothing else. Boundary padding is
 *             owned and has indices of its own, which `size` counts: it is read and written like all else. On a
 *             periodic axis drxmp_darray_sync alone fills it, from the other end: the padding before the first index
 *             within, and behind the last one, continue what lies within, over and over
 *
 * Threads: one at a time makes collective calls on a darray. Its memory is the caller's to use between them. */

typedef struct drxmp_darray drxmp_darray; /* opaque */

/* Make one, of zeros.
 *
 *   dims   [ndim], of this rank; copied, and their indices. What they have to keep, each and together, is what
 *          dap_validate_dims_set says: when they do not, the detail names rank, axis and key
 *   order  of the section in memory
 *
 * Collective: equal type, ndim, order (checked).
 * Errors: DRX_EINVAL, DRX_ENOMEM, DRX_EOVERFLOW (also for an index beyond 2^62), DRX_EMISMATCH, DRX_EMPI. */
DRX_API drx_status drxmp_darray_create(MPI_Comm comm, drx_type type, int ndim, const struct dap_dim dims[],
                                       drx_order order, drxmp_darray **out);

/* One that is spread as zones of whole chunks of `a`: for each rank a box of them (Otoo and Rotem 2009, section II), or
 * blocks of chunks dealt out in turn. Of an array that has grown, make another, and redistribute; or read what is new
 * into another, at its `lo`.
 *
 *   grid          [ndim] numbers of ranks along each axis, whose product is all; NULL: chosen so that the rank with
 *                 most chunks has as few as can be, and then as even a grid as can be
 *   block_chunks  [ndim], BLOCK_CYCLIC: chunks in a block along each axis; NULL: BLOCK
 *
 * Collective: equal grid, block_chunks, order (checked).
 * Errors: those of drxmp_darray_create. */
DRX_API drx_status drxmp_darray_zones(drxmp_array *a, const int grid[], const int64_t block_chunks[], drx_order order,
                                      drxmp_darray **out);

/* The section: the memory of its first element, which is the darray's until drxmp_darray_free, and its description
 * [ndim], likewise; axis j has dap_num_local(&dims[j]) local indices. NULL gives NULL.
 *
 * Not collective. */
DRX_API void *drxmp_darray_local(drxmp_darray *d);
DRX_API const struct dap_dim *drxmp_darray_dims(const drxmp_darray *d);

/* NULL on all ranks is fine.
 *
 * Collective: the same darray (checked).
 * Errors: DRX_EBUSY while an export of a rank was not released; then it is still there. */
DRX_API drx_status drxmp_darray_free(drxmp_darray *d);

/* The rank that owns an element. DRX_ERANGE: nobody does.
 *
 * Not collective, any number of threads. */
DRX_API drx_status drxmp_owner(const drxmp_darray *d, const int64_t index[], int *rank);

/* Read sections, communication padding included, from the box of `a` from `lo` on; write what is owned to there. Index
 * i of the darray is lo + i of the array; lo NULL: 0.
 *
 * Collective: the same darray, equal lo (checked). The darray has the ranks of `a`, in their order.
 * Errors: those of drxmp_read_all and drxmp_write_all; DRX_EINVAL for other ranks, another number of axes or type;
 * DRX_ERANGE; DRX_EACCES for reading into a section that was imported for reading only. */
DRX_API drx_status drxmp_darray_read(drxmp_darray *d, drxmp_array *a, const int64_t lo[]);
DRX_API drx_status drxmp_darray_write(drxmp_darray *d, drxmp_array *a, const int64_t lo[]);

/* Copy what `from` owns to all sections of `to` that hold it, communication padding included. The sizes of all axes and
 * the types are equal, the distributions any. What no rank owns in `from` stays as it is in `to`.
 *
 * Memory: pieces that take no more than the buffer, of the array from whose zones `from` was made, or else of
 * DRXMP_BUFFER as rank 0 has it.
 *
 * Collective: the same darrays (checked), which have the same ranks.
 * Errors: DRX_EINVAL, DRX_ENOMEM, DRX_EBUSY while an export of `to` was not released, DRX_EACCES when it was imported
 * for reading only. */
DRX_API drx_status drxmp_darray_redistribute(drxmp_darray *from, drxmp_darray *to);

/* Refresh padding (see above). It also orders one-sided access: what a rank did to the darray before, by one-sided calls
 * or by stores to its section, all see after it, by one-sided calls and by loads.
 *
 * Collective: the same darray (checked).
 * Errors: DRX_ENOMEM, DRX_EACCES when it has padding and was imported for reading only. */
DRX_API drx_status drxmp_darray_sync(drxmp_darray *d);

/* Export this rank's section to who speaks the Distributed Array Protocol, without copying. The memory and what `out`
 * points to are the darray's. Until out->release was called, drxmp_darray_free and drxmp_darray_redistribute into it
 * are DRX_EBUSY on all ranks; values may change. The release is local, and works after MPI_Finalize.
 *
 * Not collective. */
DRX_API drx_status drxmp_darray_dap(drxmp_darray *d, struct dap_array *out);

/* Make one whose section on each rank is what another has exported there, in the order of ranks of the protocol,
 * without copying. What is released at the end, by drxmp_darray_free, is moved out of `in`; after an error it is still
 * there.
 *
 *   in  any strides; of a format that is one of drx_type
 *
 * Collective: formats of the same type (checked).
 * Errors: those of drxmp_darray_create, DRX_EUNSUPPORTED for another format, version or device. */
DRX_API drx_status drxmp_darray_from_dap(MPI_Comm comm, struct dap_array *in, drxmp_darray **out);

/* ---- one-sided access ---------------------------------------------------------------
 *
 * Any rank gets, puts and adds elements of any, by global indices, without that rank taking part (Otoo and Rotem 2009,
 * section II: each rank computes whose an element is). The calls are those of Global Arrays, on every distribution.
 *
 *   elements   those that are owned: a box goes to and from the ranks that own its indices, and touches no communication
 *              padding. An index that nobody owns is DRX_ERANGE, which names it, before anything is moved
 *   complete   when a call returns, it is done, at the target, too
 *   order      between two ranks: drxmp_darray_sync, or whatever else has one wait for the other (a barrier, a message,
 *              drxmp_fetch_add) after a call of the one and before that of the other. What the owner loads and stores in
 *              its section counts as such a call; drxmp_darray_sync must come between, on both sides
 *   atomicity  drxmp_acc and drxmp_fetch_add change each element at once to others who call these: no sum is lost. A box
 *              is not added at once. drxmp_get, drxmp_put, drxmp_gather, drxmp_scatter and the owner's own stores are not
 *              atomic: of elements that another rank changes meanwhile, what is got or left there is not defined
 *   ways       Sections that a darray has made itself are in memory that all ranks of a node share: there it is loads
 *              and stores, and no MPI call. Between nodes, and to imported sections of other ranks, it is MPI RMA
 *   progress   By loads and stores, no call waits for what its target does. By RMA that is MPI's affair: where the network
 *              does not serve such windows by itself (with MPICH, and with Open MPI on TCP and inside a node, it does
 *              not), a target that computes and makes no MPI call keeps others waiting, unless a thread makes calls for
 *              it: drxmp_darray_progress
 *   threads    By loads and stores, any number. By RMA, those that may call MPI
 *   memory     sections lie in /dev/shm, where several ranks share a node; drxmp_darray_create says DRX_ENOMEM when it is
 *              too small, and takes all of it at once
 *
 * Errors of all: DRX_EINVAL for null pointers, negative counts and an order that is none; DRX_ERANGE; DRX_EACCES for
 * changing a section that was imported for reading only; DRX_EUNSUPPORTED where it is off, or RMA is
 * needed and MPI could make no windows on this network; by RMA DRX_ENOMEM, DRX_EMPI. But for these two, nothing is moved.
 * None is collective. */

/* Move a box of global indices between the darray and memory.
 *
 *   lo, count  [ndim], the box; it may be empty, and then buf may be NULL
 *   order      of the elements in buf, which are contiguous */
DRX_API drx_status drxmp_get(drxmp_darray *d, const int64_t lo[], const int64_t count[], drx_order order, void *buf);
DRX_API drx_status drxmp_put(drxmp_darray *d, const int64_t lo[], const int64_t count[], drx_order order,
                             const void *buf);

/* Add `alpha` times buf to a box. Integers wrap; of reals and complex numbers, product and sum are rounded each.
 *
 *   alpha  one element of the darray's type; NULL: 1 */
DRX_API drx_status drxmp_acc(drxmp_darray *d, const int64_t lo[], const int64_t count[], drx_order order,
                             const void *alpha, const void *buf);

/* Add to one element, of an integer type, and tell what it was before: a counter that deals out work, for instance.
 *
 *   index  [ndim]
 *   add    what is added; the sum wraps
 *   old    the value before, of DRX_UINT64 its bits; may be NULL
 *
 * Errors: DRX_EINVAL for other types. */
DRX_API drx_status drxmp_fetch_add(drxmp_darray *d, const int64_t index[], int64_t add, int64_t *old);

/* The same as drxmp_get and drxmp_put for elements anywhere.
 *
 *   indices  [n][ndim]; in a scatter, of an element that is named twice one of the values stays
 *   values   [n], elements of the darray's type */
DRX_API drx_status drxmp_gather(drxmp_darray *d, int64_t n, const int64_t indices[], void *values);
DRX_API drx_status drxmp_scatter(drxmp_darray *d, int64_t n, const int64_t indices[], const void *values);

/* Let a thread of this rank make MPI go on, `on` 1, from now until 0 or drxmp_darray_free, so that RMA of others to its
 * section does not wait for its next MPI call. Nothing is to be done, and DRX_OK, where all is loads and stores.
 *
 * Not collective.
 * Errors: DRX_EUNSUPPORTED without MPI_THREAD_MULTIPLE, DRX_ENOMEM. */
DRX_API drx_status drxmp_darray_progress(drxmp_darray *d, int on);

#ifdef __cplusplus
}
#endif

#endif
