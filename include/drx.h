/* drx.h - dense N-dimensional arrays on disk that grow along every axis.
 *
 * An array `PATH` is the pair `PATH.xmd` (metadata) and `PATH.xta` (chunks), or, when it is striped, `PATH.xmd` and
 * files in several folders, which the metadata names.
 * Growth appends a segment of chunks and never moves a stored byte; the place
 * of a chunk is computed from the growth history (Otoo and Rotem 2009,
 * section III). The files are described in spec/drx-format.md.
 *
 * Conventions
 *   - Indices, extents and strides are int64_t and count elements; a quantity
 *     in other units says so in its name (_bytes, _chunks).
 *   - Every call that can fail returns a drx_status: DRX_OK (0) or a negative
 *     error; drx_last_error() then tells which file, axis or offset. Output
 *     arguments are set only on success, handles to NULL on failure.
 *   - No call prints, exits or aborts.
 *   - `a` must be a handle that is open (NULL is refused); paths are without
 *     suffix, UTF-8 or whatever bytes the file system takes. drx_refresh and
 *     drx_persist look a relative path up again: not after a chdir.
 *
 * Threads: handles share no state. On one handle, reads run concurrently with
 * each other and with writes to other boxes; calls that change the shape, the
 * attributes or the handle itself exclude everything else (the library locks).
 * Pointers that an inquiry gives are not protected against such a call of another
 * thread. After fork, only one of the processes may use or close the handle; the
 * lock of a writer lasts until both have closed it or ended. Requests of 1 MiB and
 * more are shared by as many threads as the process has processors; the environment
 * variable DRX_THREADS, read once, sets their number. Reading a mapped file sets a
 * handler for SIGBUS, which passes on what is not its own.
 */
#ifndef DRX_H
#define DRX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DRX_API __attribute__((visibility("default")))
#else
#define DRX_API
#endif

#define DRX_VERSION_MAJOR 0
#define DRX_VERSION_MINOR 1
#define DRX_VERSION_PATCH 0

enum { DRX_MAX_NDIM = 32, DRX_MAX_STRIPES = 128 };

/* X(name, value, text): the one list of statuses. */
#define DRX_STATUS_LIST(X)                                                  \
    X(OK, 0, "success")                                                     \
    X(EINVAL, -1, "invalid argument")                                       \
    X(ENOMEM, -2, "out of memory")                                          \
    X(EOVERFLOW, -3, "a product or sum of extents overflows 64 bits")       \
    X(EIO, -4, "input/output error")                                        \
    X(ENOSPC, -5, "no space left on the device")                            \
    X(ENOENT, -6, "no such array or name")                                  \
    X(EEXIST, -7, "the array exists already")                               \
    X(EACCES, -8, "permission denied")                                      \
    X(EBUSY, -9, "the array is open for writing elsewhere")                 \
    X(EFORMAT, -10, "not a DRX array")                                      \
    X(EDAMAGED, -11, "the array is damaged")                                \
    X(ECHECKSUM, -12, "a checksum does not match")                          \
    X(ERANGE, -13, "outside the bounds of the array")                       \
    X(EMISMATCH, -14, "arguments or arrays do not match")                   \
    X(EMPI, -15, "an MPI call failed")                                      \
    X(EUNSUPPORTED, -16, "not supported by this version of the library")    \
    X(EINTERRUPTED, -17, "interrupted")

typedef enum {
#define DRX_STATUS_ENUM(name, value, text) DRX_##name = value,
    DRX_STATUS_LIST(DRX_STATUS_ENUM)
#undef DRX_STATUS_ENUM
    DRX_STATUS_MAX_ = 0x7fffffff /* fixes the width of the enum */
} drx_status;

/* Element types: native binary in memory, little-endian on disk. Complex is a
 * pair (real, imaginary). */
typedef enum {
    DRX_INT8 = 1,
    DRX_INT16,
    DRX_INT32,
    DRX_INT64,
    DRX_UINT8,
    DRX_UINT16,
    DRX_UINT32,
    DRX_UINT64,
    DRX_FLOAT32,
    DRX_FLOAT64,
    DRX_COMPLEX64,
    DRX_COMPLEX128
} drx_type;

/* Order of a box in memory, or of the elements in a chunk: row-major (C, last
 * axis fastest) or column-major (Fortran, first axis fastest). */
typedef enum { DRX_ROW_MAJOR, DRX_COL_MAJOR } drx_order;

