"""The Distributed Array Protocol, version 0.10.0: checking what others export.

An export is what ``__distarray__()`` returns: a dictionary of ``__version__``, ``buffer`` and ``dim_data``, one
dictionary for each axis of the buffer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from drx import _dap

VERSION = "0.10.0"
KEYS = {"__version__", "buffer", "dim_data"}


def export_of(given: Any) -> dict[str, Any]:
    """The export of an object: by its ``__distarray__``, or itself if it is one.

    Raises
    ------
    TypeError, ValueError
    """
    if hasattr(given, "__distarray__"):
        given = given.__distarray__()
    if not isinstance(given, dict):
        raise TypeError(f"expected an object with __distarray__, or its dictionary, not {type(given).__name__}")
    return given


def checked(given: Any) -> _dap.Export:
    """A drx._dap.Export of an export, after a check of the rules about Python's values."""
    given = export_of(given)
    if set(given) != KEYS:
        raise ValueError(f"the export has the keys {', '.join(sorted(map(str, given)))}, expected __version__, buffer "
                         "and dim_data")
    version = given["__version__"]
    if not isinstance(version, str) or not re.fullmatch(r"0\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)", version):
        raise ValueError(f"__version__ is {version!r}, expected {VERSION!r} or another of 0, of three numbers")
    dim_data = given["dim_data"]
    if not isinstance(dim_data, (tuple, list)) or not all(isinstance(axis, dict) for axis in dim_data):
        raise ValueError("dim_data must be a tuple of dictionaries")
    for axis, one in enumerate(dim_data):
        check_axis(axis, one)
    return _dap.Export(section_of(given["buffer"]), dim_data)


def section_of(buffer: Any) -> np.ndarray:
    """A NumPy array over a buffer of PEP 3118, without a copy. A read-only one, bytes say, stays so. TypeError for what
    has no buffer."""
    if isinstance(buffer, np.ndarray):
        return buffer
    try:
        return np.asarray(memoryview(buffer))
    except TypeError:
        raise TypeError(f"buffer is {type(buffer).__name__}, expected an object with a buffer (PEP 3118), as NumPy's "
                        "arrays and memoryview are") from None


def check_axis(axis: int, given: dict[str, Any]) -> None:
    """Types of the values of one axis."""
    if not given:
        return
    if given.get("dist_type") not in ("b", "c", "u"):
        raise ValueError(f"axis {axis}: dist_type is {given.get('dist_type')!r}, expected 'b', 'c' or 'u'")
    for key in ("periodic", "one_to_one"):
        if not isinstance(given.get(key, False), (bool, np.bool_)):
            raise ValueError(f"axis {axis}: {key} is {given[key]!r}, expected a bool")
    padding = given.get("padding", (0, 0))
    if not isinstance(padding, (tuple, list)) or len(padding) != 2:
        raise ValueError(f"axis {axis}: padding is {padding!r}, expected two ints")
    for key in ("size", "proc_grid_size", "proc_grid_rank", "start", "stop", "block_size"):
        value = given.get(key, 0)
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
            raise ValueError(f"axis {axis}: {key} is {value!r}, expected an int")


def validate(given: Any) -> None:
    """Check what one rank exports.

    Parameters
    ----------
    given : object with ``__distarray__``, or dict

    Raises
    ------
    ValueError
        Which axis and key is wrong, and what was expected.
    TypeError
        It is not an export.
    """
    checked(given).validate()


def validate_set(exports: Iterable[Any]) -> None:
    """Check what all ranks export, together.

    Parameters
    ----------
    exports : sequence
        Of all ranks, in their order.

    Raises
    ------
    ValueError
        Which rank, axis and key is wrong, and what was expected.
    TypeError
    """
    checks = []
    for rank, given in enumerate(exports):
        try:
            checks.append(checked(given))
        except (TypeError, ValueError) as error:
            raise type(error)(f"rank {rank}: {error}") from None
    _dap.validate_exports(checks)
