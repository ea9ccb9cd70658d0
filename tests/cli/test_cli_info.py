"""drx info: folders, several paths, and what stands on the page of one array."""

import json
import os
import re
import time

import numpy as np

import nc_file
from drx_cli import CliTest, patch_file, write_file


class InfoTest(CliTest):
    def make(self, name, shape=(3,), *options):
        if os.path.dirname(name):
            os.makedirs(os.path.dirname(name), exist_ok=True)
        self.drx("create", name, "--shape", shape, "--chunk", [2] * len(shape), *options)

    def lines(self, *words, code=0):
        return self.ends(code, "info", *words, err=["drx info: "] if code else ()).splitlines()

    def names(self, *words, code=0):
        return [re.split(r"  +", line)[0] for line in self.lines(*words, code=code)]


class Folder(InfoTest):
    def test_line(self):
        self.make("sst", (2, 3, 5), "--dims", "time,lat,lon", "--type", "float32")
        self.drx("extend", "sst", "time", 130)
        self.make("m", (10, 10))
        self.make("half named", (4, 5), "--dims", "x,")
        date = r"  \d{4}-\d\d-\d\d \d\d:\d\d"
        lines = self.lines()
        self.assertRegex(lines[0], r"^half named  float64  x=4, 5                 +\d+\.\d KiB  0 growths" + date + "$")
        self.assertRegex(lines[1], r"^m           float64  10 × 10                +\d+\.\d KiB  0 growths" + date + "$")
        self.assertRegex(lines[2],
                         r"^sst         float32  time=132, lat=3, lon=5  +\d+\.\d KiB  1 growth " + date + "$")
        self.assertEqual(len(lines), 3)
        self.assertEqual(len({len(line) for line in lines}), 1)
        on_disk = sum(os.stat("m" + suffix).st_blocks * 512 for suffix in (".xmd", ".xta"))
        self.assertIn(f" {on_disk / 1024:.1f} KiB  ", lines[1])
        patch_file("m.xta", 0, b"x" * 800)
        os.utime("m.xta", (0, 978350400))
        os.utime("m.xmd", (0, 0))
        self.ends(0, "info", ".", env={**os.environ, "TZ": "UTC"}, out="2001-01-01 12:00\n")

    def test_order(self):
        names = ["a", "a1", "a01", "a2", "a2b", "a10", "a10.5", "a10.12", "a99999999999999999999999", "B", "b", "é x"]
        for name in names:
            self.make(name)
        expected = ["B", "a", "a01", "a1", "a2", "a2b", "a10", "a10.5", "a10.12", "a99999999999999999999999", "b",
                    "é x"]
        self.assertEqual(self.names(), expected)
        self.assertEqual([a["path"] for a in json.loads(self.drx("info", "--json"))], expected)

    def test_which_folder(self):
        self.make("d/x")
        self.make("d/sub/y")
        self.make("d/sub/z")
        os.symlink("..", "d/sub/up")  # followed, this would never end
        self.make("d/.hidden")
        self.make("d/.folder/h")
        for word in ("d", "d/", "d//", "./d", os.path.abspath("d")):
            self.assertEqual(self.names(word), ["x"])
            self.assertEqual(self.names(word, "-r"), ["x", "sub/y", "sub/z"])
        self.assertEqual(self.names("d/sub/up"), ["x"])
        self.assertEqual(self.names("-r"), ["d/x", "d/sub/y", "d/sub/z"])
        paths = [a["path"] for a in json.loads(self.drx("info", "--recursive", "--json", "d/"))]
        self.assertEqual(paths, ["d/x", "d/sub/y", "d/sub/z"])
        for path in paths:
            self.drx("info", path)
        os.chdir("d")
        self.assertEqual(self.names(), ["x"])

    def test_array_or_folder(self):
        self.make("a")
        self.make("a/inside")
        self.assertIn("path       a\n", self.drx("info", "a"))
        self.assertIn("path       a\n", self.drx("info", "a.xmd"))
        self.assertEqual(self.names("a/"), ["inside"])
        self.assertIsInstance(json.loads(self.drx("info", "a", "--json")), dict)
        self.assertIsInstance(json.loads(self.drx("info", "a/", "--json")), list)
        os.remove("a.xta")  # a broken array is not overlooked for the folder
        self.fails(1, "info", "a", says=["a.xta: missing"])

    def test_no_arrays(self):
        os.makedirs("d/e")
        for words in ((), ("d",), ("-r",), ("d", "--json")):
            result = self.run_drx("info", *words)
            self.assertEqual(result.returncode, 0)
            self.assertIn(b"no arrays", result.stderr)
            self.assertEqual(b"-r looks" in result.stderr, "-r" not in words)
            self.assertEqual(result.stdout, b"[]\n" if "--json" in words else b"")

    def test_broken(self):
        for name in ("good", "no chunks", "no metadata", "junk", "torn", "short"):
            self.make(name, (30, 30))
        self.drx("extend", "short", 0, 3)
        os.remove("no chunks.xta")
        os.remove("no metadata.xmd")
        write_file("junk.xmd", b"\x1b[31m something else " * 100)
        write_file("torn.xmd", b"torn", "ab")
        os.truncate("short.xta", 5)
        for word in ("", "."):
            text = self.ends(1, "info", *([word] if word else []), err=" of 6 arrays cannot be opened\n")
            self.assertRegex(text, r"(?m)^good         float64  30 × 30 ")
            self.assertRegex(text, r"(?m)^no chunks    cannot be opened: no chunks\.xta: missing, only no chunks.xmd is there$")
            self.assertRegex(text,
                             r"(?m)^no metadata  cannot be opened: no metadata\.xmd: missing, only no metadata.xta ")
            self.assertRegex(text, r"(?m)^junk         cannot be opened: junk\.xmd: not the metadata")
            self.assertRegex(text, r"(?m)^torn         float64 .*\n  warning: torn\.xmd: ")
            self.assertNotIn("\x1b", text)
        text = self.ends(1, "info", "--json", err="drx info: .: 3 of 6 arrays cannot be opened\n")
        arrays = {a["path"]: a for a in json.loads(text)}
        self.assertEqual(list(arrays["junk"]), ["path", "error"])
        self.assertIn("torn.xmd", arrays["torn"]["report"])
        self.assertNotIn("report", arrays["good"])
        self.fails(1, "info", "no metadata", says=["no metadata.xmd: missing, only no metadata.xta is there"])
        os.mkdir("not array.xmd")
        self.assertNotIn("not array", self.run_drx("info").stdout.decode())

    def test_unreadable(self):
        self.make("a")
        self.fails(1, "info", "no/", says=["no: no such folder"])
        self.fails(1, "info", "no", says=["no: no such array"])
        write_file("file")
        self.fails(1, "info", "file/", says=["file: cannot read the folder: Not a directory"])
        self.make("d/b")
        os.chmod("d", 0)
        if os.geteuid() != 0:
            text = self.ends(1, "info", "-r", err="d: cannot read the folder: Permission denied")
            self.assertTrue(text.startswith("a "), text)
        os.chmod("d", 0o755)

    def test_strange_names(self):
        self.make("tab\there", (3, 4), "--dims", "a\nb,c")
        self.make(b"\xff".decode("utf-8", "surrogateescape"))
        self.make("日本 é")
        lines = self.lines()
        self.assertEqual(len(lines), 3)
        self.assertTrue(lines[0].startswith("tab\\x09here  "))
        self.assertIn("a\\nb=3, c=4", lines[0])
        self.assertTrue(lines[2].startswith("\\xff"))

    def test_many(self):
        self.make("x")
        for i in range(1000):
            for suffix in (".xmd", ".xta"):
                os.link("x" + suffix, f"x{i}{suffix}")
        begin = time.monotonic()
        self.assertEqual(self.names(), ["x", *(f"x{i}" for i in range(1000))])
        self.assertLess(time.monotonic() - begin, 30)
        self.cannot_write("info")
        self.cannot_write("info", "--json")


