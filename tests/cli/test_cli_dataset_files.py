"""Whole datasets on the command line: mv, cp, rm and check."""

import os

import numpy as np

import nc_file
from drx_cli import CliTest, need, write_file

need(nc_file.LIBRARY)


class WholeDatasetTest(CliTest):
    def setUp(self):
        super().setUp()
        with nc_file.NcFile("small.nc") as root:
            dims = [root.dim("time", 2), root.dim("x", 3)]
            root.var("a", "float32", dims)
            root.var("b", "int16", dims[1:])
        self.drx("import", "small.nc", "ds")

    def test_names(self):
        values = self.drx("read", "ds/a")
        self.drx("cp", "ds", "copy")
        self.drx("mv", "ds", "moved")
        self.assertFalse(os.path.exists("ds"))
        for path in ("copy", "moved"):
            self.assertEqual(self.drx("read", f"{path}/a"), values)
            self.assertIn("commit 1", self.drx("log", path))
        write_file("taken")
        self.fails(1, "cp", "moved", "taken", says="taken: exists already")
        os.mkdir("folder")
        self.drx("mv", "moved", "copy", "folder")
        self.assertEqual(sorted(os.listdir("folder")), ["copy", "moved"])
        self.drx("rm", "folder/copy", "folder/moved")
        self.assertEqual(os.listdir("folder"), [])

    def test_slash(self):
        self.drx("cp", "ds/", "copy")
        self.drx("mv", "copy/", "moved")
        self.assertEqual(self.drx("check", "moved/"), "moved: good\n")
        os.mkdir("folder")
        self.drx("mv", "moved/", "folder/")
        self.assertEqual(os.listdir("folder"), ["moved"])
        self.drx("rm", "folder/moved/")
        self.assertEqual(os.listdir("folder"), [])

    def test_array_of_the_same_name(self):
        """It has precedence, if other programs have made it so; drx does not."""
        self.fails(1, "create", "ds", "--shape", "3", "--force", says="ds/dataset.xds: a dataset has that name")
        for words in (["cp", "ds", "copy"], ["mv", "ds", "moved"], ["rm", "ds"]):
            self.drx("create", "aside", "--shape", "3", "--force")
            for suffix in (".xmd", ".xta"):
                os.rename("aside" + suffix, "ds" + suffix)
            self.drx(*words)
            self.drx("info", "ds/")
        self.assertTrue(os.path.exists("copy.xmd") and os.path.exists("moved.xmd"))

    def test_a_member_stays(self):
        self.all_fail(1, cases={("mv", "ds/a", "b"): "part of the dataset",
                                ("extend", "ds/a", "time", "1"): "a variable of a dataset"})

    def test_remove_a_variable(self):
        """In a commit of its own; the others stay."""
        values = self.drx("read", "ds/b")
        self.fails(1, "rm", "ds/nothing", says="ds/nothing: no such array")
        self.drx("rm", "ds/a")
        self.assertEqual(sorted(os.listdir("ds")), ["b.xta", "dataset.xds"])
        log = self.drx("log", "ds")
        self.assertIn("drx rm ds/a\n    variable removed: a\n", log)
        self.assertEqual((self.drx("check", "ds"), self.drx("read", "ds/b")), ("ds: good\n", values))
        os.chdir("ds")
        os.chmod("b.xta", 0o444)
        if os.geteuid() != 0:
            self.fails(1, "rm", "b", says="protected against writing")
        self.drx("rm", "--force", "b.xmd", "b.xta")
        self.assertEqual(os.listdir("."), ["dataset.xds"])
        os.chdir("..")
        self.drx("rm", "ds")

    def test_check(self):
        self.assertEqual(self.drx("check", "ds"), "ds: good\n")
        write_file("ds/dataset.xds", b"left by a crash", "ab")
        self.assertIn("warning: ds/dataset.xds: 15 bytes after the last commit", self.drx("check", "ds"))
        self.drx("check", "--repair", "ds")
        self.assertEqual(self.drx("check", "ds"), "ds: good\n")
        os.remove("ds/b.xta")
        self.assertIn("damaged: 1 error", self.ends(1, "check", "ds"))

    def test_an_append_of_variables_with_other_names(self):
        """What has the standard_name and extent of a stored one is the same; others are named as such."""
        for path, first, (lat, lon), n in (("a.nc", 0, ("lat", "lon"), 3), ("b.nc", 1, ("latitude", "longitude"), 3),
                                           ("c.nc", 1, ("latitude", "longitude"), 4)):
            with nc_file.NcFile(path) as nc:
                nc.array("u", np.ones((1, n, 2), "f4"), ["time", lat, lon])
                nc.array("time", np.array([float(first)]), ["time"], units=b"days since 2001-01-01")
                nc.array(lat, np.arange(n) + 0.5, [lat], standard_name=b"latitude")
                nc.array(lon, np.arange(2.0), [lon], standard_name="longitude")
        self.drx("import", "a.nc", "new", "--dataset")
        self.fails(1, "import", "b.nc", "new", "--append", "time",
                   says="b.nc: other names: 'latitude' is 'lat' in new, 'longitude' is 'lon' in new; rename them")
        error = self.fails(1, "import", "c.nc", "new", "--append", "time", says="'longitude' is 'lon' in new; rename")
        self.assertNotIn("'latitude'", error)
