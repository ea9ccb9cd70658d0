/* netCDF files: one variable as a source; types. */
#ifndef NC_H
#define NC_H

#include "formats/export.h"
#include "formats/source.h"

struct nc {              /* netCDF's numbers */
    int root, group, id; /* root -1: nothing is open */
};

/* Set group and id from the name; without a name, take the only variable. */
bool nc_find_variable(struct source *s);

/* Does a classic file hold the whole variable? netCDF reads zeros after its end. */
bool nc_is_whole(const struct source *s);

/* Find how the file compresses the variable. */
void nc_read_filters(struct source *s);

char *nc_coordinate_name(const struct source *s, int axis);

/* Is `name` one of the words of that attribute of a variable? */
bool nc_names_variable(int group, int id, const char *attribute, const char *name);

/* The element type with netCDF's number, 0: none. */
drx_type nc_element_type(int nc_type);

/* Print that the program cannot do `what`, with netCDF's `error`; returns false. */
bool nc_failed(const struct source *s, const char *what, int error);

/* netCDF's number of the type; 0: complex types, which it does not have. */
int nc_type_of(drx_type type);

#endif
