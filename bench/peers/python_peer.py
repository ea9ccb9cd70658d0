"""Arrays from Python, by the protocol of bench.h: WORKLOAD:COUNT.

The array has SIZE^3 doubles in chunks of 32^3, uncompressed.
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
import reads
from peer_server import Declined, timed

EDGE, ROW = 32, 100


class Library:
    """drx_read itself, into fresh memory of NumPy."""

    suffix = ""

    def open(self, path):
        with open("/proc/self/maps", encoding="utf-8") as maps:  # the one that the package has loaded
            self.drx = ctypes.CDLL(next(line.split()[-1] for line in maps if "libdrx.so" in line))
        self.drx.drx_shape.restype = ctypes.POINTER(ctypes.c_int64)
        self.array = ctypes.c_void_p()
        assert self.drx.drx_open(path.encode(), 0, ctypes.byref(self.array)) == 0
        return self

    def __getitem__(self, _all):
        shape = self.drx.drx_shape(self.array)
        out = np.empty(shape[:3])
        first = (ctypes.c_int64 * 3)()
        assert self.drx.drx_read(self.array, first, shape, 0, out.ctypes.data_as(ctypes.c_void_p)) == 0
        return out

    def close(self, array):
        self.drx.drx_close(self.array)


PEERS = {"c": Library(), "drx": libraries.Drx(), "h5py": libraries.Hdf5(), "zarr": libraries.Zarr()}


# ---- workloads: the seconds of n of them


def build(peer, n, size, folder):
    return reads.build(peer, f"{folder}/cube{peer.suffix}", reads.Numbers(size), (EDGE,) * 3)


def reading(keys_of, **how):
    """keys_of(n, shape): what is read of the cube."""
    def work(peer, n, size, folder):
        array, values = peer.open(f"{folder}/cube{peer.suffix}"), reads.Numbers(size)
        seconds = reads.read(array, values, keys_of(n, values.shape), **how)
        peer.close(array)
        return seconds

    return work


def element(peer, n, size, folder):
    """Always the same."""
    def loop(array, keys):
        for _ in range(n):
            found = array[5, 6, 7]
        return [found]

    return reading(lambda n, shape: [(5, 6, 7)], how=loop)(peer, n, size, folder)


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


WORK = {"months": months, "build": build, "element": element, "append": append,
        "whole": reading(lambda n, shape: [reads.ALL]), "elements": reading(reads.elements),
        "boxes-4": reading(lambda n, shape: reads.boxes(n, shape, 4)),
        "boxes-16": reading(lambda n, shape: reads.boxes(n, shape, 16))}


def perform(job):
    peers = MONTHS if job.work == "months" else PEERS
    if job.peer not in peers or (job.peer == "c" and job.work != "whole"):
        raise Declined
    seconds = WORK[job.work](peers[job.peer], job.n, job.size, job.folder)
    return {"seconds": seconds, "each": seconds / job.n}
