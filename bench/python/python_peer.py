#!/usr/bin/python3
"""Arrays from Python, by the protocol of bench.h: `WORKLOAD PEER COUNT SIZE FOLDER` on stdin, JSON on stdout.

The array has SIZE^3 doubles in chunks of 32^3, none compressed; element (i, j, k) is its number in C order. What is read
is compared with that, outside of the time.
"""

import ctypes
import functools
import gc
import json
import os
import shutil
import sys
import time

import numpy as np

EDGE, ROW = 32, 100


def numbers(size, lo, count):
    """The right elements of a box."""
    i, j, k = (np.arange(first, first + n, dtype=np.float64) for first, n in zip(lo, count))
    return i[:, None, None] * size * size + j[:, None] * size + k


class Drx:
    suffix = ""

    def create(self, path, shape, chunks):
        import drx

        return drx.create(path, shape, "float64", chunks=chunks, overwrite=True)

    def open(self, path):
        import drx

        return drx.open(path)

    def append(self, array, row):
        array.append(row)


class H5py:
    suffix = ".h5"

    def create(self, path, shape, chunks):
        import h5py

        self.file = h5py.File(path + self.suffix, "w", libver="latest")
        return self.file.create_dataset("a", shape, "f8", chunks=chunks, maxshape=(None,) * len(shape))

    def open(self, path):
        import h5py

        self.file = h5py.File(path + self.suffix, "r")
        return self.file["a"]

    def append(self, array, row):
        n = array.shape[0]
        array.resize(n + 1, axis=0)
        array[n] = row


class Zarr:
    suffix = ".zarr"

    def create(self, path, shape, chunks):
        import zarr

        shutil.rmtree(path + self.suffix, ignore_errors=True)
        return zarr.open(path + self.suffix, mode="w", shape=shape, chunks=chunks, dtype="f8", compressor=None)

    def open(self, path):
        import zarr

        return zarr.open(path + self.suffix, mode="r")

    def append(self, array, row):
        array.append(row[None])


PEERS = {"drx": Drx, "h5py": H5py, "zarr": Zarr}


class Library:
    """drx_read itself, into fresh memory of NumPy; for the benchmark alone."""

    def __init__(self, path):
        import drx._core

        self.drx = ctypes.CDLL(None)  # the one that the package has loaded
        library = [line.split()[-1] for line in open("/proc/self/maps") if "libdrx.so" in line][0]
        self.drx = ctypes.CDLL(library)
        self.array = ctypes.c_void_p()
        assert self.drx.drx_open(path.encode(), 0, ctypes.byref(self.array)) == 0

    def read(self, lo, count):
        indices = ctypes.c_int64 * 3
        out = np.empty(count)
        status = self.drx.drx_read(self.array, indices(*lo), indices(*count), 0, out.ctypes.data_as(ctypes.c_void_p))
        assert status == 0
        return out

    def close(self):
        self.drx.drx_close(self.array)


def build(peer, size, folder):
    """In slabs of chunks."""
    peer = PEERS[peer]()
    array = peer.create(os.path.join(folder, "cube"), (size,) * 3, (EDGE,) * 3)
    for first in range(0, size, EDGE):
        array[first:first + EDGE] = numbers(size, (first, 0, 0), (EDGE, size, size))
    close(peer, array)
    return {"outcome": "done", "seconds": 0}


def close(peer, array):
    if hasattr(peer, "file"):
        peer.file.close()
    elif hasattr(array, "close"):
        array.close()


def timed(call):
    gc.collect()
    begun = time.perf_counter()
    result = call()
    return time.perf_counter() - begun, result


def whole(peer, n, size, folder):
    path = os.path.join(folder, "cube")
    if peer == "c":
        library = Library(path)
        seconds, out = timed(lambda: library.read((0, 0, 0), (size,) * 3))
        library.close()
    else:
        peer = PEERS[peer]()
        array = peer.open(path)
        seconds, out = timed(lambda: array[...])
        close(peer, array)
    step = max(size // 16, 1)
    for i in range(0, size, step):
        assert (out[i] == numbers(size, (i, 0, 0), (1, size, size))[0]).all(), "whole: wrong elements"
    return seconds


def element(peer, n, size, folder):
    peer = PEERS[peer]()
    array = peer.open(os.path.join(folder, "cube"))
    assert array[5, 6, 7] == numbers(size, (5, 6, 7), (1, 1, 1)).item()

    def loop():
        for _ in range(n):
            array[5, 6, 7]

    seconds, _ = timed(loop)
    close(peer, array)
    return seconds


def elements(peer, n, size, folder):
    peer = PEERS[peer]()
    array = peer.open(os.path.join(folder, "cube"))
    indices = np.random.default_rng(n).integers(0, size, (n, 3)).tolist()
    seconds, found = timed(lambda: [array[i, j, k] for i, j, k in indices])
    close(peer, array)
    right = np.array(indices, np.float64) @ [size * size, size, 1]
    assert (np.array(found) == right).all(), "elements: wrong"
    return seconds


def boxes(peer, n, size, folder, edge):
    peer = PEERS[peer]()
    array = peer.open(os.path.join(folder, "cube"))
    corners = np.random.default_rng(n).integers(0, size - edge + 1, (n, 3)).tolist()
    seconds, found = timed(lambda: [array[i:i + edge, j:j + edge, k:k + edge] for i, j, k in corners])
    close(peer, array)
    for lo, box in zip(corners, found):
        assert (box == numbers(size, lo, (edge,) * 3)).all(), "boxes: wrong"
    return seconds


def append(peer, n, size, folder):
    path = os.path.join(folder, "rows")
    peer = PEERS[peer]()
    array = peer.create(path, (0, ROW), (1024, ROW))
    row = np.arange(float(ROW))

    def loop():
        for _ in range(n):
            peer.append(array, row)

    seconds, _ = timed(loop)
    assert array.shape == (n, ROW) and (array[n - 1] == row).all(), "append: wrong"
    close(peer, array)
    return seconds


WORK = {"whole": whole, "element": element, "elements": elements, "boxes-4": functools.partial(boxes, edge=4),
        "boxes-16": functools.partial(boxes, edge=16), "append": append}


def main():
    for line in sys.stdin:
        work, peer, n, size, folder = line.rstrip("\n").split(" ", 4)
        try:
            if work == "build":
                answer = build(peer, int(size), folder)
            elif peer == "c" and work != "whole":
                answer = {"outcome": "declined"}
            else:
                seconds = WORK[work](peer, int(n), int(size), folder)
                answer = {"outcome": "done", "seconds": seconds, "count": int(n), "each": seconds / int(n)}
        except Exception as error:  # whatever it is, the other side says it
            answer = {"outcome": "failed", "error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
