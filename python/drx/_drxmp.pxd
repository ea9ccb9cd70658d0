"""The declarations of drxmp.h that the binding uses."""

from libc.stdint cimport int64_t

from drx._dap_h cimport dap_array, dap_dim
from drx._drx cimport drx_array, drx_box, drx_order, drx_request, drx_spec, drx_status, drx_type

cdef extern from "mpi.h" nogil:
    ctypedef void *MPI_Comm  # of any type: copied from mpi4py's memory

cdef extern from "drxmp.h" nogil:
    ctypedef struct drxmp_array:
        pass
    ctypedef struct drxmp_darray:
        pass

    drx_status drxmp_create(MPI_Comm comm, const char *path, const drx_spec *spec, drxmp_array **out)
    drx_status drxmp_open(MPI_Comm comm, const char *path, int mode, drxmp_array **out)
    drx_status drxmp_close(drxmp_array *a)
    drx_status drxmp_sync(drxmp_array *a)
    drx_status drxmp_compact(drxmp_array *a)
    drx_status drxmp_refresh(drxmp_array *a)
    drx_status drxmp_persist(drxmp_array *a, unsigned flags)
    drx_array *drxmp_serial(drxmp_array *a)
    drx_status drxmp_extend(drxmp_array *a, int axis, int64_t by)
    drx_status drxmp_extend_before(drxmp_array *a, int axis, int64_t by)
    drx_status drxmp_trim(drxmp_array *a, int axis, int64_t before, int64_t after)
    drx_status drxmp_add_axis(drxmp_array *a, int at, const char *name)
    drx_status drxmp_prepend_all(drxmp_array *a, int axis, int64_t by, const int64_t *lo, const int64_t *count,
                                 drx_order order, const void *buf)
    drx_status drxmp_append_all(drxmp_array *a, int axis, int64_t by, const int64_t *lo, const int64_t *count,
                                drx_order order, const void *buf)
    drx_status drxmp_attr_set(drxmp_array *a, const char *name, drx_type type, int64_t n, const void *values)
    drx_status drxmp_attr_set_text(drxmp_array *a, const char *name, const char *utf8)
    drx_status drxmp_attr_delete(drxmp_array *a, const char *name)
    drx_status drxmp_dim_rename(drxmp_array *a, int axis, const char *name)
    drx_status drxmp_read_box_all(drxmp_array *a, const drx_box *box, void *buf)
    drx_status drxmp_write_box_all(drxmp_array *a, const drx_box *box, const void *buf)

    drx_status drxmp_darray_create(MPI_Comm comm, drx_type type, int ndim, const dap_dim *dims, drx_order order,
                                   drxmp_darray **out)
    drx_status drxmp_darray_zones(drxmp_array *a, const int *grid, const int64_t *block_chunks, drx_order order,
                                  drxmp_darray **out)
    drx_status drxmp_darray_free(drxmp_darray *d)
    drx_status drxmp_darray_read(drxmp_darray *d, drxmp_array *a, const int64_t *lo)
    drx_status drxmp_darray_write(drxmp_darray *d, drxmp_array *a, const int64_t *lo)
    drx_status drxmp_darray_iread(drxmp_darray *d, drxmp_array *a, const int64_t *lo, drx_request **req)
    drx_status drxmp_darray_iwrite(drxmp_darray *d, drxmp_array *a, const int64_t *lo, drx_request **req)
    drx_status drxmp_darray_zone(const drxmp_darray *d, int rank, const dap_dim **dims, int64_t *lo, int64_t *count)
    drx_status drxmp_darray_redistribute(drxmp_darray *source, drxmp_darray *to)
    drx_status drxmp_darray_sync(drxmp_darray *d)
    drx_status drxmp_darray_sync_add(drxmp_darray *d)
    drx_status drxmp_darray_owner(const drxmp_darray *d, const int64_t *index, int *rank)
    drx_status drxmp_darray_get(drxmp_darray *d, const int64_t *lo, const int64_t *count, drx_order order, void *buf)
    drx_status drxmp_darray_put(drxmp_darray *d, const int64_t *lo, const int64_t *count, drx_order order,
                                const void *buf)
    drx_status drxmp_darray_acc(drxmp_darray *d, const int64_t *lo, const int64_t *count, drx_order order,
                         const void *alpha, const void *buf)
    drx_status drxmp_darray_fetch_add(drxmp_darray *d, const int64_t *index, int64_t add, int64_t *old)
    drx_status drxmp_darray_gather(drxmp_darray *d, int64_t n, const int64_t *indices, void *values)
    drx_status drxmp_darray_scatter(drxmp_darray *d, int64_t n, const int64_t *indices, const void *values)
    drx_status drxmp_darray_dap(drxmp_darray *d, dap_array *out)
    drx_status drxmp_darray_from_dap(MPI_Comm comm, dap_array *source, drxmp_darray **out)
