"""drx mv, cp, rm, chmod, check."""

import fcntl
import json
import os
import signal
import subprocess

import numpy as np

from drx_cli import CliTest, has_nameless_file, mode_of, names, patch_file, read_file, write_file

VERBS = {"mv": "SOURCE TARGET", "cp": "SOURCE TARGET", "rm": "PATH", "chmod": "MODE PATH", "check": "PATH"}
NOBODY = 65534


def contents(path):
    return [read_file(path + suffix) for suffix in (".xmd", ".xta")]


class FilesTest(CliTest):
    def make(self, path, shape=(3, 4), dtype="int16", **spec):
        """An array with a history, holding 0, 1, 2, ..."""
        words = [word for key, value in spec.items() for word in ("--" + key, value)]
        self.drx("create", path, "--shape", shape, "--type", dtype, "--chunk", [2] * len(shape), *words)
        self.write(path, np.arange(np.prod(shape), dtype=dtype).reshape(shape))
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


class Words(FilesTest):
    def test_missing_words(self):
        for verb, words in VERBS.items():
            given = ["644", "a"] if verb == "chmod" else ["a"]
            for i, word in enumerate(words.split()):
                self.fails(2, verb, *given[:i], says=f"{word} is missing; the usage is drx {verb}")


class Mv(FilesTest):
    def test_new_name(self):
        a = self.make("a é b")
        self.drx("mv", "a é b", "c")
        self.drx("mv", "c.xta", "d.xmd")
        self.assertEqual((names(), contents("d")), (["d.xmd", "d.xta"], a))
        os.mkdir("in folder")
        for target in ("in folder", "in folder/", "./in folder/d", "in folder/e.xmd"):
            self.drx("mv", "d", target)
            name = "in folder/" + ("e" if "e.xmd" in target else "d")
            self.assertEqual((names(), contents(name)), (["in folder"], a))
            self.drx("mv", name, "d")

    def test_shapes(self):
        for ndim in range(1, 6):
            for shape in ([3] * ndim, [0] * ndim):
                self.make("a", shape)
                expected = self.whole("a")
                self.drx("mv", "a", "b")
                self.assert_same(self.whole("b"), expected)
                self.drx("cp", "b", "a")
                self.assert_same(self.whole("a"), expected)
                self.assertEqual(self.drx("check", "a", "b"), "a: good\nb: good\n")
                self.drx("rm", "a", "b")
                self.assertEqual(names(), [])

    def test_several(self):
        a, b = self.make("a"), self.make("b", [5])
        os.mkdir("d")
        self.fails(2, "mv", "a", "b", "c", says=["c: is not a folder"])
        os.mkdir("e")
        self.make("e/a")
        self.fails(1, "mv", "a", "e/a", "d", says=["a and e/a have the same name"])
        self.assertEqual(names("d"), [])
        self.fails(1, "mv", "a", "missing", "b.xmd", "d", says=["drx mv: missing: no such array"])
        self.assertEqual((contents("d/a"), contents("d/b")), (a, b))
        self.assertEqual(names(), ["d", "e"])

    def test_existing_target(self):
        a, b = self.make("a"), self.make("b", [5])
        self.fails(1, "mv", "a", "b", says=["b.xmd: exists already", "--force"])
        self.assertEqual((contents("a"), contents("b")), (a, b))
        self.drx("mv", "a", "b", "--force")
        self.assertEqual((names(), contents("b")), (["b.xmd", "b.xta"], a))
        write_file("c.xta", b"half")
        self.fails(1, "mv", "b", "c", says=["c.xta: exists already, without its c.xmd"])
        self.drx("mv", "-f", "b", "c")
        self.assertEqual((names(), contents("c")), (["c.xmd", "c.xta"], a))

    def test_itself(self):
        a = self.make("a")
        os.symlink(".", "link")
        os.link("a.xmd", "hard.xmd")
        os.link("a.xta", "hard.xta")
        for target in ("a", "./a", "link/a", ".", "link/", "hard", os.path.abspath("a")):
            for verb in ("mv", "cp"):
                self.fails(1, verb, "a", target, "--force", says=["is the same array as"])
                self.assertEqual((contents("a"), contents("hard")), (a, a))
        self.assertEqual(len(names()), 5)

    def test_symbolic_links(self):
        a = self.make("a")
        os.mkdir("d")
        for suffix in (".xmd", ".xta"):
            os.symlink("a" + suffix, "link" + suffix)
        self.drx("mv", "link", "d")  # what they lead to is copied
        self.assertEqual((names(), contents("a"), contents("d/link")), (["a.xmd", "a.xta", "d"], a, a))

    def test_errors(self):
        a = self.make("a")
        os.mkdir("d")
        for verb in ("mv", "cp"):
            self.all_fail(1, verb, cases={
                ("a", "e/b"): "e/b.xmd: the folder e does not exist", ("a", "e/"): "e/: no such folder",
                ("d", "e"): "d: is a folder, not an array", ("d/", "e"): "d/: is a folder, not an array",
                ("b", "e"): "b: no such array", ("a", ""): "expected the path of an array"})
        os.rename("a.xta", "kept")
        for verb in ("mv", "cp"):
            self.fails(1, verb, "a", "b", says=["a.xta: missing, only a.xmd is there"])
        os.rename("kept", "a.xta")
        self.assertEqual((names(), contents("a")), (["a.xmd", "a.xta", "d"], a))

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

    def test_other_file_system_interrupted(self):
        there = self.other_folder()
        self.drx("create", there + "/a", "--shape", 100 << 20, "--type", "int8", "--fill", 7)
        error = self.interrupted(signal.SIGTERM, "mv", there + "/a", "b", begun=has_nameless_file)
        self.assertEqual((error, names(), names(there)), ("", [], ["a.xmd", "a.xta"]))
        self.assertEqual(self.drx("check", there + "/a"), there + "/a: good\n")


