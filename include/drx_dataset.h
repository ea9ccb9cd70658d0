/* drx_dataset.h - datasets: many arrays that grow together, all or nothing.
 *
 * A dataset is a folder. Its arrays are its variables, and the file dataset.xds says what they have in common: the
 * dimensions that they share by name, attributes, and the commits. A dataset shows its last commit: every variable with
 * the bounds of that commit.
 *
 * A transaction begins with the first change after an open or a commit, and ends with drx_dataset_commit or
 * drx_dataset_abort. Until the commit nobody else sees anything of it. After a crash the dataset shows the last commit.
 * One handle writes alone (DRX_RDWR), or several processes share the dataset (DRX_SHARED): they change it one after the
 * other, and write elements all at once. Readers take no lock.
 *
 * Growth, at either end, adds elements and moves none. So an earlier commit is the same files with smaller bounds: it
 * can be opened with `at`, and it costs no space. It has the attributes, names and axes of then. Elements that are
 * overwritten in place show their present values at every commit. drx_dataset_abort does not undo an overwrite of
 * elements inside the bounds.
 *
 * Groups are those of netCDF-4: a tree, below the root group, which has no name. Each variable and dimension lies in a
 * group. Its name is its path, without a slash in front: "temp" in the root, "ocean/temp" in the group "ocean". The
 * parts of a path are 1 to 200 bytes of UTF-8, without a slash, and do not begin with a dot. Groups and variables of
 * one group have different names; so have its dimensions. A dimension is seen in its group and in those below. A
 * variable and a group that get other names keep their files and folder.
 *
 * One thread at a time uses a dataset and asks it for arrays. The arrays follow the rules of drx.h. */
#ifndef DRX_DATASET_H
#define DRX_DATASET_H

#include <drx_tools.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct drx_dataset drx_dataset; /* opaque; made by drx_dataset_create, drx_dataset_open */

#define DRX_LAST INT64_C(-1) /* the last commit, for `at` */

/* The parts of a dataset. A call that takes a part takes its path, too. */
enum drx_part { DRX_DATASET, DRX_GROUP, DRX_DIMENSION, DRX_VARIABLE, DRX_TYPE };

/* ---- create, open, close ------------------------------------------------ */

/* Make an empty dataset, and open it for writing. The folder `path` is made, or is there and holds no dataset.xds and
 * no arrays. Commit 0 shows the empty dataset. Errors: DRX_EINVAL, DRX_EEXIST (or an array has the name), DRX_ENOENT
 * (the parent folder), DRX_EACCES, DRX_ENOSPC, DRX_ENOMEM, DRX_EIO. */
DRX_API drx_status drx_dataset_create(const char *path, drx_dataset **out);

/* Open a dataset.
 *
 *   mode  DRX_RDONLY, DRX_RDWR (the only writer), or DRX_SHARED (one of several, on one machine; see drx_dataset_begin)
 *   at    the commit to show, for DRX_RDONLY; DRX_LAST: the last one
 *
 * A URL opens for reading alone, as with drx_open.
 *
 * A writer first takes back what a transaction that was cut short has left; those that share it, before their first
 * change. Errors: DRX_EINVAL, DRX_ENOENT, DRX_ERANGE (no commit `at`), DRX_EBUSY (another writer, or for DRX_SHARED
 * one that does not share), DRX_EACCES, DRX_EFORMAT,
 * DRX_EDAMAGED, DRX_EMISMATCH, DRX_EUNSUPPORTED, DRX_ENOMEM, DRX_EIO. */
DRX_API drx_status drx_dataset_open(const char *path, int mode, int64_t at, drx_dataset **out);

/* Abort the transaction in progress, close the arrays, and release the handle, even on an error. NULL is fine.
 * It never commits: what changed since the last drx_dataset_commit is taken back, without an error. */
DRX_API drx_status drx_dataset_close(drx_dataset *ds);

/* Show the last commit of another process, whole, in the dataset and in the arrays that it gave out. A handle opened
 * with `at` or as the only writer stays as it is, and so does one that has begun a transaction. After an error the
 * dataset and the arrays show what they showed before. Errors: DRX_EMISMATCH (the path names another dataset now, or
 * an array has got an axis), DRX_ENOENT, DRX_EDAMAGED, DRX_ENOMEM, DRX_EIO. */
DRX_API drx_status drx_dataset_refresh(drx_dataset *ds);

