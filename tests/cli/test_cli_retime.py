"""drx retime: a time coordinate and its bounds in other units, or as they were."""

import importlib.util
import os
import random
import shutil
import signal
import subprocess
import time

import numpy as np

import drx_cli
import nc_file
from drx_cli import CliTest, names, need

need(nc_file.LIBRARY, *map(importlib.util.find_spec, ("netCDF4", "xarray")))

import netCDF4  # noqa: E402
import xarray  # noqa: E402


def make(path, days, units="days since 2001-01-01", kind="i4", bounds=None, **more):
    """u(time), time and its bounds; bounds: attributes of these, None: there are none."""
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None)
        t = file.createVariable("time", kind, ("time",))
        t.setncatts({"units": units, **more})
        t[:] = days
        file.createVariable("u", "f4", ("time",))[:] = days
        if bounds is not None:
            file.createDimension("nv", 2)
            t.bounds = "time_bnds"
            b = file.createVariable("time_bnds", kind, ("time", "nv"))
            b.setncatts(bounds)
            b[:] = np.asarray(days)[:, None] + [0, 1]


class Retime(CliTest):
    def decoded(self, path="ds"):
        self.drx("export", path, "decoded.nc")
        with xarray.open_dataset("decoded.nc") as file:
            return {name: file[name].values.tolist() for name in file.variables}

    def test_finer_units(self):
        """The same dates in all types, with and without bounds and their units; in one commit; files in these units fit."""
        for n, (kind, bounds) in enumerate((("i4", None), ("f8", {}), ("i8", {"units": "days since 2001-01-01"}), ("f4", {}))):
            with self.subTest(kind=kind, bounds=bounds):
                shutil.rmtree("ds", ignore_errors=True)
                make("a.nc", [0, 1, 2], kind=kind, bounds=bounds, calendar="standard")
                self.drx("import", "a.nc", "ds")
                before = self.decoded()
                self.drx("retime", "ds", *(["time"] if n % 2 else []), "hours since 2001-01-01")
                self.assert_same(self.whole("ds/time"), np.array([0, 24, 48], kind))
                self.assertEqual(self.decoded(), before)
                self.fails(1, "read", "ds/time", "--commit", "1", says="a later commit than 1 has removed it")
                self.assertRegex(self.drx("log", "ds", "-n", "1"), "commit 2 .* drx retime ds .*'hours since 2001-01-01'")
                self.assertEqual(self.info("ds/time")["attrs"]["units"], "hours since 2001-01-01")
                if bounds is not None:
                    self.assert_same(self.whole("ds/time_bnds"), np.array([[0, 24], [24, 48], [48, 72]], kind))
                    self.assertEqual(self.info("ds/time_bnds")["attrs"].get("units"), "hours since 2001-01-01" if bounds else None)
                    self.assertNotIn("calendar", self.info("ds/time_bnds")["attrs"])
                make("b.nc", [75, 78], "hours since 2001-01-01", kind=kind, bounds=None if bounds is None else {}, calendar="standard")
                self.drx("import", "b.nc", "ds", "--append", "time")
                self.assertEqual(self.whole("ds/time").tolist(), [0, 24, 48, 75, 78])
                self.drx("check", "ds")
        self.assertEqual(names(), ["a.nc", "b.nc", "decoded.nc", "ds"])

    def test_the_refusal_names_it(self):
        make("a.nc", [0, 1])
        self.drx("import", "a.nc", "ds")
        make("b.nc", [50, 51], "hours since 2001-01-01")
        self.fails(1, "import", "b.nc", "ds", "--append", "time", says=["not a whole number", "'drx retime' rewrites what is stored in finer units"])
        self.drx("retime", "ds", "hours since 2001-01-01")
        self.drx("import", "b.nc", "ds", "--append", "time")

    def test_refused(self):
        make("a.nc", [0, 1, 700000])
        self.drx("import", "a.nc", "ds", warns=())
        for units, says in (("seconds since 2001-01-01", "which int32 cannot hold"), ("years since 2001-01-01", "cannot be stored"),
                            ("days since 2001-01-01 12:00", "without loss"), ("metres", "are not units of time"), ("days since some day", "'days since some day'")):
            self.fails(1, "retime", "ds", units, says=says)
        self.fails(1, "retime", "ds", "v", "hours since 2001-01-01", says="ds: has no variable 'v'")
        self.fails(1, "retime", "ds", "u", "hours since 2001-01-01", says="'u' has no units of time")
        self.fails(1, "retime", "no", "hours since 2001-01-01", says="no: no such dataset")
        self.fails(2, "retime", "ds", says="UNITS is missing")
        self.fails(2, "retime", "ds", "a", "b", "c", says="unexpected word 'c'")
        self.assertEqual(self.whole("ds/time").tolist(), [0, 1, 700000])
        self.assertEqual(names(), ["a.nc", "ds"])

    def test_killed(self):
        """At any moment everybody reads the same dates."""
        make("a.nc", np.arange(20000), bounds={}, kind="f8")
        self.drx("import", "a.nc", "ds")
        before = self.decoded()
        for i in range(12):
            process = subprocess.Popen([drx_cli.DRX, "retime", "ds", ("hours", "days", "minutes")[i % 3] + " since 1999-01-01"])
            time.sleep(random.random() * 0.06)
            process.send_signal(signal.SIGKILL)
            process.wait()
            self.assertEqual(self.decoded(), before)
        self.drx("retime", "ds", "seconds since 1999-01-01")
        self.assertEqual(self.decoded(), before)
        self.drx("check", "ds")
        self.assertEqual((len(os.listdir("ds")), names()), (4, ["a.nc", "decoded.nc", "ds"]))
