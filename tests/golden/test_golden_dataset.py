"""Damaged datasets: the library, the program and spec/read_dataset.py judge each of them alike, and as expected.
Called with the path of the program drx."""
import json
import os
import subprocess
import sys
import unittest

SOURCE, BUILD = os.environ["DRX_SOURCE"], os.environ["DRX_BUILD"]
GOLDEN = os.path.join(SOURCE, "tests", "golden")
DRX = os.path.abspath(sys.argv[1])

sys.path.extend([os.path.join(SOURCE, "spec"), GOLDEN])
import make_damaged_dataset  # noqa: E402
import read_dataset  # noqa: E402
from read_errors import Damaged, FormatError, Unsupported  # noqa: E402

STATUSES = {FormatError: "DRX_EFORMAT", Unsupported: "DRX_EUNSUPPORTED", Damaged: "DRX_EDAMAGED",
            FileNotFoundError: "DRX_ENOENT", read_dataset.Mismatch: "DRX_EMISMATCH"}


def compile_program(name):
    libraries = os.path.join(BUILD, "src")
    flags = ["-fsanitize=address,undefined"] if "ASAN_OPTIONS" in os.environ else []
    subprocess.run([os.environ.get("CC", "gcc"), "-std=c11", "-D_GNU_SOURCE", *flags, "-o", name,
                    os.path.join(GOLDEN, name + ".c"), "-I", os.path.join(SOURCE, "include"),
                    "-L", libraries, "-Wl,-rpath," + libraries, "-ldrx"], check=True)
    return os.path.abspath(name)


def attempt(call, *args):
    """(status, result) of a call of the reader."""
    try:
        return "DRX_OK", call(*args)
    except tuple(STATUSES) as error:
        return STATUSES[type(error)], None


def read(path):
    """What the reader says of a dataset, as the program prints it, but for what a writer finds."""
    status, ds = attempt(read_dataset.Dataset, path)
    if ds is None:
        return {"read": status}
    found = {"read": status, "last": len(ds.commits) - 1, "report": ds.report and ds.report.split(" at ")[0], "members": {}}
    for name in ds.names(found["last"]):
        status, array = attempt(ds.array, name)
        found["members"][name] = [status, *([array[0].tobytes().hex()] if array else [])]
    return found


def parse(text):
    """What dataset_status prints, for reading and for writing."""
    found = {}
    for line in text.splitlines():
        word, *rest = line.split()
        if word == "member":
            members[rest[0]] = rest[1:]
            continue
        members = {}
        found[word] = rest, members
    return found


class Datasets(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.mkdir("damaged")
        make_damaged_dataset.main(os.path.join(SOURCE, "spec", "dataset"), "damaged")
        cls.dataset_status = compile_program("dataset_status")

    def test_damaged(self):
        names = sorted(name[:-5] for name in os.listdir("damaged") if name.endswith(".json"))
        self.assertGreater(len(names), 100)
        for name in names:
            with open(f"damaged/{name}.json", encoding="utf-8") as file:
                expected = json.load(file)
            with self.subTest(dataset=name, what=expected["what"]):
                self.check(f"damaged/{name}", expected)

    def check(self, path, expected):
        reader = read(path)
        checked = subprocess.run([DRX, "check", path], capture_output=True, text=True, check=False)
        opened = parse(subprocess.run([self.dataset_status, path], check=True, stdout=subprocess.PIPE, text=True).stdout)
        (status, last, report), members = opened["read"]
        (written,), write_members = opened["write"]
        self.assertEqual((reader["read"], status, written), (expected["read"], expected["read"], expected["write"]))
        self.assertEqual(checked.returncode, expected["check"], checked.stdout + checked.stderr)
        if status == "DRX_OK":
            self.assertEqual((reader["last"], int(last)), (expected["last"],) * 2)
            self.assertEqual((reader["report"], report), (expected["report"], str(int(expected["report"] == "damage"))))
            self.assertEqual(reader["members"], members)
            if "u" in members:
                self.assertEqual(members["u"][0], expected["u"])
        if written == "DRX_OK":
            self.check_mended(path, expected, write_members)

    def check_mended(self, path, expected, members):
        """The next writer leaves nothing after the last commit, and makes logs complete."""
        reader = read(path)
        self.assertEqual((reader["last"], reader["report"]), (expected["last"], None))
        self.assertEqual(members.keys(), reader["members"].keys())
        if "u" in members:
            self.assertEqual(members["u"], [expected["u_write"]])


unittest.main(argv=sys.argv[:1])
