"""The program drx: import of netCDF variables."""

import importlib.util
import os
import shutil
import signal
import struct
import unittest

import numpy as np

import nc_file
from drx_cli import CliTest, has_nameless_file, names, need, sample

need(nc_file.LIBRARY, importlib.util.find_spec("netCDF4"))

import netCDF4  # noqa: E402

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

    def test_unlimited(self):
        with nc_file.NcFile("in.nc") as nc:
            dims = [nc.dim("time", 0), nc.dim("x", 3)]
            nc.var("empty", "float32", dims)
            grown = nc.var("grown", "float32", [nc.dim("record", 0), dims[1]])
            nc.end_define()
            nc.put(grown, np.ones((4, 3), "float32"))
        self.drx("import", "in.nc:grown", "a")
        self.assert_same(self.whole("a"), np.ones((4, 3), "float32"))
        self.drx("import", "in.nc:empty", "b")
        self.assertEqual(self.info("b")["shape"], [0, 3])
        self.drx("extend", "b", "time", 2)

    def chunked(self, shape, chunk=None, unlimited=(), name="u", more=()):
        """in.nc with a variable of float32, in those chunks."""
        with netCDF4.Dataset("in.nc", "w") as file:
            for dim, n in zip("tyx", shape):
                file.createDimension(dim, None if dim in unlimited else n)
            for variable in (name, *more):
                file.createVariable(variable, "f4", tuple("tyx")[:len(shape)], contiguous=not (chunk or unlimited),
                                    **{"chunksizes": chunk} if chunk else {})[:] = np.zeros(shape, "f4")

    def test_chunks_of_the_source(self):
        """Those of the file are kept if they have a good size and are full; others are chosen."""
        for shape, chunk, expected in (
                ((132, 73, 144), None, [66, 73, 48]), ((132, 73, 144), (1, 73, 144), [1, 73, 144]),
                ((132, 73, 144), (33, 37, 72), [33, 37, 72]), ((132, 73, 144), (1, 1, 144), [66, 73, 48]),
                ((132, 73, 144), (24, 64, 144), [66, 73, 48]), ((12, 46, 72), None, [12, 46, 72]),
                ((12, 46, 72), (1, 46, 72), [12, 46, 72])):
            self.chunked(shape, chunk)
            self.drx("import", "in.nc:u", "a", "--force")
            self.assert_info("a", chunk=expected)
            self.drx("import", "in.nc", "ds", "--dataset")
            self.assert_info("ds/u", chunk=expected)
            shutil.rmtree("ds")

    def test_chunks_that_grow(self):
        """An unlimited dimension, and --grows, give small arrays room along it."""
        for unlimited, grows, expected in (("", "", [2, 23, 11]), ("t", "", [64, 23, 11]), ("", "t", [64, 23, 11]),
                                           ("", "0", [64, 23, 11]), ("", "x", [2, 23, 356]), ("ty", "", [10, 115, 11])):
            self.chunked((2, 23, 11), (1, 23, 11) if unlimited else None, unlimited)
            self.drx("import", "in.nc:u", "a", "--force", *(["--grows", grows] if grows else []))
            self.assert_info("a", chunk=expected)
            if grows != "0":
                self.drx("import", "in.nc", "ds", "--dataset", *(["--grows", grows] if grows else []))
                self.assert_info("ds/u", chunk=expected)
                shutil.rmtree("ds")
        self.fails(2, "import", "in.nc:u", "b", "--grows", "z", says="--grows: there is no axis 'z'")
        self.fails(2, "import", "in.nc:u", "b", "--grows", "3", says="numbers from 0 to 2")
        self.fails(2, "import", "in.nc", "b", "--dataset", "--grows", "z", says="--grows: in.nc has no dimension 'z'")
        self.fails(2, "import", "in.nc:u", "a", "--append", "t", "--grows", "t", says="--grows goes with a new array")

    def test_a_small_file_stays_small(self):
        """25 variables of 12 months, whose dimension is unlimited."""
        self.chunked((12, 46, 72), (1, 46, 72), "t", more=[f"v{i}" for i in range(24)])
        self.drx("import", "in.nc", "ds")
        stored = sum(os.path.getsize(os.path.join("ds", name)) for name in os.listdir("ds"))
        self.assertLess(stored, 1.05 * 25 * 12 * 46 * 72 * 4)

    def test_attributes(self):
        values = {"units": b"m s-1", "empty": b"", "nul": b"abc\0\0", "latin": b"\xb0C \xfc",
                  "utf8": "°C 日本".encode(), "string": "wörter", "strings": ["one", "", "three"],
                  "quoted": b'a "b" \\ c\n\t\x1b[1m\x7f', "long": b"x" * 5000}
        texts = {"units": "m s-1", "empty": "", "nul": "abc", "latin": "°C ü", "utf8": "°C 日本",
                 "string": "wörter", "strings": "one\n\nthree", "quoted": 'a "b" \\ c\n\t\x1b[1m\x7f',
                 "long": "x" * 5000}
        numbers = {"one": np.int32(7), "many": np.arange(20, dtype="int16"), "single": np.float32([0.1, 1, 1e20]),
                   "double": np.array([np.nan, np.inf, -np.inf, -0.5]), "uint": np.uint64(2**64 - 1),
                   "int": np.int64([-2**63, 2**63 - 1]), "byte": np.int8(-1), "ubyte": np.uint8(255)}
        self.make(sample((3,), "int32"), **values, **numbers)
        self.drx("import", "in.nc:u", "a", warns="in.nc:u: attribute strings is a list of 3 strings; the array keeps it as a text")
        attrs = self.info("a")["attrs"]
        self.assertEqual(list(attrs), [*values, *numbers])
        for key, text in texts.items():
            self.assertEqual(attrs[key], text)
        self.assertEqual(attrs["one"], 7)
        self.assertEqual(attrs["many"], list(range(20)))
        self.assertEqual(np.array(attrs["single"], "float32").tolist(), numbers["single"].tolist())
        self.assertEqual(attrs["double"], ["NaN", "Infinity", "-Infinity", -0.5])
        self.assertEqual((attrs["uint"], attrs["int"]), (2**64 - 1, [-2**63, 2**63 - 1]))
        self.assertEqual((attrs["byte"], attrs["ubyte"]), (-1, 255))
        text = self.drx("info", "a")
        for line in ('  units             "m s-1"', '  latin             "°C ü"', "  one               7  (int32)",
                     "  single            0.1 1 1e+20  (float32)", '  strings           "one\\n\\nthree"',
                     "  many              0 1 2 3 4 5 6 7 … (20 values)  (int16)"):
            self.assertIn(line + "\n", text)
        self.assertIn("… (5000 bytes)", text)
        self.assertNotIn("\x1b", text)

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

    def test_another_fill(self):
        """Missing elements stay missing."""
        array = np.array([[1, 2], [-999, 3]], "float32")
        self.make(array, _FillValue=np.float32(-999), units=b"K")
        self.drx("import", "in.nc:u", "a", "--fill", "nan")
        self.assertEqual(self.info("a")["attrs"], {"units": "K"})
        self.assertEqual(self.drx("read", "a").split(), ["1", "2", "_", "3"])
        self.drx("export", "a", "out.nc")
        self.drx("import", "out.nc:a", "b")
        self.assertEqual((self.info("b")["fill"], self.drx("read", "b").split()), ("NaN", ["1", "2", "_", "3"]))

    def test_missing_value_only(self):
        for kind, dtype, fill in (("float32", "float32", -99.9), ("float32", "float64", -99.9),
                                  ("float64", "int16", -99),
                                  ("int16", "float32", -99), ("float64", "float32", 1e20)):
            value = np.array([fill, 3], kind)
            self.make(np.ones(2, dtype), missing_value=value)
            self.drx("import", "in.nc:u", "a", "--force",
                     warns="drx import: warning: in.nc:u: missing_value has 2 values; the first is the fill value\n")
            self.assertEqual(self.info("a")["attrs"]["missing_value"][1], 3)
            self.drx("extend", "a", 0, 1)
            self.assert_same(self.whole("a")[2:], np.array([value[0]]).astype(dtype))

    def test_missing_value_that_does_not_fit(self):
        self.make(np.ones(2, "int16"), missing_value=np.float32(1e20))
        self.drx("import", "in.nc:u", "a", warns="warning: in.nc:u: missing_value is not a value of type int16")
        self.assertEqual((self.info("a")["fill"], self.info("a")["attrs"]), (0, {"missing_value": 1e20}))
        self.make(np.ones(2, "int16"), missing_value=b"none")
        self.drx("import", "in.nc:u", "a", "--force")
        self.assertEqual((self.info("a")["fill"], self.info("a")["attrs"]), (0, {"missing_value": "none"}))

    def test_names(self):
        array = sample((2, 3), "int32")
        self.make(array, dims=["länge", "breite mit raum"], name="größe:1")
        os.rename("in.nc", "file: ä.nc")
        self.drx("import", "file: ä.nc:größe:1", "feld ä")
        self.drx("import", "file: ä.nc", "b")
        self.assertEqual(self.info("b/größe:1")["dims"], ["länge", "breite mit raum"])
        self.assertEqual(self.info("feld ä")["dims"], ["länge", "breite mit raum"])
        self.assert_same(self.whole("feld ä"), array)

    def test_choice_of_the_variable(self):
        with nc_file.NcFile("in.nc") as nc:
            nc.array("x", np.arange(3.0), ["x"])
            nc.var("crs", "int32")
            inner = nc.group("ocean").group("deep")
            inner.array("temp", np.ones((2, 3)), ["y", "x"])
        self.fails(1, "import", "in.nc", "a", says="in.nc: has the group 'ocean'; a dataset has no groups")
        for name in ("ocean/deep/temp", "/ocean/deep/temp"):
            self.drx("import", "in.nc:" + name, "a", "--force")
        self.drx("import", "in.nc:x", "b")
        self.assert_same(self.whole("b"), np.arange(3.0))
        for name in ("temp", "/ocean/temp", "ocean/deep/", "ocean", "nothing/temp", "", "/"):
            self.fails(1, "import", "in.nc:" + name, "c",
                       says=["in.nc: no variable '" + name, "; give one of ocean/deep/temp"])
        self.fails(1, "import", "in.nc:crs", "c", says=["in.nc:crs: has 0 dimensions, expected 1 to 32"])
        with nc_file.NcFile("in.nc", 0) as nc:
            nc.array("u", np.ones((2, 3)), "yx")
            nc.array("v", np.ones((2, 3)), "yx")
        self.fails(1, "copy", "in.nc", "c", says=["in.nc: has 2 variables; give SOURCE:NAME with one of u, v\n"])
        self.fails(1, "import", "in.nc:group/u", "c", says=["no variable 'group/u'"])
        with nc_file.NcFile("in.nc", 0) as nc:
            nc.array("x", np.arange(3.0), ["x"])
        self.fails(1, "copy", "in.nc", "c", says=["in.nc: has no variable"])
        self.assertFalse(os.path.exists("c.xmd"))

    def test_types_that_cannot_be(self):
        with nc_file.NcFile("in.nc") as nc:
            dim = nc.dim("x", 3)
            nc.var("string", nc_file.STRING, [dim])
            nc.var("enum", nc.enum("color", {"red": 1}), [dim])
            u = nc.var("u", "int32", [dim])
            nc.att_raw(u, "kind", nc.enum("size", {"small": 1}), np.int32(1))
            nc.att(u, "units", b"K")
        for name, kind in (("string", "string"), ("enum", "color")):
            self.fails(1, "import", "in.nc:" + name, "a", says=[f"in.nc:{name}: has type {kind}, not"])
        self.drx("import", "in.nc:u", "a", warns="warning: in.nc:u: attribute kind holds enumerated names and is left out")
        self.assertEqual(self.info("a")["attrs"], {"units": "K"})

    def test_errors(self):
        self.make(np.ones((2, 3)))
        self.drx("create", "old", "--shape", "5")
        self.fails(1, "import", "no.nc:u", "a", says=["no.nc:u: no such file"])
        self.fails(1, "import", "old.xmd:u", "a",
                   says=["old.xmd: import does not know this kind of file; give", "--raw"])
        os.mkdir("folder")
        self.fails(1, "import", "folder", "a", says=["folder: is a folder without files of netCDF or HDF5"])
        os.rmdir("folder")
        self.fails(1, "import", "in.nc:u", "old", says=["old.xmd: exists already", "--force"])
        self.assertEqual(self.info("old")["shape"], [5])
        self.fails(1, "import", "in.nc:u", "no/a", says=["no/a"])
        self.fails(1, "import", "in.nc:u", "a", "--chunk", "2", says=["--chunk has 1 numbers; give 2"])
        self.fails(1, "import", "in.nc:u", "a", "--dims", "x", says=["--dims has 1 names; give 2"])
        self.fails(2, "import", "in.nc:u", "a", "--chunk", "0,1", says=["--chunk '0,1'"])
        self.fails(2, "import", "in.nc:u", "a", "--order", "X", says=["--order 'X'"])
        self.assertEqual(names(), ["in.nc", "old.xmd", "old.xta"])
        self.drx("import", "in.nc:u", "old", "--force")
        self.assertEqual(self.info("old")["shape"], [2, 3])

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
