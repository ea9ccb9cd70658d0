/* drx_tools.h - what tools need beside the core of drx.h: maintenance, copies, layouts, the map, settings.
 *
 * The conventions of drx.h hold here, too. The library fills some structs of this header; they have reserved words, so
 * that a later version can add members.
 */
#ifndef DRX_TOOLS_H
#define DRX_TOOLS_H

#include <drx.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Progress of a long call, reported now and then. total_bytes may be 0, and does not change. When it returns other than
 * 0, the call ends with DRX_EINTERRUPTED. */
typedef int (*drx_progress)(void *user, int64_t done_bytes, int64_t total_bytes);

/* ---- maintenance -------------------------------------------------------------- */

/* Make the log as short as it can be. A new log of the same array takes the place of the old one in one step. It leaves
 * out attributes and names that were set again since, and has as few growths as give the same addresses, so drx_growth
 * then reports fewer and larger steps. It syncs first. drx_sync and opening for writing compact a log of 1 MiB and more
 * automatically when less than a quarter of it would remain, and leave it alone when they cannot. Readers go on with
 * the old log until they refresh. On error the old log stays in use; if the new one is in place but not certain to
 * stay, the handle can only read from then on.
 *
 * Of a compressed array it also compresses the chunks that are open, and gives the space of payloads that others have
 * replaced back to the file system. drx_sync does the latter on a handle that has the array alone (opened DRX_RDWR, not
 * lent by a dataset) when these payloads take 16 MiB or more, and more than the others.
 * Durable: on return.
 * Errors: as drx_sync, and DRX_EACCES (also of the folder), DRX_EBUSY, DRX_ENOMEM, DRX_EUNSUPPORTED (a temporary array;
 * metadata that are a symbolic link or have several names; records of a later version). */
DRX_API drx_status drx_compact(drx_array *a);

/* A flag of drx_duplicate, beside DRX_REPLACE: remove the source when the copy is in place. */
enum { DRX_MOVE = 16 };

/* Make `to` an exact copy of the array `from`: the same bytes, growth history and creation id. Holes stay holes.
 * (drx_copy makes a copy with other chunks or another order.) The copy of a striped array has stripes of its own in the
 * same folders; with DRX_MOVE it takes those of `from`.
 *
 *   flags     DRX_REPLACE: replace an array that has the name `to`; it stays until the copy is complete. DRX_MOVE:
 *             remove `from` when the copy is in place; meanwhile nobody can open it for writing. Close readers of a
 *             striped `from` first: its stripes belong to `to` afterwards, and they do not learn what changes there
 *   progress  may be NULL; `user` is passed to it
 *
 * Without DRX_MOVE, `from` may be open for writing elsewhere. The copy is then what a crash of the writer at one moment
 * during the call would have left, and opening it for writing mends it in the same way. The log is copied up to its
 * last whole record. A damaged array is copied byte for byte, with its damage, and drx_last_error() reports it after
 * DRX_OK. An array whose description is damaged is not copied. The call takes less than 8 MiB of memory beside what an
 * open array takes. The copy gets its name when it is complete, and is durable on return. On error, `to` and `from` are
 * as they were. When only the removal of `from` fails, or making the names durable, the copy stays. A variable of a
 * dataset, DATASET/NAME, becomes an array of the same layout, without its history; it is not moved. Errors: as
 * drx_rename, and DRX_EFORMAT, DRX_EDAMAGED, DRX_EINTERRUPTED. */
DRX_API drx_status drx_duplicate(const char *from, const char *to, unsigned flags, drx_progress progress, void *user);

/* How grave a finding of drx_check is: worth knowing; harmless, and mended by the next open for writing or the growth
 * that reaches it; damage. */
typedef enum { DRX_NOTE, DRX_WARNING, DRX_ERROR } drx_severity;

/* Receives a finding. `text` names the file and the offset, chunk or axis, and is valid until the function returns. The
 * function must not call the library. */
typedef void (*drx_report)(void *user, drx_severity severity, const char *text);

