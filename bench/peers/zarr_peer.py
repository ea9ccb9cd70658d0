"""Zarr, as a peer of the C program (bench.h), which calls it and does all else: zarr_peer.py LIBRARY, the same as a
library. A call costs up to 10 µs more than one of C.

Arrays are uncompressed, as those of the other peers. "zarr" is as the library comes; "zarr-best" keeps chunks in an
LRUStoreCache where that helps, and asks for all elements in one call. It declines what is best as it comes.
"""

import ctypes
import itertools
import math
import os
import shutil
import sys
import traceback
from ctypes import POINTER, c_bool, c_char_p, c_double, c_int, c_int64, c_uint64, c_void_p

import numpy
import zarr

MAX_NDIM, ARGUMENTS = 3, 4
DONE, FAILED, _ = range(3)
(*_, ELEMENTS, BOXES, _, STRIPS, _, _, _) = range(13)  # of enum access
INDEX = c_int64 * MAX_NDIM


class Layout(ctypes.Structure):
    _fields_ = [("ndim", c_int), ("extent", INDEX), ("chunk", INDEX)]


class Growth(ctypes.Structure):
    _fields_ = [("layout", Layout), ("axis", c_int), ("by", c_int64), ("lo", INDEX), ("count", INDEX),
                ("slab", c_void_p)]


class Job(ctypes.Structure):
    _fields_ = [("peer", c_void_p), ("folder", c_char_p), ("size", c_int64), ("argument", c_int64 * ARGUMENTS),
                ("cold", c_bool)]


def call(*types):
    """A call of a peer, by a function that raises what is wrong."""
    def made(function):
        def safely(*words):
            try:
                function(*words)
                return DONE
            except BaseException as error:
                traceback.print_exc()
                C.complain(b"%s", f"{type(error).__name__}: {error}".encode())
                return FAILED

        return ctypes.CFUNCTYPE(c_int, *types)(safely)

    return made


class Array:
    """An open one. Its new shape may be that of growths which nobody has told Zarr yet: they write nothing."""

    opened = {}  # handle: array

    def __init__(self, array, out):
        self.array, self.shape, self.ndim = array, array.shape, array.ndim
        self.opened[id(self)] = self
        out[0] = id(self)

    def resize(self):
        if self.shape != self.array.shape:
            self.array.resize(*self.shape)


VIEW, WRITABLE = ctypes.pythonapi.PyMemoryView_FromMemory, 0x200
VIEW.restype, VIEW.argtypes = ctypes.py_object, (c_void_p, ctypes.c_ssize_t, c_int)


def memory(address, shape, order="C", dtype=numpy.float64):
    return numpy.frombuffer(VIEW(address, 8 * math.prod(shape), WRITABLE), dtype).reshape(shape, order=order)


def where(lo, count):
    return tuple(slice(first, first + n) for first, n in zip(lo, count))


def create_zarr(path, shape, chunk):
    shutil.rmtree(path, ignore_errors=True)
    return zarr.open(path, mode="w-", shape=shape, chunks=chunk, dtype="f8", compressor=None)


OPEN = (c_void_p, c_char_p, POINTER(Layout), c_int, POINTER(c_void_p))


@call(*OPEN)
def create(_peer, path, layout, _access, out):
    n = layout[0].ndim
    Array(create_zarr(path.decode(), tuple(layout[0].extent[:n]), tuple(layout[0].chunk[:n])), out)


@call(*OPEN)
def open_plain(_peer, path, _layout, _access, out):
    Array(zarr.open(path.decode(), mode="r"), out)


@call(*OPEN)
def open_best(_peer, path, _layout, access, out):
    store = zarr.DirectoryStore(path.decode())
    if access in (BOXES, STRIPS):  # chunks are needed again and again
        store = zarr.LRUStoreCache(store, max_size=None)
    Array(zarr.open(store, mode="r"), out)


@call(c_void_p, POINTER(Growth))
def grow(handle, growth):
    a, growth = Array.opened[handle], growth[0]
    a.shape = tuple(growth.layout.extent[:a.ndim])
    if growth.slab:
        count = growth.count[:a.ndim]
        a.resize()
        a.array[where(growth.lo, count)] = memory(growth.slab, count)


@call(c_void_p, POINTER(c_int64), POINTER(c_int64), c_void_p)
def read(handle, lo, count, out):
    a = Array.opened[handle]
    count = count[:a.ndim]
    a.array.get_basic_selection(where(lo[:a.ndim], count), out=memory(out, count))


