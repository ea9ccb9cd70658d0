"""Programs that know netCDF alone write datasets: NAME.drx instead of NAME.nc is all that differs."""

import json
import os
import re
import shlex
import shutil
import subprocess
import unittest

import nc_programs  # which finds the next one
import drx_cli
from nc_programs import ProgramsTest, bridge, ferret, need_module, need_program, with_drx

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"
CDL = """netcdf in {
dimensions: t = UNLIMITED ; u = UNLIMITED ; y = 3 ; x = 4 ; alone = 7 ;
variables:
  double t(t) ; t:units = "days since 2000-01-01" ;
  float v(t, y, x) ; v:_FillValue = -999.f ; v:long_name = "some thing" ; v:range = 1.f, 2.f ;
    v:_ChunkSizes = 2, 3, 4 ;
  int w(u, x) ; w:list = 1, 2, 3 ; w:_ChunkSizes = 5, 4 ;
  string s(x) ; string s:names = "a", "bb", "c\\nd" ; string s:one = "\xe4\xf6" ;
  char c(y, x) ; c:_FillValue = "-" ;
  byte b ; b:empty = "" ; int64 big(x) ; uint64 huge(x) ;
  short z(t, x) ; z:_DeflateLevel = 3 ; z:_Shuffle = "true" ; z:_ChunkSizes = 2, 4 ; z:_FillValue = 7s ;
  :title = "hello" ; :n = 5s ; :numbers = 1.5, 2.5 ;
data:
  t = 1, 2, 3 ;
  v = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, _ ;
  w = 1, 2, 3, 4, 5, 6, 7, 8 ; s = "one", "twenty", "", "four" ; c = "abcd", "ef", "" ; b = 5 ;
  big = 1, 2, 3, 9223372036854775807 ; huge = 1, 2, 3, 18446744073709551615 ;
  z = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 ;
"""
GROUPS = """group: g { dimensions: z = 2 ; t = UNLIMITED ;
variables: ubyte q(z, x) ; q:a = "q" ; float r(t, z) ; :of = "g" ;
data: q = 1, 2, 3, 4, 5, 6, 7, 8 ; r = 1, 2, 3, 4 ;
group: h { variables: double p(t) ; data: p = 5, 6 ; } }
"""


class WritingTest(ProgramsTest):
    def setUp(self):
        super().setUp()
        need_program("ncgen", "ncdump")
        bridge()

    def make_input(self, groups=True, strings=True):
        text = CDL + (GROUPS if groups else "") + "}\n"
        if not strings:  # which netCDF-C does not compress
            text = re.sub(r"  string s.*|  s = .*?;|s = \"one.*?four\" ;", "", text)
        drx_cli.write_file("in.cdl", text.encode("utf-8"))
        self.output("ncgen", "-4", "-o", "in.nc", "in.cdl", run=None)

    def compiled(self, source, *words):
        program = os.path.abspath(os.path.splitext(source)[0])
        subprocess.run([*words[:1], os.path.join(HERE, "programs", source), "-o", program, *words[1:]], check=True)
        return program

    def assert_same(self, dataset, file, *words):
        """Of the dataset and the file, but for the history that NCO adds."""
        dumps = [re.sub(rb'\n\t\t:(history|NCO)[^;]*(;)', b"", self.dump(path, *words, run=run)).decode(errors="replace")
                 for path, run in ((file, None), (dataset, with_drx))]
        heads = [sorted(dump.split("\ndata:")[0].splitlines()) for dump in dumps]  # _FillValue may have another place
        self.assertEqual(heads[1], heads[0])
        bodies = ["\ndata:".join(dump.split("\ndata:")[1:]) for dump in dumps]
        self.assertTrue(bodies[1] == bodies[0] or (len(bodies[0]) < 5000 and self.assertEqual(bodies[1], bodies[0])))
        self.assertIn(b"good", self.drx("check", dataset).encode())

    def make_both(self, *words, run=with_drx, **options):
        """Run a program that makes OUT.nc, and with the library OUT.drx; twice, since the second one replaces the first
        one. @ is the input."""
        for _ in range(2):
            for out, how in (("out.nc", None), ("out.drx", run)):
                self.output(*[word.replace("OUT", out).replace("@", "in.nc") for word in words], run=how, **options)
        self.assertTrue(os.path.isdir("out.drx"))
        self.assertEqual([name for name in os.listdir(".") if ".tmp" in name or ".new-" in name or "removed" in name], [])
        self.assert_same("out.drx", "out.nc")


