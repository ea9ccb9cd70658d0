"""ncdump, nccopy and NCO, which know netCDF alone, read datasets as they read netCDF files."""

import itertools
import os
import re
import subprocess
import sys

import numpy as np

import nc_programs
from drx_cli import SEED, read_file, some
from nc_programs import (ProgramsTest, elements, ferret, need_module, need_program, with_drx, with_preload, write_file,
                         write_grown, write_trimmed)

TIMES = list(range(40, 58))
WAYS = itertools.cycle([with_drx, with_preload])


def make(kind, path, cli):
    """The dataset of in.nc, stored that way."""
    if kind in ("grown", "trimmed"):
        need_module("drx")
        {"grown": write_grown, "trimmed": write_trimmed}[kind](path, TIMES, cli)
    else:
        cli.drx("import", "in.nc", path, *{"raw": (), "zstd": ("--codec", "zstd"), "summed": ("--checksum",),
                                           "zlib": ("--codec", "zlib")}[kind])


class FerretTest(ProgramsTest):
    """The files that come with Debian's ferret-datasets."""

    def setUp(self):
        super().setUp()
        need_program("ncdump", "nccopy")

    def test_dumps_and_copies(self):
        size = os.path.getsize
        files = [path for path in ferret() if size(path) < 3 << 20]
        for source in files + some(1, [path for path in ferret() if path not in files]):
            with self.subTest(source=source):
                name = os.path.basename(source).split(".")[0]
                self.drx("import", source, name, warns=True)
                run = next(WAYS)
                words = () if size(source) < 1 << 20 else ("-h",)
                self.assertEqual(self.dump(name, *words, run=run), self.dump(source, *words, run=None))
                self.output("nccopy", "-k", "classic", source, "a.nc", run=None)
                self.output("nccopy", "-k", "classic", name, "b.nc", run=run)
                a, b = (read_file(path) for path in ("a.nc", "b.nc"))
                same = min(len(a), len(b)) - 2000  # an import drops NULs at the ends of attributes, which ncdump hides
                self.assertTrue(a == b or (len(a) != len(b) and a[-same:] == b[-same:]), name)
                self.drx("rm", name)


class KindsTest(ProgramsTest):
    """However a dataset is stored, it reads as the file."""

    def setUp(self):
        super().setUp()
        need_module("netCDF4")
        need_program("ncdump")
        write_file("in.nc", TIMES)
        self.expected = self.dump("in.nc", run=None)

    def test_kinds(self):
        for kind in ("raw", "zstd", "zlib", "summed", "grown", "trimmed"):
            with self.subTest(kind=kind):
                make(kind, kind, self)
                for run in (with_drx, with_preload):
                    self.assertEqual(self.dump(kind, run=run).decode(), self.expected.decode())
                    self.assertEqual(self.output("ncdump", "-k", kind, run=run), b"netCDF-4 classic model\n")

    def test_over_http(self):
        from far_server import Server

        make("zstd", "ds", self)
        with Server(os.getcwd()) as server:
            environment = {**os.environ, "NO_PROXY": "*"}
            url = f"{server.url}/ds#mode=udf0"
            self.assertEqual(self.dump(url, env=environment), self.expected)
            self.output("nccopy", url, "copy.nc", env=environment)
            self.assertEqual(self.dump("copy.nc", run=None), self.expected)

    def test_one_variable_and_commits(self):
        make("grown", "ds", self)
        write_file("middle.nc", TIMES[6:12], missing=False)
        self.assertEqual(self.dump("ds#commit=1"), self.dump("middle.nc", run=None))
        words = ("ncks", "--json", "-C", "-v", "t2m")  # which looks for a file itself
        need_program("ncks")
        for path, same in (("ds/t2m", "in.nc"), ("ds#commit=1", "middle.nc"), ("ds/t2m#commit=1", "middle.nc")):
            self.assertEqual(self.output(*words, path, run=next(WAYS)), self.output(*words, same, run=None))

    def test_while_a_writer_appends(self):
        """Each run sees a whole commit."""
        need_module("drx")
        make("raw", "ds", self)
        writer = subprocess.Popen([sys.executable, "-c", APPENDS, str(TIMES[-1] + 1)], stdout=subprocess.PIPE,
                                  stdin=subprocess.PIPE,
                                  env={**os.environ, "PYTHONPATH": ":".join(sys.path)})
        seen = set()
        self.assertEqual(writer.stdout.readline(), b"begun\n")
        for _ in range(6):
            said = self.output("ncdump", "-v", "time,t2m", "-p", "9", "ds", run=next(WAYS)).decode()
            times, values = (np.array([float(x) for x in re.search(rf"\n {name} =([^;]*);", said)[1].replace(
                "_", "nan").split(",")]) for name in ("time", "t2m"))
            np.testing.assert_array_equal(times, np.arange(TIMES[0], TIMES[0] + len(times)))
            expected = elements(times)
            expected[0, 0, 0] = np.nan
            np.testing.assert_array_equal(values.reshape(expected.shape).astype("float32"), expected)
            seen.add(len(times))
        writer.communicate(b"\n")
        self.assertEqual(writer.returncode, 0)
        self.assertGreater(len(seen), 1)


