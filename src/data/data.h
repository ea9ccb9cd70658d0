/* The data of an array: the elements of its chunks, at the addresses that the map gives.
 *
 *   data.c      the file: sizes that follow from the description, its length
 *   snapshot.c  the elements as of one moment, and the view of the file that goes with them
 *   elements.c  reads and writes elements; what is missing reads as fill
 *   storage.h   how chunks are stored: raw, with checksums, or compressed
 *   striped.c   one file beside the metadata, or stripes in several folders
 *   behind.c    lets the system begin to write what was written
 *   stored.c    what a file stores, piece by piece, without its holes */
#pragma once

#include "data/storage.h"
#include "io/stripes.h"
#include "pack/pack.h"
#include "pool/pool.h"

enum { DRXI_POOL_BYTES = 4 << 20 }; /* unless drx_set_pool says otherwise */

/* How much a process may read through a view before it releases the pages, which count as its memory. Touching a
 * released page again costs as much as copying some thousand bytes. Processes that share a machine get less each. */
#define DRXI_VIEW_BYTES (INT64_C(8) << 30)
#define DRXI_PARALLEL_VIEW_BYTES (INT64_C(16) << 20)

/* What was written to some spans of the data, and which of them wait to be pushed; behind.c. */
enum { DRXI_BEHIND_SPAN_BYTES = 8 << 20, DRXI_BEHIND_SPANS = 512 };
struct drxi_behind {
    pthread_mutex_t lock;
    int64_t first;  /* the first of these spans */
    int64_t length; /* of the data since the last growth; 0: they have not grown */
    int64_t bytes;  /* written; after the start, since the last push */
    bool late;      /* start later: see drxi_behind_late */
    int64_t oldest, waiting;
    int64_t queue[DRXI_BEHIND_SPANS];
    int32_t written[DRXI_BEHIND_SPANS];
};

/* This many small reads in a row that find their pages in memory end the doubt about the others. Then only one in this
 * many asks. */
enum { DRXI_DOUBT = 64 };

struct drxi_data;

/* See drx_counters. */
struct drxi_counts {
    atomic_int_fast64_t wanted_bytes, mapped_bytes, copies, reads, read_bytes, writes, written_bytes, concurrent,
        direct_bytes, ahead_bytes, touched_bytes;
};

enum { DRXI_NOT_VIEWED, DRXI_VIEWED, DRXI_NO_VIEW };

/* The file, which all snapshots of a handle share, and what the handle keeps about it. */
struct drxi_data_file {
    struct drxi_log *log; /* a failed sync breaks it */
    drxi_io *io;
    const struct drxi_storage *stored; /* what follows is for its file alone */
    struct drxi_sums *sums;
    struct drxi_pack *pack; /* `io` is a part of it */
    drxi_pool *pool;        /* of single puts; NULL for an array in memory or a reader */
    bool may_end_early;     /* of a variable of a dataset: where the fill is 0, and chunks are stored as they are */
    atomic_bool unsynced;   /* set after something was written, or put into the pool */
    struct drxi_counts counts;
    struct drxi_behind behind;
    struct drxi_mapped *mapped;       /* the newest view; or NULL */
    struct drxi_snapshot *latest;     /* of the live elements, if they have not changed since it was made */
    atomic_int_fast64_t viewed_bytes; /* read since its pages were released, approximately */
    int64_t view_limit_bytes;         /* the most of these */
    struct drxi_walker *walker;       /* box/walk.c; */
    void (*end_walk)(struct drxi_data *data);
    atomic_int_fast64_t
        alone_end;             /* where the last read ended that was the only one of its box; for box/concurrent.c */
    atomic_int doubt;          /* this many more small reads ask whether their pages are in memory */
    pthread_mutex_t view_lock; /* for views, snapshots, and the walker */
};

/* A view that several struct drxi_data show. */
struct drxi_mapped {
    struct drxi_view view;
    int users;
};

/* The elements, as the log has them at one moment. What reads or writes elements takes bounds and map from here. */
struct drxi_data {
    struct drxi_data_file *file;
    const struct drxi_state *state; /* what the log says now: names and promises */

