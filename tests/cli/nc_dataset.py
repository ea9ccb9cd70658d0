"""Files of netCDF with several variables, and datasets of them, for tests of the command line."""

import importlib.util

import numpy as np

import nc_file
from drx_cli import CliTest, need

need(nc_file.LIBRARY, *map(importlib.util.find_spec, ("netCDF4", "xarray")))

import netCDF4  # noqa: E402
import xarray  # noqa: E402


def attributes(of):
    """With what tells the types of netCDF apart."""
    values = {name: of.getncattr(name) for name in of.ncattrs()}
    return {name: (type(value), np.asarray(value).dtype, np.asarray(value).tolist()) for name, value in values.items()}


class DatasetTest(CliTest):
    def assert_same_files(self, one, other, lost=()):
        """To xarray and to netCDF, except for dimensions that no variable has."""
        with xarray.open_dataset(one, decode_cf=False) as a, xarray.open_dataset(other, decode_cf=False) as b:
            xarray.testing.assert_identical(a.load(), b.load())
        with netCDF4.Dataset(one) as a, netCDF4.Dataset(other) as b:
            self.assertEqual(list(a.variables), list(b.variables))
            self.assertEqual(attributes(a), attributes(b))
            dims = [{name: (dim.size, dim.isunlimited()) for name, dim in file.dimensions.items() if name not in lost}
                    for file in (a, b)]
            self.assertEqual(*dims)
            for name, variable in a.variables.items():
                with self.subTest(file=one, variable=name):
                    other = b[name]
                    self.assertEqual(variable.dimensions, other.dimensions)
                    self.assertEqual(*(np.dtype(each.dtype).newbyteorder("=") for each in (variable, other)))
                    self.assertEqual(attributes(variable), attributes(other))

    def goes_round(self, file, *options, lost=(), changed=()):
        self.drx("import", file, "ds", "--dataset", *options, warns=lost)
        self.drx("export", "ds", "out.nc", warns=changed)
        self.assert_same_files(file, "out.nc", lost)


def make(path, times=3, first=0, flags=nc_file.NETCDF4, more=()):
    """Two variables that share an unlimited time, in int16 and float32, and their coordinates; more: a call with the
    group."""
    random = np.random.default_rng(abs(first))
    nc_file.LIBRARY.nc_set_default_format(1, None)  # which netCDF4 changes, and flags cannot
    with nc_file.NcFile(path, flags) as file:
        time, lat = file.dim("time", 0), file.dim("lat", 4)
        for var, kind, dims in [("time", "float64", [time]), ("lat", "float32", [lat]), ("u", "float32", [time, lat]),
                                ("v", "int16", [time, lat])]:
            file.var(var, kind, dims)
        file.att(0, "units", b"days since 2001-01-01")
        file.att(1, "units", b"degrees_north")
        file.att(2, "_FillValue", np.float32(-99))
        file.att(3, "scale_factor", 0.5)
        file.att(-1, "history", b"made")
        for call in more:
            call(file)
        nc_file.LIBRARY.nc_enddef(file.number)
        file.put(0, first + np.arange(times, dtype="float64"))
        file.put(1, np.arange(4, dtype="float32"))
        file.put(2, random.random((times, 4), np.float32))
        file.put(3, random.integers(-99, 99, (times, 4), np.int16))


def change(path, *changes):
    """Edit a file: each change gets it, open."""
    with netCDF4.Dataset(path, "a") as file:
        file.set_auto_maskandscale(False)
        for call in changes:
            call(file)
