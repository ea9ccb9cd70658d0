/* The calls that the module of drxga.f90 makes. */
#ifndef GA_FORTRAN_H
#define GA_FORTRAN_H

#include <typesf2c.h>

#include "ga_inside.h"

/* An empty path: in the memory of the job. An empty codec: none. The communicator is that of the GA's group. */
DRX_API drx_status drxgaf_create(const char *path, Integer g_a, Integer flags, const char *codec, Integer level,
                                 const Integer chunk[], Integer nchunk, drxmp_array **out);
DRX_API drx_status drxgaf_open(const char *path, Integer g_a, Integer mode, drxmp_array **out);
DRX_API drx_status drxgaf_extend(drxmp_array *a, Integer dim, Integer by);
DRX_API Integer drxgaf_extent(drxmp_array *a, Integer dim); /* -1: no such dimension */
/* n: the numbers of elements of glo, ghi, lo and perm. */
DRX_API drx_status drxgaf_move(int writing, int together, Integer g_a, drxmp_array *a, const Integer glo[],
                               const Integer ghi[], const Integer lo[], const Integer perm[], const Integer n[]);

#endif
