/* drxmp.h - arrays that many processes have open together, on MPI.
 *
 * The ranks of a communicator open an array of drx.h together. Each rank holds the metadata, computes every address
 * itself, and reads and writes the data file. The files are byte for byte those of a serial program that makes the same
 * calls, whatever the number of ranks (Otoo and Rotem 2009, section IV). Compile with mpicc and what `pkg-config
 * --cflags --libs drxmp` prints.
 *
 * Conventions
 *   - The conventions of drx.h hold.
 *   - All ranks of the communicator make a call marked Collective, in the same order. It returns the same status on all
 *     ranks. When it fails on one rank, or when arguments differ that must be equal ("checked"), all ranks get that
 *     error, and drx_last_error() names the rank. No rank is left waiting.
 *   - A collective call also synchronises: when it returns, every rank sees what it changed.
 *   - Any rank may make any other call at any time between collective calls.
 *   - The library duplicates the communicator and leaves its error handler alone. An MPI call that fails gives
 *     DRX_EMPI, and so does a collective call before MPI_Init or after MPI_Finalize. Close arrays before MPI_Finalize:
 *     later their handles cannot be released, nor what drx_put has gathered be written.
 *
 * Threads: only the calling thread calls MPI. With MPI_THREAD_FUNNELED or more, helper threads do file I/O; they make
 * no MPI call, so MPI_THREAD_SINGLE works, too, with the common MPI libraries. One thread at a time makes collective
 * calls on an array. With the MPI-IO backend every read and write calls MPI, also through drx.h on the handle of
 * drxmp_serial. Helper threads then take no part, and only threads that may call MPI use the array.
 *
 * Environment
 *   DRXMP_BACKEND   "posix", the default: each rank calls pread and pwrite. "mpiio": MPI-IO, with indexed file views in
 *                   collective calls, for file systems that MPI-IO knows better than the operating system does. The
 *                   log, and arrays with checksums or compressed chunks, use "posix" in any case. MPI-IO serves
 *                   neither striped nor temporary arrays (DRX_EUNSUPPORTED). Some MPI-IO libraries take the part of a
 *                   path before a colon for a kind of file system
 *   DRXMP_IO_RANKS  number of ranks that read and write the file for all in collective calls; default: all
 *   DRXMP_BUFFER    bytes that a rank may use to exchange pieces; default: 32 MiB
 *   DRXMP_CACHE     bytes that a rank may use, with MPI-IO or local stripes, to keep blocks of the data that it reads
 *                   alone, and no more than an eighth of drx_set_memory. The second read of an element, or of a box of
 *                   up to 16 KiB, then makes no call of MPI, and no round trip to the node that has it; of a larger box
 *                   the fourth or a later one, where its elements do not lie together in the file anyway.
 *                   Its own writes show at once, those of other ranks after a collective call, as always. Default: 64
 *                   MiB, and 0 for an array that is open for reading only, since what processes outside the job write
 *                   would then show only after this rank's next collective call
 *   DRXMP_LOCAL_STRIPES  "1": stripes may lie on disks that only one node sees (docs/stripes.md). The posix backend
 *                        then
 *                   moves them: a rank of that node in collective calls, threads of its first rank, over TCP, otherwise
 *   DRXMP_HINTS     hints for MPI-IO: KEY=VALUE,KEY=VALUE,... (values without commas; drxmp_set_info takes any)
 *   DRXMP_ONESIDED  how ranks reach each other's sections of a darray. "direct", the default: by loads and stores where
 *                   ranks share memory, otherwise by MPI RMA. "rma": always by MPI RMA. A number: as if at most this
 *                   many ranks shared memory. "off": not at all; sections are private memory, which is faster to make
 *   DRXMP_PROGRESS  "1": make a call of drxmp_darray_progress for each new darray
 *
 * Keys of an MPI_Info, drx_backend, drx_io_ranks, drx_buffer and drx_cache, override the first four for one array: see
 * drxmp_set_info. The values must be equal on all ranks (checked). Rank 0's environment decides the last two when a
 * darray is made.
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
struct drx_copy_spec;                   /* drx_tools.h */

/* ---- create, open, close ------------------------------------------------ */

/* Make a new array and open it for writing, as drx_create does.
 *
 *   comm  an intracommunicator
 *   path  without suffix, the same file on all ranks. NULL: the array is in the memory of the job, without files; see
 *         below
 *   spec  as for drx_create. With DRX_TEMPORARY, the other ranks open the file through the process of rank 0, as they
 *         can on one Linux machine. Where they cannot, the file has a name PATH.xta.new-... until it is closed, and a
 *         killed job leaves it behind
 *
 * Collective: equal path and spec (checked).
 * Errors: as drx_create, and DRX_EMISMATCH, DRX_EMPI. On error there is no new array. */
DRX_API drx_status drxmp_create(MPI_Comm comm, const char *path, const drx_spec *spec, drxmp_array **out);

/* Name a temporary array, as drx_persist does. Everything written is durable on return, the name after the next
 * drxmp_sync.
 *
 * Collective: equal flags (checked).
 * Errors: as drx_persist, and DRX_EBUSY (requests are pending). On error the array stays temporary. */
DRX_API drx_status drxmp_persist(drxmp_array *a, unsigned flags);

