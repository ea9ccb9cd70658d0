"""Checksums, as the command line shows them. Called with the path of the program drx."""

import json
import os
import subprocess

import numpy as np

from drx_cli import DRX, CliTest, patch_file, read_file


class Sums(CliTest):
    def make(self, path, *options):
        self.put(path, np.arange(600, dtype=np.int32).reshape(20, 30), "--chunk", "8,8", "--checksum", *options)

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
        at = 5 * 256 + 17
        patch_file("a.xta", at, bytes([read_file("a.xta")[at] ^ 1]))
        self.ends(1, "check", "a",
                  out=["error: a.xta: chunk 5, elements 8..15, 8..15: offset 1280:",
                       "11 of 12 chunks match their checksums, 1 do not"])
        self.fails(1, "read", "a", "-o", "x.npy", says=["a.xta: chunk 5, elements 8..15, 8..15: offset 1280:"])
        self.drx("read", "a", "--at", "0,0", "--count", "8,30", "-o", "x.npy")

    def with_verify(self, *words):
        """Runs that verify, by the option and by the environment: exit codes and what they say."""
        for more, env in ((["--verify"], {}), ([], {"DRX_VERIFY": "1"})):
            result = subprocess.run([DRX, *words, *more], env={**os.environ, **env}, capture_output=True, text=True,
                                    check=False)
            yield result.returncode, result.stderr

    def test_verify(self):
        """Damage elsewhere in a chunk is found by reads of a part of it that are to verify."""
        self.make("a")
        at = 5 * 256 + 4 * 63  # the last element of chunk 5: 15, 15
        patch_file("a.xta", at, bytes([read_file("a.xta")[at] ^ 1]))
        for words in (["read", "a[8:10, 8:10]", "-o", "x.npy"], ["read", "a[8, 8]"], ["read", "a[::3, ::7]"],
                      ["read", "a", "--at", "9,0", "--count", "2,30"], ["export", "a[8:10]", "x.npy", "--format", "npy"],
                      ["view", "a[9]", "-o", "x.png"], ["copy", "a[8:10, :]", "b", "--force"]):
            self.drx(*words)
            for code, error in self.with_verify(*words):
                self.assertEqual((code, error.count("\n")), (1, 1), (words, error))
                self.assertIn("a.xta: chunk 5, elements 8..15, 8..15: offset 1280:", error)
        for words in (["read", "a[0:7, 0:7]"], ["read", "a[16:, 8:]"], ["export", "a[:, 16:]", "x.npy"]):  # other chunks
            for code, error in self.with_verify(*words):
                self.assertEqual((code, error), (0, ""), words)
        result = subprocess.run([DRX, "read", "a[8, 8]"], env={**os.environ, "DRX_VERIFY": "0"}, stdout=subprocess.PIPE,
                                check=True)
        self.assertEqual(result.stdout, b"248\n")

    def test_verify_compressed(self):
        self.put("a", np.random.default_rng(1).integers(0, 99, 1 << 19, np.int32).reshape(2, -1), "--chunk",
                 [1, 1 << 18], "--codec", "lz4")
        self.drx("compact", "a")
        size = os.path.getsize("a.xtz")
        patch_file("a.xtz", size - 9, bytes([read_file("a.xtz")[size - 9] ^ 1]))  # in the last payload
        self.fails(1, "read", "a[1]", "-o", "x.npy", says="does not match its checksum")
        self.drx("read", "a[1, :3]")
        for code, error in self.with_verify("read", "a[1, :3]"):
            self.assertEqual(code, 1)
            self.assertIn("a.xtz: the payload of chunk 1,", error)
        for code, error in self.with_verify("read", "a[0, :3]"):
            self.assertEqual((code, error), (0, ""))

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
