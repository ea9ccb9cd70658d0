"""CDO, ncview, R, Octave, GDAL, Fortran, Python and MPI programs, which know netCDF alone, read datasets as files."""

import ctypes.util
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import nc_programs  # which finds the next one
import drx_cli
from nc_programs import (ProgramsTest, bridge, ferret, need_module, need_program, python_of_build, with_drx,
                         with_preload, write_file, write_grown)

HERE = os.path.dirname(os.path.abspath(__file__))
TIMES = list(range(350, 380))  # of two years
PYTHON = "/usr/bin/python3"


class FilesTest(ProgramsTest):
    """Each test has the file in.nc, and the dataset ds of the same data, grown at both ends."""

    def setUp(self):
        super().setUp()
        need_module("netCDF4", "drx")
        write_file("in.nc", TIMES)
        write_grown("ds", TIMES, self)

    def compiled(self, source, *words):
        """A program made of a source beside this file."""
        program = os.path.abspath(os.path.splitext(source)[0])
        subprocess.run([*words[:1], os.path.join(HERE, "programs", source), "-o", program, *words[1:]], check=True)
        return program

    def python(self, text, *words, run=with_drx, **options):
        environment = {**os.environ, "PYTHONPATH": python_of_build(), "PYTHONWARNINGS": "ignore"}
        return self.output(PYTHON, "-c", text, *words, run=run, env=environment, **options).decode()


class CdoTest(FilesTest):
    def setUp(self):
        super().setUp()
        need_program("cdo")

    def test_operators(self):
        for words in (("sinfo", "@"), ("infon", "@"), ("timmean", "@", "OUT"), ("selyear,2000", "@", "OUT"),
                      ("remapbil,r8x4", "-selname,t2m", "@", "OUT"), ("selname,t2m", "@", "OUT"),
                      ("fldmean", "-sellonlatbox,0,180,-60,60", "@", "OUT"),
                      ("-f", "nc4", "-z", "zip_1", "copy", "@", "OUT")):
            with self.subTest(words=words):
                for run in (with_drx, with_preload):
                    self.both("cdo", "-s", "--no_history", *words, run=run, says=True)

    def test_mergetime(self):
        write_file("later.nc", range(380, 400))
        self.drx("import", "later.nc", "later", "--codec", "zstd")
        for run, files, out in ((None, ("in.nc", "later.nc"), "a.nc"), (with_drx, ("ds", "later"), "b.nc"),
                                (with_drx, ("ds", "later.nc"), "c.nc")):
            self.output("cdo", "-s", "--no_history", "mergetime", *files, out, run=run, says=True)
        self.assert_same_dumps("a.nc", "b.nc")
        self.assert_same_dumps("a.nc", "c.nc")

    def test_commits_and_variables(self):
        write_file("middle.nc", TIMES[10:20], missing=False)
        folder = tempfile.TemporaryDirectory(prefix="drx")  # without spaces in its name, which part words for CDO
        self.addCleanup(folder.cleanup)
        os.symlink(os.path.abspath("ds"), f"{folder.name}/ds")
        for path, same, words in (("ds#commit=1", "middle.nc", ("timmean",)), ("ds/t2m", "in.nc", ("selname,t2m",)),
                                  (f"file://{folder.name}/ds#mode=udf0", "in.nc", ("timmean",))):
            self.output("cdo", "-s", "--no_history", *words, same, "a.nc", run=None, says=True)
            self.output("cdo", "-s", "--no_history", *words, path, "b.nc", says=True)
            self.assert_same_dumps("a.nc", "b.nc")

    def test_over_http(self):
        from far_server import Server

        with Server(os.getcwd()) as server:
            self.output("cdo", "-s", "--no_history", "timmean", f"{server.url}/ds#mode=udf0", "b.nc", says=True,
                        env={**os.environ, "NO_PROXY": "*"})
        self.output("cdo", "-s", "--no_history", "timmean", "in.nc", "a.nc", run=None, says=True)
        self.assert_same_dumps("a.nc", "b.nc")

    def test_ferret(self):
        for source in ferret():
            name = os.path.basename(source).split(".")[0]
            with self.subTest(source=name):
                self.drx("import", source, name, warns=True)
                self.output("cdo", "-s", "--no_history", "infon", source, run=None, says=True)
                self.assertEqual(self.output("cdo", "-s", "infon", name, says=True),
                                 self.output("cdo", "-s", "infon", source, run=None, says=True))


