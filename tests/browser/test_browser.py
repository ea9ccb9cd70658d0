"""drx refs: what it writes is read by zarrita, a reader of Zarr in JavaScript, in a headless Chromium from a server.

Both listings of the documents are what runs here: the module of docs/zarr.md reads all arrays of this test, and the page
of docs/guide/browser.md is shown as it stands."""

import atexit
import importlib.util
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

import numpy as np

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "cli"))

import drx_cli  # noqa: E402
import served  # noqa: E402
from chromium import PROGRAM, Chromium, PageError  # noqa: E402
from drx_cli import STORED, TYPES, CliTest, sample, some  # noqa: E402

DATA = "/usr/share/ferret-vis/data/monthly_navy_winds.cdf"
COMPLEX = ("complex64", "complex128")  # zarrita has none
FOLDER = ROOT = NGINX = BROWSER = None  # set by start


def listing(page, language):
    """The only listing of that language on a page of the documents: (the name of its file, its text)."""
    found = re.findall(rf"^```{language} (\S+)\n(.*?)^```$", (SOURCE / "docs" / page).read_text(encoding="utf-8"),
                       re.S | re.M)
    assert len(found) == 1, (page, language, len(found))
    return found[0]


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def start():
    """A server, a browser in it, and what the pages need."""
    global FOLDER, ROOT, NGINX, BROWSER
    for what, is_there in (("chromium", PROGRAM), ("nginx", served.NGINX), ("npm", shutil.which("npm"))):
        if not is_there:
            skip(f"no {what}; scripts/setup torture installs it")
    FOLDER = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
    ROOT = os.path.join(FOLDER, "root")
    failed, text = served.install(ROOT)
    if failed == "network":
        skip(f"npm cannot be reached: {text}")
    if failed:
        sys.exit(f"npm: {text}")
    imports = re.search(r'<script type="importmap">(.*?)</script>', listing("guide/browser.md", "html")[1], re.S)[1]
    page = (served.HERE / "page.html").read_text(encoding="utf-8").replace("IMPORTS", imports)
    pathlib.Path(ROOT, "page.html").write_text(page, encoding="utf-8")
    name, text = listing("zarr.md", "js")
    pathlib.Path(ROOT, name).write_text(text, encoding="utf-8")
    NGINX = served.Nginx(FOLDER, ROOT)
    atexit.register(NGINX.close)
    BROWSER = Chromium(FOLDER)
    atexit.register(BROWSER.close)


class BrowserTest(CliTest):
    """Each test runs in an empty folder that is served."""

    def setUp(self):
        folder = tempfile.mkdtemp(dir=ROOT)
        os.chmod(folder, 0o755)
        self.addCleanup(shutil.rmtree, folder)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder)
        self.path = os.path.basename(folder)
        BROWSER.open(f"{NGINX.pages}/page.html")

    def refs(self, path, *words, server=None, name="refs.json"):
        """Write references to the files as that server has them. nginx knows states of files by the second and the length, so
        the browser forgets what it has of those before."""
        BROWSER.call("Network.clearBrowserCache")
        folder = os.path.dirname(path) if os.path.exists(path + ".xmd") else path
        self.drx("refs", path, "-o", name, "--url", f"{server or NGINX.data}/{self.path}/{folder}", *words)

    def page_reads(self, name, selection=None, refs="refs.json"):
        """What the page says of an array of a file of references."""
        url = f"{NGINX.data}/{self.path}/{refs}"
        return BROWSER.run(f"read({json.dumps(url)}, {json.dumps(name)}, {json.dumps(selection)})")

    def opened(self, path, *words, dtype=None):
        """The elements that the page has of an array, in its type, or in the one given."""
        self.refs(path, *words)
        return self.elements(self.page_reads(os.path.basename(path)), dtype)

    def elements(self, told, dtype=None):
        dtype = np.dtype(dtype or told["dtype"])
        flat = np.frombuffer(bytes.fromhex(told["data"]), dtype)
        self.assertEqual(flat.size, np.prod(told["shape"], dtype=int))
        strides = [step * dtype.itemsize for step in told["stride"]]
        return np.lib.stride_tricks.as_strided(flat, told["shape"], strides)

    def refuses(self, message, run):
        with self.assertRaises(PageError) as error:
            run()
        self.assertIn(message, str(error.exception))


