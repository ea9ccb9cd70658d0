"""Running programs that know netCDF alone, on datasets and on the netCDF files of the same data."""

import glob
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import unittest

import numpy as np

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(TESTS, "cli"), os.path.join(TESTS, "python")]
import drx_cli  # noqa: E402

FERRET = "/usr/share/ferret-vis/data"


def python_of_build():
    """The folder of the Python package drx in the build; None: it is not built."""
    folder = os.path.join(os.environ.get("DRX_BUILD", ""), "python")
    return folder if os.path.isdir(os.path.join(folder, "drx")) else None


if python_of_build():
    sys.path.insert(0, python_of_build())


def need_program(*names):
    """These tests cannot run without the programs."""
    for name in names:
        if not shutil.which(name):
            raise unittest.SkipTest(f"{name} is not there")


def need_module(*names):
    for name in names:
        if importlib.util.find_spec(name) is None:
            raise unittest.SkipTest(f"Python's {name} is not there")


def ferret():
    files = sorted(glob.glob(f"{FERRET}/*.cdf") + glob.glob(f"{FERRET}/*.nc"))
    if not files:
        raise unittest.SkipTest("ferret-datasets is not there")
    return files


def bridge(mpi=False):
    """The library that is preloaded."""
    build = os.path.dirname(os.path.dirname(drx_cli.DRX))
    found = glob.glob(f"{build}/lib/**/libdrx-netcdf{'-mpi' if mpi else ''}.so.0", recursive=True)
    if not found:
        raise unittest.SkipTest("libdrx-netcdf is not beside the program drx")
    return found[0]


def with_preload(words, mpi=False):
    return ["env", f"LD_PRELOAD={':'.join([bridge(mpi), *filter(None, [os.environ.get('LD_PRELOAD')])])}", *words]


def with_drx(words):
    return [drx_cli.DRX, "run", *words]


class ProgramsTest(drx_cli.CliTest):
    def output(self, *words, run=with_drx, says=False, **options):
        """Standard output of a program that must succeed, and say nothing else unless it may."""
        options.setdefault("timeout", 300)
        words = [os.fspath(word) for word in words]
        result = subprocess.run(run(words) if run else words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, check=False, **options)
        self.assertEqual((result.returncode, says or result.stderr.decode(errors="replace")), (0, says or ""),
                         (words, result.stderr.decode(errors="replace")))
        return result.stdout

    def dump(self, path, *words, run=with_drx, **options):
        """What ncdump says, but for the name in its first line; of a file without the bridge."""
        return self.output("ncdump", *words, path, run=run, **options).split(b"\n", 1)[1]

    def assert_same_file(self, a, b):
        self.assertTrue(drx_cli.read_file(a) == drx_cli.read_file(b), f"{a} and {b} differ")

    def assert_same_dumps(self, a, b):
        """Files of the same contents, bit for bit."""
        first, second = (self.dump(path, "-p", "9,17", run=None) for path in (a, b))
        self.assertTrue(first == second, f"{a} and {b} differ")

    def both(self, *words, file="in.nc", dataset="ds", run=with_drx, **options):
        """Run a program on the file, then on the dataset, with the file OUT; their standard output, and OUT, are the
        same. @ among the words stands for the file."""
        outputs = []
        for path, how, out in ((file, None, "out_file.nc"), (dataset, run, "out_drx.nc")):
            said = self.output(*[word.replace("@", path).replace("OUT", out) for word in words], run=how, **options)
            outputs.append(re.sub(rb"\b(in\.nc|in|ds)\b", b"@", said))
        self.assertEqual(outputs[1], outputs[0], words)
        if any("OUT" in word for word in words):
            self.assert_same_dumps("out_file.nc", "out_drx.nc")
            os.remove("out_file.nc")
            os.remove("out_drx.nc")
        return outputs[0]


def elements(times):
    """t2m of these times: it depends on the time alone, and on the place."""
    place = np.arange(5 * 7).reshape(5, 7)
    return np.stack([np.sin(time * 0.7 + place * 0.13) * 30 + 280 for time in times]).astype("float32")


def write_file(path, times, format="NETCDF4_CLASSIC", missing=True):
    """A netCDF file of the days `times` since 2000, which its record dimension goes through."""
    import netCDF4

    times = np.asarray(times)
    with netCDF4.Dataset(path, "w", format=format) as file:
        for name, n in (("time", None), ("lat", 5), ("lon", 7), ("letters", 4)):
            file.createDimension(name, n)
        for name, values, units in (("time", times, "days since 2000-01-01"),
                                    ("lat", np.linspace(-60, 60, 5), "degrees_north"),
                                    ("lon", np.arange(7) * 45.0, "degrees_east")):
            variable = file.createVariable(name, "f8", (name,))
            variable.units, variable.standard_name = units, {"lat": "latitude", "lon": "longitude"}.get(name, name)
            variable[:] = values
        file["time"].calendar = "standard"
        t2m = file.createVariable("t2m", "f4", ("time", "lat", "lon"), fill_value=-999)
        t2m.units, t2m.long_name = "K", "temperature at 2 m"
        t2m[:] = elements(times)
        if missing:
            t2m[0, 0, 0] = -999
        packed = file.createVariable("packed", "i2", ("time", "lat"))
        packed.scale_factor, packed.add_offset = 0.5, 10.0
        packed.set_auto_maskandscale(False)
        packed[:] = times[:, None] * 3 + np.arange(5)
        name = file.createVariable("name", "S1", ("lat", "letters"))
        name[:] = np.frombuffer(b"Ulm Bonn    KielHof ", "S1").reshape(5, 4)
        file.createVariable("level", "i4")[...] = 42
        file.title, file.version = "weather", np.int32(3)


def write_grown(path, times, cli):
    """The dataset of the same, which begins as its middle, and grows at both ends."""
    import drx
    import netCDF4

    write_file("whole.nc", times)
    third = len(times) // 3
    write_file("middle.nc", times[third:2 * third], missing=False)
    cli.drx("import", "middle.nc", path)
    with netCDF4.Dataset("whole.nc") as file, drx.open_dataset(path, "r+") as ds:
        file.set_auto_maskandscale(False)
        ds.extend_before("time", third)
        ds.extend("time", len(times) - 2 * third)
        for name in ("time", "t2m", "packed"):
            ds[name][...] = file[name][...]
        ds.commit("grown")
    os.remove("middle.nc")
    os.remove("whole.nc")


def write_trimmed(path, times, cli):
    """One that had three times more at each end."""
    first, last = times[0], times[-1]
    write_file("long.nc", [*range(first - 3, first), *times, *range(last + 1, last + 4)], missing=False)
    cli.drx("import", "long.nc", path)
    cli.drx("trim", path, "time", "--before", "3", "--after", "3")
    import drx

    with drx.open_dataset(path, "r+") as ds:
        ds["t2m"][0, 0, 0] = -999
    os.remove("long.nc")


def main():
    drx_cli.main()
