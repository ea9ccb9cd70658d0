#!/usr/bin/python3
"""What several jobs do to the same files, on any number of ranks: the drop-in stores pairs of files that drx opens,
with the same bytes on any number of ranks, and drx import and the drop-in read exactly what Global Arrays' own Disk
Resident Arrays wrote. A program gives the same results with both. A switch makes errors end the job.
Usage: test_files.py DRX THEIRS SAME OURS [TEST ...], the program drx and those that use the other library and the
drop-in. DRX_SEED repeats a run."""

import os
import random
import subprocess
import sys
import unittest

import numpy as np

import dra_jobs

DRX, THEIRS, SAME, OURS = sys.argv[1:5]
del sys.argv[1:5]
random.seed(dra_jobs.SEED)
TYPES = {"int": "i4", "long": "i8", "float": "f4", "double": "f8", "scpl": "c8", "dcpl": "c16"}
STORED = 20


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


class Files(unittest.TestCase):
    def drx(self, *words):
        done = subprocess.run([DRX, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout

    def check_content(self, folder, make):
        """make(path): the array of drx that has the elements"""
        with open(f"{folder}/list", encoding="ascii") as lines:
            arrays = [line.split() for line in lines]
        self.assertEqual(len(arrays), STORED)
        for number, type_name, name, *shape in arrays:
            array = make(f"{folder}/{number}")
            self.drx("check", array)
            self.drx("read", array, "-o", "a.npy", "--force")
            got, expected = np.load("a.npy"), np.fromfile(f"{folder}/{number}.raw", TYPES[type_name])
            self.assertEqual((got.dtype, list(got.shape)), (expected.dtype, list(map(int, shape))), number)
            self.assertTrue(got.tobytes() == expected.tobytes(), f"{folder}/{number}")
            self.assertIn(f'"{name}"', self.drx("info", array))

    def test_same_results(self):
        expected = dra_jobs.results(1, THEIRS, folder="theirs-1")
        self.assertGreater(len(expected), 100)
        for ranks, program in (1, SAME), (2, SAME), (3, SAME), (4, SAME), (random.randint(2, 4), THEIRS):
            got = dra_jobs.results(ranks, program, folder=f"{os.path.basename(program)}-{ranks}")
            self.assertEqual(got, expected, f"{program} on {ranks}, DRX_SEED={dra_jobs.SEED}")

    def test_jobs(self):
        for ranks in ((4, 2, 1, 3, 2), (2, 4, 8, 1, 1), (1, 3, 2, 4, 3)):
            folder = "-".join(map(str, ranks))
            for n, program, action in zip(ranks, (SAME, OURS, OURS, OURS, OURS),
                                          ("store", "stored", "change", "stored", "discard")):
                if action == "discard":
                    self.check_content(folder, str)
                dra_jobs.run(n, program, action, folder=folder, DRX_DRA_QUIET="1")
            self.assertEqual([name for name in os.listdir(folder) if not name.endswith(".raw")], ["list"])

    def test_stored_by_the_other(self):
        several = 0

        def imported(path):
            self.drx("import", path + random.choice([".info", ""]), "a", "--force")
            return "a"

        for ranks in 1, 2, 3, 4:
            folder = f"by-{ranks}"
            dra_jobs.run(ranks, THEIRS, "store", folder=folder, DRX_SEED=str(int(dra_jobs.SEED) + ranks))
            several += sum(name.endswith(".0") for name in os.listdir(folder))
            self.check_content(folder, imported)
            dra_jobs.run(5 - ranks, OURS, "stored", folder=folder, DRX_DRA_QUIET="1")
            dra_jobs.run(ranks, SAME, "store", folder=folder)  # replaces them by pairs
            self.assertEqual({os.path.splitext(name)[1] for name in os.listdir(folder)}, {"", ".raw", ".xmd", ".xta"})
            self.assertFalse(os.path.exists(f"{folder}/0"))
        self.assertGreater(several, 5, "too few arrays in several files")

    def test_same_bytes(self):
        first, names = None, []
        for ranks in 1, random.randint(2, 3), random.randint(4, 5):
            folder = f"histories-{ranks}"
            dra_jobs.run(ranks, OURS, "histories", folder=folder, DRX_CREATION_ID="00112233445566778899aabbccddeeff",
                         DRX_SAMPLE="4")
            if first is None:
                first, names = folder, sorted(os.listdir(folder))
                self.assertGreater(len(names), 40)
            self.assertEqual(sorted(os.listdir(folder)), names)
            for name in names:
                self.assertTrue(read_bytes(f"{folder}/{name}") == read_bytes(f"{first}/{name}"),
                                f"{name} on {ranks}, DRX_SEED={dra_jobs.SEED}")

    def refuse_parts(self, folder, away):
        """A program that finds no array makes one: so an array of which a part is missing is an error."""
        os.rename(f"{folder}/{away}", f"{folder}/away")
        for ranks in (1, 3):
            with self.assertRaises(dra_jobs.Failed) as caught:
                dra_jobs.run(ranks, OURS, "stored", folder=folder)
            self.assertIn("0: the array is there, but not all of its files", str(caught.exception))
            self.assertNotIn(": -1, expected 0", str(caught.exception))
        os.rename(f"{folder}/away", f"{folder}/{away}")
        dra_jobs.run(2, OURS, "stored", folder=folder)

    def test_missing_parts(self):
        dra_jobs.run(2, SAME, "store", folder="parts")
        self.refuse_parts("parts", "0.xta")
        for disk in ("first", "second"):
            os.makedirs(f"parts/{disk}")
        self.drx("copy", "--stripe", "first,second", "parts/0", "parts/striped")
        self.drx("rm", "parts/0")
        self.drx("mv", "parts/striped", "parts/0")
        self.refuse_parts("parts", "second")
        dra_jobs.run(2, OURS, "discard", folder="parts")

    def test_abort(self):
        with self.assertRaises(dra_jobs.Failed) as caught:
            dra_jobs.run(2, OURS, "bad", folder="abort", DRX_DRA_ABORT="1")
        self.assertIn("DRA_Init was not called", str(caught.exception))
        self.assertNotIn("DRA_Close", str(caught.exception))  # which comes later

    def test_told(self):
        told = dra_jobs.run(2, OURS, "bad", folder="told")
        for line in ("DRA_Wait: ", "NDRA_Create: ", "half.xmd", "good was opened for reading only",
                     "dimension 0: from -1 to 5, it has 0 to 29", "-4000 is not a handle",
                     "no call has given this number"):
            self.assertIn(line, told)
        results = [line for line in dra_jobs.run(2, OURS, "bad", folder="quiet",
                                                 DRX_DRA_QUIET="1").splitlines() if line]
        self.assertEqual([line for line in results if not line.startswith("> ")], [])


if __name__ == "__main__":
    unittest.main()
