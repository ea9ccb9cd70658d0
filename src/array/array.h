/* An open array, and what the files of this room offer each other.
 *
 *   handle.c    making, checking and freeing a handle
 *   create.c    making an array
 *   open.c      opening, closing, refresh
 *   recover.c   repairing what a crash left
 *   lent.c      arrays that a dataset lends
 *   durable.c   what is made durable, and promised
 *   sync.c      drx_sync; a long log is compacted
 *   watch/      watch.c, readers beside a trim: live.c by the live words; judge.c, files on a server, which change
 *   change.c    changes beside other writers: waiting, catching up, stale handles
 *   writes.c    their writes beside trims
 *   asked.c     the public calls that change it, rows of one table
 *   run.c       any change, prepared by grow.c or attr.c, carried out
 *   grow.c      growth, trims, new axes; outside.c: cells outside the bounds
 *   access/     the public reads and writes: boxes, with the buffer's type too, lists of points, elements; async.c,
 *               those that go on beside the caller; enter.c, whose turn it is
 *   attr.c      attributes and names of axes
 *   inquire.c   everything that only looks
 *   place.h     names of files: place.c
 *   replica.h   the handles of several processes: replica.c
 *
 * Invariants
 *   1. What is durable or visible to others is what the log says; memory follows
 *      it only after the record has been written.
 *   2. Data goes to the file before the record that makes it visible.
 *   3. A change that cannot be undone after a failure sets log.broken, and the
 *      handle then only reads.
 *   4. Cells of chunks outside the bounds hold the fill. An open handle relies on this for chunks that it, or a writer
 *      that shares the array, has added. It checks the chunks that were there at open, or that a trim has cut through
 *      (`found`), before it relies on them. */
#pragma once

#include "array/replica.h"
#include "base/gate.h"
#include "store/store.h"

/* What a handle has seen of others' trims: watch.c. */
struct drxi_watch {
    pthread_mutex_t lock;
    drxi_io *log;                       /* of a replica that watches: the file of which a->log.io is a copy */
    bool elsewhere;                     /* no, it is another log of the array */
    _Atomic(struct drxi_lookout *) now; /* NULL: it has not looked yet */
    atomic_uint_fast64_t word[2];       /* as in the file */
    _Atomic(const uint8_t *) place;     /* of the words, if they are mapped and a look at them is enough */
    atomic_bool slow, cut;              /* cut: some indices are gone */
    bool lost;                          /* nobody can tell which */
    bool blind;                         /* the log is damaged behind what the handle knows: nobody writes */
    atomic_int checks;                  /* without a mapped file */
    struct drxi_log_place sure;
    int ndim;                      /* of the handle */
    int64_t kept[2][DRX_MAX_NDIM]; /* of its indices */
    struct {                       /* live.c */
        uint64_t trims, replaced;  /* loaded before the log was read up to `sure`; */
        bool loaded;               /* they were */
        uint16_t dim[DRX_MAX_NDIM];
        int later; /* dimensions of axes that came later */
        uint16_t later_dim[DRX_MAX_NDIM];
    } live;
    int64_t growths;      /* and trims that have come; those of an append that goes on count again with each look */
    atomic_bool compared; /* of a log on a server: looked at after the first read, or since its files were pinned */
    struct drxi_inquiry *inquiry; /* for that; or NULL */
    drxi_io *inquired;
};

/* The owner of an array decides what the public calls do with it:
 *
 *   a program that reads it or has it alone, and a program that shares it with other writers (open.c)
 *   a dataset that lends it (lent.c)
 *   a program that opened a variable: its handle also owns a dataset, which nobody else sees (dataset/ds_array.c)
 *
 *   alone    the array has its own log, and no other process appends to it while this one can write: it may replace
 *            the log
 *   refused  for each kind of change, why no program makes it through this handle. NULL: it may
 *   begin    called before a change, with the gate shut or claimed. On return the handle knows all that was committed,
 *            and no other process commits. `end` follows also after a failure. NULL: the dataset does this
 *   sync, compact, refresh, close   do what the public calls say; close frees the array */
