"""What spec/v2/read_v2.py reads in the stores of spec/v2/vectors, which another program wrote from drx-format-2.md."""
import json
import os
import struct
import sys
import tempfile
import unittest

SPEC = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "spec", "v2")
sys.path.insert(0, SPEC)
from payload_v2 import BASIC, Damaged, Refused
from read_v2 import read_elements
from store_v2 import AXIS, ATTRIBUTE, ATTRIBUTE_DELETE, BASE, C, COMMIT, DIMENSION, EPOCH, GROUP, GROW, REMOVE
from store_v2 import RENAME, SOURCE, STRIPES, Store, SYNC, TRIM, TYPE, VARIABLE
from checksum import crc32c

import numpy as np

VECTORS, VERDICTS = os.path.join(SPEC, "vectors"), os.path.join(SPEC, "verdicts")


def unpacked(name, folder):
    """Makes the files of a vector in `folder`; what the store holds, and its path."""
    with open(os.path.join(VECTORS, name + ".json")) as file:
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


def append(path, *records):
    """Appends records of (kind, number, payload[, flags])."""
    log = os.path.join(path, "dataset.xds") if os.path.isdir(path) else path + ".xmd"
    last = Store(path).records[-1]
    crc, sequence = last.crc, last.sequence
    with open(log, "r+b") as file:
        at = file.seek(0, os.SEEK_END)
        for kind, number, payload, *flags in records:
            sequence += 1
            payload += bytes(-len(payload) % 8)
            data = struct.pack("<IBBHQ", 24 + len(payload), kind, *(flags or [0]), number, sequence) + payload
            prev, crc = crc, crc32c(crc32c(crc, struct.pack("<Q", at)), data)
            at += file.write(struct.pack("<II", crc, prev) + data)


def verdict(path):
    try:
        return Store(path).log
    except Refused:
        return "refused"


def text(name):
    return struct.pack("<H", len(name)) + name.encode()


def variable(group, dimensions, chunk, name, stem, **values):
    v = dict(n=len(dimensions), order=0, initial=0, flags=0, codec=0, level=0, shuffle=0, type=3, align=1, fill=b"")
    v.update(values)
    p = struct.pack("<HBBBBBBB3xIq", group, *[v[k] for k in "n order initial flags codec level shuffle".split()],
                    v["type"], v["align"])
    p += struct.pack(f"<{len(dimensions)}H", *dimensions)
    p += bytes(-len(p) % 8) + struct.pack(f"<{len(chunk)}q", *chunk) + struct.pack("<I", len(v["fill"])) + v["fill"]
    return p + bytes(-len(p) % 8) + text(name) + text(stem)


def commit(number):
    return COMMIT, 0, struct.pack("<qqI", number, 0, 0), C


ZSTD = dict(codec=1, level=1, shuffle=1)

