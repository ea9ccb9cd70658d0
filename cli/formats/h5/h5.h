/* HDF5 files: a dataset as a source; types; messages. */
#ifndef H5_H
#define H5_H

#include <hdf5.h>
#include <stdbool.h>

#include "drx.h"
#include "formats/source.h"

/* Call in main, before any other call of HDF5: its library crashes at exit after a write that failed. */
void h5_stay_out_of_exit(void);

/* Keep the library from printing messages. */
void h5_quiet(void);

/* Does the library find the filter of Blosc? */
bool h5_has_blosc(void);

bool h5_is_file(const char *path);
bool h5_is_netcdf(const char *path); /* written by netCDF-4, whose library can read it */

/* Has it a group that contains itself, which the library of netCDF would follow for ever? tell: print which. */
bool h5_is_endless(const char *path, bool tell);

/* Print that the program cannot do `what`, with the reason of the call of HDF5 just made. Gives FAILED. */
int h5_failed(const char *label, const char *what);

/* Close an object of any kind; -1: there is none. */
void h5_close(hid_t id);

/* Select a box in `space`. Gives the space of contiguous memory for it, to be closed; -1: it failed. */
hid_t h5_select(hid_t space, int ndim, const int64_t lo[], const int64_t count[]);

/* The element type for values of `type`, 0: none; and a name for types that have none ("strings"). */
drx_type h5_element_type(hid_t type);
const char *h5_type_text(hid_t type);

/* Elements of `type` in memory, to be closed. Members of a complex type are named as in `like`; -1: "r" and "i". */
hid_t h5_memory_type(drx_type type, hid_t like);

/* ---- h5_strings.c ---- */

#define H5_TYPE_NOTE "drx.type" /* the attribute of a dataset that holds Unicode: "U12" */

/* The type for fixed strings of that type; 0: they are too long, or of varying length. */
drx_type h5_string_type(hid_t type);
/* Strings in memory, to be closed; of the characters of `like`, -1: those that the type has in a file. */
hid_t h5_string_memory(drx_type type, hid_t like);
/* Turn n elements of Unicode, in place, from UTF-8 of as many bytes; bytes stay. False after printing why they cannot be. */
bool h5_strings_from_file(const char *label, drx_type type, int64_t n, void *elements);
bool h5_strings_to_file(const char *label, drx_type type, int64_t n, const void *elements, void *out);

struct h5 { /* -1: not open */
    hid_t file, dataset, space, memory_type;
};

/* Take the fill value from _FillValue, or the dataset's own, or missing_value. */
bool h5_find_fill(struct source *s);

/* Take the names of the dimensions from labels, or else from dimension scales. */
void h5_find_dims(struct source *s);

struct h5_attribute { /* open */
    hid_t id, type, space;
    drx_type kept; /* the type of its numbers; 0: it has none */
    int64_t n;
};

bool h5_open_attribute(struct h5_attribute *t, hid_t dataset, const char *name);
void h5_close_attribute(struct h5_attribute *t);
/* The type of the dataset: `type`, or that which its attribute notes. */
drx_type h5_noted_type(hid_t dataset, hid_t stored, drx_type type);
int h5_copy_attributes(const struct source *s, drx_array *a, const char *path);
char *h5_coordinate_name(const struct source *s, int axis);

#endif
