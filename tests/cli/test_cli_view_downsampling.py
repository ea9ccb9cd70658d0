"""drx view: arrays of more elements than the picture has pixels."""

import os
import re
import subprocess
import time
import unittest

import numpy as np

import nc_file
from drx_cli import DRX, SANITIZED, SEED, read_file
from drx_view import SMALL, ViewTest
from png_file import is_line, oklab


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
