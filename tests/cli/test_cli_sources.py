"""The program drx: import of .npy, raw and HDF5 files, with coordinates, and appended."""

import itertools
import os
import signal

import numpy as np

import h5_file
import nc_file
from drx_cli import (SANITIZED, TYPES, CliTest, has_nameless_file, names, need, npy_bytes, read_file,
                     sample, some, write_file)
from h5_file import H5File, string_type

need(nc_file.LIBRARY, h5_file.LIBRARY)

LARGE = 80 if SANITIZED else 160  # MiB: more than in_little_memory allows
SHAPES = [(5,), (4, 3), (3, 1, 4), (2, 3, 2, 3), (2, 1, 3, 2, 2)]


def h5(path="in.h5", **datasets):
    """A file with these arrays, each perhaps with arguments: (array, {...})."""
    with H5File(path) as file:
        for name, array in datasets.items():
            array, options = array if isinstance(array, tuple) else (array, {})
            file.dataset(name, array, **options).close()


class SourceTest(CliTest):
    def imported(self, *words, stdin=b"", warns=False):
        self.drx("import", *words, "a", "--force", stdin=stdin, warns=warns)
        return self.whole("a")


class Npy(SourceTest):
    def test_types_and_orders(self):
        for dtype in TYPES:
            for shape, order in [*some(3, itertools.product(SHAPES[:-1], "CF")), (SHAPES[-1], "F")]:
                array = np.asarray(sample(shape, dtype), np.dtype(dtype).newbyteorder("<>"[order == "F"]), order=order)
                np.save("in.npy", array)
                self.assert_same(self.imported("in.npy"), array)
            self.assert_info("a", type=dtype, dims=[None] * 5, fill=[0, 0] if dtype[0] == "c" else 0, attrs={})
        np.save("zwölf: :u.npy", array)
        self.assert_same(self.imported("zwölf: :u.npy"), array)

    def test_standard_input(self):
        for order in "CF":
            array = np.asarray(sample((7, 5, 3), ">i4"), order=order)
            self.assert_same(self.imported("-", stdin=npy_bytes(array)), array)
            self.assert_same(self.imported("/dev/stdin", stdin=npy_bytes(array)), array)
        self.fails(1, "import", "-", "b", stdin=npy_bytes(array)[:-1], says=["standard input: ends before its last"])
        self.fails(1, "import", "-", "b", stdin=b"CDF\1", says=["standard input: is not a .npy file"])
        self.assertFalse(os.path.exists("b.xmd"))

    def test_memory(self):
        array = np.arange(LARGE << 17, dtype="i8").reshape(LARGE, 256, 512)  # LARGE MiB
        for order in "CF":
            np.save("in.npy", np.asarray(array, order=order))
            with open("in.npy", "rb") as file:
                for source, stdin in (("in.npy", None), ("-", file)):
                    self.in_little_memory("import", source, "a", "--force", stdin=stdin)
                    self.assert_large("a", array)


class Raw(SourceTest):
    def raw(self, array, *options, order="C"):
        write_file("in.raw", np.asarray(array).tobytes(order))
        return self.imported("in.raw", "--raw", "--shape", array.shape, "--type", array.dtype.str, *options)

    def test_types(self):
        for dtype in TYPES:
            for byte_order in "<>":
                array = sample((4, 3), np.dtype(dtype)).astype(np.dtype(dtype).newbyteorder(byte_order))
                self.assert_same(self.raw(array), array)
                self.assert_same(self.raw(array, "--source-order", "F", order="F"), array)
        self.raw(sample((4, 3), "complex128"))
        self.drx("import", "in.raw", "b", "--raw", "--type", "complex128", "--shape", "12")


