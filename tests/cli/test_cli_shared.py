"""Several runs of drx that write to one array at the same time."""

import io
import subprocess
import time

import numpy as np

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

    def test_misuse(self):
        self.drx("create", "a", "--shape", "0,2")
        self.fails(2, "extend", "a", 0, 1, "--share=no", says=["--share"])
        self.fails(2, "extend", "a", 0, "--shared", says=["BY"])