class Cp(FilesTest):
    def test_copies(self):
        a = self.make("a é")
        os.chmod("a é.xta", 0o640)
        self.drx("cp", "a é", "b")
        os.mkdir("d")
        self.drx("cp", "a é", "b.xta", "d")
        for path in ("a é", "b", "d/a é", "d/b"):
            self.assertEqual(contents(path), a)
            self.assertEqual(self.info(path)["history"], self.info("a é")["history"])
        self.assertEqual(mode_of("b.xta"), 0o640)  # nobody may read more than of the source
        self.drx("extend", "b", 0, 1)
        self.assertEqual(contents("a é"), a)

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

    def test_interrupted(self):
        self.drx("create", "a", "--shape", 200 << 20, "--type", "int8", "--fill", 7)
        old = self.make("b")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL):
            for words in (["cp", "a", "c"], ["cp", "-f", "a", "b"]):
                self.assertEqual(self.interrupted(number, *words, begun=has_nameless_file), "", words)
                self.assertEqual((names(), contents("b")), (["a.xmd", "a.xta", "b.xmd", "b.xta"], old))
        os.mkdir("d")
        self.interrupted(signal.SIGINT, "cp", "a", "b", "d", begun=has_nameless_file)
        self.assertEqual(names("d"), [])  # nor does the next get its turn

    def test_damaged(self):
        self.make("a")
        self.drx("extend", "a", 0, 1)
        patch_file("a.xmd", os.path.getsize("a.xmd") - 40, b"\xff\xff")  # the growth before the last SYNC
        self.drx("cp", "a", "b", warns="drx cp: warning: copied with its damage: a.xmd: the record at offset")
        self.assertEqual(contents("b"), contents("a"))


class Rm(FilesTest):
    def test_both_files_of_one_array(self):
        """As a shell gives them for a pattern."""
        self.make("a b")
        self.make("c")
        os.mkdir("d")
        self.drx("cp", "a b.xmd", "a b.xta", "c.xmd", "c.xta", "d")
        self.assertEqual(self.drx("check", "d/c.xmd", "d/c.xta"), "d/c: good\n")
        self.drx("chmod", "600", "c.xmd", "c.xta")
        self.drx("rm", "d/a b.xmd", "d/a b.xta", "d/c.xmd", "d/c.xta")
        self.assertEqual(os.listdir("d"), [])
        self.drx("rm", "c")
        self.fails(1, "rm", "a b", "a b", says=["a b"])

    def test_removes(self):
        for path in ("a", "b é", "c"):
            self.make(path)
        self.drx("rm", "a", "b é.xta", "./c")
        self.assertEqual(names(), [])
        self.make("a")
        os.unlink("a.xmd")  # half of one
        self.drx("rm", "a")
        self.assertEqual(names(), [])

    def test_missing(self):
        self.make("a")
        self.fails(1, "rm", "b", "a", says=["drx rm: b: no such array"])
        self.assertEqual(names(), [])
        self.drx("rm", "--force", "b", "c/d")
        os.mkdir("d")
        for words in (["d"], ["d/"], ["-f", "d"]):
            self.fails(1, "rm", *words, says=["is a folder, not an array"])
        self.assertEqual(names(), ["d"])

    def test_protected(self):
        self.make("a")
        for suffix in (".xmd", ".xta"):
            os.chmod("a" + suffix, 0o444)
        self.ends(1, "rm", "a", err="a.xmd: is protected against writing; give --force", run=self.as_nobody)
        self.ends(0, "rm", "-f", "a", run=self.as_nobody)
        self.assertEqual(names(), [])


