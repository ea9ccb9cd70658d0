"""float16 and bool: what other formats make of them, and what is said about it."""

import json
import os

import numpy as np

import h5_file
import nc_file
from drx_cli import CliTest, need, write_file
from h5_file import H5File

need(nc_file.LIBRARY, h5_file.LIBRARY)

HALVES = np.array([[0.1, -2, 65504], [6e-8, np.inf, np.nan]], "f2")
TRUTH = np.array([[True, False, True], [False, False, True]])


def attribute(path, variable, name, dtype, n=1):
    """A numeric attribute of a netCDF file, or None."""
    with H5File(path, new=False) as file, file.open(variable) as dataset:
        if not dataset.has_att(name):
            return None
    file, var = nc_file.ctypes.c_int(), nc_file.ctypes.c_int()
    nc_file.call("nc_open", os.fsencode(path), 0, nc_file.ctypes.byref(file))
    nc_file.call("nc_inq_varid", file, variable.encode(), nc_file.ctypes.byref(var))
    kind = nc_file.ctypes.c_int()
    nc_file.call("nc_inq_atttype", file, var, name.encode(), nc_file.ctypes.byref(kind))
    value = np.empty(n, dtype)
    nc_file.call("nc_get_att", file, var, name.encode(), value.ctypes.data_as(nc_file.ctypes.c_void_p))
    nc_file.call("nc_close", file)
    return kind.value, value.tolist()


class NetCDF(CliTest):
    def test_float16(self):
        self.put("a", HALVES, "--fill", "0.1")
        self.drx("export", "a", "out.nc", warns=["a: has type float16, which netCDF lacks; the file has float32"])
        self.assert_same(nc_file.read("out.nc", "a", (2, 3), "f4"), HALVES.astype("f4"))
        fill = float(np.float16(0.1))
        self.assertEqual(attribute("out.nc", "a", "_FillValue", "f4"), (nc_file.TYPES["float32"], [fill]))

    def test_bool(self):
        self.put("a", TRUTH, "--fill", "true")
        self.drx("export", "a", "out.nc",
                 warns=['a: has type bool, which netCDF lacks; the file has int8, with the attribute dtype = "bool"'])
        self.assert_same(nc_file.read("out.nc", "a", (2, 3), "i1"), TRUTH.astype("i1"))
        self.assertIsNone(attribute("out.nc", "a", "_FillValue", "i1"))  # true is not missing
        self.drx("import", "out.nc:a", "back")
        self.assert_info("back", type="int8", attrs={"dtype": "bool", "drx.fill_time": "never"})


class Hdf5(CliTest):
    def test_round_trip(self):
        for array, fill in ((HALVES, "-2"), (TRUTH, "true")):
            self.put("a", array, "--fill", fill)
            self.drx("export", "a", "out.h5")
            with H5File("out.h5", new=False) as file, file.open("a") as dataset:
                self.assert_same(dataset.read(array.dtype), array)
            self.drx("import", "out.h5", "back", "--force")
            self.assert_same(self.whole("back"), array)
            self.assertEqual(self.info("back")["fill"], json.loads(fill))

    def test_floats_of_two_bytes(self):
        """Others than IEEE's need a float32."""
        kind = h5_file.call("H5Tcopy", h5_file.known("H5T_IEEE_F32LE"))
        h5_file.call("H5Tset_fields", kind, *map(h5_file.ctypes.c_size_t, (15, 7, 8, 0, 7)))  # bfloat16
        h5_file.call("H5Tset_size", kind, h5_file.ctypes.c_size_t(2))
        with H5File("in.h5") as file:
            file.dataset("a", np.zeros(3), kind=kind).close()
        self.drx("import", "in.h5", "a")
        self.assert_info("a", type="float32")

    def test_attributes(self):
        values = {"half": np.array([0.5, 1.5, -2], "f2"), "truth": np.array([True, False]), "one": np.bool_(True)}
        with H5File("in.h5") as file, file.dataset("u", np.zeros(3)) as dataset:
            for name, value in values.items():
                dataset.att(name, value)
        self.drx("import", "in.h5", "a")
        attrs = {"half": [0.5, 1.5, -2], "truth": [True, False], "one": True}
        self.assertEqual(self.info("a")["attrs"], attrs)
        self.drx("export", "a", "out.h5")
        self.drx("import", "out.h5", "b")
        self.assertEqual(self.info("b")["attrs"], attrs)


class Shown(CliTest):
    def test_elements(self):
        self.put("a", HALVES)
        self.assertEqual(self.drx("read", "a").split(), ["0.1", "-2", "65500", "5.96e-08", "inf", "nan"])
        self.put("a", TRUTH)
        self.assertEqual(self.drx("read", "a").split(), "true false true false false true".split())

    def test_keep_bits(self):
        self.put("a", np.array([1.2345, 0.1, -3.3], "f2"))
        self.drx("copy", "a", "b", "--keep-bits", 4, warns=True)
        self.assert_same(self.whole("b"), np.array([1.25, 0.1015625, -3.25], "f2"))
        self.fails(1, "copy", "a", "c", "--keep-bits", 11, says="to 1 to 10 bits in float16")
        self.put("a", TRUTH)
        self.fails(1, "copy", "a", "c", "--keep-bits", 4, says="a: has elements of bool")

    def test_other_bytes_are_true(self):
        self.put("a", np.zeros(3, bool), "--chunk", "3")
        write_file("a.xta", b"\0\2\1")
        self.assertEqual(self.drx("read", "a").split(), ["false", "true", "true"])
        self.drx("export", "a", "out.nc", warns=True)
        np.testing.assert_array_equal(nc_file.read("out.nc", "a", (3,), "i1"), [0, 1, 1])
