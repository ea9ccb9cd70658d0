/* An open array, and what the files of this layer offer each other.
 *
 *   state.c     what the log says: bounds, map, history, names
 *   attr_table.c  and attributes
 *   log.c       reading, judging and appending the log
 *   compact.c   a shorter log for the same state, in the place of a long one
 *   layout.c    sizes and strides that follow from the description; default chunk
 *   create.c    making an array
 *   place.c     names: putting files in place, replacing, removing
 *   rename.c    another name for an array
 *   duplicate.c an exact copy of the files
 *   stored.c    what a file stores, piece by piece, without its holes
 *   check*.c    verifying everything
 *   repair.c repair_log.c repair_gap.c  what can be mended, mended (repair.h)
 *   open.c      opening, closing, refresh
 *   recover.c   what a crash left, put right
 *   sync.c      making it durable; what is promised of that
 *   shared.c    changes beside other writers: waiting, catching up, stale handles
 *   grow.c      extend, append, and undoing an append
 *   striped.c   the data file, or the files that take its place in several folders
 *   restripe.c  the log of a copy that has stripes of its own
 *   data.c      bytes of the data file; what is missing reads as fill
 *   sums.c sums_*.c  checksums of the data (sums.h)
 *   cursor.c    the chunks that a strided box meets, in address order
 *   mapped.c    reading boxes from a view of the data file; verified.c: with checksums
 *   transfer.c  moving boxes between memory and chunks, through a stage
 *   ahead.c     telling the system what such a read comes to next
 *   request.c   which of the two, and how many threads
 *   access.c    the public reads and writes
 *   async.c     those that go on beside the caller
 *   attr.c      attributes and names
 *   replica.c   the handles of several processes
 *   inquire.c   everything that only looks
 *
 * Invariants
 *   1. What is durable or visible to others is what the log says; memory follows
 *      it only after the record has been written.
 *   2. Data goes to the file before the record that makes it visible.
 *   3. A change that cannot be undone after a failure sets `broken`, and the
 *      handle then only reads.
 *   4. Cells outside the bounds, in chunks, hold the fill. A session trusts this
 *      of its own doing, and of that of writers it shares the array with; of what
 *      it found at open only after looking (`found`).
 */
#ifndef DRXI_ARRAY_H
#define DRXI_ARRAY_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/gate.h"
#include "format/format.h"
#include "io/io.h"
#include "io/stripes.h"
#include "map/map.h"
#include "pool/pool.h"

enum { DRXI_POOL_BYTES = 4 << 20 }; /* unless drx_set_pool says otherwise */

/* What a process reads through a view counts as its memory until it lets go; to come back to a page costs as much as
 * some thousand bytes of copying. Of many processes on one machine each has less. */
#define DRXI_VIEW_BYTES (INT64_C(8) << 30)
#define DRXI_PARALLEL_VIEW_BYTES (INT64_C(16) << 20)

struct drxi_attr {
    char *name;
    drx_type type;
    bool is_text;
    int64_t n;
    void *values; /* native order; a NUL behind text */
};

struct drxi_state {
    struct drxi_desc desc;
    int64_t shape[DRX_MAX_NDIM];
    int64_t most_chunks; /* so many, and their checksums, take less than 2^63 bytes */
    drxi_map map;
    int64_t growths, growth_axis_room, growth_by_room;
    uint8_t *growth_axis;
    int64_t *growth_by;
    int64_t growth_runs; /* of growths that added chunks, along one axis without a break */
    int64_t attrs, attr_room;
    struct drxi_attr *attr;
    int64_t attr_holes, attr_places; /* attr_table.c */
    int64_t *attr_place;
    uint64_t attr_key;
    char *dim[DRX_MAX_NDIM];
    struct drxi_stripes stripes;

    int64_t log_end; /* bytes of `.xmd` that are valid */
    uint64_t sequence;
    uint32_t crc; /* of the last record, or of the description */
    int64_t crc_at; /* where it stands in the file */
    bool at_sync; /* the last record is a SYNC */
    bool ever_synced;
    int64_t synced_chunks;
    bool unknown_records; /* optional ones, which this version does not know */
    bool intent_open; /* the last record is an INTENT: */
    struct drxi_growth intent;
};