/* Open modes: see drx_open. */
enum { DRX_RDONLY, DRX_RDWR, DRX_SHARED };

/* drx_spec.flags
 *   DRX_REPLACE    an array of that path is replaced by a new one
 *   DRX_CHECKSUM   keep a CRC32C of each chunk, in a third file: compared whenever all
 *                  elements of the chunk that are in the bounds are read at once, and
 *                  by drx_check; what does not match is DRX_ECHECKSUM, whose detail
 *                  names the chunk, its indices and its offset. Not of arrays in memory
 *   DRX_SHELL      initial chunks in symmetric linear shell order (paper,
 *                  Fig. 2c) instead of row-major order
 *   DRX_TEMPORARY  the files do not get their names: unless drx_persist gives them,
 *                  they vanish when the array is closed or the process dies
 * and of drx_duplicate alone
 *   DRX_MOVE       the source is removed when the copy is in place */
enum { DRX_REPLACE = 1, DRX_CHECKSUM = 2, DRX_SHELL = 4, DRX_TEMPORARY = 8, DRX_MOVE = 16 };

typedef struct drx_array drx_array;     /* opaque; made by drx_create, drx_open */
typedef struct drx_request drx_request; /* opaque; made by the _async calls */

typedef struct drx_spec { /* zero-initialise, then set what you need */
    int ndim;             /* 1 to DRX_MAX_NDIM */
    drx_type type;
    const int64_t *shape;     /* initial bounds, each >= 0 */
    const int64_t *chunk;     /* extents of a chunk, each >= 1; NULL: chosen,
                                 about 1 MiB, shaped to the bounds */
    const void *fill;         /* one element; NULL: zero bytes */
    const char *const *dims;  /* ndim names, UTF-8, each may be NULL; NULL: none */
    drx_order chunk_order;    /* order of the elements inside a chunk */
    unsigned flags;           /* DRX_REPLACE | ... */
    int64_t align;            /* chunks start at multiples of align bytes, a
                                 power of two up to 2^30; 0: 1 */
    int nstripes;             /* folders, one a disk, to spread the data over: chunk q goes to the (q mod nstripes)-th;
                                 0: one file, beside the metadata */
    const char *const *stripes; /* their paths, absolute or as seen from the folder of the metadata */
    uint64_t reserved[8];     /* zero */
} drx_spec;

/* ---- create, open, close ------------------------------------------------ */

/* Make a new array and open it for writing.
 *
 *   path  without suffix; NULL: the array lives in memory, and growth moves
 *         no element there either
 *   spec  copied; may be freed after the call
 *   out   the handle, owned by the caller until drx_close
 *
 * All elements read as the fill value. The array appears under its name only
 * when complete. Durable after the first drx_sync.
 * Errors: DRX_EINVAL, DRX_ENOMEM, DRX_EOVERFLOW, DRX_EEXIST (without
 * DRX_REPLACE), DRX_EBUSY (the array to replace is open for writing),
 * DRX_ENOENT (also: of the folder for a stripe), DRX_EACCES, DRX_ENOSPC, DRX_EIO, DRX_EUNSUPPORTED.
 */
DRX_API drx_status drx_create(const char *path, const drx_spec *spec, drx_array **out);

/* Give an array on disk that was created with DRX_TEMPORARY its name, the path that
 * it was created with: nobody sees it before it is complete.
 *
 *   flags  0, or DRX_REPLACE: an array that has the name is replaced
 *
 * Durable after the next drx_sync. On error it stays temporary.
 * Errors: DRX_EINVAL, DRX_EEXIST, DRX_EBUSY, DRX_EACCES, DRX_ENOSPC, DRX_EIO. */
DRX_API drx_status drx_persist(drx_array *a, unsigned flags);

