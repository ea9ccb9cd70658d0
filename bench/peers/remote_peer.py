"""Arrays and datasets on a server, by the protocol of bench.h: `WORKLOAD PEER COUNT SIZE FOLDER` on stdin, JSON on
stdout.

BENCH_URL is where FOLDER is served. Each measurement is made by a process of its own, which has made no request before.
The cube has SIZE^3 doubles in chunks of 32^3, uncompressed; what was read is compared, untimed.
"""

import http.client
import itertools
import json
import os
import traceback
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
from peer_server import Declined
from python_peer import numbers, timed
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
    assert found == numbers(size, (5, 6, 7), (1, 1, 1)).item(), "wrong element"
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


def of_cube(peer, size, keys):
    """Reads of the array, which is open."""
    array = peer.array("cube")
    seconds, found = timed(lambda: peer.boxes(array, keys))
    for key, values in zip(keys, found):
        lo = [s.start or 0 for s in key]
        count = [(s.stop or size) - first for s, first in zip(key, lo)]
        for i in range(0, count[0], max(count[0] // 16, 1)):
            wanted = numbers(size, (lo[0] + i, *lo[1:]), (1, *count[1:]))[0]
            assert (values.reshape(count)[i] == wanted).all(), "wrong elements"
    return seconds


def whole(peer, n, size):
    return of_cube(peer, size, [(slice(None),) * 3])


def planes(peer, n, size):
    return of_cube(peer, size, [(slice(None), slice(j * size // n, j * size // n + 1), slice(None)) for j in range(n)])


def boxes(peer, n, size):
    corners = np.random.default_rng(n).integers(0, size - BOX + 1, (n, 3)).tolist()
    return of_cube(peer, size, [tuple(slice(first, first + BOX) for first in corner) for corner in corners])


def rows(peer, n, size):
    """A loop over boxes in a loop over their rows."""
    corners = itertools.product((0,), range(0, size, BOX), range(0, size, BOX))
    return of_cube(peer, size, [tuple(slice(first, first + BOX) for first in corner)
                                for corner in itertools.islice(corners, n)])


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


WORK = {"open": open_array, "dataset": dataset, "xarray": with_xarray, "whole": whole,
        "planes": planes, "rows": rows, "boxes": boxes}


def answer(work, peer, n, size, folder):
    if work == "build":
        return build(peer, n, size, folder)
    if peer == "bytes" and work == "whole":
        return one_request(n, size)
    if peer not in PEERS or (peer == "drx-together" and work not in ("planes", "boxes")):
        raise Declined
    return WORK[work](PEERS[peer], n, size)


def perform(work, peer, n, size, folder):
    """In a new process."""
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            found = {"seconds": answer(work, peer, int(n), int(size), folder)}
        except Declined:
            found = None
        except BaseException as error:
            traceback.print_exc()
            found = {"error": f"{type(error).__name__}: {error}"}
        os.write(there, json.dumps(found).encode())
        os._exit(0)
    os.close(there)
    with open(here, "rb") as file:
        text = file.read()
    os.waitpid(child, 0)
    found = json.loads(text) if text else {"error": "the process ended"}
    if found is None:
        raise Declined
    if "error" in found:
        raise RuntimeError(found["error"])
    return found