/* Verify everything about the array `path` that can be verified, and change nothing. It verifies that the pair is
 * complete; the description; the log, its chain and its contents; that the map and its inverse agree and that segments
 * leave no gap; the length of the data; that all stored data can be read; that cells outside the bounds hold the fill;
 * that padding is zero; and what killed processes left beside the files.
 *
 *   report    NULL: findings are only counted; `user` is passed to it
 *   progress  of reading the data; may be NULL
 *
 * Data that another process is writing meanwhile may cause notes, not errors. Permission to read suffices. DRX_OK: it
 * found no error, but perhaps warnings, which it reported. DRX_EDAMAGED: it found errors. After any other status the
 * check is incomplete. It reported what is wrong with the files, except that they are newer than this library
 * (DRX_EUNSUPPORTED).
 * Errors: DRX_EINVAL, DRX_ENOENT (also when half of the pair is missing), DRX_EACCES, DRX_EFORMAT, DRX_EUNSUPPORTED,
 * DRX_EDAMAGED, DRX_EINTERRUPTED, DRX_ENOMEM, DRX_EIO. */
DRX_API drx_status drx_check(const char *path, drx_report report, void *user, drx_progress progress,
                             void *progress_user);

/* Mend the array `path` as far as that is certain, without touching what is good, and then do what drx_check does.
 *
 *   report  also receives, as notes, what was done, and what could not be done and why
 *
 * It puts right what a crash left: it drops a torn tail, undoes an append, restores the length of the data and the fill
 * of cells outside the bounds, and removes files that killed processes left beside the array. It puts back a damaged
 * head of the metadata, which the records prove. Where a record that was promised is damaged, it cuts the log before
 * it, tells what that loses, and keeps the damaged log as PATH.xmd.damaged-N. When promised data are missing or
 * damaged, too, or a later version wrote what would be lost, it changes nothing. It does not write to a good array.
 * Durable: on return.
 * Returns what drx_check returns then; or DRX_EBUSY (open for writing elsewhere), DRX_EACCES, DRX_ENOSPC, and the other
 * errors of drx_compact. */
DRX_API drx_status drx_repair(const char *path, drx_report report, void *user, drx_progress progress,
                              void *progress_user);

/* Call `missing` with each stripe k of the n stripes of the array `path` whose file this machine does not have: its
 * disk is gone, or another node has it. The array need not open. DRX_OK without a call: it has all, or there are no
 * stripes. Errors: DRX_EINVAL, DRX_ENOENT, DRX_EACCES, DRX_ENOMEM, DRX_EIO. */
typedef void drx_missing(void *user, int k, int n, const char *file);
DRX_API drx_status drx_missing_stripes(const char *path, drx_missing *missing, void *user);

/* ---- files and growth history ------------------------------------------------- */

/* The path of file i of `a`: 0 is the metadata. Then come the data, in the order of the stripes when it is striped;
 * those of a compressed array are its payloads, then their table. Last are the checksums if it has any. NULL: there
 * is no such file, or `a` is in memory. A null variable of a dataset has the metadata alone. Valid until close. */
DRX_API const char *drx_file(const drx_array *a, int i);
/* The length of that file, and when it was last changed, in seconds since 1970; 0: a server does not tell. Errors:
 * DRX_EINVAL, DRX_EIO. */
DRX_API drx_status drx_file_state(const drx_array *a, int i, int64_t *bytes, int64_t *changed);

/* What a file system says of that file, also of a stripe on another node that the thread reaches (drxmp_reach_begin).
 * Errors: DRX_EINVAL, DRX_ENOENT (it has no such name any more; files on a server), DRX_EIO. */
typedef struct drx_file_status {
    int64_t bytes, stored_bytes; /* stored: on the disk, without holes */
    int64_t changed;             /* seconds since 1970 */
    int64_t mode;                /* permissions, as of chmod(2) */
    uint64_t reserved[4];
} drx_file_status;
DRX_API drx_status drx_file_look(const drx_array *a, int i, drx_file_status *out);

/* Two numbers that identify the present state of file i. Of a data file: its length, and the time of its last change in
 * nanoseconds since 1970; on a server, a hash of its ETag, or of its date and length. Of the metadata: half of the
 * creation id; and the end of the log for the handle, with the checksum of its last record. While nobody changes the
 * files, every process gets the same numbers. Two changes within one tick of the file system's clock, some
 * milliseconds, may have the same time. Elements that drx_put has set count after drx_sync. Errors: DRX_EINVAL,
 * DRX_EIO. */
DRX_API drx_status drx_file_version(const drx_array *a, int i, uint64_t version[2]);

