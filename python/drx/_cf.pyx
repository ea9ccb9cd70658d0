# cython: language_level=3
"""Coordinates and packed numbers by what they mean: drx_cf.h over arrays of NumPy."""

cimport numpy as cnp
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memset

from drx._drx cimport DRX_ENOMEM, DRX_EUNSUPPORTED, DRX_OK, drx_last_error, drx_status, drx_type

import numpy as np

from drx._core import dtype_of, type_code

cnp.import_array()

cdef extern from "drx_cf.h" nogil:
    ctypedef struct drx_cf:
        drx_type type
        drx_type fill_type
        const char *name
        const char *standard_name
        const char *units
        const char *calendar
        double scale_factor
        double add_offset
        const void *fill
        const void *missing
        int32_t nmissing
        drx_type missing_type
    ctypedef enum drx_cf_overlap:
        DRX_CF_REFUSE
        DRX_CF_SKIP
        DRX_CF_REPLACE
    ctypedef enum drx_cf_side:
        DRX_CF_BEFORE
    ctypedef struct drx_cf_alignment:
        drx_cf_side side
        int64_t start "from"
        int64_t appended
    drx_type drx_cf_type(drx_type stored, const char *is_unsigned)
    drx_status drx_cf_is_date(const drx_cf *cf, int *is_date)
    drx_status drx_cf_match(const drx_cf *stored, const drx_cf *given)
    drx_status drx_cf_unpack(const drx_cf *cf, int64_t n, const void *stored, double *values)
    drx_status drx_cf_convert(const drx_cf *given, const drx_cf *to, int64_t n, const double *values, double *out)
    drx_status drx_cf_encode(const drx_cf *given, const drx_cf *to, int64_t n, const void *stored, void *out)
    drx_status drx_cf_align(const drx_cf *stored, int64_t m, const void *have, const drx_cf *given, int64_t n,
                            const void *more, drx_cf_overlap overlap, int64_t *index, void *encoded,
                            drx_cf_alignment *out)
    drx_status drx_cf_compare(const drx_cf *stored, const void *have, const drx_cf *given, const void *more, int64_t n,
                              int64_t *first)

OVERLAPS = {"refuse": DRX_CF_REFUSE, "skip": DRX_CF_SKIP, "replace": DRX_CF_REPLACE}


cdef int check(drx_status st, str hint="") except -1:
    """hint: what a ValueError says, too."""
    if st == DRX_OK:
        return 0
    text = drx_last_error().decode("utf-8", "replace")
    error = {DRX_ENOMEM: MemoryError, DRX_EUNSUPPORTED: NotImplementedError}.get(st)
    raise error(text) if error else ValueError(text + hint)


cdef class Meaning:
    """What numbers of a variable mean.

    Parameters
    ----------
    name : str
    dtype : dtype
        Of the elements: real numbers, or strings.
    attrs : mapping
        units, calendar, standard_name, scale_factor, add_offset, _Unsigned, _FillValue and missing_value count.
    """
    cdef drx_cf cf
    cdef list kept  # what the pointers of cf point to
    cdef tuple given
    cdef readonly object dtype, reads  # as stored, and as which it is read (_Unsigned)
    cdef readonly tuple key
    cdef readonly bint has_fill

    def __cinit__(self, name, dtype, attrs):
        memset(&self.cf, 0, sizeof(self.cf))
        self.given = name, dtype, dict(attrs)
        self.dtype = np.dtype(dtype).newbyteorder("=")
        texts = [self.text(name, attrs, what) for what in ("standard_name", "units", "calendar")]
        sign = attrs.get("_Unsigned")
        sign = sign.encode() if isinstance(sign, str) else b""
        self.cf.type = drx_cf_type(type_code(dtype), sign)
        self.reads = dtype_of(self.cf.type)
        self.kept = [str(name).encode(), *texts]
        self.cf.name = <const char *>self.kept[0]
        self.cf.standard_name = NULL if texts[0] is None else <const char *>texts[0]
        self.cf.units = NULL if texts[1] is None else <const char *>texts[1]
        self.cf.calendar = NULL if texts[2] is None else <const char *>texts[2]
        self.cf.scale_factor = self.number(name, attrs, "scale_factor")
        self.cf.add_offset = self.number(name, attrs, "add_offset")
        fill, missing = self.marks(attrs, "_FillValue"), self.marks(attrs, "missing_value")
        self.kept += fill, missing
        self.has_fill = fill.size == 1
        if self.has_fill:
            self.cf.fill = cnp.PyArray_DATA(fill)
            self.cf.fill_type = type_code(fill.dtype)
        self.cf.missing = cnp.PyArray_DATA(missing)
        self.cf.nmissing = missing.size
        self.cf.missing_type = type_code(missing.dtype)
        self.key = (*texts[1:], self.cf.scale_factor or 1.0, self.cf.add_offset, self.reads,
                    *((one.dtype, one.tobytes()) for one in (fill, missing)))

    def __reduce__(self):
        return Meaning, self.given

    @staticmethod
    def text(name, attrs, what):
        value = attrs.get(what)
        if value is not None and not isinstance(value, str):
            raise ValueError(f"variable {name!r} has {what} {value!r}, expected a text")
        return None if value is None else value.encode()

    @staticmethod
    def number(name, attrs, what):
        value = np.asarray(attrs.get(what, 0))
        if value.size != 1 or value.dtype.kind not in "iuf":
            raise ValueError(f"variable {name!r} has {what} {attrs[what]!r}, expected a number")
        return float(value.reshape(())[()])

    def marks(self, attrs, what):
        """The numbers that stand for missing values; those that the type has are elements."""
        values = np.ravel(attrs.get(what, ()))
        values = values.astype(values.dtype.newbyteorder("="))
        if self.dtype.kind in "SU" or values.dtype.kind not in "iuf":
            return np.empty(0)
        with np.errstate(all="ignore"):
            elements = values.astype(self.dtype)
        return elements.view(self.reads) if np.array_equal(elements, values, equal_nan=True) else values

    @property
    def is_packed(self):
        return self.key[2:4] != (1.0, 0.0)

    def is_date(self):
        cdef int found
        check(drx_cf_is_date(&self.cf, &found))
        return bool(found)


