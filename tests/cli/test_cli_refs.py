"""drx refs: what it writes is opened by zarr and xarray, through the file system "reference" of fsspec."""

import importlib.util
import itertools
import json
import os
import shutil
import signal
import subprocess

import numpy as np

from drx_cli import DRX, STORED, TYPES, CliTest, names, need, read_file, sample, some, write_file

need(*(importlib.util.find_spec(name) for name in ("zarr", "fsspec", "xarray", "netCDF4")))

import fsspec  # noqa: E402
import netCDF4  # noqa: E402
import xarray as xr  # noqa: E402
import zarr  # noqa: E402

from vectors import unpacked  # noqa: E402


def mapper(refs):
    return fsspec.get_mapper("reference://", fo=refs, skip_instance_cache=True)


def group(refs):
    return zarr.open_group(mapper(refs), mode="r")


def chunks_of(refs, name):
    """{key: reference} of the chunks of an array."""
    return {key: ref for key, ref in refs["refs"].items() if key.startswith(name + "/") and "/.z" not in key}


class RefsTest(CliTest):
    def refs(self, *words):
        """What the verb prints; each key once."""
        def unique(pairs):
            self.assertEqual(len(pairs), len(dict(pairs)))
            return dict(pairs)

        refs = json.loads(self.drx("refs", *words), object_pairs_hook=unique, parse_constant=self.fail)
        self.assertEqual(refs["version"], 1)
        for key, ref in refs["refs"].items():
            if isinstance(ref, str) and not ref.startswith("base64:"):
                json.loads(ref, parse_constant=self.fail)  # NaN is not JSON
        return refs

    def opened(self, *words):
        """The array as zarr reads it, whole, and the file of references; xarray agrees, where nothing is decoded."""
        refs = self.refs(*words)
        name = os.path.basename(words[0])
        array = group(refs)[name]
        got = array[...]
        self.assertEqual(len(chunks_of(refs, name)), array.nchunks)
        with xr.open_zarr(mapper(refs), mask_and_scale=False, concat_characters=False, decode_times=False) as ds:
            self.assert_same(ds[name].values, got)
        return got, refs