/* ---- files ----------------------------------------------------------------
 * At every instant a whole dataset, or none, has each name. Nobody may have the dataset or a variable open for writing
 * (DRX_EBUSY). Durable on return. Errors: also DRX_EINVAL, DRX_ENOENT, DRX_EACCES, DRX_ENOSPC, DRX_ENOMEM, DRX_EIO. */

/* Rename the folder; open handles go on reading. DRX_EEXIST: `to` is there, or an array of that name;
 * DRX_EUNSUPPORTED: on another file system. */
DRX_API drx_status drx_dataset_rename(const char *from, const char *to);

/* Make `to` an exact copy of what the last commit shows, with all its commits. DRX_EEXIST: `to` is there, or an array
 * of that name. A killed process may leave a folder ".NAME.copy-ID" beside it, which is no dataset of that name. */
DRX_API drx_status drx_dataset_duplicate(const char *from, const char *to);

/* Remove a dataset and its folder, which must hold nothing else (DRX_EINVAL). A killed process may leave a folder
 * ".NAME.removed-ID" beside it. */
DRX_API drx_status drx_dataset_delete(const char *path);

/* Put the dataset `from` in the place of the dataset `to`, which is removed as drx_dataset_delete removes it. At every
 * instant one of the two has the name `to`, where the file system can exchange names, as those of Linux can; elsewhere
 * none has it for an instant. After an error the old one has that name, or the new one. A killed process may leave the
 * old one as `from`, or a folder ".NAME.removed-ID" beside `to`. DRX_EUNSUPPORTED: on another file system. */
DRX_API drx_status drx_dataset_replace(const char *from, const char *to);

/* Verify dataset.xds and, as drx_check does, every variable of the last commit; change nothing. drx_dataset_repair
 * first does what an open for writing does. Arguments and statuses are theirs;
 * others may have the dataset open for writing while it is verified. */
DRX_API drx_status drx_dataset_check(const char *path, drx_report report, void *user, drx_progress progress,
                                     void *progress_user);
DRX_API drx_status drx_dataset_repair(const char *path, drx_report report, void *user, drx_progress progress,
                                      void *progress_user);

/* ---- inquiry -------------------------------------------------------------
 * Groups, variables and dimensions are those of the commit shown and, for a writer, of its transaction: of the whole
 * tree, numbered from 0 in the order in which they were added. Names are paths. Pointers stay valid until the next
 * change, refresh or close of `ds`. */

DRX_API int drx_dataset_count(const drx_dataset *ds);                  /* of variables */
DRX_API const char *drx_dataset_name(const drx_dataset *ds, int i);    /* of variable i; NULL: none */
DRX_API int drx_dataset_find(const drx_dataset *ds, const char *name); /* the variable of that name; -1: none */
/* The number of dimensions of variable i, and which dimension its axis is. A variable without dimensions is a scalar:
 * its array has one axis, of one element. A null variable, as HDF5's null dataspaces are, has no elements and no shape:
 * -1, as for no variable; its array has one axis without a name or an index, of the shape {0}. */
DRX_API int drx_dataset_ndim(const drx_dataset *ds, int i);
DRX_API int drx_dataset_axis(const drx_dataset *ds, int i, int axis); /* -1: no such axis */

DRX_API int drx_dataset_dim_count(const drx_dataset *ds);
DRX_API int drx_dataset_dim_find(const drx_dataset *ds, const char *name);         /* -1: none */
DRX_API const char *drx_dataset_dim(const drx_dataset *ds, int d, int64_t *bound); /* name; bound may be NULL */
DRX_API int64_t drx_dataset_dim_lower(const drx_dataset *ds, int d); /* its first index; indices go up to bound - 1 */
/* Whether any commit up to the one shown grew it. */
DRX_API int drx_dataset_dim_grew(const drx_dataset *ds, int d);

DRX_API int drx_dataset_group_count(const drx_dataset *ds);                  /* without the root */
DRX_API const char *drx_dataset_group(const drx_dataset *ds, int i);         /* those in a group come after it */
DRX_API int drx_dataset_group_find(const drx_dataset *ds, const char *path); /* -1: none */

/* The types that a dataset has, defined ones and those of strings: the path of type i, "" for one without a name; NULL:
 * none. *type, unless `type` is NULL, is its number in this process, 0 for one that this library does not know. It is
 * what its record says: a group that is removed takes the names of its types with it. */
DRX_API int drx_dataset_type_count(const drx_dataset *ds);
DRX_API const char *drx_dataset_type(const drx_dataset *ds, int i, drx_type *type);

