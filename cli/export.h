/* What `drx export` writes, and its parts. */
#ifndef EXPORT_H
#define EXPORT_H

#include "select.h"

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
    char *dims[DRX_MAX_NDIM];         /* names of the axes, NULL: none; equal names have equal extents */
    struct part coords[DRX_MAX_NDIM]; /* array NULL: none for the axis, or that of another of the same name */
    int deflate;                      /* 0: not compressed */
};

/* The rules for names in a kind of files. */
struct naming {
    bool strict;        /* as netCDF: no controls, no slash, begins with a letter, digit or "_" */
    bool names_for_all; /* an axis without a name gets one */
};

/* Settle what goes into the file. `variable`: its name with groups, or NULL. Gives
 * the exit code; to be released in any case. */
int plan_export(struct export *e, drx_array *a, const struct selection *s, const char *variable,
                const struct naming *naming, bool coords);
void release_export(struct export *e);

/* Write the file. They give the exit code. */
int export_netcdf(struct export *e, const char *name);
int export_hdf5(struct export *e, const char *name);

/* Is the fill value of the array one that marks what is missing? Zero is none. */
const void *fill_of(const drx_array *a);

/* Should attribute i be left out, since such files keep their own records, or the
 * fill value, under that name? Then prints a warning. */
bool leaves_out(const struct part *p, const char *attribute);

#endif
