/* What `drx export` writes, and its parts. */
#pragma once

#include "arrays/arrays.h"
#include "arrays/select.h"
#include "drx_dataset.h"

enum { BLOSC_PARAMS = 7, BLOSC_MOST_BYTES = INT32_MAX - 16 /* of a chunk */ };

/* How variables of a file are compressed. */
struct deflate {
    bool given;                    /* else as the array is */
    const drx_source *source;      /* by its filters, not as follows; NULL: none */
    int level;                     /* 0: not compressed */
    bool shuffle;                  /* of bytes */
    bool blosc;                    /* not by deflate, but, if HDF5 finds it, by the filter of Blosc, */
    unsigned params[BLOSC_PARAMS]; /* with these */
};

/* The selection of an array that becomes a variable; or coordinates of it. */
struct part {
    drx_array *array;
    struct selection selection;
    char *name; /* of the variable, without groups */
    int index;  /* its number in the dataset */
    int ndim;   /* 0: a single value */
    int64_t shape[DRX_MAX_NDIM];
    int64_t chunk[DRX_MAX_NDIM]; /* of the file: chunks of the array, clipped */
    struct slabs slabs;          /* of whole chunks */
    struct deflate deflate;
};

struct export
{
    struct part main;
    char *groups;                     /* "wind/level", where the variables go; "" is the root */
    int axes[DRX_MAX_NDIM];           /* of the array, for those of the file */
    char *dims[DRX_MAX_NDIM];         /* names of the axes of the file, NULL: none */
    struct part coords[DRX_MAX_NDIM]; /* array NULL: none, or an axis before it has the same ones */
    struct deflate deflate;           /* as asked for */
    bool own_chunks;                  /* of the array, however small or large they are */
};

/* The variables of a netCDF file. */
struct variables {
    const char *path;       /* of what is exported, for messages */
    const char *groups;     /* "wind/level", where they go; "": the root */
    const struct range *of; /* each dimension of the dataset */
    drx_dataset *ds;        /* whose members the parts are; NULL: of an array, then of its coordinates */
    struct part **parts;    /* n of them */
    int n;
    bool own_chunks; /* as of struct export */
};

/* Choose names, coordinates and chunks of the file. `variable`: a name with groups, or NULL. netcdf: names follow the
 * rules of netCDF, which chooses chunks itself. Gives the exit code; release it in any case. */
int plan_export(struct export *e, drx_array *a, const struct selection *s, const char *variable, bool netcdf,
                bool coords);
void release_export(struct export *e);

/* Choose the chunks of the file, and cut the selection into slabs of them: one chunk of the array, or several if they
 * are small and not `own`. Sets all but array, selection and name. element_bytes: in memory. */
void choose_chunk(struct part *p, size_t element_bytes, bool own);

/* The name, changed where HDF5 or netCDF forbids it; to be freed. */
char *legal_name(const char *name, bool netcdf);

/* Do axes i and k of the file share name and indices, and so coordinates? */
bool same_axis(const struct export *e, int i, int k);

/* Unless something is given: the filters of the source (or NULL), if an array that comes from it has the codec, and
 * not d->blosc. Else what comes nearest to that: deflate of the same level for zlib, unless d->blosc; for others what
 * Blosc has. */
void choose_deflate(struct deflate *d, const struct codec *codec, const drx_source *source, const char *label);
/* The parameters that a user of HDF5 sets for a filter. */
size_t filter_params(const struct stored_filter *f, const unsigned **params);

/* Did HDF5 write the fill value of the source then: "never", "alloc"? */
bool is_filled(const drx_array *a, const char *when);

/* Say, once a file, that readers of it need the filter of Blosc, if one of its variables does. */
void tell_of_blosc(const char *name, const struct deflate *d, bool *told);
void tell_of_export(const char *name, const struct export *e);

/* How an array becomes a variable. */
struct deflate deflate_for(const drx_array *a, const struct deflate *wanted, const char *label);

/* Write the file. They give the exit code. */
int export_netcdf(struct variables *v, const char *name);
int export_hdf5(struct export *e, const char *name);

/* Write the .npy file `name` ("-": standard output). Gives the exit code. Collective; rank 0 alone writes a pipe. */
int save_npy(drx_array *a, const struct selection *s, drx_order order, const char *name);

/* Do HDF5 or netCDF use that name for their own records? */
bool is_internal_attribute(const char *attribute);

/* Is the attribute left out, since the file uses its name for its own records or the fill value? Warns
 * of what is lost. */
bool leaves_out(const struct part *p, const char *attribute);
