/* One variable of a netCDF file. Calls print what goes wrong. */
#ifndef NC_VARIABLE_H
#define NC_VARIABLE_H

#include <stdbool.h>

#include "drx.h"
#include "value.h"

struct nc_variable {
    char *file;          /* its path */
    char *name;          /* with its groups: "wind/u" */
    int root, group, id; /* netCDF's numbers; root -1: nothing is open */
    drx_type type;
    int ndim; /* 1 to DRX_MAX_NDIM */
    int64_t shape[DRX_MAX_NDIM];
    char *dims[DRX_MAX_NDIM];
    const char *fill_name; /* the attribute that gave the fill value, or NULL */
    _Alignas(VALUE_MAX_BYTES) unsigned char fill[VALUE_MAX_BYTES];
};

/* Open `source`: FILE:VARIABLE, or FILE with one variable that is no coordinate. */
bool nc_variable_open(struct nc_variable *v, const char *source);
void nc_variable_close(struct nc_variable *v);

/* A box, in C order. */
bool nc_variable_read(const struct nc_variable *v, const int64_t lo[], const int64_t count[], void *buf);

/* Give `a` the attributes of the variable, but for _FillValue, when that is its
 * fill value. Returns the exit code. */
int nc_copy_attributes(const struct nc_variable *v, drx_array *a, const char *path);

/* ---- for the other nc_ files ------------------------------------------------ */

/* Take the fill value from _FillValue, or else missing_value. */
bool nc_find_fill(struct nc_variable *v);

/* The type of elements that netCDF numbers so, 0 for none. */
drx_type nc_element_type(int nc_type);

/* Print that doing `what` failed with netCDF's `error`; returns false. */
bool nc_failed(const struct nc_variable *v, const char *what, int error);

#endif