class Hdf5(SourceTest):
    def test_types(self):
        for dtype in TYPES:
            for byte_order, shape in [*some(3, itertools.product("<>", SHAPES[:-1])), (">", SHAPES[-1])]:
                array = sample(shape, dtype).astype(np.dtype(dtype).newbyteorder(byte_order))
                h5(u=array)
                self.assert_same(self.imported("in.h5"), array)
            self.assert_info("a", type=dtype, dims=[None] * 5, attrs={})

    def test_other_types(self):
        h5(half=np.array([1.5, -2, 65504], "f2"), truth=np.array([True, False]), half_pair=np.zeros(2))
        self.assert_same(self.imported("in.h5:half"), np.array([1.5, -2, 65504], "f2"))
        self.assert_same(self.imported("in.h5:truth"), np.array([True, False]))

    def test_types_that_cannot_be(self):
        kinds = {"strings": string_type(), "fixed": string_type(5000), "references": h5_file.known("H5T_STD_REF_OBJ"),
                 "long": h5_file.known("H5T_NATIVE_LDOUBLE")}
        h5(**{name: (np.zeros(3), {"kind": kind}) for name, kind in kinds.items()})
        for name, says in (("strings", "strings of varying length"), ("fixed", "strings of more than 4096 bytes"),
                           ("references", "references"), ("long", "floats of more than 8 bytes")):
            self.fails(1, "import", "in.h5:" + name, "b", says=[f"in.h5:{name}: holds {says}, not whole numbers"])
        self.fails(1, "import", "in.h5", "b", says=["in.h5: has no dataset of numbers"])
        h5(one=np.array(3.0))
        self.fails(1, "import", "in.h5:one", "b", says=["in.h5:one: has 0 dimensions, expected 1 to 32"])

    def test_storage(self):
        array = sample((50, 60, 7), ">f8")
        for options in ({"chunk": (9, 11, 7)}, {"chunk": (50, 1, 7), "deflate": 6}, {}):
            h5(u=(array, options))
            self.assert_same(self.imported("in.h5"), array)
        h5(u=np.zeros((0, 3), "i2"))
        self.assertEqual(self.imported("in.h5").shape, (0, 3))

    def test_user_block(self):
        h5(u=np.arange(5))
        content = read_file("in.h5")
        write_file("moved", b"#" * 512 + content)
        self.assert_same(self.imported("moved:u"), np.arange(5))

    def test_choice_of_the_dataset(self):
        with H5File("in.h5") as file:
            file.group("wind")
            file.group("wind/größe x")
            file.dataset("wind/größe x/u:1", np.arange(6.0).reshape(2, 3)).close()
            with file.dataset("wind/lat", np.arange(2.0)) as scale:
                scale.scale()
            file.dataset("text", np.zeros(3), kind=string_type()).close()
            file.dataset("one", np.array(1)).close()
        for name in ("", ":wind/größe x/u:1", ":/wind/größe x/u:1"):
            self.assert_same(self.imported("in.h5" + name), np.arange(6.0).reshape(2, 3))
        self.assert_same(self.imported("in.h5:wind/lat"), np.arange(2.0))
        self.assertEqual(self.info("a")["dims"], ["lat"])
        for name in ("u", "wind", "wind/größe x", "wind/no/u", "", "/"):
            self.fails(1, "import", "in.h5:" + name, "b",
                       says=[f"in.h5: no dataset '{name}'; give one of wind/größe x/u:1\n"])
        h5(u=np.zeros(2), v=np.zeros(2))
        self.fails(2, "import", "in.h5", "b", "--coords", says="--coords goes with one variable; give SOURCE:VARIABLE")
        self.fails(1, "copy", "in.h5", "b", says=["in.h5: has 2 datasets; give SOURCE:NAME with one of u, v\n"])

    def test_labels_that_are_none(self):
        """Attributes of HDF5's own names, but not as it writes them."""
        for name, value in (("DIMENSION_LABELS", "one"), ("DIMENSION_LABELS", ["a", "b", "c"]),
                            ("DIMENSION_LABELS", [b"a", b"b"]), ("DIMENSION_LABELS", np.arange(2)),
                            ("DIMENSION_LIST", np.arange(2)), ("DIMENSION_LIST", ["a", "b"])):
            with H5File("in.h5") as file, file.dataset("u", np.ones((2, 3))) as u:
                u.att(name, value)
            with self.subTest(name=name, value=value):
                self.drx("import", "in.h5", "a", "--force")
                self.assertEqual(self.info("a")["dims"], [None, None])

    def test_dimensions(self):
        with H5File("in.h5") as file:
            scales = {name: file.dataset(name, np.arange(float(n))) for name, n in (("lat", 2), ("x", 3), ("z", 4))}
            with file.dataset("u", np.zeros((2, 3, 4, 5))) as u:
                scales["lat"].scale()
                scales["x"].scale("Länge")
                scales["z"].scale("other")
                for axis, name in enumerate(scales):
                    u.attach(scales[name], axis)
                u.label(2, "höhe")
            for scale in scales.values():
                scale.close()
        self.drx("import", "in.h5:u", "a")
        self.assert_info("a", dims=["lat", "Länge", "höhe", None], attrs={})
        self.drx("import", "in.h5:u", "b", "--dims", "p,q,,s")
        self.assert_info("b", dims=["p", "q", None, "s"])

    def test_dimensions_that_no_axis_can_be(self):
        names = {"a/b": "a_b", "./x": "__x", "x" + "é" * 120: "x" + "é" * 99}
        with H5File("in.h5") as file, file.dataset("u", np.zeros((2, 3, 4))) as u:
            for axis, name in enumerate(names):
                u.label(axis, name)
        told = [f"warning: in.h5:u: the dimension '{name}' is read as '{other}': no axis can have that name"
                for name, other in names.items()]
        self.drx("import", "in.h5:u", "a", warns=told)
        self.assert_info("a", dims=list(names.values()))

    def test_fill(self):
        for own, attribute, missing, expected, attrs in (
                (None, None, None, 0, {}), (-5, None, None, -5, {}), (-5, -6, None, -6, {}),
                (None, -6, -7, -6, {"missing_value": -7}), (None, None, -7, -7, {"missing_value": -7})):
            with H5File("in.h5") as file, file.dataset("u", np.arange(3, dtype=">i2"), fill=own) as u:
                if attribute is not None:
                    u.att("_FillValue", np.array([attribute], ">i4"))
                if missing is not None:
                    u.att("missing_value", np.int16(missing))
            self.drx("import", "in.h5", "a", "--force")
            self.assert_info("a", fill=expected, attrs=attrs)
        with H5File("in.h5") as file, file.dataset("u", np.zeros(3, ">c8"), fill=1 - 2j) as u:
            pass
        self.drx("import", "in.h5", "a", "--force")
        self.assertEqual(self.info("a")["fill"], [1, -2])
        with H5File("in.h5") as file, file.dataset("u", np.zeros(3, "i2")) as u:
            u.att("missing_value", np.array([1.5, 2]))
            u.att("_FillValue", "none")
        self.drx("import", "in.h5", "a", "--force",
                 warns="warning: in.h5:u: missing_value is not a value of type int16")
        self.assertEqual(self.info("a")["attrs"], {"missing_value": [1.5, 2], "_FillValue": "none"})

    def test_attributes(self):
        values = {"units": "m s⁻¹", "fixed": b"abc", "latin": b"\xb0C", "list": ["one", "", "drei ü"],
                  "fixed_list": [b"x", b"yyy"], "empty": "", "one": np.int32(7), "many": np.arange(20, dtype=">u2"),
                  "table": np.arange(4.0).reshape(2, 2), "truth": np.bool_(True), "half": np.float16(0.5),
                  "complex": np.complex64(1 - 2j), "big": np.array([2**64 - 1], ">u8")}
        with H5File("in.h5") as file, file.dataset("u", np.zeros(3), ordered=True) as u:
            for name, value in values.items():
                u.att(name, value)
            u.put_att("spaces", string_type(6, spaces=True), (), b"a b   ")
            u.put_att("null", string_type(), None, None)
            u.put_att("no_numbers", h5_file.h5_type("f8"), None, None)
            u.put_att("pointer", h5_file.known("H5T_STD_REF_OBJ"), (), bytes(8))
            u.put_att("n" * 1025, h5_file.h5_type("f8"), (), bytes(8))
        result = self.run_drx("import", "in.h5", "a")
        self.assertEqual((result.returncode, result.stderr.count(b"\n")), (0, 5))
        for name in (b"list is a list", b"fixed_list is a list", b"table has 2 dimensions"):
            self.assertIn(b"warning: in.h5:u: attribute " + name, result.stderr)
        self.assertIn(b"warning: in.h5:u: attribute pointer holds references and is left out", result.stderr)
        self.assertIn(b"has a name of 1025 bytes", result.stderr)
        attrs = self.info("a")["attrs"]
        self.assertEqual(attrs, {
            "units": "m s⁻¹", "fixed": "abc", "latin": "°C", "list": "one\n\ndrei ü", "fixed_list": "x\nyyy",
            "empty": "",
            "one": 7, "many": list(range(20)), "table": [0, 1, 2, 3], "truth": True, "half": 0.5, "complex": [1, -2],
            "big": 2**64 - 1, "spaces": "a b", "null": "", "no_numbers": []})
        self.assertEqual(list(attrs)[:len(values)], list(values))

    def test_files_of_netcdf(self):
        with nc_file.NcFile("in.nc") as nc:
            nc.array("u", np.arange(6.0).reshape(2, 3), "yx", units=b"m")
            nc.var("c", nc_file.STRING, [nc.dim("z", 3)])
        os.rename("in.nc", "in.h5")
        self.drx("import", "in.h5:u", "a")  # the suffix tells nothing
        self.assert_info("a", dims=["y", "x"], attrs={"units": "m"})
        self.fails(1, "import", "in.h5:c", "b", says=["in.h5:c: holds strings of varying length"])

    def test_damaged(self):
        h5(u=(sample((300, 1000), "f8"), {"chunk": (10, 1000), "deflate": 1}))
        content = read_file("in.h5")
        for length in (100, 2000, len(content) // 2, len(content) - 1):
            os.truncate("in.h5", length)
            error = self.fails(1, "import", "in.h5:u", "b", says=["in.h5"])
            self.assertNotIn("HDF5-DIAG", error)
        broken = bytearray(content)
        broken[len(content) // 3:len(content) // 3 + 20000] = b"\xff" * 20000
        write_file("in.h5", broken)
        self.fails(1, "import", "in.h5:u", "b", says=["in.h5:u: cannot read: "])
        self.assertEqual(os.listdir(), ["in.h5"])

    def test_memory(self):
        array = np.arange(LARGE << 17, dtype="f8").reshape(LARGE, 512, 256)  # LARGE MiB
        h5(u=(array, {"chunk": (LARGE, 32, 32)}))
        self.in_little_memory("import", "in.h5", "a", "--chunk", "1,512,256")
        self.assert_large("a", array)

    def test_interrupted(self):
        begin = npy_bytes(np.zeros((400, 1 << 20), "i1"))[:60000]
        with H5File("in.h5") as file:
            file.dataset("u", np.zeros((3000, 1 << 20), "i1"), kind=h5_file.h5_type("i1")).close()
        for source, number in some(3, itertools.product(("in.h5", "-"), (signal.SIGINT, signal.SIGTERM, signal.SIGKILL))):
            reader, writer = os.pipe()
            os.write(writer, begin)
            self.interrupted(number, "import", source, "b", "--fill", 7, begun=has_nameless_file, stdin=reader)
            os.close(reader)
            os.close(writer)  # until here the other end of the pipe was open
            self.assertEqual(names(), ["in.h5"])


class Classic(SourceTest):
    """Classic netCDF files that were cut off, which netCDF takes for zeros."""

    def test_cut_off(self):
        for flags in (nc_file.CLASSIC, nc_file.OFFSET64, nc_file.CDF5):
            with nc_file.NcFile("in.nc", flags) as nc:
                dims = [nc.dim("time", 0), nc.dim("y", 50), nc.dim("x", 7)]
                fixed = nc.var("fixed", "int16", dims[1:])
                nc.att(fixed, "note", b"odd")
                nc.att(fixed, "pair", np.array([1.5, 2]))
                records = [nc.var(name, kind, dims) for name, kind in (("a", "int16"), ("b", "int8"), ("c", "float64"))]
                nc.end_define()
                for var, kind in ((fixed, "int16"), *zip(records, ("int16", "int8", "float64"))):
                    nc.put(var, np.ones(((4, 50, 7) if var in records else (50, 7)), kind))
            size = os.path.getsize("in.nc")
            record = 700 + 352 + 2800
            for cut, good, bad in ((0, ["a", "b", "c"], []), (8, ["a", "b"], ["c"]), (2802, ["a", "b"], ["c"]),
                                   (2800 + 3, ["a"], ["b", "c"]), (record, [], ["a", "b", "c"])):
                os.truncate("in.nc", size - cut)
                for name in ["fixed", *good]:
                    self.assertEqual(self.imported("in.nc:" + name).min(), 1)
                for name in bad:
                    self.fails(1, "import", "in.nc:" + name, "x",
                               says=[f"in.nc:{name}: is cut off", "expected at least"])
            os.truncate("in.nc", size - 4 * record - 10)
            self.fails(1, "import", "in.nc:fixed", "x", says=["in.nc:fixed: is cut off"])

    def test_only_record_variable(self):
        with nc_file.NcFile("in.nc", 0) as nc:
            u = nc.var("u", "int8", [nc.dim("time", 0), nc.dim("x", 3)])
            nc.end_define()
            nc.put(u, np.ones((5, 3), "i1"))
        size = os.path.getsize("in.nc")
        self.assertEqual(self.imported("in.nc:u").min(), 1)
        os.truncate("in.nc", size - 4)
        self.fails(1, "import", "in.nc", "x", says=["is cut off"], lines=2)


class Append(SourceTest):
    def test_all_kinds(self):
        for dtype in ("float64", "int16"):
            whole = sample((9, 4, 5), dtype)
            for axis in range(3):
                first, rest = np.split(whole, [2], axis)
                np.save("first.npy", first)
                np.save("f.npy", np.asfortranarray(rest))
                np.save("c.npy", rest.astype(">" + rest.dtype.str[1:]))
                with nc_file.NcFile("in.nc") as nc:
                    nc.array("u", rest, "tyx")
                h5(u=rest)
                rest.tofile("in.raw")
                for words in (["f.npy"], ["c.npy"], ["in.nc"], ["in.h5"],
                              ["in.raw", "--raw", "--type", dtype, "--shape", rest.shape]):
                    self.drx("import", "first.npy", "a", "--force", "--chunk", "2,2,2", "--dims", "t,y,x")
                    self.drx("import", *words, "a", "--append", "tyx"[axis], "--as", "a")
                    self.assert_same(self.whole("a"), whole)
                    self.assertEqual(len(self.info("a")["history"]), 1)

    def test_many_pieces(self):
        array = np.arange(LARGE << 17, dtype="i8").reshape(LARGE // 2, 512, 512)
        np.save("in.npy", array)
        for axis, chunk in ((0, "7,100,100"), (2, "10,10,30")):
            shape = list(array.shape)
            shape[axis] = 5
            self.drx("create", "a", "--shape", shape, "--type", "int64", "--chunk", chunk, "--force")
            self.in_little_memory("import", "in.npy", "a", "--append", str(axis))
            self.assertEqual(len(self.info("a")["history"]), 1)
            self.assert_large("a", array, np.s_[5:] if axis == 0 else np.s_[..., 5:])

    def test_large_plane(self):
        array = np.resize(np.arange(251, dtype="u1"), (2, 70 << 20))  # 70 MiB an index
        np.save("in.npy", array)
        self.drx("create", "a", "--shape", "0,73400320", "--type", "uint8")
        self.drx("import", "in.npy", "a", "--append", 0)
        self.assertEqual([g["by"] for g in self.info("a")["history"]], [2])
        self.assert_large("a", array)

    def test_standard_input(self):
        array = np.arange(96 << 17, dtype="i8").reshape(96, 512, 256)  # 96 MiB
        self.drx("create", "a", "--shape", "0,512,256", "--type", "int64", "--chunk", "4,128,128")
        self.drx("import", "-", "a", "--append", 0, stdin=npy_bytes(array))
        self.drx("import", "-", "a", "--append", 0, "--from", 90, stdin=npy_bytes(array))
        self.assert_large("a", np.concatenate([array, array[90:]]))
        self.drx("create", "b", "--shape", "96,512,0", "--type", "int64", "--chunk", "4,128,128")
        self.fails(1, "import", "-", "b", "--append", 2, stdin=npy_bytes(array),
                   says=["standard input: cannot be appended along axis 2 piece by piece from a pipe; give a file"])
        self.drx("import", "-", "b", "--append", 2, stdin=npy_bytes(np.asfortranarray(array)))
        self.assert_large("b", array)
        self.drx("import", "-", "b", "--append", 2, stdin=npy_bytes(array[:, :, :3]))
        self.assertEqual(self.info("b")["shape"], [96, 512, 259])

    def test_fills_that_go_together(self):
        self.drx("create", "a", "--shape", "0,2", "--type", "float32", "--fill", "nan")
        with H5File("in.h5") as file:
            file.dataset("u", np.ones((3, 2), "f4"), fill=-np.float32(np.nan)).close()
        self.drx("import", "in.h5", "a", "--append", 0, "--as", "a")
        h5(u=np.ones((3, 2), "f4"))
        self.drx("import", "in.h5", "a", "--append", 0, "--as", "a")
        self.assertEqual(self.info("a")["shape"], [6, 2])
        self.drx("import", "in.h5", "a", "--append", 0, "--as", "a", "--fill", "nan")
        h5(u=np.array([[3, 4]], "f4"))
        self.drx("import", "in.h5", "a", "--append", 0, "--as", "a", "--fill", "3")
        self.assertEqual(self.drx("read", "a[-1]").split(), ["_", "4"])

    def test_source_that_ends(self):
        """All of it is appended, or nothing."""
        array = np.arange(100 << 17, dtype="i8").reshape(100, 512, 256)  # 100 MiB
        content = npy_bytes(array)
        self.drx("create", "a", "--shape", "3,512,256", "--type", "int64", "--chunk", "1,512,256", "--dims", "time,y,x")
        self.ends(1, "import", "-", "a", "--append", "time", stdin=content[:90 << 20],
                  err="drx import: standard input: ends before its last element\n")
        self.assertEqual(self.info("a")["shape"], [3, 512, 256])
        np.save("in.npy", array)
        self.drx("import", "in.npy", "a", "--append", "time", "--from", 64)
        self.assert_large("a", array[64:], np.s_[3:])

    def test_interrupted(self):
        with nc_file.NcFile("in.nc", nc_file.CDF5) as nc:
            nc.no_fill()
            nc.var("u", "int8", [nc.dim("y", 3000), nc.dim("x", 1 << 20)])
        os.truncate("in.nc", 3000 << 20 | 4096)  # sparse
        for number in (signal.SIGINT, signal.SIGTERM):
            self.drx("create", "a", "--shape", "0,1048576", "--type", "int8", "--chunk", "1,1048576", "--force")
            error = self.interrupted(number, "import", "in.nc", "a", "--append", 0, "--as", "a",
                                     begun=lambda _: os.path.getsize("a.xta") > 64 << 20)
            self.assertEqual((error, self.info("a")["shape"][0], os.path.getsize("a.xta")), ("", 0, 0))


class Coordinates(SourceTest):
    def make(self, kind="nc", lat=(1.0, 2.0), time=(10, 20, 30), array=None):
        array = np.ones((len(time), 2, 2)) if array is None else array
        if kind == "nc":
            with nc_file.NcFile("in.nc") as nc:
                nc.array("u", array, ["time", "lat", "x"])
                nc.array("lat", np.array(lat), ["lat"], units=b"degrees_north")
                nc.array("time", np.array(time, "i4"), ["time"], _FillValue=np.int32(-1))
            return "in.nc"
        with H5File("in.h5") as file:
            with file.dataset("u", array) as u, file.dataset("lat", np.array(lat)) as scale, \
                    file.dataset("time", np.array(time, ">i4"), fill=-1) as other:
                scale.scale()
                scale.att("units", "degrees_north")
                other.scale("time")
                u.attach(other, 0)
                u.attach(scale, 1)
        return "in.h5"

    def test_new(self):
        for kind in ("nc", "h5"):
            folder = "örtlich " + kind
            os.mkdir(folder)
            source = self.make(kind)
            self.drx("import", source + ":u", folder + "/u", "--coords")
            self.assertEqual(names(folder), ["lat.xmd", "lat.xta", "time.xmd", "time.xta", "u.xmd", "u.xta"])
            self.assert_same(self.whole(folder + "/lat"), np.array([1.0, 2]))
            self.assert_same(self.whole(folder + "/time"), np.array([10, 20, 30], "i4"))
            self.assert_info(folder + "/lat", dims=["lat"], attrs={"units": "degrees_north"})
            self.assert_info(folder + "/time", fill=-1)
            times = os.stat(folder + "/lat.xmd").st_ino
            self.drx("import", source + ":u", folder + "/v", "--coords")
            self.drx("import", source + ":lat", folder + "/lat", "--coords", "--force")
            self.assertNotEqual(os.stat(folder + "/lat.xmd").st_ino, times)
            self.make(kind, lat=(1.0, 3.0))
            before = names(folder)
            self.fails(1, "import", source + ":u", folder + "/w", "--coords",
                       says=["lat: its values differ from the coordinates", "another folder"])
            self.make(kind, time=(10, 20))
            self.fails(1, "import", source + ":u", folder + "/w", "--coords", says=["time: has 3 indices", "have 2"])
            self.drx("create", folder + "/time", "--shape", "3,3", "--force")
            self.fails(1, "import", source + ":u", folder + "/w", "--coords", says=["time: must have one dimension"])
            self.assertEqual(names(folder), before)
