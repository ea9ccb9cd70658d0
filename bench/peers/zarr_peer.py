"""Zarr, by the protocol of bench.h: commands `WORKLOAD[:1] PEER SIZE warm|cold FOLDER` on stdin, JSON on stdout.
With :1 it does not check what it has read or written, as it did before.

Arrays are uncompressed, as those of the other peers. "zarr" is as the library comes; "zarr-best" keeps chunks in an
LRUStoreCache where that helps, and asks for all elements in one call. It declines what is best as it comes.
"""

import os
import shutil
import sys
import time

import numpy
import zarr

from peer_server import Declined

EDGE, ROWS, BOX, PLANES, STRIPS, STRIP = 32, 8, 16, 64, 16, 64
ELEMENT_SEED, BOX_SEED, STRIP_SEED = 1 << 28, 2 << 28, 3 << 28
OPENINGS = 10
SMALL_STEP = 16  # rows of small chunks, each of which is a file: this many are compared once
CACHED = ("boxes", "strips")  # chunks are needed again and again
MASK = (1 << 64) - 1
PIECE = 1 << 15  # elements at a time that a processor's own cache holds, with what is computed from them


def mix(x):
    """As in bench_data.c, of an array of uint64."""
    with numpy.errstate(over="ignore"):
        x = x + numpy.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
        return x ^ (x >> numpy.uint64(31))


