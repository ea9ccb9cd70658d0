"""Groups of datasets on the command line: paths of variables, dimensions and groups in all verbs."""

import importlib.util
import json
import os
import shutil
import subprocess

import numpy as np

import drx_cli
from drx_cli import CliTest, names, need

need(importlib.util.find_spec("netCDF4"))

import netCDF4  # noqa: E402

INFO = """dimensions:
	time = UNLIMITED ; // (4 currently)
	x = 3 ;
variables:
	double time(time) ; // 2001-01-01 … 2001-01-04
		time:units = "days since 2001-01-01" ;
	double x(x) ;
	float t(time, x) ;
		t:units = "K" ;

// global attributes:
		:title = "root" ;

group: g {
  dimensions:
  	x = 5 ;
  variables:
  	double x(x) ;
  	int a(time, x) ;
  		a:units = "m" ;
  	float r(time, /x) ;
  		r:units = "K" ;

  // group attributes:
  		:source = "argo" ;

  group: h {
    dimensions:
    	n = 2 ;
    variables:
    	double b(time, n) ;
    } // group /g/h

  group: empty {
    dimensions:
    	n = 2 ;
    } // group /g/empty
  } // group /g
}
"""
A, B = np.arange(20, dtype="i4").reshape(4, 5), np.arange(8.0).reshape(4, 2)


def write_netcdf(path, extent, name, dtype, units):
    """name(time, x) with both coordinates."""
    with netCDF4.Dataset(path, "w") as ds:
        ds.createDimension("time", None)
        ds.createDimension("x", extent)
        time = ds.createVariable("time", "f8", ("time",))
        time.units = "days since 2001-01-01"
        time[:] = np.arange(4)
        ds.createVariable("x", "f8", ("x",))[:] = np.arange(extent) * 10 / extent
        v = ds.createVariable(name, dtype, ("time", "x"))
        v.units = units
        v[:] = np.arange(4 * extent).reshape(4, extent)
        ds.title = "root"


class GroupsTest(CliTest):
    def setUp(self):
        """ds: t(time, x), g/a(time, g/x), g/r(time, /x), g/h/b(time, n), and an empty group."""
        super().setUp()
        write_netcdf("t.nc", 3, "t", "f4", "K")
        write_netcdf("a.nc", 5, "a", "i4", "m")
        np.save("b.npy", B)
        self.drx("import", "t.nc", "ds")
        self.drx("add", "ds", "g/x", "a.nc:x", "--dims", "/g/x")
        self.drx("add", "ds", "g/a", "a.nc:a")
        self.drx("add", "ds", "g/r", "t.nc:t", "--dims", "time,/x")
        self.drx("add", "ds", "g/h/b", "b.npy", "--dims", "time,n")
        self.drx("add", "ds", "g/empty/e", "b.npy", "--dims", "time,n")
        self.drx("rm", "ds/g/empty/e")
        self.drx("attr", "ds/g", "source=argo")

    def tree(self, path="ds"):
        return self.drx("info", path).split("\n", 1)[1]

    def last_commit(self, path="ds"):
        return self.drx("log", path, "-n", "1").splitlines()

    def unchanged(self, before):
        self.assertEqual(self.drx("log", "ds"), before)


