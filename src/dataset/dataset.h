/* An open dataset: drx_dataset.h.
 *
 *   ds_open.c     opening, closing, refresh; ds_make.c: making one
 *   ds_log.c      the transaction in the log; ds_back.c: giving back what one has left
 *   ds_handle.c   making, checking and freeing a handle; what it shows
 *   ds_lend.c     the arrays that it lends
 *   ds_groups.c   groups: paths and folders
 *   ds_add.c      new groups, types and variables
 *   ds_bounds.c   dimensions that grow, and trims
 *   ds_change.c   what else a transaction changes
 *   ds_commit.c   commit and abort
 *   ds_shared.c   several writers beside each other
 *   ds_forget.c   a shorter log takes the place; ds_other_log.c: the log that has the name now
 *   ds_array.c    the array of a variable: lent, or drx_open
 *   ds_files.c    the whole folder renamed, copied, removed
 *   ds_check.c    verified and repaired
 *   look/         ds_inquire.c, everything that only looks; ds_history.c: what commits have changed
 *   ds_replica.h  the handles of several processes: ds_replica.c
 *
 * Invariants
 *   1. What a reader shows is what its store says, which ends with a C. That of a writer has its transaction besides,
 *      but for trims and new axes, which take effect at the commit.
 *   2. `open` has the records of the transaction, from the last C on. They are in the file, and in the store.
 *   3. A commit makes elements, files and names durable before it appends the COMMIT. Space and files go when that is
 *      durable.
 *   4. A VARIABLE is in the file, durably, before its files have names. So whoever takes a transaction back knows which
 *      files are its own.
 *   5. The writer has the lock of dataset.xds, so nobody else writes to any variable. Writers that share it:
 *      ds_shared.c. */
#pragma once

#include "array/place.h"
#include "dataset/ds_replica.h"

/* An array that the dataset has lent. */
struct drxi_lent {
    drx_dataset *ds;
    drx_array *a;
    uint16_t variable;
    bool gone;     /* removed, or taken back: its handle stays */
    bool guarded;  /* the present commit keeps others from its table, and this process from its elements */
    bool changed;  /* in this transaction, files or attributes; */
    bool grew;     /* bounds */
    bool bounds;   /* the commit trims it, or gives it an axis */
    int64_t epoch; /* the present commit tells that what was written with it is durable; 0: nothing */
    drxi_io *log;  /* an older one of the dataset, which goes with it; NULL: none */
    struct drxi_deferral defer;
};

/* A trim of a dimension, and a new axis, that take effect at the commit. */
struct drxi_ds_trim {
    uint16_t dimension;
    int64_t by[2]; /* by end */
};
struct drxi_ds_axis {
    uint16_t variable, dimension;
    int at;
};

/* An axis that a growth of its dimension grows. */
struct drxi_ds_growth {
    struct drxi_lent *lent;
    struct drxi_step step;
    bool done;
};

/* Things that are there. */
struct drxi_ds_list {
    int64_t n, room, path_room;
    uint16_t *number;
    char **path; /* of those in groups that somebody has asked for; NULL */
};

/* What has attributes, and how messages call it. */
struct drxi_ds_part {
    const struct drxi_thing *thing;
    char label[DRXI_DETAIL_BYTES];
};

/* Where something is, or is to be: its group, its number, 0 for a new one, and its name there. */
struct drxi_ds_place {
    uint16_t group, number;
    const char *name;
};

/* Another log of the dataset. */
struct drxi_ds_log {
    drxi_io *io;
    struct drxi_store store;
    struct drxi_live words; /* as they were before it was read */
};

