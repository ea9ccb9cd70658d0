/* The log of an array (log.h) is a store: that of a lone array has one variable, and an array that a dataset has lent
 * is one of many.
 *
 *   lone_state.c    the state of the log follows the store
 *   lone_read.c     the log read
 *   lone_append.c   records appended; an append that is under way
 *   lone_create.c   a new log, and one with other stripes
 *   lone_compact.c  a shorter log takes the place; shorten.c: what it has
 *   lone_beside.c   readers and writers beside each other
 *
 * Invariants
 *   1. The state of the log has what the store says, and this many of its steps as `taken` counts. After a call that
 *      appends, memory follows (array/run.c), so that these are counted at once. When there was no memory to go back,
 *      the store is behind the state, or empty, until the log is read on.
 *   2. `open` is the growth of an append that is under way: it is in the file, behind what counts. state.chain ends
 *      with what counts.
 *   3. Before anything is appended to a file that has something behind what counts, this is cut off, durably. */
#pragma once

#include "lone/log.h"
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
/* Take over all that the store says, or what has come to it; the rest is what depends neither on bounds nor on
 * names. */
drx_status drxi_lone_take_all(struct drxi_log *log);
drx_status drxi_lone_take_names(struct drxi_log *log); /* and attributes */
drx_status drxi_lone_take_new(struct drxi_log *log);
void drxi_lone_take_rest(struct drxi_log *log);
void drxi_lone_take_promise(struct drxi_log *log);
/* The state has all that the store says. */
void drxi_lone_took(const struct drxi_log *log);

/* ---- lone_append.c ---- */

/* DRX_EINVAL: no axis can have the name. */
drx_status drxi_lone_check_name(const struct drxi_log *log, const char *name);

/* ---- lone_create.c ---- */

/* What a VARIABLE says of a new array, but for numbers, names, dimensions and its type. DRX_ENOMEM. */
drx_status drxi_lone_describe_variable(const struct drxi_state *s, struct drxi_variable *v);

/* ---- shorten.c ---- */

/* The records of a shorter log that say what the present one does, but for its SYNC: `run` is at the begin of a log.
 * Growths are merged where all addresses stay (5.6). */
drx_status drxi_store_shorten(const struct drxi_store *s, struct drxi_run *run);

/* ---- for others ---- */

/* What log->lone says. */
static inline const struct drxi_store *drxi_lone_store(const struct drxi_log *log)
{
    return log->lone->store;
}
/* The live words as they were before the log was read; NULL: nobody knows. */
static inline const struct drxi_live *drxi_lone_words(const struct drxi_log *log)
{
    return log->lone->words_end > 0 ? &log->lone->words : NULL;
}
