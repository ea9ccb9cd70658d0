"""Arrays and datasets on a server, by the protocol of bench.h: WORKLOAD:COUNT.

BENCH_URL is where FOLDER is served. Each measurement is made by a process of its own, which has made no request before.
The cube has SIZE^3 doubles in chunks of 32^3, uncompressed; what was read is compared, untimed.
"""

import concurrent.futures
import http.client
import itertools
import multiprocessing
import os
import urllib.parse

import aiohttp  # noqa: F401  # before the clock starts
import fsspec
import h5py
import numpy as np
import xarray
import zarr
import zarr.storage

import drx
import drx.xarray_backend  # noqa: F401
import python_peer
import reads
from peer_server import Declined, timed
from remote_part import EDGE as BOX
from remote_part import GRID, VARIABLES

URL = os.environ["BENCH_URL"]


class InTurn:
    def boxes(self, array, keys):
        return [array[key] for key in keys]


class Drx(InTurn):
    def array(self, name):
        return drx.open(f"{URL}/{name}")

    def shapes(self, name):
        ds = drx.open_dataset(f"{URL}/{name}")
        return [ds[v].shape for v in VARIABLES]

    def xarray(self, name):
        return xarray.open_dataset(f"{URL}/{name}", engine="drx")


class DrxTogether(Drx):
    def boxes(self, array, keys):
        return array.read_boxes(keys)


class Zarr(InTurn):
    def array(self, name):
        return zarr.open_consolidated(zarr.storage.FSStore(f"{URL}/{name}.zarr", mode="r"), mode="r")

    def shapes(self, name):
        group = self.array(name)
        return [group[v].shape for v in VARIABLES]

    def xarray(self, name):
        return xarray.open_dataset(f"{URL}/{name}.zarr", engine="zarr", consolidated=True)


class Hdf5(InTurn):
    options = {}

    def file(self, path):
        return fsspec.filesystem("http", skip_instance_cache=True).open(f"{URL}/{path}", **self.options)

    def array(self, name):
        return h5py.File(self.file(f"{name}.h5"), "r")["a"]

    def shapes(self, name):
        file = h5py.File(self.file(f"{name}.nc"), "r")
        return [file[v].shape for v in VARIABLES]

    def xarray(self, name):
        return xarray.open_dataset(self.file(f"{name}.nc"), engine="h5netcdf")


class Hdf5Best(Hdf5):
    options = {"cache_type": "block", "block_size": 1 << 20, "cache_options": {"maxblocks": 64}}


PEERS = {"drx": Drx(), "drx-together": DrxTogether(), "zarr": Zarr(), "hdf5": Hdf5(), "hdf5-best": Hdf5Best()}


# ---- workloads: give the seconds


def build(peer, n, size, folder):
    maker = {"drx": "drx", "zarr": "zarr", "hdf5": "h5py"}[peer]
    python_peer.build(python_peer.PEERS[maker], n, size, folder)
    values = np.arange(np.prod(GRID), dtype=np.float32).reshape(GRID)
    dims = ("time", "lat", "lon")
    ds = xarray.Dataset({v: (dims, values) for v in VARIABLES},
                        {dim: np.arange(float(extent)) for dim, extent in zip(dims, GRID)})
    chunks = (12, *GRID[1:])
    if peer == "drx":
        drx.save_dataset(ds, f"{folder}/months", encoding={v: {"chunks": chunks} for v in VARIABLES})
    elif peer == "zarr":
        zarr.consolidate_metadata(f"{folder}/cube.zarr")
        ds.to_zarr(f"{folder}/months.zarr", consolidated=True,
                   encoding={v: {"chunks": chunks, "compressor": None} for v in VARIABLES})
    else:
        ds.to_netcdf(f"{folder}/months.nc", encoding={v: {"chunksizes": chunks} for v in VARIABLES})
    return 0


def open_array(peer, n, size):
    seconds, found = timed(lambda: peer.array("cube")[5, 6, 7])
    reads.check(reads.Numbers(size), (5, 6, 7), found)
    return seconds


def dataset(peer, n, size):
    seconds, found = timed(lambda: peer.shapes("months"))
    assert found == [GRID] * len(VARIABLES), "wrong shapes"
    return seconds


def with_xarray(peer, n, size):
    seconds, ds = timed(lambda: peer.xarray("months"))
    assert dict(ds.sizes) == dict(zip(("time", "lat", "lon"), GRID)) and len(ds.data_vars) == len(VARIABLES)
    assert (ds["time"] == np.arange(GRID[0])).all(), "wrong coordinate"
    return seconds


def rows(n, shape):
    """A loop over boxes in a loop over their rows."""
    corners = itertools.product((0,), *(range(0, extent, BOX) for extent in shape[1:]))
    return [reads.box(corner, (BOX,) * 3) for corner in itertools.islice(corners, n)]


def reading(keys_of):
    """keys_of(n, shape): what is read of the cube, which is open."""
    def work(peer, n, size):
        values = reads.Numbers(size)
        return reads.read(peer.array("cube"), values, keys_of(n, values.shape), peer.boxes)

    return work


def one_request(n, size):
    """All bytes of the elements, by one request into memory that is there."""
    memory = memoryview(np.zeros(size**3).view(np.uint8))
    site = urllib.parse.urlsplit(URL)

    def read():
        connection = http.client.HTTPConnection(site.hostname, site.port)
        connection.request("GET", "/cube.xta")
        answer, got = connection.getresponse(), 0
        while got < len(memory):
            more = answer.readinto(memory[got:])
            if not more:
                break
            got += more
        return got

    seconds, got = timed(read)
    assert got == len(memory), "too few bytes"
    return seconds


WORK = {"open": open_array, "dataset": dataset, "xarray": with_xarray, "rows": reading(rows),
        "whole": reading(lambda n, shape: [reads.ALL]),
        "planes": reading(lambda n, shape: [reads.box((0, j * shape[1] // n, 0), (shape[0], 1, shape[2]))
                                            for j in range(n)]),
        "boxes": reading(lambda n, shape: reads.boxes(n, shape, BOX))}


def answer(job):
    if job.work == "build":
        return build(job.peer, job.n, job.size, job.folder)
    if job.peer == "bytes" and job.work == "whole":
        return one_request(job.n, job.size)
    if job.peer not in PEERS or (job.peer == "drx-together" and job.work not in ("planes", "boxes")):
        raise Declined
    return WORK[job.work](PEERS[job.peer], job.n, job.size)


def perform(job):
    """In a new process."""
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
        return {"seconds": pool.submit(answer, job).result()}
