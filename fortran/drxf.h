/* drxf.h - what the C files under the Fortran modules have in common. Nobody includes it but these.
 *
 * The modules hold handles as numbers, which are never used twice: a stale one is refused, whatever has been copied. A
 * handle has a kind: an array or a dataset of one process, one of many, or a distributed array. A procedure of Fortran
 * gives the handle, the number of what it wants, and its arguments by their names; those of any type, kind and rank
 * come as the descriptors of the language. The numbers and the interfaces, which both modules use, are in
 * modules/drx_calls.f90. An absent argument is a null pointer. Texts end by a NUL; an empty one stands for none.
 *
 * One C function converts the arguments, whatever is behind the handle, and the kind makes the call. A kind is a table
 * of functions. f_kinds.h writes those of arrays and datasets once: f_kinds.c includes it for the calls drx_*, and
 * mp/fmp_array.c for drxmp_*. The latter are collective: a rank with a wrong argument makes its call, too, with one
 * that the call refuses, so that no rank is left waiting.
 *
 * Indices of Fortran count from 1, where the array has drx_lower. Axes keep their order. */
#ifndef DRXF_H
#define DRXF_H

#include <ISO_Fortran_binding.h>
#include <stdbool.h>

#include "drx_dataset.h"
#include "drx_tools.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the modules have those of the calls that they make */

/* ---- what a program wants; drx_calls.f90 has the same names and numbers -------------------- */

enum drxf_make { DRXF_MAKE_ARRAY, DRXF_MAKE_DATASET, DRXF_MAKE_OPEN_ARRAY, DRXF_MAKE_OPEN_DATASET };

enum drxf_to {
    DRXF_TO_REFRESH, /* an array or a dataset */
    DRXF_TO_ATTR_SET,
    DRXF_TO_ATTR_SET_TEXT,
    DRXF_TO_ATTR_DELETE,
    DRXF_TO_SYNC, /* an array */
    DRXF_TO_PERSIST,
    DRXF_TO_EXTEND,
    DRXF_TO_EXTEND_BEFORE,
    DRXF_TO_TRIM,
    DRXF_TO_ADD_AXIS,
    DRXF_TO_DIM_RENAME,
    DRXF_TO_REMOVE, /* a dataset: its variables, groups and dimensions */
    DRXF_TO_ADD_GROUP,
    DRXF_TO_ADD_DIM,
    DRXF_TO_REMOVE_GROUP,
    DRXF_TO_SET_NAME,
    DRXF_TO_GROW,
    DRXF_TO_GROW_BEFORE,
    DRXF_TO_RESERVE,
    DRXF_TO_RESERVE_BEFORE,
    DRXF_TO_SHRINK,
    DRXF_TO_WIDEN,
    DRXF_TO_BEGIN, /* its transactions */
    DRXF_TO_COMMIT,
    DRXF_TO_ABORT,
    DRXF_TO_FORGET,
    DRXF_TO_COMPACT
};

enum drxf_move {
    DRXF_MOVE_READ, /* any array */
    DRXF_MOVE_WRITE,
    DRXF_MOVE_READ_ALL, /* of many processes, collective */
    DRXF_MOVE_WRITE_ALL,
    DRXF_MOVE_GET, /* of many processes, one-sided */
    DRXF_MOVE_PUT,
    DRXF_MOVE_ADD,
    DRXF_MOVE_DARRAY_GET, /* a distributed array, one-sided */
    DRXF_MOVE_DARRAY_PUT,
    DRXF_MOVE_DARRAY_ADD
};

enum drxf_of {
    DRXF_OF_NDIM, /* an array */
    DRXF_OF_DTYPE,
    DRXF_OF_AXIS,
    DRXF_OF_COUNT, /* a dataset */
    DRXF_OF_HAS,
    DRXF_OF_DIM_EXTENT,
    DRXF_OF_DIM_LOWER,
    DRXF_OF_SHOWN,
    DRXF_OF_LAST,
    DRXF_OF_OLDEST,
    DRXF_OF_ATTRS /* both */
};

enum drxf_bounds {
    DRXF_BOUNDS_SHAPE,
    DRXF_BOUNDS_LOWER,
    DRXF_BOUNDS_CHUNK,       /* an array */
    DRXF_BOUNDS_LOCAL_SHAPE, /* a distributed array: the section of this process */
    DRXF_BOUNDS_LOCAL_START
};

/* ---- boxes: f_box.c ---------------------------------------------------------- */

struct drxf_box {
    drx_box box;
    void *memory;
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM], step[DRX_MAX_NDIM], stride[DRX_MAX_NDIM];
};

/* What a box lies in: an array, as it is or as it is to be, or a distributed one. */
struct drxf_frame {
    const drx_array *a; /* for messages, and the names of axes; NULL: it is none */
    int ndim;
    drx_type type;
    int64_t shape[DRX_MAX_NDIM], lower[DRX_MAX_NDIM];
};

