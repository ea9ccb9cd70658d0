"""Fixed strings: bytes (S12) and Unicode (U12)."""

import numpy as np

import h5_file
import nc_file
from drx_cli import CliTest, need
from h5_file import H5File
from nc_file import NcFile

need(nc_file.LIBRARY, h5_file.LIBRARY)

NAMES = np.array([[b"Reading", b"Oslo", b""], [b"a b", b'say "hi"', b"tab\t\\"]], "S9")
TOWNS = np.array(["Z\xfcrich", "\u5317\u4eac", "", "\U0001f30d 7", "K\xf8benhavn"], "U9")


class Npy(CliTest):
    def test_both_ways(self):
        for array in (NAMES, TOWNS, NAMES.astype("S4096"), TOWNS.astype("U1024"), NAMES[:, 0].astype("S1"),
                      np.asfortranarray(NAMES)):
            for swapped in ((False, True) if array.dtype.kind == "U" else (False,)):
                np.save("in.npy", array.astype(array.dtype.newbyteorder()) if swapped else array)
                self.drx("import", "in.npy", "a", "--force")
                self.assert_same(self.whole("a"), array)
                self.drx("export", "a", "out.npy")
                self.assert_same(np.load("out.npy"), array)

    def test_bare_elements(self):
        for array, word in ((NAMES, "|S9"), (NAMES, ">S9"), (TOWNS, "<U9"), (TOWNS.astype(">U9"), ">U9")):
            with open("raw", "wb") as file:
                file.write(array.tobytes())
            self.drx("import", "raw", "a", "--raw", "--type", word, "--shape", array.shape, "--force")
            self.assert_same(self.whole("a"), array.astype(array.dtype.newbyteorder("=")))

    def test_too_long(self):
        np.save("in.npy", np.zeros(2, "S4097"))
        self.fails(1, "import", "in.npy", "a", says=["'|S4097'", "strings of 1 to 4096 bytes"])
        for word in ("S0", "S4097", "U1025", "S", "S01", "s3", "S-1", "U3x"):
            self.fails(2, "create", "a", "--shape", 3, "--type", word, says=[f"'{word}' is unknown", "S1 to S4096"])


class Elements(CliTest):
    def test_printed(self):
        self.put("a", NAMES)
        self.assertEqual(self.drx("read", "a"), '   "Reading"        "Oslo"            ""\n'
                                                '       "a b"  "say \\"hi\\""     "tab\\t\\\\"\n')
        self.assertEqual(self.drx("read", "a[1, 0]"), '"a b"\n')
        self.put("a", TOWNS)
        self.assertEqual(self.drx("read", "a[0:2]").split(), ['"Z\xfcrich"', '"\u5317\u4eac"'])
        self.put("a", np.array([b"\xff\x01caf\xc3\xa9"], "S8"))
        self.assertEqual(self.drx("read", "a"), '"\\xff\\x01caf\xe9"\n')
        self.put("a", np.array(["\ud800"], "U2"))
        self.assertEqual(self.drx("read", "a"), '"\\ud800"\n')

    def test_fill(self):
        self.drx("create", "a", "--shape", 2, "--type", "S6", "--fill", "N/A")
        self.drx("extend", "a", 0, 1)
        self.assert_same(self.whole("a"), np.array([b"N/A"] * 3, "S6"))
        self.assert_info("a", fill="N/A", type="S6")
        self.assertIn("N/A", self.drx("info", "a"))
        self.assertEqual(self.drx("read", "a").split(), ["_"] * 3)
        self.drx("create", "u", "--shape", 2, "--type", "U3", "--fill", "\u2014")
        self.assert_same(self.whole("u"), np.array(["\u2014"] * 2, "U3"))
        self.fails(2, "create", "b", "--shape", 2, "--type", "S6", "--fill", "too long",
                   says=["'too long' is longer than the type", "a value of type S6"])
        self.fails(1, "create", "b", "--shape", 2, "--type", "S20", "--fill", "x" * 13, says=["S20", "more than 12 bytes"])

    def test_append(self):
        self.put("a", NAMES)
        np.save("more.npy", np.array([[b"x", b"y", b"z"]], "S9"))
        self.drx("append", "a", 0, "more.npy")
        self.assert_same(self.whole("a"), np.concatenate([NAMES, np.array([[b"x", b"y", b"z"]], "S9")]))
        np.save("more.npy", np.array([[b"x", b"y", b"z"]], "S10"))
        self.fails(1, "append", "a", 0, "more.npy", says="has type S10, but the array has S9")

    def test_refused(self):
        self.put("a", NAMES)
        self.fails(1, "copy", "a", "b", "--keep-bits", 3, says="a: has elements of S9")
        self.fails(1, "view", "a", "-o", "a.png", says="a: holds text, which has no picture; print it with 'drx read'")

    def test_stored_in_every_way(self):
        big = np.array([f"station {i}".encode() for i in range(5000)], "S13").reshape(50, 100)
        for options in (["--checksum"], ["--codec", "zstd"], ["--codec", "lz4", "--shuffle", "bit"], ["--align", 4096],
                        ["--order", "F"], ["--stripe", ".,."], ["--shell"]):
            for array in (big, big.astype("U13"), big.astype("S300")[:5]):
                self.put("a", array, "--chunk", "7,9", *options)
                self.assert_same(self.whole("a"), array)
                self.drx("check", "a")
                self.drx("copy", "a", "b", "--chunk", "3,40", "--order", "C", "--force")
                self.assert_same(self.whole("b"), array)


