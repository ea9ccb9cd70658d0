"""What files of HDF5 and netCDF-4 store, and what they do not: short variables, missing sources, chunks that nobody wrote."""

import importlib.util
import os

import numpy as np

import h5_file
import nc_file
from drx_cli import CliTest, need

need(nc_file.LIBRARY, h5_file.LIBRARY, *map(importlib.util.find_spec, ("h5py", "netCDF4")))

import h5py  # noqa: E402
import netCDF4  # noqa: E402


class StoredTest(CliTest):
    def both(self, file, name, *words):
        """The elements of a variable, alone and of the whole file."""
        self.drx("import", f"{file}:{name}", name, *words)
        self.drx("import", file, "ds", "--dataset")
        for path in (name, f"ds/{name}"):
            yield self.whole(path)
            self.assertIn("good", self.drx("check", path))
        self.drx("rm", name, "ds")

    def assert_equals_netcdf(self, file, name):
        """Element by element, since netCDF-C 4.9.0 reads larger boxes wrongly."""
        with netCDF4.Dataset(file) as nc:
            nc.set_auto_maskandscale(False)
            want = np.empty(nc[name].shape, nc[name].dtype)
            for index in np.ndindex(want.shape):
                want[index] = nc[name][index]
        for found in self.both(file, name):
            self.assert_same(found, want)


class ShortTest(StoredTest):
    def test_two_unlimited_dimensions(self):
        """What is stored is short on any of the axes, or nothing is; with a fill value, and without one."""
        for stored, fill in (((2, 2, 3), -5), ((4, 1, 2), None), ((1, 2, 3), False), ((0, 0, 0), -5)):
            with netCDF4.Dataset("in.nc", "w") as nc:
                for name, n in (("t", 4), ("x", 2), ("u", 3)):
                    nc.createDimension(name, n if name == "x" else None)
                    nc.createVariable(name, "i4", (name,))[:] = np.arange(n)
                v = nc.createVariable("v", "i4", ("t", "x", "u"), fill_value=fill)
                if stored[0]:
                    v[:stored[0], :stored[1], :stored[2]] = 1 + np.arange(np.prod(stored)).reshape(stored)
            self.assert_equals_netcdf("in.nc", "v")

    def test_one_unlimited_dimension_that_is_last(self):
        with netCDF4.Dataset("in.nc", "w") as nc:
            nc.createDimension("x", 3)
            nc.createDimension("t", None)
            nc.createVariable("t", "f8", ("t",))[:] = np.arange(6)
            nc.createVariable("v", "f4", ("x", "t"))[:, :2] = [[1, 2], [3, 4], [5, 6]]
            nc.createVariable("text", "S1", ("x", "t"))[:, :2] = [[b"a", b"b"]] * 3
            s = nc.createVariable("s", str, ("x", "t"), fill_value="none")
            s[0, 0] = "é"
        self.assert_equals_netcdf("in.nc", "v")
        self.drx("import", "in.nc:text", "text")
        self.assertEqual(self.whole("text").tolist(), [b"ab"] * 3)
        self.drx("import", "in.nc", "ds")
        self.drx("export", "ds", "out.nc")
        with netCDF4.Dataset("out.nc") as nc:
            self.assertEqual(nc["s"][:].tolist(), [["é", *["none"] * 5], *[["none"] * 6] * 2])

    def test_a_variable_with_the_name_of_a_dimension(self):
        """HDF5 has the dimension under that name."""
        with netCDF4.Dataset("in.nc", "w") as nc:
            nc.createDimension("x", 3)
            nc.createDimension("y", 2)
            nc.createVariable("x", "i4", ("y", "x"))[:] = np.arange(6).reshape(2, 3)
            group = nc.createGroup("g").createGroup("h")
            group.createVariable("y", "i4", ("x",))[:] = [7, 8, 9]
        self.drx("import", "in.nc:x", "x")
        self.drx("import", "in.nc:g/h/y", "y")
        self.assertEqual((self.whole("x").tolist(), self.whole("y").tolist()), ([[0, 1, 2], [3, 4, 5]], [7, 8, 9]))


