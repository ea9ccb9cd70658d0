"""Arrays that all ranks of a communicator open together, and distributed arrays in memory.

    >>> from mpi4py import MPI
    >>> a = drx.open("frames", comm=MPI.COMM_WORLD)
    >>> with a.distribute() as d:
    ...     total = comm.allreduce(d.local.sum())

All ranks make the calls marked *collective*, in the same order. An error on one rank is raised on all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

try:
    from drx import _mp
except ImportError as error:
    raise ImportError(f"drx.mpi needs the module drx._mp and Open MPI (Debian: python3-drx-mpi): {error}") from error
from drx import array, dap, indexing
from drx._core import fitting_strings, type_code
from drx._dap import Export
from drx._mp import SectionRequest  # what DistArray.read_async returns
from drx.array import Order


def on_all(comm, call):
    """The result of `call`, made on each rank. If it fails on a rank, that rank raises its error, and the others a
    ValueError. Collective. For checks before a collective call, which would wait for the ranks that failed."""
    result, error = None, None
    try:
        result = call()
    except Exception as raised:
        error = raised
    texts = comm.allgather(None if error is None else f"{type(error).__name__}: {error}")
    if error is not None:
        raise error
    for rank, text in enumerate(texts):
        if text is not None:
            raise ValueError(f"rank {rank}: {text}")
    return result


class Array(_mp.Shared, array.Array):
    """An array that all ranks of `comm` have open.

    Each rank uses ``a[...]`` and ``a[...] = values`` by itself. Calls that change the array are collective: `extend`,
    `resize`, `append`, `prepend`, `trim`, `add_axis`, attributes and names, `sync`, `compact`, `refresh`, `close`. The end of a ``with`` block closes
    the array, unless an exception ends the block, because other ranks may not have that exception.
    """

    _many_at_once = False

    def __exit__(self, *error: Any) -> None:
        if error[0] is None:
            self.close()

    def _on_all(self, call: Any) -> Any:
        return on_all(self.comm, call)

    def append(self, data: Any, axis: int | str = 0) -> tuple[int, ...]:
        """Grow an axis by a slab that is equal on all ranks; rank 0's is written. Collective. See `append_all`."""
        axis, slab = self._on_all(lambda: self._slab(data, axis))
        lo = [0] * self.ndim
        lo[axis] = self.shape[axis]
        part = slab if self.comm.rank == 0 else np.empty([0] * self.ndim, self.dtype)
        return self._append_all(axis, slab.shape[axis], lo, part)

    def prepend(self, data: Any, axis: int | str = 0) -> tuple[int, ...]:
        """The same before the first index. Collective. See `prepend_all`."""
        axis, slab = self._on_all(lambda: self._slab(data, axis))
        part = slab if self.comm.rank == 0 else np.empty([0] * self.ndim, self.dtype)
        return self._append_all(axis, slab.shape[axis], [0] * self.ndim, part, True)

    def _slab(self, data, axis):
        """(axis, 0 or more; data to append along it)."""
        slab = self._converted(data)
        axis = self._axis_number(axis)
        if slab.ndim == self.ndim - 1:
            slab = np.expand_dims(slab, axis)
        if slab.ndim != self.ndim or any(n != m for j, (n, m) in enumerate(zip(slab.shape, self.shape)) if j != axis):
            raise ValueError(f"the data have shape {np.shape(data)}, the array {self.shape}: they do not fit "
                             f"axis {axis}")
        return axis, slab

    def append_all(self, axis: int | str, by: int, lo: Sequence[int], data: Any) -> tuple[int, ...]:
        """Grow an axis by `by` and write the new slab, atomically; each rank gives a part of it. Collective.

        Parameters
        ----------
        axis : int or str
        by : int
            Equal on all ranks.
        lo : sequence of int
            Where this rank's part begins, in indices of the grown array.
        data : array_like
            The part, of any shape within the slab, or empty. Elements that no rank gives keep the fill value.

        Returns
        -------
        tuple of int
            The new shape.

        Raises
        ------
        ValueError, TypeError, PermissionError, OverflowError, OSError
            On all ranks; then the array is unchanged.
        """
        axis, part = self._on_all(lambda: (self._axis_number(axis), self._part(lo, data)))
        return self._append_all(axis, by, lo, part)

    def prepend_all(self, axis: int | str, by: int, lo: Sequence[int], data: Any) -> tuple[int, ...]:
        """As `append_all`, before the first index: the new slab has the indices 0 to by - 1 of the grown array. Collective."""
        axis, part = self._on_all(lambda: (self._axis_number(axis), self._part(lo, data)))
        return self._append_all(axis, by, lo, part, True)

    def _part(self, lo, data):
        part = self._converted(data)
        if len(lo) != self.ndim or part.ndim != self.ndim:
            raise ValueError(f"lo has {len(lo)} entries and the data {part.ndim} axes, expected {self.ndim}")
        return part

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("an array that many processes have open cannot be pickled or copied")

    def read_all(self, key: Any = ..., out: np.ndarray | None = None, order: Order = "C") -> Any:
        """As `read`, each rank its own box; a rank with ``key=None`` reads nothing. Collective."""
        box, memory = self._plan(key, lambda box: np.empty(box.count, self.dtype, order=order) if out is None
                                 else self._box_of(out, box, self.dtype))
        self._take_part(False, box, memory)
        return None if box is None else memory[box.view] if out is None else out

    def write_all(self, key: Any, value: Any) -> None:
        """As ``a[key] = value``, each rank its own box; a rank with ``key=None`` writes nothing. Collective. One rank
        assembles a chunk that several ranks write."""
        def memory_of(box):
            return box.full(np.broadcast_to(self._native(value), box.shape()))

        self._take_part(True, *self._plan(key, memory_of))

    def _plan(self, key, memory_of):
        """(box, memory); (None, None) without a key. An error of one rank is raised on all. Collective."""
        def plan():
            if key is None:
                return None, None
            box = indexing.parse_box(indexing.by_name(key, self.dims), self.shape)
            return box, memory_of(box)

        return self._on_all(plan)

    def _take_part(self, writing, box, memory):
        if box is None:
            none = (0,) * self.ndim
            self._move_all(writing, none, none, (1,) * self.ndim, np.empty(none, self.dtype))
        else:
            self._move_all(writing, box.lo, box.count, box.step, memory)

    def distribute(self, grid: Sequence[int] | None = None, block_chunks: Sequence[int] | None = None,
                   order: Order = "C", read: bool = True) -> DistArray:
        """Spread the array over the ranks as zones of whole chunks. Collective.

        Parameters
        ----------
        grid : sequence of int, optional
            Ranks along each axis; chosen to balance the load when it is not given.
        block_chunks : sequence of int, optional
            Chunks in a block along each axis, which are dealt out in turn; one block for each rank when not given.
        order : 'C' or 'F'
            Of the sections in memory.
        read : bool
            Read the elements; else they are zero.

        Returns
        -------
        DistArray
        """
        section = DistArray()
        section._zones(self, grid, block_chunks, order == "F")
        if read:
            section.read(self)
        return section