/* Of the data file; see drx_counters. */
struct drxi_counts {
    atomic_int_fast64_t wanted_bytes, mapped_bytes, copies, reads, read_bytes, writes, written_bytes;
};

struct drx_array {
    struct drxi_gate gate; /* entered: access to elements; shut: all that changes the state */
    char *path;            /* NULL: in memory */
    char *label;           /* the path, or a word for messages */
    bool writable, temporary;
    bool shared; /* opened DRX_SHARED: shared.c */
    atomic_bool parallel; /* one of the handles of several processes: replica.c */
    bool new_names; /* created and not synced since */
    int64_t compact_from_bytes; /* compacting failed: not tried again before the log is so long */
    drx_status broken;
    drxi_io *meta, *data; /* meta NULL: in memory */
    struct drxi_sums *sums; /* of the data; NULL: none are kept */
    drxi_pool *pool;      /* NULL: in memory, or read-only */
    atomic_bool data_unsynced;
    struct drxi_counts counts;
    struct drxi_view view; /* of the data; see drxi_data_view */
    atomic_int view_state;
    atomic_int_fast64_t viewed_bytes; /* about so many since its pages were let go */
    int64_t view_limit_bytes;         /* and so many at most: request.c reads in parts of a quarter */
    pthread_mutex_t view_lock;
    struct drxi_async *requests; /* not done, oldest first: async.c */
    pthread_mutex_t requests_lock;
    pthread_cond_t requests_done;
    struct drxi_state state;
    int64_t found[DRX_MAX_NDIM]; /* cells of axis j between shape[j] and found[j] were not looked at */

    /* follow from the description */
    size_t item_bytes;
    bool zero_fill;
    int64_t chunk_bytes, chunk_pitch_bytes; /* pitch: from one chunk to the next */
    int64_t item_pitch_bytes[DRX_MAX_NDIM];              /* inside a chunk */
};

/* ---- state.c ------------------------------------------------------------------ */

drx_status drxi_state_init(struct drxi_state *s, const struct drxi_desc *desc);
void drxi_state_free(struct drxi_state *s);

/* Growth of the bounds, prepared (may fail) and made (does not). */
struct drxi_step {
    struct drxi_growth growth;
    int64_t by_chunks, chunks_before, chunks_after;
};
drx_status drxi_state_prepare(struct drxi_state *s, int axis, int64_t by, struct drxi_step *step);
DRXI_SHARED void drxi_state_grow(struct drxi_state *s, const struct drxi_step *step);

/* An attribute, or a name of an axis (NULL: none), made (may fail) and set (does
 * not; takes what was made). */
drx_status drxi_state_make_attr(struct drxi_state *s, const struct drxi_attr_payload *payload, struct drxi_attr *made);
void drxi_state_set_attr(struct drxi_state *s, const struct drxi_attr *made);
void drxi_attr_free(struct drxi_attr *attr); /* what it holds */
int64_t drxi_state_find_attr(const struct drxi_state *s, const char *name, size_t name_bytes); /* -1: none */
void drxi_state_delete_attr(struct drxi_state *s, int64_t i); /* others keep their place until: */
void drxi_state_pack_attrs(struct drxi_state *s); /* no holes are left, attr[0] to attr[attrs - 1] are there */
void drxi_state_free_attrs(struct drxi_state *s);
void drxi_state_set_dim(struct drxi_state *s, int axis, char *made);

/* Apply a valid record of the log, the next in the chain. DRX_EDAMAGED: it says
 * what cannot be; then nothing has changed. After the last one: drxi_state_pack_attrs. */
drx_status drxi_state_apply(struct drxi_state *s, const struct drxi_record *record);

/* ---- log.c --------------------------------------------------------------------- */

enum drxi_tail { DRXI_WHOLE, DRXI_TORN, DRXI_DAMAGED };

/* Read the description of a->meta, and set up the state of it. */
drx_status drxi_log_describe(drx_array *a);
/* Apply the records from state.log_end on, and judge what follows the last valid
 * one. DRXI_DAMAGED sets the detail. */
drx_status drxi_log_read(drx_array *a, enum drxi_tail *tail);
/* Whether the log is the one whose end the state knows, DRX_EDAMAGED when not; *more: something follows. */
drx_status drxi_log_continues(drx_array *a, bool *more);
/* Append the record whose payload stands at record + DRXI_RECORD_HEAD_BYTES. On
 * failure the log is as it was. */