/* Open an array.
 *
 *   mode  DRX_RDONLY: any number of readers, no lock taken; or
 *         DRX_RDWR: one writer, readers beside it allowed; or
 *         DRX_SHARED: one of several writers that share it, on one machine
 *
 * Writers that share an array change its bounds, attributes and names one at a time (a call waits for the others while
 * these do something), each with all that the others did before; drx_shape and the attributes follow at each change of the
 * handle's own, and at drx_refresh. Elements are written without a lock: who writes what is up to the program, see
 * drx_reserve. When the array was removed or replaced by hand (DRX_EMISMATCH) or its log is not the one that was there
 * (DRX_EDAMAGED), a handle that shares it changes nothing from then on. docs/processes.md tells what to mind.
 *
 * Opening for writing finishes what a crash left: an append that was not
 * committed is undone, a torn tail of the log is dropped. A success after which
 * drx_last_error() is not empty has something to report: a torn tail, or, for
 * DRX_RDONLY, damage; the array is then what the undamaged prefix of its log
 * says, and opening it for writing gives DRX_EDAMAGED.
 * Errors: DRX_EINVAL, DRX_ENOENT (also when one half of the pair is missing, or the file of checksums),
 * DRX_EACCES, DRX_EBUSY (another writer; of DRX_SHARED one that does not), DRX_EFORMAT, DRX_EDAMAGED,
 * DRX_EUNSUPPORTED, DRX_EOVERFLOW (a description of more than 2^63 bytes),
 * DRX_ENOMEM, DRX_EIO.
 */
DRX_API drx_status drx_open(const char *path, int mode, drx_array **out);

/* Close `a` and release the handle, also when an error is returned. When it has returned, everything
 * done is with the operating system: it outlasts the process, and other processes see it, but what came
 * after the last drx_sync is on disk only when the system has put it there. NULL is fine. Errors:
 * DRX_EIO, DRX_ENOSPC. */
DRX_API drx_status drx_close(drx_array *a);

/* Make everything done so far durable: when this has returned it is on disk, and whatever happens then,
 * the array opens at these bounds or later ones, with every element that was written before and not
 * overwritten since. After a crash that comes before the next drx_sync, the array opens as well: if only
 * the process died, with every call that had returned, but for elements of drx_put still in the pool; if
 * the machine died, at the bounds of the last drx_sync or later ones, where each element written since
 * holds what was written or what it held before. Errors: DRX_EIO, DRX_ENOSPC. */
DRX_API drx_status drx_sync(drx_array *a);

/* Make the metadata as short as they can be: a new log of the same array takes the place of the old one at once, without
 * attributes and names that were set again since, and with as few growths as give the same addresses. So drx_growth then
 * tells of fewer and larger steps. Syncs first. drx_sync and opening for writing do this of themselves with a log of 1 MiB
 * and more, most of which is superseded, and leave it undone when they cannot. Handles of readers go on, and see it when
 * they refresh. On error the old log stays in use; should the new one be in place and not certain to stay, the handle can
 * only read from then on.
 * Durable: on return.
 * Errors: as drx_sync, and DRX_EACCES (also of the folder), DRX_EBUSY, DRX_ENOMEM, DRX_EUNSUPPORTED (a temporary array;
 * metadata that are a symbolic link or have several names; records of a later version). */
DRX_API drx_status drx_compact(drx_array *a);

/* See what another process has committed since: growth, attributes, names.
 * On a handle open with DRX_RDWR it does nothing. When the path now names another
 * array (DRX_EMISMATCH) or none (DRX_ENOENT), the handle stays as it was and
 * goes on reading the files it has open. Errors: also DRX_EIO, DRX_ENOMEM,
 * DRX_EDAMAGED. */
DRX_API drx_status drx_refresh(drx_array *a);

/* Remove the files of the array `path`, the metadata first; durable on return. What
 * must allow it is the folder: the files may be protected against writing.
 * Errors: DRX_ENOENT, DRX_EBUSY (open for writing), DRX_EACCES, DRX_EIO. */
DRX_API drx_status drx_remove(const char *path);

/* Give the array `from` the name `to`, which may be in another folder of the same
 * file system.
 *
 *   flags  0, or DRX_REPLACE: an array that has the name is replaced; it stays until
 *          the other is in its place
 *
 * At every instant, even if the process is killed, one whole array is there under one
 * of the names (where a file can have two names; elsewhere only unless it is killed).
 * A process that is killed may leave a second name of the `.xta`, without a `.xmd`:
 * no array, and not in the way of calling this again. Stripes stay where they are, under
 * their names: the metadata alone are renamed. Durable on return. On error all
 * is as it was; where even that fails, the array is whole under one of the names.
 * Handles of `from` that are open read on; drx_refresh gives them DRX_ENOENT.
 * Errors: DRX_EINVAL (also when both name one array), DRX_ENOENT, DRX_EEXIST, DRX_EBUSY
 * (one of them is open for writing), DRX_EACCES, DRX_EUNSUPPORTED (another file system,
 * or a symbolic link that leads elsewhere from there: see DRX_MOVE), DRX_ENOSPC,
 * DRX_ENOMEM, DRX_EIO. */