class VirtualTest(StoredTest):
    def source(self, path, name="b", n=3):
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with h5py.File(path, "a") as file:
            file[name] = np.arange(n)

    def virtual(self, path, *sources, name="v"):
        """A virtual dataset; each source (file, dataset) is a row of it."""
        layout = h5py.VirtualLayout((len(sources), 3), "i8")
        for i, (file, dataset) in enumerate(sources):
            layout[i] = h5py.VirtualSource(file, dataset, (3,))
        with h5py.File(path, "a") as file:
            file.create_virtual_dataset(name, layout, fillvalue=-1)

    def test_sources(self):
        """They are in the same file, beside it, in a folder of HDF5_VDS_PREFIX, virtual themselves; or they are missing."""
        self.source("v/in.h5", "own")
        self.source("v/near.h5")
        self.source("far/away.h5")
        self.virtual("v/inner.h5", ("near.h5", "b"), ("away.h5", "b"))
        with h5py.File("v/in.h5", "a") as file:
            layout = h5py.VirtualLayout((4, 3), "i8")
            for i, (name, dataset) in enumerate(((".", "own"), (os.path.abspath("v/near.h5"), "/b"))):
                layout[i] = h5py.VirtualSource(name, dataset, (3,))
            layout[2:] = h5py.VirtualSource("inner.h5", "v", (2, 3))
            file.create_virtual_dataset("v", layout, fillvalue=-1)
        for prefix in (os.path.abspath("far"), "nowhere:far", "${ORIGIN}/../far"):
            self.drx("import", "v/in.h5:v", "a", "--force", env={**os.environ, "HDF5_VDS_PREFIX": prefix})
            self.assertEqual(self.whole("a").tolist(), [[0, 1, 2]] * 4)
        self.fails(1, "import", "v/in.h5:v", "b", says="v/in.h5:v: is a virtual dataset, and of its sources HDF5 does not "
                   "find away.h5; put them beside the file, or name their folder in HDF5_VDS_PREFIX")
        os.remove("v/near.h5")
        self.source("v/near.h5", "other")
        self.fails(1, "import", "v/in.h5", "ds", says="v/in.h5:v: is a virtual dataset, and of its sources HDF5 does not "
                   f"find {os.path.abspath('v/near.h5')}:/b, near.h5:b, away.h5; put", lines=2)
        self.assertEqual(sorted(os.listdir(".")), ["a.xmd", "a.xta", "far", "v"])

    def test_patterns(self):
        """A file for each block: as many as there are lie in the dataset."""
        space = h5py.h5s.create_simple((0, 3), (h5py.h5s.UNLIMITED, 3))
        space.select_hyperslab((0, 0), (h5py.h5s.UNLIMITED, 1), (1, 3), (1, 3))
        create = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        create.set_virtual(space, b"100%%-%b.h5", b"b", h5py.h5s.create_simple((1, 3)))
        with h5py.File("v.h5", "w") as file:
            h5py.h5d.create(file.id, b"v", h5py.h5t.NATIVE_INT64, space, create)
        self.fails(1, "import", "v.h5:v", "a", says="does not find 100%-0.h5; put")
        for i in range(2):
            self.source(f"100%-{i}.h5")
        self.drx("import", "v.h5:v", "a")
        self.assertEqual(self.whole("a").tolist(), [[0, 1, 2]] * 2)

    def test_a_file_of_netcdf(self):
        with netCDF4.Dataset("in.nc", "w") as nc:
            nc.createDimension("x", 3)
            nc.createVariable("x", "f8", ("x",))[:] = 1
        self.virtual("in.nc", ("missing.h5", "b"))
        for lines, words in enumerate((("in.nc:v", "a"), ("in.nc", "ds", "--dataset")), 1):
            self.fails(1, "import", *words, says="in.nc:v: is a virtual dataset, and of its sources HDF5 does not find missing.h5;",
                       lines=lines)


