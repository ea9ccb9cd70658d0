/* drx_dra.h - the calls of libdra-drx that Global Arrays' dra.h does not declare.
 *
 * Link the library before Global Arrays: it replaces the Disk Resident Arrays there, in C and Fortran. It stores an
 * array as a pair of files F.xmd and F.xta (docs/dra.md).
 *
 * All calls return 0 or an error, a drx_status of drx.h. A collective call returns the same on every process. DRA_Open
 * of a file that does not exist returns -1. drx_last_error() has the detail. A request whose call failed is
 * DRA_REQ_FAILED, and waiting for it is an error. Any other request stays known after DRA_Wait.
 *
 * Environment variables, read when something fails:
 *   DRX_DRA_ABORT=1  an error ends the program, as it does with Global Arrays' own library
 *   DRX_DRA_QUIET=1  errors are not written to stderr
 */
#ifndef DRX_DRA_H
#define DRX_DRA_H

#include <dra.h>

#define DRA_REQ_FAILED -334

#ifdef __cplusplus
extern "C" {
#endif

/* Global Arrays has these two, but does not declare them. An array is one pair of files, whatever numfiles says. */
extern int NDRA_Create_config(int type, int ndim, dra_size_t dims[], char *name, char *filename, int mode,
                              dra_size_t reqdims[], int numfiles, int ioprocs, int *d_a);
extern int DRA_uses_fapi(void); /* 0: bounds are in the order of C */

/* Copy array `src` to array `dst`, which exists and may be open elsewhere in the program, with permuted dimensions
 * (Krishnamoorthy et al. 2006, section 2).
 *
 *   src   not opened for writing only
 *   dst   another array, opened for writing, of the same type; its dimension j is dimension perm[j] of `src`
 *   perm  [ndim], from 0; NULL: none. In Fortran from 1, of dimensions as Fortran counts them:
 *         ndra_copy(src, dst, perm, req)
 *   req   wait for it. Meanwhile helper threads copy
 *
 * Collective. */
extern int NDRA_Copy(int src, int dst, int perm[], int *req);

/* Grow dimension `dim`, from 0, by `by` indices; no stored element moves, and new elements are zero. In Fortran from
 * 1: ndra_extend(d_a, dim, by).
 *
 *   d_a  opened for writing; its requests are completed first
 *
 * Collective. */
extern int NDRA_Extend(int d_a, int dim, dra_size_t by);

#ifdef __cplusplus
}
#endif

#endif
