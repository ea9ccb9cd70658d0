/* libdrx-netcdf: datasets and arrays of DRX as a format of netCDF-C. What its files have in common.
 *
 * netCDF-C calls a table of functions (netcdf_dispatch.h) with the number of a file, `ncid`. A bridge_file is what the
 * bridge knows about it. Nothing is looked up before somebody asks for it: opening reads the log of the dataset; the
 * first question about a variable opens its array.
 *
 * Threads: netCDF-C promises one call at a time. The lock of a file is held while something is looked up all the
 * same, so that threads can read variables side by side. */
#ifndef BRIDGE_H
#define BRIDGE_H

#include <netcdf.h>
#include <netcdf_dispatch.h>
#include <pthread.h>
#include <stdbool.h>

#ifdef BRIDGE_MPI
#include <mpi.h>
#endif

#include "drx_dataset.h"

/* What the elements of an array are for netCDF. */
enum bridge_kind {
    BRIDGE_NUMBERS, /* DRX_BOOL as NC_BYTE, and DRX_FLOAT16 as NC_FLOAT, too */
    BRIDGE_COMPLEX, /* complex numbers: real ones with one more dimension, `complex`, of two: real and imaginary part */
    BRIDGE_CHARACTERS, /* uint8 as NC_CHAR */
    BRIDGE_STRINGS,    /* uint8 whose last axis goes through the bytes of strings, as NC_STRING */
    BRIDGE_BYTES,      /* fixed strings of bytes, as NC_CHAR with one more dimension, which goes through the bytes */
    BRIDGE_UNICODE,    /* fixed strings of code points, as NC_STRING */
};

struct bridge_attribute {
    char *name;
    nc_type type;
    size_t n;
    void *values; /* n of the type; those of NC_STRING point to texts that follow them */
};

struct bridge_attributes {
    struct bridge_attribute *list; /* n of them */
    int n, room;
    bool known;
};

struct bridge_dim {
    char *name;
    char *path; /* in the dataset; NULL: it is not there, as of parts */
    int group;
    size_t length;
    bool unlimited;
};

enum { BRIDGE_DEFLATE = 1, BRIDGE_SHUFFLE = 2, BRIDGE_FLETCHER32 = 3 }; /* filters of HDF5 */
enum { BRIDGE_BLOSC = 32001, BRIDGE_LZ4 = 32004, BRIDGE_ZSTD = 32015 };

/* A filter as the program has given it. */
struct bridge_filter {
    unsigned id;
    size_t n;
    unsigned params[8];
};

enum { BRIDGE_MOST_FILTERS = 4 };

/* What a program has said about a variable that it has defined. The array keeps what it has a place for. */
struct bridge_definition {
    bool pending;                   /* the dataset does not have it yet */
    bool settled;                   /* nc_enddef or a put has ended its definition: it gets no other fill */
    int storage;                    /* NC_CHUNKED and so on */
    size_t chunk[DRX_MAX_NDIM + 1]; /* given or chosen */
    struct bridge_filter filters[BRIDGE_MOST_FILTERS];
    int nfilters;
    bool no_fill;
    int endian;
};

struct bridge_variable {
    char *path; /* in the dataset; NULL: an array by itself */
    char *name;
    int ndim;
    int dims[DRX_MAX_NDIM + 1]; /* of the file */
    bool has_own_axis;          /* the last one of the array, which may go through the bytes of strings */
    drx_array *array;           /* NULL: not opened yet */
    enum bridge_kind kind;      /* this and the rest once it is open */
    nc_type type;
    int parts; /* of an element of BRIDGE_BYTES or BRIDGE_COMPLEX, through which the last of `dims` goes; 0: others */
    struct bridge_attributes attributes;
    struct bridge_definition *definition; /* NULL: an earlier handle has defined it */
    bool owes; /* the default fill of netCDF from index `filled` of the first axis on (write/fill.c) */
    int64_t filled;
    struct drxmp_array *together; /* of a file that processes share: what `array` is the view of */
    bool collective;
};

struct bridge_group {
    struct bridge_file *file;
    char *path;                    /* in the dataset; "": its root */
    int number, parent;            /* parent -1: the root of the file, or it is not shown */
    struct bridge_variable **vars; /* nvars of those of the file */
    int nvars, vars_room;
    struct bridge_attributes attributes;
};