APPENDS = """
import select, sys
import drx, nc_programs
day = int(sys.argv[1])
with drx.open_dataset("ds", "r+") as ds:
    while day < 20000 and not select.select([sys.stdin], [], [], 0)[0]:
        ds.extend("time", 1)
        ds["t2m"][-1:] = nc_programs.elements([day])
        ds["time"][-1] = day
        ds["packed"][-1] = 0
        ds.commit()
        if day == int(sys.argv[1]):
            print("begun", flush=True)
        day += 1
"""


class TypesTest(ProgramsTest):
    """What only netCDF-4 has, and what netCDF lacks."""

    def setUp(self):
        super().setUp()
        need_module("netCDF4")
        need_program("ncdump", "nccopy")

    def same_copy(self, dataset):
        """nccopy makes a file of the same contents."""
        said = self.dump(dataset, run=next(WAYS))
        self.output("nccopy", dataset, "copy.nc", run=next(WAYS))
        self.assertEqual(self.dump("copy.nc", run=None).decode(), said.decode())
        return said.decode()

    def test_netcdf_4(self):
        import netCDF4

        with netCDF4.Dataset("in.nc", "w") as file:
            for name, n in (("x", 4), ("t", None), ("u", None), ("s", 3)):
                file.createDimension(name, n)
            file.createVariable("x", "f8", ("x",))[:] = range(4)
            for kind in "i1 u1 i2 u2 i4 u4 i8 u8 f4 f8".split():
                variable = file.createVariable(f"v_{kind}", kind, ("t", "x"))
                variable[:] = np.arange(12).reshape(3, 4)
                variable.setncattr(f"of_{kind}", np.array([1, 2], kind))
            file.createVariable("two", "f4", ("t", "u"), fill_value=-1)[:2] = np.arange(10).reshape(2, 5)
            file.createVariable("names", str, ("x",))[:] = np.array(["a", "b\u00e9", "", "\u65e5\u672c"], object)
            file.createVariable("one", str, ())[...] = "single"
            file.createVariable("chars", "S1", ("x", "s"))[:] = np.array([list("abc"), list("d  "), list("xyz"),
                                                                          ["q", "", ""]], "S1")
            file.createVariable("packed", "f4", ("t", "x"), zlib=True, complevel=3)[:] = 1.5
            file.createVariable("big", ">i4", ("x",), endian="big")[:] = np.arange(4)
            file.setncattr_string("strings", ["a", "b c", ""])
            file.setncattr_string("string", "only")
            file.title, file.empty, file.number = "two\nlines", "", np.float32(2.5)
        self.drx("import", "in.nc", "ds")
        self.assertEqual(self.same_copy("ds"), self.dump("in.nc", run=None).decode())

    def test_others(self):
        need_module("drx")
        import drx

        with drx.create_dataset("ds", attrs={"flag": True, "names": ["a", "b"]}) as ds:
            for name, kind, values in (("b", "bool", [1, 0, 1]), ("h", "float16", [1, 2.5, -3]),
                                       ("c", "complex64", [1 + 2j, 0, 3]), ("d", "complex128", [0.5j, 0, 3]),
                                       ("S", "S5", [b"ab", b"", b"hello"]), ("U", "U4", ["\u00e9", "", "abcd"])):
                ds.add(name, ("x",), (3,), kind)[...] = values
            ds.commit("made")
        said = self.same_copy("ds")
        said = " ".join(said.split())
        for text in ("b = 1, 0, 1 ;", "h = 1, 2.5, -3 ;", "float c(x, complex) ;", "c = 1, 2, 0, 0, 3, 0 ;",
                     "d = 0, 0.5, 0, 0, 3, 0 ;", "char S(x, string5) ;", 'S = "ab", "", "hello" ;',
                     'U = "\u00e9", _, "abcd" ;', 'b:dtype = "bool" ;', ":flag = 1b ;"):
            self.assertIn(text, said)


