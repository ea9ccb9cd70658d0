"""Programs that copy files, by the protocol of bench.h: cp, h5repack, nccopy; and Zarr to Zarr in the way of rechunker.

Workloads: copy-square:ROWS:COLUMNS:TURNED, into chunks of that shape, check-square with the same numbers, drop-copy,
versions, and, of Zarr, build-square and drop-square. Turned copies are declined, but for cp, to which it is all one.
"""

import itertools
import os
import shutil
import subprocess
import sys
import time

import numpy
import zarr

from layout_part import edge, memory_bytes
from peer_server import Declined
from zarr_peer import Growing, files, settle_cache, values

SOURCE_ROWS = 8
SLOTS = "65537"  # of the chunk cache: more than there are chunks


class Paths:
    """Files of the peers: the source as the C program makes it."""

    NAMES = {"cp": ("drx-square.xta", "cp-copy"), "hdf5": ("hdf5-square.h5", "hdf5-copy.h5"),
             "netcdf": ("netcdf-square.nc", "netcdf-copy.nc"),
             "netcdf-best": ("netcdf-square.nc", "netcdf-best-copy.nc"),
             "zarr": ("zarr-square", "zarr-copy")}

    def __init__(self, peer, folder):
        self.source, self.copy = (os.path.join(folder, name) for name in self.NAMES[peer])
        self.between = self.copy + "-between"

    def drop_copy(self):
        for path in (self.copy, self.between):
            if os.path.isdir(path):
                shutil.rmtree(path)
            elif os.path.exists(path):
                os.remove(path)


def command(peer, paths, chunk, memory):
    """Of the program that is the peer."""
    rows, columns = chunk
    if peer == "cp":
        return ["cp", paths.source, paths.copy]
    if peer == "hdf5":
        return ["h5repack", "-l", f"CHUNK={rows}x{columns}", paths.source, paths.copy]
    room = ["-m", str(memory), "-h", str(memory), "-e", SLOTS] if peer == "netcdf-best" else []
    return ["nccopy", *room, "-c", f"a:{rows},{columns}", paths.source, paths.copy]


def run(arguments):
    done = subprocess.run(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError(f"{arguments[0]}: exit code {done.returncode}: {done.stderr.strip()}")


# ---- rechunker's way: how much to read and to write at a time, and chunks of a temporary array between


def consolidated(shape, chunk, memory, limit):
    """Several chunks together, along the last axis first, up to the limit on each axis and the memory in all."""
    chunk = list(chunk)
    for axis in reversed(range(len(shape))):
        room = memory // (8 * int(numpy.prod(chunk)))
        chunk[axis] = max(chunk[axis], min(chunk[axis] * room, shape[axis], limit[axis]))
    return tuple(chunk)


def stages(shape, source, target, memory):
    """What to read, the chunks between, and what to write, at a time. Reading goes beyond a chunk only along axes
    where writing needs more."""
    write = consolidated(shape, target, memory, shape)
    read = consolidated(shape, source, memory, [max(w, s) for w, s in zip(write, source)])
    return read, tuple(map(min, read, write)), write


def pour(source, target, block):
    for lo in itertools.product(*(range(0, n, step) for n, step in zip(source.shape, block))):
        where = tuple(slice(first, first + step) for first, step in zip(lo, block))
        target[where] = source[where]


def create(path, shape, chunk):
    return zarr.open(path, mode="w-", shape=shape, chunks=chunk, dtype="f8", compressor=None)


def rechunk(paths, chunk, memory):
    source = zarr.open(paths.source, mode="r")
    read, between, write = stages(source.shape, source.chunks, chunk, memory)
    target = create(paths.copy, source.shape, chunk)
    if read == write:
        pour(source, target, read)
        return 1
    temporary = create(paths.between, source.shape, between)
    pour(source, temporary, read)
    pour(temporary, target, write)
    return 2


# ---- workloads


def sync_files(path):
    for name in files(path):
        fd = os.open(name, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def copy(peer, paths, chunk, size, cold):
    """Cold: until the copy is on the disk."""
    passes = None
    paths.drop_copy()
    settle_cache(paths.source, cold)
    start = time.perf_counter()
    if peer == "zarr":
        passes = rechunk(paths, chunk, memory_bytes(size))
    else:
        run(command(peer, paths, chunk, memory_bytes(size)))
    if cold:
        sync_files(paths.copy)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "bytes": 8 * edge(size) ** 2, **({"passes": passes} if passes else {})}


def check(peer, paths, chunk):
    """cp: byte for byte. Zarr: every element."""
    if peer == "cp":
        run(["cmp", paths.source, paths.copy])
        return
    array = zarr.open(paths.copy, mode="r")
    if array.chunks != chunk:
        raise ValueError(f"{paths.copy}: chunks of {array.chunks}, expected {chunk}")
    for lo in itertools.product(*(range(0, n, step) for n, step in zip(array.shape, chunk))):
        where = tuple(slice(first, first + step) for first, step in zip(lo, chunk))
        if not numpy.array_equal(array[where], values(lo, chunk)):
            raise ValueError(f"{paths.copy}: the chunk at {lo} is wrong")


def build(paths, size):
    growing = Growing(paths.source, (0, edge(size)), (SOURCE_ROWS, edge(size)))
    while growing.shape[0] < edge(size):
        growing.grow(0, SOURCE_ROWS)


def versions():
    def last_word(program):
        done = subprocess.run([program, "--version"], stdout=subprocess.PIPE, text=True)
        return done.stdout.splitlines()[0].split()[-1]

    return {"cp": last_word("cp"), "h5repack": last_word("h5repack"), "Zarr": zarr.__version__,
            "NumPy": numpy.__version__, "Python": sys.version.split()[0]}


def perform(work, peer, size, cache, folder):
    if work == "versions":
        return versions()
    size = int(size)
    name, *numbers = work.split(":")
    paths = Paths(peer, folder)
    if name == "build-square":
        build(paths, size)
    elif name == "drop-square":
        shutil.rmtree(paths.source)
    elif name == "drop-copy":
        paths.drop_copy()
    elif name in ("copy-square", "check-square"):
        rows, columns, turned = map(int, numbers)
        if turned and peer != "cp":
            raise Declined
        if name == "copy-square":
            return copy(peer, paths, (rows, columns), size, cache == "cold")
        check(peer, paths, (rows, columns))
    else:
        raise ValueError(f"no workload '{work}'")
    return {}