/* Open an array. Rank 0 reads the metadata, recovers and locks for all ranks, as drx_open does.
 *
 *   mode  DRX_RDONLY or DRX_RDWR. All ranks together are one writer, which shares the array with no other. DRX_SHARED,
 *         for writers that share an array without MPI, is refused (DRX_EUNSUPPORTED)
 *
 * Collective: equal path and mode (checked).
 * Errors: as drx_open, and DRX_EMPI, DRX_EMISMATCH (also when a rank finds another array there than rank 0). */
DRX_API drx_status drxmp_open(MPI_Comm comm, const char *path, int mode, drxmp_array **out);

/* Change settings (see Environment above). Keys that do not begin with drx_ are hints for MPI-IO, such as cb_nodes and
 * striping_unit: they go to MPI_File_open, now or when the backend becomes MPI-IO, and MPI ignores those that it does
 * not know. romio_ds_write is refused. Two-phase I/O is off unless romio_cb_read and romio_cb_write say "enable". The
 * data file exists before MPI opens it, so hints on how a file is striped count only where the MPI library can restripe
 * it; otherwise set the stripes of the folder. Of local stripes, the cache keeps the size that DRXMP_CACHE gave it when
 * the array was opened. MPI_INFO_NULL changes nothing. No other thread may use the array during the call.
 *
 * Collective: equal values (checked).
 * Errors: DRX_EINVAL (an impossible value), DRX_EBUSY (requests are pending). When the backend becomes MPI-IO, also
 * DRX_EMISMATCH (the path leads to another array now), DRX_EMPI and errors of opening the file. On error nothing has
 * changed. */
DRX_API drx_status drxmp_set_info(drxmp_array *a, MPI_Info info);

/* The settings, and the hints: with MPI-IO those in use, as MPI_File_get_info tells them, otherwise those that were
 * set. drx_cache is told only where it was set.
 *
 *   info  new; free it with MPI_Info_free. MPI_INFO_NULL on error
 *
 * Not collective; calls MPI. Errors: DRX_EINVAL, DRX_EMPI. */
DRX_API drx_status drxmp_get_info(drxmp_array *a, MPI_Info *info);

/* Flush, close and release the handle, even when the call fails. With one exception: while requests are pending, or
 * chunks are exported, it returns DRX_EBUSY and the handle stays. NULL on all ranks is fine. After MPI_Finalize:
 * DRX_EMPI.
 *
 * Collective. */
DRX_API drx_status drxmp_close(drxmp_array *a);

/* As drx_remove, drx_rename and drx_missing_stripes. Rank 0 makes the call. With DRXMP_LOCAL_STRIPES it reaches the
 * disks of all nodes of `comm`. Rank 0 alone gets the calls of `missing`.
 *
 * Collective: equal paths and flags (checked).
 * Errors: as those, and DRX_EMISMATCH, DRX_EMPI. */
DRX_API drx_status drxmp_remove(MPI_Comm comm, const char *path);
DRX_API drx_status drxmp_rename(MPI_Comm comm, const char *from, const char *to, unsigned flags);
DRX_API drx_status drxmp_missing_stripes(MPI_Comm comm, const char *path,
                                         void (*missing)(void *user, int k, int n, const char *file), void *user);

/* Let each rank reach stripes on the disks of all nodes of `comm` (DRXMP_LOCAL_STRIPES) by itself. Between these two
 * calls, the calls of drx.h and drx_tools.h that the calling thread makes open, make, rename, copy and remove such
 * arrays, as do collective calls on a part of the ranks. What one of them made or changed is seen on all nodes. Other
 * ranks may wait in drxmp_reach_end meanwhile. Without DRXMP_LOCAL_STRIPES, or on one node, the calls do nothing.
 *
 *   out  for drxmp_reach_end; NULL after an error
 *
 * Collective. Before drxmp_reach_end, the arrays are closed that were opened in between. NULL on all ranks is fine
 * there. Errors: DRX_EBUSY (this thread does so already), DRX_ENOMEM, DRX_EMISMATCH, DRX_EMPI, DRX_EIO. */
typedef struct drxmp_reach drxmp_reach; /* opaque */
DRX_API drx_status drxmp_reach_begin(MPI_Comm comm, drxmp_reach **out);
DRX_API drx_status drxmp_reach_end(drxmp_reach *reach);

/* Make durable everything that all ranks have done so far, as drx_sync does.
 *
 * Collective. */
DRX_API drx_status drxmp_sync(drxmp_array *a);

/* Make the log as short as it can be, as drx_compact does. drxmp_sync and drxmp_open compact long logs automatically.
 *
 * Collective. */
DRX_API drx_status drxmp_compact(drxmp_array *a);

/* See what a writer elsewhere has committed. On an array opened for writing it does nothing.
 *
 * Collective. */
DRX_API drx_status drxmp_refresh(drxmp_array *a);

/* This rank's view of the array, for inquiries and attributes; drx_read and drx_write work on it, too. It belongs to
 * `a` and is valid until drxmp_close. Calls that change or close an array give DRX_EACCES on it.
 *
 * Not collective. NULL gives NULL. */
DRX_API drx_array *drxmp_serial(drxmp_array *a);

/* The communicator of the array: the library's duplicate of what drxmp_create or drxmp_open was given. It belongs to
 * `a` and is valid until drxmp_close. For libraries built on this one, which use it between two calls on `a`; it has
 * MPI_ERRORS_RETURN.
 *
 * Not collective. NULL gives MPI_COMM_NULL. */
DRX_API MPI_Comm drxmp_comm(const drxmp_array *a);

/* ---- growth and attributes ------------------------------------------------- */

