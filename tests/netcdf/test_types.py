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