class NcoTest(ProgramsTest):
    """The operators of NCO give the same as of netCDF files, bit for bit."""

    def setUp(self):
        super().setUp()
        need_module("netCDF4")
        need_program("ncks", "ncra", "ncrcat", "ncbo", "ncwa")
        write_file("in.nc", TIMES)

    def test_operators(self):
        write_file("other.nc", range(100, 100 + len(TIMES)))
        make("grown", "ds", self)
        self.drx("import", "other.nc", "other", "--codec", "zstd")
        for words in (("ncks", "-h", "@", "OUT"),
                      ("ncks", "-h", "-d", "time,3,15,2", "-d", "lat,-30.,60.", "-v", "t2m,packed", "@", "OUT"),
                      ("ncks", "-h", "-d", "lon,5,2", "-v", "t2m", "@", "OUT"),
                      ("ncks", "-m", "@"), ("ncks", "-H", "-C", "-v", "name,level", "@"),
                      ("ncra", "-h", "@", "OUT"), ("ncra", "-h", "-y", "max", "-d", "time,,,4", "@", "OUT"),
                      ("ncwa", "-h", "-a", "lat,lon", "@", "OUT"),
                      ("ncwa", "-h", "-w", "lat", "-a", "lat", "@", "OUT"),
                      ("ncap2", "-h", "-s", "c=t2m-273.15f", "@", "OUT"),
                      ("ncpdq", "-h", "-a", "-lat,time", "@", "OUT")):
            with self.subTest(words=words):
                self.both(*words, run=next(WAYS))
        for run, files in ((None, ("in.nc", "other.nc")), (next(WAYS), ("ds", "other"))):
            out = "a" if run is None else "b"
            self.output("ncrcat", "-h", *files, f"cat_{out}.nc", run=run)
            self.output("ncra", "-h", "-d", "time,0,8", *files, f"ra_{out}.nc", run=run)
            self.output("ncbo", "-h", "--op_typ=sub", *files, f"bo_{out}.nc", run=run)
        for name in ("cat", "ra", "bo"):
            self.assert_same_dumps(f"{name}_a.nc", f"{name}_b.nc")

    def test_changes_a_dataset(self):
        """An operator that changes a file in its place does so with a dataset, as one commit."""
        make("raw", "ds", self)
        need_program("ncatted")
        commits = self.drx("log", "ds").count("\n")
        self.output("ncatted", "-h", "-a", "units,t2m,o,c,C", "ds")
        self.assertIn(b't2m:units = "C"', self.dump("ds", "-h"))
        self.assertGreater(self.drx("log", "ds").count("\n"), commits)
        result = subprocess.run(with_drx(["ncatted", "-h", "-a", "units,t2m,o,c,D", "ds#commit=1"]), capture_output=True,
                                check=False)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(b't2m:units = "C"', self.dump("ds", "-h"))


class GroupsTest(ProgramsTest):
    """Random trees of groups, and files of the same that netCDF-C wrote."""

    def make(self, seed, hide=False):
        program = os.path.join(os.environ["DRX_BUILD"], "tests", "netcdf", "make_tree")
        if os.path.isdir("ds"):
            self.drx("rm", "ds")
        self.output(program, str(seed), "1" if hide else "0", "ds", "in.nc", run=None)

    def trees(self, n):
        for seed in range(SEED, SEED + n):
            with self.subTest(DRX_SEED=seed):
                self.make(seed)
                yield seed

    def test_dumps_and_copies(self):
        need_program("ncdump", "nccopy", "ncks")
        for seed in self.trees(4):
            header = self.dump("in.nc", "-h", run=None)
            self.assertEqual(self.dump("ds", "-h", run=next(WAYS)), header)
            self.assertEqual(self.dump("ds", run=next(WAYS)), self.dump("in.nc", run=None))
            self.output("nccopy", "ds", "copy.nc", run=next(WAYS))
            self.assert_same_dumps("copy.nc", "in.nc")
            groups = re.findall(rb"^group: (\w+) {", header, re.MULTILINE)  # below the root
            for words in (("ncks", "-m"), ("ncks", "-H"), ("ncdump", "-k"),
                          *[("ncks", "-H", "-C", "-g", group.decode()) for group in groups[:1]]):
                self.both(*words, "@", run=next(WAYS), says=True)
            self.make(seed, hide=True)
            self.assertEqual(self.dump("ds", run=next(WAYS)), self.dump("in.nc", run=None))

    def test_python(self):
        need_module("netCDF4", "xarray")
        for _ in self.trees(4):
            said = [self.output(sys.executable, "-c", READS_GROUPS, path, run=run, says=True)
                    for path, run in (("in.nc", None), ("ds", with_drx))]
            self.assertEqual(said[1].decode(), said[0].decode())

    def test_a_group_as_a_file(self):
        """With the coordinates of groups above."""
        need_module("netCDF4")
        need_program("ncdump", "nccopy")
        seen = 0
        for _ in self.trees(3):
            for group in self.output(sys.executable, "-c", READS_ONE_GROUP, says=True).decode().split():
                self.output("nccopy", f"ds/{group}", "copy.nc", run=next(WAYS))
                self.assertEqual(self.dump("copy.nc", run=None), self.dump(f"ds/{group}", run=next(WAYS)))
                seen += 1
        self.assertGreater(seen, 0)


