# cython: language_level=3, boundscheck=False, wraparound=False
"""The binding to drx.h: open arrays (_handle.pxi), and their elements in NumPy's memory.

Cython does what must be fast or holds a pointer; array.py does the rest.

Threads. Every call that may touch a file releases the GIL. `_users` counts the threads in such calls. `close` refuses
new calls, waits for these threads, and then clears `_a`. Calls that read or change bounds, names or attributes hold
`_lock`, because the library does not protect the memory that its inquiries return. `_shape` is a copy, renewed after
each change.
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
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from drx._drx cimport *
from drx.errors import BusyError, ChecksumError, FormatError, MPIError

import numpy as np

cdef extern from "Python.h":
    Py_ssize_t PyNumber_AsSsize_t(object number, void *error) except? -1  # NULL: the nearest that fits
    int PySlice_Unpack(object slice, Py_ssize_t *start, Py_ssize_t *stop, Py_ssize_t *step) except -1
    Py_ssize_t PySlice_AdjustIndices(Py_ssize_t length, Py_ssize_t *start, Py_ssize_t *stop, Py_ssize_t step)

cdef extern from "numpy/arrayobject.h":
    object PyArray_Scalar(void *data, cnp.dtype dtype, void *base)  # NULL: none

cnp.import_array()

cdef enum:
    SMALL_ELEMENTS = 1 << 16
    SINGLE_WORDS = 512  # of the largest element that is read alone
    PART_POINTS = 1 << 20

cdef int64_t part_bytes = 256 << 20  # larger requests are made in parts, with a check for signals between them


def set_part_bytes(int64_t n):
    """Tests make it small."""
    global part_bytes
    part_bytes = n


def set_memory(size_t n):
    """As drx_set_memory."""
    drx_set_memory(n)


include "_errors.pxi"
include "_types.pxi"
include "_spec.pxi"
include "_handle.pxi"
include "_request.pxi"


cdef int set_box(Box *box, Handle array, object lo, object count, object step, cnp.ndarray memory) except -1:
    """Fill a box for C. step None: every element, with contiguous memory in C or Fortran order."""
    memset(&box.c, 0, sizeof(box.c))
    set_indices(lo, array._ndim, box.lo, "lo")
    set_indices(count, array._ndim, box.count, "count")
    for j in range(array._ndim):  # C numbers from `lower`
        box.lo[j] += array._lower[j]
    box.c.lo = box.lo
    box.c.count = box.count
    if step is None:
        box.c.order = DRX_ROW_MAJOR if cnp.PyArray_IS_C_CONTIGUOUS(memory) else DRX_COL_MAJOR
        return 0
    set_indices(step, array._ndim, box.step, "step")
    for j in range(array._ndim):
        box.stride[j] = cnp.PyArray_STRIDE(memory, j) // cnp.PyArray_ITEMSIZE(memory)
    box.c.step = box.step
    box.c.stride = box.stride
    return 0


cpdef number(value):
    """The value, unless it is None, which NumPy would store as nan."""
    if value is None:
        raise TypeError("None is not an element, expected numbers; the fill value is a.fill_value")
    return value


cdef bint holds_strings(cnp.dtype dtype):
    return dtype.type_num == cnp.NPY_STRING or dtype.type_num == cnp.NPY_UNICODE


cdef bint holds_numbers(cnp.dtype dtype):
    """Of no defined type, either."""
    return not cnp.PyDataType_ISFLEXIBLE(dtype) and dtype.metadata is None


def elements_of(value, dtype):
    """The value as an array of the dtype, as NumPy's assignment converts it; but strings are not cut."""
    return fitting_strings(value, dtype) if dtype.kind in "SU" else np.asarray(number(value), dtype)


