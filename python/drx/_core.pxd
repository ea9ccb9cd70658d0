"""Declarations of _core.pyx for other extensions of the package."""

cimport numpy as cnp
from libc.stdint cimport int64_t

from drx._drx cimport drx_array, drx_box, drx_spec, drx_status, drx_type

cdef object error_of(drx_status st, object path)
cdef int check(drx_status st, object path=*) except -1
cdef int set_indices(object values, int ndim, int64_t *out, str what) except -1
cdef bytes without_nul(bytes encoded, str what)

cdef class Spec:
    cdef drx_spec spec
    cdef int64_t _bounds[32]
    cdef int64_t _extents[32]
    cdef int64_t _first[32]
    cdef const char *_c_names[32]
    cdef const char **_c_folders
    cdef object _kept
    cdef list _names
    cdef list _folders
    cdef int _set_stripes(self, list folders) except -1

cdef struct Box:  # a drx_box and its arrays
    int64_t lo[32]
    int64_t count[32]
    int64_t step[32]
    int64_t stride[32]
    drx_box c

cdef class Handle:
    cdef drx_array *_a
    cdef int _ndim
    cdef int _item_bytes
    cdef bint _numbers  # whether elements are numbers, of no defined type
    cdef int64_t _lower[32]
    cdef int64_t _shape[32]
    cdef int64_t _chunk[32]
    cdef long _users  # threads in calls that do not hold the GIL
    cdef bint _closing
    cdef object _requests
    cdef object __weakref__
    cdef readonly object path
    cdef readonly cnp.dtype dtype
    cdef readonly str mode
    cdef readonly object _lock

    cdef int _start(self, object path, str mode) except -1
    cdef void _copy_axes(self)
    cdef void _copy_shape(self)
    cdef int _enter(self) except -1
    cdef int _done(self, drx_status st) except -1
    cdef int _done_changing(self, drx_status st) except -1
    cdef int _axis(self, object axis) except -1

    cdef drx_status _c_create(self, const char *path, const drx_spec *spec) nogil
    cdef drx_status _c_open(self, const char *path, int mode) nogil
    cdef drx_status _c_close(self, drx_array *a) nogil
    cdef drx_status _c_sync(self) nogil
    cdef drx_status _c_compact(self) nogil
    cdef drx_status _c_refresh(self) nogil
    cdef drx_status _c_persist(self, unsigned flags) nogil
    cdef drx_status _c_extend(self, int axis, int64_t by, bint before) nogil
    cdef drx_status _c_trim(self, int axis, int64_t before, int64_t after) nogil
    cdef drx_status _c_add_axis(self, int at, const char *name) nogil
    cdef drx_status _c_rename(self, int axis, const char *name) nogil
    cdef drx_status _c_attr_set_text(self, const char *name, const char *text) nogil
    cdef drx_status _c_attr_set(self, const char *name, drx_type code, int64_t n, const void *values) nogil
    cdef drx_status _c_attr_delete(self, const char *name) nogil

cdef class Elements(Handle):
    cdef object _add_slab(self, object data, object axis, bint before)
    cdef bint _fits(self, cnp.ndarray slab, int axis)
    cdef bint _element(self, object key, int64_t *index) except -1
    cdef bint _plain(self, object key)
    cdef object _read_plain(self, tuple key)
    cdef int _move_parts(self, bint writing, Box *box, char *buf) except -1
    cdef int64_t _part_of(self, int64_t lo, int64_t step, int64_t chunk, int64_t part, int64_t rest)

cdef int set_box(Box *box, Handle array, object lo, object count, object step, cnp.ndarray memory) except -1