def values(lo, count):
    """The right elements of a box."""
    out = numpy.empty(count)
    rows = max(1, PIECE // max(1, out[:1].size))
    for row in range(0, count[0], rows):
        piece = out[row:row + rows]
        key = numpy.zeros((1,) * len(lo), numpy.uint64)
        for axis, (first, n) in enumerate(zip((lo[0] + row, *lo[1:]), piece.shape)):
            shape = [1] * len(lo)
            shape[axis] = n
            index = numpy.arange(first, first + n, dtype=numpy.uint64).reshape(shape)
            key = key ^ (index << numpy.uint64((42, 21, 0)[axis]))
        piece[...] = mix(key) >> numpy.uint64(11)
    return out


def checksum(elements):
    """As in bench_data.c, of a 1-D array: the sum of bits * (2 place + 1)."""
    total, weights = 0, 2 * numpy.arange(PIECE, dtype=numpy.uint64) + numpy.uint64(1)
    for start in range(0, elements.size, PIECE):
        bits = elements[start:start + PIECE].view(numpy.uint64)
        total += int(numpy.dot(bits, weights[:bits.size])) + 2 * start * int(bits.sum(dtype=numpy.uint64))
    return total & MASK


def random_indices(seed, n, ranges):
    numbers = mix(numpy.arange(seed, seed + 3 * n, dtype=numpy.uint64)).reshape(n, 3)
    return (numbers % numpy.array(ranges, numpy.uint64)).astype(numpy.int64)


def in_proportion(count, least, size):
    return max(least, int(count * (size / 512) ** 3))


def files(path):
    """The file, or those in the folder."""
    if os.path.isfile(path):
        yield path
    for folder, _, names in os.walk(path):
        for name in names:
            yield os.path.join(folder, name)


def settle_cache(path, cold):
    """Bring the files into the page cache or out of it."""
    for name in files(path):
        fd = os.open(name, os.O_RDONLY)
        try:
            if cold:
                os.fsync(fd)
                os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            else:
                while os.read(fd, 1 << 20):
                    pass
        finally:
            os.close(fd)


class Growing:
    """An array that grows, each growth writing its slab; `seconds` counts the growing alone."""

    def __init__(self, path, shape, chunk):
        shutil.rmtree(path, ignore_errors=True)
        self.shape, self.seconds = list(shape), 0.0
        self.array = zarr.open(path, mode="w-", shape=shape, chunks=chunk, dtype="f8", compressor=None)

    def grow(self, axis, by, write=True):
        lo = [0] * len(self.shape)
        lo[axis] = self.shape[axis]
        self.shape[axis] += by
        count = [by if a == axis else n for a, n in enumerate(self.shape)]
        slab = values(lo, count) if write else None
        start = time.perf_counter()
        self.array.resize(*self.shape)
        if write:
            self.array[tuple(slice(first, first + n) for first, n in zip(lo, count))] = slab
        self.seconds += time.perf_counter() - start


class Server:
    def __init__(self):
        self.target = numpy.empty(0)

    def buffer(self, elements):
        if self.target.size < elements:
            self.target = numpy.empty(elements)
        self.target[:elements].view(numpy.uint64).fill(MASK)  # also what another workload read
        return self.target[:elements]

    # ---- growth

    def growth(self, work, path, size, check):
        if work == "growth-axis-0":
            growing = Growing(path, (0, size, size), (EDGE,) * 3)
            for _ in range(size // EDGE):
                growing.grow(0, EDGE)
        else:
            ndim, edge = (2, 8) if work == "growth-2d" else (3, EDGE)
            growing = Growing(path, (0,) + (edge,) * (ndim - 1), (edge,) * ndim)
            for i in range(1 + ndim * ((size if ndim == 2 else size // EDGE) - 1)):
                growing.grow(i % ndim, edge)
        if check:
            self.check_grown(path, growing, SMALL_STEP if work == "growth-2d" else 1)
        nbytes = 8 * int(numpy.prod(growing.shape))
        return {"seconds": growing.seconds, "bytes": nbytes,
                "file_bytes": sum(os.path.getsize(name) for name in files(path))}

    def check_grown(self, path, growing, step):
        """Compares every step-th row of chunks, and the last one."""
        shape, edge = growing.shape, growing.array.chunks[0]
        array = zarr.open(path, mode="r")
        for first in {*range(0, shape[0], step * edge), shape[0] - edge}:
            piece = array[first:first + edge]
            if not numpy.array_equal(piece, values([first] + [0] * (len(shape) - 1), piece.shape)):
                raise ValueError(f"{path}: the elements from {first} on are wrong")

    def build(self, array, path, size):
        if array == "history":
            growing = Growing(path, (0, 8), (8, 8))
            growing.grow(0, 8)
            for axis in 0, 1:  # as far as all the growths together, of which Zarr keeps nothing
                growing.grow(axis, 8 * ((100000 if size >= 256 else 1000) // 2 - (axis == 0)), write=False)
            return
        shape, chunk = (size,) * 3, (EDGE,) * 3
        if array == "table":
            shape, chunk = (size * size // 8, 8 * size), (ROWS, 8 * size)
        growing = Growing(path, (0,) + shape[1:], chunk)
        while growing.shape[0] < shape[0]:
            growing.grow(0, chunk[0])

    # ---- reads: what to read, as (lo, count) of each box

    def boxes(self, work, size):
        whole = [size] * 3
        if work.startswith("planes-"):
            axis = int(work[-1])
            for i in range(PLANES):
                yield ([i * size // PLANES if a == axis else 0 for a in range(3)],
                       [1 if a == axis else size for a in range(3)])
        elif work == "boxes":
            for lo in random_indices(BOX_SEED, in_proportion(20000, 20, size), [size - BOX + 1] * 3):
                yield [int(n) for n in lo], [BOX] * 3
        elif work == "strips":
            rows, columns = size * size // 8, 8 * size
            starts = mix(numpy.arange(STRIP_SEED, STRIP_SEED + STRIPS, dtype=numpy.uint64))
            for first in starts % numpy.uint64(columns - STRIP + 1):
                yield [0, int(first)], [rows, STRIP]
        else:
            yield [0] * 3, whole

    def open(self, path, work, best):
        store = zarr.DirectoryStore(path)
        if best and work in CACHED:
            store = zarr.LRUStoreCache(store, max_size=None)
        return zarr.open(store, mode="r")

    def elements(self, array, size, best):
        index = random_indices(ELEMENT_SEED, in_proportion(200000, 1000, size), [size] * 3)
        out = self.buffer(len(index))
        rows = [tuple(row) for row in index.tolist()]
        start = time.perf_counter()
        if best:
            out[:] = array.vindex[index[:, 0], index[:, 1], index[:, 2]]
        else:
            for e, row in enumerate(rows):
                out[e] = array[row]
        return time.perf_counter() - start, out

    def fortran(self, array, size):
        out = self.buffer(size ** 3)
        turned = out.reshape((size,) * 3, order="F")
        start = time.perf_counter()
        array.get_basic_selection(Ellipsis, out=turned)
        return time.perf_counter() - start, out

    def read_boxes(self, array, work, size):
        boxes, views, at = list(self.boxes(work, size)), [], 0
        elements = sum(int(numpy.prod(count)) for _, count in boxes)
        out = self.buffer(elements)
        for lo, count in boxes:
            n = int(numpy.prod(count))
            where = tuple(slice(first, first + c) for first, c in zip(lo, count))
            views.append((where, out[at:at + n].reshape(count)))
            at += n
        start = time.perf_counter()
        for where, view in views:
            array.get_basic_selection(where, out=view)
        return time.perf_counter() - start, out

    def read(self, work, path, size, best, cold, check):
        settle_cache(path, cold)
        array = self.open(path, work, best)
        if work == "elements":
            seconds, out = self.elements(array, size, best)
        elif work == "whole-f":
            seconds, out = self.fortran(array, size)
        else:
            seconds, out = self.read_boxes(array, work, size)
        return {"seconds": seconds, "bytes": out.nbytes, **({"checksum": f"{checksum(out):016x}"} if check else {})}

    def open_first(self, path):
        zarr.open(path, mode="r")[0, 0]  # warms the cache
        start = time.perf_counter()
        for _ in range(OPENINGS):
            element = zarr.open(path, mode="r")[0, 0]
        seconds = (time.perf_counter() - start) / OPENINGS
        return {"seconds": seconds, "checksum": f"{checksum(numpy.array([element])):016x}"}

    # ---- commands

    def run(self, work, peer, size, cache, folder):
        best, size = peer == "zarr-best", int(size)
        work, _, known = work.partition(":")
        verb, _, array = work.partition("-")
        if work == "versions":
            return {"Zarr": zarr.__version__, "NumPy": numpy.__version__, "Python": sys.version.split()[0]}
        if verb in ("build", "drop"):
            path = f"{folder}/zarr-{array}"
            if verb == "drop":
                shutil.rmtree(path, ignore_errors=True)
            else:
                self.build(array, path, size)
            return {}
        if verb == "growth":
            if best:
                raise Declined  # there is nothing to set
            path = f"{folder}/zarr-{work}"
            try:
                return self.growth(work, path, size, not known)
            finally:
                shutil.rmtree(path, ignore_errors=True)
        if work == "open":
            if best:
                raise Declined
            return self.open_first(f"{folder}/zarr-history")
        if work == "boxes-shared" or best and work not in CACHED + ("elements",):
            raise Declined
        array = "table" if work == "strips" else "cube"
        return self.read(work, f"{folder}/zarr-{array}", size, best, cache == "cold", not known)


perform = Server().run
