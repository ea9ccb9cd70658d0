"""drx check --repair and drx compact."""

import json
import os

import numpy as np

from drx_cli import CliTest, LOG, patch_file, read_file


class RepairTest(CliTest):
    def setUp(self):
        super().setUp()
        self.put("a", np.arange(24, dtype="int16").reshape(4, 6), "--chunk", "2,3", "--dims", "y,x")
        self.drx("extend", "a", "x", "5")
        self.drx("extend", "a", "y", "1")
        self.xmd, self.xta = read_file("a.xmd"), read_file("a.xta")

    def test_nothing_to_do(self):
        self.assertEqual(self.drx("check", "--repair", "a"), "a: good\n")
        self.assertEqual((read_file("a.xmd"), read_file("a.xta")), (self.xmd, self.xta))

    def test_cut(self):
        """The log ends before a damaged record, and is kept."""
        patch_file("a.xmd", len(self.xmd) - 42, b"\x77")
        damaged = read_file("a.xmd")
        found = self.ends(1, "check", "a")
        self.assertIn("error: a.xmd: the record at offset", found)
        self.assertIn("and loses what came later", found)
        text = self.drx("check", "--repair", "a")
        self.assertIn("note: a.xmd: the damaged log is kept as a.xmd.damaged-1\n", text)
        self.assertTrue(text.endswith("\na: good\n"), text)
        self.assertEqual((self.info("a")["shape"], read_file("a.xmd.damaged-1")), ([4, 11], damaged))
        patch_file("a.xmd", LOG + 20, b"\x77")  # then nothing is left
        self.ends(1, "check", "--repair", "a",
                  out="error: a.xmd: nothing of it counts: record 1 at offset 8192 is not whole\na: damaged: 1 error\n")

    def test_json(self):
        patch_file("a.xmd", 80, b"\x77")  # a bound
        found, = json.loads(self.drx("check", "--repair", "--json", "a"))
        self.assertEqual((found["verdict"], found["errors"], found["findings"][0]["severity"]), ("good", 0, "note"))
        self.assertRegex(found["findings"][0]["text"], "the description|the head")

    def test_what_cannot_be(self):
        patch_file("a.xta", 0, b"")
        os.truncate("a.xta", 40)
        self.ends(1, "check", "--repair", "a", out="note: a.xta: missing: chunks 3 to 3, within indices 2..3, 3..5\n")
        self.assertEqual((read_file("a.xmd"), len(read_file("a.xta"))), (self.xmd, 40))

    def test_several(self):
        self.drx("cp", "a", "b")
        patch_file("b.xmd", len(self.xmd), b"torn")
        text = self.drx("check", "--repair", "a", "b")
        self.assertIn("a: good\n", text)
        self.assertIn("(a torn tail): dropped\nb: good\n", text)
        self.assertEqual(read_file("b.xmd"), self.xmd)


class CompactTest(CliTest):
    def test_history(self):
        self.drx("create", "a", "--shape", "1,2", "--chunk", "4,2", "--type", "int16")
        for i in range(9):
            self.drx("extend", "a", "0", "1")
        before = self.info("a")
        size = os.path.getsize("a.xmd")
        self.assertEqual(self.drx("compact", "a"), "")
        after = self.info("a")
        self.assertLess(os.path.getsize("a.xmd") - LOG, (size - LOG) * 0.6)
        self.assertEqual(len(before["history"]), 9)
        self.assertEqual([step["by"] for step in after["history"]], [9])
        for key in ("shape", "chunk", "chunks", "attrs", "dims", "data_bytes"):
            self.assertEqual(before[key], after[key])
        self.assertEqual(self.drx("check", "a"), "a: good\n")

    def test_wrong(self):
        self.fails(1, "compact", "none", says=["none: no such array"])
        self.fails(2, "compact", says=["PATH"])
        self.drx("create", "a", "--shape", "1", "--type", "int16")
        self.drx("extend", "a", "0", "1")
        self.drx("extend", "a", "0", "1")
        os.rename("a.xmd", "b.xmd")
        os.symlink("b.xmd", "a.xmd")
        self.fails(1, "compact", "a", says=["a.xmd: a symbolic link"])
        self.assertTrue(os.path.islink("a.xmd"))