drx_status drxi_log_append(drx_array *a, enum drxi_kind kind, int arg, uint8_t *record, size_t payload_bytes);
drx_status drxi_log_append_growth(drx_array *a, enum drxi_kind kind, const struct drxi_growth *growth);
drx_status drxi_log_append_sync(drx_array *a);

/* ---- compact.c -------------------------------------------------------------------- */

/* When a log is compacted of itself: from so many bytes on, when they are so many times what it takes then. Tests change
 * it. */
struct drxi_compaction {
    int64_t from_bytes, times;
};
extern struct drxi_compaction drxi_compaction;

/* What the log would take when compacted. */
int64_t drxi_compacted_bytes(const drx_array *a);
/* Let a new log of the same state take the place of a->meta, which is locked; all that it tells of is durable. On failure
 * the old one stays, or, when it cannot be known which of both will, the array is broken. */
drx_status drxi_compact(drx_array *a);
/* The same if the log is long and mostly superseded; what fails is not told unless the array is broken by it. After a
 * sync; and at opening, with one. */
drx_status drxi_compact_after_sync(drx_array *a);
drx_status drxi_compact_at_open(drx_array *a);

/* ---- restripe.c ------------------------------------------------------------------ */

/* Write the metadata of `a`, which are striped, to an empty file, with these stripes for their own: all records of its
 * log, sealed anew, and what follows them up to the offset `end` as it is. */
drx_status drxi_log_restripe(const drx_array *a, int64_t end, const struct drxi_stripes *stripes, drxi_io *to);

/* ---- layout.c -------------------------------------------------------------------- */

/* Bytes from one chunk to the next. DRX_EOVERFLOW. */
drx_status drxi_chunk_pitch(const struct drxi_desc *desc, int64_t *bytes);
/* Derive sizes from state.desc, for which drxi_chunk_pitch succeeded. */
void drxi_layout(drx_array *a);
/* Where the chunks along an axis end. */
int64_t drxi_chunks_end(const drx_array *a, int axis);
/* A chunk of about 1 MiB shaped to the bounds. */
void drxi_choose_chunk(int ndim, const int64_t shape[], size_t item_bytes, int64_t chunk[]);

/* ---- create.c ----------------------------------------------------------------------- */

/* DRXI_ID_BYTES that nothing else has. */
drx_status drxi_new_id(uint8_t id[]);

/* As drx_create. Without `fill` a fill that is not zero is not written: who makes the array writes all
 * of its initial chunks, before anybody else sees it. */
DRXI_SHARED drx_status drxi_create(const char *path, const drx_spec *spec, bool fill, drx_array **out);

/* ---- place.c ------------------------------------------------------------------------ */

/* Whether a path can be given a suffix. */
drx_status drxi_check_path(const char *path);

struct drxi_names {
    char *meta, *data, *checksums;
};
drx_status drxi_names_make(const char *path, struct drxi_names *n); /* free also on failure */
void drxi_names_free(struct drxi_names *n);

/* Whether the path is free: taken, unless what is there may be replaced and nobody
 * writes to it. *old, if there is one, holds its lock until it is closed. */
drx_status drxi_check_free(const struct drxi_names *n, bool replace, drxi_io **old);
/* The same before work is done; what counts is the look under the folder's lock. */
drx_status drxi_look_first(const struct drxi_names *n, bool replace);

/* Open metadata that is about to lose its name, and keep writers away: DRX_EBUSY
 * when there is one. What may not be written needs no lock. */
drx_status drxi_hold_meta(const char *meta, drxi_io **out);

/* What bears the names, and is to be replaced: NULL where there is nothing. meta
 * comes from drxi_check_free. */
struct drxi_old {
    drxi_io *meta, *data, *checksums;
    struct drxi_stripes stripes; /* which keep their names until they are dropped */
};
drx_status drxi_set_aside(const struct drxi_names *n, struct drxi_old *old); /* under other names */
void drxi_put_back(struct drxi_old *old); /* under their own again; changes the detail */
void drxi_let_go(struct drxi_old *old);   /* close, and so remove, what is set aside */
void drxi_drop_stripes(const char *path, const struct drxi_old *old); /* when what replaces it is in place */

