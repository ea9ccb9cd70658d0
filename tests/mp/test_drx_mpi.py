"""The program drx-mpi on 1 to 4 ranks makes and prints the same bytes as drx. A failure on one rank ends it on all,
is reported once, and leaves no files."""

import os
import random
import signal
import subprocess
import sys
import time
import unittest

import numpy as np

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import by_hand  # noqa: E402, F401

SOURCE, BUILD = os.environ["DRX_SOURCE"], os.environ["DRX_BUILD"]
sys.path.insert(0, os.path.join(SOURCE, "tests", "cli"))

import drx_cli  # noqa: E402
import nc_file  # noqa: E402
from drx_cli import CliTest, sample  # noqa: E402

IN_MPI, DRX_MPI = os.path.join(SOURCE, "scripts", "in-mpi"), os.path.join(BUILD, "bin", "drx-mpi")
os.environ["DRX_CREATION_ID"] = "00112233445566778899aabbccddeeff"  # so that files can be the same
os.environ["SOURCE_DATE_EPOCH"] = "0"  # of commits
SEED = int(os.environ.get("DRX_SEED", time.time()))
LIMIT = 9000  # KiB a file may have; less, and MPI itself may fail
RANK = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"


def own_lines(stderr):
    return [line for line in stderr.decode().splitlines() if line.startswith("drx")]


def a_few_ranks():
    """Two of the numbers of ranks, others in each run: a job takes half a second to start."""
    return drx_cli.some(2, (1, 2, 3, 4))


class MpiTest(CliTest):
    def run_mpi(self, ranks, *words, rank=-1, before=":", **options):
        """`before` is what that rank runs in its shell before the program."""
        command = [IN_MPI, str(ranks), "600", "bash", "-c", f'[ "{RANK}" = {rank} ] && {before}\nexec "$0" "$@"',
                   DRX_MPI,
                   *map(os.fspath, map(drx_cli.as_word, words))]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, timeout=650,
                              **options)

    def mpi(self, ranks, *words, **options):
        """Standard output of a run that must succeed silently."""
        done = self.run_mpi(ranks, *words, **options)
        self.assertEqual((done.returncode, done.stderr.decode()), (0, ""), words)
        return done.stdout

    def mpi_fails(self, code, ranks, *words, lines=1, says="", **options):
        """What drx-mpi itself says in so many lines, mpirun's own remarks left out."""
        done = self.run_mpi(ranks, *words, **options)
        self.assertEqual((done.returncode, done.stdout), (code, b""), done.stderr)
        error = own_lines(done.stderr)
        self.assertEqual(len(error), lines, error)
        self.assertIn(says, error[0])
        return error

    def mpi_fails_as_one(self, ranks, *words):
        """As drx does, in the same words."""
        serial = self.run_drx(*words)
        self.assertNotEqual(serial.returncode, 0)
        error = serial.stderr.decode().splitlines()
        self.assertEqual(self.mpi_fails(serial.returncode, ranks, *words, lines=len(error)), error)

    def assert_files(self, *names):
        self.assertEqual(sorted(os.listdir(".")), sorted(names))

    def assert_same_arrays(self, got, expected):
        for suffix in (".xmd", ".xta"):
            self.assert_same_file(got + suffix, expected + suffix)

    def assert_same_file(self, got, expected):
        self.assertTrue(drx_cli.read_file(got) == drx_cli.read_file(expected), got)