struct drxi_owner {
    bool alone;
    const char *const *refused;
    drx_status (*begin)(drx_array *a);
    void (*end)(drx_array *a);
    drx_status (*sync)(drx_array *a);
    drx_status (*compact)(drx_array *a);
    drx_status (*refresh)(drx_array *a);
    drx_status (*close)(drx_array *a);
};

struct drx_array {
    struct drxi_parts parts; /* first; see replica.h */
    struct drxi_gate gate;   /* entered to access elements; shut to change anything else */
    char *path;              /* NULL: in memory */
    bool new_names;          /* the names of the files may not be durable yet */
    const struct drxi_owner *owner;
    struct drx_dataset *dataset; /* that has it as a variable; or NULL */
    bool replica;                /* its log is a copy in memory, and another process changes the files */
    int64_t compact_from_bytes;  /* compacting failed: not tried again before the log is so long */
    struct drxi_log log;
    struct drxi_data data;
    struct drxi_data_file data_file;
    struct drxi_requests requests;
    struct drxi_watch watch;
    int64_t found[2][DRX_MAX_NDIM]; /* nobody checked the cells of axis j between its bound at an end and this */
};

/* ---- handle.c ---- */

/* A new handle without an owner: it gets one before it is given out. */
drx_status drxi_array_new(const char *path, drx_array **out);
drx_status drxi_array_free(drx_array *a); /* closes what is open */
/* DRX_EACCES for a handle of several processes; and whether another handle can change the array now. */
drx_status drxi_check_alone(const drx_array *a);
drx_status drxi_check_changeable(const drx_array *a);
/* Whether a path can be given a suffix. */
drx_status drxi_check_path(const char *path);

/* Open the data, and the checksums if there are any; the log has been read. */
drx_status drxi_open_data(drx_array *a);
void drxi_close_files(drx_array *a);             /* so that it can be opened again */
void drxi_swap_logs(drx_array *a, drx_array *b); /* two handles of one array */

/* ---- open.c ---- */

/* Open both files of a->path, of one array, and read the log; when a->writable, with the lock. Nothing is repaired yet.
 */
drx_status drxi_open_pair(drx_array *a, enum drxi_tail *tail);
/* The array is a program's own, opened in one of the modes of drx_open. */
void drxi_set_mode(drx_array *a, int mode);
/* drx_refresh, which calls `how` with the gate shut. */
drx_status drxi_refresh_by(drx_array *a, drx_status (*how)(drx_array *));

/* ---- judge.c: does nothing for files of the system ---- */

void drxi_set_judge(drx_array *a); /* the files are open */
/* The handles have got another state: their files are looked at again. */
drx_status drxi_repin_files(drx_array *const a[], int64_t n);
void drxi_expect_array(const char *path, bool fresh, int connections); /* it will be opened soon: see drxi_expect */

/* ---- create.c ---- */

/* DRXI_ID_BYTES that no other array has. */
drx_status drxi_new_id(uint8_t id[]);

/* ---- recover.c, outside.c ---- */

/* Mend what a crash has left; the caller holds the lock of a change. */
drx_status drxi_recover(drx_array *a);

/* Put all cells of chunks that lie outside the bounds back to fill, durably; *changed tells whether one did not hold
 * it. */
drx_status drxi_restore_outside(drx_array *a, bool *changed);
/* Whether a growth uncovers cells that nobody has checked. */
bool drxi_has_doubt(const drx_array *a, const struct drxi_growth *growth);
/* The same of these cells. */
drx_status drxi_clear_residue(drx_array *a, const struct drxi_growth *growth);
/* Trust no cell outside the bounds at one end of an axis. */
void drxi_doubt_outside(drx_array *a, int axis, enum drxi_end end);
/* Put the cells that a growth was to uncover back to fill, the data file back to its length, and make that durable. */
drx_status drxi_undo_append(drx_array *a, const struct drxi_growth *growth);
/* The box of indices that a growth adds; false when it is empty. */
bool drxi_slab_of(const drx_array *a, const struct drxi_growth *growth, int64_t lo[], int64_t count[]);

/* ---- lent.c ---- */

/* What is refused of a variable. */
extern const char *const drxi_lent_refused[];

