/* Writing. What is written is the dataset that `drx import` makes of the same netCDF-4 file.
 *
 * Groups, dimensions and attributes go into the transaction of the dataset at once. A variable waits until its
 * definition is complete: it is made when define mode ends (make.c). nc_sync and nc_close commit. */
#ifndef BRIDGE_WRITE_H
#define BRIDGE_WRITE_H

#include "bridge.h"

#ifdef BRIDGE_MPI
#include "drxmp_dataset.h"

struct bridge_processes { /* what nc_create_par and nc_open_par of netCDF-C give a format */
    MPI_Comm comm;
    MPI_Info info;
};
#endif

/* ---- define_names.c ---- */

/* What netCDF-C checks names with; the library does so itself where they are NULL. */
void bridge_find_names(void *(*find)(void *with, const char *name), void *with);
/* The name in the normal form of Unicode; or netCDF's error. */
int bridge_check_name(const char *name, char normal[NC_MAX_NAME + 1]);
/* The path of a name in a group, to be freed. NULL: out of memory. */
char *bridge_path_in(const struct bridge_group *g, const char *name);

/* ---- store.c ---- */

/* A call of drx_dataset.h that changes the dataset: by this process, or by all that have the file open together. */
#ifdef BRIDGE_MPI
#define BRIDGE_STORE(f, call, ...) \
    ((f)->together ? drxmp_dataset_##call((f)->together, __VA_ARGS__) : drx_dataset_##call((f)->ds, __VA_ARGS__))
#else
#define BRIDGE_STORE(f, call, ...) drx_dataset_##call((f)->ds, __VA_ARGS__)
#endif

/* Do processes that write the variable together exchange elements? They do where chunks are compressed or have
 * checksums; else each writes its own. */
bool bridge_store_is_exchanged(const struct bridge_variable *v);
/* Of all processes if they exchange elements, else of this one. */
drx_status bridge_store_write(struct bridge_variable *v, const drx_box *box, const void *elements);
/* The dataset, opened for writing or made, into f->ds. */
drx_status bridge_store_open(struct bridge_file *f, const char *path, bool create, void *parameters);
drx_status bridge_store_close(struct bridge_file *f);

/* ---- write_place.c: the dataset that is written ---- */

int bridge_create_place(const char *path, int mode, void *parameters, struct bridge_file *f);
int bridge_write_place(const char *path, void *parameters, struct bridge_file *f);
/* Give a dataset another name, which something may have already; or copy it. */
int bridge_move_place(const char *from, const char *to, bool copies);
/* Commit, and put what was staged in its place. */
int bridge_commit(struct bridge_file *f, bool closing);
/* After an abort: what nc_create has made is gone, unless it was committed. */
int bridge_discard(struct bridge_file *f);

/* ---- define_mode.c ---- */

int bridge_error_of_name(drx_status st); /* of something that got a name: NC_ENAMEINUSE if it is taken */
/* The group of a file that is open for writing; NULL: *st says why it is not. */
struct bridge_group *bridge_writable_group(int ncid, int *st);
/* Enter define mode where netCDF-4 does so by itself. */
int bridge_begin_definition(struct bridge_file *f);
/* Leave it before data are read or written. */
int bridge_end_definition(struct bridge_file *f);

/* ---- define_types.c ---- */

/* A type that is being defined gets no more members, since something has it. */
int bridge_close_type(struct bridge_file *f, nc_type type);
/* Put the types up to the last one that is needed into the dataset. */
int bridge_store_types(struct bridge_file *f, nc_type last);
void bridge_free_members(struct bridge_type *t);

/* ---- define_storage.c ---- */

const struct bridge_filter *bridge_filter_of(const struct bridge_definition *d, unsigned id); /* NULL: none */

/* ---- make.c ---- */

/* Put the types and variables that wait into the dataset. */
int bridge_make_variables(struct bridge_file *f);
/* The chunk of a variable whose definition does not give one. */
int bridge_choose_chunk(const struct bridge_file *f, const struct bridge_variable *v, size_t chunk[]);

/* ---- put_att.c ---- */

/* Store those of a variable that was made just now. */
int bridge_store_attributes(struct bridge_file *f, struct bridge_variable *v);
/* Note which dimensions are unlimited, after one was added or has another path. */
int bridge_note_unlimited(struct bridge_file *f);

/* ---- fill.c ---- */

/* Is it the fill of the variable's array? */
bool bridge_has_fill(const struct bridge_file *f, const struct bridge_variable *v, const struct bridge_attribute *fill);
/* Does the variable need to be filled where nobody writes? */
bool bridge_owes(const struct bridge_file *f, const struct bridge_variable *v);
/* Write the default fill to what the variable owes, up to an index of its first axis. */
int bridge_fill_up_to(struct bridge_file *f, struct bridge_variable *v, int64_t end);
int bridge_fill_all(struct bridge_file *f);
/* Grow a dimension. */
int bridge_grow(struct bridge_file *f, int dim, size_t length);

/* ---- cover.c ---- */

/* Collective: do the processes that write cover the indices m->first to m->end of the first axis? */
struct bridge_move;
bool bridge_cover(const struct bridge_move *m, bool writes);

#endif