class Import(MpiTest):
    def compare(self, *words, ranks=None, beside=()):
        self.drx("import", *words[:1], "serial/a", *words[1:])
        for n in ranks or a_few_ranks():
            os.makedirs(f"on{n}", exist_ok=True)
            self.assertEqual(self.mpi(n, "import", *words[:1], f"on{n}/a", *words[1:]), b"")
            for name in ("a", *beside):
                self.assert_same_arrays(f"on{n}/{name}", f"serial/{name}")
            self.assertEqual(sorted(os.listdir(f"on{n}")), sorted(os.listdir("serial")))

    def setUp(self):
        super().setUp()
        os.mkdir("serial")

    def test_npy(self):
        np.save("a.npy", sample((60, 40, 50), "float64"))
        self.compare("a.npy", "--chunk", "7,40,9", "--fill", "nan", "--dims", "t,y,x")

    def test_random(self):
        draw = random.Random(SEED)
        for i in drx_cli.some(3, range(6)):
            shape = [draw.randint(0 if draw.random() < 0.1 else 1, 40) for _ in range(draw.randint(1, 3))]
            chunk = [draw.randint(1, 12) for _ in shape]
            array = sample(shape, draw.choice(drx_cli.TYPES), SEED)
            np.save("a.npy", np.asfortranarray(array) if i % 2 else array)
            self.compare("a.npy", "--chunk", chunk, "--order", draw.choice("CF"), "--force", ranks=[draw.randint(2, 4)])

    def test_raw(self):
        sample((33, 44), "int16").astype(">i2").tofile("a.bin")
        self.compare("a.bin", "--raw", "--type", ">i2", "--shape", "33,44", "--chunk", "8,8", "--source-order", "F",
                     ranks=[3])

    @unittest.skipUnless(nc_file.LIBRARY, "no netCDF")
    def test_netcdf_with_coordinates(self):
        array = sample((30, 20, 10), "float32")
        with nc_file.NcFile("in.nc") as nc:
            dims = [nc.dim(name, extent) for name, extent in zip("tyx", array.shape)]
            u = nc.var("u", "float32", dims)
            nc.att(u, "units", b"m/s")
            nc.att(u, "_FillValue", array[:1, 0, 0].copy())
            axes = [nc.var(name, "float64", [dim]) for name, dim in zip("tyx", dims)]
            nc.end_define()
            nc.put(u, array)
            for axis, extent in zip(axes, array.shape):
                nc.put(axis, np.arange(extent) * 2.5)
        self.compare("in.nc:u", "--coords", "--chunk", "4,4,4", beside="tyx", ranks=[1, 4])

    def test_replacing(self):
        np.save("a.npy", sample((20, 20), "float64"))
        self.drx("import", "a.npy", "a", "--chunk", "3,3")
        self.drx("import", "a.npy", "b", "--chunk", "4,4")
        self.mpi_fails(1, 3, "import", "a.npy", "a", "--chunk", "4,4",
                       says="drx import: a.xmd: exists already; give a new path, or --force to replace it")
        self.mpi(3, "import", "a.npy", "a", "--chunk", "4,4", "--force")
        self.assert_same_arrays("a", "b")

    def test_appending(self):
        draw = random.Random(SEED)
        for i in drx_cli.some(4, range(8)):
            shape = [draw.randint(1, 30) for _ in range(draw.randint(1, 3))]
            axis, first = draw.randrange(len(shape)), list(shape)
            first[axis] = draw.randint(0, 9)
            chunk = [draw.randint(1, 12) for _ in shape]
            np.save("first.npy", sample(first, "float64", SEED))
            np.save("more.npy", np.asfortranarray(sample(shape, "float64", SEED + 1)) if i % 2
                    else sample(shape, "float64", SEED + 1))
            start = draw.randint(0, shape[axis])
            for name in ("a", "b"):
                self.drx("import", "first.npy", name, "--chunk", chunk, "--fill", "7", "--force")
            self.drx("import", "more.npy", "b", "--append", axis, "--from", start)
            self.mpi(draw.randint(2, 4), "import", "more.npy", "a", "--append", axis, "--from", start)
            self.assert_same_arrays("a", "b")

    def test_appending_in_pieces(self):
        array = sample((20, 1024, 1024), "float64")
        np.save("a.npy", array)
        for name in ("a", "b"):
            self.drx("create", name, "--shape", "3,1024,1024", "--chunk", "4,300,1024")
        self.drx("import", "a.npy", "b", "--append", "0")
        self.assertEqual([step["by"] for step in self.info("b")["history"]], [20])
        self.mpi(3, "import", "a.npy", "a", "--append", "0")
        self.assert_same_arrays("a", "b")
        error = self.mpi_fails(1, 3, "import", "a.npy", "a", "--append", "0", rank=1,
                               before="ulimit -f 300000", says="File too large")
        self.assertEqual(self.info("a")["shape"][0], 23, error)
        self.assertIn("a: good", self.drx("check", "a"))

    def test_append_with_coordinates(self):
        for n, name in ((2, "a.nc"), (3, "b.nc")):
            with nc_file.NcFile(name) as nc:
                dims = [nc.dim("t", n), nc.dim("x", 4)]
                u, t = nc.var("u", "float32", dims), nc.var("t", "float64", dims[:1])
                nc.end_define()
                nc.put(u, sample((n, 4), "float32"))
                nc.put(t, np.arange(n) + 2.0 * n)  # they go on from each other
        for folder in ("serial", "many"):
            os.makedirs(folder, exist_ok=True)
            self.drx("import", "a.nc:u", f"{folder}/u", "--coords", "--chunk", "2,2")
        self.drx("import", "b.nc:u", "serial/u", "--append", "t")
        self.mpi(3, "import", "b.nc:u", "many/u", "--append", "t")
        for name in ("u", "t"):
            self.assert_same_arrays(f"many/{name}", f"serial/{name}")
        self.mpi_fails(1, 3, "import", "b.nc:u", "many/u", "--append", "z")

    def test_pipes(self):
        """Rank 0 does it."""
        np.save("a.npy", sample((20, 20), "float64"))
        for words in (("--chunk", "4,4"), ("--append", "0")):
            with open("a.npy", "rb") as file:
                self.drx("import", "-", "b", *words, stdin=file.read())
            with open("a.npy", "rb") as file:
                self.mpi(3, "import", "-", "a", *words, stdin=file)
            self.assert_same_arrays("a", "b")

    def test_a_rank_fails(self):
        np.save("a.npy", np.zeros((48, 256, 512)))
        for rank in range(3):
            self.mpi_fails(1, 3, "import", "a.npy", "new", "--chunk", "1,256,512", rank=rank,
                           before=f"ulimit -f {LIMIT}", says="File too large")
            self.assert_files("a.npy", "serial")

    def test_a_rank_cannot_read(self):
        np.save("a.npy", sample((64, 64, 64), "float64"))
        self.mpi_fails(1, 3, "import", "a.npy", "new", rank=2, before="cd serial", says="a.npy: no such file")
        self.assert_files("a.npy", "serial")
        with open("a.npy", "r+b") as file:
            file.truncate(1 << 20)
        self.mpi_fails(1, 3, "import", "a.npy", "new")
        self.assert_files("a.npy", "serial")

    def test_interrupted(self):
        os.mkfifo("pipe")
        run = subprocess.Popen([IN_MPI, "2", "600", DRX_MPI, "import", "pipe", "new"], stderr=subprocess.DEVNULL)
        with open("pipe", "wb", buffering=0) as pipe:
            np.lib.format.write_array_header_1_0(pipe, {"descr": "<f8", "fortran_order": False, "shape": (1 << 20,)})
            pipe.write(bytes(4096))
            while not (made := [name for name in os.listdir(".") if name.startswith(".new.import-")]):
                time.sleep(0.05)
            os.kill(int(made[0].split("-")[1].split(".")[0]), signal.SIGTERM)  # rank 0; mpirun would not wait long
            self.assertNotEqual(run.wait(timeout=600), 0)
        self.assert_files("pipe", "serial")


