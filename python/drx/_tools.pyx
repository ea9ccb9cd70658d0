# cython: language_level=3
"""Whole arrays and datasets: check, repair, and copies into another layout (drx_tools.h)."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from drx._core cimport Handle, check as raised, set_indices, without_nul
from drx._drx cimport *

import os

from drx._core import codec_of

cdef extern from "drx_tools.h" nogil:
    ctypedef int drx_severity
    ctypedef int (*drx_progress)(void *user, int64_t done, int64_t total)
    ctypedef void (*drx_report)(void *user, drx_severity severity, const char *text)
    ctypedef struct drx_copy_spec:
        const int *permute
        const int64_t *chunk
        const drx_order *chunk_order
        int64_t align
        int64_t memory_bytes
        unsigned flags
        drx_progress progress
        void *user
        int keep_bits
        drx_codec codec
        int level
        drx_shuffle shuffle
    ctypedef struct drx_copy_plan:
        int passes
        int64_t memory_bytes
        int64_t temporary_bytes
        int64_t read_bytes
        int64_t read_calls
        int64_t write_bytes
        int64_t write_calls
        double seconds
    ctypedef struct drx_access:
        const int64_t *count
        double weight
    ctypedef struct drx_access_cost:
        double calls
        double bytes
        double seconds
    ctypedef struct drx_advise_spec:
        int64_t chunk_bytes
        int64_t align
        int64_t memory_bytes
    ctypedef struct drx_advice:
        int copies
        int64_t chunk[DRX_MAX_NDIM]
        int64_t align
        int64_t block_bytes
        double before_seconds
        double after_seconds
        drx_copy_plan copy
        double rounds
    drx_status drx_advise(const drx_array *a, int n, const drx_access *access, const drx_advise_spec *spec,
                          drx_advice *out, drx_access_cost *before, drx_access_cost *after)
    int64_t drx_axial_count(const drx_array *a, int axis)
    int64_t drx_axial_low_count(const drx_array *a, int axis)
    drx_status drx_axial_record(const drx_array *a, int axis, int64_t i, int64_t *first_index, int64_t *first_address,
                                int64_t *coefficients)
    drx_status drx_check(const char *path, drx_report report, void *user, drx_progress progress, void *progress_user)
    drx_status drx_repair(const char *path, drx_report report, void *user, drx_progress progress, void *progress_user)
    drx_status drx_copy(drx_array *src, const char *path, const drx_copy_spec *spec, drx_array **out)

cdef extern from "drx_dataset.h" nogil:
    drx_status drx_dataset_check(const char *path, drx_report report, void *user, drx_progress progress,
                                 void *progress_user)
    drx_status drx_dataset_repair(const char *path, drx_report report, void *user, drx_progress progress,
                                  void *progress_user)


cdef class Findings:
    """What a check finds, and the exception that a signal raised meanwhile."""

    cdef list found
    cdef object error

    def __init__(self):
        self.found = []


cdef void take(void *user, drx_severity severity, const char *text) noexcept with gil:
    (<Findings>user).found.append((severity, text.decode("utf-8", "replace")))


cdef int look_for_signals(void *user, int64_t done, int64_t total) noexcept with gil:
    """Not 0, which ends the call, after Ctrl-C."""
    try:
        PyErr_CheckSignals()
        return 0
    except BaseException as error:
        (<Findings>user).error = error
        return 1


def examine(path, bint dataset, bint repair):
    """[(severity, text)] of an array or a dataset."""
    cdef Findings findings = Findings()
    cdef bytes name = without_nul(os.fsencode(path), "path")
    cdef const char *c_name = name
    cdef void *user = <void *>findings
    cdef drx_status st

    with nogil:
        if dataset:
            st = (drx_dataset_repair if repair else drx_dataset_check)(c_name, take, user, look_for_signals, user)
        else:
            st = (drx_repair if repair else drx_check)(c_name, take, user, look_for_signals, user)
    if findings.error is not None:
        raise findings.error
    if st != DRX_OK and st != DRX_EDAMAGED:
        raised(st, path)
    return findings.found


def copy(source, target, chunks, order, axes, int64_t align, memory, unsigned flags, int keep_bits, compression):
    """Copy the array at one path to another one, durably."""
    cdef Findings findings = Findings()
    cdef bytes target_name = without_nul(os.fsencode(target), "target")
    cdef const char *c_target = target_name
    cdef int permute[DRX_MAX_NDIM]
    cdef int64_t extents[DRX_MAX_NDIM]
    cdef drx_order chunk_order = DRX_COL_MAJOR if order == "F" else DRX_ROW_MAJOR
    cdef drx_copy_spec spec
    cdef Handle array = Handle(), copied = Handle()  # closed when they go
    cdef drx_status st

    memset(&spec, 0, sizeof(spec))
    spec.codec, spec.level, spec.shuffle = codec_of(compression)
    array._open(source, "r")
    for what, given in ("chunks", chunks), ("axes", axes):
        if given is not None and len(given) != array._ndim:
            raise ValueError(f"{what} has {len(given)} numbers, expected {array._ndim}, one for each axis")
    if chunks is not None:
        for j in range(array._ndim):
            extents[j] = chunks[j]
        spec.chunk = extents
    if axes is not None:
        for j in range(array._ndim):
            permute[j] = array._axis(axes[j]) if isinstance(axes[j], str) else axes[j]  # the library checks a number
        spec.permute = permute
    if order is not None:
        spec.chunk_order = &chunk_order
    spec.align = align
    spec.memory_bytes = memory or 0
    spec.flags = flags
    spec.keep_bits = keep_bits
    spec.progress = look_for_signals
    spec.user = <void *>findings
    with nogil:
        st = drx_copy(array._a, c_target, &spec, &copied._a)
    if findings.error is not None:
        raise findings.error
    if st == DRX_ERANGE:  # too little memory
        raise ValueError(drx_last_error().decode("utf-8", "replace"))
    raised(st, target)
    with nogil:
        st = drx_sync(copied._a)
    raised(st, target)


cdef tuple cost_of(drx_access_cost *cost):
    return cost.calls, cost.bytes, cost.seconds


def advise(Handle array, requests, int64_t chunk_bytes, int64_t align, int64_t memory):
    """(copies, chunk, align, block bytes, seconds before and after, rounds, members of drx_copy_plan, costs before, costs after)
    for [(extents, weight)]."""
    cdef int n = len(requests), ndim = array._ndim, i, j
    cdef int64_t *counts = <int64_t *>calloc(n * ndim + 1, sizeof(int64_t))
    cdef drx_access *access = <drx_access *>calloc(n + 1, sizeof(drx_access))
    cdef drx_access_cost *costs = <drx_access_cost *>calloc(2 * n + 1, sizeof(drx_access_cost))
    cdef drx_advise_spec spec
    cdef drx_advice advice
    cdef drx_status st

    memset(&spec, 0, sizeof(spec))
    spec.chunk_bytes, spec.align, spec.memory_bytes = chunk_bytes, align, memory
    try:
        if counts == NULL or access == NULL or costs == NULL:
            raise MemoryError()
        for i in range(n):
            extents, weight = requests[i]
            set_indices(extents, ndim, counts + i * ndim, "a request")
            access[i].count = counts + i * ndim
            access[i].weight = weight
        array._enter()
        with nogil:
            st = drx_advise(array._a, n, access, &spec, &advice, costs, costs + n)
        if st == DRX_ERANGE:  # too little memory
            array._users -= 1
            raise ValueError(drx_last_error().decode("utf-8", "replace"))
        array._done(st)
        c = advice.copy
        return (advice.copies, tuple([advice.chunk[j] for j in range(ndim)]), advice.align, advice.block_bytes,
                advice.before_seconds, advice.after_seconds, advice.rounds,
                (c.passes, c.memory_bytes, c.temporary_bytes, c.read_bytes, c.read_calls, c.write_bytes, c.write_calls,
                 c.seconds),
                [cost_of(costs + i) for i in range(n)], [cost_of(costs + n + i) for i in range(n)])
    finally:
        free(counts)
        free(access)
        free(costs)


def axial_records(Handle array):
    """[(axis, at the low end, first index, first address, coefficients)] of all axial vectors, in their order."""
    cdef int64_t coefficients[DRX_MAX_NDIM]
    cdef int64_t index, address, count, low, i
    cdef int axis, j
    cdef drx_status st = DRX_OK

    records = []
    with array._lock:
        array._enter()
        for axis in range(array._ndim):
            count, low = drx_axial_count(array._a, axis), drx_axial_low_count(array._a, axis)
            for i in range(count):
                if st == DRX_OK:
                    st = drx_axial_record(array._a, axis, i, &index, &address, coefficients)
                records.append((axis, i >= count - low, index, address,
                                tuple([coefficients[j] for j in range(array._ndim)])))
        array._done(st)
    return records
