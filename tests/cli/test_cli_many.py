"""Many files at once: in the order of their coordinates, in one commit, or not at all; gaps, packing, other types."""

import contextlib
import importlib.util
import itertools
import json
import os
import resource
import shutil
import signal
import subprocess
import time

import numpy as np

import drx_cli
import nc_file
from drx_cli import CliTest, names, need, some, worker, write_file

need(nc_file.LIBRARY, *map(importlib.util.find_spec, ("netCDF4", "xarray")))

import netCDF4  # noqa: E402
import xarray  # noqa: E402

UNITS = "days since 2001-01-01"


def make(path, days, units=UNITS, calendar=None, lat=3, unlimited=True, edit=()):
    """u(time, lat) with values that tell its day, and coordinates; edit: calls with the file."""
    days = np.asarray(days, "f8")
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("time", None if unlimited else len(days))
        file.createDimension("lat", lat)
        t = file.createVariable("time", "f8", ("time",))
        t.units = units
        if calendar:
            t.calendar = calendar
        t[:] = days
        file.createVariable("lat", "f4", ("lat",))[:] = np.arange(lat)
        u = file.createVariable("u", "f4", ("time", "lat"), fill_value=np.float32(-9))
        u[:] = days[:, None] * 10 + np.arange(lat)
        for call in edit:
            call(file)


class ManyTest(CliTest):
    def commits(self, path="ds"):
        return len(json.loads(self.drx("log", path, "--json")))

    def content(self, path="ds"):
        return {name: self.whole(f"{path}/{name}").tolist() for name in ("time", "lat", "u")}

    def days(self):
        return self.whole("ds/time").tolist()

    def large(self):
        """Three files that take some tenths of a second each."""
        for i, name in enumerate(("a.nc", "b.nc", "c.nc")):
            with netCDF4.Dataset(name, "w") as file:
                file.createDimension("time", None)
                file.createDimension("x", 1 << 19)
                t = file.createVariable("time", "f8", ("time",))
                t.units = UNITS
                t[:] = np.arange(24) + 24 * i
                file.createVariable("u", "i2", ("time", "x"), zlib=True, chunksizes=(1, 1 << 19))[:] = np.arange(24)[:, None] + 24 * i

    def first(self):
        """ds has the first of the large files."""
        shutil.rmtree("ds", ignore_errors=True)
        self.drx("import", "a.nc", "ds", "--codec", "none")

    def begin(self, *words):
        """An append of large files to ds, which has copied some of them, and is stopped there."""
        for _ in range(5):
            self.first()
            size = os.path.getsize("ds/u.xta")
            process = subprocess.Popen([drx_cli.DRX, "import", *words], stderr=subprocess.PIPE)
            while process.poll() is None and os.path.getsize("ds/u.xta") <= size:
                time.sleep(0.001)
            with contextlib.suppress(OSError):
                os.kill(worker(process), signal.SIGSTOP)
            if process.poll() is None and self.commits() == 2:
                return process
            process.communicate()
        raise AssertionError("it was over too soon, five times")


