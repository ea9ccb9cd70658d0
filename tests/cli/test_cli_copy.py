"""The program drx: copy, from arrays and files to arrays and files."""

import json
import os
import random
import resource
import signal
import time

import numpy as np

import h5_file
import nc_file
from drx_cli import SANITIZED, TYPES, CliTest, has_nameless_file, names, need, read_file, sample, write_file
from h5_file import H5File

need(nc_file.LIBRARY, h5_file.LIBRARY)

TRIALS = 6 if SANITIZED else 40



class CopyTest(CliTest):
    def make(self, path, array, chunk=None, *options):
        """An array with these elements, which has grown along each axis."""
        half = [(n + 1) // 2 for n in array.shape]
        self.drx("create", path, "--shape", half, "--type", array.dtype.name, "--chunk", chunk or [2] * array.ndim,
                 "--force", *options)
        for axis, n in enumerate(array.shape):
            self.drx("extend", path, axis, n - half[axis])
        self.write(path, array)

    def copies(self, source, target, *options, expected):
        self.assertEqual(self.drx("copy", source, target, "--force", *options), "")
        self.assert_same(self.whole(target), expected)
        self.assertEqual(self.drx("check", target), f"{target}: good\n")

    def imported(self, source):
        self.drx("copy", source, "back", "--force")
        return self.whole("back")

    def plan(self, *words):
        return json.loads(self.drx("copy", *words, "--dry-run", "--json"))["steps"]

    def least(self, *words):
        """The memory that a refusal says would do."""
        return int(self.fails(1, "copy", *words, "--memory", 1, says=["--memory 1 is too small; give at least"])
                   .split()[-2])


class Layouts(CopyTest):
    def test_types(self):
        for dtype in TYPES:
            array = sample((7, 5), dtype)
            self.make("a", array, [3, 2], "--dims", "y,x")
            self.copies("a", "b", "--permute", "1,0", "--chunk", "2,4", "--order", "F", expected=array.T)
            self.assert_info("b", type=dtype, chunk=[2, 4], order="F", dims=["x", "y"], history=[])
            self.copies("b", "a", "--permute", "y,x", expected=array)
            self.assertEqual(self.info("a")["chunk"], [4, 2])

    def test_random(self):
        """Against NumPy's transpose, with the least memory that will do, and more."""
        seed = int(os.environ.get("DRX_SEED", random.SystemRandom().randrange(1 << 32)))
        chance = random.Random(seed)
        for trial in range(TRIALS):
            with self.subTest(seed=seed, trial=trial):
                ndim = chance.randint(1, 5)
                shape = [chance.randint(1, 60 >> ndim) if chance.random() < 0.9 else 1 for _ in range(ndim)]
                permute = chance.sample(range(ndim), ndim)
                words = ["--permute", permute]
                if chance.random() < 0.8:
                    words += ["--chunk", [chance.randint(1, 9) for _ in range(ndim)]]
                if chance.random() < 0.5:
                    words += ["--order", chance.choice("CF")]
                if chance.random() < 0.3:
                    words += ["--align", chance.choice(["1", "64", "4K"])]
                array = sample(shape, chance.choice(TYPES), trial)
                self.make("a", array, [chance.randint(1, 9) for _ in range(ndim)], "--order", chance.choice("CF"))
                expected = array.transpose(permute)
                self.copies("a", "b", *words, expected=expected)
                least = self.least("a", "c", "--force", *words)
                for memory in (least, chance.randint(least, 4 * least)):
                    step, = self.plan("a", "c", "--force", *words, "--memory", memory)
                    self.assertLessEqual(step["memory_bytes"], memory)
                    self.copies("a", "c", *words, "--memory", memory, expected=expected)

    def test_defaults(self):
        array = sample((9, 8, 7), "int32")
        self.make("a", array, [2, 3, 4], "--order", "F", "--align", "64", "--dims", "z,,x")
        self.copies("a", "b", expected=array)
        self.copies("a", "c", "--permute", "2,0,1", expected=array.transpose(2, 0, 1))
        self.copies("a", "d", "--order", "C", "--align", "1", expected=array)
        for path, chunk, order, align, dims in (("b", [2, 3, 4], "F", 64, ["z", None, "x"]),
                                                ("c", [4, 2, 3], "F", 64, ["x", "z", None]),
                                                ("d", [2, 3, 4], "C", 1, ["z", None, "x"])):
            self.assert_info(path, chunk=chunk, order=order, align=align, dims=dims, history=[])

    def test_attributes_and_fill(self):
        array = np.arange(12, dtype="f4").reshape(3, 4)
        with H5File("make.h5") as file, file.dataset("u", array, fill=-1) as u:
            u.att("units", "°C")
            u.att("range", np.array([1, 2], "i2"))
        self.drx("import", "make.h5", "a", "--chunk", "2,3")
        self.drx("copy", "a", "b", "--permute", "1,0", "--chunk", "3,3")
        self.assert_info("b", attrs={"units": "°C", "range": [1, 2]}, fill=-1)
        self.drx("extend", "b", 0, 4)
        self.assert_same(self.whole("b"), np.concatenate([array.T, np.full((4, 3), -1, "f4")]))
        self.assertEqual(self.drx("check", "b"), "b: good\n")

    def test_empty(self):
        for shape in ((0,), (0, 3), (3, 0), (2, 0, 3)):
            permute = list(range(len(shape)))[::-1]
            self.make("a", np.zeros(shape, "int16"))
            self.copies("a", "b", "--permute", permute, expected=np.zeros(shape[::-1], "int16"))
            self.drx("extend", "b", permute[shape.index(0)], 2)
            for target in ("out.npy", "out.nc", "out.h5"):
                self.drx("copy", "a", target, "--force", "--permute", permute)
                self.assertEqual(self.imported(target).shape, shape[::-1])
                self.drx("copy", target, "c", "--force")
                self.assertEqual(self.info("c")["shape"], list(shape[::-1]))

    def test_many_dimensions(self):
        shape = [1] * 29 + [2, 3, 2]
        array = sample([12], "int8").reshape(shape)
        self.make("a", array, [1] * 32)
        permute = list(range(32))[::-1]
        self.copies("a", "b", "--permute", permute, "--chunk", [2] * 32, expected=array.transpose(permute))

    def test_large(self):
        array = np.arange(24 << 20, dtype="i4").reshape(4096, -1)  # 96 MiB
        np.save("in.npy", array)
        self.drx("import", "in.npy", "a", "--chunk", "8,6144")
        self.in_little_memory("copy", "a", "b", "--chunk", "6144,8", "--permute", "1,0", "--memory", "24M")
        self.assert_large("b", array.T)
        self.in_little_memory("copy", "in.npy", "out.npy", "--permute", "1,0", "--memory", "24M")
        self.assertTrue(np.array_equal(np.load("out.npy", mmap_mode="r"), array.T))


class Plans(CopyTest):

    def test_large_file(self):
        """Its plan takes no array of its size."""
        with nc_file.NcFile("in.nc") as nc:
            u = nc.var("u", "float64", [nc.dim("y", 1 << 20), nc.dim("x", 1 << 20)])
            nc.att(u, "_FillValue", np.float64(-1))
        self.assertEqual([step["step"] for step in self.plan("in.nc", "b", "--permute", "x,y")], ["import", "copy"])
        self.assertEqual(os.listdir(), ["in.nc"])


class Files(CopyTest):
    def test_sources(self):
        array = sample((6, 5, 4), "float32")
        np.save("c.npy", array)
        np.save("f.npy", np.asfortranarray(array))
        np.save("big.npy", array.astype(">f4"))
        with nc_file.NcFile("in.nc") as nc:
            nc.array("u", array, ["z", "y", "x"], units=b"K")
            nc.array("z", np.arange(6.0), ["z"])
        with H5File("in.h5") as file:
            file.group("deep")
            file.dataset("deep/u", array, chunk=[2, 2, 2]).close()
            file.dataset("v", array).close()
        os.mkdir("tmp")
        for source in ("c.npy", "f.npy", "big.npy", "in.nc", "in.nc:u", "in.h5:/deep/u", "in.h5:v"):
            self.copies(source, "a", expected=array)
            self.copies(source, "a", "--chunk", "3,2,3", "--order", "F", "--align", "32", expected=array)
            self.assert_info("a", chunk=[3, 2, 3], order="F", align=32)
            self.copies(source, "a", "--permute", "2,0,1", "--chunk", "3,2,3", "--order", "F", "--tmp", "tmp",
                        expected=array.transpose(2, 0, 1))
            self.assertEqual((self.info("a")["chunk"], self.info("a")["order"]), ([3, 2, 3], "F"))
        self.copies("in.nc", "a", "--permute", "x,z,y", expected=array.transpose(2, 0, 1))
        self.assertEqual((self.info("a")["dims"], self.info("a")["attrs"]), (["x", "z", "y"], {"units": "K"}))
        self.assertEqual(os.listdir("tmp"), [])
        self.drx("copy", "-", "b", "--permute", "1,0,2", stdin=read_file("c.npy"))
        self.assert_same(self.whole("b"), array.transpose(1, 0, 2))
        self.assertEqual([name for name in os.listdir() if name.startswith(".")], [])

    def test_targets(self):
        array = sample((6, 5, 4), "int16")
        self.make("a", array, [2, 5, 3], "--dims", "z,y,x", "--fill", "-7")
        for target in ("out.npy", "out.nc", "out.h5"):
            for words, expected in (([], array), (["--permute", "2,0,1"], array.transpose(2, 0, 1))):
                self.assertEqual(self.drx("copy", "a", target, "--force", *words), "")
                self.assert_same(self.imported(target), expected)
                if target != "out.npy":
                    self.assert_info("back", fill=-7, dims=list("xzy" if words else "zyx"))
        for target in ("out.nc:deep/v", "out.h5:deep/v"):
            name = target.split(":")[0]
            for permute, chunk in (("0,1,2", "1,5,2"), ("2,1,0", "3,2,1"), ("1,0,2", "9,1,9")):
                self.drx("copy", "a", target, "--force", "--permute", permute, "--chunk", chunk)
                expected = array.transpose(list(map(int, permute.split(","))))
                self.assert_same(self.imported(target), expected)
                with H5File(name, new=False) as file, file.open("deep/v") as v:
                    self.assertEqual(v.chunk(), tuple(np.minimum(list(map(int, chunk.split(","))), expected.shape)))
        for order in "CF":
            self.drx("copy", "a", "out.npy", "--force", "--order", order, "--permute", "2,1,0")
            self.assertEqual(np.load("out.npy").flags.f_contiguous, order == "F")
            self.assert_same(np.load("out.npy"), array.T)
        result = self.run_drx("copy", "a", "-", "--permute", "2,1,0")
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        write_file("piped.npy", result.stdout)
        self.assert_same(np.load("piped.npy"), array.T)

    def test_from_file_to_file(self):
        array = sample((6, 5), "float64")
        np.save("in.npy", array)
        with H5File("in.h5") as file:
            file.group("deep")
            with file.dataset("deep/u", array) as u:
                u.att("units", "K")
        for source, name in (("in.npy", "in"), ("in.h5", "deep/u")):
            for target in ("out.nc", "out.h5", "out.npy"):
                for words, expected in (([], array), (["--permute", "1,0"], array.T)):
                    self.drx("copy", source, target, "--force", *words)
                    self.assert_same(self.imported(target if target == "out.npy" else f"{target}:{name}"), expected)
                    if target != "out.npy" and source == "in.h5":
                        self.assertEqual(self.info("back")["attrs"], {"units": "K"})
                if target != "out.npy":
                    self.drx("copy", source, target + ":w", "--force", "--chunk", "3,1", "--memory", "40")
                    with H5File(target, new=False) as file, file.open("w") as w:
                        self.assertEqual(w.chunk(), (3, 1))
                    self.assert_same(self.imported(target + ":w"), array)

    def test_coordinates(self):
        """Those of an array go into the file, along the axis that they belong to."""
        array = sample((3, 4), "float64")
        self.make("u", array, [2, 2], "--dims", "y,x")
        for name, n in (("y", 3), ("x", 4)):
            self.make(name, np.arange(n, dtype="f8") + 10, [2], "--dims", name)
        for words in ([], ["--permute", "1,0"]):
            for target in ("out.nc", "out.h5"):
                self.drx("copy", "u", target, "--force", *words)
                for name, n in (("y", 3), ("x", 4)):
                    self.assert_same(self.imported(f"{target}:{name}"), np.arange(n) + 10.0)
                with H5File(target, new=False) as file, file.open("u") as u:
                    self.assertEqual([u.scales(axis) for axis in (0, 1)], [1, 1])

    def test_own_chunks(self):
        """Small chunks are put together only where nobody asked for them."""
        self.make("a", sample((40, 40), "int8"), [2, 2])
        self.drx("copy", "a", "all.h5")
        self.drx("copy", "a", "own.h5", "--chunk", "2,2")
        for name, chunk in (("all", (40, 40)), ("own", (2, 2))):
            with H5File(name + ".h5", new=False) as file, file.open("a") as a:
                self.assertEqual(a.chunk(), chunk)


class Endings(CopyTest):
    """What is left when a copy ends before its time."""

    def setUp(self):
        super().setUp()
        os.mkdir("tmp")
        self.drx("create", "a", "--shape", "16384,131072", "--type", "int8", "--chunk", "64,16384")
        with nc_file.NcFile("in.nc", nc_file.CDF5) as nc:
            nc.no_fill()
            nc.var("u", "int8", [nc.dim("y", 2000), nc.dim("x", 1 << 20)])
        os.truncate("in.nc", 2000 << 20 | 4096)  # sparse
        self.make("b", np.zeros(3, "int8"))
        self.names = names()

    def assert_nothing_left(self):
        self.assertEqual((names(), os.listdir("tmp"), self.info("b")["shape"]), (self.names, [], [3]))

    def test_signals(self):
        chance = random.Random(7)

        def has_begun(process):  # a little or longer ago
            begun = has_nameless_file(process) or names() != self.names
            time.sleep(chance.choice([0, 0.02, 0.1]) if begun else 0)
            return begun

        for source in ("a", "in.nc"):
            for target, words in (("c", []), ("b", ["--force"]), ("out.h5", []), ("out.npy", [])):
                for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
                    if number == signal.SIGKILL and target.startswith("out"):
                        continue  # a name of its own beside the file
                    error = self.interrupted(number, "copy", source, target, "--permute", "1,0", "--tmp", "tmp",
                                             "--memory", "32M", *words, begun=has_begun)
                    self.assertEqual(error, "", (source, target))
                    self.assert_nothing_left()

    def test_no_space(self):
        for size in (1, 5000, 100000, 12 << 20):
            for target in ("c", "b", "out.h5", "out.npy"):
                chunk = [] if target == "out.npy" else ["--chunk", "8192,64"]
                result = self.run_drx("copy", "a", target, "--permute", "1,0", *chunk, "--force", "--tmp", "tmp",
                                      "--memory", "32M",
                                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))
                self.assertEqual(result.returncode, 1, (size, target, result.stderr))
                self.assertEqual(result.stderr.count(b"\n"), 1, result.stderr)
                self.assertIn(b"File too large", result.stderr)
                self.assert_nothing_left()
        self.assertEqual(self.drx("check", "a"), "a: good\n")

    def test_full_device(self):
        os.symlink("/dev/full", "full.npy")
        self.fails(1, "copy", "a", "full.npy", says=["full.npy: cannot write: No space left on device"])
        os.remove("full.npy")
        self.assert_nothing_left()
