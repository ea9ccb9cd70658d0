/* drx.h - dense N-dimensional arrays on disk that grow along every axis.
 *
 * An array `PATH` is a pair of files: `PATH.xmd` holds the metadata, `PATH.xta` the chunks. Checksums add `PATH.xcs`.
 * A striped array has its chunks in files of several folders instead, which the metadata names. Growth appends a
 * segment of chunks and never moves a stored byte. The library computes the place of a chunk from the growth history
 * (Otoo and Rotem 2009, section III). spec/drx-format.md describes the files.
 *
 * This header is the core that a program needs. drx_tools.h adds what tools need: check, repair, copy, the map, and
 * settings. docs/api.md says which parts are stable. `pkg-config --cflags --libs drx` prints the compiler's flags.
 *
 * Conventions
 *   - Indices, bounds and strides are int64_t and count elements. A quantity in other units says so in its name
 *     (_bytes, _chunks).
 *   - Every call that can fail returns a drx_status: DRX_OK (0) or a negative error. drx_last_error() then names the
 *     file, axis or offset. A call sets its output arguments only when it succeeds; it sets handles to NULL when it
 *     fails.
 *   - No call prints, exits or aborts. But a write beyond the process's limit of the size of a file (ulimit -f) is
 *     DRX_ENOSPC only in a program that ignores SIGXFSZ: by default the system ends the process with that signal.
 *   - `a` must be an open handle; NULL is refused. Paths have no suffix and are UTF-8 or whatever bytes the file
 *     system takes. drx_refresh and drx_persist look a relative path up again, so do not call chdir before them.
 *   - Zero-initialise a struct before you fill it, so that its reserved words are zero.
 *
 * Threads: handles share no state. On one handle, reads run concurrently with each other and with writes to other
 * boxes. They also go on while another thread appends or extends, and while drx_sync waits for the disk, unless the
 * handle was opened DRX_SHARED or, for drx_sync, the array is compressed; until such a call is done, they see the
 * bounds as they were. Any other call that changes the bounds, the attributes or the handle excludes all others. A
 * growth does not wait for reads and writes of 1 MiB or more. Changes wait for each other. Pointers from an inquiry
 * are not protected against a change by another thread. After fork, only one of the processes may use or close the
 * handle; the lock of a writer lasts until both have closed it or ended. Requests of 1 MiB and more are shared by as
 * many threads as the process has processors (see DRX_THREADS). Reading a mapped file installs a handler for SIGBUS,
 * which passes on signals that are not its own.
 *
 * Environment
 *   DRX_THREADS      threads that share a request, the caller included; read once
 *   DRX_HTTP_TRIES   of a URL: how often a request is tried; 6 by default
 *   DRX_HTTP_TIMEOUT  of a URL: seconds without a byte after which a try ends; 30 by default
 *   DRX_CREATION_ID  32 digits, 0-9 and a-f, that identify new arrays instead of random bytes, so that the same calls
 *                    make the same files. For tests: drx_refresh cannot tell two arrays of one identity apart
 *
 * Files
 *   PATH.xmd            the description of the array, and the log: growths, syncs, attributes and names
 *   PATH.xta            the chunks
 *   PATH.xcs            the checksums of an array with DRX_CHECKSUM
 *   PATH.xtz, PATH.xct  of a compressed array, instead of PATH.xta: the compressed chunks, and a table of where they
 *   are
 *   FOLDER/NAME.ID.xta.K  stripe K of a striped array, which has no PATH.xta
 *
 * Keep the files of an array together under one name, and stripes under theirs. Any tool may move and copy them while
 * no program writes to them.
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

enum {
    DRX_MAX_NDIM = 32,
    DRX_MAX_STRIPES = 128,
    DRX_MAX_STRING_BYTES = 4096,
    DRX_MAX_STRING_FILL_BYTES = 12,
    DRX_MAX_TYPE_BYTES = 65536 /* of an element of a defined type */
};

/* clang-format off */
/* X(name, value, text): the one list of statuses. */
#define DRX_STATUS_LIST(X)                                                  \
    X(OK, 0, "success")                                                     \
    X(EINVAL, -1, "invalid argument")                                       \
    X(ENOMEM, -2, "out of memory")                                          \
    X(EOVERFLOW, -3, "a product or sum of extents overflows 64 bits")       \
    X(EIO, -4, "input/output error")                                        \
    X(ENOSPC, -5, "no space left, or the file would be too large")          \
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

/* X(name, number, text, bytes, unit_bytes): that of types, but for strings. A unit is what has a byte order. */
#define DRX_TYPE_LIST(X)                                                    \
    X(INT8, 1, "int8", 1, 1)                                                \
    X(INT16, 2, "int16", 2, 2)                                              \
    X(INT32, 3, "int32", 4, 4)                                              \
    X(INT64, 4, "int64", 8, 8)                                              \
    X(UINT8, 5, "uint8", 1, 1)                                              \
    X(UINT16, 6, "uint16", 2, 2)                                            \
    X(UINT32, 7, "uint32", 4, 4)                                            \
    X(UINT64, 8, "uint64", 8, 8)                                            \
    X(FLOAT32, 9, "float32", 4, 4)                                          \
    X(FLOAT64, 10, "float64", 8, 8)                                         \
    X(COMPLEX64, 11, "complex64", 8, 4)                                     \
    X(COMPLEX128, 12, "complex128", 16, 8)                                  \
    X(FLOAT16, 13, "float16", 2, 2)                                         \
    X(BOOL, 14, "bool", 1, 1)