class ToolsTest(WritingTest):
    def test_ncgen(self):
        self.make_input()
        for _ in range(2):
            self.output("ncgen", "-4", "-o", "in.drx", "in.cdl")
            self.assert_same("in.drx", "in.nc")

    def test_nccopy(self):
        self.make_input()
        self.make_both("nccopy", "@", "OUT")
        self.make_input(groups=False, strings=False)
        self.make_both("nccopy", "-d", "4", "-s", "-c", "t/3,x/2", "@", "OUT")
        for kind in ("classic", "nc6", "cdf5"):
            self.output("ncgen", "-k", {"classic": "classic", "nc6": "64-bit offset", "cdf5": "cdf5"}[kind], "-o", "old.nc",
                        self.classic())
            self.output("nccopy", "old.nc", "old.drx")
            self.assert_same("old.drx", "old.nc")

    def classic(self):
        drx_cli.write_file("old.cdl", b"""netcdf old { dimensions: t = UNLIMITED ; x = 3 ;
variables: int v(t, x) ; v:units = "m" ; char c(x) ; double d ; data: v = 1, 2, 3, 4, 5, 6 ; c = "abc" ; d = 7 ; }
""")
        return "old.cdl"

    def test_nco(self):
        need_program("ncks", "ncrcat", "ncra", "ncap2", "ncatted", "ncrename", "ncpdq")
        self.make_input(groups=False)
        for words in (("ncks", "-O"), ("ncks", "-O", "-4", "-L", "3"), ("ncks", "-O", "-7", "-v", "v"), ("ncks", "-O", "-v", "v"),
                      ("ncra", "-O", "-v", "v"), ("ncpdq", "-O", "-v", "v", "-a", "x,t"),
                      ("ncks", "-O", "-v", "v", "--cnk_dmn", "t,5", "-4")):
            with self.subTest(words=words):
                self.make_both(*words, "@", "OUT", says=True)
        self.make_both("ncrcat", "-O", "-v", "v", "@", "@", "OUT", says=True)
        for out, run in (("out.nc", None), ("out.drx", with_drx)):
            self.output("ncks", "-O", "-v", "v,w", "in.nc", out, run=run, says=True)
            self.output("ncatted", "-O", "-a", "units,v,c,c,m", out, run=run, says=True)
            self.output("ncrename", "-O", "-v", "v,vv", out, run=run, says=True)
            self.output("ncks", "-A", "-v", "z", "in.nc", out, run=run, says=True)
            self.output("ncap2", "-A", "-s", "vvv=vv*2", out, run=run, says=True)
        self.assert_same("out.drx", "out.nc")

    def test_cdo(self):
        need_program("cdo")
        source = next(path for path in ferret() if "coads" in path or "navy" in path)
        shutil.copy(source, "in.nc")
        for words in (("copy",), ("-f", "nc4", "-z", "zip_2", "copy"), ("timmean",)):
            self.make_both("cdo", "-s", "--no_history", *words, "@", "OUT", says=True)

    def test_ferret(self):
        for source in ferret():
            name = os.path.basename(source).split(".")[0]
            with self.subTest(source=name):
                self.output("nccopy", source, f"{name}.drx", says=True)
                self.assert_same(f"{name}.drx", source)


