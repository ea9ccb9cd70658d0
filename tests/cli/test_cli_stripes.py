"""Striped arrays: every command treats their files as one."""

import glob
import json
import os
import subprocess

import numpy as np

from drx_cli import DRX, CliTest, mode_of, read_file, write_file


class Stripes(CliTest):
    def setUp(self):
        super().setUp()
        for folder in ("disk 0", "disk1", "away"):
            os.mkdir(folder)
        self.values = np.arange(35 * 12, dtype="int16").reshape(35, 12)
        np.save("values.npy", self.values)
        self.folders = "disk 0,disk1"
        self.chunks = -(-35 // 4) * -(-12 // 5)

    def make(self, path, *options):
        """Made of the last 15 rows appended to the others."""
        np.save("first.npy", self.values[:20])
        np.save("last.npy", self.values[20:])
        self.drx("create", path, "--shape", [20, 12], "--chunk", [4, 5], "--type", "int16", *options)
        self.drx("write", path, "--at", [0, 0], "first.npy")
        self.drx("append", path, 0, "last.npy")

    def make_striped(self, path="a"):
        self.make(path, "--stripe", self.folders)

    def stripes(self):
        return sorted(glob.glob("disk*/*"))

    def test_create_and_info(self):
        self.make_striped()
        self.assert_same(self.whole("a"), self.values)
        info = self.info("a")
        self.assertEqual([stripe["folder"] for stripe in info["stripes"]], ["disk 0", "disk1"])
        self.assertEqual([stripe["file"] for stripe in info["stripes"]], self.stripes())
        self.assertEqual([stripe["bytes"] for stripe in info["stripes"]],
                         [(self.chunks + 1) // 2 * 40, self.chunks // 2 * 40])
        self.assertEqual(info["data_bytes"], self.chunks * 40)
        self.assertEqual(info["data_bytes_on_disk"], sum(os.stat(name).st_blocks * 512 for name in self.stripes()))
        text = self.drx("info", "a")
        for name in self.stripes():
            self.assertRegex(text, rf"(?m)^ +{name}: .* on disk$")
        self.assertEqual(self.drx("check", "a"), "a: good\n")
        self.assertFalse(os.path.exists("a.xta"))
        self.make("plain")
        self.assertEqual(self.info("plain")["stripes"], [])

    def test_bytes_are_those_of_one_file(self):
        self.make_striped()
        self.make("plain")
        whole = read_file("plain.xta")
        stripes = [read_file(name) for name in self.stripes()]
        for q in range(self.chunks):
            at = q // 2 * 40
            self.assertEqual(stripes[q % 2][at:at + 40], whole[q * 40:q * 40 + 40], q)

    def test_mv_renames_the_metadata_alone(self):
        self.make_striped()
        stripes = self.stripes()
        self.drx("mv", "a", "b")
        self.drx("mv", "b", "away/c")  # the folders were relative
        self.assertEqual(self.stripes(), stripes)
        self.assertEqual(os.listdir("away"), ["c.xmd"])
        self.assert_same(self.whole("away/c"), self.values)
        self.assertEqual(self.drx("check", "away/c"), "away/c: good\n")
        self.make_striped()
        self.drx("mv", "-f", "a", "away/c")
        self.assert_same(self.whole("away/c"), self.values)
        self.assertEqual(len(self.stripes()), 2)

    def test_mv_to_another_file_system(self):
        there = self.other_folder()
        self.make_striped()
        stripes = self.stripes()
        os.chmod("a.xmd", 0o640)
        self.drx("mv", "a", there)
        self.assertEqual((os.listdir(there), glob.glob("*.xmd"), self.stripes()), (["a.xmd"], [], stripes))
        self.assertEqual(mode_of(there + "/a.xmd"), 0o640)
        self.assert_same(self.whole(there + "/a"), self.values)
        self.drx("mv", there + "/a", ".")
        self.assert_same(self.whole("a"), self.values)

    def test_a_tree_is_moved_as_it_is(self):
        self.make_striped()
        for name in ("disk 0", "disk1", "a.xmd"):
            os.rename(name, "away/" + name)
        self.assert_same(self.whole("away/a"), self.values)

    def test_two_names_after_a_kill(self):
        """A process was killed while it moved the array to another file system: rm removes one of the names."""
        there = self.other_folder()
        self.make_striped()
        with open("a.xmd", "rb") as file:
            old = file.read()
        self.drx("mv", "a", there)
        write_file("a.xmd", old)
        for path in "a", there + "/a":
            self.assert_same(self.whole(path), self.values)
        os.unlink("a.xmd")
        self.assert_same(self.whole(there + "/a"), self.values)
        self.assertEqual(self.drx("check", there + "/a"), there + "/a: good\n")

    def test_disk_mounted_elsewhere(self):
        """A symbolic link stands where the array knows the disk, by an absolute path or a relative one."""
        for disk in "disk1", os.path.abspath("disk1"):
            self.make("a", "--stripe", "disk 0," + disk)
            os.rename("disk1", "away/mounted")
            self.fails(1, "info", "a", says=["disk1/", "missing: it is stripe 1 of the 2 of a"])
            os.symlink("away/mounted", "disk1")
            self.assert_same(self.whole("a"), self.values)
            self.drx("append", "a", 0, "last.npy")
            self.assert_same(self.whole("a")[35:], self.values[20:])
            self.assertEqual(self.drx("check", "a"), "a: good\n")
            self.drx("cp", "a", "b")
            self.drx("mv", "b", "c")
            self.drx("rm", "a")
            self.assert_same(self.whole("c")[:35], self.values)
            self.assertEqual((len(os.listdir("disk 0")), len(os.listdir("away/mounted"))), (1, 1))
            self.drx("rm", "c")
            self.assertEqual((self.stripes(), os.listdir("away/mounted")), ([], []))
            os.unlink("disk1")
            os.rename("away/mounted", "disk1")

    def test_cp(self):
        self.make_striped()
        self.drx("cp", "a", "b")
        self.drx("cp", "a", "away")
        self.assertEqual(len(self.stripes()), 6)
        self.drx("rm", "a")
        for path in "b", "away/a":
            self.assert_same(self.whole(path), self.values)
            self.drx("extend", path, 1, 3)
            self.assertEqual(self.drx("check", path), path + ": good\n")
            self.drx("rm", path)
        self.assertEqual((self.stripes(), os.listdir("away")), ([], []))

    def test_rm(self):
        self.make_striped()
        self.drx("rm", "a")
        self.assertEqual((self.stripes(), glob.glob("a.*")), ([], []))
        self.make_striped()
        os.unlink(self.stripes()[1])
        self.fails(1, "info", "a", says=["disk1/", "missing: it is stripe 1 of the 2 of a"])
        self.fails(1, "rm", "a", says=["a: host ", " does not have stripe 1 of the 2, such as ", "disk1/",
                                       "drx-mpi rm", "--force removes what is on this host"])
        self.assertEqual((len(self.stripes()), len(glob.glob("a.*"))), (1, 1))
        self.drx("rm", "--force", "a")  # of what is left
        self.assertEqual((self.stripes(), glob.glob("a.*")), ([], []))

    def test_chmod(self):
        self.make_striped()
        self.drx("chmod", "604", "a")
        for name in ["a.xmd", *self.stripes()]:
            self.assertEqual(mode_of(name), 0o604, name)
        self.drx("chmod", "a-w", "a")
        if os.geteuid() != 0:
            self.fails(1, "rm", "a", says=["is protected against writing"])
        self.drx("rm", "-f", "a")
        self.assertEqual(self.stripes(), [])

    def test_check_names_the_file(self):
        self.make_striped()
        first, second = self.stripes()
        write_file(first, b"residue", "ab")
        os.truncate(second, 85)
        result = self.run_drx("check", "a")
        text = result.stdout.decode()
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"warning: {first}: 7 bytes after its last chunk", text)
        self.assertIn(f"error: {second}: damaged: 85 bytes long", text)
        os.unlink(first)
        result = self.run_drx("check", "a", "--json")
        self.assertEqual(result.returncode, 1)
        self.assertIn(f"{first}: missing: it is stripe 0 of the 2 of a",
                      json.loads(result.stdout)[0]["findings"][0]["text"])

    def test_copy_and_import(self):
        self.drx("import", "values.npy", "a", "--chunk", [4, 5], "--stripe", self.folders)
        self.assertEqual(len(self.stripes()), 2)
        self.assert_same(self.whole("a"), self.values)
        self.drx("copy", "a", "turned", "--permute", "1,0", "--chunk", [3, 7])
        self.assertEqual(len(self.stripes()), 2)
        self.drx("copy", "turned", "back", "--permute", "1,0", "--stripe", "disk1,disk 0,disk1")
        self.assertEqual(len(self.stripes()), 5)
        self.assert_same(self.whole("back"), self.values)
        self.drx("copy", "values.npy", "again", "--stripe", "disk1")
        self.assert_same(self.whole("again"), self.values)
        self.drx("export", "back", "out.npy")
        self.assert_same(np.load("out.npy"), self.values)
        self.fails(2, "copy", "a", "x.npy", "--stripe", "disk1", says=["--stripe goes with an array"])
        self.fails(2, "import", "values.npy", "a", "--append", "0", "--stripe", "disk1", says=["--stripe", "new array"])

    def test_own_files_are_no_output(self):
        self.make_striped()
        self.fails(1, "read", "a", "-o", self.stripes()[0])
        self.assert_same(self.whole("a"), self.values)

    def test_replacing(self):
        self.make_striped()
        self.drx("create", "a", "--shape", 3, "--force")
        self.assertEqual((self.stripes(), sorted(glob.glob("a.*"))), ([], ["a.xmd", "a.xta"]))
        self.drx("create", "a", "--shape", 3, "--force", "--stripe", "disk1")
        self.assertEqual((len(self.stripes()), glob.glob("a.*")), (1, ["a.xmd"]))

    def test_one_disk_fills(self):
        """Of two stripes one has no more room: said with its name, and nothing is lost; with zeros and with a fill."""
        small = os.path.join(os.environ["DRX_SOURCE"], "tests", "mp", "in-small-folder")
        np.save("rows.npy", np.full((16, 1024), 7, "int32"))
        np.save("more.npy", np.full((640, 1024), 8, "int32"))
        script = """
            set -eu
            "$0" create a --shape 16,1024 --chunk 16,1024 --type int32 --stripe "disk 0,small" --fill "$1"
            "$0" write a --at 0,0 rows.npy
            "$0" append a 0 rows.npy
            ! "$0" append a 0 more.npy 2> said
            grep "small/a[.].*[.]xta[.]1: .*No space left" said
            "$0" check a
            if [ "$1" != 0 ]; then
                ! "$0" extend a 0 640 2> said
                grep "small/a[.].*[.]xta[.]1: .*No space left" said
            fi
            "$0" extend a 0 16
            "$0" append a 0 rows.npy
            "$0" check a
            "$0" read a -o got.npy
            "$0" cp a b
            ! "$0" cp a c 2> said
            grep "small/c[.].*[.]xta[.]1: .*No space left" said
            test -z "$(ls c.* small/c.* "disk 0"/c.* 2> /dev/null)"
            "$0" rm a b
            test -z "$(ls small "disk 0" | grep x)"
            """
        for fill in "0", "5":
            result = subprocess.run(["bash", small, "300k", "bash", "-c", script, DRX, fill],
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            os.rmdir("small")
            if result.returncode == 77:
                self.skipTest("nothing may be mounted here")
            self.assertEqual(result.returncode, 0, result.stdout)
            got = np.load("got.npy")
            self.assert_same(got[:, 0], np.array([7] * 32 + [int(fill)] * 16 + [7] * 16, "int32"))

    def test_bad_words(self):
        self.fails(2, "create", "a", "--shape", 3, "--stripe", "disk1,,disk1", says=["--stripe", "folder 2 is empty"])
        self.fails(2, "create", "a", "--shape", 3, "--stripe", ",".join(["disk1"] * 129), says=["one too many"])
        self.fails(1, "create", "a", "--shape", 3, "--stripe", "disk1,absent",
                   says=["absent: no such folder", "stripe 1"])
        self.fails(1, "create", "away/a", "--shape", 3, "--stripe", "disk1", says="away/disk1: no such folder")
        self.fails(1, "create", "a", "--shape", 3, "--stripe", "values.npy", says=["values.npy"])
        self.assertEqual((self.stripes(), glob.glob("a.*")), ([], []))