/* Give the complete files a->data and a->meta their names, the metadata last, while
 * nobody else makes, replaces or removes arrays in the folder. */
drx_status drxi_put_in_place(drx_array *a, const struct drxi_names *n, bool replace);

/* Remove what there is of an array, the metadata first; DRX_ENOENT: nothing. */
drx_status drxi_remove_files(const struct drxi_names *n);

/* ---- stored.c ------------------------------------------------------------------------ */

/* What the first `length` bytes of a file store. */
struct drxi_stored {
    drxi_io *io;
    int64_t length, at, end;
    bool holes; /* these are taken for stored, too */
};
void drxi_stored_start(struct drxi_stored *s, drxi_io *io, int64_t length, bool holes);
/* The next piece, of at most `most` bytes; *n is 0 when there are no more. */
drx_status drxi_stored_next(struct drxi_stored *s, int64_t most, int64_t *offset, int64_t *n);
/* Bytes of all pieces. */
drx_status drxi_stored_bytes(drxi_io *io, int64_t length, bool holes, int64_t *bytes);

/* ---- attr.c ------------------------------------------------------------------------ */

/* Name an axis; name NULL or empty: remove its name. */
drx_status drxi_name_axis(drx_array *a, int axis, const char *name);

/* ---- open.c ------------------------------------------------------------------------ */

drx_status drxi_array_new(const char *path, drx_array **out);
DRXI_SHARED drx_status drxi_array_free(drx_array *a); /* closes what is open */
/* Open both files of a->path, of one array, and read the log; when a->writable, with
 * the lock. Nothing is mended yet. */
drx_status drxi_open_pair(drx_array *a, enum drxi_tail *tail);
drx_status drxi_open_data_of(drx_array *a); /* a->data; the log has been read */
void drxi_close_files(drx_array *a); /* so that it can be opened again */
void drxi_swap_logs(drx_array *a, drx_array *b); /* and what follows from them */
drx_status drxi_new_pool(drx_array *a); /* a->pool */
/* Whether `a` can be written now: DRX_EACCES, or why it is broken. */
DRXI_SHARED drx_status drxi_check_writable(const drx_array *a);

/* ---- recover.c --------------------------------------------------------------------- */

/* Where the data end; a file of it that is shorter than the last SYNC implies is *damaged,
 * with the detail set. */
drx_status drxi_check_length(drx_array *a, int64_t *size, bool *damaged);
/* Put right what a crash has left, by who holds the lock of a change. */
drx_status drxi_recover(drx_array *a, enum drxi_tail tail);

/* ---- sync.c ------------------------------------------------------------------------ */

/* Sync a file of the array. What could not be made durable may be lost even if a
 * later attempt succeeds: the array is broken then. */
drx_status drxi_make_durable(drx_array *a, drxi_io *io);
/* All that drx_sync does but compacting. */
drx_status drxi_sync_files(drx_array *a);

/* ---- shared.c ------------------------------------------------------------------------ */

/* Every change of the log, by calls of drx.h, stands between these two, the handle's gate shut. After `begin` the state is
 * all that was committed until now, and stays it; DRX_EBUSY, DRX_EMISMATCH, DRX_EDAMAGED: it cannot be.
 * `end` follows in any case. */
drx_status drxi_begin_change(drx_array *a);
void drxi_end_change(drx_array *a);
/* Who has the array alone finds the log as he left it; DRX_EBUSY: he does not, the locks of the file system keep nobody
 * away. */
DRXI_SHARED drx_status drxi_check_log(drx_array *a);
/* Wait for the lock of a change, while somebody else who has it does something. */
drx_status drxi_lock_log(drx_array *a);
/* DRX_EMISMATCH, for a handle whose path names something else now: it is broken. */
drx_status drxi_lost_name(drx_array *a);
extern int drxi_patience_ms; /* with those who do nothing; tests change it */

/* ---- grow.c ------------------------------------------------------------------------ */

/* Make room for the chunks from `before` to `after`, holding the fill; durably, if
 * that has to be written and something was promised before: after a power cut
 * zeros could stand in for it, and could be taken for data. */
drx_status drxi_allocate(drx_array *a, int64_t before, int64_t after);
/* Put the cells that a growth was to uncover back to fill, the data file back to
 * its length, and make that durable. */
