#!/usr/bin/python3
"""The drop-in stores pairs of files that drx opens, with the same bytes on any number of ranks. A switch makes
errors end the job. Usage: test_files.py DRX SAME OURS, the program drx and those that use the drop-in"""

import json
import os
import subprocess
import sys
import unittest

import numpy as np

import dra_jobs

DRX, SAME, OURS = sys.argv[1:4]
del sys.argv[1:]
SHAPE, PART = (50, 23, 9), (slice(7, 39), slice(2, 22), slice(3, 9))


def content(salt):
    """What fill_model gives."""
    place = np.arange(np.prod(SHAPE), dtype=np.uint64)
    mixed = (place + np.uint64(salt * 1000003 + 1)) * np.uint64(0x9e3779b97f4a7c15)
    return (1 + (mixed >> np.uint64(41))).astype(np.float64).reshape(SHAPE)


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


class Files(unittest.TestCase):
    def drx(self, *words):
        done = subprocess.run([DRX, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout

    def make(self, ranks, folder=None):
        folder = folder or f"on{ranks}"
        for action in ("write", "change"):
            dra_jobs.run(ranks, SAME, action, folder=folder, DRX_CREATION_ID="00112233445566778899aabbccddeeff")
        return folder

    def test_content(self):
        folder = self.make(3)
        self.drx("check", f"{folder}/kept")
        told = json.loads(self.drx("info", "--json", f"{folder}/kept"))
        self.assertEqual((told["shape"], told["type"], told["attrs"]), (list(SHAPE), "float64", {"name": "model"}))
        self.assertEqual(told["chunk"], [8, 8, 9])  # hints of 8x8x8, of an extent of 9
        self.drx("export", f"{folder}/kept", "kept.npy")
        expected, other = content(1), content(2)
        expected[PART] = other[PART]
        np.testing.assert_array_equal(np.load("kept.npy"), expected)

    def test_same_bytes(self):
        first = self.make(1)
        self.assertEqual(sorted(os.listdir(first)), ["kept.xmd", "kept.xta"])
        for ranks in (2, 4):
            folder = self.make(ranks)
            self.assertEqual(sorted(os.listdir(folder)), ["kept.xmd", "kept.xta"])
            for name in ("kept.xmd", "kept.xta"):
                self.assertTrue(read_bytes(f"{folder}/{name}") == read_bytes(f"{first}/{name}"), f"{name} on {ranks}")

    def test_missing_stripe(self):
        """A program that finds no array makes one: so an array of which a stripe is missing is an error."""
        folder = self.make(2, "striped")
        for disk in ("first", "second"):
            os.makedirs(f"{folder}/{disk}", exist_ok=True)
        self.drx("copy", "--stripe", "first,second", f"{folder}/kept", f"{folder}/striped")
        self.drx("rm", f"{folder}/kept")
        self.drx("mv", f"{folder}/striped", f"{folder}/kept")
        expected = dra_jobs.results(1, SAME, "read", folder=folder)
        os.rename(f"{folder}/second", f"{folder}/away")
        for ranks in (1, 3):
            with self.assertRaises(dra_jobs.Failed) as caught:
                dra_jobs.run(ranks, SAME, "read", folder=folder)
            self.assertIn("kept: the array is there, but not all of its files", str(caught.exception))
            self.assertNotIn(": -1, expected 0", str(caught.exception))
        os.rename(f"{folder}/away", f"{folder}/second")
        self.assertEqual(dra_jobs.results(2, SAME, "read", folder=folder), expected)
        dra_jobs.run(2, SAME, "delete", folder=folder)

    def test_missing_data(self):
        folder = self.make(2, "halved")
        os.rename(f"{folder}/kept.xta", f"{folder}/away")
        with self.assertRaises(dra_jobs.Failed) as caught:
            dra_jobs.run(2, SAME, "read", folder=folder)
        self.assertIn("kept: the array is there, but not all of its files", str(caught.exception))
        self.assertNotIn(": -1, expected 0", str(caught.exception))

    def test_same_bytes_of_shared_chunks(self):
        first, names = None, []
        for ranks in (1, 2, 4, 5):
            folder = f"shared{ranks}"
            dra_jobs.run(ranks, OURS, "shared", folder=folder, DRX_CREATION_ID="00112233445566778899aabbccddeeff")
            if first is None:
                first, names = folder, sorted(os.listdir(folder))
                self.assertEqual(len(names), 28)
            self.assertEqual(sorted(os.listdir(folder)), names)
            for name in names:
                self.assertTrue(read_bytes(f"{folder}/{name}") == read_bytes(f"{first}/{name}"),
                                f"{name} on {ranks}, DRX_SEED={dra_jobs.SEED}")

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
