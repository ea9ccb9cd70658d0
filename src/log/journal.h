/* The log of a dataset, the file `dataset.xds`: what its commits say.
 *
 * Invariants
 *   1. What comes after the last COMMIT is a transaction that nobody has committed: readers pass over it, and the next
 *      writer cuts it off.
 *   2. A COMMIT is appended when the elements and files that it makes count, and all records before it, are durable. So
 *      it promises them, and a growth needs no record of its own: the COMMIT holds it. So it holds trims, which take
 *      effect after all growths of the same commit.
 *   3. The log of a member repeats what the commits say of it (array/member.c). While it lacks some of that, the journal
 *      decides. */
#ifndef DRXI_JOURNAL_H
#define DRXI_JOURNAL_H

#include "format/dataset_record.h"
#include "log/attrs.h"
#include "log/chain.h"
#include "log/index.h"

struct drxi_journal_dim {
    char *name;
    int64_t added;    /* commit */
    int64_t bound[2]; /* by end, with all changes, pending growths, too */
    int64_t cut[2];   /* by end: what the pending trims take off at the commit */
};

struct drxi_journal_member {
    char *name;
    uint8_t id[DRXI_ID_BYTES];
    int ndim; /* as of the last commit */
    int dim[DRX_MAX_NDIM];
    int64_t added, removed; /* commits; removed: INT64_MAX while it is there */
    int64_t before;         /* the member that had its name before; -1: none */
    int64_t after;          /* how many changes came before it; in a log that was read, at least so many */
};

struct drxi_journal_change {
    int64_t commit;
    struct drxi_dim_change what;
};

/* A new axis that a commit gave a member. While it is pending, the member does not have it. */
struct drxi_journal_axis {
    int64_t commit;
    struct drxi_new_axis what;
};

/* An attribute that a commit set or deleted: the payload of that record. */
struct drxi_journal_attr {
    int64_t commit, member; /* -1: the dataset */
    int kind;               /* DRXI_ATTR, DRXI_ATTR_DELETE */
    size_t bytes;
    uint8_t *payload;
};

struct drxi_journal_commit {
    int64_t time;
    char *message;
};

struct drxi_journal {
    drxi_io *io; /* in memory: of a folder without dataset.xds, or of a process that only follows */
    uint8_t id[DRXI_ID_BYTES];
    struct drxi_chain chain, committed; /* its end; and at the last COMMIT */
    drx_status broken;
    bool unsynced; /* records after `committed` need not be durable */

    /* Entries of commit number `commits` are pending. All are in the order of their commits. */
    int64_t commits, commit_room;
    struct drxi_journal_commit *commit;
    int64_t dims, dim_room;
    struct drxi_journal_dim *dim;
    int64_t members, member_room;
    struct drxi_journal_member *member;
    int64_t changes, change_room; /* of bounds; in each commit the growths come before the trims */
    struct drxi_journal_change *change;
    int64_t axes, axis_room;
    struct drxi_journal_axis *axis;
    int64_t attr_changes, attr_room;
    struct drxi_journal_attr *attr_change;                       /* of members; and pending ones of the dataset */
    struct drxi_attrs attrs;                                     /* of the dataset, as of the last commit; */
    bool ahead;                                                  /* of a writer, with pending ones */
    struct drxi_index dim_by_name, member_by_name, member_by_id; /* of a name the member that got it last */
};

/* Read on, for a reader. */
drx_status drxi_journal_follow(struct drxi_journal *j);
/* Make it what it was when committed.end was this. When that fails, it stays as it is. Keeps the detail. */
void drxi_journal_put_back(struct drxi_journal *j, int64_t end);
void drxi_journal_free(struct drxi_journal *j); /* closes the file, too */
/* Open `folder`/dataset.xds, and read it. A reader drops pending entries; damage is a detail beside the success. A
 * writer has the lock, and finds the pending entries of a transaction that was cut short: *cut, when anything follows
 * the last commit. */
drx_status drxi_journal_open(const char *folder, enum drxi_how how, struct drxi_journal *j, bool *cut);
/* Put back the bit that is wrong in the last record, if there is one: rest->flip.by is not 0 then. For whoever finds the
 * file damaged, or is to repair it. */
drx_status drxi_journal_mend(const char *folder, struct drxi_rest *rest);
/* Begin the file of a new dataset, which has no name yet, with a description. Its first commit is to follow. `folder`
 * NULL: in memory. */
drx_status drxi_journal_begin(const char *folder, const uint8_t id[], struct drxi_journal *j);
/* A journal in memory with these bytes of another one, up to its last commit. */
drx_status drxi_journal_copy(const uint8_t bytes[], int64_t n, struct drxi_journal *j);

/* ---- inquiry ---- */

