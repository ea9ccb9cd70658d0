/* netCDF files: a variable of a classic one as a source; what is written; types. */
#pragma once

#include "formats/export.h"
#include "formats/h5/h5.h"
#include "formats/tree.h"

struct nc {          /* a variable of a classic file */
    int root, id;    /* netCDF's numbers */
    struct tree own; /* of the file, unless it belongs to a whole one */
};

/* Does a classic file hold the whole variable? netCDF reads zeros after its end. */
bool nc_is_whole(const struct source *s);

/* Take the fill value from _FillValue, or else missing_value. */
bool nc_find_fill(struct source *s);
/* Copy the attributes of a variable of a classic file, or the global ones. As h5_copy_attributes. */
int nc_copy_attributes(int root, int id, struct keeping *t, enum h5_fill fill, const char *path);

/* The element type with netCDF's number, 0: none. */
drx_type nc_element_type(int nc_type);

/* Print that the program cannot do `what`, with netCDF's `error`; returns false. */
bool nc_failed(const struct source *s, const char *what, int error);

/* Print that a variable of the file, or the file (NULL), cannot be written. Gives FAILED. */
int nc_cannot_write(const char *name, const char *variable, int error);

/* Is the error one of an attribute that is written, not of the file? */
bool nc_refuses(int error);

/* User-defined types in the order of their numbers, in which each comes after those of its fields; and what they
 * are in the file. */
struct nc_types {
    struct nc_type_there {
        int in, out; /* netCDF's numbers of the group in the source and in the file */
        int type;
    } * list; /* that of number NC_FIRSTUSERTYPEID comes first; to be freed */
    int n;
};

/* Note those of a group; define all in the file. Both return netCDF's error. */
int nc_list_types(struct nc_types *t, int in, int out);
int nc_define_types(struct nc_types *t);
/* The number in the file of any type of the source. */
int nc_type_there(const struct nc_types *t, int type);
/* As nc_copy_att, which looks for a type of that name and takes another group's. */
int nc_copy_typed(const struct nc_types *t, int in, int from, const char *name, int out, int to);

/* Let HDF5 use a filter of Blosc that never fails (nc_blosc.c). */
bool nc_use_own_blosc(void);
/* Let a variable have the chunks of the part, and compress them; parts: of an element, along one more dimension; 0:
 * none. Returns netCDF's error; sets p->deflate.blosc to whether that is used. */
int nc_set_storage(int group, int id, int parts, struct part *p);

/* As which type netCDF holds all values of `type`: float16 as float32, bool as int8 (whose attribute dtype is "bool",
 * as xarray writes it), any other as itself. */
drx_type nc_held_type(drx_type type);
/* Say so, if it is another one, of the array `path`. */
void nc_tell_type(const char *path, drx_type type);
