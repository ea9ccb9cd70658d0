"""What the program says when a folder is missing, a filter of HDF5 is missing, or an attribute cannot keep its shape."""

import os
import subprocess
import unittest

import numpy as np

import h5_file
import nc_file
from drx_cli import DRX, CliTest, names, need, write_file
from h5_file import H5File

need(nc_file.LIBRARY, h5_file.LIBRARY)

try:
    import h5py
except ImportError:
    h5py = None

BLOSC = 32001  # HDF5's number of this filter
PLUGIN = "hdf5-filter-plugin-blosc-serial"


class Folders(CliTest):
    """A folder in a path that is missing, or is none, is what the message names, in every verb."""

    def setUp(self):
        super().setUp()
        self.put("a", np.ones((2, 3)))
        np.save("x.npy", np.ones((2, 3)))

    def cases(self, folder):
        array, file = f"{folder}/b", f"{folder}/x.npy"
        return {
            ("create", array, "--shape", "2"): array, ("info", array): array, ("read", array): array,
            ("extend", array, "0", "1"): array, ("view", array, "-o", "v.png"): array, ("export", array, "o.npy"): array,
            ("copy", array, "c"): array, ("copy", "a", array): array, ("map", array): array, ("refs", array): array,
            ("mv", "a", array): array, ("cp", "a", array): array, ("cp", array, "c"): array, ("mv", array, "c"): array,
            ("import", "x.npy", array): array, ("import", file, "c"): file, ("append", "a", "0", file): file,
            ("write", "a", file, "--at", "0,0"): file, ("export", "a", file): file, ("read", "a", "-o", file): file,
            ("export", "a", f"{folder}/x.nc"): f"{folder}/x.nc", ("export", "a", f"{folder}/x.h5"): f"{folder}/x.h5",
            ("view", "a", "-o", f"{folder}/x.png"): f"{folder}/x.png",
            ("map", "a", "-o", f"{folder}/x.svg"): f"{folder}/x.svg",
            ("refs", "a", "-o", f"{folder}/x.json"): f"{folder}/x.json",
            ("dap", "check", f"{folder}/x.json"): f"{folder}/x.json",
        }

    def test_missing(self):
        before = names()
        for folder, first in (("no", "no"), ("no/deep", "no"), (os.path.abspath("no"), os.path.abspath("no"))):
            self.all_fail(1, cases={words: [path, f"the folder {first} does not exist"]
                                    for words, path in self.cases(folder).items()})
        self.assertEqual(names(), before)

    def test_not_a_folder(self):
        write_file("file")
        before = names()
        self.all_fail(1, cases={words: [path, "file is not a folder"] for words, path in self.cases("file").items()})
        self.assertEqual(names(), before)

    def test_missing_file(self):
        """Where the folder is there, the file is missing."""
        self.fails(1, "info", "b", says="drx info: b: no such array or dataset\n")
        self.fails(1, "read", "b", says="drx read: b: no such array\n")
        self.fails(1, "log", "b", says="drx log: b: no such dataset\n")
        self.fails(1, "append", "a", "0", "y.npy", says="y.npy: no such file")
        self.fails(1, "info", "b/", says="b: no such folder")

    def test_missing_variable(self):
        """That of a dataset whose name is nearest may be meant."""
        with nc_file.NcFile("in.nc") as nc:
            nc.array("tas", np.ones(2), ["x"])
        self.drx("import", "in.nc", "d", "--dataset")
        for verb, what in (("read", "array"), ("info", "array or dataset"), ("check", "array")):
            self.fails(1, verb, "d/tass", says=f"drx {verb}: d/tass: no such {what}; did you mean d/tas?\n")
        self.fails(1, "read", "d/pressure", says="drx read: d/pressure: no such array\n")


class OtherThings(CliTest):
    """A path that names something else than an array or a dataset: the message says what it is, and what would do."""

    def test_files(self):
        with nc_file.NcFile("in.nc", nc_file.CLASSIC), nc_file.NcFile("four.nc"), H5File("in.h5"):
            pass
        np.save("in.npy", np.ones(3))
        write_file("text", "no array, and longer than eight bytes")
        write_file("short", "CDF")
        for name, kind in (("in.nc", "a netCDF file; `drx import in.nc NEW`"), ("in.h5", "an HDF5 file; `drx import"),
                           ("four.nc", "a netCDF file; `drx import four.nc NEW` makes an array or a dataset of it"),
                           ("in.npy", "a .npy file; `drx import in.npy NEW` makes an array of it"),
                           ("text", "a file of another kind"), ("short", "a file of another kind")):
            for words in (("info", name), ("log", name), ("read", name), ("rm", name), ("compact", name), ("mv", name, "b")):
                self.fails(1, *words, says=f"{name}: is {kind}")

    def test_arrays_and_folders(self):
        os.mkdir("folder")
        self.put("folder/sst", np.ones(3), "--dims", "time")
        self.fails(1, "log", "folder/sst", says="folder/sst: is an array, not a dataset; give the folder of one")
        self.fails(1, "read", "folder", says="folder: is a folder, not an array; 'drx info folder' lists arrays")
        with nc_file.NcFile("in.nc") as file:
            file.array("sst", np.arange(3.0), ["time"])
        self.drx("import", "in.nc", "ocean", "--dataset")
        self.fails(1, "log", "ocean/sst", says="ocean/sst: is a variable of the dataset ocean; give the dataset")
        self.fails(1, "read", "ocean", says="ocean: is a dataset, not an array")