class Chmod(FilesTest):
    def test_modes(self):
        self.make("a b")
        umask = os.umask(0o022)
        self.addCleanup(os.umask, umask)
        for mode, old in ((m, o) for m in ("0", "644", "0600", "u+w", "go-rwx", "a=r", "+x", "+X", "a+X", "u=rw,go=r",
                                           "o=", "g=u", "go=u-w", "ug+rw,o-r", "a-w", "=", "+w", "u+x,a+X", "og+rX-w")
                          for o in (0o644, 0o600, 0o751, 0o000, 0o666)):
            write_file("file")
            for name in ("file", "a b.xmd", "a b.xta"):
                os.chmod(name, old)
            subprocess.run(["chmod", mode, "file"], check=True)
            self.drx("chmod", mode, "a b")
            found = [oct(mode_of(name)) for name in ("file", "a b.xmd", "a b.xta")]
            self.assertEqual(found, found[:1] * 3, (mode, oct(old)))

    def test_each_file_from_its_own(self):
        self.make("a")
        os.chmod("a.xmd", 0o640)
        os.chmod("a.xta", 0o600)
        self.drx("chmod", "o+r", "a.xmd")
        self.assertEqual((mode_of("a.xmd"), mode_of("a.xta")), (0o644, 0o604))

    def test_errors(self):
        self.make("a")
        before = mode_of("a.xmd")
        for mode in ("", "8", "1644", "00644", "7777", "u", "rw", "u+w,", ",u+w", "u+s", "z+w", "u+rq", "u~r"):
            self.fails(2, "chmod", mode, "a", says=[f"MODE '{mode}' is not valid; give"])
        os.mkdir("d")
        self.fails(1, "chmod", "600", "d", says=["d: is a folder, not an array"])
        self.assertEqual(mode_of("a.xmd"), before)
        self.fails(1, "chmod", "600", "b", "a", says=["b: no such array"])
        self.assertEqual((mode_of("a.xmd"), mode_of("a.xta")), (0o600, 0o600))
        os.unlink("a.xta")
        self.fails(1, "chmod", "644", "a", says=["a.xta: missing"])
        self.assertEqual(mode_of("a.xmd"), 0o600)

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


class Check(FilesTest):
    def findings(self, *words, code=0):
        return json.loads(self.ends(code, "check", "--json", *words))

    def test_good(self):
        for order in "CF":
            for fill in ("0", "7"):
                for shape in ([5], [3, 4], [2, 3, 1], [0, 4], [1, 2, 3, 2, 1]):
                    path = f"{order} {fill} {len(shape)} é {shape[0]}"
                    self.make(path, shape, order=order, fill=fill, align="64")
        everything = names()
        before = [os.stat(name) for name in everything]
        self.assertEqual(self.drx("check", everything[0]), everything[0][:-4] + ": good\n")
        text = self.drx("check", ".")
        self.assertEqual(text, "".join(f"{name[:-4]}: good\n" for name in everything[::2]))
        self.assertEqual([(s.st_mtime_ns, s.st_size) for s in map(os.stat, everything)],
                         [(s.st_mtime_ns, s.st_size) for s in before])
        self.assertEqual(names(), everything)
        found = self.findings(".")
        self.assertEqual(len(found), 20)
        self.assertEqual(found[0], {"path": everything[0][:-4], "findings": [], "errors": 0, "warnings": 0,
                                    "verdict": "good", "failure": None})

    def test_mended(self):
        self.make("a")
        write_file("a.xta", b"residue", "ab")
        write_file("a.xmd", b"torn", "ab")
        self.ends(0, "check", "a",
                  out=["warning: a.xmd: the last 4 bytes", "warning: a.xta: 7 bytes after its last chunk",
                                        "\na: good, 2 warnings\n"])
        self.drx("extend", "a", 0, 1, warns=True)
        self.assertEqual(self.drx("check", "a"), "a: good\n")

    def test_damaged(self):
        good = self.make("good")
        self.make("short")
        os.truncate("short.xta", 5)
        self.make("torn é\n")
        patch_file("torn é\n.xmd", 110, b"\xff\xff")
        os.mkdir("sub")
        write_file("text.xmd", "no array")
        write_file("text.xta")
        write_file("half.xta")
        text = self.ends(1, "check", ".", "good", out=[
            "error: half.xta: is there without its half.xmd", "error: short.xta: damaged: 5 bytes long",
            "short: damaged: 1 error\n", "error: text.xmd: not the metadata of a DRX array",
            "torn é\\n: damaged: 1 error\n"])
        self.assertTrue(text.endswith("\ngood: good\n"), text)
        found = {entry["path"]: entry for entry in self.findings(".", code=1)}
        self.assertEqual([entry["verdict"] for _, entry in sorted(found.items())],
                         ["good", "damaged", "damaged", "damaged", "damaged"])
        self.assertEqual([f["severity"] for f in found["short"]["findings"]], ["error", "note"])
        self.assertIn("missing: chunks 0 to", found["short"]["findings"][1]["text"])
        self.assertEqual(contents("good"), good)

    def test_nothing_there(self):
        self.fails(1, "check", "a", says=["drx check: a: no such array"])
        os.mkdir("d")
        self.assertEqual(self.drx("check", "d", warns=True), "")
        self.assertEqual(json.loads(self.drx("check", "d", "--json", warns=True)), [])
        entry, = json.loads(self.ends(1, "check", "a", "--json", err="no such array"))
        self.assertIsNone(entry["verdict"])
        self.assertIn("no such array", entry["failure"])

    def test_array_before_folder(self):
        self.make("a")
        os.mkdir("a")
        self.assertEqual(self.drx("check", "a"), "a: good\n")
        self.assertEqual(self.drx("check", "a/", warns=True), "")

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
