"""The program drx: import of netCDF variables."""

import os
import signal
import struct
import unittest

import numpy as np

import nc_file
from drx_cli import CliTest, has_nameless_file, names, need, sample

need(nc_file.LIBRARY)

FERRET = "/usr/share/ferret-vis/data/monthly_navy_winds.cdf"


class Import(CliTest):
    def make(self, array, dims=None, name="u", flags=nc_file.NETCDF4, **attributes):
        with nc_file.NcFile("in.nc", flags) as nc:
            nc.array(name, array, dims or "abcdefgh"[:array.ndim], **attributes)

    def test_types(self):
        for dtype in nc_file.TYPES:
            array = sample((5, 4, 3), dtype)
            self.make(array)
            self.assertEqual(self.drx("import", "in.nc:u", "a", "--force"), "")
            self.assert_info("a", type=dtype, shape=[5, 4, 3], dims=["a", "b", "c"], attrs={}, history=[], fill=0)
            self.assert_same(self.whole("a"), array)

    def test_formats(self):
        array = sample((3, 4), "float64")
        for flags in (nc_file.CLASSIC, nc_file.OFFSET64, nc_file.CDF5, nc_file.NETCDF4, nc_file.NETCDF4_CLASSIC):
            self.make(array, flags=flags)
            self.drx("import", "in.nc:u", "a", "--force")
            self.assert_same(self.whole("a"), array)

    def test_dimensions(self):
        for ndim in range(1, 6):
            array = sample([4, 3, 5, 2, 3][:ndim], "int16")
            self.make(array)
            self.drx("import", "in.nc:u", "a", "--force", "--order", "CF"[ndim % 2], "--chunk", [2] * ndim)
            self.assert_info("a", chunk=[2] * ndim, order="CF"[ndim % 2])
            self.assert_same(self.whole("a"), array)
        self.drx("import", "in.nc:u", "a", "--force", "--dims", "x,,z,,länge")
        self.assertEqual(self.info("a")["dims"], ["x", None, "z", None, "länge"])

    def test_fill(self):
        nan = struct.unpack("<f", b"\x01\x02\xc0\x7f")[0]
        for dtype, value in (("int16", -999), ("float32", 1e20), ("float64", -9.99e33), ("float64", -0.0),
                             ("uint64", 2**64 - 1), ("float32", nan)):
            fill = np.array(value, dtype)
            array = np.array([[1, 2], [fill, 3]], dtype)
            self.make(array, _FillValue=fill, missing_value=np.array(5, dtype), units=b"K")
            self.drx("import", "in.nc:u", "a", "--force")
            self.assertEqual(self.info("a")["attrs"], {"missing_value": 5, "units": "K"})
            self.drx("extend", "a", 0, 1)
            self.assert_same(self.whole("a"), np.concatenate([array, np.full((1, 2), fill)]))
        self.assertIn("_", self.drx("read", "a"))

    def test_damaged_source(self):
        self.make(sample((100, 1000), "float64"))
        os.truncate("in.nc", 400000)
        self.assertEqual(self.run_drx("import", "in.nc:u", "a").returncode, 1)
        self.assertEqual(os.listdir(), ["in.nc"])

    def test_many_slabs(self):
        array = np.arange(40 << 20, dtype=np.int32).reshape(40, 1024, 1024)  # 160 MiB
        self.make(array, flags=0)
        for chunk in ("1,1024,1024", "40,32,100", "30,1000,30"):
            self.drx("import", "in.nc:u", "a", "--chunk", chunk, "--force")
            self.assert_large("a", array)

    def test_interrupted(self):
        with nc_file.NcFile("in.nc", nc_file.CDF5) as nc:
            nc.no_fill()
            nc.var("u", "int8", [nc.dim("y", 2000), nc.dim("x", 1 << 20)])
        os.truncate("in.nc", 2000 << 20 | 4096)  # sparse
        self.drx("create", "old", "--shape", "5")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            for path, option in (("a", []), ("old", ["--force"])):
                self.interrupted(number, "import", "in.nc:u", path, *option, begun=has_nameless_file)
                self.assertEqual(names(), ["in.nc", "old.xmd", "old.xta"])
                self.assert_info("old", shape=[5])

    @unittest.skipUnless(os.path.exists(FERRET), "the data of Ferret are not installed")
    def test_navy_winds(self):
        self.drx("import", FERRET + ":UWND", "u")
        info = self.info("u")
        self.assertEqual((info["shape"], info["type"], info["dims"]),
                         ([132, 73, 144], "float32", ["TIME", "FNOCY", "FNOCX"]))
        self.assertEqual(info["fill"], -99.9)
        self.assertEqual(info["attrs"], {"missing_value": -99.9, "long_name": "ZONAL WIND",
                                         "history": "From monthly_navy_winds", "units": "M/S"})
        self.assert_same(self.whole("u"), nc_file.read(FERRET, "UWND", (132, 73, 144), "float32"))
        self.fails(2, "import", FERRET, "v", "--coords", says="--coords goes with one variable; give SOURCE:VARIABLE")
