"""What the tests of golden arrays share: the arrays as their JSON tells them, the program drx, and comparisons.

Their scripts are called with the path of the program drx. DRX_GOLDEN_SEED and DRX_GOLDEN_ARRAYS choose other random arrays,
and how many.
"""
import glob
import json
import os
import random
import shutil
import subprocess
import sys
import unittest

import numpy as np

SOURCE, BUILD = os.environ["DRX_SOURCE"], os.environ["DRX_BUILD"]
VECTORS = os.path.join(SOURCE, "spec", "vectors")
DAMAGED = os.path.join(VECTORS, "damaged")
GOLDEN = os.path.join(SOURCE, "tests", "golden")
READER = os.path.join(SOURCE, "spec", "read_drx.py")
DRX = os.path.abspath(sys.argv[1])
SANITIZED = "ASAN_OPTIONS" in os.environ
SEED = int(os.environ.get("DRX_GOLDEN_SEED", random.randrange(1 << 32)))
ARRAYS = int(os.environ.get("DRX_GOLDEN_ARRAYS", 4 if SANITIZED else 8))
TYPES = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128 S7 S24 U6".split()

SERVER = None  # main starts it

sys.path += [os.path.dirname(READER), os.path.join(SOURCE, "tests", "cli")]
import drx_cli  # noqa: E402
from lone_array import read, version  # noqa: E402, F401
import read_drx  # noqa: E402
import read_errors  # noqa: E402
from read_type import type_name  # noqa: E402


def names(folder):
    return sorted(os.path.basename(path)[:-len(".json")] for path in glob.glob(os.path.join(folder, "*.json")))


def files_of(folder, name):
    """Of a vector, from the folder on: the pair, and the stripes."""
    return [os.path.relpath(path, folder) for pattern in (name + ".x*", f"disk?/{name}.*", f"{name}/disk?/*")
            for path in glob.glob(os.path.join(folder, pattern))]