/* A variable of a dataset, and how it is lent. */
struct drxi_lending {
    drxi_io *io;      /* of the dataset's log, */
    const char *name; /* and of a replica, the file of which that is a copy */
    struct drxi_store *store;
    uint16_t variable;
    bool writable, shared, replica;
    const struct drxi_live *words; /* as they were before the log was read; NULL: nobody knows */
    int64_t most;                  /* the log is damaged behind this offset; INT64_MAX: it is not */
};

/* Open the files of the stem `path`, of which a null variable has none. The state is that of the store. */
drx_status drxi_lent_open(const char *path, const struct drxi_lending *l, drx_array **out);
/* Make files that have no names yet; when the store has the variable, the second one takes it over, and names them. */
drx_status drxi_lent_create(const char *path, const drx_spec *spec, const struct drxi_lending *l, drx_array **out);
drx_status drxi_lent_made(drx_array *a, const struct drxi_lending *l);
/* Before the dataset appends the record of a growth. DRX_EOVERFLOW, DRX_ENOMEM. */
drx_status drxi_lent_prepare(drx_array *a, int axis, enum drxi_end end, int64_t by, struct drxi_step *step);
/* Whether the growth needs no file: then the second one, with the gate closed, is all of it. */
bool drxi_lent_only_follows(const drx_array *a, const struct drxi_growth *growth);
void drxi_lent_publish(drx_array *a, const struct drxi_step *step);
/* Grow by `by` > 0; the dataset has appended the record. */
drx_status drxi_lent_grow(drx_array *a, int axis, enum drxi_end end, int64_t by);
/* For a reader, a writer that shares the dataset, or a replica: take what has come to the store, or all of it. A
 * failure breaks the handle of a writer. */
drx_status drxi_lent_take_new(drx_array *a, const struct drxi_lending *l, bool all);
/* For a writer or a replica: the dataset has another log, of the same state. A replica that only reads looks into the
 * file `name`, which may fail. */
drx_status drxi_lent_take_log(drx_array *a, const struct drxi_lending *l);
/* For a writer, after a commit. `bounds`: it trimmed the variable, or gave it an axis. A failure breaks the handle. */
drx_status drxi_lent_follow(drx_array *a, bool bounds);
/* The transaction, or that of a writer that died, was taken back: so is what it did to the files. A failure breaks
 * the handle. */
drx_status drxi_lent_restore(drx_array *a);
/* What trims have freed goes back to the file system; they are durable. */
drx_status drxi_lent_give_back(drx_array *a);
/* Of a compressed array, whose elements are durable, with the gate shut: the epoch that an EPOCH has to tell; 0:
 * nothing was written. What is written from now on has a later one. */
int64_t drxi_lent_take_epoch(drx_array *a);

/* ---- durable.c ---- */

/* The part of a sync that takes long, while others go on to move elements: the gate is claimed. Of a compressed array
 * nothing: its epoch rises, which nobody may write with meanwhile. */
drx_status drxi_sync_beside(drx_array *a);
/* Before the first change of a handle that has the array alone: write the log from the last SYNC on again, durably
 * (spec, 5.4.5). Does nothing later on. */
drx_status drxi_start_changes(drx_array *a);
/* The names of the files, if they may not be durable. */
drx_status drxi_sync_names(drx_array *a);
/* With the lock of a change: the data are durable; so become the records, and a SYNC tells it. */
drx_status drxi_promise(drx_array *a);

/* ---- sync.c ---- */

/* All that drx_sync does but compacting. */
drx_status drxi_sync_files(drx_array *a);
/* Sync and compact the log if it is long and mostly obsolete. A failure is an error only when it breaks the log. */
drx_status drxi_compact_at_open(drx_array *a);
/* What drx_sync and drx_compact do with any array, with one whose log is its own, and with one that others share. */
drx_status drxi_sync_array(drx_array *a);
drx_status drxi_compact_lone(drx_array *a);
drx_status drxi_compact_beside(drx_array *a);
/* drx_compact of a variable, whose log keeps every commit: compress open chunks, and give dead space back. */
drx_status drxi_compact_elements(drx_array *a);

/* ---- change.c ---- */