class Shown(GroupsTest):
    def test_info(self):
        self.assertEqual(self.tree(), INFO)
        group = self.drx("info", "ds/g/")
        self.assertIn("dataset ds, group /g {", group)
        self.assertEqual(group.count("double b(time, n) ;"), 1)
        self.assertNotIn("float t(", group)
        info = json.loads(self.drx("info", "ds", "--json"))
        self.assertEqual(info["groups"], {"g": {"attrs": {"source": "argo"}}, "g/h": {"attrs": {}},
                                          "g/empty": {"attrs": {}}})
        self.assertEqual(info["variables"]["g/r"]["dims"], ["time", "x"])
        self.assertEqual(info["variables"]["g/a"]["dims"], ["time", "g/x"])
        self.assertEqual(set(info["dims"]), {"time", "x", "g/x", "g/h/n", "g/empty/n"})
        self.assertIn("g/h/b", self.drx("info", "-r", "ds"))
        for verb in ("refs", "check", "map", "log", "read"):
            self.fails(1, verb, "ds/g", says="ds/g: is a group of the dataset ds")

    def test_read(self):
        """A coordinate is that of the dimension, whatever is nearer."""
        self.assert_same(self.whole("ds/g/a"), A)
        self.assertEqual(self.drx("read", "ds/g/a[x=2, time=2001-01-02]"), "6\n")
        self.assertEqual(self.drx("read", "ds/g/r[x=3.3, time=2001-01-03]"), "7\n")
        self.assertIn("x                 0 … 8", self.drx("info", "ds/g/a"))
        self.fails(1, "read", "ds/g/aa", says="did you mean ds/g/a?")
        self.assertTrue(self.drx("view", "ds/g/a", "--terminal"))
        self.assertTrue(self.drx("map", "ds/g/a"))

    def test_log(self):
        log = self.drx("log", "ds")
        self.assertIn("groups added: g/h\n", log.replace("group added", "groups added"))
        self.assertIn("attribute set: g:source", log)
        self.drx("attr", "ds", "--dimension", "time", "axis=T")
        self.assertIn("attribute set: dimension time:axis", self.drx("log", "ds"))
        self.assertIn('\t\t// time:axis = "T" ;', self.drx("info", "ds"))
        self.assertEqual(json.loads(self.drx("log", "ds", "--json"))[0]["changes"],
                         [{"change": "attribute set", "of": "dimension", "name": "time", "other": "axis"}])


