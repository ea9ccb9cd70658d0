/* The calls that Fortran programs make; they include dra.fh. */
#ifndef DRX_DRA_FORTRAN_H
#define DRX_DRA_FORTRAN_H

#include <stddef.h>

#include "drx_dra.h"

Integer dra_init_(Integer *max_arrays, DoublePrecision *max_array_size, DoublePrecision *total_disk_space,
                  DoublePrecision *max_memory);
Integer dra_terminate_(void);
Integer dra_create_(Integer *type, Integer *dim1, Integer *dim2, char *name, char *filename, Integer *mode,
                    Integer *reqdim1, Integer *reqdim2, Integer *d_a, size_t nlen, size_t flen);
Integer ndra_create_(Integer *type, Integer *ndim, Integer dims[], char *name, char *filename, Integer *mode,
                     Integer reqdims[], Integer *d_a, size_t nlen, size_t flen);
Integer ndra_create_config_(Integer *type, Integer *ndim, Integer dims[], char *name, char *filename, Integer *mode,
                            Integer reqdims[], Integer *numfiles, Integer *numioprocs, Integer *d_a, size_t nlen,
                            size_t flen);
Integer dra_open_(char *filename, Integer *mode, Integer *d_a, size_t flen);
Integer dra_close_(Integer *d_a);
Integer dra_delete_(Integer *d_a);
Integer ndra_extend_(Integer *d_a, Integer *dim, Integer *by);
Integer dra_inquire_(Integer *d_a, Integer *type, Integer *dim1, Integer *dim2, char *name, char *filename, size_t nlen,
                     size_t flen);
Integer ndra_inquire_(Integer *d_a, Integer *type, Integer *ndim, Integer dims[], char *name, char *filename,
                      size_t nlen, size_t flen);
Integer ndra_write_(Integer *g_a, Integer *d_a, Integer *request);
Integer ndra_read_(Integer *g_a, Integer *d_a, Integer *request);
Integer dra_write_(Integer *g_a, Integer *d_a, Integer *request);
Integer dra_read_(Integer *g_a, Integer *d_a, Integer *request);
Integer ndra_write_section_(logical *transp, Integer *g_a, Integer glo[], Integer ghi[], Integer *d_a, Integer dlo[],
                            Integer dhi[], Integer *request);
Integer ndra_read_section_(logical *transp, Integer *g_a, Integer glo[], Integer ghi[], Integer *d_a, Integer dlo[],
                           Integer dhi[], Integer *request);
Integer dra_write_section_(logical *transp, Integer *g_a, Integer *gilo, Integer *gihi, Integer *gjlo, Integer *gjhi,
                           Integer *d_a, Integer *dilo, Integer *dihi, Integer *djlo, Integer *djhi, Integer *request);
Integer dra_read_section_(logical *transp, Integer *g_a, Integer *gilo, Integer *gihi, Integer *gjlo, Integer *gjhi,
                          Integer *d_a, Integer *dilo, Integer *dihi, Integer *djlo, Integer *djhi, Integer *request);
Integer dra_wait_(Integer *request);
Integer dra_probe_(Integer *request, Integer *status);
void dra_flick_(void);
void dra_set_debug_(logical *flag);
void dra_print_internals_(Integer *d_a);
void dra_set_default_config_(Integer *numfiles, Integer *numioprocs);
void dra_set_mode_(Integer *mode);
Integer ndra_copy_(Integer *src, Integer *dst, Integer perm[], Integer *req);

#endif
