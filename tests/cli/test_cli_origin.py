"""Byte order, filters and fill time of a file, kept by import and written again by export."""
import itertools
import os
import pathlib
import subprocess
import sys
import unittest

import h5py
import netCDF4
import numpy as np

from drx_cli import CliTest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "spec"))
from store import Store

A = np.arange(120 * 100).reshape(120, 100) % 1000
CHUNK = (60, 100)
FILTERS = {  # of h5py
    "none": {}, "chunks": {}, "deflate": {"compression": 7}, "shuffled": {"compression": 1, "shuffle": True},
    "all": {"compression": 4, "shuffle": True, "fletcher32": True}, "summed": {"fletcher32": True}, "bytes": {"shuffle": True},
    "szip": {"compression": "szip"}, "nn": {"compression": "szip", "compression_opts": ("nn", 16)},
    "blosc": {"compression": 32001, "compression_opts": (0, 0, 0, 0, 3, 1, 0)},
    "both": {"compression": 32001, "compression_opts": (0, 0, 0, 0, 9, 2, 5), "fletcher32": True},
}
FILTERS = {name: one for name, one in FILTERS.items()
           if h5py.h5z.filter_avail({"szip": h5py.h5z.FILTER_SZIP}.get(one.get("compression"), one.get("compression", 1))
                                    if name in ("szip", "nn", "blosc", "both") else h5py.h5z.FILTER_DEFLATE)}
TIMES = {"alloc": h5py.h5d.FILL_TIME_ALLOC, "never": h5py.h5d.FILL_TIME_NEVER, "ifset": h5py.h5d.FILL_TIME_IFSET}


def filters_of(dataset):
    """[(number, parameters)]; those of SZIP and Blosc that follow from the chunk are left out."""
    plist = dataset.id.get_create_plist()
    found = [plist.get_filter(i) for i in range(plist.get_nfilters())]
    return [(one[0], one[2][:2] if one[0] == 4 else one[2][4:] if one[0] == 32001 else one[2]) for one in found]


def record_of(path):
    """(byte order, filters) as spec/read_drx.py reads them."""
    variables = Store(path).now.variables.values()
    order, filters = next(v.source for v in variables if not v.removed)
    return order, [(number, tuple(params)) for number, params in filters]