def match(Meaning stored, Meaning given):
    """ValueError unless numbers of `given` can become numbers of `stored`."""
    check(drx_cf_match(&stored.cf, &given.cf))


cdef cnp.ndarray plain(values, dtype):
    return np.ascontiguousarray(values, dtype)


def converted(values, Meaning given, Meaning to):
    """What elements mean, unpacked and in the units of `to`."""
    cdef cnp.ndarray source = plain(values, given.dtype)
    cdef cnp.ndarray out = np.empty(np.shape(source), np.float64)
    cdef double *numbers = <double *>cnp.PyArray_DATA(out)
    check(drx_cf_unpack(&given.cf, source.size, cnp.PyArray_DATA(source), numbers))
    check(drx_cf_convert(&given.cf, &to.cf, source.size, numbers, numbers))
    return out


def encode(values, Meaning given, Meaning stored, str hint="", bint exact=False):
    """The elements that mean what `values` do, as they are stored. ValueError, ending with `hint`: one does not fit; exact: a
    floating-point type holds a number near an integer."""
    cdef cnp.ndarray source = plain(values, given.dtype)
    cdef cnp.ndarray out = np.empty(np.shape(source), stored.dtype)
    cdef int64_t n = source.size
    cdef drx_status st
    cdef void *from_, *to
    from_, to = cnp.PyArray_DATA(source), cnp.PyArray_DATA(out)
    with nogil:
        st = drx_cf_encode(&given.cf, &stored.cf, n, from_, to)
    check(st, hint)
    if exact and given.key[:4] == stored.key[:4] and source.dtype.kind in "iu" and out.dtype.kind == "f":
        wrong = np.flatnonzero(out.astype(np.longdouble) != source.astype(np.longdouble))
        if wrong.size:
            raise ValueError(f"{given.given[0]}: {np.ravel(source)[wrong[0]]} is stored as {out.dtype}, which cannot hold it exactly")
    return out.reshape(np.shape(values))


def align(Meaning stored, have, Meaning given, more, overlap):
    """(before, start, stop, index, encoded): those from `start` to `stop` are added, before the stored ones or after them.
    Where each goes, counted from the first stored one: the others are stored there. And all as they are stored.

    Parameters
    ----------
    have, more : array_like
        The elements of the stored coordinate and of the one to append.
    overlap : {"refuse", "skip", "replace"}
    """
    cdef cnp.ndarray old = plain(have, stored.dtype), new = plain(more, given.dtype)
    cdef cnp.ndarray index = np.empty(new.size, np.int64), encoded = np.empty(new.size, stored.dtype)
    cdef drx_cf_alignment where
    if overlap not in OVERLAPS:
        raise ValueError(f"overlap is {overlap!r}, expected one of {', '.join(OVERLAPS)}")
    try:
        check(drx_cf_align(&stored.cf, old.size, cnp.PyArray_DATA(old), &given.cf, new.size, cnp.PyArray_DATA(new),
                           OVERLAPS[overlap], <int64_t *>cnp.PyArray_DATA(index), cnp.PyArray_DATA(encoded), &where))
    except ValueError as error:
        if overlap == "refuse" and drx_cf_align(&stored.cf, old.size, cnp.PyArray_DATA(old), &given.cf, new.size,
                                                cnp.PyArray_DATA(new), DRX_CF_SKIP, NULL, NULL, &where) == DRX_OK:
            raise ValueError(f"{error}; overlap='skip' leaves those that are stored, 'replace' overwrites them") from None
        raise
    return where.side == DRX_CF_BEFORE, where.start, where.start + where.appended, index, encoded


def compare(Meaning stored, have, Meaning given, more):
    """ValueError unless the elements mean the same, beyond rounding."""
    cdef cnp.ndarray old = plain(have, stored.dtype), new = plain(more, given.dtype)
    if old.size != new.size:
        raise ValueError(f"{new.size} elements, stored are {old.size}")
    check(drx_cf_compare(&stored.cf, cnp.PyArray_DATA(old), &given.cf, cnp.PyArray_DATA(new), new.size, NULL))