class Read(MpiTest):
    def setUp(self):
        super().setUp()
        np.save("a.npy", sample((50, 41, 23), "complex64"))
        self.drx("import", "a.npy", "a", "--chunk", "7,8,9")

    def compare(self, *words, ranks=None):
        for verb, target in (("read", ("-o",)), ("export", ())):
            self.drx(verb, words[0], *target, "serial.npy", *words[1:])
            for n in ranks or a_few_ranks():
                self.assertEqual(self.mpi(n, verb, words[0], *target, "many.npy", *words[1:]), b"")
                self.assert_same_file("many.npy", "serial.npy")
        self.assert_files("a.npy", "a.xmd", "a.xta", "many.npy", "serial.npy")

    def test_whole(self):
        self.compare("a")
        self.assert_same_file("many.npy", "a.npy")

    def test_orders_and_selections(self):
        self.compare("a", "--order", "F", ranks=[3])
        self.compare("a[10:-3, 5, ::-2]", ranks=[2])
        self.compare("a[::3, ::-1, 4:5]", "--order", "F", ranks=[4])
        self.compare("a[3:3]", ranks=[3])

    def test_text_and_pipes(self):
        for words in (("a[1, 2:9]",), ("a[3]", "-o", "-"), ("a", "--at", "1,2,3", "--count", "2,2,2")):
            serial = self.run_drx("read", *words)
            self.assertEqual(self.mpi(3, "read", *words), serial.stdout)

    @unittest.skipUnless(nc_file.LIBRARY, "no netCDF")
    def test_as_of_a_commit(self):
        """With the bounds, axes, attributes and coordinates of then."""
        with nc_file.NcFile("in.nc") as nc:
            dim = nc.dim("t", 9)
            u, t = nc.var("u", "int16", [dim]), nc.var("t", "float64", [dim])
            nc.att(u, "scale_factor", np.array([0.5]))
            nc.att(t, "units", b"days since 2000-01-01")
            nc.end_define()
            nc.put(u, np.arange(9, dtype="int16"))
            nc.put(t, np.arange(9.0))
        self.drx("import", "in.nc", "ds")
        then = self.drx("read", "ds/u[t=2000-01-03:2000-01-08]")
        self.drx("attr", "ds/u", "scale_factor=3")
        self.drx("attr", "ds/t", "units=hours since 1990-01-01")
        self.drx("add-axis", "ds/u", "0", "run")
        self.assertEqual(self.mpi(2, "read", "ds/u[t=2000-01-03:2000-01-08]", "--commit", "1").decode(), then)
        self.mpi_fails_as_one(2, "read", "ds/u", "--commit", "9")

    def test_explain(self):
        done = self.run_mpi(3, "read", "a", "-o", "b.npy", "--explain")
        self.assertEqual(done.returncode, 0)
        self.assertIn(f"wanted     {50 * 41 * 23 * 8 / 1024:.1f} KiB", done.stderr.decode())
        self.assertEqual(done.stderr.decode().count("wanted"), 1)

    def test_failing(self):
        self.mpi_fails_as_one(3, "read", "nothing", "-o", "b.npy")
        self.mpi_fails(1, 4, "read", "a[60]", "-o", "b.npy")
        self.mpi_fails(1, 2, "export", "a", "a.xta", "--format", "npy")
        self.mpi_fails(2, 2, "read")
        self.drx("create", "large", "--shape", "48,256,512", "--chunk", "1,256,512")
        for rank in range(3):
            error = self.mpi_fails(1, 3, "read", "large", "-o", "b.npy", rank=rank, before=f"ulimit -f {LIMIT}")
            self.assertEqual(error, ["drx read: b.npy: cannot write: File too large"])
        self.assert_files("a.npy", "a.xmd", "a.xta", "large.xmd", "large.xta")

    def test_damaged(self):
        os.truncate("a.xmd", 40)
        self.mpi_fails_as_one(3, "read", "a", "-o", "b.npy")