READS_GROUPS = """
import sys, warnings
import netCDF4, xarray
warnings.simplefilter("ignore")
def show(group):
    print(group.path, group.parent and group.parent.path, list(group.groups), group.data_model)
    print({name: (dim.size, dim.isunlimited()) for name, dim in group.dimensions.items()})
    for name in group.ncattrs():
        print(name, repr(group.getncattr(name)))
    for name, variable in group.variables.items():
        print(name, variable.dtype, variable.dimensions, variable.shape, variable.group().path, variable[...])
    for inner in group.groups.values():
        show(inner)
    with xarray.open_dataset(sys.argv[1], engine="netcdf4", group=group.path, decode_times=False) as opened:
        print(opened.load(), opened.attrs)
with netCDF4.Dataset(sys.argv[1]) as file:
    show(file)
"""

# Prints the groups that it has compared.
READS_ONE_GROUP = """
import netCDF4
def all_groups(group):
    return [group, *(below for inner in group.groups.values() for below in all_groups(inner))]
def shown(variable):
    return str(variable.dtype), variable.dimensions, variable.shape, variable.ncattrs(), str(variable[...])
def variables(group):
    return {f"{each.path.removeprefix(group.path).strip('/')}/{name}".strip("/"): shown(variable)
            for each in all_groups(group) for name, variable in each.variables.items()}
with netCDF4.Dataset("in.nc") as whole:
    for group in all_groups(whole)[1:]:
        expected = variables(group)
        for used in [dim for each in all_groups(group) for v in each.variables.values() for dim in v.get_dims()]:
            above = used.group().variables.get(used.name)
            if above is not None and len(group.path) > len(used.group().path) and above.dimensions == (used.name,):
                expected[used.name] = shown(above)
        with netCDF4.Dataset("ds" + group.path) as file:
            assert variables(file) == expected, (group.path, variables(file), expected)
            assert file.ncattrs() == group.ncattrs() and file.parent is None and file.path == "/"
        print(group.path.strip("/"))
"""


class ErrorsTest(ProgramsTest):
    def test_missing_and_damaged(self):
        """netCDF's own sentence, and one of DRX at most."""
        need_program("ncdump")
        need_module("netCDF4")
        write_file("in.nc", TIMES)
        make("raw", "ds", self)
        os.mkdir("empty")
        with open("ds/dataset.xds", "r+b") as file:
            file.seek(40)
            file.write(b"damage")
        for path, says in (("none", "No such file"), ("empty", "")):
            result = subprocess.run(with_drx(["ncdump", path]), capture_output=True, check=False)
            self.assertNotEqual(result.returncode, 0)
            self.assertIn(says, result.stderr.decode())
        result = subprocess.run(with_drx(["ncdump", "ds"]), capture_output=True, check=False)
        self.assertNotEqual(result.returncode, 0)
        lines = result.stderr.decode().splitlines()
        self.assertEqual([line.split(":")[0] for line in lines], ["libdrx-netcdf", "ncdump"], lines)

    def test_run_itself(self):
        """A program is run as it is, whether it reads netCDF or not; no netCDF is loaded that it lacks."""
        self.fails(1, "run", "no_such_program", says="no_such_program")
        self.fails(2, "run", "--nothing", "true", says="--nothing")
        self.drx("run", "--help")
        for words in (("echo", "a b", "--help"), ("sh", "-c", "exit 3")):
            runs = [subprocess.run(run, capture_output=True, check=False) for run in (list(words), with_drx(words))]
            self.assertEqual(*[(run.returncode, run.stdout, run.stderr) for run in runs])
        for path in ("/proc/self/maps", "/proc/self/environ"):
            said = self.output("cat", path).decode()
            self.assertIn("libdrx-netcdf.so.0", said)
            self.assertNotIn("libnetcdf", said)
            self.assertNotIn("libhdf5", said)
        said = self.output("cat", "/proc/self/environ", env={**os.environ, "LD_PRELOAD": "libc.so.6"}).decode()
        self.assertIn("libdrx-netcdf.so.0:libc.so.6", said)


if __name__ == "__main__":
    nc_programs.main()
