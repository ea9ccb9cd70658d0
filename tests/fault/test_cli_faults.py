"""The program drx when system calls fail: exit code 1, one line that names the file, and every array whole.

preload/fail_call.c lets the n-th call on a file of the test fail, for n = 1, 2, ... until none does; of these every
fifth is tried, with another one first for each verb, and all with DRX_TORTURE=1."""

import errno
import os
import shutil
import signal
import sys
import unittest

import numpy as np

SOURCE = os.environ.get("DRX_SOURCE", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path[:0] = [os.path.join(SOURCE, "tests", "cli"), os.path.join(SOURCE, "tests", "golden")]

import drx_cli  # noqa: E402
import lone_array  # noqa: E402
import nc_file  # noqa: E402
from drx_cli import CliTest  # noqa: E402

PRELOAD = os.path.join(os.environ.get("DRX_BUILD", "build/dev"), "tests", "libfail_call.so")
STEP = 1 if os.environ.get("DRX_TORTURE") == "1" else 5
CALLS = "open,close,pread,pwrite,read,write,fdatasync,fsync,ftruncate,linkat,link,renameat2,rename,unlink"

A = np.arange(20 * 12, dtype="int32").reshape(20, 12)
MORE = -np.arange(5 * 12, dtype="int32").reshape(5, 12)
BLOCK = np.full((4, 5), 77, "int32")
WRITTEN = A.copy()
WRITTEN[3:7, 2:7] = BLOCK
FULL = np.full((30, 20), 7, "int32")

# What is done, and what then is at subject/a and at subject/new.
VERBS = {
    "create": (["create", "subject/new", "--shape", "30,20", "--type", "int32", "--chunk", "8,8", "--fill", "7"], A,
               FULL),
    "extend": (["extend", "subject/a", "0", "5"], np.vstack([A, np.full((5, 12), 9, "int32")]), None),
    "append": (["append", "subject/a", "0", "subject/more.npy"], np.vstack([A, MORE]), None),
    "write": (["write", "subject/a", "--at", "3,2", "subject/block.npy"], WRITTEN, None),
    "import": (["import", "subject/in.npy", "subject/new", "--chunk", "7,5"], A, MORE),
    "import --append": (["import", "subject/in.npy", "subject/a", "--append", "0"], np.vstack([A, MORE]), None),
    "import netCDF": (["import", "subject/in.nc:a", "subject/new"], A, A),
    "import HDF5": (["import", "subject/in.h5:a", "subject/new"], A, A),
    "copy": (["copy", "subject/a", "subject/new", "--chunk", "5,7", "--permute", "1,0"], A, A.T),
    "cp": (["cp", "subject/a", "subject/new"], A, A),
    "mv": (["mv", "subject/a", "subject/new"], None, A),
    "rm": (["rm", "subject/a"], None, None),
    "export": (["export", "subject/a", "subject/out.npy"], A, None),
    "export netCDF": (["export", "subject/a", "subject/out.nc"], A, None),
    "export HDF5": (["export", "subject/a", "subject/out.h5"], A, None),
    "read": (["read", "subject/a", "-o", "subject/out.npy"], A, None),
    "info": (["info", "subject/a"], A, None),
    "check": (["check", "subject/a"], A, None),
}


# All that may be in the folder.
NAMES = {"a.xmd", "a.xta", "new.xmd", "new.xta", "more.npy", "in.npy", "block.npy", "in.nc", "in.h5", "out.npy",
         "out.nc",
         "out.h5"}


def elements(path):
    """Of the array, by a reader that was made from the format's description alone; None: there is none."""
    if not os.path.exists(path + ".xmd"):
        return None
    return np.asarray(lone_array.read(path).array)


def same(x, y):
    return (x is None) == (y is None) and (x is None or (x.shape == y.shape and np.array_equal(x, y)))


def is_between(got, before, after):
    """A write that failed has stored some of its elements."""
    return got is not None and got.shape == before.shape and np.all((got == before) | (got == after))


class FaultsTest(CliTest):
    def setUp(self):
        if not os.path.exists(PRELOAD) or drx_cli.SANITIZED:  # a sanitizer wants to be loaded first
            self.skipTest("nothing to load before the program")
        super().setUp()
        os.mkdir("made")
        np.save("made/more.npy", MORE)
        np.save("made/in.npy", MORE)
        np.save("made/block.npy", BLOCK)
        np.save("a.npy", A)
        self.drx("create", "made/a", "--shape", "20,9", "--type", "int32", "--chunk", "6,5", "--fill", "9")
        self.drx("extend", "made/a", "1", "3")
        self.drx("write", "made/a", "--at", "0,0", "a.npy")
        self.drx("export", "made/a", "made/in.nc")
        self.drx("export", "made/a", "made/in.h5")

    def run_failing(self, words, nth, error, times, calls):
        shutil.rmtree("subject", ignore_errors=True)
        shutil.copytree("made", "subject")
        env = {**os.environ, "LD_PRELOAD": PRELOAD, "FAIL_CALL": calls, "FAIL_NTH": str(nth), "FAIL_TIMES": str(times),
               "FAIL_ERRNO": str(error), "FAIL_FILE": "subject", "FAIL_MARK": os.path.abspath("mark")}
        if os.path.exists("mark"):
            os.unlink("mark")
        result = self.run_drx(*words, env=env)
        if not os.path.exists("mark"):
            return result, None
        with open("mark") as mark:
            return result, mark.read()

    def require_whole(self, verb, result):
        """Arrays are as they were, or as they were to become; so is what was exported."""
        words, a, new = VERBS[verb]
        got = elements("subject/a"), elements("subject/new")
        done = same(got[0], a) and same(got[1], new)
        undone = (same(got[0], A) or (verb == "write" and is_between(got[0], A, a))) and got[1] is None
        both = verb == "mv" and same(got[0], A) != same(got[1], A)
        self.assertTrue(done or (result.returncode and (undone or both)), (words, result))
        if os.path.exists("subject/out.npy"):
            np.testing.assert_array_equal(np.load("subject/out.npy"), A)

    def require_told(self, verb, result):
        """One line that names the file; findings of check are its output."""
        said = result.stderr.decode() or (verb == "check" and result.stdout.decode().splitlines()[0] + "\n")
        self.assertEqual(said.count("\n"), 1, said)
        self.assertIn("subject", said)
        self.assertTrue(said.startswith("drx ") or verb == "check", said)

    def fail_calls(self, verb, first, step, error, times=1, calls=CALLS):
        failed, nth = 0, first
        while True:
            result, fired = self.run_failing(VERBS[verb][0], nth, error, times, calls)
            crashed = "netCDF" in verb and result.returncode == -signal.SIGSEGV  # in nc_close
            with self.subTest(verb=verb, nth=nth, error=errno.errorcode[error], call=fired, said=result.stderr):
                self.assertTrue(result.returncode == 0 or (fired and (result.returncode == 1 or crashed)), result)
                self.require_whole(verb, result)
                if result.returncode and not crashed:
                    self.require_told(verb, result)
                if fired not in ("unlink", "rename", "renameat2") and times == 1 and not crashed:
                    self.assertFalse(set(os.listdir("subject")) - NAMES)
                failed += result.returncode != 0
            if not fired:
                return nth // step, failed
            nth += step

    def test_calls(self):
        total = 0
        for i, verb in enumerate(VERBS):
            fired, failed = self.fail_calls(verb, 1 + i % STEP, STEP, errno.EIO)
            more = self.fail_calls(verb, 1 + i % STEP, STEP, errno.ENOSPC, 1 << 30, "pwrite,write,ftruncate")
            print(f"drx {verb}: {fired + more[0]} faults, {failed + more[1]} runs failed")
            total += fired + more[0]
        print(f"{total} faults")

    @unittest.skipUnless(nc_file.LIBRARY, "no netCDF")
    def test_array_with_its_coordinate(self):
        """Of an append that fails, or is killed, the coordinate may be ahead of the array, never behind it, and the same
        append goes on."""
        for path, n in (("first.nc", 3), ("subject.nc", 4)):
            with nc_file.NcFile(path) as nc:
                nc.array("u", np.arange(n * 5.0).reshape(n, 5), ["time", "x"])
                nc.array("time", np.arange(n) + 3.0 * (n - 3), ["time"])
        shutil.rmtree("made")
        os.mkdir("made")
        self.drx("import", "first.nc:u", "made/u", "--coords", "--chunk", "2,3")
        words = ["import", "subject.nc:u", "subject/u", "--append", "time"]
        states = set()
        for error in (0, errno.EIO):  # 0: a kill
            nth, fired = 1, True
            while fired:
                result, fired = self.run_failing(words, nth, error, 1, CALLS)
                with self.subTest(nth=nth, error=error, call=fired, said=result.stderr):
                    have = len(elements("subject/u")), len(elements("subject/time"))
                    states.add(have)
                    self.assertIn(have, {(3, 3), (3, 7), (7, 7)})
                    if have != (7, 7):
                        self.assertNotEqual(result.returncode, 0)
                        self.drx(*words)
                    np.testing.assert_array_equal(elements("subject/time"), np.arange(7.0))
                    np.testing.assert_array_equal(elements("subject/u").ravel(), [*range(15), *range(20)])
                nth += 1
        self.assertEqual(states, {(3, 3), (3, 7), (7, 7)})


if __name__ == "__main__":
    drx_cli.main()