/* Whether a path is a URL: it begins with http://, https:// or s3://. Any other path, also one that begins with file:,
 * names a file of this machine. */
DRX_API int drx_is_url(const char *path);

/* Whether there is the metadata file of an array `path`, and whether there is a folder `path` with a dataset; in either
 * case something else may be wrong. A server is asked for both at once, and what it sent is kept for some seconds, for
 * the call that opens it. Errors: DRX_EINVAL, and of a server DRX_EACCES, DRX_EIO, DRX_EUNSUPPORTED. */
DRX_API drx_status drx_look(const char *path, int *array, int *dataset);

/* The extents it was created with (of the axes that it has now: an axis that was added later has 1), and its growths
 * since, oldest first: growth i extended *axis by *by, or, where *by is negative, at its low end by -*by. Errors:
 * DRX_ERANGE. */
DRX_API const int64_t *drx_initial_shape(const drx_array *a);
DRX_API int64_t drx_growth_count(const drx_array *a);
DRX_API drx_status drx_growth(const drx_array *a, int64_t i, int *axis, int64_t *by);

/* ---- compression ---------------------------------------------------------------- */

/* The name of a codec ("zstd") and of a shuffle ("byte"), NULL for an unknown one; and what has that name, -1: none.
 * drx_codec_names has those of all codecs but DRX_RAW ("zstd" first), with ", " between them. */
DRX_API const char *drx_codec_name(drx_codec codec);
DRX_API const char *drx_codec_names(void);
DRX_API int drx_codec_named(const char *name);
DRX_API const char *drx_shuffle_name(drx_shuffle shuffle);
DRX_API int drx_shuffle_named(const char *name);

/* What the files of a compressed array hold. */
typedef struct drx_packing {
    int64_t compressed_chunks, open_chunks; /* open: stored as they are, since they are not complete */
    int64_t empty_chunks;                   /* nothing was written to them */
    int64_t stored_bytes;                   /* of the chunks: what is alive in the file of payloads */
    int64_t dead_bytes;                     /* of that file: of payloads that others have replaced */
    int64_t table_bytes;
    uint64_t reserved[8];
} drx_packing;

/* Survey the chunks of `a` that lie in its bounds. It reads the whole table. Errors: DRX_EINVAL (an array that is not
 * compressed), DRX_EDAMAGED, DRX_EIO, DRX_ENOMEM. */
DRX_API drx_status drx_packing_of(drx_array *a, drx_packing *out);

/* What compression would make of an array, by a sample of its chunks. */
typedef struct drx_trial {
    int64_t raw_bytes, packed_bytes; /* of the sample */
    double pack_seconds, unpack_seconds;
    uint64_t reserved[8];
} drx_trial;

/* Compress up to `most_chunks` chunks of `a`, evenly spread, in memory, on the calling thread, and decompress them
 * again. `a` may be compressed itself, or not. Errors: DRX_EINVAL, DRX_ENOMEM, and as drx_read. */
DRX_API drx_status drx_try_codec(drx_array *a, drx_codec codec, int level, drx_shuffle shuffle, int64_t most_chunks,
                                 drx_trial *out);

/* ---- where an array comes from ----------------------------------------------------
 * drx_spec.source keeps how a file of another format stored a variable, so that export can write such a file again. It
 * says nothing about the elements of the array. drx_describe gives it, and copies of an array have it. */

enum { DRX_LITTLE_ENDIAN = 1, DRX_BIG_ENDIAN };

struct drx_source {
    int byte_order;          /* DRX_LITTLE_ENDIAN, DRX_BIG_ENDIAN; 0: not known, or a byte has no order */
    size_t nwords;           /* of the filters, at most 2^24 */
    const uint32_t *filters; /* of HDF5, in the order in which a writer applies them, each as its registered number, the
                                number of its parameters, and these */
    uint64_t reserved[4];    /* zero */
};

/* ---- the map --------------------------------------------------------------
 * F* and its inverse, over the chunks of the array (paper, section III). */

DRX_API int64_t drx_chunk_count(const drx_array *a); /* addresses 0 to count - 1, also those of chunks trimmed since */

/* F*: linear address of the chunk with that index (in chunks). The chunk with address q begins in the data file at q
 * times the bytes of a chunk, rounded up to the alignment. Of n stripes it is in number q mod n, at (q div n) times
 * these bytes. Errors: DRX_ERANGE. */