struct drx_dataset {
    char *path, *log_path;
    bool writable;
    bool shared;             /* opened DRX_SHARED */
    bool held;               /* of a shared one: it has the lock of changes; */
    bool begun;              /* it has it for a transaction, as drx_dataset_begin says */
    int64_t process;         /* that has begun the transaction */
    drx_dataset *next_begun; /* in the list of ds_shared.c */
    bool follows;            /* refresh shows later commits */
    bool replica;            /* its log is a copy in memory, and another process changes the files */
    bool only_abort;         /* an extension, or an addition, failed half-way */
    bool damaged;            /* the log, behind what counts */
    bool removes;            /* the transaction removes a variable or a group */
    bool another;            /* its log is another one than that of which the others were told (ds_replica.h), */
    int64_t told;            /* up to here, before the present call */
    bool started; /* the folder is durable, and the log written again since it was opened, with a SYNC at its end */
    drx_status broken;
    drxi_io *io;
    struct drxi_store store;
    struct drxi_store *whole;        /* of a handle at an earlier commit: all of the log; else &store */
    struct drxi_ds_history *history; /* NULL: nobody has asked */
    struct drxi_live words;          /* as they were before the log was read; */
    bool live;                       /* they were loaded */
    struct drxi_run open, mark;      /* mark: before what is being appended */
    int64_t trims, trim_room, axes, axis_room;
    struct drxi_ds_trim *trim;
    struct drxi_ds_axis *axis;
    struct drxi_ds_list groups, variables, dimensions, types;
    int64_t growths, growth_room;
    struct drxi_ds_growth *growth; /* of the present call */
    int64_t lents, lent_room, lent_of_room;
    struct drxi_lent **lent, **lent_of; /* lent_of: by number of the variable */
    int64_t busies, busy_room;
    struct drxi_lent **busy; /* those that the present commit has to do with */
};

static inline drx_status drxi_no_dataset(void)
{
    return drxi_fail(DRX_EINVAL, "the dataset is a null pointer");
}

/* ---- ds_handle.c ---- */

drx_status drxi_ds_new(const char *path, drx_dataset **out);
void drxi_ds_free(drx_dataset *ds);
/* The lists of what is there. DRX_ENOMEM. */
drx_status drxi_ds_list_things(drx_dataset *ds);
/* DRX_EACCES, or why the handle is broken. */
drx_status drxi_ds_check_writable(const drx_dataset *ds);
/* DRX_EBUSY: others share it, and the log cannot become shorter. */
drx_status drxi_ds_check_alone(const drx_dataset *ds);
bool drxi_ds_pending(const drx_dataset *ds);
/* Whether the transaction can go on; and may change anything but axes. */
drx_status drxi_ds_check_going_on(const drx_dataset *ds);
drx_status drxi_ds_check_changeable(const drx_dataset *ds);
/* No array has the name, which would hide the dataset. */
drx_status drxi_ds_refuse_array(const char *path);
struct drxi_variable *drxi_ds_find_variable(const drx_dataset *ds, const char *name); /* NULL: none */
int64_t drxi_ds_last(const drx_dataset *ds); /* the number of the last commit of a store; -1: none */

/* ---- ds_groups.c ---- */

/* The parts, names or stems, of a thing and of the groups above it, with slashes between; to be freed. NULL: no
 * memory. */
char *drxi_ds_path_of(const struct drxi_store *s, const struct drxi_thing *t,
                      const char *(*part)(const struct drxi_thing *t));
/* The number of the thing that has the path; 0: none has. */
uint16_t drxi_ds_find(const drx_dataset *ds, enum drxi_what what, const char *path);
drx_status drxi_ds_need(const drx_dataset *ds, enum drxi_what what, const char *path,
                        uint16_t *number); /* DRX_ENOENT */
/* The part that the calls of attributes mean. DRX_EINVAL, DRX_ENOENT. */
drx_status drxi_ds_find_part(const drx_dataset *ds, int part, const char *of, struct drxi_ds_part *out);
/* "group", and so on, for messages. */
const char *drxi_ds_word(int part);
/* The place for a new thing of that path. DRX_ENOENT: no such group; DRX_EINVAL: no name; DRX_EEXIST: it is taken. */
drx_status drxi_ds_place(const drx_dataset *ds, enum drxi_what what, const char *path, struct drxi_ds_place *out);
/* The dimension that a variable of a group means by `dim`, or the place for it. DRX_ENOENT, DRX_EINVAL: the detail
 * does not say whose it is. */
drx_status drxi_ds_see_dimension(const drx_dataset *ds, uint16_t group, const char *dim, struct drxi_ds_place *out);
/* Whether n things more can get numbers. DRX_EOVERFLOW. */
drx_status drxi_ds_check_room(const drx_dataset *ds, enum drxi_what what, int n);
/* The path of a thing's files in a folder that has those of the dataset, with an ending; in its own, the path of a
 * variable's files, without endings, and of a group's folder; to be freed. NULL: no memory. */
