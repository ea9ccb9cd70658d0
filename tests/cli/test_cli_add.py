"""drx add: a variable of a file, an array, or a part of one becomes a variable of a dataset."""

import importlib.util
import os

import numpy as np

import nc_file
from drx_cli import CliTest, need

need(nc_file.LIBRARY, *map(importlib.util.find_spec, ("netCDF4", "xarray")))

import xarray  # noqa: E402


def field(name="t", times=4, lats=(10.0, 20.0, 30.0), first=0, dtype="f4", **attrs):
    values = first + np.arange(times * len(lats), dtype=dtype).reshape(times, len(lats))
    return xarray.Dataset({name: (("time", "lat"), values, attrs)},
                          {"time": ("time", np.arange(times), {"units": "days since 2001-01-01"}),
                           "lat": ("lat", np.array(lats), {"units": "degrees_north"})})


class Add(CliTest):
    def setUp(self):
        super().setUp()
        field().to_netcdf("a.nc", unlimited_dims=["time"])
        self.drx("import", "a.nc", "ds")

    def commits(self):
        return self.drx("log", "ds").count("\ncommit ") + 1

    def test_of_a_file(self):
        """With attributes and fill; in one commit, whose message is the command; it grows and is exported, too."""
        more = field("u", first=100, units="m s-1")
        more["u"].encoding["_FillValue"] = -9
        more.u[1, 1] = np.nan
        more.drop_vars("lat").to_netcdf("b.nc")
        before = self.commits()
        self.drx("add", "ds", "wind", "b.nc:u", "--codec", "zstd")
        self.assertEqual(self.commits(), before + 1)
        self.assertIn("drx add ds wind b.nc:u --codec zstd", self.drx("log", "ds", "-n", 1))
        self.assert_same(self.whole("ds/wind"), np.where(np.isnan(more.u.values), -9, more.u.values).astype("f4"))
        info = self.info("ds/wind")
        self.assertEqual((info["dims"], info["attrs"]["units"], info["fill"]), (["time", "lat"], "m s-1", -9))
        self.assertEqual(info["codec"]["codec"] if isinstance(info["codec"], dict) else info["codec"], "zstd")
        both = field()
        both["wind"] = more.u
        late = both.assign_coords(time=both.time + 4)
        late.time.attrs = both.time.attrs
        late.to_netcdf("c.nc")
        self.drx("import", "c.nc", "ds", "--append", "time")
        self.drx("export", "ds", "out.nc", "--deflate", 1)
        with xarray.open_dataset("out.nc") as out:
            self.assertEqual(dict(out.sizes), {"time": 8, "lat": 3})
            np.testing.assert_array_equal(out.wind[:4], more.u)
        self.drx("check", "ds")

    def test_of_arrays(self):
        """Parts, steps, and a scalar; along dimensions that begin below zero; new ones come with their coordinates."""
        field("u", times=6, lats=(40.0, 30.0, 20.0, 10.0)).to_netcdf("b.nc")
        self.drx("import", "b.nc", "other")
        u = self.whole("other/u")
        self.drx("add", "ds", "u", "other/u[:4,:0:-1]")
        self.assert_same(self.whole("ds/u"), u[:4, :0:-1])
        self.drx("add", "ds", "row", "other/u[:4,0]")
        self.assert_same(self.whole("ds/row"), u[:4, 0])
        self.drx("add", "ds", "one", "other/u[1,2]")
        self.assertEqual(self.drx("read", "ds/one").split(), [f"{u[1, 2]:g}"])
        self.assertNotIn("dims", [k for k, v in self.info("ds/one").items() if k == "dims" and any(v)])
        early = field(first=-50)
        early["time"] = ("time", np.arange(-4, 0), {"units": "days since 2001-01-01"})
        early = early.assign(u=early.t, row=early.t[:, 0])
        early.to_netcdf("early.nc")
        self.drx("import", "early.nc", "ds", "--append", "time")
        np.save("z.npy", np.arange(16.0).reshape(8, 2))
        self.fails(1, "add", "ds", "z", "z.npy", says="axis 0 has no name; give --dims NAME,...")
        self.drx("add", "ds", "z", "z.npy", "--dims", "time,level")
        self.assert_same(self.whole("ds/z"), np.arange(16.0).reshape(8, 2))
        self.assertEqual(self.drx("read", "ds/z[time=2001-01-01]").split(), ["8", "9"])
        heights = xarray.Dataset({"h": (("lat", "lon"), np.ones((3, 2)))}, {"lat": [10.0, 20, 30], "lon": [5.0, 6]})
        heights.to_netcdf("h.nc")
        self.drx("add", "ds", "h", "h.nc")
        self.assert_same(self.whole("ds/lon"), np.array([5.0, 6]))
        self.drx("add", "ds", "t2", "ds/t")
        self.drx("create", "small", "--shape", "6,4", "--chunk", "2,3", "--dims", "a,b", "--type", "f4")
        self.drx("add", "ds", "small", "small[1:]")
        self.drx("copy", "small[1:]", "part")
        for path in "ds/small", "part":
            self.assertEqual(self.info(path)["chunk"], [2, 3])
        self.drx("check", "ds")

    def test_replacing(self):
        """Another type, other dimensions, computed from the old one or not: one commit."""
        t = self.whole("ds/t")
        np.save("z.npy", np.arange(3, dtype="i2"))
        for name, source, expected in (("t", "ds/t[:,:1:-1]", t[:, :1:-1]), ("z", "z.npy", np.arange(3, dtype="i2")), ("t", "ds/z", np.arange(3, dtype="i2"))):
            before, options = self.commits(), ["--dims", "lat" if source == "z.npy" else "time,part"] if "ds/z" != source else []
            self.drx("add", "ds", name, source, "--force", *options)
            self.assertEqual(self.commits(), before + 1)
            self.assert_same(self.whole("ds/" + name), expected)
        self.assertIn("    variable replaced: t\n", self.drx("log", "ds", "-n", 1))
        self.fails(1, "add", "ds", "t", "nothing.nc:t", "--force", says="nothing.nc")
        self.fails(1, "add", "ds", "t", "z.npy", "--force", "--dims", "time", says="has 3 indices on time")
        self.drx("cp", "ds", "copy")
        self.drx("rm", "ds")  # whose files have other names than the variables
        self.assert_same(self.whole("copy/t"), np.arange(3, dtype="i2"))
        self.drx("check", "copy")

    def test_refused(self):
        """Nothing changes, and the message says what differs."""
        before = self.drx("log", "ds"), sorted(os.listdir("ds"))
        field("u", lats=(10.0, 21.0, 30.0)).to_netcdf("b.nc")
        field("u", lats=(10.0, 20.0)).to_netcdf("c.nc")
        np.save("n.npy", np.zeros(4))
        self.fails(1, "add", "ds", "u", "b.nc:u",
                   says=["ds/lat: its values differ", "b.nc:lat", "index 1", "20", "21", "add it to another dataset"])
        self.fails(1, "add", "ds", "u", "c.nc:u", says=["c.nc:u: has 2 indices on lat, but ds has 3"])
        self.fails(1, "add", "ds", "t", "a.nc:t", says="ds/t: is there already; give another name")
        self.fails(1, "add", "ds", "u", "n.npy", says="axis 0 has no name")
        self.fails(1, "add", "ds", "u", "n.npy", "--dims", "a,b", says="--dims has 2 names; give 1")
        self.fails(1, "add", "ds", "u", "b.nc:v", says="no variable 'v'")
        self.fails(1, "add", "ds", "u", "none", says="none: no such array or file")
        self.fails(1, "add", "ds", "u", "ds", says="ds: is a dataset; give a variable of it: ds/NAME")
        self.fails(1, "add", "no", "u", "b.nc:u", says="no: no such dataset")
        self.fails(1, "add", "ds", "t/b", "a.nc:t", says="has a variable 't'")
        self.fails(2, "add", "ds", "u", "ds/t[0:x]", says="is not valid")
        self.fails(2, "add", "ds", "u", says="FROM is missing")
        self.assertEqual((self.drx("log", "ds"), sorted(os.listdir("ds"))), before)

    def test_labels(self):
        """Coordinates of strings are compared, and come along, too."""
        labels = np.array([b"one", b"two", b"three"])
        os.mkdir("arrays")
        for name, values in ("station", labels), ("v", np.arange(3.0)):
            np.save("x.npy", values)
            self.drx("import", "x.npy", f"arrays/{name}", "--dims", "station")
        self.drx("add", "ds", "v", "arrays/v")
        self.assert_same(self.whole("ds/station"), labels)
        self.drx("add", "ds", "w", "arrays/v")
        np.save("x.npy", labels[::-1])
        self.drx("import", "x.npy", "arrays/station", "--dims", "station", "--force")
        self.fails(1, "add", "ds", "x", "arrays/v", says=["ds/station: its values differ", "index 0"])
