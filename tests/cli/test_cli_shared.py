"""Several runs of drx that write to one array or dataset at the same time."""

import io
import subprocess
import time

import numpy as np

import nc_file
from drx_cli import DRX, CliTest, as_word


class Shared(CliTest):
    def start(self, *words, **options):
        return subprocess.Popen([DRX, *map(as_word, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                **options)

    def finish(self, process):
        out, error = process.communicate(timeout=120)
        self.assertEqual((process.returncode, out, error), (0, b"", b""))

    def test_all_of_several(self):
        self.drx("create", "a", "--shape", "0,2", "--chunk", "3,2", "--type", "i4", "--fill", -1)
        for p in range(8):
            np.save(f"{p}.npy", np.full((5, 2), p, "i4"))
        runs = [self.start("append", "a", 0, f"{p}.npy", "--shared") for p in range(8)]
        runs += [self.start("extend", "a", 0, 4, "--shared") for _ in range(2)]
        for run in runs:
            self.finish(run)
        got = self.whole("a")
        self.assertEqual(got.shape, (48, 2))
        self.assertEqual([int((got == p).sum()) for p in range(-1, 8)], [16] + [10] * 8)
        starts = [int(np.flatnonzero(got[:, 0] == p)[0]) for p in range(8)]
        for p, i in enumerate(starts):
            np.testing.assert_array_equal(got[i:i + 5], p)
        runs = [self.start("write", "a", "--shared", "--at", f"{6 * p},0", f"{p}.npy") for p in range(8)]
        for run in runs:
            self.finish(run)
        got = self.whole("a")
        for p in range(8):
            np.testing.assert_array_equal(got[6 * p:6 * p + 5], p)
        self.assertEqual(self.drx("check", "a"), "a: good\n")

    def test_while_one_waits_for_its_data(self):
        self.drx("create", "a", "--shape", "0,2", "--type", "i4")
        data = io.BytesIO()
        np.save(data, np.full((3, 2), 7, "i4"))
        waiting = self.start("append", "a", 0, "-", "--shared", stdin=subprocess.PIPE)
        waiting.stdin.write(data.getvalue()[:-8])
        waiting.stdin.flush()
        end = time.monotonic() + 60
        while "open for writing elsewhere" not in self.drx("check", "a") and time.monotonic() < end:
            time.sleep(0.01)
        self.fails(1, "extend", "a", 0, 1, says=["a.xmd: open for writing elsewhere"])
        self.fails(1, "rm", "a", says=["a.xmd: open for writing elsewhere"])
        self.drx("extend", "a", 0, 1, "--shared")
        self.finish_with(waiting, data.getvalue()[-8:])
        np.testing.assert_array_equal(self.whole("a"), [[0, 0], [7, 7], [7, 7], [7, 7]])
        self.drx("extend", "a", 0, 1)

    def finish_with(self, process, data):
        out, error = process.communicate(data, timeout=120)
        self.assertEqual((process.returncode, out, error), (0, b"", b""))

    def make_nc(self, path, value):
        with nc_file.NcFile(path) as nc:
            dims = [nc.dim("time", 3), nc.dim("x", 5)]
            variables = [nc.var(name, "int32", dims) for name in ("u", "v")]
            nc.end_define()
            for variable in variables:
                nc.put(variable, np.full((3, 5), value, "i4"))

    def test_jobs_append_to_one_dataset(self):
        if not nc_file.LIBRARY:
            self.skipTest("no library of netCDF")
        for p in range(11):
            self.make_nc(f"{p}.nc", p)
        self.drx("import", "0.nc", "d")
        runs = [self.start("import", f"{p}.nc", "d", "--append", "time", "--shared") for p in range(1, 11)]
        runs += [self.start("extend", "d", "time", 2, "--shared")]
        for run in runs:
            self.finish(run)
        u, v = self.whole("d/u"), self.whole("d/v")
        np.testing.assert_array_equal(u, v)
        self.assertEqual([int((u == p).sum()) for p in range(11)], [15 + 10] + 10 * [15])
        starts = [int(np.flatnonzero(u[:, 0] == p)[0]) for p in range(1, 11)]
        for p, i in enumerate(starts, 1):
            np.testing.assert_array_equal(u[i:i + 3], p)
        self.assertEqual(self.drx("log", "d", "--json").count("\"message\""), 13)
        self.drx("trim", "d", "time", "--after", 30, "--shared")
        self.assertEqual(self.whole("d/u").shape, (5, 5))
        self.fails(2, "import", "1.nc", "e", "--shared", says=["--shared goes with --append"])
        self.fails(2, "import", "1.nc:u", "d/u", "--append", "time", "--shared", says=["--shared goes with --append to a dataset"])

    def test_misuse(self):
        self.drx("create", "a", "--shape", "0,2")
        self.fails(2, "extend", "a", 0, 1, "--share=no", says=["--share"])
        self.fails(2, "extend", "a", 0, "--shared", says=["BY"])
