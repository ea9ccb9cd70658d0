"""drx.store: dask arrays into DRX, in parallel, no two tasks in one chunk."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Sequence
from typing import Any

import dask
import dask.array as da
import dask.threaded
import numpy as np

from drx._core import expanded
from drx.opening import Path, create
from drx.opening import open as open_array

ENOUGH = 256 << 20  # bytes that are computed before they are written


def store(source: da.Array, path: Path, *, chunks: Sequence[int] | None = None, compute: bool = True,
          **spec: Any) -> Any:
    """Store a dask array as a new DRX array, its blocks in parallel.

    Parameters
    ----------
    source : dask.array.Array
    path : str or os.PathLike
    chunks : sequence of int, optional
        Of the new array; by default dask's largest block. The blocks are rechunked where they would share a chunk.
    compute : bool
        False: return a delayed object that stores it when it is computed.
    **spec
        As `drx.create` takes it.

    Returns
    -------
    drx.Array, open for writing; or dask's delayed object, which computes to the path

    Raises
    ------
    ValueError, TypeError, FileExistsError, OSError
    """
    if any(np.isnan(n) for sizes in source.chunks for n in sizes):
        raise ValueError("the dask array has blocks of unknown size; see its compute_chunk_sizes")
    if chunks is None:
        chunks = tuple(max(max(sizes), 1) for sizes in source.chunks)
    if not compute:
        array = dask.delayed(create, pure=False)(expanded(path), source.shape, source.dtype, chunks=chunks, **spec)
        lower = spec.get("lower") or (0,) * source.ndim
        stored = write(source, array, chunks, (0,) * source.ndim, lower, compute=False)
        return dask.delayed(_close)(array, stored)
    array = create(path, source.shape, source.dtype, chunks=chunks, **spec)
    try:
        store_into(source, array, (0,) * array.ndim)
    except BaseException:
        array.close()
        raise
    return array


def _close(array, _stored):
    array.close()
    return array.path


def store_into(source, array, lo):
    """Write a dask array to an open array, from index `lo` on, where blocks are cut so that they share no chunk."""
    write(source, array, array.chunks, lo, array.lower)


def write(source, array, chunks, lo, lower, compute=True):
    """`store_into`, of an array or a delayed one of such chunks and lower bounds."""
    blocks = tuple(cuts_of(sizes, first + below, chunk, n)
                   for sizes, first, below, chunk, n in zip(source.chunks, lo, lower, chunks, source.shape))
    region = tuple(slice(first, first + n) for first, n in zip(lo, source.shape))
    source = source.rechunk(blocks)
    if compute and dask.base.get_scheduler(collections=[source]) not in (dask.threaded.get, dask.get):
        return write_computed(source, array, lo)
    return da.store(source, array, regions=region, lock=False, compute=compute, return_stored=False)


class Shared:
    """An array of a dataset, which each process opens to write blocks to it, beside others."""

    def __init__(self, path, lower):
        self.path, self.lower = path, lower

    def __setitem__(self, key, values):
        with open_array(self.path, "s") as array:
            if array.lower != self.lower:
                raise ValueError(f"{self.path}: has grown or was trimmed at a low end since the values were to be stored")
            array[key] = values

    def sync(self):
        with open_array(self.path, "s") as array:
            array.sync()


def store_later(folder, later):
    """dask's delayed object that stores what `commits.write_variable` has put off. It computes to the folder."""
    arrays = [Shared(os.path.join(os.path.abspath(folder), name), lower) for name, _, _, _, lower in later]
    stored = [write(data, array, chunks, lo, array.lower, compute=False)
              for array, (_, data, chunks, lo, _) in zip(arrays, later)]
    return dask.delayed(_sync)(folder, arrays, stored)


def _sync(folder, arrays, _stored):
    for array in arrays:
        array.sync()
    return folder


def write_computed(source, array, lo):
    """Let other processes compute blocks, as many at once as memory should hold, and write them in this one."""
    n = max(ENOUGH // max(source.dtype.itemsize * math.prod(map(max, source.chunks)), 1), 1)
    blocks = zip(np.ndindex(source.numblocks), da.core.slices_from_chunks(source.chunks))
    while some := list(itertools.islice(blocks, n)):
        for (_, key), values in zip(some, dask.compute(*(source.blocks[index] for index, _ in some))):
            array[tuple(slice(one.start + first, one.stop + first) for one, first in zip(key, lo))] = values


def cuts_of(sizes, lo, chunk, n):
    """Sizes of blocks that end where chunks do, near where those given end."""
    ends, end = [], 0
    for size in sizes:
        end += size
        at = end if end == n else max(0, (lo + end) // chunk * chunk - lo)
        if at > (ends[-1] if ends else 0):
            ends.append(at)
    if not ends:
        return (n,)
    return tuple(np.diff([0, *ends]).tolist())
