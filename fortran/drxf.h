/* drxf.h - what the C files under the Fortran modules have in common. Nobody includes it but these.
 *
 * The modules hold handles as numbers, which are never used twice: a stale one is refused, whatever has been copied. A
 * kind has the calls that arrays or datasets of one process, or of many, have in common; so one procedure of Fortran
 * takes all of them. Arguments of any type, kind and rank come as the descriptors of the language.
 *
 * Indices of Fortran count from 1, where the array has drx_lower. Axes keep their order. */
#ifndef DRXF_H
#define DRXF_H

#include <ISO_Fortran_binding.h>
#include <stdbool.h>

#include "drx_dataset.h"
#include "drx_tools.h"

/* Whose attributes they are: those of a part of a dataset, or (DRX_DATASET, "") of what the handle stands for. */
struct drxf_part {
    int part;
    const char *path;
};

/* The calls of a kind of handle. `it` is what the handle stands for. */
struct drxf_kind {
    const char *name;                        /* for messages: "array", "dataset" */
    drx_array *(*array)(void *it);           /* for inquiries; NULL: it is not an array */
    const drx_dataset *(*dataset)(void *it); /* for inquiries; NULL: it is not a dataset */
    bool together;                           /* its calls are collective */
    drx_status (*close)(void *it);
    drx_status (*refresh)(void *it);
    drx_status (*attr_set)(void *it, const struct drxf_part *of, const char *name, drx_type type, int64_t n,
                           const void *values);
    drx_status (*attr_set_text)(void *it, const struct drxf_part *of, const char *name, const char *text);
    drx_status (*attr_delete)(void *it, const struct drxf_part *of, const char *name);
    /* of an array */
    drx_status (*sync)(void *it);
    drx_status (*persist)(void *it, unsigned flags);
    drx_status (*extend)(void *it, int axis, int64_t by);
    drx_status (*extend_before)(void *it, int axis, int64_t by);
    drx_status (*trim)(void *it, int axis, int64_t before, int64_t after);
    drx_status (*add_axis)(void *it, int at, const char *name);
    drx_status (*dim_rename)(void *it, int axis, const char *name);
    /* of a dataset */
    const struct drxf_kind *lent; /* of its arrays */
    drx_status (*lend)(void *it, const char *name, void **array);
    drx_status (*add)(void *it, const char *name, const drx_spec *spec, void **array);
    drx_status (*remove)(void *it, const char *name);
    drx_status (*add_group)(void *it, const char *path);
    drx_status (*remove_group)(void *it, const char *path);
    drx_status (*set_name)(void *it, int part, const char *old_path, const char *new_path);
    drx_status (*grow)(void *it, const char *dim, int64_t by);
    drx_status (*grow_before)(void *it, const char *dim, int64_t by);
    drx_status (*reserve)(void *it, const char *dim, int64_t by, int64_t *first);
    drx_status (*reserve_before)(void *it, const char *dim, int64_t by, int64_t *first);
    drx_status (*shrink)(void *it, const char *dim, int64_t before, int64_t after);
    drx_status (*widen)(void *it, const char *name, int at, const char *dim);
    drx_status (*commit)(void *it, const char *message);
    drx_status (*forget)(void *it, int64_t n);
    drx_status (*begin)(void *it);
    drx_status (*compact)(void *it);
    drx_status (*abort)(void *it);
};

extern DRX_API const struct drxf_kind drxf_array_kind, drxf_dataset_kind;

/* ---- handles.c ------------------------------------------------------------ */

/* A number for `it`; 0: no memory. lender: the number of the dataset that lends it, 0: none. */
DRX_API int64_t drxf_hold(const struct drxf_kind *kind, void *it, int64_t lender);
DRX_API drx_status drxf_room(void); /* so that drxf_hold finds room; DRX_ENOMEM */
/* What the number stands for; NULL: nothing. lender may be NULL. */
DRX_API void *drxf_find(int64_t id, const struct drxf_kind **kind, int64_t *lender);
/* Forget the number, and those of what it lends. */
DRX_API void drxf_forget(int64_t id);

/* The same with an error when there is nothing, or something of another kind. */
DRX_API drx_status drxf_any(int64_t id, void **it, const struct drxf_kind **kind);
DRX_API drx_status drxf_an_array(int64_t id, void **it, const struct drxf_kind **kind, drx_array **a);
DRX_API drx_status drxf_a_dataset(int64_t id, void **it, const struct drxf_kind **kind, const drx_dataset **ds);

/* ---- what went wrong: drxf_fail.c ------------------------------------------ */

