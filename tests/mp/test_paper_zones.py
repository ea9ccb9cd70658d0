"""The paper's example program prints what Fig. 1 and its listing say, and its file is laid out as Fig. 1 is."""

import os
import struct
import subprocess
import sys
import unittest

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import by_hand  # noqa: E402, F401

BUILD, SOURCE = os.environ["DRX_BUILD"], os.environ["DRX_SOURCE"]
PROGRAM = os.path.join(BUILD, "examples", "paper_zones")

FIG_1 = [  # the addresses of the chunks, of 2 x 3 elements each
    [0, 1, 6, 12],
    [2, 3, 7, 13],
    [4, 5, 8, 14],
    [9, 10, 11, 15],
    [16, 17, 18, 19],
]
ZONES = [[0, 1, 2, 3, 4, 5], [6, 7, 8, 12, 13, 14], [9, 10, 16, 17], [11, 15, 18, 19]]
IN_MEMORY = [[0, 1, 2, 3, 4, 5], [0, 2, 4, 1, 3, 5], [0, 1, 2, 3], [0, 1, 2, 3]]  # the listing's inMemoryMap


def run(ranks, *words):
    return subprocess.run([os.path.join(SOURCE, "scripts", "in-mpi"), str(ranks), "600", PROGRAM, *words],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def element(i, j):
    return FIG_1[i // 2][j // 3] + (i % 2 * 3 + j % 3) / 10


def rows_of(zone):
    """The part of A[10][12] that the chunks of the zone are."""
    places = [(r, c) for r in range(5) for c in range(4) if FIG_1[r][c] in zone]
    rows, columns = sorted({r for r, _ in places}), sorted({c for _, c in places})
    return [[element(i, j) for c in columns for j in range(3 * c, 3 * c + 3)]
            for r in rows for i in range(2 * r, 2 * r + 2)]


class Zones(unittest.TestCase):
    def test_output(self):
        expected = []
        for rank, (zone, places) in enumerate(zip(ZONES, IN_MEMORY)):
            for j, (address, place) in enumerate(zip(zone, places)):
                expected.append(f"Rank {rank}: map[{j}] = {address}, inmemmap[{j}] = {place}")
            expected.append(f"Rank {rank}: Number read = {len(zone)}")
            for row in rows_of(zone):
                expected.append(f"Rank {rank}:" + "".join(f" {value:4.1f}" for value in row))
        done = run(4, "fig1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines(), expected)
        with open("fig1.xta", "rb") as file:
            stored = struct.unpack("<120d", file.read())
        self.assertEqual(list(stored), [q + p / 10 for q in range(20) for p in range(6)])

    def test_it_does_not_replace(self):
        self.assertEqual(run(4, "twice").returncode, 0)
        again = run(4, "twice")
        self.assertEqual(again.returncode, 1)
        self.assertIn("cannot create the array: the array exists already", again.stderr)

    def test_usage(self):
        done = run(3, "three")
        self.assertEqual(done.returncode, 1)
        self.assertIn("usage: paper_zones PATH, on 4 ranks", done.stderr)
        self.assertFalse(os.path.exists("three.xmd"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
