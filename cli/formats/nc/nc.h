/* netCDF files: one variable as a source; types. */
#ifndef NC_H
#define NC_H

#include "formats/export.h"
#include "formats/h5/h5.h"
#include "formats/source.h"

struct nc {              /* netCDF's numbers */
    int root, group, id; /* root -1: nothing is open */
    bool joined;         /* the source has the characters along the last dimension as strings */
    struct h5 h5;        /* the variable in a file of HDF5, which gives its elements; not open: the file is classic */
    union {
        int64_t number; /* or a shorter one */
        char *string;
    } fill; /* an element in the bounds that the file does not have */
};

/* Open the variable of that name in a file of HDF5, when its shape is known, and find its chunks and filters
 * (nc_stored.c). */
bool nc_open_stored(struct source *s, const char *name);
void nc_close_stored(struct nc *nc);
/* Read a box: numbers, characters, or pointers to strings, to be freed. */
bool nc_read(struct source *s, const int64_t lo[], const int64_t count[], void *buf);
bool nc_holds(const struct source *s, const int64_t lo[], const int64_t count[]);

/* Set group and id from the name; without a name, take the only variable. */
bool nc_find_variable(struct source *s);

/* Does a classic file hold the whole variable? netCDF reads zeros after its end. */
bool nc_is_whole(const struct source *s);

/* Take the fill value from _FillValue, or else missing_value. */
bool nc_find_fill(struct source *s);
/* Copy the attributes of a variable, or the global ones. As h5_copy_attributes. */
int nc_copy_attributes(const struct nc *nc, struct keeping *t, enum h5_fill fill, const char *path);

/* The name of a group and a slash; "" for the root; to be freed. */
char *nc_group_prefix(int group);

/* Is the dimension unlimited, of the group or of one that it is in? */
bool nc_is_unlimited(int group, int dim);

char *nc_coordinate_name(const struct source *s, int axis);

/* Has the variable the name of its only dimension? */
bool nc_is_coordinate(int group, int id, const char *name);

/* Is `name` one of the words of that attribute of a variable? */
bool nc_names_variable(int group, int id, const char *attribute, const char *name);

/* The element type with netCDF's number, 0: none. */
drx_type nc_element_type(int nc_type);

/* Print that the program cannot do `what`, with netCDF's `error`; returns false. */
bool nc_failed(const struct source *s, const char *what, int error);

/* Print that a variable of the file, or the file (NULL), cannot be written. Gives FAILED. */
int nc_cannot_write(const char *name, const char *variable, int error);

/* Is the error one of an attribute that is written, not of the file? */
bool nc_refuses(int error);

/* netCDF's number of the type; 0: one that it does not have. Strings of bytes are characters along one more
 * dimension. */
int nc_type_of(drx_type type);

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

#endif
