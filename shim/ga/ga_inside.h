/* What the files of libdrxga share.
 *
 *   ga_both.c      what libdra-drx has, too
 *   ga_look.c      what a handle means: type, shape, distribution
 *   ga_section.c   a section and a box, checked and related
 *   ga_pieces.c    a box cut into pieces of whole chunks, and how one piece moves
 *   ga_together.c  the collective moves
 *   ga_alone.c     moves of one process
 *   ga_create.c    an array like a GA
 *   ga_dap.c       descriptions and exports
 *   ga_fortran.c   what the module of drxga.f90 calls
 *
 * Global Arrays ends the job when an argument is wrong. So nothing is passed to it that was not checked. */
#ifndef GA_INSIDE_H
#define GA_INSIDE_H

#include "drxga.h"
#include "ga_both.h"

/* ---- ga_look.c --------------------------------------------------------------------------- */

struct drxgai_global {
    int handle, ndim;
    drx_type type;
    size_t item_bytes;
    int64_t dims[GA_MAX_DIM];
    int group, nodes, me; /* processes of the group, and which one this is */
    bool cyclic;
};

drx_status drxgai_look(int g_a, struct drxgai_global *g);
/* As shim_fail, and it says first which GA it is about. */
drx_status drxgai_fail_of(const struct drxgai_global *g, drx_status st, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- ga_section.c ------------------------------------------------------------------------ */

/* A section of a GA and the box of an array. Axes and indices are those of C; messages to Fortran count its way. */
struct drxgai_move {
    bool writing; /* to the array */
    bool fortran;
    struct drxgai_global g;
    drx_array *a;
    int ndim; /* of the array */
    int64_t glo[GA_MAX_DIM], ghi[GA_MAX_DIM];
    int axis[DRX_MAX_NDIM]; /* of the GA, for each axis of the array; -1: none */
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM];
};

/* The arguments of a call. */
struct drxgai_call {
    bool writing;
    int g_a;
    const int64_t *glo, *ghi, *lo;
    const int *perm;
    bool fortran;
    drx_status wrong; /* what was found wrong with them before, with its detail */
};

drx_status drxgai_relate(const struct drxgai_call *call, drx_array *a, struct drxgai_move *m);

/* A box for drx_read_box and so on, which points into this struct. */
struct drxgai_box {
    int64_t lo[DRX_MAX_NDIM], count[DRX_MAX_NDIM], stride[DRX_MAX_NDIM];
    drx_box box;
};

/* The box of the array for a box inside the section, whose memory has these strides along the axes of the GA. */
void drxgai_box_of(const struct drxgai_move *m, const int64_t glo[], const int64_t ghi[], const int64_t gstride[],
                   struct drxgai_box *out);
/* One without elements. */
void drxgai_no_box(const struct drxgai_move *m, struct drxgai_box *out);

/* ---- ga_pieces.c --------------------------------------------------------------------------- */

/* The most bytes of a piece. Tests change it. */
extern int64_t drxgai_piece_bytes;

struct drxgai_pieces {
    int64_t extent[DRX_MAX_NDIM]; /* of a whole piece: a number of chunks, or a part of one */
    int64_t first[DRX_MAX_NDIM];  /* where the piece begins that has the first element of the box */
    int64_t n[DRX_MAX_NDIM];      /* pieces along each axis */
    int64_t all;
    void *buffer; /* for one piece */
};

/* Pieces for this many processes to share. drxgai_free_pieces releases the buffer, also after a failure. */
drx_status drxgai_make_pieces(const struct drxgai_move *m, int shares, struct drxgai_pieces *p);
void drxgai_free_pieces(struct drxgai_pieces *p);

/* Piece k: its box in the array, and its section of the GA, dense in the buffer. */
void drxgai_piece(const struct drxgai_move *m, const struct drxgai_pieces *p, int64_t k, struct drxgai_box *box,
                  int64_t glo[], int64_t ghi[]);
/* Get that section into the buffer, or put it from there. */
void drxgai_fetch(const struct drxgai_move *m, const struct drxgai_pieces *p, bool get, int64_t glo[], int64_t ghi[]);

/* ---- ga_together.c ------------------------------------------------------------------------- */

drx_status drxgai_move_together(const struct drxgai_call *call, drxmp_array *a);

/* ---- ga_alone.c ---------------------------------------------------------------------------- */

drx_status drxgai_move_alone(const struct drxgai_call *call, drx_array *a);

/* ---- ga_create.c --------------------------------------------------------------------------- */

/* As drxga_create. `wrong`: as in struct drxgai_call. */
drx_status drxgai_create(MPI_Comm comm, const char *path, int g_a, const drx_spec *spec, drx_status wrong,
                         drxmp_array **out);

#endif