class LanguagesTest(WritingTest):
    def test_fortran(self):
        need_program("gfortran", "nf-config")
        words = [shlex.split(subprocess.run(["nf-config", option], capture_output=True, check=True, text=True).stdout)
                 for option in ("--fflags", "--flibs")]
        program = self.compiled("write_nf90.f90", "gfortran", *words[0], *words[1])
        self.make_both(program, "OUT")

    def test_netcdf4_python(self):
        need_module("netCDF4")
        text = """
import netCDF4, numpy as np, sys
name = sys.argv[1]
with netCDF4.Dataset(name, "w") as f:
    f.createDimension("t", None); f.createDimension("x", 5)
    v = f.createVariable("v", "f4", ("t", "x"), zlib=True, complevel=4, fill_value=-1); v.units = "m"
    v[0:3] = np.arange(15).reshape(3, 5); v[5, 2] = 7
    i = f.createVariable("i", "i2", ("t",)); i[2] = 4
    s = f.createVariable("s", str, ("x",)); s[0] = "hello"; s[3] = "\\u00e4 longer one"
    g = f.createGroup("gg"); g.note = "x"; q = g.createVariable("q", "u8", ("x",)); q[:] = 2**63 + 1
    f.renameVariable("i", "j"); f.title = "T"; f.setncattr_string("text", "string"); f.sync()
    n = f.createVariable("n", "f8", ("x", "t")); n.scale_factor = 0.5; n[2, 1] = 3
with netCDF4.Dataset(name, "a") as f:
    f["v"][6] = 3; f["j"][7] = 1; f.createVariable("late", "f8", ("t", "x"))[3, :] = 2.5; del f.title
"""
        self.make_both(PYTHON, "-c", text, "OUT")

    def test_xarray(self):
        need_module("xarray", "netCDF4")
        text = """
import sys, numpy as np, pandas as pd, xarray as xr
ds = xr.Dataset({"a": (("time", "y"), np.arange(12).reshape(4, 3).astype("f4") / 7),
                 "s": ("y", np.array(["a", "bcd", ""], object)), "b": ("y", np.array([True, False, True])),
                 "k": ((), 3)},
                coords={"time": pd.date_range("2000", periods=4), "y": [1.0, 2, 3]}, attrs={"k": [1, 2], "t": "x"})
ds.to_netcdf(sys.argv[1], engine="netcdf4", encoding={"a": {"zlib": True, "chunksizes": (2, 3)}},
             unlimited_dims=["time"])
xr.testing.assert_equal(xr.open_dataset(sys.argv[1], engine="netcdf4").load(), ds)
ds.rename(a="more")[["more"]].drop_vars(["time", "y"]).to_netcdf(sys.argv[1], mode="a", engine="netcdf4")
"""
        self.make_both(PYTHON, "-c", text, "OUT", env={**os.environ, "PYTHONWARNINGS": "ignore"})

    def test_no_close(self):
        """What a program leaves when it ends without nc_close, and when it is killed: the last commit."""
        words = [shlex.split(subprocess.run(["nc-config", option], capture_output=True, check=True, text=True).stdout)
                 for option in ("--cflags", "--libs")]
        program = self.compiled("leave.c", "gcc", *words[0], *words[1])
        self.make_both(program, "OUT", "exit")
        result = subprocess.run(with_drx([program, "out.drx", "kill"]), check=False)
        self.assertLess(result.returncode, 0)
        self.assert_same("out.drx", "out.nc")
        result = subprocess.run(with_drx([program, "new.drx", "kill"]), check=False)
        self.assertLess(result.returncode, 0)
        self.assertEqual(json.loads(self.drx("info", "--json", "new.drx"))["variables"], {})


class ImportTest(WritingTest):
    """The dataset that a program writes is that of `drx import` of the same file."""

    def described(self, path):
        """All but the name, the commit, notes that only a program makes, the storage of a file, which only import tells, and
        chunks, which programs seldom give."""
        of = json.loads(self.drx("info", "--json", path))
        for part in (of, *of["groups"].values(), *of["variables"].values(), *of["dims"].values()):
            for note in ("drx.model", "drx.characters"):
                part.get("attrs", {}).pop(note, None)
        for variable in of["variables"].values():
            del variable["chunk"]
            variable.pop("source", None)
        for name, dim in of["dims"].items():  # that of the bytes of strings grows with the longest one
            dim["unlimited"] = dim["unlimited"] and not name.endswith("_strlen")
        return {key: of[key] for key in ("dims", "groups", "variables", "attrs")}

    def test_same(self):
        self.make_input()
        self.output("nccopy", "in.nc", "written.drx")
        self.drx("import", "in.nc", "imported", warns=True)
        self.maxDiff = None
        self.assertEqual(self.described("written.drx"), self.described("imported"))
        written, imported = (sorted(self.dump(name).decode().splitlines()) for name in ("written.drx", "imported"))
        self.assertEqual(written, imported)


