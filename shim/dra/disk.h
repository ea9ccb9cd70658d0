/* What the files of libdra-drx share.
 *
 *   dra_c.c dra_fortran.c  the calls for C and Fortran: orders, bases and widths of indices
 *   disk_error.c     what a call returns and reports
 *   disk_table.c     settings, handles
 *   disk_array.c     creating, opening, closing, deleting, extending
 *   disk_old.c       arrays that Global Arrays' own library has stored (old_*.c read them)
 *   disk_chunk.c     the chunk that the hints ask for
 *   disk_section.c   a section moved directly between the memory that each process has of a global array and the file
 *   disk_shared.c    writes of chunks that several processes have a part of
 *   disk_order.c     any section moved through a buffer, in the order of its elements
 *   disk_request.c   requests, and waiting for them
 *   disk_copy.c      from array to array; disk_copy_old.c, from those that Global Arrays' own library has stored
 *
 * Inside, indices are those of C: the last axis is the fastest, they count from 0, and `hi` is included.
 *
 * Every collective call works in four steps: each process checks what it can, all agree, all do the work, all agree
 * again. No process returns in between. */
#ifndef DRX_DISK_H
#define DRX_DISK_H

#include <drxmp.h>

#include "../ga/ga_both.h"

enum { DISK_MAX_NDIM = GA_MAX_DIM, DISK_NAME_BYTES = 80, DISK_PATH_BYTES = 4096 };

struct disk_box {
    int64_t lo[DISK_MAX_NDIM], hi[DISK_MAX_NDIM];
};

/* Bounds as the caller passes them. */
struct disk_bounds {
    const void *lo, *hi;
    bool wide; /* long; else int */
};

struct disk_array {
    drxmp_array *pair;    /* or */
    struct old_file *old; /* an array that Global Arrays' own library stored */
    drx_array *here;      /* this process's view of the pair */
    int mode;             /* DRA_RW, DRA_W, DRA_R */
    int ndim;
    drx_type type;
    int64_t dims[DISK_MAX_NDIM], chunk[DISK_MAX_NDIM];
    int group; /* the processes that opened it, and their communicator */
    MPI_Comm comm;
    char name[DISK_NAME_BYTES];
    char path[DISK_PATH_BYTES];
};

/* ---- disk_error.c ---------------------------------------------------------------- */

bool disk_is_root(MPI_Comm comm);
/* The value that `call` returns for a status that all processes share. Reports an error, or aborts. */
int disk_result(const char *call, drx_status st);
/* The same for a status of this process alone. */
int disk_own_result(const char *call, drx_status st);

/* ---- disk_table.c ----------------------------------------------------------------- */

MPI_Comm disk_comm(void); /* of the processes that make calls now */
drx_status disk_init(int max_arrays, double max_memory);
drx_status disk_terminate(void);
drx_status disk_check_init(void);
extern struct disk_settings {
    bool debug;           /* print sections to stdout */
    int64_t buffer_bytes; /* the buffers that a process may use to move elements */
    int64_t soon_bytes;   /* as much of a process is written within the call */
} disk_settings;

drx_status disk_find(int d_a, struct disk_array **out);
drx_status disk_new(int *d_a, struct disk_array **out); /* zeroed */
void disk_release(int d_a);

/* ---- disk_array.c ------------------------------------------------------------------- */

struct disk_create {
    int type, ndim, mode;
    bool fortran;                                     /* the caller is */
    int64_t dims[DISK_MAX_NDIM], hint[DISK_MAX_NDIM]; /* set if ndim is valid */
    const char *name, *path;                          /* those of process 0 count */
};
drx_status disk_create(const struct disk_create *c, int *d_a);
drx_status disk_open(const char *path, int mode, int *d_a);
drx_status disk_close(int d_a);
drx_status disk_delete(int d_a);
/* `dim` as the caller counts. */
drx_status disk_extend(int d_a, int64_t dim, int64_t by, bool fortran);
void disk_print(int d_a);

/* Read a box now, as drx_read_box does; the stride is given. */
drx_status disk_read(const struct disk_array *a, const int64_t lo[], const int64_t count[], const int64_t stride[],
                     void *buf);

/* ---- disk_old.c ----------------------------------------------------------------------- */

/* Fill in old, ndim, type, dims, chunk and name. Dimensions may be more than there is room for. */
drx_status disk_old_open(struct disk_array *a, const char *path);
void disk_old_close(struct disk_array *a);