class Changed(GroupsTest):
    def test_rename(self):
        self.drx("rename", "ds", "g/a", "g/aa")
        self.assertEqual(self.last_commit()[1], "    variable renamed: g/a → g/aa")
        self.assert_same(self.whole("ds/g/aa"), A)
        self.fails(1, "read", "ds/g/a", says="no such array")
        self.fails(1, "info", "ds/g/a", says="no such array")
        self.fails(1, "rm", "ds/g/a", says="no such array")
        self.drx("rename", "ds", "g", "k", "--group")
        self.assert_same(self.whole("ds/k/aa"), A)
        self.assertIn("group: k {", self.tree())
        self.assertEqual(self.drx("check", "ds"), "ds: good\n")
        commit = json.loads(self.drx("info", "ds", "--json"))["commit"]
        self.drx("copy", "ds/g/aa", "then", "--commit", commit - 1)
        self.assert_same(self.whole("then"), A)
        self.assertIn("k/h/b", self.drx("info", "-r", "ds"))

    def test_rename_a_coordinate(self):
        """Both parts in one commit; the dimension stays unlimited; an option chooses one."""
        self.drx("rename", "ds", "time", "when")
        self.assertEqual(self.last_commit()[1:],
                         ["    dimension renamed: time → when", "    variable renamed: time → when"])
        self.assertIn("\twhen = UNLIMITED", self.tree())
        self.assertIn("int a(when, x) ;", self.tree())
        self.assertEqual(self.drx("read", "ds/g/a[x=2, when=2001-01-02]"), "6\n")
        self.drx("rename", "ds", "when", "time", "--dimension")
        self.assertIn("double when(time)", self.tree())

    def test_rename_refused(self):
        before = self.drx("log", "ds")
        self.all_fail(1, "rename", "ds", cases={
            ("g/a", "a"): "it stays in its group", ("t", "x"): "has a variable 'x'",
            ("no", "b"): "has no variable, dimension or group 'no'", ("g", "t"): "has a variable 't'",
            ("g/a", "g/.a"): "no dot in front", ("t", "tt", "--group"): "has no group 't'"})
        self.fails(2, "rename", "ds", "t", "b", "--group", "--variable", says="exclude each other")
        self.fails(1, "rename", "b.npy", "t", "b", says="b.npy: is a .npy file")
        self.unchanged(before)
        self.drx("rename", "ds", "g/h/n", "g/h/h")
        self.drx("rename", "ds", "x", "g", "--dimension")
        self.fails(2, "rename", "ds", "g", "k", says="is a group and a dimension; give --group or --dimension")

    def test_mv(self):
        self.drx("mv", "ds/g/a", "ds/g/aa")
        self.drx("mv", "ds/g/h/", "ds/g/i")
        self.assertEqual(self.last_commit()[1], "    group renamed: g/h → g/i")
        self.assert_same(self.whole("ds/g/i/b"), B)
        before = self.drx("log", "ds")
        os.mkdir("out")
        for to in ("ds/a", "a", "out", "ds", "ds/g/i/a", "ds2/g/a"):
            self.fails(1, "mv", "ds/g/aa", to,
                       says=["ds/g/aa: is part of the dataset ds", "drx add", "drx cp", "drx rm"])
        self.fails(1, "mv", "ds/t", "ds/g", "out", says="is part of the dataset")
        self.fails(1, "mv", "ds/t", "ds/x", says="has a variable 'x' already")
        self.fails(1, "cp", "ds/g", "out", says="is a group")
        self.unchanged(before)

    def test_rm(self):
        self.drx("rm", "ds/g/a")
        self.assertEqual(self.last_commit()[1], "    variable removed: g/a")
        self.drx("rm", "ds/g/h/")
        self.assertEqual(self.last_commit()[1], "    group removed: g/h")
        self.drx("rm", "ds/g")
        self.assertFalse(os.path.exists("ds/g"))
        self.fails(1, "rm", "ds/g", says="no such array")
        self.assertEqual(self.drx("check", "ds"), "ds: good\n")

    def test_add(self):
        before = self.drx("log", "ds")
        self.all_fail(1, "add", "ds", cases={
            ("t/b", "b.npy", "--dims", "time,n"): "has a variable 't'",
            ("g/b", "a.nc:a", "--dims", "time,/x"): "has 5 indices on /x, but ds has 3",
            ("g/a", "a.nc:a"): "ds/g/a: is there already", ("n/a", "a.nc:a"): "has 5 indices on x"})
        self.unchanged(before)
        self.drx("add", "ds", "new/deep/a", "a.nc:a", "--dims", "time,y")
        self.assertEqual(self.last_commit()[1:], [
            "    groups added: new, new/deep", "    dimension added: new/deep/y 5",
            "    variables added: new/deep/a, new/deep/y"])
        self.drx("add", "ds", "g/a", "t.nc:t", "--dims", "time,/x", "--force")
        self.assertIn("float a(time, /x)", self.tree())

    def test_attr(self):
        self.assertEqual(self.drx("attr", "ds/g"), 'source = "argo"\n')
        self.drx("attr", "ds/g/a", "units=km")
        self.assertEqual(self.drx("attr", "ds/g/a", "units"), "km\n")
        self.drx("attr", "ds/g/h", "level=3", "--type", "int32")
        self.drx("attr", "ds/g", "--delete", "source")
        self.assertEqual(self.drx("attr", "ds/g"), "")
        self.drx("attr", "ds", "--dimension", "g/x", "axis=X")
        self.assertEqual(self.drx("attr", "ds", "--dimension", "g/x", "axis"), "X\n")
        self.fails(1, "attr", "ds", "--dimension", "y", says="has no dimension 'y'")
        self.fails(1, "attr", "ds/g/a", "--dimension", "x", says="has no dimension 'x'; give a dataset")

    def test_bounds(self):
        self.drx("extend", "ds", "g/x", 1)
        self.assert_info("ds/g/a", shape=[4, 6])
        self.assert_info("ds/g/r", shape=[4, 3])
        self.drx("trim", "ds", "g/x", "--after", 1)
        self.assert_info("ds/g/a", shape=[4, 5])
        self.drx("extend", "ds", "time", 1)
        self.assert_info("ds/g/h/b", shape=[5, 2])
        self.drx("add-axis", "ds/g/h/b", 1, "lev")
        self.assertIn("double b(time, lev, n)", self.tree("ds/g/h"))
        self.drx("compact", "ds")

    def test_retime(self):
        """The bounds beside a coordinate in a group are those that it names."""
        self.drx("add", "ds", "g/time", "t.nc:time")
        self.drx("retime", "ds", "g/time", "hours since 2001-01-01")
        self.assertEqual(self.drx("attr", "ds/g/time", "units"), "hours since 2001-01-01\n")
        self.assertEqual(self.drx("attr", "ds/time", "units"), "days since 2001-01-01\n")
        self.assert_same(self.whole("ds/g/time"), np.arange(4) * 24.0)