char *drxi_ds_path_below(const drx_dataset *ds, const char *folder, const struct drxi_thing *t, const char *end);
char *drxi_ds_stem_path(const drx_dataset *ds, const struct drxi_variable *v);
char *drxi_ds_folder(const drx_dataset *ds, uint16_t group);
/* Call with a path, which is freed; NULL: there was no memory for it. */
drx_status drxi_ds_at(drx_status (*call)(const char *path), char *path);
/* A stem that nothing has had (spec/drx-format.md, 4.2); to be freed. NULL: no memory, or none is left. */
char *drxi_ds_new_stem(const drx_dataset *ds, enum drxi_what what, const struct drxi_ds_place *place, uint16_t number);
/* Make names durable: in one folder; in all, which are there then; where the transaction has added any. taken_back: the
 * folders that it has added are gone again. */
drx_status drxi_ds_sync_folder(const drx_dataset *ds, uint16_t group);
drx_status drxi_ds_sync_folders(const drx_dataset *ds);
drx_status drxi_ds_sync_added(const drx_dataset *ds, bool taken_back);
/* Whether the transaction has added it. */
bool drxi_ds_is_added(const drx_dataset *ds, const struct drxi_thing *t);
/* Names in a folder: all but for "." and ".."; drxi_ds_free_names follows in any case. */
struct drxi_ds_names {
    char **name;
    int64_t n, room;
    drx_status st;
};
drx_status drxi_ds_list_folder(const char *folder, struct drxi_ds_names *found);
/* Take over a name; NULL: no memory. */
drx_status drxi_ds_keep_name(struct drxi_ds_names *found, char *name);
void drxi_ds_free_names(struct drxi_ds_names *found);
/* The stem of a file of a variable, with its length, behind which come its ending and, unless it was named, more; 0:
 * it is no such file. */
size_t drxi_ds_stem_of(const char *name, char stem[DRXI_STEM_BYTES + 1]);
/* Remove a folder of a group, unless it holds what nobody here has made. */
void drxi_ds_remove_folder(const char *folder);
/* Remove folders of groups that records behind that sequence number have removed, or that the transaction has added. */
void drxi_ds_remove_folders(const drx_dataset *ds, uint64_t since);

/* ---- look/ds_history.c ---- */

/* What commit[at] of the whole store has changed: drx_dataset_commit_changes. */
drx_status drxi_ds_changes_of(drx_dataset *ds, int64_t at, const drx_change **out, int64_t *n);
/* Forget what was read for it: also when another log takes the place. */
void drxi_ds_free_history(drx_dataset *ds);

/* ---- ds_open.c ---- */

/* Let the store be as of a commit, beside the whole. DRX_ERANGE. */
drx_status drxi_ds_go_back(drx_dataset *ds, int64_t at);

/* ---- ds_log.c ---- */

/* Before the first change: the folder is durable, the log is written again from the last SYNC on, and ends with one. */
drx_status drxi_ds_start(drx_dataset *ds);
/* The run of the transaction: records that are added to it, drxi_ds_append appends. What failed before is told then,
 * and nothing has happened after an error. */
struct drxi_run *drxi_ds_run(drx_dataset *ds);
drx_status drxi_ds_append(drx_dataset *ds);
drx_status drxi_ds_append_listed(drx_dataset *ds); /* and list what is there, or do nothing */
/* The same of an attribute: DRXI_ATTR, DRXI_ATTR_DELETE. */
drx_status drxi_ds_append_attribute(drx_dataset *ds, enum drxi_what what, uint16_t number,
                                    const struct drxi_record *record);
/* Take back what was appended since the mark, and list what is left, or break the dataset. Keeps the detail. */
struct drxi_run drxi_ds_mark(drx_dataset *ds);
void drxi_ds_rewind(drx_dataset *ds, const struct drxi_run *mark);
/* Append the COMMIT, after trims, axes and the EPOCHs of arrays; durable on return. */
drx_status drxi_ds_append_commit(drx_dataset *ds, int64_t time, const char *message);
/* A SYNC, with the EPOCHs of arrays whose elements are durable; it need not be durable at once. */
drx_status drxi_ds_append_sync(drx_dataset *ds, bool epochs);
/* Let the store be as at the last C; the log stays. */
drx_status drxi_ds_return(drx_dataset *ds);
/* Forget the transaction: cut the log, too. */
drx_status drxi_ds_cut(drx_dataset *ds);
drx_status drxi_ds_break(drx_dataset *ds, drx_status st);

/* ---- ds_shared.c: for a handle that has the dataset alone, they do nothing ---- */

