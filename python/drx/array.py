"""drx.Array: an array on disk, for NumPy's users."""

from __future__ import annotations

import itertools
import math
import operator
import time
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from drx import _core, fancy, indexing, many, places
from drx.advice import Advice, advise
from drx.attributes import Attributes
from drx.chunk_map import Map
from drx.fancy import BOX_ELEMENTS, PART_POINTS
from drx.picture import html_of

CHECKSUM = 2  # of drx_spec.flags
LARGE_BYTES = 8 << 20  # more than the caches of a processor hold
LINE_BYTES = 64
MASK_ELEMENTS = 16  # where a mask selects one element in this many, reading all takes as long
SLAB_ELEMENTS = 1 << 23  # a mask is looked at in slabs
TICK_NS = 20_000_000  # no clock of a file system stands longer
Order = Literal["C", "F"]  # of elements in memory, or in a chunk


def new_memory(shape: Sequence[int], dtype: np.dtype, order: Order) -> np.ndarray:
    """As `numpy.empty`, but large memory begins with a cache line, so that stores can bypass the caches."""
    size = math.prod(shape) * dtype.itemsize
    if size < LARGE_BYTES:
        return np.empty(shape, dtype, order=order)
    memory = np.empty(size + LINE_BYTES, np.uint8)
    begin = -memory.ctypes.data % LINE_BYTES
    return memory[begin : begin + size].view(dtype).reshape(shape, order=order)


class Packing(NamedTuple):
    """What the files of a compressed array hold."""

    compressed_chunks: int
    open_chunks: int  #: stored as they are, since they are not complete
    empty_chunks: int  #: nothing was written to them
    stored_bytes: int  #: of the chunks
    dead_bytes: int  #: of chunks that others have replaced; `Array.compact` gives them back
    table_bytes: int
    ratio: float | None  #: bytes of stored chunks before compression to after it, with the table; None: none is stored