class Hdf5(CliTest):
    def test_both_ways(self):
        for array, fill in ((NAMES, "Oslo"), (TOWNS, "?"), (TOWNS, None)):
            self.put("a", array, *(["--fill", fill] if fill else []))
            self.drx("export", "a", "out.h5")
            with H5File("out.h5", new=False) as file, file.open("a") as dataset:
                if array.dtype.kind == "S":
                    self.assert_same(dataset.read(array.dtype), array)
            self.drx("import", "out.h5:a", "back", "--force")
            self.assert_same(self.whole("back"), array)
            self.assert_info("back", fill=fill or "", attrs={})

    def test_of_others(self):
        """Strings that end by a NUL or by spaces; UTF-8 stays bytes."""
        for kind, stored, expected in (
                (h5_file.string_type(5), b"abcd\0xy\0\0\0", [b"abcd", b"xy"]),
                (h5_file.string_type(4, spaces=True), b"ab  \xc3\xa9  ", [b"ab", b"\xc3\xa9"])):
            with H5File("in.h5") as file, file.dataset("a", np.zeros(2), kind=kind) as dataset:
                h5_file.call("H5Dwrite", dataset.id, kind, 0, 0, 0, stored)
            self.drx("import", "in.h5:a", "a", "--force")
            self.assertEqual(self.whole("a").tolist(), expected)

    def test_numbers_are_chosen(self):
        """A file with one dataset of numbers: its strings are not meant."""
        with H5File("in.h5") as file:
            file.dataset("x", np.arange(3.0)).close()
            file.dataset("names", np.array([b"a", b"b"])).close()
        self.drx("import", "in.h5", "a")
        self.assert_same(self.whole("a"), np.arange(3.0))

    def test_not_unicode(self):
        self.put("a", np.array(["ok", "\ud800"], "U2"))
        self.fails(1, "export", "a", "out.h5", says=["type U2", "not Unicode"])