/* X(name, number, text, compressor, frame): that of codecs, but for DRX_RAW. The text is Blosc's name of the codec, and
 * the last two are Blosc's numbers of it: as a parameter of HDF5's filter, and in the head of a frame. */
#define DRX_CODEC_LIST(X)                                                   \
    X(ZSTD, 1, "zstd", 5, 4)                                                \
    X(LZ4, 2, "lz4", 1, 1)                                                  \
    X(ZLIB, 3, "zlib", 4, 3)                                                \
    X(LZ4HC, 4, "lz4hc", 2, 1)

/* X(name, number, text): that of what is done before a chunk is compressed. Blosc's number of it is one less, as that
 * of none is 0. The numbers of the three are in files. */
#define DRX_SHUFFLE_LIST(X)                                                 \
    X(SHUFFLE_AUTO, 0, "auto")                                              \
    X(SHUFFLE_NONE, 1, "none")                                              \
    X(SHUFFLE_BYTE, 2, "byte")                                              \
    X(SHUFFLE_BIT, 3, "bit")
/* clang-format on */

#define DRX_ENUM_(name, value, ...) DRX_##name = value,

typedef enum {
    DRX_STATUS_LIST(DRX_ENUM_) DRX_STATUS_MAX_ = 0x7fffffff /* fixes the width of the enum */
} drx_status;

/* Element types: native binary in memory, little-endian on disk. A complex number is a pair (real, imaginary).
 * DRX_FLOAT16 is the format of 16 bits of IEEE 754 (_Float16 in C). DRX_BOOL is a byte: 0 is false and 1 is true, as in
 * C and NumPy. Programs store no other byte; one that is there all the same is read as it is, and means true.
 * Earlier libraries refuse arrays and attributes of these two types.
 *
 * Elements can be fixed strings, too. Their type has a length, so DRX_BYTES(n) and DRX_UNICODE(n) make it.
 * DRX_BYTES(n) is n bytes that mean whatever the program says, 1 <= n <= DRX_MAX_STRING_BYTES. DRX_UNICODE(n) is n
 * code points of 4 bytes each, UCS-4, up to a quarter of that. A shorter string is followed by NULs, and a longer one
 * does not fit: no call of this library cuts it. NumPy calls these types S<n> and U<n>, and so does drx_type_name.
 * They have no sums and no conversion to other types; attributes have texts instead of them. A fill of more than
 * DRX_MAX_STRING_FILL_BYTES before its NULs, in UTF-8 if it is Unicode, is refused. Earlier libraries refuse such
 * arrays. */
typedef enum {
    DRX_TYPE_LIST(DRX_ENUM_)   /* DRX_INT8 to DRX_BOOL */
    DRX_BYTES_ = 15,           /* with a length: DRX_BYTES(n) */
    DRX_UNICODE_ = 16,         /* DRX_UNICODE(n) */
    DRX_DEFINED_ = 17,         /* with a number: drx_type_define */
    DRX_TYPE_MAX_ = 0x7fffffff /* fixes the width of the enum */
} drx_type;

/* The bytes of an element are part of the type's number, from bit 8 on. */
#define DRX_BYTES(n) ((drx_type)(DRX_BYTES_ | (n) << 8))
#define DRX_UNICODE(n) ((drx_type)(DRX_UNICODE_ | (n) << 10))
#define DRX_IS_BYTES(type) (((type)&0xff) == DRX_BYTES_)
#define DRX_IS_UNICODE(type) (((type)&0xff) == DRX_UNICODE_)
#define DRX_IS_STRING(type) (DRX_IS_BYTES(type) || DRX_IS_UNICODE(type))
#define DRX_IS_DEFINED(type) (((type)&0xff) == DRX_DEFINED_)
/* DRX_INT8 to DRX_BOOL: neither a string nor a defined type, and there is such a type. */
#define DRX_IS_NUMBER(type) ((type) >= DRX_INT8 && (type) <= DRX_BOOL)

/* Order of a box in memory, or of the elements in a chunk: row-major (C, last axis fastest) or column-major (Fortran,
 * first axis fastest). */
typedef enum { DRX_ROW_MAJOR, DRX_COL_MAJOR } drx_order;

/* Open modes: see drx_open. */
enum { DRX_RDONLY, DRX_RDWR, DRX_SHARED };

/* drx_spec.flags
 *   DRX_REPLACE    replace an array of that path by the new one
 *   DRX_CHECKSUM   keep a CRC32C of each chunk, in a third file. A read of all elements of a chunk inside the bounds
 *                  compares it, and so does drx_check. A mismatch is DRX_ECHECKSUM, after a second read, since a
 *                  writer may have been at work; the detail names the chunk, its indices and its offset. Arrays in
 *                  memory have no checksums
 *   DRX_SHELL      put the initial chunks in symmetric linear shell order (paper, Fig. 2c), not in row-major order
 *   DRX_TEMPORARY  give the files no names: unless drx_persist names them, they vanish when the array is closed or the
 *                  process dies */
