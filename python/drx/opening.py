"""drx.create and drx.open."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from drx import _core
from drx.array import Array, Order
from drx.attributes import storable

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

Path = Union[str, "os.PathLike[str]"]
REPLACE, CHECKSUM, SHELL, TEMPORARY = 1, 2, 4, 8  # drx_spec.flags
MODES = ("r", "r+", "s", "a", "w", "w-", "x")


def create(path: Path | None, shape: int | Sequence[int], dtype: DTypeLike = "float64",
           chunks: int | Sequence[int] | None = None, fill_value: Any = None, dims: Sequence[str | None] | None = None, *,
           order: Order = "C", attrs: Mapping[str, Any] | None = None, overwrite: bool = False, shell: bool = False,
           temporary: bool = False, align: int = 0, stripes: Sequence[Path] | None = None, checksum: bool = False, comm: Any = None) -> Array:
    """Make a new array and open it for writing.

    Parameters
    ----------
    path : str, os.PathLike or None
        Without suffix: the files are PATH.xmd and PATH.xta. None: the array lives in memory.
    shape : sequence of int
        The initial bounds, 0 or more, of 1 to 32 axes.
    dtype : dtype
        int8 to int64, uint8 to uint64, float32, float64, complex64, complex128.
    chunks : sequence of int, or int for one axis, optional
        The extents of a chunk; chosen, about 1 MiB, when it is not given.
    fill_value : scalar, optional
        What elements are that nobody has written; 0 when it is not given.
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
        The files are gone when the array is closed or the process dies, unless `Array.persist` is called.
    align : int
        Chunks start at multiples of so many bytes, a power of two.
    stripes : sequence of str, optional
        Folders over which the chunks are spread in turn.
    checksum : bool
        Keep a checksum of each chunk, in PATH.xcs; a chunk that is read whole and does not match it raises
        drx.FormatError.
    comm : mpi4py.MPI.Comm, optional
        All its ranks make the array together, with equal arguments.

    Returns
    -------
    drx.Array, or drx.mpi.Array with `comm`

    Raises
    ------
    FileExistsError, FileNotFoundError, PermissionError, drx.BusyError, ValueError, TypeError, OverflowError, OSError
    """
    def prepared() -> _core.Spec:
        for name, value in (attrs or {}).items():
            storable(name, value)
        return _core.Spec(shape_of(shape), _core.type_code(dtype), None if chunks is None else shape_of(chunks),
                          fill_value, dims, order_of(order), flags_of(overwrite, shell, temporary, checksum), align,
                          stripes)

    where = None if path is None else os.fspath(path)
    array: Array
    if comm is not None:
        from drx import mpi
        from drx._mp import checked_comm

        array = together = mpi.Array()
        together._create_together(comm, where, mpi.on_all(checked_comm(comm), prepared))
    else:
        array = Array()
        array._create(where, prepared())
    if attrs:
        array.attrs.update(attrs)
    return array


def open(path: Path, mode: str = "r", comm: Any = None, **spec: Any) -> Array:
    """Open an array.

    Parameters
    ----------
    path : str or os.PathLike
        Without suffix; that of one of its files is taken off.
    mode : str
        'r' to read; 'r+' to read and write; 's' the same, beside other processes that open it with 's'; 'a' as 'r+',
        and made if it is not there; 'w' made anew, in place of one that is there; 'w-' or 'x' made, if none is there.
    comm : mpi4py.MPI.Comm, optional
        All its ranks open it together.
    **spec
        Where it is made: as `drx.create` takes it (shape, dtype, ...).

    Returns
    -------
    drx.Array, or drx.mpi.Array with `comm`

    Raises
    ------
    FileNotFoundError, PermissionError, drx.BusyError, drx.FormatError, OSError
    """
    if mode not in MODES:
        raise ValueError(f"mode {mode!r}, expected one of {', '.join(MODES)}")
    path = stem(os.fspath(path))
    if mode in ("w", "w-", "x") or mode == "a" and not exists(path, comm):
        if "shape" not in spec:
            raise ValueError(f"mode {mode!r} makes an array: shape is missing")
        return create(path, comm=comm, overwrite=mode == "w", **spec)
    if spec and mode != "a":
        raise TypeError(f"mode {mode!r} takes no {', '.join(spec)}")
    if mode == "s" and comm is not None:
        raise ValueError("mode 's' is for processes that know nothing of each other, expected 'r+' with comm")
    array: Array
    if comm is not None:
        from drx import mpi

        array = together = mpi.Array()
        report = together._open_together(comm, path, mode != "r")
    else:
        array = Array()
        report = array._open(path, "r+" if mode == "a" else mode)
    if report:
        warnings.warn(report, stacklevel=2)
    return array


def exists(path: str, comm: Any) -> bool:
    """Whether an array is there; with `comm`, as its rank 0 sees it."""
    there = os.path.exists(path + ".xmd")
    return there if comm is None else comm.bcast(there)


def stem(path: str) -> str:
    """The path without the suffix of one of the files."""
    root, suffix = os.path.splitext(path)
    return root if suffix in (".xmd", ".xta", ".xcs") and not os.path.exists(path + ".xmd") else path


def shape_of(shape: int | Sequence[int]) -> tuple[int, ...]:
    """A shape as a tuple; one int is one axis."""
    return (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)


def order_of(order: str) -> bool:
    """0 for C, 1 for Fortran."""
    if order not in ("C", "F"):
        raise ValueError(f"order {order!r}, expected 'C' or 'F'")
    return order == "F"


def flags_of(overwrite: bool, shell: bool, temporary: bool, checksum: bool) -> int:
    """drx_spec.flags."""
    return (REPLACE * bool(overwrite) | CHECKSUM * bool(checksum) | SHELL * bool(shell)
            | TEMPORARY * bool(temporary))