class ChunkTest(StoredTest):
    def assert_sparse(self, path, most=1 << 20):
        self.assertLess(os.stat(f"{path}.xta").st_blocks * 512, most)

    def test_chunks_that_nobody_wrote(self):
        """They are skipped, and what is between them is there."""
        random = np.random.default_rng(1)
        for dtype, fill in (("f4", None), ("i2", -9)):
            want = np.full((1500, 2000), fill or 0, dtype)
            with h5py.File("in.h5", "w") as file:
                v = file.create_dataset("v", want.shape, dtype, chunks=(50, 70), fillvalue=fill, compression="gzip")
                for _ in range(2):
                    i, j = random.integers(1500), random.integers(2000)
                    v[i:i + 90, j:j + 3] = want[i:i + 90, j:j + 3] = random.integers(1, 99)
                file.create_dataset("w", (2000, 2500), "f8")  # not in chunks
            self.drx("import", "in.h5", "ds", "--codec", "none")
            self.drx("import", "in.h5:v", "v")
            for path in ("v", "ds/v"):
                self.assert_same(self.whole(path), want)
                self.assertEqual(self.drx("check", path), f"{path}: good\n")
            for path in ("ds/w", "ds/v" if not fill else "ds/w"):
                self.assert_sparse(path, 7 << 20)
            self.drx("rm", "ds", "v")

    def test_a_large_one(self):
        with h5py.File("in.h5", "w") as file:
            v = file.create_dataset("v", (100000, 100000), "f4", chunks=(500, 500))
            v[99999, 99999] = 5
        self.drx("import", "in.h5:v", "v")
        self.assert_sparse("v", 4 << 20)
        self.assertEqual(self.drx("read", "v[-1,-2:]").split(), ["0", "5"])

    def test_another_fill_value(self):
        """Where the array has another one, what nobody wrote is written, as the file gives it."""
        with netCDF4.Dataset("in.nc", "w") as nc:
            nc.createDimension("t", None)
            nc.createDimension("x", 6)
            for name, fill in (("own", -5), ("default", None), ("none", False)):
                v = nc.createVariable(name, "i2", ("t", "x"), fill_value=fill, chunksizes=(1, 3))
                v[3, :3] = 1
            nc["default"].missing_value = np.int16(-9)
            nc["none"].missing_value = np.int16(0)
        for name in ("own", "default"):
            self.assert_equals_netcdf("in.nc", name)
        for found in self.both("in.nc", "none"):
            self.assertEqual(found.tolist(), [*[[0] * 6] * 3, [1, 1, 1, 0, 0, 0]])
        self.drx("import", "in.nc:own", "own", "--fill", "7")
        self.assertEqual(self.whole("own").tolist(), [*[[7] * 6] * 3, [1, 1, 1, 7, 7, 7]])

    def test_appended(self):
        """To a dataset: what the file does not store stays as it grew, or is written over what is there."""
        for first, value in ((0, 1), (2, 2)):
            with netCDF4.Dataset(f"{value}.nc", "w") as nc:
                nc.createDimension("t", None)
                nc.createDimension("x", 4)
                nc.createVariable("t", "i4", ("t",))[:] = [first, first + 1, first + 2]
                v = nc.createVariable("v", "i2", ("t", "x"), fill_value=-5, chunksizes=(1, 4))
                v[2 - first] = value
        self.drx("import", "1.nc", "ds", "--dataset")
        self.drx("import", "2.nc", "ds", "--append", "t", "--overlap", "replace")
        self.assertEqual(self.whole("ds/v")[:, 0].tolist(), [-5, -5, 2, -5, -5])
        self.drx("import", "2.nc", "new", "--dataset")
        self.drx("import", "1.nc", "new", "--append", "t", "--overlap", "replace")
        self.assertEqual(self.whole("new/v")[:, 0].tolist(), [-5, -5, 1, -5, -5])


