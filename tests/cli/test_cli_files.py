"""drx mv, cp, rm, chmod and check beside other users, writers and file systems, and interrupts; files.t has the rest."""

import fcntl
import os
import signal

import numpy as np

from drx_cli import CliTest, has_nameless_file, mode_of, names, read_file, write_file

NOBODY = 65534


def contents(path):
    return [read_file(path + suffix) for suffix in (".xmd", ".xta")]


class Files(CliTest):
    def make(self, path, shape=(3, 4)):
        """An array with a history, holding 0, 1, 2, ..."""
        self.put(path, np.arange(np.prod(shape), dtype="int16").reshape(shape), "--chunk", [2] * len(shape))
        self.drx("extend", path, 0, 2)
        return contents(path)

    def as_nobody(self, *words):
        """Run with the rights of a user who may not do everything."""
        if os.geteuid() != 0:
            return self.run_drx(*words)
        os.chmod(".", 0o777)
        try:
            return self.run_drx(*words, user=NOBODY, group=NOBODY, extra_groups=[])
        except PermissionError:
            return self.skipTest("the program cannot be run by others")

    def lock(self, path):
        """As a writer has it."""
        file = open(path + ".xmd", "r+b")
        self.addCleanup(file.close)
        fcntl.lockf(file, fcntl.LOCK_EX)
        return file

    def test_busy(self):
        a, b = self.make("a"), self.make("b", [5])
        self.lock("a")
        for words in (["mv", "a", "c"], ["mv", "-f", "b", "a"], ["cp", "-f", "b", "a"], ["rm", "a"], ["rm", "-f", "a"]):
            self.fails(1, *words, says=["a.xmd: open for writing elsewhere"])
        self.drx("cp", "a", "c")
        self.assertEqual((contents("a"), contents("b"), contents("c")), (a, b, a))

    def test_read_only_folder(self):
        os.mkdir("d")
        a = self.make("d/a")
        os.chmod("d", 0o555)
        os.chmod("d/a.xmd", 0o444)
        self.addCleanup(os.chmod, os.path.abspath("d"), 0o755)
        for words in (["mv", "d/a", "b"], ["mv", "d/a", "d/b"], ["cp", "d/a", "d/b"], ["rm", "--force", "d/a"]):
            self.ends(1, *words, err="Permission denied", run=self.as_nobody)
            self.assertEqual((names(), names("d"), contents("d/a")), (["d"], ["a.xmd", "a.xta"], a))
        self.ends(0, "cp", "d/a", "b", run=self.as_nobody)  # reading is enough
        self.assertEqual(contents("b"), a)

    def test_other_file_system(self):
        there = self.other_folder()
        a, b = self.make("a", [300, 200]), self.make("b")
        os.chmod("a.xmd", 0o640)
        os.chmod("a.xta", 0o600)
        os.utime("a.xta", (1e9, 1e9))
        self.drx("mv", "a", "b", there)
        self.assertEqual((names(), contents(there + "/a"), contents(there + "/b")), ([], a, b))
        self.assertEqual((mode_of(there + "/a.xmd"), mode_of(there + "/a.xta")), (0o640, 0o600))
        self.assertEqual(os.stat(there + "/a.xta").st_mtime, 1e9)
        self.fails(1, "mv", there + "/a", there + "/b", says=["exists already", "--force"])
        self.make("a")
        self.fails(1, "mv", there + "/a", ".", says=["a.xmd: exists already", "--force"])
        self.drx("mv", "-f", there + "/a", ".")
        self.assertEqual((names(), contents("a"), names(there)), (["a.xmd", "a.xta"], a, ["b.xmd", "b.xta"]))
        self.lock("a")
        self.fails(1, "mv", "a", there, says=["a.xmd: open for writing elsewhere"])

    def test_move_interrupted(self):
        there = self.other_folder()
        self.drx("create", there + "/a", "--shape", 100 << 20, "--type", "int8", "--fill", 7)
        error = self.interrupted(signal.SIGTERM, "mv", there + "/a", "b", begun=has_nameless_file)
        self.assertEqual((error, names(), names(there)), ("", [], ["a.xmd", "a.xta"]))
        self.assertEqual(self.drx("check", there + "/a"), there + "/a: good\n")

    def test_holes(self):
        self.drx("create", "a", "--shape", "4000000000", "--chunk", "1000000", "--type", "int8")
        np.save("ones.npy", np.ones(1000000, np.int8))
        for at in (0, 2000000000, 3999000000):
            self.drx("write", "a", "--at", at, "ones.npy")
        self.drx("cp", "a", "b")
        size, on_disk = os.stat("b.xta").st_size, os.stat("b.xta").st_blocks * 512
        self.assertEqual(size, 4000000000)
        self.assertLessEqual(on_disk, os.stat("a.xta").st_blocks * 512 + (1 << 16))
        self.assertLess(on_disk, 4 << 20)
        for at, count in ((0, 1000001), (1999999999, 1000002), (3998999999, 1000001)):
            boxes = [self.whole(path, "--at", at, "--count", count) for path in "ab"]
            self.assert_same(boxes[1], boxes[0])
            self.assertEqual(boxes[1].sum(), 1000000)
        self.assertEqual(self.drx("check", "b"), "b: good\n")

    def test_copy_interrupted(self):
        self.drx("create", "a", "--shape", 200 << 20, "--type", "int8", "--fill", 7)
        old = self.make("b")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            for words in (["cp", "a", "c"], ["cp", "-f", "a", "b"]):
                self.assertEqual(self.interrupted(number, *words, begun=has_nameless_file), "", words)
                self.assertEqual((names(), contents("b")), (["a.xmd", "a.xta", "b.xmd", "b.xta"], old))
        os.mkdir("d")
        self.interrupted(signal.SIGINT, "cp", "a", "b", "d", begun=has_nameless_file)
        self.assertEqual(names("d"), [])  # nor does the next get its turn

    def test_protected(self):
        self.make("a")
        for suffix in (".xmd", ".xta"):
            os.chmod("a" + suffix, 0o444)
        self.ends(1, "rm", "a", err="a.xmd: is protected against writing; give --force", run=self.as_nobody)
        self.ends(0, "rm", "-f", "a", run=self.as_nobody)
        self.assertEqual(names(), [])

    def test_both_or_none(self):
        if os.geteuid() != 0:
            self.skipTest("files of another owner are needed")
        self.make("a")
        self.make("b")
        os.chown("a.xta", NOBODY, NOBODY)
        os.chmod("a.xta", 0o640)
        os.chown("b.xta", NOBODY, NOBODY)
        os.chown("b.xmd", NOBODY, NOBODY)
        self.ends(1, "chmod", "600", "a", "b", run=self.as_nobody,
                  err="drx chmod: a.xmd: cannot change its permissions: Operation not permitted\n")
        self.assertEqual(mode_of("a.xta"), 0o640)
        self.assertEqual((mode_of("b.xmd"), mode_of("b.xta")), (0o600, 0o600))

    def test_left_over_and_busy(self):
        self.make("a")
        write_file("a.xta.new-99999-3")
        self.lock("a")
        text = self.drx("check", "a")
        self.assertIn("note: a.xmd: open for writing elsewhere", text)
        self.assertIn("a.xta.new-99999-3", text)
        self.assertTrue(text.endswith("a: good\n"), text)

    def test_unreadable(self):
        self.make("a")
        os.chmod("a.xta", 0)
        text = self.ends(1, "check", "a", run=self.as_nobody, err="drx check: a.xta: Permission denied")
        self.assertEqual(text, "")

    def test_output(self):
        self.make("a")
        self.cannot_write("check", "a")
        self.cannot_write("check", "a", "--json")