class Wording(CliTest):
    """What is said of an option, or of a name in a selection, that is not there."""

    def test_options_of_other_programs(self):
        for verb, option, meant in (("export", "--compress", "deflate"), ("export", "--compress=4", "deflate"),
                                    ("copy", "--compress", "codec"), ("create", "--compression", "codec"),
                                    ("create", "--chunks", "chunk"), ("create", "--dtype", "type")):
            self.fails(2, verb, option, "a", "b", says=f"did you mean --{meant}?")
        self.fails(2, "log", "--compress", says="the options are --count")

    def test_names_of_axes(self):
        self.put("named", np.ones((2, 3)), "--dims", "time,lat")
        self.put("nameless", np.ones(3))
        self.fails(1, "read", "named[Time=1]", says="has no axis Time; there are time, lat; did you mean time?\n")
        self.fails(1, "read", "named[depth=1]", says="has no axis depth; there are time, lat\n")
        self.fails(1, "read", "nameless[x=1]", says="has no axis x; its axes have no names\n")


class Attributes(CliTest):
    def test_shapes(self):
        with H5File("in.h5") as file, file.dataset("u", np.ones(3)) as u:
            u.att("table", np.arange(6).reshape(2, 3))
            u.att("list", np.arange(6))
            u.att("one", np.array([7]))
            u.att("names", ["alpha", "beta"])
            u.att("fixed", [b"one", b"three"])
            u.att("text", "hello")
            u.att("only", ["one"])
        self.drx("import", "in.h5", "a", warns=[
            "drx import: warning: in.h5:u: attribute table has 2 dimensions; its 6 numbers become a list\n",
            "drx import: warning: in.h5:u: attribute names is a list of 2 strings; the array keeps it as a text of that many lines\n",
            "drx import: warning: in.h5:u: attribute fixed is a list of 2 strings"])
        self.assertEqual(self.run_drx("import", "in.h5", "a", "--force").stderr.count(b"\n"), 3)
        self.assert_info("a", attrs={"table": list(range(6)), "list": list(range(6)), "one": 7, "names": "alpha\nbeta",
                                     "fixed": "one\nthree", "text": "hello", "only": "one"})


@unittest.skipUnless(h5py and h5py.h5z.filter_avail(BLOSC), f"needs h5py and {PLUGIN}")
class Filters(CliTest):
    def without_plugins(self, *words):
        result = subprocess.run([DRX, *words], env={**os.environ, "HDF5_PLUGIN_PATH": os.path.abspath("no")},
                                capture_output=True, text=True, check=False)
        return result.returncode, result.stderr

    def test_missing(self):
        with h5py.File("in.h5", "w") as file:
            for name in "zy":
                file.create_dataset(name, data=np.arange(10000.0).reshape(100, 100), chunks=(50, 50), compression=BLOSC)
        with h5py.File("in.nc", "w") as file:  # as netCDF takes it for its own
            file.attrs["_NCProperties"] = np.bytes_(b"version=2,netcdf=4.9.0,hdf5=1.10.8")
            file.create_dataset("z", data=np.arange(10000.0).reshape(100, 100), chunks=(50, 50), compression=BLOSC)
        before = names()
        for words, label in ((("import", "in.h5:z", "a"), "in.h5:z"), (("import", "in.nc:z", "a"), "in.nc:z"),
                             (("import", "in.h5", "ds"), "in.h5:"), (("copy", "in.h5:z", "a"), "in.h5:z")):
            code, error = self.without_plugins(*words)
            self.assertEqual((code, error.count("\n")), (1, 1), error)
            self.assertTrue(error.startswith(f"drx {words[0]}: {label}"), error)
            self.assertIn(f": HDF5 has no plugin for its filter {BLOSC} (Blosc); install {PLUGIN}, or set HDF5_PLUGIN_PATH",
                          error)
        self.assertEqual(names(), before)
        for words in (("import", "in.h5:z", "a"), ("import", "in.nc:z", "b")):
            self.drx(*words)
        self.assert_same(self.whole("a"), self.whole("b"))