class Many(ManyTest):
    def test_every_order(self):
        """Whatever their names, their order, and how they are given, the dataset is the same."""
        files = {"b.nc": [0, 1], "z.nc": [2], "a.nc": [3, 4, 5], "c.nc": [6]}
        for name, days in files.items():
            make(name, days)
        with xarray.open_mfdataset(list(files), combine="nested", concat_dim="time", data_vars="minimal", decode_times=False) as all_of:
            expected = {name: all_of[name].values.tolist() for name in ("time", "lat", "u")}
        orders = some(5, itertools.permutations(files))
        for n, order in enumerate(orders):
            self.drx("import", *order, f"new{n}")
            self.assertEqual(self.content(f"new{n}"), expected, order)
            self.assertEqual(self.commits(f"new{n}"), 2)
            self.drx("export", f"new{n}", "out.nc")
            with netCDF4.Dataset("out.nc") as out:
                self.assertTrue(out.dimensions["time"].isunlimited())
        os.mkdir("folder")
        for name in files:
            shutil.move(name, "folder")
        write_file("folder/README", "of these files")
        write_file("list", "\n".join(["", *(f"folder/{name}" for name in files), "", ""]))
        for word in ("folder", "@list"):
            self.drx("import", word, "ds")
            self.assertEqual(self.content(), expected)
            self.drx("rm", "ds")
        self.assertEqual(len(json.loads(self.drx("info", "new0", "--json"))["variables"]), 3)

    def test_both_ends(self):
        """One append in one commit; each file goes where it belongs."""
        make("start.nc", [10, 11])
        files = {"e.nc": [6, 7], "d.nc": [8, 9], "c.nc": [12], "b.nc": [13, 14], "a.nc": [4, 5]}
        for name, days in files.items():
            make(name, days)
        for n, order in enumerate(some(4, itertools.permutations(files))):
            shutil.rmtree("ds", ignore_errors=True)
            self.drx("import", "start.nc", "ds")
            self.drx("import", *order, "ds", "--append", "time")
            self.assertEqual(self.days(), list(range(4, 15)), order)
            self.assert_same(self.whole("ds/u")[:, 0], np.arange(4, 15, dtype="f4") * 10)
            self.assertEqual(self.commits(), 3)
        self.drx("import", *files, "ds", "--append", "time", "--overlap", "skip")
        self.assertEqual(self.commits(), 3)

    def test_falling(self):
        """Coordinates that fall stay so."""
        for name, lats in (("a.nc", [3, 2]), ("b.nc", [9, 8, 7]), ("c.nc", [6, 5, 4])):
            with netCDF4.Dataset(name, "w") as file:
                file.createDimension("lat", len(lats))
                file.createVariable("lat", "f8", ("lat",))[:] = lats
                file.createVariable("u", "i4", ("lat",))[:] = lats
        self.drx("import", "a.nc", "b.nc", "c.nc", "ds")
        self.assertEqual(self.whole("ds/lat").tolist(), [9, 8, 7, 6, 5, 4, 3, 2])
        self.assertEqual(self.whole("ds/u").tolist(), [9, 8, 7, 6, 5, 4, 3, 2])

    def test_restarts(self):
        """Files that overlap: that which begins later replaces, or is skipped."""
        make("start.nc", [0])
        self.drx("import", "start.nc", "ds")
        make("one.nc", [1, 2, 3])
        make("two.nc", [3, 4], edit=[lambda file: file["u"].__setitem__(..., -1)])
        self.fails(1, "import", "two.nc", "one.nc", "ds", "--append", "time", says=["two.nc:time", "stored already", "one.nc has some of them"])
        self.drx("import", "two.nc", "one.nc", "ds", "--append", "time", "--overlap", "skip")
        self.assertEqual(self.whole("ds/u[:,0]").ravel().tolist(), [0, 10, 20, 30, -1])
        self.drx("trim", "ds", "time", "--after", "4")
        self.drx("import", "two.nc", "one.nc", "ds", "--append", "time", "--overlap", "replace")
        self.assertEqual(self.whole("ds/u[:,0]").ravel().tolist(), [0, 10, 20, -1, -1])
        self.assertEqual(self.days(), [0, 1, 2, 3, 4])

    def refuses(self, says, **other):
        """One file that does not fit is named, and nothing is stored, new or appended."""
        make("x.nc", **{"days": [2, 3], **other})
        for words in (["new"], ["ds", "--append", "time"]):
            self.fails(1, "import", "x.nc", "b.nc", "a.nc", *words, says=says)
        self.assertEqual(names(), ["a.nc", "b.nc", "ds", "start.nc", "x.nc"])
        self.assertEqual((self.commits(), self.days()), (2, [-1]))

    def test_files_that_do_not_fit(self):
        make("start.nc", [-1])
        self.drx("import", "start.nc", "ds")
        make("a.nc", [0, 1])
        make("b.nc", [4, 5])
        self.refuses("x.nc: lacks variables of the dataset: u", edit=[lambda file: file.renameVariable("u", "hidden")])
        self.refuses("x.nc: has variables that the dataset lacks: w", edit=[lambda file: file.createVariable("w", "f4", ("time",))])
        self.refuses("x.nc:lat: dimension 'lat' has 4 indices, but 3 in", lat=4)
        self.refuses("x.nc:lat: index 1 is 7, but 1 is stored", edit=[lambda file: file["lat"].__setitem__(1, 7)])
        self.refuses(["x.nc: begins at 2001-01-01, as a.nc does"], days=[0, 1, 2])
        self.refuses(["x.nc:time", "stored already", "; a.nc has some of them"], days=[1, 2])
        self.refuses(["b.nc:time", "stored already", "; x.nc has some of them"], days=[2, 4])
        self.refuses(["time: ", "noleap", "x.nc"], calendar="noleap")
        self.refuses(["time: ", "x.nc", "are dates, but 'm' are not"], units="m")
        for damage, says in ((lambda: os.truncate("x.nc", 1000), "x.nc: cannot open"), (lambda: os.truncate("x.nc", 0), "x.nc: cannot open"),
                             (lambda: os.remove("x.nc"), "x.nc: no such file")):
            make("x.nc", [2, 3])
            damage()
            self.fails(1, "import", "a.nc", "x.nc", "b.nc", "new", says=says)
            self.fails(1, "import", "a.nc", "x.nc", "b.nc", "ds", "--append", "time", says=says)
        self.assertEqual((self.commits(), self.days()), (2, [-1]))

    def test_chunks_by_name(self):
        """All variables get them along those dimensions, and other extents as without the option."""
        for i, name in enumerate(("a.nc", "b.nc")):
            make(name, np.arange(40) + 40 * i, lat=6)
        self.drx("import", "a.nc", "b.nc", "other")
        self.drx("import", "a.nc", "b.nc", "ds", "--chunk", "time=7", "--codec", "zstd")
        self.assertEqual(self.info("ds/time")["chunk"], [7])
        self.assertEqual(self.info("ds/u")["chunk"], [7, self.info("other/u")["chunk"][1]])
        self.assertEqual(self.content(), self.content("other"))
        self.fails(2, "import", "a.nc", "new", "--chunk", "depth=3", says="--chunk: a.nc has no dimension 'depth'")
        self.fails(2, "import", "a.nc", "new", "--chunk", "7,3", says="give --chunk NAME=N")
        self.fails(1, "import", "a.nc:u", "new", "--chunk", "time=7", says="a.nc:u: is not a dataset, whose dimensions")
        self.fails(2, "import", "a.nc", "ds", "--append", "time", "--chunk", "time=7", says="--chunk goes with a new")
        self.assertEqual(names(), ["a.nc", "b.nc", "ds", "other"])

    def test_words(self):
        make("a.nc", [0, 1])
        make("none.nc", [])
        os.link("a.nc", "same.nc")
        os.mkdir("empty")
        write_file("list", "\n\n")
        self.fails(1, "import", "a.nc", "a.nc", "ds", says="a.nc: begins at 2001-01-01, as a.nc does; give one of them")
        self.fails(1, "import", "empty", "ds", says="empty: is a folder without files of netCDF or HDF5")
        self.fails(1, "import", "@list", "ds", says="list: is a list without files; give one path a line")
        self.fails(1, "import", "@no", "ds", says="no: ")
        self.fails(1, "import", "a.nc:u", "same.nc", "ds", says="a.nc:u: no such file")
        self.fails(2, "import", "a.nc", "none.nc", "ds", "--coords", says="--coords goes with one variable")
        self.fails(2, "import", "a.nc:u", "u", "--unpack", says="--unpack goes with a dataset")
        self.drx("import", "none.nc", "a.nc", "ds")
        self.drx("import", "none.nc", "ds", "--append", "time")
        self.assertEqual((self.days(), self.commits()), ([0, 1], 2))
        shutil.copy("none.nc", "none2.nc")
        self.drx("import", "none.nc", "none2.nc", "nothing")
        self.assertEqual(self.whole("nothing/u").shape, (0, 3))
        self.fails(1, "import", "ds", "a.nc", "new", says="ds: is a dataset already")
        self.assertNotIn("new", names())

    def test_which_dimension(self):
        """The unlimited one, or the only one with other coordinates, or that of --grows."""
        for name, days in (("a.nc", [0, 1]), ("b.nc", [2, 3])):
            make(name, days, unlimited=False)
        self.drx("import", "b.nc", "a.nc", "ds")
        self.assertEqual(self.days(), [0, 1, 2, 3])
        for name, days, lat in (("a.nc", [0, 1], 3), ("b.nc", [2, 3], 4)):
            make(name, days, unlimited=False, lat=lat)
        self.fails(1, "import", "b.nc", "a.nc", "new", says=["b.nc and a.nc: which dimension joins them is not clear", "differ along several",
                                                           "--grows NAME says which one"])
        self.fails(1, "import", "b.nc", "a.nc", "new", "--grows", "time", says="b.nc:lat: dimension 'lat' has 4 indices, but 3 in a.nc")
        make("b.nc", [0, 1], unlimited=False)
        self.fails(1, "import", "b.nc", "a.nc", "new", says="they differ along none")
        for name in ("a.nc", "b.nc"):
            with netCDF4.Dataset(name, "w") as file:
                file.createDimension("n", None)
                file.createVariable("u", "f4", ("n",))[:] = [1, 2]
        self.fails(1, "import", "b.nc", "a.nc", "new", says=["has no coordinate variable 'n' of numbers", "one file at a time"])
        self.assertNotIn("new", names())

    def test_few_open_files(self):
        """As many files as anybody has, with a few dozen descriptors."""
        for i in range(120):
            make(f"{119 - i:03}.nc", [i])
        os.mkdir("in")
        for name in names():
            if name.endswith(".nc"):
                shutil.move(name, "in")
        subprocess.run([drx_cli.DRX, "import", "in", "ds"], check=True,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (48, 48)))
        self.assertEqual(self.days(), list(range(120)))

    def test_a_file_that_goes(self):
        """Removed or changed between plan and run."""
        self.large()
        for what, says in ((lambda: os.rename("c.nc", "gone"), "c.nc: no such file"),
                           (lambda: os.utime("c.nc"), "c.nc: changed while the import was checking files, so nothing is stored")):
            process = self.begin("c.nc", "b.nc", "ds", "--append", "time")
            what()
            os.kill(worker(process), signal.SIGCONT)
            error = process.communicate()[1].decode()
            self.assertEqual(process.returncode, 1)
            self.assertIn(says, error)
            self.assertEqual((self.commits(), len(self.days())), (2, 24))
            if os.path.exists("gone"):
                os.rename("gone", "c.nc")
        self.drx("check", "ds")

    def test_interrupts(self):
        """Nothing is stored; a library that crashes is told with the file that it read."""
        self.large()
        self.interrupted(signal.SIGINT, "import", "c.nc", "b.nc", "a.nc", "new", begun=lambda _: any("new." in name for name in names()),
                         fresh=lambda: shutil.rmtree("new", ignore_errors=True))
        self.assertEqual(names(), ["a.nc", "b.nc", "c.nc"])
        self.first()
        size = os.path.getsize("ds/u.xta")
        self.interrupted(signal.SIGINT, "import", "c.nc", "b.nc", "ds", "--append", "time",
                         begun=lambda _: os.path.getsize("ds/u.xta") > size, fresh=self.first)
        self.assertEqual((self.commits(), len(self.days())), (2, 24))
        process = self.begin("c.nc", "b.nc", "ds", "--append", "time")
        for number in (signal.SIGSEGV, signal.SIGCONT):
            os.kill(worker(process), number)
        error = process.communicate()[1].decode()
        self.assertRegex(error, "[bc].nc: the process that reads it ended by signal 11")
        self.assertEqual((self.commits(), len(self.days())), (2, 24))
        self.drx("check", "ds")


