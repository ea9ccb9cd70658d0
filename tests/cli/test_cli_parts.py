"""The program drx: parts of arrays and datasets in netCDF files, and in copies."""

import importlib.util
import os
import subprocess

import numpy as np

import drx_cli
import nc_file
from drx_cli import CliTest, names, need, sample

need(nc_file.LIBRARY, *map(importlib.util.find_spec, ("netCDF4", "xarray")))

import xarray  # noqa: E402


class Arrays(CliTest):
    def test_complex_and_strings(self):
        """A lone array, or a part of it, has in netCDF the types that a dataset has."""
        pairs, words = sample((4, 5), "c16"), np.array([["Köln", "x"], ["", "Zürich"], ["a", "日本"]])
        np.save("c.npy", pairs)
        np.save("w.npy", words)
        np.save("b.npy", np.char.encode(words, "utf-8"))
        for name in "cwb":
            self.drx("import", name + ".npy", name)
        for text, key in (("", np.s_[:]), ("[::-1]", np.s_[::-1]), ("[2:0:-1,1]", np.s_[2:0:-1, 1]), ("[1,0]", np.s_[1, 0])):
            for name in "cwb":
                self.drx("export", name + text, name + ".nc")
            ds = xarray.open_dataset("c.nc")["c"]
            self.assertEqual(ds.dims[-1], "complex")
            self.assert_same(ds.values[..., 0] + 1j * ds.values[..., 1], pairs[key])
            self.assertTrue(np.array_equal(xarray.open_dataset("w.nc")["w"].values, words[key]))
            self.assertTrue(np.array_equal(np.char.decode(xarray.open_dataset("b.nc")["b"].values, "utf-8"), words[key]))

    def test_strings_of_an_import(self):
        xarray.Dataset({"s": ("x", np.array(["ab", "c", "déf"], object))}).to_netcdf("in.nc")
        self.drx("import", "in.nc", "ds")
        self.drx("export", "ds/s[::-2]", "out.nc")
        self.assertEqual(list(xarray.open_dataset("out.nc")["s"].values), ["déf", "ab"])
        self.fails(1, "export", "ds/s[:,:2]", "out.nc", says="ds/s: has strings along its last axis")


def write_model(path, n=24, start="2002-01-15"):
    """temp(time, lat, lon), daily means with bounds, a grid mapping and coordinates that an attribute names."""
    rng = np.random.default_rng(1)
    steps = np.datetime64(start, "s") + np.arange(n) * np.timedelta64(30, "D")
    ds = xarray.Dataset(
        {"temp": (("time", "lat", "lon"), rng.integers(-500, 500, (n, 19, 24)).astype("f4"),
                  {"grid_mapping": "crs", "coordinates": "station height"}),
         "time_bnds": (("time", "nv"), np.stack([steps, steps + np.timedelta64(30, "D")], 1)),
         "crs": ((), np.int32(1), {"grid_mapping_name": "latitude_longitude"}), "height": ((), 2.0),
         "station": (("lat",), np.array([f"ß{i}" for i in range(19)], object)), "code": (("lat",), np.array([b"ab"] * 19)),
         "mask": (("lat", "lon"), np.arange(19 * 24, dtype="i1").reshape(19, 24) % 2)},
        {"time": ("time", steps, {"bounds": "time_bnds"}), "lat": ("lat", np.linspace(-90, 90, 19), {"units": "degrees_north"}),
         "lon": ("lon", np.arange(0, 360, 15.0), {"units": "degrees_east"})}, {"title": "°", "Conventions": "CF-1.8"})
    units = {"units": "days since 2000-01-01"}
    ds.to_netcdf(path, unlimited_dims=["time"],
                 encoding={"time": units, "time_bnds": units, "temp": {"dtype": "i2", "scale_factor": 0.5, "_FillValue": -9}})


