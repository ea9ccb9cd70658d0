"""drx import --append of whole files: what they must agree in, and what overlaps or leads up to what is stored."""

import json

import numpy as np

from nc_dataset import DatasetTest, change, make

import netCDF4
import xarray


class Appending(DatasetTest):
    def setUp(self):
        super().setUp()
        make("a.nc", 3, 0)
        make("b.nc", 2, 3)
        self.drx("import", "a.nc", "ds")

    def stored(self, name):
        return self.whole("ds/" + name)

    def refuses(self, says, *changes, words=()):
        """It says so and leaves all as it was."""
        change("b.nc", *changes)
        before = self.drx("info", "ds"), self.drx("log", "ds"), self.stored("u").tolist()
        self.fails(1, "import", "b.nc", "ds", "--append", "time", *words, says=says)
        self.assertEqual((self.drx("info", "ds"), self.drx("log", "ds"), self.stored("u").tolist()), before)

    def test_meaning(self):
        """Another reference date, other packing and another fill are stored as the dataset has them."""
        def other(file):
            file["time"].units = "hours since 2001-01-04 12:00"
            file["time"][:] = [-12, 12]
            file["v"].scale_factor = 0.25
            file["v"][:] = np.arange(8).reshape(2, 4) * 2
        change("b.nc", other)
        self.drx("import", "b.nc", "ds", "--append", "time")
        self.assertEqual(self.stored("time").tolist(), [0, 1, 2, 3, 4])
        self.assertEqual(self.stored("v")[3:].ravel().tolist(), list(range(8)))

    def test_bounds(self):
        """They have the units of their coordinate."""
        for name, first, units in [("a.nc", 0, "days since 2001-01-01"), ("b.nc", 1, "days since 2001-01-03")]:
            with netCDF4.Dataset(name, "w") as file:
                file.createDimension("time", None)
                file.createDimension("nv", 2)
                time = file.createVariable("time", "f8", ("time",))
                time.setncatts({"units": units, "bounds": "time_bnds"})
                time[:] = [0.5, 1.5]
                file.createVariable("time_bnds", "f8", ("time", "nv"))[:] = [[0, 1], [1, 2]]
        self.drx("import", "a.nc", "new", "--dataset")
        self.drx("import", "b.nc", "new", "--append", "time")
        self.assertEqual(self.whole("new/time").tolist(), [0.5, 1.5, 2.5, 3.5])
        self.assertEqual(self.whole("new/time_bnds").tolist(), [[0, 1], [1, 2], [2, 3], [3, 4]])

    def test_text(self):
        """Longer strings lengthen the axis of their bytes; a dimension that grew is unlimited."""
        for name, texts in [("a.nc", ["a", "bc"]), ("b.nc", ["longer", ""])]:
            with netCDF4.Dataset(name, "w") as file:
                file.createDimension("n", 2)
                file.createVariable("name", str, ("n",))[:] = np.array(texts, object)
                file.createVariable("code", "S1", ("n",))[:] = np.array(["x", "y"], "S1")
                file.createVariable("title", str, ())[...] = "whole"
        self.drx("import", "a.nc", "new")
        self.drx("import", "b.nc", "new", "--append", "n")
        self.drx("export", "new", "out.nc")
        with netCDF4.Dataset("out.nc") as file:
            self.assertTrue(file.dimensions["n"].isunlimited())
            self.assertEqual(file["name"][:].tolist(), ["a", "bc", "longer", ""])
            self.assertEqual(file["code"][:].tolist(), [b"x", b"y", b"x", b"y"])
        change("b.nc", lambda file: file["title"].__setitem__(..., "half"))
        self.fails(1, "import", "b.nc", "new", "--append", "n",
                   says="b.nc:title: its text differs from that of the dataset")

    def test_before(self):
        """What leads up to the first coordinate goes before it: the dimension grows at its low end."""
        make("b.nc", 2, -2)
        self.drx("import", "b.nc", "ds", "--append", "time")
        self.assertEqual(self.stored("time").tolist(), [-2, -1, 0, 1, 2])
        self.assertIn("    time from 0 \u2192 -2\n", self.drx("log", "ds", "-n", "1"))
        self.assertIn("time = UNLIMITED ; // (5 currently), the first index is -2\n", self.drx("info", "ds"))
        self.drx("export", "ds", "out.nc")
        with xarray.open_dataset("a.nc") as a, xarray.open_dataset("b.nc") as b, xarray.open_dataset("out.nc") as out:
            xarray.testing.assert_identical(xarray.concat([b, a], "time", data_vars="minimal").load(), out.load())
        self.drx("export", "ds", "first.nc", "--at", "1")
        self.assert_same_files("a.nc", "first.nc")
        self.drx("copy", "ds", "copied")
        self.drx("export", "copied", "again.nc")
        self.assert_same_files("out.nc", "again.nc")
        make("b.nc", 2, 3)
        self.drx("import", "b.nc", "ds", "--append", "time")
        self.assertEqual(self.stored("time").tolist(), list(range(-2, 5)))
        self.assertEqual(self.drx("read", "ds/u[time=2000-12-31]"), self.drx("read", "ds/u[1]"))

    def test_overlap_before(self):
        make("b.nc", 4, -2)
        old = self.stored("u")
        with netCDF4.Dataset("b.nc") as file:
            new = np.ma.getdata(file["u"][:])
        self.refuses("stored already at index 0")
        self.drx("import", "b.nc", "ds", "--append", "time", "--overlap", "skip")
        self.assert_same(self.stored("u"), np.concatenate([new[:2], old]))
        make("b.nc", 5, -4)
        with netCDF4.Dataset("b.nc") as file:
            newer = np.ma.getdata(file["u"][:])
        self.drx("import", "b.nc", "ds", "--append", "time", "--overlap", "replace")
        self.assert_same(self.stored("u"), np.concatenate([newer, old[1:]]))
        self.assertEqual(self.stored("time").tolist(), list(range(-4, 3)))

    def test_overlap(self):
        make("b.nc", 4, 1)
        self.refuses("time")
        self.fails(2, "import", "b.nc", "ds", "--append", "time", "--overlap", "sometimes", says="--overlap")
        old = self.stored("u")
        with netCDF4.Dataset("b.nc") as file:
            new = np.ma.getdata(file["u"][:])
        self.drx("import", "b.nc", "ds", "--append", "time", "--overlap", "skip")
        self.assertEqual(self.stored("time").tolist(), [0, 1, 2, 3, 4])
        self.assert_same(self.stored("u"), np.concatenate([old, new[2:]]))
        self.drx("import", "b.nc", "ds", "--append", "time", "--overlap", "skip")
        self.assertEqual(len(json.loads(self.drx("log", "ds", "--json"))), 3)
        self.drx("import", "b.nc", "ds", "--append", "time", "--overlap", "replace")
        self.assert_same(self.stored("u"), np.concatenate([old[:1], new]))

    def test_refused(self):
        def set_to(name, values):
            return lambda file: file[name].__setitem__(..., values)

        def unit(name, value):
            return lambda file: file[name].setncattr("units", value)

        self.refuses("2001-01-03", set_to("time", [2, 3]))
        change("b.nc", set_to("time", [3, 4]))
        self.refuses("lat", set_to("lat", [0, 1, 2, 3.5]))
        change("b.nc", set_to("lat", [0, 1, 2, 3]))
        self.refuses("time", lambda file: file["time"].setncattr("calendar", "noleap"))
        change("b.nc", lambda file: file["time"].delncattr("calendar"))
        self.refuses("b.nc:time", unit("time", "m"))
        change("b.nc", unit("time", "days since 2001-01-01"))
        self.refuses("b.nc:v", lambda file: file["v"].setncattr("scale_factor", 1e6))
        change("b.nc", lambda file: file["v"].setncattr("scale_factor", 0.5))
        self.refuses("b.nc: has variables that the dataset lacks: w",
                     lambda file: file.createVariable("w", "f4", ("time",)))
        make("b.nc", 2, 3)
        change("b.nc", lambda file: file.renameVariable("u", "w"))
        self.refuses("b.nc: lacks variables of the dataset: u")
        self.all_fail(1, "import", "a.nc", "ds", "--append", cases={"depth": "ds: has no dimension 'depth'"})
        self.all_fail(2, "import", "a.nc", "ds", "--append", "time", cases={
            "--coords": "--coords goes with one variable", "--checksum": "--checksum goes with a new array"})
        self.fails(2, "import", "a.nc:u", "u", "--overlap", "skip", says="--overlap goes with --append; give both")

    def test_unlike(self):
        for says, kind, dims in [("b.nc:u: holds float64, but float32 in ds", "f8", ("time", "lat")),
                                 ("b.nc:u: is transposed: its dimensions are lat, time, but time, lat in ds; turn them",
                                  "f4", ("lat", "time")),
                                 ("b.nc:u: dimension 1 is 'x', but 'lat' in ds", "f4", ("time", "x")),
                                 ("b.nc:u: has 1 dimensions, but 2 in ds", "f4", ("time",)),
                                 ("b.nc:u: dimension 'lat' has 5 indices, but 4 in ds", "f4", ("time", "lat"))]:
            with netCDF4.Dataset("b.nc", "w") as file:
                file.createDimension("time", None)
                file.createDimension("lat", 5 if "5 indices" in says else 4)
                file.createDimension("x", 4)
                for name in ("u", "v", "time"):
                    file.createVariable(name, kind if name == "u" else "i2" if name == "v" else "f8",
                                        dims if name == "u" else ("time", "lat") if name == "v" else ("time",))
                file["time"].units = "days since 2001-01-01"
            with self.subTest(says):
                self.refuses(says)