DRX_API drx_status drx_chunk_address(const drx_array *a, const int64_t chunk_index[], int64_t *address);
/* F*-1: index of the chunk at that address. Errors: DRX_ERANGE, also for a chunk that was trimmed. */
DRX_API drx_status drx_chunk_index(const drx_array *a, int64_t address, int64_t chunk_index[]);

/* Where the bytes of a chunk lie, for programs that read them without the library. */
typedef struct drx_place {
    int file;              /* drx_file(a, file) has it; -1: nothing is stored, and all elements are the fill */
    int is_open;           /* of a compressed array: the frame holds the chunk as it is, and is written in place */
    int64_t offset, bytes; /* of the chunk without padding; of a compressed one, its frame of Blosc */
    int64_t lacking_bytes; /* at their end, which the file does not have: these elements are the fill */
    uint64_t reserved[4];
} drx_place;

/* Find the chunk with that index (in chunks). The place of a raw chunk holds until it is trimmed; that of a
 * compressed one until it is written again, closed or compacted, and it tells of the frame that drx_read would take.
 * Errors: DRX_ERANGE, DRX_EINVAL (an array in memory), DRX_EDAMAGED, DRX_ECHECKSUM, DRX_ENOMEM, DRX_EIO, DRX_ENOSPC. */
DRX_API drx_status drx_chunk_place(drx_array *a, const int64_t chunk_index[], drx_place *out);

/* The axial vectors of `axis`: the number of expansion records in both; and of record i the index N* (chunks), the
 * first address M* (-1: none starts here) and the coefficients C[ndim]. Those of growth at the high end come first:
 * they are about the indices from N* on. Those of growth at the low end follow: they are about the indices below N*,
 * and the coefficient of the axis is negative, since addresses rise with the distance (or 0, while another axis was
 * empty). drx_axial_low_count counts them. Errors: DRX_EINVAL, DRX_ERANGE. */
DRX_API int64_t drx_axial_count(const drx_array *a, int axis);
DRX_API int64_t drx_axial_low_count(const drx_array *a, int axis);
DRX_API drx_status drx_axial_record(const drx_array *a, int axis, int64_t i, int64_t *first_index,
                                    int64_t *first_address, int64_t coefficients[]);

/* ---- another layout ---------------------------------------------------------
 * A copy has other chunks, permuted axes, or another order inside chunks. Where memory allows, it reads and writes
 * every byte once (Krishnamoorthy et al. 2006; docs/layout.md). */

/* How far drx_keep_bits and drx_copy moved elements at most; they raise it. Zero-initialise it. */
typedef struct drx_rounding {
    double largest;  /* |rounded - element| */
    double relative; /* |rounded - element| / |element| */
    uint64_t reserved[2];
} drx_rounding;

/* Round floating-point elements to fewer bits, so that they compress better, as netCDF's BitRound does: to the nearest
 * number whose mantissa has only zeros after the first `bits` stored bits, and away from zero between two of them. The
 * relative error is at most 2^-(bits + 1).
 *
 *   bits      1 to 10 for DRX_FLOAT16, to 23 for single precision, to 52 for double; both parts of a complex number are
 *             rounded
 *   skip      one element, the fill say, which stays as it is; NULL: none
 *   elements  n of them
 *   told      may be NULL
 *
 * NaN and infinite numbers stay, and no finite number becomes infinite: the largest ones are rounded towards zero.
 * Errors: DRX_EINVAL. */
DRX_API drx_status drx_keep_bits(drx_type type, int bits, const void *skip, int64_t n, void *elements,
                                 drx_rounding *told);

/* A flag of drx_copy_spec. */
enum { DRX_FROM_ZERO = 64 };

