"""drx view: drawings on terminals."""

import contextlib
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import unittest

import numpy as np

import nc_file
from drx_cli import DRX
from drx_view import ViewTest


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
        self.nc({"ice": (np.arange(12.0).reshape(3, 4), ("y", "x"), {"units": "1"}),
                 "x": (np.arange(4.0), ("x",), {"units": "1"})})
        lines = self.text("ice").split("\n")  # "1" says nothing
        self.assertEqual(lines[-3].split()[1], "x")
        self.assertTrue(lines[-2].endswith("│ 11"), lines)
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
