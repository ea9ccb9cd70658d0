"""drx map as of a commit: what it printed then."""

import importlib.util
import json
import unittest

import numpy as np

from drx_cli import CliTest, need

need(*map(importlib.util.find_spec, ("netCDF4", "xarray")))

import xarray  # noqa: E402


def write_netcdf(path, first, n, width=5):
    """u(t, y), of n steps from `first` on."""
    xarray.Dataset({"u": (("t", "y"), np.arange(n * float(width)).reshape(n, width))},
                   {"t": first + np.arange(n, dtype="f8")}).to_netcdf(path, unlimited_dims=["t"])


class MapTest(CliTest):
    """A dataset that grew by no chunks, by a part of them, by several, along another axis, and again, in commits 2 to
    6."""

    def setUp(self):
        super().setUp()
        write_netcdf("a.nc", 0, 3)
        self.drx("import", "a.nc", "a", "--dataset")
        self.drx("copy", "a", "ds", "--chunk", "t=2,y=2")
        self.then = {1: self.maps()}
        for commit, first, n, axis, width in ((2, 3, 1, "t", 5), (3, 4, 1, "t", 5), (4, 5, 6, "t", 5),
                                              (5, 0, 11, "y", 4), (6, 11, 3, "t", 9)):
            write_netcdf("more.nc", first, n, width)
            self.drx("import", "more.nc", "ds", "--append", axis)
            self.then[commit] = self.maps()

    def maps(self, *options):
        self.drx("map", "ds/u", "-o", "map.svg", "--axes", "t,y", *options)
        with open("map.svg", encoding="utf-8") as file:
            picture = file.read()
        return [self.drx("map", "ds/u", *options), json.loads(self.drx("map", "ds/u", "--json", *options)), picture]

    def test_each_commit(self):
        for commit, then in self.then.items():
            self.assertEqual(self.maps("--commit", commit), then, commit)
        self.assertEqual(len({text for text, _, _ in self.then.values()}), 5)  # commit 2 fills the last chunks

    def test_chunks(self):
        self.assertEqual(self.drx("map", "ds/u", "--commit", 1, "--index", "1,2"), "5\n")
        self.fails(1, "map", "ds/u", "--commit", 1, "--index", "2,0", says="has 2 chunks")
        self.assertEqual(self.drx("map", "ds/u", "--commit", 3, "--address", 8), "2,2\n")
        self.fails(1, "map", "ds/u", "--commit", 1, "--address", 6, says="has 6 chunks")

    def test_refusals(self):
        self.fails(1, "map", "ds/u", "--commit", 7, says="ds")
        self.fails(1, "map", "ds/v", "--commit", 1, says="ds")
        self.drx("create", "alone", "--shape", "3,3")
        self.fails(1, "map", "alone", "--commit", 0, says="alone")


if __name__ == "__main__":
    unittest.main()