enum { DRX_REPLACE = 1, DRX_CHECKSUM = 2, DRX_SHELL = 4, DRX_TEMPORARY = 8 };

/* How chunks are stored. DRX_RAW: as they are. The others compress each chunk by itself, into a frame of Blosc 1, which
 * other programs can decode. The table of the chunks keeps a checksum of each, as DRX_CHECKSUM does of raw arrays. A
 * chunk that is written in parts, or grows, stays uncompressed until a write covers it, growth passes it, or
 * drx_compact comes to it. docs/compression.md tells more. */
typedef enum {
    DRX_RAW,
    DRX_CODEC_LIST(DRX_ENUM_) /* DRX_ZSTD and the others */
    DRX_CODEC_MAX_ = 0x7fffffff
} drx_codec;

/* What is done to a chunk before it is compressed: its bytes, or bits, are put in the order of their significance.
 * DRX_SHUFFLE_AUTO is BYTE for elements of several bytes, and NONE for others. */
typedef enum {
    DRX_SHUFFLE_LIST(DRX_ENUM_) /* DRX_SHUFFLE_AUTO, DRX_SHUFFLE_NONE, DRX_SHUFFLE_BYTE, DRX_SHUFFLE_BIT */
    DRX_SHUFFLE_MAX_ = 0x7fffffff
} drx_shuffle;

/* drx_spec.align: a stripe of the file system on Lustre or BeeGFS, elsewhere a block of it; or the half, the quarter
 * and so on that adds at most a sixteenth to a chunk. 1 in memory and for compressed chunks. */
enum { DRX_ALIGN_AUTO = -1 };

typedef struct drx_array drx_array;     /* opaque; made by drx_create, drx_open */
typedef struct drx_request drx_request; /* opaque; made by drx_read_async, drx_write_async */
typedef struct drx_source drx_source;   /* drx_tools.h */

typedef struct drx_spec { /* zero-initialise, then set what you need */
    int ndim;             /* 1 to DRX_MAX_NDIM; 0 in drx_dataset_add alone: a null variable */
    drx_type type;
    const int64_t *shape;       /* initial bounds, each >= 0 */
    const int64_t *chunk;       /* extents of a chunk, each >= 1; NULL: chosen, see drx_choose_chunk */
    const void *fill;           /* one element; NULL: zero bytes */
    const char *const *dims;    /* ndim names, UTF-8, each may be NULL; NULL: none */
    drx_order chunk_order;      /* order of the elements inside a chunk */
    unsigned flags;             /* DRX_REPLACE | ... */
    int64_t align;              /* chunks start at multiples of this many bytes, a power of two up to 2^30; 0: 1;
                                   DRX_ALIGN_AUTO: a stripe or block of the file system */
    int nstripes;               /* folders, one a disk, to spread the data over: chunk q goes to folder q mod nstripes;
                                   0: one file, beside the metadata */
    const char *const *stripes; /* their paths, absolute or relative to the folder of the metadata */
    const int64_t *lower;       /* the first index of each axis, of any sign; NULL: 0 */
    drx_codec codec;            /* DRX_RAW, or how to compress the chunks; not with DRX_CHECKSUM or stripes */
    int level;                  /* of compression, 1 (fast) to 9 (small); 0: 5 */
    drx_shuffle shuffle;
    uint32_t grows;           /* bit j: axis j is going to grow, so a chunk that is chosen has room along it. An extent
                                   of 0 says the same */
    const drx_source *source; /* how the file that it comes from stored it (drx_tools.h); NULL: it has none */
    uint64_t reserved[4];     /* zero */
} drx_spec;

/* ---- create, open, close ------------------------------------------------ */

/* Make a new array and open it for writing.
 *
 *   path  without suffix; NULL: the array lives in memory, where growth moves no element either
 *   spec  copied; the caller may free it after the call
 *   out   the handle, the caller's until drx_close
 *
 * All elements read as the fill value. The array appears under its name only when it is complete. It is durable after
 * the first drx_sync.
 * Errors: DRX_EINVAL, DRX_ENOMEM, DRX_EOVERFLOW, DRX_EEXIST (without DRX_REPLACE; or a dataset has the name), DRX_EBUSY
 * (the array to replace is open for writing), DRX_ENOENT (also: the folder for a stripe), DRX_EACCES, DRX_ENOSPC,
 * DRX_EIO, DRX_EUNSUPPORTED. */
DRX_API drx_status drx_create(const char *path, const drx_spec *spec, drx_array **out);

/* Name an array on disk that was created with DRX_TEMPORARY: it gets the path it was created with. Nobody sees it
 * before it is complete.
 *
 *   flags  0, or DRX_REPLACE: replace an array that has the name
 *
 * The name is durable after the next drx_sync. On error the array stays temporary.
 * Errors: DRX_EINVAL, DRX_EEXIST (without DRX_REPLACE; or a dataset has the name), DRX_EBUSY, DRX_EACCES, DRX_ENOSPC,
 * DRX_EIO. */