# What is appended to the vector "late": dimensions t and x; variables alpha, b, scalar, nothing; groups under, deep;
# commits 0 to 3
IMPOSSIBLE = {
    "a number that was left out": (DIMENSION, 4, struct.pack("<H6xqq", 0, 0, 1) + text("z")),
    "bounds": (DIMENSION, 3, struct.pack("<H6xqq", 0, 2, 1) + text("z")),
    "a name with a slash": (GROUP, 3, struct.pack("<H", 0) + text("a/b") + text("ab")),
    "a folder that leads elsewhere": (GROUP, 3, struct.pack("<H", 0) + text("ab") + text("..")),
    "a folder like a file": (GROUP, 3, struct.pack("<H", 0) + text("ab") + text("ab.xta")),
    "two things of one name": (GROUP, 3, struct.pack("<H", 0) + text("alpha") + text("ab")),
    "a stem twice": (VARIABLE, 5, variable(0, [1], [2], "new", "a")),
    "a dimension that is not there": (VARIABLE, 5, variable(0, [7], [2], "new", "new")),
    "a chunk of none": (VARIABLE, 5, variable(0, [1], [0], "new", "new")),
    "stripes in a dataset": (VARIABLE, 5, variable(0, [1], [2], "new", "new", flags=2)),
    "a codec with checksums": (VARIABLE, 5, variable(0, [1], [2], "new", "new", **ZSTD, flags=1)),
    "a level alone": (VARIABLE, 5, variable(0, [1], [2], "new", "new", level=1)),
    "an align of three": (VARIABLE, 5, variable(0, [1], [2], "new", "new", align=3)),
    "Z of six": (VARIABLE, 5, variable(0, [1], [1], "new", "new", initial=2)),
    "a fill of three bytes": (VARIABLE, 5, variable(0, [1], [2], "new", "new", fill=b"abc")),
    "a chunk of 2^62 elements": (VARIABLE, 5, variable(0, [1], [1 << 62], "new", "new")),
    "a type that is not there": (VARIABLE, 5, variable(0, [1], [2], "new", "new", type=300)),
    "a null variable with a codec": (VARIABLE, 5, variable(0, [], [], "new", "new", n=255, **ZSTD)),
    "a type of no bytes": (TYPE, 1, struct.pack("<HHB3xI", 0, 0, 1, 0)),
    "an enum of another size": (TYPE, 1, struct.pack("<HHB3xIII", 0, 0, 3, 2, 5, 0)),
    "a field outside": (TYPE, 1, struct.pack("<HHB3xIIIIB3x", 0, 0, 4, 4, 1, 2, 3, 0) + text("f")),
    "a growth of nothing": (GROW, 1, struct.pack("<qq", 0, 6)),
    "a bound that is not the sum": (GROW, 1, struct.pack("<qq", 1, 6)),
    "bounds too far apart": (GROW, 2, struct.pack("<qq", (1 << 63) - 3, (1 << 63) - 1)),
    "more chunks than offsets": (GROW, 1, struct.pack("<qq", 1 << 61, (1 << 61) + 6)),
    "a TRIM outside": (TRIM, 1, struct.pack("<qq", 0, 99)),
    "an AXIS with bounds": (AXIS, 1, struct.pack("<HH", 0, 1)),
    "a RENAME of the root": (RENAME, 0, struct.pack("<B7x", 1) + text("x")),
    "a REMOVE of a dimension": (REMOVE, 1, struct.pack("<B7x", 2)),
    "an attribute of what is not there": (ATTRIBUTE, 9, struct.pack("<BBBBI", 3, 0, 0, 0, 5) + text("a")),
    "an attribute that is too short": (ATTRIBUTE, 1, struct.pack("<BBBBIq", 3, 1, 0, 0, 8, 9) + text("a")),
    "a text that is not UTF-8": (ATTRIBUTE, 1, struct.pack("<4BIq", 3, 1, 1, 0, 5, 1) + text("a") + bytes(5) + b"\xff"),
    "a delete of no attribute": (ATTRIBUTE_DELETE, 1, struct.pack("<B7x", 3) + text("none")),
    "an EPOCH without a codec": (EPOCH, 1, struct.pack("<II", 1, 0)),
    "STRIPES without the flag": (STRIPES, 1, struct.pack("<H", 1) + text("s") + text("f")),
    "a BASE inside": (BASE, 0, struct.pack("<Qq4H", 0, 0, 0, 0, 0, 0)),
    "a payload that is too long": (GROW, 1, struct.pack("<qqq", 1, 7, 0)),
}


