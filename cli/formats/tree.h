/* What a file of netCDF or HDF5 holds, as netCDF-4 sees it: groups, dimensions and variables. Paths are those of a
 * dataset, in UTF-8; places are what the file calls them. */
#pragma once

#include <stdbool.h>

#include "drx.h"

struct tree_group { /* number 0 is the root, whose path is "" */
    char *path, *place;
    int parent;
};

struct tree_dim {
    char *path;
    int group;
    int64_t extent;
    bool unlimited, phony; /* phony: made up for an axis without a scale */
    int64_t number;        /* netCDF's */
    uint64_t scale;        /* the address of its scale in HDF5; 0: none */
};

struct tree_type { /* one with a name, which a dataset has: others are left out */
    char *path;
    int group;
    drx_type type;
};

struct tree_var {
    char *path, *place;
    int group, number; /* netCDF's */
    int ndim, dim[DRX_MAX_NDIM];
    bool chosen; /* numbers with dimensions, in HDF5 no scale: among those of which the only one is meant */
    char *why;   /* it cannot be stored; NULL: nothing is known */
};

struct tree {
    const char *file;
    int id; /* netCDF's number of a classic file, which is open; 0: none */
    int ngroups, ntypes, ndims, nvars;
    struct tree_group *group;
    struct tree_type *type;
    struct tree_dim *dim;
    struct tree_var *var;
};

/* Read what the file holds; print what is left out, as links that lead to nothing. False after printing why. In any
 * case free_tree follows. */
bool nc_read_tree(struct tree *t, const char *file); /* a classic file, which free_tree closes */
bool h5_read_tree(struct tree *t, const char *file); /* one of HDF5, thus also of netCDF-4 */
void free_tree(struct tree *t);

/* Add a thing to its list, with the path of that name in the group; NULL: out of memory, which is printed. The next one
 * moves them. */
struct tree_group *tree_add_group(struct tree *t, int parent, const char *name);
struct tree_type *tree_add_type(struct tree *t, int group, const char *name);
struct tree_dim *tree_add_dim(struct tree *t, int group, const char *name);
struct tree_var *tree_add_var(struct tree *t, int group, const char *name);

/* Whether group `above` is `group`, or one that it lies in. */
bool tree_is_above(const struct tree *t, int above, int group);
/* -1: there is none */
int tree_find_dim(const struct tree *t, const char *path);
int tree_find_var(const struct tree *t, const char *path);