DRX_API drx_status drx_persist(drx_array *a, unsigned flags);

/* Open an array.
 *
 *   mode  DRX_RDONLY: any number of readers, no lock taken; or
 *         DRX_RDWR: one writer, readers beside it allowed; or
 *         DRX_SHARED: one of several writers that share it, on one machine
 *
 * A path that begins with http://, https:// or s3:// names files on a server, which open for reading alone. libcurl is
 * loaded when the first one is opened. A handle of such an array shows one state of it: when elements are overwritten
 * or the files replaced meanwhile, a read that meets that gives DRX_EMISMATCH until drx_refresh. docs/remote.md has
 * the rules, and the variables of the environment for S3.
 *
 * Writers that share an array change its bounds, attributes and names one at a time; a call waits for the others. Each
 * change includes all earlier changes of the others. drx_shape and the attributes follow at each change by this handle,
 * at drx_sync and at drx_refresh. Elements are written without a lock: the program decides who writes what, see
 * drx_reserve. Writers of one chunk of a compressed array wait for each other. A sharing handle changes nothing any
 * more once somebody has removed or replaced the array by hand (DRX_EMISMATCH) or its log is not the one that was there
 * (DRX_EDAMAGED). docs/processes.md has the details.
 *
 * Opening for writing finishes what a crash left: it undoes an append that was not committed and drops a torn tail of
 * the log. When drx_last_error() is not empty after a success, it reports a torn tail or, for DRX_RDONLY, damage. A
 * damaged array opened for reading shows what the undamaged prefix of its log says; opening it for writing gives
 * DRX_EDAMAGED.
 * Errors: DRX_EINVAL, DRX_ENOENT (also when one half of the pair, or the file of checksums, is missing), DRX_EACCES,
 * DRX_EBUSY (another writer; for DRX_SHARED, one that does not share), DRX_EFORMAT, DRX_EDAMAGED, DRX_EUNSUPPORTED,
 * DRX_EOVERFLOW (a description of more than 2^63 bytes), DRX_ENOMEM, DRX_EIO. */
DRX_API drx_status drx_open(const char *path, int mode, drx_array **out);

/* Close `a` and release the handle, even when it returns an error. After it returns, the operating system has all data:
 * they outlast the process, and other processes see them. Only drx_sync makes sure that they are on disk. NULL is fine.
 * Errors: DRX_EIO, DRX_ENOSPC. */
DRX_API drx_status drx_close(drx_array *a);

/* Make everything done so far durable. After it returns, all of that is on disk: whatever happens then, the array opens
 * at these bounds or later ones, with every element that was written before and not overwritten since.
 *
 * After a crash before the next drx_sync the array opens as well. If only the process died, the array has the effect of
 * every call that had returned, except for elements of drx_put that were still in the pool. If the machine died, it has
 * the bounds of the last drx_sync or later ones, each element written since holds its new value or the one before, and
 * elements that nobody wrote hold the fill.
 *
 * It does nothing for an array in memory or on a handle opened for reading. On a handle opened with DRX_SHARED it first
 * sees what the others have changed, as each change does: its bounds, attributes and names follow. After drx_sync
 * fails, the handle takes no more changes.
 * Errors: DRX_EIO, DRX_ENOSPC. */
DRX_API drx_status drx_sync(drx_array *a);

/* See what another process has committed since: growth, attributes, names. Elements that it writes inside the bounds
 * are visible without a refresh. On a handle open with DRX_RDWR it does nothing. After an error the handle stays as it
 * was, and goes on reading the files it has open. Errors: DRX_EMISMATCH (the path now names another array, or the array
 * has got an axis), DRX_ENOENT, DRX_EIO, DRX_ENOMEM, DRX_EDAMAGED. */
DRX_API drx_status drx_refresh(drx_array *a);

/* Remove the files of the array `path`, the metadata first; durable on return. The folder must allow it; the files may
 * be write-protected. Errors: DRX_ENOENT, DRX_EBUSY (open for writing), DRX_EACCES, DRX_EIO. */
DRX_API drx_status drx_remove(const char *path);

/* Rename the array `from` to `to`, which may be in another folder of the same file system.
 *
 *   flags  0, or DRX_REPLACE: replace an array that has the name; it stays until the other is in its place
 *
 * At every instant, even if the process is killed, one whole array exists under one of the names. (Where a file cannot
 * have two names, this holds unless the process is killed.) A killed process may leave a second name of the `.xta`
 * without a `.xmd`. It is not an array and does not prevent a retry. Stripes keep their places and names; only the
 * metadata are renamed. Durable on return. On error all is as it was; if restoring it fails as well, the array is whole
 * under one of the names. Open handles of `from` go on reading; drx_refresh gives them DRX_ENOENT. Once `to` was
 * compacted, as an open for writing may do, they no longer learn of trims: close them before.
 * Errors: DRX_EINVAL (also when both names are of one array), DRX_ENOENT, DRX_EEXIST (without DRX_REPLACE; or a dataset
 * has the name), DRX_EBUSY (one of them is open for writing), DRX_EACCES, DRX_EUNSUPPORTED (another file system, or a
 * symbolic link to one: see DRX_MOVE in drx_tools.h), DRX_ENOSPC, DRX_ENOMEM, DRX_EIO. */