typedef struct drx_commit {
    int64_t number;       /* 0, 1, 2, ... */
    int64_t time;         /* microseconds since 1970-01-01T00:00:00Z */
    const char *message;  /* never NULL */
    uint64_t reserved[4]; /* zero */
} drx_commit;

DRX_API int64_t drx_dataset_shown(const drx_dataset *ds);  /* the number of the commit shown */
DRX_API int64_t drx_dataset_last(const drx_dataset *ds);   /* that of the last one known */
DRX_API int64_t drx_dataset_oldest(const drx_dataset *ds); /* that of the first one: 0, or see drx_dataset_forget */
DRX_API drx_status drx_dataset_commit_info(const drx_dataset *ds, int64_t number, drx_commit *out); /* DRX_ERANGE */

enum drx_change_kind {
    DRX_ADDED,          /* with all its attributes; a dimension has its bounds after the commit */
    DRX_REMOVED,        /* a group: with all that is in it */
    DRX_REPLACED,       /* removed, and another one of its name added */
    DRX_RENAMED,        /* `other` is the name before */
    DRX_CHANGED_BOUNDS, /* of a dimension */
    DRX_GOT_AXIS,       /* a variable: number `axis`, of the dimension `other` */
    DRX_SET_ATTRIBUTE,  /* `other`, which was not there */
    DRX_CHANGED_ATTRIBUTE,
    DRX_DELETED_ATTRIBUTE
};

typedef struct drx_change {
    int kind;          /* enum drx_change_kind */
    int of;            /* enum drx_part */
    const char *name;  /* of the part, its path as of the commit; "": the dataset */
    const char *other; /* of a part, its path; never NULL */
    int axis;
    int64_t lower_before, upper_before, lower, upper; /* of a dimension: lower <= index < upper */
    uint64_t reserved[4];                             /* zero */
} drx_change;

/* What a commit changed on the whole, in the order in which it was first touched: *n changes at *changes, borrowed up
 * to the next call of this, change, refresh or close. The first call reads dataset.xds once more. Errors: DRX_ERANGE,
 * DRX_EINVAL, DRX_EDAMAGED, DRX_ENOMEM, DRX_EIO. */
DRX_API drx_status drx_dataset_commit_changes(const drx_dataset *ds, int64_t number, const drx_change **changes,
                                              int64_t *n);

/* The array of a variable, as of the commit shown; borrowed: the dataset closes it. A writer's handle reads and writes
 * elements and sets attributes; it grows only by drx_dataset_extend and its like. Its drx_sync syncs elements.
 * Inquiries of drx_tools.h about chunks and growths tell of the files as they are, at every commit.
 * DRX_ERANGE: a read asks for elements that a later commit trimmed; drx_dataset_refresh shows what is left.
 * Errors: DRX_ENOENT (also where a later commit has removed it), DRX_EDAMAGED, and those of drx_open.
 * The first time, a handle opened DRX_SHARED waits for a transaction of another process, and shows what it committed.
 * drx_open of DATASET/NAME, as in "DATASET/ocean/temp", opens the variable alone, of the last commit: for reading; as
 * the writer of the dataset (DRX_RDWR: its drx_sync commits); or as one of those that share it
 * (DRX_SHARED: its drx_sync makes elements durable). The dataset is that of the nearest folder above with a
 * dataset.xds. */
DRX_API drx_status drx_dataset_array(drx_dataset *ds, const char *name, drx_array **out);

/* Open the variable at `path` alone, for reading, as of commit `at` of its dataset, with the bounds, axes and
 * attributes of then; DRX_LAST: as drx_open. drx_close closes it. Errors: those of drx_dataset_open and
 * drx_dataset_array. */
DRX_API drx_status drx_open_at(const char *path, int64_t at, drx_array **out);

/* The dataset that an array is lent by, also that of drx_open, for inquiries; it lives as long as the array. NULL: a
 * lone array. */
DRX_API const drx_dataset *drx_dataset_of(const drx_array *a);

/* ---- a transaction --------------------------------------------------------
 * On an error a call has done nothing, unless it says so. Errors: DRX_EINVAL, DRX_EACCES (opened for reading),
 * DRX_ENOMEM, DRX_ENOSPC, DRX_EIO, and what is named. */