class Elements(RefsTest):
    def test_types(self):
        """All types, in whole and in edge chunks of either order, raw and compressed."""
        for dtype, stored in itertools.product(TYPES, some(2, STORED)):
            with self.subTest(dtype=dtype, stored=stored):
                a = sample((7, 5, 6), dtype)
                self.put("a", a, "--chunk", (3, 5, 4), "--order", "FC"[a.itemsize % 3 == 1], *stored)
                got, refs = self.opened("a")
                self.assert_same(got, a)
                self.assertIn(f'"order":"{"FC"[a.itemsize % 3 == 1]}"', refs["refs"]["a/.zarray"])

    def test_strings(self):
        """Also chunks that nobody wrote, of elements that a frame of Blosc cannot shuffle."""
        names = np.array([[b"Reading", b"Oslo", b""], [b"a", b"b", b"c" * 7]], "S7")
        for values, fill in ((names, "N/A"), (names.astype("S300"), None), (names.astype("U7"), "\u2014"),
                             (names.astype("S256"), None)):
            for stored in STORED:
                with self.subTest(dtype=values.dtype, stored=stored):
                    self.put("a", values, "--chunk", (2, 2), *stored, *(["--fill", fill] if fill else []))
                    self.drx("extend", "a", 0, 5)
                    rest = (fill or "").encode() if values.dtype.kind == "S" else fill
                    got, refs = self.opened("a")
                    self.assert_same(got, np.concatenate([values, np.full((5, 3), rest, values.dtype)]))
                    self.assertEqual(json.loads(refs["refs"]["a/.zarray"])["dtype"], values.dtype.str)
        self.drx("create", "b", "--shape", 4, "--type", "S256", "--fill", "x", "--codec", "lz4")
        self.fails(1, "refs", "b", says=["a fill of type S256", "at most 255 bytes"])

    def test_raw_places(self):
        """They are those of the map, with whole chunks and without their padding."""
        self.put("a", np.arange(35, dtype="i4").reshape(5, 7), "--chunk", (2, 3), "--align", "64")
        url = "file://" + os.path.realpath("a.xta")
        refs = self.opened("a")[1]
        self.assertEqual(chunks_of(refs, "a"), {
            f"a/{i}.{j}": [url, 64 * int(self.drx("map", "a", "--index", (i, j))), 24]
            for i in range(3) for j in range(3)})

    def test_checksums_and_stripes(self):
        for folder in ("d0", "d1", "d 2"):
            os.mkdir(folder)
        for options in (("--checksum",), ("--stripe", "d0,d1,d 2")):
            a = sample((9, 8), "f8")
            self.put("a", a, "--chunk", (2, 3), *options)
            got, refs = self.opened("a")
            self.assert_same(got, a)
        self.assertEqual({os.path.basename(os.path.dirname(ref[0])) for ref in chunks_of(refs, "a").values()},
                         {"d0", "d1", "d 2"})

    def test_nothing_and_one(self):
        """An axis without indices has no chunks; an array of one element has one."""
        self.drx("create", "a", "--shape", "0,4", "--chunk", "2,2")
        got, refs = self.opened("a")
        self.assertEqual((got.shape, chunks_of(refs, "a")), ((0, 4), {}))
        self.put("one", np.array([7.5]))
        self.assertEqual(self.opened("one")[0].tolist(), [7.5])

    def test_many_chunks_in_little_memory(self):
        self.drx("create", "a", "--shape", 50000, "--chunk", 1, "--type", "int8", "--fill", 3)
        self.in_little_memory("refs", "a", "-o", "a.json")
        refs = json.loads(read_file("a.json"))
        self.assertEqual(len(chunks_of(refs, "a")), 50000)
        self.assertEqual(group(refs)["a"][49990:].tolist(), [3] * 10)