class Origin(CliTest):
    def make(self, path, dtype="<i4", time=None, **options):
        with h5py.File(path, "w") as file:
            plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            if time is not None:
                plist.set_fill_time(time)
            if options.pop("chunks", False):
                options["chunks"] = CHUNK
            if time is None:
                dataset = file.create_dataset("v", data=A.astype(dtype), **options)
            else:
                dataset = h5py.Dataset(h5py.h5d.create(file.id, b"v", h5py.h5t.py_create(np.dtype(dtype)),
                                                       h5py.h5s.create_simple(A.shape), plist))
                dataset[...] = A
            return dataset.dtype, filters_of(dataset)

    def check(self, path, dtype, filters, chunk=None):
        with h5py.File(path) as file:
            dataset = file["v"]
            np.testing.assert_array_equal(dataset[...], A.astype(dtype))
            self.assertEqual((path, dataset.dtype, sorted(filters_of(dataset))), (path, np.dtype(dtype), sorted(filters)))
            if path.endswith(".h5"):
                self.assertEqual(filters_of(dataset), filters)
            if chunk:
                self.assertEqual(dataset.chunks, chunk)

    def test_table(self):
        """All byte orders with all filters, through an array, a copy, a compacted one, a dataset, and without any."""
        types = itertools.cycle(("<i4", ">i2", ">f8", "<u8", ">f4", ">i8", "<i2", ">u4"))
        for (name, options), dtype in zip(FILTERS.items(), types):
            if name != "none":
                options = {"chunks": True, **options}
            dtype, filters = self.make("in.h5", dtype, **options)
            order = 2 if dtype.byteorder == ">" else 1
            with h5py.File("in.h5") as file:
                plist = file["v"].id.get_create_plist()
                stored = [plist.get_filter(i)[::2][:2] for i in range(plist.get_nfilters())]
            self.drx("import", "in.h5:v", "v", "--force")
            self.assertEqual(record_of("v"), (order, [(number, params) for number, params in stored]), name)
            text = self.info("v").get("source", "")
            self.assertEqual(text.startswith("big-endian"), order == 2, text)
            self.assertEqual("deflate 7" in text, name == "deflate", text)
            self.drx("import", "in.h5", "ds", "--dataset")
            self.drx("copy", "v", "copied", "--chunk", "60,100")
            self.assertEqual(record_of("copied"), record_of("v"))
            self.drx("add", "ds", "w", "copied", "--dims", "phony_dim_0,phony_dim_1")
            for words in (("export", "v", "out.h5"), ("export", "v", "out.nc"), ("copy", "in.h5:v", "out.h5:v"),
                          ("copy", "in.h5:v", "out.nc:v"), ("export", "copied", "out.h5:v"), ("export", "ds/w", "out.nc:v"),
                          ("copy", "ds/v", "out.h5"), ("export", "ds", "out.nc")):
                self.drx(*words, *["--force"][words[0] == "export":])
                self.check(words[2].partition(":")[0], dtype, filters, stored and dtype.itemsize > 2 and CHUNK)
            self.drx("rm", "ds", "v", "copied")

    def test_options_go_first(self):
        """--deflate and another codec."""
        self.make("in.h5", ">i4", chunks=True, compression=7, fletcher32=True)
        self.drx("import", "in.h5:v", "v")
        self.drx("export", "v", "out.h5", "--deflate", 2)
        self.check("out.h5", ">i4", [(2, (4,)), (1, (2,))])
        self.drx("export", "v", "out.nc", "--deflate", 0)
        self.check("out.nc", ">i4", [])
        self.drx("copy", "v", "w", "--codec", "zlib", "--level", 3)
        self.drx("export", "w", "out.h5:v")
        self.check("out.h5", ">i4", [(2, (4,)), (1, (3,))])
        self.drx("copy", "v", "raw", "--codec", "none")
        self.drx("export", "raw", "out.h5:v")
        self.check("out.h5", ">i4", [])

    def test_filters_that_round(self):
        """They would round once more, with other chunks."""
        self.make("in.h5", "<i4", chunks=True, scaleoffset=0)
        self.drx("import", "in.h5:v", "v")
        for target in "out.h5", "out.nc":
            self.drx("export", "v", target, warns="v: filter 6 (scale-offset) of the file that it comes from may change values: "
                     "it is written without the filters of that")
            self.check(target, "<i4", [])

    @unittest.skipUnless("blosc" in FILTERS, "HDF5 has no filter of Blosc here")
    def test_filters_that_are_missing(self):
        self.make("in.h5", "<i4", chunks=True, **FILTERS["blosc"])
        self.drx("import", "in.h5:v", "v")
        environment = {**os.environ, "HDF5_PLUGIN_PATH": os.getcwd()}
        for target in "out.h5", "out.nc":
            self.drx("export", "v", target, env=environment, warns="v: filter 32001 (Blosc) of the file that it comes from "
                     "cannot be encoded here: it is written without the filters of that")
            with h5py.File(target) as file:
                np.testing.assert_array_equal(file["v"][...], A)
                self.assertNotIn(32001, [number for number, _ in filters_of(file["v"])])

    def test_fill_times(self):
        for name, time in TIMES.items():
            self.make("in.h5", ">i4", time=time)
            self.drx("import", "in.h5:v", "v", "--force")
            self.drx("import", "in.h5", "ds", "--dataset")
            self.assertEqual(self.info("ds/v")["attrs"].get("drx.fill_time", "ifset"), name)
            self.assertNotIn("drx.fill_time", self.drx("info", "ds"))
            for source in "v", "ds/v":
                self.drx("copy", source, "out.h5:v", "--force")
                with h5py.File("out.h5") as file:
                    self.assertEqual(file["v"].id.get_create_plist().get_fill_time(), time)
                    self.assertFalse([key for key in file["v"].attrs if key.startswith("drx")])
                self.drx("export", source, "out.nc:v")
                with netCDF4.Dataset("out.nc") as nc:
                    self.assertFalse([key for key in nc["v"].ncattrs() if key.startswith("drx")])
                with h5py.File("out.nc") as file:
                    self.assertEqual(file["v"].id.get_create_plist().get_fill_time() == TIMES["never"], name == "never")
            self.drx("rm", "ds")

    def test_netcdf(self):
        """A file of netCDF-4 says the same of its variables again."""
        with netCDF4.Dataset("in.nc", "w") as nc:
            nc.createDimension("t", None)
            for name, n in (("y", 40), ("x", 50)):
                nc.createDimension(name, n)
            for number, options in enumerate(({"endian": "big"}, {"zlib": True, "complevel": 3, "fletcher32": True},
                                              {"zlib": True, "shuffle": False, "endian": "big"}, {"fill_value": False},
                                              {"compression": "szip", "fill_value": 7}, {"endian": "little"})):
                dtype = "i4" if options.get("endian") != "big" else ">i4"
                nc.createVariable(f"v{number}", dtype, ("t", "y", "x"), chunksizes=(10, 40, 50), **options)[:20] = number
            nc.createVariable("scalar", ">f8", (), endian="big")[...] = 1
            nc.createVariable("c", "S1", ("x",))[:] = b"c"
            nc.createVariable("s", str, ("x",))[0] = "text"
        self.drx("import", "in.nc", "ds")
        self.drx("export", "ds", "out.nc")
        hidden = [[line.split("\t")[-1] for line in subprocess.run(["ncdump", "-hs", file], check=True, text=True, capture_output=True)
                   .stdout.splitlines() if ":_" in line and "_Storage" not in line and "_ChunkSizes = 50" not in line]
                  for file in ("in.nc", "out.nc")]
        self.assertGreater(len(hidden[0]), 20)
        self.assertEqual(*hidden)

    def test_classic(self):
        """It is big-endian; a byte has no order."""
        with netCDF4.Dataset("in.nc", "w", format="NETCDF3_CLASSIC") as nc:
            nc.createDimension("x", 5)
            for name, dtype in (("d", "f8"), ("b", "i1"), ("c", "S1"), ("h", "i2")):
                nc.createVariable(name, dtype, ("x",))[:] = np.arange(5) if dtype != "S1" else b"c"
        self.drx("import", "in.nc", "ds")
        self.assertEqual(record_of("ds"), (2, []))
        self.drx("export", "ds", "out.nc")
        with h5py.File("out.nc") as file:
            self.assertEqual([file[name].dtype.str for name in "dbh"], [">f8", "|i1", ">i2"])
        for name, order in zip("dbch", (2, 0, 0, 2)):
            self.drx("cp", f"ds/{name}", "one", "--force")
            self.assertEqual(record_of("one"), (order, []), name)

    def test_types(self):
        """Numbers in compounds, and null variables."""
        pair = np.dtype([("a", ">i4"), ("b", ">f8"), ("c", ">c16")])
        with h5py.File("in.h5", "w") as file:
            file["p"] = np.array([(1, 2.5, 3j), (4, 5.5, 6)], pair)
            file["z"] = np.array([1 + 2j, 3], ">c8")
            file["n"] = h5py.Empty(">i4")
            file["u"] = np.arange(3)
        self.drx("import", "in.h5", "ds")
        for name in "pzn":
            self.drx("copy", f"ds/{name}", f"{name}.h5")
            with h5py.File("in.h5") as before, h5py.File(f"{name}.h5") as after:
                self.assertEqual(after[name].dtype, before[name].dtype)
                if name != "n":
                    self.assertEqual(after[name][...].tolist(), before[name][...].tolist())


