/* ga_both.h - what libdrxga and libdra-drx both know of Global Arrays (ga_both.c). */
#ifndef GA_BOTH_H
#define GA_BOTH_H

#include <stdbool.h>
#include <stdint.h>

#include <drxmp.h>
#include <ga.h>
#include <typesf2c.h>

#include "../shim.h"

/* The type of elements by the number that C or Fortran has for it, 0: none; and back. */
drx_type drxgai_type(int ga_type);
int drxgai_type_number(drx_type type, bool fortran);

/* What a process has of a section, or of the whole array (NULL); false: nothing. Not of a block-cyclic array. */
bool drxgai_part(int g_a, int ndim, int process, const int64_t from[], const int64_t to[], int64_t lo[], int64_t hi[]);
/* The memory of a box inside that part, with its strides in elements. NGA_Release or NGA_Release_update ends it. */
void *drxgai_access(int g_a, int ndim, int64_t lo[], int64_t hi[], int64_t stride[]);
/* The strides that leading dimensions mean, where an index of the last axis has `along`. */
void drxgai_strides(int ndim, const int64_t ld[], int64_t along, int64_t stride[]);

double drxgai_bytes(int ndim, const int64_t extent[], size_t item_bytes);
/* Halve the longest parts of the axes until one has at most this many bytes. */
void drxgai_halve(int ndim, const int64_t dims[], size_t item_bytes, double most_bytes, int64_t parts[],
                  int64_t chunk[]);
/* Of a chunk, to the page of a file; 0: it is too small for that. */
int64_t drxgai_alignment(int ndim, const int64_t chunk[], size_t item_bytes);

/* An axis as the caller counts it: Fortran's order is reversed and counts from 1. */
static inline int drxgai_axis(int axis, int ndim, bool fortran)
{
    return fortran ? ndim - axis : axis;
}

/* A value from Fortran; one that does not fit cannot be a valid argument. */
static inline int drxgai_narrow(Integer value)
{
    return value < -INT32_MAX || value > INT32_MAX ? INT32_MIN : (int)value;
}

enum { DRXGAI_MOST_ARGS = 5 };

/* Arguments that must be equal on all processes. */
struct drxgai_args {
    int n;
    struct {
        const char *name;
        int64_t hash; /* >= 0 */
    } arg[DRXGAI_MOST_ARGS];
};

void drxgai_arg(struct drxgai_args *args, const char *name, const void *bytes, size_t n);
/* All processes return the worst status, with its detail; or DRX_EMISMATCH when arguments differ. args: NULL, or those
 * of all. Collective. */
drx_status drxgai_agree(MPI_Comm comm, drx_status mine, const struct drxgai_args *args);

#endif