typedef struct drx_copy_spec {    /* zero-initialise, then set what you need */
    const int *permute;           /* axis j of the copy is axis permute[j] of the source; NULL: j */
    const int64_t *chunk;         /* extents of a chunk of the copy, in its axes; NULL: the source's */
    const drx_order *chunk_order; /* NULL: the source's; else it points to one */
    int64_t align;                /* as in drx_spec, also DRX_ALIGN_AUTO; 0: the source's */
    int64_t memory_bytes;         /* upper bound of what it allocates for data; 0: DRX_COPY_MEMORY */
    unsigned flags;               /* DRX_REPLACE | DRX_CHECKSUM | DRX_SHELL | DRX_TEMPORARY, not the source's;
                                     DRX_FROM_ZERO: the indices of the copy begin at 0, not where the source's do */
    const char *tmp;              /* folder for temporary arrays between several passes; NULL: the copy's */
    drx_progress progress;        /* of bytes written, in all passes; may be NULL; `user` is passed to it */
    void *user;
    int nstripes;  /* folders to spread the data over, as in drx_spec; 0: one file */
    int keep_bits; /* round elements, but those that are the fill, as drx_keep_bits does; 0: copy them as they are */
    const char *const *stripes;
    drx_rounding *rounding; /* raised by keep_bits; may be NULL */
    drx_codec codec;        /* of the copy, with level and shuffle as in drx_spec; not the source's */
    int level;
    drx_shuffle shuffle;
    int part, parts;      /* of drx_copy_into: copy part number `part` of this many; 0, 0: all */
    int reserved_word;    /* zero */
    uint64_t reserved[2]; /* zero */
} drx_copy_spec;

enum { DRX_COPY_MEMORY = 512 << 20 };

/* What a copy takes, by the model of docs/layout.md. */
typedef struct drx_copy_plan {
    int passes;                                               /* 0: the array has no elements */
    int64_t memory_bytes;                                     /* that it allocates for data */
    int64_t temporary_bytes;                                  /* on disk, the most at a time */
    int64_t read_bytes, read_calls, write_bytes, write_calls; /* of all passes */
    double seconds;                                           /* for comparing plans; not a promise */
    uint64_t reserved[4];
} drx_copy_plan;

/* Plan a copy of `src` without making it. The plan as a table goes to text[n], cut to fit and ended by a NUL; *length
 * (may be NULL) is the length of the whole table. A NULL text takes n = 0.
 * Errors: DRX_EINVAL (not a permutation, an extent of 0, ...), DRX_EOVERFLOW, DRX_ENOMEM, DRX_ERANGE: too little
 * memory. Then the detail says how much would do, and so does plan->memory_bytes, which alone is set. */
DRX_API drx_status drx_plan_copy(const drx_array *src, const drx_copy_spec *spec, drx_copy_plan *plan, char *text,
                                 size_t n, size_t *length);

/* Copy `src`, with its attributes and the names of its axes, to a new array of another layout. The copy has the bounds
 * of `src`, but not its growth history. An array whose indices do not begin at 0 is copied box by box within the
 * memory, without a plan: drx_plan_copy gives DRX_EUNSUPPORTED for it.
 *
 *   path  of the copy, without suffix; NULL: it lives in memory. DATASET/NAME: it becomes a variable of the dataset, in
 *         a commit of its own, with dimensions of the names that the axes of `src` have (drx_dataset_add)
 *   spec  NULL: everything as in the source
 *   out   the copy, open for writing, the caller's until drx_close; NULL: the copy is closed, and needs a path
 *
 * The copy gets its name when it is complete. It is not synced: see drx_sync. Nothing is left behind when the call
 * fails, `progress` interrupts it, or the process dies. Other threads may read `src` meanwhile; a growth of it waits.
 * Another process may write to `src` meanwhile: elements that it changes are copied with their old or new values.
 * Threads: one reads ahead and one writes behind, where memory allows two buffers.
 * Errors: as drx_plan_copy, drx_read, drx_create; DRX_EEXIST, DRX_EINTERRUPTED. */
DRX_API drx_status drx_copy(drx_array *src, const char *path, const drx_copy_spec *spec, drx_array **out);

/* Copy the elements of `src` to those of `dst`, which exists: an array of the same type, whose extents are those of
 * `src`, permuted as spec->permute says. Index lower + i of `src` goes to index lower + i of `dst`, with the lower
 * bounds of each. Attributes and names stay as they are. The copy follows the plan that drx_copy would, within
 * memory_bytes; where either array's indices do not begin at 0, or `dst` is compressed, it goes box by box.
 *
 *   spec  NULL: all zero. What describes a new array must be zero (chunk, chunk_order, align, flags, stripes, codec).
 *         parts > 1: copy only part number `part`, 0 to parts - 1: a box of whole chunks of `dst`, or of parts of one
 *         where there are too few. The parts make up the whole copy, and together use memory_bytes. So several
 *         processes or threads share the work; each passes an equal spec, and a part may be empty. When memory_bytes
 *         are too few, all parts are refused before they write anything
 *
 * Other threads may read both arrays meanwhile. Nobody else should write to `dst`. On error its elements have old or
 * new values.
 * Errors: as drx_plan_copy, drx_read, drx_write; DRX_EMISMATCH (another type, other extents), DRX_EACCES (`dst` is open
 * for reading), DRX_EINTERRUPTED. */