class Export(MpiTest):
    def test_other_formats(self):
        """Rank 0 writes them."""
        array = sample((20, 30), "float32")
        np.save("a.npy", array)
        self.drx("import", "a.npy", "a", "--chunk", "8,8", "--dims", "y,x")
        for target in ("a.nc", "a.h5"):
            self.assertEqual(self.mpi(3, "export", "a[2:]", target, "--deflate", "3"), b"")
            self.drx("import", f"{target}:a", "back", "--force")
            self.assert_same(self.whole("back"), array[2:])
        self.assertEqual(sorted(name for name in os.listdir(".") if not name.startswith(("a.", "back."))), [])


class Check(MpiTest):
    def setUp(self):
        super().setUp()
        os.mkdir("many")
        for i in range(7):
            self.drx("create", f"many/a{i}", "--shape", [i + 1, 5], "--chunk", "2,2")
        np.save("one.npy", np.ones((5, 5)))
        self.drx("import", "one.npy", "one", "--chunk", "2,2")

    def compare(self, *words, ranks=(3,)):
        serial = self.run_drx("check", *words)
        for n in ranks:
            done = self.run_mpi(n, "check", *words)
            self.assertEqual((done.returncode, done.stdout), (serial.returncode, serial.stdout))
            lines = own_lines(done.stderr)
            self.assertEqual(sorted(lines), sorted(serial.stderr.decode().splitlines()))
        return serial.returncode

    def test_good(self):
        self.assertEqual(self.compare("one", "many"), 0)
        self.assertEqual(self.compare("many", "one", "--json", ranks=a_few_ranks()), 0)
        self.assertEqual(self.compare("one"), 0)

    def test_it_is_shared(self):
        """A rank that is elsewhere misses its own arrays, and no others."""
        paths = [f"many/a{i}" for i in range(7)]
        for rank in range(3):
            done = self.run_mpi(3, "check", *paths, rank=rank, before="mkdir -p elsewhere && cd elsewhere")
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stdout.decode().split("\n")[:-1],
                             [f"{path}: good" for i, path in enumerate(paths) if i % 3 != rank])
            error = own_lines(done.stderr)
            self.assertEqual(error, [f"drx check: {path}: the folder many does not exist" for path in paths[rank::3]])

    def test_damaged(self):
        for name, offset in (("many/a2.xmd", 70), ("many/a5.xmd", 20)):
            with open(name, "r+b") as file:
                file.seek(offset)
                file.write(b"\xff\xfe\xfd")
        os.remove("many/a3.xta")
        with open("one.xta", "r+b") as file:
            file.seek(-8, os.SEEK_END)
            file.write(b"residue!")
        self.assertEqual(self.compare("many", "one"), 1)
        self.assertEqual(self.compare("--json", "one", "many", "one"), 1)
        self.assertEqual(self.compare("one", "nothing", "nowhere"), 1)


