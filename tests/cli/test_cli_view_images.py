"""drx view: pictures of planes and rows, and their letters."""

import subprocess
import unittest

import numpy as np

import nc_file
from drx_cli import TYPES, read_file
from drx_view import MISSING, ViewTest
from png_file import decode, is_line, oklab


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
    def test_coordinates_along_two_axes_give_the_direction(self):
        """As the latitude grows along the middle column, and the longitude along the middle row."""
        array = np.arange(12.0).reshape(3, 4)
        north, east = {"units": "degrees_north"}, {"units": "degrees_east"}
        bent = 3 * np.abs(np.arange(4) - 2)  # rows bend, so that those at the side fall where the middle one grows
        lat = np.arange(3)[:, None] * np.array([-10.0, 10, 10, -10]) + bent
        lon = (175 + np.arange(4) * 5 - np.arange(3)[:, None] * 2 + 180) % 360 - 180  # over the date line
        unknown = lat.copy()
        unknown[1] = np.nan
        as_stored, upside_down = np.s_[:], np.s_[::-1]

        def check(expected, lat=lat, lon=lon, array=array, dims=("y", "x"), grid=("y", "x"), names="lat lon",
                  selection="", **more):
            with self.subTest(lat=lat, lon=lon, dims=dims, names=names, selection=selection, more=list(more)):
                self.nc({"a": (array, dims, {"coordinates": names}), "lat": (lat, grid, north),
                         "lon": (lon, grid, east), **more})
                self.assertTrue(self.rising(self.cells("a" + selection, shape=(3, 4))[expected]))

        check(upside_down)
        check(as_stored, lat=lat[::-1])
        check(np.s_[::-1, ::-1], lon=lon[:, ::-1])
        check(upside_down, selection="[::-1,:]")
        check(upside_down, selection="[:,::-1]")
        check(upside_down, lat=lat.T, lon=lon.T, grid=("x", "y"))
        check(upside_down, lat=unknown, names="height lat  lon")
        check(as_stored, lat=np.array([0.0, 2, 1])[:, None] + np.zeros(4))  # in no order
        check(as_stored, lat=lat * np.nan)
        check(as_stored, names="")
        check(as_stored, names="other")
        check(upside_down, array=np.array([array + 9, array]), dims=("time", "y", "x"), selection="[1]")
        check(as_stored, array=array[:, None], dims=("z", "y", "x"), lat=lat[:1], lon=lon[:1, ::-1], selection="[:,0]")
        check(as_stored, y=(np.arange(3.0)[::-1], ("y",), {}))  # it has coordinates of its own
        self.drx("attr", "a", "coordinates=lat")
        self.drx("create", "lat", "--shape", "4,3", "--force")  # fits no more
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
    def test_both_poles_have_their_labels(self):
        """Also where cells end at a pole but for rounding to float32, as those of a quarter of a degree."""
        left = []
        for n in (360, 720):
            lat = np.linspace(-90 + 90 / n, 90 - 90 / n, n).astype("f4")
            self.nc({"a": (np.ones((n, 2)), ("lat", "x"), {}), "lat": (lat, ("lat",), {"units": "degrees_north"})})
            left.append(self.pixels("a", size=("--size", "800x600"))[:, :80])
        self.assertTrue((left[0] == left[1]).all())

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
        unsigned = {"_Unsigned": b"true", "_FillValue": np.int8(-1)}  # 3 and 5 become 253 and 255
        bytes_ = np.where(array == 3, 253, np.where(array == 5, 255, array)).astype("u1")
        self.nc({"signed": (bytes_.view("i1"), ("y", "x"), unsigned)})
        self.put("real", np.where(bytes_ == 255, np.nan, bytes_))
        np.testing.assert_array_equal(self.plot("signed"), self.plot("real"))
        self.nc({"single": (array.astype("float32") * np.float32(0.1), ("y", "x"), {"missing_value": 0.7})})
        self.assertEqual(tuple(self.cells("single", shape=(3, 4))[1, 3]), MISSING)

    def test_types(self):
        array = np.arange(12).reshape(3, 4) * 9
        pictures = []
        for dtype in TYPES[:-1]:  # bool has no such numbers
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