class Missing(RefsTest):
    """Fill, NaN and real zeros."""

    def seen(self, path, name=None):
        """As xarray decodes it."""
        with xr.open_zarr(mapper(self.refs(path))) as ds:
            return ds[name or path].load()

    def test_zeros_are_zeros(self):
        """Zeros that were written, and those that nobody wrote, raw and compressed, mark nothing."""
        for dtype, stored in itertools.product(("int16", "float32", "complex64"), STORED):
            with self.subTest(dtype=dtype, stored=stored):
                a = np.zeros((6, 6), dtype)
                a[:2, 3:] = 5
                self.drx("create", "a", "--shape", "6,6", "--chunk", "2,3", "--type", dtype, "--force", *stored)
                self.write("a", a[:4])
                self.assert_same(self.opened("a")[0], a)
                self.assert_same(self.seen("a").values, a)

    def test_fill(self):
        """A fill that is not zero marks missing elements, as in a file that drx export makes."""
        for dtype, fill, stored in itertools.product(("int16", "uint64", "float64"), ("7", "255"), STORED):
            with self.subTest(dtype=dtype, fill=fill, stored=stored):
                a = np.full((5, 4), int(fill), dtype)
                a[1:3] = 0
                self.drx("create", "a", "--shape", "5,4", "--chunk", "1,3", "--type", dtype, "--fill", fill, "--force",
                         *stored)
                np.save("rows.npy", a[1:3])
                self.drx("write", "a", "--at", "1,0", "rows.npy")
                self.assert_same(self.opened("a")[0], a)
                self.drx("export", "a", "a.nc", "--deflate", 1)
                with xr.open_dataset("a.nc") as ds:
                    np.testing.assert_array_equal(self.seen("a").values, ds["a"].values)
                self.assertEqual(int(self.seen("a").isnull().sum()), 12)

    def test_special_fills(self):
        """NaN, infinite and complex ones, and a zero with a sign: as they are, with and without chunks."""
        fills = {"float32": ("nan", "inf", "-inf", "-0.0", "1e-40"), "complex128": ("nan", "1+2j", "-0.5j"),
                 "int64": ("-9223372036854775808",), "uint64": ("18446744073709551615",), "int8": ("-128",)}
        for dtype, stored in itertools.product(fills, some(2, STORED)):
            for fill in fills[dtype]:
                with self.subTest(dtype=dtype, fill=fill, stored=stored):
                    self.drx("create", "a", "--shape", "4", "--chunk", "3", "--type", dtype, f"--fill={fill}",
                             "--force", *stored)
                    got = self.opened("a")[0]
                    expected = self.whole("a")
                    np.testing.assert_array_equal(got, expected)
                    np.testing.assert_array_equal(np.signbit(got.real), np.signbit(expected.real))

    def test_frames_of_the_fill(self):
        """Of every size, for chunks that nobody wrote."""
        sizes = [1, 2, 7, 15, 16, 17, 31, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 131071, 131072, 131073, 600001]
        fills = {"uint8": 200, "int16": -37, "float32": 1.1, "complex128": 1 + 2j}
        for n, (dtype, fill) in itertools.product(some(6, sizes), fills.items()):
            with self.subTest(n=n, dtype=dtype):
                self.drx("create", "a", "--shape", n, "--chunk", n, "--type", dtype, "--fill=" + str(fill).strip("()"),
                         "--force", "--codec", "zstd")
                got, refs = self.opened("a")
                self.assert_same(got, np.full(n, fill, dtype))
                self.assertLess(len(refs["refs"]["a/0"]), 1000)

    def test_the_attribute_is_the_mark(self):
        """_FillValue goes before the fill; one that the type does not have stays an attribute."""
        with netCDF4.Dataset("a.nc", "w") as f:
            f.createDimension("x", 5)
            for name, dtype, mark in (("u", "f4", -999), ("k", "i2", 0), ("t", "f8", np.nan)):
                f.createVariable(name, dtype, ("x",), fill_value=mark)[:] = [0, 1, 2, 3, 4]
            f["u"][2] = -999
            f["u"].missing_value = np.float32(np.nan)
        self.drx("import", "a.nc", "ds")
        refs = self.refs("ds")
        with xr.open_zarr(mapper(refs)) as got, xr.open_dataset("a.nc") as expected:
            for name in ("u", "k", "t"):
                np.testing.assert_array_equal(got[name].values, expected[name].values)
            self.assertEqual(int(got.u.isnull().sum()), 1)

    def test_out_of_reach(self):
        """Chunks whose file is not there are an error, or missing elements, but never zeros."""
        self.put("a", np.ones((4, 4)), "--chunk", (2, 2))
        refs = self.refs("a")
        os.rename("a.xta", "b.xta")
        try:
            got = group(refs)["a"][...]
        except KeyError:  # as fsspec has it in Debian 12
            return
        self.assertTrue(np.isnan(got).all())