/* Grow `axis` by `by` indices, as drx_extend does. One rank writes the record.
 *
 * Collective: equal axis and by (checked).
 * Errors: as drx_extend, and DRX_EMISMATCH, DRX_EMPI. On error the array is unchanged. */
DRX_API drx_status drxmp_extend(drxmp_array *a, int axis, int64_t by);

/* As drx_extend_before, drx_trim and drx_add_axis. When a program outside the job trims an array that the job has open
 * for reading, a read of what it trimmed gives DRX_ERANGE: to each rank that reads alone, and to all ranks of a
 * collective read.
 *
 * Collective: equal arguments (checked).
 * Errors: as these, DRX_EMISMATCH, DRX_EMPI, and DRX_EBUSY (requests are pending). On error the array is unchanged. */
DRX_API drx_status drxmp_extend_before(drxmp_array *a, int axis, int64_t by);
DRX_API drx_status drxmp_trim(drxmp_array *a, int axis, int64_t before, int64_t after);
DRX_API drx_status drxmp_add_axis(drxmp_array *a, int at, const char *name);

/* As drx_attr_set, drx_attr_set_text, drx_attr_delete, drx_dim_rename.
 *
 * Collective: equal arguments and values (checked). */
DRX_API drx_status drxmp_attr_set(drxmp_array *a, const char *name, drx_type type, int64_t n, const void *values);
DRX_API drx_status drxmp_attr_set_text(drxmp_array *a, const char *name, const char *utf8);
DRX_API drx_status drxmp_attr_delete(drxmp_array *a, const char *name);
DRX_API drx_status drxmp_dim_rename(drxmp_array *a, int axis, const char *name);

/* ---- into another layout ------------------------------------------------------ */

/* Copy `src` to a new array of another layout, as drx_copy does. Each rank makes a box of the copy; a compressed copy
 * is made by rank 0 alone. The copy has the bytes that drx_copy writes.
 *
 *   path  of the copy, the same file on all ranks. NULL: the copy is in the memory of the job; then `out` is not NULL
 *   spec  as for drx_copy, without DRX_TEMPORARY (DRX_EUNSUPPORTED). All ranks together use memory_bytes, in equal
 *         parts. Where these are too small, fewer ranks take part. Rank 0 calls progress, and reports its own progress
 *         as that of all ranks; when it returns other than 0, all ranks stop
 *   out   the copy, open for writing, with the settings of `src`; NULL on all ranks: the copy is closed
 *
 * Until it is complete, the copy has another name in the folder of `path`; a killed job leaves it behind. On error
 * `path` names what it named before, unless only opening the copy for `out` failed; then the copy stays.
 *
 * Collective: equal path, equal spec except for progress, and `out` NULL on all ranks or on none (checked).
 * Errors: as drx_copy, and DRX_EMISMATCH, DRX_EMPI. */
DRX_API drx_status drxmp_copy(drxmp_array *src, const char *path, const struct drx_copy_spec *spec, drxmp_array **out);

/* Copy the elements of `src` to those of `dst`, which exists, as drx_copy_into does. Each rank copies a part. To a
 * compressed array rank 0 alone copies. spec->part and spec->parts are 0. All ranks together use memory_bytes; progress
 * is as of drxmp_copy.
 *
 * Collective: the same arrays, which have the same ranks in the same order, and equal spec except for progress
 * (checked). Errors: as drx_copy_into, and DRX_EMISMATCH, DRX_EMPI; DRX_EINVAL (other ranks). */
DRX_API drx_status drxmp_copy_into(drxmp_array *src, drxmp_array *dst, const struct drx_copy_spec *spec);

/* ---- elements ------------------------------------------------------------------ */

/* Read or write a box by this rank alone, as drx_read and drx_write do. For steps and strides use drx_read_box and
 * drx_write_box on drxmp_serial(a).
 *
 * Not collective. A rank sees what another rank wrote after both have made a collective call. A rank alone never waits
 * for other ranks: see drxmp_iread_all for DRX_EBUSY. Of a compressed array it waits for those that write to the same
 * chunk, and the order in which ranks write alone decides where the payloads lie. */
DRX_API drx_status drxmp_read(drxmp_array *a, const int64_t lo[], const int64_t count[], drx_order order, void *buf);
DRX_API drx_status drxmp_write(drxmp_array *a, const int64_t lo[], const int64_t count[], drx_order order,
                               const void *buf);

/* Read or write together. Each rank gives its own box, of any size; it may be empty. Boxes to read may overlap. Where
 * boxes to write overlap, each element gets one of the values. When several ranks write to a chunk, one of them
 * assembles it, so no rank reads a chunk and writes it back. After an error in a write, the elements of the boxes have
 * old or new values.
 *
 * The chunks of a compressed array are compressed by all ranks, equally many by each, and the files are those of one
 * process that writes all of these elements by one call.
 *
 * With DRX_CHECKSUM, chunks that ranks read together, each a part, are verified like those that one rank reads as a
 * whole: one of these ranks reads each again.
 *
 * Collective. */
DRX_API drx_status drxmp_read_all(drxmp_array *a, const int64_t lo[], const int64_t count[], drx_order order,
                                  void *buf);
DRX_API drx_status drxmp_write_all(drxmp_array *a, const int64_t lo[], const int64_t count[], drx_order order,
                                   const void *buf);

/* As drxmp_read_all and drxmp_write_all, for any box of drx.h, with steps and strides.
 *
 * Collective. */
