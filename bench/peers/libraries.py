"""Arrays of drx, h5py and zarr, as the peers of several parts use them."""

import glob
import os
import shutil

import drx
import h5py
import numpy as np
import zarr

from peer_server import Declined


class Drx:
    suffix = ""

    def __init__(self, **options):
        self.options = options

    def create(self, path, shape, chunks, dtype="float64"):
        return drx.create(path, shape, dtype, chunks=chunks, overwrite=True, **self.options)

    def open(self, path):
        return drx.open(path)

    def close(self, a):
        a.close()

    def append(self, a, slab, axis=0):
        a.append(slab, axis)

    def append_row(self, a, row):
        a.append(row)

    def whole(self, a, out):
        a.read(out=out)

    def box(self, a, key):
        return a[key]

    def element(self, a, index):
        return a[index]

    def points(self, a, indices):
        return a.vindex[tuple(indices.T)]

    def files(self, path):
        return glob.glob(path + ".x*")


class Hdf5:
    """Boxes, elements and points below h5py's indexing, where it is faster."""

    suffix = ".h5"

    def __init__(self, cache=None, **options):
        self.cache, self.options = cache or {}, options

    def create(self, path, shape, chunks, dtype="float64"):
        codec = self.options.get("compression")
        if isinstance(codec, int) and not h5py.h5z.filter_avail(codec):
            raise Declined
        file = h5py.File(path, "w", libver="latest", **self.cache)
        return file.create_dataset("a", shape, dtype, chunks=chunks, maxshape=(None,) * len(shape), **self.options)

    def open(self, path):
        if not os.path.exists(path):
            raise Declined
        return h5py.File(path, "r", **self.cache)["a"]

    def close(self, a):
        a.file.close()

    def append(self, a, slab, axis=0):
        n = a.shape[axis]
        a.resize(n + slab.shape[axis], axis=axis)
        a[(slice(None),) * axis + (slice(n, None),)] = slab

    def append_row(self, a, row):
        n = a.shape[0]
        a.resize(n + 1, axis=0)
        a[n] = row

    def whole(self, a, out):
        a.read_direct(out)

    def box(self, a, key):
        count = tuple(part.stop - part.start for part in key)
        space = a.id.get_space()
        space.select_hyperslab(tuple(part.start for part in key), count)
        out = np.empty(count, a.dtype)
        a.id.read(h5py.h5s.create_simple(count), space, out)
        return out

    def element(self, a, index):
        return self.points(a, np.array([index], np.uint64))[0]

    def points(self, a, indices):
        space = a.id.get_space()
        space.select_elements(np.ascontiguousarray(indices, np.uint64))
        out = np.empty(len(indices), a.dtype)
        a.id.read(h5py.h5s.create_simple((len(indices),)), space, out)
        return out

    def files(self, path):
        return [path]


class Zarr(Drx):
    suffix = ".zarr"

    def create(self, path, shape, chunks, dtype="float64"):
        shutil.rmtree(path, ignore_errors=True)
        options = {"compressor": None, **self.options}
        return zarr.open(path, mode="w", shape=shape, chunks=chunks, dtype=dtype, **options)

    def open(self, path):
        return zarr.open(path, mode="r")

    def close(self, a):
        pass

    def append_row(self, a, row):
        a.append(row[None])

    def whole(self, a, out):
        a.get_basic_selection(Ellipsis, out=out)

    def files(self, path):
        return [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names]
