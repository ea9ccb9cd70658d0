/* A dataset with a type of each class, nested, in groups, with attributes of them; and a netCDF-4 file of the same. */
#ifndef NC_TYPED_H
#define NC_TYPED_H

#include "nc_pair.h"

struct types_inner {
    float u;
    int16_t v[2][3];
};

struct types_obs {
    double t;
    struct types_inner in[2];
    char name[5];
    int8_t sky;
};

enum { TYPES_X = 3 };

void types_make(const char *ds, const char *nc);
/* The same by calls of netCDF alone; mode: NC_UDF0 for a dataset. */
void types_define(const char *path, int mode);

#endif