class DistArray(_mp.Section):
    """An array in the memory of the ranks of a communicator.

    `Array.distribute`, `zeros` and `from_distarray` return one. `local` is the section of this rank. ``d.get(key)``,
    ``put`` and ``acc`` access elements of any rank by global indices; that rank need not take part. The global indices of
    an unstructured axis (dist_type 'u') are those that the ranks list, of any sign: none of them counts from the end,
    here and in `gather`, `scatter`, `owner` and `fetch_add`. The end of a ``with`` block frees it.
    """

    def __enter__(self) -> DistArray:
        return self

    def __exit__(self, error: Any, *_: Any) -> None:
        if error is None:  # else closing might wait for ranks that do not come here
            self.close()

    def __repr__(self) -> str:
        if self.closed:
            return "<drx.mpi.DistArray, closed>"
        kinds = "".join(one.get("dist_type", "-") for one in self.dim_data)
        return f"<drx.mpi.DistArray {self.shape} {self.dtype}, {kinds}, rank {self.comm.rank} of {self.comm.size}>"

    def get(self, key: Any = ...) -> Any:
        """The elements that a key of ints and slices of step 1 selects, in a new array. Not collective."""
        box = self._box(key)
        memory = np.empty(box.count, self.dtype)
        self._one_sided("get", box.lo, memory)
        return memory[box.view]

    def put(self, key: Any, value: Any) -> None:
        """Store values at a key. They are stored on return. Not collective."""
        box = self._box(key)
        self._one_sided("put", box.lo, self._memory(box, value))

    def acc(self, key: Any, value: Any, alpha: Any = 1) -> None:
        """Add alpha times values to the elements of a key. The addition to an element is atomic. Not collective."""
        box = self._box(key)
        self._one_sided("acc", box.lo, self._memory(box, value), alpha)

    def _box(self, key):
        return indexing.parse_plain(key, self.shape, "one-sided access", self._labels)

    @property
    def _labels(self):
        """The unstructured axes."""
        return {j for j, one in enumerate(self.dim_data) if one.get("dist_type") == "u"}

    def _native(self, value):
        """Values of the array's dtype."""
        return fitting_strings(value, self.dtype) if self.dtype.kind in "SU" else np.asarray(value).astype(self.dtype, copy=False)

    def _memory(self, box, value):
        full = np.asarray(box.full(np.broadcast_to(self._native(value), box.shape())))
        return full if full.flags.c_contiguous or full.flags.f_contiguous else np.ascontiguousarray(full)

    def gather(self, *lists: Any) -> np.ndarray:
        """The elements at the given indices, one list for each axis. Not collective."""
        return array.Points(self)[lists]

    def scatter(self, *lists: Any, values: Any) -> None:
        """Store values at the given indices, one list for each axis. Not collective."""
        array.Points(self)[lists] = values


def zeros(comm: Any, dim_data: Sequence[dict[str, Any]], dtype: Any = "float64", order: Order = "C") -> DistArray:
    """A distributed array of zeros. Collective.

    Parameters
    ----------
    comm : mpi4py.MPI.Comm
    dim_data : sequence of dict
        How it is distributed, as this rank sees it: the protocol's dim_data.
    dtype : dtype
    order : 'C' or 'F'
        Of the sections in memory.

    Raises
    ------
    ValueError
        Descriptions that do not fit together: which rank, axis and key.
    """
    section = DistArray()
    code, export = on_all(_mp.checked_comm(comm), lambda: (type_code(dtype), described(dim_data, dtype)))
    section._make(comm, code, export, order == "F")
    return section


def described(dim_data, dtype):
    """An export of a section of the right shape, which takes no memory."""
    from drx._dap import local_shape

    for axis, one in enumerate(dim_data):
        dap.check_axis(axis, one)
    return Export(np.broadcast_to(np.empty((), dtype), local_shape(dim_data)), dim_data)


def from_distarray(obj: Any, comm: Any) -> DistArray:
    """A distributed array over the sections that the ranks export, without a copy. Collective.

    Parameters
    ----------
    obj : object with ``__distarray__``, or the dictionary that it returns
    comm : mpi4py.MPI.Comm
        All ranks that export, in the order of the protocol.

    Returns
    -------
    DistArray

    Raises
    ------
    ValueError
        Exports that do not fit together.
    """
    section = DistArray()
    section._import(comm, on_all(_mp.checked_comm(comm), lambda: dap.checked(obj)))
    return section
