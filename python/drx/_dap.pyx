# cython: language_level=3
"""The Distributed Array Protocol: Python's dictionaries converted to the structs of dap.h, and back."""

cimport numpy as cnp
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid, PyCapsule_New, PyCapsule_SetName
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from drx._dap_h cimport *

import operator

import numpy as np

cnp.import_array()

_FORMATS = {"c8": "Zf", "c16": "Zd"}


cdef object dim_dict(const dap_dim *dim):
    """The dictionary of an axis, of plain Python values."""
    if dim.flags & DAP_DIM_ALIAS:
        return {}
    axis = {"dist_type": chr(dim.dist_type), "size": dim.size, "proc_grid_size": dim.proc_grid_size,
            "proc_grid_rank": dim.proc_grid_rank}
    if dim.dist_type == c"b":
        axis.update(start=dim.start, stop=dim.stop)
        if dim.padding[0] or dim.padding[1]:
            axis["padding"] = (dim.padding[0], dim.padding[1])
        if dim.flags & DAP_DIM_PERIODIC:
            axis["periodic"] = True
    elif dim.dist_type == c"c":
        axis.update(start=dim.start, block_size=dim.block_size)
    else:
        indices = np.empty(dim.n_indices, np.int64)
        for i in range(dim.n_indices):
            indices[i] = dim.indices[i]
        axis["indices"] = indices
        if dim.flags & DAP_DIM_ONE_TO_ONE:
            axis["one_to_one"] = True
    return axis


cdef int set_dim(dap_dim *dim, object given, object size, list kept) except -1:
    """Fill the struct of an axis from its dictionary. `size`: the extent in the buffer, for {}. `kept` gets what the
    struct points to."""
    memset(dim, 0, sizeof(dap_dim))
    if not given:
        dim.dist_type = c"b"
        dim.flags = DAP_DIM_ALIAS
        dim.size = dim.stop = size
        dim.proc_grid_size = 1
        return 0
    dim.dist_type = ord(given["dist_type"])
    dim.size = operator.index(given["size"])
    dim.proc_grid_size = operator.index(given["proc_grid_size"])
    dim.proc_grid_rank = operator.index(given["proc_grid_rank"])
    if dim.dist_type == c"b":
        dim.start = operator.index(given["start"])
        dim.stop = operator.index(given["stop"])
        before, after = given.get("padding", (0, 0))
        dim.padding[0], dim.padding[1] = operator.index(before), operator.index(after)
        dim.flags = DAP_DIM_PERIODIC if given.get("periodic", False) else 0
    elif dim.dist_type == c"c":
        dim.start = operator.index(given["start"])
        dim.block_size = operator.index(given.get("block_size", 1))
    elif dim.dist_type == c"u":
        indices = np.asarray(given["indices"])
        if indices.ndim != 1 or indices.dtype.kind not in "iu":
            raise ValueError("indices must be a one-dimensional buffer of integers")
        if indices.dtype.kind == "u" and indices.dtype.itemsize == 8:
            large = np.flatnonzero(indices > np.uint64(2**63 - 1))
            if large.size:
                raise ValueError(f"indices[{large[0]}] is {indices[large[0]]}, expected at most {2**63 - 1}")
        indices = np.ascontiguousarray(indices, np.int64)
        kept.append(indices)
        dim.n_indices = indices.size
        dim.indices = <const int64_t *>cnp.PyArray_DATA(indices)
        dim.flags = DAP_DIM_ONE_TO_ONE if given.get("one_to_one", False) else 0
    return 0


cdef int set_axis(dap_dim *dim, int axis, object given, object size, list kept) except -1:
    """As set_dim; the error names the axis."""
    try:
        return set_dim(dim, given, size, kept)
    except KeyError as error:
        raise ValueError(f"axis {axis}: {error.args[0]} is missing") from None
    except (OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"axis {axis}: {error}") from None


cdef void release_export(dap_array *array) with gil:
    array.release = NULL
    Py_DECREF(<object>array.private_data)