DRX_API drx_status drxmp_read_box_all(drxmp_array *a, const drx_box *box, void *buf);
DRX_API drx_status drxmp_write_box_all(drxmp_array *a, const drx_box *box, const void *buf);

/* As drxmp_read_all and so on, with a buffer of another type than that of the array, as drx_read_as and drx_write_as;
 * strides count elements of `type`. Ranks may give different types and conversions, that of the array among them. Each
 * rank converts at most a quarter of DRXMP_BUFFER at a time, or two chunks of a compressed array.
 *
 * An element that is refused on one rank gives DRX_EMISMATCH on all. The detail names the rank, and the index and the
 * value of its first one. A write looks at all elements of all ranks before it stores any, so no rank stores one then.
 * After a read that fails, the buffers may be partly filled. For one rank alone, use drx_read_as and drx_write_as on
 * drxmp_serial(a).
 *
 * Collective.
 * Errors: as drxmp_read_all, drxmp_write_all, drx_read_as and drx_write_as. */
DRX_API drx_status drxmp_read_all_as(drxmp_array *a, const int64_t lo[], const int64_t count[], drx_order order,
                                     drx_type type, drx_conversion how, void *buf);
DRX_API drx_status drxmp_write_all_as(drxmp_array *a, const int64_t lo[], const int64_t count[], drx_order order,
                                      drx_type type, drx_conversion how, const void *buf);
DRX_API drx_status drxmp_read_box_all_as(drxmp_array *a, const drx_box *box, drx_type type, drx_conversion how,
                                         void *buf);
DRX_API drx_status drxmp_write_box_all_as(drxmp_array *a, const drx_box *box, drx_type type, drx_conversion how,
                                          const void *buf);

/* Begin a collective read or write. drx_wait waits for it; drx_test asks whether it is done and makes progress.
 * drx_wait is collective, too, and completes the requests that began before. The library copies the box; `buf` belongs
 * to it until drx_wait returns. Helper threads move bytes meanwhile; with MPI-IO only the calls themselves do, without
 * file views, which would make ranks wait. While requests are pending, calls that grow, refresh or close the array give
 * DRX_EBUSY. When another rank fails, drx_wait reports which one, but not its detail. A write to a compressed array is
 * done by the call itself, and its error is the call's; drx_wait then returns at once.
 *
 * drx_wait writes what this rank's drx_put has gathered. Other ranks see it after their drx_wait, except what was put
 * after drx_test, or another call on the array, had made progress with the request, or after that write to a compressed
 * array: this they see after the next collective call.
 *
 * Order: reads and writes of one array that touch the same elements, unless both read, take effect in the order in
 * which they were begun, blocking ones included; between ranks, in the order of the collective calls. A collective
 * call, a request or a blocking one, waits where it has to: for collective requests of any rank, and for this rank's
 * requests of drx_read_async and drx_write_async. Requests that do not meet go on side by side.
 *
 * A call of one rank alone (drxmp_read, drxmp_write, and those of drx.h on drxmp_serial(a)) must not wait for other
 * ranks. It gives DRX_EBUSY when it touches elements of this rank's box in a pending collective request, unless both
 * read. The request is pending until drx_wait returns or drx_test says that it is done.
 *
 * Collective. */
DRX_API drx_status drxmp_iread_all(drxmp_array *a, const drx_box *box, void *buf, drx_request **req);
DRX_API drx_status drxmp_iwrite_all(drxmp_array *a, const drx_box *box, const void *buf, drx_request **req);

/* Grow and write the new slab, as drx_append does. Each rank gives its part of the slab in indices of the grown array,
 * so lo[axis] >= the old bound. A part may be empty. What no rank gives holds the fill.
 *
 * Collective: equal axis and by (checked).
 * Errors: as drx_append, and DRX_ERANGE (a part is outside the slab). On error the array is unchanged. */
DRX_API drx_status drxmp_append_all(drxmp_array *a, int axis, int64_t by, const int64_t lo[], const int64_t count[],
                                    drx_order order, const void *buf);

/* Give the next piece of a slab, as drx_next_piece does: *n indices along the axis, and this rank's part of them: the
 * box of lo[] and count[], in indices of the grown array, and its elements in *buf. A part may be empty. All ranks are
 * called together with the same `done`, and must give the same *n (checked). When it fails on one rank, the append is
 * taken back. */
typedef drx_status drxmp_next_piece(void *with, int64_t done, int64_t *n, int64_t lo[], int64_t count[],
                                    const void **buf);

/* As drx_append_pieces: grow and write a slab that comes in pieces, all of it or nothing. What no rank gives holds the
 * fill.
 *
 * Collective: equal axis and by (checked).
 * Errors: as drx_append_pieces, and DRX_ERANGE (a part is outside its piece). On error the array is unchanged. */
DRX_API drx_status drxmp_append_pieces(drxmp_array *a, int axis, int64_t by, drx_order order, drxmp_next_piece *next,
                                       void *with);

/* As drxmp_append_all and drxmp_append_pieces, at the low end of `axis`. Parts and pieces come in indices of the grown
 * array, too, from the new lower bound on: lo[axis] + count[axis] <= the old one.
 *
 * Collective: equal axis and by (checked). */
DRX_API drx_status drxmp_prepend_all(drxmp_array *a, int axis, int64_t by, const int64_t lo[], const int64_t count[],
                                     drx_order order, const void *buf);
DRX_API drx_status drxmp_prepend_pieces(drxmp_array *a, int axis, int64_t by, drx_order order, drxmp_next_piece *next,
                                        void *with);