void drxf_frame_of(const drx_array *a, struct drxf_frame *out);

/* What a program says of a box. An absent argument is a null pointer. */
struct drxf_where {
    const CFI_cdesc_t *start, *count, *stride;
    bool as_bits;
};

/* The box of a frame, and its elements in `values`. */
drx_status drxf_relate(const struct drxf_frame *f, const CFI_cdesc_t *values, const struct drxf_where *where,
                       struct drxf_box *out);
/* An index from the program, as the frame has it, or where a box of it begins. */
DRX_API drx_status drxf_index(const struct drxf_frame *f, const CFI_cdesc_t *index, const char *name, int64_t at[]);
/* Elements of the frame's type, where there is memory for them. */
drx_status drxf_check_values(const struct drxf_frame *f, const CFI_cdesc_t *values, const char *name, bool as_bits);
/* The axis with that number from 1 on. On an error *axis is -1. */
drx_status drxf_axis(const drx_array *a, const CFI_cdesc_t *number, int *axis);
/* Of a slab: how many indices of the axis it has. It has all axes of the array, or all but this one. */
drx_status drxf_slab(const drx_array *a, const CFI_cdesc_t *values, int axis, int64_t *by);
/* The elements in one piece: those of `values`, or a copy that *made has, to be freed; NULL: no memory. */
const void *drxf_in_one_piece(const CFI_cdesc_t *values, void **made);

/* ---- what went wrong: drxf_fail.c ------------------------------------------ */