int64_t drxi_journal_find_dim(const struct drxi_journal *j, const char *name, size_t n); /* -1: none */
/* The member of that name that is there after a commit; -1: none. */
int64_t drxi_journal_find(const struct drxi_journal *j, const char *name, int64_t commit);
int64_t drxi_journal_find_id(const struct drxi_journal *j, const uint8_t id[]); /* of any commit; -1: none */
/* The bounds of a dimension, by end, after a commit; or before a change of that number. */
void drxi_journal_bounds(const struct drxi_journal *j, int64_t dim, int64_t commit, int64_t bound[2]);
void drxi_journal_bounds_before(const struct drxi_journal *j, int64_t dim, int64_t change, int64_t bound[2]);
/* The first change after a commit that trimmed what that commit shows of the dimension; -1: none. */
int64_t drxi_journal_trimmed_since(const struct drxi_journal *j, int64_t dim, int64_t commit);
static inline bool drxi_journal_has(const struct drxi_journal *j, int64_t member, int64_t commit)
{
    return j->member[member].added <= commit && commit < j->member[member].removed;
}
/* The first change of bounds, or of an attribute, of a commit or a later one. */
int64_t drxi_journal_first_change(const struct drxi_journal *j, int64_t commit);
int64_t drxi_journal_first_attr(const struct drxi_journal *j, int64_t commit);
/* Whether anything is pending. */
bool drxi_journal_pending(const struct drxi_journal *j);
int64_t drxi_journal_find_name(const struct drxi_journal *j, const char *name, size_t n); /* who got it last */
/* The dimensions of a member after a commit; returns their number. */
int drxi_journal_dims(const struct drxi_journal *j, int64_t member, int64_t commit, int dim[DRX_MAX_NDIM]);
/* The first new axis, of a member, of a commit or a later one; -1: none. */
int64_t drxi_journal_first_axis(const struct drxi_journal *j, int64_t member, int64_t commit);
bool drxi_journal_new_axes(const struct drxi_journal *j); /* whether any is pending */

/* ---- journal_entries.c, for journal.c ---- */

drx_status drxi_journal_put_dim(struct drxi_journal *j, const struct drxi_dimension_record *dim);
drx_status drxi_journal_put_member(struct drxi_journal *j, const struct drxi_addition *add);
void drxi_journal_pop_dim(struct drxi_journal *j); /* the last one */
void drxi_journal_pop_member(struct drxi_journal *j);
drx_status drxi_journal_put_change(struct drxi_journal *j, const struct drxi_dim_change *what);
void drxi_journal_pop_change(struct drxi_journal *j);
/* Note the pending trims behind the growths, for the commit; take them back when there is none. */
drx_status drxi_journal_put_trims(struct drxi_journal *j);
void drxi_journal_drop_trims(struct drxi_journal *j);
drx_status drxi_journal_put_axis(struct drxi_journal *j, const struct drxi_new_axis *what);
/* The members get their pending axes. */
void drxi_journal_settle_axes(struct drxi_journal *j);
void drxi_journal_drop_pending(struct drxi_journal *j);
void drxi_journal_free_entries(struct drxi_journal *j);
char *drxi_journal_copy_text(const char *text, size_t n);

/* ---- a transaction ---- */

/* Append a record, and apply it. Not durable before drxi_journal_sync or the commit. */
drx_status drxi_journal_add_dim(struct drxi_journal *j, const char *name, int64_t lower, int64_t upper, int *dim);
drx_status drxi_journal_add(struct drxi_journal *j, const struct drxi_addition *add);
drx_status drxi_journal_remove(struct drxi_journal *j, int64_t member);
drx_status drxi_journal_add_axis(struct drxi_journal *j, const struct drxi_new_axis *what);
drx_status drxi_journal_attr(struct drxi_journal *j, int64_t member, enum drxi_kind kind, const uint8_t *payload,
                             size_t bytes);
/* Note a growth, which the commit will hold. DRX_EOVERFLOW; DRX_EINVAL: a trim of that end is pending. */
drx_status drxi_journal_check_growth(const struct drxi_journal *j, int dim, enum drxi_end end, int64_t by);
drx_status drxi_journal_grow(struct drxi_journal *j, int dim, enum drxi_end end, int64_t by);
/* Note a trim, which the commit will hold. DRX_ERANGE: so many indices are not there. */
drx_status drxi_journal_check_trim(const struct drxi_journal *j, int dim, int64_t before, int64_t after);
void drxi_journal_trim(struct drxi_journal *j, int dim, int64_t before, int64_t after);
/* Take back additions since the mark. */
struct drxi_journal_mark {
    struct drxi_chain chain;
    int64_t dims, members;
};
static inline struct drxi_journal_mark drxi_journal_mark(const struct drxi_journal *j)
{
    return (struct drxi_journal_mark){ j->chain, j->dims, j->members };
}
void drxi_journal_rewind(struct drxi_journal *j, struct drxi_journal_mark mark);
drx_status drxi_journal_sync(struct drxi_journal *j);
/* Append the COMMIT, durably. */
drx_status drxi_journal_commit(struct drxi_journal *j, int64_t time, const char *message);
/* Cut off what is pending, in the file and in memory. */
drx_status drxi_journal_abort(struct drxi_journal *j);

#endif
