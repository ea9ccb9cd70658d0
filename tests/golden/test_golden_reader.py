"""What spec/read_drx.py reads in the stores of spec/vectors, which another program wrote from drx-format.md."""
import os
import struct
import sys
import tempfile
import unittest

import numpy as np

from vectors import SPEC, names, unpacked
from checksum import crc32c
from payload import BASIC, Damaged, Refused
from read_drx import read_elements
from store import Store


class Rules(unittest.TestCase):
    def test_checksum(self):
        self.assertEqual(crc32c(0, b"123456789"), 0xE3069283)
        self.assertEqual(crc32c(crc32c(0, b"1234"), b"56789"), 0xE3069283)

    def test_commits(self):
        with tempfile.TemporaryDirectory() as folder:
            store = Store(unpacked("compacted_ds", folder)[1])
        self.assertIsNone(store.at(2))
        self.assertEqual([v.name for v in store.at(3).variables.values()], ["a"])

    def test_bytes(self):
        """Section 12."""
        with open(os.path.join(SPEC, "drx-format.md"), encoding="utf-8") as file:
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


class Vectors(unittest.TestCase):
    def test_vectors(self):
        self.assertGreater(len(names("vectors")), 50)
        for name in names("vectors"):
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