/* ---- arrays in the memory of the job -----------------------------------------------
 *
 * drxmp_create with a path NULL makes an array that grows as one in files does, at both ends of every axis, and lies in
 * the memory of all ranks. The calls above work on it, and drx.h's on drxmp_serial(a). It has no log, and nothing of it
 * outlives the job: drxmp_copy stores it, and fills one from an array in files.
 *
 *   place       the chunk with the linear address q (drx_chunk_address) lies with rank q mod ranks, and each rank
 *               computes this: nobody keeps a directory. Growth moves nothing
 *   memory      a page takes memory when it is first written or read; what a trim frees goes back. A growth needs more
 *               than arithmetic and one message to all only when the array has become twice as large. It gives
 *               DRX_ENOMEM when a node's part of the chunks between the bounds, with that of other arrays in memory and
 *               darrays of one of its processes, were larger than the memory of the machine, or of the control group.
 *               What other programs use does not count
 *   transport   the ranks of a node share a file in memory, which has no name and is in no mounted file system, and use
 *               loads and stores there. Between nodes the calls use MPI RMA, with what is said of progress, threads
 *               and DRXMP_ONESIDED below; helper threads then take no part. Where MPI can make no windows, an array on
 *               several nodes gives DRX_EUNSUPPORTED
 *   refused     codec (DRX_EUNSUPPORTED), nstripes and DRX_CHECKSUM (DRX_EINVAL), drxmp_persist (DRX_EINVAL);
 *               big-endian machines (DRX_EUNSUPPORTED). drxmp_sync orders (see below); drxmp_compact and drxmp_refresh
 *               do nothing; drx_backend and drx_io_ranks have no effect
 *
 * When a change of an attribute, of a name or of the axes fails on some ranks alone, as for want of memory, the handle
 * only reads from then on. */

/* Get, put and add elements of any rank, one-sided: no other rank takes part. These are the calls of darrays, below,
 * with their order, completion and atomicity; the chunk's rank is the owner there. drxmp_read and drxmp_write on such
 * an array are drxmp_get and drxmp_put. Collective calls on the array order all calls before them, of any rank, before
 * all after them; drxmp_sync does no more than that.
 *
 *   lo, count, index, indices  as in drxmp_read: indices of the array, inside its bounds
 *
 * Not collective. As drxmp_read, they give DRX_EBUSY on elements in a pending collective request.
 * Errors: as drxmp_darray_get and so on, and DRX_EUNSUPPORTED (the array is in files). */
DRX_API drx_status drxmp_get(drxmp_array *a, const int64_t lo[], const int64_t count[], drx_order order, void *buf);
DRX_API drx_status drxmp_put(drxmp_array *a, const int64_t lo[], const int64_t count[], drx_order order,
                             const void *buf);
DRX_API drx_status drxmp_acc(drxmp_array *a, const int64_t lo[], const int64_t count[], drx_order order,
                             const void *alpha, const void *buf);
DRX_API drx_status drxmp_fetch_add(drxmp_array *a, const int64_t index[], int64_t add, int64_t *old);
DRX_API drx_status drxmp_gather(drxmp_array *a, int64_t n, const int64_t indices[], void *values);
DRX_API drx_status drxmp_scatter(drxmp_array *a, int64_t n, const int64_t indices[], const void *values);

/* The same for any box of drx.h, with steps of indices and strides in memory; or as requests, which go on after the
 * call.
 *
 *   req  as in drxmp_darray_get_box. Collective calls on the array come after those of this rank; drxmp_sync, writes,
 *        growth and trims, after those of all ranks. While a request is pending, drxmp_close gives DRX_EBUSY
 *
 * Not collective.
 * Errors: as drxmp_get, drxmp_put and drxmp_acc; DRX_EINVAL (a step below 1, the box is a null pointer). */
DRX_API drx_status drxmp_get_box(drxmp_array *a, const drx_box *box, void *buf, drx_request **req);
DRX_API drx_status drxmp_put_box(drxmp_array *a, const drx_box *box, const void *buf, drx_request **req);
DRX_API drx_status drxmp_acc_box(drxmp_array *a, const drx_box *box, const void *alpha, const void *buf,
                                 drx_request **req);

/* Export a chunk that this rank holds through the Distributed Array Protocol, without copying: its elements inside the
 * bounds, as the section of one process in a grid that has a process for each chunk. Indices there begin with 0 at the
 * lower bound. Growth moves nothing, so the export stays valid; drxmp_trim and drxmp_close give DRX_EBUSY until
 * out->release is called. Values may change.
 *
 *   address  of the chunk (drx_chunk_address, drx_chunk_count): rank, rank + ranks, ... are held
 *
 * Not collective.
 * Errors: DRX_EINVAL (another rank holds it), DRX_ERANGE (there is no such chunk, or it was trimmed), DRX_ENOMEM,
 * DRX_EUNSUPPORTED (the array is in files). */
DRX_API drx_status drxmp_chunk_dap(drxmp_array *a, int64_t address, struct dap_array *out);

/* The rank with which an element lies.
 *
 * Not collective.
 * Errors: DRX_EINVAL, DRX_ERANGE (outside the bounds), DRX_EUNSUPPORTED (the array is in files). */
DRX_API drx_status drxmp_holder(drxmp_array *a, const int64_t index[], int *rank);

