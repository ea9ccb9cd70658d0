/* A dataset with a random tree of groups; and a netCDF-4 file with the same groups, dimensions, variables, attributes
 * and elements, which netCDF-C writes from what the test keeps in memory. */
#ifndef NC_TREE_H
#define NC_TREE_H

#include "nc_pair.h"

enum { TREE_GROUPS = 7, TREE_VARIABLES = 24, TREE_MAX_NDIM = 3 };

struct tree {
    char groups[TREE_GROUPS][64]; /* paths; the first is the root, "" */
    int ngroups;
};

/* `hide`: names of dimensions hide those of groups above. */
void tree_make(const char *ds, const char *nc, bool hide, uint64_t *random, struct tree *t);

#endif