class Array(_core.Elements):
    """An N-dimensional array on disk that grows along every axis.

    `drx.create` and `drx.open` return one. Use it like a NumPy array, and close it, or use it in a ``with`` block:

    ==================  =======================================================================================
    ``a[key]``          read into a new NumPy array; `key` has ints, slices of any step, ``...``, None, lists and bools, as
                        in NumPy; or it is a dict, ``{"time": -1, "x": [0, 3]}``, for `oindex`
    ``a[key] = v``      write; NumPy's rules for broadcasting and converting
    ``read(out=...)``   read into memory that you own; also `read_boxes`, `read_async` and `write_async`
    ``fields``          some fields of structured elements; ``a["x"]`` reads one
    ``oindex, vindex``  lists of indices, each for its axis, or as points
    ``append``          grow an axis and write the new slab, atomically; `prepend`: before the first index
    ``extend, resize``  grow, with elements that read as the fill value; also `reserve`
    ``trim``            drop indices at the ends of an axis; `add_axis`: one more axis
    ``shape, dtype``    the bounds and the type; also `chunks`, `dims`, `attrs`, `fill_value`, `history`, `info`
    ``compression``     how chunks are compressed; also `level`, `shuffle`, `packing`
    ``map, advise``     where the chunks are, and which ones suit your reads
    ``sync``            make everything durable
    ``refresh``         see what other processes have committed
    ==================  =======================================================================================

    Threads may share the array. Reads run beside each other and beside writes to other elements, without the GIL.
    An array that was opened to read can be pickled; unpickling opens it again.
    """

    _many_at_once = True  # whether many.py may read boxes of the file together
    _labels: Collection[int] = ()  # axes whose indices are taken as they are: none counts from the end

    # ---- what it is ----

    @property
    def size(self) -> int:
        """int: the number of elements."""
        size = 1
        for bound in self.shape:
            size *= bound
        return size

    @property
    def nbytes(self) -> int:
        """int: the bytes that all elements would take in memory."""
        return self.size * self.dtype.itemsize

    @property
    def fill_value(self) -> Any:
        """scalar: the value of elements that nobody has written."""
        return self._describe()[0]

    @property
    def order(self) -> str:
        """'C' or 'F': the order of the elements inside a chunk."""
        return self._describe()[1]

    @property
    def checksum(self) -> bool:
        """bool: whether the array keeps a checksum of each chunk."""
        return bool(self._describe()[2] & CHECKSUM)

    @property
    def compression(self) -> str | None:
        """The codec, as of `drx.create`; None: chunks are stored as they are."""
        return self._codec()[0]

    @property
    def level(self) -> int | None:
        """int: the level of compression, 1 to 9; None: not compressed."""
        return self._codec()[1]

    @property
    def shuffle(self) -> str | None:
        """'none', 'byte' or 'bit': what is done to a chunk before it is compressed; None: not compressed."""
        return self._codec()[2]

    def _codec(self) -> tuple[str | None, int | None, str | None]:
        """(compression, level, shuffle)"""
        return self._describe()[5]

    @property
    def packing(self) -> Packing | None:
        """Packing: what the files of a compressed array hold; None: it is not compressed. It reads the whole table."""
        if self.compression is None:
            return None
        packing = self._packing()
        chunk_bytes = math.prod(self.chunks) * self.dtype.itemsize
        stored = packing[3] + packing[5]
        raw = (packing[0] + packing[1]) * chunk_bytes
        return Packing(*packing, raw / stored if raw else None)

    @property
    def attrs(self) -> Attributes:
        """drx.attributes.Attributes: the attributes, a mutable mapping."""
        return Attributes(self)

    def history(self) -> list[tuple[int, int, tuple[int, ...]]]:
        """list of (axis, by, shape): each growth since the array was created, and the extents after it, as if nothing had been
        trimmed since. At the low end `by` is negative."""
        shape, steps = list(self._initial_shape()), []
        for axis, by in self._growth():
            shape[axis] += abs(by)
            steps.append((axis, by, tuple(shape)))
        return steps

    @property
    def info(self) -> dict[str, Any]:
        """dict: what ``drx info --json`` prints, except what it must look up in the files."""
        fill, order, _, align, stripes, _ = self._describe()
        return {
            "path": self.path, "lower": self.lower, "shape": self.shape, "chunk": self.chunks,
            "type": _core.type_name(self.dtype), "order": order,
            "dims": self.dims, "fill": fill, "attrs": dict(self.attrs), "align": align, "stripes": stripes,
            "history": [{"axis": axis, "by": by, "shape": shape} for axis, by, shape in self.history()],
            "chunks": self.nchunks, "checksum": self.checksum, "compression": self._compression_info(),
        }

    def _compression_info(self) -> dict[str, Any] | None:
        packing = self.packing
        if packing is None:
            return None
        return {"codec": self.compression, "level": self.level, "shuffle": self.shuffle, **packing._asdict()}

    def _on_all(self, call: Any) -> Any:
        """The result of `call`; drx.mpi.Array lets all ranks agree on it."""
        return call()

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        where = "in memory" if self.path is None else str(self.path)
        compression = None if self.closed else self.compression
        how = f", {compression} level {self.level} shuffle {self.shuffle}" if compression else ""
        state = ", closed" if self.closed else ""
        return f"<drx.Array {where} {self.shape} {self.dtype}, chunks {self.chunks}{how}, mode {self.mode!r}{state}>"

    def _repr_html_(self) -> str:
        return html_of(self)

    def __enter__(self) -> Array:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        if self.closed or self.mode != "r" or self.path is None:
            raise TypeError(f"{self!r} cannot be pickled or copied: only what was opened to read can")
        from drx.opening import open

        return open, (places.absolute(self.path),)

    def __dask_tokenize__(self) -> Any:
        """What tells the elements from others, also from later ones. Those that may change here are like none."""
        if self.closed or self.mode != "r" or self.path is None:
            return uuid.uuid4().hex
        versions = self._versions()
        age = time.time_ns() - max((changed for _, changed in versions[1:]), default=0)
        if 0 <= age < TICK_NS:
            time.sleep((TICK_NS - age) * 1e-9)  # so that a later change has another time
        return places.absolute(str(self.path)), self.lower, self.shape, versions

    # ---- reading ----

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if copy is False:
            raise ValueError("an array on disk cannot be a NumPy array without a copy")
        return self.read() if dtype is None else self.read().astype(dtype, copy=False)

    def read(self, key: Any = ..., out: np.ndarray | None = None, order: Order = "C", *, dtype: Any = None,
             exact: bool = False) -> Any:
        """Read what ``a[key]`` selects, into a new array of either order or into your own.

        Parameters
        ----------
        key : basic index
            Ints, slices, ``...``, None; or a mapping of names of axes to ints and slices.
        out : numpy.ndarray, optional
            Where the elements go. It has the shape of the result, the array's dtype, and strides of whole elements.
        order : 'C' or 'F'
            The order of a new array in memory.
        dtype : dtype, optional
            That of the result, and of `out`. The library converts some MiB at a time. Each number becomes the nearest
            one: floats are rounded, and integers saturate, where NumPy's wrap around. A NaN for an integer is a
            ValueError, and so is an imaginary part for a real number.
        exact : bool
            With `dtype`: a number that it does not hold is a ValueError, which names its index.

        Returns
        -------
        numpy.ndarray
            `out` if you passed it. The array belongs to you.

        Raises
        ------
        IndexError, ValueError, TypeError, drx.ChecksumError, OSError
        """
        box = indexing.parse_box(indexing.by_name(key, self.dims), self.shape)
        dtype = self.dtype if dtype is None else _core.dtype_of(_core.type_code(dtype))
        if dtype != self.dtype and (dtype.kind in "SU" or self.dtype.kind in "SU"):
            raise TypeError(f"dtype {dtype}: no conversion from {self.dtype}; strings have none to other types or lengths")
        memory = new_memory(box.count, dtype, order) if out is None else self._box_of(out, box, dtype)
        if dtype == self.dtype:
            self._move(False, box.lo, box.count, box.step, memory)
        else:
            self._move_as(False, box.lo, box.count, box.step, memory, exact)
        return memory[box.view] if out is None else out

    def _box_of(self, out, box, dtype):
        """The view of `out` with the axes of the array, none reversed."""
        if not isinstance(out, np.ndarray) or out.dtype != dtype:
            raise TypeError(f"out is {getattr(out, 'dtype', type(out))}, expected an array of {dtype}")
        if out.shape != box.shape():
            raise ValueError(f"out has shape {out.shape}, expected {box.shape()}")
        if not out.flags.writeable:
            raise ValueError("out is read-only")
        if not has_whole_strides(out):
            raise ValueError(f"out has strides {out.strides}, expected aligned ones of whole elements of {dtype}")
        return box.full(out)

    def _read_key(self, key):
        if isinstance(key, Mapping):
            return self.oindex[key]
        if fields_in(key):
            return self.fields(key)[...]
        mask = indexing.whole_mask(key, self.shape)
        if mask is not None:
            return self._read_mask(mask)
        if not indexing.has_list(key):
            return self.read(key)
        return self.oindex[key] if indexing.is_orthogonal(key) else fancy.read(self, key)

    # ---- writing ----

    def _write_key(self, key, value):
        if isinstance(key, Mapping):
            self.oindex[key] = value
            return
        mask = indexing.whole_mask(key, self.shape)
        if mask is not None:
            self._write_mask(mask, value)
            return
        if indexing.has_list(key):
            axes = indexing.parse_orthogonal(key, self.shape) if indexing.is_orthogonal(key) else None
            if axes is None or occur_twice(axes):
                fancy.write(self, key, value)
            else:
                self.oindex[key] = value
            return
        box = indexing.parse_box(key, self.shape)
        memory = box.full(indexing.broadcast(self._native(value), box.shape()))
        self._move(True, box.lo, box.count, box.step, memory)

    def _slabs(self, mask, elements):
        """(slab of the mask, where it begins, how many elements it selects), along axis 0; those that select some."""
        each = elements // max(1, math.prod(mask.shape[1:]))
        by = max(1, each - each % self.chunks[0] or each)
        for first in range(0, len(mask), by):
            slab = mask[first : first + by]
            count = int(np.count_nonzero(slab))
            if count:
                yield slab, first, count

    def _read_mask(self, mask):
        """In C order. A slab is read as a box, or, where the mask selects few of its elements, as a list of them."""
        values = np.empty(np.count_nonzero(mask), self.dtype)
        done = 0
        for slab, first, count in self._slabs(mask, SLAB_ELEMENTS):
            if count * MASK_ELEMENTS >= slab.size:
                box = new_memory(slab.shape, self.dtype, "C")
                self._move(False, (first,) + (0,) * (self.ndim - 1), slab.shape, (1,) * self.ndim, box)
                values[done : done + count] = box[slab]
            else:
                self._points(False, indexing.points_in(slab, first), values[done : done + count])
            done += count
        return values

    def _write_mask(self, mask, value):
        value = indexing.broadcast(self._native(value), (np.count_nonzero(mask),))
        done = 0
        for slab, first, count in self._slabs(mask, PART_POINTS):
            self._points(True, indexing.points_in(slab, first), np.ascontiguousarray(value[done : done + count]))
            done += count

    def _native(self, value):
        """Values in the array's dtype, as NumPy's assignment converts them, with strides of whole elements."""
        value = _core.elements_of(value, self.dtype)
        return value if has_whole_strides(value) else value.copy()

    def write(self, key: Any, value: Any, *, exact: bool = False) -> None:
        """The same as ``a[key] = value``.

        Parameters
        ----------
        exact : bool
            Numbers that the array's dtype does not hold are a ValueError, which names the index of the first one, and
            then nothing is written. The key has ints, slices and ``...``.
        """
        if not exact or self.dtype.kind in "SUV":  # which are exact anyway
            self[key] = value
            return
        box = indexing.parse_box(key, self.shape)
        if None in box.view:
            raise IndexError("a new axis is for reading")
        value = np.asarray(_core.number(value))
        value = np.asarray(value, _core.dtype_of(_core.type_code(value.dtype)))  # of this machine's byte order
        value = indexing.broadcast(value if has_whole_strides(value) else value.copy(), box.shape())
        self._move_as(True, box.lo, box.count, box.step, box.full(value), True)

    def astype(self, dtype: Any, casting: str = "unsafe") -> np.ndarray:
        """All elements, in memory and in another dtype, as numpy.ndarray.astype converts them."""
        return self[...].astype(dtype, casting=casting, copy=False)

    def flush(self) -> None:
        """The same as ``sync``, under the name that it has in h5py."""
        self.sync()

    # ---- asynchronous ----

    def read_async(self, key: Any = ..., out: np.ndarray | None = None, order: Order = "C") -> _core.Request:
        """Begin to read what ``a[key]`` selects by ints and slices of step 1.

        Parameters
        ----------
        out : numpy.ndarray, optional
            Contiguous in C or Fortran order, with one axis for each axis of the array. Leave it alone until the request
            is done.
        order : 'C' or 'F'
            The order of a new array in memory.

        Returns
        -------
        drx.Request
            ``wait()`` and ``await request`` return the array; ``done()`` does not wait.
        """
        box = indexing.parse_plain(indexing.by_name(key, self.dims), self.shape, "an asynchronous request")
        if out is None:
            out = new_memory(box.count, self.dtype, order)
        self._check_contiguous(out, box.count)
        if not out.flags.writeable:
            raise ValueError("out is read-only")
        return self._begin(False, box.lo, box.count, out)

    def read_boxes(self, keys: Iterable[Any], order: Order = "C") -> list[np.ndarray]:
        """Read many boxes in one go: ``[a[key] for key in keys]``. From a server many come at a time.

        Parameters
        ----------
        keys : iterable of basic index
            As of `read`.
        order : 'C' or 'F'
            The order of the new arrays in memory.

        Returns
        -------
        list of numpy.ndarray
            In the order of `keys`.

        Raises
        ------
        IndexError, ValueError, TypeError, drx.ChecksumError, OSError
            As of `read`; what is under way ends first.
        """
        boxes = [indexing.parse_box(indexing.by_name(key, self.dims), self.shape) for key in keys]
        found = [new_memory(box.count, self.dtype, order) for box in boxes]
        moves = [(memory, box.lo, box.count, box.step) for memory, box in zip(found, boxes)]
        if places.is_url(str(self.path)):
            many.read_at_once(self, moves, math.inf)
        else:
            many.read_in_turn(self, moves)
        return [memory[box.view] for memory, box in zip(found, boxes)]

    def write_async(self, key: Any, value: np.ndarray) -> _core.Request:
        """Begin to write. `value` has the shape of the box and is contiguous in C or Fortran order. Do not change it
        until the request is done.

        Returns
        -------
        drx.Request
        """
        box = indexing.parse_plain(indexing.by_name(key, self.dims), self.shape, "an asynchronous request")
        self._check_contiguous(value, box.count)
        return self._begin(True, box.lo, box.count, value)

    def _check_contiguous(self, memory, count):
        if not isinstance(memory, np.ndarray) or memory.dtype != self.dtype or memory.shape != tuple(count):
            raise ValueError(f"expected a NumPy array of {self.dtype} of shape {tuple(count)}")
        if not (memory.flags.c_contiguous or memory.flags.f_contiguous) or not memory.flags.aligned:
            raise ValueError("the memory of an asynchronous request must be contiguous, in C or Fortran order")

    # ---- other ways to index ----

    def fields(self, names: str | Sequence[str]) -> Fields:
        """Some fields of the elements: ``a.fields("x")[2:5]`` reads these alone, as numbers if it is one. ``a["x"]`` is
        ``a.fields("x")[...]``.

        Raises
        ------
        KeyError
            No field has the name.
        """
        return Fields(self, names)

    @property
    def oindex(self) -> Orthogonal:
        """Orthogonal indexing: ``a.oindex[[1, 5], :, mask]`` takes a list of ints or bools for each axis by itself."""
        return Orthogonal(self)

    @property
    def vindex(self) -> Points:
        """Points: ``a.vindex[[i0, i1], [j0, j1]]`` are the elements (i0, j0) and (i1, j1)."""
        return Points(self)

    # ---- growth ----

    def resize(self, shape: Sequence[int]) -> None:
        """Grow to a shape, axis by axis in the order of their numbers.

        Parameters
        ----------
        shape : sequence of int

        Raises
        ------
        ValueError
            A bound would shrink; the array is unchanged.
        PermissionError, OverflowError, OSError
            An axis could not grow; the axes before it have grown.
        """
        shape = tuple(operator.index(bound) for bound in shape)
        if len(shape) != self.ndim:
            raise ValueError(f"the shape has {len(shape)} axes, expected {self.ndim}")
        for axis, (bound, old) in enumerate(zip(shape, self.shape)):
            if bound < old:
                raise ValueError(f"axis {axis} cannot shrink from {old} to {bound}")
        for axis, bound in enumerate(shape):
            if bound > self.shape[axis]:
                self.extend(axis, bound - self.shape[axis])

    # ---- chunks ----

    def map(self, axes: Sequence[int | str] | None = None, at: Mapping[int | str, int] | None = None) -> Map:
        """Where the chunks are. A notebook shows a picture, with a colour for each segment; ``print`` shows a table.

        Parameters
        ----------
        axes : two of int or str, optional
            The axes that go down and across; default: those with most segments.
        at : mapping of int or str to int, optional
            The chunk indices at which the picture lies, on other axes; default: the first ones.

        Returns
        -------
        drx.chunk_map.Map

        Raises
        ------
        ValueError, IndexError
        """
        return Map(self, axes, at)

    def advise(self, requests: Sequence[Any], *, chunk_bytes: int = 0, align: int = 0, memory: int = 0) -> Advice:
        """Propose chunks that make reads cheapest, by a model, and say when a copy with them pays.

        Parameters
        ----------
        requests : sequence
            The extents of typical reads, ``(1, 180, 360)``, or by name, ``{"time": 1}``: the others are read whole. A pair
            ``((1, 180, 360), 5)`` says that it is 5 times as frequent as others.
        chunk_bytes : int
            The most bytes of a chunk; default 1 MiB.
        align, memory : int
            Of the copy, as in `drx.copy`.

        Returns
        -------
        drx.advice.Advice
            Its `chunks` are for `drx.copy`.

        Raises
        ------
        ValueError
        """
        return advise(self, requests, chunk_bytes, align, memory)

    def iter_chunks(self) -> Iterator[tuple[slice, ...]]:
        """Iterate over the chunks in the order in which they lie in the file.

        Yields
        ------
        tuple of slice
            The box of the array that the chunk holds, for ``a[box]``. Chunks outside the bounds are left out.
        """
        shape, chunks, lower = self.shape, self.chunks, self.lower
        for address in range(self.nchunks):
            try:
                index = self.chunk_index(address)
            except IndexError:  # trimmed
                continue
            box = tuple(slice(max(i * c - first, 0), min((i + 1) * c - first, n))
                        for i, c, n, first in zip(index, chunks, shape, lower))
            if all(one.start < one.stop for one in box):
                yield box