class Rules(unittest.TestCase):
    def verdict(self, *records):
        with tempfile.TemporaryDirectory() as folder:
            _, path = unpacked("late", folder)
            append(path, *records)
            return verdict(path)

    def test_impossible(self):
        for name, record in IMPOSSIBLE.items():
            with self.subTest(name):
                self.assertEqual(self.verdict(record, commit(4)), "damaged")
                self.assertEqual(self.verdict(record), "open")

    def test_verdicts(self):
        """What becomes of a store with more records."""
        for name in os.listdir(VERDICTS):
            with open(os.path.join(VERDICTS, name)) as file:
                told = json.load(file)
            for case in told["cases"]:
                with self.subTest(case["what"], base=told["base"]), tempfile.TemporaryDirectory() as folder:
                    _, path = unpacked(told["base"], folder)
                    with open(os.path.join(path, "dataset.xds") if os.path.isdir(path) else path + ".xmd", "ab") as file:
                        file.write(bytes.fromhex(case["bytes"]))
                    self.assertEqual(verdict(path), case["verdict"])

    def test_runs(self):
        grow, trim = (GROW, 1, struct.pack("<qq", 1, 7)), (TRIM, 1, struct.pack("<qq", 1, 6))
        axis = [(DIMENSION, 3, struct.pack("<H6xqq", 0, 0, 1) + text("z")), (AXIS, 1, struct.pack("<HH", 2, 3))]
        sync = (SYNC, 0, bytes(8), C)
        for verdict, *records in (
                ("clean", grow, commit(4)), ("damaged", grow, commit(5)), ("damaged", (*grow, C)),
                ("clean", grow, trim[:2] + (struct.pack("<qq", 1, 7),), commit(4)), ("clean", sync),
                ("damaged", trim, grow, commit(4)), ("clean", *axis, commit(4)),
                ("damaged", *axis, axis[1], commit(4)), ("damaged", grow, *axis, commit(4)), ("damaged", grow, sync),
                ("damaged", (SYNC, 0, bytes(8)), commit(4)), ("damaged", (SYNC, 1, bytes(8), C)),
                ("damaged", (COMMIT, 0, struct.pack("<qqI", 4, 0, 0)), commit(5)), ("clean", (130, 0, b""), commit(4)),
                ("refused", (90, 0, b""), commit(4)), ("refused", (*grow, 4), commit(4)),
                ("refused", (*grow, 2), commit(4)), ("clean", (SOURCE, 1, struct.pack("<B3xI4I", 2, 1, 32015, 2, 7, 8)),
                                                     commit(4)),
                ("refused", (EPOCH, 1, struct.pack("<II", 1, 1)), commit(4)), ("open", (90, 0, b"")),
                ("refused", (REMOVE, 1, struct.pack("<B7x", 9)), commit(4)),
                ("damaged", (GROW, 1, struct.pack("<qq", 0, 6)), (90, 0, b""), commit(4)),
                ("refused", (90, 0, b""), (GROW, 1, struct.pack("<qq", 0, 6)), commit(4))):
            with self.subTest(verdict, records=records):
                self.assertEqual(self.verdict(*records), verdict)

    def test_commits(self):
        with tempfile.TemporaryDirectory() as folder:
            store = Store(unpacked("compacted_ds", folder)[1])
        self.assertIsNone(store.at(2))
        self.assertEqual([v.name for v in store.at(3).variables.values()], ["a"])

    def test_bytes(self):
        """Section 12."""
        with open(os.path.join(SPEC, "..", "drx-format-2.md")) as file:
            rows = [line.replace(" ", "") for line in file.read().split("## 12.")[1].split("\n") if line[:4] == "    "]
        head, log, half = bytes.fromhex(rows[0]), bytes.fromhex("".join(rows[1:-1])), bytes.fromhex(rows[-1])
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "a.xmd"), "wb") as file:
                file.write(head)
                file.seek(8192)
                file.write(log)
            state = Store(os.path.join(folder, "a")).now
        self.assertEqual((state.dimensions[1].name, state.variables[1].map.bounds), ("x", [[0, 5]]))
        self.assertEqual(crc32c(crc32c(0, struct.pack("<q", 5)), half[4:]), struct.unpack_from("<I", half)[0])


def attributes(thing):
    def values(a):
        if isinstance(a.values, list):
            return b"".join(len(t.encode()).to_bytes(4, "little") + t.encode() for t in a.values).hex()
        return a.values if a.values is None else a.values.hex()
    return [dict(name=name, type=a.type, text=bool(a.text), null=a.null, extents=a.extents, values_hex=values(a))
            for name, a in thing.attributes.items()]


