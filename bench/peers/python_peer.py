"""Arrays from Python, by the protocol of bench.h: WORKLOAD:COUNT.

The array has SIZE^3 doubles in chunks of 32^3, uncompressed. Element (i, j, k) is its number in C order; what was
read is compared with that, untimed.
"""

import ctypes
import os
import tempfile
import time

import drx
import netCDF4
import numpy as np
import xarray
import zarr

import libraries
from peer_server import Declined, timed

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


# ---- workloads: the seconds of n of them


def build(peer, n, size, folder):
    """In slabs of chunks."""
    array = peer.create(f"{folder}/cube{peer.suffix}", (size,) * 3, (EDGE,) * 3)
    for first in range(0, size, EDGE):
        array[first:first + EDGE] = numbers(size, (first, 0, 0), (EDGE, size, size))
    peer.close(array)
    return 0


def check(size, lo, count, found):
    """Is the box right? Each plane of a small one, some of a large one."""
    for i in range(0, count[0], max(count[0] // 16, 1)):
        right = numbers(size, (lo[0] + i, *lo[1:]), (1, *count[1:]))[0]
        assert (found.reshape(count)[i] == right).all(), "wrong elements"


def read(peer, folder, call):
    """The seconds of call(array), and what it gives."""
    array = peer.open(f"{folder}/cube{peer.suffix}")
    found = timed(lambda: call(array))
    peer.close(array)
    return found


def whole(peer, n, size, folder):
    library = isinstance(peer, Library)
    seconds, found = read(peer, folder, lambda array: array.read((0, 0, 0), (size,) * 3) if library else array[...])
    check(size, (0, 0, 0), (size,) * 3, found)
    return seconds


def element(peer, n, size, folder):
    def loop(array):
        for _ in range(n):
            found = array[5, 6, 7]
        return found

    seconds, found = read(peer, folder, loop)
    check(size, (5, 6, 7), (1, 1, 1), np.array(found))
    return seconds


def elements(peer, n, size, folder):
    indices = np.random.default_rng(n).integers(0, size, (n, 3)).tolist()
    seconds, found = read(peer, folder, lambda array: [array[i, j, k] for i, j, k in indices])
    assert (np.array(found) == np.array(indices, np.float64) @ [size * size, size, 1]).all(), "wrong elements"
    return seconds


def boxes(edge):
    def work(peer, n, size, folder):
        corners = np.random.default_rng(n).integers(0, size - edge + 1, (n, 3)).tolist()
        seconds, found = read(peer, folder, lambda array: [array[i:i + edge, j:j + edge, k:k + edge]
                                                           for i, j, k in corners])
        for lo, box in zip(corners, found):
            check(size, lo, (edge,) * 3, box)
        return seconds

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


def perform(job):
    peers = MONTHS if job.work == "months" else PEERS
    if job.peer not in peers or (job.peer == "c" and job.work != "whole"):
        raise Declined
    seconds = WORK[job.work](peers[job.peer], job.n, job.size, job.folder)
    return {"seconds": seconds, "each": seconds / job.n}
