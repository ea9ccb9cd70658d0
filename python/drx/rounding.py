"""drx.keep_bits: floating-point numbers rounded to fewer bits, so that they compress better."""

from __future__ import annotations

from typing import Any

import numpy as np

from drx import _core


def keep_bits(array: Any, bits: int, skip: Any = None) -> np.ndarray:
    """Round floating-point numbers to the first `bits` bits of their mantissas, as netCDF's BitRound does.

    Parameters
    ----------
    array : array_like
        float16, float32, float64, complex64 or complex128. It stays as it is.
    bits : int
        1 to 23 for single precision, to 52 for double. The relative error is at most 2 ** -(bits + 1).
    skip : scalar, optional
        Elements of this value stay as they are; the fill value, for example. NaN and infinite numbers always do.

    Returns
    -------
    numpy.ndarray
        A new array of the same shape and type.

    Raises
    ------
    TypeError, ValueError

    Examples
    --------
    >>> drx.keep_bits(np.array([0.1, 273.15], "float32"), 7)
    array([  0.10009766, 273.        ], dtype=float32)
    """
    values = np.asarray(array)
    if values.dtype.kind not in "fc":
        raise TypeError(f"elements are of {values.dtype}, only floating-point numbers are rounded to fewer bits")
    values = np.array(values, dtype=values.dtype.newbyteorder("="), order="K")
    rounded = values if values.flags.c_contiguous or values.flags.f_contiguous else np.ascontiguousarray(values)
    _core.round_bits(rounded, bits, None if skip is None else _core.number_of(skip, rounded.dtype, "skip"))
    return rounded
