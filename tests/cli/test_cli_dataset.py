"""Datasets on the command line: whole files in and out, what they are, and their commits."""

import fcntl
import glob
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import time
import unittest

import numpy as np

import h5_file
import nc_file
import drx_cli
from drx_cli import CliTest, names, need, read_file, worker, write_file

try:
    import h5py
except ImportError:
    h5py = None

FERRET = "/usr/share/ferret-vis/data/"

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

    def goes_round(self, file, *options, lost=()):
        self.drx("import", file, "ds", "--dataset", *options, warns=lost)
        self.drx("export", "ds", "out.nc")
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


class WholeFiles(DatasetTest):
    def test_all_types(self):
        """Numbers of all types, text of both kinds, scalars, unlimited dimensions, attributes of all types."""
        with netCDF4.Dataset("in.nc", "w") as file:
            file.createDimension("t", None)
            file.createDimension("member", None)
            file.createDimension("x", 3)
            file.createDimension("len", 5)
            file.createDimension("name_strlen", 2)
            for i, kind in enumerate(["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]):
                variable = file.createVariable(kind, kind, ("t", "x"), fill_value=0 if i % 2 else None)
                variable[:] = np.arange(6).reshape(2, 3)
                variable.setncattr("one", np.array(7, kind)[()])
                variable.setncattr("several", np.arange(3).astype(kind))
            file["i4"].missing_value = np.int32(-1)
            file.createVariable("scalar", "i4", ())[...] = 5
            file.createVariable("empty", "f4", ("member", "x"), fill_value=1e20)
            file.createVariable("chars", "S1", ("x", "len"), fill_value="-")[:] = netCDF4.stringtochar(
                np.array(["ab", "cde", ""], "S5"))
            file.createVariable("letter", "S1", ())[...] = "q"
            file.createVariable("name", str, ("t", "x"))[:] = np.array(
                [["a", "über", ""], ["line\nend", "  ", "z" * 99]], object)
            file.createVariable("title", str, ())[...] = "whole"
            file.createVariable("two", "i1", ("name_strlen",))[:] = 1
            file["name"].setncattr_string("lines", ["a", "", "c"])
            file["name"].setncattr_string("of_lines", ["line\nend", "", "\n"])
            file.setncattr_string("string", "of netCDF\nwith lines")
            file.setncattr_string("none", ["one"])
            file.setncattr("text", "of characters: é")
            file.setncattr("blank", "")
            file.setncattr("numbers", np.array([1.5, -2], "f8"))
        self.goes_round("in.nc")
        info = json.loads(self.drx("info", "ds", "--json"))
        self.assertEqual(info["dims"]["t"], {"size": 2, "lower": 0, "unlimited": True})
        self.assertEqual(info["variables"]["name"]["dims"], ["t", "x", "name_strlen_2"])
        text = self.drx("info", "ds")
        for line in ["\tt = UNLIMITED ; // (2 currently)\n", "\tx = 3 ;\n", "\tstring name(t, x) ;\n",
                     "\tchar letter ;\n", "\t\tstring name:lines = \"a\", \"\", \"c\" ;\n",
                     "\t\tstring name:of_lines = \"line\\nend\", \"\", \"\\n\" ;\n",
                     "\t\ti2:_FillValue = 0s ;\n", "\t\tf8:one = 7. ;\n", "\t\t:numbers = 1.5, -2. ;\n"]:
            self.assertIn(line, text)
        self.assertNotIn("strlen_2", text)
        self.assertNotIn("drx.", text)
        self.assertEqual(self.whole("ds/i2").tolist(), [[0, 1, 2], [3, 4, 5]])

    def test_a_dataset_where_an_array_is_meant(self):
        make("in.nc")
        self.drx("import", "in.nc", "ds")
        for words in (["read", "ds[time=1]"], ["view", "ds", "-o", "x.png"],
                      ["extend", "ds", "0", "1"], ["advise", "ds", "--access", "1"]):
            self.fails(1, *words, says=["ds: is a dataset, not an array; name a variable that 'drx info ds' lists, as in "
                                        "ds/VARIABLE"])

    def test_classic(self):
        for flags in (nc_file.CLASSIC, nc_file.OFFSET64, nc_file.CDF5, nc_file.NETCDF4_CLASSIC):
            make("in.nc", flags=flags)
            self.drx("import", "in.nc", f"ds{flags}")
            self.drx("export", f"ds{flags}", "out.nc", "--deflate", "1")
            self.assert_same_files("in.nc", "out.nc")
            self.drx("info", f"ds{flags}")

    def test_hdf5(self):
        """Files that netCDF did not write: netCDF names their dimensions, and passes over in silence what it does not
        know, which is refused."""
        need(h5_file.LIBRARY)
        with h5_file.H5File("in.h5") as file:
            for name, array in [("u", np.arange(6, dtype=">f4").reshape(2, 3)), ("v", np.arange(3, dtype="u2"))]:
                with file.dataset(name, array) as dataset:
                    dataset.att("units", "m")
            file.dataset("half", np.array([1.5, -2], "f2")).close()
        self.goes_round("in.h5")
        self.assertEqual(self.whole("ds/half").tolist(), [1.5, -2])
        kinds = {"strings of fixed length": h5_file.string_type(5), "bit fields": h5_file.known("H5T_STD_B8LE"),
                 "enumerated names": h5_file.h5_type("?"), "complex numbers": h5_file.h5_type("c8")}
        for says, kind in kinds.items():
            with self.subTest(says), h5_file.H5File("odd.h5") as file:
                file.dataset("u", np.zeros(2)).close()
                file.dataset("v", np.zeros(2), kind=kind).close()
            self.fails(1, "import", "odd.h5", "no", "--dataset", says=f"odd.h5:v: holds {says}")
        self.assertEqual(names(), ["ds", "in.h5", "odd.h5", "out.nc"])

    def test_bounds_stay(self):
        with netCDF4.Dataset("in.nc", "w") as file:
            for name, extent in [("time", None), ("nv", 2), ("unused", 7)]:
                file.createDimension(name, extent)
            time = file.createVariable("time", "f8", ("time",))
            time.setncatts({"units": "days since 2001-01-01", "bounds": "time_bnds"})
            time[:] = [0.5, 1.5]
            file.createVariable("time_bnds", "f8", ("time", "nv"))[:] = [[0, 1], [1, 2]]
        self.goes_round("in.nc", lost=("unused",))
        self.assertIn("double time(time) ; // 2001-01-01T12:00 … 2001-01-02T12:00\n", self.drx("info", "ds"))

    def test_ferret(self):
        files = [file for file in sorted(glob.glob(FERRET + "*.*")) if os.path.getsize(file) < 6 << 20]
        if not files:
            self.skipTest(f"{FERRET} is missing; install ferret-datasets")
        for i, file in enumerate(files):
            self.drx("import", file, f"ds{i}", "--dataset")
            self.drx("export", f"ds{i}", "out.nc")
            self.assert_same_files(file, "out.nc")


class Killed(DatasetTest):
    def make(self, path, first):
        """It takes some tenths of a second to read."""
        with netCDF4.Dataset(path, "w") as file:
            file.createDimension("time", None)
            file.createDimension("x", 1 << 20)
            file.createVariable("time", "f8", ("time",))[:] = np.arange(first, first + 32)
            for name in "uv":
                variable = file.createVariable(name, "i2", ("time", "x"), zlib=True, chunksizes=(1, 1 << 20))
                variable[:] = np.broadcast_to(np.arange(first, first + 32)[:, None], (32, 1 << 20))

    def test_import(self):
        """It leaves no dataset, and nothing at all unless it is killed."""
        self.make("in.nc", 0)
        self.interrupted(signal.SIGTERM, "import", "in.nc", "ds")
        self.assertEqual(names(), ["in.nc"])
        self.interrupted(signal.SIGKILL, "import", "in.nc", "ds")
        self.assertRegex(" ".join(names()), r"^ds\.\w{6} in\.nc$")
        shutil.rmtree(glob.glob("ds.*")[0])
        error = self.dies("in.nc", "ds", begun=lambda _: glob.glob("ds.*/dataset.xds"))
        self.assertIn("in.nc: the process that reads it ended by signal 11 (Segmentation fault); all is as it was", error)
        self.assertEqual(names(), ["in.nc"])
        self.drx("import", "in.nc", "ds")

    def dies(self, *words, begun=None):
        """Standard error of an import whose library crashes when begun(process), or when a file is new."""
        before = names()
        process = subprocess.Popen([drx_cli.DRX, "import", *words], stderr=subprocess.PIPE)
        while process.poll() is None and not (begun(process) if begun else names() != before):
            time.sleep(0.001)
        self.assertIsNone(process.poll(), (words, process.poll() is not None and process.communicate()))
        os.kill(worker(process), signal.SIGSEGV)
        error = process.communicate()[1].decode()
        self.assertEqual(process.returncode, 1, error)
        return error

    def test_append(self):
        """It leaves the commit that was there, and can be done again. When a library crashes, what was appended is taken back,
        of a dataset and of an array; what was replaced stays so."""
        self.make("a.nc", 0)
        self.make("b.nc", 32)
        for ds, data, options in (("ds", "ds/u.xtz", []), ("raw", "raw/u.xta", ["--codec", "none"])):
            self.drx("import", "a.nc", ds, *options)
            before = self.drx("info", ds)
            for number in (signal.SIGINT, signal.SIGSEGV, signal.SIGKILL):
                size = os.path.getsize(data)
                words = ("b.nc", ds, "--append", "time")
                grown = {"begun": lambda _, data=data, size=size: os.path.getsize(data) > size}
                if number == signal.SIGSEGV:
                    self.assertIn("b.nc: the process that reads it ended by signal 11", self.dies(*words, **grown))
                    if ds == "raw":  # payloads reuse their room
                        self.assertEqual(os.path.getsize(data), size)
                else:
                    self.interrupted(number, "import", *words, **grown)
                self.assertEqual(self.drx("info", ds), before)
                self.assertEqual(self.whole(ds + "/v[:,0]").tolist(), list(range(32)))
            self.drx("import", "b.nc", ds, "--append", "time")
            for name in "uv":
                self.assertEqual(self.whole(f"{ds}/{name}[:,-1]").tolist(), list(range(64)))
            self.drx("check", ds)
        stamp = os.stat("raw/u.xta").st_mtime_ns
        self.assertIn("what it has replaced stays replaced", self.dies(
            "a.nc", "raw", "--append", "time", "--overlap", "replace", begun=lambda _: os.stat("raw/u.xta").st_mtime_ns != stamp))
        self.drx("import", "a.nc:u", "u", "--codec", "none")
        size = os.path.getsize("u.xta")
        self.dies("b.nc:u", "u", "--append", "time", begun=lambda _: os.path.getsize("u.xta") > size)
        self.assertEqual(os.path.getsize("u.xta"), size)
        self.drx("check", "raw", "u")


    def test_a_crash_when_all_is_done(self):
        """What is imported or appended stays, and the exit code is 0. A full pipe stops the child at a warning after that."""
        def write(time):
            with nc_file.NcFile("in.nc") as nc:
                nc.array("u", np.ones((len(time), 2), "f4"), ["time", "x"])
                nc.array("time", np.array(time), ["time"], units=b"days since 2001-01-01")

        def crashes_at_the_end(*words, stops):
            pipe = os.pipe()
            full = fcntl.fcntl(pipe[1], fcntl.F_SETPIPE_SZ, 4096)
            os.write(pipe[1], b"." * full)
            with subprocess.Popen([drx_cli.DRX, "import", *words], stdout=pipe[1], stderr=pipe[1]) as process:
                os.close(pipe[1])
                asleep = 0
                while asleep < 20 and process.poll() is None:
                    time.sleep(0.005)
                    state = read_file(f"/proc/{worker(process)}/stat").rpartition(b") ")[2][:1]
                    asleep = asleep + 1 if state == b"S" and worker(process) != process.pid and os.path.exists(stops) else 0
                os.kill(worker(process), signal.SIGSEGV)
                with os.fdopen(pipe[0], "rb") as end:
                    error = end.read().decode()
            self.assertEqual(process.returncode, 0, error)
            self.assertIn("the process that reads it ended by signal 11 (Segmentation fault) when all was done; the result is complete", error)

        write([0.0, 1.0, 2.0])
        crashes_at_the_end("in.nc", "ds", "--keep-bits", "3", stops="ds")
        self.drx("import", "in.nc:u", "u", "--coords")
        write([8.0, 9.0])
        crashes_at_the_end("in.nc", "ds", "--append", "time", stops="ds")
        crashes_at_the_end("in.nc:u", "u", "--append", "time", stops="u.xmd")
        for path in "ds/time", "time":
            self.assertEqual(self.whole(path).tolist(), [0, 1, 2, 8, 9])
        self.assertEqual(self.whole("u").shape, (5, 2))
        self.drx("check", "ds", "u")


class Hostile(DatasetTest):
    def test_links_that_lead_nowhere(self):
        """A warning names them."""
        with h5py.File("in.h5", "w") as file:
            file["v"] = np.arange(3)
            file["far"], file["soft"] = h5py.ExternalLink("missing.h5", "/w"), h5py.SoftLink("/missing")
        self.drx("import", "in.h5", "v", warns=["in.h5: the link 'far' leads to nothing", "in.h5: the link 'soft' leads to nothing"])
        self.drx("import", "in.h5:v", "w")
        self.assertIn("the link 'far' leads to nothing", self.run_drx("import", "in.h5", "ds", "--dataset").stderr.decode())

    def test_elements_that_hdf5_does_not_find(self):
        with h5py.File("out.h5", "w") as file:
            file.create_dataset("d", (4,), "f4", external=[("missing.bin", 0, 16)])
        self.fails(1, "import", "out.h5", "a", says=["out.h5:d: cannot read: its elements are in other files, such as 'missing.bin'"])
        with h5py.File("source.h5", "w") as file:
            file["v"] = np.arange(3.0)
        with h5py.File("virtual.h5", "w") as file:
            layout = h5py.VirtualLayout((4,), "f8")
            layout[:] = h5py.VirtualSource("source.h5", "v", (4,))
            file.create_virtual_dataset("d", layout)
        self.fails(1, "import", "virtual.h5", "a", says="virtual.h5:d: is a virtual dataset, and HDF5 cannot read its sources")

    def test_scales_of_some_axes(self):
        """As drx writes them: an array, and of several variables one by one."""
        self.put("u", np.arange(12.0).reshape(4, 3), "--dims", "time,x")
        self.put("time", np.arange(4.0), "--dims", "time")
        self.drx("export", "u", "u.h5")
        self.drx("import", "u.h5", "again")
        self.assert_same(self.whole("again"), self.whole("u"))
        self.assertEqual(self.info("again")["dims"], ["time", "x"])
        self.fails(1, "import", "u.h5", "ds", "--dataset", says="u.h5:u: has no dimension of netCDF on axis 1; give SOURCE:VARIABLE")
        with h5py.File("u.h5", "a") as file:
            file["v"] = np.zeros((4, 3))
        self.fails(1, "import", "u.h5", "ds", says="give SOURCE:NAME with one of u, v")

    def test_a_library_that_crashes(self):
        """That of netCDF, on a scale without elements; that of HDF5 reads the variable."""
        with h5py.File("in.h5", "w") as file:
            file.create_dataset("s", data=h5py.Empty("f4")).make_scale("s")
            file["v"] = np.arange(3.0)
            file["v"].dims[0].attach_scale(file["s"])
        result = self.run_drx("import", "in.h5", "ds")
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"in.h5: the process that reads it ended by signal 11 (Segmentation fault); all is as it was; "
                      b"give SOURCE:VARIABLE to import one variable\n", result.stderr)
        self.assertEqual(names(), ["in.h5"])
        self.drx("import", "in.h5:v", "v", warns="the coordinates /s have another extent")
        self.assertEqual(self.whole("v").tolist(), [0, 1, 2])

    def test_groups_that_contain_themselves(self):
        """By hard links, by soft ones, and by two of them; also in a file that netCDF wrote. A group may have two names."""
        with netCDF4.Dataset("made.nc", "w") as file:
            file.createDimension("x", 3)
            file.createVariable("a", "i4", ("x",))[:] = [0, 1, 2]
        for link in (lambda file: file["g"], lambda file: file["/"], lambda _: h5py.SoftLink("/"), lambda _: h5py.SoftLink("/h")):
            for name in ("in.h5", "made.nc"):
                with h5py.File(name, "a") as file:
                    for group in "gh":
                        if group in file:
                            del file[group]
                    file["g/a"] = file["h/a"] = np.arange(3)
                    file["h/again"] = h5py.SoftLink("/g")
                    file["g/up"] = link(file)
                self.fails(1, "import", name, "ds", "--dataset", says=f"{name}: the group '")
                self.fails(1, "import", name, "ds", says="' contains itself; give SOURCE:VARIABLE to import one variable")
                self.drx("import", name + ":g/a", "a", "--force")
                self.assertEqual(self.whole("a").tolist(), [0, 1, 2])
        with h5py.File("in.h5", "a") as file:
            del file["g/up"], file["h"]
            file["again"] = file["g"]
        self.drx("import", "in.h5", "b")


class Choices(DatasetTest):
    def test_what_does_not_take_a_dataset(self):
        with nc_file.NcFile("in.nc") as nc:
            nc.array("u", np.arange(3), ["x"])
        self.drx("import", "in.nc", "ds")
        self.fails(1, "import", "in.nc", "ds/new", says="ds/new: the folder ds is a dataset, which holds its variables alone")
        self.fails(2, "import", "in.nc", "ds", "--force", says="import replaces no dataset, so remove that with 'drx rm' first")
        self.fails(1, "import", "-", "a", stdin=read_file("in.nc"),
                   says="standard input: is a file of netCDF or HDF5, which cannot come by a pipe; save it")

    def test_text_of_one_variable(self):
        with netCDF4.Dataset("in.nc", "w") as file:
            file.createDimension("x", 2)
            file.createVariable("s", str, ("x",))[:] = np.array(["a", "gr\u00fcn"], object)
        self.drx("import", "in.nc", "ds")
        self.drx("export", "ds/s", "out.nc")
        with xarray.open_dataset("out.nc") as file:
            self.assertEqual(file["s"].values.tolist(), ["a", "gr\u00fcn"])

    def test_what_is_made(self):
        """A file of netCDF is a dataset, with one variable, too; what is named is an array. A file of HDF5 with one variable is
        a dataset if a dimension has a name."""
        make("in.nc")
        self.drx("import", "in.nc", "several")
        self.drx("import", "in.nc:u", "one")
        self.drx("import", "in.nc", "slash/", "--checksum")
        self.assertEqual(names(), ["in.nc", "one.xmd", "one.xta", "several", "slash"])
        self.assertIn("dataset.xds", names("several"))
        self.assertIn("u.xcs", names("slash"))
        with nc_file.NcFile("single.nc") as file:
            file.array("u", np.zeros((2, 3)), "yx")
            file.array("x", np.zeros(3), "x")
        for options in ([], ["--dataset"]):
            self.drx("import", "single.nc", "whole", *options)
            self.assertEqual((self.whole("whole/u").shape, self.whole("whole/x").shape), ((2, 3), (3,)))
            shutil.rmtree("whole")
        with h5_file.H5File("plain.h5") as file, file.dataset("u", np.zeros((2, 3))) as u:
            self.assertIsNotNone(u)
        self.drx("import", "plain.h5", "array")
        self.drx("import", "plain.h5", "whole", "--dataset")
        self.assertEqual(self.whole("array").shape, self.whole("whole/u").shape)
        with h5_file.H5File("named.h5") as file, file.dataset("u", np.zeros(3)) as u, file.dataset("x", np.zeros(3)) as x:
            x.scale()
            u.attach(x, 0)
        self.drx("import", "named.h5", "named")
        self.assertEqual(self.whole("named/x").shape, (3,))
        os.mkdir("empty")
        self.drx("import", "in.nc", "empty")

    def test_refused(self):
        make("in.nc")
        self.drx("import", "in.nc", "ds")
        self.drx("import", "in.nc:u", "one")
        self.fails(1, "create", "ds", "--shape", 3, says="ds/dataset.xds: a dataset has that name")
        os.mkdir("full")
        write_file("full/x")
        write_file("file")
        write_file("noise", b"noise")
        self.all_fail(1, "import", cases={
            ("in.nc", "ds"): "ds: is a dataset already; give a new path, or --append to add to it",
            ("in.nc", "full"): "full: is a folder that is not empty",
            ("in.nc", "file"): "file: is a file",
            ("in.nc", "no/ds"): "no/ds: the folder no does not exist",
            ("in.nc", "one"): "one: an array has that name; give a new path",
            ("in.nc:u", "ds"): "ds: a dataset has that name; give a new path\n",
            ("in.nc:u", "ds", "--force"): "ds: a dataset has that name; give a new path\n",
            ("noise", "new", "--dataset"): "noise: cannot open as netCDF or HDF5"})
        self.all_fail(2, "import", "in.nc", "a", cases={
            "--coords": "--coords goes with one variable; give SOURCE:VARIABLE, or remove it",
            ("--chunk", "1"): "go by names of dimensions; give --chunk NAME=N"})
        self.all_fail(2, "export", "ds", cases={
            "ds.npy": "ds is a dataset, which goes to netCDF",
            "ds.nc:u": "ds is a dataset, whose variables keep their names; remove ':u'",
            ("ds.nc", "--no-coords"): "--no-coords goes with an array"})
        self.fails(1, "log", "in.nc", says="in.nc")
        self.fails(1, "info", "in.nc", "--at", "1", says="--commit goes with a dataset")
        self.fails(2, "logg", "ds", says="did you mean 'log'?")
        self.assertEqual(names(), ["ds", "file", "full", "in.nc", "noise", "one.xmd", "one.xta"])

    def test_what_cannot_be_stored(self):
        """Nothing is made, whatever came before."""
        def compound(file):
            pair = file.createCompoundType(np.dtype([("a", "i4"), ("b", "f8")]), "pair")
            file.createVariable("bad", pair, ("x",))

        def sequence(file):
            file.createVariable("bad", file.createVLType("i4", "seq"), ("x",))

        def enumeration(file):
            file.createVariable("bad", file.createEnumType("i4", "colour", {"red": 1}), ("x",), fill_value=1)

        cases = {
            "bad: holds compound elements (type 'pair'), which a dataset cannot store": compound,
            "bad: holds sequences of any length (type 'seq')": sequence,
            "bad: holds an enumeration (type 'colour')": enumeration,
            "in.nc: has the group 'inner'; a dataset has no groups, so give SOURCE:VARIABLE":
                lambda file: file.createGroup("inner"),
        }
        for says, add in cases.items():
            with self.subTest(says):
                with netCDF4.Dataset("in.nc", "w") as file:
                    file.createDimension("x", 3)
                    file.createVariable("u", "f4", ("x",))[:] = 1
                    file.createVariable("w", "f4", ("x",))[:] = 1
                    add(file)
                self.fails(1, "import", "in.nc", "ds", "--dataset", says=says)
                self.assertEqual(names(), ["in.nc"])

    def test_cut_off(self):
        make("in.nc", flags=nc_file.CLASSIC)
        os.truncate("in.nc", os.path.getsize("in.nc") - 8)
        self.fails(1, "import", "in.nc", "ds", says="is cut off")
        self.assertEqual(names(), ["in.nc"])


def change(path, *changes):
    """Edit a file: each change gets it, open."""
    with netCDF4.Dataset(path, "a") as file:
        file.set_auto_maskandscale(False)
        for call in changes:
            call(file)


class Appending(DatasetTest):
    def setUp(self):
        super().setUp()
        make("a.nc", 3, 0)
        make("b.nc", 2, 3)
        self.drx("import", "a.nc", "ds")

    def stored(self, name):
        return self.whole("ds/" + name)

    def refuses(self, says, *changes, words=()):
        """It says so and leaves all as it was."""
        change("b.nc", *changes)
        before = self.drx("info", "ds"), self.drx("log", "ds"), self.stored("u").tolist()
        self.fails(1, "import", "b.nc", "ds", "--append", "time", *words, says=says)
        self.assertEqual((self.drx("info", "ds"), self.drx("log", "ds"), self.stored("u").tolist()), before)

    def test_append(self):
        """All variables grow, in one commit; the file that comes out is both files."""
        self.drx("import", "b.nc", "ds", "--append", "time")
        self.assertEqual(self.stored("time").tolist(), [0, 1, 2, 3, 4])
        log = json.loads(self.drx("log", "ds", "--json"))
        self.assertEqual((log[0]["message"], log[0]["changes"]),
                         ("drx import b.nc ds --append time", [{"dim": "time", "lower_before": 0, "upper_before": 3,
                                                              "lower": 0, "upper": 5}]))
        self.assertIn("    time 3 → 5\n", self.drx("log", "ds", "-n", "1"))
        self.assertIn("\ttime = UNLIMITED ; // (5 currently)\n", self.drx("info", "ds"))
        self.drx("export", "ds", "out.nc")
        with xarray.open_dataset("a.nc") as a, xarray.open_dataset("b.nc") as b, xarray.open_dataset("out.nc") as out:
            xarray.testing.assert_identical(xarray.concat([a, b], "time", data_vars="minimal").load(), out.load())
        self.drx("export", "ds", "first.nc", "--at", "1")
        self.assert_same_files("a.nc", "first.nc")
        self.assertIn("(3 currently)", self.drx("info", "ds", "--at", "1"))

    def test_arrays_of_a_commit(self):
        """With its bounds, which negative indices count from."""
        self.drx("import", "b.nc", "ds", "--append", "time")
        for words in (["--commit", 1], ["--at", "0,0", "--commit", 1]):
            self.assert_same(self.whole("ds/u", *words), self.stored("u")[:3])
        self.assert_same(self.whole("ds/u[-1]", "--commit", 1), self.stored("u")[2])
        self.fails(1, "read", "ds/u[3]", "--commit", 1, says="index 3 is outside of axis 0 (time); give -3 to 2")
        self.fails(1, "read", "ds/u", "--commit", 3, says="ds/u")
        self.fails(1, "read", "ds/u", "--commit", 0, says="ds/u")
        self.drx("export", "ds/u", "u.nc", "--at", 1)
        with netCDF4.Dataset("u.nc") as file:
            self.assertEqual((file["u"].shape, file["time"][:].tolist()), ((3, 4), [0, 1, 2]))
        self.drx("view", "ds/u", "-o", "u.png", "--at", 1)
        for verb, path, *target in (("info", "ds"), ("export", "ds", "-"), ("view", "ds/u", "--terminal"), ("refs", "ds"),
                                    ("refs", "ds/u"), ("copy", "ds", "then")):  # both names of the option
            got = []
            for option in ("--commit", "--at"):
                to = [option[2:] + ".nc"] if target == ["-"] else target
                got.append(self.drx(verb, path, *to, option, 1))
                shutil.rmtree("then", ignore_errors=True)
            self.assertEqual(*got)
        self.assert_same_files("commit.nc", "at.nc")
        for words in (("read", "ds/u[-1]", "--at", 1), ("map", "ds/u", "--at", 1)):
            self.fails(2, *words, says="--commit N for a commit of a dataset")
        self.fails(1, "read", "ds/u", "--at", 1, says=("--at has 1 number; give 2", "--commit 1 for that commit"))
        self.drx("copy", "ds/u", "other")
        self.fails(1, "export", "other", "u.nc", "--at", 1, says="other")

    def test_meaning(self):
        """Another reference date, other packing and another fill are stored as the dataset has them."""
        def other(file):
            file["time"].units = "hours since 2001-01-04 12:00"
            file["time"][:] = [-12, 12]
            file["v"].scale_factor = 0.25
            file["v"][:] = np.arange(8).reshape(2, 4) * 2
        change("b.nc", other)
        self.drx("import", "b.nc", "ds", "--append", "time")
        self.assertEqual(self.stored("time").tolist(), [0, 1, 2, 3, 4])
        self.assertEqual(self.stored("v")[3:].ravel().tolist(), list(range(8)))

    def test_bounds(self):
        """They have the units of their coordinate."""
        for name, first, units in [("a.nc", 0, "days since 2001-01-01"), ("b.nc", 1, "days since 2001-01-03")]:
            with netCDF4.Dataset(name, "w") as file:
                file.createDimension("time", None)
                file.createDimension("nv", 2)
                time = file.createVariable("time", "f8", ("time",))
                time.setncatts({"units": units, "bounds": "time_bnds"})
                time[:] = [0.5, 1.5]
                file.createVariable("time_bnds", "f8", ("time", "nv"))[:] = [[0, 1], [1, 2]]
        self.drx("import", "a.nc", "new", "--dataset")
        self.drx("import", "b.nc", "new", "--append", "time")
        self.assertEqual(self.whole("new/time").tolist(), [0.5, 1.5, 2.5, 3.5])
        self.assertEqual(self.whole("new/time_bnds").tolist(), [[0, 1], [1, 2], [2, 3], [3, 4]])

    def test_text(self):
        """Longer strings lengthen the axis of their bytes; a dimension that grew is unlimited."""
        for name, texts in [("a.nc", ["a", "bc"]), ("b.nc", ["longer", ""])]:
            with netCDF4.Dataset(name, "w") as file:
                file.createDimension("n", 2)
                file.createVariable("name", str, ("n",))[:] = np.array(texts, object)
                file.createVariable("code", "S1", ("n",))[:] = np.array(["x", "y"], "S1")
                file.createVariable("title", str, ())[...] = "whole"
        self.drx("import", "a.nc", "new")
        self.drx("import", "b.nc", "new", "--append", "n")
        self.drx("export", "new", "out.nc")
        with netCDF4.Dataset("out.nc") as file:
            self.assertTrue(file.dimensions["n"].isunlimited())
            self.assertEqual(file["name"][:].tolist(), ["a", "bc", "longer", ""])
            self.assertEqual(file["code"][:].tolist(), [b"x", b"y", b"x", b"y"])
        change("b.nc", lambda file: file["title"].__setitem__(..., "half"))
        self.fails(1, "import", "b.nc", "new", "--append", "n",
                   says="b.nc:title: its text differs from that of the dataset")

    def test_before(self):
        """What leads up to the first coordinate goes before it: the dimension grows at its low end."""
        make("b.nc", 2, -2)
        self.drx("import", "b.nc", "ds", "--append", "time")
        self.assertEqual(self.stored("time").tolist(), [-2, -1, 0, 1, 2])
        self.assertIn("    time from 0 \u2192 -2\n", self.drx("log", "ds", "-n", "1"))
        self.assertIn("time = UNLIMITED ; // (5 currently), the first index is -2\n", self.drx("info", "ds"))
        self.drx("export", "ds", "out.nc")
        with xarray.open_dataset("a.nc") as a, xarray.open_dataset("b.nc") as b, xarray.open_dataset("out.nc") as out:
            xarray.testing.assert_identical(xarray.concat([b, a], "time", data_vars="minimal").load(), out.load())
        self.drx("export", "ds", "first.nc", "--at", "1")
        self.assert_same_files("a.nc", "first.nc")
        self.drx("copy", "ds", "copied")
        self.drx("export", "copied", "again.nc")
        self.assert_same_files("out.nc", "again.nc")
        make("b.nc", 2, 3)
        self.drx("import", "b.nc", "ds", "--append", "time")
        self.assertEqual(self.stored("time").tolist(), list(range(-2, 5)))
        self.assertEqual(self.drx("read", "ds/u[time=2000-12-31]"), self.drx("read", "ds/u[1]"))

    def test_overlap_before(self):
        make("b.nc", 4, -2)
        old = self.stored("u")
        with netCDF4.Dataset("b.nc") as file:
            new = np.ma.getdata(file["u"][:])
        self.refuses("stored already at index 0")
        self.drx("import", "b.nc", "ds", "--append", "time", "--overlap", "skip")
        self.assert_same(self.stored("u"), np.concatenate([new[:2], old]))
        make("b.nc", 5, -4)
        with netCDF4.Dataset("b.nc") as file:
            newer = np.ma.getdata(file["u"][:])
        self.drx("import", "b.nc", "ds", "--append", "time", "--overlap", "replace")
        self.assert_same(self.stored("u"), np.concatenate([newer, old[1:]]))
        self.assertEqual(self.stored("time").tolist(), list(range(-4, 3)))

    def test_trim(self):
        self.drx("import", "b.nc", "ds", "--append", "time")
        old = self.stored("u")
        self.drx("trim", "ds", "time", "--before", "2", "--after", "1")
        self.assertEqual(self.stored("time").tolist(), [2, 3])
        self.assert_same(self.stored("u"), old[2:4])
        log = self.drx("log", "ds", "-n", "1")
        for line in ("drx trim ds time --before 2 --after 1\n", "    time trimmed 5 \u2192 4\n",
                     "    time trimmed from 0 \u2192 2\n"):
            self.assertIn(line, log)
        self.fails(1, "export", "ds", "out.nc", "--at", "1", says="ds/time: axis 0: indices 0 to 2 were asked for, and 2 to 2 are left by a trim")
        self.fails(1, "trim", "ds", "time", "--before", "3", says=["ds: dimension 'time'", "it has 2"])
        self.fails(1, "trim", "ds", "depth", "--before", "3", says="ds: has no dimension 'depth'")
        self.fails(1, "trim", "ds/u", "time", "--before", "1", says="a variable of a dataset")
        make("b.nc", 2, 4)
        self.drx("import", "b.nc", "ds", "--append", "time")
        self.assertEqual(self.stored("time").tolist(), [2, 3, 4, 5])
        self.drx("check", "ds")
        self.drx("trim", "ds", "time", "--after", "1")
        self.assertIn("drx trim ds time --after 1\n", self.drx("log", "ds", "-n", "1"))

    def test_compact(self):
        """Compressed variables: what is out of use goes. The log keeps all commits."""
        self.drx("import", "b.nc", "ds", "--append", "time")
        for start in (5, 7, 9):
            make("b.nc", 2, start)
            self.drx("import", "b.nc", "ds", "--append", "time")
        self.drx("create", "noise", "--shape", "64,64", "--chunk", "64,64", "--type", "int32", "--codec", "zstd", "--dims", "y,x")
        self.drx("add", "ds", "packed", "noise", "--codec", "zstd")
        for seed in range(3):
            np.save("part.npy", np.random.default_rng(seed).integers(0, 1 << 30, (64, 64), "int32"))
            self.drx("write", "ds/packed", "--at", "0,0", "part.npy")
        old, log = self.stored("u"), self.drx("log", "ds")
        before = os.stat("ds/packed.xtz").st_blocks
        self.drx("compact", "ds/")
        self.assertLess(os.stat("ds/packed.xtz").st_blocks, before)
        self.assertEqual((self.drx("check", "ds"), self.drx("log", "ds")), ("ds: good\n", log))
        self.assert_same(self.whole("ds/packed"), np.load("part.npy"))
        self.drx("compact", *sorted(glob.glob("ds/*")))  # as a shell expands ds/*
        self.assert_same(self.stored("u"), old)
        self.assert_same(self.whole("ds/u", "--commit", 1), old[:3])

    def test_keep(self):
        """All but the last commits are forgotten; these stay as they are, with their numbers."""
        for start in (3, 5, 7):
            make("b.nc", 2, start)
            self.drx("import", "b.nc", "ds", "--append", "time")
        commits, old = json.loads(self.drx("log", "ds", "--json")), self.stored("u")
        self.drx("compact", "ds", "--keep", "9")
        self.assertEqual(json.loads(self.drx("log", "ds", "--json")), commits)
        self.drx("compact", "ds", "--keep", "2")
        self.assertEqual(json.loads(self.drx("log", "ds", "--json")), commits[:2])
        self.assertEqual(json.loads(self.drx("log", "ds", "-n", "1", "--json")), commits[:1])
        last = commits[0]["commit"]
        self.assert_same(self.whole("ds/u", "--commit", last - 1), old[:7])
        self.fails(1, "info", "ds", "--commit", last - 2, says=f"commit {last - 2} was forgotten: the oldest one is {last - 1}")
        self.assertEqual(self.drx("check", "ds"), "ds: good\n")
        self.fails(1, "compact", "ds/u", "--keep", "2", says="ds/u: no dataset")
        self.fails(2, "compact", "ds", "--keep", "0", says="--keep 0")

    def test_another_axis(self):
        """Runs of one field: no element moves, and an earlier commit has no such axis."""
        old = self.stored("u")
        for name in "uv":
            self.drx("add-axis", "ds/" + name, 0, "run")
        self.assert_same(self.stored("u"), old[None])
        self.assertIn("\tfloat u(run, time, lat) ;\n", self.drx("info", "ds"))
        self.assertIn("drx add-axis ds/v 0 run\n", self.drx("log", "ds", "-n", "1"))
        self.drx("export", "ds", "first.nc", "--at", "1")
        self.assert_same_files("a.nc", "first.nc")
        self.drx("export", "ds", "out.nc")
        with netCDF4.Dataset("out.nc") as file:
            self.assertEqual(file["u"].dimensions, ("run", "time", "lat"))
        self.fails(1, "add-axis", "ds/time", 2, "run", says="a new axis 2, expected 0 to 1")
        self.fails(1, "add-axis", "ds/u", 0, "run", says="has the dimension 'run' already")
        self.fails(1, "add-axis", "ds/u", 0, "lat", says="has the dimension 'lat' already")
        self.fails(1, "add-axis", "ds/time", 0, "lat", says="dimension 'lat' has the bounds 0 and 4")
        self.fails(1, "add-axis", "ds/w", 0, "x", says="ds: has no variable 'w'")

    def test_another_axis_and_compact(self):
        """A compacted log has growth inside a chunk after the new axis; earlier commits are those of before."""
        shutil.rmtree("ds")
        self.drx("import", "a.nc", "ds", "--dataset", "--grows", "time")
        self.drx("import", "b.nc", "ds", "--append", "time")
        self.drx("export", "ds", "two.nc")
        self.drx("add-axis", "ds/u", 0, "run")
        self.drx("compact", "ds")
        for commit, expected in ((1, "a.nc"), (2, "two.nc")):
            self.drx("export", "ds", f"then{commit}.nc", "--commit", commit)
            self.assert_same_files(expected, f"then{commit}.nc")
        self.fails(1, "export", "ds/u", "u.npy", "--commit", 1, says="has 2 axes at commit 1, and 3 now")

    def test_what_is_no_variable(self):
        """Nothing is put into the folder of a dataset, and a variable whose files are lost goes."""
        self.drx("import", "b.nc", "new", "--dataset")
        for verb in "cp", "mv":
            self.fails(1, verb, "new", "ds", says="the folder ds is a dataset")
            self.fails(1, verb, "new", "ds", "--force", says="the folder ds is a dataset")
        os.remove("ds/u.xta")
        self.drx("rm", "ds/u")
        self.assertNotIn("u(", self.drx("info", "ds"))
        self.assertEqual(self.drx("check", "ds"), "ds: good\n")
        self.assertEqual(glob.glob("ds/u.*"), [])

    def test_overlap(self):
        make("b.nc", 4, 1)
        self.refuses("time")
        self.fails(2, "import", "b.nc", "ds", "--append", "time", "--overlap", "sometimes", says="--overlap")
        old = self.stored("u")
        with netCDF4.Dataset("b.nc") as file:
            new = np.ma.getdata(file["u"][:])
        self.drx("import", "b.nc", "ds", "--append", "time", "--overlap", "skip")
        self.assertEqual(self.stored("time").tolist(), [0, 1, 2, 3, 4])
        self.assert_same(self.stored("u"), np.concatenate([old, new[2:]]))
        self.drx("import", "b.nc", "ds", "--append", "time", "--overlap", "skip")
        self.assertEqual(len(json.loads(self.drx("log", "ds", "--json"))), 3)
        self.drx("import", "b.nc", "ds", "--append", "time", "--overlap", "replace")
        self.assert_same(self.stored("u"), np.concatenate([old[:1], new]))

    def test_refused(self):
        def set_to(name, values):
            return lambda file: file[name].__setitem__(..., values)

        def unit(name, value):
            return lambda file: file[name].setncattr("units", value)

        self.refuses("2001-01-03", set_to("time", [2, 3]))
        change("b.nc", set_to("time", [3, 4]))
        self.refuses("lat", set_to("lat", [0, 1, 2, 3.5]))
        change("b.nc", set_to("lat", [0, 1, 2, 3]))
        self.refuses("time", lambda file: file["time"].setncattr("calendar", "noleap"))
        change("b.nc", lambda file: file["time"].delncattr("calendar"))
        self.refuses("b.nc:time", unit("time", "m"))
        change("b.nc", unit("time", "days since 2001-01-01"))
        self.refuses("b.nc:v", lambda file: file["v"].setncattr("scale_factor", 1e6))
        change("b.nc", lambda file: file["v"].setncattr("scale_factor", 0.5))
        self.refuses("b.nc: has variables that the dataset lacks: w",
                     lambda file: file.createVariable("w", "f4", ("time",)))
        make("b.nc", 2, 3)
        change("b.nc", lambda file: file.renameVariable("u", "w"))
        self.refuses("b.nc: lacks variables of the dataset: u")
        self.all_fail(1, "import", "a.nc", "ds", "--append", cases={"depth": "ds: has no dimension 'depth'"})
        self.all_fail(2, "import", "a.nc", "ds", "--append", "time", cases={
            "--coords": "--coords goes with one variable", "--checksum": "--checksum goes with a new array"})
        self.fails(2, "import", "a.nc:u", "u", "--overlap", "skip", says="--overlap goes with --append; give both")

    def test_unlike(self):
        for says, kind, dims in [("b.nc:u: holds float64, but float32 in ds", "f8", ("time", "lat")),
                                 ("b.nc:u: is transposed: its dimensions are lat, time, but time, lat in ds; turn them", "f4",
                                  ("lat", "time")),
                                 ("b.nc:u: dimension 1 is 'x', but 'lat' in ds", "f4", ("time", "x")),
                                 ("b.nc:u: has 1 dimensions, but 2 in ds", "f4", ("time",)),
                                 ("b.nc:u: dimension 'lat' has 5 indices, but 4 in ds", "f4", ("time", "lat"))]:
            with netCDF4.Dataset("b.nc", "w") as file:
                file.createDimension("time", None)
                file.createDimension("lat", 5 if "5 indices" in says else 4)
                file.createDimension("x", 4)
                for name in ("u", "v", "time"):
                    file.createVariable(name, kind if name == "u" else "i2" if name == "v" else "f8",
                                        dims if name == "u" else ("time", "lat") if name == "v" else ("time",))
                file["time"].units = "days since 2001-01-01"
            with self.subTest(says):
                self.refuses(says)


class Commits(DatasetTest):
    def test_folder_of_arrays(self):
        """It is no dataset. Coordinates that lie beside an array are its own."""
        make("in.nc")
        os.mkdir("folder")
        for name in "uv":
            self.drx("import", "in.nc:" + name, "folder/" + name, "--coords")
        for words in ("log", "folder"), ("export", "folder", "out.nc"):
            self.fails(1, *words, says="folder: is a folder, but not a dataset")
        self.drx("export", "folder/u", "out.nc")
        with netCDF4.Dataset("in.nc") as a, netCDF4.Dataset("out.nc") as b:
            for name in ("time", "lat", "u"):
                self.assertEqual(a[name][:].tolist(), b[name][:].tolist())
        os.mkdir("empty")
        self.fails(1, "export", "empty/", "out.nc", says="empty")

    def test_log(self):
        make("in.nc")
        self.drx("import", "in.nc", "ds")
        log = json.loads(self.drx("log", "ds", "--json"))
        self.assertEqual([(c["commit"], c["message"], c["added"], c["changes"]) for c in log],
                         [(1, "drx import in.nc ds", 4, []), (0, "created", 0, [])])
        self.assertRegex(self.drx("log", "ds/dataset.xds", "-n", "1"),
                         r"^commit 1  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d  drx import in\.nc ds\n    4 variables added\n$")
        self.assertIn("variables:", self.drx("info", "ds", "--at", "1"))
        self.assertNotIn("variables:", self.drx("info", "ds/", "--at", "0"))
        self.fails(1, "info", "ds", "--at", "2", says="ds")
        self.drx("export", "ds", "none.nc", "--at", "0")
        with netCDF4.Dataset("none.nc") as file:
            self.assertEqual(list(file.variables), [])


if __name__ == "__main__":
    unittest.main()
