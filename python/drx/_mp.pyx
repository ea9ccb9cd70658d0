# cython: language_level=3, boundscheck=False, wraparound=False
"""The binding to drxmp.h: arrays that all ranks of a communicator open together, and distributed arrays."""

cimport numpy as cnp
from libc.stdint cimport int64_t, uintptr_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from drx cimport _core
from drx._core cimport Box, Elements, check, set_box, set_indices
from drx._dap cimport Export, dim_dict, new_capsule
from drx._dap_h cimport *
from drx._drx cimport *
from drx._drxmp cimport *

import weakref

import numpy as np
from mpi4py import MPI

from drx._core import dtype_of, number_of

cnp.import_array()

if MPI._sizeof(MPI.Comm) != sizeof(MPI_Comm):
    raise ImportError("mpi4py was built with another MPI than drx")


cdef MPI_Comm comm_of(object comm) except *:
    if not isinstance(comm, MPI.Comm):
        raise TypeError(f"comm is {comm!r}, expected a communicator of mpi4py")
    return (<MPI_Comm *><uintptr_t>MPI._addressof(comm))[0]


def checked_comm(comm):
    """The communicator. TypeError: it is not one."""
    comm_of(comm)
    return comm


cdef class Shared(Elements):
    """One drxmp_array; the base of drx.mpi.Array. `_a` is this rank's view of it.

    The calls below are collective, and so are the methods of drx._core.Handle that make them."""

    cdef drxmp_array *_m
    cdef MPI_Comm _comm
    cdef readonly object comm

    def __dealloc__(self):
        self._a = NULL  # belongs to the drxmp_array, which one rank alone cannot close

    def _join(self, comm):
        """Set the communicator, before the array is created or opened. TypeError: it is not one."""
        self._comm = comm_of(comm)
        self.comm = comm

    cdef drx_status _take(self, drx_status st) nogil:
        if st != DRX_OK:
            return st
        self._a = drxmp_serial(self._m)
        return drx_set_pool(self._a, 0)  # others see single elements when they are written

    cdef drx_status _c_create(self, const char *path, const drx_spec *spec) nogil:
        return self._take(drxmp_create(self._comm, path, spec, &self._m))

    cdef drx_status _c_open(self, const char *path, int mode) nogil:
        return self._take(drxmp_open(self._comm, path, mode, &self._m))

    cdef drx_status _c_close(self, drx_array *a) nogil:
        cdef drx_status st = drxmp_close(self._m)

        if st == DRX_EBUSY:  # requests of sections are pending: it stays open
            self._a = a
            self._closing = False
        return st

    cdef drx_status _c_sync(self) nogil:
        return drxmp_sync(self._m)

    cdef drx_status _c_compact(self) nogil:
        return drxmp_compact(self._m)

    cdef drx_status _c_refresh(self) nogil:
        return drxmp_refresh(self._m)

    cdef drx_status _c_persist(self, unsigned flags) nogil:
        return drxmp_persist(self._m, flags)

    cdef drx_status _c_extend(self, int axis, int64_t by, bint before) nogil:
        return drxmp_extend_before(self._m, axis, by) if before else drxmp_extend(self._m, axis, by)

    cdef drx_status _c_trim(self, int axis, int64_t before, int64_t after) nogil:
        return drxmp_trim(self._m, axis, before, after)

    cdef drx_status _c_add_axis(self, int at, const char *name) nogil:
        return drxmp_add_axis(self._m, at, name)

    cdef drx_status _c_rename(self, int axis, const char *name) nogil:
        return drxmp_dim_rename(self._m, axis, name)

    cdef drx_status _c_attr_set_text(self, const char *name, const char *text) nogil:
        return drxmp_attr_set_text(self._m, name, text)

    cdef drx_status _c_attr_set(self, const char *name, drx_type code, int64_t n, const void *values) nogil:
        return drxmp_attr_set(self._m, name, code, n, values)

    cdef drx_status _c_attr_delete(self, const char *name) nogil:
        return drxmp_attr_delete(self._m, name)

    def _append_all(self, axis, by, lo, data, bint before=False):
        """As drx.mpi.Array.append_all and prepend_all; `data`: an array of the array's dtype."""
        cdef int64_t at[DRX_MAX_NDIM]
        cdef int64_t counts[DRX_MAX_NDIM]
        cdef cnp.ndarray part
        cdef int c_axis = self._axis(axis)
        cdef int64_t c_by
        cdef drx_status st
        cdef void *buf

        set_indices((by,), 1, &c_by, "by")
        part = np.ascontiguousarray(data)
        set_indices(lo, self._ndim, at, "lo")
        for j in range(self._ndim):  # C numbers from `lower`
            at[j] += self._lower[j] - (c_by if before and j == c_axis else 0)
        set_indices(data.shape, self._ndim, counts, "the data's shape")
        buf = cnp.PyArray_DATA(part)
        with self._lock:
            self._enter()
            with nogil:
                if before:
                    st = drxmp_prepend_all(self._m, c_axis, c_by, at, counts, DRX_ROW_MAJOR, buf)
                else:
                    st = drxmp_append_all(self._m, c_axis, c_by, at, counts, DRX_ROW_MAJOR, buf)
            self._done_changing(st)
        return self.shape

    def _move_all(self, bint writing, lo, count, step, cnp.ndarray memory):
        """As _move, collective."""
        cdef Box box
        cdef void *buf = cnp.PyArray_DATA(memory)
        cdef drx_status st

        set_box(&box, self, lo, count, step, memory)
        self._enter()
        with nogil:
            if writing:
                st = drxmp_write_box_all(self._m, &box.c, buf)
            else:
                st = drxmp_read_box_all(self._m, &box.c, buf)
        self._done(st)


