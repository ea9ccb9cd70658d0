# cython: language_level=3
"""Whole arrays and datasets: check, repair, and copies into another layout (drx_tools.h)."""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t
from libc.string cimport memset

from drx._core cimport check as raised, without_nul
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
    cdef bytes source_name = without_nul(os.fsencode(source), "source")
    cdef bytes target_name = without_nul(os.fsencode(target), "target")
    cdef const char *c_source = source_name
    cdef const char *c_target = target_name
    cdef int permute[DRX_MAX_NDIM]
    cdef int64_t extents[DRX_MAX_NDIM]
    cdef drx_order chunk_order = DRX_COL_MAJOR if order == "F" else DRX_ROW_MAJOR
    cdef drx_copy_spec spec
    cdef drx_array *a = NULL
    cdef drx_array *b = NULL
    cdef drx_status st
    cdef int ndim

    codec, level, shuffle = codec_of(compression)
    memset(&spec, 0, sizeof(spec))
    with nogil:
        st = drx_open(c_source, DRX_RDONLY, &a)
    raised(st, source)
    try:
        ndim = drx_ndim(a)
        for what, given in ("chunks", chunks), ("axes", axes):
            if given is not None and len(given) != ndim:
                raise ValueError(f"{what} has {len(given)} numbers, expected {ndim}, one for each axis")
        if chunks is not None:
            for j in range(ndim):
                extents[j] = chunks[j]
            spec.chunk = extents
        if axes is not None:
            for j in range(ndim):
                permute[j] = axes[j]
            spec.permute = permute
        if order is not None:
            spec.chunk_order = &chunk_order
        spec.align = align
        spec.memory_bytes = memory or 0
        spec.flags = flags
        spec.keep_bits = keep_bits
        spec.codec = <drx_codec>drx_codec_named(codec.encode())
        spec.level = level
        spec.shuffle = <drx_shuffle>drx_shuffle_named(shuffle.encode())
        spec.progress = look_for_signals
        spec.user = <void *>findings
        with nogil:
            st = drx_copy(a, c_target, &spec, &b)
        if findings.error is not None:
            raise findings.error
        if st == DRX_ERANGE:  # too little memory
            raise ValueError(drx_last_error().decode("utf-8", "replace"))
        raised(st, target)
        with nogil:
            st = drx_sync(b)
        raised(st, target)
    finally:
        with nogil:
            if b != NULL:
                drx_close(b)
            drx_close(a)
