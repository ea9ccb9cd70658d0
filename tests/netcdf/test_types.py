"""Programs that know netCDF alone read user-defined types; import and export keep them."""

import os
import subprocess
import sys

import nc_programs  # which finds the next one
import drx_cli
from nc_programs import ProgramsTest, need_module, need_program, with_drx, with_preload

READS = """
import sys, netCDF4, numpy as np
with netCDF4.Dataset(sys.argv[1]) as file:
    print(file.enumtypes, file["s"].datatype, file["s"][:], file["s"].flag)
    print(file["g"].cmptypes, file["g/i"][...], file["g"].enumtypes, file["g/d"][:])
"""
WRITES = """
import sys, netCDF4, numpy as np
fields = np.dtype([("u", "f4"), ("v", "i2", (2, 3)), ("name", "S4")], align=True)
with netCDF4.Dataset(sys.argv[1], "w") as file:
    sky = file.createEnumType("u1", "sky", {"clear": 0, "cloudy": 1, "missing": 255})
    group = file.createGroup("g")
    inner = group.createCompoundType(fields, "inner")
    outer = group.createCompoundType(np.dtype([("in", inner.dtype), ("t", "f8")], align=True), "outer")
    file.createDimension("t", None)
    s = file.createVariable("s", sky, ("t",), fill_value=255)
    v = group.createVariable("v", outer, ("t",), zlib=True)
    elements = np.zeros(4, outer.dtype)
    elements["t"], elements["in"]["u"], elements["in"]["v"][:, 1] = np.arange(4), 2.5, [4, 5, 6]
    s[:3] = [0, 1, 0]
    v[:] = elements
"""
XARRAY = """
import sys, numpy as np, xarray as xr
enum = np.dtype("u1", metadata={"enum": {"clear": 0, "cloudy": 1}, "enum_name": "sky"})
ds = xr.Dataset({"b": ("x", np.array([True, False, True])), "s": ("x", np.array([0, 1, 1], enum))})
ds.to_netcdf(sys.argv[1], engine="netcdf4")
print(xr.open_dataset(sys.argv[1], engine="netcdf4").load())
"""
FIELDS = """
import sys, h5py, numpy as np
fields = np.dtype([("z", "c16"), ("b", "?"), ("s", "S4"), ("a", "<i4", (2,)),
                   ("e", h5py.enum_dtype({"X": 1, "Y": 2}, basetype="u1"))])
with h5py.File("in.h5", "w") as file:
    elements = np.zeros(2, fields)
    elements["z"], elements["b"], elements["s"], elements["e"] = [1 + 2j, 3], [True, False], b"ab", [1, 2]
    file["c"] = elements
    file["half"] = np.zeros(2, [("h", "f2")])
"""


class TypesTest(ProgramsTest):
    def setUp(self):
        super().setUp()
        need_program("ncdump", "nccopy")
        self.output(os.path.join(os.environ["DRX_BUILD"], "tests", "netcdf", "make_types"), "ds", "in.nc", run=None)
        self.drx("import", "in.nc", "imported")

    def test_dumps_and_copies(self):
        expected = self.dump("in.nc", run=None)
        self.assertIn(b"cloudy, cloudy, _", expected)
        for run in (with_drx, with_preload):
            self.assertEqual(self.dump("imported", run=run), expected)
            self.output("nccopy", "imported", "copy.nc", run=run)
            self.assert_same_dumps("copy.nc", "in.nc")

    def test_export(self):
        for source in ("ds", "imported"):
            out = f"{source}.nc"
            self.drx("export", source, out)
            self.assert_same_dumps(out, "in.nc")
            self.drx("import", out, f"{source}_again")
            self.assertEqual(self.dump(f"{source}_again"), self.dump(source))
        self.drx("export", "imported/s[1:2,::-2]", "some.nc")
        self.assertIn(b" s =\n  _, cloudy ;", self.dump("some.nc", run=None))
        self.drx("export", "imported/g/h/o", "one.nc")
        self.assertIn(b"inner in(2) ;", self.dump("one.nc", run=None))

    def test_python(self):
        need_module("netCDF4")
        said = [self.output(sys.executable, "-c", READS, path, run=run, says=True)
                for path, run in (("in.nc", None), ("imported", with_drx))]
        self.assertEqual(said[1], said[0])

    def test_python_defines(self):
        need_module("netCDF4", "xarray")
        for name, program in (("netcdf4", WRITES), ("xarray", XARRAY)):
            with self.subTest(program=name):
                file, dataset = f"{name}.nc", f"{name}.drx"
                said = [self.output(sys.executable, "-W", "ignore", "-c", program, path, run=run, says=True)
                        for path, run in ((file, None), (dataset, with_drx))]
                self.assertEqual(said[1], said[0])
                self.assertEqual(self.dump(dataset), self.dump(file, run=None))
                self.assertIn("good", self.drx("check", dataset))
                self.drx("import", file, name)
                shown = [self.drx("info", path).split("\n", 1)[1] for path in (dataset, name)]
                shown[1] = shown[1].replace("; source: shuffle, deflate 4", "")  # of the file that was imported
                self.assertEqual(shown[0], shown[1])

    def test_ncgen_and_nccopy(self):
        need_program("ncgen")
        with open("in.cdl", "wb") as out:
            out.write(b"netcdf in" + b" {\n" + self.dump("in.nc", run=None))
        self.output("ncgen", "-4", "-o", "out.nc", "in.cdl", run=None)  # which reads arrays in arrays wrongly
        self.output("ncgen", "-4", "-o", "out.drx", "in.cdl")
        self.output("nccopy", "in.nc", "copy.drx")
        self.output("nccopy", "copy.drx", "again.drx")
        for path, same in (("out.drx", "out.nc"), ("copy.drx", "in.nc"), ("again.drx", "in.nc")):
            self.assertEqual(self.dump(path), self.dump(same, run=None), path)

    def test_fields_that_netcdf_lacks(self):
        need_module("h5py")
        subprocess.run([sys.executable, "-c", FIELDS], check=True)
        self.drx("import", "in.h5", "fields")
        self.drx("export", "fields/c", "c.nc")
        text = self.dump("c.nc", run=None)
        self.assertIn(b"compound complex128 {\n    double r ;\n    double i ;", text)
        self.assertIn(b'c = {{1, 2}, TRUE, {"ab"}, {0, 0}, X}, {{3, 0}, FALSE, {"ab"}, {0, 0}, Y} ;', text)
        result = subprocess.run([drx_cli.DRX, "export", "fields", "all.nc"], capture_output=True, text=True, check=False)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("fields/half: has type {h: float16 @0}, which netCDF lacks", result.stderr)


if __name__ == "__main__":
    nc_programs.main()
