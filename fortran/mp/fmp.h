/* fmp.h - what the C files under the module drxmp have in common, and the calls that it makes (see drxf_calls.h). */
#ifndef FMP_H
#define FMP_H

#include "../drxf.h"
#include "drxmp_dataset.h"

/* The communicator that a program gives: an integer, or a type(MPI_Comm), which has this integer. */
drx_status drxfi_comm(const CFI_cdesc_t *given, MPI_Comm *out);
/* The array that many processes have open. */
drx_status drxfi_mp_array(int64_t id, drxmp_array **out);

/* ---- fmp_array.c ---- */

DRX_API drx_status drxmpf_make(const CFI_cdesc_t *comm, int what, const char *path, int64_t *id,
                               const struct drxf_spec *from, const int *mode, const CFI_cdesc_t *at);

/* ---- fmp_darray.c ---- */

DRX_API drx_status drxmpf_darray_create(const CFI_cdesc_t *comm, const CFI_cdesc_t *shape, int type,
                                        const CFI_cdesc_t *grid, const CFI_cdesc_t *halo, int64_t *id);
DRX_API drx_status drxmpf_darray_zones(int64_t array, const CFI_cdesc_t *grid, int64_t *id);
DRX_API void *drxmpf_darray_local(int64_t id);
DRX_API drx_status drxmpf_darray_zone(int64_t id, const CFI_cdesc_t *rank, int64_t start[], int64_t count[]);
DRX_API drx_status drxmpf_darray_owner(int64_t id, const CFI_cdesc_t *index, int *rank);
DRX_API drx_status drxmpf_darray_transfer(int64_t id, int writing, int64_t array, const CFI_cdesc_t *start);
DRX_API drx_status drxmpf_darray_sync(int64_t id, int adding, const int64_t *to);

#endif
