/* The log of an array, and the state that it describes (log/state.h): that of a lone array, or the part that an array
 * has in that of the dataset which has lent it. The dataset reads and appends that. */
#pragma once

#include "log/state.h"

/* Takes the records of an array that a dataset has lent: the dataset commits them. */
struct drxi_deferral {
    drx_status (*record)(void *user, const struct drxi_record *record);
    void *user;
};

struct drxi_lone;

struct drxi_log {
    drxi_io *io;            /* NULL: an array in memory */
    bool borrowed;          /* it belongs to the dataset that has lent the array */
    struct drxi_lone *lone; /* lone.h; NULL: an array in memory */
    bool follows;           /* a replica: its log is a copy, which has the same records as that of the root, */
    bool starts;            /* it was opened for writing, and has appended nothing yet */
    bool stale;             /* or not any more: there was no memory for one. The root's next message has all of them */
    int64_t time;           /* of the last commit */
    drxi_io *tail;          /* of a copy in memory: the file, where others append; NULL: none is open */
    const struct drxi_deferral *defer;
    bool others;                /* other processes write elements, too, */
    bool shared;                /* and append (DRX_SHARED): array/change.c */
    bool restoring;             /* cells outside the bounds, which of several ranks the root does alone */
    struct drxi_log_place seen; /* as far as the file was looked at for the last SYNC of another process */
    struct drxi_state state;
    atomic_int_fast64_t epoch;  /* of a compressed array: of what is written now. What has a lower one is durable */
    atomic_bool unpromised;     /* elements were written that count only when a SYNC tells of them, */
    atomic_bool undurable;      /* or since they were made durable */
    _Atomic(drx_status) broken; /* a failure that could not be undone: the handle only reads from now on */
};

/* ---- lone_create.c: of a lone array ---- */

/* Write it to an empty file, with what the state says. */
drx_status drxi_log_create(struct drxi_log *log);
/* Write that of a striped array to an empty file, with these stripes. */
drx_status drxi_log_restripe(const struct drxi_log *log, const struct drxi_stripes *stripes, drxi_io *to);

/* ---- lone_read.c ---- */

/* Read that of a lone array for the first time, and judge what follows; or apply what has come to it, and judge.
 * DRXI_DAMAGED sets the detail. */
drx_status drxi_log_describe(struct drxi_log *log, enum drxi_tail *tail);
drx_status drxi_log_read(struct drxi_log *log, enum drxi_tail *tail);
/* Return to the state whose log ended at `end`, by reading it again up to there. If that fails, the later state stays,
 * which agrees with the log, too. Keeps the detail. */
void drxi_log_put_back(struct drxi_log *log, int64_t end);
/* Read the log on, for a handle that is in use: after an error, also DRX_EDAMAGED, the state is what it was. */
drx_status drxi_log_read_on(struct drxi_log *log, enum drxi_tail *tail);
/* DRX_EDAMAGED when the file no longer holds the last record that the state knows; *more: something follows it. */
drx_status drxi_log_continues(struct drxi_log *log, bool *more);
/* Free the state, and what belongs to it. */
void drxi_log_free(struct drxi_log *log);
/* Describe the log of an array that may be damaged; *known: it can be read. It is to be freed in any case. Keeps the
 * detail. */
drx_status drxi_log_peek(drxi_io *meta, struct drxi_log *log, bool *known);
/* Its stripes, from its metadata; n is 0 when it has none, or nobody can tell. Keeps the detail. */
drx_status drxi_log_find_stripes(drxi_io *meta, struct drxi_stripes *out);

/* ---- lone_append.c ---- */

/* DRX_EUNSUPPORTED: an open transaction is of a later version; nobody of this one writes. */
drx_status drxi_log_check_open(const struct drxi_log *log);
/* Cut off what lies behind what counts, as an append that was not committed, if there is something. */
drx_status drxi_log_cut_rest(struct drxi_log *log);
/* Append the record of a change. On failure the log is unchanged. An array in memory has no log: then these do nothing.
 * A deferred record goes to log->defer instead. */
drx_status drxi_log_append(struct drxi_log *log, const struct drxi_record *record);
drx_status drxi_log_append_growth(struct drxi_log *log, enum drxi_kind kind, const struct drxi_growth *growth);
drx_status drxi_log_append_sync(struct drxi_log *log);
/* Before a SYNC of a compressed array: tell up to which epoch all is durable. */
drx_status drxi_log_append_epoch(struct drxi_log *log);
/* The stripes that the array has from now on. */
drx_status drxi_log_append_stripes(struct drxi_log *log, const struct drxi_stripes *stripes);

/* ---- lone_compact.c: of a lone array ---- */

/* The length that it has when compacted. */
drx_status drxi_log_compacted_bytes(const struct drxi_log *log, int64_t *bytes); /* DRX_ENOMEM */
/* Replace the file, which is locked and describes only what is durable, with a shorter one of the same state. On
 * failure the old file stays, or, when nobody can know which of the two will, it is broken. */
drx_status drxi_log_compact(struct drxi_log *log);

/* ---- lone_beside.c ---- */

/* Sync a file of the array. What a failed sync did not store may be lost even if a later sync succeeds: so the failure
 * breaks the log. */
drx_status drxi_make_durable(struct drxi_log *log, drxi_io *io);
/* Before cells change that a trim has left outside, or their space is given back: the last trim that counts is made
 * durable, unless `durable` says that it is, and readers look for it from now on. */
drx_status drxi_log_tell_trims(struct drxi_log *log, bool durable);
/* Of a compressed array: the epoch of the last EPOCH behind *seen that counts in the file, if it is larger. *seen is
 * then behind it. seen NULL: in all of another file, if that is a log of the same store. */
drx_status drxi_log_look(const struct drxi_log *log, drxi_io *file, struct drxi_log_place *seen, int64_t *epoch);