DRX_API drx_status drx_rename(const char *from, const char *to, unsigned flags);

/* Called now and then while something takes long; total_bytes may be 0, and does not
 * change. When it returns other than 0, the call ends with DRX_EINTERRUPTED. */
typedef int (*drx_progress)(void *user, int64_t done_bytes, int64_t total_bytes);

/* Make `to` an exact copy of the array `from`: the same bytes, growth history and
 * creation id; holes stay holes. (Another chunk shape or order is for drx_copy.) The copy
 * of a striped array has stripes of its own in the same folders; with DRX_MOVE it takes
 * those of `from`.
 *
 *   flags     DRX_REPLACE: an array that has the name `to` is replaced, and stays until
 *             the copy is complete; DRX_MOVE: `from` is removed when the copy is in
 *             place, and nobody can open it for writing meanwhile
 *   progress  may be NULL; `user` is passed to it
 *
 * `from` may be open for writing elsewhere (without DRX_MOVE): the copy is then what a
 * crash of the writer at one moment during the call would have left, and is mended in
 * the same way when it is opened for writing. The log is copied up to its last whole
 * record. A damaged array is copied byte for byte, with its damage, which
 * drx_last_error() tells after DRX_OK; one whose description is damaged is not copied.
 * Memory: less than 8 MiB beside what an open array takes. The copy gets its name when
 * it is complete, and is durable on return. On error, `to` is as it was, and `from` too;
 * but when only its removal (DRX_MOVE) or making the names durable fails, the copy stays.
 * Errors: as drx_rename, and DRX_EFORMAT, DRX_EDAMAGED, DRX_EINTERRUPTED. */
DRX_API drx_status drx_duplicate(const char *from, const char *to, unsigned flags, drx_progress progress, void *user);

/* How grave a finding of drx_check is: worth knowing; something that does no harm and
 * that the next open for writing, or the growth that reaches it, mends; damage. */
typedef enum { DRX_NOTE, DRX_WARNING, DRX_ERROR } drx_severity;

/* Told a finding; `text` names the file and the offset, chunk or axis, and is valid
 * until it returns. It must not call the library. */
typedef void (*drx_report)(void *user, drx_severity severity, const char *text);

/* Verify everything about the array `path` that can be verified, and change nothing:
 * that the pair is complete; the description; the log, its chain and what it says;
 * that the map and its inverse agree and that the segments leave no gap; the length of
 * the data; that all that is stored can be read; that cells outside the bounds hold the
 * fill and that padding is zero; and what killed processes left beside the files.
 *
 *   report    NULL: findings are only counted; `user` is passed to it
 *   progress  of reading the data; may be NULL
 *
 * What another process is writing meanwhile may give notes, not errors. A reader's
 * rights suffice. DRX_OK: no error was found (but perhaps warnings, which `report`
 * was told). DRX_EDAMAGED: errors were found. Any other status: it could not be checked
 * to the end; what is wrong with the files was reported, too, but not that they are
 * newer than this library (DRX_EUNSUPPORTED).
 * Errors: DRX_EINVAL, DRX_ENOENT (also when half of the pair is missing), DRX_EACCES,
 * DRX_EFORMAT, DRX_EUNSUPPORTED, DRX_EDAMAGED, DRX_EINTERRUPTED, DRX_ENOMEM, DRX_EIO. */
DRX_API drx_status drx_check(const char *path, drx_report report, void *user, drx_progress progress,
                             void *progress_user);

/* Mend the array `path` as far as that is certain, without touching what is good, and then do what drx_check does.
 *
 *   report  also told, as notes, what was done, and what could not be and why
 *
 * What a crash left is put right: a torn tail is dropped, an append undone, the data get their length, cells outside the
 * bounds the fill; files that killed processes left beside the array are removed. Damaged bytes of the metadata are put
 * back where a checksum proves what they were. Where it does not, but the growth is certain from what follows, a new log of
 * all that is known takes the place of the damaged one, which is kept as PATH.xmd.damaged-N. Otherwise, and when data are
 * missing that were promised, nothing is changed. An array that is good is not written to.
 * Durable: on return.
 * Returns what drx_check returns then; or DRX_EBUSY (open for writing elsewhere), DRX_EACCES, DRX_ENOSPC, and the others
 * of drx_compact. */
