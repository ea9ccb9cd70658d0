"""Datasets: the golden one of spec/golden, damaged ones made of it, and those of spec/vectors and spec/verdicts are judged and
read alike by the library and the reader of spec. Called with the path of the program drx."""
import glob
import itertools
import json
import os
import subprocess
import sys
import unittest

import make_damaged_dataset
import vectors
from golden import compile_program
from lone_array import dtype_of
from payload import Damaged, Refused
from read_drx import Chunks, read_elements
from store import BASE, C, NotDrx, Store, read_prefix


def status_of(error):
    """In the words of the library."""
    told = str(error)
    if isinstance(error, Refused):
        return "DRX_ERANGE" if "TRIM" in told else "DRX_ENOENT" if "removed" in told else "DRX_EUNSUPPORTED"
    if told == "a file is missing":
        return "DRX_ENOENT"
    return "DRX_ECHECKSUM" if told.endswith("differs") or told.split(" ")[0] == "chunk" and "missing" not in told else \
        "DRX_EDAMAGED"


class Read:
    """What the reader says of a dataset."""

    def __init__(self, path):
        self.store, self.last, self.log = None, -1, None
        try:
            self.store = Store(path)
        except NotDrx:
            self.status = "DRX_EFORMAT"
        except Refused:
            self.status = "DRX_EUNSUPPORTED"
        except Damaged:
            self.status = "DRX_EDAMAGED"
        else:
            self.status, self.log, self.last = "DRX_OK", self.store.log, self.last_commit(self.store.now)
            self.unknown = self.log in ("open", "torn") and self.has_unknown(path)

    def last_commit(self, state):
        return state.commits[-1].number if state.commits else -1

    def has_unknown(self, path):
        """What comes after the last C is of a later version."""
        with open(os.path.join(path, "dataset.xds"), "rb") as file:
            data = file.read()
        rest = read_prefix(data, int.from_bytes(data[8:12], "little"))[0][len(self.store.records):]
        return any(BASE < r.kind < 128 or r.flags & ~C for r in rest)

    def write(self):
        """The status of opening for writing."""
        if self.status != "DRX_OK":
            return self.status
        return "DRX_EDAMAGED" if self.log == "damaged" else "DRX_EUNSUPPORTED" if self.unknown else "DRX_OK"

    def state(self, commit=None):
        return self.store.now if commit is None else self.store.at(commit)

    def members(self, commit=None):
        """{path: (statuses, elements)}; the status of an element that is not read in its place."""
        state = self.state(commit)
        return {self.path(state, v): self.member(n, v, commit) for n, v in state.variables.items() if not v.removed}

    def path(self, state, v):
        return "/".join([*(state.groups[g].name for g in reversed([*state.above(v.group)]) if g), v.name])

    def is_missing(self, number, v):
        try:
            Chunks(self.store, number, v)
        except Damaged:
            return True
        return False

    def but(self, error):
        """What else may become of an element alone."""
        one = status_of(error)
        return " or another" if one == "DRX_ERANGE" else " or read" if one == "DRX_ECHECKSUM" or "is missing" in str(
            error) else ""

    def member(self, number, v, commit):
        if v.refused or v.initial > 1 or dtype_of(self.store, v.type) is None:
            return {"DRX_EUNSUPPORTED"}, None
        if v.null:
            return {"DRX_OK"}, []
        elements, lost = read_elements(self.store, number, None if commit is None else self.state(commit))
        if lost and lost[0][0] == () and status_of(lost[0][1]) != "DRX_ERANGE":
            return {status_of(lost[0][1])}, None
        if lost and self.is_missing(number, v):
            return {"DRX_ENOENT"}, None
        statuses = elements.astype(object)
        for index in itertools.product(*map(range, elements.shape)):
            statuses[index] = elements[index].tobytes().hex()
        found = set()
        for box, error in lost:
            if statuses[box].size:
                statuses[box] = status_of(error) + self.but(error)
                found.add(status_of(error))
        return found or {"DRX_OK"}, statuses.reshape(-1).tolist()


def parse(text):
    """{"read", "at K", "check", "write": (words, {name: words})} of what golden_status prints."""
    found, members = {}, {}
    for line in text.splitlines():
        word, *rest = line.split()
        if word == "member":
            members[rest[0]] = rest[1:]
            continue
        members = {}
        if word == "at":
            word = f"at {rest.pop(0)}"
        found[word] = rest, members
    return found


