"""Running the program drx in tests: a folder for each test, and what a run gave.

drx_cli.py TEST DRX_PROGRAM [unittest's options] runs the tests of TEST.py."""

import atexit
import contextlib
import glob
import io
import json
import os
import random
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path += [os.path.join(TESTS, "python"), os.path.join(TESTS, "golden")]
import by_hand  # noqa: E402, F401
from vectors import CODECS  # noqa: E402

DRX = None  # the program; set by main
SERVER = None  # runs it without loading its libraries each time; None: there is none beside the program
TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "float32", "float64", "complex64", "complex128", "float16", "bool"]
OTHER = "/dev/shm"  # another file system on most machines
SANITIZED = "ASAN_OPTIONS" in os.environ  # slower and larger then
STORED = ((), *(("--codec", codec, "--shuffle", ("byte", "bit", "none")[i % 3]) for i, codec in enumerate(CODECS)))
SEED = int(os.environ.get("DRX_SEED", time.time()))
TORTURE = os.environ.get("DRX_TORTURE") == "1"
RANDOM = random.Random(SEED)


def type_name(dtype):
    """As drx calls the type."""
    return dtype.str[1:] if dtype.kind in "SU" else dtype.name


def some(n, items):
    """n of the items, in their order, others in each run (DRX_SEED repeats that of a file); all with DRX_TORTURE=1."""
    items = list(items)
    return items if TORTURE else [items[i] for i in sorted(RANDOM.sample(range(len(items)), n))]


def sample(shape, dtype, seed=0):
    """Elements of all magnitudes of the type."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    raw = random.integers(0, 256, (*shape, dtype.itemsize), dtype=np.uint8).view(dtype)[..., 0]
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(bool)
    if dtype.kind in "fc":
        raw = raw.copy()
        raw[~np.isfinite(raw)] = 1.5
    return raw


class Server:
    """run_server.c: a child of one process for each run, in the present folder, with the environment it began with."""

    def __init__(self, program):
        self.folder = tempfile.TemporaryDirectory()
        self.environment = dict(os.environ)
        self.files = [os.fsencode(os.path.join(self.folder.name, name)) for name in ("out", "err")]
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, words):
        words = [os.fsencode(as_word(word)) for word in words]
        mask = os.umask(0o077)
        os.umask(mask)
        request = b"".join(part + b"\0" for part in [b"%o" % mask, os.getcwdb(), b"/dev/null", *self.files, *words])
        self.process.stdin.write(b"%d\n%s" % (len(request), request))
        self.process.stdin.flush()
        code = int(self.process.stdout.readline())
        return subprocess.CompletedProcess(words, code, *(read_file(name) for name in self.files))

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()
        self.folder.cleanup()


def start_server(program):
    """The server beside the program; None: there is none."""
    path = os.path.join(os.path.dirname(os.path.dirname(program)), "tests", "run_server")
    if not os.path.exists(path):
        return None
    server = Server(path)
    atexit.register(server.close)
    return server


def read_file(name):
    with open(name, "rb") as file:
        return file.read()


def write_file(name, data=b"", mode="wb"):
    with open(name, mode) as file:
        file.write(data.encode() if isinstance(data, str) else data)


def names(folder="."):
    return sorted(os.listdir(folder))


def mode_of(name):
    return stat.S_IMODE(os.stat(name).st_mode)


def npy_bytes(array, version=None):
    file = io.BytesIO()
    np.lib.format.write_array(file, np.asarray(array), version=version)
    return file.getvalue()


@contextlib.contextmanager
def closed_pipe():
    """A pipe to write to that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


def worker(process):
    """The id of the child that does the work of the process, or that of the process."""
    children = read_file(f"/proc/{process.pid}/task/{process.pid}/children").split()
    return int(children[0]) if children else process.pid


def has_nameless_file(process):
    """In the present folder, or one in it: so it copies."""
    with contextlib.suppress(OSError):
        links = [os.readlink(link) for link in glob.glob(f"/proc/{worker(process)}/fd/*")]
        return any(os.getcwd() in link and "deleted" in link for link in links)
    return False


def need(*libraries):
    """These tests cannot run without all of them."""
    if None in libraries:
        raise unittest.SkipTest("a library is not there")


