"""Arrays from Python, by the protocol of bench.h: `WORKLOAD PEER COUNT SIZE FOLDER` on stdin, JSON on stdout.

The array has SIZE^3 doubles in chunks of 32^3, uncompressed. Element (i, j, k) is its number in C order; what was
read is compared with that, untimed.
"""

import ctypes
import gc
import os
import tempfile
import time

import drx
import netCDF4
import numpy as np
import xarray
import zarr

import libraries
from peer_server import Declined

EDGE, ROW = 32, 100


def numbers(size, lo, count):
    """The right elements of a box."""
    i, j, k = (np.arange(first, first + n, dtype=np.float64) for first, n in zip(lo, count))
    return i[:, None, None] * size * size + j[:, None] * size + k


class Library:
    """drx_read itself, into fresh memory of NumPy."""

    suffix = ""

    def open(self, path):
        with open("/proc/self/maps", encoding="utf-8") as maps:  # the one that the package has loaded
            self.drx = ctypes.CDLL(next(line.split()[-1] for line in maps if "libdrx.so" in line))
        self.array = ctypes.c_void_p()
        assert self.drx.drx_open(path.encode(), 0, ctypes.byref(self.array)) == 0
        return self

    def read(self, lo, count):
        indices = ctypes.c_int64 * 3
        out = np.empty(count)
        status = self.drx.drx_read(self.array, indices(*lo), indices(*count), 0, out.ctypes.data_as(ctypes.c_void_p))
        assert status == 0
        return out

    def close(self, array):
        self.drx.drx_close(self.array)


PEERS = {"c": Library(), "drx": libraries.Drx(), "h5py": libraries.Hdf5(), "zarr": libraries.Zarr()}


def timed(call):
    gc.collect()
    begun = time.perf_counter()
    result = call()
    return time.perf_counter() - begun, result


# ---- workloads: the seconds of n of them


def build(peer, n, size, folder):
    """In slabs of chunks."""
    array = peer.create(f"{folder}/cube{peer.suffix}", (size,) * 3, (EDGE,) * 3)
    for first in range(0, size, EDGE):
        array[first:first + EDGE] = numbers(size, (first, 0, 0), (EDGE, size, size))
    peer.close(array)
    return 0


def read(peer, folder, call, is_right):
    """Of call(array); what it gives has to be right."""
    array = peer.open(f"{folder}/cube{peer.suffix}")
    seconds, found = timed(lambda: call(array))
    peer.close(array)
    assert is_right(found), "wrong elements"
    return seconds


def whole(peer, n, size, folder):
    def is_right(out):
        return all((out[i] == numbers(size, (i, 0, 0), (1, size, size))[0]).all()
                   for i in range(0, size, max(size // 16, 1)))

    if isinstance(peer, Library):
        return read(peer, folder, lambda array: array.read((0, 0, 0), (size,) * 3), is_right)
    return read(peer, folder, lambda array: array[...], is_right)


def element(peer, n, size, folder):
    def loop(array):
        for _ in range(n):
            found = array[5, 6, 7]
        return found

    return read(peer, folder, loop, lambda found: found == numbers(size, (5, 6, 7), (1, 1, 1)).item())


def elements(peer, n, size, folder):
    indices = np.random.default_rng(n).integers(0, size, (n, 3)).tolist()
    return read(peer, folder, lambda array: [array[i, j, k] for i, j, k in indices],
                lambda found: (np.array(found) == np.array(indices, np.float64) @ [size * size, size, 1]).all())


def boxes(edge):
    def work(peer, n, size, folder):
        corners = np.random.default_rng(n).integers(0, size - edge + 1, (n, 3)).tolist()
        return read(peer, folder, lambda array: [array[i:i + edge, j:j + edge, k:k + edge] for i, j, k in corners],
                    lambda found: all((box == numbers(size, lo, (edge,) * 3)).all() for lo, box in zip(corners, found)))

    return work


def append(peer, n, size, folder):
    array = peer.create(f"{folder}/rows{peer.suffix}", (0, ROW), (1024, ROW))
    row = np.arange(float(ROW))

    def loop():
        for _ in range(n):
            peer.append_row(array, row)

    seconds, _ = timed(loop)
    assert array.shape == (n, ROW) and (array[n - 1] == row).all(), "append: wrong"
    peer.close(array)
    return seconds


# ---- months of a dataset of ten variables, each month durable before the next


VARIABLES, GRID = [f"v{i}" for i in range(10)], (73, 144)


def month(t):
    return np.full((1, *GRID), t, np.float32)


class DrxMonths:
    def __init__(self, folder):
        self.dataset = drx.create_dataset(f"{folder}/months")
        for name in VARIABLES:
            self.dataset.add(name, ("time", "lat", "lon"), (0, *GRID), "float32", (12, *GRID))
        self.dataset.commit("variables")

    def append(self, t):
        with self.dataset.transaction():
            self.dataset.extend("time", 1)
            for name in VARIABLES:
                self.dataset[name][t:] = month(t)

    def read(self, name):
        return self.dataset[name][...]


class NetcdfMonths:
    def __init__(self, folder):
        self.file = netCDF4.Dataset(f"{folder}/months.nc", "w")
        for dim, n in zip(("time", "lat", "lon"), (None, *GRID)):
            self.file.createDimension(dim, n)
        for name in VARIABLES:
            self.file.createVariable(name, "f4", ("time", "lat", "lon"), chunksizes=(12, *GRID))
        self.descriptor = os.open(f"{folder}/months.nc", os.O_RDONLY)

    def append(self, t):
        for name in VARIABLES:
            self.file[name][t] = month(t)[0]
        self.file.sync()
        os.fdatasync(self.descriptor)

    def read(self, name):
        return self.file[name][...]


class ZarrMonths:
    """By xarray, which does not make a store durable: its files are synced here."""

    def __init__(self, folder):
        self.store, self.seen = f"{folder}/months.zarr", 0

    def append(self, t):
        encoding = {name: {"chunks": (12, *GRID), "compressor": None} for name in VARIABLES}
        data = xarray.Dataset({name: (("time", "lat", "lon"), month(t)) for name in VARIABLES})
        begun = time.time_ns()
        if t:
            data.to_zarr(self.store, append_dim="time")
        else:
            data.to_zarr(self.store, mode="w", encoding=encoding)
        for folder, _, names in os.walk(self.store):
            for name in names:
                path = os.path.join(folder, name)
                if os.stat(path).st_mtime_ns >= begun - 10**7:
                    descriptor = os.open(path, os.O_RDONLY)
                    os.fdatasync(descriptor)
                    os.close(descriptor)

    def read(self, name):
        return zarr.open(self.store, mode="r")[name][...]


MONTHS = {"drx": DrxMonths, "netcdf4": NetcdfMonths, "zarr": ZarrMonths}


def months(peer, n, size, folder):
    with tempfile.TemporaryDirectory(dir=folder) as own:
        store = peer(own)

        def loop():
            for t in range(n):
                store.append(t)

        seconds, _ = timed(loop)
        assert (store.read("v9")[:, 5, 6] == np.arange(n)).all(), "months: wrong"
        del store
    return seconds


WORK = {"months": months, "build": build, "whole": whole, "element": element, "elements": elements, "boxes-4": boxes(4),
        "boxes-16": boxes(16), "append": append}


def perform(work, peer, n, size, folder):
    peers = MONTHS if work == "months" else PEERS
    if peer not in peers or (peer == "c" and work != "whole"):
        raise Declined
    seconds = WORK[work](peers[peer], int(n), int(size), folder)
    return {"seconds": seconds, "each": seconds / int(n)}
