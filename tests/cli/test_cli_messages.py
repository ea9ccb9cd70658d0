"""What the program says when a filter of HDF5 is missing, or an attribute cannot keep its shape."""

import os
import subprocess
import unittest

import numpy as np

import h5_file
import nc_file
from drx_cli import DRX, CliTest, names, need
from h5_file import H5File

need(nc_file.LIBRARY, h5_file.LIBRARY)

try:
    import h5py
except ImportError:
    h5py = None

BLOSC = 32001  # HDF5's number of this filter
PLUGIN = "hdf5-filter-plugin-blosc-serial"


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
            "drx import: warning: in.h5:u: attribute table has 2 dimensions, 2 x 3; its 6 numbers become a list\n",
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
        for words, label, lines in ((("import", "in.h5:z", "a"), "in.h5:z", 1), (("import", "in.nc:z", "a"), "in.nc:z", 1),
                                    (("import", "in.h5", "ds"), "in.h5:y", 3), (("copy", "in.h5:z", "a"), "in.h5:z", 1)):
            code, error = self.without_plugins(*words)
            self.assertEqual((code, error.count("\n")), (1, lines), error)
            self.assertTrue(error.startswith(f"drx {words[0]}: {label}"), error)
            self.assertIn(f": HDF5 has no plugin for its filter {BLOSC} (Blosc); install {PLUGIN}, or set HDF5_PLUGIN_PATH",
                          error)
        self.assertEqual(names(), before)
        for words in (("import", "in.h5:z", "a"), ("import", "in.nc:z", "b")):
            self.drx(*words)
        self.assert_same(self.whole("a"), self.whole("b"))