class Growth(RefsTest):
    def test_both_ends(self):
        """Chunks below index 0; what was listed before a growth is there after it."""
        for stored in STORED:
            with self.subTest(stored=stored):
                a = sample((4, 6), "i4")
                self.put("a", a, "--chunk", (2, 3), "--fill", "-1", *stored)
                self.drx("compact", "a")
                old = self.opened("a")[1]
                a = self.grow_both_ends("a", a)
                got, refs = self.opened("a")
                self.assert_same(got, a)
                self.assertEqual(json.loads(refs["refs"]["a/.zattrs"])["drx_lower"], [-4, 0])
                self.assert_same(group(old)["a"][...], a[4:8, :6])

    def test_lower_and_trimmed(self):
        self.drx("create", "a", "--shape", "8,6", "--chunk", "2,3", "--lower", "1000,-6", "--type", "int32", "--dims",
                 "t,")
        a = np.arange(48, dtype="i4").reshape(8, 6)
        self.write("a", a)
        self.drx("trim", "a", "t", "--before", "4", "--after", "1")
        got, refs = self.opened("a")
        self.assert_same(got, a[4:7])
        self.assertEqual(json.loads(refs["refs"]["a/.zattrs"]),
                         {"_ARRAY_DIMENSIONS": ["t", "a_dim_1"], "drx_lower": [1004, -6]})
        self.drx("add-axis", "a", "1", "z")
        self.assert_same(self.opened("a")[0], a[4:7, None])

    def test_inside_a_chunk(self):
        """Refused, with the axis and what would do, if it is too large to be in the file itself."""
        self.put("a", np.arange(2731 * 3).reshape(2731, 3), "--chunk", (2, 2), "--dims", "time,x")
        self.drx("extend", "a", "time", "1", "--before")
        self.fails(1, "refs", "a", says=("axis 0 (time)", "index -1", "chunk of 2", "`drx copy a NEW --from-zero`",
                                           "zarr_store"))
        self.fails(1, "refs", "a", "-o", "a.json", says="axis 0 (time)")
        self.assertNotIn("a.json", names())
        self.drx("copy", "a", "b", "--from-zero")
        self.assert_same(self.opened("b")[0], self.whole("a"))

    def test_small_inside_a_chunk(self):
        """The file has the elements as one chunk: of all types and orders, raw and compressed, up to 64 KiB."""
        for dtype, order in itertools.product([*some(4, TYPES), "S300", "U7"], "CF"):
            with self.subTest(dtype=dtype, order=order):
                a = sample((4, 3), dtype) if dtype in TYPES else np.arange(12).reshape(4, 3).astype(dtype)
                self.put("a", a, "--chunk", (2, 2), "--order", order, *some(1, STORED)[0])
                self.drx("trim", "a", 0, "--before", 1)
                self.drx("extend", "a", 1, 1, "--before")
                expected = self.whole("a")
                self.assertEqual(expected.shape, (3, 4))
                got, refs = self.opened("a")
                self.assert_same(got, expected)
                (ref,) = chunks_of(refs, "a").values()
                self.assertTrue(ref.startswith("base64:"), ref)
        self.put("a", np.arange(8192.0), "--chunk", 512)
        self.drx("trim", "a", 0, "--before", 1)
        self.assert_same(self.opened("a")[0], np.arange(1, 8192.0))
        self.drx("extend", "a", 0, 1)
        self.assertEqual(len(self.opened("a")[0]), 8192)  # 64 KiB
        self.drx("extend", "a", 0, 1)
        self.fails(1, "refs", "a", says="chunk of 512")
        self.drx("trim", "a", 0, "--after", 8193)
        self.assertEqual(self.opened("a")[0].shape, (0,))

    def test_what_is_open(self):
        """Chunks at the growing edge of a compressed array, closed since, and compacted: older references show what they
        showed, though other chunks lie in their places by now."""
        earlier = []
        self.drx("create", "a", "--shape", "0,8", "--chunk", "4,4", "--type", "float32", "--codec", "zstd")
        rows = sample((11, 8), "f4")
        for i, row in enumerate(rows):
            np.save("row.npy", row[None])
            self.drx("append", "a", "0", "row.npy")
            got, refs = self.opened("a")
            earlier.append(refs)
            for n, refs in enumerate(earlier, 1):
                self.assert_same(group(refs)["a"][...], rows[:n])
        self.assertLess(os.path.getsize("a.xtz"), 2 * 8 * 4 * 4 + 2 * 2 * 150)
        old = self.refs("a")
        self.drx("compact", "a")
        new = self.refs("a")
        self.assert_same(self.opened("a")[0], rows)
        changed = {key for key, ref in chunks_of(old, "a").items() if new["refs"][key] != ref}
        self.assertEqual(changed, {"a/2.0", "a/2.1"})

    def test_a_short_file(self):
        """What the file does not have, which is fill, is refused: references would read zeros, or nothing."""
        unpacked("unsynced_fill", ".")
        before = self.whole("arr")
        self.fails(1, "refs", "arr", says=("arr.xta", "ends before", "repair"))
        self.drx("check", "arr", "--repair")
        self.assert_same(self.opened("arr")[0], before)
        self.drx("extend", "arr", 0, 1)
        os.truncate("arr.xta", 8)
        self.ends(1, "refs", "arr", err=("warning", "chunk 1, which its last sync promised"))


