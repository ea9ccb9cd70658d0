/* netCDF files: one variable as a source; types. */
#ifndef NC_H
#define NC_H

#include "formats/export.h"
#include "formats/source.h"

struct nc {              /* netCDF's numbers */
    int root, group, id; /* root -1: nothing is open */
};

/* Set group and id from the name; or, without one, name too, when there is just one variable to be meant. */
bool nc_find_variable(struct source *s);

/* Is the variable whole in the file, if that is a classic one? (netCDF reads zeros behind the end.) */
bool nc_is_whole(const struct source *s);

char *nc_coordinate_name(const struct source *s, int axis);

/* The type of elements that netCDF numbers so, 0 for none. */
drx_type nc_element_type(int nc_type);

/* Print that doing `what` failed with netCDF's `error`; returns false. */
bool nc_failed(const struct source *s, const char *what, int error);

/* netCDF's number of the type; 0 for complex types, which it has not. */
int nc_type_of(drx_type type);

#endif
