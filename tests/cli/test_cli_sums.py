"""Checksums, as the command line shows them. Called with the path of the program drx."""

import json
import os

import numpy as np

from drx_cli import CliTest


class Sums(CliTest):
    def make(self, path, *options):
        self.drx("create", path, "--shape", [20, 30], "--chunk", "8,8", "--type", "int32", "--checksum", *options)
        np.save("all.npy", np.arange(600, dtype=np.int32).reshape(20, 30))
        self.drx("write", path, "--at", "0,0", "all.npy")

    def flip(self, path, offset):
        with open(path, "r+b") as file:
            file.seek(offset)
            byte = file.read(1)
            file.seek(offset)
            file.write(bytes([byte[0] ^ 1]))

    def test_info(self):
        self.make("a")
        told = json.loads(self.drx("info", "a", "--json"))
        self.assertEqual((told["checksum"], told["checksum_bytes"]), (True, 8 * 12))
        self.assertIn("checksums", self.drx("info", "a"))
        self.drx("create", "plain", "--shape", "3")
        self.assertIs(json.loads(self.drx("info", "plain", "--json"))["checksum"], False)
        self.assertNotIn("checksums", self.drx("info", "plain"))

    def test_check(self):
        self.make("a")
        self.assertIn("12 of 12 chunks match their checksums", self.drx("check", "a"))
        self.flip("a.xta", 5 * 256 + 17)
        self.ends(1, "check", "a",
                  out=["error: a.xta: chunk 5, elements 8..15, 8..15: offset 1280:", "11 of 12 chunks match their checksums, 1 do not"])
        self.fails(1, "read", "a", "-o", "x.npy", says=["a.xta: chunk 5, elements 8..15, 8..15: offset 1280:"])
        self.drx("read", "a", "--at", "0,0", "--count", "8,30", "-o", "x.npy")

    def test_kept_together(self):
        self.make("a")
        self.drx("cp", "a", "b")
        self.drx("mv", "b", "c")
        self.assertEqual([os.path.exists(p + ".xcs") for p in "abc"], [True, False, True])
        self.drx("check", "c")
        self.drx("chmod", "600", "c")
        self.assertEqual([os.stat("c" + s).st_mode & 0o777 for s in (".xmd", ".xta", ".xcs")], [0o600] * 3)
        self.drx("rm", "c.xcs")
        self.assertFalse(any(name.startswith("c.") for name in os.listdir(".")))
        os.remove("a.xcs")
        self.assertIn(b"a.xcs: missing", self.run_drx("check", "a").stdout)
        self.fails(1, "read", "a", says=["a.xcs: missing", "drx check --repair a"])

    def test_made(self):
        np.save("v.npy", np.arange(100.0))
        self.drx("import", "v.npy", "v", "--checksum", "--chunk", "30")
        self.drx("check", "v")
        self.assertTrue(os.path.exists("v.xcs"))
        self.drx("copy", "v", "w", "--chunk", "7")
        self.assertFalse(os.path.exists("w.xcs"))
        self.drx("copy", "v", "w", "--chunk", "7", "--checksum", "--force")
        self.assertIn("15 of 15 chunks match", self.drx("check", "w"))
        self.drx("copy", "v.npy", "x", "--checksum")
        self.assertIn("chunks match", self.drx("check", "x"))
        self.fails(2, "copy", "v", "y.npy", "--checksum", says=["--checksum"])
        self.fails(2, "import", "v.npy", "v", "--append", "0", "--checksum", says=["--checksum"])
        self.drx("append", "v", "0", "v.npy")
        self.drx("extend", "v", "0", "50")
        self.drx("check", "v")
