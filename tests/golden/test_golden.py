"""The golden arrays of spec/vectors, spec/read_drx.py and the library agree. Called with the path of the program drx.

DRX_GOLDEN_SEED and DRX_GOLDEN_ARRAYS choose other random arrays, and how many.
"""
import filecmp
import glob
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import unittest

import numcodecs
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

sys.path += [os.path.dirname(READER), os.path.join(SOURCE, "tests", "cli")]
import drx_cli  # noqa: E402
import read_blosc  # noqa: E402
import read_drx  # noqa: E402


def names(folder):
    return sorted(os.path.basename(path)[:-len(".json")] for path in glob.glob(os.path.join(folder, "*.json")))


def files_of(folder, name):
    """Of a vector, from the folder on: the pair, and the stripes."""
    return [os.path.relpath(path, folder) for pattern in (name + ".x*", f"disk?/{name}.*", f"{name}/disk?/*")
            for path in glob.glob(os.path.join(folder, pattern))]


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


def library_reads(path, *options):
    drx("read", path, "-o", "read.npy", *options)
    return np.load("read.npy")


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
    """An array as its JSON tells it; states[n] is that after n records of the log."""

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
        self.states = []
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
        self.wrong = self.told.get("wrong", [])
        self.model = Model(told)
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
            self.assertEqual(told["axial_vectors"], self.axial(a.map.vectors, lambda r, later: later.N < r.N))
            if any(a.map.low) or "low_axial_vectors" in told:
                self.assertEqual(told["low_axial_vectors"], self.axial(a.map.low, lambda r, later: later.N > r.N))

    def axial(self, vectors, hides):
        """As drx map tells them: without records that concern only what later ones concern, too."""
        return [[{"first_index": r.N, "first_address": r.M, "coefficients": r.C} for i, r in enumerate(vector)
                 if not any(hides(r, later) for later in vector[i + 1:])] for vector in vectors]

    def assert_info(self, a, path):
        """drx info says of an array what read_drx.py reads; and there is a report or there is none."""
        told = json.loads(drx("info", path, "--json")[0])
        for key, expected in {
                "shape": list(a.shape), "chunk": list(a.chunk), "type": read_drx.type_name(a.dtype), "order": a.order,
                "dims": a.dims, "fill": as_json(a.fill), "initial_shape": list(a.initial_shape), "align": a.align,
                "addresses": a.map.count(), "attrs": {name: as_json(value) for name, value in a.attrs.items()}}.items():
            self.assertEqual(told[key], expected, key)
        self.assertEqual(list(told["attrs"]), list(a.attrs))
        self.assertEqual([(growth["axis"], -growth["by"] if growth.get("before") else growth["by"])
                          for growth in told["history"] if "by" in growth], a.history)
        self.assertEqual(told.get("lower", [0 for _ in a.lower]), list(a.lower))
        self.assertEqual("report" in told, a.report is not None, (told.get("report"), a.report))
        if a.report:
            self.assertEqual("torn tail" in told["report"], a.report.startswith("torn tail"))