def make_nc(path, days, first=0):
    """Coordinates, packed numbers, text of both kinds, a scalar, and attributes of many kinds."""
    with netCDF4.Dataset(path, "w") as f:
        for dim, n in (("time", None), ("y", 3), ("x", 5), ("letter", 4)):
            f.createDimension(dim, n)
        f.createVariable("time", "f8", ("time",))[:] = first + np.arange(days)
        f["time"].setncatts({"units": "days since 2000-01-01", "calendar": "noleap"})
        f.createVariable("y", "f4", ("y",))[:] = [-1.5, 0, 1.5]
        f.createVariable("t", "f4", ("time", "y", "x"), fill_value=-9)[:] = sample((days, 3, 5), "i2", first)
        f["t"].setncatts({"units": "K", "range": np.array([0.5, 1e30], "f8"), "coordinates": "name",
                          "count": np.int64(1 << 60), "quoted": 'a "b" \\ / é \n', "bad": np.float32(np.nan)})
        packed = f.createVariable("p", "i2", ("time", "x"), fill_value=-32767)
        packed.setncatts({"scale_factor": 0.1, "add_offset": 4.0})
        packed[:] = np.arange(days * 5).reshape(days, 5) / 10
        f.createVariable("name", "S1", ("y", "letter"))[:] = np.array([list("ab  "), list("cde "), list("fghi")], "S1")
        f.createVariable("word", str, ("y",))[:] = np.array(["Ulm", "Zürich", ""], object)
        f.createVariable("level", "i8", ())[...] = 42
        f.setncatts({"title": "all sorts", "history": "x"})
        f.setncattr_string("sources", ["one", "two"])


