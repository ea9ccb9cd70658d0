"""Programs that read netCDF, by the protocol of bench.h: a grid of float32 by time, latitude and longitude.

netCDF-C reads datasets through libdrx-netcdf, and files of netCDF-4; drx_read reads the datasets beside it. All of them
are called by ctypes. Workloads are WORK-DATA[:COUNT].
"""

import ctypes
import glob
import os
import resource
import time
from ctypes import byref, c_char_p, c_int, c_size_t, c_void_p

import netCDF4
import numpy as np

import drx  # with libdrx-netcdf, where netCDF4 is, too
from netcdf_part import CHUNK, LEVEL, shape
from peer_server import Declined, settle, timed

DIMS, SLAB_STEPS, SMALL, SAMPLES = ("time", "lat", "lon"), 32, 4, 4096
ATTRIBUTES = {"units": "m s-1", "long_name": "a wave that moves"}
MOST_VARIABLES = 1000
SIZES, INDICES = c_size_t * 3, ctypes.c_int64 * 3  # which takes a while to make
NC_NOWRITE, NC_FLOAT, DRX_RDONLY, DRX_LAST = 0, 5, 0, ctypes.c_int64(-1)


def loaded(name):
    """The library that the process has of that name."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return ctypes.CDLL(next(line.split()[-1] for line in maps if f"/{name}.so" in line))


# A program that is linked with libdrx-netcdf has its nc_open, for all files.
NC, DRX, BRIDGE = loaded("libnetcdf"), loaded("libdrx"), loaded("libdrx-netcdf")
NAME, DIMENSIONS = ctypes.create_string_buffer(257), (c_int * 1024)()  # of a variable that is asked about
NC.nc_strerror.restype = DRX.drx_last_error.restype = DRX.drx_dataset_name.restype = c_char_p


NOISE = np.random.default_rng(7).integers(0, 32, 1 << 16, np.uint32)


def value(t, y, x):
    """A wave that moves, and some noise, so that it can be compressed; of indices in arrays."""
    t, y, x = (np.asarray(index, np.uint32) for index in (t, y, x))
    wave = (7 * t + 13 * y + 3 * x) & 4095
    return (wave + NOISE[(7919 * t + 10473 * y + 31 * x) & 65535]).astype(np.float32) / np.float32(16)


class NetcdfC:
    """What netCDF-C opens. Errors are those of the library."""

    def __init__(self, suffix, chunks=None, many=True):
        self.suffix, self.chunks, self.many = suffix, chunks, many

    def call(self, name, *words):
        status = getattr(BRIDGE if name == "nc_open" else NC, name)(*words)
        if status:
            raise OSError(f"netCDF: {NC.nc_strerror(status).decode()}")

    def open(self, path, ask=False):
        self.file, n = c_int(), c_int()
        self.call("nc_open", (path + self.suffix).encode(), NC_NOWRITE, byref(self.file))
        if ask:
            self.call("nc_inq_nvars", self.file, byref(n))
            for variable in range(n.value):
                self.call("nc_inq_var", self.file, variable, NAME, DIMENSIONS, byref(n), DIMENSIONS, byref(n))

    def take_variable(self):
        self.variable, kind = c_int(), c_int()
        self.call("nc_inq_varid", self.file, b"wave", byref(self.variable))
        self.call("nc_inq_vartype", self.file, self.variable, byref(kind))  # opens it
        assert kind.value == NC_FLOAT, f"type {kind.value}, expected floats"

    def request(self, lo, count, out):
        """What is called for it."""
        return "nc_get_vara_float", self.file, self.variable, SIZES(*lo), SIZES(*count), c_void_p(out.ctypes.data)

    def close(self):
        self.call("nc_close", self.file)

    # ---- netCDF-4 alone

    def create(self, path):
        return netCDF4.Dataset(path + self.suffix, "w", clobber=False)

    def add(self, file, name, kind, dims, **more):
        variable = file.createVariable(name, kind, dims, **more)
        variable.setncatts(ATTRIBUTES)
        return variable

    def build(self, path, size, packed):
        """Gives what stores a slab."""
        file, extent = self.create(path), shape(size)
        for dim, n in zip(DIMS, extent):
            file.createDimension(dim, None if dim == "time" else n)
        time = self.add(file, "time", "f8", ("time",))
        grid = self.add(file, "wave", "f4", DIMS, chunksizes=self.chunks,
                        **({"zlib": True, "shuffle": True, "complevel": LEVEL} if packed else {}))

        def store(first, slab):
            time[first:first + len(slab)] = np.arange(first, first + len(slab), dtype=float)
            grid[first:first + len(slab)] = slab

        return store, file.close

    def build_many(self, path, variables, _commits):
        with self.create(path) as file:
            for dim in (*DIMS, "level"):
                file.createDimension(dim, None if dim == "time" else SMALL)
            for v in range(variables):
                self.add(file, f"v{v}", "f4", DIMS if v == 0 else ("level", *DIMS[1:]))


class Bridge(NetcdfC):
    """A dataset of DRX, which libdrx-netcdf gives to netCDF-C."""

    def build(self, path, size, packed):
        ds = drx.create_dataset(path)
        time = ds.add("time", ("time",), (0,), "float64", (4096,), attrs=ATTRIBUTES)
        grid = ds.add("wave", DIMS, (0, *shape(size)[1:]), "float32", CHUNK, attrs=ATTRIBUTES,
                      **({"compression": "zlib", "level": LEVEL} if packed else {}))

        def store(first, slab):
            ds.extend("time", len(slab))
            time[first:] = np.arange(first, first + len(slab), dtype=float)
            grid[first:] = slab

        def finish():
            ds.commit("built")
            ds.close()

        return store, finish

    def build_many(self, path, variables, commits):
        with drx.create_dataset(path) as ds:
            for v in range(variables):
                ds.add(f"v{v}", DIMS if v == 0 else ("level", *DIMS[1:]), (SMALL,) * 3, "float32", (SMALL,) * 3,
                       attrs=ATTRIBUTES)
            ds.commit("built")
        with drx.open_dataset(path, "r+") as ds:  # a handle that has opened few arrays commits faster
            for _ in range(1, commits):
                ds.extend("time", 1)
                ds.commit("another hour")


class Read:
    """drx_read, of the same dataset."""

    suffix = ""

    def call(self, name, *words):
        if getattr(DRX, name)(*words):
            raise OSError(DRX.drx_last_error().decode())

    def open(self, path, ask=False):
        self.dataset, self.array = c_void_p(), c_void_p()
        self.call("drx_dataset_open", path.encode(), DRX_RDONLY, DRX_LAST, byref(self.dataset))
        for v in range(DRX.drx_dataset_count(self.dataset) if ask else 0):
            self.call("drx_dataset_array", self.dataset, c_char_p(DRX.drx_dataset_name(self.dataset, v)),
                      byref(self.array))

    def take_variable(self):
        self.call("drx_dataset_array", self.dataset, b"wave", byref(self.array))

    def request(self, lo, count, out):
        return "drx_read", self.array, INDICES(*lo), INDICES(*count), 0, c_void_p(out.ctypes.data)

    def close(self):
        self.call("drx_dataset_close", self.dataset)


PEERS = {"drx": Bridge(""), "read": Read(), "default": NetcdfC(".nc"), "same": NetcdfC(".nc", CHUNK, False)}

# ---- workloads


def build(job, peer, data, path):
    if data == "many":
        if not peer.many:
            raise Declined
        peer.build_many(path, min(job.n, MOST_VARIABLES), job.n)
        return {}
    store, finish = peer.build(path, job.size, data == "packed")
    for first in range(0, shape(job.size)[0], SLAB_STEPS):
        slab = tuple(np.arange(n) for n in (SLAB_STEPS, *shape(job.size)[1:]))
        store(first, value(first + slab[0][:, None, None], slab[1][:, None], slab[2]))
    finish()
    return {}


FREE = {"whole": (0, 1, 2), "series": (0,), "strip": (0, 2), "map": (1, 2)}  # axes that a request has all of


def requests_of(work, job):
    places = np.random.default_rng(6).integers(0, shape(job.size), (job.n, 3)).tolist()
    free = FREE[work]
    return [([0 if j in free else at for j, at in enumerate(place)],
             [n if j in free else 1 for j, n in enumerate(shape(job.size))]) for place in places]


def check(lo, count, out):
    """Some thousand of the elements, and the last one."""
    samples = np.random.default_rng(1).integers(0, out.size, SAMPLES)
    samples[0] = out.size - 1
    places = np.unravel_index(samples, count)
    assert (out[samples] == value(*(first + at for first, at in zip(lo, places)))).all(), "an element of a box is wrong"


def read(job, peer, work, path):
    found = requests_of(work, job)
    out = memory(int(np.prod(shape(job.size))))[:job.n * int(np.prod(found[0][1]))]
    out[:] = np.nan  # what another one read
    settle(glob.glob(path + (peer.suffix or "/*")), job.cold)
    outs = np.split(out, job.n)
    peer.open(path)
    peer.take_variable()
    calls = [peer.request(lo, count, box) for (lo, count), box in zip(found, outs)]
    start = time.perf_counter()
    for words in calls:
        peer.call(*words)
    seconds = time.perf_counter() - start
    peer.close()
    for (lo, count), box in zip(found, outs):
        check(lo, count, box)
    return {"took": seconds, "seconds": seconds / job.n}


def open_often(job, peer, work, path):
    def once():
        peer.open(path, work == "ask")
        peer.close()

    once()  # warms the cache
    seconds, _ = timed(lambda: [once() for _ in range(job.n)])
    return {"took": seconds, "seconds": seconds / job.n}


kept = np.empty(0, np.float32)


def memory(n):
    """The same for all."""
    global kept
    if kept.size < n:
        kept = np.full(n, np.nan, np.float32)
    return kept


# What malloc has got from the system it keeps, so that nobody pays for new pages in each repetition.
for parameter, nbytes in ((-3, 32 << 20), (-1, 1 << 30)):  # M_MMAP_THRESHOLD, M_TRIM_THRESHOLD
    ctypes.CDLL(None).mallopt(parameter, nbytes)
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)


def perform(job):
    work, data = job.work.split("-")
    peer = PEERS[job.peer]
    path = os.path.join(job.folder, f"{'drx' if peer.suffix == '' else job.peer}-{data}")
    if work == "build":
        return build(job, peer, data, path)
    return (open_often if work in ("open", "ask") else read)(job, peer, work, path)
