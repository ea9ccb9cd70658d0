"""netCDF4 and xarray's engine for it open datasets and arrays by their paths, when drx is imported before or after."""

import subprocess
import sys

import by_hand  # noqa: F401
import netCDF4
import numpy as np
import pytest
import xarray as xr

import drx

SEEN = """
import os, sys, ctypes
with netCDF4.Dataset("winds") as nc:
    print(nc["u"][1].tolist(), nc["u"].units, len(nc.dimensions["time"]), nc.dimensions["time"].isunlimited())
with netCDF4.Dataset("winds#commit=1") as nc:
    print(len(nc.dimensions["time"]))
with netCDF4.Dataset("winds/u") as nc:
    print(sorted(nc.variables))
print(sum("libnetcdf" in line and " r-xp " in line for line in open("/proc/self/maps")))
"""


@pytest.fixture(name="winds")
def make_winds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    u = xr.DataArray(np.arange(6, dtype="f4").reshape(2, 3), dims=("time", "x"), attrs={"units": "m/s"},
                     coords={"time": [0, 1], "x": [1.0, 2.0, 3.0]})
    drx.save_dataset(xr.Dataset({"u": u}), "winds")
    drx.append_dataset(xr.Dataset({"u": u.assign_coords(time=[2, 3])}), "winds", "time")
    return xr.Dataset({"u": u})


def run(code, *more):
    done = subprocess.run([sys.executable, "-c", code, *more], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("begin", ["import drx, netCDF4", "import netCDF4, drx", "import netCDF4.utils, drx.netcdf",
                                   "import drx, importlib.util; importlib.util.find_spec('netCDF4')"])
def test_orders_of_import(winds, begin):
    assert run(begin + "\nimport netCDF4" + SEEN) == ["[3.0, 4.0, 5.0] m/s 4 True", "2", "['time', 'u', 'x']", "1"]


def test_this_process(winds):
    with netCDF4.Dataset("winds") as nc:
        assert nc.data_model == "NETCDF4" and nc["time"].dtype == np.int64
    found = xr.open_dataset("winds", engine="netcdf4").load()
    xr.testing.assert_identical(found.isel(time=slice(2)), winds)
    xr.testing.assert_identical(found, xr.open_dataset("winds", engine="drx").load())
    winds.to_netcdf("winds.nc", engine="netcdf4")
    xr.testing.assert_identical(xr.open_dataset("winds.nc", engine="netcdf4").load(), winds)
    with pytest.raises(OSError, match="absent"):
        netCDF4.Dataset("absent")
    with netCDF4.Dataset("winds", "r+") as nc:
        nc.seen = "by netCDF4"
    assert xr.open_dataset("winds", engine="drx").attrs["seen"] == "by netCDF4"


def test_more_variables_than_files(tmp_path, monkeypatch):
    """Each takes two files, and a soft limit of them is raised."""
    monkeypatch.chdir(tmp_path)
    with drx.create_dataset("many") as ds:
        for i in range(100):
            ds.add(f"v{i}", ("x",), (2,), "int16")[:] = i
    assert run("import resource, drx, netCDF4\n"
               "resource.setrlimit(resource.RLIMIT_NOFILE, (150, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))\n"
               "print(sum(int(v[1]) for v in netCDF4.Dataset('many').variables.values()))") == ["4950"]


def test_nothing_is_loaded():
    """Neither netCDF4 nor its library, and no library of another name is told."""
    assert run("import sys, drx\nprint('netCDF4' in sys.modules, 'netcdf' in open('/proc/self/maps').read().replace('netcdf.py', ''))"
               ) == ["False False"]
    assert run("from drx import _netcdf\nprint(_netcdf.register(), 'libnetcdf' in open('/proc/self/maps').read())"
               ) == ["-128 False"]
