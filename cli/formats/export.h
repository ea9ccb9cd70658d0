/* What `drx export` writes, and its parts. */
#ifndef EXPORT_H
#define EXPORT_H

#include "arrays/select.h"

/* An array on its way, or coordinates of it: what is selected, as axes of the file. */
struct part {
    drx_array *array;
    struct selection selection;
    char *name; /* of the variable, without groups */
    int ndim;   /* 0: a single value */
    int64_t shape[DRX_MAX_NDIM];
    int64_t chunk[DRX_MAX_NDIM]; /* of the file: chunks of the array, clipped */
    struct slabs slabs;          /* of whole chunks */
};

struct export
{
    struct part main;
    char *groups;                     /* "wind/level", where the variables go; "" is the root */
    int axes[DRX_MAX_NDIM];           /* of the array, for those of the file */
    char *dims[DRX_MAX_NDIM];         /* names of the axes of the file, NULL: none */
    struct part coords[DRX_MAX_NDIM]; /* array NULL: none for the axis, or those of an axis like it */
    int deflate;                      /* 0: not compressed */
    bool own_chunks;                  /* of the array, however small or large they are */
};

/* Settle what goes into the file. `variable`: its name with groups, or NULL; netcdf: names keep to the rules of
 * netCDF, and each axis has one. Gives the exit code; to be released in any case. */
int plan_export(struct export *e, drx_array *a, const struct selection *s, const char *variable, bool netcdf,
                bool coords);
void release_export(struct export *e);

/* Have axes i and k of the file the same name and indices, and so coordinates? */
bool same_axis(const struct export *e, int i, int k);

/* Write the file. They give the exit code. */
int export_netcdf(struct export *e, const char *name);
int export_hdf5(struct export *e, const char *name);

/* Into the .npy file `name`, "-" for standard output; all ranks, but to a pipe rank 0. Gives the exit code.
 * Collective. */
int save_npy(drx_array *a, const struct selection *s, drx_order order, const char *name);

/* Do HDF5 or netCDF keep their own records in an attribute of that name? */
bool is_internal_attribute(const char *attribute);

/* Should attribute i be left out, since such files keep their own records, or the fill value, under that name? Then
 * prints a warning. */
bool leaves_out(const struct part *p, const char *attribute);

#endif