class Gaps(ManyTest):
    """Parts that come later."""

    def late(self, first, last, late, expected, **how):
        """`late` comes when `last` is there."""
        shutil.rmtree("ds", ignore_errors=True)
        for name, days in (("first.nc", first), ("last.nc", last), ("late.nc", late)):
            make(name, days, **how)
        self.drx("import", "first.nc", "ds")
        self.drx("import", "last.nc", "ds", "--append", "time", "--leave-gaps")
        self.assertEqual(self.days(), expected)
        self.drx("import", "late.nc", "ds", "--append", "time", "--overlap", "replace")
        self.assertEqual(self.days(), expected)
        self.assert_same(self.whole("ds/u[:,0]").ravel(), np.array(expected, "f4") * 10)

    def test_late(self):
        """After and before what is stored; in steps of days, hours, months, years."""
        self.late(range(31), range(59, 90), range(31, 59), list(range(90)))
        self.late(range(59, 90), range(31), range(31, 59), list(range(90)))
        self.late([0, .25, .5], [1, 1.25], [.75], [0, .25, .5, .75, 1, 1.25])
        self.late([0, 31], [90, 120], [59], [0, 31, 59, 90, 120])
        self.late([0, 365], [1461], [730, 1095], [0, 365, 730, 1095, 1461])
        self.late([0, 30], [120], [60, 90], [0, 30, 60, 90, 120], calendar="360_day")

    def test_each_chunk_is_written_once(self):
        """Days of a chunk that is compressed come in files of their own."""
        def values(file):
            days = np.asarray(file["time"][:], "i8")
            file["u"][:] = np.stack([np.random.default_rng(day).random(4000, "f4") for day in days])

        late = [f"late{d}.nc" for d in range(35, 60)]
        for name, days in zip(["a.nc", "b.nc", *late], [range(35), range(60, 90), *([d] for d in range(35, 60))]):
            make(name, days, lat=4000, edit=(values,))
        self.drx("import", "a.nc", "ds", "--codec", "zstd", "--chunk", "time=30,lat=4000")
        self.drx("import", "b.nc", "ds", "--append", "time", "--leave-gaps")
        before = os.path.getsize("ds/u.xtz")
        self.drx("import", *late, "ds", "--append", "time", "--overlap", "replace")
        self.assertLess(os.path.getsize("ds/u.xtz") - before, 1.1 * 30 * 4000 * 4)
        expected = np.stack([np.random.default_rng(day).random(4000, "f4") for day in range(90)])
        self.assertTrue(np.array_equal(self.whole("ds/u"), expected))

    def test_late_files_in_any_order(self):
        """Files that overlap in any way leave in compressed chunks what they leave in others."""
        def mark(file, i):
            file["u"][:] = file["u"][:] * 100 + i

        rng = np.random.default_rng(drx_cli.SEED)
        for n in range(3):
            spans, step = [], rng.choice([-1, 1])
            for i in range(8):
                first = int(rng.integers(-20, 30))
                spans.append(range(first, first + int(rng.integers(1, 12)))[::step])
            spans[:2] = range(-8, 0)[::step], range(-14, -5)[::step]  # the run turns their order
            make(f"{n}.nc", range(0, 12)[::step])
            for i, days in enumerate(spans):
                make(f"{n}-{i}.nc", days, edit=(lambda file, i=i: mark(file, i),))
            for name, words in (("raw", ()), ("packed", ("--codec", "zstd"))):
                self.drx("import", f"{n}.nc", name + str(n), "--chunk", "time=7,lat=3", *words)
                for files in (range(0, 4), range(4, 8)):
                    self.run_drx("import", *(f"{n}-{i}.nc" for i in files), name + str(n), "--append", "time",
                                 "--overlap", "replace", "--leave-gaps")
            self.assertEqual(self.content(f"raw{n}"), self.content(f"packed{n}"))

    def test_what_is_missing_reads_as_the_fill(self):
        make("a.nc", [0, 1])
        make("b.nc", [4])
        self.drx("import", "a.nc", "b.nc", "ds", "--leave-gaps")
        self.assertEqual(self.days(), [0, 1, 2, 3, 4])
        self.assertEqual(self.whole("ds/u[:,0]").ravel().tolist(), [0, 10, -9, -9, 40])

    def test_steps_of_nanoseconds(self):
        """Integers are exact beyond 2^53, and beyond 2^63, whatever their steps."""
        for kind, first, step in ("i8", 10**18 + 7, 3600 * 10**9), ("u8", 2**63 + 7, 10**15 + 1), ("i8", 2**62 + 1, -10**15 - 3):
            shutil.rmtree("ds", ignore_errors=True)
            for name, hours in (("a.nc", [0, 1]), ("b.nc", [5])):
                with netCDF4.Dataset(name, "w") as file:
                    file.createDimension("time", None)
                    t = file.createVariable("time", kind, ("time",))
                    t.units = "nanoseconds since 1970-01-01"
                    t[:] = np.array([first + i * step for i in hours], kind)
                    file.createVariable("u", "f4", ("time",))[:] = hours
            self.drx("import", "a.nc", "b.nc", "ds", "--leave-gaps")
            self.assertEqual(self.days(), [first + i * step for i in range(6)])

    def test_refused(self):
        """Steps that tell nothing, and those that do not meet."""
        for first, last in (([0, 1, 3, 4], [20, 21]), ([0, 1, 2], [9.5, 10.5]), ([15.5, 45, 74.5], [300.5])):
            make("a.nc", first)
            make("b.nc", last)
            self.fails(1, "import", "a.nc", "b.nc", "new", "--leave-gaps", says=["b.nc:time: what is missing is not known", "remove --leave-gaps"])
        self.assertNotIn("new", names())

    def test_the_warning_says_so(self):
        make("a.nc", [0, 1])
        make("b.nc", [5])
        self.drx("import", "a.nc", "b.nc", "new", warns=["time goes from 2001-01-02 to 2001-01-06", "--leave-gaps"])
        self.drx("import", "a.nc", "ds")
        self.drx("import", "b.nc", "ds", "--append", "time", warns=["'drx trim ds time --after 1' takes this append back", "--leave-gaps"])