class ErrorsTest(WritingTest):
    def program_fails(self, *words, says, **options):
        result = subprocess.run(with_drx(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, check=False, **options)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn(says, result.stderr.decode(errors="replace"))

    def test_read_only_folder(self):
        if os.geteuid() == 0:
            os.symlink("/proc/no/such", "closed")
            says = "No such file or directory"
        else:
            os.mkdir("closed", 0o500)
            says = "Permission denied"
        self.make_input()
        self.program_fails("nccopy", "in.nc", "closed/out.drx", says=says)

    def test_full_disk(self):
        """A file that may not become larger: the copy fails, and what was there stays."""
        need_module("netCDF4")
        text = """
import netCDF4, numpy, resource, signal
with netCDF4.Dataset("out.drx", "w") as f:
    f.createDimension("t", None)
    f.createVariable("v", "f8", ("t",))[:] = numpy.arange(10)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
f = netCDF4.Dataset("out.drx", "a")
for what in ("write", "sync", "close"):
    try:
        if what == "write":
            f["v"][10:100000] = 5
        elif what == "sync":
            f.sync()
        else:
            f.close()
    except (OSError, RuntimeError) as e:
        print(what, "failed:", e)
"""
        said = self.output(PYTHON, "-c", text, says=True)
        for what in (b"write", b"sync", b"close"):
            self.assertIn(what + b" failed: No space left", said)
        self.assertIn("good", self.drx("check", "out.drx", warns=True))
        self.assertIn(b"v = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9", self.dump("out.drx"))

    def test_clobber(self):
        self.make_input()
        need_module("netCDF4")
        text = """
import netCDF4, os, subprocess, sys
f = netCDF4.Dataset("out.drx", "w"); f.first = 1; f.close()
try:
    netCDF4.Dataset("out.drx", "w", clobber=False); print("opened")
except OSError as e:
    print(e.errno)
g = netCDF4.Dataset("out.drx", "w"); g.second = 2; g.createDimension("x", 2); v = g.createVariable("v", "i4", ("x",))
print(netCDF4.Dataset("out.drx").ncattrs()); g.sync(); print(netCDF4.Dataset("out.drx").ncattrs())
v[:] = 3; g.close(); print(netCDF4.Dataset("out.drx")["v"][:])
open("file.drx", "w").write("a plain file"); h = netCDF4.Dataset("file.drx", "w"); h.close(); print(os.path.isdir("file.drx"))
os.mkdir("full.drx"); open("full.drx/mine", "w").close()
try:
    netCDF4.Dataset("full.drx", "w"); print("opened")
except OSError as e:
    print(os.listdir("full.drx"))
"""
        said = self.output(PYTHON, "-c", text, says=True).decode().splitlines()
        self.assertEqual(said, ["-35", "['first']", "['second']", "[3 3]", "True", "['mine']"])


class MpiTest(WritingTest):
    def test_write_par(self):
        """What each call returns, and what is read at the end, is that of netCDF-4, on 1 to 4 ranks."""
        need_program("mpicc", "pkg-config")
        bridge(mpi=True)
        flags = [subprocess.run(["pkg-config", option, "netcdf-mpi"], capture_output=True, text=True, check=False)
                 for option in ("--cflags", "--libs", "--variable=prefix")]
        if flags[0].returncode:
            self.skipTest("libnetcdf-mpi-dev is not there")
        words = [shlex.split(flag.stdout) for flag in flags]
        program = self.compiled("write_par.c", "mpicc", f"-I{words[2][0]}/include", *words[0], *words[1])
        for ranks in "1234":
            with self.subTest(ranks=ranks):
                together = (os.path.join(os.path.dirname(nc_programs.TESTS), "scripts", "in-mpi"), ranks, "100")
                expected = self.output(*together, program, "out.nc", run=None, says=True)
                self.assertIn(b"-130 to -130", expected)
                self.assertEqual(self.output(*together, drx_cli.DRX, "run", "--mpi", program, "out.drx", run=None,
                                             says=True).decode(), expected.decode())
                self.assertIn("good", self.drx("check", "out.drx"))


if __name__ == "__main__":
    nc_programs.main()