@call(c_void_p, POINTER(Layout), c_void_p)
def read_fortran(handle, layout, out):
    turned = memory(out, layout[0].extent[:layout[0].ndim], "F")
    Array.opened[handle].array.get_basic_selection(Ellipsis, out=turned)


@call(c_void_p, POINTER(c_int64), POINTER(c_double))
def get(handle, index, out):
    a = Array.opened[handle]
    out[0] = a.array[tuple(index[:a.ndim])]


@call(c_void_p, c_int64, c_void_p, c_void_p)
def get_many(handle, n, index, out):
    places = memory(index, (n, MAX_NDIM), dtype=numpy.int64)
    memory(out, (n,))[:] = Array.opened[handle].array.vindex[tuple(places.T)]


@call(c_void_p)
def close(handle):
    Array.opened.pop(handle).resize()


# ---- copies in rechunker's way: how much to read and to write at a time, and chunks of a temporary array between


def consolidated(shape, chunk, room_bytes, limit):
    """Several chunks together, along the last axis first, up to the limit on each axis and the memory in all."""
    chunk = list(chunk)
    for axis in reversed(range(len(shape))):
        room = room_bytes // (8 * math.prod(chunk))
        chunk[axis] = max(chunk[axis], min(chunk[axis] * room, shape[axis], limit[axis]))
    return tuple(chunk)


def stages(shape, source, target, room_bytes):
    """What to read, the chunks between, and what to write, at a time. Reading goes beyond a chunk only along axes
    where writing needs more."""
    write = consolidated(shape, target, room_bytes, shape)
    read_at_once = consolidated(shape, source, room_bytes, [max(w, s) for w, s in zip(write, source)])
    return read_at_once, tuple(map(min, read_at_once, write)), write


def pour(source, target, block):
    for lo in itertools.product(*(range(0, n, step) for n, step in zip(source.shape, block))):
        target[where(lo, block)] = source[where(lo, block)]


@call(c_char_p, c_char_p, POINTER(Job))
def copy(source_path, target_path, job):
    job, source = job[0], zarr.open(source_path.decode(), mode="r")
    chunk = tuple(job.argument[:2])
    at_once, between, write = stages(source.shape, source.chunks, chunk, C.copy_memory_bytes(ctypes.byref(job)))
    target = create_zarr(target_path.decode(), source.shape, chunk)
    if at_once == write:
        pour(source, target, at_once)
    else:
        temporary = create_zarr(target_path.decode() + "-between", source.shape, between)
        pour(source, temporary, at_once)
        pour(temporary, target, write)


@call()
def version():
    for name, text in (("Zarr", zarr.__version__), ("NumPy", numpy.__version__), ("Python", sys.version.split()[0])):
        C.answer_text(name.encode(), b"%s", text.encode())


# ---- the table of peers: the members of struct peer in their order

TEXTS, FLAGS = ("name", "files"), ("best", "independent", "both_axes", "shares")
CALLS = ("create", "open", "prepare", "grow", "flush", "read", "move", "move_fortran", "read_fortran", "get",
         "get_many", "close", "copy", "version")


class Peer(ctypes.Structure):
    _fields_ = [*((name, c_char_p) for name in TEXTS), ("suffixes", POINTER(c_char_p)),
                *((name, c_bool) for name in FLAGS), ("threads", c_int), ("slab_rows", c_int64),
                ("declines", c_uint64), ("by_slabs", c_uint64), *((name, c_void_p) for name in CALLS)]


def peer(name, **more):
    calls = {**dict(create=create, grow=grow, read=read, read_fortran=read_fortran, get=get, get_many=get_many,
                    close=close), **more.pop("calls")}
    suffixes = (c_char_p * 5)(b"/*", b"/.z*", b"-between/*", b"-between/.z*", None)
    return Peer(name=name, files=b"zarr", suffixes=suffixes, **more,
                **{key: ctypes.cast(function, c_void_p) for key, function in calls.items()})


PEERS = [peer(b"zarr", calls={"open": open_plain, "copy": copy, "version": version}),
         peer(b"zarr-best", best=True, declines=~(1 << ELEMENTS | 1 << BOXES | 1 << STRIPS) % (1 << 64),
              calls={"open": open_best})]

if __name__ == "__main__":
    C = ctypes.CDLL(sys.argv[1])
    C.copy_memory_bytes.restype = c_int64
    table = (POINTER(Peer) * (len(PEERS) + 1))(*map(ctypes.pointer, PEERS), None)
    os._exit(C.bench_main(1, (c_char_p * 2)(b"zarr", None), table))
