"""Commits of datasets on the command line: appended, trimmed, told, and shown as they were."""

import glob
import json
import os
import shutil
import unittest

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

    def test_append(self):
        """All variables grow, in one commit; the file that comes out is both files."""
        self.drx("import", "b.nc", "ds", "--append", "time")
        self.assertEqual(self.stored("time").tolist(), [0, 1, 2, 3, 4])
        log = json.loads(self.drx("log", "ds", "--json"))
        self.assertEqual((log[0]["message"], log[0]["changes"]),
                         ("drx import b.nc ds --append time", [{"change": "bounds", "of": "dimension", "name": "time",
                                                              "lower_before": 0, "upper_before": 3,
                                                              "lower": 0, "upper": 5}]))
        self.assertIn("    time 3 → 5\n", self.drx("log", "ds", "-n", "1"))
        self.assertIn("\ttime = UNLIMITED ; // (5 currently)\n", self.drx("info", "ds"))
        self.drx("export", "ds", "out.nc")
        with xarray.open_dataset("a.nc") as a, xarray.open_dataset("b.nc") as b, xarray.open_dataset("out.nc") as out:
            xarray.testing.assert_identical(xarray.concat([a, b], "time", data_vars="minimal").load(), out.load())
        self.drx("export", "ds", "first.nc", "--at", "1")
        self.assert_same_files("a.nc", "first.nc")
        self.assertIn("(3 currently)", self.drx("info", "ds", "--at", "1"))

    def test_arrays_of_a_commit(self):
        """With its bounds, which negative indices count from."""
        self.drx("import", "b.nc", "ds", "--append", "time")
        for words in (["--commit", 1], ["--at", "0,0", "--commit", 1]):
            self.assert_same(self.whole("ds/u", *words), self.stored("u")[:3])
        self.assert_same(self.whole("ds/u[-1]", "--commit", 1), self.stored("u")[2])
        self.fails(1, "read", "ds/u[3]", "--commit", 1, says="index 3 is outside of axis 0 (time); give -3 to 2")
        self.fails(1, "read", "ds/u", "--commit", 3, says="ds/u")
        self.fails(1, "read", "ds/u", "--commit", 0, says="ds/u")
        self.drx("export", "ds/u", "u.nc", "--at", 1)
        with netCDF4.Dataset("u.nc") as file:
            self.assertEqual((file["u"].shape, file["time"][:].tolist()), ((3, 4), [0, 1, 2]))
        self.drx("view", "ds/u", "-o", "u.png", "--at", 1)
        for verb, path, *target in (("info", "ds"), ("export", "ds", "-"), ("view", "ds/u", "--terminal"), ("refs", "ds"),
                                    ("refs", "ds/u"), ("copy", "ds", "then")):  # both names of the option
            got = []
            for option in ("--commit", "--at"):
                to = [option[2:] + ".nc"] if target == ["-"] else target
                got.append(self.drx(verb, path, *to, option, 1))
                shutil.rmtree("then", ignore_errors=True)
            self.assertEqual(*got)
        self.assert_same_files("commit.nc", "at.nc")
        for words in (("read", "ds/u[-1]", "--at", 1), ("map", "ds/u", "--at", 1)):
            self.fails(2, *words, says="--commit N for a commit of a dataset")
        self.fails(1, "read", "ds/u", "--at", 1, says=("--at has 1 number; give 2", "--commit 1 for that commit"))
        self.drx("copy", "ds/u", "other")
        self.fails(1, "export", "other", "u.nc", "--at", 1, says="other")

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

    def test_trim(self):
        self.drx("import", "b.nc", "ds", "--append", "time")
        old = self.stored("u")
        self.drx("trim", "ds", "time", "--before", "2", "--after", "1")
        self.assertEqual(self.stored("time").tolist(), [2, 3])
        self.assert_same(self.stored("u"), old[2:4])
        log = self.drx("log", "ds", "-n", "1")
        for line in ("drx trim ds time --before 2 --after 1\n", "    time trimmed 5 \u2192 4\n",
                     "    time trimmed from 0 \u2192 2\n"):
            self.assertIn(line, log)
        self.fails(1, "export", "ds", "out.nc", "--at", "1", says="ds/time: axis 0: indices 0 to 2 were asked for, and 2 to 2 are left by a trim")
        self.fails(1, "trim", "ds", "time", "--before", "3", says=["ds: dimension 'time'", "it has 2"])
        self.fails(1, "trim", "ds", "depth", "--before", "3", says="ds: has no dimension 'depth'")
        self.fails(1, "trim", "ds/u", "time", "--before", "1", says="a variable of a dataset")
        make("b.nc", 2, 4)
        self.drx("import", "b.nc", "ds", "--append", "time")
        self.assertEqual(self.stored("time").tolist(), [2, 3, 4, 5])
        self.drx("check", "ds")
        self.drx("trim", "ds", "time", "--after", "1")
        self.assertIn("drx trim ds time --after 1\n", self.drx("log", "ds", "-n", "1"))

    def test_compact(self):
        """Compressed variables: what is out of use goes. The log keeps all commits."""
        self.drx("import", "b.nc", "ds", "--append", "time")
        for start in (5, 7, 9):
            make("b.nc", 2, start)
            self.drx("import", "b.nc", "ds", "--append", "time")
        self.drx("create", "noise", "--shape", "64,64", "--chunk", "64,64", "--type", "int32", "--codec", "zstd", "--dims", "y,x")
        self.drx("add", "ds", "packed", "noise", "--codec", "zstd")
        for seed in range(3):
            np.save("part.npy", np.random.default_rng(seed).integers(0, 1 << 30, (64, 64), "int32"))
            self.drx("write", "ds/packed", "--at", "0,0", "part.npy")
        old, log = self.stored("u"), self.drx("log", "ds")
        before = os.stat("ds/packed.xtz").st_blocks
        self.drx("compact", "ds/")
        self.assertLess(os.stat("ds/packed.xtz").st_blocks, before)
        self.assertEqual((self.drx("check", "ds"), self.drx("log", "ds")), ("ds: good\n", log))
        self.assert_same(self.whole("ds/packed"), np.load("part.npy"))
        self.drx("compact", *sorted(glob.glob("ds/*")))  # as a shell expands ds/*
        self.assert_same(self.stored("u"), old)
        self.assert_same(self.whole("ds/u", "--commit", 1), old[:3])

    def test_keep(self):
        """All but the last commits are forgotten; these stay as they are, with their numbers."""
        for start in (3, 5, 7):
            make("b.nc", 2, start)
            self.drx("import", "b.nc", "ds", "--append", "time")
        commits, old = json.loads(self.drx("log", "ds", "--json")), self.stored("u")
        self.drx("compact", "ds", "--keep", "9")
        self.assertEqual(json.loads(self.drx("log", "ds", "--json")), commits)
        self.drx("compact", "ds", "--keep", "2")
        self.assertEqual(json.loads(self.drx("log", "ds", "--json")), commits[:2])
        self.assertEqual(json.loads(self.drx("log", "ds", "-n", "1", "--json")), commits[:1])
        last = commits[0]["commit"]
        self.assert_same(self.whole("ds/u", "--commit", last - 1), old[:7])
        self.fails(1, "info", "ds", "--commit", last - 2, says=f"commit {last - 2} was forgotten: the oldest one is {last - 1}")
        self.assertEqual(self.drx("check", "ds"), "ds: good\n")
        self.fails(1, "compact", "ds/u", "--keep", "2", says="ds/u: no dataset")
        self.fails(2, "compact", "ds", "--keep", "0", says="--keep 0")

    def test_another_axis(self):
        """Runs of one field: no element moves, and an earlier commit has no such axis."""
        old = self.stored("u")
        for name in "uv":
            self.drx("add-axis", "ds/" + name, 0, "run")
        self.assert_same(self.stored("u"), old[None])
        self.assertIn("\tfloat u(run, time, lat) ;\n", self.drx("info", "ds"))
        self.assertIn("drx add-axis ds/v 0 run\n", self.drx("log", "ds", "-n", "1"))
        self.drx("export", "ds", "first.nc", "--at", "1")
        self.assert_same_files("a.nc", "first.nc")
        self.drx("export", "ds", "out.nc")
        with netCDF4.Dataset("out.nc") as file:
            self.assertEqual(file["u"].dimensions, ("run", "time", "lat"))
        self.fails(1, "add-axis", "ds/time", 2, "run", says="a new axis 2, expected 0 to 1")
        self.fails(1, "add-axis", "ds/u", 0, "run", says="has the dimension 'run' already")
        self.fails(1, "add-axis", "ds/u", 0, "lat", says="has the dimension 'lat' already")
        self.fails(1, "add-axis", "ds/time", 0, "lat", says="dimension 'lat' has the bounds 0 and 4")
        self.fails(1, "add-axis", "ds/w", 0, "x", says="ds: has no variable 'w'")

    def test_another_axis_and_compact(self):
        """A compacted log has growth inside a chunk after the new axis; earlier commits are those of before."""
        shutil.rmtree("ds")
        self.drx("import", "a.nc", "ds", "--dataset", "--grows", "time")
        self.drx("import", "b.nc", "ds", "--append", "time")
        self.drx("export", "ds", "two.nc")
        self.drx("add-axis", "ds/u", 0, "run")
        self.drx("compact", "ds")
        for commit, expected in ((1, "a.nc"), (2, "two.nc")):
            self.drx("export", "ds", f"then{commit}.nc", "--commit", commit)
            self.assert_same_files(expected, f"then{commit}.nc")
        self.assertEqual(self.whole("ds/u", "--commit", 1).shape, (3, 4))

    def test_what_is_no_variable(self):
        """Nothing is put into the folder of a dataset, and a variable whose files are lost goes."""
        self.drx("import", "b.nc", "new", "--dataset")
        for verb in "cp", "mv":
            self.fails(1, verb, "new", "ds", says="the folder ds is a dataset")
            self.fails(1, verb, "new", "ds", "--force", says="the folder ds is a dataset")
        os.remove("ds/u.xta")
        self.drx("rm", "ds/u")
        self.assertNotIn("u(", self.drx("info", "ds"))
        self.assertEqual(self.drx("check", "ds"), "ds: good\n")
        self.assertEqual(glob.glob("ds/u.*"), [])

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
                                 ("b.nc:u: is transposed: its dimensions are lat, time, but time, lat in ds; turn them", "f4",
                                  ("lat", "time")),
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