DRX_API drx_status drx_copy_into(drx_array *src, drx_array *dst, const drx_copy_spec *spec);

/* ---- choosing a layout ---------------------------------------------------------
 * What drx_create takes for the chunk of spec->shape, spec->lower, spec->type and spec->grows.
 *
 *   spec->chunk  NULL; or the chunk of a source, which is taken if it has 16 KiB to 8 MiB and the bounds fill its
 *                chunks
 *   chunk        spec->ndim extents
 *
 * The chunks of an array of more than 64 KiB take at most a tenth more than its elements. They have 64 KiB to 1 MiB,
 * and about as many elements along each axis. (Bounds that begin at other indices than 0 may need smaller ones:
 * chunks begin at multiples of their extents.) A smaller array is one chunk of its own shape; of up to 64 KiB along
 * the axes that spec->grows names, and else of up to 4 KiB. An array without elements has room for 1 MiB along the
 * axes that are empty or grow. docs/performance.md says why. Errors: DRX_EINVAL. */
DRX_API drx_status drx_choose_chunk(const drx_spec *spec, int64_t chunk[]);

/* For the requests that a program makes: what they cost in the present layout, the chunk that makes them cheapest, and
 * when a copy pays (docs/layout.md). */

typedef struct drx_access { /* reads of boxes of one shape, anywhere in the array */
    const int64_t *count;   /* its extents, each from 1 to the bound */
    double weight;          /* how often, beside the others; 0: 1 */
} drx_access;

/* One such request as read from a disk, averaged over all positions; modelled seconds. */
typedef struct drx_access_cost {
    double calls, bytes, seconds;
    uint64_t reserved[1];
} drx_access_cost;

typedef struct drx_advise_spec { /* zero-initialise, then set what you need */
    int64_t chunk_bytes;         /* upper bound for the proposed chunk; 0: 1 MiB */
    int64_t align;               /* of the copy, as in drx_spec; 0: what suits block_bytes */
    int64_t memory_bytes;        /* for the copy; 0: DRX_COPY_MEMORY */
    uint64_t reserved[8];        /* zero */
} drx_advise_spec;

typedef struct drx_advice {
    int copies;                           /* 0: no chunk of that size is better than the present one */
    int64_t chunk[DRX_MAX_NDIM];          /* proposed, or the present one */
    int64_t align;                        /* likewise */
    int64_t block_bytes;                  /* of the file system, or a stripe of it; 1: not known */
    double before_seconds, after_seconds; /* of a round: each request as often as its weight says */
    drx_copy_plan copy;                   /* zero without a copy */
    double rounds;                        /* after which the copy has saved the time it took */
    uint64_t reserved[4];
} drx_advice;

/* Propose a chunk for `n` kinds of requests. The call reads and changes no elements.
 *
 *   spec           NULL: the defaults
 *   before, after  n costs each, in the present and in the proposed layout; may be NULL
 *
 * The order inside chunks stays. By the model, the proposal is never worse than the present layout. The call takes up
 * to some seconds when there are many axes. Errors: DRX_EINVAL (no request; an impossible extent, weight, alignment or
 * size; an array without elements), DRX_ENOMEM, DRX_EOVERFLOW, DRX_ERANGE: too little memory for the copy. */
DRX_API drx_status drx_advise(const drx_array *a, int n, const drx_access access[], const drx_advise_spec *spec,
                              drx_advice *out, drx_access_cost before[], drx_access_cost after[]);

/* ---- settings and counters ------------------------------------------------------ */

/* Bound the memory of the pool that gathers single-element writes; 0 writes each at once. The default is 4 MiB. A
 * handle opened DRX_SHARED has none. Errors:
 * DRX_EIO, DRX_ENOSPC (flushing). */
