"""The program drx: an output that cannot be written, fills of all types, and another process that has the array."""

import fcntl
import os
import subprocess

import numpy as np

from drx_cli import DRX, CliTest


class Program(CliTest):
    def test_output_that_cannot_be_written(self):
        self.drx("create", "a", "--shape", "300,300", "--chunk", "1,1", "--type", "int8")
        for words in (["map", "a", "--all"], ["info", "a"], ["info"], ["info", "--json"], ["--help"], ["read", "a"],
                      ["read", "a", "-o", "-"]):
            self.cannot_write(*words)
        result = subprocess.run(["sh", "-c", 'exec "$0" "$@" >&-', DRX, "map", "a"],
                                stderr=subprocess.PIPE, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn(b"standard output", result.stderr)
        self.drx("info", "a")

    def test_fill(self):
        values = {"int8": "-128 127 0", "int64": "-9223372036854775808 9223372036854775807",
                  "uint8": "255", "uint64": "18446744073709551615 9223372036854775808",
                  "float32": "1e20 0.1 3.4028235e38 1e-45 nan inf -inf -0.0 16777216 33554432 1e10",
                  "float64": "0.1 1e308 5e-324 nan inf -Infinity -0.0 1e22 123456789012345680 1e15 1e16 12e-5 1e-5 "
                             "0x1.8p1 0.30000000000000004 100 9007199254740993",
                  "float16": "1e4 0.1 65504 6e-8 nan inf -inf -0.0 2049 0.33325", "bool": "true false True FALSE 1 0",
                  "complex64": "1+2j 1-2j -1.5 2j -2j nan+infj 0.1-1e-3j", "complex128": "1e3+1e-3j -0.0-0.0j 0.1+0.2j"}
        for dtype, texts in values.items():
            for text in texts.split():
                self.drx("create", "a", "--shape", "2", "--type", dtype, "--fill", text, "--force")
                expected = self.parse(text, dtype)
                self.assert_same(self.whole("a"), np.full(2, expected, dtype))
                fill = self.info("a")["fill"]
                if dtype[0] in "iub":
                    self.assertEqual((fill, type(fill)), (expected, bool if dtype == "bool" else int))
                    continue
                self.assertEqual(isinstance(fill, list), dtype.startswith("complex"))
                parts = np.array(expected, dtype).reshape(1)
                parts = parts.view(parts.real.dtype)
                np.testing.assert_array_equal(np.array(np.ravel(fill), dtype=float).astype(parts.dtype), parts)

    @staticmethod
    def parse(text, dtype):
        if dtype.startswith("complex"):
            return np.array(complex(text), dtype)[()]
        if dtype == "bool":
            return text.lower() in ("true", "1")
        if text.startswith("0x"):
            return float.fromhex(text)
        return np.array(text).astype(dtype)[()] if dtype[0] == "f" else int(text)

    def test_busy(self):
        self.drx("create", "a", "--shape", "2,3,4")
        with open("a.xmd", "rb+") as other:
            fcntl.lockf(other, fcntl.LOCK_EX)
            self.fails(1, "extend", "a", 0, 1, says=["a"])
            self.assertEqual(self.info("a")["shape"], [2, 3, 4])  # readers are not kept out
        self.drx("extend", "a", 0, 1)

    def test_a_folder_that_may_not_be_read(self):
        if os.geteuid() == 0:
            self.skipTest("this user may do everything")
        self.drx("create", "a", "--shape", 3)
        os.mkdir("d", 0)
        text = self.ends(1, "info", "-r", err="d: cannot read the folder: Permission denied")
        self.assertTrue(text.startswith("a "), text)