def write_curved(path):
    """temp(time, y, x) where lat and lon vary along y and x, and some of them are missing."""
    j, i = np.mgrid[0:20, 0:30]
    lat, lon = 40 + j / 2 + i / 20, (355 + 0.7 * i - j / 10) % 360  # across the meridian of Greenwich
    lat[3, 4] = lon[3, 4] = np.nan
    lat[0, :] = np.nan
    fill = {"_FillValue": -999.0}
    ds = xarray.Dataset({"temp": (("time", "y", "x"), np.arange(1800.0).reshape(3, 20, 30), {"coordinates": "lat lon"}),
                         "row": ("y", np.arange(20.0))},
                        {"lat": (("y", "x"), lat, {"units": "degrees_north"}), "lon": (("y", "x"), lon, {"units": "degrees_east"})})
    ds.to_netcdf(path, encoding={"lat": fill, "lon": fill})
    return lat, lon


class Datasets(CliTest):
    def setUp(self):
        super().setUp()
        write_model("in.nc")
        self.drx("import", "in.nc", "ds")

    def same(self, file, expected):
        """Equal in values, attributes, types and unlimited dimensions."""
        with xarray.open_dataset(file, decode_cf=False) as found:
            self.assertTrue(found.load().identical(expected.load()), (found, expected))
            self.assertEqual({name: v.dtype for name, v in found.variables.items()},
                             {name: v.dtype for name, v in expected.variables.items()})
            self.assertEqual(found.encoding["unlimited_dims"], {"time"})

    def test_parts(self):
        """What xarray, and NCO, select of the whole file."""
        whole = xarray.open_dataset("in.nc", decode_cf=False).load()
        for text, key in (("time=2003, lat=-30:30", {"time": slice(12, 24), "lat": slice(6, 13)}),
                          ("lon=45", {"lon": [3]}), ("lat=:0:2,lon=300:", {"lat": slice(0, 10, 2), "lon": slice(20, 24)}),
                          ("time=2003-01-10", {"time": [12]}), ("nv=1", {"nv": [1]}), ("nv=::-1", {"nv": slice(None, None, -1)})):
            self.drx("export", f"ds[{text}]", "out.nc")
            self.same("out.nc", whole.isel(key))
            self.drx("copy", f"ds[{text}]", "part")
            self.assertTrue(self.drx("check", "part").strip().endswith("good"))
            self.drx("export", "part", "out.nc")
            self.same("out.nc", whole.isel(key))
            subprocess.run(["rm", "-r", "part"], check=True)
        self.drx("export", "ds[time=2003,lat=-30:30]", "out.nc")
        subprocess.run(["ncks", "-O", "-d", "time,12,23", "-d", "lat,-30.,30.", "in.nc", "nco.nc"], check=True)
        nco = xarray.open_dataset("nco.nc", decode_cf=False).load()
        del nco.attrs["history"], nco.attrs["NCO"]
        self.same("out.nc", nco)
        self.drx("copy", "ds[lat=60:]", "north", "--chunk", "time=5", "--codec", "zstd", "--keep-bits", "3")
        self.assert_info("north/mask", chunk=[4, 24], shape=[4, 24])

    def test_commits(self):
        """A part of an earlier commit; a dataset of one is all that there is of undo."""
        self.drx("import", "in.nc", "ds", "--append", "time", "--overlap", "skip")
        write_model("more.nc", 3, "2004-07-03")
        self.drx("import", "more.nc", "ds", "--append", "time", warns="a step of")
        self.drx("copy", "ds", "then", "--at", 1)
        self.drx("export", "then[time=2003]", "a.nc")
        self.drx("export", "ds[time=2003]", "b.nc", "--at", 1)
        self.same("a.nc", xarray.open_dataset("b.nc", decode_cf=False))
        self.assertEqual(self.info("then/temp")["shape"], [24, 19, 24])

    def test_a_pipe(self):
        for words in (["ds"], ["ds[lat=0]"], ["ds/temp[0]"]):
            self.drx("export", words[0], "file.nc")
            with open("pipe.nc", "wb") as pipe:
                subprocess.run([drx_cli.DRX, "export", *words, "-", "--format", "netcdf"], stdout=pipe, check=True)
            self.assertTrue(xarray.open_dataset("pipe.nc").identical(xarray.open_dataset("file.nc")))
        self.assertTrue(self.run_drx("export", "ds/temp", "-", "--format", "hdf5").stdout.startswith(b"\x89HDF"))
        self.cannot_write("export", "ds", "-", "--format", "netcdf")
        self.fails(2, "export", "ds", "-", says="ds is a dataset, which goes to netCDF; give")
        os.mkdir("tmp")
        self.drx("export", "ds", "/dev/null", "--format", "netcdf", env={**os.environ, "TMPDIR": os.path.abspath("tmp")})
        self.assertEqual(os.listdir("tmp"), [])
        self.fails(1, "export", "ds", "-", "--format", "netcdf", says="none/drx: the folder none does not exist",
                   env={**os.environ, "TMPDIR": "none"})

    def test_what_read_prints(self):
        """Text as text and times as dates, alone and in selections; view draws no letters."""
        whole = xarray.open_dataset("in.nc")
        dates = [[str(t)[:10] for t in row] for row in whole["time_bnds"].values]
        for path, expected in (
                ("ds/time_bnds", "".join("  ".join(row) + "\n" for row in dates)), ("ds/time_bnds[3,1]", dates[3][1] + "\n"),
                ("ds/time_bnds[time=2002-02]", "  ".join(dates[1]) + "\n"), ("ds/time[-1]", dates[-1][0] + "\n"),
                ("ds/code[:3]", '"ab"  "ab"  "ab"\n'), ("ds/code[3,:]", '"ab"\n'), ("ds/code[3,1]", '"b"\n'),
                ("ds/code[:2,::-1]", '"ba"  "ba"\n'), ("ds/code[:2,0]", '"a"  "a"\n'), ("ds/code[0:0]", ""),
                ("ds/station[5]", '"ß5"\n'), ("ds/station[5:7,:2]", '"ß"  "ß"\n')):
            self.assertEqual(self.drx("read", path), expected, path)
        self.assertEqual(self.drx("read", "ds/code[3]", "--raw"), "97  98\n")
        for path in ("ds/code", "ds/code[:,0]", "ds/station"):
            self.fails(1, "view", path, "--terminal",
                       says=path.split("[")[0] + ": holds text, which has no picture; print it with 'drx read'")

    def test_attributes(self):
        """Types are kept, changes are one commit, and what fails changes nothing."""
        self.assertEqual(self.drx("attr", "ds/lat", "units"), "degrees_north\n")
        self.assertIn('grid_mapping = "crs"\n', self.drx("attr", "ds/temp"))
        self.drx("attr", "ds/temp", "scale_factor=0.25", "units=K m", "long=a=b", "valid_range=200,340")
        self.drx("attr", "ds", "range=1,-2, 3", "--type", "int16")
        self.drx("attr", "ds", "range=4", "version=x", "--delete", "Conventions")
        self.drx("export", "ds", "out.nc")
        with xarray.open_dataset("out.nc", decode_cf=False) as found:
            self.assertEqual(found["temp"].attrs["scale_factor"], 0.25)
            self.assertEqual(found["temp"].attrs["valid_range"].dtype, found["temp"].dtype)
            self.assertEqual((found["temp"].attrs["units"], found["temp"].attrs["long"]), ("K m", "a=b"))
            self.assertEqual((found.attrs["range"].dtype, found.attrs["range"]), ("int16", 4))
            self.assertEqual((found.attrs["version"], found.attrs["title"]), ("x", "°"))
            self.assertNotIn("Conventions", found.attrs)
        log = self.drx("log", "ds")
        self.assertIn("commit 4 ", log)
        for code, words, says in (
                (1, ["ds", "no"], "ds: has no attribute no"), (1, ["ds", "--delete", "no"], "ds: has no attribute no"),
                (1, ["ds", "title=y", "range=x"], "--type gives it another type"),
                (2, ["ds", "--type", "int8"], "--type goes with"),
                (1, ["ds", "drx.a=3"], "attribute drx.a is DRX's own"), (2, ["ds", "a=b", "--type", "S3"], "give text for"),
                (1, ["none", "a=b"], "none: no such array")):
            self.fails(code, "attr", *words, says=says)
        self.assertEqual(self.drx("log", "ds"), log)
        self.assertEqual(self.drx("attr", "ds", "title"), "°\n")
        self.drx("export", "ds/lat", "a.npy")
        self.drx("import", "a.npy", "a")
        self.drx("attr", "a", "units=m")
        self.assertEqual(self.drx("attr", "a"), 'units = "m"\n')

    def test_errors(self):
        before = names()
        for verb, target in (("export", "out.nc"), ("copy", "part")):
            for text, code, says in (
                    ("lev=3", 1, "ds: has no dimension lev; there are time, lat, lon, nv"), ("latt=3", 1, "did you mean lat?"),
                    ("3", 2, "dimensions of a dataset go by their names"), ("lat=3,lat=4", 2, "selects on lat twice"),
                    ("time=1999", 1, "time=1999 is outside of the coordinates"), ("lat=3:4", 1, "lat=3:4 holds none of"),
                    ("nv=1:1", 1, "nv=1:1 holds no index; there are 2"), ("nv=7", 1, "index 7 is outside of nv"),
                    ("nv=a", 2, "nv has no coordinates; give an index such as 3 or a slice such as 10:20"),
                    ("lon=-30:30", 1, "leaves out 330 to 345, which are the same longitudes"),
                    ("lon=-40:-20", 1, "lon=320:340 is the same longitudes"), ("", 2, "selection [] of ds is not valid")):
                self.fails(code, verb, f"ds[{text}]", target, says=says)
        self.assertEqual(names(), before)