/* Begin a transaction. On a handle opened DRX_SHARED this comes before the first change (DRX_EINVAL): others wait until
 * drx_dataset_commit or drx_dataset_abort, and the handle first shows all that they committed, so the bounds that are
 * read now hold. It waits for others as long as their files change, and gives DRX_EBUSY after 30 s without a change;
 * at once when another handle of this process has begun. DRX_EMISMATCH: an array has got an axis: open the dataset
 * again; the dataset was removed or replaced. The only writer need not call it. DRX_EINVAL: a transaction is in
 * progress. */
DRX_API drx_status drx_dataset_begin(drx_dataset *ds);

/* Grow a dimension by `by` >= 0 indices in a transaction of its own, which is committed, durably, with an empty
 * message. *first, unless `first` is NULL, is the lowest new index. No other caller gets these indices, in no
 * process. They read as the fill until somebody writes them, which needs no transaction on a handle opened
 * DRX_SHARED; drx_dataset_commit then makes what this process wrote durable. Errors: those of drx_dataset_begin and
 * drx_dataset_extend; DRX_EIO breaks the handle. */
DRX_API drx_status drx_dataset_reserve(drx_dataset *ds, const char *dim, int64_t by, int64_t *first);
/* The same at the low end. */
DRX_API drx_status drx_dataset_reserve_before(drx_dataset *ds, const char *dim, int64_t by, int64_t *first);

/* Add a group to one that is there. DRX_EEXIST: a group or variable has the path; DRX_ENOENT: no group to add it to. */
DRX_API drx_status drx_dataset_add_group(drx_dataset *ds, const char *path);

/* Add a dimension with the bounds lower <= index < upper to a group that is there; variables may have it later.
 * DRX_EEXIST: the group has one of that name; DRX_ENOENT: no group to add it to; DRX_EOVERFLOW: such bounds are too far
 * from 0 or from each other. */
DRX_API drx_status drx_dataset_add_dim(drx_dataset *ds, const char *path, int64_t lower, int64_t upper);

/* Add a variable to a group that is there (DRX_ENOENT). spec->dims names its dimensions. A plain name is looked for in
 * the group of the variable, then in those above it. A name with a slash is the path of a dimension in one of these
 * groups, where "/time" is `time` of the root. Dimensions that exist must have the bounds of spec->lower and
 * spec->shape (DRX_EMISMATCH). Others begin with them, in the group of the variable or where the path says.
 * drx_dim_name of the array gives plain names. dims NULL: a scalar, whose shape is {1}. spec->ndim 0: a null variable
 * of spec->type, which has attributes, but no elements; everything else in `spec` but the source is 0 (DRX_EINVAL).
 * *out, unless `out` is NULL, is borrowed. spec->flags: DRX_CHECKSUM, DRX_SHELL. DRX_EEXIST: a variable or group has
 * the name. */
DRX_API drx_status drx_dataset_add(drx_dataset *ds, const char *name, const drx_spec *spec, drx_array **out);

/* Add a defined type to a group that is there (DRX_ENOENT): the last part of `path` is the name that the type was
 * defined with (DRX_EINVAL). A variable or an attribute of a defined type needs no such call: it has the type that is
 * described alike in its group or one above, or anywhere, and else adds it to its group, with its name
 * (DRX_EEXIST: the group has something else of that name). DRX_EEXIST: a type, variable or group has the path. */
DRX_API drx_status drx_dataset_add_type(drx_dataset *ds, const char *path, drx_type type);

/* Remove a variable; its files go after the commit. One that this transaction added cannot be removed in it
 * (DRX_EINVAL): abort it, or commit it first. DRX_ENOENT. DRX_EBUSY: another process has it open for writing. */
DRX_API drx_status drx_dataset_remove(drx_dataset *ds, const char *name);

/* Remove a group with its variables, dimensions and groups, in the same way. DRX_EINVAL: this transaction has added it,
 * or something in it. */
DRX_API drx_status drx_dataset_remove_group(drx_dataset *ds, const char *path);

/* Give a group, dimension or variable another name in its group: both paths differ in their last part alone
 * (DRX_EINVAL). Arrays that are lent have the new names of their dimensions at once. DRX_ENOENT; DRX_EEXIST: something
 * has the name. */
DRX_API drx_status drx_dataset_set_name(drx_dataset *ds, int part, const char *old_path, const char *new_path);

/* Grow a dimension by `by` >= 0 indices, and all variables that have it. What nobody writes reads as the fill.
 * DRX_ENOENT: no such dimension; DRX_EOVERFLOW; DRX_EBUSY. When an error leaves some of them grown, the transaction can
 * only be aborted. */