/* Take the lock of a change, and see what others have appended; wait while another process that has it makes progress.
 * DRX_EBUSY; DRX_EMISMATCH: an array has got an axis; what breaks the handle. Does nothing when it is held. */
drx_status drxi_ds_hold(drx_dataset *ds);
void drxi_ds_release(drx_dataset *ds);
/* drx_dataset_begin, for a transaction that this call ends: another handle of the process waits for it. */
drx_status drxi_ds_begin(drx_dataset *ds);
drx_status drxi_ds_check_begin(const drx_dataset *ds); /* whether one can begin */
/* Show what others have appended, in the arrays, too. */
drx_status drxi_ds_follow_others(drx_dataset *ds);
/* DRX_EMISMATCH: an array that is lent has got an axis, so that it cannot follow. */
drx_status drxi_ds_check_axes(const drx_dataset *ds);
/* Let arrays and lists follow the store; `all`: it is that of another log. A failure leaves some behind. */
drx_status drxi_ds_follow_store(drx_dataset *ds, bool all);

/* ---- ds_back.c ---- */

/* What a transaction has left that was cut short, at the open of a writer, or by another one that died: its files go,
 * and it is cut off. */
drx_status drxi_ds_give_back(drx_dataset *ds);
/* Remove the files of a variable. A replica leaves them. */
drx_status drxi_ds_remove_files(const drx_dataset *ds, const struct drxi_variable *v);
/* Remove the files of variables, and folders of groups, that records behind that sequence number have removed. */
drx_status drxi_ds_remove_gone(const drx_dataset *ds, uint64_t since);
/* Those of all, at the start of a writer: the one before may have died before its records were durable. */
drx_status drxi_ds_finish_removals(drx_dataset *ds);

/* ---- ds_forget.c ---- */

/* Take a log of the same state, with all arrays. */
drx_status drxi_ds_take_log(drx_dataset *ds, struct drxi_ds_log *log);

/* ---- ds_other_log.c ---- */

/* DRX_ERANGE: there is no such commit. */
drx_status drxi_ds_check_commit(const drx_dataset *ds, int64_t n);
/* Read all of a log. DRX_EDAMAGED: also where it has no commit. */
drx_status drxi_ds_read_store(struct drxi_store *s, drxi_io *io, bool others, enum drxi_log_tail *tail);
/* The live words, and then what has come to the log. */
drx_status drxi_ds_read_on(drx_dataset *ds);
/* The log that has the name, read. DRX_EMISMATCH: it is that of another dataset. */
drx_status drxi_ds_log_now(const drx_dataset *ds, struct drxi_ds_log *out);
void drxi_ds_free_log(struct drxi_ds_log *log);
/* Exchange the log, but for arrays that are lent. */
void drxi_ds_swap_log(drx_dataset *ds, struct drxi_ds_log *log);
/* Free the log that was before; its file when nobody looks at it any more. */
void drxi_ds_drop_log(drx_dataset *ds, struct drxi_ds_log *log);
/* Whether the variable of the array is there no longer. */
bool drxi_ds_is_gone(const drx_dataset *ds, const struct drxi_lent *lent);

/* ---- ds_lend.c ---- */

struct drxi_lending drxi_ds_lending(drx_dataset *ds, uint16_t variable);
/* The array of a variable, opened if it is not yet; a writer gets it for writing. With the lock of a change, since
 * opening it repairs what crashes have left. */
drx_status drxi_ds_lend(drx_dataset *ds, uint16_t variable, struct drxi_lent **out);
struct drxi_lent *drxi_ds_lent_of(const drx_dataset *ds, uint16_t variable); /* NULL: none */
/* The arrays of all variables that have a dimension; and call that, unless it is NULL. */
drx_status drxi_ds_lend_with(drx_dataset *ds, uint16_t dimension, drx_status (*call)(drx_array *a));
/* Take an array into the list. On failure it is freed. */
drx_status drxi_ds_take(drx_dataset *ds, uint16_t variable, drx_array *a, struct drxi_lent **out);
/* Its variable is there no longer: the handle stays, and only reads. */
void drxi_ds_lose(struct drxi_lent *lent);
bool drxi_ds_has(const struct drxi_variable *v, uint16_t dimension);

/* ---- ds_array.c ---- */

/* The dataset of the nearest folder above a path, and the path of a variable in it. DRX_ENOENT: there is none. */
drx_status drxi_ds_open_above(const char *path, int mode, int64_t at, drx_dataset **ds, const char **name);