    int ndim; /* this and what follows, up to the view: as of that moment */
    drx_type type;
    drx_order chunk_order;
    int64_t chunk[DRX_MAX_NDIM];
    int64_t lower[DRX_MAX_NDIM], upper[DRX_MAX_NDIM]; /* lower <= index < upper */
    int64_t shape[DRX_MAX_NDIM];                      /* upper - lower */
    drxi_map map;                                     /* shares the vectors of the state's */
    struct drxi_last growing;                         /* what grew last; axis -1: nothing */
    int64_t grown_from;                               /* the bound of that end; before a slab that is being appended */
    bool trimmed;                                     /* ever */
    const uint8_t *fill;                              /* native order */

    /* follow from that */
    size_t item_bytes;
    bool zero_fill;
    int64_t chunk_bytes, chunk_pitch_bytes; /* pitch: from one chunk to the next */
    int64_t item_pitch_bytes[DRX_MAX_NDIM]; /* inside a chunk */
    int8_t chunk_shift[DRX_MAX_NDIM];       /* the chunk's extent is 1 << this; -1: it is no power of two */

    struct drxi_view view;      /* of the file as long as it was then; see drxi_data_view */
    atomic_int view_state;      /* DRXI_NOT_VIEWED and so on */
    struct drxi_mapped *mapped; /* what it shows */
};

static inline void drxi_count(atomic_int_fast64_t *counter, int64_t by)
{
    (void)atomic_fetch_add_explicit(counter, by, memory_order_relaxed);
}

/* ---- data.c ---- */

void drxi_data_init(struct drxi_data *data, struct drxi_data_file *file, struct drxi_log *log);
/* Take what the log says now. Whoever changes the state calls this before elements are moved. drxi_desc_lay has
 * succeeded. */
void drxi_data_follow(struct drxi_data *data);
/* The elements as they will be after a growth that was prepared, with its slab. They last until the state changes.
 * DRX_ENOMEM. End them with drxi_data_end_grown, also on failure, when nothing else of them is there. */
drx_status drxi_data_grown(const struct drxi_data *data, const struct drxi_step *step, struct drxi_data *to);
void drxi_data_end_grown(struct drxi_data *to);
drx_status drxi_data_close(struct drxi_data *data); /* closes the files and the view, but not the pool */
void drxi_data_free(struct drxi_data *data);        /* after drxi_data_close */

/* Whether the page of an offset, which the view has, is in memory. */
bool drxi_data_resident(struct drxi_data *data, int64_t offset);
/* A small read checks whether its pages are in memory before it touches them in the view: each one while the data are
 * in doubt, later one in DRXI_DOUBT of a thread. It reports what it found to drxi_data_answer, which settles the
 * doubt or raises it. */
static inline bool drxi_data_asks(void)
{
    static DRXI_NEAR_THREAD unsigned turn;

    return ++turn % DRXI_DOUBT == 0;
}
static inline bool drxi_data_doubts(const struct drxi_data *data)
{
    return atomic_load_explicit(&data->file->doubt, memory_order_relaxed) > 0;
}
void drxi_data_answer(struct drxi_data *data, bool there);

bool drxi_data_is_fresh(struct drxi_data *data); /* DRXI_FRESH, of any file */
bool drxi_data_is_firm(struct drxi_data *data);  /* DRXI_FIRM, of all files */
/* Ask servers again for what was read of these files. */
void drxi_data_drop_read(struct drxi_data *data);

/* Whether the chunks inside the bounds take at most this many bytes. */
bool drxi_data_fits(const struct drxi_data *data, int64_t bytes);
/* Whether reads from the disk should not pass through the system's cache, where the data do not fit. False, too, where
 * the data are in no file of the system. */
bool drxi_data_goes_direct(const struct drxi_data *data);

/* Write bytes as they are on disk, without checksums. */
drx_status drxi_data_store(struct drxi_data *data, const void *buf, size_t n, int64_t offset);
/* Give chunks that nothing needs any more back to the file system, and their checksums. */
drx_status drxi_data_give_back(struct drxi_data *data, const struct drxi_freed *freed);
/* Make what this handle has written durable. */
drx_status drxi_data_sync(struct drxi_data *data);
/* The same while other threads write: what they have written by then. Where there are epochs, it does nothing. */
drx_status drxi_data_sync_beside(struct drxi_data *data);
/* Whether growth has to write the fill. */
static inline bool drxi_data_writes_fill(const struct drxi_data *data)
{
    return !data->zero_fill && !data->file->stored->empty_is_fill;
}
/* File k of those that are open; false after the last one. */
static inline bool drxi_data_file(const struct drxi_data *data, int k, struct drxi_stored_file *out)
{
    return data->file->stored->file(data, k, out);
}
/* The file with the elements. */
static inline drxi_io *drxi_data_elements(const struct drxi_data *data)
{
    return data->file->stored->elements ? data->file->stored->elements(data) : data->file->io;
}
/* Give the space of what was replaced back, if it is much or in any case (`all`). */
static inline drx_status drxi_data_reclaim(struct drxi_data *data, bool all)
{
    return data->file->stored->reclaim ? data->file->stored->reclaim(data, all) : DRX_OK;
}
/* This many chunks have to be there: those that the last SYNC promised, and from the first one on, all, if the fill is
 * not zero. */