class Names(CliTest):
    def test_groups_with_a_dot(self):
        """Refused before anything is made, each by name."""
        with h5py.File("in.h5", "w") as file:
            for path in "a", "g/z", ".hidden/x", "g/.inner/y", ".v", "g/" + 201 * "n":
                file[path] = np.arange(len(path))
            file[".hidden"].attrs["a"] = 1
            file[".scale"] = np.arange(7)
            file[".scale"].make_scale()
            file["on"] = np.arange(7)
            file["on"].dims[0].attach_scale(file[".scale"])
        whole = ("import", "in.h5", "ds", "--dataset")
        result = self.run_drx(*whole)
        lines = result.stderr.decode().splitlines()
        self.assertEqual(result.returncode, 1)
        why = "has a name in its path that begins with a dot or has more than 200 bytes"
        self.assertEqual(sorted(lines[:-1]), sorted(f"drx import: in.h5: the {thing} {why}" for thing in (
            "group '.hidden'", "group 'g/.inner'", "variable '.hidden/x'", "variable 'g/.inner/y'", "variable '.v'",
            f"variable 'g/{201 * 'n'}'", "variable '.scale'", "dimension '.scale'")))
        self.assertIn("6 of its 8 variables, and groups, cannot be stored", lines[-1])
        self.assertEqual(os.listdir(), ["in.h5"])
        self.drx(*whole, "--skip-unsupported", warns=[f"the group '.hidden' {why}, and is left out", "variable '.v'"])
        self.assertEqual(sorted(self.info("ds")["variables"]), ["a", "g/z"])
        self.assertEqual(sorted(self.info("ds")["groups"]), ["g"])
        self.assertIn("good", self.drx("check", "ds"))


if __name__ == "__main__":
    unittest.main()
