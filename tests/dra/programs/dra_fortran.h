/* What programs in Fortran call; the lengths of texts follow. */
#ifndef DRA_FORTRAN_H
#define DRA_FORTRAN_H

#include <typesf2c.h>

#include "dra_testing.h"

Integer dra_create_(Integer *type, Integer *dim1, Integer *dim2, char *name, char *file, Integer *mode, Integer *hint1,
                    Integer *hint2, Integer *d_a, size_t nlen, size_t flen);
Integer ndra_create_(Integer *type, Integer *ndim, Integer dims[], char *name, char *file, Integer *mode,
                     Integer hints[], Integer *d_a, size_t nlen, size_t flen);
Integer dra_open_(char *file, Integer *mode, Integer *d_a, size_t flen);
Integer dra_close_(Integer *d_a), dra_delete_(Integer *d_a);
Integer dra_write_(Integer *g_a, Integer *d_a, Integer *request),
    dra_read_(Integer *g_a, Integer *d_a, Integer *request);
Integer ndra_write_(Integer *g_a, Integer *d_a, Integer *request),
    ndra_read_(Integer *g_a, Integer *d_a, Integer *request);
typedef Integer section_call(logical *transp, Integer *g_a, Integer glo[], Integer ghi[], Integer *d_a, Integer dlo[],
                             Integer dhi[], Integer *request);
section_call ndra_write_section_, ndra_read_section_;
typedef Integer plane_call(logical *transp, Integer *g_a, Integer *gilo, Integer *gihi, Integer *gjlo, Integer *gjhi,
                           Integer *d_a, Integer *dilo, Integer *dihi, Integer *djlo, Integer *djhi, Integer *request);
plane_call dra_write_section_, dra_read_section_;
Integer dra_wait_(Integer *request), dra_probe_(Integer *request, Integer *state);
Integer dra_inquire_(Integer *d_a, Integer *type, Integer *dim1, Integer *dim2, char *name, char *file, size_t nlen,
                     size_t flen);
Integer ndra_copy_(Integer *src, Integer *dst, Integer perm[], Integer *req);
Integer ndra_extend_(Integer *d_a, Integer *dim, Integer *by);

#endif