static inline int64_t drxi_data_promised(const struct drxi_data *data)
{
    const struct drxi_state *s = data->state;

    return s->ever_synced && drxi_data_writes_fill(data) ? s->map.chunks : s->synced_chunks;
}
/* Whether the file ends where somebody wrote: what is missing is fill (spec, 5.3). */
static inline bool drxi_data_ends_early(const struct drxi_data *data)
{
    return data->file->may_end_early && data->zero_fill && !data->file->stored->held;
}
/* The length that file k of the data must have. */
int64_t drxi_data_length(const struct drxi_data *data, int k);

/* ---- snapshot.c ---- */

/* The elements as they are now: a copy that no change of `data` touches, for a thread that may not see changes now. It
 * reads and writes elements beside growths, until drxi_snapshot_end. NULL: out of memory. */
struct drxi_data *drxi_snapshot_take(struct drxi_data *data);
void drxi_snapshot_end(struct drxi_data *snapshot);
/* `data` has changed: drop the one that is kept for the next who takes one. */
void drxi_snapshot_drop(struct drxi_data *data);

/* The view of the file, which has view->bytes bytes; NULL when there is none. It lasts until drxi_data_resized, which
 * whoever has changed the length of the file calls while nobody reads, or drxi_snapshot_end. */
const struct drxi_view *drxi_data_make_view(struct drxi_data *data);
static inline const struct drxi_view *drxi_data_view(struct drxi_data *data)
{
    return atomic_load_explicit(&data->view_state, memory_order_acquire) == DRXI_VIEWED ? &data->view
                                                                                        : drxi_data_make_view(data);
}
void drxi_data_resized(struct drxi_data *data);
void drxi_data_end_view(struct drxi_data *data);

/* ---- elements.c ---- */

/* Read or write elements at an offset that is a multiple of item_bytes. A read gives fill for what is missing, unless
 * the last SYNC promised it (DRX_EDAMAGED). A write swaps `buf` in place on big-endian machines. */
DRXI_SHARED drx_status drxi_data_read(struct drxi_data *data, void *buf, size_t n, int64_t offset);
/* The same past the cache of the file, if it has one: nothing comes in. */
drx_status drxi_data_read_past(struct drxi_data *data, void *buf, size_t n, int64_t offset);
/* The same of what a read under way has brought, or, if not all of it came, of what a plain read gets. */
drx_status drxi_data_completed(struct drxi_data *data, bool came, void *buf, size_t n, int64_t offset);
struct drxi_schedule;
void drxi_data_count_reads(struct drxi_data *data, const struct drxi_schedule *s);
DRXI_SHARED drx_status drxi_data_write(struct drxi_data *data, void *buf, size_t n, int64_t offset);
/* Write bytes as they are on disk; `buf` stays as it is. */
drx_status drxi_data_put(struct drxi_data *data, const void *buf, size_t n, int64_t offset);
/* Turn a read of the file that gave `got` of `n` bytes into elements: add fill and swap bytes. The file ends before the
 * offset `end` of the next byte; DRX_EDAMAGED when the last SYNC promised it. */
DRXI_SHARED drx_status drxi_data_complete(struct drxi_data *data, void *buf, size_t n, size_t got, int64_t end);
/* Make the pool of single puts, and change its bound. One that others share takes none: a trim by another writer would
 * come between. */
drx_status drxi_data_new_pool(struct drxi_data *data);
drx_status drxi_data_bound_pool(struct drxi_data *data, size_t bytes);
/* Set the length of the data and of their checksums to that of this many chunks. */
drx_status drxi_data_resize(struct drxi_data *data, int64_t chunks);
/* Write the fill from `begin`, a multiple of item_bytes, to `end`; padding stays. */
drx_status drxi_data_fill(struct drxi_data *data, int64_t begin, int64_t end);
/* Make room for the chunks from `before` to `after`, and write the fill there. If anything was promised, a fill other
 * than zero is durable on return, because zeros after a power cut would look like data. */
