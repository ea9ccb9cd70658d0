"""drx view: the colours, their range, and the bar."""

import unittest

import numpy as np

import nc_file
from drx_view import MISSING, ViewTest
from png_file import bar_height, bar_ticks, lab_of_linear, oklab


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