class Curved(CliTest):
    def setUp(self):
        super().setUp()
        self.lat, self.lon = write_curved("in.nc")
        self.drx("import", "in.nc", "cv")

    def nearest(self, lat, lon):
        """By the distance on a sphere, in another way than drx does it."""
        a, b, c, d = map(np.radians, (self.lat, self.lon, lat, lon))
        h = np.sin((a - c) / 2) ** 2 + np.cos(a) * np.cos(c) * np.sin((b - d) / 2) ** 2
        return np.unravel_index(np.nanargmin(h), h.shape)

    def test_nearest(self):
        rng = np.random.default_rng(7)
        for k in range(10):
            lat, lon = rng.uniform(42, 48), rng.uniform(-4, 12) + 360 * (k % 3 - 1)
            j, i = self.nearest(lat, lon)
            self.assertEqual(float(self.drx("read", f"cv/temp[1, lat={lat}, lon={lon}]")), 600 + 30 * j + i)
        self.assertEqual(len(self.drx("read", "cv/temp[lon=8.5,lat=47.3]").split()), 3)
        self.drx("export", "cv[lat=47.3,lon=8.5]", "out.nc")
        j, i = self.nearest(47.3, 8.5)
        with xarray.open_dataset("out.nc") as found, xarray.open_dataset("in.nc") as whole:
            self.assertTrue(found.identical(whole.isel(y=[j], x=[i])))
        self.drx("copy", "cv[y=2:5,x=::-10]", "part")
        self.drx("export", "part", "out.nc")
        with xarray.open_dataset("out.nc") as found, xarray.open_dataset("in.nc") as whole:
            self.assertTrue(found.identical(whole.load().isel(y=slice(2, 5), x=slice(None, None, -10))))

    def test_missing(self):
        """The element whose place is missing is never the nearest."""
        self.assertNotEqual(float(self.drx("read", "cv/temp[0,lat=41.7,lon=357.5]")), 94)
        for path in ("cv/temp[0,lat=40,lon=0]", "cv/temp[0,lat=80,lon=8]", "cv/temp[0,lat=45,lon=100]"):
            self.fails(1, "read", path, says="is outside of the grid of these coordinates")

    def test_errors(self):
        for path, code, says in (
                ("cv/temp[0,lat=47]", 1, "lat varies along two axes, y and x; give a latitude and a longitude"),
                ("cv/temp[0,lat=47,lon=a]", 2, "lon=a of cv/temp is not a number; lon varies along two axes"),
                ("cv/temp[0,lat=40:50,lon=3]", 2, "lat=40:50 of cv/temp is not a number"),
                ("cv/temp[0,3,lat=47,lon=3]", 2, "selects on y twice, by lat and by itself"),
                ("cv/temp[0,lat=47,lat=48]", 1, "one of lat and lat must be a longitude"),
                ("cv/row[lat=47,lon=3]", 1, "cv/row: has no axis lat"), ("cv/temp[0,no=3]", 1, "has no axis no")):
            self.fails(code, "read", path, says=says)