drx_status drxi_data_allocate(struct drxi_data *data, int64_t before, int64_t after);

/* ---- behind.c ---- */

/* Report a write, or the new length of the data, so that the system begins to write what was written before. */
void drxi_behind_write(struct drxi_data *data, int64_t offset, int64_t n);
void drxi_behind_grow(struct drxi_data *data, int64_t bytes);
/* Begin later while `late`, for a writer whose elements come from memory. */
void drxi_behind_late(struct drxi_data *data, bool late);

/* ---- stored.c ---- */

/* What the first `length` bytes of a file store. */
struct drxi_stored {
    drxi_io *io;
    int64_t length, at, end;
    bool holes; /* treat holes as stored */
};
void drxi_stored_start(struct drxi_stored *s, drxi_io *io, int64_t length, bool holes);
/* Get the next piece, of at most `most` bytes; *n is 0 after the last one. */
drx_status drxi_stored_next(struct drxi_stored *s, int64_t most, int64_t *offset, int64_t *n);
/* Add up the bytes of all pieces. */
drx_status drxi_stored_bytes(drxi_io *io, int64_t length, bool holes, int64_t *bytes);

/* ---- striped.c ---- */

/* The path of stripe k of the array `path`, to be freed; NULL: out of memory. */
char *drxi_stripe_path(const char *path, const struct drxi_stripes *stripes, int k);
/* Calls on stripes that may lie on other machines; `k` is the number of the stripe, of n. */
struct drxi_stripe_home {
    drx_status (*open)(struct drxi_stripe_home *home, const char *name, int k, int n, enum drxi_how how, drxi_io **out);
    drx_status (*remove)(struct drxi_stripe_home *home, const char *name);
    drx_status (*look)(struct drxi_stripe_home *home, const char *name, struct drxi_looked *out);
    drx_status (*sync_folder)(struct drxi_stripe_home *home, const char *name, int k);
    const char *lacking; /* what a message about a missing stripe adds */
};
/* From now on this thread uses those; NULL: the files of this machine. */
DRXI_SHARED void drxi_stripes_at(struct drxi_stripe_home *home);

drx_status drxi_stripes_check(const drx_spec *spec, bool in_memory); /* DRX_EINVAL, DRX_EUNSUPPORTED */
/* The folder of the first file of such an array with that path, to be freed; NULL: out of memory. */
char *drxi_first_folder(const char *path, const drx_spec *spec);
/* Choose names for the stripes of the array `path` that the spec asks for, if it does. */
drx_status drxi_stripes_new(const char *path, const uint8_t id[], const drx_spec *spec, struct drxi_stripes *out);
bool drxi_stripes_relative(const struct drxi_stripes *stripes); /* some folder is relative to that of the metadata */
drx_status drxi_stripes_absolute(const char *path, struct drxi_stripes *stripes);
/* Remove the stripes that exist. */
drx_status drxi_stripes_remove(const char *path, const struct drxi_stripes *stripes);
/* The same if there are any, with the metadata, which name them: these are parked first, but removed last. */
drx_status drxi_stripes_remove_with(const char *path, const struct drxi_stripes *stripes, drxi_io *meta, bool *parked);
/* Call `missing` with those that do not exist, as drx_missing_stripes does. */
drx_status drxi_stripes_missing(const char *path, const struct drxi_stripes *stripes,
                                void (*missing)(void *user, int k, int n, const char *file), void *user);
/* Describe stripe k of the open data. */
drx_status drxi_stripes_look(const struct drxi_data *data, int k, struct drxi_looked *out);
/* Make the names of the stripes durable. */
drx_status drxi_stripes_sync_folders(struct drxi_data *data);

/* Open the data of the array `path`: one file, or its stripes as one. DRX_ENOENT names what is missing. */
drx_status drxi_data_open(const char *path, const struct drxi_stripes *stripes, int64_t unit_bytes, enum drxi_how how,
                          drxi_io **out);
/* The same of files that are open. */
drx_status drxi_data_join(drxi_io *const file[], int n, int64_t unit_bytes, const char *path, drxi_io **out);