/* ---- distributed arrays in memory ------------------------------------------------
 *
 * A darray is spread over the ranks of a communicator. Each rank holds a section, dense in memory in local order. One
 * struct dap_dim of dap.h for each axis describes the distribution as this rank sees it: blocks ('b'), even or not,
 * with or without padding; cyclic and block-cyclic ('c'); lists of indices ('u'). The grid of ranks is row-major.
 *
 *   owned    when several ranks hold an index ('u' without DAP_DIM_ONE_TO_ONE), the lowest grid rank owns it
 *   ghosts   what a rank holds and another owns: the indices of other owners ('u'), and communication padding ('b').
 *            They are copies. Only drxmp_darray_read, drxmp_darray_redistribute (into the darray) and drxmp_darray_sync
 *            refresh them, and drxmp_darray_sync_add adds them to what the owner has. An element is a ghost when it is
 *            one along some axis
 *   padding  boundary padding is owned and has indices of its own, which `size` counts; it is read and written like all
 *            other elements. On a periodic axis drxmp_darray_sync fills it from the other end: the padding before the
 *            first inner index and after the last one continues the inner elements periodically. So there its elements
 *            count as ghosts of the inner ones. Its width is that of the ranks with coordinates 0 on all other axes
 *
 * Threads: one thread at a time makes collective calls on a darray. Between them its memory is the caller's to use. */

typedef struct drxmp_darray drxmp_darray; /* opaque */

/* Make a darray of zeros.
 *
 *   ndim   0 to DRX_MAX_NDIM; 0, a single element, on one rank
 *   dims   [ndim], of this rank; the library copies them and their indices. They must be valid one by one and together,
 *          as dap_validate_dims_set checks; if not, the detail names the rank, axis and key
 *   order  of the section in memory
 *
 * Collective: equal type, ndim, order (checked).
 * Errors: DRX_EINVAL, DRX_ENOMEM, DRX_EOVERFLOW (also an index beyond 2^62), DRX_EMISMATCH, DRX_EMPI. */
DRX_API drx_status drxmp_darray_create(MPI_Comm comm, drx_type type, int ndim, const struct dap_dim dims[],
                                       drx_order order, drxmp_darray **out);

/* Make a darray spread as zones of whole chunks of `a`. Each rank gets a box of chunks (Otoo and Rotem 2009, section
 * II), or blocks of chunks dealt out in turn. When the array has grown, make another darray and
 * redistribute a box (drxmp_darray_redistribute_box), or read the new part into another darray at its `lo`.
 *
 *   grid          [ndim] numbers of ranks along each axis; their product is the number of ranks. NULL: the grid where
 *                 the largest zone is smallest, and among these the most even one
 *   block_chunks  [ndim], block-cyclic: chunks in a block along each axis; NULL: one block for each rank
 *
 * Collective: equal grid, block_chunks, order (checked).
 * Errors: as drxmp_darray_create. */
DRX_API drx_status drxmp_darray_zones(drxmp_array *a, const int grid[], const int64_t block_chunks[], drx_order order,
                                      drxmp_darray **out);

/* The section: the address of its first element, and its description [ndim]. Both belong to the darray until
 * drxmp_darray_free. Axis j has dap_num_local(&dims[j]) local indices. NULL gives NULL.
 *
 * Not collective. */
DRX_API void *drxmp_darray_local(drxmp_darray *d);
DRX_API const struct dap_dim *drxmp_darray_dims(const drxmp_darray *d);

/* Release a darray. NULL on all ranks is fine.
 *
 * Collective: the same darray (checked).
 * Errors: DRX_EBUSY (an export of some rank is not released, or a request is pending); then the darray still exists. */
DRX_API drx_status drxmp_darray_free(drxmp_darray *d);

/* The rank that owns an element. Errors: DRX_ERANGE (no rank owns it).
 *
 * Not collective; any number of threads may call it. */
DRX_API drx_status drxmp_darray_owner(const drxmp_darray *d, const int64_t index[], int *rank);

/* What a rank has.
 *
 *   dims       its description [ndim], which belongs to the darray; NULL: not wanted
 *   lo, count  [ndim], the least box around the elements that it owns; counts of 0 when it owns none. NULL: not wanted
 *
 * Not collective; any number of threads may call it. Errors: DRX_EINVAL (no such rank). */
DRX_API drx_status drxmp_darray_zone(const drxmp_darray *d, int rank, const struct dap_dim **dims, int64_t lo[],
                                     int64_t count[]);

/* Read the sections, ghosts included, from the box of `a` that begins at lo; or write what the ranks own there. Index i
 * of the darray is index lo + i of the array. A NULL lo is the first index of each axis: drx_lower.
 * A darray has the type of the array. To convert sections that are boxes, give them to drxmp_read_box_all_as.
 *
 * Collective: the same darray, equal lo (checked). The darray has the ranks of `a`, in their order.
 * Errors: as drxmp_read_all and drxmp_write_all; DRX_EINVAL (other ranks, another number of axes, another type),
 * DRX_ERANGE, DRX_EACCES (reading into a section that was imported read-only), DRX_EBUSY (a request that moves the
 * section is pending: see below). */
DRX_API drx_status drxmp_darray_read(drxmp_darray *d, drxmp_array *a, const int64_t lo[]);
DRX_API drx_status drxmp_darray_write(drxmp_darray *d, drxmp_array *a, const int64_t lo[]);