class Elements(BrowserTest):
    def test_types(self):
        """All types, in whole and in edge chunks of either order, raw and by each codec."""
        for dtype in TYPES:
            for i, stored in enumerate(STORED):
                order = "CF"[(i + len(dtype)) % 2]
                with self.subTest(dtype=dtype, stored=stored, order=order):
                    a = sample((7, 5, 6), dtype)
                    self.put("a", a, "--chunk", (3, 5, 4), "--order", order, *stored)
                    if dtype in COMPLEX:
                        self.refuses("dtype", lambda: self.opened("a"))
                    else:
                        self.assert_same(self.opened("a"), a)

    def test_ranges(self):
        """The page asks for the chunks that it needs, and no more."""
        self.put("a", np.arange(35, dtype="i4").reshape(5, 7), "--chunk", (2, 3))
        self.refs("a")
        told = self.page_reads("a", [3, 5])
        self.assertEqual((told["scalar"], told["chunks"]), ("26", [2, 3]))
        place = json.loads(pathlib.Path("refs.json").read_text(encoding="utf-8"))["refs"]["a/1.1"]
        self.assertEqual(NGINX.asked(f"{NGINX.data}/{self.path}/a.xta"), [f"bytes={place[1]}-{place[1] + 23}"])

    def test_fills(self):
        """Chunks that nobody wrote, with fills of all kinds; also beside some that were written."""
        fills = {"float32": ("nan", "inf", "-inf", "-0.0", "1e-40", "1.1"), "float64": ("nan", "-5"),
                 "int64": ("-9223372036854775808",), "uint64": ("18446744073709551615",), "int8": ("-128", "0"),
                 "uint16": ("65535",), "bool": ("true",), "float16": ("nan", "-2")}
        for dtype, stored in ((dtype, stored) for dtype in fills for stored in some(2, STORED)):
            for fill in fills[dtype]:
                with self.subTest(dtype=dtype, fill=fill, stored=stored):
                    self.drx("create", "a", "--shape", "5,4", "--chunk", "3,2", "--type", dtype, f"--fill={fill}",
                             "--force", *stored)
                    self.assert_same(self.opened("a"), self.whole("a"))
                    np.save("one.npy", np.ones((2, 1), dtype))
                    self.drx("write", "a", "--at", "2,1", "one.npy")
                    self.assert_same(self.opened("a"), self.whole("a"))

    def test_large_frames_of_the_fill(self):
        """They are blocks of one byte again and again, which the decoder of the page has to take."""
        for n in (1, 17, 131072, 600001):
            with self.subTest(n=n):
                self.drx("create", "a", "--shape", n, "--chunk", n, "--type", "int16", "--fill=-37", "--force", "--codec",
                         "zstd")
                self.assert_same(self.opened("a"), np.full(n, -37, "i2"))

    def test_zeros_are_zeros(self):
        """Neither zero with its sign nor NaN with its bits becomes something else, and no chunk of zeros is missing."""
        a = np.array([[0.0, -0.0, 1, np.nan], [0, 0, 0, 0], [np.inf, 5e-324, 0, -np.nan]])
        a[2, 3] = np.array([0x7FF8000000000123], "u8").view("f8")[0]
        for stored in STORED:
            with self.subTest(stored=stored):
                self.put("a", a, "--chunk", (1, 2), "--fill", "nan", *stored)
                self.assert_same(self.opened("a"), a)

    def test_axes(self):
        """One axis and many."""
        for shape, chunk in (((5,), (2,)), ((2, 1, 3, 2, 2), (1, 1, 2, 2, 1))):
            a = sample(shape, "i2")
            self.put("a", a, "--chunk", chunk, "--codec", "zstd")
            self.assert_same(self.opened("a"), a)
        self.drx("create", "none", "--shape", "0,4", "--chunk", "2,2", "--type", "int32")
        self.refuses("empty", lambda: self.opened("none"))

    def test_stripes_and_large_frames(self):
        """Stripes are several files; a chunk of several MiB is one range."""
        os.mkdir("disk")
        a = sample((40, 30), "f4")
        self.put("a", a, "--chunk", (7, 8), "--stripe", "disk,disk")
        refs = json.loads(self.drx("refs", "a", "--url", f"{NGINX.data}/{self.path}/disk"))
        pathlib.Path("refs.json").write_text(json.dumps(refs), encoding="utf-8")
        self.assert_same(self.elements(self.page_reads("a")), a)
        large = (np.arange(1 << 20, dtype="i4") // 3).reshape(1024, 1024)
        for stored in STORED[:2]:
            self.put("large", large, "--chunk", large.shape, *stored)
            self.refs("large")
            self.assertEqual(BROWSER.run(f"""read("{NGINX.data}/{self.path}/refs.json", "large", [1023, 1023])""")
                             ["scalar"], str(large[-1, -1]))


class Growth(BrowserTest):
    def test_both_ends(self):
        """Chunks below index 0; what was listed before a growth is there after it."""
        for stored in STORED:
            with self.subTest(stored=stored):
                a = sample((4, 6), "i4")
                self.put("a", a, "--chunk", (2, 3), "--fill", "-1", *stored)
                self.drx("compact", "a")
                self.refs("a", name="old.json")
                expected = self.grow_both_ends("a", a)
                self.refs("a")
                told = self.page_reads("a")
                self.assert_same(self.elements(told), expected)
                self.assertEqual(told["attrs"]["drx_lower"], [-4, 0])
                self.assert_same(self.elements(self.page_reads("a", refs="old.json")), a)

    def test_open_chunks(self):
        """The growing edge of a compressed array, row by row, and closed."""
        self.drx("create", "a", "--shape", "0,8", "--chunk", "4,4", "--type", "float32", "--codec", "zstd")
        rows = sample((6, 8), "f4")
        for i, row in enumerate(rows):
            np.save("row.npy", row[None])
            self.drx("append", "a", "0", "row.npy")
            self.assert_same(self.opened("a"), rows[:i + 1])
        self.drx("compact", "a")
        self.assert_same(self.opened("a"), rows)

    def test_what_changed_is_seen(self):
        """Elements written in place, by the same page and the same references: no cache has the old ones."""
        self.put("a", np.zeros(6), "--chunk", 3)
        self.refs("a")
        self.assertEqual(self.elements(self.page_reads("a")).tolist(), [0] * 6)
        for i in range(1, 4):
            self.write("a", np.arange(6.0) * i)
            os.utime("a.xta", (2e9 + i, 2e9 + i))  # nginx compares whole seconds
            self.assertEqual(self.elements(self.page_reads("a")).tolist(), (np.arange(6.0) * i).tolist())

    def test_lower_and_trimmed(self):
        self.drx("create", "a", "--shape", "8,6", "--chunk", "2,3", "--lower", "1000,-6", "--type", "int32", "--dims", "t,")
        a = np.arange(48, dtype="i4").reshape(8, 6)
        self.write("a", a)
        self.drx("trim", "a", "t", "--before", "4", "--after", "1")
        self.refs("a")
        told = self.page_reads("a")
        self.assert_same(self.elements(told), a[4:7])
        self.assertEqual((told["names"], told["attrs"]["drx_lower"]), (["t", "a_dim_1"], [1004, -6]))


class Datasets(BrowserTest):
    def test_variables(self):
        """Coordinates, packed numbers, text of both kinds, a scalar, and attributes."""
        if not importlib.util.find_spec("netCDF4"):
            self.skipTest("no netCDF4")
        self.make_netcdf(5)
        for stored in STORED:
            with self.subTest(stored=stored):
                shutil.rmtree("ds", ignore_errors=True)
                self.drx("import", "one.nc", "ds", *stored)
                self.refs("ds")
                told = {name: self.page_reads(name) for name in ("time", "y", "t", "p", "name", "word", "level")}
                self.assertEqual(told["time"]["attrs"]["units"], "days since 2000-01-01")
                self.assertEqual((told["t"]["names"], told["t"]["fill"]), (["time", "y", "x"], "-9"))
                self.assertEqual((told["p"]["attrs"]["scale_factor"], told["p"]["dtype"]), (0.1, "int16"))
                self.assertEqual(told["t"]["attrs"]["quoted"], 'a "b" \\ / é \n {{x}}')
                self.assertEqual(told["level"]["scalar"], "42")
                for name in ("time", "y", "t", "p"):
                    self.assert_same(self.elements(told[name]), self.whole("ds/" + name))
                letters = [b"".join(row).decode() for row in self.elements(told["name"], "S1").tolist()]
                self.assertEqual(letters, ["ab  ", "cde ", "fghi"])
                rows = [b"".join(row).rstrip(b"\0").decode() for row in self.elements(told["word"], "S1").tolist()]
                self.assertEqual(rows, ["Ulm", "Zürich", ""])

    def make_netcdf(self, days):
        import netCDF4
        with netCDF4.Dataset("one.nc", "w") as f:
            for dim, n in (("time", None), ("y", 3), ("x", 5), ("letter", 4)):
                f.createDimension(dim, n)
            f.createVariable("time", "f8", ("time",))[:] = np.arange(days)
            f["time"].units = "days since 2000-01-01"
            f.createVariable("y", "f4", ("y",))[:] = [-1.5, 0, 1.5]
            f.createVariable("t", "f4", ("time", "y", "x"), fill_value=-9)[:] = sample((days, 3, 5), "i2")
            f["t"].quoted = 'a "b" \\ / é \n {{x}}'
            packed = f.createVariable("p", "i2", ("time", "x"), fill_value=-32767)
            packed.setncatts({"scale_factor": 0.1, "add_offset": 4.0})
            packed[:] = np.arange(days * 5).reshape(days, 5) / 10
            f.createVariable("name", "S1", ("y", "letter"))[:] = np.array([list("ab  "), list("cde "), list("fghi")], "S1")
            f.createVariable("word", str, ("y",))[:] = np.array(["Ulm", "Zürich", ""], object)
            f.createVariable("level", "i8", ())[...] = 42

    def test_names(self):
        """Names that a URL has to escape, of arrays and of files. zarrita has no way to some of them, and says so."""
        a = sample((3, 4), "i4")
        for name in ("ü b", "a{{b}}", "[f]", "a&b+c", "é😀", "c#d", "e?f", "100%", "100%25"):
            for stored in STORED[:2]:
                with self.subTest(name=name, stored=stored):
                    self.put(name, a, "--chunk", (2, 3), *stored)
                    if any(sign in name for sign in "#?%"):
                        self.refuses("Error: ", lambda: self.opened(name))
                    else:
                        self.assert_same(self.opened(name), a)

    def test_the_page_of_the_guide(self):
        """It shows what the guide says that it shows."""
        if not os.path.exists(DATA):
            self.skipTest(f"{DATA} is missing; install ferret-datasets")
        text = (SOURCE / "docs" / "guide" / "browser.md").read_text(encoding="utf-8")
        name, page = listing("guide/browser.md", "html")
        pathlib.Path(name).write_text(page, encoding="utf-8")
        os.symlink(os.path.join(ROOT, "node_modules"), "node_modules")
        for command in re.findall(r"^\$ drx (import .*|refs .*)$", text, re.M):
            self.drx(*command.split())
        BROWSER.open(f"{NGINX.pages}/{self.path}/{name}")
        shown = BROWSER.run("""new Promise((done) => {
            const look = () => document.body.innerText.trim() ? done(document.body.innerText.trim()) : setTimeout(look, 20);
            look();
        })""")
        self.assertEqual(shown, re.search(r"^```text\n(.*?)\n```$", text, re.S | re.M)[1])


class Servers(BrowserTest):
    def setUp(self):
        super().setUp()
        self.put("a", np.arange(6.0) + 1, "--chunk", 2)

    def test_relative_urls(self):
        """A browser takes them from the page on."""
        self.drx("refs", "a", "-o", "refs.json", "--url", self.path)
        self.assertEqual(self.elements(self.page_reads("a")).tolist(), [1, 2, 3, 4, 5, 6])

    def test_without_ranges(self):
        """A whole file is not taken for a chunk."""
        self.refs("a", server=NGINX.whole)
        self.refuses("200", lambda: self.page_reads("a"))

    def test_without_permission(self):
        """A server that does not let pages from elsewhere read it."""
        self.refs("a", server=NGINX.pages.replace("127.0.0.1", "localhost"))
        self.refuses("fetch", lambda: self.page_reads("a"))
        self.assertTrue(NGINX.asked(f"{NGINX.pages}/{self.path}/a.xta"))  # it answered

    def test_what_is_missing(self):
        """An error, not zeros."""
        self.refs("a")
        os.truncate("a.xta", 40)
        self.refuses("a.xta: ends before byte 47", lambda: self.page_reads("a"))
        os.truncate("a.xta", 32)
        self.refuses("Error", lambda: self.page_reads("a"))  # to Chromium 416 is no answer
        os.remove("a.xta")
        self.refuses("404", lambda: self.page_reads("a"))
        self.refuses("NotFoundError", lambda: self.page_reads("b"))


class Packages(unittest.TestCase):
    def test_a_wrong_hash(self):
        """A package that is not the one of package-lock.json is not taken."""
        lock = json.loads((served.HERE / "package-lock.json").read_text(encoding="utf-8"))
        one = lock["packages"]["node_modules/zarrita"]
        self.assertTrue(one["integrity"].startswith("sha512-"))
        one["integrity"] = "sha512-" + ("B" if one["integrity"][7] == "A" else "A") + one["integrity"][8:]
        failed, text = served.install(os.path.join(FOLDER, "wrong"), json.dumps(lock))
        if failed == "network":
            self.skipTest(text)
        self.assertEqual(failed, "EINTEGRITY", text)
        self.assertFalse(os.path.exists(os.path.join(FOLDER, "wrong", "node_modules", "zarrita", "package.json")))

    def test_all_have_hashes(self):
        lock = json.loads((served.HERE / "package-lock.json").read_text(encoding="utf-8"))
        for name, package in lock["packages"].items():
            self.assertTrue(not name or package["integrity"].startswith("sha512-"), name)


if __name__ == "__main__":
    start()
    drx_cli.main()