DRX_API drx_status drx_set_pool(drx_array *a, size_t bytes);

/* Bound the memory that reads and writes of boxes use to move elements through. The bound holds for all arrays of the
 * process together, for its helper threads and one calling thread. 0, the default, is 8 MiB for a read from the disk
 * and up to 4 MiB for each thread of a write; less than 16 KiB for each counts as 16 KiB. It does not bound the
 * memory of drx_copy.
 *
 * A thread that reads from a compressed array holds two chunks and a payload, which is no longer than a chunk and 16
 * bytes. A bound lets as many threads share a read as have room, and at least one, so three chunks and 16 bytes are the
 * minimum.
 *
 * Pages of mapped files count as memory of a process, too. Without a bound they stay mapped while the array is open,
 * and the system takes them back when it needs them. With a bound the library releases them when there are about half
 * as many bytes of them; drx_copy, when there are 16 MiB. Files that are larger than the bound are read with system
 * calls instead.
 *
 * When the process opens its first array, the library looks for the memory that the process is allowed by a control
 * group (memory.max, in version 1 memory.limit_in_bytes) or by RLIMIT_AS. If that is less than the memory of the
 * machine, a third of it is the default, and 0 means that. */
DRX_API void drx_set_memory(size_t bytes);

/* Turn writing behind on (the default) or off, for all arrays of the process. While it is on, and a handle has
 * written a sixteenth of the memory that the process may use (at least 256 MiB, at most 2 GiB), the system begins to
 * write elements to the disk soon after large writes in the order of the file, as those of drx_append are. The disk
 * then works while the program computes, and drx_sync has little left to wait for. A copy into another layout whose
 * source is in memory waits for an eighth of the memory (at least 256 MiB) instead. Off: the system chooses when, as
 * for other files. Either way elements are durable only after drx_sync. */
DRX_API void drx_set_write_behind(int on);

/* Turn reading ahead on (the default) or off, for all arrays of the process. While it is on, three reads of boxes of
 * one shape at equal distances are taken for a walk, which may turn at the ends of its rows, as nested loops do.
 * While the program works on a box, the system brings the next one from the disk into its cache. Of an array that is
 * too large for the cache, a handle that only reads brings the next box, or its first part, into memory of its own,
 * while nobody has the array open for writing. All handles of the process together take half of what drx_set_memory
 * allows for that (nothing below 32 MiB); without it a sixteenth of the memory that the process may use, at most 256
 * MiB. Of an array on a server up to 32 boxes are asked for, into at most 64 MiB, or an eighth of what drx_set_memory
 * allows. */
DRX_API void drx_set_read_ahead(int on);

/* Let reads verify each chunk of which they take a part as a whole, for all arrays of the process that have checksums:
 * those of DRX_CHECKSUM, and compressed ones, except chunks that are still open. Otherwise only reads of whole chunks
 * compare, since a part may be a small fraction of its chunk. Damage is DRX_ECHECKSUM. Off by default, unless the
 * variable DRX_VERIFY of the environment has a value other than 0 when the first array is read. */
DRX_API void drx_set_verify(int on);

/* What reads and writes of boxes have done on `a` since it was opened, to see how a request was carried out. Single
 * elements from the mapped file are not counted. */
typedef struct drx_counters {
    int64_t wanted_bytes; /* of elements that callers asked to read */
    int64_t mapped_bytes; /* of these, from the mapped file, or from a cache of blocks, without a call, */
    int64_t copies;       /* in this many copies */
    int64_t reads, read_bytes;
    int64_t writes, written_bytes;
    int64_t concurrent;    /* of the reads, those that were under way together with others */
    int64_t direct_bytes;  /* of read_bytes, those that did not pass through the system's cache */
    int64_t ahead_bytes;   /* that were fetched for the next box of a walk */
    int64_t touched_bytes; /* of read_bytes, those that were copied from the mapped file as they came into the cache */
    uint64_t reserved[1];
} drx_counters;
DRX_API drx_status drx_count(const drx_array *a, drx_counters *out); /* DRX_EINVAL: a null pointer */

/* For libraries that are built on this one: set the detail of drx_last_error, up to 1023 bytes. Returns st. */
DRX_API drx_status drx_fail(drx_status st, const char *detail);

#ifdef __cplusplus
}
#endif

#endif
