/* drx_dra.h - what libdra-drx has beside the calls of Global Arrays' dra.h.
 *
 * The library is linked before Global Arrays' and takes the place of its Disk Resident Arrays, in C and Fortran; arrays
 * are stored as pairs of files F.xmd and F.xta (docs/dra.md).
 *
 * All calls return 0 or an error, a drx_status of drx.h, the same on every process where the call is collective; but
 * DRA_Open of what is not there returns -1. drx_last_error() has the detail. A request whose call failed is
 * DRA_REQ_FAILED, and waiting for it is an error.
 *
 * Environment, read when something fails:
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

/* These two Global Arrays has, but does not declare. Arrays are one pair of files, whatever is said here. */
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
 *   req   to be waited for. The copy is made within the call
 *
 * Collective. */
extern int NDRA_Copy(int src, int dst, int perm[], int *req);

/* Grow dimension `dim`, from 0, by `by` indices; nothing that is stored moves, and what is new is zero. In Fortran from
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