DRX_API drx_status drxf_fail(drx_status st, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* With the name of the array in front. */
DRX_API drx_status drxf_fail_of(const drx_array *a, drx_status st, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A rank with a wrong argument makes its collective call, too, with one that the call refuses: no rank is left waiting.
 * drxf_keep saves the detail of the error, and drxf_tell brings it back after the call. The status of a collective call
 * is that of all ranks, otherwise the one kept. */
struct drxf_kept {
    drx_status st;
    char detail[1024];
};
DRX_API void drxf_keep(struct drxf_kept *kept, drx_status st);
DRX_API drx_status drxf_tell(const struct drxf_kept *kept, bool together, drx_status st);

/* ---- descriptors: descriptor.c ---------------------------------------------- */

/* Without the bytes of an element, which gfortran keeps in the type, too. */
#ifdef CFI_type_mask
#define DRXF_KIND(type) ((type)&CFI_type_mask)
#else
#define DRXF_KIND(type) (type)
#endif

enum { DRXF_MOST_NAME = 40 };
/* The type of elements; 0: DRX has none like it. */
DRX_API drx_type drxf_type_of(const CFI_cdesc_t *d);
/* As a program declares it: "real(real64)". */
DRX_API const char *drxf_declared(drx_type type);
DRX_API const char *drxf_declared_as(const CFI_cdesc_t *d, char room[DRXF_MOST_NAME]);
/* Whether Fortran has no such type, but an integer of as many bits. */
bool drxf_lacks(drx_type type);
/* Whether memory of that type takes elements of `type`: of the same, or, if `as_bits`, the bits of one that Fortran
 * lacks. */
DRX_API bool drxf_takes(drx_type type, const CFI_cdesc_t *d, bool as_bits);
/* Elements; -1: of assumed size. A null pointer where there are some is an error: drxf_check_there. */
DRX_API int64_t drxf_size(const CFI_cdesc_t *d);
DRX_API drx_status drxf_check_there(const CFI_cdesc_t *d, const char *name);
DRX_API bool drxf_contiguous(const CFI_cdesc_t *d);
/* "(3,4)" */
enum { DRXF_MOST_SHAPE = 160 };
DRX_API const char *drxf_shape_of(const CFI_cdesc_t *d, char room[DRXF_MOST_SHAPE]);
DRX_API const char *drxf_shape_text(int n, const int64_t extents[], char room[DRXF_MOST_SHAPE]);
/* All elements, in the order of Fortran: into packed memory, or from there. */
DRX_API void drxf_pack(const CFI_cdesc_t *d, void *packed);
DRX_API void drxf_unpack(const CFI_cdesc_t *d, const void *packed);

/* n integers of any kind from a scalar or an array of rank 1. `each` says what one is for, "one for each axis" say. */
DRX_API drx_status drxf_integers(const CFI_cdesc_t *d, const char *name, int n, const char *each, int64_t out[]);
DRX_API drx_status drxf_integer(const CFI_cdesc_t *d, const char *name, int64_t *out);

/* For programs that call C, and inquiries: the array; NULL: it is none. */
DRX_API drx_array *drxf_c_array(int64_t id);

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

DRX_API void drxf_frame_of(const drx_array *a, struct drxf_frame *out);

/* What a program says of a box. An absent argument is a null pointer. */
struct drxf_where {
    const CFI_cdesc_t *start, *count, *stride;
    bool as_bits;
};

/* The box of a frame, and its elements in `values`. */
DRX_API drx_status drxf_relate(const struct drxf_frame *f, const CFI_cdesc_t *values, const struct drxf_where *where,
                               struct drxf_box *out);
/* An index from the program, as the frame has it, or where a box of it begins. */
DRX_API drx_status drxf_index(const struct drxf_frame *f, const CFI_cdesc_t *index, const char *name, int64_t at[]);
DRX_API drx_status drxf_check_type(const struct drxf_frame *f, const CFI_cdesc_t *values, bool as_bits);
/* The axis with that number from 1 on, or with that name. On an error *axis is -1. */
DRX_API drx_status drxf_axis(const drx_array *a, const CFI_cdesc_t *number, int *axis);
/* Of a slab: how many indices of the axis it has. It has all axes of the array, or all but this one. */
DRX_API drx_status drxf_slab(const drx_array *a, const CFI_cdesc_t *values, int axis, int64_t *by);
/* The elements in one piece: those of `values`, or a copy that *made has, to be freed; NULL: no memory. */
DRX_API const void *drxf_in_one_piece(const CFI_cdesc_t *values, void **made);

/* ---- what makes an array: f_spec.c --------------------------------------------- */

/* The type of that name in the module. Texts are one after another, each with its NUL. */
struct drxf_spec {
    int32_t ndim, type, flags, row_major, codec, level, shuffle, nstripes;
    int64_t align;
    const int64_t *shape, *chunk, *lower;
    const void *fill;
    const char *dims, *stripes, *wrong; /* wrong: what drx_spec has to say; else NULL */
};

struct drxf_made {
    drx_spec spec;
    const char *dims[DRX_MAX_NDIM], *stripes[DRX_MAX_STRIPES];
};

DRX_API drx_status drxf_make_spec(const struct drxf_spec *from, struct drxf_made *out);
/* Hold what a call has made, unless it failed. */
DRX_API drx_status drxf_give(drx_status st, const struct drxf_kind *kind, void *it, int64_t lender, int64_t *id);

#endif
