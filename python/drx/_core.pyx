# cython: language_level=3, boundscheck=False, wraparound=False
"""An open array: the calls of drx.h on NumPy's memory, with Python's errors.

Here is what has to be quick or to hold a pointer; what can be said in Python is in array.py.

Threads. The GIL is released around every call that may touch a file. `_users` counts the threads in such calls:
closing lets no more of them begin, waits for those that have, and only then takes `_a` away; `_lock` is held by what
changes the shape, the names or the attributes, and by what looks at names and attributes, since the library does not
protect what its inquiries point to. The shape is copied whenever it has changed.
"""

import errno
import os
import threading
import time

cimport cython
cimport numpy as cnp
from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.number cimport PyIndex_Check, PyNumber_Index
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from drx._drx cimport *
from drx.errors import BusyError, ChecksumError, FormatError, MPIError

import numpy as np

cdef extern from "Python.h":
    Py_ssize_t PyNumber_AsSsize_t(object number, void *error) except? -1  # NULL: the nearest that fits
    int PySlice_Unpack(object slice, Py_ssize_t *start, Py_ssize_t *stop, Py_ssize_t *step) except -1
    Py_ssize_t PySlice_AdjustIndices(Py_ssize_t length, Py_ssize_t *start, Py_ssize_t *stop, Py_ssize_t step)

cdef extern from "numpy/arrayobject.h":
    object PyArray_Scalar(void *data, cnp.dtype dtype, object base)

cnp.import_array()

cdef enum:
    SMALL_ELEMENTS = 1 << 16

cdef int64_t part_bytes = 256 << 20  # a request of more is made in parts, between which signals are looked at


def set_part_bytes(int64_t n):
    """Tests make it small."""
    global part_bytes
    part_bytes = n


include "_errors.pxi"
include "_types.pxi"
include "_spec.pxi"
include "_request.pxi"