DRX_API drx_status drx_repair(const char *path, drx_report report, void *user, drx_progress progress,
                              void *progress_user);

/* ---- inquiry -------------------------------------------------------------
 * Pointers stay valid until the next extend, append, refresh, change of names
 * or attributes, or close of `a`. */

DRX_API int drx_ndim(const drx_array *a);
DRX_API drx_type drx_dtype(const drx_array *a);
DRX_API const int64_t *drx_shape(const drx_array *a); /* ndim bounds */
DRX_API const int64_t *drx_chunk(const drx_array *a); /* ndim chunk extents */

/* Describe `a` as the spec that would create an array like it, with the present
 * bounds as shape; the pointers belong to `a`. flags: DRX_SHELL, DRX_CHECKSUM. */
DRX_API void drx_describe(const drx_array *a, drx_spec *spec);

/* The paths of the files of `a`: 0 is the metadata, those from 1 on have the data, in the order of the stripes when it is
 * striped, then that of the checksums if it has any. NULL: it has no such file, or is in memory. Valid until close. */
DRX_API const char *drx_file(const drx_array *a, int i);

/* The bounds it was created with (ndim), and its growths since, oldest first:
 * growth i extended *axis by *by. Errors: DRX_ERANGE. */
DRX_API const int64_t *drx_initial_shape(const drx_array *a);
DRX_API int64_t drx_growth_count(const drx_array *a);
DRX_API drx_status drx_growth(const drx_array *a, int64_t i, int *axis, int64_t *by);

/* Bytes of one element, 0 for no type; the name as NumPy writes it ("float64"),
 * NULL for no type; and the type of that name, 0 for none. */
DRX_API size_t drx_type_size(drx_type type);
DRX_API const char *drx_type_name(drx_type type);
DRX_API drx_type drx_type_named(const char *name);

/* ---- growth ------------------------------------------------------------- */

/* Grow `axis` by `by` indices. No stored element moves.
 *
 *   a     opened for writing
 *   axis  0 <= axis < drx_ndim(a)
 *   by    indices, not chunks; >= 0; 0 does nothing
 *
 * New elements read as the fill value. On error `a` is unchanged.
 * Durable:  after the next drx_sync. Takes microseconds, unless chunks are added to
 *           an array that was synced before and whose fill is not zero: that fill is
 *           written and made durable (a power cut could leave zeros in its place).
 * Errors:   DRX_EINVAL, DRX_EACCES (opened read-only), DRX_ENOMEM,
 *           DRX_EOVERFLOW, DRX_ENOSPC, DRX_EIO; and DRX_EBUSY: opened DRX_SHARED, another process has begun a change and
 *           does nothing for 30 s; opened DRX_RDWR, another writes in spite of the lock, and nothing is written over.
 */
DRX_API drx_status drx_extend(drx_array *a, int axis, int64_t by);

/* Grow `axis` by `by` and write the whole new slab, atomically: another process,
 * or a later one after a crash, sees the slab whole or not at all.
 *
 *   buf   the slab, shape of `a` with `by` on `axis`, in the given order
 *
 * On error `a` is unchanged; but when others who share it have grown another axis (DRX_EMISMATCH) drx_shape tells of
 * that, and the call can be made again with a slab of that shape. Errors as drx_extend. */
DRX_API drx_status drx_append(drx_array *a, int axis, int64_t by, drx_order order, const void *buf);

/* Grow `axis` by `by` as drx_extend does, and tell which box is new: `count` elements from `lo` on (ndim each). Nobody
 * else gets it, also of several processes that share the array (DRX_SHARED): each may write its own box whenever it likes,
 * without a lock, also where boxes share chunks. Until then it reads as the fill value.
 * Errors: as drx_extend. */
DRX_API drx_status drx_reserve(drx_array *a, int axis, int64_t by, int64_t lo[], int64_t count[]);

/* ---- elements ------------------------------------------------------------ */

/* Read or write the box of `count` elements from `lo` on; `buf` holds it
 * contiguously in the given order, whatever the order on disk. count may be 0
 * on any axis: then nothing is done.
 * A write stores the bytes of its own box and no others.
 * Errors: DRX_ECHECKSUM (read; the rest of the box may have been read),
 * DRX_ERANGE (outside the bounds; nothing is done), DRX_EACCES (write,
 * opened read-only), DRX_EINVAL, DRX_ENOMEM, DRX_EIO, DRX_ENOSPC, DRX_EDAMAGED
 * (stored elements are missing). After an error in a write the box may be
 * partly written. */