class NcviewTest(FilesTest):
    def picture(self, words, folder, run):
        """The screen, once the program has drawn there and draws no more."""
        before = None
        process = subprocess.Popen(run(words) if run else words, cwd=folder, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            for _ in range(100):
                time.sleep(1)
                self.assertIsNone(process.poll())
                now = subprocess.run(["import", "-window", "root", "ppm:-"], env=self.environment, check=True,
                                     capture_output=True).stdout
                if now == before and any(now[-3 * 1000 * 150:]):  # below the window with the buttons
                    return now
                before = now
        finally:
            process.kill()
            process.wait()
        self.fail("ncview draws nothing")

    def test_picture(self):
        """The same picture of a file and of a dataset with its name."""
        need_program("ncview", "Xvfb", "import")
        source = next(path for path in ferret() if "etopo120" in path)
        for folder in ("file", "dataset"):
            os.mkdir(folder)
        shutil.copy(source, "file/etopo")
        self.drx("import", source, "dataset/etopo", warns=True)
        reader, writer = os.pipe()
        words = ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1000x700x24", "-nolisten", "tcp"]
        server = subprocess.Popen(words, pass_fds=[writer], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writer)
        try:
            with os.fdopen(reader) as file:
                self.environment = {**os.environ, "DISPLAY": f":{file.readline().strip()}"}
            words = ["ncview", "etopo"]
            expected = self.picture(words, "file", None)
            got = self.picture(words, "dataset", with_drx)
        finally:
            server.terminate()
            server.wait()
        if os.environ.get("DRX_KEEP_PICTURES"):
            drx_cli.write_file(os.path.join(os.environ["DRX_KEEP_PICTURES"], "ncview.ppm"), got)
        self.assertTrue(got == expected)


class LanguagesTest(FilesTest):
    def test_r(self):
        need_program("Rscript")
        if subprocess.run(["Rscript", "-e", "library(ncdf4)"], capture_output=True, check=False).returncode:
            self.skipTest("R's ncdf4 is not there")
        said = self.both("Rscript", "-e", """
            library(ncdf4)
            f <- nc_open("@")
            cat(sub("[(]C.*", "", capture.output(print(f))), sep = "\\n") # the chunks are others
            t2m <- ncvar_get(f, "t2m")
            cat(dim(t2m), sprintf("%.9g", c(sum(t2m, na.rm = TRUE), t2m[3, 2, 5])), is.na(t2m[1, 1, 1]), "\\n")
            cat(ncvar_get(f, "packed", start = c(2, 3), count = c(2, 4)), ncvar_get(f, "name"), "\\n")
            cat(f$dim$time$unlim, ncatt_get(f, "t2m", "units")$value, ncatt_get(f, 0, "title")$value, "\\n")
            nc_close(f)""")
        self.assertIn(b"TRUE K weather", said)

    def test_octave(self):
        need_program("octave-cli")
        if subprocess.run(["octave-cli", "--eval", "pkg load netcdf"], capture_output=True, check=False).returncode:
            self.skipTest("Octave's netcdf is not there")
        said = self.both("octave-cli", "--quiet", "--eval", """
            pkg load netcdf
            i = ncinfo("@");
            printf("%s ", i.Variables.Name);
            t2m = ncread("@", "t2m");
            printf("%d ", size(t2m)); printf("%.9g ", sum(t2m(!isnan(t2m))), t2m(3, 2, 5), isnan(t2m(1, 1, 1)));
            printf("%.9g ", ncread("@", "t2m", [2 3 1], [3 1 4], [2 1 3]), ncread("@", "packed"));
            printf("%s ", ncreadatt("@", "t2m", "units"), ncread("@", "name"));""", says=True)
        self.assertIn(b" K ", said)

    def test_gdal(self):
        need_program("gdalmdiminfo")
        files = (("in.nc", None), ("ds", with_drx))
        for words in ((), ("-detailed",)):
            said = [json.loads(self.output("gdalmdiminfo", *words, f"NETCDF:{path}", run=run, says=True))
                    for path, run in files]
            for info in said:
                for array in info["arrays"].values():
                    array.pop("block_size", None)  # they have other chunks
                    array.pop("structural_info", None)
            self.assertEqual(*said)

    def test_gdal_rasters(self):
        need_program("gdalinfo", "gdal_translate")
        for path, run, out in (("in.nc", None, "a.tif"), ("ds", with_drx, "b.tif"), ("ds/t2m", with_drx, "c.tif")):
            self.output("gdal_translate", "-q", f"NETCDF:{path}:t2m", out, run=run)
        self.assert_same_file("a.tif", "b.tif")
        self.assert_same_file("a.tif", "c.tif")
        for words in (("gdalinfo", "@"), ("gdalinfo", "-stats", "NETCDF:@:t2m")):  # which keeps what it finds
            self.assertIn(b"Driver: netCDF", self.both(*words, says=True))

    def test_fortran(self):
        need_program("gfortran", "nf-config")
        words = [shlex.split(subprocess.run(["nf-config", option], capture_output=True, check=True, text=True).stdout)
                 for option in ("--fflags", "--flibs")]
        program = self.compiled("read_nf90.f90", "gfortran", *words[0], *words[1])
        said = self.both(program, "@")
        self.assertIn(b"Ulm", said)
        folder = os.path.dirname(bridge())
        program = self.compiled("read_nf90.f90", "gfortran", *words[0], f"-L{folder}", f"-Wl,-rpath,{folder}",
                                "-Wl,--no-as-needed", "-ldrx-netcdf", "-Wl,--as-needed", *words[1])
        self.assertEqual(self.output(program, "ds", run=None), self.output(program, "in.nc", run=None))

    def test_netcdf4_python(self):
        self.both(PYTHON, "-c", """
import netCDF4, hashlib
with netCDF4.Dataset("@") as file:
    for name, v in file.variables.items():
        print(name, v.dtype, v.dimensions, v.shape, v.ncattrs(), hashlib.md5(v[...].tobytes()).hexdigest())
    print(file.ncattrs(), file.dimensions["time"].isunlimited(), file.data_model, file["t2m"][3:20:4, ::-1, 2])
""")

    def test_xarray(self):
        need_module("xarray")
        self.both(PYTHON, "-c", """
import xarray
with xarray.open_dataset("@", engine="netcdf4") as ds:
    print(ds, ds.t2m.mean("time").values, ds.packed.values, ds.time.dt.year.values, ds.name.values)
""")


class MpiTest(FilesTest):
    def test_open_par(self):
        """nc_open_par of a folder, by a program that is linked with libnetcdf_mpi, and one with the bridge, too."""
        need_program("mpicc", "pkg-config")
        bridge(mpi=True)
        flags = [subprocess.run(["pkg-config", option, "netcdf-mpi"], capture_output=True, text=True, check=False)
                 for option in ("--cflags", "--libs", "--variable=prefix")]
        if flags[0].returncode:
            self.skipTest("libnetcdf-mpi-dev is not there")
        words = [shlex.split(flag.stdout) for flag in flags]
        words[0].insert(0, f"-I{words[2][0]}/include")  # Debian's file names another folder
        together = (os.path.join(os.path.dirname(nc_programs.TESTS), "scripts", "in-mpi"), "3", "100")
        program = self.compiled("read_par.c", "mpicc", *words[0], *words[1])
        expected = self.output(*together, program, "in.nc", run=None, says=True)
        self.assertIn(b"3 ranks: ", expected)
        self.assertEqual(
            self.output(*together, drx_cli.DRX, "run", "--mpi", program, "ds", run=None, says=True), expected)
        folder = os.path.dirname(bridge(mpi=True))
        program = self.compiled("read_par.c", "mpicc", *words[0], f"-L{folder}", f"-Wl,-rpath,{folder}",
                                "-Wl,--no-as-needed", "-ldrx-netcdf-mpi", "-Wl,--as-needed", *words[1])
        self.assertEqual(self.output(*together, program, "ds", run=None, says=True), expected)


class TogetherTest(FilesTest):
    """What else is in the process, and in which order things end."""

    def test_h5py_beside(self):
        need_module("h5py")
        for order in ("import h5py, netCDF4", "import netCDF4, h5py"):
            self.assertEqual(self.python(f"""
{order}
with h5py.File("in.nc") as far, netCDF4.Dataset("ds") as near, netCDF4.Dataset("in.nc") as file:
    near.set_auto_maskandscale(False)
    for name in ("t2m", "packed", "time"):
        assert (far[name][...] == near[name][...]).all()
with h5py.File("new.h5", "w") as far, netCDF4.Dataset("ds") as near:
    far["t2m"] = near["t2m"][...]
print("same")
"""), "same\n")

    def test_two_netcdfs(self):
        """Those of one process, of which the second has an HDF5 of its own."""
        second = ctypes.util.find_library("netcdf_mpi")
        if not second:
            self.skipTest("libnetcdf_mpi is not there")
        self.assertEqual(self.python(f"""
import ctypes, netCDF4
other, n = ctypes.CDLL("{second}"), ctypes.c_int()
with netCDF4.Dataset("ds") as near:
    assert other.nc_open(b"in.nc", 0, ctypes.byref(n)) == 0
    assert other.nc_close(n) == 0
    assert other.nc_open(b"none", 0, ctypes.byref(n)) == 2
    print(near["level"][...])
"""), "42\n")

    def test_threads_beside_the_engine(self):
        self.assertEqual(self.python("""
import threading, drx, netCDF4, numpy as np
file, ds, bad = netCDF4.Dataset("ds"), drx.open_dataset("ds"), []
file.set_auto_maskandscale(False)
expected = netCDF4.Dataset("in.nc")
expected.set_auto_maskandscale(False)
expected = expected["t2m"][...]
lock = threading.Lock()

def read(get):
    for i in range(300):
        t = i % 30
        if not (get(t) == expected[t]).all():
            bad.append(t)

def through_netcdf(t):
    with lock:  # netCDF-C is called by one thread at a time
        return file["t2m"][t]

threads = [threading.Thread(target=read, args=[get]) for get in 3 * [through_netcdf, lambda t: ds["t2m"][t]]]
for t in threads: t.start()
for t in threads: t.join()
print(bad)
"""), "[]\n")

    def test_children(self):
        """A child that is forked opens the dataset again, and the parent goes on."""
        self.assertEqual(self.python("""
import os, netCDF4, multiprocessing
file = netCDF4.Dataset("ds")
expected = float(file["t2m"][...].sum())
for _ in range(3):
    child = os.fork()
    if child == 0:
        with netCDF4.Dataset("ds") as again:
            os._exit(float(again["t2m"][...].sum()) != expected)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert float(file["t2m"][...].sum()) == expected

def total(name):
    with netCDF4.Dataset("ds") as again:
        return float(again["t2m"][...].sum())

with multiprocessing.get_context("fork").Pool(3) as pool:
    print(set(pool.map(total, range(9))) == {expected})
"""), "True\n")

    def test_ends(self):
        """Files that are closed after a refresh, in any order, and those that the program never closes."""
        self.assertEqual(self.python("""
import drx, netCDF4
first, second, third = netCDF4.Dataset("ds"), netCDF4.Dataset("ds"), netCDF4.Dataset("ds/t2m")
variable = first["t2m"]
with drx.open_dataset("ds", "r+") as ds:
    ds.extend("time", 1)
    ds["t2m"][-1] = 5
    ds.commit()
first.sync()
third.sync()
print(variable.shape[0], second["t2m"].shape[0], third["t2m"].shape[0], float(variable[-1, 0, 0]))
first.close()
print(second["t2m"].shape[0])
reader = drx.open_dataset("ds")
del first, variable
"""), "31 30 31 5.0\n30\n")

    def test_libraries_that_are_closed(self):
        program = self.compiled("ends.c", os.environ.get("CC", "cc"), "-ldl")
        netcdf = ctypes.util.find_library("netcdf")
        self.assertEqual(self.output(program, netcdf, bridge(), "ds", run=None), b"7 variables\n")
        self.assertEqual(self.output(program, netcdf, bridge(), os.path.abspath("ds"), run=None), b"7 variables\n")


if __name__ == "__main__":
    nc_programs.main()