cdef class Handle:
    """One drx_array; the base of drx.Array."""

    def __cinit__(self, *args, **kwargs):
        self._lock = threading.RLock()
        self._requests = set()

    def __dealloc__(self):
        if self._a != NULL:
            with nogil:
                drx_close(self._a)

    cdef int _start(self, object path, str mode) except -1:
        """After `_a` was set."""
        self._ndim = drx_ndim(self._a)
        self.dtype = dtype_of(drx_dtype(self._a))
        self._item_bytes = self.dtype.itemsize
        memcpy(self._chunk, drx_chunk(self._a), self._ndim * sizeof(int64_t))
        self._copy_shape()
        self.path = path
        self.mode = mode
        return 0

    cdef void _copy_shape(self):
        memcpy(self._shape, drx_shape(self._a), self._ndim * sizeof(int64_t))

    cdef int _enter(self) except -1:
        if self._a == NULL or self._closing:
            raise ValueError("the array is closed")
        self._users += 1
        return 0

    def _create(self, path, Spec spec):
        cdef bytes encoded = None if path is None else without_nul(os.fsencode(path), "path")
        cdef const char *c_path = NULL if path is None else <const char *>encoded
        cdef drx_array *a = NULL
        cdef drx_status st

        with nogil:
            st = drx_create(c_path, &spec.spec, &a)
        check(st, path)
        self._a = a
        self._start(path, "r+")

    def _open(self, path, str mode):
        cdef bytes encoded = without_nul(os.fsencode(path), "path")
        cdef const char *c_path = encoded
        cdef int c_mode = DRX_RDONLY if mode == "r" else DRX_SHARED if mode == "s" else DRX_RDWR
        cdef drx_array *a = NULL
        cdef drx_status st

        with nogil:
            st = drx_open(c_path, c_mode, &a)
        check(st, path)
        self._a = a
        self._start(path, mode)
        return drx_last_error().decode("utf-8", "replace")  # a torn tail, or damage

    @property
    def closed(self):
        """Whether the array was closed."""
        return self._a == NULL or self._closing

    def close(self):
        """Close the array, after what other threads have begun on it. Closing twice is fine.

        Raises
        ------
        OSError
            What was written could not be handed to the operating system.
        """
        cdef drx_array *a = self._leave()
        cdef drx_status st

        if a != NULL:
            with nogil:
                st = drx_close(a)
            check(st, self.path)

    cdef drx_array *_leave(self) except? NULL:
        """Let nobody begin anything more, and wait for what is under way; NULL: it is closed already."""
        cdef drx_array *a

        self._closing = True
        while self._users > 0:
            time.sleep(0.0005)
        for request in list(self._requests):
            request._finish()
        a = self._a
        self._a = NULL
        return a

    # ---- what arrays of many processes do together; with or without the GIL ----

    cdef drx_status _c_sync(self) nogil:
        return drx_sync(self._a)

    cdef drx_status _c_compact(self) nogil:
        return drx_compact(self._a)

    cdef drx_status _c_refresh(self) nogil:
        return drx_refresh(self._a)

    cdef drx_status _c_persist(self, unsigned flags) nogil:
        return drx_persist(self._a, flags)

    cdef drx_status _c_extend(self, int axis, int64_t by) nogil:
        return drx_extend(self._a, axis, by)

    cdef drx_status _c_rename(self, int axis, const char *name) nogil:
        return drx_dim_rename(self._a, axis, name)

    cdef drx_status _c_attr_set_text(self, const char *name, const char *text) nogil:
        return drx_attr_set_text(self._a, name, text)

    cdef drx_status _c_attr_set(self, const char *name, drx_type code, int64_t n, const void *values) nogil:
        return drx_attr_set(self._a, name, code, n, values)

    cdef drx_status _c_attr_delete(self, const char *name) nogil:
        return drx_attr_delete(self._a, name)

    # ---- the whole array ----

    def sync(self):
        """Make everything done so far durable.

        Raises
        ------
        OSError
        """
        cdef drx_status st

        self._enter()
        with nogil:
            st = self._c_sync()
        self._users -= 1
        check(st, self.path)

    def compact(self):
        """Sync, and make the metadata as short as they can be: without attributes and names that were set again since,
        and with as few growths as give the same addresses. `sync` does so of itself with long ones.

        Raises
        ------
        OSError
        """
        cdef drx_status st

        self._enter()
        with nogil:
            st = self._c_compact()
        self._users -= 1
        check(st, self.path)

    def refresh(self):
        """See what another process has committed since: growth, attributes, names.

        Raises
        ------
        FileNotFoundError, ValueError
            The path names no array any more, or another one; this one stays as it was.
        """
        cdef drx_status st

        with self._lock:
            self._enter()
            with nogil:
                st = self._c_refresh()
            self._copy_shape()
            self._users -= 1
        check(st, self.path)

    def persist(self, bint overwrite=False):
        """Give an array that was created temporary its name.

        Parameters
        ----------
        overwrite : bool
            Replace an array that has the name.
        """
        cdef drx_status st
        cdef unsigned flags = DRX_REPLACE if overwrite else 0

        with self._lock:
            self._enter()
            with nogil:
                st = self._c_persist(flags)
            self._users -= 1
        check(st, self.path)

    # ---- inquiry ----

    @property
    def shape(self):
        """tuple of int: the bounds."""
        return tuple([self._shape[j] for j in range(self._ndim)])

    @property
    def chunks(self):
        """tuple of int: the extents of a chunk."""
        return tuple([self._chunk[j] for j in range(self._ndim)])

    @property
    def ndim(self):
        """int: the number of axes."""
        return self._ndim

    def _describe(self):
        """(fill value, order, flags, align, folders of the stripes)."""
        cdef drx_spec spec

        with self._lock:
            self._enter()
            drx_describe(self._a, &spec)
            fill = np.zeros((), self.dtype)
            if spec.fill != NULL:
                memcpy(cnp.PyArray_DATA(fill), spec.fill, self._item_bytes)
            stripes = [os.fsdecode(spec.stripes[j]) for j in range(spec.nstripes)]
            self._users -= 1
        return fill[()], "F" if spec.chunk_order == DRX_COL_MAJOR else "C", spec.flags, spec.align, stripes

    def _initial_shape(self):
        cdef const int64_t *bounds

        with self._lock:
            self._enter()
            bounds = drx_initial_shape(self._a)
            shape = tuple([bounds[j] for j in range(self._ndim)])
            self._users -= 1
        return shape

    def _growth(self):
        """[(axis, by)] since it was created."""
        cdef int axis
        cdef int64_t by

        growths = []
        with self._lock:
            self._enter()
            for i in range(drx_growth_count(self._a)):
                drx_growth(self._a, i, &axis, &by)
                growths.append((axis, by))
            self._users -= 1
        return growths

    @property
    def nchunks(self):
        """int: the number of chunks; their addresses are below it."""
        with self._lock:
            self._enter()
            count = drx_chunk_count(self._a)
            self._users -= 1
        return count

    def chunk_address(self, index):
        """The linear address of a chunk: F* of the paper (Otoo and Rotem 2009, section III).

        Parameters
        ----------
        index : sequence of int
            The index of the chunk, in chunks.

        Returns
        -------
        int
            The chunk is at this number times the bytes of a chunk in the data file.

        Raises
        ------
        IndexError
        """
        cdef int64_t at[DRX_MAX_NDIM]
        cdef int64_t address = 0
        cdef drx_status st

        set_indices(index, self._ndim, at, "index")
        with self._lock:
            self._enter()
            st = drx_chunk_address(self._a, at, &address)
            self._users -= 1
        check(st)
        return address

    def chunk_index(self, address):
        """The index of the chunk at a linear address: the inverse of F*.

        Raises
        ------
        IndexError
        """
        cdef int64_t at[DRX_MAX_NDIM]
        cdef int64_t c_address
        cdef drx_status st

        set_indices((address,), 1, &c_address, "address")
        with self._lock:
            self._enter()
            st = drx_chunk_index(self._a, c_address, at)
            self._users -= 1
        check(st)
        return tuple([at[j] for j in range(self._ndim)])

    # ---- growth ----

    def extend(self, axis, by):
        """Grow an axis. No stored element moves; new ones read as the fill value.

        Parameters
        ----------
        axis : int
            From -ndim to ndim - 1.
        by : int
            Indices to add, 0 or more.

        Raises
        ------
        ValueError, PermissionError, OverflowError, OSError
            Then the array is unchanged.
        """
        cdef int c_axis = self._axis(axis)
        cdef int64_t c_by
        cdef drx_status st

        set_indices((by,), 1, &c_by, "by")
        with self._lock:
            self._enter()
            with nogil:
                st = self._c_extend(c_axis, c_by)
            self._copy_shape()
            self._users -= 1
        check(st, self.path)

    def reserve(self, axis, by):
        """Grow an axis, and get what is new for one's own: nobody else gets it, also of processes that share the array.

        It may be written at any time, and reads as the fill value until then.

        Parameters
        ----------
        axis : int
            From -ndim to ndim - 1.
        by : int
            Indices to add, 0 or more.

        Returns
        -------
        tuple of slice
            The box that is new: ``a[a.reserve(0, 2)] = data``.

        Raises
        ------
        ValueError, PermissionError, OverflowError, drx.BusyError, OSError
            Then the array is unchanged.
        """
        cdef int64_t lo[DRX_MAX_NDIM]
        cdef int64_t count[DRX_MAX_NDIM]
        cdef int c_axis = self._axis(axis)
        cdef int64_t c_by
        cdef drx_status st

        set_indices((by,), 1, &c_by, "by")
        with self._lock:
            self._enter()
            with nogil:
                st = drx_reserve(self._a, c_axis, c_by, lo, count)
            self._copy_shape()
            self._users -= 1
        check(st, self.path)
        return tuple([slice(lo[j], lo[j] + count[j]) for j in range(self._ndim)])

    cdef int _axis(self, object axis) except -1:
        axis = PyNumber_Index(axis)
        if not -self._ndim <= axis < self._ndim:
            raise ValueError(f"axis {axis} is out of bounds for an array of {self._ndim} axes")
        return axis + self._ndim if axis < 0 else axis

    def append(self, data, axis=0):
        """Grow an axis and write the new slab, atomically: others see it whole or not at all.

        Parameters
        ----------
        data : array_like
            Of the array's shape but for `axis`; one axis less stands for one index of `axis`. Numbers are converted
            as NumPy's assignment does, but not floats to ints, nor complex numbers to real ones.
        axis : int
            From -ndim to ndim - 1.

        Returns
        -------
        tuple of int
            The new shape.

        Raises
        ------
        ValueError, TypeError, PermissionError, OverflowError, OSError
            Then the array is unchanged.
        """
        cdef cnp.ndarray slab
        cdef drx_order order = DRX_ROW_MAJOR
        cdef drx_status st
        cdef int64_t by
        cdef int c_axis = self._axis(axis)
        cdef void *buf

        slab = self._converted(data)
        if cnp.PyArray_NDIM(slab) == self._ndim - 1:
            slab = np.expand_dims(slab, c_axis)
        if not cnp.PyArray_ISALIGNED(slab) or not cnp.PyArray_ISNOTSWAPPED(slab):
            slab = np.array(slab, self.dtype.newbyteorder("="))
        if cnp.PyArray_IS_F_CONTIGUOUS(slab) and not cnp.PyArray_IS_C_CONTIGUOUS(slab):
            order = DRX_COL_MAJOR
        else:
            slab = np.ascontiguousarray(slab)
        by = cnp.PyArray_DIM(slab, c_axis) if c_axis < cnp.PyArray_NDIM(slab) else 0
        buf = cnp.PyArray_DATA(slab)
        with self._lock:
            if self._a != NULL:
                self._copy_shape()  # others who share it may have made it grow
            if not self._fits(slab, c_axis):  # nobody else lets it grow meanwhile
                expected = list(self.shape)
                expected[c_axis] = "any"
                raise ValueError(f"the data have shape {np.shape(data)}, "
                                 f"expected ({', '.join(map(str, expected))}) to append on axis {c_axis}")
            self._enter()
            with nogil:
                st = drx_append(self._a, c_axis, by, order, buf)
            self._copy_shape()
            self._users -= 1
        check(st, self.path)
        return self.shape

    def _converted(self, data):
        """Data to append, of the array's dtype; TypeError: fractions or imaginary parts would be lost."""
        given = np.asarray(data)
        if given.dtype == self.dtype:
            return given
        if given.size and not convertible(given.dtype, self.dtype):
            raise TypeError(f"the data are {given.dtype}, which is not appended to {self.dtype}: see astype")
        return np.asarray(data, self.dtype)

    cdef bint _fits(self, cnp.ndarray slab, int axis):
        if cnp.PyArray_NDIM(slab) != self._ndim:
            return False
        for j in range(self._ndim):
            if j != axis and cnp.PyArray_DIM(slab, j) != self._shape[j]:
                return False
        return True

    # ---- elements ----

    def __getitem__(self, key):
        cdef int64_t index[DRX_MAX_NDIM]
        cdef char value[16]
        cdef drx_status st

        if not self._element(key, index):
            if self._plain(key):
                return self._read_plain(<tuple>key)
            return self._read_key(key)
        self._enter()
        with nogil:
            st = drx_get(self._a, index, value)
        self._users -= 1
        if st != DRX_OK:
            raise error_of(st, self.path)
        return PyArray_Scalar(value, self.dtype, None)

    cdef bint _plain(self, object key):
        """Whether a key has a slice or an int for each axis, as most have that are asked for often."""
        if type(key) is not tuple or len(<tuple>key) != self._ndim:
            return False
        for item in <tuple>key:
            if type(item) is not slice and type(item) is not int:
                return False
        return True

    cdef object _read_plain(self, tuple key):
        """What such a key selects; all that is not small, or has other steps than 1, goes the general way."""
        cdef int64_t lo[DRX_MAX_NDIM]
        cdef int64_t count[DRX_MAX_NDIM]
        cdef cnp.npy_intp kept[DRX_MAX_NDIM]
        cdef Py_ssize_t start, stop, step
        cdef int64_t total = 1
        cdef int n = 0, j
        cdef cnp.ndarray out
        cdef drx_status st
        cdef void *buf

        for j in range(self._ndim):
            item = key[j]
            if type(item) is int:
                if not -self._shape[j] <= item < self._shape[j]:
                    return self._read_key(key)  # which says what is wrong
                start = item
                lo[j] = start + self._shape[j] if start < 0 else start
                count[j] = 1
                continue
            PySlice_Unpack(item, &start, &stop, &step)
            if step != 1:
                return self._read_key(key)
            count[j] = PySlice_AdjustIndices(self._shape[j], &start, &stop, 1)
            lo[j] = start
            kept[n] = count[j]
            n += 1
            if count[j] > SMALL_ELEMENTS:
                return self._read_key(key)
            total *= count[j]
            if total > SMALL_ELEMENTS:
                return self._read_key(key)
        out = cnp.PyArray_EMPTY(n, kept, self.dtype.type_num, 0)
        buf = cnp.PyArray_DATA(out)
        self._enter()
        with nogil:
            st = drx_read(self._a, lo, count, DRX_ROW_MAJOR, buf)
        self._users -= 1
        if st != DRX_OK:
            raise error_of(st, self.path)
        return out

    def __setitem__(self, key, value):
        cdef int64_t index[DRX_MAX_NDIM]
        cdef cnp.ndarray element
        cdef drx_status st
        cdef void *buf

        if not self._element(key, index):
            self._write_key(key, value)
            return
        element = np.asarray(value, self.dtype)
        if cnp.PyArray_NDIM(element) != 0:
            element = element.reshape(())  # ValueError: more than one
        buf = cnp.PyArray_DATA(element)
        self._enter()
        with nogil:
            st = drx_put(self._a, index, buf)
        self._users -= 1
        check(st, self.path)

    cdef bint _element(self, object key, int64_t *index) except -1:
        """Whether a key names one element; its index. An index beyond the bounds is an IndexError."""
        cdef Py_ssize_t at
        cdef int j

        if type(key) is not tuple:
            if self._ndim != 1:
                return False
            key = (key,)
        if len(<tuple>key) != self._ndim:
            return False
        for j in range(self._ndim):
            item = (<tuple>key)[j]
            if type(item) is not int and (isinstance(item, (bool, np.bool_, np.ndarray)) or not PyIndex_Check(item)):
                return False
            at = PyNumber_AsSsize_t(item, NULL)
            index[j] = at + self._shape[j] if at < 0 else at
            if not 0 <= index[j] < self._shape[j]:
                raise IndexError(f"index {item} is out of bounds for axis {j} with size {self._shape[j]}")
        return True

    def _move(self, bint writing, lo, count, step, cnp.ndarray memory):
        """Read into memory, or write it: element lo + i * step of the array and memory[i]; count is memory's shape."""
        cdef int64_t at[DRX_MAX_NDIM]
        cdef int64_t counts[DRX_MAX_NDIM]
        cdef int64_t steps[DRX_MAX_NDIM]
        cdef int64_t strides[DRX_MAX_NDIM]

        set_indices(lo, self._ndim, at, "lo")
        set_indices(count, self._ndim, counts, "count")
        set_indices(step, self._ndim, steps, "step")
        for j in range(self._ndim):
            strides[j] = cnp.PyArray_STRIDE(memory, j) // self._item_bytes
        self._enter()
        try:
            self._move_parts(writing, at, counts, steps, strides, <char *>cnp.PyArray_DATA(memory))
        finally:
            self._users -= 1

    cdef int _move_parts(self, bint writing, int64_t *lo, int64_t *count, int64_t *step, int64_t *stride,
                         char *buf) except -1:
        """Along the axis with most chunks, in slabs of whole chunks, so that signals are noticed."""
        cdef int axis = 0
        cdef int64_t all_of_axis, first, n, part
        cdef double total = self._item_bytes  # bytes, which may be more than 2^63 where one element is repeated
        cdef drx_status st = DRX_OK

        for j in range(self._ndim):
            total *= count[j]
            if <double>count[j] * step[j] / self._chunk[j] > <double>count[axis] * step[axis] / self._chunk[axis]:
                axis = j
        all_of_axis = count[axis]
        first = lo[axis]
        part = all_of_axis
        if total > part_bytes:
            part = max(1, <int64_t>(part_bytes / (total / all_of_axis)))
            part = max(self._chunk[axis] // step[axis], part - part % max(1, self._chunk[axis] // step[axis]), 1)
        n = 0
        while n < all_of_axis or all_of_axis == 0:
            lo[axis] = first + n * step[axis]
            count[axis] = self._part_of(lo[axis], step[axis], self._chunk[axis], part, all_of_axis - n)
            with nogil:
                st = self._move_part(writing, lo, count, step, stride, buf + n * stride[axis] * self._item_bytes)
            check(st, self.path)
            n += count[axis]
            if all_of_axis == 0:
                break
            if n < all_of_axis:
                PyErr_CheckSignals()
        return 0

    @cython.cdivision(True)
    cdef int64_t _part_of(self, int64_t lo, int64_t step, int64_t chunk, int64_t part, int64_t rest):
        """Indices of the next part: it ends where a chunk does, if the step is 1."""
        cdef int64_t end

        if part >= rest:
            return rest
        end = lo + part * step
        if step == 1 and end - end % chunk > lo:
            end -= end % chunk
            return end - lo
        return part

    cdef drx_status _move_part(self, bint writing, int64_t *lo, int64_t *count, int64_t *step, int64_t *stride,
                               char *buf) nogil:
        cdef drx_box box

        memset(&box, 0, sizeof(box))
        box.lo = lo
        box.count = count
        box.step = step
        box.stride = stride
        if writing:
            return drx_write_box(self._a, &box, buf)
        return drx_read_box(self._a, &box, buf)

    def _points(self, bint writing, cnp.ndarray indices, cnp.ndarray values):
        """Read or write single elements; indices: int64 [n][ndim], C order, within the bounds; values: [n]."""
        cdef int64_t n = cnp.PyArray_DIM(indices, 0), i = 0, end
        cdef const int64_t *index = <const int64_t *>cnp.PyArray_DATA(indices)
        cdef char *value = <char *>cnp.PyArray_DATA(values)
        cdef drx_status st = DRX_OK

        self._enter()
        try:
            while i < n:
                end = min(n, i + 100000)
                with nogil:
                    while i < end and st == DRX_OK:
                        if writing:
                            st = drx_put(self._a, index + i * self._ndim, value + i * self._item_bytes)
                        else:
                            st = drx_get(self._a, index + i * self._ndim, value + i * self._item_bytes)
                        i += 1
                check(st, self.path)
                PyErr_CheckSignals()
        finally:
            self._users -= 1

    def _begin(self, bint writing, lo, count, cnp.ndarray memory):
        """A request that moves a box to or from contiguous memory, in C or Fortran order."""
        cdef int64_t at[DRX_MAX_NDIM]
        cdef int64_t counts[DRX_MAX_NDIM]
        cdef drx_box box
        cdef drx_request *req = NULL
        cdef drx_status st
        cdef void *buf = cnp.PyArray_DATA(memory)
        cdef Request request = Request(self, memory)

        set_indices(lo, self._ndim, at, "lo")
        set_indices(count, self._ndim, counts, "count")
        memset(&box, 0, sizeof(box))
        box.lo = at
        box.count = counts
        if not cnp.PyArray_IS_C_CONTIGUOUS(memory):
            box.order = DRX_COL_MAJOR
        self._enter()
        with nogil:
            if writing:
                st = drx_write_async(self._a, &box, buf, &req)
            else:
                st = drx_read_async(self._a, &box, buf, &req)
        if st == DRX_OK:
            request._req = req
            self._requests.add(request)
        self._users -= 1
        check(st, self.path)
        return request

    # ---- names and attributes ----

    @property
    def dims(self):
        """tuple of str or None: the names of the axes. Can be set."""
        cdef const char *name

        names = []
        with self._lock:
            self._enter()
            for j in range(self._ndim):
                name = drx_dim_name(self._a, j)
                names.append(None if name == NULL else name.decode("utf-8", "replace"))
            self._users -= 1
        return tuple(names)

    @dims.setter
    def dims(self, names):
        cdef drx_status st = DRX_OK
        cdef const char *c_name

        names = encoded_names(names, self._ndim)
        with self._lock:
            self._enter()
            for j, encoded in enumerate(names):
                c_name = NULL if encoded is None else <const char *>encoded
                if st == DRX_OK:
                    st = self._c_rename(j, c_name)
            self._users -= 1
        check(st, self.path)

    def _attr_names(self):
        cdef const char *name

        names = []
        with self._lock:
            self._enter()
            for i in range(drx_attr_count(self._a)):
                drx_attr_info(self._a, i, &name, NULL, NULL, NULL)
                names.append(name.decode("utf-8", "surrogateescape"))
            self._users -= 1
        return names

    def _attr_get(self, str name):
        """str, a scalar, or an array; KeyError."""
        cdef const char *found
        cdef const void *values
        cdef drx_type code
        cdef int64_t n
        cdef int is_text
        cdef cnp.ndarray out

        encoded = name.encode("utf-8", "surrogateescape")
        with self._lock:
            self._enter()
            try:
                for i in range(drx_attr_count(self._a)):
                    drx_attr_info(self._a, i, &found, &code, &n, &is_text)
                    if found != <bytes>encoded:
                        continue
                    drx_attr_get(self._a, found, NULL, NULL, &values)
                    if is_text:
                        return (<const char *>values)[:n].decode("utf-8", "replace")
                    out = np.empty(n, dtype_of(code))
                    memcpy(cnp.PyArray_DATA(out), values, n * drx_type_size(code))
                    return out[0] if n == 1 else out
            finally:
                self._users -= 1
        raise KeyError(name)

    def _attr_set(self, str name, value):
        """`value`: str, or a contiguous array."""
        cdef bytes encoded = without_nul(name.encode("utf-8", "surrogateescape"), "attribute")
        cdef bytes text
        cdef drx_status st

        with self._lock:
            self._enter()
            try:
                if isinstance(value, str):
                    text = value.encode()
                    st = self._c_attr_set_text(encoded, text)
                else:
                    st = self._c_attr_set(encoded, type_code(value.dtype), value.size, cnp.PyArray_DATA(value))
            finally:
                self._users -= 1
        check(st, self.path)

    def _attr_delete(self, str name):
        cdef bytes encoded = name.encode("utf-8", "surrogateescape")
        cdef drx_status st

        with self._lock:
            self._enter()
            st = self._c_attr_delete(encoded)
            self._users -= 1
        if st == DRX_ENOENT:
            raise KeyError(name)
        check(st, self.path)


def remove(path):
    """Remove the files of an array.

    Raises
    ------
    FileNotFoundError, drx.BusyError, PermissionError
    """
    cdef bytes encoded = without_nul(os.fsencode(path), "path")
    cdef const char *c_path = encoded
    cdef drx_status st

    with nogil:
        st = drx_remove(c_path)
    check(st, path)


def version():
    """The version of the library."""
    return drx_version().decode()
