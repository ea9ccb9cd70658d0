/* HDF5 files: one dataset as a source; types; messages of the library of HDF5, which prints none itself. */
#ifndef H5_H
#define H5_H

#include <hdf5.h>
#include <stdbool.h>

#include "drx.h"
#include "formats/source.h"

/* Call before anything else of HDF5, in main: what its library tidies up at the exit of the program crashes after a
 * write that failed. */
void h5_stay_out_of_exit(void);

/* Call before the first use: no messages of its own. */
void h5_quiet(void);

bool h5_is_file(const char *path);
bool h5_is_netcdf(const char *path); /* written by netCDF-4 */

/* Print that `what` could not be done with what `label` names, and HDF5's innermost reason. Gives FAILED. Call right
 * after the call that failed. */
int h5_failed(const char *label, const char *what);

/* Close an object of any kind; -1: there is none. */
void h5_close(hid_t id);

/* Select a box in `space`. The space of its elements in memory, one after the other, to be closed; -1: it failed. */
hid_t h5_select(hid_t space, int ndim, const int64_t lo[], const int64_t count[]);

/* The type of elements that values of `type` are kept as, 0 for none; and its own name for what cannot be kept
 * ("strings"). */
drx_type h5_element_type(hid_t type);
const char *h5_type_text(hid_t type);

/* Elements of `type` in memory: to be closed. For a complex type, the members have the names they have in `like`, a
 * type of a file; or "r" and "i" if that is -1. */
hid_t h5_memory_type(drx_type type, hid_t like);

struct h5 { /* -1: not open */
    hid_t file, dataset, space, memory_type;
};

/* Take the fill value from _FillValue, or the dataset's own, or missing_value. */
bool h5_find_fill(struct source *s);

/* Take the names of the dimensions from labels, or else from dimension scales. */
void h5_find_dims(struct source *s);

int h5_copy_attributes(const struct source *s, drx_array *a, const char *path);
char *h5_coordinate_name(const struct source *s, int axis);

#endif