class Several(InfoTest):
    def test_text(self):
        self.make("a")
        self.make("b", (4, 4))
        self.make("d/c")
        text = self.drx("info", "a", "d", "b")
        self.assertEqual(text.split("\n\n")[0] + "\n", self.drx("info", "a"))
        self.assertEqual(text.split("\n\n")[1], "d:\n" + self.drx("info", "d").rstrip("\n"))
        self.assertEqual(text.split("\n\n")[2], self.drx("info", "b"))

    def test_json(self):
        self.make("a")
        self.make("b", (4, 4))
        self.drx("extend", "b", 0, 4)
        self.make("d/c")
        arrays = json.loads(self.drx("info", "a", "d", "b", "--json"))
        self.assertEqual([a["path"] for a in arrays], ["a", "d/c", "b"])
        self.assertEqual([a["growths"] for a in arrays], [0, 0, 1])
        for array in arrays:
            alone = self.info(array["path"])
            self.assertEqual(array.pop("growths"), len(alone.pop("history")))
            self.assertEqual(array, alone)

    def test_some_fail(self):
        self.make("a")
        self.make("b")
        failed = "drx info: no: no such array or dataset\n"
        self.assertEqual(self.ends(1, "info", "a", "no", "b", err=failed).count("path       "), 2)
        arrays = json.loads(self.ends(1, "info", "a", "no", "b", "--json", err=failed))
        self.assertEqual([list(a)[:2] for a in arrays], [["path", "shape"], ["path", "error"], ["path", "shape"]])