DRX_API drx_status drx_rename(const char *from, const char *to, unsigned flags);

/* ---- inquiry -------------------------------------------------------------
 * Pointers stay valid until the next extend, append, refresh, change of names or attributes, or close of `a`; of a
 * handle opened with DRX_SHARED also until its next sync. */

DRX_API int drx_ndim(const drx_array *a);
DRX_API drx_type drx_dtype(const drx_array *a);
/* The extents of `a`, and the first index of each axis (ndim each): drx_lower(a)[j] <= index < drx_lower(a)[j] +
 * drx_shape(a)[j]. The first index of a new array is 0, or drx_spec.lower. It falls when the array grows at the low end
 * of the axis and rises when it is trimmed there. So the index of an element never changes. */
DRX_API const int64_t *drx_shape(const drx_array *a);
DRX_API const int64_t *drx_lower(const drx_array *a);
DRX_API const int64_t *drx_chunk(const drx_array *a); /* ndim chunk extents */

/* Describe `a` as the spec that would create an array like it, with the present bounds as shape. The pointers belong to
 * `a`. flags: DRX_SHELL, DRX_CHECKSUM. */
DRX_API void drx_describe(const drx_array *a, drx_spec *spec);

/* Bytes of one element, 0 for an unknown type; its name as NumPy writes it ("float64", "S12"), or a text that tells
 * what a defined type is, NULL for an unknown type; and the number or string type of that name, 0 for an unknown
 * name. */
DRX_API size_t drx_type_size(drx_type type);
DRX_API const char *drx_type_name(drx_type type);
DRX_API drx_type drx_type_named(const char *name);

/* ---- types that a program defines -----------------------------------------
 * Those that NetCDF and HDF5 files have beside numbers and strings. Elements are bytes to the library, as it moves,
 * compresses and checks them. They have no sums, and no meaning as coordinates; drx_read_as tells what they are
 * converted to. Attributes may have such types, too. Earlier libraries refuse arrays and attributes of them. */

enum drx_type_class {               /* the numbers are in files; 1 and 2 are strings */
                      DRX_ENUM = 3, /* an integer, some of whose values have names */
                      DRX_COMPOUND, /* fields, as a struct of C has them */
                      DRX_OPAQUE,   /* bytes that mean whatever the program says */
                      DRX_BITFIELD  /* an unsigned integer, some of whose bits have a meaning */
};

typedef struct drx_member { /* a field of a compound, or a name of an enum */
    const char *name;       /* UTF-8, 1 to 1024 bytes; those of fields differ */
    drx_type type;          /* of a field: any; of a name: the base */
    size_t offset;          /* of a field: bytes from the begin of the element. Fields do not overlap */
    int rank;               /* of a field: 0 for one value, or this many axes, up to 255, */
    const int64_t *extents; /* each of that many values, >= 1, row-major */
    const void *value;      /* of a name: one value of the base */
} drx_member;

typedef struct drx_type_info { /* zero-initialise, then set what the class has */
    int type_class;            /* enum drx_type_class */
    const char *name;          /* of the type, without its group, as a variable may be named; NULL or "": none */
    size_t bytes;              /* of an element, 1 to DRX_MAX_TYPE_BYTES; of an enum, those of its base; of a bitfield
                                  1, 2, 4 or 8 */
    drx_type base;             /* of an enum: DRX_INT8 to DRX_UINT64; of a bitfield drx_type_describe gives it, too */
    int nmembers;              /* of a compound or an enum, 0 or more */
    const drx_member *members;
    const char *tag;      /* of opaque bytes, UTF-8; NULL or "": none */
    int first_bit, nbits; /* of a bitfield: the lowest one that has a meaning, 0 for that of the ones, and how many */
    uint64_t reserved[4]; /* zero */
} drx_type_info;

/* Define a type: *type is its number in this process, for DRX_IS_DEFINED and wherever a drx_type is expected. `info` is
 * copied. What is described alike, with its name, has one number; it lasts as long as the process. Compounds may have
 * fields that are compounds, 32 deep. drx_type_name of it is a short text, such as "sky enum int8 {clear=0, cloudy=1}"
 * or "{x: float32 @0, y: int32[3] @4}", which no call reads.
 * Threads:  any, also beside each other.
 * Errors:   DRX_EINVAL, and the detail tells which member is wrong; DRX_EUNSUPPORTED (deeper), DRX_EOVERFLOW (more than
 *           64 MiB of names, or more types than a process can have), DRX_ENOMEM. */
DRX_API drx_status drx_type_define(const drx_type_info *info, drx_type *type);
/* What a defined type is; it belongs to the library and lasts as long as the process. Strings are never NULL. NULL: not
 * a defined type. */
DRX_API const drx_type_info *drx_type_describe(drx_type type);

/* ---- growth ------------------------------------------------------------- */