class Waiting(ManyTest):
    def test_another_writer(self):
        """It waits for one that ends, and says so at the end of the time."""
        self.large()
        first = self.begin("b.nc", "ds", "--append", "time")
        words = ("import", "c.nc", "ds", "--append", "time")
        self.fails(1, *words, says="ds")
        before = time.monotonic()
        self.fails(1, *words, "--wait=1", says="ds")
        self.assertGreater(time.monotonic() - before, 1)
        self.fails(2, "import", "a.nc", "new", "--wait", says="--wait goes with --append")
        self.fails(2, *words, "--wait=soon", says="--wait 'soon' is not valid")
        with subprocess.Popen([drx_cli.DRX, *words, "--wait"]) as second:
            time.sleep(0.3)
            self.assertIsNone(second.poll())
            os.kill(worker(first), signal.SIGCONT)
            first.communicate()
            self.assertEqual((first.returncode, second.wait()), (0, 0))
        self.assertEqual(self.days(), list(range(72)))


class Types(ManyTest):
    def packed(self, path, days, scale, offset, dtype="i2", fill=-32768, values=None):
        values = np.arange(len(days) * 3).reshape(-1, 3) if values is None else values
        with netCDF4.Dataset(path, "w") as file:
            file.set_auto_maskandscale(False)
            file.createDimension("time", None)
            file.createDimension("lat", 3)
            t = file.createVariable("time", "i4", ("time",))
            t.units = UNITS
            t[:] = days
            v = file.createVariable("t2m", dtype, ("time", "lat"), fill_value=fill)
            v.setncatts({"scale_factor": scale, "add_offset": offset, "missing_value": np.dtype(dtype).type(fill), "units": "K"})
            v.set_auto_maskandscale(False)
            v[:] = values

    def test_unpack(self):
        """Each file has its own packing, as those of ERA5."""
        self.packed("a.nc", [0, 1], 0.0015, 270.25, values=np.array([[-32767, 0, 5], [32767, -32768, 1]]))
        self.packed("b.nc", [2, 3], 0.002, 268.5)
        self.fails(1, "import", "a.nc", "b.nc", "ds", says=["b.nc:t2m: is packed with scale_factor 0.002 and add_offset 268.5", "--unpack"])
        self.drx("import", "b.nc", "a.nc", "ds", "--unpack", "--codec", "zstd")
        with xarray.open_mfdataset(["a.nc", "b.nc"], combine="nested", concat_dim="time") as all_of:
            expected = all_of["t2m"].values.astype("f4")
        got = self.whole("ds/t2m")
        self.assertEqual(got.dtype, np.float32)
        np.testing.assert_array_equal(got, expected)
        self.assertEqual(set(self.info("ds/t2m")["attrs"]), {"units", "_FillValue"})
        self.packed("c.nc", [4], 0.001, 271)
        for n, options in enumerate(([], ["--unpack"])):
            self.packed("c.nc", [4 + n], 0.001, 271)
            self.drx("import", "c.nc", "ds", "--append", "time", *options)
            np.testing.assert_allclose(self.whole("ds/t2m")[4 + n], 271 + 0.001 * np.arange(3), rtol=1e-7)
        self.packed("d.nc", [6], 0.001, 271, dtype="i4", fill=-1)
        self.fails(1, "import", "d.nc", "ds", "--append", "time", says=["d.nc:t2m: is packed", "need float64, but ds holds float32"])
        self.drx("import", "d.nc", "wide", "--unpack", "--keep-bits", "20")
        self.assertEqual(self.whole("wide/t2m").dtype, np.float64)

    def test_the_refusal_names_unpack(self):
        self.packed("a.nc", [0, 1], 0.001, 270)
        self.drx("import", "a.nc", "ds")
        self.packed("b.nc", [2], 1.0, 270, values=np.array([[1, 2, 30000]]))
        self.fails(1, "import", "b.nc", "ds", "--append", "time", says=["b.nc:t2m", "cannot hold", "imported with --unpack"])
        self.packed("b.nc", [2], 0.001, 270)
        self.fails(1, "import", "b.nc", "ds", "--append", "time", "--unpack", says="b.nc:t2m: is packed in ds, too; remove --unpack")

    def integers(self, path, days, dtype, values, **attributes):
        with netCDF4.Dataset(path, "w") as file:
            file.createDimension("time", None)
            t = file.createVariable("time", "i4", ("time",))
            t.units = UNITS
            t[:] = days
            v = file.createVariable("n", dtype, ("time",), fill_value=attributes.get("fill"))
            v[:] = values

    def test_wider_types(self):
        self.integers("a.nc", [0, 1], "i2", [1, -5], fill=-32768)
        self.integers("b.nc", [2, 3], "i4", [70000, 3], fill=-1)
        self.fails(1, "import", "a.nc", "b.nc", "ds", says=["b.nc:n", "--type"])
        self.drx("import", "a.nc", "b.nc", "ds", "--type", "n=int32")
        got = self.whole("ds/n")
        self.assert_same(got, np.array([1, -5, 70000, 3], "i4"))
        self.assertEqual(self.info("ds/n")["attrs"]["_FillValue"], -32768)
        self.integers("c.nc", [4], "i2", [7])
        self.drx("import", "c.nc", "ds", "--append", "time")
        self.integers("c.nc", [5], "i8", [2**40])
        self.fails(1, "import", "c.nc", "ds", "--append", "time", says=["c.nc:n", "int32"])
        for types, says in (("n=int8", "--type n=int8 does not hold all int16"), ("m=int32", "a.nc has no variable 'm' of numbers"),
                            ("n", "'n' is not VARIABLE=TYPE"), ("n=big", "--type 'big' is unknown"), ("n=uint32", "does not hold all int16"),
                            ("n=float16", "does not hold all int16")):
            self.fails(2, "import", "a.nc", "new", "--type", types, says=says)
        self.drx("import", "a.nc", "real", "--type", "n=float64,time=float64")
        self.assertEqual((self.whole("real/n").dtype, self.whole("real/time").dtype), (np.float64, np.float64))

    def letters(self, path, days, width, texts):
        with netCDF4.Dataset(path, "w") as file:
            file.createDimension("time", None)
            dim = f"string{width}"  # as xarray calls it
            file.createDimension(dim, width)
            t = file.createVariable("time", "i4", ("time",))
            t.units = UNITS
            t[:] = days
            file.createVariable("name", "S1", ("time", dim))[:] = netCDF4.stringtochar(np.array(texts, f"S{width}"))

    def test_longer_texts(self):
        """The axis of the characters grows; shorter ones fit in any case, also when they replace longer ones."""
        self.letters("a.nc", [0, 1], 4, ["ab", "abcd"])
        self.letters("b.nc", [2], 9, ["long text"])
        self.letters("c.nc", [3], 4, ["cd"])
        self.drx("import", "a.nc", "ds")
        self.drx("import", "c.nc", "b.nc", "ds", "--append", "time")
        self.drx("export", "ds", "out.nc")
        with netCDF4.Dataset("out.nc") as file:
            self.assertEqual(netCDF4.chartostring(file["name"][:]).tolist(), ["ab", "abcd", "long text", "cd"])
        self.letters("c.nc", [2], 5, ["short"])
        self.drx("import", "c.nc", "ds", "--append", "time", "--overlap", "replace")
        self.drx("export", "ds", "out.nc")
        with netCDF4.Dataset("out.nc") as file:
            self.assertEqual(netCDF4.chartostring(file["name"][:]).tolist(), ["ab", "abcd", "short", "cd"])
        self.drx("import", "b.nc", "a.nc", "new")
        self.assertEqual(self.whole("new/name").shape, (3, 9))