def numbers(values, kind):
    if kind not in BASIC:
        return [bytes(x).hex() for x in values.reshape(-1)]
    flat = np.frombuffer(values.tobytes(), BASIC[kind])
    return [[x.real, x.imag] for x in flat.tolist()] if flat.dtype.kind == "c" else flat.tolist()


def listed(elements, lost, kind):
    """As JSON has it: null is damaged."""
    out = np.empty(elements.size, object)
    out[:] = numbers(elements, kind)
    out = out.reshape(elements.shape)
    for box, error in lost:
        out[box] = None if isinstance(error, Damaged) else "refused"
    return out.reshape(-1).tolist()


class V2(unittest.TestCase):
    def test_vectors(self):
        names = sorted(name[:-5] for name in os.listdir(VECTORS) if name.endswith(".json"))
        self.assertGreater(len(names), 20)
        for name in names:
            with self.subTest(vector=name), tempfile.TemporaryDirectory() as folder:
                expected, path = unpacked(name, folder)
                if "error" in expected:
                    with self.assertRaises({"refused": Refused, "damaged": Damaged}[expected["error"]]):
                        Store(path)
                else:
                    self.one(expected, path)

    def one(self, expected, path):
        store = Store(path)
        state = store.now
        for commit, want in expected.get("at", {}).items():
            self.commit(store, store.at(int(commit)), want)

        def path(group):
            return "/" + "/".join(state.groups[g].name for g in reversed(list(state.above(group))) if g)

        def living(table):
            return [(n, t) for n, t in table.items() if not t.removed]
        self.assertEqual(store.log, expected["log"], store.why)
        self.assertEqual((store.id.hex(), attributes(state.groups[0])),
                         (expected["creation_id"], expected["attributes"]))
        self.assertEqual([(n, path(n), attributes(g) if n else []) for n, g in living(state.groups)],
                         [(g["number"], g["path"], g["attributes"]) for g in expected["groups"]])
        self.assertEqual([(256 + n, path(t.group), t.name, t.kind, t.size) for n, t in state.types.items()],
                         [(t["number"], t["group"], t["name"], t["cls"], t["bytes"]) for t in expected["types"]])
        self.assertEqual([(n, path(d.group), d.name, d.bounds, attributes(d)) for n, d in living(state.dimensions)],
                         [(d["number"], d["group"], d["name"], d["bounds"], d["attributes"])
                          for d in expected["dimensions"]])
        self.assertEqual([(c.number, c.time, c.message) for c in state.commits],
                         [(c["number"], c["time"], c["message"]) for c in expected["commits"]])
        variables = living(state.variables)
        self.assertEqual([n for n, _ in variables], [v["number"] for v in expected["variables"]])
        for (number, v), want in zip(variables, expected["variables"]):
            self.assertEqual((path(v.group), v.name, v.type, v.dimensions, attributes(v)),
                             (want["group"], want["name"], want["type"], want["dims"], want["attributes"]))
            self.assertEqual((bool(v.refused), v.null), (want.get("refused", False), want.get("null", False)))
            if v.map:
                self.variable(store, number, v, want)

    def commit(self, store, state, want):
        """As of a commit."""
        self.assertEqual(state is None, want is None)
        for number, v in state.variables.items() if state else ():
            if v.name in want:
                self.assertEqual(listed(*read_elements(store, number, state), v.type), want[v.name], v.name)

    def variable(self, store, number, v, want):
        self.assertEqual((v.map.bounds, v.map.chunk, v.fill.hex(), v.map.count),
                         (want["bounds"], want["chunk"], want["fill_hex"], want["Q"]))
        elements, lost = read_elements(store, number)
        self.assertEqual(listed(elements, lost, v.type), want["elements"])
        self.assertEqual([box for box, error in lost if isinstance(error, Damaged)] == [()], want.get("missing", False))
        for q in range(v.map.count):
            index = v.map.index(q)
            self.assertTrue(index is None or v.map.address(index) == q)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])  # ctest gives the path of drx