/* ---- disk_chunk.c --------------------------------------------------------------------- */

/* The chunk for requests of the shape `hint`. An extent below 1 is unknown. */
void disk_chunk(int ndim, const int64_t dims[], const int64_t hint[], size_t item_bytes, int64_t chunk[]);

/* ---- disk_request.c --------------------------------------------------------------------- */

enum { DISK_SLOTS = 16, DISK_PARTS = 1 + DISK_SLOTS };

/* A section that is being moved, or an array that is being copied. */
struct disk_request {
    int id;
    struct disk_array *array; /* NULL: it is over */
    bool told;                /* DRA_Wait has reported that it failed */
    int g_a;
    bool writing; /* to the file */
    bool narrow;  /* in short runs: one process reads, changes and writes a chunk */
    bool soon;    /* it is so small that the call writes it, and no helper */
    bool alone;   /* narrow, and so small that one process writes all of it */
    struct disk_box disk, memory;
    drx_request *io[DISK_PARTS]; /* this process's part, `parts` of them, some NULL; 0: nothing, or it is over */
    int parts;
    char *buffer; /* what it writes of the memory of other processes; NULL: none, or it is over */
    int64_t buffer_bytes;
    struct disk_copying *copying; /* its part of a copy between arrays; NULL: none, or it is over */
    struct disk_array *source;    /* of the copy, which reads all of it; NULL: none */
    struct disk_box source_box;
    drx_status st;
    char *detail;
};

/* Keep a copy, and give it a number. */
drx_status disk_request_new(const struct disk_request *given, struct disk_request **out);
void disk_request_drop(struct disk_request *r);
/* Wait for this process's part. `st` is the status of beginning it. */
void disk_request_end(struct disk_request *r, drx_status st);
/* Complete this process's part of the requests that conflict with `r`. */
void disk_requests_before(const struct disk_request *r);
/* A buffer for `r`. Completes this process's part of requests that have one, as far as the bound asks for it. */
drx_status disk_request_buffer(struct disk_request *r, int64_t bytes);
/* Free the buffers until `bytes` more are in the bound, in the same way. */
void disk_request_buffers_give(int64_t bytes);
/* Complete the requests of an array; NULL: of all arrays. Collective. */
void disk_requests_finish(const struct disk_array *a);
void disk_requests_free(void);
drx_status disk_wait(int id);
drx_status disk_probe(int id, int *done);
void disk_flick(void);

/* ---- disk_section.c ------------------------------------------------------------------- */

struct disk_section {
    bool writing, transposed;
    int g_a, d_a;
    bool whole;   /* no bounds: all of both arrays, which have equal shapes */
    bool fortran; /* the caller is */
    int ndim;     /* dimensions of the bounds; 0: as many as the arrays have */
    struct disk_bounds memory, disk;
};
drx_status disk_section(const struct disk_section *s, int *id); /* after an error *id is DRA_REQ_FAILED */

/* A part of a section: its place in the file, and its elements in memory. */
struct disk_place {
    int64_t lo[DISK_MAX_NDIM], count[DISK_MAX_NDIM], stride[DISK_MAX_NDIM];
    char *memory;
};

/* ---- disk_shared.c -------------------------------------------------------------------- */

/* Begin to write what this process writes of a section; p: the part of which it has the memory. */
drx_status disk_write_shared(struct disk_request *r, bool transposed, const struct disk_place *p);

/* ---- disk_order.c ---------------------------------------------------------------------- */

/* Move the part of each process now. Both boxes have as many elements, which are in C order in both. Transposed, the
 * axes of the source are reversed. Not collective. */
drx_status disk_move_in_order(const struct disk_request *r, bool transposed);

/* ---- disk_copy.c ----------------------------------------------------------------------- */

/* perm: int, or Integer of Fortran, as the caller counts; NULL: none. After an error *id is DRA_REQ_FAILED. */
drx_status disk_copy(int src, int dst, const void *perm, bool fortran, int *id);

/* Of this process's part: whether it is over; wait for it, and free it. */
bool disk_copying_over(const struct disk_copying *c);
drx_status disk_copying_end(struct disk_copying *c);

/* ---- disk_copy_old.c ------------------------------------------------------------------- */

/* Copy this process's part now. axis[]: of src, for each of dst. */
drx_status disk_copy_old(struct disk_array *src, struct disk_array *dst, const int axis[]);

#endif