DRX_API drx_status drx_read(drx_array *a, const int64_t lo[], const int64_t count[], drx_order order, void *buf);
DRX_API drx_status drx_write(drx_array *a, const int64_t lo[], const int64_t count[], drx_order order,
                             const void *buf);

/* The same for element lo[j] + i * step[j] of the array and element
 * i * stride[j] from `buf` on of memory, summed over the axes j.
 *
 *   step    in elements of the array, >= 1; NULL: 1
 *   stride  in elements of memory, any sign, any order; `buf` is where the
 *           element `lo` is. NULL: contiguous in C order */
DRX_API drx_status drx_read_strided(drx_array *a, const int64_t lo[], const int64_t count[], const int64_t step[],
                                    const int64_t stride[], void *buf);
DRX_API drx_status drx_write_strided(drx_array *a, const int64_t lo[], const int64_t count[], const int64_t step[],
                                     const int64_t stride[], const void *buf);

/* One element. What drx_put writes may stay in the pool until the next sync,
 * growth, or close; this handle sees it at once. Errors as drx_read. */
DRX_API drx_status drx_get(drx_array *a, const int64_t index[], void *value);
DRX_API drx_status drx_put(drx_array *a, const int64_t index[], const void *value);

/* Bound the memory of the pool that gathers single-element writes; 0 writes
 * each at once. The default is 4 MiB. Errors: DRX_EIO, DRX_ENOSPC (flushing). */
DRX_API drx_status drx_set_pool(drx_array *a, size_t bytes);

/* Bound what reads and writes of boxes allocate to move elements through, of all arrays of the process, its helper
 * threads and one thread that makes calls together; 0, the default: 1 MiB for each thread. Less than 16 KiB for each is
 * taken as that. It does not bound what drx_copy is given. */
DRX_API void drx_set_memory(size_t bytes);

/* What reads and writes of boxes have done on `a` since it was opened, to see how a
 * request was carried out. Single elements from the mapped file are not counted. */
typedef struct drx_counters {
    int64_t wanted_bytes; /* of elements that were to be read */
    int64_t mapped_bytes; /* of them, those that came from the mapped file without a call, */
    int64_t copies;       /* in so many copies */
    int64_t reads, read_bytes;
    int64_t writes, written_bytes;
} drx_counters;
DRX_API drx_status drx_count(const drx_array *a, drx_counters *out); /* DRX_EINVAL: a null pointer */

/* ---- asynchronous --------------------------------------------------------
 * Helper threads carry the requests out, several at a time; those that touch the
 * same elements, unless both read, in the order in which they were made. buf belongs
 * to the library until the request is done. Each request must be waited for, before
 * its array is closed. An error of the operation is what drx_wait returns. */

DRX_API drx_status drx_read_async(drx_array *a, const int64_t lo[], const int64_t count[], drx_order order, void *buf,
                                  drx_request **req);
DRX_API drx_status drx_write_async(drx_array *a, const int64_t lo[], const int64_t count[], drx_order order,
                                   const void *buf, drx_request **req);
DRX_API drx_status drx_read_strided_async(drx_array *a, const int64_t lo[], const int64_t count[],
                                          const int64_t step[], const int64_t stride[], void *buf, drx_request **req);
DRX_API drx_status drx_write_strided_async(drx_array *a, const int64_t lo[], const int64_t count[],
                                           const int64_t step[], const int64_t stride[], const void *buf,
                                           drx_request **req);
/* The same as a write whose chunks nothing else writes to until it is done, here or in another process: what is between
 * short runs of them may be read and written back, which takes fewer calls. */
DRX_API drx_status drx_write_alone_async(drx_array *a, const int64_t lo[], const int64_t count[],
                                         const int64_t stride[], const void *buf, drx_request **req);
DRX_API drx_status drx_test(drx_request *req, int *done); /* makes progress */
DRX_API drx_status drx_wait(drx_request *req);            /* frees req, returns the operation's status */

/* ---- into another layout ----------------------------------------------------
 * A copy with other chunks, permuted axes, or another order inside chunks, reading and
 * writing every byte once where memory allows (Krishnamoorthy et al. 2006; docs/layout.md). */