DRX_API drx_status drxf_fail(drx_status st, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* With the name of the array in front. */
DRX_API drx_status drxf_fail_of(const drx_array *a, drx_status st, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* drxf_keep saves the detail of a wrong argument, and drxf_tell brings it back after the call that refuses it. The
 * status of a collective call is that of all ranks, otherwise the one kept. */
struct drxf_kept {
    drx_status st;
    char detail[1024];
};
DRX_API void drxf_keep(struct drxf_kept *kept, drx_status st);
DRX_API drx_status drxf_tell(const struct drxf_kept *kept, bool together, drx_status st);

/* What ends the other processes of a job when an error ends this one. */
extern DRX_API void (*drxf_stop_others)(void);

/* ---- kinds -------------------------------------------------------------------------- */

/* What makes or opens an array or a dataset. What is wrong is a null pointer, which the call refuses. */
struct drxf_wish {
    const void *comm; /* MPI_Comm, of those of many processes */
    bool create;
    const char *path; /* NULL, to create an array: in memory */
    const drx_spec *spec;
    int mode;
    int64_t at;
};

/* The arguments of a change; 0 or NULL where it has none. What is wrong is -1 or a null pointer. */
struct drxf_given {
    int axis; /* from 0 */
    int64_t by, before, after;
    const char *name, *text;
    int part; /* of a dataset, at the path `of`; or flags */
    const char *of;
    drx_type type;
    int64_t n;
    const void *values;
    int64_t *first;
};

/* The calls of a kind of handle. `it` is what the handle stands for. NULL: it has none such. */
struct drxf_kind {
    const char *name;                        /* for messages: "an array" */
    drx_array *(*array)(void *it);           /* for inquiries; NULL: it is not an array */
    const drx_dataset *(*dataset)(void *it); /* for inquiries; NULL: it is not a dataset */
    bool together;                           /* its calls are collective */
    drx_status (*close)(void *it);
    drx_status (*make)(const struct drxf_wish *wish, void **it);
    drx_status (*change)(void *it, enum drxf_to what, const struct drxf_given *given);
    /* a dataset: the array of a variable, or of a new one */
    const struct drxf_kind *lent;
    drx_status (*lend)(void *it, const char *name, bool add, const drx_spec *spec, void **array);
    /* what many processes have: elements of boxes, beside drx_read and drx_write. If `wrong` has a status, the box is
     * wrong, and the call is collective */
    const struct drxf_frame *(*frame)(void *it); /* of a distributed array */
    drx_status (*move)(void *it, enum drxf_move how, const struct drxf_kept *wrong, const struct drxf_box *b);
    drx_status (*append)(void *it, bool before, int axis, int64_t by, const struct drxf_kept *wrong,
                         const struct drxf_box *b, const void *slab);
    drx_status (*fetch_add)(void *it, const int64_t at[], int64_t by, int64_t *old);
    void (*bounds)(void *it, enum drxf_bounds which, int64_t out[]); /* of a distributed array */
};

/* ---- handles.c ------------------------------------------------------------ */

/* A number for `it`; 0: no memory. lender: the number of the dataset that lends it, 0: none. */
DRX_API int64_t drxf_hold(const struct drxf_kind *kind, void *it, int64_t lender);
DRX_API drx_status drxf_room(void); /* so that drxf_hold finds room; DRX_ENOMEM */
/* Hold what a call has made, unless it failed. */
DRX_API drx_status drxf_give(drx_status st, const struct drxf_kind *kind, void *it, int64_t lender, int64_t *id);
/* Forget the number, and those of what it lends. */
void drxf_forget(int64_t id);

/* What a number stands for. */
struct drxf_target {
    const struct drxf_kind *kind;
    void *it;
    int64_t lender;
    drx_array *a; /* for inquiries; NULL: it is none */
    const drx_dataset *ds;
};

/* False: nothing is open, and all of `out` is NULL. */
bool drxf_find(int64_t id, struct drxf_target *out);
/* The same with an error when there is nothing, or something of another kind. */
DRX_API drx_status drxf_any(int64_t id, struct drxf_target *out);
drx_status drxf_an_array(int64_t id, struct drxf_target *out);
drx_status drxf_a_dataset(int64_t id, struct drxf_target *out);
/* What has attributes: part DRX_DATASET is the array or dataset itself. */
drx_status drxf_an_owner(int64_t id, int part, struct drxf_target *out);
DRX_API drx_status drxf_other(const struct drxf_kind *kind, const char *expected); /* the error */
/* What the elements lie in, of an array or a distributed one. */
void drxf_frame_at(const struct drxf_target *t, struct drxf_frame *out);

/* ---- descriptors: descriptor.c ---------------------------------------------- */

/* Without the bytes of an element, which gfortran keeps in the type, too. */
#ifdef CFI_type_mask
#define DRXF_KIND(type) ((type)&CFI_type_mask)
#else
#define DRXF_KIND(type) (type)
#endif

enum { DRXF_MOST_NAME = 40 };
/* The type of elements; 0: DRX has none like it. */
drx_type drxf_type_of(const CFI_cdesc_t *d);
/* As a program declares it: "real(real64)". */
const char *drxf_declared(drx_type type);
DRX_API const char *drxf_declared_as(const CFI_cdesc_t *d, char room[DRXF_MOST_NAME]);
/* Whether Fortran has no such type, but an integer of as many bits. */
bool drxf_lacks(drx_type type);
/* Whether memory of that type takes elements of `type`: of the same, or, if `as_bits`, the bits of one that Fortran
 * lacks. */
bool drxf_takes(drx_type type, const CFI_cdesc_t *d, bool as_bits);
/* Elements; -1: of assumed size. A null pointer where there are some is an error: drxf_check_there. */
DRX_API int64_t drxf_size(const CFI_cdesc_t *d);
drx_status drxf_check_there(const CFI_cdesc_t *d, const char *name);
bool drxf_contiguous(const CFI_cdesc_t *d);
/* "(3,4)" */
enum { DRXF_MOST_SHAPE = 160 };
const char *drxf_shape_of(const CFI_cdesc_t *d, char room[DRXF_MOST_SHAPE]);
const char *drxf_shape_text(int n, const int64_t extents[], char room[DRXF_MOST_SHAPE]);
/* All elements, in the order of Fortran: into packed memory, or from there. */
void drxf_pack(const CFI_cdesc_t *d, void *packed);
void drxf_unpack(const CFI_cdesc_t *d, const void *packed);

/* n integers of any kind from a scalar or an array of rank 1. `each` says what one is for, "one for each axis" say. */
DRX_API drx_status drxf_integers(const CFI_cdesc_t *d, const char *name, int n, const char *each, int64_t out[]);
DRX_API drx_status drxf_integer(const CFI_cdesc_t *d, const char *name, int64_t *out);

/* ---- what makes an array: f_spec.c --------------------------------------------- */

/* The type c_spec of the module. Texts are one after another, each with its NUL. */
struct drxf_spec {
    int32_t ndim, type, flags, row_major, codec, level, shuffle, nstripes;
    int64_t align, shape[DRX_MAX_NDIM], chunk[DRX_MAX_NDIM], lower[DRX_MAX_NDIM];
    int32_t has_chunk, has_lower, has_fill;
    int8_t fill[16];
    const char *dims, *stripes, *wrong; /* wrong: what drx_spec has to say; else NULL */
};

struct drxf_made {
    drx_spec spec;
    const char *dims[DRX_MAX_NDIM], *stripes[DRX_MAX_STRIPES];
};

drx_status drxf_make_spec(const struct drxf_spec *from, struct drxf_made *out);

/* ---- f_open.c --------------------------------------------------------------------- */

/* Make or open a dataset of that kind, or an array of the kind that it lends; `comm` is for the kind. */
DRX_API drx_status drxf_make_with(const struct drxf_kind *datasets, const void *comm, enum drxf_make what,
                                  const char *path, int64_t *id, const struct drxf_spec *from, const int *mode,
                                  const CFI_cdesc_t *at);

#endif