class Copied(GroupsTest):
    def test_copy(self):
        self.drx("attr", "ds", "--dimension", "g/x", "axis=X")
        self.drx("copy", "ds", "new", "--chunk", "g/x=2,time=2")
        unused = "    dimensions:\n    \tn = 2 ;\n    } // group /g/empty"  # which begins with a variable
        self.assertEqual(self.tree("new"), self.tree().replace(unused, "    } // group /g/empty"))
        self.assert_info("new/g/a", chunk=[2, 2])
        self.assert_same(self.whole("new/g/a"), A)
        self.drx("copy", "ds[time=2001-01-02, g/x=1:3]", "part")
        self.assert_same(self.whole("part/g/a"), A[1:2, 1:2])
        self.assert_same(self.whole("part/g/h/b"), B[1:2])
        self.assert_info("part/g/r", shape=[1, 3])
        self.drx("cp", "ds", "same")
        self.assertEqual(self.tree("same"), self.tree("ds"))
        self.drx("cp", "ds/g/a", "a")
        self.assert_same(self.whole("a"), A)
        self.fails(1, "copy", "ds/g", "x", says="is a group of the dataset")
        self.fails(1, "copy", "ds/g/a", "ds/g/new", says="the folder ds is a dataset")
        self.fails(1, "create", "ds/new/a", "--shape", 2, says="the folder ds is a dataset")

    def test_failing_copy(self):
        """Folders of groups that it has made go, too."""
        before = names()
        result = subprocess.run(["bash", "-c", 'ulimit -f 24; exec "$0" copy ds new', drx_cli.DRX], check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual((result.returncode, names()), (1, before), result.stderr)

    def test_export(self):
        """Groups are refused, not lost; a variable goes with the coordinates of its dimensions."""
        self.fails(1, "export", "ds", "out.nc", says=["ds: has groups", "one by one"])
        self.fails(1, "export", "ds/g", "out.nc", says="is a group of the dataset")
        self.assertFalse(os.path.exists("out.nc"))
        for name, x in (("a", [0, 2, 4, 6, 8]), ("r", np.arange(3) * 10 / 3)):
            self.drx("export", f"ds/g/{name}", "out.nc")
            with netCDF4.Dataset("out.nc") as ds:
                self.assertEqual(ds[name].dimensions, ("time", "x"))
                np.testing.assert_array_equal(ds["x"][:], x)
                np.testing.assert_array_equal(ds["time"][:], range(4))

    def test_append(self):
        """A file without groups lacks the variables in them."""
        before = self.drx("log", "ds")
        self.fails(1, "import", "t.nc", "ds", "--append", "time",
                   says="lacks variables of the dataset: g/a, g/r, g/h/b")
        self.unchanged(before)

    def test_moved(self):
        """In the folder, and from one below it."""
        self.drx("rename", "ds", "g", "k")
        shutil.move("ds", "moved")
        os.chdir("moved")
        self.assert_same(self.whole("k/a"), A)
        self.assertEqual(self.drx("attr", "k"), 'source = "argo"\n')
        self.drx("mv", "k/a", "k/b")
        self.drx("rm", "k/b")
        self.drx("add", ".", "k/c", "../b.npy", "--dims", "time,n")
        self.assertIn("double c(time, n)", self.tree("."))