/* `begin` of a handle that has the array alone: check that nobody else wrote to the log. DRX_EBUSY: the locks of the
 * file system do not work. */
drx_status drxi_begin_alone(drx_array *a);
/* Of one that shares it: take the lock of a change, waiting while another process that has it makes progress, read what
 * others have appended, and undo what a killed one has begun; and `end`. */
drx_status drxi_begin_beside(drx_array *a);
void drxi_end_beside(drx_array *a);
/* Lock the log for a handle that writes. Who shares the array has the lock of a change then, until
 * drxi_end_log_change. */
drx_status drxi_lock_to_write(void *array);
/* Every call that changes the log stands between these two. After `begin` the state is all that was committed until
 * now; DRX_EBUSY, DRX_EMISMATCH, DRX_EDAMAGED: the log cannot be changed. `end` follows in any case. The gate is shut,
 * or, for a growth, claimed: then others go on to move elements, and the gate is closed when memory follows. */
drx_status drxi_begin_log_change(drx_array *a);
void drxi_end_log_change(drx_array *a);
void drxi_claim_change(drx_array *a);
/* After records of other writers, who may have cut through chunks: the next growth looks at their cells. */
void drxi_doubt_trims(drx_array *a);
/* DRX_EMISMATCH, for a handle whose path names another file now; breaks the log. */
drx_status drxi_lost_name(drx_array *a);

/* ---- writes.c ---- */

/* A write of elements by a handle that shares the array begins and ends. Between the two nobody uses cells again that
 * a trim has left outside; so drxi_watch_box comes after the first. */
drx_status drxi_begin_write(const drx_array *a);
void drxi_end_write(const drx_array *a);
/* Before cells change that a trim has left outside, or their space is given back: readers know it, and writes have
 * ended. `durable`: what counts is. */
drx_status drxi_tell_trims(drx_array *a, bool durable);

/* ---- run.c ---- */

extern const struct drxi_team drxi_alone;
/* Begin to prepare; what was prepared is freed by drxi_change_end, also after an error. */
static inline void drxi_change_start(struct drxi_change *c)
{
    memset(c, 0, offsetof(struct drxi_change, after));
    c->after.map.spare = (struct drxi_axial){ 0 };
}
void drxi_change_end(struct drxi_change *c);
/* The root, before it changes files. */
drx_status drxi_change_check(drx_array *a, const struct drxi_team *t);
/* Carry out any change but an append. */
drx_status drxi_change_run(drx_array *a, struct drxi_change *c, const struct drxi_team *t);
/* The second half of it, after effects that had the status `st`, the root's or that of all. */
drx_status drxi_change_finish(drx_array *a, struct drxi_change *c, const struct drxi_team *t, drx_status st);

/* How each kind is prepared, after drxi_change_start: grow.c, attr.c. */
typedef drx_status drxi_prepare_kind(drx_array *a, const struct drxi_asked *asked, struct drxi_change *c);
drxi_prepare_kind drxi_prepare_growth, drxi_prepare_trim, drxi_prepare_axis, drxi_prepare_rename, drxi_prepare_attr,
    drxi_prepare_attr_delete;

/* ---- grow.c ---- */

/* A growth in numbers, and memory for it, with the turn of the gate. DRX_EOVERFLOW, DRX_ENOMEM. */
drx_status drxi_prepare_step(drx_array *a, int axis, enum drxi_end end, int64_t by, struct drxi_step *step);
/* Until it ends, drxi_data_of gives the elements with the slab of an append. */
drx_status drxi_begin_append(drx_array *a, struct drxi_change *c, const struct drxi_team *t);
/* Carry out an append. */
drx_status drxi_append(drx_array *a, struct drxi_change *c, const struct drxi_team *t);
/* Of a compressed array: compress what the growth before has filled, when this one, a struct drxi_growth, goes on from
 * there. */
drxi_close_what drxi_close_before;

/* ---- watch.c ---- */

void drxi_watch_init(struct drxi_watch *w);
void drxi_watch_free(drx_array *a);
/* A replica that only reads: open the log of that name, of which it has a copy in memory. DRX_EMISMATCH: another
 * array is there. */