typedef struct drx_copy_spec { /* zero-initialise, then set what you need */
    const int *permute;           /* axis j of the copy is axis permute[j] of the source; NULL: j */
    const int64_t *chunk;         /* extents of a chunk of the copy, in its axes; NULL: the source's */
    const drx_order *chunk_order; /* NULL: the source's; else it points to one */
    int64_t align;                /* as in drx_spec; 0: the source's */
    int64_t memory_bytes;         /* allocated for data at most; 0: DRX_COPY_MEMORY */
    unsigned flags;               /* DRX_REPLACE | DRX_CHECKSUM | DRX_SHELL | DRX_TEMPORARY, not the source's */
    const char *tmp;              /* folder for temporary arrays between several passes; NULL: the copy's */
    drx_progress progress;        /* may be NULL; `user` is passed to it. Bytes written, in all passes */
    void *user;
    int nstripes;                 /* folders to spread the data over, as in drx_spec; 0: one file */
    const char *const *stripes;
    uint64_t reserved[6]; /* zero */
} drx_copy_spec;

enum { DRX_COPY_MEMORY = 512 << 20 };

/* What a copy comes to, by the model of docs/layout.md. */
typedef struct drx_copy_plan {
    int passes;              /* 0: the array has no elements */
    int64_t memory_bytes;    /* that it allocates for data */
    int64_t temporary_bytes; /* on disk, the most at a time */
    int64_t read_bytes, read_calls, write_bytes, write_calls; /* of all passes */
    double seconds;          /* for comparing plans; not a promise */
} drx_copy_plan;

/* Plan a copy of `src` without making it. The plan as a table goes to text[n], cut to fit
 * and ended by a NUL; *length (may be NULL) is that of all of it. text NULL: n is 0.
 * Errors: DRX_EINVAL (a permutation that is none, an extent of 0, ...), DRX_EOVERFLOW,
 * DRX_ENOMEM, DRX_ERANGE: too little memory; the detail and plan->memory_bytes say what
 * would do. */
DRX_API drx_status drx_plan_copy(const drx_array *src, const drx_copy_spec *spec, drx_copy_plan *plan, char *text,
                                 size_t n, size_t *length);

/* Copy `src`, with its attributes and the names of its axes, to a new array of another
 * layout; it has the bounds of `src`, but not its history of growth.
 *
 *   path  of the copy, without suffix; NULL: it lives in memory
 *   spec  NULL: everything as in the source
 *   out   the copy, open for writing, the caller's until drx_close; NULL: it is closed,
 *         and needs a path
 *
 * The copy gets its name when it is complete; it is not synced: see drx_sync.
 * Nothing is left behind when the call fails, is interrupted by `progress`, or the
 * process dies. `src` may be read meanwhile by other threads; growing
 * it waits. Another process that writes to it is not kept away: elements that it changes
 * meanwhile are copied as they were or as they are.
 * Threads: one reads ahead and one writes behind, where memory allows two buffers.
 * Errors: as drx_plan_copy, drx_read, drx_create; DRX_EEXIST, DRX_EINTERRUPTED. */
DRX_API drx_status drx_copy(drx_array *src, const char *path, const drx_copy_spec *spec, drx_array **out);

/* ---- choosing a layout ---------------------------------------------------------
 * For requests as a program makes them: what they come to in the present layout, the chunk
 * for which they are cheapest, and when a copy pays (docs/layout.md). */

typedef struct drx_access { /* reads of boxes of one shape, anywhere in the array */
    const int64_t *count;   /* its extents, each from 1 to the bound */
    double weight;          /* how often, beside the others; 0: 1 */
} drx_access;

/* One such request as read from a disk, averaged over all positions; modelled seconds. */
typedef struct drx_access_cost {
    double calls, bytes, seconds;
} drx_access_cost;

typedef struct drx_advise_spec { /* zero-initialise, then set what you need */
    int64_t chunk_bytes;         /* of the proposed chunk, at most; 0: 1 MiB */
    int64_t align;               /* that the copy is to have, as in drx_spec; 0: as goes with block_bytes */
    int64_t memory_bytes;        /* for the copy; 0: DRX_COPY_MEMORY */
    uint64_t reserved[8];        /* zero */
} drx_advise_spec;

typedef struct drx_advice {
    int copies;                           /* 0: no chunk of that size is better than the present one */
    int64_t chunk[DRX_MAX_NDIM];          /* proposed, or the present one */
    int64_t align;                        /* likewise */
    int64_t block_bytes;                  /* that the file system names; 1: not known */
    double before_seconds, after_seconds; /* of a round: each request as often as its weight says */
    drx_copy_plan copy;                   /* zero without a copy */
    double rounds;                        /* after which the copy has saved the time it took */
} drx_advice;

