/* A whole file of netCDF or HDF5: groups, dimensions and variables, which have the names and paths that a dataset gives
 * them. The calls print what goes wrong. */
#pragma once

#include "dataset/datasets.h"
#include "formats/source.h"
#include "formats/tree.h"

struct variable {
    struct source source; /* the elements. A scalar has one axis */
    char *name;
    int ndim; /* in the file; -1: it is null */
    int dim[DRX_MAX_NDIM];
    int64_t string_bytes; /* of the longest of the strings, at least 1 */
    char *string_dim;     /* the name for the axis of their bytes */
    drx_type stored;      /* the type in a new dataset; 0: not chosen */
    bool unpacks;         /* it has unpacked numbers there */
    bool named;           /* a coordinate, or others name it for their coordinates or bounds: it is not rounded */
};

struct dimension {
    char *place;      /* "/g/x" */
    const char *name; /* that path, without the first slash */
    int64_t extent;
    bool unlimited, used;
    bool grows; /* it is unlimited, or going to grow for another reason */
};

struct whole_file {
    const char *path; /* NULL: it is not open */
    struct tree tree;
    int nvars, ndims;
    struct variable *var; /* those that are stored */
    struct dimension *dim;
    struct rounding *rounding; /* of floating-point variables that are no coordinates; NULL: none */
    struct progress *progress; /* of all that is copied; NULL: each variable has its own */
};

/* Is it a file of netCDF, or one of HDF5 with dimensions that have names or with several variables, of which import
 * makes a dataset? False, silently, also for other files. */
bool is_whole_file(const char *path);

/* Open it. What a dataset cannot store is refused, and all of it named; `skip`: it is left out, with warnings. */
bool open_whole(struct whole_file *f, const char *path, bool skip);
void close_whole(struct whole_file *f);

/* Can a thing in a dataset have that path? Groups and dimensions that cannot are left out. */
bool is_dataset_path(const char *path);

/* The number of the dimension, or variable, of that name; -1: there is none. */
int dim_of_file(const struct whole_file *f, const char *name);
int var_of_file(const struct whole_file *f, const char *name);

/* The variable with the coordinates of a dimension: numbers along it that have its name; -1: none. */
int coordinate_of_file(const struct whole_file *f, const char *dim);

/* Copy the attributes of a variable, or of a group (NULL), to `to`. Gives the exit code. */
int copy_whole_attributes(const struct whole_file *f, const struct variable *v, int group, const struct owner *to);

/* The bytes that the progress of a copy counts. */
int64_t variable_bytes(const struct variable *v);

/* Find the bytes of the longest of its strings. Gives the exit code. */
int measure_strings(const struct whole_file *f, struct variable *v);

/* Indices from, from + 1, ..., `count` of them, of an axis of the file, and where the first one goes in the array. */
struct piece {
    int axis; /* -1: all elements */
    int64_t from, count, at;
    bool again; /* the array has other elements there */
};

/* Copy the elements of a piece (NULL: all of them) into `a`; means: they are encoded as the array stores them, NULL:
 * the bytes are the same. Gives the exit code. */
int copy_variable(const struct whole_file *f, struct variable *v, drx_array *a, const struct piece *piece,
                  const struct meaning *means);
/* Refuse elements that are not those of `a`, of the same shape, beyond rounding. Gives the exit code. */
int compare_variable(const struct whole_file *f, struct variable *v, drx_array *a, const struct meaning *means);
