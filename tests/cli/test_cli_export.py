"""The program drx: export to .npy, netCDF-4 and HDF5."""

import itertools
import os
import resource
import signal
import subprocess

import numpy as np

import h5_file
import nc_file
from drx_cli import SANITIZED, TYPES, CliTest, names, need, sample, some, write_file
from h5_file import H5File

need(nc_file.LIBRARY, h5_file.LIBRARY)

LARGE = 80 if SANITIZED else 160  # MiB: more than in_little_memory allows
SHAPES = [(5,), (4, 3), (3, 1, 4), (2, 3, 2, 3), (2, 1, 3, 2, 2)]


class ExportTest(CliTest):
    def make(self, path, array, dims="", *options, attributes=None):
        """An array made by import, with these attributes."""
        with H5File("make.h5") as file, file.dataset("u", array) as dataset:
            for name, value in (attributes or {}).items():
                dataset.att(name, value)
        self.drx("import", "make.h5", path, "--force", *(["--dims", dims] if dims else []), *options)
        os.remove("make.h5")

    def export(self, source, target, *options, warns=()):
        """The array that is found in the file when it is copied as `back`."""
        self.assertEqual(self.drx("export", source, target, *options, warns=warns), "")
        self.drx("copy", target, "back", "--force")
        return self.whole("back")

    def stored(self, target, name, dtype, shape):
        """What NumPy, or the library of the format, reads from the file."""
        if target.endswith(".npy"):
            return np.load(target)
        if target.endswith(".nc"):
            return nc_file.read(target, name, shape, dtype)
        with H5File(target, new=False) as file, file.open(name) as dataset:
            return dataset.read(dtype)


class RoundTrip(ExportTest):
    def test_types_and_shapes(self):
        for dtype, shape in some(20, itertools.product(TYPES, SHAPES)):
            array = sample(shape, dtype)
            self.make("a", array, "", "--chunk", [2] * len(shape))
            for target in ("out.npy", "out.nc", "out.h5"):
                if dtype in ("complex64", "complex128", "float16", "bool") and target == "out.nc":
                    continue
                self.assertEqual(self.drx("export", "a", target), "")
                self.assert_same(self.stored(target, "a", dtype, shape), array)
        self.assertEqual(sorted(n for n in os.listdir() if n.startswith("out")), ["out.h5", "out.nc", "out.npy"])

    def test_npy_orders(self):
        array = sample((3, 4, 5), "i2")
        self.make("a", array)
        for order in "CF":
            self.drx("export", "a", "out.npy", "--order", order)
            self.assertEqual(np.load("out.npy").flags.f_contiguous, order == "F")
            self.assert_same(np.load("out.npy"), array)
        self.drx("export", "a[1,::-1]", "out.npy")
        self.assert_same(np.load("out.npy"), array[1, ::-1])
        result = self.run_drx("export", "a", "-", "--format", "npy")
        self.assertTrue(result.stdout.startswith(b"\x93NUMPY"))

    def test_selections(self):
        array = np.arange(7 * 6 * 5, dtype="i4").reshape(7, 6, 5)
        self.make("a", array, "z,y,x", "--chunk", "3,2,2")
        for text, key in (("2:6", np.s_[2:6]), ("::2,::-1", np.s_[::2, ::-1]), ("3,:,1", np.s_[3, :, 1]),
                          ("...,-1", np.s_[..., -1]), ("5:1:-2,1:,::3", np.s_[5:1:-2, 1:, ::3])):
            for target in ("out.npy", "out.nc", "out.h5"):
                self.assert_same(self.export(f"a[{text}]", target), array[key])
        self.export("a[3,:,1]", "out.nc")
        self.assert_info("back", dims=["y"])

    def test_single_value(self):
        self.make("a", np.arange(6.0).reshape(2, 3), attributes={"units": "m"})
        for target, options in (("out.npy", []), ("out.nc", ["--deflate", 3]), ("out.h5", ["--deflate", 3])):
            self.drx("export", "a[1,2]", target, *options)
            self.assertEqual(self.stored(target, "a", "f8", ()), 5.0)
        with H5File("out.h5", new=False) as file, file.open("a") as a:
            self.assertEqual(a.text_att("units"), "m")

    def test_attributes(self):
        values = {"units": "m s-1", "text": "°C 日本\nzweite Zeile", "empty": "", "one": np.int32(7),
                  "many": np.arange(20, dtype="i2"), "nan": np.array([np.nan, np.inf]), "long": "x" * 200000,
                  "none": None, "name mit leer": np.uint64(2**64 - 1),
                  "größe": np.int8(-1), **{"t_" + t: np.arange(3).astype(t) for t in TYPES[:10]}}
        with H5File("make.h5") as file, file.dataset("u", np.zeros((2, 2)), ordered=True) as u:
            for name, value in values.items():
                if value is None:
                    u.put_att(name, h5_file.h5_type("f8"), None, None)
                else:
                    u.att(name, value)
        self.drx("import", "make.h5", "a")
        for target in ("out.nc", "out.h5"):
            self.export("a", target)
            self.assertEqual(list(self.info("back")["attrs"]), list(values))
            self.assertEqual(self.info("back")["attrs"], self.info("a")["attrs"])
            self.assertEqual(self.drx("info", "back").split("attributes")[1],
                             self.drx("info", "a").split("attributes")[1])

    def test_long_numbers(self):
        with nc_file.NcFile("in.nc") as nc:
            nc.array("u", np.zeros(2), "x", numbers=np.arange(100000.0))
        self.drx("import", "in.nc:u", "a")
        for target in ("out.nc", "out.h5"):
            self.export("a", target)
            self.assert_info("back", attrs={"numbers": list(range(100000))})

    def test_attributes_that_cannot_be(self):
        self.make("a", np.zeros(2), attributes={"a/b": "x", "tail ": "x", "n" * 300: "x", "pair": np.complex64(1 + 1j),
                                                "_FillValue": "x", "good": "x"})
        self.export("a", "out.nc", warns=[f"a: attribute '{name}' is left out" for name in ("a/b", "tail ", "_FillValue")] +
                    [f"a: attribute '{'n' * 300}' has a name of more than 256 bytes; the file has the first ones"])
        self.assertEqual(self.run_drx("export", "a", "out.nc").stderr.count(b"\n"), 4)
        self.assert_info("back", attrs={"n" * 256: "x", "pair": [1, 1], "good": "x"})
        self.export("a", "out.h5")
        self.assert_info("back", attrs=self.info("a")["attrs"])
        with nc_file.NcFile("in.nc", 0) as nc:  # classic files may have such names
            nc.array("u", np.zeros(2), "x", NAME=b"x", _Netcdf4Dimid=np.int32(3), _FillValue=np.float64(9))
        self.drx("import", "in.nc:u", "a", "--force")
        for target in ("out.nc", "out.h5"):
            self.export("a", target, warns=["a: attribute NAME is left out, because such files keep their own records"])
            self.assertEqual(self.run_drx("export", "a", target).stderr.count(b"\n"), 1)  # of _Netcdf4Dimid: no loss
            self.assert_info("back", attrs={})

    def test_memory(self):
        array = np.arange(LARGE << 17, dtype="f8").reshape(LARGE, 512, 256)  # LARGE MiB
        np.save("in.npy", array)
        for chunk in some(1, ("1,512,256", f"{LARGE},20,20")):
            self.drx("import", "in.npy", "a", "--chunk", chunk, "--force")
            for target in some(2, ("out.npy", "out.nc", "out.h5")):
                self.in_little_memory("export", "a", target)
                self.in_little_memory("export", "a[::-1,:,10:200]", target)
                found = self.stored(target, "a", "f8", (LARGE, 512, 190))
                self.assertTrue(np.array_equal(found, array[::-1, :, 10:200]), (chunk, target))
        self.in_little_memory("export", "a", "out.h5")
        self.drx("import", "out.h5:a", "back")
        self.assert_large("back", array)