drx_status drxi_undo_append(drx_array *a, const struct drxi_growth *growth);

/* Put all cells of chunks that lie outside the bounds back to fill, durably; *changed tells whether one did not hold it. */
drx_status drxi_restore_outside(drx_array *a, bool *changed);

static inline void drxi_count(atomic_int_fast64_t *counter, int64_t by)
{
    (void)atomic_fetch_add_explicit(counter, by, memory_order_relaxed);
}

/* In steps, the handle's gate shut: prepared (all that can be found wrong, and memory; *step says what is to be done),
 * done, undone. An append is begun, its slab written, and committed. */
DRXI_SHARED drx_status drxi_prepare_growth(drx_array *a, int axis, int64_t by, struct drxi_step *step);
DRXI_SHARED drx_status drxi_extend(drx_array *a, const struct drxi_step *step);
DRXI_SHARED drx_status drxi_begin_append(drx_array *a, const struct drxi_step *step);
DRXI_SHARED drx_status drxi_commit_append(drx_array *a, const struct drxi_step *step);
/* Undo what was begun; the detail of the failure `st` stays. Returns st. */
DRXI_SHARED drx_status drxi_fail_append(drx_array *a, const struct drxi_step *step, drx_status st);

/* ---- replica.c ------------------------------------------------------------------------- */

/* DRX_EACCES for a handle of several processes; and whether another can be changed now. */
drx_status drxi_check_alone(const drx_array *a);
drx_status drxi_check_changeable(const drx_array *a);
DRXI_SHARED void drxi_set_parallel(drx_array *a, bool parallel);
/* So many may have it open on one machine. */
DRXI_SHARED void drxi_share_machine(drx_array *a, int processes);

/* How far the log goes. */
struct drxi_log_end {
    int64_t bytes;
    uint64_t sequence;
    uint32_t crc;
    bool at_sync;
};
DRXI_SHARED struct drxi_log_end drxi_get_log_end(const drx_array *a);
DRXI_SHARED void drxi_set_log_end(drx_array *a, struct drxi_log_end end);

/* The valid bytes of the log from `from` on; 0: all, with the description. Free with drxi_free. */
DRXI_SHARED drx_status drxi_read_log(const drx_array *a, int64_t from, uint8_t **bytes, int64_t *n);
/* Open the data of `path`, of which that is the log; by their names, or, of a temporary array, by the root's aliases. */
DRXI_SHARED drx_status drxi_open_replica(const char *path, bool writable, const struct drxi_alias aliases[],
                                         const uint8_t *bytes, int64_t n, drx_array **out);
/* Apply bytes of the log: those that follow on, or all, when it is another now. */
DRXI_SHARED drx_status drxi_follow_log(drx_array *a, int64_t from, const uint8_t *bytes, int64_t n);
/* What this handle has written of the data is durable. */
DRXI_SHARED drx_status drxi_sync_data(drx_array *a);
/* Let the data go through `io`, which is another way to the same file and belongs to the array now. Returns the one that
 * it had, the caller's. The gate is shut. */
DRXI_SHARED drxi_io *drxi_redirect_data(drx_array *a, drxi_io *io);

/* ---- striped.c --------------------------------------------------------------------- */

/* The path of stripe k of the array `path`, to be freed; NULL: out of memory. */
char *drxi_stripe_path(const char *path, const struct drxi_stripes *stripes, int k);
bool drxi_stripes_relative(const struct drxi_stripes *stripes); /* a folder is seen from that of the metadata */
/* Names for new stripes of the array. */
drx_status drxi_stripes_new(const char *path, const uint8_t id[], int n, const char *const folder[],
                            struct drxi_stripes *out);
drx_status drxi_stripes_absolute(const char *path, struct drxi_stripes *stripes);

/* The data of the array `path`, as one file or as that of its stripes. DRX_ENOENT names what is missing. */
drx_status drxi_open_data(const char *path, const struct drxi_stripes *stripes, int64_t unit_bytes, enum drxi_how how,
                          drxi_io **out);
/* How others can open the files of a->data and a->sums, as many as there are; and open them in another process, into
 * these. Where they have no names, others may reach them by those that they get when they are parked. */