def has_whole_strides(memory):
    """Whether strides are whole elements; those of a field of records may not be."""
    return memory.flags.aligned and all(stride % memory.itemsize == 0 for stride in memory.strides)


def fields_in(key):
    """Whether a key is the name of a field, or a list of them."""
    return isinstance(key, str) or isinstance(key, list) and len(key) > 0 and all(isinstance(one, str) for one in key)


class Fields:
    """`Array.fields`."""

    def __init__(self, array: Array, names: str | Sequence[str]) -> None:
        listed = [names] if isinstance(names, str) else list(names)
        fields = array.dtype.fields or {}
        for name in listed:
            if name not in fields:
                raise KeyError(f"no field {name!r}; dtype {array.dtype} has {list(fields)}")
        self._array, self._pick = array, names if isinstance(names, str) else listed
        self.dtype = np.dtype([(name, fields[name][0]) for name in listed])

    def __getitem__(self, key: Any) -> Any:
        array = self._array
        if isinstance(key, Mapping) or indexing.has_list(key):
            return array[key][self._pick]
        values = array.read(key, dtype=self.dtype)
        return values[self._pick] if isinstance(self._pick, str) else values


class Orthogonal:
    """`Array.oindex`."""

    def __init__(self, array: Array) -> None:
        self._array = array

    def __getitem__(self, key: Any) -> Any:
        array = self._array
        axes = indexing.parse_orthogonal(indexing.by_name(key, array.dims), array.shape)
        memory = new_memory([axis.count for axis in axes], array.dtype, "C")
        self._move(False, axes, memory)
        return picked(memory, axes)

    def __setitem__(self, key: Any, value: Any) -> None:
        array = self._array
        axes = indexing.parse_orthogonal(indexing.by_name(key, array.dims), array.shape)
        counts = [axis.count for axis in axes]
        if occur_twice(axes):
            raise IndexError("an index occurs twice in a list: which of the values is meant?")
        kept = [count if not isinstance(axis.pick, int) else None for axis, count in zip(axes, counts)]
        value = indexing.broadcast(array._native(value), [count for count in kept if count is not None])
        value = value[tuple(None if count is None else slice(None) for count in kept)]
        for j, axis in enumerate(axes):
            if isinstance(axis.pick, np.ndarray):
                value = np.take(value, np.argsort(axis.pick), axis=j)
            elif isinstance(axis.pick, slice) and axis.pick.step == -1:
                value = np.flip(value, j)
        self._move(True, axes, value)

    def _move(self, writing, axes, memory):
        """As boxes, one for each combination of runs; as a list of elements where these are cheaper."""
        elements = math.prod(axis.count for axis in axes)
        boxes = math.prod(axis.nruns for axis in axes)
        if boxes == 1 or elements >= boxes * BOX_ELEMENTS:
            if not writing and boxes > 1:
                many.read(self._array, boxes_of(axes, memory))
                return
            for part, lo, count, step in boxes_of(axes, memory):
                self._array._move(writing, lo, count, step, part)
            return
        values = np.ascontiguousarray(memory).reshape(-1)
        for first in range(0, elements, PART_POINTS):
            end = min(first + PART_POINTS, elements)
            self._array._points(writing, indexing.points_of(axes, first, end), values[first:end])