/* A user-defined type: an enum, a compound, or opaque bytes. Its number is NC_FIRSTUSERTYPEID on. */
struct bridge_type {
    drx_type type; /* 0: a program is still defining it */
    char *name;
    int group;
    bool waits;         /* the dataset does not have it yet */
    drx_type_info open; /* what the program has said so far */
    drx_member *members;
};

struct bridge_file {
    drx_dataset *ds; /* NULL: arrays by themselves, which the variables own */
    bool borrowed;   /* they, and what it has of them, are the program's (drx_netcdf_show) */
    char *only;      /* the variable or group of the dataset that is shown, beside its coordinates; NULL: all */
    size_t root;     /* the bytes of `only` that name the group which is the root of the file */
    struct bridge_group *groups;
    struct bridge_dim *dims; /* of all groups */
    struct bridge_variable **vars;
    struct bridge_type *types;
    int ntypes;
    bool more_types; /* variables and attributes may have others */
    int ngroups, groups_room, ndims, dims_room, nvars, vars_room;
    int model;              /* NC_FORMATX_UDF0 or NC_FORMATX_UDF1: the table that has opened it */
    bool writable, classic; /* opened or created for writing; created with NC_CLASSIC_MODEL, by whomever */
    bool defining;          /* in define mode */
    bool created, again;    /* by nc_create; its first define mode is over */
    int npending;           /* variables that are defined, but not in the dataset yet */
    int fill_mode;
    char *path;                     /* of the dataset, if it is writable */
    char *staged;                   /* where it is meanwhile, since another one has the path; NULL: there */
    bool committed;                 /* by this handle */
    struct drxmp_dataset *together; /* processes have it open together, and `ds` is the view of this one; NULL: not */
    int process;                    /* the one that has opened it */
    bool owes_known;                /* what variables of earlier handles owe */
#ifdef BRIDGE_MPI
    MPI_Comm comm; /* of those that write together */
    bool has_comm;
    int rank;
#endif
    pthread_mutex_t lock;
};

/* ---- bridge_place.c: which array or dataset a path means ---- */

/* Does the path name a dataset or an array that netCDF-C would not find by itself? */
bool bridge_names(const char *path);

bool bridge_is_dataset(const char *path); /* a folder with one */

/* Is a file of that name to be created as a dataset? */
bool bridge_names_new(const char *path);

/* The path without scheme, fragment, suffix and slashes at its end; to be freed. NULL: out of memory. */
char *bridge_plain_path(const char *path);

/* looks.c: let CDI, GDAL and NCO take the folder of a dataset, and all else that names one, for a file. */
void bridge_hook_looks(void);

/* Open what a path or URL means: PATH, URL, DATASET/VARIABLE, DATASET/GROUP, and #commit=N after it. */
int bridge_open_place(const char *path, struct bridge_file *f);

/* What drx_netcdf_show shows in this thread, instead of a path; NULL: nothing. */
struct bridge_shown {
    drx_dataset *ds;
    int n;
    drx_array *const *arrays;
    const char *const *names;
};
extern _Thread_local const struct bridge_shown *bridge_shown;

/* ---- contents.c: the lists of a file ---- */

/* The list, or a longer one in its place, with room for one more; NULL: out of memory. */
void *bridge_with_room(void *list, int n, int *room, size_t bytes);
/* Add one to a list; what is lacking in it is zero. `n`: the bytes of the path. NULL or -1: out of memory. A new group
 * moves the others. */
struct bridge_group *bridge_new_group(struct bridge_file *f, const char *path, size_t n, int parent);
struct bridge_variable *bridge_new_variable(struct bridge_file *f, struct bridge_group *g, const char *path,
                                            const char *name);
int bridge_new_dim(struct bridge_file *f, int group, const char *path, const char *name, size_t length, bool unlimited);

/* Fill the lists from the dataset, or from the open arrays of f->vars. Returns netCDF's error. */
int bridge_list(struct bridge_file *f);
/* Fill them again after a refresh. */
int bridge_list_again(struct bridge_file *f);
/* Release the lists, and close what the file has open. */
void bridge_release(struct bridge_file *f);
/* The variable, opened; NULL: *st says why. Those whose elements have parts add a dimension then, at the end of
 * the list. */