class Page(InfoTest):
    def test_chunks(self):
        for shape, chunk, line in (([10, 10], [2, 3], "20  (5 × 4), 83 % inside the bounds"), ([4], [2], "2"),
                                   ([4, 4], [2, 2], "4  (2 × 2)"), ([0, 4], [2, 2], "0  (0 × 2)"),
                                   ([1, 1], [1000, 1000], "1  (1 × 1), less than 1 % inside the bounds")):
            self.drx("create", "a", "--shape", shape, "--chunk", chunk, "--force")
            self.assertIn(f"\nchunks     {line}\n", self.drx("info", "a"))
            self.assertNotIn("segments", self.drx("info", "a"))

    def test_segments(self):
        self.drx("create", "a", "--shape", "1,1", "--chunk", "1,1")
        for axis in (1, 0, 0, 1):
            self.drx("extend", "a", axis, 1)
        self.assertIn("\nsegments   5, in 4 expansion records\n", self.drx("info", "a"))
        self.drx("create", "a", "--shape", "3,5", "--chunk", "1,1", "--shell", "--force")
        self.assertIn("\nsegments   5, in ", self.drx("info", "a"))

    def test_long_names(self):
        for name in ("é" * 100, "x" + "é" * 99, "日" * 66, "n" * 80, "\t" * 60):
            self.drx("create", "a", "--shape", "3,3", "--dims", name + ",x", "--force")
            self.drx("extend", "a", 0, 1)
            self.assertRegex(self.drx("info", "a"), r"\n           axis 0 \([^)]{6,82}\) \+1: 4 × 3\n")

    def test_coordinates(self):
        os.makedirs("d")
        self.put("d/lat", np.array([90.0, 0.5, -90.0]))
        self.put("d/Länge", np.arange(4, dtype="int16"))
        self.put("d/time", np.array([0.25, 7.0]))
        self.drx("create", "d/two", "--shape", "3,3")
        self.drx("create", "d/a", "--shape", "5,3,4,3,3", "--dims", "time,lat,Länge,two,no")
        text = self.drx("info", "d/a")
        self.assertIn("coordinates\n"
                      "  time              0.25 … 7  (2 values for 5 indices)\n"
                      "  lat               90 … -90\n"
                      "  Länge             0 … 3\n", text)
        self.assertNotIn("  two ", text)
        os.chdir("d")
        self.assertIn("  lat               90 … -90\n", self.drx("info", "a"))
        self.drx("create", "self", "--shape", "3", "--dims", "self")
        self.assertNotIn("coordinates", self.drx("info", "self"))
        write_file("lat.xmd", b"broken")
        self.assertNotIn("  lat  ", self.drx("info", "a"))

    def test_units(self):
        with nc_file.NcFile("in.nc") as nc:
            var = nc.var("lon", "float32", [nc.dim("lon", 3)])
            nc.att(var, "units", "degrees\x1b  east " + "é" * 100)
        self.drx("import", "in.nc:lon", "lon")
        self.drx("create", "a", "--shape", "3", "--dims", "lon")
        self.assertRegex(self.drx("info", "a"), r"\n  lon +\S+ … \S+  degrees\\x1b  east é{20,}\n")
