"""What the library reads of the logs of spec/vectors and verdicts, against what they say: argument 1 is dump_store."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", folder) for folder in ("golden", "python")]
import by_hand  # noqa: F401
import make_damaged_dataset
from make_damaged_dataset import commit
from make_log import Log
from vectors import log_of, names, unpacked, unpacked_case, unpacked_dataset, verdicts

DUMP = sys.argv[1]


def dump(*logs):
    """Of logs, or LOG:COMMIT."""
    run = subprocess.run([DUMP, *logs], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return [json.loads(part) for part in run.stdout.split("\f\n")[:-1]]


class Vectors(unittest.TestCase):
    maxDiff = None

    def test_vectors(self):
        for name in names("vectors"):
            with self.subTest(vector=name), tempfile.TemporaryDirectory() as folder:
                expected, path = unpacked(name, folder)
                self.compare(dump(log_of(path))[0], expected)
                for k, want in expected.get("at", {}).items():
                    got = dump(f"{log_of(path)}:{k}")[0]
                    self.assertEqual(got.get("error") == "none", want is None)
                    for variable in want or ():
                        self.assertIn(variable, [v["name"] for v in got["variables"]])

    def compare(self, got, expected):
        if "error" in expected:
            self.assertEqual(got.get("error"), expected["error"], got["why"])
            return
        self.assertNotIn("error", got, got["why"])
        for key in "log", "creation_id", "attributes", "types", "dimensions", "commits":
            self.assertEqual(got[key], expected[key], (key, got["why"]))
        self.assertEqual([{**g, "attributes": g["attributes"] if g["number"] else []} for g in expected["groups"]],
                         got["groups"])
        self.assertEqual([v["number"] for v in got["variables"]], [v["number"] for v in expected["variables"]])
        for v, want in zip(got["variables"], expected["variables"]):
            for key in "group", "name", "type", "dims", "attributes":
                self.assertEqual(v[key], want[key], key)
            for key in "refused", "null":
                self.assertEqual(v[key], want.get(key, False), key)
            if "Q" in want:
                expected_map = [want[key] for key in ("bounds", "chunk", "Q")]
                if not want["dims"]:  # the library gives a scalar an axis
                    expected_map = [[[0, 1]], [1], 1]
                self.assertEqual([v[key] for key in ("bounds", "chunk", "Q")], expected_map)
                self.assertEqual(v.get("fill_hex", "00" * v["bytes"]), want["fill_hex"])

    def verdict(self, path):
        got = dump(log_of(path))[0]
        return got.get("error") or got["log"], got["why"]

    def test_verdicts(self):
        for base, case in verdicts():
            with self.subTest(case["what"], base=base), tempfile.TemporaryDirectory() as folder:
                verdict, why = self.verdict(unpacked_case(base, case, folder))
                self.assertEqual(verdict, case["verdict"], why)

    def test_impossible(self):
        with tempfile.TemporaryDirectory() as folder:
            path = unpacked_dataset(folder)
            with open(log_of(path), "rb") as file:
                data = file.read()
            for name, what, *record in make_damaged_dataset.impossible():
                for verdict, records in ("open", [(*record, 0)]), ("damaged", [(*record, 0), commit(8)]):
                    log = Log(data)
                    for one in records:
                        log.append(*one)
                    with self.subTest(name, what=what), open(log_of(path), "wb") as file:
                        file.write(log.data)
                        file.flush()
                        self.assertEqual(self.verdict(path)[0], verdict)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