class Vectors(Test):
    @classmethod
    def setUpClass(cls):
        cls.make_vectors = compile_program("make_vectors")
        cls.open_status = compile_program("open_status")

    def each(self, check):
        for folder in VECTORS, DAMAGED:
            for name in names(folder):
                with self.subTest(vector=name):
                    check(folder, name, Expected(folder, name))

    def test_are_made_as_ever(self):
        """The library writes the same bytes as when the vectors were made, but for what it only reads by now."""
        for made in "damaged", "disk0", "disk1", "disk2":
            os.makedirs("made/" + made)
        told = [os.path.join(VECTORS, name + ".json") for name in names(VECTORS) if not name.endswith("_last")]
        subprocess.run([self.make_vectors, *told], check=True, cwd="made")
        subprocess.run([sys.executable, os.path.join(GOLDEN, "make_damaged.py"), "made"], check=True)
        for folder, made in ((VECTORS, "made"), (DAMAGED, "made/damaged")):
            files = [file for file in all_files(folder) if not file.split(".")[0].endswith("_last") and
                     (folder == DAMAGED or not file.endswith(".json"))]
            self.assertEqual(files, all_files(made))
            unlike, missing = filecmp.cmpfiles(folder, made, files, shallow=False)[1:]
            self.assertEqual(([file for file in unlike if not file.startswith("packed_")], missing), ([], []))
            for file in unlike:  # compressed by other libraries than ours were
                self.assertIn(file[-4:], (".xtz", ".xct"))
                mine, own = (read_drx.read(os.path.join(place, file[:-4])) for place in (folder, made))
                self.assert_same(mine.stored, own.stored)
                self.assertEqual((mine.packing, mine.wrong), (own.packing, own.wrong))

    def test_reader(self):
        self.each(self.check_reader)

    def check_reader(self, folder, name, expected):
        path = os.path.join(folder, name)
        if expected.error:
            with self.assertRaises((read_drx.FormatError, read_drx.Damaged, FileNotFoundError)) as raised:
                read_drx.read(path)
            self.assertEqual({"FormatError": "DRX_EFORMAT", "Unsupported": "DRX_EUNSUPPORTED",
                              "Damaged": "DRX_EDAMAGED", "FileNotFoundError": "DRX_ENOENT"}[
                                  type(raised.exception).__name__], expected.error)
            return
        a = read_drx.read(path)
        self.check_state(a, expected)
        self.assert_map(a)
        self.assertEqual(a.wrong, expected.wrong)
        if expected.wrong or expected.lost.any():
            with self.assertRaises(read_drx.Damaged):
                a.array
        if expected.lost.any():
            bounds = a.inside
            self.assert_same(a.lost[bounds], expected.lost)
            self.assert_same(a.stored[bounds][~expected.lost], expected.array[~expected.lost])
        elif not expected.wrong:
            self.assert_same(a.array, expected.array)
        if folder == VECTORS:
            self.assert_fill(a)
            self.check_bytes(a)
            self.check_examples(a, expected.told)

    def check_state(self, a, expected):
        model = expected.model
        self.assertEqual((a.shape, a.dims, a.history, a.sequence, a.initial_shape, list(a.lower)),
                         (expected.shape, expected.dims, expected.history, expected.sequence, expected.initial_shape,
                          expected.lower))
        self.assertEqual((list(a.chunk), a.dtype, a.order, a.align),
                         (model.chunk, model.dtype, model.order, model.align))
        self.assert_same(a.fill, model.fill)
        self.assertEqual(list(a.attrs), list(expected.attrs))
        for name, value in expected.attrs.items():
            if isinstance(value, str):
                self.assertEqual(a.attrs[name], value)
            else:
                self.assert_same(a.attrs[name], value)
        if a.codec and expected.lost.any():  # of chunks, which the reader alone has looked at
            self.assertRegex(a.report, "damage: the entry of chunk")
            return
        self.assertEqual(a.report and a.report.split(" ")[0].strip(":"),
                         expected.report and expected.report.split(" ")[0], a.report)

    def check_bytes(self, a):
        """The length of the data, and their padding."""
        chunk_bytes, pitch = chunk_and_pitch(a)
        if a.codec:
            self.assertEqual(os.path.getsize(a.files[1]), 64 * a.map.count())
            return
        for k, path in enumerate(a.files):
            data = np.fromfile(path, np.uint8)
            self.assertEqual(data.size, len(range(k, a.map.count(), len(a.files))) * pitch)
            self.assertFalse(data.reshape(-1, pitch)[:, chunk_bytes:].any())

    def check_examples(self, a, told):
        for i, q in enumerate(told.get("addresses", ())):
            self.assertEqual(a.address(np.unravel_index(i, a.map.B)), q)
        for index, q in told.get("some_addresses", ()):
            self.assertEqual(a.address(index), q)
        if "axial_vectors" in told:
            self.assertEqual([[[r.N, r.M, r.C] for r in vector] for vector in a.map.vectors], told["axial_vectors"])
        if "low_axial_vectors" in told:
            self.assertEqual([[[r.N, r.M, r.C] for r in vector] for vector in a.map.low], told["low_axial_vectors"])

    def test_program(self):
        self.each(self.check_program)

    def check_program(self, folder, name, expected):
        path = os.path.join(folder, name)
        if expected.error:
            for verb in "info", "read":
                with self.assertRaises(RuntimeError):
                    drx(verb, path)
            return
        a = read_drx.read(path)
        self.assert_map(a, path)
        self.assert_info(a, path)
        if expected.wrong:
            with self.assertRaisesRegex(RuntimeError, f"chunk {expected.wrong[0]}, .* does not match its checksum"):
                library_reads(path)
        elif expected.lost.any():
            self.check_lost(path, expected)
        else:
            self.assert_same(library_reads(path), expected.array)

    def check_lost(self, path, expected):
        with self.assertRaises(RuntimeError):
            library_reads(path)
        for index, lost in np.ndenumerate(expected.lost):
            at = ",".join(map(str, index)), "--count", ",".join("1" for _ in index)
            if lost:
                with self.assertRaises(RuntimeError):
                    library_reads(path, "--at", *at)
            else:
                self.assert_same(library_reads(path, "--at", *at).reshape(()), expected.array[index])

    def test_opening(self):
        self.each(self.check_opening)

    def check_opening(self, folder, name, expected):
        """Statuses; and what was repaired in opening for writing reads the same, as do elements added then."""
        copy(folder, name)
        says = subprocess.run([self.open_status, name], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
        if expected.error:
            self.assertEqual(says, [expected.error] * 2)
            return
        if expected.report == "damage":
            self.assertEqual(says, ["DRX_OK", "DRX_EDAMAGED"])
            for path in files_of(folder, name):
                self.assertTrue(filecmp.cmp(path, os.path.join(folder, path), shallow=False))
            return
        self.assertEqual(says, ["DRX_OK", "DRX_OK"])
        a = read_drx.read(name)
        if a.codec and (expected.wrong or expected.lost.any()):
            self.assertEqual((a.wrong, a.lost.any()), (expected.wrong, expected.lost.any()))
            return
        self.assertIsNone(a.report)
        self.assert_same(a.array, expected.array)
        array = expected.array
        for axis in range(min(array.ndim, 5)):
            drx("extend", name, axis, 1)
            array = grown(array, axis, 1, a.fill)
            if axis == 0 or a.map.trimmed:
                drx("extend", name, axis, 1, "--before")
                array = grown(array, axis, 1, a.fill, before=True)
        a = read_drx.read(name)
        self.assertIsNone(a.report)
        self.assert_same(a.array, array)
        self.assert_same(library_reads(name), array)

    def test_missing_end(self):
        """Where nothing was synced, a missing end is fill, and stays so when the array is mended and grown."""
        for name in "fill_int32", "fill_nan", "fill_minus_zero":
            a = read_drx.read(os.path.join(VECTORS, name))
            shutil.copy(os.path.join(VECTORS, name) + ".xmd", "short.xmd")
            open("short.xta", "wb").close()
            short = read_drx.read("short")
            self.assertIsNone(short.report)
            self.assert_same(short.array, np.full(a.shape, a.fill))
            self.assert_same(library_reads("short"), short.array)
            drx("extend", "short", 0, 1)
            short = read_drx.read("short")
            self.assert_same(short.array, np.full(short.shape, a.fill))
            self.assert_fill(short)


class Checksums(Test):
    def test_each_byte(self):
        """The reader and the library find the same chunk, wherever a byte of it changes; and padding is none of it."""
        for name in "checksums", "checksums_striped":
            copy(VECTORS, name)
            a = read_drx.read(name)
            self.assertTrue(a.checksums)
            chunk_bytes, pitch = chunk_and_pitch(a)
            random_bytes = random.Random(SEED)
            for q in range(a.map.count()):
                path, k = a.files[q % len(a.files)], q // len(a.files)
                state, = np.fromfile(f"{name}.xcs", "<u4")[2 * q:2 * q + 1]
                for at in {random_bytes.randrange(chunk_bytes), *range(chunk_bytes, pitch, 7)}:
                    self.flip(path, k * pitch + at)
                    wrong = [q] if at < chunk_bytes and state == 1 else []
                    self.assertEqual(read_drx.read(name).wrong, wrong)
                    if wrong:
                        with self.assertRaisesRegex(RuntimeError, f"chunk {q}, elements"):
                            drx("read", name)
                    else:
                        drx("read", name)
                    self.flip(path, k * pitch + at)

    def flip(self, path, at):
        with open(path, "r+b") as file:
            file.seek(at)
            byte = file.read(1)
            file.seek(at)
            file.write(bytes([byte[0] ^ 1]) if byte else b"")

    def test_entries(self):
        for state, report in ((0x101, "damage"), (4, "damage"), (2, "damage"), (0x202, None), (0xFFFFFF03, None)):
            copy(VECTORS, "checksums")
            with open("checksums.xcs", "r+b") as file:
                file.seek(8 * 2)
                file.write(int(state).to_bytes(4, "little"))
            a = read_drx.read("checksums")
            self.assertEqual(a.report and a.report.split(":")[0], report)
            self.assertEqual(a.wrong, [])
            if report:
                with self.assertRaisesRegex(RuntimeError, "the entry of chunk 2"):
                    drx("read", "checksums")
            else:
                drx("read", "checksums")

    def test_short(self):
        copy(VECTORS, "checksums")
        os.truncate("checksums.xcs", 8 * (read_drx.read("checksums").map.count() - 1))
        self.assertRegex(read_drx.read("checksums").report, "damage: checksums.xcs")
        with self.assertRaisesRegex(RuntimeError, "checksums.xcs: damaged"):
            drx("read", "checksums")


class Packed(Test):
    def test_each_byte(self):
        """The reader and the library find the same chunk, wherever a byte of a payload changes."""
        random_bytes = random.Random(SEED)
        for name in "packed_zstd", "packed_zlib", "packed_lz4", "packed_open":
            copy(VECTORS, name)
            a = read_drx.read(name)
            for q, (offset, length, synced) in a.payloads.items():
                for at in [*range(0, 16, 5), *random_bytes.sample(range(16, length), 3)]:
                    Checksums.flip(self, f"{name}.xtz", offset + at)
                    found = read_drx.read(name)
                    wrong = [q] if synced and a.packing[q] != "open" else []
                    self.assertEqual(found.wrong, wrong)
                    if wrong:
                        with self.assertRaisesRegex(RuntimeError, f"chunk {q}, "):
                            drx("read", name)
                    else:  # as of the last sync
                        self.assert_same(library_reads(name), found.array)
                    Checksums.flip(self, f"{name}.xtz", offset + at)

    def test_entries(self):
        """A change of any byte of an entry is told, and is never another chunk's content."""
        copy(VECTORS, "packed_zstd")
        for at in range(64, 128, 7):
            Checksums.flip(self, "packed_zstd.xct", at)
            self.assertRegex(read_drx.read("packed_zstd").report, "the entry of chunk 1")
            with self.assertRaisesRegex(RuntimeError, "the entry of chunk 1, "):
                drx("read", "packed_zstd")
            Checksums.flip(self, "packed_zstd.xct", at)

    def test_later_epochs(self):
        """A half that names an epoch past the last SYNC was cut short, unless that epoch is too far away to be true."""
        copy(VECTORS, "packed_zstd")
        synced = read_drx.read("packed_zstd").epoch
        for ahead, torn in (1, True), (2, True), (65535, True), (65536, True), (65537, False), (0, False), (-1, False):
            with open("packed_zstd.xct", "r+b") as file:
                file.seek(64)  # the older half of chunk 1
                file.write(struct.pack("<III", 1, read_drx.crc32c(0, struct.pack("<I", (synced + ahead) % (1 << 32))), 7))
            self.assertRegex(str(read_drx.read("packed_zstd").report), "None" if torn else "the entry of chunk 1")
            if torn:
                drx("read", "packed_zstd", "-o", "torn.npy")
            else:
                with self.assertRaisesRegex(RuntimeError, "the entry of chunk 1, "):
                    drx("read", "packed_zstd", "-o", "torn.npy")

    def test_frames(self):
        """The decoder of the reader decodes what Blosc encodes, of all sizes."""
        choose = random.Random(SEED)
        for codec in "lz4", "zlib", "zstd":
            for shuffle in range(3):
                for item in 1, 2, 4, 8, 16:
                    n = choose.randint(1, 50000)
                    values = np.cumsum(np.random.default_rng(SEED).integers(-3, 4, n)).astype("i8")
                    values = np.resize(values, n * item // 8 + 1).view(np.uint8)[:n * item].view(f"V{item}")
                    frame = numcodecs.Blosc(codec, choose.randint(1, 9), shuffle).encode(values)
                    self.assertEqual(read_blosc.decode(frame)[0], values.tobytes(), (codec, shuffle, item, n))
                    self.assertRaises(read_blosc.FrameError, read_blosc.decode, frame[:-1])


class Reader(Test):
    def test_checksum(self):
        self.assertEqual(read_drx.crc32c(0, b"123456789"), 0xE3069283)
        self.assertEqual(read_drx.crc32c(read_drx.crc32c(0, b"1234"), b"56789"), 0xE3069283)

    def test_script(self):
        def run(*words):
            return subprocess.run([sys.executable, READER, *words], capture_output=True, text=True, check=False)

        path = os.path.join(VECTORS, "column_major")
        result = run(path, "-o", "script.npy", "--info")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(json.loads(result.stdout)["shape"], [5, 7, 4])
        self.assert_same(np.load("script.npy"), read_drx.read(path).array)
        result = run(os.path.join(DAMAGED, "torn"))
        self.assertEqual(result.returncode, 0)
        self.assertIn("torn tail", result.stderr)
        for name in "magic", "description", "no_data", "short":
            result = run(os.path.join(DAMAGED, name))
            self.assertEqual(result.returncode, 1)
            self.assertIn(name + ": ", result.stderr)
            self.assertNotIn("Traceback", result.stderr)


class Random(Test):
    def test_arrays(self):
        print(f"DRX_GOLDEN_SEED={SEED}", flush=True)
        for number in range(ARRAYS):
            with self.subTest(array=number):
                self.one_array(f"array{number}", random.Random(SEED + number))

    def one_array(self, path, choose):
        ndim = choose.randint(1, 4)
        shape = [choose.choice((0, 1, 2, 3, 7)) for _ in range(ndim)]
        chunk = [choose.randint(1, 4) for _ in range(ndim)]
        dtype, order = np.dtype(choose.choice(TYPES)), choose.choice("CF")
        fill = choose.choice((0, 0, 1, 99))
        if dtype.kind in "SU":
            fill = f"{fill or ''}".encode() if dtype.kind == "S" else f"{fill or ''}\xe9"
        fill = np.array(fill, dtype)
        options = [*(["--shell"] if choose.random() < 0.3 else []),
                   *(["--align", str(1 << choose.randint(0, 9))] if choose.random() < 0.3 else []),
                   *(["--stripe", ",".join(["."] * choose.randint(1, 4))] if choose.random() < 0.3 else [])]
        drx("create", path, "--shape", ",".join(map(str, shape)), "--chunk", ",".join(map(str, chunk)), "--type",
            read_drx.type_name(dtype), "--fill", text_of(fill), "--order", order, *options)
        array, history, lower = np.full(shape, fill), [], [0] * ndim
        others = ("before", "prepend", "trim") if choose.random() < 0.6 else ()
        for _ in range(choose.randint(20, 40)):
            verb = choose.choice(("extend", "append", "write", "write", *others))
            axis, by = choose.randrange(ndim), choose.randint(1, 3)
            if verb == "write":
                at = [choose.randint(0, n) for n in array.shape]
                count = [choose.randint(0, n - i) for i, n in zip(at, array.shape)]
            elif verb == "trim":
                before = choose.randint(0, min(2, array.shape[axis]))
                after = choose.randint(0, min(2, array.shape[axis] - before))
                drx("trim", path, axis, "--before", before, "--after", after)
                array = np.take(array, range(before, array.shape[axis] - after), axis)
                lower[axis] += before
                continue
            elif array.size > 5000:
                continue
            elif verb in ("before", "prepend"):
                array = grown(array, axis, by, fill, before=True)
                history.append((axis, -by))
                lower[axis] -= by
                at, count = [0] * ndim, list(array.shape)
                count[axis] = by
            else:
                at, count = [0] * ndim, list(array.shape)
                at[axis], count[axis] = count[axis], by
                array = grown(array, axis, by, fill)
                history.append((axis, by))
            if verb in ("extend", "before"):
                drx("extend", path, axis, by, *(["--before"] if verb == "before" else []))
                continue
            array[box(at, count)] = elements(dtype, count, choose.randrange(-1000, 1000))
            np.save("block.npy", array[box(at, count)])
            if verb == "write":
                drx("write", path, "--at", ",".join(map(str, at)), "block.npy")
            else:
                drx(verb, path, axis, "block.npy")
        a = read_drx.read(path)
        self.assertEqual((a.shape, a.history, a.order, a.report, list(a.lower)),
                         (array.shape, history, order, None, lower))
        self.assert_same(a.array, array)
        self.assert_same(library_reads(path), array)
        self.assert_fill(a)
        self.assert_map(a, path)
        self.assert_info(a, path)


SERVER = drx_cli.start_server(DRX)
unittest.main(argv=sys.argv[:1])