/* Grow `axis` by `by` indices. No stored element moves.
 *
 *   a     opened for writing
 *   axis  0 <= axis < drx_ndim(a)
 *   by    indices, not chunks; >= 0; 0 does nothing
 *
 * New elements read as the fill value. On error `a` is unchanged.
 * Durable:  after the next drx_sync. A growth takes microseconds. When the fill is not zero and the array was synced
 *           before, a growth that adds chunks first writes their fill and makes it durable, since a power cut could
 *           leave zeros in its place.
 * Errors:   DRX_EINVAL, DRX_EACCES (opened read-only), DRX_ENOMEM, DRX_EOVERFLOW, DRX_ENOSPC, DRX_EIO, and DRX_EBUSY:
 *           a handle opened with DRX_SHARED found that another process began a change and did nothing for 30 s, or one
 *           opened with DRX_RDWR found that another wrote in spite of the lock. Nothing is overwritten. */
DRX_API drx_status drx_extend(drx_array *a, int axis, int64_t by);

/* Grow `axis` by `by` and write the whole new slab, atomically: another process, or a later one after a crash, sees the
 * slab whole or not at all.
 *
 *   buf   the slab, shape of `a` with `by` on `axis`, in the given order
 *
 * On error `a` is unchanged, with one exception: when a process that shares it has grown another axis (DRX_EMISMATCH),
 * drx_shape shows that growth, and the caller can try again with a slab of the new shape. Errors: as drx_extend. */
DRX_API drx_status drx_append(drx_array *a, int axis, int64_t by, drx_order order, const void *buf);

/* Give the next piece of a slab, from index `done` of it on: *n >= 1 indices along the axis, in *buf, which stays the
 * caller's and must hold them until the next call. After the last piece it is called once more, with `done` = `by`: the
 * whole slab is written then, and nobody sees it yet. Whatever but DRX_OK it returns, at any time, takes the append
 * back; drx_append_pieces returns it. It must not use `a`, except for the calls under "inquiry" above. */
typedef drx_status drx_next_piece(void *with, int64_t done, int64_t *n, const void **buf);

/* As drx_append, of a slab that does not fit into memory: `next` gives it in pieces along `axis`. Nobody sees any of it
 * before all of it is written, and a crash leaves nothing of it.
 *
 *   order  of the elements in each piece, which has the shape of `a` with *n on `axis`
 *   with   passed to `next`, which is not called when `by` is 0
 *
 * Threads: meanwhile other threads read and write elements, unless the handle was opened DRX_SHARED. Other changes of
 * `a` wait, so `next` must make none. Other processes that share it wait, too; see DRX_EBUSY there if `next` takes
 * long. Errors: as drx_append; DRX_EINVAL also when a piece has no indices, or more than are left. */
DRX_API drx_status drx_append_pieces(drx_array *a, int axis, int64_t by, drx_order order, drx_next_piece *next,
                                     void *with);

/* Grow `axis` by `by` as drx_extend does, and tell which box is new: `count` elements from `lo` on (ndim each). No
 * other caller gets that box, not even in another process that shares the array (DRX_SHARED). So each may write its own
 * box whenever it likes, without a lock, even where boxes share chunks. Until then the box reads as the fill value.
 * Errors: as drx_extend. */
DRX_API drx_status drx_reserve(drx_array *a, int axis, int64_t by, int64_t lo[], int64_t count[]);

/* ---- the low end, trims, and new axes ------------------------------------ */

/* As drx_extend, drx_append, drx_append_pieces and drx_reserve, at the low end of `axis`: the new indices are those
 * from drx_lower(a)[axis] - by on. The slab lies in memory by increasing index, and its pieces come in that order. No
 * stored element moves, and no index changes; the new ones may be negative. */
DRX_API drx_status drx_extend_before(drx_array *a, int axis, int64_t by);
DRX_API drx_status drx_prepend(drx_array *a, int axis, int64_t by, drx_order order, const void *buf);
DRX_API drx_status drx_prepend_pieces(drx_array *a, int axis, int64_t by, drx_order order, drx_next_piece *next,
                                      void *with);
DRX_API drx_status drx_reserve_before(drx_array *a, int axis, int64_t by, int64_t lo[], int64_t count[]);

/* Drop the `before` lowest and the `after` highest indices of `axis`. Their elements are gone for good.
 *
 * Chunks that no index is left in go back to the file system at the next drx_sync. The array can grow again at that
 * end: the cells then hold the fill, at new addresses. So an array that is appended to at one end of an axis and
 * trimmed at the other takes a bounded part of the disk.
 * A reader that had opened the array before reads what it had, or gets DRX_ERANGE for a box that was trimmed: never
 * other elements.
 * Durable: after the next drx_sync.
 * Errors: as drx_extend; DRX_ERANGE when the axis has fewer indices. */
DRX_API drx_status drx_trim(drx_array *a, int axis, int64_t before, int64_t after);

