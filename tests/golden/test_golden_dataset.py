"""Datasets: the golden one of spec/v2/dataset is what the library writes. It, damaged ones, and those of spec/v2/vectors and
spec/v2/verdicts are judged and read alike by the library and the reader of spec/v2. Called with the path of the program drx;
with one more word it makes the golden one anew."""
import glob
import itertools
import json
import os
import subprocess
import sys
import unittest

from golden import SOURCE, compile_program, unpack_next
from lone_array import dtype_of  # and where the reader is
import make_damaged_dataset
from payload_v2 import Damaged, Refused
from read_v2 import Chunks, read_elements
from store_v2 import BASE, C, GROUP, NotDrx, Store, read_prefix

SPEC = os.path.join(SOURCE, "spec", "v2")
SAMPLE = os.path.join(SPEC, "dataset")


def make_sample(program, path):
    subprocess.run([program, path], check=True, env={**os.environ, "SOURCE_DATE_EPOCH": "1000000000",
                                                     "DRX_CREATION_ID": "000102030405060708090a0b0c0d0e0f"})


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
        """What comes after the last C is of a later version, or has groups, which the library does not write yet."""
        with open(os.path.join(path, "dataset.xds"), "rb") as file:
            data = file.read()
        rest = read_prefix(data, int.from_bytes(data[8:12], "little"))[0][len(self.store.records):]
        return any(BASE < r.kind < 128 or r.flags & ~C or r.kind == GROUP for r in rest)

    def write(self):
        """The status of opening for writing."""
        if self.status != "DRX_OK":
            return self.status
        groups = any(n and not g.removed for n, g in self.store.now.groups.items())
        return "DRX_EDAMAGED" if self.log == "damaged" else "DRX_EUNSUPPORTED" if self.unknown or groups else "DRX_OK"

    def state(self, commit=None):
        return self.store.now if commit is None else self.store.at(commit)

    def members(self, commit=None):
        """{name: (statuses, elements)}; the status of an element that is not read in its place."""
        state = self.state(commit)
        return {v.name: self.member(n, v, commit) for n, v in state.variables.items() if not v.removed and v.group == 0}

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
        if v.refused or v.null or v.initial > 1 or dtype_of(self.store, v.type) is None:
            return {"DRX_EUNSUPPORTED"}, None
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
    """{"read", "at K", "check", "write": (words, {name: words})} of what dataset_status prints."""
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
        cls.dataset_status = compile_program("dataset_status")

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
        out = subprocess.run([self.dataset_status, path], check=True, stdout=subprocess.PIPE, text=True).stdout
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
    def test_sample(self):
        """The library writes the same bytes as when the sample was made."""
        make_sample(compile_program("make_dataset"), "made")
        made, sample = self.snapshot("made"), self.snapshot(SAMPLE)
        self.assertEqual(sorted(made), sorted(sample))
        unlike = [file for file in sample if made[file] != sample[file]]
        if unlike:  # compressed by another library than ours was
            self.assertLessEqual(set(unlike), {"packed.xct", "packed.xtz"})
            self.assertEqual(Read("made").members()["packed"], Read(SAMPLE).members()["packed"])

    def test_damaged(self):
        os.mkdir("damaged")
        make_damaged_dataset.main(SAMPLE, "damaged")
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
    def names(self):
        for path in sorted(glob.glob(os.path.join(SPEC, "vectors", "*.json"))):
            with open(path, encoding="utf-8") as file:
                if json.load(file)["store"]["kind"] == 2:
                    yield os.path.basename(path)[:-5]

    def unpack(self, name, folder):
        os.makedirs(folder)
        return unpack_next(name, folder)[1]

    def test_vectors(self):
        names = list(self.names())
        self.assertGreater(len(names), 10)
        for name in names:
            with self.subTest(vector=name):
                self.judge(self.unpack(name, f"vector-{name}"))

    def test_verdicts(self):
        """Records that are appended to a log."""
        for path in glob.glob(os.path.join(SPEC, "verdicts", "*.json")):
            with open(path, encoding="utf-8") as file:
                told = json.load(file)
            for i, case in enumerate(told["cases"]) if told["base"] in self.names() else ():
                with self.subTest(case["what"], base=told["base"]):
                    path = self.unpack(told["base"], f"{told['base']}-{i}")
                    with open(os.path.join(path, "dataset.xds"), "ab") as file:
                        file.write(bytes.fromhex(case["bytes"]))
                    read, _ = self.judge(path)
                    self.assertEqual("refused" if read.status == "DRX_EUNSUPPORTED" else read.log, case["verdict"])


if len(sys.argv) > 2:
    make_sample(compile_program("make_dataset"), SAMPLE)
else:
    unittest.main(argv=sys.argv[:1])
