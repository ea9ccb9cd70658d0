"""drx copy of a whole dataset, of a part of an array, and of an array as of a commit."""

import importlib.util
import json
import os
import shlex
import signal
import unittest

import numpy as np

from drx_cli import CliTest, names, need

need(*map(importlib.util.find_spec, ("netCDF4", "xarray")))

import xarray  # noqa: E402


def write_netcdf(path, year, n=40):
    """sst(time, lat, lon), packed; its lat falls; beside it a text and a scalar."""
    rng = np.random.default_rng(year)
    steps = np.datetime64(f"{year}-01-01", "s") + np.arange(n) * np.timedelta64(1, "D")
    ds = xarray.Dataset(
        {"sst": (("time", "lat", "lon"), rng.integers(-500, 3500, (n, 9, 12)).astype("f4") / 100, {"long_name": "°"}),
         "crs": ((), np.int32(7)), "station": (("lat",), np.array([f"ß{i}" for i in range(9)], dtype=object))},
        {"time": steps, "lat": np.linspace(60, -60, 9), "lon": np.arange(12.0)}, {"title": "test", "version": 3})
    encoding = {"sst": {"dtype": "i2", "scale_factor": 0.01, "_FillValue": -9999},
                "time": {"units": "days since 1990-01-01", "dtype": "i4"}}
    ds.to_netcdf(path, encoding=encoding)


class CopyTest(CliTest):
    def setUp(self):
        super().setUp()
        write_netcdf("a.nc", 1997)
        write_netcdf("b.nc", 1998)
        self.drx("import", "a.nc", "ds")
        self.drx("import", "b.nc", "ds", "--append", "time", warns="a step of 326 days")

    def exported(self, path, *options):
        self.drx("export", path, "out.nc", *options)
        with xarray.open_dataset("out.nc", decode_cf=False) as ds:
            return ds.load(), ds.encoding.get("unlimited_dims")


class Datasets(CopyTest):
    def test_whole(self):
        """Equal in all that an export writes, in another layout."""
        self.drx("copy", "ds", "new", "--chunk", "time=32,lat=4", "--order", "F", "--align", "4K", "--checksum",
                 "--memory", "3K")
        self.assertEqual(self.drx("check", "new").splitlines()[-1][-4:], "good")
        self.assert_info("new/sst", chunk=[32, 4, self.info("ds/sst")["chunk"][2]], order="F", align=4096)
        self.assert_info("new/time", chunk=[32])
        self.assert_info("new/lon", chunk=self.info("ds/lon")["chunk"])
        self.assertTrue(any(name.startswith("sst.xcs") for name in names("new")))
        (old, unlimited), (new, still) = self.exported("ds"), self.exported("new")
        self.assertTrue(old.identical(new))
        self.assertEqual(list(old.variables), list(new.variables))
        self.assertEqual((unlimited, still), ({"time"}, {"time"}))

    def test_one_commit(self):
        self.drx("copy", "ds", "new/")
        log = json.loads(self.drx("log", "new", "--json"))
        self.assertEqual([c["commit"] for c in log], [1, 0])
        self.assertEqual((log[0]["message"], sum(c["of"] == "variable" for c in log[0]["changes"]), log[1]["changes"]),
                         ("drx copy ds new/", 6, []))
        self.assertEqual([name for name in names() if name.startswith("new")], ["new"])
        write_netcdf("c.nc", 1999)
        self.drx("import", "c.nc", "new", "--append", "time")  # it goes on
        self.assertEqual(self.info("new/sst")["shape"], [120, 9, 12])

    def test_earlier_commit(self):
        self.drx("copy", "ds", "then", "--at", 1)
        self.assertEqual(json.loads(self.drx("log", "then", "--json"))[0]["message"], "drx copy ds then --at 1")
        self.assertTrue(self.exported("then")[0].identical(self.exported("ds", "--at", 1)[0]))
        self.assertEqual(self.info("then/sst")["shape"], [40, 9, 12])

    def test_interrupt(self):
        write_netcdf("long.nc", 1980, 4000)
        self.drx("import", "long.nc", "long")
        before = names()
        self.interrupted(signal.SIGTERM, "copy", "long", "new", "--memory", 1)
        self.assertEqual(names(), before)


