"""Selection by coordinate: what xarray's `sel` gives."""

import importlib.util
import re
import shutil
import unittest

import numpy as np

from drx_cli import SEED, CliTest, need

need(*map(importlib.util.find_spec, ("netCDF4", "xarray")))

import xarray  # noqa: E402

STEPS = np.datetime64("1997-11-16T12:00", "s") + np.arange(400) * np.timedelta64(6, "h")


def write_netcdf(path, steps=STEPS):
    """sst(time, lat, lon), packed; time every 6 hours, lat falls, lon in float32 that no double equals."""
    rng = np.random.default_rng(3)
    ds = xarray.Dataset(
        {"sst": (("time", "lat", "lon"), rng.integers(-500, 3500, (400, 9, 12)).astype("f4") / 100)},
        {"time": steps, "lat": np.linspace(60, -60, 9), "lon": (np.arange(12) / 10 + np.float32(0.1)).astype("f4")})
    encoding = {"sst": {"dtype": "i2", "scale_factor": 0.01, "_FillValue": -9999},
                "time": {"units": "hours since 1990-01-01", "dtype": "i4"}}
    ds.to_netcdf(path, encoding=encoding)


class SelectByTest(CliTest):
    def setUp(self):
        super().setUp()
        write_netcdf("a.nc")
        self.drx("import", "a.nc", "ds", "--dataset")

    def read(self, selection):
        self.drx("read", f"ds/sst[{selection}]", "-o", "got.npy", "--force")
        return np.load("got.npy")

    def assert_reads(self, selection, expected):
        got = self.read(selection)
        self.assertEqual(got.shape, expected.shape, selection)
        np.testing.assert_array_equal(got, expected.values, selection)

    def test_as_sel(self):
        with xarray.open_dataset("a.nc", mask_and_scale=False) as ds:
            a = ds.sst.load()
        for lat, lon, time in ((31, 0.52, "1997-12-16T10"), (-60, 0.1, "1997-11-16T12:00"),
                               (7.49, 1.2, "1998-02-01T17")):
            expected = a.sel(lat=lat, lon=lon, time=np.datetime64(time, "s"), method="nearest")
            self.assert_reads(f"lat={lat},lon={lon},time={time}", expected)
        self.assert_reads("time=1997-12", a.sel(time="1997-12"))
        self.assert_reads("time=1997-12-16", a.sel(time="1997-12-16"))
        self.assert_reads("time=1997-12-20:1998-01", a.sel(time=slice("1997-12-20", "1998-01")))
        self.assert_reads("time=1998-01..", a.sel(time=slice("1998-01", None)))
        self.assert_reads("time=:1997-11-17T06", a.sel(time=slice(None, "1997-11-17T06")))
        self.assert_reads("time=1997-12-16T10:30:1997-12-17", a.sel(time=slice("1997-12-16T10:30", "1997-12-17")))
        every = {"time": slice(None, None, 7)}
        self.assert_reads("time=1997-12:1998-01:7", a.sel(time=slice("1997-12", "1998-01")).isel(every))
        self.assert_reads("lat=-15:30", a.sel(lat=slice(30, -15)))
        self.assert_reads("lat=30:-15", a.sel(lat=slice(30, -15)))
        self.assert_reads("lat=30:", a.sel(lat=slice(30, None)))
        self.assert_reads("lat=:30", a.sel(lat=slice(None, 30)))
        self.assert_reads("lon=0.35..0.9:2", a.sel(lon=slice(0.35, 0.9001)).isel(lon=slice(None, None, 2)))
        self.assert_reads("3, lat=0 , lon = 0.3:0.6", a.isel(time=3).sel(lat=0, lon=slice(0.299, 0.601)))
        self.assert_reads("...,lat=0", a.sel(lat=0))

    def test_the_one_in_an_interval(self):
        """Not the one at which the next interval begins."""
        write_netcdf("b.nc", np.datetime64("1997-11-16", "s") + np.arange(400) * np.timedelta64(24, "h"))
        self.drx("import", "b.nc", "daily", "--dataset")
        with xarray.open_dataset("b.nc", mask_and_scale=False) as ds:
            expected = ds.sst.sel(time="1997-12-16").squeeze().load()
        self.drx("read", "daily/sst[time=1997-12-16]", "-o", "day.npy")
        np.testing.assert_array_equal(np.load("day.npy"), expected.values)
        self.assertEqual(self.drx("read", "daily/sst[time=1997-12-16T00,lat=0,lon=0.1]"),
                         self.drx("read", "daily/sst[time=1997-12-16:1997-12-16,lat=0,lon=0.1]"))
        self.assertEqual(self.drx("read", "daily/time[time=1997-12-16]").strip(), "1997-12-16")  # by itself

    def test_both_ends_belong(self):
        self.assertEqual(self.read("0,lat=0,lon=0.3:0.6").shape, (4,))  # though float32 rounds 0.3 up and 0.6 too
        self.assertEqual(self.read("0,lat=0,lon=0.6:0.3").shape, (4,))
        self.assertEqual(self.read("0,lat=-60:60,lon=0.1").shape, (9,))

    def test_of_two_equally_near_the_larger(self):
        np.testing.assert_array_equal(self.read("0,lat=7.5"), self.read("0,lat=15"))

    def test_text_is_what_numbers_mean(self):
        with xarray.open_dataset("a.nc") as ds:
            row = ds.sst[0, 0].values.astype("f8")
        printed = self.drx("read", "ds/sst[0,0]").split()
        np.testing.assert_allclose([float(text) for text in printed], row, atol=1e-6)
        self.assertEqual([float(text) for text in printed], [round(float(text), 2) for text in printed])
        self.assertEqual(self.drx("read", "ds/time[:2]").split(), ["1997-11-16T12:00", "1997-11-16T18:00"])
        hours = (STEPS[0] - np.datetime64("1990-01-01")) // np.timedelta64(1, "h")
        self.assertEqual(self.drx("read", "ds/time[:2]", "--raw").split(), [str(hours), str(hours + 6)])
        np.testing.assert_allclose([int(text) / 100 for text in self.drx("read", "ds/sst[0,0]", "--raw").split()], row,
                                   atol=1e-6)
        np.save("one.npy", np.array([[[-9999, 5]]], "i2"))
        self.drx("write", "ds/sst", "one.npy", "--at", "0,0,0")
        self.assertEqual(self.drx("read", "ds/sst[0,0,:2]").split(), ["_", "0.05"])

    def test_text_by_attributes(self):
        for name, values, attributes in (("m", [1, 1e20, 2], {"missing_value": np.array([9, 1e20])}),
                                         ("odd", [0], {"units": "days since tea"})):
            variable = xarray.Variable("i", np.array(values, "f4"), attributes, {"_FillValue": None})
            xarray.Dataset({name: variable}).to_netcdf(name + ".nc")
            self.drx("import", f"{name}.nc:{name}", name, warns=name == "m")
        self.assertEqual(self.drx("read", "m").split(), ["1", "_", "2"])
        self.assertEqual(self.drx("read", "m", "--raw").split(), ["1", "1e+20", "2"])
        self.refuses("--raw prints what is stored", "read", "odd")
        self.refuses("--raw goes with text", "read", "odd", "--raw", "-o", "f.npy")
        self.assertEqual(self.drx("read", "odd", "--raw").split(), ["0"])

    def test_earlier_commits(self):
        write_netcdf("b.nc", STEPS + np.timedelta64(100, "D"))
        self.drx("import", "b.nc", "ds", "--append", "time")
        self.assertEqual(self.read("time=1998-03").shape[1:], (9, 12))
        self.drx("read", "ds/sst[time=1998..,lat=0,lon=1]", "--commit", "1", "-o", "then.npy")
        self.assertLess(np.load("then.npy").size, self.read("time=1998..,lat=0,lon=1").size)
        self.refuses("outside", "read", "ds/sst[time=1998-06]", "--commit", "1")

    def test_in_other_verbs(self):
        self.drx("export", "ds/sst[time=1997-12,lat=0]", "out.nc")
        with xarray.open_dataset("out.nc") as out, xarray.open_dataset("a.nc") as ds:
            np.testing.assert_array_equal(out.sst, ds.sst.sel(time="1997-12", lat=0))
        self.drx("view", "ds/sst[time=1997-12-16T12,lat=-30:30]", "-o", "map.png")

    def test_refusals(self):
        for selection, message in (
                ("lat=80", "outside of the coordinates, which go from 60 to -60"),
                ("lat=1:2", "holds none of the coordinates"),
                ("lat=north", "not a number"), ("lat=", "not valid"), ("depth=3", "has no axis depth"),
                ("lat=0,lat=1", "twice"), ("0,time=1997", "twice"), ("lat=0,3", "indices come before"),
                ("time=1960", "outside of the coordinates, which go from 1997-11-16T12:00"),
                ("time=1997-13", "1997-13"), ("time=10.5x", "10.5x")):
            with self.subTest(selection=selection):
                self.refuses(message, "read", f"ds/sst[{selection}]")

    def test_what_is_no_coordinate(self):
        self.drx("create", "alone", "--shape", "4,5", "--chunk", "4,5", "--type", "float64", "--dims", "y,x")
        self.refuses("no array x of 5 numbers beside it", "read", "alone[x=3]")
        self.drx("create", "x", "--shape", "5", "--chunk", "5", "--type", "float64", "--dims", "x")
        self.refuses("neither rises nor falls", "read", "alone[x=0]")
        self.drx("create", "bare", "--shape", "4", "--chunk", "4", "--type", "float64")
        self.refuses("has no axis x", "read", "bare[x=3]")

    def refuses(self, message, *words):
        error = self.run_drx(*words)
        self.assertIn(error.returncode, (1, 2), words)
        self.assertIn(message, error.stderr.decode())