/* Propose a chunk for `n` kinds of requests; nothing is read or changed.
 *
 *   spec           NULL: the defaults
 *   before, after  n costs each, in the present and in the proposed layout; may be NULL
 *
 * The order inside chunks stays. The proposal is never worse, by the model, than the present
 * layout. Takes up to some seconds when there are many axes.
 * Errors: DRX_EINVAL (no request; an extent, weight, alignment or size that is none; an array
 * without elements), DRX_ENOMEM, DRX_EOVERFLOW, DRX_ERANGE: too little memory for the copy. */
DRX_API drx_status drx_advise(const drx_array *a, int n, const drx_access access[], const drx_advise_spec *spec,
                              drx_advice *out, drx_access_cost before[], drx_access_cost after[]);

/* ---- the map --------------------------------------------------------------
 * Paper, section III: F* and its inverse, over the chunks of the array. */

DRX_API int64_t drx_chunk_count(const drx_array *a); /* addresses 0 to count - 1 */

/* F*: linear address of the chunk with that index (in chunks).
 * Errors: DRX_ERANGE. */
DRX_API drx_status drx_chunk_address(const drx_array *a, const int64_t chunk_index[], int64_t *address);
/* F*-1: index of the chunk at that address. Errors: DRX_ERANGE. */
DRX_API drx_status drx_chunk_index(const drx_array *a, int64_t address, int64_t chunk_index[]);

/* The axial vector of `axis`: its number of expansion records, and record i:
 * first index N* (chunks), first address M* (-1: none starts here),
 * coefficients C[ndim]. Errors: DRX_EINVAL, DRX_ERANGE. */
DRX_API int64_t drx_axial_count(const drx_array *a, int axis);
DRX_API drx_status drx_axial_record(const drx_array *a, int axis, int64_t i, int64_t *first_index,
                                    int64_t *first_address, int64_t coefficients[]);

/* ---- attributes and names -------------------------------------------------
 * Names are UTF-8, 1 to 1024 bytes. Setting replaces. */

/* n values of `type`, copied; n >= 0. Errors: DRX_EINVAL, DRX_EACCES,
 * DRX_EOVERFLOW (more than 64 MiB), DRX_ENOMEM, DRX_ENOSPC, DRX_EIO. */
DRX_API drx_status drx_attr_set(drx_array *a, const char *name, drx_type type, int64_t n, const void *values);
DRX_API drx_status drx_attr_set_text(drx_array *a, const char *name, const char *utf8);

/* Any of type, n, values may be NULL. Text is DRX_UINT8, is_text from
 * drx_attr_info, n its bytes; a NUL stands behind them. Errors: DRX_ENOENT. */
DRX_API drx_status drx_attr_get(const drx_array *a, const char *name, drx_type *type, int64_t *n, const void **values);
DRX_API drx_status drx_attr_delete(drx_array *a, const char *name); /* DRX_ENOENT: no such attribute */
DRX_API int drx_attr_count(const drx_array *a);
/* Attribute i in the order in which they were first set; out pointers may be
 * NULL. Errors: DRX_ERANGE. */
DRX_API drx_status drx_attr_info(const drx_array *a, int i, const char **name, drx_type *type, int64_t *n,
                                 int *is_text);

/* Name of the axis, NULL when it has none. */
DRX_API const char *drx_dim_name(const drx_array *a, int axis);
/* name NULL: remove the name. Errors: DRX_EINVAL, DRX_EACCES, DRX_ENOSPC, ... */
DRX_API drx_status drx_dim_rename(drx_array *a, int axis, const char *name);

/* ---- errors --------------------------------------------------------------- */

/* What the status means in general; never NULL. */
DRX_API const char *drx_strerror(drx_status st);
/* Detail of the calling thread's last failure, naming the file, axis, offset;
 * valid until its next call of the library. Empty after an open or create that
 * has nothing to report. */
DRX_API const char *drx_last_error(void);
/* For libraries that are built on this one: set that detail, up to 1023 bytes; returns st. */
DRX_API drx_status drx_fail(drx_status st, const char *detail);
/* "0.1.0" */
DRX_API const char *drx_version(void);

#ifdef __cplusplus
}
#endif

#endif