class Parts(CopyTest):
    def setUp(self):
        super().setUp()
        with xarray.open_dataset("a.nc", decode_cf=False) as a, xarray.open_dataset("b.nc", decode_cf=False) as b:
            self.stored = np.concatenate([a.sst.values, b.sst.values])

    def test_by_coordinate(self):
        """As xarray's sel has it; with attributes, fill value and names of axes."""
        self.drx("copy", "ds/sst[time=1998-01,lat=-20:35]", "part", "--chunk", "16,3,4")
        with xarray.open_dataset("b.nc", mask_and_scale=False) as ds:
            self.assert_same(self.whole("part"), ds.sst.sel(time="1998-01", lat=slice(35, -20)).values)
        old, new = self.info("ds/sst"), self.info("part")
        self.assertEqual([new[key] for key in ("attrs", "fill", "dims", "type")],
                         [old[key] for key in ("attrs", "fill", "dims", "type")])
        self.assertEqual((new["chunk"], self.drx("check", "part")), ([16, 3, 4], "part: good\n"))

    def test_indices(self):
        self.drx("copy", "ds/sst[::-3,2,1:7]", "part", "--order", "F")
        self.assert_same(self.whole("part"), self.stored[::-3, 2, 1:7])
        self.assert_info("part", dims=["time", "lon"], order="F")

    def test_permuted(self):
        self.drx("copy", "ds/sst[5,...]", "part", "--permute", "lon,lat", "--chunk", "5,5")
        self.assert_same(self.whole("part"), self.stored[5].T)
        self.assert_info("part", dims=["lon", "lat"], chunk=[5, 5])

    def test_earlier_commit(self):
        self.drx("copy", "ds/sst", "part", "--at", 1)
        self.assert_same(self.whole("part"), self.stored[:40])
        self.drx("copy", "ds/sst[-1]", "last", "--at", 1)
        self.assert_same(self.whole("last"), self.stored[39])

    def test_beside_coordinates(self):
        """Arrays beside the copy are not taken for its coordinates when they are not."""
        self.drx("copy", "ds/lat", "lat")
        self.drx("copy", "ds/sst[0]", "map")
        self.drx("copy", "ds/sst[0:0,0:9]", "none")
        self.fails(1, "copy", "ds/sst[0,::-1]", "turned",
                   says=["lat: its values differ from the coordinates ds/sst[0,::-1]:lat", "copy into another folder"])
        self.drx("export", "ds/sst[:,::-1]", "turned.nc")
        self.fails(1, "copy", "turned.nc:sst", "turned",
                   says="lat: its values differ from the coordinates turned.nc:lat")
        n = self.stored.shape[1]
        os.mkdir("other")
        self.drx("create", "other/bare", "--shape", n + 1, "--type", "int32", "--dims", "lat")
        self.fails(1, "copy", f"other/bare[:{n}]", "part",
                   says=["the array 'lat' beside it would be taken for its coordinates, but other/bare has none"])
        os.mkdir("turn")
        self.drx("copy", "lat[::-1]", "turn/lat")
        self.drx("copy", "ds/sst[0,::-1]", "turn/map")
        self.assert_same(self.whole("turn/map"), self.stored[0, ::-1])
        self.drx("copy", "ds/sst[0,::-1]", "turned.npy")

    def test_to_files(self):
        self.drx("copy", "ds/sst[time=1998-01]", "part.npy")
        self.assert_same(np.load("part.npy"), self.stored[40:71])
        self.drx("copy", "ds/sst[lat=-20:35]", "part.nc")  # with its coordinates
        with xarray.open_dataset("part.nc") as part, xarray.open_dataset("a.nc") as ds:
            np.testing.assert_array_equal(part.sst[:40], ds.sst.sel(lat=slice(35, -20)))
            np.testing.assert_array_equal(part.lat, ds.lat.sel(lat=slice(35, -20)))
        self.drx("copy", "ds/sst[:,::-1]", "back.nc", "--permute", "lon,lat,time")  # with those of no other array
        with xarray.open_dataset("back.nc", mask_and_scale=False) as back:
            self.assert_same(back.sst.values, self.stored[:, ::-1].T)
            self.assertEqual(list(back.coords), [])

    def test_advice_in_a_dataset(self):
        """It goes to a path outside of it."""
        before = names("ds")
        for folder, path in ((".", "ds/sst"), (".", os.path.abspath("ds/sst")), ("ds", "sst")):
            os.chdir(folder)
            advice = json.loads(self.drx("advise", path, "--access", "80,1,1", "--json"))
            words = shlex.split(advice["command"])
            self.assertEqual((words[:3], os.path.basename(words[3])), (["drx", "copy", path], "sst-new"))
            self.drx(*words[1:])
            os.chdir(os.path.dirname(os.path.abspath(".")) if folder == "ds" else ".")
            self.assert_same(self.whole("sst-new"), self.stored)
            self.drx("rm", "sst-new")
        self.assertEqual(names("ds"), before)

    def test_dry_run(self):
        steps = json.loads(self.drx("copy", "ds/sst[:4]", "part", "--permute", "2,1,0", "--dry-run", "--json"))["steps"]
        self.assertEqual([step["step"] for step in steps], ["select", "copy"])
        self.assertEqual(steps[0]["bytes"], 4 * 9 * 12 * 2)
        self.assertEqual(self.drx("copy", "ds/sst[:4]", "part", "--dry-run").split(":")[0], "select from ds/sst")
        self.assertNotIn("part.xmd", names())


if __name__ == "__main__":
    unittest.main()