struct bridge_variable *bridge_variable(struct bridge_group *g, int varid, int *st);
int bridge_find_variable(const struct bridge_group *g, const char *name);      /* -1: none */
int bridge_find_dim(const struct bridge_file *f, int group, const char *name); /* -1: none is known yet */
/* Open all variables. */
int bridge_open_all(struct bridge_file *f);
bool bridge_raise_limit(void); /* of open files; true: the process may open more now */
bool bridge_has_note(const drx_array *a, const char *note);

/* Open the array of a variable; or make it as `spec` says, unless that is NULL (write/store.c). */
drx_status bridge_store_array(struct bridge_file *f, struct bridge_variable *v, const drx_spec *spec);

/* ---- groups.c ---- */

/* The last name of a path. */
const char *bridge_last(const char *path);
/* Does something of the dataset lie in the group that is the root of the file, or below? */
bool bridge_is_inside(const struct bridge_file *f, const char *path);
/* The number of the group in which it lies: 0, also of what is not inside; -1: out of memory. */
int bridge_group_above(const struct bridge_file *f, const char *path);
/* Fill the list of groups, without their variables. Returns netCDF's error. */
int bridge_list_groups(struct bridge_file *f);
/* The group which the n bytes of a path lead to from another one; -1: none. */
int bridge_find_group(const struct bridge_file *f, int from, const char *path, size_t n);

/* ---- attributes.c ---- */

/* The attributes of a variable, or those of the group for NC_GLOBAL; NULL: *st says why. */
const struct bridge_attributes *bridge_attributes(struct bridge_group *g, int varid, int *st);
/* Notes of Python and imports, and what netCDF and HDF5 record of a file, which is not shown; or, for writing, also
 * names that netCDF-4 keeps for itself. */
bool bridge_is_reserved(const char *name, bool writing);
struct bridge_attribute *bridge_find(const struct bridge_attributes *all, const char *name);
void bridge_free_attribute(struct bridge_attribute *a);
void bridge_free_attributes(struct bridge_attributes *all);

/* write/define_names.c: the name as new ones are stored, with accents in their letters; others may be there, too. */
const char *bridge_normal(const char *name, char normal[NC_MAX_NAME + 1]);

/* ---- types.c ---- */

nc_type bridge_type_of(drx_type type);                                   /* but for defined ones; 0: netCDF has none */
drx_type bridge_element_type(const struct bridge_file *f, nc_type type); /* 0: none has it */
size_t bridge_type_bytes(const struct bridge_file *f, nc_type type);     /* 0: no such type */
const char *bridge_type_name(nc_type type);                              /* NULL: not one of netCDF's own */
nc_type bridge_type_named(const char *name);                             /* NC_NAT: not one of netCDF's own */
bool bridge_is_classic(nc_type type);

/* Convert n numbers as netCDF-C does: all of them, and NC_ERANGE if the type cannot hold some. */
int bridge_convert(nc_type from, const void *in, nc_type to, void *out, size_t n);
/* The same; the rules of netCDF-3 let bytes be signed or not. */
int bridge_convert_in(const struct bridge_file *f, nc_type from, const void *in, nc_type to, void *out, size_t n);

/* What netCDF fills variables of the type with, unless they say something else; of NC_STRING: "". */
const void *bridge_default_fill(const struct bridge_file *f, nc_type type);
extern char bridge_zeros[DRX_MAX_TYPE_BYTES]; /* the fill of an array that has none */

/* ---- user_types.c ---- */

/* List the types that have names. Others come when something has them. */
int bridge_list_types(struct bridge_file *f);
/* As bridge_type_of, of any type of something in a group. 0: netCDF cannot say it, which is told of `what` and its
 * name, or out of memory. */
nc_type bridge_type_in(struct bridge_file *f, int group, drx_type type, const char *what, const char *name);
/* The type that elements in memory have if they are of `wanted`: that of an enum for its base, whose bytes they are. */
nc_type bridge_memory_type(const struct bridge_file *f, nc_type of, nc_type wanted);
drx_type bridge_user_type(const struct bridge_file *f, nc_type type);            /* 0: not user-defined, or not yet */
struct bridge_type *bridge_find_type(const struct bridge_file *f, nc_type type); /* NULL: not user-defined */
const drx_type_info *bridge_info_of(const struct bridge_type *t);
/* Add one to the list; NULL: out of memory. It moves the others. */
struct bridge_type *bridge_new_type(struct bridge_file *f, int group, const char *name, drx_type type);
/* Does a type, variable or group of the group have the name? */
bool bridge_is_taken(const struct bridge_group *g, const char *name);
void bridge_free_types(struct bridge_file *f);

