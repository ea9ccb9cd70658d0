"""--keep-bits of import and copy: equal to netCDF's BitRound on the same input, and what is not rounded."""

import importlib.util
import re
import unittest

import numpy as np

from drx_cli import CliTest, need

need(importlib.util.find_spec("netCDF4"))

import netCDF4  # noqa: E402

BITS = 7


def make(path, bits=None):
    """Two variables, one with a fill value and some values between two that are kept; coordinates and bounds."""
    rng = np.random.default_rng(3)
    t = rng.normal(250, 30, (40, 50)).astype("f4")
    t.flat[::50] = np.round(t.flat[::50] * 4) / 4
    t[3, 4:9] = -999
    how = {"significant_digits": bits, "quantize_mode": "BitRound", "zlib": True} if bits else {}
    with netCDF4.Dataset(path, "w") as f:
        for name, n in (("lat", 40), ("lon", 50), ("two", 2)):
            f.createDimension(name, n)
        v = f.createVariable("t", "f4", ("lat", "lon"), fill_value=-999, **how)
        v.coordinates = "height"
        v[:] = t
        f.createVariable("y", "f8", ("lat", "lon"), **how)[:] = rng.normal(0, 1e-3, (40, 50))
        f.createVariable("n", "i2", ("lon",))[:] = np.arange(50)
        v = f.createVariable("lat", "f8", ("lat",))
        v.bounds = "lat_bounds"
        v[:] = np.arange(40) * 1.1
        f.createVariable("lat_bounds", "f8", ("lat", "two"))[:] = rng.normal(0, 1, (40, 2))
        f.createVariable("height", "f8", ("lat",))[:] = rng.normal(0, 1, 40)


class KeepBitsTest(CliTest):
    def setUp(self):
        super().setUp()
        make("plain.nc")
        make("round.nc", BITS)

    def assert_rounded(self, path, names):
        with netCDF4.Dataset("round.nc") as expected, netCDF4.Dataset(path) as got:
            for name in names:
                np.testing.assert_array_equal(np.ma.getdata(expected[name][:]), np.ma.getdata(got[name][:]), name)

    def assert_tells(self, text):
        found = re.search(r": rounded to 7 bits; the largest error is (\S+), the largest relative error (\S+)\n$", text)
        self.assertTrue(found, text)
        self.assertLessEqual(float(found[2]), 2 ** -(BITS + 1))
        self.assertGreater(float(found[1]), 0)

    def test_import(self):
        self.assert_tells(self.drx("import", "plain.nc:t", "t", "--keep-bits", BITS))
        self.drx("export", "t", "t.nc")
        self.assert_rounded("t.nc", ["t"])

    def test_append(self):
        self.drx("import", "plain.nc:y", "y", "--keep-bits", BITS)
        self.drx("import", "plain.nc:y", "y", "--append", "1", "--no-coords", "--force", "--keep-bits", BITS)
        self.drx("export", "y[:,50:]", "y.nc")
        self.assert_rounded("y.nc", ["y"])

    def test_dataset(self):
        everything = ["t", "y", "n", "lat", "lat_bounds", "height"]
        self.assert_tells(self.drx("import", "plain.nc", "rounded", "--keep-bits", BITS))
        self.drx("export", "rounded", "rounded.nc")
        self.assert_rounded("rounded.nc", everything)
        self.drx("import", "plain.nc", "whole")
        self.assert_tells(self.drx("copy", "whole", "copied", "--keep-bits", BITS))
        self.drx("export", "copied", "copied.nc")
        self.assert_rounded("copied.nc", everything)

    def test_copy(self):
        self.drx("import", "plain.nc:t", "whole")
        self.assert_tells(self.drx("copy", "whole", "t", "--chunk", "7,9", "--keep-bits", BITS))
        self.drx("export", "t", "t.nc:t")
        self.assert_rounded("t.nc", ["t"])
        self.assert_tells(self.drx("copy", "plain.nc:t", "direct.nc", "--keep-bits", BITS))
        self.assert_rounded("direct.nc", ["t"])

    def test_refusals(self):
        for code, source, bits, says in (
                (1, "plain.nc:n", BITS, "has elements of int16; --keep-bits rounds"),
                (1, "plain.nc:t", 24, "has elements of float32; --keep-bits rounds"),
                (2, "plain.nc:t", 0, "--keep-bits"), (2, "plain.nc:t", 53, "--keep-bits"),
                (2, "plain.nc:t", "x", "--keep-bits")):
            self.fails(code, "import", source, "new", "--keep-bits", bits, says=[says])
            self.fails(code, "copy", source, "new", "--keep-bits", bits, says=[says])


if __name__ == "__main__":
    unittest.main()