class Dataset(RefsTest):
    def same(self, refs, *files):
        with xr.open_zarr(mapper(refs), chunks=None) as got, xr.open_mfdataset(
                files, combine="nested", concat_dim="time", data_vars="minimal", coords="minimal",
                compat="override") as expected:
            expected = expected.load()
            self.assertEqual(set(got.variables), set(expected.variables))
            self.assertEqual(got.attrs, expected.attrs)
            for name in expected.variables:
                with self.subTest(name):
                    np.testing.assert_array_equal(got[name].values, expected[name].values)
                    self.assertEqual(got[name].dims, expected[name].dims)
                    attrs = dict(expected[name].attrs)
                    if "bad" in attrs:
                        attrs["bad"] = "NaN"
                    self.assertEqual(got[name].attrs.keys(), attrs.keys())
                    for key, value in attrs.items():
                        np.testing.assert_array_equal(got[name].attrs[key], value)

    def test_all_of_it(self):
        """xarray reads what it reads of the files that were imported; also of an earlier commit, and old references."""
        make_nc("one.nc", 5)
        make_nc("two.nc", 4, 5)
        for stored in some(2, STORED):
            with self.subTest(stored=stored):
                shutil.rmtree("ds", ignore_errors=True)
                self.drx("import", "one.nc", "ds", *stored)
                old = self.refs("ds")
                self.same(old, "one.nc")
                self.drx("import", "two.nc", "ds", "--append", "time")
                self.same(self.refs("ds"), "one.nc", "two.nc")
                if not stored:
                    self.same(old, "one.nc")
                self.same(self.refs("ds", "--at", "1"), "one.nc")
                self.assert_same(self.opened("ds/p")[0], self.whole("ds/p"))
                self.assertEqual(self.opened("ds/p", "--at", "1")[0].shape, (5, 5))

    def test_consolidated(self):
        """.zmetadata has what the other keys have."""
        make_nc("one.nc", 5)
        self.drx("import", "one.nc", "ds")
        refs = self.refs("ds")["refs"]
        metadata = json.loads(refs[".zmetadata"])
        self.assertEqual(metadata["zarr_consolidated_format"], 1)
        self.assertEqual(metadata["metadata"], {key: json.loads(ref) for key, ref in refs.items()
                                                if key.split("/")[-1] in (".zgroup", ".zarray", ".zattrs")})

    def test_both_ends(self):
        make_nc("one.nc", 5)
        make_nc("two.nc", 4, 5)
        self.drx("import", "two.nc", "ds")
        self.drx("import", "one.nc", "ds", "--append", "time")  # leads up to the first: a prepend
        with xr.open_zarr(mapper(self.refs("ds"))) as got, xr.open_mfdataset(["one.nc", "two.nc"], data_vars="minimal") as expected:
            np.testing.assert_array_equal(got.time, expected.time)
            for name in expected.data_vars:
                np.testing.assert_array_equal(got[name], expected[name])

    def test_large_both_ends(self):
        """A dataset whose coordinates fit in the file, and whose variable does not, until it is copied."""
        def field(lat):
            return xr.Dataset({"sst": (("lat", "lon"), np.random.default_rng(1).random((len(lat), 1000)))},
                              {"lat": np.asarray(lat, "f8"), "lon": np.arange(1000.0)})

        north, south = field(range(-60, 60, 5)), field(range(-90, -60, 5))
        north.to_netcdf("north.nc")
        south.to_netcdf("south.nc")
        self.drx("import", "north.nc", "ds", "--dataset")
        self.drx("import", "south.nc", "ds", "--append", "lat")
        self.fails(1, "refs", "ds", "-o", "w.json", says=("sst", "axis 0 (lat)", "`drx copy ds NEW --from-zero`"))
        self.drx("copy", "ds", "new", "--from-zero")
        self.assert_same(self.whole("new/sst"), np.concatenate([south.sst, north.sst]))
        self.assertEqual(self.info("new/sst")["lower"], [0, 0])
        self.assertTrue(xr.open_zarr(mapper(self.refs("new"))).load().identical(xr.concat([south, north], "lat")))

    def test_groups(self):
        """They are nested groups, whatever the names of the files; names of dimensions are plain, unless one hides it."""
        make_nc("one.nc", 5)
        self.drx("import", "one.nc", "ds")
        np.save("b.npy", np.arange(10.0).reshape(5, 2))
        self.drx("add", "ds", "g/h/b", "b.npy", "--dims", "time,n", "--codec", "zstd")
        self.drx("add", "ds", "g/x", "b.npy", "--dims", "/g/time,m")
        self.drx("add", "ds", "g/y", "b.npy", "--dims", "/time,m")
        self.drx("attr", "ds/g", "source=argo")
        self.drx("attr", "ds/g/h", "depth=5", "--type", "int32")
        self.drx("mv", "ds/g/h", "ds/g/k")
        refs = self.refs("ds")
        root = group(refs)
        self.assertEqual((dict(root["g"].attrs), dict(root["g/k"].attrs)), ({"source": "argo"}, {"depth": 5}))
        np.testing.assert_array_equal(root["g/k/b"][...], np.load("b.npy"))
        self.assertEqual([root["g"][name].attrs["_ARRAY_DIMENSIONS"] for name in "xy"], [["time", "m"], ["/time", "m"]])
        for consolidated in (True, False):
            with xr.open_zarr(mapper(refs), group="g/k", consolidated=consolidated) as ds:
                self.assertEqual((ds.b.dims, ds.attrs), (("/time", "n"), {"depth": 5}))
                np.testing.assert_array_equal(ds.b, np.load("b.npy"))
        urls = {ref[0] for ref in self.refs("ds", "--url", "https://h/ds")["refs"].values() if isinstance(ref, list)}
        self.assertLessEqual({"https://h/ds/g/h/b.xtz", "https://h/ds/g/x.xta"}, urls)
        self.same({"version": 1, "refs": {key: ref for key, ref in refs["refs"].items()
                                          if not key.startswith("g/") and key != ".zmetadata"}}, "one.nc")
        self.fails(1, "refs", "ds/g", says="ds/g: is a group of the dataset ds")

    def test_a_folder_of_arrays(self):
        os.mkdir("f")
        self.put("f/x", np.arange(3.0), "--dims", "x")
        self.fails(1, "refs", "f", says="f: is a folder, but not a dataset")

    def test_wrong(self):
        self.fails(1, "refs", "nothing", says="nothing")
        self.put("a", np.arange(3.0))
        self.fails(2, "refs", "a", "--url", "", says="--url")
        self.fails(1, "refs", "a", "--at", "1", says="a")
        self.cannot_write("refs", "a")


