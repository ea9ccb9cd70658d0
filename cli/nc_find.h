/* Finding a variable in a netCDF file. */
#ifndef NC_FIND_H
#define NC_FIND_H

#include "nc_variable.h"

/* Set group and id from the name; or, without one, name too, when there is just
 * one variable to be meant. */
bool nc_find_variable(struct nc_variable *v);

#endif