class NetCDF(CliTest):
    def stations(self, dtype="S7"):
        names = np.array([b"Reading", b"Oslo", b"Bergen"], dtype)
        with NcFile("in.nc") as root:
            var = root.var("name", nc_file.CHAR, [root.dim("station", 3), root.dim("strlen", names.itemsize)])
            root.att(var, "long_name", b"name of the station")
            root.end_define()
            root.put(var, names.view("S1").reshape(3, -1))
        return names

    def test_both_ways(self):
        names = self.stations()
        self.drx("import", "in.nc:name", "a")
        self.assert_same(self.whole("a"), names)
        self.assert_info("a", type="S7", dims=["station"], attrs={"long_name": "name of the station"})
        self.drx("export", "a", "out.nc")
        self.assert_same(nc_file.read("out.nc", "a", (3, 7), "S1"), names.view("S1").reshape(3, 7))
        self.drx("import", "out.nc:a", "b")
        self.assert_same(self.whole("b"), names)

    def test_single_characters(self):
        with NcFile("in.nc", nc_file.CLASSIC) as root:
            var = root.var("flag", nc_file.CHAR, [root.dim("time", 4)])
            root.end_define()
            root.put(var, np.array([b"a", b"b", b"", b"d"]))
        self.drx("import", "in.nc:flag", "a")
        self.assert_same(self.whole("a"), np.array([b"a", b"b", b"", b"d"], "S1"))

    def test_unicode(self):
        self.put("a", TOWNS)
        self.drx("export", "a", "out.nc")
        self.drx("import", "out.nc", "ds")  # as strings of netCDF
        self.assertEqual(self.drx("read", "ds/a"), self.drx("read", "a"))


class Coordinates(CliTest):
    def test_exported_and_imported(self):
        stations = np.array([b"Oslo", b"Reading"], "S7")
        self.put("t", np.arange(6.0).reshape(2, 3), "--dims", "station,time")
        self.put("station", stations, "--dims", "station")
        for name in ("out.h5", "out.nc"):
            self.drx("export", "t", name)
        with H5File("out.h5", new=False) as file, file.open("station") as dataset:
            self.assert_same(dataset.read(stations.dtype), stations)
        self.assert_same(nc_file.read("out.nc", "station", (2, 7), "S1"), stations.view("S1").reshape(2, 7))

    def file(self, name, stations, values):
        self.put("part", values, "--dims", "station")
        self.put("station", stations, "--dims", "station")
        self.drx("export", "part", name)

    def test_appended(self):
        """Along an axis of names: new names go after the stored ones, and others are refused."""
        parts = {"a.h5": ([b"Oslo", b"Reading"], [1.0, 2]), "b.h5": ([b"Bergen"], [3.0]), "c.h5": ([b"Oslo"], [9.0]),
                 "d.h5": ([b"Oslo", b"Paris"], [7.0, 8]), "e.h5": ([b"A name too long"], [1.0])}
        for name, (stations, values) in parts.items():
            self.file(name, np.array(stations), np.array(values))
        for path in ("part", "station"):
            self.drx("rm", path)
        self.drx("import", "a.h5:part", "t", "--coords")
        self.assert_same(self.whole("station"), np.array([b"Oslo", b"Reading"], "S7"))
        self.drx("import", "b.h5:part", "t", "--coords", "--append", "station", "--as", "t")
        self.assert_same(self.whole("station"), np.array([b"Oslo", b"Reading", b"Bergen"], "S7"))
        self.assert_same(self.whole("t"), np.array([1.0, 2, 3]))
        self.fails(1, "import", "c.h5:part", "t", "--coords", "--append", "station", "--as", "t",
                   says=["new index 0 is 'Oslo', which is stored already at index 0"])
        self.drx("import", "d.h5:part", "t", "--coords", "--append", "station", "--as", "t", "--overlap", "replace")
        self.assert_same(self.whole("t"), np.array([7.0, 2, 3, 8]))
        self.assertEqual(self.whole("station").tolist(), [b"Oslo", b"Reading", b"Bergen", b"Paris"])
        self.fails(1, "import", "e.h5:part", "t", "--coords", "--append", "station", "--as", "t",
                   says=["'A name too long', which is longer than the stored type S7"])

    def test_selected_by_name(self):
        self.put("t", np.arange(6.0).reshape(2, 3), "--dims", "station,time")
        self.put("station", np.array(["Oslo", "Z\xfcrich"]), "--dims", "station")
        self.assertEqual(self.drx("read", "t[station=Z\xfcrich]").split(), ["3", "4", "5"])
        self.fails(1, "read", "t[station=Rome]", says=["station=Rome", "none of the 2 names"])
