"""drx view: pictures and drawings of slices."""

import contextlib
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import time
import unittest

import numpy as np

import nc_file
from drx_cli import DRX, SANITIZED, SEED, TYPES, CliTest, names, read_file, write_file
from png_file import bar_height, bar_ticks, decode, inside_frame, is_line, lab_of_linear, oklab

MISSING = (0xb3, 0xb3, 0xb3)
SMALL = ("--size", "320x240")


class ViewTest(CliTest):
    def pixels(self, *words, size=SMALL):
        self.drx("view", *words, "-o", "picture é.png", *size)
        return decode(read_file("picture é.png"))

    def plot(self, *words, size=SMALL):
        return inside_frame(self.pixels(*words, size=size))[0]

    def cells(self, *words, shape, size=SMALL):
        """The colours of the cells, each of one colour inside."""
        plot = self.plot(*words, size=size)
        out = np.zeros((*shape, 3), int)
        for cell in np.ndindex(shape):
            block = plot[tuple(slice(i * n // m + 2, (i + 1) * n // m - 2) for i, n, m in zip(cell, plot.shape, shape))]
            out[cell] = block[0, 0]
            self.assertTrue((block == out[cell]).all(), (words, cell))
        return out

    def text(self, *words, **environment):
        """A drawing on a standard output that is not a terminal."""
        usual = {"LC_ALL": "C.UTF-8", "COLUMNS": "40", "LINES": "14"}
        return self.drx("view", *words, "--terminal", env={**os.environ, **usual, **environment})

    def nc(self, variables):
        """Arrays from a netCDF file: name -> (array, dims, attributes)."""
        with nc_file.NcFile("v.nc") as root:
            for name, (array, dims, attributes) in variables.items():
                root.array(name, np.asarray(array), dims, **attributes)
        for name in variables:
            self.drx("import", "v.nc:" + name, name, "--force", "--no-coords")


class Colours(ViewTest):
    def ramp(self, map_name):
        self.put("ramp", np.arange(-128, 129).reshape(1, 257).astype("int16"))
        plot = self.plot("ramp", "--colors", map_name, size=("--size", "1000x200"))
        width = plot.shape[1]
        return plot[5, [(2 * i + 1) * width // 514 for i in range(257)]]

    def test_even_steps(self):
        for name in ("sequential", "diverging", "grey"):
            lab = oklab(self.ramp(name))
            steps = np.linalg.norm(np.diff(lab[::8], axis=0), axis=1)
            self.assertGreater(steps.min(), 0.85 * steps.mean(), (name, steps))
            self.assertLess(steps.max(), 1.15 * steps.mean(), (name, steps))
            light = np.diff(lab[::4, 0])
            if name == "diverging":
                self.assertTrue((light[:32] > 0).all() and (light[32:] < 0).all(), light)
                np.testing.assert_allclose(lab[::8, 0], lab[::-8, 0], atol=0.02)
                self.assertGreater(lab[128, 0], 0.95)
            else:
                self.assertTrue((light > 0).all(), light)
                self.assertGreater(lab[-1, 0] - lab[0, 0], 0.7)

    def test_colour_blind(self):
        """Distances stay, seen without red or green cones (Machado, Oliveira and Fernandes 2009)."""
        lacking = ([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
                   [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]])
        for name in ("sequential", "diverging"):
            rgb = self.ramp(name) / 255
            linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
            usual = np.linalg.norm(np.diff(lab_of_linear(linear)[::16], axis=0), axis=1)
            for matrix in lacking:
                seen = lab_of_linear(np.clip(linear @ np.array(matrix).T, 0, 1))[::16]
                steps = np.linalg.norm(np.diff(seen, axis=0), axis=1)
                self.assertGreater((steps / usual).min(), 0.6, name)
                far = np.linalg.norm(seen[:, None] - seen[None], axis=2) + np.eye(len(seen))
                self.assertGreater(far.min(), 0.02, name)

    def test_cyclic(self):
        """Both ends have one colour; steps are even, and stay so without red or green cones; lightness goes round."""
        ramp = self.ramp("cyclic")
        lab = oklab(ramp)
        self.assertEqual(tuple(ramp[0]), tuple(ramp[-1]))
        self.assertLess(np.linalg.norm(lab[1] - lab[-2]), 0.05)
        steps = np.linalg.norm(np.diff(lab[::8], axis=0), axis=1)
        self.assertTrue(steps.min() > 0.85 * steps.mean() and steps.max() < 1.15 * steps.mean(), steps)
        self.assertTrue((np.diff(lab[:129:16, 0]) < 0).all() and (np.diff(lab[128::16, 0]) > 0).all())
        opposite = np.linalg.norm(lab[:128:8, ::2] - lab[128:256:8, ::2], axis=1)  # lightness, blue to yellow
        self.assertGreater(opposite.min(), 0.15)

    def test_missing_is_no_colour_of_the_map(self):
        for name, colour in (("sequential", MISSING), ("diverging", MISSING), ("cyclic", MISSING),
                             ("grey", (0xd2, 0xb4, 0x8c))):
            far = np.linalg.norm(oklab(self.ramp(name)) - oklab(colour), axis=1)
            self.assertGreater(far.min(), 0.06, name)

    def test_choice_of_map(self):
        """Diverging when the numbers lie on both sides of zero, which then is white."""
        self.put("a", np.array([[-5.0, 0, 5], [10, -10, 2]]))
        cells = self.cells("a", shape=(2, 3))
        self.assertGreater(oklab(cells[0, 1])[0], 0.95)
        self.assertGreater(cells[0, 0][2], cells[0, 0][0])  # blue below zero
        self.assertGreater(cells[0, 2][0], cells[0, 2][2])  # red above it
        np.testing.assert_array_equal(cells, self.cells("a", "--colors", "diverging", shape=(2, 3)))
        self.assertGreater(np.abs(cells - self.cells("a", "--colors", "sequential", shape=(2, 3))).max(), 50)
        self.put("b", np.array([[-1.0, 0, 5], [10, 8, 2]]))
        np.testing.assert_array_equal(self.cells("b", shape=(2, 3)),
                                      self.cells("b", "--colors", "sequential", shape=(2, 3)))
        grey = self.cells("b", "--colors", "grey", shape=(2, 3))
        self.assertLessEqual(np.ptp(grey, axis=2).max(), 1)

    def test_ranges(self):
        array = np.arange(12.0).reshape(3, 4)
        self.put("a", array)
        whole = self.cells("a", shape=(3, 4))
        np.testing.assert_array_equal(whole, self.cells("a", "--range", "0,11", shape=(3, 4)))
        part = self.cells("a", "--range", "2,5", shape=(3, 4)).reshape(12, 3)
        np.testing.assert_array_equal(part[:3], [whole[0, 0]] * 3)
        np.testing.assert_array_equal(part[5:], [whole[2, 3]] * 7)
        self.assertEqual(len(np.unique(part, axis=0)), 4)
        zero_inside = self.cells("a", "--range", "-100,5", "--colors", "diverging", shape=(3, 4)).reshape(12, 3)
        self.assertGreater(oklab(zero_inside[0])[0], 0.95)

    def test_extensions_of_the_bar(self):
        self.put("a", np.arange(12.0).reshape(3, 4))
        heights = [bar_height(self.pixels("a", "--range", r)) for r in ("0,11", "1,11", "0,10", "1,10")]
        self.assertGreater(heights[0], heights[1])
        self.assertEqual(heights[1], heights[2])
        self.assertGreater(heights[2], heights[3])

    @unittest.skipUnless(nc_file.LIBRARY, "no netCDF library")
    def test_directions(self):
        """Degrees from or to somewhere have the cyclic map, of a full circle, and their mean is one of vectors."""
        values, dims = np.array([[0.0, 90, 180], [270, 360, 45]]), ("y", "x")
        self.nc({"of": (values, dims, {"units": "degrees", "standard_name": "wind_from_direction"}),
                 "to": (np.where(values > 180, values - 360, values), dims,
                        {"units": "degree", "standard_name": "sea_surface_wave_to_direction"}),
                 "other": (values, dims, {"units": "degrees"}), "speed": (values, dims, {
                     "units": "m s-1", "standard_name": "wind_from_direction"})})
        cells = self.cells("of", shape=(2, 3))
        self.assertEqual(tuple(cells[0, 0]), tuple(cells[1, 1]))  # 0 and 360
        np.testing.assert_array_equal(cells, self.cells("other", "--colors", "cyclic", "--range", "0,360", shape=(2, 3)))
        np.testing.assert_allclose(bar_ticks(self.pixels("of", size=())), [0, 0.25, 0.5, 0.75, 1], atol=0.01)
        turned = self.cells("to", shape=(2, 3))  # -180 to 180
        self.assertEqual(tuple(turned[0, 0]), tuple(cells[0, 2]))
        for name in "other", "speed":
            np.testing.assert_array_equal(self.cells(name, shape=(2, 3)),
                                          self.cells(name, "--colors", "sequential", shape=(2, 3)))
        north = np.where(np.indices((1000, 1000)).sum(axis=0) % 2, 350.0, 10)
        self.nc({"north": (north, dims, {"units": "degrees", "standard_name": "wind_to_direction"})})
        shown = np.unique(self.plot("north").reshape(-1, 3), axis=0)
        self.assertLess(np.linalg.norm(oklab(shown) - oklab(cells[0, 0]), axis=1).max(), 0.02)

    @unittest.skipUnless(nc_file.LIBRARY, "no netCDF library")
    def test_numbers_at_the_bar(self):
        """They are three or more, and none is cut off at the edge of the page."""
        self.nc({"a": (np.linspace(0, 1, 12).reshape(3, 4), ("y", "x"), {"units": "kg m-2 s-1"}),
                 "b": (np.linspace(0, 1, 12).reshape(3, 4), ("y", "x"), {})})
        ranges = ("0,1", "0.3,0.95", "-7.3,-1.1", "1000000.125,1000000.375", "-1.23456e-20,1.23457e-20", "0.1,0.7",
                  "-1.23456789e-100,-1.23456788e-100", "99999.5,100000.5", "123456.7,123456.8")
        for name in "ab":
            for size in (), ("--size", "320x240"), ("--size", "200x150"), ("--size", "200x700"):
                for ends in ranges:
                    pixels = self.pixels(name, f"--range={ends}", size=size)
                    self.assertTrue((pixels[:, -3:] == 255).all(), (name, size, ends))
                    self.assertGreaterEqual(len(bar_ticks(pixels)), 3, (name, size, ends))

    def test_whole_numbers_have_whole_ticks(self):
        large = ("--size", "1000x700")
        self.put("a", np.array([[0, 1], [2, 3]], "int16"))
        np.testing.assert_allclose(bar_ticks(self.pixels("a", size=large)), [0, 1 / 3, 2 / 3, 1], atol=0.01)
        self.put("a", np.array([[0, 1], [1, 0]], "uint8"))
        np.testing.assert_allclose(bar_ticks(self.pixels("a", size=large)), [0, 1], atol=0.01)
        self.put("a", np.array([[0, 1], [2, 3]], "float32"))
        self.assertGreater(len(bar_ticks(self.pixels("a", size=large))), 4)

    @unittest.skipUnless(nc_file.LIBRARY, "no netCDF library")
    def test_a_constant_says_so(self):
        some = np.full((3, 4), 7, "int32")
        some[1, 2] = -9
        self.nc({"a": (np.full((3, 4), 7.25), ("y", "x"), {"units": "K"}), "b": (some, ("y", "x"), {
                     "_FillValue": np.int32(-9)}), "c": (np.arange(12.0).reshape(3, 4), ("y", "x"), {})})
        self.assertTrue(self.text("a").endswith("\nall elements are 7.25 K\n"))
        self.assertTrue(self.text("a[1]").endswith("\nall elements are 7.25 K\n"))
        self.assertTrue(self.text("b").endswith("\nall that are not missing are 7\n"))
        self.assertNotIn("all", self.text("c"))
        note = np.s_[-30:, :300]
        self.assertTrue((self.pixels("a", size=())[note] < 128).any() and (self.pixels("c", size=())[note] == 255).all())

    def test_robust_range(self):
        random = np.random.default_rng(1)
        array = random.uniform(5, 6, (40, 40))
        self.put("a", array)
        usual = self.plot("a")
        array[3, 4] = 1e30
        array[5, 6] = -np.inf
        self.put("a", array)
        cells = self.plot("a")
        self.assertGreater(len(np.unique(cells.reshape(-1, 3), axis=0)), 200)
        self.assertLess(np.abs(oklab(cells) - oklab(usual)).mean(), 0.03)


class Images(ViewTest):
    def rising(self, cells):
        """Does the lightness grow in the order of reading?"""
        light = oklab(cells)[..., 0].ravel()
        return bool((np.diff(light) > 0).all())

    def test_rows_come_as_in_a_table(self):
        self.put("a", np.arange(12).reshape(3, 4))
        self.assertTrue(self.rising(self.cells("a", shape=(3, 4))))
        self.assertTrue(self.rising(self.cells("a[::-1,::-1]", shape=(3, 4))[::-1, ::-1]))
        self.assertTrue(self.rising(self.cells("a[1:,:2]", shape=(2, 2))))
        np.testing.assert_array_equal(self.pixels("a[1:,:2]"), self.pixels("a", "--slice", "1:,:2"))

    @unittest.skipUnless(nc_file.LIBRARY, "no netCDF library")
    def test_coordinates_give_the_direction(self):
        array = np.arange(12.0).reshape(3, 4)
        lat, lon = np.array([-10.0, 0, 10]), np.array([0.0, 10, 20, 30])
        north, east = {"units": "degrees_north"}, {"units": "degrees_east"}

        down, as_stored, upside_down = {"units": "m", "positive": "down"}, np.s_[:], np.s_[::-1]
        for lat_values, lon_values, attributes, selection, rising in (
                (lat, lon, north, "", upside_down), (lat[::-1], lon, north, "", as_stored),
                (lat, lon[::-1], north, "", np.s_[::-1, ::-1]), (lat, lon, down, "", as_stored),
                (lat[::-1], lon, down, "", upside_down), (lat, lon, north, "[::-1,:]", upside_down),
                (lat, lon, {"units": "m", "standard_name": "depth"}, "", as_stored),
                (lat, lon, {"units": "m", "standard_name": "depth", "positive": "up"}, "", upside_down),
                (lat, lon, {"units": "m", "standard_name": "height"}, "", upside_down),
                (lat, lon, {"units": "hPa"}, "", as_stored), (lat[::-1], lon, {"units": "millibars"}, "", upside_down),
                ([1.0, 2.005, 3], lon, {}, "", upside_down),  # uneven
                ([1.0, 5, 2], lon, {}, "", as_stored), ([1.0, np.nan, 2], lon, {}, "", as_stored)):  # in no order
            with self.subTest(lat=lat_values, lon=lon_values, attributes=attributes, selection=selection):
                self.nc({"a": (array, ("lat", "lon"), {}), "lat": (lat_values, ("lat",), attributes),
                         "lon": (lon_values, ("lon",), east)})
                self.assertTrue(self.rising(self.cells("a" + selection, shape=(3, 4))[rising]))
        self.drx("create", "lat", "--shape", 4, "--force")  # fits no more
        self.assertTrue(self.rising(self.cells("a", shape=(3, 4))))

    @unittest.skipUnless(nc_file.LIBRARY, "no netCDF library")
    def test_uneven_coordinates(self):
        """Rows and columns lie where their coordinates are, and end half-way to the next ones."""
        array = np.arange(12.0).reshape(3, 4)
        lat, lon = np.array([0.0, 10, 40]), np.array([0.0, 1, 3, 9])
        for up, right in (True, True), (True, False), (False, True):
            self.nc({"a": (array, ("z", "x"), {}), "z": (lat if up else lat[::-1], ("z",), {"units": "m"}),
                     "x": (lon if right else lon[::-1], ("x",), {})})
            plot = self.plot("a", size=("--size", "700x500"))
            whole = plot[::-1] if up else plot
            whole = whole if right else whole[:, ::-1]
            edges = [np.array([-5, 5, 25, 55]) if up else np.array([55, 25, 5, -5]),
                     np.array([-0.5, 0.5, 2, 6, 12]) if right else np.array([12, 6, 2, 0.5, -0.5])]
            edges = [abs(e - e[0]) / abs(e[-1] - e[0]) * n for e, n in zip(edges, plot.shape)]
            light = set()
            for i, j in np.ndindex(3, 4):
                cell = whole[int(edges[0][i]) + 2:int(edges[0][i + 1]) - 1, int(edges[1][j]) + 2:int(edges[1][j + 1]) - 1]
                self.assertEqual(len(np.unique(cell.reshape(-1, 3), axis=0)), 1, (up, right, i, j))
                light.add(tuple(cell[0, 0]))
            self.assertEqual(len(light), 12)
        many = np.concatenate((np.arange(5000.0), 5000 + 100 * np.arange(50)))  # 5000 thin rows, then 50 thick ones
        self.nc({"a": ((np.arange(5050) >= 5000)[:, None] * np.ones((1, 3)), ("z", "x"), {}), "z": (many, ("z",), {})})
        light = oklab(self.plot("a")[::-1, 3])[:, 0]
        self.assertAlmostEqual((light > light.mean()).mean(), 0.495, delta=0.02)

    @unittest.skipUnless(nc_file.LIBRARY, "no netCDF library")
    def test_degrees_have_one_scale(self):
        self.nc({"a": (np.zeros((20, 30)), ("lat", "lon"), {}),
                 "lat": (np.linspace(-47.5, 47.5, 20), ("lat",), {"units": "degrees_north"}),
                 "lon": (np.arange(30) * 2.0, ("lon",), {"units": "degrees_east"})})
        height, width = self.plot("a", size=("--size", "1000x700")).shape[:2]
        self.assertAlmostEqual(width / height, 60 / 100, delta=0.05)

    def test_missing(self):
        array = np.arange(12, dtype="float64").reshape(3, 4)
        self.put("a", array)
        usual = self.cells("a", shape=(3, 4))
        for dtype, missing, options in (("float64", np.nan, []), ("int16", -999, ["--fill", "-999"])):
            array[1, 2] = missing
            self.put("a", array.astype(dtype), *options)
            cells = self.cells("a", shape=(3, 4))
            self.assertEqual(tuple(cells[1, 2]), MISSING, dtype)
            cells[1, 2] = usual[1, 2]
            np.testing.assert_array_equal(cells, usual, dtype)

    @unittest.skipUnless(nc_file.LIBRARY, "no netCDF library")
    def test_attributes(self):
        array = np.arange(12, dtype="int16").reshape(3, 4)
        packed = {"scale_factor": np.float64(0.5), "add_offset": np.float64(100.0), "_FillValue": np.int16(-1),
                  "missing_value": np.array([3, 5], "int16")}
        self.nc({"packed": (array, ("y", "x"), packed)})
        unpacked = array * 0.5 + 100
        unpacked[0, 3] = unpacked[1, 1] = np.nan
        self.put("real", unpacked)
        np.testing.assert_array_equal(self.plot("packed", "--range", "100,106"),
                                      self.plot("real", "--range", "100,106"))
        self.nc({"single": (array.astype("float32") * np.float32(0.1), ("y", "x"), {"missing_value": 0.7})})
        self.assertEqual(tuple(self.cells("single", shape=(3, 4))[1, 3]), MISSING)

    def test_types(self):
        array = np.arange(12).reshape(3, 4) * 9
        pictures = []
        for dtype in TYPES:
            self.put("a", array.astype(dtype))
            pictures.append(self.plot("a"))
            np.testing.assert_array_equal(pictures[-1], pictures[0], dtype)
        self.put("a", (array.astype("uint64") << np.uint64(57)) + np.uint64(1))
        np.testing.assert_array_equal(self.plot("a"), pictures[0])

    def test_complex(self):
        random = np.random.default_rng(2)
        array = random.normal(size=(6, 5)) + 1j * random.normal(size=(6, 5))
        self.put("z", array)
        np.testing.assert_array_equal(self.plot("z"), self.plot("z", "--part", "abs"))
        for part, numbers in (("abs", np.abs(array)), ("re", array.real), ("im", array.imag)):
            self.put("a", numbers)
            np.testing.assert_array_equal(self.plot("z", "--part", part), self.plot("a"), part)
        self.put("a", np.angle(array))
        np.testing.assert_array_equal(self.plot("z", "--part", "arg"),
                                      self.plot("a", "--range", f"{-np.pi!r},{np.pi!r}", "--colors", "cyclic"))

    def test_odd_arrays(self):
        for shape in ((1, 1), (1, 30), (30, 1), (2, 3000)):
            self.put("a", np.arange(np.prod(shape), dtype="float32").reshape(shape))
            self.assertGreater(self.plot("a").size, 0)
        for value in (0, 7.5, -3, 1e-300, -1.7e308, np.inf, -np.inf):
            self.put("a", np.full((3, 4), value))
            plot = self.plot("a").reshape(-1, 3)
            self.assertEqual(len(np.unique(plot, axis=0)), 1)
            self.assertNotEqual(tuple(plot[0]), MISSING)
        self.put("a", np.full((3, 4), np.nan))
        self.assertEqual(tuple(np.unique(self.plot("a").reshape(-1, 3), axis=0)[0]), MISSING)
        self.put("a", np.array([[-1.7e308, 0, 1.7e308]]))
        light = oklab(self.cells("a", shape=(1, 3)))[0]
        self.assertGreater(light[1][0], 0.95)
        self.assertLess(light[2][2], light[0][2] + 1)
        self.put("a", np.array([[-np.inf, 1, 2, np.inf]]))
        cells = self.cells("a", shape=(1, 4))[0]
        np.testing.assert_array_equal(cells[0], cells[1])
        np.testing.assert_array_equal(cells[2], cells[3])

    def test_dimensions(self):
        for shape in ((5,), (4, 5), (3, 4, 5), (2, 3, 4, 5), (2, 2, 3, 4, 5)):
            array = np.arange(np.prod(shape), dtype="int32").reshape(shape)
            name = "Länge mit Raum [%d]" % len(shape)
            dims = ",".join(f"Höhe {j}" for j in range(len(shape)))
            self.put(name, array, "--dims", dims)
            self.put("flat", array[(1,) * (len(shape) - 2)])
            if len(shape) > 1:
                np.testing.assert_array_equal(self.plot(f"{name}[{'1,' * (len(shape) - 2)}:,:]"), self.plot("flat"))
            self.assertGreater(self.plot(f"{name}[{'0,' * (len(shape) - 1)}...]").size, 0)

    def test_smallest_numbers(self):
        self.put("a", np.full((3, 4), 5e-324))
        self.assertGreater(self.plot("a").size, 0)
        self.assertGreater(self.plot("a", "--range", "0,5e-324").size, 0)

    def test_sizes(self):
        self.put("a", np.arange(12.0).reshape(3, 4))
        for width, height in ((200, 150), (333, 777), (1500, 400)):
            self.assertEqual(self.pixels("a", size=("--size", f"{width}x{height}")).shape, (height, width, 3))
        self.drx("view", "a", "-o", "usual.png")
        height, width, _ = decode(read_file("usual.png")).shape
        self.assertTrue(400 < width <= 1000 and 300 < height <= 700, (width, height))


class DownSampling(ViewTest):
    def test_means(self):
        """The picture of a large array is that of the means of the rows and columns that share a pixel."""
        array = np.add.outer(np.arange(1260) ** 2, np.arange(1680) * 300) % 100003
        self.put("large", array.astype("int32"))
        large = self.plot("large", "--range", "0,100000")
        height, width = large.shape[:2]
        self.assertAlmostEqual(width / height, 1680 / 1260, 1)
        self.assertGreater(1260 // height, 3)
        rows, columns = (np.searchsorted((np.arange(n) + 0.5) * pixels / n, np.arange(pixels)) for n, pixels in (
            (1260, height), (1680, width)))
        sums = np.add.reduceat(np.add.reduceat(array, rows, axis=0), columns, axis=1)
        some = np.s_[::7, ::7]
        shown = sums / np.outer(np.diff(rows, append=1260), np.diff(columns, append=1680))
        order = np.argsort(shown[some].ravel())
        light = oklab(large[some].reshape(-1, 3)[order])[:, 0]
        self.assertGreater(np.diff(light).min(), -0.01)
        self.assertGreater(np.ptp(light), 0.2)

    def test_no_row_is_dropped(self):
        """A chequered array is even from afar; so is one with a missing element in each pixel."""
        board = np.indices((1300, 1500)).sum(axis=0) % 2 * 1.0
        self.put("a", board)
        self.put("half", [[0.5]])
        half = oklab(self.cells("half", "--range", "0,1", shape=(1, 1)))[0, 0]
        plot = self.plot("a", "--range", "0,1").reshape(-1, 3)
        self.assertLess(np.linalg.norm(oklab(plot) - half, axis=1).max(), 0.05)
        board[::2, ::2] = np.nan
        board[1::2, 1::2] = 0.5
        board[board == 1] = 0.5
        self.put("a", board)
        np.testing.assert_array_equal(np.unique(self.plot("a", "--range", "0,1").reshape(-1, 3), axis=0),
                                      np.unique(self.plot("half", "--range", "0,1").reshape(-1, 3), axis=0))

    @unittest.skipUnless(nc_file.LIBRARY, "no netCDF library")
    def test_pixels_of_random_axes(self):
        """A pixel has the mean of the cells whose middles lie in it, or else that of the cell that covers it, and of the
        cells that share a pixel with that."""
        def cells_of(values, pixels):
            edges = np.concatenate(([1.5 * values[0] - values[1] / 2], (values[1:] + values[:-1]) / 2,
                                    [1.5 * values[-1] - values[-2] / 2]))
            place = (values - edges[0]) / (edges[-1] - edges[0]) * pixels
            middles = edges[0] + (np.arange(pixels) + 0.5) / pixels * (edges[-1] - edges[0])
            rising = edges[-1] > edges[0]
            covering = np.searchsorted(edges[1:-1] * (1 if rising else -1), middles * (1 if rising else -1), "right")
            owner = np.minimum(place.astype(int), pixels - 1)
            return [np.flatnonzero(owner == p) if (owner == p).any() else np.flatnonzero(owner == owner[covering[p]])
                    for p in range(pixels)]

        random = np.random.default_rng(SEED)
        for _ in range(6):
            shape = [int(2 ** random.uniform(1, 9.5)) for _ in range(2)]
            rows, columns = (np.cumsum(random.exponential(size=n) ** random.choice([0.1, 1, 3]) + 1e-3)
                             * random.choice([1, -1]) for n in shape)
            array = random.uniform(size=shape)
            array[random.uniform(size=shape) < 0.2] = np.nan
            self.nc({"a": (array, ("y", "x"), {}), "y": (rows, ("y",), {}), "x": (columns, ("x",), {})})
            plot = self.plot("a", "--range", "0,1", "--colors", "grey")
            plot = plot[::-1] if rows[0] < rows[-1] else plot
            plot = plot if columns[0] < columns[-1] else plot[:, ::-1]
            down, across = cells_of(rows, plot.shape[0]), cells_of(columns, plot.shape[1])
            there = np.array([np.add.reduce(~np.isnan(array[i]), axis=0) for i in down])
            sums = np.array([np.nansum(array[i], axis=0) for i in down])
            there, sums = (np.array([part[:, j].sum(axis=1) for j in across]).T for part in (there, sums))
            missing = (plot == (0xd2, 0xb4, 0x8c)).all(axis=2)
            self.assertLess((missing != (there == 0)).mean(), 0.01, (SEED, shape))
            seen = (oklab(plot)[..., 0] - 0.15) / 0.83
            wrong = np.abs(seen - sums / np.maximum(there, 1)) > 0.02
            self.assertLess((wrong & ~missing).mean(), 0.01, (SEED, shape))

    @unittest.skipUnless(nc_file.LIBRARY, "no netCDF library")
    def test_categories_have_no_mean(self):
        board = (np.indices((900, 900)).sum(axis=0) % 2 * 2).astype("int8")
        self.nc({"a": (board, ("y", "x"), {"flag_values": np.array([0, 2], "int8")})})
        self.assertLessEqual(len(np.unique(self.plot("a", "--range", "0,2").reshape(-1, 3), axis=0)), 2)
        self.assertIn("every ", self.text("a"))

    def test_each_pixel_shows_another_row(self):
        for rows in (997, 1000, 1311):
            self.put("a", np.arange(rows * 5).reshape(rows, 5) // 5)
            plot = self.plot("a").astype(int)
            self.assertTrue((np.abs(np.diff(plot[:, 3], axis=0)).max(axis=1) > 0).all(), rows)

    def test_reads_little(self):
        self.drx("create", "a", "--shape", "40000,40000", "--chunk", "4,40000", "--type", "int8")
        child = subprocess.Popen([DRX, "view", "a", "-o", "a.png", *SMALL])
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        try:
            count = int(re.search(rb"rchar: (\d+)", read_file(f"/proc/{child.pid}/io")).group(1))
        except OSError:
            self.skipTest("no /proc/PID/io")
        finally:
            self.assertEqual(child.wait(), 0)
        self.assertLess(count, 40000 * 40000 / 10)

    def test_huge(self):
        self.drx("create", "a", "--shape", "100000,100000", "--chunk", "1000,1000", "--type", "float32")
        before = time.monotonic()
        child = subprocess.Popen([DRX, "view", "a", "-o", "a.png"])
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status
        self.assertEqual(status, 0)
        if not SANITIZED:
            self.assertLess(usage.ru_maxrss, 300 << 10)
            self.assertLess(time.monotonic() - before, 60)

    def test_long_line(self):
        """A line of very many elements: what is rare is still seen."""
        array = np.zeros(300000, "float32")
        array[123456] = 5
        self.put("a", array)
        blue = is_line(self.plot("a"))
        self.assertTrue(blue[:, blue.shape[1] * 41 // 100 - 3:blue.shape[1] * 41 // 100 + 4].sum(axis=0).max() >
                        blue.shape[0] // 2)
        self.drx("create", "b", "--shape", "40000000000", "--chunk", "1000000", "--type", "int8")
        self.assertIn("every 76294th element, lowest to highest of ", self.text("b"))

    def test_notes(self):
        self.put("a", np.arange(2200).reshape(100, 22))
        self.assertRegex(self.text("a"), r"\nmeans of up to \d+ rows\n$")
        self.put("a", np.arange(300).reshape(3, 100))
        self.assertRegex(self.text("a"), r"\nmeans of up to \d columns\n$")
        self.put("a", np.arange(90000).reshape(300, 300))
        self.assertRegex(self.text("a"), r"\nmeans of up to \d+ rows by \d+ columns\n$")
        self.drx("create", "b", "--shape", "40000,40000", "--chunk", "4000,4000", "--type", "int8")
        self.assertRegex(self.text("b"), r"\nevery \d+(th|st|nd|rd) row, every \d+(th|st|nd|rd) column\n$")


class Lines(ViewTest):
    def test_gap_and_zero(self):
        array = np.linspace(-1, 1, 101)
        array[40:60] = np.nan
        self.put("a", array)
        plot = self.plot("a")
        drawn = is_line(plot).any(axis=0)
        for first, last, expected in ((4, 37, True), (42, 57, False), (63, 96, True)):  # hundredths of the width
            part = drawn[len(drawn) * first // 100:len(drawn) * last // 100]
            self.assertTrue((part == expected).all(), (first, last))
        zero, = np.flatnonzero((plot == 0x80).all(axis=2).mean(axis=1) > 0.5)
        self.assertAlmostEqual(zero, plot.shape[0] / 2, delta=2)
        self.put("a", array + 3)
        self.assertFalse(((self.plot("a") == 0x80).all(axis=2).mean(axis=1) > 0.5).any())

    def test_up_is_more(self):
        self.put("a", np.arange(200.0))
        blue = is_line(self.plot("a"))
        rows = [np.flatnonzero(column).mean() for column in blue.T if column.any()]
        self.assertLess(rows[-1], rows[0] - blue.shape[0] / 2)

    @unittest.skipUnless(nc_file.LIBRARY, "no netCDF library")
    def test_uneven_times(self):
        """Points have their places in time."""
        numbers = np.zeros(100)
        numbers[50] = 1
        self.nc({"a": (numbers, ("time",), {}),
                 "time": (np.where(np.arange(100) < 50, 0, 1000) + np.arange(100.0), ("time",),
                          {"units": "days since 1982-01-01"})})
        blue = is_line(self.plot("a"))
        top = np.flatnonzero(blue[np.flatnonzero(blue.any(axis=1))[0]]).mean()
        self.assertAlmostEqual(top / blue.shape[1], 1050 / 1099, delta=0.04)

    def test_odd(self):
        for array in ([1.0], [np.nan] * 3, [np.inf, 1, 2], [1.7e308, -1.7e308], [5, 5], [np.nan, 1, np.nan]):
            self.put("a", np.array(array))
            self.assertGreater(self.plot("a").size, 0)
            self.assertIn("\u2502", self.text("a"))


class Drawing(ViewTest):
    def test_shades(self):
        self.put("a é", np.arange(12, dtype="int8").reshape(3, 4), "--dims", "y,Länge")
        self.assertEqual(self.text("a é"), """\
a é
 ┌────────────────┐
0│            ░░░░│
 │            ░░░░│
y│░░░░▒▒▒▒▒▒▒▒▓▓▓▓│
 │░░░░▒▒▒▒▒▒▒▒▓▓▓▓│
 │▓▓▓▓████████████│
2│▓▓▓▓████████████│
 └────────────────┘
 0     Länge      3
0 │     ░░░░░▒▒▒▒▓▓▓▓▓█████│ 11
""")

    def test_ascii(self):
        array = np.arange(12.0).reshape(3, 4)
        array[2, 1] = np.nan
        self.put("a", array, "--dims", "y,x")
        self.assertEqual(self.text("a", "--range", "1,10", "--size", "30x10", LC_ALL="C"), """\
a
 +------------------------+
0|            ......::::::|
y|------======++++++******|
2|######//////@@@@@@@@@@@@|
 +------------------------+
 0           x            3
1 <  ...::---==++***##%%%@@> 10   / missing
""")

    def test_line(self):
        self.put("a", np.array([0.0, 1, 2, 3, np.nan, 3]), "--dims", "t")
        self.assertEqual(self.text("a", "--size", "20x11", LC_ALL="C"), """\
a
     +-------------+
 3.12|       *    *|
     |     **      |
     |  ***        |
-0.12|**           |
     +-------------+
     0      t      5
""")
        lines = self.text("a").split("\n")
        self.assertTrue(any(0x2800 < ord(c) < 0x2900 for c in "".join(lines)))
        self.assertTrue(all(len(line) <= 40 for line in lines), lines)

    @unittest.skipUnless(nc_file.LIBRARY, "no netCDF library")
    def test_words(self):
        time_units, calendar = "days since 1982-01-01", {}
        for units, calendar, first in ((time_units, {}, "1982-01-16"),
                                       ("hours since 1982-1-1 12:00:00", {}, "1982-01-02 03:00"),
                                       ("hours since 1982-1-1 12:00:00 +0530", {}, "1982-01-01 21:30"),
                                       ("hours since 1982-1-1 12:00:00 -5:30", {}, "1982-01-02 08:30"),
                                       (time_units, {"calendar": "360_day"}, "1982-01-16"),
                                       ("days since 1984-02-20", {"calendar": "noleap"}, "1984-03-07"),
                                       ("days since 1984-02-20", {}, "1984-03-06"),
                                       ("days since 1984-02-20", {"calendar": "360_day"}, "1984-03-05"),
                                       ("months since 1982-01-01", {}, "1983-04-03"),
                                       ("years since 1980-01-01", {}, "1995-01-01"),
                                       ("days since 1984-02-20", {"calendar": "mayan"}, "15 days since 1984-02-20"),
                                       ("days since 1582-10-01", {}, "1582-10-26"),
                                       ("days since 1582-10-01", {"calendar": "proleptic_gregorian"}, "1582-10-16")):
            self.nc({"sst": (np.arange(24.0).reshape(2, 3, 4), ("time", "lat", "lon"),
                             {"long_name": "Sea surface\u00a0temperature", "units": "°C"}),
                     "time": (np.array([15.0, 45]), ("time",), {"units": units, **calendar}),
                     "lat": (np.array([-10.0, 0, 10]), ("lat",), {"units": "degrees_north"}),
                     "lon": (np.array([170.0, 180, 190, 200]), ("lon",), {"units": "degrees_east"})})
            lines = self.text("sst[0]").split("\n")
            self.assertEqual(lines[:2], ["Sea surface\u00a0temperature", f"time = {first}"])
            self.assertTrue(lines[3].startswith("10°N│") and lines[-5].startswith("10°S│"), lines)
            self.assertEqual(lines[-3].split(), ["170°E", "lon", "160°W"])
            self.assertTrue(lines[-2].startswith("0 │") and lines[-2].endswith("│ 11 °C"), lines)
        self.assertIn("lat = 10°N,  lon = 180°\n", self.text("sst[:,-1,1]"))
        self.put("plain", np.zeros((2, 3, 4)), "--dims", "time2,,x")
        self.assertIn("index 1 of time2,  index 2 of axis 1\n", self.text("plain[1,2]"))

    def terminal(self, *words, **environment):
        """The drawing on a terminal of 60 x 20 characters."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 60, 0, 0))
        usual = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLORTERM", "LC_ALL")}
        child = subprocess.Popen([DRX, "view", *words], stdout=slave,
                                 env={**usual, "TERM": "xterm", "LC_ALL": "C.UTF-8", **environment})
        os.close(slave)
        out = b""
        with contextlib.suppress(OSError):  # at the end
            while piece := os.read(master, 65536):
                out += piece
        os.close(master)
        self.assertEqual(child.wait(), 0)
        return out.decode().replace("\r\n", "\n")

    def test_colours(self):
        array = np.arange(12.0).reshape(3, 4)
        array[0, 0] = np.nan
        self.put("a", array)
        cells = self.cells("a", shape=(3, 4))
        text = self.terminal("a", COLORTERM="truecolor")
        used = {tuple(map(int, m)) for m in re.findall(r"\033\[38;2;(\d+);(\d+);(\d+)m", text)}
        self.assertEqual(used, {tuple(c) for c in cells.reshape(-1, 3).tolist()})
        first = text.split("\n")[2]
        self.assertTrue(re.match(r" *0│\033\[38;2;179;179;179m\033\[48;2;179;179;179m▀+\033", first), first)
        self.assertEqual(first.count("\033[0m"), 1)
        text = self.terminal("a")
        self.assertRegex(text, r"\033\[38;5;\d+m")
        self.assertNotIn(";2;", text)
        self.assertNotIn("\033", self.terminal("a", NO_COLOR="1"))
        self.assertNotIn("\033", self.terminal("a", TERM="dumb"))
        self.assertIn("\033[48;5;", self.terminal("a", LC_ALL="C"))
        self.assertNotIn("▀", self.terminal("a", LC_ALL="C"))

    def test_width(self):
        self.put("a", np.zeros((300, 300)))
        for text, columns in ((self.terminal("a", NO_COLOR="1"), 60), (self.text("a", COLUMNS="55"), 55)):
            self.assertLessEqual(max(map(len, text.split("\n"))), columns)
        self.put("row", np.zeros((1, 300)))
        self.assertIn(max(map(len, self.text("row", COLUMNS="55").split("\n"))), range(45, 56))
        self.put("name " + "x" * 90, np.zeros((3, 4)), "--dims", "y" * 50 + "," + "漢" * 50)
        self.assertLessEqual(max(map(len, self.text("name " + "x" * 90).split("\n"))), 45)


class Letters(ViewTest):
    def title(self, text):
        """Where the ink of a title is: its rows and columns, cut out."""
        self.put(text, np.zeros((3, 4)))
        dark = self.pixels(text, size=("--size", "1000x700"))[:40].min(axis=2) < 128
        rows, columns = np.flatnonzero(dark.any(axis=1)), np.flatnonzero(dark.any(axis=0))
        return dark[rows[0]:rows[-1] + 1, columns[0]:columns[-1] + 1]

    def test_other_scripts(self):
        """Letters that the usual font lacks come from another one; a box in their place would have two full sides."""
        found = subprocess.run(["fc-list", ":charset=6f22"], capture_output=True, check=False).stdout
        if b"DejaVu" in found or not found:
            self.skipTest("no other font has the letter 漢; install fonts-droid-fallback")
        one, other = self.title("漢"), self.title("字")
        self.assertTrue(one.shape != other.shape or (one != other).any())
        for letter in one, other:
            self.assertGreater(min(letter.shape), 10)
            self.assertLess(max(letter[:, :2].all(axis=0).max(), letter[:2].all(axis=1).max()), 1)

    def test_long_title(self):
        """It is cut, and nothing lies outside of the page."""
        for letter in "xé漢א":
            self.put("a" + letter * 60, np.zeros((3, 4)))
            pixels = self.pixels("a" + letter * 60)
            self.assertTrue((pixels[:, -3:] == 255).all(), letter)


class Files(ViewTest):
    def test_standard_output(self):
        self.put("a", np.arange(12.0).reshape(3, 4))
        result = self.run_drx("view", "a", "-o", "-", *SMALL)
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        np.testing.assert_array_equal(decode(result.stdout), self.pixels("a"))

    def test_output_that_cannot_be_written(self):
        self.put("a", np.arange(12.0).reshape(3, 4))
        for words in (["-o", "-"], ["--terminal"]):
            self.cannot_write("view", "a", *words)
        self.fails(1, "view", "a", "-o", "no/such/folder.png", says=["no/such/folder.png: the folder no does not exist"])

    def test_replacing(self):
        self.put("a", np.zeros((3, 4)))
        write_file("old.png", b"old")
        os.symlink("a.xta", "link.png")
        self.fails(1, "view", "a", "-o", "link.png", says=["link.png: is a file of the array itself"])
        self.assertGreater(len(self.text("a")), 10)
        os.remove("a.xta")
        self.fails(1, "view", "a", "-o", "old.png", says=["a.xta"])
        self.assertEqual(read_file("old.png"), b"old")
        self.assertEqual(names(), ["a.xmd", "link.png", "old.png"])

    def test_interrupted(self):
        self.drx("create", "a", "--shape", "100000,100000", "--chunk", "50,50", "--type", "int8")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.interrupted(number, "view", "a", "-o", "b.png", "--size", "4000x4000")
            self.assertEqual(names(), ["a.xmd", "a.xta"])


class Errors(ViewTest):
    def test_options(self):
        self.put("a", np.zeros((3, 4)))
        for option, what, wrong in (
                ("--colors", ["is unknown", "sequential, diverging, grey or cyclic"], ["viridis", "", "Grey"]),
                ("--range", ["is not valid", "LOW,HIGH"], ["", "1", "1,", "2,1", "1,1", "nan,1", "0,inf", "1,2,3",
                                                           "a,b", "1;2"]),
                ("--part", ["abs, re, im or arg"], ["real", ""]),
                ("--size", ["WIDTHxHEIGHT"], ["", "10", "10x", "x10", "axb", "10x10x", "-300x300", "0x0", "300 x300",
                                              "1000000x200"]),
                ("-o", ["is not the name of a PNG file", "FILE.png"], ["a.jpg", "a", ".png", "png", "a.png.gz", ""])):
            for value in wrong:
                words = ["-o", value] if option == "-o" else ["-o", "a.png", f"{option}={value}"]
                self.fails(2, "view", "a", *words, says=[f"{option} '{value}'", *what])
        self.all_fail(2, "view", "a", cases={
            ("-o", "a.png", "--size", "199x300"): ["--size 199x300", "200x150 to 4000x4000"],
            ("-o", "a.png", "--size", "300x4001"): ["--size 300x4001", "pixels"],
            ("--terminal", "--size", "19x20"): "20x8 to 1000x1000 characters",
            ("--terminal", "-o", "a.png"): "-o and --terminal exclude each other",
            (): ["standard output is not a terminal", "-o FILE.png", "--terminal"]})
        self.fails(2, "view", "a[0]", "--slice", "0", "--terminal", says="[0] and --slice exclude each other")
        self.assertEqual(names(), ["a.xmd", "a.xta"])

    def test_selections(self):
        self.put("a b", np.zeros((3, 4, 5, 6), "int8"), "--dims", "t,z,y,x")
        self.fails(1, "view", "a b", "--terminal", says=["a b: 4 axes are too many", "such as 'a b[0,0,:,:]'"])
        for given, proposed in (("1,...", "1,0,:,:"), (":,1:3,2:,::2", "0,1,2:5,0:6:2"),
                                ("2:,:,::-1,4:", "2,0,4::-1,4:6"), (":,2,:,:", "0,2,:,:")):
            error = self.fails(1, "view", f"a b[{given}]", "-o", "a.png", says=["axes are too many"])
            self.assertIn(f"such as 'a b[{proposed}]'", error)
            self.drx("view", re.search(r"'(.*)'", error).group(1), "-o", "a.png", *SMALL)
            os.remove("a.png")
        self.fails(1, "view", "a b[0,1,2,3]", "-o", "a.png", says=["[0,1,2,3] is a single element", "drx read"])
        self.fails(1, "view", "a b[0,0,:,6:]", "-o", "a.png", says=["nothing to show", "axis 3 (x)"])
        self.fails(1, "view", "a b[0,4]", "-o", "a.png", says=["index 4", "axis 1 (z)"])
        self.fails(1, "view", "a b[0,0]", "-o", "a.png", "--part", "re", says=["int8 have no parts"])
        self.fails(1, "view", "a b[0,0,0]", "-o", "a.png", "--colors", "grey", says=["drawn as a line"])
        self.fails(2, "view", "a b", "--slice", "x", "-o", "a.png", says=["[x] of a b is not valid"])
        self.drx("create", "empty", "--shape", "0,5", "--dims", "t,x")
        self.fails(1, "view", "empty", "-o", "a.png", says=["empty: nothing to show", "axis 0 (t)"])
        self.fails(1, "view", "none", "-o", "a.png", says=["none.xmd"])
        self.assertEqual(names(), ["a b.xmd", "a b.xta", "empty.xmd", "empty.xta"])
