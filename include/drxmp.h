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
 * calls on one array.
 *
 * Settings: keys of an MPI_Info, or environment variables, which come second; equal on all ranks (checked).
 *   drx_backend   DRXMP_BACKEND   "posix" (the default): pread and pwrite of each rank; "mpiio": MPI-IO with indexed
 *                                 file views
 *   drx_io_ranks  DRXMP_IO_RANKS  so many ranks read and write the file in collective calls, for all; default: all
 *   drx_buffer    DRXMP_BUFFER    bytes that a rank may use for exchanging pieces; default 32 MiB
 */
#ifndef DRXMP_H
#define DRXMP_H

#include <drx.h>
#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct drxmp_array drxmp_array; /* opaque; made by drxmp_create, drxmp_open */

/* ---- create, open, close ------------------------------------------------ */

/* Make a new array and open it for writing, as drx_create does.
 *
 *   comm  an intracommunicator
 *   path  without suffix, the same file on all ranks; not NULL (DRX_EUNSUPPORTED: memory is spread by darrays)
 *   spec  as for drx_create; DRX_TEMPORARY is DRX_EUNSUPPORTED
 *
 * Collective: equal path and spec (checked).
 * Errors: those of drx_create, DRX_EMISMATCH, DRX_EMPI. Then there is no new array. */
DRX_API drx_status drxmp_create(MPI_Comm comm, const char *path, const drx_spec *spec, drxmp_array **out);

/* Open an array. One rank reads the metadata, recovers and locks as drx_open does, for all.
 *
 * Collective: equal path and mode (checked).
 * Errors: those of drx_open, DRX_EMISMATCH, DRX_EMPI. */
DRX_API drx_status drxmp_open(MPI_Comm comm, const char *path, int mode, drxmp_array **out);

/* Change settings (see above); keys that are not known are passed over. MPI_INFO_NULL changes nothing.
 *
 * Collective: equal values (checked).
 * Errors: DRX_EINVAL for a value that cannot be. Then nothing has changed. */
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

/* ---- elements ------------------------------------------------------------------ */

/* As drx_read, drx_write, drx_read_strided, drx_write_strided: each rank for itself.
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
 * on helper threads meanwhile. Until all requests are waited for, the array cannot grow, be refreshed or be closed
 * (DRX_EBUSY). A failure tells of other ranks only which it was.
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

#ifdef __cplusplus
}
#endif

#endif
