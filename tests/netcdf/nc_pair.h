/* A dataset of every type, kind and way of storage, grown at both ends and trimmed; and a netCDF-4 file with the same
 * variables, attributes and elements, which netCDF-C writes from what the test keeps in memory. */
#ifndef NC_PAIR_H
#define NC_PAIR_H

#include <netcdf.h>
#include <netcdf_filter.h>

#include "drx_dataset.h"
#include "testing.h"

#define assert_nc(call) check_nc(call, NC_NOERR, #call, __FILE__, __LINE__)
#define assert_nc_is(call, expected) check_nc(call, expected, #call, __FILE__, __LINE__)

static inline void check_nc(int st, int expected, const char *call, const char *file, int line)
{
    if (st != expected) {
        print_error("%s\n  gave %d (%s), expected %d\n", call, st, nc_strerror(st), expected);
        _fail(file, line);
    }
}

enum { PAIR_MAX_NDIM = 3 };

struct pair_variable {
    const char *name;
    drx_type type;
    nc_type nc; /* what it is, or its parts are, for netCDF */
    int ndim;   /* of netCDF: without the bytes of strings, and without the parts */
    const char *dims[PAIR_MAX_NDIM + 1];
    const char *parts; /* the dimension through the parts of an element; NULL: it has none */
    const char *note;  /* drx.char or drx.string */
    unsigned flags;    /* of drx_spec */
    drx_codec codec;
    drx_shuffle shuffle;
    bool fill; /* a fill that is not 0, as _FillValue */
};

extern const struct pair_variable pair_variables[];

static inline int pair_ndim(const struct pair_variable *v)
{
    return v->ndim + (v->parts != NULL);
}

extern const int pair_count;

/* Make the dataset `ds` and the file `nc`. */
void pair_make(const char *ds, const char *nc, uint64_t *random);

#endif