/* Give `a` one more axis, of extent 1, as axis `at` (0 <= at <= drx_ndim(a)); the others from there on follow it. All
 * elements have index 0 on it. It grows as any other, one index a chunk. No stored element moves.
 *
 *   name  of the axis, UTF-8; NULL or empty: none
 *
 * Readers that have the array open go on with the axes that it had; drx_refresh gives them DRX_EMISMATCH, and so do
 * changes by writers that share it: open it again. So does drx_wait for a request (below) that another thread began
 * meanwhile. Durable: after the next drx_sync.
 * Errors: as drx_extend; DRX_EINVAL also for an array of DRX_MAX_NDIM axes, or a name that is not UTF-8. */
DRX_API drx_status drx_add_axis(drx_array *a, int at, const char *name);

/* ---- elements ------------------------------------------------------------ */

/* Read or write the box of `count` elements from `lo` on. `buf` holds it contiguously in the given order, whatever the
 * order on disk. A count of 0 on any axis is fine; then nothing is done. A write stores the bytes of its own box and no
 * others.
 * Errors: DRX_ECHECKSUM (read; the rest of the box may have been read), DRX_ERANGE (outside the bounds; nothing is
 * done), DRX_EACCES (write, opened read-only), DRX_EINVAL, DRX_ENOMEM, DRX_EIO, DRX_ENOSPC, DRX_EDAMAGED (stored
 * elements are missing). After an error in a write the box may be partly written. */
DRX_API drx_status drx_read(drx_array *a, const int64_t lo[], const int64_t count[], drx_order order, void *buf);
DRX_API drx_status drx_write(drx_array *a, const int64_t lo[], const int64_t count[], drx_order order, const void *buf);

/* A box of elements with steps through the array and any arrangement in memory: element lo[j] + i * step[j] of the
 * array is element i * stride[j] of memory from `buf` on, summed over the axes j. */
typedef struct drx_box {   /* zero-initialise, then set what you need */
    const int64_t *lo;     /* first element */
    const int64_t *count;  /* elements along each axis, >= 0 */
    const int64_t *step;   /* in elements of the array, >= 1; NULL: 1 */
    const int64_t *stride; /* in elements of memory, any sign, any order; `buf` is where the element `lo` is;
                              NULL: contiguous in `order` */
    drx_order order;       /* when stride is NULL */
    unsigned flags;        /* 0, or DRX_ALONE */
    uint64_t reserved[4];  /* zero */
} drx_box;

/* drx_box.flags
 *   DRX_ALONE  of a write: until it is done, nothing else writes to the chunks of the box, in this process or another.
 *              The library may then read and write back what lies between short runs of elements, in fewer calls */
enum { DRX_ALONE = 1 };

/* As drx_read and drx_write, for such a box. Errors: also DRX_EOVERFLOW (a stride). */
DRX_API drx_status drx_read_box(drx_array *a, const drx_box *box, void *buf);
DRX_API drx_status drx_write_box(drx_array *a, const drx_box *box, const void *buf);

/* How elements of one type become elements of another.
 *
 *   DRX_EXACT    refuse an element that the other type does not hold. NaN is NaN in every type of floats, and a true
 *                DRX_BOOL is 1
 *   DRX_NEAREST  take the nearest one: an even one between two, the least or the greatest integer for what lies
 *                outside, and for floats infinity, as IEEE 754 rounds. Any number but 0 becomes true. NaN is refused
 *                where the other type is an integer or bool
 *
 * A real number becomes a complex one without an imaginary part. A complex number with an imaginary part but 0 is
 * refused by real types, in both cases.
 *
 * An enum is converted to numbers and from them as its base is, a bitfield as the unsigned integer of as many bytes. A
 * compound is converted to another one by the names of fields: each field of the target must be in the source, with as
 * many values, and is converted in turn. So a compound of some fields reads these alone; to write, give all that the
 * array has. Types that differ in names of types alone are the same. There is no other conversion of strings and
 * defined types (DRX_EINVAL). */
typedef enum { DRX_EXACT, DRX_NEAREST, DRX_CONVERSION_MAX_ = 0x7fffffff } drx_conversion;

/* As drx_read and drx_write, and drx_read_box and drx_write_box, with a buffer of another type than that of the array;
 * strides count elements of `type`. The library converts some MiB at a time.
 * An element that is refused gives DRX_EMISMATCH. The detail names the index and the value of the first one, in the
 * order of the box (row-major when it has strides). A write looks at all elements before it stores any, so it stores
 * none of them then. After a read that fails, the buffer may be partly filled.
 * Errors: DRX_EMISMATCH, and as drx_read_box and drx_write_box. */
DRX_API drx_status drx_read_as(drx_array *a, const int64_t lo[], const int64_t count[], drx_order order, drx_type type,
                               drx_conversion how, void *buf);
DRX_API drx_status drx_write_as(drx_array *a, const int64_t lo[], const int64_t count[], drx_order order, drx_type type,
                                drx_conversion how, const void *buf);
DRX_API drx_status drx_read_box_as(drx_array *a, const drx_box *box, drx_type type, drx_conversion how, void *buf);
DRX_API drx_status drx_write_box_as(drx_array *a, const drx_box *box, drx_type type, drx_conversion how,
                                    const void *buf);

/* The same for `n` elements in memory, from `in` to `out`, which do not overlap. After a failure `out` is undefined.
 * Errors: DRX_EMISMATCH, DRX_EINVAL. */
