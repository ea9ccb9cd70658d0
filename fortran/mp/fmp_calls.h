/* fmp_calls.h - the calls that the module drxmp makes; see drxf_calls.h. */
#ifndef FMP_CALLS_H
#define FMP_CALLS_H

#include "fmp.h"

/* ---- fmp_array.c ---- */

DRX_API drx_status drxmpf_create(const CFI_cdesc_t *comm, const char *path, const struct drxf_spec *from, int64_t *id);
DRX_API drx_status drxmpf_open(const CFI_cdesc_t *comm, const char *path, int mode, int64_t *id);
DRX_API void drxmpf_stop(void);
DRX_API drx_status drxmpf_read_all(int64_t id, const CFI_cdesc_t *values, const CFI_cdesc_t *start,
                                   const CFI_cdesc_t *count, const CFI_cdesc_t *stride, int bits);
DRX_API drx_status drxmpf_write_all(int64_t id, const CFI_cdesc_t *values, const CFI_cdesc_t *start,
                                    const CFI_cdesc_t *count, const CFI_cdesc_t *stride, int bits);
DRX_API drx_status drxmpf_append_all(int64_t id, int before, const CFI_cdesc_t *axis, const CFI_cdesc_t *by,
                                     const CFI_cdesc_t *values, const CFI_cdesc_t *start, const CFI_cdesc_t *count,
                                     int bits);
DRX_API drx_status drxmpf_access(int64_t id, int how, const CFI_cdesc_t *values, const CFI_cdesc_t *start,
                                 const CFI_cdesc_t *count, const CFI_cdesc_t *stride, int bits);
DRX_API drx_status drxmpf_fetch_add(int64_t id, const CFI_cdesc_t *index, const CFI_cdesc_t *add, int64_t *old);

/* ---- fmp_dataset.c ---- */

DRX_API drx_status drxmpf_dataset_create(const CFI_cdesc_t *comm, const char *path, int64_t *id);
DRX_API drx_status drxmpf_dataset_open(const CFI_cdesc_t *comm, const char *path, int mode, const CFI_cdesc_t *at,
                                       int64_t *id);

/* ---- fmp_darray.c ---- */

DRX_API drx_status drxmpf_darray_create(const CFI_cdesc_t *comm, const CFI_cdesc_t *shape, int type,
                                        const CFI_cdesc_t *grid, const CFI_cdesc_t *halo, int64_t *id);
DRX_API drx_status drxmpf_darray_zones(int64_t array, const CFI_cdesc_t *grid, int64_t *id);
DRX_API int drxmpf_darray_ndim(int64_t id);
DRX_API void drxmpf_darray_bounds(int64_t id, int which, int64_t out[]);
DRX_API void *drxmpf_darray_local(int64_t id);
DRX_API drx_status drxmpf_darray_zone(int64_t id, const CFI_cdesc_t *rank, int64_t start[], int64_t count[]);
DRX_API drx_status drxmpf_darray_owner(int64_t id, const CFI_cdesc_t *index, int *rank);
DRX_API drx_status drxmpf_darray_move(int64_t id, int writing, int64_t array, const CFI_cdesc_t *start);
DRX_API drx_status drxmpf_darray_sync(int64_t id, int adding);
DRX_API drx_status drxmpf_darray_redistribute(int64_t from, int64_t to);
DRX_API drx_status drxmpf_darray_access(int64_t id, int how, const CFI_cdesc_t *values, const CFI_cdesc_t *start,
                                        const CFI_cdesc_t *count, const CFI_cdesc_t *stride, int bits);
DRX_API drx_status drxmpf_darray_fetch_add(int64_t id, const CFI_cdesc_t *index, const CFI_cdesc_t *add, int64_t *old);

#endif