/* ---- strings.c ---- */

/* A text of n bytes, or n code points, up to NULs at its end, to be freed with free(). NULL: out of memory, or NULs
 * within, which no string of netCDF can have. */
char *bridge_text(const char *bytes, size_t n);
char *bridge_utf8(const uint32_t *points, size_t n);
/* The code points of a text of UTF-8, up to n. False: it has more, or is no UTF-8. */
bool bridge_points(const char *text, uint32_t *points, size_t n);
bool bridge_is_utf8(const char *text, size_t n);

/* ---- the calls of the tables ---- */

/* Answer what the program asks for, unless it gives NULL. */
#define BRIDGE_GIVE(to, value) \
    do {                       \
        if (to)                \
            *(to) = (value);   \
    } while (0)
void bridge_give_name(char *to, const char *name);

/* X(what netCDF-C calls it), each function by its name after bridge_ */
/* clang-format off */
#define BRIDGE_CALLS(X) \
    X(create) X(open) X(redef) X(sync) X(abort) X(close) X(_enddef) X(set_fill) X(inq_format) X(inq) X(inq_type) \
    X(def_dim) X(inq_dimid) X(inq_dim) X(inq_unlimdim) X(rename_dim) X(inq_att) X(inq_attid) X(inq_attname) \
    X(rename_att) X(del_att) X(get_att) X(put_att) X(def_var) X(inq_varid) X(rename_var) X(get_vara) X(put_vara) \
    X(get_vars) X(put_vars) X(get_varm) X(put_varm) X(inq_var_all) X(var_par_access) X(def_var_fill) \
    X(show_metadata) X(inq_unlimdims) X(inq_ncid) X(inq_grps) X(inq_grpname) X(inq_grpname_full) X(inq_grp_parent) \
    X(inq_grp_full_ncid) X(inq_varids) X(inq_dimids) X(inq_typeids) X(inq_type_equal) X(def_grp) X(rename_grp) \
    X(inq_typeid) X(inq_user_type) X(inq_compound_field) X(inq_compound_fieldindex) X(inq_enum_member) \
    X(inq_enum_ident) X(def_compound) X(def_enum) X(def_opaque) X(def_vlen) X(insert_compound) \
    X(insert_array_compound) X(insert_enum) X(put_vlen_element) X(get_vlen_element) X(def_var_deflate) \
    X(def_var_fletcher32) X(def_var_chunking) X(def_var_endian) X(def_var_filter) X(def_var_quantize) \
    X(inq_var_filter_ids) X(inq_var_filter_info) X(inq_var_quantize) X(inq_filter_avail) X(set_var_chunk_cache) \
    X(get_var_chunk_cache) X(inq_format_extended)
/* clang-format on */
#define BRIDGE_DECLARE(call) __typeof__(*((NC_Dispatch *)0)->call) bridge_##call;
BRIDGE_CALLS(BRIDGE_DECLARE)

/* ---- table.c, and files.c ---- */

/* The tables for the two formats that netCDF-C 4.9 takes: for the files of datasets, and those of arrays. */
extern NC_Dispatch bridge_tables[2];
/* netCDF's error for one of DRX; what it cannot tell is printed. */
int bridge_error(drx_status st);
extern bool bridge_quiet; /* the program uses drx_netcdf_show, and tells of errors itself */

enum { BRIDGE_ID_SHIFT = 16 }; /* netCDF-C's numbers: a small one of the file, shifted, and that of the group */

int bridge_ncid_of(int ncid, int group);     /* of another group of the file */
struct bridge_group *bridge_group(int ncid); /* NULL: no such file, or it has no such group */
/* As bridge_variable, of the file of that number, which goes to *f. */
struct bridge_variable *bridge_variable_of(int ncid, int varid, struct bridge_file **f, int *st);

#endif