class Others(MpiTest):
    def test_rank_0_alone(self):
        self.mpi(3, "create", "a", "--shape", "4,4", "--chunk", "2,2")
        self.mpi(3, "extend", "a", "0", "3")
        self.assertEqual(self.mpi(3, "info", "a", "--json"), self.run_drx("info", "a", "--json").stdout)
        self.assertEqual(self.mpi(2, "map", "a"), self.run_drx("map", "a").stdout)
        self.assertEqual(self.mpi(2, "--version"), self.run_drx("--version").stdout)
        self.assertEqual(self.mpi(2, "check", "--help"), self.run_drx("check", "--help").stdout)
        for words in (("create", "a", "--shape", "4"), ("extend", "b", "0", "1"), ("nonsense",), ("import", "--odd"),
                      ()):
            self.mpi_fails_as_one(3, *words)

    def test_local_stripes(self):
        """Jobs with stripes on disks of their nodes make, use and remove them (test_mp_hosts_drx has disks that are apart)."""
        local = {**os.environ, "DRXMP_LOCAL_STRIPES": "1", "DRXMP_ONESIDED": "1"}  # each rank is a node
        np.save("a.npy", sample((40, 30), "int32"))
        for folder in "d0", "d1":
            os.mkdir(folder)
        self.mpi(2, "import", "a.npy", "a", "--chunk", "8,8", "--stripe", "d0,d1")
        self.assertTrue(os.listdir("d1")[0].startswith("a.import-"))
        self.mpi(2, "import", "a.npy", "a", "--append", "0", env=local)
        self.assertEqual(self.mpi(2, "check", "a", env=local), b"a: good\n")
        self.mpi(2, "read", "a", "-o", "b.npy", env=local)
        self.assertTrue((np.load("b.npy") == np.concatenate([np.load("a.npy")] * 2)).all())
        self.mpi(2, "import", "a.npy", "b", "--chunk", "8,8", "--stripe", "d0,d1", env=local)
        self.assertEqual([len(os.listdir(folder)) for folder in ("d0", "d1")], [2, 2])
        self.assertEqual(self.mpi(2, "read", "b[3:9,4]", env=local), self.run_drx("read", "b[3:9,4]").stdout)
        self.mpi_fails(1, 2, "import", "a.npy", "b", "--stripe", "d0,d1", says="exists already", env=local)
        self.mpi(2, "rm", "a", "b", env=local)
        self.assertEqual([os.listdir(folder) for folder in ("d0", "d1")], [[], []])
        self.assert_files("a.npy", "b.npy", "d0", "d1")

    def test_copy(self):
        """All ranks copy an array into another; rank 0 does the rest, also where import and export would be shared."""
        np.save("in.npy", sample((9, 8, 7), "float32"))
        self.drx("import", "in.npy", "a", "--chunk", "2,3,4")
        words = ("--permute", "2,0,1", "--memory", "2M")
        for source in ("a", "in.npy"):
            for target in ("b", "b.npy"):
                self.drx("copy", source, target, *words, "--force")
                self.assertEqual(self.mpi(3, "copy", source, target.replace("b", "c", 1), *words, "--force"), b"")
            self.assert_same_arrays("c", "b")
            self.assert_same_file("c.npy", "b.npy")
        plan = self.run_drx("copy", "a", "d", *words, "--dry-run")
        self.assertEqual(self.mpi(2, "copy", "a", "d", *words, "--dry-run"), plan.stdout)
        self.assertEqual(self.mpi_fails(1, 2, "copy", "a", "b", *words),
                         ["drx copy: b.xmd: exists already; give a new path, or --force to replace it"])

    def test_copy_from_elsewhere(self):
        """All ranks copy an array whose indices do not begin at 0."""
        np.save("in.npy", sample((19, 18, 17), "float32"))
        self.drx("import", "in.npy", "a", "--chunk", "2,3,4", "--fill", "nan")
        self.drx("trim", "a", "0", "--before", "3", "--after", "1")
        self.drx("extend", "a", "1", "4", "--before")
        self.drx("add-axis", "a", "1", "member")
        words = ("--permute", "2,0,3,1", "--chunk", "5,4,3,1", "--checksum")
        for i, more in enumerate(([], ["--from-zero"], ["--order", "F", "--memory", "8K"])):
            self.drx("copy", "a", f"b{i}", *words, *more)
            for n in drx_cli.some(2, (1, 2, 3, 5)):
                self.assertEqual(self.mpi(n, "copy", "a", f"c{i}", *words, *more, "--force"), b"")
                self.assert_same_arrays(f"c{i}", f"b{i}")
                self.assert_same_file(f"c{i}.xcs", f"b{i}.xcs")
            self.drx("check", f"c{i}")
        self.mpi_fails(1, 2, "copy", "a", "b0", *words, says="b0.xmd: exists already; give a new path")
        self.mpi_fails(1, 2, "copy", "a", "d", "--memory", "1", says="1 bytes of memory are too little")
        self.assertEqual([name for name in os.listdir(".") if "d" in name.split(".")], [])

    def assert_same_packed(self, got, expected):
        for suffix in (".xmd", ".xct", ".xtz"):
            self.assert_same_file(got + suffix, expected + suffix)

    def test_compressed(self):
        """All ranks import to compressed arrays, append and read; rank 0 alone copies, and makes datasets."""
        with nc_file.NcFile("in.nc") as file:
            file.array("u", sample((19, 28, 7), "float32"), "tyx")
        for ranks in (2, 3):
            self.drx("import", "in.nc:u", "a", "--codec", "zstd", "--chunk", "4,5,3", "--force")
            self.mpi(ranks, "import", "in.nc:u", "b", "--codec", "zstd", "--chunk", "4,5,3", "--force")
            self.assert_same_packed("b", "a")
            for _ in range(2):
                self.drx("import", "in.nc", "a", "--append", "0", "--as", "a")
                self.mpi(ranks, "import", "in.nc", "b", "--append", "0", "--as", "b")
                self.assert_same_packed("b", "a")
            self.assertEqual(self.mpi(ranks, "check", "a", "b"), b"a: good\nb: good\n")
        self.mpi(2, "import", "in.nc", "ds", "--dataset", "--codec", "zstd")
        for suffix in (".xtz", ".xct"):
            self.assertGreater(os.path.getsize("ds/u" + suffix), 0)
        self.mpi(2, "copy", "a", "c")
        self.mpi(2, "copy", "a", "raw", "--codec", "none")
        self.assert_same(self.whole("c"), self.whole("a"))
        self.assert_same(self.whole("raw"), self.whole("a"))
        self.assertEqual(self.mpi(3, "check", "c", "raw"), b"c: good\nraw: good\n")
        self.mpi(3, "export", "a", "a.npy")
        self.assert_same(np.load("a.npy"), self.whole("a"))

    def test_compressed_slabs(self):
        """The slabs of an import are those of one process, so the payloads lie in the same order."""
        np.save("in.npy", np.arange(3000 * 2100).reshape(3000, 2100) % 1000)  # 50 MB, more than a slab with two sources
        np.save("turned.npy", np.asfortranarray(np.arange(3000 * 3100).reshape(3000, 3100) % 1000))
        for name in ("in.npy", "turned.npy"):
            self.drx("import", name, "a", "--codec", "lz4", "--chunk", "300,200", "--force")
            self.mpi(2, "import", name, "b", "--codec", "lz4", "--chunk", "300,200", "--force")
            self.assert_same_packed("b", "a")

    def test_without_mpirun(self):
        """As a job of one rank."""
        drx_cli.DRX, serial = DRX_MPI, drx_cli.DRX
        self.addCleanup(setattr, drx_cli, "DRX", serial)
        np.save("a.npy", np.arange(12.0).reshape(3, 4))
        self.drx("import", "a.npy", "a", "--chunk", "2,2")
        self.assert_same(self.whole("a"), np.arange(12.0).reshape(3, 4))
        self.assertEqual(self.drx("check", "a"), "a: good\n")


if __name__ == "__main__":
    if not os.path.exists(DRX_MPI):
        sys.exit(77)
    print(f"DRX_SEED={SEED}", flush=True)
    drx_cli.main()
