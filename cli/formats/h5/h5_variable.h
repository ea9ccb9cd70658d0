/* One dataset of an HDF5 file, as a source: for the h5_ files. */
#ifndef H5_VARIABLE_H
#define H5_VARIABLE_H

#include "formats/import_source.h"
#include "h5.h"

struct h5 { /* -1: not open */
    hid_t file, dataset, space, memory_type;
};

/* Open the dataset of that name; or, without one, set the name too, when there is
 * just one to be meant. */
bool h5_find_dataset(struct source *s);

/* Take the fill value from _FillValue, or the dataset's own, or missing_value. */
bool h5_find_fill(struct source *s);

/* Take the names of the dimensions from labels, or else from dimension scales. */
void h5_find_dims(struct source *s);

int h5_copy_attributes(const struct source *s, drx_array *a, const char *path);
char *h5_coordinate_name(const struct source *s, int axis);

#endif