def unpack_next(name, folder):
    """Make the files of a vector of spec/v2 in `folder`; what the store holds, and its path."""
    with open(os.path.join(SOURCE, "spec", "v2", "vectors", name + ".json"), encoding="utf-8") as file:
        vector = json.load(file)
    for path, (length, pieces) in vector["files"].items():
        path = os.path.join(folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.truncate(length)
            for at, data in pieces.items():
                file.seek(int(at))
                file.write(bytes.fromhex(data))
    return vector["store"], os.path.join(folder, "ds" if vector["store"]["kind"] == 2 else "arr")


def statuses(program, paths):
    """What open_status says of each: (for reading, for writing)."""
    out = subprocess.run([program, *paths], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [tuple(line.split()) for line in out.splitlines()]


ERRORS = {read_errors.FormatError: "DRX_EFORMAT", read_errors.Unsupported: "DRX_EUNSUPPORTED",
          read_errors.Damaged: "DRX_EDAMAGED", FileNotFoundError: "DRX_ENOENT"}


def attempt(path):
    """(status, array) of the reader."""
    try:
        return "DRX_OK", read(path)
    except tuple(ERRORS) as error:
        return ERRORS[type(error)], None


def copy(folder, name):
    for path in files_of(folder, name):
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        shutil.copy(os.path.join(folder, path), path)


def chunk_and_pitch(a):
    """Bytes of a chunk, and from one to the next."""
    chunk_bytes = int(np.prod(a.chunk)) * a.dtype.itemsize
    return chunk_bytes, -(-chunk_bytes // a.align) * a.align


def all_files(folder):
    """Those in folders beside it, but for damaged/, too."""
    return sorted(os.path.relpath(os.path.join(place, name), folder) for place, _, files in os.walk(folder)
                  for name in files if os.path.relpath(place, folder) != "damaged" and
                  not os.path.relpath(place, folder).startswith("damaged/") and name not in (".gitattributes",
                                                                                             "README.md"))


def compile_program(name):
    """Compile a program of this folder against the library."""
    libraries = os.path.join(BUILD, "src")
    flags = ["-fsanitize=address,undefined"] if SANITIZED else []
    subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-D_GNU_SOURCE", *flags, "-o", name,
                    os.path.join(GOLDEN, name + ".c"), "-I", os.path.join(SOURCE, "include"),
                    "-L", libraries, "-Wl,-rpath," + libraries, "-ldrx", "-ljson-c"], check=True)
    return os.path.abspath(name)


def drx(*words):
    """Standard output of the program, and what it says on standard error."""
    result = SERVER.run(words) if SERVER else subprocess.run([DRX, *map(str, words)], capture_output=True, check=False)
    if result.returncode:
        raise RuntimeError(result.stderr.decode())
    return result.stdout.decode(), result.stderr.decode()


def make_next(folder):
    """Make the golden arrays in format version 2, with their JSON, but for orders that are only read by now."""
    os.makedirs(folder)
    for disk in "disk0", "disk1", "disk2":
        os.makedirs(os.path.join(folder, disk))
    told = [os.path.join(VECTORS, name + ".json") for name in names(VECTORS) if not name.endswith("_last")]
    subprocess.run([compile_program("make_vectors"), *told], check=True, cwd=folder,
                   env={**os.environ, "DRX_NEXT_FORMAT": "1", "SOURCE_DATE_EPOCH": "1700000000"})
    for path in told:
        shutil.copy(path, folder)
    return os.path.abspath(folder)


def library_reads(path, *options):
    drx("read", path, "-o", "read.npy", *options)
    array = np.load("read.npy")  # in the order of the machine that wrote it
    return array.astype(array.dtype.newbyteorder("<"))


def box(at, count):
    return tuple(slice(i, i + n) for i, n in zip(at, count))


def elements(dtype, count, first):
    """What the generator writes: see spec/vectors/README.md."""
    v = first + np.arange(np.prod(count, dtype=int), dtype=np.int64).reshape(count)
    if dtype.kind in "iu":
        return v.astype(dtype)
    if dtype.kind == "b":
        return v % 2 != 0
    if dtype.kind == "f":
        return (v / 8).astype(dtype)
    if dtype.kind in "SU":
        return np.array([f"{i}".encode() if dtype.kind == "S" else f"\xe9{i}" for i in v.flat], dtype).reshape(count)
    values = np.empty(count, dtype)
    values.real, values.imag = v / 8, -v
    return values


def grown(array, axis, by, fill, before=False):
    shape, at = list(array.shape), [0] * array.ndim
    shape[axis] += by
    at[axis] = by if before else 0
    result = np.empty(shape, array.dtype)
    result[...] = fill
    result[box(at, array.shape)] = array
    return result


class Model:
    """An array as its JSON tells it; states[n] is that after n records of a log of version 1, after[k] is n once action k is
    done."""

    def __init__(self, told):
        self.dtype = np.dtype(told["dtype"]).newbyteorder("<")
        self.fill = np.frombuffer(bytes.fromhex(told["fill"]).ljust(self.dtype.itemsize, b"\0"), self.dtype).reshape(())
        self.chunk, self.order, self.align = told["chunk"], told["order"], told["align"]
        self.array = grown(np.empty([0 for _ in self.chunk], self.dtype), 0, 0, self.fill)
        for axis, n in enumerate(told["initial_shape"]):
            self.array = grown(self.array, axis, n, self.fill)
        self.dims, self.attrs, self.history = [None for _ in self.chunk], {}, []
        self.initial_shape = tuple(told["initial_shape"])
        self.lower = list(told.get("lower", [0 for _ in self.chunk]))
        self.states, self.after = [], []
        self.record()
        if any(self.lower):
            self.record()
        synced = False
        for verb, *words in told["done"]:
            getattr(self, "do_" + verb)(*words)
            if verb not in ("write", "sync"):
                self.record()
            elif verb == "sync" and not synced:
                self.record()
            synced = synced and verb == "write" or verb == "sync"
            self.after.append(len(self.states) - 1)

    def record(self):
        self.states.append((self.array.shape, list(self.dims), dict(self.attrs), list(self.history), list(self.lower),
                            self.array.copy()))

    def do_name(self, axis, name):
        self.dims[axis] = name

    def do_extend(self, axis, by):
        self.array = grown(self.array, axis, by, self.fill)
        self.history.append((axis, by))

    def do_before(self, axis, by):
        self.array = grown(self.array, axis, by, self.fill, before=True)
        self.lower[axis] -= by
        self.history.append((axis, -by))

    def do_prepend(self, axis, by, first):
        self.record()  # INTENT
        count = list(self.array.shape)
        count[axis] = by
        self.do_before(axis, by)
        self.do_write(self.lower, count, first)

    def do_trim(self, axis, before, after):
        at, count = [0] * self.array.ndim, list(self.array.shape)
        at[axis], count[axis] = before, count[axis] - before - after
        self.array = self.array[box(at, count)].copy()
        self.lower[axis] += before

    def do_axis(self, at, name):
        self.array = np.expand_dims(self.array, at)
        self.initial_shape = self.initial_shape[:at] + (1,) + self.initial_shape[at:]
        self.lower.insert(at, 0)
        self.dims.insert(at, name)
        self.chunk = self.chunk[:at] + [1] + self.chunk[at:]
        self.history = [(axis + (axis >= at), by) for axis, by in self.history]

    def do_write(self, at, count, first):
        at = [i - low for i, low in zip(at, self.lower)]
        self.array[box(at, count)] = elements(self.dtype, count, first)

    def do_append(self, axis, by, first):
        self.record()  # INTENT
        at, count = list(self.lower), list(self.array.shape)
        at[axis], count[axis] = at[axis] + count[axis], by
        self.do_extend(axis, by)
        self.do_write(at, count, first)

    def do_attribute(self, name, type_name, values):
        self.attrs[name] = np.frombuffer(bytes.fromhex(values), np.dtype(type_name).newbyteorder("<"))

    def do_text(self, name, text):
        self.attrs[name] = text

    def do_delete(self, name):
        del self.attrs[name]

    def do_sync(self):
        pass

    def do_stripes(self, *folders):
        pass


class Expected:
    """What there is to be read of a vector, damaged or not."""

    def __init__(self, folder, name):
        with open(os.path.join(folder, name + ".json"), encoding="utf-8") as file:
            self.told = told = json.load(file)
        self.report, self.error = told.get("report"), told.get("error")
        if "from" in told:
            with open(os.path.join(VECTORS, told["from"] + ".json"), encoding="utf-8") as file:
                told = json.load(file)
        if self.told.get("without"):
            told["done"] = told["done"][:-self.told["without"]]
        self.wrong, self.write = self.told.get("wrong", []), self.told.get("write", "DRX_OK")
        self.model = Model(told)
        if "actions" in self.told:
            self.told["records"] = self.model.after[self.told["actions"] - 1]
        self.records = min(self.told.get("records", len(self.model.states)), len(self.model.states) - 1)
        self.sequence = self.told.get("records", self.records)
        self.shape, self.dims, self.attrs, self.history, self.lower, array = self.model.states[self.records]
        self.initial_shape = self.model.initial_shape
        self.array = self.model.array[box([0] * len(self.shape), self.shape)].copy()
        if self.told.get("past") or "from" not in self.told:  # what followed made other bounds
            self.array = array if "from" in self.told else self.model.array.copy()
        for at, count in self.told.get("unstored", ()):
            self.array[box(at, count)] = self.model.fill
        self.lost = np.zeros(self.shape, bool)
        for at, count in self.told.get("lost", ()):
            self.lost[box(at, count)] = True


def text_of(fill):
    """A fill as --fill takes it."""
    return fill.item().decode() if fill.dtype.kind == "S" else fill.item() if fill.dtype.kind == "U" else str(fill.real)


def as_json(value):
    """A value as drx info --json shows it."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, np.ndarray):
        return as_json(value.reshape(-1)[0]) if value.size == 1 else [as_json(v) for v in value]
    if isinstance(value, np.complexfloating):
        return [as_json(value.real), as_json(value.imag)]
    if isinstance(value, np.floating) and not np.isfinite(value):
        return "NaN" if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value.item()


class Test(unittest.TestCase):
    maxDiff = None

    def assert_same(self, got, expected):
        """Equal in type, shape and bits."""
        self.assertEqual((got.dtype, got.shape), (expected.dtype, expected.shape))
        self.assertEqual(np.ascontiguousarray(got).tobytes(), np.ascontiguousarray(expected).tobytes())

    def assert_fill(self, a):
        """What is stored outside the bounds is the fill."""
        outside = np.ones(a.stored.shape, bool)
        outside[a.inside] = False
        if a.map.trimmed:  # cells may hold what they held
            return
        cells = a.stored[outside]  # of which those of strings lose their NULs
        self.assertLessEqual({cells[i:i + 1].tobytes() for i in range(len(cells))}, {a.fill.tobytes()})

    def assert_map(self, a, path=None):
        """F* and its inverse fit each other; and what drx says of them, if there is a path."""
        for q in range(a.map.count()):
            if a.map.trimmed and not a.map.lives(q):
                continue
            self.assertEqual(a.address(a.index(q)), q)
        if path:
            told = json.loads(drx("map", path, "--json")[0])
            self.assertEqual((told["bounds_chunks"], told["chunks"] + told.get("free_addresses", 0)),
                             (a.map.B, a.map.count()))
            self.assertEqual(told.get("first_chunk", [0 for _ in a.map.first]), a.map.first)
            for key, vectors, hides in (("axial_vectors", a.map.vectors, lambda r, later: later.N < r.N),
                                        ("low_axial_vectors", a.map.low, lambda r, later: later.N > r.N)):
                mine, other = told.get(key, [[] for _ in a.map.low]), self.axial(vectors, hides)
                if version(path) == 2:  # it has more records without chunks than the library
                    mine, other = self.with_chunks(mine), self.with_chunks(other)
                self.assertEqual(mine, other)

    def with_chunks(self, vectors):
        return [[r for r in vector if r["coefficients"][axis] != 0] for axis, vector in enumerate(vectors)]

    def axial(self, vectors, hides):
        """As drx map tells them: without records that concern only what later ones concern, too."""
        return [[{"first_index": r.N, "first_address": r.M, "coefficients": r.C} for i, r in enumerate(vector)
                 if not any(hides(r, later) for later in vector[i + 1:])] for vector in vectors]

    def assert_info(self, a, path):
        """drx info says of an array what read_drx.py reads; and there is a report or there is none."""
        told = json.loads(drx("info", path, "--json")[0])
        for key, expected in {
                "shape": list(a.shape), "chunk": list(a.chunk), "type": type_name(a.dtype), "order": a.order,
                "dims": a.dims, "fill": as_json(a.fill), "initial_shape": list(a.initial_shape), "align": a.align,
                "addresses": a.map.count(), "attrs": {name: as_json(value) for name, value in a.attrs.items()}}.items():
            self.assertEqual(told[key], expected, key)
        self.assertEqual(list(told["attrs"]), list(a.attrs))
        self.assertEqual([(growth["axis"], -growth["by"] if growth.get("before") else growth["by"])
                          for growth in told["history"] if "by" in growth], a.history)
        self.assertEqual(told.get("lower", [0 for _ in a.lower]), list(a.lower))
        report = getattr(a, "opening_report", a.report)
        self.assertEqual("report" in told, report is not None, (told.get("report"), report))
        if report:
            self.assertEqual("torn tail" in told["report"], report.startswith("torn tail"))


    def assert_elements(self, a, path):
        """The library reads the chunks that a (of version 2) reads, and of those that are damaged what files have."""
        for q in filter(a.map.lives, range(a.map.count())):
            first = [max(i * c, low) - low for i, c, low in zip(a.index(q), a.chunk, a.lower)]
            end = [min((i + 1) * c, low + n) - low for i, c, low, n in zip(a.index(q), a.chunk, a.lower, a.shape)]
            part = box(first, [e - f for f, e in zip(first, end)])
            stored, gone = a.stored[a.inside][part], a.gone[a.inside][part]
            if isinstance(a.chunk_data[q], bytes):
                self.assert_same(self.part(path, first, stored.shape), stored)
            elif a.codec or gone.any() or "is missing" not in str(a.chunk_data[q]):
                with self.assertRaises(RuntimeError, msg=a.chunk_data[q]):
                    self.part(path, first, stored.shape)
            for index in np.argwhere(gone):
                with self.assertRaises(RuntimeError, msg=index):
                    self.part(path, index + first, [1 for _ in first])

    def part(self, path, at, count):
        return library_reads(path, "--at", ",".join(map(str, at)), "--count", ",".join(map(str, count)))


def main():
    global SERVER
    SERVER = drx_cli.start_server(DRX)
    unittest.main(argv=sys.argv[:1])
