"""Datasets on the command line: whole files in and out, and what they are."""

import fcntl
import glob
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import numpy as np

import h5_file
import nc_file
import drx_cli
from drx_cli import names, need, read_file, worker
from nc_dataset import DatasetTest

import netCDF4

try:
    import h5py
except ImportError:
    h5py = None

FERRET = "/usr/share/ferret-vis/data/"


class WholeFiles(DatasetTest):
    def test_hdf5(self):
        """Files that netCDF did not write: axes without scales get dimensions, and types that netCDF lacks are stored."""
        need(h5_file.LIBRARY)
        with h5_file.H5File("in.h5") as file:
            for name, array in [("u", np.arange(6, dtype=">f4").reshape(2, 3)), ("v", np.arange(3, dtype="u2"))]:
                with file.dataset(name, array) as dataset:
                    dataset.att("units", "m")
            file.dataset("half", np.array([1.5, -2], "f2")).close()
        self.goes_round("in.h5", changed="ds/half: has type float16, which netCDF lacks")
        self.assertEqual(self.whole("ds/half").dtype, np.float16)
        self.assertEqual(self.whole("ds/half").tolist(), [1.5, -2])
        with h5py.File("kinds.h5", "w") as file:
            file["fixed"], file["truth"] = np.array([b"a", b"bcd"]), np.array([True, False])
            file["z"], file["letter"], file["word"] = np.array([1 + 2j, 3j]), np.array([b"x", b"y"]), "größer"
            file["long"] = np.array(b"line\n" * 2000)
        self.drx("import", "kinds.h5", "kinds", "--dataset")
        with h5py.File("kinds.h5") as file:
            for name in "fixed", "truth", "z":
                self.assert_same(self.whole(f"kinds/{name}"), file[name][:])
        self.assertEqual(self.whole("kinds/letter").tobytes(), b"xy")
        self.assertEqual(self.whole("kinds/word").tobytes().decode(), "größer")
        self.assertEqual(self.whole("kinds/long").tobytes(), b"line\n" * 2000)
        with h5_file.H5File("odd.h5") as file:
            file.dataset("u", np.zeros(2)).close()
            file.dataset("v", np.zeros(2), kind=h5_file.known("H5T_NATIVE_LDOUBLE")).close()
        self.fails(1, "import", "odd.h5", "no", "--dataset", says="odd.h5:v: holds floats of more than 8 bytes", lines=2)
        self.drx("import", "odd.h5", "odd", "--dataset", "--skip-unsupported",
                 warns="odd.h5:v: holds floats of more than 8 bytes, not whole numbers, floats, complex numbers or text, and is left out")
        self.assertEqual(self.drx("read", "odd/u"), "0  0\n")
        self.assertEqual(names(), ["ds", "in.h5", "kinds", "kinds.h5", "odd", "odd.h5", "out.nc"])

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
        self.drx("import", "u.h5", "one", "--dataset")
        with h5py.File("u.h5", "a") as file:
            file["v"] = np.zeros((4, 3))
        self.drx("import", "u.h5", "ds")
        for name in "one", "ds":
            self.assert_same(self.whole(f"{name}/u"), self.whole("u"))
            self.assertIn("double u(time, phony_dim_1)", self.drx("info", name))

    def test_a_library_that_crashes(self):
        """That of netCDF, on a number of variables that is none."""
        Path("in.nc").write_bytes(b"CDF\1" + bytes(20) + b"\0\0\0\x0b\x80\0\0\0\0\0\0\7fix_var" + bytes(13) +
                                  b"\0\0\0\4\0\0\0\4\0\0\2\0")
        result = self.run_drx("import", "in.nc", "ds")
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"in.nc: the process that reads it ended by signal 11 (Segmentation fault); all is as it was", result.stderr)
        self.assertEqual(names(), ["in.nc"])
        with h5py.File("in.h5", "w") as file:  # a scale without elements
            file.create_dataset("s", data=h5py.Empty("f4")).make_scale("s")
            file["v"] = np.arange(3.0)
            file["v"].dims[0].attach_scale(file["s"])
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
                self.drx("import", name, "ds", "--dataset", warns=f"{name}: the link 'up' in the group '/")
                for path in ("ds/g/a", "ds/h/a", "ds/h/again/a"):
                    self.assertEqual(self.whole(path).tolist(), [0, 1, 2])
                self.drx("rm", "ds")
                self.drx("import", name + ":g/a", "a", "--force", warns=True)
                self.assertEqual(self.whole("a").tolist(), [0, 1, 2])
        with h5py.File("in.h5", "a") as file:
            del file["g/up"], file["h"]
            file["again"] = file["g"]
        self.drx("import", "in.h5", "b")


class Choices(DatasetTest):

    def test_what_is_made(self):
        """A file of HDF5 with one variable is a dataset if a dimension has a name."""
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