class Contents(ExportTest):
    """What other programs find in the files."""

    def test_hdf5(self):
        array = sample((40, 300, 60), "c8")
        self.make("u", array, "t,,x", "--chunk", "16,100,60")
        self.drx("export", "u", "out.h5:/wind é/level 1/u:v", "--deflate", 9)
        with H5File("out.h5", new=False) as file, file.open("wind é/level 1/u:v") as u:
            self.assert_same(u.read("c8"), array)
            self.assertTrue(u.has_type("<c8"))
            self.assertEqual(u.chunk(), (16, 100, 60))
            self.assertEqual([u.dim_label(k) for k in range(3)], ["t", "", "x"])
            self.assertEqual(u.scales(0), 0)
        self.drx("export", "u", "out.nc4:q", "--format", "hdf5")
        with H5File("out.nc4", new=False) as file, file.open("q") as u:
            self.assertEqual(u.stored_bytes(), 48 * 300 * 60 * 8)

    def test_chunks(self):
        for shape, chunk, selection, expected in (
                ((10, 20), "4,8", "", (10, 20)), ((1000, 2000), "300,400", "", (300, 400)),
                ((1000, 2000), "2,3", "", (5, 2000)), ((1000, 2000), "300,400", "[::3,100:200]", (100, 100)),
                ((1000, 2000), "300,400", "[7,:]", (2000,))):
            self.drx("create", "a", "--shape", shape, "--chunk", chunk, "--force")
            for target in ("out.h5", "out.nc"):
                self.drx("export", "a" + selection, target)
                with H5File(target, new=False) as file, file.open("a") as a:
                    got = a.chunk()
                if chunk == "2,3":
                    self.assertTrue(60000 < np.prod(got) * 8 < 200000 and got[1] == 2000, got)
                elif selection == "[7,:]":
                    self.assertLessEqual(got[0], 2000)
                else:
                    self.assertEqual(got, expected)

    def test_deflate(self):
        self.make("a", np.zeros((1000, 1000)))
        for target in ("out.nc", "out.h5"):
            self.drx("export", "a", target)
            large = os.path.getsize(target)
            self.assert_same(self.export("a", target, "--deflate", 1), np.zeros((1000, 1000)))
            self.assertLess(os.path.getsize(target), large / 10)

    def test_coordinates(self):
        os.mkdir("ort é")
        array, lat, time_ = sample((3, 4, 4), "f4"), np.array([1.0, 2, 4, 8]), np.array([10, 20, 30], "i4")
        self.make("ort é/u", array, "time,lat,lat")
        self.make("ort é/lat", lat, "lat", attributes={"units": "degrees_north"})
        self.make("ort é/time", time_, "time", "--fill", "-1")
        for target in ("out.nc", "out.h5"):
            self.drx("export", "ort é/u", target + ":g/u")
            os.mkdir("back")
            self.drx("import", target + ":g/u", "back/u", "--coords")
            self.assertEqual(names("back"), ["lat.xmd", "lat.xta", "time.xmd", "time.xta", "u.xmd", "u.xta"])
            self.assertEqual(self.info("back/u")["dims"], ["time", "lat", "lat"])
            for name, expected in (("u", array), ("lat", lat), ("time", time_)):
                self.assert_same(self.whole("back/" + name), expected)
                for key in ("attrs", "fill", "dims"):
                    self.assertEqual(self.info("back/" + name)[key], self.info("ort é/" + name)[key])
            with H5File(target, new=False) as file, file.open("g/u") as u:
                self.assertEqual([u.scales(k) for k in range(3)], [1, 1, 1])
            subprocess.run(["rm", "-r", "back"], check=True)
            self.drx("export", "ort é/u[::-1,1,2:]", target)
            os.mkdir("back")
            self.drx("import", target + ":u", "back/u", "--coords")
            self.assert_same(self.whole("back/lat"), lat[2:])
            self.assert_same(self.whole("back/time"), time_[::-1])
            self.assert_same(self.whole("back/u"), array[::-1, 1, 2:])
            subprocess.run(["rm", "-r", "back"], check=True)
            self.assert_same(self.export("ort é/u", target, "--no-coords"), array)
        self.assert_same(nc_file.read("out.nc", "u", array.shape, "f4"), array)

    def test_two_axes_with_the_same_coordinates(self):
        self.make("u", np.arange(16.0).reshape(4, 4), "x,x")
        self.make("x", np.arange(4.0), "x")
        self.drx("export", "u[:2,1:3]", "out.nc", warns=True)
        os.mkdir("back")
        self.drx("import", "out.nc:u", "back/u", "--coords")
        self.assertEqual(self.info("back/u")["dims"], ["x", "x_2"])
        self.assert_same(self.whole("back/x"), np.arange(2.0))
        self.assert_same(self.whole("back/x_2"), np.arange(1.0, 3))
        self.drx("export", "u[:2,1:3]", "out.h5", warns="coordinates 'x' would have the name of those of another axis")
        with H5File("out.h5", new=False) as file, file.open("u") as u:
            self.assertEqual([u.scales(k) for k in range(2)], [1, 0])
        self.drx("export", "u", "out.h5")
        with H5File("out.h5", new=False) as file, file.open("u") as u:
            self.assertEqual([u.scales(k) for k in range(2)], [1, 1])

    def test_nothing_of_large_chunks(self):
        self.drx("create", "none", "--shape", "0,100000,100000", "--chunk", "1,100000,100000")
        for target in ("out.nc", "out.h5"):
            self.drx("export", "none", target)
            self.drx("copy", target, "back", "--force")
            self.assertEqual(self.info("back")["shape"], [0, 100000, 100000])