DRXI_SHARED int drxi_alias_count(const drx_array *a);
DRXI_SHARED drx_status drxi_park_nameless(drx_array *a);
DRXI_SHARED drx_status drxi_data_aliases(const drx_array *a, struct drxi_alias alias[]);
drx_status drxi_open_aliases(drx_array *a, const struct drxi_alias alias[]);
/* The length that file k of a->data has to have. */
int64_t drxi_data_length(const drx_array *a, int k);
drx_status drxi_sync_stripe_folders(drx_array *a); /* the names of the stripes are durable */

/* The stripes of an array that may be damaged: n is 0 when it has none, or nobody can tell. Keeps the detail. */
drx_status drxi_read_stripes(drxi_io *meta, struct drxi_stripes *out);
drx_status drxi_remove_stripes(const char *path, const struct drxi_stripes *stripes); /* those that are there */
drx_status drxi_append_stripes(drx_array *a, const struct drxi_stripes *stripes); /* to the log */
/* Let the log give the folders by their absolute paths, durably, so that the metadata may go to another folder. */
drx_status drxi_fix_stripe_folders(const char *path);

/* ---- data.c ------------------------------------------------------------------------ */

/* Bytes at an offset that is a multiple of item_bytes; read: missing ones are
 * fill, unless the last SYNC promised them (DRX_EDAMAGED). write swaps `buf` on
 * big-endian machines. */
DRXI_SHARED drx_status drxi_data_read(drx_array *a, void *buf, size_t n, int64_t offset);
DRXI_SHARED drx_status drxi_data_write(drx_array *a, void *buf, size_t n, int64_t offset);
/* The same of bytes as they are on disk, which stay as they are; and without their checksums. */
drx_status drxi_data_put(drx_array *a, const void *buf, size_t n, int64_t offset);
drx_status drxi_data_store(drx_array *a, const void *buf, size_t n, int64_t offset);
/* Let the data, and their checksums, have the length of so many chunks. */
drx_status drxi_data_resize(drx_array *a, int64_t chunks);
/* Make elements of `n` bytes that a read of the file gave, of which the first `got` were there: the file ends before
 * the offset `end` of the next one. Errors: DRX_EDAMAGED. */
DRXI_SHARED drx_status drxi_data_complete(drx_array *a, void *buf, size_t n, size_t got, int64_t end);
/* What is in the file as memory, as far as view->bytes; NULL when there is none.
 * Valid until the file's length changes, which drxi_data_resized tells of. */
const struct drxi_view *drxi_data_view(drx_array *a);
DRXI_SHARED void drxi_data_resized(drx_array *a);
/* Write the fill from `begin`, a multiple of item_bytes, to `end`, not the padding. */
drx_status drxi_data_fill(drx_array *a, int64_t begin, int64_t end);

/* ---- cursor.c ------------------------------------------------------------------------ */

struct drxi_cursor;

/* The piece of a strided box that lies in one chunk. */
struct drxi_piece {
    int64_t address;
    int64_t from[DRX_MAX_NDIM];  /* its first element, counted in the box */
    int64_t start[DRX_MAX_NDIM]; /* the same, counted in the chunk */
    int64_t count[DRX_MAX_NDIM];
};

/* Put axis `j` of the cursor on the first chunk from `index` on, and before `end`, that holds something wanted;
 * false: there is none. */
typedef bool drxi_cursor_find(struct drxi_cursor *c, int j, int64_t index, int64_t end);

struct drxi_cursor {
    const drx_array *a;
    drxi_cursor_find *find;
    const void *sets; /* its own */
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM], step[DRX_MAX_NDIM];
    struct drxi_walk walk;
    struct drxi_part part;
    bool in_part;
    int64_t index[DRX_MAX_NDIM]; /* of the chunk */
    struct drxi_piece piece;
};

/* The box has at least one element and lies inside the bounds of the map. */
DRXI_SHARED void drxi_cursor_start(struct drxi_cursor *c, const drx_array *a, const int64_t lo[],
                                   const int64_t count[], const int64_t step[]);
DRXI_SHARED bool drxi_cursor_next(struct drxi_cursor *c); /* then c->index, and c->piece or its address alone */
/* The same for what is no box: among the chunks first <= i < end, those that `find` finds. */
DRXI_SHARED void drxi_cursor_start_in(struct drxi_cursor *c, const drx_array *a, const int64_t first[],
                                      const int64_t end[], drxi_cursor_find *find, const void *sets);

