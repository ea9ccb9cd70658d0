"""The declarations of dap.h that the binding uses."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

cdef extern from "dap.h" nogil:
    enum:
        DAP_OK
        DAP_ABI_MAJOR
        DAP_ABI_MINOR
        DAP_DIM_PERIODIC
        DAP_DIM_ONE_TO_ONE
        DAP_DIM_ALIAS
        DAP_READ_ONLY
        DAP_HOST
    struct dap_dim:
        int32_t dist_type
        uint32_t flags
        int64_t size
        int64_t proc_grid_size
        int64_t proc_grid_rank
        int64_t start
        int64_t stop
        int64_t padding[2]
        int64_t block_size
        int64_t n_indices
        const int64_t *indices
    struct dap_array:
        uint32_t abi_major
        uint32_t abi_minor
        void (*release)(dap_array *)
        void *private_data
        uint64_t flags
        uint32_t version[3]
        int32_t ndim
        int32_t device_type
        int32_t device_id
        void *data
        int64_t itemsize
        const char *format
        const int64_t *shape
        const int64_t *strides
        const dap_dim *dims
        uint32_t dim_stride
    const dap_dim *dap_dim_at(const dap_array *a, int axis)
    void dap_release(dap_array *a)
    int dap_validate(const dap_array *a, char *why, size_t why_bytes)
    int dap_validate_set(const dap_array **arrays, int64_t nranks, char *why, size_t why_bytes)
    int64_t dap_num_local(const dap_dim *dim)
