"""Running the program drx in tests: a folder for each test, and what a run gave."""

import atexit
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

DRX = None  # the program; set by main
SERVER = None  # runs it without loading its libraries each time; None: there is none beside the program
TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
         "float32", "float64", "complex64", "complex128"]
SANITIZED = "ASAN_OPTIONS" in os.environ  # slower and larger then


def sample(shape, dtype, seed=0):
    """Elements of all magnitudes of the type."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    raw = random.integers(0, 256, (*shape, dtype.itemsize), dtype=np.uint8).view(dtype)[..., 0]
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


def read_file(name):
    with open(name, "rb") as file:
        return file.read()


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

    def drx(self, *words, stdin=b"", warns=False):
        """Standard output of a run that must succeed, silently on standard error unless it warns."""
        result = self.run_drx(*words, stdin=stdin)
        self.assertEqual((result.returncode, warns or result.stderr.decode()), (0, warns or ""), words)
        return result.stdout.decode("utf-8")

    def fails(self, code, *words, says=(), stdin=b""):
        """A run that must fail with that exit code and one line with all these texts."""
        result = self.run_drx(*words, stdin=stdin)
        error = result.stderr.decode("utf-8")
        self.assertEqual(result.returncode, code, (words, error))
        self.assertEqual(result.stdout, b"", words)
        self.assertEqual(error.count("\n"), 1, error)
        self.assertTrue(error.startswith("drx"), error)
        for text in says:
            self.assertIn(text, error)
        return error

    def in_little_memory(self, *words, stdin=subprocess.DEVNULL):
        """A run that must succeed, with a buffer of 64 MiB and not much else."""
        limit = "" if SANITIZED else "ulimit -d 131072; "
        result = subprocess.run(["sh", "-c", limit + 'exec "$0" "$@"', DRX, *words], stdin=stdin, stderr=subprocess.PIPE,
                                check=False)
        self.assertEqual((result.returncode, result.stderr), (0, b""), words)

    def info(self, path, warns=False):
        return json.loads(self.drx("info", path, "--json", warns=warns))

    def whole(self, path, *options):
        """The array, as read by drx."""
        self.drx("read", path, "-o", "whole.npy", *options)
        return np.load("whole.npy")

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


def main():
    """Called as `test_... DRX_PROGRAM [unittest's options]`."""
    global DRX, SERVER
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} DRX_PROGRAM")
    DRX = os.path.abspath(sys.argv.pop(1))
    server = os.path.join(os.path.dirname(os.path.dirname(DRX)), "tests", "run_server")
    if os.path.exists(server):
        SERVER = Server(server)
        atexit.register(SERVER.close)
    unittest.main(module="__main__")