/* ---- requests ------------------------------------------------------------------------- */

/* What drx_test and drx_wait call; wait frees the request. */
struct drxi_request_ops {
    drx_status (*test)(drx_request *req, int *done);
    drx_status (*wait)(drx_request *req);
};
struct drx_request {
    const struct drxi_request_ops *ops;
};

/* ---- async.c ------------------------------------------------------------------------- */

DRXI_SHARED void drxi_finish_requests(drx_array *a); /* those that nobody waited for */

/* ---- access.c ------------------------------------------------------------------------ */

/* Check a box against the bounds, and that there is a buffer unless it is empty; *stride_bytes are its strides in memory. */
DRXI_SHARED drx_status drxi_check_box(const drx_array *a, const int64_t shape[], const drx_box *box,
                                      const void *buf, bool *empty, int64_t stride_bytes[]);

/* ---- request.c, mapped.c, transfer.c ------------------------------------------------------ */

/* A strided box of elements, already checked, and where its elements are in memory,
 * in bytes from the first one. */
struct drxi_box {
    const int64_t *lo, *count;
    const int64_t *step; /* NULL: 1 */
    const int64_t *stride_bytes;
    bool large; /* it is part of more than caches hold; these are set on the way: */
    bool cold;  /* the file has to be read from the disk */
    bool alone; /* a write: nothing else writes to its chunks meanwhile */
    const int64_t *without; /* addresses of chunks to leave out, ascending; a write knows them */
    int64_t n_without;
};

/* Move a box between the chunks and memory. Cells outside the bounds may be meant, if
 * their chunks exist. */
DRXI_SHARED drx_status drxi_transfer_read(drx_array *a, const struct drxi_box *box, void *buf);
DRXI_SHARED drx_status drxi_transfer_write(drx_array *a, const struct drxi_box *box, const void *buf);

/* How a request is sent; tests change it. */
struct drxi_choice {
    enum { DRXI_ANY_WAY, DRXI_STAGED, DRXI_MAPPED } way; /* MAPPED: whether in memory or not */
    int64_t large_bytes;  /* from here on it is more than the caches of a processor hold */
    int64_t shared_bytes; /* and a helper thread is worth waking */
};
extern struct drxi_choice drxi_choice;

/* Read a box from a->view, which drxi_data_view gave; false when it does not hold all
 * of it, or, of much, not in memory, which sets box->cold: `buf` may be partly written. */
bool drxi_mapped_read(drx_array *a, struct drxi_box *box, void *buf);
/* The same in two steps: whether it does; and then, inside of drxi_view_use, of the box or part of it. */
bool drxi_mapped_look(drx_array *a, struct drxi_box *box);
struct drxi_fold;
void drxi_mapped_copy(drx_array *a, const struct drxi_box *box, void *buf, struct drxi_fold *fold);

/* Whether the view has all of the chunks first <= i < end, and memory has them, by samples. Then their bytes may be read
 * inside of drxi_view_use; and tell of so many that were. */
bool drxi_mapped_has(drx_array *a, const int64_t first[], const int64_t end[]);
void drxi_mapped_used(drx_array *a, int64_t bytes);

/* ---- ahead.c --------------------------------------------------------------------------- */

/* A look at the pieces of a box some way before they are read. */
struct drxi_ahead {
    struct drxi_cursor cursor;
    int64_t file_stride[DRX_MAX_NDIM]; /* bytes, of one step inside a chunk */
    int64_t begin, end;                /* of the file: to be told of */
    int64_t leads;                     /* by so many bytes */
    bool more;
};
void drxi_ahead_start(struct drxi_ahead *ahead, drx_array *a, const struct drxi_box *box);
int64_t drxi_piece_bytes(const struct drxi_piece *piece, const drx_array *a);
/* A piece of so many bytes is read now. */
void drxi_ahead_follow(struct drxi_ahead *ahead, drx_array *a, int64_t bytes);

/* Move a box through a stage of memory. */
drx_status drxi_staged_move(drx_array *a, bool writing, const struct drxi_box *box, void *mem);

#endif
