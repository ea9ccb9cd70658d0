/* Types and attributes of netCDF, from those of an array. */
#ifndef NC_ATTRIBUTE_H
#define NC_ATTRIBUTE_H

#include "formats/export.h"

/* netCDF's number of the type; 0 for complex types, which it has not. */
int nc_type_of(drx_type type);

/* Give variable `id` the attributes of the array; those that netCDF cannot take are
 * left out with a warning. Returns netCDF's error. */
int nc_put_attributes(int group, int id, const struct part *p);

#endif