class Errors(ExportTest):

    def test_no_space(self):
        np.save("in.npy", np.random.default_rng(1).integers(0, 255, (20, 1 << 20), dtype="u1"))
        self.drx("import", "in.npy", "a", "--chunk", "1,1048576")
        before = names()
        for size in (1, 5000, 100000, 12 << 20):
            for words in (["out.npy"], ["out.nc"], ["out.h5"], ["out.nc", "--deflate", "1"],
                          ["out.h5", "--deflate", "1"]):
                result = self.run_drx("export", "a", *words,
                                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
                self.assertEqual(result.returncode, 1, (size, words, result.stderr))
                self.assertIn(words[0] + ": cannot write: File too large", result.stderr.decode())
                self.assertEqual(result.stderr.count(b"\n"), 1)
                self.assertEqual(names(), before)
        self.fails(1, "export", "a", "/dev/full", "--format", "npy", says=["/dev/full: cannot write: No space left"])

    def test_interrupted(self):
        self.drx("create", "a", "--shape", "4000,1048576", "--type", "int8", "--chunk", "1,1048576")
        signals, targets = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP), ("out.npy", "out.nc", "out.h5")
        for number, target in some(4, itertools.product(signals, targets)):
            write_file(target, b"old")
            self.interrupted(number, "export", "a", target, *(["--deflate", 9] if target != "out.npy" else []))
            self.assertEqual(names(), ["a.xmd", "a.xta", target])
            self.assertEqual(os.path.getsize(target), 3)
            os.remove(target)

    def test_closed_pipe(self):
        self.make("a", np.zeros((1000, 1000)))
        self.cannot_write("export", "a", "-", "--format", "npy")
