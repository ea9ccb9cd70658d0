/* Two open files of netCDF-C, of which the second is a dataset: everything that netCDF-C tells of them is the same. */
#ifndef NC_SAME_H
#define NC_SAME_H

#include <netcdf.h>

#include "testing.h"

/* What differs, and why. */
enum same_exceptions {
    /* Default chunks are the library's; the elements of a variable with chunks are never contiguous. */
    SAME_BUT_STORAGE = 1,
    /* An attribute that is put again keeps its place in a dataset. */
    SAME_BUT_ORDER = 2,
    /* NC_NOFILL, filters without compression, and byte order are not kept; and which of several unlimited dimensions
     * is the first one, netCDF-4 tells by their names. */
    SAME_BUT_REOPENED = 4,
};

/* Compare the groups `nc` with all that is in them: names, types, attributes, and the elements if `elements`. */
void same_groups(const int nc[2], int exceptions, bool elements);

#endif