def boxes_of(axes, memory):
    """(memory, lo, count, step) of each combination of runs."""
    runs = [[(slice(at, at + n), lo, n, step) for at, lo, n, step in axis.runs()] for axis in axes]
    for box in itertools.product(*runs):
        at, lo, count, step = zip(*box)
        yield memory[at], lo, count, step


def occur_twice(axes):
    """Whether a list names an index twice."""
    return any(isinstance(axis.pick, np.ndarray) and len(axis.pick) != axis.count for axis in axes)


def picked(memory, axes):
    """The elements that were read, in the order of the lists, with repetitions."""
    for j, axis in enumerate(axes):
        if isinstance(axis.pick, np.ndarray):
            memory = np.take(memory, axis.pick, axis=j)
    return memory[tuple(slice(None) if isinstance(axis.pick, np.ndarray) else axis.pick for axis in axes)]


class Points:
    """`Array.vindex`; drx.mpi.DistArray gathers and scatters by it, too."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __getitem__(self, key: Any) -> Any:
        points, shape = indexing.parse_points(key, self._array.shape, self._array._labels)
        values = np.empty(len(points), self._array.dtype)
        self._array._points(False, points, values)
        return values.reshape(shape)

    def __setitem__(self, key: Any, value: Any) -> None:
        points, shape = indexing.parse_points(key, self._array.shape, self._array._labels)
        values = indexing.broadcast(self._array._native(value), shape)
        self._array._points(True, points, np.ascontiguousarray(values).reshape(-1))