class Output(RefsTest):
    def test_url(self):
        """Names are escaped for HTTP alone."""
        os.mkdir("s 1")
        self.put("ü 100%", np.arange(4.0), "--chunk", 2, "--codec", "lz4")
        self.put("b", np.arange(4.0), "--chunk", 2, "--stripe", "s 1")
        for base, expected in (("https://h/d", "https://h/d/%C3%BC%20100%25.xtz"), ("s3://b/", "s3://b/ü 100%.xtz"),
                               ("https://h/a%20b///", "https://h/a%20b/%C3%BC%20100%25.xtz"),
                               ("/x/y", "/x/y/ü 100%.xtz"), ("file:///", "file:///ü 100%.xtz")):
            refs = self.refs("ü 100%", "--url", base)
            self.assertEqual({ref[0] for ref in chunks_of(refs, "ü 100%").values()}, {expected})
        (url,) = {ref[0] for ref in chunks_of(self.refs("b", "--url", "https://h"), "b").values()}
        self.assertRegex(url, r"^https://h/b\.[0-9a-f]{32}\.xta\.0$")

    def test_url_of_a_folder(self):
        """The same elements from another place."""
        self.put("a", np.arange(40.0), "--chunk", 7)
        refs = self.refs("a", "--url", os.path.abspath("else where"))
        os.mkdir("else where")
        os.rename("a.xta", "else where/a.xta")
        np.testing.assert_array_equal(group(refs)["a"][...], np.arange(40.0))

    def test_file(self):
        """It replaces an older one when it is complete."""
        self.put("a", np.arange(4.0))
        write_file("r.json", "old")
        self.fails(1, "refs", "nothing", "-o", "r.json", says="nothing")
        self.assertEqual(read_file("r.json"), b"old")
        self.assertEqual(self.drx("refs", "a", "-o", "r.json"), "")
        self.assertEqual(read_file("r.json").decode(), self.drx("refs", "a"))
        self.fails(1, "refs", "a", "-o", "no/r.json", says="no/r.json")
        self.assertEqual(names(), ["a.xmd", "a.xta", "r.json"])

    def test_interrupted(self):
        self.drx("create", "a", "--shape", 3000000, "--chunk", 1, "--type", "int8")
        write_file("r.json", "old")
        self.interrupted(signal.SIGINT, "refs", "a", "-o", "r.json")
        self.assertEqual((names(), read_file("r.json")), (["a.xmd", "a.xta", "r.json"], b"old"))

    def test_names(self):
        """Quotes and control characters; bytes that are no UTF-8 are refused."""
        name = 'a"b\n\x7fé😀'
        self.put(name, np.arange(3.0), "--dims", 'x"y')
        got, refs = self.opened(name)
        self.assertEqual(got.tolist(), [0, 1, 2])
        self.assertEqual(json.loads(refs["refs"][name + "/.zattrs"]), {"_ARRAY_DIMENSIONS": ['x"y']})
        self.put("a", np.arange(3.0))
        os.mkdir(b"\xff")
        for file in ("a.xmd", "a.xta"):
            shutil.copy(file, os.path.join(b"\xff", file.encode()))
            shutil.copy(file, file.encode().replace(b"a", b"\xfe", 1))
        for path, says in ((b"\xff/a", b"--url"), (b"\xfe", b"UTF-8")):
            result = subprocess.run([os.fsencode(DRX), b"refs", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                    check=False)
            self.assertEqual(result.returncode, 1)
            self.assertIn(says, result.stderr)