class Test(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.golden_status = compile_program("golden_status")

    def compare_members(self, members, read):
        self.assertEqual(list(members), list(read))
        for name, (statuses, elements) in read.items():
            status, *found = members[name]
            if elements is None:
                self.assertEqual(({status}, found), (statuses, []), name)
            elif status == "DRX_OK" and statuses == {"DRX_OK"}:
                self.assertEqual("".join(found), "".join(elements), name)
            elif status == "DRX_OK":  # what is missing lies outside the bounds
                self.assertTrue(all(one.endswith(" or read") for one in elements if one[:3] == "DRX"), (name, elements))
            elif "DRX_ERANGE" in statuses:  # a trim took some, and another error may come first
                self.assertNotEqual(status, "DRX_OK")
            else:
                self.assertIn(status, statuses, name)
            for one, expected in zip(found, elements or ()) if status != "DRX_OK" else ():
                expected, _, other = expected.partition(" or ")
                self.assertTrue(one == expected or other == "another" and one[:3] == "DRX" or
                                other == "read" and one[:3] != "DRX", (name, one, expected))

    def judge(self, path):
        """Both judge it: what the reader found, and what the library said."""
        read, before = Read(path), self.snapshot(path)
        out = subprocess.run([self.golden_status, path], check=True, stdout=subprocess.PIPE, text=True).stdout
        said = parse(out)
        (status, last, report), members = said["read"]
        self.assertEqual((status, int(last)), (read.status, read.last))
        if read.status == "DRX_OK":
            self.assertEqual(report, str(int(read.log == "damaged")))
            self.compare_members(members, read.members())
            for commit in range(read.last):
                self.earlier(read, commit, *said[f"at {commit}"])
        self.assertEqual(said["write"][0][0], read.write())
        if read.write() != "DRX_OK":
            self.assertEqual(self.snapshot(path), before)
        return read, said

    def earlier(self, read, commit, words, members):
        if read.state(commit) is None:
            self.assertEqual(words[0], "DRX_ERANGE")
            return
        self.assertEqual(words[:2], ["DRX_OK", str(read.last)])
        self.compare_members(members, read.members(commit))

    def snapshot(self, path):
        found = {}
        for file in glob.glob(os.path.join(path, "**"), recursive=True):
            if os.path.isfile(file):
                with open(file, "rb") as data:
                    found[os.path.relpath(file, path)] = data.read()
        return found


class Damage(Test):
    def test_damaged(self):
        os.mkdir("damaged")
        make_damaged_dataset.main(vectors.unpacked_dataset("golden"), "damaged")
        names = sorted(name[:-5] for name in os.listdir("damaged") if name.endswith(".json"))
        self.assertGreater(len(names), 400)
        for name in names:
            with open(f"damaged/{name}.json", encoding="utf-8") as file:
                expected = json.load(file)
            with self.subTest(dataset=name, what=expected["what"]):
                self.check(f"damaged/{name}", expected)

    def check(self, path, expected):
        files = set(self.snapshot(path))
        read, said = self.judge(path)
        self.assertEqual((read.status, read.write()), (expected["read"], expected["write"]))
        self.assertEqual(said["check"][0], [expected["check"]])
        if read.status != "DRX_OK":
            return
        self.assertEqual((read.last, read.log), (expected["last"], expected["log"]))
        wrong = expected["wrong"]
        members = said["read"][1]
        self.assertEqual({name: words[0] for name, words in members.items() if words[0] != "DRX_OK"},
                         {name: pair[0] for name, pair in wrong.items() if pair[0] != "DRX_OK"})
        if expected["write"] == "DRX_OK":
            self.assertEqual({name: words[0] for name, words in said["write"][1].items() if words[0] != "DRX_OK"},
                             {name: pair[1] for name, pair in wrong.items() if pair[1] != "DRX_OK"})
            self.check_mended(path, files - set(expected["gone"]), members)

    def check_mended(self, path, files, members):
        """The next writer leaves nothing after the last commit."""
        read = Read(path)
        self.assertEqual(set(self.snapshot(path)), files)
        self.assertEqual(read.log, "clean")
        self.compare_members(members, read.members())


class Vectors(Test):
    def test_vectors(self):
        names = vectors.names("vectors", 2)
        self.assertGreater(len(names), 10)
        for name in names:
            with self.subTest(vector=name):
                self.judge(vectors.unpacked(name, f"vector-{name}")[1])

    def test_verdicts(self):
        """Records that are appended to a log."""
        for i, (base, case) in enumerate(vectors.verdicts(2)):
            with self.subTest(case["what"], base=base):
                read, _ = self.judge(vectors.unpacked_case(base, case, f"case-{i}"))
                self.assertEqual("refused" if read.status == "DRX_EUNSUPPORTED" else read.log, case["verdict"])


unittest.main(argv=sys.argv[:1])
