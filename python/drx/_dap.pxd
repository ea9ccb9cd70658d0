"""Declarations of _dap.pyx for other extensions of the package."""

from drx._dap_h cimport dap_array, dap_dim

cdef object dim_dict(const dap_dim *dim)

cdef object new_capsule(dap_array *array)

cdef class Export:
    cdef dap_array array
    cdef dap_dim _dims[32]
    cdef object _shape
    cdef object _strides
    cdef object _format
    cdef list _kept

    cdef void hand_out(self, dap_array *out)
