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

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import by_hand  # noqa: E402, F401

SOURCE, BUILD = os.environ["DRX_SOURCE"], os.environ["DRX_BUILD"]
GOLDEN = os.path.join(SOURCE, "tests", "golden")
DRX = os.path.abspath(sys.argv[1])
SANITIZED = "ASAN_OPTIONS" in os.environ
SEED = int(os.environ.get("DRX_GOLDEN_SEED", random.randrange(1 << 32)))
ARRAYS = int(os.environ.get("DRX_GOLDEN_ARRAYS", 4 if SANITIZED else 8))
TYPES = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128 S7 S24 U6".split()

SERVER = None  # main starts it

sys.path.append(os.path.join(SOURCE, "tests", "cli"))
import drx_cli  # noqa: E402
from drx_cli import type_name  # noqa: E402
from lone_array import read  # noqa: E402
import vectors  # noqa: E402
from payload import Damaged, Refused  # noqa: E402
from store import NotDrx  # noqa: E402

GOLDEN_ARRAYS = [name for name in vectors.names("golden") if name != "dataset"]


def files_of(folder, name):
    """Of an array, from the folder on: the pair, and the stripes; of the dataset: all."""
    return sorted(os.path.relpath(path, folder) for pattern in (name + ".x*", f"disk?/{name}.*", f"{name}/disk?/*", f"{name}/*.x*")
                  for path in glob.glob(os.path.join(folder, pattern)))


def unpack_golden(folder):
    """Make the files of the golden arrays and of the golden dataset."""
    for name in vectors.names("golden"):
        vectors.unpack(vectors.told("golden", name)["files"], folder)
    return os.path.abspath(folder)


def make_golden(folder):
    """Let the library make them."""
    for disk in "disk0", "disk1", "disk2":
        os.makedirs(os.path.join(folder, disk))
    told = [os.path.abspath(os.path.join(vectors.SPEC, "golden", name + ".json")) for name in GOLDEN_ARRAYS]
    for words in ["make_vectors", *told], ["make_dataset", "dataset"]:
        subprocess.run([compile_program(words[0]), *words[1:]], check=True, cwd=folder, env={
            **os.environ, "SOURCE_DATE_EPOCH": "1700000000", "DRX_CREATION_ID": "0123456789abcdeffedcba9876543210"})


def statuses(program, paths):
    """What golden_status says of each array: (for reading, for writing)."""
    out = subprocess.run([program, "-a", *paths], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [tuple(line.split()) for line in out.splitlines()]


ERRORS = {NotDrx: "DRX_EFORMAT", Refused: "DRX_EUNSUPPORTED", Damaged: "DRX_EDAMAGED", FileNotFoundError: "DRX_ENOENT"}


def attempt(path):
    """(status, array) of the reader."""
    try:
        return "DRX_OK", read(path)
    except tuple(ERRORS) as error:
        return ERRORS[type(error)], None


def judged(path):
    """What the reader says of opening for reading and for writing."""
    status, a = attempt(path)
    if a is None:
        return status, status
    damage = (a.log_report or "").startswith("damage") or a.short()
    return status, "DRX_EDAMAGED" if damage else "DRX_EUNSUPPORTED" if a.unknown_open else "DRX_OK"


def copy(folder, name):
    for path in files_of(folder, name):
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        shutil.copy(os.path.join(folder, path), path)


def chunk_and_pitch(a):
    """Bytes of a chunk, and from one to the next."""
    chunk_bytes = int(np.prod(a.chunk)) * a.dtype.itemsize
    return chunk_bytes, -(-chunk_bytes // a.align) * a.align


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


def library_reads(path, *options):
    drx("read", path, "-o", "read.npy", *options)
    array = np.load("read.npy")  # in the order of the machine that wrote it
    return array.astype(array.dtype.newbyteorder("<"))


def box(at, count):
    return tuple(slice(i, i + n) for i, n in zip(at, count))


def elements(dtype, count, first):
    """What the generator writes: see spec/README.md."""
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
    """An array as its JSON tells it; states[n] is that after n actions."""

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
        self.states = [self.state()]
        for verb, *words in told["done"]:
            getattr(self, "do_" + verb)(*words)
            self.states.append(self.state())

    def state(self):
        return (self.array.shape, list(self.dims), dict(self.attrs), list(self.history), list(self.lower),
                self.array.copy())

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
    """What there is to be read of a golden array, or, told what make_damaged.py says, of a damaged one."""

    def __init__(self, name, damage=None):
        self.told, damage = vectors.told("golden", name), damage or {}
        done, without = self.told["done"], damage.get("without", 0)
        self.model = Model({**self.told, "done": done[:len(done) - without]})
        self.report, self.error = damage.get("report"), damage.get("error")
        self.wrong, self.write = damage.get("wrong", []), damage.get("write", "DRX_OK")
        state = self.model.states[damage.get("actions", -1)]
        self.shape, self.dims, self.attrs, self.history, self.lower, array = state
        self.initial_shape = self.model.initial_shape
        self.array = self.model.array[box([0] * len(self.shape), self.shape)].copy()
        if damage.get("past") or not damage:  # what followed made other bounds
            self.array = array
        self.lost = np.zeros(self.shape, bool)
        for at, count in damage.get("lost", ()):
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
            for key, axial, hides in (("axial_vectors", a.map.vectors, lambda r, later: later.N < r.N),
                                      ("low_axial_vectors", a.map.low, lambda r, later: later.N > r.N)):
                mine, other = told.get(key, [[] for _ in a.map.low]), self.axial(axial, hides)
                self.assertEqual(self.with_chunks(mine), self.with_chunks(other))

    def with_chunks(self, vectors):
        """The reader has more records without chunks than the library."""
        return [[r for r in vector if r["coefficients"][axis] != 0] for axis, vector in enumerate(vectors)]

    def axial(self, vectors, hides):
        """As drx map tells them: without records that concern only what later ones concern, too."""
        return [[{"first_index": r.N, "first_address": r.M, "coefficients": r.C} for i, r in enumerate(vector)
                 if not any(hides(r, later) for later in vector[i + 1:])] for vector in vectors]

    def assert_info(self, a, path):
        """drx info says of an array what the reader reads; and there is a report or there is none."""
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
        report = a.opening_report
        self.assertEqual("report" in told, report is not None, (told.get("report"), report))
        if report:
            self.assertEqual("torn tail" in told["report"], report.startswith("torn tail"))

    def assert_elements(self, a, path):
        """The library reads the chunks that the reader reads, and of those that are damaged what files have."""
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
    """One more word than the path of drx: what the library makes becomes the golden files."""
    global SERVER
    if len(sys.argv) > 2:
        make_golden("made")
        for name in vectors.names("golden"):
            vectors.pin(name, "made", files_of("made", name))
        return
    SERVER = drx_cli.start_server(DRX)
    unittest.main(argv=sys.argv[:1])