class AttributeTest(StoredTest):
    """Also those that DRX cannot store: the others are imported, and a warning names it."""

    def warned(self, *words):
        result = self.run_drx("import", *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stderr.decode()

    def test_nul(self):
        """NULs at the end are padding, as netCDF4 and h5py show them. Another one neither ends a text nor becomes an end
        of line."""
        for flags in (nc_file.NETCDF4, nc_file.CLASSIC):
            with nc_file.NcFile("in.nc", flags) as nc:
                nc.att(-1, "whole", b"c\0d")
                nc.array("u", np.arange(2, dtype="i4"), ["x"], title=b"padded\0\0", two=b"a\0b")
            for words, names in ((("in.nc:u", "u"), ["in.nc:u: attribute two"]),
                                 (("in.nc", "ds", "--dataset"), ["in.nc: attribute whole", "in.nc:u: attribute two"])):
                lines = self.warned(*words).splitlines()
                self.assertEqual(lines, [f"drx import: warning: {name} has a NUL in its text, which DRX cannot store, and is "
                                         "left out" for name in names])
            for path in ("u", "ds/u"):
                self.assertEqual(self.info(path)["attrs"], {"title": "padded"})
            self.drx("rm", "u", "ds")

    def test_strings_of_hdf5(self):
        texts = {"null_padded": np.bytes_(b"a\0\0"), "varying": "b\nc", "list": np.array([b"d", b"ee\0"], "S4"),
                 "lines": ["f\ng", "\u00e9", ""]}
        with h5py.File("in.h5", "w") as file:
            for object in (file, file.create_dataset("v", data=np.arange(2))):
                for name, value in texts.items():
                    object.attrs[name] = value
                object.attrs.create("nul", np.bytes_(b"a\0b"))
                object.attrs["nuls"] = np.array([b"x", b"y\0z"])
        told = self.warned("in.h5", "ds", "--dataset").splitlines()
        self.assertEqual([line.split(" has a NUL in ")[0] for line in told],
                         [f"drx import: warning: in.h5{where}: attribute {name}" for where in ("", ":v")
                          for name in ("nul", "nuls")])
        self.assertIn("in.h5:v: attribute nul has a NUL in its text", self.warned("in.h5:v", "v"))
        attrs = self.info("v")["attrs"]
        self.assertEqual({name: attrs.get(name) for name in texts},
                         {"null_padded": "a", "varying": "b\nc", "list": "d\nee", "lines": "f\ng\x1e\u00e9\x1e"})
        self.drx("export", "ds", "out.nc")
        with netCDF4.Dataset("out.nc") as nc:
            for object in (nc, nc["v"]):
                self.assertEqual({name: object.getncattr(name) for name in ("lines", "varying", "list")},
                                 {"lines": ["f\ng", "\u00e9", ""], "varying": "b\nc", "list": ["d", "ee"]})
                self.assertFalse([name for name in object.ncattrs() if name.startswith("drx")])

    def test_what_cannot_be_stored(self):
        """netCDF's own library gives nothing of a variable with the attributes of two dimensions, and of none."""
        with h5py.File("in.h5", "w") as file:
            file["x"] = np.arange(3.0)
            file["x"].make_scale("x")
            for name in ("u", "v"):
                file[name] = np.arange(6).reshape(2, 3)
                file[name].dims[1].attach_scale(file["x"])
            file["u"].attrs["table"] = np.arange(4).reshape(2, 2)
            file["u"].attrs["nothing"] = h5py.Empty("f4")
            file["v"].attrs["pair"] = np.array((1, 2), "i4,i4")
            file["v"].attrs["to"] = file["u"].ref
            file["v"].attrs["_FillValue"] = np.int64(-1)
            file.attrs["empty"] = h5py.Empty("i2")
            file.attrs["table"] = np.ones((2, 2))
            file.attrs["drx.x"] = 1
            file.attrs["good"] = "text"
        told = self.warned("in.h5", "ds", "--dataset")
        for text in ("in.h5: attribute table has 2 dimensions, 2 x 2; its 4 numbers become a list",
                     "in.h5: attribute drx.x has a name of DRX's own and is left out",
                     "in.h5:u: attribute table has 2 dimensions, 2 x 2; its 4 numbers become a list",
                     "in.h5:v: attribute to holds references and is left out"):
            self.assertIn(text + "\n", told)
        self.assertEqual(told.count("\n"), 4)
        self.assertIn("pair", self.info("ds/v")["attrs"])
        self.assertEqual(self.whole("ds/u").tolist(), np.arange(6).reshape(2, 3).tolist())
        self.assertEqual(self.info("ds/u")["attrs"], {"nothing": [], "table": [0, 1, 2, 3]})
        self.assertEqual((self.info("ds/u")["dims"], self.info("ds/v")["fill"]), (["phony_dim_1", "x"], -1))
        attrs = self.info("ds")["attrs"]
        self.assertEqual([attrs[name] for name in ("empty", "good", "table")], [[], "text", [1, 1, 1, 1]])
        self.assertNotIn("drx.x", attrs)

    def test_messages(self):
        """Which library says what, and which types are not stored."""
        with h5py.File("in.h5", "w") as file:
            file.create_dataset("pairs", (2,), [("a", "i4"), ("to", h5py.ref_dtype)])
            file["truth"] = np.zeros(2, "?")
        self.fails(1, "import", "in.h5", "ds", "--dataset", says=["in.h5:pairs: holds compounds whose field 'to' holds references",
                   "1 of its 2 variables cannot be stored"], lines=2)
        self.drx("import", "in.h5", "ds", "--dataset", "--skip-unsupported", warns="in.h5:pairs: holds compounds")
        self.assertEqual(self.whole("ds/truth").tolist(), [False, False])
        with h5py.File("in.h5", "w") as file:
            file["u"] = np.arange(3)
            file["gone"] = h5py.ExternalLink("gone.h5", "u")
        self.drx("import", "in.h5", "links", "--dataset", warns="in.h5: the link 'gone' leads to nothing")
        self.drx("import", "in.h5:u", "u")
        with h5py.File("in.h5", "w") as file:
            file["u"] = h5py.Empty("f4")
        self.fails(1, "import", "in.h5:u", "no", says="in.h5:u: has no elements, not even a shape")
        with h5py.File("in.h5", "w") as file:
            file["u"] = h5py.Empty(np.dtype(("i4", (3,))))
        self.fails(1, "import", "in.h5", "no", "--dataset", says="in.h5:u: has no elements, not even a shape, and each", lines=2)

    def test_null(self):
        """Null dataspaces become null variables, of whatever type, which other formats lack."""
        types = {"c": "S1", "h": h5py.enum_dtype({"A": 1, "B": 2}, "i1"), "s": h5py.string_dtype(), "t": [("a", "i4")], "u": "f4"}
        with h5py.File("in.h5", "w") as file:
            file["w"] = np.arange(3.0)
            for name, dtype in types.items():
                file[name] = h5py.Empty(np.dtype(dtype))
            file["u"].attrs["units"] = "m"
        self.drx("import", "in.h5", "ds", "--dataset")
        self.drx("copy", "ds", "copy", "--codec", "zstd")
        for path in "ds", "copy":
            self.assertIn("good", self.drx("check", path))
            text = self.drx("info", path)
            for line in ("char c", "enum int8 {A=1, B=2} h", "string s", "{a: int32 @0} t", "float u"):
                self.assertIn(f"\t{line} ; // null: no elements\n", text)
            variables = self.info(path)["variables"]
            self.assertEqual([name for name, one in variables.items() if one.get("null")], list(types))
            self.assertEqual((variables["u"]["dims"], variables["u"]["shape"]), ([], []))
            self.assertEqual(self.info(f"{path}/u")["attrs"]["units"], "m")
            self.assertEqual((self.info(f"{path}/u")["null"], self.drx("read", f"{path}/u")), (True, ""))
            self.assertIn("none  (null: no elements)", self.drx("info", f"{path}/u"))
            self.assertEqual(sorted(os.listdir(path))[:2], ["dataset.xds", "w.xta" if path == "ds" else "w.xct"])
        told = [f"ds: variable '{name}' is left out: it is null, without elements, and " for name in types]
        self.drx("export", "ds", "out.nc", warns=[one + "netCDF has no" for one in told])
        with netCDF4.Dataset("out.nc") as nc:
            self.assertEqual(list(nc.variables), ["w"])
        self.drx("refs", "ds", "-o", "out.json", warns=[one + "Zarr has no" for one in told])
        for name in "out.nc", "out.npy":
            self.fails(1, "export", "ds/u", name, says="ds/u: is null, without elements and without a shape; HDF5 alone")
        self.drx("export", "ds/u", "out.h5")
        with h5py.File("out.h5") as file:
            self.assertEqual((file["u"].shape, file["u"].dtype, file["u"].attrs["units"]), (None, np.dtype("f4"), "m"))
        self.drx("add", "ds", "v", "copy/u")
        self.fails(1, "add", "ds", "x", "copy/u", "--dims", "t", says="copy/u: --dims has 1 names; give 0")
        self.drx("mv", "ds/u", "ds/none")
        self.drx("rm", "ds/t")
        self.fails(1, "add-axis", "ds/none", "0", "run", says="ds: none: a null variable, without elements, gets no axis")
        text = self.drx("info", "ds")
        self.assertEqual([f" {name} ; // null" in text for name in ("none", "v", "u", "t")], [True, True, False, False])
        self.assertIn("good", self.drx("check", "ds"))

    def test_kinds_appended(self):
        """Numbers are no strings, and none are known by another name."""
        for name, value in ("0", "four"), ("1", 4.0):
            with netCDF4.Dataset(f"{name}.nc", "w") as nc:
                nc.createDimension("t", None)
                nc.createVariable("t", "f8", ("t",))[:] = [float(name)]
                nc.createVariable("u", str if name == "0" else "f4", ())[...] = value
        for first, second, says in ("0", "1", "1.nc:u: holds float32, but strings in"), ("1", "0", "0.nc:u: holds strings, but float32 in"):
            self.drx("import", f"{first}.nc", f"ds{first}")
            self.fails(1, "import", f"{second}.nc", f"ds{first}", "--append", "t", says=says)

    def test_null_appended(self):
        """Both have it, or neither."""
        for i in range(3):
            with netCDF4.Dataset(f"{i}.nc", "w") as nc:
                nc.createDimension("t", None)
                nc.createVariable("t", "f8", ("t",))[:] = [i]
            with h5py.File(f"{i}.nc", "a") as file:
                file["u"] = h5py.Empty(h5py.string_dtype()) if i < 2 else "four"
        self.drx("import", "0.nc", "ds", "--dataset")
        self.drx("import", "1.nc", "ds", "--append", "t")
        self.assertEqual(self.whole("ds/t").tolist(), [0, 1])
        self.fails(1, "import", "2.nc", "ds", "--append", "t", says="2.nc:u: is null, without elements, but only in ds")
