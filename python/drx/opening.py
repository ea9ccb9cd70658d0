"""drx.create and drx.open."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Union

import numpy as np

from drx import _core, limits, places
from drx.array import Array, Order
from drx.attributes import storable
from drx.notes import JSON

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

Path = Union[str, "os.PathLike[str]"]
Axes = Union[int, str, Sequence[Union[int, str]]]
REPLACE, CHECKSUM, SHELL, TEMPORARY = 1, 2, 4, 8  # drx_spec.flags
SUFFIXES = (".xmd", ".xta", ".xcs", ".xtz", ".xct")
MODES = ("r", "r+", "s", "a", "w", "w-", "x")


def align_of(align: int | str) -> int:
    if align == "auto":
        return -1  # DRX_ALIGN_AUTO
    if isinstance(align, str) or align < 0:
        raise ValueError(f"align {align!r}, expected a power of two, or 'auto'")
    return align


def create(path: Path | None, shape: int | Sequence[int], dtype: DTypeLike = "float64",
           chunks: int | Sequence[int] | None = None, fill_value: Any = None,
           dims: Sequence[str | None] | None = None, *, order: Order = "C", attrs: Mapping[str, Any] | None = None,
           overwrite: bool = False, shell: bool = False, temporary: bool = False, align: int | Literal["auto"] = 0,
           stripes: Sequence[Path] | None = None, checksum: bool = False, lower: Sequence[int] | None = None,
           compression: str | None = None, level: int | None = None, shuffle: str | None = None,
           grows: Axes = (), comm: Any = None) -> Array:
    """Create an array and open it for writing.

    Parameters
    ----------
    path : str, os.PathLike or None
        The files are PATH.xmd and PATH.xta; with `compression` PATH.xmd, PATH.xtz and PATH.xct. With None the array lives in memory.
    shape : sequence of int
        The initial bounds, in elements along each of 1 to 32 axes. A bound may be 0.
    dtype : dtype
        int8 to int64, uint8 to uint64, float16, float32, float64, complex64, complex128, bool, S1 to S4096, U1 to U1024.
    chunks : sequence of int, or int for one axis, optional
        The extents of a chunk, in elements. When they are not given, DRX chooses chunks of up to 1 MiB that suit the
        shape; see `grows`.
    fill_value : scalar, optional
        The value of elements that nobody has written; by default that of the attribute _FillValue, or 0.
    dims : sequence of str or None, optional
        Names of the axes.
    order : 'C' or 'F'
        The order of the elements inside a chunk.
    attrs : mapping, optional
        Attributes.
    overwrite : bool
        Replace an array that is there.
    shell : bool
        Lay the initial chunks out in symmetric linear shell order.
    temporary : bool
        Remove the files when the array is closed or the process dies, unless `Array.persist` is called.
    align : int or "auto"
        Chunks start at multiples of this number of bytes, a power of two. "auto": a stripe of the file system, on Lustre or
        BeeGFS, elsewhere a block of it; or a part of that which adds at most a sixteenth to a chunk.
    stripes : sequence of str, optional
        Folders that hold the chunks in turn.
    checksum : bool
        Keep a checksum of each chunk, in PATH.xcs. Reading a whole chunk that does not match raises
        drx.ChecksumError.
    lower : sequence of int, optional
        What the file calls the first index of each axis, of any sign; 0 when not given. Python numbers from 0 there.
    compression : str, optional
        Compress each chunk by itself, into a frame of Blosc, with this codec of `drx.CODECS`, as 'zstd'. Such an array
        has checksums of its own; `checksum` and `stripes` do not go with it.
    level : int, optional
        Of compression, 1 (fast) to 9 (small); 5 by default.
    shuffle : 'none', 'byte' or 'bit', optional
        Put the bytes, or bits, of a chunk in the order of their significance before they are compressed. By default
        'byte' for elements of several bytes, else 'none'.
    grows : int, str, or sequence of them, optional
        Axes that are going to grow, by number or name: a chunk that DRX chooses has room along them. An axis of
        extent 0 grows without being named.
    comm : mpi4py.MPI.Comm, optional
        All ranks create the array together, with equal arguments. Collective.

    Returns
    -------
    drx.Array, or drx.mpi.Array with `comm`

    Raises
    ------
    FileExistsError, FileNotFoundError, PermissionError, drx.BusyError, ValueError, TypeError, OverflowError, OSError
    """
    def prepared() -> tuple[_core.Spec, dict[str, Any]]:
        fill, stored = with_fill(fill_value, dtype, attrs)
        spec = _core.Spec(listed(shape), _core.type_code(dtype), None if chunks is None else listed(chunks),
                          fill, dims, order_of(order), flags_of(overwrite, shell, temporary, checksum),
                          align_of(align), stripes, lower, (compression, level, shuffle), listed(grows))
        return spec, stored

    array = new_array(comm)
    spec, stored = array._on_all(prepared)
    array._create(None if path is None else _core.expanded(path), spec)
    array.attrs.update(stored)
    return array


def open(path: Path, mode: str = "r", comm: Any = None, **spec: Any) -> Array:
    """Open an array.

    Parameters
    ----------
    path : str or os.PathLike
        The path that was given to `drx.create`, or that of one of the files.
    mode : str
        'r' reads. 'r+' reads and writes. 's' reads and writes beside other processes that use 's'. 'a' is 'r+', and
        creates the array if there is none. 'w' creates it and replaces another. 'w-' or 'x' creates it and refuses to
        replace another.
    comm : mpi4py.MPI.Comm, optional
        All ranks open the array together. Collective.
    **spec
        What `drx.create` takes (shape, dtype, ...), for modes that create.

    Returns
    -------
    drx.Array, or drx.mpi.Array with `comm`

    Raises
    ------
    FileNotFoundError, PermissionError, drx.BusyError, drx.FormatError, OSError
    """
    if mode not in MODES:
        raise ValueError(f"mode {mode!r}, expected one of {', '.join(MODES)}")
    limits.keep()
    path = stem(_core.expanded(path))
    if mode in ("w", "w-", "x") or mode == "a" and not exists(path, comm):
        if "shape" not in spec:
            raise ValueError(f"mode {mode!r} makes an array: shape is missing")
        return create(path, comm=comm, overwrite=mode == "w", **spec)
    if spec and mode != "a":
        raise TypeError(f"mode {mode!r} takes no {', '.join(spec)}")
    if mode == "s" and comm is not None:
        raise ValueError("mode 's' is for processes that know nothing of each other, expected 'r+' with comm")
    array = new_array(comm)
    try:
        report = array._open(path, "r+" if mode == "a" else mode)
    except FileNotFoundError as error:
        kind = None if places.is_url(path) else places.foreign_file(path)
        if kind is None:
            raise
        raise FileNotFoundError(error.errno, f"{path}: is {kind}, no array of DRX; `drx import {path} NEW` makes one of it") from None
    if report:
        warnings.warn(report, stacklevel=2)
    return array


def new_array(comm: Any) -> Array:
    """An array that is not open yet: a drx.mpi.Array with `comm`."""
    if comm is None:
        return Array()
    from drx import mpi

    together = mpi.Array()
    together._join(comm)
    return together


def exists(path: str, comm: Any) -> bool:
    """Whether an array is there; with `comm`, as its rank 0 sees it."""
    there = places.has_array(path)
    return there if comm is None else comm.bcast(there)


def stem(path: str) -> str:
    """The path without the suffix of one of the files."""
    root, suffix = os.path.splitext(path)
    return root if suffix in SUFFIXES and not places.has_array(path) else path


def listed(entries: Axes) -> tuple[Any, ...]:
    """Bounds or axes as a tuple; one number or name is one entry."""
    return (entries,) if isinstance(entries, (int, str, np.integer)) else tuple(entries)


def with_fill(fill: Any, dtype: DTypeLike, attrs: Mapping[str, Any] | None) -> tuple[Any, dict[str, Any]]:
    """The fill value and the attributes of a new array. The fill is the attribute _FillValue, of the array's type.
    ValueError, TypeError: they differ, or the type has no such value; an attribute cannot be stored."""
    attrs = dict(attrs or {})
    for name, value in attrs.items():
        storable(name, value)
    marked = attrs.get("_FillValue")
    if marked is None or isinstance(marked, str) and JSON in attrs:
        return fill, attrs
    stored = _core.dtype_of(_core.type_code(dtype))
    one = np.ravel(marked)[0] if np.size(marked) == 1 else marked
    missing = _core.number_of(one, stored, "the attribute _FillValue")
    given = missing if fill is None else _core.number_of(fill, stored, "fill_value")
    if given != missing and (given == given or missing == missing):
        raise ValueError(f"fill_value is {fill!r}, but the attribute _FillValue is {marked!r}: what nobody writes would "
                         "not read as missing; give one of them, or equal ones")
    return missing[()], attrs if stored.kind in "SU" else {**attrs, "_FillValue": missing}


def order_of(order: str) -> bool:
    """0 for C, 1 for Fortran."""
    if order not in ("C", "F"):
        raise ValueError(f"order {order!r}, expected 'C' or 'F'")
    return order == "F"


def flags_of(overwrite: bool, shell: bool, temporary: bool, checksum: bool) -> int:
    """drx_spec.flags."""
    return (REPLACE * bool(overwrite) | CHECKSUM * bool(checksum) | SHELL * bool(shell)
            | TEMPORARY * bool(temporary))