/* Begin the same, as drxmp_iread_all and drxmp_iwrite_all do, and under their rules: a program computes on one darray
 * while the next zone comes into another. The section belongs to the library until drx_wait returns. Meanwhile
 * drxmp_darray_free gives DRX_EBUSY, and so do collective calls that change the section; after drxmp_darray_iread,
 * those that read it, too. For calls of one rank alone, a section that is not a box counts as the box around it.
 *
 * Collective. */
DRX_API drx_status drxmp_darray_iread(drxmp_darray *d, drxmp_array *a, const int64_t lo[], drx_request **req);
DRX_API drx_status drxmp_darray_iwrite(drxmp_darray *d, drxmp_array *a, const int64_t lo[], drx_request **req);

/* Copy what `from` owns to all sections of `to` that hold it, as ghosts, too. Sizes of axes and types must be equal
 * (see drxmp_darray_redistribute_box); the distributions may differ in any way. What no rank owns in `from` stays
 * unchanged in `to`.
 *
 * Ranks that share memory copy from each other's sections; others send messages.
 *
 * Memory: for messages at most the buffer of the array from whose zones `from` was made, otherwise of rank 0's
 * DRXMP_BUFFER; and two indices or less for each element along an axis.
 *
 * Collective: the same darrays (checked), which have the same ranks.
 * Errors: DRX_EINVAL, DRX_ENOMEM, DRX_EBUSY (an export of `to` is not released, or a request of drxmp_darray_iread or
 * drxmp_darray_iwrite that moves a section is pending), DRX_EACCES (`to` was imported read-only). */
DRX_API drx_status drxmp_darray_redistribute(drxmp_darray *from, drxmp_darray *to);

/* The same between darrays of any sizes: copy the box of count[] indices that begins at from_lo to that which begins at
 * to_lo. What no rank owns in `from`, and what is outside the box, stays unchanged in `to`. So the zones of an array
 * that has grown get what its old zones have.
 *
 *   from_lo, to_lo  [ndim]; NULL: 0 on each axis
 *   count           [ndim]; NULL: as many as both have from there on
 *
 * Collective: the same darrays, equal boxes (checked).
 * Errors: as drxmp_darray_redistribute, except for sizes; DRX_ERANGE (the box is outside one of them). */
DRX_API drx_status drxmp_darray_redistribute_box(drxmp_darray *from, const int64_t from_lo[], drxmp_darray *to,
                                                 const int64_t to_lo[], const int64_t count[]);

/* Refresh ghosts (see above), and order one-sided access: after the call all ranks see, by one-sided calls and by
 * loads, what any rank did to the darray before it, by one-sided calls or by stores to its section.
 *
 * The first call finds where ghosts and their owners' elements lie, and the darray keeps that for later calls: two
 * indices for each ghost along an axis. Ranks that share memory copy from each other's sections; others send messages.
 *
 * Memory: for messages as drxmp_darray_redistribute; the darray keeps these buffers, too.
 *
 * Collective: the same darray (checked).
 * Errors: DRX_ENOMEM, DRX_EACCES (a section with ghosts was imported read-only), DRX_EBUSY (drxmp_darray_iread is
 * pending). */
DRX_API drx_status drxmp_darray_sync(drxmp_darray *d);

/* Add ghosts to what the owners have, then refresh them with the sums. This assembles what ranks have contributed to
 * elements that they share, as finite-element codes do, or to their neighbours' elements, as particle-in-cell codes do.
 * Set ghosts to 0 before the next contributions, because they have the sums. The call also does what drxmp_darray_sync
 * does.
 *
 * A sum begins with the owner's value, and the ghosts follow in the order of the ranks that hold them, one by one. So
 * it is the same in every run, however the ranks reach each other. Integers wrap around. Elements of DRX_BOOL and
 * strings have no sums (DRX_EINVAL).
 *
 * Collective: the same darray (checked).
 * Errors: as drxmp_darray_sync, and DRX_EACCES (a section whose elements have ghosts was imported read-only), DRX_EBUSY
 * (drxmp_darray_iwrite is pending, too). On an error other than DRX_EMPI nothing has changed. */
DRX_API drx_status drxmp_darray_sync_add(drxmp_darray *d);

/* Export this rank's section through the Distributed Array Protocol, without copying. The memory and what `out` points
 * to belong to the darray. Until out->release is called, drxmp_darray_free and drxmp_darray_redistribute into the
 * darray give DRX_EBUSY on all ranks. Values may change. The release is local, and works after MPI_Finalize.
 *
 * Not collective. */
DRX_API drx_status drxmp_darray_dap(drxmp_darray *d, struct dap_array *out);

/* Make a darray whose section on each rank is what `in` exports there, in the order of ranks of the protocol, without
 * copying. On success the export moves out of `in`, and drxmp_darray_free releases it. On error it stays in `in`.
 *
 *   in  any strides; a format that is one of drx_type
 *
 * Collective: formats of the same type (checked).
 * Errors: as drxmp_darray_create, and DRX_EUNSUPPORTED (another format, version or device). */
DRX_API drx_status drxmp_darray_from_dap(MPI_Comm comm, struct dap_array *in, drxmp_darray **out);