# ---- distributed arrays ---------------------------------------------------------------------------------------------

cdef class Section:
    """One drxmp_darray; the base of drx.mpi.DistArray."""

    cdef drxmp_darray *_d
    cdef int _ndim
    cdef dap_array _layout  # pointers are the darray's
    cdef object __weakref__
    cdef object _views
    cdef object _requests  # that nobody has waited for
    cdef readonly object comm
    cdef readonly cnp.dtype dtype

    cdef int _take(self, drxmp_darray *d, object comm, object dtype) except -1:
        cdef dap_array export

        self._d = d
        self.comm = comm
        self._views = weakref.WeakSet()
        self._requests = set()
        check(drxmp_darray_dap(d, &export))
        self._layout = export
        dap_release(&export)
        self._ndim = self._layout.ndim
        self.dtype = dtype
        return 0

    cdef int _check_open(self) except -1:
        if self._d == NULL:
            raise ValueError("the distributed array is closed")
        return 0

    def _zones(self, Shared array, grid, block_chunks, bint fortran):
        cdef int c_grid[DRX_MAX_NDIM]
        cdef int64_t blocks[DRX_MAX_NDIM]
        cdef drxmp_darray *d = NULL
        cdef drx_order order = DRX_COL_MAJOR if fortran else DRX_ROW_MAJOR
        cdef int *grid_or_null = NULL
        cdef int64_t *blocks_or_null = NULL
        cdef drx_status st

        if grid is not None:
            set_indices(grid, array._ndim, blocks, "grid")
            for j in range(array._ndim):
                c_grid[j] = max(-1, min(blocks[j], 2**31 - 1))  # still too many or negative, so refused
            grid_or_null = c_grid
        if block_chunks is not None:
            set_indices(block_chunks, array._ndim, blocks, "block_chunks")
            blocks_or_null = blocks
        array._enter()
        with nogil:
            st = drxmp_darray_zones(array._m, grid_or_null, blocks_or_null, order, &d)
        array._done(st)
        self._take(d, array.comm, array.dtype)

    def _make(self, comm, int code, Export described, bint fortran):
        """Make one of zeros; `described` has the descriptions."""
        cdef MPI_Comm c_comm = comm_of(comm)
        cdef drxmp_darray *d = NULL
        cdef drx_order order = DRX_COL_MAJOR if fortran else DRX_ROW_MAJOR
        cdef drx_status st

        with nogil:
            st = drxmp_darray_create(c_comm, code, described.array.ndim, described.array.dims, order, &d)
        check(st)
        self._take(d, comm, dtype_of(code))

    def _import(self, comm, Export export):
        cdef MPI_Comm c_comm = comm_of(comm)
        cdef drxmp_darray *d = NULL
        cdef dap_array given
        cdef drx_status st

        export.hand_out(&given)
        with nogil:
            st = drxmp_darray_from_dap(c_comm, &given, &d)
        if st != DRX_OK:
            error = _core.error_of(st, None)
            dap_release(&given)
            raise error
        self._take(d, comm, export._kept[0].dtype)

    @property
    def closed(self):
        """Whether it was freed."""
        return self._d == NULL

    def close(self):
        """Free it. Collective.

        Raises
        ------
        drx.BusyError
            A view of `local`, or an export, of some rank is alive, or a request is pending; it stays.
        """
        cdef dap_array held
        cdef drx_status st

        if self._d == NULL:
            return
        memset(&held, 0, sizeof(held))
        if len(self._views) > 0:
            drxmp_darray_dap(self._d, &held)  # makes the call fail on all ranks
        with nogil:
            st = drxmp_darray_free(self._d)
        dap_release(&held)
        check(st)
        self._d = NULL

    # ---- what it is ----

    @property
    def shape(self):
        """tuple of int: the global bounds."""
        self._check_open()
        return tuple([dap_dim_at(&self._layout, j).size for j in range(self._ndim)])

    @property
    def ndim(self):
        """int: the number of axes."""
        return self._ndim

    @property
    def dim_data(self):
        """tuple of dict: how it is distributed, as this rank sees it, one for each axis (the protocol's dim_data)."""
        self._check_open()
        return tuple([dim_dict(dap_dim_at(&self._layout, j)) for j in range(self._ndim)])

    @property
    def local(self):
        """numpy.ndarray: this rank's section, not a copy, with communication padding."""
        self._check_open()
        size = 1
        for j in range(self._ndim):
            size *= self._layout.shape[j]
        shape = tuple([self._layout.shape[j] for j in range(self._ndim)])
        steps = tuple([self._layout.strides[j] for j in range(self._ndim)])
        if size == 0:
            return np.empty(shape, self.dtype)
        keeper = Keeper(self)
        keeper.__array_interface__ = {
            "version": 3, "shape": shape, "typestr": self.dtype.str, "strides": steps,
            "data": (<uintptr_t>self._layout.data, bool(self._layout.flags & DAP_READ_ONLY))}
        self._views.add(keeper)
        return np.asarray(keeper)

    def owner(self, index):
        """int: the rank that owns an element. IndexError: nobody does."""
        cdef int64_t at[DRX_MAX_NDIM]
        cdef int rank = 0

        self._check_open()
        set_indices(index, self._ndim, at, "index")
        check(drxmp_darray_owner(self._d, at, &rank))
        return rank

    def zone(self, rank):
        """tuple of slice: the least box around what a rank owns. Empty slices: it owns nothing."""
        cdef int64_t lo[DRX_MAX_NDIM]
        cdef int64_t count[DRX_MAX_NDIM]
        cdef int c_rank = rank

        self._check_open()
        check(drxmp_darray_zone(self._d, c_rank, NULL, lo, count))
        return tuple([slice(lo[j], lo[j] + count[j]) for j in range(self._ndim)])

    # ---- collective ----

    def read(self, Shared array, lo=None):
        """Read the sections from the box of an array that begins at `lo`. Collective."""
        self._move_file(False, array, lo, None)

    def write(self, Shared array, lo=None):
        """Write what is owned to the box of an array that begins at `lo`. Collective."""
        self._move_file(True, array, lo, None)

    def read_async(self, Shared array, lo=None):
        """Begin `read`, and compute meanwhile. The section belongs to the request until its `wait` returns. Collective.

        Returns
        -------
        drx.mpi.SectionRequest
        """
        request = SectionRequest(self, array)
        self._move_file(False, array, lo, request)
        return request

    def write_async(self, Shared array, lo=None):
        """Begin `write`; see `read_async`. Collective."""
        request = SectionRequest(self, array)
        self._move_file(True, array, lo, request)
        return request

    def _move_file(self, bint writing, Shared array, lo, SectionRequest request):
        cdef int64_t at[DRX_MAX_NDIM]
        cdef drx_request *req = NULL
        cdef bint waits = request is None
        cdef drx_status st

        self._check_open()
        set_indices((0,) * array._ndim if lo is None else lo, array._ndim, at, "lo")
        for j in range(array._ndim):  # C numbers from `lower`
            at[j] += array._lower[j]
        array._enter()
        with nogil:
            if waits:
                st = (drxmp_darray_write(self._d, array._m, at) if writing
                      else drxmp_darray_read(self._d, array._m, at))
            elif writing:
                st = drxmp_darray_iwrite(self._d, array._m, at, &req)
            else:
                st = drxmp_darray_iread(self._d, array._m, at, &req)
        array._done(st)
        if not waits:
            request._req = req
            self._requests.add(request)

    def redistribute(self, Section to):
        """Copy to another distributed array of the same shape and type, spread in any way. Collective."""
        cdef drx_status st

        self._check_open()
        to._check_open()
        with nogil:
            st = drxmp_darray_redistribute(self._d, to._d)
        check(st)

    def sync(self):
        """Every rank sees what all did before it. Ghosts are refreshed: what this rank holds and another owns, such as
        communication padding. Collective."""
        cdef drx_status st

        self._check_open()
        with nogil:
            st = drxmp_darray_sync(self._d)
        check(st)

    def sync_add(self):
        """Add ghosts to what their owners have, in the order of ranks, and refresh them with the sums. Collective."""
        cdef drx_status st

        self._check_open()
        with nogil:
            st = drxmp_darray_sync_add(self._d)
        check(st)

    # ---- one-sided ----

    def _one_sided(self, str what, lo, cnp.ndarray memory, alpha=None):
        """get, put or acc of the box that begins at `lo` and has the shape of contiguous memory."""
        cdef int64_t at[DRX_MAX_NDIM]
        cdef int64_t counts[DRX_MAX_NDIM]
        cdef drx_order order = DRX_ROW_MAJOR if cnp.PyArray_IS_C_CONTIGUOUS(memory) else DRX_COL_MAJOR
        cdef void *buf = cnp.PyArray_DATA(memory)
        cdef cnp.ndarray factor = number_of(1 if alpha is None else alpha, self.dtype, "alpha")
        cdef void *c_factor = cnp.PyArray_DATA(factor)
        cdef int kind = ("get", "put", "acc").index(what)
        cdef drx_status st

        self._check_open()
        set_indices(lo, self._ndim, at, "lo")
        for j in range(self._ndim):
            counts[j] = cnp.PyArray_DIM(memory, j)
        with nogil:
            if kind == 0:
                st = drxmp_darray_get(self._d, at, counts, order, buf)
            elif kind == 1:
                st = drxmp_darray_put(self._d, at, counts, order, buf)
            else:
                st = drxmp_darray_acc(self._d, at, counts, order, c_factor, buf)
        check(st)

    def _points(self, bint writing, cnp.ndarray indices, cnp.ndarray values):
        """indices: int64 [n][ndim], C order; values [n]."""
        cdef int64_t n = cnp.PyArray_DIM(indices, 0)
        cdef const int64_t *index = <const int64_t *>cnp.PyArray_DATA(indices)
        cdef void *buf = cnp.PyArray_DATA(values)
        cdef drx_status st

        self._check_open()
        with nogil:
            if writing:
                st = drxmp_darray_scatter(self._d, n, index, buf)
            else:
                st = drxmp_darray_gather(self._d, n, index, buf)
        check(st)

    def fetch_add(self, index, add=1):
        """Add to an integer element atomically, and return its old value.

        Parameters
        ----------
        index : sequence of int
        add : int

        Returns
        -------
        int
        """
        cdef int64_t at[DRX_MAX_NDIM]
        cdef int64_t old = 0
        cdef int64_t c_add
        cdef drx_status st

        self._check_open()
        set_indices((add,), 1, &c_add, "add")
        set_indices(index, self._ndim, at, "index")
        with nogil:
            st = drxmp_darray_fetch_add(self._d, at, c_add, &old)
        check(st)
        return old

    # ---- the protocol ----

    def __distarray__(self):
        """The export of the Distributed Array Protocol, 0.10.0: not a copy."""
        return {"__version__": "0.10.0", "buffer": self.local, "dim_data": self.dim_data}

    def __dap_c__(self):
        """A capsule "dap_array" with the C struct of dap.h, which releases it."""
        cdef dap_array *array

        self._check_open()
        array = <dap_array *>malloc(sizeof(dap_array))
        if array == NULL:
            raise MemoryError()
        st = drxmp_darray_dap(self._d, array)
        if st != DRX_OK:
            free(array)
            check(st)
        return new_capsule(array)


cdef class SectionRequest:
    """A read or write of a distributed array that goes on. `DistArray.read_async` and `write_async` return one.

    The array stays open, and the distributed array alive, until all ranks have waited for it.
    """

    cdef drx_request *_req
    cdef Section _section
    cdef Shared _array

    def __init__(self, Section section, Shared array):
        self._section = section
        self._array = array

    def done(self):
        """bool: whether it is done. Does not wait, and carries it on."""
        cdef int done = 1

        if self._req != NULL:
            drx_test(self._req, &done)
        return bool(done)

    def wait(self):
        """Wait until it is done on all ranks. Collective.

        Raises
        ------
        OSError and others
            As the blocking call.
        """
        cdef drx_request *req = self._req
        cdef drx_status st

        if req == NULL:
            return
        self._req = NULL
        with nogil:
            st = drx_wait(req)
        self._section._requests.discard(self)
        if st != DRX_OK:
            raise _core.error_of(st, self._array.path)


class Keeper:
    """Keeps the section of a view alive."""

    def __init__(self, section):
        self.section = section