class Longitudes(CliTest):
    """They are not turned by 360, as xarray does not; but what would do is named, and nothing is left out silently."""

    def lon(self, values, units="degrees_east"):
        xarray.Dataset({"a": ("lon", np.arange(len(values)))},
                       {"lon": ("lon", values, {"units": units})}).to_netcdf("a.nc")
        shutil.rmtree("ds", ignore_errors=True)
        self.drx("import", "a.nc", "ds", "--dataset")

    def read(self, selection):
        """The indices that it selects, or what is said against it."""
        run = self.run_drx("read", f"ds/a[lon={selection}]")
        if run.returncode:
            self.assertEqual(run.returncode, 1)
            return run.stderr.decode()
        return [int(word) for word in run.stdout.split()]

    def test_a_value(self):
        self.lon(np.arange(0, 360, 2.0))
        self.assertEqual(self.read("330"), [165])
        self.assertIn("ds/a: lon=-30 is outside of the coordinates, which go from 0 to 358; lon=330 is the same longitude",
                      self.read("-30"))
        self.assertIn("lon=359.5 is outside of the coordinates, which go from 0 to 358; lon=-0.5 is the", self.read("359.5"))
        self.assertEqual(self.read("359"), [179])
        self.assertEqual(self.read("-0.5"), [0])
        self.assertIn("lon=1000 is outside of the coordinates, which go from 0 to 358; lon=280 is", self.read("1000"))
        self.lon(np.arange(0, 360, 2.0), "degrees")
        self.assertTrue(self.read("-30").endswith("which go from 0 to 358\n"))

    def test_where_nothing_is(self):
        self.lon(np.arange(20, 41.0))
        self.assertTrue(self.read("-30").endswith("which go from 20 to 40\n"))
        self.assertTrue(self.read("-30:-10").endswith("which go from 20 to 40\n"))
        self.assertEqual(self.read("-10:22"), [0, 1, 2])
        self.assertEqual(self.read("-10:"), list(range(21)))
        self.assertTrue(self.read("1e300").endswith("which go from 20 to 40\n"))
        self.assertIn("leaves out 22 to 40", self.read("-1000:21"))

    def test_a_range(self):
        self.lon(np.arange(0, 360, 2.0))
        said = self.read("-30:30")
        self.assertIn("lon=-30:30 goes beyond the coordinates, which go from 0 to 358, and leaves out 330 to 358, which are "
                      "the same longitudes; read lon=0:30 and lon=330:358, each by itself", said)
        self.assertIn("lon=-30:-10 holds none of the coordinates, which go from 0 to 358; lon=330:350 is the same "
                      "longitudes", self.read("-30:-10"))
        self.assertEqual(len(self.read("0:360")), 180)
        self.assertIn("leaves out 182 to 358", self.read("-180:180"))
        self.lon(np.arange(-180, 180.5, 0.5))  # both ends are one place
        self.assertEqual(len(self.read("-180:180")), 721)
        self.assertEqual(self.read("-180:-179.5"), [0, 1])
        self.assertIn("leaves out -179.5 to -10", self.read("0:350"))

    def test_against_a_model(self):
        """Whatever the coordinates: what is read is all that the range means, and what is named is the rest."""
        random = np.random.default_rng(SEED)
        for _ in range(40):
            step = random.choice([2.5, 7, 30])
            values = np.arange(random.integers(2, 360 // step + 2)) * step + random.integers(-400, 400)
            values = values[::random.choice([-1, 1])].astype(random.choice(["f4", "f8"]))
            self.lon(values)
            for _ in range(4):
                lo = random.integers(-800, 800)
                hi = lo + random.integers(1, 350)
                with self.subTest(values=values, lo=lo, hi=hi):
                    self.compare(values, lo, hi)

    def compare(self, values, lo, hi):
        held = [i for i, v in enumerate(values) if lo <= v <= hi]
        places = {float(v) % 360 for v in values if (v - lo) % 360 <= hi - lo}
        got = self.read(f"{lo}:{hi}")
        named = re.findall(r"lon=([-\d.e+]+):([-\d.e+]+)", got)[1:] if isinstance(got, str) else []
        if isinstance(got, list):
            self.assertEqual(got, held)
            self.assertEqual({float(values[i]) % 360 for i in got}, places)
        elif "holds none" in got:
            self.assertEqual((held, bool(named)), ([], bool(places)), got)
            for a, b in named:
                self.assertEqual(((float(a) - lo) % 360, float(b) - float(a)), (0, hi - lo), got)
                self.assertTrue(any(float(a) <= v <= float(b) for v in values), got)
        else:
            self.assertEqual(len(named), 2, got)
            found = [i for a, b in named for i in self.read(f"{a}:{b}")]
            self.assertEqual({float(values[i]) % 360 for i in found}, places, got)
            self.assertLess(set(held), set(found))


if __name__ == "__main__":
    unittest.main()