cdef class Export:
    """A dap_array over a NumPy array and dictionaries, which it keeps alive."""

    def __init__(self, buffer, dim_data):
        buffer = np.asarray(buffer)
        if buffer.ndim > 32:
            raise ValueError(f"the buffer has {buffer.ndim} axes, expected at most 32")
        if len(dim_data) != buffer.ndim:
            raise ValueError(f"dim_data has {len(dim_data)} axes, the buffer {buffer.ndim}")
        self._kept = [buffer]
        for axis, given in enumerate(dim_data):
            set_axis(&self._dims[axis], axis, given, buffer.shape[axis], self._kept)
        self._shape = np.array(buffer.shape, np.int64)
        self._strides = np.array(buffer.strides, np.int64)
        order = "" if buffer.dtype.isnative else buffer.dtype.str[0]
        if buffer.dtype.kind in "SU":  # 12s, 12w
            own = f"{int(buffer.dtype.str[2:])}{'s' if buffer.dtype.kind == 'S' else 'w'}"
        else:
            own = _FORMATS.get(buffer.dtype.str[1:], buffer.dtype.char)
        self._format = (order + own).encode()
        memset(&self.array, 0, sizeof(dap_array))
        self.array.abi_major, self.array.abi_minor = DAP_ABI_MAJOR, DAP_ABI_MINOR
        self.array.version[0], self.array.version[1], self.array.version[2] = 0, 10, 0
        self.array.flags = 0 if buffer.flags.writeable else DAP_READ_ONLY
        self.array.ndim = buffer.ndim
        self.array.device_type = DAP_HOST
        self.array.data = cnp.PyArray_DATA(buffer)
        self.array.itemsize = buffer.dtype.itemsize
        self.array.format = <const char *>self._format
        self.array.shape = <const int64_t *>cnp.PyArray_DATA(self._shape)
        self.array.strides = <const int64_t *>cnp.PyArray_DATA(self._strides)
        self.array.dims = self._dims
        self.array.dim_stride = sizeof(dap_dim)
        self.array.release = <void (*)(dap_array *)>release_export  # checked here, called only for copies

    cdef void hand_out(self, dap_array *out):
        """Give `out` a reference to this, which its release drops."""
        out[0] = self.array
        out.private_data = <void *>self
        Py_INCREF(self)

    def validate(self):
        """Raise ValueError if it breaks a rule that one rank can check."""
        cdef char why[512]

        if dap_validate(&self.array, why, sizeof(why)) != DAP_OK:
            raise ValueError(why.decode())


def validate_exports(exports):
    """Raise ValueError if the exports of all ranks, in order, do not fit together."""
    cdef char why[512]
    cdef int status
    cdef const dap_array **arrays = <const dap_array **>malloc(max(len(exports), 1) * sizeof(void *))

    if arrays == NULL:
        raise MemoryError()
    for i in range(len(exports)):
        arrays[i] = &(<Export?>exports[i]).array
    status = dap_validate_set(arrays, len(exports), why, sizeof(why))
    free(arrays)
    if status != DAP_OK:
        raise ValueError(why.decode())


# ---- capsules -------------------------------------------------------------------------------------------------------

cdef void drop_capsule(object capsule):
    cdef dap_array *array

    if PyCapsule_IsValid(capsule, "dap_array"):
        array = <dap_array *>PyCapsule_GetPointer(capsule, "dap_array")
        dap_release(array)
        free(array)
    elif PyCapsule_IsValid(capsule, "used_dap_array"):
        free(PyCapsule_GetPointer(capsule, "used_dap_array"))


cdef object new_capsule(dap_array *array):
    """A capsule that owns a malloc'ed struct."""
    return PyCapsule_New(array, "dap_array", drop_capsule)


def capsule_of(Export export):
    """The capsule of an export."""
    cdef dap_array *array = <dap_array *>malloc(sizeof(dap_array))

    if array == NULL:
        raise MemoryError()
    export.hand_out(array)
    return new_capsule(array)


def local_shape(dim_data):
    """The shape of the section that dictionaries describe. {} is refused, since only the buffer has its extent."""
    cdef dap_dim dim

    shape = []
    for axis, given in enumerate(dim_data):
        if not given:
            raise ValueError(f"axis {axis}: {{}} says no size")
        kept = []
        set_axis(&dim, axis, given, 0, kept)
        shape.append(max(dap_num_local(&dim), 0))
    return tuple(shape)