/* ---- one-sided access ---------------------------------------------------------------
 *
 * Any rank gets, puts and adds elements of any rank by global indices, and the owner takes no part (Otoo and Rotem
 * 2009, section II: each rank computes the owner of an element). The calls are those of Global Arrays, on every
 * distribution.
 *
 *   elements    A box goes to and from the ranks that own its indices. It does not touch ghosts. An
 *               index that no rank owns gives DRX_ERANGE, which names it, before anything moves
 *   completion  When a call returns, it is complete, also at the target
 *   order       A call of one rank comes before a call of another when something makes the second rank wait for the
 *               first in between: drxmp_darray_sync, a barrier, a message, drxmp_darray_fetch_add. Loads and stores of
 *               the owner in its section need drxmp_darray_sync, on both sides
 *   atomicity   drxmp_darray_acc and drxmp_darray_fetch_add change each element atomically with respect to each other,
 *               so no sum is lost. A box is not added atomically as a whole. drxmp_darray_get, drxmp_darray_put,
 *               drxmp_darray_gather, drxmp_darray_scatter and stores of the owner are not atomic: when another rank
 *               changes the same elements meanwhile, the result is undefined
 *   transport   The ranks of a node share the memory of sections that a darray made itself, and use loads and stores
 *               there, without an MPI call. Between nodes, and for imported sections of other ranks, the calls use MPI
 *               RMA
 *   progress    Loads and stores never wait for the target. RMA may: with MPICH, and with Open MPI on TCP and inside a
 *               node, a target that computes and makes no MPI call keeps others waiting, unless a thread makes calls
 *               for it (drxmp_darray_progress)
 *   threads     With loads and stores, any number. With RMA, those that may call MPI
 *   memory      Where several ranks share a node, sections are in /dev/shm. drxmp_darray_create allocates all of it at
 *               once, and gives DRX_ENOMEM when /dev/shm is too small
 *
 * Errors: DRX_EINVAL (a null pointer, a negative count, an unknown order), DRX_ERANGE, DRX_EACCES (changing a section
 * that was imported read-only), DRX_EOVERFLOW (the bytes of the box), DRX_EUNSUPPORTED (one-sided access is off, or it
 * needs RMA and MPI cannot make windows on this network); with RMA also DRX_ENOMEM and DRX_EMPI. Except after these
 * two, nothing has moved. None of these calls is collective. */

/* Move a box of global indices between the darray and memory.
 *
 *   lo, count  [ndim], the box; it may be empty, and then buf may be NULL
 *   order      of the elements in buf, which are contiguous */
DRX_API drx_status drxmp_darray_get(drxmp_darray *d, const int64_t lo[], const int64_t count[], drx_order order,
                                    void *buf);
DRX_API drx_status drxmp_darray_put(drxmp_darray *d, const int64_t lo[], const int64_t count[], drx_order order,
                                    const void *buf);

/* Add `alpha` times buf to a box. Integers wrap around. For real and complex numbers the product and the sum are each
 * rounded. Elements of DRX_BOOL and strings have no sums (DRX_EINVAL).
 *
 *   alpha  one element of the darray's type; NULL: 1 */
DRX_API drx_status drxmp_darray_acc(drxmp_darray *d, const int64_t lo[], const int64_t count[], drx_order order,
                                    const void *alpha, const void *buf);

/* The same for any box of drx.h, with steps of indices and strides in memory.
 *
 *   box  flags and reserved words are 0
 *   req  NULL: the call completes it. Otherwise it begins, and drx_wait or drx_test completes it, not collectively:
 *        loads and stores, and additions, are done when the call returns, and only what needs RMA goes on. drx_test
 *        waits for that, too, as long as the target makes it wait (see progress); then it is done. `buf` belongs to the
 *        library until then. Calls of this rank on the same elements, unless both read, take effect in the order in
 *        which they were begun. Collective calls on the darray come after those of this rank; drxmp_darray_sync and all
 *        that wait, after those of all ranks (drxmp_darray_iread does not). While one is pending, drxmp_darray_free
 *        gives DRX_EBUSY */
DRX_API drx_status drxmp_darray_get_box(drxmp_darray *d, const drx_box *box, void *buf, drx_request **req);
DRX_API drx_status drxmp_darray_put_box(drxmp_darray *d, const drx_box *box, const void *buf, drx_request **req);
DRX_API drx_status drxmp_darray_acc_box(drxmp_darray *d, const drx_box *box, const void *alpha, const void *buf,
                                        drx_request **req);

/* Add to one element of an integer type and return its old value, for example to use it as a counter that deals out
 * work.
 *
 *   index  [ndim]
 *   add    what to add; the sum wraps around
 *   old    the old value (of DRX_UINT64: its bits); may be NULL
 *
 * Errors: DRX_EINVAL (another type). */
DRX_API drx_status drxmp_darray_fetch_add(drxmp_darray *d, const int64_t index[], int64_t add, int64_t *old);

/* As drxmp_darray_get and drxmp_darray_put, for single elements anywhere.
 *
 *   indices  [n][ndim]. When a scatter names an element twice, one of the values stays
 *   values   [n], elements of the darray's type */
DRX_API drx_status drxmp_darray_gather(drxmp_darray *d, int64_t n, const int64_t indices[], void *values);
DRX_API drx_status drxmp_darray_scatter(drxmp_darray *d, int64_t n, const int64_t indices[], const void *values);

/* Start (`on` 1) or stop (`on` 0) a thread of this rank that makes MPI progress, so that RMA of other ranks to its
 * section does not wait for its next MPI call. drxmp_darray_free stops it, too. Where all access is by loads and
 * stores, the call does nothing and returns DRX_OK.
 *
 * Not collective.
 * Errors: DRX_EUNSUPPORTED (without MPI_THREAD_MULTIPLE), DRX_ENOMEM. */
DRX_API drx_status drxmp_darray_progress(drxmp_darray *d, int on);

#ifdef __cplusplus
}
#endif

#endif