drx_status drxi_watch_open(drx_array *a, const char *name);
/* The state has changed, and the gate is shut: begin again. */
void drxi_watch_forget(drx_array *a);
/* Ask the server for the present log, and go over what has come; the caller holds watch.lock. DRX_EMISMATCH: it is
 * not the log that the handle knows, with more behind it. */
drx_status drxi_watch_renew(drx_array *a);
/* A read begins, and will look at the log: let a server be asked for that meanwhile, if it can. */
void drxi_watch_ahead(drx_array *a);
/* Whether others can trim what the handle has: it looks at the log after it has read. */
static inline bool drxi_watch_needed(const drx_array *a)
{
    return (a->replica ? a->watch.log : a->log.io) && !a->watch.blind && (!a->parts.writable || a->log.shared);
}
/* A read that is to cost little may do without drxi_watch_points: it loads two words at this place in the mapped log
 * after the element, and nothing has come if drxi_watch_quiet says so. NULL: there is no such place. */
static inline const uint8_t *drxi_watch_place(const drx_array *a)
{
    return atomic_load_explicit(&a->watch.place, memory_order_acquire);
}
/* Whether the words are those of the last look. */
static inline bool drxi_watch_same(const struct drxi_watch *w, const uint64_t word[2])
{
    return word[0] == atomic_load_explicit(&w->word[0], memory_order_acquire) &&
           word[1] == atomic_load_explicit(&w->word[1], memory_order_acquire);
}
static inline bool drxi_watch_quiet(const drx_array *a, const uint64_t word[2])
{
    return drxi_watch_same(&a->watch, word) && !atomic_load_explicit(&a->watch.cut, memory_order_acquire);
}
/* As drxi_watch_box (replica.h), for points and for the whole array. */
drx_status drxi_watch_points(drx_array *a, int64_t n, const int64_t indices[]);
drx_status drxi_watch_all(drx_array *a);

/* ---- attr.c ---- */

/* The record of a name, NULL: an empty one, and c->name. */
drx_status drxi_prepare_name(struct drxi_change *c, enum drxi_kind kind, int axis, const char *name);
/* Name an axis; name NULL or empty: remove its name. */
drx_status drxi_name_axis(drx_array *a, int axis, const char *name);

/* ---- access/async.c, access/enter.c ---- */

static inline bool drxi_has_pending(const drx_array *a)
{
    return atomic_load_explicit(&a->requests.first, memory_order_acquire) != NULL;
}
/* A call that touches elements calls this before it enters the gate: wait for the requests that began before `p` and
 * touch an element of its box, unless both read. DRX_EBUSY: a collective one does, and `p` is not collective. It costs
 * a load when nothing is pending. */
drx_status drxi_wait_turn_slowly(drx_array *a, const struct drxi_pending *p);
static inline drx_status drxi_wait_turn(drx_array *a, const struct drxi_pending *p)
{
    return drxi_has_pending(a) && p->lo && p->count ? drxi_wait_turn_slowly(a, p) : DRX_OK;
}
/* The same for a list of n elements; before a growth of `axis`, for requests that reach beyond the bound; and before a
 * call that touches all elements. */
drx_status drxi_wait_turn_of_points(drx_array *a, bool writing, int64_t n, const int64_t indices[]);
drx_status drxi_wait_to_grow(drx_array *a, int axis, enum drxi_end end);
drx_status drxi_wait_for_all(drx_array *a, bool writing, bool collective);
void drxi_finish_requests(drx_array *a); /* those that nobody waited for */

/* ---- access/boxes.c ---- */

/* drx_read_box and drx_write_box without waiting for their turn. DRX_EMISMATCH: the box was made for `ndim` axes, and
 * the array has more now; 0: nobody knows. */
drx_status drxi_read_now(drx_array *a, int ndim, const drx_box *box, void *buf);
drx_status drxi_write_now(drx_array *a, int ndim, const drx_box *box, const void *buf);
/* Write a checked box; `data` are those of `a`, or a snapshot. */
drx_status drxi_write_box(drx_array *a, struct drxi_data *data, const struct drxi_box *box, const void *buf);