DRX_API drx_status drx_convert(drx_type from, const void *in, drx_type to, void *out, int64_t n, drx_conversion how);

/* One element. A value that drx_put writes may stay in the pool until the next sync, growth, or close; this handle sees
 * it at once. On a handle opened DRX_SHARED it goes to the file at once. Errors: as drx_read. */
DRX_API drx_status drx_get(drx_array *a, const int64_t index[], void *value);
DRX_API drx_status drx_put(drx_array *a, const int64_t index[], const void *value);

/* Read or write n elements in one call.
 *
 *   indices  n x ndim: the indices of the first element, of the second, ...
 *   values   n elements in the order of the list, the caller's
 *
 * The library reads them from the disk in the order of their addresses, many at a time, and neighbours together. So one
 * list is much faster than as many drx_get, and has no need of an order. An element may stand in it several times; of
 * the values that drx_write_points gets for it, the last one stays. n = 0 does nothing. All indices are checked first.
 * A write changes no other element. While it writes many that lie close together, other calls on the handle may wait.
 * Like drx_get, a read compares no checksums. Both wait for requests (below) that touch the box around the elements.
 * Errors: as drx_read, but for DRX_ECHECKSUM. DRX_ERANGE names the number of the point, from 0 on. DRX_EINVAL for n <
 * 0, DRX_EOVERFLOW for an n that no memory can hold. After an error in a write some elements may be written. */
DRX_API drx_status drx_read_points(drx_array *a, int64_t n, const int64_t indices[], void *values);
DRX_API drx_status drx_write_points(drx_array *a, int64_t n, const int64_t indices[], const void *values);

/* ---- requests that run beside the caller -----------------------------------
 * Helper threads carry requests out, several at a time. Requests on one array that touch the same elements, unless both
 * read, take effect in the order in which they were begun. Blocking calls keep this order, too: a call that reads or
 * writes elements first waits for the requests begun before it that touch them, drx_copy waits for the writes to its
 * source, and a growth waits for the requests that reach beyond the old bound, which fail. Other requests go on beside
 * the call. `buf` belongs to the library until the request is done. The caller must wait for each request before it
 * closes the array. */

/* Begin a read or write of a box, which is copied. *req is the caller's until drx_wait. Errors: DRX_EINVAL, DRX_ENOMEM;
 * those of the operation are what drx_wait returns. */
DRX_API drx_status drx_read_async(drx_array *a, const drx_box *box, void *buf, drx_request **req);
DRX_API drx_status drx_write_async(drx_array *a, const drx_box *box, const void *buf, drx_request **req);

/* Tell whether the request is done, and make progress. drx_wait waits until it is done, frees it, and returns the
 * status of the operation. Both also take requests of drxmp.h. */
DRX_API drx_status drx_test(drx_request *req, int *done);
DRX_API drx_status drx_wait(drx_request *req);

/* ---- attributes and names -------------------------------------------------
 * Names are UTF-8, 1 to 1024 bytes. Setting replaces. The library interprets no attribute. Names that begin with "drx."
 * are reserved for later versions. */

/* Set an attribute to n >= 0 values of `type`, or to a text; the values are copied. Errors: DRX_EINVAL, DRX_EACCES,
 * DRX_EOVERFLOW (more than 64 MiB), DRX_ENOMEM, DRX_ENOSPC, DRX_EIO. */
DRX_API drx_status drx_attr_set(drx_array *a, const char *name, drx_type type, int64_t n, const void *values);
DRX_API drx_status drx_attr_set_text(drx_array *a, const char *name, const char *utf8);

/* Get an attribute. Any of type, n, values may be NULL. Text is of DRX_UINT8 with is_text from drx_attr_info; n counts
 * its bytes, and a NUL follows them. Errors: DRX_ENOENT. */
DRX_API drx_status drx_attr_get(const drx_array *a, const char *name, drx_type *type, int64_t *n, const void **values);
DRX_API drx_status drx_attr_delete(drx_array *a, const char *name); /* DRX_ENOENT: no such attribute */
DRX_API int drx_attr_count(const drx_array *a);
/* Attribute i, in the order in which they were first set. Output pointers may be NULL. Errors: DRX_ERANGE. */
DRX_API drx_status drx_attr_info(const drx_array *a, int i, const char **name, drx_type *type, int64_t *n,
                                 int *is_text);

/* Name of the axis; NULL when it has none. */
DRX_API const char *drx_dim_name(const drx_array *a, int axis);
/* Name an axis; a NULL name removes it. Errors: DRX_EINVAL, DRX_EACCES, DRX_ENOSPC, ... */
DRX_API drx_status drx_dim_rename(drx_array *a, int axis, const char *name);

/* ---- errors --------------------------------------------------------------- */

/* What the status means in general; never NULL. */
DRX_API const char *drx_strerror(drx_status st);
/* Detail of the calling thread's last failure, naming the file, axis, offset; valid until its next call of the library.
 * Empty after an open or create that has nothing to report. */
DRX_API const char *drx_last_error(void);
/* "0.1.0" */
DRX_API const char *drx_version(void);

#ifdef __cplusplus
}
#endif

#endif
