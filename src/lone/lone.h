/* The log of a lone array: a store with one variable, for the calls of log/log.h. An array that a dataset has lent
 * has the same state, of one variable of many; its dataset reads and writes the log (dataset/ds_lend.c).
 *
 *   lone_state.c    the state of the log follows the store
 *   lone_read.c     the log read
 *   lone_append.c   records appended; an append that is under way
 *   lone_create.c   a new log, and one with other stripes
 *   lone_compact.c  a shorter log takes the place; shorten.c: what it has
 *   lone_beside.c   readers and writers beside each other
 *
 * Invariants
 *   1. The state of the log has what the store says, and so many of its steps as `taken` counts. After a call that appends,
 *      memory follows (array/run.c), so that these are counted at once. When there was no memory to go back, the store is
 *      behind the state, or empty, until the log is read on.
 *   2. `open` is the growth of an append that is under way: it is in the file, behind what counts. state.chain ends with
 *      what counts.
 *   3. Before anything is appended to a file that has something behind what counts, this is cut off, durably. */
#ifndef DRXI_LONE_H
#define DRXI_LONE_H

#include "store/store.h"

struct drxi_lone {
    struct drxi_store own;
    struct drxi_store *store; /* its own; or that of the dataset that has lent the array, */
    uint16_t variable;        /* of which it is this one */
    struct drxi_run open;
    int64_t taken;              /* steps of the store that the state has */
    uint16_t dim[DRX_MAX_NDIM]; /* the dimensions of its axes */
    uint64_t named;             /* as in the store, when the state took its names */
    bool tail;                  /* the file has something behind what counts */
    struct drxi_live words;     /* loaded before the log was read, up to: */
    int64_t words_end;          /* 0: nobody knows them */
    int64_t most;               /* runs that end behind this offset do not count: the log is damaged there */
};

/* ---- lone_state.c ---- */

struct drxi_variable *drxi_lone_variable(const struct drxi_log *log);
/* A view of one variable of a store; 0, or its own and variable 1. DRX_ENOMEM. */
drx_status drxi_lone_begin(struct drxi_log *log, struct drxi_store *store, uint16_t variable);
struct drxi_chain drxi_lone_chain(const struct drxi_log_place *p);
/* Take over all that the store says, or what has come to it; the rest is what depends neither on bounds nor on names. */
drx_status drxi_lone_take_all(struct drxi_log *log);
drx_status drxi_lone_take_names(struct drxi_log *log); /* and attributes */
drx_status drxi_lone_take_new(struct drxi_log *log);
void drxi_lone_take_rest(struct drxi_log *log);
void drxi_lone_take_promise(struct drxi_log *log);
/* The state has all that the store says. */
void drxi_lone_took(const struct drxi_log *log);

/* ---- lone_read.c ---- */

drx_status drxi_lone_read(struct drxi_log *log, enum drxi_tail *tail);
drx_status drxi_lone_describe(struct drxi_log *log, enum drxi_tail *tail);
void drxi_lone_free(struct drxi_log *log);
void drxi_lone_put_back(struct drxi_log *log, int64_t end);

/* ---- lone_append.c ---- */

/* Cut off what lies behind what counts, if there is something. */
drx_status drxi_lone_drop(struct drxi_log *log);
/* DRX_EINVAL: no axis can have the name. */
drx_status drxi_lone_check_name(const struct drxi_log *log, const char *name);
drx_status drxi_lone_append(struct drxi_log *log, const struct drxi_record *record);
drx_status drxi_lone_append_stripes(struct drxi_log *log, const struct drxi_stripes *stripes);
drx_status drxi_lone_append_epoch(struct drxi_log *log, uint32_t epoch);

/* ---- lone_create.c ---- */

drx_status drxi_lone_create(struct drxi_log *log);
/* What a VARIABLE says of a new array, but for numbers, names, dimensions and its type. The fill is kept in fill[], of
 * DRXI_ITEM_MAX_BYTES. */
void drxi_lone_describe_variable(const struct drxi_state *s, uint8_t fill[], struct drxi_variable *v);
/* The number of a type in the log; that of strings is a TYPE of this number, which is put before. */
uint32_t drxi_lone_put_type(struct drxi_run *run, drx_type type, uint16_t number);
drx_status drxi_lone_restripe(const struct drxi_log *log, const struct drxi_stripes *stripes, drxi_io *to);

/* ---- lone_beside.c ---- */

drx_status drxi_lone_has_path(struct drxi_log *log);
drx_status drxi_lone_tell_trims(struct drxi_log *log, bool durable);
drx_status drxi_lone_look(const struct drxi_log *log, drxi_io *file, struct drxi_chain *seen, int64_t *epoch);

/* ---- lone_compact.c ---- */

int64_t drxi_lone_compacted_bytes(const struct drxi_log *log);
drx_status drxi_lone_compact(struct drxi_log *log);

/* ---- open_records.c ---- */

/* Whether this version knows the kinds and flags of the records that follow what counts. */
drx_status drxi_lone_knows_open(drxi_io *file, const struct drxi_log_place *from, bool *knows);

/* ---- shorten.c ---- */

/* The records of a shorter log that say what the present one does, but for its SYNC: `run` is at the begin of a log.
 * Growths are merged where all addresses stay (5.6). */
drx_status drxi_store_shorten(const struct drxi_store *s, struct drxi_run *run);

/* ---- for others ---- */

/* The calls of log/log.h. */
extern const struct drxi_log_calls drxi_lone_log;
/* What log->lone says; and the dimensions of the axes of the state, DRX_MAX_NDIM of them. */
const struct drxi_store *drxi_lone_store(const struct drxi_log *log);
const uint16_t *drxi_lone_dimensions(const struct drxi_log *log);
/* The live words as they were before the log was read; NULL: nobody knows. */
const struct drxi_live *drxi_lone_words(const struct drxi_log *log);

#endif