class CliTest(unittest.TestCase):
    """Each test runs in an empty folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="drx cli é ")
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def run_drx(self, *words, stdin=b"", **options):
        if SERVER and not options and not stdin and os.environ == SERVER.environment:
            return SERVER.run(words)
        options.setdefault("timeout", 120)
        return subprocess.run([DRX, *map(os.fspath, map(as_word, words))], input=stdin,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **options)

    def other_folder(self):
        """On another file system."""
        if not os.path.isdir(OTHER) or os.stat(OTHER).st_dev == os.stat(".").st_dev:
            self.skipTest(f"{OTHER} is no other file system here")
        folder = tempfile.mkdtemp(prefix="drx é ", dir=OTHER)
        self.addCleanup(shutil.rmtree, folder)
        return folder

    def ends(self, code, *words, out=(), err=(), run=None, **options):
        """Standard output of a run that must end with that code, with these texts (or this one) in it and in standard
        error, which is empty if there are none; `run` instead of run_drx."""
        result = (run or self.run_drx)(*words, **options)
        written, error = result.stdout.decode(), result.stderr.decode()
        self.assertEqual((result.returncode, bool(error)), (code, bool(err)), (words, error))
        for texts, found in ((out, written), (err, error)):
            for text in [texts] if isinstance(texts, str) else texts:
                self.assertIn(text, found, words)
        return written

    def grow_both_ends(self, path, a):
        """Grow an array of two axes, which holds `a`, at both ends; returns what it holds then."""
        rows, columns = a.shape
        right = sample((rows, columns - 1), a.dtype, 1)
        a = np.concatenate([a, right], axis=1)
        before, after = (sample((n, a.shape[1]), a.dtype, n) for n in (rows, rows - 1))
        for verb, axis, slab in (("append", 1, right), ("prepend", 0, before), ("append", 0, after)):
            np.save("slab.npy", slab)
            self.drx(verb, path, axis, "slab.npy")
        return np.concatenate([before, a, after])

    def drx(self, *words, warns=(), **options):
        """Standard output of a run that must succeed; it warns with these texts, or with anything (True)."""
        if warns is True:
            result = self.run_drx(*words, **options)
            self.assertEqual(result.returncode, 0, words)
            return result.stdout.decode()
        return self.ends(0, *words, err=warns or (), **options)

    def fails(self, code, *words, says=(), lines=1, **options):
        """A run that must fail with that exit code and one line, or as many, with all these texts, or this one."""
        result = self.run_drx(*words, **options)
        error = result.stderr.decode("utf-8")
        self.assertEqual(result.returncode, code, (words, error))
        self.assertEqual(result.stdout, b"", words)
        self.assertEqual(error.count("\n"), lines, error)
        self.assertTrue(error.startswith("drx"), error)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, error)
        return error

    def all_fail(self, code, *words, cases):
        """Runs of these words and those of each case that must fail so: {more words: text or texts that are said}."""
        for more, says in cases.items():
            with self.subTest(words=more):
                self.fails(code, *words, *([more] if isinstance(more, str) else more), says=says)

    def cannot_write(self, *words):
        """A run whose standard output has no room says so; one whose output nobody reads says nothing."""
        with open("/dev/full", "wb") as full:
            result = subprocess.run([DRX, *words], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(result.returncode, 1, words)
        self.assertIn(b"standard output: cannot write: No space left", result.stderr)
        with closed_pipe() as pipe:
            result = subprocess.run([DRX, *words], stdout=pipe, stderr=subprocess.PIPE, check=False)
        self.assertEqual((result.returncode, result.stderr), (1, b""), words)

    def interrupted(self, number, *words, begun=None, fresh=None, **options):
        """Standard error of a run that a signal ends, which comes when begun(process), or when a file is new. With
        fresh(), which makes what it begins with, it is run again when it was over too soon."""
        for _ in range(5 if fresh else 1):
            if fresh:
                fresh()
            before = names()
            process = subprocess.Popen([DRX, *map(as_word, words)], stderr=subprocess.PIPE, **options)
            while process.poll() is None and not (begun(process) if begun else names() != before):
                time.sleep(0.001)
            process.send_signal(number)
            error = process.communicate()[1].decode()
            if process.returncode != 0:
                break
        self.assertEqual(process.returncode, -number, (words, error))
        return error

    def in_little_memory(self, *words, stdin=subprocess.DEVNULL):
        """A run that must succeed, with a buffer of 64 MiB and not much else."""
        limit = "" if SANITIZED else "ulimit -d 131072; "
        result = subprocess.run(["sh", "-c", limit + 'exec "$0" "$@"', DRX, *words], stdin=stdin,
                                stderr=subprocess.PIPE,
                                check=False)
        self.assertEqual((result.returncode, result.stderr), (0, b""), words)

    def put(self, path, array, *options):
        """An array with these elements, instead of any that is there."""
        array = np.asarray(array)
        self.drx("create", path, "--shape", array.shape, "--type", type_name(array.dtype), "--force", *options)
        self.write(path, array)

    def write(self, path, array):
        np.save("write.npy", array)
        self.drx("write", path, "--at", [0] * array.ndim, "write.npy")
        os.remove("write.npy")

    def info(self, path, warns=()):
        return json.loads(self.drx("info", path, "--json", warns=warns))

    def assert_info(self, path, **expected):
        """These are among what drx info says of the array."""
        info = self.info(path)
        self.assertEqual({key: info[key] for key in expected}, expected)

    def whole(self, path, *options):
        """The array, as read by drx."""
        self.drx("read", path, "-o", "whole.npy", *options)
        array = np.load("whole.npy")
        os.remove("whole.npy")
        return array

    def assert_large(self, path, expected, key=...):
        """What the key selects of the array are these elements; faster than assert_same, and says less."""
        self.drx("read", path, "-o", "whole.npy")
        got = np.load("whole.npy", mmap_mode="r")[key]
        self.assertTrue(got.dtype == expected.dtype and np.array_equal(got, expected), path)

    def assert_same(self, got, expected):
        """Equal in type, shape and bits."""
        expected = np.asarray(expected)
        self.assertEqual((got.dtype, got.shape), (expected.dtype.newbyteorder("="), expected.shape))
        np.testing.assert_array_equal(np.ascontiguousarray(got).view(np.uint8),
                                      np.ascontiguousarray(expected.astype(got.dtype)).view(np.uint8))


def as_word(word):
    if isinstance(word, (list, tuple)):
        return ",".join(map(str, word))
    return word if isinstance(word, (str, bytes)) else str(word)


def main(module="__main__"):
    """Called as `test_... DRX_PROGRAM [unittest's options]`."""
    global DRX, SERVER
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} DRX_PROGRAM")
    DRX = os.path.abspath(sys.argv.pop(1))
    SERVER = start_server(DRX)
    print(f"DRX_SEED={SEED}", flush=True)
    try:
        unittest.main(module)
    except unittest.SkipTest:
        sys.exit(77)


if __name__ == "__main__":
    import drx_cli  # as the tests import it
    drx_cli.main(sys.argv.pop(1))