cdef class Elements(Handle):
    """The elements of an open array; the base of drx.Array."""

    def _packing(self):
        """The members of drx_packing, in their order."""
        cdef drx_packing p
        cdef drx_status st

        self._enter()
        with nogil:
            st = drx_packing_of(self._a, &p)
        self._done(st)
        return (p.compressed_chunks, p.open_chunks, p.empty_chunks, p.stored_bytes, p.dead_bytes, p.table_bytes)

    def _calls(self):
        """How many calls have read the file."""
        cdef drx_counters counters

        self._enter()
        with nogil:
            drx_count(self._a, &counters)
        self._users -= 1
        return counters.reads

    def _versions(self):
        """What drx_file_version tells of each file."""
        cdef uint64_t found[2]
        cdef drx_status st = DRX_OK
        cdef int i = 0

        versions = []
        self._enter()
        while st == DRX_OK and drx_file(self._a, i) != NULL:
            with nogil:
                st = drx_file_version(self._a, i, found)
            versions.append(tuple(found))
            i += 1
        self._done(st)
        return versions

    def append(self, data, axis=0):
        """Grow an axis and write the new slab. Others see the slab whole or not at all.

        Parameters
        ----------
        data : array_like
            The slab, with the array's bounds on every axis but `axis`. Data with one axis less are one index of `axis`.
            NumPy converts the numbers, but floats are not appended to ints, nor complex numbers to real ones.
        axis : int or str
            From -ndim to ndim - 1, or the name of the axis.

        Returns
        -------
        tuple of int
            The new shape.

        Raises
        ------
        ValueError, TypeError, PermissionError, OverflowError, OSError
            The array is unchanged.
        """
        return self._add_slab(data, axis, False)

    def prepend(self, data, axis=0):
        """As `append`, before the first index: the data, by increasing index, get the numbers from 0 on, and no stored
        element moves."""
        return self._add_slab(data, axis, True)

    cdef object _add_slab(self, object data, object axis, bint before):
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
                self._copy_shape()  # another process may have grown it
            if not self._fits(slab, c_axis):  # the lock keeps other threads from growing it
                expected = list(self.shape)
                expected[c_axis] = "any"
                raise ValueError(f"the data have shape {np.shape(data)}, "
                                 f"expected ({', '.join(map(str, expected))}) to {'prepend' if before else 'append'} on "
                                 f"axis {c_axis}")
            self._enter()
            with nogil:
                if before:
                    st = drx_prepend(self._a, c_axis, by, order, buf)
                else:
                    st = drx_append(self._a, c_axis, by, order, buf)
            self._done_changing(st)
        return self.shape

    def _converted(self, data):
        """Data to append in the array's dtype. TypeError: fractions or imaginary parts would be lost."""
        given = np.asarray(data, self.dtype if self.dtype.type_num == cnp.NPY_VOID and not hasattr(data, "dtype") else None)
        if given.dtype == self.dtype:
            return given
        if given.size and not holds_strings(self.dtype) and not convertible(given.dtype, self.dtype):
            raise TypeError(f"the data are {given.dtype}, which is not appended to {self.dtype}: see astype")
        return elements_of(data, self.dtype) if given.size else np.empty(given.shape, self.dtype)

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
        cdef int64_t value[SINGLE_WORDS]
        cdef drx_status st

        if self._item_bytes > SINGLE_WORDS * <int>sizeof(int64_t) or not self._element(key, index):
            if self._plain(key):
                return self._read_plain(<tuple>key)
            return self._read_key(key)
        self._enter()
        with nogil:
            st = drx_get(self._a, index, value)
        self._done(st)
        return PyArray_Scalar(value, self.dtype, NULL)

    cdef bint _plain(self, object key):
        """Whether a key has a slice or an int for each axis, as frequent keys have."""
        if type(key) is not tuple or len(<tuple>key) != self._ndim or not self._numbers:
            return False
        for item in <tuple>key:
            if type(item) is not slice and type(item) is not int:
                return False
        return True

    cdef object _read_plain(self, tuple key):
        """Read what such a key selects. Large boxes and steps other than 1 go the general way."""
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
                    return self._read_key(key)  # raises the error
                start = item
                lo[j] = self._lower[j] + (start + self._shape[j] if start < 0 else start)
                count[j] = 1
                continue
            PySlice_Unpack(item, &start, &stop, &step)
            if step != 1:
                return self._read_key(key)
            count[j] = PySlice_AdjustIndices(self._shape[j], &start, &stop, 1)
            lo[j] = self._lower[j] + start
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
        self._done(st)
        return out

    def __setitem__(self, key, value):
        cdef int64_t index[DRX_MAX_NDIM]
        cdef cnp.ndarray element
        cdef drx_status st
        cdef void *buf

        if not self._element(key, index):
            self._write_key(key, value)
            return
        element = elements_of(value, self.dtype)
        if cnp.PyArray_NDIM(element) != 0:
            element = element.reshape(())  # ValueError: more than one
        buf = cnp.PyArray_DATA(element)
        self._enter()
        with nogil:
            st = drx_put(self._a, index, buf)
        self._done(st)

    cdef bint _element(self, object key, int64_t *index) except -1:
        """Whether a key selects one element; sets its index. IndexError: it is out of bounds."""
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
            index[j] += self._lower[j]
        return True

    def _move(self, bint writing, lo, count, step, cnp.ndarray memory):
        """Read or write: element lo + i * step of the array is memory[i]; `count` is the shape of memory."""
        cdef Box box

        set_box(&box, self, lo, count, step, memory)
        self._enter()
        try:
            self._move_parts(writing, &box, <char *>cnp.PyArray_DATA(memory))
        finally:
            self._users -= 1

    def _move_as(self, bint writing, lo, count, step, cnp.ndarray memory, bint exact):
        """As _move, with memory of another dtype. A write that is refused stores nothing, so it is one call."""
        cdef drx_type code = type_code(memory.dtype)
        cdef drx_conversion how = DRX_EXACT if exact else DRX_NEAREST
        cdef Box box
        cdef void *buf = cnp.PyArray_DATA(memory)
        cdef drx_status st

        set_box(&box, self, lo, count, step, memory)
        self._enter()
        with nogil:
            st = (drx_write_box_as(self._a, &box.c, code, how, buf) if writing
                  else drx_read_box_as(self._a, &box.c, code, how, buf))
        self._done(st)

    cdef int _move_parts(self, bint writing, Box *box, char *buf) except -1:
        """In slabs of whole chunks along the axis with most chunks; checks for signals between them."""
        cdef int axis = 0
        cdef int64_t all_of_axis, first, part, whole, n = 0
        cdef double total = self._item_bytes  # bytes; 2^63 or more if memory repeats an element
        cdef double chunks, most = -1
        cdef char *at
        cdef drx_status st = DRX_OK

        for j in range(self._ndim):
            total *= box.count[j]
            chunks = <double>box.count[j] * box.step[j] / self._chunk[j]
            if chunks > most:
                axis, most = j, chunks
        all_of_axis = part = box.count[axis]
        first = box.lo[axis]
        if total > part_bytes:
            whole = max(1, self._chunk[axis] // box.step[axis])
            part = max(1, <int64_t>(part_bytes / (total / all_of_axis)))
            part = max(whole, part - part % whole)
        while True:
            box.lo[axis] = first + n * box.step[axis]
            box.count[axis] = self._part_of(box.lo[axis], box.step[axis], self._chunk[axis], part, all_of_axis - n)
            at = buf + n * box.stride[axis] * self._item_bytes
            with nogil:
                st = drx_write_box(self._a, &box.c, at) if writing else drx_read_box(self._a, &box.c, at)
            check(st, self.path)
            n += box.count[axis]
            if n >= all_of_axis:
                return 0
            PyErr_CheckSignals()

    @cython.cdivision(True)
    cdef int64_t _part_of(self, int64_t lo, int64_t step, int64_t chunk, int64_t part, int64_t rest):
        """The indices of the next part. It ends with a chunk if the step is 1."""
        cdef int64_t end

        if part >= rest:
            return rest
        end = lo + part * step
        if step == 1:
            end -= (end % chunk + chunk) % chunk
            if end > lo:
                return end - lo
        return part

    def _points(self, bint writing, cnp.ndarray indices, cnp.ndarray values):
        """Read or write single elements; indices: int64 [n][ndim], C order; values: [n]. In parts, with a check for
        signals between them."""
        cdef int64_t n = cnp.PyArray_DIM(indices, 0), i = 0, part
        cdef const int64_t *index
        cdef char *value = <char *>cnp.PyArray_DATA(values)
        cdef drx_status st = DRX_OK

        if any(self.lower):
            indices = indices + np.array(self.lower, np.int64)
        index = <const int64_t *>cnp.PyArray_DATA(indices)
        self._enter()
        try:
            while i < n:
                part = min(n - i, PART_POINTS)
                with nogil:
                    if writing:
                        st = drx_write_points(self._a, part, index + i * self._ndim, value + i * self._item_bytes)
                    else:
                        st = drx_read_points(self._a, part, index + i * self._ndim, value + i * self._item_bytes)
                check(st, self.path)
                i += part
                PyErr_CheckSignals()
        finally:
            self._users -= 1

    def _begin(self, bint writing, lo, count, cnp.ndarray memory):
        """Begin a request that moves a box to or from contiguous memory in C or Fortran order."""
        cdef Box box
        cdef drx_request *req = NULL
        cdef drx_status st
        cdef void *buf = cnp.PyArray_DATA(memory)
        cdef Request request = Request(self, memory)

        set_box(&box, self, lo, count, None, memory)
        self._enter()
        with nogil:
            if writing:
                st = drx_write_async(self._a, &box.c, buf, &req)
            else:
                st = drx_read_async(self._a, &box.c, buf, &req)
        if st == DRX_OK:
            request._req = req
            self._requests.add(request)
        self._done(st)
        return request


def expanded(path):
    """A path that the user gave, as str or bytes; ~ is the home folder, and a URL stays as it is."""
    return os.path.expanduser(os.fspath(path))


def remove(path):
    """Remove the files of an array.

    Raises
    ------
    FileNotFoundError, drx.BusyError, PermissionError
    """
    cdef bytes encoded = without_nul(os.fsencode(expanded(path)), "path")
    cdef const char *c_path = encoded
    cdef drx_status st

    with nogil:
        st = drx_remove(c_path)
    check(st, path)


def is_url(path):
    """Whether a path names something on a server."""
    cdef bytes encoded = without_nul(os.fsencode(path), "path")

    return drx_is_url(encoded) != 0


def look(path):
    """(array, dataset): whether these are under a path."""
    cdef bytes encoded = without_nul(os.fsencode(path), "path")
    cdef const char *c_path = encoded
    cdef int array = 0, dataset = 0
    cdef drx_status st

    with nogil:
        st = drx_look(c_path, &array, &dataset)
    check(st, path)
    return array != 0, dataset != 0


def version():
    """The version of the library."""
    return drx_version().decode()


def round_bits(cnp.ndarray values, int bits, cnp.ndarray skip):
    """Round contiguous elements of an array to `bits` of their mantissas; skip None, or one element that stays."""
    cdef drx_type code = type_code(values.dtype)
    cdef const void *stays = NULL if skip is None else cnp.PyArray_DATA(skip)
    cdef int64_t n = cnp.PyArray_SIZE(values)
    cdef void *elements = cnp.PyArray_DATA(values)
    cdef drx_status st

    with nogil:
        st = drx_keep_bits(code, bits, stays, n, elements, NULL)
    check(st)
