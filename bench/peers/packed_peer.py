"""Compressed arrays, by the protocol of bench.h: WORK-DATA:COUNT.

All peers have the same data in chunks of the same extents, compressed at the same level after a shuffle of bytes. What
was read is compared with the data, untimed. HDF5 is called below h5py's indexing, where it is faster.
"""

import functools
import multiprocessing.pool
import os

import numcodecs.blosc
import numpy as np

import libraries
import packed_data
import reads
from packed_part import CHUNK, LEVEL, shape
from peer_server import Declined, settle, timed

THREADS = len(os.sched_getaffinity(0))
BLOSC_FILTER, BLOSC_ZSTD, BYTE_SHUFFLE = 32001, 5, 1
EDGE, SMALL = 16, 8
numcodecs.blosc.use_threads = False


class Zarr(libraries.Zarr):
    def whole(self, a, out):
        """By as many threads as drx has."""
        numcodecs.blosc.use_threads, before = True, numcodecs.blosc.set_nthreads(THREADS)
        super().whole(a, out)
        numcodecs.blosc.use_threads = False
        numcodecs.blosc.set_nthreads(before)


CODEC = numcodecs.Blosc("zstd", LEVEL, numcodecs.Blosc.SHUFFLE)
CACHE = {"rdcc_nbytes": 32 << 20, "rdcc_nslots": 10007}  # as large as that of drx
PEERS = {"drx": libraries.Drx(compression="zstd", level=LEVEL),
         "drx-zlib": libraries.Drx(compression="zlib", level=LEVEL),
         "drx-raw": libraries.Drx(),
         "hdf5-blosc": libraries.Hdf5(CACHE, compression=BLOSC_FILTER,
                                      compression_opts=(0, 0, 0, 0, LEVEL, BYTE_SHUFFLE, BLOSC_ZSTD)),
         "hdf5-zlib": libraries.Hdf5(CACHE, compression="gzip", compression_opts=LEVEL, shuffle=True),
         "zarr": Zarr(compressor=CODEC, fill_value=0)}


def path_of(folder, peer, name):
    return f"{folder}/{name}-{[key for key, one in PEERS.items() if one is peer][0]}{peer.suffix}"


# ---- workloads


def build(peer, data, n, size, folder):
    path = path_of(folder, peer, data)
    seconds = reads.build(peer, path, packed_data.values(data, size), CHUNK, "float32")
    return {"seconds": seconds, "bytes": sum(os.path.getsize(file) for file in peer.files(path))}


def whole(peer, data, n, size, folder, cold=False):
    out = np.full(shape(size), -1, np.float32)  # memory that has pages
    path = path_of(folder, peer, data)
    settle(peer.files(path), cold)
    a = peer.open(path)
    seconds, _ = timed(lambda: peer.whole(a, out))
    peer.close(a)
    assert (out == packed_data.values(data, size)).all(), "wrong elements"
    return {"seconds": seconds}


def cold(peer, data, n, size, folder):
    return whole(peer, data, n, size, folder, cold=True)


@functools.lru_cache(1)
def blosc_frames(data, size):
    """The chunks, and each of them as a frame."""
    values = packed_data.values(data, size)
    edges = [range(0, n, c) for n, c in zip(values.shape, CHUNK)]
    pieces = [np.ascontiguousarray(values[i:i + CHUNK[0], j:j + CHUNK[1], k:k + CHUNK[2]])
              for i in edges[0] for j in edges[1] for k in edges[2]]
    return pieces, [CODEC.encode(piece) for piece in pieces]


def blosc_alone(data, n, size, folder):
    """The frames of the chunks, decoded one beside the other by as many threads as drx has."""
    pieces, frames = blosc_frames(data, size)
    outs = [np.full_like(piece, -1) for piece in pieces]
    with multiprocessing.pool.ThreadPool(THREADS) as pool:
        seconds, _ = timed(lambda: pool.starmap(numcodecs.blosc.decompress, zip(frames, outs), 4))
    assert all((one == other).all() for one, other in zip(outs, pieces)), "wrong elements"
    return {"seconds": seconds}


def reading(keys_of, how):
    """keys_of(n, shape): what is read; how(peer, array, keys)."""
    def work(peer, data, n, size, folder):
        values, a = packed_data.values(data, size), peer.open(path_of(folder, peer, data))
        seconds = reads.read(a, values, keys_of(n, values.shape), lambda a, keys: how(peer, a, keys))
        peer.close(a)
        return {"seconds": seconds, "each": seconds / n}

    return work


elements = reading(reads.elements, lambda peer, a, keys: [peer.element(a, key) for key in keys])
points = reading(lambda n, shape: np.array(reads.elements(n, shape)), lambda peer, a, keys: peer.points(a, keys))
boxes = reading(lambda n, shape: reads.boxes(n, shape, EDGE),
                lambda peer, a, keys: [peer.box(a, key) for key in keys])


def slabs(peer, data, n, size, folder, planes=CHUNK[0] - 1):
    values, path = packed_data.values(data, size)[:planes], path_of(folder, peer, "slabs")
    a = peer.create(path, (0, *values.shape[1:]), CHUNK, "float32")

    def loop():
        for k in range(len(values)):
            peer.append(a, values[k:k + 1], 0)
        peer.close(a)

    seconds, _ = timed(loop)
    check(peer, path, values)
    return {"seconds": seconds, "each": seconds / len(values)}


def slabs_all(peer, data, n, size, folder):
    if isinstance(peer, Zarr):  # it compresses all chunks at the edge for each slab: `slabs` tells how long that takes
        raise Declined
    return slabs(peer, data, n, size, folder, 4 * CHUNK[0])


def growth_2d(peer, data, n, size, folder):
    """Grown by one chunk of 8 x 8 along each axis in turn, to as many chunks as the size has elements."""
    edge = SMALL * min(size, 64)
    values = np.resize(packed_data.values(data, size), (edge, edge)).astype("float64")
    path = path_of(folder, peer, "small")
    a = peer.create(path, (SMALL, SMALL), (SMALL, SMALL))
    a[...] = values[:SMALL, :SMALL]

    def loop():
        for m in range(SMALL, edge, SMALL):
            peer.append(a, values[m:m + SMALL, :m], 0)
            peer.append(a, values[:m + SMALL, m:m + SMALL], 1)
        peer.close(a)

    seconds, _ = timed(loop)
    chunks = (edge // SMALL) ** 2
    found = {"seconds": seconds, "each": seconds / chunks,
             "bytes_a_chunk": sum(os.path.getsize(file) for file in peer.files(path)) / chunks}
    if peer.suffix == "" and os.path.exists(path + ".xct"):
        found["table_bytes_a_chunk"] = os.path.getsize(path + ".xct") / chunks
    check(peer, path, values)
    return found


def check(peer, path, values):
    out = np.empty_like(values)
    a = peer.open(path)
    peer.whole(a, out)
    peer.close(a)
    assert (out == values).all(), "wrong elements"


def drop(peer, data, n, size, folder):
    for file in peer.files(path_of(folder, peer, data)):
        os.remove(file)
    return {"seconds": 0}


WORKS = {"build": build, "whole": whole, "cold": cold, "elements": elements, "points": points, "boxes": boxes,
         "slabs": slabs, "slabs-all": slabs_all, "growth-2d": growth_2d, "drop": drop}


def perform(job):
    work, data = job.work.rsplit("-", 1)
    words = data, job.n, job.size, job.folder
    if job.peer == "blosc":
        if work != "whole":
            raise Declined
        return blosc_alone(*words)
    return WORKS[work](PEERS[job.peer], *words)