DRX_API drx_status drx_dataset_extend(drx_dataset *ds, const char *dim, int64_t by);
/* The same at the low end: the first index becomes lower - by. The index of an element never changes. */
DRX_API drx_status drx_dataset_extend_before(drx_dataset *ds, const char *dim, int64_t by);

/* Trim a dimension, and all variables that have it: `before` indices at its low end, `after` at its high end. It takes
 * effect at the commit: until then everybody sees what was there. Then whole chunks outside the bounds go back to the
 * file system, and reads of them as of an earlier commit are DRX_ERANGE. An end that this
 * transaction trims cannot grow in it (DRX_EINVAL). Errors: DRX_ENOENT, DRX_ERANGE (it has fewer indices),
 * DRX_EBUSY. */
DRX_API drx_status drx_dataset_trim(drx_dataset *ds, const char *dim, int64_t before, int64_t after);

/* Give a variable one more axis, of dimension `dim`, named as in drx_dataset_add, which is new or has the index 0
 * alone. It becomes axis number `at`; no element moves, and all have index 0 on it; that of a scalar is the axis that
 * its array has. It takes effect at the commit, and a transaction that adds axes, to any number of variables, does
 * nothing else. An earlier commit shows the variable without the axis. A reader that has the variable open opens the
 * dataset again: its refresh is DRX_EMISMATCH. Errors: DRX_ENOENT (no such variable), DRX_EINVAL (a null one),
 * DRX_EMISMATCH (`dim` has other bounds), DRX_EBUSY. */
DRX_API drx_status drx_dataset_add_axis(drx_dataset *ds, const char *name, int at, const char *dim);

/* Attributes of a part, as those of arrays in drx.h: of the dataset (`of` NULL or ""), or of the group, dimension or
 * variable of that path. The group "" is the root, whose attributes are those of the dataset. Calls on the array of a
 * variable are the same. DRX_ENOENT: also where the part is not there. */
DRX_API drx_status drx_dataset_attr_set(drx_dataset *ds, int part, const char *of, const char *name, drx_type type,
                                        int64_t n, const void *values);
DRX_API drx_status drx_dataset_attr_set_text(drx_dataset *ds, int part, const char *of, const char *name,
                                             const char *utf8);
DRX_API drx_status drx_dataset_attr_get(const drx_dataset *ds, int part, const char *of, const char *name,
                                        drx_type *type, int64_t *n, const void **values);
DRX_API drx_status drx_dataset_attr_delete(drx_dataset *ds, int part, const char *of, const char *name);
DRX_API int drx_dataset_attr_count(const drx_dataset *ds, int part, const char *of); /* -1: the part is not there */
DRX_API drx_status drx_dataset_attr_info(const drx_dataset *ds, int part, const char *of, int i, const char **name,
                                         drx_type *type, int64_t *n, int *is_text);

/* Make the transaction the next commit. It is durable on return, with all its elements. `message` is UTF-8 of up to
 * 4096 bytes; NULL: none. Without changes there is no commit, whatever the message. Overwriting elements in
 * place is not a change, but this call makes them durable: those of this process, if others share the dataset. After
 * an error before the commit is written, the transaction goes on; DRX_EIO of a sync breaks the handle. */
DRX_API drx_status drx_dataset_commit(drx_dataset *ds, const char *message);

/* Forget the commits before number n, durably: a shorter dataset.xds takes the place of the present one, without
 * them, and without attributes and removed variables that only they showed. Numbers stay. Elements stay as they are,
 * and so does how the variables grew. Other handles go on. A reader opens a commit before n no more (DRX_ERANGE); one
 * that shows it goes on reading. One that follows shows the last commit when it is refreshed.
 * Errors: DRX_ERANGE (no commit n), DRX_EBUSY (a transaction is in progress; opened DRX_SHARED), DRX_EUNSUPPORTED
 * (dataset.xds is a link, or a later version of the library wrote it). After an error nothing has changed; DRX_EIO
 * may break the handle. */
DRX_API drx_status drx_dataset_forget(drx_dataset *ds, int64_t n);
/* Make dataset.xds as short as it can be with all its commits: drx_dataset_forget(ds, drx_dataset_oldest(ds)).
 * drx_compact does the same for the elements of a variable, which is opened alone for it. */
DRX_API drx_status drx_dataset_compact(drx_dataset *ds);

/* Take the transaction back. Arrays that it added are gone: their handles only read, until the dataset is closed. */
DRX_API drx_status drx_dataset_abort(drx_dataset *ds);

#ifdef __cplusplus
}
#endif

#endif