class Commits(DatasetTest):
    def test_folder_of_arrays(self):
        """It is no dataset. Coordinates that lie beside an array are its own."""
        make("in.nc")
        os.mkdir("folder")
        for name in "uv":
            self.drx("import", "in.nc:" + name, "folder/" + name, "--coords")
        for words in ("log", "folder"), ("export", "folder", "out.nc"):
            self.fails(1, *words, says="folder: is a folder, but not a dataset")
        self.drx("export", "folder/u", "out.nc")
        with netCDF4.Dataset("in.nc") as a, netCDF4.Dataset("out.nc") as b:
            for name in ("time", "lat", "u"):
                self.assertEqual(a[name][:].tolist(), b[name][:].tolist())
        os.mkdir("empty")
        self.fails(1, "export", "empty/", "out.nc", says="empty")

    def test_log(self):
        make("in.nc")
        self.drx("import", "in.nc", "ds")
        log = json.loads(self.drx("log", "ds", "--json"))
        self.assertEqual([(c["commit"], c["message"]) for c in log], [(1, "drx import in.nc ds"), (0, "created")])
        self.assertEqual({c["name"] for c in log[0]["changes"] if c["of"] == "variable"}, {"time", "lat", "u", "v"})
        self.assertRegex(self.drx("log", "ds/dataset.xds", "-n", "1"),
                         r"^commit 1  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d  drx import in\.nc ds\n"
                         r"    dimensions added: time 3, lat 4\n    variables added: time, lat, u, v\n    attribute set: :history\n$")
        self.drx("attr", "ds/u", "units=K", "long_name=wind")
        self.drx("attr", "ds/u", "--delete", "long_name")
        self.drx("add-axis", "ds/u", 1, "run")
        self.assertIn("variables:", self.drx("info", "ds", "--at", "1"))
        self.assertNotIn("variables:", self.drx("info", "ds/", "--at", "0"))
        self.drx("rm", "ds/v")
        told = self.drx("log", "ds", "-n", "4").splitlines()
        self.assertEqual([line for line in told if not line.startswith("commit")], [
            "    variable removed: v", "    dimension added: run 1", "    variable with a new axis: u 1 run",
            "    attribute deleted: u:long_name", "    attributes set: u:units, u:long_name"])
        axis = json.loads(self.drx("log", "ds", "--json", "-n", "2"))[1]["changes"][1]
        self.assertEqual(axis, {"change": "axis", "of": "variable", "name": "u", "other": "run", "axis": 1})
        self.fails(1, "info", "ds", "--at", "6", says="ds")
        self.drx("export", "ds", "none.nc", "--at", "0")
        with netCDF4.Dataset("none.nc") as file:
            self.assertEqual(list(file.variables), [])


if __name__ == "__main__":
    unittest.main()
