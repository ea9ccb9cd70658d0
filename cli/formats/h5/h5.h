/* HDF5 files: a dataset as a source; types; messages. */
#pragma once

#include <hdf5.h>

#include "formats/source.h"

/* Call in main, before any other call of HDF5: its library crashes at exit after a write that failed. */
void h5_stay_out_of_exit(void);

/* Keep the library from printing messages. */
void h5_quiet(void);

/* Does the library find the filter of Blosc? */
bool h5_has_blosc(void);

bool h5_is_file(const char *path);
bool h5_is_netcdf(hid_t file); /* written by netCDF-4 */
/* Does a dataset have numbers and dimensions, and is no dimension scale? */
bool h5_is_candidate(hid_t dataset);

/* The reason of the call of HDF5 just made, which failed; "": it gives none. */
enum { H5_REASON_BYTES = 512 };
void h5_reason(char out[H5_REASON_BYTES]);

/* Print that the program cannot do `what`, with that reason. Gives FAILED. */
int h5_failed(const char *label, const char *what);

/* Close an object of any kind; -1: there is none. */
void h5_close(hid_t id);

/* Select a box in `space`. Gives the space of contiguous memory for it, to be closed; -1: it failed. */
hid_t h5_select(hid_t space, int ndim, const int64_t lo[], const int64_t count[]);

/* The type of the elements of arrays, whose axes go to extents[], *rank of them; of others, the type itself. To be
 * closed; -1: HDF5 failed. */
hid_t h5_base_type(hid_t type, int *rank, int64_t extents[]);

/* The element type for values of `type`, 0: none; and a name for types that have none ("strings"). */
drx_type h5_element_type(hid_t type);
const char *h5_type_text(hid_t type);

/* Elements of `type` in memory, or arrays of them where `like` is one, to be closed. Members are named as in `like`;
 * -1: those of a complex type "r" and "i". */
hid_t h5_memory_type(drx_type type, hid_t like);

/* The type with big-endian numbers, to be closed; enums, and arrays in compounds, stay. */
hid_t h5_big_endian(hid_t type);

/* In a file of netCDF, types that are equal to one with a name have this name: the types that have one, from now on. */
void h5_forget_names(void);
void h5_note_name(drx_type named);

/* The same of numbers alone: whole, real and complex ones, and truth values (h5_types.c). */
drx_type h5_number_type(hid_t type);
hid_t h5_number_memory(drx_type type, hid_t like);

/* ---- h5_strings.c ---- */

#define H5_TYPE_NOTE "drx.type" /* the attribute of a dataset that holds Unicode: "U12" */

/* The type for fixed strings of that type; 0: they are too long, or of varying length. */
drx_type h5_string_type(hid_t type);
/* Strings in memory, to be closed; of the characters of `like`, -1: those that the type has in a file. */
hid_t h5_string_memory(drx_type type, hid_t like);
/* Turn n elements of Unicode, in place, from UTF-8 of as many bytes; bytes stay. False after printing why they cannot
 * be. */
bool h5_strings_from_file(const char *label, drx_type type, int64_t n, void *elements);
bool h5_strings_to_file(const char *label, drx_type type, int64_t n, const void *elements, void *out);

struct h5 {
    hid_t file, dataset, space, memory_type; /* -1: not open */
    int inner;                               /* axes in each element, which are the last ones of the source */
    H5D_layout_t layout;
    hsize_t chunk[H5S_MAX_RANK]; /* when it has chunks */
    void *beyond;                /* the element in the bounds that the file does not have; NULL: zeros */
    bool bare;                   /* elements that nobody wrote have no value */
    char *scale[DRX_MAX_NDIM]; /* of a variable that is taken alone: the paths of the scales of its axes; NULL: none */
    bool external;             /* they are in other files */
};

#define H5_CLOSED ((struct h5){ .file = -1, .dataset = -1, .space = -1, .memory_type = -1 })

/* ---- h5_stored.c ---- */

/* Find the space and the layout of the open dataset. Refuses one whose sources are missing or, but of a whole file, one
 * without a shape: s->null. */
bool h5_open_space(struct source *s);
void h5_close_all(struct h5 *h5);
/* May the file store elements of the box? False: nobody wrote one. Boxes have the first `ndim` dimensions of the
 * dataset, and all of the others. */
bool h5_holds(const struct h5 *h5, int ndim, const int64_t lo[], const int64_t count[]);
/* Read a box. It may be larger than what is stored: elements beyond are h5->beyond. False: HDF5 failed. */
bool h5_read(const struct h5 *h5, int ndim, const int64_t lo[], const int64_t count[], void *buf);
/* The same of strings of any length, or longer ones than those of DRX: pointers, each to be freed. */
bool h5_read_strings(const struct h5 *h5, int ndim, const int64_t lo[], const int64_t count[], char *strings[]);

/* Print why that was. Gives FAILED. */
int h5_read_failed(const struct h5 *h5, const char *label);

/* Does HDF5 find all sources of the virtual dataset? Prints the names of those that it does not (h5_virtual.c). */
bool h5_has_sources(hid_t dataset, const char *label);

/* Take the fill value from _FillValue, or, if `own`, that of the dataset, or from missing_value. */
bool h5_find_fill(struct source *s, bool own);
/* Find the element beyond what is stored, where a dimension is longer: the fill value of the dataset, or netCDF's. */
bool h5_find_beyond(struct source *s);

/* These are false when HDF5 fails. What an object is known by, in any file that is open. That of the first scale of the
 * axis; 0: it has none. Whether a dataset is a scale, and one that only stands for a dimension of netCDF. */
bool h5_address_of(hid_t object, uint64_t *address);
bool h5_scale_of_axis(hid_t dataset, int ndim, int axis, uint64_t *address);
bool h5_is_scale(hid_t dataset, bool *is, bool *bare);

/* Take the names of the dimensions, unless they are known, from labels, or else from dimension scales, which are noted.
 * False after printing why. */
bool h5_find_dims(struct source *s, struct h5 *h5, int ndim);

struct h5_attribute { /* open */
    hid_t id, type, space;
    drx_type kept; /* the type of its numbers; 0: it has none */
    int64_t n;
};

bool h5_open_attribute(struct h5_attribute *t, hid_t dataset, const char *name);
void h5_close_attribute(struct h5_attribute *t);
/* The type of the dataset: `type`, or that which its attribute notes. */
drx_type h5_noted_type(hid_t dataset, hid_t stored, drx_type type);
/* Copy the attributes of a dataset or group. fill: the array has _FillValue already, or it is a character, which
 * becomes a number. `path` is for messages of the library. Gives the exit code. */
enum h5_fill { H5_FILL, H5_FILL_KNOWN, H5_FILL_BYTE };
int h5_copy_attributes(hid_t object, struct keeping *to, enum h5_fill fill, const char *path);
char *h5_coordinate_name(const struct source *s, int axis);
